//! Any bytes as an escape image of a real fabric; where it is taken, a switch must answer any header, and along
//! the escape network every packet arrives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Header, Switch};
use tvlb_fuzz::{FABRIC, SWITCH, framed};
use tvlb_ofar::{Ask, EscapeImage, EscapeKind, Ofar, Outputs, PortSet};
use tvlb_schema::{ImageKind, NodeId, Port};

/// Outputs with as much room as the bits say.
struct Bits(u64);

impl Outputs for Bits {
    fn ready(&self) -> PortSet {
        PortSet::from_words([self.0 & 0x7f, 0, 0, 0])
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        (self.0 >> (port.0 * 3 + u16::from(virtual_channel)) % 60 & 3) as u16
    }

    fn capacity(&self, port: Port) -> u16 {
        (self.0 >> port.0 & 7) as u16
    }

    fn granted(&self) -> PortSet {
        PortSet::from_words([self.0 >> 7 & 0x7f, 0, 0, 0])
    }
}

fuzz_target!(|input: (&[u8], u64, u64)| {
    let (bytes, bits, outputs) = input;
    let switch = Switch::boot(FABRIC, SWITCH).expect("the golden images boot");
    let fabric = switch.image().fabric();
    assert!(EscapeImage::decode(bytes, fabric).is_err() || bytes.len() > 20);
    let image = framed(ImageKind::Escape, bytes);
    let Ok(escape) = EscapeImage::decode(&image, fabric) else { return };
    for place in 0..escape.len() {
        let (mut at, mut hops) = (escape.switch_at(place), 0);
        while escape.place(at) != 0 {
            let port = match escape.kind() {
                EscapeKind::Ring => escape.ring_ports(escape.place(at)).0,
                EscapeKind::Tree => escape.tree_port(escape.place(at), 0),
            };
            at = fabric.far_end(at, port).expect("it is a link").0;
            hops += 1;
            assert!(hops <= escape.len(), "place 0 is not reached");
        }
    }
    let ofar = Ofar::new(&switch, &escape).expect("the golden fabric is one for it");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
    let outputs = Bits(outputs);
    let _ = ofar.may_inject(&outputs);
    let mut headers = vec![Header::from_bits(bits), Header::from_bits(bits | 3)];
    headers.extend(ofar.launch(NodeId((bits % 80) as u32)).ok());
    for header in headers {
        if let Ok(Ask::Send { port, virtual_channel, header, .. }) =
            ofar.ask(header, &outputs, &mut rng)
        {
            assert!(switch.neighbour(port).is_some());
            assert!(virtual_channel <= ofar.escape_channel(port));
            // What it sends on, a switch takes, this one too.
            let _ = ofar.ask(header, &outputs, &mut rng).expect("its own header makes sense");
        }
    }
});
