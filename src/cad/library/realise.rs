//! The library itself: definitions by name, and a definition with its parameters filled in.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rhai::{Dynamic, Map, Scope};
use rustc_hash::FxHashMap;

use super::compose::{check_overlap, compose};
use super::definition::{Body, Definition};
use super::entry::Definitions;
use super::fault::{
    BAD_SOCKET, SCRIPT, TOO_DEEP, TWICE, UNKNOWN_KIND, UNKNOWN_PARAMETER, error, error_with_help,
};
use super::given::given_key;
use super::script::{Budget, base_scope, engine};
use super::value::{Resolved, fill, from_design, range};
use super::{Realisation, leaf};
use crate::design::{Spanned, Value};
use stokeslet_base::diagnostic::{Diagnostic, Place, nearest};
use stokeslet_base::fingerprint::Fingerprint;

/// Deepest nesting of components: bounds the program's own stack.
const MAX_NESTING: usize = 5;
/// Parts kept in the cache of realisations; it is emptied beyond.
const MAX_CACHED_PARTS: usize = 400_000;

/// What a chip says once for all its components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defaults {
    /// Width of channels, m.
    pub width: f64,
    /// Depth of the chip, m.
    pub depth: Option<f64>,
}

/// All components that a design can use.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub(super) definitions: Arc<Definitions>,
    cache: Arc<Mutex<Cache>>,
}

/// Realisations by what they depend on, so that a thousand identical tees are realised once.
#[derive(Debug, Default)]
struct Cache {
    entries: FxHashMap<String, Arc<Realisation>>,
    /// By what designs write: finds them again without evaluating any default or range.
    given: FxHashMap<Fingerprint, Arc<Realisation>>,
    /// Parts of all `entries`; those of `given` are the same.
    parts: usize,
}

impl Library {
    pub(super) fn new(definitions: Definitions) -> Self {
        Self {
            definitions: Arc::new(definitions),
            cache: Arc::default(),
        }
    }

    /// All definitions, by family, then by name.
    pub fn definitions(&self) -> Vec<&Definition> {
        let mut all: Vec<&Definition> = self
            .definitions
            .values()
            .map(|entry| entry.definition())
            .collect();
        all.sort_by(|a, b| (&a.family, &a.name).cmp(&(&b.family, &b.name)));
        all
    }

    /// The definition of this name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name).map(|entry| entry.definition())
    }

    /// The name of a component that is written almost like this.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.definitions.keys().map(String::as_str))
    }

    /// Fills in a definition's parameters: parts, inner connections and sockets in the component's frame.
    ///
    /// # Errors
    /// All mistakes that are found (D101 to D114, see the module), each with the span of the parameter that it is about.
    /// # Accuracy and cost
    /// Equal parameters share one realisation, found in well under a microsecond.
    ///
    /// # Example
    /// ```
    /// use stokeslet_cad::library::{Defaults, Library};
    /// let library = Library::embedded();
    /// let tee = library.realise("tee", &[], &Defaults { width: 100e-6, depth: None }).expect("a tee has defaults");
    /// assert_eq!(tee.sockets.len(), 3);
    /// ```
    pub fn realise(
        &self,
        kind: &str,
        given: &[(Spanned<String>, Spanned<Value>)],
        defaults: &Defaults,
    ) -> Result<Arc<Realisation>, Vec<Diagnostic>> {
        let key = given_key(kind, given, defaults);
        if let Some(known) = self.cache().given.get(&key) {
            return Ok(known.clone());
        }
        let built = self.realise_afresh(kind, given, defaults)?;
        let mut cache = self.cache();
        if cache.given.len() >= MAX_CACHED_PARTS {
            *cache = Cache::default();
        }
        cache.given.insert(key, built.clone());
        Ok(built)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Library::realise`] of what was not given before.
    fn realise_afresh(
        &self,
        kind: &str,
        given: &[(Spanned<String>, Spanned<Value>)],
        defaults: &Defaults,
    ) -> Result<Arc<Realisation>, Vec<Diagnostic>> {
        let definition = self.definition(kind).map_err(|fault| vec![fault])?;
        let mut values = vec![None; definition.parameters.len()];
        let mut spans = vec![None; definition.parameters.len()];
        let mut faults = Vec::new();
        let located = |fault: Diagnostic, span: &std::ops::Range<usize>| Diagnostic {
            place: Place {
                span: Some(span.clone()),
                component: None,
            },
            ..fault
        };
        for (name, value) in given {
            let Some(index) = definition
                .parameters
                .iter()
                .position(|p| p.name == name.value)
            else {
                faults.push(located(
                    unknown_parameter(definition, &name.value),
                    &name.span,
                ));
                continue;
            };
            if spans[index].is_some() {
                faults.push(located(
                    error(TWICE, format!("`{}` is given twice", name.value)),
                    &name.span,
                ));
                continue;
            }
            spans[index] = Some(value.span.clone());
            match from_design(&value.value, &definition.parameters[index].kind) {
                Ok(script_value) => values[index] = Some(script_value),
                Err(mut fault) => {
                    fault.message = format!("`{}`: {}", name.value, fault.message);
                    faults.push(located(fault, &value.span));
                }
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let call = Call {
            library: self.clone(),
            defaults: *defaults,
            budget: Budget::new(),
            depth: 0,
        };
        call.realise(definition, &values).map_err(|faults| {
            let locate = |(index, fault): (Option<usize>, Diagnostic)| match index
                .and_then(|i| spans[i].clone())
            {
                Some(span) => located(fault, &span),
                None => fault,
            };
            let of_component = |fault: Diagnostic| Diagnostic {
                message: format!("{kind}: {}", fault.message),
                ..fault
            };
            faults.into_iter().map(locate).map(of_component).collect()
        })
    }

    /// Least and greatest value of a parameter, all others at their defaults; `None` where it has no such limit.
    ///
    /// # Errors
    /// D101, D102, or what is wrong with the definition's defaults.
    pub fn range(
        &self,
        kind: &str,
        parameter: &str,
        defaults: &Defaults,
    ) -> Result<[Option<f64>; 2], Diagnostic> {
        let definition = self.definition(kind)?;
        let wanted = definition
            .parameter(parameter)
            .ok_or_else(|| unknown_parameter(definition, parameter))?;
        let engine = engine(&Budget::new());
        let given = vec![None; definition.parameters.len()];
        let mut values =
            fill(definition, &given, &engine, chip_scope(defaults)).map_err(|faults| {
                faults
                    .into_iter()
                    .next()
                    .map_or_else(|| error(SCRIPT, "no defaults"), |(_, fault)| fault)
            })?;
        range(wanted, &engine, &mut values.scope)
    }

    /// What a parameter is by default, as people write it: quantities in a unit, expressions evaluated.
    ///
    /// # Errors
    /// D101, D102, or what is wrong with the definition's defaults.
    pub fn default_value(
        &self,
        kind: &str,
        parameter: &str,
        defaults: &Defaults,
    ) -> Result<String, Diagnostic> {
        let definition = self.definition(kind)?;
        let engine = engine(&Budget::new());
        let given = vec![None; definition.parameters.len()];
        let values = fill(definition, &given, &engine, chip_scope(defaults)).map_err(|faults| {
            faults
                .into_iter()
                .next()
                .map_or_else(|| error(SCRIPT, "no defaults"), |(_, fault)| fault)
        })?;
        let mut pairs = definition.parameters.iter().zip(&values.resolved);
        let (found, value) = pairs
            .find(|(p, _)| p.name == parameter)
            .ok_or_else(|| unknown_parameter(definition, parameter))?;
        Ok(value.show(found.kind.dimension()))
    }

    fn definition(&self, kind: &str) -> Result<&Definition, Diagnostic> {
        self.get(kind).ok_or_else(|| {
            let shown: String = kind.chars().take(80).collect();
            let help = match self.nearest(kind) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`stokeslet components` lists what there is".to_owned(),
            };
            error_with_help(
                UNKNOWN_KIND,
                format!("there is no component `{shown}`"),
                help,
            )
        })
    }
}

/// What every script knows, and what the chip says.
fn chip_scope(defaults: &Defaults) -> Scope<'static> {
    let mut scope = base_scope();
    scope.push_constant("width", defaults.width);
    if let Some(depth) = defaults.depth {
        scope.push_constant("depth", depth);
    }
    scope
}

fn unknown_parameter(definition: &Definition, name: &str) -> Diagnostic {
    let known = || definition.parameters.iter().map(|p| p.name.as_str());
    let help = match nearest(name, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if definition.parameters.is_empty() => "it has none".to_owned(),
        None => format!(
            "its parameters are {}",
            known().collect::<Vec<_>>().join(", ")
        ),
    };
    let shown: String = name.chars().take(80).collect();
    error_with_help(
        UNKNOWN_PARAMETER,
        format!("`{}` has no parameter `{shown}`", definition.name),
        help,
    )
}

/// One realisation under way: what nested components share with it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    library: Library,
    defaults: Defaults,
    budget: Budget,
    depth: usize,
}

impl Call {
    /// Realises a component for a script.
    pub fn nested(&self, kind: &str, parameters: Map) -> Result<Arc<Realisation>, Diagnostic> {
        let depth = self.depth + 1;
        if depth > MAX_NESTING {
            return Err(error_with_help(
                TOO_DEEP,
                format!("components nest more than {MAX_NESTING} deep"),
                "does a component contain itself?",
            ));
        }
        let definition = self.library.definition(kind)?;
        let mut values = vec![None; definition.parameters.len()];
        for (name, value) in parameters {
            match definition
                .parameters
                .iter()
                .position(|p| p.name == name.as_str())
            {
                Some(index) => values[index] = Some(value),
                None => return Err(unknown_parameter(definition, &name)),
            }
        }
        let call = Self {
            depth,
            ..self.clone()
        };
        call.realise(definition, &values)
            .map_err(|faults| match faults.into_iter().next() {
                Some((_, fault)) => fault,
                None => error(UNKNOWN_KIND, format!("`{kind}` can't be realised")),
            })
    }

    /// Mistakes come with the index of the parameter that they are about.
    fn realise(
        &self,
        definition: &Definition,
        given: &[Option<Dynamic>],
    ) -> Result<Arc<Realisation>, Vec<(Option<usize>, Diagnostic)>> {
        let mut engine = engine(&self.budget);
        let mut values =
            fill(definition, given, &engine, chip_scope(&self.defaults)).map_err(|faults| {
                faults
                    .into_iter()
                    .map(|(index, fault)| (Some(index), fault))
                    .collect::<Vec<_>>()
            })?;
        let key = self.key(&definition.name, &values.resolved);
        if let Some(known) = self.library.cache().entries.get(&key) {
            return Ok(known.clone());
        }
        let scope = &mut values.scope;
        let built = match &definition.body {
            Body::Strip(body) => leaf::strip(body, &engine, scope),
            Body::Outline(ast) => leaf::outline(ast, &mut engine, scope),
            Body::Compose(ast) => compose(ast, &mut engine, scope, self)
                // Once for the whole component: what it is built from is part of it.
                .and_then(|built| {
                    if self.depth == 0 {
                        check_overlap(&built).map(|()| built)
                    } else {
                        Ok(built)
                    }
                }),
        };
        let built = Arc::new(
            built
                .and_then(with_sockets)
                .map_err(|fault| vec![(None, in_file(fault, definition))])?,
        );
        // Nested compositions were not searched for overlaps, so they must not pass for such that were.
        if self.depth == 0 || !matches!(definition.body, Body::Compose(_)) {
            let mut cache = self.library.cache();
            if cache.parts + built.parts.len() > MAX_CACHED_PARTS {
                *cache = Cache::default();
            }
            cache.parts += built.parts.len();
            cache.entries.insert(key, built.clone());
        }
        Ok(built)
    }

    /// All that a realisation depends on, floats by their bits.
    fn key(&self, kind: &str, values: &[Resolved]) -> String {
        let mut key = format!(
            "{kind}|{:x}|{:x?}",
            self.defaults.width.to_bits(),
            self.defaults.depth.map(f64::to_bits)
        );
        for value in values {
            // `{:?}` of a float names it exactly. Writing to a String can't fail.
            let _ = write!(key, "|{value:?}");
        }
        key
    }
}

/// A script's mistake with the file that it stands in: line and column are of the script.
fn in_file(mut fault: Diagnostic, definition: &Definition) -> Diagnostic {
    if fault.code == SCRIPT && fault.help.is_none() {
        fault.help = Some(format!(
            "lines are those of the script in {}/{}.toml of the component library",
            definition.family, definition.name
        ));
    }
    fault
}

/// Refuses what nothing could ever flow through: whoever refers to one of its sockets would be told that it is not there, but not why.
fn with_sockets(built: Realisation) -> Result<Realisation, Diagnostic> {
    if built.sockets.is_empty() {
        return Err(error_with_help(
            BAD_SOCKET,
            "it has no socket, so nothing can flow through it",
            "give it at least one",
        ));
    }
    Ok(built)
}
