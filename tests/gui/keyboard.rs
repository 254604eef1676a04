//! A chip that is drawn, solved and changed by keys alone.

use super::*;

fn keys(window: &mut Window, key: Key, n: usize) {
    for _ in 0..n {
        window.key_press(key);
        window.run_steps(2);
    }
}

/// Does what the palette of commands finds first.
fn command(window: &mut Window, words: &str) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::P);
    window.run_steps(3);
    window.event(Event::Text(words.to_owned()));
    window.run_steps(3);
    window.key_press(Key::Enter);
    window.run_steps(4);
}

#[test]
fn a_chip_is_drawn_solved_and_changed_by_keys_alone() {
    let home = home();
    let mut window = empty(home.path());
    command(&mut window, "place tee");
    assert_eq!(
        *window.state().context().tool,
        Tool::Place("tee".to_owned())
    );
    keys(&mut window, Key::ArrowLeft, 3);
    keys(&mut window, Key::Enter, 1);
    let layout = |window: &Window| window.state().document().layout.clone();
    assert_eq!(layout(&window).items, ["tee1"], "{}", text(&window));
    let at = layout(&window).motions[0].expect("placed").translation;
    assert!(at.x < 0.0 && at.y == 0.0, "{at:?}");
    // A channel from its nearest socket, a bend, and on into empty space.
    keys(&mut window, Key::C, 1);
    keys(&mut window, Key::CloseBracket, 1);
    let mut found = None;
    for _ in 0..3 {
        let pointer = window
            .state()
            .canvas()
            .pointer
            .expect("the cursor is there");
        let sockets = layout(&window);
        let mut all = sockets.sockets.iter();
        let socket = all.find(|s| (s.geometry.middle - pointer).norm() < 1e-9);
        let name = sockets.full_name(socket.expect("on a socket"));
        if name == "tee1.right" {
            found = Some(name);
            break;
        }
        keys(&mut window, Key::CloseBracket, 1);
    }
    assert!(found.is_some(), "brackets go from socket to socket");
    keys(&mut window, Key::Enter, 1);
    for _ in 0..3 {
        window.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
        window.run_steps(2);
    }
    keys(&mut window, Key::Enter, 1);
    for _ in 0..2 {
        window.key_press_modifiers(Modifiers::SHIFT, Key::ArrowUp);
        window.run_steps(2);
    }
    // Once for the point, and once more for the end.
    keys(&mut window, Key::Enter, 2);
    let design = window.state().document().design.clone().expect("a design");
    assert_eq!(design.channels.len(), 1, "{}", text(&window));
    keys(&mut window, Key::Escape, 3);
    assert_eq!(*window.state().context().tool, Tool::Select);
    window.key_press_modifiers(Modifiers::SHIFT, Key::O);
    window.run_steps(3);
    solved(&mut window);
    // Things are gone through by brackets, and moved by arrows.
    keys(&mut window, Key::CloseBracket, 1);
    assert_eq!(window.state().selection(), &Selection::one("tee1"));
    keys(&mut window, Key::CloseBracket, 1);
    assert_eq!(window.state().selection(), &Selection::one("channel1"));
    keys(&mut window, Key::OpenBracket, 1);
    let before = layout(&window).motions[0].expect("placed").translation;
    keys(&mut window, Key::ArrowDown, 2);
    let after = layout(&window).motions[0].expect("placed").translation;
    assert!(after.y < before.y, "{}", text(&window));
    // The mouse takes over.
    keys(&mut window, Key::O, 1);
    keys(&mut window, Key::ArrowUp, 1);
    let by_key = window.state().canvas().pointer;
    let middle = window.state().canvas().view.rect.center() + vec2(37.0, 11.0);
    window.hover_at(middle);
    window.run_steps(2);
    assert_ne!(window.state().canvas().pointer, by_key);
}
