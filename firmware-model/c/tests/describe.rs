//! What C is told of switches, ports, decisions and bad images is what the datapath says.

mod told;

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use told::assert_same;
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_FAULT_IMAGE, TVLB_NO_SUCH_NODE, TVLB_NOT_BOOTED,
    TVLB_OK, TVLB_SWITCH_IMAGE, TVLB_WRONG_SCHEME, tvlb_admit, tvlb_boot, tvlb_check_image,
    tvlb_describe, tvlb_describe_port, tvlb_description, tvlb_explain, tvlb_explain_again,
    tvlb_explanation, tvlb_image_error, tvlb_inputs, tvlb_install_faults, tvlb_port,
    tvlb_reconsider, tvlb_setup, tvlb_step, tvlb_switch, tvlb_weighing, tvlb_weighing_of,
};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{DefaultRng, Header, Scheme, Switch, VlbPaths};
use tvlb_schema::{FabricImage, NodeId, Onward, Queue, SwitchImage};

/// Of dfly(2, 4, 2, 9), with switch 5.
const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
/// What is dead of it: switch 31, two cables and a link, by epoch 7.
const FAULTS: &[u8] = include_bytes!("../../../schema/golden/v3/faults.tvlb");
/// Of dfly(4, 8, 4, 9): switch 3, and switch 4 with several candidates and a gate.
const LARGE_FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const THIRD: &[u8] = include_bytes!("../../bare-metal/images/switch-00003.tvlb");
const SEVERAL: &[u8] = include_bytes!("../../bare-metal/images/switch-00004-several.tvlb");
/// Switch 4 with credits by channel, whose VLB packets go on by the cheapest link.
const ONWARD: &[u8] = include_bytes!("../../bare-metal/images/switch-00004-onward.tvlb");

const PORTS: usize = 15;
const SCHEMES: [Scheme; 4] = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];
const PATHS: [VlbPaths; 2] = [VlbPaths::Conventional, VlbPaths::Custom];
const UGAL_L: u8 = 2;
const PAR: u8 = 3;

fn booted(fabric: &[u8], image: &[u8], scheme: u8) -> tvlb_switch {
    let mut switch = tvlb_switch::zeroed();
    // SAFETY: the images are constants, and the switch lives.
    let code = unsafe {
        let (at, len) = (image.as_ptr(), image.len());
        tvlb_boot(
            &raw mut switch,
            &tvlb_setup::of((fabric.as_ptr(), fabric.len()), (at, len), (scheme, 0), (7, 7)),
        )
    };
    assert_eq!(code, TVLB_OK);
    switch
}

fn describe(switch: &tvlb_switch) -> tvlb_description {
    let mut description = tvlb_description::default();
    // SAFETY: all pointers are of what lives.
    assert_eq!(unsafe { tvlb_describe(switch, &raw mut description) }, TVLB_OK);
    description
}

fn describe_port(switch: &tvlb_switch, port: u16) -> Result<tvlb_port, i32> {
    let mut description = tvlb_port { to: 77, ..tvlb_port::default() };
    // SAFETY: all pointers are of what lives.
    let code = unsafe { tvlb_describe_port(switch, port, &raw mut description) };
    assert!(code == TVLB_OK || description.to == 77);
    if code == TVLB_OK { Ok(description) } else { Err(code) }
}

#[test]
fn a_switch_describes_itself() {
    let mut switch = booted(FABRIC, SWITCH, UGAL_L);
    let fabric = FabricImage::decode(FABRIC).expect("the golden image decodes");
    let expected = tvlb_description {
        fabric_identity: fabric.identity(),
        switch_number: 5,
        group: 1,
        index: 1,
        groups: 9,
        switches: 36,
        nodes: 72,
        first_node: 10,
        fault_epoch: 0,
        ports: 7,
        terminals: 2,
        first_local_port: 2,
        first_global_port: 5,
        links: 5,
        local_channels: 5,
        global_channels: 4,
        assignment: 0,
        scheme: UGAL_L,
        paths: 0,
    };
    assert_eq!(describe(&switch), expected);
    // SAFETY: the image is a constant.
    let code = unsafe { tvlb_install_faults(&raw mut switch, FAULTS.as_ptr(), FAULTS.len()) };
    assert_eq!(code, TVLB_OK);
    let dead = 5 - (2..7).filter(|&port| describe_port(&switch, port).unwrap().alive == 1).count();
    let links = u16::try_from(5 - dead).expect("it is small");
    assert_eq!(describe(&switch), tvlb_description { fault_epoch: 7, links, ..expected });
}

#[test]
fn a_switch_describes_its_ports() {
    let switch = booted(FABRIC, SWITCH, UGAL_L);
    let ports: Vec<_> = (0..8).map(|port| describe_port(&switch, port)).collect();
    let port = |kind, to, far_port| Ok(tvlb_port { to, far_port, kind, alive: 1 });
    // The other ends are at the lowest local port, the ports towards switch 5, and global ports.
    let far = |port: usize| ports[port].map_or(0, |port| port.far_port);
    let expected = [
        port(1, 10, 0),
        port(1, 11, 0),
        port(2, 4, 2),
        port(2, 6, 3),
        port(2, 7, 3),
        port(3, 13, far(5)),
        port(3, 17, far(6)),
        Err(TVLB_BAD_ARGUMENT),
    ];
    assert_eq!(ports, expected);
    assert!(far(5) >= 5 && far(6) >= 5);
}

#[test]
fn ports_are_dead_where_the_fault_image_says_so() {
    let fabric = {
        let mut fabric = FabricImage::decode(FABRIC).expect("the golden image decodes");
        fabric.install_faults(FAULTS).expect("it is of this fabric");
        fabric
    };
    let link = fabric.dead_local_links().next().expect("one is dead");
    let df = fabric.dragonfly();
    let cable = fabric.dead_cables().next().expect("one is dead");
    let of_cable = df.switch(cable.group, df.split_port(cable.port).0);
    // Of every switch of the fabric, the ports that are dead: found without the function's own way.
    let mut dead = Vec::new();
    for number in df.switches() {
        let golden = SwitchImage::decode(SWITCH, &fabric).expect("the golden image decodes");
        let set = golden.set(tvlb_schema::Decision::UgalL);
        let contents = tvlb_schema::SwitchContents {
            switch: number,
            virtual_channels: golden.virtual_channels(),
            decisions: tvlb_schema::PerDecision::same((0, tvlb_schema::Weighing::default())),
            second_min: tvlb_schema::MinCandidate::Kept,
            sets: vec![tvlb_schema::SetContents {
                rule: tvlb_schema::SetRule::whole(set.rule().shapes()),
                levels: Vec::new(),
                shapes_to: Vec::new(),
            }],
            physical_numbers: Vec::new(),
        };
        let plan = FabricImage::decode(FABRIC).expect("the golden image decodes");
        let image = tvlb_schema::encode_switch_image(&plan, &contents);
        let mut switch = booted(FABRIC, &image, UGAL_L);
        // SAFETY: the image is a constant.
        unsafe { tvlb_install_faults(&raw mut switch, FAULTS.as_ptr(), FAULTS.len()) };
        for port in 0..7 {
            let port = describe_port(&switch, port).expect("the port exists");
            if port.alive == 0 {
                dead.push((number, port.kind, port.to));
            }
        }
        if cfg!(miri) && number.0 > 3 {
            return;
        }
    }
    let is_of = |kind: u8, one: u32, other: u32| {
        dead.iter().any(|&(from, k, to)| k == kind && u32::from(from.0) == one && to == other)
    };
    let high = u32::from(df.switch(df.place(link.low).0, link.high).0);
    assert!(is_of(2, link.low.0.into(), high) && is_of(2, high, link.low.0.into()));
    assert!(dead.iter().any(|&(from, kind, _)| kind == 3 && from == of_cable));
    // The dead switch has no port that lives: two to nodes, three links and two cables, and their other ends.
    assert_eq!(dead.iter().filter(|&&(from, ..)| from.0 == 31).count(), 7);
    assert_eq!(dead.iter().filter(|&&(_, kind, to)| kind > 1 && to == 31).count(), 5);
    // And two more ends of each of the two cables and of the link.
    assert_eq!(dead.len(), 7 + 5 + 2 * 3);
}

#[test]
fn decisions_weigh_as_the_image_says() {
    let (plain, several) = (booted(FABRIC, SWITCH, PAR), booted(LARGE_FABRIC, SEVERAL, PAR));
    let onward = booted(LARGE_FABRIC, ONWARD, PAR);
    let tell = |switch: &tvlb_switch, decision| {
        let mut weighing = tvlb_weighing { threshold: 77, ..tvlb_weighing::default() };
        // SAFETY: all pointers are of what lives.
        let code = unsafe { tvlb_weighing_of(switch, decision, &raw mut weighing) };
        assert!(code == TVLB_OK || weighing.threshold == 77);
        if code == TVLB_OK { Ok(weighing) } else { Err(code) }
    };
    let expected = |fabric, image, decision| {
        let fabric = FabricImage::decode(fabric).expect("the image is good");
        let image = SwitchImage::decode(image, &fabric).expect("the image is good");
        let weighing = image.weighing(tvlb_schema::Decision::ALL[usize::from(decision)]);
        tvlb_weighing {
            threshold: weighing.threshold,
            min_candidates: weighing.candidates.min(),
            vlb_candidates: weighing.candidates.vlb(),
            gate_sixteenths: weighing.gate.sixteenths(),
            by_channel: u8::from(weighing.queue == Queue::Channel),
            onward_by_cheapest: u8::from(weighing.onward == Onward::Cheapest),
        }
    };
    for decision in 0..3 {
        for (switch, fabric, image) in [
            (&plain, FABRIC, SWITCH),
            (&several, LARGE_FABRIC, SEVERAL),
            (&onward, LARGE_FABRIC, ONWARD),
        ] {
            assert_eq!(tell(switch, decision), Ok(expected(fabric, image, decision)));
        }
        let bits = |switch| tell(switch, decision).map(|told| told.onward_by_cheapest);
        assert_eq!([&plain, &several, &onward].map(bits), [Ok(0), Ok(0), Ok(1)]);
    }
    assert_ne!(tell(&plain, 2), tell(&several, 2));
    assert_eq!(tell(&plain, 3), Err(TVLB_BAD_ARGUMENT));
}

unsafe extern "C" fn next_word(context: *mut c_void) -> u32 {
    // SAFETY: the context is a generator that nothing else uses meanwhile.
    unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
}

fn inputs_of(credits: &mut [u32], random: &mut DefaultRng) -> tvlb_inputs {
    tvlb_inputs {
        credits: credits.as_mut_ptr(),
        credit_count: credits.len(),
        channels: 0,
        random: Some(next_word),
        context: (&raw mut *random).cast(),
        link_credits: null(),
    }
}

#[test]
fn an_explanation_is_that_of_rust() {
    let rounds = if cfg!(miri) { 4 } else { 4000 };
    let (mut reasons, mut gates, mut looks) = ([0; 5], 0, 0);
    for image in [THIRD, SEVERAL] {
        let in_c = booted(LARGE_FABRIC, image, PAR);
        let in_rust = Switch::boot(LARGE_FABRIC, image).expect("the images are good");
        let mut numbers = DefaultRng::seed_from_u64(1);
        let (mut of_c, mut of_rust) = (DefaultRng::seed_from_u64(2), DefaultRng::seed_from_u64(2));
        let mut of_admit = DefaultRng::seed_from_u64(2);
        for _ in 0..rounds {
            let word = numbers.next_u32();
            let node = word % 292;
            let [_, _, bits, _] = word.to_le_bytes();
            let (scheme_code, paths_code) = (bits & 3, bits >> 2 & 1);
            let mut credits: [u32; PORTS] = std::array::from_fn(|_| numbers.next_u32() >> 29);
            let inputs = inputs_of(&mut credits, &mut of_c);
            let mut told = tvlb_explanation::default();
            // SAFETY: all pointers are of what lives.
            let code = unsafe {
                let (at, inputs, to) = (&raw const in_c, &raw const inputs, &raw mut told);
                tvlb_explain(at, node, scheme_code, paths_code, inputs, to)
            };
            let (scheme, paths) =
                (SCHEMES[usize::from(scheme_code)], PATHS[usize::from(paths_code)]);
            let expected =
                in_rust.explain(NodeId(node), scheme, paths, credits.as_slice(), &mut of_rust);
            // And it is the decision that is made.
            let mut step = tvlb_step::default();
            let inputs = inputs_of(&mut credits, &mut of_admit);
            // SAFETY: as above.
            let admitted = unsafe {
                let (at, inputs, to) = (&raw const in_c, &raw const inputs, &raw mut step);
                tvlb_admit(at, node, scheme_code, paths_code, inputs, to)
            };
            assert_eq!(code, admitted);
            let Ok(expected) = expected else {
                assert_eq!((code, told), (TVLB_NO_SUCH_NODE, tvlb_explanation::default()));
                continue;
            };
            assert_eq!((code, told.step), (TVLB_OK, step));
            assert_same(&told, &expected);
            reasons[usize::from(told.not_drawn)] += 1;
            gates += u32::from(told.gate_asked);

            // A second look, by a header of any bits or one that is open to it.
            let open = u64::from(word % 72) << 48 | u64::from(word >> 20 & 31) << 28 | 1 << 5 | 1;
            let header = if word >> 30 == 0 { numbers.next_u64() } else { open };
            let inputs = inputs_of(&mut credits, &mut of_c);
            let mut told = tvlb_explanation::default();
            // SAFETY: as above.
            let code = unsafe {
                let (at, inputs, to) = (&raw const in_c, &raw const inputs, &raw mut told);
                tvlb_explain_again(at, header, paths_code, inputs, to)
            };
            let expected = in_rust.explain_again(
                Header::from_bits(header),
                paths,
                credits.as_slice(),
                &mut of_rust,
            );
            let inputs = inputs_of(&mut credits, &mut of_admit);
            let mut looked = header;
            // SAFETY: as above.
            let reconsidered = unsafe {
                let (at, inputs) = (&raw const in_c, &raw const inputs);
                tvlb_reconsider(at, &raw mut looked, paths_code, inputs)
            };
            assert_eq!(code, reconsidered);
            match expected {
                Ok(expected) => {
                    assert_eq!((code, told.step.header), (TVLB_OK, looked));
                    assert_same(&told, &expected);
                    looks += u32::from(told.min_count > 0);
                }
                Err(error) => assert_eq!(code, error.code()),
            }
        }
        assert_eq!(of_c, of_rust, "both drew the same random words");
        assert_eq!(of_c, of_admit, "and so does the decision");
    }
    assert!(cfg!(miri) || reasons[..4].iter().all(|&count| count > 0), "{reasons:?}");
    assert!(cfg!(miri) || gates > 0 && looks > 0, "{gates} {looks}");
}

#[test]
fn an_image_is_refused_in_words() {
    let check = |kind, fabric: &[u8], image: &[u8]| {
        let mut error = tvlb_image_error { code: 77, offset: 77, text: [7; 256] };
        // SAFETY: all pointers are of what lives.
        let code = unsafe {
            let (fabric, fabric_len) = (fabric.as_ptr(), fabric.len());
            tvlb_check_image(kind, fabric, fabric_len, image.as_ptr(), image.len(), &raw mut error)
        };
        if code != TVLB_OK {
            assert_eq!((error.code, error.offset), (77, 77));
            return Err(code);
        }
        let end = error.text.iter().position(|&byte| byte == 0).expect("the text ends");
        let text = String::from_utf8(error.text[..end].to_vec()).expect("it is a text");
        Ok((error.code, error.offset, text))
    };
    let good = Ok((TVLB_OK, 0, String::new()));
    let fabric = FabricImage::decode(FABRIC).expect("the golden image decodes");
    assert_eq!(check(TVLB_FABRIC_IMAGE, FABRIC, &[]), good);
    for (kind, image) in [(TVLB_SWITCH_IMAGE, SWITCH), (TVLB_FAULT_IMAGE, FAULTS)] {
        assert_eq!(check(kind, FABRIC, image), good);
        let mut damaged = image.to_vec();
        damaged[image.len() / 2] ^= 4;
        for bad in [&image[..30], &damaged, &[], FABRIC] {
            let error = match kind {
                TVLB_SWITCH_IMAGE => SwitchImage::decode(bad, &fabric).err(),
                _ => FabricImage::decode(FABRIC).unwrap().install_faults(bad).err(),
            };
            let error = error.expect("the image is bad");
            assert_eq!(check(kind, FABRIC, bad), Ok((kind, error.offset(), error.to_string())));
        }
        // What the fabric image is comes first.
        let (code, offset, _) = check(kind, &FABRIC[1..], image).expect("it is refused");
        assert_eq!((code, offset), (TVLB_FABRIC_IMAGE, 0));
    }
    assert_eq!(check(TVLB_BAD_ARGUMENT, FABRIC, SWITCH), Err(TVLB_BAD_ARGUMENT));
}

#[test]
fn null_and_memory_of_zeros_are_refused() {
    let (switch, zeros) = (booted(FABRIC, SWITCH, UGAL_L), tvlb_switch::zeroed());
    let (at, blank) = (&raw const switch, &raw const zeros);
    let (mut credits, mut rng) = ([0; 7], DefaultRng::seed_from_u64(1));
    let inputs = inputs_of(&mut credits, &mut rng);
    let with = &raw const inputs;
    let (mut description, mut port) = (tvlb_description::default(), tvlb_port::default());
    let (mut weighing, mut told) = (tvlb_weighing::default(), tvlb_explanation::default());
    let (to, to_port) = (&raw mut description, &raw mut port);
    let (to_weighing, to_told) = (&raw mut weighing, &raw mut told);
    let (fabric, len) = (FABRIC.as_ptr(), FABRIC.len());
    // SAFETY: each pointer is null, misaligned or of what lives.
    unsafe {
        for code in [
            tvlb_describe(null(), to),
            tvlb_describe(at, null_mut()),
            tvlb_describe(at, to.wrapping_byte_add(4)),
            tvlb_describe_port(null(), 1, to_port),
            tvlb_describe_port(at, 1, null_mut()),
            tvlb_weighing_of(null(), 1, to_weighing),
            tvlb_weighing_of(at, 1, null_mut()),
            tvlb_explain(null(), 40, UGAL_L, 1, with, to_told),
            tvlb_explain(at, 40, UGAL_L, 1, null(), to_told),
            tvlb_explain(at, 40, UGAL_L, 1, with, null_mut()),
            tvlb_explain(at, 40, 4, 1, with, to_told),
            tvlb_explain_again(at, 40, 1, null(), to_told),
            tvlb_explain_again(at, 40, 1, with, null_mut()),
            tvlb_check_image(TVLB_FABRIC_IMAGE, fabric, len, null(), 0, null_mut()),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
        for code in [
            tvlb_describe(blank, to),
            tvlb_describe_port(blank, 1, to_port),
            tvlb_weighing_of(blank, 1, to_weighing),
            tvlb_explain(blank, 40, UGAL_L, 1, with, to_told),
            tvlb_explain_again(blank, 40, 1, with, to_told),
        ] {
            assert_eq!(code, TVLB_NOT_BOOTED);
        }
        // It was booted for UGAL-L.
        assert_eq!(tvlb_explain(at, 40, PAR, 1, with, to_told), TVLB_WRONG_SCHEME);
        let open = 14 << 48 | 2 << 28 | 1 << 5 | 1;
        assert_eq!(tvlb_explain_again(at, open, 1, with, to_told), TVLB_WRONG_SCHEME);
        assert_eq!(tvlb_explain(at, 72, UGAL_L, 1, with, to_told), TVLB_NO_SUCH_NODE);
    }
    assert_eq!((description, port), (tvlb_description::default(), tvlb_port::default()));
    assert_eq!((weighing, told), (tvlb_weighing::default(), tvlb_explanation::default()));
}
