//! Tiles: the most important figures of a page.

use crate::escaped;
use std::fmt::Write;

#[derive(Clone, Debug)]
pub struct Tile {
    /// Its name, in a few words.
    pub name: String,
    pub figure: String,
    /// Its comparison or origin, in words.
    pub words: String,
}

/// The tiles, side by side if there is room.
///
/// # Example
/// ```
/// use tvlb_chart::tiles::{Tile, tiles};
///
/// let [name, figure, words] = ["UGAL-L", "+38%", "over conventional"].map(str::to_owned);
/// assert!(tiles(&[Tile { name, figure, words }]).contains("<b>+38%</b>"));
/// ```
pub fn tiles(all: &[Tile]) -> String {
    let mut html = String::from("<div class=\"tiles\">\n");
    for Tile { name, figure, words } in all {
        let [name, figure, words] = [name, figure, words].map(escaped);
        let _ = writeln!(
            html,
            "<div class=\"tile\"><span>{name}</span><b>{figure}</b><span>{words}</span></div>"
        );
    }
    html.push_str("</div>\n");
    html
}
