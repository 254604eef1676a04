//! Rectilinear outlines whose sockets fit a grid: structured triangles, cut into strips one cell wide.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grading::{Corners, sharp_corners};
use super::{MeshError, P2Mesh};
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::contains;

/// Below this two coordinates (in cells) are the same; far above rounding, far below a cell.
const SAME: f64 = 1e-7;

/// Most cells that one component may have.
pub const MAX_CELLS: f64 = 4e6;

/// A mesh and the block of each of its cells.
pub struct Gridded {
    /// The mesh.
    pub mesh: P2Mesh,
    /// One a cell.
    pub block_of_cell: Vec<u32>,
    /// How many blocks.
    pub n_blocks: usize,
}

/// Meshes a rectilinear polygon, or returns `None` where its edges or sockets fit no grid.
///
/// # Shapes and units
/// - `corners` counter-clockwise in cells; `sockets` as in `Shape::Polygon`; every socket gets `resolution` equal edges
pub fn grid(
    corners: &[Point],
    sockets: &[usize],
    resolution: u32,
    grading: Corners,
) -> Result<Option<Gridded>, MeshError> {
    let edge = |k: usize| (corners[k], corners[(k + 1) % corners.len()]);
    let straight = |k: usize| {
        let (a, b) = edge(k);
        (a.x - b.x).abs() < SAME || (a.y - b.y).abs() < SAME
    };
    if !(0..corners.len()).all(straight) {
        return Ok(None);
    }
    let spans = |along: fn(Point) -> f64, across: fn(Point) -> f64| -> Vec<(f64, f64)> {
        let ends = sockets
            .iter()
            .map(|&k| edge(k))
            .filter(|(a, b)| (across(*a) - across(*b)).abs() < SAME);
        ends.map(|(a, b)| (along(a).min(along(b)), along(a).max(along(b))))
            .collect()
    };
    let x = |p: Point| p.x;
    let y = |p: Point| p.y;
    let xs = divide(
        corners.iter().map(|p| p.x).collect(),
        &spans(x, y),
        resolution,
    );
    let ys = divide(
        corners.iter().map(|p| p.y).collect(),
        &spans(y, x),
        resolution,
    );
    let (Some(xs), Some(ys)) = (xs, ys) else {
        return Ok(None);
    };
    let cells = 2.0 * xs.len() as f64 * ys.len() as f64;
    if cells > MAX_CELLS {
        return Err(MeshError::TooManyCells {
            cells,
            limit: MAX_CELLS,
        });
    }
    let sharp = match grading {
        Corners::Graded => sharp_corners(corners, sockets),
        Corners::Plain => Vec::new(),
    };
    Ok(Some(build(corners, sockets, &sharp, [&xs, &ys])))
}

/// Grid coordinates through all `marks`: socket spans in `resolution` equal parts, the rest in steps near one.
fn divide(mut marks: Vec<f64>, spans: &[(f64, f64)], resolution: u32) -> Option<Vec<f64>> {
    marks.sort_by(f64::total_cmp);
    marks.dedup_by(|a, b| (*a - *b).abs() < SAME);
    let mut out = vec![*marks.first()?];
    for pair in marks.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let mut n = (b - a).round().max(1.0);
        let mut fixed: Option<f64> = None;
        for &(from, to) in spans
            .iter()
            .filter(|(from, to)| *from < a + SAME && *to > b - SAME)
        {
            let wanted = (b - a) / ((to - from) / f64::from(resolution));
            if (wanted - wanted.round()).abs() > 1e-6 || fixed.is_some_and(|f| f != wanted.round())
            {
                return None;
            }
            n = wanted.round();
            fixed = Some(n);
        }
        if n > MAX_CELLS {
            return None;
        }
        out.extend((1..n as usize).map(|k| a + (b - a) * k as f64 / n));
        out.push(b);
    }
    Some(out)
}

fn build(corners: &[Point], sockets: &[usize], sharp: &[usize], [xs, ys]: [&[f64]; 2]) -> Gridded {
    let inside = |i: usize, j: usize| {
        contains(
            corners,
            Point::new((xs[i] + xs[i + 1]) / 2.0, (ys[j] + ys[j + 1]) / 2.0),
        )
    };
    let (nx, ny) = (xs.len() - 1, ys.len() - 1);
    let filled: Vec<bool> = (0..nx * ny).map(|c| inside(c / ny, c % ny)).collect();
    let by_column =
        cost(nx, ny, |i, j| filled[i * ny + j]) <= cost(ny, nx, |j, i| filled[i * ny + j]);
    // `u` counts strips, `v` runs along a strip.
    let (nu, nv) = if by_column { (nx, ny) } else { (ny, nx) };
    let to_xy = |u: usize, v: usize| if by_column { (u, v) } else { (v, u) };
    let is_filled = |u: usize, v: usize| {
        let (i, j) = to_xy(u, v);
        filled[i * ny + j]
    };
    let middle = Point::new((xs[0] + xs[nx]) / 2.0, (ys[0] + ys[ny]) / 2.0);
    let mut numbers = FxHashMap::default();
    let mut vertices = Vec::new();
    for u in 0..=nu {
        for v in 0..=nv {
            let around = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let used = around.iter().any(|&(du, dv)| {
                u >= du && v >= dv && u - du < nu && v - dv < nv && is_filled(u - du, v - dv)
            });
            if used {
                let (i, j) = to_xy(u, v);
                numbers.insert((i, j), vertices.len() as u32);
                vertices.push(Point::new(xs[i], ys[j]));
            }
        }
    }
    // Grid points with a sharp corner.
    let on_line = |lines: &[f64], x: f64| lines.iter().position(|&line| (line - x).abs() < SAME);
    let sharp: FxHashSet<(usize, usize)> = sharp
        .iter()
        .filter_map(|&k| Some((on_line(xs, corners[k].x)?, on_line(ys, corners[k].y)?)))
        .collect();
    let mut triangles = Vec::new();
    let mut block_of_cell = Vec::new();
    let mut n_blocks = 0;
    for u in 0..nu {
        let mut open = false;
        for v in 0..nv {
            if !is_filled(u, v) {
                open = false;
                continue;
            }
            if !open {
                n_blocks += 1;
                open = true;
            }
            let (i, j) = to_xy(u, v);
            let (a, b, c, d) = (
                numbers[&(i, j)],
                numbers[&(i + 1, j)],
                numbers[&(i + 1, j + 1)],
                numbers[&(i, j + 1)],
            );
            let centre = Point::new((xs[i] + xs[i + 1]) / 2.0, (ys[j] + ys[j + 1]) / 2.0) - middle;
            // Diagonals run outward from the middle, so that both cells at a convex corner keep an edge off the boundary.
            // At a sharp corner they run to it, so that six cells meet there.
            let rising = sharp.contains(&(i, j)) || sharp.contains(&(i + 1, j + 1));
            let falling = sharp.contains(&(i + 1, j)) || sharp.contains(&(i, j + 1));
            if rising || !falling && centre.x * centre.y > 0.0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
            block_of_cell.extend([n_blocks as u32 - 1; 2]);
        }
    }
    let points = vertices.clone();
    let on_socket =
        |a: u32, b: u32| socket_of(corners, sockets, points[a as usize], points[b as usize]);
    let half = |a: u32, b: u32| (points[a as usize] + points[b as usize]) * 0.5;
    let mesh = P2Mesh::new(vertices, &triangles, sockets.len(), on_socket, half);
    Gridded {
        mesh,
        block_of_cell,
        n_blocks,
    }
}

/// Cubes of the strips' lengths, added up: what the dense elimination of the strips costs.
fn cost(nu: usize, nv: usize, filled: impl Fn(usize, usize) -> bool) -> f64 {
    (0..nu)
        .map(|u| ((0..nv).filter(|&v| filled(u, v)).count() as f64).powi(3))
        .sum()
}

/// The socket on whose edge both points lie.
pub fn socket_of(corners: &[Point], sockets: &[usize], a: Point, b: Point) -> Option<usize> {
    sockets.iter().position(|&k| {
        let (p, q) = (corners[k], corners[(k + 1) % corners.len()]);
        let along = (q - p).normalized();
        let on = |x: Point| {
            let t = (x - p).dot(along);
            (x - p).cross(along).abs() < SAME && t > -SAME && t < (q - p).norm() + SAME
        };
        on(a) && on(b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(n: f64) -> Vec<Point> {
        [(0.0, 0.0), (n, 0.0), (n, n), (0.0, n)]
            .map(|(x, y)| Point::new(x, y))
            .to_vec()
    }

    #[test]
    fn a_tee_is_a_structured_square_of_strips() {
        let made = grid(&square(8.0), &[1, 2, 3], 8, Corners::Plain)
            .expect("meshes")
            .expect("fits a grid");
        assert_eq!(made.mesh.cells.len(), 128);
        assert_eq!(made.n_blocks, 8);
        assert!(
            made.mesh.sockets.iter().all(|s| s.len() == 17),
            "every mouth has 8 edges"
        );
    }

    #[test]
    fn slanted_outlines_and_sockets_off_the_grid_are_declined() {
        let slanted =
            [(0.0, 0.0), (8.0, 0.0), (9.0, 8.0), (0.0, 8.0)].map(|(x, y)| Point::new(x, y));
        assert!(
            grid(&slanted, &[3], 8, Corners::Plain)
                .expect("declines")
                .is_none()
        );
        // Two facing sockets of 4 cells, shifted by a third of a cell.
        let shifted = [
            (0.0, 0.0),
            (2.0, 0.0),
            (6.0, 0.0),
            (20.0, 0.0),
            (20.0, 8.0),
            (6.3, 8.0),
            (2.3, 8.0),
            (0.0, 8.0),
        ];
        let shifted = shifted.map(|(x, y)| Point::new(x, y));
        assert!(
            grid(&shifted, &[1, 5], 4, Corners::Plain)
                .expect("declines")
                .is_none()
        );
    }
}
