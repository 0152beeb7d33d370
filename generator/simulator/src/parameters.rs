//! The settings of a run: one entry for each, from which options, keys of studies, columns, JSON and legends are made.

use crate::scheme::Scheme;
use crate::setting_values::{Buffers, Deciding, MOST_LATENCY, Measuring};
use crate::settings::{MOST_CHANNELS, MOST_CYCLES, MOST_SPEEDUP, Settings, paths_name};
use serde::{Serialize, Serializer, ser::SerializeMap};
use tvlb_base::parameter::{self, Parameter, Parameters, Value};
use tvlb_base::{text, whole, words};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Bandwidth, BandwidthError, LinkKind, VcScheme, WindowLimits};
use tvlb_table_set::Injection;

/// The rules of virtual channels, each with its meaning.
const VC_SCHEMES: [(VcScheme, &str); 4] = [
    (VcScheme::Ordered, "Higher in each group and for a second local hop"),
    (VcScheme::PerHop, "The number of hops made"),
    (VcScheme::Positional, "One for each place on a path"),
    (VcScheme::UpDown, "Higher when a packet turns up again, between leaves and spines"),
];

/// A bandwidth of one kind of link.
macro_rules! bandwidth {
    ($kind:ident) => {
        Value::Text {
            get: |s| s.bandwidths.of(LinkKind::$kind).to_string().into(),
            set: |s, text| {
                let found: Bandwidth = text.parse().map_err(|e: BandwidthError| e.to_string())?;
                s.bandwidths = s.bandwidths.with(LinkKind::$kind, found);
                Ok(())
            },
        }
    };
}

type Of = Parameter<Settings>;

impl Parameters for Settings {
    const ALL: &'static [Parameter<Self>] = &[
        Of::switches("vc-scheme", "RULE", "How virtual channels are assigned", VC_SCHEME)
            .otherwise("the images' rule")
            .after("channels "),
        Of::switches("virtual-channels", "N", "Virtual channels of every link", whole!(if virtual_channels, 1, MOST_CHANNELS))
            .otherwise("as many as the scheme needs, for MIN those of UGAL-L"),
        Of::switches(
            "injection",
            "INJECTION",
            "The virtual channel that nodes send to",
            words!(injection: Injection::ALL, Injection),
        ),
        Of::switches(
            "decide",
            "WHEN",
            "When the path of a packet is decided",
            words!(decide: Deciding::ALL, Deciding),
        )
        .after("decided at "),
        Of::switches(
            "destination-window",
            "LIMITS",
            "Hold packets to a destination switch while so many are under way there from the source's switch, where their \
             mean delay is above so many cycles; as in 150/32: cycles, and packets",
            text!(if destination_window: WindowLimits),
        )
        .otherwise("the table set's if --acknowledgement is given, and otherwise no windows"),
        Of::switches(
            "acknowledgement",
            "CYCLES",
            "Cycles from the arrival of a packet at its node until its source knows of it, if sources have windows",
            whole!(if acknowledgement_cycles, 1, MOST_LATENCY),
        )
        .otherwise("as long as a packet takes that waits for nothing, with a local link in each group"),
        Of::switches(
            "telling",
            "CYCLES",
            "Every how many cycles switches tell the others of their group of their global ports, with ugal-group; they \
             know it as much later",
            whole!(telling_cycles, 1, MOST_LATENCY),
        )
        .only_with(|s| s.scheme == Scheme::UgalGroup),
        Of::switches(
            "buffer",
            "FLITS",
            "Flits that the buffer of one virtual channel holds; two numbers, as in 32/256, for links within groups \
             (and to nodes) and between them",
            BUFFERS,
        )
        .otherwise("the fabric's, or as many as the longest link needs, and 32 at least"),
        Of::switches(
            "speedup",
            "N",
            "How often the pipeline of a switch runs per cycle",
            whole!(speedup, 1, MOST_SPEEDUP),
        ),
        local_latency(whole!(local_latency_cycles, 1, MOST_LATENCY)),
        global_latency(whole!(global_latency_cycles, 1, MOST_LATENCY)),
        Of::switches(
            "node-latency",
            "CYCLES",
            "Cycles between a node and its switch",
            whole!(node_latency_cycles, 1, MOST_LATENCY),
        ),
        Of::switches(
            "credit-delay",
            "CYCLES",
            "Cycles until a switch acts on a credit that has arrived",
            whole!(credit_delay_cycles, 0, MOST_LATENCY),
        ),
        Of::switches(
            "node-bandwidth",
            "B",
            "The relative bandwidth of the links to nodes; a cycle is what a flit takes on a link of the fastest kind",
            bandwidth!(Node),
        )
        .otherwise(FABRICS),
        Of::switches(
            "local-bandwidth",
            "B",
            "The relative bandwidth of links within a group",
            bandwidth!(Local),
        )
        .otherwise(FABRICS),
        Of::switches(
            "global-bandwidth",
            "B",
            "The relative bandwidth of links between groups",
            bandwidth!(Global),
        )
        .otherwise(FABRICS),
        Of::measurement(
            "window",
            "CYCLES",
            "Cycles of one window",
            whole!(window_cycles, 1, MOST_CYCLES),
        ),
        Of::measurement(
            "warm-up",
            "N",
            "Windows of warm-up before those that are measured",
            whole!(warm_up_windows, 0, 1_000),
        ),
        Of::measurement(
            "measure",
            "WINDOWS",
            "How many windows are measured after the warm-up",
            words!(measuring: Measuring::ALL, Measuring),
        )
        .otherwise("one-window; in a search for saturation, until-windows-agree")
        .after(""),
        Of::measurement(
            "latency-limit",
            "CYCLES",
            "The mean latency above which a run counts as saturated",
            whole!(latency_limit_cycles, 1, 1_000_000),
        )
        .after("limit "),
    ];

    fn usual() -> Self {
        Self::new(Scheme::UgalL, VlbPaths::Custom)
    }
}

/// The default from the fabric file.
const FABRICS: &str = "the fabric's";

const VC_SCHEME: Value<Settings> =
    words!(|s| s.vc_scheme, |s, rule| s.vc_scheme = Some(rule), VC_SCHEMES, VcScheme);

const BUFFERS: Value<Settings> = Value::Text {
    get: |s| match s.buffers {
        Buffers { local, global } if local == global => local.into(),
        buffers => buffers.to_string().into(),
    },
    set: |s, text| {
        s.buffers = text.parse()?;
        Ok(())
    },
};

/// The latency of links within groups, for any kind of switches.
pub const fn local_latency<S>(value: Value<S>) -> Parameter<S> {
    Parameter::switches("local-latency", "CYCLES", "Cycles on a link within a group", value)
        .otherwise(FABRICS)
}

/// The latency of links between groups.
pub const fn global_latency<S>(value: Value<S>) -> Parameter<S> {
    Parameter::switches("global-latency", "CYCLES", "Cycles on a link between groups", value)
        .otherwise(FABRICS)
}

/// Every parameter, after the kind of run.
impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("scheme", self.scheme.name())?;
        map.serialize_entry("paths", paths_name(self.paths))?;
        parameter::serialize(self, &mut map)?;
        map.end()
    }
}
