//! The canvas driven as a user would, without a window: what the pointer does and which commands come of it.

mod drawn;

use std::sync::Arc;

use eframe::egui::{self, Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Vec2, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::grid::Grid;
use super::{Canvas, DraggedKind, FieldPainter, View};
use crate::command::{ChannelEnd, Command};
use crate::context::{Selection, Tool, ViewContext, WindowState};
use crate::document::Document;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::Metre;
use stokeslet_cad::chip::{Layout, lay_out};
use stokeslet_cad::design::{Bend, Design, Placement};
use stokeslet_cad::library::Library;

fn text_of(components: &str, rest: &str) -> String {
    format!(
        "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n[components]\n{components}\n[ports]\n{rest}\n"
    )
}

/// A design of these components and ports.
pub fn design_of(components: &str, ports: &str) -> Design {
    let (design, mistakes) = stokeslet_cad::design::parse(text_of(components, ports), "test");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    design.expect("parsed")
}

/// Its layout.
pub fn layout_of(components: &str, ports: &str) -> Arc<Layout> {
    Arc::new(lay_out(&design_of(components, ports), &Library::embedded()))
}

/// A canvas with all that it reads, and the commands that came of it.
struct Bench {
    canvas: Canvas,
    state: WindowState,
    commands: Vec<Command>,
    text: String,
    has_field: bool,
}

struct Nothing;

impl FieldPainter for Nothing {
    fn under(&mut self, _: &egui::Painter, _: &View, _: &ViewContext<'_>) {}
    fn over(&mut self, _: &egui::Painter, _: &View, _: &ViewContext<'_>) {}
}

const PIPES: &str = "p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], parameters = { length = \"1 mm\" } }\nq = { kind = \"pipe\", at = [\"0 mm\", \"1 mm\"], parameters = { length = \"1 mm\" } }";

fn bench<'a>(components: &str, rest: &str) -> Harness<'a, Bench> {
    let library = Library::embedded();
    let document = Document::new(&text_of(components, rest), "test", None, &library);
    let mut bench = Bench {
        canvas: Canvas::default(),
        state: WindowState::new(document, library),
        commands: Vec::new(),
        text: String::new(),
        has_field: false,
    };
    bench.canvas.view.scale = 5e-6;
    bench.canvas.was_shown = true;
    let mut harness = Harness::builder()
        .with_size(Vec2::new(1000.0, 800.0))
        .with_step_dt(1.0 / 60.0)
        .build_ui_state(
            |ui, bench: &mut Bench| {
                if bench.has_field {
                    ui.text_edit_singleline(&mut bench.text);
                }
                let context = bench.state.context();
                let mut commands = Vec::new();
                bench.canvas.ui(ui, &context, &mut Nothing, &mut commands);
                for command in &commands {
                    match command {
                        Command::Select(selection) => bench.state.selection = selection.clone(),
                        Command::SetTool(tool) => bench.state.tool = tool.clone(),
                        _ => {}
                    }
                }
                bench.commands.extend(commands);
            },
            bench,
        );
    harness.run_steps(2);
    harness
}

/// Where a place of the chip is on the screen, mm.
fn at(harness: &Harness<'_, Bench>, x: f64, y: f64) -> Pos2 {
    harness
        .state()
        .canvas
        .view
        .to_screen(Point::new(x * 1e-3, y * 1e-3))
}

fn button(harness: &mut Harness<'_, Bench>, pos: Pos2, pressed: bool, modifiers: Modifiers) {
    harness.event(Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers,
    });
    harness.step();
}

fn hover(harness: &mut Harness<'_, Bench>, pos: Pos2) {
    harness.hover_at(pos);
    harness.step();
    harness.step();
}

fn click(harness: &mut Harness<'_, Bench>, pos: Pos2) {
    hover(harness, pos);
    button(harness, pos, true, Modifiers::NONE);
    button(harness, pos, false, Modifiers::NONE);
    // Apart in time, so that two clicks are not a double click.
    harness.run_steps(40);
}

fn drag(harness: &mut Harness<'_, Bench>, from: Pos2, to: Pos2) {
    hover(harness, from);
    button(harness, from, true, Modifiers::NONE);
    for part in [0.3, 0.7, 1.0] {
        hover(harness, from + (to - from) * part);
    }
    button(harness, to, false, Modifiers::NONE);
}

fn take(harness: &mut Harness<'_, Bench>) -> Vec<Command> {
    std::mem::take(&mut harness.state_mut().commands)
}

#[test]
fn clicking_an_item_selects_it_and_empty_space_nothing() {
    let mut harness = bench(PIPES, "in = { at = \"p.a\", pressure = \"0 Pa\" }");
    let on_p = harness.get_by_label("p (pipe)").rect().center();
    click(&mut harness, on_p);
    assert_eq!(take(&mut harness), [Command::Select(Selection::one("p"))]);
    let on_port = harness.get_by_label("port in").rect().center();
    click(&mut harness, on_port);
    let want = Command::Select(Selection::of_port("in"));
    assert_eq!(take(&mut harness), [want]);
    let nowhere = at(&harness, 0.5, 0.5);
    click(&mut harness, nowhere);
    let want = Command::Select(Selection::default());
    assert_eq!(take(&mut harness), [want]);
}

#[test]
fn shift_adds_to_the_selection() {
    let mut harness = bench(PIPES, "");
    let on_q = at(&harness, 0.5, 1.0);
    hover(&mut harness, on_q);
    harness.event(Event::ModifiersChanged(Modifiers::SHIFT));
    button(&mut harness, on_q, true, Modifiers::SHIFT);
    button(&mut harness, on_q, false, Modifiers::SHIFT);
    let want = Command::ToggleSelected("q".into());
    assert_eq!(take(&mut harness), [want]);
}

#[test]
fn a_drag_moves_by_steps_of_the_grid_as_one_command() {
    let mut harness = bench(PIPES, "");
    let (from, to) = (at(&harness, 0.5, 0.0), at(&harness, 0.913, -0.788));
    drag(&mut harness, from, to);
    let commands = take(&mut harness);
    assert_eq!(commands[0], Command::Select(Selection::one("p")));
    let is_preview = |c: &Command| matches!(c, Command::PreviewMove(_));
    let n = commands.len();
    assert!(
        n > 3 && commands[1..n - 1].iter().all(is_preview),
        "{commands:?}"
    );
    let Command::Move(by) = commands[n - 1] else {
        panic!("{commands:?}");
    };
    let step = Grid::at(5e-6).minor;
    assert_eq!(step, 5e-5);
    assert!((by - Point::new(4e-4, -8e-4)).norm() < 1e-15, "{by:?}");
}

#[test]
fn a_drag_near_a_free_socket_lands_on_it() {
    let components = PIPES.replace("\"0 mm\", \"1 mm\"", "\"0.013 mm\", \"1 mm\"");
    let mut harness = bench(&components, "");
    let (from, to) = (at(&harness, 0.5, 1.0), at(&harness, 1.46, 0.03));
    drag(&mut harness, from, to);
    let commands = take(&mut harness);
    let Some(Command::Move(by)) = commands.last() else {
        panic!("{commands:?}");
    };
    let want = Point::new(1e-3 - 1.3e-5, -1e-3);
    assert!((*by - want).norm() < 1e-12, "q.a on p.b: {by:?}");
}

#[test]
fn escape_gives_a_drag_up() {
    let mut harness = bench(PIPES, "");
    let from = at(&harness, 0.5, 0.0);
    hover(&mut harness, from);
    button(&mut harness, from, true, Modifiers::NONE);
    let to = at(&harness, 0.9, 0.5);
    hover(&mut harness, to);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    button(&mut harness, to, false, Modifiers::NONE);
    let commands = take(&mut harness);
    assert!(commands.contains(&Command::EndPreview), "{commands:?}");
    let moved = commands.iter().any(|c| matches!(c, Command::Move(_)));
    assert!(!moved, "{commands:?}");
}

#[test]
fn boxes_select_what_they_contain_or_touch() {
    let mut harness = bench(PIPES, "");
    let (a, b) = (at(&harness, -0.2, 0.3), at(&harness, 1.2, -0.3));
    drag(&mut harness, a, b);
    assert_eq!(take(&mut harness), [Command::Select(Selection::one("p"))]);
    let (a, b) = (at(&harness, 0.6, 1.2), at(&harness, 0.5, -0.2));
    drag(&mut harness, a, b);
    let selection = &harness.state().state.selection;
    assert_eq!(selection.items.len(), 2, "from right to left: touched");
}

#[test]
fn placing_near_a_free_socket_attaches_and_elsewhere_not() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Place("tee".into());
    let near = harness.get_by_label("socket p.b").rect().center() + Vec2::new(3.0, 2.0);
    click(&mut harness, near);
    let commands = take(&mut harness);
    let Some(Command::Place { kind, placement }) = commands.first() else {
        panic!("{commands:?}");
    };
    assert_eq!(kind, "tee");
    let Placement::Attached(attachment) = placement else {
        panic!("{placement:?}");
    };
    assert_eq!(attachment.to.value, "p.b");
    assert_eq!(attachment.socket.value, "left");
    assert_eq!(commands[1], Command::SetTool(Tool::Select));

    harness.state_mut().state.tool = Tool::Place("tee".into());
    let far = at(&harness, 1.8, -1.0);
    hover(&mut harness, far);
    harness.key_press(Key::R);
    harness.run_steps(2);
    click(&mut harness, far);
    let commands = take(&mut harness);
    let Some(Command::Place { placement, .. }) = commands.first() else {
        panic!("{commands:?}");
    };
    let Placement::Absolute { rotation, at, .. } = placement else {
        panic!("{placement:?}");
    };
    assert_eq!(rotation.0, std::f64::consts::FRAC_PI_2);
    assert_eq!(Grid::at(5e-6).snap(*at), *at);
}

#[test]
fn a_component_dragged_from_the_library_is_placed_where_it_is_dropped() {
    let mut harness = bench(PIPES, "");
    let near = at(&harness, 1.02, 0.0);
    let from = at(&harness, 2.0, 0.0);
    hover(&mut harness, from);
    egui::DragAndDrop::set_payload(&harness.ctx, DraggedKind("pipe".into()));
    button(&mut harness, from, true, Modifiers::NONE);
    hover(&mut harness, near);
    button(&mut harness, near, false, Modifiers::NONE);
    let commands = take(&mut harness);
    let placed: Vec<&Command> = commands
        .iter()
        .filter(|c| matches!(c, Command::Place { .. }))
        .collect();
    let [
        Command::Place {
            kind,
            placement: Placement::Attached(attachment),
        },
    ] = placed[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(
        (kind.as_str(), attachment.to.value.as_str()),
        ("pipe", "p.b")
    );
}

#[test]
fn a_channel_goes_from_socket_through_way_points_to_socket() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Channel;
    let start = at(&harness, 1.0, 0.0);
    click(&mut harness, start);
    let corner = at(&harness, 1.504, 0.05);
    click(&mut harness, corner);
    harness.key_press(Key::B);
    harness.run_steps(2);
    let end = at(&harness, 1.01, 1.0);
    click(&mut harness, end);
    let commands = take(&mut harness);
    let want = Command::Channel {
        from: ChannelEnd::Socket("p.b".into()),
        to: ChannelEnd::Socket("q.b".into()),
        via: vec![Point::new(1.5e-3, 0.0), Point::new(1.5e-3, 1e-3)],
        bend: Bend::Round(Metre(2e-4)),
    };
    let [Command::Channel { via, .. }] = &commands[..] else {
        panic!("{commands:?}");
    };
    for (got, want) in via.iter().zip([(1.5e-3, 0.0), (1.5e-3, 1e-3)]) {
        assert!(
            (*got - Point::new(want.0, want.1)).norm() < 1e-12,
            "{via:?}"
        );
    }
    let mut got = commands[0].clone();
    if let (Command::Channel { via: a, .. }, Command::Channel { via: b, .. }) = (&mut got, &want) {
        assert_eq!(a.len(), b.len());
        a.clone_from(b);
    }
    assert_eq!(got, want);
}

#[test]
fn a_channel_may_start_on_a_pipe_and_end_in_empty_space() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Channel;
    let start = at(&harness, 0.501, 0.01);
    click(&mut harness, start);
    let end = at(&harness, 0.5, -0.7);
    hover(&mut harness, end);
    harness.key_press(Key::Enter);
    harness.run_steps(2);
    let commands = take(&mut harness);
    let [
        Command::Channel {
            from: ChannelEnd::OnPipe { item, at },
            to: ChannelEnd::Free(end),
            via,
            bend,
        },
    ] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(item, "p");
    assert!((*at - Point::new(5e-4, 0.0)).norm() < 1e-12, "{at:?}");
    assert!((*end - Point::new(5e-4, -7e-4)).norm() < 1e-12, "{end:?}");
    assert!(via.is_empty() && *bend == Bend::Mitred);
}

#[test]
fn a_double_click_ends_a_channel_and_backspace_takes_way_points_back() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Channel;
    for (x, y) in [(1.0, 0.0), (1.5, 0.0), (1.5, 0.5)] {
        let place = at(&harness, x, y);
        click(&mut harness, place);
    }
    harness.key_press(Key::Backspace);
    harness.run_steps(2);
    let end = at(&harness, 1.5, -0.4);
    hover(&mut harness, end);
    for pressed in [true, false, true, false] {
        button(&mut harness, end, pressed, Modifiers::NONE);
    }
    let commands = take(&mut harness);
    let [
        Command::Channel {
            to: ChannelEnd::Free(end),
            via,
            ..
        },
    ] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(via.len(), 1, "{via:?}");
    assert!((*end - Point::new(1.5e-3, -4e-4)).norm() < 1e-12, "{end:?}");
}

#[test]
fn enter_ends_a_channel_at_the_click_where_the_pointer_rests() {
    for (ends_at, points) in [([1.5, -0.4], 1), ([1.9, -0.4], 2)] {
        let mut harness = bench(PIPES, "");
        harness.state_mut().state.tool = Tool::Channel;
        for (x, y) in [(1.0, 0.0), (1.5, 0.0), (1.5, -0.4)] {
            let place = at(&harness, x, y);
            click(&mut harness, place);
        }
        let rests = at(&harness, ends_at[0], ends_at[1]);
        hover(&mut harness, rests + Vec2::new(2.0, -3.0));
        harness.key_press(Key::Enter);
        harness.run_steps(2);
        let commands = take(&mut harness);
        let [Command::Channel { to, via, .. }] = &commands[..] else {
            panic!("{commands:?}");
        };
        let ChannelEnd::Free(end) = to else {
            panic!("{to:?}");
        };
        let want = Point::new(ends_at[0], ends_at[1]) * 1e-3;
        assert!((*end - want).norm() < 1e-12, "{end:?}");
        assert_eq!(via.len(), points, "{via:?}");
    }
}

#[test]
fn ports_probes_lines_and_seeds_come_from_single_gestures() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().state.tool = Tool::Port;
    let near = at(&harness, 0.03, 1.0);
    click(&mut harness, near);
    assert_eq!(take(&mut harness), [Command::AddPort("q.a".into())]);
    let inside = at(&harness, 0.5, 0.0);
    for (tool, is_it) in [
        (
            Tool::Probe,
            (|c| matches!(c, Command::AddProbe(_))) as fn(&Command) -> bool,
        ),
        (Tool::Streamline, |c| matches!(c, Command::AddSeed(_))),
    ] {
        harness.state_mut().state.tool = tool;
        click(&mut harness, inside);
        let commands = take(&mut harness);
        assert!(commands.len() == 1 && is_it(&commands[0]), "{commands:?}");
    }
    harness.state_mut().state.tool = Tool::Line;
    let (a, b) = (at(&harness, 0.5, -0.1), at(&harness, 0.5, 0.1));
    drag(&mut harness, a, b);
    let commands = take(&mut harness);
    let [Command::AddLine(from, to)] = commands[..] else {
        panic!("{commands:?}");
    };
    assert!((to - from - Point::new(0.0, 2e-4)).norm() < 1e-8);
    harness.state_mut().state.tool = Tool::Ruler;
    let (a, b) = (at(&harness, 0.0, 0.0), at(&harness, 1.0, 1.02));
    drag(&mut harness, a, b);
    let want = Command::AddRuler(Point::new(0.0, 0.0), Point::new(1e-3, 1e-3));
    assert_eq!(take(&mut harness), [want], "from socket to socket");
}

#[test]
fn the_wheel_zooms_at_the_pointer_and_two_fingers_pan() {
    let mut harness = bench(PIPES, "");
    let pos = pos2(300.0, 200.0);
    hover(&mut harness, pos);
    let kept = harness.state().canvas.view.to_chip(pos);
    let wheel = |unit, delta| Event::MouseWheel {
        unit,
        delta,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    };
    harness.event(wheel(MouseWheelUnit::Line, Vec2::new(0.0, 2.0)));
    harness.run_steps(2);
    let view = harness.state().canvas.view;
    assert!(view.scale < 4e-6, "{view:?}");
    assert!((view.to_chip(pos) - kept).norm() < view.scale);
    harness.event(wheel(MouseWheelUnit::Point, Vec2::new(30.0, -20.0)));
    harness.run_steps(2);
    let moved = harness.state().canvas.view;
    assert_eq!(moved.scale, view.scale);
    let by = moved.to_screen(kept) - pos;
    assert!((by - Vec2::new(30.0, -20.0)).length() < 0.1, "{by}");
}

#[test]
fn arrow_keys_nudge_but_not_while_a_text_field_is_typed_in() {
    let mut harness = bench(PIPES, "");
    harness.state_mut().has_field = true;
    harness.state_mut().state.selection = Selection::one("p");
    harness.run_steps(2);
    harness.key_press(Key::ArrowRight);
    harness.run_steps(2);
    let want = Command::Move(Point::new(5e-5, 0.0));
    assert_eq!(take(&mut harness), [want]);
    harness
        .get_by_role(egui::accesskit::Role::TextInput)
        .focus();
    harness.run_steps(2);
    harness.key_press(Key::ArrowRight);
    harness.run_steps(2);
    assert!(take(&mut harness).is_empty(), "the field's");
}

#[test]
fn way_points_of_the_selected_channel_are_handles() {
    let rest = "in = { at = \"p.a\", pressure = \"0 Pa\" }\n[channels]\nc = { from = \"p.b\", via = [[\"1.5 mm\", \"0 mm\"], [\"1.5 mm\", \"0.8 mm\"]] }";
    let mut harness = bench(PIPES, rest);
    assert!(harness.state().state.document.layout.item("c").is_some());
    harness.state_mut().state.selection = Selection::one("c");
    harness.run_steps(2);
    let (from, to) = (at(&harness, 1.5, 0.0), at(&harness, 1.803, 0.3));
    drag(&mut harness, from, to);
    let want = Command::MoveWayPoint {
        channel: "c".into(),
        index: 0,
        to: Point::new(1.8e-3, 0.0),
    };
    assert_eq!(take(&mut harness), [want], "on the axis of p.b");
}

#[test]
fn a_document_is_fitted_when_it_is_first_seen() {
    let mut harness = bench(PIPES, "");
    let layout = harness.state().state.document.layout.clone();
    harness.state_mut().canvas.fit(&layout, None);
    harness.run_steps(3);
    let view = harness.state().canvas.view;
    let inside = view.rect.shrink(60.0);
    for p in [Point::new(0.0, -5e-5), Point::new(1e-3, 1.05e-3)] {
        assert!(inside.contains(view.to_screen(p)), "{p:?}");
    }
    assert!(view.scale < 2.5e-6, "no smaller than it must be: {view:?}");
}

#[test]
fn a_double_click_on_an_item_fits_it_and_a_right_click_offers_what_can_be_done() {
    let mut harness = bench(PIPES, "");
    let on_p = at(&harness, 0.5, 0.0);
    hover(&mut harness, on_p);
    for pressed in [true, false, true, false] {
        button(&mut harness, on_p, pressed, Modifiers::NONE);
    }
    harness.run_steps(4);
    assert!(harness.state().canvas.view.scale < 1.5e-6);
    take(&mut harness);
    let on_p = at(&harness, 0.5, 0.0);
    hover(&mut harness, on_p);
    for pressed in [true, false] {
        harness.event(Event::PointerButton {
            pos: on_p,
            button: PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        harness.step();
    }
    harness.run_steps(3);
    harness.get_by_label_contains("Duplicate").click();
    harness.run_steps(3);
    let commands = take(&mut harness);
    assert!(commands.contains(&Command::Duplicate), "{commands:?}");
}
