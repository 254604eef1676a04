//! The paper's seven examples as the specification accepts them; prints the tables with `--nocapture`.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use stokeslet_dynamics::report::table::At;
use stokeslet_particles::Settings;
use stokeslet_particles::table::{floating, rows, submerged};

fn check(example: &str, at: At) {
    let rows = rows(example, at, &|| true).unwrap();
    let mut bad = Vec::new();
    for row in &rows {
        println!("{}", row.cells().join("  "));
        if !row.holds() {
            bad.push(row.name.clone());
        }
    }
    assert!(bad.is_empty(), "outside the accepted range: {bad:?}");
}

macro_rules! examples {
    ($($(#[$small_attribute:meta])* $small:ident $paper:ident $example:literal;)*) => {
        $(
            $(#[$small_attribute])*
            #[test]
            fn $small() {
                check($example, At::Small);
            }
            #[test]
            #[ignore = "the paper's size: up to 20 minutes in release"]
            fn $paper() {
                check($example, At::Paper);
            }
        )*
    };
}

examples! {
    a_pile_of_boxes_scatters paper_boxes "5.1";
    water_at_rest_has_hydrostatic_pressure paper_hydrostatic "5.2";
    a_dam_breaks_as_printed paper_dam "5.3";
    a_patch_follows_its_equation paper_patch "5.4";
    #[ignore = "nine runs of 6 s: 3 minutes in release"]
    boxes_float_at_their_draught paper_buoyancy "5.5";
    a_jet_turns_a_seesaw_in_one_step paper_seesaw "5.6";
    the_complex_scene_stays_together paper_complex "5.7";
}

/// Two boxes of 5.5, coarser and shorter than its table.
#[test]
fn a_light_and_a_heavy_box_float_at_their_draught() {
    for ratio in [0.3, 0.7] {
        let mut scene = floating(ratio, At::Small).unwrap();
        scene.spacing = 0.04;
        scene.duration = 4.0;
        let settings = Settings {
            max_iterations: 60,
            ..Settings::default()
        };
        let ours = submerged(&scene, &settings, &|| true).unwrap();
        println!("submerged at {ratio}: {ours:.4}");
        assert!(
            (ours - ratio).abs() < 0.04,
            "submerged {ours} at density ratio {ratio}"
        );
    }
}
