//! A window per destination switch: a source that sends more than a destination accepts stops before the network is
//! full of packets that wait for it.
//!
//! No path helps an endpoint that is sent more than it accepts. Packets that wait for it fill the buffers on every way
//! there, and packets for others wait after them; adaptive routing then spreads the backlog. So the source, a switch or
//! the adapter of a node, counts its packets under way to each destination switch, and keeps the mean of the delays
//! with which they were acknowledged. Only while that mean is above a limit does the count matter: then a packet is
//! held while as many are under way as the window has. Light traffic is never held, however far it goes.
//!
//! All of this is optional. A switch without acknowledgements has no windows, and nothing else in this crate depends on
//! them.
//!
//! # Cost
//! 4 bytes per destination switch, or per place in [`Windows`] of fewer places, which switches then share: they delay
//! each other if one of them is slow. On a Cortex-M4, 45 instructions per packet and 40 per acknowledgement.
//!
//! # Promise
//! A packet is held only while others are under way to the same place. So if each admitted packet is acknowledged or
//! reported lost, no packet is held for ever.

use tvlb_schema::{SwitchId, WindowLimits};

/// A source's record of its packets to one destination.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DestinationWindow {
    under_way: u16,
    /// The mean delay in eighths of a cycle.
    delay: u16,
}

impl DestinationWindow {
    /// Whether a packet may set out; it then counts as under way. Otherwise it is held: the caller asks again after the
    /// next acknowledgement from there.
    #[must_use]
    #[inline]
    pub fn admit(&mut self, limits: WindowLimits) -> bool {
        if self.delay >> 3 > limits.delay_cycles && self.under_way >= limits.packets {
            return false;
        }
        self.under_way = self.under_way.saturating_add(1);
        true
    }

    /// Notes that a packet has arrived this many cycles after it set out, with a weight of an eighth in the mean.
    #[inline]
    pub fn acknowledge(&mut self, delay_cycles: u32) {
        let delay = match u16::try_from(delay_cycles) {
            Ok(delay) if delay < WindowLimits::MOST_DELAY => delay,
            _ => WindowLimits::MOST_DELAY,
        };
        // At most eight times the longest delay; then the subtracted eighth is no less than the addition.
        self.delay = (self.delay - (self.delay >> 3)).saturating_add(delay);
        self.lose();
    }

    /// Notes that a packet that was admitted will not be acknowledged: it is lost, or never set out.
    #[inline]
    pub fn lose(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// Packets under way.
    pub const fn under_way(self) -> u16 {
        self.under_way
    }

    /// The mean delay, in whole cycles.
    pub const fn delay_cycles(self) -> u16 {
        self.delay >> 3
    }
}

/// The windows of one source, in `N` places: one for each switch of the fabric, or fewer, which switches share.
///
/// # Example
/// ```
/// use tvlb_firmware_model::Windows;
/// use tvlb_schema::WindowLimits;
/// use tvlb_firmware_model::schema::SwitchId;
///
/// let mut windows = Windows::<72>::new(WindowLimits { delay_cycles: 150, packets: 2 });
/// let far = SwitchId(40);
/// assert!(windows.admit(far) && windows.admit(far) && windows.admit(far));
/// // They arrive late, so that the next but one has to wait.
/// (0..3).for_each(|_| windows.acknowledge(far, 1000));
/// assert!(windows.admit(far) && windows.admit(far) && !windows.admit(far));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows<const N: usize> {
    limits: WindowLimits,
    places: [DestinationWindow; N],
}

impl<const N: usize> Windows<N> {
    /// Windows with nothing under way.
    pub const fn new(limits: WindowLimits) -> Self {
        const { assert!(N > 0, "a source has a window or more") };
        Self { limits, places: [DestinationWindow { under_way: 0, delay: 0 }; N] }
    }

    /// The window to a switch.
    #[inline]
    pub fn to(&mut self, switch: SwitchId) -> &mut DestinationWindow {
        &mut self.places[usize::from(switch.0) % N]
    }

    /// As [`DestinationWindow::admit`], for a packet to a node of another switch.
    #[must_use]
    #[inline]
    pub fn admit(&mut self, to: SwitchId) -> bool {
        let limits = self.limits;
        self.to(to).admit(limits)
    }

    /// As [`DestinationWindow::acknowledge`].
    #[inline]
    pub fn acknowledge(&mut self, to: SwitchId, delay_cycles: u32) {
        self.to(to).acknowledge(delay_cycles);
    }

    /// As [`DestinationWindow::lose`].
    #[inline]
    pub fn lose(&mut self, to: SwitchId) {
        self.to(to).lose();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: WindowLimits = WindowLimits { delay_cycles: 150, packets: 4 };

    #[test]
    fn nothing_is_held_while_packets_arrive_soon() {
        let mut window = DestinationWindow::default();
        for _ in 0..1000 {
            assert!(window.admit(LIMITS));
        }
        for _ in 0..1000 {
            window.acknowledge(150);
        }
        assert_eq!((window.under_way(), window.delay_cycles()), (0, 150));
        assert!((0..10).all(|_| window.admit(LIMITS)));
    }

    #[test]
    fn a_slow_destination_has_as_many_packets_under_way_as_its_window() {
        let mut window = DestinationWindow::default();
        for _ in 0..1000 {
            let admitted = window.admit(LIMITS);
            assert!(admitted);
            window.acknowledge(160);
        }
        assert_eq!((0..10).filter(|_| window.admit(LIMITS)).count(), 4);
        assert_eq!(window.under_way(), 4);
        window.lose();
        assert!(window.admit(LIMITS) && !window.admit(LIMITS));
        // It has become fast again.
        (0..4).for_each(|_| window.acknowledge(40));
        assert!((0..10).all(|_| window.admit(LIMITS)));
    }

    #[test]
    fn the_longest_delay_is_no_longer_than_can_be_kept() {
        let mut window = DestinationWindow::default();
        for delay in [u32::MAX, 8191, 8192, u32::MAX].into_iter().cycle().take(1000) {
            window.acknowledge(delay);
            assert_eq!(window.under_way(), 0);
        }
        assert_eq!(window.delay_cycles(), WindowLimits::MOST_DELAY);
        (0..200).for_each(|_| window.acknowledge(0));
        assert_eq!(window.delay_cycles(), 0);
        assert!((0..70_000).all(|_| window.admit(LIMITS)));
        assert_eq!(window.under_way(), u16::MAX);
    }
}
