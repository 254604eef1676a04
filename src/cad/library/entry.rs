//! What the library keeps of a definition: read at once where it may be wrong, when first asked for where it is known to be right.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::definition::Definition;
use super::parse::parse;
use stokeslet_base::diagnostic::Diagnostic;

/// Definitions by name.
pub(super) type Definitions = BTreeMap<String, Arc<Entry>>;

/// A definition, read or about to be. A run uses a handful of what is embedded; compiling the rest would take longer than the run.
#[derive(Debug)]
pub(super) struct Entry {
    /// The folder it lies in.
    pub family: String,
    name: String,
    /// Text of an embedded definition.
    text: &'static str,
    definition: OnceLock<Definition>,
}

impl Entry {
    /// One that came with the program.
    pub fn embedded(name: String, family: String, text: &'static str) -> Self {
        Self {
            family,
            name,
            text,
            definition: OnceLock::new(),
        }
    }

    /// One of a file; `shown` is what messages call it.
    ///
    /// # Errors
    /// D100 for each mistake.
    pub fn read(
        name: &str,
        family: &str,
        shown: &str,
        text: &str,
    ) -> Result<Self, Vec<Diagnostic>> {
        let definition = parse(name, family, shown, text)?;
        Ok(Self {
            family: family.to_owned(),
            name: name.to_owned(),
            text: "",
            definition: OnceLock::from(definition),
        })
    }

    /// Whether a file says what this embedded definition says.
    pub fn is_copy(&self, family: &str, text: &str) -> bool {
        self.family == family && self.text == text
    }

    /// What it says.
    pub fn definition(&self) -> &Definition {
        self.definition.get_or_init(|| {
            parse(&self.name, &self.family, &self.name, self.text).unwrap_or_else(|faults| {
                panic!("the tests read the embedded components before they are shipped: {faults:?}")
            })
        })
    }
}
