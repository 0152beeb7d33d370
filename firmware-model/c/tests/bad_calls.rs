//! What C can get wrong ends in a code, and leaves the outputs and the switch as they were.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_NO_SUCH_NODE, TVLB_NOT_BOOTED, TVLB_OK,
    TVLB_SWITCH_IMAGE, TVLB_TOO_FEW_CHANNELS, tvlb_admit, tvlb_boot, tvlb_channels_needed,
    tvlb_check_image, tvlb_check_replacement, tvlb_describe, tvlb_describe_port, tvlb_explain,
    tvlb_explain_again, tvlb_explain_onward, tvlb_explanation, tvlb_forward, tvlb_image_error,
    tvlb_inputs, tvlb_install_faults, tvlb_look_onward, tvlb_neighbour, tvlb_node_count,
    tvlb_physical_number, tvlb_ports, tvlb_reconsider, tvlb_setup, tvlb_step, tvlb_switch,
    tvlb_switch_number, tvlb_switch_of, tvlb_weighing_of, tvlb_window, tvlb_window_acknowledge,
    tvlb_window_admit, tvlb_window_limits, tvlb_window_lose,
};

const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
const PAR: u8 = 3;

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

fn boot(switch: &mut tvlb_switch, fabric: &[u8], image: &[u8], channels: u8) -> i32 {
    let (fabric, fabric_len) = (fabric.as_ptr(), fabric.len());
    let (image, len) = (image.as_ptr(), image.len());
    // SAFETY: the images and the switch live; the images are constants.
    unsafe {
        tvlb_boot(
            switch,
            &tvlb_setup::of((fabric, fabric_len), (image, len), (PAR, 0), (channels, channels)),
        )
    }
}

fn admit(
    switch: &tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    inputs: &tvlb_inputs,
) -> (i32, tvlb_step) {
    let mut step = tvlb_step { port: 77, ..tvlb_step::default() };
    // SAFETY: all pointers are of things that live.
    let code = unsafe { tvlb_admit(switch, node, scheme, paths, inputs, &raw mut step) };
    (code, step)
}

#[test]
fn memory_of_zeros_is_no_switch() {
    let switch = tvlb_switch::zeroed();
    assert_eq!(admit(&switch, 0, PAR, 1, &IDLE).0, TVLB_NOT_BOOTED);
    let (mut header, mut step) = (0, tvlb_step::default());
    // SAFETY: all pointers are of things that live.
    unsafe {
        assert_eq!(tvlb_forward(&raw const switch, 0, &raw mut step), TVLB_NOT_BOOTED);
        let code = tvlb_reconsider(&raw const switch, &raw mut header, 0, &IDLE);
        assert_eq!(code, TVLB_NOT_BOOTED);
        let code = tvlb_look_onward(&raw const switch, &raw mut header, &IDLE);
        assert_eq!(code, TVLB_NOT_BOOTED);
        let mut told = tvlb_explanation::default();
        let code = tvlb_explain_onward(&raw const switch, 0, &IDLE, &raw mut told);
        assert_eq!((code, told), (TVLB_NOT_BOOTED, tvlb_explanation::default()));
    }
}

#[test]
fn a_boot_that_fails_leaves_the_switch_as_it_was() {
    let mut switch = tvlb_switch::zeroed();
    assert_eq!(boot(&mut switch, FABRIC, &SWITCH[1..], 7), TVLB_SWITCH_IMAGE);
    assert_eq!(admit(&switch, 0, PAR, 1, &IDLE).0, TVLB_NOT_BOOTED);
    assert_eq!(boot(&mut switch, FABRIC, SWITCH, 7), TVLB_OK);
    let before = admit(&switch, 40, PAR, 1, &IDLE);
    assert_eq!(before.0, TVLB_OK);
    assert_eq!(boot(&mut switch, &[], SWITCH, 7), TVLB_FABRIC_IMAGE);
    assert_eq!(boot(&mut switch, FABRIC, FABRIC, 7), TVLB_SWITCH_IMAGE);
    assert_eq!(boot(&mut switch, FABRIC, SWITCH, 1), TVLB_TOO_FEW_CHANNELS);
    assert_eq!(admit(&switch, 40, PAR, 1, &IDLE), before);
}

#[test]
fn null_pointers_and_numbers_out_of_range_are_refused() {
    let mut switch = tvlb_switch::zeroed();
    assert_eq!(boot(&mut switch, FABRIC, SWITCH, 7), TVLB_OK);
    let untouched = 77;
    for (node, scheme, paths, inputs, expected) in [
        (40, 4, 0, IDLE, TVLB_BAD_ARGUMENT),
        (40, 0, 2, IDLE, TVLB_BAD_ARGUMENT),
        (72, 0, 0, IDLE, TVLB_NO_SUCH_NODE),
        (40, 0, 0, tvlb_inputs { random: None, ..IDLE }, TVLB_BAD_ARGUMENT),
        (40, 0, 0, tvlb_inputs { credit_count: 1, ..IDLE }, TVLB_BAD_ARGUMENT),
        (
            40,
            0,
            0,
            tvlb_inputs { credits: &5, credit_count: usize::MAX, ..IDLE },
            TVLB_BAD_ARGUMENT,
        ),
    ] {
        let (code, step) = admit(&switch, node, scheme, paths, &inputs);
        assert_eq!((code, step.port), (expected, untouched));
    }
    let (mut step, mut header) = (tvlb_step::default(), 0_u64);
    let idle = IDLE;
    let (at, inputs) = (&raw const switch, &raw const idle);
    // SAFETY: each pointer is null or of something that lives.
    unsafe {
        assert_eq!(tvlb_admit(null(), 1, 0, 0, inputs, &raw mut step), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_admit(at, 1, 0, 0, null(), &raw mut step), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_admit(at, 1, 0, 0, inputs, null_mut()), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_forward(null(), 0, &raw mut step), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_forward(at, 0, null_mut()), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_reconsider(null(), &raw mut header, 0, inputs), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_reconsider(at, null_mut(), 0, inputs), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_reconsider(at, &raw mut header, 0, null()), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_look_onward(null(), &raw mut header, inputs), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_look_onward(at, null_mut(), inputs), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_look_onward(at, &raw mut header, null()), TVLB_BAD_ARGUMENT);
        let mut told = tvlb_explanation::default();
        assert_eq!(tvlb_explain_onward(null(), 0, inputs, &raw mut told), TVLB_BAD_ARGUMENT);
        assert_eq!(tvlb_explain_onward(at, 0, null(), &raw mut told), TVLB_BAD_ARGUMENT);
        assert_eq!((header, told), (0, tvlb_explanation::default()));
        let image = SWITCH.as_ptr();
        let code = tvlb_boot(
            null_mut(),
            &tvlb_setup::of((FABRIC.as_ptr(), FABRIC.len()), (image, SWITCH.len()), (0, 0), (7, 7)),
        );
        assert_eq!(code, TVLB_BAD_ARGUMENT);
        let code = tvlb_boot(
            &raw mut switch,
            &tvlb_setup::of((null(), 4), (image, SWITCH.len()), (0, 0), (7, 7)),
        );
        assert_eq!(code, TVLB_BAD_ARGUMENT);
    }
    assert_eq!(admit(&switch, 40, PAR, 1, &IDLE).0, TVLB_OK);
}

/// What is said first of a call with several faults is that a pointer is wrong: before an image is read, and
/// before the memory is asked whether a switch was booted into it.
#[test]
fn pointers_are_checked_before_what_they_lead_to() {
    let (mut zeros, mut switch) = (tvlb_switch::zeroed(), tvlb_switch::zeroed());
    assert_eq!(boot(&mut switch, FABRIC, SWITCH, 7), TVLB_OK);
    let idle = IDLE;
    let (inputs, mut bytes) = (&raw const idle, [0_u8; 64]);
    let (image, odd) = (bytes.as_mut_ptr(), (&raw mut zeros).wrapping_byte_add(4));
    let at = &raw mut zeros;
    let (mut header, mut step, mut number) = (0_u64, tvlb_step::default(), 0_u32);
    let (header, step, number) = (&raw mut header, &raw mut step, &raw mut number);
    let limits = tvlb_window_limits { delay_cycles: 150, packets: 64 };
    let (mut window, mut may) = (tvlb_window::default(), 7);
    // SAFETY: each pointer is null, misaligned, or of what lives.
    unsafe {
        for code in [
            tvlb_boot(null_mut(), &tvlb_setup::of((image, 64), (image, 64), (PAR, 0), (7, 7))),
            tvlb_boot(odd, &tvlb_setup::of((image, 64), (image, 64), (PAR, 0), (7, 7))),
            tvlb_boot(at, &tvlb_setup::of((null(), 0), (image, 64), (PAR, 0), (7, 7))),
            tvlb_boot(at, &tvlb_setup::of((image, 64), (null(), 0), (PAR, 0), (7, 7))),
            tvlb_boot(at, null()),
            tvlb_channels_needed(null_mut()),
            tvlb_channels_needed(&mut tvlb_setup::of((null(), 0), (image, 64), (PAR, 0), (7, 7))),
            tvlb_switch_of(null(), 1, number),
            tvlb_switch_of(at, 1, null_mut()),
            tvlb_window_admit(null_mut(), &raw const limits, image),
            tvlb_window_admit(&raw mut window, null(), image),
            tvlb_window_admit(&raw mut window, &raw const limits, null_mut()),
            tvlb_window_admit(
                &raw mut window,
                &tvlb_window_limits { packets: 0, ..limits },
                &raw mut may,
            ),
            tvlb_window_admit(
                &raw mut window,
                &tvlb_window_limits { delay_cycles: 8192, ..limits },
                &raw mut may,
            ),
            tvlb_window_acknowledge(null_mut(), 1),
            tvlb_window_lose((&raw mut window).wrapping_byte_add(1)),
            tvlb_install_faults(at, null(), 0),
            tvlb_install_faults(&raw mut switch, null(), 0),
            tvlb_install_faults(odd, image, 64),
            tvlb_admit(at, 1, PAR, 0, null(), step),
            tvlb_admit(at, 1, PAR, 0, inputs, null_mut()),
            tvlb_admit(at, 1, 4, 0, inputs, step),
            tvlb_explain(at, 1, PAR, 0, inputs, null_mut()),
            tvlb_explain_again(at, 0, 0, inputs, null_mut()),
            tvlb_explain_onward(at, 0, inputs, null_mut()),
            tvlb_look_onward(at, null_mut(), inputs),
            tvlb_look_onward(at, header, null()),
            tvlb_reconsider(at, null_mut(), 0, inputs),
            tvlb_reconsider(at, header, 0, null()),
            tvlb_forward(at, 0, null_mut()),
            tvlb_ports(at, null_mut()),
            tvlb_switch_number(at, null_mut()),
            tvlb_node_count(at, null_mut()),
            tvlb_neighbour(at, 5, null_mut()),
            tvlb_physical_number(at, 5, null_mut()),
            tvlb_describe(at, null_mut()),
            tvlb_describe_port(at, 0, null_mut()),
            tvlb_weighing_of(at, 0, null_mut()),
            tvlb_weighing_of(at, 3, null_mut()),
            tvlb_check_replacement(at, null()),
            tvlb_check_replacement(at, odd),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
        assert_eq!((may, window), (7, tvlb_window::default()));
        // With valid pointers, the error is that of the values.
        assert_eq!(tvlb_switch_of(&raw const switch, 144, number), TVLB_NO_SUCH_NODE);
        assert_eq!(
            tvlb_boot(at, &tvlb_setup::of((image, 0), (image, 64), (PAR, 0), (7, 7))),
            TVLB_FABRIC_IMAGE
        );
        assert_eq!(tvlb_ports(at, number), TVLB_NOT_BOOTED);
        assert_eq!(tvlb_check_replacement(at, &raw const switch), TVLB_NOT_BOOTED);
    }
}

#[test]
fn an_image_to_check_is_not_null_unless_it_is_not_read() {
    let mut error = tvlb_image_error { code: 77, offset: 0, text: [0; 256] };
    let mut check = |kind, fabric: *const u8, image: *const u8| {
        let len = if fabric.is_null() { 0 } else { FABRIC.len() };
        // SAFETY: each pointer is null or of what lives.
        let code = unsafe { tvlb_check_image(kind, fabric, len, image, 0, &raw mut error) };
        (code, error.code)
    };
    let fabric = FABRIC.as_ptr();
    assert_eq!(check(TVLB_FABRIC_IMAGE, null(), null()), (TVLB_BAD_ARGUMENT, 77));
    assert_eq!(check(TVLB_SWITCH_IMAGE, fabric, null()), (TVLB_BAD_ARGUMENT, 77));
    assert_eq!(check(0, fabric, SWITCH.as_ptr()), (TVLB_BAD_ARGUMENT, 77));
    assert_eq!(check(TVLB_FABRIC_IMAGE, fabric, null()), (TVLB_OK, TVLB_OK));
    assert_eq!(check(TVLB_SWITCH_IMAGE, fabric, SWITCH.as_ptr()), (TVLB_OK, TVLB_SWITCH_IMAGE));
}
