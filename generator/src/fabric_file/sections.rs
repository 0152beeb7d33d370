//! What each key of the fabric file means: its range, its default, and how keys fit together.

use super::reader::{Document, Entry, Section};
use super::{DecisionSet, FabricFault, FabricFile, FabricFileError, Latencies, Sets, Wiring};
use crate::set_grammar::parse_set;
use crate::topology::arrangement::Arrangement;
use std::ops::RangeInclusive;
use tvlb_schema::{Dragonfly, DragonflyError, MinCandidate, PerDecision, VcScheme, limits};

type Fallible<T> = Result<T, FabricFileError>;

pub(super) const ROOT: [&str; 5] = ["name", "seed", "dragonfly", "links", "routing"];
pub(super) const DRAGONFLY: [&str; 6] = ["p", "a", "h", "g", "arrangement", "cables"];
pub(super) const LINKS: [&str; 2] = ["local-latency", "global-latency"];
pub(super) const ROUTING: [&str; 4] = ["threshold", "second-min", "virtual-channels", "set"];
pub(super) const DECISIONS: [&str; 3] = ["ugal-l", "par-source", "par-second"];

pub(super) const NAME: &str = "a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`";
const CABLES: &str = "the path of a cable list, a string that is not empty";
const SET_TEXT: &str = "a string in the grammar of sets, as in \"strategic-2-3 by shape\"";
const SET_OR_TABLE: &str = "\"auto\", a string in the grammar of sets, as in \
    \"strategic-2-3 by shape\", or a table of ugal-l, par-source, par-second";

const DEFAULT_SEED: u64 = 1;
pub(super) const DEFAULT_LATENCIES: Latencies = Latencies { local: 10, global: 15 };
/// What stands in the place of a set that is to be chosen.
const AUTO: &str = "auto";

/// The whole file.
pub(super) fn file(document: &Document<'_>) -> Fallible<FabricFile> {
    let tree = document.tree()?;
    let root = document.root(&tree, &ROOT)?;
    let name = name(&root)?;
    let seed = root.integer_or("seed", 0..=i64::MAX, DEFAULT_SEED)?;
    let section =
        root.required("dragonfly", "a table of p, a, h, g and the wiring")?.section(&DRAGONFLY)?;
    let dragonfly = dragonfly(&section)?;
    let wiring = wiring(&section)?;
    let latencies = match root.optional("links") {
        Some(links) => latencies(&links.section(&LINKS)?)?,
        None => DEFAULT_LATENCIES,
    };
    let routing = root.optional("routing").map(|routing| routing.section(&ROUTING)).transpose()?;
    Ok(FabricFile {
        name,
        seed,
        dragonfly,
        wiring,
        latencies,
        thresholds: routing.as_ref().map_or(Ok(None), thresholds)?,
        second_min: routing.as_ref().map_or(Ok(None), second_min)?,
        virtual_channels: match &routing {
            Some(routing) => virtual_channels(routing)?,
            None => VcScheme::default(),
        },
        sets: sets(routing.as_ref(), seed)?,
    })
}

fn name(root: &Section<'_, '_>) -> Fallible<String> {
    let entry = root.required("name", NAME)?;
    let name = entry.string(NAME)?;
    if is_name(name) { Ok(name.to_owned()) } else { Err(entry.refused(NAME)) }
}

/// Whether a text can name a fabric.
pub(super) fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=64).contains(&text.len()) && text.chars().all(is_plain)
}

fn dragonfly(section: &Section<'_, '_>) -> Fallible<Dragonfly> {
    let size = |key| section.integer::<u32>(key, size_range(key));
    let (p, a, h, g) = (size("p")?, size("a")?, size("h")?, size("g")?);
    Dragonfly::new(p, a, h, g).map_err(|error| {
        // Each size alone is in range, so g or a product is too large: blame its last factor.
        let key = match error {
            DragonflyError::Size { name, .. } => name.rsplit('·').next().unwrap_or(name),
            DragonflyError::TooManyGroups { .. } => "g",
        };
        section.fault_of(key, FabricFault::Dragonfly { key: section.path_of(key), error })
    })
}

/// The range of one size for itself.
fn size_range(key: &str) -> RangeInclusive<i64> {
    let (least, most) = match key {
        "p" => (1, limits::NODES_PER_SWITCH),
        "a" => (1, limits::SWITCHES_PER_GROUP),
        "h" => (1, limits::PORTS_PER_GROUP),
        // A port reaches one other group.
        _ => (2, limits::PORTS_PER_GROUP + 1),
    };
    least..=i64::from(most)
}

fn wiring(section: &Section<'_, '_>) -> Fallible<Wiring> {
    match (section.optional("arrangement"), section.optional("cables")) {
        (None, None) => Ok(Wiring::Arrangement(Arrangement::default())),
        (Some(entry), None) => arrangement(&entry),
        (None, Some(entry)) => {
            let path = entry.string(CABLES)?;
            if path.is_empty() {
                return Err(entry.refused(CABLES));
            }
            Ok(Wiring::Cables(path.into()))
        }
        (Some(one), Some(other)) => {
            let (first, second) =
                if one.key_at() < other.key_at() { (one, other) } else { (other, one) };
            Err(second.fault_of_key(FabricFault::TwoWirings {
                key: second.key().to_owned(),
                other: first.key().to_owned(),
            }))
        }
    }
}

fn arrangement(entry: &Entry<'_, '_>) -> Fallible<Wiring> {
    let accepted = format!("one of \"{}\"", Arrangement::ALL.map(Arrangement::name).join("\", \""));
    let name = entry.string(&accepted)?;
    name.parse().map(Wiring::Arrangement).map_err(|_| entry.refused(&accepted))
}

fn latencies(links: &Section<'_, '_>) -> Fallible<Latencies> {
    let cycles = |key, default| links.integer_or(key, 1..=10_000, default);
    Ok(Latencies {
        local: cycles("local-latency", DEFAULT_LATENCIES.local)?,
        global: cycles("global-latency", DEFAULT_LATENCIES.global)?,
    })
}

fn virtual_channels(routing: &Section<'_, '_>) -> Fallible<VcScheme> {
    let accepted = format!("one of \"{}\"", VcScheme::ALL.map(VcScheme::name).join("\", \""));
    let Some(entry) = routing.optional("virtual-channels") else {
        return Ok(VcScheme::default());
    };
    let name = entry.string(&accepted)?;
    let scheme = VcScheme::ALL.into_iter().find(|scheme| scheme.name() == name);
    scheme.ok_or_else(|| entry.refused(&accepted))
}

fn thresholds(routing: &Section<'_, '_>) -> Fallible<Option<PerDecision<i16>>> {
    let range = i64::from(i16::MIN)..=i64::from(i16::MAX);
    match routing.optional("threshold") {
        None => Ok(None),
        Some(entry) if entry.is_table() => {
            let section = entry.section(&DECISIONS)?;
            let of = |key| section.integer(key, range.clone());
            Ok(Some(PerDecision {
                ugal_l: of("ugal-l")?,
                par_source: of("par-source")?,
                par_second: of("par-second")?,
            }))
        }
        Some(entry) => entry.integer(range).map(PerDecision::same).map(Some),
    }
}

fn second_min(routing: &Section<'_, '_>) -> Fallible<Option<MinCandidate>> {
    let Some(entry) = routing.optional("second-min") else {
        return Ok(None);
    };
    let accepted =
        format!("one of \"{}\"", MinCandidate::ALL.map(MinCandidate::name).join("\", \""));
    let name = entry.string(&accepted)?;
    let candidate = MinCandidate::ALL.into_iter().find(|candidate| candidate.name() == name);
    candidate.map(Some).ok_or_else(|| entry.refused(&accepted))
}

fn sets(routing: Option<&Section<'_, '_>>, seed: u64) -> Fallible<Sets> {
    match routing.and_then(|routing| routing.optional("set")) {
        None => Ok(Sets::Auto),
        Some(entry) if entry.is_table() => {
            let section = entry.section(&DECISIONS)?;
            let of = |key| set(&section.required(key, SET_TEXT)?, SET_TEXT, seed);
            Ok(Sets::given(PerDecision {
                ugal_l: of("ugal-l")?,
                par_source: of("par-source")?,
                par_second: of("par-second")?,
            }))
        }
        Some(entry) if entry.string(SET_OR_TABLE)? == AUTO => Ok(Sets::Auto),
        Some(entry) => set(&entry, SET_OR_TABLE, seed).map(Sets::same),
    }
}

fn set(entry: &Entry<'_, '_>, accepted: &str, seed: u64) -> Fallible<DecisionSet> {
    let text = entry.string(accepted)?;
    match parse_set(text, seed) {
        Ok(rule) => Ok(DecisionSet { text: text.to_owned(), rule }),
        Err(error) => Err(entry.fault_within(
            error.at().start,
            FabricFault::Set { key: entry.key().to_owned(), marked: error.marked(text), error },
        )),
    }
}
