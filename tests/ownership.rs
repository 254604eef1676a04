//! The thesis's even split of unknowns against ownership by connections: the same fields, at their different costs.

use stokeslet::cancel::CancelToken;
use stokeslet::chip::Chip;
use stokeslet::library::Library;
use stokeslet::session::{Method, Solution, SolveSettings, solve};
use stokeslet::table::Table;
use stokeslet::thesis::{CONNECTIONS, EVEN_SPLIT};

fn chip(name: &str) -> Chip {
    let text =
        std::fs::read_to_string(format!("designs/{name}.toml")).expect("the design is there");
    let (design, _) = stokeslet::design::parse(&text, name);
    let (chip, _) =
        stokeslet::chip::place(&design.expect("the design reads"), &Library::embedded());
    chip.expect("the design is placed")
}

fn run(chip: &Chip, resolution: u32, method: &'static dyn Method) -> Solution {
    let settings = SolveSettings {
        resolution,
        method,
        ..SolveSettings::default()
    };
    solve(
        chip,
        &settings,
        &Table::default(),
        &|_, _| {},
        &CancelToken::new(),
    )
    .expect("solves")
}

#[test]
fn both_ownerships_give_the_same_fields_and_connections_cost_less() {
    for (name, resolution) in [("voronoi-s4", 4), ("grid20", 4), ("wide", 2)] {
        let chip = chip(name);
        let ours = run(&chip, resolution, &CONNECTIONS);
        let thesis = run(&chip, resolution, &EVEN_SPLIT);
        assert_eq!(ours.report.unknowns, thesis.report.unknowns, "{name}");
        let fastest = ours.max_speed.expect("fields").0;
        // Rows number the nodes differently: compare cell by cell, which come in the order of blocks in both.
        assert_eq!(
            ours.fields.cells.len(),
            thesis.fields.cells.len(),
            "{name}: the same cells"
        );
        assert!(!ours.fields.cells.is_empty(), "{name}: there are fields");
        for (a, b) in ours.fields.cells.iter().zip(&thesis.fields.cells) {
            for (&m, &n) in a.iter().zip(b) {
                let (m, n) = (m as usize, n as usize);
                let apart = (ours.fields.velocity[m] - thesis.fields.velocity[n]).norm();
                assert!(apart < 1e-9 * fastest, "{name}: {apart} at node {m}");
            }
        }
        println!(
            "{name} r = {resolution}: flops {:.3e} by connections, {:.3e} by halves",
            ours.report.flops as f64, thesis.report.flops as f64
        );
        assert!(
            ours.report.flops < thesis.report.flops,
            "{name}: halves own the inner columns, so their rows are larger"
        );
    }
}
