//! How many actions common chips take from an empty one, by pointer and keys: a click, a drag, a turn of the wheel, a key or a typed value is one.

use eframe::egui::{MouseWheelSource, MouseWheelUnit, TouchPhase};

use super::*;

struct User {
    window: Window,
    n: usize,
}

impl User {
    fn at_an_empty_chip(home: &Path) -> Self {
        Self {
            window: empty(home),
            n: 0,
        }
    }

    fn click(&mut self, at: Pos2) {
        click(&mut self.window, at);
        self.window.run_steps(2);
        self.n += 1;
    }

    fn key(&mut self, key: Key) {
        self.window.key_press(key);
        self.window.run_steps(2);
        self.n += 1;
    }

    /// Clicks a component of the library; turns the wheel first where it isn't in view.
    fn take(&mut self, kind: &str) {
        let rect = |window: &Window| window.get_by_role_and_label(Role::Button, kind).rect();
        let panel = self.window.get_by_label("Search components").rect();
        let is_seen =
            |rect: eframe::egui::Rect| rect.top() > panel.bottom() && rect.bottom() < 770.0;
        if !is_seen(rect(&self.window)) {
            self.n += 1;
            self.window.hover_at(panel.center() + vec2(0.0, 200.0));
            for _ in 0..60 {
                let down = rect(&self.window).bottom() >= 770.0;
                self.window.event(Event::MouseWheel {
                    unit: MouseWheelUnit::Point,
                    delta: vec2(0.0, if down { -40.0 } else { 40.0 }),
                    phase: TouchPhase::Move,
                    source: MouseWheelSource::Unknown,
                    modifiers: Modifiers::NONE,
                });
                self.window.run_steps(10);
                if is_seen(rect(&self.window)) {
                    break;
                }
            }
        }
        let at = rect(&self.window).center();
        self.click(at);
    }

    fn open_ends(&mut self) {
        self.window.key_press_modifiers(Modifiers::SHIFT, Key::O);
        self.window.run_steps(3);
        self.n += 1;
    }

    fn socket(&self, name: &str) -> Pos2 {
        let layout = self.window.state().document().layout.clone();
        let mut all = layout.sockets.iter();
        let socket = all.find(|s| layout.full_name(s) == name);
        on_screen(&self.window, socket.expect("a socket").geometry.middle)
    }

    /// Clicks beside a socket, where what is placed attaches.
    fn attach(&mut self, socket: &str) {
        let at = self.socket(socket) + vec2(4.0, 1.0);
        self.click(at);
    }

    /// Types a value of a port into the table below.
    fn give(&mut self, port: usize, value: &str) {
        let design = self
            .window
            .state()
            .document()
            .design
            .clone()
            .expect("a design");
        let label = format!("given at {}", design.ports[port].name.value);
        self.window
            .get_by_role_and_label(Role::TextInput, &label)
            .click();
        self.window.run_steps(2);
        self.window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        self.window.event(Event::Text(value.to_owned()));
        self.window.run_steps(2);
        self.window.key_press(Key::Enter);
        self.window.run_steps(3);
        self.n += 1;
    }

    fn flows(&mut self) -> Vec<f64> {
        solved(&mut self.window);
        let app = self.window.state();
        assert!(
            app.document().diagnostics.iter().all(|d| d.code == "D235"),
            "{:?}",
            app.document().diagnostics
        );
        let solved = app.results().solved.as_ref().expect("solved");
        solved.solution.ports.iter().map(|p| p.flow_rate).collect()
    }
}

#[test]
fn a_y_mixer_takes_at_most_ten_actions() {
    let home = home();
    let mut user = User::at_an_empty_chip(home.path());
    user.take("y");
    let middle = user.window.state().canvas().view.rect.center();
    user.click(middle - vec2(60.0, 0.0));
    user.take("serpentine_round");
    user.attach("y1.out");
    // All free ends are opened at once, with nothing selected.
    user.key(Key::Escape);
    user.open_ends();
    user.give(1, "1 mbar");
    let flows = user.flows();
    assert!(user.n <= 10, "{} actions", user.n);
    assert!(
        flows[0] > 0.0 && flows[1] > 0.0 && flows[2] < 0.0,
        "{flows:?}"
    );
    println!("Y-mixer: {} actions", user.n);
}

#[test]
fn a_tree_of_four_outlets_takes_at_most_fifteen_actions() {
    let home = home();
    let mut user = User::at_an_empty_chip(home.path());
    user.take("y");
    let middle = user.window.state().canvas().view.rect.center();
    user.click(middle - vec2(60.0, 0.0));
    let arms = ["y1.a", "y1.b"];
    for arm in arms {
        user.take("y");
        user.attach(arm);
    }
    user.key(Key::O);
    for socket in ["y1.out", "y2.a", "y2.b", "y3.a", "y3.b"] {
        let layout = user.window.state().document().layout.clone();
        let names: Vec<String> = layout.sockets.iter().map(|s| layout.full_name(s)).collect();
        assert!(names.iter().any(|name| name == socket), "{names:?}");
        let at = user.socket(socket);
        user.click(at);
    }
    let flows = user.flows();
    assert!(user.n <= 15, "{} actions", user.n);
    assert!(
        flows[0] > 0.0 && flows[1..].iter().all(|q| *q < 0.0),
        "{flows:?}"
    );
    assert_eq!(flows.len(), 5);
    println!("tree: {} actions", user.n);
}

#[test]
fn a_ring_of_chambers_takes_seven_actions() {
    let home = home();
    let mut user = User::at_an_empty_chip(home.path());
    user.take("chamber");
    let middle = user.window.state().canvas().view.rect.center();
    user.click(middle);
    for label in ["Array", "Circular pattern"] {
        user.window.get_by_label(label).click();
        user.window.run_steps(4);
        user.n += 1;
    }
    for (label, value) in [("copies", "8"), ("centre y", "-3 mm")] {
        let field = user.window.get_by_role_and_label(Role::TextInput, label);
        field.click();
        user.window.run_steps(2);
        user.window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        user.window.event(Event::Text(value.to_owned()));
        user.window.run_steps(2);
        user.window.key_press(Key::Enter);
        user.window.run_steps(3);
        user.n += 1;
    }
    user.window.get_by_label("Make pattern of 8").click();
    user.window.run_steps(3);
    user.n += 1;
    let document = user.window.state().document();
    assert_eq!(document.layout.items.len(), 8, "{}", document.text);
    let centre = Point::new(0.0, -3e-3);
    let off = |p: Point| (p - centre).norm();
    let motions: Vec<Point> = document
        .layout
        .motions
        .iter()
        .flatten()
        .map(|m| m.translation)
        .collect();
    assert!(
        motions
            .iter()
            .all(|p| (off(*p) - off(motions[0])).abs() < 1e-6),
        "{motions:?}"
    );
    assert!(user.n <= 7, "{} actions", user.n);
}
