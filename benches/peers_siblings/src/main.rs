//! Other people's engines beside our siblings, on the same scenes: what each gets right, and what it takes.
//!
//! ```text
//! cargo run --release                    every table, as CSV
//! cargo run --release -- slope stack     these: slope, thrown, topple, stack, pyramid, ladder; tank, dam, floating, light
//! ```
//! Seconds are processor time of one thread. Results are in `README.md` beside this.

mod bodies;
mod ours;
mod rapier;
mod setup;
mod water;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread").install(|| {
        println!("scene,engine,what,exact,found,unit");
        for (name, study) in bodies::STUDIES.iter().chain(&water::STUDIES) {
            if wants(name) {
                study();
            }
        }
    });
}

/// A row of the table.
pub fn row(scene: &str, engine: &str, what: &str, exact: Option<f64>, found: f64, unit: &str) {
    let exact = exact.map_or(String::new(), |x| format!("{x:.6}"));
    println!("{scene},{engine},{what},{exact},{found:.4e},{unit}");
}
