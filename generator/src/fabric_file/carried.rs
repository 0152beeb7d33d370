//! A fabric file that continues an earlier one: the network is new, and the choices of people stay.

use super::FabricFile;

impl FabricFile {
    /// The text of a file with the `[dragonfly]` of this one, and everything else from an earlier file. Both come with
    /// their texts. The earlier text stays unchanged, comments and units included, unless it would then mean something
    /// else.
    pub fn carried_text(&self, text: &str, earlier: (&Self, &str)) -> String {
        let (file, earlier_text) = earlier;
        let Self { dragonfly, kind_names, kind_groups, wiring, names, .. } = self.clone();
        let meant = Self { dragonfly, kind_names, kind_groups, wiring, names, ..file.clone() };
        let written = with_network_of(earlier_text, text);
        match Self::parse(&written, "") {
            Ok(said) if said == meant => written,
            _ => meant.to_string(),
        }
    }
}

/// A text with the tables below `[dragonfly]` of another one. Comments are kept if possible.
fn with_network_of(earlier: &str, text: &str) -> String {
    let (mut before, mut after) = (String::new(), String::new());
    for (line, is_network, is_after) in lines(earlier) {
        if !is_network || line.trim_start().starts_with('#') {
            *(if is_after { &mut after } else { &mut before }) += line;
        }
    }
    let network = lines(text).filter(|(_, is_network, _)| *is_network).map(|(line, ..)| line);
    let network: String = network.collect();
    let gap = if after.is_empty() { "" } else { "\n" };
    format!("{before}{network}{gap}{after}")
}

/// Each line with its end, whether it belongs to a table below `[dragonfly]`, and whether such a line came before it.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool, bool)> {
    let (mut is_network, mut is_after) = (false, false);
    text.split_inclusive('\n').map(move |line| {
        if line.trim_start().starts_with('[') {
            is_network = line.trim_start().trim_start_matches('[').starts_with("dragonfly");
        }
        is_after |= is_network;
        (line, is_network, is_after)
    })
}
