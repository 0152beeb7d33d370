//! Any calls of the C interface for packets that decide at every hop: escape images, headers, and the sizes and
//! contents of arrays are arbitrary, pointers are null or good. What C answers, the datapath answers too.
#![no_main]

use ::tvlb_ofar::{EscapeImage, Ofar, Outputs, PortSet};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use tvlb_firmware_c::{TVLB_OK, tvlb_boot, tvlb_setup, tvlb_switch};
use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{DefaultRng, Header, Switch};
use tvlb_fuzz::{FABRIC, SWITCH, framed};
use tvlb_ofar_c::{
    asked_of, code_of, tvlb_ask, tvlb_asked, tvlb_boot_ofar, tvlb_launch, tvlb_may_inject,
    tvlb_ofar, tvlb_ofar_channels_needed, tvlb_ofar_checksum, tvlb_outputs,
};
use tvlb_schema::{ImageKind, NodeId, Port};

const RING: &[u8] = include_bytes!("../../../schema/golden/v3/escape-ring.tvlb");
const TREE: &[u8] = include_bytes!("../../../schema/golden/v3/escape-tree.tvlb");

#[derive(Arbitrary, Debug)]
struct Input {
    image: Image,
    channels: (u8, u8),
    view: View,
    seed: u64,
    calls: Vec<Call>,
}

#[derive(Arbitrary, Debug)]
enum Image {
    Ring,
    Tree,
    Bytes(Vec<u8>),
    Payload(Vec<u8>),
}

/// Arrays as they come: the shorter of two that go together decides.
#[derive(Arbitrary, Debug)]
struct View {
    ready: Vec<u32>,
    granted: Option<Vec<u32>>,
    room: Vec<u16>,
    capacity: Vec<u16>,
    channels: u8,
}

impl View {
    fn words(&self) -> usize {
        self.granted
            .as_ref()
            .map_or(self.ready.len(), |granted| granted.len().min(self.ready.len()))
    }

    fn ports(&self) -> usize {
        let channels = usize::from(self.channels);
        let of_room = if channels == 0 { usize::MAX } else { self.room.len() / channels };
        of_room.min(self.capacity.len())
    }

    fn set(&self, words: &[u32]) -> PortSet {
        let mut set = [0; 4];
        for (number, &word) in words.iter().take(self.words().min(8)).enumerate() {
            set[number / 2] |= u64::from(word) << (32 * (number % 2));
        }
        PortSet::from_words(set)
    }
}

impl Outputs for View {
    fn ready(&self) -> PortSet {
        self.set(&self.ready)
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        if port.as_usize() >= self.ports() || virtual_channel >= self.channels {
            return 0;
        }
        self.room[port.as_usize() * usize::from(self.channels) + usize::from(virtual_channel)]
    }

    fn capacity(&self, port: Port) -> u16 {
        if port.as_usize() < self.ports() { self.capacity[port.as_usize()] } else { 0 }
    }

    fn granted(&self) -> PortSet {
        self.granted.as_ref().map_or(PortSet::EMPTY, |granted| self.set(granted))
    }
}

#[derive(Arbitrary, Debug)]
enum Call {
    Launch(u32),
    /// With the bits of a header, or with that of the last packet.
    Ask(Option<u64>),
    AskIntoNull,
}

unsafe extern "C" fn random(context: *mut c_void) -> u32 {
    // SAFETY: the context is the generator below, which lives for as long as the calls.
    unsafe { &mut *context.cast::<DefaultRng>() }.next_u32()
}

fuzz_target!(|input: Input| {
    let Input { image, channels: (local, global), view, seed, calls } = input;
    let image = match image {
        Image::Ring => RING.to_vec(),
        Image::Tree => TREE.to_vec(),
        Image::Bytes(bytes) => bytes,
        Image::Payload(payload) => framed(ImageKind::Escape, &payload),
    };
    let (mut switch, mut ofar) = (tvlb_switch::zeroed(), tvlb_ofar::zeroed());
    let (mut of_c, mut of_rust) =
        (DefaultRng::seed_from_u64(seed), DefaultRng::seed_from_u64(seed));
    let outputs = tvlb_outputs {
        ready: view.ready.as_ptr(),
        granted: view.granted.as_ref().map_or(null(), Vec::as_ptr),
        words: view.words(),
        room: view.room.as_ptr(),
        capacity: view.capacity.as_ptr(),
        ports: view.ports(),
        channels: view.channels.into(),
        random: Some(random),
        context: (&raw mut of_c).cast(),
    };
    let (at, len) = (image.as_ptr(), image.len());
    let (mut needed_local, mut needed_global) = (0, 0);
    // SAFETY: pointers are of what lives until the end.
    let booted = unsafe {
        let code = tvlb_boot(
            &mut switch,
            &tvlb_setup::of(
                (FABRIC.as_ptr(), FABRIC.len()),
                (SWITCH.as_ptr(), SWITCH.len()),
                (0, 0),
                (4, 3),
            ),
        );
        assert_eq!(code, TVLB_OK);
        let known =
            tvlb_ofar_channels_needed(&switch, at, len, &mut needed_local, &mut needed_global);
        let booted = tvlb_boot_ofar(&mut ofar, &switch, at, len, local, global) == TVLB_OK;
        let enough = local >= needed_local && global >= needed_global;
        assert_eq!(booted, known == TVLB_OK && enough);
        booted
    };
    let (mut header, mut may, mut checksum) = (0, 2, 0);
    if !booted {
        // SAFETY: as above.
        unsafe {
            assert_ne!(tvlb_launch(&ofar, 1, &mut header), TVLB_OK);
            assert_ne!(tvlb_may_inject(&ofar, &outputs, &mut may), TVLB_OK);
        }
        return;
    }
    let rust_switch = Switch::boot(FABRIC, SWITCH).expect("the golden images boot");
    let escape = EscapeImage::decode(&image, rust_switch.image().fabric()).expect("C has taken it");
    let rust_ofar = Ofar::new(&rust_switch, &escape).expect("C has taken it");
    // SAFETY: as above.
    unsafe {
        assert_eq!(tvlb_ofar_checksum(&ofar, &mut checksum), TVLB_OK);
        assert_eq!(tvlb_may_inject(&ofar, &outputs, &mut may), TVLB_OK);
    }
    assert_eq!((checksum, may), (escape.checksum(), u8::from(rust_ofar.may_inject(&view))));
    for call in calls {
        match call {
            Call::Launch(node) => {
                // SAFETY: as above.
                let code = unsafe { tvlb_launch(&ofar, node, &mut header) };
                let expected = rust_ofar.launch(NodeId(node));
                assert_eq!(code, expected.as_ref().map_or_else(code_of, |_| TVLB_OK));
                assert!(expected.is_err() || Ok(Header::from_bits(header)) == expected);
            }
            Call::Ask(bits) => {
                let bits = bits.unwrap_or(header);
                let mut asked = tvlb_asked::default();
                // SAFETY: as above.
                let code = unsafe { tvlb_ask(&ofar, bits, &outputs, &mut asked) };
                let expected = rust_ofar.ask(Header::from_bits(bits), &view, &mut of_rust);
                assert_eq!(code, expected.as_ref().map_or_else(code_of, |_| TVLB_OK));
                if let Ok(expected) = expected {
                    assert_eq!(asked, asked_of(expected));
                    header = asked.header;
                }
            }
            Call::AskIntoNull => {
                // SAFETY: null is refused.
                let code = unsafe { tvlb_ask(&ofar, header, &outputs, null_mut()) };
                assert_ne!(code, TVLB_OK);
            }
        }
    }
});
