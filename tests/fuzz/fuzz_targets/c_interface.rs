//! Any calls of the C interface that its header allows: images, headers, credits and numbers are
//! arbitrary, pointers are null or good.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use tvlb_firmware_c::{
    TVLB_OK, tvlb_admit, tvlb_boot, tvlb_channels_needed, tvlb_check_replacement, tvlb_error_name,
    tvlb_explain_onward, tvlb_explanation, tvlb_forward, tvlb_inputs, tvlb_look_onward,
    tvlb_neighbour, tvlb_node_count, tvlb_ports, tvlb_reconsider, tvlb_setup, tvlb_step,
    tvlb_switch, tvlb_switch_number,
};
use tvlb_fuzz::{FABRIC, SWITCH, framed};
use tvlb_schema::ImageKind;

#[derive(Arbitrary, Debug)]
struct Input {
    boots: Vec<Boot>,
    credits: Vec<u32>,
    sum: Option<u32>,
    random: u64,
    calls: Vec<Call>,
}

#[derive(Arbitrary, Debug)]
struct Boot {
    image: Image,
    scheme: u8,
    paths: u8,
    channels: (u8, u8),
}

#[derive(Arbitrary, Debug)]
enum Image {
    Golden,
    Bytes(Vec<u8>),
    Payload(Vec<u8>),
}

#[derive(Arbitrary, Debug)]
enum Call {
    Admit { node: u32, scheme: u8, paths: u8, into_null: bool },
    Reconsider { header: Option<u64>, paths: u8 },
    LookOnward { header: Option<u64>, explain: bool },
    Forward { header: u64, into_null: bool },
}

unsafe extern "C" fn random(context: *mut c_void) -> u32 {
    // SAFETY: the context is the state below, which lives for as long as the calls.
    let state = unsafe { &mut *context.cast::<u64>() };
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 32) as u32
}

fuzz_target!(|input: Input| {
    let mut credits = input.credits.clone();
    let mut state = input.random;
    let inputs = tvlb_inputs {
        credits: credits.as_mut_ptr(),
        credit_count: credits.len(),
        random: Some(random),
        context: (&raw mut state).cast(),
        link_credits: input.sum.as_ref().map_or(std::ptr::null(), |sum| &raw const *sum),
        channels: 0,
    };
    let mut switch = tvlb_switch::zeroed();
    let images: Vec<Vec<u8>> = input
        .boots
        .iter()
        .map(|boot| match &boot.image {
            Image::Golden => SWITCH.to_vec(),
            Image::Bytes(bytes) => bytes.clone(),
            Image::Payload(payload) => framed(ImageKind::Switch, payload),
        })
        .collect();
    let mut code = TVLB_OK;
    for (boot, image) in input.boots.iter().zip(&images) {
        let (local, global) = boot.channels;
        let (at, len) = (image.as_ptr(), image.len());
        // SAFETY: the images live until the end and are not changed.
        code = unsafe {
            tvlb_boot(
                &mut switch,
                &tvlb_setup::of(
                    (FABRIC.as_ptr(), FABRIC.len()),
                    (at, len),
                    (boot.scheme, boot.paths),
                    (local, global),
                ),
            )
        };
    }
    let (mut header, mut step) = (0, tvlb_step::default());
    for call in &input.calls {
        let came = step.header;
        let mut out = |into_null| if into_null { null_mut() } else { &raw mut step };
        // SAFETY: pointers are null or of what lives.
        code = unsafe {
            match *call {
                Call::Admit { node, scheme, paths, into_null } => {
                    tvlb_admit(&switch, node, scheme, paths, &inputs, out(into_null))
                }
                Call::Reconsider { header: given, paths } => {
                    header = given.unwrap_or(came);
                    tvlb_reconsider(&switch, &mut header, paths, &inputs)
                }
                Call::LookOnward { header: given, explain: false } => {
                    header = given.unwrap_or(came);
                    tvlb_look_onward(&switch, &mut header, &inputs)
                }
                Call::LookOnward { header: given, explain: true } => {
                    let mut told = tvlb_explanation::default();
                    tvlb_explain_onward(&switch, given.unwrap_or(came), &inputs, &mut told)
                }
                Call::Forward { header, into_null } => {
                    tvlb_forward(&switch, header, out(into_null))
                }
            }
        };
    }
    let (mut ports, mut number) = (0, 0);
    // SAFETY: pointers are of what lives.
    unsafe {
        let booted = tvlb_ports(&switch, &mut ports) == TVLB_OK;
        for port in 0..=ports as u16 {
            let _ = tvlb_neighbour(&switch, port, &mut number);
        }
        assert_eq!(tvlb_switch_number(&switch, &mut number) == TVLB_OK, booted);
        assert_eq!(tvlb_node_count(&switch, &mut number) == TVLB_OK, booted);
        assert_eq!(tvlb_check_replacement(&switch, &switch) == TVLB_OK, booted);
    }
    if let (Some(boot), Some(image)) = (input.boots.last(), images.last()) {
        let (fabric, image) = ((FABRIC.as_ptr(), FABRIC.len()), (image.as_ptr(), image.len()));
        let mut setup = tvlb_setup::of(fabric, image, (boot.scheme, boot.paths), (0, 0));
        // SAFETY: the images live.
        let _ = unsafe { tvlb_channels_needed(&mut setup) };
    }
    // SAFETY: names are strings that end.
    let _ = unsafe { CStr::from_ptr(tvlb_error_name(code)) };
    let _ = header;
});
