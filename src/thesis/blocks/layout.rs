//! How a row numbers its unknowns.

use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};

/// Which velocity components of a node are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Velocity {
    /// Given: walls and flow-rate ports.
    Given,
    /// Only along the row's own x axis: developed pressure ports.
    Normal,
    /// Both.
    Both,
}

/// The unknowns of one node of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeUnknowns {
    /// Velocity.
    pub velocity: Velocity,
    /// Whether the node carries a pressure.
    pub pressure: bool,
    /// False where another row owns the node (corners where sockets touch).
    pub owned: bool,
}

/// How a row numbers its unknowns: velocities node by node (x before y), then pressures.
#[derive(Clone, Debug)]
pub struct Layout {
    /// One a node.
    pub nodes: Vec<NodeUnknowns>,
    /// First velocity unknown of each node.
    pub velocity_at: Vec<u32>,
    /// Pressure unknown of each node (meaningful where it has one).
    pub pressure_at: Vec<u32>,
    /// Place of each node among the owned ones.
    pub ordinal: Vec<u32>,
    /// Number of unknowns.
    pub n_unknowns: usize,
    /// Number of owned nodes.
    pub n_owned: usize,
    /// Number of velocity unknowns; they come first.
    pub n_velocity: usize,
    /// Key.
    pub fingerprint: Fingerprint,
}

impl Layout {
    /// Numbers the unknowns of these nodes.
    pub fn new(nodes: Vec<NodeUnknowns>) -> Self {
        let mut key = Hasher::new(Domain::BlockLayout);
        let (mut velocity_at, mut pressure_at, mut ordinal) = (Vec::new(), Vec::new(), Vec::new());
        let (mut n, mut n_owned) = (0, 0);
        for node in &nodes {
            key = key.word(
                node.velocity as u64 | u64::from(node.pressure) << 2 | u64::from(node.owned) << 3,
            );
            velocity_at.push(n);
            n += if node.owned { node.velocity as u32 } else { 0 };
            ordinal.push(n_owned);
            n_owned += u32::from(node.owned);
        }
        let n_velocity = n as usize;
        for node in &nodes {
            pressure_at.push(n);
            n += u32::from(node.pressure && node.owned);
        }
        let (n_unknowns, n_owned) = (n as usize, n_owned as usize);
        Self {
            nodes,
            velocity_at,
            pressure_at,
            ordinal,
            n_unknowns,
            n_owned,
            n_velocity,
            fingerprint: key.finish(),
        }
    }
}
