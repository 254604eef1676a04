//! The scenes that come with the crate: those of the paper's table 2.1, with their rows there, and a few of our own.

use crate::scene::Scene;

stokeslet_dynamics::built_in_scenes! { Scene:
    "plane_r_slide", "plane_r slide";
    "plane_d_slide", "plane_d slide";
    "iplane_m_slide", "iplane_m slide";
    "plane_m_slide", "plane_m slide";
    "plane_r_stick", "plane_r stick";
    "plane_d_stick", "plane_d stick";
    "iplane_m_stick", "iplane_m stick";
    "plane_m_stick", "plane_m stick";
    "stack", "stack";
    "stack_rr", "";
    "prmd_rr", "";
    "prmd_rr_slip", "";
    "prmd_rr_lag", "";
    "prmd_rr_lagfr", "";
    "prmd_rd", "prmd_rd";
    "prmd_rm", "prmd_rm";
    "prmd_rm_slip", "prmd_rm slip";
    "prmd_dd", "prmd_dd";
    "prmd_dd_lag", "prmd_dd_lag";
    "prmd_dd_lagfr", "prmd_dd_lagfr";
    "wdg_rr", "wdg_rr";
    "wdg_rr_fall", "wdg_rr fall";
    "wdg_dr", "wdg_dr";
    "wdg_dr_fall", "wdg_dr fall";
    "wdg_dr_r", "wdg_dr_r";
    "wdg_rm", "wdg_rm";
    "wdg_rm_fall", "wdg_rm fall";
    "plane_sph_roll", "plane_sph roll";
    "plane_sph_slip", "plane_sph slip";
    "torus_dr", "torus_dr";
    "cloth", "cloth";
    "sand_on_sph", "sand_on_sph";
    "goo_on_sph", "goo_on_sph";
    "sandbox_cube", "sandbox_cube";
    "sandbox_sph", "sandbox_sph";
    "bowl", "bowl";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::BodySpec;
    use crate::{SceneFile, Settings, Simulation};

    #[test]
    fn every_scene_is_sound_and_printed_ones_read_back() {
        for built_in in all() {
            let scene =
                Scene::parse(built_in.toml).unwrap_or_else(|e| panic!("{}: {e}", built_in.name));
            assert_eq!(scene.name, built_in.name, "a scene is named as its file");
            let row = scene.paper.as_ref().map_or("", |paper| &paper.row);
            assert_eq!(row, built_in.source, "{}: its row", built_in.name);
            let again = Scene::parse(&scene.print()).unwrap();
            assert_eq!(scene, again, "{}: parse, print, parse", built_in.name);
        }
    }

    /// Within a tenth of the numbers that table 2.1 prints.
    #[test]
    fn the_paper_s_size_has_as_many_particles_as_the_paper() {
        for (name, printed) in [
            ("prmd_rm", 11e3),
            ("prmd_rm_slip", 11e3),
            ("torus_dr", 2.6e3),
            ("cloth", 3.8e3),
            ("sand_on_sph", 64e3),
            ("goo_on_sph", 120e3),
            ("sandbox_cube", 0.4e6),
            ("sandbox_sph", 0.9e6),
            ("bowl", 31e3),
        ] {
            let scene = find(name).unwrap().scene().at_size("paper").unwrap();
            assert_eq!(scene.paper.as_ref().unwrap().differs, None, "{name}");
            let of_body = |body: &BodySpec| {
                // Alone, from the start on, and once.
                let again = body.again.map_or(0, |again| again.times);
                let alone = Scene {
                    body: vec![BodySpec {
                        from: 0.0,
                        again: None,
                        ..body.clone()
                    }],
                    expect: Vec::new(),
                    ..scene.without_sizes()
                };
                let state = Simulation::new(&alone, &Settings::default()).unwrap();
                let state = state.state();
                (state.points.x.len() + state.nodes.x.len()) * (1 + again)
            };
            let many: usize = scene.body.iter().map(of_body).sum();
            println!("{name}: {many} of {printed}");
            assert!((many as f64 / printed - 1.0).abs() < 0.1, "{name}: {many}");
        }
    }
}
