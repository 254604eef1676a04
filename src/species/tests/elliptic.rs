//! The elliptic engine: balance at any Peclet number, pipes cut and joined, ports without a pipe. What it is worth on the table: `accuracy`.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_species::{Engine, Settings};
use support::{Row, TEE, row, run, sine};

const ELEMENTS: Settings = Settings {
    tubes: 128,
    engine: Engine::Elliptic,
    tolerance: 1e-3,
    most_order: 4,
};

/// Whatever the Peclet number, also where everything feels everything.
#[test]
fn balance_and_constants_hold_at_any_peclet_number() {
    let Row { chip, paths } = row(&TEE.replace("LENGTH", "3"), 4);
    for peclet in [1e-6, 1e-3, 0.1, 1.0, 10.0, 300.0] {
        let out = run(&chip, &paths, peclet, &[("up", 1.0)], ELEMENTS);
        println!(
            "Pe {peclet}: {:?}, balance {:.1e}, range {:.1e}",
            out.ports[2].mean, out.balance, out.range_violated
        );
        let out = run(
            &chip,
            &paths,
            peclet,
            &[("up", 0.7), ("left", 0.7)],
            ELEMENTS,
        );
        assert!((out.ports[2].mean.unwrap() - 0.7).abs() < 1e-11);
    }
}

/// A4: where a pipe is cut doesn't matter.
#[test]
fn a_pipe_of_two_lengths_is_one_of_their_sum() {
    let both = "components = { a = { kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = { length = \"LENGTH m\" } } }\nports = { in = { at = \"a.a\", flow_rate = \"1 m^2/s\" }, out = { at = \"a.b\", pressure = \"0 Pa\" } }\n";
    let two = "components = { a = { kind = \"pipe\", at = [\"0 m\", \"0 m\"], parameters = { length = \"3 m\" } }, b = { kind = \"pipe\", attach = \"a\", to = \"a.b\", parameters = { length = \"4 m\" } } }\nports = { in = { at = \"a.a\", flow_rate = \"1 m^2/s\" }, out = { at = \"b.b\", pressure = \"0 Pa\" } }\n";
    let (one, two) = (row(&both.replace("LENGTH", "7"), 8), row(two, 8));
    for peclet in [3.0, 100.0] {
        let [a, b] = [&one, &two].map(|row| {
            let species = sine(peclet);
            let out = stokeslet_species::solve(&row.chip, &row.paths, &[species], ELEMENTS, false)
                .unwrap()
                .remove(0);
            out.streams.ports[1].clone().unwrap()
        });
        println!(
            "Pe {peclet}: {:.12} {:.12}, {:.3e} {:.3e}",
            a.mean(),
            b.mean(),
            a.variance(),
            b.variance()
        );
        assert!((a.mean() - b.mean()).abs() < 1e-9);
        assert!(
            (a.variance() - b.variance()).abs() < 1e-6,
            "{} against {}",
            a.variance(),
            b.variance()
        );
    }
}

/// A port right behind a region, without a pipe: what leaves there is known as well as behind a pipe.
#[test]
fn a_port_at_a_junction_says_what_leaves_by_it() {
    let pipe = ", r = { kind = \"pipe\", attach = \"a\", to = \"t.right\", parameters = { length = \"LENGTH m\" } }";
    assert!(TEE.contains(pipe), "the tee of the table");
    let text = TEE.replace(pipe, "").replace("r.b", "t.right");
    let Row { chip, paths } = row(&text, 8);
    let out = run(&chip, &paths, 100.0, &[("up", 1.0)], ELEMENTS);
    let right = &out.ports[2];
    assert!(out.regions_by_elements == 1 && out.regions_by_tubes == 0);
    assert!((right.mean.unwrap() - 0.5).abs() < 1e-5, "{right:?}");
    assert!((right.rate + 0.5).abs() < 1e-9, "{right:?}");
    let index = right.mixing_index.unwrap();
    let tubes = Settings {
        engine: Engine::Tubes,
        ..ELEMENTS
    };
    let other = run(&chip, &paths, 100.0, &[("up", 1.0)], tubes).ports[2]
        .mixing_index
        .unwrap();
    assert!((index - other).abs() < 0.02, "{index} and {other}");
}
