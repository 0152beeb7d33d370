//! A fabric file that goes on from an earlier one: the network is another, and what people chose for it stays.

use super::{EscapeSettings, FabricFile};
use tvlb_schema::SwitchId;

impl FabricFile {
    /// The text of a file whose `[dragonfly]` is this one's, and all else an earlier file's, of which the escape
    /// network's root is this switch now. Both come with their texts. The earlier text stays as it was written,
    /// comments and units included, but where that would not say the same.
    pub fn carried_text(
        &self,
        text: &str,
        earlier: (&Self, &str),
        root: Option<SwitchId>,
    ) -> String {
        let (file, earlier_text) = earlier;
        let Self { dragonfly, kind_names, kind_groups, wiring, names, .. } = self.clone();
        let escape = file.escape.map(|escape| EscapeSettings { root, ..escape });
        let meant =
            Self { dragonfly, kind_names, kind_groups, wiring, names, escape, ..file.clone() };
        let roots = [file.escape.and_then(|escape| escape.root), root];
        let written = with_root(&with_network_of(earlier_text, text), roots);
        match Self::parse(&written, "") {
            Ok(said) if said == meant => written,
            _ => meant.to_string(),
        }
    }
}

/// A text with the tables below `[dragonfly]` of another one. Comments stay where they can.
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

/// A text in which the root of the escape network has its new number, if there is a root.
fn with_root(text: &str, roots: [Option<SwitchId>; 2]) -> String {
    let [Some(old), Some(new)] = roots.map(|root| root.map(|root| root.to_string())) else {
        return text.to_owned();
    };
    let is_root = |line: &str| line.trim_start().starts_with("escape-root");
    let renumbered = |line: &str| line.replacen(&old, if is_root(line) { &new } else { &old }, 1);
    text.split_inclusive('\n').map(renumbered).collect()
}

/// Each line with its end, whether it is of a table below `[dragonfly]`, and whether such a line came before it.
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
