//! The traffic and the placements of a sweep file: by name, or listed in a file beside it.

use std::fmt::Display;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::input_file::{self, Symlinks};
use tvlb_generator::table_set::sha256;
use tvlb_simulator::{Pattern, PatternError, PlacementError, PlacementRule, Traffic};

/// Before the name of a file with pairs of nodes.
const PAIRS: &str = "pairs:";
/// Before the name of a file with the node of each process.
const LISTED: &str = "listed:";
/// The largest file that is read: a line for each of at most 2²⁴ nodes.
const MOST_BYTES: u64 = 512 << 20;

/// An entry of a list of the sweep file.
pub(super) struct Named<R> {
    /// What runs and tables call it: its name in full, or the text in the sweep file where that names a
    /// file.
    pub(super) name: String,
    /// What it stands for.
    pub(super) rule: R,
    /// The SHA-256 of the lines that count of the file, if there is one: a file that has changed makes
    /// other runs.
    pub(super) content: Option<String>,
}

impl Named<Pattern> {
    /// Reads an entry of the list `traffic`; the names of files begin at `beside`. Pairs must fit every
    /// fabric.
    pub(super) fn pattern(text: &str, beside: &Path, fabrics: &[&Fabric]) -> Result<Self, String> {
        let Some(file) = text.strip_prefix(PAIRS) else {
            let rule: Pattern =
                text.parse().map_err(|error: PatternError| format!("{error}, {PAIRS}FILE"))?;
            return Ok(Self { name: rule.to_string(), rule, content: None });
        };
        let path = beside.join(file);
        let content = read(&path)?;
        let rule = Pattern::from_pairs(&content).map_err(|error| in_file(&path, &error))?;
        for fabric in fabrics {
            Traffic::new(&rule, fabric.nodes(), 0)
                .map_err(|error| of_fabric(&path, &error, fabric))?;
        }
        Ok(Self { name: text.to_owned(), rule, content: Some(hash(&content)) })
    }
}

impl Named<PlacementRule> {
    /// Reads an entry of the list `placements`, as [`Named::pattern`] does.
    pub(super) fn placement(
        text: &str,
        beside: &Path,
        fabrics: &[&Fabric],
    ) -> Result<Self, String> {
        let Some(file) = text.strip_prefix(LISTED) else {
            let rule: PlacementRule =
                text.parse().map_err(|error: PlacementError| error.to_string())?;
            return Ok(Self { name: rule.to_string(), rule, content: None });
        };
        let path = beside.join(file);
        let content = read(&path)?;
        let rule = PlacementRule::from_list(&content).map_err(|error| in_file(&path, &error))?;
        for fabric in fabrics {
            rule.on(fabric.nodes(), 0).map_err(|error| of_fabric(&path, &error, fabric))?;
        }
        Ok(Self { name: text.to_owned(), rule, content: Some(hash(&content)) })
    }
}

fn read(path: &Path) -> Result<String, String> {
    input_file::read_text(path, MOST_BYTES, Symlinks::Follow)
        .map_err(|error| in_file(path, &format_args!("cannot read it: {error}")))
}

fn in_file(path: &Path, error: &dyn Display) -> String {
    format!("{}: {error}", path.display())
}

fn of_fabric(path: &Path, error: &dyn Display, fabric: &Fabric) -> String {
    in_file(path, &format_args!("{error} (of {})", fabric.file.name))
}

/// The hash of the lines that count: comments and empty lines change no run.
fn hash(content: &str) -> String {
    let lines = content.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    sha256(lines.collect::<Vec<_>>().join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_change_no_run_and_pairs_do() {
        let (one, other) = (hash("0,5\n3,4\n"), hash("# flows\n\n  0,5\r\n3,4"));
        assert_eq!(one, other);
        assert_ne!(one, hash("0,5\n3,6\n"));
        assert_ne!(one, hash("3,4\n0,5\n"));
    }
}
