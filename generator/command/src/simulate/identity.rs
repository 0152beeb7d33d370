//! What was run, as the lines of CSV and JSON say it: so that those of several runs can stand in one file.

use std::fmt::{self, Display, Formatter};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_generator::table_set::{FabricEntry, Manifest};
use tvlb_schema::Decision;
use tvlb_simulator::Study;

/// The columns of CSV that an [`Identity`] fills.
pub(crate) const IDENTITY_COLUMNS: &str = "fabric,scheme,set,second-set,traffic,placement";

/// What was run, apart from loads, seeds and how decisions weigh.
pub(crate) struct Identity<'a> {
    /// The fabric.
    pub(super) fabric: &'a FabricEntry,
    scheme: &'static str,
    /// The set that VLB paths come from at the source, or `conventional`; none under MIN.
    pub(crate) set: Option<&'a str>,
    /// That of PAR's second look.
    pub(crate) second_set: Option<&'a str>,
    traffic: String,
    placement: String,
}

impl<'a> Identity<'a> {
    pub(super) fn new(study: &Study<'_>, manifest: &'a Manifest) -> Self {
        let decisions = match study.settings.scheme {
            Scheme::Min => [None, None],
            // VLB and UGAL-G have no set of their own.
            Scheme::Vlb | Scheme::UgalL | Scheme::UgalG => [Some(Decision::UgalL), None],
            Scheme::Par => [Decision::ParSource, Decision::ParSecond].map(Some),
        };
        Self::of(
            manifest,
            (study.settings.scheme.name(), study.settings.paths, decisions),
            [study.pattern.to_string(), study.placement.to_string()],
        )
    }

    /// That of a scheme which draws VLB paths from the sets of these decisions, or conventionally instead.
    pub(crate) fn of(
        manifest: &'a Manifest,
        (scheme, paths, decisions): (&'static str, VlbPaths, [Option<Decision>; 2]),
        [traffic, placement]: [String; 2],
    ) -> Self {
        let set = |decision| match paths {
            VlbPaths::Conventional => "conventional",
            VlbPaths::Custom => manifest.sets.get(decision).set.as_str(),
        };
        let [set, second_set] = decisions.map(|decision| decision.map(set));
        Self { fabric: &manifest.fabric, scheme, set, second_set, traffic, placement }
    }
}

/// The columns of CSV.
impl Display for Identity<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { fabric, scheme, set, second_set, traffic, placement } = self;
        let [set, second] = [set, second_set].map(|set| field(set.unwrap_or_default()));
        let (fabric, traffic, placement) = (field(&fabric.name), field(traffic), field(placement));
        write!(f, "{fabric},{scheme},{set},{second},{traffic},{placement}")
    }
}

/// A field of CSV, in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_a_comma_or_a_quote_is_quoted() {
        assert_eq!(field("uniform"), "uniform");
        assert_eq!(field("shift(2,0)"), "\"shift(2,0)\"");
        assert_eq!(field("pairs:a \"b\".csv"), "\"pairs:a \"\"b\"\".csv\"");
    }
}
