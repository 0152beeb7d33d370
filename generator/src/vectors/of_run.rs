//! The decisions of a simulated run, as vectors.

use super::lines::Lines;
use rand::Rng;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tvlb_base::text::Refused;
use tvlb_firmware_model::{Admission, Channels, Credits, Error, Header, Step, Switch};
use tvlb_schema::{NodeId, Port, SwitchId};
use tvlb_simulator::{BootedFabric, BySwitches, Decider, Settings, SwitchView};

/// The decisions of a run's switches after the warm-up, up to a number of calls of each switch.
#[derive(Debug)]
pub struct RunDecisions<'s> {
    settings: &'s Settings,
    /// How many virtual channels a link has.
    channels: u8,
    from_cycle: u32,
    most_calls: u32,
    switches: Vec<Mutex<OfSwitch>>,
}

/// The calls of one switch.
#[derive(Debug, Default)]
struct OfSwitch {
    lines: Lines,
    calls: u32,
    /// The credits of the last line of credits.
    credits: Vec<u32>,
}

impl<'s> RunDecisions<'s> {
    /// No decisions yet, for a run with these settings.
    ///
    /// # Errors
    /// The settings are not for this fabric, or a switch of this scheme decides from more than its own credits.
    pub fn new(
        fabric: &BootedFabric<'_>,
        settings: &'s Settings,
        most_calls: u32,
    ) -> Result<Self, Refused> {
        let scheme = settings.scheme;
        if scheme.name() != scheme.of_switch().name() {
            let found = format!("scheme is {}", scheme.name());
            let accepted =
                "min, vlb, ugal-l or par, by which a switch decides from its own credits";
            return Err(Refused::new(found, accepted));
        }
        let switches = fabric.switches().iter().map(|_| Mutex::default()).collect();
        Ok(Self {
            settings,
            channels: settings.channels(fabric)?,
            from_cycle: settings.warm_up_windows * settings.window_cycles,
            most_calls,
            switches,
        })
    }

    /// The recorder to run with. The run then uses one thread.
    #[must_use]
    pub const fn recorder(&self) -> RunRecorder<'_> {
        RunRecorder { decisions: self }
    }

    /// The lines, switch by switch, each after its images by the names that `images` returns for the fabric's and for
    /// the switch's. Switches without calls are left out.
    #[must_use]
    pub fn text(self, images: impl Fn(SwitchId) -> (String, String)) -> String {
        let mut text = Lines::beginning();
        let links = Channels { local: self.channels, global: self.channels };
        for (number, of) in (0..).map(SwitchId).zip(self.switches) {
            let of = of.into_inner().unwrap_or_else(PoisonError::into_inner);
            if of.calls == 0 {
                continue;
            }
            let (fabric, switch) = images(number);
            text.images(&fabric, &switch);
            text.boot(self.settings.scheme.of_switch(), self.settings.paths, links);
            text.channels(self.channels);
            text.0 += &of.lines.0;
        }
        text.0
    }
}

/// Lets the switches decide, and records it.
#[derive(Clone, Copy, Debug)]
pub struct RunRecorder<'d> {
    decisions: &'d RunDecisions<'d>,
}

impl<'d> RunRecorder<'d> {
    /// The lines for the next call of a switch, if it is to be recorded.
    fn lines_of(self, at: SwitchId, cycle: u32) -> Option<MutexGuard<'d, OfSwitch>> {
        let RunDecisions { from_cycle, most_calls, ref switches, .. } = *self.decisions;
        if cycle < from_cycle {
            return None;
        }
        let mut of = switches[at.as_usize()].lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = of.calls < most_calls;
        of.calls += u32::from(is_wanted);
        is_wanted.then_some(of)
    }

    /// The same for a call that depends on credits, after the line that states them.
    fn lines_by_credits(self, view: &SwitchView<'_>) -> Option<MutexGuard<'d, OfSwitch>> {
        let mut of = self.lines_of(view.number(), view.cycle)?;
        let ports = view.switch().image().fabric().dragonfly().radix();
        let ports = (0..ports).map(|port| Port(u16::try_from(port).expect("at most 256 ports")));
        let channels = 0..self.decisions.channels;
        let of_port =
            |port| channels.clone().map(move |channel| view.queues().used_on(port, channel));
        let credits: Vec<u32> = ports.flat_map(of_port).map(Option::unwrap_or_default).collect();
        if of.credits != credits {
            of.lines.credits(&credits);
            of.credits = credits;
        }
        Some(of)
    }
}

impl Decider for RunRecorder<'_> {
    fn admit(
        &mut self,
        view: &SwitchView<'_>,
        destination: NodeId,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        let call = (destination, view.scheme.of_switch(), view.paths);
        match self.lines_by_credits(view) {
            None => BySwitches.admit(view, destination, rng),
            Some(mut of) => {
                of.lines.admit(call, rng, |words| BySwitches.admit(view, destination, words))
            }
        }
    }

    fn reconsider(
        &mut self,
        view: &SwitchView<'_>,
        header: Header,
        rng: &mut impl Rng,
    ) -> Result<Header, Error> {
        match self.lines_by_credits(view) {
            None => BySwitches.reconsider(view, header, rng),
            Some(mut of) => of.lines.reconsider((header, view.paths), rng, |words| {
                BySwitches.reconsider(view, header, words)
            }),
        }
    }

    fn look_onward(&mut self, view: &SwitchView<'_>, header: Header) -> Result<Header, Error> {
        let looked = BySwitches.look_onward(view, header);
        if let Some(mut of) = self.lines_by_credits(view) {
            of.lines.onward(header, &looked);
        }
        looked
    }

    fn forward(&mut self, switch: &Switch<'_>, cycle: u32, header: Header) -> Result<Step, Error> {
        let step = BySwitches.forward(switch, cycle, header);
        if let Some(mut of) = self.lines_of(switch.image().switch(), cycle) {
            of.lines.forward(header, &step);
        }
        step
    }
}
