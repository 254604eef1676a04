//! The scripting engine of definitions: rhai with limits, so that no definition can hang or crash the program.
//!
//! A script sees arithmetic, mathematics, texts, arrays and maps. It can't read files or clocks, sleep, print, import or `eval`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use rhai::packages::{
    BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicMathPackage, BasicStringPackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{AST, Dynamic, Engine, EvalAltResult, INT, Module, Scope, Shared};

use super::fault::{self, REFUSED, SCRIPT};
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;

/// Operations that one realisation may take, nested components included.
pub(super) const MAX_OPERATIONS: u64 = 4_000_000;
/// Elements of one array, nested ones counted.
const MAX_ARRAY: usize = 20_000;
/// Bytes of one text.
const MAX_TEXT: usize = 10_000;
/// Entries of one map.
const MAX_MAP: usize = 500;
/// Variables alive at once.
const MAX_VARIABLES: usize = 200;
/// Functions that call each other.
const MAX_CALLS: usize = 16;
/// Nesting of expressions: bounds the program's own stack.
const MAX_EXPRESSION_DEPTH: usize = 32;

/// What is left of [`MAX_OPERATIONS`]; shared by a component and all that it is built from.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<AtomicU64>);

impl Budget {
    /// A full budget.
    pub fn new() -> Self {
        Self(Arc::new(AtomicU64::new(MAX_OPERATIONS)))
    }

    /// Takes one operation; false when nothing is left.
    fn take(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_ok()
    }
}

/// The functions that scripts have; built once, shared by all engines.
static PACKAGES: LazyLock<Vec<Shared<Module>>> = LazyLock::new(|| {
    vec![
        BasicArrayPackage::new().as_shared_module(),
        BasicIteratorPackage::new().as_shared_module(),
        BasicMapPackage::new().as_shared_module(),
        BasicMathPackage::new().as_shared_module(),
        BasicStringPackage::new().as_shared_module(),
        LogicPackage::new().as_shared_module(),
        MoreStringPackage::new().as_shared_module(),
    ]
});

/// Compiles; the limits on depth apply here.
static COMPILER: LazyLock<Engine> = LazyLock::new(|| engine(&Budget::new()));

/// An engine with all limits set, whose operations come from `budget`.
pub(super) fn engine(budget: &Budget) -> Engine {
    let mut engine = Engine::new_raw();
    for package in PACKAGES.iter() {
        engine.register_global_module(package.clone());
    }
    engine
        .set_max_expr_depths(MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_DEPTH)
        .set_max_call_levels(MAX_CALLS)
        .set_max_operations(MAX_OPERATIONS)
        .set_max_array_size(MAX_ARRAY)
        .set_max_string_size(MAX_TEXT)
        .set_max_map_size(MAX_MAP)
        .set_max_variables(MAX_VARIABLES)
        .set_max_functions(64)
        .set_max_modules(0)
        .disable_symbol("eval")
        .disable_symbol("import")
        // A script that prints would be heard by nobody: its author is told.
        .disable_symbol("print")
        .disable_symbol("debug");
    let budget = budget.clone();
    engine.on_progress(move |_| {
        if budget.take() {
            None
        } else {
            Some(Dynamic::UNIT)
        }
    });
    register_mathematics(&mut engine);
    engine
}

/// Sines that are exact at quarter turns, and whole numbers where the packages want fractions.
fn register_mathematics(engine: &mut Engine) {
    engine
        .register_fn("sin", |x: f64| Point::unit(x).y)
        .register_fn("cos", |x: f64| Point::unit(x).x)
        .register_fn("sin", |x: INT| (x as f64).sin())
        .register_fn("cos", |x: INT| (x as f64).cos())
        .register_fn("tan", |x: f64| {
            let d = Point::unit(x);
            d.y / d.x
        })
        .register_fn("sqrt", |x: INT| (x as f64).sqrt());
}

/// Compiles a script. The message of an error says what and where in the script.
pub(super) fn compile(text: &str) -> Result<AST, String> {
    COMPILER.compile(text).map_err(|e| e.to_string())
}

/// The names that every script knows besides the parameters: `pi`, and units as factors (`90 * deg`, `50 * um`).
pub(super) fn base_scope() -> Scope<'static> {
    let mut scope = Scope::new();
    scope.push_constant("pi", std::f64::consts::PI);
    scope.push_constant("deg", std::f64::consts::PI / 180.0);
    scope.push_constant("um", 1e-6);
    scope.push_constant("mm", 1e-3);
    scope
}

/// What went wrong in a script, limits in words. What the definition itself throws is a refusal of its parameters.
pub(super) fn fault(what: &str, error: &EvalAltResult) -> Diagnostic {
    let failed = |reason: String| fault::error(SCRIPT, format!("{what} fails: {reason}"));
    match error {
        EvalAltResult::ErrorTerminated(..) | EvalAltResult::ErrorTooManyOperations(..) => failed(
            format!("it took more than {MAX_OPERATIONS} operations; does a loop never end?"),
        ),
        EvalAltResult::ErrorStackOverflow(..) => failed(format!(
            "functions call each other more than {MAX_CALLS} levels deep"
        )),
        EvalAltResult::ErrorDataTooLarge(what, _) => failed(format!(
            "too large: {what} (arrays hold up to {MAX_ARRAY} elements, texts up to {MAX_TEXT} bytes)"
        )),
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => fault(what, inner),
        EvalAltResult::ErrorRuntime(thrown, _) => fault::error(REFUSED, thrown.to_string()),
        other => failed(other.to_string()),
    }
}
