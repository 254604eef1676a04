//! The state of a run as bytes, and back: a run that goes on from it gives the same bits as one that was never stopped.
//!
//! ```text
//! "STKLIQ01"  key (length, bytes)  frames  time  particles  [x]  per axis: faces [u]  cells the solver remembers [u32]
//!             log (length, bytes)  check sum                      all little-endian, counts UInt64, numbers Float64
//! ```

use std::hash::Hasher;

use rustc_hash::FxHasher;
use thiserror::Error;

use crate::liquid::scenes::Simulation;

const MAGIC: &[u8; 8] = b"STKLIQ01";

/// Why bytes are no state to go on from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// Cut off, altered, or of another program.
    #[error("the checkpoint is damaged")]
    Damaged,
    /// Of other settings.
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

/// The state as bytes; `key` says which run it is of.
pub fn save<const D: usize>(key: &str, simulation: &Simulation<D>, kept: &Kept) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let count = |out: &mut Vec<u8>, n: usize| out.extend((n as u64).to_le_bytes());
    count(&mut out, key.len());
    out.extend(key.as_bytes());
    count(&mut out, simulation.frames);
    out.extend(simulation.time.to_le_bytes());
    count(&mut out, simulation.x.len());
    for v in simulation.x.iter().flatten() {
        out.extend(v.to_le_bytes());
    }
    for u in &simulation.mac.u {
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
    let sum = check_sum(&out);
    out.extend(sum.to_le_bytes());
    out
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

    fn text(&mut self) -> Result<String, CheckpointError> {
        let n = self.count()?;
        String::from_utf8(self.take(n)?.to_vec()).map_err(|_| CheckpointError::Damaged)
    }
}

/// Puts a simulation of the same scene and size into the saved state.
///
/// # Errors
/// [`CheckpointError`]; the simulation is then as it was.
pub fn load<const D: usize>(
    bytes: &[u8],
    key: &str,
    simulation: &mut Simulation<D>,
) -> Result<Kept, CheckpointError> {
    let body = bytes.len().checked_sub(8).ok_or(CheckpointError::Damaged)?;
    let mut reader = Reader(&bytes[body..]);
    if reader.count()? as u64 != check_sum(&bytes[..body]) {
        return Err(CheckpointError::Damaged);
    }
    let mut reader = Reader(&bytes[..body]);
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
    let n = reader.count()?;
    let mut x = Vec::new();
    for _ in 0..n {
        let mut point = [0.0; D];
        for v in &mut point {
            *v = reader.real()?;
        }
        x.push(point);
    }
    let mut u: [Vec<f64>; D] = std::array::from_fn(|_| Vec::new());
    for (u, now) in u.iter_mut().zip(&simulation.mac.u) {
        if reader.count()? != now.len() {
            return Err(CheckpointError::Damaged);
        }
        for _ in 0..now.len() {
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
    simulation.restore(frames, time, x, u);
    Ok(Kept { memory, log })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liquid::lcp::{Watch, solver};
    use crate::liquid::pressure::Separation;
    use crate::liquid::scenes::scene2;

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
                saved = save("key", &whole, &kept);
            }
            whole
                .frame(&mut *solver, Watch::SILENT, &mut |_| {})
                .expect("converges");
        }
        let mut again = start();
        let kept = load(&saved, "key", &mut again).expect("whole");
        assert_eq!((kept.log.as_str(), again.frames), ("row\n", 3));
        let mut fresh = crate::liquid::lcp::solver::<2>("pi-pcg").expect("a name");
        fresh.recall(kept.memory);
        for _ in 3..6 {
            again
                .frame(&mut *fresh, Watch::SILENT, &mut |_| {})
                .expect("converges");
        }
        assert!(again.x == whole.x && again.mac == whole.mac);
    }

    #[test]
    fn damaged_and_foreign_checkpoints_are_refused() {
        let simulation = start();
        let bytes = save("this run", &simulation, &Kept::default());
        let refused = |bytes: &[u8], key: &str| {
            load(bytes, key, &mut start()).expect_err("not a state of this run")
        };
        assert_eq!(
            refused(&bytes[..bytes.len() - 1], "this run"),
            CheckpointError::Damaged
        );
        let mut flipped = bytes.clone();
        flipped[100] ^= 4;
        assert_eq!(refused(&flipped, "this run"), CheckpointError::Damaged);
        assert_eq!(refused(&[], "this run"), CheckpointError::Damaged);
        assert!(matches!(
            refused(&bytes, "that run"),
            CheckpointError::OtherRun { .. }
        ));
    }
}
