//! The section `[variables]`, and what settings from outside make of it.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::amount::Amount;
use super::evaluate::{Fault, Given, Outcome, evaluate, evaluate_all};
use super::{Setting, Variable, codes};
use crate::design::table::{Node, in_file_order, kind_of, short};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, nearest};
use stokeslet_base::units::parse_any_quantity;

/// More variables than this are no design's.
const MAX_VARIABLES: usize = 1000;
/// Names that mean something else in expressions.
const TAKEN: [&str; 5] = ["if", "else", "true", "false", "pi"];

/// The variables of a file with their values.
#[derive(Debug, Default)]
pub(in crate::design) struct Variables {
    values: BTreeMap<String, Outcome>,
    /// What expressions may name, though its value is wrong: that was told.
    broken: Vec<String>,
    /// In the file's order.
    pub listed: Vec<Variable>,
}

impl Variables {
    /// Reads the section, puts the settings in its place, and evaluates.
    pub fn read(root: &DeTable<'_>, settings: &[Setting], reporter: &mut Reporter) -> Self {
        let mut given = BTreeMap::new();
        let mut sources: Vec<(String, String)> = Vec::new();
        let mut spans = BTreeMap::new();
        let mut broken = Vec::new();
        for (name, node) in section(root, reporter) {
            spans.insert(name.clone(), node.span());
            if let Some(fault) = bad_name(&name) {
                reporter.report(diagnostic(fault, &name).at(node.span()));
                continue;
            }
            match read_node(node) {
                Ok(one) => {
                    sources.push((name.clone(), source(node)));
                    given.insert(name, one);
                }
                Err(fault) => {
                    reporter.report(diagnostic(fault, &name).at(node.span()));
                    broken.push(name);
                }
            }
        }
        for setting in settings {
            let Some((_, old)) = sources.iter_mut().find(|(name, _)| *name == setting.name) else {
                if !broken.contains(&setting.name) {
                    reporter.report(unknown_setting(setting, &sources));
                }
                continue;
            };
            match read_text(&setting.value, Origin::CommandLine) {
                Ok(one) => {
                    *old = setting_source(&setting.value, &one);
                    spans.remove(&setting.name);
                    given.insert(setting.name.clone(), one);
                }
                Err(fault) => {
                    let fault = Fault {
                        code: codes::SETTING,
                        ..fault
                    };
                    reporter.report(diagnostic(fault, &setting.name));
                }
            }
        }
        let (values, faults) = evaluate_all(&given);
        for (name, fault) in faults {
            let mut diagnostic = diagnostic(fault, &name);
            if let Some(span) = spans.get(&name) {
                diagnostic = diagnostic.at(span.clone());
            }
            reporter.report(diagnostic);
        }
        broken.extend(
            given
                .keys()
                .filter(|name| !values.contains_key(*name))
                .cloned(),
        );
        let listed = sources
            .into_iter()
            .map(|(name, source)| Variable {
                value: values.get(&name).and_then(Outcome::to_value),
                name,
                source,
            })
            .collect();
        Self {
            values,
            broken,
            listed,
        }
    }

    /// The value of an expression without its `=`; nothing where it needs a variable that is wrong itself, which was told.
    pub(super) fn evaluate(&self, text: &str) -> Result<Option<Outcome>, Fault> {
        let is_doomed = !self.broken.is_empty()
            && super::scan::scan(text, &|name| {
                self.values.contains_key(name) || self.broken.iter().any(|b| b == name)
            })
            .is_ok_and(|scanned| scanned.uses.iter().any(|used| self.broken.contains(used)));
        if is_doomed {
            return Ok(None);
        }
        evaluate(text, &self.values).map(Some)
    }
}

/// The diagnostic of a fault of a variable.
fn diagnostic(fault: Fault, name: &str) -> Diagnostic {
    let message = format!("variable `{}`: {}", short(name), fault.message);
    let mut diagnostic = Diagnostic::error(fault.code, message);
    diagnostic.help = fault.help;
    diagnostic
}

fn section<'a, 'i>(root: &'a DeTable<'i>, reporter: &mut Reporter) -> Vec<(String, &'a Node<'i>)> {
    let Some(node) = root.get("variables") else {
        return Vec::new();
    };
    let Some(entries) = node.get_ref().as_table() else {
        let message = format!(
            "`variables` is {}, wanted a section",
            kind_of(node.get_ref())
        );
        reporter.report(
            Diagnostic::error(codes::TYPE, message)
                .at(node.span())
                .with_help("open it with [variables] and write `w = \"100 um\"` lines below"),
        );
        return Vec::new();
    };
    if entries.len() > MAX_VARIABLES {
        let message = format!("more than {MAX_VARIABLES} variables");
        reporter.report(Diagnostic::error(codes::TOO_LARGE, message).at(node.span()));
        return Vec::new();
    }
    let entries = in_file_order(entries).into_iter();
    entries
        .map(|(key, node)| (key.get_ref().to_string(), node))
        .collect()
}

fn bad_name(name: &str) -> Option<Fault> {
    let is_word = name.len() <= 100
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word && !TAKEN.contains(&name) {
        return None;
    }
    let fault = Fault::new(codes::NAME, "that is no name for a variable".to_owned());
    Some(fault.with_help("names of variables begin with a letter and have letters, digits and `_`"))
}

/// Where a text comes from: what looks like a number without a unit is one on the command line only.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    File,
    CommandLine,
}

fn read_node(node: &Node<'_>) -> Result<Given, Fault> {
    let number = |text: &str, radix: u32| {
        let value = match radix {
            10 => text.parse().ok(),
            radix => i64::from_str_radix(text, radix).ok().map(|n| n as f64),
        };
        let value = value.filter(|value: &f64| value.is_finite());
        value
            .map(|value| Given::Value(Outcome::Amount(Amount::number(value))))
            .ok_or_else(|| Fault::new(codes::VALUE, "not a finite number".to_owned()))
    };
    match node.get_ref() {
        DeValue::String(text) => read_text(text, Origin::File),
        DeValue::Integer(integer) => number(integer.as_str(), integer.radix()),
        DeValue::Float(float) => number(float.as_str(), 10),
        DeValue::Boolean(flag) => Ok(Given::Value(Outcome::Bool(*flag))),
        other => {
            let message = format!(
                "it is {}, wanted a quantity, a number or a text",
                kind_of(other)
            );
            Err(Fault::new(codes::TYPE, message))
        }
    }
}

fn read_text(text: &str, origin: Origin) -> Result<Given, Fault> {
    if let Some(expression) = text.strip_prefix('=') {
        return Ok(Given::Expression(expression.to_owned()));
    }
    if origin == Origin::CommandLine {
        if let Some(value) = text.parse().ok().filter(|value: &f64| value.is_finite()) {
            return Ok(Given::Value(Outcome::Amount(Amount::number(value))));
        }
        if let Ok(flag) = text.parse() {
            return Ok(Given::Value(Outcome::Bool(flag)));
        }
    }
    match parse_any_quantity(text) {
        Ok((value, powers)) => Ok(Given::Value(Outcome::Amount(Amount { value, powers }))),
        Err(error) => {
            let start = text.trim_start().trim_start_matches(['+', '-', '.']);
            if start.starts_with(|c: char| c.is_ascii_digit()) {
                let fault = Fault::new(codes::QUANTITY, error.to_string());
                return Err(fault.with_help(error.help(None)));
            }
            Ok(Given::Value(Outcome::Text(text.to_owned())))
        }
    }
}

/// A node in TOML, as far as variables can be written.
fn source(node: &Node<'_>) -> String {
    match node.get_ref() {
        DeValue::String(text) => crate::design::print::quoted(text),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        _ => String::new(),
    }
}

fn setting_source(text: &str, given: &Given) -> String {
    match given {
        Given::Value(Outcome::Amount(amount)) if amount.powers == [0; 5] => {
            crate::design::print::value(&crate::design::Value::Number(amount.value))
        }
        Given::Value(Outcome::Bool(flag)) => flag.to_string(),
        _ => crate::design::print::quoted(text),
    }
}

fn unknown_setting(setting: &Setting, sources: &[(String, String)]) -> Diagnostic {
    let message = format!(
        "the design has no variable `{}` to set",
        short(&setting.name)
    );
    let diagnostic = Diagnostic::error(codes::SETTING, message);
    let names = || sources.iter().map(|(name, _)| name.as_str());
    match nearest(&setting.name, names()) {
        Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
        None if sources.is_empty() => {
            diagnostic.with_help("it has none: add a section [variables]")
        }
        None => {
            let names: Vec<&str> = names().take(20).collect();
            diagnostic.with_help(format!("it has {}", names.join(", ")))
        }
    }
}
