//! Which switches are the spines of a Dragonfly+, if a person states it.

use super::links::SwitchGraph;
use super::network::Subnet;
use regex_lite::Regex;
use std::collections::HashMap;
use std::path::Path;
use tvlb_base::text::{Refused, quoted};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_table_set::names::list;

/// Enough for all switches of the largest fabric.
const MOST_BYTES: u64 = 16 << 20;

/// The source of the list of spines.
#[derive(Clone, Debug)]
pub enum Roots {
    /// A pattern that the descriptions of spines match, and those of leaves do not.
    Pattern(String),
    /// A list with a spine on each line.
    List {
        /// The list's name, for errors.
        file: String,
        text: String,
    },
}

impl Roots {
    /// The value of the option: the name of a file, if there is one, or a pattern.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn given(text: &str) -> Result<Self, Refused> {
        let path = Path::new(text);
        if !path.is_file() {
            return Ok(Self::Pattern(text.to_owned()));
        }
        let read = input_file::read_text(path, MOST_BYTES, Symlinks::Follow);
        let list = read.map_err(|error| Refused::unreadable(text, &error))?;
        Ok(Self::List { file: text.to_owned(), text: list })
    }

    /// Which switches are leaves: all that are not stated to be spines.
    pub(super) fn leaves(
        &self,
        network: &Subnet,
        joined: &SwitchGraph,
    ) -> Result<Vec<bool>, Refused> {
        let devices = || joined.switches.iter().map(|&number| &network.devices[number as usize]);
        let descriptions =
            devices().map(|device| device.record.as_ref().map_or("", |record| &record.description));
        match self {
            Self::Pattern(pattern) => {
                let regex = regex("--roots", pattern)?;
                let is_leaf: Vec<bool> =
                    descriptions.map(|description| !regex.is_match(description)).collect();
                if is_leaf.iter().all(|&leaf| leaf) {
                    let option = format!("--roots {}", quoted(pattern));
                    let found =
                        "found neither a file of this name nor a switch whose description matches";
                    let accepted = "a pattern that the descriptions of all spines match, or a file with a line for \
                                    each spine";
                    return Err(Refused::new(found, accepted).in_file(&option));
                }
                Ok(is_leaf)
            }
            Self::List { file, text } => {
                let mut named: HashMap<String, Vec<usize>> = HashMap::new();
                for (switch, (device, description)) in devices().zip(descriptions).enumerate() {
                    let guid = format!("0x{}", device.id.trim_start_matches("S-"));
                    for name in [description.to_owned(), device.id.clone(), guid] {
                        named.entry(name).or_default().push(switch);
                    }
                }
                let mut is_leaf = vec![true; joined.switches.len()];
                for (line, name) in list::lines(text) {
                    let name = list::unquoted(name).unwrap_or_else(|| name.to_owned());
                    let Some(switches) = named.get(&name) else {
                        let found = format!("no switch is called {}", quoted(&name));
                        let accepted = "the description, the id or the GUID of a switch, as in spine-01, \
                                        S-b8cef60300000300 or 0xb8cef60300000300";
                        return Err(
                            Refused::new(format!("line {line}: {found}"), accepted).in_file(file)
                        );
                    };
                    for &switch in switches {
                        is_leaf[switch] = false;
                    }
                }
                Ok(is_leaf)
            }
        }
    }
}

/// The regular expression that an option has.
pub(super) fn regex(option: &str, pattern: &str) -> Result<Regex, Refused> {
    Regex::new(pattern).map_err(|error| {
        // The first lines show the pattern again.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default();
        let found = reason.trim_start_matches("error: ").to_owned();
        let option = format!("{option} {}", quoted(pattern));
        Refused::new(found, "a regular expression").in_file(&option)
    })
}
