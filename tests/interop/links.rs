//! Links against what they stand for: drawn pipes, attachments.

use super::data::solved;
use stokeslet::chip::{Chip, place};
use stokeslet::design::{parse, print};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::library::Library;

const HEAD: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\", depth = \"100 um\", model = \"MODEL\" }\n";

fn placed(body: &str, model: &str) -> (Option<Chip>, Vec<Diagnostic>) {
    let text = format!("{}{body}", HEAD.replace("MODEL", model));
    let (design, mistakes) = parse(&text, "links");
    let Some(design) = design else {
        return (None, mistakes);
    };
    let (again, mistakes) = parse(print(&design), "links");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    assert_eq!(
        again.map(|again| again.links.len()),
        Some(design.links.len())
    );
    place(&design, &Library::embedded())
}

fn chip(body: &str, model: &str) -> Chip {
    let (chip, diagnostics) = placed(body, model);
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    chip.expect("no error, so a chip")
}

fn flows(chip: &Chip, resolution: u32) -> Vec<f64> {
    let solution = solved(chip, resolution).expect("solves");
    assert!(solution.report.relative_residual < 1e-10);
    solution.ports.iter().map(|port| port.flow_rate).collect()
}

fn assert_equal(a: &[f64], b: &[f64], tolerance: f64, why: &str) {
    let scale = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * scale, "{why}: {a:?} and {b:?}");
    }
}

const PORTS: &str = "[ports]\nin = { at = \"t.left\", pressure = \"1 kPa\" }\nup = { at = \"t.up\", pressure = \"200 Pa\" }\nout = { at = \"END\", pressure = \"0 Pa\" }\n";

/// A tee, a pipe, a bend: attached, or with links of no length between parts that lie anywhere, turned and mirrored.
#[test]
fn a_chip_cut_in_two_by_a_link_of_no_length_is_the_same_chip() {
    for mirror in [false, true] {
        let whole = format!(
            "[components]\nt = {{ kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }}\np = {{ kind = \"taper\", attach = \"a\", to = \"t.right\" }}\nb = {{ kind = \"bend\", attach = \"a\", to = \"p.b\", mirror = {mirror}, parameters = {{ width = \"50 um\" }} }}\n{}",
            PORTS.replace("END", "b.b")
        );
        let cut = format!(
            "[components]\nt = {{ kind = \"tee\", at = [\"0 mm\", \"0 mm\"], rotation = \"30 deg\" }}\np = {{ kind = \"taper\", at = [\"5 mm\", \"1 mm\"], rotation = \"-77 deg\" }}\nb = {{ kind = \"bend\", at = [\"3 mm\", \"-3 mm\"], mirror = {mirror}, parameters = {{ width = \"50 um\" }} }}\n[links]\nl = {{ from = \"t.right\", to = \"p.a\", length = \"0 mm\" }}\nk = {{ from = \"b.a\", to = \"p.b\", length = \"0 mm\" }}\n{}",
            PORTS.replace("END", "b.b")
        );
        for (model, resolution) in [("planar", 8), ("shallow", 8), ("full", 4)] {
            let [a, b] = [&whole, &cut].map(|body| flows(&chip(body, model), resolution));
            assert_equal(&a, &b, 1e-9, &format!("{model}, mirrored: {mirror}"));
        }
    }
}

#[test]
fn a_link_of_10_mm_is_a_drawn_pipe_of_10_mm() {
    let drawn = format!(
        "[components]\nt = {{ kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }}\np = {{ kind = \"pipe\", attach = \"a\", to = \"t.right\", parameters = {{ length = \"10 mm\" }} }}\n{}",
        PORTS.replace("END", "p.b")
    );
    let linked = format!(
        "[components]\nt = {{ kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }}\n[links]\np = {{ from = \"t.right\", length = \"10 mm\" }}\n{}",
        PORTS.replace("END", "p.end")
    );
    for model in ["planar", "shallow"] {
        assert_equal(
            &flows(&chip(&drawn, model), 8),
            &flows(&chip(&linked, model), 8),
            1e-9,
            model,
        );
    }
}

/// A loop that no drawing of these parts closes: two tees, joined by links on both arms; and twice the resistance in series.
#[test]
fn links_close_loops_and_bends_cost() {
    let body = |bends: u32| {
        format!(
            "[components]\na = {{ kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }}\nb = {{ kind = \"tee\", at = [\"2 mm\", \"0 mm\"] }}\n[links]\nu = {{ from = \"a.right\", to = \"b.right\", length = \"4 mm\", bends = {bends} }}\nv = {{ from = \"a.up\", to = \"b.up\", length = \"4 mm\" }}\n[ports]\nin = {{ at = \"a.left\", pressure = \"1 kPa\" }}\nout = {{ at = \"b.left\", pressure = \"0 Pa\" }}\n"
        )
    };
    let [plain, bent] = [0, 5].map(|bends| chip(&body(bends), "planar"));
    let (a, b) = (flows(&plain, 8), flows(&bent, 8));
    assert!((a[0] + a[1]).abs() < 1e-10 * a[0], "what goes in comes out");
    // Five plain bends add some widths of channel to one of two arms of forty.
    let less = 1.0 - b[0] / a[0];
    assert!((0.02..0.1).contains(&less), "bends cost {less}");
}

#[test]
fn fields_at_a_links_ends_are_those_of_their_own_sides() {
    let linked = "[components]\nt = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], rotation = \"90 deg\" }\ns = { kind = \"pipe\", at = [\"1 mm\", \"0 mm\"] }\n[links]\np = { from = \"t.b\", to = \"s.a\", length = \"1 mm\" }\n[ports]\nin = { at = \"t.a\", pressure = \"1 kPa\" }\nout = { at = \"s.b\", pressure = \"0 Pa\" }\n";
    let solution = solved(&chip(linked, "planar"), 4).expect("solves");
    let fields = &solution.fields;
    let mut farthest: f64 = 0.0;
    for (cell, &part) in fields.cells.iter().zip(&fields.part) {
        // The first pipe flows up, the others to the right; no cell is stretched across the drawing.
        for &n in cell {
            let (at, v) = (fields.nodes[n as usize], fields.velocity[n as usize]);
            let first = fields.nodes[cell[0] as usize];
            farthest = farthest.max((at - first).norm());
            let across = if part == 0 { v.x } else { v.y };
            assert!(
                across.abs() < 1e-12 && v.norm() < 1.0,
                "part {part} at {at:?}: {v:?}"
            );
        }
    }
    assert!(farthest < 100e-6, "a cell reaches over {farthest} m");
}

#[test]
fn mistakes_in_links_and_sheets_are_told_with_their_codes() {
    let ports = PORTS.replace("END", "t.right");
    let tee = "[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n";
    for (code, rest) in [
        (
            "D202",
            "[links]\nl = { from = \"q.a\", length = \"1 mm\" }\n",
        ),
        (
            "D203",
            "[links]\nl = { from = \"t.nowhere\", length = \"1 mm\" }\n",
        ),
        ("D005", "[links]\nl = { from = \"t.right\" }\n"),
        (
            "D009",
            "[links]\nl = { from = \"t.right\", length = \"-1 mm\" }\n",
        ),
        (
            "D009",
            "[links]\nl = { length = \"1 mm\", bends = 1000000 }\n",
        ),
        ("D201", "[links]\nt = { length = \"1 mm\" }\n"),
        (
            "D222",
            "[links]\nl = { from = \"t.right\", length = \"1 mm\", width = \"50 um\" }\n",
        ),
        (
            "D223",
            "[links]\nl = { from = \"t.right\", length = \"1 mm\" }\nm = { from = \"t.right\", length = \"1 mm\" }\n",
        ),
        ("D330", "[sheets]\nof = { nobody = \"top\" }\n"),
        (
            "D331",
            "[links]\nl = { from = \"t.right\", length = \"1 nm\" }\n",
        ),
        (
            "D333",
            "[links]\nl = { from = \"t.right\", length = \"0 mm\" }\n",
        ),
        ("D006", "[sheets]\nof = [\"t\"]\n"),
    ] {
        let (chip, diagnostics) = placed(&format!("{tee}{rest}{ports}"), "planar");
        let codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
        assert!(
            chip.is_none() && codes.contains(&code),
            "{rest}: wanted {code}, got {diagnostics:?}"
        );
    }
}

#[test]
fn parts_of_two_sheets_may_lie_over_each_other() {
    let body = "[components]\na = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\nb = { kind = \"pipe\", at = [\"0.1 mm\", \"-0.1 mm\"], rotation = \"90 deg\" }\n[links]\nl = { from = \"a.b\", to = \"b.a\", length = \"0 mm\" }\n";
    let ports = "[ports]\nin = { at = \"a.a\", pressure = \"1 kPa\" }\nout = { at = \"b.b\", pressure = \"0 Pa\" }\n";
    let (_, diagnostics) = placed(&format!("{body}{ports}"), "planar");
    assert!(
        diagnostics.iter().any(|d| d.code == "D230"),
        "{diagnostics:?}"
    );
    let chip = chip(
        &format!("{body}[sheets]\nof = {{ b = \"upper\" }}\n{ports}"),
        "planar",
    );
    let flow = flows(&chip, 8)[0];
    // 800 um of a plane channel, 100 um deep: w^3 d dp / (12 mu L).
    let exact = 100e-6 * 1e-12 * 1e3 / (12.0 * 1e-3 * 800e-6);
    assert!((flow / exact - 1.0).abs() < 1e-9, "{flow} for {exact}");
}
