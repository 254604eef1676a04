//! The built-in scenes: those of the thesis, at a small size and at its own (`at_size("paper")`).

use crate::scene::Scene;

stokeslet_dynamics::built_in_scenes! { Scene:
    "taylor-green", "3.12, 3.14";
    "square", "3.12";
    "circle", "3.12";
    "shedding", "3.13";
    "inlet", "3.17, 3.18";
    "inlet-space", "3.19";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SceneFile, Settings, Simulation};

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
