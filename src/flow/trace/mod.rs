//! Streamlines: curves along the velocity, from seeds on the inlets and from wherever a user clicked.
//!
//! ```text
//! dx/ds = u / |u|      s: length along the line, so that slow corners cost no more steps than fast channels
//! ```
//! Integrated by Dormand and Prince's pair of orders 5 and 4 with the step fitted to the error, in the elements' own quadratic
//! velocity. Ends where the flow leaves the chip, at walls, in eddies after one turn.

mod dormand_prince;
mod sampled;
mod seeds;

use crate::field::Located;
use crate::field::index::{nodes_of, velocity};
use crate::probe::SolvedFlow;
use dormand_prince::dormand_prince;
use stokeslet_base::geometry::Point;

pub use sampled::{Trace, TracePoint, files, sampled, write_csv, write_vtp};
pub use seeds::{Rank, Seed, inlet_seeds, port_seeds, seeds_of_inlets};

/// Most steps of a line each way.
const MAX_STEPS: usize = 20_000;
/// Error of a step, in cell sizes: a thousandth of what can be seen at a cell of ten pixels.
const TOLERANCE: f64 = 1e-4;
/// A step below this, in cell sizes, ends the line: a wall or a socket.
const SMALLEST: f64 = 1e-3;
/// Slower than this part of the greatest speed, the direction is rounding.
const STILL: f64 = 1e-9;

/// A streamline, m, in the direction of the flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streamline {
    /// Its points; at least two.
    pub points: Vec<Point>,
    /// Where it stands among those of its inlet; `None` of one that was asked for alone.
    pub rank: Option<Rank>,
}

/// Which way a line is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

/// The streamline through a point, both ways; `None` where nothing flows.
pub fn streamline(solved: &SolvedFlow<'_>, seed: Seed) -> Option<Streamline> {
    let mut up = follow(solved, seed.at, Way::Up)?;
    let down = follow(solved, seed.at, Way::Down)?;
    up.reverse();
    up.extend(down.into_iter().skip(1));
    (up.len() > 1).then_some(Streamline {
        points: up,
        rank: seed.rank,
    })
}

fn follow(solved: &SolvedFlow<'_>, seed: Point, way: Way) -> Option<Vec<Point>> {
    let fields = &solved.solution.fields;
    let still = STILL * solved.solution.max_speed?.0;
    let mut hint = solved.index.locate(fields, seed)?;
    let sign = match way {
        Way::Down => 1.0,
        Way::Up => -1.0,
    };
    let mut direction = |p: Point| -> Option<(Point, Located)> {
        hint = solved.index.locate_from(fields, p, hint.cell)?;
        let v = velocity(fields, hint.cell as usize, &hint.xi);
        let speed = v.norm();
        (speed > still).then(|| (v * (sign / speed), hint))
    };
    let mut points = vec![seed];
    let Some((mut k1, mut place)) = direction(seed) else {
        return Some(points);
    };
    let mut at = seed;
    let mut size = cell_size(solved, place);
    let mut step = 0.25 * size;
    let (mut travelled, mut farthest) = (0.0, 0.0_f64);
    let mut tries = 0;
    while points.len() < MAX_STEPS && tries < 4 * MAX_STEPS {
        tries += 1;
        let Some((next, last, error)) =
            dormand_prince(at, k1, step, &mut |p| direction(p).map(|d| d.0))
        else {
            step *= 0.5;
            if step < SMALLEST * size {
                break;
            }
            continue;
        };
        let ratio = error / (TOLERANCE * size);
        let fitted = step * (0.9 * ratio.max(1e-6).powf(-0.2)).clamp(0.2, 3.0);
        if ratio > 1.0 {
            step = fitted;
            if step < SMALLEST * size {
                break;
            }
            continue;
        }
        at = next;
        points.push(at);
        travelled += step;
        farthest = farthest.max((at - seed).norm());
        // Once round an eddy is enough.
        if travelled > 4.0 * size && farthest > size && (at - seed).norm() < 0.6 * step {
            break;
        }
        let Some((_, here)) = direction(at) else {
            break;
        };
        (k1, place) = (last, here);
        size = cell_size(solved, place);
        step = fitted.min(size);
    }
    Some(points)
}

/// About the distance of nodes there, m: the root of a cell's area.
fn cell_size(solved: &SolvedFlow<'_>, place: Located) -> f64 {
    let fields = &solved.solution.fields;
    let x = nodes_of(fields, place.cell as usize);
    (x[1] - x[0]).cross(x[2] - x[0]).abs().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::{channel, solved, solved_example};

    fn alone(x: f64, y: f64) -> Seed {
        Seed {
            at: Point::new(x, y),
            rank: None,
        }
    }

    #[test]
    fn few_lines_of_an_inlet_are_shown_where_there_is_little_room() {
        let shown = |of: usize, distance: f64| {
            let rank = |place| Rank {
                place,
                of,
                gap: 1.0,
            };
            (0..of)
                .filter(|&k| rank(k).is_shown(distance))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(4, 0.5), [0, 1, 2, 3]);
        assert_eq!(shown(9, 3.0), [1, 4, 7]);
        assert_eq!(shown(5, 100.0), [2], "the middle one is always there");
        assert_eq!(shown(1, 100.0), [0]);
    }

    #[test]
    fn in_a_straight_channel_lines_are_straight_and_end_at_the_outlet() {
        let solved = solved(&channel(), 4);
        let seeds = inlet_seeds(&solved.flow());
        assert_eq!(seeds.len(), 24, "one inlet has all lines");
        for seed in seeds {
            let line = streamline(&solved.flow(), seed).unwrap();
            for p in &line.points {
                assert!(
                    (p.y - seed.at.y).abs() < 1e-10,
                    "{p:?} has left y = {}",
                    seed.at.y
                );
            }
            let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
            assert!(first.x.abs() < 1e-7, "starts at the inlet: {first:?}");
            assert!((last.x - 1e-3).abs() < 1e-7, "ends at the outlet: {last:?}");
            assert!(
                line.points.windows(2).all(|w| w[1].x > w[0].x),
                "and goes that way"
            );
        }
    }

    /// Flow between a wall and y is the integral of the parabola, so the seeds' places are known.
    #[test]
    fn seeds_part_the_flow_evenly() {
        let solved = solved(&channel(), 4);
        let mut shares: Vec<f64> = inlet_seeds(&solved.flow())
            .iter()
            .map(|seed| {
                let t = seed.at.y / 1e-4 + 0.5;
                t * t * (3.0 - 2.0 * t)
            })
            .collect();
        shares.sort_by(f64::total_cmp);
        for (k, share) in shares.iter().enumerate() {
            let want = (k as f64 + 0.5) / 24.0;
            assert!(
                (share - want).abs() < 1e-3,
                "line {k}: {share} against {want}"
            );
        }
    }

    #[test]
    fn a_seed_in_the_middle_goes_both_ways_and_one_in_a_wall_nowhere() {
        let solved = solved(&channel(), 4);
        let line = streamline(&solved.flow(), alone(5e-4, 2e-5)).unwrap();
        let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
        assert!(
            first.x < 1e-7 && last.x > 1e-3 - 1e-7,
            "{first:?} to {last:?}"
        );
        assert_eq!(
            streamline(&solved.flow(), alone(5e-4, 2e-4)),
            None,
            "outside"
        );
    }

    /// Lines of a mixer leave through its outlets, not through walls.
    #[test]
    fn lines_go_from_port_to_port() {
        let solved = solved_example("y-mixer", 6);
        let chip = &solved.chip;
        let sockets: Vec<(Point, f64)> = chip
            .ports
            .iter()
            .map(|p| {
                let part = &chip.parts[p.socket.part];
                let socket = part.shape.sockets()[p.socket.socket];
                (part.motion.apply(socket.middle), socket.width)
            })
            .collect();
        let seeds = inlet_seeds(&solved.flow());
        let mut arrived = 0;
        for &seed in &seeds {
            let line = streamline(&solved.flow(), seed).unwrap();
            let last = line.points[line.points.len() - 1];
            arrived += usize::from(sockets.iter().any(|(m, w)| (last - *m).norm() < 0.51 * w));
        }
        assert!(
            arrived + 1 >= seeds.len(),
            "{arrived} of {} arrived",
            seeds.len()
        );
    }
}
