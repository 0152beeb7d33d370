//! What the fuzz targets share.

pub mod own;

use tvlb_firmware_model::rand_core::Rng;
use tvlb_firmware_model::{Credits, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::{FORMAT_VERSION, FabricImage, ImageKind};

/// The fabric image that pins the format.
pub const FABRIC: &[u8] = include_bytes!("../../../schema/golden/v3/fabric.tvlb");
/// Switch 5 of it.
pub const SWITCH: &[u8] = include_bytes!("../../../schema/golden/v3/switch-00005.tvlb");

/// The identity of `FABRIC`.
fn identity() -> u64 {
    FabricImage::decode(FABRIC).expect("the golden image decodes").identity()
}

/// A payload in a frame that holds: as an image of `FABRIC`, or as a fabric image of its own.
pub fn framed(kind: ImageKind, payload: &[u8]) -> Vec<u8> {
    let (letter, identity) = match kind {
        ImageKind::Fabric => (b'F', crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(payload)),
        ImageKind::Switch => (b'S', identity()),
        ImageKind::Faults => (b'X', identity()),
        ImageKind::Escape => (b'E', identity()),
    };
    let mut image = b"TVLB".to_vec();
    image.extend([letter, 0]);
    image.extend(FORMAT_VERSION.to_le_bytes());
    image.extend(identity.to_le_bytes());
    image.extend((payload.len() as u32 + 24).to_le_bytes());
    image.extend(payload);
    image.extend([0; 4]);
    mended(&mut image);
    image
}

/// Gives a switch a header, and feeds its own output back to it: a switch must stand even a neighbour that
/// sends all back.
pub fn feed_back(switch: &Switch<'_>, mut header: Header, credits: &[u32], rng: &mut impl Rng) {
    for _ in 0..9 {
        let Ok(looked) = switch.reconsider(header, VlbPaths::Custom, credits, rng) else {
            return;
        };
        let Some(looked) = look_onward(switch, looked, Scheme::Par, credits) else { return };
        match switch.forward(looked) {
            Ok(Step::Send { virtual_channel, header: next, .. }) => {
                assert!(virtual_channel < 5);
                header = next;
            }
            _ => return,
        }
    }
    panic!("a packet is still under way after nine steps");
}

/// The look in the intermediate group at a header of any bits: only the way changes, and the explanation says the
/// same. `None` if the credits are not known as the switch counts them.
pub fn look_onward(
    switch: &Switch<'_>,
    header: Header,
    scheme: Scheme,
    credits: &(impl Credits + ?Sized),
) -> Option<Header> {
    let looked = switch.look_onward(header, scheme, credits);
    let why = switch.explain_onward(header, scheme, credits);
    assert_eq!(why.map(|why| why.outcome), looked);
    let looked = looked.ok()?;
    assert_eq!((looked.bits() ^ header.bits()) & !0x0fff_ff00, 0);
    Some(looked)
}

/// Makes the checksum at the end of an image hold.
pub fn mended(image: &mut [u8]) {
    let (bytes, checksum) = image.split_last_chunk_mut().expect("an image has a checksum");
    *checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(bytes).to_le_bytes();
}
