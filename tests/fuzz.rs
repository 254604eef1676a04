//! Fuzz targets: whatever comes in, the reader, placement and the import of networks say what is wrong, or give something valid.
//!
//! Each target turns bytes into an input of its own kind, so that a found case shrinks to few bytes, and
//! `cargo bolero test fuzz::reader` can steer the bytes by coverage. A run of the tests takes the same few hundred cases of each;
//! `FUZZ_SECONDS=600 cargo test --test fuzz -- --nocapture` goes on for ten minutes with new cases of each. A failure prints the input that it is about,
//! and its bytes; the smallest design that shows it then goes into `designs/regressions/`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::time::Duration;

use bolero::check;
use cpu_time::ThreadTime;

#[path = "fuzz/choices.rs"]
mod choices;
#[path = "fuzz/foreign.rs"]
mod foreign;
#[path = "fuzz/mutate.rs"]
mod mutate;
#[path = "fuzz/network.rs"]
mod network;
#[path = "fuzz/placement.rs"]
mod placement;
#[path = "fuzz/random_design.rs"]
mod random_design;
#[path = "fuzz/reader.rs"]
mod reader;
#[path = "fuzz/regressions.rs"]
mod regressions;
#[path = "fuzz/solver.rs"]
mod solver;
#[path = "fuzz/validity.rs"]
mod validity;

use solver::Outcome;

/// Processor time; a case that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(1);

/// Most bytes that a case is made of.
const LONGEST: usize = 1500;

/// How long a target runs if somebody asked.
fn asked_time() -> Option<Duration> {
    let seconds = std::env::var("FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(
        seconds
            .parse()
            .expect("FUZZ_SECONDS is a whole number of seconds"),
    ))
}

/// Runs a target on `cases` inputs that are the same on every machine, or on new ones for the time that was asked for.
macro_rules! run {
    ($cases:expr, $target:path) => {
        match asked_time() {
            None => (0..$cases)
                .map(|case| $target(&fixed_bytes(case)))
                .collect(),
            Some(time) => {
                check!()
                    .with_test_time(time)
                    .with_max_len(LONGEST)
                    .for_each(|bytes: &[u8]| {
                        $target(bytes);
                    });
                Vec::new()
            }
        }
    };
}

/// The bytes of a numbered case (splitmix64, seeded with its number).
fn fixed_bytes(case: u64) -> Vec<u8> {
    let mut state = case.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 2019;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let length = (next() % LONGEST as u64) as usize;
    (0..length).map(|_| next() as u8).collect()
}

#[test]
fn reader() {
    let _: Vec<()> = run!(600, reader::target);
}

#[test]
fn placement() {
    all_happened(&run!(300, placement::target));
}

#[test]
fn network() {
    all_happened(&run!(300, network::target));
}

#[test]
fn parchmint() {
    some_were_read(&run!(200, foreign::parchmint));
}

#[test]
fn mmft() {
    some_were_read(&run!(300, foreign::mmft));
}

#[test]
fn threeduf() {
    some_were_read(&run!(200, foreign::threeduf));
}

#[test]
fn process() {
    some_were_read(&run!(300, foreign::process));
}

/// Fails if the fixed cases were all read, or all refused: then the target tests nothing.
fn some_were_read(read: &[bool]) {
    let n_read = read.iter().filter(|read| **read).count();
    assert!(
        read.is_empty() || (1..read.len()).contains(&n_read),
        "of {} cases {n_read} were read",
        read.len()
    );
}

/// Fails if the fixed cases never were refused, or never came to a solution: then the target tests nothing.
fn all_happened(outcomes: &[Outcome]) {
    if outcomes.is_empty() {
        return; // New cases, for the time that was asked for.
    }
    let count = |wanted| outcomes.iter().filter(|o| **o == wanted).count();
    let (refused, solved) = (
        count(Outcome::Refused) + count(Outcome::Unread),
        count(Outcome::Solved),
    );
    assert!(
        50 * refused.min(solved) >= outcomes.len(),
        "of {} cases {refused} were refused and {solved} solved",
        outcomes.len()
    );
}

/// Does it within the time that a case may take of this thread, whatever else the machine does.
fn in_time<T>(what: &str, input: &str, work: impl Fn() -> T) -> T {
    let clock = ThreadTime::now();
    let result = work();
    let taken = clock.elapsed();
    assert!(taken <= PATIENCE, "{what} takes {taken:?}:\n{input}");
    result
}
