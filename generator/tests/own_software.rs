//! The software of switches decides in the place of the simulator's, from its own images and counters, and every
//! figure is the same: the program that docs/reference/co-simulation.md names.

use std::path::Path;
use tvlb_firmware_model::rand_core::Rng;
use tvlb_firmware_model::schema::{NodeId, PerDecision, Port};
use tvlb_firmware_model::{
    Admission, ByChannel, Channels, Credits, Error, Header, Scheme, Step, Switch, VlbPaths,
};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::Policy;
use tvlb_generator::tables::{Generated, tables_of};
use tvlb_simulator::{BootedFabric, Decider, Run, Settings, StopRule, SwitchView};
use tvlb_traffic::Traffic;

/// The software of one switch: it has booted from its own copy of the images, and has a counter for each virtual
/// channel of each port.
struct Software<'i> {
    switch: Switch<'i>,
    channels: u8,
    counters: Vec<u32>,
}

impl Software<'_> {
    /// Takes the counters of the simulated switch, as hardware would give them.
    fn read_counters(&mut self, view: &SwitchView<'_>) {
        let ports = self.counters.chunks_mut(self.channels.into());
        for (port, counters) in (0..).map(Port).zip(ports) {
            for (channel, counter) in (0..).zip(counters) {
                *counter = view.queues().used_on(port, channel).unwrap_or(0);
            }
        }
    }

    fn credits(&self) -> ByChannel<'_> {
        ByChannel { counters: &self.counters, channels: self.channels }
    }
}

/// All switches of the network.
struct AllSoftware<'i>(Vec<Software<'i>>);

impl<'i> AllSoftware<'i> {
    fn of(&mut self, view: &SwitchView<'_>) -> &mut Software<'i> {
        let software = &mut self.0[view.number().as_usize()];
        software.read_counters(view);
        software
    }
}

impl Decider for AllSoftware<'_> {
    fn admit(
        &mut self,
        view: &SwitchView<'_>,
        destination: NodeId,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        let own = self.of(view);
        own.switch.admit(destination, Scheme::Par, VlbPaths::Custom, &own.credits(), rng)
    }

    fn reconsider(
        &mut self,
        view: &SwitchView<'_>,
        header: Header,
        rng: &mut impl Rng,
    ) -> Result<Header, Error> {
        let own = self.of(view);
        own.switch.reconsider(header, VlbPaths::Custom, &own.credits(), rng)
    }

    fn look_onward(&mut self, view: &SwitchView<'_>, header: Header) -> Result<Header, Error> {
        let own = self.of(view);
        own.switch.look_onward(header, Scheme::Par, &own.credits())
    }

    fn forward(&mut self, switch: &Switch<'_>, _: u32, header: Header) -> Result<Step, Error> {
        self.0[switch.image().switch().as_usize()].switch.forward(header)
    }
}

#[test]
fn software_of_ones_own_gives_the_same_figures() -> Result<(), Box<dyn std::error::Error>> {
    let fabric = Fabric::load(Path::new("../tables/dfly-2-4-2-9.toml"))?;
    let policy = Policy::parse("5-hop by shape queue=channel onward=cheapest", 1)?;
    let Generated { images, .. } = tables_of(&fabric, &PerDecision::same(policy), &())?;
    let booted = BootedFabric::boot(&images.fabric, &images.switches)?;
    let settings = Settings::new(tvlb_simulator::Scheme::Par, VlbPaths::Custom);

    // Switches are booted for the channels that links have, or they take ways for which there are too few.
    let channels = settings.channels(&booted)?;
    let links = Channels { local: channels, global: channels };
    let mut all = AllSoftware(Vec::new());
    for image in &images.switches {
        let switch = Switch::boot(&images.fabric, image)?;
        let switch = switch.with_channels_for(Scheme::Par, VlbPaths::Custom, links)?;
        let ports = switch.image().fabric().dragonfly().radix() as usize;
        let counters = vec![0; ports * usize::from(channels)];
        all.0.push(Software { switch, channels, counters });
    }

    let traffic = Traffic::new(&"shift(2,0)".parse()?, booted.nodes(), 1)?;
    let ours =
        Run::new(&booted, &settings, &traffic, 0.3, 1)?.measure(StopRule::FullWindow, &())?;
    let run = Run::decided_by(all, &booted, &settings, &traffic, 0.3, 1)?;
    let theirs = run.measure(StopRule::FullWindow, &())?;
    assert_eq!(ours, theirs);
    Ok(())
}
