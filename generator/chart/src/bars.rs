//! Bars from left to right in groups, each with its value in words: for a few figures that are to be
//! compared at a glance.

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
/// Room below the last bar for the axis and its name.
const FOOT: f64 = 46.0;

#[derive(Clone, Debug)]
pub struct Bar {
    pub name: String,
    pub ink: Ink,
    /// Its length in the units of the axis, 0 or more.
    pub value: f64,
    /// Half the length of the error bar; 0 where there is no bar.
    pub error: f64,
    /// What stands at its end.
    pub words: String,
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
/// let bar = Bar { name: "MIN".to_owned(), ink: Ink::Ours, value: 0.3, error: 0.01, words: "0.30".to_owned() };
/// let groups = vec![BarGroup { name: "UGAL-L".to_owned(), bars: vec![bar] }];
/// let bars = BarChart { title: "saturation".to_owned(), axis: "flits".to_owned(), groups };
/// assert!(bars.svg().contains(">UGAL-L</text>"));
/// ```
#[derive(Clone, Debug)]
pub struct BarChart {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    /// What the axis counts, with its unit.
    pub axis: String,
    /// The groups from top to bottom.
    pub groups: Vec<BarGroup>,
}

impl BarChart {
    /// The picture, for a page that has [`crate::STYLE`].
    pub fn svg(&self) -> String {
        let bars = || self.groups.iter().flat_map(|group| &group.bars);
        let most = bars().map(|bar| bar.value + bar.error).fold(0.0, f64::max);
        let (step, end) = round_axis(most);
        let left = 14.0 + bars().map(|bar| width(&bar.name, LETTERS)).fold(0.0, f64::max);
        let (x, whole) = (|value: f64| left + value / end * ROOM, left + ROOM + RIGHT);
        let rows = self.groups.iter().fold(0.0, |height, group| {
            group.bars.iter().fold(height + HEADING, |height, _| height + STEP)
        });
        let bottom = TOP + rows;
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
                "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" class=\"mid\">{}</text>",
                bottom + 16.0,
                short(value)
            );
        }
        let mut at = TOP;
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
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{left:.1} {TOP}V{bottom:.1}\"/>\
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
    let (end, name, words) = (x(bar.value), escaped(&bar.name), escaped(&bar.words));
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" class=\"end\">{name}</text>\
         <path class=\"{class}\" d=\"M{left:.1} {at:.1}H{end:.1}v{THICK}H{left:.1}z\"><title>{name}: {words}</title></path>",
        left - 8.0,
        middle + 4.0,
    );
    let mut after = end;
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
        Bar { name: "a & b".to_owned(), ink: Ink::Paper, value, error, words }
    }

    /// The letters of the picture are 12 high, and no wider than 7.2 on average in the widest usual font.
    #[test]
    fn long_names_have_their_room() {
        let name = "conventional weighed as ours".to_owned();
        let room = name.chars().map(|_| 7.2).sum::<f64>();
        let bars = vec![Bar { name, ..bar(0.2, 0.0) }];
        let groups = vec![BarGroup { name: "one".to_owned(), bars }];
        let svg = BarChart { title: String::new(), axis: String::new(), groups }.svg();
        let (_, at) = svg.split_once("class=\"k1\" d=\"M").unwrap();
        assert!(at.split(' ').next().unwrap().parse::<f64>().unwrap() > room, "{svg}");
    }

    #[test]
    fn lengths_follow_values_and_texts_are_escaped() {
        let groups = vec![
            BarGroup { name: "one".to_owned(), bars: vec![bar(0.2, 0.0), bar(0.4, 0.1)] },
            BarGroup { name: "other".to_owned(), bars: vec![bar(0.0, 0.0)] },
        ];
        let svg = BarChart { title: "\"t\"".to_owned(), axis: "x".to_owned(), groups }.svg();
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
        let svg = BarChart { title: String::new(), axis: String::new(), groups: Vec::new() }.svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        // The axis goes to 1 where nothing says how far.
        assert!(svg.contains(">1</text>"), "{svg}");
    }
}
