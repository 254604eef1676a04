//! The shapes of 3DuF that aren't single channels: what each draws, by its parameters.
//!
//! Straight pieces are channels, so that they can become pipes; everything else is an outline.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::read::{Duct, Given, up};
use stokeslet_base::geometry::{Motion, Point};

/// Chords of arcs leave at most this part of the channel's width between them and the arc.
const SAGITTA: f64 = 1.0 / 200.0;

/// What one feature draws, m, y upwards.
#[derive(Default)]
pub(super) struct Shapes {
    pub ducts: Vec<Duct>,
    pub blocks: Vec<Vec<Point>>,
}

/// Draws in the frame of a feature, um, y downwards.
struct Pen {
    motion: Motion,
    shapes: Shapes,
}

impl Pen {
    fn channel(&mut self, from: (f64, f64), to: (f64, f64), width: f64) {
        let [from, to] = [from, to].map(|(x, y)| up(self.motion.apply(Point::new(x, y))));
        self.shapes.ducts.push(Duct {
            from,
            to,
            width: width / 1e6,
            is_round: false,
        });
    }

    fn block(&mut self, corners: Vec<Point>) {
        let corners = corners.into_iter().map(|p| up(self.motion.apply(p)));
        self.shapes.blocks.push(corners.collect());
    }
}

/// How many chords an arc needs.
pub(super) fn chords(radius: f64, angle: f64, width: f64) -> usize {
    // Sagitta of a chord over t: r (1 - cos(t / 2)).
    let step = 2.0 * (1.0 - (SAGITTA * width / radius).min(1.0)).acos();
    ((angle / step).ceil() as usize).clamp(4, 1000)
}

/// What a feature draws; `None` where its kind isn't known.
pub(super) fn shapes(kind: &str, given: &mut Given<'_, '_>) -> Option<Shapes> {
    let degrees = given.rotation();
    let draw: fn(&mut Given<'_, '_>, &mut Pen) = match kind {
        "Mixer" | "BetterMixer" => |given, pen| mixer(given, pen, false),
        "CurvedMixer" => |given, pen| mixer(given, pen, true),
        "Transition" => transition,
        "Chamber" | "ReactionChamber" => chamber,
        "DiamondReactionChamber" => diamond,
        "Pump" => pump,
        "DropletGen" | "DropletGenerator" => nozzle,
        "Tree" => tree,
        "CircleValve" | "Valve" | "Valve3D" | "Via" => |_, _| (),
        _ => return None,
    };
    let at = given.point("position");
    let mut pen = Pen {
        motion: Motion::new(degrees.to_radians(), at),
        shapes: Shapes::default(),
    };
    draw(given, &mut pen);
    Some(pen.shapes)
}

/// Rows across the flow. `orientation` V, or none: rows along x; H: the same turned by a quarter.
fn mixer(given: &mut Given<'_, '_>, pen: &mut Pen, is_curved: bool) {
    let w = given.size("channelWidth", Some(800.0));
    let spacing = given.size("bendSpacing", Some(1230.0));
    let long = given.size("bendLength", Some(2460.0));
    let n = given.count("numberOfBends", 1, 200);
    let is_turned = given.text("orientation") == Some("H");
    if is_turned {
        // (u, v) of the rows goes to (v, length - u).
        let turn = Motion::new(-FRAC_PI_2, Point::new(0.0, long + 2.0 * w));
        pen.motion = pen.motion.after(&turn);
    }
    let (half, pitch) = (w / 2.0, spacing + w);
    let middle = w + long / 2.0;
    let row = |k: u32| f64::from(k) * pitch + half;
    for k in 0..=2 * n {
        // The first and the last row reach from their turn to the middle, and half a width beyond.
        let (mut a, mut b) = match is_curved {
            true => (w, w + long),
            false => (0.0, long + 2.0 * w),
        };
        if k == 0 {
            b = middle + half;
        }
        if k == 2 * n {
            a = middle - half;
        }
        pen.channel((a, row(k)), (b, row(k)), w);
    }
    for k in 0..2 * n {
        let is_left = k % 2 == 0;
        if is_curved {
            let centre = Point::new(if is_left { w } else { w + long }, row(k) + pitch / 2.0);
            let begin = if is_left { FRAC_PI_2 } else { -FRAC_PI_2 };
            let radii = [spacing / 2.0, spacing / 2.0 + w];
            let n_chords = chords(radii[1], PI, w);
            let arc = |radius: f64| {
                (0..=n_chords).map(move |j| {
                    let angle = begin + PI * j as f64 / n_chords as f64;
                    centre + Point::unit(angle) * radius
                })
            };
            pen.block(
                arc(radii[0])
                    .chain(arc(radii[1]).collect::<Vec<_>>().into_iter().rev())
                    .collect(),
            );
        } else {
            let x = if is_left { half } else { w + long + half };
            pen.channel((x, row(k) - half), (x, row(k + 1) + half), w);
        }
    }
}

/// A channel that changes its width; `orientation` V: along y.
fn transition(given: &mut Given<'_, '_>, pen: &mut Pen) {
    let [a, b] = [
        given.size("cw1", Some(800.0)),
        given.size("cw2", Some(900.0)),
    ];
    let long = given.size("length", Some(1000.0));
    let corners = [(-a, 0.0), (a, 0.0), (b, long), (-b, long)];
    let is_along_x = given.text("orientation") == Some("H");
    let corner = |(across, along): (f64, f64)| match is_along_x {
        true => Point::new(along, across / 2.0),
        false => Point::new(across / 2.0, along),
    };
    pen.block(corners.map(corner).to_vec());
}

/// A rectangle with round corners about its position.
fn chamber(given: &mut Given<'_, '_>, pen: &mut Pen) {
    let [w, l] = ["width", "length"].map(|key| given.size(key, Some(5000.0)));
    let r = match given
        .params
        .get("cornerRadius")
        .and_then(crate::import::json::number)
    {
        Some(r) if r > 0.0 => given
            .size("cornerRadius", Some(200.0))
            .min(w / 2.0)
            .min(l / 2.0),
        _ => 0.0,
    };
    let (x, y) = (w / 2.0 - r, l / 2.0 - r);
    if r == 0.0 {
        pen.block(
            [(-x, -y), (x, -y), (x, y), (-x, y)]
                .map(|(x, y)| Point::new(x, y))
                .to_vec(),
        );
        return;
    }
    let n = chords(r, FRAC_PI_2, 2.0 * r);
    let mut corners = Vec::new();
    for (k, centre) in [(x, y), (-x, y), (-x, -y), (x, -y)].into_iter().enumerate() {
        corners.extend((0..=n).map(|j| {
            let angle = FRAC_PI_2 * (k as f64 + j as f64 / n as f64);
            Point::new(centre.0, centre.1) + Point::unit(angle) * r
        }));
    }
    pen.block(corners);
}

/// A chamber that opens from a channel and closes again, about its position; `orientation` H: along x.
fn diamond(given: &mut Given<'_, '_>, pen: &mut Pen) {
    let w = given.size("channelWidth", Some(800.0)) / 2.0;
    let wide = given.size("width", Some(1230.0));
    let long = given.size("length", Some(4920.0)) / 2.0;
    let corners = [
        (-long, -w),
        (0.0, -w - wide),
        (long, -w),
        (long, w),
        (0.0, w + wide),
        (-long, w),
    ];
    let is_along_x = given.text("orientation") == Some("H");
    let corner = |(along, across): (f64, f64)| match is_along_x {
        true => Point::new(along, across),
        false => Point::new(across, along),
    };
    pen.block(corners.map(corner).to_vec());
}

/// The flow side of a pump: a channel along y about its position, under three valves.
fn pump(given: &mut Given<'_, '_>, pen: &mut Pen) {
    let w = given.size("flowChannelWidth", Some(300.0));
    let valve = given.size("length", Some(300.0));
    let spacing = given.size("spacing", Some(1000.0));
    let reach = spacing + valve / 2.0;
    pen.channel((0.0, -reach), (0.0, reach), w);
}

/// A droplet generator with a nozzle: water from the left of its position, oil from above and below, out along x.
fn nozzle(given: &mut Given<'_, '_>, pen: &mut Pen) {
    let oil = given.size("oilInputWidth", Some(800.0));
    let water = given.size("waterInputWidth", Some(600.0)) / 2.0;
    let orifice = given.size("orificeSize", Some(200.0));
    let narrow = given.size("orificeLength", Some(400.0));
    let out = given.size("outputWidth", Some(600.0));
    let long = given.size("outputLength", Some(600.0));
    let head = [(0.0, -water), (oil, -water), (oil, water), (0.0, water)];
    pen.block(head.map(|(x, y)| Point::new(x, y)).to_vec());
    pen.channel((oil, 0.0), (oil + narrow, 0.0), orifice);
    pen.channel((oil + narrow, 0.0), (oil + narrow + long, 0.0), out);
}

/// A channel that parts in two again and again, down from its position: stems and leaves along y, bars along x.
fn tree(given: &mut Given<'_, '_>, pen: &mut Pen) {
    let w = given.size("flowChannelWidth", Some(800.0));
    let spacing = given.size("spacing", Some(4000.0));
    let stage = given.size("stageLength", Some(4000.0));
    let leaves = given.count("in", 1, 128).max(given.count("out", 8, 128));
    if leaves < 2 {
        given.refuse("out", "two leaves or more");
        return;
    }
    let levels = leaves.next_power_of_two().trailing_zeros();
    let mut apart = spacing * (f64::from(leaves) / 2.0 + 1.0);
    let mut stems = vec![(0.0, 0.0)];
    for level in 1..=levels {
        let mut next = Vec::with_capacity(2 * stems.len());
        for &(x, y) in &stems {
            let bar = y + stage + w / 2.0;
            let below = y + stage + w;
            pen.channel((x, y), (x, y + stage), w);
            let reach = (apart + w) / 2.0;
            pen.channel((x - reach, bar), (x + reach, bar), w);
            next.extend([x - apart / 2.0, x + apart / 2.0].map(|x| (x, below)));
        }
        if level == levels {
            for &(x, y) in &next {
                pen.channel((x, y), (x, y + stage), w);
            }
        }
        (stems, apart) = (next, apart / 2.0);
    }
}

/// A whole circle, m.
pub(super) fn circle(centre: Point, radius: f64) -> Vec<Point> {
    let n = chords(radius, TAU, 2.0 * radius);
    (0..n)
        .map(|k| centre + Point::unit(TAU * k as f64 / n as f64) * radius)
        .collect()
}
