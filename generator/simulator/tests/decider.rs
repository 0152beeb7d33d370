//! A decider instead of the switches: what it is asked, when, and the effect of its answers.
use crate::test_images::{Images, absolute_images};
use rand_core::Rng;
use std::sync::Mutex;
use tvlb_firmware_model::{Admission, Error, Header, Step, Switch, VlbPaths};
use tvlb_schema::{NodeId, Onward, Port, Shape, ShapeSet, SwitchId};
use tvlb_simulator::{
    BootedFabric, BySwitches, Decider, Outcome, Revision, Run, RunError, Scheme, Settings,
    StopRule, SwitchView,
};
use tvlb_table_set::OpenWeighing;
use tvlb_traffic::Traffic;

/// Images whose switches look onward.
fn looking_onward(Images { fabric, switches }: Images) -> Images {
    let weighing = OpenWeighing { onward: Some(Onward::Cheapest), ..OpenWeighing::default() };
    let switches = Revision { weighing, vc_scheme: None }.apply(&fabric, &switches).unwrap();
    Images { fabric, switches }
}

/// Nine groups of four switches that look onward.
fn images() -> Images {
    looking_onward(absolute_images(2, 4, 2, 9, ShapeSet::ALL))
}

fn settings(scheme: Scheme) -> Settings {
    let mut settings = Settings::new(scheme, VlbPaths::Custom);
    (settings.warm_up_windows, settings.window_cycles) = (1, 600);
    settings
}

fn traffic(fabric: &BootedFabric<'_>) -> Traffic {
    Traffic::new(&"shift(2,0)".parse().unwrap(), fabric.nodes(), 1).unwrap()
}

fn decided_by(
    decider: impl Decider,
    fabric: &BootedFabric<'_>,
    settings: &Settings,
) -> Result<Outcome, RunError> {
    let traffic = traffic(fabric);
    let run = Run::decided_by(decider, fabric, settings, &traffic, 0.3, 1).unwrap();
    run.measure(StopRule::FullWindow, &())
}

/// What was asked for one switch.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    last_cycle: u32,
    admissions: u32,
    second_looks: u32,
    onward_looks: u32,
    steps: u32,
}

/// Lets the switches decide and counts the calls.
struct Counted<'c>(&'c Mutex<Vec<Asked>>, bool);

impl Counted<'_> {
    fn note(&self, at: SwitchId, cycle: u32, count: impl FnOnce(&mut Asked)) {
        let asked = &mut self.0.lock().unwrap()[at.as_usize()];
        assert!(cycle >= asked.last_cycle, "the calls of a switch come in the order of cycles");
        asked.last_cycle = cycle;
        count(asked);
    }
}

impl Decider for Counted<'_> {
    fn admit(
        &mut self,
        view: &SwitchView<'_>,
        destination: NodeId,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        assert_eq!(view.switch().image().switch(), view.number());
        self.note(view.number(), view.cycle, |asked| asked.admissions += 1);
        BySwitches.admit(view, destination, rng)
    }

    fn reconsider(
        &mut self,
        view: &SwitchView<'_>,
        header: Header,
        rng: &mut impl Rng,
    ) -> Result<Header, Error> {
        assert!(header.is_open());
        self.note(view.number(), view.cycle, |asked| asked.second_looks += 1);
        BySwitches.reconsider(view, header, rng)
    }

    fn look_onward(&mut self, view: &SwitchView<'_>, header: Header) -> Result<Header, Error> {
        self.note(view.number(), view.cycle, |asked| asked.onward_looks += 1);
        BySwitches.look_onward(view, header)
    }

    fn forward(&mut self, switch: &Switch<'_>, cycle: u32, header: Header) -> Result<Step, Error> {
        self.note(switch.image().switch(), cycle, |asked| asked.steps += 1);
        BySwitches.forward(switch, cycle, header)
    }

    fn looks_afar(&self) -> bool {
        self.1
    }
}

/// A decider that leaves all to the switches has the run of the switches, of every scheme, in step or not; it is asked
/// for all that they decide.
#[test]
fn a_decider_is_asked_for_all_and_changes_nothing_by_itself() {
    let Images { fabric, switches } = images();
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let traffic = traffic(&fabric);
    for scheme in Scheme::ALL {
        let settings = settings(scheme);
        let run = Run::new(&fabric, &settings, &traffic, 0.3, 1).unwrap();
        let ours = run.measure(StopRule::FullWindow, &()).unwrap();
        for in_step in [false, true] {
            let asked = Mutex::new(vec![Asked::default(); switches.len()]);
            let theirs = decided_by(Counted(&asked, in_step), &fabric, &settings).unwrap();
            assert_eq!(ours, theirs, "{}", scheme.name());
            let asked = asked.into_inner().unwrap();
            let all = |of: fn(&Asked) -> u32| asked.iter().all(|asked| of(asked) > 0);
            assert!(all(|asked| asked.admissions) && all(|asked| asked.steps));
            let are_taken = asked.iter().any(|asked| asked.second_looks > 0);
            assert_eq!(are_taken, scheme == Scheme::Par);
            assert!(all(|asked| asked.onward_looks) || scheme == Scheme::Min);
        }
    }
}

/// Sends every packet by one port on one channel.
struct Always(Port, u8);

impl Decider for Always {
    fn admit(
        &mut self,
        view: &SwitchView<'_>,
        destination: NodeId,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        let admission = BySwitches.admit(view, destination, rng)?;
        let Step::Send { header, .. } = admission.step else { return Ok(admission) };
        let step = Step::Send { port: self.0, virtual_channel: self.1, header };
        Ok(Admission { step, ..admission })
    }
}

/// A step that the network does not have ends the run with its switch and cycle.
#[test]
fn steps_that_the_network_lacks_end_the_run() {
    let Images { fabric, switches } = images();
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let settings = settings(Scheme::UgalL);
    let refused = |port, channel| match decided_by(Always(Port(port), channel), &fabric, &settings)
    {
        Err(RunError::Datapath(error)) => error.error,
        other => panic!("{other:?}"),
    };
    for port in [0, 7, 8, 200, 9999] {
        let found = refused(port, 0);
        assert!(matches!(found, Error::NoCable { port: of, .. } if of == Port(port)), "{found}");
    }
    for channel in [4, 7, 8, 255] {
        let found = refused(2, channel);
        assert!(
            matches!(found, Error::NoChannel { needed, count: 4, .. } if needed == channel),
            "{found}"
        );
    }
    // Port 2 leads to a switch that no route has, which refuses the packet.
    assert!(matches!(refused(2, 0), Error::Astray { .. }));
}

/// Sets of short routes need fewer channels than any path. Switches that look onward then weigh only ways for which
/// the links have channels: what is simulated is what switches do that are booted with these.
#[test]
fn a_run_takes_no_channel_that_its_links_lack() {
    let short = Shape::all().filter(|shape| shape.mid() < 2).map(ShapeSet::only);
    let short = short.reduce(ShapeSet::or).unwrap();
    let Images { fabric, switches } = looking_onward(absolute_images(2, 4, 2, 9, short));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let settings = settings(Scheme::Par);
    assert_eq!(settings.channels(&fabric).unwrap(), 4);
    assert_eq!(fabric.switches()[0].channels_needed(settings.scheme.of_switch()).local, 5);
    let outcome = decided_by(BySwitches, &fabric, &settings).unwrap();
    assert!(outcome.all.vlb_share > 0.5);
}
