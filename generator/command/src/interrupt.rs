//! Ctrl-C and SIGTERM, by which batch systems and service managers stop a program.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The signal that asked us to stop; 0 until then.
static ASKED_TO_STOP: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// From now on the first signal only sets a flag, so that the command can clean up; a second one kills.
pub(crate) fn catch() -> io::Result<()> {
    let again = Arc::new(AtomicBool::new(false));
    let catch = |signal: i32| {
        let number = usize::try_from(signal).expect("signals are numbered from 1");
        // In this order, so that the first signal does not see its own flag.
        flag::register_conditional_shutdown(signal, code_after(number).into(), Arc::clone(&again))?;
        flag::register(signal, Arc::clone(&again))?;
        flag::register_usize(signal, Arc::clone(&ASKED_TO_STOP), number)?;
        Ok(())
    };
    [SIGINT, SIGTERM].into_iter().try_for_each(catch)
}

/// Whether one of them has come.
pub(crate) fn is_asked_to_stop() -> bool {
    ASKED_TO_STOP.load(Ordering::Relaxed) != 0
}

/// The exit code of a command that was asked to stop.
pub(crate) fn exit_code() -> u8 {
    match ASKED_TO_STOP.load(Ordering::Relaxed) {
        0 => code_after(2),
        signal => code_after(signal),
    }
}

/// The exit code after a signal, by the shell's convention.
fn code_after(signal: usize) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}
