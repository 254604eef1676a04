//! What makes the numbers of a chip doubtful although its equations are solved: a depth that the model or the cells don't
//! resolve, inertia, pressures that a chip of silicone rubber doesn't hold.

use std::f64::consts::PI;

use super::Solution;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::contains;
use stokeslet_base::units::{Dimension, print_quantity};
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::shape::{Part, Shape, Strip};

/// Density where a design gives none: water, kg/m^3.
pub const WATER: f64 = 1000.0;
/// The depth-averaged models' error in a straight channel from which on it is told.
const MODEL_ERROR: f64 = 0.005;
/// Relative excess flow of the planar model's widest channel from which on it is told.
const PLANAR_ERROR: f64 = 0.1;
/// What a straight channel carries too little in cells that are too wide for the layers at its side walls, from which on it is told.
const SIDE_LAYER_ERROR: f64 = 0.003;
/// Its source: by how many depths cells are wide, that error times the resolution, in per cent, of the shallow and of the full model.
/// Measured against the duct's series at resolutions 4, 8 and 16, which agree to a fifth at 0.7 and to a tenth from 1.5 on; what the model
/// of Brinkman's own viscosity loses is taken for the shallow one's (`cargo test --workspace --test solid side_layers`).
const SIDE_LAYERS: [[f64; 3]; 8] = [
    [0.5, 0.56, 2.2],
    [0.75, 1.28, 4.0],
    [1.0, 2.3, 6.2],
    [1.5, 4.56, 10.3],
    [2.5, 8.4, 16.3],
    [5.0, 13.8, 23.7],
    [10.0, 18.0, 28.5],
    [40.0, 22.0, 32.6],
];
/// From this Reynolds number on inertia is told of: Stokes flow is its limit at 0.
const REYNOLDS: f64 = 1.0;
/// Pressure that bonded silicone rubber is known to hold, Pa: 30 psi (McDonald et al., Electrophoresis 21, 2000).
const BOND: f64 = 2e5;

/// What is doubtful about a solved chip: its model and resolution, inertia (`density` in kg/m^3, water where there is none) and pressures.
pub fn of_solved(
    chip: &Chip,
    resolution: u32,
    solution: &Solution,
    density: Option<f64>,
) -> Vec<Diagnostic> {
    let mut out = of_model(chip, resolution);
    out.extend(of_solution(chip, solution, density));
    out
}

/// What is doubtful about a chip's model and resolution, before it is solved.
pub fn of_model(chip: &Chip, resolution: u32) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if chip.depth.is_none() {
        return out;
    }
    // Width of a part's narrowest socket, and its depth.
    // Between walls that slip there are no layers, and flow is even.
    let parts = chip.parts.iter().enumerate();
    let parts = parts.filter(|(_, part)| !part.walls.can_slip());
    let sizes: Vec<(f64, f64)> = parts
        .filter_map(|(k, part)| {
            let sockets = part.shape.sockets();
            let width = sockets
                .iter()
                .map(|m| m.width)
                .fold(f64::INFINITY, f64::min);
            Some((width, chip.depth_of(k)?)).filter(|_| width.is_finite())
        })
        .collect();
    let aspect = |size: &&(f64, f64)| size.0 / size.1;
    let least = |a: &&(f64, f64), b: &&(f64, f64)| aspect(a).total_cmp(&aspect(b));
    if !chip.model.needs_depth() {
        out.extend(
            sizes
                .iter()
                .max_by(least)
                .and_then(|size| without_floor(*size)),
        );
        return out;
    }
    if chip.model.is_averaged() {
        let errors = sizes
            .iter()
            .map(|&size| (size, averaged_error(chip.model, size.0 / size.1)));
        let most = errors.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        if let Some(((width, depth), error)) = most
            && error.abs() > MODEL_ERROR
        {
            let message = format!(
                "channels {} wide and {} deep carry {:.1} % too {} in the {} model",
                length(width),
                length(depth),
                100.0 * error.abs(),
                if error < 0.0 { "little" } else { "much" },
                chip.model.name(),
            );
            out.push(
                Diagnostic::warning("D406", message)
                    .with_help("`model = \"full\"` solves the depth; from as wide as deep on the shallow model is right to 0.4 %"),
            );
        }
    }
    // Cells are counted across each part's own narrowest socket.
    let Some(&(widest, depth)) = sizes.iter().max_by(least) else {
        return out;
    };
    let error = |r: u32| side_layer_error(chip.model, widest / depth, r);
    if error(resolution) > SIDE_LAYER_ERROR {
        let message = format!(
            "at resolution {resolution} the cells of channels {} wide are {:.1} times the depth of {}: straight ones carry {:.1} % too little, and the shear stress of side walls is too small",
            length(widest),
            widest / f64::from(resolution) / depth,
            length(depth),
            100.0 * error(resolution)
        );
        let mut finer = (resolution / 2 + 1..).map(|half| 2 * half);
        let needed = finer.find(|&r| error(r) <= SIDE_LAYER_ERROR);
        out.push(Diagnostic::warning("D407", message).with_help(format!(
            "`resolution = {}` resolves the layers at the side walls",
            needed.unwrap_or(resolution)
        )));
    }
    out
}

/// That the planar model leaves out floor and ceiling of channels of a width and depth that these hold back.
fn without_floor((width, depth): (f64, f64)) -> Option<Diagnostic> {
    let ratio = (width / depth).powi(2) / duct(width / depth);
    if ratio < 1.0 + PLANAR_ERROR {
        return None;
    }
    let too_much = match ratio < 2.0 {
        true => format!("{:.0} % too much", 100.0 * (ratio - 1.0)),
        false if ratio < 100.0 => format!("{ratio:.1} times what they should"),
        false => format!("{ratio:.0} times what they should"),
    };
    let message = format!(
        "the planar model, which is without floor and ceiling, lets channels {} wide and {} deep carry {too_much}",
        length(width),
        length(depth)
    );
    let help = "`model = \"shallow\"` has their drag, `\"full\"` solves the depth; `planar` is for channels far deeper than wide";
    Some(Diagnostic::warning("D411", message).with_help(help))
}

/// Part of its flow that a straight channel, `aspect` times as wide as deep, carries too little at a resolution since its cells don't
/// resolve the layers at its side walls, which are 0.36 depths wide. In proportion to the inverse of the resolution where cells are wide.
pub fn side_layer_error(model: DepthModel, aspect: f64, resolution: u32) -> f64 {
    let column = match model {
        DepthModel::Full => 2,
        _ => 1,
    };
    let x = aspect / f64::from(resolution);
    let [first, .., last] = SIDE_LAYERS;
    let between = SIDE_LAYERS
        .windows(2)
        .find(|pair| x < pair[1][0] && x >= pair[0][0]);
    let error = match between {
        Some(pair) => {
            let t = (x - pair[0][0]) / (pair[1][0] - pair[0][0]);
            pair[0][column] + t * (pair[1][column] - pair[0][column])
        }
        None if x < first[0] => first[column] * (x / first[0]).powi(2),
        None => last[column],
    };
    0.01 * error / f64::from(resolution)
}

/// What is doubtful about a solution: inertia and pressures.
fn of_solution(chip: &Chip, solution: &Solution, density: Option<f64>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if let Some((reynolds, at)) = reynolds(chip, solution, density.unwrap_or(WATER))
        && reynolds > REYNOLDS
    {
        let number = match reynolds < 1e4 {
            true => format!("{reynolds:.2}"),
            false => format!("{reynolds:.1e}"),
        };
        let message = format!(
            "the Reynolds number reaches {number} at ({}, {}): Stokes flow leaves inertia out",
            length(at.x),
            length(at.y)
        );
        let help = match density {
            Some(_) => {
                "flow at bends, steps and junctions differs from about 1 on, pressures in long straight channels don't"
            }
            None => {
                "water is assumed: give `density` under [fluid]; flow at bends, steps and junctions differs from about 1 on"
            }
        };
        out.push(Diagnostic::warning("D408", message).with_help(help));
    }
    let pressures = solution.ports.iter().map(|p| p.pressure);
    let (low, high) = pressures.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
        (low.min(p), high.max(p))
    });
    if high - low > BOND {
        let message = format!(
            "pressures at the ports differ by {}; bonded silicone rubber is known to hold {}",
            print_quantity(three_digits(high - low), Dimension::Pressure),
            print_quantity(BOND, Dimension::Pressure)
        );
        out.push(
            Diagnostic::warning("D409", message)
                .with_help("shorter or wider channels, or a smaller flow rate, need less"),
        );
    }
    out
}

/// The Reynolds number of the channel in which the fastest place lies, and that place; `None` where only ports were wanted.
///
/// ```text
/// Re = rho U D / mu,   U = 2/3 of the greatest speed,   D = 2 w d / (w + d), or 2 w in the planar model
/// ```
/// # Shapes and units
/// - `density`: kg/m^3
/// # Source
/// The hydraulic diameter, as in White, Viscous Fluid Flow; w is the part's narrowest socket, the chip's where none is found there.
pub fn reynolds(chip: &Chip, solution: &Solution, density: f64) -> Option<(f64, Point)> {
    let (speed, at) = solution.max_speed?;
    let holds = |part: &&Part| holds(&part.shape, part.motion.inverse().apply(at));
    let narrowest = |is_here: &dyn Fn(&&Part) -> bool| {
        let here = chip
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| is_here(part));
        let sockets =
            here.flat_map(|(k, p)| p.shape.sockets().into_iter().map(move |m| (k, m.width)));
        sockets.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let narrowest = narrowest(&holds).or_else(|| narrowest(&|_| true));
    let (part, width) = narrowest.unwrap_or((0, f64::INFINITY));
    let diameter = match chip.depth_of(part).filter(|_| chip.model.needs_depth()) {
        Some(depth) => 2.0 * width * depth / (width + depth),
        None => 2.0 * width,
    };
    let reynolds = density * (2.0 / 3.0 * speed) * diameter / chip.viscosity;
    reynolds.is_finite().then_some((reynolds, at))
}

/// Whether a point of a part's own frame lies in it.
fn holds(shape: &Shape, p: Point) -> bool {
    const SLACK: f64 = 1.0 + 1e-9;
    match shape {
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => {
            let t = p.x / length;
            let width = width_start + (width_end - width_start) * t.clamp(0.0, 1.0);
            (1.0 - SLACK..=SLACK).contains(&t) && p.y.abs() <= width / 2.0 * SLACK
        }
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let from_centre = p - Point::new(0.0, *radius);
            let turn = (from_centre.angle() + PI / 2.0).rem_euclid(2.0 * PI);
            turn <= angle * SLACK && (from_centre.norm() - radius).abs() <= width / 2.0 * SLACK
        }
        Shape::Polygon { corners, holes, .. } => {
            contains(corners, p) && !holes.iter().any(|hole| hole.contains(p))
        }
    }
}

/// What a straight channel carries too much in a depth-averaged model, over what the rectangular duct carries, by width over depth.
///
/// # Accuracy and cost
/// The duct's series is cut after 40 terms: 1e-10. Source: see [`stokeslet_cad::design::SIDE_LAYER_FACTOR`].
fn averaged_error(model: DepthModel, aspect: f64) -> f64 {
    let k = aspect * (3.0 / model.plane_viscosity_factor()).sqrt();
    (1.0 - k.tanh() / k) / duct(aspect) - 1.0
}

/// What a rectangular duct carries over what its width would between two plates as far apart as it is deep, by width over depth: its series, cut after
/// 40 terms.
fn duct(aspect: f64) -> f64 {
    let terms = (0..40).map(|i| {
        let n = f64::from(2 * i + 1);
        192.0 / (PI * n).powi(5) / aspect * (n * PI * aspect / 2.0).tanh()
    });
    1.0 - terms.sum::<f64>()
}

fn length(x: f64) -> String {
    print_quantity(three_digits(x), Dimension::Length)
}

/// Rounded to three digits, for people.
fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square duct carries .4217 of what plates would; a deep slit all but .63 widths of its depth.
    #[test]
    fn the_planar_model_is_told_where_floor_and_ceiling_matter() {
        let told = |width: f64| without_floor((width * 1e-4, 1e-4)).map(|d| d.message);
        let square = told(1.0).expect("a square channel has a floor");
        assert!(square.contains("2.4 times"), "{square}");
        let slit = told(0.2).expect("a floor");
        assert!(slit.contains("14 % too much"), "{slit}");
        assert_eq!(told(0.1), None, "7 %");
    }

    #[test]
    fn the_averaged_models_errors_are_those_their_documentation_tells() {
        let brinkman = DepthModel::ShallowBrinkman;
        for (model, aspect, percent) in [
            (DepthModel::Shallow, 1.0, -0.32),
            (DepthModel::Shallow, 1.5, -0.05),
            (DepthModel::Shallow, 2.0, -0.01),
            (DepthModel::Shallow, 0.5, -2.2),
            (DepthModel::Shallow, 0.1, -11.0),
            (brinkman, 0.5, 12.2),
            (brinkman, 1.0, 8.5),
            (brinkman, 10.0, 0.6),
        ] {
            let error = 100.0 * averaged_error(model, aspect);
            assert!(
                (error / percent - 1.0).abs() < 0.1 || (error - percent).abs() < 0.005,
                "{aspect}: {error}"
            );
        }
    }

    #[test]
    fn points_are_found_in_the_shapes_that_hold_them() {
        let straight = Shape::Strip(Strip::Straight {
            length: 4.0,
            width_start: 1.0,
            width_end: 3.0,
        });
        let arc = Shape::Strip(Strip::Arc {
            radius: 2.0,
            angle: PI / 2.0,
            width: 1.0,
        });
        for (shape, x, y, want) in [
            (&straight, 2.0, 0.9, true),
            (&straight, 0.5, 0.9, false),
            (&straight, 4.1, 0.0, false),
            (&arc, 2.0 * 0.5f64.sqrt(), 2.0 - 2.0 * 0.5f64.sqrt(), true),
            (&arc, 0.0, 0.6, false),
            (&arc, -0.1, 0.0, false),
            (&arc, 2.0, 2.1, false),
        ] {
            assert_eq!(holds(shape, Point::new(x, y)), want, "({x}, {y})");
        }
    }
}
