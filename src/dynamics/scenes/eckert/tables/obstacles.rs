//! When the liquid of the tanks with obstacles gets where (\[003\] figures 4.16 and 4.19).

use super::{TableRequest, by_name, flow};
use crate::grid::CellFlag;
use crate::scenes::eckert::flow::FlowError;
use crate::scenes::eckert::{Table, Tank, TankFlow, tank};
use crate::splitting::Settings;

/// Methods whose events are told; the printed steps are of the first.
const METHODS: [&str; 4] = ["orig-ps", "orig-ps-sep", "iop-sep", "iop-sep-bc"];

/// A place of a tank, as a test of points in parts of its side; the second argument is the side of a cell.
type Place<const D: usize> = fn([f64; D], f64) -> bool;

/// What happens, when the thesis says that it does, and where.
struct Event<const D: usize> {
    name: &'static str,
    printed: &'static str,
    place: Place<D>,
    is_last: bool,
}

/// The stairs: liquid at the right wall, under the floating plane, and the last of it there.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn stairs_events<const D: usize>(request: &TableRequest<'_>) -> Result<Table, FlowError<D>> {
    let under: Place<D> = |x, dx| x[0] > 0.7 && x[1] < 0.5 && x[1] > 0.5 - 1.6 * dx;
    let events = [
        first("right wall", "45", |x, dx| x[0] > 1.0 - 2.0 * dx),
        first("under the plane", "68", under),
        last("last under the plane", "350 (133 if it lets go)", under),
    ];
    table("F4.16", &of("stairs"), &events, request)
}

/// The levitating planes: liquid on the ball, at ceiling and floor, at the side walls low down, under the planes, and the last there.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn planes_events<const D: usize>(request: &TableRequest<'_>) -> Result<Table, FlowError<D>> {
    let under: Place<D> = |x, dx| {
        let is_below = x[1] < 0.67 && x[1] > 0.67 - 1.6 * dx;
        is_below && !(0.35..0.65).contains(&x[0])
    };
    let on_ball: Place<D> = |x, dx| {
        let to = |a: usize| x[a] - if a == 1 { 0.4 } else { 0.5 };
        let r = (0..D).map(|a| to(a) * to(a)).sum::<f64>().sqrt();
        r < 0.12 + 1.2 * dx
    };
    let ceiling: Place<D> = |x, dx| x[1] > 1.0 - 2.0 * dx;
    let events = [
        first("on the ball", "23", on_ball),
        first("ceiling", "45", ceiling),
        first("floor", "45", |x, dx| x[1] < 2.0 * dx),
        last("last at the ceiling", "64", ceiling),
        first("side walls, low", "84", |x, dx| {
            (x[0] < 2.0 * dx || x[0] > 1.0 - 2.0 * dx) && x[1] < 0.3
        }),
        first("under the planes", "", under),
        last("last under the planes", "212 (126 if it lets go)", under),
    ];
    table("F4.19", &of("levitating-planes"), &events, request)
}

fn of<const D: usize>(name: &str) -> Tank<D> {
    tank(name).expect("a tank of the program")
}

fn first<const D: usize>(name: &'static str, printed: &'static str, place: Place<D>) -> Event<D> {
    Event {
        name,
        printed,
        place,
        is_last: false,
    }
}

fn last<const D: usize>(name: &'static str, printed: &'static str, place: Place<D>) -> Event<D> {
    Event {
        is_last: true,
        ..first(name, printed, place)
    }
}

/// A row a method; the printed steps, read off figures of OrigPS at 96 cubed, stand in the first.
fn table<const D: usize>(
    id: &str,
    tank: &Tank<D>,
    events: &[Event<D>],
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    let headings: Vec<&str> = std::iter::once("method")
        .chain(events.iter().map(|e| e.name))
        .collect();
    let what = "practical settings; printed: 96^3 OrigPS, the step of each event";
    let mut table = Table::new(id, request.note(tank, what), &headings);
    let printed = events.iter().map(|e| e.printed.to_owned());
    table.add(
        std::iter::once("printed".to_owned())
            .chain(printed)
            .collect(),
    );
    for name in METHODS {
        let mut seen: Vec<Option<usize>> = vec![None; events.len()];
        let mut tank = TankFlow::new(tank, request.n, flow::<D>());
        let dx = 1.0 / request.n as f64;
        for _ in 0..request.steps {
            let settings = Settings::practical::<D>();
            let mut flags = Vec::new();
            let step = tank.step(by_name(name), &settings, request.watch, &mut |s| {
                flags.clone_from(&s.flags);
            })?;
            let cells = tank.mac.cells;
            let is_at = |event: &Event<D>| {
                (0..flags.len()).any(|i| {
                    flags[i] == CellFlag::Fluid && {
                        let centre = tank.mac.centre(cells.coordinates(i));
                        (event.place)(centre.map(|x| x * dx), dx)
                    }
                })
            };
            for (seen, event) in seen.iter_mut().zip(events) {
                if (event.is_last || seen.is_none()) && is_at(event) {
                    *seen = Some(step.step);
                }
            }
        }
        let steps = seen
            .iter()
            .map(|s| s.map_or_else(String::new, |s| s.to_string()));
        table.add(std::iter::once(name.to_owned()).chain(steps).collect());
    }
    Ok(table)
}
