//! The walk of an attachment over a triangle mesh: relaxation by a machine of four states.
//!
//! The attachment slides towards the particle over triangles (1, and 2 when it came over an edge), along an edge that holds it (3),
//! through a vertex (4), until the spring lies in the friction cone of where it stands. Written over [`Real`], so the same walk
//! gives derivatives with respect to the particle or any vertex. Start at [`walk`].

use crate::mesh::Topology;
use crate::real::{R3, Real, V3, add, cross, dot, norm, scale, sub, unit};

/// States after which a walk is given up (and told).
const MOST_STATES: usize = 100;

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Inside a triangle or on the edge that it was entered by (states 1, 2).
    Triangle,
    /// On the edge opposite this corner of the triangle (state 3).
    Edge(usize),
    /// At this corner of the triangle (state 4).
    Vertex(usize),
}

/// The end of a walk.
#[derive(Clone, Debug)]
pub struct Walked<T> {
    /// Triangle that holds the relaxed attachment.
    pub triangle: u32,
    /// Weights of its vertices, nonnegative, sum 1.
    pub weights: R3<T>,
    /// The relaxed attachment.
    pub y: R3<T>,
    /// Kind of place that it ended on.
    pub end: End,
    /// Whether the attachment held from the start.
    pub stuck: bool,
    /// The states, in order (the first is 1).
    pub states: Vec<u8>,
    /// Every triangle that it visited or weighed, in order.
    pub visited: Vec<u32>,
    /// Whether it was given up after the most states allowed.
    pub unfinished: bool,
}

struct Plane<T> {
    corners: [R3<T>; 3],
    normal: R3<T>,
    doubled_area: T,
}

impl<T: Real> Plane<T> {
    fn weights(&self, p: R3<T>) -> R3<T> {
        let [a, b, c] = self.corners;
        let part =
            |q: R3<T>, r: R3<T>| dot(cross(sub(q, p), sub(r, p)), self.normal) / self.doubled_area;
        let (wa, wb) = (part(b, c), part(c, a));
        [wa, wb, T::constant(1.0) - wa - wb]
    }
}

/// Walks the attachment `weights` of triangle `start` towards the particle `z`.
///
/// # Shapes and units
/// - `position`: of each vertex, m; `weights`: nonnegative, sum 1; `mu` >= 0
/// # Accuracy and cost
/// `|Y - Z|` never grows; idempotent and in the cone to rounding. Most walks end in their first state.
/// # Source
/// Ding 2019, section 2.2.1, figures 2.7-2.9. Differs: an order of ties (the lowest index), gains measured against rounding.
pub fn walk<T: Real>(
    mesh: &Topology,
    position: &dyn Fn(u32) -> R3<T>,
    start: u32,
    weights: R3<T>,
    z: R3<T>,
    mu: f64,
) -> Walked<T> {
    let mu = T::constant(mu);
    let one = T::constant(1.0);
    let zero = T::constant(0.0);
    let plane = |t: u32| {
        let corners = mesh.triangles[t as usize].map(position);
        let n = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let doubled_area = norm(n);
        Plane {
            corners,
            normal: n.map(|x| x / doubled_area),
            doubled_area,
        }
    };
    let blend = |c: &[R3<T>; 3], w: &R3<T>| {
        add(add(scale(w[0], c[0]), scale(w[1], c[1])), scale(w[2], c[2]))
    };
    let mut t = start;
    let mut w = weights;
    let mut y = blend(&mesh.triangles[t as usize].map(position), &w);
    let mut entry: Option<usize> = None;
    let mut state = 1u8;
    let mut skip_vertex = false;
    let mut states = Vec::with_capacity(4);
    let mut visited = vec![t];
    let mut stuck = true;
    let mut unfinished = false;
    // In state 3: the corner opposite the edge; in state 4: the corner.
    let mut corner = 0usize;
    let end = loop {
        if states.len() >= MOST_STATES {
            unfinished = true;
            break End::Triangle;
        }
        states.push(state);
        match state {
            1 | 2 => {
                let at_corner = |i: &usize| w[*i].value() > 1.0 - 128.0 * f64::EPSILON;
                if state == 2
                    && !skip_vertex
                    && let Some(v) = (0..3).find(at_corner)
                {
                    (corner, state) = (v, 4);
                    continue;
                }
                skip_vertex = false;
                let p = plane(t);
                let height = dot(sub(z, p.corners[0]), p.normal);
                let foot = sub(z, scale(height, p.normal));
                let radius = mu * height.abs();
                let d = sub(y, foot);
                let length = norm(d);
                if length.value() <= radius.value() * (1.0 + 1e-13) {
                    break End::Triangle;
                }
                let aim = add(foot, scale(radius / length, d));
                let goal = p.weights(aim);
                let outside: Vec<usize> = (0..3).filter(|&i| goal[i].value() < 0.0).collect();
                if outside.is_empty() {
                    stuck = false;
                    (y, w) = (aim, goal);
                    break End::Triangle;
                }
                if state == 2 && entry.is_some_and(|e| goal[e].value() < 0.0) {
                    (corner, state) = (entry.expect("just tested"), 3);
                    continue;
                }
                stuck = false;
                let time = |i: usize| w[i] / (w[i] - goal[i]);
                let mut edge = outside[0];
                for &i in &outside[1..] {
                    if time(i).value() < time(edge).value() {
                        edge = i;
                    }
                }
                let at = time(edge);
                let (a, b) = ((edge + 1) % 3, (edge + 2) % 3);
                let mut wa = w[a] + at * (goal[a] - w[a]);
                if wa.value() < 0.0 {
                    wa = zero;
                } else if wa.value() > 1.0 {
                    wa = one;
                }
                w = [zero; 3];
                w[a] = wa;
                w[b] = one - wa;
                y = add(scale(w[a], p.corners[a]), scale(w[b], p.corners[b]));
                match mesh.neighbours[t as usize][edge] {
                    None => (corner, state) = (edge, 3),
                    Some(next) => {
                        let [va, vb] = [a, b].map(|i| mesh.triangles[t as usize][i]);
                        let (wa, wb) = (w[a], w[b]);
                        let (na, nb) = (mesh.corner(next, va), mesh.corner(next, vb));
                        w = [zero; 3];
                        w[na] = wa;
                        w[nb] = wb;
                        entry = Some(3 - na - nb);
                        t = next;
                        visited.push(t);
                        state = 2;
                    }
                }
            }
            3 => {
                let (a, b) = ((corner + 1) % 3, (corner + 2) % 3);
                let [pa, pb] = [a, b].map(|i| position(mesh.triangles[t as usize][i]));
                let along = sub(pb, pa);
                let length = norm(along);
                let e = along.map(|x| x / length);
                let foot = dot(sub(z, pa), e);
                let off = sub(sub(z, pa), scale(foot, e));
                let radius = mu * norm(off);
                let here = w[b] * length;
                let d = here - foot;
                if d.value().abs() <= radius.value() * (1.0 + 1e-13) {
                    break End::Edge(corner);
                }
                stuck = false;
                let goal = if d.value() > 0.0 {
                    foot + radius
                } else {
                    foot - radius
                } / length;
                w = [zero; 3];
                if goal.value() > 0.0 && goal.value() < 1.0 {
                    w[b] = goal;
                    w[a] = one - goal;
                    y = add(pa, scale(goal, along));
                    break End::Edge(corner);
                }
                let v = if goal.value() <= 0.0 { a } else { b };
                w[v] = one;
                y = if v == a { pa } else { pb };
                (corner, state) = (v, 4);
            }
            _ => {
                let v = mesh.triangles[t as usize][corner];
                let pv = position(v);
                let reach = sub(z, pv);
                let distance = norm(reach).value();
                let mut best = (1e-12 * distance, None);
                for &f in &mesh.fans[v as usize] {
                    let p = plane(f);
                    let i = mesh.corner(f, v);
                    let height = dot(sub(z, p.corners[0]), p.normal);
                    let pull = sub(sub(z, scale(height, p.normal)), pv);
                    let length = norm(pull).value();
                    let gain = length - mu.value() * height.value().abs();
                    if gain <= best.0 {
                        continue;
                    }
                    let (e1, e2) = (
                        unit(sub(p.corners[(i + 1) % 3], pv)),
                        unit(sub(p.corners[(i + 2) % 3], pv)),
                    );
                    let sine = |a: R3<T>, b: R3<T>| dot(cross(a, b), p.normal).value() / length;
                    if sine(e1, pull) > 1e-12 && sine(pull, e2) > 1e-12 {
                        best = (gain, Some(f));
                    }
                }
                if let Some(f) = best.1 {
                    t = f;
                    visited.push(t);
                    w = [zero; 3];
                    w[mesh.corner(t, v)] = one;
                    y = pv;
                    (entry, skip_vertex, state) = (None, true, 2);
                    continue;
                }
                let mut best: (f64, Option<(u32, usize)>) = (1e-12 * distance, None);
                for &f in &mesh.fans[v as usize] {
                    for i in 0..3 {
                        let u = mesh.triangles[f as usize][i];
                        if u == v {
                            continue;
                        }
                        let e = unit(sub(position(u), pv));
                        let ahead = dot(reach, e);
                        let off = norm(sub(reach, scale(ahead, e)));
                        let gain = ahead.value() - mu.value() * off.value();
                        if gain > best.0 {
                            best = (gain, Some((f, 3 - i - mesh.corner(f, v))));
                        }
                    }
                }
                match best.1 {
                    None => break End::Vertex(corner),
                    Some((f, opposite)) => {
                        t = f;
                        visited.push(t);
                        w = [zero; 3];
                        w[mesh.corner(t, v)] = one;
                        y = pv;
                        (corner, state) = (opposite, 3);
                    }
                }
            }
        }
    };
    Walked {
        triangle: t,
        weights: w,
        y,
        end,
        stuck: stuck && mu.value() > 0.0,
        states,
        visited,
        unfinished,
    }
}

/// The normal that tells whether a walk's end pushes or pulls: of the triangle; the sum of both at an edge; weighted by angles at a
/// vertex. Not of length 1.
pub fn end_normal(mesh: &Topology, position: &dyn Fn(u32) -> V3, triangle: u32, end: End) -> V3 {
    let of = |t: u32| {
        let [a, b, c] = mesh.triangles[t as usize].map(position);
        (b - a).cross(&(c - a)).normalize()
    };
    match end {
        End::Triangle => of(triangle),
        End::Edge(i) => {
            of(triangle) + mesh.neighbours[triangle as usize][i].map_or_else(V3::zeros, of)
        }
        End::Vertex(i) => {
            let v = mesh.triangles[triangle as usize][i];
            let mut n = V3::zeros();
            for &f in &mesh.fans[v as usize] {
                let j = mesh.corner(f, v);
                let [p, q, r] =
                    [j, (j + 1) % 3, (j + 2) % 3].map(|k| position(mesh.triangles[f as usize][k]));
                n += of(f) * (q - p).angle(&(r - p));
            }
            n
        }
    }
}

/// The vertices that a walk's end depends on, each once, in the order of the walk.
pub(crate) fn participants(mesh: &Topology, visited: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    for &t in visited {
        for v in mesh.triangles[t as usize] {
            if !all.contains(&v) {
                all.push(v);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::real::{fixed, slopes, values, variable};
    use crate::shape::{Shape, relax};
    use crate::testing::{Random, assert_small};

    /// A square of n x n cells with heights.
    fn field(n: usize, height: impl Fn(usize, usize) -> f64) -> (Topology, Vec<V3>) {
        let mut points = Vec::new();
        for j in 0..=n {
            for i in 0..=n {
                points.push(V3::new(
                    i as f64 / n as f64,
                    j as f64 / n as f64,
                    height(i, j),
                ));
            }
        }
        let mut tris = Vec::new();
        let id = |i: usize, j: usize| (j * (n + 1) + i) as u32;
        for j in 0..n {
            for i in 0..n {
                tris.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
                tris.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
            }
        }
        (Topology::new(tris, points.len()), points)
    }

    fn surfaces() -> Vec<(&'static str, Topology, Vec<V3>)> {
        let hash = |i: usize, j: usize| generate::hashed((i * 101 + j) as u64);
        let (flat, pf) = field(8, |_, _| 0.0);
        let (rough, pr) = field(8, move |i, j| 0.08 * hash(i, j));
        let (valley, pv) = field(8, |i, _| 0.1 * (i as f64 - 4.0).abs());
        let (ball_p, ball_t) = generate::icosphere(2, 0.5);
        let (torus_p, torus_t) = generate::torus(24, 12, 0.5, 0.2);
        let n = ball_p.len();
        let m = torus_p.len();
        vec![
            ("flat", flat, pf),
            ("rough", rough, pr),
            ("valley", valley, pv),
            ("ball", Topology::new(ball_t, n), ball_p),
            ("torus", Topology::new(torus_t, m), torus_p),
        ]
    }

    struct Case {
        t: u32,
        w: [f64; 3],
        z: V3,
        mu: f64,
    }

    fn case(mesh: &Topology, points: &[V3], random: &mut Random, i: usize) -> Case {
        let t = (random.number() * mesh.triangles.len() as f64) as u32;
        let mut w = [random.number(), random.number(), random.number()];
        if i.is_multiple_of(4) {
            w[0] = 0.0;
        }
        if i.is_multiple_of(8) {
            w[1] = 0.0;
        }
        let sum: f64 = w.iter().sum();
        let w = w.map(|x| x / sum);
        let at = |v: u32| points[v as usize];
        let x: V3 = (0..3)
            .map(|k| at(mesh.triangles[t as usize][k]) * w[k])
            .sum();
        let n = end_normal(mesh, &at, t, End::Triangle);
        let z = x - n * (0.02 * random.number())
            + random.vector() * if i.is_multiple_of(3) { 0.15 } else { 0.02 };
        Case {
            t,
            w,
            z,
            mu: [0.3, 0.0, 1.0, 10.0][i % 4],
        }
    }

    #[test]
    fn walks_end_on_the_surface_in_the_cone_no_farther_and_stay() {
        for (name, mesh, points) in surfaces() {
            let at = |v: u32| points[v as usize];
            let at_r = |v: u32| fixed::<f64>(&points[v as usize]);
            let mut random = Random::new(5);
            let (mut longest, mut moved, mut on_edges) = (0, 0, 0);
            for i in 0..20_000 {
                let c = case(&mesh, &points, &mut random, i);
                let walked = walk(&mesh, &at_r, c.t, c.w, c.z.into(), c.mu);
                assert!(!walked.unfinished, "{name} {i}: every walk ends");
                longest = longest.max(walked.states.len());
                let (y, w) = (values(walked.y), values(walked.weights));
                let tri = mesh.triangles[walked.triangle as usize];
                let on: V3 = (0..3).map(|k| at(tri[k]) * w[k]).sum();
                assert!(w.iter().all(|x| *x >= -1e-12), "{name} {i}: weights {w}");
                assert_small((on - y).norm(), 1.0, 1e-13, "Y is the point of its weights");
                let x: V3 = (0..3)
                    .map(|k| at(mesh.triangles[c.t as usize][k]) * c.w[k])
                    .sum();
                assert!(
                    (y - c.z).norm() <= (x - c.z).norm() * (1.0 + 1e-12),
                    "{name} {i}: |Y - Z| never grows"
                );
                moved += usize::from(walked.states.len() > 1);
                let again = walk(&mesh, &at_r, walked.triangle, w.into(), c.z.into(), c.mu);
                if c.mu > 0.0 {
                    assert_small(
                        (values(again.y) - y).norm(),
                        1.0,
                        4e-14,
                        &format!(
                            "{name} {i}: P(Y, Z) = Y, {:?} {:?}",
                            walked.states, again.states
                        ),
                    );
                }
                // The cone of the end's own relaxation: about the normal of a triangle, or across the line of an edge.
                let cone = match walked.end {
                    End::Triangle => {
                        let n = end_normal(&mesh, &at, walked.triangle, walked.end);
                        let height = (y - c.z).dot(&n);
                        Some((((y - c.z) - n * height).norm(), height))
                    }
                    End::Edge(k) => {
                        let [a, b] = [1, 2].map(|j| at(tri[(k + j) % 3]));
                        let along = (b - a).normalize();
                        let slide = (y - c.z).dot(&along);
                        Some((slide.abs(), ((y - c.z) - along * slide).norm()))
                    }
                    End::Vertex(_) => None,
                };
                if let Some((slide, height)) = cone
                    && height > 0.0
                    && !(walked.states.len() > 1 && c.mu == 0.0)
                {
                    assert!(
                        slide <= c.mu * height + 3e-14,
                        "{name} {i}: cone {slide} > {} * {height}, {:?}",
                        c.mu,
                        walked.end
                    );
                    on_edges += usize::from(walked.end != End::Triangle);
                }
            }
            assert!(
                longest <= 10,
                "{name}: longest walk {longest} (the prototype's: 10)"
            );
            assert!(on_edges > 100 || name == "flat", "{name}: {on_edges}");
            assert!(moved > 100, "{name}: the test walks over edges");
        }
    }

    #[test]
    fn walks_over_a_flat_mesh_equal_the_plane() {
        let (mesh, points) = field(12, |_, _| 0.0);
        let at = |v: u32| fixed::<f64>(&points[v as usize]);
        let plane = Shape::Plane {
            normal: V3::z(),
            offset: 0.0,
        };
        let mut random = Random::new(9);
        let mut far = 0;
        for i in 0..20_000 {
            let mut c = case(&mesh, &points, &mut random, i);
            c.z = V3::new(
                0.05 + 0.9 * random.number(),
                0.05 + 0.9 * random.number(),
                -0.05 * random.number(),
            );
            let x: V3 = (0..3)
                .map(|k| points[mesh.triangles[c.t as usize][k] as usize] * c.w[k])
                .sum();
            let walked = walk(&mesh, &at, c.t, c.w, c.z.into(), c.mu);
            far += usize::from(walked.states.len() > 3);
            let want = V3::from(relax::<f64>(&plane, &x, c.z.into(), c.mu).y);
            assert_small(
                (values(walked.y) - want).norm(),
                1.0,
                7e-14,
                "triangles of one plane are that plane",
            );
        }
        assert!(far > 5000, "walks of many triangles: {far}");
    }

    #[test]
    fn derivatives_through_the_walk_are_those_of_finite_differences() {
        for (name, mesh, points) in surfaces() {
            let mut random = Random::new(13);
            let (mut compared, step) = (0, 1e-7);
            for i in 0..3000 {
                let c = case(&mesh, &points, &mut random, i);
                let value = |shift: V3, vertex: Option<u32>| {
                    let at = |v: u32| {
                        fixed::<f64>(
                            &(points[v as usize]
                                + if Some(v) == vertex {
                                    shift
                                } else {
                                    V3::zeros()
                                }),
                        )
                    };
                    let z = if vertex.is_none() { c.z + shift } else { c.z };
                    walk(&mesh, &at, c.t, c.w, z.into(), c.mu)
                };
                let centre = value(V3::zeros(), None);
                let mut inputs = vec![None];
                inputs.extend(participants(&mesh, &centre.visited).into_iter().map(Some));
                for input in inputs {
                    let at = |v: u32| {
                        if Some(v) == input {
                            variable(&points[v as usize])
                        } else {
                            fixed(&points[v as usize])
                        }
                    };
                    let z = if input.is_none() {
                        variable(&c.z)
                    } else {
                        fixed(&c.z)
                    };
                    let dual = walk(&mesh, &at, c.t, c.w.map(Real::constant), z, c.mu);
                    assert_eq!(values(dual.y), values(centre.y), "duals take the same walk");
                    let exact = slopes(dual.y);
                    for j in 0..3 {
                        let mut e = V3::zeros();
                        e[j] = step;
                        let (a, b) = (value(e, input), value(-e, input));
                        if a.states != b.states
                            || a.visited != b.visited
                            || a.states != centre.states
                            || exact.norm() > 20.0
                        {
                            continue;
                        }
                        let slope = (values(a.y) - values(b.y)) / (2.0 * step);
                        let curved =
                            (values(a.y) + values(b.y) - 2.0 * values(centre.y)).norm() / step;
                        if curved > 1e-6 {
                            continue;
                        }
                        compared += 1;
                        assert_small(
                            (slope - exact.column(j)).norm(),
                            1.0,
                            1e-6,
                            &format!("{name} {i}: derivative of the walk {:?}", dual.states),
                        );
                    }
                }
            }
            assert!(compared > 5000, "{name}: few kinks among {compared}");
        }
    }
}
