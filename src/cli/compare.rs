//! `import --compare`: a network of MMFT solved, beside the laws of one dimension.

use std::fmt::Write as _;
use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::place;
use stokeslet::design::{DepthModel, Design};
use stokeslet::session::{SolveSettings, WantedResults, progress, solve};
use stokeslet::table::Table;
use stokeslet::{export, import};

use super::load::find_library;
use super::outcome::CliError;
use super::print_out;

/// Solves the design and writes a row a port: flow rates into the network by MMFT's laws, the duct's series, and ours.
///
/// # Errors
/// A solve that fails, a file that can't be written.
pub fn write(
    path: &Path,
    text: &str,
    design: &Design,
    resolution: u32,
    library: Option<&Path>,
) -> Result<(), CliError> {
    let library = find_library(library)?;
    // The import placed it before.
    let (Some(chip), _) = place(design, &library) else {
        let message = "the design can't be placed with this library".to_owned();
        return Err(CliError::Usage { message });
    };
    let Ok(laws) = import::mmft_laws(text) else {
        return Ok(());
    };
    let settings = SolveSettings {
        resolution,
        wanted: WantedResults::PortsOnly,
        ..SolveSettings::default()
    };
    let silent = &progress::silent;
    let solution = solve(
        &chip,
        &settings,
        &Table::default(),
        silent,
        &CancelToken::new(),
    )?;
    let mut out = String::from(
        "node,rectangular law [m^3/s],plane law [m^3/s],duct series [m^3/s],solved [m^3/s],solved over its own law - 1\n",
    );
    for (k, node) in laws.nodes.iter().enumerate() {
        let name = format!("node{node}");
        let Some(port) = solution.ports.iter().find(|port| port.id == name) else {
            continue;
        };
        let flow = port.flow_rate;
        let at = |law: &[f64]| law.get(k).copied();
        // The plane's law for the plane, the duct's series for the whole depth.
        let own = match chip.model {
            DepthModel::Planar => at(&laws.poiseuille),
            _ => at(&laws.exact),
        };
        let show = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:e}"));
        let difference = own.filter(|own| *own != 0.0).map(|own| flow / own - 1.0);
        // Writing into a String can't fail.
        let _ = writeln!(
            out,
            "{node},{},{},{},{flow:e},{}",
            show(at(&laws.rectangular)),
            show(at(&laws.poiseuille)),
            show(at(&laws.exact)),
            show(difference)
        );
    }
    export::write_file(path, out.as_bytes())?;
    print_out(&format!(
        "{}: {} ports, {} at resolution {resolution}\n",
        path.display(),
        laws.nodes.len(),
        chip.model.name()
    ))
}
