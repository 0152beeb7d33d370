//! Interrupts for tests: Ctrl-C or SIGTERM sent to a run of `tvlb`, never before the run can answer it, so
//! that no test depends on how fast the machine starts a program.

use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::Duration;

/// The bits of SIGINT and SIGTERM, signals 2 and 15, in the mask of caught signals of `/proc/PID/status`.
#[cfg(target_os = "linux")]
const CAUGHT: u64 = 1 << 1 | 1 << 14;

/// Returns once `child` catches interrupts, or has ended.
#[cfg(target_os = "linux")]
fn wait_until_interrupts_are_caught(child: &mut Child) {
    let status = format!("/proc/{}/status", child.id());
    let catches = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & CAUGHT == CAUGHT)
    };
    while !catches() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
}

/// Returns once `child` has had time to begin.
#[cfg(not(target_os = "linux"))]
fn wait_until_interrupts_are_caught(_: &mut Child) {
    sleep(Duration::from_secs(1));
}

/// Lets `child` work for a while, interrupts it, and waits for its end.
pub(crate) fn interrupt_after(child: Child, work: Duration) -> Output {
    signal_after("-INT", child, work)
}

/// [`interrupt_after`] with this signal.
pub(crate) fn signal_after(signal: &str, mut child: Child, work: Duration) -> Output {
    wait_until_interrupts_are_caught(&mut child);
    sleep(work);
    // If the child has ended, the signal goes nowhere.
    drop(Command::new("kill").args([signal, &child.id().to_string()]).output().unwrap());
    child.wait_with_output().unwrap()
}
