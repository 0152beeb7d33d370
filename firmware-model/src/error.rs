//! Errors of the datapath: why a switch does not boot, or has no next step for a packet.

use crate::{Part, Scheme, Stage, VlbPaths};
use tvlb_schema::{Decision, ImageError, NodeId, Port, SwitchId, VcScheme};

/// Why a switch did not boot, or could not route a packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Error {
    /// An invalid fabric image.
    #[error("fabric image: {0}")]
    FabricImage(ImageError),
    /// An invalid switch image, or one of another fabric.
    #[error("switch image: {0}")]
    SwitchImage(ImageError),
    /// An invalid fault image, or one of another fabric.
    #[error("fault image: {0}")]
    FaultImage(ImageError),
    /// A fault image that is older than the one in use.
    #[error(
        "fault image: its epoch is {found}, but the one in use is of epoch {installed}; accepted a later one"
    )]
    OldFaults {
        /// Its epoch.
        found: u32,
        /// The epoch of the one in use.
        installed: u32,
    },
    /// The links have fewer virtual channels than the image's assignment needs.
    #[error(
        "{links} links have {found} virtual channels, but assignment {:?} needs {needed} for {}",
        .assignment.name(), .scheme.name()
    )]
    TooFewChannels {
        /// The kind of link, "local" or "global".
        links: &'static str,
        /// The channels that it has.
        found: u8,
        /// The channels that it needs.
        needed: u8,
        /// How the image assigns channels.
        assignment: VcScheme,
        /// The routing scheme that is to run.
        scheme: Scheme,
    },
    /// A decision that counts the credits of single virtual channels, on a switch that knows only sums.
    #[error(
        "switch image: decision {} counts the credits of single virtual channels (queue=channel), but this switch knows only their sums; accepted an image with queue=port, or credits by port and channel",
        .decision.name()
    )]
    SumsOnly {
        /// The decision.
        decision: Decision,
    },
    /// A packet of a scheme, or on VLB paths, for which this switch was not booted.
    #[error(
        "this switch was booted for {} on {} VLB paths; it serves no packet of {} on {} ones, which can need more virtual channels",
        .booted_for.0.name(), .booted_for.1.name(), .scheme.name(), .paths.name()
    )]
    WrongScheme {
        /// The packet's scheme.
        scheme: Scheme,
        /// Its VLB paths.
        paths: VlbPaths,
        /// What the switch was booted for.
        booted_for: (Scheme, VlbPaths),
    },
    /// Images that cannot replace those in use while packets are in transit.
    #[error("replacement of tables in use: its {what} is {found:#x}, but it must stay {needed:#x}")]
    Replacement {
        /// The difference.
        what: &'static str,
        /// Its value in the new images.
        found: u64,
        /// Its value in those in use.
        needed: u64,
    },
    /// Images of another fabric, with a part in use that differs between the two.
    #[error("replacement of tables in use: {part} is not the same in the fabric of the {} tables, and the {tables} ones draw paths over it; accepted once their fault image lists it", if *.tables == "old" { "new" } else { "old" })]
    PartInUse {
        /// The part.
        part: Part,
        /// The tables that draw paths over it, "old" or "new".
        tables: &'static str,
    },
    /// A packet for a node that the fabric does not have.
    #[error("there is no node {node}; the last is {last}")]
    NoSuchNode {
        /// The node asked for.
        node: NodeId,
        /// The last node of the fabric.
        last: NodeId,
    },
    /// No path leads from this switch to a destination in another group.
    #[error(
        "no path leads from switch {from} to switch {to}: neither a minimal path nor one over another group is left"
    )]
    Unreachable {
        /// The source switch.
        from: SwitchId,
        /// The destination switch.
        to: SwitchId,
    },
    /// The header of a packet that decides at every hop, where a decided path is needed.
    #[error("header {bits:#018x}: its kind (the two lowest bits) is {}, accepted 0 (MIN), 1 (MIN open to PAR) or 2 (VLB)", .bits & 3)]
    HeaderKind {
        /// The header.
        bits: u64,
    },
    /// A header that names a switch, node or port that the fabric does not have.
    #[error("header {bits:#018x}: its {field} is {found}, accepted 0 to {most}")]
    HeaderRange {
        /// The header.
        bits: u64,
        /// The field.
        field: &'static str,
        /// Its value.
        found: u32,
        /// Its largest valid value.
        most: u32,
    },
    /// A packet that cannot have come to this switch at this stage of its route.
    #[error("header {bits:#018x}: at stage {stage:?} its route does not lead through switch {at}")]
    Astray {
        /// The header.
        bits: u64,
        /// Its stage.
        stage: Stage,
        /// The switch it was given to.
        at: SwitchId,
    },
    /// The route leaves through a port that has no cable.
    #[error("header {bits:#018x}: its route leaves by port {port}, which has no cable")]
    NoCable {
        /// The header.
        bits: u64,
        /// The physical port.
        port: Port,
    },
    /// The packet would need a virtual channel that the scheme does not have.
    #[error("header {bits:#018x}: it would need virtual channel {needed}, but there are {count}")]
    NoChannel {
        /// The header.
        bits: u64,
        /// The channel needed.
        needed: u8,
        /// How many channels there are.
        count: u8,
    },
}

impl Error {
    /// The number of the error in `tvlb.h`, for counters and messages: it never changes its meaning. Errors with the
    /// same answer in a program may share one.
    pub const fn code(&self) -> i32 {
        match self {
            Self::FabricImage(_) => 3,
            Self::SwitchImage(_) => 4,
            Self::TooFewChannels { .. } => 5,
            Self::NoSuchNode { .. } => 6,
            Self::Unreachable { .. } => 7,
            Self::HeaderKind { .. } => 8,
            Self::HeaderRange { .. } => 9,
            Self::Astray { .. } => 10,
            Self::NoCable { .. } => 11,
            Self::NoChannel { .. } => 12,
            Self::WrongScheme { .. } => 15,
            Self::Replacement { .. } | Self::PartInUse { .. } => 16,
            Self::FaultImage(_) => 17,
            Self::OldFaults { .. } => 18,
            Self::SumsOnly { .. } => 24,
        }
    }
}
