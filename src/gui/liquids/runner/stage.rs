//! The views of a run, in step: begun, chosen anew, made frame by frame.

use std::sync::Arc;

use stokeslet_base::cancel::CancelToken;
use stokeslet_dynamics::lcp::{SolveLog, Watch};
use web_time::Instant;

use super::{News, Setup, Shared, View};
use crate::liquids::means::Means;
use crate::liquids::shot::{Apart, Shot, Snapshot};
use crate::liquids::subjects::{AnySubject, Group, Subject, scene_file, subject};
use crate::liquids::told::Failure;
use crate::liquids::track::system::SystemTracks;
use crate::liquids::track::{NotDone, Track, start, track};

/// The views of a run, in step.
pub(super) struct Tracks<const D: usize> {
    views: Vec<Box<dyn Track<D>>>,
}

/// Views of either dimension, or of another system, and what they are of.
pub(super) enum Stage {
    Plane(Tracks<2>),
    Space(Tracks<3>),
    System(SystemTracks),
}

/// What all views show.
pub(super) fn views(stage: &Option<Stage>) -> Vec<View> {
    match stage {
        Some(Stage::Plane(tracks)) => tracks.seen(Shot::Plane),
        Some(Stage::Space(tracks)) => tracks.seen(Shot::Space),
        Some(Stage::System(tracks)) => tracks.seen(),
        None => Vec::new(),
    }
}

/// A failure of all views, with a sentence for people.
pub(super) fn failed(message: String) -> NotDone {
    NotDone::Failed(Box::new(Failure {
        view: 0,
        message,
        solved: None,
    }))
}

impl Stage {
    /// The views of a scene or another system as they begin.
    pub fn new(setup: &Setup, choices: &[Means]) -> Result<Self, NotDone> {
        let file = match &setup.own {
            Some(own) => own.entry.group.system().map(|system| (system, &*own.text)),
            None => scene_file(&setup.scene),
        };
        if let Some((system, text)) = file {
            let tracks = SystemTracks::start(system, text, &setup.scale, choices)?;
            return Ok(Stage::System(tracks));
        }
        match AnySubject::of(&setup.scene) {
            Some(AnySubject::Plane(of)) => Ok(Stage::Plane(Tracks::new(of, setup, choices)?)),
            Some(AnySubject::Space(of)) => Ok(Stage::Space(Tracks::new(of, setup, choices)?)),
            None => Err(failed(format!("There is no scene `{}`", setup.scene))),
        }
    }

    /// Other choices for the views.
    pub fn choose(&mut self, choices: &[Means]) -> Result<(), NotDone> {
        match self {
            Stage::Plane(tracks) => tracks.choose(choices),
            Stage::Space(tracks) => tracks.choose(choices),
            Stage::System(tracks) => tracks.choose(choices),
        }
    }

    /// Solvers anew.
    pub fn renew(&mut self) {
        match self {
            Stage::Plane(tracks) => tracks.views.iter_mut().for_each(|track| track.renew()),
            Stage::Space(tracks) => tracks.views.iter_mut().for_each(|track| track.renew()),
            // What failed says so until it is started anew.
            Stage::System(_) => {}
        }
    }

    /// The next frame of all views, or of none.
    pub fn frame(&mut self, shared: &Shared, token: &CancelToken) -> Result<News, NotDone> {
        match self {
            Stage::Plane(tracks) => tracks.frame(shared, token, Shot::Plane),
            Stage::Space(tracks) => tracks.frame(shared, token, Shot::Space),
            Stage::System(tracks) => {
                let (begin, hold) = (Instant::now(), shared.lock().hold);
                tracks.frame(hold, &|view| shared.lock().busy = Some((view, 0, begin)))
            }
        }
    }
}

impl<const D: usize> Tracks<D> {
    fn new(of: Subject<D>, setup: &Setup, choices: &[Means]) -> Result<Self, NotDone> {
        let group = subject(&setup.scene).map_or(Group::Scenes, |entry| entry.group);
        if !of.fits(setup.size) {
            return Err(failed(format!(
                "{} cells a side don't hold the {} {}",
                setup.size,
                group.noun(),
                setup.scene
            )));
        }
        let first = choices.first().ok_or(NotDone::Cancelled)?;
        let of = if setup.keep_volume {
            of.keeping_volume()
        } else {
            of
        };
        let start = start(of, setup.size, first);
        let mut tracks = Self { views: Vec::new() };
        for choice in choices {
            tracks.add(start.clone(), choice)?;
        }
        Ok(tracks)
    }

    fn add(&mut self, from: Snapshot<D>, choice: &Means) -> Result<(), NotDone> {
        let noun = from.run.group().solved_by();
        let track = track(from, choice)
            .ok_or_else(|| failed(format!("There is no {noun} `{}`", choice.name())))?;
        self.views.push(track);
        Ok(())
    }

    /// Views that are new go on from where the first is.
    fn choose(&mut self, choices: &[Means]) -> Result<(), NotDone> {
        self.views.truncate(choices.len());
        for (view, choice) in self.views.iter_mut().zip(choices) {
            view.choose(choice);
        }
        for choice in &choices[self.views.len()..] {
            let from = self.views.first().map(|first| first.now().clone());
            if let Some(from) = from {
                self.add(from, choice)?;
            }
        }
        Ok(())
    }

    fn seen(&self, shot: impl Fn(Snapshot<D>) -> Shot) -> Vec<View> {
        let views = self.views.iter().map(|track| View {
            shot: Arc::new(shot(track.now().clone())),
            choice: track.means(),
        });
        views.collect()
    }

    /// The next frame of all views, or of none.
    fn frame(
        &mut self,
        shared: &Shared,
        token: &CancelToken,
        shot: impl Fn(Snapshot<D>) -> Shot,
    ) -> Result<News, NotDone> {
        let made = self.make(shared, token);
        let made = match token.is_cancelled() {
            true => Err(NotDone::Cancelled),
            false => made,
        };
        if let Err(problem) = made {
            self.views.iter_mut().for_each(|track| track.give_up());
            return Err(problem);
        }
        let told = self.views.iter_mut().filter_map(|track| track.take());
        let told = told.collect();
        let apart = match &self.views[..] {
            [a, b] => Apart::of(a.now(), b.now()),
            _ => None,
        };
        Ok(News::Frame(self.seen(shot), told, apart))
    }

    /// Makes a frame of every view, until one can't be made.
    fn make(&mut self, shared: &Shared, token: &CancelToken) -> Result<(), NotDone> {
        let begin = Instant::now();
        let clock = || begin.elapsed().as_secs_f64();
        let cancelled = || token.is_cancelled();
        let watch = Watch {
            cancelled: &cancelled,
            seconds: &clock,
        };
        for (k, track) in self.views.iter_mut().enumerate() {
            let mut solves = 0;
            shared.lock().busy = Some((k, 0, begin));
            let mut solved = |_: &SolveLog| {
                solves += 1;
                shared.lock().busy = Some((k, solves, begin));
            };
            track.frame(k, watch, &mut solved)?;
        }
        Ok(())
    }
}
