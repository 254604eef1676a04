//! What a command makes of a design: edits, and what is selected then. Pure, so that it can be found beside the window.

use stokeslet_base::units::Radian;
use stokeslet_cad::design::{Edit, Placement};
use stokeslet_cad::edits::{self, Drawing, Refusal};

use crate::command::Command;
use crate::context::{Hidden, Selection};

/// What an intention comes to: changes, and what is selected then (`None`: as before).
pub(super) type Intended = Result<(Vec<Edit>, Option<Selection>), Refusal>;

/// What a command is about besides the design.
#[derive(Clone, Debug)]
pub(super) struct About {
    /// What is selected.
    pub selection: Selection,
    /// What isn't seen.
    pub hidden: Hidden,
}

/// Finds what is wanted of a drawing.
type Intend = Box<dyn FnOnce(&Drawing<'_>, &About) -> Intended + Send>;

/// A command on its way to edits.
pub(super) enum Intention {
    /// Changes as they stand, whether or not the file can be read.
    Plain(Vec<Edit>, Option<Selection>),
    /// What it comes to depends on the drawing.
    Drawn(Intend),
}

fn drawn(
    intend: impl FnOnce(&Drawing<'_>, &About) -> Intended + Send + 'static,
) -> Option<Intention> {
    Some(Intention::Drawn(Box::new(intend)))
}

fn many(names: Vec<String>) -> Selection {
    Selection {
        items: names.into_iter().collect(),
        port: None,
    }
}

/// The intention of a command; `None` where it doesn't change the design by edits.
pub(super) fn intention(command: Command, selected: &Selection) -> Option<Intention> {
    match command {
        Command::Place { kind, placement } => drawn(move |d, _| {
            let (edits, name) = edits::place(d, &kind, &placement)?;
            Ok((edits, Some(Selection::one(&name))))
        }),
        Command::Move(by) => {
            drawn(move |d, about| Ok((edits::move_items(d, &about.selection.items, by)?, None)))
        }
        Command::Rotate(quarters) => {
            drawn(move |d, about| Ok((edits::rotate(d, &about.selection.items, quarters)?, None)))
        }
        Command::Mirror(axis) => {
            drawn(move |d, about| Ok((edits::mirror(d, &about.selection.items, axis)?, None)))
        }
        Command::Align(how) => {
            drawn(move |d, about| Ok((edits::align(d, &about.selection.items, how)?, None)))
        }
        Command::Duplicate => drawn(|d, about| {
            let items = &about.selection.items;
            let (edits, names) = edits::duplicate(d, items, edits::beside(d, items))?;
            Ok((edits, Some(many(names))))
        }),
        Command::DuplicateBy(by) => drawn(move |d, about| {
            let (edits, names) = edits::duplicate(d, &about.selection.items, by)?;
            Ok((edits, Some(many(names))))
        }),
        Command::Group => drawn(|d, about| Ok((edits::group(d, &about.selection.items)?.0, None))),
        Command::Ungroup => {
            drawn(|d, about| Ok((edits::ungroup(d, &about.selection.items)?, None)))
        }
        Command::MirrorCopy(from, to) => drawn(move |d, about| {
            let items = &about.selection.items;
            let (edits, names) = edits::mirror_copy(d, items, [from, to])?;
            Ok((edits, Some(many(names))))
        }),
        Command::Array { count, step } => drawn(move |d, about| {
            let items = &about.selection.items;
            let (edits, names) = edits::array(d, items, count, step)?;
            Ok((edits, Some(many(names))))
        }),
        Command::CircularPattern { count, centre } => drawn(move |d, about| {
            let items = &about.selection.items;
            let (edits, names) = edits::circular_pattern(d, items, count, centre)?;
            Ok((edits, Some(many(names))))
        }),
        Command::Paste(text, at) => drawn(move |d, _| {
            let (edits, names) = edits::paste(d, &text, at)?;
            Ok((edits, Some(many(names))))
        }),
        Command::Delete | Command::Cut => drawn(|d, about| {
            let Selection { items, port } = &about.selection;
            let edits = edits::delete(d, items, port.as_deref())?;
            Ok((edits, Some(Selection::default())))
        }),
        Command::Channel {
            from,
            to,
            via,
            bend,
        } => drawn(move |d, _| {
            let (edits, name) = edits::channel(d, &from, &to, &via, bend)?;
            Ok((edits, Some(Selection::one(&name))))
        }),
        Command::AddOverlay(layer, shape) => drawn(move |d, _| {
            let (edits, name) = edits::add_overlay(d, layer, shape);
            Ok((edits, Some(Selection::one(&name))))
        }),
        Command::MoveWayPoint { channel, index, to } => {
            drawn(move |d, _| Ok((edits::move_way_point(d, &channel, index, to)?, None)))
        }
        Command::AddPort(socket) => drawn(move |d, _| {
            let (edits, name) = edits::add_port(d, &socket)?;
            Ok((edits, Some(Selection::of_port(&name))))
        }),
        Command::OpenEnds => drawn(|d, about| {
            let (items, hidden) = (&about.selection.items, &about.hidden.items);
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
            drawn(move |d, _| Ok((edits::add_species(d, port.as_deref())?.0, None)))
        }
        Command::SetParameter {
            component,
            parameter,
            value,
        } => drawn(move |d, _| {
            let edits = edits::set_parameter(d, &component, &parameter, value)?;
            Ok((edits, None))
        }),
        Command::SetDimension {
            component,
            parameter,
            is_written,
        } => drawn(move |d, _| {
            let edits = edits::set_dimension(d, &component, &parameter, is_written)?;
            Ok((edits, None))
        }),
        Command::ToggleDimensions => {
            drawn(|d, about| Ok((edits::toggle_dimensions(d, &about.selection.items)?, None)))
        }
        Command::SetPlacement(component, placement) => {
            drawn(move |d, _| Ok((edits::set_placement(d, &component, &placement)?, None)))
        }
        Command::SetChannelShape {
            channel,
            width,
            bend,
        } => drawn(move |d, _| Ok((edits::set_channel_shape(d, &channel, width, bend)?, None))),
        Command::Rename(from, to) => {
            let mut selection = selected.clone();
            if selection.items.remove(&from) {
                selection.items.insert(to.clone());
            }
            Some(Intention::Plain(
                vec![Edit::Rename { from, to }],
                Some(selection),
            ))
        }
        Command::Detach => drawn(|d, about| {
            let name = about.selection.single().unwrap_or_default();
            let layout = d.layout;
            let motion = layout.item(name).and_then(|item| layout.motions[item]);
            let motion = motion.ok_or_else(|| Refusal::NoItem(name.to_owned()))?;
            let placement = Placement::Absolute {
                at: motion.translation,
                rotation: Radian(motion.angle),
                mirror: motion.mirror,
            };
            Ok((edits::set_placement(d, name, &placement)?, None))
        }),
        Command::RenamePort(from, to) => {
            let selection = Selection::of_port(&to);
            Some(Intention::Plain(
                vec![Edit::RenamePort { from, to }],
                Some(selection),
            ))
        }
        Command::RemovePort(port) => Some(Intention::Plain(
            vec![Edit::RemovePort(port)],
            Some(Selection::default()),
        )),
        command => plain(command).map(|edits| Intention::Plain(edits, None)),
    }
}

/// Commands that are changes as they stand.
fn plain(command: Command) -> Option<Vec<Edit>> {
    let edit = match command {
        Command::SetCondition(port, condition) => Edit::SetCondition { port, condition },
        Command::SetOverlay(overlay) => Edit::SetOverlay(overlay),
        Command::SetTitle(title) => Edit::SetTitle(title),
        Command::SetViscosity(viscosity) => Edit::SetViscosity(viscosity),
        Command::SetModel(model) => Edit::SetModel(model),
        Command::SetDepth(depth) => Edit::SetDepth(depth),
        Command::SetWidth(width) => Edit::SetWidth(width),
        Command::SetItemDepth { item, depth } => Edit::SetItemDepth { item, depth },
        Command::SetResolution(resolution) => Edit::SetResolution(resolution),
        Command::SetVariable(name, value) => Edit::SetVariable { name, value },
        Command::RemoveVariable(name) => Edit::RemoveVariable(name),
        Command::RemoveSpecies(name) => Edit::RemoveSpecies(name),
        Command::SetDiffusivity(name, diffusivity) => Edit::SetDiffusivity {
            species: name,
            diffusivity,
        },
        Command::SetInlet(name, inlet) => Edit::SetInlet {
            species: name,
            inlet,
        },
        Command::Edit(_, edits) => return Some(edits),
        _ => return None,
    };
    Some(vec![edit])
}
