//! The built-in scenes: the paper's seven examples, at a small size and at the paper's (`at_size("paper")`), and some of ours.

use crate::scene::Scene;

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name, as a command takes it.
    pub name: &'static str,
    /// The paper's section, or empty.
    pub section: &'static str,
    /// A title to show.
    pub title: &'static str,
    /// The file.
    pub toml: &'static str,
}

impl BuiltIn {
    /// The scene, at its small size.
    ///
    /// # Panics
    /// Never: the tests read every built-in scene.
    #[must_use]
    pub fn scene(&self) -> Scene {
        Scene::parse(self.toml).expect("built-in scenes are read by the tests")
    }
}

macro_rules! built_in {
    ($($name:literal, $section:literal, $title:literal;)*) => {
        const ALL: &[BuiltIn] = &[$(BuiltIn { name: $name, section: $section, title: $title, toml: include_str!(concat!("scenes/", $name, ".toml")) }),*];
    };
}

built_in! {
    "boxes", "5.1", "A pile of boxes falls and scatters";
    "hydrostatic", "5.2", "Water at rest in a tank";
    "dam-break", "5.3", "A column of water collapses";
    "circular-patch", "5.4", "A disc of fluid is drawn into an ellipse";
    "buoyancy", "5.5", "A box floats";
    "seesaw", "5.6", "A jet turns a pinned bar";
    "complex", "5.7", "Two crosses turn in a breaking column with boxes";
    "shaken-tank", "", "A closed tank is shaken";
    "stack", "", "Ten bodies stand in still water";
    "dam-break-space", "", "A column of water collapses in space";
    "floating-space", "", "A cube floats in space";
}

/// All built-in scenes, the paper's first.
#[must_use]
pub fn all() -> &'static [BuiltIn] {
    ALL
}

/// The built-in scene of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|s| s.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, Simulation};

    /// Every built-in scene reads at every size, prints as it was read, has the name of its file, and makes a step at its small size.
    #[test]
    fn every_built_in_scene_runs() {
        for built_in in all() {
            let scene =
                Scene::parse(built_in.toml).unwrap_or_else(|e| panic!("{}: {e}", built_in.name));
            assert_eq!(
                (scene.name.as_str(), scene.title.as_str()),
                (built_in.name, built_in.title)
            );
            assert_eq!(
                Scene::parse(&scene.print()).unwrap(),
                scene,
                "{}",
                built_in.name
            );
            for size in scene.sizes.keys() {
                scene.at_size(size).unwrap().validate().unwrap();
            }
            let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
            let log = simulation.step().unwrap();
            assert!(
                log.energy().is_finite() && log.escaped == 0,
                "{}: {log:?}",
                built_in.name
            );
        }
        assert_eq!(
            all().iter().filter(|s| !s.section.is_empty()).count(),
            7,
            "the paper's seven examples"
        );
    }
}
