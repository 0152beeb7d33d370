//! Sets of the ports of one switch.

/// A set of ports, of which a switch has 256 at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PortSet([u64; 4]);

impl PortSet {
    #[inline]
    pub(super) const fn insert(&mut self, port: u32) {
        self.0[(port >> 6 & 3) as usize] |= 1 << (port & 63);
    }

    #[inline]
    pub(super) const fn remove(&mut self, port: u32) {
        self.0[(port >> 6 & 3) as usize] &= !(1 << (port & 63));
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// The ports by rising number.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u32> {
        (0..4).flat_map(move |word| {
            let mut left = self.0[word as usize];
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let port = left.trailing_zeros();
                    left &= left - 1;
                    word << 6 | port
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_gives_back_what_was_put_into_it() {
        let mut set = PortSet::default();
        assert!(set.is_empty());
        for port in [255, 0, 63, 64, 130] {
            set.insert(port);
        }
        set.remove(63);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 64, 130, 255]);
        for port in [0, 64, 130, 255] {
            set.remove(port);
        }
        assert!(set.is_empty());
    }
}
