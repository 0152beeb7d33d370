//! A million packets by the datapath itself and half a million questions of packets that decide at every hop,
//! as `tests/million.c` has them by its C interface; both print the same number.

use ::tvlb_ofar::{EscapeImage, Ofar, Outputs, PortSet};
use rand_core::{Rng, TryRng};
use tvlb_firmware_c::{TVLB_OK, asked_of, code_of, code_of_choice, code_of_ofar};
use tvlb_firmware_model::{Channels, Error, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::{NodeId, Port};

const FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const SOURCE: &[u8] = include_bytes!("../../bare-metal/images/switch-00003.tvlb");
const SECOND: &[u8] = include_bytes!("../../bare-metal/images/switch-00004.tvlb");

const SMALL_FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
const SMALL_SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");
const ESCAPES: [&[u8]; 2] = [
    include_bytes!("../../../schema/golden/v3/escape-ring.tvlb"),
    include_bytes!("../../../schema/golden/v3/escape-tree.tvlb"),
];

/// xorshift64 (Marsaglia, 2003), the high half.
struct Xorshift(u64);

impl TryRng for Xorshift {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Ok((self.0 >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let low = self.try_next_u32()?;
        Ok(u64::from(self.try_next_u32()?) << 32 | u64::from(low))
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        unreachable!("the datapath draws words only")
    }
}

struct Sum(u64);

impl Sum {
    fn add(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
    }

    fn add_code(&mut self, result: Result<(), &Error>) {
        self.add_code_of(result.map_or_else(code_of, |()| TVLB_OK));
    }

    fn add_code_of(&mut self, code: i32) {
        self.add(u64::from(code.unsigned_abs()));
    }

    fn add_step(&mut self, step: Result<(Step, u8), &Error>) {
        self.add_code(step.map(|_| ()));
        let (header, port, virtual_channel, deliver) = match step {
            Ok((Step::Deliver { port }, _)) => (0, port, 0, 1),
            Ok((Step::Send { port, virtual_channel, header }, _)) => {
                (header.bits(), port, virtual_channel, 0)
            }
            Err(_) => return,
        };
        let choice = step.map_or(0, |(_, choice)| choice);
        self.add(header);
        for number in [port.0, virtual_channel.into(), deliver, choice.into()] {
            self.add(number.into());
        }
    }
}

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
    sum.add_code(Ok(()));
    sum.add_code(Ok(()));
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
            sum.add_code_of(launched.as_ref().map_or_else(code_of_ofar, |_| TVLB_OK));
            bits = launched.map_or(bits, Header::bits);
        } else if word >> 11 & 1 == 1 {
            let came = if word >> 12 & 1 == 1 { 0x43 } else { 0x23 };
            bits = bits & 0x003f_01ff_c000_001c | came;
        }
        sum.add_code(Ok(()));
        sum.add(ofar.may_inject(&seen).into());
        let asked = ofar.ask(Header::from_bits(bits), &seen, &mut draws);
        sum.add_code_of(asked.as_ref().map_or_else(code_of_ofar, |_| TVLB_OK));
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
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    let boot = |image| {
        Switch::boot(FABRIC, image)
            .and_then(|switch| switch.with_channels(Scheme::Par, Channels { local: 5, global: 4 }))
            .expect("the images are good")
    };
    let (source, second) = (boot(SOURCE), boot(SECOND));
    sum.add_code(Ok(()));
    sum.add_code(Ok(()));
    let (mut inputs, mut draws) = (Xorshift(88_172_645_463_325_252), Xorshift(1));
    for _ in 0..1_000_000 {
        let word = inputs.next_u32();
        let node = NodeId((word & 0x1ff) * 9 / 16);
        let schemes = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];
        let scheme = schemes[(word >> 9 & 3) as usize];
        let paths = [VlbPaths::Conventional, VlbPaths::Custom][(word >> 11 & 1) as usize];
        let credits: [u32; 15] = core::array::from_fn(|_| inputs.next_u32() >> 27);
        let admission = source.admit(node, scheme, paths, credits.as_slice(), &mut draws);
        let admitted = admission.as_ref().map(|a| (a.step, code_of_choice(a.choice)));
        sum.add_step(admitted);
        let mut bits = u64::from(inputs.next_u32()) << 32;
        bits |= u64::from(inputs.next_u32());
        if let (Ok((step, _)), 1) = (admitted, word >> 12 & 1) {
            bits = match step {
                Step::Deliver { .. } => 0,
                Step::Send { header, .. } => header.bits(),
            };
        } else if word >> 13 & 1 == 1 {
            bits &= 0x003f_0301_f01f_07ff;
        }
        let header = Header::from_bits(bits);
        let looked = second.reconsider(header, paths, credits.as_slice(), &mut draws);
        sum.add_code(looked.as_ref().map(|_| ()));
        let header = looked.unwrap_or(header);
        sum.add(header.bits());
        sum.add_step(second.forward(header).as_ref().map(|&step| (step, 0)));
    }
    for escape in ESCAPES {
        ask_at_every_hop(escape, &mut sum);
    }
    println!("{:016x}", sum.0);
}
