//! A program that does nothing, to measure the start-up code and the vectors.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(not(target_os = "none"))]
fn main() {}

#[cfg(target_os = "none")]
#[cortex_m_rt::entry]
fn main() -> ! {
    tvlb_bare_metal::bare::exit(true)
}
