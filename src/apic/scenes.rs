//! The built-in scenes: those of the thesis, at a small size and at its own (`at_size("paper")`).

use crate::scene::Scene;

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name, as a command takes it.
    pub name: &'static str,
    /// The figure of the thesis it is of, or empty.
    pub figure: &'static str,
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
    ($($name:literal, $figure:literal;)*) => {
        const ALL: &[BuiltIn] = &[$(BuiltIn { name: $name, figure: $figure, toml: include_str!(concat!("scenes/", $name, ".toml")) }),*];
    };
}

built_in! {
    "taylor-green", "3.12, 3.14";
    "square", "3.12";
    "circle", "3.12";
    "shedding", "3.13";
    "inlet", "3.17, 3.18";
    "inlet-space", "3.19";
}

/// All built-in scenes.
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

    #[test]
    fn every_built_in_scene_reads_and_steps() {
        for built_in in all() {
            let scene = built_in.scene();
            assert_eq!(scene.name, built_in.name);
            assert_eq!(Scene::parse(&scene.print()).unwrap(), scene);
            for size in scene.sizes.keys() {
                scene.at_size(size).unwrap();
            }
            let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
            let log = simulation.step().unwrap();
            assert!(log.energy.is_finite() && log.particles > 0, "{log:?}");
        }
    }
}
