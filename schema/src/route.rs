//! One VLB route between two switches of different groups, and its representation as one word.

use crate::{Dragonfly, GlobalPort, SwitchId, SwitchIndex};

/// A VLB route: the first global link, the second, and the detour between them if any.
///
/// `x` is a port of the source group, `y` a port of the intermediate group. Both are where the
/// packet *leaves*, so each switch on the way can act on them without knowing the wiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route {
    /// The port of the source group through which the packet leaves it.
    pub x: GlobalPort,
    /// The port of the intermediate group through which the packet leaves that.
    pub y: GlobalPort,
    /// A switch of the intermediate group to visit before the one that has `y`.
    pub detour: Option<SwitchIndex>,
}

/// A route with its ends as one word, which decides membership in a keep-fraction.
///
/// From the high bits: source switch 16, destination switch 16, x 12, y 12, detour 8. Without a
/// detour the last field is the index of y's own switch, which no detour can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteKey(pub u64);

impl Route {
    /// The key of this route from `source` to `destination`.
    #[inline]
    pub const fn key(&self, df: &Dragonfly, source: SwitchId, destination: SwitchId) -> RouteKey {
        let last = match self.detour {
            Some(detour) => detour,
            None => df.split_port(self.y).0,
        };
        RouteKey(
            (source.0 as u64) << 48
                | (destination.0 as u64) << 32
                | ((self.x.0 & 0xfff) as u64) << 20
                | ((self.y.0 & 0xfff) as u64) << 8
                | last.0 as u64,
        )
    }
}

impl RouteKey {
    /// A number that looks random, a pure function of seed and route.
    ///
    /// The finaliser of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014), once over the seed and
    /// once over the two together: every bit of either reaches every bit of the result.
    #[inline]
    pub const fn hash(self, seed: u64) -> u64 {
        mix(self.0 ^ mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }
}

#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_routes_apart() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let mut keys = std::collections::BTreeSet::new();
        let mut count = 0;
        for x in df.global_ports() {
            for y in df.global_ports() {
                let w = df.split_port(y).0;
                for detour in core::iter::once(None)
                    .chain(df.indices(crate::GroupId(0)).filter(|&r| r != w).map(Some))
                {
                    keys.insert(Route { x, y, detour }.key(&df, SwitchId(3), SwitchId(70)));
                    count += 1;
                }
            }
        }
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn the_hash_is_pinned() {
        // Tables in the field depend on exactly these numbers.
        assert_eq!(RouteKey(0).hash(0), 0x4821_8226_ff3c_d4bf);
        assert_eq!(RouteKey(0x0001_0002_0030_0405).hash(7), 0x13f2_db1d_57ef_12c2);
    }
}
