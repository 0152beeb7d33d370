//! Windows per destination switch, for sources whose packets are acknowledged.

use crate::memory::{self, Out};
use crate::{TVLB_BAD_ARGUMENT, end};
use tvlb_firmware_model::DestinationWindow;
use tvlb_firmware_model::schema::WindowLimits;

/// A source's record of its packets to one destination switch: `struct tvlb_window`.
#[repr(transparent)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_window(DestinationWindow);

/// When windows close: `struct tvlb_window_limits`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct tvlb_window_limits {
    /// The mean delay above which packets are held.
    pub delay_cycles: u16,
    /// The number of packets under way at which a window is full.
    pub packets: u16,
}

/// Changes a window.
///
/// # Safety
/// `window` is null, or readable and writable, and nobody else uses it during the call.
unsafe fn change(
    window: *mut tvlb_window,
    change: impl FnOnce(&mut DestinationWindow),
) -> Result<(), i32> {
    // SAFETY: by the caller's promise.
    let out = unsafe { Out::new(window) }?;
    // SAFETY: as above; any bits are a window.
    let tvlb_window(mut changed) = unsafe { memory::read(window) }?;
    change(&mut changed);
    out.write(tvlb_window(changed));
    Ok(())
}

/// Whether a packet may set out: `tvlb_window_admit`.
///
/// # Safety
/// `window` is null, or readable and writable, and nobody else uses it during the call; `limits` is null or readable,
/// `may_set_out` null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_window_admit(
    window: *mut tvlb_window,
    limits: *const tvlb_window_limits,
    may_set_out: *mut u8,
) -> i32 {
    let admit = || {
        // SAFETY: by the caller's promise.
        let out = unsafe { Out::new(may_set_out) }?;
        // SAFETY: as above.
        let tvlb_window_limits { delay_cycles, packets } = unsafe { memory::read(limits) }?;
        if packets == 0 || delay_cycles > WindowLimits::MOST_DELAY {
            return Err(TVLB_BAD_ARGUMENT);
        }
        let mut admitted = false;
        let limits = WindowLimits { delay_cycles, packets };
        // SAFETY: as above.
        unsafe { change(window, |window| admitted = window.admit(limits)) }?;
        out.write(admitted.into());
        Ok(())
    };
    end(admit())
}

/// Notes that a packet has arrived: `tvlb_window_acknowledge`.
///
/// # Safety
/// `window` is null, or readable and writable, and nobody else uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_window_acknowledge(
    window: *mut tvlb_window,
    delay_cycles: u32,
) -> i32 {
    // SAFETY: by the caller's promise.
    end(unsafe { change(window, |window| window.acknowledge(delay_cycles)) })
}

/// Notes that a packet will not arrive: `tvlb_window_lose`.
///
/// # Safety
/// `window` is null, or readable and writable, and nobody else uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_window_lose(window: *mut tvlb_window) -> i32 {
    // SAFETY: by the caller's promise.
    end(unsafe { change(window, DestinationWindow::lose) })
}
