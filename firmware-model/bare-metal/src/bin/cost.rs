//! Prints the cost of the datapath on the machine: the stack that each call touches, and its instructions if the
//! emulator counts one nanosecond for each (`-icount shift=0`).
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(not(target_os = "none"))]
fn main() {}

#[cfg(target_os = "none")]
mod bare {
    use core::ffi::c_void;
    use core::hint::black_box;
    use core::ptr::{null, null_mut};
    use cortex_m::peripheral::syst::SystClkSource;
    use cortex_m::peripheral::{Peripherals, SYST};
    use cortex_m_semihosting::hio::{self, HostStream};
    use tvlb_bare_metal::bare::exit;
    use tvlb_bare_metal::{
        CHANNELS, ESCAPE, FABRIC, ONWARD, PORTS, RARE, SECOND, SEVERAL, SOURCE, View, arrived,
        at_intermediate, boot, boot_onward,
    };
    use tvlb_firmware_c::{
        TVLB_OK, tvlb_admit, tvlb_boot, tvlb_forward, tvlb_inputs, tvlb_look_onward,
        tvlb_reconsider, tvlb_setup, tvlb_step, tvlb_switch,
    };
    use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
    use tvlb_firmware_model::{
        Admission, ByChannel, CreditCounters, Credits, DefaultRng, Error, Header, Scheme, Step,
        Switch, VlbPaths, Windows,
    };
    use tvlb_ofar::{Ask, EscapeImage, Ofar};
    use tvlb_schema::{NodeId, Port, SwitchId, WindowLimits};

    /// More than any call touches.
    const PAINTED: usize = 8192;
    const PAINT: u32 = 0x5ca1_ab1e;
    /// The number of calls of which a figure is the mean, or the maximum.
    const CALLS: u32 = 4000;
    const CREDITS: [u32; PORTS] = [1; PORTS];
    /// Instructions per tick of the timer: the emulated machine runs at 25 MHz.
    const PER_TICK: u64 = 40;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let (Some(peripherals), Ok(out), Ok([source, second])) =
            (Peripherals::take(), hio::hstdout(), boot())
        else {
            exit(false)
        };
        let mut timer = peripherals.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(0x00ff_ffff);
        timer.enable_counter();
        let mut meter = Meter { out, timer };
        meter.stack("boot", || {
            let caller = stack_pointer();
            boot_one();
            caller
        });
        let mut nodes = Nodes(0);
        let idle = meter.instructions_of(|| {
            black_box(nodes.next());
            stack_pointer()
        });
        let mut rng = DefaultRng::seed_from_u64(1);
        admit(&mut meter, idle, &mut nodes, &source, &mut rng);
        go_on(&mut meter, idle, &source, &second, &mut rng);
        look_onward(&mut meter, idle);
        hold_back(&mut meter, idle, &source);
        decide_at_every_hop(&mut meter, &source, &mut rng);
        meter.print("state", "switch", size_of::<Switch<'_>>() as u64);
        meter.print("state", "ofar", size_of::<Ofar<'_, '_>>() as u64);
        exit(true)
    }

    /// Packets from nodes.
    fn admit(
        meter: &mut Meter,
        idle: u64,
        nodes: &mut Nodes,
        source: &Switch<'_>,
        rng: &mut DefaultRng,
    ) {
        let (Ok(rare), Ok(several)) = (Switch::boot(FABRIC, RARE), Switch::boot(FABRIC, SEVERAL))
        else {
            exit(false)
        };
        // Separate random numbers, so that later measurements draw the same as before.
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
                "admit-ugal-l-rare" => (&rare, &mut *rng),
                "admit-ugal-l-conventional-1x4" | "admit-ugal-l-custom-1x4" => {
                    (&several, &mut rng_of_several)
                }
                _ => (source, &mut *rng),
            };
            meter.both(name, idle, || {
                let (node, credits) = (nodes.next(), black_box(CREDITS.as_slice()));
                let caller = stack_pointer();
                let _ = black_box(admit_one(switch, node, (scheme, paths), credits, rng));
                caller
            });
        }
        let Some(mut counted) = CreditCounters::<PORTS, CHANNELS>::of(&several) else {
            exit(false)
        };
        for port in 0..PORTS as u16 {
            let _ = counted.sent(Port(port), 0, 1);
        }
        let by_channel = &core::array::from_fn::<u32, { PORTS * CHANNELS }, _>(|at| {
            u32::from(at % CHANNELS == 0)
        });
        let by_channel = ByChannel { counters: by_channel, channels: CHANNELS as u8 };
        by_credits(meter, idle, "admit-1x4-by-channel", &several, &by_channel);
        by_credits(meter, idle, "admit-1x4-counted", &several, &counted);
    }

    /// Packets from nodes, with a set and a gate, by these credits.
    fn by_credits(
        meter: &mut Meter,
        idle: u64,
        name: &str,
        switch: &Switch<'_>,
        credits: &impl Credits,
    ) {
        let (mut nodes, mut rng) = (Nodes(0), DefaultRng::seed_from_u64(2));
        meter.both(name, idle, || {
            let (node, credits) = (nodes.next(), black_box(credits));
            let caller = stack_pointer();
            let _ = black_box(admit_by(switch, node, credits, &mut rng));
            caller
        });
    }

    #[inline(never)]
    fn admit_by(
        switch: &Switch<'_>,
        node: NodeId,
        credits: &impl Credits,
        rng: &mut DefaultRng,
    ) -> Result<Admission, Error> {
        switch.admit(node, Scheme::UgalL, VlbPaths::Custom, credits, rng)
    }

    /// Packets that arrive at the second switch.
    fn go_on(
        meter: &mut Meter,
        idle: u64,
        source: &Switch<'_>,
        second: &Switch<'_>,
        rng: &mut DefaultRng,
    ) {
        let mut headers = [Header::from_bits(0); 64];
        let mut found = 0;
        while found < headers.len() {
            let node = NodeId(rng.next_u32() >> 24);
            let credits = CREDITS.as_slice();
            let admission = source.admit(node, Scheme::Par, VlbPaths::Custom, credits, rng);
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
        meter.both("reconsider", idle, || {
            let (header, credits) = (next_header(), black_box(CREDITS.as_slice()));
            let caller = stack_pointer();
            let _ = black_box(reconsider_one(second, header, credits, rng));
            caller
        });
        meter.both("forward", idle, || {
            let header = next_header();
            let caller = stack_pointer();
            let _ = black_box(forward_one(second, header));
            caller
        });
        let (mut switch, mut credits) = (boot_c(SECOND), CREDITS);
        let mut own = DefaultRng::seed_from_u64(1);
        let inputs = inputs_of(&mut credits, &mut own);
        meter.both("c-reconsider", idle, || {
            let header = next_header().bits();
            let caller = stack_pointer();
            let _ = black_box(c_reconsider_one(&switch, header, &inputs));
            caller
        });
        meter.both("c-forward", idle, || {
            let header = next_header().bits();
            let caller = stack_pointer();
            let _ = black_box(c_forward_one(&switch, header));
            caller
        });
        switch = boot_c(SOURCE);
        let mut nodes = Nodes(0);
        for (name, paths) in [("c-admit-ugal-l-conventional", 0), ("c-admit-ugal-l-custom", 1)] {
            meter.both(name, idle, || {
                let node = nodes.next().0;
                let caller = stack_pointer();
                let _ = black_box(c_admit_one(&switch, node, paths, &inputs));
                caller
            });
        }
    }

    /// Packets in their intermediate group, some where four links lead to the group of their destination.
    fn look_onward(meter: &mut Meter, idle: u64) {
        let (Ok(switch), in_c) = (boot_onward(), boot_c(ONWARD)) else { exit(false) };
        let mut headers = [Header::from_bits(0); 64];
        let mut rng = DefaultRng::seed_from_u64(1);
        for place in &mut headers {
            while place.bits() == 0 {
                *place = at_intermediate(&switch, rng.next_u32()).unwrap_or(*place);
            }
        }
        let mut at = 0;
        let mut next_header = || {
            at = (at + 1) & 63;
            headers.get(at).copied().unwrap_or(Header::from_bits(0))
        };
        let mut counters = [1; PORTS * CHANNELS];
        let credits = ByChannel { counters: &counters, channels: CHANNELS as u8 };
        for (name, stage) in [("look-onward", 0), ("look-onward-elsewhere", 1 << 5)] {
            meter.both(name, idle, || {
                let header = Header::from_bits(next_header().bits() ^ stage);
                let caller = stack_pointer();
                let _ = black_box(look_onward_one(&switch, header, black_box(&credits)));
                caller
            });
        }
        let inputs = tvlb_inputs {
            credits: counters.as_mut_ptr(),
            credit_count: PORTS,
            channels: CHANNELS,
            random: Some(next_random),
            context: null_mut(),
            link_credits: null(),
        };
        meter.both("c-look-onward", idle, || {
            let header = next_header().bits();
            let caller = stack_pointer();
            let _ = black_box(c_look_onward_one(&in_c, header, &inputs));
            caller
        });
    }

    #[inline(never)]
    fn look_onward_one(
        switch: &Switch<'_>,
        header: Header,
        credits: &ByChannel<'_>,
    ) -> Result<Header, Error> {
        switch.look_onward(header, Scheme::Par, credits)
    }

    #[inline(never)]
    fn c_look_onward_one(switch: &tvlb_switch, mut header: u64, inputs: &tvlb_inputs) -> u64 {
        // SAFETY: all arguments are alive and not used elsewhere; no random words are drawn.
        unsafe { tvlb_look_onward(switch, &raw mut header, inputs) };
        header
    }

    /// The work of a source with windows for each packet and for each acknowledgement.
    fn hold_back(meter: &mut Meter, idle: u64, source: &Switch<'_>) {
        let mut windows = Windows::<72>::new(WindowLimits { delay_cycles: 150, packets: 32 });
        let df = source.image().fabric().dragonfly();
        let mut nodes = Nodes(0);
        meter.both("window-admit", idle, || {
            let (to, _) = df.switch_of(nodes.next());
            let caller = stack_pointer();
            let _ = black_box(window_admit(&mut windows, to));
            caller
        });
        meter.both("window-acknowledge", idle, || {
            let (to, _) = df.switch_of(nodes.next());
            let caller = stack_pointer();
            window_acknowledge(&mut windows, to, black_box(80));
            caller
        });
    }

    #[inline(never)]
    fn window_admit(windows: &mut Windows<72>, to: SwitchId) -> bool {
        windows.admit(to)
    }

    #[inline(never)]
    fn window_acknowledge(windows: &mut Windows<72>, to: SwitchId, delay_cycles: u32) {
        windows.acknowledge(to, delay_cycles);
    }

    unsafe extern "C" fn next_random(context: *mut c_void) -> u32 {
        // SAFETY: the context is the generator of `inputs_of`, which nothing else uses meanwhile.
        unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
    }

    /// A switch booted through C.
    fn boot_c(image: &[u8]) -> tvlb_switch {
        let mut switch = tvlb_switch::zeroed();
        // SAFETY: the images are constants, and the switch lives.
        let code = unsafe {
            let (at, len) = (image.as_ptr(), image.len());
            tvlb_boot(
                &raw mut switch,
                &tvlb_setup::of((FABRIC.as_ptr(), FABRIC.len()), (at, len), (3, 0), (7, 7)),
            )
        };
        if code != TVLB_OK {
            exit(false)
        }
        switch
    }

    fn inputs_of(credits: &mut [u32; PORTS], rng: &mut DefaultRng) -> tvlb_inputs {
        tvlb_inputs {
            credits: credits.as_mut_ptr(),
            credit_count: credits.len(),
            channels: 0,
            random: Some(next_random),
            context: (&raw mut *rng).cast(),
            link_credits: null(),
        }
    }

    #[inline(never)]
    fn c_admit_one(switch: &tvlb_switch, node: u32, paths: u8, inputs: &tvlb_inputs) -> tvlb_step {
        let mut step = tvlb_step::default();
        // SAFETY: all arguments are alive and not used elsewhere.
        unsafe { tvlb_admit(switch, node, 2, paths, inputs, &raw mut step) };
        step
    }

    #[inline(never)]
    fn c_reconsider_one(switch: &tvlb_switch, mut header: u64, inputs: &tvlb_inputs) -> u64 {
        // SAFETY: as above.
        unsafe { tvlb_reconsider(switch, &raw mut header, 1, inputs) };
        header
    }

    #[inline(never)]
    fn c_forward_one(switch: &tvlb_switch, header: u64) -> tvlb_step {
        let mut step = tvlb_step::default();
        // SAFETY: as above.
        unsafe { tvlb_forward(switch, header, &raw mut step) };
        step
    }

    /// Packets that decide at every hop.
    fn decide_at_every_hop(meter: &mut Meter, source: &Switch<'_>, rng: &mut DefaultRng) {
        meter.stack("boot-ofar", || {
            let caller = stack_pointer();
            boot_ofar(source);
            caller
        });
        let Ok(escape) = EscapeImage::decode(ESCAPE, source.image().fabric()) else { exit(false) };
        let Ok(ofar) = Ofar::new(source, &escape) else { exit(false) };
        let mut inputs = DefaultRng::seed_from_u64(1);
        let free = [const { View::FREE }; 16];
        let busy: [View; 16] = core::array::from_fn(|_| View::busy(&mut inputs));
        for (name, views) in [("ask-free", &free), ("ask-busy", &busy)] {
            let (mut nodes, mut turn) = (Nodes(0), 0);
            let mut next = || {
                turn += 1;
                (arrived(&ofar, nodes.next(), turn), black_box(&views[turn as usize & 15]))
            };
            let idle = meter.instructions_of(|| {
                black_box(next());
                stack_pointer()
            });
            meter.both(name, idle, || {
                let (header, view) = next();
                let caller = stack_pointer();
                let _ = black_box(ask_one(&ofar, header, view, rng));
                caller
            });
        }
    }

    /// The destinations, in turn.
    struct Nodes(u32);

    impl Nodes {
        fn next(&mut self) -> NodeId {
            self.0 = if self.0 >= 287 { 0 } else { self.0 + 1 };
            NodeId(self.0)
        }
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
    ) -> Result<Ask, tvlb_ofar::Error> {
        ofar.ask(header, view, rng)
    }

    /// The memory below belongs to callees.
    #[inline(always)]
    fn stack_pointer() -> u32 {
        cortex_m::register::msp::read()
    }

    /// Measures calls. Each returns its caller's stack pointer.
    struct Meter {
        out: HostStream,
        timer: SYST,
    }

    impl Meter {
        fn print(&mut self, what: &str, name: &str, value: u64) {
            for text in [what, " ", name, " "] {
                let _ = self.out.write_all(text.as_bytes());
            }
            let mut digits = [0_u8; 20];
            let mut left = value;
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (left % 10) as u8;
                left /= 10;
            }
            let first = digits.iter().position(|&d| d != b'0').unwrap_or(19);
            let _ = self.out.write_all(digits.get(first..).unwrap_or_default());
            let _ = self.out.write_all(b"\n");
        }

        fn stack(&mut self, name: &str, call: impl FnMut() -> u32) {
            self.print("stack", name, stack_of(call).into());
        }

        /// Instructions, less those of an `idle` call, and stack.
        fn both(&mut self, name: &str, idle: u64, mut call: impl FnMut() -> u32) {
            let instructions = self.instructions_of(&mut call).saturating_sub(idle);
            self.print("instructions", name, instructions);
            let mut most = 0;
            for _ in 0..CALLS {
                most = most.max(stack_of(&mut call));
            }
            self.print("stack", name, most.into());
        }

        /// The mean number of instructions of a call.
        #[inline(never)]
        fn instructions_of(&mut self, mut call: impl FnMut() -> u32) -> u64 {
            let mut ticks = 0_u64;
            for _ in 0..CALLS / 16 {
                self.timer.clear_current();
                let before = SYST::get_current();
                for _ in 0..16 {
                    call();
                }
                ticks += u64::from(before.wrapping_sub(SYST::get_current()) & 0x00ff_ffff);
            }
            ticks * PER_TICK / u64::from(CALLS)
        }
    }

    /// The bytes of stack that a callee touches below its caller's, whose stack pointer `call` returns.
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
