//! The common part of every program for the bare machine: an end, and the proof that it cannot panic.

use cortex_m_semihosting::debug;

/// Ends the emulation.
pub fn exit(success: bool) -> ! {
    let status = if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE };
    loop {
        debug::exit(status);
    }
}

// Nothing reaches this, or the program could not be linked: the function is not defined.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        safe fn the_datapath_must_not_panic() -> !;
    }
    the_datapath_must_not_panic()
}
