//! \[003\] figures 4.11 and 4.14: how far, and where, velocities of methods differ on the same inputs.

use image::{Rgb, RgbImage};

use super::{Drawn, Figure, FigureError, FigureRequest, squares};
use crate::grid::{CellFlag, Mac};
use crate::report::chart::{Axis, Chart, Series};
use crate::report::picture::beside;
use crate::scenes::eckert::{
    FlowSettings, Snapshot, Table, Tank, Unmet, compare, differences, snapshots, tank,
};
use crate::splitting::{Inner, Method, Settings, method};

/// Differences are shown this many times as large (\[003\]).
const ENLARGED: f64 = 200.0;
/// Steps of the three columns, of 195: as printed, or in proportion where fewer are run.
const STEPS: [usize; 3] = [70, 125, 195];
/// Pixels a side of one field.
const PIXELS: usize = 288;

fn named(name: &str) -> Method {
    method(name).expect("a method of the registry").method
}

fn dam() -> Tank<2> {
    tank("breaking-dam").expect("a tank of the program")
}

fn flow() -> FlowSettings {
    FlowSettings {
        unmet: Unmet::GoOn,
        ..FlowSettings::of::<2>()
    }
}

/// What an accurate solve finds is the same with any preconditioner.
fn accurate() -> Settings {
    Settings {
        inner: Inner::Modified,
        ..Settings::accurate::<2>()
    }
}

/// Figure 4.11: practical ADMMVelSep, ADMMDivSep and IOPDivSep less the accurate ADMMVelSep, at three steps of an OrigPS run. Along x
/// red, along y green, both yellow.
pub(super) fn fields(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    const METHODS: [&str; 3] = ["admm-vel-sep", "admm-div-sep", "iop-sep"];
    let steps = STEPS.map(|t| (t * request.frames / STEPS[2]).max(1));
    let all = snapshots(
        &dam(),
        request.n,
        &flow(),
        named("orig-ps"),
        (request.frames, 1),
        request.watch,
    )?;
    let of_step = |t: &usize| all.iter().find(|s| s.step == *t).cloned();
    let inputs: Vec<Snapshot<2>> = steps.iter().filter_map(of_step).collect();
    let exact = compare(&inputs, named(METHODS[0]), &accurate(), request.watch)?;
    let mut table = Table::new(
        "F4.11",
        format!(
            "breaking-dam, n = {}, inputs of an OrigPS run; less ADMMVelSep to 1e-9; pictures enlarged {ENLARGED} times",
            request.n
        ),
        &["method", "step", "largest", "largest away from walls"],
    );
    let mut rows = Vec::new();
    for name in METHODS {
        let settings = Settings::practical::<2>();
        let done = compare(&inputs, named(name), &settings, request.watch)?;
        let mut row = Vec::new();
        for ((input, exact), done) in inputs.iter().zip(&exact).zip(&done) {
            let [all, inside] = differences(input, &exact.1, &done.1);
            table.add(vec![
                name.into(),
                input.step.to_string(),
                format!("{all:.2e}"),
                format!("{inside:.2e}"),
            ]);
            row.push(drawn(input, &exact.1, &done.1));
        }
        rows.push(beside(&row));
    }
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Image(stacked(&rows)))],
    })
}

/// Pictures of one width, one above the other.
fn stacked(rows: &[RgbImage]) -> RgbImage {
    let turned: Vec<RgbImage> = rows.iter().map(image::imageops::rotate270).collect();
    image::imageops::rotate90(&beside(&turned))
}

/// A difference in the middle of every cell, over the cells of liquid.
fn drawn(input: &Snapshot<2>, a: &Mac<2>, b: &Mac<2>) -> RgbImage {
    let cells = a.cells;
    let side = (PIXELS / cells.n[0]).max(1);
    squares((cells.n[0], cells.n[1]), side, |x, y| {
        let c = [x, cells.n[1] - 1 - y];
        match input.flags[cells.index(c)] {
            CellFlag::Solid => Rgb([120, 123, 130]),
            CellFlag::Air => Rgb([40, 42, 46]),
            CellFlag::Fluid => {
                let centre = a.centre(c);
                let (a, b) = (a.velocity(centre), b.velocity(centre));
                let shade = |k: usize| ((b[k] - a[k]).abs() * ENLARGED).min(1.0) * 255.0;
                Rgb([shade(0) as u8, shade(1) as u8, 0])
            }
        }
    })
}

/// Figure 4.14: the largest difference of two methods step by step, both practical and both accurate, on the inputs of every fifth step.
pub(super) fn over_time(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    const EVERY: usize = 5;
    const PAIRS: [(&str, &str); 3] = [
        ("orig-ps-sep", "iop-sep-bc"),
        ("iop-sep", "iop-sep-bc"),
        ("admm-vel-sep", "iop-sep"),
    ];
    let inputs = snapshots(
        &dam(),
        request.n,
        &flow(),
        named("orig-ps"),
        (request.frames, EVERY),
        request.watch,
    )?;
    let solved =
        |name: &str, settings: &Settings| compare(&inputs, named(name), settings, request.watch);
    let mut headings = vec!["step".to_owned()];
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (accuracy, settings) in [("low", Settings::practical::<2>()), ("high", accurate())] {
        for (a, b) in PAIRS {
            let (first, second) = (solved(a, &settings)?, solved(b, &settings)?);
            let of = |((input, a), b): ((&Snapshot<2>, &(_, Mac<2>)), &(_, Mac<2>))| {
                differences(input, &a.1, &b.1)[0]
            };
            columns.push(inputs.iter().zip(&first).zip(&second).map(of).collect());
            headings.push(format!("{a} : {b} {accuracy}"));
        }
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = Table::new(
        "F4.14",
        format!(
            "breaking-dam, n = {}, inputs of every {EVERY}th step of OrigPS; largest difference on faces of liquid, cells per time",
            request.n
        ),
        &headings,
    );
    for (k, input) in inputs.iter().enumerate() {
        let numbers = columns.iter().map(|column| format!("{:.2e}", column[k]));
        table.add(
            std::iter::once(input.step.to_string())
                .chain(numbers)
                .collect(),
        );
    }
    let series = columns.iter().enumerate().map(|(k, column)| Series {
        label: headings[k + 1].to_owned(),
        points: inputs
            .iter()
            .zip(column)
            .map(|(input, d)| (input.step as f64, *d))
            .collect(),
        colour: k % PAIRS.len(),
        dashed: k >= PAIRS.len(),
    });
    let chart = Chart {
        title: "F4.14: differences of velocities".into(),
        x_label: "step".into(),
        y_label: "largest difference, cells per time".into(),
        x_axis: Axis::Linear,
        y_axis: Axis::Logarithmic,
        names: Vec::new(),
        series: series.collect(),
    };
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Chart(chart))],
    })
}
