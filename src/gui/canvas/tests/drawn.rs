//! What is drawn over the chip, dragged by handles, mirrored and grouped.

use super::*;
use crate::command::Layer;
use stokeslet_base::units::Dimension;
use stokeslet_cad::design::{OverlayLayer, OverlayShape, Value};

const OVERLAID: &str = "[control]\nvalve = { box = [[\"0.4 mm\", \"-0.1 mm\"], [\"0.6 mm\", \"0.1 mm\"]] }\n[notes]\nn = { text = \"here\", at = [\"0 mm\", \"0.4 mm\"], size = \"0.1 mm\" }";

#[test]
fn control_lines_valves_and_notes_are_drawn() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Overlay(OverlayLayer::Control);
    let places = [(0.5, 0.0), (0.5, 0.5), (1.0, 0.5)].map(|(x, y)| at(&harness, x, y));
    for place in places {
        click(&mut harness, place);
    }
    assert_eq!(take(&mut harness), [], "the line goes on");
    harness.key_press(Key::Enter);
    harness.run_steps(2);
    let points = vec![
        Point::new(5e-4, 0.0),
        Point::new(5e-4, 5e-4),
        Point::new(1e-3, 5e-4),
    ];
    let line = OverlayShape::Path {
        points,
        width: None,
    };
    let want = Command::AddOverlay(OverlayLayer::Control, line);
    assert_eq!(take(&mut harness), [want]);
    let (a, b) = (at(&harness, 0.4, -0.1), at(&harness, 0.6, 0.1));
    drag(&mut harness, a, b);
    let corners = [Point::new(4e-4, -1e-4), Point::new(6e-4, 1e-4)];
    let valve = OverlayShape::Rectangle(corners);
    let want = Command::AddOverlay(OverlayLayer::Control, valve);
    assert_eq!(take(&mut harness), [want]);
    // Escape gives up the line first, then the tool.
    click(&mut harness, places[0]);
    harness.key_press(Key::Escape);
    harness.run_steps(2);
    assert_eq!(take(&mut harness), []);
    harness.state_mut().state.tool = Tool::Overlay(OverlayLayer::Notes);
    click(&mut harness, places[1]);
    let commands = take(&mut harness);
    let is_note = |c: &Command| matches!(c, Command::AddOverlay(OverlayLayer::Notes, OverlayShape::Text { at, .. }) if *at == Point::new(5e-4, 5e-4));
    assert!(commands.len() == 1 && is_note(&commands[0]), "{commands:?}");
}

#[test]
fn what_is_drawn_over_the_chip_is_clicked_dragged_and_hidden() {
    let mut harness = bench(PIPES, OVERLAID);
    let over = at(&harness, 0.5, 0.0);
    click(&mut harness, over);
    assert_eq!(
        take(&mut harness),
        [Command::Select(Selection::one("valve"))]
    );
    // A corner of what is selected.
    let (a, b) = (at(&harness, 0.6, 0.1), at(&harness, 0.8, 0.2));
    drag(&mut harness, a, b);
    let commands = take(&mut harness);
    let [Command::SetOverlay(overlay)] = &commands[..] else {
        panic!("{commands:?}");
    };
    let corners = [Point::new(4e-4, -1e-4), Point::new(8e-4, 2e-4)];
    assert_eq!(overlay.shape, OverlayShape::Rectangle(corners));
    // All of it.
    let (a, b) = (at(&harness, 0.5, 0.03), at(&harness, 0.7, 0.03));
    drag(&mut harness, a, b);
    let commands = take(&mut harness);
    let is_moved =
        |c: &Command| matches!(c, Command::Move(by) if (*by - Point::new(2e-4, 0.0)).norm() < 1e-9);
    assert!(commands.iter().any(is_moved), "{commands:?}");
    // A box takes it with what lies below.
    let (a, b) = (at(&harness, -0.3, -0.3), at(&harness, 1.4, 0.3));
    drag(&mut harness, a, b);
    let items = harness.state().state.selection.items.clone();
    assert_eq!(items.into_iter().collect::<Vec<_>>(), ["p", "valve"]);
    take(&mut harness);
    // Once hidden, what lies below is hit.
    harness
        .state_mut()
        .state
        .settings
        .layers
        .remove(&Layer::Control);
    harness.run_steps(2);
    click(&mut harness, over);
    assert_eq!(take(&mut harness), [Command::Select(Selection::one("p"))]);
}

#[test]
fn a_parameter_is_dragged_by_its_handle() {
    let mut harness = bench(PIPES, "");
    let end = at(&harness, 1.0, 0.0);
    drag(&mut harness, end, end + Vec2::new(60.0, 0.0));
    let commands = take(&mut harness);
    let is_move = |c: &Command| matches!(c, Command::Move(_));
    assert!(commands.iter().any(is_move), "what isn't selected is moved");
    harness.state_mut().state.selection = Selection::one("p");
    harness.run_steps(2);
    drag(&mut harness, end, end + Vec2::new(61.0, 3.0));
    let commands = take(&mut harness);
    let want = Command::SetParameter {
        component: "p".to_owned(),
        parameter: "length".to_owned(),
        value: Some(Value::Quantity(1.3e-3, Dimension::Length)),
    };
    assert_eq!(
        commands.last(),
        Some(&want),
        "61 points of 5 µm, on the grid"
    );
    assert!(!commands.iter().any(is_move), "{commands:?}");
    // Nowhere to take the whole by would be left of something small.
    harness.state_mut().canvas.view.scale = 2e-5;
    harness.run_steps(2);
    let end = at(&harness, 1.0, 0.0);
    drag(&mut harness, end, end + Vec2::new(60.0, 0.0));
    assert!(take(&mut harness).iter().any(is_move));
}

#[test]
fn a_mirror_line_snaps_to_sockets_and_to_eighths_of_a_turn() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Mirror;
    let (a, b) = (at(&harness, 1.01, 0.01), at(&harness, 1.06, 0.6));
    drag(&mut harness, a, b);
    assert_eq!(take(&mut harness), [], "nothing is selected");
    harness.state_mut().state.selection = Selection::one("p");
    harness.run_steps(2);
    drag(&mut harness, a, b);
    let commands = take(&mut harness);
    let [Command::MirrorCopy(from, to)] = commands[..] else {
        panic!("{commands:?}");
    };
    assert_eq!(from, Point::new(1e-3, 0.0), "the socket p.b");
    assert!(
        (to.x - 1e-3).abs() < 1e-12 && to.y > 5e-4,
        "upright: {to:?}"
    );
}

#[test]
fn a_click_selects_all_of_a_group_and_another_one_thing_of_it() {
    let mut harness = bench(PIPES, "[groups]\npair = { of = [\"p\", \"q\"] }");
    let on_p = at(&harness, 0.5, 0.0);
    click(&mut harness, on_p);
    let selected = |harness: &Harness<'_, Bench>| {
        let items = harness.state().state.selection.items.iter();
        items.cloned().collect::<Vec<_>>()
    };
    assert_eq!(selected(&harness), ["p", "q"]);
    click(&mut harness, on_p);
    assert_eq!(selected(&harness), ["p"]);
    let nowhere = at(&harness, 0.5, 0.5);
    click(&mut harness, nowhere);
    take(&mut harness);
    // A drag of one moves both.
    let to = at(&harness, 0.7, 0.0);
    drag(&mut harness, on_p, to);
    assert_eq!(selected(&harness), ["p", "q"]);
    let commands = take(&mut harness);
    assert!(
        commands.iter().any(|c| matches!(c, Command::Move(_))),
        "{commands:?}"
    );
}
