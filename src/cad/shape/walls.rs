//! What walls do to the fluid: of each edge of a shape that is no open socket, its kind.
//!
//! Edges are counted counter-clockwise. Those of a polygon start from the corner of their number; a strip has four:
//! ```text
//!            2: left wall
//!        +----------------+
//! 3:     |  from socket 0 |  1: socket 1         (an arc turns left: its left wall is the inner one)
//! socket |  to socket 1   |
//! 0      +----------------+
//!            0: right wall
//! ```
//! Floor and ceiling are not among them: they hold the fluid in every model that has them.

/// The edge of a strip that is its right wall, looking from socket 0 to socket 1.
pub const RIGHT_WALL: usize = 0;
/// The edge of a strip that is its left wall.
pub const LEFT_WALL: usize = 2;

/// What a wall does to the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WallKind {
    /// Holds it: zero velocity.
    #[default]
    NoSlip,
    /// Lets it slip without friction: nothing flows through, no shear stress. A line of symmetry is one.
    Slip,
}

impl WallKind {
    /// All of them, in the order in which they are offered.
    pub const ALL: [WallKind; 2] = [WallKind::NoSlip, WallKind::Slip];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            WallKind::NoSlip => "no-slip",
            WallKind::Slip => "slip",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The kind of every edge of a shape, were it a wall.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walls {
    /// Edges whose kind was asked for.
    asked: Vec<(usize, WallKind)>,
    /// All others.
    others: WallKind,
}

impl Walls {
    /// With the kind of one edge asked for.
    pub fn with(mut self, edge: usize, kind: WallKind) -> Self {
        self.asked.retain(|asked| asked.0 != edge);
        self.asked.push((edge, kind));
        self
    }

    /// With this kind wherever none was asked for.
    pub fn or(mut self, others: WallKind) -> Self {
        self.others = others;
        self
    }

    /// The kind of an edge, where it is a wall or a socket that nothing meets.
    pub fn kind(&self, edge: usize) -> WallKind {
        let asked = self.asked.iter().find(|asked| asked.0 == edge);
        asked.map_or(self.others, |asked| asked.1)
    }

    /// Whether some edge lets the fluid slip.
    pub fn can_slip(&self) -> bool {
        self.others == WallKind::Slip || self.asked.iter().any(|asked| asked.1 == WallKind::Slip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_goes_before_what_the_chip_says() {
        let walls = Walls::default().with(2, WallKind::NoSlip);
        let walls = walls.with(0, WallKind::Slip).with(0, WallKind::NoSlip);
        assert!(!walls.can_slip());
        let walls = walls.or(WallKind::Slip);
        assert!(walls.can_slip());
        let kinds = [0, 1, 2].map(|edge| walls.kind(edge));
        assert_eq!(kinds, [WallKind::NoSlip, WallKind::Slip, WallKind::NoSlip]);
        assert_eq!(
            WallKind::ALL.map(|k| WallKind::of_name(k.name())),
            WallKind::ALL.map(Some)
        );
    }
}
