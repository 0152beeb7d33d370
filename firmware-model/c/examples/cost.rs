//! Makes a number of calls of one kind, in Rust or through C, for a profiler that counts instructions: see
//! `tests/bench/datapath-cost.sh`. The switches are those of `bare-metal`, dfly(4, 8, 4, 9) with
//! strategic-2-3 by shape.

use ::tvlb_ofar::{Ask, EscapeImage, Ofar, Outputs, PortSet};
use std::ffi::c_void;
use std::hint::black_box;
use std::ptr::null;
use tvlb_firmware_c::{
    TVLB_OK, tvlb_admit, tvlb_boot, tvlb_forward, tvlb_inputs, tvlb_look_onward, tvlb_reconsider,
    tvlb_setup, tvlb_step, tvlb_switch,
};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{
    Admission, ByChannel, DefaultRng, Error, Header, Scheme, Step, Switch, VlbPaths,
};
use tvlb_schema::{NodeId, Port, SwitchId};

const FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const SOURCE: &[u8] = include_bytes!("../../bare-metal/images/switch-00003.tvlb");
const RARE: &[u8] = include_bytes!("../../bare-metal/images/switch-00003-rare.tvlb");
const SEVERAL: &[u8] = include_bytes!("../../bare-metal/images/switch-00003-several.tvlb");
const SECOND: &[u8] = include_bytes!("../../bare-metal/images/switch-00004.tvlb");
const ONWARD: &[u8] = include_bytes!("../../bare-metal/images/switch-00004-onward.tvlb");
const ESCAPE: &[u8] = include_bytes!("../../bare-metal/images/escape-ring.tvlb");

#[inline(never)]
fn probe_admit(
    switch: &Switch<'_>,
    node: NodeId,
    (scheme, paths): (Scheme, VlbPaths),
    credits: &[u32],
    rng: &mut DefaultRng,
) -> Result<Admission, Error> {
    switch.admit(node, scheme, paths, credits, rng)
}

#[inline(never)]
fn probe_reconsider(
    switch: &Switch<'_>,
    header: Header,
    credits: &[u32],
    rng: &mut DefaultRng,
) -> Result<Header, Error> {
    switch.reconsider(header, VlbPaths::Custom, credits, rng)
}

#[inline(never)]
fn probe_forward(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
    switch.forward(header)
}

#[inline(never)]
fn probe_look_onward(
    switch: &Switch<'_>,
    header: Header,
    credits: &ByChannel<'_>,
) -> Result<Header, Error> {
    switch.look_onward(header, Scheme::Par, credits)
}

#[inline(never)]
fn probe_ask(
    ofar: &Ofar<'_, '_>,
    header: Header,
    view: &View,
    rng: &mut DefaultRng,
) -> Result<Ask, ::tvlb_ofar::Error> {
    ofar.ask(header, view, rng)
}

#[inline(never)]
fn probe_c_look_onward(switch: &tvlb_switch, mut header: u64, inputs: &tvlb_inputs) -> u64 {
    // SAFETY: all arguments are alive and not used elsewhere; no random words are drawn.
    unsafe { tvlb_look_onward(switch, &raw mut header, inputs) };
    header
}

/// Looks at packets in their intermediate group, from where four links lead to the group of their destination, or at
/// packets elsewhere.
fn look_onward(what: &str, calls: u32) {
    let switch = Switch::boot(FABRIC, ONWARD).expect("the images are good");
    let (fabric, group) = (switch.image().fabric(), switch.image().group());
    let mut rng = DefaultRng::seed_from_u64(1);
    let mut headers = Vec::new();
    while headers.len() < 64 {
        let word = rng.next_u32();
        let to = SwitchId(u16::try_from(word % 72).expect("it is below 72"));
        let (to_group, _) = fabric.dragonfly().place(to);
        if to_group != group {
            let (y, _) = fabric.ends(fabric.links_between(group, to_group), word >> 8 & 3);
            let way = u64::from(y.0) << 16 | u64::from(word >> 16 & 7) << 8;
            headers.push(u64::from(to.0) << 48 | way | 3 << 5 | 2);
        }
    }
    let mut counters = [1; 15 * 5];
    let credits = ByChannel { counters: &counters.clone(), channels: 5 };
    let mut c = InC::boot(ONWARD);
    let first = counters.as_mut_ptr();
    let inputs = tvlb_inputs { credits: first, channels: 5, ..c.inputs() };
    let stage = if what == "look-onward-elsewhere" { 1 << 5 } else { 0 };
    for call in 0..calls {
        let header = headers[call as usize & 63] ^ stage;
        if what == "c-look-onward" {
            let _ = black_box(probe_c_look_onward(&c.switch, header, &inputs));
        } else {
            let header = Header::from_bits(header);
            let _ = black_box(probe_look_onward(&switch, header, &credits));
        }
    }
}

/// The switch's view of its outputs, as in `bare-metal`.
struct View {
    ready: PortSet,
    room: [u16; 15],
}

impl View {
    /// Outputs that are all free.
    fn free() -> Self {
        Self { ready: PortSet::from_words([0x7ff0, 0, 0, 0]), room: [4; 15] }
    }

    /// Outputs of which half can take a packet, and whose buffers have room for 0 to 3.
    fn busy(rng: &mut DefaultRng) -> Self {
        let room: [u16; 15] = std::array::from_fn(|_| (rng.next_u32() >> 30) as u16);
        let free = rng.next_u32();
        let is_ready = |&port: &u16| room[usize::from(port)] > 0 && free >> port & 1 == 1;
        Self { ready: (4..15).filter(is_ready).map(Port).collect(), room }
    }
}

impl Outputs for View {
    fn ready(&self) -> PortSet {
        self.ready
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        self.room[port.as_usize()].saturating_sub(virtual_channel.into())
    }

    fn capacity(&self, _: Port) -> u16 {
        4
    }
}

/// Asks for packets from nodes of the switch, from switches of its group and from other groups in turn.
fn ask(switch: &Switch<'_>, is_busy: bool, calls: u32) {
    let escape = EscapeImage::decode(ESCAPE, switch.image().fabric()).expect("the image is good");
    let ofar = Ofar::new(switch, &escape).expect("the fabric is one for it");
    let (mut inputs, mut rng) = (DefaultRng::seed_from_u64(1), DefaultRng::seed_from_u64(1));
    let view = |_| if is_busy { View::busy(&mut inputs) } else { View::free() };
    let views: Vec<View> = (0..16).map(view).collect();
    for call in 0..calls {
        let launched = ofar.launch(NodeId(call % 288)).expect("the node is there").bits();
        let header = Header::from_bits(match call % 3 {
            0 => launched,
            1 => launched | 1 << 5,
            _ => launched | 1 << 30 | 2 << 5,
        });
        let view = black_box(&views[call as usize & 15]);
        let _ = black_box(probe_ask(&ofar, header, view, &mut rng));
    }
}

unsafe extern "C" fn next_random(context: *mut c_void) -> u32 {
    // SAFETY: the context is the generator of the calls below, which nothing else uses meanwhile.
    unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
}

/// A switch booted in C, and the arguments of its calls.
struct InC {
    switch: Box<tvlb_switch>,
    credits: [u32; 15],
    rng: DefaultRng,
}

impl InC {
    fn boot(image: &[u8]) -> Self {
        let mut switch = Box::new(tvlb_switch::zeroed());
        // SAFETY: the images are constants, and the switch lives.
        let code = unsafe {
            let (at, len) = (image.as_ptr(), image.len());
            tvlb_boot(
                &raw mut *switch,
                &tvlb_setup::of((FABRIC.as_ptr(), FABRIC.len()), (at, len), (3, 0), (7, 7)),
            )
        };
        assert_eq!(code, TVLB_OK);
        Self { switch, credits: [1; 15], rng: DefaultRng::seed_from_u64(1) }
    }

    fn inputs(&mut self) -> tvlb_inputs {
        tvlb_inputs {
            credits: self.credits.as_mut_ptr(),
            credit_count: self.credits.len(),
            channels: 0,
            random: Some(next_random),
            context: (&raw mut self.rng).cast(),
            link_credits: null(),
        }
    }
}

#[inline(never)]
fn probe_c_admit(switch: &tvlb_switch, node: u32, paths: u8, inputs: &tvlb_inputs) -> tvlb_step {
    let mut step = tvlb_step::default();
    // SAFETY: all arguments are alive and not used elsewhere.
    unsafe { tvlb_admit(switch, node, 2, paths, inputs, &raw mut step) };
    step
}

#[inline(never)]
fn probe_c_reconsider(switch: &tvlb_switch, mut header: u64, inputs: &tvlb_inputs) -> u64 {
    // SAFETY: as above.
    unsafe { tvlb_reconsider(switch, &raw mut header, 1, inputs) };
    header
}

#[inline(never)]
fn probe_c_forward(switch: &tvlb_switch, header: u64) -> tvlb_step {
    let mut step = tvlb_step::default();
    // SAFETY: as above.
    unsafe { tvlb_forward(switch, header, &raw mut step) };
    step
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().expect("the first argument is the kind of call");
    let calls: u32 = arguments.next().and_then(|n| n.parse().ok()).expect("the second is a number");
    let boot = |image| Switch::boot(FABRIC, image).expect("the images are good");
    let source = boot(match what.as_str() {
        "admit-ugal-l-rare" => RARE,
        "admit-ugal-l-conventional-1x4" | "admit-ugal-l-custom-1x4" => SEVERAL,
        _ => SOURCE,
    });
    let second = boot(SECOND);
    let credits = [1_u32; 15];
    let mut rng = DefaultRng::seed_from_u64(1);
    let how = match what.as_str() {
        "admit-min" => (Scheme::Min, VlbPaths::Custom),
        "admit-ugal-l-conventional" | "admit-ugal-l-conventional-1x4" => {
            (Scheme::UgalL, VlbPaths::Conventional)
        }
        "admit-par-custom" => (Scheme::Par, VlbPaths::Custom),
        _ => (Scheme::UgalL, VlbPaths::Custom),
    };
    if what.contains("look-onward") {
        return look_onward(&what, calls);
    }
    if what.starts_with("ask") {
        return ask(&source, what == "ask-busy", calls);
    }
    if let Some(how) = what.strip_prefix("c-admit-ugal-l-") {
        let mut c = InC::boot(SOURCE);
        let inputs = c.inputs();
        for call in 0..calls {
            let _ =
                black_box(probe_c_admit(&c.switch, call % 288, u8::from(how == "custom"), &inputs));
        }
        return;
    }
    if what.starts_with("admit") {
        for call in 0..calls {
            let node = NodeId(call % 288);
            let _ = black_box(probe_admit(&source, node, how, &credits, &mut rng));
        }
        return;
    }
    // Headers as they arrive at the second switch.
    let mut headers = Vec::new();
    let what = what.as_str();
    let is_second_look = what.ends_with("reconsider");
    let scheme = if is_second_look { Scheme::Par } else { Scheme::Vlb };
    while headers.len() < 1000 {
        let node = NodeId(rng.next_u32() % 288);
        let admission = source.admit(node, scheme, VlbPaths::Custom, credits.as_slice(), &mut rng);
        if let Ok(Step::Send { port, header, .. }) = admission.map(|a| a.step)
            && source.neighbour(port) == Some((second.image().group(), second.image().index()))
            && (!is_second_look || header.kind() == Some(tvlb_firmware_model::Kind::OpenMin))
        {
            headers.push(header);
        }
    }
    let mut c = InC::boot(SECOND);
    let inputs = c.inputs();
    for call in 0..calls {
        let header = headers[call as usize % headers.len()];
        match what {
            "c-reconsider" => {
                let _ = black_box(probe_c_reconsider(&c.switch, header.bits(), &inputs));
            }
            "c-forward" => {
                let _ = black_box(probe_c_forward(&c.switch, header.bits()));
            }
            "reconsider" => {
                let _ = black_box(probe_reconsider(&second, header, &credits, &mut rng));
            }
            _ => {
                let _ = black_box(probe_forward(&second, header));
            }
        }
    }
}
