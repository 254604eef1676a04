//! How the window looks: sizes of text and contrast, for light and dark.

use eframe::egui::{Color32, Context, FontId, Stroke, Style, TextStyle, Theme};

/// Sets both themes; to be called once.
pub fn apply(ctx: &Context) {
    ctx.style_mut_of(Theme::Dark, |style| {
        sizes(style);
        let visuals = &mut style.visuals;
        visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(186);
        visuals.weak_text_color = Some(Color32::from_gray(140));
        visuals.error_fg_color = Color32::from_rgb(0xff, 0x6e, 0x6e);
        visuals.warn_fg_color = Color32::from_rgb(0xff, 0xa6, 0x3d);
        visuals.widgets.inactive.bg_stroke = Stroke::new(1.0, Color32::from_gray(58));
    });
    ctx.style_mut_of(Theme::Light, |style| {
        sizes(style);
        let visuals = &mut style.visuals;
        // Fields are white: what they stand on must not be.
        visuals.panel_fill = Color32::from_gray(241);
        visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(48);
        visuals.weak_text_color = Some(Color32::from_gray(98));
        visuals.error_fg_color = Color32::from_rgb(0xc2, 0x12, 0x12);
        visuals.warn_fg_color = Color32::from_rgb(0x9a, 0x56, 0x00);
        visuals.hyperlink_color = Color32::from_rgb(0x0b, 0x5c, 0xad);
        visuals.widgets.inactive.bg_stroke = Stroke::new(1.0, Color32::from_gray(205));
    });
}

/// Small text must still be read at one pixel a point.
fn sizes(style: &mut Style) {
    let small = FontId::proportional(11.0);
    style.text_styles.insert(TextStyle::Small, small);
    let heading = FontId::proportional(17.0);
    style.text_styles.insert(TextStyle::Heading, heading);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::theme::contrast;

    #[test]
    fn words_stand_out_from_panels_and_fields() {
        let ctx = Context::default();
        apply(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = ctx.style_of(theme).visuals.clone();
            for behind in [visuals.panel_fill, visuals.window_fill] {
                for (what, ink) in [
                    ("text", visuals.text_color()),
                    ("weak text", visuals.weak_text_color()),
                    ("an error", visuals.error_fg_color),
                    ("a warning", visuals.warn_fg_color),
                    ("a link", visuals.hyperlink_color),
                ] {
                    let contrast = contrast(ink, behind);
                    assert!(contrast >= 4.5, "{theme:?}: {what} {contrast:.2}");
                }
            }
        }
    }
}
