//! Lines that name several parts at once: a group, a cabinet, a chassis, or all names that match a pattern.

use super::{FaultsError, LinkPlan, ListedPart, PartReader, quoted as shown};
use crate::miscabled::cabinet_and_chassis;
use crate::names::{NamedPort, Names, PartError, Parts, Pattern};
use tvlb_base::text::{nearest, quoted};
use tvlb_schema::SwitchId;

/// The switches that a text names, as in a line of such a list, at least one; `line` is for errors.
///
/// # Errors
/// It names none, or links.
pub fn switches_of_line(
    text: &str,
    line: usize,
    plan: &dyn LinkPlan,
    (names, parts): (&Names, &Parts<'_>),
) -> Result<Vec<SwitchId>, FaultsError> {
    let reader = PartReader { line, plan, names, parts };
    let kind = text.split_whitespace().next().unwrap_or_default();
    if !["switch", "group", "cabinet", "chassis"].contains(&kind) || kind == text.trim() {
        return Err(FaultsError::NoSwitches { line, found: shown(text) });
    }
    let found = reader.several(text)?.map_or_else(|| reader.parts(text), Ok)?;
    let switch = |part| if let ListedPart::Switch(switch) = part { Some(switch) } else { None };
    Ok(found.into_iter().filter_map(switch).collect())
}

impl PartReader<'_> {
    /// The parts that such a line names, at least one; `None` for a line that names a single part.
    pub(super) fn several(&self, text: &str) -> Result<Option<Vec<ListedPart>>, FaultsError> {
        let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let switches: Vec<SwitchId> = match (kind, Pattern::of(rest)) {
            (_, _) if rest.is_empty() => return Ok(None),
            ("group", _) => {
                let df = self.plan.dragonfly();
                let group = self.parts.group(rest).map_err(|error| self.wrong(error))?;
                df.switches().filter(|&switch| df.place(switch).0 == group).collect()
            }
            ("cabinet", _) => self.housed("cabinet", rest, 0)?,
            ("chassis", _) => self.housed("chassis", rest, 1)?,
            ("switch", Some(pattern)) if self.parts.switch(rest).is_err() => {
                self.parts.switches_like(&pattern).collect()
            }
            ("cable", Some(pattern)) if !matches!(self.parts.port(rest), Ok(Some(_))) => {
                let ports = self.parts.ports_like(&pattern);
                let of_links = ports.filter(|(_, (_, port))| !matches!(port, NamedPort::Node(_)));
                let links = of_links.map(|(name, port)| self.named_link(name, port));
                return self.found(kind, rest, links.collect::<Result<_, _>>()?).map(Some);
            }
            _ => return Ok(None),
        };
        let parts = switches.into_iter().map(ListedPart::Switch).collect();
        self.found(kind, rest, parts).map(Some)
    }

    /// The switches of a cabinet (`part` 0) or of a chassis (1), recognised by their names.
    fn housed(
        &self,
        kind: &'static str,
        text: &str,
        part: usize,
    ) -> Result<Vec<SwitchId>, FaultsError> {
        let df = self.plan.dragonfly();
        let names = df.switches().filter_map(|switch| Some((switch, self.names.switch(switch)?)));
        let places =
            names.filter_map(|(switch, name)| Some((switch, cabinet_and_chassis(name)?[part])));
        let places: Vec<(SwitchId, &str)> = places.collect();
        let there = places.iter().filter(|(_, place)| *place == text);
        let there: Vec<SwitchId> = there.map(|&(switch, _)| switch).collect();
        if there.is_empty() {
            let near = nearest(text, places.iter().map(|&(_, place)| place));
            return Err(self.wrong(PartError::Unknown {
                found: quoted(text),
                what: kind,
                accepted: "that of a switch with a name such as x1000c0r3, which is in cabinet x1000 and in \
                           chassis x1000c0",
                hint: near.map_or_else(String::new, |near| format!(" (did you mean {near}?)")),
            }));
        }
        Ok(there)
    }

    /// The parts of a line, of which there must be some.
    fn found(
        &self,
        kind: &str,
        rest: &str,
        parts: Vec<ListedPart>,
    ) -> Result<Vec<ListedPart>, FaultsError> {
        if !parts.is_empty() {
            return Ok(parts);
        }
        let what = if kind == "group" {
            format!("group {rest} has no switches")
        } else {
            format!("no {kind} has a name like {}", quoted(rest))
        };
        Err(FaultsError::NoLink { line: self.line, what })
    }
}
