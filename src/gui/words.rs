//! Sentences as people read them: a capital first, a full stop last.

/// With a capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// With a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let mut sentence = capital(text);
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_a_capital_and_one_stop() {
        assert_eq!(sentence("there is no pipe"), "There is no pipe.");
        assert_eq!(sentence("Replace it?"), "Replace it?");
        assert_eq!(capital(""), "");
    }
}
