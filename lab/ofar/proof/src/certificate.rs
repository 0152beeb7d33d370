//! What was proved, in words and as data.

use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// The proved properties of packets that decide at every hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EscapeCertificate {
    /// "ring" or "tree".
    pub network: String,
    pub switches: u32,
    /// Destinations that were checked.
    pub destinations: u64,
    /// Switches that have nodes, and so can be destinations.
    pub possible_destinations: u64,
    /// Questions that were asked.
    pub asked: u64,
    /// The most hops of a canonical path, and those between groups of any.
    pub longest: [u8; 2],
    /// The number of entries after which a packet stays on the escape network; 0 if it never has to.
    pub most_entries: u8,
    /// The virtual channels of local and of global links, with the one of the escape network.
    pub channels_needed: [u8; 2],
}

impl Display for EscapeCertificate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let line = |f: &mut Formatter<'_>, what: &str, text: &dyn Display| {
            writeln!(f, "{what:<13} {text}")
        };
        let EscapeCertificate {
            network,
            switches,
            destinations,
            possible_destinations,
            longest,
            ..
        } = self;
        let entered = if network == "ring" {
            "entered with room for two packets and passed along with room for one"
        } else {
            "in which no channel waits for itself"
        };
        let text = format_args!("escape {network} of {switches} switches, {entered}");
        line(f, "per hop", &text)?;
        let towards = if destinations == possible_destinations {
            "every destination".to_owned()
        } else {
            format!("{destinations} destinations, a sample")
        };
        let text = format_args!(
            "every switch, towards {towards} and in every state of a packet, asks for it where nothing else has room, \
             so no deadlock can form"
        );
        line(f, "", &text)?;
        let [hops, global] = longest;
        let entries = match self.most_entries {
            0 => "any number of entries, so that nothing bounds a path".to_owned(),
            most => format!("at most {most} entries"),
        };
        let text = format_args!(
            "canonical paths of at most {hops} hops, {global} between groups; {entries}"
        );
        line(f, "", &text)?;
        let [local, global] = self.channels_needed;
        line(
            f,
            "channels",
            &format_args!(
                "{local} on local links and {global} on global ones, with that of the escape network"
            ),
        )
    }
}
