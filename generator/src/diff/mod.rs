//! What changed from one table set to another: per switch and in total, in terms of its effect on packets.
//!
//! Promises: only images and manifests are compared, through the datapath that boots from them; the same two sets give
//! the same report at any number of threads; sets are the same exactly if their images and manifests are the same.

mod change;
mod error;
mod install;
mod matched;
mod measure;
mod paths;
mod tables;
mod terms;
mod text;
mod wiring;

pub use change::{Change, DiffSettings};
pub use error::DiffError;
pub use install::{Install, PartCounts};
pub use matched::PartChanges;
pub use measure::{LinkChange, LoadChange, ModeChange};
pub use tables::DiffTables;
pub use terms::Needs;
pub use text::help;
pub use wiring::EndNames;

use install::install;
use matched::Matched;
use measure::{Measurement, SourceChange};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_schema::{Dragonfly, SwitchId};
use tvlb_table_set::Manifest;

/// What changed from one table set to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// Whether nothing changed.
    pub same: bool,
    pub names: Change<String>,
    /// The fields in which the manifests differ, except the list of files and the record of a choice.
    pub manifest: Vec<FieldChange>,
    /// Whether the manifests record different choices of sets.
    pub choice_differs: bool,
    /// The sizes, as p, a, h, g.
    #[serde(serialize_with = "as_sizes")]
    pub dragonfly: Change<Dragonfly>,
    /// The groups and switches that only one of them has, or that have moved.
    pub parts: PartChanges,
    /// Cables that only the old set has, each as (group, switch, global port) twice. Cables match if both of their ends
    /// match.
    pub cables_gone: Vec<[[u32; 3]; 2]>,
    /// Those that only the new one has.
    pub cables_new: Vec<[[u32; 3]; 2]>,
    /// The machine's names of the two ends of each cable that only the old set has, in the same order; empty if it has
    /// no names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names_of_cables_gone: Vec<[EndNames; 2]>,
    /// The same for those that only the new one has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names_of_cables_new: Vec<[EndNames; 2]>,
    pub fabric_bytes: Change<usize>,
    /// Bytes of the fabric image that differ, in the longer one.
    pub fabric_bytes_differing: usize,
    pub switch_bytes: Change<usize>,
    /// Switches of the old and of the new set.
    pub switch_count: Change<usize>,
    /// Each switch of both sets whose image differs or with changed packets on its cables or routes, by its number in
    /// the new set.
    pub switches: Vec<SwitchChange>,
    /// The effect on packets between switches of both sets: of MIN, then of the set of each decision. Empty if no image
    /// differs or they have no switch in common.
    pub modes: Vec<ModeChange>,
    /// How the switches with the old set can take the new one.
    pub install: Install,
    /// How many ordered pairs of such switches in different groups were compared, and how many there are.
    pub pairs_looked_at: [u64; 2],
}

/// A value in both manifests.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FieldChange {
    /// Its place, as in `sets.ugal-l.seed`.
    pub field: String,
    /// The values in the manifests; null if absent.
    #[serde(flatten)]
    pub values: Change<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SwitchChange {
    pub switch: usize,
    /// The machine's name of it, in the new set if it has a name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub bytes: Change<usize>,
    /// How many of its bytes differ, in the longer one.
    pub bytes_differing: usize,
    /// Whether only the identity of the image's fabric differs.
    pub identity_alone: bool,
    /// Its global ports whose cable changed.
    pub ports: Vec<u32>,
    /// Destinations, of those compared, to which its packets take other paths or the same with other shares: by MIN,
    /// and by the set of each decision.
    pub destinations: [u64; 4],
    /// Mean hops of a path from it, by mode; null without a path.
    pub mean_hops: [Change<Option<f64>>; 4],
}

/// Compares two table sets. Each source switch is a step of the stage "switches".
///
/// # Errors
/// One of them is not complete, or the caller cancelled the work.
///
/// # Example
/// ```
/// use tvlb_generator::diff::{DiffSettings, DiffTables, compare};
/// use tvlb_generator::tables::tables_of;
/// use tvlb_generator::policy::Policy;
/// use tvlb_table_set::grammar::parse_set;
/// use tvlb_schema::PerDecision;
///
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_topology::arrangement::Arrangement;
/// # let df = tvlb_schema::Dragonfly::new(1, 4, 2, 5)?;
/// # let fabric = Fabric::new("lab", df, Arrangement::default(), 1)?;
/// // `DiffTables::open` reads a directory.
/// let tables = |set: &str| {
///     let rule = parse_set(set, 1)?;
///     let made = tables_of(&fabric, &PerDecision::same(Policy::from(rule)), &())?;
///     Ok::<_, Box<dyn std::error::Error>>(DiffTables::made(&made, &fabric.names))
/// };
/// let (old, new) = (tables("shapes:011")?, tables("shapes:111")?);
/// let settings = DiffSettings { most_routes: 1_000_000, seed: 1 };
/// let difference = compare(&old, &new, settings, &())?;
/// assert!(!difference.same && difference.cables_new.is_empty());
/// assert_eq!(difference.switches.len(), 20);
/// assert!(compare(&old, &old, settings, &())?.same);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(
    old: &DiffTables,
    new: &DiffTables,
    settings: DiffSettings,
    progress: &dyn Progress,
) -> Result<Difference, DiffError> {
    progress.stage("switches", Some(new.switch_count()));
    let both = Change { old, new };
    let fabrics = Change { old: old.decode()?, new: new.decode()? };
    let booted = Change { old: old.boot()?, new: new.boot()? };
    let dragonflies = fabrics.map(|fabric| *fabric.dragonfly());
    let names = both.map(|tables| &tables.names);
    let matched = Matched::of(&dragonflies, &names);
    let mut difference = Difference {
        same: old.manifest == new.manifest
            && old.fabric == new.fabric
            && old.switches == new.switches,
        names: both.map(|tables| tables.name.clone()),
        manifest: fields(&old.manifest, &new.manifest),
        choice_differs: old.manifest.choice != new.manifest.choice,
        dragonfly: dragonflies,
        parts: matched.parts(&names),
        cables_gone: Vec::new(),
        cables_new: Vec::new(),
        names_of_cables_gone: Vec::new(),
        names_of_cables_new: Vec::new(),
        fabric_bytes: both.map(|tables| tables.fabric.len()),
        fabric_bytes_differing: differing(&old.fabric, &new.fabric),
        switch_bytes: both.map(|tables| tables.switches.iter().map(Vec::len).sum()),
        switch_count: both.map(|tables| tables.switches.len()),
        switches: Vec::new(),
        modes: Vec::new(),
        install: Install::Nothing,
        pairs_looked_at: [0; 2],
    };
    let wiring = wiring::compare(&fabrics, &matched);
    let Change { old: old_df, new: new_df } = &dragonflies;
    difference.names_of_cables_gone = wiring::names(old_df, &old.names, &wiring.gone);
    difference.names_of_cables_new = wiring::names(new_df, &new.names, &wiring.new);
    (difference.cables_gone, difference.cables_new) = (wiring.gone, wiring.new);
    let asked = Change { old: &booted.old[..], new: &booted.new[..] };
    difference.install = install(both, fabrics.as_ref(), asked, &matched);
    let is_same = old.fabric == new.fabric && old.switches == new.switches;
    if is_same && matched.is_whole() {
        return Ok(difference);
    }
    if difference.parts.switches_in_both == 0 {
        return Ok(difference);
    }
    let Measurement { modes, sources, looked_at } = measure::measure(
        (&booted, &matched),
        if new.names.is_empty() { &old.names } else { &new.names },
        settings,
        both.map(|tables| mean_routes(&tables.manifest)),
        progress,
    )?;
    difference.modes = modes;
    difference.pairs_looked_at = looked_at;
    let sources = matched.switches().map(|switch| switch.new).zip(sources);
    difference.switches = switches(both, &wiring.rewired, sources);
    Ok(difference)
}

/// The switches whose image, cables or destinations differ.
fn switches(
    both: Change<&DiffTables>,
    ports: &BTreeMap<usize, Vec<u32>>,
    sources: impl Iterator<Item = (SwitchId, SourceChange)>,
) -> Vec<SwitchChange> {
    let change = |(number, source): (SwitchId, SourceChange)| {
        let switch = number.as_usize();
        let images = Change {
            old: &both.old.switches[source.places.old],
            new: &both.new.switches[source.places.new],
        };
        let (old, new) = (&both.old.names, &both.new.names);
        let change = SwitchChange {
            switch,
            name: new.switch(number).or(old.switch(number)).map(str::to_owned),
            bytes: images.map(|image| image.len()),
            bytes_differing: differing(images.old, images.new),
            identity_alone: images.is_change() && is_alike_but_for_identity(images),
            ports: ports.get(&switch).cloned().unwrap_or_default(),
            destinations: source.destinations,
            mean_hops: source.mean_hops,
        };
        let is_affected = change.destinations.iter().any(|&number| number > 0);
        (images.is_change() || !change.ports.is_empty() || is_affected).then_some(change)
    };
    sources.filter_map(change).collect()
}

/// Whether two switch images differ only in the identity of their fabric, and so in their checksums.
fn is_alike_but_for_identity(images: Change<&Vec<u8>>) -> bool {
    let said = |image: &Vec<u8>| {
        let (label, rest) = image.split_at_checked(8)?;
        let (_, rest) = rest.split_at_checked(8)?;
        let (said, _) = rest.split_at_checked(rest.len().checked_sub(4)?)?;
        Some([label, said].concat())
    };
    !images.map(|image| said(image)).is_change()
}

fn as_sizes<S: Serializer>(both: &Change<Dragonfly>, serializer: S) -> Result<S::Ok, S::Error> {
    both.map(|df| [df.p(), df.a(), df.h(), df.g()]).serialize(serializer)
}

/// How many bytes differ, including those that only the longer one has.
fn differing(old: &[u8], new: &[u8]) -> usize {
    let common = old.iter().zip(new).filter(|(old, new)| old != new).count();
    common + old.len().abs_diff(new.len())
}

/// The mean number of routes per pair of the largest set in the manifest.
fn mean_routes(manifest: &Manifest) -> f64 {
    let sets = &manifest.sets;
    [&sets.ugal_l, &sets.par_source, &sets.par_second]
        .into_iter()
        .map(|entry| entry.mean_routes)
        .fold(0.0, f64::max)
}

/// The fields in which two manifests differ.
fn fields(old: &Manifest, new: &Manifest) -> Vec<FieldChange> {
    let value = |manifest: &Manifest| {
        let mut value = serde_json::to_value(manifest).expect("a manifest has only string keys");
        if let Value::Object(fields) = &mut value {
            fields.remove("files");
            fields.remove("choice");
        }
        value
    };
    let mut found = Vec::new();
    collect("", &value(old), &value(new), &mut found);
    found
}

fn collect(at: &str, old: &Value, new: &Value, found: &mut Vec<FieldChange>) {
    if let (Value::Object(old), Value::Object(new)) = (old, new) {
        let keys: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let within = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            let of =
                |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
            collect(&within, &of(old), &of(new), found);
        }
    } else if old != new {
        let values = Change { old: old.clone(), new: new.clone() };
        found.push(FieldChange { field: at.to_owned(), values });
    }
}
