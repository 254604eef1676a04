//! Pictures of the canvas and outlines of the chip, on their way to the disk.

use std::path::{Path, PathBuf};

use eframe::egui::Color32;

use super::App;
use crate::files::export::PictureFormat;
use crate::files::outline::{self, OutlineKind};
use crate::files::task::Task;
use crate::files::{picture, sentence};
use crate::panels::Notice;
use crate::words::capital;
use stokeslet_flow::export::write_file;

impl App {
    /// Writes the chip's outline, on a thread of its own.
    pub(super) fn write_outline(&mut self, kind: OutlineKind, path: &Path) {
        let document = &self.state.document;
        let (Some(design), Some(chip)) = (&document.design, &document.layout.chip) else {
            return;
        };
        let (design, chip, path) = (design.clone(), chip.clone(), path.to_owned());
        let library = self.state.library.clone();
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        let work = move || outline::write_outline(kind, (&design, &library), &chip, &path);
        self.filing.writing.push(Task::start("outline", wake, work));
    }

    /// Large pictures take their time: on a thread of their own.
    fn write_picture(&mut self, format: PictureFormat, svg: String, path: PathBuf) {
        self.filing.picture = None;
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        let work = move || {
            let bytes = format
                .of_svg(svg)
                .map_err(|error| capital(&sentence(&error)))?;
            match write_file(&path, &bytes) {
                Ok(()) => Ok(format!("Saved {}", path.display())),
                Err(error) => Err(capital(&sentence(&error))),
            }
        };
        self.filing.writing.push(Task::start("picture", wake, work));
    }

    /// Writes the picture that was asked for, once there is one.
    pub(super) fn take_picture(&mut self) {
        let Some((format, path)) = self.filing.picture.clone() else {
            return;
        };
        let rect = self.canvas.view.rect;
        let made = match format {
            PictureFormat::Png => {
                let taken = self.filing.screenshot.as_ref();
                let Some(window) = taken.and_then(|taken| taken.try_recv().ok()) else {
                    return;
                };
                picture::png(&window, rect, self.ctx.pixels_per_point())
            }
            PictureFormat::Svg => {
                let Some(layer) = self.canvas.layer() else {
                    return;
                };
                let shapes = picture::painted(&self.ctx, layer, rect);
                let image_of = |id| self.layer.image_of(id);
                let background = self.ctx.global_style().visuals.panel_fill;
                Ok(picture::svg(&shapes, rect, background, &image_of).into_bytes())
            }
            paper => {
                let Some(layer) = self.canvas.layer() else {
                    return;
                };
                if !self.canvas.is_light || self.layer.is_busy() {
                    return self.ctx.request_repaint();
                }
                let mut shapes = picture::painted(&self.ctx, layer, rect);
                shapes.retain(|clipped| !picture::is_ground(&clipped.shape, rect));
                let image_of = |id| self.layer.image_of(id);
                self.look();
                let svg = picture::svg(&shapes, rect, Color32::TRANSPARENT, &image_of);
                return self.write_picture(paper, svg, path);
            }
        };
        self.filing.picture = None;
        let written = match made {
            Ok(bytes) => write_file(&path, &bytes).map_err(|e| sentence(&e)),
            Err(error) => Err(sentence(&error)),
        };
        self.notify(match written {
            Ok(()) => Notice::done(format!("Saved {}", path.display())),
            Err(text) => Notice::error(capital(&text)),
        });
    }
}
