//! Where the flow of a straight channel is developed.

use stokeslet_base::geometry::Point;
use stokeslet_flow::field::Field;

use crate::profile::Profile;

/// Part of a section's greatest speed by which its velocity may be off that of a developed flow where it is cut.
const DEVELOPED: f64 = 5e-3;
/// Widths from both ends behind which so much is left of what its neighbours do to the flow: `exp(-4.2 x/w)`.
const NEARLY: f64 = 1.25;

/// A straight channel of a solved chip, seen along itself.
pub(super) struct Straight<'a> {
    pub fields: &'a Field<2>,
    /// Integrals of the velocity, by cell of the fields.
    pub integrals: &'a [Point],
    /// Its cells.
    pub cells: &'a [u32],
    /// From the chip to itself: x along, y across from the middle.
    pub back: &'a dyn Fn(Point) -> Point,
    /// Its direction on the chip.
    pub along: Point,
    /// m.
    pub width: f64,
    /// m.
    pub length: f64,
    pub profile: Profile,
}

impl Straight<'_> {
    /// Places along it where edges of cells go from wall to wall, in order, m.
    fn columns(&self) -> Vec<f64> {
        let tiny = 1e-6 * self.width;
        let mut columns: Vec<f64> = Vec::new();
        for &c in self.cells {
            for &n in &self.fields.cells[c as usize][..3] {
                let x = (self.back)(self.fields.nodes[n as usize]);
                if (x.y.abs() - 0.5 * self.width).abs() < tiny {
                    columns.push(x.x);
                }
            }
        }
        columns.sort_by(f64::total_cmp);
        columns.dedup_by(|a, b| (*a - *b).abs() < tiny);
        columns
    }

    /// Where its developed middle begins and ends along it: so far from both ends, or, where it is too short for that, one slice about
    /// its middle if the flow is developed there.
    pub fn middle(&self, margin: [f64; 2]) -> Option<[f64; 2]> {
        let columns = self.columns();
        let tiny = 1e-6 * self.width;
        let is_long = self.length >= margin[0] + margin[1] + 0.5 * self.width;
        let reach = [margin[0] - tiny, self.length - margin[1] + tiny];
        let mut within = columns
            .iter()
            .copied()
            .filter(|x| (reach[0]..=reach[1]).contains(x));
        if let (true, Some(from)) = (is_long, within.next())
            && let Some(to) = within.next_back()
            && to - from >= 0.25 * self.width
        {
            return Some([from, to]);
        }
        // One of cells about the middle.
        let at = columns.partition_point(|x| *x < 0.5 * self.length - tiny);
        let mut slice = [*columns.get(at.checked_sub(1)?)?, *columns.get(at)?];
        // From a port on it is developed.
        if margin[0] == 0.0 {
            slice[0] = *columns.first()?;
        }
        if margin[1] == 0.0 {
            slice[1] = *columns.last()?;
        }
        let far = |end: usize| margin[end].min(NEARLY * self.width) - tiny;
        let is_far = slice[0] >= far(0) && self.length - slice[1] >= far(1);
        let is_developed = || self.deviations(&slice).iter().all(|d| *d < DEVELOPED);
        (is_far || is_developed()).then_some(slice)
    }

    /// By column: the greatest difference of its velocity to that of a developed flow, over the greatest speed of the latter; no number where
    /// nothing flows.
    fn deviations(&self, columns: &[f64]) -> Vec<f64> {
        let fields = self.fields;
        let flux: f64 = self
            .cells
            .iter()
            .map(|&c| self.integrals[c as usize].dot(self.along))
            .sum();
        // Flow per depth over the width.
        let mean = flux / self.length / self.width;
        let greatest = self.profile.speed(0.5) * mean.abs();
        let tiny = 1e-6 * self.width;
        let mut most = vec![0.0_f64; columns.len()];
        for &c in self.cells {
            for &n in &fields.cells[c as usize] {
                let x = (self.back)(fields.nodes[n as usize]);
                let k = columns.partition_point(|&column| column < x.x - tiny);
                if columns
                    .get(k)
                    .is_some_and(|column| (column - x.x).abs() < tiny)
                {
                    let eta = (x.y / self.width + 0.5).clamp(0.0, 1.0);
                    let developed = self.along * (self.profile.speed(eta) * mean);
                    let off = (fields.velocity[n as usize] - developed).norm();
                    most[k] = most[k].max(off);
                }
            }
        }
        most.iter().map(|off| off / greatest).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::network::{Network, integrals, network};
    use stokeslet_cad::chip::place;
    use stokeslet_cad::library::Library;
    use stokeslet_flow::session::Solver;

    fn network_of(text: &str) -> Network {
        let (design, mistakes) = stokeslet_cad::design::parse(text, "short");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (chip, _) = place(&design.unwrap(), &Library::embedded());
        let chip = chip.unwrap();
        let solution = Solver::new(&chip).resolution(8).solve().unwrap();
        let flows = solution.ports.iter().map(|p| p.flow_rate).collect();
        let fields = &solution.fields;
        network(&chip, fields, &integrals(fields), flows).unwrap()
    }

    /// Regions of two tees with a pipe of so many widths between them and others to the ports, and what of their area isn't pipe.
    fn regions(length: f64, to_ports: f64) -> (usize, f64) {
        let text = format!(
            r#"
            format = 1
            fluid = {{ viscosity = "1 Pa s" }}
            chip = {{ width = "1 m" }}
            components = {{ p = {{ kind = "pipe", at = ["0 m", "0 m"], parameters = {{ length = "{to_ports} m" }} }}, a = {{ kind = "tee", attach = "left", to = "p.b" }}, q = {{ kind = "pipe", attach = "a", to = "a.right", parameters = {{ length = "{length} m" }} }}, b = {{ kind = "tee", attach = "left", to = "q.b" }}, s = {{ kind = "pipe", attach = "a", to = "b.right", parameters = {{ length = "{to_ports} m" }} }}, u = {{ kind = "pipe", attach = "a", to = "a.up", parameters = {{ length = "{to_ports} m" }} }}, v = {{ kind = "pipe", attach = "a", to = "b.up", parameters = {{ length = "{to_ports} m" }} }} }}
            ports = {{ in = {{ at = "p.a", flow_rate = "1 m^2/s" }}, u = {{ at = "u.b", pressure = "0 Pa" }}, v = {{ at = "v.b", pressure = "0 Pa" }}, out = {{ at = "s.b", pressure = "0 Pa" }} }}
        "#
        );
        let net = network_of(&text);
        let inside: f64 = net.regions.iter().map(|r| r.area).sum();
        let whole = inside + net.pipes.iter().map(|p| p.length * p.width).sum::<f64>();
        let sockets = net.regions.iter().map(|r| r.sockets.len());
        assert!(
            sockets.clone().all(|n| n >= 3),
            "{:?}",
            sockets.collect::<Vec<_>>()
        );
        (net.regions.len(), whole - length - 4.0 * to_ports)
    }

    #[test]
    fn short_pipes_are_cut_unless_their_flow_is_not_developed() {
        let (_, tees) = regions(4.0, 4.0);
        for to_ports in [4.0, 1.8, 1.0, 0.3] {
            for (length, wanted) in [(4.0, 2), (3.0, 2), (2.0, 1), (0.5, 1)] {
                let (found, left) = regions(length, to_ports);
                assert_eq!(found, wanted, "{length} between, {to_ports} to ports");
                assert!((left - tees).abs() < 1e-9, "nothing is left out or twice");
            }
        }
    }

    /// Developed all along, too short for anything: from each port to the middle of its pipe.
    #[test]
    fn a_short_pipe_at_a_port_is_one_from_there_on() {
        let net = network_of(
            r#"
            format = 1
            fluid = { viscosity = "1 Pa s" }
            chip = { width = "1 m" }
            components = { p = { kind = "pipe", at = ["0 m", "0 m"], parameters = { length = "1 m" } }, q = { kind = "pipe", attach = "a", to = "p.b", parameters = { length = "1.5 m" } } }
            ports = { in = { at = "p.a", flow_rate = "1 m^2/s" }, out = { at = "q.b", pressure = "0 Pa" } }
        "#,
        );
        let sockets: Vec<usize> = net.regions.iter().map(|r| r.sockets.len()).collect();
        assert_eq!(sockets, [2], "one region between two pipes");
        let along: f64 = net.pipes.iter().map(|p| p.length).sum();
        assert!((along + net.regions[0].area - 2.5).abs() < 1e-9);
    }
}
