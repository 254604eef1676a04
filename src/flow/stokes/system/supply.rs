//! Which pieces a chip needs, and where they come from: the table, or made now, side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use web_time::Instant;

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use super::{PartError, Placed};
use crate::canonical::{CanonicalShape, Canonicalised};
use crate::mesh::{Corners, MeshError, PlanePart};
use crate::stokes::piece::{Canonical, Extrusion, PieceError};
use crate::stokes::section::Section;
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::table::Caching;
use stokeslet_base::table::Table;

/// How the pieces of a chip are asked for.
#[derive(Clone, Copy)]
pub struct Supply<'a> {
    /// Whether copies share one piece.
    pub caching: Caching,
    /// What meshes in the plane do about sharp corners.
    pub corners: Corners,
    /// Shapes of another chip's parts, in the chip's order, whose meshes are wanted, a little moved.
    pub like: Option<&'a [Canonicalised]>,
    /// Pieces of earlier chips.
    pub table: &'a Table,
    /// Asked now and then: true stops the planning.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then: pieces made, pieces to make.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl<'a> Supply<'a> {
    /// The shape of a part of the other chip.
    pub(super) fn like(&self, part: usize) -> Option<&'a Canonicalised> {
        self.like.and_then(|like| like.get(part))
    }

    /// The mesh of a shape of the other chip, made once.
    fn mesh_of(&self, model: &Canonicalised, resolution: u32) -> Result<Arc<PlanePart>, MeshError> {
        let key = Hasher::new(Domain::PlaneMesh)
            .word(u64::from(resolution))
            .key(model.content())
            .finish();
        if let Some(known) = self.table.get::<PlanePart>(key) {
            return Ok(known);
        }
        let made = Arc::new(model.plane(resolution)?);
        self.table.keep(key, made.clone(), made.bytes());
        Ok(made)
    }

    /// The shape whose mesh that of a part is wanted to be an image of; `None` where the part's own is just that.
    fn model(&self, part: usize, own: &Canonicalised) -> Option<&'a Canonicalised> {
        self.like(part).filter(|m| m.content() != own.content())
    }
}

/// A piece that is to be made: for which part first, and with what.
pub(super) struct Order {
    part: usize,
    drag: f64,
    size: f64,
}

/// The piece of every part, and what has to be made for them.
pub(super) fn orders(
    placed: &[Placed],
    section: &Section,
    shared_unit: Option<f64>,
    drags: &[f64],
    supply: &Supply<'_>,
) -> (Vec<u32>, Vec<Order>) {
    type Key<'a> = (
        &'a CanonicalShape,
        &'a [usize],
        i64,
        i64,
        Option<Fingerprint>,
    );
    let mut known: FxHashMap<Key<'_>, u32> = FxHashMap::default();
    let mut orders: Vec<Order> = Vec::new();
    let piece_of = placed.iter().enumerate().map(|(part, p)| {
        let cell = p.canonical.width / f64::from(section.resolution);
        let unit = shared_unit.unwrap_or(cell);
        // To twelve digits, so that rounding of a width makes no size of its own.
        let size = (cell / unit * 1e12).round() / 1e12;
        let drag = drags[part] * unit * unit;
        let class = if drag > 0.0 {
            (drag.ln() * 1e12).round() as i64
        } else {
            i64::MIN
        };
        let slip = &p.canonical.slip[..];
        let model = supply.model(part, &p.canonical).map(Canonicalised::content);
        let size_class = (size * 1e9).round() as i64;
        let key = (&p.canonical.shape, slip, class, size_class, model);
        match known.get(&key) {
            Some(&piece) if supply.caching == Caching::Cached => piece,
            _ => {
                orders.push(Order { part, drag, size });
                known.insert(key, orders.len() as u32 - 1);
                orders.len() as u32 - 1
            }
        }
    });
    (piece_of.collect(), orders)
}

/// Makes pieces side by side, those that the table has aside; and how long planning them took apart from meshing, s.
pub(super) fn make<const D: usize>(
    orders: &[Order],
    placed: &[Placed],
    section: &Section,
    extrusion: &dyn Extrusion<D>,
    supply: Supply<'_>,
) -> Result<(Vec<Arc<Canonical<D>>>, f64), PartError> {
    let start = Instant::now();
    let done = AtomicUsize::new(0);
    let one = |order: &Order| {
        let shape = &placed[order.part].canonical;
        // All of a piece: its own lengths to the last bit, never those of a shape that only counts as equal.
        let key = Hasher::new(Domain::Piece)
            .word(D as u64)
            .word(u64::from(section.resolution))
            .word(section.ends[0].bits())
            .key(extrusion.key())
            .key(shape.content())
            .float(order.drag)
            .float(order.size);
        let model = supply.model(order.part, shape);
        let key = model.map_or(key, |model| key.key(model.content())).finish();
        let is_shared = supply.caching == Caching::Cached;
        let known = is_shared.then(|| supply.table.get::<Canonical<D>>(key));
        let clock = Instant::now();
        let (made, meshed) = match known.flatten() {
            Some(known) => (known, 0.0),
            None => {
                if (supply.is_cancelled)() {
                    return Err(PieceError::Cancelled);
                }
                let plane = match model {
                    Some(model) => shape.plane_like(model, section.resolution, &|| {
                        supply.mesh_of(model, section.resolution)
                    })?,
                    None => shape.plane(section.resolution)?,
                };
                let slip = shape.slip_edges(section.resolution);
                let meshed = clock.elapsed().as_secs_f64();
                let numbers = [order.drag, order.size];
                let made = Canonical::new(
                    (&plane, &slip),
                    numbers,
                    section,
                    extrusion,
                    supply.caching,
                    supply.is_cancelled,
                )?;
                let made = Arc::new(made);
                if is_shared {
                    supply.table.keep(key, made.clone(), made.bytes());
                }
                (made, meshed)
            }
        };
        (supply.progress)(done.fetch_add(1, Ordering::Relaxed), orders.len());
        Ok((made, [meshed, clock.elapsed().as_secs_f64()]))
    };
    let made = parallel::each(orders, 1, one);
    let (mut pieces, mut seconds) = (Vec::with_capacity(orders.len()), [0.0; 2]);
    for (order, made) in orders.iter().zip(made) {
        let part = order.part;
        let (piece, spent) = made.map_err(|error| PartError { part, error })?;
        seconds = [seconds[0] + spent[0], seconds[1] + spent[1]];
        pieces.push(piece);
    }
    let planning = if seconds[1] > 0.0 {
        1.0 - seconds[0] / seconds[1]
    } else {
        0.0
    };
    Ok((pieces, planning * start.elapsed().as_secs_f64()))
}
