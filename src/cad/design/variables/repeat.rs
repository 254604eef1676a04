//! An entry with `repeat` becomes its copies: a row or a grid of components, channels or ports.

use std::borrow::Cow;

use toml::de::{DeTable, DeValue};

use super::evaluate::{Fault, Outcome};
use super::scan::replace_words;
use super::{Repetition, Variables, codes};
use crate::design::print;
use crate::design::table::{Node, in_file_order, short};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Sections whose entries may be repeated.
const SECTIONS: [&str; 3] = ["components", "channels", "ports"];
/// Copies of all entries of a file.
const MAX_COPIES: usize = 100_000;

/// How an entry is repeated.
struct Repeat {
    /// Columns, and rows where it is a grid.
    count: (usize, Option<usize>),
    /// From copy to copy, in x and y: texts of quantities or expressions.
    step: Option<[String; 2]>,
    /// The socket that the next copy is attached to.
    through: Option<String>,
}

/// Replaces repeated entries by their copies; what is wrong is reported, and the entry is left out.
pub(in crate::design) fn expand(
    root: &mut DeTable<'_>,
    variables: &Variables,
    reporter: &mut Reporter,
) -> Vec<Repetition> {
    let mut out = Vec::new();
    let mut n_copies = 0;
    for section in SECTIONS {
        let Some(DeValue::Table(entries)) = root.get_mut(section).map(toml::Spanned::get_mut)
        else {
            continue;
        };
        let repeated: Vec<String> = in_file_order(entries)
            .into_iter()
            .filter(|(_, node)| node.get_ref().get("repeat").is_some())
            .map(|(key, _)| key.get_ref().to_string())
            .collect();
        for name in repeated {
            let Some((key, mut node)) = entries.remove_entry(name.as_str()) else {
                continue;
            };
            let source = toml_of(&node);
            let span = node.span();
            let copies = copies(&name, &mut node, variables, MAX_COPIES - n_copies);
            let copies = copies.and_then(|copies| {
                match copies
                    .iter()
                    .find(|(copy, _)| entries.contains_key(copy.as_str()))
                {
                    Some((copy, _)) => Err(Fault::new(
                        codes::DUPLICATE,
                        format!("its copy `{}` is there already", short(copy)),
                    )),
                    None => Ok(copies),
                }
            });
            match copies {
                Ok(copies) => {
                    n_copies += copies.len();
                    out.push(Repetition {
                        section: section.to_owned(),
                        name,
                        source,
                        copies: copies.iter().map(|(name, _)| name.clone()).collect(),
                        printed: Vec::new(),
                    });
                    for (name, value) in copies {
                        entries.insert(
                            toml::Spanned::new(key.span(), Cow::Owned(name)),
                            toml::Spanned::new(span.clone(), value),
                        );
                    }
                }
                Err(fault) => {
                    let message =
                        format!("`{}` can't be repeated: {}", short(&name), fault.message);
                    let mut diagnostic =
                        Diagnostic::error(fault.code, message).at(span).about(name);
                    diagnostic.help = fault.help;
                    reporter.report(diagnostic);
                }
            }
        }
    }
    out
}

fn wrong(message: impl Into<String>) -> Fault {
    Fault::new(codes::REPEAT, message.into())
        .with_help("write repeat = 5, or repeat = { count = [4, 3], step = [\"1 mm\", \"1 mm\"] }")
}

fn copies<'i>(
    name: &str,
    node: &mut Node<'i>,
    variables: &Variables,
    room: usize,
) -> Result<Vec<(String, DeValue<'i>)>, Fault> {
    let DeValue::Table(entry) = node.get_mut() else {
        return Err(wrong("it is no table"));
    };
    let repeat = match entry.remove("repeat") {
        Some(node) => read(&node, variables)?,
        None => return Err(wrong("it has no `repeat`")),
    };
    let (columns, rows) = repeat.count;
    let total = columns.saturating_mul(rows.unwrap_or(1));
    if total > room {
        return Err(wrong(format!("{total} copies are too many for one design")));
    }
    if repeat.step.is_some() && !entry.contains_key("at") && !entry.contains_key("via") {
        return Err(Fault::new(
            codes::STEP,
            "`step` moves copies that are placed with `at`".into(),
        ));
    }
    if repeat.through.is_some() && (!entry.contains_key("attach") || rows.is_some()) {
        return Err(Fault::new(
            codes::STEP,
            "`through` attaches the copies of a row to each other: the entry needs `attach`, and one count".into(),
        ));
    }
    let plain = node.get_ref().clone();
    let mut out = Vec::with_capacity(total);
    for j in 1..=rows.unwrap_or(1) {
        for i in 1..=columns {
            let mut value = plain.clone();
            let numbers = (i, rows.map(|_| j));
            set_numbers(&mut value, numbers, variables)?;
            if let (Some(step), DeValue::Table(entry)) = (&repeat.step, &mut value) {
                let times = (i - 1, if rows.is_some() { j - 1 } else { i - 1 });
                let step = step.clone().map(|step| with_numbers(&step, numbers));
                for key in ["at", "via"] {
                    if let Some(node) = entry.get_mut(key) {
                        shift(node.get_mut(), times, &step);
                    }
                }
            }
            if let (Some(through), true, DeValue::Table(entry)) =
                (&repeat.through, i > 1, &mut value)
                && let Some(to) = entry.get_mut("to")
            {
                *to.get_mut() = DeValue::String(format!("{name}_{}.{through}", i - 1).into());
            }
            let copy = match rows {
                Some(_) => format!("{name}_{i}_{j}"),
                None => format!("{name}_{i}"),
            };
            out.push((copy, value));
        }
    }
    Ok(out)
}

fn read(node: &Node<'_>, variables: &Variables) -> Result<Repeat, Fault> {
    let DeValue::Table(table) = node.get_ref() else {
        return Ok(Repeat {
            count: counts(node, variables)?,
            step: None,
            through: None,
        });
    };
    for (key, _) in table {
        if !["count", "step", "through"].contains(&key.get_ref().as_ref()) {
            return Err(wrong(format!(
                "unknown key `{}` in `repeat`",
                short(key.get_ref())
            )));
        }
    }
    let count = table
        .get("count")
        .ok_or_else(|| wrong("`repeat` has no `count`"))?;
    let step = match table.get("step").map(|node| node.get_ref()) {
        None => None,
        Some(value) => {
            let texts = value.as_array().map(|list| {
                let texts: Vec<String> = list
                    .iter()
                    .filter_map(|node| node.get_ref().as_str().map(str::to_owned))
                    .collect();
                texts
            });
            let pair = texts.and_then(|texts| <[String; 2]>::try_from(texts).ok());
            Some(pair.ok_or_else(|| wrong("`step` is not two lengths"))?)
        }
    };
    let through = match table.get("through").map(|node| node.get_ref()) {
        None => None,
        Some(DeValue::String(text)) => Some(text.to_string()),
        Some(_) => return Err(wrong("`through` is not the name of a socket")),
    };
    Ok(Repeat {
        count: counts(count, variables)?,
        step,
        through,
    })
}

fn counts(node: &Node<'_>, variables: &Variables) -> Result<(usize, Option<usize>), Fault> {
    match node.get_ref() {
        DeValue::Array(list) => match &list[..] {
            [columns, rows] => Ok((count(columns, variables)?, Some(count(rows, variables)?))),
            _ => Err(wrong("a grid has two counts")),
        },
        _ => Ok((count(node, variables)?, None)),
    }
}

fn count(node: &Node<'_>, variables: &Variables) -> Result<usize, Fault> {
    let number = match node.get_ref() {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .map(|n| n as f64),
        DeValue::String(text) => match text.strip_prefix('=') {
            Some(expression) => match variables.evaluate(expression)? {
                Some(Outcome::Amount(amount)) if amount.powers == [0; 5] => Some(amount.value),
                _ => None,
            },
            None => None,
        },
        _ => None,
    };
    let whole = number.filter(|n| n.fract() == 0.0 && (1.0..=MAX_COPIES as f64).contains(n));
    whole.map(|n| n as usize).ok_or_else(|| {
        wrong(match number {
            Some(number) => format!("{number} is no count from 1 to {MAX_COPIES}"),
            None => "its count is not a whole number".to_owned(),
        })
    })
}

/// The expression with the copy's numbers in place of `i` and `j`.
fn with_numbers(text: &str, (i, j): (usize, Option<usize>)) -> String {
    replace_words(text, &|word| match (word, j) {
        ("i", _) => Some(i.to_string()),
        ("j", Some(j)) => Some(j.to_string()),
        _ => None,
    })
}

fn set_numbers(
    value: &mut DeValue<'_>,
    numbers: (usize, Option<usize>),
    variables: &Variables,
) -> Result<(), Fault> {
    match value {
        DeValue::String(text) if text.starts_with('=') => {
            *text = Cow::Owned(with_numbers(text, numbers));
        }
        DeValue::String(text) if text.contains('{') => {
            *text = Cow::Owned(interpolate(text, numbers, variables)?);
        }
        DeValue::Array(list) => {
            for node in list.iter_mut() {
                set_numbers(node.get_mut(), numbers, variables)?;
            }
        }
        DeValue::Table(table) => {
            for (_, node) in table.iter_mut() {
                set_numbers(node.get_mut(), numbers, variables)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// `row_{i + 1}.up` to `row_3.up`.
fn interpolate(
    text: &str,
    numbers: (usize, Option<usize>),
    variables: &Variables,
) -> Result<String, Fault> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('{') {
        let (inner, after) = tail
            .split_once('}')
            .ok_or_else(|| wrong(format!("a brace isn't closed in \"{}\"", short(text))))?;
        out.push_str(before);
        match variables.evaluate(&with_numbers(inner, numbers))? {
            Some(Outcome::Amount(amount))
                if amount.powers == [0; 5]
                    && amount.value.fract() == 0.0
                    && amount.value.abs() < 1e9 =>
            {
                out.push_str(&format!("{:.0}", amount.value));
            }
            Some(Outcome::Text(text)) => out.push_str(&text),
            Some(_) => {
                return Err(wrong(format!("{{{inner}}} is no whole number")));
            }
            None => {}
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Moves a point, or each of a list of points.
fn shift(value: &mut DeValue<'_>, times: (usize, usize), step: &[String; 2]) {
    let DeValue::Array(list) = value else { return };
    let is_point = list.len() == 2 && list.iter().all(|node| node.get_ref().is_str());
    for (k, node) in list.iter_mut().enumerate() {
        match node.get_mut() {
            DeValue::String(text) if is_point => {
                let times = [times.0, times.1][k];
                if times > 0 {
                    let plain = |text: &str| text.strip_prefix('=').unwrap_or(text).to_owned();
                    *text = format!("=({}) + {times} * ({})", plain(text), plain(&step[k])).into();
                }
            }
            inner => shift(inner, times, step),
        }
    }
}

/// A value of the tree in TOML, on one line.
fn toml_of(node: &Node<'_>) -> String {
    match node.get_ref() {
        DeValue::String(text) => print::quoted(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(list) => {
            let items: Vec<String> = list.iter().map(toml_of).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) => {
            let items: Vec<String> = in_file_order(table)
                .into_iter()
                .map(|(key, node)| format!("{} = {}", print::key(key.get_ref()), toml_of(node)))
                .collect();
            format!("{{ {} }}", items.join(", "))
        }
    }
}
