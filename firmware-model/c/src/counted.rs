//! The decisions of a switch from the counters of its hardware: of one, two or four bytes, at any distance, of credits
//! in use or of free ones.

use crate::memory::{Counters, Inputs, Layout, check, tvlb_random};
use crate::{TVLB_BAD_ARGUMENT, decisions, explain};
use crate::{tvlb_explanation, tvlb_step, tvlb_switch};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};
use tvlb_firmware_model::Switch;
use tvlb_schema::Port;

/// The layout and meaning of a switch's counters, and random numbers: `struct tvlb_counters`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_counters {
    /// The counter of port 0, of its channel 0. The counters may change while a function reads them, so they are in
    /// writable memory.
    pub first: *const c_void,
    /// Bytes from a port's counter to the next port's.
    pub port_stride: usize,
    /// Bytes from a channel's counter to the next channel's of the same port.
    pub channel_stride: usize,
    /// 32 random bits at each call.
    pub random: tvlb_random,
    /// Given to `random`.
    pub context: *mut c_void,
    /// The sum of the credits in use of the ports of links, if the caller maintains it; else null.
    pub link_credits: *const u32,
    /// The value of a local link's counter when all its credits are free; 0 if it counts credits in use.
    pub local_buffer: u32,
    /// The same for a link to another group.
    pub global_buffer: u32,
    /// How many ports have counters; the others count as idle.
    pub ports: u16,
    /// How many counters a port has, one for each virtual channel; 0 if it has a single one for all.
    pub channels: u8,
    /// The size of a counter: 1, 2 or 4.
    pub counter_bytes: u8,
}

/// Counters at equal distances, after the checks.
pub(crate) struct Spread {
    counters: tvlb_counters,
    /// Ports from here on are of links to other groups.
    first_global: Port,
}

impl tvlb_counters {
    /// Whether its counters have a valid size, are aligned, and fit into memory.
    fn lie_well(&self) -> bool {
        let size = usize::from(self.counter_bytes);
        // The bytes from the first of `count` counters to the last.
        let reach = |count: usize, stride: usize| match count {
            0 | 1 => Some(0),
            _ if stride == 0 || !stride.is_multiple_of(size) => None,
            _ => stride.checked_mul(count - 1),
        };
        let bytes = || {
            let to_port = reach(self.ports.into(), self.port_stride)?;
            let to_last = to_port.checked_add(reach(self.channels.into(), self.channel_stride)?)?;
            to_last.checked_add(size)
        };
        let first = self.first.cast::<u8>();
        matches!(size, 1 | 2 | 4)
            && first.addr().is_multiple_of(size)
            && bytes().is_some_and(|bytes| check(first, bytes).is_ok())
    }
}

impl Inputs for tvlb_counters {
    type Layout = Spread;

    fn counters(self) -> Result<Counters<Spread>, i32> {
        if self.ports > 0 && !self.lie_well() {
            return Err(TVLB_BAD_ARGUMENT);
        }
        let layout = Spread { counters: self, first_global: Port(u16::MAX) };
        Counters::new(layout, self.link_credits)
    }

    fn random(self) -> (tvlb_random, *mut c_void) {
        (self.random, self.context)
    }
}

impl Layout for Spread {
    fn channels(&self) -> usize {
        self.counters.channels.into()
    }

    fn of_port(&self, port: Port) -> u32 {
        self.of_channel(port, 0)
    }

    fn of_channel(&self, port: Port, channel: usize) -> u32 {
        let counters = &self.counters;
        if port.0 >= counters.ports {
            return 0;
        }
        // At most what `lie_well` has computed for the last counter.
        let to_port = counters.port_stride.wrapping_mul(port.as_usize());
        let distance = to_port.wrapping_add(counters.channel_stride.wrapping_mul(channel));
        // SAFETY: `counters` has checked that `first` is not null, that all counters fit into memory, and that they are
        // aligned for their size, which is 1, 2 or 4. There is a counter of this port and channel. The caller has
        // promised that the counters live during the call, and that whoever changes one of them at the same time does
        // so by an atomic store, or from outside the program.
        let shown = unsafe {
            let at = counters.first.byte_add(distance).cast_mut();
            match counters.counter_bytes {
                1 => AtomicU8::from_ptr(at.cast()).load(Ordering::Relaxed).into(),
                2 => AtomicU16::from_ptr(at.cast()).load(Ordering::Relaxed).into(),
                _ => AtomicU32::from_ptr(at.cast()).load(Ordering::Relaxed),
            }
        };
        let is_global = port >= self.first_global;
        let buffer = if is_global { counters.global_buffer } else { counters.local_buffer };
        if buffer == 0 { shown } else { buffer.saturating_sub(shown) }
    }

    fn of_channels(&self, port: Port) -> impl Iterator<Item = u32> {
        (0..self.channels()).map(move |channel| self.of_channel(port, channel))
    }

    fn belong_to(&mut self, switch: &Switch<'_>) {
        self.first_global = switch.image().fabric().dragonfly().slot_port(0);
    }
}

/// The source decision: `tvlb_admit_counted`.
///
/// # Safety
/// As for [`crate::tvlb_admit`], with `counters` for `inputs`: there is a counter of each port and of each of its channels
/// where they say, in memory that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_admit_counted(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    counters: *const tvlb_counters,
    step: *mut tvlb_step,
) -> i32 {
    // SAFETY: the caller promises what `admit` asks for.
    unsafe { decisions::admit(switch, node, scheme, paths, counters, step) }
}

/// PAR's second look: `tvlb_reconsider_counted`.
///
/// # Safety
/// As for [`crate::tvlb_reconsider`] and [`tvlb_admit_counted`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_reconsider_counted(
    switch: *const tvlb_switch,
    header: *mut u64,
    paths: u8,
    counters: *const tvlb_counters,
) -> i32 {
    // SAFETY: the caller promises what `reconsider` asks for.
    unsafe { decisions::reconsider(switch, header, paths, counters) }
}

/// The look in the intermediate group: `tvlb_look_onward_counted`.
///
/// # Safety
/// As for [`crate::tvlb_look_onward`] and [`tvlb_admit_counted`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_look_onward_counted(
    switch: *const tvlb_switch,
    header: *mut u64,
    counters: *const tvlb_counters,
) -> i32 {
    // SAFETY: the caller promises what `look_onward` asks for.
    unsafe { decisions::look_onward(switch, header, counters) }
}

/// Why a packet from a node takes its path: `tvlb_explain_counted`.
///
/// # Safety
/// As for [`tvlb_admit_counted`], with `explanation` for `step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_explain_counted(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    counters: *const tvlb_counters,
    explanation: *mut tvlb_explanation,
) -> i32 {
    // SAFETY: the caller promises what `explain` asks for.
    unsafe { explain::explain(switch, node, scheme, paths, counters, explanation) }
}

/// The reasons for the decision of a second look: `tvlb_explain_again_counted`.
///
/// # Safety
/// As for [`tvlb_admit_counted`], with `explanation` for `step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_explain_again_counted(
    switch: *const tvlb_switch,
    header: u64,
    paths: u8,
    counters: *const tvlb_counters,
    explanation: *mut tvlb_explanation,
) -> i32 {
    // SAFETY: the caller promises what `explain_again` asks for.
    unsafe { explain::explain_again(switch, header, paths, counters, explanation) }
}

/// The reasons for the answer of a look in the intermediate group: `tvlb_explain_onward_counted`.
///
/// # Safety
/// As for [`tvlb_admit_counted`], with `explanation` for `step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_explain_onward_counted(
    switch: *const tvlb_switch,
    header: u64,
    counters: *const tvlb_counters,
    explanation: *mut tvlb_explanation,
) -> i32 {
    // SAFETY: the caller promises what `explain_onward` asks for.
    unsafe { explain::explain_onward(switch, header, counters, explanation) }
}
