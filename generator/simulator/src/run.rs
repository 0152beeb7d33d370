//! One run: warm-up, measured windows, drain.
//!
//! Traffic stays on throughout. The packets that nodes send in the measured windows are measured, as in the reference,
//! and the drain ends when the last of them is delivered, or as soon as they answer the question ([`StopRule`]): it is
//! short even if source queues grow without end, because packets still queued are not measured. A run is *saturated* if
//! their mean latency, counted from generation, is above the limit, which is the paper's criterion; whether the
//! accepted throughput fell short of the offered load is reported as well. A run is reproducible from images, settings,
//! traffic, load and seed, bit for bit.
//!
//! One window is measured, or as many as it takes until windows agree ([`Measuring`]). The measured windows do not
//! depend on the stop rule: whether another one follows is decided at the end of each, from the packets of all nodes
//! together. While queues grow, the mean latency of a window is below its final value, so near saturation more windows
//! tell more.

use crate::agreement::{Agreement, MOST_WINDOWS};
use crate::conservation::ConservationError;
use crate::decider::{BySwitches, Checked, Decider};
use crate::fabric::{BootError, BootedFabric};
use crate::faults::FaultSchedule;
use crate::generation::Generation;
use crate::losses::Losses;
use crate::memory::{MOST_FULL, check_memory};
use crate::movement::{Movement, WATCH, advance_unless_cancelled};
use crate::network::{DatapathError, Network};
use crate::outcome::Outcome;
use crate::packet_source::PacketSource;
use crate::series::WindowSeries;
use crate::setting_values::{Deciding, Measuring};
use crate::settings::{MOST_CYCLES, Settings};
use crate::share::Share;
use crate::tally::{Population, Tally};
use crate::watchdog::Deadlock;
use std::num::NonZeroU32;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_base::text::Refused;
use tvlb_traffic::Traffic;

/// How many windows the drain may take; only a starving packet reaches this.
const MOST_DRAIN: u32 = 100;

/// Why a run ended without figures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Settings, traffic or a schedule of faults.
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Datapath(#[from] Box<DatapathError>),
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Conservation(#[from] ConservationError),
}

/// When a run may end before all packets of its measured windows are delivered.
///
/// A rule says what the caller wants to learn. Whatever the rule, a run that is not saturated yields the same figures,
/// from the same windows; the rules differ in how soon they end a saturated run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// Never: the run goes on until every packet of the measured windows is delivered, so that all figures are exact,
    /// including the accepted throughput of a saturated network.
    FullWindow,
    /// At the end of the measured windows: the accepted throughput is exact, and latencies are those of packets
    /// delivered until then.
    AtWindowEnd,
    /// As soon as the mean latency over all nodes is certain to pass the limit, or, between the windows of the warm-up,
    /// as soon as it has passed twice the limit.
    WhenSaturated,
    /// As soon as it is decided, for each population of nodes and for all nodes together, on which side of the limit
    /// the mean latency will be.
    WhenEachPopulationIsDecided,
}

/// A run in progress, which the caller advances by any number of cycles.
///
/// Its packets come from a source: [`Generation`], or another one ([`Run::of`]). The switches decide, or another
/// [`Decider`] ([`Run::decided_by`]).
pub struct Run<'f, S = Generation<'f>, D = BySwitches> {
    pub(crate) network: Network<'f, S, D>,
    movement: Movement,
    link_flits: Vec<u32>,
    /// How many windows are measured so far.
    measured_windows: u32,
    /// Whether enough of them agree in a row.
    agreed: bool,
    share: Share,
}

impl<'f> Run<'f> {
    /// A run at cycle 0.
    ///
    /// # Errors
    /// The settings or the load are invalid, or nodes cannot send that much in bursts.
    pub fn new(
        fabric: &'f BootedFabric<'f>,
        settings: &'f Settings,
        traffic: &'f Traffic,
        load: f64,
        seed: u64,
    ) -> Result<Self, Refused> {
        let channels = settings.check_with(fabric, &[load])?;
        Self::with_channels(BySwitches, fabric, settings, (traffic, load, seed), channels)
    }

    /// A run at cycle 0 in which parts die and are mended on a schedule. A schedule without entries changes nothing.
    /// With entries, links have the channels of any path unless the settings say how many.
    ///
    /// # Errors
    /// The settings or the load are invalid, or the schedule is for another fabric. [`Deciding::Head`] is refused.
    pub fn with_faults(
        fabric: &'f BootedFabric<'f>,
        settings: &'f Settings,
        traffic: &'f Traffic,
        load: f64,
        seed: u64,
        schedule: &'f FaultSchedule,
    ) -> Result<Self, RunError> {
        if settings.decide == Deciding::Head {
            let found = "decide is head in a run in which parts die or tables change";
            let accepted =
                "sending, so that a packet that has met its switch has a path that can be judged";
            return Err(Refused::new(found, accepted).into());
        }
        let mut channels = settings.check_with(fabric, &[load])?;
        if !schedule.entries.is_empty() {
            channels = settings.channels_around(fabric, channels)?;
            settings.check_memory(fabric.dragonfly(), channels)?;
        }
        if let Some(before) = &schedule.before {
            channels = before.channels_for(settings, fabric, channels)?;
        }
        let mut run =
            Self::with_channels(BySwitches, fabric, settings, (traffic, load, seed), channels)?;
        schedule.check(fabric)?;
        run.network.follow(schedule, seed);
        Ok(run)
    }

    /// Replaces the tables of all switches between two cycles: packets under way go on by their headers, later ones are
    /// decided by the new tables.
    ///
    /// # Errors
    /// The first switch whose new tables are not for the same cables and virtual channels, or need more channels than
    /// the links of this run have; then all old ones stay.
    pub fn replace_tables(&mut self, fabric: &'f BootedFabric<'f>) -> Result<(), BootError> {
        let old = self.network.fabric;
        let booted_for = self.network.settings.booted_for(self.network.states.channels);
        for (old, new) in old.switches().iter().zip(fabric.switches()) {
            let switch = old.image().switch();
            old.check_replacement(new)
                .and_then(|()| booted_for.boot(new.clone()).map(|_| ()))
                .map_err(|error| BootError::Switch { switch: switch.into(), error })?;
        }
        self.network.replace_switches(fabric);
        Ok(())
    }
}

impl<'f, D: Decider> Run<'f, Generation<'f>, Checked<D>> {
    /// A run at cycle 0 in which a decider decides for the switches. An invalid step of it ends the run: a wrong port
    /// with [`Error::NoCable`], a wrong channel with [`Error::NoChannel`].
    ///
    /// # Errors
    /// As for [`Run::new`].
    ///
    /// [`Error::NoCable`]: tvlb_firmware_model::Error::NoCable
    /// [`Error::NoChannel`]: tvlb_firmware_model::Error::NoChannel
    pub fn decided_by(
        decider: D,
        fabric: &'f BootedFabric<'f>,
        settings: &'f Settings,
        traffic: &'f Traffic,
        load: f64,
        seed: u64,
    ) -> Result<Self, Refused> {
        let channels = settings.check_with(fabric, &[load])?;
        let decider = Checked { decider, channels };
        Self::with_channels(decider, fabric, settings, (traffic, load, seed), channels)
    }
}

impl<'f, D: Decider> Run<'f, Generation<'f>, D> {
    /// A run at cycle 0 with checked settings and this many channels of each link.
    fn with_channels(
        decider: D,
        fabric: &'f BootedFabric<'f>,
        settings: &'f Settings,
        (traffic, load, seed): (&'f Traffic, f64, u64),
        channels: u8,
    ) -> Result<Self, Refused> {
        let generation = Generation::new(traffic, load, 1)?;
        let start = settings.warm_up_windows * settings.window_cycles;
        let tally = Tally::new(
            traffic,
            fabric.dragonfly().node_numbers(),
            start..start + settings.window_cycles,
            settings.measuring == Measuring::UntilWindowsAgree,
        );
        let users = (generation, decider);
        Ok(Self::of_network(Network::new(fabric, settings, channels, users, seed, tally)))
    }

    /// Counts deliveries and losses by windows of this many cycles ([`Outcome::series`]). Call it before the run
    /// advances.
    pub fn record_series(&mut self, window_cycles: NonZeroU32) {
        self.network.links.tally.series = Some(Box::new(WindowSeries::new(window_cycles.get())));
    }

    /// The packets lost so far.
    pub const fn losses(&self) -> Losses {
        self.network.links.losses.total
    }

    /// Runs some cycles, and checks from time to time whether the caller has cancelled the run.
    pub(crate) fn advance_unless_cancelled(
        &mut self,
        progress: &dyn Progress,
        cycles: u32,
    ) -> Result<(), RunError> {
        advance_unless_cancelled(progress, cycles, |some| self.advance(some))
    }

    /// Runs from the beginning to the end of the drain, unless it is cancelled before. No step is reported to
    /// `progress`, because a run is itself a step of its caller's work.
    ///
    /// # Errors
    /// The cause that ended the run early.
    pub fn measure(
        mut self,
        stop_rule: StopRule,
        progress: &dyn Progress,
    ) -> Result<Outcome, RunError> {
        let settings = self.network.settings;
        let limit = f64::from(settings.latency_limit_cycles);
        let mut warm_up_mean = 0.0;
        for _ in 0..settings.warm_up_windows {
            self.network.links.tally.restart_recent();
            self.advance_unless_cancelled(progress, settings.window_cycles)?;
            self.inspect()?;
            warm_up_mean = self.network.links.tally.recent_mean();
            if stop_rule == StopRule::WhenSaturated && warm_up_mean > 2.0 * limit {
                return Ok(self.outcome(true));
            }
        }
        let before = self.network.link_flits();
        self.measure_windows(warm_up_mean, limit, progress)?;
        self.link_flits =
            self.network.link_flits().iter().zip(&before).map(|(now, then)| now - then).collect();
        let is_starved = self.drain(|run| run.is_known(stop_rule, limit))?;
        Ok(self.outcome(is_starved))
    }

    /// Runs on until the packets sent in the measured windows have answered the question; returns whether a packet
    /// starves.
    pub(crate) fn drain(&mut self, is_known: impl Fn(&Self) -> bool) -> Result<bool, RunError> {
        let end = self.network.now;
        let most_drain = most_drain(self.network.settings.window_cycles);
        let mut is_starved = false;
        while !is_known(self) && !is_starved {
            self.advance(100)?;
            is_starved = self.network.now - end > most_drain;
        }
        self.inspect()?;
        Ok(is_starved)
    }

    /// Runs the measured window, or window after window until the last ones agree, no more are left, or the mean
    /// latency is certain to pass the limit. `warm_up_mean` is the mean latency of packets delivered in the last window
    /// of the warm-up.
    fn measure_windows(
        &mut self,
        warm_up_mean: f64,
        limit: f64,
        progress: &dyn Progress,
    ) -> Result<(), RunError> {
        let Settings { window_cycles, warm_up_windows, measuring, .. } = *self.network.settings;
        let most = match measuring {
            Measuring::OneWindow => 1,
            Measuring::UntilWindowsAgree => MOST_WINDOWS - warm_up_windows,
        };
        let mut agreement = Agreement::new(warm_up_mean);
        loop {
            self.advance_unless_cancelled(progress, window_cycles)?;
            self.inspect()?;
            self.measured_windows += 1;
            let whole = self.network.links.tally.whole();
            let tally = &mut self.network.links.tally;
            self.agreed = agreement.reached(whole.latency.mean());
            if self.agreed
                || self.measured_windows == most
                || whole.latency_at_least(self.network.now) > limit
            {
                tally.close_window();
                return Ok(());
            }
            tally.lengthen_window(window_cycles);
        }
    }

    /// Whether the packets of the measured windows have answered the question.
    fn is_known(&self, stop_rule: StopRule, limit: f64) -> bool {
        let tally = &self.network.links.tally;
        let is_known = |population: &Population| population.is_known(limit, self.network.now);
        match stop_rule {
            StopRule::FullWindow => tally.populations.iter().all(Population::is_complete),
            StopRule::AtWindowEnd => true,
            StopRule::WhenSaturated => is_known(&tally.whole()),
            StopRule::WhenEachPopulationIsDecided => {
                tally.populations.iter().all(is_known) && is_known(&tally.whole())
            }
        }
    }

    fn outcome(self, stopped: bool) -> Outcome {
        let measured = match self.network.settings.measuring {
            Measuring::OneWindow => None,
            Measuring::UntilWindowsAgree => Some(self.measured_windows),
        };
        let measured = (measured, self.agreed);
        Outcome::new(&self.network, &self.link_flits, measured, stopped)
    }
}

impl<'f, S: PacketSource, D: Decider> Run<'f, S, D> {
    pub(crate) fn of_network(network: Network<'f, S, D>) -> Self {
        Self {
            network,
            movement: Movement::default(),
            link_flits: Vec::new(),
            measured_windows: 0,
            agreed: false,
            share: Share::begin(),
        }
    }

    /// Runs some cycles, on as many threads of the current rayon pool as other runs leave free.
    ///
    /// # Errors
    /// A deadlock, or another cause that ended the run.
    pub fn advance(&mut self, cycles: u32) -> Result<(), RunError> {
        let mut left = cycles;
        while left > 0 {
            let some = left.min(WATCH - self.network.now % WATCH);
            self.network.divide(self.share.threads());
            self.network.run(some)?;
            left -= some;
            if self.network.now.is_multiple_of(WATCH) {
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
        self.network.links.grants
    }

    /// Bytes held for each switch, with its nodes and everything on its links.
    pub fn bytes_per_switch(&self) -> usize {
        self.network.bytes() / self.network.fabric.switches().len()
    }

    /// Checks for a deadlock if nothing has moved for long, and whether packets take too much memory.
    fn watch(&mut self) -> Result<(), RunError> {
        let Network { fabric, settings, ref states, now, .. } = self.network;
        let packets = self.network.under_way();
        let bytes = settings.bytes(fabric.dragonfly(), states.channels, packets);
        check_memory(bytes, MOST_FULL, || {
            format!(
                "smaller buffers, less traffic or fewer cycles keep fewer packets under way than the {packets} of \
                 cycle {now}"
            )
        })?;
        let moves = (self.network.links.grants, packets);
        if !self.movement.has_stopped(moves, now, settings.patience_cycles) {
            return Ok(());
        }
        Err(self.network.deadlock().unwrap_or_else(|| self.network.standstill()).into())
    }

    /// Counts everything, and searches for channels that wait for each other while others move on.
    ///
    /// # Errors
    /// A deadlock, or packets or credits that the simulator has lost.
    pub fn inspect(&self) -> Result<(), RunError> {
        self.network.check_conservation()?;
        match self.network.deadlock() {
            Some(deadlock) => Err(deadlock.into()),
            None => Ok(()),
        }
    }
}

/// How many cycles the drain may take: no more than all windows together, so that the number of a
/// cycle has 32 bits at most.
fn most_drain(window_cycles: u32) -> u32 {
    MOST_DRAIN.saturating_mul(window_cycles).min(MOST_CYCLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_is_as_long_as_the_number_of_a_cycle_allows() {
        assert_eq!(most_drain(10_000), 1_000_000);
        assert_eq!(most_drain(MOST_CYCLES), MOST_CYCLES);
    }
}
