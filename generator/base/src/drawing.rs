//! How a table of results is drawn by default. The table says it in its column [`DRAWN`](crate::table::DRAWN), so that
//! a program that draws a file need not guess.

/// What is drawn of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The column upwards.
    pub figure: String,
    /// The column of the x axis; `None` if each line is a place of its own.
    pub over: Option<String>,
    /// The unit, `flits` or `phits`, if stated.
    pub unit: Option<String>,
    /// Whether no line joins the points.
    pub is_scattered: bool,
}

impl Drawing {
    /// Reads `FIGURE [over COLUMN] [in UNIT] [as points]`.
    ///
    /// # Example
    /// ```
    /// use tvlb_base::drawing::Drawing;
    ///
    /// let drawing = Drawing::parse("latency over load in flits").unwrap();
    /// assert_eq!((&*drawing.figure, drawing.over.as_deref()), ("latency", Some("load")));
    /// assert_eq!(Drawing::parse("latency over"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let mut found =
            Self { figure: words.next()?.to_owned(), over: None, unit: None, is_scattered: false };
        while let Some(word) = words.next() {
            let next = words.next()?.to_owned();
            match (word, &*next) {
                ("over", _) => found.over = Some(next),
                ("in", _) => found.unit = Some(next),
                ("as", "points") => found.is_scattered = true,
                _ => return None,
            }
        }
        Some(found)
    }
}
