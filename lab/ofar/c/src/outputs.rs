//! A switch's view of its outputs, in the caller's memory: read in place, never borrowed.

use ::tvlb_ofar::{Outputs, PortSet};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use tvlb_firmware_c::extension::{Random, check, read};
use tvlb_firmware_c::{TVLB_BAD_ARGUMENT, tvlb_random};
use tvlb_schema::Port;

/// A switch's view of its outputs, and random numbers: `struct tvlb_outputs`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_outputs {
    /// Bit n % 32 of word n / 32: port n can take a packet. As all counters here the words may change while a
    /// function reads them, so they are memory that may be written.
    pub ready: *const u32,
    /// In the same form, the ports that were given to a packet in this very cycle; null for none.
    pub granted: *const u32,
    /// How many words `ready` has, and `granted` if it is not null; ports beyond are not ready.
    pub words: usize,
    /// For how many packets there is room: counter port * `channels` + virtual channel.
    pub room: *const u16,
    /// How many packets the buffer of one virtual channel holds, by port.
    pub capacity: *const u16,
    /// How many ports `room` and `capacity` have; those beyond have no room.
    pub ports: usize,
    /// How many counters `room` has for each port; virtual channels beyond have no room.
    pub channels: usize,
    /// 32 random bits at each call. Only `tvlb_ask` needs it.
    pub random: tvlb_random,
    /// Given to `random`.
    pub context: *mut c_void,
}

/// The words of a set of 256 ports.
const MOST_WORDS: usize = 8;

/// The caller's outputs. They may change while they are read, so no slices are made of them.
pub(crate) struct CallerOutputs(tvlb_outputs);

impl CallerOutputs {
    /// The ports of a set of `words` words.
    ///
    /// # Safety
    /// `first` leads to so many words, which live during the call and change by atomic stores or from outside the
    /// program alone.
    unsafe fn set(&self, first: *const u32) -> PortSet {
        let mut set = [0_u64; MOST_WORDS / 2];
        for (number, place) in set.iter_mut().enumerate() {
            for half in 0..2 {
                let word = 2 * number + half;
                if word < self.0.words {
                    // SAFETY: less than `words`; the rest is the caller's promise.
                    let word = unsafe { AtomicU32::from_ptr(first.add(word).cast_mut()) };
                    *place |= u64::from(word.load(Ordering::Relaxed)) << (32 * half);
                }
            }
        }
        PortSet::from_words(set)
    }
}

impl Outputs for CallerOutputs {
    fn ready(&self) -> PortSet {
        // SAFETY: `enter` has checked the pointer; C has promised that the words live during the call.
        unsafe { self.set(self.0.ready) }
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        let (port, channel) = (port.as_usize(), usize::from(virtual_channel));
        if port >= self.0.ports || channel >= self.0.channels {
            return 0;
        }
        // `enter` has checked that `ports` times `channels` counters fit into memory.
        let number = port.wrapping_mul(self.0.channels).wrapping_add(channel);
        // SAFETY: as above for the counters of `room`; the number is less than how many there are.
        let counter = unsafe { AtomicU16::from_ptr(self.0.room.add(number).cast_mut()) };
        counter.load(Ordering::Relaxed)
    }

    fn capacity(&self, port: Port) -> u16 {
        let port = port.as_usize();
        if port >= self.0.ports {
            return 0;
        }
        // SAFETY: as above for the counters of `capacity`, of which there are `ports`.
        let counter = unsafe { AtomicU16::from_ptr(self.0.capacity.add(port).cast_mut()) };
        counter.load(Ordering::Relaxed)
    }

    fn granted(&self) -> PortSet {
        if self.0.granted.is_null() {
            return PortSet::EMPTY;
        }
        // SAFETY: as for `ready`.
        unsafe { self.set(self.0.granted) }
    }
}

/// The outputs of a call.
///
/// # Safety
/// `outputs` is null, misaligned or readable; what it says of its pointers holds during the call.
pub(crate) unsafe fn enter(outputs: *const tvlb_outputs) -> Result<CallerOutputs, i32> {
    // SAFETY: by the caller's promise.
    let outputs = unsafe { read(outputs) }?;
    let tvlb_outputs { ready, granted, words, room, capacity, ports, channels, .. } = outputs;
    if words > 0 {
        check(ready, words)?;
        if !granted.is_null() {
            check(granted, words)?;
        }
    }
    if ports > 0 && channels > 0 {
        check(room, ports.checked_mul(channels).ok_or(TVLB_BAD_ARGUMENT)?)?;
    }
    if ports > 0 {
        check(capacity, ports)?;
    }
    Ok(CallerOutputs(outputs))
}

impl CallerOutputs {
    /// The random numbers that came with the outputs.
    pub(crate) fn random(&self) -> Result<Random, i32> {
        let next = self.0.random.ok_or(TVLB_BAD_ARGUMENT)?;
        Ok(Random { next, context: self.0.context })
    }
}
