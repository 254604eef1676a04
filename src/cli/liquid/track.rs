//! What `stokeslet liquid run` runs: a scene with a solver, or a tank with a splitting method; to the command they are alike.

use image::RgbImage;
use stokeslet::dynamics::lcp::{LcpSolver, Watch, solver};
use stokeslet::dynamics::pressure::Separation;
use stokeslet::dynamics::report::checkpoint::{Kept, LoopState, load, save};
use stokeslet::dynamics::report::picture::Framing;
use stokeslet::dynamics::report::still::Still;
use stokeslet::dynamics::report::{frames, picture, vtu};
use stokeslet::dynamics::scenes::eckert::{
    AnyTank, FlowError, FlowSettings, Tank, TankError, TankFlow, TankStep,
};
use stokeslet::dynamics::scenes::{AnyScene, FrameLog, Scene, Simulation};
use stokeslet::dynamics::splitting::{METHODS, Method, Settings, WallKind};

use super::super::outcome::CliError;
use super::super::stepped::{Fault, Track};
use super::args::LiquidRunArgs;

/// The simulations that were asked for.
///
/// # Errors
/// [`CliError::Usage`] for names that don't exist or don't go together.
pub fn tracks(args: &LiquidRunArgs) -> Result<Vec<Box<dyn Track>>, CliError> {
    match (AnyScene::of(&args.scene), AnyTank::of(&args.scene)) {
        (Some(AnyScene::Plane(scene)), _) => of_scene(scene, args),
        (Some(AnyScene::Space(scene)), _) => of_scene(scene, args),
        (None, Some(AnyTank::Plane(tank))) => of_tank(&tank, args),
        (None, Some(AnyTank::Space(tank))) => of_tank(&tank, args),
        (None, None) => Err(usage(format!(
            "there is no scene `{}`; `stokeslet liquid scenes` lists them",
            args.scene
        ))),
    }
}

fn usage(message: String) -> CliError {
    CliError::Usage { message }
}

/// What a checkpoint is of.
fn key(args: &LiquidRunArgs, solver: &str, name: &str) -> String {
    let volume = if args.keeps_volume() {
        " keeping volume"
    } else {
        ""
    };
    format!("{} {} {solver} {name}{volume}", args.scene, args.cells())
}

/// A scene of [000] or [001].
struct SceneTrack<const D: usize> {
    walls: &'static str,
    key: String,
    simulation: Simulation<D>,
    solver: Box<dyn LcpSolver<D>>,
    log: String,
    last: Option<FrameLog>,
}

fn of_scene<const D: usize>(
    scene: Scene<D>,
    args: &LiquidRunArgs,
) -> Result<Vec<Box<dyn Track>>, CliError> {
    let name = args.solver.as_deref().unwrap_or("fas-mg");
    let sticking = ("sticking", Separation::Sticking);
    let separating = ("separating", Separation::Cut);
    let walls = match args.walls() {
        "sticking" => vec![sticking],
        "both" => vec![sticking, separating],
        _ => vec![separating],
    };
    let scene = if args.keeps_volume() {
        scene.keeping_volume()
    } else {
        scene
    };
    let track = |(walls, separation)| -> Result<Box<dyn Track>, CliError> {
        let solver = solver::<D>(name).ok_or_else(|| {
            usage(format!(
                "there is no solver `{name}`; `stokeslet liquid scenes` lists them"
            ))
        })?;
        Ok(Box::new(SceneTrack {
            walls,
            key: key(args, name, walls),
            simulation: Simulation::new(scene.clone(), args.cells(), separation),
            solver,
            log: String::new(),
            last: None,
        }))
    };
    walls.into_iter().map(track).collect()
}

impl<const D: usize> Track for SceneTrack<D> {
    fn name(&self) -> &str {
        self.walls
    }

    fn done(&self) -> usize {
        self.simulation.frames
    }

    fn time(&self) -> f64 {
        self.simulation.time
    }

    fn advance(&mut self, watch: Watch<'_>) -> Result<(), Fault> {
        let frame = self
            .simulation
            .frame(&mut *self.solver, watch, &mut |_| {})?;
        self.log += &frames::row(self.walls, &frame);
        self.last = Some(frame);
        Ok(())
    }

    fn head(&self) -> String {
        frames::HEAD.to_owned()
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn picture(&self, framing: &Framing) -> RgbImage {
        picture::draw(&Still::from(&self.simulation), framing.pixels)
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        (format == "vtu").then(|| written(&Still::from(&self.simulation)))
    }

    fn told(&self) -> Option<String> {
        let last = self.last.as_ref()?;
        Some(format!(
            "{:<11} {} particles, {} unknowns, {} at walls, {} detached, divergence {:.1e} 1/s, volume {:.4}",
            self.walls,
            self.simulation.x.len(),
            last.unknowns,
            last.at_wall,
            last.detached,
            last.divergence,
            last.volume,
        ))
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        let kept = Kept {
            memory: self.solver.memory(),
            log: self.log.clone(),
        };
        Ok(save(
            &self.key,
            &LoopState::of_scene(&self.simulation),
            &kept,
        ))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let faces = self.simulation.mac.u.each_ref().map(Vec::len);
        let (state, kept) = load(bytes, &self.key, faces)?;
        state.restore_scene(&mut self.simulation);
        self.solver.recall(kept.memory);
        self.log = kept.log;
        Ok(())
    }
}

/// A tank of [003].
struct TankTrack<const D: usize> {
    name: String,
    key: String,
    flow: TankFlow<D>,
    method: Method,
    settings: Settings,
    log: String,
    last: Option<TankStep>,
}

fn of_tank<const D: usize>(
    tank: &Tank<D>,
    args: &LiquidRunArgs,
) -> Result<Vec<Box<dyn Track>>, CliError>
where
    TankError: From<FlowError<D>>,
{
    if args.keep_volume.is_some() {
        return Err(usage("--keep-volume is for scenes, not for tanks".into()));
    }
    let name = args.solver.as_deref().unwrap_or("iop-sep-bc");
    let method = Method::named(name).ok_or_else(|| {
        usage(format!(
            "there is no method `{name}` for tanks; `stokeslet liquid scenes` lists them"
        ))
    })?;
    let is_sticking = method.walls() == WallKind::Sticking;
    if args.walls() == "sticking" && !is_sticking {
        let names = METHODS
            .iter()
            .filter(|m| m.method.walls() == WallKind::Sticking);
        let names: Vec<&str> = names.map(|m| m.name).collect();
        return Err(usage(format!(
            "`{name}` lets liquid leave walls; {} hold it",
            names.join(", ")
        )));
    }
    let mut methods = vec![(name, method)];
    if args.walls() == "both" && method != Method::OrigPs {
        methods.insert(0, ("orig-ps", Method::OrigPs));
    }
    let track = |(name, method): (&str, Method)| -> Box<dyn Track> {
        Box::new(TankTrack {
            name: name.to_string(),
            key: key(args, name, "tank"),
            flow: TankFlow::new(tank, args.cells(), FlowSettings::of::<D>()),
            method,
            settings: Settings::practical::<D>(),
            log: String::new(),
            last: None,
        })
    };
    Ok(methods.into_iter().map(track).collect())
}

impl<const D: usize> Track for TankTrack<D>
where
    TankError: From<FlowError<D>>,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn done(&self) -> usize {
        self.flow.steps
    }

    fn time(&self) -> f64 {
        self.flow.steps as f64 * self.flow.settings.dt
    }

    fn advance(&mut self, watch: Watch<'_>) -> Result<(), Fault> {
        let step = self
            .flow
            .step(self.method, &self.settings, watch, &mut |_| {})
            .map_err(TankError::from)?;
        self.log += &frames::tank_row(&self.name, &step);
        self.last = Some(step);
        Ok(())
    }

    fn head(&self) -> String {
        frames::TANK_HEAD.to_owned()
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn picture(&self, framing: &Framing) -> RgbImage {
        picture::draw(&Still::from(&self.flow), framing.pixels)
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        (format == "vtu").then(|| written(&Still::from(&self.flow)))
    }

    fn told(&self) -> Option<String> {
        let last = self.last.as_ref()?;
        Some(format!(
            "{:<11} {} particles, {} cells of liquid, {} of walls let go, divergence {:.1e}, {} iterations, {} outer",
            self.name,
            self.flow.x.len(),
            last.volume,
            last.log.detached.len(),
            last.log.divergence_left,
            last.log.solve.inner,
            last.log.solve.outer,
        ))
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        let kept = Kept {
            memory: Vec::new(),
            log: self.log.clone(),
        };
        Ok(save(&self.key, &LoopState::of_tank(&self.flow), &kept))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let faces = self.flow.mac.u.each_ref().map(Vec::len);
        let (state, kept) = load(bytes, &self.key, faces)?;
        state.restore_tank(&mut self.flow);
        self.log = kept.log;
        Ok(())
    }
}

/// Writing into memory can't fail.
fn written<const D: usize>(still: &Still<'_, D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    vtu::write(&mut bytes, still).map_or_else(|_| Vec::new(), |()| bytes)
}
