//! Which rates of a flow's paths the model allows.
//!
//! A rule is a set of inequalities between rates. Every rate vector that a rule allows is a sum, with
//! non-negative factors, of a few that it allows: its **bundles**, ways to spread a flow over some of its
//! paths. So for each rule a flow's choice is a probability for each bundle, and the methods know bundles alone.
//!
//! With m(n) and v(n) the rate of each MIN and of each VLB path of n hops, s(R) that of each VLB path by way of
//! the intermediate switch R, and V(n) the number of VLB paths of n hops, the variants of [`Rule`] say what
//! holds of the rates besides being non-negative.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The constraint on the rates of one flow's paths.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// v(n) ≥ v(n') for n < n': a longer VLB path carries no more than a shorter one (Rahman et al., SC'19,
    /// section 3.3.2).
    #[default]
    Monotone,
    /// V(n)·v(n) ≥ V(n')·v(n') for n < n': all longer VLB paths of one hop count carry together no more than
    /// all shorter ones of one hop count.
    MonotoneTotals,
    /// As `Monotone`, of MIN and VLB paths alike: m(n) and v(n) ≥ m(n') and v(n') for n < n'.
    MonotoneWithMin,
    /// m(n) and v(n) are free: paths of one kind and hop count carry the same, and no more is asked.
    HopCount,
    /// m(n) and s(R) are free: VLB paths through one intermediate switch carry the same.
    BySwitch,
    /// m(n) is free, and so is the rate of each VLB path by itself.
    ByPath,
}

/// Which paths a bundle is spread over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleKind {
    /// All MIN paths of so many hops.
    Min(u8),
    /// All VLB paths of the set of at most so many hops.
    Vlb(u8),
}

/// One way to spread a flow over classes of paths.
pub(super) struct Bundle {
    pub(super) kind: BundleKind,
    /// MIN bundles: the fraction that an even split over MIN gives it. VLB bundles: 1.
    pub(super) share: f64,
    /// For each class the rate of each of its paths, in some unit.
    pub(super) parts: Vec<(usize, f64)>,
    /// Their total rate.
    pub(super) paths: f64,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Monotone,
        Self::MonotoneTotals,
        Self::MonotoneWithMin,
        Self::HopCount,
        Self::BySwitch,
        Self::ByPath,
    ];

    /// The name on the command line, in study files and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monotone => "monotone",
            Self::MonotoneTotals => "monotone-totals",
            Self::MonotoneWithMin => "monotone-with-min",
            Self::HopCount => "hop-count",
            Self::BySwitch => "by-switch",
            Self::ByPath => "by-path",
        }
    }

    /// Whether it is the one of the papers' figures, for which no size is too large.
    pub const fn is_usual(&self) -> bool {
        matches!(self, Self::Monotone)
    }

    /// Whether the VLB paths of one flow are distinguished by more than their hop counts.
    pub(super) const fn tells_switches(self) -> bool {
        matches!(self, Self::BySwitch | Self::ByPath)
    }

    /// Whether each bundle of a set is one of a set that adds longer VLB paths.
    pub(super) const fn nests(self) -> bool {
        !matches!(self, Self::MonotoneWithMin | Self::BySwitch)
    }

    /// The bundles of a flow with these classes: (whether VLB, hops, paths), MIN first, of each kind by rising
    /// hop count.
    pub(super) fn bundles(self, classes: &[(bool, u8, f64)]) -> Vec<Bundle> {
        let of_kind = |vlb| (0..classes.len()).filter(move |&class| classes[class].0 == vlb);
        let vlb: Vec<usize> = of_kind(true).collect();
        let alone = |class: usize| vec![(class, 1.0)];
        let up_to = |weight: &dyn Fn(usize) -> f64| -> Vec<Vec<(usize, f64)>> {
            let heads = (1..=vlb.len()).map(|length| &vlb[..length]);
            heads.map(|head| head.iter().map(|&class| (class, weight(class))).collect()).collect()
        };
        let spread: Vec<Vec<(usize, f64)>> = match self {
            Self::Monotone => of_kind(false).map(alone).chain(up_to(&|_| 1.0)).collect(),
            Self::MonotoneTotals => {
                of_kind(false).map(alone).chain(up_to(&|class| 1.0 / classes[class].2)).collect()
            }
            Self::MonotoneWithMin => with_shorter(classes),
            Self::HopCount | Self::BySwitch | Self::ByPath => {
                (0..classes.len()).map(alone).collect()
            }
        };
        let mut bundles: Vec<Bundle> =
            spread.into_iter().map(|parts| Bundle::of(parts, classes)).collect();
        let is_min = |bundle: &&mut Bundle| matches!(bundle.kind, BundleKind::Min(_));
        let min_paths: f64 = bundles.iter_mut().filter(is_min).map(|bundle| bundle.paths).sum();
        for bundle in bundles.iter_mut().filter(is_min) {
            bundle.share = bundle.paths / min_paths;
        }
        bundles
    }
}

/// All paths that are shorter than some class, evenly with that class, with the one of the other kind and its hop
/// count, or with both.
fn with_shorter(classes: &[(bool, u8, f64)]) -> Vec<Vec<(usize, f64)>> {
    let mut spread = Vec::new();
    for (number, &(_, hops, _)) in classes.iter().enumerate() {
        let shorter = (0..classes.len()).filter(|&class| classes[class].1 < hops);
        let shorter: Vec<(usize, f64)> = shorter.map(|class| (class, 1.0)).collect();
        let with = |more: &[usize]| {
            [shorter.clone(), more.iter().map(|&class| (class, 1.0)).collect()].concat()
        };
        spread.push(with(&[number]));
        // The pair of both kinds once.
        if let Some(other) = (number + 1..classes.len()).find(|&class| classes[class].1 == hops) {
            spread.push(with(&[number, other]));
        }
    }
    spread
}

impl Bundle {
    fn of(parts: Vec<(usize, f64)>, classes: &[(bool, u8, f64)]) -> Self {
        let most = |vlb| {
            let of_kind = parts.iter().map(|&(class, _)| classes[class]).filter(|c| c.0 == vlb);
            of_kind.map(|(_, hops, _)| hops).max()
        };
        let kind = match (most(true), most(false)) {
            (Some(hops), _) => BundleKind::Vlb(hops),
            (None, hops) => BundleKind::Min(hops.unwrap_or(0)),
        };
        let mut paths = 0.0;
        for &(class, weight) in &parts {
            paths += weight * classes[class].2;
        }
        Self { kind, share: 1.0, parts, paths }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
