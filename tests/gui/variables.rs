//! Variables in the window: made from a field, slid, swept; points of a chart become the design.

use super::*;
use stokeslet_gui::studies::{Question, StudyCommand};

const TREE: &str = r#"
format = 1
[fluid]
viscosity = "1 mPa s"
[chip]
model = "planar"
width = "100 um"
depth = "50 um"
resolution = 4
[components]
t = { kind = "tee", at = ["0 mm", "0 mm"] }
a = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "1 mm" } }
b = { kind = "pipe", attach = "a", to = "t.left", parameters = { length = "2 mm" } }
[ports]
in = { at = "t.up", flow_rate = "1 uL/min" }
one = { at = "a.b", pressure = "0 Pa" }
two = { at = "b.b", pressure = "0 Pa" }
"#;

fn answered(window: &mut Window) {
    let begin = Instant::now();
    while window.state().context().studies.running.is_some() {
        assert!(begin.elapsed() < Duration::from_secs(300), "no answer");
        std::thread::sleep(Duration::from_millis(5));
        window.run_steps(1);
    }
}

#[test]
fn a_length_becomes_a_variable_is_swept_and_a_point_is_taken() {
    let home = home();
    let file = home.path().join("tree.toml");
    std::fs::write(&file, TREE).expect("a file");
    let mut window = open(Some(&file), home.path());
    apply(&mut window, Command::Select(Selection::one("a")));
    window.get_by_label("Make a variable of length").click();
    window.run_steps(3);
    let now = text(&window);
    assert!(now.contains("[variables]\nlength = \"1 mm\""), "{now}");
    assert!(now.contains("length = \"=length\""), "{now}");
    // It has a slider at once, and a sweep beside it.
    window.get_by_role_and_label(Role::Slider, "length slider");
    window.get_by_label("Sweep").click();
    window.run_steps(2);
    answered(&mut window);
    let studies = window.state().context().studies.clone();
    assert_eq!(studies.failure, None);
    let sweep = studies.sweep.expect("a sweep");
    assert_eq!(sweep.records.len(), 11);
    apply(&mut window, Command::Study(StudyCommand::TakePoint(10)));
    assert!(
        text(&window).contains("length = \"2.5 mm\""),
        "{}",
        text(&window)
    );
    apply(&mut window, Command::Undo);
    // Goals: both outlets alike.
    let question = Question::Goals {
        varied: vec!["length".to_owned()],
        goals: vec!["ports.one.flow_rate = ports.two.flow_rate".to_owned()],
    };
    apply(&mut window, Command::Study(StudyCommand::Ask(question)));
    answered(&mut window);
    apply(&mut window, Command::Study(StudyCommand::TakeFound));
    let design = window.state().document().design.clone().expect("a design");
    let value = design
        .parametric
        .variable("length")
        .and_then(|v| v.value.clone());
    let Some(Value::Quantity(found, Dimension::Length)) = value else {
        panic!("{value:?}");
    };
    assert!((found - 2e-3).abs() < 1e-6, "{found}");
    // What is used can't be removed, and that is said.
    let before = text(&window);
    apply(&mut window, Command::RemoveVariable("length".to_owned()));
    assert_eq!(text(&window), before);
}
