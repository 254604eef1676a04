//! Scenes whose thresholds of friction and toppling are known, for tests and for the bench that halves its way to them.

mod sharp;

pub use sharp::sharp;
use stokeslet_contact::scene::ShapeSpec;
use stokeslet_contact::{Scene, SceneFile};

/// A box on a slope, which topples where its half width over half height is below the slope. Points lie half a spacing inside: the widths are theirs.
pub fn box_on_a_slope(kind: &str, slope: f64, ratio: f64) -> Scene {
    // Compliance tilts a box (12 % of the threshold at a contact stiffness of 1e4 if it is rigid, 2 to 5 % at 1e7 Pa if it is soft): all are stiff here.
    let (young, stiffness, cells) = match kind {
        "rigid" => ("", 1e7, [1, 1, 1]),
        "deformable" => ("young = 1e8", 1e6, [1, 1, 4]),
        _ => ("young = 1e7", 1e5, [6, 6, 12]),
    };
    let half_height = 0.05;
    let half_width = ratio * half_height;
    let side = |half: f64, cells: i32| match kind {
        "points" => 2.0 * half * f64::from(cells) / f64::from(cells - 1),
        _ => 2.0 * half,
    };
    let [width, height] = [side(half_width, cells[0]), side(half_height, cells[2])];
    let normal = 9.81 / (1.0 + slope * slope).sqrt();
    let text = format!(
        "name = 'box'\nabout = 'a box on a slope'\ntime_step = 0.005\nduration = 1\nfriction = 0.9\nstiffness = {stiffness}\n\
         gravity = [{}, 0, -{normal}]\ngrid_spacing = {}\nplane = [{{ normal = [0, 0, 1] }}]\n\
         [[body]]\nname = 'box'\nkind = '{kind}'\nmass = 0.04\n{young}\nposition = [0, 0, {}]\n\
         shape = {{ box = {{ sides = [{width}, {width}, {height}], cells = {cells:?} }} }}\n",
        slope * normal,
        2.0 * width / f64::from(cells[0]),
        half_height - 1e-7
    );
    Scene::parse(&text).expect("a scene of our own")
}

/// A cube alone between two walls, half a millimetre in either, that friction of .2 just holds: 2 particles a side, 3, or 11.
pub fn cube_between_walls(kind: &str) -> Scene {
    // Points lie half a spacing inside of the cube's sides.
    let (extra, cells, half, stiffness) = match kind {
        "rigid" => ("", 1, 0.05, 100.0),
        "deformable" => ("young = 1e4\n", 2, 0.05, 100.0),
        _ => ("young = 1e4\n", 11, 0.05 * 10.0 / 11.0, 10.0),
    };
    let wall = half - 5e-4;
    let text = format!(
        "name = 'cube'\nabout = 'a cube between walls'\ntime_step = 0.005\nduration = 10\nfriction = 0.3\nstiffness = {stiffness}\n\
         grid_spacing = 0.0182\n[wedge]\nthreshold = 0.2\nbody = 'cube'\nwall = 'left'\n\
         [[plane]]\nname = 'left'\nnormal = [1, 0, 0]\noffset = -{wall}\n[[plane]]\nnormal = [-1, 0, 0]\noffset = -{wall}\n\
         [[body]]\nname = 'cube'\nkind = '{kind}'\nmass = 0.1\n{extra}position = [0, 0, 0]\n\
         shape = {{ box = {{ sides = [0.1, 0.1, 0.1], cells = [{cells}, {cells}, {cells}] }} }}\n"
    );
    Scene::parse(&text).expect("a scene of our own")
}

/// Puts a rigid pair's walls and bodies where they overlap by so much in all, m. Contacts are so stiff that its masses stay what steps are made for.
pub fn wedged_by(scene: &mut Scene, overlap: f64) {
    let ShapeSpec::Ball { radius, .. } = scene.body[1].shape else {
        panic!("the second body of a pair is its ball");
    };
    scene.stiffness = scene.stiffness.max(40.0);
    for plane in &mut scene.plane {
        plane.offset = -(2.0 * radius - 0.5 * overlap);
    }
    scene.body[0].position[0] = -radius + 0.25 * overlap;
    scene.body[1].position[0] = radius - 0.25 * overlap;
}
