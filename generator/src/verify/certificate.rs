//! What was verified, in words and as values.

use super::dependencies::Dependencies;
use super::packet::Fabric;
use super::routes::{Modes, Walks};
use crate::table_set::TableSet;
use serde::Serialize;
use std::fmt;
use tvlb_firmware_model::{Channels, Scheme};

/// How far the routes were looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Extent {
    /// Every walk of every pair of switches.
    Exhaustive,
    /// MIN paths of every pair, VLB walks of a sample.
    Sampled {
        /// Ordered pairs whose VLB walks were looked at.
        pairs: u64,
        /// The seed of the sample.
        seed: u64,
    },
}

/// What holds of a table set.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Certificate {
    /// The fabric's name.
    pub fabric: String,
    /// The identity that all images carry.
    pub identity: String,
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// Cables between groups, each the same from both ends.
    pub cables: u32,
    /// Images, each with the hash that the manifest says.
    pub images: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Ordered pairs of switches, each reachable.
    pub pairs: u64,
    /// What was walked.
    pub extent: Extent,
    /// MIN paths walked.
    pub min_walks: u64,
    /// VLB walks, conventional ones all among them.
    pub vlb_walks: u64,
    /// VLB walks after PAR's second look.
    pub second_look_walks: u64,
    /// Routes of the sets of UGAL-L, of PAR at the source, and of PAR's second look, all simple.
    pub set_routes: [u64; 3],
    /// Pairs of switches in different groups, among those looked at, without such a route.
    pub pairs_without_route: [u64; 3],
    /// The most hops of MIN, of VLB, and of VLB after a second look.
    pub longest: [usize; 3],
    /// How virtual channels are assigned.
    pub virtual_channels: String,
    /// Virtual channels in use on local and on global links.
    pub channels_in_use: [u8; 2],
    /// Those that PAR needs by the scheme, which is what switches are to have.
    pub channels_needed: [u8; 2],
    /// Channels of links that packets use.
    pub channels: u64,
    /// Pairs of them of which one may wait for the other; no circle among them.
    pub dependencies: u64,
}

impl Certificate {
    pub(super) fn new(
        set: &TableSet,
        fabric: &Fabric<'_>,
        modes: &Modes,
        walks: &Walks,
        dependencies: &Dependencies,
        bytes: usize,
    ) -> Self {
        let manifest = set.manifest();
        let df = &fabric.df;
        let extent = if modes.is_exhaustive() {
            Extent::Exhaustive
        } else {
            Extent::Sampled { pairs: walks.pairs_with_vlb, seed: modes.seed }
        };
        let needed = Channels::needed(fabric.channels, Scheme::Par);
        let (channels, waits) = dependencies.counts();
        Self {
            fabric: manifest.fabric.name.clone(),
            identity: manifest.fabric_identity.clone(),
            dragonfly: [df.p(), df.a(), df.h(), df.g()],
            cables: fabric.switches[0].image().fabric().cable_count(),
            images: fabric.switches.len() + 1,
            bytes,
            pairs: walks.pairs,
            extent,
            min_walks: walks.min,
            vlb_walks: walks.vlb,
            second_look_walks: walks.second,
            set_routes: walks.kept,
            pairs_without_route: walks.without,
            longest: walks.longest,
            virtual_channels: manifest.virtual_channels.clone(),
            channels_in_use: dependencies.channels_in_use(fabric),
            channels_needed: [needed.local, needed.global],
            channels,
            dependencies: waits,
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p, a, h, g] = self.dragonfly;
        let line = |f: &mut fmt::Formatter<'_>, what: &str, text: &dyn fmt::Display| {
            writeln!(f, "{what:<13} {text}")
        };
        line(
            f,
            "fabric",
            &format_args!("{}: dfly({p}, {a}, {h}, {g}), identity {}", self.fabric, self.identity),
        )?;
        line(
            f,
            "files",
            &format_args!(
                "{} images of {} bytes, hashes and checksums right",
                self.images, self.bytes
            ),
        )?;
        line(
            f,
            "wiring",
            &format_args!("{} cables, the same from both ends and in every image", self.cables),
        )?;
        line(f, "reachable", &format_args!("all {} pairs of switches", self.pairs))?;
        match self.extent {
            Extent::Exhaustive => line(f, "walked", &"every path of every pair")?,
            Extent::Sampled { pairs, seed } => line(
                f,
                "walked",
                &format_args!(
                    "every MIN path; VLB paths of {pairs} pairs, a sample by seed {seed}"
                ),
            )?,
        }
        let [min, vlb, second] = self.longest;
        line(f, "", &format_args!("{} MIN, at most {min} hops", self.min_walks))?;
        line(f, "", &format_args!("{} VLB, at most {vlb} hops", self.vlb_walks))?;
        line(
            f,
            "",
            &format_args!(
                "{} VLB after PAR's second look, at most {second} hops",
                self.second_look_walks
            ),
        )?;
        let names = ["UGAL-L", "PAR", "PAR's second look"];
        for (number, name) in names.into_iter().enumerate() {
            let (routes, without) = (self.set_routes[number], self.pairs_without_route[number]);
            let text = format!("{routes} routes of {name}'s set, none comes back to a switch");
            if without == 0 {
                line(f, "", &text)?;
            } else {
                line(f, "", &format_args!("{text}; {without} pairs have none"))?;
            }
        }
        let ([local, global], [most_local, most_global]) =
            (self.channels_in_use, self.channels_needed);
        line(
            f,
            "channels",
            &format_args!(
                "{}: {local} of {most_local} in use on local links, {global} of {most_global} on global ones",
                self.virtual_channels
            ),
        )?;
        let scope = match self.extent {
            Extent::Exhaustive => "so no deadlock can form",
            Extent::Sampled { .. } => {
                "and the rank of its channels rises at every hop of every path walked"
            }
        };
        line(
            f,
            "deadlock",
            &format_args!(
                "{} channels wait for each other in {} ways without a circle, {scope}",
                self.channels, self.dependencies
            ),
        )
    }
}
