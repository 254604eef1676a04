//! Scenes of another system under way: one view or two, step by step. A step of theirs can't be given up, so that views never part.

use std::sync::Arc;

use super::NotDone;
use crate::liquids::means::Means;
use crate::liquids::runner::{News, View};
use crate::liquids::shot::{Apart, Shot, SystemShot};
use crate::liquids::systems::as_set;
use crate::liquids::told::{Account, Failure, Row, Told};
use stokeslet_dynamics::lcp::Watch;
use stokeslet_dynamics::stepped::{Fault, Hand, Run, StepRow, System};

/// The views of a scene.
pub struct SystemTracks {
    system: &'static dyn System,
    views: Vec<SystemView>,
    /// By list of points, the least number that was given after the views parted.
    born: Vec<u32>,
    /// Why there is no next step: a state that a step failed in isn't gone on from.
    broken: Option<Box<Failure>>,
}

/// One of them.
struct SystemView {
    run: Box<dyn Run>,
    means: Means,
    shot: Arc<Shot>,
}

impl SystemView {
    fn new(system: &'static dyn System, run: Box<dyn Run>, means: Means) -> Self {
        let shot = shot(system, &*run);
        Self { run, means, shot }
    }
}

fn shot(system: &'static dyn System, run: &dyn Run) -> Arc<Shot> {
    Arc::new(Shot::System(Box::new(SystemShot::new(system, run.seen()))))
}

/// The whole chain on one line.
fn sentence(fault: &Fault) -> String {
    let mut text = fault.to_string();
    let mut cause = fault.source();
    while let Some(c) = cause {
        text = format!("{text}: {c}");
        cause = c.source();
    }
    text
}

fn failed(view: usize, message: String) -> Failure {
    Failure {
        view,
        message,
        solved: None,
    }
}

fn changes(means: &Means) -> Vec<String> {
    match means {
        Means::Settings { changes, .. } => as_set(changes),
        Means::Solver(_) | Means::Method(_) => Vec::new(),
    }
}

impl SystemTracks {
    /// A scene at its start; all views are.
    pub fn start(
        system: &'static dyn System,
        text: &str,
        scale: &str,
        choices: &[Means],
    ) -> Result<Self, NotDone> {
        let scale = Some(scale).filter(|scale| !scale.is_empty());
        let mut views = Vec::new();
        for (k, means) in choices.iter().enumerate() {
            let run = system.start(text, scale, &changes(means));
            let run = run.map_err(|fault| {
                let message = format!("The scene can't start: {}", sentence(&fault));
                NotDone::Failed(Box::new(failed(k, message)))
            })?;
            views.push(SystemView::new(system, run, means.clone()));
        }
        let mut tracks = Self {
            system,
            views,
            born: Vec::new(),
            broken: None,
        };
        tracks.part();
        Ok(tracks)
    }

    /// Views are one now: what is known of the first is known of both.
    fn part(&mut self) {
        let first = self.views.first().and_then(|view| view.shot.system());
        self.born = first.map(SystemShot::born).unwrap_or_default();
    }

    /// Where the views are.
    pub fn seen(&self) -> Vec<View> {
        let view = |view: &SystemView| View {
            shot: view.shot.clone(),
            choice: view.means.clone(),
        };
        self.views.iter().map(view).collect()
    }

    /// Other settings from the next step on; views that are new go on from where the first is.
    pub fn choose(&mut self, choices: &[Means]) -> Result<(), NotDone> {
        self.views.truncate(choices.len());
        let told = |view: usize, fault: Fault| {
            let message = format!("The settings can't be changed now: {}", sentence(&fault));
            NotDone::Failed(Box::new(failed(view, message)))
        };
        for (k, means) in choices.iter().enumerate() {
            if k == self.views.len()
                && let Some(first) = self.views.first()
            {
                let run = first.run.fork().map_err(|fault| told(k, fault))?;
                let view = SystemView::new(self.system, run, first.means.clone());
                self.views.push(view);
                self.part();
            }
            if let Some(view) = self.views.get_mut(k)
                && view.means != *means
            {
                let adopted = view.run.adopt(&changes(means));
                adopted.map_err(|fault| told(k, fault))?;
                view.means = means.clone();
            }
        }
        Ok(())
    }

    /// The next step of all views. `busy` is told which is at it.
    pub fn frame(
        &mut self,
        hold: Option<(usize, Hand)>,
        busy: &dyn Fn(usize),
    ) -> Result<News, NotDone> {
        if let Some(failure) = &self.broken {
            return Err(NotDone::Failed(failure.clone()));
        }
        let mut told = Vec::new();
        for (k, view) in self.views.iter_mut().enumerate() {
            busy(k);
            let hand = hold.and_then(|(held, hand)| (held == k).then_some(hand));
            view.run.hold(hand);
            if let Err(fault) = view.run.advance(Watch::SILENT) {
                let step = view.run.done() + 1;
                let message = format!("Step {step} is not done: {}", sentence(&fault));
                let failure = Box::new(failed(k, message));
                self.broken = Some(failure.clone());
                return Err(NotDone::Failed(failure));
            }
            view.shot = shot(self.system, &*view.run);
            told.push(Told {
                row: row(view),
                solved: None,
            });
        }
        let apart = match &self.views[..] {
            [a, b] => match (&*a.shot, &*b.shot) {
                (Shot::System(a), Shot::System(b)) => Apart::of_systems(a, b, &self.born),
                _ => None,
            },
            _ => None,
        };
        Ok(News::Frame(self.seen(), told, apart))
    }
}

fn row(view: &SystemView) -> Row {
    let shot = view.shot.system();
    Row {
        time: view.shot.time(),
        fastest: view.shot.fastest(),
        pressures: shot.map_or([0.0; 2], |shot| shot.pressures),
        account: Account::System(view.run.last().unwrap_or(StepRow {
            csv: String::new(),
            values: Vec::new(),
            doubt: None,
        })),
    }
}
