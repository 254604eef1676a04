//! Reading JSON of unknown form: what is there, as what it is.

use serde_json::{Map, Value};

use super::graph::error;
use stokeslet_base::diagnostic::Reporter;

/// The object that a text is; D301 where it isn't JSON, D320 where it is no object.
pub(super) fn object(text: &str, out: &mut Reporter) -> Option<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(root)) => Some(root),
        Ok(_) => {
            let message = "the file is JSON, but no object".to_owned();
            out.report(error("D320", None, message, "it begins with `{`"));
            None
        }
        Err(fault) => {
            let (message, help) = if fault.is_eof() {
                (
                    format!("the file is cut short: {fault}"),
                    "copy it again, whole",
                )
            } else {
                (format!("this is not JSON: {fault}"), "")
            };
            let at = Some(format!("line {}, column {}", fault.line(), fault.column()));
            out.report(error("D301", at, message, help));
            None
        }
    }
}

/// A list of the file; reported (D320) where it is something else, none where it is missing.
pub(super) fn list<'a>(
    root: &'a Map<String, Value>,
    key: &str,
    out: &mut Reporter,
) -> Option<&'a Vec<Value>> {
    let value = root.get(key)?;
    if value.as_array().is_none() {
        let message = format!("`{key}` is no list");
        out.report(error("D320", Some(key.to_owned()), message, ""));
    }
    value.as_array()
}

/// A text or number as text.
pub(super) fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    match object.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The same of any value.
pub(super) fn text_of(value: &Value, key: &str) -> Option<String> {
    text(value.as_object()?, key)
}

/// A finite number, written as one or as text.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// A finite number of an object.
pub(super) fn number_at(value: &Value, key: &str) -> Option<f64> {
    number(value.get(key)?)
}
