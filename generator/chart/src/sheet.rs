//! A standalone picture: a heading, plots one below the other, one legend, and notes.

use crate::legend::{self, LegendKey, Swatch};
use crate::plot::{MARGIN, Plot, Size, draw_legend};
use crate::style::STYLE;
use crate::text::wrapped;
use crate::{escaped, real};
use std::fmt::Write;

/// The size of the letters of the heading, and the height of one of its lines.
const HEADING: f64 = 15.0;
const HEADING_LINE: f64 = 21.0;
/// The same for the title above each of several plots.
const PANEL: f64 = 13.0;
const PANEL_LINE: f64 = 18.0;
/// The same for notes.
const NOTE: f64 = 12.0;
const NOTE_LINE: f64 = 17.0;

/// The contents of a standalone picture.
///
/// # Example
/// ```
/// use tvlb_chart::{Axis, Plot, Sheet};
///
/// let (x, y) = (Axis::new("load", 0.0, 1.0), Axis::new("latency (cycles)", 0.0, 1.0));
/// let plot = Plot { title: "latency".to_owned(), x, y, level: None, series: Vec::new() };
/// let sheet = Sheet { subtitle: "one seed".to_owned(), ..Sheet::new("latency over load", vec![plot]) };
/// assert!(sheet.svg().contains("one seed"));
/// ```
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its heading.
    pub heading: String,
    /// The text before the plots.
    pub subtitle: String,
    /// The plots. If there are several, each is under its title.
    pub plots: Vec<Plot>,
    /// The notes after the legend, each on a new line.
    pub notes: Vec<String>,
    /// The width in units of the picture, which a browser shows as pixels; names along an axis make it
    /// wider.
    pub width: f64,
    /// The height of the axes of each plot, in the same units.
    pub height: f64,
}

impl Sheet {
    /// A sheet of the usual size, with a heading and plots.
    pub fn new(heading: impl Into<String>, plots: Vec<Plot>) -> Self {
        Self {
            heading: heading.into(),
            subtitle: String::new(),
            plots,
            notes: Vec::new(),
            width: 720.0,
            height: 300.0,
        }
    }

    /// All entries of the legends, if all plots have the same series.
    fn shared_legend(&self) -> Option<Vec<LegendKey>> {
        let series = |plot: &Plot| -> Vec<LegendKey> {
            let entries = plot.entries().into_iter();
            entries.filter(|entry| matches!(entry.swatch, Swatch::Series(..))).collect()
        };
        let mut plots = self.plots.iter();
        let mut all = plots.next()?.entries();
        for plot in plots {
            if series(plot) != series(&self.plots[0]) {
                return None;
            }
            for entry in plot.entries() {
                if !all.contains(&entry) {
                    all.push(entry);
                }
            }
        }
        Some(all)
    }

    /// The picture as the text of an SVG file.
    pub fn svg(&self) -> String {
        let size = Size { width: self.width, height: self.height };
        let width = self.plots.iter().map(|plot| plot.width(size)).fold(self.width, f64::max);
        let size = Size { width, ..size };
        let room = width - 2.0 * MARGIN;
        let mut body = String::new();
        let mut at = 6.0;
        let mut write = |body: &mut String, text: &str, letters: f64, line: f64, class: &str| {
            for text in wrapped(text, letters, room) {
                at += line;
                let _ = writeln!(
                    body,
                    "<text x=\"{MARGIN}\" y=\"{at:.1}\" class=\"{class}\">{}</text>",
                    escaped(&text)
                );
            }
            at
        };
        write(&mut body, &self.heading, HEADING, HEADING_LINE, "title");
        let mut at = write(&mut body, &self.subtitle, NOTE, NOTE_LINE, "note") + NOTE_LINE / 2.0;
        // If all plots have the same series, one legend is enough.
        let shared = self.shared_legend();
        for (number, plot) in self.plots.iter().enumerate() {
            let title = escaped(&plot.title);
            // The heading is also the title of a single plot.
            let named = if self.plots.len() > 1 { plot.title.as_str() } else { "" };
            for line in wrapped(named, PANEL, room) {
                at += PANEL_LINE;
                let _ = writeln!(
                    body,
                    "<text x=\"{MARGIN}\" y=\"{:.1}\" class=\"panel\">{}</text>",
                    at - 5.0,
                    escaped(&line)
                );
            }
            let mut inner = String::new();
            let end = plot.draw(&mut inner, size);
            let end = match &shared {
                None => draw_legend(&mut inner, &plot.entries(), width, end),
                Some(all) if number + 1 == self.plots.len() => {
                    draw_legend(&mut inner, all, width, end)
                }
                Some(_) => end + MARGIN,
            };
            let _ = writeln!(
                body,
                "<g transform=\"translate(0 {at:.1})\" role=\"img\" aria-label=\"{title}\">\n{inner}</g>"
            );
            at += end;
        }
        at += 8.0;
        for note in &self.notes {
            for text in wrapped(note, NOTE, room) {
                let _ = writeln!(
                    body,
                    "<text x=\"{MARGIN}\" y=\"{:.1}\" class=\"note\">{}</text>",
                    at + 4.0,
                    escaped(&text)
                );
                at += NOTE_LINE;
            }
        }
        let height = at + real(usize::from(!self.notes.is_empty())) * (legend::LINE - NOTE_LINE);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
            escaped(&self.heading)
        )
    }
}

/// A standalone picture: a heading, and plots one below the other.
pub fn file(heading: &str, plots: &[Plot]) -> String {
    Sheet::new(heading, plots.to_vec()).svg()
}

impl Plot {
    /// The picture as a file of its own, under its title.
    pub fn file(&self) -> String {
        file(&self.title, std::slice::from_ref(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Ink, Mark, Series};

    fn plot(name: &str) -> Plot {
        Plot {
            title: "\"t\"".to_owned(),
            x: Axis::new("x", 0.0, 1.0),
            y: Axis::new("y", 0.0, 1.0),
            level: None,
            series: vec![Series {
                name: name.to_owned(),
                ink: Ink::Ours,
                joined: true,
                marks: vec![Mark::new(0.5, 0.5, "")],
            }],
        }
    }

    #[test]
    fn a_sheet_has_its_style_its_heading_all_plots_and_its_notes() {
        let heading = "word ".repeat(60);
        let notes = vec!["set A: <one>".to_owned()];
        let sheet = Sheet { notes, ..Sheet::new(heading, vec![plot("one"), plot("two")]) };
        let svg = sheet.svg();
        // For those who cannot see it and for those who can.
        assert!(svg.contains("<style>") && svg.matches("&quot;t&quot;").count() == 4);
        assert_eq!(svg.matches("class=\"panel\">&quot;t&quot;</text>").count(), 2);
        let single = Sheet::new("", vec![plot("one")]).svg();
        assert_eq!(single.matches("&quot;t&quot;").count(), 1);
        // In the title of the document and in the lines of the heading.
        assert_eq!(svg.matches("word").count(), 120);
        assert!(svg.matches("class=\"title\"").count() > 1 && svg.contains("set A: &lt;one&gt;"));
        assert!(svg.contains(">one</text>") && svg.contains(">two</text>"));
    }

    #[test]
    fn a_legend_that_plots_share_stands_once() {
        let mut hollow = plot("one");
        hollow.y = Axis::new("y", 0.0, 1.0).with_hollow("not certain");
        hollow.series[0].marks[0].hollow = true;
        let svg = Sheet::new("", vec![plot("one"), hollow.clone(), plot("one")]).svg();
        assert_eq!((svg.matches(">one<").count(), svg.matches(">not certain<").count()), (1, 1));
        let svg = Sheet::new("", vec![plot("one"), hollow, plot("two")]).svg();
        assert_eq!((svg.matches(">one<").count(), svg.matches(">two<").count()), (2, 1));
    }
}
