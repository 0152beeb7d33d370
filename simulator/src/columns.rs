//! The columns of CSV tables that say how decisions weighed.

use tvlb_schema::Weighing;

/// The names of these columns: of the decision at the source, and of PAR's second look.
pub const WEIGHING_COLUMNS: &str =
    "threshold,second-threshold,candidates,second-candidates,gate,second-gate";

/// What stands in them for two decisions; nothing for one that a scheme does not make.
pub fn weighing_columns(source: Option<Weighing>, second: Option<Weighing>) -> String {
    let mut columns = Vec::new();
    let both = [source, second];
    columns.extend(both.map(|weighing| weighing.map(|weighing| weighing.threshold.to_string())));
    columns.extend(both.map(|weighing| weighing.map(|weighing| weighing.candidates.to_string())));
    columns.extend(both.map(|weighing| weighing.map(|weighing| weighing.gate.to_string())));
    columns.into_iter().map(Option::unwrap_or_default).collect::<Vec<String>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::{Candidates, Gate};

    #[test]
    fn a_decision_that_is_not_made_leaves_its_columns_empty() {
        let candidates = Candidates::new(1, 4).expect("in range");
        let weighing = Weighing { threshold: -2, candidates, gate: Gate::of_sixteenths(20) };
        assert_eq!(weighing_columns(Some(weighing), None), "-2,,1x4,,1.25,");
        assert_eq!(weighing_columns(Some(weighing), Some(0.into())), "-2,0,1x4,1x1,1.25,0");
        assert_eq!(weighing_columns(None, None).matches(',').count(), 5);
        assert_eq!(WEIGHING_COLUMNS.matches(',').count(), 5);
    }
}
