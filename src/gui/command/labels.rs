//! What commands are called, and the other words that people look for them by.

use super::{Command, Panel, Theme};
use crate::context::Tool;
use crate::studies::StudyCommand;
use stokeslet_cad::design::OverlayLayer;
use stokeslet_cad::edits::{Axis, Joint};

impl Command {
    /// What it does, for menus, the command palette and undo.
    pub fn label(&self) -> String {
        let fixed = match self {
            Command::New => "New design",
            Command::Open => "Open…",
            Command::OpenPath(path) => return format!("Open {}", path.display()),
            Command::OpenExample(name) => return format!("Open example {name}"),
            Command::Gallery => "Examples…",
            Command::Save => "Save",
            Command::SaveAs => "Save as…",
            Command::SaveTo(path) => return format!("Save to {}", path.display()),
            Command::Export(_) | Command::ExportTo(..) => "Export results…",
            Command::Outline(kind) | Command::OutlineTo(kind, _) => {
                return format!("Export outline: {}…", kind.label());
            }
            Command::Picture(format) | Command::PictureTo(format, _) => {
                return format.label().to_owned();
            }
            Command::Quit => "Quit",
            Command::Undo => "Undo",
            Command::Redo => "Redo",
            Command::GoTo(_) => "Go to step",
            Command::Select(_) => "Select",
            Command::ToggleSelected(name) => return format!("Select {name} too"),
            Command::SelectAll => "Select all",
            Command::Show(name) => return format!("Show {name}"),
            Command::Place { kind, .. } => return format!("Place {kind}"),
            Command::Move(_) | Command::PreviewMove(_) => "Move",
            Command::Preview(command) => return command.label(),
            Command::EndPreview => "Give up dragging",
            Command::Rotate(turns) if *turns < 0 => "Turn right",
            Command::Rotate(_) => "Turn left",
            Command::Mirror(Axis::X) => "Mirror left and right",
            Command::Mirror(Axis::Y) => "Mirror top and bottom",
            Command::Duplicate | Command::DuplicateBy(_) => "Duplicate",
            Command::MirrorCopy(..) => "Mirror a copy",
            Command::Group => "Group",
            Command::Ungroup => "Ungroup",
            Command::Array { count, .. } => {
                return format!("Array of {} × {}", count.0, count.1);
            }
            Command::CircularPattern { count, .. } => {
                return format!("Circular pattern of {count}");
            }
            Command::Copy => "Copy",
            Command::Cut => "Cut",
            Command::AskToPaste | Command::Paste(..) => "Paste",
            Command::Delete => "Delete",
            Command::Align(align) => align.label(),
            Command::DrawLinks => "Draw links as channels",
            Command::Channel { .. } => "Draw channel",
            Command::AddOverlay(OverlayLayer::Control, _) => "Draw on the control layer",
            Command::AddOverlay(OverlayLayer::Notes, _) => "Add note",
            Command::SetOverlay(overlay) => return format!("Change {}", overlay.name.value),
            Command::MoveWayPoint { .. } => "Move way-point",
            Command::SetJoint(Joint::Taper) => "Join widths by tapers",
            Command::SetJoint(Joint::Step) => "Join widths by steps",
            Command::AddPort(socket) => return format!("Open {socket} to the outside"),
            Command::OpenEnds => "Open all free ends",
            Command::SetCondition(port, _) => return format!("Set port {port}"),
            Command::RemovePort(port) => return format!("Remove port {port}"),
            Command::EditName => "Rename…",
            Command::SetDimension {
                parameter,
                is_written: true,
                ..
            } => return format!("Write {} beside it", parameter.replace('_', " ")),
            Command::SetDimension { parameter, .. } => {
                return format!("Remove dimension {}", parameter.replace('_', " "));
            }
            Command::ToggleDimensions => "Dimensions of the selection",
            Command::EditDimension(_, parameter) => {
                return format!("Set {}…", parameter.replace('_', " "));
            }
            Command::SetHidden(which, is_hidden) => {
                let names = which.items.iter().chain(&which.port);
                let names: Vec<&str> = names.map(String::as_str).collect();
                let verb = if *is_hidden { "Hide" } else { "Show" };
                return format!("{verb} {}", names.join(", "));
            }
            Command::HideSelected => "Hide selection",
            Command::ShowHidden => "Show all that is hidden",
            Command::Detach => "Detach",
            Command::Rename(from, to) | Command::RenamePort(from, to) => {
                return format!("Rename {from} to {to}");
            }
            Command::SetParameter {
                component,
                parameter,
                ..
            } => return format!("Set {parameter} of {component}"),
            Command::SetPlacement(component, _) => return format!("Place {component}"),
            Command::SetChannelShape { channel, .. } => return format!("Shape {channel}"),
            Command::SetItemDepth { item, .. } => return format!("Set depth of {item}"),
            Command::SetTitle(_) => "Set title",
            Command::SetViscosity(_) => "Set viscosity",
            Command::SetModel(_) => "Set model of the depth",
            Command::SetDepth(_) => "Set depth",
            Command::SetWidth(_) => "Set width",
            Command::SetResolution(_) => "Set resolution",
            Command::SetVariable(name, _) => return format!("Set {name}"),
            Command::RemoveVariable(name) => return format!("Remove variable {name}"),
            Command::Study(command) => return command.label(),
            Command::SetText(_) => "Edit text",
            Command::AddSpecies(None) => "Add a species",
            Command::AddSpecies(Some(port)) => return format!("Add a species at {port}"),
            Command::RemoveSpecies(name) => return format!("Remove species {name}"),
            Command::SetDiffusivity(name, _) => return format!("Set diffusivity of {name}"),
            Command::SetInlet(name, inlet) => {
                return format!("Set {name} at {}", inlet.port.value);
            }
            Command::Edit(label, _) => return label.clone(),
            Command::Enter(workspace) => return format!("Workspace: {}", workspace.label()),
            Command::Liquid(command) => return command.label(),
            Command::SetTool(tool) => return format!("{} tool", tool.label()),
            Command::ZoomIn => "Zoom in",
            Command::ZoomOut => "Zoom out",
            Command::Fit => "Fit all",
            Command::FitSelection => "Fit selection",
            Command::TogglePanel(panel) => return format!("Panel: {}", panel.label()),
            Command::ToggleLayer(layer) => return format!("Show {}", layer.label()),
            Command::SetTheme(Theme::System) => "Theme of the system",
            Command::SetTheme(Theme::Light) => "Light theme",
            Command::SetTheme(Theme::Dark) => "Dark theme",
            Command::CommandPalette => "Commands…",
            Command::Shortcuts => "Shortcuts…",
            Command::About => "About Stokeslet",
            Command::Hint(Some(_)) => "First steps",
            Command::Hint(None) => "Dismiss first steps",
            Command::Solve => "Solve",
            Command::SolveAt(resolution) => return format!("Solve at resolution {resolution}"),
            Command::Cancel => "Cancel solve",
            Command::SetLive(true) => "Solve while drawing",
            Command::SetLive(false) => "Solve when asked",
            Command::Colour(Some(quantity)) => return format!("Colour by {}", quantity.label()),
            Command::Colour(None) => "No colours",
            Command::SetRange(Some(_)) => "Fix range of colours",
            Command::SetRange(None) => "Range of colours from the field",
            Command::AddProbe(_) => "Keep probe",
            Command::AddLine(..) => "Take profile",
            Command::AddSeed(_) => "Seed streamline",
            Command::AddRuler(..) => "Measure",
            Command::ClearProbes => "Clear probes, lines, seeds and rulers",
            Command::KeepBefore => "Keep to compare with",
            Command::ForgetBefore => "Forget what is compared with",
            Command::RemoveLine(_) => "Remove line",
            Command::MoveLine(..) => "Move line",
            Command::CopyProfiles => "Copy profiles as CSV",
            Command::TogglePlay => "Play or pause tracers",
            Command::SetPace(_) => "Set pace of tracers",
        };
        fixed.to_owned()
    }

    /// Other words that people look for it by; those of drawing programs and of other tools.
    pub fn synonyms(&self) -> &'static str {
        match self {
            Command::New => "create start blank",
            Command::Open => "load file",
            Command::Gallery => "examples samples templates",
            Command::Save => "write store",
            Command::SaveAs => "write copy",
            Command::Export(_) => "write fields vtu csv json paraview",
            Command::Outline(_) => "write cad drawing mask foundry print workshop klayout",
            Command::Picture(_) => {
                "export image screenshot figure paper white transparent size resolution"
            }
            Command::Quit => "exit close",
            Command::Undo => "back revert",
            Command::Redo => "again forward",
            Command::SelectAll => "everything",
            Command::Select(_) => "deselect none nothing",
            Command::Cut => "clipboard move",
            Command::Copy => "clipboard",
            Command::AskToPaste => "clipboard insert",
            Command::Duplicate => "clone copy repeat",
            Command::EditName => "name label title",
            Command::Delete => "remove erase clear",
            Command::OpenEnds => "ports sockets outside boundary outlets",
            Command::ToggleDimensions => "length width label size",
            Command::HideSelected => "invisible isolate",
            Command::ShowHidden => "visible unhide reveal",
            Command::Group => "together combine join select",
            Command::Ungroup => "apart separate break",
            Command::Detach => "disconnect unlink separate place",
            Command::Rotate(_) => "rotate left right",
            Command::Mirror(_) => "flip reflect",
            Command::Align(_) => "arrange line up distribute",
            Command::DrawLinks => "layout lay out route arrange netlist connections automatic",
            Command::SetJoint(_) => {
                "taper step transition expansion contraction differ narrow wide"
            }
            Command::ZoomIn | Command::ZoomOut => "scale magnify",
            Command::Fit => "zoom whole chip",
            Command::FitSelection => "zoom selected",
            Command::Solve => "run compute simulate calculate",
            Command::SolveAt(_) => "mesh refine cells accuracy",
            Command::Cancel => "stop abort",
            Command::SetLive(_) => "automatic live update",
            Command::Colour(_) => "color field show plot",
            Command::SetRange(_) => "color scale legend limits",
            Command::ClearProbes => "remove points markers",
            Command::KeepBefore | Command::ForgetBefore => {
                "before after comparison two designs difference snapshot"
            }
            Command::CopyProfiles => "clipboard table",
            Command::TogglePlay => "animate particles motion flow",
            Command::AddSpecies(_) => "dye concentration mixing diffusion solute dissolved",
            Command::Shortcuts => "keys help keyboard",
            Command::Hint(_) => "tour tutorial help",
            Command::About => "version licence help",
            Command::CommandPalette => "search find",
            Command::SetTheme(_) => "appearance night day",
            Command::SetTool(Tool::Select) => "pointer arrow move",
            Command::SetTool(Tool::Channel) => "pen draw pipe connect",
            Command::SetTool(Tool::Port) => "inlet outlet open",
            Command::SetTool(Tool::Ruler) => "measure distance length dimension",
            Command::SetTool(Tool::Probe) => "value point read",
            Command::SetTool(Tool::Line) => "profile cross section plot",
            Command::SetTool(Tool::Streamline) => "trace particle path",
            Command::SetTool(Tool::Overlay(OverlayLayer::Control)) => {
                "valve pneumatic layer draw box line"
            }
            Command::SetTool(Tool::Overlay(OverlayLayer::Notes)) => {
                "text label comment annotation annotate frame"
            }
            Command::SetTool(Tool::Mirror) => "symmetric symmetry reflect flip copy half axis",
            Command::SetTool(Tool::Place(_)) => "add insert component",
            Command::TogglePanel(Panel::Variables) => "parameters sliders window view hide show",
            Command::TogglePanel(Panel::Study) => {
                "sweep optimise fit goals tolerances sensitivity window view hide show"
            }
            Command::Study(StudyCommand::Ask(_)) => "sensitivity uncertainty derivative",
            Command::TogglePanel(_) => "window view hide show",
            Command::ToggleLayer(_) => "view hide",
            _ => "",
        }
    }
}
