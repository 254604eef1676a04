//! Rows of tables: what a paper prints, what is accepted, and ours.

/// At which size what a paper ran is run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// Seconds to a minute each.
    #[default]
    Small,
    /// The paper's; minutes for some, much longer for others.
    Paper,
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The study, example or scene it belongs to.
    pub study: String,
    /// What is measured.
    pub name: String,
    /// What the paper prints (P), the exact value, or what the specification measured (M) or computed (C); empty if there is none.
    pub reference: String,
    /// Our number; not-a-number where it wasn't measured.
    pub ours: f64,
    /// Its unit; empty for a ratio.
    pub unit: &'static str,
    /// The range accepted, inclusive; infinite where nothing is claimed.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl Row {
    /// A row that claims nothing yet, of a ratio.
    pub fn new(
        study: impl Into<String>,
        name: impl Into<String>,
        reference: impl Into<String>,
        ours: f64,
    ) -> Self {
        Self {
            study: study.into(),
            name: name.into(),
            reference: reference.into(),
            ours,
            unit: "",
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }

    /// The same in a unit.
    #[must_use]
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// The same, accepted between two numbers.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { low, high, ..self }
    }

    /// The same, accepted from a number on.
    #[must_use]
    pub fn at_least(self, low: f64) -> Self {
        self.within(low, f64::INFINITY)
    }

    /// The same, accepted up to a number.
    #[must_use]
    pub fn at_most(self, high: f64) -> Self {
        self.within(f64::NEG_INFINITY, high)
    }

    /// Whether our number is in the accepted range; what wasn't measured never is.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.low <= self.ours && self.ours <= self.high
    }

    /// The accepted range in words; empty where nothing is claimed.
    #[must_use]
    pub fn accepted(&self) -> String {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => format!("{} to {}", number(self.low), number(self.high)),
            (true, false) => format!("at least {}", number(self.low)),
            (false, true) => format!("at most {}", number(self.high)),
            (false, false) => String::new(),
        }
    }

    /// The row in words, under [`HEAD`].
    #[must_use]
    pub fn cells(&self) -> [String; 6] {
        let ours = match self.ours.is_nan() {
            true => "not measured".to_owned(),
            false => format!("{} {}", number(self.ours), self.unit),
        };
        let verdict = if self.holds() { "" } else { "MISSED" };
        [
            self.study.clone(),
            self.name.clone(),
            self.reference.clone(),
            ours.trim_end().to_owned(),
            self.accepted(),
            verdict.to_owned(),
        ]
    }
}

/// The head of [`Row::cells`].
pub const HEAD: [&str; 6] = ["of", "what", "reference", "ours", "accepted", ""];

fn number(v: f64) -> String {
    match v == 0.0 || (1e-3..1e5).contains(&v.abs()) {
        true => format!("{v:.6}"),
        false => format!("{v:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_measured_never_holds() {
        let row = Row::new("Y1", "a", "", f64::NAN);
        assert!(!row.holds() && !row.clone().at_least(0.0).holds());
        assert_eq!(row.cells()[3], "not measured");
        let row = Row::new("Y1", "a", "", 1.0).unit("s").within(0.5, 1.0);
        assert_eq!(row.cells()[3..], ["1.000000 s", "0.500000 to 1.000000", ""]);
    }
}
