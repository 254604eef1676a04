//! Chips of the specification's table, solved, and what follows species through them.

#![allow(dead_code, reason = "each test uses its part")]

use faer::Mat;
use faer::linalg::solvers::Solve;
use stokeslet_cad::chip::{Chip, place};
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::library::Library;
use stokeslet_flow::session::Solver;
use stokeslet_species::elliptic::section::{Modes, Section};
use stokeslet_species::profile::Profile;
use stokeslet_species::{Inflow, Paths, Settings, Species, SpeciesResult};

pub const TEE: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "4 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "LENGTH m" } } }
ports = { left = { at = "l.a", flow_rate = "0.5 m^2/s" }, up = { at = "u.a", flow_rate = "0.5 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;

pub const BEND: &str = r#"
components = { b = { kind = "bend", at = ["0 m", "0 m"] }, i = { kind = "pipe", attach = "b", to = "b.a", parameters = { length = "2 m" } }, o = { kind = "pipe", attach = "a", to = "b.b", parameters = { length = "3 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;

pub const CROSS: &str = r#"
components = { x = { kind = "cross", at = ["0 m", "0 m"] }, w = { kind = "pipe", attach = "b", to = "x.left", parameters = { length = "4 m" } }, s = { kind = "pipe", attach = "b", to = "x.down", parameters = { length = "4 m" } }, e = { kind = "pipe", attach = "a", to = "x.right", parameters = { length = "2 m" } }, n = { kind = "pipe", attach = "a", to = "x.up", parameters = { length = "2 m" } } }
ports = { west = { at = "w.a", flow_rate = "0.5 m^2/s" }, south = { at = "s.a", flow_rate = "0.5 m^2/s" }, east = { at = "e.b", pressure = "0 Pa" }, north = { at = "n.b", flow_rate = "-0.4 m^2/s" } }
"#;

pub const H: &str = r#"
components = { a = { kind = "tee", at = ["0 m", "0 m"], rotation = "-90 deg" }, m = { kind = "pipe", attach = "a", to = "a.up", parameters = { length = "6 m" } }, b = { kind = "tee", attach = "up", to = "m.b" }, ul = { kind = "pipe", attach = "b", to = "a.left", parameters = { length = "2 m" } }, ll = { kind = "pipe", attach = "b", to = "a.right", parameters = { length = "2 m" } }, ur = { kind = "pipe", attach = "a", to = "b.right", parameters = { length = "2 m" } }, lr = { kind = "pipe", attach = "a", to = "b.left", parameters = { length = "2 m" } } }
ports = { ul = { at = "ul.a", flow_rate = "0.5 m^2/s" }, ll = { at = "ll.a", flow_rate = "0.5 m^2/s" }, ur = { at = "ur.b", pressure = "0 Pa" }, lr = { at = "lr.b", pressure = "0 Pa" } }
"#;

/// A chip and the paths of its fluid.
pub struct Row {
    pub chip: Chip,
    pub paths: Paths,
}

/// A chip of width-1 channels, solved, and its paths.
pub fn row(text: &str, resolution: u32) -> Row {
    let head = "format = 1\nfluid = { viscosity = \"1 Pa s\" }\nchip = { width = \"1 m\" }\n";
    let (design, mistakes) = stokeslet_cad::design::parse(format!("{head}{text}"), "row");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (chip, mistakes) = place(&design.unwrap(), &Library::embedded());
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let chip = chip.unwrap();
    let solution = Solver::new(&chip).resolution(resolution).solve().unwrap();
    let paths = Paths::of(&chip, &solution).unwrap();
    Row { chip, paths }
}

/// Designs of `designs/` that take minutes in the dev profile.
const LARGE: [&str; 5] = ["grid20", "voronoi-s15", "rgrid", "wide", "voronoi-s4"];

/// Every design of `designs/` in the plane, placed, by name; the large or the others.
pub fn designs(large: bool) -> Vec<(String, Chip)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if LARGE.contains(&&*name) != large {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let (design, mistakes) = stokeslet_cad::design::parse(&text, &name);
        assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
        let (chip, _) = place(&design.unwrap(), &Library::embedded());
        let chip = chip.unwrap();
        if chip.model != DepthModel::Full {
            out.push((name, chip));
        }
    }
    assert!(out.len() > 4, "designs were found");
    out
}

/// A species that enters by the first port with inflow, at a Peclet number of the greatest flow; by two fifths of that port where it is the only one.
pub fn by_first_inlet(chip: &Chip, paths: &Paths, peclet: f64) -> Species {
    let enters = |k: &usize| paths.net.port_flow[*k] > 1e-9 * paths.net.largest;
    let inlets: Vec<usize> = (0..chip.ports.len()).filter(enters).collect();
    let name = &*chip.ports[inlets[0]].name;
    let mut species = dye(chip, paths.net.largest / peclet, &[(name, 1.0)]);
    if inlets.len() == 1 {
        species.inflow[inlets[0]].steps.push((0.4, 0.0));
    }
    species
}

/// A species that enters by ports of some names.
pub fn dye(chip: &Chip, diffusivity: f64, inflow: &[(&str, f64)]) -> Species {
    let of = |name: &str| inflow.iter().find(|i| i.0 == name).map_or(0.0, |i| i.1);
    Species {
        name: "dye".into(),
        diffusivity,
        inflow: chip
            .ports
            .iter()
            .map(|p| Inflow::uniform(of(&p.name)))
            .collect(),
    }
}

/// Follows a species, and asserts its balance, and its range where tubes do it all.
pub fn run(
    chip: &Chip,
    paths: &Paths,
    peclet: f64,
    inflow: &[(&str, f64)],
    settings: Settings,
) -> SpeciesResult {
    let species = dye(chip, 1.0 / peclet, inflow);
    let out = stokeslet_species::solve(chip, paths, &[species], settings, false)
        .unwrap()
        .remove(0);
    assert!(
        out.balance.abs() < 1e-9,
        "Pe {peclet}: balance {:e}",
        out.balance
    );
    if out.element_order == 0 {
        assert!(
            out.range_violated < 1e-11,
            "Pe {peclet}: range {:e}",
            out.range_violated
        );
    }
    out
}

/// The sine of row 8 in steps, each its mean; symmetric, so that the turn's side doesn't matter.
pub fn sine(peclet: f64) -> Species {
    let n = 256;
    let wave = |eta: f64| -(std::f64::consts::PI * (eta - 0.5)).cos() / std::f64::consts::PI;
    let at = |k: usize| k as f64 / f64::from(n);
    let step = |k: usize| {
        (
            at(k),
            0.5 + 0.5 * (wave(at(k + 1)) - wave(at(k))) * f64::from(n),
        )
    };
    let steps = (0..n as usize).map(step).collect();
    Species {
        name: "dye".into(),
        diffusivity: 1.0 / peclet,
        inflow: vec![Inflow { steps }, Inflow::default()],
    }
}

/// The inflow whose flux is that of a pipe that has the species' concentration at its begin: rows of the table hold values there.
pub fn at_value(mut species: Species, peclet: f64) -> Species {
    let knots = (0..=16).map(|k| f64::from(k) / 16.0).collect();
    let section = Section {
        knots,
        order: 4,
        profile: Profile::PLANAR,
    };
    let modes = Modes::new(&section, peclet).unwrap();
    let n = section.n();
    let wave =
        |i: usize| 0.5 + 0.5 * (std::f64::consts::PI * (i as f64 / (n - 1) as f64 - 0.5)).sin();
    let amplitudes = modes
        .down_shape
        .partial_piv_lu()
        .solve(Mat::from_fn(n, 1, |i, _| wave(i)));
    let flux = &modes.down_flux * &amplitudes;
    let values = modes.nodal(&(0..n).map(|i| flux[(i, 0)]).collect::<Vec<_>>());
    let steps = species.inflow[0].steps.len();
    let at = |k: f64| k / steps as f64;
    species.inflow[0].steps = (0..steps)
        .map(|k| (at(k as f64), section.at(&values, at(k as f64 + 0.5))))
        .collect();
    species
}
