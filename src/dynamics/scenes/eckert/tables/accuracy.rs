//! Tables by tolerances, on the same inputs.

use super::{TableRequest, averages, by_name, inputs, one, or_blank};
use crate::grid::Mac;
use crate::scenes::eckert::flow::FlowError;
use crate::scenes::eckert::runs::{compare, differences};
use crate::scenes::eckert::{Snapshot, T4_2, T4_3, T4_4, Table, Tank};
use crate::splitting::{Inner, Settings, SplitLog};

/// What a method did on every input.
type Solved = Vec<(SplitLog, Mac<2>)>;

/// Table 4.2: iterations of the loops by tolerances, on the inputs of an IOPSepBC run.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn thresholds(tank: &Tank<2>, request: &TableRequest<'_>) -> Result<Table, FlowError<2>> {
    let what = format!(
        "inputs of every {}th step of IOPDivSepBC; printed: runs of their own at 96^2",
        request.every
    );
    let mut table = Table::new(
        "T4.2",
        request.note(tank, &what),
        &[
            "eps_CG",
            "eps outer",
            "ADMMVelSep",
            "printed",
            "ADMMDivSep",
            "printed ",
            "IOPDivSep",
            "printed  ",
            "unmet",
        ],
    );
    let inputs = inputs(tank, "iop-sep-bc", request)?;
    for (inner, outer, printed) in T4_2 {
        // The thesis prints more than 16,000 outer iterations where the loop is stricter than its solves.
        let settings = Settings {
            outer_limit: 20_000,
            ..Settings::practical::<2>().with_tolerances(*inner, *outer)
        };
        let mut row = vec![format!("{inner:e}"), format!("{outer:e}")];
        let mut unmet = 0;
        for (name, printed) in ["admm-vel-sep", "admm-div-sep", "iop-sep"]
            .iter()
            .zip(printed)
        {
            let mean = averages(&compare(&inputs, by_name(name), &settings, request.watch)?);
            unmet += mean.unmet;
            row.extend([format!("{:.0}", mean.inner), printed.to_string()]);
        }
        row.push(unmet.to_string());
        table.add(row);
    }
    Ok(table)
}

/// Table 4.4: iterations of IOPSepBC by tolerances, at most 1000 outer ones, on the inputs of its own run.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn thresholds_walled(
    tank: &Tank<2>,
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<2>> {
    let what = format!(
        "inputs of every {}th step of IOPDivSepBC, at most 1000 outer iterations",
        request.every
    );
    let mut table = Table::new(
        "T4.4",
        request.note(tank, &what),
        &["eps_CG", "eps outer", "CG", "CG printed", "outer", "unmet"],
    );
    let inputs = inputs(tank, "iop-sep-bc", request)?;
    for (inner, outer, printed) in T4_4 {
        let settings = Settings {
            outer_limit: 1000,
            ..Settings::practical::<2>().with_tolerances(*inner, *outer)
        };
        let mean = averages(&compare(
            &inputs,
            by_name("iop-sep-bc"),
            &settings,
            request.watch,
        )?);
        table.add(vec![
            format!("{inner:e}"),
            format!("{outer:e}"),
            format!("{:.0}", mean.inner),
            printed.to_string(),
            format!("{:.2}", mean.outer),
            mean.unmet.to_string(),
        ]);
    }
    Ok(table)
}

/// Table 4.3: all methods on the inputs of an OrigPS run, at high and low accuracy.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn identical_inputs(tank: &Tank<2>, request: &TableRequest<'_>) -> Result<Table, FlowError<2>> {
    let what = format!(
        "inputs of every {}th step of OrigPS; printed: every 5th at 96^2",
        request.every
    );
    let mut table = Table::new(
        "T4.3",
        request.note(tank, &what),
        &[
            "method",
            "accuracy",
            "CG",
            "CG printed",
            "outer",
            "outer printed",
            "unmet",
        ],
    );
    let inputs = inputs(tank, "orig-ps", request)?;
    let accuracies = [
        ("high", Settings::accurate::<2>()),
        ("low", Settings::practical::<2>()),
    ];
    for ((accuracy, settings), printed) in accuracies.iter().zip(T4_3) {
        for row in printed {
            let mean = averages(&compare(
                &inputs,
                by_name(row.method),
                settings,
                request.watch,
            )?);
            table.add(vec![
                row.method.into(),
                (*accuracy).into(),
                one(mean.inner),
                row.inner.to_string(),
                format!("{:.2}", mean.outer),
                or_blank(row.outer),
                mean.unmet.to_string(),
            ]);
        }
    }
    Ok(table)
}

/// E10: how far velocities of methods are from each other on the same inputs (figure 4.10): the median of the inputs, and the
/// largest. ADMMDiv ends where its divergence swings through 0, whatever its velocities do, so the pairs that it is in have one
/// more column, for a stricter divergence.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn agreement(tank: &Tank<2>, request: &TableRequest<'_>) -> Result<Table, FlowError<2>> {
    const PAIRS: [(&str, &str); 9] = [
        ("orig-ps", "admm-vel-stick"),
        ("orig-ps", "admm-div-stick"),
        ("orig-ps", "iop-stick"),
        ("admm-vel-sep", "admm-div-sep"),
        ("admm-vel-sep", "iop-sep"),
        ("admm-div-sep", "iop-sep"),
        ("admm-vel-sep", "orig-ps-sep"),
        ("iop-sep", "iop-sep-bc"),
        ("iop-sep-bc", "orig-ps-sep"),
    ];
    const STRICTER: f64 = 1e-11;
    let is_stricter = |name: &str| name.starts_with("admm-div");
    let what = format!(
        "inputs of every {}th step of OrigPS, inner solves with MIC(0); |du|, the largest on faces of liquid: median of the inputs and largest",
        request.every
    );
    let mut table = Table::new(
        "E10",
        request.note(tank, &what),
        &[
            "pair",
            "high: median",
            "high: largest",
            &format!("ADMMDiv to {STRICTER:e}: largest"),
            "low: median",
            "low: largest",
            "inputs",
        ],
    );
    let inputs = inputs(tank, "orig-ps", request)?;
    let solved = |name: &str, settings: Settings| -> Result<Solved, FlowError<2>> {
        // What is found is the same with any preconditioner, and without one it takes three times as long.
        let inner = Inner::Modified;
        let settings = Settings { inner, ..settings };
        compare(&inputs, by_name(name), &settings, request.watch)
    };
    let mut names: Vec<&str> = PAIRS.iter().flat_map(|(a, b)| [*a, *b]).collect();
    names.sort_unstable();
    names.dedup();
    let (mut high, mut strict, mut low) = (Vec::new(), Vec::new(), Vec::new());
    for name in &names {
        high.push(solved(name, Settings::accurate::<2>())?);
        low.push(solved(name, Settings::practical::<2>())?);
        let stricter = Settings {
            divergence: STRICTER,
            ..Settings::accurate::<2>()
        };
        let again = is_stricter(name).then(|| solved(name, stricter));
        strict.push(again.transpose()?);
    }
    for (a, b) in PAIRS {
        let of = |name| names.iter().position(|n| *n == name).unwrap_or_default();
        let (i, j) = (of(a), of(b));
        let strict = |k: usize| strict[k].as_ref().unwrap_or(&high[k]);
        let [high, strict, low] = [
            apart(&inputs, &high[i], &high[j]),
            apart(&inputs, strict(i), strict(j)),
            apart(&inputs, &low[i], &low[j]),
        ];
        let number = |x: f64| format!("{x:.1e}");
        table.add(vec![
            format!("{a} : {b}"),
            number(high[0]),
            number(high[1]),
            if is_stricter(a) || is_stricter(b) {
                number(strict[1])
            } else {
                String::new()
            },
            number(low[0]),
            number(low[1]),
            inputs.len().to_string(),
        ]);
    }
    Ok(table)
}

/// The median and the largest difference of two methods' velocities over the inputs.
fn apart(inputs: &[Snapshot<2>], a: &Solved, b: &Solved) -> [f64; 2] {
    let mut all: Vec<f64> = inputs
        .iter()
        .zip(a.iter().zip(b))
        .map(|(input, (a, b))| differences(input, &a.1, &b.1)[0])
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    let at = |k: usize| all.get(k).copied().unwrap_or(f64::NAN);
    [at(all.len() / 2), at(all.len().wrapping_sub(1))]
}
