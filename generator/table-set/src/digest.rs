//! Digests of the sets in the switch images, for the manifest: of the levels by which switches thin them, and of the
//! shapes that have routes to each destination.
//!
//! Whatever no digest covers follows from the rule and the cables, or is counted route by route. If an image was
//! changed and every hash and checksum was adjusted, these digests still show it, however few of the routes are walked.

use super::hex;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use tvlb_schema::{Decision, Keep, Level, SwitchImage};

/// Whether only a search over routes finds the shapes that a destination has: for sets drawn by shape that are thinned
/// or made of fractions. Otherwise the cables determine them.
pub fn presence_is_drawn(rule: &tvlb_schema::SetRule, is_thinned: bool) -> bool {
    let is_fraction = |keep: &Keep| *keep != Keep::NONE && *keep != Keep::ALL;
    rule.is_by_shape() && (is_thinned || rule.keep.iter().any(is_fraction))
}

/// The digest of the levels of a decision's set: SHA-256 of the digests of all switches by number, each the SHA-256 of
/// one byte for each global port of the switch's group. A port without a cable counts as not thinned, because no route
/// leaves through it.
pub fn levels_digest<'i, 'f: 'i>(
    images: impl IndexedParallelIterator<Item = &'i SwitchImage<'f>>,
    decision: Decision,
) -> String {
    of_all(images, |image| {
        let set = image.set(decision);
        let level = |port| match image.behind(port) {
            Some(_) => set.level(port).number(),
            None => Level::ALL.number(),
        };
        image.fabric().dragonfly().global_ports().map(level).collect()
    })
}

/// The digest of the shapes that have routes to each destination: SHA-256 of the digests of all switches by number,
/// each the SHA-256 of two bytes, low first, for each switch of other groups.
pub fn presence_digest<'i, 'f: 'i>(
    images: impl IndexedParallelIterator<Item = &'i SwitchImage<'f>>,
    decision: Decision,
) -> String {
    of_all(images, |image| {
        let (set, df) = (image.set(decision), image.fabric().dragonfly());
        let others = df.switches().filter(|&to| image.index_in_group(to).is_none());
        others.flat_map(|to| set.shapes_to(to).bits().to_le_bytes()).collect()
    })
}

fn of_all<'i, 'f: 'i>(
    images: impl IndexedParallelIterator<Item = &'i SwitchImage<'f>>,
    content: impl Fn(&SwitchImage<'f>) -> Vec<u8> + Sync,
) -> String {
    let digests: Vec<[u8; 32]> =
        images.map(|image| Sha256::digest(content(image)).into()).collect();
    hex(&Sha256::digest(digests.as_flattened()))
}
