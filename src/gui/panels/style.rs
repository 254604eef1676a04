//! How the window looks: sizes of text and contrast, for light and dark.

use eframe::egui::{Color32, Context, FontId, Stroke, Style, TextStyle, Theme};

/// Sets both themes; to be called once.
pub fn apply(ctx: &Context) {
    ctx.style_mut_of(Theme::Dark, |style| {
        sizes(style);
        let visuals = &mut style.visuals;
        visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(186);
        visuals.weak_text_color = Some(Color32::from_gray(140));
        visuals.widgets.inactive.bg_stroke = Stroke::new(1.0, Color32::from_gray(58));
    });
    ctx.style_mut_of(Theme::Light, |style| {
        sizes(style);
        let visuals = &mut style.visuals;
        // Fields are white: what they stand on must not be.
        visuals.panel_fill = Color32::from_gray(241);
        visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(48);
        visuals.weak_text_color = Some(Color32::from_gray(98));
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
