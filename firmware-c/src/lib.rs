//! The C interface of the datapath; `include/tvlb.h` is its other half.
//!
//! Every function checks its pointers for null, returns an error code, and leaves its outputs
//! alone unless it succeeds. What else C must promise stands with each function. Nothing is
//! allocated, nothing is kept but the caller's own `tvlb_switch`, and nothing panics.
#![no_std]

mod code;
mod state;

pub use code::{
    TVLB_ASTRAY, TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_HEADER_KIND, TVLB_HEADER_RANGE,
    TVLB_NO_CABLE, TVLB_NO_CHANNEL, TVLB_NO_GLOBAL_VIEW, TVLB_NO_SUCH_NODE, TVLB_NOT_BOOTED,
    TVLB_OK, TVLB_OTHER, TVLB_SWITCH_IMAGE, TVLB_TOO_FEW_CHANNELS, TVLB_UNREACHABLE,
    tvlb_error_name,
};
pub use state::{SWITCH_SIZE, tvlb_switch};

#[doc(hidden)] // for the comparison of C with Rust
pub use code::code_of;
use core::ffi::c_void;
use tvlb_firmware_model::{
    Admission, Channels, Choice, Header, Scheme, Step, Switch, VlbPaths, rand_core,
};
use tvlb_schema::Node;

/// A step of a packet: `struct tvlb_step`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_step {
    /// The header to send the packet with; 0 where it is delivered.
    pub header: u64,
    /// The physical port.
    pub port: u16,
    /// The virtual channel on the link behind the port; 0 where the packet is delivered.
    pub virtual_channel: u8,
    /// 1 where the port leads to the packet's node.
    pub deliver: u8,
    /// What a source decision chose, `TVLB_HERE` to `TVLB_VLB_FOR_WANT`; 0 of a forward.
    pub choice: u8,
}

/// A source of random numbers: `tvlb_random`.
#[allow(non_camel_case_types)]
pub type tvlb_random = Option<unsafe extern "C" fn(context: *mut c_void) -> u32>;

/// Credits of ports and random numbers: `struct tvlb_world`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_world {
    /// Credits in use by physical port, over all its virtual channels.
    pub credits: *const u32,
    /// How many ports `credits` has; those beyond count as idle.
    pub credit_count: usize,
    /// 32 random bits at each call.
    pub random: tvlb_random,
    /// Given to `random`.
    pub context: *mut c_void,
}

/// C's random numbers as Rust's.
struct Random {
    next: unsafe extern "C" fn(context: *mut c_void) -> u32,
    context: *mut c_void,
}

impl rand_core::TryRng for Random {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        // SAFETY: the caller of C has promised that the function may be called with the context.
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

/// # Safety
/// `world` is null or readable, and what it says of its pointers holds.
unsafe fn enter<'a>(world: *const tvlb_world) -> Result<(&'a [u32], Random), i32> {
    // SAFETY: by the caller's promise.
    let world = unsafe { world.as_ref() }.ok_or(TVLB_BAD_ARGUMENT)?;
    let next = world.random.ok_or(TVLB_BAD_ARGUMENT)?;
    // SAFETY: by the caller's promise on `credits` and `credit_count`.
    let credits = unsafe { slice(world.credits, world.credit_count) }?;
    Ok((credits, Random { next, context: world.context }))
}

/// # Safety
/// `first` is null, or `count` elements from it are readable for as long as 'a.
unsafe fn slice<'a, T>(first: *const T, count: usize) -> Result<&'a [T], i32> {
    if count == 0 {
        return Ok(&[]);
    }
    let fits =
        count.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if first.is_null() || !first.is_aligned() || !fits {
        return Err(TVLB_BAD_ARGUMENT);
    }
    // SAFETY: not null, aligned, not larger than memory; the rest is the caller's promise.
    Ok(unsafe { core::slice::from_raw_parts(first, count) })
}

fn scheme_of(code: u8) -> Result<Scheme, i32> {
    match code {
        0 => Ok(Scheme::Min),
        1 => Ok(Scheme::Vlb),
        2 => Ok(Scheme::UgalL),
        3 => Ok(Scheme::Par),
        _ => Err(TVLB_BAD_ARGUMENT),
    }
}

fn paths_of(code: u8) -> Result<VlbPaths, i32> {
    match code {
        0 => Ok(VlbPaths::Conventional),
        1 => Ok(VlbPaths::Custom),
        _ => Err(TVLB_BAD_ARGUMENT),
    }
}

#[doc(hidden)]
pub const fn code_of_choice(choice: Choice) -> u8 {
    match choice {
        Choice::Here => 1,
        Choice::Min => 2,
        Choice::Vlb => 3,
        Choice::MinForWant => 4,
        Choice::VlbForWant => 5,
    }
}

fn step_of(step: Step, choice: u8) -> tvlb_step {
    match step {
        Step::Deliver { port } => {
            tvlb_step { header: 0, port: port.0, virtual_channel: 0, deliver: 1, choice }
        }
        Step::Send { port, virtual_channel, header } => {
            tvlb_step { header: header.bits(), port: port.0, virtual_channel, deliver: 0, choice }
        }
    }
}

/// The code that ends a call.
fn end(result: Result<(), i32>) -> i32 {
    match result {
        Ok(()) => TVLB_OK,
        Err(code) => code,
    }
}

/// Boots a switch: `tvlb_boot`.
///
/// # Safety
/// `switch` is null or writable. Each image is null or readable for its length, and stays so and
/// unchanged until the switch is booted again or used no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_boot(
    switch: *mut tvlb_switch,
    fabric_image: *const u8,
    fabric_len: usize,
    switch_image: *const u8,
    switch_len: usize,
    scheme: u8,
    local_channels: u8,
    global_channels: u8,
) -> i32 {
    let boot = || {
        // SAFETY: by the caller's promise on the images.
        let fabric = unsafe { slice(fabric_image, fabric_len) }?;
        // SAFETY: as above.
        let image = unsafe { slice(switch_image, switch_len) }?;
        let scheme = scheme_of(scheme)?;
        let channels = Channels { local: local_channels, global: global_channels };
        let booted = Switch::boot(fabric, image)
            .and_then(|switch| switch.with_channels(scheme, channels))
            .map_err(|error| code_of(&error))?;
        // SAFETY: `switch` is null or writable by the caller's promise.
        unsafe { state::write(switch, booted) }
    };
    end(boot())
}

/// The source decision: `tvlb_admit`.
///
/// # Safety
/// `switch` is null or holds what `tvlb_boot` or zeroing has left there; `world` is null or
/// readable, its `credits` readable for their count, its `random` callable with its `context`;
/// `step` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_admit(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    world: *const tvlb_world,
    step: *mut tvlb_step,
) -> i32 {
    let admit = || {
        // SAFETY: by the caller's promise, as for the two below.
        let switch = unsafe { state::read(switch) }?;
        // SAFETY: as above.
        let (credits, mut random) = unsafe { enter(world) }?;
        // SAFETY: as above.
        let out = unsafe { out(step) }?;
        let (scheme, paths) = (scheme_of(scheme)?, paths_of(paths)?);
        let Admission { step, choice } = switch
            .admit(Node(node), scheme, paths, credits, &mut random)
            .map_err(|error| code_of(&error))?;
        out.write(step_of(step, code_of_choice(choice)));
        Ok(())
    };
    end(admit())
}

/// PAR's second look: `tvlb_reconsider`.
///
/// # Safety
/// As for [`tvlb_admit`], with `header` for `step`; `header` is readable too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_reconsider(
    switch: *const tvlb_switch,
    header: *mut u64,
    paths: u8,
    world: *const tvlb_world,
) -> i32 {
    let reconsider = || {
        // SAFETY: by the caller's promise, as for the two below.
        let switch = unsafe { state::read(switch) }?;
        // SAFETY: as above.
        let (credits, mut random) = unsafe { enter(world) }?;
        if header.is_null() || !header.is_aligned() {
            return Err(TVLB_BAD_ARGUMENT);
        }
        // SAFETY: not null and aligned; readable and writable by the caller's promise.
        let header = unsafe { &mut *header };
        let looked = switch
            .reconsider(Header::from_bits(*header), paths_of(paths)?, credits, &mut random)
            .map_err(|error| code_of(&error))?;
        *header = looked.bits();
        Ok(())
    };
    end(reconsider())
}

/// The next step of a packet: `tvlb_forward`.
///
/// # Safety
/// `switch` is as for [`tvlb_admit`]; `step` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_forward(
    switch: *const tvlb_switch,
    header: u64,
    step: *mut tvlb_step,
) -> i32 {
    let forward = || {
        // SAFETY: by the caller's promise.
        let switch = unsafe { state::read(switch) }?;
        // SAFETY: as above.
        let out = unsafe { out(step) }?;
        let step = switch.forward(Header::from_bits(header)).map_err(|error| code_of(&error))?;
        out.write(step_of(step, 0));
        Ok(())
    };
    end(forward())
}

/// # Safety
/// `out` is null or writable for as long as 'a.
unsafe fn out<'a>(out: *mut tvlb_step) -> Result<&'a mut core::mem::MaybeUninit<tvlb_step>, i32> {
    if out.is_null() || !out.is_aligned() {
        return Err(TVLB_BAD_ARGUMENT);
    }
    // SAFETY: not null and aligned; writable by the caller's promise, and need not be initialised.
    Ok(unsafe { &mut *out.cast() })
}

/// No path leads here, or the library could not be linked: nothing defines the function.
#[cfg(feature = "panic-guard")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        safe fn tvlb_must_not_panic() -> !;
    }
    tvlb_must_not_panic()
}
