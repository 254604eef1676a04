//! Regions that flow as another does, turned, moved and faster or slower: their stream lines are those of the other.
//!
//! ```text
//! stream functions, kinds --originals--> Original | Copy of which, by which motion and factor --moved--> ways
//! ```

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use crate::SpeciesError;
use crate::network::{Network, Region, Socket};
use crate::psi::{Psi, turn_between};
use crate::region::{Bundle, Line, Way, Ways, ways};
use stokeslet_base::geometry::Point;

/// Part of the flow and of the greatest speed by which copies may differ, by what neighbours do to them. It is far below what
/// equivalent lengths are known to (3e-5).
const SAME: f64 = 1e-6;
/// Part of a region's size by which its nodes may be off those of the other.
const PLACED: f64 = 1e-9;
/// Flows that one kind of region is tried against.
const TRIED: usize = 8;

/// Which earlier region one is a copy of, and its flow over that one's; `None` of an original.
pub type CopyOf = Option<(usize, f64)>;

/// How a region flows as another does.
#[derive(Clone, Copy, Debug)]
struct Likeness {
    /// The other.
    of: usize,
    /// Cosine and sine of the angle by which the other is turned.
    turn: [f64; 2],
    /// Where the other's origin goes, m.
    to: Point,
    /// This flow over the other's.
    factor: f64,
}

/// The ways through all regions; those of copies are those of their originals. And by region: which one it is a copy of, and how many times as fast.
///
/// - `kinds`: by region, the first that has the same matrix of a stream function ([`crate::psi::stream_functions`])
///
/// # Errors
/// As [`ways`].
pub(crate) fn ways_of_all(
    net: &Network,
    psi: &[Psi],
    kinds: &[usize],
) -> Result<(Vec<Ways>, Vec<CopyOf>), SpeciesError> {
    let likenesses = likenesses(net, psi, kinds);
    let originals = parallel::map(psi.len(), 1, |r| match likenesses[r] {
        None if !psi[r].cells.is_empty() => ways(net, r, &psi[r]),
        _ => Ok(Ways::default()),
    });
    let originals: Vec<Ways> = originals.into_iter().collect::<Result<_, SpeciesError>>()?;
    let copies = parallel::each(&likenesses, 1, |likeness| {
        likeness.map(|like| like.moved(&originals[like.of]))
    });
    let both = originals.into_iter().zip(copies);
    let ways = both.map(|(own, copy)| copy.unwrap_or(own)).collect();
    let alike = likenesses.iter().map(|l| l.map(|l| (l.of, l.factor)));
    Ok((ways, alike.collect()))
}

/// By region: which one before it flows alike, if there is one.
fn likenesses(net: &Network, psi: &[Psi], kinds: &[usize]) -> Vec<Option<Likeness>> {
    let mut originals: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut out = vec![None; psi.len()];
    for r in (0..psi.len()).filter(|&r| !psi[r].cells.is_empty()) {
        let known = originals.entry(kinds[r]).or_default();
        let mut tried = known.iter().take(TRIED);
        out[r] = tried.find_map(|&of| {
            let regions = [&net.regions[of], &net.regions[r]];
            Likeness::between(of, regions, [&psi[of], &psi[r]])
        });
        if out[r].is_none() {
            known.push(r);
        }
    }
    out
}

impl Likeness {
    /// How the second of two regions flows as the first does.
    fn between(of: usize, regions: [&Region; 2], [a, b]: [&Psi; 2]) -> Option<Self> {
        let flow = |region: &Region| {
            region
                .sockets
                .iter()
                .map(|m| m.outflow.max(0.0))
                .sum::<f64>()
        };
        let factor = flow(regions[1]) / flow(regions[0]);
        let [m, n] = regions.map(|r| &r.sockets);
        let total = flow(regions[1]);
        // Most regions that flow differently are told by their sockets.
        let flows_alike = |(m, n): (&Socket, &Socket)| {
            (m.outflow * factor - n.outflow).abs() <= 4.0 * SAME * total
        };
        if m.len() != n.len() || !m.iter().zip(n).all(flows_alike) {
            return None;
        }
        let local = |psi: &Psi, region: &Region| -> Option<Vec<usize>> {
            let place: FxHashMap<u32, usize> =
                psi.nodes.iter().enumerate().map(|(k, &n)| (n, k)).collect();
            let nodes = region.sockets.iter().flat_map(|m| &m.nodes);
            nodes.map(|n| place.get(&n.0).copied()).collect()
        };
        if a.at.len() != b.at.len()
            || a.cells != b.cells
            || local(a, regions[0])? != local(b, regions[1])?
        {
            return None;
        }
        let turn = turn_between(&a.at, &b.at)?;
        let size = regions[0].area.sqrt();
        let like = Self {
            of,
            turn,
            to: b.at[0] - turned(turn, a.at[0]),
            factor,
        };
        let greatest = b.velocity.iter().map(|u| u.norm()).fold(0.0, f64::max);
        let mut nodes = (0..a.at.len()).map(|k| {
            let off = (like.placed(a.at[k]) - b.at[k]).norm();
            let psi = (a.value[k] * factor - b.value[k]).abs();
            let speed = (turned(turn, a.velocity[k]) * factor - b.velocity[k]).norm();
            off <= PLACED * size && psi <= SAME * total && speed <= SAME * greatest
        });
        (factor.is_finite() && factor > 0.0 && nodes.all(|fits| fits)).then_some(like)
    }

    fn placed(&self, p: Point) -> Point {
        self.to + turned(self.turn, p)
    }

    /// Another's ways as its own.
    fn moved(&self, other: &Ways) -> Ways {
        let scaled = |psi: [f64; 2]| psi.map(|s| s * self.factor);
        let way = |way: &Way| Way {
            psi: scaled(way.psi),
            ..way.clone()
        };
        let line = |line: &Line| Line {
            psi: line.psi * self.factor,
            cuts: line.cuts,
        };
        let bundle = |bundle: &Bundle| Bundle {
            psi: scaled(bundle.psi),
            lines: bundle.lines.iter().map(line).collect(),
            inlet: bundle.inlet,
            outlet: bundle.outlet,
        };
        Ways {
            inlets: other.inlets.iter().map(way).collect(),
            outlets: other.outlets.iter().map(way).collect(),
            bundles: other.bundles.iter().map(bundle).collect(),
            chains: other.chains.clone(),
            area_scale: other.area_scale,
            stagnation: other.stagnation.iter().map(|p| self.placed(*p)).collect(),
        }
    }
}

/// A vector turned by an angle, by its cosine and sine.
fn turned([cos, sin]: [f64; 2], p: Point) -> Point {
    Point::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::network;
    use crate::psi::stream_functions;
    use crate::region::traced;
    use stokeslet_cad::chip::place;
    use stokeslet_cad::library::Library;
    use stokeslet_flow::session::Solver;

    /// A serpentine, and behind a tee another that carries a third as much: bends of one kind, turned, at two flow rates.
    const SERPENTINES: &str = r#"
        format = 1
        fluid = { viscosity = "1 Pa s" }
        chip = { width = "10 cm" }
        components = { s = { kind = "serpentine_square", at = ["0 m", "0 m"], parameters = { legs = 4, height = "90 cm" } }, p = { kind = "pipe", attach = "a", to = "s.out", parameters = { length = "60 cm" } }, t = { kind = "tee", attach = "left", to = "p.b" }, u = { kind = "pipe", attach = "a", to = "t.up", parameters = { length = "60 cm" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "60 cm" } }, v = { kind = "serpentine_square", attach = "in", to = "r.b", parameters = { legs = 4, height = "90 cm" } } }
        ports = { in = { at = "s.in", flow_rate = "3 m^2/s" }, side = { at = "u.b", flow_rate = "-2 m^2/s" }, out = { at = "v.out", pressure = "0 Pa" } }
    "#;

    #[test]
    fn copies_flow_as_their_originals_do() {
        let (design, mistakes) = stokeslet_cad::design::parse(SERPENTINES, "two");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (chip, faults) = place(&design.unwrap(), &Library::embedded());
        let chip = chip.unwrap_or_else(|| panic!("{faults:?}"));
        let solution = Solver::new(&chip).resolution(6).solve().unwrap();
        let fields = &solution.fields;
        let flows = solution.ports.iter().map(|p| p.flow_rate).collect();
        let net = network(&chip, fields, &crate::network::integrals(fields), flows).unwrap();
        let (psi, kinds) = stream_functions(&net, fields).unwrap();
        let likenesses = likenesses(&net, &psi, &kinds);
        let factors: Vec<f64> = likenesses.iter().flatten().map(|l| l.factor).collect();
        println!("{} regions, copies by {factors:?}", psi.len());
        let third = |f: &f64| (f * 3.0 - 1.0).abs() < 1e-9;
        // Its four bends; in each serpentine alone their neighbours differ by more than copies may.
        assert!(factors.len() >= 4, "{factors:?}");
        assert!(factors.iter().all(third), "{factors:?}");
        let (all, _) = ways_of_all(&net, &psi, &kinds).unwrap();
        for (r, likeness) in likenesses.iter().enumerate() {
            if likeness.is_none() {
                continue;
            }
            let (copy, own) = (&all[r], ways(&net, r, &psi[r]).unwrap());
            assert_eq!(copy.bundles.len(), own.bundles.len());
            assert!((copy.area_scale / own.area_scale - 1.0).abs() < 1e-5);
            let [traced, traced_own] = [copy, &own].map(|w| traced(&net, r, &psi[r], w));
            for (a, b) in traced.iter().zip(&traced_own) {
                assert_eq!(a.len(), b.len());
                for ((line, trace), (other, own)) in a.iter().zip(b) {
                    assert!((line.psi - other.psi).abs() < 1e-5, "{line:?} {other:?}");
                    let [one, two] = [trace, own].map(|trace| {
                        let last = trace.points.len() - 1;
                        (trace.points[last], trace.work[last], trace.time[last])
                    });
                    assert!((one.0 - two.0).norm() < 1e-5);
                    assert!((one.1 / two.1 - 1.0).abs() < 1e-5);
                    assert!((one.2 / two.2 - 1.0).abs() < 1e-5);
                }
            }
            for (a, b) in copy.chains.iter().zip(&own.chains) {
                for (x, y) in a.table.0.iter().zip(&b.table.0) {
                    assert!((x.lambda - y.lambda).abs() < 1e-5 && (x.area - y.area).abs() < 1e-5);
                }
            }
        }
    }
}
