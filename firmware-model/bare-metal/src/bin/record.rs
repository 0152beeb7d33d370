//! Prints the sequence of decisions: to the host that runs the emulator, or on the host itself.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(not(target_os = "none"))]
fn main() {
    use std::io::Write;

    let mut out = std::io::stdout().lock();
    tvlb_bare_metal::record(&mut |line| out.write_all(line).expect("standard output is open"));
}

#[cfg(target_os = "none")]
#[cortex_m_rt::entry]
fn main() -> ! {
    let Ok(mut out) = cortex_m_semihosting::hio::hstdout() else {
        tvlb_bare_metal::bare::exit(false)
    };
    let mut failed = false;
    tvlb_bare_metal::record(&mut |line| failed |= out.write_all(line).is_err());
    tvlb_bare_metal::bare::exit(!failed)
}
