//! A progress bar over frames: on stderr, only on a terminal, only on what takes over a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);

/// Frames done of all.
pub struct Bar {
    bar: ProgressBar,
    begin: Instant,
}

impl Bar {
    /// A bar that nobody sees yet.
    pub fn new(frames: usize, message: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(frames as u64), ProgressDrawTarget::hidden());
        // The template is a constant; the fallback is for a typo in it.
        let style = ProgressStyle::with_template(
            "{bar:32} {pos}/{len} frames  {elapsed}, {eta} to go  {wide_msg}",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(message.to_string());
        Self {
            bar,
            begin: Instant::now(),
        }
    }

    /// So many frames are done.
    pub fn at(&self, frames: usize) {
        if self.begin.elapsed() > PATIENCE && self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(frames as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
