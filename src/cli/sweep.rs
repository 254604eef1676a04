//! `stokeslet sweep`: the points of a study into one tidy table, in one process or in shards of many.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use stokeslet::cancel::CancelToken;
use stokeslet::design::parse;
use stokeslet::export::write_file;
use stokeslet::session::{SolveSettings, WantedResults, memory};
use stokeslet::study::journal::{self, Existing, Header, Journal, JournalError};
#[cfg(feature = "parquet")]
use stokeslet::study::parquet_table::write_parquet;
use stokeslet::study::prepared::{Prepared, prepare};
use stokeslet::study::run::{BETWEEN, Record, Run, Status};
use stokeslet::study::sample::{SampleError, Sampler};
use stokeslet::study::script::{Job, Scheduler, script};
use stokeslet::study::study;
use stokeslet::study::{chart, table};
use stokeslet::table::Table;

use super::load::find_library;
use super::outcome::{CliError, Outcome};
use super::solve::listen_for_ctrl_c;
use super::{print_diagnostics, print_out};

const EXAMPLES: &str = "\
Examples:
  stokeslet sweep study.toml --out results/width            results.csv and a chart per output
  stokeslet sweep study.toml --out results/width --resume   go on after a stop or a crash
  stokeslet sweep study.toml --out big --shard 3/7          a seventh of it, into big/shard-3-of-7
  stokeslet sweep merge big/shard-* --out big
  stokeslet sweep script study.toml --slurm --shards 100 > job.sh

Exit codes: 0 fine, 1 the study or design has errors, 2 could not run, 3 some points failed or are missing.";

/// Arguments of `sweep`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SweepArgs {
    #[command(subcommand)]
    command: Option<SweepCommand>,
    #[command(flatten)]
    run: Option<RunArgs>,
}

/// Running a study.
#[derive(Debug, Parser)]
struct RunArgs {
    /// The study file.
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,
    /// Folder of results.
    #[arg(long, value_name = "DIR", default_value = "sweep")]
    out: PathBuf,
    /// What the table is written as, besides results.csv; parquet needs a build with `--features parquet`.
    #[arg(long, value_name = "csv,parquet", value_delimiter = ',', value_parser = ["csv", "parquet"], default_value = "csv")]
    format: Vec<String>,
    /// Keep the points that are there and solve the rest.
    #[arg(long)]
    resume: bool,
    /// Solve this part of the points only: I of N, from 1.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Threads to work with [default: one per processor].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum SweepCommand {
    /// Put the shards of a study together.
    Merge {
        /// Their folders.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Where results.csv and charts go [default: the folder that the first shard lies in].
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print a batch script that spreads a study over a cluster.
    Script {
        /// The study file.
        #[arg(value_name = "STUDY.toml")]
        study: PathBuf,
        /// For SLURM: an array job, and one that merges.
        #[arg(
            long,
            conflicts_with = "parallel",
            required_unless_present = "parallel"
        )]
        slurm: bool,
        /// For GNU parallel.
        #[arg(long)]
        parallel: bool,
        /// Parts.
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        shards: u32,
        /// Processors a part.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
        threads: u16,
        /// Folder of results.
        #[arg(long, value_name = "DIR", default_value = "sweep")]
        out: PathBuf,
    },
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let pair = text.split_once('/');
    let pair = pair.and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    match pair {
        Some((i, n)) if 1 <= i && i <= n => Ok((i, n)),
        _ => Err("write I/N with I from 1 to N, such as 3/7".to_owned()),
    }
}

/// Runs, merges, or prints a script.
///
/// # Errors
/// What keeps it from starting; points that fail are rows of the table.
pub fn run(args: &SweepArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    match (&args.command, &args.run) {
        (Some(SweepCommand::Merge { folders, out }), _) => {
            let beside = folders.first().and_then(|folder| folder.parent());
            let beside = match beside {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            };
            merge(folders, out.as_deref().unwrap_or(beside))
        }
        (
            Some(SweepCommand::Script {
                study,
                slurm,
                shards,
                threads,
                out,
                ..
            }),
            _,
        ) => {
            let program = std::env::current_exe().unwrap_or_else(|_| "stokeslet".into());
            let scheduler = if *slurm {
                Scheduler::Slurm
            } else {
                Scheduler::Parallel
            };
            print_out(&script(
                scheduler,
                &Job {
                    program: &program.to_string_lossy(),
                    study: &study.to_string_lossy(),
                    out: &out.to_string_lossy(),
                    shards: *shards as usize,
                    threads: usize::from(*threads),
                },
            ))?;
            Ok(Outcome::Fine)
        }
        (None, Some(args)) => solve(args, library),
        (None, None) => Err(CliError::Usage {
            message: "name a study file; `stokeslet sweep --help` has examples".to_owned(),
        }),
    }
}

fn read(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path).map_err(|source| CliError::Read {
        path: path.to_path_buf(),
        source,
    })
}

fn solve(args: &RunArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let with_parquet = args.format.iter().any(|format| format == "parquet");
    if with_parquet && !cfg!(feature = "parquet") {
        let message =
            "this program was built without Parquet: `cargo build --release --features parquet`";
        return Err(CliError::Usage {
            message: message.to_owned(),
        });
    }
    let text = read(&args.study)?;
    let study = match study::parse(&text) {
        Ok(study) => study,
        Err(mistakes) => {
            print_diagnostics(&mistakes, &args.study.display().to_string(), &text);
            return Ok(Outcome::InputErrors);
        }
    };
    let library = find_library(library)?;
    let path = args
        .study
        .parent()
        .unwrap_or(Path::new(""))
        .join(&study.design);
    let design_text = read(&path)?;
    let name = path
        .file_stem()
        .map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let table = Table::default();
    let settings = SolveSettings {
        wanted: match study.ports_only {
            true => WantedResults::PortsOnly,
            false => WantedResults::All,
        },
        ..SolveSettings::default()
    };
    let sampler = Sampler::new((&design_text, &name), &library, settings, &table);
    let (design, mistakes) = parse(&design_text, &name);
    let Some(design) = design else {
        print_diagnostics(&mistakes, &path.display().to_string(), &design_text);
        return Ok(Outcome::InputErrors);
    };
    let chip = match sampler.chip(&[]) {
        Ok((_, chip)) => chip,
        Err(SampleError::Design(mistakes)) => {
            print_diagnostics(&mistakes, &path.display().to_string(), &design_text);
            return Ok(Outcome::InputErrors);
        }
        Err(error) => {
            return Err(CliError::Usage {
                message: error.to_string(),
            });
        }
    };
    let shard = args.shard.unwrap_or((1, 1));
    let prepared = match prepare(&study, (&design_text, &design, &chip), shard) {
        Ok(prepared) => prepared,
        Err(mistakes) => {
            print_diagnostics(&mistakes, &args.study.display().to_string(), &text);
            return Ok(Outcome::InputErrors);
        }
    };
    let folder = match args.shard {
        Some((i, n)) => args.out.join(format!("shard-{i}-of-{n}")),
        None => args.out.clone(),
    };
    let existing = match args.resume {
        true => Existing::Resume,
        false => Existing::Refuse,
    };
    refuse_foreign_table(&folder, &prepared.header)?;
    let (journal, records) = Journal::open(&folder, &prepared.header, existing)?;
    let threads = match args.threads {
        Some(n) => usize::from(n),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    go(
        &prepared,
        &sampler,
        threads,
        (journal, records),
        (&folder, with_parquet),
    )
}

/// Refuses a folder whose `results.csv` is of something else.
fn refuse_foreign_table(folder: &Path, header: &Header) -> Result<(), CliError> {
    let path = folder.join("results.csv");
    if !path.exists() || table::is_of_study(&read(&path)?, header) {
        return Ok(());
    }
    Err(CliError::Usage {
        message: format!(
            "`{}` is a table of something else: give another --out",
            path.display()
        ),
    })
}

fn go(
    prepared: &Prepared<'_>,
    sampler: &Sampler<'_>,
    threads: usize,
    (mut journal, mut records): (Journal, BTreeMap<usize, Record>),
    (folder, with_parquet): (&Path, bool),
) -> Result<Outcome, CliError> {
    let (i, n) = prepared.header.shard;
    let mine = |index: &usize| index % n == i - 1;
    let indices: Vec<usize> = (0..prepared.plan.len())
        .filter(|index| mine(index) && !records.contains_key(index))
        .collect();
    let total = (0..prepared.plan.len()).filter(mine).count();
    let cancel = CancelToken::new();
    listen_for_ctrl_c(cancel.clone())?;
    let bar = ProgressBar::new(total as u64);
    let style = ProgressStyle::with_template(
        "{bar:32} {pos}/{len} points  {elapsed}, {eta} left  {wide_msg}",
    );
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_position(records.len() as u64);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(250));
    let run = Run {
        plan: &prepared.plan,
        sampler,
        outputs: &prepared.outputs,
        threads,
        memory_limit: Some(memory::free()),
    };
    let mut failed = 0;
    run.solve::<CliError>(&indices, &cancel, &mut |record| {
        journal.append(&record)?;
        if record.status != Status::Ok {
            failed += 1;
            bar.set_message(format!("{failed} failed"));
        }
        records.insert(record.index, record);
        bar.inc(1);
        Ok(())
    })?;
    journal.sync()?;
    bar.finish_and_clear();
    write(folder, &prepared.header, &records, (n == 1, with_parquet))?;
    let failed = records.values().filter(|r| r.status != Status::Ok).count();
    eprint!("{}", reasons(records.values()));
    eprint!("{}", doubts(records.values()));
    print_out(&format!(
        "{} of {total} points solved{}; {}\n",
        records.len() - failed,
        if failed > 0 {
            format!(", {failed} failed")
        } else {
            String::new()
        },
        folder.join("results.csv").display()
    ))?;
    if cancel.is_cancelled() {
        eprintln!("stopped on request; --resume goes on from here");
        return Ok(Outcome::CouldNotRun);
    }
    Ok(if failed > 0 {
        Outcome::Inaccurate
    } else {
        Outcome::Fine
    })
}

/// Most reasons that are told; each point has its own in the table.
const MOST_REASONS: usize = 5;

/// Why points failed, the most frequent reasons first, each with its count and the first point that it befell.
fn reasons<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let failed = records.filter(|r| r.status != Status::Ok);
    by_frequency(failed.map(|record| {
        let message = record.message.as_str();
        (record.index, message, message)
    }))
}

/// What makes points doubtful that were solved, and why outputs have no value there, as [`reasons`]; of each code the first point's message.
fn doubts<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let told = records.filter(|r| r.status == Status::Ok && !r.message.is_empty());
    by_frequency(told.flat_map(|record| {
        let all = record.message.split(BETWEEN);
        all.map(|one| (record.index, one.split(": ").next().unwrap_or(one), one))
    }))
}

/// Lines of messages by how often their kind is told: of points' indices, kinds and messages.
fn by_frequency<'a>(told: impl Iterator<Item = (usize, &'a str, &'a str)>) -> String {
    let mut by_kind: BTreeMap<&str, (usize, usize, &str)> = BTreeMap::new();
    for (index, kind, message) in told {
        by_kind.entry(kind).or_insert((0, index, message)).0 += 1;
    }
    let mut found: Vec<(usize, usize, &str)> = by_kind.into_values().collect();
    found.sort_by_key(|(many, first, _)| (std::cmp::Reverse(*many), *first));
    let line = |(many, first, message): &(usize, usize, &str)| match many {
        1 => format!("point {first}: {message}\n"),
        _ => format!("{many} points, {first} the first: {message}\n"),
    };
    let mut text: String = found.iter().take(MOST_REASONS).map(line).collect();
    if found.len() > MOST_REASONS {
        text += &format!(
            "and {} more reasons: see the column `message` of the table\n",
            found.len() - MOST_REASONS
        );
    }
    text
}

/// The table, and charts and Parquet where they are wanted.
#[cfg_attr(
    not(feature = "parquet"),
    expect(unused_variables, reason = "refused before, where it isn't there")
)]
fn write(
    folder: &Path,
    header: &Header,
    records: &BTreeMap<usize, Record>,
    (has_charts, with_parquet): (bool, bool),
) -> Result<(), CliError> {
    let mut csv = Vec::new();
    table::write_csv(&mut csv, header, records).map_err(CliError::Stdout)?;
    write_file(&folder.join("results.csv"), &csv)?;
    #[cfg(feature = "parquet")]
    if with_parquet {
        let mut bytes = Vec::new();
        write_parquet(&mut bytes, header, records).map_err(|error| CliError::Usage {
            message: format!("can't write the table as Parquet: {error}"),
        })?;
        write_file(&folder.join("results.parquet"), &bytes)?;
    }
    if has_charts {
        for (name, svg) in chart::of_table(header, records) {
            write_file(&folder.join(name), svg.as_bytes())?;
        }
    }
    Ok(())
}

fn merge(folders: &[PathBuf], out: &Path) -> Result<Outcome, CliError> {
    let mut all: Option<(Header, BTreeMap<usize, Record>)> = None;
    for folder in folders {
        let (mut header, records) = journal::read(folder)?;
        header.shard = (1, 1);
        match &mut all {
            None => all = Some((header, records)),
            Some((first, _)) if *first != header => {
                return Err(JournalError::Other(folder.clone()).into());
            }
            Some((_, merged)) => {
                for (index, record) in records {
                    merged.entry(index).or_insert(record);
                }
            }
        }
    }
    let Some((header, records)) = all else {
        return Ok(Outcome::CouldNotRun);
    };
    fs::create_dir_all(out).map_err(|source| CliError::Read {
        path: out.to_path_buf(),
        source,
    })?;
    refuse_foreign_table(out, &header)?;
    write(out, &header, &records, (true, false))?;
    let failed = records.values().filter(|r| r.status != Status::Ok).count();
    print_out(&format!(
        "{} of {} points; {}\n",
        records.len(),
        header.points,
        out.join("results.csv").display()
    ))?;
    if records.len() < header.points {
        eprintln!(
            "{} points are missing: {}; run their shards again with --resume",
            header.points - records.len(),
            table::missing(header.points, &records)
        );
        return Ok(Outcome::Inaccurate);
    }
    Ok(if failed > 0 {
        Outcome::Inaccurate
    } else {
        Outcome::Fine
    })
}
