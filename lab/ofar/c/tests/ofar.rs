//! Deciding at every hop in C: it answers what the datapath answers, and refuses what C can get wrong.

use ::tvlb_ofar::{
    EscapeImage, EscapeNetwork, Ofar, OfarRules, Outputs, PortSet, encode_escape_image,
};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use tvlb_firmware_c::{
    TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_NO_SUCH_NODE, TVLB_NOT_BOOTED, TVLB_OK,
    TVLB_TOO_FEW_CHANNELS, tvlb_boot, tvlb_image_error, tvlb_install_faults, tvlb_setup,
    tvlb_switch,
};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{DefaultRng, Header, Switch};
use tvlb_ofar_c::{
    TVLB_ESCAPE_IMAGE, TVLB_NOT_FOR_OFAR, TVLB_NOT_PER_HOP, TVLB_PER_HOP_FLAGS, asked_of, code_of,
    tvlb_ask, tvlb_asked, tvlb_boot_ofar, tvlb_check_escape_image, tvlb_launch, tvlb_may_inject,
    tvlb_ofar, tvlb_ofar_channels_needed, tvlb_ofar_checksum, tvlb_outputs,
};
use tvlb_schema::{FabricImage, NodeId, Port};

/// Of dfly(2, 4, 2, 9), with switch 5 and what is dead in another epoch.
const FABRIC: &[u8] = include_bytes!("../../../../schema/golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../../../../schema/golden/v3/switch-00005.tvlb");
const FAULTS: &[u8] = include_bytes!("../../../../schema/golden/v3/faults.tvlb");
const RING: &[u8] = include_bytes!("../../../../schema/golden/v3/escape-ring.tvlb");
const TREE: &[u8] = include_bytes!("../../../../schema/golden/v3/escape-tree.tvlb");
/// Of dfly(4, 8, 4, 9).
const OTHER_FABRIC: &[u8] =
    include_bytes!("../../../../firmware-model/bare-metal/images/fabric.tvlb");
const OTHER_SWITCH: &[u8] =
    include_bytes!("../../../../firmware-model/bare-metal/images/switch-00003.tvlb");

const PORTS: usize = 7;
const CHANNELS: usize = 4;
const WAIT: u8 = 0;
const DELIVER: u8 = 1;
const SEND: u8 = 2;

fn booted(fabric: &[u8], image: &[u8]) -> tvlb_switch {
    let mut switch = tvlb_switch::zeroed();
    // SAFETY: the images are constants, and the switch lives.
    let code = unsafe {
        let (at, len) = (image.as_ptr(), image.len());
        tvlb_boot(
            &raw mut switch,
            &tvlb_setup::of((fabric.as_ptr(), fabric.len()), (at, len), (0, 0), (4, 3)),
        )
    };
    assert_eq!(code, TVLB_OK);
    switch
}

fn try_boot_ofar(switch: &tvlb_switch, image: &[u8], channels: (u8, u8)) -> Result<tvlb_ofar, i32> {
    let mut ofar = tvlb_ofar::zeroed();
    // SAFETY: the images are used no longer than they live.
    let code = unsafe {
        let (at, len) = (image.as_ptr(), image.len());
        tvlb_boot_ofar(&raw mut ofar, switch, at, len, channels.0, channels.1)
    };
    if code == TVLB_OK { Ok(ofar) } else { Err(code) }
}

/// What a switch sees, in C's form and in Rust's.
struct View {
    ready: [u32; 1],
    granted: [u32; 1],
    room: [u16; PORTS * CHANNELS],
    capacity: [u16; PORTS],
}

impl View {
    /// Outputs with little room on some ports, and with none on others.
    fn draw(rng: &mut DefaultRng) -> Self {
        let bits = rng.next_u32();
        let fullness = bits >> 8 & 3;
        let mut room = [0; PORTS * CHANNELS];
        for room in &mut room {
            let word = rng.next_u32();
            *room = if word & 3 < fullness { 0 } else { (word >> 29) as u16 & 3 };
        }
        Self {
            ready: [rng.next_u32() & 0x7c & bits],
            granted: [rng.next_u32() & 0x7c],
            room,
            capacity: std::array::from_fn(|_| (rng.next_u32() >> 30) as u16 + 2),
        }
    }

    fn outputs(&mut self, random: &mut DefaultRng) -> tvlb_outputs {
        tvlb_outputs {
            ready: self.ready.as_mut_ptr(),
            granted: self.granted.as_mut_ptr(),
            words: 1,
            room: self.room.as_mut_ptr(),
            capacity: self.capacity.as_mut_ptr(),
            ports: PORTS,
            channels: CHANNELS,
            random: Some(next_word),
            context: (&raw mut *random).cast(),
        }
    }
}

impl Outputs for View {
    fn ready(&self) -> PortSet {
        PortSet::from_words([self.ready[0].into(), 0, 0, 0])
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        self.room[port.as_usize() * CHANNELS + usize::from(virtual_channel)]
    }

    fn capacity(&self, port: Port) -> u16 {
        self.capacity[port.as_usize()]
    }

    fn granted(&self) -> PortSet {
        PortSet::from_words([self.granted[0].into(), 0, 0, 0])
    }
}

unsafe extern "C" fn next_word(context: *mut c_void) -> u32 {
    // SAFETY: the context is the generator that the outputs were made with, which nothing else uses meanwhile.
    unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
}

fn ask(ofar: &tvlb_ofar, header: u64, outputs: &tvlb_outputs) -> Result<tvlb_asked, i32> {
    let untouched = tvlb_asked { header: 7, port: 7, room: 7, what: 7, virtual_channel: 7 };
    let mut asked = untouched;
    // SAFETY: all pointers are of what lives.
    let code = unsafe { tvlb_ask(ofar, header, outputs, &raw mut asked) };
    assert!(code == TVLB_OK || asked == untouched);
    if code == TVLB_OK { Ok(asked) } else { Err(code) }
}

fn launch(ofar: &tvlb_ofar, node: u32) -> Result<u64, i32> {
    let mut header = 77;
    // SAFETY: all pointers are of what lives.
    let code = unsafe { tvlb_launch(ofar, node, &raw mut header) };
    assert!(code == TVLB_OK || header == 77);
    if code == TVLB_OK { Ok(header) } else { Err(code) }
}

/// The network of an image under other rules.
fn with_rules(image: &[u8], rules: OfarRules) -> Vec<u8> {
    let fabric = FabricImage::decode(FABRIC).expect("the golden image decodes");
    let network =
        EscapeNetwork::of(&EscapeImage::decode(image, &fabric).expect("the golden image decodes"));
    encode_escape_image(&fabric, &network, &rules).expect("the rules are in range")
}

/// Headers of packets that have gone some way, which some switch may have written.
fn draw_header(rng: &mut DefaultRng) -> u64 {
    let bits = rng.next_u64();
    let came = bits >> 8 & 1;
    bits & 0x003f_01ff_c000_001c | (came + 1) << 5 | 3
}

#[test]
fn c_asks_for_what_rust_asks_for() {
    let rounds = if cfg!(miri) { 30 } else { 20_000 };
    let strict = OfarRules {
        strict: true,
        by_set: true,
        by_length: true,
        throttle_percent: 40,
        ..OfarRules::default()
    };
    let images = [RING.to_vec(), TREE.to_vec(), with_rules(RING, strict), with_rules(TREE, strict)];
    let (mut answers, mut refusals, mut escapes) = ([0; 3], 0, 0);
    let mut closed = 0;
    for image in &images {
        let in_c =
            try_boot_ofar(&booted(FABRIC, SWITCH), image, (4, 3)).expect("the image is good");
        let switch = Switch::boot(FABRIC, SWITCH).expect("the images are good");
        let escape = EscapeImage::decode(image, switch.image().fabric()).expect("it is good");
        let in_rust = Ofar::new(&switch, &escape).expect("the fabric is one for it");
        let mut inputs = DefaultRng::seed_from_u64(1);
        let (mut of_c, mut of_rust) = (DefaultRng::seed_from_u64(2), DefaultRng::seed_from_u64(2));
        for _ in 0..rounds {
            let mut view = View::draw(&mut inputs);
            let outputs = view.outputs(&mut of_c);
            let node = inputs.next_u32() % 76;
            let at_source = launch(&in_c, node);
            let expected = in_rust.launch(NodeId(node));
            assert_eq!(at_source, expected.map(Header::bits).map_err(|error| code_of(&error)));
            let mut header = match inputs.next_u32() & 3 {
                0 => at_source.unwrap_or(3),
                1 => inputs.next_u64(),
                _ => draw_header(&mut inputs),
            };
            let mut may = 7;
            // SAFETY: all pointers are of what lives.
            let code =
                unsafe { tvlb_may_inject(&raw const in_c, &raw const outputs, &raw mut may) };
            assert_eq!((code, may), (TVLB_OK, u8::from(in_rust.may_inject(&view))));
            closed += u32::from(may == 0);
            // And what is sent is asked again, as by a switch of the same place.
            for _ in 0..2 {
                let asked = ask(&in_c, header, &outputs);
                let expected = in_rust.ask(Header::from_bits(header), &view, &mut of_rust);
                assert_eq!(asked, expected.map(asked_of).map_err(|error| code_of(&error)));
                let Ok(asked) = asked else {
                    refusals += 1;
                    break;
                };
                answers[usize::from(asked.what)] += 1;
                escapes += u32::from(asked.header >> 34 & 1 == 1);
                if asked.what == SEND {
                    header = asked.header;
                }
            }
        }
        assert_eq!(of_c, of_rust, "both drew the same random words");
    }
    // Under Miri there are too few rounds for all that can happen.
    let [waits, deliveries, sends] = answers;
    assert!(sends > 0);
    if !cfg!(miri) {
        assert!(waits > 0 && deliveries > 0 && refusals > 0, "{answers:?} {refusals}");
        assert!(escapes > 0 && closed > 0, "{escapes} {closed}");
    }
}

#[test]
fn an_image_that_is_damaged_or_of_another_fabric_is_refused() {
    let switch = booted(FABRIC, SWITCH);
    let mut ofar = try_boot_ofar(&switch, RING, (4, 3)).expect("the image is good");
    let before = launch(&ofar, 70);
    let mut boot = |switch: &tvlb_switch, image: &[u8]| {
        // SAFETY: the images are used no longer than they live.
        unsafe { tvlb_boot_ofar(&raw mut ofar, switch, image.as_ptr(), image.len(), 4, 3) }
    };
    let step = if cfg!(miri) { 31 } else { 1 };
    for length in (0..RING.len()).step_by(step) {
        assert_eq!(boot(&switch, &RING[..length]), TVLB_ESCAPE_IMAGE);
        let mut damaged = RING.to_vec();
        damaged[length] ^= 1;
        assert_eq!(boot(&switch, &damaged), TVLB_ESCAPE_IMAGE);
    }
    assert_eq!(boot(&switch, SWITCH), TVLB_ESCAPE_IMAGE);
    assert_eq!(boot(&booted(OTHER_FABRIC, OTHER_SWITCH), RING), TVLB_ESCAPE_IMAGE);
    assert_eq!(boot(&tvlb_switch::zeroed(), RING), TVLB_NOT_BOOTED);
    // And what was booted goes on.
    assert_eq!(launch(&ofar, 70), before);
}

#[test]
fn a_switch_where_something_is_dead_is_refused() {
    let mut switch = booted(FABRIC, SWITCH);
    let before = try_boot_ofar(&switch, TREE, (4, 3)).expect("all lives");
    // SAFETY: the image is a constant.
    let code = unsafe { tvlb_install_faults(&raw mut switch, FAULTS.as_ptr(), FAULTS.len()) };
    assert_eq!(code, TVLB_OK);
    assert_eq!(try_boot_ofar(&switch, TREE, (4, 3)).err(), Some(TVLB_NOT_FOR_OFAR));
    // It has what it needs of the switch as it was.
    let mut view = View { ready: [0x7c], granted: [0], room: [3; 28], capacity: [3; PORTS] };
    let mut rng = DefaultRng::seed_from_u64(1);
    let asked =
        ask(&before, launch(&before, 70).expect("the node is there"), &view.outputs(&mut rng));
    assert_eq!(asked.map(|asked| asked.what), Ok(SEND));
}

#[test]
fn channels_needed_are_what_booting_asks_for() {
    let switch = booted(FABRIC, SWITCH);
    let (mut local, mut global) = (77, 77);
    let mut needed = |image: &[u8]| {
        let (at, len) = (image.as_ptr(), image.len());
        // SAFETY: all pointers are of what lives.
        let code = unsafe {
            tvlb_ofar_channels_needed(&raw const switch, at, len, &raw mut local, &raw mut global)
        };
        (code, local, global)
    };
    assert_eq!(needed(&RING[1..]), (TVLB_ESCAPE_IMAGE, 77, 77));
    assert_eq!(needed(RING), (TVLB_OK, 4, 3));
    let rules = OfarRules { local_channels: 2, global_channels: 1, ..OfarRules::default() };
    let image = with_rules(TREE, rules);
    assert_eq!(needed(&image), (TVLB_OK, 3, 2));
    for fewer in [(2, 2), (3, 1)] {
        assert_eq!(try_boot_ofar(&switch, &image, fewer).err(), Some(TVLB_TOO_FEW_CHANNELS));
    }
    assert!(try_boot_ofar(&switch, &image, (3, 2)).is_ok());
}

#[test]
fn headers_that_no_switch_writes_have_codes_of_their_own() {
    let ofar = try_boot_ofar(&booted(FABRIC, SWITCH), RING, (4, 3)).expect("the image is good");
    let mut view = View { ready: [0x7c], granted: [0], room: [3; 28], capacity: [3; PORTS] };
    let mut rng = DefaultRng::seed_from_u64(1);
    let outputs = view.outputs(&mut rng);
    // Switch 5 has nodes 10 and 11.
    let own = launch(&ofar, 11).expect("the node is there");
    let asked = ask(&ofar, own, &outputs).expect("the header is good");
    assert_eq!((asked.what, asked.port), (DELIVER, 1));
    assert_eq!(launch(&ofar, 72), Err(TVLB_NO_SUCH_NODE));
    assert_eq!(ask(&ofar, own & !1, &outputs), Err(TVLB_NOT_PER_HOP));
    assert_eq!(ask(&ofar, own | 1 << 20, &outputs), Err(TVLB_PER_HOP_FLAGS));
}

#[test]
fn arrays_that_are_too_short_count_as_full_ports() {
    let ofar = try_boot_ofar(&booted(FABRIC, SWITCH), RING, (4, 3)).expect("the image is good");
    let mut view = View { ready: [0x7c], granted: [0], room: [3; 28], capacity: [3; PORTS] };
    let mut rng = DefaultRng::seed_from_u64(1);
    let whole = view.outputs(&mut rng);
    let header = launch(&ofar, 70).expect("the node is there");
    assert_eq!(ask(&ofar, header, &whole).map(|asked| asked.what), Ok(SEND));
    let nothing = tvlb_outputs {
        ready: null(),
        granted: null(),
        words: 0,
        room: null(),
        capacity: null(),
        ports: 0,
        channels: 0,
        ..whole
    };
    assert_eq!(ask(&ofar, header, &nothing).map(|asked| asked.what), Ok(WAIT));
    // Three ports, all to switches of the group or to nodes.
    let few = tvlb_outputs { ports: 3, words: 0, ready: null(), ..whole };
    assert_eq!(ask(&ofar, header, &few).map(|asked| asked.what), Ok(WAIT));
    // More words than there can be ports.
    let mut words = [u32::MAX; 9];
    let more = tvlb_outputs { ready: words.as_mut_ptr(), granted: null(), words: 9, ..whole };
    assert_eq!(ask(&ofar, header, &more).map(|asked| asked.what), Ok(SEND));
}

#[test]
fn null_and_misaligned_pointers_and_zeros_are_refused() {
    let switch = booted(FABRIC, SWITCH);
    let ofar = try_boot_ofar(&switch, RING, (4, 3)).expect("the image is good");
    let zeros = tvlb_ofar::zeroed();
    let mut view = View { ready: [0x7c], granted: [0x7c], room: [3; 28], capacity: [3; PORTS] };
    let mut rng = DefaultRng::seed_from_u64(1);
    let good = view.outputs(&mut rng);
    let header = launch(&ofar, 70).expect("the node is there");
    let crooked = |pointer: *const u16| pointer.wrapping_byte_add(1);
    for bad in [
        tvlb_outputs { ready: null(), ..good },
        tvlb_outputs { ready: good.ready.wrapping_byte_add(2), ..good },
        tvlb_outputs { granted: good.granted.wrapping_byte_add(1), ..good },
        tvlb_outputs { words: usize::MAX, ..good },
        tvlb_outputs { room: null(), ..good },
        tvlb_outputs { room: crooked(good.room), ..good },
        tvlb_outputs { capacity: null(), ..good },
        tvlb_outputs { capacity: crooked(good.capacity), ..good },
        tvlb_outputs { ports: usize::MAX, ..good },
        tvlb_outputs { channels: usize::MAX / 2, ..good },
        tvlb_outputs { random: None, ..good },
    ] {
        assert_eq!(ask(&ofar, header, &bad), Err(TVLB_BAD_ARGUMENT));
        let mut may = 7;
        // SAFETY: as for `ask`.
        let code = unsafe { tvlb_may_inject(&raw const ofar, &raw const bad, &raw mut may) };
        // It draws nothing.
        let expected = if bad.random.is_none() { (TVLB_OK, 1) } else { (TVLB_BAD_ARGUMENT, 7) };
        assert_eq!((code, may), expected);
    }
    let (at, outputs) = (&raw const ofar, &raw const good);
    let (mut asked, mut word, mut sum, mut byte) = (tvlb_asked::default(), 7_u64, 7_u32, 7_u8);
    let (to, to_word, to_sum, to_byte) =
        (&raw mut asked, &raw mut word, &raw mut sum, &raw mut byte);
    // SAFETY: each pointer is null, misaligned or of what lives.
    unsafe {
        for code in [
            tvlb_ask(null(), header, outputs, to),
            tvlb_ask(at.wrapping_byte_add(4), header, outputs, to),
            tvlb_ask(at, header, null(), to),
            tvlb_ask(at, header, outputs.wrapping_byte_add(1), to),
            tvlb_ask(at, header, outputs, null_mut()),
            tvlb_ask(at, header, outputs, to.wrapping_byte_add(1)),
            tvlb_launch(null(), 70, to_word),
            tvlb_launch(at, 70, null_mut()),
            tvlb_launch(at, 70, to_word.wrapping_byte_add(4)),
            tvlb_may_inject(null(), outputs, to_byte),
            tvlb_may_inject(at, null(), to_byte),
            tvlb_may_inject(at, outputs, null_mut()),
            tvlb_ofar_checksum(null(), to_sum),
            tvlb_ofar_checksum(at, null_mut()),
            tvlb_boot_ofar(null_mut(), &raw const switch, RING.as_ptr(), RING.len(), 4, 3),
            tvlb_boot_ofar((&raw mut word).cast(), null(), RING.as_ptr(), RING.len(), 4, 3),
            tvlb_ofar_channels_needed(null(), RING.as_ptr(), RING.len(), to_byte, to_byte),
            tvlb_ofar_channels_needed(&raw const switch, null(), 5, to_byte, to_byte),
            tvlb_ofar_channels_needed(&raw const switch, RING.as_ptr(), 5, null_mut(), to_byte),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
        for code in [
            tvlb_ask(&raw const zeros, header, outputs, to),
            tvlb_launch(&raw const zeros, 70, to_word),
            tvlb_may_inject(&raw const zeros, outputs, to_byte),
            tvlb_ofar_checksum(&raw const zeros, to_sum),
        ] {
            assert_eq!(code, TVLB_NOT_BOOTED);
        }
        assert_eq!((asked, word, sum, byte), (tvlb_asked::default(), 7, 7, 7));
        assert_eq!(tvlb_ofar_checksum(at, to_sum), TVLB_OK);
    }
    let end = RING.last_chunk().expect("it ends in a checksum");
    assert_eq!(sum, u32::from_le_bytes(*end));
}

/// What `random` may change while a call runs.
struct Packet {
    asked: tvlb_asked,
    outputs: tvlb_outputs,
    room: [u16; PORTS * CHANNELS],
    words: Cell<u32>,
}

#[test]
fn random_may_touch_the_answer_and_the_outputs() {
    unsafe extern "C" fn random(context: *mut c_void) -> u32 {
        // SAFETY: the context lives, and nobody else refers to it while this function runs.
        let packet = unsafe { &mut *context.cast::<Packet>() };
        packet.asked.port = 77;
        packet.outputs.ports ^= 1;
        packet.room[8] ^= 1;
        packet.words.set(packet.words.get() + 1);
        packet.words.get() << 30
    }
    let ofar = try_boot_ofar(&booted(FABRIC, SWITCH), RING, (4, 3)).expect("the image is good");
    let mut view = View { ready: [0x60], granted: [0], room: [3; 28], capacity: [4; PORTS] };
    let mut rng = DefaultRng::seed_from_u64(1);
    let outputs = tvlb_outputs { random: Some(random), ..view.outputs(&mut rng) };
    let mut room = [3; PORTS * CHANNELS];
    // The minimal output is full, and both own links to other groups are free.
    room[8..12].fill(0);
    let mut packet = Packet { asked: tvlb_asked::default(), outputs, room, words: Cell::new(0) };
    let header = launch(&ofar, 6).expect("the node is there");
    let at = &raw mut packet;
    // SAFETY: all pointers are of what lives; those into the packet by the same pointer as the context.
    let code = unsafe {
        (*at).outputs.context = at.cast();
        (*at).outputs.room = (&raw mut (*at).room).cast();
        tvlb_ask(&raw const ofar, header, &raw const (*at).outputs, &raw mut (*at).asked)
    };
    assert_eq!((code, packet.asked.what), (TVLB_OK, SEND));
    assert!(packet.asked.port == 5 || packet.asked.port == 6);
    assert!(packet.words.get() > 0, "a random word was drawn");
}

#[test]
fn a_booted_one_may_be_moved_and_does_without_its_switch() {
    let mut switch = booted(FABRIC, SWITCH);
    let ofar = try_boot_ofar(&switch, TREE, (4, 3)).expect("the image is good");
    switch = tvlb_switch::zeroed();
    let mut moved = Box::new(ofar);
    let before = launch(&moved, 70);
    assert!(before.is_ok());
    let there = std::mem::replace(&mut *moved, tvlb_ofar::zeroed());
    assert_eq!(launch(&moved, 70), Err(TVLB_NOT_BOOTED));
    assert_eq!(launch(&there, 70), before);
    assert_eq!(try_boot_ofar(&switch, TREE, (4, 3)).err(), Some(TVLB_NOT_BOOTED));
}

/// What is said first of a call with several faults is that a pointer is wrong: before an image is read, and
/// before the memory is asked whether a switch was booted into it.
#[test]
fn pointers_are_checked_before_what_they_lead_to() {
    let (zeros, switch) = (tvlb_switch::zeroed(), booted(FABRIC, SWITCH));
    let (mut ofar, mut bytes) = (tvlb_ofar::zeroed(), [0_u8; 64]);
    let (at, image) = (&raw const zeros, bytes.as_mut_ptr());
    // SAFETY: each pointer is null, or of what lives.
    unsafe {
        for code in [
            tvlb_boot_ofar(null_mut(), at, image, 64, 7, 7),
            tvlb_boot_ofar(&raw mut ofar, at, null(), 0, 7, 7),
            tvlb_boot_ofar(&raw mut ofar, &raw const switch, null(), 0, 7, 7),
            tvlb_ofar_channels_needed(at, null(), 0, image, image),
            tvlb_ofar_channels_needed(at, image, 64, image, null_mut()),
            tvlb_ofar_checksum(&raw const ofar, null_mut()),
            tvlb_launch(&raw const ofar, 0, null_mut()),
            tvlb_ask(&raw const ofar, 0, null(), null_mut()),
            tvlb_may_inject(&raw const ofar, null(), image),
            tvlb_check_escape_image(image, 64, image, 64, null_mut()),
        ] {
            assert_eq!(code, TVLB_BAD_ARGUMENT);
        }
    }
}

#[test]
fn what_is_wrong_with_an_escape_image_is_said_in_words() {
    let check = |fabric: &[u8], image: &[u8]| {
        let mut error = tvlb_image_error { code: 77, offset: 0, text: [0; 256] };
        let (fabric, fabric_len) = (fabric.as_ptr(), fabric.len());
        // SAFETY: all pointers are of things that live.
        let code = unsafe {
            let (at, len) = (image.as_ptr(), image.len());
            tvlb_check_escape_image(fabric, fabric_len, at, len, &raw mut error)
        };
        assert_eq!(code, TVLB_OK);
        let end = error.text.iter().position(|&byte| byte == 0).expect("it ends in a zero");
        let text = String::from_utf8(error.text[..end].to_vec()).expect("it is a text");
        (error.code, error.offset, text)
    };
    let fabric = FabricImage::decode(FABRIC).expect("the golden image decodes");
    assert_eq!(check(FABRIC, RING), (TVLB_OK, 0, String::new()));
    let mut damaged = RING.to_vec();
    damaged[RING.len() / 2] ^= 4;
    for bad in [&RING[..30], &damaged, &[], FABRIC] {
        let error = EscapeImage::decode(bad, &fabric).expect_err("the image is bad");
        assert_eq!(check(FABRIC, bad), (TVLB_ESCAPE_IMAGE, error.offset(), error.to_string()));
    }
    // What the fabric image is comes first.
    assert_eq!(check(&FABRIC[1..], RING).0, TVLB_FABRIC_IMAGE);
}
