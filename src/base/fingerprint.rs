//! 128-bit keys of content: equal content, equal key, on any machine and in any run.

/// A key that stands for everything its value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u128);

/// Builds a [`Fingerprint`] word by word. Two lanes of multiply-and-fold with different constants; 2^64 keys would be needed
/// for a likely collision.
#[derive(Clone, Copy, Debug)]
pub struct Hasher {
    lanes: [u64; 2],
    length: u64,
}

const KEYS: [u64; 4] = [
    0x9e37_79b9_7f4a_7c15,
    0xd1b5_4a32_d192_ed03,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
];

fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide as u64) ^ ((wide >> 64) as u64)
}

impl Hasher {
    /// A hasher whose keys differ from those of any other `domain`.
    pub fn new(domain: u64) -> Self {
        Self {
            lanes: [KEYS[0] ^ domain, KEYS[1].wrapping_add(domain)],
            length: 0,
        }
    }

    /// Adds a word.
    pub fn word(mut self, w: u64) -> Self {
        self.lanes[0] =
            fold(self.lanes[0] ^ w, KEYS[2]).wrapping_add(self.lanes[1].rotate_left(23));
        self.lanes[1] = fold(self.lanes[1] ^ w.rotate_left(32), KEYS[3]).wrapping_add(w);
        self.length += 1;
        self
    }

    /// Adds a signed word.
    pub fn int(self, w: i64) -> Self {
        self.word(w as u64)
    }

    /// Adds a number by its bits.
    pub fn float(self, x: f64) -> Self {
        self.word((x + 0.0).to_bits())
    }

    /// Adds another key.
    pub fn key(self, f: Fingerprint) -> Self {
        self.word(f.0 as u64).word((f.0 >> 64) as u64)
    }

    /// The key.
    pub fn finish(self) -> Fingerprint {
        let a = fold(self.lanes[0] ^ self.length, KEYS[1]) ^ self.lanes[1];
        let b =
            fold(self.lanes[1].wrapping_add(self.length), KEYS[0]) ^ self.lanes[0].rotate_left(17);
        Fingerprint(
            u128::from(fold(a, KEYS[3])) | (u128::from(fold(b ^ a.rotate_left(5), KEYS[2])) << 64),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_change_both_halves() {
        let base = Hasher::new(1).word(1).word(2).finish().0;
        for other in [
            Hasher::new(1).word(2).word(1),
            Hasher::new(2).word(1).word(2),
            Hasher::new(1).word(1).word(2).word(0),
        ] {
            let d = base ^ other.finish().0;
            assert!((d as u64) != 0 && ((d >> 64) as u64) != 0);
        }
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..100_000_u64 {
            assert!(
                seen.insert(Hasher::new(0).word(i % 317).word(i / 317).finish().0 as u64),
                "half a key collides at {i}"
            );
        }
    }
}
