//! The table of formats: what a user may ask for, what each is called, and who writes it.

use super::{OutlineError, Outlines, dxf, gds, mask, number, parchmint, stl};

/// A format of outlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Drawing, R2000 in mm: a block for each kind of part, or flat.
    Dxf,
    /// GDSII: a cell for each kind of part.
    Gds,
    /// Solid of triangles, mm: the fluid, or a block with the channel in it.
    Stl,
    /// Photomask at true size as SVG.
    Mask,
    /// ParchMint 1.2: devices, and the channels between them.
    Parchmint,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [
        Format::Dxf,
        Format::Gds,
        Format::Stl,
        Format::Mask,
        Format::Parchmint,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Dxf => "dxf",
            Format::Gds => "gds",
            Format::Stl => "stl",
            Format::Mask => "mask",
            Format::Parchmint => "parchmint",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether it tells how deep each part is; the others hold the outline of all depths together.
    pub fn tells_depths(self) -> bool {
        matches!(self, Format::Gds | Format::Stl | Format::Parchmint)
    }

    /// Whether it has the control layer, and notes, beside the flow.
    pub fn has_overlays(self) -> bool {
        matches!(self, Format::Dxf | Format::Gds | Format::Mask)
    }

    /// How the names of its files end, after the design's.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Dxf => ".dxf",
            Format::Gds => ".gds",
            Format::Stl => ".stl",
            Format::Mask => ".mask.svg",
            Format::Parchmint => ".parchmint.json",
        }
    }
}

/// What a solid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solid {
    /// The fluid, from z = 0 to the depth.
    #[default]
    Channel,
    /// The chip with the channel open at the top, for printing and for moulds.
    Block,
}

/// What a mask blackens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polarity {
    /// Black field, clear channels: negative resists such as SU-8 harden where there is light.
    #[default]
    Dark,
    /// Clear field, black channels.
    Clear,
}

/// What outlines are written with; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How far chords may be from their arcs where a format has no arcs; 0 for each format's default
    /// (GDSII 5 nm, STL 1 µm). Smaller files get coarser curves; areas are kept either way.
    pub tolerance: f64,
    /// Database unit of GDSII; 0 for 1 nm, or 0.1 nm where 1 nm changes the chip's area by more than half a millionth. A coarser one
    /// reaches farther.
    pub grid: f64,
    /// DXF: the united outline instead of a block for each kind of part.
    pub is_flat: bool,
    /// A frame this far outside of the chip: its own layer in DXF and GDSII, the sheet of a mask, the edge of a block.
    /// 0 for none; a mask then has 1 mm, a block 2 mm.
    pub margin: f64,
    /// STL: what is solid.
    pub solid: Solid,
    /// STL: thickness of a block under the channel. Default 1 mm.
    pub floor: f64,
    /// STL: text with a solid for each port and one for the walls.
    pub has_patches: bool,
    /// Mask: what is black.
    pub polarity: Polarity,
    /// Mask: whether it is that of the control layer, not of the flow. Both have sheets of one size.
    pub is_control: bool,
    /// STL: depth of a chip that gives none.
    pub depth: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 0.0,
            grid: 0.0,
            is_flat: false,
            margin: 0.0,
            solid: Solid::Channel,
            floor: 1e-3,
            has_patches: false,
            polarity: Polarity::Dark,
            is_control: false,
            depth: None,
        }
    }
}

impl Settings {
    /// Refuses what no format can use.
    ///
    /// # Errors
    /// [`OutlineError::Setting`] with the setting and its range.
    pub fn validate(&self) -> Result<(), OutlineError> {
        let within = |name, value: f64, low: f64, high: f64, range| {
            if value >= low && value <= high {
                Ok(())
            } else {
                let value = format!("{} mm", number::mm(value));
                Err(OutlineError::Setting { name, range, value })
            }
        };
        if self.tolerance != 0.0 {
            within(
                "the tolerance",
                self.tolerance,
                1e-10,
                1e-2,
                "between 0.1 nm and 10 mm",
            )?;
        }
        if self.grid != 0.0 {
            within(
                "the grid",
                self.grid,
                1e-11,
                1e-5,
                "between 0.01 nm and 10 um",
            )?;
        }
        within("the margin", self.margin, 0.0, 10.0, "between 0 and 10 m")?;
        within(
            "the floor",
            self.floor,
            1e-7,
            10.0,
            "between 0.1 um and 10 m",
        )?;
        match self.depth {
            Some(depth) => within("the depth", depth, 1e-9, 1.0, "between 1 nm and 1 m"),
            None => Ok(()),
        }
    }

    /// How names of files end, after the design's.
    pub fn ending(&self, format: Format) -> &'static str {
        match format {
            Format::Mask if self.is_control => ".control.mask.svg",
            _ => format.ending(),
        }
    }

    /// The tolerance, or a format's default.
    pub(super) fn tolerance_or(&self, default: f64) -> f64 {
        if self.tolerance > 0.0 {
            self.tolerance
        } else {
            default
        }
    }

    /// The margin, or a format's default.
    pub(super) fn margin_or(&self, default: f64) -> f64 {
        if self.margin > 0.0 {
            self.margin
        } else {
            default
        }
    }
}

/// A chip's outlines as the bytes of a file.
///
/// # Errors
/// What the format can't hold; see [`OutlineError`].
pub fn write(
    format: Format,
    outlines: &Outlines,
    settings: &Settings,
) -> Result<Vec<u8>, OutlineError> {
    settings.validate()?;
    match format {
        Format::Dxf => Ok(dxf::write(outlines, settings)),
        Format::Gds => gds::write(outlines, settings),
        Format::Stl => stl::write(outlines, settings),
        Format::Mask => mask::write(outlines, settings),
        Format::Parchmint => Ok(parchmint::write(outlines)),
    }
}
