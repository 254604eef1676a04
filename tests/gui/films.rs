//! Films of habits: each is done in a window of its own and photographed three times, at four sizes, dark and light, to be looked at.
//!
//! ```text
//! cargo test --test gui films -- --ignored          strips go to the folder `films` of the build's temporary files
//! FILMS=dimensions,array cargo test ...             only those whose names begin so
//! ```

#[path = "films/rasteriser.rs"]
mod rasteriser;

use image::RgbaImage;
use rasteriser::{Keeper, Textures, picture};

use super::*;

/// A window and the pictures that were taken of it.
struct Film {
    window: Window,
    textures: Textures,
    shots: Vec<RgbaImage>,
    _home: TempDir,
}

/// How large, how fine, and in which colours a window is looked at.
struct Look {
    name: &'static str,
    size: Vec2,
    scale: f32,
}

const LOOKS: [Look; 4] = [
    Look {
        name: "1024x700",
        size: vec2(1024.0, 700.0),
        scale: 1.0,
    },
    Look {
        name: "1366x768",
        size: vec2(1366.0, 768.0),
        scale: 1.0,
    },
    Look {
        name: "2560x1440",
        size: vec2(2560.0, 1440.0),
        scale: 1.0,
    },
    Look {
        name: "1366x768-at-2",
        size: vec2(1366.0, 768.0),
        scale: 2.0,
    },
];

impl Film {
    fn of(look: &Look, theme: Theme) -> Self {
        let home = home();
        let textures = Textures::default();
        let start = Start {
            home: Some(home.path().to_owned()),
            ..Start::default()
        };
        let mut window = Harness::builder()
            .with_size(look.size)
            .with_pixels_per_point(look.scale)
            .with_max_steps(60)
            .with_step_dt(1.0 / 60.0)
            .renderer(Keeper(textures.clone()))
            .build_eframe(move |creation| App::new(&start, &creation.egui_ctx));
        window.run_steps(4);
        apply(&mut window, Command::SetTheme(theme));
        Self {
            window,
            textures,
            shots: Vec::new(),
            _home: home,
        }
    }

    /// Opens a design of the program's and waits for its flow.
    fn open(&mut self, name: &str) {
        apply(&mut self.window, Command::OpenExample(name.to_owned()));
        self.window.run_steps(8);
        self.solve();
    }

    /// An empty design, the gallery closed.
    fn empty(&mut self) {
        self.window.key_press(Key::Escape);
        self.window.run_steps(8);
    }

    fn solve(&mut self) {
        solved(&mut self.window);
        settled(&mut self.window);
    }

    /// Takes a picture once panels and messages stand still.
    fn shot(&mut self) {
        self.window.run_steps(20);
        self.shots.push(picture(&self.window, &self.textures));
    }

    fn middle(&self) -> Pos2 {
        self.window.state().canvas().view.rect.center()
    }

    /// Whether there are three pictures, and no two that follow each other are alike.
    fn moves(&self) -> bool {
        self.shots.len() == 3 && self.shots.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Its pictures side by side.
    fn strip(&self) -> RgbaImage {
        const GAP: u32 = 8;
        let wide: u32 = self.shots.iter().map(|shot| shot.width() + GAP).sum();
        let high = self.shots.iter().map(RgbaImage::height).max();
        let mut strip = RgbaImage::new(wide - GAP, high.unwrap_or(0));
        let mut left = 0;
        for shot in &self.shots {
            image::imageops::replace(&mut strip, shot, i64::from(left), 0);
            left += shot.width() + GAP;
        }
        strip
    }
}

/// Waits until what is seen is final.
fn settled(window: &mut Window) {
    let begin = Instant::now();
    while !window.state().is_settled() && begin.elapsed() < Duration::from_secs(60) {
        window.step();
        std::thread::sleep(Duration::from_millis(2));
    }
    window.run_steps(4);
}

fn typed(window: &mut Window, text: &str) {
    for letter in text.chars() {
        window.event(Event::Text(letter.to_string()));
        window.step();
    }
    window.run_steps(2);
}

/// Moves there and waits for what shows up.
fn hover(window: &mut Window, at: Pos2) {
    window.hover_at(at);
    window.run_steps(6);
}

/// A drag that is photographed before its end.
fn drag_seen(film: &mut Film, from: Pos2, by: Vec2) {
    let window = &mut film.window;
    hover(window, from);
    window.drag_at(from);
    window.run_steps(1);
    for k in 1..=4 {
        window.hover_at(from + by * (k as f32 / 4.0));
        window.run_steps(2);
    }
    film.shot();
    film.window.drop_at(from + by);
    film.window.run_steps(4);
}

fn select(window: &mut Window, names: &[&str]) {
    let items = names.iter().map(|name| (*name).to_owned()).collect();
    apply(window, Command::Select(Selection { items, port: None }));
}

fn attached(window: &mut Window, kind: &str, socket: &str, to: &str) {
    attach(window, kind, socket, to);
    apply(window, Command::Fit);
    window.run_steps(6);
}

fn at_item(window: &Window, item: &str, kind: &str) -> Pos2 {
    let label = format!("{item} ({kind})");
    window.get_by_label(&label).rect().center()
}

type Habit = (&'static str, fn(&mut Film));

const HABITS: &[Habit] = &[
    ("gallery", |film| {
        film.shot();
        let middle = film.window.ctx.content_rect().center();
        hover(&mut film.window, middle);
        film.shot();
        film.open("y-mixer");
        film.shot();
    }),
    ("pen from nowhere", |film| {
        film.empty();
        let middle = film.middle();
        apply(&mut film.window, Command::SetTool(Tool::Channel));
        click(&mut film.window, middle - vec2(200.0, 0.0));
        hover(&mut film.window, middle + vec2(60.0, 0.0));
        film.shot();
        typed(&mut film.window, "400 um");
        film.shot();
        film.window.key_press(Key::Enter);
        film.window.run_steps(3);
        click(&mut film.window, middle + vec2(100.0, 120.0));
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        film.shot();
    }),
    ("crossing channels", |film| {
        film.empty();
        let middle = film.middle();
        for (k, by) in [vec2(150.0, 0.0), vec2(0.0, 90.0)].into_iter().enumerate() {
            apply(&mut film.window, Command::SetTool(Tool::Channel));
            click(&mut film.window, middle - by);
            hover(&mut film.window, middle + by);
            if k == 1 {
                film.shot();
            }
            click(&mut film.window, middle + by);
            film.window.key_press(Key::Enter);
            film.window.run_steps(4);
            film.shot();
        }
    }),
    ("width of a branch", |film| {
        film.empty();
        place(&mut film.window, "tee", 0.0, 0.0);
        attached(&mut film.window, "pipe", "a", "tee1.right");
        select(&mut film.window, &["pipe1"]);
        film.shot();
        let field = film.window.get_by_role_and_label(Role::TextInput, "width");
        field.click();
        film.window.run_steps(3);
        film.window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        typed(&mut film.window, "50");
        film.shot();
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        film.shot();
    }),
    ("steps between widths", |film| {
        film.empty();
        place(&mut film.window, "tee", 0.0, 0.0);
        attached(&mut film.window, "pipe", "a", "tee1.right");
        select(&mut film.window, &["pipe1"]);
        let field = film.window.get_by_role_and_label(Role::TextInput, "width");
        field.click();
        film.window.run_steps(3);
        film.window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        typed(&mut film.window, "50");
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        film.shot();
        let answer = film.window.get_by_label("Use steps");
        let at = answer.rect().center();
        hover(&mut film.window, at);
        film.shot();
        click(&mut film.window, at);
        film.window.run_steps(4);
        film.shot();
    }),
    ("rename a port", |film| {
        film.open("tee");
        let port = film.window.state().document().design.as_ref().map(|d| {
            let name = d.ports[0].name.value.clone();
            format!("port {name}")
        });
        let label = port.unwrap_or_default();
        let at = film
            .window
            .get_by_role_and_label(Role::Button, &label)
            .rect()
            .center();
        hover(&mut film.window, at);
        film.shot();
        double_click(&mut film.window, at);
        film.window.run_steps(4);
        film.window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        typed(&mut film.window, "buffer");
        film.shot();
        film.window.key_press(Key::Enter);
        film.solve();
        film.shot();
    }),
    ("palette of commands", |film| {
        film.open("y-mixer");
        apply(&mut film.window, Command::CommandPalette);
        film.shot();
        typed(&mut film.window, "measure");
        film.shot();
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        let middle = film.middle();
        drag(
            &mut film.window,
            middle - vec2(60.0, 40.0),
            vec2(120.0, 60.0),
        );
        film.shot();
    }),
    ("drag on to a socket", |film| {
        film.empty();
        place(&mut film.window, "pipe", 0.0, 0.0);
        attached(&mut film.window, "tee", "left", "pipe1.b");
        let at = at_item(&film.window, "tee1", "tee");
        drag(&mut film.window, at, vec2(0.0, 130.0));
        film.shot();
        let now = at_item(&film.window, "tee1", "tee");
        drag_seen(film, now, at - now + vec2(3.0, -2.0));
        film.shot();
    }),
    ("copies by alt", |film| {
        film.empty();
        place(&mut film.window, "chamber", 0.0, 0.0);
        apply(&mut film.window, Command::Fit);
        apply(&mut film.window, Command::ZoomOut);
        apply(&mut film.window, Command::ZoomOut);
        apply(&mut film.window, Command::ZoomOut);
        select(&mut film.window, &["chamber1"]);
        film.shot();
        let at = at_item(&film.window, "chamber1", "chamber");
        film.window.event(Event::ModifiersChanged(Modifiers::ALT));
        film.window.run_steps(1);
        drag_seen(film, at, vec2(170.0, 0.0));
        film.window.event(Event::ModifiersChanged(Modifiers::NONE));
        film.shot();
    }),
    ("array of chambers", |film| {
        film.empty();
        place(&mut film.window, "chamber", 0.0, 0.0);
        select(&mut film.window, &["chamber1"]);
        film.shot();
        apply(
            &mut film.window,
            Command::Array {
                count: (5, 5),
                step: Point::new(2e-3, 2e-3),
            },
        );
        film.shot();
        apply(&mut film.window, Command::Fit);
        film.shot();
    }),
    ("align and spread", |film| {
        film.empty();
        for (x, y) in [(0.0, 0.0), (1.6e-3, 0.5e-3), (4e-3, -0.4e-3)] {
            place(&mut film.window, "chamber", x, y);
        }
        apply(&mut film.window, Command::SelectAll);
        apply(&mut film.window, Command::Fit);
        film.shot();
        // The button shows what it would do while the pointer rests on it.
        let button = film
            .window
            .get_by_role_and_label(Role::Button, "Top")
            .rect();
        hover(&mut film.window, button.center());
        film.shot();
        apply(&mut film.window, Command::Align(Align::Top));
        apply(&mut film.window, Command::Align(Align::SpreadX));
        film.shot();
    }),
    ("groups", |film| {
        film.open("valved-inlets");
        apply(&mut film.window, Command::SelectAll);
        film.shot();
        apply(&mut film.window, Command::Group);
        apply(&mut film.window, Command::Select(Selection::default()));
        film.shot();
        let all = film.window.state().document().layout.items.clone();
        let at = film
            .window
            .state()
            .document()
            .design
            .as_ref()
            .and_then(|d| {
                let kind = d.components.iter().find(|c| c.name.value == all[0])?;
                Some(format!("{} ({})", all[0], kind.kind.value))
            });
        let at = film
            .window
            .get_by_label(&at.unwrap_or_default())
            .rect()
            .center();
        click(&mut film.window, at);
        film.shot();
    }),
    ("tree of the chip", |film| {
        film.open("valved-inlets");
        apply(&mut film.window, Command::TogglePanel(Panel::Tree));
        film.shot();
        film.window.get_by_label("Search the chip").focus();
        film.window.run_steps(2);
        typed(&mut film.window, "valve");
        film.shot();
        apply(&mut film.window, Command::Select(Selection::default()));
        let name = film.window.state().document().layout.items[0].clone();
        apply(
            &mut film.window,
            Command::SetHidden(Selection::one(&name), true),
        );
        film.shot();
    }),
    ("control layer", |film| {
        film.open("tee");
        apply(
            &mut film.window,
            Command::SetTool(Tool::Overlay(OverlayLayer::Control)),
        );
        let middle = film.middle();
        drag_seen(film, middle - vec2(80.0, 40.0), vec2(60.0, 80.0));
        film.shot();
        apply(
            &mut film.window,
            Command::SetTool(Tool::Overlay(OverlayLayer::Notes)),
        );
        click(&mut film.window, middle + vec2(60.0, 90.0));
        film.window.run_steps(4);
        typed(&mut film.window, "shut first");
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        film.shot();
    }),
    ("mirror line", |film| {
        film.empty();
        place(&mut film.window, "pipe", 0.0, 0.0);
        attach(&mut film.window, "bend", "a", "pipe1.b");
        apply(&mut film.window, Command::Fit);
        apply(&mut film.window, Command::ZoomOut);
        apply(&mut film.window, Command::ZoomOut);
        apply(&mut film.window, Command::SelectAll);
        apply(&mut film.window, Command::SetTool(Tool::Mirror));
        film.shot();
        let socket = film.window.state().document().layout.clone();
        let end = socket
            .sockets
            .iter()
            .find(|s| socket.full_name(s) == "pipe1.a");
        let at = end.map_or(film.middle(), |s| {
            on_screen(&film.window, s.geometry.middle)
        });
        drag_seen(film, at, vec2(0.0, -140.0));
        film.shot();
    }),
    ("handles", |film| {
        film.open("tee");
        let layout = film.window.state().document().layout.clone();
        let mut sockets = layout.sockets.iter();
        let port = sockets.find(|s| matches!(s.used, SocketUse::Port(_)));
        let port = port.expect("a port");
        select(&mut film.window, &[&layout.items[port.item]]);
        film.shot();
        let at = on_screen(&film.window, port.geometry.middle);
        drag_seen(film, at, vec2(-20.0, 30.0));
        film.solve();
        film.shot();
    }),
    ("dimensions", |film| {
        film.open("tee");
        apply(&mut film.window, Command::SelectAll);
        apply(&mut film.window, Command::ToggleDimensions);
        apply(&mut film.window, Command::Select(Selection::default()));
        film.shot();
        let all = film.window.state().document().design.clone();
        let first = all.and_then(|design| {
            let with = design
                .components
                .iter()
                .find(|c| !c.dimensions.is_empty())?;
            Some((with.name.value.clone(), with.dimensions[0].value.clone()))
        });
        let (component, parameter) = first.unwrap_or_default();
        apply(
            &mut film.window,
            Command::EditDimension(component, parameter),
        );
        film.window.run_steps(4);
        typed(&mut film.window, "150 um");
        film.shot();
        film.window.key_press(Key::Enter);
        film.solve();
        film.shot();
    }),
    ("rulers that stay", |film| {
        film.open("serpentine-mixing");
        apply(&mut film.window, Command::SetTool(Tool::Ruler));
        let middle = film.middle();
        drag_seen(film, middle - vec2(160.0, 60.0), vec2(200.0, 90.0));
        apply(&mut film.window, Command::SetTool(Tool::Select));
        film.shot();
        apply(&mut film.window, Command::ZoomIn);
        film.solve();
        film.shot();
    }),
    ("values pinned", |film| {
        film.open("tee");
        let design = film.window.state().document().design.clone();
        let first = design
            .map(|d| d.components[0].clone())
            .expect("a component");
        let at = at_item(&film.window, &first.name.value, &first.kind.value);
        apply(&mut film.window, Command::SetTool(Tool::Probe));
        hover(&mut film.window, at);
        film.shot();
        click(&mut film.window, at);
        apply(&mut film.window, Command::SetTool(Tool::Select));
        film.shot();
        let port = film.window.state().document().design.clone();
        let port = port.map(|d| d.ports[0].name.value.clone());
        let pressure = PortCondition::Pressure(Pascal(500.0));
        apply(
            &mut film.window,
            Command::SetCondition(port.unwrap_or_default(), pressure),
        );
        film.solve();
        film.shot();
    }),
    ("a profile", |film| {
        film.open("y-mixer");
        film.shot();
        let middle = film.middle();
        apply(&mut film.window, Command::SetTool(Tool::Line));
        drag_seen(film, middle - vec2(0.0, 60.0), vec2(0.0, 120.0));
        settled(&mut film.window);
        film.shot();
    }),
    ("before and now", |film| {
        film.open("tee");
        apply(&mut film.window, Command::KeepBefore);
        film.shot();
        let design = film.window.state().document().design.clone();
        let mut pipes = design.iter().flat_map(|d| &d.components);
        let pipe = pipes.find(|c| c.kind.value == "pipe").expect("a pipe");
        apply(
            &mut film.window,
            Command::SetParameter {
                component: pipe.name.value.clone(),
                parameter: "length".to_owned(),
                value: Some(Value::Quantity(3e-3, Dimension::Length)),
            },
        );
        film.solve();
        film.shot();
        apply(&mut film.window, Command::Fit);
        film.solve();
        film.shot();
    }),
    ("sliders", |film| {
        film.open("y-mixer");
        select(&mut film.window, &["mixer"]);
        film.shot();
        let field = film.window.get_by_role_and_label(Role::TextInput, "width");
        let at = field.rect().center();
        drag_seen(film, at, vec2(15.0, 0.0));
        film.solve();
        film.shot();
    }),
    ("keyboard only", |film| {
        film.empty();
        film.window.key_press_modifiers(Modifiers::COMMAND, Key::P);
        film.window.run_steps(4);
        typed(&mut film.window, "place serpentine");
        film.shot();
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        for _ in 0..4 {
            film.window.key_press(Key::ArrowLeft);
            film.window.run_steps(2);
        }
        film.shot();
        film.window.key_press(Key::Enter);
        film.window.run_steps(4);
        film.window.key_press(Key::C);
        film.window.key_press(Key::CloseBracket);
        film.window.run_steps(4);
        film.shot();
    }),
    ("focus", |film| {
        film.open("y-mixer");
        for n in [3, 9, 16] {
            for _ in 0..n {
                film.window.key_press(Key::Tab);
                film.window.run_steps(2);
            }
            film.shot();
        }
    }),
    ("list of keys", |film| {
        film.open("y-mixer");
        film.shot();
        film.window.key_press(Key::F1);
        film.shot();
        film.window.key_press(Key::Escape);
        film.shot();
    }),
    ("free ends", |film| {
        film.empty();
        place(&mut film.window, "y", 0.0, 0.0);
        apply(&mut film.window, Command::Fit);
        film.shot();
        film.window.key_press_modifiers(Modifiers::SHIFT, Key::O);
        film.solve();
        film.shot();
        apply(&mut film.window, Command::ZoomOut);
        film.solve();
        film.shot();
    }),
    ("first steps", |film| {
        film.empty();
        film.shot();
        place(&mut film.window, "serpentine_round", 0.0, 0.0);
        apply(&mut film.window, Command::Fit);
        film.shot();
        attach(&mut film.window, "tee", "left", "serpentine_round1.out");
        apply(&mut film.window, Command::Fit);
        film.shot();
    }),
    ("mistakes", |film| {
        film.empty();
        apply(
            &mut film.window,
            Command::Place {
                kind: "pipe".to_owned(),
                placement: Placement::Absolute {
                    at: Point::new(0.0, 0.0),
                    rotation: stokeslet::units::Radian(0.6),
                    mirror: false,
                },
            },
        );
        place(&mut film.window, "chamber", 0.4e-3, 0.3e-3);
        apply(&mut film.window, Command::Fit);
        film.shot();
        apply(&mut film.window, Command::SetTool(Tool::Port));
        let at = film.window.state().canvas().view.rect.left_top() + vec2(60.0, 60.0);
        click(&mut film.window, at);
        film.shot();
        apply(&mut film.window, Command::SetTool(Tool::Select));
        apply(
            &mut film.window,
            Command::SetText("format = 1\n[chip\n".to_owned()),
        );
        film.shot();
    }),
    ("tracers", |film| {
        film.open("y-mixer");
        apply(&mut film.window, Command::TogglePlay);
        film.shot();
        film.window.run_steps(60);
        film.shot();
        film.window.run_steps(60);
        film.shot();
    }),
    ("mixing", |film| {
        film.open("serpentine-mixing");
        apply(
            &mut film.window,
            Command::Colour(Some(Quantity::Species(0))),
        );
        film.solve();
        film.shot();
        apply(&mut film.window, Command::TogglePanel(Panel::Species));
        film.shot();
        let middle = film.middle();
        hover(&mut film.window, middle);
        film.shot();
    }),
    ("sweeps", |film| {
        film.open("y-mixer");
        apply(&mut film.window, Command::TogglePanel(Panel::Variables));
        film.shot();
        apply(&mut film.window, Command::TogglePanel(Panel::Study));
        film.shot();
        apply(&mut film.window, Command::TogglePanel(Panel::Source));
        film.shot();
    }),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("films")
}

#[test]
#[ignore = "minutes: pictures to be looked at"]
fn habits_are_filmed() {
    let wanted = std::env::var("FILMS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').collect();
    let (mut still, mut n) = (Vec::new(), 0);
    for look in &LOOKS {
        for (theme, colours) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let folder = folder().join(format!("{}-{colours}", look.name));
            std::fs::create_dir_all(&folder).expect("a folder");
            for (name, habit) in HABITS {
                if !wanted.iter().any(|start| name.starts_with(start)) {
                    continue;
                }
                let mut film = Film::of(look, theme);
                habit(&mut film);
                n += 1;
                still.extend((!film.moves()).then_some(*name));
                let path = folder.join(format!("{}.png", name.replace(' ', "-")));
                film.strip().save(path).expect("written");
            }
        }
    }
    assert!(n > 0, "no habit is called so");
    assert!(still.is_empty(), "nothing is seen to happen: {still:?}");
}

/// A few of them on a small window: the others are looked at.
#[test]
fn what_is_done_is_seen() {
    for name in ["pen from nowhere", "copies by alt", "dimensions"] {
        let habit = HABITS.iter().find(|(other, _)| *other == name);
        let (_, habit) = habit.expect("it is there");
        let mut film = Film::of(&LOOKS[0], Theme::Light);
        habit(&mut film);
        assert!(film.moves(), "{name}: nothing is seen to happen");
    }
}
