//! The names of traffic patterns: what is written on the command line, in files and in reports.

use crate::flow_file::{FlowEnd, ListedFlow};
use crate::in_time::{self, InTime, Stretch};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use tvlb_base::text::{Refused, quoted};
use tvlb_schema::NodeId;

/// The texts that are read as patterns, and as placements, for the help of commands.
pub const PATTERNS: &str = "Traffic (--traffic):
  uniform             each packet to a node drawn from all
  uniform-others      each packet to a node drawn from all but the sender
  shift(Δg,Δs)        from switch (i, j) to switch (i+Δg, j+Δs), same terminal (TYPE_1)
  type2, type2#K      a permutation of groups without fixed ones, and of each group's switches;
                      the first of the seed, or the one of number K, counted from 0
  permutation[#K]     a random permutation of the nodes
  complement          node n to node N−1−n
  mixed(u,v[,Δg,Δs])  u percent of the nodes uniform, v percent shift(Δg,Δs), by default (1,0)
  tmixed(u,v[,Δg,Δs]) the same per packet
  hot-switch          the first switch of each group to that of the next group, the rest uniform
  next-group[(Δg)]    each packet to a node drawn from the group Δg further, by default the next
  adv-consecutive     each packet to a node drawn from the next h groups
                      Where groups differ, all of these but uniform traffic, permutations and
                      complement send to groups of as many switches with as many nodes each.
                      The only group of its kind sends nothing. No node is sent to by two nodes of
                      a shift or type2: the second is silent.
  hotspot(N,PERCENT)  this percentage of the packets to one of N nodes that the seed draws, the
                      rest to a node drawn from all
  incast(N[,M])       N nodes send to each of M others (1) alone, all drawn by the seed; the
                      rest uniform
  flows:FILE          CSV with the header source-node,destination-node,demand, or -switch for
                      -node; the demand may be left out. A node draws destinations by the demands
                      of its lines; all its demands, as a part of the greatest of any node, are
                      its part of the load. Nodes without a line are silent
  PATTERN in bursts(A,B)
                      each node sends for A cycles and is silent for B, both on average, at its load on average
  PATTERN then PATTERN [at LOAD] from CYCLE [then ...]
                      other traffic from a cycle on, counted from the beginning of the warm-up

Placements (--place) say on which node each process of the traffic runs:
  identity            process k on node k
  spread              on the nodes of every group's first switch, then of its second, and so on
  random              on nodes in random order
  groups              the processes of each group on a group drawn by the seed, in their order
  listed:FILE         a node in each line, by number or name, of process 0, 1, ...; every node once
";

/// A traffic pattern, on no fabric in particular.
///
/// If it sends to a group further on, or permutes groups, these are groups of as many switches with as many nodes
/// each; those that are the only ones of their kind are one more list. In a map of nodes nobody receives from two:
/// who would be the second is silent, and uniform where part of a mixture.
///
/// # Example
/// ```
/// use tvlb_traffic::Pattern;
///
/// let pattern: Pattern = "mixed(50,50)".parse()?;
/// // Of which adversarial traffic, where it is not said.
/// assert_eq!(pattern.to_string(), "mixed(50,50,1,0)");
/// let error = "shift(2)".parse::<Pattern>().unwrap_err();
/// assert!(error.to_string().contains("shift"));
/// # Ok::<(), tvlb_base::text::Refused>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Each packet to a node drawn from all.
    Uniform,
    /// shift(Δg, Δs), the paper's `TYPE_1`: from switch (i, j) to switch (i + Δg, j + Δs), to the
    /// node on the same terminal.
    Shift {
        /// Δg.
        groups: u32,
        /// Δs.
        switches: u32,
    },
    /// The paper's `TYPE_2`: a permutation of the groups that leaves no group in place, and one of
    /// the switches of each group.
    TypeTwo {
        /// Which of the patterns that a seed gives, from 0; the paper's `TYPE_2_SET` are the first 20.
        number: u32,
    },
    Permutation {
        /// Which of the permutations that a seed gives, from 0.
        number: u32,
    },
    /// Node n to node N − 1 − n: the complement of its bits if N is a power of two.
    Complement,
    /// u percent of the nodes uniform, v percent shifting.
    Mixed {
        uniform: u32,
        adversarial: u32,
        /// Δg of the others.
        groups: u32,
        /// Δs of the others.
        switches: u32,
    },
    /// u percent of the packets uniform, v percent shifting.
    TMixed {
        uniform: u32,
        adversarial: u32,
        /// Δg of the others.
        groups: u32,
        /// Δs of the others.
        switches: u32,
    },
    /// The nodes of the first switch of each group to the first switch of the next group, the
    /// rest uniform.
    HotSwitch,
    /// Each packet to a node drawn from all but the sender.
    UniformOthers,
    /// Each packet to a node drawn from a group so many further, adversarial traffic ADV+i of the
    /// literature.
    NextGroup {
        /// How many groups further.
        groups: u32,
    },
    /// Each packet to a node drawn from the next h groups, `ADVc` of the literature (Fuentes et al. 2015). In
    /// the wirings where a switch's global links lead to consecutive groups, one switch of each group has all of it.
    AdvConsecutive,
    /// This percentage of the packets to one of a few nodes, which the seed draws; the others to a node drawn from all.
    Hotspot {
        /// How many nodes are hot.
        nodes: u32,
        percent: u32,
    },
    /// Many nodes send to each of a few alone, and the rest are uniform. The seed draws all of them.
    Incast {
        /// How many nodes send to each receiver.
        senders: u32,
        receivers: u32,
    },
    /// Listed flows, as [`read_flows`](crate::read_flows) reads them. A node draws the destination of each packet by
    /// the demands of its flows. All its demands, as a part of the greatest of any node, say which part of the load it
    /// offers; nodes that are no source are silent.
    Flows(Arc<[ListedFlow]>),
    /// A pattern, of which each node sends in bursts.
    Bursts {
        of: Box<Self>,
        /// The mean length of a burst, in cycles.
        sending: u32,
        /// The mean length of the silence between two, in cycles.
        silent: u32,
    },
    /// Patterns that follow each other during a run.
    Changing {
        first: Box<Self>,
        /// By rising cycles.
        then: Vec<Stretch<Self>>,
    },
}

/// What a pattern may be.
const ACCEPTED: &str = "uniform, uniform-others, shift(Δg,Δs), type2, type2#k, permutation, \
    permutation#k, complement, mixed(u,v), mixed(u,v,Δg,Δs), tmixed(u,v), tmixed(u,v,Δg,Δs), hot-switch, \
    next-group, next-group(Δg), adv-consecutive, hotspot(n,percent), incast(n), incast(n,m), PATTERN in bursts(CYCLES,CYCLES), PATTERN then PATTERN [at LOAD] \
    from CYCLE";

/// The patterns' names, and a text that is one of each.
const NAMES: [(&str, &str); 14] = [
    ("uniform", "uniform"),
    ("uniform-others", "uniform-others"),
    ("shift", "shift(Δg,Δs)"),
    ("type2", "type2"),
    ("permutation", "permutation"),
    ("complement", "complement"),
    ("mixed", "mixed(u,v)"),
    ("tmixed", "tmixed(u,v)"),
    ("hot-switch", "hot-switch"),
    ("next-group", "next-group"),
    ("adv-consecutive", "adv-consecutive"),
    ("hotspot", "hotspot(n,percent)"),
    ("incast", "incast(n)"),
    ("flows", "flows:FILE"),
];

/// " (did you mean X?)" where a text is near a pattern's name.
pub fn hint(text: &str) -> String {
    let written = text.split(['(', ':', '#']).next().unwrap_or(text).trim();
    let is_shift = written.eq_ignore_ascii_case("shift");
    if is_shift && text.contains('-') {
        return " (a shift counts forwards: one group back is Δg = g−1, one switch back Δs = a−1)"
            .to_owned();
    }
    let meant = tvlb_base::text::nearest(written, NAMES.map(|(name, _)| name));
    let form = meant.and_then(|meant| NAMES.iter().find(|(name, _)| *name == meant));
    form.map_or_else(String::new, |(_, form)| format!(" (did you mean {form}?)"))
}

impl FromStr for Pattern {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Self, Refused> {
        if let Some(found) = in_time::parse(text) {
            return Ok(match found? {
                InTime::Bursts { of, sending, silent } => {
                    Self::Bursts { of: Box::new(of), sending, silent }
                }
                InTime::Changing { first, then } => Self::Changing { first: Box::new(first), then },
            });
        }
        let unknown = || {
            Refused::new(
                format!("{} is not a traffic pattern{}", quoted(text), hint(text)),
                ACCEPTED,
            )
        };
        let (name, rest) = text.trim().split_once('(').unwrap_or((text.trim(), ")"));
        let list = rest.strip_suffix(')').ok_or_else(unknown)?;
        let arguments: Vec<u32> = if list.is_empty() {
            Vec::new()
        } else {
            list.split(',')
                .map(|n| n.trim().parse())
                .collect::<Result<_, _>>()
                .map_err(|_| unknown())?
        };
        let one_ahead = (1, 0);
        // The number of one of several patterns that a seed gives.
        if let ("type2" | "permutation", []) = (name.split('#').next().unwrap_or(name), &*arguments)
            && text.trim() == name
        {
            let (name, number) = name.split_once('#').unwrap_or((name, "0"));
            let number = number.parse().map_err(|_| unknown())?;
            return Ok(if name == "type2" {
                Self::TypeTwo { number }
            } else {
                Self::Permutation { number }
            });
        }
        Ok(match (name.trim(), arguments.as_slice()) {
            ("uniform", []) => Self::Uniform,
            ("shift", &[groups, switches]) => Self::Shift { groups, switches },
            ("complement", []) => Self::Complement,
            ("hot-switch", []) => Self::HotSwitch,
            ("uniform-others", []) => Self::UniformOthers,
            ("next-group", []) => Self::NextGroup { groups: 1 },
            ("adv-consecutive", []) => Self::AdvConsecutive,
            ("hotspot", &[nodes, percent]) => Self::Hotspot { nodes, percent },
            ("incast", &[senders]) => Self::Incast { senders, receivers: 1 },
            ("incast", &[senders, receivers]) => Self::Incast { senders, receivers },
            ("next-group", &[groups]) => Self::NextGroup { groups },
            ("mixed", &[uniform, adversarial]) => {
                let (groups, switches) = one_ahead;
                Self::Mixed { uniform, adversarial, groups, switches }
            }
            ("mixed", &[uniform, adversarial, groups, switches]) => {
                Self::Mixed { uniform, adversarial, groups, switches }
            }
            ("tmixed", &[uniform, adversarial]) => {
                let (groups, switches) = one_ahead;
                Self::TMixed { uniform, adversarial, groups, switches }
            }
            ("tmixed", &[uniform, adversarial, groups, switches]) => {
                Self::TMixed { uniform, adversarial, groups, switches }
            }
            _ => return Err(unknown()),
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Shift { groups, switches } => write!(f, "shift({groups},{switches})"),
            Self::TypeTwo { number: 0 } => f.write_str("type2"),
            Self::TypeTwo { number } => write!(f, "type2#{number}"),
            Self::Permutation { number: 0 } => f.write_str("permutation"),
            Self::Permutation { number } => write!(f, "permutation#{number}"),
            Self::Complement => f.write_str("complement"),
            Self::Mixed { uniform, adversarial, groups, switches } => {
                write!(f, "mixed({uniform},{adversarial},{groups},{switches})")
            }
            Self::TMixed { uniform, adversarial, groups, switches } => {
                write!(f, "tmixed({uniform},{adversarial},{groups},{switches})")
            }
            Self::HotSwitch => f.write_str("hot-switch"),
            Self::UniformOthers => f.write_str("uniform-others"),
            Self::NextGroup { groups: 1 } => f.write_str("next-group"),
            Self::NextGroup { groups } => write!(f, "next-group({groups})"),
            Self::AdvConsecutive => f.write_str("adv-consecutive"),
            Self::Hotspot { nodes, percent } => write!(f, "hotspot({nodes},{percent})"),
            Self::Incast { senders, receivers: 1 } => write!(f, "incast({senders})"),
            Self::Incast { senders, receivers } => write!(f, "incast({senders},{receivers})"),
            Self::Flows(flows) if flows.len() == 1 => f.write_str("1 listed flow"),
            Self::Flows(flows) => write!(f, "{} listed flows", flows.len()),
            Self::Bursts { of, sending, silent } => {
                write!(f, "{of} in bursts({sending},{silent})")
            }
            Self::Changing { first, then } => {
                write!(f, "{first}")?;
                then.iter().try_for_each(|part| write!(f, " then {part}"))
            }
        }
    }
}

impl Pattern {
    /// What is to be said of a run that measures so many cycles, where nodes send in bursts that last longer with their
    /// silences: some are then silent throughout, and others never.
    pub fn unmeasured_bursts(&self, cycles: u32) -> Option<String> {
        match self {
            Self::Bursts { sending, silent, .. } => (sending + silent > cycles).then(|| {
                format!(
                    "a burst and the silence after it last {} cycles on average, and {cycles} are measured: these are \
                     figures of the nodes that happened to send",
                    sending + silent
                )
            }),
            Self::Changing { first, then } => first
                .unmeasured_bursts(cycles)
                .or_else(|| then.iter().find_map(|part| part.pattern.unmeasured_bursts(cycles))),
            _ => None,
        }
    }

    /// Flows of one demand between these pairs of nodes, as if each stood on a line of its own.
    pub fn pairs(pairs: &[(NodeId, NodeId)]) -> Self {
        let listed = |(line, &(source, destination))| ListedFlow {
            line,
            source: FlowEnd::Node(source),
            destination: FlowEnd::Node(destination),
            demand: 1.0,
        };
        Self::Flows((1..).zip(pairs).map(listed).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for text in [
            "uniform",
            "shift(2,0)",
            "type2",
            "type2#7",
            "permutation",
            "permutation#1",
            "complement",
            "mixed(50,50,1,0)",
            "tmixed(10,90,2,1)",
            "hot-switch",
            "uniform-others",
            "next-group",
            "next-group(6)",
            "adv-consecutive",
            "hotspot(4,10)",
            "incast(16)",
            "incast(16,4)",
        ] {
            assert_eq!(text.parse::<Pattern>().unwrap().to_string(), text);
        }
        assert_eq!("type2#0".parse::<Pattern>(), "type2".parse());
        for text in
            ["type2#", "type2#-1", "type2#1#2", "type2()", "type2#1()", "shift#1(1,0)", "type2(1)"]
        {
            assert!(text.parse::<Pattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_may_have_been_meant_is_said() {
        for (text, meant) in [
            ("Uniform", "uniform"),
            ("unifrom", "uniform"),
            ("TYPE_2", "type2"),
            ("type-2", "type2"),
            ("hot switch", "hot-switch"),
            ("Shift(2,0)", "shift(Δg,Δs)"),
            ("shift(1)", "shift(Δg,Δs)"),
            ("permutations", "permutation"),
            ("flow:flows.csv", "flows:FILE"),
            ("hot-spot(4,10)", "hotspot(n,percent)"),
        ] {
            let error = text.parse::<Pattern>().unwrap_err().to_string();
            assert!(error.contains(&format!(" (did you mean {meant}?), accepted ")), "{error}");
        }
        for text in ["sideways", "tornado", "", "x", "all"] {
            let error = text.parse::<Pattern>().unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{error}");
        }
        let error = "shift(-1,0)".parse::<Pattern>().unwrap_err().to_string();
        assert!(error.contains("one group back is Δg = g−1"), "{error}");
    }
}
