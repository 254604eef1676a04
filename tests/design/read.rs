//! Valid designs are read as they are meant, printed and read again; no bytes make the reader panic.

use proptest::prelude::*;
use stokeslet::design::DepthModel;
use stokeslet::design::{Bend, Design, Edit, Placement, PortCondition, Value, parse, print};
use stokeslet::geometry::Point;
use stokeslet::units::{Dimension, FlowRatePerDepth, Metre, Pascal, Radian};

use crate::support::FULL;

pub fn read(text: &str) -> Design {
    let (design, diagnostics) = parse(text, "full");
    design.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

/// The design as text without spans: equal texts are equal designs.
pub fn without_spans(design: &Design) -> String {
    let text = format!("{design:?}");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("span: ") {
        out.push_str(&rest[..at]);
        let span = &rest[at..];
        rest = &span[span.find([' ', ',', '}']).unwrap() + 1..];
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    }
    out + rest
}

#[test]
fn a_design_that_uses_everything_is_read_as_it_is_meant() {
    let design = read(FULL);
    assert_eq!(design.title.as_deref(), Some("Y with a \"mixer\""));
    assert_eq!(
        (design.viscosity.0, design.width, design.depth),
        (8.9e-4, Metre(1e-4), Some(Metre(5e-5)))
    );
    assert_eq!(
        (design.model, design.resolution),
        (DepthModel::Shallow, Some(12))
    );
    let names: Vec<&str> = design
        .components
        .iter()
        .map(|component| component.name.value.as_str())
        .collect();
    assert_eq!(
        names,
        ["y1", "t1", "g"],
        "in the file's order, not the alphabet's"
    );
    assert_eq!(
        design.components[0].placement,
        Placement::Absolute {
            at: Point::new(0.0, -1.5e-3),
            rotation: Radian(std::f64::consts::FRAC_PI_2),
            mirror: true
        }
    );
    let Placement::Attached(attachment) = &design.components[1].placement else {
        panic!("t1 is attached");
    };
    assert_eq!(
        (
            attachment.socket.value.as_str(),
            attachment.to.value.as_str(),
            attachment.mirror
        ),
        ("left", "y1.out", true)
    );
    let values: Vec<&Value> = design.components[2]
        .parameters
        .iter()
        .map(|(_, value)| &value.value)
        .collect();
    let text = |text: &str| Value::Text(text.to_owned());
    let ends = Value::List(vec![
        Value::List(vec![text("left"), Value::Bool(true)]),
        Value::List(vec![
            Value::Number(1.0),
            Value::Quantity(2e-6, Dimension::Length),
        ]),
    ]);
    assert_eq!(
        values,
        [
            &Value::Number(3.0),
            &Value::Number(0.25),
            &ends,
            &text("left")
        ]
    );
    assert_eq!(
        (design.channels[0].bend, design.channels[0].width),
        (Bend::Round(Metre(2e-4)), Some(Metre(8e-5)))
    );
    assert_eq!(
        (
            design.channels[1].bend,
            design.channels[1].to.is_none(),
            design.channels[1].via.len()
        ),
        (Bend::Mitred, true, 1)
    );
    assert_eq!(design.connections[1].b.value, "t1.right");
    let conditions: Vec<PortCondition> = design
        .ports
        .iter()
        .map(|port| port.condition.value)
        .collect();
    assert_eq!(
        conditions[1],
        PortCondition::FlowRatePerDepth(FlowRatePerDepth(1e-6))
    );
    assert_eq!(
        conditions[2..],
        [
            PortCondition::Pressure(Pascal(-2000.0)),
            PortCondition::TractionFree
        ]
    );
}

#[test]
fn places_point_at_the_text_that_they_came_from() {
    let design = read(FULL);
    assert_eq!(&FULL[design.components[1].name.span.clone()], "t1");
    assert_eq!(&FULL[design.channels[0].from.span.clone()], "\"y1.a\"");
    assert_eq!(
        &FULL[design.ports[2].condition.span.clone()],
        "\"-20 mbar\""
    );
    assert_eq!(
        &FULL[design.components[0].parameters[0].1.span.clone()],
        "\"60 deg\""
    );
}

#[test]
fn tables_dotted_keys_marks_and_line_ends_make_no_difference() {
    let inline = "format = 1\nfluid = { viscosity = \"1 cP\" }\nchip = { width = \"1 mm\" }\ncomponents = { a = { kind = \"pipe\", at = [\"0 m\", \"0 m\"] } }\n";
    let tables = "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"0.1 cm\"\n[components.a]\nkind = \"pipe\"\nat = [\"0 m\", \"0 m\"]\n";
    let dotted = "format = 1\nfluid.viscosity = \"1e-3 Pa s\"\nchip.width = \"1000 um\"\n[components]\na.kind = \"pipe\"\na.at = [\"0 m\", \"0 m\"]\n";
    let want = without_spans(&read(inline));
    for text in [
        tables.to_owned(),
        dotted.to_owned(),
        format!("\u{feff}{inline}"),
        tables.replace('\n', "\r\n"),
    ] {
        assert_eq!(without_spans(&read(&text)), want, "{text}");
    }
    let marked = format!("\u{feff}{tables}");
    assert_eq!(
        &marked[read(&marked).components[0].kind.span.clone()],
        "\"pipe\"",
        "spans count the mark"
    );
}

#[test]
fn a_printed_design_reads_back_as_the_same() {
    let design = read(FULL);
    let printed = print(&design);
    assert_eq!(
        without_spans(&read(&printed)),
        without_spans(&design),
        "{printed}"
    );
    assert_eq!(print(&read(&printed)), printed);
    assert!(
        printed.contains(
            "\nt1 = { kind = \"tee\", attach = \"left\", to = \"y1.out\", mirror = true }\n"
        ),
        "{printed}"
    );
}

/// What design files are made of; in a random order they reach far into the reader.
const PIECES: &[&str] = &[
    "format = 1\n",
    "[fluid]\n",
    "viscosity = ",
    "[chip]\n",
    "width = ",
    "depth = ",
    "model = ",
    "\"shallow\"",
    "resolution = ",
    "[components]\n",
    "[components.p]\n",
    "[[components]]\n",
    "[components.p.parameters]\n",
    "p = ",
    "p.q = ",
    "\"p\" = ",
    "{ ",
    " }",
    "[",
    "]",
    ", ",
    "\n",
    "kind = \"tee\"",
    "at = ",
    "[\"0 mm\", \"1 mm\"]",
    "attach = \"a\"",
    "to = \"p.a\"",
    "parameters = ",
    "[channels]\n",
    "via = ",
    "bend = \"round\"",
    "radius = ",
    "[connections]\n",
    "pairs = ",
    "[[\"p.a\", \"q.b\"]]",
    "[ports]\n",
    "flow_rate = ",
    "pressure = ",
    "traction_free = ",
    "true",
    "nan",
    "-inf",
    "0x10",
    "1e999",
    "\"5 uL/min\"",
    "\"1 um\"",
    "\"1 cP\"",
    "1979-05-27",
    "\"\"\"\n\"\"\"",
    "'",
    "\"",
    "#",
    "\\u00b5",
    "µ",
    "\r\n",
    "= ",
    ".",
];

/// Two thousand components as one file.
fn large() -> String {
    let mut text =
        "format = 1\n[fluid]\nviscosity = \"1 cP\"\n[chip]\nwidth = \"1 mm\"\n[components]\n"
            .to_owned();
    for k in 0..2000 {
        text += &format!(
            "p{k} = {{ kind = \"pipe\", at = [\"{k} mm\", \"0 mm\"], rotation = \"30 deg\", parameters = {{ length = \"1 mm\" }} }}\n"
        );
    }
    text
}

#[test]
fn two_thousand_components_are_read_and_printed() {
    let design = read(&large());
    assert_eq!(design.components.len(), 2000);
    assert_eq!(design.components[1999].name.value, "p1999");
    assert_eq!(
        without_spans(&read(&print(&design))),
        without_spans(&design)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), text in "[\\[\\]{}=\"'.,#a-f0-9\n µ-]{0,200}") {
        let (design, diagnostics) = parse(&bytes, "fuzz");
        prop_assert!(design.is_some() || !diagnostics.is_empty());
        let (design, diagnostics) = parse(&text, "fuzz");
        prop_assert!(design.is_some() || !diagnostics.is_empty());
        stokeslet::diagnostic::render(&diagnostics, "fuzz", &text);
    }

    #[test]
    fn no_slip_in_a_valid_file_makes_it_panic(cuts in proptest::collection::vec((any::<proptest::sample::Index>(), 0..30_usize, "[\\[\\]{}=\"'.,#a-z0-9\n µ-]{0,4}"), 1..4)) {
        let mut bytes = FULL.as_bytes().to_vec();
        for (at, n, insert) in cuts {
            let at = at.index(bytes.len());
            let end = (at + n).min(bytes.len());
            bytes.splice(at..end, insert.bytes());
            if bytes.is_empty() {
                break;
            }
        }
        let (design, diagnostics) = parse(&bytes, "fuzz");
        prop_assert!(design.is_some() || !diagnostics.is_empty());
        for diagnostic in &diagnostics {
            let span = diagnostic.place.span.clone().unwrap();
            prop_assert!(span.start <= span.end && span.end <= bytes.len());
        }
        stokeslet::diagnostic::render(&diagnostics, "fuzz", &String::from_utf8_lossy(&bytes));
        if let Some(design) = design {
            prop_assert_eq!(without_spans(&read(&print(&design))), without_spans(&Design { name: "full".to_owned(), ..design }));
        }
    }

    #[test]
    fn no_order_of_valid_pieces_makes_it_panic(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        let text = pieces.concat();
        let (design, diagnostics) = parse(&text, "fuzz");
        prop_assert!(design.is_some() || !diagnostics.is_empty());
        stokeslet::diagnostic::render(&diagnostics, "fuzz", &text);
        let _ = stokeslet::design::rewrite(&text, &[Edit::RemoveComponent("p".to_owned()), Edit::SetWidth(Metre(1.0))]);
    }

    #[test]
    fn every_start_of_a_valid_file_is_read_or_reported(cut in 0..FULL.len()) {
        let (design, diagnostics) = parse(&FULL.as_bytes()[..cut], "cut");
        prop_assert!(design.is_some() || !diagnostics.is_empty());
        prop_assert!(diagnostics.len() < 6, "cascade: {:#?}", diagnostics);
    }
}
