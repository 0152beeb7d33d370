//! Any bytes as a switch image of a real fabric; whatever boots must admit packets.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Scheme, Switch, VlbPaths};
use tvlb_schema::{FabricImage, Node};

const FABRIC: &[u8] = include_bytes!("../../schema/golden/fabric.tvlb");

fn mended(payload: &[u8]) -> Vec<u8> {
    let identity = FabricImage::decode(FABRIC).expect("the golden image decodes").identity();
    let mut image = b"TVLBS\0\x01\0".to_vec();
    image.extend(identity.to_le_bytes());
    image.extend((payload.len() as u32 + 24).to_le_bytes());
    image.extend(payload);
    image.extend(crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&image).to_le_bytes());
    image
}

fuzz_target!(|bytes: &[u8]| {
    let _ = Switch::boot(FABRIC, bytes);
    let image = mended(bytes);
    if let Ok(switch) = Switch::boot(FABRIC, &image) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for node in [0, 9, 31, 70, 72, u32::MAX] {
            for scheme in [Scheme::Vlb, Scheme::Par] {
                let credits = [2_u32, 0, 1];
                let _ = switch.admit(Node(node), scheme, VlbPaths::Custom, &credits[..], &mut rng);
            }
        }
    }
});
