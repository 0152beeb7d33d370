//! What C may ask of switches and images, and what a switch refuses that was not booted for it.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_FAULT_IMAGE, TVLB_NO_CABLE, TVLB_NO_NUMBER,
    TVLB_NOT_BOOTED, TVLB_OK, TVLB_OLD_FAULTS, TVLB_REPLACEMENT, TVLB_SWITCH_IMAGE,
    TVLB_TOO_FEW_CHANNELS, TVLB_UNREACHABLE, TVLB_WRONG_SCHEME, tvlb_admit, tvlb_boot,
    tvlb_channels_needed, tvlb_check_replacement, tvlb_forward, tvlb_inputs, tvlb_install_faults,
    tvlb_neighbour, tvlb_node_count, tvlb_physical_number, tvlb_ports, tvlb_reconsider, tvlb_setup,
    tvlb_step, tvlb_switch, tvlb_switch_number, tvlb_switch_of, tvlb_window,
    tvlb_window_acknowledge, tvlb_window_admit, tvlb_window_limits, tvlb_window_lose,
};
use tvlb_firmware_model::DestinationWindow;
use tvlb_schema::{
    FabricImage, FaultSet, MinCandidate, PerDecision, SetContents, SetRule, ShapeSet,
    SwitchContents, SwitchId, VcScheme, Weighing, WindowLimits, encode_fault_image,
    encode_switch_image,
};

/// Of dfly(2, 4, 2, 9), with switch 5.
const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
/// What is dead of it: switch 31, two cables and a link, by epoch 7.
const FAULTS: &[u8] = include_bytes!("../../../schema/golden/v3/faults.tvlb");
/// The same switch with another set.
const THINNED: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005-thinned.tvlb");
/// Of dfly(4, 8, 4, 9), with switches 3 and 4.
const OTHER_FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const THIRD: &[u8] = include_bytes!("../../bare-metal/images/switch-00003.tvlb");
const FOURTH: &[u8] = include_bytes!("../../bare-metal/images/switch-00004.tvlb");

const SCHEMES: [u8; 4] = [MIN, VLB, UGAL_L, PAR];
const MIN: u8 = 0;
const VLB: u8 = 1;
const UGAL_L: u8 = 2;
const PAR: u8 = 3;
const CONVENTIONAL: u8 = 0;
const CUSTOM: u8 = 1;
/// To switch 14, open to PAR at switch 5.
const OPEN: u64 = 14 << 48 | 2 << 28 | 1 << 5 | 1;

unsafe extern "C" fn seven(_: *mut c_void) -> u32 {
    7
}

const IDLE: tvlb_inputs = tvlb_inputs {
    credits: null(),
    credit_count: 0,
    channels: 0,
    random: Some(seven),
    context: null_mut(),
    link_credits: null(),
};

fn try_boot(
    fabric: &[u8],
    image: &[u8],
    scheme: u8,
    (local, global): (u8, u8),
) -> Result<tvlb_switch, i32> {
    let mut switch = tvlb_switch::zeroed();
    // SAFETY: the images are constants, and the switch lives.
    let code = unsafe {
        let (fabric, fabric_len) = (fabric.as_ptr(), fabric.len());
        let (at, len) = (image.as_ptr(), image.len());
        tvlb_boot(
            &raw mut switch,
            &tvlb_setup::of((fabric, fabric_len), (at, len), (scheme, 0), (local, global)),
        )
    };
    if code == TVLB_OK { Ok(switch) } else { Err(code) }
}

fn boot(fabric: &[u8], image: &[u8], scheme: u8, channels: (u8, u8)) -> tvlb_switch {
    try_boot(fabric, image, scheme, channels).expect("the images are good")
}

#[test]
fn a_scheme_that_needs_more_channels_than_the_one_booted_for_is_refused_at_once() {
    let admit = |switch: &tvlb_switch, node, scheme| {
        let mut step = tvlb_step { port: 77, ..tvlb_step::default() };
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_admit(switch, node, scheme, CUSTOM, &IDLE, &raw mut step) };
        (code, step.port)
    };
    let reconsider = |switch: &tvlb_switch, bits: u64| {
        let mut header = bits;
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_reconsider(switch, &raw mut header, CUSTOM, &IDLE) };
        assert!(code == TVLB_OK || header == bits);
        code
    };
    for booted in SCHEMES {
        // With just the channels of the scheme, and with more.
        let needed = if booted == PAR { (5, 4) } else { (4, 3) };
        for channels in [needed, (7, 7)] {
            let switch = boot(FABRIC, SWITCH, booted, channels);
            for scheme in SCHEMES {
                let refused = scheme == PAR && booted != PAR;
                let (code, port) = admit(&switch, 40, scheme);
                assert_eq!(code, if refused { TVLB_WRONG_SCHEME } else { TVLB_OK });
                assert_eq!(port == 77, refused);
                // If no path is needed, no channel is either: switch 5 has nodes 10 and 11.
                assert_eq!(admit(&switch, 10, scheme).0, TVLB_OK);
            }
            assert_eq!(admit(&switch, 40, 4), (TVLB_BAD_ARGUMENT, 77));
            let looked = if booted == PAR { TVLB_OK } else { TVLB_WRONG_SCHEME };
            assert_eq!(reconsider(&switch, OPEN), looked);
            // A header that is not open to PAR is left alone, whatever the switch was booted for.
            assert_eq!(reconsider(&switch, OPEN & !3), TVLB_OK);
        }
    }
}

#[test]
fn a_switch_tells_its_size_and_place() {
    for (fabric, image, expected) in [
        (FABRIC, SWITCH, (7, 5, 72)),
        (OTHER_FABRIC, THIRD, (15, 3, 288)),
        (OTHER_FABRIC, FOURTH, (15, 4, 288)),
    ] {
        let switch = boot(fabric, image, MIN, (4, 3));
        let (at, mut ports, mut number, mut nodes) = (&raw const switch, 0, 0, 0);
        // SAFETY: all pointers are of what lives.
        unsafe {
            assert_eq!(tvlb_ports(at, &raw mut ports), TVLB_OK);
            assert_eq!(tvlb_switch_number(at, &raw mut number), TVLB_OK);
            assert_eq!(tvlb_node_count(at, &raw mut nodes), TVLB_OK);
        }
        assert_eq!((ports, number, nodes), expected);
    }
}

#[test]
fn a_switch_tells_its_neighbours() {
    let switch = boot(FABRIC, SWITCH, MIN, (4, 3));
    let neighbours: Vec<Result<u32, i32>> = (0..9)
        .map(|port| {
            let mut number = 77;
            // SAFETY: all pointers are of what lives.
            let code = unsafe { tvlb_neighbour(&raw const switch, port, &raw mut number) };
            assert_eq!(code == TVLB_OK, number != 77);
            if code == TVLB_OK { Ok(number) } else { Err(code) }
        })
        .collect();
    let (to_node, missing) = (Err(TVLB_NO_CABLE), Err(TVLB_BAD_ARGUMENT));
    // Two nodes, switches 4, 6 and 7 of the group, two cables to groups 3 and 4.
    let expected = [to_node, to_node, Ok(4), Ok(6), Ok(7), Ok(13), Ok(17), missing, missing];
    assert_eq!(neighbours, expected);
}

#[test]
fn a_switch_tells_the_numbers_of_its_ports() {
    const WITH_PORTS: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005-ports.tvlb");
    let numbers = |image: &[u8]| {
        let switch = boot(FABRIC, image, MIN, (4, 3));
        let number = |port| {
            let mut number = 77;
            // SAFETY: all pointers are of what lives.
            let code = unsafe { tvlb_physical_number(&raw const switch, port, &raw mut number) };
            if code == TVLB_OK { Ok(number) } else { Err(code) }
        };
        (0..8).map(number).collect::<Vec<Result<u32, i32>>>()
    };
    let (unknown, missing) = (Err(TVLB_NO_NUMBER), Err(TVLB_BAD_ARGUMENT));
    assert_eq!(
        numbers(WITH_PORTS),
        [Ok(12), Ok(0), Ok(254), Ok(7), Ok(8), unknown, unknown, missing]
    );
    assert_eq!(numbers(SWITCH), [[unknown; 7].as_slice(), &[missing]].concat());
}

#[test]
fn channels_needed_are_what_booting_asks_for() {
    let needed = |fabric: &[u8], image: &[u8], scheme| {
        let (fabric, image) = ((fabric.as_ptr(), fabric.len()), (image.as_ptr(), image.len()));
        let mut setup = tvlb_setup::of(fabric, image, (scheme, CONVENTIONAL), (77, 77));
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_channels_needed(&raw mut setup) };
        let channels = (setup.local_channels, setup.global_channels);
        assert!(code == TVLB_OK || channels == (77, 77));
        if code == TVLB_OK { Ok(channels) } else { Err(code) }
    };
    for scheme in SCHEMES {
        let channels = needed(FABRIC, SWITCH, scheme).expect("the images are good");
        let (local, global) = channels;
        let expected = match scheme {
            PAR => (5, 4),
            MIN => (2, 1),
            _ => (4, 3),
        };
        assert_eq!(channels, expected);
        assert!(try_boot(FABRIC, SWITCH, scheme, channels).is_ok());
        for fewer in [(local - 1, global), (local, global - 1)] {
            let code = try_boot(FABRIC, SWITCH, scheme, fewer).err();
            assert_eq!(code, Some(TVLB_TOO_FEW_CHANNELS));
        }
    }
    assert_eq!(needed(FABRIC, SWITCH, 4), Err(TVLB_BAD_ARGUMENT));
    assert_eq!(needed(&FABRIC[1..], SWITCH, PAR), Err(TVLB_FABRIC_IMAGE));
    assert_eq!(needed(FABRIC, THIRD, PAR), Err(TVLB_SWITCH_IMAGE));
}

/// The third switch with the set of all routes that make no local hop in the intermediate group.
fn short_routes() -> Vec<u8> {
    let fabric = FabricImage::decode(OTHER_FABRIC).expect("the image is good");
    let shapes = ShapeSet::from_bits(0b0000_1100_0011).expect("there are twelve shapes");
    let rule = SetRule::whole(shapes);
    let contents = SwitchContents {
        switch: SwitchId(3),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same((0, Weighing::default())),
        second_min: MinCandidate::Kept,
        sets: vec![SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() }],
        physical_numbers: Vec::new(),
    };
    encode_switch_image(&fabric, &contents)
}

#[test]
fn a_set_of_short_routes_needs_fewer_channels_and_serves_no_others() {
    let image = &short_routes();
    let needed = |scheme, paths| {
        let (fabric, image) =
            ((OTHER_FABRIC.as_ptr(), OTHER_FABRIC.len()), (image.as_ptr(), image.len()));
        let mut setup = tvlb_setup::of(fabric, image, (scheme, paths), (77, 77));
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_channels_needed(&raw mut setup) };
        if code == TVLB_OK { Ok((setup.local_channels, setup.global_channels)) } else { Err(code) }
    };
    let try_boot_for = |scheme, paths, (local, global)| {
        let mut switch = tvlb_switch::zeroed();
        // SAFETY: the images are constants, and the switch lives.
        let code = unsafe {
            let (fabric, fabric_len) = (OTHER_FABRIC.as_ptr(), OTHER_FABRIC.len());
            let (at, len) = (image.as_ptr(), image.len());
            let to = &raw mut switch;
            tvlb_boot(
                to,
                &tvlb_setup::of((fabric, fabric_len), (at, len), (scheme, paths), (local, global)),
            )
        };
        if code == TVLB_OK { Ok(switch) } else { Err(code) }
    };
    assert_eq!(needed(UGAL_L, 2), Err(TVLB_BAD_ARGUMENT));
    assert_eq!(try_boot_for(UGAL_L, 2, (7, 7)).err(), Some(TVLB_BAD_ARGUMENT));
    for (scheme, most, short) in [(UGAL_L, (4, 3), (3, 2)), (PAR, (5, 4), (4, 3))] {
        assert_eq!(needed(scheme, CONVENTIONAL), Ok(most));
        assert_eq!(needed(scheme, CUSTOM), Ok(short));
        let refused = try_boot_for(scheme, CONVENTIONAL, short).err();
        assert_eq!(refused, Some(TVLB_TOO_FEW_CHANNELS));
        for fewer in [(short.0 - 1, short.1), (short.0, short.1 - 1)] {
            let refused = try_boot_for(scheme, CUSTOM, fewer).err();
            assert_eq!(refused, Some(TVLB_TOO_FEW_CHANNELS));
        }
        let switch = try_boot_for(scheme, CUSTOM, short).expect("the channels are enough");
        let admit = |scheme, paths| {
            let mut step = tvlb_step::default();
            // SAFETY: all pointers are of what lives.
            unsafe { tvlb_admit(&raw const switch, 200, scheme, paths, &IDLE, &raw mut step) }
        };
        assert_eq!(admit(scheme, CUSTOM), TVLB_OK);
        assert_eq!(admit(scheme, CONVENTIONAL), TVLB_WRONG_SCHEME);
        assert_eq!(admit(VLB, CONVENTIONAL), TVLB_WRONG_SCHEME);
        assert_eq!(admit(MIN, CONVENTIONAL), TVLB_OK);
        for (mut header, code) in [(OPEN, TVLB_WRONG_SCHEME), (OPEN & !3, TVLB_OK)] {
            // SAFETY: all pointers are of what lives.
            let looked =
                unsafe { tvlb_reconsider(&raw const switch, &raw mut header, CONVENTIONAL, &IDLE) };
            assert_eq!(looked, code);
        }
        // One that serves all paths does not stand in for packets of one that serves short ones, unless it
        // has the channels; the other way round never.
        let all = try_boot_for(scheme, CONVENTIONAL, most).expect("the channels are enough");
        // SAFETY: both live.
        let check = |old, new| unsafe { tvlb_check_replacement(old, new) };
        assert_eq!(check(&raw const switch, &raw const all), TVLB_OK);
        assert_eq!(check(&raw const all, &raw const switch), TVLB_REPLACEMENT);
    }
}

#[test]
fn a_replacement_serves_the_packets_under_way() {
    let check = |old: &tvlb_switch, new: &tvlb_switch| {
        // SAFETY: both live.
        unsafe { tvlb_check_replacement(old, new) }
    };
    let for_par = boot(FABRIC, SWITCH, PAR, (5, 4));
    let for_ugal = boot(FABRIC, SWITCH, UGAL_L, (4, 3));
    let ugal_with_more = boot(FABRIC, SWITCH, UGAL_L, (7, 7));
    let thinned = boot(FABRIC, THINNED, PAR, (7, 7));
    let (third, fourth) =
        (boot(OTHER_FABRIC, THIRD, PAR, (5, 4)), boot(OTHER_FABRIC, FOURTH, PAR, (5, 4)));
    for (old, new, expected) in [
        (&for_par, &for_par, TVLB_OK),
        (&for_par, &thinned, TVLB_OK),
        (&for_ugal, &for_par, TVLB_OK),
        (&for_ugal, &ugal_with_more, TVLB_OK),
        (&for_par, &for_ugal, TVLB_REPLACEMENT),
        (&for_par, &ugal_with_more, TVLB_REPLACEMENT),
        (&ugal_with_more, &for_ugal, TVLB_REPLACEMENT),
        (&for_par, &third, TVLB_REPLACEMENT),
        (&third, &fourth, TVLB_REPLACEMENT),
        (&for_par, &tvlb_switch::zeroed(), TVLB_NOT_BOOTED),
        (&tvlb_switch::zeroed(), &for_par, TVLB_NOT_BOOTED),
    ] {
        assert_eq!(check(old, new), expected);
    }
}

#[test]
fn a_switch_takes_a_fault_image_and_then_none_but_a_later_one() {
    let mut switch = boot(FABRIC, SWITCH, PAR, (5, 4));
    let install = |switch: &mut tvlb_switch, image: &[u8]| {
        // SAFETY: the image lives longer than the switch is used.
        unsafe { tvlb_install_faults(switch, image.as_ptr(), image.len()) }
    };
    // To switch 14 by port 2, and to switch 31, which is dead in the image.
    let sent = |switch: &tvlb_switch, node| {
        let mut step = tvlb_step::default();
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_admit(switch, node, 0, CUSTOM, &IDLE, &raw mut step) };
        (code, step.choice)
    };
    assert_eq!(sent(&switch, 62), (TVLB_OK, 2));
    assert_eq!(install(&mut switch, SWITCH), TVLB_FAULT_IMAGE);
    assert_eq!(install(&mut switch, &FAULTS[..40]), TVLB_FAULT_IMAGE);
    assert_eq!(sent(&switch, 62), (TVLB_OK, 2));
    assert_eq!(install(&mut switch, FAULTS), TVLB_OK);
    assert_eq!(sent(&switch, 62), (TVLB_UNREACHABLE, 0));
    assert_eq!(sent(&switch, 28), (TVLB_OK, 2));
    // The same image again, another one of its number, and one that is older: all change nothing.
    let fabric = FabricImage::decode(FABRIC).expect("the golden image decodes");
    let none = FaultSet::default();
    let [older, other] = [6, 7].map(|epoch| encode_fault_image(&fabric, epoch, &none));
    for image in [FAULTS, &other, &older] {
        assert_eq!(install(&mut switch, image), TVLB_OLD_FAULTS);
        assert_eq!(sent(&switch, 62), (TVLB_UNREACHABLE, 0));
    }
    let mended = encode_fault_image(&fabric, 8, &FaultSet::default());
    assert_eq!(install(&mut switch, &mended), TVLB_OK);
    assert_eq!(sent(&switch, 62), (TVLB_OK, 2));
    let mut zeros = tvlb_switch::zeroed();
    assert_eq!(install(&mut zeros, FAULTS), TVLB_NOT_BOOTED);
    // SAFETY: null is refused.
    unsafe {
        assert_eq!(tvlb_install_faults(null_mut(), null(), 0), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_install_faults(&raw mut switch, null(), 41), TVLB_BAD_ARGUMENT);
    }
}

#[test]
fn null_and_memory_of_zeros_are_refused() {
    let zeros = tvlb_switch::zeroed();
    let switch = boot(FABRIC, SWITCH, PAR, (5, 4));
    let mut number = 77_u32;
    let (at, out) = (&raw const switch, &raw mut number);
    // SAFETY: each pointer is null or of what lives.
    unsafe {
        for ask in [tvlb_ports, tvlb_switch_number, tvlb_node_count] {
            assert_eq!(ask(null(), out), TVLB_BAD_ARGUMENT);
            assert_eq!(ask(at, null_mut()), TVLB_BAD_ARGUMENT);
            assert_eq!(ask(at, out.wrapping_byte_add(1)), TVLB_BAD_ARGUMENT);
            assert_eq!(ask(at.wrapping_byte_add(4), out), TVLB_BAD_ARGUMENT);
            assert_eq!(ask(&raw const zeros, out), TVLB_NOT_BOOTED);
        }
        assert_eq!(tvlb_neighbour(null(), 5, out), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_neighbour(at, 5, null_mut()), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_neighbour(&raw const zeros, 5, out), TVLB_NOT_BOOTED);
        assert_eq!(tvlb_physical_number(null(), 5, out), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_physical_number(at, 5, null_mut()), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_physical_number(&raw const zeros, 5, out), TVLB_NOT_BOOTED);
        assert_eq!(tvlb_check_replacement(null(), at), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_check_replacement(at, null()), TVLB_BAD_ARGUMENT);
        let (fabric, image) = (FABRIC.as_ptr(), SWITCH.as_ptr());
        let (fabric_len, len) = (FABRIC.len(), SWITCH.len());
        for (fabric, image, scheme) in [
            ((null(), fabric_len), (image, len), PAR),
            ((fabric, fabric_len), (null(), len), PAR),
            ((fabric, usize::MAX), (image, len), PAR),
            ((fabric, fabric_len), (image, len), 4),
        ] {
            let mut setup = tvlb_setup::of(fabric, image, (scheme, CONVENTIONAL), (77, 77));
            assert_eq!(tvlb_channels_needed(&raw mut setup), TVLB_BAD_ARGUMENT);
            assert_eq!((setup.local_channels, setup.global_channels), (77, 77));
            let misaligned = (&raw mut setup).wrapping_byte_add(1);
            assert_eq!(tvlb_channels_needed(misaligned), TVLB_BAD_ARGUMENT);
        }
        assert_eq!(tvlb_channels_needed(null_mut()), TVLB_BAD_ARGUMENT);
        let mut step = tvlb_step::default();
        assert_eq!(tvlb_forward(at, OPEN, &raw mut step), TVLB_OK);
    }
    assert_eq!(number, 77);
}

#[test]
fn a_window_of_c_is_one_of_rust() {
    let switch = boot(FABRIC, SWITCH, PAR, (7, 7));
    let limits = tvlb_window_limits { delay_cycles: 100, packets: 3 };
    let (mut c, mut rust) = (tvlb_window::default(), DestinationWindow::default());
    let (mut number, mut word, mut held) = (0, 1_u32, 0);
    // SAFETY: all pointers are of what lives.
    unsafe {
        assert_eq!(tvlb_switch_of(&raw const switch, 41, &raw mut number), TVLB_OK);
        for _ in 0..10_000 {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match word >> 30 {
                0 => {
                    assert_eq!(tvlb_window_acknowledge(&raw mut c, word >> 20 & 0xff), TVLB_OK);
                    rust.acknowledge(word >> 20 & 0xff);
                }
                1 if word >> 29 & 1 == 0 => {
                    assert_eq!(tvlb_window_lose(&raw mut c), TVLB_OK);
                    rust.lose();
                }
                _ => {
                    let mut may = 7;
                    let code = tvlb_window_admit(&raw mut c, &raw const limits, &raw mut may);
                    assert_eq!(code, TVLB_OK);
                    let limits = WindowLimits { delay_cycles: 100, packets: 3 };
                    assert_eq!(may, u8::from(rust.admit(limits)));
                    held += u32::from(may == 0);
                }
            }
        }
    }
    assert_eq!(number, 20);
    assert!(held > 1000, "{held}");
}
