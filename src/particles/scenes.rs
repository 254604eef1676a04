//! The built-in scenes: the paper's seven examples, at a small size and at the paper's (`at_size("paper")`), and some of ours.

use crate::scene::Scene;

stokeslet_dynamics::built_in_scenes! { Scene:
    "boxes", "5.1";
    "hydrostatic", "5.2";
    "dam-break", "5.3";
    "circular-patch", "5.4";
    "buoyancy", "5.5";
    "seesaw", "5.6";
    "complex", "5.7";
    "shaken-tank", "";
    "stack", "";
    "dam-break-space", "";
    "floating-space", "";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SceneFile, Settings, Simulation};

    /// Every built-in scene reads at every size, prints as it was read, has the name of its file, and makes a step at its small size.
    #[test]
    fn every_built_in_scene_runs() {
        for built_in in all() {
            let scene =
                Scene::parse(built_in.toml).unwrap_or_else(|e| panic!("{}: {e}", built_in.name));
            assert_eq!(scene.name, built_in.name);
            assert!(!scene.title.is_empty(), "{}", built_in.name);
            assert_eq!(
                Scene::parse(&scene.print()).unwrap(),
                scene,
                "{}",
                built_in.name
            );
            for size in scene.sizes.keys() {
                scene.at_size(size).unwrap();
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
            all().iter().filter(|s| !s.source.is_empty()).count(),
            7,
            "the paper's seven examples"
        );
    }
}
