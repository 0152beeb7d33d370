//! Sets of the ports of one switch.

use rand_core::Rng;
use tvlb_firmware_model::below;
use tvlb_schema::Port;

/// A set of ports, of which a switch has 256 at most.
///
/// # Example
/// ```
/// use tvlb_ofar::PortSet;
/// use tvlb_schema::Port;
///
/// let mut ready = PortSet::EMPTY;
/// ready.insert(Port(3));
/// ready.insert(Port(200));
/// assert!(ready.contains(Port(200)) && ready.len() == 2);
/// assert_eq!(ready.iter().next(), Some(Port(3)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSet([u64; 4]);

impl PortSet {
    /// No port.
    pub const EMPTY: Self = Self([0; 4]);

    /// The set with these bits: bit n of word w is port 64·w + n.
    pub const fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }

    /// Adds a port below 256.
    #[inline]
    pub const fn insert(&mut self, port: Port) {
        self.0[(port.0 >> 6 & 3) as usize] |= 1 << (port.0 & 63);
    }

    /// Takes a port out.
    #[inline]
    pub const fn remove(&mut self, port: Port) {
        self.0[(port.0 >> 6 & 3) as usize] &= !(1 << (port.0 & 63));
    }

    /// Whether a port below 256 is in it.
    #[inline]
    pub const fn contains(&self, port: Port) -> bool {
        self.0[(port.0 >> 6 & 3) as usize] >> (port.0 & 63) & 1 == 1
    }

    /// Whether no port is in it.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// How many ports are in it.
    #[inline]
    pub const fn len(&self) -> u32 {
        let (mut count, mut word) = (0, 0);
        while word < self.0.len() {
            count += self.0[word].count_ones();
            word += 1;
        }
        count
    }

    /// The ports that are in both.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & e, b & f, c & g, d & h])
    }

    /// The ports by rising number.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Port> {
        let mut at = 0;
        core::iter::from_fn(move || {
            let port = self.first_from(at)?;
            at = port.0 + 1;
            Some(port)
        })
    }

    /// The lowest port that is not below `at`.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn first_from(&self, mut at: u16) -> Option<Port> {
        loop {
            let word = self.0.get(usize::from(at >> 6))?;
            let left = word >> (at & 63);
            if left != 0 {
                // At most 63.
                return Some(Port(at + (left.trailing_zeros() & 63) as u16));
            }
            // On to the next word.
            at = (at | 63) + 1;
        }
    }
}

impl FromIterator<Port> for PortSet {
    fn from_iter<T: IntoIterator<Item = Port>>(ports: T) -> Self {
        ports.into_iter().fold(Self::EMPTY, |mut set, port| {
            set.insert(port);
            set
        })
    }
}

/// One of some ports, uniformly; draws a random word only if there are several.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn draw(ports: &PortSet, rng: &mut (impl Rng + ?Sized)) -> Option<Port> {
    let count = ports.len();
    let mut left = if count > 1 { below(rng, count) } else { 0 };
    let mut port = ports.first_from(0)?;
    while left > 0 {
        left -= 1;
        port = ports.first_from(port.0 + 1)?;
    }
    Some(port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_set_gives_back_what_was_put_into_it() {
        let mut set = PortSet::default();
        assert!(set.is_empty());
        set.extend_by([255, 0, 63, 64, 130]);
        set.remove(Port(63));
        let ports = [0, 64, 130, 255].map(Port);
        assert_eq!(set.iter().collect::<Vec<_>>(), ports);
        assert_eq!((set.len(), set.contains(Port(63)), set.contains(Port(64))), (4, false, true));
        assert_eq!(ports.into_iter().collect::<PortSet>(), set);
        assert_eq!(set.and(PortSet::from_words([0, 1, 0, 0])).iter().next(), Some(Port(64)));
        for port in ports {
            set.remove(port);
        }
        assert!(set.is_empty());
    }

    impl PortSet {
        fn extend_by<const N: usize>(&mut self, ports: [u16; N]) {
            for port in ports {
                self.insert(Port(port));
            }
        }
    }
}
