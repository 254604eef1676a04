//! An embedded graph becomes levels and columns: every edge leads upwards, every vertex and every edge has a rectangle of its own.
//!
//! The plane graph is made biconnected by edges that aren't drawn, numbered from a source to a sink (Tarjan, "Two streamlined
//! depth-first search algorithms", 1986), and so oriented. Levels are longest paths from the source; columns are longest paths
//! through the faces, from that on the left of everything to that on its right (Tamassia and Tollis, "A unified approach to
//! visibility representations of planar graphs", 1986): two rectangles of one height never share a column. Rows come out as the
//! distance from the inlet wherever the graph is a tree.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::embedding::{Dart, Plane, biconnected};

/// Left and right of what takes a column, m.
pub(super) type Column = [f64; 2];

/// The columns of every drawn edge and of every drawn vertex.
pub(super) type Columns = (Vec<Column>, Vec<Column>);

/// A graph with all edges upwards.
#[derive(Clone, Debug)]
pub(super) struct Bipolar {
    /// Level of every vertex, 0 that of the source.
    pub level: Vec<usize>,
    /// Drawn edges that come from below, left to right.
    pub below: Vec<Vec<usize>>,
    /// Drawn edges that lead upwards, left to right.
    pub above: Vec<Vec<usize>>,
    /// Left and right face of every edge.
    edge_faces: Vec<[usize; 2]>,
    /// Left and right face of every drawn vertex.
    vertex_faces: Vec<[usize; 2]>,
    n_faces: usize,
    /// The edge from source to sink, which isn't drawn.
    closing: usize,
}

/// Orients a connected plane graph of at least two vertices from a source; `None` would be a fault of this program.
///
/// # Accuracy and cost
/// Exact. Linear but for edges that are added one at a time where a face's leaves can't be joined at once.
pub(super) fn orient(mut plane: Plane, source: usize) -> Option<Bipolar> {
    let (n, n_edges) = (plane.rotation.len(), plane.edges.len());
    let (sink, closing) = close(&mut plane, source)?;
    join_blocks(&mut plane);
    let number = number(&plane, source, sink)?;
    let is_up = |dart: Dart| number[plane.head(dart)] > number[plane.tail(dart)];
    let (face, n_faces) = plane.faces();
    let edge_faces: Vec<[usize; 2]> = (0..plane.edges.len())
        .map(|e| {
            let up = if is_up(2 * e) { 2 * e } else { 2 * e + 1 };
            [face[up], face[up ^ 1]]
        })
        .collect();
    let mut level = vec![0; plane.rotation.len()];
    let mut order: Vec<usize> = (0..plane.rotation.len()).collect();
    order.sort_by_key(|&v| number[v]);
    let (mut below, mut above) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    let mut vertex_faces = vec![[0; 2]; n];
    for v in order {
        let darts = &plane.rotation[v];
        for &dart in darts.iter().filter(|&&dart| is_up(dart)) {
            let head = plane.head(dart);
            level[head] = level[head].max(level[v] + 1);
        }
        if v >= n {
            continue;
        }
        // Counter-clockwise: from below, left to right, then upwards, right to left.
        let first = match v == source {
            true => darts.iter().position(|d| d / 2 == closing)?,
            false => {
                let turn = |k: usize| !is_up(darts[(k + darts.len() - 1) % darts.len()]);
                (0..darts.len()).find(|&k| is_up(darts[k]) && turn(k))?
            }
        };
        let turned: Vec<Dart> = (0..darts.len())
            .map(|k| darts[(first + k) % darts.len()])
            .collect();
        let n_up = turned.iter().take_while(|&&dart| is_up(dart)).count();
        if turned[n_up..].iter().any(|&dart| is_up(dart)) {
            return None;
        }
        let all_up: Vec<usize> = turned[..n_up].iter().rev().map(|d| d / 2).collect();
        let leftmost = *all_up.first()?;
        let rightmost = *all_up.last()?;
        vertex_faces[v] = [edge_faces[leftmost][0], edge_faces[rightmost][1]];
        if v == source {
            vertex_faces[v][1] = edge_faces[closing][0];
        }
        above[v] = all_up.into_iter().filter(|&e| e < n_edges).collect();
        below[v] = turned[n_up..]
            .iter()
            .map(|d| d / 2)
            .filter(|&e| e < n_edges)
            .collect();
    }
    level.truncate(n);
    Some(Bipolar {
        level,
        below,
        above,
        edge_faces,
        vertex_faces,
        n_faces,
        closing,
    })
}

impl Bipolar {
    /// The columns of edges and of vertices, left and right, m.
    ///
    /// - `edge_width`, `vertex_width`: how wide each has to be at least, m; edges that aren't drawn take none
    pub fn columns(&self, edge_width: &[f64], vertex_width: &[f64]) -> Option<Columns> {
        let mut arcs: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.n_faces];
        let mut waits = vec![0_usize; self.n_faces];
        let mut add = |[from, to]: [usize; 2], width: f64| {
            arcs[from].push((to, width));
            waits[to] += 1;
        };
        for (e, faces) in self.edge_faces.iter().enumerate() {
            if e != self.closing {
                add(*faces, edge_width.get(e).copied().unwrap_or(0.0));
            }
        }
        for (faces, width) in self.vertex_faces.iter().zip(vertex_width) {
            add(*faces, *width);
        }
        let mut at = vec![0.0_f64; self.n_faces];
        let mut ready: Vec<usize> = (0..self.n_faces).filter(|&f| waits[f] == 0).collect();
        let mut n_done = 0;
        while let Some(f) = ready.pop() {
            n_done += 1;
            for &(to, width) in &arcs[f] {
                at[to] = at[to].max(at[f] + width);
                waits[to] -= 1;
                if waits[to] == 0 {
                    ready.push(to);
                }
            }
        }
        let place = |faces: &[usize; 2]| [at[faces[0]], at[faces[1]]];
        let edges = self.edge_faces[..edge_width.len()].iter().map(place);
        let vertices = self.vertex_faces.iter().map(place);
        (n_done == self.n_faces).then(|| (edges.collect(), vertices.collect()))
    }
}

/// Joins the leaves of every face above it, and source and sink: the sink, and the edge between the two.
fn close(plane: &mut Plane, source: usize) -> Option<(usize, usize)> {
    let (component, is_cut) = biconnected(plane.rotation.len(), &plane.edges);
    let next = plane.around_faces();
    let (face, n_faces) = plane.faces();
    let far = distances(plane, source);
    let first = *plane.rotation[source].first()?;
    let outer = face[first];
    // The one vertex that a leaf of the tree of biconnected components shares with others.
    let mut cuts: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (e, ends) in plane.edges.iter().enumerate() {
        let cuts = cuts.entry(component[e]).or_default();
        cuts.extend(ends.iter().filter(|&&v| is_cut[v]));
    }
    let of_source = component[first / 2];
    let is_leaf = |c: usize| {
        cuts.get(&c).is_some_and(|cuts| cuts.len() == 1) && (is_cut[source] || c != of_source)
    };
    let mut placed: BTreeSet<usize> = BTreeSet::new();
    let mut apex = None;
    // The source's face first: what can be joined there is.
    let faces = std::iter::once(outer).chain((0..n_faces).filter(|&f| f != outer));
    for f in faces {
        let Some(start) = (0..next.len()).find(|&d| face[d] == f) else {
            continue;
        };
        let start = if f == outer { first } else { start };
        let mut walk = vec![start];
        while next[*walk.last()?] != start {
            walk.push(next[*walk.last()?]);
        }
        // Leaves that hang in this face: the walk comes to their cut vertex from one of them and leaves by another.
        let hanging: BTreeSet<usize> = (0..walk.len())
            .flat_map(|k| {
                let (a, b) = (
                    component[walk[k] / 2],
                    component[walk[(k + 1) % walk.len()] / 2],
                );
                if a == b { vec![] } else { vec![a, b] }
            })
            .filter(|&c| is_leaf(c) && !placed.contains(&c))
            .collect();
        let mut corners: BTreeSet<usize> = BTreeSet::new();
        for &c in &hanging {
            let own: Vec<usize> = (0..walk.len())
                .filter(|&k| {
                    let tail = plane.tail(walk[k]);
                    component[walk[k] / 2] == c && !is_cut[tail] && tail != source
                })
                .collect();
            if let Some(&middle) = own.get(own.len() / 2) {
                corners.insert(middle);
                placed.insert(c);
            }
        }
        // A leaf by itself, or the source, is joined to what is farthest.
        if !corners.is_empty() && corners.len() < 2 && f != outer
            || f == outer && corners.is_empty()
        {
            let taken: BTreeSet<usize> = corners.iter().map(|&k| component[walk[k] / 2]).collect();
            let other = (0..walk.len())
                .filter(|&k| {
                    let tail = plane.tail(walk[k]);
                    let is_neck = taken.iter().any(|c| cuts[c].contains(&tail));
                    tail != source && !is_neck && !taken.contains(&component[walk[k] / 2])
                })
                .max_by_key(|&k| far[plane.tail(walk[k])]);
            corners.extend(other);
        }
        if f == outer {
            // The walk starts at the source.
            corners.insert(0);
            let list: Vec<Dart> = corners.iter().map(|&k| walk[k]).collect();
            let edge = plane.edges.len();
            apex = Some((plane.add_apex(&list), edge));
        } else {
            let list: Vec<Dart> = corners.iter().map(|&k| walk[k]).collect();
            match list[..] {
                [] | [_] => {}
                [a, b] => {
                    plane.join_corners(a, b);
                }
                _ => {
                    plane.add_apex(&list);
                }
            }
        }
    }
    apex
}

fn distances(plane: &Plane, source: usize) -> Vec<usize> {
    let mut far = vec![usize::MAX; plane.rotation.len()];
    far[source] = 0;
    let mut queue = VecDeque::from([source]);
    while let Some(v) = queue.pop_front() {
        for &dart in &plane.rotation[v] {
            let w = plane.head(dart);
            if far[w] == usize::MAX {
                far[w] = far[v] + 1;
                queue.push_back(w);
            }
        }
    }
    far
}

/// Adds edges between neighbours of vertices that would part the graph, until none does.
fn join_blocks(plane: &mut Plane) {
    loop {
        let (component, is_cut) = biconnected(plane.rotation.len(), &plane.edges);
        let found = (0..plane.rotation.len())
            .filter(|&v| is_cut[v])
            .find_map(|v| {
                let darts = &plane.rotation[v];
                let after = |k: usize| darts[(k + 1) % darts.len()];
                let k = (0..darts.len())
                    .find(|&k| component[darts[k] / 2] != component[after(k) / 2])?;
                Some((darts[k], after(k)))
            });
        let Some((a, b)) = found else { return };
        let next = plane.around_faces();
        plane.join_corners(next[a], b ^ 1);
    }
}

/// A number for every vertex of a biconnected graph: each but source and sink has a lower and a higher neighbour.
fn number(plane: &Plane, source: usize, sink: usize) -> Option<Vec<usize>> {
    let n = plane.rotation.len();
    let (mut order, mut low, mut parent) = (
        vec![usize::MAX; n],
        vec![usize::MAX; n],
        vec![usize::MAX; n],
    );
    let mut preorder = vec![source];
    order[source] = 0;
    low[source] = 0;
    // The first step is from source to sink.
    let start = plane.rotation[source]
        .iter()
        .position(|&d| plane.head(d) == sink)?;
    let mut stack = vec![(source, 0)];
    while let Some(&mut (v, ref mut k)) = stack.last_mut() {
        let darts = &plane.rotation[v];
        if *k < darts.len() {
            let offset = if v == source { start } else { 0 };
            let w = plane.head(darts[(*k + offset) % darts.len()]);
            *k += 1;
            if order[w] == usize::MAX {
                order[w] = preorder.len();
                low[w] = order[w];
                parent[w] = v;
                preorder.push(w);
                stack.push((w, 0));
            } else if w != parent[v] {
                low[v] = low[v].min(order[w]);
            }
        } else {
            stack.pop();
            if let Some(&(above, _)) = stack.last() {
                low[above] = low[above].min(low[v]);
            }
        }
    }
    if preorder.len() < n {
        return None;
    }
    // A list of vertices by their neighbours in it.
    const END: usize = usize::MAX;
    let (mut before, mut after) = (vec![END; n], vec![END; n]);
    after[source] = sink;
    before[sink] = source;
    let mut goes_before = vec![true; n];
    for &v in preorder.iter().skip(2) {
        let p = parent[v];
        if goes_before[preorder[low[v]]] {
            let b = before[p];
            (before[v], after[v], before[p]) = (b, p, v);
            if b != END {
                after[b] = v;
            }
            goes_before[p] = false;
        } else {
            let a = after[p];
            (before[v], after[v], after[p]) = (p, a, v);
            if a != END {
                before[a] = v;
            }
            goes_before[p] = true;
        }
    }
    let mut number = vec![0; n];
    let (mut at, mut k) = (source, 0);
    while at != END && k <= n {
        number[at] = k;
        k += 1;
        at = after[at];
    }
    (k == n).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::super::embedding::embed;
    use super::*;

    fn oriented(n: usize, edges: &[[usize; 2]]) -> Bipolar {
        orient(embed(n, edges).expect("planar"), 0).expect("oriented")
    }

    /// Every edge leads up, and rectangles of one height share no column.
    fn check(n: usize, edges: &[[usize; 2]]) {
        let graph = oriented(n, edges);
        let (columns, boxes) = graph
            .columns(&vec![1.0; edges.len()], &vec![3.0; n])
            .expect("no cycle among faces");
        let span = |e: usize| {
            let [a, b] = edges[e].map(|v| graph.level[v]);
            assert_ne!(a, b, "edge {e}");
            (a.min(b), a.max(b))
        };
        let apart = |a: [f64; 2], b: [f64; 2]| a[1] <= b[0] || b[1] <= a[0];
        for e in 0..edges.len() {
            for f in 0..e {
                let (a, b) = (span(e), span(f));
                assert!(
                    a.1 <= b.0 || b.1 <= a.0 || apart(columns[e], columns[f]),
                    "{e} {f}"
                );
            }
            for v in (0..n).filter(|v| !edges[e].contains(v)) {
                let (a, l) = (span(e), graph.level[v]);
                assert!(
                    l <= a.0 || l >= a.1 || apart(columns[e], boxes[v]),
                    "{e} {v}"
                );
            }
        }
        for v in 0..n {
            assert_eq!(
                graph.below[v].len() + graph.above[v].len(),
                edges.iter().filter(|e| e.contains(&v)).count()
            );
            for w in (0..v).filter(|&w| graph.level[w] == graph.level[v]) {
                assert!(apart(boxes[v], boxes[w]), "{v} {w}");
            }
        }
    }

    #[test]
    fn trees_are_levels_of_distance_and_nothing_shares_a_column() {
        let edges: Vec<[usize; 2]> = (1..40).map(|k| [(k - 1) / 3, k]).collect();
        let graph = oriented(40, &edges);
        for (k, &[parent, child]) in edges.iter().enumerate() {
            assert_eq!(graph.level[child], graph.level[parent] + 1, "edge {k}");
        }
        check(40, &edges);
    }

    #[test]
    fn lattices_rings_with_tails_and_paths_are_drawn_apart() {
        check(2, &[[0, 1]]);
        check(3, &[[1, 0], [2, 1]]);
        // A ring with tails inside and out.
        check(
            8,
            &[
                [0, 1],
                [1, 2],
                [2, 3],
                [3, 4],
                [4, 1],
                [3, 5],
                [5, 6],
                [2, 7],
            ],
        );
        let at = |x: usize, y: usize| 1 + x + 5 * y;
        let mut edges = vec![[0, at(0, 0)]];
        for y in 0..5 {
            for x in 0..5 {
                if x + 1 < 5 {
                    edges.push([at(x, y), at(x + 1, y)]);
                }
                if y + 1 < 5 {
                    edges.push([at(x, y), at(x, y + 1)]);
                }
            }
        }
        edges.push([at(4, 4), 26]);
        edges.push([at(2, 2), 27]);
        check(28, &edges);
    }
}
