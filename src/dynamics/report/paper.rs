//! The tables of \[000\], and table 1 of \[001\], as printed, and what each measures.

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Mean iterations of a pressure solve, over all substeps.
    Iterations,
    /// Mean linear systems of a pressure solve.
    Outer,
    /// Mean seconds of a pressure solve.
    Seconds,
    /// Iterations of the first substep after this many frames, all solvers cold.
    Single(usize),
    /// Seconds to build the first coarse matrix of the first problem; sizes are those of the coarse grid.
    Coarsening,
}

/// A table: what was run and what was printed.
#[derive(Clone, Copy, Debug)]
pub struct PaperTable {
    /// Its number.
    pub id: &'static str,
    /// In a sentence.
    pub title: &'static str,
    /// The scene.
    pub scene: &'static str,
    /// What is counted.
    pub measure: Measure,
    /// Solvers, in the paper's order; then ours that it doesn't have.
    pub solvers: &'static [&'static str],
    /// How many of the solvers have printed values.
    pub printed: usize,
    /// Cells a side, and the printed values; not a number where there is none.
    pub rows: &'static [(usize, &'static [f64])],
}

const NONE: f64 = f64::NAN;

const ALL: &[&str] = &[
    "fas-mg",
    "pi-pcg",
    "pi-mg",
    "pe-pcg",
    "pe-mg",
    "fmg",
    "newton",
    "pcg-mic",
    // Not in the paper:
    "pcg-ic",
    "pi-mgpcg",
    "fmg-star",
    "mprgp",
    "fas-aa",
    "monotone-v",
];
const LCP: &[&str] = &[
    "fas-mg",
    "pi-pcg",
    "pi-mg",
    "pe-pcg",
    "pe-mg",
    "fmg",
    "newton",
    // Not in the paper:
    "pi-pcg-ic",
    "pi-mgpcg",
    "fmg-star",
    "mprgp",
    "fas-aa",
    "monotone-v",
];
const OUTER: &[&str] = &["pi-pcg", "pi-mg", "pe-pcg", "pe-mg", "newton", "pi-mgpcg"];

/// Three full and four V-cycles, walls that hold and walls that let go.
const CM11: &[&str] = &["cm11-hold", "cm11"];

/// A row of table 1 of \[001\], whose seconds are those of a graphics card.
const fn cm11(
    id: &'static str,
    scene: &'static str,
    rows: &'static [(usize, &'static [f64])],
) -> PaperTable {
    PaperTable {
        id,
        title: "seconds of 3 full and 4 V-cycles, without and with bounds",
        scene,
        measure: Measure::Seconds,
        solvers: CM11,
        printed: 2,
        rows,
    }
}

/// All tables.
pub const TABLES: &[PaperTable] = &[
    PaperTable {
        id: "T6.1",
        title: "mean iterations, circle in the plane",
        scene: "circle",
        measure: Measure::Iterations,
        solvers: ALL,
        printed: 8,
        rows: &[
            (32, &[7.45, 16.9, 7.59, 16.87, 7.99, 20.38, 92.11, 15.99]),
            (64, &[10.39, 36.02, 9.74, 36.07, 12.58, 35.4, 336.17, 30.73]),
            (
                128,
                &[14.07, 70.63, 11.89, 70.58, 17.6, 65.37, 947.23, 55.91],
            ),
            (
                256,
                &[18.26, 123.61, 14.51, 122.42, 21.98, 109.54, 2283.65, 93.2],
            ),
        ],
    },
    PaperTable {
        id: "T6.2",
        title: "mean iterations, sphere in space",
        scene: "sphere",
        measure: Measure::Iterations,
        solvers: ALL,
        printed: 8,
        rows: &[
            (
                32,
                &[9.75, 29.9, 12.12, 30.16, 13.93, 22.21, 1901.69, 20.14],
            ),
            (
                64,
                &[10.44, 70.92, 14.66, 71.34, 19.11, 39.81, 3890.08, 39.57],
            ),
            (
                128,
                &[11.94, 132.56, 17.61, 133.53, 24.57, 61.12, 10879.01, 62.26],
            ),
            (
                256,
                &[14.02, 251.88, 20.71, 252.28, 28.84, 89.89, NONE, 100.78],
            ),
        ],
    },
    PaperTable {
        id: "T6.3",
        title: "mean iterations, maze in the plane",
        scene: "maze",
        measure: Measure::Iterations,
        solvers: LCP,
        printed: 7,
        rows: &[
            (32, &[4.41, 9.74, 8.11, 9.5, 7.67, 6.89, 87.2]),
            (64, &[7.07, 15.52, 10.55, 15.75, 10.11, 10.71, 195.5]),
            (128, &[5.83, 31.29, 13.52, 31.9, 12.91, 34.13, 450.21]),
        ],
    },
    PaperTable {
        id: "T6.4",
        title: "iterations, scenario 1, frame 10",
        scene: "sphere",
        measure: Measure::Single(10),
        solvers: LCP,
        printed: 7,
        rows: &[
            (32, &[7.0, 139.0, 10.0, 146.0, 21.0, 29.0, 2773.0]),
            (64, &[8.0, 282.0, 9.0, 301.0, 18.0, 61.0, 5837.0]),
            (128, &[8.0, 593.0, 10.0, 657.0, 24.0, 128.0, 18680.0]),
            (256, &[9.0, 1263.0, 14.0, 1255.0, 28.0, 234.0, 38547.0]),
        ],
    },
    PaperTable {
        id: "T6.5",
        title: "iterations, scenario 2, frame 70",
        scene: "sphere-cuboid",
        measure: Measure::Single(70),
        solvers: LCP,
        printed: 7,
        rows: &[
            (32, &[6.0, 149.0, 11.0, 161.0, 18.0, 35.0, 2634.0]),
            (64, &[7.0, 308.0, 18.0, 336.0, 29.0, 43.0, 11122.0]),
            (128, &[8.0, 503.0, 22.0, 548.0, 40.0, 63.0, 50162.0]),
            (256, &[9.0, 1186.0, 43.0, 1313.0, 89.0, 103.0, 95823.0]),
        ],
    },
    PaperTable {
        id: "T6.6",
        title: "iterations, scenario 3, frame 10",
        scene: "double-sphere",
        measure: Measure::Single(10),
        solvers: LCP,
        printed: 7,
        rows: &[
            (32, &[7.0, 80.0, 14.0, 85.0, 23.0, 15.0, 1430.0]),
            (64, &[15.0, 182.0, 37.0, 203.0, 57.0, 43.0, 9219.0]),
            (128, &[9.0, 421.0, 34.0, 446.0, 90.0, 67.0, 46491.0]),
            (256, &[12.0, 762.0, 24.0, 887.0, 60.0, 175.0, 122080.0]),
        ],
    },
    PaperTable {
        id: "T6.7",
        title: "mean outer iterations, circle in the plane",
        scene: "circle",
        measure: Measure::Outer,
        solvers: OUTER,
        printed: 5,
        rows: &[
            (32, &[1.12, 1.12, 1.12, 1.23, 0.94]),
            (64, &[1.25, 1.25, 1.25, 1.43, 1.71]),
            (128, &[1.34, 1.34, 1.35, 1.58, 2.08]),
            (256, &[1.43, 1.43, 1.41, 1.63, 2.34]),
        ],
    },
    PaperTable {
        id: "T6.8",
        title: "mean outer iterations, sphere in space",
        scene: "sphere",
        measure: Measure::Outer,
        solvers: OUTER,
        printed: 5,
        rows: &[
            (32, &[1.47, 1.47, 1.49, 1.53, 2.04]),
            (64, &[1.78, 1.76, 1.79, 1.77, 2.57]),
            (128, &[2.1, 2.12, 2.12, 2.19, 2.91]),
            (256, &[2.48, 2.52, 2.48, 2.49, NONE]),
        ],
    },
    PaperTable {
        id: "T6.9",
        title: "seconds a solve, circle in the plane",
        scene: "circle",
        measure: Measure::Seconds,
        solvers: ALL,
        printed: 8,
        rows: &[
            (
                32,
                &[
                    0.0021, 0.00054, 0.0028, 0.00055, 0.0025, 0.0026, 0.002, 0.00048,
                ],
            ),
            (
                64,
                &[0.0082, 0.0034, 0.0086, 0.0033, 0.0075, 0.022, 0.024, 0.0029],
            ),
            (128, &[0.029, 0.02, 0.03, 0.021, 0.028, 0.17, 0.24, 0.016]),
            (256, &[0.13, 0.15, 0.12, 0.13, 0.13, 1.25, 2.59, 0.098]),
        ],
    },
    PaperTable {
        id: "T6.10",
        title: "seconds a solve, sphere in space",
        scene: "sphere",
        measure: Measure::Seconds,
        solvers: ALL,
        printed: 8,
        rows: &[
            (
                32,
                &[0.037, 0.014, 0.036, 0.015, 0.036, 0.076, 0.98, 0.0074],
            ),
            (64, &[0.25, 0.2, 0.33, 0.2, 0.37, 1.68, 25.38, 0.09]),
            (128, &[2.15, 2.64, 2.82, 2.82, 4.28, 30.24, 637.67, 1.15]),
            (
                256,
                &[16.78, 36.96, 24.58, 37.82, 47.38, 510.71, NONE, 14.24],
            ),
        ],
    },
    PaperTable {
        id: "T6.11",
        title: "seconds a solve, maze in the plane",
        scene: "maze",
        measure: Measure::Seconds,
        solvers: LCP,
        printed: 7,
        rows: &[
            (32, &[0.016, 0.0042, 0.032, 0.004, 0.029, 0.017, 0.41]),
            (64, &[0.092, 0.018, 0.15, 0.018, 0.12, 0.1, 3.5]),
            (128, &[0.38, 0.1, 0.7, 0.11, 0.53, 1.21, 31.35]),
        ],
    },
    PaperTable {
        id: "T6.12",
        title: "iterations of variants of FAS-MG, scenario 1, frame 10",
        scene: "sphere",
        measure: Measure::Single(10),
        solvers: &[
            "fas-mg",
            "fas-trilinear",
            "fas-pwc",
            "fas-simple",
            "fas-direct",
            // Not in the paper's table; the first is its interpolation as printed:
            "fas-plain-surface",
            "fas-visible",
            "fas-centre-sign",
            "fas-all-children",
            "fas-literal",
            "fas-literal-simple",
        ],
        printed: 5,
        rows: &[
            (32, &[7.0, 6.0, 47.0, 6.0, 65.0]),
            (64, &[8.0, 8.0, 112.0, 32.0, 171.0]),
            (128, &[8.0, 8.0, 268.0, NONE, NONE]),
            (256, &[9.0, 9.0, 616.0, NONE, NONE]),
        ],
    },
    PaperTable {
        id: "T5.1",
        title: "seconds to build the first coarse matrix, by cells of the coarse grid",
        scene: "sphere",
        measure: Measure::Coarsening,
        solvers: &["fas-direct", "fas-trilinear", "fas-mg"],
        printed: 3,
        rows: &[
            (16, &[0.00, 0.03, 0.01]),
            (32, &[0.01, 0.22, 0.04]),
            (64, &[0.14, 1.71, 0.31]),
            (128, &[2.55, 14.01, 2.56]),
        ],
    },
    cm11("T1-ball-box", "ball-box", &[(64, &[0.01900, 0.02126])]),
    cm11("T1-dam-box", "dam-box", &[(64, &[0.01889, 0.02117])]),
    cm11(
        "T1-rotated-box",
        "rotated-box",
        &[(128, &[0.10978, 0.12297])],
    ),
    cm11("T1-dam-sphere", "dam-sphere", &[(128, &[0.10967, 0.12258])]),
];

/// The tables of a number: one, or those of all scenes that it was printed for.
pub fn tables(id: &str) -> Vec<&'static PaperTable> {
    let is = |t: &PaperTable| {
        let (head, tail) = t.id.split_at_checked(id.len()).unwrap_or_default();
        head.eq_ignore_ascii_case(id) && (tail.is_empty() || tail.starts_with('-'))
    };
    TABLES.iter().filter(|t| is(t)).collect()
}

impl PaperTable {
    /// Whether one run has the numbers of both.
    pub fn shares_run(&self, other: &Self) -> bool {
        let problems = |measure| match measure {
            Measure::Iterations | Measure::Outer | Measure::Seconds => Measure::Iterations,
            Measure::Single(_) | Measure::Coarsening => measure,
        };
        self.scene == other.scene && problems(self.measure) == problems(other.measure)
    }

    /// The printed value, if there is one.
    pub fn value(&self, size: usize, solver: &str) -> Option<f64> {
        let column = self.solvers[..self.printed]
            .iter()
            .position(|s| *s == solver)?;
        let row = self.rows.iter().find(|r| r.0 == size)?;
        Some(row.1[column]).filter(|v| !v.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::entry;
    use crate::scenes::AnyScene;

    #[test]
    fn every_table_names_solvers_and_a_scene_that_exist_and_has_full_rows() {
        for table in TABLES {
            assert!(AnyScene::of(table.scene).is_some(), "{}", table.id);
            assert!(
                table.solvers.iter().all(|s| entry(s).is_some()),
                "{}",
                table.id
            );
            assert!(
                table.rows.iter().all(|r| r.1.len() == table.printed),
                "{}",
                table.id
            );
        }
        let [t] = tables("t6.2")[..] else {
            panic!("one table, in any case");
        };
        assert_eq!(t.value(64, "newton"), Some(3890.08));
        assert_eq!((t.value(256, "newton"), t.value(64, "mprgp")), (None, None));
        assert_eq!(tables("T1").len(), 4, "one a scene, not T1 of T12");
        assert!(tables("T6").is_empty() && tables("").is_empty());
    }
}
