//! Rectilinear outlines whose sockets fit a grid: structured triangles, cut into strips one cell wide.

use rustc_hash::FxHashMap;

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
    Ok(Some(build(corners, sockets, [&xs, &ys])))
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

fn build(corners: &[Point], sockets: &[usize], [xs, ys]: [&[f64]; 2]) -> Gridded {
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
    let is_symmetric = [
        is_own_image(corners, |p| Point::new(2.0 * middle.x - p.x, p.y)),
        is_own_image(corners, |p| Point::new(p.x, 2.0 * middle.y - p.y)),
    ];
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
            // On an axis of symmetry neither would do.
            let is_on_axis = (is_symmetric[0] && centre.x.abs() < SAME)
                || (is_symmetric[1] && centre.y.abs() < SAME);
            if is_on_axis {
                let m = vertices.len() as u32;
                vertices.push(middle + centre);
                triangles.extend([[a, b, m], [b, c, m], [c, d, m], [d, a, m]]);
                block_of_cell.extend([n_blocks as u32 - 1; 2]);
            } else if centre.x * centre.y > 0.0 {
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

/// Whether a reflection of the plane takes the corners of an outline to themselves.
fn is_own_image(corners: &[Point], mirrored: impl Fn(Point) -> Point) -> bool {
    let sorted = |place: &dyn Fn(Point) -> Point| {
        let steps = |p: Point| [p.x, p.y].map(|x| (x / (10.0 * SAME)).round() as i64);
        let mut places: Vec<[i64; 2]> = corners.iter().map(|&p| steps(place(p))).collect();
        places.sort_unstable();
        places
    };
    sorted(&|p| p) == sorted(&mirrored)
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
        let made = grid(&square(8.0), &[1, 2, 3], 8)
            .expect("meshes")
            .expect("fits a grid");
        assert_eq!(made.mesh.cells.len(), 128);
        assert_eq!(made.n_blocks, 8);
        assert!(
            made.mesh.sockets.iter().all(|s| s.len() == 17),
            "every socket has 8 edges"
        );
    }

    /// Odd numbers of cells, and even ones.
    #[test]
    fn symmetric_outlines_have_symmetric_grids() {
        let step = [
            (0.0, -2.5),
            (7.0, -2.5),
            (7.0, -1.5),
            (10.0, -1.5),
            (10.0, 1.5),
            (7.0, 1.5),
            (7.0, 2.5),
            (0.0, 2.5),
        ]
        .map(|(x, y)| Point::new(x, y));
        for (corners, sockets, n) in [
            (square(5.0), vec![1, 2, 3], 5),
            (square(4.0), vec![1, 2, 3], 4),
            (step.to_vec(), vec![3], 3),
        ] {
            let made = grid(&corners, &sockets, n)
                .expect("meshes")
                .expect("fits a grid");
            let top = corners
                .iter()
                .map(|p| p.y)
                .fold(f64::NEG_INFINITY, f64::max);
            let low = corners.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            let places = |mirror: bool| {
                let key = |p: Point| {
                    let y = if mirror { top + low - p.y } else { p.y };
                    [p.x, y].map(|x| (x * 1e6).round() as i64)
                };
                let mut found: Vec<_> = made.mesh.nodes.iter().map(|&p| key(p)).collect();
                found.sort_unstable();
                found
            };
            assert_eq!(places(true), places(false), "{corners:?}");
            assert_eq!(made.block_of_cell.len(), made.mesh.cells.len());
        }
    }

    #[test]
    fn slanted_outlines_and_sockets_off_the_grid_are_declined() {
        let slanted =
            [(0.0, 0.0), (8.0, 0.0), (9.0, 8.0), (0.0, 8.0)].map(|(x, y)| Point::new(x, y));
        assert!(grid(&slanted, &[3], 8).expect("declines").is_none());
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
        assert!(grid(&shifted, &[1, 5], 4).expect("declines").is_none());
    }
}
