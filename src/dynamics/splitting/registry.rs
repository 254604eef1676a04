//! The methods by name.

use crate::lcp::{Purpose, entry};

/// Whether liquid may leave walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallKind {
    /// It sticks.
    Sticking,
    /// It may.
    Separating,
}

/// What ADMM is stopped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// `max |u - v|`.
    Velocity,
    /// `max |div u|`.
    Divergence,
}

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One solve with closed walls.
    OrigPs,
    /// One solve with closed walls, then those that the liquid leaves are opened.
    OrigPsSep,
    /// Alternating directions.
    Admm(Residual, WallKind),
    /// Iterated orthogonal projections.
    Iop(WallKind),
    /// Iterated projections whose solves know the walls.
    IopSepBc,
    /// The complementarity problem on the same grid, by a solver of `liquid/lcp`.
    Lcp(&'static str),
}

/// A row of the table of methods.
#[derive(Clone, Copy, Debug)]
pub struct MethodEntry {
    /// What it is called on the command line and in logs.
    pub name: &'static str,
    /// What \[003\] calls it.
    pub label: &'static str,
    /// The method.
    pub method: Method,
    /// In a sentence.
    pub summary: &'static str,
}

const fn row(
    name: &'static str,
    label: &'static str,
    method: Method,
    summary: &'static str,
) -> MethodEntry {
    MethodEntry {
        name,
        label,
        method,
        summary,
    }
}

/// All methods.
pub const METHODS: &[MethodEntry] = &[
    row(
        "orig-ps",
        "OrigPS",
        Method::OrigPs,
        "one solve with closed walls: liquid sticks",
    ),
    row(
        "orig-ps-sep",
        "OrigPSSep",
        Method::OrigPsSep,
        "one solve, walls opened afterwards: leaves divergence there",
    ),
    row(
        "admm-vel-sep",
        "ADMMVelSep",
        Method::Admm(Residual::Velocity, WallKind::Separating),
        "ADMM until both velocities agree",
    ),
    row(
        "admm-vel-stick",
        "ADMMVelStick",
        Method::Admm(Residual::Velocity, WallKind::Sticking),
        "ADMM until both velocities agree, sticking",
    ),
    row(
        "admm-div-sep",
        "ADMMDivSep",
        Method::Admm(Residual::Divergence, WallKind::Separating),
        "ADMM until the divergence is small",
    ),
    row(
        "admm-div-stick",
        "ADMMDivStick",
        Method::Admm(Residual::Divergence, WallKind::Sticking),
        "ADMM until the divergence is small, sticking",
    ),
    row(
        "iop-sep",
        "IOPDivSep",
        Method::Iop(WallKind::Separating),
        "iterated orthogonal projections",
    ),
    row(
        "iop-stick",
        "IOPDivStick",
        Method::Iop(WallKind::Sticking),
        "iterated orthogonal projections, sticking",
    ),
    row(
        "iop-sep-bc",
        "IOPDivSepBC",
        Method::IopSepBc,
        "iterated projections whose solves know the walls",
    ),
    row(
        "stairs-pi-pcg",
        "LCP PI-PCG",
        Method::Lcp("pi-pcg"),
        "complementarity at the same walls, policy iteration",
    ),
    row(
        "stairs-pi-mgpcg",
        "LCP PI-MGPCG",
        Method::Lcp("pi-mgpcg"),
        "complementarity at the same walls, policy iteration with multigrid",
    ),
];

/// A method's row by its name.
pub fn method(name: &str) -> Option<&'static MethodEntry> {
    METHODS.iter().find(|m| m.name == name)
}

impl Method {
    /// The method of a name of this table, or complementarity by a solver of `liquid/lcp`.
    pub fn named(name: &str) -> Option<Self> {
        let of_lcp = || entry(name).filter(|e| e.purpose == Purpose::Lcp);
        method(name)
            .map(|m| m.method)
            .or_else(|| Some(Method::Lcp(of_lcp()?.name)))
    }

    /// Whether liquid may leave walls.
    pub fn walls(self) -> WallKind {
        match self {
            Method::OrigPs => WallKind::Sticking,
            Method::Admm(_, walls) | Method::Iop(walls) => walls,
            Method::OrigPsSep | Method::IopSepBc | Method::Lcp(_) => WallKind::Separating,
        }
    }

    /// Its row of the table.
    pub fn entry(self) -> Option<&'static MethodEntry> {
        METHODS.iter().find(|m| m.method == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_of_complementarity_problems_are_methods_too() {
        assert_eq!(
            Method::named("iop-sep"),
            Some(Method::Iop(WallKind::Separating))
        );
        assert_eq!(Method::named("mprgp"), Some(Method::Lcp("mprgp")));
        assert_eq!(
            Method::named("pcg-mic"),
            None,
            "holds liquid at walls, as OrigPS does"
        );
        assert_eq!(Method::named("gauss"), None);
    }
}
