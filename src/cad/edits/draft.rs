//! A design being changed: intentions write what they want, and ask in the end for the edits that lead there.

use rustc_hash::FxHashMap;

use super::diff;
use super::sockets::placement_at;
use super::{Drawing, Refusal, settle};
use crate::chip::{Layout, lay_out};
use crate::design::{
    Channel, Component, Connection, Design, Dimension, Edit, Placement, Spanned, Value,
};
use crate::library::Defaults;
use stokeslet_base::geometry::Motion;

/// What an intention would lead to, while it isn't decided yet.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The design, but for where its values stand in a text.
    pub design: Design,
    /// Where everything of it lies.
    pub layout: Layout,
}

/// What the design is to be.
#[derive(Clone)]
pub(super) struct Draft<'a> {
    /// What it was.
    pub from: Drawing<'a>,
    /// What it is to be.
    pub design: Design,
    /// Sockets that are called otherwise by now.
    redirected: Vec<(String, String)>,
}

impl<'a> Draft<'a> {
    pub fn of(from: &Drawing<'a>) -> Self {
        Self {
            from: *from,
            design: from.design.clone(),
            redirected: Vec::new(),
        }
    }

    /// Where everything would lie.
    pub fn lay_out(&self) -> Layout {
        lay_out(&self.design, self.from.library)
    }

    /// Mends what the changes broke (see `settle`), and says what differs from the design.
    pub fn settled(mut self) -> Vec<Edit> {
        settle::settle(&mut self);
        self.edits()
    }

    /// The same, as what is seen then: the design needn't be written and read again.
    pub fn previewed(mut self) -> Preview {
        let layout = settle::settle(&mut self);
        Preview {
            design: self.design,
            layout,
        }
    }

    /// What differs from the design.
    pub fn edits(&self) -> Vec<Edit> {
        diff::edits(self.from.design, &self.design)
    }

    pub fn component_mut(&mut self, name: &str) -> Option<&mut Component> {
        let mut all = self.design.components.iter_mut();
        all.find(|c| c.name.value == name)
    }

    /// The channel of this name.
    pub fn channel_mut(&mut self, name: &str) -> Option<&mut Channel> {
        self.design
            .channels
            .iter_mut()
            .find(|c| c.name.value == name)
    }

    /// Takes a component off whatever it is attached to, and puts it where the motion says.
    pub fn put(&mut self, index: usize, motion: &Motion) {
        let width = self.design.width.0;
        if let Some(component) = self.design.components.get_mut(index) {
            component.placement = placement_at(motion, width);
        }
    }

    /// Sets a parameter in the draft.
    pub fn set_parameter(&mut self, component: &str, parameter: &str, value: Option<Value>) {
        let Some(component) = self.component_mut(component) else {
            return;
        };
        let known = component
            .parameters
            .iter()
            .position(|(name, _)| name.value == parameter);
        match (known, value) {
            (Some(at), Some(value)) => component.parameters[at].1.value = value,
            (Some(at), None) => {
                component.parameters.remove(at);
            }
            (None, Some(value)) => component.parameters.push((
                Spanned::nowhere(parameter.to_owned()),
                Spanned::nowhere(value),
            )),
            (None, None) => {}
        }
    }

    /// Everything that refers to one socket refers to another.
    pub fn redirect(&mut self, from: &str, to: &str) {
        for reference in references_mut(&mut self.design) {
            if reference.value == from {
                to.clone_into(&mut reference.value);
            }
        }
        self.redirected.push((from.to_owned(), to.to_owned()));
    }

    /// Components are called otherwise: so are their sockets and members of groups.
    pub fn rename(&mut self, names: &FxHashMap<String, String>) {
        if names.is_empty() {
            return;
        }
        for reference in references_mut(&mut self.design) {
            let socket = &mut reference.value;
            if let Some((item, own)) = socket.rsplit_once('.')
                && let Some(new) = names.get(item)
            {
                *socket = format!("{new}.{own}");
            }
        }
        let groups = self.design.groups.iter_mut();
        for member in groups.flat_map(|group| &mut group.of) {
            if let Some(new) = names.get(&member.value) {
                member.value.clone_from(new);
            }
        }
    }

    /// What a socket of the design is called in the draft.
    pub fn called(&self, socket: String) -> String {
        let redirected = self.redirected.iter();
        redirected.fold(socket, |socket, (from, to)| match socket == *from {
            true => to.clone(),
            false => socket,
        })
    }

    /// Joins two sockets.
    pub fn connect(&mut self, a: &str, b: &str) {
        self.design.connections.push(Connection {
            a: Spanned::nowhere(a.to_owned()),
            b: Spanned::nowhere(b.to_owned()),
        });
    }

    /// A part of the library that is to be as wide as `width`: the parameters of these names, where the chip's default isn't that.
    pub fn widths(&self, width: f64, names: &[&str]) -> Vec<(Spanned<String>, Spanned<Value>)> {
        if width == self.design.width.0 {
            return Vec::new();
        }
        let quantity = |name: &&str| {
            (
                Spanned::nowhere((*name).to_owned()),
                Spanned::nowhere(Value::Quantity(width, Dimension::Length)),
            )
        };
        names.iter().map(quantity).collect()
    }
}

/// Every reference to a socket in a design.
pub(super) fn references_mut(design: &mut Design) -> impl Iterator<Item = &mut Spanned<String>> {
    let attached =
        design
            .components
            .iter_mut()
            .filter_map(|component| match &mut component.placement {
                Placement::Attached(attachment) => Some(&mut attachment.to),
                Placement::Absolute { .. } => None,
            });
    let channels = design
        .channels
        .iter_mut()
        .flat_map(|channel| std::iter::once(&mut channel.from).chain(&mut channel.to));
    let pairs = design
        .connections
        .iter_mut()
        .flat_map(|pair| [&mut pair.a, &mut pair.b]);
    let ports = design.ports.iter_mut().map(|port| &mut port.at);
    attached.chain(channels).chain(pairs).chain(ports)
}

impl Drawing<'_> {
    /// What the chip says once for all components.
    pub(super) fn defaults(&self) -> Defaults {
        Defaults {
            width: self.design.width.0,
            depth: self.design.depth.map(|depth| depth.0),
        }
    }

    /// Indices of the selected items.
    ///
    /// # Errors
    /// [`Refusal::NothingSelected`] where none of them is in the design.
    pub(super) fn indices(
        &self,
        selection: &std::collections::BTreeSet<String>,
    ) -> Result<Vec<usize>, Refusal> {
        let items = self.layout.items.iter().enumerate();
        let found: Vec<usize> = items
            .filter(|(_, name)| selection.contains(*name))
            .map(|(k, _)| k)
            .collect();
        if found.is_empty() {
            return Err(Refusal::NothingSelected);
        }
        Ok(found)
    }
}

/// A component of a kind, for a draft.
pub(super) fn component(
    name: String,
    kind: &str,
    placement: Placement,
    parameters: Vec<(Spanned<String>, Spanned<Value>)>,
) -> Component {
    Component {
        name: Spanned::nowhere(name),
        kind: Spanned::nowhere(kind.to_owned()),
        placement,
        parameters,
        depth: None,
        dimensions: Vec::new(),
    }
}

/// A placement by one socket on another.
pub(super) fn attached(socket: &str, to: String, mirror: bool) -> Placement {
    Placement::Attached(crate::design::Attachment {
        socket: Spanned::nowhere(socket.to_owned()),
        to: Spanned::nowhere(to),
        mirror,
    })
}
