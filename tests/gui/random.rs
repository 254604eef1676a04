//! Random commands and raw events: nothing panics, and nothing is lost.

use eframe::egui::{MouseWheelSource, MouseWheelUnit, TouchPhase};

use super::*;
use stokeslet::edits::Joint;

/// A random command about what there is, seeded.
struct Random {
    state: u64,
}

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn point(&mut self) -> Point {
        Point::new(self.real(-3e-3, 3e-3), self.real(-3e-3, 3e-3))
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let k = self.below(from.len());
        from.get(k).cloned()
    }

    fn end(&mut self, app: &App) -> ChannelEnd {
        let layout = &app.document().layout;
        let sockets: Vec<String> = layout.sockets.iter().map(|s| layout.full_name(s)).collect();
        match self.below(4) {
            0 => ChannelEnd::Free(self.point()),
            1 => ChannelEnd::OnPipe {
                item: self.pick(&layout.items).unwrap_or_default(),
                at: self.point(),
            },
            _ => ChannelEnd::Socket(self.pick(&sockets).unwrap_or_default()),
        }
    }

    fn command(&mut self, app: &App) -> Command {
        let document = app.document();
        let layout = &document.layout;
        let items = &layout.items;
        let sockets: Vec<String> = layout.sockets.iter().map(|s| layout.full_name(s)).collect();
        let ports: Vec<String> = document.design.as_ref().map_or(Vec::new(), |d| {
            d.ports.iter().map(|p| p.name.value.clone()).collect()
        });
        let kinds: Vec<String> = {
            let all = app.context().library.definitions();
            all.iter().map(|d| d.name.clone()).collect()
        };
        let item = self.pick(items).unwrap_or_else(|| "nobody".into());
        match self.below(35) {
            30 => {
                let (a, b) = (self.point(), self.point());
                let shape = match self.below(3) {
                    0 => OverlayShape::Rectangle([a, b]),
                    1 => OverlayShape::Circle {
                        centre: a,
                        diameter: Metre(self.real(1e-5, 1e-3)),
                    },
                    _ => OverlayShape::Path {
                        points: vec![a, b, self.point()],
                        width: None,
                    },
                };
                Command::AddOverlay(OverlayLayer::ALL[self.below(2)], shape)
            }
            33 => [
                Command::OpenEnds,
                Command::ToggleDimensions,
                Command::HideSelected,
                Command::ShowHidden,
                Command::SetHidden(Selection::one(&item), self.below(2) == 0),
            ][self.below(5)]
            .clone(),
            34 => {
                let parameter = ["length", "width", "angle"][self.below(3)].to_owned();
                match self.below(3) {
                    0 => Command::EditDimension(item, parameter),
                    k => Command::SetDimension {
                        component: item,
                        parameter,
                        is_written: k == 1,
                    },
                }
            }
            31 => [Command::Group, Command::Ungroup][self.below(2)].clone(),
            // Not for ever twice as many.
            32 if items.len() < 30 => Command::MirrorCopy(self.point(), self.point()),
            32 if items.len() < 60 => Command::CircularPattern {
                count: self.below(4) as u32,
                centre: self.point(),
            },
            32 => Command::Delete,
            0..=3 => Command::Place {
                kind: self.pick(&kinds).unwrap_or_default(),
                placement: match self.pick(&sockets).filter(|_| self.below(2) == 0) {
                    Some(to) => Placement::Attached(Attachment {
                        socket: Spanned::nowhere(
                            ["a", "left", "in", "up"][self.below(4)].to_owned(),
                        ),
                        to: Spanned::nowhere(to),
                        mirror: self.below(2) == 0,
                    }),
                    None => absolute(self.real(-3e-3, 3e-3), self.real(-3e-3, 3e-3)),
                },
            },
            4 => Command::Select(Selection::one(&item)),
            5 => Command::ToggleSelected(item),
            6 => Command::SelectAll,
            7 => Command::Move(self.point()),
            8 => Command::PreviewMove(self.point()),
            9 => Command::EndPreview,
            10 => Command::Rotate(self.below(5) as i32 - 2),
            11 => Command::Mirror([Axis::X, Axis::Y][self.below(2)]),
            12 => match items.len() < 30 {
                true => Command::Duplicate,
                false => Command::Delete,
            },
            13 => Command::Delete,
            14 => Command::Align(Align::ALL[self.below(Align::ALL.len())]),
            15 | 16 => Command::Channel {
                from: self.end(app),
                to: self.end(app),
                via: (0..self.below(3)).map(|_| self.point()).collect(),
                bend: match self.below(2) {
                    0 => Bend::Mitred,
                    _ => Bend::Round(Metre(self.real(1e-4, 4e-4))),
                },
            },
            17 => Command::AddPort(self.pick(&sockets).unwrap_or_default()),
            18 => Command::RemovePort(self.pick(&ports).unwrap_or_default()),
            19 => {
                let pressure = PortCondition::Pressure(Pascal(self.real(-1e3, 1e3)));
                Command::SetCondition(self.pick(&ports).unwrap_or_default(), pressure)
            }
            20 => Command::SetParameter {
                component: item,
                parameter: ["length", "width", "angle", "radius", "turns"][self.below(5)].into(),
                value: match self.below(3) {
                    0 => None,
                    1 => Some(Value::Number(self.real(-2.0, 9.0))),
                    _ => {
                        let length = self.real(-1e-4, 2e-3);
                        Some(Value::Quantity(length, Dimension::Length))
                    }
                },
            },
            21 => Command::SetPlacement(item, absolute(self.real(-2e-3, 2e-3), 1e-3)),
            22 => Command::Rename(item, format!("n{}", self.below(50))),
            23 => Command::SetWidth(Metre(self.real(5e-5, 2e-4))),
            24 => Command::SetText(format!("{}# more\n", document.text)),
            25 => Command::MoveWayPoint {
                channel: item,
                index: self.below(3),
                to: self.point(),
            },
            26 => Command::GoTo(self.below(document.history.steps().len() + 2)),
            27 => {
                [Command::Undo, Command::Redo, Command::Copy, Command::Cut][self.below(4)].clone()
            }
            28 => [
                Command::Fit,
                Command::FitSelection,
                Command::ZoomIn,
                Command::SetTool(Tool::Channel),
                Command::ToggleLayer(Layer::Mesh),
                Command::TogglePanel(Panel::Source),
                Command::SetTheme(Theme::Dark),
                Command::Colour(Some(Quantity::PRESSURE)),
                Command::AddSeed(self.point()),
                Command::SetJoint(Joint::Step),
                Command::SetJoint(Joint::Taper),
            ][self.below(11)]
            .clone(),
            _ => Command::Paste(
                "[components]\npasted = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n".into(),
                Some(self.point()),
            ),
        }
    }

    /// What a hand without a plan does with mouse and keyboard, all over the window but its menus, which open dialogs of the system.
    fn event(&mut self) -> Event {
        const KEYS: [Key; 24] = [
            Key::Escape,
            Key::Enter,
            Key::Tab,
            Key::Delete,
            Key::Backspace,
            Key::ArrowLeft,
            Key::ArrowUp,
            Key::F2,
            Key::F5,
            Key::C,
            Key::V,
            Key::O,
            Key::R,
            Key::M,
            Key::D,
            Key::H,
            Key::G,
            Key::L,
            Key::T,
            Key::K,
            Key::U,
            Key::Z,
            Key::A,
            Key::Space,
        ];
        // Without copying all that is selected, for ever twice as many.
        const WITH_CTRL: [Key; 5] = [Key::Z, Key::Y, Key::A, Key::G, Key::X];
        let at = Pos2::new(self.real(0.0, 1280.0) as f32, self.real(64.0, 800.0) as f32);
        match self.below(9) {
            0..=2 => Event::PointerMoved(at),
            3 | 4 => Event::PointerButton {
                pos: at,
                button: match self.below(6) {
                    0 => PointerButton::Secondary,
                    1 => PointerButton::Middle,
                    _ => PointerButton::Primary,
                },
                pressed: self.below(2) == 0,
                modifiers: Modifiers::NONE,
            },
            5 => Event::MouseWheel {
                unit: MouseWheelUnit::Point,
                delta: vec2(self.real(-50.0, 50.0) as f32, self.real(-50.0, 50.0) as f32),
                phase: TouchPhase::Move,
                source: MouseWheelSource::Unknown,
                modifiers: Modifiers::NONE,
            },
            6 => {
                let texts = [
                    "1", "50 um", "=w", "-", "µ", "2 mm", "\u{202e}", "e9", "tee",
                ];
                Event::Text(self.pick(&texts).unwrap_or_default().to_owned())
            }
            7 => Event::Key {
                key: self.pick(&KEYS).unwrap_or(Key::Escape),
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: match self.below(3) {
                    0 => Modifiers::SHIFT,
                    _ => Modifiers::NONE,
                },
            },
            _ => Event::Key {
                key: self.pick(&WITH_CTRL).unwrap_or(Key::Z),
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: Modifiers::COMMAND,
            },
        }
    }
}

/// Commands, undone to the last byte and done again.
fn random_commands(n: usize, seed: u64) {
    let home = home();
    let mut window = empty(home.path());
    // Solving every state would take minutes; it has tests of its own.
    apply(&mut window, Command::SetLive(false));
    let before = text(&window);
    let mut random = Random { state: seed };
    let mut changes = 0;
    for k in 0..n {
        let command = random.command(window.state());
        let then = window.state().document().text.clone();
        window.state_mut().apply(command);
        changes += usize::from(window.state().document().text != then);
        if k % 25 == 0 {
            window.step();
        }
    }
    let steps = window.state().document().history.steps().len() - 1;
    assert!(changes > n / 4, "too few commands do something: {changes}");
    apply(&mut window, Command::GoTo(steps));
    let after = text(&window);
    while window.state().document().history.now() > 0 {
        window.state_mut().apply(Command::Undo);
    }
    // The oldest steps of a long history are forgotten.
    if steps < 9_999 {
        assert_eq!(
            text(&window),
            before,
            "undone to the last byte, {steps} steps"
        );
    }
    apply(&mut window, Command::GoTo(steps));
    assert_eq!(text(&window), after, "and done again");
}

/// Raw events over a chip that is there, and every byte of it again by undo.
fn random_events(n: usize, seed: u64) {
    let home = home();
    let mut window = open(Some(&example("y-mixer")), home.path());
    apply(&mut window, Command::SetLive(false));
    apply(&mut window, Command::Hint(None));
    let before = text(&window);
    let mut random = Random { state: seed };
    let mut changes = 0;
    for _ in 0..n {
        let event = random.event();
        let then = window.state().document().text.clone();
        window.event(event);
        window.step();
        changes += usize::from(window.state().document().text != then);
    }
    window.key_press(Key::Escape);
    window.run_steps(3);
    let app = window.state();
    let history = &app.document().history;
    assert_eq!(history.steps()[history.now()].text, app.document().text);
    let steps = history.steps().len();
    assert_eq!(
        *history.steps()[0].text,
        *before,
        "of {steps} steps the first is the file"
    );
    assert!(changes > n / 200, "too few events do something: {changes}");
    while window.state().document().history.now() > 0 {
        window.state_mut().apply(Command::Undo);
    }
    assert_eq!(text(&window), before);
}

#[test]
fn two_thousand_random_commands_never_panic_and_undo_to_the_same_bytes() {
    random_commands(2_000, 1);
}

#[test]
fn a_thousand_random_events_never_panic_and_lose_nothing() {
    random_events(1_000, 1);
}

#[test]
#[ignore = "minutes"]
fn twenty_thousand_random_commands_and_events_never_panic() {
    for seed in 2..10 {
        random_commands(2_500, seed);
        random_events(2_500, seed);
        println!("{} commands and as many events", 2_500 * (seed - 1));
    }
}
