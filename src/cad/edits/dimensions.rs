//! Dimensions: lengths and angles of components whose values are written beside them, as on a drawing.

use std::collections::BTreeSet;

use super::handles::{Handle, handles_of};
use super::{Drawing, Refusal};
use crate::design::{Component, Edit, Overlay, OverlayLayer, OverlayShape, Spanned};
use stokeslet_base::units::print_quantity;

/// A value that is written beside a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimensioned {
    /// The component.
    pub component: String,
    /// Which parameter, and where.
    pub handle: Handle,
}

/// Dimensions of the component of this number; none where it isn't placed, or for parameters that move nothing.
///
/// # Accuracy and cost
/// As [`super::handles`], a realisation a dimension.
pub fn dimensions_of(drawing: &Drawing<'_>, index: usize) -> Vec<Dimensioned> {
    let component = &drawing.design.components[index];
    let is_written = |name: &str| component.dimensions.iter().any(|d| d.value == name);
    let found = handles_of(drawing, index, is_written).into_iter();
    let one = |handle| Dimensioned {
        component: component.name.value.clone(),
        handle,
    };
    found.map(one).collect()
}

/// All dimensions of a design, in its order.
pub fn dimensions(drawing: &Drawing<'_>) -> Vec<Dimensioned> {
    let all = drawing.design.components.iter().enumerate();
    let with_some = all.filter(|(_, c)| !c.dimensions.is_empty());
    with_some
        .flat_map(|(index, _)| dimensions_of(drawing, index))
        .collect()
}

/// Dimensions as notes, for files: a text each, at the middle of what it measures.
pub fn dimension_notes(drawing: &Drawing<'_>) -> Vec<Overlay> {
    let note = |dimension: Dimensioned| {
        let Dimensioned {
            component, handle, ..
        } = dimension;
        let [from, to] = handle.span.unwrap_or([handle.at; 2]);
        let value = print_quantity(handle.value, handle.dimension);
        Overlay {
            name: Spanned::nowhere(format!("{component}.{}", handle.parameter)),
            layer: OverlayLayer::Notes,
            shape: OverlayShape::Text {
                at: (from + to) * 0.5,
                text: format!("{} {value}", handle.parameter.replace('_', " ")),
                size: None,
            },
        }
    };
    dimensions(drawing).into_iter().map(note).collect()
}

/// Writes the value of a parameter beside its component, or no longer.
///
/// # Errors
/// [`Refusal::NoItem`].
pub fn set_dimension(
    drawing: &Drawing<'_>,
    component: &str,
    parameter: &str,
    is_written: bool,
) -> Result<Vec<Edit>, Refusal> {
    let mut all = drawing.design.components.iter();
    let found = all.find(|c| c.name.value == component);
    let found = found.ok_or_else(|| Refusal::NoItem(component.to_owned()))?;
    let mut of: Vec<String> = written(found);
    if is_written && !of.iter().any(|name| name == parameter) {
        of.push(parameter.to_owned());
    } else if !is_written {
        of.retain(|name| name != parameter);
    }
    Ok(changed(found, of).into_iter().collect())
}

/// Writes all lengths and angles of what is selected beside it; where they are all there, none of them.
///
/// # Errors
/// [`Refusal::NothingSelected`] where nothing that is selected has any.
pub fn toggle_dimensions(
    drawing: &Drawing<'_>,
    selection: &BTreeSet<String>,
) -> Result<Vec<Edit>, Refusal> {
    let all = drawing.design.components.iter().enumerate();
    let selected = all.filter(|(_, c)| selection.contains(&c.name.value));
    let measured: Vec<(&Component, Vec<String>)> = selected
        .map(|(index, component)| {
            let found = handles_of(drawing, index, |_| true).into_iter();
            (component, found.map(|h| h.parameter).collect())
        })
        .filter(|(_, names): &(_, Vec<String>)| !names.is_empty())
        .collect();
    if measured.is_empty() {
        return Err(Refusal::NothingSelected);
    }
    let lacks = |(component, names): &(&Component, Vec<String>)| {
        let now = written(component);
        names.iter().any(|name| !now.contains(name))
    };
    let adds = measured.iter().any(lacks);
    let edits = measured.into_iter().filter_map(|(component, names)| {
        let mut of = written(component);
        match adds {
            true => {
                let more: Vec<String> = names.into_iter().filter(|n| !of.contains(n)).collect();
                of.extend(more);
            }
            false => of.clear(),
        }
        changed(component, of)
    });
    Ok(edits.collect())
}

fn written(component: &Component) -> Vec<String> {
    let names = component.dimensions.iter();
    names.map(|d| d.value.clone()).collect()
}

fn changed(component: &Component, of: Vec<String>) -> Option<Edit> {
    (of != written(component)).then(|| Edit::SetDimensions {
        component: component.name.value.clone(),
        of,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::lay_out;
    use crate::design::{Design, parse, print, rewrite};
    use crate::library::Library;
    use stokeslet_base::geometry::Point;

    const TEXT: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\n\
        p = { kind = \"pipe\", at = [\"1 mm\", \"0 mm\"], parameters = { length = \"3 mm\" } } # long\n\
        q = { kind = \"pipe\", attach = \"a\", to = \"p.b\", parameters = { length = \"=2 * 1 mm\" } }\n";

    fn read(text: &str) -> Design {
        parse(text, "x").0.expect("a design")
    }

    /// What an intention makes of a text.
    fn after(
        text: &str,
        intend: impl Fn(&Drawing<'_>) -> Result<Vec<Edit>, Refusal>,
    ) -> Result<String, Refusal> {
        let (design, library) = (read(text), Library::embedded());
        let layout = lay_out(&design, &library);
        let drawing = Drawing::new(&design, &layout, &library);
        Ok(rewrite(text, &intend(&drawing)?).expect("edited"))
    }

    fn found(text: &str) -> Vec<Dimensioned> {
        let (design, library) = (read(text), Library::embedded());
        let layout = lay_out(&design, &library);
        let drawing = Drawing::new(&design, &layout, &library);
        dimensions(&drawing)
    }

    #[test]
    fn what_is_measured_lies_between_the_ends_of_a_dimension() {
        let both = BTreeSet::from(["p".to_owned(), "q".to_owned()]);
        let text = after(TEXT, |d| toggle_dimensions(d, &both)).unwrap();
        assert!(text.contains("# long"), "{text}");
        assert!(
            text.contains("dimensions = [\"width\", \"length\"]"),
            "{text}"
        );
        let all = found(&text);
        let told: Vec<_> = all
            .iter()
            .map(|d| {
                let handle = &d.handle;
                (
                    d.component.as_str(),
                    handle.parameter.as_str(),
                    handle.is_expression,
                )
            })
            .collect();
        let want = [
            ("p", "width", false),
            ("p", "length", false),
            ("q", "width", false),
            ("q", "length", true),
        ];
        assert_eq!(told, want);
        let spans = [
            [(2.5e-3, 5e-5), (2.5e-3, -5e-5)],
            [(1e-3, 0.0), (4e-3, 0.0)],
            [(5e-3, 5e-5), (5e-3, -5e-5)],
            [(4e-3, 0.0), (6e-3, 0.0)],
        ];
        for (one, want) in all.iter().zip(spans) {
            let [from, to] = one.handle.span.expect("a line");
            let want = want.map(|(x, y)| Point::new(x, y));
            let is_so = |[a, b]: [Point; 2]| (from - a).norm() < 1e-7 && (to - b).norm() < 1e-7;
            let [a, b] = want;
            assert!(is_so([a, b]) || is_so([b, a]), "{one:?}");
        }
        // Printed, copied and renamed with the component.
        assert_eq!(found(&print(&read(&text))), all);
        // All are there: none is wanted any more.
        assert_eq!(after(&text, |d| toggle_dimensions(d, &both)).unwrap(), TEXT);
    }

    #[test]
    fn one_dimension_is_set_and_taken_away() {
        let set = |is_written| move |d: &Drawing<'_>| set_dimension(d, "p", "width", is_written);
        let with = after(TEXT, set(true)).unwrap();
        assert_eq!(found(&with).len(), 1);
        assert_eq!(after(&with, set(true)).unwrap(), with);
        assert_eq!(after(&with, set(false)).unwrap(), TEXT);
        assert!(matches!(
            after(TEXT, |d| set_dimension(d, "nobody", "width", true)),
            Err(Refusal::NoItem(_))
        ));
        assert!(matches!(
            after(TEXT, |d| toggle_dimensions(d, &BTreeSet::new())),
            Err(Refusal::NothingSelected)
        ));
    }

    #[test]
    fn what_is_no_length_is_told() {
        let text = TEXT.replace(
            "{ length = \"3 mm\" }",
            "{ length = \"3 mm\" }, dimensions = [\"lenght\"]",
        );
        let layout = lay_out(&read(&text), &Library::embedded());
        let told = layout.diagnostics.iter().find(|d| d.code == "D239");
        let told = told.expect("a warning");
        assert_eq!(told.help.as_deref(), Some("did you mean `length`?"));
        assert!(found(&text).is_empty());
        let (_, mistakes) = parse(text.replace("[\"lenght\"]", "[3]"), "x");
        assert_eq!(mistakes[0].code, "D006");
    }
}
