//! The program in a real window on a display of its own, driven by mouse and keyboard as a user would.
//!
//! ```text
//! cargo test --test window -- --ignored --nocapture     pictures go to the folder `window` of the build
//! ```
//! A twin without a display sees the same clicks and keys. It knows where buttons and sockets are on the screen; the file that the
//! real window saves at the end must be the twin's, byte for byte, and is looked at by itself.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use eframe::egui::{Event, Key, Modifiers, Pos2, Rect, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use stokeslet::chip::{SocketUse, place};
use stokeslet::design::{Design, Placement, parse};
use stokeslet::geometry::Point;
use stokeslet::library::Library;
use stokeslet_gui::document::EMPTY;
use stokeslet_gui::{App, Start, Tool, Workspace};
use tempfile::TempDir;

/// At least so long between what the user does.
const BREATH: Duration = Duration::from_millis(80);
/// A window that was at rest for so long has done what it was told.
const REST: Duration = Duration::from_millis(90);
/// Bars and messages that move keep a window busy: nobody waits longer for it to rest.
const RESTLESS: Duration = Duration::from_secs(4);
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends what it started, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The real window, and the twin that sees the same.
struct User {
    display: String,
    program: Running,
    /// The display; ends after the program.
    screen: Running,
    twin: Harness<'static, App>,
    pictures: PathBuf,
    size: Vec2,
    _homes: TempDir,
}

impl User {
    /// Opens a design on a screen of this size.
    fn at(size: Vec2, file: &Path) -> Self {
        let homes = tempfile::tempdir().unwrap();
        let (display, screen) = screen(size);
        let program = Process::new(env!("CARGO_BIN_EXE_stokeslet"))
            .arg("gui")
            .arg(file)
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .env("HOME", homes.path())
            .env("XDG_CONFIG_HOME", homes.path().join("real"))
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("WINIT_X11_SCALE_FACTOR", "1")
            .spawn()
            .unwrap();
        let start = Start {
            // A copy, so that nobody sees the other's changes.
            design: Some(homes.path().join(file.file_name().unwrap())),
            components: None,
            home: Some(homes.path().join("twin")),
        };
        std::fs::copy(file, start.design.as_ref().unwrap()).unwrap();
        let mut twin = Harness::builder()
            .with_size(size)
            .with_max_steps(60)
            .build_eframe(move |creation| App::new(&start, &creation.egui_ctx));
        twin.run_steps(4);
        let pictures = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("../window")
            .join(format!("{}x{}", size.x, size.y));
        std::fs::create_dir_all(&pictures).unwrap();
        let user = Self {
            display,
            program: Running(program),
            screen,
            twin,
            pictures,
            size,
            _homes: homes,
        };
        let begin = Instant::now();
        let window = loop {
            let found = user.xdotool(&["search", "--onlyvisible", "--name", "Stokeslet"]);
            if let Some(window) = found.lines().next() {
                break window.to_owned();
            }
            assert!(begin.elapsed() < PATIENCE, "no window");
            sleep(BREATH);
        };
        let [x, y] = [size.x, size.y].map(|x| x.to_string());
        user.xdotool(&["windowmove", &window, "0", "0"]);
        user.xdotool(&["windowsize", &window, &x, &y]);
        user.xdotool(&["windowfocus", &window]);
        sleep(Duration::from_secs(1));
        user.settle();
        user
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let mut tool = Process::new("xdotool");
        let output = tool.args(args).env("DISPLAY", &self.display).output();
        String::from_utf8(output.expect("xdotool").stdout).unwrap()
    }

    /// Until the real window has done what it was told: painting without a graphics card, on a machine that does other things too,
    /// takes as long as it takes.
    fn settle(&self) {
        sleep(BREATH);
        let (begin, mut rested) = (Instant::now(), Instant::now());
        let (_, mut spent) = self.work();
        while rested.elapsed() < REST && begin.elapsed() < RESTLESS {
            sleep(Duration::from_millis(10));
            let (is_busy, now) = self.work();
            if is_busy || now != spent {
                (spent, rested) = (now, Instant::now());
            }
        }
    }

    /// Whether the real window or its display is at work, waits for a processor or was stopped; and the time spent on them.
    fn work(&self) -> (bool, Vec<String>) {
        let processes = [&self.program, &self.screen].map(|running| running.0.id());
        let mut spent = Vec::new();
        let mut is_busy = false;
        for process in processes {
            let tasks = std::fs::read_dir(format!("/proc/{process}/task"))
                .into_iter()
                .flatten();
            for task in tasks.flatten() {
                let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
                // After the name in brackets: the state, and as 12th and 13th the times in ticks.
                let fields = stat.rsplit(')').next().unwrap_or_default();
                let fields: Vec<&str> = fields.split_whitespace().take(13).collect();
                is_busy |= fields
                    .first()
                    .is_some_and(|state| ["R", "D", "T"].contains(state));
                spent.extend(fields.into_iter().skip(11).map(str::to_owned));
            }
        }
        (is_busy, spent)
    }

    fn app(&self) -> &App {
        self.twin.state()
    }

    fn move_to(&mut self, at: Pos2) {
        let [x, y] = [at.x, at.y].map(|x| x.round().to_string());
        self.xdotool(&["mousemove", &x, &y]);
        self.twin.hover_at(Pos2::new(at.x.round(), at.y.round()));
        self.twin.run_steps(2);
        self.settle();
    }

    fn click(&mut self, at: Pos2) {
        self.move_to(at);
        let at = Pos2::new(at.x.round(), at.y.round());
        self.xdotool(&["mousedown", "1"]);
        self.twin.drag_at(at);
        self.twin.run_steps(1);
        // No settling: a button that is held for long makes no click.
        sleep(BREATH / 2);
        self.xdotool(&["mouseup", "1"]);
        self.twin.drop_at(at);
        self.twin.run_steps(4);
        self.settle();
    }

    fn drag(&mut self, from: Pos2, to: Pos2) {
        self.move_to(from);
        self.xdotool(&["mousedown", "1"]);
        self.twin.drag_at(from);
        self.twin.run_steps(1);
        for k in 1..=5 {
            self.move_to(from + (to - from) * (k as f32 / 5.0));
        }
        self.xdotool(&["mouseup", "1"]);
        self.twin.drop_at(to);
        self.twin.run_steps(4);
        self.settle();
    }

    fn key(&mut self, modifiers: Modifiers, key: Key) {
        let name = match key {
            Key::Escape => "Escape".to_owned(),
            Key::Enter => "Return".to_owned(),
            Key::Period => "period".to_owned(),
            other => other.name().to_lowercase().replace("f5", "F5"),
        };
        let name = if modifiers.command {
            format!("ctrl+{name}")
        } else {
            name
        };
        self.xdotool(&["key", &name]);
        self.twin.key_press_modifiers(modifiers, key);
        self.twin.run_steps(4);
        self.settle();
    }

    /// Types over what a field holds.
    fn type_into(&mut self, field: Rect, text: &str) {
        self.click(field.center());
        self.key(Modifiers::COMMAND, Key::A);
        self.xdotool(&["type", "--delay", "30", text]);
        self.twin.event(Event::Text(text.to_owned()));
        self.twin.run_steps(3);
        self.settle();
    }

    /// Takes a component of the library by its name.
    fn take(&mut self, kind: &str) {
        let search = self.twin.get_by_label("Search components").rect();
        self.type_into(search, kind);
        let entry = self.twin.get_by_label(kind).rect();
        self.click(entry.center());
        let taken = self.app().context().tool.clone();
        assert_eq!(taken, Tool::Place(kind.to_owned()));
    }

    /// Where a place of the chip is on the screen.
    fn on_screen(&self, p: Point) -> Pos2 {
        self.app().canvas().view.to_screen(p)
    }

    fn socket(&self, name: &str) -> Point {
        let layout = &self.app().document().layout;
        let mut sockets = layout.sockets.iter();
        let found = sockets.find(|s| layout.full_name(s) == name);
        found
            .unwrap_or_else(|| panic!("no socket {name}"))
            .geometry
            .middle
    }

    fn free(&self) -> Vec<Point> {
        let layout = &self.app().document().layout;
        let free = layout.sockets.iter().filter(|s| s.used == SocketUse::Free);
        free.map(|s| s.geometry.middle).collect()
    }

    /// Until the twin has solved what it shows, and some time for the real one, which has the cores to itself then.
    fn solved(&mut self) {
        let begin = Instant::now();
        loop {
            self.twin.step();
            let revision = self.app().document().revision;
            let solved = self.app().results().solved.as_ref();
            if solved.is_some_and(|s| s.revision == revision) && self.app().is_settled() {
                break;
            }
            assert!(begin.elapsed() < PATIENCE, "not solved");
            sleep(Duration::from_millis(5));
        }
        self.settle();
    }

    /// Clicks what has this name.
    fn press(&mut self, label: &str) {
        let at = self.twin.get_by_label(label).rect().center();
        self.click(at);
        self.calm();
    }

    /// So many frames of liquids.
    fn frames(&mut self, n: usize) {
        for _ in 0..n {
            self.key(Modifiers::NONE, Key::Period);
            self.calm();
        }
        self.settle();
    }

    /// Until the twin has simulated what it was asked for.
    fn calm(&mut self) {
        let begin = Instant::now();
        loop {
            self.twin.run_steps(2);
            if self.app().is_liquid_settled() {
                break;
            }
            assert!(begin.elapsed() < PATIENCE, "not simulated");
            sleep(Duration::from_millis(3));
        }
        self.twin.run_steps(2);
    }

    /// A picture of the screen; not of one colour, which an empty screen is.
    fn picture(&self, name: &str) {
        let file = self.pictures.join(format!("{name}.png"));
        let mut import = Process::new("import");
        let status = import
            .args(["-window", "root"])
            .arg(&file)
            .env("DISPLAY", &self.display);
        assert!(status.status().expect("ImageMagick's import").success());
        let picture = image::open(&file).unwrap().into_rgb8();
        assert_eq!(
            [picture.width() as f32, picture.height() as f32],
            [self.size.x, self.size.y]
        );
        let mut colours: Vec<_> = picture.pixels().copied().map(|p| p.0).collect();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() > 50, "{name}: {} colours", colours.len());
        println!("{}", file.display());
    }

    /// Ctrl+Q, and the program's answer.
    fn quit(mut self) {
        self.xdotool(&["key", "ctrl+q"]);
        let begin = Instant::now();
        loop {
            if let Some(status) = self.program.0.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "it doesn't leave");
            self.settle();
        }
    }
}

/// A display that nobody else has.
fn screen(size: Vec2) -> (String, Running) {
    let mut screen = Process::new("Xvfb");
    screen.args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"]);
    screen.arg(format!("{}x{}x24", size.x, size.y));
    let mut screen = screen
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb");
    let mut number = String::new();
    BufReader::new(screen.stdout.take().unwrap())
        .read_line(&mut number)
        .unwrap();
    (format!(":{}", number.trim()), Running(screen))
}

fn read(file: &Path) -> Design {
    let (design, mistakes) = parse(std::fs::read(file).unwrap(), "chip");
    design.unwrap_or_else(|| panic!("{mistakes:?}"))
}

fn draw_solve_probe_and_save(size: Vec2) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chip.toml");
    std::fs::write(&file, EMPTY).unwrap();
    let mut user = User::at(size, &file);
    user.picture("1-first-run");

    // A Y in the middle, a serpentine at its outlet: near a free socket it snaps and attaches.
    user.take("y");
    let middle = user.app().canvas().view.rect.center();
    user.click(middle - vec2(120.0, 0.0));
    user.take("serpentine_round");
    let outlet = user
        .free()
        .into_iter()
        .max_by(|a, b| a.x.total_cmp(&b.x))
        .unwrap();
    let near = user.on_screen(outlet) + vec2(6.0, 4.0);
    user.move_to(near);
    user.picture("2-snap");
    user.click(near);
    user.key(Modifiers::NONE, Key::Escape);
    let design = user.app().document().design.clone().unwrap();
    let [y, serpentine] = &design.components[..] else {
        panic!("{:?}", design.components);
    };
    let Placement::Attached(attached) = &serpentine.placement else {
        panic!("{:?}", serpentine.placement);
    };
    assert!(attached.to.value.starts_with(&y.name.value), "{attached:?}");

    // A channel goes on from the serpentine's end, round a corner, into empty space.
    let end = user
        .free()
        .into_iter()
        .max_by(|a, b| a.x.total_cmp(&b.x))
        .unwrap();
    user.key(Modifiers::NONE, Key::C);
    let from = user.on_screen(end);
    user.click(from);
    let width = 1e-4;
    let [corner, below] =
        [[2.0, 0.0], [2.0, -3.0]].map(|[x, y]| user.on_screen(end + Point::new(x, y) * width));
    user.move_to(corner);
    user.click(corner);
    user.move_to(below);
    user.picture("3-channel");
    user.click(below);
    user.key(Modifiers::NONE, Key::Enter);
    user.key(Modifiers::NONE, Key::Escape);
    user.key(Modifiers::NONE, Key::Escape);
    assert_eq!(
        user.app()
            .document()
            .design
            .as_ref()
            .unwrap()
            .channels
            .len(),
        1
    );

    // Every free socket is opened; the first takes a pressure.
    user.key(Modifiers::NONE, Key::F);
    user.key(Modifiers::NONE, Key::O);
    let free = user.free();
    assert_eq!(free.len(), 3, "two arms of the Y, one end of the channel");
    for p in free {
        let at = user.on_screen(p);
        user.click(at);
    }
    user.key(Modifiers::NONE, Key::V);
    user.solved();
    user.picture("4-ports");
    // Solved as the file asks, probed at the fastest place, and along a line across the first arm.
    user.key(Modifiers::NONE, Key::F5);
    user.solved();
    user.key(Modifiers::NONE, Key::P);
    let fastest = user
        .app()
        .results()
        .solved
        .as_ref()
        .unwrap()
        .solution
        .max_speed
        .expect("fields")
        .1;
    let at = user.on_screen(fastest);
    user.click(at);
    assert_eq!(user.app().shown().probes.len(), 1);
    user.key(Modifiers::NONE, Key::L);
    let across = user.on_screen(user.socket(&format!("{}.in", serpentine.name.value)));
    user.drag(across - vec2(0.0, 30.0), across + vec2(0.0, 30.0));
    assert_eq!(user.app().shown().lines.len(), 1);
    user.key(Modifiers::NONE, Key::V);
    user.move_to(at);
    user.picture("5-solved");
    user.key(Modifiers::COMMAND, Key::S);
    user.settle();
    user.picture("6-saved");

    let saved = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        saved,
        *user.app().document().text,
        "the real window did what the twin did"
    );
    let design = read(&file);
    let kinds = design.components.iter().map(|c| c.kind.value.as_str());
    assert_eq!(kinds.collect::<Vec<_>>(), ["y", "serpentine_round"]);
    assert_eq!((design.channels.len(), design.ports.len()), (1, 3));
    let (chip, mistakes) = place(&design, &Library::embedded());
    assert!(chip.is_some(), "it can be solved: {mistakes:?}");
    user.quit();
}

/// Opens the liquids, steps one scene, compares two solvers on it, cuts one in space and keeps its volume, and compares two methods
/// in a tank.
fn run_liquids(size: Vec2) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chip.toml");
    std::fs::write(&file, EMPTY).unwrap();
    let mut user = User::at(size, &file);
    user.press("Liquids");
    assert_eq!(user.app().workspace(), Workspace::Liquids);
    user.frames(1);
    user.press("Compare");
    user.frames(40);
    user.picture("7-liquids-compared");
    user.press("Compare");
    user.press("Scene Sphere");
    user.frames(12);
    user.picture("8-liquids-in-space");
    user.press("Keep volume");
    user.frames(1);
    assert!(user.app().settings().liquids.keeps_volume());
    user.press("Tanks");
    user.press("Tank Breaking dam");
    user.press("Compare");
    user.frames(110);
    user.picture("9-tank-compared");
    user.press("Chip");
    assert_eq!(user.app().workspace(), Workspace::Chip);
    user.quit();
}

#[test]
#[ignore = "needs Xvfb, xdotool and ImageMagick; some minutes"]
fn liquids_run_in_a_real_window() {
    for size in [vec2(1280.0, 800.0), vec2(2560.0, 1440.0)] {
        run_liquids(size);
    }
}

#[test]
#[ignore = "needs Xvfb, xdotool and ImageMagick; 1 minute"]
fn a_chip_is_drawn_solved_probed_and_saved_in_a_real_window() {
    for size in [vec2(1280.0, 800.0), vec2(2560.0, 1440.0)] {
        draw_solve_probe_and_save(size);
    }
}
