//! What the canvas shows of a chip: its scene, its ports, and, where that takes longer than a frame, its triangles made beforehand.
//!
//! ```text
//! Canvas::sight --> Sight --on the thread of an edit, with the layout it came to--> Shown --Canvas::expect--> drawn in one frame
//! ```
//! Nothing depends on it: what is seen otherwise by then, or hidden or called otherwise while hidden, is made anew by the canvas.

use std::sync::Arc;

use super::outline::Outlines;
use super::paint::{Look, Painted};
use super::scene::Scene;
use crate::context::{FEW_PARTS, Hidden};
use stokeslet_cad::chip::{LaidSocket, Layout, SocketUse};
use stokeslet_cad::design::Design;
use stokeslet_cad::shape::Socket;

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
    /// Names and sockets of its ports.
    pub ports: Vec<(String, Socket)>,
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
                Some((name, socket.geometry))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use crate::canvas::theme::LIGHT;
    use crate::context::WindowState;
    use crate::document::{Document, EMPTY};
    use std::fmt::Write as _;
    use stokeslet_cad::library::Library;

    #[test]
    fn what_was_made_beforehand_is_what_is_drawn_unless_something_else_is_hidden_by_then() {
        let library = Library::embedded();
        let mut text = format!("{EMPTY}[components]\n");
        for k in 0..=FEW_PARTS {
            writeln!(
                text,
                "t{k} = {{ kind = \"pipe\", at = [\"{k} mm\", \"0 mm\"] }}"
            )
            .expect("a line");
        }
        let document = Document::new(&text, "pipes", None, &library);
        let (layout, design) = (document.layout.clone(), document.design.clone());
        let mut state = WindowState::new(document, library);
        let mut canvas = Canvas::default();
        let mut sight = canvas.sight(&state.hidden);
        assert!(sight.look.is_none(), "nothing was drawn yet");
        let look = Look {
            view: canvas.view,
            colours: LIGHT,
            parts: false,
            pixel: 1.0,
        };
        sight.look = Some(look);
        let shown = || sight.of(&layout, design.as_deref());
        let few = sight.of(&Arc::default(), None);
        assert!(few.is_none(), "made within a frame");

        let made = shown().expect("a large chip");
        let scene = made.scene.clone();
        canvas.expect(made);
        assert!(Arc::ptr_eq(&canvas.scene_of(&state.context()), &scene));
        assert!(canvas.painted.is_of(&look, &scene));
        assert!(!canvas.is_behind);

        state.hidden.items.insert("t7".to_owned());
        let made = shown().expect("a large chip");
        let stale = made.scene.clone();
        canvas.expect(made);
        let scene = canvas.scene_of(&state.context());
        assert!(!Arc::ptr_eq(&scene, &stale) && scene.hides(7));
        assert!(canvas.is_behind, "its triangles are left to the next frame");
    }
}
