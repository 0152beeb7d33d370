//! The questions that C may ask about a switch and its images.

use crate::memory::{self, Out};
use crate::{
    TVLB_BAD_ARGUMENT, TVLB_NO_CABLE, TVLB_NO_NUMBER, TVLB_NO_SUCH_NODE, TVLB_REPLACEMENT,
};
use crate::{end, state, tvlb_switch};
use tvlb_firmware_model::Switch;
use tvlb_schema::{NodeId, Port};

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

/// Answers a question about a booted switch with one number.
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
        let switch = unsafe { state::read(switch) }?;
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

/// The number of the switch of a node: `tvlb_switch_of`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `number` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_switch_of(
    switch: *const tvlb_switch,
    node: u32,
    number: *mut u32,
) -> i32 {
    let question = |switch: &Switch<'_>| {
        let df = switch.image().fabric().dragonfly();
        let node = NodeId(node);
        if df.has_node(node) { Ok(df.switch_of(node).0.0.into()) } else { Err(TVLB_NO_SUCH_NODE) }
    };
    // SAFETY: the caller promises what `answer` asks for.
    unsafe { answer(switch, number, question) }
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

/// Whether packets may meet `replacement` instead of `switch`: `tvlb_check_replacement`.
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
        old.check_replacement(new).map_err(|error| error.code())?;
        // It must serve everything that the other serves, with at least its virtual channels.
        let (scheme, paths) = old.booted_for();
        let is_served = new.serves(scheme, paths) && new.channels().have(old.channels());
        if is_served { Ok(()) } else { Err(TVLB_REPLACEMENT) }
    };
    end(check())
}
