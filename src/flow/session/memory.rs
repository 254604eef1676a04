//! Memory of the machine that a solve may use, and what this process has used.

use sysinfo::{MemoryRefreshKind, ProcessesToUpdate, RefreshKind, System};

/// What a page of a browser may be given in all, about: its addresses end at 4 GiB.
const OF_A_PAGE: u64 = 2 << 30;

/// Bytes that a solve may use: what the system can give without swapping, within the limits of a container.
pub fn free() -> u64 {
    if cfg!(target_arch = "wasm32") {
        return OF_A_PAGE;
    }
    let system = System::new_with_specifics(
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let free = system.available_memory();
    match system.cgroup_limits() {
        Some(limits) if limits.total_memory > 0 => free.min(limits.free_memory),
        _ => free,
    }
}

/// The most memory that this process has held so far, bytes; what it holds now where the system doesn't keep the peak.
pub fn peak() -> u64 {
    linux_peak().or_else(current).unwrap_or_default()
}

/// `VmHWM` of `/proc/self/status`, in kB.
fn linux_peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn current() -> Option<u64> {
    let pid = sysinfo::get_current_pid().ok()?;
    let mut system = System::new();
    system.refresh_processes(ProcessesToUpdate::Some(&[pid]), false);
    system.process(pid).map(sysinfo::Process::memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_process_holds_memory_and_some_is_free() {
        assert!(
            peak() > 1 << 20,
            "a test holds more than a megabyte: {}",
            peak()
        );
        assert!(free() > 1 << 20, "and more is free: {}", free());
    }
}
