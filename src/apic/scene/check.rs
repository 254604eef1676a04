//! Whether a scene makes sense, and where in the file it doesn't.

use super::{ENDS, FEWEST, Kind, MOST_CELLS, Scene, SceneError, end_of};

/// The first fault found.
struct Checks {
    fault: Option<(String, String, String)>,
}

impl Checks {
    fn that(&mut self, good: bool, key: &str, value: impl ToString, range: &str) {
        if self.fault.is_none() && !good {
            self.fault = Some((key.to_owned(), value.to_string(), range.to_owned()));
        }
    }

    /// As many finite numbers as dimensions, or none if that is allowed.
    fn vector(&mut self, key: &str, value: &[f64], n: usize, may_be_missing: bool) {
        let good = (value.len() == n || (may_be_missing && value.is_empty()))
            && value.iter().all(|v| v.is_finite());
        self.that(
            good,
            key,
            format!("{value:?}"),
            "one finite number for each dimension",
        );
    }

    fn positive(&mut self, key: &str, value: f64) {
        self.that(value > 0.0 && value.is_finite(), key, value, "positive");
    }
}

impl Scene {
    /// Whether all values are in range.
    ///
    /// # Errors
    /// [`SceneError::Value`] for the first that isn't.
    pub fn validate(&self) -> Result<(), SceneError> {
        let mut checks = Checks { fault: None };
        self.domain(&mut checks);
        if checks.fault.is_none() {
            self.flow(&mut checks);
            self.ends_and_bodies(&mut checks);
        }
        match checks.fault {
            Some((key, value, range)) => Err(SceneError::Value {
                line: 0,
                key,
                value,
                range,
            }),
            None => Ok(()),
        }
    }

    fn domain(&self, checks: &mut Checks) {
        let d = self.low.len();
        let is_name = !self.name.is_empty()
            && self
                .name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        checks.that(
            is_name,
            "name",
            format!("{:?}", self.name),
            "letters, digits, `-` and `_`: it names the folder of results",
        );
        checks.that(
            d == 2 || d == 3,
            "low",
            format!("{:?}", self.low),
            "2 or 3 numbers",
        );
        checks.vector("low", &self.low, d, false);
        checks.vector("high", &self.high, d, false);
        let n_good = self.cells.len() == d && self.cells.iter().all(|n| *n >= FEWEST);
        checks.that(
            n_good,
            "cells",
            format!("{:?}", self.cells),
            "one number for each dimension, at least 4",
        );
        if checks.fault.is_some() {
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
        checks.vector("gravity", &self.gravity, d, true);
        checks.vector("start.velocity", &self.start.velocity, d, true);
        checks.positive("start.wave", self.start.wave);
        if let Some(kick) = &self.start.kick {
            checks.vector("start.kick.centre", &kick.centre, d, false);
            checks.vector("start.kick.velocity", &kick.velocity, d, false);
            checks.positive("start.kick.width", kick.width);
        }
        for (name, size) in &self.sizes {
            let good = size.cells.len() == d && size.cells.iter().all(|n| *n >= FEWEST);
            checks.that(
                good,
                &format!("sizes.{name}.cells"),
                format!("{:?}", size.cells),
                "one number for each dimension, at least 4",
            );
            if let Some(duration) = size.duration {
                checks.positive(&format!("sizes.{name}.duration"), duration);
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
            checks.that(good, &format!("sides.{name}"), "no end", &known());
            checks.vector(&format!("sides.{name}.velocity"), &side.velocity, d, true);
        }
        for ends in &ENDS[..d] {
            let periodic =
                ends.map(|e| self.sides.get(e).is_some_and(|s| s.kind == Kind::Periodic));
            checks.that(
                periodic[0] == periodic[1],
                &format!("sides.{}", ends[usize::from(!periodic[0])]),
                "periodic",
                "periodic at both ends or at none",
            );
        }
        for (k, patch) in self.patch.iter().enumerate() {
            let end = end_of(&patch.side).filter(|(dim, _)| *dim < d);
            checks.that(
                end.is_some(),
                &format!("patch[{k}].side"),
                format!("{:?}", patch.side),
                &known(),
            );
            checks.vector(&format!("patch[{k}].low"), &patch.low, d, false);
            checks.vector(&format!("patch[{k}].high"), &patch.high, d, false);
            checks.vector(&format!("patch[{k}].velocity"), &patch.velocity, d, true);
            let on_periodic = self
                .sides
                .get(&patch.side)
                .is_some_and(|s| s.kind == Kind::Periodic);
            checks.that(
                patch.kind != Kind::Periodic && !on_periodic,
                &format!("patch[{k}].kind"),
                "periodic",
                "slip, no-slip, inflow or free, on an end that isn't periodic",
            );
            if let Some(until) = patch.until {
                checks.that(
                    until >= 0.0,
                    &format!("patch[{k}].until"),
                    until,
                    "at least 0",
                );
            }
        }
        for (k, body) in self.body.iter().enumerate() {
            match body.radius {
                Some(radius) => {
                    checks.vector(&format!("body[{k}].centre"), &body.centre, d, false);
                    checks.positive(&format!("body[{k}].radius"), radius);
                }
                None => {
                    checks.vector(&format!("body[{k}].low"), &body.low, d, false);
                    checks.vector(&format!("body[{k}].high"), &body.high, d, false);
                }
            }
        }
    }
}

/// The line of a key such as `patch[2].side` in a file, from 1; of its table where the key isn't there.
pub(super) fn line_of(text: &str, key: &str) -> usize {
    let mut from = 0;
    let mut best = 0;
    for part in key.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse().unwrap_or(0)),
            None => (part, 0usize),
        };
        let names = |line: &str| {
            let line = line.trim_start();
            let head = line.trim_start_matches('[');
            let head = head.rsplit_once('.').map_or(head, |(before, last)| {
                if head.len() < line.len() && !before.contains(['=', ' ']) {
                    last
                } else {
                    head
                }
            });
            head.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['=', ' ', ']', '.']))
                || line.contains(&format!("{name} = "))
        };
        let found = text
            .lines()
            .enumerate()
            .skip(from)
            .filter(|(_, line)| names(line))
            .nth(index);
        let Some((at, _)) = found else { break };
        best = at + 1;
        from = at;
    }
    best.max(1)
}

#[cfg(test)]
mod tests {
    use crate::scene::{Scene, SceneError};

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
                Err(SceneError::Value {
                    key: found,
                    line: at,
                    ..
                }) => assert_eq!((found.as_str(), at), (key, line), "{to}"),
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
