//! Edits of the copies of repeated entries. What changes all copies alike changes the entry that they come from; otherwise they are written out,
//! one by one, and changed then.

use toml_edit::DocumentMut;

use super::{CHANNEL, COMPONENT, Edit, LINK, PORT, RewriteError, remove, section, set};
use crate::design::{Design, Parametric, Repetition, parse, print};

/// Edits with the text that they are to be made in.
type Resolved = (String, Vec<Edit>);

/// What is to be edited instead, and how; `None` where no edit touches a copy.
///
/// # Errors
/// What keeps copies from being written out.
pub(super) fn resolve(text: &str, edits: &[Edit]) -> Result<Option<Resolved>, RewriteError> {
    if !text.contains("repeat") {
        return Ok(None);
    }
    let (Some(before), _) = parse(text, "") else {
        return Ok(None);
    };
    let repetitions = &before.parametric.repetitions;
    // A new name is followed in whatever refers to the old one, which a counter in braces may do.
    let renames = edits
        .iter()
        .any(|e| matches!(e, Edit::Rename { .. } | Edit::RenamePort { .. }));
    let touched: Vec<&Repetition> = repetitions
        .iter()
        .filter(|one| {
            let of_all = || edits.iter().any(|edit| touches(edit, one).is_some());
            renames && repetitions.iter().any(|r| is_renamed(edits, r)) || of_all()
        })
        .collect();
    if touched.is_empty() {
        return Ok(None);
    }
    let mut document: DocumentMut = text.parse()?;
    for repetition in &touched {
        write_out(&mut document, repetition)?;
    }
    // Copies that aren't edited keep their expressions.
    super::super::variables::restore(&mut document, &before.parametric.expressions);
    let written = (document.to_string(), edits.to_vec());
    Ok(Some(match folded(text, edits, &touched) {
        Some(folded) if comes_to(&folded, &written) => folded,
        _ => written,
    }))
}

/// The name of the copy that an edit changes.
fn touches<'e>(edit: &'e Edit, repetition: &Repetition) -> Option<&'e str> {
    let (of_ports, name) = match edit {
        Edit::RemoveComponent(name) | Edit::RemoveChannel(name) => (false, name),
        Edit::Place { component, .. } | Edit::SetParameter { component, .. } => (false, component),
        Edit::Repeat { component, .. } | Edit::SetDimensions { component, .. } => {
            (false, component)
        }
        Edit::SetItemDepth { item, .. } => (false, item),
        Edit::Rename { from, .. } => (false, from),
        Edit::SetChannel(channel) => (false, &channel.name.value),
        Edit::RemovePort(name) => (true, name),
        Edit::RenamePort { from, .. } => (true, from),
        Edit::SetCondition { port, .. } => (true, port),
        Edit::SetExpression { keys, .. } => match keys.as_slice() {
            [of, name, _] if *of == repetition.section => (of == PORT.0, name),
            _ => return None,
        },
        _ => return None,
    };
    let is_of_it = of_ports == (repetition.section == PORT.0) && repetition.copies.contains(name);
    is_of_it.then_some(name)
}

fn is_renamed(edits: &[Edit], repetition: &Repetition) -> bool {
    let mut renames = edits
        .iter()
        .filter(|e| matches!(e, Edit::Rename { .. } | Edit::RenamePort { .. }));
    renames.any(|edit| touches(edit, repetition).is_some())
}

fn write_out(document: &mut DocumentMut, repetition: &Repetition) -> Result<(), RewriteError> {
    let all = [COMPONENT, CHANNEL, LINK, PORT];
    let named = all.into_iter().find(|named| named.0 == repetition.section);
    let named = named.unwrap_or(COMPONENT);
    remove(document, named, &repetition.name)?;
    let table = section(document, named.0)?;
    for (copy, printed) in repetition.copies.iter().zip(&repetition.printed) {
        set(table, copy, printed)?;
    }
    Ok(())
}

/// The edits of the first copy made to the entry, those of the others left out.
fn folded(text: &str, edits: &[Edit], touched: &[&Repetition]) -> Option<Resolved> {
    // What an expression comes to says nothing of what it is.
    let expresses = |e: &&Edit| matches!(e, Edit::SetExpression { .. });
    let mut expressing = edits.iter().filter(expresses);
    if expressing.any(|edit| touched.iter().any(|one| touches(edit, one).is_some())) {
        return None;
    }
    let mut out = Vec::new();
    for edit in edits {
        let of = touched
            .iter()
            .find_map(|one| Some((*one, touches(edit, one)?)));
        match of {
            None => out.push(edit.clone()),
            Some((repetition, name)) if repetition.copies.first().is_some_and(|c| c == name) => {
                out.push(moved_to(edit, &repetition.name)?);
            }
            Some(_) => {}
        }
    }
    Some((text.to_owned(), out))
}

fn moved_to(edit: &Edit, name: &str) -> Option<Edit> {
    let name = name.to_owned();
    Some(match edit.clone() {
        Edit::RemoveComponent(_) => Edit::RemoveComponent(name),
        Edit::RemoveChannel(_) => Edit::RemoveChannel(name),
        Edit::RemovePort(_) => Edit::RemovePort(name),
        Edit::Place { placement, .. } => Edit::Place {
            component: name,
            placement,
        },
        Edit::SetParameter {
            parameter, value, ..
        } => Edit::SetParameter {
            component: name,
            parameter,
            value,
        },
        Edit::SetItemDepth { depth, .. } => Edit::SetItemDepth { item: name, depth },
        Edit::SetDimensions { of, .. } => Edit::SetDimensions {
            component: name,
            of,
        },
        Edit::SetCondition { condition, .. } => Edit::SetCondition {
            port: name,
            condition,
        },
        _ => return None,
    })
}

/// Whether both come to the same design.
fn comes_to(a: &Resolved, b: &Resolved) -> bool {
    let plain = |(text, edits): &Resolved| -> Option<String> {
        let text = super::apply_all(text, edits).ok()?;
        let mut design: Design = parse(&text, "").0?;
        design.parametric = Parametric::default();
        design
            .components
            .sort_by(|a, b| a.name.value.cmp(&b.name.value));
        design
            .channels
            .sort_by(|a, b| a.name.value.cmp(&b.name.value));
        design.ports.sort_by(|a, b| a.name.value.cmp(&b.name.value));
        Some(print(&design))
    };
    plain(a).is_some_and(|a| plain(b).is_some_and(|b| a == b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Placement, Value, rewrite};
    use stokeslet_base::geometry::Point;
    use stokeslet_base::units::{Dimension, Radian};

    const POSTS: &str = r#"format = 1
fluid = { viscosity = "1 mPa s" }
chip = { width = "100 um" }
[components]
# a row
post = { kind = "chamber", at = ["0 mm", "5 mm"], parameters = { size = "1 mm" }, repeat = { count = 3, step = ["2 mm", "0 mm"] } }
pipe = { kind = "pipe", at = ["0 mm", "0 mm"] }
"#;

    fn place(name: &str, x: f64, y: f64) -> Edit {
        Edit::Place {
            component: name.to_owned(),
            placement: Placement::Absolute {
                at: Point::new(x, y),
                rotation: Radian(0.0),
                mirror: false,
            },
        }
    }

    fn size(name: &str, size: f64) -> Edit {
        Edit::SetParameter {
            component: name.to_owned(),
            parameter: "size".to_owned(),
            value: Some(Value::Quantity(size, Dimension::Length)),
        }
    }

    fn places(text: &str) -> Vec<(String, f64, f64)> {
        let design = parse(text, "").0.unwrap();
        let mut out: Vec<_> = design
            .components
            .iter()
            .map(|c| match c.placement {
                Placement::Absolute { at, .. } => (c.name.value.clone(), at.x, at.y),
                Placement::Attached(_) => (c.name.value.clone(), f64::NAN, f64::NAN),
            })
            .collect();
        out.sort_by(|a, b| a.0.cmp(&b.0));
        out
    }

    #[test]
    fn a_copy_that_is_moved_alone_is_written_out_with_its_siblings() {
        let text = rewrite(POSTS, &[place("post_2", 2e-3, 6e-3)]).unwrap();
        assert!(!text.contains("repeat"), "{text}");
        let want = [
            ("pipe", 0.0, 0.0),
            ("post_1", 0.0, 5e-3),
            ("post_2", 2e-3, 6e-3),
            ("post_3", 4e-3, 5e-3),
        ];
        assert_eq!(places(&text), want.map(|(n, x, y)| (n.to_owned(), x, y)));
    }

    #[test]
    fn what_changes_all_copies_alike_changes_their_entry() {
        let sizes = ["post_1", "post_2", "post_3"].map(|name| size(name, 1.5e-3));
        let text = rewrite(POSTS, &sizes).unwrap();
        assert_eq!(text, POSTS.replace("\"1 mm\" }", "\"1.5 mm\" }"));
        let moved = [
            place("post_1", 1e-3, 5e-3),
            place("post_2", 3e-3, 5e-3),
            place("post_3", 5e-3, 5e-3),
        ];
        let text = rewrite(POSTS, &moved).unwrap();
        assert_eq!(
            text,
            POSTS.replace("[\"0 mm\", \"5 mm\"]", "[\"1 mm\", \"5 mm\"]")
        );
        // Not alike: two of three.
        let text = rewrite(POSTS, &sizes[..2]).unwrap();
        assert!(
            text.contains("post_3") && !text.contains("repeat"),
            "{text}"
        );
    }

    #[test]
    fn a_component_becomes_a_grid_and_what_hangs_on_nothing_stays() {
        let edit = Edit::Repeat {
            component: "pipe".to_owned(),
            count: (2, 2),
            step: Point::new(3e-3, 1e-3),
        };
        let text = rewrite(POSTS, &[edit]).unwrap();
        assert!(
            text.contains("repeat = { count = [2, 2], step = [\"3 mm\", \"1 mm\"] }"),
            "{text}"
        );
        let names: Vec<String> = places(&text).into_iter().map(|p| p.0).collect();
        assert!(names.contains(&"pipe_2_2".to_owned()), "{names:?}");
        let gone = rewrite(&text, &[Edit::RemoveComponent("pipe_1_1".to_owned())]).unwrap();
        assert_eq!(places(&gone).len(), 6);
    }
}
