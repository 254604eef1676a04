//! Balls and triangles as a camera sees them: a small renderer in software with a depth buffer, for series of pictures.
//!
//! Orthographic, so lengths along the picture can be compared. Knows no simulation: who draws says what is where and in which colour.
//! [`draw`] frames a box for a series of pictures; [`draw_in`] draws what a view shows, over a picture that is there.

use image::Rgb;
pub use image::RgbImage;

/// Longer side of a picture, pixels.
const SIDE: f64 = 640.0;

/// Around what is drawn, pixels.
const MARGIN: f64 = 16.0;

const BACKGROUND: Rgb<u8> = Rgb([250, 250, 248]);

/// Where light comes from, in the camera's axes (right, up, towards it); a unit vector.
const LIGHT: [f64; 3] = [-0.36, 0.48, 0.8];

/// A ball of one colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its middle, m.
    pub at: [f64; 3],
    /// Its radius, m.
    pub radius: f64,
    /// Its colour in full light.
    pub colour: [u8; 3],
}

/// A flat triangle, the same from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Its corners, m.
    pub corners: [[f64; 3]; 3],
    /// Seen only from where its corners go counter-clockwise: a wall doesn't hide what it is the wall of.
    pub one_sided: bool,
    /// Its colour in full light.
    pub colour: [u8; 3],
}

/// A line of one colour, not shaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Its ends, m.
    pub ends: [[f64; 3]; 2],
    /// Its width, pixels.
    pub width: f64,
    /// Its colour.
    pub colour: [u8; 3],
}

/// What there is to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Balls.
    pub balls: Vec<Ball>,
    /// Triangles.
    pub triangles: Vec<Triangle>,
    /// Lines.
    pub lines: Vec<Line>,
}

/// Whether light falls on what is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// Things look round.
    #[default]
    Lit,
    /// Colours are those of a legend.
    Flat,
}

/// Which part of the camera's plane a picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// What is at the picture's left edge, m along the camera's right.
    pub left: f64,
    /// What is at its upper edge, m along the camera's up.
    pub top: f64,
    /// Pixels a metre.
    pub scale: f64,
}

/// Where it is seen from: three unit vectors at right angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    right: [f64; 3],
    up: [f64; 3],
    towards: [f64; 3],
}

impl Camera {
    /// The plane of x (to the right) and y (up).
    pub const PLANE: Self = Self {
        right: [1.0, 0.0, 0.0],
        up: [0.0, 1.0, 0.0],
        towards: [0.0, 0.0, 1.0],
    };

    /// Space with z up: turned about z, then looked down on.
    ///
    /// # Shapes and units
    /// - `turn`, `tilt`: rad; at 0, 0 x is to the right, z up, and y away from the camera
    pub fn around(turn: f64, tilt: f64) -> Self {
        let ((s, c), (st, ct)) = (turn.sin_cos(), tilt.sin_cos());
        Self {
            right: [c, s, 0.0],
            up: [-s * st, c * st, ct],
            towards: [s * ct, -c * ct, st],
        }
    }

    /// The same of a world in which y is up and z comes towards who looks from the front.
    #[must_use]
    pub fn with_y_up(self) -> Self {
        // Its (x, y, z) is (x, -z, y) of a world with z up.
        let turned = |[x, y, z]: [f64; 3]| [x, z, -y];
        Self {
            right: turned(self.right),
            up: turned(self.up),
            towards: turned(self.towards),
        }
    }

    /// A point as the camera sees it: to the right, up, and towards the camera, m.
    pub fn see(&self, p: [f64; 3]) -> [f64; 3] {
        [dot(self.right, p), dot(self.up, p), dot(self.towards, p)]
    }

    /// The point that is seen so: the inverse of [`Camera::see`], m.
    pub fn place(&self, seen: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| {
            seen[0] * self.right[k] + seen[1] * self.up[k] + seen[2] * self.towards[k]
        })
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// What lies behind everything: the colour at a place of the camera's plane (m to the right, m up), where it isn't the background's.
pub type Behind<'a> = &'a dyn Fn(f64, f64) -> Option<[u8; 3]>;

/// Draws what lies in a box; the box decides the picture's scale and shape, so that pictures of a series fit each other.
///
/// # Shapes and units
/// - `bounds`: least and greatest corner of the box, m
/// - `pixels`: of the longer side without the margin; 640 unless asked otherwise
pub fn draw(
    drawing: &Drawing,
    camera: &Camera,
    bounds: [[f64; 3]; 2],
    pixels: Option<u32>,
    behind: Behind<'_>,
) -> RgbImage {
    let mut canvas = Canvas::new(camera, bounds, pixels.map_or(SIDE, f64::from));
    canvas.fill(behind);
    canvas.draw(drawing, camera);
    canvas.image
}

/// Draws what a view shows over a picture.
pub fn draw_in(
    drawing: &Drawing,
    camera: &Camera,
    viewport: &Viewport,
    shading: Shading,
    over: RgbImage,
) -> RgbImage {
    let pixels = over.width() as usize * over.height() as usize;
    let mut canvas = Canvas {
        image: over,
        depth: vec![f64::NEG_INFINITY; pixels],
        scale: viewport.scale,
        left: viewport.left,
        top: viewport.top,
        margin: 0.0,
        shading,
    };
    canvas.draw(drawing, camera);
    canvas.image
}

/// What a camera sees of a box: the least and greatest way to the right and up, m.
pub fn extent(camera: &Camera, bounds: [[f64; 3]; 2]) -> [[f64; 2]; 2] {
    let corners =
        (0..8).map(|k| camera.see(std::array::from_fn(|axis| bounds[(k >> axis) & 1][axis])));
    let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for corner in corners {
        for axis in 0..2 {
            least[axis] = least[axis].min(corner[axis]);
            most[axis] = most[axis].max(corner[axis]);
        }
    }
    [least, most]
}

/// The least box around points; nothing of no points.
///
/// # Shapes and units
/// - returns its least and greatest corner, as [`draw`] takes them
pub fn surrounding(points: impl IntoIterator<Item = [f64; 3]>) -> [[f64; 3]; 2] {
    let nothing = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    points.into_iter().fold(nothing, |[least, most], p| {
        let extreme =
            |of: [f64; 3], pick: fn(f64, f64) -> f64| std::array::from_fn(|k| pick(of[k], p[k]));
        [extreme(least, f64::min), extreme(most, f64::max)]
    })
}

/// A box made larger by so much on both sides of each axis.
pub fn grown([least, most]: [[f64; 3]; 2], by: [f64; 3]) -> [[f64; 3]; 2] {
    let moved = |corner: [f64; 3], sign: f64| std::array::from_fn(|k| corner[k] + sign * by[k]);
    [moved(least, -1.0), moved(most, 1.0)]
}

struct Canvas {
    image: RgbImage,
    /// How near every pixel is to the camera.
    depth: Vec<f64>,
    /// Pixels a metre.
    scale: f64,
    left: f64,
    top: f64,
    /// Pixels around what is drawn.
    margin: f64,
    shading: Shading,
}

impl Canvas {
    fn new(camera: &Camera, bounds: [[f64; 3]; 2], side: f64) -> Self {
        let [least, most] = extent(camera, bounds);
        let size = [most[0] - least[0], most[1] - least[1]];
        let longest = size[0].max(size[1]);
        // A box without size still gives a picture.
        let scale = if longest > 0.0 && longest.is_finite() {
            side / longest
        } else {
            1.0
        };
        let pixels = |length: f64| ((length * scale).clamp(1.0, side) + 2.0 * MARGIN) as u32;
        let image = RgbImage::from_pixel(pixels(size[0]), pixels(size[1]), BACKGROUND);
        let n = (image.width() * image.height()) as usize;
        Self {
            image,
            depth: vec![f64::NEG_INFINITY; n],
            scale,
            left: least[0],
            top: most[1],
            margin: MARGIN,
            shading: Shading::Lit,
        }
    }

    fn fill(&mut self, behind: Behind<'_>) {
        let (scale, left, top, margin) = (self.scale, self.left, self.top, self.margin);
        for (px, py, pixel) in self.image.enumerate_pixels_mut() {
            let right = left + (f64::from(px) + 0.5 - margin) / scale;
            let up = top - (f64::from(py) + 0.5 - margin) / scale;
            if let Some(colour) = behind(right, up) {
                *pixel = Rgb(colour);
            }
        }
    }

    fn draw(&mut self, drawing: &Drawing, camera: &Camera) {
        for triangle in &drawing.triangles {
            let seen = triangle.corners.map(|c| camera.see(c));
            let side = |k: usize, axis: usize| seen[k][axis] - seen[0][axis];
            let is_front = side(1, 0) * side(2, 1) > side(1, 1) * side(2, 0);
            if is_front || !triangle.one_sided {
                self.triangle(seen, triangle.colour);
            }
        }
        for ball in &drawing.balls {
            self.ball(camera.see(ball.at), ball.radius, ball.colour);
        }
        for line in &drawing.lines {
            self.line(
                line.ends.map(|end| camera.see(end)),
                line.width,
                line.colour,
            );
        }
    }

    /// A point as pixels, the third part still in metres.
    fn place(&self, p: [f64; 3]) -> [f64; 3] {
        [
            (p[0] - self.left) * self.scale + self.margin,
            (self.top - p[1]) * self.scale + self.margin,
            p[2],
        ]
    }

    /// Pixels whose middles lie between two places, on the picture.
    fn between(&self, from: [f64; 2], to: [f64; 2]) -> [std::ops::Range<u32>; 2] {
        let size = [self.image.width(), self.image.height()];
        std::array::from_fn(|axis| {
            let clamp = |v: f64| v.clamp(0.0, f64::from(size[axis])) as u32;
            clamp((from[axis] - 0.5).ceil())..clamp((to[axis] - 0.5).floor() + 1.0)
        })
    }

    fn set(&mut self, [x, y]: [u32; 2], depth: f64, colour: [u8; 3], normal: [f64; 3]) {
        let at = (y * self.image.width() + x) as usize;
        if depth <= self.depth[at] {
            return;
        }
        self.depth[at] = depth;
        let light = match self.shading {
            Shading::Lit => 0.45 + 0.55 * dot(normal, LIGHT).max(0.0),
            Shading::Flat => 1.0,
        };
        let shaded = colour.map(|c| (f64::from(c) * light) as u8);
        self.image.put_pixel(x, y, Rgb(shaded));
    }

    fn ball(&mut self, at: [f64; 3], radius: f64, colour: [u8; 3]) {
        let middle = self.place(at);
        // Balls smaller than a pixel still show.
        let r = (radius * self.scale).max(0.75);
        let [across, down] = self.between(
            [middle[0] - r, middle[1] - r],
            [middle[0] + r, middle[1] + r],
        );
        for y in down {
            for x in across.clone() {
                let dx = (f64::from(x) + 0.5 - middle[0]) / r;
                let dy = (middle[1] - f64::from(y) - 0.5) / r;
                let rest = 1.0 - dx * dx - dy * dy;
                if rest >= 0.0 {
                    let normal = [dx, dy, rest.sqrt()];
                    self.set([x, y], middle[2] + radius * normal[2], colour, normal);
                }
            }
        }
    }

    /// A line, over what is as near as it is.
    fn line(&mut self, ends: [[f64; 3]; 2], width: f64, colour: [u8; 3]) {
        let [a, b] = ends.map(|end| self.place(end));
        let size = [self.image.width(), self.image.height()].map(f64::from);
        let steps = (b[0] - a[0]).abs().max((b[1] - a[1]).abs()).ceil();
        // What is longer than many pictures is far out of any.
        if steps.is_nan() || steps >= 16.0 * (size[0] + size[1]) {
            return;
        }
        let half = 0.5 * width.max(1.0);
        let nearer = 2.0 * width / self.scale;
        for k in 0..=steps as usize {
            let t = k as f64 / steps.max(1.0);
            let p: [f64; 3] = std::array::from_fn(|i| a[i] + t * (b[i] - a[i]));
            let [across, down] =
                self.between([p[0] - half, p[1] - half], [p[0] + half, p[1] + half]);
            for y in down {
                for x in across.clone() {
                    let at = (y * self.image.width() + x) as usize;
                    if p[2] + nearer >= self.depth[at] {
                        self.depth[at] = p[2] + nearer;
                        self.image.put_pixel(x, y, Rgb(colour));
                    }
                }
            }
        }
    }

    fn triangle(&mut self, seen: [[f64; 3]; 3], colour: [u8; 3]) {
        let edge = |k: usize| -> [f64; 3] { std::array::from_fn(|i| seen[k][i] - seen[0][i]) };
        let (a, b) = (edge(1), edge(2));
        let normal = [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ];
        let length = dot(normal, normal).sqrt();
        if length == 0.0 || !length.is_finite() {
            return;
        }
        let sign = if normal[2] < 0.0 { -1.0 } else { 1.0 };
        let normal = normal.map(|n| sign * n / length);
        let p = seen.map(|corner| self.place(corner));
        let least = [0, 1].map(|i| p.iter().map(|c| c[i]).fold(f64::INFINITY, f64::min));
        let most = [0, 1].map(|i| p.iter().map(|c| c[i]).fold(f64::NEG_INFINITY, f64::max));
        let cross = |o: [f64; 3], u: [f64; 3], v: [f64; 2]| {
            (u[0] - o[0]) * (v[1] - o[1]) - (u[1] - o[1]) * (v[0] - o[0])
        };
        let area = cross(p[0], p[1], [p[2][0], p[2][1]]);
        if area == 0.0 {
            return;
        }
        let [across, down] = self.between(least, most);
        for y in down {
            for x in across.clone() {
                let at = [f64::from(x) + 0.5, f64::from(y) + 0.5];
                let share = [
                    cross(p[1], p[2], at) / area,
                    cross(p[2], p[0], at) / area,
                    cross(p[0], p[1], at) / area,
                ];
                if share.iter().all(|s| *s >= 0.0) {
                    let depth = dot(share, p.map(|c| c[2]));
                    self.set([x, y], depth, colour, normal);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 3] = [200, 0, 0];
    const BLUE: [u8; 3] = [0, 0, 200];
    const BOX: [[f64; 3]; 2] = [[0.0; 3], [1.0, 1.0, 1.0]];

    fn hue(image: &RgbImage, x: f64, y: f64) -> &'static str {
        let at = |v: f64| (MARGIN + v * SIDE) as u32;
        match *image.get_pixel(at(x), at(1.0 - y)) {
            BACKGROUND => "nothing",
            Rgb([r, _, b]) if r > b => "red",
            _ => "blue",
        }
    }

    #[test]
    fn the_nearer_of_two_things_is_seen_whatever_the_order() {
        let ball = Ball {
            at: [0.5, 0.5, 0.5],
            radius: 0.1,
            colour: RED,
        };
        let wall = |z: f64| Triangle {
            one_sided: false,
            corners: [[0.0, 0.0, z], [2.0, 0.0, z], [0.0, 2.0, z]],
            colour: BLUE,
        };
        for (z, middle) in [(0.2, "red"), (0.7, "blue")] {
            let drawing = Drawing {
                balls: vec![ball],
                triangles: vec![wall(z)],
                lines: Vec::new(),
            };
            let image = draw(&drawing, &Camera::PLANE, BOX, None, &|_, _| None);
            assert_eq!(hue(&image, 0.5, 0.5), middle, "the wall is at {z}");
            assert_eq!(hue(&image, 0.9, 0.1), "blue", "beside the ball");
        }
        // A wall seen from behind hides nothing; turned round it does.
        for (corners, middle) in [([0, 1, 2], "blue"), ([0, 2, 1], "red")] {
            let seen = wall(0.7).corners;
            let drawing = Drawing {
                balls: vec![ball],
                triangles: vec![Triangle {
                    one_sided: true,
                    corners: corners.map(|k| seen[k]),
                    ..wall(0.7)
                }],
                lines: Vec::new(),
            };
            let image = draw(&drawing, &Camera::PLANE, BOX, None, &|_, _| None);
            assert_eq!(hue(&image, 0.5, 0.5), middle, "{corners:?}");
        }
        let alone = Drawing {
            balls: vec![ball],
            ..Drawing::default()
        };
        let image = draw(&alone, &Camera::PLANE, BOX, None, &|_, _| None);
        assert_eq!(hue(&image, 0.58, 0.5), "red", "inside its radius");
        assert_eq!(hue(&image, 0.62, 0.5), "nothing", "outside it");
    }

    #[test]
    fn a_camera_around_has_axes_at_right_angles_and_sees_what_is_in_front() {
        for (turn, tilt) in [(0.0, 0.0), (0.7, 0.4), (-2.0, 1.2)] {
            let c = Camera::around(turn, tilt);
            for (a, b, want) in [
                (c.right, c.right, 1.0),
                (c.up, c.up, 1.0),
                (c.right, c.up, 0.0),
                (c.up, c.towards, 0.0),
                (c.towards, c.towards, 1.0),
            ] {
                assert!((dot(a, b) - want).abs() < 1e-15, "{turn} {tilt}");
            }
            let (p, back) = ([0.3, -2.0, 0.7], c.place(c.see([0.3, -2.0, 0.7])));
            let apart = (0..3).map(|k| (p[k] - back[k]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-15, "{turn} {tilt}: {back:?}");
        }
        let front = Camera::around(0.0, 0.0);
        assert!(
            front.see([0.0, -1.0, 0.0])[2] > front.see([0.0, 1.0, 0.0])[2],
            "y goes away from the camera"
        );
        assert_eq!(front.see([0.0, 0.0, 1.0])[1], 1.0, "z is up");
    }

    #[test]
    fn a_world_with_y_up_is_seen_upright() {
        let c = Camera::around(0.0, 0.0).with_y_up();
        assert_eq!(c.see([0.0, 1.0, 0.0])[1], 1.0, "y is up");
        assert_eq!(c.see([1.0, 0.0, 0.0])[0], 1.0, "x to the right");
        assert_eq!(c.see([0.0, 0.0, 1.0])[2], 1.0, "z comes near");
    }

    #[test]
    fn a_view_draws_flat_balls_and_lines_where_it_is_told_to() {
        let drawing = Drawing {
            balls: vec![Ball {
                at: [2.0, 1.0, 0.0],
                radius: 0.5,
                colour: RED,
            }],
            triangles: Vec::new(),
            lines: vec![
                Line {
                    ends: [[0.0, 0.2, 0.0], [4.0, 0.2, 0.0]],
                    width: 2.0,
                    colour: BLUE,
                },
                // Behind the ball.
                Line {
                    ends: [[0.0, 1.0, -3.0], [4.0, 1.0, -3.0]],
                    width: 2.0,
                    colour: BLUE,
                },
            ],
        };
        let viewport = Viewport {
            left: 0.0,
            top: 2.0,
            scale: 10.0,
        };
        let over = RgbImage::from_pixel(40, 20, BACKGROUND);
        let image = draw_in(&drawing, &Camera::PLANE, &viewport, Shading::Flat, over);
        assert_eq!(*image.get_pixel(20, 10), Rgb(RED), "in full colour");
        assert_eq!(*image.get_pixel(24, 10), Rgb(RED), "to its edge");
        assert_eq!(*image.get_pixel(5, 10), Rgb(BLUE), "beside the ball");
        assert_eq!(*image.get_pixel(5, 18), Rgb(BLUE), "the lower line");
        assert_eq!(*image.get_pixel(5, 2), BACKGROUND);
    }

    #[test]
    fn nothing_in_a_box_without_size_is_still_a_picture() {
        let image = draw(
            &Drawing::default(),
            &Camera::PLANE,
            [[0.0; 3]; 2],
            None,
            &|_, _| None,
        );
        assert!(image.width() > 0 && image.height() > 0);
    }
}
