//! Names for new things: tee1, tee2, ...

use std::collections::BTreeSet;

use crate::design::Design;

/// Leaves room for a number below the longest name that designs may have, bytes.
const MAX_BASE: usize = 80;

/// A name for a component, channel or overlay that the design doesn't have yet: `base` (without its own number) and the least free number.
pub fn fresh_name(design: &Design, base: &str) -> String {
    Names::of_items(design).fresh(base)
}

/// A name for a port that the design doesn't have yet: `base` itself if it is free.
pub fn fresh_port_name(design: &Design, base: &str) -> String {
    Names::of_ports(design).fresh_or_same(base)
}

/// Names that are in use; what is handed out is in use from then on.
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Names of components, channels and overlays, which share them.
    pub fn of_items(design: &Design) -> Self {
        let components = design.components.iter().map(|c| &c.name.value);
        let channels = design.channels.iter().map(|c| &c.name.value);
        let overlays = design.overlays.iter().map(|o| &o.name.value);
        Self(
            components
                .chain(channels)
                .chain(overlays)
                .cloned()
                .collect(),
        )
    }

    /// Names of ports.
    pub fn of_ports(design: &Design) -> Self {
        Self(design.ports.iter().map(|p| p.name.value.clone()).collect())
    }

    /// Names of groups.
    pub fn of_groups(design: &Design) -> Self {
        Self(design.groups.iter().map(|g| g.name.value.clone()).collect())
    }

    /// Names of dissolved species.
    pub fn of_species(design: &Design) -> Self {
        let all = design.species.species.iter();
        Self(all.map(|s| s.name.value.clone()).collect())
    }

    /// Whether a name is in use.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// A name with a number that isn't in use.
    pub fn fresh(&mut self, base: &str) -> String {
        self.numbered(base, 1)
    }

    /// `base` itself if it isn't in use, else with a number.
    pub fn fresh_or_same(&mut self, base: &str) -> String {
        if well_formed(base) == base && self.0.insert(base.to_owned()) {
            return base.to_owned();
        }
        self.numbered(base, 2)
    }

    fn numbered(&mut self, base: &str, first: usize) -> String {
        let stem = well_formed(base);
        let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let stem = if stem.is_empty() { "part" } else { stem };
        let free = (first..)
            .map(|k| format!("{stem}{k}"))
            .find(|name| !self.0.contains(name))
            .unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}

/// Letters, digits, `_` and `-` only, and not too many.
fn well_formed(base: &str) -> String {
    let good = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let name: String = base
        .chars()
        .map(|c| if good(c) { c } else { '_' })
        .collect();
    name[..name.floor_char_boundary(MAX_BASE)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\n[components]\ntee1 = { kind = \"tee\", at = [\"0 mm\", \"0 mm\"] }\n[channels]\ntee2 = { from = \"tee1.up\", via = [[\"0 mm\", \"1 mm\"]] }\n[ports]\ninlet = { at = \"tee1.left\", pressure = \"0 Pa\" }\n";

    #[test]
    fn names_are_the_least_free_ones_of_components_and_channels() {
        let design = crate::design::parse(TEXT, "x").0.expect("valid");
        assert_eq!(fresh_name(&design, "tee"), "tee3");
        assert_eq!(fresh_name(&design, "tee2"), "tee3");
        assert_eq!(fresh_name(&design, "a.b c"), "a_b_c1");
        assert_eq!(fresh_name(&design, "12"), "part1");
        assert_eq!(fresh_port_name(&design, "inlet"), "inlet2");
        assert_eq!(fresh_port_name(&design, "outlet"), "outlet");
        let long = "µ".repeat(300);
        assert!(fresh_name(&design, &long).len() <= 100);
    }
}
