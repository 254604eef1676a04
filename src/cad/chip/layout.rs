//! A design placed as far as it can be: what a drawing shows, whether or not the chip can be solved.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assembly::Assembly;
use super::{Chip, Port};
use crate::design::Design;
use crate::shape::{Connection, Part, Socket, SocketRef};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};
use stokeslet_base::geometry::Motion;

/// What meets a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketUse {
    /// Nothing: a wall, for now.
    Free,
    /// The socket of another component or channel.
    Connected,
    /// A port, index into [`Design::ports`].
    Port(usize),
}

/// An outer socket of a component or channel, placed.
#[derive(Clone, Debug, PartialEq)]
pub struct LaidSocket {
    /// Whose, index into [`Layout::items`].
    pub item: usize,
    /// Its name within the item.
    pub name: String,
    /// Which one it is among the parts.
    pub socket: SocketRef,
    /// Where it is, in the chip's frame.
    pub geometry: Socket,
    /// What meets it.
    pub used: SocketUse,
}

/// A design, placed as far as it can be.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Names of the design's components, then of its channels, in the design's order.
    pub items: Vec<String>,
    /// Placed leaves, in the chip's frame.
    pub parts: Vec<Part>,
    /// The item of every part, index into `items`.
    pub owners: Vec<usize>,
    /// Where each item went, chip from item; `None` where it could not be placed.
    pub motions: Vec<Option<Motion>>,
    /// Outer sockets of everything placed.
    pub sockets: Vec<LaidSocket>,
    /// Sockets of `parts` that are joined, those within components included.
    pub connections: Vec<Connection>,
    /// The chip, where it can be solved; shared with whoever solves it.
    pub chip: Option<Arc<Chip>>,
    /// Everything that is wrong, warnings included.
    pub diagnostics: Vec<Diagnostic>,
    /// Items by name.
    by_name: FxHashMap<String, usize>,
}

impl Layout {
    pub(super) fn new(
        design: &Design,
        assembly: Assembly<'_>,
        ports: Vec<Port>,
        complete: bool,
        out: Reporter,
    ) -> Self {
        let items: Vec<String> = assembly.names.iter().map(|n| n.value.clone()).collect();
        // Of two of one name, which is a mistake, the first.
        let named = items.iter().cloned().enumerate().rev();
        let by_name = named.map(|(item, name)| (name, item)).collect();
        let mut uses: FxHashMap<SocketRef, SocketUse> = FxHashMap::default();
        for joint in &assembly.joints {
            uses.insert(joint.connection.a, SocketUse::Connected);
            uses.insert(joint.connection.b, SocketUse::Connected);
        }
        // Some of the design's ports may have been left out as mistaken; names tell which is which.
        for port in &ports {
            let index = design.ports.iter().position(|p| p.name.value == port.name);
            if let Some(index) = index {
                uses.insert(port.socket, SocketUse::Port(index));
            }
        }
        let sockets = assembly
            .sockets
            .iter()
            .map(|named| LaidSocket {
                item: named.item,
                name: named.name.clone(),
                socket: named.socket,
                geometry: assembly.geometry(named.socket),
                used: uses.get(&named.socket).copied().unwrap_or(SocketUse::Free),
            })
            .collect();
        let connections: Vec<Connection> = assembly.joints.iter().map(|j| j.connection).collect();
        let motions = (0..items.len())
            .map(|item| assembly.motions.get(&item).copied())
            .collect();
        let chip = (complete && !out.has_errors()).then(|| Chip {
            name: design.name.clone(),
            viscosity: design.viscosity.0,
            model: design.model,
            depth: design.depth.map(|depth| depth.0),
            parts: assembly.parts.clone(),
            connections: connections.clone(),
            ports,
        });
        let chip = chip.map(Arc::new);
        Self {
            items,
            parts: assembly.parts,
            owners: assembly.owners,
            motions,
            sockets,
            connections,
            chip,
            diagnostics: out.diagnostics,
            by_name,
        }
    }

    /// The item of this name.
    pub fn item(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// `item.socket`, as designs write it.
    pub fn full_name(&self, socket: &LaidSocket) -> String {
        format!("{}.{}", self.items[socket.item], socket.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::{lay_out, place};
    use crate::library::Library;

    const HEAD: &str =
        "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n";

    #[test]
    fn what_can_be_placed_is_shown_though_the_chip_cannot_be_solved() {
        let text = format!(
            "{HEAD}[components]\np = {{ kind = \"pipe\", at = [\"1 mm\", \"0 mm\"] }}\nq = {{ kind = \"pipe\", attach = \"a\", to = \"p.b\" }}\nx = {{ kind = \"nothing\", at = [\"0 mm\", \"0 mm\"] }}\n[ports]\nin = {{ at = \"p.a\", pressure = \"0 Pa\" }}\n"
        );
        let (design, mistakes) = crate::design::parse(&text, "half");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let design = design.expect("parsed");
        let layout = lay_out(&design, &Library::embedded());
        assert!(layout.chip.is_none(), "x is unknown");
        assert_eq!(layout.items, ["p", "q", "x"]);
        assert_eq!(layout.parts.len(), 2);
        assert!(layout.motions[0].is_some() && layout.motions[2].is_none());
        let used: Vec<SocketUse> = layout.sockets.iter().map(|s| s.used).collect();
        let want = [
            SocketUse::Port(0),
            SocketUse::Connected,
            SocketUse::Connected,
            SocketUse::Free,
        ];
        assert_eq!(used, want);
        assert_eq!(layout.full_name(&layout.sockets[3]), "q.b");
        let (chip, placed) = place(&design, &Library::embedded());
        assert!(chip.is_none());
        assert_eq!(placed, layout.diagnostics, "both roads say the same");
    }
}
