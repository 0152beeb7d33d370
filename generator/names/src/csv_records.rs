//! The records of a CSV text, each with the number of its line in the text.
//!
//! Blank lines and comment lines, which begin with `#`, are skipped and counted. Records may differ
//! in their number of fields; spaces around a field are dropped.

/// Each record's line, from 1, and its fields.
pub struct Records<'t> {
    text: &'t [u8],
    reader: csv::Reader<&'t [u8]>,
    /// How many bytes the reader has taken, and the line breaks among them.
    taken: usize,
    breaks: usize,
}

impl<'t> Records<'t> {
    /// Those of a text, from its beginning.
    pub fn of(text: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            reader: csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .comment(Some(b'#'))
                .trim(csv::Trim::All)
                .from_reader(text.as_bytes()),
            taken: 0,
            breaks: 0,
        }
    }

    /// The line on which what was read last ends.
    ///
    /// The position that the reader itself gives a record is that of the comments before it.
    fn line(&mut self) -> usize {
        let end = usize::try_from(self.reader.position().byte()).unwrap_or(usize::MAX);
        let read = self.text.get(self.taken..end).unwrap_or_default();
        let breaks = read.split(|&byte| byte == b'\n').count() - 1;
        let own = usize::from(read.ends_with(b"\n"));
        let line = self.breaks + breaks - own + 1;
        self.breaks += breaks;
        self.taken = end;
        line
    }
}

impl Iterator for Records<'_> {
    type Item = (usize, csv::Result<csv::StringRecord>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut fields = csv::StringRecord::new();
            let more = self.reader.read_record(&mut fields);
            let line = self.line();
            return match more {
                // The reader skips empty lines, not blank ones.
                Ok(true) if fields.iter().eq([""]) => continue,
                Ok(true) => Some((line, Ok(fields))),
                Ok(false) => None,
                Err(error) => Some((line, Err(error))),
            };
        }
    }
}

/// A field as an error shows it: one that runs on for pages must not.
pub fn shortened(field: &str) -> String {
    const SHOWN: usize = 40;
    match field.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &field[..cut]),
        None => field.to_owned(),
    }
}

/// The same in quotes.
pub fn quoted(field: &str) -> String {
    format!("{:?}", shortened(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_whatever_their_ends() {
        let lines = ["# a", "", "1, 2", "  ", "# \"b\"", "\"3\"", "4", "# c", "5"];
        let expected = [(3, "1 2"), (6, "3"), (7, "4"), (9, "5")];
        for line_end in ["\n", "\r\n"] {
            for last in ["", line_end] {
                let text = lines.join(line_end) + last;
                let found: Vec<_> = Records::of(&text)
                    .map(|(line, fields)| {
                        let fields: Vec<_> = fields.unwrap().iter().map(String::from).collect();
                        (line, fields.join(" "))
                    })
                    .collect();
                let found: Vec<_> = found.iter().map(|(line, text)| (*line, &**text)).collect();
                assert_eq!(found, expected, "{text:?}");
            }
        }
    }
}
