//! The pressure problem of one step.

use std::sync::Arc;

use stokeslet_base::parallel;

use super::pockets::{Pocket, close_pockets};
use crate::grid::{Lattice, Mac, centre_value, corner_is_solid, nodal_distance, open_fractions};
use crate::lcp::Lcp;
use crate::mg::{Air, Geometry, Places, discretise};

/// Solid bodies as the grid sees them.
#[derive(Clone, Debug)]
pub struct Walls<const D: usize> {
    /// Distance on nodes, positive in open space.
    pub distance: Arc<Vec<f64>>,
    /// Open part of every face; geometry of second order needs no more digits.
    pub open: Arc<[Vec<f32>; D]>,
    /// Velocity of the bodies: all move together.
    pub velocity: [f64; D],
}

impl<const D: usize> Walls<D> {
    /// Walls from a distance that is positive in open space.
    pub fn new(
        cells: &Lattice<D>,
        dx: f64,
        distance: &(dyn Fn([f64; D]) -> f64 + Sync),
        velocity: [f64; D],
    ) -> Self {
        let distance = nodal_distance(cells, dx, distance);
        let open = open_fractions(cells, &distance);
        Self {
            distance: Arc::new(distance),
            open: Arc::new(open),
            velocity,
        }
    }
}

/// Which cells may leave the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separation {
    /// None: liquid sticks.
    Sticking,
    /// Cells with at least one corner in solid (\[000\] figure 4.1).
    Cut,
    /// Cells whose centre is in solid (\[001\] (17)).
    Centre,
    /// Cells whose centre is nearer to solid than a cell, or in it.
    Near,
}

/// A problem and what had to be done to it.
#[derive(Clone, Debug)]
pub struct Assembled<const D: usize> {
    /// The problem.
    pub lcp: Lcp<D>,
    /// Parts of the liquid without air, which were made solvable.
    pub pockets: Vec<Pocket>,
    /// The divergence that is wanted outside of pockets, 1/s.
    pub growth: f64,
}

impl<const D: usize> Assembled<D> {
    /// Lets the liquid grow by a part of itself a second; pockets have nowhere to grow to.
    pub fn grow(&mut self, rate: f64) {
        self.growth += rate;
        self.lcp.b.iter_mut().for_each(|b| *b -= rate);
        for pocket in &self.pockets {
            for i in &pocket.unknowns {
                self.lcp.b[*i as usize] += rate;
            }
        }
    }

    /// What is left of the divergence of unknowns beyond what is wanted.
    pub fn beyond(&self, mut divergence: Vec<f64>) -> Vec<f64> {
        divergence.iter_mut().for_each(|left| *left -= self.growth);
        for pocket in &self.pockets {
            for i in &pocket.unknowns {
                divergence[*i as usize] += self.growth - pocket.mean;
            }
        }
        divergence
    }
}

/// Net outflow of the given cells.
///
/// ```text
/// b_i = sum over faces of  ± V_f (u_f - u_wall) / dx
/// ```
/// The wall's term is the flow through the closed rest of the cell's boundary: for a body that moves as a whole it equals that
/// of \[000\] (3.40) and \[001\] (10) with their sign turned, so that liquid moving with its container has no divergence.
pub fn divergence<const D: usize>(mac: &Mac<D>, walls: &Walls<D>, of: &[u32]) -> Vec<f64> {
    parallel::fill(of.len(), 4096, |k| {
        let c = mac.cells.coordinates(of[k] as usize);
        let mut sum = 0.0;
        for a in 0..D {
            let faces = mac.cells.faces(a);
            let low = faces.index(c);
            let high = low + faces.stride(a);
            let flow =
                |f: usize| f64::from(walls.open[a][f]) * (mac.u[a][f] - walls.velocity[a]) / mac.dx;
            sum += flow(high) - flow(low);
        }
        sum
    })
}

/// Sets up the pressure problem.
///
/// # Shapes and units
/// - `liquid`: level set at cell centres, negative in liquid, continued into walls
/// - `dt`: time step over density
/// # Source
/// \[000\] sections 3.7 and 4.2.
pub fn assemble<const D: usize>(
    mac: &Mac<D>,
    walls: &Walls<D>,
    liquid: Arc<Vec<f64>>,
    dt: f64,
    separation: Separation,
) -> Assembled<D> {
    let cells = mac.cells;
    let geometry = Geometry {
        dx: mac.dx,
        dt,
        open: walls.open.clone(),
        liquid,
    };
    let (of, mut matrix) = discretise::<f64, D>(&cells, &geometry, Air::Ghost);
    let mut b = divergence(mac, walls, &of);
    let distance = &walls.distance;
    let mut in_s: Vec<bool> = of
        .iter()
        .map(|cell| {
            let c = cells.coordinates(*cell as usize);
            match separation {
                Separation::Sticking => false,
                Separation::Cut => corner_is_solid(&cells, distance, c),
                Separation::Centre => centre_value(&cells, distance, c) < 0.0,
                Separation::Near => centre_value(&cells, distance, c) <= mac.dx,
            }
        })
        .collect();
    let pockets = close_pockets(&mut matrix, &mut b, &mut in_s);
    Assembled {
        lcp: Lcp {
            matrix,
            b,
            in_s,
            places: Places {
                cells,
                of,
                solid: Some(distance.clone()),
            },
            geometry: Some(geometry),
        },
        pockets,
        growth: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Shape;

    fn half_full_circle(
        n: usize,
        u: [f64; 2],
        wall: [f64; 2],
    ) -> (Mac<2>, Walls<2>, Arc<Vec<f64>>) {
        let dx = 1.0 / n as f64;
        let cells = Lattice::<2>::cube(n);
        let mut mac = Mac::new(cells, dx);
        mac.u[0].fill(u[0]);
        mac.u[1].fill(u[1]);
        let circle = Shape::ball([0.5, 0.5], 0.4);
        let walls = Walls::new(&cells, dx, &|x| -circle.distance(x), wall);
        let liquid = (0..cells.len())
            .map(|i| mac.centre(cells.coordinates(i))[1] - 0.52)
            .collect();
        (mac, walls, Arc::new(liquid))
    }

    #[test]
    fn the_matrix_is_symmetric_and_an_m_matrix_and_cells_without_open_faces_are_left_out() {
        let (mac, walls, liquid) = half_full_circle(24, [0.0, -1.0], [0.0; 2]);
        let made = assemble(&mac, &walls, liquid, 0.01, Separation::Cut);
        let a = &made.lcp.matrix;
        assert!(a.asymmetry() < 1e-14 && made.pockets.is_empty());
        let mut strict = false;
        for i in 0..a.n() {
            let (_, values) = a.row(i);
            assert!(a.diagonal[i] > 0.0 && values.iter().all(|v| *v < 0.0));
            let excess = a.diagonal[i] + values.iter().sum::<f64>();
            assert!(excess > -1e-12 * a.diagonal[i]);
            strict |= excess > 1e-6;
        }
        assert!(strict, "air holds the pressure");
        assert!(made.lcp.in_s.iter().any(|s| *s) && !made.lcp.in_s.iter().all(|s| *s));
    }

    #[test]
    fn liquid_that_moves_with_its_container_has_no_divergence() {
        let (mac, walls, liquid) = half_full_circle(24, [0.7, -0.4], [0.7, -0.4]);
        let made = assemble(&mac, &walls, liquid.clone(), 0.01, Separation::Cut);
        assert!(made.lcp.b.iter().all(|b| b.abs() < 1e-12));
        let still = Walls {
            velocity: [0.0; 2],
            ..walls
        };
        let made = assemble(&mac, &still, liquid, 0.01, Separation::Cut);
        assert!(
            made.lcp.b.iter().any(|b| b.abs() > 1.0),
            "a wall at rest is in the way"
        );
    }

    #[test]
    fn sets_of_cells_at_walls_are_nested() {
        let (mac, walls, liquid) = half_full_circle(32, [0.0; 2], [0.0; 2]);
        let of = |s| assemble(&mac, &walls, liquid.clone(), 0.01, s).lcp.in_s;
        let (centre, cut, near) = (
            of(Separation::Centre),
            of(Separation::Cut),
            of(Separation::Near),
        );
        for i in 0..cut.len() {
            assert!(
                !centre[i] || cut[i],
                "a cell with its centre in solid has a corner there"
            );
            assert!(!cut[i] || near[i]);
        }
        assert!(of(Separation::Sticking).iter().all(|s| !s));
    }
}
