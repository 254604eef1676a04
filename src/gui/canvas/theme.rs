//! Colours of the canvas, light and dark.

use eframe::egui::{Color32, Visuals};

/// What everything on the canvas is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colours {
    /// Where there is no chip.
    pub background: Color32,
    /// Fine lines of the grid.
    pub grid: Color32,
    /// Every fifth line of the grid or so.
    pub grid_major: Color32,
    /// The two lines through the origin.
    pub axis: Color32,
    /// Inside channels.
    pub fluid: Color32,
    /// Around channels.
    pub wall: Color32,
    /// Free sockets.
    pub socket: Color32,
    /// Ports.
    pub port: Color32,
    /// What is selected, and the box that selects.
    pub accent: Color32,
    /// Over what is selected.
    pub accent_fill: Color32,
    /// What is under the pointer.
    pub hover: Color32,
    /// What will be there when the button is released.
    pub ghost: Color32,
    /// The same, filled.
    pub ghost_fill: Color32,
    /// Walls of the chip that is compared with.
    pub before: Color32,
    /// The control layer.
    pub control: Color32,
    /// Notes.
    pub note: Color32,
    /// What would be connected.
    pub fits: Color32,
    /// What is wrong.
    pub error: Color32,
    /// Text.
    pub ink: Color32,
    /// Text that matters less.
    pub faint: Color32,
    /// Under text.
    pub paper: Color32,
    /// Around `paper`.
    pub paper_line: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// `hex` at `alpha` of 255.
const fn clear(hex: u32, alpha: u8) -> Color32 {
    // Premultiplied by hand: the library's own function is not const.
    const fn times(x: u32, alpha: u8) -> u8 {
        (((x & 0xff) * alpha as u32 + 127) / 255) as u8
    }
    Color32::from_rgba_premultiplied(
        times(hex >> 16, alpha),
        times(hex >> 8, alpha),
        times(hex, alpha),
        alpha,
    )
}

/// Dark on light, as the library's pictures.
pub const LIGHT: Colours = Colours {
    background: rgb(0xfb_fc_fd),
    grid: rgb(0xef_f2_f5),
    grid_major: rgb(0xe0_e6_ec),
    axis: rgb(0xc6_d0_da),
    fluid: rgb(0xcf_e5_f4),
    wall: rgb(0x1f_4e_79),
    socket: rgb(0xd3_54_00),
    port: rgb(0x0b_6e_69),
    accent: rgb(0xc2_18_5b),
    accent_fill: clear(0xc2_18_5b, 44),
    hover: rgb(0xe0_6a_98),
    ghost: rgb(0x5b_7c_99),
    ghost_fill: clear(0x7f_a8_c9, 110),
    before: rgb(0xc9_6f_00),
    control: rgb(0x7a_3f_b8),
    note: rgb(0x6a_58_00),
    fits: rgb(0x1b_8a_3a),
    error: rgb(0xd0_21_21),
    ink: rgb(0x22_2a_31),
    faint: rgb(0x5c_68_73),
    paper: clear(0xff_ff_ff, 235),
    paper_line: rgb(0xcc_d4_dc),
};

/// Light on dark.
pub const DARK: Colours = Colours {
    background: rgb(0x15_18_1c),
    grid: rgb(0x1d_21_26),
    grid_major: rgb(0x28_2e_35),
    axis: rgb(0x3c_45_4f),
    fluid: rgb(0x24_46_5e),
    wall: rgb(0x8e_c4_ea),
    socket: rgb(0xff_9a_4d),
    port: rgb(0x4f_d1_c5),
    accent: rgb(0xff_5c_9a),
    accent_fill: clear(0xff_5c_9a, 52),
    hover: rgb(0xd9_82_a8),
    ghost: rgb(0x9d_b8_cf),
    ghost_fill: clear(0x6f_99_bb, 90),
    before: rgb(0xff_b3_47),
    control: rgb(0xc3_9b_ff),
    note: rgb(0xf0_d9_60),
    fits: rgb(0x5f_d6_7d),
    error: rgb(0xff_6b_6b),
    ink: rgb(0xe8_ec_f0),
    faint: rgb(0x9a_a6_b2),
    paper: clear(0x1e_23_29, 235),
    paper_line: rgb(0x3a_43_4d),
};

impl Colours {
    /// Those that go with the rest of the window.
    pub fn of(visuals: &Visuals) -> &'static Self {
        if visuals.dark_mode { &DARK } else { &LIGHT }
    }
}

/// Relative luminance as WCAG 2 defines it.
#[cfg(test)]
fn luminance(colour: Color32) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    let [r, g, b, _] = colour.to_array();
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// How two colours stand out from each other, 1 to 21 (WCAG 2).
#[cfg(test)]
pub(crate) fn contrast(a: Color32, b: Color32) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_lines_stand_out_from_what_is_behind_them() {
        for colours in [&LIGHT, &DARK] {
            for behind in [colours.background, colours.fluid] {
                let text = contrast(colours.ink, behind);
                assert!(text >= 7.0, "ink: {text}");
                for line in [
                    colours.wall,
                    colours.accent,
                    colours.port,
                    colours.error,
                    colours.control,
                    colours.note,
                ] {
                    let line = contrast(line, behind);
                    assert!(line >= 3.0, "a line: {line}");
                }
            }
            assert!(contrast(colours.faint, colours.background) >= 4.5);
        }
    }
}
