//! The table of what a solved flow is shown, written and read as: a row a quantity.
//!
//! ```text
//! FieldQuantity (row) --values_at_nodes--> VTU, CSV of lines, picture.svg, colours of the canvas, legends, choices
//! ```
//! To add one, write its function of velocity, pressure or velocity gradient for any number of dimensions, or of all of a flow in the plane,
//! and its row in [`ALL`]. What isn't of the flow alone (concentrations, ages) comes beside it as [`crate::export::NodalField`].

use std::hash::{Hash, Hasher};

use stokeslet_base::parallel;

use crate::export::readable;
use crate::fem::lagrange::p2_gradient;
use crate::field::stream::stream_function;
use crate::field::{Dimension, Field, In, Sample};

/// How a quantity follows from what was solved.
#[derive(Clone, Copy)]
pub enum Origin {
    /// A function of velocity (m/s) and pressure (Pa) at the same point, exact wherever these are known.
    Values {
        /// In the plane.
        plane: fn([f64; 2], f64) -> f64,
        /// In space.
        space: fn([f64; 3], f64) -> f64,
    },
    /// A function of the velocity gradient, 1/s: row i, column k is the derivative of component i along axis k. At a node it is the mean over the
    /// cells that meet there, since the gradient jumps between cells.
    Gradient {
        /// In the plane.
        plane: fn(&[[f64; 2]; 2]) -> f64,
        /// In space.
        space: fn(&[[f64; 3]; 3]) -> f64,
    },
    /// From all of a flow in the plane at once, at its nodes; `None` where the flow has none, as one in space hasn't.
    Whole(fn(&Field<2>) -> Option<Vec<f64>>),
    /// Known on walls alone: [`crate::walls`].
    Walls,
}

/// A perceptually uniform colour map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark blue to yellow.
    Viridis,
    /// Blue to yellow through red.
    Plasma,
    /// Blue through white to red: values of both signs.
    BlueRed,
    /// Black to pale yellow.
    Inferno,
    /// Blue to yellow through grey, the same to the colour-blind.
    Cividis,
    /// Black to pale pink.
    Magma,
}

impl ColourMap {
    /// Red, green, blue and opacity at `t` in [0, 1], by one function that may be asked often.
    pub fn colours(self) -> Box<dyn Fn(f64) -> [u8; 4]> {
        use colorgrad::preset::{cividis, inferno, magma, plasma, rd_bu, viridis};
        fn by(
            map: impl colorgrad::Gradient + 'static,
            place: fn(f64) -> f64,
        ) -> Box<dyn Fn(f64) -> [u8; 4]> {
            Box::new(move |t| map.at(place(t.clamp(0.0, 1.0)) as f32).to_rgba8())
        }
        match self {
            ColourMap::Viridis => by(viridis(), |t| t),
            ColourMap::Plasma => by(plasma(), |t| t),
            ColourMap::BlueRed => by(rd_bu(), |t| 1.0 - t),
            // The darkest tenth could not be told from a wall.
            ColourMap::Inferno => by(inferno(), |t| 0.1 + 0.9 * t),
            ColourMap::Cividis => by(cividis(), |t| t),
            ColourMap::Magma => by(magma(), |t| 0.1 + 0.9 * t),
        }
    }
}

/// A scalar of the flow. Two are equal where their names are.
pub struct FieldQuantity {
    /// Name of its arrays in files, and on the command line; unique: `shear_rate`.
    pub name: &'static str,
    /// For people: `shear rate`.
    pub title: &'static str,
    /// As formulas write it.
    pub symbol: &'static str,
    /// In files, SI.
    pub unit: &'static str,
    /// How people write its values.
    pub shown: readable::Quantity,
    /// Its colours.
    pub map: ColourMap,
    /// Whether it is a magnitude: nowhere below 0, and shown from 0 on.
    pub is_magnitude: bool,
    /// How it is had.
    pub origin: Origin,
}

/// Magnitude of the velocity.
pub static SPEED: FieldQuantity = FieldQuantity {
    name: "speed",
    title: "speed",
    symbol: "|u|",
    unit: "m/s",
    shown: readable::Quantity::Speed,
    map: ColourMap::Viridis,
    is_magnitude: true,
    origin: Origin::Values {
        plane: |[u, v], _| u.hypot(v),
        space: |[u, v, w], _| u.hypot(v).hypot(w),
    },
};

/// Pressure; at edge middles the mean of the edge's ends.
pub static PRESSURE: FieldQuantity = FieldQuantity {
    name: "pressure",
    title: "pressure",
    symbol: "p",
    unit: "Pa",
    shown: readable::Quantity::Pressure,
    map: ColourMap::Plasma,
    is_magnitude: false,
    origin: Origin::Values {
        plane: |_, p| p,
        space: |_, p| p,
    },
};

/// What deforms cells and long molecules: the root of twice the squared strain rate, |du/dy| in a plain channel. In `planar` and `shallow` chips it is
/// that of the plane's flow alone: what the floor and the ceiling shear isn't in it. In `full` chips it is that of the whole gradient.
pub static SHEAR_RATE: FieldQuantity = FieldQuantity {
    name: "shear_rate",
    title: "shear rate",
    symbol: "sqrt(2 e:e)",
    unit: "1/s",
    shown: readable::Quantity::Rate,
    map: ColourMap::Inferno,
    is_magnitude: true,
    origin: Origin::Gradient {
        plane: shear_rate::<2>,
        space: shear_rate::<3>,
    },
};

/// Magnitude of the stress on walls.
pub static WALL_SHEAR: FieldQuantity = FieldQuantity {
    name: "wall_shear",
    title: "wall shear stress",
    symbol: "tau_w",
    unit: "Pa",
    shown: readable::Quantity::Pressure,
    map: ColourMap::Inferno,
    is_magnitude: true,
    origin: Origin::Walls,
};

/// The stream function: constant along every wall, and what flows between two places is the difference there, times the chip's depth.
pub static STREAM_FUNCTION: FieldQuantity = FieldQuantity {
    name: "stream_function",
    title: "stream function",
    symbol: "psi",
    unit: "m^2/s",
    shown: readable::Quantity::FlowRatePerDepth,
    map: ColourMap::Cividis,
    is_magnitude: false,
    origin: Origin::Whole(stream_function),
};

/// All quantities of a flow, in the order of choices and files.
pub static ALL: [&FieldQuantity; 5] = [
    &SPEED,
    &PRESSURE,
    &WALL_SHEAR,
    &SHEAR_RATE,
    &STREAM_FUNCTION,
];

/// Those that have a value anywhere in the flow.
pub fn inside() -> impl Iterator<Item = &'static FieldQuantity> {
    ALL.into_iter().filter(|q| !q.is_on_walls())
}

/// Those that a sample of a flow at one place tells.
pub fn at_points() -> impl Iterator<Item = &'static FieldQuantity> {
    inside().filter(|q| !matches!(q.origin, Origin::Whole(_)))
}

/// Those that only all of the flow tells.
pub fn of_the_whole() -> impl Iterator<Item = &'static FieldQuantity> {
    inside().filter(|q| matches!(q.origin, Origin::Whole(_)))
}

/// The quantity of a name, hyphens as good as underscores.
pub fn named(name: &str) -> Option<&'static FieldQuantity> {
    let name = name.replace('-', "_");
    ALL.into_iter().find(|q| q.name == name)
}

fn shear_rate<const D: usize>(gradient: &[[f64; D]; D]) -> f64 {
    let pairs = (0..D).flat_map(|i| (0..D).map(move |k| (i, k)));
    let strains = pairs.map(|(i, k)| 0.5 * (gradient[i][k] + gradient[k][i]));
    strains.map(|e| 2.0 * e * e).sum::<f64>().sqrt()
}

impl FieldQuantity {
    /// Whether it lives on walls, not in the flow.
    pub fn is_on_walls(&self) -> bool {
        matches!(self.origin, Origin::Walls)
    }

    /// Its column in tables: `speed_m_per_s`.
    pub fn column(&self) -> String {
        let unit = match self.unit.strip_prefix("1/") {
            Some(per) => format!("per_{per}"),
            None => self.unit.replace('/', "_per_").replace('^', ""),
        };
        format!("{}_{unit}", self.name)
    }

    /// Its value at a sample of a plane flow, SI; `None` for those of walls and of the whole.
    pub fn of_sample(&self, sample: &Sample) -> Option<f64> {
        let velocity = [sample.velocity.x, sample.velocity.y];
        match self.origin {
            Origin::Values { plane, .. } => Some(plane(velocity, sample.pressure)),
            Origin::Gradient { plane, .. } => Some(plane(&sample.gradient)),
            Origin::Whole(_) | Origin::Walls => None,
        }
    }

    /// Its values at the nodes of a flow, SI; `None` for those of walls, and where the flow has none.
    pub fn at_nodes<const D: usize>(&self, field: &Field<D>) -> Option<Vec<f64>>
    where
        In<D>: Evaluate<D>,
    {
        match In::<D>::origin(&self.origin)? {
            OriginIn::Values(function) => {
                let (u, p) = (&field.velocity, &field.pressure);
                let of = |k: usize| function(u[k].into(), p[k]);
                Some(parallel::fill(u.len(), 1 << 13, of))
            }
            OriginIn::Gradient(function) => Some(of_gradients(field, function)),
            OriginIn::Whole(function) => function(field),
        }
    }
}

/// An [`Origin`] in `D` dimensions.
pub enum OriginIn<const D: usize>
where
    In<D>: Dimension<D>,
{
    /// As [`Origin::Values`].
    Values(fn([f64; D], f64) -> f64),
    /// As [`Origin::Gradient`].
    Gradient(fn(&[[f64; D]; D]) -> f64),
    /// As [`Origin::Whole`].
    Whole(fn(&Field<D>) -> Option<Vec<f64>>),
}

/// Dimensions in which quantities are known at nodes.
pub trait Evaluate<const D: usize>: Dimension<D>
where
    In<D>: Dimension<D>,
{
    /// How a quantity is had there; `None` where it isn't.
    fn origin(origin: &Origin) -> Option<OriginIn<D>>;
}

impl Evaluate<2> for In<2> {
    fn origin(origin: &Origin) -> Option<OriginIn<2>> {
        match *origin {
            Origin::Values { plane, .. } => Some(OriginIn::Values(plane)),
            Origin::Gradient { plane, .. } => Some(OriginIn::Gradient(plane)),
            Origin::Whole(function) => Some(OriginIn::Whole(function)),
            Origin::Walls => None,
        }
    }
}

impl Evaluate<3> for In<3> {
    fn origin(origin: &Origin) -> Option<OriginIn<3>> {
        match *origin {
            Origin::Values { space, .. } => Some(OriginIn::Values(space)),
            Origin::Gradient { space, .. } => Some(OriginIn::Gradient(space)),
            Origin::Whole(_) | Origin::Walls => None,
        }
    }
}

impl PartialEq for FieldQuantity {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for FieldQuantity {}

impl Hash for FieldQuantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl std::fmt::Debug for FieldQuantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FieldQuantity({})", self.name)
    }
}

/// Means over the cells at every node of a function of the velocity gradient.
fn of_gradients<const D: usize>(field: &Field<D>, function: fn(&[[f64; D]; D]) -> f64) -> Vec<f64>
where
    In<D>: Dimension<D>,
{
    let reference = reference_gradients::<D>();
    let node = |&n: &u32| {
        (
            field.nodes[n as usize].into(),
            field.velocity[n as usize].into(),
        )
    };
    let found = parallel::spans(field.cells.len(), 256, |span, out| {
        for cell in &field.cells[span] {
            let nodes: Vec<_> = cell.as_ref().iter().map(node).collect();
            let of_rows = |rows: &Vec<_>| function(&velocity_gradient(&nodes, rows));
            out.extend(reference.iter().map(of_rows));
        }
    });
    let count = field.nodes.len();
    let (mut sums, mut counts) = (vec![0.0; count], vec![0_u32; count]);
    let all = field.cells.iter().flat_map(|cell| cell.as_ref());
    for (&n, value) in all.zip(found) {
        sums[n as usize] += value;
        counts[n as usize] += 1;
    }
    for (sum, n) in sums.iter_mut().zip(counts) {
        *sum /= f64::from(n.max(1));
    }
    sums
}

/// Derivatives of the basis at every node of the reference cell.
fn reference_gradients<const D: usize>() -> Vec<Vec<[f64; D]>> {
    let corner = |v: usize| -> Vec<f64> { (0..=D).map(|k| f64::from(k == v)).collect() };
    let middles = crate::fem::lagrange::edges::<D>().iter().map(|&(a, b)| {
        let ends = corner(a).into_iter().zip(corner(b));
        ends.map(|(x, y)| 0.5 * (x + y)).collect()
    });
    let places = (0..=D).map(corner).chain(middles);
    places.map(|l| p2_gradient::<D>(&l)).collect()
}

/// The velocity gradient where the basis has these derivatives, by the map that the nodes define.
fn velocity_gradient<const D: usize>(
    nodes: &[([f64; D], [f64; D])],
    reference: &[[f64; D]],
) -> [[f64; D]; D] {
    let (mut jacobian, mut by_reference) = ([[0.0; D]; D], [[0.0; D]; D]);
    for ((x, u), basis) in nodes.iter().zip(reference) {
        for i in 0..D {
            for k in 0..D {
                jacobian[i][k] += x[i] * basis[k];
                by_reference[i][k] += u[i] * basis[k];
            }
        }
    }
    let (_, inverse) = crate::fem::lagrange::invert(&jacobian);
    std::array::from_fn(|i| {
        std::array::from_fn(|k| (0..D).map(|j| by_reference[i][j] * inverse[j][k]).sum())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::{channel, solved};

    #[test]
    fn names_and_columns_are_unique_and_found_again() {
        for (k, row) in ALL.into_iter().enumerate() {
            assert_eq!(named(row.name), Some(row));
            assert_eq!(named(&row.name.replace('_', "-")), Some(row));
            let others = || ALL.into_iter().skip(k + 1);
            assert!(others().all(|other| other.column() != row.column()));
            assert!(!row.title.is_empty() && !row.symbol.is_empty());
        }
        assert_eq!(SPEED.column(), "speed_m_per_s");
        assert_eq!(SHEAR_RATE.column(), "shear_rate_per_s");
        assert_eq!(STREAM_FUNCTION.column(), "stream_function_m2_per_s");
        assert_eq!(named("vorticity"), None);
    }

    #[test]
    fn the_shear_rate_of_a_channel_is_that_of_its_parabola() {
        // 1 mm x 0.1 mm, 1 mPa s, 100 Pa: |du/dy| = dp/L / mu |y|.
        let solved = solved(&channel(), 4);
        let fields = &solved.flow().solution.fields;
        let rates = SHEAR_RATE.at_nodes(fields).unwrap();
        for (p, rate) in fields.nodes.iter().zip(&rates) {
            let want = 100.0 / 1e-3 / 1e-3 * p.y.abs();
            assert!((rate - want).abs() < 1e-9 * 5e3, "{rate} {want} at {p:?}");
        }
        assert_eq!(WALL_SHEAR.at_nodes(fields), None);
    }

    #[test]
    fn a_flow_in_space_has_the_rate_of_its_whole_gradient() {
        // One tetrahedron with u = (z, 0, 2 y): e_xz = 1/2, e_yz = 1.
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut nodes = corner.to_vec();
        for &(a, b) in crate::fem::lagrange::edges::<3>() {
            nodes.push(std::array::from_fn(|k| 0.5 * (corner[a][k] + corner[b][k])));
        }
        let fields = Field::<3> {
            velocity: nodes.iter().map(|p| [p[2], 0.0, 2.0 * p[1]]).collect(),
            pressure: vec![0.0; 10],
            nodes,
            cells: vec![std::array::from_fn(|k| k as u32)],
            part: vec![0],
            ..Field::default()
        };
        // 2 e:e = 2 (2 / 4 + 2).
        for rate in SHEAR_RATE.at_nodes(&fields).unwrap() {
            assert!((rate - 5.0_f64.sqrt()).abs() < 1e-14, "{rate}");
        }
    }
}
