//! Components built from components: what the scripts of `compose` can call.
//!
//! | call | does |
//! |---|---|
//! | `place(name, kind, #{parameters}, x, y, angle)` | puts a component's origin at (x, y), turned by `angle` |
//! | `place(name, kind, #{parameters}, x, y, angle, mirror)` | the same, mirrored in its own x axis first |
//! | `part(name, kind, #{parameters})` | puts it at the origin |
//! | `attach(name, kind, #{parameters}, socket, "other.socket")` | puts it on another part, joined; `mirror` may follow |
//! | `route(name, [[x, y], ...], width)` | a channel along points with mitred bends, sockets `a` and `b`; a bend radius may follow |
//! | `span(name, "a.socket", "b.socket")` | a straight pipe between two sockets that face each other, joined to both |
//! | `connect("a.socket", "b.socket")` | joins sockets that lie on each other |
//! | `at("a.socket")` | where it is: `x`, `y`, `direction`, `width` |
//! | `socket(name, "a.socket")` | makes it one of the component's own |

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rhai::{AST, Array, Dynamic, Engine, EvalAltResult, Map, Scope};

use super::Realisation;
use super::builder::Builder;
use super::fault::{BAD_OUTLINE, NO_MEETING, OVERLAP, error, error_with_help};
use super::overlap::first_overlap;
use super::realise::Call;
use super::route::{Turn, route};
use super::script;
use super::value::point;
use crate::shape::{Connection, Shape, SocketRef, Strip, Walls};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::{Motion, Point};

/// What a script has built so far, and what went wrong where a script's error has no room for it.
#[derive(Debug, Default)]
struct Composed {
    builder: Builder,
    fault: Option<Diagnostic>,
}

/// Shared by the functions of one script.
#[derive(Clone, Debug)]
struct Shared {
    state: Arc<Mutex<Composed>>,
    call: Call,
}

type ScriptResult<T> = Result<T, Box<EvalAltResult>>;

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Composed> {
        // A panic elsewhere leaves nothing half-done that matters: the result is thrown away with it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one step; its diagnostic is kept, the script only hears that it failed.
    fn step<T>(&self, step: impl FnOnce(&mut Builder) -> Result<T, Diagnostic>) -> ScriptResult<T> {
        let mut state = self.lock();
        step(&mut state.builder).map_err(|fault| {
            let message = fault.message.clone();
            state.fault.get_or_insert(fault);
            message.into()
        })
    }

    /// The realisation of a nested component.
    fn nested(&self, name: &str, kind: &str, parameters: Map) -> ScriptResult<Arc<Realisation>> {
        let nested = self.call.nested(kind, parameters);
        nested.map_err(|mut fault| {
            fault.message = format!("part `{name}` ({kind}): {}", fault.message);
            let message = fault.message.clone();
            self.lock().fault.get_or_insert(fault);
            message.into()
        })
    }

    fn place(&self, name: &str, kind: &str, parameters: Map, motion: Motion) -> ScriptResult<()> {
        let finite = motion.translation.x.is_finite()
            && motion.translation.y.is_finite()
            && motion.angle.is_finite();
        if !finite {
            return Err(format!("part `{name}` is placed at a position that is not finite").into());
        }
        let child = self.nested(name, kind, parameters)?;
        self.step(|builder| builder.place(name, &child, motion))
    }

    fn attach(
        &self,
        name: &str,
        kind: &str,
        parameters: Map,
        (socket, to, mirror): (&str, &str, bool),
    ) -> ScriptResult<()> {
        let child = self.nested(name, kind, parameters)?;
        self.step(|builder| builder.attach(name, &child, socket, to, mirror))
    }

    fn route(&self, name: &str, points: &Array, width: f64, turn: Turn) -> ScriptResult<()> {
        let points: Option<Vec<Point>> = points.iter().map(point).collect();
        let Some(points) = points.filter(|p| p.iter().all(|p| p.x.is_finite() && p.y.is_finite()))
        else {
            return Err(format!("route `{name}` needs a list of points [x, y]").into());
        };
        self.step(|builder| {
            let parts = route(&points, width, turn)?;
            let last = parts
                .len()
                .checked_sub(1)
                .ok_or_else(|| error(BAD_OUTLINE, "the route has no length"))?;
            let at = |part: usize, socket: usize| SocketRef { part, socket };
            let connections = (0..last)
                .map(|k| Connection {
                    a: at(k, 1),
                    b: at(k + 1, 0),
                })
                .collect();
            let sockets = vec![("a".to_owned(), at(0, 0)), ("b".to_owned(), at(last, 1))];
            builder.place(
                name,
                &Realisation {
                    parts,
                    connections,
                    sockets,
                },
                Motion::IDENTITY,
            )
        })
    }

    fn span(&self, name: &str, from: &str, to: &str) -> ScriptResult<()> {
        self.step(|builder| {
            let (a, b) = (builder.socket_named(from)?, builder.socket_named(to)?);
            let along = Point::unit(a.direction);
            let length = (b.middle - a.middle).dot(along);
            if length < 1e-9 * a.width {
                let message = format!("no straight pipe leads from `{from}` to `{to}`");
                return Err(error_with_help(
                    NO_MEETING,
                    message,
                    "the sockets must face each other with room between them",
                ));
            }
            let strip = Strip::Straight {
                length,
                width_start: a.width,
                width_end: b.width,
            };
            let part = crate::shape::Part {
                name: String::new(),
                shape: Shape::Strip(strip),
                motion: Motion::IDENTITY,
                walls: Walls::default(),
                depth: None,
            };
            let at = |socket: usize| SocketRef { part: 0, socket };
            let sockets = vec![("a".to_owned(), at(0)), ("b".to_owned(), at(1))];
            let pipe = Realisation {
                parts: vec![part],
                connections: Vec::new(),
                sockets,
            };
            builder.attach(name, &pipe, "a", from, false)?;
            builder.connect(&format!("{name}.b"), to)
        })
    }
}

/// Runs a script that composes.
pub(super) fn compose(
    ast: &AST,
    engine: &mut Engine,
    scope: &mut Scope,
    call: &Call,
) -> Result<Realisation, Diagnostic> {
    let shared = Shared {
        state: Arc::default(),
        call: call.clone(),
    };
    register(engine, &shared);
    let outcome = engine.eval_ast_with_scope::<Dynamic>(scope, ast);
    let mut state = std::mem::take(&mut *shared.lock());
    // A script may catch the error, but a part that could not be built is missing all the same.
    if let Some(fault) = state.fault.take() {
        return Err(fault);
    }
    if let Err(e) = outcome {
        return Err(script::fault("its script", &e));
    }
    let realisation = state.builder.finish();
    if realisation.parts.is_empty() {
        return Err(error(BAD_OUTLINE, "its script places no parts"));
    }
    Ok(realisation)
}

/// Refuses a component whose parts lie on each other.
pub(super) fn check_overlap(realisation: &Realisation) -> Result<(), Diagnostic> {
    let Some((i, j)) = first_overlap(&realisation.parts) else {
        return Ok(());
    };
    let (a, b) = (&realisation.parts[i].name, &realisation.parts[j].name);
    let message = format!("with these parameters its parts `{a}` and `{b}` lie on each other");
    Err(error_with_help(
        OVERLAP,
        message,
        "make pitches and lengths larger, or widths and radii smaller",
    ))
}

fn register(engine: &mut Engine, shared: &Shared) {
    let with = || shared.clone();

    let s = with();
    engine.register_fn("part", move |name: &str, kind: &str, parameters: Map| {
        s.place(name, kind, parameters, Motion::IDENTITY)
    });
    let s = with();
    engine.register_fn(
        "place",
        move |name: &str, kind: &str, parameters: Map, x: Dynamic, y: Dynamic, angle: Dynamic| {
            s.place(name, kind, parameters, motion(&x, &y, &angle, false)?)
        },
    );
    let s = with();
    engine.register_fn(
        "place",
        move |name: &str,
              kind: &str,
              parameters: Map,
              x: Dynamic,
              y: Dynamic,
              angle: Dynamic,
              mirror: bool| {
            s.place(name, kind, parameters, motion(&x, &y, &angle, mirror)?)
        },
    );
    let s = with();
    engine.register_fn(
        "attach",
        move |name: &str, kind: &str, parameters: Map, socket: &str, to: &str| {
            s.attach(name, kind, parameters, (socket, to, false))
        },
    );
    let s = with();
    engine.register_fn(
        "attach",
        move |name: &str, kind: &str, parameters: Map, socket: &str, to: &str, mirror: bool| {
            s.attach(name, kind, parameters, (socket, to, mirror))
        },
    );
    let s = with();
    engine.register_fn("route", move |name: &str, points: Array, width: f64| {
        s.route(name, &points, width, Turn::Mitred)
    });
    let s = with();
    engine.register_fn(
        "route",
        move |name: &str, points: Array, width: f64, radius: f64| {
            s.route(name, &points, width, Turn::Round(radius))
        },
    );
    let s = with();
    engine.register_fn("span", move |name: &str, from: &str, to: &str| {
        s.span(name, from, to)
    });
    let s = with();
    engine.register_fn("connect", move |a: &str, b: &str| {
        s.step(|builder| builder.connect(a, b))
    });
    let s = with();
    engine.register_fn("socket", move |name: &str, inner: &str| {
        s.step(|builder| builder.name_socket(name, inner))
    });
    let s = with();
    engine.register_fn("at", move |name: &str| -> ScriptResult<Map> {
        let socket = s.step(|builder| builder.socket_named(name))?;
        let entries = [
            ("x", socket.middle.x),
            ("y", socket.middle.y),
            ("direction", socket.direction),
            ("width", socket.width),
        ];
        Ok(entries
            .into_iter()
            .map(|(key, x)| (key.into(), Dynamic::from_float(x)))
            .collect())
    });
}

fn motion(x: &Dynamic, y: &Dynamic, angle: &Dynamic, mirror: bool) -> ScriptResult<Motion> {
    let number = |value: &Dynamic| -> ScriptResult<f64> {
        let number = value
            .as_float()
            .or_else(|_| value.as_int().map(|n| n as f64));
        number.map_err(|got| format!("place needs numbers for x, y and angle, got {got}").into())
    };
    Ok(Motion {
        angle: number(angle)?,
        mirror,
        translation: Point::new(number(x)?, number(y)?),
    })
}
