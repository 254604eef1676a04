//! The table of keys as a page for people and as a JSON schema for editors.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::FORMAT;
use super::keys::{SECTIONS, SPECIES, Section, ValueKind};

fn value_words(kind: ValueKind) -> String {
    match kind {
        ValueKind::Text => "text".into(),
        ValueKind::Quantity(dimension) => format!("quantity ({})", dimension.si_unit()),
        ValueKind::Flag => "true or false".into(),
        ValueKind::Whole => "whole number".into(),
        ValueKind::Choice(choices) => choices.join(", "),
        ValueKind::Position => "two lengths".into(),
        ValueKind::Positions => "list of positions".into(),
        ValueKind::Pairs => "list of pairs of sockets".into(),
        ValueKind::Names => "list of names".into(),
        ValueKind::Table => "table".into(),
        ValueKind::Repetition => "number or table".into(),
    }
}

/// The page of the design format, Markdown: every section and key.
pub fn format_page() -> String {
    let mut out = format!(
        "# Design files\n\nPrinted by `stokeslet format`; `stokeslet format --schema` prints a JSON schema for editors of TOML, which complete keys and check values\n\
         with `#:schema format.schema.json` in the first line of a design (Taplo, Even Better TOML).\n\n\
         A design is [TOML](https://toml.io). `format = {FORMAT}` is required, `title` is one line for people.\n\n\
         - Quantities are texts with a number and a unit, with prefixes, products and powers: \"100 um\", \"0.89 mPa s\", \"5 uL/min\", \"4e-10 m^2/s\".\n\
         - Names have letters, digits, `_` and `-`. A socket is `component.socket` or `channel.end`.\n\
         - `[variables]` are numbers, quantities and expressions: `w = \"100 um\"`, `gap = \"=w / 2\"`. Anywhere below, a text that begins with `=` is an\n  \
           expression: `width = \"=2 * w + 20 um\"`. `--set w=80um` sets one from outside.\n"
    );
    for section in SECTIONS {
        let entry = match section.entry {
            Some(entry) => {
                format!(" Each key is the name of a {entry}, each value a table with these keys.")
            }
            None => String::new(),
        };
        // Writing to a String can't fail.
        let _ = write!(
            out,
            "\n## `[{}]`\n{}{entry}\n\n| key | value | example | meaning |\n| --- | --- | --- | --- |\n",
            section.name, section.doc
        );
        for key in section.keys {
            let _ = writeln!(
                out,
                "| `{}`{} | {} | `{}` | {} |",
                key.name,
                if key.required { " (required)" } else { "" },
                value_words(key.kind),
                key.example,
                key.doc
            );
        }
    }
    out
}

/// The JSON schema (draft 7) of design files; `kinds`: names and descriptions of components, offered for `kind`.
pub fn json_schema(kinds: &[(String, String)]) -> Value {
    let own = json!({
        "format": { "const": FORMAT, "description": "version of the format" },
        "title": { "type": "string", "description": "one line for people" },
        "variables": {
            "type": "object",
            "description": "numbers, quantities and expressions, used below as \"=w\" or \"=2 * w + 20 um\"",
            "additionalProperties": { "type": ["string", "number"] },
        },
    });
    let mut properties = own.as_object().cloned().unwrap_or_default();
    for section in SECTIONS {
        properties.insert(section.name.into(), section_schema(section, kinds));
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Stokeslet design",
        "type": "object",
        "properties": properties,
        "required": ["format", "fluid", "chip"],
        "additionalProperties": false,
    })
}

fn section_schema(section: &Section, kinds: &[(String, String)]) -> Value {
    let keys: Map<String, Value> = section
        .keys
        .iter()
        .map(|key| {
            let mut schema = value_schema(key.kind);
            if key.name == "kind" {
                let known: Vec<Value> = kinds
                    .iter()
                    .map(|(name, doc)| json!({ "const": name, "description": doc }))
                    .collect();
                // A library of one's own may have others.
                schema = json!({ "anyOf": [{ "oneOf": known }, { "type": "string" }] });
            }
            if let Some(schema) = schema.as_object_mut() {
                let doc = format!("{}; such as {}", key.doc, key.example);
                schema.insert("description".into(), json!(doc));
            }
            (key.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = section
        .keys
        .iter()
        .filter(|k| k.required)
        .map(|k| k.name)
        .collect();
    let table = json!({
        "type": "object",
        "properties": keys,
        "required": required,
        "additionalProperties": false,
    });
    match section.entry {
        None => described(table, section.doc),
        Some(_) => {
            let mut entries = json!({ "type": "object", "additionalProperties": table });
            if section.name == SPECIES.name {
                entries["properties"] = json!({ "residence_time": { "type": "boolean" } });
            }
            described(entries, section.doc)
        }
    }
}

fn described(mut schema: Value, doc: &str) -> Value {
    schema["description"] = json!(doc);
    schema
}

fn value_schema(kind: ValueKind) -> Value {
    // Where something else than a text is wanted, a text that begins with `=` is an expression for it.
    let expression = json!({ "type": "string", "pattern": "^=" });
    let position =
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 });
    match kind {
        ValueKind::Text | ValueKind::Quantity(_) => json!({ "type": "string" }),
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Whole => json!({ "anyOf": [{ "type": "integer" }, expression] }),
        ValueKind::Choice(choices) => json!({ "enum": choices }),
        ValueKind::Position => position,
        ValueKind::Positions | ValueKind::Pairs => json!({ "type": "array", "items": position }),
        ValueKind::Names => json!({ "type": "array", "items": { "type": "string" } }),
        ValueKind::Table => json!({ "type": "object" }),
        ValueKind::Repetition => {
            json!({ "anyOf": [{ "type": "integer" }, expression, { "type": "object" }] })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_schema_have_every_key() {
        let (page, schema) = (
            format_page(),
            json_schema(&[("tee".into(), "a tee".into())]),
        );
        for section in SECTIONS {
            let table = &schema["properties"][section.name];
            let table = match section.entry {
                Some(_) => &table["additionalProperties"],
                None => table,
            };
            for key in section.keys {
                assert!(page.contains(&format!("| `{}`", key.name)), "{}", key.name);
                assert!(
                    table["properties"][key.name].is_object(),
                    "{}.{}",
                    section.name,
                    key.name
                );
            }
        }
    }
}
