//! A [`Scene`] -> particles of walls, bodies and fluid on its lattice.
//!
//! Guarantees that no fluid particle starts closer than a spacing to a wall, a body or another fluid particle.

use crate::body::{Body, Motion, mass_properties};
use crate::cells::CellList;
use crate::scene::{Ball, Cuboid, Scene, Top};
use crate::vector::{in_space, length, minus};
use glam::{DQuat, DVec3};
use std::collections::BTreeSet;

/// Particles at the start.
pub(crate) struct Filled<const D: usize> {
    pub walls: Vec<[f64; D]>,
    pub bodies: Vec<Body<D>>,
    pub fluid: Vec<[f64; D]>,
    pub velocities: Vec<[f64; D]>,
}

/// A list of the file as an array; zeros where it is left out.
pub(crate) fn array<const D: usize>(values: &[f64]) -> [f64; D] {
    std::array::from_fn(|k| values.get(k).copied().unwrap_or(0.0))
}

fn snapped(x: f64, l: f64) -> i64 {
    (x / l).round() as i64
}

/// Lattice points of a box, in whole spacings, last axis slowest.
fn lattice<const D: usize>(low: [i64; D], high: [i64; D], mut each: impl FnMut([i64; D])) {
    if (0..D).any(|k| high[k] <= low[k]) {
        return;
    }
    let mut at = low;
    loop {
        each(at);
        let mut k = 0;
        loop {
            at[k] += 1;
            if at[k] < high[k] {
                break;
            }
            at[k] = low[k];
            k += 1;
            if k == D {
                return;
            }
        }
    }
}

/// Points of [`lattice`] outside of an inner box, which isn't walked through: row by row along the first axis.
fn shell<const D: usize>(
    low: [i64; D],
    high: [i64; D],
    [from, to]: [[i64; D]; 2],
    mut each: impl FnMut([i64; D]),
) {
    let mut ends = high;
    ends[0] = low[0] + 1;
    lattice(low, ends, |row| {
        let is_inside = (1..D).all(|k| (from[k]..to[k]).contains(&row[k]));
        let beyond = if is_inside { to[0].max(low[0]) } else { low[0] };
        let before = if is_inside {
            low[0]..from[0].min(high[0])
        } else {
            0..0
        };
        for x in before.chain(beyond..high[0]) {
            let mut at = row;
            at[0] = x;
            each(at);
        }
    });
}

/// Centres of lattice cells in shapes; points of several shapes once.
fn points<const D: usize>(scene: &Scene, boxes: &[Cuboid], balls: &[Ball]) -> Vec<[f64; D]> {
    let l = scene.spacing;
    let mut seen = BTreeSet::new();
    let mut out: Vec<[f64; D]> = Vec::new();
    for b in boxes {
        let low: [i64; D] = std::array::from_fn(|k| snapped(scene.metres(b.min[k]), l));
        let high: [i64; D] =
            std::array::from_fn(|k| low[k] + snapped(scene.metres(b.size[k]), l).max(1));
        lattice(low, high, |at| {
            if seen.insert(at) {
                out.push(at.map(|x| (x as f64 + 0.5) * l));
            }
        });
    }
    for b in balls {
        let centre: [f64; D] = array::<D>(&b.centre).map(|x| scene.metres(x));
        let radius = scene.metres(b.radius) / l * (1.0 + 1e-9);
        let reach = radius.ceil() as i64;
        lattice([-reach; D], [reach + 1; D], |at| {
            let far = at.iter().map(|x| (x * x) as f64).sum::<f64>();
            if far <= radius * radius {
                out.push(std::array::from_fn(|k| centre[k] + at[k] as f64 * l));
            }
        });
    }
    out
}

pub(crate) fn fill<const D: usize>(scene: &Scene) -> Filled<D> {
    let l = scene.spacing;
    let mut walls: Vec<[f64; D]> = Vec::new();
    for tank in &scene.tank {
        let low: [i64; D] = std::array::from_fn(|k| snapped(scene.metres(tank.min[k]), l));
        let high: [i64; D] =
            std::array::from_fn(|k| low[k] + snapped(scene.metres(tank.size[k]), l).max(1));
        let layers = i64::from(tank.layers);
        let mut end = high.map(|x| x + layers);
        if tank.top == Top::Open {
            end[D - 1] = high[D - 1];
        }
        shell(low.map(|x| x - layers), end, [low, high], |at| {
            walls.push(at.map(|x| (x as f64 + 0.5) * l));
        });
    }
    for wall in &scene.wall {
        walls.extend(points::<D>(scene, &wall.boxes, &wall.balls));
    }
    let bodies = bodies(scene);
    let (fluid, velocities) = fluid(scene, &walls, &bodies);
    Filled {
        walls,
        bodies,
        fluid,
        velocities,
    }
}

fn bodies<const D: usize>(scene: &Scene) -> Vec<Body<D>> {
    let turned = |v: &[f64]| {
        if D == 2 {
            DVec3::new(0.0, 0.0, array::<1>(v)[0])
        } else {
            DVec3::from(array::<3>(v))
        }
    };
    let mut out = Vec::new();
    for (number, b) in scene.body.iter().enumerate() {
        let shape = points::<D>(scene, &b.boxes, &b.balls);
        let (mass, centre, inertia) = mass_properties(&shape, scene.spacing, b.density);
        let shift = in_space(&array::<D>(&b.offset).map(|x| scene.metres(x)));
        let name = if b.name.is_empty() {
            format!("body {}", number + 1)
        } else {
            b.name.clone()
        };
        let copies = b.copies.as_ref().map_or(1, |c| c.count);
        let between = b.copies.as_ref().map_or(DVec3::ZERO, |c| {
            in_space(&array::<D>(&c.shift).map(|x| scene.metres(x)))
        });
        for copy in 0..copies {
            out.push(Body {
                name: if copies > 1 {
                    format!("{name} {}", copy + 1)
                } else {
                    name.clone()
                },
                motion: b.motion,
                mass,
                inertia,
                centre: centre + shift + between * f64::from(copy),
                turn: DQuat::from_scaled_axis(turned(&b.turn)),
                velocity: if b.motion == Motion::Free {
                    in_space(&array::<D>(&b.velocity))
                } else {
                    DVec3::ZERO
                },
                spin: if b.motion == Motion::Fixed {
                    DVec3::ZERO
                } else {
                    turned(&b.spin)
                },
                shape: shape.iter().map(|p| in_space(p) - centre).collect(),
            });
        }
    }
    out
}

type Moving<const D: usize> = (Vec<[f64; D]>, Vec<[f64; D]>);

fn fluid<const D: usize>(scene: &Scene, walls: &[[f64; D]], bodies: &[Body<D>]) -> Moving<D> {
    let l = scene.spacing;
    let mut taken: Vec<[f64; D]> = walls.to_vec();
    taken.extend(bodies.iter().flat_map(Body::points));
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for f in &scene.fluid {
        let cells = CellList::new(&taken, l);
        let velocity: [f64; D] = array(&f.velocity);
        for p in points::<D>(scene, &f.boxes, &f.balls) {
            let mut free = true;
            cells.around::<D>(cells.cell_of(&p), |range| {
                let near = |j: &u32| length(&minus(&taken[*j as usize], &p)) < l * (1.0 - 1e-6);
                free = free && !cells.order()[range].iter().any(near);
            });
            if free {
                let row = |k: usize| {
                    f.gradient
                        .get(k)
                        .map_or(0.0, |row| (0..D).map(|c| row[c] * p[c]).sum())
                };
                velocities.push(std::array::from_fn(|k| velocity[k] + row(k)));
                positions.push(p);
                taken.push(p);
            }
        }
    }
    (positions, velocities)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SceneFile;

    /// In the plane and in space, closed and open above, and with nothing inside.
    #[test]
    fn a_shell_is_the_lattice_without_its_inside_in_the_same_order() {
        fn both<const D: usize>(high: [i64; D], [from, to]: [[i64; D]; 2]) {
            let (mut want, mut got) = (Vec::new(), Vec::new());
            lattice([-2; D], high, |at| {
                if (0..D).any(|k| at[k] < from[k] || at[k] >= to[k]) {
                    want.push(at);
                }
            });
            shell([-2; D], high, [from, to], |at| got.push(at));
            assert_eq!(got, want);
            assert!(!want.is_empty());
        }
        both([6, 5], [[0, 0], [4, 3]]);
        both([6, 3], [[0, 0], [4, 3]]);
        both([5, 6, 4], [[0, 0, 0], [3, 4, 4]]);
        both([1, 1], [[0, 0], [0, 0]]);
    }

    /// The circular patch of the paper has one particle at the centre and 31,417 in all; a tank's first fluid is a spacing from its walls.
    #[test]
    fn regions_hold_the_counts_of_the_paper() {
        let patch = crate::scenes::find("circular-patch")
            .unwrap()
            .scene()
            .at_size("paper")
            .unwrap();
        assert_eq!(fill::<2>(&patch).fluid.len(), 31_417);
        let dam = crate::scenes::find("dam-break")
            .unwrap()
            .scene()
            .at_size("paper")
            .unwrap();
        let filled = fill::<2>(&dam);
        assert_eq!(filled.fluid.len(), 29 * 58);
        let least = filled
            .fluid
            .iter()
            .flat_map(|p| filled.walls.iter().map(move |w| length(&minus(p, w))))
            .fold(f64::MAX, f64::min);
        assert!((least / dam.spacing - 1.0).abs() < 1e-9, "{least}");
    }
}
