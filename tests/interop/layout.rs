//! Netlists that become drawings: those of other projects, and what a drawing keeps of its netlist.

use super::data::{files, solved};
use stokeslet::chip::{Chip, place};
use stokeslet::design::{Design, parse, print};
use stokeslet::drawing::draw;
use stokeslet::import::{Format, Options, format_of, parchmint};
use stokeslet::library::Library;

fn placed(design: &Design) -> Chip {
    let (chip, said) = place(design, &Library::embedded());
    chip.unwrap_or_else(|| panic!("{said:?}"))
}

/// All files of the interchange data but one are planar with the order of their sockets; that one keeps a few links.
#[test]
fn netlists_of_other_projects_are_drawn_without_an_overlap_and_without_links_where_they_are_planar()
{
    let library = Library::embedded();
    let mut whole = 0;
    let data = files("parchmint");
    for (name, text) in &data {
        assert_eq!(format_of(text), Format::ParchMint);
        let (imported, said) = parchmint(text, "netlist", &library, &Options::default());
        let netlist = imported
            .unwrap_or_else(|| panic!("{name}: {said:?}"))
            .design;
        let (drawn, said) = draw(&netlist, &library, None);
        let drawn = drawn.unwrap_or_else(|| panic!("{name}: {said:?}"));
        let chip = placed(&drawn.design);
        assert_eq!(chip.ports.len(), netlist.ports.len(), "{name}");
        let (again, mistakes) = parse(print(&drawn.design), "drawn");
        assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
        assert_eq!(
            placed(&again.expect("no mistakes")).parts.len(),
            chip.parts.len()
        );
        println!(
            "{name}: {} drawn, {} links left",
            drawn.n_drawn,
            drawn.left.len()
        );
        assert_eq!(
            said.len(),
            drawn.left.len(),
            "{name}: each link that is left is named"
        );
        // The flow graph of this one isn't planar.
        let most = if name.starts_with("20_gradient") {
            5
        } else {
            0
        };
        assert!(drawn.left.len() <= most, "{name}: {said:?}");
        whole += usize::from(drawn.left.is_empty());
    }
    assert!(data.is_empty() || whole == data.len() - 1, "{whole}");
}

const HEAD: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\", depth = \"100 um\", model = \"planar\" }\n";

/// Two inlets into a mixer and a splitter: what goes in comes out, and the network of joints is the netlist's.
#[test]
fn a_drawing_has_the_joints_of_its_netlist() {
    let body = r#"
[components]
meet = { kind = "junction", at = ["0 mm", "0 mm"] }
mixer = { kind = "serpentine_square", at = ["5 mm", "0 mm"] }
part = { kind = "tee", at = ["0 mm", "9 mm"] }
[links]
a = { to = "meet.m1", length = "1 mm" }
b = { to = "meet.m2", length = "2 mm" }
c = { from = "meet.m3", to = "mixer.in", length = "1 mm" }
d = { from = "mixer.out", to = "part.up", length = "1 mm" }
e = { from = "part.left", length = "1 mm" }
f = { from = "part.right", to = "g.start", length = "1 mm" }
g = { length = "2 mm" }
[ports]
one = { at = "a.start", flow_rate = "1 uL/min" }
two = { at = "b.start", flow_rate = "2 uL/min" }
left = { at = "e.end", pressure = "0 Pa" }
right = { at = "g.end", pressure = "0 Pa" }
"#;
    let (netlist, mistakes) = parse(format!("{HEAD}{body}"), "netlist");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let netlist = netlist.expect("no mistakes");
    let (drawn, said) = draw(&netlist, &Library::embedded(), None);
    let drawn = drawn.unwrap_or_else(|| panic!("{said:?}"));
    assert!(drawn.left.is_empty() && said.is_empty(), "{said:?}");
    let [before, after] = [&netlist, &drawn.design].map(|design| {
        let solution = solved(&placed(design), 4).expect("solves");
        assert!(solution.report.relative_residual < 1e-10);
        solution
    });
    let ids = |s: &stokeslet::session::Solution| -> Vec<String> {
        s.ports.iter().map(|port| port.id.clone()).collect()
    };
    assert_eq!(ids(&before), ids(&after));
    // The tee's arms carry alike in the netlist but for 2 mm of one; on the drawing both are drawn anew.
    let [_, _, left, right] = [0, 1, 2, 3].map(|k| after.ports[k].flow_rate);
    assert!(left < 0.0 && right < 0.0);
    let inflow = after.ports[0].flow_rate + after.ports[1].flow_rate;
    assert!((left + right + inflow).abs() < 1e-9 * inflow);
}

/// A link between two ports keeps its length: the drawing changes nothing.
#[test]
fn a_lone_link_keeps_its_flow() {
    let body = "[links]\na = { length = \"3 mm\", width = \"100 um\" }\n[ports]\nin = { at = \"a.start\", pressure = \"1 Pa\" }\nout = { at = \"a.end\", pressure = \"0 Pa\" }\n";
    let (netlist, _) = parse(format!("{HEAD}{body}"), "lone");
    let netlist = netlist.expect("parsed");
    let (drawn, said) = draw(&netlist, &Library::embedded(), None);
    let drawn = drawn.unwrap_or_else(|| panic!("{said:?}"));
    let [a, b] = [&netlist, &drawn.design]
        .map(|design| solved(&placed(design), 4).expect("solves").ports[0].flow_rate);
    assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
}
