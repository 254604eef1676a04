//! Bytes as a row of choices; when they run out, the first of each.

/// What is left of the bytes.
pub struct Choices<'a>(pub &'a [u8]);

impl<'a> Choices<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// One of `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        let high = if n > 256 {
            usize::from(self.byte()) << 8
        } else {
            0
        };
        (high | usize::from(self.byte())) % n.max(1)
    }

    /// True in so many of a hundred cases; false when the bytes ran out.
    pub fn percent(&mut self, of_hundred: u8) -> bool {
        let all = !self.0.is_empty();
        all && self.byte() % 100 < of_hundred
    }

    /// One of them.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// The next bytes, at most `n`.
    pub fn bytes(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }
}
