//! How residuals fall.

use super::{TableRequest, by_name, inputs};
use crate::scenes::eckert::flow::FlowError;
use crate::scenes::eckert::runs::compare;
use crate::scenes::eckert::{Table, Tank};
use crate::splitting::{Settings, SplitLog};

/// E11: how residuals fall at one step of an OrigPS run (figures 4.3 and 4.4): r_vel and r_div of ADMM, r_div of IOP.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn residual_shape(tank: &Tank<2>, request: &TableRequest<'_>) -> Result<Table, FlowError<2>> {
    let request = TableRequest {
        every: request.steps,
        ..*request
    };
    let inputs = inputs(tank, "orig-ps", &request)?;
    let settings = Settings {
        inner_tolerance: 1e-9,
        outer_limit: 300,
        ..Settings::practical::<2>().with_tolerances(1e-9, 1e-7)
    };
    let history = |name: &str| -> Result<SplitLog, FlowError<2>> {
        let mut done = compare(&inputs, by_name(name), &settings, request.watch)?;
        Ok(done.remove(0).0)
    };
    let (admm, iop) = (history("admm-vel-sep")?, history("iop-sep")?);
    let period = |series: &[f64]| format!("{:?}", periods(series)).replace(',', "");
    let what = format!(
        "the last step; distances of minima of ADMM's r_vel {}, r_div {}; IOP rises after its 10th {} times",
        period(&admm.velocity),
        period(&admm.divergence),
        iop.divergence
            .windows(2)
            .skip(10)
            .filter(|w| w[1] > w[0])
            .count()
    );
    let mut table = Table::new(
        "E11",
        request.note(tank, &what),
        &["outer", "ADMM r_vel", "ADMM r_div", "IOP r_div"],
    );
    for k in 0..admm.velocity.len().max(iop.divergence.len()) {
        let of = |series: &[f64]| {
            series
                .get(k)
                .map_or_else(String::new, |v| format!("{v:.3e}"))
        };
        table.add(vec![
            (k + 1).to_string(),
            of(&admm.velocity),
            of(&admm.divergence),
            of(&iop.divergence),
        ]);
    }
    Ok(table)
}

/// Distances of a series' minima over five neighbours to either side.
pub fn periods(series: &[f64]) -> Vec<usize> {
    let lows: Vec<usize> = (5..series.len().saturating_sub(5))
        .filter(|i| (i - 5..=i + 5).all(|j| series[j] >= series[*i]))
        .collect();
    lows.windows(2).map(|w| w[1] - w[0]).collect()
}
