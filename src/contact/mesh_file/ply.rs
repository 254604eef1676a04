//! PLY: a header that tells which numbers follow, then the numbers, as text or as bytes of either order.

use super::{Faces, MeshFileError, line_error};

/// Most corners of a face; more is a broken file.
const MOST_CORNERS: usize = 10_000;

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Text,
    Little,
    Big,
}

#[derive(Clone, Copy)]
struct Number {
    bytes: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

fn number(name: &str) -> Option<Number> {
    use Kind::{Float, Signed, Unsigned};
    let (bytes, kind) = match name {
        "char" | "int8" => (1, Signed),
        "uchar" | "uint8" => (1, Unsigned),
        "short" | "int16" => (2, Signed),
        "ushort" | "uint16" => (2, Unsigned),
        "int" | "int32" => (4, Signed),
        "uint" | "uint32" => (4, Unsigned),
        "float" | "float32" => (4, Float),
        "double" | "float64" => (8, Float),
        _ => return None,
    };
    Some(Number { bytes, kind })
}

struct Property {
    name: String,
    /// Of a list: how its length is written.
    length: Option<Number>,
    number: Number,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// Numbers one after the other.
struct Body<'a> {
    order: Order,
    bytes: &'a [u8],
    at: usize,
    /// Line of `at`, for texts.
    line: usize,
}

impl Body<'_> {
    fn next(&mut self, number: Number) -> Result<f64, MeshFileError> {
        let ends = || MeshFileError::Bytes {
            what: "it ends before all that its head tells of".into(),
        };
        if self.order == Order::Text {
            while let Some(b) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
                self.line += usize::from(*b == b'\n');
                self.at += 1;
            }
            let rest = &self.bytes[self.at..];
            let end = rest.iter().position(u8::is_ascii_whitespace);
            let word = &rest[..end.unwrap_or(rest.len())];
            if word.is_empty() {
                return Err(ends());
            }
            self.at += word.len();
            let word = String::from_utf8_lossy(word);
            return word
                .parse()
                .map_err(|_| line_error(self.line, format!("`{word}` is no number")));
        }
        let found = self
            .bytes
            .get(self.at..self.at + number.bytes)
            .ok_or_else(ends)?;
        self.at += number.bytes;
        // The lowest byte first.
        let mut raw = [0; 8];
        for (k, b) in found.iter().enumerate() {
            match self.order {
                Order::Big => raw[found.len() - 1 - k] = *b,
                _ => raw[k] = *b,
            }
        }
        let bits = u64::from_le_bytes(raw);
        let unused = 64 - 8 * number.bytes as u32;
        Ok(match (number.kind, number.bytes) {
            (Kind::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Kind::Float, _) => f64::from_bits(bits),
            (Kind::Unsigned, _) => bits as f64,
            (Kind::Signed, _) => ((bits << unused) as i64 >> unused) as f64,
        })
    }
}

fn head(bytes: &[u8]) -> Result<(Order, Vec<Element>, usize, usize), MeshFileError> {
    let mut order = Order::Text;
    let mut elements: Vec<Element> = Vec::new();
    let mut at = 0;
    for line in 0.. {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            return Err(line_error(line, "the head has no end"));
        };
        at += end + 1;
        let text = String::from_utf8_lossy(&rest[..end]);
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = || line_error(line, format!("`{}` isn't understood", text.trim()));
        match words[..] {
            ["ply"] if line == 0 => {}
            _ if line == 0 => return Err(line_error(0, "a PLY file begins with `ply`")),
            ["format", name, _] => {
                order = match name {
                    "ascii" => Order::Text,
                    "binary_little_endian" => Order::Little,
                    "binary_big_endian" => Order::Big,
                    _ => return Err(wrong()),
                }
            }
            ["element", name, count] => elements.push(Element {
                name: name.to_owned(),
                count: count.parse().map_err(|_| wrong())?,
                properties: Vec::new(),
            }),
            ["property", "list", length, of, name] => {
                let element = elements.last_mut().ok_or_else(wrong)?;
                element.properties.push(Property {
                    name: name.to_owned(),
                    length: Some(number(length).ok_or_else(wrong)?),
                    number: number(of).ok_or_else(wrong)?,
                });
            }
            ["property", of, name] => {
                let element = elements.last_mut().ok_or_else(wrong)?;
                element.properties.push(Property {
                    name: name.to_owned(),
                    length: None,
                    number: number(of).ok_or_else(wrong)?,
                });
            }
            ["end_header"] => return Ok((order, elements, at, line + 1)),
            ["comment" | "obj_info", ..] | [] => {}
            _ => return Err(wrong()),
        }
    }
    Err(MeshFileError::Empty)
}

/// Reads a PLY file.
pub(super) fn read(bytes: &[u8]) -> Result<Faces, MeshFileError> {
    let (order, elements, at, line) = head(bytes)?;
    let mut body = Body {
        order,
        bytes,
        at,
        line,
    };
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    let mut vertices = 0;
    for element in &elements {
        if element.properties.is_empty() {
            // Nothing of it is in the body.
            continue;
        }
        for _ in 0..element.count {
            let (mut point, mut face) = ([f64::NAN; 3], Vec::new());
            for property in &element.properties {
                let many = match property.length {
                    Some(length) => body.next(length)?,
                    None => 1.0,
                };
                if !(0.0..=MOST_CORNERS as f64).contains(&many) {
                    let what = format!("a list of {many} numbers");
                    return Err(MeshFileError::Bytes { what });
                }
                for _ in 0..many as usize {
                    let value = body.next(property.number)?;
                    match (element.name.as_str(), property.name.as_str()) {
                        ("vertex", "x") => point[0] = value,
                        ("vertex", "y") => point[1] = value,
                        ("vertex", "z") => point[2] = value,
                        ("face", "vertex_indices" | "vertex_index") => face.push(value),
                        _ => {}
                    }
                }
            }
            match element.name.as_str() {
                "vertex" => points.push(point),
                "face" => faces.push(face),
                _ => {}
            }
        }
        vertices = points.len();
    }
    let corner = |value: &f64| {
        let good = (0.0..vertices as f64).contains(value) && value.fract() == 0.0;
        match good {
            true => Ok(*value as u32),
            false => Err(MeshFileError::NoVertex {
                index: (*value as i64).saturating_add(1),
                count: vertices,
            }),
        }
    };
    let faces = faces
        .iter()
        .map(|face| face.iter().map(corner).collect())
        .collect::<Result<Vec<Vec<u32>>, _>>()?;
    Ok((points, faces))
}
