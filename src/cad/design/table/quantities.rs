//! Keys whose values are quantities: "100 um" where a length is wanted.

use toml::de::DeValue;

use super::{Node, Table, short};
use crate::design::{Dimension, Spanned, codes};
use stokeslet_base::diagnostic::Reporter;
use stokeslet_base::units::{QuantityError, parse_quantity_as};

impl<'i> Table<'_, 'i> {
    /// A quantity in SI.
    pub fn quantity(
        &self,
        key: &str,
        wanted: Dimension,
        reporter: &mut Reporter,
    ) -> Option<Spanned<f64>> {
        self.quantity_of(self.get(key)?, key, wanted, reporter)
    }

    /// A quantity in SI that must lie in a range; `range` is for the message.
    pub fn quantity_within(
        &self,
        key: &str,
        wanted: Dimension,
        (least, greatest): (f64, f64),
        reporter: &mut Reporter,
    ) -> Option<Spanned<f64>> {
        let value = self.quantity(key, wanted, reporter)?;
        if (least..=greatest).contains(&value.value) {
            return Some(value);
        }
        let unit = wanted.si_unit();
        let message = if value.value <= 0.0 {
            format!("`{key}` of {} must be positive", self.what)
        } else {
            format!(
                "`{key}` of {} is {:e} {unit}: not the size of anything on a chip",
                self.what, value.value
            )
        };
        let help = format!(
            "between {least:e} and {greatest:e} {unit}, such as \"{}\"",
            wanted.example()
        );
        self.report(reporter, codes::RANGE, message, value.span, Some(help));
        None
    }

    /// The value of `node`, found at `key`, as a quantity in SI.
    pub fn quantity_of(
        &self,
        node: &Node<'i>,
        key: &str,
        wanted: Dimension,
        reporter: &mut Reporter,
    ) -> Option<Spanned<f64>> {
        let text = self.quantity_text(node, key, wanted, reporter)?;
        match parse_quantity_as(text, wanted) {
            Ok(value) => Some(Spanned {
                value,
                span: node.span(),
            }),
            Err(error) => {
                self.bad_quantity(key, node, &error, Some(wanted), reporter);
                None
            }
        }
    }

    /// The text of `node`, which should be a quantity; a bare number is told what it lacks.
    pub fn quantity_text<'n>(
        &self,
        node: &'n Node<'i>,
        key: &str,
        wanted: Dimension,
        reporter: &mut Reporter,
    ) -> Option<&'n str> {
        let number = match node.get_ref() {
            DeValue::String(text) => return Some(text),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            other => {
                let wanted = format!("{wanted} in quotes, such as \"{}\"", wanted.example());
                self.wrong_type(key, node, other, &wanted, reporter);
                return None;
            }
        };
        let error = QuantityError::MissingUnit {
            number: short(&number),
        };
        self.bad_quantity(key, node, &error, Some(wanted), reporter);
        None
    }

    /// Reports why `node` is no quantity.
    pub fn bad_quantity(
        &self,
        key: &str,
        node: &Node<'i>,
        error: &QuantityError,
        wanted: Option<Dimension>,
        reporter: &mut Reporter,
    ) {
        let code = match error {
            QuantityError::WrongDimension { .. } => codes::DIMENSION,
            _ => codes::QUANTITY,
        };
        let message = format!("`{key}` of {}: {error}", self.what);
        self.report(
            reporter,
            code,
            message,
            node.span(),
            Some(error.help(wanted)),
        );
    }
}
