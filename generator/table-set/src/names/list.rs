//! The lines of lists that people write, which have names and numbers.
//!
//! All lists follow the same rules. A comment runs from a `#`, at the beginning or after a blank, to the end of the
//! line; empty lines and blanks at both ends do not count. Text in quotes is one name, whatever it looks like, and a
//! quote within it is written twice, as in CSV; quotes begin a word. So a name needs quotes if it is a number, begins
//! with a quote, or has a `#` after a blank, and on lines with several parts, if it contains their separator. Commas at
//! the end of a line, with which a spreadsheet fills it, do not count.

use std::borrow::Cow;

/// The lines with content, each with its number from 1.
///
/// # Example
/// ```
/// let text = "# dead\n\nswitch \"Rack 4 # 2\"  # since noon\n";
/// let lines: Vec<_> = tvlb_table_set::names::list::lines(text).collect();
/// assert_eq!(lines, [(3, "switch \"Rack 4 # 2\"")]);
/// ```
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    lines
        .map(|(line, text)| (line, without_empty_columns(without_comment(text)).trim()))
        .filter(|(_, text)| !text.is_empty())
}

/// A line without the commas with which a spreadsheet fills it.
fn without_empty_columns(line: &str) -> &str {
    line.trim_end_matches(|c: char| c == ',' || c.is_whitespace())
}

fn without_comment(line: &str) -> &str {
    let begins = |at: usize| at == 0 || line[..at].ends_with(char::is_whitespace);
    let comment = outside_quotes(line).find(|&(at, c)| c == '#' && begins(at));
    comment.map_or(line, |(at, _)| &line[..at])
}

/// The characters outside quotes, with their positions.
pub fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quoted_to = 0;
    let mut begins_word = true;
    text.char_indices().filter(move |&(at, c)| {
        if at < quoted_to {
            return false;
        }
        if c == '"' && begins_word {
            quoted_to = at + quoted_length(&text[at..]).unwrap_or(0);
        }
        begins_word = c.is_whitespace() || matches!(c, ',' | '-');
        at >= quoted_to
    })
}

/// The length of the quoted text at the beginning, quotes included.
fn quoted_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('"')?;
    let mut quotes = inner.match_indices('"').map(|(at, _)| at).peekable();
    while let Some(at) = quotes.next() {
        // Two quotes mean one within the name.
        if quotes.next_if_eq(&(at + 1)).is_none() {
            return Some(at + 2);
        }
    }
    None
}

/// The name in quotes; `None` if the text is not a single quoted name.
pub fn unquoted(text: &str) -> Option<String> {
    let is_whole = quoted_length(text) == Some(text.len());
    is_whole.then(|| text[1..text.len() - 1].replace("\"\"", "\""))
}

/// A name as every list accepts it: in quotes, unless it is plain.
pub fn quoted_name(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/+[]<>".contains(c);
    if name.chars().all(is_plain) && !is_number(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    }
}

/// Whether a text consists of digits.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_begin_after_a_blank_outside_quotes() {
        let text = "\u{feff}a#b # c\r\n  # d\n\"e # \"\"f\" # g\nh\"i # j\"\n\"k # l\n";
        let read: Vec<_> = lines(text).collect();
        let expected = [(1, "a#b"), (3, "\"e # \"\"f\""), (4, "h\"i"), (5, "\"k")];
        assert_eq!(read, expected);
    }

    proptest! {
        #[test]
        fn a_name_in_quotes_is_read_back(name in "[a-c0-9#\", ()-]{1,12}") {
            let written = quoted_name(name.trim()).into_owned();
            let line = format!("{written} # comment");
            for (_, line) in lines(&line) {
                prop_assert_eq!(line, &written);
                prop_assert_eq!(unquoted(line).unwrap_or_else(|| line.to_owned()), name.trim());
            }
        }

        #[test]
        fn any_text_has_lines(text: String) {
            for (_, line) in lines(&text) {
                let _ = unquoted(line);
            }
        }
    }
}
