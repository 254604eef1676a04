//! What must not change an answer: where a chip lies, how it is turned or mirrored, how many threads work; and what must hold backwards.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_flow::session::Solver;
use stokeslet_species::{Engine, Paths, Settings, SpeciesResult};
use support::{CROSS, H, Row, TEE, by_first_inlet, designs, dye, row};

const FIRST: &str = "at = [\"0 m\", \"0 m\"]";

/// Means, rates and ages of all ports, one after the other.
fn numbers(out: &SpeciesResult) -> Vec<f64> {
    let of = |p: &stokeslet_species::AtPort| {
        [
            p.mean,
            Some(p.rate),
            p.min,
            p.max,
            p.mixing_index,
            p.age_mean_s,
        ]
    };
    out.ports.iter().flat_map(of).flatten().collect()
}

fn follow(Row { chip, paths }: &Row, enters: &str, engine: Engine, peclet: f64) -> SpeciesResult {
    let settings = Settings {
        engine,
        ..Settings::default()
    };
    let species = dye(chip, 1.0 / peclet, &[(enters, 1.0)]);
    stokeslet_species::solve(chip, paths, &[species], settings, true)
        .unwrap()
        .remove(0)
}

#[test]
fn a_chip_moved_turned_or_mirrored_mixes_as_before() {
    let tee = TEE.replace("LENGTH", "3");
    for (name, text, enters) in [
        ("tee", &*tee, "up"),
        ("crossing", CROSS, "south"),
        ("H", H, "ul"),
    ] {
        let text = text.replace(", rotation = \"-90 deg\"", "");
        assert!(text.contains(FIRST), "{name} has a first part");
        let still = row(&text, 8);
        for placed in [
            "at = [\"13.7 m\", \"-4.1 m\"]",
            "at = [\"0 m\", \"0 m\"], rotation = \"37 deg\"",
            "at = [\"2 m\", \"1 m\"], rotation = \"90 deg\"",
            "at = [\"0 m\", \"0 m\"], mirror = true",
            "at = [\"-3 m\", \"8 m\"], rotation = \"-113 deg\", mirror = true",
        ] {
            let mut other = text.replace(FIRST, placed);
            if name == "H" && placed.contains("mirror") {
                // The second tee is attached as it is, not mirrored: its arms change sides.
                other = other
                    .replace("b.right", "b.LEFT")
                    .replace("b.left", "b.right");
                other = other.replace("b.LEFT", "b.left");
            }
            let moved = row(&other, 8);
            for (engine, peclet) in [
                (Engine::Elliptic, 30.0),
                (Engine::Elliptic, 300.0),
                (Engine::Tubes, 300.0),
                (Engine::Tubes, 1e4),
            ] {
                let both = [&still, &moved].map(|r| numbers(&follow(r, enters, engine, peclet)));
                assert_eq!(both[0].len(), both[1].len());
                let worst = both[0]
                    .iter()
                    .zip(&both[1])
                    .map(|(a, b)| (a - b).abs() / a.abs().max(1.0));
                let worst = worst.fold(0.0, f64::max);
                println!(
                    "{name} {placed}, {} Pe {peclet}: {worst:.1e}",
                    engine.name()
                );
                assert!(
                    worst < 1e-9,
                    "{name} {placed}, {} Pe {peclet}: {worst:e}",
                    engine.name()
                );
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let (_, chip) = designs(false)
        .into_iter()
        .find(|d| d.0 == "gradient-profile")
        .unwrap();
    let solution = Solver::new(&chip).resolution(4).solve().unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let paths = Paths::of(&chip, &solution).unwrap();
            let mut bits: Vec<u64> = Vec::new();
            for peclet in [10.0, 1e4] {
                let species = [by_first_inlet(&chip, &paths, peclet)];
                let settings = Settings::default();
                let out =
                    stokeslet_species::solve(&chip, &paths, &species, settings, true).unwrap();
                let values = out[0].nodal(&chip, &solution.fields, &paths, settings);
                let ages = out[0].nodal_ages(&chip, &solution.fields, &paths, settings);
                bits.extend(numbers(&out[0]).iter().map(|x| x.to_bits()));
                bits.extend(
                    values
                        .iter()
                        .chain(ages.iter().flatten())
                        .map(|x| x.to_bits()),
                );
            }
            bits
        })
    };
    let one = with(1);
    assert!(one.len() > 1000);
    for threads in [2, 5] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

/// `sum over outlets Q <m1> = volume`, and of the time to leave `sum over inlets Q <m1*> = volume`.
#[test]
fn ages_and_times_to_leave_add_up_to_the_volume() {
    let mut seen = 0;
    for (name, chip) in designs(false) {
        let solution = Solver::new(&chip).resolution(4).solve().unwrap();
        let ways = [
            Paths::of(&chip, &solution),
            Paths::backwards(&chip, &solution),
        ];
        let [forth, back] = ways.map(|w| w.unwrap_or_else(|e| panic!("{name}: {e}")));
        let volume: f64 = forth
            .net
            .pipes
            .iter()
            .filter(|p| p.flow.abs() > 1e-9 * forth.net.largest)
            .map(|p| p.length * p.width)
            .chain(
                forth
                    .net
                    .regions
                    .iter()
                    .filter(|r| r.sockets.iter().any(|m| m.outflow != 0.0))
                    .map(|r| r.area),
            )
            .sum();
        for (way, paths) in [("age", &forth), ("time to leave", &back)] {
            for peclet in [30.0, 1e4] {
                let species = [by_first_inlet(&chip, paths, peclet)];
                let settings = Settings {
                    tubes: 64,
                    engine: Engine::Tubes,
                    ..Settings::default()
                };
                let out = stokeslet_species::solve(&chip, paths, &species, settings, true).unwrap();
                let sum: f64 = (0..chip.ports.len())
                    .filter(|&k| paths.net.port_flow[k] < 0.0)
                    .filter_map(|k| Some(-paths.net.port_flow[k] * out[0].ports[k].age_mean_s?))
                    .sum();
                let off = (sum / volume - 1.0).abs();
                println!("{name}, {way}, Pe {peclet}: {off:.1e}");
                assert!(
                    off < 1e-9,
                    "{name}, {way}, Pe {peclet}: {sum} of {volume}, off {off:e}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 40);
}
