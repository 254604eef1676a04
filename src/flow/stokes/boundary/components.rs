//! Which components of a node's velocity are unknown.

/// A set of components of a velocity: 0 and 1 in the plane, 2 upwards.
///
/// In whose axes depends on the node: those of its piece; on a socket outward and left of outward; on a wall that slips 0 is
/// along the wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Components(u8);

impl Components {
    /// Held.
    pub const NONE: Self = Self(0b000);
    /// Both in the plane.
    pub const PLANE: Self = Self(0b011);
    /// All three.
    pub const SPACE: Self = Self(0b111);
    /// Upwards: along the edge in which two side walls meet.
    pub const UP: Self = Self(0b100);
    /// The first in the plane and upwards: along a side wall.
    pub const ALONG: Self = Self(0b101);

    /// Those of both.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// How many.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One after the other; a node's unknowns are numbered in this order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..3).filter(move |&c| self.has(c))
    }

    /// The place of a component among them.
    pub fn place(self, component: u32) -> Option<u32> {
        let below = Self(self.0 & ((1 << component) - 1));
        self.has(component).then_some(below.len())
    }

    /// As a number, for keys.
    pub fn bits(self) -> u64 {
        u64::from(self.0)
    }

    fn has(self, component: u32) -> bool {
        self.0 & (1 << component) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_without_gaps() {
        let along = Components::ALONG;
        assert_eq!(
            (along.len(), along.place(2), along.place(1)),
            (2, Some(1), None)
        );
        assert_eq!(along.and(Components::PLANE).iter().collect::<Vec<_>>(), [0]);
        for set in [
            Components::NONE,
            Components::PLANE,
            Components::SPACE,
            along,
        ] {
            let places: Vec<_> = set.iter().filter_map(|c| set.place(c)).collect();
            assert_eq!(places, (0..set.len()).collect::<Vec<_>>());
        }
    }
}
