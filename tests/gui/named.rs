//! Every control has a name that a screen reader can say, in every panel and dialog.

use super::*;
use egui_kittest::kittest::NodeT;

/// Controls without a name, as their role and place.
fn nameless(window: &Window, when: &str) -> Vec<String> {
    let root = window.root();
    let controls = [
        Role::Button,
        Role::CheckBox,
        Role::RadioButton,
        Role::Slider,
        Role::TextInput,
        Role::MultilineTextInput,
        Role::ComboBox,
        Role::SpinButton,
        Role::Link,
    ];
    root.children_recursive()
        .filter(|node| {
            let node = node.accesskit_node();
            controls.contains(&node.role()) && !node.is_hidden()
        })
        .filter(|node| {
            let name = node.accesskit_node().label().unwrap_or_default();
            name.trim().is_empty()
        })
        .map(|node| {
            let inner = node.accesskit_node();
            format!(
                "{when}: {:?} {:?} at {:?}",
                inner.role(),
                inner.value(),
                node.rect()
            )
        })
        .collect()
}

#[test]
fn a_screen_reader_can_name_every_control() {
    let home = home();
    let mut window = open(Some(&example("serpentine-mixing")), home.path());
    let mut found = nameless(&window, "as it starts");
    let tee = Selection::one("meet");
    let port = Selection::of_port("out");
    for (what, selection) in [("a component", tee), ("a port", port)] {
        apply(&mut window, Command::Select(selection));
        found.extend(nameless(&window, what));
    }
    apply(&mut window, Command::SelectAll);
    found.extend(nameless(&window, "everything"));
    let mut n_controls = 0;
    for panel in Panel::ALL {
        if !window.state().settings().panels.contains(&panel) {
            apply(&mut window, Command::TogglePanel(panel));
        }
        found.extend(nameless(&window, panel.label()));
        n_controls += window.root().children_recursive().count();
    }
    assert!(n_controls > 500, "the tree is there: {n_controls}");
    for (what, command) in [
        ("commands", Command::CommandPalette),
        ("shortcuts", Command::Shortcuts),
        ("about", Command::About),
        ("gallery", Command::Gallery),
    ] {
        apply(&mut window, command);
        found.extend(nameless(&window, what));
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
