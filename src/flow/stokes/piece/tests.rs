use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use faer::Mat;

use super::*;
use crate::mesh::{Corners, Domain, plane_arc, plane_polygon, plane_straight};
use stokeslet_base::profile::Recorder;
use stokeslet_base::table::Caching;
use stokeslet_base::table::Table;
use stokeslet_fronts::compute::Wanted;
use stokeslet_fronts::lowrank::factor;
use stokeslet_fronts::tree::scatter;
use stokeslet_fronts::{FrontRun, Leaves, Values};

/// A part of a chip by itself, eliminated.
struct Alone {
    piece: Piece,
    plan: Plan,
    leaves: Vec<Arc<Leaf<2>>>,
    values: Values,
}

fn alone(part: &PlanePart, r: u32, drag: f64, caching: Caching) -> Alone {
    let section = Section::plane(r);
    let mut shop = Workshop {
        plan: Plan::new(caching),
        leaves: Vec::new(),
        section: &section,
        extrusion: &Flat,
        is_cancelled: &|| false,
    };
    let piece = Piece::new(part, &SlipEdges::None, [drag, 1.0], &mut shop).expect("a plain part");
    let plan = shop.plan;
    let leaves: Vec<Arc<Leaf<2>>> = shop.leaves.into_iter().map(Arc::new).collect();
    let mut values = Values::default();
    let recorder = Recorder::off();
    let run = FrontRun {
        leaves: &LeafMatrices(&leaves) as &dyn Leaves,
        known: &Table::with_budget(0),
        is_cancelled: &|| false,
        progress: &|_, _| {},
        recorder: &recorder,
    };
    let wanted = Wanted {
        schurs: &[piece.root],
        insides: &[piece.root],
        deep: true,
    };
    values
        .compute(&plan, wanted, run)
        .expect("pivots of pieces are regular");
    Alone {
        piece,
        plan,
        leaves,
        values,
    }
}

fn square(r: u32, side: f64, sockets: &[usize]) -> PlanePart {
    let h = side / 2.0;
    let corners = [(-h, -h), (h, -h), (h, h), (-h, h)].map(|(x, y)| Point::new(x, y));
    let made = plane_polygon(r, &Domain::simple(&corners, sockets), Corners::Plain);
    PlanePart::Polygon(made.expect("a square"))
}

/// A junction without symmetry, two of whose sockets share a corner.
fn lopsided(r: u32) -> PlanePart {
    let cell = f64::from(r);
    let corners = [(0.0, 0.0), (1.1, 0.0), (1.5, 1.1), (0.7, 1.7), (0.0, 1.0)];
    let corners = corners.map(|(x, y)| Point::new(x * cell, y * cell));
    let made = plane_polygon(r, &Domain::simple(&corners, &[4, 1, 2]), Corners::Plain);
    PlanePart::Polygon(made.expect("a quadrangle and a corner"))
}

fn pipe(r: u32, widths: f64) -> PlanePart {
    let r64 = f64::from(r);
    plane_straight(r, widths * r64, r64, r64).expect("a pipe")
}

/// The matrix over a local vector, leaf by leaf in its place.
fn whole(a: &Alone) -> Mat<f64> {
    let n = a.piece.n;
    let mut whole = Mat::zeros(n, n);
    for patch in a.piece.patches().iter() {
        let dense = a.leaves[patch.leaf as usize].dense();
        for j in 0..dense.ncols() {
            // Column j of P^T A P, where P gathers the patch from the local vector.
            let mut column = vec![0.0; n];
            scatter(&patch.unknowns, dense.col_as_slice(j), &mut column);
            let mut unit = vec![0.0; dense.ncols()];
            unit[j] = 1.0;
            let mut place = vec![0.0; n];
            scatter(&patch.unknowns, &unit, &mut place);
            for (k, f) in place.iter().enumerate().filter(|e| *e.1 != 0.0) {
                let to = whole.col_as_slice_mut(k);
                to.iter_mut().zip(&column).for_each(|(t, c)| *t += f * c);
            }
        }
    }
    whole
}

/// Solves inside for given values on the boundary; what the boundary then feels.
fn by_dense_elimination(whole: &Mat<f64>, b: usize) -> (Mat<f64>, Mat<f64>) {
    use faer::linalg::solvers::Solve;
    let n = whole.nrows();
    let inside = whole.submatrix(b, b, n - b, n - b).partial_piv_lu();
    let weights = inside.solve(&(whole.submatrix(b, 0, n - b, b) * faer::Scale(-1.0)));
    let schur = whole.submatrix(0, 0, b, b) + whole.submatrix(0, b, b, n - b) * &weights;
    (schur, weights)
}

fn parts() -> Vec<(&'static str, u32, PlanePart, f64)> {
    let r = 4;
    let taper = || plane_straight(r, 7.3, 4.0, 9.0).expect("a taper");
    vec![
        ("slice", r, pipe(r, 0.25), 0.0),
        ("pipe of 8 slices", r, pipe(r, 2.0), 0.0),
        ("pipe of 13 slices and a bit", r, pipe(r, 3.31), 0.4),
        ("arc", r, plane_arc(r, 7.0, 1.3).expect("an arc"), 0.0),
        ("taper", r, taper(), 0.0),
        ("taper with drag", r, taper(), 0.3),
        ("crossing", r, square(r, 4.0, &[0, 1, 2, 3]), 0.0),
        ("chamber", r, square(r, 12.0, &[3]), 0.1),
        ("lopsided junction", 3, lopsided(3), 0.0),
    ]
}

/// The tree of fronts, the places of leaves and the numbers of unknowns are made apart from each other; here they meet.
#[test]
fn the_front_of_a_piece_is_the_dense_elimination_of_its_leaves() {
    for (name, r, part, drag) in parts() {
        let a = alone(&part, r, drag, Caching::Cached);
        let matrix = whole(&a);
        let b = a.piece.n_boundary;
        // A chamber with one socket, all of whose velocities are held, has a free pressure: only on its socket, which stays.
        let (schur, weights) = by_dense_elimination(&matrix, b);
        let size = schur.norm_max();
        let off = (a.values.schur(a.piece.root) - &schur).norm_max();
        assert!(off < 1e-10 * size, "{name}: {off:.1e} of {size:.1e}");
        let tree = a.piece.tree(&a.plan);
        assert_eq!((tree.n_boundary, tree.n), (b, a.piece.n), "{name}");
        let mut local = vec![0.0; b * a.piece.n];
        (0..b).for_each(|k| local[k * a.piece.n + k] = 1.0);
        tree.back(&a.values, &mut local, None);
        let largest = weights.norm_max();
        for (k, local_vector) in local.chunks(a.piece.n).enumerate() {
            for (i, x) in local_vector[b..].iter().enumerate() {
                let off = (x - weights[(i, k)]).abs();
                assert!(
                    off < 1e-9 * largest,
                    "{name}: unknown {i} for boundary {k}: {off:.1e}"
                );
            }
        }
    }
}

#[test]
fn residuals_of_leaves_are_products_of_their_meshes() {
    for (name, r, part, drag) in parts() {
        let a = alone(&part, r, drag, Caching::Cached);
        for leaf in &a.leaves {
            let n = leaf.moves.len();
            // By the mesh's own matrix, walls included: P^T M P x.
            let product = |x: &dyn Fn(usize) -> f64| -> Vec<f64> {
                let mut moved = vec![0.0; leaf.n_mesh()];
                for (i, moves) in leaf.moves.iter().enumerate() {
                    moves.iter().for_each(|m| moved[m.0 as usize] += m.1 * x(i));
                }
                let y = leaf.matrix().multiply(&moved, leaf.drag);
                let back = leaf.moves.iter();
                back.map(|moves| moves.iter().map(|m| m.1 * y[m.0 as usize]).sum())
                    .collect()
            };
            let x: Vec<[f64; LANES]> = (0..n)
                .map(|i| std::array::from_fn(|lane| ((i * LANES + lane) as f64).sin()))
                .collect();
            let mut y = vec![[1.0; LANES]; n];
            leaf.residual(&x, &mut y);
            let dense = leaf.dense();
            for lane in 0..LANES {
                let of_lane: Vec<f64> = x.iter().map(|x| x[lane]).collect();
                let mut alone = vec![1.0; n];
                leaf.residual_of_one(&of_lane, &mut alone);
                for (i, product) in product(&|i| x[i][lane]).into_iter().enumerate() {
                    let by_dense: f64 = (0..n).map(|j| dense[(i, j)] * x[j][lane]).sum();
                    for (way, got) in [
                        ("eight", 1.0 - y[i][lane]),
                        ("one", 1.0 - alone[i]),
                        ("dense", by_dense),
                    ] {
                        let off = (got - product).abs();
                        assert!(off < 1e-12, "{name}, {way}: row {i}: {off:.1e}");
                    }
                }
            }
        }
    }
}

#[test]
fn copies_inside_a_piece_are_fronts_of_one_kind() {
    let kinds = |part: &PlanePart, r, drag| {
        let cached = alone(part, r, drag, Caching::Cached);
        let all = alone(part, r, drag, Caching::Uncached).plan.kinds.len();
        (cached.plan.kinds.len(), all)
    };
    // 64 slices: in either half one and five doublings, and the join of the halves. Uncached pieces repeat no leaf either: spans are shared by the piece's own lengths.
    assert_eq!(kinds(&pipe(4, 16.0), 4, 0.0).0, 13);
    assert_eq!(
        kinds(&pipe(4, 17.0), 4, 0.0).0,
        15,
        "68 = 2 (32 + 2): two joins more"
    );
    let arc = plane_arc(4, 8.0, FRAC_PI_2).expect("an arc");
    assert!(kinds(&arc, 4, 0.0).0 < 12);
    let (cached, all) = kinds(&square(4, 64.0, &[3]), 4, 0.0);
    assert!(
        4 * cached < all,
        "a chamber of 64 x 64 squares: {cached} kinds of {all} fronts"
    );
}

/// Singular values of what one end of a pipe of so many widths passes to the other, as parts of the largest entry.
fn passed_on(r: u32, widths: f64) -> (Vec<f64>, Mat<f64>, f64) {
    let a = alone(&pipe(r, widths), r, 0.0, Caching::Cached);
    let m = Section::plane(r).n;
    let s = a.values.schur(a.piece.root);
    let coupling = s.submatrix(0, m, m, m).to_owned();
    let scale = s.norm_max();
    let values = coupling.singular_values().expect("it is finite");
    (values.iter().map(|v| v / scale).collect(), coupling, scale)
}

#[test]
fn the_ends_of_a_pipe_pass_fewer_numbers_the_longer_it_is() {
    let mut last = usize::MAX;
    for (widths, most) in [(2.0, 16), (3.0, 6), (4.0, 5), (6.0, 3)] {
        let (values, coupling, scale) = passed_on(8, widths);
        let rank = values.iter().filter(|v| **v > 1e-13).count();
        assert!(rank <= most && rank <= last, "{widths} widths: rank {rank}");
        let (u, v) = factor(&coupling, scale, 1e-13, 39).expect("any rank");
        assert_eq!(
            u.ncols(),
            rank,
            "{widths} widths: found as well by sampling"
        );
        let off = (&coupling - &u * v.transpose()).norm_max();
        assert!(off < 1e-12 * scale, "{widths} widths: {off:.1e}");
        last = rank;
    }
}

/// `cargo test --release --lib ranks_of_pipes -- --ignored --nocapture`
#[test]
#[ignore = "prints the table of ranks in the docs of the fronts; seconds"]
fn ranks_of_pipes() {
    for r in [4, 8, 16] {
        let m = Section::plane(r).n;
        for widths in [1.5, 2.0, 3.0, 4.0, 6.0, 10.0] {
            let (values, ..) = passed_on(r, widths);
            let above = |limit: f64| values.iter().filter(|v| **v > limit).count();
            println!(
                "r = {r}, {widths} widths: of {m}, {} above 1e-12, {} above 1e-13, {} above 1e-14",
                above(1e-12),
                above(1e-13),
                above(1e-14)
            );
        }
    }
}

/// `cargo test --release --lib sizes_of_fronts -- --ignored --nocapture`
#[test]
#[ignore = "prints the table of sizes in the docs of the fronts; seconds"]
fn sizes_of_fronts() {
    for r in [8, 16, 32] {
        let cells = f64::from(r);
        for (name, part) in [
            ("pipe of 3 widths", pipe(r, 3.0)),
            ("pipe of 1000 widths", pipe(r, 1000.0)),
            ("crossing", square(r, cells, &[0, 1, 2, 3])),
            ("chamber of 8 x 8 widths", square(r, 8.0 * cells, &[3])),
        ] {
            let section = Section::plane(r);
            let mut shop = Workshop {
                plan: Plan::new(Caching::Cached),
                leaves: Vec::new(),
                section: &section,
                extrusion: &Flat,
                is_cancelled: &|| false,
            };
            let piece =
                Piece::new(&part, &SlipEdges::None, [0.0, 1.0], &mut shop).expect("a plain part");
            let plan = &shop.plan;
            let root = &plan.kinds[piece.root as usize];
            let largest = plan
                .kinds
                .iter()
                .map(|k| k.n_boundary + k.n_eliminated)
                .max();
            println!(
                "r = {r}, {name}: {} unknowns, {} leaves, {} kinds, root {} + {}, largest {}, {:.3e} flops, {:.1} MB",
                piece.n,
                piece.n_leaves,
                plan.kinds.len(),
                root.n_boundary,
                root.n_eliminated,
                largest.unwrap_or(0),
                plan.counters.flops as f64,
                plan.counters.bytes as f64 / 1e6
            );
        }
    }
}
