//! The view of one switch: its own queues, and what others have told it; under UGAL-G the queues of all switches.

use super::flags::CongestionFlags;
use super::state::Queues;
use tvlb_firmware_model::{Credits, Header, Switch};
use tvlb_schema::{GlobalPort, Port, SwitchId};
use tvlb_simulator::parts::queue_along;

/// One switch's view in one cycle.
pub(super) struct CycleView<'q> {
    pub(super) queues: &'q Queues,
    pub(super) flags: Option<&'q CongestionFlags>,
    /// Under UGAL-G all switches, which tell where a path leads.
    pub(super) whole_paths: Option<&'q [Switch<'q>]>,
    pub(super) switch: SwitchId,
    pub(super) now: u32,
}

/// In phits, which are the flits of thresholds.
impl Credits for CycleView<'_> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        self.used_at(self.switch, port, None)
    }

    #[inline]
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        Some(self.used_by(port, virtual_channel))
    }

    fn weighed(
        &self,
        port: Port,
        virtual_channel: Option<u8>,
        header: Header,
        hops: u8,
    ) -> (u32, u8) {
        let Some(switches) = self.whole_paths else {
            return (self.queue(port, virtual_channel), hops);
        };
        let peer = |switch, port| {
            let output = &self.queues.outputs[self.queues.port(switch, port).index()];
            self.queues.place(output.peer).0
        };
        let used_at = |switch, port, channel| self.used_at(switch, port, channel);
        let first = (self.switch, port, virtual_channel);
        (queue_along(switches, first, header, used_at, peer), 1)
    }
}

impl CycleView<'_> {
    /// Of one virtual channel of a port of any switch, or of all.
    #[inline]
    fn used_at(&self, switch: SwitchId, port: Port, channel: Option<u8>) -> u32 {
        let number = self.queues.port(switch, port);
        if let Some(channel) = channel {
            return self.queues.used_on(number, channel);
        }
        let kind = self.queues.outputs[number.index()].kind;
        let channels = 0..self.queues.channels[kind as usize];
        channels.map(|channel| self.queues.used_on(number, channel)).sum()
    }

    #[inline]
    pub(super) fn used_by(&self, port: Port, virtual_channel: u8) -> u32 {
        self.used_at(self.switch, port, Some(virtual_channel))
    }

    #[inline]
    pub(super) fn is_congested(&self, link: GlobalPort) -> bool {
        self.flags.is_some_and(|flags| flags.is_congested(self.switch, link, self.now))
    }
}
