//! Flows that the elements hold exactly.

use stokeslet::chip::{
    Chip, Condition, Connection, DepthModel, Part, Port, Shape, SocketRef, Strip,
};
use stokeslet::elimination::Table;
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::{CancelToken, Solution, SolveSettings, solve};

fn pipe(name: &str, length: f64, width: f64, motion: Motion) -> Part {
    Part {
        name: name.into(),
        shape: Shape::Strip(Strip::Straight {
            length,
            width_start: width,
            width_end: width,
        }),
        motion,
    }
}

fn port(name: &str, part: usize, socket: usize, condition: Condition) -> Port {
    Port {
        name: name.into(),
        socket: SocketRef { part, socket },
        condition,
    }
}

fn run(chip: &Chip, resolution: u32) -> Solution {
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    solve(
        chip,
        &settings,
        &Table::default(),
        &|_, _| {},
        &CancelToken::new(),
    )
    .unwrap()
}

fn channel(length: f64, conditions: [Condition; 2]) -> Chip {
    Chip {
        name: "channel".into(),
        viscosity: 1e-3,
        model: DepthModel::Planar,
        depth: None,
        parts: vec![pipe(
            "pipe",
            length,
            1e-4,
            Motion::new(0.3, Point::new(1e-3, 2e-3)),
        )],
        connections: vec![],
        ports: vec![
            port("in", 0, 0, conditions[0]),
            port("out", 0, 1, conditions[1]),
        ],
    }
}

#[test]
fn a_straight_pipe_is_poiseuille_to_rounding() {
    for (length, r) in [(1e-3, 4), (1.037e-3, 5), (0.31e-4, 8), (2.5e-2, 8)] {
        for conditions in [
            [Condition::Pressure(100.0), Condition::Pressure(0.0)],
            [Condition::FlowRate(1e-9), Condition::Pressure(0.0)],
            [Condition::FlowRate(1e-9), Condition::FlowRate(-1e-9)],
        ] {
            let s = run(&channel(length, conditions), r);
            let resistance = 12.0 * 1e-3 * length / 1e-12;
            let (q, dp) = (
                s.ports[0].flow_rate,
                s.ports[0].mean_pressure - s.ports[1].mean_pressure,
            );
            println!(
                "{length} {r} {:?}: res {:.1e} steps {} err {:.1e}",
                conditions[0],
                s.report.relative_residual,
                s.report.refinement_steps,
                dp / (q * resistance) - 1.0
            );
            assert!(
                (dp / (q * resistance) - 1.0).abs() < 1e-10,
                "length {length} r {r}: {} against {}",
                dp,
                q * resistance
            );
        }
    }
}

#[test]
fn a_tee_of_pipes_solves() {
    let w = 1.0;
    let half = w / 2.0;
    let square = Shape::Polygon {
        corners: vec![
            Point::new(-half, -half),
            Point::new(half, -half),
            Point::new(half, half),
            Point::new(-half, half),
        ],
        sockets: vec![3, 1, 2],
    };
    let chip = Chip {
        name: "tee".into(),
        viscosity: 1.0,
        model: DepthModel::Planar,
        depth: None,
        parts: vec![
            Part {
                name: "tee".into(),
                shape: square,
                motion: Motion::IDENTITY,
            },
            pipe(
                "left",
                5.0,
                w,
                Motion::new(std::f64::consts::PI, Point::new(-half, 0.0)),
            ),
            pipe("right", 5.0, w, Motion::new(0.0, Point::new(half, 0.0))),
            pipe(
                "up",
                5.0,
                w,
                Motion::new(std::f64::consts::FRAC_PI_2, Point::new(0.0, half)),
            ),
        ],
        connections: (0..3)
            .map(|k| Connection {
                a: SocketRef { part: 0, socket: k },
                b: SocketRef {
                    part: k + 1,
                    socket: 0,
                },
            })
            .collect(),
        ports: vec![
            port("left", 1, 1, Condition::FlowRate(1.0)),
            port("right", 2, 1, Condition::Pressure(0.0)),
            port("up", 3, 1, Condition::TractionFree),
        ],
    };
    for r in [4, 5, 8] {
        let s = run(&chip, r);
        println!("{:?} {:?}", s.report, s.ports);
        assert!(s.report.mass_imbalance < 1e-10);
        let g = &s.conductance.matrix;
        for i in 0..3 {
            assert!(
                g[i].iter().sum::<f64>().abs() < 1e-10 * g[i][i],
                "rows of the conductance matrix sum to zero"
            );
            for j in 0..3 {
                assert!(
                    (g[i][j] - g[j][i]).abs() < 1e-10 * g[i][i],
                    "conductance is symmetric"
                );
            }
        }
    }
}
