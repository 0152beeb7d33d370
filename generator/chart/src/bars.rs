//! Bars from left to right in groups, each with its value in words: for a few figures that are to be
//! compared at a glance. A bar may be cut into parts, and a level drawn across all bars.

use crate::text::width;
use crate::{Ink, escaped, round_axis, ticks};
use std::fmt::Write;

/// The length of the axis.
const ROOM: f64 = 244.0;
/// The size of the letters.
const LETTERS: f64 = 12.0;
/// Room to the right of the longest bar for its value.
const RIGHT: f64 = 104.0;
const TOP: f64 = 4.0;
/// The height of a bar, and from one to the next.
const THICK: f64 = 15.0;
const STEP: f64 = 20.0;
/// The height of a group's heading.
const HEADING: f64 = 22.0;
/// Room above the bars for the name of a level.
const LEVEL: f64 = 16.0;
/// Room below the last bar for the axis and its name.
const FOOT: f64 = 46.0;

#[derive(Clone, Debug)]
pub struct Bar {
    pub name: String,
    pub ink: Ink,
    /// Its length in the units of the axis, 0 or more.
    pub value: f64,
    /// Half the length of the error bar; 0 for none.
    pub error: f64,
    /// The text at its end.
    pub words: String,
    /// Where a bar of several parts is cut, the end of the last part being that of the bar; empty for a whole bar.
    pub parts: Vec<BarPart>,
}

/// A part of a bar, from the end of the part before it.
#[derive(Clone, Debug)]
pub struct BarPart {
    /// Where it ends, in the units of the axis.
    pub end: f64,
    /// The text under a pointer.
    pub hover: String,
}

/// Bars under one heading.
#[derive(Clone, Debug)]
pub struct BarGroup {
    pub name: String,
    /// The bars from top to bottom.
    pub bars: Vec<Bar>,
}

/// A picture of bars on one axis that begins at 0.
///
/// # Example
/// ```
/// use tvlb_chart::Ink;
/// use tvlb_chart::bars::{Bar, BarGroup, BarChart};
///
/// let (name, words) = ("MIN".to_owned(), "0.30".to_owned());
/// let bar = Bar { name, ink: Ink::Ours, value: 0.3, error: 0.01, words, parts: Vec::new() };
/// let groups = vec![BarGroup { name: "UGAL-L".to_owned(), bars: vec![bar] }];
/// let (title, axis) = ("saturation".to_owned(), "flits".to_owned());
/// let bars = BarChart { title, axis, level: None, groups };
/// assert!(bars.svg().contains(">UGAL-L</text>"));
/// ```
#[derive(Clone, Debug)]
pub struct BarChart {
    /// A description of the picture, for those who cannot see it.
    pub title: String,
    /// The quantity of the axis, with its unit.
    pub axis: String,
    /// A value that is drawn across all bars, with its name.
    pub level: Option<(f64, String)>,
    /// The groups from top to bottom.
    pub groups: Vec<BarGroup>,
}

impl BarChart {
    /// The picture, for a page that has [`crate::STYLE`].
    pub fn svg(&self) -> String {
        let bars = || self.groups.iter().flat_map(|group| &group.bars);
        let level = self.level.as_ref().map_or(0.0, |(level, _)| *level);
        let most = bars().map(|bar| bar.value + bar.error).fold(level, f64::max);
        let (step, end) = round_axis(most);
        let left = 14.0 + bars().map(|bar| width(&bar.name, LETTERS)).fold(0.0, f64::max);
        let (x, whole) = (|value: f64| left + value / end * ROOM, left + ROOM + RIGHT);
        let rows = self.groups.iter().fold(0.0, |height, group| {
            group.bars.iter().fold(height + HEADING, |height, _| height + STEP)
        });
        let top = TOP + self.level.as_ref().map_or(0.0, |_| LEVEL);
        let bottom = top + rows;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole:.0} {:.0}\" role=\"img\" \
             aria-label=\"{}\">\n",
            bottom + FOOT,
            escaped(&self.title)
        );
        for value in ticks(step, end) {
            let at = x(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{at:.1} {top}V{bottom:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" class=\"mid\">{}</text>",
                bottom + 16.0,
                short(value)
            );
        }
        let mut at = top;
        for group in &self.groups {
            let _ = writeln!(
                svg,
                "<text x=\"0\" y=\"{:.1}\" font-weight=\"600\">{}</text>",
                at + 15.0,
                escaped(&group.name)
            );
            at += HEADING;
            for bar in &group.bars {
                draw(&mut svg, bar, (left, at), &x);
                at += STEP;
            }
        }
        if let Some((level, name)) = &self.level {
            let at = x(*level);
            let _ = writeln!(
                svg,
                "<path class=\"level\" d=\"M{at:.1} {top}V{bottom:.1}\"/>\
                 <text class=\"mid\" x=\"{at:.1}\" y=\"12\">{}</text>",
                escaped(name)
            );
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{left:.1} {top}V{bottom:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" class=\"mid\">{}</text>\n</svg>",
            left + ROOM / 2.0,
            bottom + 36.0,
            escaped(&self.axis)
        );
        svg
    }
}

fn draw(svg: &mut String, bar: &Bar, (left, at): (f64, f64), x: &impl Fn(f64) -> f64) {
    let (class, middle) = (bar.ink.class(), at + THICK / 2.0);
    let (name, words) = (escaped(&bar.name), escaped(&bar.words));
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" class=\"end\">{name}</text>",
        left - 8.0,
        middle + 4.0,
    );
    let whole = [BarPart { end: bar.value, hover: format!("{}: {}", bar.name, bar.words) }];
    let parts = if bar.parts.is_empty() { &whole } else { &bar.parts[..] };
    let mut from = (left * 10.0).round() / 10.0;
    for (number, BarPart { end, hover }) in parts.iter().enumerate() {
        // Parts are told apart by the ground between them, however narrow they are.
        let to = x(*end);
        let gap = if number + 1 < parts.len() { ((to - from) / 2.0).min(1.0) } else { 0.0 };
        let (end, hover) = (to - gap, escaped(hover));
        let _ = writeln!(
            svg,
            "<path class=\"{class}\" d=\"M{from} {at:.1}H{end:.1}v{THICK}H{from}z\"><title>{hover}</title></path>"
        );
        from = (to * 100.0).round() / 100.0;
    }
    let mut after = x(bar.value);
    if bar.error > 0.0 {
        let (low, high) = (x((bar.value - bar.error).max(0.0)), x(bar.value + bar.error));
        let _ = writeln!(
            svg,
            "<path class=\"whisker\" d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {:.1}v7M{high:.1} {:.1}v7\"/>",
            middle - 3.5,
            middle - 3.5
        );
        after = after.max(high);
    }
    let _ =
        writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{words}</text>", after + 6.0, middle + 4.0);
}

/// A number with as many decimals as it takes, at most four.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f64, error: f64) -> Bar {
        let words = format!("<{value}>");
        let name = "a & b".to_owned();
        Bar { name, ink: Ink::Paper, value, error, words, parts: Vec::new() }
    }

    /// The letters of the picture are 12 high, and no wider than 7.2 on average in the widest usual font.
    #[test]
    fn long_names_have_their_room() {
        let name = "conventional weighed as ours".to_owned();
        let room = name.chars().map(|_| 7.2).sum::<f64>();
        let bars = vec![Bar { name, ..bar(0.2, 0.0) }];
        let groups = vec![BarGroup { name: "one".to_owned(), bars }];
        let svg = BarChart { title: String::new(), axis: String::new(), level: None, groups }.svg();
        let (_, at) = svg.split_once("class=\"k1\" d=\"M").unwrap();
        assert!(at.split(' ').next().unwrap().parse::<f64>().unwrap() > room, "{svg}");
    }

    #[test]
    fn lengths_follow_values_and_texts_are_escaped() {
        let groups = vec![
            BarGroup { name: "one".to_owned(), bars: vec![bar(0.2, 0.0), bar(0.4, 0.1)] },
            BarGroup { name: "other".to_owned(), bars: vec![bar(0.0, 0.0)] },
        ];
        let (title, axis) = ("\"t\"".to_owned(), "x".to_owned());
        let svg = BarChart { title, axis, level: None, groups }.svg();
        let left = 14.0 + width("a & b", LETTERS);
        let ends: Vec<f64> = svg
            .split(&format!("<path class=\"k1\" d=\"M{left:.1} "))
            .skip(1)
            .map(|bar| bar.split(['H', 'v']).nth(1).unwrap().parse().unwrap())
            .collect();
        assert_eq!(ends.len(), 3);
        let lengths: Vec<f64> = ends.iter().map(|end| end - left).collect();
        assert!((lengths[1] - 2.0 * lengths[0]).abs() < 0.11 && lengths[2].abs() < 0.06);
        assert!(lengths.iter().all(|&length| length <= ROOM));
        assert_eq!(svg.matches("class=\"whisker\"").count(), 1);
        assert!(svg.contains("a &amp; b: &lt;0.4&gt;") && svg.contains("&quot;t&quot;"));
    }

    #[test]
    fn nothing_to_draw_is_no_error() {
        let (title, axis, groups) = (String::new(), String::new(), Vec::new());
        let svg = BarChart { title, axis, level: None, groups }.svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        // By default the axis goes to 1.
        assert!(svg.contains(">1</text>"), "{svg}");
    }

    #[test]
    fn a_bar_is_cut_into_its_parts_and_a_level_lengthens_the_axis() {
        let part = |end: f64, hover: &str| BarPart { end, hover: hover.to_owned() };
        let parts = vec![part(0.1, "one"), part(0.2, "a & b")];
        let groups =
            vec![BarGroup { name: String::new(), bars: vec![Bar { parts, ..bar(0.2, 0.0) }] }];
        let (title, axis) = (String::new(), String::new());
        let svg = BarChart { title, axis, level: Some((0.4, "least".to_owned())), groups }.svg();
        // The names take 45.2, and a tenth is 61 long.
        assert!(svg.contains("d=\"M45.2 42.0H105.2v15H45.2z\"><title>one</title>"), "{svg}");
        assert!(
            svg.contains("d=\"M106.2 42.0H167.2v15H106.2z\"><title>a &amp; b</title>"),
            "{svg}"
        );
        assert!(svg.contains("class=\"level\" d=\"M289.2 20V62.0\"") && svg.contains(">least<"));
    }
}
