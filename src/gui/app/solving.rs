//! When the chip is solved, at which resolution, what becomes of the answers, and when their errors are estimated.

use std::sync::Arc;

use super::App;
use crate::command::Command;
use crate::panels::Notice;
use crate::results::estimating::Estimator;
use crate::results::worker::is_same;
use crate::results::{Event, Job, Solved, Worker};
use stokeslet_base::table::Table;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_flow::session::{SolveSettings, about_unknowns};

/// Unknowns that are solved and drawn fast enough to follow the pointer: some tenths of a second where nothing is known yet.
const INTERACTIVE_UNKNOWNS: f64 = 1e6;
/// Coarsest resolution of the live mode.
const COARSEST: u32 = 4;

/// The solver and what it was last asked.
#[derive(Debug)]
pub(super) struct Solving {
    worker: Worker,
    estimator: Estimator,
    /// Revision and resolution of the newest request.
    asked: Option<(u64, u32)>,
    /// Revision at which solving was stopped or failed: live mode doesn't try it again.
    given_up: Option<u64>,
    /// Solve this once even if live mode is off: a design was opened.
    once: bool,
}

impl Solving {
    pub fn new(wake: impl Fn() + Clone + Send + Sync + 'static) -> Self {
        let table = Arc::new(Table::default());
        Self {
            worker: Worker::new(table.clone(), wake.clone()),
            estimator: Estimator::new(table, wake),
            asked: None,
            given_up: None,
            once: false,
        }
    }

    /// Whether its cores are free.
    pub fn is_idle(&self) -> bool {
        self.worker.is_idle()
    }

    /// Whether errors are being estimated.
    pub fn is_estimating(&self) -> bool {
        self.estimator.is_busy()
    }

    /// What was asked for another document means nothing any more.
    pub fn forget(&mut self) {
        self.worker.cancel();
        let _ = self.worker.drain();
        self.estimator.forget();
        (self.asked, self.given_up) = (None, None);
        self.once = true;
    }
}

impl App {
    /// Does a command that is about solving; `false` if it is none.
    pub(super) fn apply_to_solver(&mut self, command: &Command) -> bool {
        match command {
            Command::Solve => self.solve_at(self.own_resolution()),
            Command::SolveAt(resolution) => self.solve_at(*resolution),
            Command::Cancel => {
                self.solving.worker.cancel();
                self.solving.given_up = Some(self.state.document.revision);
                self.cancel_export();
            }
            Command::SetLive(live) => {
                self.state.settings.live = *live;
                self.solving.given_up = None;
            }
            _ => return false,
        }
        true
    }

    /// What the design asks for, or the solver's default.
    pub(super) fn own_resolution(&self) -> u32 {
        let design = self.state.document.design.as_ref();
        let wanted = design.and_then(|d| d.resolution);
        wanted.unwrap_or(SolveSettings::default().resolution)
    }

    /// Solves the chip as it is shown; says why it can't where it has problems.
    pub(super) fn solve_at(&mut self, resolution: u32) {
        let Some(chip) = self.state.document.shown_layout().chip.clone() else {
            let text = "The chip can't be solved yet: see Problems.";
            return self.notify(Notice::error(text));
        };
        // Three dimensions need sockets that look alike from both sides.
        let is_odd = resolution % 2 == 1 && chip.model == DepthModel::Full;
        let resolution = resolution + u32::from(is_odd);
        self.ask(chip, resolution);
    }

    /// What is solved and has no estimate of its errors yet, once nothing else is under way: whoever draws comes first.
    pub(super) fn without_estimate(&self) -> Option<Arc<Solved>> {
        let solved = self.state.results.solved.as_ref()?;
        let is_drawing = self.ctx.input(|i| i.pointer.any_down());
        let is_free = self.solving.is_idle() && !self.following.is_busy() && !is_drawing;
        let is_known = self.state.results.estimate_of(solved).is_some();
        let is_wanted = is_free && !is_known && !self.solving.estimator.has_asked(solved);
        is_wanted.then(|| solved.clone())
    }

    /// Has the errors of the newest solution estimated; makes way for a solve.
    pub(super) fn schedule_estimate(&mut self) {
        // A page stands still meanwhile: not while something is dragged.
        if cfg!(target_arch = "wasm32") && self.ctx.input(|i| i.pointer.any_down()) {
            return;
        }
        if !self.solving.is_idle() {
            self.solving.estimator.forget();
        } else if let Some(solved) = self.without_estimate() {
            self.solving.estimator.want(solved);
        }
    }

    fn ask(&mut self, chip: Arc<Chip>, resolution: u32) {
        let revision = self.state.document.revision;
        self.solving.asked = Some((revision, resolution));
        self.solving.once = false;
        self.solving.worker.request(Job {
            chip,
            revision,
            resolution,
        });
    }

    /// Takes the solver's answers.
    pub(super) fn drain_solver(&mut self) {
        for event in self.solving.worker.drain() {
            match event {
                Event::Solved(solved) => {
                    self.state.results.failure = None;
                    self.state.results.solved = Some(solved);
                    self.export_what_waited();
                }
                Event::Failed { revision, message } => {
                    self.solving.given_up = Some(revision);
                    self.state.results.failure = Some(message.clone());
                    self.notify(Notice::error(message));
                    self.cancel_export();
                }
                Event::Cancelled => {}
            }
        }
        if let Some(estimate) = self.solving.estimator.take() {
            self.state.results.estimate = Some(Arc::new(estimate));
        }
        self.state.worker = self.solving.worker.status();
        self.state.worker.exporting = self.export_progress();
        if self.state.worker.running.is_some() || self.state.worker.exporting.is_some() {
            // The bar moves though nobody touches the window.
            let soon = std::time::Duration::from_millis(50);
            self.ctx.request_repaint_after(soon);
        }
    }

    /// What is shown, where it is of an older text that says the same chip, as fine as live mode wants it, and nothing else is under way.
    fn solved_already(&self) -> Option<Solved> {
        let solved = self.state.results.solved.as_ref()?;
        let document = &self.state.document;
        if solved.revision == document.revision || !self.solving.is_idle() {
            return None;
        }
        let chip = document.shown_layout().chip.as_ref()?;
        let settings = &self.state.settings;
        let is_fine =
            !settings.live || solved.resolution >= live_resolution(chip, settings.live_resolution);
        let is_same =
            is_fine && self.state.results.failure.is_none() && is_same(&solved.chip, chip);
        is_same.then(|| solved.again(document.revision))
    }

    /// Starts a solve where live mode wants one.
    pub(super) fn schedule_solve(&mut self) {
        if self.state.document.is_trial() {
            return;
        }
        let revision = self.state.document.revision;
        if let Some(again) = self.solved_already() {
            // A comment, a title, a diffusivity: nothing of the flow.
            self.solving.asked = Some((revision, again.resolution));
            self.solving.once = false;
            self.state.results.solved = Some(Arc::new(again));
            return;
        }
        let is_wanted = (self.state.settings.live || self.solving.once)
            && self
                .solving
                .asked
                .is_none_or(|(asked, _)| asked != revision)
            && self.solving.given_up != Some(revision);
        if !is_wanted {
            return;
        }
        if let Some(chip) = &self.state.document.shown_layout().chip {
            let resolution = live_resolution(chip, self.state.settings.live_resolution);
            let chip = chip.clone();
            self.ask(chip, resolution);
        } else {
            // Results of what was there before are better than none, but they are not of this.
            self.solving.worker.cancel();
            self.solving.asked = Some((revision, 0));
            if self.state.document.shown_layout().parts.is_empty() {
                // There is nothing left that they could be of.
                self.state.results = Default::default();
            }
        }
    }
}

/// The finest even resolution up to `wanted` at which a chip of this size is still solved while it is drawn.
fn live_resolution(chip: &Chip, wanted: u32) -> u32 {
    let mut resolution = wanted.max(COARSEST);
    if chip.model == DepthModel::Full {
        resolution = COARSEST;
    }
    while resolution > COARSEST && about_unknowns(chip, resolution) > INTERACTIVE_UNKNOWNS {
        resolution -= 2;
    }
    resolution + resolution % 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_cad::library::Library;

    fn chip(name: &str) -> Chip {
        let path = format!("{}/../../designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(path).expect("a design");
        let (design, _) = stokeslet_cad::design::parse(&text, name);
        let placed = stokeslet_cad::chip::place(&design.expect("a design"), &Library::embedded());
        placed.0.expect("a chip")
    }

    #[test]
    fn large_chips_are_solved_coarsely_while_they_are_drawn() {
        assert_eq!(live_resolution(&chip("tee"), 8), 8);
        assert_eq!(live_resolution(&chip("tee"), 7), 8, "an even one");
        let large = live_resolution(&chip("grid20"), 8);
        assert!((COARSEST..8).contains(&large), "{large}");
    }
}
