//! What the canvas shows of a chip: its scene, its ports, and, where that takes longer than a frame, its triangles made beforehand.
//!
//! ```text
//! Canvas::sight --> Sight --on the thread of an edit, with the layout it came to--> Shown --Canvas::expect--> drawn in one frame
//! ```
//! Nothing depends on it: what is seen otherwise by then, or hidden, is made anew by the canvas.

use std::sync::Arc;

use super::outline::Outlines;
use super::paint::{Look, Painted};
use super::scene::Scene;
use crate::seen::{FEW_PARTS, Hidden};
use stokeslet_cad::chip::{LaidSocket, Layout, SocketUse};
use stokeslet_cad::design::Design;
use stokeslet_cad::shape::Mouth;

/// How the canvas sees chips.
#[derive(Clone, Debug)]
pub struct Sight {
    /// What isn't shown.
    pub hidden: Hidden,
    /// Numbers and outlines of shapes.
    pub outlines: Outlines,
    /// How the last chip was drawn; `None` before any was.
    pub look: Option<Look>,
}

/// What it shows of one.
#[derive(Debug)]
pub struct Shown {
    /// What there is.
    pub scene: Arc<Scene>,
    /// Names and openings of its ports.
    pub ports: Vec<(String, Mouth)>,
    /// As it is drawn, if that was made.
    pub painted: Option<Painted>,
    outlines: Outlines,
}

impl Shown {
    /// Without its triangles.
    pub fn new(
        layout: &Arc<Layout>,
        design: Option<&Design>,
        hidden: &Hidden,
        outlines: &Outlines,
    ) -> Self {
        let ports_of = |socket: &LaidSocket| match socket.used {
            SocketUse::Port(port) => {
                let name = design?.ports.get(port)?.name.value.clone();
                Some((name, socket.mouth))
            }
            SocketUse::Free | SocketUse::Connected => None,
        };
        let scene = Scene::new(layout.clone(), outlines).without(hidden);
        Self {
            scene: Arc::new(scene),
            ports: layout.sockets.iter().filter_map(ports_of).collect(),
            painted: None,
            outlines: outlines.clone(),
        }
    }

    /// Whether it is what a canvas shows of this layout.
    pub fn is_of(&self, layout: &Arc<Layout>, hidden: &Hidden, outlines: &Outlines) -> bool {
        Arc::ptr_eq(&self.scene.layout, layout)
            && self.scene.hidden == *hidden
            && self.outlines.are(outlines)
    }
}

impl Sight {
    /// All of a large chip; `None` of one that is made within a frame.
    pub fn of(&self, layout: &Arc<Layout>, design: Option<&Design>) -> Option<Shown> {
        if layout.parts.len() <= FEW_PARTS {
            return None;
        }
        let mut shown = Shown::new(layout, design, &self.hidden, &self.outlines);
        let painted = |look| Painted::new(look, &shown.scene, &self.outlines);
        shown.painted = self.look.map(painted);
        Some(shown)
    }
}
