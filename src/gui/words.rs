//! Sentences as people read them: a capital first, a full stop last.

/// With a capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// With a capital letter and a full stop; names in quotes instead of the backticks of a terminal.
pub fn sentence(text: &str) -> String {
    let mut sentence = quoted(&capital(text));
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

/// Names in typographic quotes, where a terminal has backticks.
pub fn quoted(text: &str) -> String {
    let mut is_open = false;
    let letters = text.chars().map(|letter| match letter {
        '`' => {
            is_open = !is_open;
            if is_open { '“' } else { '”' }
        }
        letter => letter,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_a_capital_and_one_stop() {
        assert_eq!(sentence("there is no pipe"), "There is no pipe.");
        assert_eq!(sentence("Replace it?"), "Replace it?");
        assert_eq!(capital(""), "");
        assert_eq!(sentence("no `p.b`"), "No “p.b”.");
    }
}
