//! Anderson's mixing: the best combination of the last cycles instead of the last one alone.

use std::collections::VecDeque;

use super::Lcp;
use crate::linear::{Builder, dot, together};
use crate::mg::Cholesky;

/// What the last cycles did to their iterates.
///
/// A cycle `x -> c(x)` reduces most errors quickly and a few slowly, those of places that coarse grids don't see. With
/// `f = c(x) - x`, mixing takes the combination of the last cycles whose `f` is smallest, which removes as many slow errors as it
/// remembers cycles.
/// # Source
/// Anderson 1965; Walker and Ni 2011, the difference form.
#[derive(Debug)]
pub struct Anderson {
    depth: usize,
    /// `f` and `c(x)` of the last cycle.
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Differences of both between neighbouring cycles, the latest last.
    steps: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl Anderson {
    /// Remembers so many steps.
    pub fn new(depth: usize) -> Self {
        Self {
            depth,
            last: None,
            steps: VecDeque::new(),
        }
    }

    /// After a cycle took `before` to `p`: goes on from the mixture if that is the better one. Returns the residual of `p`.
    pub fn advance<const D: usize>(
        &mut self,
        problem: &Lcp<D>,
        before: Vec<f64>,
        p: &mut Vec<f64>,
    ) -> f64 {
        let plain = problem.residual(p);
        let Some(mut mixed) = self.mix(before, p) else {
            return plain;
        };
        for (p, in_s) in mixed.iter_mut().zip(&problem.in_s) {
            if *in_s {
                *p = p.max(0.0);
            }
        }
        let residual = problem.residual(&mixed);
        if residual < plain {
            *p = mixed;
            residual
        } else {
            plain
        }
    }

    /// What to go on from, after a cycle took `before` to `after`; none in the first cycle.
    fn mix(&mut self, before: Vec<f64>, after: &[f64]) -> Option<Vec<f64>> {
        let mut f = before;
        let difference =
            |last: &mut [f64], now: &[f64]| together(last, now, |last, now| *last = now - *last);
        difference(&mut f, after);
        if let Some((mut last_f, mut last_c)) = self.last.take() {
            difference(&mut last_f, &f);
            difference(&mut last_c, after);
            if self.steps.len() == self.depth {
                self.steps.pop_front();
            }
            self.steps.push_back((last_f, last_c));
        }
        let n = self.steps.len();
        let mixed = (n > 0).then(|| {
            let mut gram = Builder::new(n);
            for i in 0..n {
                for j in (0..n).filter(|j| *j != i) {
                    gram.entry(j, dot(&self.steps[i].0, &self.steps[j].0));
                }
                gram.end_row(
                    (1.0 + 1e-12) * dot(&self.steps[i].0, &self.steps[i].0) + f64::MIN_POSITIVE,
                );
            }
            let g: Vec<f64> = self.steps.iter().map(|s| dot(&s.0, &f)).collect();
            let mut gamma = vec![0.0; n];
            Cholesky::new(&gram.finish()).solve(&g, &mut gamma);
            let mut mixed = after.to_vec();
            for (gamma, (_, c)) in gamma.iter().zip(&self.steps) {
                together(&mut mixed, c, |m, c| *m -= gamma * c);
            }
            mixed
        });
        self.last = Some((f, after.to_vec()));
        mixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear iteration with two slow errors, the others fast: two steps of memory find both.
    #[test]
    fn slow_errors_that_fit_into_memory_go_as_fast_as_the_others() {
        let rates = [0.9, -0.8, 0.01, 0.02, 0.0];
        let cycle = |x: &[f64]| -> Vec<f64> { x.iter().zip(rates).map(|(x, r)| r * x).collect() };
        let worst = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut anderson = Anderson::new(2);
        let mut x = vec![1.0; 5];
        let mut plain = x.clone();
        for _ in 0..8 {
            let after = cycle(&x);
            x = anderson.mix(x, &after).unwrap_or(after);
            plain = cycle(&plain);
        }
        assert!(worst(&plain) > 0.4 && worst(&x) < 1e-4, "{x:?}");
    }
}
