//! The schemes that can be simulated: those of the datapath; UGAL by the group, which is the datapath's UGAL-L with
//! switches that tell each other about their global ports; and UGAL-G, which no switch can run. It is UGAL-L by the
//! queues along whole paths.

use tvlb_firmware_model as datapath;
use tvlb_schema::Decision;

/// How a source switch chooses between a packet's MIN and its VLB path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    Min,
    Vlb,
    UgalL,
    Par,
    /// As UGAL-L, and by what the other switches of the group have told about their global ports.
    UgalGroup,
    /// By the queues along both paths, whatever their lengths.
    UgalG,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Min, Self::Vlb, Self::UgalL, Self::Par, Self::UgalGroup, Self::UgalG];

    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UgalGroup => "ugal-group",
            Self::UgalG => "ugal-g",
            _ => self.of_switch().name(),
        }
    }

    /// The scheme of the switches, which determines the sets and virtual channels of packets.
    pub const fn of_switch(self) -> datapath::Scheme {
        match self {
            Self::Min => datapath::Scheme::Min,
            Self::Vlb => datapath::Scheme::Vlb,
            Self::UgalL | Self::UgalGroup | Self::UgalG => datapath::Scheme::UgalL,
            Self::Par => datapath::Scheme::Par,
        }
    }

    /// The decisions whose sets its packets draw VLB paths from: at the source, and at the second look. VLB draws from
    /// UGAL-L's set, and decides nothing.
    pub const fn decisions(self) -> [Option<Decision>; 2] {
        match self {
            Self::Min => [None, None],
            Self::Vlb | Self::UgalL | Self::UgalGroup | Self::UgalG => {
                [Some(Decision::UgalL), None]
            }
            Self::Par => [Some(Decision::ParSource), Some(Decision::ParSecond)],
        }
    }
}

impl serde::Serialize for Scheme {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
