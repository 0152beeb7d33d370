//! The policies that are tried besides Step 1's sets, by kind of fabric and by scheme: found by search and by
//! measurement (docs/measurements/step-2.md).
//!
//! A family is a list of policies as texts. Each is worth its runs on some fabric; a contest decides whether it is on
//! this one.

use crate::fabric::Fabric;
use tvlb_simulator::Scheme;

/// The policies to try for one scheme.
#[derive(Debug)]
pub struct Family {
    /// Whole policies; a scheme of one decision takes the first of two joined by `then`.
    pub policies: &'static [&'static str],
    /// How to weigh the sets of Step 1's front, by decision. The measured optimum of most sets is near these.
    pub weighing: &'static [&'static str],
}

/// The policies to try on fabrics of one kind.
#[derive(Debug)]
pub struct Families {
    ugal_l: Family,
    ugal_group: Family,
    par: Family,
}

impl Families {
    /// Every switch has nodes and global links.
    ///
    /// All count queues by channel: if both were tried, none with queues by port was chosen ("Candidates by channel").
    /// Their VLB packets continue through the cheapest link, which never carried less ("Looks and what the group
    /// tells"). PAR's second look sees the congestion of the other switch's own links: its gate is higher than that at
    /// the source, and fewer candidates are enough. In the mixture, which a search found ("Mixtures"), both gates are
    /// high and the weights decide; it carries most if groups are large. UGAL by the group has T instead of the gate:
    /// with a larger T it carries more of uniform traffic and less of adversarial traffic.
    pub const DRAGONFLY: Self = Self {
        ugal_l: Family {
            policies: &[
                "shapes:011+020+100 by shape 1x4 gate=1 queue=channel onward=cheapest",
                "strategic-2-3 by shape 1x4 gate=1 queue=channel onward=cheapest",
                "5-hop by shape 1x3 gate=1 queue=channel onward=cheapest",
                "all by shape 1x4 gate=1.25 queue=channel onward=cheapest",
            ],
            weighing: &["1x4 gate=1 queue=channel onward=cheapest"],
        },
        ugal_group: Family {
            policies: &[
                "strategic-2-3 by shape 1x4 T=12 queue=channel onward=cheapest",
                "strategic-2-3 by shape 1x4 T=18 queue=channel onward=cheapest",
                "strategic-2-3 by shape 1x4 T=24 queue=channel onward=cheapest",
                "all by shape 1x6 T=12 queue=channel onward=cheapest",
                "all by shape 1x6 T=20 queue=channel onward=cheapest",
            ],
            weighing: &["1x4 T=18 queue=channel onward=cheapest"],
        },
        par: Family {
            policies: &[
                "switches:2-3 with returns 1x2 gate=1.5 queue=channel onward=cheapest MIN=shortest",
                "switches:2-3 with returns queue=channel onward=cheapest \
                 then switches:2-3 with returns 1x2 gate=1.5 queue=channel MIN=shortest",
                "5-hop by shape 1x4 gate=1.25 queue=channel onward=cheapest \
                 then switches:2-3 with returns 1x2 gate=1.5 queue=channel MIN=shortest",
                "shapes:011+020+100 by shape 1x4 gate=1.25 queue=channel onward=cheapest \
                 then switches:2-3 with returns 1x2 gate=1.5 queue=channel MIN=shortest",
                "shapes:021+110 T=-4 1x3 gate=1.8125 queue=channel \
                 then 2*only:000+001+011+020, only:010+100, 4*only:110, 8*only:120 1x6 gate=1.6875 queue=channel",
            ],
            weighing: &[
                "1x4 gate=1.25 queue=channel onward=cheapest",
                "1x2 gate=1.5 queue=channel MIN=shortest",
            ],
        },
    };

    /// Groups consist of leaves and spines.
    ///
    /// Between leaves there are the shapes 101, through one spine of the intermediate group, and 121, which turns back
    /// to a leaf there. A leaf has few links, which all lead to spines, so a gate or several candidates at the source
    /// lose some of the traffic that is not adversarial ("Dragonfly+"). PAR's second look is at a spine, at the queue
    /// of the port, and diverts a packet only for a difference of some flits.
    pub const DRAGONFLY_PLUS: Self = Self {
        ugal_l: Family {
            policies: &[
                "all by shape queue=channel",
                "all by shape T=2 queue=channel",
                "2*only:101, only:121 queue=channel",
            ],
            weighing: &["queue=channel"],
        },
        ugal_group: Family {
            policies: &[
                "all by shape 1x4 T=12 queue=channel onward=cheapest",
                "all by shape 1x4 T=24 queue=channel onward=cheapest",
                "2*only:101, only:121 1x4 T=18 queue=channel onward=cheapest",
            ],
            weighing: &["1x4 T=18 queue=channel onward=cheapest"],
        },
        par: Family {
            policies: &[
                "all by shape queue=channel then all by shape T=4",
                "all by shape queue=channel then all by shape T=8",
                "all by shape T=2 queue=channel then all by shape T=4",
                "2*only:101, only:121 queue=channel then all by shape T=4",
            ],
            weighing: &["queue=channel", "T=4"],
        },
    };

    /// The policies for a fabric.
    pub fn for_fabric(fabric: &Fabric) -> &'static Self {
        if fabric.is_dragonfly_plus() { &Self::DRAGONFLY_PLUS } else { &Self::DRAGONFLY }
    }

    /// The policies for a scheme.
    pub const fn of(&self, scheme: Scheme) -> &Family {
        match scheme {
            Scheme::Par => &self.par,
            Scheme::UgalGroup => &self.ugal_group,
            _ => &self.ugal_l,
        }
    }
}
