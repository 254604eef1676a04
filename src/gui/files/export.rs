//! Results into files as the command line writes them, on a thread of their own; pictures of the canvas.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use web_time::Instant;

use rayon::prelude::*;

use super::paper::{self, PaperError};
use super::sentence;
use super::task::Task;
use crate::results::{Quantity, ResultView, Solved};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_base::table::Table;
use stokeslet_flow::export::{Colouring, Extra, Format, Results, export};
use stokeslet_flow::field::Line;
use stokeslet_flow::session::{ErrorEstimate, SolveSettings, Stage, assembled_system, memory};
use stokeslet_flow::trace::{self, Seed, Trace, inlet_seeds, sampled, streamline};
use stokeslet_flow::walls;
use stokeslet_species::{Paths, Settings, Species, SpeciesError, files, solve_unless};

/// Points along an exported line; enough for a smooth curve.
const LINE_POINTS: usize = 201;
/// Pixels a point of large pictures.
const LARGE: f32 = 4.0;

/// What a picture of the canvas is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels, as seen.
    Png,
    /// Shapes, sharp at any size.
    Svg,
    /// The same for paper: dark on light whatever the window's theme is, without a background.
    Print,
    /// As [`PictureFormat::Print`], as PDF.
    Pdf,
    /// As [`PictureFormat::Print`], as pixels on white, four a point.
    PngWhite,
    /// As [`PictureFormat::PngWhite`], without a background.
    PngClear,
}

impl PictureFormat {
    /// All of them, in the order of the menu.
    pub const ALL: [PictureFormat; 6] = [
        PictureFormat::Png,
        PictureFormat::PngWhite,
        PictureFormat::PngClear,
        PictureFormat::Svg,
        PictureFormat::Print,
        PictureFormat::Pdf,
    ];

    /// What it does, for menus.
    pub fn label(self) -> &'static str {
        match self {
            PictureFormat::Png => "Save picture as PNG…",
            PictureFormat::PngWhite => "Save picture as large PNG on white…",
            PictureFormat::PngClear => "Save picture as large PNG without background…",
            PictureFormat::Svg => "Save picture as SVG…",
            PictureFormat::Print => "Save picture for print (SVG without background)…",
            PictureFormat::Pdf => "Save picture as PDF…",
        }
    }

    /// How names of its files end.
    pub fn extension(self) -> &'static str {
        match self {
            PictureFormat::Png | PictureFormat::PngWhite | PictureFormat::PngClear => "png",
            PictureFormat::Svg | PictureFormat::Print => "svg",
            PictureFormat::Pdf => "pdf",
        }
    }

    /// Whether it is dark on light whatever the window's theme is.
    pub fn is_for_paper(self) -> bool {
        !matches!(self, PictureFormat::Png | PictureFormat::Svg)
    }

    /// The file of a picture that is an SVG already.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of_svg(self, svg: String) -> Result<Vec<u8>, PaperError> {
        match self {
            PictureFormat::Pdf => paper::pdf(&svg),
            PictureFormat::PngWhite => paper::pixels(&svg, LARGE, false),
            PictureFormat::PngClear => paper::pixels(&svg, LARGE, true),
            PictureFormat::Png | PictureFormat::Svg | PictureFormat::Print => Ok(svg.into_bytes()),
        }
    }
}

/// What is to be exported.
#[derive(Clone, Debug)]
pub struct Order {
    /// What was solved.
    pub solved: Arc<Solved>,
    /// Its estimated errors, where they are known by now.
    pub errors: Option<ErrorEstimate>,
    /// The design's title.
    pub title: Option<String>,
    /// In these formats; the summary always.
    pub formats: Vec<Format>,
    /// Into this folder.
    pub folder: PathBuf,
    /// Points to report in the summary, m.
    pub probes: Vec<Point>,
    /// Lines to sample into `line.csv`, m.
    pub lines: Vec<[Point; 2]>,
    /// Points to send streamlines through, m, and whether they come from the inlets too.
    pub streamlines: (Vec<Point>, bool),
    /// What `picture.svg` shows, where it isn't of a species.
    pub colouring: Colouring,
    /// What is dissolved, with the units of concentrations.
    pub species: (Vec<Species>, Vec<&'static str>),
    /// What `picture.svg` shows instead: a species, counted from 0, or ages.
    pub of_species: Option<Quantity>,
}

impl Order {
    /// What the window shows of a solved design, in these formats, into this folder.
    pub fn new(
        solved: Arc<Solved>,
        title: Option<String>,
        shown: &ResultView,
        formats: Vec<Format>,
        folder: PathBuf,
    ) -> Self {
        Self {
            solved,
            errors: None,
            title,
            formats,
            folder,
            probes: shown.probes.clone(),
            lines: shown.lines.clone(),
            colouring: match shown.colour {
                Some(Quantity::Flow(quantity)) => Colouring::Flow(quantity),
                _ => Colouring::default(),
            },
            streamlines: (shown.seeds.clone(), false),
            species: (Vec::new(), Vec::new()),
            of_species: shown.colour.filter(|q| q.is_dissolved()),
        }
    }
}

/// An export under way.
#[derive(Debug)]
pub struct Exporting {
    task: Task<Result<String, String>>,
    progress: Arc<Mutex<f64>>,
    cancel: CancelToken,
}

impl Exporting {
    /// Starts it; `wake` is called when it is done.
    pub fn start(order: Order, wake: impl FnOnce() + Send + 'static) -> Self {
        let progress = Arc::new(Mutex::new(0.0));
        let cancel = CancelToken::new();
        let (told, stop) = (progress.clone(), cancel.clone());
        let task = Task::start("export", wake, move || {
            let tell = |stage: Stage, part: f64| {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = stage.overall(part);
            };
            write(&order, &tell, &stop)
        });
        Self {
            task,
            progress,
            cancel,
        }
    }

    /// What to tell when it is done, once: where the files are, or why there are none.
    pub fn poll(&self) -> Option<Result<String, String>> {
        let done = self.task.poll()?;
        Some(done.unwrap_or_else(|lost| Err(format!("Nothing was exported: {lost}"))))
    }

    /// Waits for what there is to tell.
    pub fn wait(&self) -> Result<String, String> {
        let done = self.task.wait();
        done.unwrap_or_else(|lost| Err(format!("Nothing was exported: {lost}")))
    }

    /// Part of it that is done, 0 to 1.
    pub fn progress(&self) -> f64 {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it; nothing is written then.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

fn write(
    order: &Order,
    progress: &(dyn Fn(Stage, f64) + Sync),
    cancel: &CancelToken,
) -> Result<String, String> {
    let begin = Instant::now();
    let clock = || begin.elapsed().as_secs_f64();
    let solved = &order.solved;
    let failed = |why: String| format!("Nothing was exported: {why}");
    let system = match order.formats.contains(&Format::System) {
        true => {
            let settings = SolveSettings {
                resolution: solved.resolution,
                ..SolveSettings::default()
            };
            let system =
                assembled_system(&solved.chip, &settings, &Table::default(), progress, cancel);
            Some(system.map_err(|e| failed(sentence(&e)))?)
        }
        false => None,
    };
    let lines: Vec<Line> = order
        .lines
        .iter()
        .map(|&[from, to]| Line {
            from,
            to,
            n: LINE_POINTS,
        })
        .collect();
    let mut extra = extra(order);
    let colouring = match order.species.0.is_empty() {
        true => order.colouring,
        false => add_species(order, &mut extra, cancel).map_err(failed)?,
    };
    let results = Results {
        chip: &solved.chip,
        title: order.title.as_deref(),
        resolution: solved.resolution,
        solution: &solved.solution,
        errors: order.errors.as_ref(),
        system: system.as_ref(),
        probes: &order.probes,
        lines: &lines,
        colouring,
        timings: solved.solution.report.timings,
        clock: &clock,
        peak_memory: &memory::peak,
        extra: &extra,
        stamp: "",
    };
    export(&order.folder, &order.formats, &results, progress, cancel)
        .map_err(|e| failed(sentence(&e)))?;
    let n = std::fs::read_dir(&order.folder).map_or(0, Iterator::count);
    Ok(format!("{n} files are in {}", shown(&order.folder)))
}

/// What the window shows beside the fields: streamlines, stress along the walls.
fn extra(order: &Order) -> Extra {
    let (solved, flow) = (&order.solved, order.solved.flow());
    let mut extra = Extra::default();
    let (through, from_inlets) = &order.streamlines;
    let mut seeds = match from_inlets {
        true => inlet_seeds(&flow),
        false => Vec::new(),
    };
    seeds.extend(through.iter().map(|&at| Seed { at, rank: None }));
    if !seeds.is_empty() {
        let traces: Vec<Trace> = seeds
            .into_par_iter()
            .filter_map(|seed| Some(sampled(&flow, "", &streamline(&flow, seed)?)))
            .collect();
        extra.files.extend(trace::files(&traces));
    }
    if matches!(order.colouring, Colouring::Flow(q) if q.is_on_walls()) {
        let stress = solved.wall_stress().clone();
        let files = walls::files(&solved.chip, &solved.solution.fields, &stress);
        extra.files.extend(files);
        extra.walls = Some(stress);
    }
    extra
}

/// Follows what is dissolved, as the command line does. Returns what the picture shows.
fn add_species(
    order: &Order,
    extra: &mut Extra,
    cancel: &CancelToken,
) -> Result<Colouring, String> {
    let (chip, solution) = (&order.solved.chip, &order.solved.solution);
    let (species, units) = &order.species;
    let settings = Settings::default();
    let follow = |species: &[Species], paths: &Paths, ages: bool| {
        solve_unless(chip, paths, species, settings, ages, cancel)
    };
    let why = |error: SpeciesError| sentence(&error);
    let paths = Paths::of(chip, solution).map_err(why)?;
    let (first, rest) = species.split_at(1.min(species.len()));
    let mut results = follow(first, &paths, true).map_err(why)?;
    results.extend(follow(rest, &paths, false).map_err(why)?);
    let of = (&results[..], &units[..]);
    let mut found = files::extra(chip, &solution.fields, &paths, settings, of);
    if order.formats.contains(&Format::Vtu) {
        files::add_solid(chip, &paths, settings, &results, &mut found);
    }
    let name = match order.of_species {
        Some(Quantity::Species(k)) => results.get(usize::from(k)).map(|r| r.name.as_str()),
        Some(Quantity::Age) => Some("age"),
        _ => None,
    };
    let place = name.and_then(|name| found.fields.iter().position(|f| f.name == name));
    let colouring = place.map(|k| Colouring::Extra(extra.fields.len() + k));
    extra.columns.extend(found.columns);
    extra.fields.extend(found.fields);
    (extra.summary, extra.profiles) = (found.summary, found.profiles);
    Ok(colouring.unwrap_or(order.colouring))
}

fn shown(folder: &Path) -> String {
    std::path::absolute(folder)
        .unwrap_or_else(|_| folder.to_owned())
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::solved_example;
    use crate::species::tests::{TEE, dissolved};
    use stokeslet_species::Inflow;

    fn order(folder: &Path, formats: &[Format]) -> Order {
        let solved = solved_example("straight", 4);
        let shown = ResultView {
            lines: vec![[Point::new(5e-3, -1e-4), Point::new(5e-3, 1e-4)]],
            seeds: vec![Point::new(5e-3, 0.0)],
            colour: Some(Quantity::WALL_SHEAR),
            ..ResultView::default()
        };
        Order::new(solved, None, &shown, formats.to_vec(), folder.to_owned())
    }

    #[test]
    fn every_format_of_the_command_line_is_written() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("results");
        let exporting = Exporting::start(order(&folder, &Format::ALL), || ());
        let said = exporting.wait().unwrap();
        let files = Format::ALL.iter().flat_map(|f| f.files());
        // Without species there are no profiles, without posts no forces on them.
        for file in files.filter(|file| !["profiles.csv", "posts.csv"].contains(*file)) {
            assert!(folder.join(file).is_file(), "{file}: {said}");
        }
        assert!(said.starts_with("13 files"), "{said}");
        let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        let peak = summary["peak_memory_bytes"].as_u64();
        assert!(peak > Some(1 << 20), "a process holds megabytes: {peak:?}");
    }

    #[test]
    fn what_is_dissolved_is_in_the_files_too() {
        let dissolved = dissolved(TEE);
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("results");
        let shown = ResultView {
            colour: Some(Quantity::Species(0)),
            ..ResultView::default()
        };
        let formats = vec![Format::Csv, Format::Svg];
        let solved = dissolved.solved.clone();
        let mut order = Order::new(solved, None, &shown, formats, folder.clone());
        let species = Species {
            name: "dye".into(),
            diffusivity: 4e-10,
            inflow: [1.0, 0.0, 0.0].map(Inflow::uniform).to_vec(),
        };
        order.species = (vec![species], vec![""]);
        Exporting::start(order, || ()).wait().unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let ports = read("ports.csv");
        assert!(ports.contains("dye_mean") && ports.contains("age_mean_s"));
        let picture = read("picture.svg");
        assert!(picture.contains("dye"), "its legend names the species");
        assert!(
            read("profiles.csv")
                .lines()
                .any(|l| l.starts_with("dye,out,"))
        );
    }

    #[test]
    fn a_folder_that_cannot_be_made_says_why_and_a_cancelled_export_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        let said = Exporting::start(order(&file.join("in"), &[Format::Csv]), || ())
            .wait()
            .unwrap_err();
        assert!(said.contains("file"), "{said}");
        let (folder, cancel) = (home.path().join("never"), CancelToken::new());
        cancel.cancel();
        let quiet = |_: Stage, _: f64| ();
        assert!(write(&order(&folder, &[Format::Csv]), &quiet, &cancel).is_err());
        assert!(!folder.exists());
    }
}
