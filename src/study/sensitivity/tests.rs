//! Derivatives of designs of the library against differences of solves further away.

use stokeslet_cad::design::parse;
use stokeslet_flow::session::WantedResults;

use super::*;

/// Designs whose parameters are all tried; others have lengths that no mesh of theirs follows evenly, which the module's head speaks of.
const DESIGNS: [&str; 10] = [
    "straight",
    "tee",
    "y-mixer",
    "three-inlets",
    "bridge",
    "pockets",
    "spiral-delay",
    "gradient-generator",
    "serpentine-mixing",
    "voronoi-s4",
];

/// Steps of the differences, in units of [`STEP`]: their errors differ from those of the derivatives, which step once.
const AWAY: f64 = 0.5;

#[test]
fn derivatives_of_ten_designs_are_those_of_richardson_differences() {
    let (library, token) = (Library::embedded(), CancelToken::new());
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let (mut compared, mut all, mut failed) = (0, 0, 0);
    for name in DESIGNS {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
        let mut design = parse(&text, name).0.unwrap();
        design.resolution = Some(4);
        let table = Table::default();
        let settings = SolveSettings {
            resolution: 4,
            wanted: WantedResults::PortsOnly,
            ..SolveSettings::default()
        };
        let context = Context {
            text: &text,
            set: &[],
            library: &library,
            settings: &settings,
            table: &table,
            cancel: &token,
        };
        let chip = placed(&design, &context).unwrap();
        let outputs = Catalogue::new(&design, &chip).answers(&chip);
        let found = sensitivities(&design, &outputs, &context).unwrap();
        let solved = |parameter: &Parameter, steps: f64| {
            let value = parameter.value + steps * STEP * parameter.value.abs();
            let moved = moved(&design, parameter, value, &context).unwrap();
            let chip = placed(&moved, &context).unwrap();
            let mut conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
            if let Target::Port(k) = parameter.target {
                let step = steps * STEP * conditions[k].value().abs();
                conditions[k] = conditions[k].with_value(conditions[k].value() + step);
            }
            let eliminated = eliminate(&chip, &settings, &table, &silent, &token).unwrap();
            let solution = eliminated.solve(&conditions, &silent, &token).unwrap();
            let unknowns = solution.report.unknowns;
            let sampled = Sampled::new(moved, chip, solution, &token);
            let of = |output: &Output| output.of(&sampled).unwrap();
            (outputs.iter().map(of).collect::<Vec<f64>>(), unknowns)
        };
        for (parameter, derivatives) in found.parameters.iter().zip(&found.derivatives) {
            all += outputs.len();
            let label = format!("{name}: {}", parameter.name);
            let derivatives = match derivatives {
                Ok(derivatives) => derivatives,
                Err(reason) => {
                    eprintln!("{label}: {reason}");
                    continue;
                }
            };
            let at = [AWAY, -AWAY, 2.0 * AWAY, -2.0 * AWAY].map(|steps| solved(parameter, steps));
            let unknowns = solved(parameter, 0.0).1;
            if at.iter().any(|(_, n)| *n != unknowns) {
                eprintln!("{label}: meshes differ");
                continue;
            }
            let step = AWAY * STEP * parameter.value.abs();
            for (k, output) in outputs.iter().enumerate() {
                let central = |i: usize| (at[i].0[k] - at[i + 1].0[k]) / (2.0 * step);
                let want = (4.0 * central(0) - central(2) / 2.0) / 3.0;
                let got = derivatives[k].unwrap();
                // By elasticities, per cent in per cent: what is below a hundred-thousandth of the largest is rounding.
                let scale = found.values[k].unwrap() / parameter.value;
                let floor = 1e-7 * scale.abs();
                let error = (got - want).abs();
                if error > 1e-5 * want.abs() + floor {
                    eprintln!(
                        "{label}, {}: {got:e}, differences give {want:e}: {:.1e}",
                        output.name,
                        error / want.abs()
                    );
                    failed += 1;
                }
                compared += 1;
            }
        }
    }
    eprintln!("{compared} of {all} compared");
    assert_eq!(failed, 0, "of {compared}");
    assert!(compared > 9 * all / 10, "{compared} of {all}");
}
