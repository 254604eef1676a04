//! Expressions go back to where they stood, if the value there is still what they amount to.

use toml_edit::{DocumentMut, Item, Value};

use super::{Expression, Step};
use stokeslet_base::units::parse_any_quantity;

/// Puts the expressions back into a document that has values in their places; those whose value changed stay values.
pub(in crate::design) fn restore(document: &mut DocumentMut, expressions: &[Expression]) {
    for expression in expressions {
        let Ok(wanted) = expression.value.parse::<Value>() else {
            continue;
        };
        in_item(document.as_item_mut(), &expression.path, &mut |value| {
            if are_equal(value, &wanted) {
                let decor = value.decor().clone();
                *value = Value::from(expression.source.as_str());
                *value.decor_mut() = decor;
            }
        });
    }
}

fn are_equal(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Integer(n) => Some(*n.value() as f64),
        Value::Float(x) => Some(*x.value()),
        _ => None,
    };
    match (a, b) {
        (Value::String(a), Value::String(b)) => {
            a.value() == b.value()
                || matches!((parse_any_quantity(a.value()), parse_any_quantity(b.value())), (Ok(a), Ok(b)) if a == b)
        }
        (Value::Boolean(a), Value::Boolean(b)) => a.value() == b.value(),
        _ => matches!((number(a), number(b)), (Some(a), Some(b)) if a == b),
    }
}

fn in_item(item: &mut Item, path: &[Step], work: &mut dyn FnMut(&mut Value)) {
    match path.split_first() {
        None => {
            if let Some(value) = item.as_value_mut() {
                work(value);
            }
        }
        Some((Step::Key(key), rest)) => {
            let next = item
                .as_table_like_mut()
                .and_then(|table| table.get_mut(key));
            if let Some(next) = next {
                in_item(next, rest, work);
            }
        }
        Some((Step::Index(k), rest)) => {
            if let Some(next) = item.as_array_mut().and_then(|list| list.get_mut(*k)) {
                in_value(next, rest, work);
            }
        }
    }
}

fn in_value(value: &mut Value, path: &[Step], work: &mut dyn FnMut(&mut Value)) {
    let next = match path.split_first() {
        None => return work(value),
        Some((Step::Key(key), rest)) => {
            let table = value.as_inline_table_mut();
            table
                .and_then(|table| table.get_mut(key))
                .map(|next| (next, rest))
        }
        Some((Step::Index(k), rest)) => {
            let list = value.as_array_mut();
            list.and_then(|list| list.get_mut(*k))
                .map(|next| (next, rest))
        }
    };
    if let Some((next, rest)) = next {
        in_value(next, rest, work);
    }
}
