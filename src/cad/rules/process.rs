//! Process files.

use crate::library::length_in_depth;
use stokeslet_base::diagnostic::{Diagnostic, Severity, nearest};
use stokeslet_base::units::Dimension;

/// Most rules of one process.
const MAX_RULES: usize = 1000;

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleKind {
    /// Least distance of two walls of a channel.
    MinWidth,
    /// Least distance of two walls with no channel between.
    MinGap,
    /// Least radius of a centre line.
    MinRadius,
    /// Least radius of a corner of the channel, seen from inside.
    InnerRadius,
    /// Least height over width.
    AspectMin,
    /// Greatest height over width.
    AspectMax,
    /// Greatest diameter of a circle inside.
    MaxSpan,
    /// Least distance of two ports.
    PortSpacing,
    /// Least depth.
    DepthMin,
    /// Greatest depth.
    DepthMax,
}

impl RuleKind {
    /// All, with the names of process files and words for messages.
    const ALL: [(RuleKind, &'static str, &'static str); 10] = [
        (RuleKind::MinWidth, "min_width", "the width"),
        (RuleKind::MinGap, "min_gap", "the gap"),
        (
            RuleKind::MinRadius,
            "min_radius",
            "the radius of the centre line",
        ),
        (
            RuleKind::InnerRadius,
            "inner_radius",
            "the radius of an inner corner",
        ),
        (RuleKind::AspectMin, "aspect_min", "height over width"),
        (RuleKind::AspectMax, "aspect_max", "height over width"),
        (RuleKind::MaxSpan, "max_span", "the span"),
        (
            RuleKind::PortSpacing,
            "port_spacing",
            "the distance of the ports",
        ),
        (RuleKind::DepthMin, "depth_min", "the depth"),
        (RuleKind::DepthMax, "depth_max", "the depth"),
    ];

    fn row(self) -> (RuleKind, &'static str, &'static str) {
        Self::ALL
            .into_iter()
            .find(|row| row.0 == self)
            .unwrap_or(Self::ALL[0])
    }

    /// As process files call it.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// As messages call what is measured.
    pub fn words(self) -> &'static str {
        self.row().2
    }

    /// Dimension of its value; `None` for ratios.
    pub fn dimension(self) -> Option<Dimension> {
        let is_ratio = matches!(self, RuleKind::AspectMin | RuleKind::AspectMax);
        (!is_ratio).then_some(Dimension::Length)
    }

    /// Whether the limit is a least value.
    pub fn is_least(self) -> bool {
        !matches!(
            self,
            RuleKind::AspectMax | RuleKind::MaxSpan | RuleKind::DepthMax
        )
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it looks at.
    pub kind: RuleKind,
    /// As the file says it: a quantity, a number, or an expression in `depth`.
    pub value: String,
    /// How bad it is to break it.
    pub severity: Severity,
    /// Who says so.
    pub source: String,
}

impl Rule {
    /// Its limit in m, or the ratio.
    ///
    /// # Errors
    /// D337: no length or number, or `depth` in it and a chip without.
    pub fn limit(&self, depth: Option<f64>) -> Result<f64, Diagnostic> {
        let value = length_in_depth(&self.value, depth).map_err(|why| {
            let message = format!(
                "`{}` of rule {} can't be had: {why}",
                self.value,
                self.kind.name()
            );
            Diagnostic::error("D337", message)
        })?;
        if value.is_finite() && value > 0.0 {
            return Ok(value);
        }
        let message = format!("`{}` of rule {} is {value}", self.value, self.kind.name());
        Err(Diagnostic::error("D337", message).with_help("limits are positive"))
    }
}

/// A process with its rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// For people.
    pub name: String,
    /// In the file's order.
    pub rules: Vec<Rule>,
}

/// Reads a process file.
///
/// # Errors
/// D335, D336: everything that is wrong with it.
pub fn read_process(text: &str) -> Result<Process, Vec<Diagnostic>> {
    let root: toml::Table = toml::from_str(text).map_err(|fault| {
        let diagnostic =
            Diagnostic::error("D335", format!("this is not TOML: {}", fault.message()));
        vec![match fault.span() {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        }]
    })?;
    let mut faults = Vec::new();
    for key in root
        .keys()
        .filter(|key| !["format", "name", "rule"].contains(&key.as_str()))
    {
        faults.push(Diagnostic::error(
            "D335",
            format!("unknown key `{key}` of the process"),
        ));
    }
    if root.get("format").and_then(toml::Value::as_integer) != Some(1) {
        let help = "this program reads `format = 1`";
        faults
            .push(Diagnostic::error("D335", "the process doesn't say its format").with_help(help));
    }
    let name = root.get("name").and_then(toml::Value::as_str);
    let rules = root.get("rule").and_then(toml::Value::as_array);
    if rules.is_none_or(|rules| rules.is_empty() || rules.len() > MAX_RULES) {
        let help = format!("write [[rule]] sections, at most {MAX_RULES}");
        faults.push(
            Diagnostic::error("D335", "the process has no rules, or too many").with_help(help),
        );
    }
    let mut found = Vec::new();
    for (k, rule) in rules.into_iter().flatten().take(MAX_RULES).enumerate() {
        match read_rule(rule, k + 1) {
            Ok(rule) => found.push(rule),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Process {
        name: name.unwrap_or("process").to_owned(),
        rules: found,
    })
}

fn read_rule(rule: &toml::Value, number: usize) -> Result<Rule, Diagnostic> {
    let text = |key: &str| match rule.get(key) {
        Some(toml::Value::String(text)) => Some(text.clone()),
        Some(toml::Value::Integer(value)) => Some(value.to_string()),
        Some(toml::Value::Float(value)) => Some(value.to_string()),
        _ => None,
    };
    let missing = |key: &str, help: &str| {
        Diagnostic::error("D336", format!("rule {number} has no `{key}`")).with_help(help)
    };
    let known = ["kind", "layer", "value", "severity", "source"];
    let keys = rule.as_table().into_iter().flat_map(|table| table.keys());
    if let Some(key) = keys.into_iter().find(|key| !known.contains(&key.as_str())) {
        return Err(Diagnostic::error(
            "D336",
            format!("rule {number} has an unknown key `{key}`"),
        ));
    }
    let names = || RuleKind::ALL.iter().map(|row| row.1);
    let kind = text("kind").ok_or_else(|| missing("kind", "such as \"min_width\""))?;
    let Some(&(kind, ..)) = RuleKind::ALL.iter().find(|row| row.1 == kind) else {
        let near = nearest(&kind, names()).map(|near| format!("did you mean `{near}`? "));
        let help = format!(
            "{}kinds are {}",
            near.unwrap_or_default(),
            names().collect::<Vec<_>>().join(", ")
        );
        let message = format!("rule {number} is of an unknown kind `{kind}`");
        return Err(Diagnostic::error("D336", message).with_help(help));
    };
    let severity = match text("severity").as_deref() {
        None | Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some(other) => {
            let message = format!("rule {number} has severity `{other}`");
            return Err(Diagnostic::error("D336", message).with_help("\"error\" or \"warning\""));
        }
    };
    Ok(Rule {
        kind,
        severity,
        value: text("value").ok_or_else(|| missing("value", "such as \"20 um\""))?,
        source: text("source").ok_or_else(|| missing("source", "say who says so"))?,
    })
}
