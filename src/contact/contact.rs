//! Pairs of particles and objects: which touch, with what force, and how the force changes with every unknown.
//!
//! A pair is a function of where things are at the start of the step and on trial, and of the attachments that the last accepted
//! step left; nothing here remembers what Newton tried. An attachment lives in its object's own frame, or as weights in a triangle,
//! so a body at rest keeps its bits.

use crate::broad::{Broad, RunBox, run_boxes};
use crate::loops::{Work, each, each_some};
use crate::mesh::{Boxes, bounds, entry, hit_weights, nearest_on_triangle};
use crate::model::{Coupling, Frame, Mesh, Model, Object, Particle, Places, Pose, Source, Surface};
use crate::real::{Dual, M3, R3, Real, V3, fixed, slopes, values, variable};
use crate::shape::{Shape, nearest, relax};
use crate::walk::{End, Walked, end_normal, participants, walk};
use serde::{Deserialize, Serialize};

/// Where a particle's spring is fastened on an object.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Attachment {
    /// A point of a level set, in the object's frame.
    Point(V3),
    /// A point of a mesh.
    Mesh {
        /// Its triangle.
        triangle: u32,
        /// Weights of the triangle's vertices.
        weights: [f64; 3],
        /// 1 where the outer side touches, -1 where the inner side of a sheet does.
        side: i8,
    },
}

/// A pair that touches.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    pub particle: u32,
    pub object: u32,
    pub start: Attachment,
    /// Time of the entry in the step's paths, if the pair is new (on a level set: 1).
    pub fresh: Option<f64>,
    pub moved: Attachment,
    pub z: V3,
    pub y: V3,
    /// Unit normal out of the object, in the world.
    pub normal: V3,
    /// Force of the spring on the particle.
    pub spring: V3,
    /// Force frozen at the start of the step.
    pub frozen: V3,
    pub stuck: bool,
    pub states: u8,
    pub unfinished: bool,
}

impl Contact {
    pub(crate) fn force(&self) -> V3 {
        self.spring + self.frozen
    }
}

/// Forces frozen at the start of a step, by object and particle.
pub(crate) type Frozen = Vec<Vec<(u32, V3)>>;

/// Where everything is on trial.
struct OnTrial<'a> {
    places: &'a Places,
    particles: &'a [V3],
    broad: Broad<'a>,
}

/// Where everything is at the start of a step.
pub(crate) struct Start {
    pub places: Places,
    /// The contact particles.
    pub particles: Vec<V3>,
    /// Around their runs.
    run_boxes: Vec<RunBox>,
}

impl Start {
    pub(crate) fn new(model: &Model, places: Places) -> Start {
        let particles = places.particles(model);
        Start {
            run_boxes: run_boxes(model, &particles),
            places,
            particles,
        }
    }
}

/// One end of a pair: the step's start and a trial.
pub(crate) struct Pairs<'a> {
    pub model: &'a Model,
    pub attachments: &'a [Vec<(u32, Attachment)>],
    pub start: &'a Start,
    pub frozen: Option<&'a Frozen>,
}

fn into_frame(pose: &Pose, p: &V3) -> V3 {
    pose.r.transpose() * (p - pose.x)
}

fn may_touch(object: &Object, particle: &Particle) -> bool {
    object.body != particle.body || object.self_contact
}

fn lookup<T: Copy>(list: &[(u32, T)], particle: u32) -> Option<T> {
    list.binary_search_by_key(&particle, |e| e.0)
        .ok()
        .map(|i| list[i].1)
}

impl Pairs<'_> {
    /// Every pair that touches on trial, by object and particle.
    ///
    /// `mu` is the friction of the relaxation: that of the scene, or 0 where friction is frozen.
    pub(crate) fn touching(&self, trial: &Places, trial_particles: &[V3], mu: f64) -> Vec<Contact> {
        let on_trial = OnTrial {
            places: trial,
            particles: trial_particles,
            broad: Broad::new(self.model, &self.start.run_boxes, trial_particles),
        };
        let on = |o: usize| match &self.model.objects[o].surface {
            Surface::LevelSet(shape) => self.on_level_set(o, shape, &on_trial, mu),
            Surface::Mesh(mesh) => self.on_mesh(o, mesh, &on_trial, mu),
        };
        let over = Work::Over(trial_particles.len());
        let by_object = each(over, self.model.objects.len(), on);
        let mut out: Vec<Contact> = by_object.into_iter().flatten().collect();
        if let Some(frozen) = self.frozen {
            for c in &mut out {
                c.frozen = lookup(&frozen[c.object as usize], c.particle).unwrap_or_else(V3::zeros);
            }
        }
        out
    }

    fn on_level_set(&self, o: usize, shape: &Shape, trial: &OnTrial, mu: f64) -> Vec<Contact> {
        let object = &self.model.objects[o];
        let at = trial.particles;
        let pose = trial.places.pose(&object.frame);
        let reach = shape.half_extent();
        let candidates = trial.broad.reaching(object, None, &pose, (-reach, reach));
        let one = |i: usize| {
            let p = candidates[i] as usize;
            let z = into_frame(&pose, &at[p]);
            if z.iter().zip(reach.iter()).any(|(x, r)| x.abs() >= *r)
                || shape.phi::<f64>(z.into()) >= 0.0
            {
                return None;
            }
            let (x, fresh) = match lookup(&self.attachments[o], p as u32) {
                Some(Attachment::Point(x)) => (x, None),
                _ => (V3::from(nearest::<f64>(shape, z.into())), Some(1.0)),
            };
            let relaxed = relax::<f64>(shape, &x, z.into(), mu);
            let y = V3::from(relaxed.y);
            Some(Contact {
                particle: p as u32,
                object: o as u32,
                start: Attachment::Point(x),
                fresh,
                moved: Attachment::Point(y),
                z: at[p],
                y: pose.x + pose.r * y,
                normal: pose.r * values(shape.normal::<f64>(y.into())),
                spring: pose.r * (y - z) * self.model.particles[p].k,
                frozen: V3::zeros(),
                stuck: relaxed.stuck,
                states: 1,
                unfinished: false,
            })
        };
        each_some(Work::Usual, candidates.len(), one)
    }

    fn on_mesh(&self, o: usize, mesh: &Mesh, trial: &OnTrial, mu: f64) -> Vec<Contact> {
        let object = &self.model.objects[o];
        let (trial, at, broad) = (trial.places, trial.particles, &trial.broad);
        let (pose, before) = (
            trial.pose(&object.frame),
            self.start.places.pose(&object.frame),
        );
        let deformable = match object.frame {
            Frame::Nodes(first) => {
                let n = mesh.topology.fans.len();
                let range = first as usize..first as usize + n;
                Some((&self.start.places.nodes[range.clone()], &trial.nodes[range]))
            }
            _ => None,
        };
        let (low, high) = deformable.map_or((mesh.low, mesh.high), |(a, b)| {
            let (l0, h0) = bounds(a);
            let (l1, h1) = bounds(b);
            (l0.inf(&l1), h0.sup(&h1))
        });
        let attached = &self.attachments[o];
        let reaching = broad.reaching(object, Some(&before), &pose, (low, high));
        let near = |i: usize| {
            let (from, to) = (
                &self.start.particles[reaching[i] as usize],
                &at[reaching[i] as usize],
            );
            // Axis by axis: where one tells, the others aren't asked.
            let is_apart = |axis: usize| {
                let along = |pose: &Pose, x: &V3| pose.r.column(axis).dot(&(x - pose.x));
                let path = [along(&before, from), along(&pose, to)];
                path[0].max(path[1]) < low[axis] || path[0].min(path[1]) > high[axis]
            };
            (!(0..3).any(is_apart)).then_some(reaching[i])
        };
        let mut candidates = each_some(Work::Usual, reaching.len(), near);
        candidates.extend(attached.iter().map(|(p, _)| p));
        candidates.sort(); // two ascending lists: stable sorts merge them
        candidates.dedup();
        if candidates.is_empty() {
            return Vec::new();
        }
        let built;
        let boxes = if let Some((a, b)) = deformable {
            let swept = |t: &[u32; 3]| {
                t.iter()
                    .flat_map(|&v| [a[v as usize], b[v as usize]])
                    .collect()
            };
            built = Boxes::new(mesh.topology.triangles.iter().map(swept));
            &built
        } else {
            mesh.boxes
                .as_ref()
                .expect("a rigid mesh has its boxes from the start")
        };
        let position =
            |v: u32| deformable.map_or_else(|| mesh.points[v as usize], |(_, b)| b[v as usize]);
        let one = |i: usize| {
            let p = candidates[i];
            let path = {
                let (from, to) = (&self.start.particles[p as usize], &at[p as usize]);
                [into_frame(&before, from), into_frame(&pose, to)]
            };
            let (start, fresh) = match lookup(attached, p) {
                Some(x) => (x, None),
                None => self
                    .hit(object, mesh, boxes, deformable, p, path)
                    .map(|(t, x)| (x, Some(t)))?,
            };
            let Attachment::Mesh {
                triangle,
                weights,
                side,
            } = start
            else {
                return None;
            };
            let walked = walk(
                &mesh.topology,
                &|v| fixed::<f64>(&position(v)),
                triangle,
                weights,
                path[1].into(),
                mu,
            );
            let y = values(walked.y);
            let n = end_normal(&mesh.topology, &position, walked.triangle, walked.end)
                * f64::from(side);
            if (y - path[1]).dot(&n) <= 0.0 {
                return None;
            }
            // On an edge the cone stands about the direction from the particle to the edge.
            let up = match walked.end {
                End::Edge(c) => {
                    let t = mesh.topology.triangles[walked.triangle as usize];
                    let e = (position(t[(c + 1) % 3]) - position(t[(c + 2) % 3])).normalize();
                    let d = y - path[1];
                    let across = d - e * e.dot(&d);
                    if across.norm() > 0.0 { across } else { n }
                }
                End::Triangle | End::Vertex(_) => n,
            };
            Some(Contact {
                particle: p,
                object: o as u32,
                start,
                fresh,
                moved: Attachment::Mesh {
                    triangle: walked.triangle,
                    weights: walked.weights,
                    side,
                },
                z: at[p as usize],
                y: pose.x + pose.r * y,
                normal: pose.r * up.normalize(),
                spring: pose.r * (y - path[1]) * self.model.particles[p as usize].k,
                frozen: V3::zeros(),
                stuck: walked.stuck,
                states: walked.states.len() as u8,
                unfinished: walked.unfinished,
            })
        };
        each_some(Work::Heavy, candidates.len(), one)
    }

    /// The first entry of a path into a mesh that the pair isn't registered with.
    fn hit(
        &self,
        object: &Object,
        mesh: &Mesh,
        boxes: &Boxes,
        deformable: Option<(&[V3], &[V3])>,
        p: u32,
        path: [V3; 2],
    ) -> Option<(f64, Attachment)> {
        let own = match (&object.frame, self.model.particles[p as usize].source) {
            (Frame::Nodes(first), Source::Node(i))
                if object.body == self.model.particles[p as usize].body =>
            {
                Some(i - first)
            }
            _ => None,
        };
        let mut best: Option<(f64, Attachment)> = None;
        for t in boxes.near(&path) {
            let tri = mesh.topology.triangles[t as usize];
            if own.is_some_and(|v| tri.contains(&v)) {
                continue;
            }
            let corners = tri.map(|v| {
                deformable.map_or_else(
                    || [mesh.points[v as usize]; 2],
                    |(a, b)| [a[v as usize], b[v as usize]],
                )
            });
            let mut note = |found: Option<(f64, [f64; 3])>, side: i8| {
                if let Some((time, weights)) = found
                    && best.as_ref().is_none_or(|b| time < b.0)
                {
                    best = Some((
                        time,
                        Attachment::Mesh {
                            triangle: t,
                            weights,
                            side,
                        },
                    ));
                }
            };
            note(entry(path, corners), 1);
            if mesh.two_sided {
                let flipped = [corners[0], corners[2], corners[1]];
                note(
                    entry(path, flipped).map(|(time, [a, c, b])| (time, [a, b, c])),
                    -1,
                );
            }
        }
        best
    }

    /// Pairs that already touch at the start of a run: particles inside a mesh, attached at their nearest point. When bodies come in, those of the
    /// first so many particles and objects, which were there before, are left out; at a start there are none.
    pub(crate) fn initial(&self, [particles, objects]: [usize; 2]) -> Vec<Vec<(u32, Attachment)>> {
        let all = self.model.objects.iter().enumerate();
        let particles = |o: usize| if o < objects { particles } else { 0 };
        all.map(|(o, object)| (particles(o), object))
            .map(|(since, object)| match &object.surface {
                Surface::LevelSet(shape) => {
                    let pose = self.start.places.pose(&object.frame);
                    let inside = |p: usize| {
                        let z = into_frame(&pose, &self.start.particles[p]);
                        (may_touch(object, &self.model.particles[p])
                            && shape.phi::<f64>(z.into()) < 0.0)
                            .then(|| {
                                (
                                    p as u32,
                                    Attachment::Point(V3::from(nearest::<f64>(shape, z.into()))),
                                )
                            })
                    };
                    (since..self.start.particles.len())
                        .filter_map(inside)
                        .collect()
                }
                Surface::Mesh(mesh) if !mesh.two_sided => {
                    let pose = self.start.places.pose(&object.frame);
                    let first = if let Frame::Nodes(first) = object.frame {
                        Some(first as usize)
                    } else {
                        None
                    };
                    let position = |v: u32| {
                        first.map_or_else(
                            || mesh.points[v as usize],
                            |f| self.start.places.nodes[f + v as usize],
                        )
                    };
                    let all: Vec<V3> = (0..mesh.topology.fans.len() as u32).map(position).collect();
                    let (low, high) = bounds(&all);
                    let inside = |p: usize| {
                        let particle = &self.model.particles[p];
                        let z = into_frame(&pose, &self.start.particles[p]);
                        if object.body == particle.body
                            || (0..3).any(|i| z[i] < low[i] || z[i] > high[i])
                        {
                            return None;
                        }
                        let mut best = (f64::INFINITY, 0u32, [0.0; 3]);
                        for (t, tri) in mesh.topology.triangles.iter().enumerate() {
                            let (d, w) = nearest_on_triangle(&z, tri.map(position));
                            if d < best.0 {
                                best = (d, t as u32, w);
                            }
                        }
                        let (_, t, w) = best;
                        let tri = mesh.topology.triangles[t as usize];
                        let y: V3 = (0..3).map(|k| position(tri[k]) * w[k]).sum();
                        // The nearest feature's own normal tells inside from outside.
                        let small = 1e-12;
                        let zeros: Vec<usize> = (0..3).filter(|&k| w[k] < small).collect();
                        let end = match zeros.len() {
                            0 => End::Triangle,
                            1 => End::Edge(zeros[0]),
                            _ => End::Vertex((0..3).find(|k| !zeros.contains(k)).unwrap_or(0)),
                        };
                        let n = end_normal(&mesh.topology, &position, t, end);
                        ((y - z).dot(&n) > 0.0).then_some((
                            p as u32,
                            Attachment::Mesh {
                                triangle: t,
                                weights: w,
                                side: 1,
                            },
                        ))
                    };
                    each(Work::Usual, self.start.particles.len() - since, |k| {
                        inside(since + k)
                    })
                    .into_iter()
                    .flatten()
                    .collect()
                }
                Surface::Mesh(_) => Vec::new(),
            })
            .collect()
    }

    /// Forces frozen for a lagged step: the whole spring, or its part along the surface.
    pub(crate) fn freeze(&self) -> Frozen {
        let mu = self.model.mu;
        let now = self.touching(&self.start.places, &self.start.particles, mu);
        let smooth = self.touching(&self.start.places, &self.start.particles, 0.0);
        let mut out: Frozen = vec![Vec::new(); self.model.objects.len()];
        for c in now {
            if lookup(&self.attachments[c.object as usize], c.particle).is_none() {
                continue;
            }
            let force = match self.model.coupling {
                Coupling::LaggedFriction => {
                    let w = smooth
                        .iter()
                        .find(|s| s.particle == c.particle && s.object == c.object);
                    w.map_or_else(V3::zeros, |w| c.spring - w.spring)
                }
                Coupling::Coupled | Coupling::Lagged => c.spring,
            };
            out[c.object as usize].push((c.particle, force));
        }
        out
    }
}

/// Derivatives of a contact's spring.
pub(crate) enum Slope {
    /// World stiffness `k (dY/dZ - I)` of an object with a frame.
    Framed(M3),
    /// Derivatives with respect to the particle and to each vertex (node), of Y and of the three weights.
    Free {
        nodes: [u32; 3],
        weights: V3,
        inputs: Vec<(Option<u32>, M3, M3)>,
    },
}

/// Derivatives of the spring of `contact` by forward duals through the relaxation that made it, its entry included.
pub(crate) fn slope(pairs: &Pairs, contact: &Contact, trial: &Places, mu: f64) -> Slope {
    let model = pairs.model;
    let object = &model.objects[contact.object as usize];
    let pose = trial.pose(&object.frame);
    let z = into_frame(&pose, &contact.z);
    let z0 = into_frame(
        &pairs.start.places.pose(&object.frame),
        &pairs.start.particles[contact.particle as usize],
    );
    let k = model.particles[contact.particle as usize].k;
    let framed = |dy: M3| Slope::Framed(pose.r * (dy - M3::identity()) * pose.r.transpose() * k);
    match (&object.surface, contact.start) {
        (Surface::LevelSet(shape), Attachment::Point(x)) => {
            framed(slopes(if contact.fresh.is_some() {
                nearest(shape, variable(&z))
            } else {
                relax(shape, &x, variable(&z), mu).y
            }))
        }
        (
            Surface::Mesh(mesh),
            Attachment::Mesh {
                triangle, weights, ..
            },
        ) => {
            let corners = mesh.topology.triangles[triangle as usize];
            let begin = |before: &dyn Fn(u32) -> V3,
                         after: &dyn Fn(u32) -> R3<Dual>,
                         z: R3<Dual>| match contact.fresh {
                None => weights.map(Dual::constant),
                Some(time) => hit_weights(
                    time,
                    [fixed(&z0), z],
                    corners.map(|v| [fixed(&before(v)), after(v)]),
                    weights,
                ),
            };
            let Frame::Nodes(first) = object.frame else {
                let at = |v: u32| mesh.points[v as usize];
                let w = begin(&at, &|v| fixed(&at(v)), variable(&z));
                return framed(slopes(
                    walk(
                        &mesh.topology,
                        &|v| fixed(&at(v)),
                        triangle,
                        w,
                        variable(&z),
                        mu,
                    )
                    .y,
                ));
            };
            let at = |v: u32| trial.nodes[(first + v) as usize];
            let before = |v: u32| pairs.start.places.nodes[(first + v) as usize];
            let plain = walk(
                &mesh.topology,
                &|v| fixed::<f64>(&at(v)),
                triangle,
                weights,
                z.into(),
                mu,
            );
            let mut inputs: Vec<Option<u32>> = vec![None];
            inputs.extend(
                participants(&mesh.topology, &plain.visited)
                    .into_iter()
                    .map(Some),
            );
            let one = |input: Option<u32>| {
                let position = |v: u32| {
                    if Some(v) == input {
                        variable(&at(v))
                    } else {
                        fixed(&at(v))
                    }
                };
                let particle = if input.is_none() {
                    variable(&z)
                } else {
                    fixed(&z)
                };
                let w: Walked<_> = walk(
                    &mesh.topology,
                    &position,
                    triangle,
                    begin(&before, &position, particle),
                    particle,
                    mu,
                );
                (input.map(|v| first + v), slopes(w.y), slopes(w.weights))
            };
            let tri = mesh.topology.triangles[plain.triangle as usize];
            Slope::Free {
                nodes: tri.map(|v| first + v),
                weights: values(plain.weights),
                inputs: inputs.into_iter().map(one).collect(),
            }
        }
        _ => framed(M3::identity()),
    }
}
