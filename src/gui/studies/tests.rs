use web_time::{Duration, Instant};

use super::*;
use stokeslet_cad::library::Library;

const TREE: &str = r#"
format = 1
[variables]
l = "1 mm"
[fluid]
viscosity = "1 mPa s"
[chip]
model = "planar"
width = "100 um"
depth = "50 um"
resolution = 4
[components]
t = { kind = "tee", at = ["0 mm", "0 mm"] }
a = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "=l" } }
b = { kind = "pipe", attach = "a", to = "t.left", parameters = { length = "2 mm" } }
[ports]
in = { at = "t.up", flow_rate = "1 uL/min" }
one = { at = "a.b", pressure = "0 Pa" }
two = { at = "b.b", pressure = "0 Pa" }
"#;

fn job(question: Question) -> Job {
    Job {
        text: TREE.into(),
        name: "tree".to_owned(),
        library: Library::embedded(),
        question,
    }
}

/// All that is heard of a question.
fn answered(question: Question) -> Studies {
    let mut asker = Asker::default();
    let mut studies = Studies::default();
    asker.ask(job(question), || ());
    let begin = Instant::now();
    while !asker.is_idle() {
        for heard in asker.drain() {
            studies.hear(heard);
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "no answer");
        std::thread::sleep(Duration::from_millis(5));
    }
    studies
}

const LENGTH: Powers = [0, 1, 0, 0, 0];

#[test]
fn a_sweep_has_a_record_a_value_and_longer_branches_get_less() {
    let study = Study::over("l", ([1e-3, 3e-3], LENGTH), 3, Vec::new());
    let studies = answered(Question::Sweep(study));
    assert_eq!(studies.failure, None);
    let sweep = studies.sweep.expect("a sweep");
    assert_eq!(sweep.records.len(), 3);
    assert_eq!(sweep.failures(), None);
    let column = sweep
        .outputs
        .iter()
        .position(|o| o.name == "ports.one.flow_rate")
        .expect("a column");
    let flow = |k: usize| sweep.records[&k].outputs[column].expect("a number").abs();
    assert!(flow(0) > flow(1) && flow(1) > flow(2));
    // Equal lengths share equally.
    let whole = 1e-9 / 60.0;
    assert!((flow(1) / whole - 0.5).abs() < 1e-9, "{}", flow(1) / whole);
    assert_eq!(Sweep::value(&sweep.records[&1], 0), Some(2e-3));
}

#[test]
fn goals_find_the_length_and_tolerances_say_what_it_does() {
    let studies = answered(Question::Goals {
        varied: vec!["l".to_owned()],
        goals: vec!["ports.one.flow_rate = ports.two.flow_rate".to_owned()],
    });
    assert_eq!(studies.failure, None);
    let found = studies.found.expect("values");
    assert!(found.is_met);
    assert!((found.values[0] - 2e-3).abs() < 1e-6, "{:?}", found.values);
    let studies = answered(Question::Tolerances);
    let tolerances = studies.tolerances.expect("a table");
    let row = tolerances
        .found
        .parameters
        .iter()
        .position(|p| p.name == "l");
    let derivatives = tolerances.found.derivatives[row.expect("the variable")].as_ref();
    assert!(
        derivatives
            .expect("it can be moved")
            .iter()
            .any(|d| d.is_some_and(|d| d != 0.0))
    );
}

#[test]
fn what_cannot_be_answered_is_said_and_a_question_given_up_is_silent() {
    let studies = answered(Question::Goals {
        varied: vec!["l".to_owned()],
        goals: vec!["ports.nowhere.flow_rate = 1".to_owned()],
    });
    let failure = studies.failure.expect("it is said");
    assert!(failure.contains("nowhere"), "{failure}");
    let mut asker = Asker::default();
    let study = Study::over("l", ([1e-3, 3e-3], LENGTH), 1000, Vec::new());
    asker.ask(job(Question::Sweep(study)), || ());
    asker.stop();
    assert!(asker.is_idle() && asker.drain().is_empty());
}

#[test]
fn numbers_are_shown_with_units() {
    assert_eq!(show(1.23456789e-4, LENGTH), "123.46 µm");
    assert_eq!(show(0.5, [0; 5]), "0.500");
    assert_eq!(as_value(2.0, [0; 5]), Some(Value::Number(2.0)));
    assert_eq!(as_value(2.0, [7, 0, 0, 0, 0]), None);
}
