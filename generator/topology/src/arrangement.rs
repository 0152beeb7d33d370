//! The named ways to lay the cables of a Dragonfly, and the one function that lays them.
//!
//! Each arrangement is a file of its own next to this one. `dragonfly-plus` says which switches have nodes and which
//! have global links, and is described there. The others, those of [`Arrangement::ALL`], have this in common, for every
//! Dragonfly:
//! - with K = ⌊a·h / (g−1)⌋, each pair of groups gets K or K + 1 links, and exactly K if g − 1 divides a·h;
//! - a cable joins one port to one port, so following it twice leads back (the map is an involution);
//! - a port stays unused only if a·h·g is odd. `absolute`, `absolute-classic` and `random` then leave one port of the
//!   fabric unused, the fewest possible; `relative`, `circulant` and `palmtree` leave one of each group, the fewest
//!   possible for a wiring in which all groups are alike (see `rotation.rs`).
//!
//! The papers define their arrangements for g = a·h + 1, where each pair has one link. For more links per pair we lay
//! the paper's arrangement several times, each time on the next g − 1 ports of every group. The K links of a pair are
//! then g − 1 ports apart, on K different switches if h ≤ g − 1; the other obvious choice, K neighbouring ports to the
//! same group, would put them on the same switch and so make one switch of the group the only way to another group.
//! (The extra link that some pairs get if g − 1 does not divide a·h may share a switch with another.)

use super::{
    CableError, Topology, absolute, circulant, classic, dragonfly_plus, palmtree, random, relative,
};
use std::{fmt, str::FromStr};
use tvlb_schema::{Dragonfly, Nodes};

/// A named way to lay the cables of a Dragonfly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// Round by round to the next group with a free port: Rahman et al., SC'19.
    #[default]
    Absolute,
    /// Port q of a group leads to the q-th other group: Hastings et al., Cluster'15; `BookSim`.
    AbsoluteClassic,
    /// Port q leads q + 1 groups on: Hastings et al., Cluster'15.
    Relative,
    /// Ports lead 1 on, 1 back, 2 on, 2 back, …: Hastings et al., Cluster'15.
    Circulant,
    /// Port q leads q + 1 groups back: Camarero et al., TACO 2014; Prisacari et al., 2015.
    Palmtree,
    /// Drawn from a seed.
    Random,
    /// Groups of leaves and spines, whose global links are spread over the spines.
    DragonflyPlus {
        /// How many of the switches of a group are leaves, which have the nodes: the first ones, at least 1 and fewer
        /// than all.
        leaves: u8,
    },
}

impl Arrangement {
    /// All that any Dragonfly can have, the default first.
    pub const ALL: [Self; 6] = [
        Self::Absolute,
        Self::AbsoluteClassic,
        Self::Relative,
        Self::Circulant,
        Self::Palmtree,
        Self::Random,
    ];

    /// Its name in a fabric file and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absolute => "absolute",
            Self::AbsoluteClassic => "absolute-classic",
            Self::Relative => "relative",
            Self::Circulant => "circulant",
            Self::Palmtree => "palmtree",
            Self::Random => "random",
            Self::DragonflyPlus { .. } => "dragonfly-plus",
        }
    }

    /// The nodes of a fabric with these sizes: all, or those of leaves.
    pub fn nodes(self, df: &Dragonfly) -> Nodes {
        match self {
            Self::DragonflyPlus { leaves } => dragonfly_plus::nodes(df, leaves),
            _ => Nodes::from(df),
        }
    }
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no arrangement has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no arrangement {}; the arrangements are {}", tvlb_base::text::quoted(.found), Arrangement::ALL.map(Arrangement::name).join(", "))]
pub struct UnknownArrangement {
    pub found: String,
}

impl FromStr for Arrangement {
    type Err = UnknownArrangement;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|arrangement| arrangement.name() == name)
            .ok_or_else(|| UnknownArrangement { found: name.to_owned() })
    }
}

/// Lays the cables of a Dragonfly, and if the arrangement has leaves and spines the links between them. Only
/// [`Arrangement::Random`] uses the seed.
///
/// # Errors
/// None in practice. A faulty arrangement, for instance with two cables on one port, would be reported here and not
/// used.
///
/// # Panics
/// If [`Arrangement::DragonflyPlus`] has no leaf or no spine, or the spines of a group have too few global ports for a
/// link to each other group, so that [`dragonfly_plus::spines`] is `None`.
///
/// # Example
/// ```
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId};
///
/// let df = Dragonfly::new(4, 8, 4, 9)?;
/// let topology = arrange(df, Arrangement::default(), 1)?;
/// assert_eq!((topology.cables().len(), topology.links_per_pair()), (144, (4, 4)));
/// // Both ends of a cable know of each other.
/// let here = End { group: GroupId(3), port: GlobalPort(7) };
/// let there = topology.peer(here).ok_or("no cable")?;
/// assert_eq!(topology.peer(there), Some(here));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn arrange(df: Dragonfly, arrangement: Arrangement, seed: u64) -> Result<Topology, CableError> {
    let cables = match arrangement {
        Arrangement::Absolute => absolute::cables(&df),
        Arrangement::AbsoluteClassic => classic::cables(&df),
        Arrangement::Relative => relative::cables(&df),
        Arrangement::Circulant => circulant::cables(&df),
        Arrangement::Palmtree => palmtree::cables(&df),
        Arrangement::Random => random::cables(&df, seed),
        Arrangement::DragonflyPlus { leaves } => return Ok(dragonfly_plus::topology(df, leaves)),
    };
    Topology::from_cables(df, cables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tvlb_schema::End;

    const SEED: u64 = 7;

    fn laid(arrangement: Arrangement, (p, a, h, g): (u32, u32, u32, u32)) -> Topology {
        arrange(Dragonfly::new(p, a, h, g).unwrap(), arrangement, SEED).unwrap()
    }

    /// Checks everything that the module's documentation promises of every arrangement.
    fn check(arrangement: Arrangement, (a, h, g): (u32, u32, u32)) {
        let what = format!("{arrangement} on a = {a}, h = {h}, g = {g}");
        let topology = laid(arrangement, (1, a, h, g));
        let df = topology.dragonfly();

        for group in df.groups() {
            for port in df.global_ports() {
                let end = End { group, port };
                if let Some(far) = topology.peer(end) {
                    assert_ne!(far.group, group, "{what}: {end:?} stays in its group");
                    assert_eq!(topology.peer(far), Some(end), "{what}");
                }
            }
        }

        let k = (a * h / (g - 1)) as usize;
        let most = if (a * h).is_multiple_of(g - 1) { k } else { k + 1 };
        let (least_found, most_found) = topology.links_per_pair();
        assert!(
            least_found >= k && most_found <= most,
            "{what}: {least_found} to {most_found} links per pair"
        );

        let odd = (a * h * g % 2) as usize;
        let unused = match arrangement {
            Arrangement::Absolute | Arrangement::AbsoluteClassic | Arrangement::Random => odd,
            Arrangement::Relative | Arrangement::Circulant | Arrangement::Palmtree => {
                odd * g as usize
            }
            Arrangement::DragonflyPlus { .. } => unreachable!("not one of all Dragonflies"),
        };
        assert_eq!(topology.unused_ports(), unused, "{what}: unused ports");
    }

    #[test]
    fn all_arrangements_keep_their_promises_on_all_small_sizes() {
        for arrangement in Arrangement::ALL {
            for a in 1..=6 {
                for h in 1..=5 {
                    for g in 2..=a * h + 1 {
                        check(arrangement, (a, h, g));
                    }
                }
            }
        }
    }

    #[test]
    fn all_arrangements_keep_their_promises_on_real_sizes() {
        for arrangement in Arrangement::ALL {
            for size in [(16, 8, 129), (26, 13, 27), (32, 16, 75), (1, 64, 65)] {
                check(arrangement, size);
            }
        }
    }

    proptest! {
        #[test]
        fn all_arrangements_keep_their_promises(
            (a, h, g) in (1_u32..=20, 1_u32..=12)
                .prop_flat_map(|(a, h)| (Just(a), Just(h), 2..=a * h + 1)),
            arrangement in prop::sample::select(&Arrangement::ALL[..]),
        ) {
            check(arrangement, (a, h, g));
        }
    }

    /// The sizes that Rahman et al. evaluate, with their links per pair.
    #[test]
    fn the_evaluated_sizes_have_their_links_per_pair() {
        for (size, k) in
            [((4, 8, 4, 9), 4), ((4, 8, 4, 17), 2), ((4, 8, 4, 33), 1), ((13, 26, 13, 27), 13)]
        {
            for arrangement in Arrangement::ALL {
                let topology = laid(arrangement, size);
                assert_eq!(topology.links_per_pair(), (k, k), "{arrangement} {size:?}");
                assert_eq!(topology.unused_ports(), 0, "{arrangement} {size:?}");
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for arrangement in Arrangement::ALL {
            assert_eq!(arrangement.to_string().parse(), Ok(arrangement));
        }
        assert_eq!(
            "Absolut".parse::<Arrangement>().unwrap_err().to_string(),
            "there is no arrangement \"Absolut\"; the arrangements are absolute, \
             absolute-classic, relative, circulant, palmtree, random"
        );
    }

    /// In whole rounds with h ≤ g − 1, as the module's documentation says.
    #[test]
    fn links_of_a_pair_are_spread_over_switches() {
        for arrangement in [
            Arrangement::AbsoluteClassic,
            Arrangement::Relative,
            Arrangement::Circulant,
            Arrangement::Palmtree,
        ] {
            for size in [(1, 8, 4, 9), (1, 8, 4, 5), (1, 8, 3, 5), (1, 26, 13, 27)] {
                let topology = laid(arrangement, size);
                let df = topology.dragonfly();
                for i in df.groups() {
                    for j in df.groups().filter(|&j| j != i) {
                        let mut switches: Vec<_> = topology
                            .links(i, j)
                            .iter()
                            .map(|link| df.split_port(link.from).0)
                            .collect();
                        switches.dedup();
                        assert_eq!(
                            switches.len(),
                            topology.links(i, j).len(),
                            "{arrangement} {size:?}: {i} to {j}"
                        );
                    }
                }
            }
        }
    }
}
