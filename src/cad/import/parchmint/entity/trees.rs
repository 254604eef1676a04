//! Entities that branch: bus trees and gradient generators.

use super::super::super::graph::error;
use super::{Device, Given, Role, Uses, metres, number};
use stokeslet_base::units::print_length;

pub(super) fn tree(given: &mut Given<'_, '_>, uses: &Uses<'_>) -> Role {
    let component = given.component;
    let width = given.length(&["flowChannelWidth", "channelWidth"], 800.0);
    let spacing = given.length(&["spacing"], 4000.0);
    let mut stage = given.length(&["stageLength"], 4000.0);
    let used = uses.labels.len() as u32;
    let n = given
        .count(&["out"], 0, 256)
        .max(given.count(&["in"], 0, 256));
    let n = n.max(given.count(&["leafs", "leaves"], 0, 256));
    let n = if n > 0 {
        n
    } else {
        used.saturating_sub(1).max(2)
    };
    // Where labels occur several times, that is the leaves' one.
    let times = |label: &str| {
        component
            .ports
            .iter()
            .filter(|port| port.label == label)
            .count()
    };
    let shared = component
        .ports
        .iter()
        .map(|p| p.label.as_str())
        .find(|label| times(label) > 1);
    let leaf_x: Vec<f64> = match shared {
        Some(label) => component
            .ports
            .iter()
            .filter(|p| p.label == label)
            .map(|p| p.x)
            .collect(),
        None => component
            .ports
            .iter()
            .skip(1)
            .take(n as usize)
            .map(|p| p.x)
            .collect(),
    };
    let (low, high) = leaf_x
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    let mut pitch = spacing;
    if leaf_x.len() == n as usize && n > 1 && high > low {
        pitch = (high - low) / f64::from(n - 1);
        let levels = f64::from(n.next_power_of_two().trailing_zeros());
        let tall = component.span.map(|span| span[1]);
        let tall = tall.or_else(|| component.ports.iter().map(|p| p.y).reduce(f64::max));
        if component.params.get("stageLength").is_none()
            && let Some(tall) = tall.filter(|tall| *tall > levels * width)
        {
            stage = (tall - levels * width) / (levels + 1.0);
        }
    }
    if pitch < 2.1 * width {
        let message = format!(
            "`{}` ({}) has leaves {} apart, and channels {} wide",
            component.name,
            component.entity,
            print_length(pitch),
            print_length(width)
        );
        let help = "its leaves would run into each other: the file's sizes contradict each other";
        given
            .out
            .report(error("D325", Some(component.place.clone()), message, help));
        return Role::Refused;
    }
    let parameters = vec![
        ("width", metres(width)),
        ("leaves", number(n)),
        ("pitch", metres(pitch)),
        ("stage", metres(stage.max(width / 2.0))),
    ];
    let leaf = |k: u32| format!("leaf{k}");
    let sockets = match shared {
        Some(label) => {
            let root = component
                .ports
                .iter()
                .map(|p| p.label.as_str())
                .find(|l| *l != label);
            let root = (root.unwrap_or("").to_owned(), 0, "root".to_owned());
            let leaves = (1..=n).map(|k| (label.to_owned(), 0, leaf(k)));
            std::iter::once(root).chain(leaves).collect()
        }
        None => {
            let root = ("1".to_owned(), 0, "root".to_owned());
            let leaves = (1..=n).map(|k| ((k + 1).to_string(), 0, leaf(k)));
            std::iter::once(root).chain(leaves).collect()
        }
    };
    let device = Device {
        sockets,
        ..Device::one("bus_tree", parameters, &[])
    };
    Role::Device(if component.entity == "YTREE" {
        device.noted("drawn with square turns")
    } else {
        device
    })
}

pub(super) fn gradient(given: &mut Given<'_, '_>) -> Role {
    let component = given.component;
    let inlets = given.count(&["in"], 1, 12);
    let outlets = given.count(&["out"], 3, 24);
    if outlets <= inlets || outlets - inlets > 12 {
        let message = format!(
            "`{}` has {inlets} inlets and {outlets} outlets",
            component.name
        );
        let help = "a gradient generator has up to 12 more outlets than inlets";
        given
            .out
            .report(error("D329", Some(component.place.clone()), message, help));
        return Role::Refused;
    }
    let width = given.length(&["channelWidth"], 800.0);
    let height = given.length(&["bendLength"], 2460.0) + width;
    let parameters = vec![
        ("width", metres(width)),
        ("inlets", number(inlets)),
        ("levels", number(outlets - inlets)),
        ("legs", number(2 * given.count(&["numberOfBends"], 1, 30))),
        (
            "mixer_pitch",
            metres(given.length(&["bendSpacing"], 1230.0) + width),
        ),
        ("height", metres(height.max(2.1 * width))),
        (
            "pitch",
            metres(
                given
                    .length(&["spacing"], 10_000.0)
                    .max(height + 1.5 * width),
            ),
        ),
    ];
    let ins = (1..=inlets).map(|k| (k.to_string(), 0, format!("in{k}")));
    let outs = (1..=outlets).map(|k| ((inlets + k).to_string(), 0, format!("out{k}")));
    Role::Device(Device {
        sockets: ins.chain(outs).collect(),
        ..Device::one("gradient_tree", parameters, &[])
    })
}
