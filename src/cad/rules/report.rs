//! Violations as tables, JSON, and KLayout's report database.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::json;

use super::{Process, Violation};
use stokeslet_base::diagnostic::Severity;

/// A row a violation; lengths in m.
pub fn csv(process: &Process, violations: &[Violation]) -> String {
    let mut out = String::from(
        "rule,severity,value,limit,x [m],y [m],x_min [m],y_min [m],x_max [m],y_max [m],parts,source\n",
    );
    for v in violations {
        let rule = &process.rules[v.rule];
        // Writing into a String can't fail.
        let _ = writeln!(
            out,
            "{},{},{:e},{:e},{:e},{:e},{:e},{:e},{:e},{:e},{},{}",
            v.kind.name(),
            v.severity,
            v.value,
            v.limit,
            v.at.x,
            v.at.y,
            v.bounds.0.x,
            v.bounds.0.y,
            v.bounds.1.x,
            v.bounds.1.y,
            quoted(&v.parts.join(" ")),
            quoted(&rule.source)
        );
    }
    out
}

fn quoted(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('"', "\"\"").replace(['\n', '\r'], " ")
    )
}

/// The process and its violations; lengths in m.
pub fn json(process: &Process, violations: &[Violation]) -> String {
    let list: Vec<_> = violations
        .iter()
        .map(|v| {
            json!({
                "rule": v.kind.name(),
                "severity": v.severity.to_string(),
                "value": v.value,
                "limit": v.limit,
                "at": [v.at.x, v.at.y],
                "box": [v.bounds.0.x, v.bounds.0.y, v.bounds.1.x, v.bounds.1.y],
                "parts": v.parts,
                "source": process.rules[v.rule].source,
            })
        })
        .collect();
    let mut text = format!(
        "{:#}",
        json!({ "process": process.name, "violations": list })
    );
    text.push('\n');
    text
}

/// KLayout's report database (Tools > Marker Browser opens it), in micrometres.
///
/// # Source
/// The format as `klayout.db.ReportDatabase.save` of KLayout 0.30 writes it.
pub fn lyrdb(process: &Process, violations: &[Violation], cell: &str) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<report-database>\n");
    let _ = writeln!(
        out,
        " <description>{}</description>",
        escaped(&process.name)
    );
    out.push_str(" <original-file/>\n <generator>stokeslet check</generator>\n");
    let _ = writeln!(
        out,
        " <top-cell>{}</top-cell>\n <tags/>\n <categories>",
        escaped(cell)
    );
    let categories: BTreeSet<usize> = violations.iter().map(|v| v.rule).collect();
    for &k in &categories {
        let rule = &process.rules[k];
        let what = match rule.severity {
            Severity::Error => "",
            Severity::Warning => "warning: ",
        };
        let _ = writeln!(
            out,
            "  <category>\n   <name>{}</name>\n   <description>{what}{} {}; {}</description>\n   <categories/>\n  </category>",
            category(process, k),
            rule.kind.name(),
            escaped(&rule.value),
            escaped(&rule.source)
        );
    }
    let _ = writeln!(
        out,
        " </categories>\n <cells>\n  <cell>\n   <name>{}</name>\n   <variant/>\n   <layout-name/>\n   <references/>\n  </cell>\n </cells>\n <items>",
        escaped(cell)
    );
    for v in violations {
        let um = |x: f64| x * 1e6;
        let value = match v.segment {
            Some((a, b)) => format!(
                "edge: ({:.6},{:.6};{:.6},{:.6})",
                um(a.x),
                um(a.y),
                um(b.x),
                um(b.y)
            ),
            None => format!(
                "box: ({:.6},{:.6};{:.6},{:.6})",
                um(v.bounds.0.x),
                um(v.bounds.0.y),
                um(v.bounds.1.x),
                um(v.bounds.1.y)
            ),
        };
        let _ = writeln!(
            out,
            "  <item>\n   <tags/>\n   <category>'{}'</category>\n   <cell>{}</cell>\n   <visited>false</visited>\n   <multiplicity>1</multiplicity>\n   <comment>{}</comment>\n   <image/>\n   <values>\n    <value>{value}</value>\n   </values>\n  </item>",
            category(process, v.rule),
            escaped(cell),
            escaped(&v.describe())
        );
    }
    out.push_str(" </items>\n</report-database>\n");
    out
}

/// Rules of one kind are told apart by their number.
fn category(process: &Process, k: usize) -> String {
    let kind = process.rules[k].kind;
    let same = process
        .rules
        .iter()
        .filter(|rule| rule.kind == kind)
        .count();
    if same == 1 {
        kind.name().to_owned()
    } else {
        format!("{}_{}", kind.name(), k + 1)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
