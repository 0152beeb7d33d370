//! One run: warm-up, measured window, drain.
//!
//! Traffic stays on throughout. The drain ends when every packet generated in the window is
//! delivered, or when it is certain that their mean latency is above the limit: the latencies of
//! those delivered and the ages of those that are not, together, bound it from below. Such a run
//! is *saturated*, which is the paper's criterion; whether the accepted throughput fell short of
//! the offered is reported beside it. A run is reproducible from images, settings, traffic, load
//! and seed, bit for bit.

use crate::audit::AuditError;
use crate::fabric::Fabric;
use crate::network::{DatapathError, Network};
use crate::outcome::Outcome;
use crate::settings::{Settings, SettingsError};
use crate::tally::Tally;
use crate::traffic::Traffic;
use crate::watchdog::Deadlock;

/// How often during the drain it is looked whether the run is hopeless.
const DRAIN_STEP: u32 = 1000;

/// Why a run ended without figures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A switch could not route a packet.
    #[error(transparent)]
    Datapath(#[from] DatapathError),
    /// Channels wait for each other for ever.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// The simulator lost count; a bug of ours.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// When to give a run up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Haste {
    /// Run through the window, whatever happens, for the accepted throughput.
    Measure,
    /// End as soon as the run will be saturated beyond reasonable doubt.
    OnlyIfStable,
}

/// A run in cycles: what happens between two calls is up to the caller.
pub struct Run<'f> {
    network: Network<'f>,
    /// Grants and cycle when something last moved.
    moved: (u64, u32),
    load: f64,
    link_flits: Vec<u64>,
}

impl<'f> Run<'f> {
    /// A run at cycle 0.
    ///
    /// # Errors
    /// The settings or the load make no sense.
    pub fn new(
        fabric: &'f Fabric<'f>,
        settings: &'f Settings,
        traffic: &'f Traffic,
        load: f64,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let channels = settings.channels(fabric)?;
        if !(load > 0.0 && load <= 1.0) {
            return Err(SettingsError::Load { found: load });
        }
        let start = settings.warm_up * settings.window;
        let tally =
            Tally::new(traffic, fabric.dragonfly().node_count(), start..start + settings.window);
        let network = Network::new(fabric, settings, traffic, channels, load, seed, tally);
        Ok(Self { network, moved: (0, 0), load, link_flits: Vec::new() })
    }

    /// Runs some cycles.
    ///
    /// # Errors
    /// A deadlock, or what else ended the run.
    pub fn advance(&mut self, cycles: u32) -> Result<(), RunError> {
        for _ in 0..cycles {
            self.network.cycle()?;
            if self.network.now & 255 == 0 {
                self.watch()?;
            }
        }
        Ok(())
    }

    /// The cycle that comes next.
    pub const fn now(&self) -> u32 {
        self.network.now
    }

    /// Flits that have won switch allocation so far: one for each switch that a packet crossed.
    pub const fn flit_hops(&self) -> u64 {
        self.network.grants
    }

    /// Bytes held for each switch, with its nodes and all that is on its links.
    pub fn bytes_per_switch(&self) -> usize {
        self.network.bytes() / self.network.fabric.switches().len()
    }

    /// Looks for a deadlock if nothing has moved for long.
    fn watch(&mut self) -> Result<(), RunError> {
        let (grants, since) = self.moved;
        if self.network.grants != grants || self.network.pool.live() == 0 {
            self.moved = (self.network.grants, self.network.now);
        } else if self.network.now - since >= self.network.settings.patience {
            return Err(self
                .network
                .deadlock()
                .unwrap_or_else(|| self.network.standstill())
                .into());
        }
        Ok(())
    }

    /// Counts everything, and looks for channels that wait for each other while others move on.
    fn inspect(&self) -> Result<(), RunError> {
        self.network.audit()?;
        match self.network.deadlock() {
            Some(deadlock) => Err(deadlock.into()),
            None => Ok(()),
        }
    }

    /// Runs from the beginning to the end of the drain.
    ///
    /// # Errors
    /// What ended the run before its end.
    pub fn measure(mut self, haste: Haste) -> Result<Outcome, RunError> {
        let settings = self.network.settings;
        let limit = f64::from(settings.latency_limit);
        for _ in 0..settings.warm_up {
            self.network.tally.recent = (0, 0);
            self.advance(settings.window)?;
            self.inspect()?;
            let (count, sum) = self.network.tally.recent;
            if haste == Haste::OnlyIfStable && mean(sum, count) > 2.0 * limit {
                return Ok(self.outcome(true));
            }
        }
        let before = self.network.link_flits();
        self.advance(settings.window)?;
        self.inspect()?;
        self.link_flits =
            self.network.link_flits().iter().zip(&before).map(|(now, then)| now - then).collect();
        let end = self.network.now;
        let mut saturated = false;
        while !self.network.drained(end) {
            self.advance(DRAIN_STEP)?;
            let (sum, count) = self.network.latency_at_least(end);
            // The latter only if a few packets wait for ever while the mean stays low.
            if mean(sum, count) > limit || self.network.now - end > 100 * settings.window {
                saturated = true;
                break;
            }
        }
        self.inspect()?;
        Ok(self.outcome(saturated))
    }

    fn outcome(self, stopped: bool) -> Outcome {
        Outcome::new(&self.network, self.load, self.link_flits, stopped)
    }
}

#[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
fn mean(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

impl Network<'_> {
    /// Whether every packet generated before `end` in the window is delivered.
    fn drained(&self, end: u32) -> bool {
        self.tally.measured_sent == self.tally.measured_delivered
            && (0..)
                .zip(&self.sources)
                .all(|(node, source): (u32, _)| source.created >= end || !self.traffic.sends(node))
    }

    /// A lower bound of the sum of the latencies of the packets of the window, and of how many:
    /// those delivered, those under way at their age, and of each node's queue the oldest.
    fn latency_at_least(&self, end: u32) -> (u64, u64) {
        let start = end - self.settings.window;
        let mut sum: u64 = self.tally.populations.iter().map(|p| p.latency.sum()).sum();
        let mut count: u64 = self.tally.populations.iter().map(|p| p.latency.count()).sum();
        for (node, source) in (0..).zip(&self.sources) {
            if source.created < end && self.traffic.sends(node) {
                // The queue holds on average one packet for every 1/load cycles, the youngest of
                // them generated as the window ended.
                let oldest = source.created.max(start);
                let queued = 1 + u64::from(self.gaps.expected_in(end - oldest));
                sum += queued * (u64::from(self.now - oldest) + u64::from(self.now - end)) / 2;
                count += queued;
            }
        }
        (sum, count)
    }
}
