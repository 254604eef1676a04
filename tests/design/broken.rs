//! Broken designs are reported by the codes that they announce, and never stop the program.

use stokeslet::design::parse;
use stokeslet::diagnostic::render;

use crate::corpus::{check_expected, corpus};

/// Codes of reading; files that expect others are broken at a later stage and must read well.
fn is_of_reading(code: &str) -> bool {
    code.starts_with("D0")
}

#[test]
fn every_broken_file_gives_exactly_the_diagnostics_that_it_announces() {
    let corpus = corpus();
    let mut n_read = 0;
    let mut failures = Vec::new();
    for broken in &corpus {
        let (design, diagnostics) = parse(&broken.bytes, "broken");
        if broken.expected.iter().all(|code| is_of_reading(code)) {
            assert!(design.is_none(), "{}", broken.path.display());
            failures.extend(check_expected(broken, &diagnostics).err());
            n_read += 1;
        } else {
            assert!(
                design.is_some(),
                "{}: {diagnostics:#?}",
                broken.path.display()
            );
        }
        let drawn = render(
            &diagnostics,
            "broken.toml",
            &String::from_utf8_lossy(&broken.bytes),
        );
        assert!(
            diagnostics
                .iter()
                .all(|diagnostic| drawn.contains(diagnostic.code)),
            "{drawn}"
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n_read >= 30, "only {n_read} files in the corpus");
}

#[test]
fn bytes_that_are_not_utf8_are_reported_with_their_place() {
    for (what, bytes, span, says) in [
        (
            "latin-1 micro sign",
            &b"format = 1\nwidth = \"5 \xb5m\"\n"[..],
            22..23,
            "0xb5 in line 2",
        ),
        ("utf-16 with a mark", b"\xff\xfef\0o\0", 0..1, "UTF-16"),
        ("cut inside a character", b"# \xc2", 2..3, "0xc2 in line 1"),
        (
            "a compiled file",
            b"\x7fELF\x02\x01\x01\0\0\xff",
            9..10,
            "0xff",
        ),
    ] {
        let (design, diagnostics) = parse(bytes, "broken");
        assert!(design.is_none(), "{what}");
        assert_eq!(diagnostics.len(), 1, "{what}");
        assert_eq!(
            (diagnostics[0].code, &diagnostics[0].place.span),
            ("D001", &Some(span)),
            "{what}"
        );
        assert!(
            diagnostics[0].message.contains(says),
            "{what}: {}",
            diagnostics[0].message
        );
        render(&diagnostics, "broken.toml", &String::from_utf8_lossy(bytes));
    }
}

#[test]
fn huge_and_deep_files_are_refused_in_good_time() {
    let deep = format!("format = 1\nx = {}", "[".repeat(100_000));
    let tables = format!("format = 1\n{}", "a.".repeat(50_000) + "b = 1\n");
    let garbage = "]{,\n".repeat(20_000);
    for text in [deep, tables, garbage] {
        let (design, diagnostics) = parse(&text, "broken");
        assert!(design.is_none() && !diagnostics.is_empty());
        assert!(
            diagnostics.len() < 100,
            "{} diagnostics drown the user",
            diagnostics.len()
        );
    }
    let (_, diagnostics) = parse(vec![b'#'; (64 << 20) + 1], "broken");
    assert_eq!(diagnostics[0].code, "D015");
}
