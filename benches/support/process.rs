//! Memory and processor time of this process, as the kernel counts them; zero where the system doesn't tell.

use std::fs;

/// Forgets the greatest memory so far, so that [`peak_memory`] tells what came after.
pub fn forget_peak_memory() {
    // Where this is refused the peak is that of the whole process, which is the larger of the two.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Greatest resident memory, MiB.
pub fn peak_memory() -> f64 {
    status("VmHWM:")
}

/// Resident memory now, MiB.
pub fn memory() -> f64 {
    status("VmRSS:")
}

/// Time that processors spent on this process's threads, those that still live, s.
///
/// On a busy machine it tells more than the clock; threads that wait in a loop count as well.
pub fn processor_time() -> f64 {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = threads.flatten().filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}

fn status(key: &str) -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = text.lines().find_map(|line| {
        line.strip_prefix(key)?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    });
    kib.map_or(0.0, |kib: f64| kib / 1024.0)
}
