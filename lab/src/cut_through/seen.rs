//! What one switch sees: its own queues, and what it has been told.

use super::flags::Flags;
use super::state::Queues;
use tvlb_firmware_model::Credits;
use tvlb_schema::{GlobalPort, Port, SwitchId};

/// One switch's view in one cycle.
pub(super) struct Seen<'q> {
    pub(super) queues: &'q Queues,
    pub(super) flags: Option<&'q Flags>,
    pub(super) switch: SwitchId,
    pub(super) now: u32,
}

/// In phits, which are the flits of thresholds.
impl Credits for Seen<'_> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        let number = self.queues.numbering.port(self.switch, port);
        let kind = self.queues.outputs[number.index()].kind;
        (0..self.queues.channels[kind as usize])
            .map(|channel| self.queues.used_on(number, channel))
            .sum()
    }

    #[inline]
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        Some(self.used_by(port, virtual_channel))
    }
}

impl Seen<'_> {
    #[inline]
    pub(super) fn used_by(&self, port: Port, virtual_channel: u8) -> u32 {
        self.queues.used_on(self.queues.numbering.port(self.switch, port), virtual_channel)
    }

    #[inline]
    pub(super) fn is_congested(&self, link: GlobalPort) -> bool {
        self.flags.is_some_and(|flags| flags.is_congested(self.switch, link, self.now))
    }
}
