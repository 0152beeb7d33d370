//! A program with the whole datapath and nothing else: boot, the source decision, PAR's second look, forwarding. With
//! `per-hop-boot` it reads an escape image as well, and with `per-hop` it asks for a packet that decides at every hop;
//! with `onward` it looks at packets in their intermediate group. It is not run; the sizes of its sections less those
//! of `empty` are the cost for a switch.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(not(target_os = "none"))]
fn main() {}

#[cfg(target_os = "none")]
mod bare {
    use core::hint::black_box;
    use tvlb_firmware_model::rand_core::SeedableRng;
    use tvlb_firmware_model::{
        Admission, Channels, DefaultRng, Error, Header, Scheme, Step, Switch, VlbPaths,
    };
    use tvlb_schema::NodeId;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        // As far as the compiler can tell, the images, credits and packets come from outside, and the decisions go
        // there.
        let rng = &mut DefaultRng::seed_from_u64(1);
        let credits = black_box(&[0_u32; 0]).as_slice();
        let mut booted = black_box(boot(black_box(&[]), black_box(&[])));
        if let Ok(switch) = &mut booted {
            #[cfg(feature = "any-fabric")]
            let _ = black_box(install_faults(switch, black_box(&[])));
            let _ = black_box(admit(switch, black_box(Scheme::Par), credits, rng));
            let _ = black_box(reconsider(switch, black_box(Header::from_bits(1)), credits, rng));
            let _ = black_box(forward(switch, black_box(Header::from_bits(1))));
            #[cfg(feature = "onward")]
            let _ = black_box(look_onward(switch, black_box(Header::from_bits(0x62)), credits));
            #[cfg(feature = "per-hop-boot")]
            per_hop::run(switch, black_box(&[]), rng);
        }
        tvlb_bare_metal::bare::exit(true)
    }

    #[inline(never)]
    fn boot<'a>(fabric: &'a [u8], switch: &'a [u8]) -> Result<Switch<'a>, Error> {
        let (scheme, channels) = (black_box(Scheme::Par), black_box(Channels::MOST));
        Switch::boot(fabric, switch).and_then(|switch| switch.with_channels(scheme, channels))
    }

    #[cfg(feature = "any-fabric")]
    #[inline(never)]
    fn install_faults<'a>(switch: &mut Switch<'a>, faults: &'a [u8]) -> Result<(), Error> {
        switch.install_faults(faults)
    }

    #[inline(never)]
    fn admit(
        switch: &Switch<'_>,
        scheme: Scheme,
        credits: &[u32],
        rng: &mut DefaultRng,
    ) -> Result<Admission, Error> {
        switch.admit(black_box(NodeId(7)), scheme, black_box(VlbPaths::Custom), credits, rng)
    }

    #[inline(never)]
    fn reconsider(
        switch: &Switch<'_>,
        header: Header,
        credits: &[u32],
        rng: &mut DefaultRng,
    ) -> Result<Header, Error> {
        switch.reconsider(header, black_box(VlbPaths::Custom), credits, rng)
    }

    #[cfg(feature = "onward")]
    #[inline(never)]
    fn look_onward(switch: &Switch<'_>, header: Header, credits: &[u32]) -> Result<Header, Error> {
        switch.look_onward(header, black_box(Scheme::Par), credits)
    }

    #[cfg(feature = "per-hop-boot")]
    mod per_hop {
        use core::hint::black_box;
        #[cfg(feature = "per-hop")]
        use tvlb_bare_metal::View;
        #[cfg(feature = "per-hop")]
        use tvlb_firmware_model::Header;
        use tvlb_firmware_model::{DefaultRng, Switch};
        #[cfg(feature = "per-hop")]
        use tvlb_ofar::{Ask, Error};
        use tvlb_ofar::{EscapeImage, Ofar};

        #[inline(never)]
        pub(super) fn run<'a>(switch: &Switch<'a>, escape: &'a [u8], rng: &mut DefaultRng) {
            let Some(ofar) = &black_box(boot(switch, escape)) else { return };
            ask(ofar, black_box(rng));
        }

        #[inline(never)]
        fn boot<'s, 'a>(switch: &'s Switch<'a>, escape: &'a [u8]) -> Option<Ofar<'s, 'a>> {
            let escape = EscapeImage::decode(escape, switch.image().fabric()).ok()?;
            Ofar::new(switch, &escape).ok()
        }

        #[cfg(feature = "per-hop")]
        fn ask(ofar: &Ofar<'_, '_>, rng: &mut DefaultRng) {
            use tvlb_schema::NodeId;

            let view = black_box(&View::FREE);
            if ofar.may_inject(view)
                && let Ok(header) = ofar.launch(black_box(NodeId(7)))
            {
                let _ = black_box(ask_one(ofar, header, view, rng));
            }
        }

        #[cfg(feature = "per-hop")]
        #[inline(never)]
        fn ask_one(
            ofar: &Ofar<'_, '_>,
            header: Header,
            view: &View,
            rng: &mut DefaultRng,
        ) -> Result<Ask, Error> {
            ofar.ask(header, view, rng)
        }

        #[cfg(not(feature = "per-hop"))]
        fn ask(_: &Ofar<'_, '_>, _: &mut DefaultRng) {}
    }

    #[inline(never)]
    fn forward(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
        switch.forward(header)
    }
}
