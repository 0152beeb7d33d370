//! A source switch's view under UGAL by the group: its own queues, and what the other switches of its group have told
//! about their global ports.
//!
//! Every [`Settings::telling_cycles`](crate::Settings::telling_cycles) each switch tells in two bits how full each of
//! its global ports is. The others know it the same number of cycles later, so their knowledge is between one and two
//! of these periods old.

use crate::numbers::PORTS;
use crate::switch_state::{PortKind, SwitchQueues, SwitchStates};
use std::ops::Range;
use tvlb_firmware_model::{Credits, GroupQueues};
use tvlb_schema::{GlobalPort, Port, SwitchImage};

impl SwitchStates {
    /// Makes all switches of these chunks tell the others of their group how full their global ports are.
    pub(crate) fn tell(&mut self, chunks: Range<usize>) {
        let (buffer, channel) = (self.buffers.global, self.leaving_channel);
        for chunk in chunks {
            let chunk = &mut self.chunks[chunk];
            chunk.told[0] = chunk.told[1];
            let outputs = &chunk.outputs[usize::from(channel) * PORTS..][..PORTS];
            let ports = chunk.out_ports.iter().zip(outputs).zip(&mut chunk.told[1]);
            for ((_, output), told) in ports.filter(|((port, _), _)| port.kind == PortKind::Global)
            {
                *told = GroupQueues::<0>::level((buffer - output.free).into(), buffer.into());
            }
        }
    }
}

/// A switch's view under UGAL by the group.
pub(crate) struct ToldByGroup<'n> {
    pub(crate) own: &'n SwitchQueues<'n>,
    /// Its own image.
    pub(crate) image: &'n SwitchImage<'n>,
}

impl Credits for ToldByGroup<'_> {
    fn used(&self, port: Port) -> u32 {
        self.own.used(port)
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.own.used_on(port, virtual_channel)
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        self.own.used_by_links(ports)
    }

    fn told(&self, x: GlobalPort) -> u32 {
        let df = self.image.fabric().dragonfly();
        let (index, slot) = df.split_port(x);
        self.own.told_of(df.switch(self.image.group(), index), df.slot_port(slot))
    }
}
