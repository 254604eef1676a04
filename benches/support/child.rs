//! A case runs in a process of its own, so that its memory and its threads are its own.

use std::env;
use std::process::{Command, Stdio};

use super::Failure;

/// Tells a bench to run this case only and to print its row.
const CASE: &str = "STOKESLET_BENCH_CASE";

/// The case that this process was started for; none in the process that the user started.
pub fn asked() -> Option<String> {
    env::var(CASE).ok()
}

/// Says a row to the process that asked for it.
pub fn answer(row: &[String]) {
    println!("{}", row.join(","));
}

/// The row of a case: this program again, with the same arguments and so many threads.
///
/// # Errors
/// The process can't be started, or fails; its own words went to the standard error.
pub fn row(case: &str, threads: usize) -> Result<Vec<String>, Failure> {
    let answer = Command::new(env::current_exe()?)
        .args(env::args_os().skip(1))
        .env(CASE, case)
        .env("RAYON_NUM_THREADS", threads.to_string())
        .stderr(Stdio::inherit())
        .output()?;
    let said = String::from_utf8(answer.stdout)?;
    match said.lines().last() {
        Some(row) if answer.status.success() => Ok(row.split(',').map(str::to_string).collect()),
        _ => Err(format!("{case} ended with {}", answer.status).into()),
    }
}

/// Processors, which is how many threads a case gets at most; `RAYON_NUM_THREADS` lowers it.
pub fn most_threads() -> usize {
    rayon::current_num_threads()
}
