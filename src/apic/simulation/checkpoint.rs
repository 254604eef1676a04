//! Checkpoints: a line of JSON with scene, settings and counts, then the numbers, so that not a bit is lost.
//!
//! ```text
//! [head's length: u64] head as JSON; then f64 and u32, all little-endian:
//! x, v, b, carry, mass (by particle), id, last velocities by axis, pressure
//! ```

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Inner, Simulation};
use crate::scene::Scene;
use crate::settings::Settings;
use crate::world::World;

/// The version of the format.
const FORMAT: u32 = 1;

/// Why a checkpoint can't be read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Not a checkpoint, or one that was cut off.
    #[error("it is no checkpoint of this program, or damaged")]
    Damaged,
    /// Its head.
    #[error("its head can't be read")]
    Head(#[from] serde_json::Error),
    /// Written by another version.
    #[error("it has format {0}; this program reads format {FORMAT}")]
    Format(u32),
    /// It is of another run.
    #[error("it is of another scene or of other settings")]
    Other,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    scene: Scene,
    settings: Settings,
    particles: usize,
    steps: u64,
    next_id: u32,
    seed: u32,
}

impl Simulation {
    /// The state.
    ///
    /// # Errors
    /// A head that can't be written.
    pub fn save(&self) -> Result<Vec<u8>, CheckpointError> {
        match &self.inner {
            Inner::Plane(world) => save(world),
            Inner::Space(world) => save(world),
        }
    }

    /// Goes on from a state of the same scene with the same settings.
    ///
    /// # Errors
    /// [`CheckpointError`]; the simulation is as it was.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        match &mut self.inner {
            Inner::Plane(world) => load(world, bytes),
            Inner::Space(world) => load(world, bytes),
        }
    }
}

fn save<const D: usize>(world: &World<D>) -> Result<Vec<u8>, CheckpointError> {
    let particles = &world.particles;
    let head = serde_json::to_vec(&Head {
        format: FORMAT,
        scene: world.scene.clone(),
        settings: world.settings.clone(),
        particles: particles.len(),
        steps: world.steps,
        next_id: world.next_id,
        seed: world.seed,
    })?;
    let mut out = (head.len() as u64).to_le_bytes().to_vec();
    out.extend(head);
    let vectors = |all: &[[f64; D]], out: &mut Vec<u8>| {
        out.extend(all.iter().flatten().flat_map(|v| v.to_le_bytes()));
    };
    vectors(&particles.x, &mut out);
    vectors(&particles.v, &mut out);
    for b in &particles.b {
        vectors(b, &mut out);
    }
    vectors(&particles.carry, &mut out);
    out.extend(particles.mass.iter().flat_map(|v| v.to_le_bytes()));
    out.extend(particles.id.iter().flat_map(|v| v.to_le_bytes()));
    for u in &world.after {
        out.extend(u.iter().flat_map(|v| v.to_le_bytes()));
    }
    out.extend(world.pressure.iter().flat_map(|v| v.to_le_bytes()));
    Ok(out)
}

/// Reads numbers off the front.
struct Reader<'a> {
    left: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], CheckpointError> {
        let (first, rest) = self
            .left
            .split_first_chunk::<N>()
            .ok_or(CheckpointError::Damaged)?;
        self.left = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<f64, CheckpointError> {
        Ok(f64::from_le_bytes(self.take()?))
    }

    fn vector<const D: usize>(&mut self) -> Result<[f64; D], CheckpointError> {
        let mut v = [0.0; D];
        for v in &mut v {
            *v = self.number()?;
        }
        Ok(v)
    }

    fn many<T>(
        &mut self,
        n: usize,
        mut one: impl FnMut(&mut Self) -> Result<T, CheckpointError>,
    ) -> Result<Vec<T>, CheckpointError> {
        // Memory only for what is there.
        if n > self.left.len() {
            return Err(CheckpointError::Damaged);
        }
        (0..n).map(|_| one(self)).collect()
    }
}

fn load<const D: usize>(world: &mut World<D>, bytes: &[u8]) -> Result<(), CheckpointError> {
    let mut reader = Reader { left: bytes };
    let length = u64::from_le_bytes(reader.take()?);
    let length = usize::try_from(length).map_err(|_| CheckpointError::Damaged)?;
    let (head, rest) = reader
        .left
        .split_at_checked(length)
        .ok_or(CheckpointError::Damaged)?;
    let head: Head = serde_json::from_slice(head)?;
    if head.format != FORMAT {
        return Err(CheckpointError::Format(head.format));
    }
    if head.scene != world.scene || head.settings != world.settings {
        return Err(CheckpointError::Other);
    }
    let mut reader = Reader { left: rest };
    let n = head.particles;
    let mut particles = crate::particles::Particles::<D>::new();
    particles.x = reader.many(n, Reader::vector)?;
    particles.v = reader.many(n, Reader::vector)?;
    particles.b = reader.many(n, |r| {
        let mut b = [[0.0; D]; D];
        for b in &mut b {
            *b = r.vector()?;
        }
        Ok(b)
    })?;
    particles.carry = reader.many(n, Reader::vector)?;
    particles.mass = reader.many(n, Reader::number)?;
    particles.id = reader.many(n, |r| Ok(u32::from_le_bytes(r.take()?)))?;
    let mut after = world.grid.zeros();
    for u in &mut after {
        *u = reader.many(u.len(), Reader::number)?;
    }
    let pressure = reader.many(world.pressure.len(), Reader::number)?;
    let (low, high) = (world.grid.low, world.grid.high());
    let inside = |x: &[f64; D]| (0..D).all(|k| (low[k]..=high[k]).contains(&x[k]));
    if !reader.left.is_empty() || !particles.x.iter().all(inside) {
        return Err(CheckpointError::Damaged);
    }
    world.particles = particles;
    world.after = after;
    world.pressure = pressure;
    world.steps = head.steps;
    world.next_id = head.next_id;
    world.seed = head.seed;
    world.set_phase(world.time());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::transfer::Transfer;

    #[test]
    fn a_run_goes_on_to_the_bit() {
        for transfer in [Transfer::Apic, Transfer::Flip] {
            let mut scene = scenes::find("inlet").unwrap().scene();
            scene.cells = vec![16, 16];
            // The patches close between the two halves.
            for patch in &mut scene.patch {
                patch.until = Some(1.5);
            }
            let settings = Settings {
                transfer,
                ..Settings::default()
            };
            let mut whole = Simulation::new(&scene, &settings).unwrap();
            for _ in 0..30 {
                whole.step().unwrap();
            }
            let kept = whole.save().unwrap();
            let mut resumed = Simulation::new(&scene, &settings).unwrap();
            resumed.load(&kept).unwrap();
            assert_eq!(resumed.save().unwrap(), kept);
            for _ in 0..20 {
                assert_eq!(whole.step().unwrap(), resumed.step().unwrap());
            }
            assert_eq!(whole.save().unwrap(), resumed.save().unwrap());
        }
    }

    #[test]
    fn what_is_no_checkpoint_is_refused() {
        let scene = scenes::find("inlet").unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        let kept = simulation.save().unwrap();
        for bytes in [&kept[..kept.len() - 3], &kept[..20], &[], &[255; 40]] {
            assert!(matches!(
                simulation.load(bytes),
                Err(CheckpointError::Damaged | CheckpointError::Head(_))
            ));
        }
        let other = Settings {
            transfer: Transfer::Pic,
            ..Settings::default()
        };
        let mut other = Simulation::new(&scene, &other).unwrap();
        assert!(matches!(other.load(&kept), Err(CheckpointError::Other)));
    }
}
