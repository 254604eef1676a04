//! The file's text: what the design is, for those who like to type, and where a broken file is mended.
//!
//! What is typed is taken after a short pause. Lines with mistakes are marked, with what is wrong where the pointer rests.

use std::ops::Range;
use std::sync::Arc;

use eframe::egui::epaint::text::ByteIndex;
use eframe::egui::text::{CCursor, LayoutJob, LayoutSection, TextFormat};
use eframe::egui::{
    self, Align, Align2, Color32, FontId, Galley, Role, Sense, Stroke, TextBuffer, TextEdit,
    TextStyle, Ui, WidgetInfo,
};

use super::table::View;
use crate::command::Command;
use crate::context::ViewContext;
use stokeslet_base::diagnostic::{Severity, line_and_column};

/// From the last key to the command, s: long enough not to read half a word.
const PAUSE: f64 = 0.5;

/// What the editor remembers.
#[derive(Debug, Default)]
pub struct Source {
    text: String,
    /// The document's text that `text` began as, or was taken as.
    over: Option<Arc<str>>,
    /// When something was typed that isn't taken yet, s.
    typed: Option<f64>,
    /// A byte of the text that is to be brought into view.
    wanted: Option<usize>,
    /// The colours of a text, kept while neither text, marks nor theme change.
    job: Option<Coloured>,
}

/// A text, its marks, whether it is on a dark ground, and its colours.
type Coloured = (String, Vec<(Range<usize>, bool)>, bool, LayoutJob);

impl View for Source {
    fn show_text(&mut self, place: usize) {
        self.wanted = Some(place);
    }

    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let document = context.document;
        let now = ui.input(|i| i.time);
        let is_other = self
            .over
            .as_ref()
            .is_none_or(|over| **over != *document.text);
        // Undo, an edit on the canvas, another file: what they made is shown, unless someone is typing right now.
        if is_other && self.typed.is_none() {
            self.text = document.text.to_string();
            self.over = Some(document.text.clone());
        }
        let marks = marks(context, &self.text);
        let lines = lines_of(&self.text, &marks);
        let dark = ui.visuals().dark_mode;
        let job = self.coloured(ui, &marks, dark);
        let mut layouter = |ui: &Ui, text: &dyn TextBuffer, _wrap: f32| -> Arc<Galley> {
            // While a key is handled the text is already new; its colours come a frame later.
            let job = if text.as_str() == job.text {
                job.clone()
            } else {
                plain(ui, text.as_str())
            };
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
            let gutter = 38.0;
            let margin = egui::Margin {
                left: gutter as i8,
                ..egui::Margin::symmetric(4, 2)
            };
            let edit = TextEdit::multiline(&mut self.text)
                .id_salt("source")
                .code_editor()
                // What is typed into a text that is about to change would be lost.
                .interactive(!context.is_editing)
                .frame(egui::Frame::new().inner_margin(margin))
                .desired_width(f32::INFINITY)
                .desired_rows(6)
                .layouter(&mut layouter);
            let output = edit.show(ui);
            let response = &output.response.response;
            response
                .widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Text of the design"));
            if response.changed() {
                self.typed = Some(now);
            }
            self.numbers(ui, &output.galley, output.galley_pos, &lines);
            if let Some(place) = self.wanted.take()
                && let Some(before) = self.text.get(..place)
            {
                let cursor = CCursor::new(before.chars().count());
                let line = output.galley.pos_from_cursor(cursor);
                let line = line.translate(output.galley_pos.to_vec2());
                ui.scroll_to_rect(line, Some(Align::Center));
            }
        });
        let Some(typed) = self.typed else {
            return;
        };
        let rest = typed + PAUSE - now;
        if rest > 0.0 {
            ui.ctx().request_repaint_after_secs(rest as f32);
            return;
        }
        self.typed = None;
        if *self.text != *document.text {
            self.over = Some(self.text.as_str().into());
            out.push(Command::SetText(self.text.clone()));
        }
    }
}

impl Source {
    /// Line numbers, red where something is wrong with the line.
    fn numbers(&self, ui: &Ui, galley: &Galley, at: egui::Pos2, lines: &[(usize, bool, String)]) {
        let font = FontId::monospace(TextStyle::Small.resolve(ui.style()).size);
        let clip = ui.clip_rect();
        for (k, row) in galley.rows.iter().enumerate() {
            let rect = row.rect().translate(at.to_vec2());
            if !clip.y_range().intersects(rect.y_range()) {
                continue;
            }
            let wrong = lines.iter().find(|(line, ..)| *line == k + 1);
            let color = match wrong {
                Some((_, true, _)) => ui.visuals().error_fg_color,
                Some((_, false, _)) => ui.visuals().warn_fg_color,
                None => ui.visuals().weak_text_color(),
            };
            let right = egui::pos2(at.x - 8.0, rect.center().y);
            ui.painter()
                .text(right, Align2::RIGHT_CENTER, k + 1, font.clone(), color);
            if let Some((line, _, message)) = wrong {
                let place = egui::Rect::from_min_max(
                    egui::pos2(at.x - 38.0, rect.top()),
                    egui::pos2(at.x, rect.bottom()),
                );
                ui.interact(place, ui.scope_id().with(("mark", line)), Sense::hover())
                    .on_hover_text(message);
            }
        }
    }

    fn coloured(&mut self, ui: &Ui, marks: &[(Range<usize>, bool)], dark: bool) -> LayoutJob {
        if let Some((text, known, was_dark, job)) = &self.job
            && *text == self.text
            && known == marks
            && *was_dark == dark
        {
            return job.clone();
        }
        let job = coloured(ui, &self.text, marks);
        self.job = Some((self.text.clone(), marks.to_vec(), dark, job.clone()));
        job
    }
}

/// Bytes with mistakes, and whether they are errors; none while the text is ahead of the document.
fn marks(context: &ViewContext<'_>, text: &str) -> Vec<(Range<usize>, bool)> {
    if *text != *context.document.text {
        return Vec::new();
    }
    let spans = context
        .document
        .diagnostics
        .iter()
        .filter_map(|d| Some((d.place.span.clone()?, d.severity == Severity::Error)));
    let mut marks: Vec<(Range<usize>, bool)> = spans
        .filter(|(span, _)| span.start < span.end && text.get(span.clone()).is_some())
        .collect();
    marks.sort_by_key(|(span, is_error)| (span.start, !is_error));
    // One mark at a place is enough, and colours can't overlap.
    let mut end = 0;
    marks.retain(|(span, _)| {
        let apart = span.start >= end;
        if apart {
            end = span.end;
        }
        apart
    });
    marks
}

/// Lines with mistakes: number, whether an error, and a word to find it by.
fn lines_of(text: &str, marks: &[(Range<usize>, bool)]) -> Vec<(usize, bool, String)> {
    let line = |span: &Range<usize>| line_and_column(text, span.start).0;
    let said = |is_error: bool| {
        if is_error {
            "An error is here: see Problems"
        } else {
            "A warning is here: see Problems"
        }
    };
    marks
        .iter()
        .map(|(span, is_error)| (line(span), *is_error, said(*is_error).to_owned()))
        .collect()
}

/// What a piece of TOML is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Comment,
    Header,
    Key,
    Text,
    Number,
    Sign,
}

/// Cuts a text into pieces that follow each other and cover it. It need not be TOML: whatever is not known is a sign.
fn tokens(text: &str) -> Vec<(Range<usize>, Token)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(Range<usize>, Token)> = Vec::new();
    let (mut at, mut line_starts) = (0, true);
    while at < bytes.len() {
        let start = at;
        let until = |from: usize, is_end: &dyn Fn(u8) -> bool| {
            bytes[from..]
                .iter()
                .position(|&b| is_end(b))
                .map_or(bytes.len(), |n| from + n)
        };
        let token = match bytes[at] {
            b'#' => {
                at = until(at, &|b| b == b'\n');
                Token::Comment
            }
            b'[' if line_starts => {
                at = until(at, &|b| b == b'\n' || b == b'#');
                Token::Header
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' && quote == b'"' && at + 1 < bytes.len() {
                        2
                    } else {
                        1
                    };
                }
                at = (at + usize::from(at < bytes.len() && bytes[at] == quote)).min(bytes.len());
                Token::Text
            }
            b if b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'-' | b'+' | b'.')
                || b >= 0x80 =>
            {
                at = until(at, &|b| {
                    !(b.is_ascii_alphanumeric()
                        || matches!(b, b'_' | b'-' | b'+' | b'.')
                        || b >= 0x80)
                });
                let after = bytes[at..].iter().find(|b| !matches!(b, b' ' | b'\t'));
                match after {
                    Some(b'=') => Token::Key,
                    _ => Token::Number,
                }
            }
            _ => {
                at += 1;
                Token::Sign
            }
        };
        // A backslash may have stepped into the middle of a letter.
        while !text.is_char_boundary(at) {
            at += 1;
        }
        let piece = &text[start..at];
        line_starts = if piece.ends_with('\n') {
            true
        } else {
            line_starts && piece.trim().is_empty()
        };
        match found.last_mut() {
            Some((last, kind)) if *kind == token && token == Token::Sign => last.end = at,
            _ => found.push((start..at, token)),
        }
    }
    found
}

fn color(ui: &Ui, token: Token) -> Color32 {
    let rgb = Color32::from_rgb;
    let (dark, plain) = (ui.visuals().dark_mode, ui.visuals().text_color());
    match (token, dark) {
        (Token::Comment, true) => rgb(0x8a, 0x99, 0x8a),
        (Token::Comment, false) => rgb(0x5b, 0x70, 0x5b),
        (Token::Header, true) => rgb(0xe0, 0xb0, 0x6a),
        (Token::Header, false) => rgb(0x8a, 0x4b, 0x00),
        (Token::Key, true) => rgb(0x8e, 0xc3, 0xea),
        (Token::Key, false) => rgb(0x1f, 0x4e, 0x79),
        (Token::Text, true) => rgb(0xa8, 0xd0, 0x8d),
        (Token::Text, false) => rgb(0x2d, 0x6a, 0x1f),
        (Token::Number, true) => rgb(0xd8, 0xa8, 0xd8),
        (Token::Number, false) => rgb(0x7a, 0x2e, 0x7a),
        (Token::Sign, _) => plain,
    }
}

fn plain(ui: &Ui, text: &str) -> LayoutJob {
    let font = TextStyle::Monospace.resolve(ui.style());
    LayoutJob::simple(
        text.to_owned(),
        font,
        ui.visuals().text_color(),
        f32::INFINITY,
    )
}

fn coloured(ui: &Ui, text: &str, marks: &[(Range<usize>, bool)]) -> LayoutJob {
    let font = TextStyle::Monospace.resolve(ui.style());
    let mut job = LayoutJob {
        text: text.to_owned(),
        break_on_newline: true,
        ..LayoutJob::default()
    };
    job.wrap.max_width = f32::INFINITY;
    let mut push = |range: Range<usize>, token: Token, wrong: Option<bool>| {
        let mut format = TextFormat::simple(font.clone(), color(ui, token));
        if let Some(is_error) = wrong {
            let visuals = ui.visuals();
            let mark = if is_error {
                visuals.error_fg_color
            } else {
                visuals.warn_fg_color
            };
            format.underline = Stroke::new(1.5, mark);
            format.background = mark.gamma_multiply(0.12);
        }
        job.sections.push(LayoutSection {
            leading_space: 0.0,
            byte_range: ByteIndex(range.start)..ByteIndex(range.end),
            format,
        });
    };
    let mut marks = marks.iter().peekable();
    for (range, token) in tokens(text) {
        let mut at = range.start;
        while at < range.end {
            while marks.next_if(|(span, _)| span.end <= at).is_some() {}
            let (end, wrong) = match marks.peek() {
                Some((span, is_error)) if span.start <= at => {
                    (span.end.min(range.end), Some(*is_error))
                }
                Some((span, _)) => (span.start.min(range.end), None),
                None => (range.end, None),
            };
            push(at..end, token, wrong);
            at = end;
        }
    }
    job
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Panel;
    use crate::files::examples;
    use crate::panels::testing::{Shown, harness, opened};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn tokens_cover_any_text() {
        let odd = [
            "",
            "\"",
            "\"\\",
            "\"\\é",
            "[",
            "a.é = 'x' # y\r\n[b]\n",
            "\u{0}\n\n=",
            "\"\\\u{fffd}\" é",
        ];
        for text in odd
            .into_iter()
            .chain(examples::all().iter().map(|e| e.text))
        {
            let mut end = 0;
            for (range, _) in tokens(text) {
                assert_eq!(range.start, end, "{text:?}");
                assert!(
                    range.end > end && text.get(range.clone()).is_some(),
                    "{text:?}"
                );
                end = range.end;
            }
            assert_eq!(end, text.len(), "{text:?}");
        }
    }

    #[test]
    fn tokens_are_what_they_look_like() {
        let text = "[chip] # x\nwidth = \"1 um\"\nr = 8";
        let kinds: Vec<Token> = tokens(text)
            .into_iter()
            .map(|(_, t)| t)
            .filter(|t| *t != Token::Sign)
            .collect();
        use Token as T;
        assert_eq!(
            kinds,
            [T::Header, T::Comment, T::Key, T::Text, T::Key, T::Number]
        );
    }

    #[test]
    fn a_place_far_down_is_brought_into_view() {
        let text = format!("format = 1\n{}nonsense\n", "# a line\n".repeat(200));
        let mut state = opened(&text);
        state.settings.panels.insert(Panel::Source);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::Source);
        let mut harness = harness(&shown);
        let top = |harness: &egui_kittest::Harness<'_>| {
            harness.get_by_label("Text of the design").rect().top()
        };
        let before = top(&harness);
        let place = text.find("nonsense").unwrap();
        shown.borrow_mut().panels.show_text(place);
        harness.run_steps(60);
        let moved = before - top(&harness);
        assert!(moved > 1000.0, "by {moved} of some 200 lines");
    }

    #[test]
    fn a_broken_file_is_mended_by_typing() {
        let mut state = opened("format = 1\nnonsense");
        state.settings.panels.insert(Panel::Source);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::Source);
        let mut harness = harness(&shown);
        harness.get_by_label("Text of the design").click();
        harness.run_steps(2);
        harness.event(egui::Event::Text("# mended ".to_owned()));
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [], "not while someone is typing");
        harness.run_steps(40);
        let commands = shown.borrow().commands.clone();
        let [Command::SetText(text)] = commands.as_slice() else {
            panic!("one command after the pause: {commands:?}");
        };
        assert!(text.contains("# mended "), "{text}");
    }
}
