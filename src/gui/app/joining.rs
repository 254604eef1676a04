//! Widths that differ: a taper goes between without a question; whether steps are wanted is asked beside it, until it is answered once.

use std::collections::BTreeSet;

use super::App;
use super::intention::{About, Intention};
use crate::command::Command;
use crate::panels::Notice;
use stokeslet_cad::edits::{self, Drawing, Joint};

impl App {
    /// Asks what is wanted where the first joints went in; the answer is remembered, and holds for them too.
    pub(super) fn ask_about_joints(&mut self, command: &Command, added: BTreeSet<String>) {
        let by_itself = matches!(
            command,
            Command::Channel { .. }
                | Command::SetParameter { .. }
                | Command::SetChannelShape { .. }
        );
        if !by_itself || added.is_empty() || self.state.settings.joint.is_some() {
            return;
        }
        self.joints_asked.extend(added);
        let text = match self.joints_asked.len() {
            1 => "A taper joins the widths that differ here.",
            _ => "Tapers join the widths that differ here.",
        };
        self.panels.forget_questions();
        let answers = [("Keep tapers", Joint::Taper), ("Use steps", Joint::Step)];
        let answers = answers.map(|(label, joint)| (label.to_owned(), Command::SetJoint(joint)));
        self.notify(Notice::info(text).with_answers(answers.into()));
    }

    /// From now on, for what was asked about, and for what is selected.
    pub(super) fn set_joint(&mut self, command: &Command, joint: Joint) {
        self.state.settings.joint = Some(joint);
        self.panels.forget_questions();
        let mut asked = std::mem::take(&mut self.joints_asked);
        asked.extend(self.state.selection.items.iter().cloned());
        let design = self.state.document.design.iter();
        let components = design.flat_map(|design| &design.components);
        let others = components.filter(|c| {
            let kind = Joint::of_kind(&c.kind.value);
            asked.contains(&c.name.value) && kind.is_some_and(|kind| kind != joint)
        });
        let names: BTreeSet<String> = others.map(|c| c.name.value.clone()).collect();
        if names.is_empty() {
            return;
        }
        let intend = move |d: &Drawing<'_>, about: &About| {
            let (edits, new) = edits::set_joint(d, &names, joint)?;
            let mut selection = about.selection.clone();
            if !selection.items.is_disjoint(&names) {
                selection.items.retain(|name| !names.contains(name));
                selection.items.extend(new);
            }
            Ok((edits, Some(selection)))
        };
        self.make(command, Intention::Drawn(Box::new(intend)));
    }
}
