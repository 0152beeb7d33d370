//! Lists of routes, as `tvlb paths --all --json --set` writes them: a line of JSON for each pair of
//! switches, with the VLB routes between them.
//!
//! Every route is held against the wiring. One pair is in memory at a time.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tvlb_base::text::cut;
use tvlb_schema::{Dragonfly, GlobalPort, SwitchId};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_topology::Topology;
use tvlb_topology::routes::enumerate::{VlbRoute, routes};
use tvlb_topology::routes::walk::Walk;

/// The longest line that is read: the routes of a pair on the largest fabrics take some megabytes.
const MOST_LINE_BYTES: u64 = 256 << 20;

/// Why a list of routes cannot be used. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum RouteListError {
    #[error("{path}: cannot read it: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: line {line}: {why}")]
    Line { path: PathBuf, line: usize, why: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    source: u16,
    destination: u16,
    vlb: Vec<Route>,
    #[serde(default, rename = "min")]
    _min: IgnoredAny,
    #[serde(default, rename = "names")]
    _names: IgnoredAny,
}

/// A route of a line. Of the keys that say what the switches say already, the ports are read where
/// several cables join the same switches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Route {
    switches: Vec<u16>,
    x: Option<u16>,
    y: Option<u16>,
    #[serde(default, rename = "detour")]
    _detour: IgnoredAny,
    #[serde(default, rename = "shape")]
    _shape: IgnoredAny,
    probability: Option<f64>,
}

/// The listed routes of one pair of switches of different groups.
pub(super) struct ListedPair {
    pub(super) line: usize,
    pub(super) source: SwitchId,
    pub(super) destination: SwitchId,
    /// All VLB routes between them, in the order of [`routes`].
    pub(super) routes: Vec<VlbRoute>,
    /// By route, the probability that the list gives it, or 0 where it gives none; `None` where it does
    /// not list the route.
    pub(super) listed: Vec<Option<f64>>,
    /// Walks that come back to a switch, with their probability, which only sets of switches have.
    pub(super) returning: BTreeMap<(Walk, GlobalPort, GlobalPort), f64>,
    /// Whether every route has a probability; otherwise none has.
    pub(super) has_probabilities: bool,
}

/// A list of routes that lies on the disk.
#[derive(Clone, Copy)]
pub(super) struct RouteList<'l> {
    pub(super) path: &'l Path,
    pub(super) topology: &'l Topology,
}

impl RouteList<'_> {
    /// Calls a function with each pair of switches of different groups, in the order of the lines, until
    /// it fails. Pairs within a group are passed over: their VLB paths do not depend on a set.
    pub(super) fn for_each<E: From<RouteListError>>(
        &self,
        mut each: impl FnMut(&ListedPair) -> Result<(), E>,
    ) -> Result<(), E> {
        let io_error = |source| RouteListError::Io { path: self.path.to_owned(), source };
        let (file, _) = input_file::open(self.path, Symlinks::Follow).map_err(io_error)?;
        let mut reader = BufReader::new(file);
        let mut seen = std::collections::BTreeSet::new();
        for number in 1.. {
            let text = next_line(&mut reader).map_err(io_error)?;
            let Some(text) = text else { break };
            if text.trim_ascii().is_empty() {
                continue;
            }
            let wrong = |why: String| self.wrong(number, why);
            let line: Line = serde_json::from_slice(&text)
                .map_err(|error| wrong(format!("not the routes of a pair of switches: {error}")))?;
            if !seen.insert((line.source, line.destination)) {
                let (from, to) = (line.source, line.destination);
                return Err(
                    wrong(format!("the pair {from} to {to} is listed a second time")).into()
                );
            }
            if let Some(pair) = self.pair(number, &line).map_err(wrong)? {
                each(&pair)?;
            }
        }
        Ok(())
    }

    pub(super) fn wrong(&self, line: usize, why: String) -> RouteListError {
        RouteListError::Line { path: self.path.to_owned(), line, why }
    }

    fn pair(&self, number: usize, line: &Line) -> Result<Option<ListedPair>, String> {
        let df = self.topology.dragonfly();
        let [source, destination] = [line.source, line.destination].map(SwitchId);
        for switch in [source, destination] {
            check_switch(df, switch)?;
        }
        if df.place(source).0 == df.place(destination).0 {
            return Ok(None);
        }
        let all: Vec<VlbRoute> = routes(self.topology, source, destination).collect();
        let mut by_walk: BTreeMap<Walk, Vec<usize>> = BTreeMap::new();
        for (position, route) in all.iter().enumerate() {
            by_walk.entry(route.walk).or_default().push(position);
        }
        let has_probabilities = line.vlb.iter().any(|route| route.probability.is_some());
        let mut listed = vec![None; all.len()];
        let mut returning = BTreeMap::new();
        for route in &line.vlb {
            let switches = || cut(&format!("{:?}", route.switches));
            let in_words = || format!("route {} of {source} to {destination}", switches());
            let probability = match route.probability {
                Some(found) if found > 0.0 && found <= 1.0 => found,
                Some(found) => {
                    return Err(format!(
                        "{}: its probability is {found}, accepted above 0 and at most 1",
                        in_words()
                    ));
                }
                None if has_probabilities => {
                    return Err(format!(
                        "{}: it has no probability, while another route has one; accepted is one for each, or none",
                        in_words()
                    ));
                }
                None => 0.0,
            };
            let walk = self.walk(source, destination, &route.switches);
            let walk = walk.map_err(|why| format!("{}: {why}", in_words()))?;
            let has_ports = |x: GlobalPort, y: GlobalPort| {
                route.x.is_none_or(|port| port == x.0) && route.y.is_none_or(|port| port == y.0)
            };
            if walk.revisits() {
                let [x, y] = [route.x, route.y].map(|port| GlobalPort(port.unwrap_or(0)));
                returning.insert((walk, x, y), probability);
                continue;
            }
            let positions = by_walk.get(&walk).map_or(&[][..], Vec::as_slice);
            let of_ports: Vec<usize> = positions
                .iter()
                .copied()
                .filter(|&position| has_ports(all[position].route.x, all[position].route.y))
                .collect();
            match of_ports.as_slice() {
                [] => {
                    let port =
                        |name, port: Option<u16>| port.map(|port| format!("{name} = {port}"));
                    let named = [port("x", route.x), port("y", route.y)];
                    let named = named.into_iter().flatten().collect::<Vec<_>>().join(" and ");
                    return Err(format!(
                        "{}: it has {named}, but no cables at these ports lead along it",
                        in_words()
                    ));
                }
                [position] if listed[*position].is_none() => listed[*position] = Some(probability),
                [_] => return Err(format!("{}: it is listed a second time", in_words())),
                [..] => {
                    return Err(format!(
                        "{}: several cables lead along it; x and y must say which",
                        in_words()
                    ));
                }
            }
        }
        let routes = all;
        Ok(Some(ListedPair {
            line: number,
            source,
            destination,
            routes,
            listed,
            returning,
            has_probabilities,
        }))
    }

    /// The walk over these switches, if packets can take it as a VLB path.
    fn walk(
        &self,
        source: SwitchId,
        destination: SwitchId,
        switches: &[u16],
    ) -> Result<Walk, String> {
        let df = self.topology.dragonfly();
        let ends = (switches.first(), switches.last());
        if ends != (Some(&source.0), Some(&destination.0)) {
            return Err(format!("its ends are not {source} and {destination}"));
        }
        if switches.len() > 7 {
            return Err(format!("it has {} hops, accepted at most 6", switches.len() - 1));
        }
        let (mut walk, mut groups) = (Walk::at(source), vec![df.place(source).0]);
        let mut local_hops = vec![0];
        for hop in switches.windows(2) {
            let [from, to] = [hop[0], hop[1]].map(SwitchId);
            check_switch(df, to)?;
            let ((group, one), (next, other)) = (df.place(from), df.place(to));
            let is_live = if group == next {
                self.topology.links_within(group, one, other) > 0 && one != other
            } else {
                let leads = |port| df.split_port(port).0;
                let links = self.topology.links(group, next).iter();
                links.clone().any(|link| leads(link.from) == one && leads(link.to) == other)
            };
            if !is_live {
                return Err(format!("there is no link from switch {from} to switch {to}"));
            }
            if group == next {
                *local_hops.last_mut().expect("there is one for each group") += 1;
            } else {
                groups.push(next);
                local_hops.push(0);
            }
            walk = walk.to(to);
        }
        let (from, to) = (df.place(source).0, df.place(destination).0);
        match groups.as_slice() {
            [_, middle, _] if *middle == from || *middle == to => {
                Err(format!("its intermediate group is {middle}, that of one of its ends"))
            }
            [_, _, _] => match local_hops.as_slice() {
                [0 | 1, 0..=2, 0 | 1] => Ok(walk),
                _ => Err(format!(
                    "it makes {local_hops:?} local hops in its three groups, accepted at most 1, 2 and 1"
                )),
            },
            _ => Err(format!("it visits {} groups, accepted 3", groups.len())),
        }
    }
}

fn check_switch(df: &Dragonfly, switch: SwitchId) -> Result<(), String> {
    if df.has_switch(switch) {
        return Ok(());
    }
    Err(format!("there is no switch {switch}; switches are 0 to {}", df.last_switch()))
}

/// The next line, without its end; `None` after the last.
fn next_line(reader: &mut BufReader<File>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut line)?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => {
            line.pop();
            Ok(Some(line))
        }
        // The last line need not end.
        Some(_) if (line.len() as u64) < MOST_LINE_BYTES => Ok(Some(line)),
        Some(_) => Err(io::Error::other(format!("a line has more than {MOST_LINE_BYTES} bytes"))),
    }
}
