//! The table of formats: what a user may ask for, and which files each one writes.

/// One format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `summary.json`; always written.
    Json,
    /// `fields.vtu`; `streamlines.vtp`, `walls.vtp` where these were asked for.
    Vtu,
    /// `picture.svg`.
    Svg,
    /// `ports.csv`; `posts.csv` where there are posts; `line.csv`, `streamlines.csv`, `walls.csv` where these were asked for; `profiles.csv` where there are species.
    Csv,
    /// `matrix.mtx`, `rhs.mtx`, `solution.mtx`, `unknowns.csv`.
    System,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [
        Format::Json,
        Format::Vtu,
        Format::Svg,
        Format::Csv,
        Format::System,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Vtu => "vtu",
            Format::Svg => "svg",
            Format::Csv => "csv",
            Format::System => "system",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The files that it writes whatever else was asked for.
    pub fn certain_files(self) -> &'static [&'static str] {
        match self {
            Format::Csv | Format::Vtu => &self.files()[..1],
            Format::Json | Format::Svg | Format::System => self.files(),
        }
    }

    /// The files that it may write.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Format::Json => &["summary.json"],
            Format::Vtu => &["fields.vtu", "streamlines.vtp", "walls.vtp"],
            Format::Svg => &["picture.svg"],
            Format::Csv => &[
                "ports.csv",
                "line.csv",
                "posts.csv",
                "profiles.csv",
                "streamlines.csv",
                "walls.csv",
            ],
            Format::System => &["matrix.mtx", "rhs.mtx", "solution.mtx", "unknowns.csv"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_and_files_of_its_own() {
        let mut files: Vec<&str> = Format::ALL
            .iter()
            .flat_map(|f| f.files())
            .copied()
            .collect();
        let n = files.len();
        files.sort_unstable();
        files.dedup();
        assert_eq!(files.len(), n, "no two formats write the same file");
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("vtk"), None);
    }
}
