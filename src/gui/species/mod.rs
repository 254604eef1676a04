//! Dissolved species in the window: what a solved flow carries, followed beside the frame and shown on the canvas while drawing.
//!
//! ```text
//! design's species + Solved --follower (thread; paths of a flow are kept)--> Dissolved --results: painting--> colours by species, by age
//!                                                                               |--section--> profile under the pointer, mixing index
//!                                                                               |--panels: species--> outlets, sliders
//!                                                                               +--motion--> tracers that flow
//! ```
//! A diffusivity or an inlet's concentration changes nothing of the flow: only the last step is made again. What is stale is shown until there is
//! something newer. Start at [`Dissolved`].

pub mod follower;
pub mod motion;
pub(crate) mod overlay;
pub mod section;

use std::sync::Arc;

use crate::context::ViewContext;
use crate::results::{Quantity, Solved};
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::{Design, DissolvedSpecies};
use stokeslet_flow::export::readable;
use stokeslet_species::tracers::Tracers;
use stokeslet_species::{Paths, SpeciesResult};

/// Colours of ages reach up to this part of all nodes: what creeps along walls is older than anything by orders.
const OLDEST: f64 = 0.98;

/// Species followed on a solved chip, with all that the window needs of them.
#[derive(Debug)]
pub struct Dissolved {
    /// What carries them.
    pub solved: Arc<Solved>,
    /// Where its fluid goes.
    pub paths: Arc<Paths>,
    /// In the design's order.
    pub results: Vec<SpeciesResult>,
    /// In the design's order: how concentrations are written.
    pub kinds: Vec<readable::Quantity>,
    /// By species: concentrations at the nodes of the fields.
    pub fields: Vec<Vec<f64>>,
    /// Age of the fluid at the nodes, s, as the first species diffuses; `None` without species, and where nobody looks at it.
    pub ages: Option<Vec<f64>>,
    /// By species: least and greatest concentration that enters.
    pub entering: Vec<[f64; 2]>,
    /// Where tracers go, where they were wanted.
    pub tracers: Option<Arc<Tracers>>,
    /// From the request to the result.
    pub seconds: f64,
    /// By tubes alone where elements are to come.
    pub is_first_look: bool,
    oldest: [f64; 2],
}

/// How concentrations of a species are written.
pub fn kind_of(species: &DissolvedSpecies) -> readable::Quantity {
    match species.is_molar() {
        true => readable::Quantity::Concentration,
        false => readable::Quantity::Relative,
    }
}

/// What colours can show of a design's species, with the names that people know them by.
pub fn quantities(design: Option<&Design>) -> Vec<(Quantity, String)> {
    let all = design.map_or(&[][..], |d| &d.species.species);
    let of = |k: usize| u8::try_from(k).ok().map(Quantity::Species);
    let named = |(k, s): (usize, &DissolvedSpecies)| Some((of(k)?, s.name.value.clone()));
    let mut out: Vec<_> = all.iter().enumerate().filter_map(named).collect();
    if !out.is_empty() {
        out.push((Quantity::Age, Quantity::Age.label().to_owned()));
    }
    out
}

/// Everything that colours can show of what is drawn.
pub fn offered(context: &ViewContext<'_>) -> Vec<(Quantity, String)> {
    let flow = Quantity::of_flow().map(|q| (q, q.label().to_owned()));
    let design = context.document.shown_design();
    flow.chain(quantities(design.map(|d| &**d))).collect()
}

impl Dissolved {
    /// What colours show of a quantity, at the nodes.
    pub fn values(&self, quantity: Quantity) -> Option<&[f64]> {
        match quantity {
            Quantity::Species(k) => self.fields.get(usize::from(k)).map(Vec::as_slice),
            Quantity::Age => self.ages.as_deref(),
            Quantity::Flow(_) => None,
        }
    }

    /// Ends of the colours: what enters, so that a colour means the same everywhere and while a slider moves; ages from 0.
    pub fn range_of(&self, quantity: Quantity) -> [f64; 2] {
        match quantity {
            Quantity::Species(k) => {
                let [low, high] = self
                    .entering
                    .get(usize::from(k))
                    .copied()
                    .unwrap_or_default();
                if low < high {
                    [low, high]
                } else {
                    [high.min(0.0), high.max(0.0)]
                }
            }
            _ => [0.0, self.oldest[0]],
        }
    }

    /// Greatest value anywhere, which colours may not reach.
    pub fn greatest(&self, quantity: Quantity) -> f64 {
        match quantity {
            Quantity::Species(_) => self.range_of(quantity)[1],
            _ => self.oldest[1],
        }
    }

    /// Its name in a legend.
    pub fn name(&self, quantity: Quantity) -> String {
        match quantity {
            Quantity::Species(k) => self
                .results
                .get(usize::from(k))
                .map_or_else(String::new, |r| r.name.clone()),
            _ => quantity.label().to_owned(),
        }
    }

    /// How it is written.
    pub fn kind(&self, quantity: Quantity) -> readable::Quantity {
        match quantity {
            Quantity::Species(k) => {
                let kind = self.kinds.get(usize::from(k)).copied();
                kind.unwrap_or(readable::Quantity::Relative)
            }
            other => other.readable(),
        }
    }

    /// A value at a point; `None` outside the flow.
    pub fn at(&self, quantity: Quantity, p: Point) -> Option<f64> {
        let values = self.values(quantity)?;
        let fields = &self.solved.solution.fields;
        let at = self.solved.index.locate(fields, p)?;
        let nodes = fields.cells[at.cell as usize].map(|n| values[n as usize]);
        Some(within(at.xi, nodes))
    }
}

/// Linear in each quarter of a cell, between vertices and the middles of edges 01, 12, 20: never beyond the values at its nodes, as a parabola through a
/// layer that is thinner than the cell would be.
pub(crate) fn within([a, b, c]: [f64; 3], v: [f64; 6]) -> f64 {
    if a >= 0.5 {
        (2.0 * a - 1.0) * v[0] + 2.0 * b * v[3] + 2.0 * c * v[5]
    } else if b >= 0.5 {
        2.0 * a * v[3] + (2.0 * b - 1.0) * v[1] + 2.0 * c * v[4]
    } else if c >= 0.5 {
        2.0 * a * v[5] + 2.0 * b * v[4] + (2.0 * c - 1.0) * v[2]
    } else {
        (1.0 - 2.0 * c) * v[3] + (1.0 - 2.0 * a) * v[4] + (1.0 - 2.0 * b) * v[5]
    }
}

/// Where colours of ages end, and the greatest.
fn oldest(ages: Option<&[f64]>) -> [f64; 2] {
    let mut all: Vec<f64> = ages
        .unwrap_or_default()
        .iter()
        .copied()
        .filter(|a| a.is_finite())
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    let at = |part: f64| {
        let k = (part * all.len() as f64) as usize;
        all.get(k.min(all.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0.0)
    };
    [at(OLDEST), at(1.0)]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::results::tests::solved;
    use stokeslet_base::cancel::CancelToken;
    use stokeslet_cad::library::Library;
    use stokeslet_species::Species;

    /// A tee of 100 um channels: dye enters by one of two inlets.
    pub const TEE: &str = "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nmodel = \"shallow\"\nwidth = \"100 um\"\ndepth = \"50 um\"\n[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\nl = { kind = \"pipe\", attach = \"b\", to = \"t.left\", parameters = { length = \"600 um\" } }\nu = { kind = \"pipe\", attach = \"b\", to = \"t.up\", parameters = { length = \"600 um\" } }\nr = { kind = \"pipe\", attach = \"a\", to = \"t.right\", parameters = { length = \"2 mm\" } }\n[ports]\nsample = { at = \"l.a\", flow_rate = \"1 uL/min\" }\nbuffer = { at = \"u.a\", flow_rate = \"1 uL/min\" }\nout = { at = \"r.b\", pressure = \"0 Pa\" }\n[species]\ndye = { diffusivity = \"4e-10 m^2/s\", inlets = { sample = 1 } }\n";

    pub fn dissolved(text: &str) -> Dissolved {
        let (design, mistakes) = stokeslet_cad::design::parse(text, "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let design = design.unwrap();
        let chip = stokeslet_cad::chip::place(&design, &Library::embedded())
            .0
            .unwrap();
        let species = design.species.species.iter();
        let order = follower::Order {
            species: species
                .clone()
                .map(|s| Species::of_design(s, &chip))
                .collect(),
            kinds: species.map(kind_of).collect(),
            solved: solved(&chip, 4),
            tracers: true,
            ages: true,
            cancel: CancelToken::new(),
        };
        let look = follower::Look::Whole;
        follower::Follower::default().follow(&order, look).unwrap()
    }

    #[test]
    fn what_enters_is_what_is_seen_at_the_inlets() {
        let dissolved = dissolved(TEE);
        let dye = Quantity::Species(0);
        assert_eq!(dissolved.range_of(dye), [0.0, 1.0]);
        assert_eq!(dissolved.name(dye), "dye");
        let middle = |name: &str| {
            let chip = &dissolved.solved.chip;
            let port = chip.ports.iter().find(|p| p.name == name).unwrap();
            let part = &chip.parts[port.socket.part];
            let socket = part.shape.sockets()[port.socket.socket];
            let other = part.shape.sockets()[1 - port.socket.socket];
            part.motion
                .apply(socket.middle + (other.middle - socket.middle) * 0.1)
        };
        let at = |name: &str| dissolved.at(dye, middle(name)).unwrap();
        assert!((at("sample") - 1.0).abs() < 1e-9, "{}", at("sample"));
        assert!(at("buffer").abs() < 1e-9, "{}", at("buffer"));
        let age = |name: &str| dissolved.at(Quantity::Age, middle(name)).unwrap();
        assert!(age("out") > 3.0 * age("sample") && age("sample") > 0.0);
        assert!(dissolved.at(dye, Point::new(1.0, 1.0)).is_none());
        assert!(dissolved.tracers.is_some_and(|t| t.ways.len() > 10));
    }

    #[test]
    fn a_cell_is_read_within_its_nodes() {
        let v = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
        let vertices = [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.5, 0.5, 0.0],
            [0.0, 0.5, 0.5],
            [0.5, 0.0, 0.5],
        ];
        for (xi, want) in vertices.into_iter().zip(v) {
            assert!((within(xi, v) - want).abs() < 1e-15, "{xi:?}");
        }
        for k in 0..400_u32 {
            let (s, t) = (
                (f64::from(k) * 0.754_877_666).fract(),
                (f64::from(k) * 0.569_840_291).fract(),
            );
            let (s, t) = if s + t > 1.0 {
                (1.0 - s, 1.0 - t)
            } else {
                (s, t)
            };
            let got = within([1.0 - s - t, s, t], v);
            assert!((-1e-12..=1.0 + 1e-12).contains(&got), "{got}");
            // Linear fields are read exactly.
            let linear = [0.0, 1.0, 2.0, 0.5, 1.5, 1.0];
            assert!((within([1.0 - s - t, s, t], linear) - (s + 2.0 * t)).abs() < 1e-12);
        }
    }
}
