//! Dissolved species as a user meets them: added, coloured, mixed by a slider, read across a channel, watched as tracers.

use std::sync::Arc;

use super::*;
use stokeslet_gui::species::Dissolved;

const TEE: &str = r#"format = 1
# two streams meet
fluid = { viscosity = "1 mPa s" }
chip = { model = "shallow", width = "100 um", depth = "50 um" }

[components]
t = { kind = "tee", at = ["0 mm", "0 mm"] }
l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "600 um" } }
u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "600 um" } }
r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "2 mm" } }

[ports]
sample = { at = "l.a", flow_rate = "1 uL/min" }
buffer = { at = "u.a", flow_rate = "1 uL/min" }
out = { at = "r.b", pressure = "0 Pa" }
"#;

fn tee(home: &Path) -> Window {
    let path = home.join("mixer.toml");
    std::fs::write(&path, TEE).expect("a file");
    let mut window = open(Some(&path), home);
    solved(&mut window);
    apply(&mut window, Command::Hint(None));
    window
}

/// Frames until species are followed on the flow that is shown.
fn followed(window: &mut Window) -> Arc<Dissolved> {
    let begin = Instant::now();
    loop {
        window.step();
        let app = window.state();
        let results = app.results();
        if let (Some(solved), Some(dissolved)) = (&results.solved, &results.dissolved)
            && solved.revision == app.document().revision
            && Arc::ptr_eq(solved, &dissolved.solved)
            && app.is_settled()
        {
            return dissolved.clone();
        }
        assert_eq!(results.not_dissolved, None);
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "no species: {}",
            text(window)
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn mixed(dissolved: &Dissolved) -> f64 {
    dissolved.results[0].ports[2]
        .mixing_index
        .expect("two streams meet")
}

#[test]
fn a_species_is_added_with_a_click_and_taken_back() {
    let home = home();
    let mut window = tee(home.path());
    let flow = window.state().results().solved.clone().expect("solved");
    apply(&mut window, Command::TogglePanel(Panel::Species));
    window.run_steps(3);
    window
        .get_all_by_role_and_label(Role::Button, "sample")
        .last()
        .expect("a choice of inlets")
        .click();
    window.run_steps(3);
    let dissolved = followed(&mut window);
    assert!(
        text(&window).starts_with(TEE) && text(&window).contains("inlets = { sample = 1.0 }"),
        "{}",
        text(&window)
    );
    assert!(
        Arc::ptr_eq(&dissolved.solved.solution, &flow.solution),
        "the flow is the same: it isn't solved again"
    );
    assert_eq!(window.state().shown().colour, Some(Quantity::Species(0)));
    let mean = dissolved.results[0].ports[2].mean.expect("an outlet");
    assert!((mean - 0.5).abs() < 1e-3, "{mean}");
    window.run_steps(3);
    // The table of outlets and the toolbar's list of colours.
    assert!(window.query_all_by_label("outlet").next().is_some());
    assert!(
        window
            .query_all_by_role(Role::ComboBox)
            .any(|list| list.value().as_deref() == Some("dye")),
        "colours are named after the species"
    );
    apply(&mut window, Command::Undo);
    window.run_steps(4);
    assert_eq!(text(&window), TEE);
    assert_eq!(window.state().shown().colour, Some(Quantity::SPEED));
    assert!(window.state().results().dissolved.is_none());
    apply(&mut window, Command::Redo);
    followed(&mut window);
}

#[test]
fn a_diffusivity_changes_what_is_dissolved_and_nothing_else() {
    let home = home();
    let mut window = tee(home.path());
    apply(&mut window, Command::AddSpecies(None));
    let slow = followed(&mut window);
    apply(&mut window, Command::SetDiffusivity("dye".into(), 4e-9));
    let fast = followed(&mut window);
    assert!(mixed(&fast) > mixed(&slow) + 0.2, "{}", mixed(&fast));
    assert!(Arc::ptr_eq(&slow.paths, &fast.paths), "paths are kept");
    let design = window.state().document().design.clone().expect("a design");
    assert_eq!(design.species.species[0].diffusivity.value, 4e-9);
    // Another inlet brings half as much.
    let other = stokeslet::design::Inlet {
        port: Spanned::nowhere("buffer".into()),
        steps: vec![(0.0, 0.5)],
        unit: stokeslet::design::Concentration::Relative,
    };
    apply(&mut window, Command::SetInlet("dye".into(), other));
    let both = followed(&mut window);
    let mean = both.results[0].ports[2].mean.expect("an outlet");
    assert!((mean - 0.75).abs() < 1e-3, "{mean}");
    // The flow itself changes: species follow it.
    let faster =
        stokeslet::design::PortCondition::FlowRate(stokeslet::units::FlowRate(4e-9 / 60.0));
    apply(&mut window, Command::SetCondition("sample".into(), faster));
    let stream = followed(&mut window);
    let mean = stream.results[0].ports[2].mean.expect("an outlet");
    assert!((mean - 0.9).abs() < 1e-3, "{mean}");
    for colour in [Quantity::Age, Quantity::Species(0), Quantity::SPEED] {
        apply(&mut window, Command::Colour(Some(colour)));
        assert_eq!(window.state().shown().colour, Some(colour));
        // Ages are made where they are looked at, and only there; at the ports always.
        let is_age = colour == Quantity::Age;
        let begin = Instant::now();
        let seen = loop {
            let seen = followed(&mut window);
            if seen.ages.is_some() == is_age {
                break seen;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "{colour:?}");
        };
        assert!(seen.results[0].ports[2].age_mean_s.is_some());
    }
    apply(&mut window, Command::Colour(Some(Quantity::Species(1))));
    assert_eq!(window.state().shown().colour, Some(Quantity::SPEED));
    assert!(
        window
            .query_all_by_label_contains("no such species")
            .next()
            .is_some(),
        "it is said why"
    );
}

#[test]
fn the_section_under_the_pointer_says_how_mixed_it_is() {
    let home = home();
    let mut window = tee(home.path());
    apply(&mut window, Command::AddSpecies(None));
    followed(&mut window);
    apply(&mut window, Command::Fit);
    window.run_steps(5);
    let at = Point::new(1.5e-3, 1e-5);
    let on_screen = on_screen(&window, at);
    window.hover_at(on_screen);
    window.run_steps(4);
    let section = window.state().results().section.clone().expect("a section");
    assert!((section.at - at).norm() < 2e-5, "{section:?}");
    assert!((section.length() / 1e-4 - 1.0).abs() < 1e-2);
    let index = section.across[0].mixing_index.expect("two streams");
    let said = format!("mixing index {index:.3}");
    assert!(
        window.query_all_by_label_contains(&said).next().is_some(),
        "{said}"
    );
    // Left of the chip there is nothing: the last section stays to be looked at.
    let corner = window.state().canvas().view.rect.left_bottom() + vec2(60.0, -60.0);
    window.hover_at(corner);
    window.run_steps(3);
    assert_eq!(window.state().results().section.as_deref(), Some(&*section));
}

#[test]
fn frames_are_asked_for_only_while_tracers_flow() {
    let home = home();
    let mut window = tee(home.path());
    apply(&mut window, Command::TogglePlay);
    let dissolved = followed(&mut window);
    let tracers = dissolved.tracers.clone().expect("tracers need no species");
    assert!(tracers.ways.len() > 20, "{}", tracers.ways.len());
    let ctx = window.ctx.clone();
    let begin = Instant::now();
    let asks = |window: &mut Window, want: bool| {
        // Until what was told has faded and the settings are stored.
        let mut same = 0;
        while same < 8 && begin.elapsed() < Duration::from_secs(120) {
            window.step();
            same = if ctx.has_requested_repaint() == want {
                same + 1
            } else {
                0
            };
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(same, 8, "{want}: {:?}", ctx.repaint_causes());
    };
    asks(&mut window, true);
    apply(&mut window, Command::TogglePlay);
    asks(&mut window, false);
    apply(&mut window, Command::TogglePlay);
    asks(&mut window, true);
    apply(&mut window, Command::ToggleLayer(Layer::Tracers));
    asks(&mut window, false);
}
