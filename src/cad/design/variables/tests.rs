use super::Setting;
use crate::design::{
    Design, Edit, PortCondition, RewriteError, Value, parse, parse_with, print, rewrite,
};
use stokeslet_base::units::Metre;

const HEAD: &str = "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n";

/// A design of a chip's width and variables.
fn text(variables: &str, width: &str) -> String {
    format!("{HEAD}[chip]\nwidth = {width}\n[variables]\n{variables}\n")
}

fn read(text: &str) -> Design {
    let (design, mistakes) = parse(text, "x");
    assert!(mistakes.is_empty(), "{text}\n{mistakes:?}");
    design.expect("no mistakes")
}

fn width(variables: &str, expression: &str) -> f64 {
    read(&text(variables, &format!("'={expression}'"))).width.0
}

/// The codes of all that is wrong.
fn codes(variables: &str, width: &str) -> Vec<&'static str> {
    let (design, mistakes) = parse(text(variables, width), "x");
    assert_eq!(design.is_none(), !mistakes.is_empty());
    mistakes.into_iter().map(|mistake| mistake.code).collect()
}

#[test]
fn expressions_reckon_with_units() {
    for (variables, expression, want) in [
        ("w = \"100 um\"", "w", 1e-4),
        ("w = \"100 um\"", "2 * w + 20 um", 2.2e-4),
        (
            "w = \"100 um\"\nh = \"=w / 2\"\nw2 = \"=h * 3\"",
            "w2",
            1.5e-4,
        ),
        ("n = 3", "n / 2 * 1 mm", 1.5e-3),
        ("", "1 / 2 * mm", 5e-4),
        ("a = \"60 deg\"", "2 mm * cos(a)", 1e-3),
        ("a = \"90 deg\"", "1 mm * sin(a)", 1e-3),
        ("q = \"6 uL/min\"", "q / (1 mm/s) / (100 um)", 1e-3),
        ("area = \"4 mm^2\"", "sqrt(area)", 2e-3),
        ("area = \"4 mm^2\"", "area^0.5 / 2", 1e-3),
        ("r = \"1 mm\"\na = \"2 rad\"", "r * a", 2e-3),
        ("big = true", "if big { 2 mm } else { 1 mm }", 2e-3),
        ("w = \"2 mm\"", "max(w, 1 mm) - min(w, 1 mm)", 1e-3),
        ("w = \"2 mm\"", "if w > 1 mm { w } else { 1 mm }", 2e-3),
        ("in = \"2 mm\"", "in", 2e-3),
        ("m = \"2 mm\"", "3 * m", 6e-3),
        ("", "2e-3 m", 2e-3),
        ("", "-(-2 mm)", 2e-3),
    ] {
        let got = width(variables, expression);
        assert!(
            (got / want - 1.0).abs() < 1e-14,
            "{expression}: {got} {want}"
        );
    }
    assert_eq!(width("", "100 um"), 1e-4, "a plain quantity keeps its bits");
}

#[test]
fn mistakes_have_codes_and_are_told_once() {
    for (variables, width, want) in [
        ("", "'=2 *'", "D340"),
        ("", "'=(1 mm'", "D340"),
        ("", "'=1 mm; 2 mm'", "D340"),
        ("", "'=let x = 1 mm'", "D342"),
        ("w = \"1 mm\"", "'=2 w'", "D340"),
        ("a = \"=b\"\nb = \"=a\"", "'=a'", "D341"),
        ("a = \"=a + 1 mm\"", "'=a'", "D341"),
        ("w = \"1 mm\"", "'=v'", "D342"),
        ("", "'=open(\"x\")'", "D342"),
        ("", "'=eval(\"1\")'", "D342"),
        ("w = \"1 mm\"", "'=w + 1 Pa'", "D343"),
        ("w = \"1 mm\"", "'=w + 1'", "D343"),
        ("w = \"1 mm\"", "'=w * w'", "D343"),
        ("w = \"1 mm\"", "'=sin(w)'", "D343"),
        ("w = \"1 mm\"", "'=sqrt(w)'", "D343"),
        ("p = \"1 Pa\"", "'=p'", "D008"),
        ("n = 2", "'=n'", "D007"),
        ("", "'=1 mm / 0'", "D344"),
        ("w = \"1 furlong\"", "'=w'", "D007"),
        ("w = []", "'=w'", "D006"),
        ("if = 1", "\"1 mm\"", "D011"),
        ("\"a b\" = 1", "\"1 mm\"", "D011"),
    ] {
        let codes = codes(variables, width);
        assert_eq!(codes.first(), Some(&want), "{variables} {width}: {codes:?}");
        if want != "D341" {
            assert_eq!(codes.len(), 1, "{variables} {width}: {codes:?}");
        }
    }
    assert_eq!(
        codes("a = \"=b\"\nb = \"=c\"\nc = \"=a\"", "'=a'"),
        ["D341"; 3]
    );
}

#[test]
fn settings_replace_values_and_unknown_ones_are_refused() {
    let text = text("w = \"100 um\"\nn = 2\nh = \"=w * n\"", "\"=h\"");
    let set = |settings: &[&str]| {
        let settings: Vec<Setting> = settings
            .iter()
            .map(|s| Setting::parse(s).unwrap())
            .collect();
        parse_with(&text, "x", &settings)
    };
    for (settings, want) in [
        (&["w=80um"][..], 160e-6),
        (&["n=3"], 300e-6),
        (&["n = 3", "w= =1 mm / 4"], 750e-6),
        (&["h=1 mm"], 1e-3),
    ] {
        let (design, mistakes) = set(settings);
        let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
        assert!((design.width.0 / want - 1.0).abs() < 1e-14, "{settings:?}");
        assert!(
            print(&design).contains("width = \"=h\""),
            "{}",
            print(&design)
        );
        assert_eq!(
            read(&print(&design)).width,
            design.width,
            "what was set is printed"
        );
    }
    for (settings, code) in [
        ("v=1um", "D345"),
        ("w=1 furlong", "D345"),
        ("w=1 Pa", "D008"),
    ] {
        let (design, mistakes) = set(&[settings]);
        assert!(design.is_none());
        assert_eq!(mistakes[0].code, code, "{settings}: {mistakes:?}");
    }
    assert!(Setting::parse("w").is_err() && Setting::parse("=3").is_err());
}

const ROW: &str = r#"
[components]
row = { kind = "tee", at = ["0 mm", "=w"], parameters = { width = "=w * i" }, repeat = { count = "=n", step = ["1 mm", "0 mm"] } }
chain = { kind = "pipe", attach = "a", to = "row_1.left", repeat = { count = 12, through = "b" } }
grid = { kind = "pipe", at = ["0 mm", "0 mm"], repeat = { count = [2, 3], step = ["=i * mm", "2 mm"] } }
[channels]
up = { from = "row_{i}.up", to = "row_{i + 1}.up", via = [["0 mm", "1 mm"], ["1 mm", "1 mm"]], repeat = { count = 2, step = ["1 mm", "0 mm"] } }
[ports]
out = { at = "chain_{i}.b", pressure = "=i * Pa", repeat = 12 }
"#;

#[test]
fn repeated_entries_become_copies_in_their_order() {
    let text = text("w = \"100 um\"\nn = 3", "\"=w\"") + ROW;
    let design = read(&text);
    let names: Vec<&str> = design
        .components
        .iter()
        .map(|c| c.name.value.as_str())
        .collect();
    assert_eq!(&names[..4], ["row_1", "row_2", "row_3", "chain_1"]);
    assert_eq!(
        &names[12..16],
        ["chain_10", "chain_11", "chain_12", "grid_1_1"]
    );
    assert_eq!(names.len(), 3 + 12 + 6);
    let at = |name: &str| {
        let component = design
            .components
            .iter()
            .find(|c| c.name.value == name)
            .unwrap();
        match &component.placement {
            crate::design::Placement::Absolute { at, .. } => *at,
            other => panic!("{other:?}"),
        }
    };
    assert!((at("row_3").x - 2e-3).abs() < 1e-15 && (at("row_3").y - 1e-4).abs() < 1e-18);
    assert!((at("grid_2_3").x - 2e-3).abs() < 1e-15 && (at("grid_2_3").y - 4e-3).abs() < 1e-15);
    let width = &design.components[2].parameters[0].1.value;
    assert!(matches!(width, Value::Quantity(w, _) if (w / 3e-4 - 1.0).abs() < 1e-14));
    let attached = |k: usize| match &design.components[k].placement {
        crate::design::Placement::Attached(attached) => attached.to.value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (attached(3), attached(14)),
        ("row_1.left".into(), "chain_11.b".into())
    );
    assert_eq!(design.channels[1].to.as_ref().unwrap().value, "row_3.up");
    assert!((design.channels[1].via[1].value.x - 2e-3).abs() < 1e-15);
    assert_eq!(design.ports[11].at.value, "chain_12.b");
}

#[test]
fn printing_keeps_expressions_and_repetitions() {
    let text = text("w = \"100 um\"\nn = 3", "\"=w\"") + ROW;
    let design = read(&text);
    let printed = print(&design);
    for line in ROW.lines().filter(|line| line.contains("repeat")) {
        let (name, _) = line.split_once(" =").unwrap();
        let kept = printed
            .lines()
            .find(|l| l.starts_with(&format!("{name} =")));
        let kept = kept.unwrap_or_else(|| panic!("{name} is lost in\n{printed}"));
        assert_eq!(kept, line);
    }
    let again = read(&printed);
    assert_eq!(print(&again), printed);
    assert_eq!(again.width, design.width);
    // A copy that was changed stands for itself, and so do the others then.
    let mut changed = design.clone();
    changed.components[1].kind.value = "cross".into();
    let printed = print(&changed);
    assert!(printed.contains("row_2 = { kind = \"cross\"") && printed.contains("row_3 = "));
    assert!(!printed.contains("\nrow = "), "{printed}");
    assert!(printed.contains("chain = "), "{printed}");
    let mut changed = design;
    changed.width = Metre(2e-4);
    assert!(print(&changed).contains("width = \"200 µm\""));
}

#[test]
fn edits_keep_the_expressions_of_what_they_do_not_change() {
    let text = text("w = \"100 um\" # ours", "\"=w\"")
        + "[components]\np = { kind = \"pipe\", at = [\"=2 * w\", \"0 mm\"], rotation = \"=0.5 turn\" }\n";
    let design = read(&text);
    let place = |at: f64| {
        let mut placement = design.components[0].placement.clone();
        if let crate::design::Placement::Absolute { at: point, .. } = &mut placement {
            point.y = at;
        }
        Edit::Place {
            component: "p".into(),
            placement,
        }
    };
    let moved = rewrite(&text, &[place(1e-3)]).unwrap();
    assert!(
        moved.contains("at = [\"=2 * w\", \"1 mm\"], rotation = \"=0.5 turn\""),
        "{moved}"
    );
    let set = Edit::SetVariable {
        name: "w".into(),
        value: Value::Text("=1 mm / 4".into()),
    };
    let set = rewrite(&moved, &[set]).unwrap();
    assert!(set.contains("w = \"=1 mm / 4\" # ours"), "{set}");
    assert_eq!(read(&set).width.0, 2.5e-4);
    let wide = rewrite(&text, &[Edit::SetWidth(Metre(3e-4))]).unwrap();
    assert!(wide.contains("width = \"300 µm\""), "{wide}");
}

#[test]
fn values_of_the_file_are_given_by_expressions() {
    let text = text("w = \"100 um\"", "\"200 um\"")
        + "[components]\npipe = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], depth = \"50 um\", parameters = { length = \"=10 * w\" }, repeat = { count = 2, step = [\"0 m\", \"1 mm\"] } }\n\
           [ports]\na = { at = \"pipe_1.a\", pressure = \"1 Pa\" }\n";
    let given = |keys: &[&str], source: &str| {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        let source = source.to_owned();
        rewrite(&text, &[Edit::SetExpression { keys, source }])
    };
    let wide = given(&["chip", "width"], "=3 * w").unwrap();
    assert!(wide.contains("width = \"=3 * w\""), "{wide}");
    assert_eq!(read(&wide).width.0, 3.0 * 1e-4);
    let driven = given(&["ports", "a", "pressure"], "=w * 1 kPa / 1 mm").unwrap();
    let PortCondition::Pressure(pressure) = read(&driven).ports[0].condition.value else {
        panic!("{driven}");
    };
    assert!((pressure.0 - 100.0).abs() < 1e-9);
    // Of one copy: the others keep what they had, expressions too, also where it comes to what they have.
    let deep = given(&["components", "pipe_2", "depth"], "=w / 2").unwrap();
    assert_eq!(deep.matches("\"=w / 2\"").count(), 1, "{deep}");
    assert_eq!(deep.matches("\"=10 * w\"").count(), 2, "{deep}");
    let design = read(&deep);
    let depth = |name: &str| {
        let mut all = design.components.iter();
        let component = all.find(|c| c.name.value == name).unwrap();
        component.depth.map(|depth| depth.0)
    };
    assert_eq!((depth("pipe_1"), depth("pipe_2")), (Some(5e-5), Some(5e-5)));
    let flow = given(&["ports", "a", "flow_rate"], "=w * w * 1 mm / 1 s").unwrap();
    assert!(!flow.contains("pressure ="), "one condition a port: {flow}");
    let refused = |keys: &[&str], source: &str| {
        let error = given(keys, source).unwrap_err();
        assert!(matches!(error, RewriteError::NotFound { .. }), "{error}");
    };
    refused(&["components", "none", "depth"], "=w");
    refused(&["species", "pipe", "diffusivity"], "=w");
    refused(&["chp", "width"], "=w");
    refused(&["width"], "=w");
    refused(&["chip", "width"], "100 um");
    // A plain value stands, also where it is what the expression came to.
    let plain = rewrite(&wide, &[Edit::SetWidth(read(&wide).width)]).unwrap();
    assert!(!plain.contains("=3 * w"), "{plain}");
    assert_eq!(read(&plain).width, read(&wide).width);
}

#[test]
fn repetitions_that_can_not_be_are_refused() {
    for (entry, code) in [
        (
            "{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = 0 }",
            "D346",
        ),
        (
            "{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = 2.5 }",
            "D346",
        ),
        (
            "{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = [1000, 1000] }",
            "D346",
        ),
        (
            "{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = \"=1 mm\" }",
            "D346",
        ),
        (
            "{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = { n = 2 } }",
            "D346",
        ),
        (
            "{ kind = \"pi{pe\", at = [\"0 mm\", \"0 mm\"], repeat = 2 }",
            "D346",
        ),
        (
            "{ kind = \"pi{0.5}\", at = [\"0 mm\", \"0 mm\"], repeat = 2 }",
            "D346",
        ),
        (
            "{ kind = \"pipe\", attach = \"a\", to = \"b.c\", repeat = { count = 2, step = [\"1 mm\", \"1 mm\"] } }",
            "D347",
        ),
        (
            "{ kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = { count = 2, through = \"b\" } }",
            "D347",
        ),
    ] {
        let text = text("", "\"1 mm\"") + "[components]\np = " + entry + "\n";
        let (design, mistakes) = parse(&text, "x");
        assert!(design.is_none());
        assert_eq!(mistakes[0].code, code, "{entry}: {mistakes:?}");
    }
    let taken = text("", "\"1 mm\"")
        + "[components]\np_2 = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\np = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], repeat = 2 }\n";
    assert_eq!(parse(&taken, "x").1[0].code, "D010");
}
