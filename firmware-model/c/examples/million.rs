//! A million packets through the datapath itself, as `tests/million.c` sends them through its C interface; both print
//! the same number.

mod sum;

use rand_core::Rng;
use sum::{Sum, Xorshift};
use tvlb_firmware_c::TVLB_OK;
use tvlb_firmware_model::{ByChannel, Channels, Error, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::NodeId;

const FABRIC: &[u8] = include_bytes!("../../bare-metal/images/fabric.tvlb");
const SOURCE: &[u8] = include_bytes!("../../bare-metal/images/switch-00003.tvlb");
const SECOND: &[u8] = include_bytes!("../../bare-metal/images/switch-00004.tvlb");
const ONWARD: &[u8] = include_bytes!("../../bare-metal/images/switch-00004-onward.tvlb");

impl Sum {
    fn add_code(&mut self, result: Result<(), &Error>) {
        self.add_code_of(result.map_or_else(Error::code, |()| TVLB_OK));
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

fn main() {
    let mut sum = Sum::new();
    let boot = |image| {
        Switch::boot(FABRIC, image)
            .and_then(|switch| switch.with_channels(Scheme::Par, Channels { local: 5, global: 4 }))
            .expect("the images are good")
    };
    let (source, second, onward) = (boot(SOURCE), boot(SECOND), boot(ONWARD));
    sum.add_code(Ok(()));
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
        let admitted = admission.as_ref().map(|a| (a.step, a.choice.code()));
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
        let bits = header.bits();
        let arriving = bits & 0x003f_0301_f01f_0700 | 0x62;
        let header = Header::from_bits(if word >> 14 & 1 == 1 { arriving } else { bits });
        let counters: [u32; 15 * 5] = core::array::from_fn(|at| credits[at / 5] >> (at % 5));
        let by_channel = ByChannel { counters: &counters, channels: 5 };
        let looked = onward.look_onward(header, Scheme::Par, &by_channel);
        sum.add_code(looked.as_ref().map(|_| ()));
        sum.add(looked.unwrap_or(header).bits());
    }
    println!("{:016x}", sum.0);
}
