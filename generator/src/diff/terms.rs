//! What new tables require of a machine built for the old ones: channels, credits, and time to drain.

use super::change::Change;
use serde::Serialize;
use tvlb_base::parameter::{Parameters, Stated};
use tvlb_firmware_model::{Channels, Error, Scheme, Switch, VlbPaths};
use tvlb_schema::{Decision, FabricImage, LinkKind, Queue};
use tvlb_simulator::Settings;
use tvlb_table_set::FabricEntry;

/// The most links that a packet crosses between switches, plus the one to its node.
const MOST_MOVES: u64 = 8;

/// Requirements that only the new tables have. Switches that do not meet them refuse the tables, also at boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Needs {
    /// Virtual channels of links within groups and between them, if packets are routed by UGAL-L.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels_for_ugal_l: Option<Change<[u8; 2]>>,
    /// The same if packets are routed by PAR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels_for_par: Option<Change<[u8; 2]>>,
    /// The credits of single virtual channels, if sums over the channels of a port were enough before.
    pub credits_by_channel: bool,
}

/// A machine whose links have exactly the virtual channels that its tables need for paths of their sets, and whose
/// switches know the credits of single channels only if the tables count these.
pub(super) struct LeastMachine {
    /// For UGAL-L and for PAR.
    channels: [Channels; 2],
    knows_sums_only: bool,
}

const SCHEMES: [Scheme; 2] = [Scheme::UgalL, Scheme::Par];

impl LeastMachine {
    pub(super) fn of(tables: &[Switch<'_>]) -> Self {
        let counts_channels = |switch: &Switch<'_>| {
            let of = |&decision| switch.image().weighing(decision).queue == Queue::Channel;
            Decision::ALL.iter().any(of)
        };
        Self {
            channels: SCHEMES.map(|scheme| most_needed(tables, scheme)),
            knows_sums_only: !tables.iter().any(counts_channels),
        }
    }

    /// What its switches lack for these tables. Each is asked as at boot, which is how it checks replacement tables.
    pub(super) fn needs(&self, tables: &[Switch<'_>]) -> Needs {
        let channels = |place: usize| {
            let (scheme, had) = (SCHEMES[place], self.channels[place]);
            let is_refused = tables.iter().any(|switch| {
                let asked = switch.clone().with_channels_for(scheme, VlbPaths::Custom, had);
                matches!(asked, Err(Error::TooFewChannels { .. }))
            });
            let needed = most_needed(tables, scheme);
            let pair = |Channels { local, global }| [local, global];
            is_refused.then(|| Change { old: pair(had), new: pair(needed) })
        };
        let is_refused = |switch: &Switch<'_>| switch.clone().with_sums_only().is_err();
        Needs {
            channels_for_ugal_l: channels(0),
            channels_for_par: channels(1),
            credits_by_channel: self.knows_sums_only && tables.iter().any(is_refused),
        }
    }
}

/// The virtual channels that links need for packets of all switches on the paths of their sets.
fn most_needed(tables: &[Switch<'_>], scheme: Scheme) -> Channels {
    let needed = tables.iter().map(|switch| switch.channels_needed_for(scheme, VlbPaths::Custom));
    needed.reduce(Channels::or).unwrap_or(Channels::MOST)
}

/// The most cycles until the packets under way have arrived, if nodes send no others: see `docs/machine-grows.md`.
pub(super) fn drained_after(
    fabric: &FabricEntry,
    plan: &FabricImage<'_>,
    tables: &[Switch<'_>],
) -> u64 {
    let settings = Settings::usual().on(fabric.into(), &Stated::default());
    let df = plan.dragonfly();
    let within = df.groups().flat_map(|group| {
        let pairs =
            df.indices(group).flat_map(move |one| df.indices(group).map(move |to| (one, to)));
        let pairs = pairs.filter(|(one, to)| one != to);
        pairs.map(move |(one, to)| u64::from(plan.planned_local_links(group, one, to)))
    });
    let links = [
        (LinkKind::Node, u64::from(df.node_count())),
        (LinkKind::Local, within.sum()),
        (LinkKind::Global, 2 * u64::from(plan.cable_count())),
    ];
    let channels = most_needed(tables, Scheme::Par).most();
    let flits = |(kind, links)| links * u64::from(channels) * u64::from(settings.buffers.of(kind));
    let latency = settings.local_latency_cycles.max(settings.global_latency_cycles);
    let gap = LinkKind::ALL.map(|kind| fabric.bandwidths.gap_256ths(kind).div_ceil(256));
    let between_moves = 2 * u64::from(latency)
        + u64::from(settings.credit_delay_cycles)
        + u64::from(gap.into_iter().max().unwrap_or(1));
    MOST_MOVES * links.into_iter().map(flits).sum::<u64>() * between_moves
}
