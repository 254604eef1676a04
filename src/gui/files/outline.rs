//! The chip's outline as files for the workshop, without a solve; the same as the command line's `export`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stokeslet_cad::chip::{Chip, drawn};
use stokeslet_cad::design::Design;
use stokeslet_cad::library::Library;
use stokeslet_cad::outline::{Format, Outlines, Polarity, Settings, Solid, write};
use stokeslet_flow::export::write_file;

use super::sentence;

/// A kind of file, and what it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// DXF with a block for each kind of part.
    Dxf,
    /// DXF of the united outline.
    DxfFlat,
    /// GDSII with a cell for each kind of part.
    Gds,
    /// STL of the fluid.
    Fluid,
    /// STL of a block with the channel open at the top.
    Block,
    /// Photomask, clear channels in a black field.
    MaskDark,
    /// Photomask, black channels in a clear field.
    MaskClear,
    /// Photomask of the control layer, clear in a black field.
    MaskControl,
    /// Netlist with a drawing.
    Parchmint,
}

impl OutlineKind {
    /// All of them, in the order of the menu.
    pub const ALL: [OutlineKind; 9] = [
        OutlineKind::Dxf,
        OutlineKind::DxfFlat,
        OutlineKind::Gds,
        OutlineKind::MaskDark,
        OutlineKind::MaskClear,
        OutlineKind::MaskControl,
        OutlineKind::Fluid,
        OutlineKind::Block,
        OutlineKind::Parchmint,
    ];

    /// Its name in menus.
    pub fn label(self) -> &'static str {
        match self {
            OutlineKind::Dxf => "DXF, a block for each kind of part",
            OutlineKind::DxfFlat => "DXF, one united outline",
            OutlineKind::Gds => "GDSII, a cell for each kind of part",
            OutlineKind::MaskDark => "Mask (SVG), clear channels in black",
            OutlineKind::MaskClear => "Mask (SVG), black channels",
            OutlineKind::MaskControl => "Mask (SVG) of the control layer, clear in black",
            OutlineKind::Fluid => "STL of the fluid",
            OutlineKind::Block => "STL of a block with the channel",
            OutlineKind::Parchmint => "ParchMint netlist",
        }
    }

    /// Its format.
    pub fn format(self) -> Format {
        match self {
            OutlineKind::Dxf | OutlineKind::DxfFlat => Format::Dxf,
            OutlineKind::Gds => Format::Gds,
            OutlineKind::Fluid | OutlineKind::Block => Format::Stl,
            OutlineKind::MaskDark | OutlineKind::MaskClear | OutlineKind::MaskControl => {
                Format::Mask
            }
            OutlineKind::Parchmint => Format::Parchmint,
        }
    }

    /// How names of its files end, without the dot.
    pub fn ending(self) -> &'static str {
        let ending = self.settings().ending(self.format());
        ending.trim_start_matches('.')
    }

    fn settings(self) -> Settings {
        let usual = Settings::default();
        match self {
            OutlineKind::DxfFlat => Settings {
                is_flat: true,
                ..usual
            },
            OutlineKind::Block => Settings {
                solid: Solid::Block,
                ..usual
            },
            OutlineKind::MaskClear => Settings {
                polarity: Polarity::Clear,
                ..usual
            },
            OutlineKind::MaskControl => Settings {
                is_control: true,
                ..usual
            },
            _ => usual,
        }
    }
}

/// Writes it; what to tell then, or why there is no file.
pub fn write_outline(
    kind: OutlineKind,
    (design, library): (&Design, &Library),
    chip: &Arc<Chip>,
    path: &Path,
) -> Result<String, String> {
    // A link has no place; a netlist has them all.
    let placed = match kind.format() {
        Format::Parchmint => None,
        _ if design.links.is_empty() => None,
        _ => Some(drawn(design, chip)),
    };
    let left_out = placed.as_ref().map_or(0, |_| design.links.len());
    let outlines = Outlines::new(placed.as_ref().unwrap_or(chip)).with_design(design, library);
    let failed = |why: String| format!("Nothing was exported: {why}");
    let bytes = write(kind.format(), &outlines, &kind.settings())
        .map_err(|error| failed(sentence(&error)))?;
    write_file(path, &bytes).map_err(|error| failed(sentence(&error)))?;
    let (islands, holes) = outlines.islands_and_holes();
    let area = outlines.area() * 1e6;
    let mut told = format!("Wrote {}: {area:.4} mm²", path.display());
    for (n, what) in [(islands, "island"), (holes, "hole")] {
        let many = if n == 1 { "" } else { "s" };
        told.push_str(&format!(", {n} {what}{many}"));
    }
    if left_out > 0 {
        told.push_str(&format!("; {left_out} links left out, which have no place"));
    }
    let overlays = design.overlays.len();
    if overlays > 0 && !kind.format().has_overlays() {
        told.push_str("; control layer and notes left out, for which it has no layers");
    }
    if outlines.chip.has_depths() && !kind.format().tells_depths() {
        told.push_str("; parts differ in depth, and this holds the outline of all together");
    }
    Ok(told)
}

/// The file's name after the design's.
pub fn suggested(kind: OutlineKind, folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!("{stem}.{}", kind.ending()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_cad::chip::place;
    use stokeslet_cad::design::parse;

    #[test]
    fn every_kind_is_written_and_no_two_are_alike() {
        let text = crate::files::examples::named("tee")
            .expect("it is there")
            .text;
        let text = format!(
            "{text}\n[control]\nvalve = {{ box = [[\"0 mm\", \"0 mm\"], [\"1 mm\", \"1 mm\"]] }}\n"
        );
        let (design, _) = parse(text, "tee");
        let design = design.expect("a design");
        let (chip, _) = place(&design, &Library::embedded());
        let chip = Arc::new(chip.expect("a chip"));
        let home = tempfile::tempdir().unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for (k, kind) in OutlineKind::ALL.into_iter().enumerate() {
            let path = suggested(kind, home.path(), &format!("tee{k}"));
            let told = write_outline(kind, (&design, &Library::embedded()), &chip, &path)
                .expect("written");
            assert!(told.contains("1 island, 0 holes"), "{told}");
            assert!(seen.insert(std::fs::read(&path).unwrap()), "{kind:?}");
        }
        let nowhere = home.path().join("no/such/folder/\u{0}.dxf");
        assert!(
            write_outline(
                OutlineKind::Dxf,
                (&design, &Library::embedded()),
                &chip,
                &nowhere
            )
            .is_err()
        );
    }
}
