//! Networks of MMFT: what they solve to beside the numbers of MMFT and of the drawn networks.

use super::data::{files, solved};
use stokeslet::chip::place;
use stokeslet::design::{DepthModel, parse};
use stokeslet::import::{Format, format_of, mmft, mmft_laws};
use stokeslet::library::Library;

/// Flow rates into the ports, m^3/s, with the model of the file or another.
fn flows(text: &str, resolution: u32, model: Option<DepthModel>) -> Vec<(String, f64, f64)> {
    assert_eq!(format_of(text), Format::Mmft);
    let (imported, diagnostics) = mmft(text, "test");
    let imported = imported.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let (design, mistakes) = parse(&imported.text, "test");
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let mut design = design.expect("no mistakes");
    design.model = model.unwrap_or(design.model);
    let (chip, placed) = place(&design, &Library::embedded());
    let chip = chip.unwrap_or_else(|| panic!("{placed:?}"));
    let solution = solved(&chip, resolution).expect("solves");
    assert!(solution.report.relative_residual < 1e-10);
    let ports = solution.ports.iter();
    let ports = ports.map(|p| (p.id.clone(), p.flow_rate, p.mean_pressure));
    ports.collect()
}

/// A straight channel in two pieces, a pump of 1 kPa: the law of plane flow, exactly.
#[test]
fn a_straight_channel_has_the_law_of_plane_flow() {
    let text = r#"{"network":{"nodes":[{"x":0,"y":0,"ground":true},{"x":0.001,"y":0},{"x":0.003,"y":0},{"x":0.006,"y":0,"ground":true}],
        "channels":[{"node1":0,"node2":1,"width":1e-4,"height":5e-5},{"node1":1,"node2":2,"width":1e-4,"height":5e-5},{"node1":2,"node2":3,"width":1e-4,"height":5e-5,"length":0.003}]},
        "simulation":{"resistanceModel":"Poiseuille","fluids":[{"viscosity":0.001}],"pumps":[{"channel":0,"type":"PumpPressure","deltaP":1000}],"fixtures":[{"phase":0}],"activeFixture":0}}"#;
    let exact = 5e-5 * 1e-12 * 1000.0 / (12.0 * 1e-3 * 5e-3);
    let ports = flows(text, 4, None);
    assert!(
        (ports[0].1 / exact - 1.0).abs() < 1e-9,
        "{ports:?} for {exact}"
    );
    let laws = mmft_laws(text).expect("read");
    assert!((laws.poiseuille[0] / exact - 1.0).abs() < 1e-9, "{laws:?}");
    // A length of its own makes a link, and counts.
    let longer = text.replace("\"length\":0.003", "\"length\":0.008");
    let ports = flows(&longer, 4, None);
    assert!((ports[0].1 / exact - 0.5).abs() < 1e-9, "{ports:?}");
}

/// Channels of two heights in a row, the higher one before or behind: the law, exactly; the full model can't, and says so.
#[test]
fn channels_keep_their_heights() {
    for (first, second) in [(5e-5, 2e-5), (2e-5, 5e-5)] {
        let text = format!(
            r#"{{"network":{{"nodes":[{{"x":0,"y":0,"ground":true}},{{"x":0.001,"y":0}},{{"x":0.003,"y":0}},{{"x":0.006,"y":0,"ground":true}}],
        "channels":[{{"node1":0,"node2":1,"width":1e-4,"height":3e-5}},{{"node1":1,"node2":2,"width":1e-4,"height":{first}}},{{"node1":2,"node2":3,"width":1e-4,"height":{second},"length":0.004}}]}},
        "simulation":{{"resistanceModel":"Poiseuille","fluids":[{{"viscosity":0.001}}],"pumps":[{{"channel":0,"type":"PumpPressure","deltaP":1000}}],"fixtures":[{{"phase":0}}],"activeFixture":0}}}}"#
        );
        let resistance = 12.0 * 1e-3 / 1e-12 * (2e-3 / first + 4e-3 / second);
        let ports = flows(&text, 4, None);
        let exact = 1000.0 / resistance;
        assert!(
            (ports[0].1 / exact - 1.0).abs() < 1e-9,
            "{ports:?} for {exact}"
        );
        let laws = mmft_laws(&text).expect("read");
        assert!((laws.poiseuille[0] / exact - 1.0).abs() < 1e-9, "{laws:?}");
        let duct = text.replace("Poiseuille", "Rectangular");
        let (imported, said) = mmft(&duct, "test");
        let design = imported.expect("read").design;
        assert_eq!(design.model, DepthModel::Shallow);
        assert!(said.iter().any(|d| d.code == "D326"), "{said:?}");
        // Shallow is near the ducts' series.
        let (ports, laws) = (flows(&duct, 8, None), mmft_laws(&duct).expect("read"));
        assert!(
            (ports[0].1 / laws.exact[0] - 1.0).abs() < 0.01,
            "{ports:?} {laws:?}"
        );
    }
}

#[test]
fn the_laws_of_mmft_are_its_printed_values_and_the_chips_are_near() {
    let expected: Vec<(String, String)> = files("mmft");
    for (name, text) in &expected {
        let Some(stem) = name.strip_suffix(".JSON") else {
            continue;
        };
        let laws = mmft_laws(text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let ports = flows(text, 8, Some(DepthModel::Planar));
        println!(
            "{stem}: rectangular {:?}, poiseuille {:?}, exact {:?}, ours planar at 8 {ports:?}",
            laws.rectangular, laws.poiseuille, laws.exact
        );
        let scale = laws.poiseuille.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        for (node, law) in laws.nodes.iter().zip(&laws.poiseuille) {
            let port = ports
                .iter()
                .find(|p| p.0 == format!("node{node}"))
                .expect("a port");
            assert!(
                (port.1 - law).abs() < 0.05 * scale,
                "{name}: node {node}: {} beside {law}",
                port.1
            );
        }
        if stem == "Continuous_Network2" {
            let inlet = laws.nodes.iter().position(|&n| n == 1).expect("the inlet");
            assert!((laws.rectangular[inlet] - 1.50846e-10).abs() < 1e-5 * 1.6e-10);
            assert!((laws.exact[inlet] - 1.505_342_463e-10).abs() < 1e-8 * 1.6e-10);
        }
        if stem == "Continuous_Network1" {
            // MMFT prints six digits.
            let out = laws.nodes.iter().position(|&n| n == 7).expect("the outlet");
            assert!((laws.rectangular[out] + 2.358716e-9).abs() < 1e-5 * 2.4e-9);
            assert!((laws.poiseuille[out] + 5.555556e-9).abs() < 1e-5 * 5.6e-9);
            assert!((laws.exact[out] + 2.342950e-9).abs() < 1e-6 * 2.4e-9);
            let outlet = ports.iter().find(|p| p.0 == "node7").expect("a port");
            println!(
                "planar at 8: {:e}, specification 5.664886e-9 at 16",
                outlet.1
            );
            assert!((outlet.1 + 5.664886e-9).abs() < 2e-3 * 5.7e-9, "{outlet:?}");
        }
    }
}
