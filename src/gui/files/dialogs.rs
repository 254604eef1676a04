//! The system's file dialogs, on a thread of their own; where the system has none, the window's own asks instead.

use std::path::{Path, PathBuf};
use web_time::{Duration, Instant};

use super::export::PictureFormat;
use super::outline::OutlineKind;
use super::task::Task;
use crate::command::Command;
use crate::liquids::{LiquidCommand, LiquidFormat};
use stokeslet_flow::export::Format;

/// Faster than this nobody closes a dialog: it never came up.
const NEVER_SHOWN: Duration = Duration::from_millis(300);

/// What a file is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A design to open.
    Open,
    /// Where to save the design.
    SaveAs,
    /// A folder for results in these formats.
    Export(Vec<Format>),
    /// Where to write an outline.
    Outline(OutlineKind),
    /// Where to write a picture.
    Picture(PictureFormat),
    /// Where to write a run of liquids.
    Liquid(LiquidFormat),
}

impl Ask {
    /// Title of the dialog.
    pub fn title(&self) -> &'static str {
        match self {
            Ask::Open => "Open a design, a scene, a study or another program's chip",
            Ask::SaveAs => "Save the design as",
            Ask::Export(_) => "Folder for the results",
            Ask::Outline(_) => "Export the outline as",
            Ask::Picture(format) => match format.extension() {
                "png" => "Save the picture as PNG",
                "pdf" => "Save the picture as PDF",
                _ => "Save the picture as SVG",
            },
            Ask::Liquid(LiquidFormat::Png) => "Save the picture of the liquids as PNG",
            Ask::Liquid(LiquidFormat::Csv) => "Save the history of the liquids as CSV",
            Ask::Liquid(LiquidFormat::Vtu) => "Save the particles of the liquids as VTU",
            Ask::Liquid(LiquidFormat::Vti) => "Save the fields on cells as VTI",
            Ask::Liquid(LiquidFormat::Ply) => "Save the points as PLY",
            Ask::Liquid(LiquidFormat::Obj) => "Save the surface of the liquid as OBJ",
            Ask::Liquid(LiquidFormat::Npz) => "Save the pressure problem as NPZ",
        }
    }

    /// What is done with the answer.
    pub fn command(&self, path: PathBuf) -> Command {
        match self {
            Ask::Open => Command::OpenPath(path),
            Ask::SaveAs => Command::SaveTo(self.with_extension(path)),
            Ask::Export(formats) => Command::ExportTo(formats.clone(), path),
            Ask::Outline(kind) => Command::OutlineTo(*kind, self.with_extension(path)),
            Ask::Picture(format) => Command::PictureTo(*format, self.with_extension(path)),
            Ask::Liquid(format) => {
                let path = self.with_extension(path);
                Command::Liquid(LiquidCommand::ExportTo(*format, path))
            }
        }
    }

    /// The ending that the file has, the first one where it is written; none for folders.
    pub fn extensions(&self) -> Vec<&'static str> {
        match self {
            Ask::Open => vec!["toml", "json", "JSON"],
            Ask::SaveAs => vec!["toml"],
            Ask::Export(_) => Vec::new(),
            Ask::Outline(kind) => vec![kind.ending()],
            Ask::Picture(format) => vec![format.extension()],
            Ask::Liquid(format) => vec![format.extension()],
        }
    }

    /// Whether the file is to be written.
    pub fn writes(&self) -> bool {
        !matches!(self, Ask::Open)
    }

    /// The path with the ending that belongs to it, where someone left it out.
    fn with_extension(&self, path: PathBuf) -> PathBuf {
        match self.extensions().first() {
            Some(extension) if path.extension().is_none() => path.with_extension(extension),
            _ => path,
        }
    }
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Do this.
    Chosen(Command),
    /// Do nothing.
    Cancelled,
    /// This system shows no dialogs: ask in the window.
    Unavailable(Ask),
}

/// The dialog that is open, if there is one.
#[derive(Debug, Default)]
pub struct Dialogs {
    open: Option<(Ask, Instant, Task<Option<PathBuf>>)>,
}

impl Dialogs {
    /// Shows a dialog; `suggested` is a file in the folder to start with. A second one at a time is not shown.
    pub fn ask(&mut self, ask: Ask, suggested: &Path, wake: impl FnOnce() + Send + 'static) {
        if self.open.is_some() {
            return;
        }
        let task = show(&ask, suggested, wake);
        self.open = Some((ask, Instant::now(), task));
    }

    /// Reads a file that was dropped on the page, as if it had been chosen to be opened.
    #[cfg(target_arch = "wasm32")]
    pub fn read(
        &mut self,
        file: eframe::egui::DroppedFileHandle,
        wake: impl FnOnce() + Send + 'static,
    ) {
        let task = Task::later(wake, async move {
            super::memory::keep(file.path(), file.bytes_async().await.ok()?);
            Some(file.path().to_owned())
        });
        self.open = Some((Ask::Open, Instant::now(), task));
    }

    /// The answer, once.
    pub fn poll(&mut self) -> Option<Answer> {
        let (ask, since, task) = self.open.as_ref()?;
        let path = task.poll()?;
        let answer = answer(ask, path.unwrap_or(None), since.elapsed());
        self.open = None;
        Some(answer)
    }
}

/// The library says "nothing" for a cancelled dialog and for one that could not be shown; time tells them apart.
fn answer(ask: &Ask, path: Option<PathBuf>, after: Duration) -> Answer {
    match path {
        Some(path) => Answer::Chosen(ask.command(path)),
        // A page has no folders that the window's own dialog could show.
        None if cfg!(target_arch = "wasm32") => Answer::Cancelled,
        None if after < NEVER_SHOWN || !has_dialogs() => Answer::Unavailable(ask.clone()),
        None => Answer::Cancelled,
    }
}

/// Whether the system may have dialogs: without a session bus and without `zenity` it has none.
fn has_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || std::env::var_os("XDG_RUNTIME_DIR")
            .is_some_and(|run| Path::new(&run).join("bus").exists());
    let folders = std::env::var_os("PATH").unwrap_or_default();
    bus || std::env::split_paths(&folders).any(|folder| folder.join("zenity").is_file())
}

/// In a browser: what is opened is asked for by the page, and kept in memory; what is written is downloaded under its suggested name.
#[cfg(target_arch = "wasm32")]
fn show(
    ask: &Ask,
    suggested: &Path,
    wake: impl FnOnce() + Send + 'static,
) -> Task<Option<PathBuf>> {
    if ask.writes() {
        let path = suggested.to_owned();
        return Task::start("dialog", wake, move || Some(path));
    }
    let dialog = rfd::AsyncFileDialog::new().set_title(ask.title());
    let picked = dialog.add_filter("Designs", &ask.extensions()).pick_file();
    Task::later(wake, async move {
        let file = picked.await?;
        let path = PathBuf::from(file.file_name());
        super::memory::keep(&path, file.read().await);
        Some(path)
    })
}

#[cfg(not(target_arch = "wasm32"))]
fn show(
    ask: &Ask,
    suggested: &Path,
    wake: impl FnOnce() + Send + 'static,
) -> Task<Option<PathBuf>> {
    let (ask, suggested) = (ask.clone(), suggested.to_owned());
    Task::start("dialog", wake, move || choose(&ask, &suggested))
}

#[cfg(not(target_arch = "wasm32"))]
fn choose(ask: &Ask, suggested: &Path) -> Option<PathBuf> {
    if !has_dialogs() {
        return None;
    }
    let mut dialog = rfd::FileDialog::new().set_title(ask.title());
    if let Some(folder) = suggested.parent().filter(|folder| folder.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    let extensions = ask.extensions();
    if let Some(extension) = extensions.first() {
        let kind = match *extension {
            "toml" => "Designs, scenes, studies and networks",
            "csv" => "Tables",
            "vtu" => "Particles",
            "vti" => "Fields",
            "ply" => "Points",
            "obj" => "Surfaces",
            "npz" => "Arrays",
            "png" | "svg" | "pdf" => "Pictures",
            _ => "Outlines",
        };
        dialog = dialog.add_filter(kind, &extensions);
    }
    if let (true, Some(name)) = (ask.writes(), suggested.file_name()) {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    match ask {
        Ask::Open => dialog.pick_file(),
        Ask::SaveAs | Ask::Outline(_) | Ask::Picture(_) | Ask::Liquid(_) => dialog.save_file(),
        Ask::Export(_) => dialog.pick_folder(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_a_command_with_the_right_ending() {
        let path = || PathBuf::from("/x/chip");
        let later = Duration::from_secs(2);
        assert_eq!(
            answer(&Ask::SaveAs, Some(path()), later),
            Answer::Chosen(Command::SaveTo("/x/chip.toml".into()))
        );
        let svg = Ask::Picture(PictureFormat::Svg);
        assert_eq!(
            answer(&svg, Some("/x/chip.svg".into()), later),
            Answer::Chosen(Command::PictureTo(PictureFormat::Svg, "/x/chip.svg".into()))
        );
        let export = Ask::Export(vec![Format::Csv]);
        assert_eq!(
            answer(&export, Some(path()), later),
            Answer::Chosen(Command::ExportTo(vec![Format::Csv], path()))
        );
    }

    #[test]
    fn a_dialog_that_closes_at_once_was_never_shown() {
        let at_once = answer(&Ask::Open, None, Duration::from_millis(20));
        assert_eq!(at_once, Answer::Unavailable(Ask::Open));
    }
}
