//! Diagnostics to text: file, line, the text underlined, and what to do.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, MietteError,
    MietteSpanContents, Report, SourceCode, SourceSpan, SpanContents,
};

use super::{Diagnostic, Severity};

/// Draws all of them without colours, one after the other. `text` is what the spans index.
pub fn render(diagnostics: &[Diagnostic], source_name: &str, text: &str) -> String {
    render_with(
        diagnostics,
        source_name,
        text,
        GraphicalTheme::unicode_nocolor(),
    )
}

/// As [`render`], with the colours of a terminal.
pub fn render_coloured(diagnostics: &[Diagnostic], source_name: &str, text: &str) -> String {
    render_with(diagnostics, source_name, text, GraphicalTheme::unicode())
}

fn render_with(
    diagnostics: &[Diagnostic],
    source_name: &str,
    text: &str,
    theme: GraphicalTheme,
) -> String {
    // Lines stay whole: what is printed can be searched, and terminals wrap by themselves.
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_wrap_lines(false)
        .with_context_lines(1)
        .without_syntax_highlighting();
    let source = Arc::new(Source::new(source_name, text));
    let mut out = String::new();
    for (k, diagnostic) in diagnostics.iter().enumerate() {
        if k > 0 {
            out.push('\n');
        }
        let mut report = MietteDiagnostic::new(message_of(diagnostic))
            .with_code(diagnostic.code)
            .with_severity(match diagnostic.severity {
                Severity::Warning => miette::Severity::Warning,
                Severity::Error => miette::Severity::Error,
            });
        if let Some(help) = &diagnostic.help {
            report = report.with_help(help);
        }
        let mut start = out.len();
        let drawn = match &diagnostic.place.span {
            Some(span) => {
                let span = within(text, span);
                let report = Report::new(report.with_label(LabeledSpan::underline(span)))
                    .with_source_code(Arc::clone(&source));
                handler.render_report(&mut out, report.as_ref())
            }
            None => {
                let _ = writeln!(out, "{source_name}:");
                start = out.len();
                handler.render_report(&mut out, Report::new(report).as_ref())
            }
        };
        if drawn.is_err() {
            // Nothing a user wrote may stop the report: the plain form always works.
            out.truncate(start);
            let _ = writeln!(out, "{diagnostic}");
        }
    }
    out
}

/// A text with its line starts: a search per diagnostic, where a plain text is read from its beginning each time.
struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl Source {
    fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            line_starts: std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect(),
        }
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let line_at = |byte: usize| self.line_starts.partition_point(|start| *start <= byte) - 1;
        let first = line_at(span.offset()).saturating_sub(lines_before + 1);
        let last = line_at(span.offset() + span.len()) + lines_after + 1;
        let (from, to) = (
            self.line_starts[first],
            self.line_starts
                .get(last + 1)
                .copied()
                .unwrap_or(self.text.len()),
        );
        let window = self.text.get(from..to).ok_or(MietteError::OutOfBounds)?;
        let inside = SourceSpan::new((span.offset() - from).into(), span.len());
        let contents = window.read_span(&inside, lines_before, lines_after)?;
        let at = SourceSpan::new(
            (contents.span().offset() + from).into(),
            contents.span().len(),
        );
        let (line, column, n_lines) = (
            contents.line() + first,
            contents.column(),
            contents.line_count(),
        );
        let data = &self.text.as_bytes()[at.offset()..at.offset() + at.len()];
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            data,
            at,
            line,
            column,
            n_lines,
        )))
    }
}

/// The message, and whom it is about where the message itself doesn't say.
fn message_of(diagnostic: &Diagnostic) -> String {
    match &diagnostic.place.component {
        Some(name) if !diagnostic.message.contains(name.as_str()) => {
            format!("{} (in `{name}`)", diagnostic.message)
        }
        _ => diagnostic.message.clone(),
    }
}

/// `span` moved inside `text`, on boundaries of characters.
fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}

/// Line and column of a byte of `text`, both from 1; columns count characters.
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let byte = text.floor_char_boundary(byte.min(text.len()));
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Diagnostic {
        Diagnostic::error("D004", "unknown key `widht`")
            .at(7..12)
            .about("chip")
            .with_help("did you mean `width`?")
    }

    #[test]
    fn file_line_underline_and_help_are_shown_without_colours() {
        let text = "[chip]\nwidht = \"100 um\"\n";
        let drawn = render(&[sample()], "y.toml", text);
        for part in [
            "D004",
            "unknown key `widht`",
            "y.toml:2:1",
            "widht = \"100 um\"",
            "─",
            "did you mean `width`?",
            "`chip`",
        ] {
            assert!(drawn.contains(part), "no {part} in\n{drawn}");
        }
        assert!(!drawn.contains('\u{1b}'));
        assert!(render_coloured(&[sample()], "y.toml", text).contains('\u{1b}'));
    }

    #[test]
    fn a_line_far_down_is_numbered_from_the_beginning() {
        let text = [
            "a = 1\n".repeat(999),
            "b = 2\n".to_string(),
            "c = 3\n".repeat(50),
        ]
        .concat();
        let at = text.find('b').unwrap();
        let drawn = render(
            &[Diagnostic::error("D004", "unknown key").at(at..at + 1)],
            "x.toml",
            &text,
        );
        for part in [
            "x.toml:1000:1",
            " 1000 │ b = 2",
            "  999 │ a = 1",
            " 1001 │ c = 3",
        ] {
            assert!(drawn.contains(part), "no {part} in\n{drawn}");
        }
    }

    #[test]
    fn spans_outside_the_text_or_inside_a_character_are_drawn_too() {
        for (text, span) in [
            ("", 0..0),
            ("µ", 1..1),
            ("µ", 0..1),
            ("abc", 3..3),
            ("abc\n", 4..4),
            ("abc", 90..100),
            ("a\r\nb", 2..3),
        ] {
            let diagnostic = Diagnostic::error("D002", "something is wrong").at(span);
            assert!(render(&[diagnostic], "x", text).contains("something is wrong"));
        }
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(line_and_column("a\nµb", 4), (2, 2));
        assert_eq!(line_and_column("", 9), (1, 1));
    }
}
