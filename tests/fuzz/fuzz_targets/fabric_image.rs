//! Any bytes as a fabric image: as they are, and as the payload of a frame that holds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tvlb_fuzz::framed;
use tvlb_schema::{End, FabricImage, ImageKind};

fuzz_target!(|bytes: &[u8]| {
    let _ = FabricImage::decode(bytes);
    let image = framed(ImageKind::Fabric, bytes);
    if let Ok(fabric) = FabricImage::decode(&image) {
        for group in fabric.dragonfly().groups() {
            for port in fabric.dragonfly().global_ports() {
                let end = End { group, port };
                assert!(fabric.peer(end).is_none_or(|peer| fabric.peer(peer) == Some(end)));
            }
        }
    }
});
