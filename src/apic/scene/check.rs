//! Whether a scene makes sense, and where in the file it doesn't.

use stokeslet_dynamics::scene_file::{Checks, SceneFile};

use super::{ENDS, FEWEST, MOST_CELLS, Scene, SideKind, end_of};

impl SceneFile for Scene {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self, checks: &mut Checks) {
        self.domain(checks);
        if checks.is_sound() {
            self.flow(checks);
            self.ends_and_bodies(checks);
        }
    }

    fn sized(&self, size: &str) -> Option<Scene> {
        let found = self.sizes.get(size)?;
        Some(Scene {
            cells: found.cells.clone(),
            duration: found.duration.unwrap_or(self.duration),
            ..self.clone()
        })
    }
}

impl Scene {
    fn domain(&self, checks: &mut Checks) {
        let d = self.low.len();
        checks.that(
            d == 2 || d == 3,
            "low",
            format!("{:?}", self.low),
            "2 or 3 numbers",
        );
        checks.vector("low", &self.low, d);
        checks.vector("high", &self.high, d);
        let n_good = self.cells.len() == d && self.cells.iter().all(|n| *n >= FEWEST);
        checks.that(
            n_good,
            "cells",
            format!("{:?}", self.cells),
            "one number for each dimension, at least 4",
        );
        if !checks.is_sound() {
            return;
        }
        let total = self
            .cells
            .iter()
            .try_fold(1usize, |total, n| total.checked_mul(*n));
        checks.that(
            total.is_some_and(|n| n <= MOST_CELLS),
            "cells",
            format!("{:?}", self.cells),
            "at most 20 million in all",
        );
        for k in 0..d {
            let side = (self.high[k] - self.low[k]) / self.cells[k] as f64;
            checks.that(
                side > 0.0 && side.is_finite(),
                "high",
                format!("{:?}", self.high),
                "above `low`",
            );
            checks.that(
                (side / self.dx() - 1.0).abs() < 1e-6,
                "cells",
                format!("{:?}", self.cells),
                "such that cells are as long along every axis",
            );
        }
    }

    fn flow(&self, checks: &mut Checks) {
        let d = self.dimension();
        checks.positive("step_over_cell", self.step_over_cell);
        checks.positive("duration", self.duration);
        checks.positive("density", self.density);
        checks.optional("gravity", &self.gravity, d);
        checks.optional("start.velocity", &self.start.velocity, d);
        checks.positive("start.wave", self.start.wave);
        if let Some(kick) = &self.start.kick {
            checks.vector("start.kick.centre", &kick.centre, d);
            checks.vector("start.kick.velocity", &kick.velocity, d);
            checks.positive("start.kick.width", kick.width);
        }
        for (name, size) in &self.sizes {
            let good = size.cells.len() == d && size.cells.iter().all(|n| *n >= FEWEST);
            checks.that(
                good,
                format_args!("sizes.{name}.cells"),
                format!("{:?}", size.cells),
                "one number for each dimension, at least 4",
            );
            if let Some(duration) = size.duration {
                checks.positive(format_args!("sizes.{name}.duration"), duration);
            }
        }
    }

    fn ends_and_bodies(&self, checks: &mut Checks) {
        let d = self.dimension();
        let known = || {
            let names: Vec<&str> = ENDS[..d].iter().flatten().copied().collect();
            format!("one of {}", names.join(", "))
        };
        for (name, side) in &self.sides {
            let good = end_of(name).is_some_and(|(dim, _)| dim < d);
            checks.that(good, format_args!("sides.{name}"), "no end", &known());
            checks.optional(format_args!("sides.{name}.velocity"), &side.velocity, d);
        }
        for ends in &ENDS[..d] {
            let periodic = ends.map(|e| {
                self.sides
                    .get(e)
                    .is_some_and(|s| s.kind == SideKind::Periodic)
            });
            checks.that(
                periodic[0] == periodic[1],
                format_args!("sides.{}", ends[usize::from(!periodic[0])]),
                "periodic",
                "periodic at both ends or at none",
            );
        }
        for (k, patch) in self.patch.iter().enumerate() {
            let end = end_of(&patch.side).filter(|(dim, _)| *dim < d);
            checks.that(
                end.is_some(),
                format_args!("patch[{k}].side"),
                format!("{:?}", patch.side),
                &known(),
            );
            checks.vector(format_args!("patch[{k}].low"), &patch.low, d);
            checks.vector(format_args!("patch[{k}].high"), &patch.high, d);
            checks.optional(format_args!("patch[{k}].velocity"), &patch.velocity, d);
            let on_periodic = self
                .sides
                .get(&patch.side)
                .is_some_and(|s| s.kind == SideKind::Periodic);
            checks.that(
                patch.kind != SideKind::Periodic && !on_periodic,
                format_args!("patch[{k}].kind"),
                "periodic",
                "slip, no-slip, inflow or free, on an end that isn't periodic",
            );
            if let Some(until) = patch.until {
                checks.that(
                    until >= 0.0,
                    format_args!("patch[{k}].until"),
                    until,
                    "at least 0",
                );
            }
        }
        for (k, body) in self.body.iter().enumerate() {
            match body.radius {
                Some(radius) => {
                    checks.vector(format_args!("body[{k}].centre"), &body.centre, d);
                    checks.positive(format_args!("body[{k}].radius"), radius);
                }
                None => {
                    checks.vector(format_args!("body[{k}].low"), &body.low, d);
                    checks.vector(format_args!("body[{k}].high"), &body.high, d);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use stokeslet_dynamics::scene_file::{SceneError, SceneFile};

    use crate::scene::Scene;

    const TEXT: &str = "name = \"a\"\nlow = [0, 0]\nhigh = [1, 1]\ncells = [8, 8]\nstep_over_cell = 0.5\nduration = 1\n\n[start]\nflow = \"uniform\"\nvelocity = [1, 0]\n\n[[patch]]\nside = \"y_low\"\nlow = [0, 0]\nhigh = [0.5, 0]\nkind = \"free\"\n";

    #[test]
    fn a_scene_reads_prints_and_reads_again() {
        let scene = Scene::parse(TEXT).unwrap();
        assert_eq!(Scene::parse(&scene.print()).unwrap(), scene);
        assert_eq!((scene.dx(), scene.steps()), (0.125, 16));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (from, to, key, line) in [
            ("y_low", "w_low", "patch[0].side", 13),
            ("[8, 8]", "[8, 9]", "cells", 4),
            ("[8, 8]", "[8, 2]", "cells", 4),
            ("[8, 8]", "[8000000, 8000000]", "cells", 4),
            ("duration = 1", "duration = nan", "duration", 6),
            ("velocity = [1, 0]", "velocity = [1]", "start.velocity", 10),
            ("0.5\n", "-0.5\n", "step_over_cell", 5),
        ] {
            match Scene::parse(&TEXT.replace(from, to)) {
                Err(SceneError::Value { line: at, wrong }) => {
                    assert_eq!((wrong.key.as_str(), at), (key, line), "{to}");
                }
                other => panic!("{to}: {other:?}"),
            }
        }
        match Scene::parse(&TEXT.replace("kind =", "knid =")) {
            Err(SceneError::Text { line, message }) => {
                assert!(message.contains("knid") && line == 16, "{line} {message}");
            }
            other => panic!("{other:?}"),
        }
        let half = format!("{TEXT}\n[sides.x_low]\nkind = \"periodic\"\n");
        let error = Scene::parse(&half).unwrap_err().to_string();
        assert!(
            error.contains("x_high") || error.contains("x_low"),
            "{error}"
        );
    }
}
