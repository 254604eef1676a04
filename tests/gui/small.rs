//! Small things that stopped people who tried the window for the first time.

use super::*;

#[test]
fn messages_wait_while_a_dialog_is_open() {
    let home = home();
    let mut window = empty(home.path());
    // Refused, which is said.
    apply(&mut window, Command::Undo);
    window.run_steps(2);
    let said = |window: &Window| window.query_by_label_contains("Undo: ").is_some();
    assert!(said(&window));
    apply(&mut window, Command::Shortcuts);
    window.run_steps(2);
    assert!(!said(&window), "over the dialog");
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(said(&window), "it waited");
}

#[test]
fn unsaved_work_is_asked_about_once() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    for _ in 0..3 {
        apply(&mut window, Command::New);
    }
    window.get_by_label("Don't save").click();
    window.run_steps(4);
    assert!(window.query_by_label("Don't save").is_none(), "asked again");
    assert!(!text(&window).contains("tee"), "{}", text(&window));
}

#[test]
fn edges_of_panels_are_caught_on_both_sides() {
    let home = home();
    let mut window = empty(home.path());
    let canvas = |window: &Window| window.state().canvas().view.rect;
    for off in [-3.0, 3.0] {
        let before = canvas(&window);
        let edge = before.left_center() + vec2(off, 40.0);
        drag(&mut window, edge, vec2(-20.0, 0.0));
        let after = canvas(&window);
        assert!(
            after.left() < before.left() - 5.0,
            "{off}: {before} {after}"
        );
        assert!(window.state().selection().is_empty());
    }
}

#[test]
fn a_channel_between_tees_moves_or_says_why_not() {
    let home = home();
    let mut window = empty(home.path());
    place(&mut window, "tee", 0.0, 0.0);
    place(&mut window, "tee", 2e-3, 0.0);
    let between = |to: &str| ChannelEnd::Socket(to.to_owned());
    apply(
        &mut window,
        Command::Channel {
            from: between("tee1.up"),
            to: between("tee2.up"),
            via: vec![Point::new(0.0, 0.8e-3), Point::new(2e-3, 0.8e-3)],
            bend: Bend::Mitred,
        },
    );
    apply(&mut window, Command::Fit);
    window.run_steps(6);
    let design = |window: &Window| window.state().document().design.clone().expect("a design");
    assert_eq!(design(&window).channels.len(), 1, "{}", text(&window));
    let height = |window: &Window| design(window).channels[0].via[0].value.y;
    let before = height(&window);
    // Its upper run goes up, its ends stay.
    let run = on_screen(&window, Point::new(1e-3, before));
    drag(&mut window, run, vec2(0.0, -60.0));
    let after = height(&window);
    assert!(after > before + 1e-5, "{}", text(&window));
    // One without a bend has nowhere to go: that is said.
    apply(
        &mut window,
        Command::Channel {
            from: between("tee1.right"),
            to: between("tee2.left"),
            via: Vec::new(),
            bend: Bend::Mitred,
        },
    );
    apply(&mut window, Command::Select(Selection::default()));
    window.run_steps(4);
    let before = text(&window);
    let straight = on_screen(&window, Point::new(1e-3, 0.0));
    drag(&mut window, straight, vec2(0.0, -40.0));
    assert_eq!(text(&window), before);
    assert!(
        window
            .query_by_role_and_label(Role::Button, "Dismiss message")
            .is_some(),
        "in silence"
    );
}

/// Whatever is shown, while nobody does anything no frame is asked for.
#[test]
fn a_window_that_waits_is_idle_in_every_state() {
    let states: &[(&str, &[Command])] = &[
        ("gallery", &[Command::Gallery]),
        ("first steps", &[Command::Hint(Some(4))]),
        ("tree", &[Command::TogglePanel(Panel::Tree)]),
        ("source", &[Command::TogglePanel(Panel::Source)]),
        ("species", &[Command::TogglePanel(Panel::Species)]),
        ("study", &[Command::TogglePanel(Panel::Study)]),
        ("streamlines", &[Command::ToggleLayer(Layer::Streamlines)]),
        ("mesh", &[Command::ToggleLayer(Layer::Mesh)]),
        ("channel tool", &[Command::SetTool(Tool::Channel)]),
        ("shortcuts", &[Command::Shortcuts]),
        (
            "dimensions",
            &[Command::SelectAll, Command::ToggleDimensions],
        ),
        ("hidden", &[Command::SelectAll, Command::HideSelected]),
    ];
    for (name, commands) in states {
        let home = home();
        let mut window = open(Some(&example("y-mixer")), home.path());
        for command in *commands {
            apply(&mut window, command.clone());
        }
        let begin = Instant::now();
        let mut quiet = 0;
        let ctx = window.ctx.clone();
        while quiet < 8 && begin.elapsed() < Duration::from_secs(30) {
            window.step();
            let waits = window.state().is_settled() && !ctx.has_requested_repaint();
            quiet = if waits { quiet + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(quiet, 8, "{name}: {:?}", ctx.repaint_causes());
    }
}
