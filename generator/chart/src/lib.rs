//! Pictures as SVG: plots of points and lines, maps of values, what other pictures need to look like them,
//! and the page around them.
//!
//! A [`Plot`] is one pair of axes with its series, a [`heat_map::HeatMap`] a colour for each row and
//! column, and [`bars::Bars`] are a few figures to be compared at a glance. [`Plot::svg`] is the element for a page that has the style sheet [`STYLE`], as [`page::page`]
//! makes it; [`file()`] makes a picture that stands alone of one plot or several. No picture and no page
//! has a script, and none fetches a font or anything else.

pub mod bars;
pub mod heat_map;
pub mod page;
pub mod tiles;

mod axis;
mod ink;
mod plot;

pub use axis::{round_axis, ticks};
pub use ink::Ink;
pub use plot::{Axis, Mark, Plot, Series, file};

use std::fmt::Display;

/// The style sheet of pictures: colours for light, dark and paper, and the look of lines and texts.
///
/// The colours of lines are those of Okabe and Ito, which the colour-blind can tell apart.
pub const STYLE: &str = include_str!("style.css");

/// Text as it must stand in HTML and SVG, attributes included.
///
/// # Example
/// ```
/// assert_eq!(tvlb_chart::escaped("a < b"), "a &lt; b");
/// ```
pub fn escaped(text: &(impl Display + ?Sized)) -> String {
    let mut out = String::new();
    for character in text.to_string().chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}
