//! Rows 5 to 8 and 13 of the specification's table, on flows of this program.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, place};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::{SolveSettings, progress::silent, solve};
use stokeslet_species::{Inflow, Paths, Settings, Species, SpeciesResult};

/// A chip of width-1 channels, solved, and its paths.
fn paths(text: &str, resolution: u32) -> (Chip, Paths) {
    let head = "format = 1\nfluid = { viscosity = \"1 Pa s\" }\nchip = { width = \"1 m\" }\n";
    let (design, mistakes) = stokeslet_cad::design::parse(&format!("{head}{text}"), "row");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (chip, mistakes) = place(&design.unwrap(), &Library::embedded());
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let chip = chip.unwrap();
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    let solution = solve(
        &chip,
        &settings,
        &Table::default(),
        &silent,
        &CancelToken::new(),
    )
    .unwrap();
    let paths = Paths::of(&chip, &solution).unwrap();
    (chip, paths)
}

fn run(
    chip: &Chip,
    paths: &Paths,
    peclet: f64,
    inflow: &[(&str, f64)],
    tubes: usize,
) -> SpeciesResult {
    let inflow = chip.ports.iter().map(|p| {
        let value = inflow.iter().find(|i| i.0 == p.name).map_or(0.0, |i| i.1);
        Inflow::uniform(value)
    });
    let species = Species {
        name: "dye".into(),
        diffusivity: 1.0 / peclet,
        inflow: inflow.collect(),
    };
    let mut out =
        stokeslet_species::solve(chip, paths, &[species], Settings { tubes }, true).unwrap();
    let out = out.remove(0);
    assert!(out.balance.abs() < 1e-9, "balance {:e}", out.balance);
    assert!(out.range_violated < 1e-11, "range {:e}", out.range_violated);
    out
}

const TEE: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "4 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "LENGTH m" } } }
ports = { left = { at = "l.a", flow_rate = "0.5 m^2/s" }, up = { at = "u.a", flow_rate = "0.5 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;

/// `int u c (1 - c)` at a port.
fn unmixed(out: &SpeciesResult, port: usize) -> f64 {
    let s = out.streams.ports[port].as_ref().unwrap();
    s.flow
        .iter()
        .zip(&s.value)
        .map(|(w, c)| w * c * (1.0 - c))
        .sum()
}

#[test]
fn two_streams_meet_in_a_tee() {
    let (library, _) = (Library::embedded(), ());
    drop(library);
    for resolution in [8, 16] {
        // The tee's right socket, and so the length that puts the outlet 4 widths behind the branch's left wall.
        let (chip, paths) = paths(&TEE.replace("LENGTH", "3"), resolution);
        let socket = chip.parts[chip
            .parts
            .iter()
            .position(|p| p.name.starts_with('t'))
            .unwrap()]
        .shape
        .mouths();
        println!("tee mouths {socket:?}");
        for w in &paths.ways {
            println!(
                "inlets {} outlets {} bundles {} chains {} scale {}",
                w.inlets.len(),
                w.outlets.len(),
                w.bundles.len(),
                w.chains.len(),
                w.area_scale
            );
        }
        for (peclet, want) in [
            (100.0, 0.177457),
            (300.0, 0.106635),
            (1e3, 0.0588735),
            (3e3, 0.0340622),
            (1e4, 0.018674),
            (1e5, 0.005905),
        ] {
            let coarse = unmixed(&run(&chip, &paths, peclet, &[("up", 1.0)], 64), 2);
            let out = run(&chip, &paths, peclet, &[("up", 1.0)], 128);
            let fine = unmixed(&out, 2);
            let best = fine + (fine - coarse) / 3.0;
            println!(
                "r {resolution} Pe {peclet}: {coarse:.6} {fine:.6} {best:.6} want {want} tubes {} balance {:e} est {:e}",
                out.streams.ports[2].as_ref().unwrap().flow.len(),
                out.balance,
                out.estimated_error
            );
            assert!((best - want).abs() < 0.15 / peclet + 1e-3);
        }
    }
}
