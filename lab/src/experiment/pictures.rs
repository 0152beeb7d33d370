//! Pictures of latency over load, with the axes and the names of the paper's figures.
//!
//! `figure` is the paper's picture: every scheme and variant, conventional beside T-UGAL, both by the
//! authors' rules. One further picture for each scheme and variant shows all rules for VLB paths.

use super::catalogue::Experiment;
use super::results::{Curves, Line};
use super::rules::Rules;
use super::stated::published_name;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series, Sheet};

/// The axes' names, as those of `tvlb-lab plot`.
const LOAD: &str = "offered load (flits per node and cycle)";
const LATENCY: &str = "mean latency (cycles)";
/// Above this mean latency a run counts as saturated, in cycles; what the legend says of it, and of the marks
/// above the axis.
const LIMIT: f64 = 500.0;
const LIMIT_IN_WORDS: &str = "limit of the mean latency: 500 cycles";
const SATURATED: &str = "saturated: mean latency above 500 cycles; drawn above the axis";
/// A limit that is not farther beyond the largest latency than this lies on the axis.
const NEAR: f64 = 1.35;

/// The pictures of an experiment whose runs have this seed, by the names of their files, without the ending.
pub(super) fn pictures(
    experiment: &Experiment,
    curves: &Curves,
    seed: u64,
) -> Vec<(String, String)> {
    let about = experiment.about;
    let title = match experiment.name.strip_prefix("fig") {
        Some(number) => format!("Figure {number}: {about}"),
        None => about.to_owned(),
    };
    let file = |title: String, lines: Vec<(&Line, String, Ink)>| {
        let subtitle = format!("one run of each load, seed {seed}");
        let notes = lines.iter().map(|(line, name, _)| format!("{name}: {}", line.set)).collect();
        let series = lines.into_iter().map(|(line, name, ink)| series(line, name, ink)).collect();
        let sheet = Sheet::new(title.clone(), vec![plot(title, series)]);
        Sheet { subtitle, notes, ..sheet }.svg()
    };
    let mut pictures = vec![("figure".to_owned(), file(title, the_papers(curves)))];
    for (variant, scheme) in curves.subjects() {
        let of = |rules: Rules| Some((curves.line(scheme, variant, rules)?, rules));
        let lines = Rules::ALL
            .into_iter()
            .filter_map(of)
            .map(|(line, rules)| (line, format!("{}, {}", name(line), rules.kind()), rules.ink()));
        let stem = [scheme, variant].join("-");
        let what = name_of(scheme, variant, false);
        let on = about.split(':').next().unwrap_or(about);
        let title = format!("{what} by all rules: {on}");
        let picture = file(title, lines.collect());
        pictures.push((stem.trim_end_matches('-').to_owned(), picture));
    }
    pictures
}

/// The lines of the paper's figure, each with an ink of its own.
fn the_papers(curves: &Curves) -> Vec<(&Line, String, Ink)> {
    let subjects = curves.subjects().into_iter();
    let lines = subjects.flat_map(|(variant, scheme)| {
        [false, true]
            .map(|t_ugal| curves.line(scheme, variant, Rules::of_the_paper(scheme, t_ugal)))
    });
    let numbered = lines.flatten().enumerate();
    numbered.map(|(number, line)| (line, name(line), Ink::nth(number))).collect()
}

fn name(line: &Line) -> String {
    name_of(&line.scheme, &line.variant, line.rules.is_t_ugal())
}

/// A line's name in the paper's legends: `T-UGAL-G`, and `T_UGAL_G(40,60)` where settings vary.
fn name_of(scheme: &str, variant: &str, t_ugal: bool) -> String {
    let name = published_name(scheme, t_ugal);
    let setting = match variant {
        "" => return name,
        // The paper counts virtual channels.
        "ordered" => "4".to_owned(),
        "per-hop" => "6".to_owned(),
        variant => variant.replace('-', ","),
    };
    format!("{}({setting})", name.replace('-', "_"))
}

fn plot(title: String, series: Vec<Series>) -> Plot {
    let marks = || series.iter().flat_map(|series| &series.marks);
    let last = marks().map(|mark| mark.x).fold(0.1, f64::max);
    // Every latency that is not saturated is on the axis.
    let most = marks().filter_map(|mark| mark.y).fold(0.0, f64::max);
    let most = if NEAR * most >= LIMIT || most <= 0.0 { most.max(LIMIT) } else { most };
    let level = marks().any(|mark| mark.y.is_none()).then(|| (LIMIT, LIMIT_IN_WORDS.to_owned()));
    Plot {
        title,
        x: Axis::new(LOAD, 0.0, last),
        y: Axis::new(LATENCY, 0.0, most).with_open_end(SATURATED),
        level,
        series,
    }
}

/// A line up to its first saturated load.
fn series(line: &Line, name: String, ink: Ink) -> Series {
    let first_saturated = line.points.iter().position(|point| point.saturated);
    let shown = first_saturated.map_or(line.points.len(), |position| position + 1);
    let marks = line.points.iter().take(shown).map(|point| {
        let hover = if point.saturated {
            format!("{name}: saturated at {}", point.load)
        } else {
            format!("{name}: {:.1} cycles at {}", point.latency, point.load)
        };
        Mark::new(point.load, (!point.saturated).then_some(point.latency), hover)
    });
    let marks = marks.collect();
    Series { name, ink, joined: true, marks }
}

impl Rules {
    const fn ink(self) -> Ink {
        match self {
            Self::Conventional => Ink::Conventional,
            Self::PublishedConventional => Ink::Fourth,
            Self::Published => Ink::Paper,
            Self::Literal => Ink::Fifth,
            Self::Ours => Ink::Ours,
        }
    }

    /// After the name of a scheme that says whether it is T-UGAL.
    const fn kind(self) -> &'static str {
        match self {
            Self::Conventional => "as the datapath has it",
            Self::PublishedConventional | Self::Published => "the authors' rules",
            Self::Literal => "strategic-2-3 by route",
            Self::Ours => "our sets",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{find, samples};
    use super::*;

    #[test]
    fn legends_have_the_papers_names() {
        assert_eq!(name_of("ugal-l", "", false), "UGAL-L");
        assert_eq!(name_of("par", "", true), "T-PAR");
        assert_eq!(name_of("ugal-g", "40-60", false), "UGAL_G(40,60)");
        assert_eq!(name_of("ugal-l", "8", true), "T_UGAL_L(8)");
        assert_eq!(name_of("ugal-g", "per-hop", true), "T_UGAL_G(6)");
    }

    #[test]
    fn there_is_the_papers_picture_and_one_for_each_scheme() {
        let results = samples::curves("fig6", &[("ugal-l", 0.23, 0.29), ("par", 0.29, 0.38)]);
        let pictures = pictures(find("fig6").unwrap(), results.curves().unwrap(), 1);
        let names: Vec<&str> = pictures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["figure", "ugal-l", "par"]);
        let figure = &pictures[0].1;
        for name in ["UGAL-L", "T-UGAL-L", "PAR", "T-PAR", SATURATED, LOAD, LATENCY] {
            assert_eq!(figure.matches(&format!(">{name}</text>")).count(), 1, "{name}");
        }
        assert!(pictures[2].1.contains(">PAR, the authors' rules</text>"));
        assert!(pictures[2].1.contains(">T-PAR, our sets</text>"));
    }
}
