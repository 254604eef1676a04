//! Memory of the machine and of this process.

use sysinfo::{ProcessesToUpdate, System};

pub use stokeslet::session::memory::free;

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
