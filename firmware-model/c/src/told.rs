//! UGAL by the group: what the other switches of the group have told about their global ports.

use crate::memory::{self, Counters, Dense, Out};
use crate::{end, paths_of, state, step_of};
use crate::{tvlb_inputs, tvlb_step, tvlb_switch};
use core::ops::Range;
use core::sync::atomic::{AtomicU8, Ordering};
use tvlb_firmware_model::{Admission, Credits, GroupQueues, Scheme};
use tvlb_schema::{GlobalPort, NodeId, Port};

/// What was told: `struct tvlb_told`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_told {
    /// Two bits for each global port of the group, four ports to a byte, the lowest port in the lowest bits. They may
    /// change while a function reads them, so they are in writable memory.
    pub levels: *const u8,
    /// How many bytes there are; ports beyond count as empty.
    pub level_bytes: usize,
    /// The size of a virtual channel's buffer at the far end of a global port.
    pub buffer_flits: u32,
}

/// A switch's own counters, and the levels told by the others.
struct CountersTold {
    own: Counters<Dense>,
    told: tvlb_told,
}

impl Credits for CountersTold {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        self.own.used(port)
    }

    #[inline]
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.own.used_on(port, virtual_channel)
    }

    #[inline]
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        self.own.used_by_links(ports)
    }

    fn told(&self, x: GlobalPort) -> u32 {
        let (byte, shift) = (x.as_usize() >> 2, (x.0 & 3) * 2);
        if byte >= self.told.level_bytes {
            return 0;
        }
        // SAFETY: `tvlb_admit_told` has checked that there can be so many bytes and that they are not null; `byte` is
        // one of them. The caller has promised that they live during the call, and that whoever changes one of them
        // at the same time does so by an atomic store, or from outside the program.
        let levels = unsafe { AtomicU8::from_ptr(self.told.levels.add(byte).cast_mut()) };
        let level = levels.load(Ordering::Relaxed) >> shift & 3;
        GroupQueues::<0>::flits(level, self.told.buffer_flits)
    }
}

/// The source decision of UGAL by the group: `tvlb_admit_told`.
///
/// # Safety
/// As for [`crate::tvlb_admit`]. `told` is null or readable; its levels are null, or as many bytes as it says, which live
/// during the call and are as the counters of `inputs` are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_admit_told(
    switch: *const tvlb_switch,
    node: u32,
    paths: u8,
    inputs: *const tvlb_inputs,
    told: *const tvlb_told,
    step: *mut tvlb_step,
) -> i32 {
    let admit = || {
        let paths = paths_of(paths)?;
        // SAFETY: by the caller's promise on `inputs`.
        let (own, mut random) = unsafe { memory::enter(inputs) }?;
        // SAFETY: by the caller's promise on `told`.
        let told = unsafe { memory::read(told) }?;
        if told.level_bytes > 0 {
            memory::check(told.levels, told.level_bytes)?;
        }
        // SAFETY: by the caller's promise on `step`.
        let out = unsafe { Out::new(step) }?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        let credits = CountersTold { own, told };
        let Admission { step, choice } = switch
            .admit(NodeId(node), Scheme::UgalL, paths, &credits, &mut random)
            .map_err(|error| error.code())?;
        out.write(step_of(step, choice.code()));
        Ok(())
    };
    end(admit())
}

/// The virtual channel whose queue a switch tells: `tvlb_leaving_channel`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `channel` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_leaving_channel(switch: *const tvlb_switch, channel: *mut u8) -> i32 {
    let ask = || {
        // SAFETY: by the caller's promise on `channel`.
        let out = unsafe { Out::new(channel) }?;
        // SAFETY: by the caller's promise on `switch`.
        out.write(unsafe { state::read(switch) }?.leaving_channel());
        Ok(())
    };
    end(ask())
}

/// The level that a switch tells for a global port: `tvlb_level`.
#[unsafe(no_mangle)]
pub extern "C" fn tvlb_level(used: u32, buffer_flits: u32) -> u8 {
    GroupQueues::<0>::level(used, buffer_flits)
}
