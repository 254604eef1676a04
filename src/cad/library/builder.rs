//! Puts components together: places parts, joins their sockets, names the outer ones.

use std::f64::consts::PI;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Realisation;
use super::fault::{BAD_SOCKET, NO_MEETING, TOO_MANY_PARTS, error, error_with_help};
use super::parse::is_name;
use crate::shape::{Connection, Part, Socket, SocketRef};
use stokeslet_base::diagnostic::{Diagnostic, nearest};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::{Dimension, print_quantity};

/// Most parts of one component.
pub(super) const MAX_PARTS: usize = 20_000;
/// Sockets that meet agree to this part of their width, and to this angle in rad.
pub(super) const AGREE: f64 = 1e-9;

/// A component that is being put together.
#[derive(Debug, Default)]
pub(super) struct Builder {
    result: Realisation,
    /// Sockets by `child.socket`.
    sockets: FxHashMap<String, SocketRef>,
    children: FxHashSet<String>,
    /// Connected or named: a socket serves once.
    used: FxHashSet<SocketRef>,
}

impl Builder {
    /// What was built. Sockets that were neither connected nor named are closed ends.
    pub fn finish(self) -> Realisation {
        self.result
    }

    /// Adds a component under a name.
    pub fn place(
        &mut self,
        name: &str,
        child: &Realisation,
        motion: Motion,
    ) -> Result<(), Diagnostic> {
        if !is_name(name) {
            return Err(error(
                BAD_SOCKET,
                format!(
                    "`{name}` can't name a part: use a letter, then letters, digits and underscores"
                ),
            ));
        }
        if !self.children.insert(name.to_owned()) {
            return Err(error(
                BAD_SOCKET,
                format!("there are two parts named `{name}`"),
            ));
        }
        let offset = self.result.parts.len();
        if offset + child.parts.len() > MAX_PARTS {
            return Err(error_with_help(
                TOO_MANY_PARTS,
                format!("it needs more than {MAX_PARTS} parts"),
                "use smaller counts, or several components",
            ));
        }
        let shift = |s: SocketRef| SocketRef {
            part: s.part + offset,
            socket: s.socket,
        };
        for part in &child.parts {
            let name = if part.name.is_empty() {
                name.to_owned()
            } else {
                format!("{name}/{}", part.name)
            };
            self.result.parts.push(Part {
                name,
                shape: part.shape.clone(),
                motion: tidy(motion.after(&part.motion)),
                walls: part.walls.clone(),
                depth: None,
            });
        }
        for c in &child.connections {
            self.used.extend([shift(c.a), shift(c.b)]);
            self.result.connections.push(Connection {
                a: shift(c.a),
                b: shift(c.b),
            });
        }
        for (socket, at) in &child.sockets {
            self.sockets.insert(format!("{name}.{socket}"), shift(*at));
        }
        Ok(())
    }

    /// Adds a component so that its socket meets another, and joins them.
    pub fn attach(
        &mut self,
        name: &str,
        child: &Realisation,
        socket: &str,
        to: &str,
        mirror: bool,
    ) -> Result<(), Diagnostic> {
        let target = self.geometry(self.find(to)?);
        let names = child.sockets.iter().map(|(n, _)| n.as_str());
        let Some((_, own)) = child.sockets.iter().find(|(n, _)| n == socket) else {
            return Err(no_socket(
                &format!("part `{name}` has no socket `{socket}`"),
                socket,
                names,
            ));
        };
        let own = socket_of(&child.parts, *own);
        let turned = Motion {
            angle: 0.0,
            mirror,
            translation: Point::default(),
        };
        let angle = target.direction + PI - turned.turn(own.direction);
        let motion = tidy(Motion {
            angle,
            mirror,
            translation: Point::default(),
        });
        let translation = target.middle - motion.apply(own.middle);
        self.place(
            name,
            child,
            Motion {
                translation,
                ..motion
            },
        )?;
        self.connect(&format!("{name}.{socket}"), to)
    }

    /// Joins two sockets that lie on each other.
    pub fn connect(&mut self, a: &str, b: &str) -> Result<(), Diagnostic> {
        let (at_a, at_b) = (self.find(a)?, self.find(b)?);
        let (socket_a, socket_b) = (self.geometry(at_a), self.geometry(at_b));
        check_meeting((a, &socket_a), (b, &socket_b))?;
        for (name, at) in [(a, at_a), (b, at_b)] {
            self.take(name, at)?;
        }
        self.result
            .connections
            .push(Connection { a: at_a, b: at_b });
        Ok(())
    }

    /// Makes an inner socket one of the component's own.
    pub fn name_socket(&mut self, name: &str, inner: &str) -> Result<(), Diagnostic> {
        if !is_name(name) || self.result.sockets.iter().any(|(n, _)| n == name) {
            return Err(error(
                BAD_SOCKET,
                format!("`{name}` can't name a socket: it is taken, or no name"),
            ));
        }
        let at = self.find(inner)?;
        self.take(inner, at)?;
        self.result.sockets.push((name.to_owned(), at));
        Ok(())
    }

    /// Where a socket lies in the component's frame.
    pub fn socket_named(&self, name: &str) -> Result<Socket, Diagnostic> {
        Ok(self.geometry(self.find(name)?))
    }

    fn take(&mut self, name: &str, at: SocketRef) -> Result<(), Diagnostic> {
        if self.used.insert(at) {
            return Ok(());
        }
        Err(error(
            BAD_SOCKET,
            format!(
                "socket `{name}` is used twice: a socket is joined to one other, or is one of the component's own"
            ),
        ))
    }

    fn find(&self, name: &str) -> Result<SocketRef, Diagnostic> {
        self.sockets.get(name).copied().ok_or_else(|| {
            let part = name.split('.').next().unwrap_or(name);
            let mut known: Vec<&str> = self
                .sockets
                .keys()
                .map(String::as_str)
                .filter(|s| s.split('.').next() == Some(part))
                .collect();
            known.sort_unstable();
            no_socket(&format!("there is no socket `{name}`"), name, known)
        })
    }

    fn geometry(&self, at: SocketRef) -> Socket {
        socket_of(&self.result.parts, at)
    }
}

fn no_socket<'a>(
    message: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => {
            "sockets are written `part.socket`; add the part first".to_owned()
        }
        None => format!("its sockets are {}", known.join(", ")),
    };
    error_with_help(BAD_SOCKET, message, help)
}

/// A part's socket in the frame that the part lies in.
pub(super) fn socket_of(parts: &[Part], at: SocketRef) -> Socket {
    let part = &parts[at.part];
    let socket = part.shape.sockets()[at.socket];
    Socket {
        middle: part.motion.apply(socket.middle),
        direction: part.motion.turn(socket.direction),
        width: socket.width,
    }
}

/// The angle in (-pi, pi], on a quarter turn where it is one up to rounding: long chains of attachments stay exact.
fn tidy(motion: Motion) -> Motion {
    let quarter = PI / 2.0;
    let turns = (motion.angle / quarter).round();
    let angle = if (motion.angle - turns * quarter).abs() < 1e-12 {
        match turns.rem_euclid(4.0) as u8 {
            3 => -quarter,
            quarters => f64::from(quarters) * quarter,
        }
    } else {
        Point::unit(motion.angle).angle()
    };
    Motion { angle, ..motion }
}

/// Two sockets that meet lie in one place, look at each other and are equally wide.
fn check_meeting(
    (a, socket_a): (&str, &Socket),
    (b, socket_b): (&str, &Socket),
) -> Result<(), Diagnostic> {
    let show = |x: f64| print_quantity(x, Dimension::Length);
    let disagree = |what: String| {
        Err(error(
            NO_MEETING,
            format!("`{a}` and `{b}` don't meet: {what}"),
        ))
    };
    let width = socket_a.width.max(socket_b.width);
    if (socket_a.width - socket_b.width).abs() > AGREE * width {
        return disagree(format!(
            "their widths are {} and {}",
            show(socket_a.width),
            show(socket_b.width)
        ));
    }
    let apart = (socket_a.middle - socket_b.middle).norm();
    // Coordinates of a large component carry rounding of their own size.
    let size = socket_a.middle.norm().max(socket_b.middle.norm());
    if apart > AGREE * width + 1e-14 * size {
        return disagree(format!("they are {} apart", show(apart)));
    }
    if (Point::unit(socket_a.direction) + Point::unit(socket_b.direction)).norm() > AGREE {
        let degrees = (socket_a.direction - socket_b.direction)
            .to_degrees()
            .rem_euclid(360.0);
        return disagree(format!(
            "their directions are {degrees:.6} deg apart instead of 180"
        ));
    }
    Ok(())
}
