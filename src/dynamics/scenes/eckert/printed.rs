//! The tables of \[003\] as printed.

/// A row of tables 4.1, 4.3, 4.5 and 4.6: averages over all steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedRow {
    /// The method's name here.
    pub method: &'static str,
    /// All conjugate gradient iterations of a step.
    pub inner: f64,
    /// ADMM or IOP iterations of a step.
    pub outer: Option<f64>,
}

const fn row(method: &'static str, inner: f64, outer: Option<f64>) -> PrintedRow {
    PrintedRow {
        method,
        inner,
        outer,
    }
}

/// Breaking dam, 96³, 250 steps.
pub const T4_1: &[PrintedRow] = &[
    row("orig-ps", 20.0, None),
    row("orig-ps-sep", 20.0, None),
    row("admm-vel-sep", 987.0, Some(137.0)),
    row("admm-div-sep", 1446.0, Some(305.0)),
    row("iop-sep", 574.0, Some(236.0)),
    row("iop-sep-bc", 34.0, Some(2.75)),
];

/// Breaking dam, 96², 250 steps, by tolerances: eps_CG, that of the loop, then iterations of ADMMVelSep, ADMMDivSep, IOPDivSep.
pub const T4_2: &[(f64, f64, [f64; 3])] = &[
    (1e-5, 1e-5, [24473.0, 33838.0, 14842.0]),
    (1e-4, 1e-4, [12915.0, 20170.0, 9053.0]),
    (1e-4, 5e-4, [9387.0, 18204.0, 8731.0]),
    (1e-4, 1e-3, [7884.0, 16374.0, 8389.0]),
    (1e-4, 5e-3, [4752.0, 13822.0, 6989.0]),
    (1e-4, 1e-2, [3399.0, 12199.0, 6199.0]),
    (1e-3, 1e-4, [9176.0, 12449.0, 10107.0]),
    (1e-3, 5e-4, [6704.0, 11809.0, 5162.0]),
    (1e-3, 1e-3, [5650.0, 10950.0, 4680.0]),
    (1e-3, 5e-3, [3568.0, 9478.0, 4266.0]),
    (1e-3, 1e-2, [2611.0, 8419.0, 3882.0]),
    (1e-2, 1e-4, [4568.0, 9309.0, 12872.0]),
    (1e-2, 5e-4, [3927.0, 5838.0, 9189.0]),
    (1e-2, 1e-3, [3380.0, 5206.0, 7192.0]),
    (1e-2, 5e-3, [2391.0, 4458.0, 1993.0]),
    (1e-2, 1e-2, [1693.0, 4383.0, 1586.0]),
    (1e-1, 1e-4, [837.0, 9637.0, 16743.0]),
    (1e-1, 5e-4, [851.0, 6700.0, 12138.0]),
    (1e-1, 1e-3, [844.0, 4789.0, 11167.0]),
    (1e-1, 5e-3, [712.0, 2128.0, 7327.0]),
    (1e-1, 1e-2, [620.0, 1295.0, 5642.0]),
];

/// Breaking dam, 96², every fifth step of a run with OrigPS, high accuracy first, then low.
pub const T4_3: [&[PrintedRow]; 2] = [
    &[
        row("orig-ps", 321.0, None),
        row("orig-ps-sep", 290.0, None),
        row("admm-vel-sep", 140_399.0, Some(808.0)),
        row("admm-div-sep", 165_559.0, Some(1027.0)),
        row("iop-sep", 84_929.0, Some(592.0)),
    ],
    &[
        row("orig-ps-sep", 122.0, None),
        row("admm-vel-sep", 6196.0, Some(99.0)),
        row("admm-div-sep", 8209.0, Some(142.0)),
        row("iop-sep", 4280.0, Some(102.0)),
        row("iop-sep-bc", 213.0, Some(2.0)),
    ],
];

/// IOPSepBC, 96², by tolerances: eps_CG, that of the loop, iterations. The thesis ended loops after 1000 iterations.
pub const T4_4: &[(f64, f64, f64)] = &[
    (1e-5, 1e-5, 305.0),
    (1e-4, 1e-4, 253.0),
    (1e-4, 5e-4, 251.0),
    (1e-4, 1e-3, 248.0),
    (1e-4, 5e-3, 245.0),
    (1e-4, 1e-2, 239.0),
    (1e-3, 1e-4, 1152.0),
    (1e-3, 5e-4, 218.0),
    (1e-3, 1e-3, 182.0),
    (1e-3, 5e-3, 183.0),
    (1e-3, 1e-2, 192.0),
    (1e-2, 1e-4, 1127.0),
    (1e-2, 5e-4, 1112.0),
    (1e-2, 1e-3, 1054.0),
    (1e-2, 5e-3, 241.0),
    (1e-2, 1e-2, 119.0),
    (1e-1, 1e-4, 1067.0),
    (1e-1, 5e-4, 1068.0),
    (1e-1, 1e-3, 1067.0),
    (1e-1, 5e-3, 1061.0),
    (1e-1, 1e-2, 1040.0),
];

/// Stairs, 96³, 350 steps.
pub const T4_5: &[PrintedRow] = &[
    row("orig-ps", 20.0, None),
    row("orig-ps-sep", 20.0, None),
    row("admm-vel-sep", 783.0, Some(128.0)),
    row("iop-sep", 370.0, Some(88.0)),
    row("iop-sep-bc", 34.0, Some(1.99)),
];

/// Levitating planes with a ball, 96³, 350 steps.
pub const T4_6: &[PrintedRow] = &[
    row("orig-ps", 18.0, None),
    row("orig-ps-sep", 16.0, None),
    row("admm-vel-sep", 569.0, Some(106.0)),
    row("iop-sep", 269.0, Some(71.0)),
    row("iop-sep-bc", 31.0, Some(1.98)),
];
