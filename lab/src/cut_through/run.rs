//! One run of cut-through switches: cycles that warm the network up, then cycles that are measured; or a burst
//! until its last packet is delivered.

use super::audit::{AuditError, StuckPackets};
use super::counts::Counts;
use super::fabric::CutThroughFabric;
use super::network::PhitNetwork;
use super::outcome::{Before, CutThroughOutcome};
use super::packet::CutThroughPacket;
use super::settings::{CutThrough, Sending};
use std::num::NonZeroU32;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_base::text::Refused;
use tvlb_simulator::DatapathError;
use tvlb_simulator::parts::{
    MOST_FULL, Movement, WATCH, WindowSeries, advance_unless_cancelled, check_memory,
};
use tvlb_traffic::Traffic;

/// Why a run of cut-through switches ended without figures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CutThroughError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Datapath(#[from] Box<DatapathError>),
    #[error(transparent)]
    Stuck(#[from] StuckPackets),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(
        "{left} packets are not delivered after {cycles} cycles, which is as long as the run may take"
    )]
    TooLong { left: u32, cycles: u32 },
}

/// A run in progress, which the caller advances by as many cycles as it likes.
pub struct CutThroughRun<'f> {
    network: PhitNetwork<'f>,
    sending: Sending,
    movement: Movement,
}

impl<'f> CutThroughRun<'f> {
    /// A run at cycle 0. If all send to all, the traffic is ignored.
    ///
    /// # Errors
    /// The settings or the load make no sense.
    pub fn new(
        fabric: impl Into<CutThroughFabric<'f>>,
        settings: &'f CutThrough,
        traffic: &'f Traffic,
        sending: Sending,
        seed: u64,
    ) -> Result<Self, Refused> {
        let fabric = fabric.into();
        let channels = settings.check_with(fabric, sending, traffic)?;
        let window = match sending {
            Sending::Load(_) => {
                settings.warm_up_cycles..settings.warm_up_cycles + settings.measured_cycles
            }
            Sending::Burst(_) | Sending::AllToAll => 0..u32::MAX,
        };
        let counts = Counts::new(fabric.booted.dragonfly(), window);
        let network =
            PhitNetwork::new(fabric, settings, traffic, (channels, sending), seed, counts)?;
        Ok(Self { network, sending, movement: Movement::default() })
    }

    /// Counts deliveries by windows of this many cycles ([`CutThroughOutcome::series`]). Call it before the run
    /// advances.
    pub fn record_series(&mut self, window_cycles: NonZeroU32) {
        self.network.counts.series = Some(Box::new(WindowSeries::new(window_cycles.get())));
    }

    /// The cycle that comes next.
    pub const fn now(&self) -> u32 {
        self.network.now
    }

    /// Packets that switches have sent on so far, to nodes included.
    pub const fn grants(&self) -> u64 {
        self.network.grants
    }

    /// Runs some cycles.
    ///
    /// # Errors
    /// The cause that ended the run.
    pub fn advance(&mut self, cycles: u32) -> Result<(), CutThroughError> {
        for _ in 0..cycles {
            self.network.step()?;
            if self.network.now.is_multiple_of(WATCH) {
                self.watch()?;
            }
        }
        Ok(())
    }

    /// Runs from the beginning to the end, unless it is cancelled before.
    ///
    /// # Errors
    /// The cause that ended the run early.
    pub fn measure(
        mut self,
        progress: &dyn Progress,
    ) -> Result<CutThroughOutcome, CutThroughError> {
        let settings = self.network.settings;
        if !matches!(self.sending, Sending::Load(_)) {
            return self.until_delivered(progress);
        }
        advance_unless_cancelled(progress, settings.warm_up_cycles, |some| self.advance(some))?;
        self.network.audit()?;
        let nodes = &self.network.nodes;
        let (granted, offered, generated) =
            (self.network.granted().collect(), nodes.offered, nodes.generated);
        let before = Before { granted, offered, generated };
        advance_unless_cancelled(progress, settings.measured_cycles, |some| self.advance(some))?;
        self.inspect()?;
        let cycles = settings.measured_cycles;
        Ok(CutThroughOutcome::new(&self.network, self.sending, cycles, &before))
    }

    /// Runs until all that nodes have to send is delivered.
    fn until_delivered(
        mut self,
        progress: &dyn Progress,
    ) -> Result<CutThroughOutcome, CutThroughError> {
        let most = self.network.settings.measured_cycles;
        let granted = self.network.granted().collect();
        let before = Before { granted, offered: 0, generated: 0 };
        while !(self.network.nodes.are_done() && self.network.pool.live() == 0) {
            if self.network.now >= most {
                let (left, cycles) = (self.network.pool.live(), self.network.now);
                return Err(CutThroughError::TooLong { left, cycles });
            }
            let some = 64.min(most - self.network.now);
            advance_unless_cancelled(progress, some, |some| self.advance(some))?;
        }
        self.inspect()?;
        let cycles = self.network.counts.last_delivery;
        Ok(CutThroughOutcome::new(&self.network, self.sending, cycles.max(1), &before))
    }

    /// Checks for packets that wait for each other if nothing has moved for long, and whether packets take too much
    /// memory.
    fn watch(&mut self) -> Result<(), CutThroughError> {
        let PhitNetwork { settings, fabric, ref pool, now, .. } = self.network;
        let packets = pool.live();
        let of_packets = u64::from(packets) * size_of::<CutThroughPacket>() as u64;
        check_memory(settings.bytes(fabric.dragonfly()) + of_packets, MOST_FULL, || {
            format!(
                "smaller buffers and injection queues, or less traffic, keep fewer packets in the network than the \
                 {packets} of cycle {now}"
            )
        })?;
        let moves = (self.network.grants, packets);
        if !self.movement.has_stopped(moves, now, settings.patience_cycles) {
            return Ok(());
        }
        Err(self.network.stuck().unwrap_or_default().into())
    }

    /// From now on this is done wrong.
    #[cfg(test)]
    pub(super) fn break_rule(&mut self, broken: super::per_hop::Broken) {
        self.network.per_hop.as_mut().expect("packets decide at every hop").broken = Some(broken);
    }

    /// Counts everything, and searches for packets that wait for each other while others move on.
    pub(super) fn inspect(&self) -> Result<(), CutThroughError> {
        self.network.audit()?;
        match self.network.stuck() {
            Some(stuck) => Err(stuck.into()),
            None => Ok(()),
        }
    }
}
