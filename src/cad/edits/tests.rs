//! What users mean, on small designs.

mod overlaid;

use std::collections::BTreeSet;

use super::draft::Draft;
use super::*;
use crate::chip::{SocketUse, lay_out};
use crate::design::{Bend, Edit, Placement, parse, rewrite};
use stokeslet_base::diagnostic::Severity;
use stokeslet_base::geometry::{Motion, Point};

const HEAD: &str =
    "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n";

struct Opened {
    text: String,
    design: Design,
    layout: Layout,
    library: Library,
}

fn open(body: &str) -> Opened {
    reopen(format!("{HEAD}{body}"))
}

fn reopen(text: String) -> Opened {
    let library = Library::embedded();
    let (design, mistakes) = parse(&text, "x");
    let design = design.unwrap_or_else(|| panic!("{mistakes:?}\n{text}"));
    let layout = lay_out(&design, &library);
    Opened {
        text,
        design,
        layout,
        library,
    }
}

impl Opened {
    fn drawing(&self) -> Drawing<'_> {
        Drawing::new(&self.design, &self.layout, &self.library)
    }

    fn after(&self, edits: &[Edit]) -> Opened {
        reopen(rewrite(&self.text, edits).unwrap_or_else(|e| panic!("{e}: {edits:#?}")))
    }

    /// Codes of errors that aren't about ports.
    fn errors(&self) -> Vec<String> {
        let errors = self.layout.diagnostics.iter();
        let errors = errors.filter(|d| d.severity == Severity::Error);
        errors
            .filter(|d| !["D232", "D233", "D234"].contains(&d.code))
            .map(|d| format!("{} {}", d.code, d.message))
            .collect()
    }

    fn socket(&self, name: &str) -> &crate::chip::LaidSocket {
        let mut all = self.layout.sockets.iter();
        all.find(|s| self.layout.full_name(s) == name)
            .unwrap_or_else(|| panic!("{name} in {}", self.text))
    }

    fn at(&self, name: &str) -> Point {
        self.socket(name).geometry.middle
    }

    fn placement(&self, name: &str) -> &Placement {
        let mut all = self.design.components.iter();
        &all.find(|c| c.name.value == name).unwrap().placement
    }
}

fn select(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn mm(x: f64, y: f64) -> Point {
    Point::new(x * 1e-3, y * 1e-3)
}

fn assert_at(got: Point, want: Point, why: &str) {
    assert!((got - want).norm() < 1e-12, "{why}: {got:?}, not {want:?}");
}

const TREE: &str = "[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\np = { kind = \"pipe\", attach = \"a\", to = \"t.right\" }\nq = { kind = \"pipe\", attach = \"a\", to = \"p.b\" }\nu = { kind = \"tee\", at = [\"0 mm\", \"3 mm\"] }\n[channels]\nc = { from = \"t.left\", to = \"u.left\", via = [[\"-1 mm\", \"0 mm\"], [\"-1 mm\", \"3 mm\"]] }\nd = { from = \"q.b\", via = [[\"4 mm\", \"0 mm\"]] }\n";

#[test]
fn what_is_attached_follows_and_channels_keep_their_lines() {
    let opened = open(TREE);
    let edits = move_items(&opened.drawing(), &select(&["t"]), mm(0.0, -0.5)).unwrap();
    let moved = opened.after(&edits);
    assert_eq!(moved.errors(), Vec::<String>::new());
    assert_at(
        moved.at("q.b"),
        opened.at("q.b") + mm(0.0, -0.5),
        "it hangs on p, p on t",
    );
    let via: Vec<Point> = moved.design.channels[0]
        .via
        .iter()
        .map(|v| v.value)
        .collect();
    assert_eq!(
        via,
        [mm(-1.0, -0.5), mm(-1.0, 3.0)],
        "the run between stays where it was"
    );
    assert_at(
        moved.at("d.end"),
        mm(4.0, -0.5),
        "a straight channel stays straight: no dog-leg at its end",
    );
}

#[test]
fn what_is_pulled_off_its_host_gets_a_place_and_touching_again_connects() {
    let opened = open(TREE);
    let edits = move_items(&opened.drawing(), &select(&["q"]), mm(0.0, 1.0)).unwrap();
    let off = opened.after(&edits);
    assert!(matches!(off.placement("q"), Placement::Absolute { .. }));
    assert_at(off.at("q.a"), opened.at("q.a") + mm(0.0, 1.0), "moved");
    assert_eq!(off.socket("p.b").used, SocketUse::Free);
    let near = Snapping::new(&off.drawing(), &select(&["q"]));
    let near = near.nearest(mm(0.01, -0.98), 1e-4);
    let (by, target) = near.expect("p.b is near");
    assert_eq!(target, "p.b");
    let edits = move_items(&off.drawing(), &select(&["q"]), by).unwrap();
    let back = off.after(&edits);
    assert_at(back.at("q.a"), opened.at("q.a"), "snapped");
    assert_eq!(back.socket("p.b").used, SocketUse::Connected);
    let hangs = matches!(back.placement("q"), Placement::Attached(a) if a.to.value == "p.b");
    assert!(hangs, "as what is dropped there: {:?}", back.placement("q"));
    let along = move_items(&back.drawing(), &select(&["t"]), mm(0.0, 1.0)).unwrap();
    let along = back.after(&along);
    assert_at(
        along.at("q.a"),
        back.at("q.a") + mm(0.0, 1.0),
        "the neighbour takes it along",
    );
    let edits = move_items(&back.drawing(), &select(&["q"]), mm(0.0, 1.0)).unwrap();
    let again = back.after(&edits);
    assert_eq!(again.errors(), Vec::<String>::new());
    assert!(
        again.design.connections.is_empty(),
        "the pair went with the meeting"
    );
}

#[test]
fn a_component_that_leaves_with_its_host_stays_attached() {
    let opened = open(TREE);
    let edits = move_items(&opened.drawing(), &select(&["t", "q"]), mm(1.0, -2.0)).unwrap();
    let moved = opened.after(&edits);
    assert!(matches!(moved.placement("q"), Placement::Attached(_)));
    assert_at(moved.at("q.b"), opened.at("q.b") + mm(1.0, -2.0), "as one");
}

#[test]
fn mirrored_beside_a_host_that_stays_it_stays_attached() {
    let opened = open(
        "[components]\np = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\nb = { kind = \"bend\", attach = \"a\", to = \"p.b\" }\nq = { kind = \"pipe\", attach = \"a\", to = \"b.b\" }\n",
    );
    let edits = mirror(&opened.drawing(), &select(&["b"]), Axis::Y).unwrap();
    let mirrored = opened.after(&edits);
    assert!(matches!(mirrored.placement("b"), Placement::Attached(a) if a.mirror));
    let (before, after) = (opened.at("q.b"), mirrored.at("q.b"));
    assert_at(
        after,
        Point::new(before.x, -before.y),
        "what hangs on it too",
    );
}

#[test]
fn deleting_takes_what_needs_it_and_leaves_the_rest_where_it_is() {
    let opened = open(&format!(
        "{TREE}[connections]\npairs = []\n[ports]\nin = {{ at = \"d.end\", pressure = \"0 Pa\" }}\nup = {{ at = \"t.up\", pressure = \"0 Pa\" }}\n"
    ));
    let deleted = delete(&opened.drawing(), &select(&["p"]), Some("in")).unwrap();
    let deleted = opened.after(&deleted);
    assert_at(deleted.at("q.b"), opened.at("q.b"), "it had hung on p");
    assert_eq!(deleted.design.ports.len(), 1);
    let edits = delete(&opened.drawing(), &select(&["t"]), None).unwrap();
    let deleted = opened.after(&edits);
    assert_eq!(deleted.design.channels.len(), 1, "c started there");
    assert_at(deleted.at("d.end"), opened.at("d.end"), "d did not");
    assert_eq!(deleted.design.ports.len(), 1);
    let nothing = delete(&opened.drawing(), &select(&["nobody"]), None);
    assert_eq!(nothing, Err(Refusal::NothingSelected));
}

#[test]
fn a_channel_between_widths_gets_a_taper() {
    let opened = open(
        "[components]\na = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\nb = { kind = \"pipe\", at = [\"3 mm\", \"1 mm\"], parameters = { width = \"50 um\" } }\n",
    );
    let socket = |name: &str| ChannelEnd::Socket(name.to_owned());
    let drawn = channel(
        &opened.drawing(),
        &socket("a.b"),
        &socket("b.a"),
        &[],
        Bend::Mitred,
    );
    let (edits, name) = drawn.unwrap();
    let after = opened.after(&edits);
    assert_eq!(after.errors(), Vec::<String>::new());
    assert_eq!(after.socket("b.a").used, SocketUse::Connected);
    assert_eq!(after.design.channels[0].name.value, name);
    let again = channel(
        &after.drawing(),
        &socket("a.b"),
        &socket("b.b"),
        &[],
        Bend::Mitred,
    );
    assert_eq!(again, Err(Refusal::Connected("a.b".to_owned())));
}

#[test]
fn a_channel_between_two_pipes_gets_two_tees() {
    let opened = open(
        "[components]\na = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], parameters = { length = \"3 mm\" } }\nb = { kind = \"pipe\", at = [\"0 mm\", \"2 mm\"], parameters = { length = \"3 mm\" } }\n[ports]\nin = { at = \"a.a\", pressure = \"1 Pa\" }\nout = { at = \"b.b\", pressure = \"0 Pa\" }\n",
    );
    let on = |item: &str, at: Point| ChannelEnd::OnPipe {
        item: item.to_owned(),
        at,
    };
    let (from, to) = (on("a", mm(1.0, 0.0)), on("b", mm(2.0, 2.0)));
    let drawn = channel(&opened.drawing(), &from, &to, &[], Bend::Mitred);
    let (edits, _) = drawn.unwrap();
    let after = opened.after(&edits);
    assert!(
        after.layout.chip.is_some(),
        "{:?}",
        after.layout.diagnostics
    );
    assert_eq!(
        after.design.components.len(),
        6,
        "two pipes more, and two tees"
    );
    assert_eq!(
        after.design.channels[0].via.len(),
        2,
        "{:?}",
        after.design.channels
    );
    // Both ends on one pipe.
    let (from, to) = (on("a", mm(0.5, 0.0)), on("a", mm(2.5, 0.0)));
    let via = [mm(0.5, -1.0), mm(2.5, -1.0)];
    let drawn = channel(&opened.drawing(), &from, &to, &via, Bend::Mitred);
    let after = opened.after(&drawn.unwrap().0);
    assert!(after.errors().is_empty(), "{:?}", after.errors());
    assert_eq!(after.design.components.len(), 6);
}

#[test]
fn way_points_beside_the_axis_are_shifted_and_ports_move_to_the_new_end() {
    let opened = open(
        "[components]\na = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\n[ports]\nin = { at = \"a.b\", pressure = \"1 Pa\" }\n",
    );
    let from = ChannelEnd::Socket("a.b".to_owned());
    let to = ChannelEnd::Free(mm(2.0, 2.0));
    let drawn = channel(
        &opened.drawing(),
        &from,
        &to,
        &[mm(2.0, 0.03)],
        Bend::Mitred,
    );
    let (edits, name) = drawn.unwrap();
    let after = opened.after(&edits);
    assert_eq!(after.errors(), Vec::<String>::new());
    assert_eq!(after.design.ports[0].at.value, format!("{name}.end"));
    assert_at(
        after.at(&format!("{name}.end")),
        mm(2.0, 2.0),
        "where it was clicked",
    );
    // In empty space altogether.
    let free = |x, y| ChannelEnd::Free(mm(x, y));
    let drawn = channel(
        &opened.drawing(),
        &free(0.0, 5.0),
        &free(3.0, 7.0),
        &[mm(3.0, 5.0)],
        Bend::Mitred,
    );
    let after = opened.after(&drawn.unwrap().0);
    assert_eq!(after.errors(), Vec::<String>::new());
    assert_at(after.at("channel1.end"), mm(3.0, 7.0), "there");
}

#[test]
fn lining_up_moves_groups_as_one() {
    let opened = open(TREE);
    let edits = align(&opened.drawing(), &select(&["t", "p", "u"]), Align::Left).unwrap();
    assert!(edits.is_empty(), "their left edges are in line: {edits:?}");
    let edits = align(&opened.drawing(), &select(&["t", "p", "u"]), Align::Right).unwrap();
    let aligned = opened.after(&edits);
    assert_at(
        aligned.at("u.right"),
        Point::new(opened.at("p.b").x, 3e-3),
        "as far as the pipe",
    );
    let few = align(&opened.drawing(), &select(&["t", "p"]), Align::Top);
    assert_eq!(few, Err(Refusal::TooFew(2)), "p hangs on t");
}

#[test]
fn copies_are_sections_of_a_file_and_bad_ones_are_told() {
    let opened = open(TREE);
    let text = copy(&opened.drawing(), &select(&["p", "q", "c", "d"])).unwrap();
    assert!(text.starts_with("[components]\n"), "{text}");
    let (edits, names) = paste(&opened.drawing(), &text, Some(mm(0.0, -3.0))).unwrap();
    let pasted = opened.after(&edits);
    assert_eq!(pasted.errors(), Vec::<String>::new(), "{text}");
    assert!(
        names.iter().all(|name| opened.layout.item(name).is_none()),
        "{names:?}"
    );
    for (bad, why) in [
        ("no toml [", "holds nothing of a design"),
        ("", "no components"),
        (
            "[components]\np = { kind = \"pipe\", at = [1, 2] }",
            "holds nothing of a design",
        ),
        (
            "[components]\nz = { kind = \"pipe\", attach = \"a\", to = \"t.up\" }",
            "refers to `t.up`",
        ),
    ] {
        let refused = paste(&opened.drawing(), bad, None).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

/// The edits lead to the draft and to nothing else.
#[test]
fn edits_are_all_that_differs() {
    let opened = open(TREE);
    let mut draft = Draft::of(&opened.drawing());
    let turn = Motion::new(0.3, mm(1.0, 2.0));
    let wishes = [(0, turn), (2, Motion::new(0.0, mm(0.0, 1.0)))];
    super::rigid::transform(&mut draft, &wishes.into_iter().collect());
    draft.set_parameter(
        "p",
        "length",
        Some(crate::design::Value::Quantity(
            1e-3,
            crate::design::Dimension::Length,
        )),
    );
    draft.design.channels.remove(1);
    super::settle::settle(&mut draft);
    let edits = draft.edits();
    assert!(edits.len() > 3, "{edits:?}");
    let after = opened.after(&edits);
    let left = super::diff::edits(&after.design, &draft.design);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_wider_bend_routes_the_channel_anew() {
    let opened = open(
        "[components]\na = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\nb = { kind = \"pipe\", at = [\"3 mm\", \"3 mm\"] }\n[channels]\nc = { from = \"a.b\", to = \"b.a\", via = [[\"0.5 mm\", \"0 mm\"], [\"0.5 mm\", \"3 mm\"]] }\n",
    );
    let round = Bend::Round(stokeslet_base::units::Metre(5e-4));
    let edits = set_channel_shape(&opened.drawing(), "c", None, round).unwrap();
    let after = opened.after(&edits);
    assert_eq!(after.errors(), Vec::<String>::new());
    let edits = move_way_point(&opened.drawing(), "c", 0, mm(1.0, 0.4)).unwrap();
    let via: Vec<Point> = opened.after(&edits).design.channels[0]
        .via
        .iter()
        .map(|v| v.value)
        .collect();
    assert_eq!(via, [mm(1.0, 0.0), mm(1.0, 3.0)], "right angles stay right");
}

#[test]
fn a_longer_pipe_pushes_what_hangs_on_it_and_its_channels() {
    let opened = open(TREE);
    let length = crate::design::Value::Quantity(2e-3, crate::design::Dimension::Length);
    let edits = set_parameter(&opened.drawing(), "p", "length", Some(length)).unwrap();
    let after = opened.after(&edits);
    assert_eq!(after.errors(), Vec::<String>::new());
    assert_at(
        after.at("q.a"),
        mm(2.05, 0.0),
        "t.right is half a width from the middle",
    );
}

/// The width of one branch, changed where it is joined: a taper goes between, is set anew, and leaves again.
#[test]
fn a_branch_of_another_width_gets_tapers_and_loses_them_again() {
    let opened = open(
        "[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\np = { kind = \"pipe\", attach = \"a\", to = \"t.right\", parameters = { length = \"3 mm\" } }\nq = { kind = \"pipe\", attach = \"a\", to = \"p.b\" }\n[channels]\nc = { from = \"t.up\", via = [[\"0 mm\", \"2 mm\"]] }\n",
    );
    let width = |um: f64| {
        let quantity = crate::design::Value::Quantity(um * 1e-6, crate::design::Dimension::Length);
        Some(quantity)
    };
    let tapers = |opened: &Opened| {
        let all = opened.design.components.iter();
        all.filter(|c| c.kind.value == "taper").count()
    };
    let is_wide = |opened: &Opened, name: &str, want: f64| {
        let got = opened.socket(name).geometry.width;
        assert!((got / want - 1.0).abs() < 1e-12, "{name} is {got} wide");
    };
    let edits = set_parameter(&opened.drawing(), "p", "width", width(50.0)).unwrap();
    let narrow = opened.after(&edits);
    assert_eq!(narrow.errors(), Vec::<String>::new());
    assert_eq!(tapers(&narrow), 2, "{}", narrow.text);
    is_wide(&narrow, "p.a", 5e-5);
    assert_eq!(narrow.socket("q.a").used, SocketUse::Connected);
    let off = (narrow.at("q.a") - opened.at("q.a")).norm();
    assert!(
        off < 1e-12,
        "what hangs on the branch stays where it was: {off:e}"
    );
    let edits = set_parameter(&narrow.drawing(), "p", "width", width(80.0)).unwrap();
    let again = narrow.after(&edits);
    assert_eq!(again.errors(), Vec::<String>::new());
    assert_eq!(tapers(&again), 2, "the tapers are set anew: {}", again.text);
    is_wide(&again, "p.a", 8e-5);

    let wide = Some(stokeslet_base::units::Metre(2e-4));
    let edits = set_channel_shape(&opened.drawing(), "c", wide, Bend::Mitred).unwrap();
    let wider = opened.after(&edits);
    assert_eq!(wider.errors(), Vec::<String>::new());
    is_wide(&wider, "c.end", 2e-4);
    assert_at(wider.at("c.end"), opened.at("c.end"), "its end stays");
    assert_eq!(tapers(&wider), 1);
    let usual = Some(stokeslet_base::units::Metre(1e-4));
    let edits = set_channel_shape(&wider.drawing(), "c", usual, Bend::Mitred).unwrap();
    let back = wider.after(&edits);
    assert_eq!(back.errors(), Vec::<String>::new());
    assert_eq!(
        tapers(&back),
        0,
        "nothing is left to do for it: {}",
        back.text
    );
    is_wide(&back, "c.end", 1e-4);
}

/// Where steps are wanted they go in, and a joint becomes the other one in its place and as long, with what refers to it.
#[test]
fn steps_go_between_widths_where_they_are_wanted_and_become_tapers() {
    let opened = open(
        "[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\np = { kind = \"pipe\", attach = \"a\", to = \"t.right\", parameters = { length = \"3 mm\" } }\nq = { kind = \"pipe\", attach = \"a\", to = \"p.b\" }\n",
    );
    let of_kind = |opened: &Opened, kind: &str| -> BTreeSet<String> {
        let all = opened.design.components.iter();
        let all = all.filter(|c| c.kind.value == kind);
        all.map(|c| c.name.value.clone()).collect()
    };
    let mut by_steps = opened.drawing();
    by_steps.joint = Joint::Step;
    let narrow = crate::design::Value::Quantity(5e-5, crate::design::Dimension::Length);
    let edits = set_parameter(&by_steps, "p", "width", Some(narrow)).unwrap();
    let steps = opened.after(&edits);
    assert_eq!(steps.errors(), Vec::<String>::new());
    assert_eq!(joints_added(&edits), select(&["step1", "step2"]));
    assert_eq!(of_kind(&steps, "step"), select(&["step1", "step2"]));
    assert_at(steps.at("q.a"), opened.at("q.a"), "what hangs there stays");

    let all = select(&["step1", "step2", "q"]);
    let (edits, names) = set_joint(&steps.drawing(), &all, Joint::Taper).unwrap();
    let tapers = steps.after(&edits);
    assert_eq!(names, ["taper1", "taper2"]);
    assert_eq!(tapers.errors(), Vec::<String>::new(), "{}", tapers.text);
    assert_eq!(of_kind(&tapers, "step"), select(&[]));
    for socket in ["p.a", "p.b", "q.a", "q.b"] {
        assert_at(tapers.at(socket), steps.at(socket), socket);
    }
    let (edits, _) = set_joint(&tapers.drawing(), &select(&["taper2"]), Joint::Step).unwrap();
    let mixed = tapers.after(&edits);
    assert_eq!(mixed.errors(), Vec::<String>::new(), "{}", mixed.text);
    assert_at(mixed.at("q.b"), steps.at("q.b"), "the last end");
    // Joints in series, of which one is mentioned elsewhere and keeps its name; with lengths of their own until these don't fit.
    let row = open(
        "[variables]\nw = \"50 um\"\n[components]\nt = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\ntaper1 = { kind = \"taper\", attach = \"b\", to = \"t.right\", parameters = { width_start = \"80 um\", width_end = \"100 um\" } }\ntaper2 = { kind = \"taper\", attach = \"b\", to = \"taper1.a\", parameters = { width_start = \"=w\", width_end = \"80 um\" } }\np = { kind = \"pipe\", attach = \"a\", to = \"taper2.a\", parameters = { width = \"50 um\", length = \"3 mm\" } }\n",
    );
    assert_eq!(row.errors(), Vec::<String>::new());
    let both = select(&["taper1", "taper2"]);
    let (edits, names) = set_joint(&row.drawing(), &both, Joint::Step).unwrap();
    assert_eq!(names, ["step1", "taper2"]);
    let series = row.after(&edits);
    assert_eq!(series.errors(), Vec::<String>::new(), "{}", series.text);
    assert_at(series.at("p.b"), row.at("p.b"), "the last end");
    assert!(series.text.contains("\"=w\""), "{}", series.text);
    let wide = crate::design::Value::Quantity(2e-3, crate::design::Dimension::Length);
    let edits = set_parameter(&series.drawing(), "p", "width", Some(wide)).unwrap();
    let wider = series.after(&edits);
    assert_eq!(wider.errors(), Vec::<String>::new(), "{}", wider.text);

    let again = set_joint(&mixed.drawing(), &select(&["step1"]), Joint::Step);
    assert_eq!(again, Err(Refusal::NothingSelected));
    let walled = tapers
        .text
        .replacen("width_start", "left_wall = \"slip\", width_start", 1);
    let walled = reopen(walled);
    let refused = set_joint(
        &walled.drawing(),
        &select(&["taper1", "taper2"]),
        Joint::Step,
    );
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("`left_wall`, which a step can't have"),
        "{refused}"
    );
}

/// Channels that cross are joined by a cross, from sockets and from nowhere, once or several times.
#[test]
fn channels_that_cross_get_a_cross() {
    let pipes = "[components]\np = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], parameters = { length = \"4 mm\" } }\nq = { kind = \"pipe\", at = [\"0 mm\", \"1 mm\"], parameters = { length = \"4 mm\" } }\ns = { kind = \"pipe\", at = [\"1 mm\", \"3 mm\"], rotation = \"-90 deg\", parameters = { length = \"1 mm\" } }\n";
    let kinds = |opened: &Opened, kind: &str| {
        let all = opened.design.components.iter();
        all.filter(|c| c.kind.value == kind).count()
    };
    let opened = open(pipes);
    let free = |x: f64, y: f64| ChannelEnd::Free(mm(x, y));
    let down = [
        (ChannelEnd::Socket("s.b".to_owned()), free(1.0, -1.0)),
        (free(2.0, 2.0), free(2.0, -1.0)),
        (free(2.0, -1.5), free(2.0, 2.5)),
    ];
    for (from, to) in down {
        let drawn = channel(&opened.drawing(), &from, &to, &[], Bend::Mitred);
        let (edits, name) = drawn.unwrap();
        let after = opened.after(&edits);
        let why = format!("{from:?} to {to:?}\n{}", after.text);
        assert_eq!(after.errors(), Vec::<String>::new(), "{why}");
        assert_eq!(kinds(&after, "cross"), 2, "{why}");
        assert_eq!(after.design.channels.len(), 3, "{why}");
        assert!(after.design.channels.iter().any(|c| c.name.value == name));
        // The ends of the pipes stay where they were.
        let ends: Vec<Point> = ["p.b", "q.b"].map(|s| after.at(s)).to_vec();
        assert!((ends[0] - mm(4.0, 0.0)).norm() < 1e-12, "{why}");
        assert!((ends[1] - mm(4.0, 1.0)).norm() < 1e-12, "{why}");
    }
    // At a slant, or of another width, there is no cross to put in.
    let slant = channel(
        &opened.drawing(),
        &free(1.0, -1.0),
        &free(2.0, 2.0),
        &[],
        Bend::Mitred,
    );
    assert_eq!(kinds(&opened.after(&slant.unwrap().0), "cross"), 0);
}
