//! What the command line writes of a run, written from the window: its picture, its rows, its particles.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::command::LiquidFormat;
use super::shot::Shot;
use super::told::Row;
use super::{Liquids, Shown};
use crate::files::sentence;
use stokeslet_dynamics::report::{picture, vtu};
use stokeslet_flow::export::write_file;

/// What is to be written; made in no time, written on a thread.
#[derive(Clone, Debug)]
pub struct Order {
    format: LiquidFormat,
    path: PathBuf,
    shots: Vec<Arc<Shot>>,
    rows: Vec<Vec<Row>>,
}

impl Order {
    /// The order to write what the views are at now.
    pub fn new(liquids: &Liquids, format: LiquidFormat, path: &Path) -> Self {
        let is_rows = format == LiquidFormat::Csv;
        let rows = |view: &Shown| view.rows.clone();
        Self {
            format,
            path: path.to_owned(),
            shots: liquids.views.iter().map(|v| v.shot.clone()).collect(),
            rows: match is_rows {
                true => liquids.views.iter().map(rows).collect(),
                false => Vec::new(),
            },
        }
    }

    /// Writes it. Returns what to tell.
    ///
    /// # Errors
    /// A sentence that says what kept it from being written.
    pub fn write(&self) -> Result<String, String> {
        let failed = |why: String| format!("Nothing was exported: {why}");
        let files = self.files().map_err(failed)?;
        let n = files.len();
        for (path, bytes) in files {
            write_file(&path, &bytes).map_err(|e| failed(sentence(&e)))?;
        }
        let more = match n {
            0 | 1 => String::new(),
            n => format!(" and {} beside it", n - 1),
        };
        Ok(format!("Saved {}{more}", self.path.display()))
    }

    /// The files' bytes; a second view's particles go beside the first's.
    fn files(&self) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
        match self.format {
            LiquidFormat::Png => {
                let pictures: Vec<_> = self.shots.iter().map(|shot| draw(shot)).collect();
                let bytes = picture::png(&picture::beside(&pictures)).map_err(|e| e.to_string())?;
                Ok(vec![(self.path.clone(), bytes)])
            }
            LiquidFormat::Csv => {
                let rows: String = self.rows.iter().flatten().map(Row::csv).collect();
                let head = self.shots.first().map_or("", |shot| shot.head());
                let text = format!("{head}{rows}");
                Ok(vec![(self.path.clone(), text.into_bytes())])
            }
            format => {
                let mut files = Vec::new();
                for (k, shot) in self.shots.iter().enumerate() {
                    let mut bytes = Vec::new();
                    match &**shot {
                        Shot::Plane(s) => vtu::write(&mut bytes, &s.run.still()),
                        Shot::Space(s) => vtu::write(&mut bytes, &s.run.still()),
                        Shot::System(s) => {
                            let file = s.seen.file(format.extension());
                            bytes = file.ok_or_else(|| lacking(format))?;
                            Ok(())
                        }
                    }
                    .map_err(|e| e.to_string())?;
                    files.push((self.path_of(k), bytes));
                }
                Ok(files)
            }
        }
    }

    /// `flow.vtu`, `flow-2.vtu`.
    fn path_of(&self, view: usize) -> PathBuf {
        if view == 0 {
            return self.path.clone();
        }
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let ending = self.format.extension();
        self.path
            .with_file_name(format!("{stem}-{}.{ending}", view + 1))
    }
}

/// Why a scene isn't written in a format that others of its system are.
fn lacking(format: LiquidFormat) -> String {
    match format {
        LiquidFormat::Obj => "only liquids in space have such a surface, while there is liquid",
        LiquidFormat::Npz => "walls along the cells have no one pressure problem",
        _ => "this scene has nothing that is written so",
    }
    .to_owned()
}

fn draw(shot: &Shot) -> image::RgbImage {
    match shot {
        Shot::Plane(s) => picture::draw(&s.run.still(), None),
        Shot::Space(s) => picture::draw(&s.run.still(), None),
        Shot::System(s) => s.seen.picture(),
    }
}
