//! What C may ask of a switch and of its images.

use crate::memory::{self, Out};
use crate::{CONVENTIONAL, code_of, end, paths_of, scheme_of, state, tvlb_switch};
use crate::{TVLB_BAD_ARGUMENT, TVLB_NO_CABLE, TVLB_NO_NUMBER, TVLB_REPLACEMENT};
use tvlb_firmware_model::Switch;
use tvlb_schema::Port;

/// A part of the crate's version.
const fn part(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) if number < 256 => number,
        _ => panic!("a part of the version is a number of one byte"),
    }
}

const VERSION: u32 = part(env!("CARGO_PKG_VERSION_MAJOR")) << 16
    | part(env!("CARGO_PKG_VERSION_MINOR")) << 8
    | part(env!("CARGO_PKG_VERSION_PATCH"));

/// The version of the library: `tvlb_version`.
#[unsafe(no_mangle)]
pub extern "C" fn tvlb_version() -> u32 {
    VERSION
}

/// The virtual channels that packets of a scheme need: `tvlb_channels_needed`.
///
/// # Safety
/// Each image is null, or readable for its length and unchanged during the call. `local` and
/// `global` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_channels_needed(
    fabric_image: *const u8,
    fabric_len: usize,
    switch_image: *const u8,
    switch_len: usize,
    scheme: u8,
    local: *mut u8,
    global: *mut u8,
) -> i32 {
    let paths = CONVENTIONAL;
    // SAFETY: the caller promises the same.
    unsafe {
        tvlb_channels_needed_for(
            fabric_image,
            fabric_len,
            switch_image,
            switch_len,
            scheme,
            paths,
            local,
            global,
        )
    }
}

/// The virtual channels that packets need which take these VLB paths: `tvlb_channels_needed_for`.
///
/// # Safety
/// As for [`tvlb_channels_needed`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_channels_needed_for(
    fabric_image: *const u8,
    fabric_len: usize,
    switch_image: *const u8,
    switch_len: usize,
    scheme: u8,
    paths: u8,
    local: *mut u8,
    global: *mut u8,
) -> i32 {
    let needed = || {
        // SAFETY: by the caller's promise on the images.
        let fabric = unsafe { memory::bytes(fabric_image, fabric_len) }?;
        // SAFETY: as above.
        let image = unsafe { memory::bytes(switch_image, switch_len) }?;
        // SAFETY: by the caller's promise on the outputs.
        let (local, global) = unsafe { (Out::new(local)?, Out::new(global)?) };
        let (scheme, paths) = (scheme_of(scheme)?, paths_of(paths)?);
        let switch = Switch::boot(fabric, image).map_err(|error| code_of(&error))?;
        let needed = switch.channels_needed_for(scheme, paths);
        local.write(needed.local);
        global.write(needed.global);
        Ok(())
    };
    end(needed())
}

/// Answers a question about a booted switch by one number.
///
/// # Safety
/// `switch` is as for `tvlb_admit`; `to` is null or writable.
unsafe fn answer(
    switch: *const tvlb_switch,
    to: *mut u32,
    question: impl FnOnce(&Switch<'_>) -> Result<u32, i32>,
) -> i32 {
    let answered = || {
        // SAFETY: by the caller's promise.
        let to = unsafe { Out::new(to) }?;
        // SAFETY: as above.
        let switch = &unsafe { state::read(switch) }?.switch;
        to.write(question(switch)?);
        Ok(())
    };
    end(answered())
}

/// How many physical ports the switch has: `tvlb_ports`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `ports` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_ports(switch: *const tvlb_switch, ports: *mut u32) -> i32 {
    // SAFETY: the caller promises what `answer` asks for.
    unsafe { answer(switch, ports, |switch| Ok(switch.image().fabric().dragonfly().radix())) }
}

/// The switch's own number: `tvlb_switch_number`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `number` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_switch_number(switch: *const tvlb_switch, number: *mut u32) -> i32 {
    // SAFETY: the caller promises what `answer` asks for.
    unsafe { answer(switch, number, |switch| Ok(switch.image().switch().0.into())) }
}

/// How many nodes the fabric has: `tvlb_node_count`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `nodes` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_node_count(switch: *const tvlb_switch, nodes: *mut u32) -> i32 {
    // SAFETY: the caller promises what `answer` asks for.
    unsafe {
        answer(switch, nodes, |switch| Ok(switch.image().fabric().dragonfly().node_numbers()))
    }
}

/// The switch at the other end of a port's cable: `tvlb_neighbour`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `neighbour` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_neighbour(
    switch: *const tvlb_switch,
    port: u16,
    neighbour: *mut u32,
) -> i32 {
    let find = |switch: &Switch<'_>| {
        let df = switch.image().fabric().dragonfly();
        if u32::from(port) >= df.radix() {
            return Err(TVLB_BAD_ARGUMENT);
        }
        let (group, index) = switch.neighbour(Port(port)).ok_or(TVLB_NO_CABLE)?;
        Ok(df.switch(group, index).0.into())
    };
    // SAFETY: the caller promises what `answer` asks for.
    unsafe { answer(switch, neighbour, find) }
}

/// The number that the hardware has for a port: `tvlb_physical_number`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `number` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_physical_number(
    switch: *const tvlb_switch,
    port: u16,
    number: *mut u32,
) -> i32 {
    let find = |switch: &Switch<'_>| {
        let image = switch.image();
        if u32::from(port) >= image.fabric().dragonfly().radix() {
            return Err(TVLB_BAD_ARGUMENT);
        }
        image.physical_number(Port(port)).map(u32::from).ok_or(TVLB_NO_NUMBER)
    };
    // SAFETY: the caller promises what `answer` asks for.
    unsafe { answer(switch, number, find) }
}

/// Whether packets may meet `replacement` in the place of `switch`: `tvlb_check_replacement`.
///
/// # Safety
/// Both are as `switch` is for [`crate::tvlb_admit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_check_replacement(
    switch: *const tvlb_switch,
    replacement: *const tvlb_switch,
) -> i32 {
    let check = || {
        memory::check(replacement, 1)?;
        // SAFETY: by the caller's promise.
        let (old, new) = unsafe { (state::read(switch)?, state::read(replacement)?) };
        old.switch.check_replacement(&new.switch).map_err(|error| code_of(&error))?;
        if new.serves_as(old) { Ok(()) } else { Err(TVLB_REPLACEMENT) }
    };
    end(check())
}
