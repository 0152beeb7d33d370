//! From a fabric and its policies to a table set in memory: images and their manifest.

use crate::balance::{Imbalance, balance_entry, is_countable, thinned_mean};
use crate::checked_fabric::{CheckedFabric, fabric_image};
use crate::fabric::Fabric;
use crate::image::{ImageRouting, ImageStageError, Images, build};
use crate::policy::Policy;
use rayon::prelude::*;
use std::borrow::Cow;
use std::iter;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{Decision, FabricImage, PerDecision, SwitchImage, VcScheme};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::{
    BalanceEntry, ChoiceEntry, FABRIC_FILE, FileEntry, MANIFEST_FILE, MANIFEST_FORMAT, Manifest,
    NAMES_FILE, OpenWeighing, SetEntry, Sizes, levels_digest, presence_digest, presence_is_drawn,
    rounded,
};
use tvlb_topology::loads::Draw;
use tvlb_topology::routes::expected::{FabricMean, fabric_mean};

/// A table set in memory.
#[derive(Clone, Debug)]
pub struct Generated {
    pub manifest: Manifest,
    pub images: Images,
    /// The list of names, if the fabric has names.
    pub names: Option<String>,
}

/// The table set of a fabric with these policies, which replace those of its file.
///
/// # Errors
/// Two groups without any path, too many bytes, or the work was cancelled.
pub fn tables_of(
    fabric: &Fabric,
    policies: &PerDecision<Policy>,
    progress: &dyn Progress,
) -> Result<Generated, ImageStageError> {
    let image = fabric_image(&fabric.topology);
    encode(&CheckedFabric::new(fabric, &image)?, (policies, None), progress)
}

/// The table set of a fabric with these policies, and the record of their choice. The images are a stage of `progress`,
/// with a step for each switch.
///
/// # Errors
/// Too many bytes, or the work was cancelled.
pub fn encode(
    fabric: &CheckedFabric<'_>,
    (policies, choice): (&PerDecision<Policy>, Option<ChoiceEntry>),
    progress: &dyn Progress,
) -> Result<Generated, ImageStageError> {
    let virtual_channels = fabric.virtual_channels();
    let routing = ImageRouting { policies: policies.clone(), virtual_channels };
    let switches = fabric.topology.dragonfly().switch_count() as usize;
    progress.stage("images", Some(switches));
    let images = build(fabric, &routing, progress)?;

    let is_thinned = Decision::ALL.iter().any(|&d| policies.get(d).is_thinned());
    let conventional = (is_thinned || is_countable(&fabric.topology))
        .then(|| Imbalance::of(&fabric.topology, Draw::Conventional));
    let measured = each_set_once(policies, |policy| {
        progress.stage("hops", Some(switches));
        let mean = if policy.is_thinned() {
            thinned_mean(&fabric.topology, policy, progress)?
        } else {
            fabric_mean(fabric.counter(), &policy.rule, progress)?
        };
        let balance =
            conventional.map(|conventional| balance_entry(&fabric.topology, policy, conventional));
        Ok((mean, balance))
    })?;
    let mut sets = PerDecision::from_fn(|decision| {
        let (mean, balance) = measured.get(decision);
        set_entry(policies.get(decision), mean, balance.clone())
    });
    add_digests(fabric.image(), &mut sets, policies, &images);
    let topology = &fabric.topology;
    let names = (!fabric.names.is_empty()).then(|| fabric.names.write(topology.dragonfly()));
    let entry = |text: &String| FileEntry::of(NAMES_FILE.to_owned(), text.as_bytes());
    let manifest = Manifest {
        choice,
        names: names.as_ref().map(entry),
        ..manifest(fabric, virtual_channels, sets, &images)
    };
    Ok(Generated { manifest, images, names })
}

/// Measures each decision's set. Decisions mostly share one, which is measured once.
fn each_set_once<T: Clone>(
    policies: &PerDecision<Policy>,
    mut look: impl FnMut(&Policy) -> Result<T, Cancelled>,
) -> Result<PerDecision<T>, Cancelled> {
    let mut known: Vec<(&Policy, T)> = Vec::new();
    for decision in Decision::ALL {
        let policy = policies.get(decision);
        if known.iter().all(|(other, _)| !other.has_set_of(policy)) {
            known.push((policy, look(policy)?));
        }
    }
    Ok(policies.map(|policy| {
        let known = known.iter().find(|(other, _)| other.has_set_of(policy));
        known.expect("every decision's set has been looked at").1.clone()
    }))
}

/// Adds the digests of the sets in the images, if the manifest has them.
fn add_digests(
    fabric: &FabricImage<'_>,
    entries: &mut PerDecision<SetEntry>,
    policies: &PerDecision<Policy>,
    images: &Images,
) {
    let is_thinned = |decision| policies.get(decision).is_thinned();
    let is_drawn = |decision| presence_is_drawn(&policies.get(decision).rule, is_thinned(decision));
    if !Decision::ALL.into_iter().any(|decision| is_thinned(decision) || is_drawn(decision)) {
        return;
    }
    let switches: Vec<SwitchImage<'_>> = images
        .switches
        .par_iter()
        .map(|bytes| SwitchImage::decode(bytes, fabric).expect("the encoder decodes what it wrote"))
        .collect();
    for decision in Decision::ALL {
        let entry = match decision {
            Decision::UgalL => &mut entries.ugal_l,
            Decision::ParSource => &mut entries.par_source,
            Decision::ParSecond => &mut entries.par_second,
        };
        if is_drawn(decision) {
            entry.presence_sha256 = Some(presence_digest(switches.par_iter(), decision));
        }
        if let Some(balance) = entry.balance.as_mut().filter(|_| is_thinned(decision)) {
            balance.levels_sha256 = Some(levels_digest(switches.par_iter(), decision));
        }
    }
}

fn set_entry(policy: &Policy, mean: &FabricMean, balance: Option<BalanceEntry>) -> SetEntry {
    let Policy { rule, weighing, min, .. } = policy;
    SetEntry {
        set: canonical(rule),
        seed: rule.seed,
        weighing: OpenWeighing::unusual(*weighing, *min),
        mean_hops: mean.hops.map(rounded),
        mean_hops_are_exact: mean.hops_are_exact,
        mean_routes: rounded(mean.routes),
        pairs: mean.pairs,
        pairs_without_route: mean.empty_pairs,
        presence_sha256: None,
        balance,
    }
}

fn manifest(
    fabric: &CheckedFabric<'_>,
    virtual_channels: VcScheme,
    sets: PerDecision<SetEntry>,
    images: &Images,
) -> Manifest {
    let df = fabric.topology.dragonfly();
    let mut files = vec![FileEntry::of(FABRIC_FILE.to_owned(), &images.fabric)];
    let switches = df.switches().zip(&images.switches);
    files
        .extend(switches.map(|(switch, bytes)| FileEntry::of_switch(&fabric.names, switch, bytes)));
    let mut sizes: Vec<u64> = images.switches.iter().map(|image| image.len() as u64).collect();
    sizes.sort_unstable();
    let at = |index: usize| sizes.get(index).copied().unwrap_or(0);
    Manifest {
        format: MANIFEST_FORMAT.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        fabric: fabric.entry(),
        fabric_identity: format!("{:016x}", fabric.image().identity()),
        virtual_channels: virtual_channels.name().to_owned(),
        sets,
        choice: None,
        names: None,
        sizes: Sizes {
            fabric: images.fabric.len() as u64,
            switch_least: at(0),
            switch_median: at(sizes.len() / 2),
            switch_most: at(sizes.len().saturating_sub(1)),
            total: files.iter().map(|file| file.bytes).sum(),
        },
        files,
    }
}

impl Generated {
    /// Every file of the table set with its path in the directory, the manifest last.
    pub fn files(&self) -> Vec<(&str, Cow<'_, [u8]>)> {
        let names = self.names.as_ref();
        let names = names.map(|text| (NAMES_FILE, Cow::Borrowed(text.as_bytes())));
        let paths = self.manifest.files.iter().map(|file| file.path.as_str());
        let images = iter::once(&self.images.fabric).chain(&self.images.switches);
        paths
            .zip(images.map(|image| Cow::Borrowed(image.as_slice())))
            .chain(names)
            .chain(iter::once((MANIFEST_FILE, Cow::Owned(self.manifest.to_json()))))
            .collect()
    }
}
