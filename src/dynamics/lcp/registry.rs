//! The solvers by name.

use super::LcpSolver;
use super::fas::{CoarseS, Fas, Scaling};
use super::fmg::Fmg;
use super::inner::Inner;
use super::mprgp::Mprgp;
use super::newton::MinimumMapNewton;
use super::penalty::Penalty;
use super::pgs::Pgs;
use super::policy::Policy;
use super::unbounded::{Factor, Unbounded};
use crate::mg::{Coarse, Recipe, Sides, Surfaces, Weights};

/// What a solver is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Solves complementarity problems; held to agree with all others.
    Lcp,
    /// Ignores `S`: liquid sticks to walls.
    Sticking,
    /// A variant that is kept to show where it fails; need not converge.
    Ablation,
}

/// A row of the table of solvers.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is called on the command line and in logs.
    pub name: &'static str,
    /// What the papers call it.
    pub label: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// In a sentence.
    pub summary: &'static str,
}

const fn row(
    name: &'static str,
    label: &'static str,
    purpose: Purpose,
    summary: &'static str,
) -> Entry {
    Entry {
        name,
        label,
        purpose,
        summary,
    }
}

/// All solvers.
pub const SOLVERS: &[Entry] = &[
    row(
        "pcg-mic",
        "No LCP",
        Purpose::Sticking,
        "conjugate gradients, MIC(0)",
    ),
    row(
        "pcg-ic",
        "No LCP (IC)",
        Purpose::Sticking,
        "conjugate gradients, IC(0)",
    ),
    row("pgs", "PGS", Purpose::Lcp, "projected Gauss-Seidel"),
    row(
        "psor",
        "PSOR",
        Purpose::Lcp,
        "projected over-relaxation, omega 1.5",
    ),
    row(
        "pi-pcg",
        "PI-PCG",
        Purpose::Lcp,
        "policy iteration, conjugate gradients with MIC(0)",
    ),
    row(
        "pi-pcg-ic",
        "PI-PCG (IC)",
        Purpose::Lcp,
        "policy iteration, conjugate gradients with IC(0)",
    ),
    row("pi-mg", "PI-MG", Purpose::Lcp, "policy iteration, V(2,2)"),
    row(
        "pi-mgpcg",
        "PI-MGPCG",
        Purpose::Lcp,
        "policy iteration, conjugate gradients with V(2,2)",
    ),
    row(
        "pe-pcg",
        "PE-PCG",
        Purpose::Lcp,
        "penalty, conjugate gradients with MIC(0)",
    ),
    row("pe-mg", "PE-MG", Purpose::Lcp, "penalty, V(2,2)"),
    row(
        "fas-mg",
        "FAS-MG",
        Purpose::Lcp,
        "full approximation scheme, barycentric, one-sided, Galerkin",
    ),
    row(
        "fas-aa",
        "FAS-AA",
        Purpose::Lcp,
        "FAS-MG, the best combination of the last three cycles (Anderson)",
    ),
    row(
        "fas-warm",
        "FAS warm",
        Purpose::Lcp,
        "FAS-AA from the pressures of the solve before",
    ),
    row(
        "fas-trilinear",
        "FAS trilinear",
        Purpose::Lcp,
        "FAS-MG with trilinear interpolation",
    ),
    row(
        "fas-simple",
        "FAS simple boundaries",
        Purpose::Lcp,
        "FAS-MG, weights lost at solids",
    ),
    row(
        "fas-visible",
        "FAS visible",
        Purpose::Lcp,
        "FAS-MG, coarse cells behind thin solids left out",
    ),
    row(
        "fas-plain-surface",
        "FAS plain surface",
        Purpose::Lcp,
        "FAS-MG as printed beside air: interpolation isn't damped",
    ),
    row(
        "fas-pwc",
        "FAS PWC",
        Purpose::Ablation,
        "FAS-MG with piecewise constant interpolation",
    ),
    row(
        "fas-direct",
        "FAS direct",
        Purpose::Ablation,
        "FAS-MG on coarse matrices of averaged geometry",
    ),
    row(
        "fas-centre-sign",
        "FAS centre sign",
        Purpose::Ablation,
        "FAS-MG, sides told by the sign at centres",
    ),
    row(
        "fas-literal",
        "FAS literal",
        Purpose::Ablation,
        "FAS-MG as printed, minimum map and surfaces",
    ),
    row(
        "fas-literal-simple",
        "FAS literal, simple",
        Purpose::Ablation,
        "as printed, weights lost at solids",
    ),
    row(
        "fas-all-children",
        "FAS all children",
        Purpose::Ablation,
        "FAS-MG, coarse S where all children are",
    ),
    row(
        "fmg",
        "FMG",
        Purpose::Lcp,
        "full cycles with bounds of [001], repaired",
    ),
    row(
        "fmg-literal",
        "FMG literal",
        Purpose::Ablation,
        "full cycles of [001] as printed; stalls",
    ),
    row(
        "cm11",
        "CM11",
        Purpose::Ablation,
        "3 full and 4 V-cycles of [001], whatever the residual",
    ),
    row(
        "cm11-edges",
        "CM11 on edges",
        Purpose::Ablation,
        "the same, pressures held where edges cross the wall",
    ),
    row(
        "cm11-hold",
        "CM11, no LCP",
        Purpose::Ablation,
        "3 full and 4 V-cycles of [001] without bounds, whatever the residual",
    ),
    row(
        "fmg-galerkin",
        "FMG Galerkin",
        Purpose::Ablation,
        "repaired full cycles on Galerkin matrices; stalls where many cells let go at once",
    ),
    row(
        "fmg-star",
        "FMG*",
        Purpose::Lcp,
        "full cycles of the full approximation scheme, 4 sweeps before and after",
    ),
    row(
        "monotone-v",
        "Monotone V",
        Purpose::Lcp,
        "V-cycles whose corrections keep all bounds",
    ),
    row(
        "newton",
        "Newton",
        Purpose::Lcp,
        "minimum-map Newton with plain conjugate gradients",
    ),
    row(
        "mprgp",
        "MPRGP",
        Purpose::Lcp,
        "bound-constrained conjugate gradients with V(2,2)",
    ),
];

/// The row of a name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    SOLVERS.iter().find(|e| e.name == name)
}

/// A new solver without a history.
pub fn solver<const D: usize>(name: &str) -> Option<Box<dyn LcpSolver<D>>> {
    let name = entry(name)?.name;
    let fas = |change: &dyn Fn(&mut Recipe)| {
        let mut recipe = Recipe::default();
        change(&mut recipe);
        Fas {
            name,
            recipe,
            guarded: ["fas-mg", "fas-aa", "fas-warm"].contains(&name),
            ..Fas::default()
        }
    };
    Some(match name {
        "pcg-mic" => Box::new(Unbounded {
            name,
            factor: Factor::Modified,
        }),
        "pcg-ic" => Box::new(Unbounded {
            name,
            factor: Factor::Plain,
        }),
        "pgs" => Box::new(Pgs { name, omega: 1.0 }),
        "psor" => Box::new(Pgs { name, omega: 1.5 }),
        "pi-pcg" => Box::new(Policy::new(name, Inner::Pcg(Factor::Modified))),
        "pi-pcg-ic" => Box::new(Policy::new(name, Inner::Pcg(Factor::Plain))),
        "pi-mg" => Box::new(Policy::new(name, Inner::Multigrid)),
        "pi-mgpcg" => Box::new(Policy::new(name, Inner::MultigridPcg)),
        "pe-pcg" => Box::new(Penalty::new(name, Inner::Pcg(Factor::Modified))),
        "pe-mg" => Box::new(Penalty::new(name, Inner::Multigrid)),
        "fas-mg" => Box::new(fas(&|_| {})),
        "fas-aa" => Box::new(Fas {
            mixing: 2,
            ..fas(&|_| {})
        }),
        "fas-warm" => Box::new(Fas {
            mixing: 2,
            warm: true,
            ..fas(&|_| {})
        }),
        "fas-trilinear" => Box::new(fas(&|r| r.weights = Weights::Trilinear)),
        "fas-plain-surface" => Box::new(fas(&|r| r.surfaces = Surfaces::Plain)),
        "fas-pwc" => Box::new(fas(&|r| r.weights = Weights::Constant)),
        "fas-simple" => Box::new(fas(&|r| r.sides = Sides::Simple)),
        "fas-visible" => Box::new(fas(&|r| r.sides = Sides::Visible)),
        "fas-centre-sign" => Box::new(fas(&|r| r.sides = Sides::CentreSign)),
        "fas-direct" => Box::new(fas(&|r| r.coarse = Coarse::Direct)),
        "fas-literal" => Box::new(Fas {
            scaling: Scaling::Literal,
            ..fas(&|r| r.surfaces = Surfaces::Plain)
        }),
        "fas-literal-simple" => Box::new(Fas {
            scaling: Scaling::Literal,
            ..fas(&|r| {
                r.sides = Sides::Simple;
                r.surfaces = Surfaces::Plain;
            })
        }),
        "fas-all-children" => Box::new(Fas {
            coarse_s: CoarseS::AllChildren,
            ..fas(&|_| {})
        }),
        "fmg" => Box::new(Fmg::repaired()),
        "fmg-literal" => Box::new(Fmg::literal()),
        "cm11" => Box::new(Fmg::cm11()),
        "cm11-edges" => Box::new(Fmg::cm11_edges()),
        "cm11-hold" => Box::new(Fmg::cm11_hold()),
        "fmg-galerkin" => Box::new(Fmg::galerkin()),
        "fmg-star" => Box::new(Fas::star()),
        "monotone-v" => Box::new(Fmg::monotone()),
        "newton" => Box::new(MinimumMapNewton),
        "mprgp" => Box::new(Mprgp),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_makes_a_solver_of_its_name() {
        for entry in SOLVERS {
            assert_eq!(solver::<2>(entry.name).unwrap().name(), entry.name);
            assert_eq!(solver::<3>(entry.name).unwrap().name(), entry.name);
        }
        assert!(solver::<2>("gauss").is_none());
    }
}
