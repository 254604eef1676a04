//! Memory of this process, as the kernel counts it; zero where the system doesn't tell.

use std::fs;

/// Forgets the greatest memory so far, so that [`peak`] tells what came after.
pub fn forget_peak() {
    // Where this is refused the peak is that of the whole process, which is the larger of the two.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Greatest resident memory, MiB.
pub fn peak() -> f64 {
    status("VmHWM:")
}

/// Resident memory now, MiB.
pub fn now() -> f64 {
    status("VmRSS:")
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
