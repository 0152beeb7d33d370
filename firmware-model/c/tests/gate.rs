//! A decision with a gate takes the sum of the links' credits from the caller, or adds them up; one that counts
//! single virtual channels is made from counters by channel alone.

#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

use std::ffi::c_void;
use std::ptr::null;
use tvlb_firmware_c::{
    TVLB_OK, TVLB_SUMS_ONLY, tvlb_admit, tvlb_boot, tvlb_inputs, tvlb_setup, tvlb_step,
    tvlb_sums_only, tvlb_switch,
};
use tvlb_schema::{
    Candidates, Decision, FabricImage, Gate, MinCandidate, PerDecision, Queue, SetContents,
    SwitchContents, SwitchImage, VcScheme, Weighing, encode_switch_image, shapes_by_number,
};

const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
const UGAL_L: u8 = 2;
const CUSTOM: u8 = 1;
const CHOSE_MIN: u8 = 2;
const CHOSE_VLB: u8 = 3;
/// A node of another group than switch 5's.
const NODE: u32 = 40;

/// Switch 5 of dfly(2, 4, 2, 9) with four VLB candidates and a gate of 1.25.
fn image(queue: Queue) -> Vec<u8> {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let golden = SwitchImage::decode(SWITCH, &fabric).unwrap();
    let set = golden.set(Decision::UgalL);
    let candidates = Candidates::new(1, 4).unwrap();
    let weighing = Weighing {
        threshold: 0,
        candidates,
        gate: Gate::of_sixteenths(20),
        queue,
        ..Weighing::default()
    };
    let contents = SwitchContents {
        switch: golden.switch(),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same((0, weighing)),
        second_min: MinCandidate::Kept,
        sets: vec![SetContents {
            rule: *set.rule(),
            levels: Vec::new(),
            shapes_to: shapes_by_number(fabric.dragonfly(), set.rule(), |to| set.shapes_to(to)),
        }],
        physical_numbers: Vec::new(),
    };
    encode_switch_image(&fabric, &contents)
}

unsafe extern "C" fn random(context: *mut c_void) -> u32 {
    // SAFETY: the context is the state below, which nothing else uses during the call.
    let state = unsafe { &mut *context.cast::<u32>() };
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state
}

#[test]
fn the_sum_of_links_opens_and_shuts_the_gate() {
    let image = image(Queue::Port);
    let mut switch = tvlb_switch::zeroed();
    // SAFETY: the images live as long as the switch.
    let code = unsafe {
        let (fabric, bytes) = (FABRIC.as_ptr(), image.as_ptr());
        tvlb_boot(
            &raw mut switch,
            &tvlb_setup::of((fabric, FABRIC.len()), (bytes, image.len()), (UGAL_L, 0), (4, 4)),
        )
    };
    assert_eq!(code, TVLB_OK);
    // What is chosen where every port has these credits but MIN's, which has 100: by its own credits
    // the switch finds MIN's port first.
    let choice = |credits: &mut [u32; 7], sum: *const u32| {
        let mut state = 1_u32;
        let inputs = tvlb_inputs {
            credits: credits.as_mut_ptr(),
            credit_count: credits.len(),
            channels: 0,
            random: Some(random),
            context: (&raw mut state).cast(),
            link_credits: sum,
        };
        let mut step = tvlb_step::default();
        // SAFETY: all pointers are of what lives.
        let code = unsafe {
            tvlb_admit(&raw const switch, NODE, UGAL_L, CUSTOM, &raw const inputs, &raw mut step)
        };
        assert_eq!(code, TVLB_OK);
        (step.choice, usize::from(step.port))
    };
    let (_, min_port) = choice(&mut [0; 7], null());
    let with = |others: u32, of_nodes: u32| {
        let mut credits = [others; 7];
        credits[0] = of_nodes;
        credits[1] = of_nodes;
        credits[min_port] = 100;
        credits
    };
    // Five links: the mean of 100 and four times 75 is 80, and 1.25 times that is 100.
    assert_eq!(choice(&mut with(75, 0), null()).0, CHOSE_MIN);
    // Queues towards nodes are not of links.
    assert_eq!(choice(&mut with(75, 1000), null()).0, CHOSE_MIN);
    assert_eq!(choice(&mut with(10, 1000), null()).0, CHOSE_VLB);
    // The caller's sum stands in the place of what the counters give.
    let (open, shut) = (399_u32, 400_u32);
    assert_eq!(choice(&mut with(10, 0), &raw const open).0, CHOSE_VLB);
    assert_eq!(choice(&mut with(10, 0), &raw const shut).0, CHOSE_MIN);
}

#[test]
fn the_credits_of_other_channels_do_not_count() {
    let image = image(Queue::Channel);
    let mut switch = tvlb_switch::zeroed();
    // SAFETY: the images live as long as the switch.
    let code = unsafe {
        let (fabric, bytes) = (FABRIC.as_ptr(), image.as_ptr());
        tvlb_boot(
            &raw mut switch,
            &tvlb_setup::of((fabric, FABRIC.len()), (bytes, image.len()), (UGAL_L, 0), (4, 4)),
        )
    };
    assert_eq!(code, TVLB_OK);
    // A switch that has sums finds out at boot, and at a packet if it did not ask.
    // SAFETY: the switch is booted.
    assert_eq!(unsafe { tvlb_sums_only(&raw mut switch) }, TVLB_SUMS_ONLY);
    let mut random_state = 1_u32;
    let mut admit = |credits: &mut [u32], channels: usize| {
        random_state = 1;
        let inputs = tvlb_inputs {
            credits: credits.as_mut_ptr(),
            credit_count: credits.len() / channels.max(1),
            channels,
            random: Some(random),
            context: (&raw mut random_state).cast(),
            link_credits: null(),
        };
        let mut step = tvlb_step::default();
        // SAFETY: all pointers are of what lives.
        let code = unsafe {
            tvlb_admit(&raw const switch, NODE, UGAL_L, CUSTOM, &raw const inputs, &raw mut step)
        };
        (code, step.choice, usize::from(step.port))
    };
    assert_eq!(admit(&mut [0; 7], 0).0, TVLB_SUMS_ONLY);
    let (code, choice, min_port) = admit(&mut [0; 28], 4);
    assert_eq!((code, choice), (TVLB_OK, CHOSE_MIN));
    // A packet sets out on channel 0: however many flits wait on the others, MIN's port is idle.
    let mut credits = [0; 28];
    credits[4 * min_port + 1..4 * min_port + 4].fill(100);
    assert_eq!(admit(&mut credits, 4).1, CHOSE_MIN);
    credits[4 * min_port] = 100;
    assert_eq!(admit(&mut credits, 4).1, CHOSE_VLB);
    // The mean of the gate is of channel 0, too: of five links that have 100 there, none is longer.
    credits.fill(0);
    (2..7).for_each(|port| credits[4 * port] = 100);
    assert_eq!(admit(&mut credits, 4).1, CHOSE_MIN);
    // On the other channels alone it does not count.
    credits.fill(100);
    (2..7).for_each(|port| credits[4 * port] = 0);
    credits[4 * min_port] = 1;
    assert_eq!(admit(&mut credits, 4).1, CHOSE_VLB);
}
