//! The meaning of each key of the fabric file: its range, its default, and how keys fit together.

use super::reader::{Document, Entry, Section};
use super::units;
use super::{DestinationWindow, FabricFault, FabricFile, FabricFileError, Latencies, Wiring};
use crate::policy::OpenPolicies;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tvlb_base::parameter::Parameters;
use tvlb_schema::{
    Bandwidth, Bandwidths, Dragonfly, DragonflyError, GroupKind, LinkKind, PerDecision, SetRule,
    VcScheme, limits,
};
use tvlb_simulator::{MOST_BUFFER, MOST_LATENCY};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::{Injection, OpenWeighing};
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::dragonfly_plus;

type Fallible<T> = Result<T, FabricFileError>;

pub(super) const ROOT: [&str; 5] = ["name", "seed", "dragonfly", "links", "routing"];
pub(super) const DRAGONFLY: [&str; 11] =
    ["p", "a", "h", "g", LEAVES, SPINES, LOCAL_LINKS, "kinds", "arrangement", "cables", "names"];
/// How many switches of a group of a Dragonfly+ have nodes.
pub(super) const LEAVES: &str = "leaves";
/// How many switches of a group of a Dragonfly+ have global links.
pub(super) const SPINES: &str = "spines";
pub(super) const KIND: [&str; 6] = ["name", "p", "a", "h", "g", LOCAL_LINKS];
/// How many links join any two switches of a group.
pub(super) const LOCAL_LINKS: &str = "local-links";
pub(super) const LINKS: [&str; 10] = [
    "local-latency",
    "global-latency",
    "cycle",
    "node-bandwidth",
    "local-bandwidth",
    "global-bandwidth",
    "buffer",
    DESTINATION_WINDOW,
    INJECTION,
    TELLING,
];
/// When the windows of sources close.
pub(super) const DESTINATION_WINDOW: &str = "destination-window";
/// Which virtual channel nodes send to.
pub(super) const INJECTION: &str = "injection";
/// The period with which the switches of a group tell each other about their global ports.
pub(super) const TELLING: &str = "telling";
/// The value for no windows.
pub(super) const NO_WINDOW: &str = "none";
pub(super) const DECISIONS: [&str; 3] = ["ugal-l", "par-source", "par-second"];

pub(super) const NAME: &str = "a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`";
const CABLES: &str = "the path of a cable list, a string that is not empty";
const KINDS: &str =
    "an array of tables of name, p, a, h, g and local-links, one for each kind of groups";
const KIND_NAME: &str = "a name of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-` that no \
    other kind has";
const CABLES_OF_KINDS: &str =
    "the path of a cable list, for no arrangement has several kinds of groups";
const NAMES: &str = "the path of a list of names, a string that is not empty";
const SET_TEXT: &str = "a string in the grammar of sets, as in \"strategic-2-3 by shape\"";
const SET_OR_TABLE: &str = "\"auto\", a string in the grammar of sets, as in \
    \"strategic-2-3 by shape\", or a table of ugal-l, par-source, par-second";

const BANDWIDTH: &str =
    "a number above 0 and at most 100000 with at most three decimals, as in 0.5";

const WINDOW: &str = "\"none\" where packets are not acknowledged, or a delay in cycles, 0 to 8191, and packets, 1 to \
    65535, as in \"150/32\"";

const DEFAULT_SEED: u64 = 1;
pub(super) const DEFAULT_LATENCIES: Latencies = Latencies { local: 10, global: 15 };
/// The value for a set that is to be chosen.
pub(super) const AUTO: &str = "auto";

/// The keys of `[routing]`: the words of a policy, and those that do not belong to one decision.
pub(super) fn routing_keys() -> Vec<&'static str> {
    let words = OpenWeighing::ALL.iter().map(|word| word.name);
    words.chain(["virtual-channels", "set"]).collect()
}

pub(super) fn file(document: &Document<'_>) -> Fallible<FabricFile> {
    let tree = document.tree()?;
    let root = document.root(&tree, &ROOT)?;
    let name = name(&root)?;
    let seed = root.integer_or("seed", 0..=i64::MAX, DEFAULT_SEED)?;
    let section =
        root.required("dragonfly", "a table of p, a, h, g and the wiring")?.section(&DRAGONFLY)?;
    let kinds_entry = section.optional("kinds");
    let wiring = wiring(&section, kinds_entry.is_some())?;
    let (dragonfly, kinds) = match kinds_entry {
        None => (dragonfly(&section, &wiring)?, Vec::new()),
        Some(entry) => kinds(&section, &entry)?,
    };
    let names = section.optional("names").map(|entry| path(&entry, NAMES)).transpose()?;
    let (kind_names, kind_groups) = kinds.into_iter().unzip();
    let links = root.optional("links").map(|links| links.section(&LINKS)).transpose()?;
    let links = links.as_ref();
    let routing =
        root.optional("routing").map(|routing| routing.section(&routing_keys())).transpose()?;
    Ok(FabricFile {
        name,
        seed,
        dragonfly,
        kind_names,
        kind_groups,
        wiring,
        names,
        latencies: links.map_or(Ok(DEFAULT_LATENCIES), latencies)?,
        bandwidths: links.map_or(Ok(Bandwidths::ALIKE), bandwidths)?,
        buffer_flits: links.map_or(Ok(None), buffer)?,
        destination_window: links.map_or(Ok(DestinationWindow::Usual), window)?,
        injection: links.map_or(Ok(Injection::Zero), injection)?,
        telling_cycles: links.map_or(Ok(None), telling)?,
        virtual_channels: routing.as_ref().map_or(Ok(None), virtual_channels)?,
        policies: match &routing {
            Some(routing) => {
                OpenPolicies { sets: sets(routing, seed)?, weighing: weighing(routing)? }
            }
            None => OpenPolicies::default(),
        },
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

fn dragonfly(section: &Section<'_, '_>, wiring: &Wiring) -> Fallible<Dragonfly> {
    let size = |key| section.integer::<u32>(key, size_range(key));
    let (p, a) = (size("p")?, switches(section, wiring)?);
    let (h, g) = (size("h")?, size("g")?);
    let df = Dragonfly::new(p, a, h, g).map_err(|error| {
        // Each size alone is in range, so g or a product is too large: blame its last factor.
        let key = match error {
            DragonflyError::Size { name, .. } => name.rsplit('·').next().unwrap_or(name),
            _ => "g",
        };
        section.fault_of(key, FabricFault::Dragonfly { key: section.path_of(key), error })
    })?;
    if let Wiring::Arrangement(Arrangement::DragonflyPlus { leaves }) = *wiring
        && dragonfly_plus::spines(&df, leaves).is_none()
    {
        let groups = (a - u32::from(leaves)) * h + 1;
        let accepted =
            format!("2 to {groups} (spines·h + 1, because only spines have global ports)");
        return Err(section.required("g", "")?.refused(&accepted));
    }
    let links = local_links(section, a)?;
    let kinds: Vec<GroupKind> = df.kinds().map(|kind| kind.with_local_links(links)).collect();
    Ok(Dragonfly::of_kinds(&kinds).expect("sizes that a Dragonfly has, and links in their range"))
}

/// How many links join any two of a group's a switches: 1 by default.
fn local_links(section: &Section<'_, '_>, a: u32) -> Fallible<u16> {
    let most = if a <= 1 { 1 } else { limits::LOCAL_LINKS };
    section.integer_or(LOCAL_LINKS, 1..=i64::from(most), 1)
}

/// The sizes if groups are of several kinds, with the name of each kind and how many groups it has.
fn kinds(
    section: &Section<'_, '_>,
    entry: &Entry<'_, '_>,
) -> Fallible<(Dragonfly, Vec<(String, u16)>)> {
    for key in ["p", "a", "h", "g", LEAVES, SPINES, LOCAL_LINKS] {
        if let Some(size) = section.optional(key) {
            let (key, other) = (size.key().to_owned(), entry.key().to_owned());
            return Err(size.fault_of_key(FabricFault::SizeBesideKinds { key, other }));
        }
    }
    let (mut kinds, mut names) = (Vec::new(), Vec::new());
    for section in entry.sections(&KIND, KINDS)? {
        let size = |key| {
            let (_, most) = size_range(key).into_inner();
            // A group may have no nodes, an absent one has no switches either, and a kind may be a single group.
            section.integer::<u16>(key, i64::from(key == "g")..=most)
        };
        let (p, a, h, g) = (size("p")?, size("a")?, size("h")?, size("g")?);
        let links = local_links(&section, u32::from(a))?;
        kinds.push(GroupKind::new(p, a, h, g).with_local_links(links));
        if let Some(entry) = section.optional("name") {
            let name = entry.string(KIND_NAME)?;
            if !is_name(name) || names.iter().any(|(known, _)| known == name) {
                return Err(entry.refused(KIND_NAME));
            }
            names.push((name.to_owned(), g));
        } else {
            names.push((format!("kind-{}", names.len() + 1), g));
        }
    }
    let dragonfly = Dragonfly::of_kinds(&kinds).map_err(|error| {
        let key = entry.key().to_owned();
        entry.fault_of_key(FabricFault::Kinds { key, error })
    })?;
    Ok((dragonfly, names))
}

/// The switches of a group: a number of its own, or leaves and spines.
fn switches(section: &Section<'_, '_>, wiring: &Wiring) -> Fallible<u32> {
    let Wiring::Arrangement(Arrangement::DragonflyPlus { leaves }) = *wiring else {
        let (wiring, accepted) =
            ("the arrangement is not dragonfly-plus", "is a, the number of switches of a group");
        refuse_sizes(section, &[LEAVES, SPINES], wiring, accepted)?;
        return section.integer("a", size_range("a"));
    };
    let (wiring, accepted) = (
        "the arrangement is dragonfly-plus",
        "are leaves and spines, which together are the switches of a group",
    );
    refuse_sizes(section, &["a"], wiring, accepted)?;
    let most = limits::SWITCHES_PER_GROUP - u32::from(leaves);
    Ok(u32::from(leaves) + section.integer::<u32>(SPINES, 1..=most.into())?)
}

/// Refuses sizes that belong to another arrangement.
fn refuse_sizes(
    section: &Section<'_, '_>,
    keys: &[&str],
    wiring: &'static str,
    accepted: &'static str,
) -> Fallible<()> {
    match keys.iter().find_map(|key| section.optional(key)) {
        None => Ok(()),
        Some(size) => {
            let key = size.key().to_owned();
            Err(size.fault_of_key(FabricFault::SizeOfOther { key, wiring, accepted }))
        }
    }
}

/// The range of one size on its own.
fn size_range(key: &str) -> RangeInclusive<i64> {
    let (least, most) = match key {
        "p" => (1, limits::NODES_PER_SWITCH),
        "a" => (1, limits::SWITCHES_PER_GROUP),
        "h" => (1, limits::PORTS_PER_GROUP),
        // Each port reaches one other group.
        _ => (2, limits::PORTS_PER_GROUP + 1),
    };
    least..=i64::from(most)
}

fn wiring(section: &Section<'_, '_>, has_kinds: bool) -> Fallible<Wiring> {
    match (section.optional("arrangement"), section.optional("cables")) {
        (arrangement, None) if has_kinds => {
            match arrangement {
                Some(entry) => Err(entry
                    .fault_of_key(FabricFault::ArrangementOfKinds { key: entry.key().to_owned() })),
                None => {
                    Err(section.required("cables", CABLES_OF_KINDS).err().expect("it is not there"))
                }
            }
        }
        (None, None) => Ok(Wiring::Arrangement(Arrangement::default())),
        (Some(entry), None) => arrangement(section, &entry),
        (None, Some(entry)) => path(&entry, CABLES).map(Wiring::Cables),
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

/// A path that is not empty.
fn path(entry: &Entry<'_, '_>, accepted: &str) -> Fallible<PathBuf> {
    match entry.string(accepted)? {
        "" => Err(entry.refused(accepted)),
        path => Ok(path.into()),
    }
}

fn arrangement(section: &Section<'_, '_>, entry: &Entry<'_, '_>) -> Fallible<Wiring> {
    // The number of leaves is a key of its own.
    let plus = [Arrangement::DragonflyPlus { leaves: 0 }];
    let all = [&Arrangement::ALL[..], &plus].concat();
    Ok(Wiring::Arrangement(match named(entry, &all, Arrangement::name)? {
        Arrangement::DragonflyPlus { .. } => Arrangement::DragonflyPlus {
            leaves: section.integer(LEAVES, 1..=i64::from(limits::SWITCHES_PER_GROUP) - 1)?,
        },
        arrangement => arrangement,
    }))
}

fn latencies(links: &Section<'_, '_>) -> Fallible<Latencies> {
    let given = links.optional("cycle");
    let cycle = match &given {
        None => None,
        Some(entry) => {
            let read = units::cycle(entry.string(units::CYCLE)?);
            Some(read.ok_or_else(|| entry.refused(units::CYCLE))?)
        }
    };
    let of = |key, default| match links.optional(key) {
        None => Ok(default),
        Some(entry) => latency(&entry, cycle),
    };
    let latencies = Latencies {
        local: of("local-latency", DEFAULT_LATENCIES.local)?,
        global: of("global-latency", DEFAULT_LATENCIES.global)?,
    };
    let is_time = |key| links.optional(key).is_some_and(|entry| entry.string("").is_ok());
    match given {
        Some(entry) if !LINKS[..2].iter().copied().any(is_time) => Err(entry.refused(
            "left out unless a latency is a time or a length, because it only converts these",
        )),
        _ => Ok(latencies),
    }
}

/// A latency in cycles: a number of cycles, or a time rounded up to whole cycles.
fn latency(entry: &Entry<'_, '_>, cycle: Option<u64>) -> Fallible<u16> {
    let Ok(text) = entry.string(units::LATENCY) else {
        return entry.integer(1..=MOST_LATENCY.into());
    };
    let time = units::time(text).ok_or_else(|| entry.refused(units::LATENCY))?;
    let Some(cycle) = cycle else {
        let accepted = "a whole number of cycles unless links.cycle says how long a cycle lasts";
        return Err(entry.refused(accepted));
    };
    let cycles = time.div_ceil(cycle).max(1);
    let latency = u16::try_from(cycles).ok().filter(|&cycles| cycles <= MOST_LATENCY);
    latency.ok_or_else(|| {
        entry.refused(&format!("at most {MOST_LATENCY} cycles, and this is {cycles}"))
    })
}

fn buffer(links: &Section<'_, '_>) -> Fallible<Option<u16>> {
    links.optional("buffer").map(|entry| entry.integer(1..=MOST_BUFFER.into())).transpose()
}

fn telling(links: &Section<'_, '_>) -> Fallible<Option<u16>> {
    links.optional(TELLING).map(|entry| entry.integer(1..=MOST_LATENCY.into())).transpose()
}

fn window(links: &Section<'_, '_>) -> Fallible<DestinationWindow> {
    let Some(entry) = links.optional(DESTINATION_WINDOW) else {
        return Ok(DestinationWindow::Usual);
    };
    match entry.string(WINDOW)? {
        NO_WINDOW => Ok(DestinationWindow::None),
        text => text.parse().map(DestinationWindow::Limits).map_err(|_| entry.refused(WINDOW)),
    }
}

fn injection(links: &Section<'_, '_>) -> Fallible<Injection> {
    let Some(entry) = links.optional(INJECTION) else { return Ok(Injection::Zero) };
    let accepted = Injection::ALL.map(|(one, _)| format!("{:?}", one.name())).join(" or ");
    let found = entry.string(&accepted)?;
    let named = Injection::ALL.into_iter().find(|(one, _)| one.name() == found);
    named.map_or_else(|| Err(entry.refused(&accepted)), |(one, _)| Ok(one))
}

fn bandwidths(links: &Section<'_, '_>) -> Fallible<Bandwidths> {
    let of = |kind| match links.optional(bandwidth_key(kind)) {
        None => Ok(Bandwidth::ONE),
        Some(entry) => entry.decimal(BANDWIDTH)?.parse().map_err(|_| entry.refused(BANDWIDTH)),
    };
    let (node, local, global) = (of(LinkKind::Node)?, of(LinkKind::Local)?, of(LinkKind::Global)?);
    Bandwidths::new(node, local, global).map_err(|error| {
        // At least one of them is stated, or all were equal.
        let stated = LINKS
            .into_iter()
            .find(|key| key.ends_with("bandwidth") && links.optional(key).is_some());
        let key = links.path_of(stated.unwrap_or(LINKS[3]));
        links.fault_of(stated.unwrap_or(LINKS[3]), FabricFault::Bandwidths { key, error })
    })
}

pub(super) const fn bandwidth_key(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Node => "node-bandwidth",
        LinkKind::Local => "local-bandwidth",
        LinkKind::Global => "global-bandwidth",
    }
}

fn virtual_channels(routing: &Section<'_, '_>) -> Fallible<Option<VcScheme>> {
    let entry = routing.optional("virtual-channels");
    entry.map(|entry| named(&entry, &VcScheme::ALL, VcScheme::name)).transpose()
}

fn weighing(routing: &Section<'_, '_>) -> Fallible<PerDecision<OpenWeighing>> {
    let mut all = PerDecision::<OpenWeighing>::default();
    for parameter in OpenWeighing::ALL {
        let Some(entry) = routing.optional(parameter.name) else { continue };
        let accepted = parameter.accept("").err().unwrap_or_default();
        let accepted = accepted.trim_start_matches("accepted ");
        let said = |entry: &Entry<'_, '_>, open: &mut OpenWeighing| {
            parameter.set(open, entry.scalar()).map_err(|_| entry.refused(accepted))
        };
        let PerDecision { ugal_l, par_source, par_second } = &mut all;
        let each = [(0, ugal_l), (1, par_source), (2, par_second)];
        // Only PAR's second look has a MIN candidate.
        if entry.is_table() && parameter.name != "second-min" {
            let section = entry.section(&DECISIONS)?;
            for (place, open) in each {
                said(&section.required(DECISIONS[place], accepted)?, open)?;
            }
        } else {
            each.into_iter().try_for_each(|(_, open)| said(&entry, open))?;
        }
    }
    Ok(all)
}

/// The accepted names, for an error.
fn one_of<T: Copy>(all: &[T], name_of: fn(T) -> &'static str) -> String {
    let names: Vec<&str> = all.iter().copied().map(name_of).collect();
    format!("one of \"{}\"", names.join("\", \""))
}

/// The one of several whose name is the entry's value.
fn named<T: Copy>(entry: &Entry<'_, '_>, all: &[T], name_of: fn(T) -> &'static str) -> Fallible<T> {
    let accepted = one_of(all, name_of);
    let name = entry.string(&accepted)?;
    let found = all.iter().copied().find(|&one| name_of(one) == name);
    found.ok_or_else(|| entry.refused(&accepted))
}

/// The given sets, unless they are to be chosen.
fn sets(routing: &Section<'_, '_>, seed: u64) -> Fallible<Option<PerDecision<SetRule>>> {
    match routing.optional("set") {
        None => Ok(None),
        Some(entry) if entry.is_table() => {
            let section = entry.section(&DECISIONS)?;
            let of = |key| set(&section.required(key, SET_TEXT)?, SET_TEXT, seed);
            Ok(Some(PerDecision {
                ugal_l: of("ugal-l")?,
                par_source: of("par-source")?,
                par_second: of("par-second")?,
            }))
        }
        Some(entry) if entry.string(SET_OR_TABLE)? == AUTO => Ok(None),
        Some(entry) => Ok(Some(PerDecision::same(set(&entry, SET_OR_TABLE, seed)?))),
    }
}

fn set(entry: &Entry<'_, '_>, accepted: &str, seed: u64) -> Fallible<SetRule> {
    let text = entry.string(accepted)?;
    parse_set(text, seed).map_err(|error| {
        entry.fault_within(
            error.at().start,
            FabricFault::Set { key: entry.key().to_owned(), marked: error.marked(text), error },
        )
    })
}
