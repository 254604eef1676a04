//! A graph becomes a planar embedding: the edges of every vertex in counter-clockwise order, by Demoucron, Malgrange and Pertuiset.
//!
//! Each biconnected component starts as a cycle with two faces; pieces of what is missing are put into faces that hold all their
//! attachments, those with the fewest such faces first, a path at a time. A piece without a face proves that the graph isn't planar.
//! Knows nothing of components and channels.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One direction of an edge: edge `d / 2`, from its first end where `d` is even.
pub(super) type Dart = usize;

/// A plane graph: which darts leave each vertex, counter-clockwise.
#[derive(Clone, Debug, Default)]
pub(super) struct Plane {
    /// Ends of every edge.
    pub edges: Vec<[usize; 2]>,
    /// Darts that leave each vertex.
    pub rotation: Vec<Vec<Dart>>,
}

impl Plane {
    /// The vertex that a dart leaves.
    pub fn tail(&self, dart: Dart) -> usize {
        self.edges[dart / 2][dart % 2]
    }

    /// The vertex that a dart reaches.
    pub fn head(&self, dart: Dart) -> usize {
        self.edges[dart / 2][1 - dart % 2]
    }

    /// The next dart around the face on the left of each dart.
    pub fn around_faces(&self) -> Vec<Dart> {
        let mut next = vec![0; 2 * self.edges.len()];
        for darts in &self.rotation {
            for (k, &dart) in darts.iter().enumerate() {
                let before = darts[(k + darts.len() - 1) % darts.len()];
                next[dart ^ 1] = before;
            }
        }
        next
    }

    /// The face on the left of each dart, and how many faces there are.
    pub fn faces(&self) -> (Vec<usize>, usize) {
        let next = self.around_faces();
        let mut face = vec![usize::MAX; next.len()];
        let mut n = 0;
        for start in 0..next.len() {
            if face[start] != usize::MAX {
                continue;
            }
            let mut dart = start;
            while face[dart] == usize::MAX {
                face[dart] = n;
                dart = next[dart];
            }
            n += 1;
        }
        (face, n)
    }

    /// Adds an edge between two corners of one face; a corner is the dart that leaves its vertex with the face on the left.
    pub fn join_corners(&mut self, a: Dart, b: Dart) -> usize {
        let edge = self.edges.len();
        self.edges.push([self.tail(a), self.tail(b)]);
        self.insert_after(a, 2 * edge);
        self.insert_after(b, 2 * edge + 1);
        edge
    }

    /// Adds a vertex in a face, joined to corners of it that are listed as the face is walked.
    pub fn add_apex(&mut self, corners: &[Dart]) -> usize {
        let apex = self.rotation.len();
        self.rotation.push(Vec::new());
        for &corner in corners {
            let edge = self.edges.len();
            self.edges.push([self.tail(corner), apex]);
            self.insert_after(corner, 2 * edge);
            self.rotation[apex].push(2 * edge + 1);
        }
        apex
    }

    fn insert_after(&mut self, corner: Dart, dart: Dart) {
        let tail = self.tail(corner);
        let at = self.rotation[tail].iter().position(|&d| d == corner);
        self.rotation[tail].insert(at.map_or(0, |at| at + 1), dart);
    }
}

/// The biconnected component of every edge, numbered from 0, and whether each vertex is in several.
pub(super) fn biconnected(n: usize, edges: &[[usize; 2]]) -> (Vec<usize>, Vec<bool>) {
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (e, [a, b]) in edges.iter().enumerate() {
        around[*a].push(e);
        around[*b].push(e);
    }
    let mut component = vec![usize::MAX; edges.len()];
    let (mut order, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut clock, mut n_components) = (0, 0);
    for root in 0..n {
        if order[root] != usize::MAX {
            continue;
        }
        let mut open: Vec<usize> = Vec::new();
        // Vertex, edge it was reached by, next of its edges to look at.
        let mut stack = vec![(root, usize::MAX, 0)];
        order[root] = clock;
        low[root] = clock;
        clock += 1;
        while let Some(&mut (v, by, ref mut at)) = stack.last_mut() {
            if let Some(&e) = around[v].get(*at) {
                *at += 1;
                let w = edges[e][0] + edges[e][1] - v;
                if e == by {
                    continue;
                }
                if order[w] == usize::MAX {
                    open.push(e);
                    order[w] = clock;
                    low[w] = clock;
                    clock += 1;
                    stack.push((w, e, 0));
                } else if order[w] < order[v] {
                    open.push(e);
                    low[v] = low[v].min(order[w]);
                }
                continue;
            }
            stack.pop();
            let Some(&(parent, ..)) = stack.last() else {
                break;
            };
            low[parent] = low[parent].min(low[v]);
            if low[v] >= order[parent] {
                while let Some(e) = open.pop() {
                    component[e] = n_components;
                    if e == by {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    let is_cut = around
        .iter()
        .map(|list| {
            let of: BTreeSet<usize> = list.iter().map(|&e| component[e]).collect();
            of.len() > 1
        })
        .collect();
    (component, is_cut)
}

/// A planar embedding of a graph without loops and parallel edges, or `None` where there is none.
///
/// # Accuracy and cost
/// Exact. Edges times the size of the graph for every biconnected component.
pub(super) fn embed(n: usize, edges: &[[usize; 2]]) -> Option<Plane> {
    let (component, _) = biconnected(n, edges);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (e, c) in component.iter().enumerate() {
        members.entry(*c).or_default().push(e);
    }
    let mut rotation: Vec<Vec<Dart>> = vec![Vec::new(); n];
    for list in members.values() {
        if let [e] = list[..] {
            rotation[edges[e][0]].push(2 * e);
            rotation[edges[e][1]].push(2 * e + 1);
            continue;
        }
        // Components one after the other around a vertex that they share: any order is planar.
        for (v, darts) in embed_component(edges, list)? {
            rotation[v].extend(darts);
        }
    }
    Some(Plane {
        edges: edges.to_vec(),
        rotation,
    })
}

/// A piece of what isn't embedded yet.
struct Fragment {
    attachments: BTreeSet<usize>,
    /// Its own vertices; none where it is one edge.
    inner: BTreeSet<usize>,
}

fn embed_component(edges: &[[usize; 2]], list: &[usize]) -> Option<BTreeMap<usize, Vec<Dart>>> {
    let mut around: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut dart_of: BTreeMap<(usize, usize), Dart> = BTreeMap::new();
    for &e in list {
        let [a, b] = edges[e];
        around.entry(a).or_default().push(b);
        around.entry(b).or_default().push(a);
        dart_of.insert((a, b), 2 * e);
        dart_of.insert((b, a), 2 * e + 1);
    }
    if list.len() > 3 * around.len() - 6 {
        return None;
    }
    // A cycle: an edge, and a way back without it.
    let [a, b] = edges[list[0]];
    let cycle = path(&around, b, &|v| v == a, &|v, w| {
        (v, w) != (b, a) && (v, w) != (a, b)
    })?;
    let mut is_in: BTreeSet<usize> = cycle.iter().copied().collect();
    let mut done: BTreeSet<(usize, usize)> = BTreeSet::new();
    let pair = |a: usize, b: usize| (a.min(b), a.max(b));
    for (k, &v) in cycle.iter().enumerate() {
        done.insert(pair(v, cycle[(k + 1) % cycle.len()]));
    }
    let mut faces = vec![cycle.clone(), cycle.into_iter().rev().collect::<Vec<_>>()];
    while done.len() < list.len() {
        let fragments = fragments(edges, list, &around, &is_in, &done);
        let mut faces_of: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (f, face) in faces.iter().enumerate() {
            for &v in face {
                faces_of.entry(v).or_default().insert(f);
            }
        }
        let mut best: Option<(usize, usize, &Fragment)> = None;
        for fragment in &fragments {
            let mut attachments = fragment.attachments.iter();
            let first = attachments.next()?;
            let mut fit = faces_of.get(first)?.clone();
            for v in attachments {
                fit = fit.intersection(faces_of.get(v)?).copied().collect();
            }
            let face = *fit.first()?;
            if best.as_ref().is_none_or(|(n, ..)| fit.len() < *n) {
                best = Some((fit.len(), face, fragment));
            }
        }
        let (_, face, fragment) = best?;
        let start = *fragment.attachments.first()?;
        let goal = |v: usize| v != start && fragment.attachments.contains(&v);
        let allowed = |v: usize, w: usize| {
            if fragment.inner.is_empty() {
                fragment.attachments.contains(&v) && fragment.attachments.contains(&w)
            } else {
                // Straight from one attachment to another is another fragment's.
                fragment.inner.contains(&v) || fragment.inner.contains(&w)
            }
        };
        let way = path(&around, start, &goal, &allowed)?;
        for step in way.windows(2) {
            done.insert(pair(step[0], step[1]));
        }
        is_in.extend(way.iter().copied());
        split(&mut faces, face, &way)?;
    }
    // In a face with its inside on the left, the edge to the next vertex comes right before that to the one before, counter-clockwise.
    let mut after: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for face in &faces {
        for (k, &v) in face.iter().enumerate() {
            let before = face[(k + face.len() - 1) % face.len()];
            let next = face[(k + 1) % face.len()];
            after.entry(v).or_default().insert(next, before);
        }
    }
    let mut rotation = BTreeMap::new();
    for (v, after) in after {
        let first = *after.keys().next()?;
        let mut darts = Vec::new();
        let mut at = first;
        loop {
            darts.push(*dart_of.get(&(v, at))?);
            at = *after.get(&at)?;
            if at == first || darts.len() > after.len() {
                break;
            }
        }
        rotation.insert(v, darts);
    }
    Some(rotation)
}

/// The shortest path from a vertex to one that is a goal, over steps that are allowed; inner vertices are no goals.
fn path(
    around: &BTreeMap<usize, Vec<usize>>,
    start: usize,
    goal: &dyn Fn(usize) -> bool,
    allowed: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    let mut from: BTreeMap<usize, usize> = BTreeMap::from([(start, start)]);
    let mut queue = VecDeque::from([start]);
    while let Some(v) = queue.pop_front() {
        for &w in around.get(&v)? {
            if from.contains_key(&w) || !allowed(v, w) {
                continue;
            }
            from.insert(w, v);
            if goal(w) {
                let mut way = vec![w];
                let mut at = w;
                while at != start {
                    at = *from.get(&at)?;
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            queue.push_back(w);
        }
    }
    None
}

fn fragments(
    edges: &[[usize; 2]],
    list: &[usize],
    around: &BTreeMap<usize, Vec<usize>>,
    is_in: &BTreeSet<usize>,
    done: &BTreeSet<(usize, usize)>,
) -> Vec<Fragment> {
    let mut out = Vec::new();
    for &e in list {
        let [a, b] = edges[e];
        if is_in.contains(&a) && is_in.contains(&b) && !done.contains(&(a.min(b), a.max(b))) {
            out.push(Fragment {
                attachments: BTreeSet::from([a, b]),
                inner: BTreeSet::new(),
            });
        }
    }
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    for &v in around.keys() {
        if is_in.contains(&v) || !seen.insert(v) {
            continue;
        }
        let mut fragment = Fragment {
            attachments: BTreeSet::new(),
            inner: BTreeSet::from([v]),
        };
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            for &w in around.get(&v).into_iter().flatten() {
                if is_in.contains(&w) {
                    fragment.attachments.insert(w);
                } else if seen.insert(w) {
                    fragment.inner.insert(w);
                    stack.push(w);
                }
            }
        }
        out.push(fragment);
    }
    out
}

/// Puts a path between two vertices of a face into it.
fn split(faces: &mut Vec<Vec<usize>>, face: usize, way: &[usize]) -> Option<()> {
    let (a, b) = (*way.first()?, *way.last()?);
    let walk = &faces[face];
    let n = walk.len();
    let start = walk.iter().position(|&v| v == a)?;
    let turned: Vec<usize> = (0..n).map(|k| walk[(start + k) % n]).collect();
    let at = turned.iter().position(|&v| v == b)?;
    let inner = &way[1..way.len() - 1];
    let mut one = turned[..=at].to_vec();
    one.extend(inner.iter().rev());
    let mut other = vec![a];
    other.extend(inner);
    other.extend(&turned[at..]);
    faces[face] = one;
    faces.push(other);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices less edges plus faces is two for a connected plane graph.
    fn is_plane(plane: &Plane) -> bool {
        let (_, faces) = plane.faces();
        plane.rotation.len() + faces == plane.edges.len() + 2
    }

    fn complete(n: usize) -> Vec<[usize; 2]> {
        (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| [a, b]))
            .collect()
    }

    #[test]
    fn the_two_smallest_graphs_that_are_not_planar_are_refused_and_each_without_an_edge_is_embedded()
     {
        let five = complete(5);
        let houses: Vec<[usize; 2]> = (0..3).flat_map(|a| (3..6).map(move |b| [a, b])).collect();
        for (n, edges) in [(5, five), (6, houses)] {
            assert!(embed(n, &edges).is_none());
            for k in 0..edges.len() {
                let mut fewer = edges.clone();
                fewer.remove(k);
                let plane = embed(n, &fewer).expect("planar");
                assert!(is_plane(&plane), "{plane:?}");
            }
        }
    }

    #[test]
    fn lattices_with_trees_on_them_are_embedded() {
        let n = 6;
        let at = |x: usize, y: usize| x + n * y;
        let mut edges = Vec::new();
        for y in 0..n {
            for x in 0..n {
                if x + 1 < n {
                    edges.push([at(x, y), at(x + 1, y)]);
                }
                if y + 1 < n {
                    edges.push([at(x, y), at(x, y + 1)]);
                }
                edges.push([at(x, y), n * n + at(x, y)]);
            }
        }
        let plane = embed(2 * n * n, &edges).expect("planar");
        assert!(is_plane(&plane));
        let (component, is_cut) = biconnected(2 * n * n, &edges);
        assert_eq!(component.iter().max(), Some(&(n * n)));
        assert!(is_cut[..n * n].iter().all(|cut| *cut) && !is_cut[n * n]);
    }
}
