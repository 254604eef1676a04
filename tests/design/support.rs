//! The corpus of broken designs, and a valid one that uses everything.

use std::path::PathBuf;

use stokeslet::diagnostic::Diagnostic;

/// Everything that a design file can say.
pub const FULL: &str = r#"# The question: does the mixer mix?
format = 1
title = "Y with a \"mixer\""            # optional

[fluid]
viscosity = "0.89 mPa s" # water

[chip]
model = "shallow"
depth = "50 um"
width = "100 um"
resolution = 12

# Parts come in the order of the flow.
[components]
# the inlet
y1 = { kind = "y", at = ["0 mm", "-1.5 mm"], rotation = "90 deg", mirror = true, parameters = { angle = "60 deg" } } # turned
t1 = { kind = "tee", attach = "left", to = "y1.out", mirror = true }

# the tree
g = { kind = "gradient", at = ["3 cm", "0 mm"], parameters = { n = 3, ratio = 0.25, ends = [["left", true], [1, "2 um"]], side = "left" } }

[channels]
c1 = { from = "y1.a", to = "t1.up", via = [["1 mm", "0 mm"], ["1 mm", "2 mm"]], bend = "round", radius = "200 um", width = "80 um" }
c2 = { from = "y1.b", via = [["1 mm", "2 mm"]] }

[connections]
pairs = [
    ["y1.out", "t1.left"], # they touch
    ["g.in", "t1.right"],
]

[ports]
inlet = { at = "y1.a", flow_rate = "5 uL/min" }
side = { at = "y1.b", flow_rate = "1e-6 m^2/s" }
waste = { at = "t1.right", pressure = "-20 mbar" } # suction
drain = { at = "c2.end", traction_free = true }
"#;

/// A broken design: its file, its bytes, the codes that its first line announces.
pub struct Broken {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub expected: Vec<String>,
    pub wants_help: bool,
}

/// The corpus: each file opens with `# expect: D004 D005`, and with `help` after the codes where every diagnostic must say what to do.
pub fn corpus() -> Vec<Broken> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/broken/designs");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths.into_iter().map(read_broken).collect()
}

fn read_broken(path: PathBuf) -> Broken {
    let bytes = std::fs::read(&path).unwrap();
    let first = String::from_utf8_lossy(bytes.split(|b| *b == b'\n').next().unwrap_or_default()).into_owned();
    let words = first.trim_start_matches('\u{feff}').trim().strip_prefix("# expect:");
    let words: Vec<&str> = words
        .unwrap_or_else(|| panic!("{} doesn't say what it expects", path.display()))
        .split_whitespace()
        .collect();
    let mut expected: Vec<String> = words
        .iter()
        .filter(|word| **word != "help")
        .map(|word| (*word).to_owned())
        .collect();
    assert!(!expected.is_empty(), "{} expects nothing", path.display());
    expected.sort();
    Broken {
        wants_help: words.contains(&"help"),
        path,
        bytes,
        expected,
    }
}

/// Checks that exactly the expected codes appear (a code as often as it is listed), in places inside the text, with something to read.
pub fn check_expected(broken: &Broken, diagnostics: &[Diagnostic]) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{}: {what} in {diagnostics:#?}", broken.path.display()));
    let mut codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    if codes != broken.expected {
        return fail(&format!("expected {:?}, got {codes:?}", broken.expected));
    }
    for diagnostic in diagnostics {
        let is_inside = diagnostic
            .place
            .span
            .as_ref()
            .is_some_and(|span| span.start <= span.end && span.end <= broken.bytes.len());
        if diagnostic.message.is_empty() || !is_inside || broken.wants_help && diagnostic.help.is_none() {
            return fail("a message, a place inside the text or help is missing");
        }
    }
    Ok(())
}
