//! Bodies that come in while a scene runs.

use super::Simulation;
use crate::assemble::assemble;
use crate::contact::{Pairs, Start};
use crate::model::Places;

impl Simulation {
    /// Takes in the bodies whose time has come. They follow what is there in every list, so nothing that is there changes its number;
    /// pairs that overlap are registered as at the start of a run.
    pub(super) fn admit(&mut self) {
        let before = self.model.bodies.len();
        let due = self.scene.n_present(self.time());
        if self.scene.plane.len() + due <= before {
            return;
        }
        let (particles, objects) = (self.model.particles.len(), self.model.objects.len());
        let (model, fresh) = assemble(&self.scene, due);
        self.model = model;
        self.state.take_in(fresh);
        self.register([particles, objects]);
        if let Some(wedge) = &self.scene.wedge {
            let factor = self.mass_factor(wedge);
            let also = |b: &usize| wedge.also.contains(&self.model.bodies[*b].name);
            let weighed: Vec<usize> = (before..self.model.bodies.len()).filter(also).collect();
            weighed.into_iter().for_each(|b| self.weigh(b, factor));
        }
        for b in before..self.model.bodies.len() {
            self.origin.push(self.motion(b).position);
        }
    }

    /// Registers pairs that overlap but those of the first so many particles and objects, which were there before.
    pub(super) fn register(&mut self, known: [usize; 2]) {
        let start = Start::new(&self.model, Places::of(&self.state));
        let pairs = Pairs {
            model: &self.model,
            attachments: &self.state.attachments,
            start: &start,
            frozen: None,
        };
        let new = pairs.initial(known);
        for (list, more) in self.state.attachments.iter_mut().zip(new) {
            list.extend(more);
        }
    }
}
