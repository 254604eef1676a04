//! Derivatives of designs of the library against differences of solves further away.

use stokeslet_cad::design::parse;
use stokeslet_flow::session::WantedResults;

use super::*;

/// Designs whose own meshes follow most of their lengths evenly.
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

/// A design, and what its solves share.
struct Case {
    text: String,
    design: Design,
    library: Library,
    settings: SolveSettings,
    table: Table,
    token: CancelToken,
}

impl Case {
    fn new(name: &str) -> Self {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
        let mut design = parse(&text, name).0.unwrap();
        design.resolution = Some(4);
        Self {
            text,
            design,
            library: Library::embedded(),
            settings: SolveSettings {
                resolution: 4,
                wanted: WantedResults::PortsOnly,
                ..SolveSettings::default()
            },
            table: Table::default(),
            token: CancelToken::new(),
        }
    }

    fn context(&self) -> Context<'_> {
        Context {
            text: &self.text,
            set: &[],
            library: &self.library,
            settings: &self.settings,
            table: &self.table,
            cancel: &self.token,
        }
    }

    fn outputs(&self) -> Vec<Output> {
        let chip = placed(&self.design, &self.context()).unwrap();
        Catalogue::new(&self.design, &chip).answers(&chip)
    }

    /// Outputs and unknowns of the design with a parameter moved by so many [`STEP`]s, on a mesh of its own.
    fn solved(&self, parameter: &Parameter, outputs: &[Output], steps: f64) -> (Vec<f64>, usize) {
        let value = parameter.value + steps * STEP * parameter.value.abs();
        let moved = moved(&self.design, parameter, value, &self.context()).unwrap();
        let chip = placed(&moved, &self.context()).unwrap();
        let mut conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
        if let Target::Port(k) = parameter.target {
            let step = steps * STEP * conditions[k].value().abs();
            conditions[k] = conditions[k].with_value(conditions[k].value() + step);
        }
        let eliminated =
            eliminate(&chip, &self.settings, &self.table, &silent, &self.token).unwrap();
        let solution = eliminated.solve(&conditions, &silent, &self.token).unwrap();
        let unknowns = solution.report.unknowns;
        let sampled = Sampled::new(moved, chip, solution, &self.token);
        let of = |output: &Output| output.of(&sampled).unwrap();
        (outputs.iter().map(of).collect(), unknowns)
    }
}

/// Widths and heights that no mesh of the chip's own follows evenly: Delaunay triangles flip, lines of grids part.
#[test]
fn derivatives_of_erratic_meshes_are_those_of_wide_differences() {
    const STEPS: f64 = 30.0;
    let mut compared = 0;
    for name in ["wide", "h-filter", "flow-focus"] {
        let case = Case::new(name);
        let outputs = case.outputs();
        let found = sensitivities(&case.design, &outputs, &case.context()).unwrap();
        for (parameter, derivatives) in found.parameters.iter().zip(&found.derivatives) {
            let label = format!("{name}: {}", parameter.name);
            let derivatives = match derivatives {
                Ok(derivatives) => derivatives,
                Err(reason) => {
                    // A width that is written once and joined to another part's.
                    assert!(reason.contains("D222"), "{label}: {reason}");
                    continue;
                }
            };
            let at = [STEPS, -STEPS].map(|steps| case.solved(parameter, &outputs, steps).0);
            for (k, output) in outputs.iter().enumerate() {
                let want = (at[0][k] - at[1][k]) / (2.0 * STEPS * STEP * parameter.value.abs());
                let got = derivatives[k].unwrap();
                let scale = (found.values[k].unwrap() / parameter.value).abs();
                let off = (got - want).abs();
                assert!(
                    off < 0.02 * (want.abs() + scale),
                    "{label}, {}: {got:e}, differences give {want:e}",
                    output.name
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn derivatives_of_ten_designs_are_those_of_richardson_differences() {
    let (mut compared, mut all, mut failed) = (0, 0, 0);
    for name in DESIGNS {
        let case = Case::new(name);
        let outputs = case.outputs();
        let found = sensitivities(&case.design, &outputs, &case.context()).unwrap();
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
            let at = [AWAY, -AWAY, 2.0 * AWAY, -2.0 * AWAY]
                .map(|steps| case.solved(parameter, &outputs, steps));
            let unknowns = case.solved(parameter, &outputs, 0.0).1;
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

/// Steps that go through changed parts alone end where those through all unknowns do.
#[test]
fn ports_alone_are_those_of_steps_through_all_unknowns() {
    let mut compared = 0;
    for name in ["tee", "three-inlets", "wide"] {
        let case = Case::new(name);
        let context = case.context();
        let chip = placed(&case.design, &context).unwrap();
        let with_fields = SolveSettings {
            wanted: WantedResults::All,
            ..case.settings.clone()
        };
        let made = eliminate(&chip, &with_fields, &case.table, &silent, &case.token).unwrap();
        let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
        let near = |wanted| {
            let solved = made.solve_and_keep(&conditions, wanted, &case.token);
            solved.unwrap().1.unwrap()
        };
        let of_all = near(WantedResults::All);
        let of_ports = near(WantedResults::PortsOnly);
        for parameter in parameters(&case.design).iter().filter(|p| !p.is_of_port()) {
            let value = parameter.value * (1.0 + STEP);
            let moved = moved(&case.design, parameter, value, &context).unwrap();
            let Ok(chip) = placed(&moved, &context) else {
                continue;
            };
            let ports = |near: &dyn Nearby| {
                let found = near.solve(&chip, &case.table, &case.token).unwrap();
                found.map(|solution| solution.ports)
            };
            let (Some(all), Some(alone)) = (ports(&*of_all), ports(&*of_ports)) else {
                continue;
            };
            let largest =
                |of: &dyn Fn(usize) -> f64| (0..all.len()).map(|k| of(k).abs()).fold(0.0, f64::max);
            let flow = largest(&|k| all[k].flow_rate);
            let pressure = largest(&|k| all[k].mean_pressure);
            for (a, b) in all.iter().zip(&alone) {
                let off = (a.flow_rate - b.flow_rate).abs() / flow
                    + (a.mean_pressure - b.mean_pressure).abs() / pressure;
                assert!(
                    off < 1e-9,
                    "{name}, {}: {off:e} at {}",
                    parameter.name,
                    a.id
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}
