//! Pictures as SVG: plots of points and lines, maps of values, what other pictures need to look like them,
//! and the page around them.
//!
//! A [`Plot`] is one pair of axes with its series, a [`heat_map::HeatMap`] a colour for each row and
//! column, and [`bars::BarChart`] are a few figures to be compared at a glance. [`Plot::svg`] is the element for a page that has the style sheet [`STYLE`], as [`page::page`]
//! makes it; a [`Sheet`] is a picture that stands alone, of one plot or several, and [`file()`] one with
//! nothing but a heading. No picture and no page has a script, and none fetches a font or anything else.

pub mod bars;
pub mod heat_map;
pub mod page;
pub mod tiles;

mod axis;
mod ink;
mod legend;
mod plot;
mod series;
mod sheet;
mod style;
mod text;

pub use axis::{Axis, round_axis, ticks};
pub use ink::Ink;
pub use plot::Plot;
pub use series::{Mark, Series};
pub use sheet::{Sheet, file};
pub use style::STYLE;

use std::fmt::Display;

/// Text escaped for HTML and SVG, attributes included. Characters that cannot be seen, or that change the direction of
/// writing, are shown by their numbers: XML does not allow most of them, and a reader could not notice them.
///
/// # Example
/// ```
/// assert_eq!(tvlb_chart::escaped("a < b"), "a &lt; b");
/// assert_eq!(tvlb_chart::escaped("\u{1b}[2J\u{202e}x"), "\\u{1b}[2J\\u{202e}x");
/// ```
pub fn escaped(text: &(impl Display + ?Sized)) -> String {
    let mut out = String::new();
    for character in text.to_string().chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' | '\\' | '\n' | '\t' | '\u{a0}' => out.push(character),
            other => out.extend(other.escape_debug()),
        }
    }
    out
}

/// A count as a number to reckon with.
fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
