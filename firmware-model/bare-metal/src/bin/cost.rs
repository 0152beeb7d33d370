//! Prints what the datapath costs on the machine: the stack that each call touches, and the
//! instructions that it takes if the emulator counts one nanosecond for each (`-icount shift=0`).
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(not(target_os = "none"))]
fn main() {}

#[cfg(target_os = "none")]
mod bare {
    use core::hint::black_box;
    use cortex_m::peripheral::syst::SystClkSource;
    use cortex_m::peripheral::{Peripherals, SYST};
    use cortex_m_semihosting::hio;
    use tvlb_bare_metal::{ESCAPE, FABRIC, PORTS, RARE, SEVERAL, SOURCE, View, arrived, boot};
    use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
    use tvlb_firmware_model::{
        Admission, Ask, DefaultRng, Error, Header, Ofar, Scheme, Step, Switch, VlbPaths,
    };
    use tvlb_schema::{EscapeImage, NodeId};

    /// More than any call touches.
    const PAINTED: usize = 8192;
    const PAINT: u32 = 0x5ca1_ab1e;
    /// The calls that a figure is the mean, or the maximum, of.
    const CALLS: u32 = 4000;
    /// Instructions per tick of the timer: the emulated machine runs at 25 MHz.
    const PER_TICK: u64 = 40;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let (Some(peripherals), Ok(mut out), Ok([source, second])) =
            (Peripherals::take(), hio::hstdout(), boot())
        else {
            tvlb_bare_metal::bare::exit(false)
        };
        let mut timer = peripherals.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(0x00ff_ffff);
        timer.enable_counter();
        let mut print = |what: &str, name: &str, value: u64| {
            for text in [what, " ", name, " "] {
                let _ = out.write_all(text.as_bytes());
            }
            let mut digits = [0_u8; 20];
            let mut left = value;
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (left % 10) as u8;
                left /= 10;
            }
            let first = digits.iter().position(|&d| d != b'0').unwrap_or(19);
            let _ = out.write_all(digits.get(first..).unwrap_or_default());
            let _ = out.write_all(b"\n");
        };

        let boots = || {
            let caller = stack_pointer();
            boot_one();
            caller
        };
        print("stack", "boot", stack_of(boots).into());

        let credits = [1_u32; PORTS];
        let mut rng = DefaultRng::seed_from_u64(1);
        let mut node = 0;
        let mut next_node = || {
            node = if node >= 287 { 0 } else { node + 1 };
            NodeId(node)
        };
        let idle = mean(&mut timer, || {
            black_box(next_node());
            stack_pointer()
        });
        let Ok(rare) = Switch::boot(FABRIC, RARE) else { tvlb_bare_metal::bare::exit(false) };
        let Ok(several) = Switch::boot(FABRIC, SEVERAL) else { tvlb_bare_metal::bare::exit(false) };
        // Random numbers of their own, so that what is measured after them draws what it always drew.
        let mut rng_of_several = DefaultRng::seed_from_u64(1);
        for (name, scheme, paths) in [
            ("admit-min", Scheme::Min, VlbPaths::Custom),
            ("admit-ugal-l-conventional", Scheme::UgalL, VlbPaths::Conventional),
            ("admit-ugal-l-custom", Scheme::UgalL, VlbPaths::Custom),
            ("admit-par-custom", Scheme::Par, VlbPaths::Custom),
            ("admit-ugal-l-rare", Scheme::UgalL, VlbPaths::Custom),
            ("admit-ugal-l-conventional-1x4", Scheme::UgalL, VlbPaths::Conventional),
            ("admit-ugal-l-custom-1x4", Scheme::UgalL, VlbPaths::Custom),
        ] {
            let (switch, rng) = match name {
                "admit-ugal-l-rare" => (&rare, &mut rng),
                "admit-ugal-l-conventional-1x4" | "admit-ugal-l-custom-1x4" => {
                    (&several, &mut rng_of_several)
                }
                _ => (&source, &mut rng),
            };
            let mut admit = || {
                let (node, credits) = (next_node(), black_box(credits.as_slice()));
                let caller = stack_pointer();
                let _ = black_box(admit_one(switch, node, (scheme, paths), credits, rng));
                caller
            };
            print_both(&mut print, name, &mut timer, idle, &mut admit);
        }

        // Headers as they arrive at the second switch.
        let mut headers = [Header::from_bits(0); 64];
        let mut found = 0;
        while found < headers.len() {
            let node = NodeId(rng.next_u32() >> 24);
            let credits = credits.as_slice();
            let admission = source.admit(node, Scheme::Par, VlbPaths::Custom, credits, &mut rng);
            if let Ok(Step::Send { port, header, .. }) = admission.map(|a| a.step)
                && source.neighbour(port) == Some((second.image().group(), second.image().index()))
                && let Some(place) = headers.get_mut(found)
            {
                *place = header;
                found += 1;
            }
        }
        let mut at = 0;
        let mut next_header = || {
            at = (at + 1) & 63;
            headers.get(at).copied().unwrap_or(Header::from_bits(0))
        };
        let mut look = || {
            let (header, credits) = (next_header(), black_box(credits.as_slice()));
            let caller = stack_pointer();
            let _ = black_box(reconsider_one(&second, header, credits, &mut rng));
            caller
        };
        print_both(&mut print, "reconsider", &mut timer, idle, &mut look);
        let mut forward = || {
            let header = next_header();
            let caller = stack_pointer();
            let _ = black_box(forward_one(&second, header));
            caller
        };
        print_both(&mut print, "forward", &mut timer, idle, &mut forward);

        // Packets that decide at every hop.
        let boots = || {
            let caller = stack_pointer();
            boot_ofar(&source);
            caller
        };
        print("stack", "boot-ofar", stack_of(boots).into());
        let Ok(escape) = EscapeImage::decode(ESCAPE, source.image().fabric()) else {
            tvlb_bare_metal::bare::exit(false)
        };
        let Ok(ofar) = Ofar::new(&source, &escape) else { tvlb_bare_metal::bare::exit(false) };
        let mut inputs = DefaultRng::seed_from_u64(1);
        let free = [const { View::FREE }; 16];
        let busy: [View; 16] = core::array::from_fn(|_| View::busy(&mut inputs));
        for (name, views) in [("ask-free", &free), ("ask-busy", &busy)] {
            let (mut node, mut turn) = (0, 0);
            let mut next = || {
                node = if node >= 287 { 0 } else { node + 1 };
                turn += 1;
                (arrived(&ofar, NodeId(node), turn), black_box(&views[turn as usize & 15]))
            };
            let idle = mean(&mut timer, || {
                black_box(next());
                stack_pointer()
            });
            let mut ask = || {
                let (header, view) = next();
                let caller = stack_pointer();
                let _ = black_box(ask_one(&ofar, header, view, &mut rng));
                caller
            };
            print_both(&mut print, name, &mut timer, idle, &mut ask);
        }
        print("state", "switch", size_of::<Switch<'_>>() as u64);
        print("state", "ofar", size_of::<Ofar<'_, '_>>() as u64);
        tvlb_bare_metal::bare::exit(true)
    }

    #[inline(never)]
    fn boot_one() {
        let _ = black_box(Switch::boot(black_box(FABRIC), black_box(SOURCE)).is_ok());
    }

    #[inline(never)]
    fn admit_one(
        switch: &Switch<'_>,
        node: NodeId,
        (scheme, paths): (Scheme, VlbPaths),
        credits: &[u32],
        rng: &mut DefaultRng,
    ) -> Result<Admission, Error> {
        switch.admit(node, scheme, paths, credits, rng)
    }

    #[inline(never)]
    fn reconsider_one(
        switch: &Switch<'_>,
        header: Header,
        credits: &[u32],
        rng: &mut DefaultRng,
    ) -> Result<Header, Error> {
        switch.reconsider(header, VlbPaths::Custom, credits, rng)
    }

    #[inline(never)]
    fn forward_one(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
        switch.forward(header)
    }

    #[inline(never)]
    fn boot_ofar(switch: &Switch<'_>) {
        let escape = EscapeImage::decode(black_box(ESCAPE), switch.image().fabric());
        let _ = black_box(escape.is_ok_and(|escape| Ofar::new(switch, &escape).is_ok()));
    }

    #[inline(never)]
    fn ask_one(
        ofar: &Ofar<'_, '_>,
        header: Header,
        view: &View,
        rng: &mut DefaultRng,
    ) -> Result<Ask, Error> {
        ofar.ask(header, view, rng)
    }

    /// What lies below it belongs to those who are called.
    #[inline(always)]
    fn stack_pointer() -> u32 {
        cortex_m::register::msp::read()
    }

    fn print_both(
        print: &mut impl FnMut(&str, &str, u64),
        name: &str,
        timer: &mut SYST,
        idle: u64,
        call: &mut impl FnMut() -> u32,
    ) {
        print("instructions", name, mean(timer, &mut *call).saturating_sub(idle));
        let mut most = 0;
        for _ in 0..CALLS {
            most = most.max(stack_of(&mut *call));
        }
        print("stack", name, most.into());
    }

    /// The mean number of instructions of a call.
    #[inline(never)]
    fn mean(timer: &mut SYST, mut call: impl FnMut() -> u32) -> u64 {
        let mut ticks = 0_u64;
        for _ in 0..CALLS / 16 {
            timer.clear_current();
            let before = SYST::get_current();
            for _ in 0..16 {
                call();
            }
            ticks += u64::from(before.wrapping_sub(SYST::get_current()) & 0x00ff_ffff);
        }
        ticks * PER_TICK / u64::from(CALLS)
    }

    /// The bytes of stack that what is called touches below its caller's, whose stack pointer
    /// `call` returns.
    #[inline(never)]
    fn stack_of(mut call: impl FnMut() -> u32) -> u32 {
        let top = (cortex_m::register::msp::read() & !3) as usize;
        let bottom = top - PAINTED;
        for place in (bottom..top).step_by(4) {
            // SAFETY: the words below the stack pointer are free RAM, 4 MiB less what is in use;
            // no interrupt is enabled, so nothing else uses them.
            unsafe { (place as *mut u32).write_volatile(PAINT) };
        }
        let caller = call();
        let mut untouched = bottom;
        // SAFETY: as above.
        while untouched < top && unsafe { (untouched as *const u32).read_volatile() } == PAINT {
            untouched += 4;
        }
        caller.saturating_sub(untouched as u32)
    }
}
