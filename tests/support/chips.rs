//! Chips made by hand, from design files and from generated networks.

use std::f64::consts::PI;

use stokeslet::chip::{self, Chip, Condition, Port};
use stokeslet::design::DepthModel;
use stokeslet::design::{self, Design};
use stokeslet::geometry::{Motion, Point};
use stokeslet::import::network;
use stokeslet::library::Library;
use stokeslet::shape::{Connection, Part, Shape, SocketRef, Strip};

/// Puts parts together socket to socket.
pub struct Builder {
    pub chip: Chip,
}

impl Builder {
    /// A planar chip without parts, of water-like viscosity.
    pub fn new(name: &str) -> Self {
        Self {
            chip: Chip {
                name: name.into(),
                viscosity: 1e-3,
                model: DepthModel::Planar,
                depth: None,
                parts: vec![],
                connections: vec![],
                ports: vec![],
            },
        }
    }

    /// Places a part; returns its number.
    pub fn place(&mut self, shape: Shape, motion: Motion) -> usize {
        let part = self.chip.parts.len();
        self.chip.parts.push(Part {
            name: format!("part{part}"),
            shape,
            motion,
            walls: Default::default(),
            depth: None,
        });
        part
    }

    /// Places a part so that its socket `own` meets the socket `to` (part, socket); returns its number.
    pub fn attach(&mut self, shape: Shape, own: usize, to: (usize, usize)) -> usize {
        let host = &self.chip.parts[to.0];
        let socket = host.shape.sockets()[to.1];
        let (target, direction) = (
            host.motion.apply(socket.middle),
            host.motion.turn(socket.direction),
        );
        let own_socket = shape.sockets()[own];
        let turn = Motion::new(direction + PI - own_socket.direction, Point::default());
        let motion = Motion {
            translation: target - turn.rotate(own_socket.middle),
            ..turn
        };
        let part = self.place(shape, motion);
        self.chip.connections.push(Connection {
            a: SocketRef {
                part: to.0,
                socket: to.1,
            },
            b: SocketRef { part, socket: own },
        });
        part
    }

    /// Opens a socket (part, socket) to the outside.
    pub fn port(&mut self, name: &str, (part, socket): (usize, usize), condition: Condition) {
        self.chip.ports.push(Port {
            name: name.into(),
            socket: SocketRef { part, socket },
            condition,
        });
    }
}

/// A straight channel.
pub fn straight(length: f64, width: f64) -> Shape {
    Shape::Strip(Strip::Straight {
        length,
        width_start: width,
        width_end: width,
    })
}

/// An arc that turns left.
pub fn arc(radius: f64, angle: f64, width: f64) -> Shape {
    Shape::Strip(Strip::Arc {
        radius,
        angle,
        width,
    })
}

/// A square about the origin whose sockets are the given sides: 0 below, 1 right, 2 above, 3 left.
pub fn square(width: f64, sides: &[usize]) -> Shape {
    let h = width / 2.0;
    Shape::Polygon {
        corners: [(-h, -h), (h, -h), (h, h), (-h, h)]
            .map(|(x, y)| Point::new(x, y))
            .to_vec(),
        sockets: sides.to_vec(),
        holes: Vec::new(),
    }
}

/// One straight channel from `in` to `out`, moved.
pub fn channel(length: f64, width: f64, motion: Motion, conditions: [Condition; 2]) -> Chip {
    let mut b = Builder::new("channel");
    let pipe = b.place(straight(length, width), motion);
    b.port("in", (pipe, 0), conditions[0]);
    b.port("out", (pipe, 1), conditions[1]);
    b.chip
}

/// A tee with an arm of each length: left, right, up. Part 0 is the square between them.
pub fn tee(arms: [f64; 3], width: f64, conditions: [Condition; 3]) -> Chip {
    let mut b = Builder::new("tee");
    let middle = b.place(square(width, &[3, 1, 2]), Motion::IDENTITY);
    for (k, name) in ["left", "right", "up"].into_iter().enumerate() {
        let arm = b.attach(straight(arms[k], width), 0, (middle, k));
        b.port(name, (arm, 1), conditions[k]);
    }
    b.chip
}

/// A design as a chip with the library that comes with the program; its warnings are nobody's business here.
pub fn placed(design: &Design) -> Chip {
    let (chip, diagnostics) = chip::place(design, &Library::embedded());
    chip.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

/// The chip of a design's text.
pub fn from_text(text: &str, name: &str) -> Chip {
    let (design, diagnostics) = design::parse(text, name);
    placed(&design.unwrap_or_else(|| panic!("{name}: {diagnostics:#?}")))
}

/// The chip of a file in `designs/`.
pub fn from_file(name: &str) -> Chip {
    let path = format!("{}/designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    from_text(
        &std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")),
        name,
    )
}

/// Names of all files in `designs/`, in order.
pub fn all_designs() -> Vec<String> {
    let folder = format!("{}/designs", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the designs are part of the repository")
        .map(|entry| entry.expect("its folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// The thesis's lattice with `n x n` crossings: width 0.0125 m, pitch 0.05 m, inlets at the left corners, outlets at the right.
pub fn lattice(n: usize) -> Chip {
    let pitch = 0.05;
    let mut nodes: Vec<String> = (0..n * n)
        .map(|k| format!("[{}, {}]", (k % n) as f64 * pitch, (k / n) as f64 * pitch))
        .collect();
    let mut channels: Vec<[usize; 2]> = Vec::new();
    for k in 0..n * n {
        if k % n + 1 < n {
            channels.push([k, k + 1]);
        }
        if k / n + 1 < n {
            channels.push([k, k + n]);
        }
    }
    let side = (n - 1) as f64 * pitch;
    let corners = [0, n * (n - 1), n - 1, n * n - 1];
    for (i, (x, y)) in [
        (-pitch, 0.0),
        (-pitch, side),
        (side + pitch, 0.0),
        (side + pitch, side),
    ]
    .into_iter()
    .enumerate()
    {
        nodes.push(format!("[{x}, {y}]"));
        channels.push([corners[i], n * n + i]);
    }
    let (first, text) = (n * n, nodes.join(", "));
    let channels: Vec<String> = channels
        .iter()
        .map(|c| format!("[{}, {}]", c[0], c[1]))
        .collect();
    let json = format!(
        "{{\"name\": \"lattice{n}\", \"width\": 0.0125, \"flow_rate\": 0.005, \"viscosity\": 0.00089, \"nodes\": [{text}], \
         \"channels\": [{}], \"inlets\": [{}, {}], \"outlets\": [{}, {}]}}",
        channels.join(", "),
        first,
        first + 1,
        first + 2,
        first + 3
    );
    let (design, diagnostics) = network(&json, &format!("lattice{n}"));
    placed(&design.unwrap_or_else(|| panic!("{diagnostics:#?}")))
}

/// The chip with other conditions at its ports, in order.
pub fn with_conditions(chip: &Chip, conditions: &[Condition]) -> Chip {
    assert_eq!(chip.ports.len(), conditions.len(), "one condition a port");
    let mut chip = chip.clone();
    for (port, condition) in chip.ports.iter_mut().zip(conditions) {
        port.condition = *condition;
    }
    chip
}
