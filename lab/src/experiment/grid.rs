//! Tables in Markdown.

use std::fmt::Write;

/// A table in Markdown.
pub(super) struct Grid {
    text: String,
}

impl Grid {
    pub(super) fn new<T: AsRef<str>>(headings: &[T]) -> Self {
        let mut grid = Self { text: String::new() };
        grid.row(headings);
        grid.text.push_str(&"|---".repeat(headings.len()));
        grid.text.push_str("|\n");
        grid
    }

    pub(super) fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        for cell in cells {
            let _ = write!(self.text, "| {} ", cell.as_ref().replace('|', "\\|"));
        }
        self.text.push_str("|\n");
    }

    pub(super) fn text(self) -> String {
        self.text
    }
}
