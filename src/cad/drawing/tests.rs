//! Netlists of our own are drawn: nothing overlaps, no link is left where none has to be.

use super::*;
use crate::design::parse;

const HEAD: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\", depth = \"50 um\", model = \"shallow\" }\n";

fn drawn(body: &str) -> (Drawn, Vec<Diagnostic>) {
    let (design, mistakes) = parse(format!("{HEAD}{body}"), "netlist");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let library = Library::embedded();
    let (drawn, said) = draw(&design.expect("parsed"), &library, None);
    let drawn = drawn.unwrap_or_else(|| panic!("{said:?}"));
    let (chip, placed) = place(&drawn.design, &library);
    assert!(chip.is_some(), "{placed:?}");
    let (again, mistakes) = parse(crate::design::print(&drawn.design), "again");
    assert!(again.is_some() && mistakes.is_empty(), "{mistakes:?}");
    (drawn, said)
}

fn junction(name: &str, n: usize) -> String {
    let angles: Vec<String> = (0..n)
        .map(|k| format!("\"{} deg\"", 360.0 / n as f64 * k as f64))
        .collect();
    let widths = vec!["\"100 um\""; n].join(", ");
    format!(
        "{name} = {{ kind = \"junction\", at = [\"0 mm\", \"{} mm\"], parameters = {{ directions = [{}], widths = [{widths}] }} }}\n",
        3 * name.len() + name.bytes().map(usize::from).sum::<usize>(),
        angles.join(", ")
    )
}

fn link(name: &str, from: &str, to: &str) -> String {
    let end = |key: &str, at: &str| match at {
        "" => String::new(),
        at => format!("{key} = \"{at}\", "),
    };
    let (from, to) = (end("from", from), end("to", to));
    format!("{name} = {{ {from}{to}length = \"1 mm\", width = \"100 um\" }}\n")
}

fn ports(list: &[&str]) -> String {
    list.iter()
        .enumerate()
        .map(|(k, at)| format!("p{k} = {{ at = \"{at}\", pressure = \"{} Pa\" }}\n", 9 - k))
        .collect()
}

#[test]
fn a_star_of_nine_ports_is_drawn_and_ports_follow_their_channels() {
    let mut links = String::new();
    let mut opens = Vec::new();
    for k in 1..=9 {
        // Half of them begin at the junction, half end there.
        let (from, to, open) = if k % 2 == 0 {
            (format!("j.m{k}"), String::new(), "end")
        } else {
            (String::new(), format!("j.m{k}"), "start")
        };
        links.push_str(&link(&format!("c{k}"), &from, &to));
        opens.push(format!("c{k}.{open}"));
    }
    let opens: Vec<&str> = opens.iter().map(String::as_str).collect();
    let (drawn, said) = drawn(&format!(
        "[components]\n{}[links]\n{links}[ports]\n{}",
        junction("j", 9),
        ports(&opens)
    ));
    assert!(said.is_empty() && drawn.left.is_empty(), "{said:?}");
    assert_eq!((drawn.n_drawn, drawn.design.channels.len()), (9, 9));
}

#[test]
fn rings_parallel_links_and_loops_are_drawn() {
    let links = [
        link("a", "", "j.m1"),
        link("b", "j.m2", "k.m1"),
        link("c", "j.m3", "k.m2"),
        link("d", "j.m4", "k.m3"),
        link("e", "k.m4", "l.m1"),
        link("f", "l.m2", "l.m3"),
        link("g", "l.m4", ""),
    ]
    .concat();
    let components = ["j", "k", "l"].map(|name| junction(name, 4)).concat();
    let (drawn, said) = drawn(&format!(
        "[components]\n{components}[links]\n{links}[ports]\n{}",
        ports(&["a.start", "g.end"])
    ));
    assert!(said.is_empty() && drawn.left.is_empty(), "{said:?}");
    assert_eq!(drawn.n_drawn, 7);
}

#[test]
fn what_cannot_be_drawn_without_a_crossing_stays_a_link_and_is_named() {
    // Five junctions, each joined to every other: one link has to stay.
    let mut components = String::new();
    let mut links = String::new();
    let mut next = [1; 5];
    let mut opens = Vec::new();
    for a in 0..5 {
        components.push_str(&junction(&format!("j{a}"), 5));
        for b in 0..a {
            links.push_str(&link(
                &format!("c{a}{b}"),
                &format!("j{a}.m{}", next[a]),
                &format!("j{b}.m{}", next[b]),
            ));
            next[a] += 1;
            next[b] += 1;
        }
    }
    for (a, next) in next.iter().enumerate() {
        links.push_str(&link(&format!("p{a}"), "", &format!("j{a}.m{next}")));
        opens.push(format!("p{a}.start"));
    }
    let opens: Vec<&str> = opens.iter().map(String::as_str).collect();
    let (drawn, said) = drawn(&format!(
        "[components]\n{components}[links]\n{links}[ports]\n{}",
        ports(&opens)
    ));
    assert_eq!(drawn.left.len(), 1, "{said:?}");
    assert!(
        said.iter().all(|d| d.code == "D351") && said.len() == 1,
        "{said:?}"
    );
    assert!(said[0].message.contains(&drawn.left[0]));
}

#[test]
fn designs_with_channels_or_without_links_are_refused_by_name() {
    let head = format!("{HEAD}[components]\nt = {{ kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }}\n");
    let end = "[ports]\na = { at = \"t.left\", pressure = \"1 Pa\" }\nb = { at = \"t.up\", pressure = \"0 Pa\" }\n";
    let channels = "[channels]\nc = { from = \"t.right\", via = [[\"3 mm\", \"0 mm\"]] }\n";
    for (body, code) in [(channels, "D350"), ("", "D352")] {
        let (design, _) = parse(format!("{head}{body}{end}"), "no netlist");
        let (drawn, said) = draw(&design.expect("parsed"), &Library::embedded(), None);
        assert!(drawn.is_none());
        assert_eq!(said[0].code, code);
    }
}
