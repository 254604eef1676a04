//! `[variables]`, expressions such as `"=2 * w + 20 um"`, and repeated entries: resolved in the tree of the file, before any section is read.
//!
//! ```text
//! tree --repeat: one entry becomes copies--> tree --evaluate: "=..." becomes a value--> plain tree, as if somebody had written the numbers
//! ```
//! Every reader of a section sees plain values, so an expression may stand wherever a value may. What was written is kept in
//! [`Parametric`]: [`super::print()`] and [`super::rewrite`] put it back where the value is still the same.
//!
//! An expression reckons with units: `w + 20 um`, `area / w`, `radius * angle`; a length plus a pressure is a mistake. It has `+ - * / ^`,
//! brackets, comparisons, `if c { a } else { b }`, units as factors (`3 * um`), `pi` and the functions of [`amount::FUNCTIONS`].

mod amount;
mod evaluate;
mod expressions;
mod formula;
mod read;
mod repeat;
mod restore;
mod scan;

use super::{Value, codes};

pub(super) use expressions::{evaluate_tree, put};
pub use formula::formula;
pub(super) use read::Variables;
pub(super) use repeat::expand;
pub(super) use restore::restore;

/// A variable of a design.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// As the file has it, in TOML: `"100 um"`, `4`, `"=2 * w"`; or what it was set to.
    pub source: String,
    /// What it amounts to; nothing for what no value of a design can be, such as an area.
    pub value: Option<Value>,
}

/// A step from a table or list of the file into what it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A key of a table.
    Key(String),
    /// A place in a list.
    Index(usize),
}

/// A value that a file gives by an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Where it stands: `components`, `mixer`, `parameters`, `width`.
    pub path: Vec<Step>,
    /// As written, with its `=`.
    pub source: String,
    /// What it amounts to, in TOML.
    pub value: String,
}

impl Expression {
    /// Whether it stands under these keys, such as `["chip", "width"]`.
    pub fn is_at(&self, keys: &[&str]) -> bool {
        let path = self.path.iter().map(|step| match step {
            Step::Key(key) => key.as_str(),
            Step::Index(_) => "",
        });
        path.eq(keys.iter().copied())
    }
}

/// One entry of a file that stands for several components, channels or ports.
#[derive(Clone, Debug, PartialEq)]
pub struct Repetition {
    /// `components`, `channels` or `ports`.
    pub section: String,
    /// The entry's name, which the copies' names begin with.
    pub name: String,
    /// The entry as written, in TOML.
    pub source: String,
    /// Names of the copies, in their order.
    pub copies: Vec<String>,
    /// The copies as they were read, in TOML: while they are unchanged, the one entry stands for them.
    pub printed: Vec<String>,
}

/// What of a design was written with variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parametric {
    /// In the file's order.
    pub variables: Vec<Variable>,
    /// In the file's order.
    pub expressions: Vec<Expression>,
    /// In the file's order.
    pub repetitions: Vec<Repetition>,
}

impl Parametric {
    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The expression that stands under these keys, such as `["chip", "width"]`.
    pub fn expression(&self, keys: &[&str]) -> Option<&Expression> {
        self.expressions
            .iter()
            .find(|expression| expression.is_at(keys))
    }
}

/// A variable's new value, from outside of the file: `stokeslet solve --set w=80um`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The variable.
    pub name: String,
    /// `80 um`, `4`, `=2 * h`, or a text.
    pub value: String,
}

impl Setting {
    /// Reads `name=value`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                Ok(Self {
                    name: name.trim().to_owned(),
                    value: value.trim().to_owned(),
                })
            }
            _ => Err(format!(
                "`{text}` sets nothing: write NAME=VALUE, such as w=80um"
            )),
        }
    }
}

#[cfg(test)]
mod tests;
