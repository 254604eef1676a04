//! Parameters' values: what a design or a script gives, checked against the definition.

use rhai::{Array, Dynamic, Engine, Scope};

use super::definition::{Code, Definition, Expression, Parameter, ParameterKind};
use super::fault::{NOT_FINITE, OUT_OF_RANGE, WRONG_KIND, error, error_with_help};
use super::parse::whole;
use super::script;
use crate::design::Value;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, print_quantity};

/// Longest list that a parameter holds.
pub(super) const MAX_LIST: usize = 4_000;

/// A value that fits its parameter's kind. Lengths in m, angles in rad.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Resolved {
    Real(f64),
    Count(i64),
    Bool(bool),
    Text(String),
    Reals(Vec<f64>),
    Counts(Vec<i64>),
    Points(Vec<Point>),
}

impl Resolved {
    /// As scripts see it: numbers, texts, arrays; a point is `[x, y]`.
    pub fn to_script(&self) -> Dynamic {
        match self {
            Self::Real(x) => Dynamic::from_float(*x),
            Self::Count(n) => Dynamic::from_int(*n),
            Self::Bool(b) => Dynamic::from_bool(*b),
            Self::Text(t) => Dynamic::from(t.clone()),
            Self::Reals(list) => list
                .iter()
                .map(|x| Dynamic::from_float(*x))
                .collect::<Array>()
                .into(),
            Self::Counts(list) => list
                .iter()
                .map(|n| Dynamic::from_int(*n))
                .collect::<Array>()
                .into(),
            Self::Points(list) => list
                .iter()
                .map(|p| {
                    Dynamic::from_array(vec![Dynamic::from_float(p.x), Dynamic::from_float(p.y)])
                })
                .collect::<Array>()
                .into(),
        }
    }

    /// As people write it, with units.
    pub fn show(&self, dimension: Option<Dimension>) -> String {
        let join = |items: Vec<String>| format!("[{}]", items.join(", "));
        let number = |x: f64| show_number(x, dimension);
        match self {
            Self::Real(x) => number(*x),
            Self::Count(n) => n.to_string(),
            Self::Bool(b) => b.to_string(),
            Self::Text(t) => format!("\"{t}\""),
            Self::Reals(list) => join(list.iter().map(|&x| number(x)).collect()),
            Self::Counts(list) => join(list.iter().map(i64::to_string).collect()),
            Self::Points(list) => join(
                list.iter()
                    .map(|p| format!("({}, {})", number(p.x), number(p.y)))
                    .collect(),
            ),
        }
    }

    /// All its numbers, for checks of finiteness and range.
    fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Real(x) => vec![*x],
            Self::Count(n) => vec![*n as f64],
            Self::Bool(_) | Self::Text(_) => Vec::new(),
            Self::Reals(list) => list.clone(),
            Self::Counts(list) => list.iter().map(|&n| n as f64).collect(),
            Self::Points(list) => list.iter().flat_map(|p| [p.x, p.y]).collect(),
        }
    }
}

/// A given value as scripts have it: where it comes from no longer matters after this. `Err` for a wrong dimension.
pub(super) fn from_design(value: &Value, kind: &ParameterKind) -> Result<Dynamic, Diagnostic> {
    let wrong = |got: String| {
        error_with_help(
            WRONG_KIND,
            format!("got {got}"),
            format!("write {}", kind.describe()),
        )
    };
    match value {
        Value::Quantity(x, dimension) if Some(*dimension) == kind.dimension() => {
            Ok(Dynamic::from_float(*x))
        }
        Value::Quantity(x, dimension) => Err(wrong(format!(
            "{dimension}, {}",
            print_quantity(*x, *dimension)
        ))),
        Value::Number(x) if kind.dimension().is_none() => Ok(Dynamic::from_float(*x)),
        Value::Number(x) => Err(wrong(format!("the number {x} without a unit"))),
        Value::Bool(b) => Ok(Dynamic::from_bool(*b)),
        Value::Text(text) => Ok(Dynamic::from(text.clone())),
        Value::List(list) => {
            let items: Result<Array, _> = list.iter().map(|item| from_design(item, kind)).collect();
            items.map(Dynamic::from_array)
        }
    }
}

/// Checks a script's value against a kind.
pub(super) fn resolve(value: &Dynamic, kind: &ParameterKind) -> Result<Resolved, Diagnostic> {
    let resolved = fit(value, kind).ok_or_else(|| {
        let got = if let (Ok(text), ParameterKind::Choice(_)) = (value.clone().into_string(), kind)
        {
            format!("got \"{}\"", text.chars().take(80).collect::<String>())
        } else {
            format!("got {}", name_of(value))
        };
        error_with_help(WRONG_KIND, got, format!("write {}", kind.describe()))
    })?;
    match resolved.numbers().iter().find(|x| !x.is_finite()) {
        Some(x) => Err(error(NOT_FINITE, format!("{x} is not a finite number"))),
        None => Ok(resolved),
    }
}

fn name_of(value: &Dynamic) -> String {
    if let Some(list) = value.read_lock::<Array>() {
        return format!("a list of {} values", list.len());
    }
    match value.type_name() {
        "f64" | "i64" => format!("the number {value}"),
        "bool" => format!("{value}"),
        "string" => format!(
            "the text \"{}\"",
            value.to_string().chars().take(80).collect::<String>()
        ),
        "()" => "nothing".to_owned(),
        other => format!("a value of type {other}"),
    }
}

fn real(value: &Dynamic) -> Option<f64> {
    value
        .as_float()
        .ok()
        .or_else(|| value.as_int().ok().map(|n| n as f64))
}

fn count(value: &Dynamic) -> Option<i64> {
    value
        .as_int()
        .ok()
        .or_else(|| value.as_float().ok().and_then(whole))
}

fn fit(value: &Dynamic, kind: &ParameterKind) -> Option<Resolved> {
    match kind {
        ParameterKind::Length | ParameterKind::Angle | ParameterKind::Number => {
            real(value).map(Resolved::Real)
        }
        ParameterKind::Count => count(value).map(Resolved::Count),
        ParameterKind::Bool => value.as_bool().ok().map(Resolved::Bool),
        ParameterKind::Choice(choices) => {
            let text = value.clone().into_string().ok()?;
            choices.contains(&text).then_some(Resolved::Text(text))
        }
        ParameterKind::Lengths | ParameterKind::Angles => list(value, real).map(Resolved::Reals),
        ParameterKind::Counts => list(value, count).map(Resolved::Counts),
        ParameterKind::Points => list(value, point).map(Resolved::Points),
    }
}

fn list<T>(value: &Dynamic, item: impl Fn(&Dynamic) -> Option<T>) -> Option<Vec<T>> {
    let array = value.read_lock::<Array>()?;
    if array.len() > MAX_LIST {
        return None;
    }
    array.iter().map(item).collect()
}

/// `[x, y]` as a point.
pub(super) fn point(value: &Dynamic) -> Option<Point> {
    match &list(value, real)?[..] {
        [x, y] => Some(Point::new(*x, *y)),
        _ => None,
    }
}

/// Evaluates an expression with the parameters in scope.
pub(super) fn evaluate(
    expression: &Expression,
    engine: &Engine,
    scope: &mut Scope,
) -> Result<Dynamic, Diagnostic> {
    match &expression.code {
        Code::Constant(value) => Ok(value.clone()),
        Code::List(items) => {
            let items: Result<Array, _> = items
                .iter()
                .map(|item| evaluate(item, engine, scope))
                .collect();
            items.map(Dynamic::from_array)
        }
        Code::Script(ast) => {
            let variables = scope.len();
            let value = engine
                .eval_ast_with_scope::<Dynamic>(scope, ast)
                .map_err(|e| script::fault(&format!("`{}`", expression.text), &e));
            scope.rewind(variables);
            value
        }
    }
}

/// A parameter's least and greatest value, as far as it has them.
pub(super) fn range(
    parameter: &Parameter,
    engine: &Engine,
    scope: &mut Scope,
) -> Result<[Option<f64>; 2], Diagnostic> {
    let mut bound = |bound: &Option<Expression>| -> Result<Option<f64>, Diagnostic> {
        match bound {
            None => Ok(None),
            Some(expression) => evaluate(expression, engine, scope).map(|v| real(&v)),
        }
    };
    Ok([bound(&parameter.min)?, bound(&parameter.max)?])
}

/// Checks a value against its parameter's range.
fn check_range(
    parameter: &Parameter,
    value: &Resolved,
    engine: &Engine,
    scope: &mut Scope,
) -> Result<(), Diagnostic> {
    let [min, max] = range(parameter, engine, scope)?;
    // A value that was typed as the bound itself passes, whichever way either was rounded.
    let slack = |limit: f64| 1e-12 * limit.abs();
    for x in value.numbers() {
        let show = |x: f64| show_number(x, parameter.kind.dimension());
        if let Some(min) = min.filter(|&min| x < min - slack(min)) {
            return Err(out_of_range(
                parameter,
                &show(x),
                format!("at least {}", show(min)),
            ));
        }
        if let Some(max) = max.filter(|&max| x > max + slack(max)) {
            return Err(out_of_range(
                parameter,
                &show(x),
                format!("at most {}", show(max)),
            ));
        }
    }
    Ok(())
}

fn out_of_range(parameter: &Parameter, got: &str, limit: String) -> Diagnostic {
    error_with_help(
        OUT_OF_RANGE,
        format!("`{}` is {got}, but must be {limit}", parameter.name),
        format!("{}: {}", parameter.name, parameter.doc),
    )
}

/// A number with its unit, if it has one; what expressions add as rounding is not shown.
pub(super) fn show_number(x: f64, dimension: Option<Dimension>) -> String {
    let rounded = format!("{x:.9e}").parse().unwrap_or(x);
    match dimension {
        Some(Dimension::Angle) if x == 0.0 => "0 deg".to_owned(),
        Some(dimension) => print_quantity(rounded, dimension),
        None => format!("{rounded}"),
    }
}

/// The values of all parameters, in the definition's order, and a scope that holds them.
#[derive(Debug)]
pub(super) struct Values {
    pub resolved: Vec<Resolved>,
    pub scope: Scope<'static>,
}

/// Fills in the parameters: given ones by index, defaults for the rest. Mistakes are reported with the index of the parameter.
pub(super) fn fill(
    definition: &Definition,
    given: &[Option<Dynamic>],
    engine: &Engine,
    mut scope: Scope<'static>,
) -> Result<Values, Vec<(usize, Diagnostic)>> {
    let mut faults = Vec::new();
    let mut resolved = Vec::with_capacity(definition.parameters.len());
    for (index, parameter) in definition.parameters.iter().enumerate() {
        let value = match given.get(index).and_then(Option::as_ref) {
            Some(value) => Ok(value.clone()),
            // A default may use what is wrong already.
            None if !faults.is_empty() => continue,
            None => evaluate(&parameter.default, engine, &mut scope),
        };
        match value.and_then(|value| resolve(&value, &parameter.kind)) {
            Ok(value) => {
                scope.push_constant_dynamic(parameter.name.clone(), value.to_script());
                resolved.push(value);
            }
            Err(mut fault) => {
                if matches!(fault.code, WRONG_KIND | NOT_FINITE) {
                    fault.message = format!("`{}`: {}", parameter.name, fault.message);
                }
                faults.push((index, fault));
            }
        }
    }
    if !faults.is_empty() {
        // Ranges and later defaults may depend on what is wrong: reporting them too would only be noise.
        return Err(faults);
    }
    for (index, (parameter, value)) in definition.parameters.iter().zip(&resolved).enumerate() {
        if let Err(fault) = check_range(parameter, value, engine, &mut scope) {
            faults.push((index, fault));
        }
    }
    if faults.is_empty() {
        Ok(Values { resolved, scope })
    } else {
        Err(faults)
    }
}
