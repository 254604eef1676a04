//! Whether a command can be done now, and why not: the same for menus, toolbar, shortcuts and the palette of commands.

use crate::command::Command;
use crate::context::{ViewContext, Workspace};
use crate::species::quantities;
use crate::studies::StudyCommand;
use stokeslet_cad::chip::SocketUse;
use stokeslet_cad::design::Placement;
use stokeslet_cad::edits::Align;

/// `Err` says why not, as the end of "this is grey because ...".
///
/// # Errors
/// What keeps the command from being done.
pub fn is_enabled(command: &Command, context: &ViewContext<'_>) -> Result<(), &'static str> {
    use Command as C;
    let sees_liquids = context.workspace == Workspace::Liquids;
    if sees_liquids && is_of_chip(command) {
        return Err("it is about the chip: go to its workspace first");
    }
    let document = context.document;
    let history = &document.history;
    let items = context.selection.items.len();
    match command {
        C::Liquid(command) => command.is_enabled(context),
        C::Preview(command) => is_enabled(command, context),
        C::Fit if sees_liquids => Ok(()),
        C::Undo => some(history.undo_label(), "nothing was done yet"),
        C::Redo => some(history.redo_label(), "nothing was undone"),
        C::GoTo(step) => when(*step < history.steps().len(), "there is no such step"),
        C::Save => when(
            document.is_modified() || document.path.is_none(),
            "everything is saved",
        ),

        C::SelectAll => when(!is_empty(context), "the design is empty"),
        C::Cut
        | C::Copy
        | C::Duplicate
        | C::DuplicateBy(_)
        | C::MirrorCopy(..)
        | C::Array { .. }
        | C::CircularPattern { .. }
        | C::Move(_)
        | C::PreviewMove(_)
        | C::Rotate(_)
        | C::Mirror(_) => {
            readable(context)?;
            when(
                items > 0,
                "nothing that this could be done with is selected",
            )
        }
        C::Group => {
            readable(context)?;
            when(items > 1, "fewer than two things are selected")
        }
        C::OpenEnds => {
            readable(context)?;
            let sockets = &document.layout.sockets;
            let is_free = sockets.iter().any(|s| s.used == SocketUse::Free);
            when(is_free, "no end is free")
        }
        C::ToggleDimensions => {
            readable(context)?;
            let components = document.design.iter().flat_map(|d| &d.components);
            let mut names = components.map(|c| &c.name.value);
            let is_some = names.any(|name| context.selection.items.contains(name));
            when(is_some, "no component is selected")
        }
        C::HideSelected => when(!context.selection.is_empty(), "nothing is selected"),
        C::ShowHidden => when(!context.hidden.is_empty(), "nothing is hidden"),
        C::Ungroup => {
            readable(context)?;
            let groups = document.design.iter().flat_map(|d| &d.groups);
            let mut members = groups.flat_map(|group| &group.of);
            let is_grouped = members.any(|m| context.selection.items.contains(&m.value));
            when(is_grouped, "nothing of a group is selected")
        }
        C::Delete => {
            readable(context)?;
            when(!context.selection.is_empty(), "nothing is selected")
        }
        C::EditName => {
            readable(context)?;
            let named = context
                .selection
                .port
                .as_deref()
                .or(context.selection.single());
            some(
                named.as_ref(),
                "not one component, channel or port is selected",
            )
        }
        C::Detach => {
            readable(context)?;
            when(
                is_attached(context),
                "no component that hangs on another is selected",
            )
        }
        C::FitSelection => when(!context.selection.is_empty(), "nothing is selected"),
        C::Align(Align::SpreadX | Align::SpreadY) => {
            readable(context)?;
            when(items > 2, "fewer than three things are selected")
        }
        C::Align(_) => {
            readable(context)?;
            when(items > 1, "fewer than two things are selected")
        }

        C::DrawLinks => {
            readable(context)?;
            let design = document.design.as_ref();
            when(
                design.is_some_and(|d| !d.links.is_empty()),
                "no link is there: components are joined or drawn already",
            )?;
            when(
                design.is_some_and(|d| d.channels.is_empty()),
                "channels are drawn already, whose places aren't to be changed",
            )
        }

        C::Place { .. }
        | C::AskToPaste
        | C::Paste(..)
        | C::Channel { .. }
        | C::AddOverlay(..)
        | C::SetOverlay(_)
        | C::MoveWayPoint { .. }
        | C::AddPort(_)
        | C::SetCondition(..)
        | C::RemovePort(_)
        | C::Rename(..)
        | C::RenamePort(..)
        | C::SetParameter { .. }
        | C::SetDimension { .. }
        | C::EditDimension(..)
        | C::SetPlacement(..)
        | C::SetChannelShape { .. }
        | C::SetItemDepth { .. }
        | C::SetTitle(_)
        | C::SetViscosity(_)
        | C::SetModel(_)
        | C::SetDepth(_)
        | C::SetWidth(_)
        | C::SetResolution(_)
        | C::SetVariable(..)
        | C::RemoveVariable(_)
        | C::RemoveSpecies(_)
        | C::SetDiffusivity(..)
        | C::SetInlet(..)
        | C::Edit(..) => readable(context),
        C::AddSpecies(_) => {
            readable(context)?;
            let ports = document.design.as_ref().map(|d| d.ports.len());
            when(
                ports > Some(0),
                "no port is there that it could enter by: open a socket first",
            )
        }
        C::Colour(Some(quantity)) if quantity.is_dissolved() => {
            let offered = quantities(document.shown_design().map(|d| &**d));
            when(
                offered.iter().any(|(q, _)| q == quantity),
                "the design has no such species: add one (panel Species)",
            )
        }
        C::TogglePlay => some(context.results.solved.as_ref(), "nothing is solved yet"),

        C::Study(command) => study(command, context),

        C::Fit => when(!is_empty(context), "the design is empty"),
        C::Outline(_) | C::OutlineTo(..) => solvable(context),
        C::Picture(_) | C::PictureTo(..) => when(
            !document.layout.parts.is_empty(),
            "there is nothing to draw yet",
        ),

        C::Solve | C::SolveAt(_) | C::Export(_) | C::ExportTo(..) => solvable(context),
        C::Cancel => {
            let under_way = context.worker.running.is_some() || context.worker.exporting.is_some();
            when(under_way, "no solve is under way")
        }
        C::SetLive(on) => match (on, context.settings.live) {
            (true, true) => Err("it is so already: every edit starts a solve"),
            (false, false) => Err("it is so already: solves start when asked for"),
            _ => Ok(()),
        },

        C::SetRange(None) => some(
            context.shown.range.as_ref(),
            "the range is that of the field already",
        ),
        C::ClearProbes => {
            let shown = context.shown;
            let kept = shown.probes.len() + shown.lines.len() + shown.seeds.len();
            let kept = kept + shown.rulers.len();
            when(kept > 0, "no probe, line, seed or ruler is kept")
        }
        C::KeepBefore => {
            let solved = context.results.solved.as_ref();
            some(solved, "nothing is solved yet")?;
            let is_new = solved.is_some_and(|s| s.revision == context.document.revision);
            when(is_new, "what is drawn isn't solved yet")
        }
        C::ForgetBefore => some(context.before.as_ref(), "nothing is kept"),
        C::RemoveLine(line) | C::MoveLine(line, _) => {
            when(*line < context.shown.lines.len(), "there is no such line")
        }
        C::CopyProfiles => {
            some(context.shown.lines.first(), "no line probe is drawn")?;
            some(context.results.solved.as_ref(), "nothing is solved yet")
        }
        C::Hint(None) => some(context.settings.hint.as_ref(), "no hint is shown"),

        C::New
        | C::Open
        | C::OpenPath(_)
        | C::OpenExample(_)
        | C::Gallery
        | C::SaveAs
        | C::SaveTo(_)
        | C::Quit
        | C::Select(_)
        | C::ToggleSelected(_)
        | C::Show(_)
        | C::EndPreview
        | C::SetHidden(..)
        | C::SetText(_)
        | C::SetTool(_)
        | C::ZoomIn
        | C::ZoomOut
        | C::TogglePanel(_)
        | C::ToggleLayer(_)
        | C::SetTheme(_)
        | C::SetJoint(_)
        | C::CommandPalette
        | C::Shortcuts
        | C::About
        | C::Hint(Some(_))
        | C::Enter(_)
        | C::Colour(_)
        | C::SetRange(Some(_))
        | C::AddProbe(_)
        | C::AddLine(..)
        | C::AddSeed(_)
        | C::SetPace(_)
        | C::AddRuler(..) => Ok(()),
    }
}

fn study(command: &StudyCommand, context: &ViewContext<'_>) -> Result<(), &'static str> {
    let studies = context.studies;
    match command {
        StudyCommand::Ask(_) => solvable(context),
        StudyCommand::Stop => some(studies.running.as_ref(), "no study is under way"),
        StudyCommand::TakePoint(index) => some(
            studies.sweep.as_ref().and_then(|s| s.records.get(index)),
            "the sweep has no such point",
        ),
        StudyCommand::TakeFound => some(studies.found.as_ref(), "nothing was found for goals yet"),
        StudyCommand::CopyTable => some(studies.sweep.as_ref(), "no sweep was run yet"),
    }
}

/// Whether one component is selected, and hangs on another.
fn is_attached(context: &ViewContext<'_>) -> bool {
    let design = context.document.shown_design();
    let (Some(design), Some(name)) = (design, context.selection.single()) else {
        return false;
    };
    let component = design.components.iter().find(|c| c.name.value == name);
    component.is_some_and(|c| matches!(c.placement, Placement::Attached(_)))
}

/// Whether a command is about the chip, which isn't seen among liquids: nothing changes unseen.
fn is_of_chip(command: &Command) -> bool {
    use Command as C;
    !matches!(
        command,
        C::New
            | C::Open
            | C::OpenPath(_)
            | C::OpenExample(_)
            | C::Gallery
            | C::Save
            | C::SaveAs
            | C::SaveTo(_)
            | C::Quit
            | C::ZoomIn
            | C::ZoomOut
            | C::Fit
            | C::SetTheme(_)
            | C::CommandPalette
            | C::Shortcuts
            | C::About
            | C::Cancel
            | C::EndPreview
            | C::Enter(_)
            | C::Liquid(_)
    )
}

fn when(is_so: bool, why_not: &'static str) -> Result<(), &'static str> {
    if is_so { Ok(()) } else { Err(why_not) }
}

fn some<T>(thing: Option<T>, why_not: &'static str) -> Result<(), &'static str> {
    when(thing.is_some(), why_not)
}

/// Whether there is nothing on the canvas.
fn is_empty(context: &ViewContext<'_>) -> bool {
    let document = context.document;
    let overlays = document.design.as_ref().map_or(0, |d| d.overlays.len());
    document.layout.items.is_empty() && overlays == 0
}

/// The text can be changed by edits.
fn readable(context: &ViewContext<'_>) -> Result<(), &'static str> {
    some(
        context.document.design.as_ref(),
        "the file can't be read: mend its text first (panel Source)",
    )
}

fn solvable(context: &ViewContext<'_>) -> Result<(), &'static str> {
    readable(context)?;
    let layout = &context.document.layout;
    when(!layout.items.is_empty(), "the design is empty")?;
    some(
        layout.chip.as_ref(),
        "the design has errors (panel Problems)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Selection;
    use crate::context::WindowState;
    use crate::document::{Document, EMPTY};
    use crate::files::examples;
    use crate::panels::testing::opened;
    use stokeslet_flow::export::Format;

    fn check(state: &WindowState, table: &[(Command, bool)]) {
        for (command, want) in table {
            let got = is_enabled(command, &state.context());
            assert_eq!(got.is_ok(), *want, "{}: {got:?}", command.label());
        }
    }

    #[test]
    fn an_empty_design_offers_little() {
        use Command as C;
        let state = opened(EMPTY);
        check(
            &state,
            &[
                (C::Undo, false),
                (C::Redo, false),
                (C::Save, true),
                (C::SelectAll, false),
                (C::Delete, false),
                (C::Solve, false),
                (C::Cancel, false),
                (C::Export(Format::ALL.to_vec()), false),
                (C::Fit, false),
                (C::SetWidth(stokeslet_base::units::Metre(1e-4)), true),
                (C::SetLive(true), !state.settings.live),
                (C::CopyProfiles, false),
                (C::GoTo(0), true),
                (C::GoTo(1), false),
            ],
        );
    }

    #[test]
    fn what_is_selected_decides_what_can_be_done_to_it() {
        use Command as C;
        let mut state = opened(examples::named("tee").unwrap().text);
        check(
            &state,
            &[(C::Solve, true), (C::Copy, false), (C::SelectAll, true)],
        );
        state.selection = Selection::of_port("in");
        check(
            &state,
            &[(C::Copy, false), (C::Delete, true), (C::FitSelection, true)],
        );
        state.selection.items = ["a", "b"].map(str::to_owned).into();
        check(
            &state,
            &[
                (C::Copy, true),
                (C::Rotate(1), true),
                (C::Align(Align::Left), true),
                (C::Align(Align::SpreadX), false),
            ],
        );
    }

    #[test]
    fn a_broken_file_can_only_be_mended_as_text() {
        use Command as C;
        let mut state = opened("format = ");
        state.selection = Selection::one("a");
        check(
            &state,
            &[
                (C::Delete, false),
                (C::Solve, false),
                (C::SetTitle(None), false),
                (C::SetText(EMPTY.to_owned()), true),
                (C::SaveAs, true),
            ],
        );
        state.document = Document::new(EMPTY, "new", None, &state.library);
        state.document.set_text("format = 1", None, &state.library);
        check(&state, &[(C::Undo, true), (C::Save, true)]);
    }
}
