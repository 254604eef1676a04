//! Whether a chip can be solved here at all, said before anything is meshed: a typed resolution must not end in a crash.

use stokeslet_cad::chip::Chip;
use stokeslet_flow::export::readable::Quantity;
use stokeslet_flow::session::about_unknowns;

/// Bytes that fields, cells and their index take for each unknown, at least.
const BYTES_PER_UNKNOWN: f64 = 60.0;

/// Refuses what can't fit by far; what nearly fits is decided by the plan.
pub(super) fn fits(chip: &Chip, resolution: u32, allowed: u64) -> Result<(), String> {
    if resolution < 2 {
        return Err(format!(
            "The resolution is {resolution} and must be at least 2 cells across a channel"
        ));
    }
    let needed = about_unknowns(chip, resolution) * BYTES_PER_UNKNOWN;
    if needed > allowed as f64 {
        return Err(too_large(needed as u64, allowed));
    }
    Ok(())
}

/// The sentence for a solve that needs too much memory.
pub(super) fn too_large(needed: u64, allowed: u64) -> String {
    format!(
        "A solve at this resolution needs about {} of memory and {} are free: lower the resolution",
        Quantity::Memory.show(needed as f64),
        Quantity::Memory.show(allowed as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::channel;

    #[test]
    fn an_absurd_resolution_is_refused_in_a_sentence() {
        let allowed = 8 << 30;
        assert_eq!(fits(&channel(), 16, allowed), Ok(()));
        let message = fits(&channel(), 1_000_000, allowed).unwrap_err();
        assert!(
            message.contains("8.00 GiB are free: lower the resolution"),
            "{message}"
        );
        assert!(fits(&channel(), 1, allowed).is_err());
    }
}
