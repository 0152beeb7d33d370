//! The settings of a run of cut-through switches: one entry for each, from which options, keys of studies, columns and
//! JSON are made.

use super::settings::{CutThrough, MOST_CHANNELS, MOST_PHITS, MOST_ROUNDS, MOST_SPEEDUP, Routing};
use serde::{Serialize, Serializer, ser::SerializeMap};
use tvlb_base::parameter::{self, Parameter, Parameters};
use tvlb_base::whole;
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_simulator::parts::{MOST_CYCLES, global_latency, local_latency};
use tvlb_simulator::{MOST_LATENCY, paths_name};

type Of = Parameter<CutThrough>;

impl Parameters for CutThrough {
    const ALL: &'static [Parameter<Self>] = &[
        Of::switches("packet", "PHITS", "Phits of a packet", whole!(packet_phits, 1, 1000))
            .after("packets of "),
        Of::switches(
            "local-buffer",
            "PHITS",
            "Phits that the buffer of one virtual channel holds on links within a group",
            whole!(local.phits, 1, MOST_PHITS),
        )
        .otherwise("32, or as many as a longer link needs"),
        Of::switches(
            "global-buffer",
            "PHITS",
            "Phits that the buffer of one virtual channel holds on links between groups",
            whole!(global.phits, 1, MOST_PHITS),
        )
        .otherwise("256, or as many as a longer link needs"),
        Of::switches(
            "local-channels",
            "N",
            "Virtual channels of links within a group, without that of OFAR's escape network",
            whole!(if local.virtual_channels, 1, MOST_CHANNELS),
        )
        .otherwise("as many as the routing needs; for OFAR 3"),
        Of::switches(
            "global-channels",
            "N",
            "Virtual channels of links between groups, without that of OFAR's escape network",
            whole!(if global.virtual_channels, 1, MOST_CHANNELS),
        )
        .otherwise("as many as the routing needs; for OFAR 2"),
        Of::switches(
            "injection-queues",
            "N",
            "Injection queues of each node, among which packets are divided by their destination",
            whole!(injection_queues, 1, MOST_CHANNELS),
        ),
        Of::switches(
            "injection-queue",
            "PHITS",
            "Phits that one injection queue holds",
            whole!(injection_queue_phits, 1, MOST_PHITS),
        ),
        local_latency(whole!(local_latency_cycles, 1, MOST_LATENCY)),
        global_latency(whole!(global_latency_cycles, 1, MOST_LATENCY)),
        Of::switches(
            "rounds",
            "N",
            "How often in a cycle ports ask for outputs",
            whole!(rounds, 1, MOST_ROUNDS),
        ),
        Of::switches(
            "output-buffer",
            "PHITS",
            "Phits that the output buffer of one virtual channel holds, to which a crossbar moves packets from inputs, \
             and from which links take them; not with OFAR",
            whole!(if output_buffer_phits, 1, MOST_PHITS),
        )
        .otherwise("no output buffers: inputs feed the links"),
        Of::switches(
            "speedup",
            "N",
            "Phits that the crossbar moves from an input to an output buffer in a cycle",
            whole!(speedup, 1, MOST_SPEEDUP),
        ),
        Of::measurement(
            "warm-up",
            "CYCLES",
            "Cycles before the measured ones",
            whole!(warm_up_cycles, 0, MOST_CYCLES / 2),
        ),
        Of::measurement(
            "cycles",
            "CYCLES",
            "Cycles to measure; for a burst, and if all send to all, the most that it may take",
            whole!(measured_cycles, 1, MOST_CYCLES / 2),
        )
        .otherwise("10000; of what ends by itself 10000000"),
    ];

    fn usual() -> Self {
        Self::new(Routing::Scheme(Scheme::Min), VlbPaths::Custom)
    }
}

/// Every parameter, after how packets find their ways.
impl Serialize for CutThrough {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("routing", &self.routing)?;
        map.serialize_entry("paths", paths_name(self.paths))?;
        parameter::serialize(self, &mut map)?;
        map.end()
    }
}
