//! A drawing of the tubes of a region: its rim, stream lines parted into their stages, and the points where streams meet and part.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use stokeslet_base::geometry::Point;

use crate::paths::Paths;
use crate::region::traced;

/// Before streams meet, while joined, after they part: told apart by people who don't see red and green.
const STAGES: [&str; 3] = ["#56b4e9", "#0072b2", "#d55e00"];
/// Around the region, pixels.
const MARGIN: f64 = 8.0;

/// Draws region `r` as an SVG of about `size` pixels; every `step`-th stream line of each bundle. `None` where nothing flows.
pub fn tubes(paths: &Paths, r: usize, size: f64, step: usize) -> Option<String> {
    let (psi, ways, region) = (&paths.psi[r], &paths.ways[r], &paths.net.regions[r]);
    if ways.bundles.is_empty() {
        return None;
    }
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let [x, y] = [|p: &Point| p.x, |p: &Point| p.y].map(|of| {
        psi.at
            .iter()
            .map(of)
            .fold(start, |(low, high), v| (low.min(v), high.max(v)))
    });
    let scale = (size - 2.0 * MARGIN) / (x.1 - x.0).max(y.1 - y.0);
    let place = |p: Point| [MARGIN + (p.x - x.0) * scale, MARGIN + (y.1 - p.y) * scale];
    let [width, height] = place(Point::new(x.1, y.0)).map(|v| v + MARGIN);
    let path = |points: &mut dyn Iterator<Item = Point>| {
        let mut out = String::new();
        for p in points {
            let [x, y] = place(p);
            // Writing into a String does not fail.
            let _ = write!(
                out,
                "{}{x:.1} {y:.1}",
                if out.is_empty() { "M" } else { "L" }
            );
        }
        out
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for lines in traced(&paths.net, r, psi, ways) {
        for (line, trace) in lines.iter().step_by(step.max(1)) {
            let [a, b] = line.cuts;
            let (a, b) = (a.min(b), a.max(b));
            let whole = trace.length.last().copied().unwrap_or_default();
            let parts = [(0.0, a), (a, b), (b, whole)];
            for ((from, to), colour) in parts.into_iter().zip(STAGES) {
                let within = |k: &usize| trace.length[*k] >= from && trace.length[*k] <= to;
                let d = path(
                    &mut (0..trace.points.len())
                        .filter(within)
                        .map(|k| trace.points[k]),
                );
                let _ = writeln!(
                    out,
                    "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\"/>"
                );
            }
        }
    }
    let local: FxHashMap<u32, usize> = psi.nodes.iter().enumerate().map(|(k, &n)| (n, k)).collect();
    for rim in &region.loops {
        let d = path(&mut rim.iter().filter_map(|n| local.get(n)).map(|&k| psi.at[k]));
        let _ = writeln!(
            out,
            "<path d=\"{d}Z\" fill=\"none\" stroke=\"black\" stroke-width=\"1.5\"/>"
        );
    }
    for p in &ways.stagnation {
        let [x, y] = place(*p);
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"black\"/>"
        );
    }
    Some(out + "</svg>\n")
}
