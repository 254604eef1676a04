//! Raw arguments, as clap reads them. [`super::request`] judges what clap can't.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use stokeslet::METHODS;
use stokeslet::export::Format;
use stokeslet::species::Engine;

/// What pictures are coloured by where nothing is asked for.
pub const DEFAULT_PICTURE: &str = "speed";

const EXAMPLES: &str = "\
Examples:
  stokeslet gui designs/y-mixer.toml               draw and watch it flow
  stokeslet solve designs/y-mixer.toml             solve one design; results in results/y-mixer/
  stokeslet solve designs --out sweep --resume     all designs of a folder; what is done stays
  stokeslet check designs/y-mixer.toml             only look for mistakes
  stokeslet components tee                         the parameters of a component
  stokeslet export designs/y-mixer.toml --format dxf,gds,stl,mask   outlines for the workshop
  stokeslet sweep study.toml --out results/width   many chips from one design with variables
  stokeslet import network.json -o network.toml    a plain graph of channels becomes a design
  stokeslet layout network.toml -o drawn.toml      and its links become drawn channels

Exit codes: 0 fine, 1 the input has errors, 2 could not run, 3 accuracy not met.";

const SOLVE_EXAMPLES: &str = "\
Examples:
  stokeslet solve designs/tee.toml --resolution 16
  stokeslet solve designs/tee.toml --probe \"1 mm,0.5 mm\" --line \"0 mm,0 mm:2 mm,0 mm:101\"
  stokeslet solve designs/y-mixer.toml --streamlines 24 --walls --picture wall-shear
  stokeslet solve 'sweep/*.toml' --threads 8 --format json,csv --resume
  stokeslet solve designs/tee.toml --format system      the matrix, for another solver
  stokeslet solve sweep --ports-only                    flows, pressures and conductances; no fields
  stokeslet solve designs/tee.toml --profile            where the time goes

Each design's results are in DIR/<design name>/; DIR/results.csv has a row per design, also for those that failed.
Exit codes: 0 fine, 1 a design has errors, 2 could not run, 3 accuracy not met.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  stokeslet export designs/y-mixer.toml --format dxf,gds,stl,mask --out workshop
  stokeslet export designs/y-mixer.toml --format dxf --flat           closed polylines, as foundries want them
  stokeslet export designs/y-mixer.toml --format stl --solid block    to print, or as a mould
  stokeslet export designs/y-mixer.toml --format stl --patches        a solid for each port, for meshers

Exit codes: 0 fine, 1 a design has errors or no such file, 2 could not run.";

/// Designs microfluidic chips and solves the Stokes flow of the whole chip.
#[derive(Debug, Parser)]
#[command(name = "stokeslet", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Folder of component definitions of your own; they go before those of the same name that came with the program.
    #[arg(long, value_name = "DIR", global = true)]
    pub library: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve designs and write their results.
    Solve(SolveArgs),
    /// Look for mistakes in designs without solving them.
    Check(CheckArgs),
    /// List the component library, or show one component and its parameters.
    Components(ComponentsArgs),
    /// Print the format of design files, key by key, or a JSON schema of it for editors.
    Format(FormatArgs),
    /// Write outlines for the workshop: drawings, GDSII, solids, masks. Nothing is solved.
    Export(ExportArgs),
    /// Solve many chips from one design with variables: a table, charts; resumable, in shards, on clusters.
    Sweep(super::sweep::SweepArgs),
    /// What each width, length, depth, viscosity and port value does to each result.
    Sensitivity(super::sensitivity::SensitivityArgs),
    /// Find values of a design's variables that meet goals.
    Fit(super::fit::FitArgs),
    /// Turn a plain network of channels (JSON) into a design.
    Import(ImportArgs),
    /// Turn a design whose joints are links into a drawing: places, channels, nothing crossing.
    Layout(super::layout::LayoutArgs),
    /// Solve for a manufactured flow at several resolutions; prints errors and the orders at which they fall.
    Verify(VerifyArgs),
    /// Run liquids that separate from walls, and the papers' tables beside ours.
    #[cfg(feature = "dynamics")]
    Liquid(super::liquid::LiquidArgs),
    /// Run particle fluids with rigid bodies and contacts.
    #[cfg(feature = "dynamics")]
    Particles(super::stepped::args::SiblingArgs),
    /// Run rigid bodies, deformable meshes and material points with frictional contact.
    #[cfg(feature = "dynamics")]
    Contact(super::stepped::args::SiblingArgs),
    /// Run flows by PIC, FLIP, XPIC and APIC transfers, and draw what each of them loses.
    #[cfg(feature = "dynamics")]
    Apic(super::apic::ApicArgs),
    /// Draw chips in a window and watch them flow.
    #[cfg(feature = "gui")]
    Gui(super::gui::GuiArgs),
}

/// Arguments of `solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = SOLVE_EXAMPLES)]
pub struct SolveArgs {
    /// Design files, folders of them (*.toml), or patterns such as 'sweep/*.toml'.
    #[arg(required = true, value_name = "DESIGN")]
    pub designs: Vec<PathBuf>,
    /// Cell edges across a channel [default: what the design says, else 8]. Time grows like R^2 to R^3.
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(2..=512))]
    pub resolution: Option<u32>,
    /// Estimate the errors of port values, conductances and, where it has a limit, the peak wall shear, by solving at half the resolution too.
    #[arg(long)]
    pub error: bool,
    /// Choose the resolution by itself: as fine as the error estimate needs to be at most this part of the largest flow and
    /// pressure, such as 0.5%. Begins at --resolution.
    #[arg(long, value_name = "PART")]
    pub accuracy: Option<String>,
    /// How the depth enters, whatever the design says: planar (flow per unit depth), shallow (depth-averaged, with
    /// drag), full (three-dimensional; needs an even resolution, and time grows like R^4) or shallow-brinkman (shallow with the
    /// liquid's own viscosity in the plane: side layers 8 % too thin).
    #[arg(long, value_parser = PossibleValuesParser::new(stokeslet::design::DepthModel::ALL.map(|m| m.name())))]
    pub model: Option<String>,
    /// With the full model: layers of cells over half the depth, at least 2 [default: cells about as high as wide].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=512))]
    pub layers: Option<u32>,
    /// With the full model: solve the whole depth in twice the layers, rather than half of it by symmetry: the same result, for
    /// about eight times the work.
    #[arg(long)]
    pub whole_depth: bool,
    /// With the full model: how velocity is spread over ports of given flow: the exact flow in a duct, or the product of two parabolas.
    #[arg(long, default_value = "developed", value_parser = PossibleValuesParser::new(["developed", "bi-quadratic"]))]
    pub inflow: String,
    /// Cells at sharp inner corners, in planar and shallow chips: as large as elsewhere, or smaller and smaller towards them, which
    /// makes what bends, tees and steps resist three to a hundred times more exact for 30 to 60 % more unknowns.
    #[arg(long, default_value = "plain", value_parser = PossibleValuesParser::new(["plain", "graded"]))]
    pub corners: String,
    /// Where results go.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// What to write besides summary.json [default: vtu,svg,csv,json; with --ports-only csv,json]. `system` is the assembled
    /// matrix, for other solvers.
    #[arg(long, value_name = "FORMATS", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    pub format: Vec<String>,
    /// How unknowns are eliminated; results agree to rounding. fronts: whole parts, then groups of them. thesis: block rows by cyclic
    /// reduction and separators, as the thesis has it (planar and shallow chips); thesis-connections: the same with smaller rows.
    #[arg(long, default_value = METHODS[0].name(), value_parser = PossibleValuesParser::new(METHODS.map(|m| m.name())))]
    pub method: String,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Compute every operation where it occurs, to measure what caching brings.
    #[arg(long)]
    pub no_cache: bool,
    /// Refuse what needs more memory than this, e.g. 8GiB [default: the memory that is free].
    #[arg(long, value_name = "SIZE")]
    pub memory_limit: Option<String>,
    /// Report velocity and pressure at a point: metres or quantities, "1 mm,0.5 mm". May be repeated.
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub probe: Vec<String>,
    /// Sample N points from one point to another into line.csv. May be repeated.
    #[arg(long, value_name = "X0,Y0:X1,Y1:N", allow_hyphen_values = true)]
    pub line: Vec<String>,
    /// Follow streamlines, into streamlines.csv and streamlines.vtp: N of them from all inlets, PORT:N across one port, or the one
    /// through the point X,Y. May be repeated.
    #[arg(long, value_name = "N|PORT:N|X,Y", allow_hyphen_values = true)]
    pub streamlines: Vec<String>,
    /// Write the shear stress along every side wall: walls.csv, walls.vtp and a field of fields.vtu. In three dimensions that at half
    /// the depth.
    #[arg(long)]
    pub walls: bool,
    /// What picture.svg is coloured by: speed, pressure, wall-shear, shear-rate, stream-function, a species of the design, or age.
    #[arg(
        long,
        default_value = DEFAULT_PICTURE,
        value_name = "speed|pressure|wall-shear|shear-rate|stream-function|age|SPECIES"
    )]
    pub picture: String,
    /// Another diffusivity for a species of the design, e.g. dye=1e-9 m^2/s. May be repeated.
    #[arg(long, value_name = "NAME=D")]
    pub species: Vec<String>,
    /// Solve the flow only, without the design's species.
    #[arg(long)]
    pub no_species: bool,
    /// Estimated error of outlets' concentrations, over the range that enters, above which the exit code is 3.
    #[arg(long, value_name = "PART", default_value_t = 1e-3)]
    pub species_tolerance: f64,
    /// Tubes across a channel that species are followed in: more are more exact.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u16).range(16..=2048))]
    pub species_tubes: u16,
    /// What follows species: tubes between stream lines, elements, or what suits each region.
    #[arg(long, default_value = Engine::Auto.name(), value_parser = PossibleValuesParser::new(Engine::ALL.map(Engine::name)))]
    pub species_engine: String,
    /// Follow tracer particles along about N stream lines from the inlets, as frames that loop, in DIR/<design>/tracers; of a chip in space at mid-depth.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub tracers: Option<u16>,
    /// Compute the ports' flows and pressures and the conductance, but no fields: faster, and with less memory.
    #[arg(long, conflicts_with_all = ["probe", "line", "picture", "streamlines", "walls", "tracers"])]
    pub ports_only: bool,
    /// Print seconds by stage and tasks by kind, and write them as profile.json, with trace.json for ui.perfetto.dev or
    /// chrome://tracing.
    #[arg(long)]
    pub profile: bool,
    /// Set a variable of the designs, such as w=80um. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Skip designs whose results are complete and whose design and settings haven't changed.
    #[arg(long)]
    pub resume: bool,
}

/// Arguments of `format`.
#[derive(Debug, clap::Args)]
pub struct FormatArgs {
    /// The JSON schema, for editors that complete and check TOML.
    #[arg(long)]
    pub schema: bool,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Design files, folders of them (*.toml), or patterns.
    #[arg(required = true, value_name = "DESIGN")]
    pub designs: Vec<PathBuf>,
    /// Check the rules of a process too: a name such as `pdms` (files `components/processes/*.toml`) or a file *.toml.
    #[arg(long, value_name = "PROCESS")]
    pub process: Option<String>,
    /// Write what breaks the rules to DIR/<design name>.violations.csv, .json, .svg and .lyrdb (KLayout).
    #[arg(long, value_name = "DIR", requires = "process")]
    pub out: Option<PathBuf>,
    /// Set a variable of the designs, such as w=80um. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

/// Arguments of `components`.
#[derive(Debug, clap::Args)]
pub struct ComponentsArgs {
    /// Show this one with its parameters; without it, list all.
    pub name: Option<String>,
    /// Draw the component (or all of them) into this folder.
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// Design files, folders of them (*.toml), or patterns.
    #[arg(required = true, value_name = "DESIGN")]
    pub designs: Vec<PathBuf>,
    /// What to write: DXF in mm, GDSII, STL in mm, a photomask as SVG at true size, ParchMint (JSON).
    #[arg(long, required = true, value_name = "FORMATS", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(stokeslet::outline::Format::ALL.map(stokeslet::outline::Format::name)))]
    pub format: Vec<String>,
    /// Where files go: DIR/<design name> with the ending of each format.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// How far chords may be from their arcs, in GDSII [default: 5 nm] and STL [default: 1 um]. DXF and masks have arcs.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// GDSII: the database unit [default: 1 nm, or 0.1 nm where 1 nm changes the chip's area by over half a millionth].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub grid: Option<String>,
    /// DXF: the united outline, closed polylines only, instead of a block for each kind of part.
    #[arg(long)]
    pub flat: bool,
    /// A frame this far outside of the chip in DXF and GDSII; the edge of a mask [default: 1 mm] and of a block
    /// [default: 2 mm].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub margin: Option<String>,
    /// STL: the fluid, or a block with the channel open at the top.
    #[arg(long, default_value = "channel", value_parser = PossibleValuesParser::new(["channel", "block"]))]
    pub solid: String,
    /// STL: thickness of a block under the channel [default: 1 mm].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub floor: Option<String>,
    /// STL: depth of the channel [default: the design's].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub depth: Option<String>,
    /// Set a variable of the designs, such as w=80um. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// STL: text with a solid for each port and one for the walls, for meshers.
    #[arg(long)]
    pub patches: bool,
    /// Mask: black field with clear channels, or black channels.
    #[arg(long, default_value = "dark", value_parser = PossibleValuesParser::new(["dark", "clear"]))]
    pub polarity: String,
    /// Mask: of the flow, or of the control layer.
    #[arg(long, default_value = "flow", value_parser = PossibleValuesParser::new(["flow", "control"]))]
    pub layer: String,
}

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// The file: a plain network (nodes, channels, inlets and outlets) or a ParchMint netlist, as JSON.
    #[arg(value_name = "FILE.json")]
    pub network: PathBuf,
    /// The design file to write; `-` writes to stdout.
    #[arg(short, long, value_name = "DESIGN.toml")]
    pub output: PathBuf,
    /// What holds at ports of a netlist, by the file's names, such as `in1=2uL/min,out=0Pa`; else the first port of an island
    /// has 1 kPa and the others 0 Pa.
    #[arg(
        long,
        value_name = "PORT=VALUE,...",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub drive: Vec<String>,
    /// Valves of a netlist that are closed, by the file's names.
    #[arg(long, value_name = "VALVE,...", value_delimiter = ',')]
    pub close: Vec<String>,
    /// Solve a network of MMFT too, and write flow rates at its ports beside the laws of one dimension to this table.
    #[arg(long, value_name = "FILE.csv")]
    pub compare: Option<PathBuf>,
    /// Cell edges across a channel for --compare.
    #[arg(long, value_name = "R", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=64))]
    pub resolution: u32,
    /// Width of connections that tell none [default: 400 um].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub width: Option<String>,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// On the geometry of this design; without it, on a tee.
    #[arg(value_name = "DESIGN")]
    pub design: Option<PathBuf>,
    /// Resolutions to solve at.
    #[arg(long, value_name = "R,R,...", value_delimiter = ',', default_value = "4,8,16",
          value_parser = clap::value_parser!(u32).range(2..=512))]
    pub resolutions: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_misspelt_format_is_refused_with_a_suggestion() {
        let error = Args::try_parse_from(["stokeslet", "solve", "a.toml", "--format", "vtu,swg"])
            .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("svg") && text.contains("similar"), "{text}");
        assert_eq!(error.exit_code(), 2);
    }
}
