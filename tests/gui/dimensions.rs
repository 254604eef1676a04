//! Dimensions stay on the canvas and are typed over there; what is hidden is neither seen nor caught.

use super::*;

/// Takes what the keyboard says into the field that has it.
fn type_over(window: &mut Window, text: &str) {
    window.event(Event::Text(text.to_owned()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(6);
}

fn pipe_of(window: &Window) -> (f64, f64) {
    let layout = window.state().document().layout.clone();
    let ends: Vec<_> = layout.sockets.iter().map(|s| s.geometry).collect();
    ((ends[1].middle - ends[0].middle).norm(), ends[0].width)
}

#[test]
fn dimensions_stay_and_are_typed_over_where_they_stand() {
    let home = home();
    let mut window = open_by(1.0 / 60.0, None, home.path());
    window.key_press(Key::Escape);
    window.run_steps(3);
    place(&mut window, "pipe", 0.0, 0.0);
    apply(&mut window, Command::Fit);
    window.run_steps(8);
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    let before = pipe_of(&window);
    // By its key, for all of the selection at once.
    window.key_press(Key::D);
    window.run_steps(3);
    assert!(text(&window).contains("dimensions = "), "{}", text(&window));
    apply(&mut window, Command::Select(Selection::default()));
    window.run_steps(2);
    let label = "dimension pipe1.length";
    let at = |window: &Window| window.get_by_label(label).rect().center();
    // It stays, and is clear of what it measures.
    let over = on_screen(&window, Point::new(before.0 / 2.0, before.1 / 2.0));
    assert!(at(&window).y < over.y, "{} over {over}", at(&window));
    let place_of_label = at(&window);
    double_click(&mut window, place_of_label);
    window.run_steps(6);
    window.get_by_role_and_label(Role::TextInput, "length of pipe1");
    type_over(&mut window, "2500");
    assert!(
        (pipe_of(&window).0 - 2.5e-3).abs() < 1e-12,
        "{}",
        text(&window)
    );
    let field = |window: &Window| {
        let found = window.query_by_role_and_label(Role::TextInput, "length of pipe1");
        found.is_some()
    };
    assert!(!field(&window), "it closes");
    // What can't be read stays, and Esc gives it up.
    apply(&mut window, Command::Fit);
    window.run_steps(8);
    let place_of_label = at(&window);
    double_click(&mut window, place_of_label);
    window.run_steps(6);
    type_over(&mut window, "2 kg");
    assert!(field(&window), "said where it was typed");
    window.key_press(Key::Escape);
    window.run_steps(4);
    assert!(!field(&window));
    assert!((pipe_of(&window).0 - 2.5e-3).abs() < 1e-12);
    // An expression is one, and the dimension shows what it amounts to.
    apply(
        &mut window,
        Command::EditDimension("pipe1".to_owned(), "length".to_owned()),
    );
    window.run_steps(6);
    type_over(&mut window, "=2 * 2 mm");
    assert!(
        (pipe_of(&window).0 - 4e-3).abs() < 1e-12,
        "{}",
        text(&window)
    );
    // Renamed and copied with the component.
    apply(
        &mut window,
        Command::Rename("pipe1".to_owned(), "feed".to_owned()),
    );
    window.get_by_label("dimension feed.length");
    apply(&mut window, Command::Select(Selection::one("feed")));
    apply(&mut window, Command::Duplicate);
    let texts = text(&window);
    assert_eq!(texts.matches("dimensions = ").count(), 2, "{texts}");
    // None is drawn where the layer is off.
    apply(&mut window, Command::ToggleLayer(Layer::Dimensions));
    window.run_steps(2);
    assert!(window.query_by_label("dimension feed.length").is_none());
}

#[test]
fn a_handle_is_typed_over_too() {
    let home = home();
    let mut window = open_by(1.0 / 60.0, None, home.path());
    window.key_press(Key::Escape);
    window.run_steps(3);
    place(&mut window, "pipe", 0.0, 0.0);
    apply(&mut window, Command::Fit);
    window.run_steps(8);
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    window.run_steps(3);
    let (length, _) = pipe_of(&window);
    let end = on_screen(&window, Point::new(length, 0.0));
    let scale = window.state().canvas().view.scale;
    double_click(&mut window, end);
    window.run_steps(6);
    type_over(&mut window, "1.5 mm");
    assert!(
        (pipe_of(&window).0 - 1.5e-3).abs() < 1e-12,
        "{}",
        text(&window)
    );
    let now = window.state().canvas().view.scale;
    assert_eq!(now, scale, "nothing was fitted");
    // Also where a port has its arrow.
    apply(&mut window, Command::AddPort("pipe1.b".to_owned()));
    apply(&mut window, Command::Fit);
    window.run_steps(6);
    apply(&mut window, Command::Select(Selection::one("pipe1")));
    window.run_steps(3);
    let end = on_screen(&window, Point::new(1.5e-3, 0.0));
    double_click(&mut window, end);
    window.run_steps(6);
    type_over(&mut window, "1.2 mm");
    assert!(
        (pipe_of(&window).0 - 1.2e-3).abs() < 1e-12,
        "{}",
        text(&window)
    );
}

#[test]
fn what_is_hidden_is_neither_seen_nor_caught() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "pipe", 0.0, 0.0);
    attach(&mut window, "tee", "left", "pipe1.b");
    apply(&mut window, Command::AddPort("pipe1.a".to_owned()));
    apply(&mut window, Command::Fit);
    window.run_steps(8);
    let before = text(&window);
    window.get_by_label("tee1 (tee)");
    let port = window
        .state()
        .document()
        .design
        .as_ref()
        .expect("a design")
        .ports[0]
        .name
        .value
        .clone();
    let port_label = format!("port {port}");
    window.get_by_role_and_label(Role::Button, &port_label);
    apply(&mut window, Command::Select(Selection::one("tee1")));
    window.key_press(Key::H);
    window.run_steps(3);
    assert!(window.query_by_label("tee1 (tee)").is_none(), "not seen");
    assert!(
        window.query_by_label("socket tee1.up").is_none(),
        "nor its sockets"
    );
    assert!(window.state().selection().is_empty());
    // Its card lies where the box begins.
    apply(&mut window, Command::Hint(None));
    let all = window.state().canvas().view.rect.shrink(30.0);
    drag(&mut window, all.left_top(), all.size());
    let selected = window.state().selection().items.clone();
    assert_eq!(selected.into_iter().collect::<Vec<_>>(), ["pipe1"]);
    apply(&mut window, Command::SelectAll);
    assert_eq!(
        window.state().selection().items.len(),
        1,
        "nothing is done to what isn't seen"
    );
    // The tree shows it again; and hides a port.
    apply(&mut window, Command::TogglePanel(Panel::Tree));
    window.run_steps(4);
    window.get_by_label("Show tee1").click();
    window.run_steps(3);
    window.get_by_label("tee1 (tee)");
    window.get_by_label(&format!("Hide {port}")).click();
    window.run_steps(3);
    assert!(
        window
            .query_by_role_and_label(Role::Button, &port_label)
            .is_none()
    );
    apply(&mut window, Command::ShowHidden);
    window.get_by_role_and_label(Role::Button, &port_label);
    assert_eq!(text(&window), before, "the file says nothing of it");
    // What is gone isn't hidden any more when something of its name comes.
    place(&mut window, "pipe", 0.0, 3e-3);
    apply(&mut window, Command::HideSelected);
    apply(&mut window, Command::Undo);
    place(&mut window, "pipe", 0.0, 3e-3);
    apply(&mut window, Command::Fit);
    window.run_steps(6);
    window.get_by_role_and_label(Role::Button, "pipe2 (pipe)");
    // A hidden thing stays so by another name.
    apply(&mut window, Command::HideSelected);
    apply(
        &mut window,
        Command::Rename("pipe2".to_owned(), "spare".to_owned()),
    );
    window.run_steps(2);
    assert!(window.query_by_label("spare (pipe)").is_none());
    apply(&mut window, Command::ShowHidden);
    window.get_by_role_and_label(Role::Button, "spare (pipe)");
    apply(&mut window, Command::Undo);
    apply(&mut window, Command::Undo);
    apply(&mut window, Command::Select(Selection::one("tee1")));
    // Another design has nothing hidden.
    apply(&mut window, Command::HideSelected);
    assert!(!window.state().context().hidden.is_empty());
    apply(&mut window, Command::SaveTo(home.path().join("saved.toml")));
    apply(&mut window, Command::OpenPath(example("tee")));
    window.run_steps(4);
    assert!(window.state().context().hidden.is_empty());
}
