//! Every file in `designs/`.

use serde_json::json;
use stokeslet::design::{self, Design, Placement};

use crate::golden::{Golden, compare};
use crate::support::{check_meshes, designs, placed, read, solved};

/// Resolution of the golden numbers.
const RESOLUTION: u32 = 4;
/// The same for designs over a million unknowns at that: none now. (`grid20` has 0.4 million at r = 4.)
const COARSE: [(&str, u32); 0] = [];

fn resolution(name: &str) -> u32 {
    COARSE
        .iter()
        .find(|(coarse, _)| *coarse == name)
        .map_or(RESOLUTION, |(_, r)| *r)
}

#[test]
fn every_design_opens_with_its_question() {
    let designs = designs();
    assert!(
        designs.len() >= 14,
        "five of the thesis and nine of a laboratory: {}",
        designs.len()
    );
    for (name, text) in designs {
        let comment: String = text
            .lines()
            .take_while(|line| line.starts_with("# "))
            .collect();
        assert!(comment.contains('?'), "{name} asks something");
        assert!(comment.contains("Look at"), "{name} says what to look at");
    }
}

#[test]
fn every_design_prints_and_reads_back() {
    for (name, text) in designs() {
        let first = read(&name, &text);
        let printed = design::print(&first);
        let second = read(&name, &printed);
        assert_eq!(without_spans(second), without_spans(first), "{name}");
    }
}

#[test]
fn every_design_solves_to_its_golden_numbers() {
    let mut golden = Golden::new();
    for (name, text) in designs() {
        let resolution = resolution(&name);
        let chip = placed(&name, &text);
        check_meshes(&chip, resolution);
        let s = solved(&chip, resolution);
        let ids: Vec<&str> = s.ports.iter().map(|port| port.id.as_str()).collect();
        let flow_rates: Vec<f64> = s.ports.iter().map(|port| port.flow_rate).collect();
        let pressures: Vec<f64> = s.ports.iter().map(|port| port.mean_pressure).collect();
        golden.insert(
            name,
            json!({
                "resolution": resolution,
                "unknowns": s.report.unknowns,
                "ports": ids,
                "flow_rates": flow_rates,
                "mean_pressures": pressures,
                "max_speed": s.max_speed.expect("fields").0,
                "mean_wall_shear": s.wall_shear.expect("fields").mean,
            }),
        );
    }
    compare("designs.json", &golden);
}

/// The same design as another text would give it.
fn without_spans(mut design: Design) -> Design {
    for component in &mut design.components {
        component.name.span = 0..0;
        component.kind.span = 0..0;
        if let Placement::Attached(attachment) = &mut component.placement {
            attachment.socket.span = 0..0;
            attachment.to.span = 0..0;
        }
        for (name, value) in &mut component.parameters {
            name.span = 0..0;
            value.span = 0..0;
        }
    }
    for channel in &mut design.channels {
        channel.name.span = 0..0;
        channel.from.span = 0..0;
        channel.to.iter_mut().for_each(|to| to.span = 0..0);
        channel.via.iter_mut().for_each(|point| point.span = 0..0);
    }
    for connection in &mut design.connections {
        connection.a.span = 0..0;
        connection.b.span = 0..0;
    }
    for port in &mut design.ports {
        port.name.span = 0..0;
        port.at.span = 0..0;
        port.condition.span = 0..0;
    }
    for group in &mut design.groups {
        group.name.span = 0..0;
        group.of.iter_mut().for_each(|member| member.span = 0..0);
    }
    for overlay in &mut design.overlays {
        overlay.name.span = 0..0;
    }
    for species in &mut design.species.species {
        species.name.span = 0..0;
        species.diffusivity.span = 0..0;
        for inlet in &mut species.inlets {
            inlet.port.span = 0..0;
        }
    }
    design
}
