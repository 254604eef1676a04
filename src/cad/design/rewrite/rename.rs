//! A component, channel, control shape or note gets another name, here and wherever it is referred to.

use toml_edit::{DocumentMut, Item, Key, TableLike, Value as TomlValue};

use super::{ITEMS, Named, PORT, RewriteError};

pub(super) fn rename(document: &mut DocumentMut, from: &str, to: &str) -> Result<(), RewriteError> {
    if from == to {
        return Ok(());
    }
    for named in ITEMS {
        if holds(document, named, to) {
            return Err(RewriteError::Taken {
                what: named.1,
                name: to.to_owned(),
            });
        }
    }
    let owner = ITEMS
        .into_iter()
        .find(|named| holds(document, *named, from));
    let Some((section, _)) = owner else {
        return Err(RewriteError::NotFound {
            what: "component, channel, control shape or note",
            name: from.to_owned(),
        });
    };
    rename_in(document.get_mut(section), from, to);
    rename_in(
        document.get_mut("sheets").and_then(|s| s.get_mut("of")),
        from,
        to,
    );
    rename_members(document, from, to);
    for (section, keys) in [
        ("components", &["to"][..]),
        ("channels", &["from", "to"]),
        ("links", &["from", "to"]),
        ("ports", &["at"]),
    ] {
        let Some(entries) = document.get_mut(section).and_then(Item::as_table_like_mut) else {
            continue;
        };
        for (_, item) in entries.iter_mut() {
            for key in keys {
                if let Some(value) = item
                    .as_table_like_mut()
                    .and_then(|table| table.get_mut(key))
                    .and_then(Item::as_value_mut)
                {
                    rename_reference(value, from, to);
                }
            }
        }
    }
    let pairs = document
        .get_mut("connections")
        .and_then(|item| item.get_mut("pairs"))
        .and_then(Item::as_array_mut);
    for pair in pairs.into_iter().flat_map(|pairs| pairs.iter_mut()) {
        for value in pair
            .as_array_mut()
            .into_iter()
            .flat_map(|pair| pair.iter_mut())
        {
            rename_reference(value, from, to);
        }
    }
    Ok(())
}

/// Renames a member of groups.
fn rename_members(document: &mut DocumentMut, from: &str, to: &str) {
    let groups = document.get_mut("groups").and_then(Item::as_table_like_mut);
    for (_, item) in groups.into_iter().flat_map(|table| table.iter_mut()) {
        let of = item
            .as_table_like_mut()
            .and_then(|table| table.get_mut("of"));
        let of = of.and_then(Item::as_array_mut);
        for value in of.into_iter().flat_map(|of| of.iter_mut()) {
            if value.as_str() == Some(from) {
                let decor = value.decor().clone();
                *value = TomlValue::from(to);
                *value.decor_mut() = decor;
            }
        }
    }
}

/// Renames a port, and the inlets of species that name it.
pub(super) fn rename_port(
    document: &mut DocumentMut,
    from: &str,
    to: &str,
) -> Result<(), RewriteError> {
    if from == to {
        return Ok(());
    }
    if holds(document, PORT, to) {
        return Err(RewriteError::Taken {
            what: PORT.1,
            name: to.to_owned(),
        });
    }
    if !holds(document, PORT, from) {
        return Err(RewriteError::NotFound {
            what: PORT.1,
            name: from.to_owned(),
        });
    }
    rename_in(document.get_mut(PORT.0), from, to);
    let species = document.get_mut("species");
    let species = species.and_then(Item::as_table_like_mut);
    for (_, item) in species.into_iter().flat_map(|table| table.iter_mut()) {
        let inlets = item.as_table_like_mut();
        rename_in(inlets.and_then(|table| table.get_mut("inlets")), from, to);
    }
    Ok(())
}

fn holds(document: &DocumentMut, (section, _): Named, name: &str) -> bool {
    let section = document.get(section);
    section.is_some_and(|item| item.get(name).is_some())
}

/// Renames a key of a table of either form, if it is there.
fn rename_in(item: Option<&mut Item>, from: &str, to: &str) {
    match item {
        Some(Item::Table(table)) => rename_key(table, from, to, |table, key, item| {
            table.insert_formatted(key, item);
        }),
        Some(Item::Value(TomlValue::InlineTable(table))) => {
            rename_key(table, from, to, |table, key, item| {
                if let Ok(value) = item.into_value() {
                    table.insert_formatted(key, value);
                }
            })
        }
        _ => {}
    }
}

/// Renames a key in its place: taking all entries out and putting them back keeps the order.
fn rename_key<T: TableLike>(table: &mut T, from: &str, to: &str, put: impl Fn(&mut T, &Key, Item)) {
    let keys: Vec<Key> = table
        .iter()
        .filter_map(|(name, _)| table.key(name).cloned())
        .collect();
    let items: Vec<Item> = table
        .iter_mut()
        .map(|(_, item)| std::mem::take(item))
        .collect();
    table.clear();
    for (key, item) in keys.into_iter().zip(items) {
        if key.get() == from {
            let decor = (key.leaf_decor().clone(), key.dotted_decor().clone());
            put(
                table,
                &Key::new(to)
                    .with_leaf_decor(decor.0)
                    .with_dotted_decor(decor.1),
                item,
            );
        } else {
            put(table, &key, item);
        }
    }
}

fn rename_reference(value: &mut TomlValue, from: &str, to: &str) {
    let renamed = value.as_str().and_then(|text| {
        text.strip_prefix(from)?
            .strip_prefix('.')
            .map(|socket| format!("{to}.{socket}"))
    });
    if let Some(renamed) = renamed {
        let decor = value.decor().clone();
        *value = TomlValue::from(renamed);
        *value.decor_mut() = decor;
    }
}
