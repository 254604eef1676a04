//! The thinnest wall between channels of a chip, whatever the process: one that nobody can make is nearly always a slip of the pen.

use super::walls::{Between, Scene, pairs, touching};
use crate::chip::{Chip, is_drawn};
use crate::design::Design;
use crate::outline::Outlines;
use stokeslet_base::diagnostic::Diagnostic;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, print_quantity};

/// Walls thinner than this part of the chip's narrowest channel are told of.
const THIN: f64 = 0.02;

/// A wall between two channels.
#[derive(Clone, Debug, PartialEq)]
pub struct ThinWall {
    /// m.
    pub thickness: f64,
    /// Its middle, m.
    pub at: Point,
    /// The parts on both sides; one where it folds back on itself.
    pub parts: [String; 2],
    /// How many pairs of parts have walls as thin between them.
    pub places: usize,
}

/// The thinnest wall of a chip that is thinner than a fiftieth of its narrowest channel. Links aren't looked at: their place is
/// that of the drawing only.
pub fn thinnest_wall(design: &Design, chip: &Chip) -> Option<ThinWall> {
    let sockets = chip.parts.iter().flat_map(|part| part.shape.sockets());
    let narrowest = sockets.map(|m| m.width).fold(f64::INFINITY, f64::min);
    if !narrowest.is_finite() {
        return None;
    }
    let outlines = Outlines::new(chip);
    let drawn = is_drawn(design, chip);
    let scene = Scene {
        chip,
        outlines: &outlines,
        drawn: &drawn,
    };
    let walls = scene.walls();
    let mut found = pairs(&walls, THIN * narrowest, Between::Solid);
    found.extend(touching(&walls, 1e-6 * narrowest));
    found.sort_by(|a, b| {
        a.distance
            .total_cmp(&b.distance)
            .then(a.parts.cmp(&b.parts))
    });
    let first = found.first()?;
    let name = |part: usize| chip.parts[part].name.clone();
    let mut between: Vec<(usize, usize)> = found.iter().map(|pair| pair.parts).collect();
    between.sort_unstable();
    between.dedup();
    Some(ThinWall {
        thickness: first.distance,
        at: (first.segment.0 + first.segment.1) * 0.5,
        parts: [name(first.parts.0), name(first.parts.1)],
        places: between.len(),
    })
}

/// The warning about it (D237).
pub fn thin_wall_warning(design: &Design, chip: &Chip) -> Option<Diagnostic> {
    let wall = thinnest_wall(design, chip)?;
    let show = |x: f64| {
        let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
        print_quantity(rounded, Dimension::Length)
    };
    let [a, b] = &wall.parts;
    let between = if a == b {
        format!("`{a}` and itself")
    } else {
        format!("`{a}` and `{b}`")
    };
    let thickness = if wall.thickness == 0.0 {
        "has no thickness".to_owned()
    } else {
        format!("is {} thick", show(wall.thickness))
    };
    let others = match wall.places {
        1 => String::new(),
        n => format!(", the thinnest of {n} such walls"),
    };
    let message = format!(
        "the wall between {between} at ({}, {}) {thickness}{others}: the flow is solved as if it held",
        show(wall.at.x),
        show(wall.at.y)
    );
    let help = "move the channels apart; `check --process NAME` tells what a workshop needs";
    Some(
        Diagnostic::warning("D237", message)
            .about(a.clone())
            .with_help(help),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::place;
    use crate::library::Library;

    /// Two channels side by side with `wall` nm between them.
    fn found(wall: f64) -> Option<Diagnostic> {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"100 um\" }}\n\
             components = {{ p = {{ kind = \"pipe\", at = [\"0 m\", \"0 m\"] }}, q = {{ kind = \"pipe\", at = [\"0 m\", \"{} nm\"] }} }}\n\
             [ports]\na = {{ at = \"p.a\", pressure = \"1 Pa\" }}\nb = {{ at = \"p.b\", pressure = \"0 Pa\" }}\n\
             c = {{ at = \"q.a\", pressure = \"1 Pa\" }}\nd = {{ at = \"q.b\", pressure = \"0 Pa\" }}\n",
            100_000.0 + wall
        );
        let (design, mistakes) = crate::design::parse(&text, "walls");
        let design = design.unwrap_or_else(|| panic!("{mistakes:?}"));
        let (chip, mistakes) = place(&design, &Library::embedded());
        thin_wall_warning(&design, &chip.unwrap_or_else(|| panic!("{mistakes:?}")))
    }

    #[test]
    fn walls_that_nobody_can_make_are_told_of() {
        for (wall, said) in [
            (0.0, "has no thickness"),
            (1.0, "is 1 nm thick"),
            (1000.0, "is 1 µm thick"),
        ] {
            let warning = found(wall).unwrap_or_else(|| panic!("{wall} nm isn't told of"));
            assert!(warning.message.contains(said), "{}", warning.message);
            assert!(
                warning.message.contains("`p` and `q`"),
                "{}",
                warning.message
            );
        }
        assert_eq!(found(5000.0), None);
    }
}
