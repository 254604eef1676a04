//! Every component of the library at its defaults and at the ends of its ranges, and what broken definitions do.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

use std::path::Path;

use proptest::prelude::*;
use stokeslet::design::{Spanned, Value};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::geometry::Point;
use stokeslet::geometry::outline::{first_crossing, signed_area};
use stokeslet::library::{
    Defaults, Library, ParameterKind, Realisation, describe, junction_outline, list, picture,
};
use stokeslet::shape::{Shape, Socket, SocketRef};
use stokeslet::units::Dimension;

const DEFAULTS: Defaults = Defaults {
    width: 100e-6,
    depth: None,
};

fn given(name: &str, value: Value) -> (Spanned<String>, Spanned<Value>) {
    (
        Spanned {
            value: name.to_owned(),
            span: 0..1,
        },
        Spanned { value, span: 7..9 },
    )
}

fn length(x: f64) -> Value {
    Value::Quantity(x, Dimension::Length)
}

fn geometry(realisation: &Realisation, at: SocketRef) -> Socket {
    let part = &realisation.parts[at.part];
    let socket = part.shape.sockets()[at.socket];
    Socket {
        middle: part.motion.apply(socket.middle),
        direction: part.motion.turn(socket.direction),
        width: socket.width,
    }
}

/// What must hold for anything that the library gives out.
fn check(kind: &str, realisation: &Realisation) {
    assert!(!realisation.parts.is_empty(), "{kind} has parts");
    assert!(!realisation.sockets.is_empty(), "{kind} has sockets");
    let mut names: Vec<&str> = realisation.parts.iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(
        names.len(),
        realisation.parts.len(),
        "{kind}: names of parts are unique"
    );
    for part in &realisation.parts {
        if let Shape::Polygon {
            corners, sockets, ..
        } = &part.shape
        {
            assert!(signed_area(corners) > 0.0, "{kind}: counter-clockwise");
            assert_eq!(first_crossing(corners), None, "{kind}: simple");
            assert!(
                sockets.iter().all(|&s| s < corners.len()),
                "{kind}: sockets are edges"
            );
        }
    }
    for c in &realisation.connections {
        let (a, b) = (geometry(realisation, c.a), geometry(realisation, c.b));
        let who = format!(
            "{kind}: {} and {}",
            realisation.parts[c.a.part].name, realisation.parts[c.b.part].name
        );
        assert!(
            (a.width - b.width).abs() <= 1e-9 * a.width,
            "{who} are equally wide"
        );
        assert!(
            (a.middle - b.middle).norm() <= 1e-9 * a.width,
            "{who} lie on each other"
        );
        assert!(
            (Point::unit(a.direction) + Point::unit(b.direction)).norm() <= 1e-9,
            "{who} look at each other"
        );
    }
    let mut used: Vec<SocketRef> = realisation
        .connections
        .iter()
        .flat_map(|c| [c.a, c.b])
        .collect();
    used.extend(realisation.sockets.iter().map(|(_, at)| *at));
    let all = used.len();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), all, "{kind}: every socket serves once");
}

#[test]
fn every_component_realises_with_its_defaults() {
    let library = Library::embedded();
    assert!(
        library.definitions().len() >= 20,
        "the families of the library are there"
    );
    for definition in library.definitions() {
        for width in [1e-6, 100e-6, 3.7e-3] {
            let realisation = library
                .realise(
                    &definition.name,
                    &[],
                    &Defaults {
                        width,
                        depth: Some(50e-6),
                    },
                )
                .unwrap_or_else(|faults| panic!("{} at {width} m: {faults:?}", definition.name));
            check(&definition.name, &realisation);
            for (socket, _) in &definition.socket_docs {
                let found = realisation.sockets.iter().any(|(name, _)| name == socket);
                assert!(
                    found,
                    "{}: socket {socket} is described, so it is there",
                    definition.name
                );
            }
        }
    }
}

#[test]
fn every_file_of_components_is_in_the_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("components");
    let loaded = Library::load(&folder).unwrap();
    let names = |library: &Library| {
        library
            .definitions()
            .iter()
            .map(|d| d.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(&Library::embedded()),
        names(&loaded),
        "what is embedded is what lies in the folder"
    );
}

/// The end of a range that the other parameters' defaults leave no room for is refused with a reason; anything else must work.
#[test]
fn every_component_realises_or_explains_itself_at_the_ends_of_its_ranges() {
    let library = Library::embedded();
    let (mut realised, mut refused) = (0, Vec::new());
    for definition in library.definitions() {
        for parameter in &definition.parameters {
            for value in library
                .range(&definition.name, &parameter.name, &DEFAULTS)
                .unwrap()
                .into_iter()
                .flatten()
            {
                let given_value = match (&parameter.kind, parameter.kind.dimension()) {
                    (
                        ParameterKind::Lengths
                        | ParameterKind::Angles
                        | ParameterKind::Points
                        | ParameterKind::Counts,
                        _,
                    ) => {
                        continue;
                    }
                    (_, Some(dimension)) => Value::Quantity(value, dimension),
                    (_, None) => Value::Number(value),
                };
                let who = format!("{}, {} = {value}", definition.name, parameter.name);
                match library.realise(
                    &definition.name,
                    &[given(&parameter.name, given_value)],
                    &DEFAULTS,
                ) {
                    Ok(realisation) => {
                        check(&who, &realisation);
                        realised += 1;
                    }
                    Err(faults) => refused.push((who, faults)),
                }
            }
        }
    }
    for (who, faults) in &refused {
        println!("{who}: {} {}", faults[0].code, faults[0].message);
    }
    assert!(
        realised > 8 * refused.len(),
        "{realised} ends of ranges work, {} don't",
        refused.len()
    );
}

#[test]
fn equal_channels_at_right_angles_are_bare_squares() {
    let library = Library::embedded();
    let half = DEFAULTS.width / 2.0;
    for kind in ["tee", "cross", "bend"] {
        let realisation = library.realise(kind, &[], &DEFAULTS).unwrap();
        let Shape::Polygon { corners, .. } = &realisation.parts[0].shape else {
            panic!("{kind} is an outline")
        };
        assert_eq!(corners.len(), 4, "{kind} has no stubs");
        for p in corners {
            assert!(
                (p.x.abs() - half).abs() < 1e-12 * half && (p.y.abs() - half).abs() < 1e-12 * half,
                "{kind}: {p:?}"
            );
        }
    }
}

#[test]
fn mistakes_in_parameters_have_their_codes_and_places() {
    let library = Library::embedded();
    let fault = |kind: &str, parameters: &[(Spanned<String>, Spanned<Value>)]| -> Diagnostic {
        library
            .realise(kind, parameters, &DEFAULTS)
            .unwrap_err()
            .remove(0)
    };
    let unknown = fault("pip", &[]);
    assert_eq!(unknown.code, "D101");
    assert!(
        unknown.help.unwrap().contains("`pipe`"),
        "the nearest component is suggested"
    );
    let misspelt = fault("pipe", &[given("lenght", length(1e-3))]);
    assert_eq!((misspelt.code, misspelt.place.span), ("D102", Some(0..1)));
    assert!(
        misspelt.help.unwrap().contains("`length`"),
        "the nearest parameter is suggested"
    );
    let negative = fault("pipe", &[given("length", length(-1.0))]);
    assert_eq!((negative.code, negative.place.span), ("D104", Some(7..9)));

    let angles = |list: &[f64]| {
        Value::List(
            list.iter()
                .map(|&a| Value::Quantity(a, Dimension::Angle))
                .collect(),
        )
    };
    let clockwise = [(0.0, 0.0), (0.0, 1e-3), (1e-3, 0.0)]
        .map(|(x, y)| Value::List(vec![length(x), length(y)]));
    let mistakes = [
        (
            "D103",
            "pipe",
            vec![given("length", Value::Quantity(1.0, Dimension::Pressure))],
        ),
        ("D103", "pipe", vec![given("length", Value::Number(3.0))]),
        ("D103", "pipe", vec![given("length", Value::List(vec![]))]),
        (
            "D103",
            "serpentine_square",
            vec![given("legs", Value::Number(2.5))],
        ),
        (
            "D104",
            "serpentine_square",
            vec![given("legs", Value::Number(1e6))],
        ),
        ("D105", "pipe", vec![given("length", length(f64::NAN))]),
        ("D105", "pipe", vec![given("width", length(f64::INFINITY))]),
        (
            "D106",
            "pipe",
            vec![given("length", length(1e-3)), given("length", length(1e-3))],
        ),
        ("D115", "chamber", vec![given("left", Value::Number(30.0))]),
        (
            "D115",
            "junction",
            vec![given("directions", angles(&[0.0, 0.0, 2.0]))],
        ),
        (
            "D115",
            "junction",
            vec![given("directions", angles(&[0.0]))],
        ),
        (
            "D109",
            "polygon",
            vec![
                given("points", Value::List(clockwise.to_vec())),
                given("mouths", Value::List(vec![])),
            ],
        ),
    ];
    for (code, kind, parameters) in mistakes {
        let fault = fault(kind, &parameters);
        assert_eq!(fault.code, code, "{kind} {parameters:?}: {fault:?}");
    }
}

#[test]
fn every_component_makes_a_chip_turned_and_mirrored() {
    let library = Library::embedded();
    for definition in library.definitions() {
        let name = &definition.name;
        let realisation = library.realise(name, &[], &DEFAULTS).unwrap();
        let ports: Vec<String> = realisation
            .sockets
            .iter()
            .map(|(socket, _)| {
                format!("p_{socket} = {{ at = \"c.{socket}\", pressure = \"0 Pa\" }}\n")
            })
            .collect();
        let text = format!(
            "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n[components]\n\
             c = {{ kind = \"{name}\", at = [\"3 mm\", \"-7 mm\"], rotation = \"37 deg\", mirror = true }}\n[ports]\n{}",
            ports.concat()
        );
        let (design, faults) = stokeslet::design::parse(&text, name);
        let design = design.unwrap_or_else(|| panic!("{name}: {faults:?}"));
        let (chip, faults) = stokeslet::chip::place(&design, &library);
        let errors: Vec<_> = faults
            .iter()
            .filter(|f| f.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let chip = chip.expect("a chip without errors");
        assert_eq!(
            (chip.parts.len(), chip.ports.len()),
            (realisation.parts.len(), realisation.sockets.len()),
            "{name}"
        );
    }
}

/// A library with one more definition, or what is wrong with it.
fn with_definition(text: &str) -> Result<Library, Vec<Diagnostic>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/thing.toml"), text).unwrap();
    Library::find(Some(folder.path()))
}

#[test]
fn a_users_folder_overrides_and_adds() {
    let folder = tempfile::tempdir().unwrap();
    let definition =
        "doc = \"mine\"\noutline = '[[0, 0], [width, 0, \"out\"], [width, width], [0, width]]'\n";
    std::fs::write(folder.path().join("pipe.toml"), definition).unwrap();
    std::fs::write(folder.path().join("gadget.toml"), definition).unwrap();
    let library = Library::find(Some(folder.path())).unwrap();
    assert_eq!(library.get("pipe").unwrap().doc, "mine");
    assert_eq!(library.get("gadget").unwrap().family, "own");
    assert!(library.get("tee").is_some(), "the rest is still there");
    check(
        "gadget",
        &library.realise("gadget", &[], &DEFAULTS).unwrap(),
    );
}

#[test]
fn the_example_of_the_readme_is_a_component() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("components/README.md"))
            .unwrap();
    let example = text
        .split("```toml")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let library = with_definition(example).unwrap();
    let realisation = library.realise("thing", &[], &DEFAULTS).unwrap();
    check("thing", &realisation);
    assert_eq!(realisation.sockets.len(), 2);
}

#[test]
fn broken_definitions_are_reported_when_they_are_read() {
    let parameter =
        |rest: &str| format!("doc = \"x\"\noutline = '[]'\n[parameters.a]\n{rest}\ndoc = \"a\"");
    let broken = [
        "doc = ".to_owned(),
        String::new(),
        "doc = \"x\"".to_owned(),
        "doc = \"x\"\noutline = 'let x = ;'".to_owned(),
        "doc = \"x\"\noutline = '[]'\ncompose = '1'".to_owned(),
        "doc = \"x\"\noutline = '[]'\ncolour = \"red\"".to_owned(),
        "doc = \"x\"\nparameters = 3\noutline = '[]'".to_owned(),
        parameter("type = \"lenght\"\ndefault = 1"),
        parameter("type = \"length\"\ndefault = \"3 kg\""),
        parameter("type = \"length\"\ndefault = \"3 mbar\""),
        parameter("type = \"length\""),
        parameter("type = \"length\"\ndefault = 1979-05-27"),
        parameter("type = \"choice\"\ndefault = \"b\""),
        "doc = \"x\"\noutline = '[]'\n[parameters.\"a b\"]\ntype = \"count\"\ndefault = 1\ndoc = \"a\"".to_owned(),
        "doc = \"x\"\nstrip = { shape = \"round\", sockets = [\"a\"] }".to_owned(),
        "doc = \"x\"\nstrip = { shape = \"straight\", sockets = [\"a\", \"a\"] }".to_owned(),
        "doc = \"x\"\noutline = 'eval(\"1\")'".to_owned(),
        "doc = \"x\"\noutline = 'import \"files\" as f; []'".to_owned(),
        format!("doc = \"x\"\noutline = '{}1{}'", "(".repeat(10_000), ")".repeat(10_000)),
        "[".repeat(100_000),
    ];
    for text in broken {
        let shown: String = text.chars().take(200).collect();
        let faults = with_definition(&text)
            .err()
            .unwrap_or_else(|| panic!("accepted: {shown}"));
        assert!(
            faults
                .iter()
                .all(|f| f.code == "D100" && f.message.contains("thing.toml")),
            "{shown}: {faults:?}"
        );
    }
}

#[test]
fn scripts_that_fail_or_never_end_are_stopped() {
    let scripts = [
        ("D107", "outline", "loop {}"),
        ("D107", "outline", "let a = []; loop { a.push(a); }"),
        ("D107", "outline", "let a = []; a.pad(100000000, 1); a"),
        ("D107", "outline", "let s = \"x\"; loop { s += s; }"),
        ("D107", "outline", "fn f(x) { f(x + 1) } f(0)"),
        ("D107", "outline", "1 / 0"),
        ("D115", "outline", "throw \"no\""),
        ("D107", "outline", "sleep(100); []"),
        ("D107", "outline", "nonsense(3)"),
        ("D109", "outline", "17"),
        ("D109", "outline", "[]"),
        ("D109", "outline", "[[0, 0], [1, 1], [1, 0], [0, 1]]"),
        ("D109", "outline", "[[0, 0], [0, 1], [1, 0]]"),
        ("D109", "outline", "[[0, 0], [1, 0], [0.0 / 0.0, 1]]"),
        ("D110", "outline", "[[0, 0, \"a\"], [0, 0], [1, 0], [0, 1]]"),
        ("D110", "outline", "[[0, 0, \"a\"], [1, 0, \"a\"], [0, 1]]"),
        ("D109", "compose", "1"),
        ("D107", "compose", "loop {}"),
        ("D112", "compose", "part(\"a\", \"thing\", #{})"),
        ("D101", "compose", "part(\"a\", \"pip\", #{})"),
        ("D102", "compose", "part(\"a\", \"pipe\", #{ lenght: 1.0 })"),
        (
            "D103",
            "compose",
            "part(\"a\", \"pipe\", #{ length: \"x\" })",
        ),
        (
            "D104",
            "compose",
            "part(\"a\", \"pipe\", #{ length: -1.0 })",
        ),
        (
            "D104",
            "compose",
            "try { part(\"a\", \"pipe\", #{ length: -1.0 }) } catch { part(\"b\", \"pipe\", #{}) }",
        ),
        (
            "D110",
            "compose",
            "part(\"a\", \"pipe\", #{}); part(\"a\", \"pipe\", #{})",
        ),
        (
            "D110",
            "compose",
            "part(\"a\", \"pipe\", #{}); socket(\"x\", \"a.a\"); socket(\"y\", \"a.a\")",
        ),
        (
            "D110",
            "compose",
            "part(\"a\", \"pipe\", #{}); attach(\"b\", \"pipe\", #{}, \"a\", \"a.c\")",
        ),
        (
            "D111",
            "compose",
            "part(\"a\", \"pipe\", #{}); place(\"b\", \"pipe\", #{}, 1, 1, 1); connect(\"a.a\", \"b.a\")",
        ),
        (
            "D111",
            "compose",
            "part(\"a\", \"pipe\", #{}); attach(\"b\", \"pipe\", #{ width: 2 * width }, \"a\", \"a.b\")",
        ),
        (
            "D113",
            "compose",
            "part(\"a\", \"pipe\", #{}); part(\"b\", \"pipe\", #{ length: 5 * width })",
        ),
        (
            "D114",
            "compose",
            "route(\"r\", [[0, 0], [1, 0], [0, 0]], width)",
        ),
        (
            "D108",
            "compose",
            "for k in 0..30000 { place(`p${k}`, \"pipe\", #{}, 0, k * 2 * width, 0) }",
        ),
    ];
    for (code, kind, script) in scripts {
        let library = with_definition(&format!("doc = \"x\"\n{kind} = '''{script}'''\n")).unwrap();
        let faults = library
            .realise("thing", &[], &DEFAULTS)
            .map(|_| ())
            .unwrap_err();
        assert_eq!(faults[0].code, code, "{script}: {faults:?}");
    }
}

/// Components in themselves, each through 15 calls and blocks `depth` deep.
fn nest(depth: usize) -> String {
    let (open, close) = ("if true { ".repeat(depth), " }".repeat(depth));
    let body = "if n == 0 { part(\"a\", \"thing\", #{}) } else { f(n - 1) }";
    format!("doc = \"x\"\ncompose = '''fn f(n) {{ {open}{body}{close} }} f(14)'''\n")
}

#[test]
fn nesting_as_deep_as_it_goes_fits_on_the_stack() {
    // Six levels of components, each through as many calls and brackets as the limits let pass.
    let depth = (1..40)
        .rev()
        .find(|&depth| with_definition(&nest(depth)).is_ok())
        .expect("one bracket is within the limits");
    let library = with_definition(&nest(depth)).unwrap();
    let faults = library
        .realise("thing", &[], &DEFAULTS)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(faults[0].code, "D112", "{depth} brackets: {faults:?}");
}

#[test]
fn a_component_is_described_with_units_and_suggested_when_misspelt() {
    let library = Library::embedded();
    let text = describe(&library, "pipe", &DEFAULTS).unwrap();
    for expected in [
        "Straight channel",
        "4 * width (400 ",
        "width / 100 to 1e5 * width",
        "looks to -x",
        "kind = \"pipe\"",
    ] {
        assert!(text.contains(expected), "`{expected}` is in\n{text}");
    }
    assert!(
        list(&library).lines().count() > library.definitions().len(),
        "a line for each, and the families"
    );
    let fault = describe(&library, "serpentine_squar", &DEFAULTS)
        .unwrap_err()
        .remove(0);
    assert!(fault.help.unwrap().contains("`serpentine_square`"));
}

#[test]
fn every_component_has_a_picture_with_its_sockets() {
    let library = Library::embedded();
    for definition in library.definitions() {
        let realisation = library.realise(&definition.name, &[], &DEFAULTS).unwrap();
        let drawn = picture(&definition.name, &definition.doc, &realisation);
        assert!(
            drawn.starts_with("<svg") && !drawn.contains("NaN") && !drawn.contains("inf"),
            "{}",
            definition.name
        );
        for (socket, _) in &realisation.sockets {
            assert!(
                drawn.contains(&format!("\n{socket}\n")),
                "{}: `{socket}` is named in\n{drawn}",
                definition.name
            );
        }
    }
}

proptest! {
    /// Whatever channels meet, the outline is a simple polygon with every socket across its channel, or there is a reason.
    #[test]
    fn junctions_of_any_fan_are_sound(fan in prop::collection::vec((-7.0..7.0f64, 0.2..5.0f64), 2..9)) {
        if let Ok(outline) = junction_outline(&fan) {
            prop_assert!(signed_area(&outline.corners) > 0.0);
            prop_assert_eq!(first_crossing(&outline.corners), None);
            for (k, &(direction, width)) in fan.iter().enumerate() {
                let n = outline.corners.len();
                let (a, b) = (outline.corners[outline.sockets[k]], outline.corners[(outline.sockets[k] + 1) % n]);
                let d = Point::unit(direction);
                prop_assert!(((b - a) - d.left() * width).norm() < 1e-9 * width);
                prop_assert!(((a + b) * 0.5 - d * outline.reaches[k]).norm() < 1e-9 * outline.reaches[k].max(width));
            }
        }
    }

    /// No script text can crash the program, whatever it says.
    #[test]
    fn definitions_of_any_text_are_read_or_refused(script in ".{0,60}") {
        if let Ok(library) = with_definition(&format!("doc = \"x\"\noutline = '''{script}'''\n")) {
            let _ = library.realise("thing", &[], &DEFAULTS);
        }
    }
}
