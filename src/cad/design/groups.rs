//! The section `[groups]`: things that are selected together. Nothing else follows from it.
//!
//! ```toml
//! [groups]
//! pump = { of = ["valve1", "valve2", "valve3", "line1"] }
//! ```

use toml::de::{DeTable, DeValue};

use super::names::ITEMS;
use super::print::{braces, names_of};
use super::sections::named_entries;
use super::table::{Node, Owner, Table};
use super::{Spanned, codes, keys};
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Things that are selected together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name, unique among groups.
    pub name: Spanned<String>,
    /// Names of components, channels, control shapes and notes, in the file's order.
    pub of: Vec<Spanned<String>>,
}

impl Group {
    /// Whether something belongs to it.
    pub fn has(&self, name: &str) -> bool {
        self.of.iter().any(|member| member.value == name)
    }
}

pub(super) fn read_groups(
    node: &Node<'_>,
    root: &DeTable<'_>,
    reporter: &mut Reporter,
) -> Vec<Group> {
    named_entries(node, "groups", reporter)
        .into_iter()
        .filter_map(|(name, node)| read_group(name, node, root, reporter))
        .collect()
}

fn read_group(
    name: Spanned<String>,
    node: &Node<'_>,
    root: &DeTable<'_>,
    reporter: &mut Reporter,
) -> Option<Group> {
    let what = Owner::Named("group", &name.value);
    let table = Table::open_node(node, what, &keys::GROUPS.names(), reporter)?;
    table.require(
        "of",
        "name what belongs to it: of = [\"valve1\", \"line1\"]",
        reporter,
    );
    let mut of = Vec::new();
    for member in table.list("of", reporter)? {
        let DeValue::String(text) = member.get_ref() else {
            table.wrong_type(
                "of",
                member,
                member.get_ref(),
                "a list of names in quotes",
                reporter,
            );
            return None;
        };
        if is_there(root, text) {
            of.push(Spanned {
                value: text.to_string(),
                span: member.span(),
            });
            continue;
        }
        // Nothing depends on it but what a click selects.
        let message = format!("{} has `{text}`, which isn't in the design", table.what);
        let warning = Diagnostic::warning(codes::MEMBER, message);
        reporter.report(
            warning
                .at(member.span())
                .with_help("rename it, or remove it"),
        );
    }
    Some(Group { name, of })
}

fn is_there(root: &DeTable<'_>, name: &str) -> bool {
    ITEMS
        .into_iter()
        .filter_map(|(section, _)| root.get(section)?.get_ref().as_table())
        .any(|table| table.contains_key(name))
}

/// `{ of = ["valve1", "line1"] }`
pub(super) fn group<'n>(of: impl Iterator<Item = &'n str>) -> String {
    braces(vec![format!("of = {}", names_of(of))])
}

#[cfg(test)]
mod tests {
    use crate::design::{parse, print};

    #[test]
    fn groups_are_read_and_what_is_not_there_is_told() {
        let text = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n\
            components = { p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] } }\n\
            [control]\nv = { box = [[\"0 m\", \"0 m\"], [\"1 mm\", \"1 mm\"]] }\n[groups]\npump = { of = [\"v\", \"p\", \"w\"] }\n";
        let (design, told) = parse(text, "x");
        let design = design.expect("a design");
        let codes: Vec<_> = told.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["D019"], "{told:?}");
        let names: Vec<&str> = design.groups[0]
            .of
            .iter()
            .map(|m| m.value.as_str())
            .collect();
        assert_eq!(names, ["v", "p"]);
        let (again, told) = parse(print(&design), "x");
        assert!(told.is_empty(), "{told:?}");
        assert_eq!(print(&again.expect("a design")), print(&design));
        let (_, told) = parse(text.replace("[\"v\", \"p\", \"w\"]", "\"v\""), "x");
        assert_eq!(told[0].code, "D006");
    }
}
