//! A fabric of the input's own size, cables and tables: every packet that a switch admits arrives
//! at its node, on channels that exist; any header ends after a few steps; C and Rust decide alike,
//! also on a switch whose damaged image has a checksum that holds.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cell::OnceCell;
use std::ffi::c_void;
use tvlb_firmware_c::{
    TVLB_OK, tvlb_admit, tvlb_boot, tvlb_forward, tvlb_inputs, tvlb_look_onward, tvlb_reconsider,
    tvlb_setup, tvlb_step, tvlb_switch,
};
use tvlb_firmware_model::{
    ByChannel, Channels, Choice, Error, Header, Scheme, Step, Switch, VlbPaths,
};
use tvlb_fuzz::look_onward;
use tvlb_fuzz::own::{Own, Plan};
use tvlb_schema::{NodeId, SwitchId};

const SCHEMES: [Scheme; 4] = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];

#[derive(Arbitrary, Debug)]
struct Input {
    plan: Plan,
    credits: Vec<u32>,
    seed: u64,
    packets: Vec<Packet>,
    /// Changes to the image of one switch, if any.
    damage: Option<(u16, Vec<(u16, u8)>)>,
}

#[derive(Arbitrary, Debug)]
enum Packet {
    Admitted { from: u16, node: u32, scheme: u8, custom: bool },
    Any { at: u16, header: u64, custom: bool },
}

/// The switches of a fabric, each booted when a packet first comes to it.
struct Network<'a> {
    own: &'a Own,
    images: Vec<OnceCell<Vec<u8>>>,
    switches: Vec<OnceCell<Switch<'a>>>,
}

impl<'a> Network<'a> {
    fn switch(&'a self, number: SwitchId) -> &'a Switch<'a> {
        let at = number.as_usize();
        self.switches[at].get_or_init(|| {
            let image = self.images[at].get_or_init(|| self.own.switch_image(number, &[]));
            Switch::boot(&self.own.image, image).expect("the images were encoded")
        })
    }

    /// Follows a packet that `from` has admitted until it is delivered.
    fn follow(
        &'a self,
        node: NodeId,
        from: SwitchId,
        scheme: Scheme,
        first: Step,
        world: &mut World,
    ) {
        let df = &self.own.dragonfly;
        let channels = Channels::needed(self.own.virtual_channels, scheme);
        let (mut at, mut step) = (from, first);
        for _ in 0..8 {
            match step {
                Step::Deliver { port } => {
                    let (switch, terminal) = df.switch_of(node);
                    assert_eq!((at, port), (switch, df.terminal_port(terminal)));
                    return;
                }
                Step::Send { port, virtual_channel, mut header } => {
                    let most = if df.is_slot(port) { channels.global } else { channels.local };
                    assert!(virtual_channel < most, "channel {virtual_channel} of {most}");
                    let next = self.switch(at).neighbour(port);
                    let (group, index) = next.expect("a packet is sent to another switch");
                    at = df.switch(group, index);
                    let switch = self.switch(at);
                    if scheme == Scheme::Par {
                        let looked = switch.reconsider(
                            header,
                            world.paths,
                            &by_channel(&world.credits),
                            &mut world.rng,
                        );
                        header = looked.expect("a packet under way may be looked at");
                    }
                    let looked = look_onward(switch, header, scheme, &by_channel(&world.credits));
                    header = looked.expect("credits are known by channel");
                    step = switch.forward(header).expect("a packet under way goes on");
                }
            }
        }
        panic!("a packet is still under way after eight steps");
    }
}

/// How many virtual channels the credits are known by.
const CHANNELS: usize = 7;

/// So many credits of each channel of each port.
fn by_channel(credits: &[u32]) -> ByChannel<'_> {
    ByChannel { counters: credits, channels: CHANNELS as u8 }
}

struct World {
    /// [`CHANNELS`] for each port.
    credits: Vec<u32>,
    paths: VlbPaths,
    rng: Xoshiro256PlusPlus,
}

unsafe extern "C" fn random(context: *mut c_void) -> u32 {
    // SAFETY: the context is the generator below, which lives for as long as the calls.
    unsafe { &mut *context.cast::<Xoshiro256PlusPlus>() }.next_u32()
}

/// The same switch by the C interface, booted for PAR.
struct InC(Box<tvlb_switch>);

impl InC {
    fn boot(fabric: &[u8], image: &[u8]) -> Self {
        let mut switch = Box::new(tvlb_switch::zeroed());
        let (at, len) = (image.as_ptr(), image.len());
        // SAFETY: the images outlive the switch and are not changed.
        let code = unsafe {
            tvlb_boot(
                &raw mut *switch,
                &tvlb_setup::of((fabric.as_ptr(), fabric.len()), (at, len), (3, 0), (7, 6)),
            )
        };
        assert_eq!(code, TVLB_OK);
        Self(switch)
    }

    /// Runs `call` with the credits and random numbers of `world`, of which it uses up none.
    fn with<T>(
        &self,
        world: &World,
        call: impl FnOnce(*const tvlb_switch, u8, &tvlb_inputs) -> T,
    ) -> T {
        let (mut credits, mut rng) = (world.credits.clone(), world.rng.clone());
        let given = tvlb_inputs {
            credits: credits.as_mut_ptr(),
            credit_count: credits.len() / CHANNELS,
            random: Some(random),
            context: (&raw mut rng).cast(),
            link_credits: std::ptr::null(),
            channels: CHANNELS,
        };
        call(&raw const *self.0, u8::from(world.paths == VlbPaths::Custom), &given)
    }
}

/// What C should answer where Rust answers so.
fn in_c(step: &Result<Step, Error>) -> (i32, u64, u16, u8, u8) {
    match step {
        Ok(Step::Deliver { port }) => (TVLB_OK, 0, port.0, 0, 1),
        Ok(Step::Send { port, virtual_channel, header }) => {
            (TVLB_OK, header.bits(), port.0, *virtual_channel, 0)
        }
        Err(error) => (error.code(), 0, 0, 0, 0),
    }
}

fn told(code: i32, step: tvlb_step) -> (i32, u64, u16, u8, u8) {
    (code, step.header, step.port, step.virtual_channel, step.deliver)
}

/// Asks a switch, in Rust and in C, for the way of a packet from one of its nodes.
fn admit(
    switch: &Switch<'_>,
    c: &InC,
    (node, scheme): (NodeId, usize),
    world: &mut World,
) -> Result<(Step, Choice), Error> {
    let mut step = tvlb_step::default();
    let code = c.with(world, |switch, paths, given| {
        // SAFETY: all pointers are of what lives.
        unsafe { tvlb_admit(switch, node.0, scheme as u8, paths, given, &raw mut step) }
    });
    let (credits, rng) = (&by_channel(&world.credits), &mut world.rng);
    let admission = switch.admit(node, SCHEMES[scheme], world.paths, credits, rng);
    let choice = admission.as_ref().map(|admission| admission.choice).ok();
    let first = admission.map(|admission| admission.step);
    assert_eq!(told(code, step), in_c(&first));
    first.map(|first| (first, choice.expect("it was admitted")))
}

/// Sends any header through one switch again and again, in Rust and in C.
fn bounce(switch: &Switch<'_>, c: &InC, bits: u64, world: &mut World) {
    let mut header = Header::from_bits(bits);
    for _ in 0..9 {
        let mut in_place = header.bits();
        let code = c.with(world, |switch, paths, given| {
            // SAFETY: all pointers are of what lives.
            unsafe { tvlb_reconsider(switch, &raw mut in_place, paths, given) }
        });
        let looked =
            switch.reconsider(header, world.paths, &by_channel(&world.credits), &mut world.rng);
        assert_eq!(code, looked.as_ref().map_or_else(|error| error.code(), |_| TVLB_OK));
        let Ok(looked) = looked else { return };
        assert_eq!(in_place, looked.bits());
        let code = c.with(world, |switch, _, given| {
            // SAFETY: as above.
            unsafe { tvlb_look_onward(switch, &raw mut in_place, given) }
        });
        let looked = look_onward(switch, looked, Scheme::Par, &by_channel(&world.credits));
        let looked = looked.expect("credits are known by channel");
        assert_eq!((code, in_place), (TVLB_OK, looked.bits()));
        let mut step = tvlb_step::default();
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_forward(&raw const *c.0, looked.bits(), &raw mut step) };
        let next = switch.forward(looked);
        assert_eq!(told(code, step), in_c(&next));
        let Ok(Step::Send { header: next, .. }) = next else { return };
        header = next;
    }
    panic!("a packet is still under way after nine steps");
}

fuzz_target!(|input: Input| {
    let Input { plan, credits, seed, packets, damage } = input;
    let own = Own::new(plan);
    let df = own.dragonfly;
    let numbers = df.switch_numbers() as usize;
    let network = Network {
        own: &own,
        images: (0..numbers).map(|_| OnceCell::new()).collect(),
        switches: (0..numbers).map(|_| OnceCell::new()).collect(),
    };
    let all: Vec<SwitchId> = df.switches().collect();
    let number = |any: u16| all[usize::from(any) % all.len()];
    let credits = credits[..credits.len() / CHANNELS * CHANNELS].to_vec();
    let mut world =
        World { credits, paths: VlbPaths::Custom, rng: Xoshiro256PlusPlus::seed_from_u64(seed) };
    let paths = |custom| if custom { VlbPaths::Custom } else { VlbPaths::Conventional };

    for packet in packets.iter().take(16) {
        match *packet {
            Packet::Admitted { from, node, scheme, custom } => {
                let (from, scheme) = (number(from), usize::from(scheme) % 4);
                world.paths = paths(custom);
                // Now and then one that does not exist, in a gap or above all others.
                let node = NodeId(node % (df.node_numbers() + 1));
                let switch = network.switch(from);
                let c =
                    InC::boot(&own.image, network.images[from.as_usize()].get().expect("booted"));
                match admit(switch, &c, (node, scheme), &mut world) {
                    Ok((first, _)) => {
                        network.follow(node, from, SCHEMES[scheme], first, &mut world);
                    }
                    Err(Error::NoSuchNode { .. }) => assert!(!df.has_node(node)),
                    Err(Error::Unreachable { .. }) => {
                        assert!(!own.reaches(from, df.switch_of(node).0));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            Packet::Any { at, header, custom } => {
                let at = number(at);
                world.paths = paths(custom);
                let switch = network.switch(at);
                let c = InC::boot(&own.image, network.images[at.as_usize()].get().expect("booted"));
                bounce(switch, &c, header, &mut world);
            }
        }
    }

    let Some((at, damage)) = damage else { return };
    let image = own.switch_image(number(at), &damage);
    let Ok(switch) = Switch::boot(&own.image, &image) else { return };
    let c = InC::boot(&own.image, &image);
    for packet in packets.iter().take(16) {
        match *packet {
            Packet::Admitted { node, scheme, custom, .. } => {
                world.paths = paths(custom);
                let packet = (NodeId(node % df.node_numbers()), usize::from(scheme) % 4);
                let _ = admit(&switch, &c, packet, &mut world);
            }
            Packet::Any { header, custom, .. } => {
                world.paths = paths(custom);
                bounce(&switch, &c, header, &mut world);
            }
        }
    }
});
