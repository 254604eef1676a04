//! A progress bar on anything over a second: on stderr, and only on a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stokeslet::session::Stage;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Steps of the bar per design.
const STEPS: f64 = 1000.0;

/// The bar of one run over one or many designs.
pub struct Bar {
    bar: ProgressBar,
    begin: Instant,
    shown: AtomicBool,
    designs: usize,
}

impl Bar {
    /// A bar that nobody sees yet.
    pub fn new(designs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(
            Some(STEPS as u64 * designs as u64),
            ProgressDrawTarget::hidden(),
        );
        // The template is a constant; the fallback is for a typo in it.
        let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {elapsed}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self {
            bar,
            begin: Instant::now(),
            shown: AtomicBool::new(false),
            designs,
        }
    }

    /// Follows one design; several may be followed at once.
    pub fn follow<'a>(&'a self, name: &'a str) -> Follower<'a> {
        Follower {
            bar: self,
            name,
            counted: std::sync::atomic::AtomicU64::new(0),
        }
    }

    /// Prints something without tearing the bar.
    pub fn while_hidden<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show_in_time(&self) {
        if self.begin.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            // Draws only where stderr is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }
}

/// How far one design is.
pub struct Follower<'a> {
    bar: &'a Bar,
    name: &'a str,
    counted: std::sync::atomic::AtomicU64,
}

impl Follower<'_> {
    /// Hears of a stage; the signature of `session::Progress`.
    pub fn hear(&self, stage: Stage, fraction: f64) {
        self.bar.show_in_time();
        self.advance((stage.overall(fraction) * STEPS) as u64);
        if self.bar.shown.load(Ordering::Relaxed) {
            let message = if self.bar.designs > 1 {
                format!("{}: {}", self.name, stage.label())
            } else {
                stage.label().to_string()
            };
            self.bar.bar.set_message(message);
        }
    }

    /// Moves the bar forward to `steps` of this design, never back (a design that starts over waits until it is past).
    fn advance(&self, steps: u64) {
        let before = self.counted.fetch_max(steps, Ordering::Relaxed);
        self.bar.bar.inc(steps.saturating_sub(before));
    }

    /// This design is done, however it ended.
    pub fn finish(&self) {
        self.advance(STEPS as u64);
    }
}
