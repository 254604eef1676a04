//! Files with something wrong in them: cut, doubled, spliced, with words of the format in the wrong place.

use std::path::Path;

use crate::choices::Choices;

/// The bytes of all files of these folders of the repository with this ending.
pub fn seeds(folders: &[&str], extension: &str) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for folder in folders {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.retain(|path| path.extension().is_some_and(|found| found == extension));
        paths.sort();
        seeds.extend(paths.iter().map(|path| std::fs::read(path).unwrap()));
    }
    assert!(!seeds.is_empty(), "there are files to start from");
    seeds
}

/// One of the seeds with a few changes.
pub fn mutated(choices: &mut Choices, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut text = choices.pick(seeds).clone();
    for _ in 0..=choices.below(6) {
        change(choices, &mut text, seeds, words);
    }
    text
}

fn change(choices: &mut Choices, text: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
    let place = |choices: &mut Choices| {
        // Mostly where a word begins or ends: changes inside of words are soon all alike.
        let at = choices.below(text.len() + 1);
        let ends = |b: &u8| !b.is_ascii_alphanumeric();
        if choices.percent(70) {
            at + text[at..].iter().position(ends).unwrap_or(0)
        } else {
            at
        }
    };
    let (a, b) = (place(choices), place(choices));
    let (start, end) = (a.min(b), a.max(b));
    let near = end.min(start + 40);
    match choices.below(8) {
        0 => drop(text.drain(start..near)),
        1 => text.truncate(end),
        2 => {
            let piece = text[start..near].to_vec();
            text.splice(start..start, piece);
        }
        3 => drop(text.splice(start..start, choices.pick(words).bytes())),
        4 => drop(text.splice(start..near.min(start + 8), choices.pick(words).bytes())),
        5 => {
            let n = choices.below(8);
            text.splice(start..start, choices.bytes(n).iter().copied());
        }
        6 => {
            let other = choices.pick(seeds);
            let from = choices.below(other.len() + 1);
            let to = other.len().min(from + choices.below(200));
            text.splice(start..near, other[from..to].iter().copied());
        }
        _ => {
            if let Some(byte) = text.get_mut(start) {
                *byte = choices.byte();
            }
        }
    }
}
