//! Goals and bounds become values of a design's variables: Levenberg and Marquardt's method, within bounds.
//!
//! ```text
//! r_k = (left - right) / mean size        of "left = right"; of "left <= right" only where it is violated
//! r_k = small * value / first value       of "minimise value"; "maximise" with the inverse
//! step: min | J s + r |^2 + lambda | s |^2,   s in logarithms of variables with positive bounds, else in widths of their range
//! ```

use faer::Mat;
use faer::linalg::solvers::SolveLstsq;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::parallel;
use stokeslet_base::units::Powers;
use stokeslet_cad::design::{Design, Setting};
use stokeslet_flow::session::SolveError;
use thiserror::Error;

use crate::codes::MISFIT;
use crate::output::{Catalogue, Output};
use crate::prepared::nominal;
use crate::sample::{SampleError, Sampled, Sampler};
use crate::study::Sample;

/// What is left of an equation, relative, when a fit has met it.
pub const TOLERANCE: f64 = 1e-4;
/// Weight of what is minimised beside equations: they are missed by about its square.
const SMALL: f64 = 1e-2;
/// Step of differences, in logarithms or parts of a range.
const STEP: f64 = 1e-5;
/// Step of differences between different meshes.
const LONG_STEP: f64 = 1e-2;
/// Steps of a fit at most.
const MAX_STEPS: usize = 60;

/// What is asked of a design.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Two results are equal.
    Equal(Output, Output),
    /// The first is at most the second.
    AtMost(Output, Output),
    /// A result is small.
    Minimise(Output),
    /// A result is large.
    Maximise(Output),
}

impl Goal {
    /// Reads `a = b`, `a <= b`, `a >= b`, `minimise a`, `maximise a`.
    ///
    /// # Errors
    /// D349 and what else is wrong with its formulas.
    pub fn parse(text: &str, catalogue: &Catalogue) -> Result<Self, Diagnostic> {
        let words = text.trim();
        for (word, make) in [
            ("minimise ", Goal::Minimise as fn(Output) -> Goal),
            ("minimize ", Goal::Minimise),
            ("maximise ", Goal::Maximise),
            ("maximize ", Goal::Maximise),
        ] {
            if let Some(formula) = words.strip_prefix(word) {
                return catalogue.output(words, formula).map(make);
            }
        }
        let pair = |sign: &str| words.split_once(sign);
        let (left, right, is_equal, is_turned) = if let Some((l, r)) = pair("<=") {
            (l, r, false, false)
        } else if let Some((l, r)) = pair(">=") {
            (l, r, false, true)
        } else if let Some((l, r)) = pair("=") {
            (l, r, true, false)
        } else {
            let message = format!("`{words}` is no goal");
            return Err(Diagnostic::error(MISFIT, message).with_help(
                "write \"ports.a.flow_rate = 2 * ports.b.flow_rate\", \"a <= b\", or \"minimise ports.in.pressure\"",
            ));
        };
        let left = catalogue.output(words, left)?;
        let right = catalogue.output(words, right)?;
        if left.powers != right.powers {
            let message = format!("the sides of `{words}` measure different things");
            return Err(Diagnostic::error(MISFIT, message));
        }
        Ok(match (is_equal, is_turned) {
            (true, _) => Self::Equal(left, right),
            (false, false) => Self::AtMost(left, right),
            (false, true) => Self::AtMost(right, left),
        })
    }

    /// What is wanted to be zero.
    fn residual(&self, sampled: &Sampled, first: f64) -> Option<f64> {
        let relative = |left: f64, right: f64| {
            let size = (left.abs() + right.abs()) / 2.0;
            if size == 0.0 {
                0.0
            } else {
                (left - right) / size
            }
        };
        Some(match self {
            Self::Equal(left, right) => relative(left.of(sampled)?, right.of(sampled)?),
            Self::AtMost(left, right) => relative(left.of(sampled)?, right.of(sampled)?).max(0.0),
            Self::Minimise(value) => SMALL * value.of(sampled)? / first,
            Self::Maximise(value) => SMALL * first / value.of(sampled)?,
        })
    }

    fn first(&self, sampled: &Sampled) -> Option<f64> {
        match self {
            Self::Equal(..) | Self::AtMost(..) => Some(1.0),
            Self::Minimise(value) | Self::Maximise(value) => {
                value.of(sampled).filter(|v| *v != 0.0)
            }
        }
    }

    /// Whether it is about more than ports.
    pub fn needs_fields(&self) -> bool {
        match self {
            Self::Equal(left, right) | Self::AtMost(left, right) => {
                Catalogue::needs_fields(left) || Catalogue::needs_fields(right)
            }
            Self::Minimise(value) | Self::Maximise(value) => Catalogue::needs_fields(value),
        }
    }

    fn is_equation(&self) -> bool {
        matches!(self, Self::Equal(..) | Self::AtMost(..))
    }
}

/// A variable that a fit may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Varied {
    /// Its name.
    pub name: String,
    /// Where to start, SI.
    pub start: f64,
    /// Least and greatest value, SI.
    pub bounds: (f64, f64),
    /// Powers of its unit.
    pub powers: Powers,
}

impl Varied {
    /// A variable of a design, between a tenth and ten times its value.
    ///
    /// # Errors
    /// In words, where the design has no such variable, or its value isn't a positive number.
    pub fn about(design: &Design, name: &str) -> Result<Self, String> {
        let Some(Sample::Amount(start, powers)) = nominal(design, name) else {
            return Err(format!("the design has no variable `{name}` with a number"));
        };
        if start <= 0.0 {
            return Err(format!("`{name}` is {start}: it needs bounds of its own"));
        }
        Ok(Self {
            name: name.to_owned(),
            start,
            bounds: (start / 10.0, start * 10.0),
            powers,
        })
    }

    fn is_log(&self) -> bool {
        self.bounds.0 > 0.0
    }

    fn to_free(&self, value: f64) -> f64 {
        match self.is_log() {
            true => value.ln(),
            false => (value - self.bounds.0) / (self.bounds.1 - self.bounds.0),
        }
    }

    fn value_of(&self, free: f64) -> f64 {
        let value = match self.is_log() {
            true => free.exp(),
            false => self.bounds.0 + free * (self.bounds.1 - self.bounds.0),
        };
        value.clamp(self.bounds.0, self.bounds.1)
    }

    fn limits(&self) -> (f64, f64) {
        (self.to_free(self.bounds.0), self.to_free(self.bounds.1))
    }
}

/// What a fit found.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// By variable, SI.
    pub values: Vec<f64>,
    /// By goal: what is left of equations, relative; nothing for what was minimised.
    pub misses: Vec<Option<f64>>,
    /// Whether all equations are met to [`TOLERANCE`].
    pub is_met: bool,
    /// Steps.
    pub steps: usize,
    /// Solves.
    pub solves: usize,
    /// At the values found.
    pub sampled: Sampled,
}

/// Why a fit can't be made.
#[derive(Debug, Error)]
pub enum FitError {
    /// The design can't be solved where it starts, or a step further.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A goal has no value.
    #[error("goal {0} has no value in the solution (fields are needed, or it is zero)")]
    NoValue(usize),
    /// No variable.
    #[error("there is nothing to vary")]
    Nothing,
}

/// What is fitted and how.
pub struct Fit<'a> {
    /// The design.
    pub sampler: &'a Sampler<'a>,
    /// Variables that stay as they are set.
    pub set: &'a [Setting],
    /// Variables that change.
    pub varied: &'a [Varied],
    /// What is wanted.
    pub goals: &'a [Goal],
    /// Cell edges across a channel, whatever the design says.
    pub resolution: Option<u32>,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

impl Fit<'_> {
    fn solve(&self, free: &[f64]) -> Result<Sampled, SampleError> {
        let mut settings = self.set.to_vec();
        for (varied, &free) in self.varied.iter().zip(free) {
            settings.retain(|s| s.name != varied.name);
            settings.push(Setting {
                name: varied.name.clone(),
                value: Sample::Amount(varied.value_of(free), varied.powers).to_text(),
            });
        }
        self.sampler
            .solve(&settings, (self.resolution, None), self.cancel)
    }

    fn residuals(&self, sampled: &Sampled, first: &[f64]) -> Result<Vec<f64>, FitError> {
        let goals = self.goals.iter().zip(first).enumerate();
        goals
            .map(|(k, (goal, first))| {
                let value = goal.residual(sampled, *first).filter(|v| v.is_finite());
                sampled.check().map_err(SampleError::from)?;
                value.ok_or(FitError::NoValue(k + 1))
            })
            .collect()
    }

    /// Finds values of the variables, from where they start. `heard` is told of each step: its number, and how much is missed.
    ///
    /// # Errors
    /// [`FitError`]. Goals that can't be met are no error: see [`Fitted::is_met`].
    /// # Accuracy and cost
    /// Equations to [`TOLERANCE`] at least, usually far better. A solve a variable and step; parts that stay come from the table.
    /// # Source
    /// More, The Levenberg-Marquardt algorithm, 1978; bounds by leaving out variables that press against theirs.
    pub fn run(&self, heard: &mut dyn FnMut(usize, f64)) -> Result<Fitted, FitError> {
        if self.varied.is_empty() {
            return Err(FitError::Nothing);
        }
        let mut x: Vec<f64> = self
            .varied
            .iter()
            .map(|v| v.to_free(v.start.clamp(v.bounds.0, v.bounds.1)))
            .collect();
        let mut sampled = self.solve(&x)?;
        let first: Vec<f64> = self
            .goals
            .iter()
            .enumerate()
            .map(|(k, goal)| goal.first(&sampled).ok_or(FitError::NoValue(k + 1)))
            .collect::<Result<_, _>>()?;
        let mut r = self.residuals(&sampled, &first)?;
        let (mut lambda, mut steps, mut solves) = (1e-3, 0, 1);
        while steps < MAX_STEPS {
            steps += 1;
            let columns = self.columns(&x, (&r, sampled.solution.report.unknowns), &first)?;
            solves += x.len();
            // Variables that press against their bounds stay there.
            let is_free: Vec<bool> = (0..x.len())
                .map(|j| {
                    let (low, high) = self.varied[j].limits();
                    let slope: f64 = columns[j].iter().zip(&r).map(|(a, b)| a * b).sum();
                    !(x[j] <= low && slope > 0.0 || x[j] >= high && slope < 0.0)
                })
                .collect();
            let mut improved = false;
            for _ in 0..10 {
                let step = step(&columns, &r, &is_free, lambda);
                let moved: Vec<f64> = x
                    .iter()
                    .zip(&step)
                    .zip(self.varied)
                    .map(|((x, s), varied)| {
                        let (low, high) = varied.limits();
                        // At most a factor of e, or a third of the range, at once.
                        let most = if varied.is_log() { 1.0 } else { 0.33 };
                        (x + s.clamp(-most, most)).clamp(low, high)
                    })
                    .collect();
                let change = moved
                    .iter()
                    .zip(&x)
                    .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                if change < 1e-9 {
                    break;
                }
                solves += 1;
                // A step to where parts overlap or can't be made is too long.
                let tried = match self.solve(&moved) {
                    Ok(sampled) => Some((self.residuals(&sampled, &first)?, sampled)),
                    Err(SampleError::Solve(SolveError::Cancelled)) => {
                        return Err(SampleError::Solve(SolveError::Cancelled).into());
                    }
                    Err(_) => None,
                };
                match tried {
                    Some((new, tried)) if size(&new) < size(&r) => {
                        improved = size(&new) < (1.0 - 1e-6) * size(&r);
                        (x, r, sampled) = (moved, new, tried);
                        lambda = (lambda * 0.1).max(1e-12);
                        break;
                    }
                    _ => lambda = (lambda * 10.0).max(1e-6),
                }
            }
            heard(steps, size(&r).sqrt());
            let equations = self.goals.iter().all(Goal::is_equation);
            if !improved || equations && r.iter().all(|r| r.abs() < 1e-3 * TOLERANCE) {
                break;
            }
        }
        let misses: Vec<Option<f64>> = self
            .goals
            .iter()
            .zip(&r)
            .map(|(goal, r)| goal.is_equation().then_some(*r))
            .collect();
        Ok(Fitted {
            values: x
                .iter()
                .zip(self.varied)
                .map(|(x, v)| v.value_of(*x))
                .collect(),
            is_met: misses.iter().flatten().all(|miss| miss.abs() <= TOLERANCE),
            misses,
            steps,
            solves,
            sampled,
        })
    }

    /// By variable: derivatives of the residuals `r` of a mesh with so many unknowns. Where a step leads to another mesh, whose
    /// results jump, the other way is gone, or a step so long that the jump doesn't matter.
    fn columns(
        &self,
        x: &[f64],
        (r, unknowns): (&[f64], usize),
        first: &[f64],
    ) -> Result<Vec<Vec<f64>>, FitError> {
        let column = |j: usize| -> Result<Vec<f64>, FitError> {
            let (low, high) = self.varied[j].limits();
            let mut found = vec![0.0; r.len()];
            for h in [STEP, -STEP, LONG_STEP, -LONG_STEP] {
                let mut moved = x.to_vec();
                moved[j] = (x[j] + h).clamp(low, high);
                let h = moved[j] - x[j];
                if h.abs() < STEP / 2.0 {
                    continue;
                }
                let sampled = self.solve(&moved)?;
                let residuals = self.residuals(&sampled, first)?;
                found = residuals.iter().zip(r).map(|(a, b)| (a - b) / h).collect();
                if sampled.solution.report.unknowns == unknowns || h.abs() > 2.0 * STEP {
                    break;
                }
            }
            Ok(found)
        };
        parallel::map(x.len(), 1, column).into_iter().collect()
    }
}

fn size(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum()
}

/// The step that makes |J s + r|^2 + lambda |s|^2 least, zero in variables that aren't free.
fn step(columns: &[Vec<f64>], r: &[f64], is_free: &[bool], lambda: f64) -> Vec<f64> {
    let free: Vec<usize> = (0..columns.len()).filter(|&j| is_free[j]).collect();
    let mut out = vec![0.0; columns.len()];
    if free.is_empty() {
        return out;
    }
    let (m, n) = (r.len(), free.len());
    let a = Mat::from_fn(m + n, n, |i, j| match i.checked_sub(m) {
        None => columns[free[j]][i],
        Some(k) if k == j => lambda.sqrt(),
        Some(_) => 0.0,
    });
    let b = Mat::from_fn(m + n, 1, |i, _| r.get(i).map_or(0.0, |r| -r));
    let s = a.qr().solve_lstsq(&b);
    for (k, &j) in free.iter().enumerate() {
        out[j] = if s[(k, 0)].is_finite() {
            s[(k, 0)]
        } else {
            0.0
        };
    }
    out
}
