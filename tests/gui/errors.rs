//! How good the numbers are: estimated behind the window after every solve, and shown beside them.

use super::*;
use egui_kittest::kittest::NodeT;

/// Frames until the errors of what is shown are known.
fn estimated(window: &mut Window) -> f64 {
    let begin = Instant::now();
    loop {
        window.step();
        let app = window.state();
        let solved = app.results().solved.as_ref();
        if let Some(solved) = solved
            && solved.revision == app.document().revision
            && let Some(errors) = app.results().errors_of(solved)
        {
            return errors.relative;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no estimate");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a widget says.
fn told(node: &egui_kittest::Node<'_>) -> Option<String> {
    let node = node.accesskit_node();
    node.label().or_else(|| node.value())
}

#[test]
fn errors_come_after_a_solve_and_a_click_makes_them_smaller() {
    let home = home();
    let mut window = open(Some(&example("y-mixer")), home.path());
    apply(&mut window, Command::SetLive(false));
    apply(&mut window, Command::SolveAt(4));
    solved(&mut window);
    let coarse = estimated(&mut window);
    assert!(coarse > 1e-3, "{coarse}");
    apply(&mut window, Command::Hint(None));
    if !window.state().settings().panels.contains(&Panel::Results) {
        apply(&mut window, Command::TogglePanel(Panel::Results));
    }
    window.run_steps(3);
    // The line at the bottom and the panel say the same.
    let labels = window.query_all_by_label_contains("±");
    let all: Vec<String> = labels.filter_map(|node| told(&node)).collect();
    let alone = all
        .iter()
        .find(|text| text.starts_with('±') && text.ends_with('%'));
    let alone = alone.unwrap_or_else(|| panic!("the panel says nothing: {all:?}"));
    let is_in_line = |text: &String| text.contains("unknowns") && text.contains(alone.as_str());
    assert!(all.iter().any(is_in_line), "{all:?}");
    // The finer resolution that is offered for a tenth of a per cent.
    {
        let mut links = window.get_all_by_role(Role::Link);
        let finer = |node: &egui_kittest::Node<'_>| {
            told(node).is_some_and(|text| text.ends_with("cells across"))
        };
        let link = links.rfind(finer).expect("a finer resolution is offered");
        link.click();
    }
    let begin = Instant::now();
    while window
        .state()
        .results()
        .solved
        .as_ref()
        .is_none_or(|s| s.resolution == 4)
    {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "nothing finer came"
        );
        window.step();
    }
    let fine = estimated(&mut window);
    assert!(
        fine < 1.5e-3 && fine < 0.5 * coarse,
        "{coarse} became {fine}"
    );
}

#[test]
fn an_estimate_is_of_what_is_shown_and_of_nothing_else() {
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    solved(&mut window);
    estimated(&mut window);
    let before = window.state().results().solved.clone().expect("solved");
    apply(
        &mut window,
        Command::SetCondition("inlet".to_owned(), PortCondition::Pressure(Pascal(5.0))),
    );
    let app = window.state();
    assert!(
        app.results().errors_of(&before).is_some(),
        "the old one is still shown"
    );
    solved(&mut window);
    let app = window.state();
    let now = app.results().solved.clone().expect("solved");
    assert!(!std::sync::Arc::ptr_eq(&now.solution, &before.solution));
    estimated(&mut window);
    let app = window.state();
    assert!(app.results().errors_of(&before).is_none());
}
