//! The cables of a machine with their lengths: what to order, and which jacks each joins.
//!
//! The length of a cable is the distance from place to place along the two directions of the floor, plus a slack. Links
//! between the same two switches whose jacks belong together are one cable: a jack of a Slingshot switch has two ports,
//! and a cable may have two jacks at an end.

pub mod places;

use crate::export::{LinkEnd, WiredLink, Wiring, parts};
use places::Places;
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_base::number::without_noise;
use tvlb_schema::{LinkKind, SwitchId};
use tvlb_table_set::names::{NamedPort, NamedSwitch, jack_of};

/// A cable between two switches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cable {
    /// `local` or `global`.
    pub kind: &'static str,
    /// The end at the place that comes first in the list of places, and the other one.
    pub ends: [CableEnd; 2],
    /// How many links it has.
    pub links: usize,
    /// The distance plus the slack, in metres.
    pub needed: f64,
    /// The length to buy, in metres.
    pub length: f64,
}

/// Where a cable ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CableEnd {
    /// Its name in the list of places.
    pub place: String,
    #[serde(flatten)]
    pub switch: NamedSwitch,
    /// The jacks by name, or the ports by number if they have no names.
    pub jacks: Vec<String>,
}

/// The places of two ends, and their switches.
type Sides = ([usize; 2], [SwitchId; 2]);

/// A cable that is longer than any on sale.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the cable from switch {from} to switch {to} must be {needed} m long, and all lengths to buy are shorter; accepted: a length of {needed} m or more"
)]
pub struct TooLong {
    from: NamedSwitch,
    to: NamedSwitch,
    needed: f64,
}

/// The cables between switches, those of the same two places together, in the order of the places, and then by switch
/// and port. A cable is `slack` metres longer than the distance between its places, and is bought in the shortest
/// sufficient length of `stock`, or, without a stock, in the next whole number of metres.
///
/// # Errors
/// A cable that is longer than any on sale.
pub fn cables(
    wiring: &Wiring<'_>,
    places: &Places,
    slack: f64,
    stock: &[f64],
) -> Result<Vec<Cable>, TooLong> {
    let mut by_switches: BTreeMap<Sides, Vec<[LinkEnd; 2]>> = BTreeMap::new();
    for WiredLink { near, far } in wiring.links() {
        let mut ends = [near, far];
        ends.sort_by_key(|end| (places.of(end.switch), end.switch));
        let key = (ends.map(|end| places.of(end.switch)), ends.map(|end| end.switch));
        by_switches.entry(key).or_default().push(ends);
    }
    let mut cables = Vec::new();
    for ((at, switches), links) in by_switches {
        let needed = without_noise(places.distance(at) + slack);
        let switches = switches.map(|switch| wiring.names().named(switch));
        let enough = stock.iter().copied().filter(|&length| length >= needed);
        let next = Some(needed.ceil()).filter(|_| stock.is_empty());
        let Some(length) = enough.min_by(f64::total_cmp).or(next) else {
            let [from, to] = switches;
            return Err(TooLong { from, to, needed });
        };
        let is_global = matches!(links[0][0].port, NamedPort::Global(_));
        let kind = if is_global { LinkKind::Global } else { LinkKind::Local }.name();
        for (mut jacks, links) in hanging_together(wiring, &links) {
            let ends = [0, 1].map(|side| CableEnd {
                place: places.name(at[side]).to_owned(),
                switch: switches[side].clone(),
                jacks: std::mem::take(&mut jacks[side]),
            });
            cables.push(Cable { kind, ends, links, needed, length });
        }
    }
    Ok(cables)
}

/// Groups the links between the same two switches by cable: the jacks at its ends, and how many links.
fn hanging_together(wiring: &Wiring<'_>, links: &[[LinkEnd; 2]]) -> Vec<([Vec<String>; 2], usize)> {
    let jack = |end: LinkEnd| match wiring.names().port(end.switch, end.port) {
        Some(port) => jack_of(&port.name).unwrap_or(&port.name).to_owned(),
        None => end.port.to_string(),
    };
    let mut jacks: Vec<(usize, String)> = Vec::new();
    let mut number = |jack: (usize, String)| {
        jacks.iter().position(|known| *known == jack).unwrap_or_else(|| {
            jacks.push(jack);
            jacks.len() - 1
        })
    };
    let links: Vec<[usize; 2]> =
        links.iter().map(|ends| [0, 1].map(|side| number((side, jack(ends[side]))))).collect();
    let parts = parts(jacks.len(), links.iter().copied());
    let mut cables: BTreeMap<usize, ([Vec<String>; 2], usize)> = BTreeMap::new();
    for ((side, jack), &part) in jacks.into_iter().zip(&parts) {
        cables.entry(part).or_default().0[side].push(jack);
    }
    for [one, _] in links {
        cables.entry(parts[one]).or_default().1 += 1;
    }
    cables.into_values().collect()
}

#[cfg(test)]
mod tests;
