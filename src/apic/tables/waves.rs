//! X2, X4: what waves survive.

use crate::fourier::spectrum::spectrum;
use crate::fourier::{Direction, Response, regular};
use crate::kernel::Kernel;
use crate::settings::Settings;
use crate::table::TableError;
use crate::transfer::Transfer;
use stokeslet_dynamics::report::table::{At, Row};

/// Waves of X2's table, periods a cell.
const WAVES: [(f64, f64); 5] = [(0.05, 0.05), (0.1, 0.1), (0.1, 0.0), (0.5, 0.0), (0.5, 0.5)];

/// The specification's values at [`WAVES`], computed from the definitions, for 2 x 2 particles a cell.
const COMPUTED: [(Kernel, Transfer, [f64; 5]); 6] = [
    (
        Kernel::Linear,
        Transfer::Pic,
        [0.96362925, 0.86189197, 0.92838137, 0.25, 0.0625],
    ),
    (
        Kernel::Linear,
        Transfer::Apic,
        [0.99966314, 0.99487077, 1.0, 1.0, 0.4375],
    ),
    (
        Kernel::Quadratic,
        Transfer::Pic,
        [0.95181970, 0.82045698, 0.90579080, 0.140625, 0.019775],
    ),
    (
        Kernel::Quadratic,
        Transfer::Apic,
        [0.99895336, 0.98473637, 0.99647366, 0.613281, 0.152710],
    ),
    (
        Kernel::Cubic,
        Transfer::Pic,
        [0.93626704, 0.76788956, 0.87629308, 0.052517, 0.002758],
    ),
    (
        Kernel::Cubic,
        Transfer::Apic,
        [0.99808548, 0.97283794, 0.99323362, 0.316922, 0.030530],
    ),
];

/// X2: eigenvalues of the round trip from the grid, and the orders at which losses begin.
pub(super) fn round_trips() -> Vec<Row> {
    let mut rows = Vec::new();
    for (kernel, transfer, computed) in COMPUTED {
        let response = Response::new(kernel, transfer, &regular(2));
        let name = format!("{} {}", kernel.name(), transfer.name());
        for ((x, y), want) in WAVES.into_iter().zip(computed) {
            let ours = response.at(x, y);
            rows.push(
                Row::new(
                    "X2",
                    format!("{name} lambda({x}, {y})"),
                    format!("{want} (C)"),
                    ours,
                )
                .within(want - 1e-6, want + 1e-6),
            );
        }
        let linear_apic = (kernel, transfer) == (Kernel::Linear, Transfer::Apic);
        let (direction, word) = match linear_apic {
            true => (Direction::Diagonal, "on the diagonal"),
            false => (Direction::Along, "along x"),
        };
        let (printed, low, high) = match (transfer, linear_apic) {
            (_, true) => ("3 to 4 (P)", 3.0, 4.05),
            (Transfer::Apic, _) => ("4 (P)", 3.95, 4.05),
            _ => ("2 (P)", 1.98, 2.02),
        };
        rows.push(
            Row::new(
                "X2",
                format!("{name} order {word}"),
                printed,
                response.order(direction),
            )
            .within(low, high),
        );
    }
    rows
}

/// X4: eigenvalues from particles through the pressure and back.
pub(super) fn through_pressure(at: At) -> Result<Vec<Row>, TableError> {
    let n = if at == At::Paper { 64 } else { 32 };
    let middle = n / 2 * n + n / 2;
    let of = |transfer, order| {
        let settings = Settings {
            transfer,
            order,
            ..Settings::default()
        };
        spectrum(&settings, &regular(2), n)
    };
    let mut rows = Vec::new();
    let largest = |maps: &[Vec<f64>], but_middle: bool| {
        let all = maps.iter().flat_map(|m| m.iter().enumerate());
        all.filter(|(i, _)| !but_middle || *i != middle)
            .map(|(_, v)| *v)
            .fold(0.0, f64::max)
    };
    let mut apic = Vec::new();
    for transfer in [Transfer::Pic, Transfer::Apic] {
        let maps = of(transfer, 1)?;
        let want = Response::new(Kernel::Quadratic, transfer, &regular(2)).map(n);
        let off = maps[0]
            .iter()
            .zip(&want)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        let name = transfer.name();
        rows.push(
            Row::new(
                "X4",
                format!("{name}: largest map against X2's"),
                "same (P)",
                off,
            )
            .at_most(1e-10),
        );
        rows.push(
            Row::new(
                "X4",
                format!("{name}: second map, constant"),
                "1 (P)",
                maps[1][middle],
            )
            .within(1.0 - 1e-10, 1.0 + 1e-10),
        );
        rows.push(
            Row::new(
                "X4",
                format!("{name}: second map elsewhere"),
                "0 (P)",
                largest(&maps[1..2], true),
            )
            .at_most(1e-10),
        );
        rows.push(
            Row::new(
                "X4",
                format!("{name}: all other maps"),
                "0 (P)",
                largest(&maps[2..], false),
            )
            .at_most(1e-10),
        );
        apic = maps;
    }
    let flip = of(Transfer::Flip, 1)?;
    let off = flip[..flip.len() - 1]
        .iter()
        .flatten()
        .map(|v| (v - 1.0).abs())
        .fold(0.0, f64::max);
    rows.push(Row::new("X4", "flip: all maps but one, off 1 by", "0 (P)", off).at_most(1e-10));
    let xpic: Vec<Vec<Vec<f64>>> = (1..=5)
        .map(|order| of(Transfer::Xpic, order))
        .collect::<Result<_, _>>()?;
    let below = |low: &[f64], high: &[f64]| {
        (1..=n / 5).all(|k| low[middle + k * n + k] < high[middle + k * n + k])
    };
    let between = below(&xpic[1][0], &apic[0]) && below(&apic[0], &xpic[2][0]);
    rows.push(
        Row::new(
            "X4",
            "apic between xpic2 and xpic3 on the diagonal up to .2",
            "1: yes (P)",
            f64::from(u8::from(between)),
        )
        .within(1.0, 1.0),
    );
    for (k, maps) in xpic.iter().enumerate() {
        let halo = largest(&maps[1..2], true);
        // Of a wave that the pressure takes out particles keep s - s^r, s = 1 - lambda of PIC; its largest is at s^(r-1) = 1/r.
        let r = k as f64 + 1.0;
        let most = match k {
            0 => 0.0,
            _ => (1.0 - 1.0 / r) * r.powf(-1.0 / (r - 1.0)),
        };
        let reference = match k {
            2 => format!("over .4 (P), {most:.4} at most (C)"),
            _ => format!("{most:.4} at most (C)"),
        };
        rows.push(
            Row::new("X4", format!("xpic{}: halo", k + 1), reference, halo)
                .within(0.95 * most - 1e-9, most + 1e-9),
        );
        rows.push(
            Row::new(
                "X4",
                format!("xpic{}: all other maps", k + 1),
                "0 (P)",
                largest(&maps[2..], false),
            )
            .at_most(1e-7),
        );
    }
    Ok(rows)
}
