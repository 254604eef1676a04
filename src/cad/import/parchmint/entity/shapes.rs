//! Entities of one shape: nozzles, filters, transposers.

use super::{Device, DevicePart, Given, metres, pipes};

pub(super) fn nozzle(given: &mut Given<'_, '_>) -> Device {
    let water = given.length(&["waterInputWidth"], 600.0);
    let orifice = given.length(&["orificeSize"], 200.0);
    let output = given.length(&["outputWidth"], 600.0);
    let parameters = vec![
        ("width", metres(water)),
        (
            "side_width",
            metres(given.length(&["oilInputWidth"], 800.0)),
        ),
        ("orifice_width", metres(orifice)),
        (
            "orifice_length",
            metres(given.length(&["orificeLength"], 400.0)),
        ),
        ("out_width", metres(output)),
        (
            "widening_length",
            metres(given.length(&["outputLength"], 600.0).max(output / 2.0)),
        ),
    ];
    Device::one(
        "flow_focus",
        parameters,
        &[("1", "up"), ("2", "out"), ("3", "down"), ("4", "in")],
    )
}

pub(super) fn filter(given: &mut Given<'_, '_>) -> Device {
    let [inlet, outlet] = [
        given.length(&["inletWidth"], 1000.0),
        given.length(&["outletWidth"], 1000.0),
    ];
    let [in_length, out_length] = [
        given.length(&["inletLength"], 3000.0),
        given.length(&["outletLength"], 3000.0),
    ];
    let n = f64::from(given.count(&["filterNumber"], 5, 100));
    let levels = f64::from(given.count(&["levelNumber"], 2, 100));
    let post = given.length(&["pillarDiameter"], 2000.0);
    let [gap, bar] = [
        given.length(&["filterWidth"], 1000.0),
        given.length(&["barrierWidth"], 1000.0),
    ];
    let long = given.length(&["filterLength"], 3000.0);
    let [length, height] = given.component.span.unwrap_or([
        in_length + out_length + levels * (post + bar) + long,
        n * gap + (n - 1.0) * bar,
    ]);
    let inside = (length - in_length - out_length).max(inlet.max(outlet));
    pipes(
        &[inlet, height.max(inlet), outlet],
        &[in_length, inside, out_length],
    )
    .noted("its posts and bars are left out: it resists too little")
}

pub(super) fn transposer(given: &mut Given<'_, '_>) -> Device {
    let width = given.length(&["flowChannelWidth"], 500.0);
    let gap = given.length(&["valveGap"], 600.0);
    let radius = given.length(&["valveRadius"], 1200.0);
    let length = 6.0 * gap + 4.0 * radius + 3.0 * width;
    let pipe = |suffix| DevicePart {
        suffix,
        kind: "pipe",
        parameters: vec![("width", metres(width)), ("length", metres(length))],
    };
    let socket = |label: &str, part, socket: &str| (label.to_owned(), part, socket.to_owned());
    Device {
        parts: vec![pipe("_14"), pipe("_23")],
        sockets: vec![
            socket("1", 0, "a"),
            socket("4", 0, "b"),
            socket("2", 1, "a"),
            socket("3", 1, "b"),
        ],
        note: Some("two channels that cross without mixing, as long as its box"),
    }
}
