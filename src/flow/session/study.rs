//! A refinement study: errors against a known solution at several resolutions, and the orders at which they fall.

/// Errors of one resolution against the manufactured solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Resolution: cell edges across a channel.
    pub r: u32,
    /// Unknowns of the assembled system.
    pub unknowns: usize,
    /// Greatest velocity error at a node.
    pub velocity_linf: f64,
    /// L2 norm of the velocity error.
    pub velocity_l2: f64,
    /// Greatest pressure error at a vertex.
    pub pressure_linf: f64,
    /// L2 norm of the pressure error.
    pub pressure_l2: f64,
}

impl Row {
    /// The four errors, in the order of the fields.
    pub fn errors(&self) -> [f64; 4] {
        [
            self.velocity_linf,
            self.velocity_l2,
            self.pressure_linf,
            self.pressure_l2,
        ]
    }

    /// The orders of convergence from `coarse` to this row: `ln(e_coarse / e) / ln(r / r_coarse)` for each of [`Row::errors`].
    ///
    /// NaN where the resolutions are equal or an error is zero.
    pub fn orders(&self, coarse: &Row) -> [f64; 4] {
        let refinement = (f64::from(self.r) / f64::from(coarse.r)).ln();
        let (fine, coarse) = (self.errors(), coarse.errors());
        std::array::from_fn(|k| {
            let order = (coarse[k] / fine[k]).ln() / refinement;
            if order.is_finite() { order } else { f64::NAN }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_falls_eightfold_when_r_doubles_has_order_three() {
        let row = |r, e| Row {
            r,
            unknowns: 0,
            velocity_linf: e,
            velocity_l2: e,
            pressure_linf: e * 2.0,
            pressure_l2: 0.0,
        };
        let orders = row(8, 1.0).orders(&row(4, 8.0));
        assert!((orders[0] - 3.0).abs() < 1e-12, "log2 8 is 3");
        assert!(orders[3].is_nan(), "no order from zero errors");
    }
}
