//! Texts that begin with `=` become values, wherever they stand.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::evaluate::Fault;
use super::{Expression, Step, Variables};
use crate::design::table::{Node, in_file_order, in_file_order_mut};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Keys at the top of a file that hold no expressions, or those that are read elsewhere.
const SKIPPED: [&str; 3] = ["format", "title", "variables"];

/// What was found in a tree, in the order of the walk.
#[derive(Debug, Default)]
pub(in crate::design) struct Found {
    /// Those that have a value.
    pub expressions: Vec<Expression>,
    /// By expression in the walk: its value in TOML, if it has one.
    values: Vec<Option<String>>,
    /// Where those without a value stand: what a reader says of them is no news.
    pub failed: Vec<Range<usize>>,
}

/// Evaluates every expression of the tree; what is wrong is reported.
pub(in crate::design) fn evaluate_tree(
    root: &DeTable<'_>,
    variables: &Variables,
    reporter: &mut Reporter,
) -> Found {
    let mut walk = Walk {
        variables,
        reporter,
        path: Vec::new(),
        found: Found::default(),
    };
    for (key, node) in in_file_order(root) {
        if !SKIPPED.contains(&key.get_ref().as_ref()) {
            walk.within(Step::Key(key.get_ref().to_string()), node);
        }
    }
    walk.found
}

struct Walk<'v, 'r> {
    variables: &'v Variables,
    reporter: &'r mut Reporter,
    path: Vec<Step>,
    found: Found,
}

impl Walk<'_, '_> {
    fn within(&mut self, step: Step, node: &Node<'_>) {
        self.path.push(step);
        match node.get_ref() {
            DeValue::String(text) => {
                if let Some(expression) = text.strip_prefix('=') {
                    self.expression(text, expression, node);
                }
            }
            DeValue::Array(list) => {
                for (k, node) in list.iter().enumerate() {
                    self.within(Step::Index(k), node);
                }
            }
            DeValue::Table(table) => {
                for (key, node) in in_file_order(table) {
                    self.within(Step::Key(key.get_ref().to_string()), node);
                }
            }
            _ => {}
        }
        self.path.pop();
    }

    fn expression(&mut self, source: &str, text: &str, node: &Node<'_>) {
        let value = self.variables.evaluate(text);
        match value.and_then(|value| value.map(|value| value.to_toml()).transpose()) {
            Ok(Some(value)) => {
                self.found.expressions.push(Expression {
                    path: self.path.clone(),
                    source: source.to_owned(),
                    value: value.clone(),
                });
                self.found.values.push(Some(value));
                return;
            }
            Ok(None) => {}
            Err(fault) => self.report(fault, node),
        }
        self.found.failed.push(node.span());
        self.found.values.push(None);
    }

    fn report(&mut self, fault: Fault, node: &Node<'_>) {
        let keys = self.path.iter().map(|step| match step {
            Step::Key(key) => crate::design::table::short(key),
            Step::Index(k) => (k + 1).to_string(),
        });
        let message = format!(
            "`{}`: {}",
            keys.collect::<Vec<_>>().join("."),
            fault.message
        );
        let mut diagnostic = Diagnostic::error(fault.code, message).at(node.span());
        diagnostic.help = fault.help;
        if let [Step::Key(_), Step::Key(name), ..] = &self.path[..] {
            diagnostic.place.component = Some(name.clone());
        }
        self.reporter.report(diagnostic);
    }
}

/// Puts the values in the expressions' places; the tree is then as if somebody had written the values.
pub(in crate::design) fn put<'i>(root: &mut DeTable<'i>, found: &'i Found) {
    let mut values = found.values.iter();
    for (key, node) in in_file_order_mut(root) {
        if !SKIPPED.contains(&key.get_ref().as_ref()) {
            put_node(node, &mut values);
        }
    }
}

fn put_node<'i>(node: &mut Node<'i>, values: &mut std::slice::Iter<'i, Option<String>>) {
    match node.get_mut() {
        value @ DeValue::String(_) => {
            let is_expression = value.as_str().is_some_and(|text| text.starts_with('='));
            let new = is_expression.then(|| values.next()).flatten();
            if let Some(Some(text)) = new
                && let Ok(new) = DeValue::parse(text)
            {
                *value = new.into_inner();
            }
        }
        DeValue::Array(list) => {
            for node in list.iter_mut() {
                put_node(node, values);
            }
        }
        DeValue::Table(table) => {
            for (_, node) in in_file_order_mut(table) {
                put_node(node, values);
            }
        }
        _ => {}
    }
}
