//! What commands about liquids do, and when the runner is told of it.

use std::path::Path;
use std::sync::Arc;

use super::App;
use crate::context::Workspace;
use crate::files::open;
use crate::files::task::Task;
use crate::liquids::systems::{OwnScene, recognise};
use crate::liquids::{Goal, LiquidCommand, LiquidFormat, News, Runner, Setup, Stage, export};
use crate::panels::Notice;

/// The window is drawn so often while a frame takes its time: the seconds move.
const TICK: std::time::Duration = std::time::Duration::from_millis(100);

/// What is simulated, and how it is drawn.
pub(super) struct Liquidity {
    /// The canvases.
    pub stage: Stage,
    /// None until the workspace is opened for the first time.
    runner: Option<Runner>,
    /// What the runner was told to simulate.
    started: Option<Setup>,
    writing: Option<Task<Result<String, String>>>,
}

impl Liquidity {
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            stage: Stage::new(wake),
            runner: None,
            started: None,
            writing: None,
        }
    }

    /// Whether nothing is simulated, drawn or written.
    pub fn is_settled(&self) -> bool {
        self.runner.as_ref().is_none_or(Runner::is_idle)
            && self.stage.is_settled()
            && self.writing.is_none()
    }
}

impl App {
    /// Goes to a workspace; what is simulated rests while nobody looks.
    pub(super) fn enter(&mut self, workspace: Workspace) {
        if workspace != Workspace::Liquids
            && let Some(runner) = &self.liquids.runner
        {
            runner.go(Goal::Rest);
        }
        self.state.workspace = workspace;
        self.panels.close_windows();
    }

    /// Does a command about liquids.
    pub(super) fn apply_to_liquids(&mut self, command: &LiquidCommand) {
        use LiquidCommand as L;
        let settings = &mut self.state.settings.liquids;
        match command {
            L::Scene(scene) => {
                if settings.scene != *scene {
                    settings.scene.clone_from(scene);
                    // A size of the same name may be far larger there.
                    settings.scale.clear();
                    settings.settle_size();
                    self.liquids.stage.change();
                }
            }
            L::Size(size) => settings.set_size(*size),
            L::KeepVolume(on) => settings.keep_volume = *on,
            L::Solver(side, solver) => settings.choices[side.index()].solver.clone_from(solver),
            L::Method(side, method) => settings.methods[side.index()].clone_from(method),
            L::Walls(side, walls) => settings.choices[side.index()].walls = *walls,
            L::Compare(on) => settings.compare = *on,
            L::Set(side, key, value) => settings.change(*side, key, value.as_deref()),
            L::Scale(name) => settings.scale.clone_from(name),
            L::Hold(hold) => {
                if let Some(runner) = &self.liquids.runner {
                    runner.hold(*hold);
                }
            }
            L::Colour(colour) => settings.set_colour(*colour),
            L::Mark(mark) => super::toggle(&mut settings.marks, *mark),
            L::Slice(slice) => settings.slice = *slice,
            L::Restart => self.liquids.started = None,
            L::Play => self.go(Goal::Endless),
            L::Pause => self.go(Goal::Rest),
            L::Step => self.go(Goal::Frames(1)),
            L::PlayOrPause => {
                let goal = match self.state.liquids.is_playing {
                    true => Goal::Rest,
                    false => Goal::Endless,
                };
                self.go(goal);
            }
            L::Export(format) => self.ask_liquid_path(*format),
            L::ExportTo(format, path) => self.write_liquids(*format, path),
        }
        self.schedule_liquids();
    }

    /// Opens a file: a scene, or a design.
    pub(super) fn open_file(&mut self, path: &Path) {
        if !self.open_scene(path) {
            self.open_path(path);
        }
    }

    /// Opens a scene of another system, if a file is one; else `false`. What is wrong with it is told.
    pub(super) fn open_scene(&mut self, path: &Path) -> bool {
        let Ok(opened) = open::open(path) else {
            // Whoever opens designs tells why.
            return false;
        };
        let Some(system) = recognise(&opened.text) else {
            return false;
        };
        match OwnScene::read(system, path, opened.text) {
            Ok(own) => {
                let settings = &mut self.state.settings.liquids;
                settings.scene.clone_from(&own.entry.name);
                settings.scale.clear();
                settings.own = Some(Arc::new(own));
                self.liquids.started = None;
                self.liquids.stage.change();
                self.enter(Workspace::Liquids);
                self.schedule_liquids();
            }
            Err(error) => {
                let file = path.display();
                let label = system.label();
                self.notify(Notice::error(format!("{file} ({label}): {error}")));
            }
        }
        true
    }

    fn go(&mut self, goal: Goal) {
        // What was chosen in the same frame comes first.
        self.schedule_liquids();
        if let Some(runner) = &self.liquids.runner {
            // A step while it plays ends the playing.
            if matches!(goal, Goal::Frames(_)) && self.state.liquids.is_playing {
                runner.go(Goal::Rest);
            }
            runner.go(goal);
            self.state.liquids.is_playing = goal == Goal::Endless;
        }
    }

    /// Tells the runner what is chosen, where it doesn't know yet. Nothing while the workspace isn't open.
    pub(super) fn schedule_liquids(&mut self) {
        if self.state.workspace != Workspace::Liquids {
            return;
        }
        let settings = &self.state.settings.liquids;
        let setup = Setup {
            scene: settings.scene.clone(),
            // Of other systems the scene's file says how large it is.
            size: match settings.group().system() {
                Some(_) => 0,
                None => settings.size(),
            },
            keep_volume: settings.keeps_volume(),
            scale: settings.scale.clone(),
            own: settings.own_named(&settings.scene).cloned(),
        };
        let choices = settings.shown();
        let ctx = &self.ctx;
        let runner = self.liquids.runner.get_or_insert_with(|| {
            let ctx = ctx.clone();
            Runner::new(move || ctx.request_repaint())
        });
        if self.liquids.started.as_ref() == Some(&setup) {
            runner.choose(choices);
        } else {
            runner.start(setup.clone(), choices);
            self.state.liquids.is_playing = false;
            self.liquids.started = Some(setup);
        }
    }

    /// What the runner and the exports say.
    pub(super) fn drain_liquids(&mut self) {
        if let Some(done) = self.liquids.writing.as_ref().and_then(Task::poll) {
            self.liquids.writing = None;
            self.notify(match done {
                Ok(Ok(text)) => Notice::done(text),
                Ok(Err(text)) => Notice::error(text),
                Err(lost) => Notice::error(format!("Nothing was exported: {lost}")),
            });
        }
        let Some(runner) = &self.liquids.runner else {
            return;
        };
        let status = runner.status();
        let mut failures = Vec::new();
        for news in runner.drain() {
            if let News::Failed(failure) = &news
                && (self.state.liquids.views.is_empty() || !self.sees_liquids())
            {
                // Else the view says so itself.
                failures.push(failure.message.clone());
            }
            self.state.liquids.take(news);
        }
        self.state.liquids.is_playing = status.goal == Goal::Endless;
        self.state.liquids.status = status;
        if status.busy.is_some() {
            self.ctx.request_repaint_after(TICK);
        }
        for message in failures {
            self.notify(Notice::error(message));
        }
    }

    fn write_liquids(&mut self, format: LiquidFormat, path: &Path) {
        let order = export::Order::new(&self.state.liquids, format, path);
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        self.liquids.writing = Some(Task::start("export", wake, move || order.write()));
    }
}

impl App {
    /// What the runs are at.
    pub fn liquids(&self) -> &crate::liquids::Liquids {
        &self.state.liquids
    }

    /// The canvases of liquids.
    pub fn stage(&self) -> &Stage {
        &self.liquids.stage
    }

    /// Whether no simulation, picture or export of liquids is under way.
    pub fn is_liquid_settled(&self) -> bool {
        self.liquids.is_settled()
    }

    /// The workspace that is open.
    pub fn workspace(&self) -> Workspace {
        self.state.workspace
    }
}
