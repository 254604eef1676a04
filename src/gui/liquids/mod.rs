//! The workspace of whatever is stepped frame by frame: liquids in scenes and tanks, and the scenes of every other system, which run
//! beside each other with solvers, methods and settings that are chosen while they run, and what each step took.
//!
//! ```text
//! LiquidSettings --app/liquids.rs--> Runner (thread) --Track, a frame whole or not at all--> News --> Liquids (what views read)
//!      ^                                                                                              |
//!      +--- LiquidCommand <--- panels (scenes, numbers, plots), Stage (canvases) <-- picture (thread) --+
//! ```
//! The rest of the window knows it by [`Liquids`] and [`LiquidCommand`]; the chip and its document aren't touched from here. What
//! is simulated is [`stokeslet_dynamics`], which knows nothing of windows, and what [`systems::install`] is given: systems that are known
//! by what [`stokeslet_dynamics::stepped`] says of any.
//!
//! | file | turns what into what |
//! | --- | --- |
//! | [`subjects`] | the papers' scenes and tanks and other systems' scenes into one list; **what differs between them** |
//! | [`systems`] | systems into rows, settings and scenes of one's own |
//! | [`means`] | solvers, splitting methods and settings into what may be chosen for a view |
//! | [`settings`] | what is chosen; kept between runs |
//! | [`command`] | everything that can be done here, with labels and keys |
//! | [`runner`], `track` | choices into frames, on a thread |
//! | [`run`] | a simulation of either loop into places, velocities, edges of walls and liquid |
//! | [`shot`] | a run at the end of a frame, with pressures and contacts; differences, probes |
//! | [`told`] | what frames tell: rows, residuals, failures |
//! | [`picture`], `figure` | a shot into pixels, on a thread: of liquids, of other systems |
//! | [`stage`] | the canvases: pan, zoom, pictures, legends; scenes that are turned, bodies that are held |
//! | [`panels`] | everything around the canvases |
//! | [`export`] | shots and rows into files |

pub mod command;
pub mod export;
mod figure;
pub mod means;
pub mod panels;
pub mod picture;
pub mod run;
pub mod runner;
pub mod settings;
pub mod shot;
pub mod stage;
pub mod subjects;
pub mod systems;
pub mod told;
mod track;

use std::sync::Arc;

pub use command::{LIQUID_SHORTCUTS, LiquidCommand, LiquidFormat};
pub use runner::{Goal, News, Runner, RunnerStatus, Setup};
pub use settings::LiquidSettings;
pub use stage::Stage;

use means::Means;
use settings::Colour;
use shot::{Apart, Shot};
use told::{Failure, Row, Solved};

/// Colours span what the last frames had: impacts are seen, and the calm after them too.
const REMEMBERED: usize = 30;

/// A view as it is now, and its frames.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The end of its last frame.
    pub shot: Arc<Shot>,
    /// What was chosen for it.
    pub choice: Means,
    /// Its frames since the start, or since it was opened.
    pub rows: Vec<Row>,
    /// Its last solve, with its residuals; also of a frame that failed.
    pub last: Option<Solved>,
}

/// What the runs are at: all that views read.
#[derive(Clone, Debug, Default)]
pub struct Liquids {
    /// The views: none before the first start, two while they are compared.
    pub views: Vec<Shown>,
    /// Why there is no next frame.
    pub failure: Option<Failure>,
    /// How far two views are apart.
    pub apart: Option<Apart>,
    /// Whether frame follows frame.
    pub is_playing: bool,
    /// What the runner is doing.
    pub status: RunnerStatus,
}

impl Liquids {
    /// Frames done.
    pub fn frame(&self) -> Option<usize> {
        self.views.first().map(|view| view.shot.frames())
    }

    /// Simulated time: s of scenes, the thesis's of tanks.
    pub fn time(&self) -> Option<f64> {
        self.views.first().map(|view| view.shot.time())
    }

    /// Takes in what the runner tells.
    pub fn take(&mut self, news: News) {
        match news {
            News::Started(views) => {
                self.views.clear();
                (self.failure, self.apart) = (None, None);
                self.set_views(views);
            }
            News::Chosen(views) => {
                self.failure = None;
                if views.len() < 2 {
                    self.apart = None;
                }
                self.set_views(views);
            }
            News::Frame(views, told, apart) => {
                self.failure = None;
                self.apart = apart;
                self.set_views(views);
                for (view, told) in self.views.iter_mut().zip(told) {
                    view.rows.push(told.row);
                    view.last = told.solved;
                }
            }
            News::Failed(failure) => {
                let view = self.views.get_mut(failure.view);
                if let (Some(view), Some(solved)) = (view, &failure.solved) {
                    view.last = Some(solved.clone());
                }
                self.failure = Some(failure);
            }
        }
    }

    fn set_views(&mut self, views: Vec<runner::View>) {
        self.views.truncate(views.len());
        for (k, view) in views.into_iter().enumerate() {
            match self.views.get_mut(k) {
                Some(shown) => (shown.shot, shown.choice) = (view.shot, view.choice),
                None => self.views.push(Shown {
                    shot: view.shot,
                    choice: view.choice,
                    rows: Vec::new(),
                    last: None,
                }),
            }
        }
    }

    /// Ends of the colours, in the units of what runs: of all views alike, so that they compare.
    pub fn range(&self, colour: Colour) -> [f64; 2] {
        let rows = self
            .views
            .iter()
            .flat_map(|view| view.rows.iter().rev().take(REMEMBERED));
        let [low, high] = match colour {
            Colour::Plain => [0.0, 0.0],
            Colour::Speed => {
                let now = self.views.iter().map(|view| view.shot.fastest());
                let all = rows.map(|row| row.fastest).chain(now);
                [0.0, all.fold(0.0, f64::max)]
            }
            Colour::Pressure => rows.fold([0.0f64, 0.0f64], |[low, high], row| {
                [low.min(row.pressures[0]), high.max(row.pressures[1])]
            }),
        };
        if low < high && (high - low).is_finite() {
            [low, high]
        } else {
            [0.0, 1.0]
        }
    }
}
