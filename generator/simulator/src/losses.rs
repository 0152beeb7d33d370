//! Counts of lost packets by cause and link, for networks with dying parts.

use crate::numbers::PortId;
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_firmware_model::Error;
use tvlb_schema::{Port, SwitchId};

/// How many packets were lost, by cause. The last two were never sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Losses {
    /// Packets on a link at a moment when it was dead: those that were on it when it died, and those that a switch sent
    /// onto it unknowingly.
    pub on_dead_links: u64,
    /// Packets that a switch dropped because its fault image lists their next link as dead.
    pub without_live_port: u64,
    /// Packets in the buffers and output queues of a switch that died, and those that its nodes had just
    /// sent.
    pub in_dead_switches: u64,
    /// Packets that a switch refused because their headers made no sense to it. The datapath never does this, whatever
    /// mixture of images switches have.
    pub astray: u64,
    /// Packets that waited in the source queues of nodes whose switch died.
    pub in_source_queues: u64,
    /// Packets that their source switch refused because it knew of no path to their destination.
    pub refused_at_source: u64,
}

impl Losses {
    /// How many packets were lost after they were sent.
    pub const fn sent(&self) -> u64 {
        self.on_dead_links + self.without_live_port + self.in_dead_switches + self.astray
    }

    /// How many packets were lost for any cause.
    pub const fn all(&self) -> u64 {
        self.sent() + self.in_source_queues + self.refused_at_source
    }

    pub(crate) const fn of(&mut self, cause: Cause) -> &mut u64 {
        match cause {
            Cause::DeadLink => &mut self.on_dead_links,
            Cause::NoLivePort => &mut self.without_live_port,
            Cause::DeadSwitch => &mut self.in_dead_switches,
            Cause::Astray => &mut self.astray,
            Cause::SourceQueue => &mut self.in_source_queues,
            Cause::Refused => &mut self.refused_at_source,
        }
    }
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    DeadLink,
    NoLivePort,
    DeadSwitch,
    Astray,
    SourceQueue,
    Refused,
}

impl Cause {
    /// Why a packet that a switch cannot forward is lost, if parts may be dead; `None` for errors that no dead part
    /// explains.
    pub(crate) const fn of(error: &Error) -> Option<Self> {
        match error {
            Error::NoCable { .. } | Error::NoChannel { .. } => Some(Self::NoLivePort),
            Error::Astray { .. } => Some(Self::Astray),
            _ => None,
        }
    }
}

/// A lost packet: the cause, and the output port through which it left or should have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) cause: Cause,
    pub(crate) port: Option<PortId>,
}

/// All packets lost so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossLog {
    pub(crate) total: Losses,
    /// For each output port, the packets lost on its link and those that could not leave through it.
    by_port: BTreeMap<PortId, [u64; 2]>,
}

impl LossLog {
    pub(crate) fn add(&mut self, Loss { cause, port }: Loss, count: u64) {
        *self.total.of(cause) += count;
        let place = match cause {
            Cause::DeadLink => 0,
            Cause::NoLivePort => 1,
            _ => return,
        };
        if let Some(port) = port {
            self.by_port.entry(port).or_default()[place] += count;
        }
    }

    /// The output ports with losses, in order.
    pub(crate) fn ports(&self) -> impl Iterator<Item = (PortId, [u64; 2])> {
        self.by_port.iter().map(|(&port, &counts)| (port, counts))
    }
}

/// The losses at one link in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LinkLosses {
    /// The switch that sends over the link.
    #[serde(skip)]
    pub switch: SwitchId,
    #[serde(skip)]
    pub port: Port,
    pub link: String,
    /// Packets lost on the link.
    pub on_dead_links: u64,
    /// Packets dropped because the switch knew that the link is dead.
    pub without_live_port: u64,
}

/// The result of a run in which parts died.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FaultFigures {
    /// Packets that nodes sent in the whole run.
    pub sent: u64,
    /// Packets delivered in the whole run.
    pub delivered: u64,
    /// Packets lost in the whole run.
    pub losses: Losses,
    pub links: Vec<LinkLosses>,
}
