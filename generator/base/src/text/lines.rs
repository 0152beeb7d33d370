//! The lines of a text that may be large, one at a time.
//!
//! Promises: only one line is in memory, a line has a limit, and any error in the text itself is reported with its
//! line.

use crate::text::error::{FilePlace, Refused};
use std::io::{BufRead, Read};
use std::ops::Range;

/// The longest line that is read by default, in bytes.
pub const MOST_LINE_BYTES: usize = 1 << 16;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text and the name by which messages call it.
pub struct NamedText<'t> {
    name: String,
    text: Box<dyn BufRead + 't>,
}

impl<'t> NamedText<'t> {
    /// A text in memory.
    pub fn of_text(name: &str, text: &'t [u8]) -> Self {
        Self::of_reader(name.to_owned(), text)
    }

    /// A text that is read little by little.
    pub fn of_reader(name: String, text: impl BufRead + 't) -> Self {
        Self { name, text: Box::new(text) }
    }

    /// The name by which messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The lines of a source, without their ends and without a byte-order mark.
pub struct Lines<'t> {
    source: NamedText<'t>,
    most_bytes: usize,
    number: u32,
    /// The bytes before `buffer`.
    offset: u64,
    /// The line with its end and mark, and where in it the rest is.
    buffer: String,
    inner: Range<usize>,
}

impl<'t> Lines<'t> {
    /// Those of a source, of at most [`MOST_LINE_BYTES`] each.
    pub fn of(source: NamedText<'t>) -> Self {
        Self::with_limit(source, MOST_LINE_BYTES)
    }

    /// Those of a text in memory that messages do not name, because their caller does.
    pub fn of_text(text: &'t str) -> Self {
        Self::of(NamedText::of_text("", text.as_bytes()))
    }

    /// The lines of a source, of at most this many bytes each.
    pub fn with_limit(source: NamedText<'t>, most_bytes: usize) -> Self {
        Self { source, most_bytes, number: 0, offset: 0, buffer: String::new(), inner: 0..0 }
    }

    /// The place of the line that was read last.
    pub fn place(&self) -> FilePlace {
        FilePlace { file: self.source.name.as_str().into(), line: self.number }
    }

    /// The number of the line that was read last; 0 before the first.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The line that was read last.
    pub fn line(&self) -> &str {
        &self.buffer[self.inner.clone()]
    }

    /// The next line.
    ///
    /// # Errors
    /// The source cannot be read, or the line is too long or is not UTF-8.
    pub fn next_line(&mut self) -> Result<Option<&str>, Refused> {
        Ok(self.advance()?.then(|| self.line()))
    }

    /// The next line with content, without the blanks around it: neither an empty line nor one that begins with this
    /// character, which begins a comment.
    ///
    /// # Errors
    /// As of [`Self::next_line`].
    pub fn next_without_comments(&mut self, comment: char) -> Result<Option<&str>, Refused> {
        while self.advance()? {
            let line = self.line().trim();
            if !line.is_empty() && !line.starts_with(comment) {
                return Ok(Some(self.line().trim()));
            }
        }
        Ok(None)
    }

    /// Reads a line; `false` at the end of the text.
    pub(crate) fn advance(&mut self) -> Result<bool, Refused> {
        self.offset += self.buffer.len() as u64;
        self.inner = 0..0;
        let mut bytes = std::mem::take(&mut self.buffer).into_bytes();
        bytes.clear();
        let limit = (self.most_bytes + "\r\n".len() + BYTE_ORDER_MARK.len()) as u64;
        if let Err(error) = (&mut self.source.text).take(limit).read_until(b'\n', &mut bytes) {
            return Err(Refused::unreadable(&self.source.name, &error));
        }
        if bytes.is_empty() {
            return Ok(false);
        }
        self.number = self.number.saturating_add(1);
        let end = [&b"\r\n"[..], b"\n"].into_iter().find(|end| bytes.ends_with(end));
        let mark = self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK.as_bytes());
        let begin = if mark { BYTE_ORDER_MARK.len() } else { 0 };
        let inner = begin..bytes.len() - end.map_or(0, <[u8]>::len);
        if inner.len() > self.most_bytes {
            let most = self.most_bytes;
            let refused = Refused::new(
                format!("found a line of more than {most} bytes"),
                "at most that many",
            );
            return Err(refused.at(self.place()));
        }
        match String::from_utf8(bytes) {
            Ok(line) => (self.buffer, self.inner) = (line, inner),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let offset = self.offset + valid as u64;
                let found = format!("byte {offset} of the file is not UTF-8");
                return Err(Refused::new(found, "a text in UTF-8").at(self.place()));
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_marks_are_left_out() {
        let text = b"\xef\xbb\xbfa\r\nb\n\nc";
        let mut lines = Lines::of(NamedText::of_text("f", text));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(line.to_owned());
        }
        assert_eq!(found, ["a", "b", "", "c"]);
        assert_eq!(lines.place().to_string(), "f: line 4");
    }

    #[test]
    fn comments_and_empty_lines_are_counted_alone() {
        let mut lines = Lines::of_text("\u{feff}# a\r\n\n  b  \r\n  # c\nd\u{feff}");
        assert_eq!(lines.next_without_comments('#'), Ok(Some("b")));
        assert_eq!(lines.place().to_string(), "line 3");
        assert_eq!(lines.next_without_comments('#'), Ok(Some("d\u{feff}")));
        assert_eq!(lines.next_without_comments('#'), Ok(None));
    }

    #[test]
    fn bad_texts_are_refused_with_their_place() {
        let error = |text: &[u8]| {
            let mut lines = Lines::of(NamedText::of_text("f", text));
            loop {
                match lines.next_line() {
                    Ok(Some(_)) => {}
                    Ok(None) => return "read".to_owned(),
                    Err(error) => return error.to_string(),
                }
            }
        };
        assert_eq!(
            error(b"a\nb\xff"),
            "f: line 2: byte 3 of the file is not UTF-8, accepted a text in UTF-8"
        );
        assert_eq!(
            error(b"\xef\xbb\xbf\xff"),
            "f: line 1: byte 3 of the file is not UTF-8, accepted a text in UTF-8"
        );
        let mut long = vec![b'a'; MOST_LINE_BYTES];
        assert_eq!(error(&long), "read");
        long.extend(b"\r\n");
        assert_eq!(error(&long), "read");
        long.insert(0, b'a');
        assert_eq!(
            error(&long),
            "f: line 1: found a line of more than 65536 bytes, accepted at most that many"
        );
    }
}
