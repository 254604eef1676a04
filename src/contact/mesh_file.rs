//! Bytes of an STL, OBJ or PLY file -> points and triangles.
//!
//! Corners at the same place become one vertex, so a mesh that was written triangle by triangle is joined again; triangles without area
//! between three vertices are left out. Whether the mesh is closed is judged where it is used ([`crate::closed`]). No file, however
//! broken, makes this panic or take more memory than a few times its own size.

use crate::generate::Surface;
use crate::real::V3;
use std::collections::BTreeMap;
use thiserror::Error;

mod ply;

/// Why a mesh can't be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MeshFileError {
    /// The name ends otherwise.
    #[error("a mesh is a file that ends in .stl, .obj or .ply")]
    UnknownFormat,
    /// A line of a text file.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A binary file.
    #[error("{what}")]
    Bytes {
        /// What is wrong with it.
        what: String,
    },
    /// A coordinate that isn't a finite number.
    #[error("vertex {vertex} isn't at a finite place")]
    NotFinite {
        /// The vertex, from 1.
        vertex: usize,
    },
    /// A corner that isn't there.
    #[error("a face has vertex {index} of {count}")]
    NoVertex {
        /// Which it asks for, from 1.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// Nothing to see.
    #[error("the file has no triangle")]
    Empty,
}

/// Reads a mesh; `name` tells its format by its end.
///
/// # Shapes and units
/// Coordinates are the file's. Faces of more than three corners are fans around their first.
/// # Errors
/// [`MeshFileError`].
/// # Example
/// ```
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
/// let (points, triangles) = stokeslet_contact::mesh_file::read("tetrahedron.obj", text).unwrap();
/// assert_eq!((points.len(), triangles.len()), (4, 4));
/// ```
pub fn read(name: &str, bytes: &[u8]) -> Result<Surface, MeshFileError> {
    let end = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let (points, faces) = match end.as_str() {
        "stl" => stl(bytes)?,
        "obj" => obj(bytes)?,
        "ply" => ply::read(bytes)?,
        _ => return Err(MeshFileError::UnknownFormat),
    };
    join(&points, &faces)
}

/// Points, and faces of any number of corners.
type Faces = (Vec<[f64; 3]>, Vec<Vec<u32>>);

fn line_error(line: usize, what: impl Into<String>) -> MeshFileError {
    MeshFileError::Line {
        line: line + 1,
        what: what.into(),
    }
}

fn numbers<'a, const N: usize>(
    words: impl Iterator<Item = &'a str>,
    line: usize,
) -> Result<[f64; N], MeshFileError> {
    let mut out = [0.0; N];
    let mut found = 0;
    for (x, word) in out.iter_mut().zip(words) {
        *x = word
            .parse()
            .map_err(|_| line_error(line, format!("`{word}` is no number")))?;
        found += 1;
    }
    match found == N {
        true => Ok(out),
        false => Err(line_error(line, format!("{N} numbers are needed"))),
    }
}

fn stl(bytes: &[u8]) -> Result<Faces, MeshFileError> {
    // Binary files may begin with "solid" too; their length tells.
    let count = bytes
        .get(80..84)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let is_binary = count.is_some_and(|n| n.checked_mul(50).map(|n| n + 84) == Some(bytes.len()));
    let mut points = Vec::new();
    if is_binary {
        for facet in bytes[84..].chunks_exact(50) {
            for corner in facet[12..48].chunks_exact(12) {
                let at = |k: usize| {
                    let b = &corner[4 * k..4 * k + 4];
                    f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                };
                points.push([at(0), at(1), at(2)]);
            }
        }
    } else {
        let text = String::from_utf8_lossy(bytes);
        if !text.trim_start().starts_with("solid") {
            let what = "neither a text that begins with `solid` nor as long as its number of triangles says";
            return Err(MeshFileError::Bytes { what: what.into() });
        }
        for (k, line) in text.lines().enumerate() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("vertex") => points.push(numbers(words, k)?),
                Some("endfacet") if points.len() % 3 != 0 => {
                    return Err(line_error(k, "a facet needs three vertices"));
                }
                _ => {}
            }
        }
        if points.len() % 3 != 0 {
            let what = "it ends inside a facet".to_owned();
            return Err(MeshFileError::Bytes { what });
        }
    }
    let faces = (0..points.len() as u32 / 3)
        .map(|t| vec![3 * t, 3 * t + 1, 3 * t + 2])
        .collect();
    Ok((points, faces))
}

fn obj(bytes: &[u8]) -> Result<Faces, MeshFileError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => points.push(numbers(words, k)?),
            Some("f") => {
                let corner = |word: &str| {
                    // Texture and normal follow after slashes; negative numbers count back from the last vertex.
                    let own = word.split('/').next().unwrap_or("");
                    let index: i64 = own
                        .parse()
                        .map_err(|_| line_error(k, format!("`{own}` is no vertex")))?;
                    let from_zero = match index {
                        0 => -1,
                        1.. => index - 1,
                        _ => points.len() as i64 + index,
                    };
                    let found = u32::try_from(from_zero).ok();
                    found
                        .filter(|i| (*i as usize) < points.len())
                        .ok_or(MeshFileError::NoVertex {
                            index,
                            count: points.len(),
                        })
                };
                let face = words.map(corner).collect::<Result<Vec<u32>, _>>()?;
                if face.len() < 3 {
                    return Err(line_error(k, "a face needs three vertices"));
                }
                faces.push(face);
            }
            _ => {}
        }
    }
    Ok((points, faces))
}

/// Joins corners at the same place, cuts faces into triangles, and leaves out what is no triangle and points that none has.
fn join(points: &[[f64; 3]], faces: &[Vec<u32>]) -> Result<Surface, MeshFileError> {
    let mut number: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let (mut kept, mut triangles) = (Vec::new(), Vec::new());
    let mut vertex = |i: u32| {
        let p = points[i as usize];
        if p.iter().any(|x| !x.is_finite()) {
            return Err(MeshFileError::NotFinite {
                vertex: i as usize + 1,
            });
        }
        // -0 is at the same place as 0.
        let key = p.map(|x| (x + 0.0).to_bits());
        Ok(*number.entry(key).or_insert_with(|| {
            kept.push(V3::from(p));
            kept.len() as u32 - 1
        }))
    };
    for face in faces {
        for k in 2..face.len() {
            let corners = [vertex(face[0])?, vertex(face[k - 1])?, vertex(face[k])?];
            let [a, b, c] = corners;
            if a != b && b != c && c != a {
                triangles.push(corners);
            }
        }
    }
    match triangles.is_empty() {
        true => Err(MeshFileError::Empty),
        false => Ok((kept, triangles)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{box_surface, enclosed};
    use crate::testing::{Random, assert_small};

    fn cube() -> Surface {
        box_surface(&V3::new(0.5, 1.0, 1.5))
    }

    /// The same box in every format that is read.
    fn files() -> Vec<(&'static str, Vec<u8>)> {
        let (points, triangles) = cube();
        let corner = |v: u32| points[v as usize];
        let mut binary = vec![b's'; 80];
        binary.extend((triangles.len() as u32).to_le_bytes());
        let mut text = "solid box\n".to_owned();
        for t in &triangles {
            binary.extend([0; 12]);
            text += "facet normal 0 0 0\nouter loop\n";
            for p in t.map(corner) {
                p.iter()
                    .for_each(|x| binary.extend((*x as f32).to_le_bytes()));
                text += &format!("vertex {} {} {}\n", p.x, p.y, p.z);
            }
            binary.extend([0; 2]);
            text += "endloop\nendfacet\n";
        }
        text += "endsolid\n";
        let mut obj = "# a box\n".to_owned();
        let mut ply = format!(
            "ply\nformat ascii 1.0\ncomment a box\nelement vertex {}\nproperty float x\nproperty double y\nproperty float z\n\
             property uchar red\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
            points.len(),
            triangles.len()
        );
        let head = |format: &str| ply.replace("ascii", format).into_bytes();
        let (mut little, mut big) = (head("binary_little_endian"), head("binary_big_endian"));
        for p in &points {
            obj += &format!("v {} {} {}\n", p.x, p.y, p.z);
            ply += &format!("{} {} {} 255\n", p.x, p.y, p.z);
            little.extend((p.x as f32).to_le_bytes());
            little.extend(p.y.to_le_bytes());
            little.extend((p.z as f32).to_le_bytes());
            little.push(255);
            big.extend((p.x as f32).to_be_bytes());
            big.extend(p.y.to_be_bytes());
            big.extend((p.z as f32).to_be_bytes());
            big.push(255);
        }
        for (k, t) in triangles.iter().enumerate() {
            let [a, b, c] = t.map(|v| v + 1);
            let back = t.map(|v| i64::from(v) - points.len() as i64);
            match k % 2 {
                0 => obj += &format!("f {a}/1/1 {b}//2 {c}\n"),
                _ => obj += &format!("f {} {} {}\n", back[0], back[1], back[2]),
            }
            ply += &format!("3 {} {} {}\n", t[0], t[1], t[2]);
            little.push(3);
            big.push(3);
            for v in t {
                little.extend(v.to_le_bytes());
                big.extend(v.to_be_bytes());
            }
        }
        vec![
            ("box.STL", binary),
            ("text.stl", text.into_bytes()),
            ("box.obj", obj.into_bytes()),
            ("box.ply", ply.into_bytes()),
            ("little.ply", little),
            ("big.ply", big),
        ]
    }

    #[test]
    fn every_format_gives_the_same_box() {
        for (name, bytes) in files() {
            let surface = read(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!((surface.0.len(), surface.1.len()), (8, 12), "{name}");
            assert_small(enclosed(&surface) - 6.0, 6.0, 1e-12, name);
        }
        let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
        let (points, triangles) = read("square.obj", square).expect("a face of four corners");
        assert_eq!((points.len(), triangles.len()), (4, 2));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        for (name, bytes, says) in [
            ("a.step", &b""[..], "ends in .stl"),
            ("a.stl", b"hello", "neither"),
            ("a.stl", b"solid\nvertex 1 2", "line 2: 3 numbers"),
            ("a.stl", b"solid\nvertex 1 2 3", "inside a facet"),
            ("a.stl", b"solid\nendsolid\n", "no triangle"),
            ("a.obj", b"v 1 2 x", "line 1: `x` is no number"),
            ("a.obj", b"v 0 0 0\nf 1 2 3", "vertex 2 of 1"),
            ("a.obj", b"v 0 0 0\nf 1 -2 1", "vertex -2 of 1"),
            (
                "a.obj",
                b"v 0 0 nan\nv 0 1 0\nv 1 0 0\nf 2 3 1",
                "vertex 1 isn't at a finite place",
            ),
            ("a.ply", b"hello", "line 1"),
            (
                "a.ply",
                b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                  element face 1\nproperty list uchar double vertex_indices\nend_header\n0 0 0\n3 0 1e30 0\n",
                "a face has vertex",
            ),
            (
                "a.ply",
                b"ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n",
                "ends",
            ),
        ] {
            let error = read(name, bytes).expect_err(name).to_string();
            assert!(error.contains(says), "{name}: {error}");
        }
    }

    /// Broken files are refused or read as something, never worse.
    #[test]
    fn bytes_that_were_changed_or_cut_do_no_harm() {
        let mut random = Random::new(7);
        let mut below = |n: usize| (random.number() * n as f64) as usize;
        let mut refused = 0;
        for (name, bytes) in files() {
            for _ in 0..400 {
                let mut broken = bytes.clone();
                for _ in 0..1 + below(6) {
                    let at = below(broken.len());
                    broken[at] = below(256) as u8;
                }
                broken.truncate(broken.len() - below(2) * below(bytes.len()));
                refused += usize::from(read(name, &broken).is_err());
            }
        }
        assert!(refused > 500, "most of them are noticed: {refused}");
    }
}
