//! Covering the traces of damage.

use crate::mutation::{FABRIC, Files, MANIFEST};
use tvlb_table_set::{FileEntry, Manifest};

/// How far the traces of damage are covered.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum Mended {
    Not,
    /// The manifest vouches for every file.
    Hashes,
    /// Lengths and checksums in the images are right.
    Checksums,
    /// Every image has the identity that the fabric image now has.
    Identity,
}

pub(crate) fn mend(files: &mut Files, mended: Mended) {
    const CRC_32: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
    const CRC_64: crc::Crc<u64> = crc::Crc::<u64>::new(&crc::CRC_64_XZ);
    let is_image = |bytes: &[u8]| bytes.len() >= 24;
    let identity = files.get(FABRIC).filter(|bytes| is_image(bytes)).map(|bytes| {
        let payload = &bytes[20..bytes.len() - 4];
        CRC_64.checksum(payload)
    });
    for (name, bytes) in files.iter_mut().filter(|(name, _)| *name != MANIFEST) {
        if mended < Mended::Checksums || !is_image(bytes) {
            continue;
        }
        if let Some(identity) = identity
            && (mended == Mended::Identity || name == FABRIC)
        {
            bytes[8..16].copy_from_slice(&identity.to_le_bytes());
        }
        let length = u32::try_from(bytes.len()).unwrap();
        bytes[16..20].copy_from_slice(&length.to_le_bytes());
        let end = bytes.len() - 4;
        let checksum = CRC_32.checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    }
    let Ok(mut manifest) = serde_json::from_slice::<Manifest>(&files[MANIFEST]) else { return };
    if mended == Mended::Not {
        return;
    }
    for entry in &mut manifest.files {
        if let Some(bytes) = files.get(&entry.path) {
            *entry = FileEntry::of(entry.path.clone(), bytes);
        }
    }
    let sizes = |fabric: bool| {
        let of = manifest.files.iter().filter(move |entry| (entry.path == FABRIC) == fabric);
        let mut sizes: Vec<u64> = of.map(|entry| entry.bytes).collect();
        sizes.sort_unstable();
        sizes
    };
    let (fabric, switches) = (sizes(true), sizes(false));
    manifest.sizes.fabric = fabric.first().copied().unwrap_or(0);
    manifest.sizes.switch_least = switches.first().copied().unwrap_or(0);
    manifest.sizes.switch_median = switches.get(switches.len() / 2).copied().unwrap_or(0);
    manifest.sizes.switch_most = switches.last().copied().unwrap_or(0);
    manifest.sizes.total = fabric.iter().chain(&switches).sum();
    if mended == Mended::Identity
        && let Some(identity) = identity
    {
        manifest.fabric_identity = format!("{identity:016x}");
    }
    files.insert(MANIFEST.to_owned(), manifest.to_json());
}
