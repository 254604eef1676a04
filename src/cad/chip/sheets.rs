//! Which sheet every item lies on.

use rustc_hash::FxHashMap;

use super::assembly::Assembly;
use super::fault::error;
use crate::design::Design;
use stokeslet_base::diagnostic::{Reporter, nearest};

/// Puts components and channels on the sheets that the design names. False where it names what isn't there.
pub(super) fn assign(design: &Design, assembly: &mut Assembly<'_>, out: &mut Reporter) -> bool {
    if design.sheets.of.is_empty() {
        return true;
    }
    let n_items = assembly.names.len() - assembly.links.len();
    let items: FxHashMap<&str, usize> = assembly.names[..n_items]
        .iter()
        .enumerate()
        .map(|(item, name)| (name.value.as_str(), item))
        .collect();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    numbers.insert(&design.sheets.default, 0);
    let mut sheets = FxHashMap::default();
    let mut complete = true;
    for (name, sheet) in &design.sheets.of {
        let next = numbers.len();
        let number = *numbers.entry(sheet).or_insert(next);
        let fault = match items.get(name.value.as_str()) {
            None => {
                let known = items.keys().copied();
                let help =
                    nearest(&name.value, known).map(|near| format!("did you mean `{near}`?"));
                Some((
                    format!("there is no component or channel `{}`", name.value),
                    help,
                ))
            }
            Some(&item) => sheets.insert(item, number).map(|_| {
                let help = Some("a component lies on one sheet".to_owned());
                (format!("`{}` is on two sheets", name.value), help)
            }),
        };
        if let Some((message, help)) = fault {
            out.report(error("D330", &name.span, &name.value, message, help));
            complete = false;
        }
    }
    assembly.sheets = sheets;
    complete
}
