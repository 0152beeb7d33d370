//! Digests of what the switch images say of a set, for the manifest: of the levels to which switches
//! thin it, and of the shapes of which destinations have a route.
//!
//! What no digest covers follows from the rule and the cables, or is counted route by route. Where
//! an image was changed and every hash and checksum was mended, these still tell, however few of the
//! routes are looked at.

use super::hex;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use tvlb_schema::{Decision, Keep, Level, SwitchImage};

/// Whether it takes a search over routes to tell of which shapes a destination has one: the set is
/// drawn by shape and is thinned or made of fractions. Otherwise the cables alone tell.
pub fn presence_is_drawn(rule: &tvlb_schema::SetRule, is_thinned: bool) -> bool {
    let is_fraction = |keep: &Keep| *keep != Keep::NONE && *keep != Keep::ALL;
    rule.is_by_shape() && (is_thinned || rule.keep.iter().any(is_fraction))
}

/// The digest of the levels of a decision's set: SHA-256 of the digests of all switches by number,
/// each the SHA-256 of one byte for each global port of the switch's group. A port without a cable
/// counts as one that is not thinned, because no route leaves by it.
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

/// The digest of the shapes of which destinations have a route: SHA-256 of the digests of all
/// switches by number, each the SHA-256 of two bytes, low first, for each switch of other groups.
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
