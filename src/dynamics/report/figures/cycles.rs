//! \[000\] figures 6.8 and 6.12: how many outer iterations solves take, and what interpolation costs.

use super::{Drawn, Figure, FigureError, FigureRequest};
use crate::report::chart::{Axis, Chart, Series};
use crate::report::measure::{Campaign, measure};
use crate::scenes::AnyScene;
use crate::scenes::eckert::Table;

fn sphere() -> AnyScene {
    AnyScene::of("sphere").expect("a scene of the program")
}

/// How many solves of policy iteration and of the penalty method took how many linear systems.
pub(super) fn outer(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    const SOLVERS: [&str; 2] = ["pi-mg", "pe-mg"];
    let campaign = Campaign {
        scene: sphere(),
        size: request.n,
        frames: request.frames,
        single: None,
        driver: "fas-mg",
        solvers: SOLVERS.to_vec(),
    };
    let found = measure(&campaign, request.watch, &|_| {})?;
    let counts: Vec<&[usize]> = found.solvers.iter().map(|s| &s.by_outer[..]).collect();
    let longest = counts.iter().map(|c| c.len()).max().unwrap_or(0);
    let mut table = Table::new(
        "F6.8",
        format!(
            "sphere in space, n = {}, {} frames: pressure solves by their linear systems",
            request.n, request.frames
        ),
        &["outer iterations", SOLVERS[0], SOLVERS[1]],
    );
    for outer in 0..longest {
        let of = |c: &&[usize]| c.get(outer).copied().unwrap_or(0).to_string();
        table.add(
            std::iter::once(outer.to_string())
                .chain(counts.iter().map(of))
                .collect(),
        );
    }
    // A histogram as steps: from half before a number to half behind it.
    let series = counts.iter().zip(SOLVERS).enumerate();
    let series = series.map(|(colour, (counts, label))| Series {
        label: label.to_owned(),
        points: counts
            .iter()
            .enumerate()
            .flat_map(|(outer, n)| [-0.5, 0.5].map(|d| (outer as f64 + d, *n as f64)))
            .chain([(counts.len() as f64 - 0.5, 0.0)])
            .collect(),
        colour,
        dashed: colour > 0,
    });
    let chart = Chart {
        title: format!("F6.8: solves by outer iterations, {} cubed", request.n),
        x_label: "outer iterations".into(),
        y_label: "pressure solves".into(),
        x_axis: Axis::Linear,
        y_axis: Axis::Linear,
        names: Vec::new(),
        series: series.collect(),
    };
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Chart(chart))],
    })
}

/// Seconds of FAS-MG with barycentric and with trilinear weights, sizes from 16 in doubles up to that asked for.
pub(super) fn weights(request: &FigureRequest<'_>) -> Result<Figure, FigureError> {
    const SOLVERS: [(&str, &str); 2] = [("fas-mg", "barycentric"), ("fas-trilinear", "trilinear")];
    let mut table = Table::new(
        "F6.12",
        format!(
            "scenario 1, first substep of frame {}, cold: seconds of a solve, set-up included",
            request.frames
        ),
        &[
            "cells a side",
            "barycentric",
            "trilinear",
            "cycles",
            "cycles ",
            "trilinear / barycentric",
        ],
    );
    let mut points = [Vec::new(), Vec::new()];
    let doubled = |n: &usize| Some(2 * n).filter(|n| *n <= request.n);
    for n in std::iter::successors(Some(16.min(request.n)), doubled) {
        let campaign = Campaign {
            scene: sphere(),
            size: n,
            frames: request.frames + 1,
            single: Some(request.frames),
            driver: "fas-mg",
            solvers: SOLVERS.map(|s| s.0).to_vec(),
        };
        let found = measure(&campaign, request.watch, &|_| {})?;
        let [barycentric, trilinear] = &found.solvers[..] else {
            continue;
        };
        for (points, of) in points.iter_mut().zip([barycentric, trilinear]) {
            points.push((n as f64, of.seconds));
        }
        table.add(vec![
            n.to_string(),
            format!("{:.4}", barycentric.seconds),
            format!("{:.4}", trilinear.seconds),
            barycentric.iterations.to_string(),
            trilinear.iterations.to_string(),
            format!("{:.2}", trilinear.seconds / barycentric.seconds),
        ]);
    }
    let series = points.into_iter().zip(SOLVERS).enumerate();
    let chart = Chart {
        title: "F6.12: seconds of a solve by interpolation".into(),
        x_label: "cells a side".into(),
        y_label: "seconds".into(),
        x_axis: Axis::Logarithmic,
        y_axis: Axis::Logarithmic,
        names: Vec::new(),
        series: series
            .map(|(colour, (points, (_, label)))| Series {
                label: label.into(),
                points,
                colour,
                dashed: false,
            })
            .collect(),
    };
    Ok(Figure {
        table,
        pictures: vec![(String::new(), Drawn::Chart(chart))],
    })
}
