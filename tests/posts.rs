//! Posts: what the fluid does to them, that copies stay copies, that what can't be solved is refused and named.

use stokeslet::chip::Chip;
use stokeslet::design::parse;
use stokeslet::library::Library;
use stokeslet::session::{Solution, SolveSettings};
use stokeslet::table::Table;

#[macro_use]
mod support;
use support::chips::from_text;
use support::{at, order, solved, solved_with};

const MU: f64 = 1e-3;

/// A channel 100 um wide with a post in its middle.
fn channel(walls: &str, model: &str, length: &str, posts: &str, port: &str) -> Chip {
    let text = format!(
        "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\n\
         chip = {{ model = \"{model}\", width = \"100 um\", depth = \"100 um\", walls = \"{walls}\" }}\n\
         components = {{ c = {{ kind = \"chamber\", at = [\"0 mm\", \"0 mm\"], parameters = {{ length = \"{length}\", height = \"100 um\", {posts} }} }} }}\n\
         [ports]\nin = {{ at = \"c.left1\", {port} }}\nout = {{ at = \"c.right1\", pressure = \"0 Pa\" }}\n"
    );
    from_text(&text, "post")
}

const ROUND: &str = "posts = [[\"3 um\", \"7 um\"]], post_radius = [\"20 um\"]";
const SQUARE: &str = "post_corners = [[\"-20 um\", \"-20 um\"], [\"25 um\", \"-20 um\"], [\"20 um\", \"30 um\"], [\"-20 um\", \"20 um\"]], post_edges = [4]";

fn force(s: &Solution) -> (f64, f64, f64) {
    let posts = s.posts.as_ref().expect("all was wanted");
    assert_eq!(posts.len(), 1);
    (posts[0].force.x, posts[0].force.y, posts[0].torque)
}

/// Between walls that slip, nothing but the post holds back the flow: all of the pressure is on it.
#[test]
fn forces_balance_the_ports_momentum() {
    let drop = 10.0;
    for posts in [ROUND, SQUARE] {
        let chip = channel("slip", "planar", "300 um", posts, "pressure = \"10 Pa\"");
        let (x, ..) = force(&solved(&chip, 6));
        assert_close!(x, drop * 100e-6, 1e-10, "{posts}");
        // In the depth-averaged model floor and ceiling take the rest: 12 mu / d^2 times the integral of the velocity,
        // which is that of the flow over the length but for what curved cells make of a divergence (1.8e-6 here).
        let chip = channel("slip", "shallow", "300 um", posts, "pressure = \"10 Pa\"");
        let s = solved(&chip, 6);
        let floor = 12.0 * MU / 1e-8 * (s.ports[0].flow_rate / 100e-6) * 300e-6;
        assert!(floor > 0.05 * drop * 100e-6, "{floor}");
        assert_close!(force(&s).0 + floor, drop * 100e-6, 1e-5, "shallow, {posts}");
    }
}

/// A cylinder in the middle of a channel twice as wide, Poiseuille flow: force / (mu mean velocity) = 132.36, the Newtonian limit of the
/// confined-cylinder benchmark (Hulsen, Fattal, Kupferman, J. Non-Newtonian Fluid Mech. 127 (2005): 132.358).
#[test]
fn the_drag_of_a_confined_cylinder_is_the_literature_s_and_converges() {
    let posts = "posts = [[\"0 um\", \"0 um\"]], post_radius = [\"25 um\"]";
    let flow = "flow_rate = \"1e-10 m^3/s\"";
    let chip = channel("no-slip", "planar", "600 um", posts, flow);
    // Per depth: mean velocity = 1e-10 / (100 um)^2.
    let mean = 1e-10 / 1e-8;
    let drag = |r: u32| {
        let (x, y, torque) = force(&solved(&chip, r));
        assert!(y.abs() < 1e-3 * x, "{y}");
        assert!(torque.abs() < 1e-3 * x * 25e-6, "{torque}");
        x / (MU * mean)
    };
    let errors = [16, 32].map(|r| (r, (drag(r) - DRAG).abs()));
    println!("{errors:?}");
    assert!(order(errors[0], errors[1]) > 3.0, "{errors:?}");
    assert!(errors[1].1 < 1e-4 * DRAG, "{errors:?}");
}

/// Extrapolated from the study below: 132.4508, 132.3637, 132.3588 at r = 16, 32, 48, order 4. (Up to r = 16 the four cells across the gaps
/// beside the post, a quarter of the channel each, are all that there is.)
const DRAG: f64 = 132.3576;

#[test]
#[ignore = "a study, half a minute"]
fn study_of_the_confined_cylinder() {
    let posts = "posts = [[\"0 um\", \"0 um\"]], post_radius = [\"25 um\"]";
    let flow = "flow_rate = \"1e-10 m^3/s\"";
    let chip = channel("no-slip", "planar", "600 um", posts, flow);
    for r in [8, 16, 24, 32, 48] {
        let s = solved(&chip, r);
        println!(
            "{r}: {:.6} {:e} {:e} {} unknowns, p {:.8}",
            force(&s).0 / (MU * 1e-2),
            force(&s).1,
            force(&s).2,
            s.report.unknowns,
            s.ports[0].pressure
        );
    }
}

/// Chambers with posts, moved, turned and mirrored, are one shape; another place of a post makes another.
#[test]
fn copies_with_posts_stay_copies() {
    let text = |other: &str| {
        let posts = "posts = [[\"-100 um\", \"30 um\"], [\"120 um\", \"-50 um\"]], post_radius = [\"30 um\", \"40 um\"], post_corners = [[\"0 um\", \"0 um\"], [\"60 um\", \"10 um\"], [\"20 um\", \"70 um\"]], post_edges = [3]";
        format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ model = \"planar\", width = \"100 um\", depth = \"50 um\" }}\n[components]\n\
             a = {{ kind = \"chamber\", at = [\"0 mm\", \"0 mm\"], parameters = {{ length = \"500 um\", height = \"400 um\", {posts} }} }}\n\
             b = {{ kind = \"chamber\", attach = \"left1\", to = \"a.right1\", mirror = true, parameters = {{ length = \"500 um\", height = \"400 um\", {} }} }}\n\
             c = {{ kind = \"chamber\", at = [\"0.3 mm\", \"5 mm\"], rotation = \"33 deg\", parameters = {{ length = \"500 um\", height = \"400 um\", {posts} }} }}\n\
             [ports]\nin = {{ at = \"a.left1\", pressure = \"1 Pa\" }}\nout = {{ at = \"b.right1\", pressure = \"0 Pa\" }}\n\
             in2 = {{ at = \"c.left1\", pressure = \"1 Pa\" }}\nout2 = {{ at = \"c.right1\", pressure = \"0 Pa\" }}\n",
            posts.replace("-50 um", other)
        )
    };
    let of = |other: &str| solved(&from_text(&text(other), "copies"), 4);
    let (same, different) = (of("-50 um"), of("-51 um"));
    assert_eq!(same.report.canonical_blocks, 1);
    assert_eq!(different.report.canonical_blocks, 2);
    let posts = same.posts.expect("all was wanted");
    let first = |part: &str| {
        let found = posts.iter().find(|p| p.part == part && p.post == 1);
        found.expect("each has three").force
    };
    let c = first("c");
    let back = stokeslet::geometry::Point::new(
        c.x * 33f64.to_radians().cos() + c.y * 33f64.to_radians().sin(),
        -c.x * 33f64.to_radians().sin() + c.y * 33f64.to_radians().cos(),
    );
    let ratio = same.ports[2].flow_rate / same.ports[0].flow_rate;
    assert_close!(
        back.x,
        first("a").x * ratio,
        1e-3,
        "the same post, another flow"
    );
}

/// Block rows, another elimination of the same mesh, have the same numbers.
#[test]
fn both_methods_agree_around_posts() {
    let chip = channel("no-slip", "planar", "300 um", ROUND, "pressure = \"10 Pa\"");
    let by = |k: usize| {
        let settings = SolveSettings {
            method: stokeslet::METHODS[k],
            ..at(6)
        };
        solved_with(&chip, &settings, &Table::default())
    };
    let (fronts, rows) = (by(0), by(1));
    assert_close!(
        rows.ports[0].flow_rate,
        fronts.ports[0].flow_rate,
        1e-8,
        "flow"
    );
    assert_close!(
        rows.wall_shear.expect("fields").mean,
        fronts.wall_shear.expect("fields").mean,
        1e-8,
        "shear"
    );
    assert_close!(
        rows.dissipation.expect("all was wanted"),
        fronts.dissipation.expect("all was wanted"),
        1e-8,
        "dissipation"
    );
    assert!(rows.posts.is_none(), "said, not guessed");
}

/// A post between floor and ceiling: whether half of the depth is solved or all of it, the force is that on the whole post.
#[test]
fn posts_in_three_dimensions_have_forces_whichever_half_is_solved() {
    let chip = channel("no-slip", "full", "200 um", ROUND, "pressure = \"10 Pa\"");
    let mut whole = at(4);
    whole.depth.whole = true;
    let half = solved(&chip, 4);
    let whole = solved_with(&chip, &whole, &Table::default());
    assert_close!(force(&half).0, force(&whole).0, 1e-8, "half and whole");
    assert!(force(&half).0 > 0.1 * 10.0 * 100e-6 && force(&half).0 < 10.0 * 100e-6);
}

#[test]
fn posts_that_cannot_be_are_refused_by_name_and_place() {
    for (posts, said) in [
        (
            "posts = [[\"0 um\", \"0 um\"], [\"0 um\", \"45 um\"]], post_radius = [\"10 um\"]",
            "post 2 at (0 m, 45 µm) crosses or touches the edge from",
        ),
        (
            "posts = [[\"0 um\", \"200 um\"]], post_radius = [\"10 um\"]",
            "post 1 at (0 m, 200 µm) lies outside",
        ),
        (
            "posts = [[\"0 um\", \"0 um\"], [\"15 um\", \"0 um\"]], post_radius = [\"10 um\"]",
            "post 1 at (0 m, 0 m) and post 2 at (15 µm, 0 m) overlap or touch",
        ),
        (
            "posts = [[\"0 um\", \"0 um\"], [\"20.01 um\", \"0 um\"]], post_radius = [\"10 um\"]",
            "are only 10 nm apart",
        ),
        (
            "posts = [[\"0 um\", \"39.95 um\"]], post_radius = [\"10 um\"]",
            "is only 50 nm from the edge",
        ),
        (
            "posts = [[\"0 um\", \"0 um\"]], post_radius = [\"10 um\", \"3 um\"]",
            "1 posts and 2 radii",
        ),
        (
            "posts = [[\"0 um\", \"0 um\"], [\"1 um\", \"0 um\"]], post_radius = [\"20 um\", \"3 um\"]",
            "overlap or touch",
        ),
        (
            "post_corners = [[\"0 um\", \"0 um\"], [\"10 um\", \"10 um\"], [\"10 um\", \"0 um\"], [\"0 um\", \"10 um\"]], post_edges = [4]",
            "folds over itself",
        ),
        (
            "post_corners = [[\"0 um\", \"0 um\"], [\"10 um\", \"0 um\"], [\"20 um\", \"0 um\"]], post_edges = [3]",
            "fewer than 3 corners",
        ),
        (
            "post_corners = [[\"0 um\", \"0 um\"], [\"10 um\", \"0 um\"], [\"20 um\", \"9 um\"]], post_edges = [4]",
            "fewer than the numbers",
        ),
    ] {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ model = \"planar\", width = \"100 um\", depth = \"50 um\" }}\n\
             components = {{ c = {{ kind = \"chamber\", at = [\"0 mm\", \"0 mm\"], parameters = {{ length = \"300 um\", height = \"100 um\", {posts} }} }} }}\n\
             [ports]\nin = {{ at = \"c.left1\", pressure = \"1 Pa\" }}\nout = {{ at = \"c.right1\", pressure = \"0 Pa\" }}\n"
        );
        let (design, mistakes) = parse(&text, "refused");
        let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
        let (_, mistakes) = stokeslet::chip::place(&design, &Library::embedded());
        assert!(
            mistakes.iter().any(|m| m.message.contains(said)),
            "{said}: {:?}",
            mistakes.iter().map(|m| &m.message).collect::<Vec<_>>()
        );
    }
}

/// Gaps of 2 um and of 18 um beside a post in a channel of 100 um: two cells across each at least, and more with the resolution.
#[test]
fn gaps_beside_posts_are_resolved() {
    let posts = "posts = [[\"0 um\", \"8 um\"]], post_radius = [\"40 um\"]";
    let chip = channel("no-slip", "planar", "300 um", posts, "pressure = \"10 Pa\"");
    let [coarse, middle, fine] = [4, 8, 16].map(|r| solved(&chip, r).ports[0].flow_rate);
    assert_close!(coarse, fine, 0.05, "the flow past the post at r = 4");
    assert_close!(middle, fine, 0.005, "the flow past the post at r = 8");
}

/// A post beside narrow gaps is as coarse as all else at a coarse resolution, and its errors fall like all else's.
#[test]
fn flows_between_posts_converge_with_the_resolution() {
    let posts = "posts = [[\"-30 um\", \"-22 um\"], [\"-30 um\", \"20 um\"], [\"25 um\", \"0 um\"]], post_radius = [\"15 um\"]";
    let chip = channel("no-slip", "planar", "300 um", posts, "pressure = \"10 Pa\"");
    let [r4, r8, r16, r32] = [4, 8, 16, 32].map(|r| solved(&chip, r).ports[0].flow_rate);
    let errors = [(4, r4), (8, r8), (16, r16)].map(|(r, flow)| (r, (flow / r32 - 1.0).abs()));
    println!("{errors:?}");
    assert!(order(errors[0], errors[1]) > 2.0, "{errors:?}");
    assert!(order(errors[1], errors[2]) > 2.0, "{errors:?}");
}
