//! What was verified, in words and as values.

pub(super) mod text;

use super::dependencies::Dependencies;
use super::packet::BootedSwitches;
use super::sample::Sample;
use super::set_channels::{SetChannels, Taken};
use super::walks::Walks;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use tvlb_firmware_model::{Channels, Scheme};
use tvlb_schema::GroupKind;
use tvlb_table_set::{TableSet, UpdateRecord};

/// How many of the routes were walked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Extent {
    /// Every path of every pair of switches, and every route of its sets.
    Exhaustive,
    /// Every path of every pair, and the routes of sets for a sample.
    #[serde(rename_all = "kebab-case")]
    Sampled {
        /// Ordered pairs whose routes of sets were walked.
        pairs: u64,
        /// Those of them with only a part of the routes walked.
        in_part: u64,
        /// Those of them whose routes of sets were too many to count.
        not_counted: u64,
        /// Pairs for which the routes of a fraction or a thinned set were not searched for their shapes: there only the
        /// digest in the manifest was checked.
        not_searched: u64,
        seed: u64,
    },
}

/// The answers of the datapath to requests for paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answers {
    /// Pairs asked for a MIN path.
    pub min: u64,
    /// Pairs asked for a conventional VLB path and for one of each set.
    pub vlb: u64,
    /// Those that take MIN because there is no conventional VLB path.
    pub without_conventional: u64,
    /// Those that take MIN, or a conventional VLB path, because some set has none.
    pub without_kept: u64,
    /// Draws that missed an existing path, and found it when asked again.
    pub missed: u64,
}

/// The virtual channels that suffice if all VLB packets take paths of the sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SetsChannels {
    /// If these are fewer than any path may need: those that packets need on local and on global links by UGAL-L, MIN
    /// and VLB, and by PAR. They are enough for every walked path of a set.
    #[serde(rename = "channels-needed-by-sets", skip_serializing_if = "Option::is_none")]
    pub needed: Option<[[u8; 2]; 2]>,
    /// If these are fewer, and an update is installed: the ordered pairs of switches for which a source finds a path
    /// with all channels and none with these, by UGAL-L and by PAR.
    #[serde(rename = "pairs-that-need-more-channels", skip_serializing_if = "Option::is_none")]
    pub pairs_that_need_more: Option<[u64; 2]>,
}

impl SetsChannels {
    pub(super) fn of(fabric: &BootedSwitches<'_>, walks: &Walks) -> Self {
        let needed = fabric.set_channels.if_fewer(fabric.channels);
        let is_of_plan = fabric.switches[0].image().fabric().epoch() == 0;
        let pairs_that_need_more = needed.filter(|_| !is_of_plan).map(|_| walks.asked.need_more);
        Self { needed, pairs_that_need_more }
    }

    /// A line, if fewer channels suffice, and another if there are pairs that need more.
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        let Some([[local, global], [par_local, par_global]]) = self.needed else { return Ok(()) };
        let by_plan = match self.pairs_that_need_more {
            Some(pairs) if pairs != [0; 2] => "by the plan ",
            _ => "",
        };
        let text = format_args!(
            "{by_plan}the sets need {local} and {global} for UGAL-L, {par_local} and {par_global} for PAR"
        );
        line(f, what, &text)?;
        self.write_pairs(f)
    }

    /// A line, if there are pairs that need more channels.
    fn write_pairs(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pairs_that_need_more {
            Some([ugal, par]) if [ugal, par] != [0; 2] => {
                let text = format_args!(
                    "with these channels alone {ugal} pairs have no path by UGAL-L, and {par} none by PAR"
                );
                line(f, "", &text)
            }
            _ => Ok(()),
        }
    }
}

/// The fewest virtual channels of links, local and global, that packets of a scheme need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SchemeChannels {
    /// "MIN"; `VALg` and `VALn`, VLB by conventional paths of at most one hop in the intermediate group and by
    /// all (Prisacari et al. 2013, section 2); "UGAL-L" and "PAR", whose VLB packets take the paths of their
    /// sets.
    pub scheme: &'static str,
    /// What links must have for a switch to boot; for `VALg` and `VALn`, what the walked paths take.
    pub needed: [u8; 2],
    /// What the walked paths take.
    pub walked: [u8; 2],
}

impl SchemeChannels {
    fn all(fabric: &BootedSwitches<'_>, taken: &Taken) -> Vec<Self> {
        let SetChannels { min, ugal, par } = fabric.set_channels;
        let [of_ugal, of_par, of_second] = taken.sets;
        let valn = taken.valg.or(taken.valn);
        let on_links = |Channels { local, global }| [local, global];
        Vec::from(
            [
                ("MIN", min, taken.min),
                ("VALg", taken.valg, taken.valg),
                ("VALn", valn, valn),
                ("UGAL-L", ugal, of_ugal),
                ("PAR", par, of_par.or(of_second)),
            ]
            .map(|(scheme, needed, walked)| Self {
                scheme,
                needed: on_links(needed),
                walked: on_links(walked),
            }),
        )
    }

    /// All in one line.
    fn write(all: &[Self], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_words = |&Self { scheme, needed: [local, global], .. }: &Self| {
            format!("{scheme} {local}/{global}")
        };
        let words: Vec<String> = all.iter().map(in_words).collect();
        line(f, "", &format_args!("fewest, local/global: {}", words.join(", ")))
    }
}

pub(super) struct Findings<'f> {
    pub(super) sample: &'f Sample,
    pub(super) walks: &'f Walks,
    pub(super) dependencies: &'f Dependencies,
    pub(super) bytes: usize,
    pub(super) planned: bool,
    pub(super) update: Option<&'f UpdateRecord>,
    pub(super) beside: Option<&'f Path>,
}

/// The verified properties of a table set.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Certificate {
    /// The fabric's name.
    pub fabric: String,
    /// The identity that all images carry.
    pub identity: String,
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// The kinds of groups if there is more than one; p, a and h are then the most of any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GroupKind>,
    /// Cables between groups, each the same from both ends.
    pub cables: u32,
    /// Images, each with the hash in the manifest.
    pub images: usize,
    pub bytes: usize,
    /// Whether it was compared with the fabric file, and is for that fabric.
    pub planned: bool,
    /// The record of the installed update; its counts of pairs are right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<UpdateRecord>,
    /// The table set that other switches still have; its packets are among those that wait for each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<PathBuf>,
    /// Ordered pairs of live switches with nodes, each reachable except those that are cut off.
    pub pairs: u64,
    /// The answers of the datapath to requests for their paths.
    pub answers: Answers,
    pub extent: Extent,
    pub min_walks: u64,
    /// VLB walks, including all conventional ones; a walk after PAR's second look does not count again.
    pub vlb_walks: u64,
    /// Routes of the sets of UGAL-L, of PAR at the source, and of PAR's second look, all simple.
    pub set_routes: [u64; 3],
    /// Those of them that return to a switch, because the set includes such walks.
    pub set_routes_that_return: [u64; 3],
    /// Pairs of switches in different groups, among those walked, without such a route.
    pub pairs_without_route: [u64; 3],
    /// The most hops of MIN, of VLB, and of VLB after a second look.
    pub longest: [usize; 3],
    pub virtual_channels: String,
    /// Virtual channels in use on local and on global links.
    pub channels_in_use: [u8; 2],
    /// Those that PAR needs by the scheme, which switches should have.
    pub channels_needed: [u8; 2],
    /// The fewest that each scheme needs.
    pub channels_by_scheme: Vec<SchemeChannels>,
    /// Those that the sets need, and what an update changes about that.
    #[serde(flatten)]
    pub channels_of_sets: SetsChannels,
    /// Channels of links that packets use.
    pub channels: u64,
    /// Pairs of channels of which one may wait for the other; they form no cycle.
    pub dependencies: u64,
    /// Whether the pairs are of classes of channels, each a kind of link and a virtual channel, because the fabric is
    /// too large for a graph of channels.
    pub dependencies_are_of_classes: bool,
}

impl Certificate {
    pub(super) fn new(set: &TableSet, fabric: &BootedSwitches<'_>, found: &Findings<'_>) -> Self {
        let &Findings { sample, walks, dependencies, bytes, planned, update, beside } = found;
        let manifest = set.manifest();
        let df = &fabric.df;
        let extent = if sample.is_exhaustive() {
            Extent::Exhaustive
        } else {
            Extent::Sampled {
                pairs: walks.pairs_with_vlb,
                in_part: walks.in_part,
                not_counted: walks.not_counted,
                not_searched: walks.not_searched,
                seed: sample.seed,
            }
        };
        let asked = &walks.asked;
        let answers = Answers {
            min: asked.min,
            vlb: asked.vlb,
            without_conventional: asked.without_conventional,
            without_kept: asked.without_kept,
            missed: asked.missed,
        };
        let needed = Channels::needed(fabric.channels, Scheme::Par);
        let (channels, waits) = dependencies.counts();
        Self {
            fabric: manifest.fabric.name.clone(),
            identity: manifest.fabric_identity.clone(),
            dragonfly: [df.p(), df.a(), df.h(), df.g()],
            kinds: df.stated_kinds().collect(),
            cables: fabric.switches[0].image().fabric().cable_count(),
            images: fabric.switches.len() + 1,
            bytes,
            planned,
            update: update.cloned(),
            beside: beside.map(Path::to_owned),
            pairs: walks.pairs,
            answers,
            extent,
            min_walks: walks.min,
            vlb_walks: walks.vlb,
            set_routes: walks.kept,
            set_routes_that_return: walks.returning,
            pairs_without_route: walks.without,
            longest: walks.longest,
            virtual_channels: manifest.virtual_channels.clone(),
            channels_in_use: dependencies.channels_in_use(fabric),
            channels_needed: [needed.local, needed.global],
            channels_by_scheme: SchemeChannels::all(fabric, &walks.taken),
            channels_of_sets: SetsChannels::of(fabric, walks),
            channels,
            dependencies: waits,
            dependencies_are_of_classes: dependencies.is_by_class(),
        }
    }
}

/// One line: its subject, and the text.
pub(super) fn line(f: &mut fmt::Formatter<'_>, what: &str, text: &dyn fmt::Display) -> fmt::Result {
    writeln!(f, "{what:<13} {text}")
}
