//! The list of files opened or saved lately.

use std::path::{Path, PathBuf};

/// Most that are kept.
pub const MAX: usize = 12;

/// Puts a file at the head of the list; a file is in it once.
pub fn note(recent: &mut Vec<PathBuf>, path: &Path) {
    // Without a working folder the path is kept as it is: it then opens as long as the folder stays.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    recent.retain(|known| *known != path);
    recent.insert(0, path);
    recent.truncate(MAX);
}

/// Takes a file out of the list: it can't be opened any more.
pub fn forget(recent: &mut Vec<PathBuf>, path: &Path) {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    recent.retain(|known| *known != absolute && *known != path);
}

/// Names for a menu: as short as tells them apart (`chip.toml`, or `chip.toml  (in /home/me/new)` where two share a name).
pub fn labels(recent: &[PathBuf]) -> Vec<String> {
    let name = |path: &Path| {
        path.file_name()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned())
    };
    let names: Vec<String> = recent.iter().map(|path| name(path)).collect();
    let alone = |k: usize| names.iter().filter(|other| **other == names[k]).count() == 1;
    let folder = |path: &Path| {
        path.parent()
            .map_or_else(String::new, |p| p.display().to_string())
    };
    (0..recent.len())
        .map(|k| match alone(k) {
            true => names[k].clone(),
            false => format!("{}  (in {})", names[k], folder(&recent[k])),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_first_and_nothing_is_there_twice() {
        let mut recent = Vec::new();
        for k in 0..20 {
            note(&mut recent, Path::new(&format!("/designs/{k}.toml")));
        }
        note(&mut recent, Path::new("/designs/15.toml"));
        assert_eq!(recent.len(), MAX);
        assert_eq!(recent[0], Path::new("/designs/15.toml"));
        assert_eq!(recent.iter().filter(|p| p.ends_with("15.toml")).count(), 1);
        forget(&mut recent, Path::new("/designs/15.toml"));
        assert_eq!(recent[0], Path::new("/designs/19.toml"));
    }

    #[test]
    fn labels_tell_files_of_one_name_apart() {
        let recent = ["/a/x.toml", "/b/x.toml", "/b/y.toml"].map(PathBuf::from);
        assert_eq!(
            labels(&recent),
            ["x.toml  (in /a)", "x.toml  (in /b)", "y.toml"]
        );
    }
}
