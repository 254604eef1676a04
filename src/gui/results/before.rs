//! What a chip was and did, kept to be held against what it becomes, or against another file's.

use std::sync::Arc;

use super::Solved;
use crate::document::Document;
use stokeslet_cad::chip::Layout;
use stokeslet_flow::export::readable::Quantity as Unit;
use stokeslet_flow::session::PortResult;

/// A solved chip, kept.
#[derive(Clone, Debug)]
pub struct Before {
    /// Name of the design.
    pub name: String,
    /// As it was drawn.
    pub layout: Arc<Layout>,
    /// Its ports, in its order.
    pub ports: Vec<PortResult>,
    /// Whether flow rates are m³/s, not m²/s.
    pub has_depth: bool,
    /// Greatest speed, m/s.
    pub max_speed: Option<f64>,
    /// Greatest wall shear stress, Pa.
    pub max_shear: Option<f64>,
    /// Greatest shear stress of floor and ceiling, Pa, of shallow chips.
    pub max_floor_shear: Option<f64>,
    /// Cell edges across a channel.
    pub resolution: u32,
}

/// A number of both.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What it is a number of.
    pub name: String,
    /// How it is printed.
    pub unit: Unit,
    /// SI; `None` where only one of the two has it.
    pub before: Option<f64>,
    /// SI; likewise.
    pub after: Option<f64>,
}

impl Pair {
    /// The larger of the two.
    pub fn size(&self) -> f64 {
        let of = |value: Option<f64>| value.map_or(0.0, f64::abs);
        of(self.before).max(of(self.after))
    }

    /// By how much it grew, in parts of what it was; `None` where that says nothing.
    pub fn change(&self) -> Option<f64> {
        let (before, after) = (self.before?, self.after?);
        (before != 0.0).then(|| after / before - 1.0)
    }
}

impl Before {
    /// What is solved now; `None` where what is shown was edited since, or isn't solved.
    pub fn of(document: &Document, solved: Option<&Solved>) -> Option<Self> {
        let solved = solved.filter(|s| s.revision == document.revision)?;
        Some(Self {
            name: document.name().to_owned(),
            layout: document.layout.clone(),
            ports: solved.solution.ports.clone(),
            has_depth: solved.chip.depth.is_some(),
            max_speed: solved.solution.max_speed.map(|m| m.0),
            max_shear: solved.solution.wall_shear.map(|s| s.max),
            max_floor_shear: solved.solution.floor_shear.map(|s| s.max),
            resolution: solved.resolution,
        })
    }

    /// It beside what is solved now: flow and pressure of every port that either has, then speed and shear.
    pub fn beside(&self, solved: &Solved) -> Vec<Pair> {
        let now = &solved.solution;
        let is_new = |p: &&PortResult| self.ports.iter().all(|known| known.id != p.id);
        let new = now.ports.iter().filter(is_new);
        let names = self.ports.iter().chain(new).map(|p| p.id.as_str());
        // A chip that was given a depth flows other units.
        let is_alike = self.has_depth == solved.chip.depth.is_some();
        let flow = Unit::of_flow(self.has_depth);
        let of = |ports: &[PortResult], name: &str, value: &dyn Fn(&PortResult) -> f64| {
            ports.iter().find(|p| p.id == name).map(value)
        };
        let mut pairs = Vec::new();
        for name in names {
            let rate = |p: &PortResult| p.flow_rate;
            if is_alike {
                pairs.push(Pair {
                    name: format!("{name}: flow in"),
                    unit: flow,
                    before: of(&self.ports, name, &rate),
                    after: of(&now.ports, name, &rate),
                });
            }
            let pressure = |p: &PortResult| p.pressure;
            pairs.push(Pair {
                name: format!("{name}: pressure"),
                unit: Unit::Pressure,
                before: of(&self.ports, name, &pressure),
                after: of(&now.ports, name, &pressure),
            });
        }
        pairs.push(Pair {
            name: "Greatest speed".to_owned(),
            unit: Unit::Speed,
            before: self.max_speed,
            after: now.max_speed.map(|m| m.0),
        });
        pairs.push(Pair {
            name: "Wall shear, max".to_owned(),
            unit: Unit::Pressure,
            before: self.max_shear,
            after: now.wall_shear.map(|s| s.max),
        });
        let floor = now.floor_shear.map(|s| s.max);
        if self.max_floor_shear.or(floor).is_some() {
            pairs.push(Pair {
                name: "Floor shear, max".to_owned(),
                unit: Unit::Pressure,
                before: self.max_floor_shear,
                after: floor,
            });
        }
        pairs
    }
}
