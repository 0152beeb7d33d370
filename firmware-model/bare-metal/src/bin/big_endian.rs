//! Prints the sequence of decisions on a big-endian machine of 32 bits: PowerPC under Linux,
//! without a standard library. On any other machine it does nothing.
#![cfg_attr(target_arch = "powerpc", no_std, no_main)]

#[cfg(not(target_arch = "powerpc"))]
fn main() {}

#[cfg(target_arch = "powerpc")]
mod bare {
    use core::arch::{asm, global_asm};

    // The kernel leaves no frame at the stack pointer.
    global_asm!(".globl _start", "_start:", "clrrwi 1, 1, 4", "stwu 1, -32(1)", "bl start");

    fn call(number: usize, a: usize, b: usize, c: usize) {
        // SAFETY: the only calls are those below: a write from a live slice, and the exit.
        unsafe {
            asm!(
                "sc",
                inout("r0") number => _, inout("r3") a => _, inout("r4") b => _, inout("r5") c => _,
                out("r6") _, out("r7") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                out("r12") _, out("cr0") _, out("ctr") _, out("xer") _,
            );
        }
    }

    #[unsafe(no_mangle)]
    extern "C" fn start() -> ! {
        const { assert!(cfg!(target_endian = "big") && size_of::<usize>() == 4) };
        tvlb_bare_metal::record(&mut |line| call(4, 1, line.as_ptr() as usize, line.len()));
        loop {
            call(1, 0, 0, 0);
        }
    }

    // As on the Cortex-M4: nothing may reach this.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        unsafe extern "C" {
            safe fn the_datapath_must_not_panic() -> !;
        }
        the_datapath_must_not_panic()
    }
}
