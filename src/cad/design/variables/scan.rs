//! The text of an expression becomes a script: numbers with units and names of variables are set in.
//!
//! `2 * w + 20 um` becomes `2.0 * v_w + u_0` with `u_0` = 2e-5 m. Whole numbers become decimal ones, so that `1 / 2` is a half.

use super::amount::{Amount, FUNCTIONS};
use stokeslet_base::units::parse_any_quantity;

/// Longest expression, bytes.
const MAX_LENGTH: usize = 1000;
/// Words of the script's language that expressions may use.
const WORDS: [&str; 5] = ["if", "else", "true", "false", "pi"];

/// An expression, ready to be compiled.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub code: String,
    /// Values of `u_0`, `u_1`, ...
    pub literals: Vec<Amount>,
    /// Variables that it uses, each once.
    pub uses: Vec<String>,
}

/// What can't be read in an expression.
#[derive(Debug)]
pub(super) enum ScanError {
    /// Not a variable, a unit or a function.
    Unknown { name: String, is_function: bool },
    /// Anything else, in words.
    Malformed(String),
}

/// Reads an expression; `knows` tells which names are variables.
pub(super) fn scan(text: &str, knows: &dyn Fn(&str) -> bool) -> Result<Scanned, ScanError> {
    if text.len() > MAX_LENGTH {
        let message = format!("{} bytes are too long for an expression", text.len());
        return Err(ScanError::Malformed(message));
    }
    let mut out = Scanned::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let used = match c {
            _ if c.is_ascii_digit() || c == '.' => out.number(rest, knows)?,
            _ if is_word(c) => out.word(rest, knows)?,
            '"' => {
                let end = closing_quote(rest)
                    .ok_or_else(|| ScanError::Malformed("a text isn't closed".to_owned()))?;
                out.code.push_str(&rest[..end]);
                end
            }
            '^' => {
                out.code.push_str("**");
                1
            }
            '·' => {
                out.code.push('*');
                c.len_utf8()
            }
            '/' if rest[1..].starts_with(['/', '*']) => {
                return Err(ScanError::Malformed(
                    "comments have no place here".to_owned(),
                ));
            }
            _ if c.is_whitespace() || "+-*/%(),<>=!&|{}".contains(c) => {
                out.code.push(c);
                c.len_utf8()
            }
            _ => {
                let message = format!("`{}` has no meaning in an expression", c.escape_debug());
                return Err(ScanError::Malformed(message));
            }
        };
        rest = &rest[used..];
    }
    Ok(out)
}

fn is_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '°'
}

/// Bytes of the word at the start.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !(is_word(c) || c.is_ascii_digit()))
        .unwrap_or(text.len())
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Bytes of the decimal number at the start.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let tail = bytes.get(from..).unwrap_or_default();
        from + tail.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

impl Scanned {
    fn literal(&mut self, amount: Amount) {
        self.code.push_str(&format!("u_{}", self.literals.len()));
        self.literals.push(amount);
    }

    /// A number, with its unit if one follows.
    fn number(&mut self, text: &str, knows: &dyn Fn(&str) -> bool) -> Result<usize, ScanError> {
        let end = number_length(text);
        let number = &text[..end];
        let value: f64 = number
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| ScanError::Malformed(format!("`{number}` is no number")))?;
        let gap = text[end..].len() - text[end..].trim_start().len();
        if !text[end + gap..].starts_with(is_word) || is_keyword(&text[end + gap..]) {
            // Without an exponent, which the script would read, too, but not as a decimal number in every form.
            let plain = format!("{value}");
            self.code.push_str(&plain);
            if !plain.contains('.') {
                self.code.push_str(".0");
            }
            return Ok(end);
        }
        let unit = unit_length(&text[end + gap..], knows);
        let whole = &text[..end + gap + unit];
        let (value, powers) = parse_any_quantity(whole).map_err(|error| {
            let name = &text[end + gap..][..word_length(&text[end + gap..])];
            ScanError::Malformed(match knows(name) {
                true => format!("{error}; write `{number} * {name}`"),
                false => error.to_string(),
            })
        })?;
        self.literal(Amount { value, powers });
        Ok(whole.len())
    }

    /// A variable, a function, or a unit as a factor.
    fn word(&mut self, text: &str, knows: &dyn Fn(&str) -> bool) -> Result<usize, ScanError> {
        let end = word_length(text);
        let word = &text[..end];
        let is_function = text[end..].trim_start().starts_with('(');
        if is_function && FUNCTIONS.contains(&word) || WORDS.contains(&word) {
            self.code.push_str(word);
        } else if is_function {
            return Err(ScanError::Unknown {
                name: word.to_owned(),
                is_function,
            });
        } else if knows(word) {
            self.code.push_str("v_");
            self.code.push_str(word);
            if !self.uses.iter().any(|used| used == word) {
                self.uses.push(word.to_owned());
            }
        } else if let Ok((value, powers)) = parse_any_quantity(&format!("1 {word}")) {
            self.literal(Amount { value, powers });
        } else {
            return Err(ScanError::Unknown {
                name: word.to_owned(),
                is_function,
            });
        }
        Ok(end)
    }
}

fn is_keyword(text: &str) -> bool {
    ["if", "else"].contains(&&text[..word_length(text)])
}

/// Bytes of the unit at the start: `uL/min`, `mPa s`, `mm^2`. A variable ends it, and so does what is no unit.
fn unit_length(text: &str, knows: &dyn Fn(&str) -> bool) -> usize {
    let mut end = factor_length(text);
    loop {
        let tail = &text[end..];
        let mut gap = tail.len() - tail.trim_start().len();
        if let Some(sign) = tail[gap..].chars().next().filter(|c| "*/·".contains(*c)) {
            let after = &tail[gap + sign.len_utf8()..];
            gap += sign.len_utf8() + after.len() - after.trim_start().len();
        }
        let next = &tail[gap..];
        let word = &next[..word_length(next)];
        if gap == 0 || !next.starts_with(is_word) || knows(word) || is_keyword(next) {
            return end;
        }
        let longer = end + gap + factor_length(next);
        let is_call = text[longer..].trim_start().starts_with('(');
        if is_call || parse_any_quantity(&format!("1 {}", &text[..longer])).is_err() {
            return end;
        }
        end = longer;
    }
}

/// Bytes of one unit with its power.
fn factor_length(text: &str) -> usize {
    let end = text
        .find(|c: char| !(is_word(c) || c.is_alphanumeric()))
        .unwrap_or(text.len());
    let Some(power) = text[end..].strip_prefix('^') else {
        return end;
    };
    let sign = usize::from(power.starts_with(['-', '+']));
    let digits = power[sign..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        end
    } else {
        end + 1 + sign + digits
    }
}

/// The expression with some words replaced by numbers: the counters of a repetition.
pub(super) fn replace_words(text: &str, replacement: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let used = if c.is_ascii_digit() || c == '.' {
            // `2 i` is no product, and the `e` of `1e3` no word.
            number_length(rest).max(1)
        } else if is_word(c) {
            word_length(rest)
        } else if c == '"' {
            closing_quote(rest).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        let piece = &rest[..used];
        match replacement(piece).filter(|_| is_word(c)) {
            Some(new) => out.push_str(&new),
            None => out.push_str(piece),
        }
        rest = &rest[used..];
    }
    out
}
