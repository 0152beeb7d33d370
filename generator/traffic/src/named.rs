//! Traffic and placements as people name them: by name, or listed in a file.

use crate::{Pattern, PlacementRule, Traffic, read_flows};
use std::fmt::Display;
use std::path::Path;
use tvlb_base::text::Refused;
use tvlb_table_set::input_file;
use tvlb_table_set::names::{Parts, list};
use tvlb_table_set::sha256;

/// Before the name of a file with flows.
pub const FLOWS: &str = "flows:";
/// Before the name of a file with the node of each process.
pub const LISTED: &str = "listed:";
/// The largest file that is read: more than a line for each of 2²⁴ nodes.
const MOST_BYTES: u64 = 512 << 20;

/// The parts of a fabric, with its name.
pub type NamedParts<'p> = (&'p str, &'p Parts<'p>);

/// A pattern of traffic or a placement, with its name in results.
pub struct Named<R> {
    /// Its name in full, or the text that names a file.
    pub name: String,
    pub rule: R,
    /// The SHA-256 of the lines that count of the file, if there is one: a file that has changed makes
    /// other runs.
    pub content: Option<String>,
}

impl Named<Pattern> {
    /// Reads a pattern by name, or "flows:FILE", which must mean the same on each of these fabrics; the name of
    /// the file begins at `beside`.
    ///
    /// # Errors
    /// The error, after the name of the file if there is one.
    pub fn pattern(text: &str, beside: &Path, fabrics: &[NamedParts<'_>]) -> Result<Self, String> {
        let Some(file) = text.strip_prefix(FLOWS) else {
            let rule: Pattern =
                text.parse().map_err(|error: Refused| format!("{error}, {FLOWS}FILE"))?;
            return Ok(Self { name: rule.to_string(), rule, content: None });
        };
        let path = beside.join(file);
        let content = read(&path)?;
        // The path stands before every error, and no name of a file between it and the line.
        let of = |parts: &Parts<'_>| {
            let flows = read_flows(parts, &content, "").map_err(|e| e.to_string())?;
            let pattern = Pattern::Flows(flows);
            Traffic::new(&pattern, parts.existing_nodes(), 0).map_err(|e| e.to_string())?;
            Ok(pattern)
        };
        let rule = of_all(&path, fabrics, of)?;
        let of_flows = content.lines().map(str::trim);
        let of_flows = of_flows.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(Self { name: text.to_owned(), rule, content: Some(hash(of_flows)) })
    }
}

impl Named<PlacementRule> {
    /// Reads a placement by name, or "listed:FILE", which must mean the same on each of these fabrics; the name
    /// of the file begins at `beside`.
    ///
    /// # Errors
    /// The error, after the name of the file if there is one.
    pub fn placement(
        text: &str,
        beside: &Path,
        fabrics: &[NamedParts<'_>],
    ) -> Result<Self, String> {
        let Some(file) = text.strip_prefix(LISTED) else {
            let rule: PlacementRule = text.parse().map_err(|error: Refused| error.to_string())?;
            return Ok(Self { name: rule.to_string(), rule, content: None });
        };
        let path = beside.join(file);
        let content = read(&path)?;
        let of = |parts: &Parts<'_>| {
            let list = parts.node_list(&content).map_err(|e| e.to_string())?;
            let placement = PlacementRule::Listed(list);
            placement.on(parts.existing_nodes(), 0).map_err(|e| e.to_string())?;
            Ok(placement)
        };
        let rule = of_all(&path, fabrics, of)?;
        Ok(Self {
            name: text.to_owned(),
            rule,
            content: Some(hash(list::lines(&content).map(|(_, line)| line))),
        })
    }
}

fn read(path: &Path) -> Result<String, String> {
    input_file::read_given_text(path, MOST_BYTES)
        .map_err(|error| in_file(path, &format_args!("cannot read it: {error}")))
}

fn in_file(path: &Path, error: &dyn Display) -> String {
    format!("{}: {error}", path.display())
}

/// What a file means on every fabric, if that is the same: names may be those of other nodes elsewhere.
fn of_all<R: PartialEq>(
    path: &Path,
    fabrics: &[NamedParts<'_>],
    of: impl Fn(&Parts<'_>) -> Result<R, String>,
) -> Result<R, String> {
    let mut meant: Option<(R, &str)> = None;
    for &(name, parts) in fabrics {
        let of_which = if name.is_empty() { String::new() } else { format!(" (of {name})") };
        let rule = of(parts).map_err(|error| in_file(path, &format_args!("{error}{of_which}")))?;
        match &meant {
            Some((first, of)) if *first != rule => {
                return Err(in_file(
                    path,
                    &format_args!(
                        "it names other nodes of {name} than of {of}; accepted is a file for each"
                    ),
                ));
            }
            _ => meant = Some((rule, name)),
        }
    }
    Ok(meant.expect("there is a fabric").0)
}

/// The hash of the lines that count: comments and empty lines change no run.
fn hash<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    sha256(lines.collect::<Vec<_>>().join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;
    use tvlb_table_set::names::Names;

    #[test]
    fn comments_change_no_run_and_flows_do() {
        let (df, names) = (Dragonfly::new(2, 4, 2, 9).unwrap(), Names::default());
        let home = tempfile::tempdir().unwrap();
        let content = |text: &str| {
            std::fs::write(home.path().join("flows.csv"), text).unwrap();
            let parts = Parts::new(&df, &names);
            let named = Named::pattern("flows:flows.csv", home.path(), &[("", &parts)]).unwrap();
            named.content.unwrap()
        };
        let header = "source-node,destination-node\n";
        let one = content(&format!("{header}0,5\n3,4\n"));
        assert_eq!(one, content(&format!("# some\r\n{header}0,5\r\n\n  # more\n3,4")));
        assert_ne!(one, content(&format!("{header}0,5\n3,6\n")));
        assert_ne!(one, content(&format!("{header}3,4\n0,5\n")));
    }
}
