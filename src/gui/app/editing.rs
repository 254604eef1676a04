//! Commands that change the document, and the way back.

use web_time::{Duration, Instant};

use eframe::egui;
use rustc_hash::FxHashSet;

use super::App;
use crate::command::{Command, Layer};
use crate::panels::Notice;
use crate::seen::{Selection, Tool};
use crate::words::sentence;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::Radian;
use stokeslet_cad::design::{Edit, OverlayShape, Placement, print};
use stokeslet_cad::drawing::draw;
use stokeslet_cad::edits::{self, Drawing, Refusal, joints_added};

/// A preview that takes longer than this would make dragging jerk: only the canvas's own ghost is shown then.
const SLOW_PREVIEW: Duration = Duration::from_millis(12);

/// A chip of no more parts is laid out while it is dragged, unless that is seen to take long.
const FEW_PARTS: usize = 2000;

/// What an intention comes to: changes, and what is selected then (`None`: as before).
type Intended = Result<(Vec<Edit>, Option<Selection>), Refusal>;

/// What the button under the pointer would do.
#[derive(Debug, Default)]
pub(super) struct Resting {
    /// Shown now.
    shown: Option<Command>,
    /// Done with a click; shown again once the pointer was elsewhere.
    done: Option<Command>,
    /// Whether the pointer is still there in this frame.
    is_asked: bool,
    /// Whether edits are to be shown instead of made.
    is_trial: bool,
}

impl App {
    /// Does a command that changes the document; `false` if it is none.
    pub(super) fn apply_to_document(&mut self, command: &Command) -> bool {
        match command {
            Command::Undo => self.go_to(self.state.document.history.now().wrapping_sub(1)),
            Command::Redo => self.go_to(self.state.document.history.now() + 1),
            Command::GoTo(step) => self.go_to(*step),
            Command::PreviewMove(by) => self.preview_move(*by),
            Command::EndPreview => self.state.document.end_preview(),
            Command::Preview(command) => self.preview(command),
            Command::Copy => self.copy(),
            Command::Cut => {
                self.copy();
                self.edit(command, |d, app| {
                    Ok((delete(d, &app.state.selection)?, Some(Selection::default())))
                });
            }
            Command::SetText(text) => {
                let typed = Some("text".to_owned());
                self.state
                    .document
                    .set_text(text, typed, &self.state.library);
                self.forget_what_is_gone();
            }
            Command::DrawLinks => self.draw_links(command),
            Command::SetJoint(joint) => self.set_joint(command, *joint),
            _ => return self.apply_intention(command),
        }
        true
    }

    /// Components get places and links become channels; what stays a link is said.
    fn draw_links(&mut self, command: &Command) {
        let Some(design) = self.state.document.design.clone() else {
            return;
        };
        let (drawn, said) = draw(&design, &self.state.library, None);
        let Some(drawn) = drawn else {
            let why = said.first().map_or("no drawing was found", |d| &d.message);
            return self.notify(Notice::error(sentence(why)));
        };
        let text = print(&drawn.design);
        let comments = match self.state.document.text.contains('#') {
            true => " The file is written anew: its comments are gone.",
            false => "",
        };
        let (label, library) = (command.label(), &self.state.library);
        self.state.document.replace(&label, &text, None, library);
        self.forget_what_is_gone();
        self.apply(Command::Fit);
        let drawn_now = match drawn.n_drawn {
            1 => "One link is a channel now".to_owned(),
            n => format!("{n} links are channels now"),
        };
        let text = match drawn.left.as_slice() {
            [] => format!("{drawn_now}; lengths are the drawing's.{comments}"),
            left => format!(
                "{drawn_now}; these stay links: {}.{comments}",
                left.join(", ")
            ),
        };
        self.notify(Notice::info(text));
    }

    fn apply_intention(&mut self, command: &Command) -> bool {
        let many = |names: Vec<String>| Selection {
            items: names.into_iter().collect(),
            port: None,
        };
        match command {
            Command::Place { kind, placement } => self.edit(command, |d, _| {
                let (edits, name) = edits::place(d, kind, placement)?;
                Ok((edits, Some(Selection::one(&name))))
            }),
            Command::Move(by) => self.edit(command, |d, app| {
                Ok((edits::move_items(d, &app.state.selection.items, *by)?, None))
            }),
            Command::Rotate(quarters) => self.edit(command, |d, app| {
                Ok((
                    edits::rotate(d, &app.state.selection.items, *quarters)?,
                    None,
                ))
            }),
            Command::Mirror(axis) => self.edit(command, |d, app| {
                Ok((edits::mirror(d, &app.state.selection.items, *axis)?, None))
            }),
            Command::Align(how) => self.edit(command, |d, app| {
                Ok((edits::align(d, &app.state.selection.items, *how)?, None))
            }),
            Command::Duplicate => self.edit(command, |d, app| {
                let items = &app.state.selection.items;
                let (edits, names) = edits::duplicate(d, items, edits::beside(d, items))?;
                Ok((edits, Some(many(names))))
            }),
            Command::DuplicateBy(by) => self.edit(command, |d, app| {
                let (edits, names) = edits::duplicate(d, &app.state.selection.items, *by)?;
                Ok((edits, Some(many(names))))
            }),
            Command::Group => self.edit(command, |d, app| {
                Ok((edits::group(d, &app.state.selection.items)?.0, None))
            }),
            Command::Ungroup => self.edit(command, |d, app| {
                Ok((edits::ungroup(d, &app.state.selection.items)?, None))
            }),
            Command::MirrorCopy(from, to) => {
                self.edit(command, |d, app| {
                    let items = &app.state.selection.items;
                    let (edits, names) = edits::mirror_copy(d, items, [*from, *to])?;
                    Ok((edits, Some(many(names))))
                });
                self.apply(Command::SetTool(Tool::Select));
            }
            Command::Array { count, step } => self.edit(command, |d, app| {
                let items = &app.state.selection.items;
                let (edits, names) = edits::array(d, items, *count, *step)?;
                Ok((edits, Some(many(names))))
            }),
            Command::CircularPattern { count, centre } => self.edit(command, |d, app| {
                let items = &app.state.selection.items;
                let (edits, names) = edits::circular_pattern(d, items, *count, *centre)?;
                Ok((edits, Some(many(names))))
            }),
            Command::Paste(text, at) => self.edit(command, |d, _| {
                let (edits, names) = edits::paste(d, text, *at)?;
                Ok((edits, Some(many(names))))
            }),
            Command::Delete => self.edit(command, |d, app| {
                Ok((delete(d, &app.state.selection)?, Some(Selection::default())))
            }),
            Command::Channel {
                from,
                to,
                via,
                bend,
            } => self.edit(command, |d, _| {
                let (edits, name) = edits::channel(d, from, to, via, *bend)?;
                Ok((edits, Some(Selection::one(&name))))
            }),
            Command::AddOverlay(layer, shape) => {
                self.edit(command, |d, _| {
                    let (edits, name) = edits::add_overlay(d, *layer, shape.clone());
                    Ok((edits, Some(Selection::one(&name))))
                });
                if matches!(shape, OverlayShape::Text { .. }) {
                    // Ready to be typed over.
                    self.apply(Command::SetTool(Tool::Select));
                    self.apply(Command::EditName);
                }
            }
            Command::MoveWayPoint { channel, index, to } => self.edit(command, |d, _| {
                Ok((edits::move_way_point(d, channel, *index, *to)?, None))
            }),
            Command::AddPort(socket) => self.edit(command, |d, _| {
                let (edits, name) = edits::add_port(d, socket)?;
                Ok((edits, Some(Selection::of_port(&name))))
            }),
            Command::OpenEnds => self.edit(command, |d, app| {
                let (items, hidden) = (&app.state.selection.items, &app.state.hidden.items);
                let edits = match items.is_empty() && !hidden.is_empty() {
                    // Nothing is done to what isn't seen.
                    true => {
                        let all = d.layout.items.iter().filter(|name| !hidden.contains(*name));
                        edits::open_ends(d, &all.cloned().collect())?
                    }
                    false => edits::open_ends(d, items)?,
                };
                Ok((edits, None))
            }),
            Command::AddSpecies(port) => {
                let before = self.count_species();
                self.edit(command, |d, _| {
                    Ok((edits::add_species(d, port.as_deref())?.0, None))
                });
                if self.count_species() > before {
                    self.show_species(before);
                }
            }
            Command::SetParameter {
                component,
                parameter,
                value,
            } => self.edit(command, |d, _| {
                let edits = edits::set_parameter(d, component, parameter, value.clone())?;
                Ok((edits, None))
            }),
            Command::SetDimension {
                component,
                parameter,
                is_written,
            } => self.edit(command, |d, _| {
                let edits = edits::set_dimension(d, component, parameter, *is_written)?;
                Ok((edits, None))
            }),
            Command::ToggleDimensions => {
                self.edit(command, |d, app| {
                    let items = &app.state.selection.items;
                    Ok((edits::toggle_dimensions(d, items)?, None))
                });
                self.state.settings.layers.insert(Layer::Dimensions);
            }
            Command::SetPlacement(component, placement) => self.edit(command, |d, _| {
                Ok((edits::set_placement(d, component, placement)?, None))
            }),
            Command::SetChannelShape {
                channel,
                width,
                bend,
            } => self.edit(command, |d, _| {
                Ok((edits::set_channel_shape(d, channel, *width, *bend)?, None))
            }),
            Command::Rename(from, to) => {
                let mut selection = self.state.selection.clone();
                if selection.items.remove(from) {
                    selection.items.insert(to.clone());
                }
                self.state.hidden.rename(from, to);
                let (from, to) = (from.clone(), to.clone());
                self.edit_plainly(command, vec![Edit::Rename { from, to }], Some(selection));
            }
            Command::Detach => {
                let name = self.state.selection.single().unwrap_or_default().to_owned();
                self.edit(command, |d, _| {
                    let layout = d.layout;
                    let motion = layout.item(&name).and_then(|item| layout.motions[item]);
                    let motion = motion.ok_or_else(|| Refusal::NoItem(name.clone()))?;
                    let placement = Placement::Absolute {
                        at: motion.translation,
                        rotation: Radian(motion.angle),
                        mirror: motion.mirror,
                    };
                    Ok((edits::set_placement(d, &name, &placement)?, None))
                });
            }
            Command::AskToPaste => {
                // The text comes back as an event, for whoever hears the keyboard.
                self.ctx
                    .send_viewport_cmd(egui::ViewportCommand::RequestPaste);
            }
            Command::RenamePort(from, to) => {
                let selection = Selection::of_port(to);
                self.state.hidden.rename_port(from, to);
                let (from, to) = (from.clone(), to.clone());
                self.edit_plainly(
                    command,
                    vec![Edit::RenamePort { from, to }],
                    Some(selection),
                );
            }
            Command::RemovePort(port) => {
                let edits = vec![Edit::RemovePort(port.clone())];
                self.edit_plainly(command, edits, Some(Selection::default()));
            }
            _ => match plain(command) {
                Some(edits) => {
                    self.edit_plainly(command, edits, None);
                }
                None => return false,
            },
        }
        true
    }

    /// What an intention comes to is made one step, or it is said why not.
    pub(super) fn edit(
        &mut self,
        command: &Command,
        intend: impl FnOnce(&Drawing<'_>, &Self) -> Intended,
    ) {
        let Some(design) = self.state.document.design.clone() else {
            let text =
                "The file has mistakes that keep it from being drawn: see Problems and Source.";
            return self.notify(Notice::error(text));
        };
        let layout = self.state.document.layout.clone();
        let library = self.state.library.clone();
        let joint = self.state.settings.joint.unwrap_or_default();
        let drawing = Drawing {
            joint,
            ..Drawing::new(&design, &layout, &library)
        };
        self.state.document.end_preview();
        match intend(&drawing, self) {
            // What can't be done is told when it is asked for.
            Ok((edits, _)) if self.resting.is_trial => {
                self.state
                    .document
                    .preview_edits(&edits, &self.state.library);
            }
            Err(_) if self.resting.is_trial => {}
            Ok((edits, selection)) => {
                let joints = joints_added(&edits);
                if self.edit_plainly(command, edits, selection) {
                    self.ask_about_joints(command, joints);
                }
            }
            Err(refusal) => self.notify(Notice::error(sentence(&refusal.to_string()))),
        }
    }

    /// Whether it was made.
    fn edit_plainly(
        &mut self,
        command: &Command,
        edits: Vec<Edit>,
        selection: Option<Selection>,
    ) -> bool {
        let label = self.label(command);
        let selection = selection.unwrap_or_else(|| self.state.selection.clone());
        let join = join_key(command);
        let made = self
            .state
            .document
            .edit(&label, &edits, &selection, join, &self.state.library);
        match made {
            Ok(()) => {
                self.state.selection = selection;
                self.forget_what_is_gone();
                true
            }
            Err(error) => {
                self.notify(Notice::error(sentence(&error.to_string())));
                false
            }
        }
    }

    /// What a step is called: with the name of what it was done to.
    fn label(&self, command: &Command) -> String {
        let label = command.label();
        let is_about_selection = matches!(
            command,
            Command::Move(_)
                | Command::Rotate(_)
                | Command::Mirror(_)
                | Command::Duplicate
                | Command::DuplicateBy(_)
                | Command::MirrorCopy(..)
                | Command::Group
                | Command::Ungroup
                | Command::Delete
                | Command::Cut
        );
        match (
            self.state.selection.single(),
            self.state.selection.items.len(),
        ) {
            _ if !is_about_selection => label,
            (Some(name), _) => format!("{label} {name}"),
            (None, 0) => match &self.state.selection.port {
                Some(port) => format!("{label} port {port}"),
                None => label,
            },
            (None, n) => format!("{label} {n} items"),
        }
    }

    fn go_to(&mut self, step: usize) {
        if let Some(selection) = self.state.document.go_to(step, &self.state.library) {
            self.state.selection = selection;
            self.forget_what_is_gone();
        }
    }

    fn copy(&mut self) {
        let Some(design) = self.state.document.design.clone() else {
            return;
        };
        let drawing = Drawing::new(&design, &self.state.document.layout, &self.state.library);
        match edits::copy(&drawing, &self.state.selection.items) {
            Ok(text) => self.ctx.copy_text(text),
            Err(refusal) => self.notify(Notice::error(sentence(&refusal.to_string()))),
        }
    }

    /// Shows what a command would do, until the pointer leaves its button.
    fn preview(&mut self, command: &Command) {
        self.resting.is_asked = true;
        if self.resting.done.as_ref() == Some(command) {
            return;
        }
        self.resting.done = None;
        if self.resting.shown.as_ref() != Some(command) {
            self.resting.shown = Some(command.clone());
            self.resting.is_trial = true;
            self.apply_intention(command);
            self.resting.is_trial = false;
        }
    }

    /// What is done isn't shown as what another click would do.
    pub(super) fn note_done(&mut self, command: &Command) {
        if self.resting.shown.as_ref() == Some(command) {
            self.resting.done = self.resting.shown.take();
        }
    }

    /// To be called once a frame: a preview that nobody asked for in it is over.
    pub(super) fn settle_preview(&mut self) {
        if std::mem::take(&mut self.resting.is_asked) {
            return;
        }
        self.resting.done = None;
        if self.resting.shown.take().is_some() {
            self.state.document.end_preview();
        }
    }

    /// Shows a drag as if it were made, where that is quick enough.
    fn preview_move(&mut self, by: Point) {
        let Some(design) = self.state.document.design.clone() else {
            return;
        };
        let layout = self.state.document.layout.clone();
        // A preview lays the chip out; of a small one that took long something else was in the way.
        let is_long =
            layout.parts.len() > FEW_PARTS && self.state.document.laid_out_in > SLOW_PREVIEW;
        if is_long || self.slow_preview == Some(layout.parts.len()) {
            return;
        }
        let begin = Instant::now();
        let drawing = Drawing::new(&design, &layout, &self.state.library);
        let items = &self.state.selection.items;
        // What the text can't say isn't shown either; asked once a drag.
        if !self.state.document.has_preview()
            && !edits::move_items(&drawing, items, by)
                .is_ok_and(|edits| self.state.document.can_make(&edits))
        {
            return;
        }
        let Ok(preview) = edits::preview_move(&drawing, items, by) else {
            return;
        };
        // A place where it can't be shows its problems when it is dropped there.
        self.state.document.preview(preview);
        if begin.elapsed() > SLOW_PREVIEW {
            self.slow_preview = Some(layout.parts.len());
            self.state.document.end_preview();
        }
    }

    /// Names that are no longer in the design can't be selected.
    fn forget_what_is_gone(&mut self) {
        let layout = &self.state.document.layout;
        let design = self.state.document.design.as_ref();
        let overlays = design.iter().flat_map(|d| &d.overlays);
        let overlays = overlays.map(|o| &o.name.value);
        let all: FxHashSet<&String> = layout.items.iter().chain(overlays).collect();
        let is_there = |name: &String| all.contains(name);
        self.state.selection.items.retain(is_there);
        self.state.hidden.items.retain(is_there);
        self.joints_asked.retain(is_there);
        let has_port =
            |port: &String| design.is_some_and(|d| d.ports.iter().any(|p| p.name.value == *port));
        self.state.hidden.ports.retain(has_port);
        self.state.selection.port = self.state.selection.port.take().filter(has_port);
    }
}

/// Commands that are changes as they stand.
fn plain(command: &Command) -> Option<Vec<Edit>> {
    let edit = match command {
        Command::SetCondition(port, condition) => Edit::SetCondition {
            port: port.clone(),
            condition: *condition,
        },
        Command::SetOverlay(overlay) => Edit::SetOverlay(overlay.clone()),
        Command::SetTitle(title) => Edit::SetTitle(title.clone()),
        Command::SetViscosity(viscosity) => Edit::SetViscosity(*viscosity),
        Command::SetModel(model) => Edit::SetModel(*model),
        Command::SetDepth(depth) => Edit::SetDepth(*depth),
        Command::SetWidth(width) => Edit::SetWidth(*width),
        Command::SetItemDepth { item, depth } => Edit::SetItemDepth {
            item: item.clone(),
            depth: *depth,
        },
        Command::SetResolution(resolution) => Edit::SetResolution(*resolution),
        Command::SetVariable(name, value) => Edit::SetVariable {
            name: name.clone(),
            value: value.clone(),
        },
        Command::RemoveVariable(name) => Edit::RemoveVariable(name.clone()),
        Command::RemoveSpecies(name) => Edit::RemoveSpecies(name.clone()),
        Command::SetDiffusivity(name, diffusivity) => Edit::SetDiffusivity {
            species: name.clone(),
            diffusivity: *diffusivity,
        },
        Command::SetInlet(name, inlet) => Edit::SetInlet {
            species: name.clone(),
            inlet: inlet.clone(),
        },
        Command::Edit(_, edits) => return Some(edits.clone()),
        _ => return None,
    };
    Some(vec![edit])
}

/// Steps with one key in a row are one, while the pointer is down: values that are dragged.
fn join_key(command: &Command) -> Option<String> {
    match command {
        Command::SetParameter {
            component,
            parameter,
            ..
        } => Some(format!("parameter {component}.{parameter}")),
        Command::SetCondition(port, _) => Some(format!("condition {port}")),
        Command::SetPlacement(component, _) => Some(format!("placement {component}")),
        Command::SetOverlay(overlay) => Some(format!("overlay {}", overlay.name.value)),
        Command::SetChannelShape { channel, .. } => Some(format!("shape {channel}")),
        Command::SetItemDepth { item, .. } => Some(format!("depth {item}")),
        Command::SetViscosity(_) => Some("viscosity".to_owned()),
        Command::SetDepth(_) => Some("depth".to_owned()),
        Command::SetWidth(_) => Some("width".to_owned()),
        Command::SetVariable(name, _) => Some(format!("variable {name}")),
        Command::SetDiffusivity(name, _) => Some(format!("diffusivity {name}")),
        Command::SetInlet(name, inlet) => Some(format!("inlet {name}.{}", inlet.port.value)),
        _ => None,
    }
}

fn delete(drawing: &Drawing<'_>, selection: &Selection) -> Result<Vec<Edit>, Refusal> {
    edits::delete(drawing, &selection.items, selection.port.as_deref())
}
