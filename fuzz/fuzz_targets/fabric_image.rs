//! Any bytes as a fabric image: as they are, and as the payload of a frame that holds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tvlb_schema::{End, FabricImage};

fn mended(payload: &[u8]) -> Vec<u8> {
    let identity = crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(payload);
    let mut image = b"TVLBF\0\x01\0".to_vec();
    image.extend(identity.to_le_bytes());
    image.extend((payload.len() as u32 + 24).to_le_bytes());
    image.extend(payload);
    image.extend(crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&image).to_le_bytes());
    image
}

fuzz_target!(|bytes: &[u8]| {
    let _ = FabricImage::decode(bytes);
    let image = mended(bytes);
    if let Ok(fabric) = FabricImage::decode(&image) {
        for group in fabric.dragonfly().groups() {
            for port in fabric.dragonfly().global_ports() {
                let end = End { group, port };
                assert!(fabric.peer(end).is_none_or(|peer| fabric.peer(peer) == Some(end)));
            }
        }
    }
});
