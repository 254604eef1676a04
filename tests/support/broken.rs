//! The corpus of broken designs: `tests/broken/designs/*.toml`, shared by the tests of all stages.
//!
//! Each file opens with the codes that it must give, `# expect: D004 D005`, one for each diagnostic, and with `help` after them where
//! every diagnostic must say what to do. Files that expect codes of a later stage (D1xx, D2xx) must pass the stages before it.

use std::path::PathBuf;

use stokeslet::diagnostic::Diagnostic;

/// A broken design: its file, its bytes, the codes that its first line announces.
pub struct Broken {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub expected: Vec<String>,
    pub wants_help: bool,
}

/// All of them, by name.
pub fn corpus() -> Vec<Broken> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/broken/designs");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    paths.into_iter().map(read_broken).collect()
}

fn read_broken(path: PathBuf) -> Broken {
    let bytes = std::fs::read(&path).unwrap();
    let first = String::from_utf8_lossy(bytes.split(|b| *b == b'\n').next().unwrap_or_default())
        .into_owned();
    let words = first
        .trim_start_matches('\u{feff}')
        .trim()
        .strip_prefix("# expect:");
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
    let fail = |what: &str| {
        Err(format!(
            "{}: {what} in {diagnostics:#?}",
            broken.path.display()
        ))
    };
    let mut codes: Vec<&str> = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
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
        if diagnostic.message.is_empty()
            || !is_inside
            || broken.wants_help && diagnostic.help.is_none()
        {
            return fail("a message, a place inside the text or help is missing");
        }
    }
    Ok(())
}
