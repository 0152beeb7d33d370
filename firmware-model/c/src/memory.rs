//! The caller's memory, by raw pointers: no reference to it is held while the caller's own code,
//! `random`, runs.

use crate::TVLB_BAD_ARGUMENT;
use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use tvlb_firmware_model::{Credits, Switch, rand_core};
use tvlb_schema::Port;

/// A source of random numbers: `tvlb_random`.
#[allow(non_camel_case_types)]
pub type tvlb_random = Option<unsafe extern "C" fn(context: *mut c_void) -> u32>;

/// Credits of ports and random numbers: `struct tvlb_inputs`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_inputs {
    /// Credits in use by physical port: over all its virtual channels, or, if `channels` is not 0, of each virtual
    /// channel of the port. The counters may change while a function reads them, so they are in writable memory: in
    /// Rust a pointer from `as_mut_ptr`, not from a shared slice.
    pub credits: *const u32,
    /// How many ports `credits` has; the others count as idle.
    pub credit_count: usize,
    /// 32 random bits at each call.
    pub random: tvlb_random,
    /// Given to `random`.
    pub context: *mut c_void,
    /// The sum of the `credits` of the ports of links, if the caller maintains it; else null. It is in writable memory,
    /// as `credits` is.
    pub link_credits: *const u32,
    /// How many counters `credits` has for each port, one for each virtual channel; 0 for a single one for all.
    pub channels: usize,
}

/// The layout of the counters of ports, or of their virtual channels, and their meaning. They may change while they are
/// read, so no slice is made of them.
pub(crate) trait Layout {
    /// How many counters a port has, one for each virtual channel; 0 if it has one for all.
    fn channels(&self) -> usize;

    /// Credits in use by the one counter of a port. A port without a counter counts as idle, here and below.
    fn of_port(&self, port: Port) -> u32;

    /// Credits in use by a port's counter of a channel that is below [`Self::channels`].
    fn of_channel(&self, port: Port, channel: usize) -> u32;

    /// Credits in use by each of a port's counters.
    fn of_channels(&self, port: Port) -> impl Iterator<Item = u32>;

    /// Takes from the switch of these counters what their meaning depends on.
    fn belong_to(&mut self, switch: &Switch<'_>);
}

/// Counters of 32 bits without gaps: those of `tvlb_inputs`.
pub(crate) struct Dense {
    first: *const u32,
    /// How many counters there are.
    count: usize,
    channels: usize,
}

impl Dense {
    #[inline]
    fn counter(&self, at: usize) -> u32 {
        if at >= self.count {
            return 0;
        }
        // SAFETY: `counters` has checked that `first` is not null, that it is aligned, and that
        // `count` counters fit into memory; `at` is less than `count`. The caller has promised
        // that the counters live during the call, and that whoever changes one of them at the
        // same time does so by an atomic store, or from outside the program.
        let counter = unsafe { AtomicU32::from_ptr(self.first.add(at).cast_mut()) };
        counter.load(Ordering::Relaxed)
    }
}

impl Layout for Dense {
    #[inline]
    fn channels(&self) -> usize {
        self.channels
    }

    #[inline]
    fn of_port(&self, port: Port) -> u32 {
        self.counter(port.as_usize())
    }

    #[inline]
    fn of_channel(&self, port: Port, channel: usize) -> u32 {
        self.counter(port.as_usize().saturating_mul(self.channels).saturating_add(channel))
    }

    #[inline]
    fn of_channels(&self, port: Port) -> impl Iterator<Item = u32> {
        let first = port.as_usize().saturating_mul(self.channels);
        let of_port = first..first.saturating_add(self.channels).min(self.count);
        of_port.map(|at| self.counter(at))
    }

    #[inline]
    fn belong_to(&mut self, _: &Switch<'_>) {}
}

/// The caller's counters as credits.
pub(crate) struct Counters<L> {
    layout: L,
    /// The running sum of links' credits, or null.
    sum: *const u32,
}

impl<L: Layout> Counters<L> {
    /// Counters in a layout that was checked, and the running sum of links' credits, which may be null.
    #[inline]
    pub(crate) fn new(layout: L, sum: *const u32) -> Result<Self, i32> {
        if !sum.is_null() {
            check(sum, 1)?;
        }
        Ok(Self { layout, sum })
    }

    /// As [`Layout::belong_to`].
    #[inline]
    pub(crate) fn belong_to(&mut self, switch: &Switch<'_>) {
        self.layout.belong_to(switch);
    }

    /// The sum of a port's counters, one for each virtual channel.
    #[cold]
    #[inline(never)]
    fn sum_of(&self, port: Port) -> u32 {
        self.layout.of_channels(port).fold(0, u32::saturating_add)
    }
}

impl<L: Layout> Credits for Counters<L> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        if self.layout.channels() == 0 { self.layout.of_port(port) } else { self.sum_of(port) }
    }

    #[inline]
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        let channel = usize::from(virtual_channel);
        if channel >= self.layout.channels() {
            // Without counters by channel no value is known; otherwise there is no such channel.
            return (self.layout.channels() > 0).then_some(0);
        }
        Some(self.layout.of_channel(port, channel))
    }

    #[inline]
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        if self.sum.is_null() {
            return ports.map(|port| self.used(Port(port))).fold(0, u32::saturating_add);
        }
        // SAFETY: `new` has checked that it is aligned; the caller has promised for it what it has
        // promised for the counters.
        let sum = unsafe { AtomicU32::from_ptr(self.sum.cast_mut()) };
        sum.load(Ordering::Relaxed)
    }
}

/// C's random numbers as Rust's.
pub struct Random {
    /// 32 random bits at each call.
    pub next: unsafe extern "C" fn(context: *mut c_void) -> u32,
    /// Given to `next`.
    pub context: *mut c_void,
}

impl rand_core::TryRng for Random {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        // SAFETY: the caller has promised that the function may be called with the context. The memory of the caller
        // that it may change is not borrowed: see `read`, `Out` and `Counters`.
        Ok(unsafe { (self.next)(self.context) })
    }

    /// The low half is drawn first.
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let low = self.try_next_u32()?;
        Ok(u64::from(self.try_next_u32()?) << 32 | u64::from(low))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for byte in bytes {
            *byte = self.try_next_u32()?.to_le_bytes()[0];
        }
        Ok(())
    }
}

/// The inputs of a call: counters, and random numbers.
pub(crate) trait Inputs: Copy {
    /// The layout of its counters.
    type Layout: Layout;

    /// Its counters, whose pointers and numbers are checked here.
    fn counters(self) -> Result<Counters<Self::Layout>, i32>;

    /// Its random numbers, and their context.
    fn random(self) -> (tvlb_random, *mut c_void);
}

impl Inputs for tvlb_inputs {
    type Layout = Dense;

    #[inline]
    fn counters(self) -> Result<Counters<Dense>, i32> {
        let tvlb_inputs { credits, credit_count, channels, link_credits, .. } = self;
        let count = credit_count.checked_mul(channels.max(1)).ok_or(TVLB_BAD_ARGUMENT)?;
        if count > 0 {
            check(credits, count)?;
        }
        Counters::new(Dense { first: credits, count, channels }, link_credits)
    }

    #[inline]
    fn random(self) -> (tvlb_random, *mut c_void) {
        (self.random, self.context)
    }
}

/// The credits and random numbers of a call.
///
/// # Safety
/// `inputs` is null, misaligned or readable; what it says of its pointers holds during the call.
#[inline]
pub(crate) unsafe fn enter<I: Inputs>(
    inputs: *const I,
) -> Result<(Counters<I::Layout>, Random), i32> {
    // SAFETY: by the caller's promise.
    let inputs = unsafe { read(inputs) }?;
    let (next, context) = inputs.random();
    let next = next.ok_or(TVLB_BAD_ARGUMENT)?;
    Ok((inputs.counters()?, Random { next, context }))
}

/// Checks that `count` values fit at `first`: not null, aligned, not more than memory has.
///
/// # Errors
/// There cannot.
#[inline]
pub fn check<T>(first: *const T, count: usize) -> Result<(), i32> {
    let fits =
        count.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if first.is_null() || !first.is_aligned() || !fits { Err(TVLB_BAD_ARGUMENT) } else { Ok(()) }
}

/// The bytes of an image. The pointer must not be null even if an image has no bytes.
///
/// # Errors
/// There cannot be so many.
///
/// # Safety
/// `first` is null, or `count` bytes from it are readable and nobody changes them for as long as
/// 'a.
pub unsafe fn bytes<'a>(first: *const u8, count: usize) -> Result<&'a [u8], i32> {
    check(first, count)?;
    // SAFETY: not null and not larger than memory, by the check; the rest is the caller's promise.
    Ok(unsafe { core::slice::from_raw_parts(first, count) })
}

/// The value that an argument points to, copied.
///
/// # Errors
/// It is null or misaligned.
///
/// # Safety
/// `from` is null, misaligned or readable.
#[inline]
pub unsafe fn read<T: Copy>(from: *const T) -> Result<T, i32> {
    check(from, 1)?;
    // SAFETY: not null and aligned, by the check; readable by the caller's promise.
    Ok(unsafe { from.read() })
}

/// The place of a result: checked before the work, written after it.
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// A place for a result.
    ///
    /// # Errors
    /// It is null or misaligned.
    ///
    /// # Safety
    /// `to` is null, misaligned, or writable until [`Self::write`].
    #[inline]
    pub unsafe fn new(to: *mut T) -> Result<Self, i32> {
        check(to, 1)?;
        Ok(Self(to))
    }

    /// Where it goes.
    pub fn at(self) -> *mut T {
        self.0
    }

    /// Writes the result.
    #[inline]
    pub fn write(self, value: T) {
        // SAFETY: not null and aligned, by the check in `new`; writable by the promise given to it.
        unsafe { self.0.write(value) };
    }
}
