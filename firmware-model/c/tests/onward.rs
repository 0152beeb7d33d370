//! The look in the intermediate group through C: what Rust answers, and a code for all else.

#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

mod told;

use std::ptr::{null, null_mut};
use told::assert_same;
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_NOT_BOOTED, TVLB_OK, TVLB_SUMS_ONLY, tvlb_boot, tvlb_explain_onward,
    tvlb_explanation, tvlb_inputs, tvlb_look_onward, tvlb_setup, tvlb_switch,
};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{ByChannel, Channels, DefaultRng, Header, Scheme, Switch};

/// Of dfly(2, 4, 2, 9), where one link joins two groups: switch 5, which looks onward by the credits of channels, and
/// the same switch that does not look.
const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const ONWARD: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005-onward.tvlb");
const DRAWN: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
/// Of dfly(4, 8, 4, 9), where four links do: switch 4, which looks.
const LARGE_FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const LARGE_ONWARD: &[u8] = include_bytes!("../../bare-metal/images/switch-00004-onward.tvlb");

const CHANNELS: u8 = 5;
const PAR: u8 = 3;
/// What a look may change of a header: the port by which the packet leaves the group, and the detour.
const WAY: u64 = 0xfff << 16 | 0xff << 8;
/// The stage and the kind of a VLB packet that comes to its intermediate group.
const ARRIVING: u64 = 0x62;

fn booted(fabric: &[u8], image: &[u8]) -> tvlb_switch {
    let mut switch = tvlb_switch::zeroed();
    let images = ((fabric.as_ptr(), fabric.len()), (image.as_ptr(), image.len()));
    // SAFETY: the images are constants, and the switch lives.
    let code = unsafe {
        tvlb_boot(&raw mut switch, &tvlb_setup::of(images.0, images.1, (PAR, 0), (5, 4)))
    };
    assert_eq!(code, TVLB_OK);
    switch
}

/// Counters by channel, or with 0 channels one for each port. No random words are given: a look takes none.
fn inputs_of(counters: &mut [u32], channels: u8) -> tvlb_inputs {
    unsafe extern "C" fn none(_: *mut std::ffi::c_void) -> u32 {
        panic!("a look draws no random words")
    }
    let channels = usize::from(channels);
    tvlb_inputs {
        credits: counters.as_mut_ptr(),
        credit_count: counters.len() / channels.max(1),
        channels,
        random: Some(none),
        context: null_mut(),
        link_credits: null(),
    }
}

fn look(switch: &tvlb_switch, header: u64, inputs: &tvlb_inputs) -> (i32, u64) {
    let mut looked = header;
    // SAFETY: all pointers are of what lives.
    let code = unsafe { tvlb_look_onward(switch, &raw mut looked, inputs) };
    (code, looked)
}

fn explain(switch: &tvlb_switch, header: u64, inputs: &tvlb_inputs) -> (i32, tvlb_explanation) {
    let mut told = tvlb_explanation::default();
    // SAFETY: as above.
    let code = unsafe { tvlb_explain_onward(switch, header, inputs, &raw mut told) };
    (code, told)
}

/// What many headers and counters come to, in C and in Rust; how many headers changed, and the most ways that were
/// weighed.
fn compare((fabric, image): (&[u8], &[u8]), mask: u64) -> (u32, u8) {
    let in_c = booted(fabric, image);
    let channels = Channels::ORDERED_PAR;
    let in_rust = Switch::boot(fabric, image).and_then(|s| s.with_channels(Scheme::Par, channels));
    let in_rust = in_rust.unwrap();
    let ports = in_rust.image().fabric().dragonfly().radix() as usize;
    let mut rng = DefaultRng::seed_from_u64(1);
    let (mut changed, mut most) = (0, 0);
    for round in 0..if cfg!(miri) { 40 } else { 50_000 } {
        let bits = rng.next_u64();
        // Of four headers three are in range and arrive.
        let header = if round % 4 == 0 { bits } else { bits & mask & !0xff | ARRIVING };
        let mut counters: Vec<u32> =
            (0..ports * usize::from(CHANNELS)).map(|_| rng.next_u32() >> 28).collect();
        let by_channel = ByChannel { counters: &counters, channels: CHANNELS };
        let rust_header = Header::from_bits(header);
        let expected = in_rust.look_onward(rust_header, Scheme::Par, &by_channel).unwrap();
        let why = in_rust.explain_onward(rust_header, Scheme::Par, &by_channel).unwrap();

        let inputs = inputs_of(&mut counters, CHANNELS);
        assert_eq!(look(&in_c, header, &inputs), (TVLB_OK, expected.bits()));
        let (code, told) = explain(&in_c, header, &inputs);
        assert_eq!((code, told.step.header), (TVLB_OK, expected.bits()));
        assert_same(&told, &why);
        assert_eq!(told.weighing.onward_by_cheapest, 1);
        assert_eq!((expected.bits() ^ header) & !WAY, 0);
        changed += u32::from(expected.bits() != header);
        most = most.max(told.vlb_count);
    }
    (changed, most)
}

#[test]
fn a_look_through_c_is_that_of_rust() {
    // The drawn way, and the only link, also over a third switch; the drawn way and four links.
    let small = compare((FABRIC, ONWARD), 0x003f_0000_0007_0300);
    let large = compare((LARGE_FABRIC, LARGE_ONWARD), 0x007f_0000_001f_0700);
    assert_eq!((small.1, large.1), (3, 5));
    assert!(cfg!(miri) || small.0 > 500 && large.0 > 2000, "{small:?} {large:?}");
}

#[test]
fn sums_are_refused_where_channels_are_counted() {
    let switch = booted(LARGE_FABRIC, LARGE_ONWARD);
    let mut sums = [1; 15];
    let inputs = inputs_of(&mut sums, 0);
    let arriving = 40 << 48 | ARRIVING;
    assert_eq!(look(&switch, arriving, &inputs), (TVLB_SUMS_ONLY, arriving));
    assert_eq!(explain(&switch, arriving, &inputs), (TVLB_SUMS_ONLY, tvlb_explanation::default()));
    // A packet that is not looked at asks for no credits.
    assert_eq!(look(&switch, 40 << 48, &inputs), (TVLB_OK, 40 << 48));
}

#[test]
fn a_switch_whose_image_does_not_say_so_looks_at_nothing() {
    let switch = booted(FABRIC, DRAWN);
    let mut rng = DefaultRng::seed_from_u64(1);
    let mut sums = [0; 7];
    for _ in 0..if cfg!(miri) { 20 } else { 5000 } {
        let header = rng.next_u64() & 0x003f_0000_0007_0300 | ARRIVING;
        sums.fill_with(|| rng.next_u32() >> 28);
        let inputs = inputs_of(&mut sums, 0);
        assert_eq!(look(&switch, header, &inputs), (TVLB_OK, header));
        let (code, told) = explain(&switch, header, &inputs);
        assert_eq!((code, told.step.header), (TVLB_OK, header));
        assert_eq!((told.weighing.onward_by_cheapest, told.vlb_count, told.not_drawn), (0, 0, 1));
    }
}

#[test]
fn null_misaligned_and_unbooted_are_refused() {
    let (switch, zeros) = (booted(FABRIC, ONWARD), tvlb_switch::zeroed());
    let (at, blank) = (&raw const switch, &raw const zeros);
    let mut counters = [0; 7 * CHANNELS as usize];
    let inputs = inputs_of(&mut counters, CHANNELS);
    let with = &raw const inputs;
    let before = 40 << 48 | ARRIVING;
    let (mut header, mut told) = (before, tvlb_explanation::default());
    let (to, to_told) = (&raw mut header, &raw mut told);
    // SAFETY: each pointer is null, misaligned or of what lives.
    unsafe {
        for code in [
            tvlb_look_onward(null(), to, with),
            tvlb_look_onward(at.wrapping_byte_add(4), to, with),
            tvlb_look_onward(at, null_mut(), with),
            tvlb_look_onward(at, to.wrapping_byte_add(1), with),
            tvlb_look_onward(at, to, null()),
            tvlb_look_onward(at, to, with.wrapping_byte_add(1)),
            tvlb_explain_onward(null(), before, with, to_told),
            tvlb_explain_onward(at.wrapping_byte_add(4), before, with, to_told),
            tvlb_explain_onward(at, before, null(), to_told),
            tvlb_explain_onward(at, before, with.wrapping_byte_add(1), to_told),
            tvlb_explain_onward(at, before, with, null_mut()),
            tvlb_explain_onward(at, before, with, to_told.wrapping_byte_add(1)),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
        assert_eq!(tvlb_look_onward(blank, to, with), TVLB_NOT_BOOTED);
        assert_eq!(tvlb_explain_onward(blank, before, with, to_told), TVLB_NOT_BOOTED);
    }
    assert_eq!((header, told), (before, tvlb_explanation::default()));
}
