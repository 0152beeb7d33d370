//! The numbers of an earlier import, by the names of their parts.
//!
//! A machine is imported again when it has changed. Parts that are still there keep their numbers, so that tables,
//! lists and people continue to mean the same by them; new parts get unused numbers.

use crate::notes::{NameSample, counted};
use crate::summary::{NumbersSummary, PART_WORDS, PartCounts};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use tvlb_schema::{Dragonfly, GroupId, SwitchIndex};
use tvlb_table_set::names::{NamedPort, Names};

/// What has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NumberedPart {
    Group,
    Switch,
    Node,
    GlobalPort,
}

impl NumberedPart {
    const ALL: [Self; 4] = [Self::Group, Self::Switch, Self::Node, Self::GlobalPort];

    fn counted(self, count: usize) -> String {
        let [one, several] = PART_WORDS[self as usize];
        counted(count, one, several)
    }
}

/// The place of a part: a group's number, a switch's index in it, a node's or global port's number on that. Fields that
/// do not apply are 0.
pub(crate) type Place = [u32; 3];

/// The places of parts, by their names. Nodes may share a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct EarlierPlaces(BTreeMap<(NumberedPart, String), Vec<Place>>);

impl EarlierPlaces {
    /// Adds a part after those of the same name.
    pub(crate) fn push(&mut self, part: NumberedPart, name: &str, place: Place) {
        self.0.entry((part, name.to_owned())).or_default().push(place);
    }

    /// The names of the parts of a sort, in order.
    fn names(&self, part: NumberedPart) -> impl Iterator<Item = &String> {
        self.0.keys().filter(move |(of, _)| *of == part).map(|(_, name)| name)
    }

    /// The places of the parts of this name.
    pub(crate) fn of(&self, part: NumberedPart, name: &str) -> &[Place] {
        self.0.get(&(part, name.to_owned())).map_or(&[], Vec::as_slice)
    }
}

/// The beginnings of names of kinds that no person gave: those of absent groups, of others, and of a fabric file
/// without names.
const GIVEN_NAMES: [&str; 3] = ["absent", "groups-of-", "kind-"];

/// The names and numbers of an earlier import's parts; empty by default.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    pub(crate) places: EarlierPlaces,
    /// The numbers of groups by their names, those of groups included that were absent then.
    pub(crate) groups: BTreeMap<String, u32>,
    /// The name of the switch of a group and index.
    pub(crate) switches: BTreeMap<(u32, u32), String>,
    /// p, a and h: the most nodes of a switch, switches of a group, and global ports of a switch.
    pub(crate) sizes: [u32; 3],
    /// The names that people gave the kinds of groups, by group.
    kinds: Vec<Option<String>>,
}

impl Earlier {
    /// That of a fabric and its list of names.
    pub fn of(df: &Dragonfly, names: &Names) -> Self {
        let (mut places, mut groups) = (EarlierPlaces::default(), BTreeMap::new());
        let mut switches = BTreeMap::new();
        for group in df.group_numbers() {
            let number = u32::from(group.0);
            if let Some(name) = names.group(group) {
                groups.insert(name.to_owned(), number);
                if df.switches_of(group) > 0 {
                    places.push(NumberedPart::Group, name, [number, 0, 0]);
                }
            }
            for index in df.indices(group) {
                if let Some(name) = names.switch(df.switch(group, index)) {
                    places.push(NumberedPart::Switch, name, [number, index.0.into(), 0]);
                    switches.insert((number, index.0.into()), name.to_owned());
                }
            }
        }
        for (switch, port, named) in names.ports() {
            let (GroupId(group), SwitchIndex(index)) = df.place(switch);
            let (part, number) = match port {
                NamedPort::Node(terminal) => (NumberedPart::Node, terminal.into()),
                NamedPort::Global(slot) => (NumberedPart::GlobalPort, slot.into()),
                NamedPort::Local(..) => continue,
            };
            places.push(part, &named.name, [group.into(), index.into(), number]);
        }
        Self { places, groups, switches, sizes: [df.p(), df.a(), df.h()], kinds: Vec::new() }
    }

    /// The same, whose groups were of kinds of these names. Those that an import gives say sizes, which change.
    #[must_use]
    pub fn with_kinds<'n>(mut self, kinds: impl Iterator<Item = &'n str>) -> Self {
        let is_given = |name: &&str| !GIVEN_NAMES.iter().any(|given| name.starts_with(given));
        self.kinds = kinds.map(|name| Some(name).filter(is_given).map(str::to_owned)).collect();
        self
    }

    /// The name that people gave the kind of a group.
    pub(crate) fn kind(&self, group: u32) -> Option<&str> {
        self.kinds.get(group as usize)?.as_deref()
    }

    /// The same, with switches that had at least this many global ports. Without global ports of its own, that is room
    /// for future cables.
    #[must_use]
    pub fn with_global_ports(mut self, least: u32) -> Self {
        self.sizes[2] = self.sizes[2].max(least);
        self
    }

    /// Whether there was no earlier import.
    pub(crate) fn is_none(&self) -> bool {
        self.groups.is_empty()
    }
}

/// What happened to the parts of one sort.
#[derive(Debug, Default)]
struct Fate {
    /// How many have the numbers that they had.
    kept: usize,
    /// Those that are new.
    added: NameSample,
    /// Those that are not there any more.
    gone: NameSample,
    /// Those that have other numbers, with both.
    moved: NameSample,
}

impl Fate {
    fn of(part: NumberedPart, old: &EarlierPlaces, new: &EarlierPlaces) -> Self {
        let mut fate = Self::default();
        let names: BTreeSet<&String> =
            [old, new].into_iter().flat_map(|all| all.names(part)).collect();
        for name in names {
            let (mut before, mut after) =
                (old.of(part, name).to_vec(), new.of(part, name).to_vec());
            after.retain(|place| {
                let same = before.iter().position(|known| known == place);
                same.map(|known| before.remove(known)).is_none()
            });
            fate.kept += new.of(part, name).len() - after.len();
            for pair in before.iter().zip(&after) {
                let [from, to] = [pair.0, pair.1].map(|place| PlaceWords(part, *place));
                fate.moved.push(|| format!("{name}, which was {from} and is {to}"));
            }
            before.iter().skip(after.len()).for_each(|_| fate.gone.push(|| name.clone()));
            after.iter().skip(before.len()).for_each(|_| fate.added.push(|| name.clone()));
        }
        fate
    }
}

/// What happened to the parts of an earlier import.
#[derive(Debug)]
pub(crate) struct NumberChanges([Fate; NumberedPart::ALL.len()]);

impl NumberChanges {
    /// Compares an earlier import with the present one.
    pub(crate) fn of(earlier: &Earlier, now: &EarlierPlaces) -> Self {
        Self(NumberedPart::ALL.map(|part| Fate::of(part, &earlier.places, now)))
    }

    /// In numbers.
    pub(crate) fn summary(&self) -> NumbersSummary {
        let counts = |count: &dyn Fn(&Fate) -> usize| {
            let [groups, switches, nodes, global_ports] = self.0.each_ref().map(count);
            PartCounts { groups, switches, nodes, global_ports }
        };
        NumbersSummary {
            kept: counts(&|fate| fate.kept),
            added: counts(&|fate| fate.added.count()),
            gone: counts(&|fate| fate.gone.count()),
            moved: counts(&|fate| fate.moved.count()),
        }
    }

    /// A sentence for each sort of part and change, with names.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = String> {
        NumberedPart::ALL.into_iter().zip(&self.0).flat_map(|(part, fate)| {
            let Fate { kept, added, gone, moved } = fate;
            let kept = (*kept > 0).then(|| {
                let keep = if *kept == 1 { "keeps its number" } else { "keep their numbers" };
                format!("{} {keep}.", part.counted(*kept))
            });
            let named = [
                (added, "is new", "are new"),
                (gone, "is gone", "are gone"),
                (moved, "has another number", "have other numbers"),
            ];
            let named = named.into_iter().filter(|(list, ..)| list.count() > 0);
            kept.into_iter().chain(named.map(move |(list, one, several)| {
                let verb = if list.count() == 1 { one } else { several };
                format!("{} {verb}: {}.", part.counted(list.count()), list.in_words())
            }))
        })
    }
}

/// A place in words.
struct PlaceWords(NumberedPart, Place);

impl Display for PlaceWords {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(part, [group, index, number]) = self;
        match part {
            NumberedPart::Group => write!(f, "group {group}"),
            NumberedPart::Switch => write!(f, "({group},{index})"),
            NumberedPart::Node => write!(f, "node {number} of ({group},{index})"),
            NumberedPart::GlobalPort => write!(f, "global port {number} of ({group},{index})"),
        }
    }
}
