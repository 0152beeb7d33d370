//! Half a million questions of packets that decide at every hop, asked of the crate itself, as `tests/questions.c` asks
//! them through its C interface; both print the same number.

#[path = "../../../../firmware-model/c/examples/sum/mod.rs"]
mod sum;

use rand_core::Rng;
use sum::{Sum, Xorshift};
use tvlb_firmware_c::TVLB_OK;
use tvlb_firmware_model::{Header, Switch};
use tvlb_ofar::{EscapeImage, Ofar, Outputs, PortSet};
use tvlb_ofar_c::{asked_of, code_of};
use tvlb_schema::{NodeId, Port};

const SMALL_FABRIC: &[u8] = include_bytes!("../../../../schema/golden/v3/fabric.tvlb");
const SMALL_SWITCH: &[u8] = include_bytes!("../../../../schema/golden/v3/switch-00005.tvlb");
const ESCAPES: [&[u8]; 2] = [
    include_bytes!("../../../../schema/golden/v3/escape-ring.tvlb"),
    include_bytes!("../../../../schema/golden/v3/escape-tree.tvlb"),
];

/// What a switch of seven ports sees.
struct Seen {
    ready: u32,
    granted: u32,
    room: [u16; 28],
    capacity: [u16; 7],
}

impl Outputs for Seen {
    fn ready(&self) -> PortSet {
        PortSet::from_words([self.ready.into(), 0, 0, 0])
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        self.room[port.as_usize() * 4 + usize::from(virtual_channel)]
    }

    fn capacity(&self, port: Port) -> u16 {
        self.capacity[port.as_usize()]
    }

    fn granted(&self) -> PortSet {
        PortSet::from_words([self.granted.into(), 0, 0, 0])
    }
}

fn ask_at_every_hop(escape: &[u8], sum: &mut Sum) {
    let switch = Switch::boot(SMALL_FABRIC, SMALL_SWITCH).expect("the images are good");
    let escape = EscapeImage::decode(escape, switch.image().fabric()).expect("the image is good");
    let ofar = Ofar::new(&switch, &escape).expect("the fabric is one for it");
    sum.add_code_of(TVLB_OK);
    sum.add_code_of(TVLB_OK);
    let (mut inputs, mut draws) = (Xorshift(88_172_645_463_325_252), Xorshift(1));
    for _ in 0..250_000 {
        let word = inputs.next_u32();
        let ready = inputs.next_u32() & 0x7c & word;
        let granted = inputs.next_u32() & 0x7c;
        let room = core::array::from_fn(|_| {
            let bits = inputs.next_u32();
            if bits & 3 < word >> 8 & 3 { 0 } else { (bits >> 30) as u16 }
        });
        let capacity = core::array::from_fn(|_| 2 + (inputs.next_u32() >> 30) as u16);
        let seen = Seen { ready, granted, room, capacity };
        let mut bits = u64::from(inputs.next_u32()) << 32;
        bits |= u64::from(inputs.next_u32());
        if word >> 10 & 1 == 1 {
            let launched = ofar.launch(NodeId(word >> 11 & 0x4f));
            sum.add_code_of(launched.as_ref().map_or_else(code_of, |_| TVLB_OK));
            bits = launched.map_or(bits, Header::bits);
        } else if word >> 11 & 1 == 1 {
            let came = if word >> 12 & 1 == 1 { 0x43 } else { 0x23 };
            bits = bits & 0x003f_01ff_c000_001c | came;
        }
        sum.add_code_of(TVLB_OK);
        sum.add(ofar.may_inject(&seen).into());
        let asked = ofar.ask(Header::from_bits(bits), &seen, &mut draws);
        sum.add_code_of(asked.as_ref().map_or_else(code_of, |_| TVLB_OK));
        if let Ok(asked) = asked.map(asked_of) {
            sum.add(asked.header);
            let numbers = [asked.port, asked.room, asked.what.into(), asked.virtual_channel.into()];
            for number in numbers {
                sum.add(number.into());
            }
        }
    }
}

fn main() {
    let mut sum = Sum::new();
    for escape in ESCAPES {
        ask_at_every_hop(escape, &mut sum);
    }
    println!("{:016x}", sum.0);
}
