//! Who makes a view's velocities free of divergence: of a scene a solver, and what walls do; of a tank a splitting method, which
//! says both; of another system's scene its settings.

use super::settings::{Choice, Walls};
use super::subjects::Group;
use super::systems::{Changes, label};
use stokeslet_dynamics::lcp::{Entry, Purpose, SOLVERS, entry};
use stokeslet_dynamics::splitting::{METHODS, MethodEntry, WallKind, method};
use stokeslet_dynamics::stepped::System;

/// What is chosen for a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Means {
    /// What solves a scene, and its walls.
    Solver(Choice),
    /// What solves a tank: a name of the registry of splitting methods.
    Method(String),
    /// How another system's scene is stepped.
    Settings {
        /// The system.
        system: &'static dyn System,
        /// What differs from the usual settings.
        changes: Changes,
        /// What a view with them is called.
        label: String,
    },
}

impl From<Choice> for Means {
    fn from(choice: Choice) -> Self {
        Means::Solver(choice)
    }
}

impl Means {
    /// Settings of a system.
    pub fn of_system(system: &'static dyn System, changes: Changes) -> Self {
        Means::Settings {
            label: label(system, &changes),
            system,
            changes,
        }
    }

    /// Its name in its registry.
    pub fn name(&self) -> &str {
        match self {
            Means::Solver(choice) => &choice.solver,
            Means::Method(name) => name,
            Means::Settings { label, .. } => label,
        }
    }

    /// The group that it is the means of.
    pub fn group(&self) -> Group {
        match self {
            Means::Solver(_) => Group::Scenes,
            Means::Method(_) => Group::Tanks,
            Means::Settings { system, .. } => Group::System(*system),
        }
    }

    /// What the papers call it.
    pub fn label(&self) -> &str {
        offer(self.group(), self.name()).map_or(self.name(), |offer| offer.label)
    }

    /// What walls do.
    pub fn walls(&self) -> Walls {
        let is_sticking = |name: &String| {
            method(name).is_some_and(|entry| entry.method.walls() == WallKind::Sticking)
        };
        match self {
            Means::Solver(choice) => choice.walls,
            Means::Method(name) if is_sticking(name) => Walls::Sticking,
            Means::Method(_) | Means::Settings { .. } => Walls::Separating,
        }
    }
}

/// One that may be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Its name in its registry.
    pub name: &'static str,
    /// What the papers call it.
    pub label: &'static str,
    /// In a sentence.
    pub summary: &'static str,
}

impl From<&Entry> for Offer {
    fn from(entry: &Entry) -> Self {
        Self {
            name: entry.name,
            label: entry.label,
            summary: entry.summary,
        }
    }
}

impl From<&MethodEntry> for Offer {
    fn from(entry: &MethodEntry) -> Self {
        Self {
            name: entry.name,
            label: entry.label,
            summary: entry.summary,
        }
    }
}

/// All that may be chosen for a group, in their order, under headings.
pub fn offers(group: Group) -> Vec<(&'static str, Vec<Offer>)> {
    let solvers = |purpose| {
        let all = SOLVERS.iter().filter(move |entry| entry.purpose == purpose);
        all.map(Offer::from).collect()
    };
    let methods = |walls| {
        let all = METHODS.iter().filter(move |m| m.method.walls() == walls);
        all.map(Offer::from).collect()
    };
    match group {
        Group::Scenes => vec![
            ("Solvers", solvers(Purpose::Lcp)),
            (
                "Without complementarity: liquid sticks",
                solvers(Purpose::Sticking),
            ),
            (
                "Variants that show where a method fails",
                solvers(Purpose::Ablation),
            ),
        ],
        Group::Tanks => vec![
            ("Liquid may leave walls", methods(WallKind::Separating)),
            ("Liquid sticks to walls", methods(WallKind::Sticking)),
        ],
        // Their settings are chosen one by one.
        Group::System(_) => Vec::new(),
    }
}

/// The one of a name.
pub fn offer(group: Group, name: &str) -> Option<Offer> {
    match group {
        Group::Scenes => entry(name).map(Offer::from),
        Group::Tanks => method(name).map(Offer::from),
        Group::System(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_of_both_registries_is_offered_once() {
        for (group, n) in [
            (Group::Scenes, SOLVERS.len()),
            (Group::Tanks, METHODS.len()),
        ] {
            let mut names: Vec<&str> = offers(group)
                .iter()
                .flat_map(|(_, all)| all.iter().map(|offer| offer.name))
                .collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), n, "{group:?}");
            assert!(names.iter().all(|name| offer(group, name).is_some()));
        }
        assert!(offer(Group::Scenes, "iop-sep").is_none());
        assert!(offer(Group::Tanks, "fas-mg").is_none());
    }

    #[test]
    fn a_method_says_what_walls_do() {
        let of = |name: &str| Means::Method(name.to_owned());
        assert_eq!(of("orig-ps").walls(), Walls::Sticking);
        assert_eq!(of("admm-vel-sep").walls(), Walls::Separating);
        assert_eq!(of("admm-vel-sep").label(), "ADMMVelSep");
        assert_eq!(Means::from(Choice::of("pgs")).label(), "PGS");
    }
}
