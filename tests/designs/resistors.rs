//! The designs whose answer is a network of resistors give it: straight channels of known lengths, junctions worth a fraction of a width.

use stokeslet::chip::Chip;
use stokeslet::design::DepthModel;
use stokeslet::geometry::Point;
use stokeslet::session::Solution;
use stokeslet::stokes::duct;

use crate::support::{designs, placed, solved};

const MM: f64 = 1e-3;

struct Case {
    chip: Chip,
    solution: Solution,
}

fn case(name: &str, resolution: u32) -> Case {
    let designs = designs();
    let (_, text) = designs.iter().find(|(found, _)| found == name).unwrap();
    let chip = placed(name, text);
    let solution = solved(&chip, resolution);
    Case { chip, solution }
}

impl Case {
    fn flow(&self, port: &str) -> f64 {
        self.solution
            .ports
            .iter()
            .find(|p| p.id == port)
            .unwrap()
            .flow_rate
    }

    fn pressure(&self, port: &str) -> f64 {
        self.solution
            .ports
            .iter()
            .find(|p| p.id == port)
            .unwrap()
            .mean_pressure
    }

    /// Pa s/m^4: pressure drop per length and flow rate of developed flow in a channel of this width, m.
    ///
    /// Planar, 12 mu / (w^3 d). Shallow, from a u'' - (12/d^2) u = -G/mu, a = 1.1916: 12 mu / (d^3 w f) with f = 1 - tanh(k)/k, k = sqrt(3/a) w/d. Full, the series of a duct.
    fn resistance(&self, width: f64) -> f64 {
        let depth = self.chip.depth.unwrap();
        match self.chip.model {
            DepthModel::Planar => 12.0 * self.chip.viscosity / (width.powi(3) * depth),
            model @ (DepthModel::Shallow | DepthModel::ShallowBrinkman) => {
                let k = (3.0 / model.plane_viscosity_factor()).sqrt() * width / depth;
                12.0 * self.chip.viscosity / (depth.powi(3) * width * (1.0 - k.tanh() / k))
            }
            DepthModel::Full => self.chip.viscosity / duct::flow_rate(width, depth),
        }
    }
}

fn assert_close(got: f64, want: f64, rel: f64, why: &str) {
    assert!(
        (got - want).abs() <= rel * want.abs(),
        "{why}: {got:e} is {:.2} % from {want:e}",
        100.0 * (got / want - 1.0)
    );
}

#[test]
fn straight_carries_the_shallow_closed_form() {
    for (resolution, rel) in [(4, 3e-3), (8, 2e-4)] {
        let case = case("straight", resolution);
        let want = 2000.0 / (case.resistance(100e-6) * 10.0 * MM);
        assert_close(
            case.flow("inlet"),
            want,
            rel,
            "the tanh profile is not a polynomial",
        );
    }
}

#[test]
fn tee_parts_the_flow_by_length() {
    let case = case("tee", 4);
    let (left, right) = (-case.flow("left"), -case.flow("right"));
    assert_close(left / right, 2.0, 0.01, "8 mm against 4 mm");
    let want = case.resistance(100e-6) * (2.0 * MM * case.flow("inlet") + 4.0 * MM * left);
    assert_close(
        case.pressure("inlet"),
        want,
        0.02,
        "the tee's own resistance is a fraction of a width",
    );
}

#[test]
fn y_mixer_costs_its_length_less_its_corners() {
    let case = case("y-mixer", 8);
    let per_length = case.resistance(100e-6) * -case.flow("outlet");
    // The serpentine's centre line: ten legs of 1.2 mm and of 0.25 mm and two widths; arms carry half the flow; a mitred corner
    // saves somewhat less than half a width.
    let arm = (0.8 * 2.0_f64.sqrt() + 1.7) * MM;
    let lengths = (10.0 * (1.2 + 0.25) + 0.2 + 0.5) * MM + arm / 2.0;
    let corners = 22.0 * 0.44 * 0.1 * MM;
    assert_close(
        case.pressure("dye"),
        per_length * (lengths - corners),
        0.02,
        "centre line less corners",
    );
    assert_close(
        case.pressure("dye"),
        case.pressure("water"),
        1e-4,
        "the arms are mirror images",
    );
}

#[test]
fn bridge_is_the_wheatstone_network() {
    let case = case("bridge", 4);
    // Nodes at pressures u and 1 - u: (1 - u)/5 = (2u - 1)/8 + u/9; mm of channel.
    let u = 117.0 / 202.0;
    let network = 1.0 / ((1.0 - u) / 5.0 + u / 9.0);
    let leads = 2.0 * 1.05;
    let got = case.pressure("inlet") / (case.flow("inlet") * case.resistance(50e-6)) / MM;
    assert_close(
        got,
        network + leads,
        0.015,
        "corners and tees are worth a fraction of 50 um each",
    );
}

#[test]
fn parallel_resistors_share_one_to_two_to_four_but_for_the_manifold() {
    let case = case("parallel-resistors", 8);
    let branch = case.resistance(60e-6);
    let (one, two, four) = (-case.flow("one"), -case.flow("two"), -case.flow("four"));
    assert_close(two / one, 2.0, 0.04, "4 mm against 8 mm");
    assert_close(four / one, 4.0, 0.06, "2 mm against 8 mm");
    // The manifold is a resistor too: 1 mm and half a tee before the first branch.
    let first = 3000.0 - case.resistance(240e-6) * case.flow("in") * (1.0 + 0.09) * MM;
    assert_close(
        one,
        first / (branch * (8.0 + 0.04) * MM),
        0.02,
        "the longest branch",
    );
}

#[test]
fn chamber_array_favours_its_outer_chambers_by_its_supply() {
    let case = case("chamber-array", 4);
    let flow = case.flow("medium");
    // Each way through is 3 mm of narrow channel with a quarter of the flow and 4.25 mm of supply with all of it.
    let (narrow, supply) = (case.resistance(50e-6), case.resistance(200e-6));
    let want = flow * (narrow * 3.0 / 4.0 + supply * (2.0 + 1.5 * (0.25 + 0.5 + 0.75))) * MM;
    assert_close(
        case.pressure("medium"),
        want,
        0.08,
        "tees are longer than their middles say; chambers resist a little",
    );
    // Pressures round the first mesh: the second chamber misses 3 mm of supply.
    let speed = |x: f64| speed_near(&case.solution, Point::new(x, -0.9 * MM));
    let ratio = 1.0 + supply * 3.0 / (narrow * 3.0);
    assert_close(
        speed(0.0) / speed(1.5 * MM),
        ratio,
        0.01,
        "first chamber against the second",
    );
    assert_close(
        speed(1.5 * MM),
        speed(3.0 * MM),
        0.01,
        "the array is itself when turned by half a turn",
    );
}

/// Greatest speed within 50 um of a point, m/s.
fn speed_near(solution: &Solution, at: Point) -> f64 {
    let fields = &solution.fields;
    let near = fields
        .nodes
        .iter()
        .zip(&fields.velocity)
        .filter(|(p, _)| (**p - at).norm() < 50e-6);
    near.map(|(_, v)| v.norm()).fold(0.0, f64::max)
}

#[test]
fn trimmed_serpentines_make_the_outlets_of_a_tree_even() {
    let unevenness = |name: &str| {
        let tree = case(name, 4);
        let flows = ["c0", "c25", "c50", "c75", "c100"].map(|port| tree.flow(port).abs());
        let (least, most) = flows
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(l, m), &q| (l.min(q), m.max(q)));
        most / least - 1.0
    };
    assert_close(
        unevenness("gradient-profile"),
        0.071,
        0.02,
        "its links resist",
    );
    assert!(
        unevenness("gradient-even") < 5e-4,
        "serpentines make up for it"
    );
}

#[test]
fn symmetric_designs_give_symmetric_flows() {
    let tree = case("gradient-generator", 4);
    assert_close(
        tree.flow("c0"),
        tree.flow("c100"),
        1e-3,
        "the tree is its own mirror image but for the hand of its serpentines",
    );
    assert_close(
        tree.flow("c25"),
        tree.flow("c75"),
        1e-3,
        "the tree is its own mirror image but for the hand of its serpentines",
    );
    let filter = case("h-filter", 4);
    assert_close(
        filter.flow("waste"),
        filter.flow("product"),
        1e-3,
        "10 mm are enough to forget the inlets",
    );
    let focus = case("flow-focus", 4);
    assert_close(
        focus.pressure("sheath1"),
        focus.pressure("sheath2"),
        1e-3,
        "sheaths are mirror images",
    );
}
