//! A picture as SVG into what papers and slides take: PDF, or pixels at any size.

use std::sync::Arc;

use eframe::egui::FontDefinitions;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree, WriteOptions};
use svg2pdf::{ConversionOptions, PageOptions};
use thiserror::Error;

/// Most pixels along a side.
const MOST: f32 = 16_384.0;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum PaperError {
    /// The picture can't be read back, which is a mistake of this program.
    #[error("the picture can't be read back")]
    Read(#[from] resvg::usvg::Error),
    /// It can't be written as PDF.
    #[error("the picture can't be written as PDF: {0}")]
    Pdf(String),
    /// So many pixels can't be had.
    #[error("a picture of {0} by {1} pixels is too large")]
    TooLarge(u32, u32),
    /// It can't be written as PNG.
    #[error("the picture can't be written as PNG: {0}")]
    Png(String),
}

/// As a PDF of one page; lines stay lines, letters become outlines.
///
/// # Errors
/// [`PaperError`].
pub fn pdf(svg: &str) -> Result<Vec<u8>, PaperError> {
    let outlines = read(svg)?.to_string(&WriteOptions::default());
    let tree = read(&outlines)?;
    svg2pdf::to_pdf(&tree, ConversionOptions::default(), PageOptions::default())
        .map_err(|error| PaperError::Pdf(error.to_string()))
}

/// As a PNG, `scale` pixels a point; without a ground of its own where `is_clear`, else on white.
///
/// # Errors
/// [`PaperError`].
pub fn pixels(svg: &str, scale: f32, is_clear: bool) -> Result<Vec<u8>, PaperError> {
    let tree = read(svg)?;
    let size = tree.size();
    let (width, height) = (
        (size.width() * scale).ceil(),
        (size.height() * scale).ceil(),
    );
    let too_large = || PaperError::TooLarge(width as u32, height as u32);
    if width > MOST || height > MOST {
        return Err(too_large());
    }
    let mut picture = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    if !is_clear {
        picture.fill(Color::WHITE);
    }
    let transform = Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut picture.as_mut());
    picture
        .encode_png()
        .map_err(|error| PaperError::Png(error.to_string()))
}

fn read(svg: &str) -> Result<Tree, PaperError> {
    // The window's own fonts: what is seen is what is printed, on any system.
    let mut fonts = Database::new();
    let own = FontDefinitions::default();
    for font in own.font_data.values() {
        fonts.load_font_data(font.font.as_ref().as_ref().to_vec());
    }
    let families: Vec<(String, bool)> = fonts
        .faces()
        .filter_map(|face| Some((face.families.first()?.0.clone(), face.monospaced)))
        .collect();
    let of = |is_monospaced: bool| {
        let text = |(name, _): &&(String, bool)| !name.contains("Emoji") && !name.contains("icon");
        let mut all = families.iter().filter(text);
        all.find(|(_, monospaced)| *monospaced == is_monospaced)
            .map_or_else(String::new, |(name, _)| name.clone())
    };
    let (plain, monospaced) = (of(false), of(true));
    fonts.set_sans_serif_family(plain.clone());
    fonts.set_serif_family(plain.clone());
    fonts.set_monospace_family(monospaced);
    let options = Options {
        fontdb: Arc::new(fonts),
        font_family: plain,
        ..Options::default()
    };
    Ok(Tree::from_str(svg, &options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><rect x=\"0\" y=\"0\" width=\"10\" height=\"20\" fill=\"#ff0000\"/><text x=\"14\" y=\"15\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#000000\">M</text></svg>";

    fn colours(bytes: &[u8]) -> image::RgbaImage {
        image::load_from_memory(bytes).expect("a PNG").to_rgba8()
    }

    #[test]
    fn pixels_have_the_size_the_ground_and_the_letters() {
        let white = colours(&pixels(SVG, 4.0, false).expect("a picture"));
        assert_eq!(white.dimensions(), (160, 80));
        assert_eq!(white.get_pixel(10, 10).0, [255, 0, 0, 255]);
        assert_eq!(white.get_pixel(150, 5).0, [255; 4]);
        let dark = |picture: &image::RgbaImage| {
            picture
                .pixels()
                .filter(|p| p.0[1] < 100 && p.0[0] < 100 && p.0[3] > 200)
                .count()
        };
        assert!(dark(&white) > 100, "the letter is drawn: {}", dark(&white));
        let clear = colours(&pixels(SVG, 1.0, true).expect("a picture"));
        assert_eq!(clear.get_pixel(38, 1).0[3], 0);
        assert!(matches!(
            pixels(SVG, 1e4, true),
            Err(PaperError::TooLarge(..))
        ));
        assert!(matches!(
            pixels("nonsense", 1.0, true),
            Err(PaperError::Read(_))
        ));
    }

    #[test]
    fn a_pdf_has_its_page_and_its_letters() {
        let file = pdf(SVG).expect("a PDF");
        assert!(file.starts_with(b"%PDF-"));
        let has = |what: &[u8]| file.windows(what.len()).any(|w| w == what);
        assert!(has(b"/MediaBox"), "a page");
        assert!(!has(b"/FontFile"), "no font is needed to read it");
        let (text, rest) = SVG.split_once("<text").expect("a letter");
        let bare = format!(
            "{text}{}",
            &rest[rest.find("</text>").expect("its end") + 7..]
        );
        let bare = pdf(&bare).expect("a PDF");
        assert!(
            file.len() > bare.len() + 40,
            "{} {}",
            file.len(),
            bare.len()
        );
    }
}
