//! Memory of the machine that a solve may use.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Bytes that a solve may use: what the system can give without swapping, within the limits of a container.
pub fn free() -> u64 {
    let system = System::new_with_specifics(
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let free = system.available_memory();
    match system.cgroup_limits() {
        Some(limits) if limits.total_memory > 0 => free.min(limits.free_memory),
        _ => free,
    }
}
