//! How liquid leaves walls: \[001\] figure 3 and \[003\] figure 4.15.

use super::{Drawn, Figure, FigureError, FigureRequest};
use crate::grid::sample;
use crate::lcp::solver;
use crate::pressure::Separation;
use crate::report::picture::{beside, draw};
use crate::report::still::Still;
use crate::scenes::eckert::{FlowSettings, Table, TankFlow, Unmet, tank};
use crate::scenes::{Simulation, scene3};
use crate::splitting::{Classify, Settings, method};

/// \[001\] figure 3: the liquid of a turned box at the start, held by its walls, and let go by them. The table counts particles that are
/// under walls that overhang, within a cell of them.
pub(super) fn turned_box(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    let scene = scene3("rotated-box").expect("a scene of the program");
    let mut table = Table::new(
        "F3",
        format!("rotated-box, n = {}, {} frames", request.n, request.frames),
        &["walls", "frame", "particles under walls that overhang"],
    );
    let mut pictures = Vec::new();
    for (walls, separation) in [("hold", Separation::Sticking), ("let go", Separation::Cut)] {
        let mut simulation = Simulation::new(scene.clone(), request.n, separation);
        if pictures.is_empty() {
            pictures.push(draw(&Still::from(&simulation), None));
        }
        let mut solver = solver::<3>("fas-mg").expect("a solver of the registry");
        for frame in 1..=request.frames {
            simulation.frame(&mut *solver, request.watch, &mut |_| {})?;
            if frame % 10 == 0 || frame == request.frames {
                table.add(vec![
                    walls.into(),
                    frame.to_string(),
                    overhung(&simulation).to_string(),
                ]);
            }
        }
        pictures.push(draw(&Still::from(&simulation), None));
    }
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Image(beside(&pictures)))],
    })
}

/// Particles within a cell of a wall whose surface looks down.
fn overhung(simulation: &Simulation<3>) -> usize {
    let dx = simulation.mac.dx;
    let nodes = simulation.mac.cells.nodes();
    let distance = |x: [f64; 3]| sample(&nodes, &simulation.walls().distance, x.map(|x| x / dx));
    let is_under = |x: &&[f64; 3]| {
        let mut above = **x;
        above[1] += dx;
        // Nearer to the wall going up, along more than half of the way.
        let here = distance(**x);
        here < dx && here - distance(above) > 0.5 * dx
    };
    simulation.x.iter().filter(is_under).count()
}

/// \[003\] figure 4.15: the dam at a step by methods that open walls by velocity and by pressure.
pub(super) fn by_pressure(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    const METHODS: [&str; 4] = ["orig-ps-sep", "admm-vel-sep", "iop-sep", "iop-sep-bc"];
    let dam = tank::<2>("breaking-dam").expect("a tank of the program");
    let settings = FlowSettings {
        unmet: Unmet::GoOn,
        ..FlowSettings::of::<2>()
    };
    let mut table = Table::new(
        "F4.15",
        format!("breaking-dam, n = {}, step {}", request.n, request.frames),
        &[
            "method",
            "walls opened by",
            "cells at the ceiling",
            "cells at the right wall",
            "cells of liquid",
            "CG",
            "outer",
            "unmet steps",
        ],
    );
    let mut pictures = Vec::new();
    for (by, classify) in [
        ("velocity", Classify::Velocity),
        ("pressure", Classify::Pressure),
    ] {
        let mut row = Vec::new();
        for name in METHODS {
            let of = method(name).expect("a method of the registry").method;
            let how = Settings {
                classify,
                ..Settings::practical::<2>()
            };
            let mut flow = TankFlow::new(&dam, request.n, settings.clone());
            let mut logs = Vec::new();
            let mut last = None;
            for _ in 0..request.frames {
                let step = flow.step(of, &how, request.watch, &mut |_| {})?;
                logs.push(step.log.clone());
                last = Some(step);
            }
            let mean = crate::scenes::eckert::Averages::of(logs.iter());
            let reach = last.as_ref().map(|step| step.reach).unwrap_or_default();
            table.add(vec![
                name.into(),
                by.into(),
                reach.ceiling.to_string(),
                reach.right.to_string(),
                last.map_or(0, |step| step.volume).to_string(),
                format!("{:.1}", mean.inner),
                format!("{:.2}", mean.outer),
                mean.unmet.to_string(),
            ]);
            row.push(draw(&Still::from(&flow), None));
        }
        pictures.push((by.to_owned(), Drawn::Image(beside(&row))));
    }
    Ok(Figure { table, pictures })
}
