//! Fronts: a symmetric system given in pieces becomes its solution, each essentially different elimination done once.
//!
//! This page is the method as built, for a numerical analyst. The folder knows no physics and no meshes: `flow::stokes` makes the
//! pieces (`flow::stokes::piece`) and says what they share (`flow::stokes::system`); `flow::session` runs it all (`flow/`).
//!
//! ```text
//! parts of the chip --canonical shape--> pieces: trees of fronts, kinds named by content        plan
//! kinds, children first ---------------> Schur complements S, weights W                          compute, pivot
//! long pipes: S between the ends ------> U V^T, two loose ends                                   lowrank
//! junctions with the ends at them -----> groups: one front each, copies of copies                group
//! groups, two and two across pipes ----> one front a connected component: pressure datums and given values           network
//! x of the network --> shared unknowns --> inside of pieces, all copies at once                  tree
//! ```
//!
//! # A front
//! A front is a dense symmetric matrix over the unknowns that stay, `b`, and those that go, `e`:
//! ```text
//! F = sum of P_c^T S_c P_c = [ F_bb F_be ]     W = -F_ee^-1 F_eb     x_e = W x_b + F_ee^-1 f_e
//!     over its children c    [ F_eb F_ee ]     S = F_bb + F_be W     f_b <- f_b + W^T f_e
//! ```
//! Its Schur complement `S` is added into its parent, where the images `P_c` say: a place and a factor for each unknown (-1 where
//! sockets look at each other, a ratio of units for pressures), or nowhere for what is zero on a wall. A leaf is assembled by
//! the caller. `F` is indefinite (velocities and pressures), so its pivot block is factorised with pivoting inside the
//! block where its signs don't allow `L D L^T` ([`pivot`]), never across fronts: the plan is made from integers alone.
//!
//! # Pieces
//! A part of a chip is meshed once, in its own frame and unit, and eliminated on to its *sockets*: the `2r + 1` P2 nodes where it
//! meets others. Velocities there are kept in the socket's axes, pressures in its unit (`s p / mu`), so copies are equal however
//! they lie and whatever their size.
//!
//! **Strips** (pipes, arcs, tapers) are chains of equal slices. A slice's front eliminates its inner column; then lengths double:
//! ```text
//! |-|  |-|  |-|  |-|      slice: two lines stay, the column between goes                  1 kind
//! |----|    |----|        two halves: the line between goes (m unknowns, 2m stay)         1 kind
//! |--------------|        ...                                                             log2(n) kinds
//! ```
//! A length that is no power of two is parted as `2^k + rest`, so that pipes of all lengths share kinds. Where drag tells the slices
//! of a taper apart nothing repeats, and its fronts grow with its length.
//!
//! **Polygons** (junctions, chambers) are cut by nested dissection of their cells (`flow::mesh::dissect`),
//! along grid lines where they have some, so that equal rectangles are cut alike and have equal fronts, down to leaves of eight
//! cells. Fronts are joined two by two up to the root, whose boundary is the sockets. What lies on the near side of a middle line is
//! numbered and signed as its mirror image, so mirror images are equal fronts too: a symmetric chamber costs half.
//! Where two mirror images are joined, what is even across the mirror and what is odd are eliminated apart (`compute/mirror_pair.rs`):
//! nothing couples them, and together they cost a quarter to a third.
//!
//! **Which unknowns are held, and why pivots are regular.** A velocity goes at the lowest node of the tree that holds all cells around
//! it. A pressure goes with the velocity at its vertex, but never before a velocity that it acts on (`flow::mesh::separators`):
//! a pressure whose velocities were all held or on walls would be a zero row of `F_ee`. Those that only held velocities surround
//! stay with the sockets. A region whose surrounding velocities are all held keeps the pressures there too, so the constant pressure,
//! the null vector of an enclosed flow, is never inside `F_ee`. (Tested: the front of every kind of piece is the dense
//! elimination of its leaves.)
//!
//! # Ends of low rank
//! Everything but the Poiseuille mode decays along a pipe, so what the ends of a long one (1.5 widths or more) pass to each
//! other has few singular values above rounding. With `S_ab = U V^T` the pipe falls into two ends with unknowns of their own,
//! ```text
//! end a: [ S_aa U ] [x_a]      end b: [ S_bb V ] [x_b]      between them:  - z_1 . z_2 - z_2 . z_1
//!        [ U^T  0 ] [z_1]             [ V^T  0 ] [z_2]
//! row z_1:  U^T x_a - z_2 = 0       row z_2:  V^T x_b - z_1 = 0       so row x_a reads  S_aa x_a + U V^T x_b,  as before
//! ```
//! and no end depends on what is at the other one. `U V^T` is found by sampling ([`lowrank`]), to 1e-13 of the largest entry of `S`; where
//! more than a third of a socket's unknowns would be needed, the pipe stays whole. Measured, singular values of `S_ab` above that:
//!
//! | pipe, widths | 1.5 | 2 | 3 | 4 | 6 | 10 |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | r = 4, of 19 | 19 | 15 | 11 | 9 | 3 | 1 |
//! | r = 8, of 39 | 21 | 16 | 5 | 4 | 3 | 1 |
//! | r = 16, of 79 | 12 | 9 | 5 | 4 | 3 | 1 |
//!
//! (`cargo test --lib ranks_of_pipes -- --ignored --nocapture`.) So pipes of 2 widths stay whole at r = 8, and at r = 4 those of 3
//! and 4 widths too: there the whole lattice is one group, and its kinds grow with it (108 for 10 x 10 crossings, 185 for 20 x 20).
//!
//! # Groups
//! Pieces and ends are joined as long as they share free unknowns ([`group()`]). A junction and the ends at it are a hub with
//! satellites and become one front; equal junctions with equal ends are one kind:
//! ```text
//!      J ======= J ======= J          J      a junction: front on its sockets
//!      H         H         H          ===    a pipe: U V^T, or whole where it is short
//!      J ======= J ======= J
//!
//!              H                             H         the sockets of J go: shared by J and an end
//!            z H                             z
//!          ----+----                      ---+---
//!  == z --|  J       |-- z ==      z --|    group    |-- z         left: 4 times rank unknowns z
//!          ----+----                      ---+---
//!            z H                             z
//!
//!      z----z   z----z                every group is dense in its own z; each pair z_1, z_2 of a pipe is
//!     group -1 group -1 group         tied by -1: the network, sparse, about 10 unknowns a pipe of 3 widths,
//!      |        |        |            solved as a whole
//! ```
//! Short pipes tie junctions into larger groups: there pairs that are each other's best partner (smallest result) are joined in
//! rounds, so a chain of copies becomes copies of longer chains, as in cyclic reduction. On a lattice of 10 x 10 crossings there are
//! 100 kinds at r = 8, on one of 20 x 20 there are 126 (`computed_matrices` of `solve --ports-only --format json`).
//!
//! Unknowns at the chip's edge: velocities of flow-rate ports and closed ends are *given* (they stay and are known; their reactions give
//! the ports' pressures), tangential ones of pressure ports are *zero*, all else is *free*.
//!
//! # The network and its pressure datum
//! Groups are joined across the ties by the same fronts: two groups and all ties between them at a time, the pair that leaves
//! the smallest front first, disjoint pairs in rounds ([`group()`]); only groups that changed choose again, so a round costs
//! what it joins. A sparse LU in COLAMD order, tried first, took 1.5 of 2.0 s of a lattice in three dimensions with rank 21;
//! the joins take a tenth. Only pressure datums are left to [`network`]. Where every port of a connected component has its flow given, pressure
//! is known up to a constant. One pressure of the connected component is then kept to the last, and a number `d` is added to its diagonal
//! entry. With the null vector `n`, scaled to one there, and a balanced right-hand side,
//! ```text
//! (A + d e e^T) x = b   =>   n^T A x + d x_g = n^T b = 0   =>   x_g = 0   =>   A x = b
//! ```
//! so the answer is one of the singular system, whatever `d`. Data that don't balance are refused before.
//!
//! # Substitution
//! Copies of a piece lie one after the other, `local vector = [boundary | eliminated, front by front]`, and are filled from the
//! boundary down ([`tree`]): fronts of one kind and depth, of all copies, are the columns of one matrix product. Loads inside
//! (residuals, bodies) go up the same way first. Ports need none of it.
//!
//! # Residual
//! The relative residual of the whole is computed from the sparse matrices of the leaves, never from a front, and refined with the
//! same factors until it is at most 1e-10, or the solve fails. It does rest on the same maps of who shares what, so it can't see a
//! wrong one; the balance of the ports' flows can, and `tests/fronts.rs` compares with block rows, which number everything
//! their own way. Where only ports are wanted the residual is that of the unknowns that parts share, from the parts' own fronts, to
//! the same tolerance: what went on inside the parts is not checked there.
//!
//! # Keys
//! | what | is named by |
//! | --- | --- |
//! | leaf | nodes (1e-10 of a cell), cells, drag (12 digits), which unknowns it moves, how many stay |
//! | join | its children's keys, their images with factors, how many stay and go |
//! | end of a long pipe | the key of the pipe's front, the end, the tolerance |
//! | part with its plan and leaves | its lengths to the last bit, resolution, layers, drag, cell size (`stokes/system.rs`) |
//!
//! Equal keys, equal bits: a value may come from this solve, an earlier one or another chip ([`Known`]). Work is shared out in
//! pieces of fixed size, so neither threads nor what was known change a bit. Without caching each front's number enters its key.
//!
//! # Costs
//! A front costs `2/3 e^3 + 2 e^2 b + e b^2` flops as planned, for LU; `L D L^T` saves `1/3 e^3 + e^2 b` of them. Plans, and the flops
//! of a solve's report, count the first, since only the pivots tell whether a front takes the second; `solve --profile` counts what was
//! done ([`Inside::flops`]). With `m = 5r - 1` unknowns a socket, doubling a pipe costs `8.7 m^3` a time,
//! and a crossing, whose last front has nearly `5m` unknowns, grows like `r^3` too. As planned
//! (`cargo test --lib sizes_of_fronts -- --ignored --nocapture`; the chamber has one socket):
//!
//! | part, r | unknowns of a copy | leaves | kinds | largest front | MFLOP | MB |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | pipe of 3 widths, 8 | 1,695 | 24 | 6 | 117 | 2.9 | 0.5 |
//! | the same, 16 | 6,847 | 48 | 7 | 237 | 28.6 | 2.4 |
//! | pipe of 1,000 widths, 8 | 552,039 | 8,000 | 18 | 117 | 9.1 | 1.5 |
//! | the same, 16 | 2,256,079 | 16,000 | 19 | 237 | 79.8 | 6.6 |
//! | crossing, 8 | 651 | 16 | 8 | 189 | 2.0 | 0.6 |
//! | the same, 16 | 2,459 | 64 | 14 | 389 | 17.0 | 2.4 |
//! | the same, 32 | 9,531 | 256 | 20 | 789 | 143.2 | 10.0 |
//! | chamber of 8 x 8 widths, 8 | 4,425 | 128 | 19 | 117 | 3.1 | 0.7 |
//! | the same, 16 | 18,065 | 512 | 27 | 237 | 25.1 | 2.9 |
//! | the same, 32 | 72,993 | 2,048 | 35 | 477 | 206.6 | 12.0 |
//!
//! Substitution costs `2 e b` flops a front and copy: linear in the size of the chip. What is left of a front on its boundary
//! is dropped when its parents have it, unless it is a piece's, a group's or an end's own. So when a pipe of a chip of 37 fronts changes its
//! length, 12 to 14 are computed: the lengths it is doubled from, and no junction (`after_a_component_moved_few_fronts_are_computed`).
//!
//! # Source
//! - Duff, Reid, "The multifrontal solution of indefinite sparse symmetric linear equations", ACM Trans. Math. Software 9 (1983).
//! - George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10 (1973).
//! - Halko, Martinsson, Tropp, "Finding structure with randomness", SIAM Review 53 (2011).
//! - Ding, "Coupling, Conservation, and Performance in Numerical Simulations", PhD thesis, UC Riverside, 2019, chapter 4: canonical
//!   matrices, cyclic reduction, the plan on names. Differs: whole parts are eliminated before they meet, ends have low
//!   rank, and tasks are fronts, not single products. Its block rows are kept in the crate `thesis`.

pub mod algebra;
pub mod compute;
pub mod group;
pub mod lowrank;
pub mod network;
mod panels;
pub mod pivot;
pub mod plan;
pub mod tree;
#[cfg(test)]
mod trial;

pub use compute::{FrontError, FrontRun, Inside, Known, Leaves, Schur, Values, Wanted, schur_key};
pub use group::{Class, Element, Top, Watch, group};
pub use network::Network;
pub use plan::{Child, Counters, Image, KindId, NOWHERE, Plan, Recipe, Shape};
pub use tree::{Node, Tree};
