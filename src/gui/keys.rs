//! Which keys ask for which commands.

use eframe::egui::{Key, Modifiers};

use super::command::{Command, Layer};
use super::context::{Tool, Workspace};
use super::results::Quantity;
use stokeslet_cad::design::OverlayLayer;
use stokeslet_cad::edits::Axis;
use stokeslet_flow::export::Format;

/// Keys and what they ask for.
pub type Binding = (Modifiers, Key, fn() -> Command);

/// All shortcuts. With several for one command, menus show the first.
pub const SHORTCUTS: &[Binding] = {
    const CTRL: Modifiers = Modifiers::COMMAND;
    const BOTH: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
    const NONE: Modifiers = Modifiers::NONE;
    const SHIFT: Modifiers = Modifiers::SHIFT;
    use Command as C;
    &[
        (CTRL, Key::N, || C::New),
        (CTRL, Key::O, || C::Open),
        (CTRL, Key::S, || C::Save),
        (BOTH, Key::S, || C::SaveAs),
        (CTRL, Key::E, || C::Export(Format::ALL.to_vec())),
        (CTRL, Key::Q, || C::Quit),
        (CTRL, Key::Z, || C::Undo),
        (BOTH, Key::Z, || C::Redo),
        (CTRL, Key::Y, || C::Redo),
        (CTRL, Key::A, || C::SelectAll),
        (CTRL, Key::D, || C::Duplicate),
        (CTRL, Key::G, || C::Group),
        (BOTH, Key::G, || C::Ungroup),
        (NONE, Key::F2, || C::EditName),
        (SHIFT, Key::O, || C::OpenEnds),
        (NONE, Key::D, || C::ToggleDimensions),
        (NONE, Key::H, || C::HideSelected),
        (SHIFT, Key::H, || C::ShowHidden),
        (NONE, Key::Delete, || C::Delete),
        (NONE, Key::Backspace, || C::Delete),
        (NONE, Key::R, || C::Rotate(1)),
        (SHIFT, Key::R, || C::Rotate(-1)),
        (NONE, Key::M, || C::Mirror(Axis::X)),
        (SHIFT, Key::M, || C::Mirror(Axis::Y)),
        (NONE, Key::V, || C::SetTool(Tool::Select)),
        (NONE, Key::C, || C::SetTool(Tool::Channel)),
        (NONE, Key::O, || C::SetTool(Tool::Port)),
        (NONE, Key::U, || C::SetTool(Tool::Ruler)),
        (NONE, Key::P, || C::SetTool(Tool::Probe)),
        (NONE, Key::L, || C::SetTool(Tool::Line)),
        (NONE, Key::T, || C::SetTool(Tool::Streamline)),
        (SHIFT, Key::C, || {
            C::SetTool(Tool::Overlay(OverlayLayer::Control))
        }),
        (NONE, Key::N, || {
            C::SetTool(Tool::Overlay(OverlayLayer::Notes))
        }),
        (NONE, Key::F, || C::Fit),
        (SHIFT, Key::F, || C::FitSelection),
        (CTRL, Key::Plus, || C::ZoomIn),
        (CTRL, Key::Equals, || C::ZoomIn),
        (CTRL, Key::Minus, || C::ZoomOut),
        (NONE, Key::F5, || C::Solve),
        (NONE, Key::Num1, || C::Colour(Some(Quantity::SPEED))),
        (NONE, Key::Num2, || C::Colour(Some(Quantity::PRESSURE))),
        (NONE, Key::Num3, || C::Colour(Some(Quantity::WALL_SHEAR))),
        (NONE, Key::Num4, || C::Colour(Some(Quantity::Species(0)))),
        (NONE, Key::Num5, || C::Colour(Some(Quantity::Age))),
        (NONE, Key::Num0, || C::Colour(None)),
        (NONE, Key::K, || C::TogglePlay),
        (NONE, Key::G, || C::ToggleLayer(Layer::Grid)),
        (NONE, Key::A, || C::ToggleLayer(Layer::Arrows)),
        (NONE, Key::S, || C::ToggleLayer(Layer::Streamlines)),
        (CTRL, Key::Num1, || C::Enter(Workspace::Chip)),
        (CTRL, Key::Num2, || C::Enter(Workspace::Liquids)),
        (CTRL, Key::P, || C::CommandPalette),
        (CTRL, Key::K, || C::CommandPalette),
        (NONE, Key::F1, || C::Shortcuts),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liquids::LIQUID_SHORTCUTS;

    #[test]
    fn no_two_commands_share_their_keys() {
        // Those of liquids go first where liquids are seen: they may be another's elsewhere, not another's of liquids.
        for all in [SHORTCUTS, LIQUID_SHORTCUTS] {
            for (k, (modifiers, key, _)) in all.iter().enumerate() {
                for (other, other_key, command) in &all[..k] {
                    assert!(
                        (modifiers, key) != (other, other_key),
                        "{key:?} is taken by {:?}",
                        command()
                    );
                }
            }
        }
    }
}
