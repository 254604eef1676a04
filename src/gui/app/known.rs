//! Every command is known to somebody: one of each, done by a real program without a window.

use std::path::PathBuf;

use eframe::egui;

use super::{App, Start};
use crate::command::{ChannelEnd, Command as C, Layer, Panel, Theme};
use crate::context::{Selection, Tool, Workspace};
use crate::files::export::PictureFormat;
use crate::files::outline::OutlineKind;
use crate::liquids::LiquidCommand;
use crate::studies::StudyCommand;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, Pascal, PascalSecond, Radian};
use stokeslet_cad::design::{
    Bend, Concentration, DepthModel, Inlet, Overlay, OverlayLayer, OverlayShape, Placement,
    PortCondition, Spanned, Value,
};
use stokeslet_cad::edits::{Align, Axis, Joint};
use stokeslet_flow::export::Format;

/// A command of each kind, by number. A new kind doesn't compile before it has one here.
fn number(command: &C) -> usize {
    match command {
        C::New => 0,
        C::Open => 1,
        C::OpenPath(_) => 2,
        C::OpenExample(_) => 3,
        C::Gallery => 4,
        C::Save => 5,
        C::SaveAs => 6,
        C::SaveTo(_) => 7,
        C::Export(_) => 8,
        C::ExportTo(..) => 9,
        C::Picture(_) => 10,
        C::PictureTo(..) => 11,
        C::Quit => 12,
        C::Undo => 13,
        C::Redo => 14,
        C::GoTo(_) => 15,
        C::Select(_) => 16,
        C::ToggleSelected(_) => 17,
        C::SelectAll => 18,
        C::Show(_) => 19,
        C::Place { .. } => 20,
        C::Move(_) => 21,
        C::PreviewMove(_) => 22,
        C::EndPreview => 23,
        C::Rotate(_) => 24,
        C::Mirror(_) => 25,
        C::Duplicate => 26,
        C::Copy => 27,
        C::Cut => 28,
        C::AskToPaste => 29,
        C::Paste(..) => 30,
        C::Delete => 31,
        C::Align(_) => 32,
        C::Channel { .. } => 33,
        C::MoveWayPoint { .. } => 34,
        C::AddPort(_) => 35,
        C::SetCondition(..) => 36,
        C::RemovePort(_) => 37,
        C::Rename(..) => 38,
        C::RenamePort(..) => 39,
        C::EditName => 40,
        C::SetParameter { .. } => 41,
        C::Detach => 42,
        C::SetPlacement(..) => 43,
        C::SetChannelShape { .. } => 44,
        C::SetItemDepth { .. } => 88,
        C::SetTitle(_) => 45,
        C::SetViscosity(_) => 46,
        C::SetModel(_) => 47,
        C::SetDepth(_) => 48,
        C::SetWidth(_) => 49,
        C::SetResolution(_) => 50,
        C::SetText(_) => 51,
        C::Edit(..) => 52,
        C::Enter(_) => 53,
        C::Liquid(_) => 54,
        C::SetTool(_) => 55,
        C::ZoomIn => 56,
        C::ZoomOut => 57,
        C::Fit => 58,
        C::FitSelection => 59,
        C::TogglePanel(_) => 60,
        C::ToggleLayer(_) => 61,
        C::SetTheme(_) => 62,
        C::CommandPalette => 63,
        C::Shortcuts => 64,
        C::About => 65,
        C::Hint(_) => 66,
        C::Solve => 67,
        C::SolveAt(_) => 68,
        C::Cancel => 69,
        C::SetLive(_) => 70,
        C::Colour(_) => 71,
        C::SetRange(_) => 72,
        C::AddProbe(_) => 73,
        C::AddLine(..) => 74,
        C::AddSeed(_) => 75,
        C::ClearProbes => 76,
        C::RemoveLine(_) => 77,
        C::MoveLine(..) => 78,
        C::CopyProfiles => 79,
        C::DuplicateBy(_) => 80,
        C::AddRuler(..) => 81,
        C::SetVariable(..) => 82,
        C::RemoveVariable(_) => 83,
        C::Study(_) => 84,
        C::Array { .. } => 85,
        C::Outline(_) => 86,
        C::OutlineTo(..) => 87,
        C::AddSpecies(_) => 89,
        C::RemoveSpecies(_) => 90,
        C::SetDiffusivity(..) => 91,
        C::SetInlet(..) => 92,
        C::TogglePlay => 93,
        C::SetPace(_) => 94,
        C::DrawLinks => 95,
        C::KeepBefore => 96,
        C::ForgetBefore => 97,
        C::AddOverlay(..) => 98,
        C::SetOverlay(_) => 99,
        C::MirrorCopy(..) => 100,
        C::Group => 101,
        C::Ungroup => 102,
        C::SetDimension { .. } => 103,
        C::ToggleDimensions => 104,
        C::EditDimension(..) => 105,
        C::SetHidden(..) => 106,
        C::HideSelected => 107,
        C::ShowHidden => 108,
        C::Preview(_) => 109,
        C::OpenEnds => 110,
        C::CircularPattern { .. } => 111,
        C::SetJoint(_) => 112,
    }
}

/// Kinds of commands.
const KINDS: usize = 113;

fn one_of_each(home: &std::path::Path) -> Vec<C> {
    let (name, at) = ("p".to_owned(), Point::default());
    let valve = OverlayShape::Rectangle([at, Point::new(1e-3, 1e-3)]);
    let placement = Placement::Absolute {
        at,
        rotation: Radian(0.0),
        mirror: false,
    };
    vec![
        C::New,
        C::Open,
        C::OpenPath(PathBuf::from("nowhere.toml")),
        C::OpenExample("tee".to_owned()),
        C::Gallery,
        C::Save,
        C::SaveAs,
        C::SaveTo(home.join("saved.toml")),
        C::Export(vec![Format::Csv]),
        C::ExportTo(vec![Format::Csv], home.join("results")),
        C::Picture(PictureFormat::Svg),
        C::PictureTo(PictureFormat::Svg, home.join("picture.svg")),
        C::Quit,
        C::Undo,
        C::Redo,
        C::GoTo(0),
        C::Select(Selection::default()),
        C::ToggleSelected(name.clone()),
        C::SelectAll,
        C::Show(name.clone()),
        C::Place {
            kind: "pipe".to_owned(),
            placement: placement.clone(),
        },
        C::Move(at),
        C::PreviewMove(at),
        C::Preview(Box::new(C::Align(Align::Left))),
        C::EndPreview,
        C::Rotate(1),
        C::Mirror(Axis::X),
        C::Duplicate,
        C::Group,
        C::Ungroup,
        C::Copy,
        C::Cut,
        C::AskToPaste,
        C::Paste("nothing".to_owned(), None),
        C::Delete,
        C::Align(Align::Left),
        C::DrawLinks,
        C::SetJoint(Joint::Step),
        C::Channel {
            from: ChannelEnd::Free(at),
            to: ChannelEnd::Free(Point::new(1e-3, 0.0)),
            via: vec![],
            bend: Bend::Mitred,
        },
        C::MoveWayPoint {
            channel: name.clone(),
            index: 0,
            to: at,
        },
        C::AddOverlay(OverlayLayer::Control, valve.clone()),
        C::SetOverlay(Overlay {
            name: Spanned::nowhere("valve1".to_owned()),
            layer: OverlayLayer::Control,
            shape: valve,
        }),
        C::AddPort("p.a".to_owned()),
        C::SetCondition("in".to_owned(), PortCondition::Pressure(Pascal(1.0))),
        C::RemovePort("in".to_owned()),
        C::Rename(name.clone(), "q".to_owned()),
        C::RenamePort("in".to_owned(), "out".to_owned()),
        C::EditName,
        C::SetParameter {
            component: name.clone(),
            parameter: "length".to_owned(),
            value: None,
        },
        C::SetDimension {
            component: name.clone(),
            parameter: "length".to_owned(),
            is_written: true,
        },
        C::OpenEnds,
        C::ToggleDimensions,
        C::EditDimension(name.clone(), "length".to_owned()),
        C::SetHidden(Selection::one(&name), true),
        C::HideSelected,
        C::ShowHidden,
        C::Detach,
        C::SetPlacement(name.clone(), placement),
        C::SetChannelShape {
            channel: name,
            width: None,
            bend: Bend::Mitred,
        },
        C::SetItemDepth {
            item: "p".to_owned(),
            depth: None,
        },
        C::SetTitle(None),
        C::SetViscosity(PascalSecond(1e-3)),
        C::SetModel(DepthModel::Planar),
        C::SetDepth(None),
        C::SetWidth(Metre(1e-4)),
        C::SetResolution(None),
        C::SetText("format = 1".to_owned()),
        C::Edit("Edit".to_owned(), vec![]),
        C::Enter(Workspace::Chip),
        C::Liquid(LiquidCommand::offered().remove(0)),
        C::SetTool(Tool::Select),
        C::ZoomIn,
        C::ZoomOut,
        C::Fit,
        C::FitSelection,
        C::TogglePanel(Panel::Source),
        C::ToggleLayer(Layer::Mesh),
        C::SetTheme(Theme::Dark),
        C::CommandPalette,
        C::Shortcuts,
        C::About,
        C::Hint(None),
        C::Solve,
        C::SolveAt(4),
        C::Cancel,
        C::SetLive(false),
        C::Colour(None),
        C::SetRange(None),
        C::AddProbe(at),
        C::AddLine(at, at),
        C::AddSeed(at),
        C::ClearProbes,
        C::KeepBefore,
        C::ForgetBefore,
        C::RemoveLine(7),
        C::MoveLine(7, [at, at]),
        C::CopyProfiles,
        C::DuplicateBy(at),
        C::MirrorCopy(at, Point::new(0.0, 1e-3)),
        C::AddRuler(at, at),
        C::SetVariable("w".to_owned(), Value::Number(1.0)),
        C::RemoveVariable("w".to_owned()),
        C::Study(StudyCommand::Stop),
        C::Outline(OutlineKind::Dxf),
        C::OutlineTo(OutlineKind::Dxf, home.join("chip.dxf")),
        C::Array {
            count: (2, 2),
            step: at,
        },
        C::CircularPattern {
            count: 3,
            centre: at,
        },
        C::AddSpecies(None),
        C::RemoveSpecies("dye".to_owned()),
        C::SetDiffusivity("dye".to_owned(), 1e-9),
        C::SetInlet(
            "dye".to_owned(),
            Inlet {
                port: Spanned::nowhere("in".to_owned()),
                steps: vec![(0.0, 1.0)],
                unit: Concentration::Relative,
            },
        ),
        C::TogglePlay,
        C::SetPace(2.0),
    ]
}

#[test]
fn every_command_is_known_to_somebody() {
    let home = tempfile::tempdir().unwrap();
    let start = Start {
        home: Some(home.path().to_owned()),
        ..Start::default()
    };
    let mut app = App::new(&start, &egui::Context::default());
    let mut found = [false; KINDS];
    for command in one_of_each(home.path()) {
        found[number(&command)] = true;
        // These open dialogs of the system, which a test has no hands for.
        let asks = matches!(
            command,
            C::Open | C::Save | C::SaveAs | C::Export(_) | C::Picture(_) | C::Outline(_)
        );
        assert!(
            asks || app.does(&command),
            "nobody does {}",
            command.label()
        );
    }
    let missing: Vec<usize> = (0..KINDS).filter(|&k| !found[k]).collect();
    assert!(missing.is_empty(), "no sample of {missing:?}");
}
