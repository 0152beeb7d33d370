//! For the network `anynet` of `BookSim2`: its `network_file`, one line for each router.
//!
//! A line names a router, its nodes, and each router to which it has a channel, with the latency of the channel from
//! the line's router to the other. `BookSim2` accepts no comments, wants the numbers of routers and nodes without gaps
//! from 0, and keeps one channel from a router to another.

use super::error::ExportError;
use super::wiring::{Wiring, parts};
use std::fmt::Write;

const PROGRAM: &str = "BookSim2's anynet";

/// How many cycles a channel between two routers takes, one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelLatencies {
    /// Between two switches of a group.
    pub local: u16,
    /// Between two groups.
    pub global: u16,
}

/// The file for `anynet`. Routers and nodes are numbered without gaps, in the order of the live switches and nodes.
///
/// # Errors
/// Two switches that share several links, or two without any path.
pub fn anynet(wiring: &Wiring<'_>, latencies: ChannelLatencies) -> Result<String, ExportError> {
    let switches = wiring.switches();
    let links = wiring.single_links(PROGRAM)?.into_iter();
    let links = links.map(|pair| pair.map(|switch| wiring.place(switch)));
    if let Some(apart) = parts(switches.len(), links).into_iter().position(|part| part != 0) {
        let [one, other] = [0, apart].map(|place| wiring.names().named(switches[place]));
        return Err(ExportError::refused(
            PROGRAM,
            "needs a path between every two routers",
            format!("none joins switches {one} and {other}"),
            "a wiring in one part",
        ));
    }
    let (mut text, mut nodes) = (String::new(), 0..);
    for (router, &switch) in switches.iter().enumerate() {
        let _ = write!(text, "router {router}");
        for (_, node) in wiring.nodes_of(switch).zip(nodes.by_ref()) {
            let _ = write!(text, " node {node}");
        }
        for link in wiring.links_of(switch) {
            let latency = if link.is_global() { latencies.global } else { latencies.local };
            let _ = write!(text, " router {} {latency}", wiring.place(link.far.switch));
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
