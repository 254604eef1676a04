//! What lines tell of a stage: how long neighbours exchange, and the area of the tubes between them.

/// What of one line is read off at its place in a cross-section.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Place in the stage's cross-section.
    pub eta: f64,
    /// `int |u| ds / (Q u(eta))`: equivalent length over width.
    pub lambda: f64,
    /// `Q u(eta)` times the time of the stage: area a width of eta, m^2.
    pub area: f64,
}

/// Lines of a stage, by eta.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(pub Vec<Row>);

impl Table {
    /// Both values at a place, linear between lines and constant beyond the outermost.
    pub fn at(&self, eta: f64) -> (f64, f64) {
        let rows = &self.0;
        let k = rows.partition_point(|r| r.eta < eta);
        match (k.checked_sub(1).map(|k| rows[k]), rows.get(k)) {
            (None, None) => (0.0, 0.0),
            (Some(r), None) => (r.lambda, r.area),
            (None, Some(r)) => (r.lambda, r.area),
            (Some(a), Some(b)) => {
                let t = if b.eta > a.eta {
                    (eta - a.eta) / (b.eta - a.eta)
                } else {
                    0.5
                };
                (
                    a.lambda + t * (b.lambda - a.lambda),
                    a.area + t * (b.area - a.area),
                )
            }
        }
    }

    /// Areas between consecutive places, before [`super::Ways::area_scale`]: exact integrals of what [`Self::at`] says, so that the areas of tubes
    /// add up to that of the whole section however they are cut.
    ///
    /// - `edges`: ascending, in 0..1
    pub fn areas_between(&self, edges: &[f64]) -> Vec<f64> {
        let mut rows = self.0.iter().peekable();
        let Some(&first) = edges.first() else {
            return Vec::new();
        };
        while rows.next_if(|row| row.eta <= first).is_some() {}
        let (mut from, mut of_from) = (first, self.at(first).1);
        let mut trapezium = |to: f64, of_to: f64| {
            let area = (of_from + of_to) / 2.0 * (to - from);
            (from, of_from) = (to, of_to);
            area
        };
        let between = |&to: &f64| {
            let mut area = 0.0;
            while let Some(row) = rows.next_if(|row| row.eta < to) {
                area += trapezium(row.eta, row.area);
            }
            area + trapezium(to, self.at(to).1)
        };
        edges[1..].iter().map(between).collect()
    }

    /// Whether nothing is exchanged.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|r| r.lambda <= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a section is cut, its areas add up; between two places they are what the trapezoidal rule of many steps gives.
    #[test]
    fn areas_between_places_are_integrals_and_add_up() {
        let row = |eta: f64, area: f64| Row {
            eta,
            lambda: 0.0,
            area,
        };
        // Two lines in one place, as where streams meet.
        let table = Table(vec![
            row(0.1, 3.0),
            row(0.4, 1.0),
            row(0.4, 2.0),
            row(0.9, 7.0),
        ]);
        // By hand: constant, two straight lines, constant.
        let whole = 0.1 * 3.0 + 0.3 * 2.0 + 0.5 * 4.5 + 0.1 * 7.0;
        for cuts in [vec![], vec![0.5], vec![0.05, 0.1, 0.25, 0.4, 0.41, 0.95]] {
            let edges = [vec![0.0], cuts, vec![1.0]].concat();
            let areas = table.areas_between(&edges);
            assert_eq!(areas.len(), edges.len() - 1);
            let sum: f64 = areas.iter().sum();
            assert!((sum - whole).abs() < 1e-14, "{edges:?}: {sum}");
            for (area, ends) in areas.iter().zip(edges.windows(2)) {
                let step = (ends[1] - ends[0]) / 20_000.0;
                let middles = (0..20_000).map(|k| ends[0] + (f64::from(k) + 0.5) * step);
                let sum: f64 = middles.map(|eta| table.at(eta).1 * step).sum();
                assert!((area - sum).abs() < 1e-4, "{ends:?}: {area}, {sum}");
            }
        }
        assert!(table.areas_between(&[]).is_empty());
        assert_eq!(Table::default().areas_between(&[0.0, 1.0]), [0.0]);
    }
}
