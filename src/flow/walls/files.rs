//! Wall shear as a table and as lines for other programs.

use std::io::{self, Write};

use super::{WallPoint, WallStress, along_walls};
use crate::export::csv::cell;
use crate::export::polylines::{Polylines, write_polylines};
use crate::export::{ExtraFile, Format};
use crate::field::Field;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;

/// The stress along every wall among the files of a solution.
pub fn files(chip: &Chip, fields: &Field<2>, stress: &WallStress) -> [ExtraFile; 2] {
    let walls = along_walls(fields, stress);
    [
        ExtraFile::new(Format::Csv, "walls.csv", |out| write_csv(out, &walls, chip)),
        ExtraFile::new(Format::Vtu, "walls.vtp", |out| write_vtp(out, &walls)),
    ]
}

/// `walls.csv`: a row a place; walls are counted from 1.
///
/// # Errors
/// What the writer says.
pub fn write_csv(out: &mut dyn Write, walls: &[Vec<WallPoint>], chip: &Chip) -> io::Result<()> {
    writeln!(out, "wall,part,distance_m,x_m,y_m,wall_shear_stress_Pa")?;
    for (k, wall) in walls.iter().enumerate() {
        for p in wall {
            let part = chip.parts.get(p.part as usize);
            let part = part.map_or("", |part| part.name.as_str());
            writeln!(
                out,
                "{},{},{:e},{:e},{:e},{:e}",
                k + 1,
                cell(part),
                p.distance,
                p.at.x,
                p.at.y,
                p.shear
            )?;
        }
    }
    Ok(())
}

/// `walls.vtp`: the walls as VTK's polygonal data.
///
/// # Errors
/// What the writer says.
pub fn write_vtp(out: &mut dyn Write, walls: &[Vec<WallPoint>]) -> io::Result<()> {
    let lines: Vec<Vec<Point>> = walls
        .iter()
        .map(|wall| wall.iter().map(|p| p.at).collect())
        .collect();
    let values =
        |of: &dyn Fn(&WallPoint) -> f64| -> Vec<f64> { walls.iter().flatten().map(of).collect() };
    let scalars = [
        ("wall_shear_stress", values(&|p| p.shear)),
        ("distance", values(&|p| p.distance)),
        ("part", values(&|p| f64::from(p.part))),
    ];
    write_polylines(
        out,
        &Polylines {
            lines: &lines,
            scalars: &scalars,
        },
    )
}
