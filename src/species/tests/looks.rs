//! First looks: elements of order 1 beside those of the order that is chosen, at low Peclet numbers.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_cad::chip::Chip;
use stokeslet_flow::session::Solver;
use stokeslet_species::{Engine, Paths, Settings};
use support::{CROSS, TEE, by_first_inlet, designs, row};

const PECLETS: [f64; 4] = [0.01, 3.0, 10.0, 100.0];

/// Unknowns of the flow of the largest design.
const MOST: usize = 60_000;

/// Greatest error of an outlet's mean or segregation over what is said of it, of all Peclet numbers; 0 of a chip that is too large.
fn greatest(name: &str, chip: &Chip, resolution: u32) -> f64 {
    let solution = Solver::new(chip).resolution(resolution).solve().unwrap();
    if solution.report.unknowns > MOST {
        return 0.0;
    }
    let paths = Paths::of(chip, &solution).unwrap();
    let parts = PECLETS.map(|peclet| {
        let species = [by_first_inlet(chip, &paths, peclet)];
        let by = |most_order| {
            let settings = Settings {
                engine: Engine::Elliptic,
                most_order,
                ..Settings::default()
            };
            let solve = stokeslet_species::solve;
            solve(chip, &paths, &species, settings, false)
                .unwrap()
                .remove(0)
        };
        let [rough, best] = [1, 4].map(by);
        assert_eq!(rough.element_order, 1, "{name}");
        let off = rough.ports.iter().zip(&best.ports).map(|(a, b)| {
            let differ =
                |a: Option<f64>, b: Option<f64>| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs();
            differ(a.mean, b.mean).max(differ(a.segregation, b.segregation))
        });
        let off = off.fold(0.0, f64::max);
        let said = rough.error_of_discretisation;
        println!("{name} r {resolution} Pe {peclet}: {off:.1e}, {said:.1e} was said");
        off / said
    });
    parts.into_iter().fold(0.0, f64::max)
}

#[test]
fn order_1_is_as_near_as_it_says_at_low_peclet_numbers() {
    let mut worst = 0.0_f64;
    for (name, chip) in designs(false) {
        worst = worst.max(greatest(&name, &chip, 8));
    }
    for (name, text) in [("crossing", CROSS), ("tee", &TEE.replace("LENGTH", "1"))] {
        for r in [4, 8, 12] {
            worst = worst.max(greatest(name, &row(text, r).chip, r));
        }
    }
    println!("at most {worst:.2} of what is said");
    // Nearly one in the worst case, or it says too much.
    assert!((0.1..1.0).contains(&worst), "{worst}");
}
