//! Options whose values come from the libraries: schemes, objectives and the like.
//!
//! Each option has a table of the values that it accepts. The name is the value's own, so that the command line, the
//! files and the reports agree; the table adds the line of --help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tvlb_generator::choose::{PanelSize, Prefer};
use tvlb_schema::Decision;
use tvlb_simulator::Scheme;
use tvlb_throughput::{Counting, Rule};

/// The values of an option, each with its line of --help.
pub type Choices<T> = &'static [(T, &'static str)];

pub const SCHEMES: Choices<Scheme> = &[
    (Scheme::Min, "Always MIN"),
    (Scheme::Vlb, "Always VLB"),
    (Scheme::UgalL, "By the queues of the first output ports"),
    (Scheme::Par, "As ugal-l, and once more at the second switch"),
    (
        Scheme::UgalGroup,
        "As ugal-l, and by what the group's other switches say about their global ports",
    ),
    (Scheme::UgalG, "By the queues along the whole paths"),
];

pub const SCHEMES_WITH_SETS: Choices<Scheme> = &[
    (Scheme::UgalL, "One decision, at the source"),
    (Scheme::Par, "Two: at the source, and at the next switch of its group"),
];

pub const DECISIONS: Choices<Decision> = &[
    (Decision::UgalL, "UGAL-L's, at the source"),
    (Decision::ParSource, "PAR's at the source"),
    (Decision::ParSecond, "PAR's second look"),
];

pub const OBJECTIVES: Choices<Prefer> = &[
    (
        Prefer::Throughput,
        "Saturation under adversarial traffic; the least latency among candidates within 0.005",
    ),
    (Prefer::Latency, "Latency at low load, without losing saturation"),
    (Prefer::Robust, "The worst case over adversarial and other traffic"),
];

pub const PANELS: Choices<PanelSize> = &[
    (
        PanelSize::Standard,
        "Nine adversarial patterns, and other traffic of five kinds as eight guards; three and seven beyond 200 switches",
    ),
    (PanelSize::Quick, "Two adversarial patterns and three guards: a glance, not to be relied on"),
];

pub const COUNTINGS: Choices<Counting> = &[
    (Counting::Triples, "Every (intermediate switch, MIN leg, MIN leg), as the papers count"),
    (Counting::Routes, "Distinct simple routes"),
];

pub const RULES: Choices<Rule> = &[
    (Rule::Monotone, "Longer VLB paths carry no more than shorter ones, each"),
    (Rule::MonotoneTotals, "Longer VLB paths carry no more than shorter ones, together"),
    (Rule::MonotoneWithMin, "Longer paths carry no more than shorter ones, MIN too"),
    (Rule::HopCount, "VLB paths of one hop count carry the same"),
    (Rule::BySwitch, "VLB paths through one intermediate switch carry the same"),
    (Rule::ByPath, "Each VLB path has a rate of its own"),
];

/// Accepts one of these values by its name.
pub fn one_of<T>(
    choices: Choices<T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let shown = choices.iter().map(|&(value, help)| PossibleValue::new(name(value)).help(help));
    PossibleValuesParser::new(shown).map(move |text| {
        let mut values = choices.iter().map(|&(value, _)| value);
        values
            .find(|&value| name(value).eq_ignore_ascii_case(&text))
            .expect("the parser lets no other name through")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_can_be_chosen() {
        assert!(SCHEMES.iter().map(|&(scheme, _)| scheme).eq(Scheme::ALL));
    }
}
