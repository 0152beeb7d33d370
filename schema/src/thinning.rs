//! Thinning: of the routes that a rule keeps, a switch may keep fewer at some of the global ports of its group, to
//! relieve links that would carry more than others (Rahman et al., SC'19, section 3.3.3).
//!
//! Each switch has its own levels: its image lists those for the routes that begin there.

use crate::RouteKey;

/// How many of the routes that leave the source group through one port are kept: level L keeps L + 1 sixteenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// All routes.
    pub const ALL: Self = Self(15);
    /// The lowest level, a quarter of the routes. A switch finds a kept route by trying, so the acceptable work per
    /// packet limits how rare kept routes may be.
    pub const LEAST: Self = Self(3);

    /// The level of this number; `None` unless it is 3 to 15.
    #[inline]
    pub const fn new(number: u8) -> Option<Self> {
        if number >= Self::LEAST.0 && number <= Self::ALL.0 { Some(Self(number)) } else { None }
    }

    /// From an image, checked when it was decoded.
    #[inline]
    pub(crate) const fn unchecked(number: u32) -> Self {
        Self((number & 0xf) as u8)
    }

    /// 3 to 15.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Whether a route of this hash ([`RouteKey::hash`]) is kept.
    ///
    /// The hash's lowest four bits decide. Its high half decides on keep-fractions, and the hash runs through all
    /// 64-bit numbers as the key does, so the two are independent and one hash serves both. A lower level keeps a
    /// subset of what a higher one keeps.
    #[inline]
    pub(crate) const fn keeps(self, hash: u64) -> bool {
        (hash & 0xf) as u8 <= self.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Self::ALL
    }
}

impl RouteKey {
    /// The port through which the route leaves its source group.
    #[inline]
    pub const fn x(self) -> crate::GlobalPort {
        crate::GlobalPort((self.0 >> 20 & 0xfff) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Dragonfly, GlobalPort, Keep, Route, SetRule, Shape, ShapeSet, SwitchId, SwitchIndex,
    };

    /// The keys of all routes over three pairs, whether or not there are such cables.
    fn keys() -> impl Iterator<Item = (GlobalPort, RouteKey)> {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let pairs = [(0, 8), (1, 17), (70, 5)];
        pairs.into_iter().flat_map(move |(from, to)| {
            df.global_ports().flat_map(move |x| {
                df.global_ports().flat_map(move |y| {
                    (0..8).map(move |r| {
                        let route = Route { x, y, detour: Some(SwitchIndex(r)) };
                        (x, route.key(&df, SwitchId(from), SwitchId(to)))
                    })
                })
            })
        })
    }

    #[test]
    fn levels_are_3_to_15() {
        for number in 0..=255 {
            let level = Level::new(number);
            assert_eq!(level.map(Level::number), (3..=15).contains(&number).then_some(number));
        }
    }

    #[test]
    fn a_key_tells_the_first_port() {
        assert!(keys().all(|(x, key)| key.x() == x));
    }

    #[test]
    fn a_level_keeps_its_sixteenths_and_what_lower_levels_keep() {
        let total = u32::try_from(keys().count()).unwrap();
        let mut before = 0;
        for number in 3..=15 {
            let level = Level::new(number).unwrap();
            let kept = keys().filter(|(_, key)| level.keeps(key.hash(7))).count();
            let kept = u32::try_from(kept).unwrap();
            let expected = total * (u32::from(number) + 1) / 16;
            // Five standard deviations of the binomial are below 400.
            assert!(kept.abs_diff(expected) < 400, "{number}: {kept} of {total}");
            assert!(kept > before);
            before = kept;
        }
        assert_eq!(before, total);
        for (_, key) in keys() {
            for number in 3..15_u8 {
                let (low, high) = (Level(number), Level(number + 1));
                assert!(!low.keeps(key.hash(7)) || high.keeps(key.hash(7)));
            }
        }
    }

    #[test]
    fn levels_do_not_depend_on_keep_fractions() {
        let shape = Shape::from_number(5).unwrap();
        let mut rule = SetRule { seed: 3, ..SetRule::whole(ShapeSet::ALL) };
        for (parts, number) in [(5000_u16, 7_u8), (1000, 3), (9000, 11)] {
            rule.keep = [Keep::new(parts).unwrap(); Shape::COUNT];
            let level = Level::new(number).unwrap();
            let mut cells = [[0_u32; 2]; 2];
            for (_, key) in keys() {
                let kept = rule.keeps(shape, key);
                let both = rule.keeps_at(level, shape, key);
                assert!(kept || !both);
                cells[usize::from(kept)][usize::from(level.keeps(key.hash(3)))] += 1;
            }
            let [[a, b], [c, d]] = cells.map(|row| row.map(f64::from));
            let total = a + b + c + d;
            let chi = total * (a * d - b * c).powi(2) / ((a + b) * (c + d) * (a + c) * (b + d));
            // What chance exceeds once in a million times, at one degree of freedom.
            assert!(chi < 23.9, "{parts} and {number}: {chi}");
        }
    }
}
