//! The values of variables and expressions: each variable once, in whatever order they need each other.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rhai::packages::{ArithmeticPackage, BasicStringPackage, LogicPackage, Package};
use rhai::{Dynamic, Engine, EvalAltResult, Scope};

use super::amount::{self, Amount, DIMENSIONS};
use super::codes;
use super::scan::{ScanError, Scanned, scan};
use crate::design::Value;
use stokeslet_base::diagnostic::nearest;
use stokeslet_base::units::Dimension;

/// Operations that one expression may take.
const MAX_OPERATIONS: u64 = 10_000;
/// Bytes of a text.
const MAX_TEXT: usize = 1_000;

/// What is wrong with an expression: code, message, help.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub code: &'static str,
    pub message: String,
    pub help: Option<String>,
}

impl Fault {
    pub fn new(code: &'static str, message: String) -> Self {
        Self {
            code,
            message,
            help: None,
        }
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The value of a variable or an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Amount(Amount),
    Bool(bool),
    Text(String),
}

impl Outcome {
    fn to_script(&self) -> Dynamic {
        match self {
            Self::Amount(amount) => amount.into_script(),
            Self::Bool(flag) => (*flag).into(),
            Self::Text(text) => text.clone().into(),
        }
    }

    /// As a value of designs; nothing where it measures what no design speaks of, such as an area.
    pub fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Amount(amount) if amount.powers == [0; 5] => Value::Number(amount.value),
            Self::Amount(amount) => {
                Value::Quantity(amount.value, Dimension::of_powers(amount.powers)?)
            }
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Text(text) => Value::Text(text.clone()),
        })
    }

    /// As a value in TOML that reads back as the same bits.
    pub fn to_toml(&self) -> Result<String, Fault> {
        match self.to_value() {
            Some(Value::Quantity(value, dimension)) => {
                Ok(format!("\"{value:e} {}\"", dimension.si_unit()))
            }
            Some(value) => Ok(crate::design::print::value(&value)),
            None => {
                let kind = match self {
                    Self::Amount(amount) => amount.kind(),
                    _ => String::new(),
                };
                let message = format!("the result is {kind}, which no value of a design is");
                Err(Fault::new(codes::DIMENSIONS, message))
            }
        }
    }
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = Engine::new_raw();
    for package in [
        ArithmeticPackage::new().as_shared_module(),
        LogicPackage::new().as_shared_module(),
        BasicStringPackage::new().as_shared_module(),
    ] {
        engine.register_global_module(package);
    }
    engine
        .set_max_expr_depths(32, 32)
        .set_max_call_levels(8)
        .set_max_operations(MAX_OPERATIONS)
        .set_max_string_size(MAX_TEXT)
        .set_max_array_size(1)
        .set_max_map_size(1)
        .set_max_modules(0)
        .disable_symbol("eval")
        .disable_symbol("import")
        .on_print(|_| {})
        .on_debug(|_, _, _| {});
    amount::register(&mut engine);
    engine
});

/// The value of a scanned expression.
fn run(scanned: &Scanned, variables: &BTreeMap<String, Outcome>) -> Result<Outcome, Fault> {
    let malformed = |message: String| {
        Fault::new(
            codes::EXPRESSION,
            format!("the expression can't be read: {message}"),
        )
    };
    let ast = ENGINE
        .compile_expression(&scanned.code)
        .map_err(|error| malformed(error.0.to_string()))?;
    let mut scope = Scope::new();
    scope.push_constant("pi", std::f64::consts::PI);
    for (k, literal) in scanned.literals.iter().enumerate() {
        scope.push_constant_dynamic(format!("u_{k}"), literal.into_script());
    }
    for name in &scanned.uses {
        if let Some(value) = variables.get(name) {
            scope.push_constant_dynamic(format!("v_{name}"), value.to_script());
        }
    }
    let result = ENGINE
        .eval_ast_with_scope::<Dynamic>(&mut scope, &ast)
        .map_err(|error| failure(&error))?;
    let amount = if let Some(amount) = result.clone().try_cast::<Amount>() {
        amount
    } else if let Some(text) = result.clone().try_cast::<rhai::ImmutableString>() {
        return Ok(Outcome::Text(text.to_string()));
    } else if let Ok(flag) = result.as_bool() {
        return Ok(Outcome::Bool(flag));
    } else if let Ok(number) = result.as_float() {
        Amount::number(number)
    } else {
        return Err(malformed("it has no value".to_owned()));
    };
    if !amount.value.is_finite() {
        let message = format!("the result is {}, no number that can be held", amount.value);
        return Err(Fault::new(codes::VALUE, message));
    }
    Ok(Outcome::Amount(amount))
}

fn failure(error: &EvalAltResult) -> Fault {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => failure(inner),
        EvalAltResult::ErrorRuntime(thrown, _) => {
            let text = thrown.to_string();
            let code = if text.starts_with(DIMENSIONS) {
                codes::DIMENSIONS
            } else {
                codes::VALUE
            };
            Fault::new(code, text)
        }
        EvalAltResult::ErrorFunctionNotFound(what, _) => {
            let what = what
                .replace(
                    "stokeslet_cad::design::variables::amount::Amount",
                    "quantity",
                )
                .replace("f64", "number")
                .replace("&str | ImmutableString | String", "text");
            Fault::new(
                codes::DIMENSIONS,
                format!("units disagree: there is no `{what}`"),
            )
        }
        other => Fault::new(codes::VALUE, format!("the expression fails: {other}")),
    }
}

/// Evaluates an expression (without its `=`) with the variables at hand.
pub(super) fn evaluate(
    text: &str,
    variables: &BTreeMap<String, Outcome>,
) -> Result<Outcome, Fault> {
    let scanned = scan(text, &|name| variables.contains_key(name))
        .map_err(|error| unreadable(error, variables.keys().map(String::as_str)))?;
    run(&scanned, variables)
}

fn unreadable<'a>(error: ScanError, known: impl Iterator<Item = &'a str>) -> Fault {
    match error {
        ScanError::Malformed(message) => Fault::new(
            codes::EXPRESSION,
            format!("the expression can't be read: {message}"),
        ),
        ScanError::Unknown { name, is_function } => {
            let what = if is_function {
                "function"
            } else {
                "variable or unit"
            };
            let fault = Fault::new(codes::UNKNOWN, format!("there is no {what} `{name}`"));
            let names: Vec<&str> = if is_function {
                amount::FUNCTIONS.to_vec()
            } else {
                known.collect()
            };
            match nearest(&name, names.iter().copied()) {
                Some(near) => fault.with_help(format!("did you mean `{near}`?")),
                None if is_function => fault.with_help(format!("there are {}", names.join(", "))),
                None => fault.with_help(format!("define it: [variables] {name} = \"100 um\"")),
            }
        }
    }
}

/// How a variable is given: its value, or an expression.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Value(Outcome),
    Expression(String),
}

/// The values of all variables; faults by name of the variable. A fault is told once, not again where the variable is used.
pub(super) fn evaluate_all(
    given: &BTreeMap<String, Given>,
) -> (BTreeMap<String, Outcome>, Vec<(String, Fault)>) {
    let mut known = BTreeMap::new();
    let mut faults = Vec::new();
    let mut scans: BTreeMap<&str, Scanned> = BTreeMap::new();
    for (name, one) in given {
        match one {
            Given::Value(value) => {
                known.insert(name.clone(), value.clone());
            }
            Given::Expression(text) => match scan(text, &|name| given.contains_key(name)) {
                Ok(scanned) => {
                    scans.insert(name, scanned);
                }
                Err(error) => {
                    let fault = unreadable(error, given.keys().map(String::as_str));
                    faults.push((name.clone(), fault));
                }
            },
        }
    }
    // As often as there are variables at most: each round settles one at least, or what is left waits for itself.
    loop {
        let ready: Vec<&str> = scans
            .iter()
            .filter(|(_, scanned)| scanned.uses.iter().all(|used| known.contains_key(used)))
            .map(|(name, _)| *name)
            .collect();
        if ready.is_empty() {
            break;
        }
        for name in ready {
            let Some(scanned) = scans.remove(name) else {
                continue;
            };
            match run(&scanned, &known) {
                Ok(value) => {
                    known.insert(name.to_owned(), value);
                }
                Err(fault) => faults.push((name.to_owned(), fault)),
            }
        }
    }
    for name in scans.keys() {
        if let Some(cycle) = cycle(name, &scans) {
            let message = format!("`{name}` depends on itself: {}", cycle.join(" -> "));
            let fault = Fault::new(codes::CYCLE, message);
            faults.push((
                (*name).to_owned(),
                fault.with_help("give one of them a value of its own"),
            ));
        }
    }
    (known, faults)
}

/// The way from a variable back to itself, if there is one.
fn cycle<'a>(start: &'a str, scans: &BTreeMap<&'a str, Scanned>) -> Option<Vec<&'a str>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = vec![start];
    while let Some(name) = queue.pop() {
        let scanned = scans.get(name)?;
        for used in &scanned.uses {
            let Some((&used, _)) = scans.get_key_value(used.as_str()) else {
                continue;
            };
            if used == start {
                let mut path = vec![start, name];
                let mut at = name;
                while at != start {
                    at = before.get(at).copied()?;
                    path.push(at);
                }
                path.reverse();
                return Some(path);
            }
            if let std::collections::btree_map::Entry::Vacant(entry) = before.entry(used) {
                entry.insert(name);
                queue.push(used);
            }
        }
    }
    None
}
