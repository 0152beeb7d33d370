//! The features that plain fabrics do not need: a build without `any-fabric` refuses images that have them.

use crate::{Decision, FabricImage, SetRule, SwitchImage};

/// A feature of an image that a plain fabric does not need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    UnequalGroups,
    UnevenWirings,
    LocalLinks,
    SetsBySwitch,
    Faults,
    PortMaps,
}

impl Feature {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::UnequalGroups => "groups of several kinds",
            Self::UnevenWirings => "groups joined by different numbers of links, or unused ports",
            Self::LocalLinks => "switches of a group that several links join, or none",
            Self::SetsBySwitch => "a set of intermediate switches",
            Self::Faults => "dead cables, links or switches",
            Self::PortMaps => "a port map",
        }
    }
}

impl FabricImage<'_> {
    /// The feature of this image that a build without `any-fabric` refuses, in the words of its refusal; `None` if it
    /// boots it.
    ///
    /// # Example
    /// ```
    /// use tvlb_schema::FabricImage;
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3");
    /// # let plain = std::fs::read(format!("{golden}/fabric.tvlb"))?;
    /// assert_eq!(FabricImage::decode(&plain)?.not_plain(), None);
    /// # let of_kinds = std::fs::read(format!("{golden}-kinds/fabric.tvlb"))?;
    /// # if cfg!(feature = "any-fabric") {
    /// assert_eq!(FabricImage::decode(&of_kinds)?.not_plain(), Some("groups of several kinds"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn not_plain(&self) -> Option<&'static str> {
        let df = self.dragonfly();
        let faults = [
            (df.is_even(), Feature::UnequalGroups),
            (self.planned_group_links().is_single(), Feature::LocalLinks),
            (self.is_regular(), Feature::UnevenWirings),
            (self.is_faultless(), Feature::Faults),
        ];
        faults.into_iter().find(|&(is_plain, _)| !is_plain).map(|(_, feature)| feature.words())
    }
}

impl SetRule {
    /// As [`FabricImage::not_plain`], for an image with this set.
    pub fn not_plain(&self) -> Option<&'static str> {
        self.is_by_switch().then_some(Feature::SetsBySwitch.words())
    }
}

impl SwitchImage<'_> {
    /// As [`FabricImage::not_plain`], for this image; that of its fabric must be checked separately.
    pub fn not_plain(&self) -> Option<&'static str> {
        let of_set = Decision::ALL.into_iter().find_map(|d| self.set(d).rule().not_plain());
        let has_port_map = self.physical_numbers().any(|number| number.is_some());
        of_set.or(has_port_map.then_some(Feature::PortMaps.words()))
    }
}
