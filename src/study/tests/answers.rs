//! Derivatives against differences of plain solves, and fits against what they were asked for.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::library::Library;
use stokeslet_study::fit::{Fit, Goal, Varied};
use stokeslet_study::output::Catalogue;
use stokeslet_study::sensitivity::{Context, sensitivities};
use support::{FOUR, TEE, sampler, settings, solve_alone};

#[test]
fn derivatives_are_those_of_richardson_differences_of_plain_solves() {
    let (library, table, token) = (Library::embedded(), Table::default(), CancelToken::new());
    let (design, chip) = sampler(TEE, &library, &table).chip(&[]).unwrap();
    let outputs = [Catalogue::new(&design, &chip)
        .output("q", "ports.left.flow_rate")
        .unwrap()];
    let context = Context {
        text: TEE,
        set: &[],
        library: &library,
        settings: &settings(),
        table: &table,
        cancel: &token,
    };
    let found = sensitivities(&design, &outputs, &context).unwrap();
    let names: Vec<&str> = found.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        &names[..6],
        ["w", "l", "p", "chip.width", "chip.depth", "viscosity"]
    );
    for (name, value, unit) in [("w", 1e-4, "m"), ("l", 2e-3, "m"), ("p", 1e3, "Pa")] {
        let flow = |part: f64| {
            let text = format!("{:e} {unit}", value * (1.0 + part));
            solve_alone(TEE, &[(name, text)]).ports[1].flow_rate
        };
        let h = 1e-3;
        let central = |h: f64| (flow(h) - flow(-h)) / (2.0 * h * value);
        // Just below 100 um one more slice fits across the pipe: forward there, of the fourth order as well.
        let want = match name {
            "w" => {
                let f = [0.0, 1.0, 2.0, 3.0, 4.0].map(|k| flow(k * h));
                (-25.0 * f[0] + 48.0 * f[1] - 36.0 * f[2] + 16.0 * f[3] - 3.0 * f[4])
                    / (12.0 * h * value)
            }
            _ => (4.0 * central(h) - central(2.0 * h)) / 3.0,
        };
        let k = names.iter().position(|n| *n == name).unwrap();
        let got = found.derivatives[k].as_ref().unwrap()[0].unwrap();
        assert!((got / want - 1.0).abs() < 1e-5, "{name}: {got:e} {want:e}");
    }
    // Pressure-driven flow falls as viscosity grows.
    let k = names.iter().position(|n| *n == "viscosity").unwrap();
    let q = found.values[0].unwrap();
    let slope = found.derivatives[k].as_ref().unwrap()[0].unwrap();
    assert!((slope * 1e-3 / q + 1.0).abs() < 1e-5, "{slope}");
}

#[test]
fn resistor_lengths_are_found_for_given_ratios() {
    let (library, table, token) = (Library::embedded(), Table::default(), CancelToken::new());
    let sampler = sampler(FOUR, &library, &table);
    let (design, chip) = sampler.chip(&[]).unwrap();
    let catalogue = Catalogue::new(&design, &chip);
    let goals: Vec<Goal> = [
        "ports.out1.flow_rate = 2 * ports.out2.flow_rate",
        "ports.out2.flow_rate = 1.5 * ports.out3.flow_rate",
        "ports.out3.flow_rate = ports.out4.flow_rate",
        "ports.inlet.flow_rate = 20 uL/min",
    ]
    .iter()
    .map(|text| Goal::parse(text, &catalogue).unwrap())
    .collect();
    let varied: Vec<Varied> = (1..=4)
        .map(|k| Varied {
            name: format!("l{k}"),
            start: 4e-3,
            bounds: (2e-4, 8e-2),
            powers: [0, 1, 0, 0, 0],
        })
        .collect();
    let fit = Fit {
        sampler: &sampler,
        set: &[],
        varied: &varied,
        goals: &goals,
        resolution: None,
        cancel: &token,
    };
    let fitted = fit.run(&mut |_, _| {}).unwrap();
    assert!(fitted.is_met, "{:?}", fitted.misses);
    let set: Vec<(&str, String)> = varied
        .iter()
        .zip(&fitted.values)
        .map(|(v, value)| (v.name.as_str(), format!("{value:e} m")))
        .collect();
    let q: Vec<f64> = solve_alone(FOUR, &set)
        .ports
        .iter()
        .map(|p| p.flow_rate)
        .collect();
    for (got, want) in [
        (q[1] / q[2], 2.0),
        (q[2] / q[3], 1.5),
        (q[3] / q[4], 1.0),
        (q[0] * 6e10, 20.0),
    ] {
        assert!((got / want - 1.0).abs() < 1e-3, "{got} {want}");
    }
}

/// Where an equation limits what is minimised, it is met as exactly as by itself.
#[test]
fn what_is_minimised_goes_as_far_as_equations_let_it() {
    let (library, table, token) = (Library::embedded(), Table::default(), CancelToken::new());
    let sampler = sampler(TEE, &library, &table);
    let (design, chip) = sampler.chip(&[]).unwrap();
    let catalogue = Catalogue::new(&design, &chip);
    let vary = |name: &str, start: f64, powers: [i32; 5]| Varied {
        name: name.into(),
        start,
        bounds: (start / 10.0, start * 10.0),
        powers,
    };
    let run = |varied: &[Varied], goals: &[&str]| {
        let goals: Vec<Goal> = goals
            .iter()
            .map(|goal| Goal::parse(goal, &catalogue).unwrap())
            .collect();
        let fit = Fit {
            sampler: &sampler,
            set: &[],
            varied,
            goals: &goals,
            resolution: None,
            cancel: &token,
        };
        fit.run(&mut |_, _| {}).unwrap()
    };
    let l = || vary("l", 2e-3, [0, 1, 0, 0, 0]);
    // The right arm is to be long, for less flow, but not so long that more than .7 of it take the left.
    let share = "ports.left.flow_rate / ports.inlet.flow_rate";
    let at_least = format!("{share} >= -0.7");
    let equation = format!("{share} = -0.7");
    let equal = run(&[l()], &[&equation]);
    assert!(equal.is_met && equal.is_settled);
    for goals in [
        [at_least.as_str(), "minimise ports.inlet.flow_rate"],
        [at_least.as_str(), "maximise 1 / ports.inlet.flow_rate"],
        [equation.as_str(), "minimise ports.inlet.flow_rate"],
    ] {
        let found = run(&[l()], &goals);
        assert!(found.is_met && found.is_settled, "{goals:?}: {found:?}");
        let apart = found.values[0] / equal.values[0] - 1.0;
        assert!(apart.abs() < 1e-4, "{goals:?}: {apart:e}");
    }
    // One that doesn't bind changes nothing.
    let goals = [
        "ports.inlet.flow_rate <= 1 L/min",
        "minimise ports.inlet.flow_rate",
    ];
    let loose = run(&[l()], &goals);
    assert!(loose.is_met && loose.is_settled);
    assert!(
        (loose.values[0] / 2e-2 - 1.0).abs() < 1e-6,
        "{:?}",
        loose.values
    );
}

#[test]
fn bounds_hold_and_goals_out_of_reach_are_said_to_be() {
    let (library, table, token) = (Library::embedded(), Table::default(), CancelToken::new());
    let sampler = sampler(TEE, &library, &table);
    let (design, chip) = sampler.chip(&[]).unwrap();
    let catalogue = Catalogue::new(&design, &chip);
    let run = |goal: &str| {
        let fit = Fit {
            sampler: &sampler,
            set: &[],
            varied: &[Varied {
                name: "l".into(),
                start: 2e-3,
                bounds: (1e-3, 4e-3),
                powers: [0, 1, 0, 0, 0],
            }],
            goals: &[Goal::parse(goal, &catalogue).unwrap()],
            resolution: None,
            cancel: &token,
        };
        fit.run(&mut |_, _| {}).unwrap()
    };
    let most = run("maximise ports.inlet.flow_rate");
    assert!(
        (most.values[0] / 1e-3 - 1.0).abs() < 1e-6,
        "{:?}",
        most.values
    );
    let far = run("ports.left.flow_rate = 20 * ports.right.flow_rate");
    assert!(
        !far.is_met && (far.values[0] / 4e-3 - 1.0).abs() < 1e-6,
        "{:?}",
        far.values
    );
    let bound = run("ports.inlet.flow_rate <= 1 L/min");
    assert!(
        bound.is_met && (bound.values[0] - 2e-3).abs() < 1e-9,
        "met at the start"
    );
    for goal in [
        "ports.inlet.flow_rate",
        "ports.x.flow_rate = 1 uL/s",
        "ports.inlet.flow_rate = 1 Pa",
    ] {
        assert!(Goal::parse(goal, &catalogue).is_err(), "{goal}");
    }
}
