//! The fields along the lines that a user drew, as points of a plot and as a table.

use super::SolvedFlow;
use crate::export::csv::{LineColumn, write_lines};
use crate::field::{Line, LinePoint};
use stokeslet_base::geometry::Point;

/// Points of a line: as many as a wide plot has pixels, with both ends.
const POINTS: usize = 401;

/// The fields along one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its ends, m.
    pub ends: [Point; 2],
    /// At equal distances, and where the line crosses walls: there a flow ends at velocity 0.
    pub points: Vec<LinePoint>,
}

/// Samples lines. About 0.1 ms each.
pub fn profiles(solved: &SolvedFlow<'_>, lines: &[[Point; 2]]) -> Vec<Profile> {
    lines
        .iter()
        .map(|&[from, to]| {
            let line = Line {
                from,
                to,
                n: POINTS,
            };
            Profile {
                ends: [from, to],
                points: line.sample_by(|at| solved.at(at)),
            }
        })
        .collect()
}

/// All lines as the command line's `line.csv`: numbered from 1, SI units, values left empty outside the flow.
pub fn profiles_csv(solved: &SolvedFlow<'_>, lines: &[[Point; 2]]) -> String {
    let lines: Vec<Vec<LinePoint>> = profiles(solved, lines)
        .into_iter()
        .map(|profile| profile.points)
        .collect();
    let mut out = Vec::new();
    // Writing into memory does not fail, and what is written is text.
    let columns = LineColumn::of_the_whole(&solved.solution.fields, solved.index, &lines);
    let _ = write_lines(&mut out, &lines, &columns);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{channel, solved};
    use super::*;

    #[test]
    fn a_table_has_every_point_of_every_line_in_si_units() {
        let solved = solved(&channel(), 4);
        let lines = [
            // Its walls lie between the points.
            [Point::new(5e-4, -1.001e-4), Point::new(5e-4, 1.001e-4)],
            [Point::new(0.0, 0.0), Point::new(1e-3, 0.0)],
        ];
        let text = profiles_csv(&solved.flow(), &lines);
        let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
        assert_eq!(rows.len(), 1 + 2 * POINTS + 2, "one more at each wall");
        assert_eq!(rows[0][..3], ["line", "distance_m", "x_m"]);
        assert_eq!(
            (rows[1][0], rows[1][6], rows[1][7]),
            ("1", "", ""),
            "a line that begins outside says so"
        );
        let walls = rows[1..1 + POINTS + 2]
            .windows(2)
            .filter(|w| w[0][6].is_empty() != w[1][6].is_empty());
        let at_walls = walls.map(|w| format!("{}{}", w[0][6], w[1][6]).parse::<f64>().unwrap());
        let at_walls: Vec<f64> = at_walls.collect();
        assert_eq!(at_walls.len(), 2);
        let across = &rows[1 + POINTS / 2 + 1];
        let speed: f64 = across[6].parse().unwrap();
        let peak = 100.0 / 1e-3 * 1e-8 / 8e-3;
        assert!(
            (speed / peak - 1.0).abs() < 1e-9,
            "{speed} in the middle, {peak} wanted"
        );
        assert!(at_walls.iter().all(|&v| v < 1e-6 * peak), "{at_walls:?}");
        assert_eq!(rows[1 + POINTS + 2][0], "2");
        let last: f64 = rows[2 * POINTS + 2][1].parse().unwrap();
        assert!((last - 1e-3).abs() < 1e-15, "distance is along the line");
    }
}
