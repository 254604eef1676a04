//! The elliptic engine: rows 5, 6, 8 and 13 of the specification's table, pipes cut and joined, agreement with tubes.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_species::{Engine, Settings};
use support::{BEND, CROSS, H, Row, TEE, at_value, row, run, sine};

const ELEMENTS: Settings = Settings {
    tubes: 128,
    engine: Engine::Elliptic,
    tolerance: 1e-3,
};

/// Prints a case and says whether the true error is below the estimate and that below 20 times it (where it exceeds 1e-5).
fn judge(what: &str, got: f64, want: f64, estimate: f64) -> bool {
    let error = (got - want).abs();
    println!("{what}: {got:.7} want {want:.7}, error {error:.1e}, estimate {estimate:.1e}");
    error <= estimate && (error < 1e-5 || estimate <= 20.0 * error)
}

#[test]
fn two_streams_meet_in_a_tee_at_low_peclet_numbers() {
    let Row { chip, paths } = row(&TEE.replace("LENGTH", "3"), 8);
    for (peclet, want) in [
        (30.0, 0.242844),
        (100.0, 0.177457),
        (300.0, 0.106635),
        (1e3, 0.0588735),
    ] {
        let out = run(&chip, &paths, peclet, &[("up", 1.0)], ELEMENTS);
        let s = out.streams.ports[2].as_ref().unwrap();
        let got = s.mean() * (1.0 - s.mean()) - s.variance();
        judge(
            &format!(
                "tee Pe {peclet} order {} range {:.1e}",
                out.element_order, out.range_violated
            ),
            got,
            want,
            out.estimated_error,
        );
        assert!(
            (got - want).abs() < 3e-4,
            "Pe {peclet}: {got} against {want}"
        );
    }
}

#[test]
fn an_h_parts_what_has_not_crossed() {
    let Row { chip, paths } = row(H, 8);
    for (peclet, want) in [
        (10.0, 0.500125),
        (30.0, 0.518890),
        (100.0, 0.656392),
        (300.0, 0.794361),
        (1e3, 0.886500),
    ] {
        let out = run(&chip, &paths, peclet, &[("ul", 1.0)], ELEMENTS);
        let mean = out.ports[2].mean.unwrap();
        let got = mean.max(1.0 - mean);
        judge(
            &format!("H Pe {peclet} order {}", out.element_order),
            got,
            want,
            out.estimated_error,
        );
        assert!(
            (got - want).abs() < 1e-3,
            "Pe {peclet}: {got} against {want}"
        );
    }
}

#[test]
fn a_bend_is_not_its_centre_line() {
    let Row { chip, paths } = row(BEND, 8);
    for (peclet, want) in [
        (30.0, 0.0006016),
        (100.0, 0.0187596),
        (300.0, 0.0519104),
        (1e3, 0.0743772),
    ] {
        let out = stokeslet_species::solve(
            &chip,
            &paths,
            &[at_value(sine(peclet), peclet)],
            ELEMENTS,
            false,
        )
        .unwrap()
        .remove(0);
        let got = out.streams.ports[1].as_ref().unwrap();
        let got = got.variance() + (got.mean() - 0.5).powi(2);
        judge(
            &format!("bend Pe {peclet} order {}", out.element_order),
            got,
            want,
            out.estimated_error,
        );
        assert!(
            (got - want).abs() < 2e-4,
            "Pe {peclet}: {got} against {want}"
        );
    }
}

#[test]
fn two_streams_touch_in_a_crossing() {
    let Row { chip, paths } = row(CROSS, 8);
    for (peclet, east, north) in [
        (30.0, 0.74912, 0.12632),
        (100.0, 0.80821, 0.03769),
        (300.0, 0.82885, 0.00672),
        (1e3, 0.83322, 0.00017),
    ] {
        let out = run(&chip, &paths, peclet, &[("south", 1.0)], ELEMENTS);
        let (e, n) = (out.ports[2].mean.unwrap(), out.ports[3].mean.unwrap());
        judge(
            &format!("cross Pe {peclet} E order {}", out.element_order),
            e,
            east,
            out.estimated_error,
        );
        judge(
            &format!("cross Pe {peclet} N"),
            n,
            north,
            out.estimated_error,
        );
        assert!(
            (e - east).abs() < 1e-3 && (n - north).abs() < 1e-3,
            "Pe {peclet}: {e}, {n}"
        );
    }
}

/// Whatever the Peclet number, also where everything feels everything.
#[test]
fn balance_and_constants_hold_at_any_peclet_number() {
    let Row { chip, paths } = row(&TEE.replace("LENGTH", "3"), 4);
    for peclet in [1e-3, 0.1, 1.0, 10.0, 300.0] {
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
