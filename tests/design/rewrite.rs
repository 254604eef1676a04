//! A rewrite changes what it is asked to and nothing else: comments, order and spacing stay.

use stokeslet::design::DepthModel;
use stokeslet::design::{
    Bend, Channel, Component, Connection, Edit, Placement, Port, PortCondition, RewriteError,
    Spanned, Value, parse, rewrite,
};
use stokeslet::geometry::Point;
use stokeslet::units::{Dimension, Metre, Pascal, PascalSecond, Radian};

use crate::support::FULL;

fn name(text: &str) -> Spanned<String> {
    Spanned::nowhere(text.to_owned())
}

/// Applies the edits and asserts that exactly these replacements of lines happened, and that the result can be read.
#[track_caller]
fn assert_lines(edits: &[Edit], replaced: &[(&str, &str)]) {
    let mut want = FULL.to_owned();
    for (old, new) in replaced {
        assert_eq!(want.matches(old).count(), 1, "{old}");
        want = want.replace(old, new);
    }
    let got = rewrite(FULL, edits).unwrap();
    assert_eq!(got, want);
    let (design, diagnostics) = parse(&got, "rewritten");
    assert!(design.is_some(), "{diagnostics:#?}");
}

#[test]
fn no_edit_changes_no_byte() {
    for text in [
        FULL.to_owned(),
        FULL.replace('\n', "\r\n"),
        format!("\u{feff}{FULL}"),
    ] {
        assert_eq!(rewrite(&text, &[]).unwrap(), text);
    }
}

#[test]
fn values_of_sections_change_and_their_comments_stay() {
    assert_lines(
        &[
            Edit::SetViscosity(PascalSecond(1e-3)),
            Edit::SetModel(DepthModel::Planar),
            Edit::SetWidth(Metre(2e-4)),
            Edit::SetResolution(None),
            Edit::SetTitle(Some("Plain".to_owned())),
        ],
        &[
            ("\"0.89 mPa s\" # water", "\"1 mPa s\" # water"),
            ("\"shallow\"", "\"planar\""),
            ("width = \"100 um\"", "width = \"200 µm\""),
            ("resolution = 12\n", ""),
            ("\"Y with a \\\"mixer\\\"\" ", "\"Plain\" "),
        ],
    );
}

#[test]
fn a_parameter_is_set_added_and_removed_in_its_line() {
    let set = |component: &str, parameter: &str, value| Edit::SetParameter {
        component: component.to_owned(),
        parameter: parameter.to_owned(),
        value,
    };
    assert_lines(
        &[
            set(
                "y1",
                "angle",
                Some(Value::Quantity(
                    std::f64::consts::FRAC_PI_4,
                    Dimension::Angle,
                )),
            ),
            set("t1", "n", Some(Value::Number(2.0))),
            set("g", "ratio", None),
        ],
        &[
            ("\"60 deg\" } } # turned", "\"45 deg\" } } # turned"),
            (
                "mirror = true }\n",
                "mirror = true, parameters = { n = 2 } }\n",
            ),
            ("n = 3, ratio = 0.25,", "n = 3,"),
        ],
    );
}

#[test]
fn a_component_moves_and_changes_its_kind_of_placement() {
    let place = |component: &str, x: f64| Edit::Place {
        component: component.to_owned(),
        placement: Placement::Absolute {
            at: Point::new(x, 0.0),
            rotation: Radian(0.0),
            mirror: false,
        },
    };
    assert_lines(
        &[place("y1", 2e-3), place("t1", 1e-3)],
        &[
            (
                "at = [\"0 mm\", \"-1.5 mm\"], rotation = \"90 deg\", mirror = true,",
                "at = [\"2 mm\", \"0 m\"],",
            ),
            (
                "t1 = { kind = \"tee\", attach = \"left\", to = \"y1.out\", mirror = true }",
                "t1 = { kind = \"tee\", at = [\"1 mm\", \"0 m\"] }",
            ),
        ],
    );
}

#[test]
fn a_renamed_component_keeps_its_line_and_is_followed_everywhere() {
    let want = FULL.replace("y1 =", "split =").replace("\"y1.", "\"split.");
    let rename = |from: &str, to: &str| Edit::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
    };
    assert_eq!(rewrite(FULL, &[rename("y1", "split")]).unwrap(), want);
    assert_eq!(
        rewrite(FULL, &[rename("c2", "tail")]).unwrap(),
        FULL.replace("c2 =", "tail =").replace("c2.end", "tail.end")
    );
    let taken = rewrite(FULL, &[rename("y1", "c1")]);
    assert!(
        matches!(
            taken,
            Err(RewriteError::Taken {
                what: "channel",
                ..
            })
        ),
        "{taken:?}"
    );
    let missing = rewrite(FULL, &[rename("y9", "z")]);
    assert!(
        matches!(missing, Err(RewriteError::NotFound { .. })),
        "{missing:?}"
    );
}

#[test]
fn a_renamed_port_is_followed_by_the_species_that_enter_there_and_sheets_follow_components() {
    let text = "[sheets]\nof = { p = \"up\" }\n[components]\np = { kind = \"pipe\" } # one\n\n[ports]\nin = { at = \"p.a\" } # fed\nout = { at = \"p.b\" }\n\n[species.dye]\ninlets = { in = 1, out = 2 }\n";
    let rename = |from: &str, to: &str| Edit::RenamePort {
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let want = text
        .replace("in = { at", "feed = { at")
        .replace("{ in = 1", "{ feed = 1");
    assert_eq!(rewrite(text, &[rename("in", "feed")]).unwrap(), want);
    let refused = rewrite(text, &[rename("in", "out")]);
    assert!(
        matches!(refused, Err(RewriteError::Taken { what: "port", .. })),
        "{refused:?}"
    );
    let gone = rewrite(text, &[Edit::RemovePort("in".to_owned())]).unwrap();
    assert!(gone.contains("inlets = { out = 2 }"), "{gone}");
    let part = Edit::Rename {
        from: "p".to_owned(),
        to: "q".to_owned(),
    };
    let want = text
        .replace("of = { p", "of = { q")
        .replace("\np =", "\nq =")
        .replace("\"p.", "\"q.");
    assert_eq!(rewrite(text, &[part]).unwrap(), want);
}

#[test]
fn things_are_added_at_the_end_of_their_section() {
    let component = Component {
        name: name("p"),
        kind: name("pipe"),
        placement: Placement::Absolute {
            at: Point::new(0.0, 0.0),
            rotation: Radian(0.0),
            mirror: false,
        },
        parameters: vec![(
            name("length"),
            Spanned::nowhere(Value::Quantity(1e-3, Dimension::Length)),
        )],
        depth: None,
        dimensions: Vec::new(),
    };
    let channel = Channel {
        name: name("c3"),
        from: name("p.start"),
        to: None,
        via: vec![Spanned::nowhere(Point::new(1e-3, 0.0))],
        width: None,
        bend: Bend::Round(Metre(1e-4)),
        depth: None,
    };
    let port = Port {
        name: name("out"),
        at: name("p.end"),
        condition: Spanned::nowhere(PortCondition::Pressure(Pascal(0.0))),
    };
    let connection = Connection {
        a: name("p.start"),
        b: name("g.out"),
    };
    let (last, pair, c2, drain) = (
        "side = \"left\" } }\n",
        "[\"g.in\", \"t1.right\"],\n",
        "via = [[\"1 mm\", \"2 mm\"]] }\n",
        "traction_free = true }\n",
    );
    let added = |old: &str, new: &str| format!("{old}{new}\n");
    assert_lines(
        &[
            Edit::AddComponent(component.clone()),
            Edit::AddChannel(channel),
            Edit::Connect(connection),
            Edit::AddPort(port),
        ],
        &[
            (
                last,
                &added(
                    last,
                    "p = { kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = { length = \"1 mm\" } }",
                ),
            ),
            (
                c2,
                &added(
                    c2,
                    "c3 = { from = \"p.start\", via = [[\"1 mm\", \"0 m\"]], bend = \"round\", radius = \"100 µm\" }",
                ),
            ),
            (pair, &added(pair, "    [\"p.start\", \"g.out\"],")),
            (
                drain,
                &added(drain, "out = { at = \"p.end\", pressure = \"0 Pa\" }"),
            ),
        ],
    );
    let twice = rewrite(
        FULL,
        &[
            Edit::AddComponent(component.clone()),
            Edit::AddComponent(component),
        ],
    );
    assert!(
        matches!(twice, Err(RewriteError::Taken { .. })),
        "{twice:?}"
    );
}

#[test]
fn what_is_removed_takes_its_own_comment_and_no_other() {
    assert_lines(
        &[
            Edit::RemoveComponent("y1".to_owned()),
            Edit::RemoveChannel("c1".to_owned()),
            Edit::RemovePort("waste".to_owned()),
            Edit::Disconnect(Connection {
                a: name("t1.right"),
                b: name("g.in"),
            }),
        ],
        &[
            (
                "# the inlet\ny1 = { kind = \"y\", at = [\"0 mm\", \"-1.5 mm\"], rotation = \"90 deg\", mirror = true, parameters = { angle = \"60 deg\" } } # turned\n",
                "",
            ),
            (
                "c1 = { from = \"y1.a\", to = \"t1.up\", via = [[\"1 mm\", \"0 mm\"], [\"1 mm\", \"2 mm\"]], bend = \"round\", radius = \"200 um\", width = \"80 um\" }\n",
                "",
            ),
            (
                "waste = { at = \"t1.right\", pressure = \"-20 mbar\" } # suction\n",
                "",
            ),
            ("    [\"g.in\", \"t1.right\"],\n", ""),
        ],
    );
    let heading = "[components]\n# mixers\n\n# first\na = { kind = \"x\" }\nb = { kind = \"x\" }\n";
    let got = rewrite(heading, &[Edit::RemoveComponent("a".to_owned())]).unwrap();
    assert_eq!(got, "[components]\n# mixers\n\nb = { kind = \"x\" }\n");
}

#[test]
fn a_condition_changes_kind_and_its_comment_stays() {
    assert_lines(
        &[Edit::SetCondition {
            port: "waste".to_owned(),
            condition: PortCondition::TractionFree,
        }],
        &[(
            "pressure = \"-20 mbar\" } # suction",
            "traction_free = true } # suction",
        )],
    );
}

#[test]
fn sections_that_are_missing_are_made() {
    let bare = "format = 1\n\n[fluid]\nviscosity = \"1 cP\"\n\n[chip]\nwidth = \"1 mm\" # wide\n";
    let connection = Connection {
        a: name("p.start"),
        b: name("g.out"),
    };
    let port = Port {
        name: name("out"),
        at: name("p.end"),
        condition: Spanned::nowhere(PortCondition::TractionFree),
    };
    let got = rewrite(bare, &[Edit::Connect(connection), Edit::AddPort(port)]).unwrap();
    let added = "\n[connections]\npairs = [[\"p.start\", \"g.out\"]]\n\n[ports]\nout = { at = \"p.end\", traction_free = true }\n";
    assert_eq!(got, format!("{bare}{added}"));
}

#[test]
fn lists_nested_beyond_all_measure_are_refused() {
    let deep = (0..500).fold(Value::Number(1.0), |inner, _| Value::List(vec![inner]));
    let edit = Edit::SetParameter {
        component: "y1".to_owned(),
        parameter: "angle".to_owned(),
        value: Some(deep),
    };
    assert!(matches!(
        rewrite(FULL, &[edit]),
        Err(RewriteError::NotToml(_))
    ));
}

// A text that begins with `=` is an expression, but in a title.
proptest::proptest! {
    #[test]
    fn any_text_can_be_a_title_a_parameter_or_its_name(title in ".*", text in "[^=0-9+.a-zA-Z\\s-].*", key in "(?s).{0,8}") {
        let edits = [
            Edit::SetTitle(Some(title.clone())),
            Edit::SetParameter {
                component: "t1".to_owned(),
                parameter: key.clone(),
                value: Some(Value::Text(text.clone())),
            },
        ];
        let got = rewrite(FULL, &edits).unwrap();
        let (design, diagnostics) = parse(&got, "rewritten");
        let design = design.unwrap_or_else(|| panic!("{diagnostics:#?}"));
        assert_eq!(design.title, Some(title));
        let (got_key, got_text) = &design.components[1].parameters[0];
        assert_eq!((&got_key.value, &got_text.value), (&key, &Value::Text(text)));
    }
}
