//! Studies: their points, their records, what is left of a kill, and shards.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::design::parse;
use stokeslet_cad::library::Library;
use stokeslet_study::journal::{Existing, FILE, Journal, JournalError, read};
use stokeslet_study::plan::Plan;
use stokeslet_study::prepared::{Prepared, prepare};
use stokeslet_study::run::{Record, Run, Status};
use stokeslet_study::study::{self, Sample, Study};
use stokeslet_study::table::{missing, write_csv};
use support::{TEE, sampler, solve_alone};

fn study(text: &str) -> Study {
    study::parse(&format!(
        "format = 1\ndesign = \"x.toml\"\nports_only = true\n{text}"
    ))
    .unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

fn numbers(plan: &Plan<'_>) -> Vec<Vec<f64>> {
    (0..plan.len())
        .map(|k| {
            plan.point(k)
                .values
                .iter()
                .map(|v| v.number().unwrap())
                .collect()
        })
        .collect()
}

#[test]
fn grids_and_lists_take_their_values_in_order() {
    let grid = study(
        "resolution = [4, 8]\n[ranges]\nl = { from = \"1 mm\", to = \"2 mm\", count = 3 }\nw = { values = [\"80 um\", \"90 um\"] }",
    );
    let plan = Plan::new(&grid, &|_| None).unwrap();
    assert_eq!(plan.len(), 12);
    assert_eq!(numbers(&plan)[11], [2e-3, 9e-5]);
    assert_eq!(numbers(&plan)[2], [1e-3, 9e-5]);
    assert_eq!(
        (plan.point(2).resolution, plan.point(3).resolution),
        (Some(4), Some(8))
    );
    let list = study(
        "method = \"list\"\n[ranges]\nl = { from = \"1 mm\", to = \"4 mm\", count = 3, scale = \"log\" }\nw = { values = [1, 2, 3] }",
    );
    let plan = Plan::new(&list, &|_| None).unwrap();
    assert_eq!(plan.len(), 3);
    assert!((numbers(&plan)[1][0] / 2e-3 - 1.0).abs() < 1e-14 && numbers(&plan)[1][1] == 2.0);
    let steps = study("[ranges]\nl = { from = \"1 mm\", to = \"1.3 mm\", steps = \"100 um\" }");
    assert_eq!(Plan::new(&steps, &|_| None).unwrap().len(), 4);
}

#[test]
fn a_latin_hypercube_has_one_sample_in_each_stratum_and_never_changes() {
    let text = "method = \"latin_hypercube\"\nsamples = 50\nseed = 7\n[ranges]\na = { from = 0, to = 1 }\nb = { from = 0, to = 1 }";
    let one = study(text);
    let plan = Plan::new(&one, &|_| None).unwrap();
    let points = numbers(&plan);
    for k in 0..2 {
        let strata: BTreeSet<usize> = points.iter().map(|p| (p[k] * 50.0) as usize).collect();
        assert_eq!(strata.len(), 50, "variable {k}");
    }
    let pairs: BTreeSet<usize> = points
        .iter()
        .map(|p| (p[0] * 50.0) as usize + 50 * (p[1] * 50.0) as usize)
        .collect();
    assert!(
        (0..50).any(|k| !pairs.contains(&(51 * k))),
        "the variables are shuffled apart"
    );
    let again = study(text);
    assert_eq!(points, numbers(&Plan::new(&again, &|_| None).unwrap()));
    let other = study(&text.replace("seed = 7", "seed = 8"));
    assert_ne!(points, numbers(&Plan::new(&other, &|_| None).unwrap()));
}

#[test]
fn uncertainty_repeats_each_point_about_its_values() {
    let study = study(
        "[ranges]\nl = { values = [\"1 mm\", \"2 mm\"] }\n[uncertainty]\nw = { sigma = \"2 %\", samples = 400 }\nl = { half_width = \"10 um\", samples = 400 }",
    );
    let nominal = |_: &str| Some(Sample::Amount(1e-4, [0, 1, 0, 0, 0]));
    let plan = Plan::new(&study, &nominal).unwrap();
    assert_eq!(
        (plan.len(), plan.variables()),
        (800, &["l".to_owned(), "w".to_owned()][..])
    );
    let points = numbers(&plan);
    let w: Vec<f64> = points[400..].iter().map(|p| p[1] / 1e-4 - 1.0).collect();
    let mean = w.iter().sum::<f64>() / 400.0;
    let sigma = (w.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
    assert!(mean.abs() < 4.0 * 0.02 / 20.0, "{mean}");
    assert!((sigma / 0.02 - 1.0).abs() < 0.15, "{sigma}");
    let of_plan = plan.point(401).nominal;
    let given = [2e-3, 1e-4].map(|value| Sample::Amount(value, [0, 1, 0, 0, 0]));
    assert_eq!(of_plan, given, "what each strays from, by name");
    let l: Vec<f64> = points[400..].iter().map(|p| p[0] - 2e-3).collect();
    assert!(l.iter().all(|d| d.abs() <= 1e-5) && l.iter().any(|d| d.abs() > 9e-6));
    assert!(
        Plan::new(&study, &|_| None).is_err(),
        "nothing to stray from"
    );
}

#[test]
fn mistakes_of_studies_are_told() {
    for (text, word) in [
        ("[ranges]\nl = { from = \"1 mm\" }", "no values"),
        (
            "[ranges]\nl = { from = \"1 mm\", to = \"2 Pa\", count = 2 }",
            "different",
        ),
        (
            "[ranges]\nl = { from = 0, to = 1, count = 2, scale = \"log\" }",
            "positive",
        ),
        ("[ranges]\nl = { from = 0, to = 1, steps = -0.1 }", "steps"),
        ("[ranges]\nl = { values = [] }", "values"),
        ("method = \"random\"", "samples"),
        (
            "method = \"list\"\n[ranges]\na = { values = [1, 2] }\nb = { values = [1] }",
            "differ",
        ),
        ("resolution = 1", "resolution"),
        ("colour = 1", "colour"),
        (
            "[ranges]\na = { from = 0, to = 1, count = 10000 }\nb = { from = 0, to = 1, count = 10000 }",
            "points",
        ),
        (
            "[uncertainty]\na = { sigma = \"x %\", samples = 2 }",
            "percentage",
        ),
    ] {
        let mistakes = study::parse(&format!("format = 1\ndesign = \"x\"\n{text}")).unwrap_err();
        assert!(mistakes.iter().all(|m| m.code == "D348"));
        assert!(mistakes[0].message.contains(word), "{text}: {mistakes:?}");
    }
}

/// Runs a study on the tee; the records.
fn run(
    study: &Study,
    shard: (usize, usize),
    threads: usize,
) -> (stokeslet_study::journal::Header, BTreeMap<usize, Record>) {
    let (library, table) = (Library::embedded(), Table::default());
    let sampler = sampler(TEE, &library, &table);
    let (design, chip) = sampler.chip(&[]).unwrap();
    let Prepared {
        plan,
        outputs,
        header,
    } = prepare(study, (TEE, &design, &chip), shard).unwrap();
    let indices: Vec<usize> = (0..plan.len())
        .filter(|k| k % shard.1 == shard.0 - 1)
        .collect();
    let run = Run {
        plan: &plan,
        sampler: &sampler,
        outputs: &outputs,
        threads,
        memory_limit: None,
    };
    let mut records = BTreeMap::new();
    run.solve::<rayon::ThreadPoolBuildError>(&indices, &CancelToken::new(), &mut |record| {
        records.insert(record.index, record);
        Ok(())
    })
    .unwrap();
    (header, records)
}

/// The table without seconds.
fn csv(header: &stokeslet_study::journal::Header, records: &BTreeMap<usize, Record>) -> String {
    let mut records = records.clone();
    for record in records.values_mut() {
        record.seconds = 0.0;
    }
    let mut out = Vec::new();
    write_csv(&mut out, header, &records).unwrap();
    String::from_utf8(out).unwrap()
}

const SMALL: &str = "[ranges]\nl = { values = [\"1.5 mm\", \"2 mm\", \"1 um\"] }\np = { values = [\"10 mbar\", \"20 mbar\"] }\nw = { from = \"80 um\", to = \"100 um\", count = 2 }\n[outputs]\nq = \"ports.inlet.flow_rate\"\nshare = \"ports.left.flow_rate / ports.inlet.flow_rate\"";

#[test]
fn a_sweep_gives_the_bits_of_single_solves_whoever_solves_what() {
    let study = study(SMALL);
    let (header, records) = run(&study, (1, 1), 2);
    assert_eq!(header.variables, ["l [m]", "p [Pa]", "w [m]"]);
    assert_eq!(header.outputs, ["q [m^3/s]", "share"]);
    assert_eq!(records.len(), 12);
    let alone = solve_alone(
        TEE,
        &[
            ("l", "2 mm".into()),
            ("p", "20 mbar".into()),
            ("w", "8e-5 m".into()),
        ],
    );
    let record = &records[&6];
    assert_eq!(
        record.outputs[0].map(f64::to_bits),
        Some(alone.ports[0].flow_rate.to_bits())
    );
    let share = alone.ports[1].flow_rate / alone.ports[0].flow_rate;
    assert!((record.outputs[1].unwrap() / share - 1.0).abs() < 1e-14);
    // Twice the pressure is twice the flow.
    assert!((record.outputs[0].unwrap() / records[&4].outputs[0].unwrap() - 2.0).abs() < 1e-9);
    let table = csv(&header, &records);
    assert_eq!(
        table,
        csv(&header, &run(&study, (1, 1), 1).1),
        "one thread or two"
    );
    let mut merged = BTreeMap::new();
    for i in 1..=7 {
        merged.extend(run(&study, (i, 7), 1).1);
    }
    assert_eq!(table, csv(&header, &merged), "seven shards are one run");
    assert_eq!(missing(12, &run(&study, (2, 7), 1).1), "0, 2-7, 9-11");
}

#[test]
fn a_point_that_can_not_be_is_a_row() {
    let study = study("[ranges]\nl = { values = [\"1 mm\", \"-1 mm\"] }");
    let (header, records) = run(&study, (1, 1), 2);
    assert_eq!(records[&0].status, Status::Ok);
    assert_eq!(records[&1].status, Status::DesignErrors);
    let table = csv(&header, &records);
    let last = table.lines().last().unwrap();
    assert!(
        last.contains("design_errors") && last.contains('D'),
        "{last}"
    );
    let cells = |line: &str| {
        line.split('"')
            .step_by(2)
            .map(|part| part.matches(',').count())
            .sum::<usize>()
    };
    assert!(
        table
            .lines()
            .all(|line| cells(line) == cells(table.lines().next().unwrap())),
        "{table}"
    );
}

#[test]
fn a_torn_line_is_dropped_and_other_studies_are_refused() {
    let study = study(SMALL);
    let (header, records) = run(&study, (1, 1), 1);
    let folder = tempfile::tempdir().unwrap();
    {
        let (mut journal, before) =
            Journal::open(folder.path(), &header, Existing::Refuse).unwrap();
        assert!(before.is_empty());
        assert!(matches!(
            Journal::open(folder.path(), &header, Existing::Resume),
            Err(JournalError::Busy(_))
        ));
        for record in records.values() {
            journal.append(record).unwrap();
        }
        journal.sync().unwrap();
    }
    let path = folder.path().join(FILE);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&k| whole[k] == b'\n').collect();
    // Cut anywhere: what is there is a prefix of the records, and can be gone on from.
    for cut in (0..whole.len()).step_by(37).chain([whole.len()]) {
        fs::write(&path, &whole[..cut]).unwrap();
        let n = ends
            .iter()
            .filter(|end| **end < cut)
            .count()
            .saturating_sub(1);
        let (mut journal, kept) = Journal::open(folder.path(), &header, Existing::Resume).unwrap();
        assert_eq!(kept.len(), n, "cut at {cut}");
        for record in records
            .values()
            .filter(|record| !kept.contains_key(&record.index))
        {
            journal.append(record).unwrap();
        }
        journal.sync().unwrap();
        drop(journal);
        let (read_header, all) = read(folder.path()).unwrap();
        assert_eq!(
            csv(&read_header, &all),
            csv(&header, &records),
            "cut at {cut}"
        );
    }
    assert!(matches!(
        Journal::open(folder.path(), &header, Existing::Refuse),
        Err(JournalError::Exists(_))
    ));
    let mut other = header.clone();
    other.key = "0".repeat(32);
    assert!(matches!(
        Journal::open(folder.path(), &other, Existing::Resume),
        Err(JournalError::Other(_))
    ));
}

#[test]
fn a_study_that_does_not_fit_its_design_is_told() {
    let (library, table) = (Library::embedded(), Table::default());
    let sampler = sampler(TEE, &library, &table);
    let (design, chip) = sampler.chip(&[]).unwrap();
    for (text, word) in [
        ("[ranges]\nv = { values = [1] }", "no variable `v`"),
        ("[ranges]\nw = { values = [\"1 Pa\"] }", "something else"),
        (
            "[outputs]\nq = \"ports.inlett.flow_rate\"",
            "no `ports.inlett.flow_rate`",
        ),
        ("[outputs]\nq = \"wall_shear.max\"", "fields"),
        (
            "[outputs]\nq = \"ports.inlet.flow_rate + ports.inlet.pressure\"",
            "units disagree",
        ),
    ] {
        let study = study(text);
        let mistakes = prepare(&study, (TEE, &design, &chip), (1, 1)).unwrap_err();
        assert!(mistakes[0].message.contains(word), "{text}: {mistakes:?}");
    }
    let key = |text: &str| {
        let (study, design) = (study(SMALL), parse(text, "x").0.unwrap());
        prepare(&study, (text, &design, &chip), (1, 1))
            .unwrap()
            .header
            .key
    };
    assert_ne!(
        key(TEE),
        key(&TEE.replace("1 mPa s", "2 mPa s")),
        "another design is another study"
    );
}
