//! Files of other programs and studies, opened or dropped.

use super::*;

const NETLIST: &str = r#"{
  "name": "pair",
  "layers": [{"id": "flow", "name": "flow", "type": "FLOW"}],
  "components": [
    {"id": "p1", "name": "in", "entity": "PORT", "layers": ["flow"], "x-span": 2000, "y-span": 2000, "params": {"portRadius": 1000},
     "ports": [{"label": "1", "layer": "flow", "x": 1000, "y": 1000}]},
    {"id": "p2", "name": "out", "entity": "PORT", "layers": ["flow"], "x-span": 2000, "y-span": 2000, "params": {"portRadius": 1000},
     "ports": [{"label": "1", "layer": "flow", "x": 1000, "y": 1000}]}
  ],
  "connections": [
    {"id": "c1", "name": "c", "layer": "flow", "params": {"channelWidth": 300},
     "source": {"component": "p1", "port": "1"}, "sinks": [{"component": "p2", "port": "1"}]}
  ],
  "params": {"width": 10000, "height": 10000}
}"#;

fn dropped(window: &mut Window, name: &str, text: &str, home: &Path) {
    let path = home.join(name);
    std::fs::write(&path, text).expect("a file");
    apply(window, Command::OpenPath(path));
}

#[test]
fn a_netlist_is_imported_and_what_was_assumed_is_told() {
    let home = home();
    let mut window = empty(home.path());
    dropped(&mut window, "pair.json", NETLIST, home.path());
    let document = window.state().document();
    assert!(document.is_modified(), "it isn't saved as a design yet");
    assert!(document.path.is_none(), "the netlist isn't overwritten");
    let design = document.design.clone().expect("a design");
    assert_eq!(design.links.len(), 1);
    window.get_by_label_contains("Imported pair (ParchMint");
    // Its link is drawn, once, and is a link again when that is undone.
    let netlist = text(&window);
    apply(&mut window, Command::DrawLinks);
    let design = window.state().document().design.clone().expect("a design");
    // From port to port it is a pipe.
    assert_eq!((design.links.len(), design.components.len()), (0, 1));
    window.get_by_label_contains("One link is a channel now");
    let drawn = text(&window);
    apply(&mut window, Command::DrawLinks);
    assert_eq!(text(&window), drawn, "nothing is left to draw");
    apply(&mut window, Command::Undo);
    assert_eq!(text(&window), netlist);
    // What is none of the formats is refused, and nothing is lost.
    let before = text(&window);
    dropped(&mut window, "odd.json", "{\"a\": 1}", home.path());
    assert_eq!(text(&window), before);
}

#[test]
fn a_study_opens_its_design_and_becomes_a_chart() {
    let home = home();
    let design = r#"
format = 1
variables = { p = "1 mbar" }
fluid = { viscosity = "1 mPa s" }
chip = { model = "planar", width = "100 um", depth = "50 um", resolution = 4 }
components = { a = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "1 mm" } } }
ports = { in = { at = "a.a", pressure = "=p" }, out = { at = "a.b", pressure = "0 Pa" } }
"#;
    std::fs::write(home.path().join("pipe.toml"), design).expect("a file");
    let study =
        "format = 1\ndesign = \"pipe.toml\"\n[ranges]\np = { values = [\"1 mbar\", \"2 mbar\"] }\n";
    let mut window = empty(home.path());
    dropped(&mut window, "study.toml", study, home.path());
    assert_eq!(window.state().document().name(), "pipe");
    let begin = Instant::now();
    while window.state().context().studies.running.is_some() {
        assert!(begin.elapsed() < Duration::from_secs(300), "no answer");
        std::thread::sleep(Duration::from_millis(5));
        window.run_steps(1);
    }
    let studies = window.state().context().studies;
    assert_eq!(studies.failure, None);
    assert_eq!(studies.sweep.as_ref().map(|s| s.records.len()), Some(2));
    // A study of a design that isn't there is said.
    dropped(
        &mut window,
        "lost.toml",
        &study.replace("pipe", "gone"),
        home.path(),
    );
    window.get_by_label_contains("gone.toml");
}

/// Frames until the file is there.
fn written(window: &mut Window, path: &Path) -> Vec<u8> {
    let begin = Instant::now();
    while !path.exists() {
        window.step();
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::read(path).expect("a file")
}

#[test]
fn outlines_and_pictures_for_paper_go_out() {
    use stokeslet_gui::files::outline::OutlineKind;
    let home = home();
    let mut window = open(Some(&example("tee")), home.path());
    let dxf = home.path().join("tee.dxf");
    apply(
        &mut window,
        Command::OutlineTo(OutlineKind::Dxf, dxf.clone()),
    );
    let file = written(&mut window, &dxf);
    assert!(file.windows(9).any(|w| w == b"LWPOLYLIN"), "the walls");
    let pdf = home.path().join("tee.pdf");
    apply(
        &mut window,
        Command::PictureTo(PictureFormat::Pdf, pdf.clone()),
    );
    assert!(written(&mut window, &pdf).starts_with(b"%PDF-"));
    let clear = home.path().join("tee.png");
    apply(
        &mut window,
        Command::PictureTo(PictureFormat::PngClear, clear.clone()),
    );
    let picture = image::load_from_memory(&written(&mut window, &clear)).expect("a PNG");
    let picture = picture.to_rgba8();
    let canvas = window.state().canvas().view.rect;
    assert!(
        (picture.width() as f32 - 4.0 * canvas.width()).abs() < 2.0,
        "four pixels a point"
    );
    let n_clear = picture.pixels().filter(|p| p.0[3] == 0).count();
    let n_all = (picture.width() * picture.height()) as usize;
    assert!(n_clear > n_all / 10, "no ground: {n_clear}");
    let n_drawn = picture.pixels().filter(|p| p.0[3] > 200).count();
    assert!(n_drawn > 10_000, "the chip: {n_drawn}");
}
