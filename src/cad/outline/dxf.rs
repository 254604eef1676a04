//! DXF R2000 in millimetres: a block for each kind of part and an INSERT for each part, or the united outline flat.
//!
//! Tables, blocks and objects are those that ezdxf's audit and KLayout want to find; every handle occurs once.
//! Layers: FLOW (and FLOW_HOLES for what flat islands enclose), PORTS (names and lines across their sockets), FRAME, CONTROL, NOTES.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use super::arc::MOST_TURN;
use super::number::{mm, plain};
use super::part::{Edge, kind, kind_name, outline, rectangle};
use super::{Outlines, Settings};
use crate::design::{OverlayLayer, OverlayShape};
use stokeslet_base::fingerprint::Fingerprint;
use stokeslet_base::geometry::{Motion, Point};

const LAYERS: [(&str, u8); 7] = [
    ("0", 7),
    ("FLOW", 5),
    ("FLOW_HOLES", 1),
    ("PORTS", 3),
    ("FRAME", 8),
    ("CONTROL", 30),
    ("NOTES", 2),
];

/// Pairs of group code and value, with handles that never repeat.
struct Pairs {
    text: String,
    next: u32,
}

impl Pairs {
    fn put(&mut self, code: u16, value: impl Display) {
        let _ = writeln!(self.text, "{code:3}\n{value}");
    }

    fn all(&mut self, pairs: &[(u16, &str)]) {
        for (code, value) in pairs {
            self.put(*code, value);
        }
    }

    fn handle(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// The head of a table; returns its handle.
    fn table(&mut self, name: &str, entries: usize) -> u32 {
        let handle = self.handle();
        self.all(&[(0, "TABLE"), (2, name)]);
        self.put(5, format!("{handle:X}"));
        self.all(&[(330, "0"), (100, "AcDbSymbolTable")]);
        self.put(70, entries);
        if name == "DIMSTYLE" {
            self.put(100, "AcDbDimStyleTable");
        }
        handle
    }

    /// The head of a table's entry; returns its handle.
    fn entry(&mut self, table: &str, owner: u32, class: &str, name: &str) -> u32 {
        let handle = self.handle();
        self.put(0, table);
        self.put(
            if table == "DIMSTYLE" { 105 } else { 5 },
            format!("{handle:X}"),
        );
        self.put(330, format!("{owner:X}"));
        self.put(100, "AcDbSymbolTableRecord");
        self.put(100, class);
        self.put(2, name);
        handle
    }

    /// The head of an entity.
    fn entity(&mut self, kind: &str, owner: u32, layer: &str) {
        let handle = self.handle();
        self.put(0, kind);
        self.put(5, format!("{handle:X}"));
        self.put(330, format!("{owner:X}"));
        self.put(100, "AcDbEntity");
        self.put(8, layer);
    }

    /// A closed polyline; arcs as bulges.
    fn polyline(&mut self, owner: u32, layer: &str, edges: &[Edge]) {
        self.entity("LWPOLYLINE", owner, layer);
        self.put(100, "AcDbPolyline");
        self.put(90, edges.len());
        self.put(70, 1);
        for edge in edges {
            self.point(edge.from);
            if edge.turn != 0.0 {
                self.put(42, plain((edge.turn / 4.0).tan()));
            }
        }
    }

    /// A closed polyline around a box, by two opposite corners.
    fn rectangle(&mut self, owner: u32, layer: &str, corners: [Point; 2]) {
        let edges = rectangle(corners).map(|from| Edge {
            from,
            turn: 0.0,
            socket: None,
        });
        self.polyline(owner, layer, &edges);
    }

    /// A line of text, `height` in m.
    fn label(&mut self, (owner, layer): (u32, &str), at: Point, height: f64, text: &str) {
        self.entity("TEXT", owner, layer);
        self.put(100, "AcDbText");
        self.point(at);
        self.put(30, "0");
        self.put(40, mm(height));
        // A line break would end the value.
        self.put(1, text.replace(['\r', '\n'], " "));
        self.put(100, "AcDbText");
    }

    fn point(&mut self, p: Point) {
        self.put(10, mm(p.x));
        self.put(20, mm(p.y));
    }
}

/// The chip as a drawing.
pub(super) fn write(outlines: &Outlines, settings: &Settings) -> Vec<u8> {
    let mut kinds: BTreeMap<Fingerprint, (String, usize)> = BTreeMap::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    if !settings.is_flat {
        for (k, part) in outlines.chip.parts.iter().enumerate() {
            kinds.entry(kind(&part.shape)).or_insert_with(|| {
                let mut name = kind_name(&part.shape);
                let count = names.entry(name.clone()).or_insert(0);
                *count += 1;
                if *count > 1 {
                    // Eight figures of the key stand for all of it nearly always.
                    name = format!("{name}_{count}");
                }
                (name, k)
            });
        }
    }
    let mut body = Pairs {
        text: String::new(),
        next: 0x10,
    };
    let (model, records) = tables(&mut body, &kinds);
    blocks(&mut body, outlines, &kinds, model, &records);
    body.all(&[(0, "SECTION"), (2, "ENTITIES")]);
    if settings.is_flat {
        for walls in &outlines.loops {
            let layer = if walls.area() > 0.0 {
                "FLOW"
            } else {
                "FLOW_HOLES"
            };
            body.polyline(model, layer, &walls.edges);
        }
    } else {
        for part in &outlines.chip.parts {
            if let Some((name, _)) = kinds.get(&kind(&part.shape)) {
                insert(&mut body, model, name, &part.motion);
            }
        }
    }
    ports(&mut body, outlines, model);
    overlays(&mut body, outlines, model);
    if settings.margin > 0.0 {
        frame(&mut body, outlines, settings.margin, model);
    }
    body.put(0, "ENDSEC");
    objects(&mut body);
    body.put(0, "EOF");
    let mut file = header(outlines, body.next + 1);
    file.push_str(&body.text);
    file.into_bytes()
}

fn header(outlines: &Outlines, seed: u32) -> String {
    let mut head = Pairs {
        text: String::new(),
        next: 0,
    };
    let (low, high) = outlines.sheet();
    head.all(&[
        (0, "SECTION"),
        (2, "HEADER"),
        (9, "$ACADVER"),
        (1, "AC1015"),
        (9, "$HANDSEED"),
    ]);
    head.put(5, format!("{seed:X}"));
    head.all(&[(9, "$INSUNITS"), (70, "4"), (9, "$MEASUREMENT"), (70, "1")]);
    for (name, p) in [("$EXTMIN", low), ("$EXTMAX", high)] {
        head.put(9, name);
        head.point(p);
        head.put(30, "0");
    }
    head.all(&[(0, "ENDSEC"), (0, "SECTION"), (2, "CLASSES"), (0, "ENDSEC")]);
    head.text
}

/// All tables; returns the record of the model space and those of our blocks, by kind.
fn tables(
    out: &mut Pairs,
    kinds: &BTreeMap<Fingerprint, (String, usize)>,
) -> (u32, BTreeMap<Fingerprint, u32>) {
    out.all(&[(0, "SECTION"), (2, "TABLES")]);
    let t = out.table("VPORT", 1);
    out.entry("VPORT", t, "AcDbViewportTableRecord", "*Active");
    out.put(70, 0);
    out.put(0, "ENDTAB");
    let t = out.table("LTYPE", 3);
    for (name, text) in [
        ("ByBlock", ""),
        ("ByLayer", ""),
        ("Continuous", "Solid line"),
    ] {
        out.entry("LTYPE", t, "AcDbLinetypeTableRecord", name);
        out.all(&[(70, "0"), (3, text), (72, "65"), (73, "0"), (40, "0.0")]);
    }
    out.put(0, "ENDTAB");
    let t = out.table("LAYER", LAYERS.len());
    for (name, colour) in LAYERS {
        out.entry("LAYER", t, "AcDbLayerTableRecord", name);
        out.put(70, 0);
        out.put(62, colour);
        out.put(6, "Continuous");
    }
    out.put(0, "ENDTAB");
    let t = out.table("STYLE", 1);
    out.entry("STYLE", t, "AcDbTextStyleTableRecord", "Standard");
    out.all(&[
        (70, "0"),
        (40, "0.0"),
        (41, "1.0"),
        (50, "0.0"),
        (71, "0"),
        (42, "1.0"),
        (3, "txt"),
        (4, ""),
        (0, "ENDTAB"),
    ]);
    for name in ["VIEW", "UCS"] {
        out.table(name, 0);
        out.put(0, "ENDTAB");
    }
    let t = out.table("APPID", 1);
    out.entry("APPID", t, "AcDbRegAppTableRecord", "ACAD");
    out.put(70, 0);
    out.put(0, "ENDTAB");
    let t = out.table("DIMSTYLE", 1);
    out.entry("DIMSTYLE", t, "AcDbDimStyleTableRecord", "Standard");
    out.put(70, 0);
    out.put(0, "ENDTAB");
    let t = out.table("BLOCK_RECORD", kinds.len() + 2);
    let class = "AcDbBlockTableRecord";
    let model = out.entry("BLOCK_RECORD", t, class, "*Model_Space");
    let paper = out.entry("BLOCK_RECORD", t, class, "*Paper_Space");
    let records = kinds
        .iter()
        .map(|(key, (name, _))| (*key, out.entry("BLOCK_RECORD", t, class, name)))
        .collect();
    out.all(&[(0, "ENDTAB"), (0, "ENDSEC"), (0, "SECTION"), (2, "BLOCKS")]);
    for (name, owner) in [("*Model_Space", model), ("*Paper_Space", paper)] {
        block_head(out, name, owner);
        block_end(out, owner);
    }
    (model, records)
}

fn blocks(
    out: &mut Pairs,
    outlines: &Outlines,
    kinds: &BTreeMap<Fingerprint, (String, usize)>,
    model: u32,
    records: &BTreeMap<Fingerprint, u32>,
) {
    for (key, (name, part)) in kinds {
        let owner = records.get(key).copied().unwrap_or(model);
        block_head(out, name, owner);
        let own = outline(&outlines.chip.parts[*part].shape, MOST_TURN);
        out.polyline(owner, "FLOW", &own.edges);
        for hole in &own.holes {
            out.polyline(owner, "FLOW_HOLES", hole);
        }
        block_end(out, owner);
    }
    out.put(0, "ENDSEC");
}

fn block_head(out: &mut Pairs, name: &str, owner: u32) {
    out.entity("BLOCK", owner, "0");
    out.put(100, "AcDbBlockBegin");
    out.put(2, name);
    out.all(&[(70, "0"), (10, "0.0"), (20, "0.0"), (30, "0.0")]);
    out.put(3, name);
    out.put(1, "");
}

fn block_end(out: &mut Pairs, owner: u32) {
    out.entity("ENDBLK", owner, "0");
    out.put(100, "AcDbBlockEnd");
}

fn insert(out: &mut Pairs, owner: u32, name: &str, motion: &Motion) {
    out.entity("INSERT", owner, "FLOW");
    out.put(100, "AcDbBlockReference");
    out.put(2, name);
    out.point(motion.translation);
    out.put(30, "0");
    if motion.mirror {
        out.put(41, "1");
        out.put(42, "-1");
    }
    let degrees = motion.angle.to_degrees();
    if degrees != 0.0 {
        out.put(50, plain(degrees));
    }
}

/// A line across every port's socket, and its name beside it.
fn ports(out: &mut Pairs, outlines: &Outlines, owner: u32) {
    for port in &outlines.ports {
        let (a, b) = port.ends;
        out.entity("LINE", owner, "PORTS");
        out.put(100, "AcDbLine");
        out.point(a);
        out.put(30, "0");
        out.put(11, mm(b.x));
        out.put(21, mm(b.y));
        out.put(31, "0");
        let height = (b - a).norm() / 2.0;
        let outward = -(b - a).left().normalized();
        let at = (a + b) * 0.5 + outward * height;
        out.label((owner, "PORTS"), at, height, &port.name);
    }
}

/// Control layer and notes, paths as polylines as wide.
fn overlays(out: &mut Pairs, outlines: &Outlines, owner: u32) {
    let usual = outlines.usual_width;
    for overlay in &outlines.overlays {
        let layer = match overlay.layer {
            OverlayLayer::Control => "CONTROL",
            OverlayLayer::Notes => "NOTES",
        };
        match &overlay.shape {
            OverlayShape::Path { points, width } => {
                out.entity("LWPOLYLINE", owner, layer);
                out.put(100, "AcDbPolyline");
                out.put(90, points.len());
                out.put(70, 0);
                out.put(43, mm(width.map_or(usual, |w| w.0)));
                points.iter().for_each(|p| out.point(*p));
            }
            OverlayShape::Rectangle(corners) => {
                out.rectangle(owner, layer, *corners);
            }
            OverlayShape::Circle { centre, diameter } => {
                out.entity("CIRCLE", owner, layer);
                out.put(100, "AcDbCircle");
                out.point(*centre);
                out.put(30, "0");
                out.put(40, mm(diameter.0 / 2.0));
            }
            OverlayShape::Text { at, text, size } => {
                let height = size.map_or(usual, |s| s.0);
                out.label((owner, layer), *at, height, text);
            }
        }
    }
}

fn frame(out: &mut Pairs, outlines: &Outlines, margin: f64, owner: u32) {
    let (low, high) = outlines.sheet();
    let by = Point::new(margin, margin);
    out.rectangle(owner, "FRAME", [low - by, high + by]);
}

fn objects(out: &mut Pairs) {
    let root = out.handle();
    let groups = out.handle();
    out.all(&[(0, "SECTION"), (2, "OBJECTS"), (0, "DICTIONARY")]);
    out.put(5, format!("{root:X}"));
    out.all(&[
        (330, "0"),
        (100, "AcDbDictionary"),
        (281, "1"),
        (3, "ACAD_GROUP"),
    ]);
    out.put(350, format!("{groups:X}"));
    out.put(0, "DICTIONARY");
    out.put(5, format!("{groups:X}"));
    out.put(330, format!("{root:X}"));
    out.all(&[(100, "AcDbDictionary"), (281, "1"), (0, "ENDSEC")]);
}
