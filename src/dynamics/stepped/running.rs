//! A scene of a system, running: its log, its checkpoints, copies that go on with other settings.

use std::sync::Arc;

use image::RgbImage;

use super::settings::settings;
use super::{Fault, Hand, Look, Run, RunSnapshot, Sibling, StepRow, Track};
use crate::lcp::Watch;
use crate::report::checkpoint::{sealed, unsealed};
use crate::report::picture::Framing;

/// One running scene.
pub(super) struct Running<S: Sibling> {
    name: String,
    bounds: [[f64; 3]; 2],
    scene: S::Scene,
    settings: S::Settings,
    simulation: S,
    csv: String,
    /// Logs of the steps of this process.
    logs: Vec<S::Log>,
    /// Where the hand took hold that holds now, and whether there was something to hold.
    held: Option<([f64; 3], bool)>,
}

impl<S: Sibling> Running<S> {
    /// A scene at its start.
    pub fn start(scene: S::Scene, settings: S::Settings) -> Result<Self, Fault> {
        let simulation = S::start(&scene, &settings)?;
        Ok(Self {
            name: S::run_name(&scene, &settings),
            bounds: simulation.bounds(),
            scene,
            settings,
            simulation,
            csv: String::new(),
            logs: Vec::new(),
            held: None,
        })
    }
}

impl<S: Sibling> Track for Running<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn done(&self) -> usize {
        self.simulation.done()
    }

    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn advance(&mut self, watch: Watch<'_>) -> Result<(), Fault> {
        let log = self.simulation.step(watch)?;
        self.csv += &format!("{},{}\n", self.name, S::row(&log));
        self.logs.push(log);
        Ok(())
    }

    fn head(&self) -> String {
        format!("run,{}\n", S::HEAD)
    }

    fn log(&self) -> &str {
        &self.csv
    }

    fn picture(&self, framing: &Framing) -> RgbImage {
        let snapshot = self.simulation.snapshot();
        let look = self.simulation.look(&snapshot, self.bounds);
        S::picture(&snapshot, &look, framing)
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        written::<S>(&self.simulation.snapshot(), format)
    }

    fn solves(&self) -> Option<String> {
        S::solves(&self.logs)
    }

    fn told(&self) -> Option<String> {
        let told = || format!("{}: {}", self.name, self.simulation.told(&self.logs));
        (!self.logs.is_empty()).then(told)
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        let mut out = (self.csv.len() as u64).to_le_bytes().to_vec();
        out.extend(self.csv.as_bytes());
        out.extend(self.simulation.save()?);
        Ok(sealed(out))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let (length, rest) = unsealed(bytes)?
            .split_first_chunk::<8>()
            .ok_or("it is cut off")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (csv, state) = rest.split_at_checked(length).ok_or("it is cut off")?;
        let csv = String::from_utf8(csv.to_vec())?;
        self.simulation.load(state)?;
        self.csv = csv;
        Ok(())
    }
}

/// Writing into memory can't fail.
fn written<S: Sibling>(snapshot: &S::Snapshot, format: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    S::write(snapshot, format, &mut out)?.ok()?;
    Some(out)
}

impl<S: Sibling> Run for Running<S> {
    fn rename(&mut self, name: String) {
        self.name = name;
    }

    fn needed(&self) -> usize {
        self.simulation.needed()
    }

    fn seen(&self) -> RunSnapshot {
        let snapshot = Arc::new(self.simulation.snapshot());
        let drawn = snapshot.clone();
        RunSnapshot {
            done: self.simulation.done(),
            time: self.simulation.time(),
            head: self.head(),
            look: self.simulation.look(&snapshot, self.bounds),
            pictured: Arc::new(move |look: &Look| S::picture(&drawn, look, &Framing::default())),
            written: Arc::new(move |format: &str| written::<S>(&snapshot, format)),
        }
    }

    fn last(&self) -> Option<StepRow> {
        let log = self.logs.last()?;
        Some(StepRow {
            csv: format!("{},{}\n", self.name, S::row(log)),
            values: S::measures(log),
            doubt: S::doubt(log),
        })
    }

    fn adopt(&mut self, changes: &[String]) -> Result<(), Fault> {
        let settings: S::Settings = settings(changes)?;
        if settings != self.settings {
            self.simulation.adopt(&self.scene, &settings)?;
            self.name = S::run_name(&self.scene, &settings);
            self.settings = settings;
        }
        Ok(())
    }

    fn fork(&self) -> Result<Box<dyn Run>, Fault> {
        let mut other = Self::start(self.scene.clone(), self.settings.clone())?;
        other.bounds = self.bounds;
        other.load(&self.save()?)?;
        Ok(Box::new(other))
    }

    fn hold(&mut self, hand: Option<Hand>) {
        let Some(hand) = hand else {
            self.held = None;
            return self.simulation.drag(None);
        };
        let holds = match self.held {
            Some((from, holds)) if from == hand.from => holds,
            _ => self.simulation.grab(hand.from),
        };
        self.held = Some((hand.from, holds));
        if holds {
            self.simulation.drag(Some(hand.to));
        }
    }
}
