//! What is chosen of solvers and walls: in a file's `[settings]`, and by `--set` over it.

use serde::{Deserialize, Serialize};

use crate::lcp::entry;
use crate::pressure::Separation;
use crate::scene_file::{Checks, WrongValue, first_wrong};
use crate::splitting::{Classify, Inner, Marking, Method, Settings, StopOn, Warm, method};

/// How walls lie in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walls {
    /// They cut cells: smooth.
    Cut,
    /// Along the cells: stairs.
    Stairs,
}

/// Which cells may leave the wall; of cut walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaving {
    /// None: liquid sticks.
    Sticking,
    /// Cells with at least one corner in solid.
    Separating,
    /// Cells whose centre is in solid.
    Centre,
    /// Cells whose centre is nearer to solid than a cell, or in it.
    Near,
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident: $($word:ident = $about_word:literal),*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $(#[doc = $about_word] $word),*
        }
    };
}

words!(
    /// As [`Inner`], in files.
    Preconditioning: Plain = "None.", Jacobi = "The diagonal.", Modified = "MIC(0).", Multigrid = "One V(2,2)."
);
words!(
    /// As [`StopOn`], in files.
    Stop: TrialDivergence = "The divergence after a trial update.", Residual = "The recurrence's residual."
);
words!(
    /// As [`Classify`], in files.
    Classifying: Velocity = "By the velocity away from the wall.", Pressure = "By the pressure beside it."
);
words!(
    /// As [`Marking`], in files.
    Marks: Cells = "The solid cell.", Faces = "The face only."
);
words!(
    /// As [`Warm`], in files.
    FirstGuess: Cold = "Zero.", Inner = "The pressure before."
);

/// Choices; what isn't set is the file's, or the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LiquidSettings {
    /// A solver of complementarity problems or a splitting method, by its name in `stokeslet liquid scenes`. Default `fas-mg`; with
    /// walls along the cells `iop-sep-bc`.
    pub solver: Option<String>,
    /// How walls lie in the grid. Default: cut; splitting methods need stairs.
    pub walls: Option<Walls>,
    /// Which cells may leave cut walls. Default: separating. At stairs the method says so.
    pub leaving: Option<Leaving>,
    /// What a solve's residual has to fall below at cut walls, 1/s. Default 1e-6.
    pub tolerance: Option<f64>,
    /// Cells a side instead of the scene's.
    pub cells: Option<usize>,
    /// Gravity instead of the scene's, m/s².
    pub gravity: Option<f64>,
    /// Particles a cell instead of the scene's; at stairs a cell and direction.
    pub particles: Option<usize>,
    /// Whether volume is kept, instead of as the scene says; cut walls only.
    pub keep_volume: Option<bool>,
    /// At stairs: the longest step, s. Default half a frame; no step moves anything by more than a cell.
    pub step: Option<f64>,
    /// At stairs: share of FLIP, the rest is PIC. Default 1.
    pub flip: Option<f64>,
    /// Splitting: the largest divergence that an inner solve may leave, a frame (eps_CG). Default 1e-3.
    pub inner_tolerance: Option<f64>,
    /// Splitting: eps_Aabs of ADMM's velocity residual, cells a frame. Default 1e-3.
    pub velocity_absolute: Option<f64>,
    /// Splitting: eps_Arel of it, times the largest velocity. Default 1e-3.
    pub velocity_relative: Option<f64>,
    /// Splitting: the largest divergence that a loop may leave, a frame (eps_Adiv, eps_Idiv). Default 1e-2.
    pub divergence: Option<f64>,
    /// Splitting: preconditioner of inner solves.
    pub inner: Option<Preconditioning>,
    /// Splitting: what inner solves are stopped by.
    pub stop_on: Option<Stop>,
    /// Splitting: what tells that liquid leaves a wall.
    pub classify: Option<Classifying>,
    /// Splitting: what is opened there.
    pub marking: Option<Marks>,
    /// Splitting: first guesses of inner solves.
    pub warm: Option<FirstGuess>,
    /// Splitting: outer iterations before it gives up. Default 2000.
    pub outer_limit: Option<usize>,
    /// Splitting: iterations of an inner solve before it gives up. Default 20000.
    pub inner_limit: Option<usize>,
}

/// Who solves, and where walls lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Means {
    /// A solver of complementarity problems at cut walls, by its name.
    Cut(&'static str, Separation),
    /// A splitting method, or complementarity, at stairs.
    Stairs(Method),
}

impl LiquidSettings {
    /// These over others.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        macro_rules! either {
            ($($field:ident),*) => {
                Self { $($field: self.$field.as_ref().or(other.$field.as_ref()).cloned()),* }
            };
        }
        either!(
            solver,
            walls,
            leaving,
            tolerance,
            cells,
            gravity,
            particles,
            keep_volume,
            step,
            flip,
            inner_tolerance,
            velocity_absolute,
            velocity_relative,
            divergence,
            inner,
            stop_on,
            classify,
            marking,
            warm,
            outer_limit,
            inner_limit
        )
    }

    /// Hands every value that could be wrong to `checks`; keys begin with `prefix`.
    pub fn check(&self, c: &mut Checks, prefix: &str) {
        let key = |name: &str| format!("{prefix}{name}");
        if let Some(name) = &self.solver {
            let range = "a solver or method of `stokeslet liquid scenes`";
            let is_one = entry(name).is_some() || method(name).is_some();
            c.that(is_one, key("solver"), format!("{name:?}"), range);
        }
        if self.means().is_none() {
            let range = "one that minds walls along the cells: a method, or a solver of complementarity problems";
            let name = self.solver.as_deref().unwrap_or_default();
            c.that(false, key("solver"), format!("{name:?}"), range);
        }
        let numbers = [
            ("gravity", self.gravity, -1e6, 1e6),
            ("flip", self.flip, 0.0, 1.0),
        ];
        for (name, value, least, most) in numbers {
            if let Some(value) = value {
                c.within(key(name), value, least..=most);
            }
        }
        let tolerances = [
            ("step", self.step),
            ("tolerance", self.tolerance),
            ("inner_tolerance", self.inner_tolerance),
            ("velocity_absolute", self.velocity_absolute),
            ("velocity_relative", self.velocity_relative),
            ("divergence", self.divergence),
        ];
        for (name, value) in tolerances {
            if let Some(value) = value {
                c.positive(key(name), value);
            }
        }
        let counts = [
            ("cells", self.cells, 8, 4096),
            ("particles", self.particles, 1, 64),
            ("outer_limit", self.outer_limit, 1, 1_000_000),
            ("inner_limit", self.inner_limit, 1, 10_000_000),
        ];
        for (name, value, least, most) in counts {
            if let Some(value) = value {
                c.within(key(name), value as f64, f64::from(least)..=f64::from(most));
            }
        }
    }

    /// Checks every value.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn validate(&self) -> Result<(), WrongValue> {
        first_wrong(|c| self.check(c, "")).map_or(Ok(()), Err)
    }

    /// Who solves; none where a name can't.
    pub fn means(&self) -> Option<Means> {
        let name = self.solver.as_deref();
        let is_method = name.is_some_and(|name| method(name).is_some());
        let walls = match self.walls {
            _ if is_method => Walls::Stairs,
            Some(walls) => walls,
            None => Walls::Cut,
        };
        match walls {
            Walls::Stairs => Some(Means::Stairs(Method::named(name.unwrap_or("iop-sep-bc"))?)),
            Walls::Cut => {
                let solver = entry(name.unwrap_or("fas-mg"))?;
                let separation = match self.leaving.unwrap_or(Leaving::Separating) {
                    Leaving::Sticking => Separation::Sticking,
                    Leaving::Separating => Separation::Cut,
                    Leaving::Centre => Separation::Centre,
                    Leaving::Near => Separation::Near,
                };
                Some(Means::Cut(solver.name, separation))
            }
        }
    }

    /// How a splitting method solves.
    pub fn splitting<const D: usize>(&self) -> Settings {
        let usual = Settings::practical::<D>();
        Settings {
            inner_tolerance: self.inner_tolerance.unwrap_or(usual.inner_tolerance),
            velocity_absolute: self.velocity_absolute.unwrap_or(usual.velocity_absolute),
            velocity_relative: self.velocity_relative.unwrap_or(usual.velocity_relative),
            divergence: self.divergence.unwrap_or(usual.divergence),
            inner: self.inner.map_or(usual.inner, |inner| match inner {
                Preconditioning::Plain => Inner::Plain,
                Preconditioning::Jacobi => Inner::Jacobi,
                Preconditioning::Modified => Inner::Modified,
                Preconditioning::Multigrid => Inner::Multigrid,
            }),
            stop_on: self.stop_on.map_or(usual.stop_on, |stop| match stop {
                Stop::TrialDivergence => StopOn::TrialDivergence,
                Stop::Residual => StopOn::Residual,
            }),
            classify: self.classify.map_or(usual.classify, |by| match by {
                Classifying::Velocity => Classify::Velocity,
                Classifying::Pressure => Classify::Pressure,
            }),
            marking: self.marking.map_or(usual.marking, |what| match what {
                Marks::Cells => Marking::Cells,
                Marks::Faces => Marking::Faces,
            }),
            warm: self.warm.map_or(usual.warm, |guess| match guess {
                FirstGuess::Cold => Warm::Cold,
                FirstGuess::Inner => Warm::Inner,
            }),
            outer_limit: self.outer_limit.unwrap_or(usual.outer_limit),
            inner_limit: self.inner_limit.unwrap_or(usual.inner_limit),
            ..usual
        }
    }

    /// A short name: who solves, and what differs at walls.
    pub fn name(&self) -> String {
        let usual = match self.walls {
            Some(Walls::Stairs) => "iop-sep-bc",
            _ => "fas-mg",
        };
        let mut name = self.solver.as_deref().unwrap_or(usual).to_owned();
        let is_method = method(&name).is_some();
        if self.walls == Some(Walls::Stairs) && !is_method {
            name += "-stairs";
        }
        match self.leaving {
            Some(Leaving::Sticking) if !is_method => name += "-sticking",
            Some(Leaving::Centre) if !is_method => name += "-centre",
            Some(Leaving::Near) if !is_method => name += "-near",
            _ => {}
        }
        name
    }
}
