//! Intentions of a user on every shipped design: moves, turns, copies, channels, tees, in random order.
//!
//! Whatever is done, the file reads again, nothing panics, and what was whole stays whole where geometry allows it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::FRAC_PI_2;

use stokeslet::chip::{LaidSocket, Layout, SocketUse, lay_out};
use stokeslet::design::{
    Attachment, Bend, Design, Dimension, Edit, OverlayLayer, OverlayShape, Placement, Spanned,
    Value, parse, rewrite,
};
use stokeslet::diagnostic::Severity;
use stokeslet::edits::{self, Align, Axis, Drawing, Refusal, Snapping};
use stokeslet::geometry::Point;
use stokeslet::library::{Defaults, Library};
use stokeslet::shape::SocketRef;
use stokeslet::units::{Metre, Radian};
use stokeslet_gui::command::ChannelEnd;

/// A file, read and laid out.
struct Opened {
    name: String,
    text: String,
    design: Design,
    layout: Layout,
    library: Library,
}

impl Opened {
    fn new(name: &str, text: String, library: &Library) -> Self {
        let (design, mistakes) = parse(&text, name);
        let design = design.unwrap_or_else(|| panic!("{name} reads: {mistakes:?}\n{text}"));
        let layout = lay_out(&design, library);
        Self {
            name: name.to_owned(),
            text,
            design,
            layout,
            library: library.clone(),
        }
    }

    fn drawing(&self) -> Drawing<'_> {
        Drawing::new(&self.design, &self.layout, &self.library)
    }

    /// After these edits; the file must still be a design.
    fn after(&self, edits: &[Edit]) -> Self {
        let text = rewrite(&self.text, edits);
        let text = text.unwrap_or_else(|e| panic!("{}: {e}\n{edits:#?}", self.name));
        Self::new(&self.name, text, &self.library)
    }

    fn all(&self) -> BTreeSet<String> {
        self.layout.items.iter().cloned().collect()
    }

    /// Codes of errors, but for those that say that parts overlap or that ports are missing: geometry and users do that.
    fn broken(&self) -> Vec<String> {
        let errors = self.layout.diagnostics.iter();
        let errors = errors.filter(|d| d.severity == Severity::Error);
        errors
            .filter(|d| !["D230", "D232", "D233", "D234"].contains(&d.code))
            .map(|d| format!("{} {}", d.code, d.message))
            .collect()
    }

    fn connected(&self) -> usize {
        let sockets = self.layout.sockets.iter();
        sockets.filter(|s| s.used == SocketUse::Connected).count()
    }
}

fn shipped() -> Vec<Opened> {
    let library = Library::embedded();
    let mut paths: Vec<_> = std::fs::read_dir("designs")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "{paths:?}");
    let open = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let opened = Opened::new(&name, std::fs::read_to_string(path).unwrap(), &library);
        assert!(opened.layout.chip.is_some(), "{name} can be solved");
        opened
    };
    paths.iter().map(open).collect()
}

/// All parts of `a` lie in `b` where they lie in `a`.
fn assert_same_layout(a: &Layout, b: &Layout, within: f64, shift: Point, why: &str) {
    let places: BTreeMap<&str, _> = b.parts.iter().map(|p| (p.name.as_str(), p)).collect();
    assert_eq!(a.parts.len(), b.parts.len(), "{why}");
    for part in &a.parts {
        let other = places
            .get(part.name.as_str())
            .unwrap_or_else(|| panic!("{why}: `{}` is there", part.name));
        for (own, others) in part.shape.sockets().iter().zip(other.shape.sockets()) {
            let (own, others) = (
                part.motion.apply(own.middle),
                other.motion.apply(others.middle),
            );
            let off = (own + shift - others).norm();
            assert!(off <= within, "{why}: `{}` is {off:e} m off", part.name);
        }
    }
}

/// A small generator, so that a seed says everything.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// In [-1, 1].
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() {
            return None;
        }
        from.get(self.below(from.len()))
    }

    /// Some widths away.
    fn shift(&mut self, opened: &Opened, widths: f64) -> Point {
        let width = opened.design.width.0;
        let grid = |x: f64| (x * widths * 2.0).round() * 0.5 * width;
        Point::new(grid(self.unit()), grid(self.unit()))
    }

    /// A place on the chip.
    fn place(&mut self, opened: &Opened) -> Point {
        let near = self
            .pick(&opened.layout.parts)
            .map(|p| p.motion.translation);
        near.unwrap_or_default() + self.shift(opened, 10.0)
    }

    /// Where a new component goes: on to a socket by one of its own, or somewhere on the chip, turned and mirrored as it may be.
    fn placement(&mut self, opened: &Opened, kind: &str) -> Placement {
        let defaults = Defaults {
            width: opened.design.width.0,
            depth: opened.design.depth.map(|depth| depth.0),
        };
        let realised = opened.library.realise(kind, &[], &defaults);
        // A kind that there isn't has no sockets.
        let own: Vec<(String, f64)> = realised.map_or_else(
            |_| Vec::new(),
            |realised| {
                let width =
                    |at: &SocketRef| realised.parts[at.part].shape.sockets()[at.socket].width;
                let sockets = realised.sockets.iter();
                sockets
                    .map(|(name, at)| (name.clone(), width(at)))
                    .collect()
            },
        );
        let mirror = self.below(2) == 0;
        let target = match self.below(3) {
            0 => None,
            1 => self.pick(&opened.layout.sockets),
            _ => {
                let free = |s: &&LaidSocket| s.used == SocketUse::Free;
                let free: Vec<&LaidSocket> = opened.layout.sockets.iter().filter(free).collect();
                self.pick(&free).copied()
            }
        };
        let fits = |width: f64, to: &LaidSocket| (width / to.geometry.width - 1.0).abs() < 1e-9;
        let fitting: Vec<&String> = own
            .iter()
            .filter(|(_, width)| target.is_some_and(|to| fits(*width, to)))
            .map(|(name, _)| name)
            .collect();
        match (self.pick(&fitting), target) {
            (Some(own), Some(target)) => Placement::Attached(Attachment {
                socket: Spanned::nowhere((*own).clone()),
                to: Spanned::nowhere(opened.layout.full_name(target)),
                mirror,
            }),
            _ => Placement::Absolute {
                at: self.place(opened),
                rotation: Radian(FRAC_PI_2 * self.below(4) as f64),
                mirror,
            },
        }
    }

    fn selection(&mut self, opened: &Opened) -> BTreeSet<String> {
        let n = 1 + self.below(4);
        let items = &opened.layout.items;
        (0..n).filter_map(|_| self.pick(items).cloned()).collect()
    }

    fn end(&mut self, opened: &Opened) -> ChannelEnd {
        let sockets: Vec<_> = opened.layout.sockets.iter().collect();
        match self.below(4) {
            0 => ChannelEnd::Free(self.place(opened)),
            1 => ChannelEnd::OnPipe {
                item: self.pick(&opened.layout.items).cloned().unwrap_or_default(),
                at: self.place(opened),
            },
            _ => {
                let free: Vec<_> = sockets
                    .iter()
                    .filter(|s| s.used == SocketUse::Free || self.0.is_multiple_of(7))
                    .collect();
                match self.pick(&free) {
                    Some(socket) => ChannelEnd::Socket(opened.layout.full_name(socket)),
                    None => ChannelEnd::Free(self.place(opened)),
                }
            }
        }
    }

    fn bend(&mut self, opened: &Opened) -> Bend {
        match self.below(3) {
            0 => Bend::Round(Metre(opened.design.width.0 * 1.5)),
            _ => Bend::Mitred,
        }
    }
}

/// One intention; what it is called, and what it gives.
fn intend(random: &mut Random, opened: &Opened) -> (&'static str, Result<Vec<Edit>, Refusal>) {
    let drawing = opened.drawing();
    let kinds = [
        "tee",
        "pipe",
        "y",
        "bend_round",
        "taper",
        "chamber",
        "serpentine_square",
        "nothing",
    ];
    let channels: Vec<_> = opened.design.channels.iter().collect();
    let components: Vec<_> = opened.design.components.iter().collect();
    let selection = random.selection(opened);
    match random.below(19) {
        16 => {
            let line = [random.place(opened), random.place(opened)];
            let made = edits::mirror_copy(&drawing, &selection, line);
            ("mirror copy", made.map(|(edits, _)| edits))
        }
        17 => match random.pick(&opened.design.groups) {
            Some(group) if random.below(2) == 0 => {
                let of = group.of.iter().map(|member| member.value.clone());
                ("ungroup", edits::ungroup(&drawing, &of.collect()))
            }
            _ => {
                let made = edits::group(&drawing, &selection);
                ("group", made.map(|(edits, _)| edits))
            }
        },
        18 => {
            let (a, b) = (random.place(opened), random.place(opened));
            let shape = match random.below(3) {
                0 => OverlayShape::Rectangle([a, b]),
                1 => OverlayShape::Path {
                    points: vec![a, b],
                    width: None,
                },
                _ => OverlayShape::Text {
                    at: a,
                    text: "here".to_owned(),
                    size: None,
                },
            };
            let layer = OverlayLayer::ALL[random.below(2)];
            ("overlay", Ok(edits::add_overlay(&drawing, layer, shape).0))
        }
        0 | 1 => {
            let by = random.shift(opened, 8.0);
            ("move", edits::move_items(&drawing, &selection, by))
        }
        2 => (
            "rotate",
            edits::rotate(&drawing, &selection, random.below(9) as i32 - 4),
        ),
        3 => {
            let axis = [Axis::X, Axis::Y][random.below(2)];
            ("mirror", edits::mirror(&drawing, &selection, axis))
        }
        4 => {
            let how = Align::ALL[random.below(8)];
            ("align", edits::align(&drawing, &selection, how))
        }
        5 => {
            let port = random.pick(&opened.design.ports);
            let port = port.map(|p| p.name.value.as_str());
            ("delete", edits::delete(&drawing, &selection, port))
        }
        6 => {
            let by = random.shift(opened, 20.0);
            let made = edits::duplicate(&drawing, &selection, by);
            ("duplicate", made.map(|(edits, _)| edits))
        }
        7 => {
            let at = (random.below(2) == 0).then(|| random.place(opened));
            let pasted = edits::copy(&drawing, &selection)
                .and_then(|snippet| edits::paste(&drawing, &snippet, at));
            ("copy and paste", pasted.map(|(edits, _)| edits))
        }
        8 | 9 => {
            let kind = kinds[random.below(kinds.len())];
            let placement = random.placement(opened, kind);
            let placed = edits::place(&drawing, kind, &placement);
            ("place", placed.map(|(edits, _)| edits))
        }
        10 | 11 => {
            let (from, to) = (random.end(opened), random.end(opened));
            let via: Vec<Point> = (0..random.below(3)).map(|_| random.place(opened)).collect();
            let bend = random.bend(opened);
            let drawn = edits::channel(&drawing, &from, &to, &via, bend);
            ("channel", drawn.map(|(edits, _)| edits))
        }
        12 => {
            let item = random
                .pick(&opened.layout.items)
                .cloned()
                .unwrap_or_default();
            let (at, toward) = (random.place(opened), random.place(opened));
            let made = edits::insert_tee(&drawing, &item, at, toward);
            ("insert tee", made.map(|(edits, _)| edits))
        }
        13 => {
            let socket = random.pick(&opened.layout.sockets);
            let name = socket.map_or_else(String::new, |s| opened.layout.full_name(s));
            let made = edits::add_port(&drawing, &name);
            ("add port", made.map(|(edits, _)| edits))
        }
        14 => match random.pick(&channels) {
            Some(channel) if random.below(2) == 0 => {
                let bend = random.bend(opened);
                let name = &channel.name.value;
                (
                    "channel shape",
                    edits::set_channel_shape(&drawing, name, channel.width, bend),
                )
            }
            Some(channel) => {
                let (index, at) = (random.below(4), random.place(opened));
                let name = &channel.name.value;
                (
                    "move way-point",
                    edits::move_way_point(&drawing, name, index, at),
                )
            }
            None => (
                "move way-point",
                edits::move_way_point(&drawing, "none", 0, Point::default()),
            ),
        },
        _ => match random.pick(&components) {
            Some(component) if random.below(2) == 0 => {
                let placement = Placement::Absolute {
                    at: random.place(opened),
                    rotation: Radian(random.unit() * 3.0),
                    mirror: random.below(2) == 0,
                };
                let name = &component.name.value;
                (
                    "set placement",
                    edits::set_placement(&drawing, name, &placement),
                )
            }
            Some(component) => {
                let length = opened.design.width.0 * (5.0 + 4.0 * random.unit());
                let value = Some(Value::Quantity(length, Dimension::Length));
                // Most others have no such parameter.
                let pipes = components.iter().copied();
                let pipes: Vec<_> = pipes.filter(|c| c.kind.value == "pipe").collect();
                let name = &random.pick(&pipes).unwrap_or(component).name.value;
                (
                    "set parameter",
                    edits::set_parameter(&drawing, name, "length", value),
                )
            }
            None => (
                "set parameter",
                edits::set_parameter(&drawing, "none", "length", None),
            ),
        },
    }
}

/// Some of everything, in random order, on every design: never a panic, always a file that reads.
#[test]
fn random_intentions_leave_designs() {
    let mut done: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (k, start) in shipped().into_iter().enumerate() {
        let large = start.layout.parts.len() > 200;
        let (runs, steps) = if large { (1, 12) } else { (6, 32) };
        for run in 0..runs {
            let seed = (k as u64) << 32 | run;
            let mut random = Random(seed);
            let mut opened = Opened::new(&start.name, start.text.clone(), &start.library);
            for step in 0..steps {
                let at = format!("{} seed {seed} step {step}", opened.name);
                let (what, edits) = intend(&mut random, &opened);
                let counts = done.entry(what).or_default();
                let Ok(edits) = edits else {
                    assert!(!edits.unwrap_err().to_string().is_empty());
                    counts[1] += 1;
                    continue;
                };
                counts[0] += 1;
                let was_whole = opened.broken().is_empty();
                let next = opened.after(&edits);
                let broken = next.broken();
                if was_whole && !broken.is_empty() {
                    counts[2] += 1;
                    // What is put somewhere may come to lie on a socket of another width or direction, which can't be joined.
                    let may_break = [
                        "copy and paste",
                        "place",
                        "move",
                        "rotate",
                        "mirror",
                        "align",
                        "set placement",
                        "set parameter",
                    ];
                    assert!(
                        may_break.contains(&what),
                        "{at}: {what} broke it: {broken:?}\n{edits:#?}"
                    );
                    // Geometry did not allow it; go on from what was whole.
                    if step % 2 == 0 {
                        continue;
                    }
                }
                opened = next;
            }
        }
    }
    println!("done, refused, broke something: {done:#?}");
    for (what, [done, _, broke]) in done {
        assert!(done > 10, "{what} was hardly ever possible");
        assert!(2 * broke <= done, "{what} broke {broke} of {done} designs");
    }
}

#[test]
fn the_whole_chip_moved_keeps_every_connection_and_comes_back() {
    for opened in shipped() {
        let by = Point::new(1.23e-3, -0.77e-3);
        let there = opened.after(&edits::move_items(&opened.drawing(), &opened.all(), by).unwrap());
        let why = format!("{} moved", opened.name);
        assert!(
            there.layout.chip.is_some(),
            "{why}: {:?}",
            there.layout.diagnostics
        );
        assert_eq!(there.connected(), opened.connected(), "{why}");
        assert_same_layout(&opened.layout, &there.layout, 1e-12, by, &why);
        let back = there.after(&edits::move_items(&there.drawing(), &there.all(), -by).unwrap());
        assert_same_layout(&opened.layout, &back.layout, 1e-12, Point::default(), &why);
    }
}

/// What is seen while something is dragged is what the text says when it is dropped.
#[test]
fn a_preview_is_what_the_text_says_afterwards() {
    let mut random = Random(42);
    let (mut joined, mut rerouted) = (0, 0);
    for opened in shipped() {
        for _ in 0..12 {
            let selection = random.selection(&opened);
            let drawing = opened.drawing();
            let snapping = Snapping::new(&drawing, &selection);
            let by = random.shift(&opened, 10.0);
            let by = match snapping.nearest(by, f64::INFINITY) {
                Some((by, _)) if random.below(2) == 0 => by,
                _ => by,
            };
            let preview = edits::preview_move(&drawing, &selection, by);
            let edits = edits::move_items(&drawing, &selection, by);
            let (Ok(preview), Ok(edits)) = (preview, edits) else {
                continue;
            };
            let why = format!("{}: {selection:?} by {by:?}", opened.name);
            let made = opened.after(&edits);
            assert_eq!(preview.layout.items, made.layout.items, "{why}");
            assert_same_layout(&preview.layout, &made.layout, 1e-12, Point::default(), &why);
            let uses = |layout: &Layout| -> Vec<(String, SocketUse)> {
                let sockets = layout.sockets.iter();
                sockets.map(|s| (layout.full_name(s), s.used)).collect()
            };
            assert_eq!(uses(&preview.layout), uses(&made.layout), "{why}");
            let codes = |layout: &Layout| -> Vec<&str> {
                layout.diagnostics.iter().map(|d| d.code).collect()
            };
            assert_eq!(codes(&preview.layout), codes(&made.layout), "{why}");
            let is_chip = preview.layout.chip.is_some();
            assert_eq!(is_chip, made.layout.chip.is_some(), "{why}");
            joined += usize::from(made.connected() != opened.connected());
            rerouted += usize::from(edits.len() > selection.len());
        }
    }
    assert!(
        joined > 20 && rerouted > 20,
        "{joined} joined or parted, {rerouted} rerouted"
    );
}

#[test]
fn four_turns_or_two_mirrors_change_nothing() {
    for opened in shipped() {
        let mut turned = opened.after(&[]);
        for _ in 0..4 {
            turned = turned.after(&edits::rotate(&turned.drawing(), &turned.all(), 1).unwrap());
            let why = format!("{} turned: {:?}", opened.name, turned.layout.diagnostics);
            assert!(turned.layout.chip.is_some(), "{why}");
            assert_eq!(turned.connected(), opened.connected(), "{why}");
        }
        assert_same_layout(
            &opened.layout,
            &turned.layout,
            1e-11,
            Point::default(),
            &opened.name,
        );
        for axis in [Axis::X, Axis::Y] {
            let mut mirrored = opened.after(&[]);
            for _ in 0..2 {
                let edits = edits::mirror(&mirrored.drawing(), &mirrored.all(), axis).unwrap();
                mirrored = mirrored.after(&edits);
                let why = format!(
                    "{} mirrored: {:?}",
                    opened.name, mirrored.layout.diagnostics
                );
                assert!(mirrored.layout.chip.is_some(), "{why}");
            }
            let why = format!("{} mirrored twice", opened.name);
            assert_same_layout(
                &opened.layout,
                &mirrored.layout,
                1e-11,
                Point::default(),
                &why,
            );
        }
    }
}

#[test]
fn a_duplicate_of_everything_has_twice_the_parts() {
    for opened in shipped() {
        let by = Point::new(0.0, 5.0);
        let made = edits::duplicate(&opened.drawing(), &opened.all(), by);
        let (edits, names) = made.unwrap();
        let twice = opened.after(&edits);
        let why = format!("{}: {:?}", opened.name, twice.layout.diagnostics);
        assert!(twice.layout.chip.is_some(), "{why}");
        assert_eq!(
            twice.layout.parts.len(),
            2 * opened.layout.parts.len(),
            "{why}"
        );
        assert_eq!(twice.connected(), 2 * opened.connected(), "{why}");
        assert_eq!(names.len(), opened.layout.items.len());
        let text = edits::copy(&opened.drawing(), &opened.all()).unwrap();
        let (edits, _) =
            edits::paste(&opened.drawing(), &text, Some(Point::new(0.0, 9.0))).unwrap();
        let pasted = opened.after(&edits);
        assert!(
            pasted.layout.chip.is_some(),
            "{}: {:?}",
            opened.name,
            pasted.layout.diagnostics
        );
        assert_eq!(pasted.layout.parts.len(), 2 * opened.layout.parts.len());
    }
}

/// A tee goes into any pipe and straight channel, and nothing else moves.
#[test]
fn a_tee_moves_nothing_that_was_there() {
    let mut inserted = 0;
    for opened in shipped().into_iter().filter(|o| o.layout.parts.len() < 200) {
        for item in &opened.layout.items {
            let index = opened.layout.item(item).unwrap();
            let part = opened
                .layout
                .owners
                .iter()
                .position(|o| *o == index)
                .unwrap();
            let part = &opened.layout.parts[part];
            let sockets = part.shape.sockets();
            let middle = sockets
                .iter()
                .fold(Point::default(), |sum, m| sum + m.middle);
            let at = part.motion.apply(middle * (1.0 / sockets.len() as f64));
            let toward = at + Point::new(0.3, 0.7);
            let (edits, branch) = match edits::insert_tee(&opened.drawing(), item, at, toward) {
                Ok(made) => made,
                Err(Refusal::NotStraight(_) | Refusal::TooShort(_)) => continue,
                Err(other) => panic!("{}.{item}: {other}", opened.name),
            };
            inserted += 1;
            let after = opened.after(&edits);
            let why = format!("{}.{item}", opened.name);
            assert_eq!(after.broken(), Vec::<String>::new(), "{why}");
            assert_eq!(
                after.connected(),
                opened.connected() + 4,
                "{why}: two more items in the line"
            );
            assert_eq!(after.design.ports.len(), opened.design.ports.len(), "{why}");
            let free = after
                .layout
                .sockets
                .iter()
                .find(|s| after.layout.full_name(s) == branch);
            assert_eq!(free.unwrap().used, SocketUse::Free, "{why}");
            let places: BTreeMap<_, _> = after.layout.parts.iter().map(|p| (&p.name, p)).collect();
            let untouched = opened.layout.parts.iter().zip(&opened.layout.owners);
            for (part, _) in untouched.filter(|(_, owner)| **owner != index) {
                let off = places[&part.name].motion.translation - part.motion.translation;
                assert!(
                    off.norm() < 1e-12,
                    "{why}: {} is {:e} m off",
                    part.name,
                    off.norm()
                );
            }
        }
    }
    println!("{inserted} tees");
    assert!(inserted > 40, "{inserted}");
}
