//! Statements of the paper in words, and their numbers in their units.

use super::stated::{Claim, Counted, Other, Stated, published_name};
use tvlb_generator::counted::with_sign;

/// How far a figure may lie from the paper's.
pub(super) const TOLERANCE: f64 = 0.05;

/// What a stated number counts.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// A mean latency.
    Cycles,
    /// A load, in flits per node and cycle.
    Load,
    /// A gain, in percent.
    Percent,
    /// A fraction of a link.
    Throughput,
    /// A whole number.
    Count,
}

impl Unit {
    pub(super) fn text(self, value: f64) -> String {
        match self {
            Self::Cycles => format!("{value:.1}"),
            Self::Load => format!("{value:.2}"),
            Self::Percent => format!("{value:.1}%"),
            Self::Throughput => format!("{value:.4}"),
            Self::Count => format!("{value:.0}"),
        }
    }

    /// The difference in words, and whether it is within the tolerance. A gain is a ratio of two
    /// figures, so it is that ratio which may differ by the tolerance.
    pub(super) fn compare(self, ours: f64, stated: f64) -> (String, bool) {
        let difference = ours / stated - 1.0;
        let (text, difference) = match self {
            Self::Percent => {
                let points = format!("{} points", with_sign(ours - stated, 1));
                (points, (100.0 + ours) / (100.0 + stated) - 1.0)
            }
            Self::Count => (with_sign(ours - stated, 0), difference),
            _ => (format!("{}%", with_sign(100.0 * difference, 1)), difference),
        };
        (text, difference.abs() <= TOLERANCE + 1e-9)
    }
}

impl Claim {
    pub(super) fn number(&self) -> Option<(f64, Unit)> {
        Some(match self {
            Self::Latency { cycles, .. } => (*cycles, Unit::Cycles),
            Self::Saturation { load } => (*load, Unit::Load),
            Self::LatencyGain { percent, .. } | Self::SaturationGain { percent } => {
                (*percent, Unit::Percent)
            }
            Self::Throughput { of_link, .. } => (*of_link, Unit::Throughput),
            Self::Count { number, .. } => (f64::from(*number), Unit::Count),
            _ => return None,
        })
    }
}

impl Stated {
    /// The stated number as text.
    pub(super) fn number(&self) -> Option<String> {
        self.claim.number().map(|(number, unit)| match unit {
            // The paper gives two digits.
            Unit::Throughput => format!("{number:.2}"),
            unit => unit.text(number),
        })
    }

    /// What is stated, in words.
    pub(super) fn what(&self) -> String {
        let scheme = self.scheme.as_deref().unwrap_or_default();
        let (name, t_name) = (published_name(scheme, false), published_name(scheme, true));
        let own = if self.t_ugal { &t_name } else { &name };
        let than = |other: &Other| {
            let scheme = published_name(other.scheme.as_deref().unwrap_or(scheme), false);
            other.experiment.as_ref().map_or(scheme.clone(), |named| format!("{scheme} in {named}"))
        };
        let text = match &self.claim {
            Claim::Latency { load, .. } => format!("{own}: latency at {load}"),
            Claim::Saturation { .. } => format!("{own}: saturation"),
            Claim::LatencyGain { load, .. } => {
                format!("{t_name}: latency lower than {name} at {load}")
            }
            Claim::SaturationGain { .. } => format!("{t_name}: saturation higher than {name}"),
            Claim::Throughput { set, .. } => format!("{set}: modelled throughput"),
            Claim::Count { what, .. } => {
                let groups = self.variant.as_deref().unwrap_or_default();
                format!("{}, g = {groups}", what.name())
            }
            Claim::LatencyBelow => {
                format!("{t_name} has less latency than {name} at every load below saturation")
            }
            Claim::LatencySimilar => {
                format!("{t_name} has a latency similar to {name} at the lowest load")
            }
            Claim::SaturationAbove => format!("{t_name} saturates above {name}"),
            Claim::NoSaturationAbove => format!("a subset of paths does not saturate above {name}"),
            Claim::SaturationBelowThatOf(other) => {
                format!("{name} saturates below {}, and so with T-UGAL", than(other))
            }
            Claim::GainAboveThatOf(other) => {
                format!("T-UGAL raises the saturation of {name} more than of {}", than(other))
            }
            Claim::GainBelowThatOf(other) => {
                format!("T-UGAL raises the saturation of {name} less than of {}", than(other))
            }
            Claim::VlbShareBelowThatOf(other) => {
                format!("{name} sends a smaller share by VLB than {}", than(other))
            }
            Claim::VariantBelow { less, more } => {
                format!("{own} saturates below {more} with {less}")
            }
            Claim::VariantsMatter => format!("{own}: the settings matter for its saturation"),
            Claim::Largest { set } => format!("{set} has the largest modelled throughput"),
            Claim::Similar { set, sets } => format!("{} are similar to {set}", sets.join(", ")),
            Claim::ThroughputWithin { routing, least, most } => {
                format!("{routing} carries {least:.2} to {most:.2} on every system")
            }
            Claim::FallsWithSize { routing } => {
                format!("{routing} carries the less the larger the system")
            }
            Claim::BelowBeyond { routing, load, switches } => {
                format!("{routing} carries less than {load:.2} beyond {switches} switches")
            }
            Claim::ThroughputAbove { more, less } => {
                format!("{more} carries more than {less} on every system")
            }
            Claim::LeadRises { more, less } => {
                format!("{more} is ahead of {less} by a share that rises with the size")
            }
            Claim::ThroughputBelow { load } => {
                format!("no routing carries {load:.2} on any system")
            }
            Claim::NotChecked { what, .. } => what.clone(),
        };
        match &self.variant {
            Some(variant) if !scheme.is_empty() => format!("{text}, {variant}"),
            _ => text,
        }
    }
}

impl Counted {
    const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Switches => "switches",
            Self::Groups => "groups",
            Self::LinksPerPair => "links per pair of groups",
            Self::Ports => "ports of a switch",
        }
    }
}
