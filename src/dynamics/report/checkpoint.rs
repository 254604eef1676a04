//! The state of a run as bytes, and back: a run that goes on from it gives the same bits as one that was never stopped.
//!
//! ```text
//! "STKLIQ02"  key (length, bytes)  frames  time  particles  [x]  velocities of particles  [v]  per axis: faces [u]
//!             cells the solver remembers [u32]  log (length, bytes)  check sum
//!                                                              all little-endian, counts UInt64, numbers Float64
//! ```

use std::hash::Hasher;

use rustc_hash::FxHasher;
use thiserror::Error;

use crate::scenes::Simulation;
use crate::scenes::eckert::TankFlow;

const MAGIC: &[u8; 8] = b"STKLIQ02";

/// Why bytes are no state to go on from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// Cut off, altered, or of another program.
    #[error("the checkpoint is damaged, or of another version of this program")]
    Damaged,
    /// It is of a run with other settings.
    #[error("the checkpoint is of another run: `{found}`, not `{wanted}`")]
    OtherRun {
        /// What it says it is of.
        found: String,
        /// What is asked for.
        wanted: String,
    },
}

/// What is kept besides the simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What the solver remembers.
    pub memory: Vec<u32>,
    /// Rows of the log so far.
    pub log: String,
}

/// What a loop needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopState<const D: usize> {
    /// Frames of a scene, steps of a tank.
    pub frames: usize,
    /// Time of a scene, s.
    pub time: f64,
    /// Particles.
    pub x: Vec<[f64; D]>,
    /// Their velocities; none of a scene, whose particles follow the grid's.
    pub v: Vec<[f64; D]>,
    /// Velocities on faces, axis by axis.
    pub u: [Vec<f64>; D],
}

impl<const D: usize> LoopState<D> {
    /// The state of a scene.
    pub fn of_scene(simulation: &Simulation<D>) -> Self {
        Self {
            frames: simulation.frames,
            time: simulation.time,
            x: simulation.x.clone(),
            v: Vec::new(),
            u: simulation.mac.u.clone(),
        }
    }

    /// The state of a tank.
    pub fn of_tank(tank: &TankFlow<D>) -> Self {
        Self {
            frames: tank.steps,
            time: 0.0,
            x: tank.x.clone(),
            v: tank.v.clone(),
            u: tank.mac.u.clone(),
        }
    }

    /// Puts a scene of the same size into this state.
    pub fn restore_scene(self, simulation: &mut Simulation<D>) {
        simulation.restore(self.frames, self.time, self.x, self.u);
    }

    /// Puts a tank of the same size into this state.
    pub fn restore_tank(self, tank: &mut TankFlow<D>) {
        tank.steps = self.frames;
        tank.x = self.x;
        tank.v = self.v;
        tank.mac.u = self.u;
    }
}

/// The state as bytes; `key` says which run it is of.
pub fn save<const D: usize>(key: &str, state: &LoopState<D>, kept: &Kept) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let count = |out: &mut Vec<u8>, n: usize| out.extend((n as u64).to_le_bytes());
    count(&mut out, key.len());
    out.extend(key.as_bytes());
    count(&mut out, state.frames);
    out.extend(state.time.to_le_bytes());
    for points in [&state.x, &state.v] {
        count(&mut out, points.len());
        for v in points.iter().flatten() {
            out.extend(v.to_le_bytes());
        }
    }
    for u in &state.u {
        count(&mut out, u.len());
        for v in u {
            out.extend(v.to_le_bytes());
        }
    }
    count(&mut out, kept.memory.len());
    for v in &kept.memory {
        out.extend(v.to_le_bytes());
    }
    count(&mut out, kept.log.len());
    out.extend(kept.log.as_bytes());
    sealed(out)
}

/// Bytes with their check sum behind them.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = check_sum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// What stands before the check sum, if that is right.
pub(crate) fn unsealed(bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    let sealed = bytes.split_last_chunk::<8>();
    let sound = sealed.filter(|(body, sum)| check_sum(body) == u64::from_le_bytes(**sum));
    sound.map(|(body, _)| body).ok_or(CheckpointError::Damaged)
}

fn check_sum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], CheckpointError> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(CheckpointError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn eight(&mut self) -> Result<[u8; 8], CheckpointError> {
        self.take(8)?
            .try_into()
            .map_err(|_| CheckpointError::Damaged)
    }

    fn count(&mut self) -> Result<usize, CheckpointError> {
        Ok(u64::from_le_bytes(self.eight()?) as usize)
    }

    fn real(&mut self) -> Result<f64, CheckpointError> {
        Ok(f64::from_le_bytes(self.eight()?))
    }

    fn points<const D: usize>(&mut self) -> Result<Vec<[f64; D]>, CheckpointError> {
        let mut points = Vec::new();
        for _ in 0..self.count()? {
            let mut point = [0.0; D];
            for v in &mut point {
                *v = self.real()?;
            }
            points.push(point);
        }
        Ok(points)
    }

    fn text(&mut self) -> Result<String, CheckpointError> {
        let n = self.count()?;
        String::from_utf8(self.take(n)?.to_vec()).map_err(|_| CheckpointError::Damaged)
    }
}

/// A saved state of the run that `key` names.
///
/// # Shapes and units
/// - `faces`: velocities along each axis
/// # Errors
/// [`CheckpointError`].
pub fn load<const D: usize>(
    bytes: &[u8],
    key: &str,
    faces: [usize; D],
) -> Result<(LoopState<D>, Kept), CheckpointError> {
    let mut reader = Reader(unsealed(bytes)?);
    if reader.take(8)? != MAGIC {
        return Err(CheckpointError::Damaged);
    }
    let found = reader.text()?;
    if found != key {
        return Err(CheckpointError::OtherRun {
            found,
            wanted: key.to_string(),
        });
    }
    let frames = reader.count()?;
    let time = reader.real()?;
    let (x, v) = (reader.points()?, reader.points()?);
    if !v.is_empty() && v.len() != x.len() {
        return Err(CheckpointError::Damaged);
    }
    let mut u: [Vec<f64>; D] = std::array::from_fn(|_| Vec::new());
    for (u, faces) in u.iter_mut().zip(faces) {
        if reader.count()? != faces {
            return Err(CheckpointError::Damaged);
        }
        for _ in 0..faces {
            u.push(reader.real()?);
        }
    }
    let n = reader.count()?;
    let memory = reader
        .take(4 * n)?
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let log = reader.text()?;
    let state = LoopState {
        frames,
        time,
        x,
        v,
        u,
    };
    Ok((state, Kept { memory, log }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::{Watch, solver};
    use crate::pressure::Separation;
    use crate::scenes::eckert::{FlowSettings, tank};
    use crate::scenes::scene2;
    use crate::splitting::{Method, Settings};

    fn start() -> Simulation<2> {
        Simulation::new(
            scene2("swinging-circle").expect("a scene"),
            24,
            Separation::Cut,
        )
    }

    #[test]
    fn a_run_that_was_stopped_goes_on_with_the_same_bits() {
        let mut solver = solver::<2>("pi-pcg").expect("a name");
        let mut whole = start();
        let mut saved = Vec::new();
        for frame in 0..6 {
            if frame == 3 {
                let kept = Kept {
                    memory: solver.memory(),
                    log: "row\n".into(),
                };
                saved = save("key", &LoopState::of_scene(&whole), &kept);
            }
            whole
                .frame(&mut *solver, Watch::SILENT, &mut |_| {})
                .expect("converges");
        }
        let mut again = start();
        let faces = again.mac.u.each_ref().map(Vec::len);
        let (state, kept) = load(&saved, "key", faces).expect("whole");
        state.restore_scene(&mut again);
        assert_eq!((kept.log.as_str(), again.frames), ("row\n", 3));
        let mut fresh = crate::lcp::solver::<2>("pi-pcg").expect("a name");
        fresh.recall(kept.memory);
        for _ in 3..6 {
            again
                .frame(&mut *fresh, Watch::SILENT, &mut |_| {})
                .expect("converges");
        }
        assert!(again.x == whole.x && again.mac == whole.mac);
    }

    #[test]
    fn a_tank_that_was_stopped_goes_on_with_the_same_bits() {
        let tank = tank::<2>("breaking-dam").expect("a tank");
        let start = || TankFlow::new(&tank, 16, FlowSettings::of::<2>());
        let settings = Settings::practical::<2>();
        let go_on = |flow: &mut TankFlow<2>| {
            flow.step(Method::IopSepBc, &settings, Watch::SILENT, &mut |_| {})
                .expect("converges");
        };
        let mut whole = start();
        (0..3).for_each(|_| go_on(&mut whole));
        let saved = save("key", &LoopState::of_tank(&whole), &Kept::default());
        let mut again = start();
        let faces = again.mac.u.each_ref().map(Vec::len);
        let (state, _) = load(&saved, "key", faces).expect("whole");
        state.restore_tank(&mut again);
        for flow in [&mut whole, &mut again] {
            (0..3).for_each(|_| go_on(flow));
        }
        assert!(again.x == whole.x && again.v == whole.v && again.mac == whole.mac);
        assert_eq!((again.steps, &again.flags), (6, &whole.flags));
    }

    #[test]
    fn damaged_and_foreign_checkpoints_are_refused() {
        let simulation = start();
        let bytes = save(
            "this run",
            &LoopState::of_scene(&simulation),
            &Kept::default(),
        );
        let faces = simulation.mac.u.each_ref().map(Vec::len);
        let refused =
            |bytes: &[u8], key: &str| load(bytes, key, faces).expect_err("not a state of this run");
        assert_eq!(
            refused(&bytes[..bytes.len() - 1], "this run"),
            CheckpointError::Damaged
        );
        let mut flipped = bytes.clone();
        flipped[100] ^= 4;
        assert_eq!(refused(&flipped, "this run"), CheckpointError::Damaged);
        assert_eq!(refused(&[], "this run"), CheckpointError::Damaged);
        let other = load::<2>(&bytes, "this run", [3, 4]).expect_err("another grid");
        assert_eq!(other, CheckpointError::Damaged);
        assert!(matches!(
            refused(&bytes, "that run"),
            CheckpointError::OtherRun { .. }
        ));
    }
}
