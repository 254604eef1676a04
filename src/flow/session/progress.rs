//! How far a solve is, told to whoever listens. Knows nothing of terminals or windows.

/// What a solve is doing, in the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Reading the design file.
    Read,
    /// Placing and checking components.
    Place,
    /// Cutting into blocks and meshing the canonical ones.
    Mesh,
    /// Planning the elimination.
    Plan,
    /// Assembly of canonical matrices and elimination.
    Eliminate,
    /// Forward and back substitution, residual, refinement.
    BackSubstitute,
    /// Ports, conductance, shear of walls and floors.
    Results,
    /// Writing files.
    Export,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 8] = [
        Stage::Read,
        Stage::Place,
        Stage::Mesh,
        Stage::Plan,
        Stage::Eliminate,
        Stage::BackSubstitute,
        Stage::Results,
        Stage::Export,
    ];

    /// What it does, for people: `eliminating`.
    pub fn label(self) -> &'static str {
        match self {
            Stage::Read => "reading",
            Stage::Place => "placing",
            Stage::Mesh => "meshing",
            Stage::Plan => "planning",
            Stage::Eliminate => "eliminating",
            Stage::BackSubstitute => "back-substituting",
            Stage::Results => "measuring",
            Stage::Export => "writing",
        }
    }

    /// Where this stage lies between 0 (start of a solve) and 1 (its end): begin and length.
    ///
    /// The shares are rough, most of the time going to the elimination; a bar that moves unevenly is still better than one that
    /// starts afresh with every stage.
    pub fn share(self) -> (f64, f64) {
        match self {
            Stage::Read => (0.0, 0.01),
            Stage::Place => (0.01, 0.02),
            Stage::Mesh => (0.03, 0.07),
            Stage::Plan => (0.10, 0.10),
            Stage::Eliminate => (0.20, 0.45),
            Stage::BackSubstitute => (0.65, 0.20),
            Stage::Results => (0.85, 0.05),
            Stage::Export => (0.90, 0.10),
        }
    }

    /// How much of the whole solve is done when `fraction` of this stage is, in [0, 1].
    pub fn overall(self, fraction: f64) -> f64 {
        let (begin, length) = self.share();
        begin + length * fraction.clamp(0.0, 1.0)
    }
}

/// Hears the stage and the fraction of it that is done (0 to 1). May be called from any thread, often: it must be quick.
pub type Progress<'a> = dyn Fn(Stage, f64) + Sync + 'a;

/// Hears nothing.
pub fn silent(_stage: Stage, _fraction: f64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_stages_follow_each_other_from_0_to_1() {
        let mut end = 0.0;
        for stage in Stage::ALL {
            assert!(
                (stage.overall(0.0) - end).abs() < 1e-12,
                "{stage:?} starts where the last one ended"
            );
            end = stage.overall(1.0);
        }
        assert!((end - 1.0).abs() < 1e-12, "the last stage ends the solve");
    }
}
