//! Files that are no files: what a page of a browser was given, and what the browser keeps from visit to visit, by name. Everywhere
//! else there are none.

use std::path::Path;

#[cfg(target_arch = "wasm32")]
mod kept {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    thread_local! {
        static FILES: RefCell<BTreeMap<PathBuf, Vec<u8>>> = const { RefCell::new(BTreeMap::new()) };
    }

    pub fn keep(path: &Path, bytes: Vec<u8>) {
        FILES.with_borrow_mut(|files| files.insert(path.to_owned(), bytes));
    }

    pub fn with<R>(path: &Path, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        FILES.with_borrow(|files| files.get(path).map(|bytes| read(bytes)))
    }
}

/// Keeps a file's bytes under a name.
#[cfg(target_arch = "wasm32")]
pub fn keep(path: &Path, bytes: Vec<u8>) {
    kept::keep(path, bytes);
}

/// The bytes that are kept under a name.
pub fn read(path: &Path) -> Option<Vec<u8>> {
    #[cfg(target_arch = "wasm32")]
    return kept::with(path, <[u8]>::to_vec);
    #[cfg(not(target_arch = "wasm32"))]
    {
        let _ = path;
        None
    }
}

/// How many there are.
pub fn size(path: &Path) -> Option<u64> {
    read(path).map(|bytes| bytes.len() as u64)
}

/// What the browser keeps from one visit to the next.
#[cfg(target_arch = "wasm32")]
pub mod visits {
    use web_sys::{Storage, window};

    /// How names of ours begin among those of other pages of the same address.
    const OURS: &str = "stokeslet/";

    fn storage() -> Option<Storage> {
        window()?.local_storage().ok()?
    }

    /// The names of what is kept.
    pub fn names() -> Vec<String> {
        let Some(storage) = storage() else {
            return Vec::new();
        };
        let keys = 0..storage.length().unwrap_or_default();
        let keys = keys.filter_map(|k| storage.key(k).ok().flatten());
        keys.filter_map(|key| Some(key.strip_prefix(OURS)?.to_owned()))
            .collect()
    }

    /// What is kept under a name.
    pub fn read(name: &str) -> Option<String> {
        storage()?.get_item(&format!("{OURS}{name}")).ok()?
    }

    /// Keeps a text; whether the browser does.
    pub fn keep(name: &str, text: &str) -> bool {
        storage().is_some_and(|s| s.set_item(&format!("{OURS}{name}"), text).is_ok())
    }

    /// Keeps nothing under a name any more.
    pub fn forget(name: &str) {
        if let Some(storage) = storage() {
            // What can't be removed is offered again.
            let _ = storage.remove_item(&format!("{OURS}{name}"));
        }
    }
}
