//! The keys of design files: one table, which readers take their keys from and which the page of the format and its JSON schema
//! (`page`) are made of.

use super::{DepthModel, Dimension};
use crate::shape::WallKind;

/// What a key's value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ValueKind {
    /// A text.
    Text,
    /// A text with a number and a unit.
    Quantity(Dimension),
    /// true or false.
    Flag,
    /// A whole number.
    Whole,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// Two quantities.
    Position,
    /// A list of positions.
    Positions,
    /// A list of pairs of texts.
    Pairs,
    /// A list of texts.
    Names,
    /// A table of anything, by name.
    Table,
    /// A whole number, or a table of `count`, `step` and `through`.
    Repetition,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub kind: ValueKind,
    pub required: bool,
    /// As it would be written.
    pub example: &'static str,
    pub doc: &'static str,
}

/// One section of a design.
#[derive(Debug)]
pub(super) struct Section {
    pub name: &'static str,
    /// What each of its entries is called, where its keys are names.
    pub entry: Option<&'static str>,
    pub doc: &'static str,
    pub keys: &'static [Key],
}

impl Section {
    /// Names of its keys, for the reader: not those that are resolved before any section is read.
    pub fn names(&self) -> Vec<&'static str> {
        let keys = self.keys.iter().filter(|k| k.kind != ValueKind::Repetition);
        keys.map(|key| key.name).collect()
    }
}

const fn key(
    name: &'static str,
    kind: ValueKind,
    required: bool,
    example: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        name,
        kind,
        required,
        example,
        doc,
    }
}

const LENGTH: ValueKind = ValueKind::Quantity(Dimension::Length);
const MODELS: [&str; DepthModel::ALL.len()] = [
    DepthModel::ALL[0].name(),
    DepthModel::ALL[1].name(),
    DepthModel::ALL[2].name(),
    DepthModel::ALL[3].name(),
];
const WALLS: [&str; WallKind::ALL.len()] = [WallKind::ALL[0].name(), WallKind::ALL[1].name()];
const REPEAT: Key = key(
    "repeat",
    ValueKind::Repetition,
    false,
    "{ count = [4, 3], step = [\"1 mm\", \"1 mm\"] }",
    "makes it a row or a grid of copies, name_1, name_2, ... or name_1_1, ...; expressions know each copy's numbers i and j, and texts may hold them: \"row_{i}.up\". `step` moves each copy; `through = \"out\"` attaches each copy but the first to that socket of the one before",
);

const DEPTH: Key = key(
    "depth",
    LENGTH,
    false,
    "\"20 um\"",
    "its own depth; without it, the chip's. Where two depths meet volume is kept and pressure goes on, without the loss of the step itself; not in the full model",
);

pub(super) static FLUID: Section = Section {
    name: "fluid",
    entry: None,
    doc: "The liquid.",
    keys: &[
        key(
            "viscosity",
            ValueKind::Quantity(Dimension::Viscosity),
            true,
            "\"0.89 mPa s\"",
            "dynamic viscosity",
        ),
        key(
            "density",
            ValueKind::Quantity(Dimension::Density),
            false,
            "\"997 kg/m^3\"",
            "no flow depends on it; it tells the Reynolds number",
        ),
    ],
};

pub(super) static CHIP: Section = Section {
    name: "chip",
    entry: None,
    doc: "What all of the chip has in common.",
    keys: &[
        key(
            "width",
            LENGTH,
            true,
            "\"100 um\"",
            "width of channels and components that don't give their own",
        ),
        key(
            "depth",
            LENGTH,
            false,
            "\"50 um\"",
            "depth of the channels; required unless the model is planar, and where a flow rate is a volume per time",
        ),
        key(
            "model",
            ValueKind::Choice(&MODELS),
            false,
            "\"shallow\"",
            "how the depth enters: planar (the default; flow per unit depth), shallow (depth-averaged, with drag of floor and ceiling), full (three dimensions), shallow-brinkman (shallow with side layers 8 % too thin)",
        ),
        key(
            "resolution",
            ValueKind::Whole,
            false,
            "8",
            "cell edges across a channel, 2 to 200; 8 without it",
        ),
        key(
            "walls",
            ValueKind::Choice(&WALLS),
            false,
            "\"no-slip\"",
            "what side walls do to the fluid unless a component says otherwise: no-slip (the default) or slip (no penetration, no shear)",
        ),
    ],
};

pub(super) static COMPONENTS: Section = Section {
    name: "components",
    entry: Some("component"),
    doc: "Parts of the library, placed by `at` or by `attach` and `to`. `stokeslet components` lists them, with their sockets and parameters.",
    keys: &[
        key(
            "kind",
            ValueKind::Text,
            true,
            "\"tee\"",
            "what it is: a component of the library",
        ),
        key(
            "at",
            ValueKind::Position,
            false,
            "[\"1 mm\", \"0 mm\"]",
            "where its origin lies",
        ),
        key(
            "rotation",
            ValueKind::Quantity(Dimension::Angle),
            false,
            "\"90 deg\"",
            "counter-clockwise; with `at`",
        ),
        key(
            "mirror",
            ValueKind::Flag,
            false,
            "true",
            "mirrored in its own x axis, before it is turned",
        ),
        key(
            "attach",
            ValueKind::Text,
            false,
            "\"left\"",
            "which of its own sockets meets `to`; connects them",
        ),
        key(
            "to",
            ValueKind::Text,
            false,
            "\"y1.out\"",
            "the socket of another component or channel that it is attached to",
        ),
        key(
            "parameters",
            ValueKind::Table,
            false,
            "{ angle = \"60 deg\" }",
            "parameters of its kind by name: quantities, numbers, true or false, texts, lists",
        ),
        DEPTH,
        key(
            "dimensions",
            ValueKind::Names,
            false,
            "[\"length\", \"width\"]",
            "lengths and angles among its parameters whose values are written beside it, in the window and in outlines",
        ),
        REPEAT,
    ],
};

pub(super) static CHANNELS: Section = Section {
    name: "channels",
    entry: Some("channel"),
    doc: "Channels drawn from socket to socket through way-points. Without `to` one ends in a socket of its own, `name.end`.",
    keys: &[
        key(
            "from",
            ValueKind::Text,
            true,
            "\"y1.a\"",
            "the socket it starts from",
        ),
        key(
            "to",
            ValueKind::Text,
            false,
            "\"t1.up\"",
            "the socket it ends in",
        ),
        key(
            "via",
            ValueKind::Positions,
            false,
            "[[\"1 mm\", \"0 mm\"]]",
            "way-points of its centre line",
        ),
        key(
            "bend",
            ValueKind::Choice(&["mitred", "round"]),
            false,
            "\"round\"",
            "how it turns; mitred without it",
        ),
        key(
            "radius",
            LENGTH,
            false,
            "\"200 um\"",
            "of the centre line in round bends",
        ),
        key(
            "width",
            LENGTH,
            false,
            "\"100 um\"",
            "without it, that of the socket it starts from",
        ),
        DEPTH,
        REPEAT,
    ],
};

pub(super) static CONNECTIONS: Section = Section {
    name: "connections",
    entry: None,
    doc: "Sockets that already lie on each other, same width, opposite directions.",
    keys: &[key(
        "pairs",
        ValueKind::Pairs,
        false,
        "[[\"y1.out\", \"t1.left\"]]",
        "two sockets each",
    )],
};

pub(super) static LINKS: Section = Section {
    name: "links",
    entry: Some("link"),
    doc: "Straight pipes off the drawing: tubing. Each end is joined to a socket wherever that is; where one is left out, the link has a socket of its own, `name.start` or `name.end`.",
    keys: &[
        key(
            "from",
            ValueKind::Text,
            false,
            "\"c2.end\"",
            "the socket it starts from",
        ),
        key(
            "to",
            ValueKind::Text,
            false,
            "\"t1.up\"",
            "the socket it ends in",
        ),
        key(
            "length",
            LENGTH,
            true,
            "\"12 mm\"",
            "of the straight pipe; \"0 mm\" joins the two sockets directly",
        ),
        key(
            "width",
            LENGTH,
            false,
            "\"100 um\"",
            "without it, that of the socket it starts from, or else ends in",
        ),
        DEPTH,
        key(
            "bends",
            ValueKind::Whole,
            false,
            "2",
            "right-angled bends in its middle, to the left and to the right in turn",
        ),
    ],
};

pub(super) static SHEETS: Section = Section {
    name: "sheets",
    entry: None,
    doc: "Only parts of one sheet mustn't overlap.",
    keys: &[
        key(
            "default",
            ValueKind::Text,
            false,
            "\"chip\"",
            "the sheet of whatever isn't in `of`",
        ),
        key(
            "of",
            ValueKind::Table,
            false,
            "{ t1 = \"upper\" }",
            "components and channels of other sheets",
        ),
    ],
};

pub(super) static PORTS: Section = Section {
    name: "ports",
    entry: Some("port"),
    doc: "Sockets that open to the outside, each with one condition. Sockets without port or connection are closed.",
    keys: &[
        key("at", ValueKind::Text, true, "\"y1.a\"", "the socket"),
        key(
            "flow_rate",
            ValueKind::Quantity(Dimension::FlowRate),
            false,
            "\"5 uL/min\"",
            "developed flow into the chip, negative out of it; of a chip without depth per depth, \"1e-6 m^2/s\"",
        ),
        key(
            "pressure",
            ValueKind::Quantity(Dimension::Pressure),
            false,
            "\"1 mbar\"",
            "developed flow at this pressure",
        ),
        key(
            "traction_free",
            ValueKind::Flag,
            false,
            "true",
            "no stress at all, as where a channel opens into a large bath",
        ),
        REPEAT,
    ],
};

pub(super) static SPECIES: Section = Section {
    name: "species",
    entry: Some("species"),
    doc: "What is dissolved. `residence_time = true` beside the species asks for the age of the fluid at outlets.",
    keys: &[
        key(
            "diffusivity",
            ValueKind::Quantity(Dimension::FlowRatePerDepth),
            true,
            "\"4.3e-10 m^2/s\"",
            "how fast it diffuses",
        ),
        key(
            "inlets",
            ValueKind::Table,
            true,
            "{ sample = \"1 mM\", buffer = [[0, 1], [0.3, 0]] }",
            "concentrations by port, others bring none: a text in M, a plain number, or steps [place across from the right wall, concentration]",
        ),
    ],
};

const OVERLAY_KEYS: &[Key] = &[
    key(
        "path",
        ValueKind::Positions,
        false,
        "[[\"0 mm\", \"1 mm\"], [\"2 mm\", \"1 mm\"]]",
        "a line through these points, with mitred corners",
    ),
    key(
        "width",
        LENGTH,
        false,
        "\"50 um\"",
        "of a path, across; without it, the chip's",
    ),
    key(
        "box",
        ValueKind::Positions,
        false,
        "[[\"0 mm\", \"0 mm\"], [\"200 um\", \"100 um\"]]",
        "a rectangle by two opposite corners",
    ),
    key(
        "circle",
        ValueKind::Position,
        false,
        "[\"1 mm\", \"2 mm\"]",
        "a disc about this point",
    ),
    key(
        "diameter",
        LENGTH,
        false,
        "\"600 um\"",
        "of a circle, which needs it",
    ),
    key(
        "text",
        ValueKind::Text,
        false,
        "\"mixes here\"",
        "one line of text",
    ),
    key(
        "at",
        ValueKind::Position,
        false,
        "[\"3 mm\", \"1 mm\"]",
        "left end of a text's base line; texts need it",
    ),
    key(
        "size",
        LENGTH,
        false,
        "\"200 um\"",
        "height of a text's capitals; without it, the chip's width",
    ),
];

pub(super) static CONTROL: Section = Section {
    name: "control",
    entry: Some("control shape"),
    doc: "The control layer: valves and the channels that press them. It is drawn and exported on a layer of its own, and not solved. Each entry has one of `path`, `box`, `circle`, `text`.",
    keys: OVERLAY_KEYS,
};

pub(super) static NOTES: Section = Section {
    name: "notes",
    entry: Some("note"),
    doc: "What people should know: drawn and exported on a layer of its own, as `[control]` is.",
    keys: OVERLAY_KEYS,
};

pub(super) static GROUPS: Section = Section {
    name: "groups",
    entry: Some("group"),
    doc: "What is selected together in the window; nothing else follows from it.",
    keys: &[key(
        "of",
        ValueKind::Names,
        true,
        "[\"t1\", \"valve1\"]",
        "names of components, channels, control shapes and notes",
    )],
};

/// All sections, in the order in which they are printed.
pub(super) static SECTIONS: [&Section; 12] = [
    &FLUID,
    &CHIP,
    &COMPONENTS,
    &CHANNELS,
    &CONNECTIONS,
    &LINKS,
    &SHEETS,
    &PORTS,
    &SPECIES,
    &CONTROL,
    &NOTES,
    &GROUPS,
];

/// Keys of the file itself: those that are no sections, then the sections.
pub(super) fn of_file() -> Vec<&'static str> {
    let own = ["format", "title", "variables"];
    own.into_iter()
        .chain(SECTIONS.iter().map(|s| s.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{FORMAT, parse};

    /// A design with every key but those that exclude each other, from the examples of the table.
    #[test]
    fn the_table_s_examples_are_read_and_nothing_else_is() {
        let mut text = format!("format = {FORMAT}\n");
        for section in SECTIONS {
            let entries: Vec<String> = section
                .keys
                .iter()
                .filter(|k| {
                    !["repeat", "attach", "to", "flow_rate", "traction_free"].contains(&k.name)
                        && (k.name != "of" || section.name == GROUPS.name)
                })
                // Of what overlays can look like, one.
                .filter(|k| {
                    ![CONTROL.name, NOTES.name].contains(&section.name)
                        || ["path", "width"].contains(&k.name)
                })
                .map(|k| match k.name {
                    // Something of this design.
                    "of" if section.name == GROUPS.name => "of = [\"channel1\"]".to_owned(),
                    "inlets" => "inlets = { port1 = \"1 mM\" }".to_owned(),
                    _ => format!("{} = {}", k.name, k.example),
                })
                .collect();
            text += &match section.entry {
                None => format!("[{}]\n{}\n", section.name, entries.join("\n")),
                Some(entry) => format!(
                    "[{}]\n{}1 = {{ {} }}\n",
                    section.name,
                    entry.replace(' ', "_"),
                    entries.join(", ")
                ),
            };
        }
        let (design, mistakes) = parse(&text, "all");
        assert!(
            design.is_some() && mistakes.is_empty(),
            "{mistakes:#?}\n{text}"
        );
        let wrong = text.replace("density", "densty");
        let (_, mistakes) = parse(&wrong, "all");
        assert_eq!(mistakes[0].code, "D004");
    }
}
