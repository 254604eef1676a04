//! Which of the known words a misspelt one was meant to be.

/// Words longer than this get no suggestion: distances cost the product of lengths.
const MAX_CHARS: usize = 64;

/// The candidate closest to `word`, if it is close enough to be what was meant: up to a third of its letters, case apart.
/// Among equals the first wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = |text: &str| -> Vec<char> {
        text.chars()
            .flat_map(char::to_lowercase)
            .take(MAX_CHARS + 1)
            .collect()
    };
    let wanted = lower(word);
    if wanted.is_empty() || wanted.len() > MAX_CHARS {
        return None;
    }
    // One letter of two may be wrong (`ym` for `um` is a guess too many, `umm` is not): shorter words must agree but for case.
    let limit = match wanted.len() {
        1 | 2 => 0,
        n => (n / 3).max(1),
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &lower(candidate)), candidate))
        .filter(|(d, candidate)| *d <= limit && *candidate != word)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substituted = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_understood_and_another_word_is_not() {
        let known = ["viscosity", "width", "depth", "um", "Pa"];
        assert_eq!(nearest("viscocity", known), Some("viscosity"));
        assert_eq!(nearest("widht", known), Some("width"));
        assert_eq!(nearest("Width", known), Some("width"));
        assert_eq!(nearest("pa", known), Some("Pa"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest(&"w".repeat(100_000), known), None);
    }
}
