//! Typed access to the keys of one TOML table; whatever is wrong is reported on the way.

mod quantities;

use std::fmt;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Spanned, codes};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, nearest};

/// A TOML value with its bytes.
pub(super) type Node<'i> = toml::Spanned<DeValue<'i>>;

/// What messages call a table: `[fluid]`, or component `y1`. Put into words only where there is a message.
#[derive(Clone, Copy)]
pub(super) enum Owner<'a> {
    /// By its words.
    Words(&'static str),
    /// By its kind and name; diagnostics are about the name.
    Named(&'static str, &'a str),
}

impl<'a> Owner<'a> {
    fn name(self) -> Option<&'a str> {
        match self {
            Self::Words(_) => None,
            Self::Named(_, name) => Some(name),
        }
    }
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Named(kind, name) => write!(f, "{kind} `{}`", short(name)),
        }
    }
}

/// One table of the file, with the keys that it may have.
pub(super) struct Table<'a, 'i> {
    entries: &'a DeTable<'i>,
    /// Where a missing key is reported.
    span: Range<usize>,
    /// For messages.
    pub what: Owner<'a>,
    /// Known keys that an unknown one was probably meant to be; not reported missing again.
    misspelt: Vec<&'static str>,
}

impl<'a, 'i> Table<'a, 'i> {
    /// Opens a table and reports the keys that aren't in `known`. `span` is where missing keys are reported.
    pub fn open(
        entries: &'a DeTable<'i>,
        span: Range<usize>,
        what: Owner<'a>,
        known: &[&'static str],
        reporter: &mut Reporter,
    ) -> Self {
        let mut table = Self {
            entries,
            span,
            what,
            misspelt: Vec::new(),
        };
        // Not in the file's order: whoever asked for the design sorts what is wrong with it.
        for (key, _) in entries {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let near =
                nearest(name, known.iter().copied()).filter(|near| !entries.contains_key(*near));
            table
                .misspelt
                .extend(known.iter().find(|known| Some(**known) == near));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    home_of(name).unwrap_or_else(|| format!("known here: {}", known.join(", ")))
                }
            };
            let message = format!("unknown key `{}` in {}", short(name), table.what);
            table.report(
                reporter,
                codes::UNKNOWN_KEY,
                message,
                key.span(),
                Some(help),
            );
        }
        table
    }

    /// Opens the value of a key as a table.
    pub fn open_node(
        node: &'a Node<'i>,
        what: Owner<'a>,
        known: &[&'static str],
        reporter: &mut Reporter,
    ) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(entries) => {
                Some(Self::open(entries, node.span(), what, known, reporter))
            }
            other => {
                let message = format!("{what} is {}, wanted a table", kind_of(other));
                let mut diagnostic = Diagnostic::error(codes::TYPE, message)
                    .at(node.span())
                    .with_help(format!(
                        "write keys in braces, such as {{ {} = ... }}",
                        known.first().unwrap_or(&"key")
                    ));
                diagnostic.place.component = what.name().map(str::to_owned);
                reporter.report(diagnostic);
                None
            }
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a Node<'i>> {
        self.entries.get(key)
    }

    /// Whether the key is there, well-formed or not.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The bytes of the table's header, name or braces.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Whether an unknown key of the table was taken for a misspelling of this one, and reported so.
    pub fn misspells(&self, key: &str) -> bool {
        self.misspelt.contains(&key)
    }

    /// Reports the key if it is missing.
    pub fn require(&self, key: &str, help: &str, reporter: &mut Reporter) {
        if !self.has(key) && !self.misspells(key) {
            let message = format!("{} has no `{key}`", self.what);
            self.report(
                reporter,
                codes::MISSING,
                message,
                self.span(),
                Some(help.to_owned()),
            );
        }
    }

    /// A text.
    pub fn text(&self, key: &str, reporter: &mut Reporter) -> Option<Spanned<String>> {
        let node = self.get(key)?;
        match node.get_ref() {
            DeValue::String(text) => Some(Spanned {
                value: text.to_string(),
                span: node.span(),
            }),
            other => {
                self.wrong_type(key, node, other, "a text in quotes", reporter);
                None
            }
        }
    }

    /// One of the choices, by its text.
    pub fn choice<T: Copy>(
        &self,
        key: &str,
        choices: &[(&str, T)],
        reporter: &mut Reporter,
    ) -> Option<T> {
        let text = self.text(key, reporter)?;
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text.value) {
            return Some(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let help = match nearest(&text.value, names.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("choices: {}", names.join(", ")),
        };
        let message = format!(
            "`{key}` of {} can't be \"{}\"",
            self.what,
            short(&text.value)
        );
        self.report(reporter, codes::CHOICE, message, text.span, Some(help));
        None
    }

    /// true or false.
    pub fn flag(&self, key: &str, reporter: &mut Reporter) -> Option<Spanned<bool>> {
        let node = self.get(key)?;
        match node.get_ref() {
            DeValue::Boolean(value) => Some(Spanned {
                value: *value,
                span: node.span(),
            }),
            other => {
                self.wrong_type(key, node, other, "true or false", reporter);
                None
            }
        }
    }

    /// A whole number.
    pub fn integer(&self, key: &str, reporter: &mut Reporter) -> Option<Spanned<i64>> {
        let node = self.get(key)?;
        let DeValue::Integer(integer) = node.get_ref() else {
            self.wrong_type(key, node, node.get_ref(), "a whole number", reporter);
            return None;
        };
        let value = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
        if value.is_none() {
            let message = format!("`{key}` of {} is too large a number", self.what);
            self.report(reporter, codes::RANGE, message, node.span(), None);
        }
        value.map(|value| Spanned {
            value,
            span: node.span(),
        })
    }

    /// A list.
    pub fn list(&self, key: &str, reporter: &mut Reporter) -> Option<&'a [Node<'i>]> {
        let node = self.get(key)?;
        match node.get_ref() {
            DeValue::Array(list) => Some(list),
            other => {
                self.wrong_type(key, node, other, "a list", reporter);
                None
            }
        }
    }

    /// Reports a value of another type than wanted.
    pub fn wrong_type(
        &self,
        key: &str,
        node: &Node<'i>,
        got: &DeValue<'_>,
        wanted: &str,
        reporter: &mut Reporter,
    ) {
        let message = format!(
            "`{key}` of {} is {}, wanted {wanted}",
            self.what,
            kind_of(got)
        );
        self.report(reporter, codes::TYPE, message, node.span(), None);
    }

    /// Reports an error about this table's owner.
    pub fn report(
        &self,
        reporter: &mut Reporter,
        code: &'static str,
        message: String,
        span: Range<usize>,
        help: Option<String>,
    ) {
        let mut diagnostic = Diagnostic::error(code, message).at(span);
        diagnostic.help = help;
        diagnostic.place.component = self.what.name().map(str::to_owned);
        reporter.report(diagnostic);
    }
}

/// Keys and values as the file has them: the parser keeps them sorted by name.
pub(super) fn in_file_order<'a, 'i>(
    entries: &'a DeTable<'i>,
) -> Vec<(&'a toml::Spanned<std::borrow::Cow<'i, str>>, &'a Node<'i>)> {
    let mut all: Vec<_> = entries.iter().collect();
    all.sort_by(|(a, _), (b, _)| file_order(a, b));
    all
}

/// As [`in_file_order`], for those who change values.
pub(super) fn in_file_order_mut<'a, 'i>(
    entries: &'a mut DeTable<'i>,
) -> Vec<(
    &'a toml::Spanned<std::borrow::Cow<'i, str>>,
    &'a mut Node<'i>,
)> {
    let mut all: Vec<_> = entries.iter_mut().collect();
    all.sort_by(|(a, _), (b, _)| file_order(a, b));
    all
}

/// By place; copies of one entry, which stand in one place, by their numbers.
fn file_order(
    a: &toml::Spanned<std::borrow::Cow<'_, str>>,
    b: &toml::Spanned<std::borrow::Cow<'_, str>>,
) -> std::cmp::Ordering {
    let numbers = |name: &str| -> Vec<u64> {
        name.split('_')
            .map(|word| word.parse().unwrap_or_default())
            .collect()
    };
    (a.span().start.cmp(&b.span().start))
        .then_with(|| numbers(a.get_ref()).cmp(&numbers(b.get_ref())))
}

/// What a value is, with its article.
pub(super) fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// At most 60 characters of what somebody wrote, for messages.
pub(super) fn short(text: &str) -> String {
    const MAX: usize = 60;
    if text.chars().count() <= MAX {
        return text.to_owned();
    }
    text.chars().take(MAX).chain(['…']).collect()
}

/// Where a key lives that is often written elsewhere.
fn home_of(key: &str) -> Option<String> {
    let section = match key {
        "viscosity" => "[fluid]",
        "model" | "depth" | "resolution" | "walls" => "[chip]",
        "pairs" => "[connections]",
        "flow_rate" | "pressure" | "traction_free" => "a port in [ports]",
        "radius" | "angle" | "length" => "`parameters = { ... }` of a component",
        _ => return None,
    };
    Some(format!("`{key}` belongs in {section}"))
}
