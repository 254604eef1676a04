//! Solved chips for tests of what is asked of them.

use super::SolvedFlow;
use crate::field::FieldIndex;
use crate::session::{Solution, SolveSettings, silent, solve};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Motion;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition, Port};
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};

/// A solved chip that owns what [`SolvedFlow`] borrows.
pub struct Solved {
    pub chip: Chip,
    pub solution: Solution,
    index: FieldIndex,
}

impl Solved {
    pub fn flow(&self) -> SolvedFlow<'_> {
        SolvedFlow {
            chip: &self.chip,
            solution: &self.solution,
            index: &self.index,
        }
    }

    pub fn extent(
        &self,
    ) -> (
        stokeslet_base::geometry::Point,
        stokeslet_base::geometry::Point,
    ) {
        self.index.extent()
    }
}

/// 1 mm x 0.1 mm along x about y = 0, 1 mPa s, 100 Pa to 0 Pa.
pub fn channel() -> Chip {
    let pipe = Strip::Straight {
        length: 1e-3,
        width_start: 1e-4,
        width_end: 1e-4,
    };
    let port = |name: &str, socket, p| Port {
        name: name.into(),
        socket: SocketRef { part: 0, socket },
        condition: Condition::Pressure(p),
    };
    Chip {
        name: "channel".into(),
        viscosity: 1e-3,
        model: DepthModel::Planar,
        depth: None,
        parts: vec![Part {
            name: "pipe".into(),
            shape: Shape::Strip(pipe),
            walls: Default::default(),
            motion: Motion::IDENTITY,
            depth: None,
        }],
        connections: vec![],
        ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
    }
}

/// A design of `designs/`, placed.
pub fn example(name: &str) -> Chip {
    let path = format!("{}/../../designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).unwrap();
    let (design, _) = stokeslet_cad::design::parse(&text, name);
    let library = stokeslet_cad::library::Library::embedded();
    stokeslet_cad::chip::place(&design.unwrap(), &library)
        .0
        .unwrap()
}

pub fn solved(chip: &Chip, resolution: u32) -> Solved {
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    let table = Table::default();
    let solution = solve(chip, &settings, &table, &silent, &CancelToken::new()).unwrap();
    Solved {
        chip: chip.clone(),
        index: FieldIndex::new(&solution.fields),
        solution,
    }
}

pub fn solved_example(name: &str, resolution: u32) -> Solved {
    solved(&example(name), resolution)
}
