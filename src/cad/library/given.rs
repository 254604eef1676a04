//! A key for what a design says of a component: equal words, equal realisation.

use super::Defaults;
use crate::design::{Spanned, Value};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};

/// All that a realisation depends on as the design has it, floats by their bits. Places in the text are left out.
pub(super) fn given_key(
    kind: &str,
    given: &[(Spanned<String>, Spanned<Value>)],
    defaults: &Defaults,
) -> Fingerprint {
    // A depth that is there has a word more: lengths are part of the key.
    let mut key = Hasher::new(Domain::GivenComponent)
        .text(kind)
        .word(defaults.width.to_bits());
    key = key.word(u64::from(defaults.depth.is_some()));
    key = defaults
        .depth
        .map_or(key, |depth| key.word(depth.to_bits()));
    for (name, given) in given {
        key = value(key.text(&name.value), &given.value);
    }
    key.finish()
}

fn value(key: Hasher, given: &Value) -> Hasher {
    match given {
        Value::Quantity(x, dimension) => key.word(0).word(*dimension as u64).word(x.to_bits()),
        Value::Number(x) => key.word(1).word(x.to_bits()),
        Value::Bool(is_true) => key.word(2).word(u64::from(*is_true)),
        Value::Text(chars) => key.word(3).text(chars),
        Value::List(items) => items
            .iter()
            .fold(key.word(4).word(items.len() as u64), value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::units::Dimension;

    fn key(kind: &str, given: &[(&str, Value)], depth: Option<f64>) -> Fingerprint {
        let given: Vec<_> = given
            .iter()
            .enumerate()
            .map(|(k, (name, value))| {
                let name = Spanned {
                    value: (*name).to_owned(),
                    span: k..k + 1,
                };
                let value = Spanned {
                    value: value.clone(),
                    span: k..k + 2,
                };
                (name, value)
            })
            .collect();
        given_key(kind, &given, &Defaults { width: 1e-4, depth })
    }

    #[test]
    fn whatever_changes_a_component_changes_its_key() {
        let list = |items: &[f64]| Value::List(items.iter().map(|&x| Value::Number(x)).collect());
        let keys = [
            key("tee", &[], None),
            key("tees", &[], None),
            key("tee", &[], Some(0.0)),
            key("tee", &[], Some(-0.0)),
            key("tee", &[("a", Value::Number(0.0))], None),
            key("tee", &[("a", Value::Number(-0.0))], None),
            key("tee", &[("b", Value::Number(0.0))], None),
            key(
                "tee",
                &[("a", Value::Quantity(0.0, Dimension::Length))],
                None,
            ),
            key(
                "tee",
                &[("a", Value::Quantity(0.0, Dimension::Angle))],
                None,
            ),
            key("tee", &[("a", Value::Bool(false))], None),
            key("tee", &[("a", Value::Text(String::new()))], None),
            key("tee", &[("a", list(&[]))], None),
            key(
                "tee",
                &[("a", Value::List(vec![list(&[1.0]), list(&[])]))],
                None,
            ),
            key(
                "tee",
                &[("a", Value::List(vec![list(&[]), list(&[1.0])]))],
                None,
            ),
        ];
        for (k, one) in keys.iter().enumerate() {
            assert!(!keys[k + 1..].contains(one), "key {k} stands for two");
        }
        assert_eq!(
            key("tee", &[("a", list(&[1.0]))], None),
            key("tee", &[("a", list(&[1.0]))], None)
        );
    }
}
