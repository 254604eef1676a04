//! Goals and bounds become values of a design's variables: Levenberg and Marquardt's method, within bounds.
//!
//! ```text
//! r_k = (left - right) / mean size + shift    of "left = right"; of "left <= right" only where that is positive
//! r_k = weight * value / value before         of "minimise value"; "maximise" with the inverse
//! step: min | J s + r |^2 + lambda | s |^2,   s in logarithms of variables with positive bounds, else in widths of their range
//! ```
//! Beside something that is minimised the equations would be missed a little. So rounds of steps follow each other, each with shifts that grow
//! by what the last one missed: the method of multipliers (Hestenes; Powell), for inequalities as Rockafellar has it.

use faer::Mat;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::parallel;
use stokeslet_base::units::Powers;
use stokeslet_cad::design::{Design, Setting};
use stokeslet_flow::session::SolveError;
use stokeslet_fronts::algebra::least_squares;
use thiserror::Error;

use crate::codes::MISFIT;
use crate::output::{Catalogue, Output};
use crate::prepared::nominal;
use crate::sample::{SampleError, Sampled, Sampler};
use crate::study::Sample;

/// What is left of an equation, relative, when a fit has met it.
pub const TOLERANCE: f64 = 1e-4;
/// Weight of what is minimised beside equations. On five model problems .03 takes 14 to 50 steps. With .01 the two whose variables share what an
/// inequality allows ran out of steps, with .1 and more one whose equation bends (its residual is large then, which Gauss and Newton's steps leave out).
const WEIGHT: f64 = 0.03;
/// Rounds at most.
const MAX_ROUNDS: usize = 20;
/// Rounds after which what can't be met is given up, if they move nothing.
const STUCK: usize = 3;
/// Step of differences, in logarithms or parts of a range.
const STEP: f64 = 1e-5;
/// Step of differences between different meshes.
const LONG_STEP: f64 = 1e-2;
/// A round that moves all variables by less has settled, in logarithms or parts of a range.
const SETTLED: f64 = 1e-4;
/// Steps of a fit at most.
const MAX_STEPS: usize = 100;

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

    /// By how much an equation is missed, relative; nothing for what is minimised.
    fn miss(&self, sampled: &Sampled) -> Option<f64> {
        let relative = |left: f64, right: f64| {
            let size = (left.abs() + right.abs()) / 2.0;
            if size == 0.0 {
                0.0
            } else {
                (left - right) / size
            }
        };
        match self {
            Self::Equal(left, right) | Self::AtMost(left, right) => {
                Some(relative(left.of(sampled).ok()?, right.of(sampled).ok()?))
            }
            Self::Minimise(_) | Self::Maximise(_) => None,
        }
    }

    /// What is wanted to be zero, in a round.
    fn residual(&self, sampled: &Sampled, round: Round) -> Option<f64> {
        Some(match self {
            Self::Equal(..) => self.miss(sampled)? + round.shift,
            Self::AtMost(..) => (self.miss(sampled)? + round.shift).max(0.0),
            Self::Minimise(value) => WEIGHT * value.of(sampled).ok()? / round.before,
            Self::Maximise(value) => WEIGHT * round.before / value.of(sampled).ok()?,
        })
    }

    /// What is minimised or maximised; 1 of equations, nothing where it is zero.
    fn value(&self, sampled: &Sampled) -> Option<f64> {
        match self {
            Self::Equal(..) | Self::AtMost(..) => Some(1.0),
            Self::Minimise(value) | Self::Maximise(value) => {
                value.of(sampled).ok().filter(|v| *v != 0.0)
            }
        }
    }

    /// Why it has no value in a solution.
    fn fault(&self, sampled: &Sampled) -> String {
        let outputs = match self {
            Self::Equal(left, right) | Self::AtMost(left, right) => vec![left, right],
            Self::Minimise(output) | Self::Maximise(output) => vec![output],
        };
        let faults = outputs.into_iter().map(|output| output.of(sampled).err());
        let fault = faults.flatten().next();
        let zero = || "it is zero, and only what isn't can be made smaller or larger by a factor";
        fault.unwrap_or_else(|| zero().to_owned())
    }

    /// The shift of an equation after a round that ended there.
    fn shifted(&self, sampled: &Sampled, shift: f64) -> Option<f64> {
        Some(match self {
            Self::Equal(..) => shift + self.miss(sampled)?,
            Self::AtMost(..) => (shift + self.miss(sampled)?).max(0.0),
            Self::Minimise(_) | Self::Maximise(_) => 0.0,
        })
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

/// What a round of steps asks of a goal.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Added to what an equation is missed by.
    shift: f64,
    /// What is minimised, or maximised, at the round's start.
    before: f64,
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
    /// Whether it ended by itself: else steps ran out, and what is minimised may be smaller still.
    pub is_settled: bool,
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
    /// A goal has no value: which one, counted from 1, and why.
    #[error("goal {0}: {1}")]
    NoValue(usize, String),
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

    fn residuals(&self, sampled: &Sampled, rounds: &[Round]) -> Result<Vec<f64>, FitError> {
        let goals = self.goals.iter().zip(rounds).enumerate();
        goals
            .map(|(k, (goal, round))| {
                let value = goal.residual(sampled, *round).filter(|v| v.is_finite());
                sampled.check().map_err(SampleError::from)?;
                value.ok_or_else(|| self.no_value(k, sampled))
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
    /// More, The Levenberg-Marquardt algorithm, 1978; bounds by leaving out variables that press against theirs. Rockafellar, The multiplier
    /// method of Hestenes and Powell applied to convex programming, 1973.
    pub fn run(&self, heard: &mut dyn FnMut(usize, f64)) -> Result<Fitted, FitError> {
        if self.varied.is_empty() {
            return Err(FitError::Nothing);
        }
        let x: Vec<f64> = self
            .varied
            .iter()
            .map(|v| v.to_free(v.start.clamp(v.bounds.0, v.bounds.1)))
            .collect();
        let mut at = Reached {
            sampled: self.solve(&x)?,
            x,
            steps: 0,
            solves: 1,
        };
        let mut rounds: Vec<Round> = Vec::new();
        for (k, goal) in self.goals.iter().enumerate() {
            let before = goal.value(&at.sampled);
            rounds.push(Round {
                shift: 0.0,
                before: before.ok_or_else(|| self.no_value(k, &at.sampled))?,
            });
        }
        let equations = self.goals.iter().all(Goal::is_equation);
        let (mut is_settled, mut stuck) = (false, 0);
        for _ in 0..MAX_ROUNDS {
            let before = at.x.clone();
            self.round(&mut at, &rounds, heard)?;
            if at.steps >= MAX_STEPS {
                is_settled = equations && self.is_met(&at.sampled);
                break;
            }
            let moved = before.iter().zip(&at.x).map(|(a, b)| (a - b).abs());
            let moved = moved.fold(0.0, f64::max);
            if moved < SETTLED {
                stuck += 1;
            } else {
                stuck = 0;
            }
            is_settled = equations || stuck > 0 && self.is_met(&at.sampled) || stuck == STUCK;
            if is_settled {
                break;
            }
            self.next(&at.sampled, &mut rounds)?;
        }
        let misses = self.misses(&at.sampled);
        Ok(Fitted {
            values: at
                .x
                .iter()
                .zip(self.varied)
                .map(|(x, v)| v.value_of(*x))
                .collect(),
            is_met: self.is_met(&at.sampled),
            is_settled,
            misses,
            steps: at.steps,
            solves: at.solves,
            sampled: at.sampled,
        })
    }

    /// That goal `k` has no value.
    fn no_value(&self, k: usize, sampled: &Sampled) -> FitError {
        FitError::NoValue(k + 1, self.goals[k].fault(sampled))
    }

    /// The next round. One thing that is minimised weighs as much in it as in the first, whatever it has become; shifts with it.
    fn next(&self, sampled: &Sampled, rounds: &mut [Round]) -> Result<(), FitError> {
        let mut others = (0..self.goals.len()).filter(|&k| !self.goals[k].is_equation());
        let mut factor = 1.0;
        if let (Some(k), None) = (others.next(), others.next()) {
            let value = self.goals[k].value(sampled);
            let value = value.ok_or_else(|| self.no_value(k, sampled))?;
            let grown = value / rounds[k].before;
            factor = match self.goals[k] {
                Goal::Maximise(_) => grown * grown,
                _ => 1.0 / (grown * grown),
            };
            rounds[k].before = value;
        }
        for (k, (goal, round)) in self.goals.iter().zip(rounds).enumerate() {
            let shift = goal.shifted(sampled, round.shift);
            round.shift = factor * shift.ok_or_else(|| self.no_value(k, sampled))?;
        }
        Ok(())
    }

    /// By goal: by how much an equation is missed; inequalities that hold aren't.
    fn misses(&self, sampled: &Sampled) -> Vec<Option<f64>> {
        let miss = |goal: &Goal| {
            let miss = goal.miss(sampled)?;
            Some(match goal {
                Goal::AtMost(..) => miss.max(0.0),
                _ => miss,
            })
        };
        self.goals.iter().map(miss).collect()
    }

    fn is_met(&self, sampled: &Sampled) -> bool {
        let misses = self.misses(sampled);
        misses.iter().flatten().all(|miss| miss.abs() <= TOLERANCE)
    }

    /// Steps until they bring nothing, or there are no more.
    fn round(
        &self,
        at: &mut Reached,
        rounds: &[Round],
        heard: &mut dyn FnMut(usize, f64),
    ) -> Result<(), FitError> {
        let Reached {
            x,
            sampled,
            steps,
            solves,
        } = at;
        let mut r = self.residuals(sampled, rounds)?;
        let mut lambda = 1e-3;
        while *steps < MAX_STEPS {
            *steps += 1;
            let columns = self.columns(x, (&r, sampled.solution.report.unknowns), rounds)?;
            *solves += x.len();
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
                    .zip(&*x)
                    .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                if change < 1e-9 {
                    break;
                }
                *solves += 1;
                // A step to where parts overlap or can't be made is too long.
                let tried = match self.solve(&moved) {
                    Ok(sampled) => Some((self.residuals(&sampled, rounds)?, sampled)),
                    Err(SampleError::Solve(SolveError::Cancelled)) => {
                        return Err(SampleError::Solve(SolveError::Cancelled).into());
                    }
                    Err(_) => None,
                };
                match tried {
                    Some((new, tried)) if size(&new) < size(&r) => {
                        improved = size(&new) < (1.0 - 1e-6) * size(&r);
                        (*x, r, *sampled) = (moved, new, tried);
                        lambda = (lambda * 0.1).max(1e-12);
                        break;
                    }
                    _ => lambda = (lambda * 10.0).max(1e-6),
                }
            }
            let misses = self.misses(sampled);
            let missed = misses.iter().flatten().map(|miss| miss.abs());
            heard(*steps, missed.fold(0.0, f64::max));
            let equations = self.goals.iter().all(Goal::is_equation);
            if !improved || equations && r.iter().all(|r| r.abs() < 1e-3 * TOLERANCE) {
                break;
            }
        }
        Ok(())
    }

    /// By variable: derivatives of the residuals `r` of a mesh with so many unknowns. Where a step leads to another mesh, whose
    /// results jump, the other way is gone, or a step so long that the jump doesn't matter.
    fn columns(
        &self,
        x: &[f64],
        (r, unknowns): (&[f64], usize),
        rounds: &[Round],
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
                let residuals = self.residuals(&sampled, rounds)?;
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

/// Where a fit is.
struct Reached {
    /// Variables, as they are stepped in.
    x: Vec<f64>,
    sampled: Sampled,
    steps: usize,
    solves: usize,
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
    let s = least_squares(a.as_ref(), b.as_ref());
    for (k, &j) in free.iter().enumerate() {
        out[j] = if s[(k, 0)].is_finite() {
            s[(k, 0)]
        } else {
            0.0
        };
    }
    out
}
