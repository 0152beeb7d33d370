//! The names of series in the legend: only what differs between them. What they have in common is said once, and long
//! sets get a letter.

use super::columns::{in_legend, is_usual, settings};
use super::series::Data;

/// A longer set is named by a letter in a legend.
const LONG: usize = 34;

/// The names of series, and what all have in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SeriesNames {
    /// Of each series.
    pub(super) series: Vec<String>,
    /// The fabric, if it is the same for all.
    pub(super) fabric: Option<String>,
    /// What else is the same for all, in words.
    pub(super) common: Vec<String>,
    /// What the letters of sets stand for.
    pub(super) sets: Vec<String>,
}

impl SeriesNames {
    pub(super) fn of(data: &Data) -> Self {
        let columns: Vec<&str> = data.identity.iter().map(String::as_str).collect();
        // The columns that are described together: those of PAR's second look with those of the source.
        let described: Vec<&str> =
            columns.iter().copied().filter(|column| !column.starts_with("second-")).collect();
        let mut series = vec![Vec::new(); data.series.len()];
        let mut names =
            Self { series: Vec::new(), fabric: None, common: Vec::new(), sets: Vec::new() };
        let mut empty_too = Vec::new();
        for column in described {
            let mut texts: Vec<String> =
                data.series.iter().map(|points| text(column, &columns, &points.subject)).collect();
            let mut distinct = texts.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let is_empty_somewhere = distinct.first().is_some_and(String::is_empty);
            distinct.retain(|text| !text.is_empty());
            if distinct.len() > 1 {
                if column == "set" {
                    names.letter(&mut texts);
                }
                for (parts, text) in series.iter_mut().zip(texts) {
                    parts.push(text);
                }
            } else if let Some(only) = distinct.pop() {
                if is_empty_somewhere {
                    empty_too.push((column, texts));
                }
                match column {
                    "fabric" => names.fabric = Some(only),
                    setting if settings().any(|name| name == setting) => {}
                    "faults" if only.ends_with(" none") => {}
                    "placement" if only.ends_with("identity") => {}
                    "population" if only.ends_with(" all") => {}
                    word if word != "threshold" && is_usual(word, &only) => {}
                    "set" => names.common.push(format!("{only} VLB paths")),
                    _ => names.common.push(only),
                }
            }
        }
        // If that does not tell them apart, add what only some of them have.
        let named = |series: &[Vec<String>]| -> Vec<String> {
            series
                .iter()
                .map(|parts| {
                    let parts = parts.iter().filter(|part| !part.is_empty());
                    parts.map(String::as_str).collect::<Vec<_>>().join(", ")
                })
                .collect()
        };
        for (column, texts) in empty_too {
            if is_each_once(data, &named(&series)) {
                break;
            }
            for (parts, text) in series.iter_mut().zip(texts) {
                parts.push(if text.is_empty() { format!("no {column}") } else { text });
            }
        }
        names.series = named(&series);
        names
    }

    /// The label of a place: the name of its series, or the run if there is only one.
    pub(super) fn of_place(&self, name: &str) -> String {
        let known = [name].into_iter().chain(self.common.first().map(String::as_str));
        let known = known.chain(self.fabric.as_deref()).find(|words| !words.is_empty());
        known.unwrap_or_default().to_owned()
    }

    /// Gives each long set a letter, and keeps its meaning.
    fn letter(&mut self, texts: &mut [String]) {
        let mut long: Vec<String> = Vec::new();
        for text in texts {
            if text.chars().count() <= LONG {
                continue;
            }
            let place = long.iter().position(|other| other == text).unwrap_or_else(|| {
                long.push(text.clone());
                long.len() - 1
            });
            let letter = u8::try_from(place).ok().filter(|place| *place < 26);
            let letter =
                letter.map_or_else(|| place.to_string(), |n| char::from(b'A' + n).to_string());
            if place + 1 > self.sets.len() {
                self.sets.push(format!("set {letter}: {text}"));
            }
            *text = format!("set {letter}");
        }
    }
}

/// Whether no two series of a panel have the same name.
fn is_each_once(data: &Data, names: &[String]) -> bool {
    let of = |number: usize| (data.series[number].panel, &names[number]);
    (0..names.len()).all(|one| (0..one).all(|other| of(one) != of(other)))
}

/// The text of a column for a series, together with the same column of the second look.
fn text(column: &str, columns: &[&str], subject: &[String]) -> String {
    let value = |name: &str| {
        let place = columns.iter().position(|other| *other == name);
        place.map_or("", |place| subject[place].as_str())
    };
    let (first, second) = (value(column), value(&format!("second-{column}")));
    match (first, second) {
        ("", _) => String::new(),
        (first, second) if second.is_empty() || first == second => in_legend(column, first),
        (first, second) => format!("{} then {second}", in_legend(column, first)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Selection;
    use super::super::table::PlotFile;
    use super::*;

    fn names(lines: &[&str]) -> SeriesNames {
        let head = "fabric,scheme,set,second-set,threshold,second-threshold,traffic,load,latency,accepted,drawn";
        let lines = lines.join(",latency over load in flits\n");
        let text = format!("{head}\n{lines},latency over load in flits\n");
        let table = PlotFile::parse("a.csv", &text).map_err(|_| "a table").unwrap();
        SeriesNames::of(&Data::of(&[table], &Selection::default()).map_err(|_| "data").unwrap())
    }

    #[test]
    fn a_legend_says_what_differs_and_the_title_what_does_not() {
        let found = names(&[
            "f,min,,,,,uniform,0.1,50,0.1",
            "f,ugal-l,conventional,,0,,uniform,0.1,50,0.1",
            "f,par,conventional,conventional,0,0,uniform,0.1,50,0.1",
        ]);
        assert_eq!(found.series, ["min", "ugal-l", "par"]);
        assert_eq!(found.fabric.as_deref(), Some("f"));
        assert_eq!(found.common, ["conventional VLB paths", "T = 0", "uniform"]);
        let found = names(&[
            "f,par,conventional,conventional,0,0,uniform,0.1,50,0.1",
            "f,par,4*only:000+100 and much more than fits,8*only:011,-2,0,uniform,0.1,50,0.1",
        ]);
        assert_eq!(found.series, ["conventional, T = 0", "set A, T = -2 then 0"]);
        assert_eq!(found.sets, ["set A: 4*only:000+100 and much more than fits then 8*only:011"]);
        assert_eq!(found.common, ["par", "uniform"]);
        // Without a set and with one: nothing else differs.
        let found = names(&["f,pb,,,,,uniform,0.1,50,0.1", "f,pb,valg,,,,uniform,0.1,50,0.1"]);
        assert_eq!(found.series, ["no set", "valg"]);
    }
}
