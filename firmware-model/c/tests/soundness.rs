//! What C does with its memory during and between calls stays defined behaviour. These tests say
//! what comes out; `miri.sh` runs them under Miri, which says whether the way there was sound.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_NOT_BOOTED, TVLB_OK, TVLB_SWITCH_IMAGE,
    TVLB_TOO_FEW_CHANNELS, tvlb_admit, tvlb_boot, tvlb_explain_onward, tvlb_explanation,
    tvlb_forward, tvlb_inputs, tvlb_look_onward, tvlb_reconsider, tvlb_setup, tvlb_step,
    tvlb_switch,
};

const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
const PAR: u8 = 3;
const CUSTOM: u8 = 1;
/// The ports of a switch of dfly(2, 4, 2, 9).
const PORTS: usize = 7;
/// A node of another group than switch 5's.
const NODE: u32 = 40;
/// A header that switch 5 may change: to switch 14, by the group's port 2, which is the switch's
/// first global port; after one local hop, on channel 0, open to PAR.
const OPEN: u64 = 14 << 48 | 2 << 28 | 1 << 5 | 1;

/// Boots `SWITCH` for PAR, over links with enough channels.
fn boot_into(switch: *mut tvlb_switch) -> i32 {
    let (fabric, image) = (FABRIC.as_ptr(), SWITCH.as_ptr());
    // SAFETY: the images are constants; `switch` is writable or misaligned.
    unsafe {
        tvlb_boot(
            switch,
            &tvlb_setup::of((fabric, FABRIC.len()), (image, SWITCH.len()), (PAR, 0), (7, 7)),
        )
    }
}

fn booted() -> Box<tvlb_switch> {
    let mut switch = Box::new(tvlb_switch::zeroed());
    assert_eq!(boot_into(&raw mut *switch), TVLB_OK);
    switch
}

/// Counters on which the minimal path always has to wait, so that a decision draws.
fn busy() -> Vec<u32> {
    vec![9; PORTS]
}

fn inputs_of(
    credits: &mut [u32],
    random: unsafe extern "C" fn(*mut c_void) -> u32,
    context: *mut c_void,
) -> tvlb_inputs {
    let credit_count = credits.len();
    tvlb_inputs {
        credits: credits.as_mut_ptr(),
        credit_count,
        channels: 0,
        random: Some(random),
        context,
        link_credits: null(),
    }
}

/// Inputs that need no context: their random numbers are all alike.
fn constant_inputs(credits: &mut [u32]) -> tvlb_inputs {
    unsafe extern "C" fn constant(_: *mut c_void) -> u32 {
        0x1234_5678
    }
    inputs_of(credits, constant, null_mut())
}

fn next(state: u32) -> u32 {
    state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// Memory of `T` of which one byte before the first makes it misaligned.
struct Misaligned<T>(Box<[T; 2]>);

impl<T> Misaligned<T> {
    fn at(&mut self) -> *mut T {
        (&raw mut self.0[0]).wrapping_byte_add(1)
    }
}

#[test]
fn misaligned_inputs_are_refused() {
    let switch = booted();
    let mut credits = busy();
    let idle = constant_inputs(&mut credits);
    let mut inputs = Misaligned(Box::new([idle; 2]));
    let (mut step, mut header) = (tvlb_step { port: 77, ..tvlb_step::default() }, OPEN);
    // SAFETY: the inputs are misaligned, which is a code; all else lives.
    unsafe {
        inputs.at().write_unaligned(idle);
        let code = tvlb_admit(&raw const *switch, NODE, PAR, CUSTOM, inputs.at(), &raw mut step);
        assert_eq!(code, TVLB_BAD_ARGUMENT);
        let code = tvlb_reconsider(&raw const *switch, &raw mut header, CUSTOM, inputs.at());
        assert_eq!(code, TVLB_BAD_ARGUMENT);
        let code = tvlb_look_onward(&raw const *switch, &raw mut header, inputs.at());
        assert_eq!(code, TVLB_BAD_ARGUMENT);
    }
    assert_eq!((step.port, header), (77, OPEN));
}

#[test]
fn other_misaligned_pointers_are_refused() {
    let switch = booted();
    let mut credits = busy();
    let inputs = constant_inputs(&mut credits);
    let mut other = Misaligned(Box::new([tvlb_switch::zeroed(), tvlb_switch::zeroed()]));
    let mut steps = Misaligned(Box::new([tvlb_step::default(); 2]));
    let mut headers = Misaligned(Box::new([0_u64; 2]));
    let mut tellings = Misaligned(Box::new([tvlb_explanation::default(); 2]));
    let mut counters = Misaligned(Box::new([0_u32; 2]));
    let crooked = tvlb_inputs { credits: counters.at(), credit_count: 1, ..inputs };
    let crooked_sum = tvlb_inputs { link_credits: counters.at(), ..inputs };
    assert_eq!(boot_into(other.at()), TVLB_BAD_ARGUMENT);
    let (at, inputs) = (&raw const *switch, &raw const inputs);
    let mut step = tvlb_step::default();
    // SAFETY: each pointer is misaligned, which is a code, or of what lives.
    unsafe {
        for code in [
            tvlb_admit(other.at(), NODE, PAR, CUSTOM, inputs, &raw mut step),
            tvlb_admit(at, NODE, PAR, CUSTOM, inputs, steps.at()),
            tvlb_admit(at, NODE, PAR, CUSTOM, &raw const crooked, &raw mut step),
            tvlb_admit(at, NODE, PAR, CUSTOM, &raw const crooked_sum, &raw mut step),
            tvlb_reconsider(at, headers.at(), CUSTOM, inputs),
            tvlb_look_onward(at, headers.at(), inputs),
            tvlb_look_onward(other.at(), &raw mut headers.0[0], inputs),
            tvlb_explain_onward(at, OPEN, inputs, tellings.at()),
            tvlb_forward(other.at(), OPEN, &raw mut step),
            tvlb_forward(at, OPEN, steps.at()),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
    }
}

#[test]
fn lengths_that_are_wrong_are_refused() {
    let mut switch = tvlb_switch::zeroed();
    let (fabric, image) = (FABRIC.as_ptr(), SWITCH.as_ptr());
    let mut boot = |fabric_len, image_len| {
        // SAFETY: no length is above that of the image, or it is more than memory has.
        unsafe {
            tvlb_boot(
                &raw mut switch,
                &tvlb_setup::of((fabric, fabric_len), (image, image_len), (PAR, 0), (7, 7)),
            )
        }
    };
    assert_eq!(boot(usize::MAX, SWITCH.len()), TVLB_BAD_ARGUMENT);
    assert_eq!(boot(FABRIC.len(), usize::MAX), TVLB_BAD_ARGUMENT);
    assert_eq!(boot(FABRIC.len(), 1 + usize::MAX / 2), TVLB_BAD_ARGUMENT);
    for length in [0, 1, 23, 24, FABRIC.len() - 1] {
        assert_eq!(boot(length, SWITCH.len()), TVLB_FABRIC_IMAGE);
    }
    for length in [0, 1, 23, 24, SWITCH.len() - 1] {
        assert_eq!(boot(FABRIC.len(), length), TVLB_SWITCH_IMAGE);
    }
    assert_eq!(boot(FABRIC.len(), SWITCH.len()), TVLB_OK);

    let (mut credits, mut step) = (busy(), tvlb_step::default());
    for credit_count in [usize::MAX, usize::MAX / 4, usize::MAX / 4 + 2, usize::MAX / 8 + 1] {
        let inputs = tvlb_inputs { credit_count, ..constant_inputs(&mut credits) };
        // SAFETY: the counters are more than memory has, which is a code; all else lives.
        let code = unsafe {
            tvlb_admit(&raw const switch, NODE, PAR, CUSTOM, &raw const inputs, &raw mut step)
        };
        assert_eq!(code, TVLB_BAD_ARGUMENT);
    }
}

#[test]
fn a_failing_boot_leaves_memory_as_it_was() {
    let mut switch = tvlb_switch::zeroed();
    let at = &raw mut switch;
    let (fabric, image) = (FABRIC.as_ptr(), SWITCH.as_ptr());
    let mut step = tvlb_step::default();
    // SAFETY: all pointers are of what lives.
    unsafe {
        let code = tvlb_boot(
            at,
            &tvlb_setup::of((fabric, FABRIC.len()), (image, SWITCH.len()), (PAR, 0), (1, 1)),
        );
        assert_eq!(code, TVLB_TOO_FEW_CHANNELS);
        assert_eq!(tvlb_forward(at, OPEN, &raw mut step), TVLB_NOT_BOOTED);
        assert_eq!(boot_into(at), TVLB_OK);
        let code = tvlb_boot(
            at,
            &tvlb_setup::of((image, SWITCH.len()), (image, SWITCH.len()), (PAR, 0), (7, 7)),
        );
        assert_eq!(code, TVLB_FABRIC_IMAGE);
        assert_eq!(tvlb_forward(at, OPEN, &raw mut step), TVLB_OK);
    }
}

#[test]
fn a_switch_boots_fifty_times_in_the_same_memory() {
    let mut switch = tvlb_switch::zeroed();
    let at = &raw mut switch;
    let mut credits = busy();
    let inputs = constant_inputs(&mut credits);
    let mut first = None;
    for _ in 0..50 {
        assert_eq!(boot_into(at), TVLB_OK);
        let mut step = tvlb_step::default();
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_admit(at, NODE, PAR, CUSTOM, &raw const inputs, &raw mut step) };
        assert_eq!(code, TVLB_OK);
        assert_eq!(*first.get_or_insert(step), step);
    }
}

/// The context of `random` is the memory of the counters, which change at every random number as
/// an interrupt or a DMA engine would change them.
#[test]
fn counters_may_change_during_a_call() {
    struct Live {
        counters: [u32; PORTS],
        state: u32,
        calls: u32,
    }
    unsafe extern "C" fn random(context: *mut c_void) -> u32 {
        let live = context.cast::<Live>();
        // SAFETY: the context lives, and nobody else uses it during the call but the callee's reads.
        unsafe {
            (*live).calls += 1;
            (*live).state = next((*live).state);
            for port in 0..PORTS {
                (*live).counters[port] ^= (*live).state >> 24;
            }
            (*live).state
        }
    }
    let switch = booted();
    let mut live = Live { counters: [9; PORTS], state: 1, calls: 0 };
    let at = &raw mut live;
    // SAFETY: the place lives; no reference to it is made.
    let credits = unsafe { (&raw const (*at).counters).cast() };
    let inputs = tvlb_inputs {
        credits,
        credit_count: PORTS,
        channels: 0,
        random: Some(random),
        context: at.cast(),
        link_credits: null(),
    };
    let (mut step, mut header) = (tvlb_step::default(), OPEN);
    for _ in 0..20 {
        header = OPEN;
        // SAFETY: all pointers are of what lives.
        unsafe {
            (*at).counters = [9; PORTS];
            let (switch, inputs) = (&raw const *switch, &raw const inputs);
            assert_eq!(tvlb_admit(switch, NODE, PAR, CUSTOM, inputs, &raw mut step), TVLB_OK);
            (*at).counters = [9; PORTS];
            assert_eq!(tvlb_reconsider(switch, &raw mut header, CUSTOM, inputs), TVLB_OK);
        }
    }
    assert!(live.calls >= 40);
    assert_ne!(header, OPEN);
}

/// The header and the state of the random numbers are parts of one packet, and `random` uses all
/// of the packet.
#[test]
fn random_may_touch_the_header_that_is_reconsidered() {
    struct Packet {
        header: u64,
        state: u32,
    }
    unsafe extern "C" fn random(context: *mut c_void) -> u32 {
        // SAFETY: the context lives, and nobody else refers to it while this function runs.
        let packet = unsafe { &mut *context.cast::<Packet>() };
        packet.state = next(packet.state);
        packet.header = !packet.header;
        packet.state
    }
    let switch = booted();
    let mut credits = busy();
    let mut packet = Packet { header: OPEN, state: 1 };
    let at = &raw mut packet;
    let inputs = inputs_of(&mut credits, random, at.cast());
    // SAFETY: all pointers are of what lives; the header by the same pointer as the context.
    let code = unsafe {
        tvlb_reconsider(&raw const *switch, &raw mut (*at).header, CUSTOM, &raw const inputs)
    };
    assert_eq!(code, TVLB_OK);
    assert_ne!(packet.state, 1, "a random number was drawn");
    // The decision uses the header from the beginning of the call.
    assert_eq!(packet.header >> 40, OPEN >> 40);
    assert_ne!(packet.header & 3, 1);
}

#[test]
fn random_may_touch_the_step_and_the_inputs() {
    struct Packet {
        step: tvlb_step,
        inputs: tvlb_inputs,
        state: u32,
    }
    unsafe extern "C" fn random(context: *mut c_void) -> u32 {
        // SAFETY: the context lives, and nobody else refers to it while this function runs.
        let packet = unsafe { &mut *context.cast::<Packet>() };
        packet.state = next(packet.state);
        packet.step.port = 77;
        packet.inputs.credit_count ^= 1;
        packet.state
    }
    let switch = booted();
    let mut credits = busy();
    let inputs = inputs_of(&mut credits, random, null_mut());
    let mut packet = Packet { step: tvlb_step::default(), inputs, state: 1 };
    let at = &raw mut packet;
    // SAFETY: all pointers are of what lives; step and inputs by the same pointer as the context.
    let code = unsafe {
        (*at).inputs.context = at.cast();
        let (inputs, step) = (&raw const (*at).inputs, &raw mut (*at).step);
        tvlb_admit(&raw const *switch, NODE, PAR, CUSTOM, inputs, step)
    };
    assert_eq!(code, TVLB_OK);
    assert_ne!(packet.state, 1, "a random number was drawn");
    assert!(usize::from(packet.step.port) < PORTS);
}

#[test]
fn a_booted_switch_may_be_moved_and_swapped() {
    let mut first = tvlb_switch::zeroed();
    assert_eq!(boot_into(&raw mut first), TVLB_OK);
    let mut switches = vec![tvlb_switch::zeroed(), first, tvlb_switch::zeroed()];
    switches.swap(0, 1);
    switches.reserve(20);
    let mut moved = Box::new(switches.swap_remove(0));
    let mut step = tvlb_step::default();
    // SAFETY: all pointers are of what lives.
    unsafe {
        assert_eq!(tvlb_forward(&raw const *moved, OPEN, &raw mut step), TVLB_OK);
        let before = step;
        let there = std::mem::replace(&mut *moved, tvlb_switch::zeroed());
        assert_eq!(tvlb_forward(&raw const *moved, OPEN, &raw mut step), TVLB_NOT_BOOTED);
        assert_eq!(tvlb_forward(&raw const there, OPEN, &raw mut step), TVLB_OK);
        assert_eq!(step, before);
    }
}

/// Whatever memory may be shared between threads of a test.
struct Shared<T>(T);

// SAFETY: the test's own threads only read what the pointers lead to, or use atomic stores.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> &T {
        &self.0
    }
}

#[test]
fn threads_share_a_switch_and_its_counters_while_they_change() {
    unsafe extern "C" fn random(context: *mut c_void) -> u32 {
        // SAFETY: the context is the thread's own state.
        let state = unsafe { &mut *context.cast::<u32>() };
        *state = next(*state);
        *state
    }
    let switch = Shared(booted());
    let counters: [AtomicU32; PORTS] = Default::default();
    thread::scope(|scope| {
        for thread in 0..2 {
            let (switch, counters) = (&switch, &counters);
            scope.spawn(move || {
                let mut state: u32 = thread;
                let inputs = tvlb_inputs {
                    credits: counters.as_ptr().cast(),
                    credit_count: PORTS,
                    channels: 0,
                    random: Some(random),
                    context: (&raw mut state).cast(),
                    link_credits: counters.as_ptr().cast(),
                };
                let at = &raw const **switch.get();
                let (mut step, mut header) = (tvlb_step::default(), OPEN);
                for _ in 0..10 {
                    // SAFETY: all pointers are of what lives until the scope ends.
                    unsafe {
                        let inputs = &raw const inputs;
                        let code = tvlb_admit(at, NODE, PAR, CUSTOM, inputs, &raw mut step);
                        assert_eq!(code, TVLB_OK);
                        let code = tvlb_reconsider(at, &raw mut header, CUSTOM, inputs);
                        assert_eq!(code, TVLB_OK);
                        assert_eq!(tvlb_forward(at, header, &raw mut step), TVLB_OK);
                    }
                    header = OPEN;
                }
            });
        }
        for count in 0..200 {
            counters[count as usize % PORTS].store(count, Ordering::Relaxed);
        }
    });
}
