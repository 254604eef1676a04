//! When species are followed, and what becomes of the answers.

use std::sync::{Arc, Weak};

use super::App;
use crate::command::{Command, Layer, Panel};
use crate::context::Workspace;
use crate::results::Quantity;
use crate::species::follower::{Order, Told};
use crate::species::section::Section;
use crate::species::{Dissolved, kind_of};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::DissolvedSpecies;
use stokeslet_species::Species;

/// Paces that tracers may have, over the usual.
pub const PACES: std::ops::RangeInclusive<f64> = 0.05..=20.0;

impl App {
    /// Does a command that is about what flows; `false` if it is none.
    pub(super) fn apply_to_tracers(&mut self, command: &Command) -> bool {
        match command {
            Command::TogglePlay => {
                let layers = &mut self.state.settings.layers;
                let is_seen = !layers.insert(Layer::Tracers);
                self.state.shown.plays = !(is_seen && self.state.shown.plays);
            }
            Command::SetPace(pace) => {
                self.state.shown.pace = pace.clamp(*PACES.start(), *PACES.end());
            }
            _ => return false,
        }
        true
    }

    /// Takes what the follower has to tell.
    pub(super) fn drain_species(&mut self) {
        let is_held = self.ctx.input(|i| i.pointer.any_down());
        match self.following.take(is_held) {
            Some(Told::Followed(dissolved)) => {
                self.state.results.not_dissolved = None;
                self.state.results.dissolved = Some(dissolved);
            }
            Some(Told::Failed(why)) => {
                self.state.results.not_dissolved = Some(why);
                self.state.results.dissolved = None;
            }
            None => {}
        }
        if self.following.owes_whole() && !is_held {
            self.ctx.request_repaint();
        }
    }

    /// Has species followed on the newest flow, where the design has any or tracers are shown.
    pub(super) fn schedule_species(&mut self) {
        let Some(design) = self.state.document.shown_design().cloned() else {
            return;
        };
        let all = &design.species.species;
        if let Some(Quantity::Species(_) | Quantity::Age) = self.state.shown.colour {
            let is_there = match self.state.shown.colour {
                Some(Quantity::Species(k)) => usize::from(k) < all.len(),
                _ => !all.is_empty(),
            };
            if !is_there {
                // It was taken back, or another design was opened.
                (self.state.shown.colour, self.state.shown.range) = (Some(Quantity::SPEED), None);
            }
        }
        let tracers = self.state.settings.layers.contains(&Layer::Tracers);
        let is_wanted = !all.is_empty() || tracers;
        let Some(solved) = self.state.results.solved.clone().filter(|_| is_wanted) else {
            self.following.forget();
            self.state.results.dissolved = None;
            self.state.results.not_dissolved = None;
            self.state.results.section = None;
            return;
        };
        let of = |s: &DissolvedSpecies| Species::of_design(s, &solved.chip);
        let order = Order {
            species: all.iter().map(of).collect(),
            kinds: all.iter().map(kind_of).collect(),
            solved: solved.clone(),
            tracers,
            ages: self.state.shown.colour == Some(Quantity::Age),
            cancel: CancelToken::new(),
        };
        self.following.want(order);
    }

    /// The section under the pointer, for the next frame.
    pub(super) fn take_section(&mut self) {
        let state = &self.state;
        let is_seen = state.workspace == Workspace::Chip
            && (state.shown.colour.is_some_and(Quantity::is_dissolved)
                || state.settings.panels.contains(&Panel::Species));
        let dissolved = state.results.dissolved.as_ref();
        let Some(dissolved) = dissolved.filter(|d| is_seen && !d.results.is_empty()) else {
            return;
        };
        let place = self
            .canvas
            .pointer
            .or(state.results.section.as_ref().map(|s| s.at));
        let Some(at) = place else {
            return;
        };
        let now = Arc::downgrade(dissolved);
        let is_taken = |(place, of): &(Point, Weak<Dissolved>)| *place == at && of.ptr_eq(&now);
        if self.sectioned.as_ref().is_some_and(is_taken) {
            return;
        }
        let section = Section::through(dissolved, at);
        self.sectioned = Some((at, now));
        if let Some(section) = section {
            self.state.results.section = Some(Arc::new(section));
            self.ctx.request_repaint();
        }
    }

    pub(super) fn count_species(&self) -> usize {
        let design = self.state.document.design.as_ref();
        design.map_or(0, |d| d.species.species.len())
    }

    /// Opens the panel and colours by a species, counted from 0.
    pub(super) fn show_species(&mut self, k: usize) {
        self.open_panel(Panel::Species);
        if let Ok(k) = u8::try_from(k) {
            self.state.shown.range = None;
            self.state.shown.colour = Some(Quantity::Species(k));
        }
    }
}
