//! Kinds of fronts, named by content: each essentially different elimination is planned once, however often it occurs.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::tree::ScaledRange;
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::table::Caching;

/// Number of a kind of front in its [`Plan`].
pub type KindId = u32;

/// Where a boundary unknown of a child lies in its parent, or of a front in a vector: `x_child = factor * x[to]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Image {
    /// Place, or [`NOWHERE`].
    pub to: u32,
    /// One but where axes look the other way or units differ.
    pub factor: f64,
}

/// The unknown is zero: it lies on a wall.
pub const NOWHERE: u32 = u32::MAX;

impl Image {
    /// The same unknown.
    pub fn plain(to: u32) -> Self {
        Self { to, factor: 1.0 }
    }
}

/// A front that is added into another.
#[derive(Clone, Debug)]
pub struct Child {
    /// Its kind.
    pub kind: KindId,
    /// One a boundary unknown of the child.
    pub images: Arc<[Image]>,
}

/// Before the first image of a child.
const NO_RANGE: ScaledRange = ScaledRange {
    start: 0,
    len: 0,
    factor: 1.0,
};

/// How a front comes about.
#[derive(Clone, Debug)]
pub enum Recipe {
    /// Assembled by the caller.
    Leaf(u32),
    /// The sum of its children.
    Join(Vec<Child>),
    /// Put in by the caller.
    Given,
}

/// A kind of front: `n_boundary` unknowns that stay, then `n_eliminated` that go.
#[derive(Clone, Debug)]
pub struct FrontKind {
    /// How it comes about.
    pub recipe: Recipe,
    /// Unknowns that stay, numbered first.
    pub n_boundary: u32,
    /// Unknowns that it eliminates.
    pub n_eliminated: u32,
    /// Equal keys, equal fronts, in this and any other plan.
    pub key: Fingerprint,
}

/// What a plan counts; the same on any machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Joins outside pieces that were asked for.
    pub asked: usize,
    /// Floating-point operations of the kinds.
    pub flops: u64,
    /// Bytes of their results.
    pub bytes: u64,
}

/// How the unknowns of a front's children lie in it: all that decides about a join but its children.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    key: Hasher,
    sizes: [u32; 2],
    /// Images that follow each other and aren't in the key yet: most of them do.
    range: ScaledRange,
}

impl Shape {
    /// The shape of a front with so many unknowns; children follow, image by image.
    pub fn new(n_boundary: u32, n_eliminated: u32) -> Self {
        Self {
            key: Hasher::new(Domain::FrontShape)
                .word(u64::from(n_boundary) << 32 | u64::from(n_eliminated)),
            sizes: [n_boundary, n_eliminated],
            range: NO_RANGE,
        }
    }

    /// The next unknown of a child.
    pub fn image(&mut self, image: Image) {
        let next = u64::from(self.range.start) + u64::from(self.range.len);
        if u64::from(image.to) == next && image.factor == self.range.factor {
            self.range.len += 1;
        } else {
            self.end_of_range();
            self.range = ScaledRange {
                start: image.to,
                len: 1,
                factor: image.factor,
            };
        }
    }

    /// After the last unknown of a child.
    pub fn end_of_child(&mut self) {
        self.end_of_range();
        self.range = NO_RANGE;
        self.key = self.key.word(u64::MAX);
    }

    fn end_of_range(&mut self) {
        let ScaledRange { start, len, factor } = self.range;
        if len > 0 {
            let places = u64::from(start) << 32 | u64::from(len);
            self.key = self.key.word(places).float(factor);
        }
    }
}

/// All kinds of fronts; children have smaller numbers than parents.
#[derive(Debug)]
pub struct Plan {
    /// By number.
    pub kinds: Vec<FrontKind>,
    /// Counts.
    pub counters: Counters,
    known: FxHashMap<Fingerprint, KindId>,
    caching: Caching,
}

impl Plan {
    /// An empty plan; without caching every front is a kind of its own.
    pub fn new(caching: Caching) -> Self {
        Self {
            kinds: Vec::new(),
            counters: Counters::default(),
            known: FxHashMap::default(),
            caching,
        }
    }

    /// A front that the caller assembles; `key` stands for all that its matrix depends on.
    pub fn leaf(
        &mut self,
        key: Fingerprint,
        n_boundary: u32,
        n_eliminated: u32,
        leaf: u32,
    ) -> KindId {
        let key = Hasher::new(Domain::FrontLeaf)
            .key(key)
            .word(u64::from(n_boundary))
            .finish();
        self.intern(key, n_boundary, n_eliminated, || Recipe::Leaf(leaf))
    }

    /// A front whose value the caller puts in.
    pub fn given(&mut self, key: Fingerprint, n_boundary: u32) -> KindId {
        self.intern(
            Hasher::new(Domain::FrontGiven).key(key).finish(),
            n_boundary,
            0,
            || Recipe::Given,
        )
    }

    /// The sum of children, its last `n_eliminated` unknowns eliminated.
    pub fn join(&mut self, children: Vec<Child>, n_boundary: u32, n_eliminated: u32) -> KindId {
        let mut shape = Shape::new(n_boundary, n_eliminated);
        for child in &children {
            child.images.iter().for_each(|&image| shape.image(image));
            shape.end_of_child();
        }
        let kinds: Vec<KindId> = children.iter().map(|child| child.kind).collect();
        self.join_of_shape(&shape, &kinds, || children)
    }

    /// The same where the shape was found before: `children` are asked for only if there is no such front yet.
    pub fn join_of_shape(
        &mut self,
        shape: &Shape,
        kinds: &[KindId],
        children: impl FnOnce() -> Vec<Child>,
    ) -> KindId {
        let mut key = shape.key;
        for &kind in kinds {
            key = key.key(self.kinds[kind as usize].key);
        }
        let [n_boundary, n_eliminated] = shape.sizes;
        self.intern(key.finish(), n_boundary, n_eliminated, || {
            Recipe::Join(children())
        })
    }

    /// Takes over the kinds of a plan that was made apart, children before parents; `leaf` takes over the leaf of a kind that is
    /// new here. Returns what they are called here.
    pub fn adopt(&mut self, kinds: &[FrontKind], mut leaf: impl FnMut(u32) -> u32) -> Vec<KindId> {
        let mut names: Vec<KindId> = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let recipe = || match &kind.recipe {
                Recipe::Leaf(number) => Recipe::Leaf(leaf(*number)),
                Recipe::Join(children) => Recipe::Join(
                    children
                        .iter()
                        .map(|child| Child {
                            kind: names[child.kind as usize],
                            images: child.images.clone(),
                        })
                        .collect(),
                ),
                Recipe::Given => Recipe::Given,
            };
            let name = self.intern(kind.key, kind.n_boundary, kind.n_eliminated, recipe);
            names.push(name);
        }
        names
    }

    fn intern(
        &mut self,
        key: Fingerprint,
        n_boundary: u32,
        n_eliminated: u32,
        recipe: impl FnOnce() -> Recipe,
    ) -> KindId {
        if self.caching == Caching::Cached
            && let Some(&known) = self.known.get(&key)
        {
            return known;
        }
        let id = self.kinds.len() as KindId;
        // Without caching equal keys are different fronts, so that a shared table must not mix them up either.
        let key = match self.caching {
            Caching::Cached => key,
            Caching::Uncached => Hasher::new(Domain::FrontUncached)
                .key(key)
                .word(u64::from(id))
                .finish(),
        };
        self.known.insert(key, id);
        let kind = FrontKind {
            recipe: recipe(),
            n_boundary,
            n_eliminated,
            key,
        };
        self.counters.flops += kind.flops();
        self.counters.bytes += kind.bytes();
        self.kinds.push(kind);
        id
    }
}

impl Plan {
    /// How many joins are below every kind: those of one height need only those of lower ones.
    pub fn heights(&self) -> Vec<usize> {
        let mut height: Vec<usize> = vec![0; self.kinds.len()];
        for (k, kind) in self.kinds.iter().enumerate() {
            let below = kind.children().iter();
            height[k] = below
                .map(|c| height[c.kind as usize] + 1)
                .max()
                .unwrap_or(0);
        }
        height
    }
}

impl FrontKind {
    /// The fronts that it joins.
    pub fn children(&self) -> &[Child] {
        match &self.recipe {
            Recipe::Join(children) => children,
            Recipe::Leaf(_) | Recipe::Given => &[],
        }
    }

    /// Floating-point operations as planned: LU, solves for the boundary's columns, half of the symmetric update. Fronts that
    /// turn out to be symmetric take fewer ([`super::Inside::flops`]).
    pub fn flops(&self) -> u64 {
        let (b, e) = (u64::from(self.n_boundary), u64::from(self.n_eliminated));
        2 * e * e * e / 3 + 2 * e * e * b + e * b * b
    }

    /// Bytes of its results.
    pub fn bytes(&self) -> u64 {
        let (b, e) = (u64::from(self.n_boundary), u64::from(self.n_eliminated));
        8 * (b * b + e * b + e * e)
    }
}

#[cfg(test)]
mod tests;
