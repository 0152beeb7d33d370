//! What papers state about results, as data of the file `stated.toml`: sections 3 and 4 of the T-UGAL
//! paper, every number and every comparison in words, and what the study of load imbalance finds.

use serde::Deserialize;
use std::sync::LazyLock;

/// The list, which is a part of the program.
const TEXT: &str = include_str!("stated.toml");

/// All statements, in the order of the paper.
pub(super) static STATED: LazyLock<Vec<Stated>> = LazyLock::new(|| {
    let list: List = toml::from_str(TEXT).expect("a test reads the list");
    list.stated
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    stated: Vec<Stated>,
}

/// One number or one comparison.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Stated {
    pub(super) experiment: String,
    pub(super) section: String,
    /// Where in that section.
    pub(super) place: String,
    /// The scheme that it is about, if the experiment simulates.
    pub(super) scheme: Option<String>,
    /// Whether it is about T-UGAL. Otherwise it is about conventional UGAL, or compares the two.
    #[serde(default)]
    pub(super) t_ugal: bool,
    /// The variant of the settings; a comparison without one is about every variant. In Table 2, the
    /// number of groups of the fabric.
    pub(super) variant: Option<String>,
    pub(super) claim: Claim,
    /// What is to be known about the statement.
    pub(super) note: Option<String>,
}

/// What is stated: first the numbers, then the comparisons.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub(super) enum Claim {
    Latency {
        load: f64,
        cycles: f64,
    },
    /// The last load below saturation.
    Saturation {
        load: f64,
    },
    /// By how much conventional UGAL's latency exceeds T-UGAL's, in percent of T-UGAL's. This is what
    /// the paper computes where its words are "lower than".
    LatencyGain {
        load: f64,
        percent: f64,
    },
    /// By how much T-UGAL's saturation exceeds conventional UGAL's, in percent of the latter.
    SaturationGain {
        percent: f64,
    },
    Throughput {
        set: String,
        of_link: f64,
    },
    /// A count of Table 2.
    Count {
        what: Counted,
        number: u32,
    },
    /// T-UGAL has less latency at every load at which neither is saturated.
    LatencyBelow,
    /// T-UGAL's latency at the lowest load is similar, which is to say within 5%.
    LatencySimilar,
    /// T-UGAL saturates at a higher load.
    SaturationAbove,
    /// The set that was chosen by the paper's rules does not raise the saturation.
    NoSaturationAbove,
    /// The scheme saturates at a lower load than another, conventional and with T-UGAL.
    SaturationBelowThatOf(Other),
    /// T-UGAL raises the saturation by a larger share than in another experiment or scheme.
    GainAboveThatOf(Other),
    /// T-UGAL raises the saturation by a smaller share than in another experiment or scheme.
    GainBelowThatOf(Other),
    /// A smaller share of the packets takes VLB than in another experiment or scheme, at every load
    /// at which neither is saturated.
    VlbShareBelowThatOf(Other),
    /// One variant of the settings saturates at a lower load than another.
    VariantBelow {
        less: String,
        more: String,
    },
    /// The variants of the settings saturate at loads that differ by more than 5%.
    VariantsMatter,
    /// No set has a larger modelled throughput.
    Largest {
        set: String,
    },
    /// These sets have a modelled throughput similar to that of another, which is to say within 5%.
    Similar {
        set: String,
        sets: Vec<String>,
    },
    /// The throughput by a routing lies in a range, on every system.
    ThroughputWithin {
        routing: String,
        least: f64,
        most: f64,
    },
    /// The throughput by a routing is the less the larger the system.
    FallsWithSize {
        routing: String,
    },
    /// The throughput by a routing is below a load on every system with more switches than this.
    BelowBeyond {
        routing: String,
        load: f64,
        switches: u32,
    },
    /// The throughput by one routing is above that by another, on every system.
    ThroughputAbove {
        more: String,
        less: String,
    },
    /// By how large a share the throughput by one routing is above that by another rises with the size.
    LeadRises {
        more: String,
        less: String,
    },
    /// No routing has as large a throughput on any system.
    ThroughputBelow {
        load: f64,
    },
    /// No experiment of ours decides it.
    NotChecked {
        what: String,
        why: String,
    },
}

/// The other side of a comparison; what is not given is as in the statement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Other {
    pub(super) experiment: Option<String>,
    pub(super) scheme: Option<String>,
}

/// What Table 2 counts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Counted {
    Nodes,
    Switches,
    Groups,
    LinksPerPair,
    Ports,
}

impl Claim {
    /// Whether a number is stated, and not a comparison.
    pub(super) const fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Latency { .. }
                | Self::Saturation { .. }
                | Self::LatencyGain { .. }
                | Self::SaturationGain { .. }
                | Self::Throughput { .. }
                | Self::Count { .. }
        )
    }

    pub(super) const fn other(&self) -> Option<&Other> {
        match self {
            Self::SaturationBelowThatOf(other)
            | Self::GainAboveThatOf(other)
            | Self::GainBelowThatOf(other)
            | Self::VlbShareBelowThatOf(other) => Some(other),
            _ => None,
        }
    }
}

/// The name of a scheme as the paper writes it.
pub(super) fn published_name(scheme: &str, t_ugal: bool) -> String {
    format!("{}{}", if t_ugal { "T-" } else { "" }, scheme.to_uppercase())
}

/// The statements that an experiment decides.
pub(super) fn of(experiment: &str) -> impl Iterator<Item = &'static Stated> {
    STATED.iter().filter(move |stated| stated.experiment == experiment)
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::{Experiment, Kind};
    use super::super::find;
    use super::super::results::ROUTINGS;
    use super::*;
    use tvlb_throughput::path_set;

    fn experiment(name: &str) -> &'static Experiment {
        find(name).unwrap_or_else(|| panic!("{name} is an experiment"))
    }

    /// A scheme and a variant that a study has.
    fn check(
        experiment: &Experiment,
        scheme: Option<&str>,
        variant: Option<&str>,
        stated: &Stated,
    ) {
        let Kind::Curves(study) = &experiment.kind else { panic!("{stated:?}") };
        assert!(study.schemes.iter().any(|s| Some(s.name()) == scheme), "{stated:?}");
        if let Some(variant) = variant {
            assert!(study.variants.iter().any(|v| v.name == variant), "{stated:?}");
        }
    }

    #[test]
    fn every_statement_names_an_experiment_scheme_and_variant_that_exist() {
        for stated in STATED.iter() {
            let experiment = experiment(&stated.experiment);
            let (scheme, variant) = (stated.scheme.as_deref(), stated.variant.as_deref());
            match &experiment.kind {
                Kind::Curves(study) => {
                    check(experiment, scheme, variant, stated);
                    if stated.claim.is_number() {
                        let is_named = study.variants.iter().all(|v| !v.name.is_empty());
                        assert_eq!(variant.is_some(), is_named, "{stated:?}");
                    }
                }
                Kind::Model { .. } => assert!(scheme.is_none() && variant.is_none(), "{stated:?}"),
                Kind::Topologies => {
                    let groups = ["9", "17", "27", "33"];
                    assert!(variant.is_some_and(|g| groups.contains(&g)), "{stated:?}");
                }
                Kind::Failure
                | Kind::Ageing(_)
                | Kind::Arrangements(..)
                | Kind::Placements(_)
                | Kind::PerHop(_) => {
                    panic!("the paper says nothing of it: {stated:?}")
                }
                Kind::Imbalance(_) | Kind::NeighbourPhase => {
                    assert!(scheme.is_none() && variant.is_none(), "{stated:?}");
                    assert!(!stated.claim.is_number(), "{stated:?}");
                }
            }
            match &stated.claim {
                Claim::VariantBelow { less, more } => {
                    check(experiment, scheme, Some(less), stated);
                    check(experiment, scheme, Some(more), stated);
                }
                // All loads in tenths are run, with `--quick` too.
                Claim::Latency { load, .. } | Claim::LatencyGain { load, .. } => {
                    let tenths = load * 10.0;
                    assert!((tenths - tenths.round()).abs() < 1e-9, "{stated:?}");
                }
                Claim::Throughput { set, .. } | Claim::Largest { set } => assert!(is_modelled(set)),
                Claim::Similar { set, sets } => {
                    assert!(is_modelled(set) && sets.iter().all(|set| is_modelled(set)));
                }
                Claim::ThroughputWithin { routing, .. }
                | Claim::FallsWithSize { routing }
                | Claim::BelowBeyond { routing, .. } => {
                    assert!(ROUTINGS.contains(&routing.as_str()), "{stated:?}");
                }
                Claim::ThroughputAbove { more, less } | Claim::LeadRises { more, less } => {
                    let are_routings = [more, less].map(|name| ROUTINGS.contains(&name.as_str()));
                    assert_eq!(are_routings, [true, true], "{stated:?}");
                }
                claim => {
                    let Some(other) = claim.other() else { continue };
                    let than = other.experiment.as_deref().map_or(experiment, self::experiment);
                    check(than, other.scheme.as_deref().or(scheme), variant, stated);
                }
            }
        }
    }

    fn is_modelled(set: &str) -> bool {
        path_set::table_1(1).iter().any(|one| one.name() == set)
    }

    #[test]
    fn the_gains_follow_from_the_other_numbers() {
        for stated in STATED.iter() {
            let number = |t_ugal: bool, load: Option<f64>| {
                let same = STATED.iter().filter(|other| {
                    (&other.experiment, &other.scheme) == (&stated.experiment, &stated.scheme)
                        && other.t_ugal == t_ugal
                });
                let mut found = same.filter_map(|other| match (&other.claim, load) {
                    (Claim::Latency { load: at, cycles }, Some(load))
                        if (at - load).abs() < 1e-9 =>
                    {
                        Some(*cycles)
                    }
                    (Claim::Saturation { load }, None) => Some(*load),
                    _ => None,
                });
                found.next().unwrap_or_else(|| panic!("{stated:?}"))
            };
            let (found, percent) = match stated.claim {
                Claim::LatencyGain { load, percent } => {
                    (number(false, Some(load)) / number(true, Some(load)), percent)
                }
                Claim::SaturationGain { percent } => {
                    (number(true, None) / number(false, None), percent)
                }
                _ => continue,
            };
            assert!(((found - 1.0) * 100.0 - percent).abs() < 0.5, "{stated:?}: {found}");
        }
    }
}
