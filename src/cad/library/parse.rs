//! A definition file to a [`Definition`]; every mistake is reported, scripts are compiled.

use rhai::{Dynamic, INT};
use toml_edit::{DocumentMut, Item, TableLike, Value as Toml};

use super::definition::{
    Body, Code, Definition, Expression, Parameter, ParameterKind, StripBody, StripDimensions,
};
use super::fault::{UNREADABLE, error, error_with_help};
use super::script;
use stokeslet_base::diagnostic::{Diagnostic, nearest};
use stokeslet_base::units::{QuantityError, parse_quantity};

/// Deepest list in a definition file: lists of points.
const MAX_LIST_DEPTH: usize = 3;

/// Reads one definition. `name` and `family` come from its path; `file` is what messages call it.
pub(super) fn parse(
    name: &str,
    family: &str,
    file: &str,
    text: &str,
) -> Result<Definition, Vec<Diagnostic>> {
    let mut reader = Reader {
        file,
        faults: Vec::new(),
    };
    let definition = reader.definition(name, family, text);
    match definition {
        Some(definition) if reader.faults.is_empty() => Ok(definition),
        _ => Err(reader.faults),
    }
}

/// Whether a word can name a component, parameter or socket: a letter, then letters, digits and underscores.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && word.len() <= 64
}

/// Collects the mistakes of one file.
struct Reader<'a> {
    file: &'a str,
    faults: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn fault<T>(&mut self, message: impl std::fmt::Display) -> Option<T> {
        self.faults
            .push(error(UNREADABLE, format!("{}: {message}", self.file)));
        None
    }

    fn definition(&mut self, name: &str, family: &str, text: &str) -> Option<Definition> {
        if !is_name(name) {
            return self
                .fault("a component's name is a letter, then letters, digits and underscores");
        }
        let document = match text.parse::<DocumentMut>() {
            Ok(document) => document,
            Err(e) => return self.fault(e.to_string().trim_end()),
        };
        let top = document.as_table();
        self.check_keys(
            top,
            "the file",
            &[
                "doc",
                "parameters",
                "sockets",
                "strip",
                "outline",
                "compose",
            ],
        );
        let doc = self.text(top, "doc", "the file");
        let parameters = self.parameters(top);
        let socket_docs = self.socket_docs(top);
        let body = self.body(top);
        Some(Definition {
            name: name.to_owned(),
            family: family.to_owned(),
            doc: doc?,
            parameters,
            socket_docs,
            body: body?,
        })
    }

    fn check_keys(&mut self, table: &dyn TableLike, place: &str, known: &[&str]) {
        for (key, _) in table.iter() {
            if !known.contains(&key) {
                let help = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known keys are {}", known.join(", ")),
                };
                let message = format!("{}: unknown key `{key}` in {place}", self.file);
                self.faults.push(error_with_help(UNREADABLE, message, help));
            }
        }
    }

    fn text(&mut self, table: &dyn TableLike, key: &str, place: &str) -> Option<String> {
        match table.get(key).and_then(Item::as_str) {
            Some(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => self.fault(format!("{place} needs `{key}`, a text")),
        }
    }

    fn parameters(&mut self, top: &dyn TableLike) -> Vec<Parameter> {
        let Some(item) = top.get("parameters") else {
            return Vec::new();
        };
        let Some(table) = item.as_table_like() else {
            self.fault::<()>("`parameters` must be tables such as [parameters.length]");
            return Vec::new();
        };
        table
            .iter()
            .filter_map(|(name, item)| self.parameter(name, item))
            .collect()
    }

    fn parameter(&mut self, name: &str, item: &Item) -> Option<Parameter> {
        let place = format!("parameter `{name}`");
        if !is_name(name) {
            return self.fault(format!(
                "{place}: its name must be a letter, then letters, digits and underscores"
            ));
        }
        let Some(table) = item.as_table_like() else {
            return self.fault(format!("{place} must be a table"));
        };
        self.check_keys(
            table,
            &place,
            &["type", "default", "min", "max", "choices", "doc"],
        );
        let word = self.text(table, "type", &place)?;
        let choices: Vec<String> = table
            .get("choices")
            .and_then(Item::as_array)
            .map(|list| {
                list.iter()
                    .filter_map(|c| c.as_str().map(str::to_owned))
                    .collect()
            })
            .unwrap_or_default();
        if word == "choice" && choices.is_empty() {
            return self.fault(format!("{place} needs `choices`, a list of texts"));
        }
        let Some(kind) = ParameterKind::parse(&word, choices) else {
            return self.fault(format!(
                "{place} has the unknown type `{word}`; types are {}",
                ParameterKind::WORDS.join(", ")
            ));
        };
        let doc = self.text(table, "doc", &place);
        let Some(default) = table.get("default") else {
            return self.fault(format!("{place} needs a `default`"));
        };
        let default = self.expression(
            default.as_value(),
            &kind,
            &format!("the default of {place}"),
        )?;
        let mut bound = |key: &str| -> Option<Expression> {
            let item = table.get(key)?;
            self.expression(
                item.as_value(),
                &element_of(&kind),
                &format!("`{key}` of {place}"),
            )
        };
        let (min, max) = (bound("min"), bound("max"));
        Some(Parameter {
            name: name.to_owned(),
            kind,
            default,
            min,
            max,
            doc: doc?,
        })
    }

    /// A quantity, a number, a list, or else a script.
    fn expression(
        &mut self,
        value: Option<&Toml>,
        kind: &ParameterKind,
        place: &str,
    ) -> Option<Expression> {
        self.expression_at_depth(value, kind, place, 0)
    }

    fn expression_at_depth(
        &mut self,
        value: Option<&Toml>,
        kind: &ParameterKind,
        place: &str,
        depth: usize,
    ) -> Option<Expression> {
        let Some(value) = value else {
            return self.fault(format!("{place} must be a value"));
        };
        let constant = |value: Dynamic, text: String| {
            Some(Expression {
                text,
                code: Code::Constant(value),
            })
        };
        match value {
            Toml::Integer(n) => constant(Dynamic::from_int(*n.value()), n.value().to_string()),
            Toml::Float(x) => constant(Dynamic::from_float(*x.value()), x.value().to_string()),
            Toml::Boolean(b) => constant(Dynamic::from_bool(*b.value()), b.value().to_string()),
            Toml::String(text) => self.quantity_or_script(text.value(), kind, place),
            Toml::Array(list) if depth < MAX_LIST_DEPTH => {
                let items: Option<Vec<Expression>> = list
                    .iter()
                    .map(|item| self.expression_at_depth(Some(item), kind, place, depth + 1))
                    .collect();
                let items = items?;
                let text = format!(
                    "[{}]",
                    items
                        .iter()
                        .map(|i| i.text.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                );
                Some(Expression {
                    text,
                    code: Code::List(items),
                })
            }
            _ => self.fault(format!(
                "{place} must be a quantity, a number, a list or an expression"
            )),
        }
    }

    fn quantity_or_script(
        &mut self,
        text: &str,
        kind: &ParameterKind,
        place: &str,
    ) -> Option<Expression> {
        let expression = |code: Code| {
            Some(Expression {
                text: text.to_owned(),
                code,
            })
        };
        if matches!(kind, ParameterKind::Choice(_)) {
            return expression(Code::Constant(Dynamic::from(text.to_owned())));
        }
        match (parse_quantity(text), kind.dimension()) {
            (Ok((value, got)), Some(wanted)) if got == wanted => {
                return expression(Code::Constant(Dynamic::from_float(value)));
            }
            (Ok((_, got)), _) => {
                return self.fault(format!(
                    "{place} is {got} (`{text}`), but wants {}",
                    kind.describe()
                ));
            }
            (Err(QuantityError::MissingUnit { .. }), Some(_)) if text.trim() != "0" => {
                return self.fault(format!(
                    "{place} has no unit (`{text}`); it wants {}",
                    kind.describe()
                ));
            }
            _ => {}
        }
        match script::compile(text) {
            Ok(ast) => expression(Code::Script(ast)),
            Err(e) => self.fault(format!(
                "{place} is neither a quantity nor an expression (`{text}`): {e}"
            )),
        }
    }

    fn socket_docs(&mut self, top: &dyn TableLike) -> Vec<(String, String)> {
        let Some(item) = top.get("sockets") else {
            return Vec::new();
        };
        let Some(table) = item.as_table_like() else {
            self.fault::<()>("`sockets` must be a table of names and one-line texts");
            return Vec::new();
        };
        let docs: Vec<_> = table
            .iter()
            .map(|(name, doc)| (name.to_owned(), doc.as_str().map(str::to_owned)))
            .collect();
        docs.into_iter()
            .filter_map(|(name, doc)| match doc {
                Some(doc) => Some((name, doc)),
                None => self.fault(format!("socket `{name}` must be described by a text")),
            })
            .collect()
    }

    fn body(&mut self, top: &dyn TableLike) -> Option<Body> {
        let given: Vec<&str> = ["strip", "outline", "compose"]
            .into_iter()
            .filter(|k| top.contains_key(k))
            .collect();
        let [kind] = given[..] else {
            return self.fault("a definition has one of `strip`, `outline` and `compose`");
        };
        if kind == "strip" {
            return match top.get("strip").and_then(Item::as_table_like) {
                Some(table) => self.strip(table).map(|strip| Body::Strip(Box::new(strip))),
                None => self.fault("`strip` must be a table"),
            };
        }
        let text = self.text(top, kind, "the file")?;
        match script::compile(&text) {
            Ok(ast) if kind == "outline" => Some(Body::Outline(ast)),
            Ok(ast) => Some(Body::Compose(ast)),
            Err(e) => self.fault(format!("the script `{kind}` can't be read: {e}")),
        }
    }

    fn strip(&mut self, table: &dyn TableLike) -> Option<StripBody> {
        let names = table.get("sockets").and_then(Item::as_array).map(|list| {
            list.iter()
                .filter_map(|s| s.as_str())
                .filter(|s| is_name(s))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        let Some(sockets) = names.filter(|s| (1..=2).contains(&s.len()) && s.first() != s.get(1))
        else {
            return self.fault(
                "`strip` needs `sockets`, one or two different names: its start and its end",
            );
        };
        let shape = self.text(table, "shape", "`strip`")?;
        let mut value = |key: &str, kind: ParameterKind| -> Option<Expression> {
            let item = table.get(key);
            self.expression(
                item.and_then(Item::as_value),
                &kind,
                &format!("`{key}` of `strip`"),
            )
        };
        let dimensions = match shape.as_str() {
            "straight" => StripDimensions::Straight {
                length: value("length", ParameterKind::Length)?,
                width_start: value("width_start", ParameterKind::Length)?,
                width_end: value("width_end", ParameterKind::Length)?,
            },
            "arc" => StripDimensions::Arc {
                radius: value("radius", ParameterKind::Length)?,
                angle: value("angle", ParameterKind::Angle)?,
                width: value("width", ParameterKind::Length)?,
            },
            _ => {
                return self.fault(format!(
                    "`strip` has the unknown shape `{shape}`; shapes are straight and arc"
                ));
            }
        };
        let walls = WALLS.map(|key| table.get(key).is_some().then_some(key));
        let walls = walls.map(|key| key.map(|key| value(key, ParameterKind::Number)));
        let own: &[&str] = match dimensions {
            StripDimensions::Straight { .. } => &["length", "width_start", "width_end"],
            StripDimensions::Arc { .. } => &["radius", "angle", "width"],
        };
        let known = [&["shape", "sockets"], own, &WALLS].concat();
        self.check_keys(table, "`strip`", &known);
        let [right, left] = walls;
        // A wall whose expression is broken was reported.
        let walls = [
            right.map_or(Some(None), |w| w.map(Some))?,
            left.map_or(Some(None), |w| w.map(Some))?,
        ];
        Some(StripBody {
            dimensions,
            sockets,
            walls,
        })
    }
}

/// Keys of a strip's walls, right and left.
const WALLS: [&str; 2] = ["right_wall", "left_wall"];

/// What bounds the values of a kind: its own kind, or that of a list's elements.
fn element_of(kind: &ParameterKind) -> ParameterKind {
    match kind {
        ParameterKind::Lengths | ParameterKind::Points => ParameterKind::Length,
        ParameterKind::Angles => ParameterKind::Angle,
        ParameterKind::Counts => ParameterKind::Count,
        other => other.clone(),
    }
}

/// A whole number as scripts have it, if it is one.
pub(super) fn whole(x: f64) -> Option<INT> {
    // Beyond 2^53 a float no longer tells whole numbers apart.
    (x.fract() == 0.0 && x.abs() < 9e15).then_some(x as INT)
}
