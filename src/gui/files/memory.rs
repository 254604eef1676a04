//! Files that are no files: what a page of a browser was given, by name. Everywhere else there are none.

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
