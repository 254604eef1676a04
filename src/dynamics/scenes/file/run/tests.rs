use super::*;
use crate::lcp::solver;
use crate::scenes::{Simulation, scene_file, scene2};

fn circle(settings: &LiquidSettings) -> LiquidRun {
    let text = scene_file("circle").unwrap();
    let mut scene = LiquidScene::parse(text).unwrap();
    scene.cells = 16;
    LiquidRun::new(&scene, settings).unwrap()
}

#[test]
fn a_file_runs_to_the_bit_as_what_it_describes() {
    let mut run = circle(&LiquidSettings::default());
    let scene = scene2("circle").unwrap();
    let mut alone = Simulation::new(scene, 16, crate::pressure::Separation::Cut);
    let mut fas = solver::<2>("fas-mg").unwrap();
    for _ in 0..3 {
        let log = run.frame(Watch::SILENT).unwrap();
        let frame = alone.frame(&mut *fas, Watch::SILENT, &mut |_| {}).unwrap();
        assert_eq!(
            (log.volume, log.divergence),
            (frame.volume, frame.divergence)
        );
    }
    let places = run.snapshot().x;
    assert!(places.iter().zip(&alone.x).all(|(a, b)| a[..2] == b[..]));
    assert_eq!(places.len(), alone.x.len());
}

#[test]
fn both_loops_fall_freely_and_a_larger_side_changes_nothing_but_lengths() {
    let text = "name = 'drop'\ndimension = 2\ncells = 32\nopen = { box = { low = [0.1, 0.1], high = [0.9, 0.9] } }\n\n[[liquid]]\nshape = { ball = { centre = [0.5, 0.65], radius = 0.1 } }\nvelocity = [0.5, 0]\n";
    let twice = text
        .replace("cells", "side = 2\ncells")
        .replace("0.1, 0.1]", "0.2, 0.2]")
        .replace("0.9, 0.9]", "1.8, 1.8]")
        .replace("[0.5, 0.65]", "[1, 1.3]")
        .replace("radius = 0.1", "radius = 0.2");
    for text in [text, &twice] {
        let scene = LiquidScene::parse(text).unwrap();
        for name in ["pi-mgpcg", "iop-sep"] {
            let settings = LiquidSettings {
                solver: Some(name.to_owned()),
                ..LiquidSettings::default()
            };
            let mut run = LiquidRun::new(&scene, &settings).unwrap();
            let middle = |run: &LiquidRun| {
                let x = run.snapshot().x;
                let n = x.len() as f64;
                [0, 1].map(|k| x.iter().map(|x| x[k]).sum::<f64>() / n)
            };
            let start = middle(&run);
            for _ in 0..8 {
                run.frame(Watch::SILENT).unwrap();
            }
            let end = middle(&run);
            let t = run.time();
            assert!((t - 0.08).abs() < 1e-12);
            let want = [start[0] + 0.5 * t, start[1] - 0.5 * 9.81 * t * t];
            let off = [end[0] - want[0], end[1] - want[1]];
            // Steps move by the velocity of their start, so both lag by half a step of the fall: a frame has two at stairs.
            let step = if name == "iop-sep" { 0.005 } else { 0.01 };
            let late = 0.5 * 9.81 * t * step;
            assert!(
                off[0].abs() < 1e-4 && (off[1] / late - 1.0).abs() < 0.01,
                "{name} {off:?} {late}"
            );
        }
    }
}

#[test]
fn in_a_rectangle_liquid_moves_as_in_the_square_around_it() {
    // Open in the lower half of a square: the upper half is solid, or not there at all.
    let square = "name = 'pan'\ndimension = 2\ncells = 32\nside = 2\nopen = { box = { low = [0.1, 0.1], high = [1.9, 0.9] } }\n\n[[liquid]]\nshape = { box = { low = [0, 0], high = [0.8, 0.7] } }\n";
    let rectangle = square.replace("side = 2", "extent = [2, 1]");
    for name in ["pi-mgpcg", "iop-sep"] {
        let settings = LiquidSettings {
            solver: Some(name.to_owned()),
            ..LiquidSettings::default()
        };
        let after = |text: &str| {
            let scene = LiquidScene::parse(text).unwrap();
            let mut run = LiquidRun::new(&scene, &settings).unwrap();
            for _ in 0..10 {
                run.frame(Watch::SILENT).unwrap();
            }
            run.snapshot()
        };
        let (whole, half) = (after(square), after(&rectangle));
        assert_eq!((whole.cells, half.cells), ([32, 32, 1], [32, 16, 1]));
        assert_eq!(whole.x.len(), half.x.len());
        let sum = |x: &[[f64; 3]], k: usize| x.iter().map(|x| x[k]).sum::<f64>();
        for k in 0..2 {
            let n = whole.x.len() as f64;
            let apart = (sum(&whole.x, k) - sum(&half.x, k)).abs() / n;
            assert!(apart < 2e-3, "{name} {apart}");
        }
    }
    let odd = square.replace("side = 2", "extent = [2, 1.03]");
    let wrong = LiquidScene::parse(&odd).unwrap_err().to_string();
    assert!(wrong.contains("cells"), "{wrong}");
    let both = square.replace("side = 2", "side = 2\nextent = [2, 1]");
    assert!(LiquidScene::parse(&both).is_err());
}

#[test]
fn a_checkpoint_of_other_settings_is_refused() {
    let run = circle(&LiquidSettings::default());
    let other = LiquidSettings {
        gravity: Some(-1.0),
        ..LiquidSettings::default()
    };
    let refused = circle(&other).load(&run.save());
    assert!(matches!(refused, Err(LiquidError::OtherRun)));
}

#[test]
fn a_drop_in_a_container_that_swings_is_left_behind_by_it() {
    // Nothing touches the walls: the drop stays where it is, so from the container it moves by minus the container's way.
    let text = "name = 'drop'\ndimension = 2\ncells = 32\ngravity = 0\nopen = { box = { low = [0.2, 0.2], high = [0.8, 0.8] } }\nmotion = { axis = 'x', amplitude = 0.08, period = 0.5 }\n\n[[liquid]]\nshape = { ball = { centre = [0.5, 0.5], radius = 0.1 } }\n";
    let scene = LiquidScene::parse(text).unwrap();
    let settings = LiquidSettings {
        solver: Some("iop-sep".to_owned()),
        ..LiquidSettings::default()
    };
    let mut run = LiquidRun::new(&scene, &settings).unwrap();
    let middle = |run: &LiquidRun| {
        let x = run.snapshot().x;
        x.iter().map(|x| x[0]).sum::<f64>() / x.len() as f64
    };
    let start = middle(&run);
    let motion = scene.motion().unwrap();
    for _ in 0..25 {
        run.frame(Watch::SILENT).unwrap();
        let want = -motion.displacement(run.time());
        let off = middle(&run) - start - want;
        // Steps, two a frame, move by the velocity of their start: half a step late.
        let late = 0.5 * 0.005 * (motion.speed(run.time()) - motion.speed(0.0));
        assert!((off - late).abs() < 2e-4, "{} s: {off} {late}", run.time());
    }
}
