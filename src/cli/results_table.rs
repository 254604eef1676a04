//! `results.csv` and `results_ports.csv`: rows of all designs that were solved into one folder, by whichever runs.
//!
//! ```text
//! rows on disk --+
//!                +-- by (design, path), the newer one counts --> both tables, written whole
//! rows of a run -+            all under a lock on the folder
//! ```

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use stokeslet::export::{Digest, DigestPort, ExportError, write_file};

use super::inputs::Input;
use super::outcome::CliError;
use super::solve_one::Failure;

/// The overview: a row a design.
pub const OVERVIEW: &str = "results.csv";

/// A row a port, a column a quantity.
pub const PORTS: &str = "results_ports.csv";

/// Held while the tables are rewritten.
const LOCK: &str = ".results.lock";

/// Names in the folder of results that no design's own folder may have.
pub const RESERVED: [&str; 3] = [OVERVIEW, PORTS, LOCK];

/// Columns of the overview. `path` is that of the design wherever one looks from; a design that failed keeps the folder of results before. `flow_rates` are in m^3/s where the design has a depth, else m^2/s.
const HEAD: [&str; 16] = [
    "design",
    "file",
    "folder",
    "status",
    "reason",
    "model",
    "resolution",
    "unknowns",
    "relative_residual",
    "mass_imbalance",
    "relative_error_estimate",
    "max_speed_m_per_s",
    "flow_rates",
    "pressures_Pa",
    "total_s",
    "path",
];

/// Columns of the ports' table.
const PORTS_HEAD: [&str; 12] = [
    "design",
    "file",
    "folder",
    "port",
    "kind",
    "flow_rate",
    "flow_rate_unit",
    "pressure_Pa",
    "mean_pressure_Pa",
    "flow_rate_error",
    "pressure_error_Pa",
    "path",
];

type Row = Vec<String>;

/// How a design ended: what its row says.
pub type Ended<'a> = (&'a Input, Result<&'a Digest, &'a Failure>);

/// Adds how designs ended to the tables in `folder`; rows of other designs stay.
///
/// # Errors
/// What the file system says, and tables that are not CSV: nothing is overwritten then.
pub fn merge(folder: &Path, ended: &[Ended<'_>]) -> Result<(), CliError> {
    let lock = folder.join(LOCK);
    let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _held = locked.map_err(ExportError::on("lock", &lock))?;
    let mut overview: Vec<Row> = ended.iter().map(|(input, how)| row(input, how)).collect();
    let before = read(&self::overview(folder), &HEAD)?;
    for row in overview.iter_mut().filter(|row| row[2].is_empty()) {
        let old = before.iter().find(|old| key(old) == key(row));
        row[2] = old.map_or_else(String::new, |old| old[2].clone());
    }
    let ports: Vec<Row> = ended
        .iter()
        .flat_map(|(i, how)| port_rows(i, how))
        .collect();
    let fresh: Vec<[String; 2]> = overview.iter().map(|row| key(row)).collect();
    let folders: Vec<String> = overview.iter().map(|row| row[2].clone()).collect();
    let folders: Vec<String> = folders.into_iter().filter(|f| !f.is_empty()).collect();
    for (name, head, rows) in [
        (OVERVIEW, &HEAD[..], overview),
        (PORTS, &PORTS_HEAD[..], ports),
    ] {
        let path = folder.join(name);
        let mut old = read(&path, head)?;
        // What a folder held before is another file's no more.
        old.retain(|row| !folders.contains(&row[2]) || fresh.contains(&key(row)));
        let merged = merged(old, rows, &fresh);
        let text = written(head, &merged).map_err(|e| wrong(&path, e))?;
        write_file(&path, &text)?;
    }
    Ok(())
}

/// The design and the whole path of a row.
fn key(row: &[String]) -> [String; 2] {
    let whole = match row.last().map_or("", String::as_str) {
        // Of a table of before.
        "" => path(Path::new(&row[1])).display().to_string(),
        path => path.to_owned(),
    };
    [row[0].clone(), whole]
}

/// Rows of designs that were not solved now, in their order, with new rows in the place of old ones of the same design, else at
/// the end.
fn merged(old: Vec<Row>, new: Vec<Row>, fresh: &[[String; 2]]) -> Vec<Row> {
    let mut groups: HashMap<[String; 2], Vec<Row>> = HashMap::new();
    let mut order = Vec::new();
    let mut add = |row: Row| {
        let group = groups.entry(key(&row));
        group
            .or_insert_with_key(|key| {
                order.push(key.clone());
                Vec::new()
            })
            .push(row);
    };
    let is_fresh = |row: &Row| fresh.contains(&key(row));
    let mut new = new.into_iter().fold(HashMap::new(), |mut by_key, row| {
        let rows: &mut Vec<Row> = by_key.entry(key(&row)).or_default();
        rows.push(row);
        by_key
    });
    for row in old {
        if is_fresh(&row) {
            new.remove(&key(&row))
                .into_iter()
                .flatten()
                .for_each(&mut add);
        } else {
            add(row);
        }
    }
    for design in fresh {
        new.remove(design).into_iter().flatten().for_each(&mut add);
    }
    let take = |key: &[String; 2]| groups.remove(key).unwrap_or_default();
    order.iter().flat_map(take).collect()
}

/// The rows of a table, by the names of its columns: a table of another version keeps what it shares with this one.
fn read(path: &Path, head: &[&str]) -> Result<Vec<Row>, CliError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(ExportError::on("read", path)(e).into()),
    };
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let found = reader.headers().map_err(|e| wrong(path, e))?.clone();
    let place = |name: &&str| found.iter().position(|column| column == *name);
    let places: Vec<Option<usize>> = head.iter().map(place).collect();
    if places[0].is_none() || places[1].is_none() {
        let not_ours = io::Error::new(
            io::ErrorKind::InvalidData,
            "it has no columns `design` and `file`: move it away, it isn't ours",
        );
        return Err(ExportError::on("add to", path)(not_ours).into());
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| wrong(path, e))?;
        let cell = |at: &Option<usize>| at.and_then(|at| record.get(at)).unwrap_or("").to_string();
        rows.push(places.iter().map(cell).collect());
    }
    Ok(rows)
}

fn wrong(path: &Path, error: csv::Error) -> CliError {
    ExportError::on("add to", path)(error.into()).into()
}

fn written(head: &[&str], rows: &[Row]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(head)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|e| e.into_error().into())
}

fn named(input: &Input) -> [String; 2] {
    [input.name.clone(), input.path.display().to_string()]
}

/// What a design gave, or why it gave nothing.
fn row(input: &Input, how: &Result<&Digest, &Failure>) -> Row {
    let mut row = named(input).to_vec();
    match how {
        Ok(d) => {
            let list = |value: &dyn Fn(&DigestPort) -> f64| {
                let ports = d.ports.iter();
                let parts: Vec<String> =
                    ports.map(|p| format!("{}={:e}", p.id, value(p))).collect();
                parts.join("; ")
            };
            let estimate = d.error_estimate.as_ref().map(|e| e.relative);
            row.extend([
                input.folder.clone(),
                "ok".into(),
                String::new(),
                d.model.clone(),
                d.resolution.to_string(),
                d.unknowns.to_string(),
                format!("{:e}", d.relative_residual),
                format!("{:e}", d.mass_imbalance),
                or_empty(estimate),
                or_empty(d.max_speed),
                list(&|p| p.flow_rate),
                list(&|p| p.pressure),
                format!("{:.3}", d.timings_s.total),
            ]);
        }
        Err(failure) => {
            row.extend([
                String::new(),
                failure.status().into(),
                super::chain(*failure),
            ]);
            row.resize(HEAD.len() - 1, String::new());
        }
    }
    row.push(path(&input.path).display().to_string());
    row
}

/// The file, wherever one looks from.
fn path(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf())
}

fn or_empty(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| format!("{v:e}"))
}

/// A row a port; none of a design that gave nothing.
fn port_rows(input: &Input, how: &Result<&Digest, &Failure>) -> Vec<Row> {
    let Ok(d) = how else {
        return Vec::new();
    };
    let unit = if d.depth.is_some() { "m^3/s" } else { "m^2/s" };
    let row = |(k, p): (usize, &DigestPort)| {
        let error = d.error_estimate.as_ref().and_then(|e| e.ports.get(k));
        let mut row = named(input).to_vec();
        row.extend([
            input.folder.clone(),
            p.id.clone(),
            p.kind.clone(),
            format!("{:e}", p.flow_rate),
            unit.into(),
            format!("{:e}", p.pressure),
            format!("{:e}", p.mean_pressure),
            or_empty(error.map(|e| e.flow_rate)),
            or_empty(error.map(|e| e.pressure)),
            path(&input.path).display().to_string(),
        ]);
        row
    };
    d.ports.iter().enumerate().map(row).collect()
}

/// Designs and their folders by the overview in `folder`; none where it can't be read, which is told when it is written.
pub fn known(folder: &Path) -> Vec<(PathBuf, String)> {
    let rows = read(&overview(folder), &HEAD).unwrap_or_default();
    let with_folder = rows.into_iter().filter(|row| !row[2].is_empty());
    with_folder
        .map(|row| (PathBuf::from(&key(&row)[1]), row[2].clone()))
        .collect()
}

/// Where the overview of a folder is.
pub fn overview(folder: &Path) -> PathBuf {
    folder.join(OVERVIEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str) -> Input {
        Input {
            path: format!("a/{name}.toml").into(),
            name: name.into(),
            folder: name.into(),
        }
    }

    fn digest(ports: &[&str]) -> Digest {
        let port = |id: &&str| DigestPort {
            id: (*id).into(),
            ..DigestPort::default()
        };
        Digest {
            ports: ports.iter().map(port).collect(),
            ..Digest::default()
        }
    }

    fn table(folder: &Path, name: &str) -> Vec<Row> {
        let mut reader = csv::Reader::from_path(folder.join(name)).unwrap();
        let rows = reader.records().map(|r| r.unwrap());
        rows.map(|r| r.iter().map(String::from).collect()).collect()
    }

    #[test]
    fn rows_of_other_designs_stay_and_those_of_the_same_are_replaced() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let (x, y) = (input("x"), input("y, \"odd\""));
        let two = digest(&["in", "out"]);
        merge(folder, &[(&x, Ok(&two)), (&y, Ok(&two))]).unwrap();
        let failure = Failure::Solve(stokeslet::session::SolveError::Cancelled);
        merge(folder, &[(&x, Err(&failure))]).unwrap();
        let overview = table(folder, OVERVIEW);
        let status = |k: usize| [overview[k][0].as_str(), overview[k][3].as_str()];
        assert_eq!(status(0), ["x", "could_not_run"], "in its old place");
        assert_eq!(status(1), ["y, \"odd\"", "ok"]);
        assert_eq!(overview.len(), 2);
        let ports = table(folder, PORTS);
        let names: Vec<[&str; 2]> = ports.iter().map(|r| [&*r[0], &*r[3]]).collect();
        assert_eq!(names, [["y, \"odd\"", "in"], ["y, \"odd\"", "out"]]);
        merge(folder, &[(&x, Ok(&digest(&["a"])))]).unwrap();
        assert_eq!(table(folder, PORTS).len(), 3);
    }

    #[test]
    fn runs_side_by_side_lose_no_row() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for k in 0..8 {
                let folder = place.path();
                scope.spawn(move || {
                    let design = input(&format!("d{k}"));
                    merge(folder, &[(&design, Ok(&digest(&["in"])))]).unwrap();
                });
            }
        });
        assert_eq!(table(place.path(), OVERVIEW).len(), 8);
        assert_eq!(table(place.path(), PORTS).len(), 8);
    }

    #[test]
    fn a_table_that_is_not_ours_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(OVERVIEW);
        fs::write(&path, "sample,value\n1,2\n").unwrap();
        let error = merge(place.path(), &[(&input("x"), Ok(&digest(&[])))]).unwrap_err();
        assert!(
            super::super::chain(&error).contains("isn't ours"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "sample,value\n1,2\n");
    }
}
