//! The table of panels: a row says what one is called, where it stands and what draws it. A new one is a file beside this one, its name and row
//! here, and its line in `mod.rs`.

use eframe::egui::Ui;

use super::{
    history, inspector, method, palette, problems, profiles, results, source, species, study, tree,
    variables,
};
use crate::command::Command;
use crate::context::ViewContext;

/// Panels around the canvas.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Panel {
    /// The library.
    Palette,
    /// Parameters of what is selected.
    Inspector,
    /// What is wrong.
    Problems,
    /// Ports, conductance, numbers of the solve.
    Results,
    /// Profiles along lines.
    Profiles,
    /// What is dissolved, at outlets and under the pointer.
    Species,
    /// How the method took the chip apart, and what it cost.
    Method,
    /// Components, channels, links and ports by name.
    Tree,
    /// Steps of undo.
    History,
    /// The file's text.
    Source,
    /// The design's variables, with sliders.
    Variables,
    /// Sweeps, goals and tolerances.
    Study,
}

impl Panel {
    /// All of them, in the order of the menu.
    pub const ALL: [Panel; PANELS.len()] = {
        let mut all = [Panel::Palette; PANELS.len()];
        let mut k = 0;
        while k < all.len() {
            all[k] = PANELS[k].panel;
            k += 1;
        }
        all
    };

    /// Its title.
    pub fn label(self) -> &'static str {
        row(self).label
    }
}

/// What draws a panel, with what is typed in it but not taken yet.
pub trait View {
    /// Draws it; what a user asks for goes into `out`.
    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>);

    /// The library is another: what was known of it is forgotten.
    fn forget(&mut self) {}

    /// Whether something is typed in it that isn't taken yet.
    fn is_typing(&self) -> bool {
        false
    }

    /// Puts the cursor into the name of a thing that is selected.
    fn edit_name(&mut self, _name: &str) {}

    /// Brings a place of the design's text, a byte, into view.
    fn show_text(&mut self, _place: usize) {}
}

impl<F: FnMut(&mut Ui, &ViewContext<'_>, &mut Vec<Command>)> View for F {
    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        self(ui, context, out);
    }
}

/// Where a panel stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Left of the canvas.
    Left,
    /// Right of it, above what is at the lower right.
    Right,
    /// Right of it, below.
    LowerRight,
    /// A tab below it.
    Below,
}

/// A panel.
#[derive(Clone, Copy)]
pub struct Row {
    /// Which one.
    pub panel: Panel,
    /// Its title.
    pub label: &'static str,
    /// Where it stands.
    pub place: Place,
    /// Whether it scrolls as a whole; else it fills its room and scrolls within.
    pub scrolls: bool,
    /// Whether it is there when the program is started for the first time.
    pub at_first: bool,
    /// Makes what draws it.
    pub make: fn() -> Box<dyn View>,
}

/// All panels, in the order of the menu and of the tabs.
pub const PANELS: [Row; 12] = [
    Row {
        panel: Panel::Palette,
        label: "Library",
        place: Place::Left,
        scrolls: false,
        at_first: true,
        make: || Box::new(palette::Palette::default()),
    },
    Row {
        panel: Panel::Inspector,
        label: "Inspector",
        place: Place::Right,
        scrolls: false,
        at_first: true,
        make: || Box::new(inspector::Inspector::default()),
    },
    Row {
        panel: Panel::Problems,
        label: "Problems",
        place: Place::Below,
        scrolls: false,
        at_first: true,
        make: || Box::new(problems::problems_ui),
    },
    Row {
        panel: Panel::Results,
        label: "Results",
        place: Place::LowerRight,
        scrolls: true,
        at_first: true,
        make: || {
            let mut typed = results::TypedValues::default();
            Box::new(
                move |ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>| {
                    results::results_ui(ui, context, &mut typed, out);
                },
            )
        },
    },
    Row {
        panel: Panel::Profiles,
        label: "Profiles",
        place: Place::Below,
        scrolls: false,
        at_first: false,
        make: || {
            let mut panel = profiles::ProfilesPanel::default();
            Box::new(
                move |ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>| {
                    profiles::profiles_ui(ui, context, &mut panel, out);
                },
            )
        },
    },
    Row {
        panel: Panel::Species,
        label: "Species",
        place: Place::Below,
        scrolls: false,
        at_first: false,
        make: || Box::new(species::SpeciesPanel::default()),
    },
    Row {
        panel: Panel::Method,
        label: "Method",
        place: Place::Below,
        scrolls: true,
        at_first: false,
        make: || Box::new(method::method_ui),
    },
    Row {
        panel: Panel::Tree,
        label: "Tree",
        place: Place::Below,
        scrolls: false,
        at_first: false,
        make: || Box::new(tree::Tree::default()),
    },
    Row {
        panel: Panel::History,
        label: "History",
        place: Place::Below,
        scrolls: false,
        at_first: false,
        make: || Box::new(history::history_ui),
    },
    Row {
        panel: Panel::Source,
        label: "Source",
        place: Place::Below,
        scrolls: false,
        at_first: false,
        make: || Box::new(source::Source::default()),
    },
    Row {
        panel: Panel::Variables,
        label: "Variables",
        place: Place::Below,
        scrolls: true,
        at_first: false,
        make: || Box::new(variables::Variables::default()),
    },
    Row {
        panel: Panel::Study,
        label: "Study",
        place: Place::Below,
        scrolls: false,
        at_first: false,
        make: || Box::new(study::Panel::default()),
    },
];

/// The row of a panel.
pub fn row(panel: Panel) -> Row {
    let found = PANELS.into_iter().find(|row| row.panel == panel);
    // A test holds the table against the panels.
    found.unwrap_or(PANELS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_has_a_row_and_a_title_of_its_own() {
        for (row, panel) in PANELS.iter().zip(Panel::ALL) {
            assert_eq!(row.panel, panel, "rows stand in the order of the menu");
            // A panel that isn't in `ALL` doesn't compile here.
            match panel {
                Panel::Palette
                | Panel::Inspector
                | Panel::Problems
                | Panel::Results
                | Panel::Profiles
                | Panel::Species
                | Panel::Method
                | Panel::Tree
                | Panel::History
                | Panel::Source
                | Panel::Variables
                | Panel::Study => assert_eq!(super::row(panel).panel, panel),
            }
        }
        let mut labels: Vec<&str> = PANELS.iter().map(|row| row.label).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), PANELS.len());
    }
}
