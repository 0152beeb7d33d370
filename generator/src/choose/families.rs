//! The policies that are tried beside Step 1's sets, by the kind of fabric and by scheme: found by search and by
//! measurement (docs/measurements/step-2.md).
//!
//! A family is texts of policies. What it promises is that they are worth their runs somewhere; whether they are here,
//! a contest decides.

use crate::fabric::Fabric;
use tvlb_simulator::Scheme;

/// What is tried for one scheme.
#[derive(Debug)]
pub struct Family {
    /// Whole policies; of two with `then` between a scheme of one decision takes the first.
    pub policies: &'static [&'static str],
    /// How the sets of Step 1's front are weighed, by decision. The measured optimum of most sets is near these.
    pub weighing: &'static [&'static str],
}

/// What is tried on fabrics of one kind.
#[derive(Debug)]
pub struct Families {
    ugal_l: Family,
    ugal_group: Family,
    par: Family,
}

impl Families {
    /// Every switch has nodes and global links.
    ///
    /// All have their queues by channel: with queues by port none was chosen where both were tried ("Candidates by
    /// port"). Their VLB packets go on by the cheapest link, which never carried less ("Looks and what the group
    /// tells"). PAR's second look sees the congestion of the other switch's own links: there the gate is higher than
    /// at the source, and fewer candidates are enough. But in the mixture, which a search found ("Mixtures"), both
    /// gates are high and the weights do the rest; it carries most where groups are large. UGAL by the group has T in
    /// the place of the gate: the larger it is, the more of uniform traffic is carried, and the less of adversarial
    /// traffic.
    pub const DRAGONFLY: Self = Self {
        ugal_l: Family {
            policies: &[
                "strategic-2-3 by shape 1x4 gate=1 queue=channel onward=cheapest",
            ],
            weighing: &["1x4 gate=1 queue=channel onward=cheapest"],
        },
        ugal_group: Family {
            policies: &[
                "strategic-2-3 by shape 1x4 T=12 queue=channel onward=cheapest",
                "strategic-2-3 by shape 1x4 T=18 queue=channel onward=cheapest",
                "all by shape 1x6 T=12 queue=channel onward=cheapest",
            ],
            weighing: &["1x4 T=18 queue=channel onward=cheapest"],
        },
        par: Family {
            policies: &[
                "switches:2-3 with returns 1x2 gate=1.5 queue=channel onward=cheapest MIN=shortest",
                "switches:2-3 with returns queue=channel onward=cheapest \
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
    /// Between leaves there are the shapes 101, over one spine of the intermediate group, and 121, which turns up again
    /// there. A leaf has few links, which all lead to spines, so a gate or several candidates at the source lose of
    /// what is not adversarial ("Dragonfly+"). PAR's second look is at a spine, at the queue of the port, and has to
    /// see a difference of some flits before it turns a packet away.
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

    /// What suits a fabric.
    pub(crate) fn for_fabric(fabric: &Fabric) -> &'static Self {
        if fabric.is_dragonfly_plus() { &Self::DRAGONFLY_PLUS } else { &Self::DRAGONFLY }
    }

    /// What is tried for a scheme.
    pub const fn of(&self, scheme: Scheme) -> &Family {
        match scheme {
            Scheme::Par => &self.par,
            Scheme::UgalGroup => &self.ugal_group,
            _ => &self.ugal_l,
        }
    }
}
