//! Particles, as arrays.

/// What particles carry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles<const D: usize> {
    /// Positions, m.
    pub x: Vec<[f64; D]>,
    /// Velocities, m/s.
    pub v: Vec<[f64; D]>,
    /// APIC's first moments: by axis of the velocity a vector `b = D grad v_axis`, m²/s. Zero for the other transfers.
    pub b: Vec<[[f64; D]; D]>,
    /// What they are moved with: the grid's velocity at their places, which FLIP's and XPIC's own are not. m/s
    pub carry: Vec<[f64; D]>,
    /// Masses, kg (per metre of depth in the plane).
    pub mass: Vec<f64>,
    /// Names that stay.
    pub id: Vec<u32>,
}

impl<const D: usize> Particles<D> {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            x: Vec::new(),
            v: Vec::new(),
            b: Vec::new(),
            carry: Vec::new(),
            mass: Vec::new(),
            id: Vec::new(),
        }
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Adds one.
    pub fn push(&mut self, x: [f64; D], v: [f64; D], b: [[f64; D]; D], mass: f64, id: u32) {
        self.x.push(x);
        self.v.push(v);
        self.b.push(b);
        self.carry.push(v);
        self.mass.push(mass);
        self.id.push(id);
    }

    /// Keeps some, in the order given.
    pub fn select(&mut self, order: &[u32]) {
        fn of<T: Copy>(values: &mut Vec<T>, order: &[u32]) {
            *values = order.iter().map(|p| values[*p as usize]).collect();
        }
        of(&mut self.x, order);
        of(&mut self.v, order);
        of(&mut self.b, order);
        of(&mut self.carry, order);
        of(&mut self.mass, order);
        of(&mut self.id, order);
    }
}

/// Particles sorted by some key: a counting sort.
#[derive(Clone, Debug)]
pub struct Sorted {
    start: Vec<u32>,
    /// Particles, those of equal key in their own order.
    pub order: Vec<u32>,
}

impl Sorted {
    /// By keys below `n`.
    #[must_use]
    pub fn new(n: usize, keys: &[u32]) -> Self {
        let mut start = vec![0u32; n + 1];
        for k in keys {
            start[*k as usize + 1] += 1;
        }
        for k in 0..n {
            start[k + 1] += start[k];
        }
        let mut fill = start.clone();
        let mut order = vec![0u32; keys.len()];
        for (p, k) in keys.iter().enumerate() {
            let at = &mut fill[*k as usize];
            order[*at as usize] = p as u32;
            *at += 1;
        }
        Self { start, order }
    }

    /// Particles with this key.
    #[must_use]
    pub fn of(&self, key: usize) -> &[u32] {
        &self.order[self.start[key] as usize..self.start[key + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_keeps_the_order_of_equals() {
        let sorted = Sorted::new(3, &[2, 0, 2, 1, 0]);
        assert_eq!(sorted.order, vec![1, 4, 3, 0, 2]);
        assert_eq!(sorted.of(2), [0, 2]);
    }
}
