//! What is typed for a parameter or another value of the file, in a panel or on the canvas: text into a value or an expression, and that into a command.

use super::values::read;
use crate::command::Command;
use crate::context::ViewContext;
use stokeslet_cad::design::{Edit, Value};
use stokeslet_cad::library::ParameterKind;

/// A value of a kind; a text that begins with `=` is an expression.
///
/// # Errors
/// What is wrong and what to do about it, for people.
pub fn read_or_expression(text: &str, kind: &ParameterKind) -> Result<Value, String> {
    match text.trim() {
        text if text.starts_with('=') => Ok(Value::Text(text.to_owned())),
        text => read(text, kind),
    }
}

/// The expression that gives a parameter, with its `=`.
pub fn expression(context: &ViewContext<'_>, component: &str, parameter: &str) -> Option<String> {
    let design = context.document.shown_design()?;
    let keys = ["components", component, "parameters", parameter];
    let found = design.parametric.expression(&keys);
    found.map(|expression| expression.source.clone())
}

/// Gives the value under these keys of the file by an expression; the label is that of a command that sets it otherwise.
pub fn expressed(keys: &[&str], source: String, label: String) -> Command {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Command::Edit(label, vec![Edit::SetExpression { keys, source }])
}

/// Sets a parameter to what was typed.
pub fn assigned(component: &str, parameter: &str, value: Value) -> Command {
    let set = |value: Option<Value>| Command::SetParameter {
        component: component.to_owned(),
        parameter: parameter.to_owned(),
        value,
    };
    match value {
        // It isn't known before the file is read what an expression amounts to: nothing is routed anew for it.
        Value::Text(text) if text.starts_with('=') => Command::Edit(
            set(None).label(),
            vec![Edit::SetParameter {
                component: component.to_owned(),
                parameter: parameter.to_owned(),
                value: Some(Value::Text(text)),
            }],
        ),
        value => set(Some(value)),
    }
}
