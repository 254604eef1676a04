//! From a scene to its model and first state: meshes, points, masses, who touches whom.

use crate::closed::{Closed, Moments};
use crate::generate;
use crate::material::Material;
use crate::mesh::boundary;
use crate::model::{
    BodyInfo, Frame, Kind, Mesh, Model, Object, Particle, Source, Spring, Surface, Tet, runs,
};
use crate::real::{M3, V3};
use crate::scene::{BodySpec, Scene, ShapeSpec, SurfaceSpec};
use crate::shape::Shape;
use crate::state::{Rigid, State};
use nalgebra::{Rotation3, UnitQuaternion};
use std::collections::BTreeMap;

/// Stiffness of a cloth's edges and of its bending, N (the paper's).
const EDGE: f64 = 1000.0 / (1.0 + std::f64::consts::SQRT_2);
const BEND: f64 = 200.0 / (1.0 + std::f64::consts::SQRT_2);

struct Assembly {
    model: Model,
    state: State,
    stiffness: f64,
    by_area: bool,
}

/// The model and first state of a checked scene in order of arrival, with its first `n_present` bodies.
pub(crate) fn assemble(scene: &Scene, n_present: usize) -> (Model, State) {
    let model = Model {
        gravity: scene.gravity.into(),
        dt: scene.time_step,
        mu: scene.friction,
        dx: scene.grid_spacing.unwrap_or(1.0),
        coupling: scene.coupling,
        bodies: Vec::new(),
        particles: Vec::new(),
        runs: Vec::new(),
        objects: Vec::new(),
        tets: Vec::new(),
        springs: Vec::new(),
        materials: Vec::new(),
        layers: Vec::new(),
        pinned: Vec::new(),
    };
    let mut a = Assembly {
        model,
        state: State::default(),
        stiffness: scene.stiffness,
        by_area: scene.stiffness_by_area,
    };
    for plane in &scene.plane {
        let raw = V3::from(plane.normal);
        let body = a.model.bodies.len() as u32;
        let shape = Shape::Plane {
            normal: raw.normalize(),
            offset: plane.offset,
        };
        let frame = Frame::Fixed {
            x: V3::zeros(),
            q: UnitQuaternion::identity(),
        };
        a.model.objects.push(Object {
            body,
            frame,
            surface: Surface::LevelSet(shape),
            self_contact: false,
        });
        a.model.bodies.push(info(plane.name.clone(), Kind::Fixed));
    }
    for body in &scene.body[..n_present] {
        match body.kind {
            Kind::Rigid => a.rigid(body),
            Kind::Fixed => a.fixed(body),
            Kind::Deformable => a.deformable(body),
            Kind::Cloth => a.cloth(body),
            Kind::Points => a.points(body),
        }
    }
    a.model.runs = runs(&a.model.particles);
    a.state.attachments = vec![Vec::new(); a.model.objects.len()];
    (a.model, a.state)
}

fn info(name: String, kind: Kind) -> BodyInfo {
    BodyInfo {
        name,
        kind,
        first: 0,
        count: 0,
        points: Vec::new(),
        triangles: Vec::new(),
        pose: (V3::zeros(), UnitQuaternion::identity()),
        is_sand: false,
    }
}

fn surface_of(shape: &ShapeSpec) -> (Vec<V3>, Vec<[u32; 3]>) {
    match shape {
        ShapeSpec::Box { sides, cells } => {
            let (points, tets) = generate::solid_box(&(V3::from(*sides) / 2.0), *cells);
            trimmed(points, &boundary(&tets))
        }
        ShapeSpec::Ball { radius, level, .. } => generate::icosphere(*level, *radius),
        ShapeSpec::Torus {
            major,
            minor,
            cells,
        } => generate::torus(cells[0], cells[1], *major, *minor),
        // Meshes have their own centre and axes: see `rigid_mesh`.
        ShapeSpec::Sheet { .. }
        | ShapeSpec::Cone { .. }
        | ShapeSpec::Bowl { .. }
        | ShapeSpec::Mesh(_) => (Vec::new(), Vec::new()),
    }
}

/// A rigid mesh in its own frame, that of its centre and principal axes.
struct RigidMesh {
    points: Vec<V3>,
    triangles: Vec<[u32; 3]>,
    moments: Moments,
}

fn rigid_mesh(shape: &ShapeSpec) -> Option<RigidMesh> {
    let closed = closed(shape)?;
    let moments = closed.moments();
    let into = moments.axes.transpose();
    let (points, triangles) = trimmed(closed.points, &closed.triangles);
    Some(RigidMesh {
        points: points.iter().map(|p| into * (p - moments.centre)).collect(),
        triangles,
        moments,
    })
}

/// The solid of a checked mesh.
fn closed(shape: &ShapeSpec) -> Option<Closed> {
    match shape {
        ShapeSpec::Mesh(mesh) => mesh.closed().ok(),
        _ => None,
    }
}

/// Only the points that triangles use.
fn trimmed(points: Vec<V3>, triangles: &[[u32; 3]]) -> (Vec<V3>, Vec<[u32; 3]>) {
    let mut number = BTreeMap::new();
    for v in triangles.iter().flatten() {
        number.insert(*v, 0u32);
    }
    for (i, n) in number.values_mut().enumerate() {
        *n = i as u32;
    }
    let kept = number.keys().map(|&v| points[v as usize]).collect();
    (
        kept,
        triangles.iter().map(|t| t.map(|v| number[&v])).collect(),
    )
}

fn level_set_of(shape: &ShapeSpec) -> Option<Shape> {
    match shape {
        ShapeSpec::Box { sides, .. } => Some(Shape::Cuboid {
            half: V3::from(*sides) / 2.0,
        }),
        ShapeSpec::Ball { radius, .. } => Some(Shape::Ball { radius: *radius }),
        ShapeSpec::Torus { major, minor, .. } => Some(Shape::Torus {
            major: *major,
            minor: *minor,
        }),
        ShapeSpec::Bowl { radius } => Some(Shape::Bowl { radius: *radius }),
        ShapeSpec::Sheet { .. } | ShapeSpec::Cone { .. } | ShapeSpec::Mesh(_) => None,
    }
}

/// Principal moments of inertia of the solid a kilogram, m^2.
fn inertia_of(shape: &ShapeSpec) -> V3 {
    match shape {
        ShapeSpec::Box {
            sides: [a, b, c], ..
        } => V3::new(b * b + c * c, c * c + a * a, a * a + b * b) / 12.0,
        ShapeSpec::Ball { radius, .. } => V3::repeat(0.4 * radius * radius),
        ShapeSpec::Torus { major, minor, .. } => {
            let (r2, t2) = (major * major, minor * minor);
            V3::new(0.5 * r2 + 0.625 * t2, 0.5 * r2 + 0.625 * t2, r2 + 0.75 * t2)
        }
        ShapeSpec::Sheet { .. }
        | ShapeSpec::Cone { .. }
        | ShapeSpec::Bowl { .. }
        | ShapeSpec::Mesh(_) => V3::repeat(1.0),
    }
}

fn turned(spec: &BodySpec) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(V3::from(spec.rotation))
}

impl Assembly {
    /// Contact stiffness of each vertex of a surface, N/m; by area that of those on triangles is the scene's on average.
    fn stiffness_of(&self, points: &[V3], triangles: &[[u32; 3]]) -> Vec<f64> {
        if !self.by_area {
            return vec![self.stiffness; points.len()];
        }
        let mut areas = vec![0.0; points.len()];
        for t in triangles {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            t.iter().for_each(|v| areas[*v as usize] += area / 3.0);
        }
        let on_surface = areas.iter().filter(|area| **area > 0.0).count().max(1);
        let mean = areas.iter().sum::<f64>() / on_surface as f64;
        areas
            .iter()
            .map(|area| self.stiffness * area / mean)
            .collect()
    }

    fn surface(
        &mut self,
        body: u32,
        frame: Frame,
        spec: &BodySpec,
        mesh: (Vec<V3>, Vec<[u32; 3]>),
    ) {
        let level_set = level_set_of(&spec.shape);
        let use_level_set =
            spec.surface == SurfaceSpec::LevelSet || matches!(spec.shape, ShapeSpec::Bowl { .. });
        let surface = match (spec.surface, level_set) {
            (SurfaceSpec::None, _) => return,
            (_, Some(shape)) if use_level_set => Surface::LevelSet(shape),
            _ => Surface::Mesh(Mesh::rigid(mesh.0, mesh.1)),
        };
        self.model.objects.push(Object {
            body,
            frame,
            surface,
            self_contact: false,
        });
    }

    fn rigid(&mut self, spec: &BodySpec) {
        let body = self.model.bodies.len() as u32;
        let rigid = self.state.rigids.len() as u32;
        let mut pose = (V3::from(spec.position), turned(spec));
        let mut inertia = inertia_of(&spec.shape);
        let (mut points, mut triangles) = surface_of(&spec.shape);
        if let Some(mesh) = rigid_mesh(&spec.shape) {
            let m = &mesh.moments;
            pose.0 += pose.1 * m.centre;
            pose.1 *=
                UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(m.axes));
            inertia = m.inertia;
            (points, triangles) = (mesh.points, mesh.triangles);
        }
        let w = V3::from(spec.angular_velocity);
        self.state.rigids.push(Rigid {
            x: pose.0,
            q: pose.1,
            // As for all bodies, the velocity is that of the position, which a mesh need not have its centre of mass at.
            v: V3::from(spec.velocity) + w.cross(&(pose.0 - V3::from(spec.position))),
            w,
            mass: spec.mass,
            inertia: inertia * spec.mass,
        });
        let of_vertices = self.stiffness_of(&points, &triangles);
        let particles = points.iter().zip(of_vertices).map(|(r, k)| Particle {
            source: Source::Rigid { rigid, r: *r },
            body,
            k,
        });
        self.model.particles.extend(particles);
        self.surface(
            body,
            Frame::Rigid(rigid),
            spec,
            (points.clone(), triangles.clone()),
        );
        self.model.bodies.push(BodyInfo {
            first: rigid as usize,
            count: 1,
            points,
            triangles,
            pose,
            ..info(spec.name.clone(), Kind::Rigid)
        });
    }

    fn fixed(&mut self, spec: &BodySpec) {
        let body = self.model.bodies.len() as u32;
        let (points, triangles) = match closed(&spec.shape) {
            Some(mesh) => trimmed(mesh.points, &mesh.triangles),
            None => surface_of(&spec.shape),
        };
        let pose = (V3::from(spec.position), turned(spec));
        self.surface(
            body,
            Frame::Fixed {
                x: pose.0,
                q: pose.1,
            },
            spec,
            (points.clone(), triangles.clone()),
        );
        self.model.bodies.push(BodyInfo {
            points,
            triangles,
            pose,
            ..info(spec.name.clone(), Kind::Fixed)
        });
    }

    /// Adds nodes with the spec's motion; masses follow.
    fn nodes(&mut self, spec: &BodySpec, points: &[V3]) -> usize {
        let first = self.state.nodes.x.len();
        let (x, q, w) = (
            V3::from(spec.position),
            turned(spec),
            V3::from(spec.angular_velocity),
        );
        for p in points {
            let arm = q * p;
            self.state.nodes.x.push(x + arm);
            self.state
                .nodes
                .v
                .push(V3::from(spec.velocity) + w.cross(&arm));
            self.state.nodes.mass.push(0.0);
        }
        first
    }

    fn deformable(&mut self, spec: &BodySpec) {
        let body = self.model.bodies.len() as u32;
        let (points, tets) = match &spec.shape {
            ShapeSpec::Ball {
                radius,
                level,
                shells,
                ..
            } => generate::solid_ball(*level, *shells, *radius),
            ShapeSpec::Torus {
                major,
                minor,
                cells,
            } => generate::solid_torus(cells[0], cells[1], *major, *minor),
            ShapeSpec::Box { sides, cells } => {
                generate::solid_box(&(V3::from(*sides) / 2.0), *cells)
            }
            ShapeSpec::Mesh(mesh) => closed(&spec.shape)
                .map(|solid| solid.steps(mesh.spacing.unwrap_or(1.0)))
                .unwrap_or_default(),
            ShapeSpec::Sheet { .. } | ShapeSpec::Cone { .. } | ShapeSpec::Bowl { .. } => {
                (Vec::new(), Vec::new())
            }
        };
        let first = self.nodes(spec, &points);
        let material = Material::elastic(spec.young.unwrap_or(1e6), spec.poisson.unwrap_or(0.45));
        let volume_of = |t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|i| points[i as usize]);
            (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
        };
        let whole: f64 = tets.iter().map(volume_of).sum();
        // Elements are measured in the body's own frame; the map to the world turns with them.
        let q = turned(spec).to_rotation_matrix().into_inner();
        for t in &tets {
            let [a, b, c, d] = t.map(|i| q * points[i as usize]);
            let inverse = M3::from_columns(&[b - a, c - a, d - a])
                .try_inverse()
                .expect("elements have volume");
            let rows: [V3; 3] = [0, 1, 2].map(|i| inverse.row(i).transpose());
            let slopes = [-(rows[0] + rows[1] + rows[2]), rows[0], rows[1], rows[2]];
            let nodes = t.map(|v| v + first as u32);
            let volume = volume_of(t);
            for n in nodes {
                self.state.nodes.mass[n as usize] += 0.25 * spec.mass * volume / whole;
            }
            self.model.tets.push(Tet {
                nodes,
                slopes,
                volume,
                material,
            });
        }
        let triangles = boundary(&tets);
        let mut on_surface: Vec<u32> = triangles.iter().flatten().copied().collect();
        on_surface.sort_unstable();
        on_surface.dedup();
        let of_vertices = self.stiffness_of(&points, &triangles);
        let particles = on_surface.iter().map(|v| Particle {
            source: Source::Node(v + first as u32),
            body,
            k: of_vertices[*v as usize],
        });
        self.model.particles.extend(particles);
        if spec.surface != SurfaceSpec::None {
            let surface = Surface::Mesh(Mesh::deformable(triangles.clone(), points.len(), false));
            self.model.objects.push(Object {
                body,
                frame: Frame::Nodes(first as u32),
                surface,
                self_contact: spec.self_contact,
            });
        }
        self.model.bodies.push(BodyInfo {
            first,
            count: points.len(),
            triangles,
            ..info(spec.name.clone(), Kind::Deformable)
        });
    }

    fn cloth(&mut self, spec: &BodySpec) {
        let ShapeSpec::Sheet { side, cells } = spec.shape else {
            return;
        };
        let body = self.model.bodies.len() as u32;
        let (points, triangles) = generate::sheet(side, cells);
        let first = self.nodes(spec, &points);
        let whole = side * side;
        let mut opposite: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for t in &triangles {
            let [a, b, c] = t.map(|v| points[v as usize]);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            for i in 0..3 {
                self.state.nodes.mass[first + t[i] as usize] += spec.mass * area / whole / 3.0;
                let (u, v) = (t[(i + 1) % 3], t[(i + 2) % 3]);
                opposite.entry((u.min(v), u.max(v))).or_default().push(t[i]);
            }
        }
        let mut spring = |u: u32, v: u32, stiffness: f64| {
            let rest = (points[u as usize] - points[v as usize]).norm();
            self.model.springs.push(Spring {
                ends: [u + first as u32, v + first as u32],
                rest,
                stiffness,
            });
        };
        for ((u, v), others) in &opposite {
            spring(*u, *v, EDGE);
            if let [p, q] = others[..] {
                spring(p, q, BEND);
            }
        }
        if spec.corners_fixed {
            let n = cells + 1;
            self.model
                .pinned
                .extend([0, cells, n * cells, n * n - 1].map(|v| (first + v) as u32));
        }
        let of_vertices = self.stiffness_of(&points, &triangles);
        let particles = (first as u32..).zip(of_vertices).map(|(v, k)| Particle {
            source: Source::Node(v),
            body,
            k,
        });
        self.model.particles.extend(particles);
        let surface = Surface::Mesh(Mesh::deformable(triangles.clone(), points.len(), true));
        self.model.objects.push(Object {
            body,
            frame: Frame::Nodes(first as u32),
            surface,
            self_contact: spec.self_contact,
        });
        self.model.bodies.push(BodyInfo {
            first,
            count: points.len(),
            triangles,
            ..info(spec.name.clone(), Kind::Cloth)
        });
    }

    fn points(&mut self, spec: &BodySpec) {
        let body = self.model.bodies.len() as u32;
        let first = self.state.points.x.len();
        let (local, volume) = match &spec.shape {
            ShapeSpec::Box { sides, cells } => {
                let mut all = Vec::new();
                for k in 0..cells[2] {
                    for j in 0..cells[1] {
                        for i in 0..cells[0] {
                            let at = |m: usize, n: usize| (m as f64 + 0.5) / n as f64 - 0.5;
                            let [a, b, c] = cells;
                            all.push(
                                V3::new(at(i, *a), at(j, *b), at(k, *c))
                                    .component_mul(&V3::from(*sides)),
                            );
                        }
                    }
                }
                let volume = sides.iter().product::<f64>() / all.len() as f64;
                (all, volume)
            }
            ShapeSpec::Ball {
                radius, spacing, ..
            } => {
                let h = spacing.unwrap_or(0.1 * radius);
                let all = lattice(&V3::repeat(*radius), h, |p| p.norm() <= *radius);
                let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) / all.len() as f64;
                (all, volume)
            }
            ShapeSpec::Cone {
                radius,
                height,
                spacing,
            } => {
                let inside = |p: &V3| p.xy().norm() <= radius * (0.5 - p.z / height);
                let all = lattice(&V3::new(*radius, *radius, 0.5 * height), *spacing, inside);
                let volume =
                    std::f64::consts::PI * radius * radius * height / 3.0 / all.len() as f64;
                (all, volume)
            }
            ShapeSpec::Mesh(mesh) => match closed(&spec.shape) {
                Some(solid) => {
                    let all = solid.fill(mesh.spacing.unwrap_or(1.0));
                    let volume = solid.moments().volume / all.len() as f64;
                    (all, volume)
                }
                None => (Vec::new(), 0.0),
            },
            ShapeSpec::Torus { .. } | ShapeSpec::Sheet { .. } | ShapeSpec::Bowl { .. } => {
                (Vec::new(), 0.0)
            }
        };
        let material = match spec.sand {
            Some(angle) => Material::sand(
                spec.young.unwrap_or(35.37e6),
                spec.poisson.unwrap_or(0.3),
                angle.to_radians(),
            ),
            None => Material::elastic(spec.young.unwrap_or(1e3), spec.poisson.unwrap_or(0.3)),
        };
        let (x, q, w) = (
            V3::from(spec.position),
            turned(spec),
            V3::from(spec.angular_velocity),
        );
        let spin = crate::real::skew(&w);
        let joined = spec.joins.as_ref().and_then(|name| {
            let joined = self.model.bodies.iter().find(|b| b.name == *name)?;
            self.model.layers.get(joined.first).copied()
        });
        let layer = joined.unwrap_or_else(|| self.model.layers.iter().max().map_or(0, |l| l + 1));
        for p in &local {
            let arm = q * p;
            let points = &mut self.state.points;
            points.x.push(x + arm);
            points.v.push(V3::from(spec.velocity) + w.cross(&arm));
            points.affine.push(spin);
            points.gradient.push(M3::identity());
            points.mass.push(spec.mass / local.len() as f64);
            points.volume.push(volume);
            self.model.materials.push(material);
            self.model.layers.push(layer);
            self.model.particles.push(Particle {
                source: Source::Point(points.x.len() as u32 - 1),
                body,
                k: self.stiffness,
            });
        }
        self.model.bodies.push(BodyInfo {
            first,
            count: local.len(),
            is_sand: spec.sand.is_some(),
            ..info(spec.name.clone(), Kind::Points)
        });
    }
}

/// Points of a lattice of spacing `h` about the origin that are inside.
fn lattice(half: &V3, h: f64, inside: impl Fn(&V3) -> bool) -> Vec<V3> {
    let n = half.map(|x| (x / h).ceil() as i64);
    let mut out = Vec::new();
    for k in -n.z..n.z {
        for j in -n.y..n.y {
            for i in -n.x..n.x {
                let p = V3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5) * h;
                if inside(&p) {
                    out.push(p);
                }
            }
        }
    }
    out
}
