//! Counters of any size, at any distances, of credits in use and of free ones: the decisions are those that the same
//! credits give as numbers of 32 bits without gaps, and what cannot be counters is a code.

#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_NOT_BOOTED, TVLB_OK, tvlb_admit, tvlb_admit_counted, tvlb_boot,
    tvlb_counters, tvlb_explain, tvlb_explain_again, tvlb_explain_again_counted,
    tvlb_explain_counted, tvlb_explain_onward, tvlb_explain_onward_counted, tvlb_explanation,
    tvlb_inputs, tvlb_look_onward, tvlb_look_onward_counted, tvlb_reconsider,
    tvlb_reconsider_counted, tvlb_setup, tvlb_step, tvlb_switch,
};
use tvlb_firmware_model::DefaultRng;
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};

const PAR: u8 = 3;
const CUSTOM: u8 = 1;
const CHANNELS: usize = 5;
/// What idle links show, where counters count free credits: within the group, and to other groups.
const BUFFERS: [u32; 2] = [200, 250];

/// A switch, how many ports it has, and the first of those to other groups.
struct Booted {
    switch: tvlb_switch,
    ports: usize,
    first_global: usize,
}

fn booted(fabric: &'static [u8], image: &'static [u8], [p, a, h]: [usize; 3]) -> Booted {
    let mut switch = tvlb_switch::zeroed();
    let images = ((fabric.as_ptr(), fabric.len()), (image.as_ptr(), image.len()));
    // SAFETY: the images are constants, and the switch lives.
    let code = unsafe {
        tvlb_boot(&raw mut switch, &tvlb_setup::of(images.0, images.1, (PAR, 0), (7, 7)))
    };
    assert_eq!(code, TVLB_OK);
    Booted { switch, ports: p + a - 1 + h, first_global: p + a - 1 }
}

/// Switches that count ports, with a gate and without, and single channels, which also look onward.
fn switches() -> [Booted; 3] {
    let small = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
    let large = include_bytes!("../../bare-metal/images/fabric.tvlb");
    let several = include_bytes!("../../bare-metal/images/switch-00003-several.tvlb");
    let onward = include_bytes!("../../bare-metal/images/switch-00004-onward.tvlb");
    [
        booted(small, include_bytes!("../../../schema/golden/v3/switch-00005.tvlb"), [2, 4, 2]),
        booted(large, several, [4, 8, 4]),
        booted(large, onward, [4, 8, 4]),
    ]
}

unsafe extern "C" fn next_word(context: *mut c_void) -> u32 {
    // SAFETY: the context of every call here is a generator that nothing else uses meanwhile.
    unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
}

/// How hardware may have its counters.
#[derive(Clone, Copy, Debug)]
struct Form {
    counter_bytes: u8,
    port_stride: usize,
    channel_stride: usize,
    /// Whether ports have a counter for each channel.
    by_channel: bool,
    /// Whether they count free credits.
    is_free: bool,
}

/// Every size, of used and of free credits, with gaps, by port and by channel; ports within channels, too.
fn forms(ports: usize) -> Vec<Form> {
    let mut forms = Vec::new();
    for counter_bytes in [1, 2, 4] {
        let size = usize::from(counter_bytes);
        for (port_stride, channel_stride, by_channel) in [
            (size, 0, false),
            (8 * size, 0, false),
            (CHANNELS * size, size, true),
            (16 * size, 3 * size, true),
            (2 * size, 2 * ports * size, true),
        ] {
            for is_free in [false, true] {
                forms.push(Form {
                    counter_bytes,
                    port_stride,
                    channel_stride,
                    by_channel,
                    is_free,
                });
            }
        }
    }
    forms
}

/// Memory of a form for these credits in use, with noise between the counters. 64 bits a place, so that it is aligned.
fn memory_of(form: Form, booted: &Booted, used: &[u32], rng: &mut DefaultRng) -> Vec<u64> {
    let channels = if form.by_channel { CHANNELS } else { 1 };
    let mut memory = vec![rng.next_u64(); 16 * booted.ports * 5];
    for (at, &used) in used.iter().enumerate() {
        let (port, channel) = (at / channels, at % channels);
        let buffer = BUFFERS[usize::from(port >= booted.first_global)];
        let shown = if form.is_free { buffer - used } else { used };
        let distance = port * form.port_stride + channel * form.channel_stride;
        let first = memory.as_mut_ptr();
        // SAFETY: the memory is as large as the widest form, and each counter is aligned in it.
        unsafe {
            let place = first.byte_add(distance);
            match form.counter_bytes {
                1 => place.cast::<u8>().write(shown.try_into().unwrap()),
                2 => place.cast::<u16>().write(shown.try_into().unwrap()),
                _ => place.cast::<u32>().write(shown),
            }
        }
    }
    memory
}

fn counters_of(
    form: Form,
    booted: &Booted,
    memory: &mut [u64],
    words: *mut DefaultRng,
) -> tvlb_counters {
    let [local_buffer, global_buffer] = if form.is_free { BUFFERS } else { [0, 0] };
    tvlb_counters {
        first: memory.as_mut_ptr().cast(),
        port_stride: form.port_stride,
        channel_stride: form.channel_stride,
        random: Some(next_word),
        context: words.cast(),
        link_credits: null(),
        local_buffer,
        global_buffer,
        ports: booted.ports.try_into().unwrap(),
        channels: if form.by_channel { CHANNELS.try_into().unwrap() } else { 0 },
        counter_bytes: form.counter_bytes,
    }
}

/// What all calls answer: codes, steps, headers and what was weighed.
#[derive(Debug, PartialEq)]
struct Answers {
    codes: [i32; 6],
    step: tvlb_step,
    headers: [u64; 2],
    told: [tvlb_explanation; 3],
}

/// Makes all calls of one kind with the same packet, each with the random words of this seed.
macro_rules! answers {
    ($switch:expr, $inputs:expr, $words:expr, $seed:expr, $packet:expr,
     $admit:ident, $reconsider:ident, $onward:ident, $explain:ident, $again:ident, $explain_onward:ident) => {{
        let (at, (node, open, arriving)) = (&raw const $switch, $packet);
        let (inputs, words) = (&raw const $inputs, $words);
        let (mut step, mut told) = (tvlb_step::default(), [tvlb_explanation::default(); 3]);
        let mut headers: [u64; 2] = [open, arriving];
        let [told_0, told_1, told_2] = &mut told;
        // SAFETY: all that the calls are given lives and is used by nobody else; the generator by the pointer that the
        // inputs have, too.
        let codes = unsafe {
            let seeded = || words.write(DefaultRng::seed_from_u64($seed));
            [
                (seeded(), $admit(at, node, PAR, CUSTOM, inputs, &raw mut step)).1,
                (seeded(), $reconsider(at, &raw mut headers[0], CUSTOM, inputs)).1,
                $onward(at, &raw mut headers[1], inputs),
                (seeded(), $explain(at, node, PAR, CUSTOM, inputs, told_0)).1,
                (seeded(), $again(at, open, CUSTOM, inputs, told_1)).1,
                $explain_onward(at, arriving, inputs, told_2),
            ]
        };
        Answers { codes, step, headers, told }
    }};
}

/// A packet to decide: its node, a header that may be open to a second look, and one that comes to its intermediate group.
fn packet(booted: &Booted, index: u64, rng: &mut DefaultRng) -> (u32, u64, u64) {
    let nodes = if booted.ports == 7 { 72 } else { 288 };
    let (node, bits) = (rng.next_u32() % nodes, rng.next_u64());
    let per_switch = (booted.ports - booted.first_global) as u64;
    let (to, x) = (bits >> 48 & 31 | 8, index * per_switch + (bits & (per_switch - 1)));
    (node, to << 48 | x << 28 | 1 << 5 | 1, to << 48 | (bits & 0x001f_0700) | 0x62)
}

#[test]
fn decisions_are_those_of_the_same_credits_without_gaps() {
    let mut looked = [0; 3];
    for (booted, index) in switches().iter().zip([1, 3, 4]) {
        let mut rng = DefaultRng::seed_from_u64(7);
        for form in forms(booted.ports) {
            for round in 0..if cfg!(miri) { 1 } else { 300 } {
                let channels = if form.by_channel { CHANNELS } else { 1 };
                let mut used: Vec<u32> =
                    (0..booted.ports * channels).map(|_| rng.next_u32() % 201).collect();
                let (mut memory, packet) =
                    (memory_of(form, booted, &used, &mut rng), packet(booted, index, &mut rng));
                let mut words = DefaultRng::seed_from_u64(0);
                let words = &raw mut words;
                let dense = tvlb_inputs {
                    credits: used.as_mut_ptr(),
                    credit_count: booted.ports,
                    random: Some(next_word),
                    context: words.cast(),
                    link_credits: null(),
                    channels: if form.by_channel { CHANNELS } else { 0 },
                };
                let expected = answers!(
                    booted.switch,
                    dense,
                    words,
                    round,
                    packet,
                    tvlb_admit,
                    tvlb_reconsider,
                    tvlb_look_onward,
                    tvlb_explain,
                    tvlb_explain_again,
                    tvlb_explain_onward
                );
                let counters = counters_of(form, booted, &mut memory, words);
                let found = answers!(
                    booted.switch,
                    counters,
                    words,
                    round,
                    packet,
                    tvlb_admit_counted,
                    tvlb_reconsider_counted,
                    tvlb_look_onward_counted,
                    tvlb_explain_counted,
                    tvlb_explain_again_counted,
                    tvlb_explain_onward_counted
                );
                assert_eq!(found, expected, "{form:?}");
                looked[0] += u32::from(found.step.choice == 3);
                looked[1] += u32::from(found.told[1].min_count > 0);
                looked[2] += u32::from(found.headers[1] != packet.2);
            }
        }
    }
    assert!(cfg!(miri) || looked.iter().all(|&looked| looked > 500), "{looked:?}");
}

#[test]
fn counters_that_cannot_be_are_refused() {
    let [_, _, booted] = switches();
    let (mut memory, mut rng) = (vec![0_u64; 400], DefaultRng::seed_from_u64(1));
    let by_channel = Form {
        counter_bytes: 2,
        port_stride: 16,
        channel_stride: 2,
        by_channel: true,
        is_free: true,
    };
    let good = counters_of(by_channel, &booted, &mut memory, &raw mut rng);
    let misaligned = good.first.wrapping_byte_add(1);
    let odd_sum = misaligned.cast();
    let admit = |counters: tvlb_counters| {
        let mut step = tvlb_step { port: 77, ..tvlb_step::default() };
        let (at, counters) = (&raw const booted.switch, &raw const counters);
        // SAFETY: the counters live, or cannot be, which is a code; all else lives.
        let code = unsafe { tvlb_admit_counted(at, 40, PAR, CUSTOM, counters, &raw mut step) };
        assert_eq!(step.port == 77, code != TVLB_OK);
        code
    };
    for bad in [
        tvlb_counters { counter_bytes: 0, ..good },
        tvlb_counters { counter_bytes: 3, ..good },
        tvlb_counters { counter_bytes: 8, ..good },
        tvlb_counters { first: null(), ..good },
        tvlb_counters { first: misaligned, ..good },
        tvlb_counters { port_stride: 0, ..good },
        tvlb_counters { port_stride: 15, ..good },
        tvlb_counters { port_stride: usize::MAX - 1, ..good },
        tvlb_counters { port_stride: (usize::MAX / 2 / 14) & !1, ..good },
        tvlb_counters { channel_stride: 0, ..good },
        tvlb_counters { channel_stride: 3, ..good },
        tvlb_counters { channel_stride: usize::MAX / 2 - 1, ..good },
        tvlb_counters { random: None, ..good },
        tvlb_counters { link_credits: odd_sum, ..good },
    ] {
        assert_eq!(admit(bad), TVLB_BAD_ARGUMENT, "{bad:?}");
    }
    // A byte is aligned anywhere. Ports without counters are idle, and with none the rest is not looked at.
    for good in [
        good,
        tvlb_counters { counter_bytes: 1, first: misaligned, port_stride: 15, ..good },
        tvlb_counters { ports: 1, port_stride: 0, ..good },
        tvlb_counters { ports: 0, first: null(), counter_bytes: 0, ..good },
    ] {
        assert_eq!(admit(good), TVLB_OK, "{good:?}");
    }
    let (mut header, zeros) = (0, tvlb_switch::zeroed());
    let (at, with) = (&raw const booted.switch, &raw const good);
    let mut told = tvlb_explanation::default();
    // SAFETY: each pointer is null or of what lives.
    unsafe {
        for code in [
            tvlb_admit_counted(at, 40, PAR, CUSTOM, null(), &mut tvlb_step::default()),
            tvlb_admit_counted(at, 40, PAR, CUSTOM, with, null_mut()),
            tvlb_reconsider_counted(at, &raw mut header, CUSTOM, null()),
            tvlb_reconsider_counted(at, null_mut(), CUSTOM, with),
            tvlb_look_onward_counted(at, &raw mut header, null()),
            tvlb_explain_counted(at, 40, PAR, CUSTOM, null(), &raw mut told),
            tvlb_explain_again_counted(at, 0, CUSTOM, null(), &raw mut told),
            tvlb_explain_onward_counted(at, 0, null(), &raw mut told),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
        let code = tvlb_look_onward_counted(&raw const zeros, &raw mut header, with);
        assert_eq!(code, TVLB_NOT_BOOTED);
    }
}

#[test]
fn the_sum_of_links_is_taken_where_it_is_given() {
    let [_, booted, _] = switches();
    let (mut memory, mut rng) =
        (vec![u64::from_ne_bytes([9; 8]); 400], DefaultRng::seed_from_u64(1));
    let form = Form {
        counter_bytes: 1,
        port_stride: 8,
        channel_stride: 0,
        by_channel: false,
        is_free: false,
    };
    let mut sum = 77_u32;
    let mut told = tvlb_explanation::default();
    let mut counters = counters_of(form, &booted, &mut memory, &raw mut rng);
    let mut gate_sum = |link_credits: *const u32| {
        counters.link_credits = link_credits;
        let (at, with) = (&raw const booted.switch, &raw const counters);
        // SAFETY: all that is given lives.
        let code = unsafe { tvlb_explain_counted(at, 40, 2, CUSTOM, with, &raw mut told) };
        assert_eq!((code, told.gate_asked), (TVLB_OK, 1));
        told.gate_sum
    };
    assert_eq!((gate_sum(null()), gate_sum(&raw mut sum)), (11 * 9, 77));
}
