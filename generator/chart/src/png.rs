//! A picture as PNG, for documents that take no SVG.
//!
//! The letters are those of the font Roboto, which is built in: a part of it with the letters of Latin,
//! Greek and Cyrillic (`font/README.md`). So a picture has the same pixels on every machine, whatever fonts
//! it has.

use crate::style::{STYLE, flat};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

const FONT: &[u8] = include_bytes!("../font/roboto-part.ttf");
const LETTERS: [RangeInclusive<char>; 9] = [
    ' '..='~',
    '\u{a0}'..='\u{17f}',
    '\u{384}'..='\u{3ce}',
    '\u{400}'..='\u{45f}',
    '\u{2013}'..='\u{2015}',
    '\u{2018}'..='\u{201e}',
    '\u{2020}'..='\u{2022}',
    '\u{2026}'..='\u{2026}',
    '\u{2264}'..='\u{2265}',
];
/// Pixels of a unit of the picture along each side, so that letters are sharp on dense screens and paper.
const PIXELS: f32 = 2.0;
/// The largest side of a picture in pixels.
const MOST_SIDE: u32 = 16_384;

/// Why there is no PNG of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PngError {
    /// The font does not have this character.
    Letter(char),
    /// The picture has so many pixels along one side.
    Size(u32),
    /// The text is not a picture of this crate.
    Svg(String),
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Letter(letter) => write!(
                f,
                "the font of PNG pictures has no {letter:?}: it has the letters of Latin, Greek and Cyrillic; an \
                 SVG picture can have any"
            ),
            Self::Size(side) => {
                write!(
                    f,
                    "the picture has {side} pixels along one side, accepted at most {MOST_SIDE}"
                )
            }
            Self::Svg(why) => write!(f, "the picture cannot be drawn: {why}"),
        }
    }
}

impl std::error::Error for PngError {}

/// The PNG of a picture that this crate made as SVG, on light ground or on dark; a unit of the picture is two
/// pixels wide and high.
///
/// # Errors
/// A letter that the font does not have, or a picture that is too large.
pub fn png(svg: &str, is_dark: bool) -> Result<Vec<u8>, PngError> {
    let of_text = |c: &char| !c.is_control() && !LETTERS.iter().any(|range| range.contains(c));
    if let Some(letter) = svg.chars().find(of_text) {
        return Err(PngError::Letter(letter));
    }
    let mut options = Options { font_family: "Roboto".to_owned(), ..Options::default() };
    Arc::make_mut(&mut options.fontdb).load_font_data(FONT.to_vec());
    let svg = svg.replacen(STYLE, &flat(is_dark), 1);
    let tree = Tree::from_str(&svg, &options).map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(PIXELS);
    let size = size.ok_or_else(|| PngError::Svg("it has no size".to_owned()))?;
    let side = size.width().max(size.height());
    if side > MOST_SIDE {
        return Err(PngError::Size(side));
    }
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or(PngError::Size(side))?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Svg(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Ink, Mark, Plot, Series, Sheet};

    fn sheet(heading: &str) -> String {
        let marks = vec![Mark::new(0.1, 20.0, "").with_error(3.0), Mark::new(0.3, 40.0, "")];
        let name = "one".to_owned();
        let plot = Plot {
            title: String::new(),
            x: Axis::new("load", 0.0, 1.0),
            y: Axis::new("cycles", 0.0, 50.0),
            level: None,
            series: vec![Series { name, ink: Ink::Ours, joined: true, marks }],
        };
        Sheet::new(heading, vec![plot]).svg()
    }

    /// The pixels that differ from the paper.
    fn ink(png: &[u8]) -> usize {
        let pixels = Pixmap::decode_png(png).unwrap();
        let paper = pixels.pixel(1, 1);
        (0..pixels.height())
            .flat_map(|y| (0..pixels.width()).map(move |x| (x, y)))
            .filter(|&(x, y)| pixels.pixel(x, y) != paper)
            .count()
    }

    #[test]
    fn words_are_drawn_in_the_font_that_is_built_in() {
        let bare = ink(&png(&sheet(""), false).unwrap());
        for range in LETTERS {
            // Every range has letters that leave ink where there was none.
            let heading: String =
                range.clone().filter(|c| !"<>&\"".contains(*c)).take(40).collect();
            let written = ink(&png(&sheet(&heading), false).unwrap());
            assert!(written > bare + 10, "{range:?}: {written}, without them {bare}");
        }
    }

    #[test]
    fn light_and_dark_have_their_grounds() {
        let ground = |is_dark| {
            let pixels = Pixmap::decode_png(&png(&sheet("t"), is_dark).unwrap()).unwrap();
            assert_eq!(pixels.width(), 1440);
            pixels.pixel(1, 1).unwrap().red()
        };
        assert_eq!((ground(false), ground(true)), (0xff, 0x14));
    }

    #[test]
    fn a_letter_that_the_font_lacks_is_refused_by_itself() {
        let error = png(&sheet("網路"), false).unwrap_err();
        assert_eq!(error, PngError::Letter('網'));
        assert!(error.to_string().contains("'網'"));
    }
}
