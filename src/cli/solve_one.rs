//! One design from its file to its folder of results.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Instant;

use stokeslet::cancel::CancelToken;
use stokeslet::chip::Chip;
use stokeslet::design::{DepthModel, Design};
use stokeslet::diagnostic::Diagnostic;
use stokeslet::export::readable::figures;
use stokeslet::export::{Digest, Format, Results, Samples, export};
use stokeslet::geometry::Point;
use stokeslet::library::Library;
use stokeslet::mesh::Corners;
use stokeslet::profile::{ProfileTable, Recorder};
use stokeslet::rules::thin_wall_warning;
use stokeslet::session::{
    DepthSettings, ErrorEstimate, Progress, Solution, SolveError, SolveSettings, Stage, Timings,
    advice, assembled_system, solve, solve_with_errors, with_arms,
};
use stokeslet::species::{Engine, SpeciesError};
use stokeslet::table::Table;
use thiserror::Error;

use super::args::DEFAULT_PICTURE;
use super::inputs::Input;
use super::load::{Loaded, load};
use super::outcome::{CliError, Outcome};
use super::profile;
use super::request::{Errors, Profiling, Resume, SolveRequest};
use super::species;
use super::stamp::{done_before, stamp};
use super::traces;
use stokeslet::session::memory;

/// What all designs of a run share.
pub struct Context<'a> {
    /// What was asked for.
    pub request: &'a SolveRequest,
    /// Components.
    pub library: &'a Library,
    /// Operations computed so far, for all designs.
    pub table: &'a Table,
    /// Used on Ctrl-C.
    pub cancel: &'a CancelToken,
    /// Where the numerical work is done.
    pub pool: &'a rayon::ThreadPool,
}

/// A design that was solved, now or before.
pub struct Done {
    /// For warnings.
    pub loaded: Loaded,
    /// For `results.csv`.
    pub digest: Digest,
    /// What this run did.
    pub how: How,
}

/// How a design came to be done.
pub enum How {
    /// By this run; for the table on the terminal.
    Solved(Box<Report>),
    /// By an earlier one.
    Before,
}

/// What is printed of a solve.
pub struct Report {
    /// The placed chip.
    pub chip: Chip,
    /// Without its fields, which take most of the memory.
    pub solution: Solution,
    /// At the probes.
    pub samples: Samples,
    /// Seconds by stage, complete.
    pub timings: Timings,
    /// How good the numbers are, where that was asked.
    pub errors: Option<ErrorEstimate>,
    /// Cell edges across a channel.
    pub resolution: u32,
    /// Where the time went, where that was asked.
    pub profile: Option<ProfileTable>,
    /// What is printed of dissolved species.
    pub species: String,
    /// Whether species are less exact than was asked.
    pub is_inaccurate: bool,
    /// Reynolds number where the flow is fastest, and where that is; `None` where only ports were wanted.
    pub reynolds: Option<(f64, Point)>,
}

/// Why a design has no results.
#[derive(Debug, Error)]
pub enum Failure {
    /// Mistakes in the design; `first` is one of them.
    #[error("{first}")]
    Design {
        /// For its diagnostics.
        loaded: Box<Loaded>,
        /// The first error, for the table of results.
        first: String,
    },
    /// A file that can't be read.
    #[error(transparent)]
    Read(#[from] CliError),
    /// The solve failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The accuracy that was asked for needs a finer mesh than there may be.
    #[error(
        "an accuracy of {} % needs a resolution of about {needed}; the finest is {MAX_RESOLUTION} (its error is about {} %)",
        figures(100.0 * .wanted), figures(100.0 * .reached)
    )]
    Accuracy {
        /// Relative error that was asked for.
        wanted: f64,
        /// Estimate at the last resolution.
        reached: f64,
        /// The resolution that would do.
        needed: u32,
    },
    /// Species that can't be followed.
    #[error(transparent)]
    Species(#[from] stokeslet::species::SpeciesError),
    /// Results that can't be written.
    #[error(transparent)]
    Export(#[from] stokeslet::export::ExportError),
    /// Our bug.
    #[error(transparent)]
    Crashed(#[from] stokeslet::session::Crashed),
}

impl Failure {
    /// The exit code's kind.
    pub fn outcome(&self) -> Outcome {
        match self {
            Failure::Design { .. } => Outcome::InputErrors,
            Failure::Accuracy { .. }
            | Failure::Solve(SolveError::NotConverged { .. } | SolveError::Imbalance { .. }) => {
                Outcome::Inaccurate
            }
            Failure::Species(
                SpeciesError::Still
                | SpeciesError::SlipWalls
                | SpeciesError::Depths
                | SpeciesError::ElementsInSpace,
            ) => Outcome::InputErrors,
            Failure::Read(_)
            | Failure::Solve(_)
            | Failure::Species(_)
            | Failure::Export(_)
            | Failure::Crashed(_) => Outcome::CouldNotRun,
        }
    }

    /// The status in `results.csv`.
    pub fn status(&self) -> &'static str {
        match self.outcome() {
            Outcome::InputErrors => "design_errors",
            Outcome::Inaccurate => "not_accurate",
            _ => "could_not_run",
        }
    }
}

/// Reads, places, solves and exports one design, or finds that it is done.
///
/// # Errors
/// Whatever keeps it from having results; nothing is written then.
pub fn solve_one(
    input: &Input,
    context: &Context<'_>,
    memory_limit: u64,
    progress: &Progress<'_>,
) -> Result<Done, Failure> {
    let begin = Instant::now();
    let clock = || begin.elapsed().as_secs_f64();
    let Context {
        request, cancel, ..
    } = context;
    if cancel.is_cancelled() {
        return Err(SolveError::Cancelled.into());
    }
    let recorder = match request.profiling {
        Profiling::On => Some(Arc::new(Recorder::with_memory(memory::peak))),
        Profiling::Off => None,
    };
    progress(Stage::Read, 0.0);
    let stage = recorder.as_ref().map(|r| r.stage("read, place"));
    let mut loaded = load(
        &input.path,
        &input.name,
        context.library,
        (request.model, &request.settings),
        &clock,
    )?;
    drop(stage);
    progress(Stage::Place, 1.0);
    let chip = loaded.chip.take();
    let ignored = chip.as_ref().and_then(|chip| ignored(chip, request));
    let asked = loaded
        .design
        .as_ref()
        .and_then(|design| species::check(design, &request.species));
    let asked = asked.or_else(|| traces::check(chip.as_ref()?, &request.streamlines));
    let asked = asked.or_else(|| traces::check_picture(chip.as_ref()?, request.colouring));
    let wrong = ignored.or(asked);
    loaded.diagnostics.extend(wrong.clone());
    let Some(chip) = chip.filter(|_| wrong.is_none()) else {
        return Err(refused(loaded));
    };
    let follows = !request.species.skip
        && loaded
            .design
            .as_ref()
            .is_some_and(|d| !d.species.species.is_empty());
    let by_elements = request.species.settings.engine == Engine::Elliptic;
    if follows && by_elements && chip.model == DepthModel::Full {
        // Before minutes are spent on the flow.
        return Err(SpeciesError::ElementsInSpace.into());
    }
    let mut settings = SolveSettings {
        recorder: recorder.clone(),
        ..settings(&loaded, request, memory_limit)
    };
    let stamp = stamp(
        &chip,
        loaded.design.as_ref(),
        loaded.title.as_deref(),
        &settings,
        request,
    );
    let folder = request.out.join(&input.folder);
    if request.resume == Resume::SkipDone
        && let Some(digest) = done_before(&folder, &stamp, request)
    {
        return Ok(Done {
            loaded,
            digest,
            how: How::Before,
        });
    }
    let (mut solution, errors) = context
        .pool
        .install(|| fine_enough(&chip, &mut settings, context, progress))?;
    let system = match request.formats.contains(&Format::System) {
        true => Some(
            context
                .pool
                .install(|| assembled_system(&chip, &settings, context.table, progress, cancel))?,
        ),
        false => None,
    };
    let asks =
        |design: &&Design| !design.species.species.is_empty() || design.species.residence_time;
    let dissolved = loaded.design.as_ref().filter(asks);
    let stage = recorder.as_ref().filter(|_| dissolved.is_some());
    let stage = stage.map(|r| r.stage("species"));
    // Cells of the solution lie in parts as they were meshed.
    let meshed = with_arms(&chip, settings.resolution, settings.corners);
    let mut found = match dissolved {
        Some(design) => {
            let run = || {
                species::run(
                    design,
                    &meshed,
                    &solution,
                    &request.species,
                    &request.formats,
                )
            };
            match (context.pool.install(run), design.species.species.first()) {
                // A mistake in the design, which only its flow tells.
                (Err(SpeciesError::Still), Some(first)) => {
                    let message = format!(
                        "nothing flows through this chip, so nothing carries `{}`",
                        first.name.value
                    );
                    let diagnostic = Diagnostic::error("D410", message)
                        .at(first.name.span.clone())
                        .about(first.name.value.clone())
                        .with_help("give a port a flow rate, or two ports different pressures; --no-species solves without");
                    loaded.diagnostics.push(diagnostic);
                    return Err(refused(loaded));
                }
                (found, _) => found?,
            }
        }
        None => species::Found::default(),
    };
    drop(stage);
    let traced = context
        .pool
        .install(|| traces::add(&chip, &solution, request, &mut found.extra));
    loaded.diagnostics.extend(traced);
    loaded.diagnostics.extend(found.warnings);
    let wall = loaded.design.as_ref();
    let wall = wall.and_then(|design| thin_wall_warning(design, &chip));
    loaded.diagnostics.extend(wall);
    if !request.settings.is_empty() {
        let set = request.settings.iter().map(|s| (&*s.name, &*s.value));
        let set: BTreeMap<&str, &str> = set.collect();
        found.extra.summary.insert("set", serde_json::json!(set));
    }
    let density = loaded.design.as_ref().and_then(|d| d.density).map(|d| d.0);
    let doubts = advice::of_solved(&chip, settings.resolution, &solution, density);
    loaded.diagnostics.extend(doubts);
    let results = Results {
        chip: &chip,
        title: loaded.title.as_deref(),
        resolution: settings.resolution,
        solution: &solution,
        errors: errors.as_ref(),
        system: system.as_ref(),
        probes: &request.probes,
        lines: &request.lines,
        colouring: found.colouring.unwrap_or(request.colouring),
        extra: &found.extra,
        timings: Timings {
            read: loaded.seconds[0],
            place: loaded.seconds[1],
            ..solution.report.timings
        },
        clock: &clock,
        peak_memory: &memory::peak,
        stamp: &stamp,
    };
    // Of another solve; after a failure the old results are better without a profile than the new ones with the old.
    profile::remove(&folder)?;
    let stage = recorder.as_ref().map(|r| r.stage("export"));
    let exported = match export(&folder, &request.formats, &results, progress, cancel) {
        Err(e) if e.source.kind() == ErrorKind::Interrupted => {
            return Err(SolveError::Cancelled.into());
        }
        exported => exported?,
    };
    drop(stage);
    super::tracers::remove(&folder)?;
    let mut printed = found.text;
    if let Some(n) = request.tracers {
        let paths = context
            .pool
            .install(|| stokeslet::species::Paths::of(&meshed, &solution))?;
        printed += &super::tracers::write(&folder, &meshed, &solution.fields, &paths, n)?;
    }
    let reynolds = advice::reynolds(&chip, &solution, density.unwrap_or(advice::WATER));
    let profile = match &recorder {
        Some(recorder) => Some(profile::write(&folder, &recorder.profile())?),
        None => None,
    };
    solution.fields = Default::default();
    Ok(Done {
        loaded,
        digest: exported.digest,
        how: How::Solved(Box::new(Report {
            solution,
            samples: exported.samples,
            timings: exported.timings,
            errors,
            resolution: settings.resolution,
            profile,
            species: printed,
            is_inaccurate: found.inaccurate,
            reynolds,
            chip,
        })),
    })
}

/// The failure of a design with errors among its diagnostics.
fn refused(loaded: Loaded) -> Failure {
    let first = loaded.diagnostics.iter().max_by_key(|d| d.severity);
    Failure::Design {
        first: first.map_or_else(
            || "the design has errors".into(),
            |d| format!("{}: {}", d.code, d.message),
        ),
        loaded: Box::new(loaded),
    }
}

/// The finest resolution that `--accuracy` tries.
const MAX_RESOLUTION: u32 = 512;

/// Most resolutions that `--accuracy` tries.
const MAX_TRIES: usize = 6;

/// Solves, with an estimate of the errors where they were asked for, at the resolution of the settings or at the one that the
/// accuracy asked for needs, which is put into the settings.
fn fine_enough(
    chip: &Chip,
    settings: &mut SolveSettings,
    context: &Context<'_>,
    progress: &Progress<'_>,
) -> Result<(Solution, Option<ErrorEstimate>), Failure> {
    let Context { table, cancel, .. } = context;
    let mut tries = 0;
    loop {
        if context.request.errors == Errors::Unknown {
            let solution = solve(chip, settings, table, progress, cancel)?;
            return Ok((solution, None));
        }
        let (solution, errors) = solve_with_errors(chip, settings, table, progress, cancel)?;
        let Errors::AtMost(wanted) = context.request.errors else {
            return Ok((solution, Some(errors)));
        };
        if errors.relative <= wanted {
            return Ok((solution, Some(errors)));
        }
        tries += 1;
        let next = errors.resolution_for(wanted, settings.resolution);
        let needed = next.max(settings.resolution + 2);
        if needed > MAX_RESOLUTION || tries == MAX_TRIES {
            return Err(Failure::Accuracy {
                wanted,
                reached: errors.relative,
                needed,
            });
        }
        settings.resolution = needed;
    }
}

/// What is wrong where something was asked for that would change nothing: settings of three dimensions of a chip that is solved in two and the other way
/// round, or the colours of a picture that isn't written.
fn ignored(chip: &Chip, request: &SolveRequest) -> Option<Diagnostic> {
    let is_full = chip.model == DepthModel::Full;
    let (message, help) = if !is_full && request.depth != DepthSettings::default() {
        (
            format!(
                "--layers, --whole-depth and --inflow are for the full model; this chip is solved with the {} model",
                chip.model.name()
            ),
            "add `--model full`, or leave them out",
        )
    } else if is_full && request.corners != Corners::default() {
        (
            "--corners is for the plane models; this chip is solved with the full model".to_owned(),
            "leave it out, or add `--model shallow`",
        )
    } else if request.species.picture != DEFAULT_PICTURE && !request.formats.contains(&Format::Svg)
    {
        (
            format!(
                "--picture {}: no picture is among the formats that are written",
                request.species.picture
            ),
            "leave it out, or have fields and svg among --format",
        )
    } else {
        return None;
    };
    Some(Diagnostic::error("D402", message).with_help(help))
}

fn settings(loaded: &Loaded, request: &SolveRequest, memory_limit: u64) -> SolveSettings {
    let default = SolveSettings::default();
    SolveSettings {
        resolution: request
            .resolution
            .or(loaded.resolution)
            .unwrap_or(default.resolution),
        depth: request.depth,
        corners: request.corners,
        method: request.method,
        caching: request.caching,
        memory_limit: Some(memory_limit),
        wanted: request.wanted,
        ..default
    }
}
