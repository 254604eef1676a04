//! A drawn channel that crosses others: a `cross` goes in where their middle lines meet at right angles.
//!
//! ```text
//!        start o                                 start o--- c1 ---+
//!              |                                                  |up
//!   a o========|========o b          -->     a o== p1 ==o left cross right o== p ==o b
//!              |                                                  |down
//!              o end                              end o--- c2 ----+
//! ```

use super::draft::Draft;
use super::names::Names;
use super::sockets::{Sockets, same_width};
use super::tee::{self, Junction};
use crate::chip::{Layout, channel_parts};
use crate::design::{Bend, Channel, Spanned};
use crate::shape::{Shape, Strip};
use stokeslet_base::geometry::Point;

/// A channel turns no nearer to a crossing than this, widths.
const ROOM: f64 = 1.0;
/// Cosine of the angle between middle lines, at most: right angles only.
const SQUARE: f64 = 1e-6;

/// What is drawn.
pub(super) struct Drawn<'p> {
    /// The socket that it starts from; `None` in empty space.
    pub from: Option<String>,
    /// The socket where it ends.
    pub to: Option<String>,
    /// Its middle line, both ends among it.
    pub points: &'p [Point],
    /// Across, m.
    pub width: f64,
    /// How it turns.
    pub bend: Bend,
}

/// A place where two middle lines meet.
struct Crossing {
    /// Run of the drawn line.
    run: usize,
    at: Point,
    /// What it crosses.
    item: String,
}

/// Puts what is drawn into the draft in pieces, with a cross wherever it crosses something as wide; returns the name of its last piece.
/// `None` where it crosses nothing, or where no cross fits: the draft is as it was then.
pub(super) fn with_crosses(draft: &mut Draft<'_>, drawn: &Drawn<'_>) -> Option<String> {
    let layout = draft.lay_out();
    let crossings = crossings(&layout, drawn);
    if crossings.is_empty() || draft.from.library.get("cross").is_none() {
        return None;
    }
    let before = draft.clone();
    let made = pieces(draft, drawn, &crossings);
    if made.is_none() {
        *draft = before;
    }
    made
}

fn pieces(draft: &mut Draft<'_>, drawn: &Drawn<'_>, crossings: &[Crossing]) -> Option<String> {
    let mut head = drawn.from.clone();
    let mut first = 0;
    let mut names = Vec::new();
    for crossing in crossings {
        let layout = draft.lay_out();
        let pieces = tee::pieces(draft, &crossing.item);
        let piece = tee::nearest_piece(&layout, &pieces, crossing.at)?;
        let toward = drawn.points[crossing.run];
        let cross = (Junction::Cross, toward);
        let cross = tee::insert_junction(draft, &layout, &piece, crossing.at, cross).ok()?;
        let (near, far) = (format!("{cross}.up"), format!("{cross}.down"));
        let between = &drawn.points[(first + 1).min(crossing.run + 1)..=crossing.run];
        let name = match head {
            Some(from) => add(draft, drawn, from, Some(near), between.to_vec()),
            None => {
                let mut via: Vec<Point> = between.iter().rev().copied().collect();
                via.push(drawn.points[0]);
                add(draft, drawn, near, None, via)
            }
        };
        names.push(name);
        head = Some(far);
        first = crossing.run;
    }
    let last = drawn.points.len() - usize::from(drawn.to.is_some());
    let via = drawn.points[first + 1..last].to_vec();
    names.push(add(draft, drawn, head?, drawn.to.clone(), via));
    let layout = draft.lay_out();
    let sockets = Sockets::of(&layout);
    let fits = |channel: &&Channel| {
        let to = channel.to.as_ref().map(|to| sockets.geometry(&to.value));
        match (sockets.geometry(&channel.from.value), to) {
            (Some(from), None) => channel_parts(channel, &from, None).is_ok(),
            (Some(from), Some(Some(to))) => channel_parts(channel, &from, Some(&to)).is_ok(),
            _ => false,
        }
    };
    let channels = draft.design.channels.iter();
    let fitting = channels
        .filter(|c| names.contains(&c.name.value))
        .filter(fits)
        .count();
    (fitting == names.len()).then(|| names.pop()).flatten()
}

/// One piece of what is drawn; its name.
fn add(
    draft: &mut Draft<'_>,
    drawn: &Drawn<'_>,
    from: String,
    to: Option<String>,
    via: Vec<Point>,
) -> String {
    let name = Names::of_items(&draft.design).fresh("channel");
    // A cross may have left a socket of a pipe to another piece of it.
    let from = draft.called(from);
    let to = to.map(|to| draft.called(to));
    draft.design.channels.push(Channel {
        name: Spanned::nowhere(name.clone()),
        from: Spanned::nowhere(from),
        to: to.map(Spanned::nowhere),
        via: via.into_iter().map(Spanned::nowhere).collect(),
        width: None,
        bend: drawn.bend,
        depth: None,
    });
    name
}

/// Where the drawn line crosses straight parts as wide, in its own order.
fn crossings(layout: &Layout, drawn: &Drawn<'_>) -> Vec<Crossing> {
    let room = ROOM * drawn.width;
    let mut found: Vec<(f64, Crossing)> = Vec::new();
    for (run, ends) in drawn.points.windows(2).enumerate() {
        let along = ends[1] - ends[0];
        let (length, axis) = (along.norm(), along.normalized());
        for (part, &owner) in layout.parts.iter().zip(&layout.owners) {
            let Shape::Strip(Strip::Straight {
                length: other,
                width_start,
                width_end,
            }) = part.shape
            else {
                continue;
            };
            let direction = Point::unit(part.motion.turn(0.0));
            if !same_width(width_start, width_end)
                || !same_width(width_start, drawn.width)
                || axis.dot(direction).abs() > SQUARE
            {
                continue;
            }
            let to_start = part.motion.apply(Point::default()) - ends[0];
            // At right angles each distance is a projection.
            let (own, across) = (axis.dot(to_start), -direction.dot(to_start));
            let is_inside = own >= room && own <= length - room;
            if is_inside && across >= room && across <= other - room {
                let crossing = Crossing {
                    run,
                    at: ends[0] + axis * own,
                    item: layout.items[owner].clone(),
                };
                found.push((own, crossing));
            }
        }
    }
    found.sort_by(|(a, x), (b, y)| x.run.cmp(&y.run).then(a.total_cmp(b)));
    found.into_iter().map(|(_, crossing)| crossing).collect()
}
