//! 128-bit keys of content: equal content, equal key, on any machine and in any run.

use std::fmt;
use std::hash::Hasher as _;

use siphasher::sip128::{Hasher128, SipHasher13};

/// A key that stands for everything its value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u128);

/// What a key is of: the one list of them, so that no two kinds of content share keys by accident, which would hand out another's
/// result in silence. Order and names may change between versions: keys live no longer than a run, or are stored with the program's
/// version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// What a design says of a component.
    GivenComponent,
    /// A polygon, a straight or a round strip of an exported outline.
    OutlinePolygon,
    /// See [`Domain::OutlinePolygon`].
    OutlineStraight,
    /// See [`Domain::OutlinePolygon`].
    OutlineArc,
    /// Lengths of a canonical straight strip, to the last bit.
    CanonicalStraight,
    /// Those of a round one.
    CanonicalArc,
    /// Those of a polygon.
    CanonicalPolygon,
    /// Those of a polygon whose sharp corners have smaller cells.
    CanonicalGradedPolygon,
    /// A flow in the plane.
    Plane,
    /// A flow in space: layers and depth.
    Space,
    /// All that is kept of a part for other chips.
    Piece,
    /// A part's mesh that others are made images of.
    PlaneMesh,
    /// The matrix of a leaf made of a whole mesh.
    Leaf,
    /// The matrix of a leaf of a dissected mesh.
    DissectedLeaf,
    /// Which unknowns have the other sign in a leaf's local vector.
    LeafSigns,
    /// The low-rank coupling of a pipe's end.
    PipeEnd,
    /// The exchange between two ends of a pipe, of a rank.
    PipeBridge,
    /// A front that a caller assembles.
    FrontLeaf,
    /// A front whose value a caller gives.
    FrontGiven,
    /// How children lie in a front.
    FrontShape,
    /// A front that is computed for itself, without caching.
    FrontUncached,
    /// A front's Schur complement in the table of results.
    FrontSchur,
    /// What substitution through a front needs, in the table of results.
    FrontInside,
    /// A kind of geometry block (the thesis's method).
    BlockKind,
    /// Numbers of a block's unknowns.
    BlockLayout,
    /// A side of two blocks.
    BlockSide,
    /// A block's share of a matrix of two rows.
    BlockShare,
    /// A matrix of two rows.
    BlockMatrix,
    /// The zero matrix of a plan of block rows.
    RowZero,
    /// Its identity.
    RowIdentity,
    /// A matrix that is assembled.
    RowLeaf,
    /// A matrix that is computed for itself, without caching.
    RowUncached,
    /// A matrix transposed or negated.
    RowView,
    /// A product.
    RowProduct,
    /// A pseudo-inverse.
    RowPseudoInverse,
    /// An inverse.
    RowInverse,
    /// A matrix less products.
    RowSum,
    /// One of these products.
    RowTerm,
    /// The left factor of a coupling of low rank.
    RowLeftFactor,
    /// Its right factor.
    RowRightFactor,
    /// The exchange between the two, of a rank.
    RowExchange,
    /// A vector of a substitution.
    RowVector,
    /// Its zero.
    RowZeroVector,
    /// A chip of a study, without the values at its ports.
    StudyChip,
    /// A study, its design and the program's version.
    Study,
    /// What the results of a solve were made from.
    SolveStamp,
    /// The bytes of a summary.
    SummaryChecksum,
    /// Content of a test.
    Test,
}

/// Builds a [`Fingerprint`] word by word: SipHash-1-3 with 128 bits, whose first key is the domain.
#[derive(Clone, Copy, Debug)]
pub struct Hasher(SipHasher13);

impl Hasher {
    /// A hasher whose keys differ from those of any other domain.
    pub fn new(domain: Domain) -> Self {
        Self(SipHasher13::new_with_keys(domain as u64, 0))
    }

    /// Adds a word.
    pub fn word(mut self, w: u64) -> Self {
        self.0.write_u64(w);
        self
    }

    /// Adds a signed word.
    pub fn int(self, w: i64) -> Self {
        self.word(w as u64)
    }

    /// Adds a number by its bits; both zeros are one.
    pub fn float(self, x: f64) -> Self {
        self.word((x + 0.0).to_bits())
    }

    /// Adds another key.
    pub fn key(self, f: Fingerprint) -> Self {
        self.word(f.0 as u64).word((f.0 >> 64) as u64)
    }

    /// Adds a text, with its length.
    pub fn text(mut self, text: &str) -> Self {
        self.0.write_u64(text.len() as u64);
        self.0.write(text.as_bytes());
        self
    }

    /// Adds what a value prints of itself. `Debug` prints every bit of a float that matters.
    pub fn printed(mut self, content: &dyn fmt::Debug) -> Self {
        // Writing into the hash doesn't fail.
        let _ = fmt::write(&mut self, format_args!("{content:?}\0"));
        self
    }

    /// The key.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finish128().as_u128())
    }
}

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hasher() -> Hasher {
        Hasher::new(Domain::Test)
    }

    #[test]
    fn small_changes_change_both_halves() {
        let base = hasher().word(1).word(2).finish().0;
        for other in [
            hasher().word(2).word(1),
            Hasher::new(Domain::Leaf).word(1).word(2),
            hasher().word(1).word(2).word(0),
        ] {
            let d = base ^ other.finish().0;
            assert!((d as u64) != 0 && ((d >> 64) as u64) != 0);
        }
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..100_000_u64 {
            assert!(
                seen.insert(hasher().word(i % 317).word(i / 317).finish().0 as u64),
                "half a key collides at {i}"
            );
        }
    }

    #[test]
    fn texts_are_told_apart_wherever_they_are_cut() {
        let keys = [
            hasher().text("ab").text("c"),
            hasher().text("a").text("bc"),
            hasher().text("abc").text(""),
            hasher().printed(&("ab", "c")),
            hasher().printed(&"ab").printed(&"c"),
            hasher().printed(&"abc"),
        ];
        for (k, one) in keys.iter().enumerate() {
            for other in &keys[k + 1..] {
                assert_ne!(one.finish(), other.finish());
            }
        }
        assert_eq!(
            hasher().printed(&[1.0, 2.0]).finish(),
            hasher().printed(&vec![1.0, 2.0]).finish()
        );
    }
}
