//! The columns of tables of runs: what was run, with everything that its figures depend on, so that lines of several
//! files can share one, and the figures.

use crate::figures::Figures;
use crate::outcome::{Fairness, LinkLoad, Outcome};
use crate::settings::Settings;
use crate::study::Estimate;
use tvlb_base::parameter::{self, Parameter, Parameters};
use tvlb_base::row;
use tvlb_base::table::{Cell, Column};
use tvlb_schema::{MinCandidate, Weighing};
use tvlb_table_set::OpenWeighing;

/// The first columns: what was run, except load and seed. A file that lists traffic or a placement has the name that
/// the user gave, and the next column has the SHA-256 of its lines; empty without a file.
pub const IDENTITY: [Column<'_>; 8] = [
    Column::words("fabric", ""),
    Column::words("scheme", "how packets find their ways"),
    Column::words("set", ""),
    Column::words("second-set", ""),
    Column::words("traffic", ""),
    Column::words("traffic-content", ""),
    Column::words("placement", ""),
    Column::words("placement-content", ""),
];

/// What each node offers in a run.
pub const LOAD: Column<'_> = Column::number(
    "load",
    4,
    "flits that each node offers per cycle; * where a run was saturated, + where the latency was still growing as \
     the run ended",
);

pub const SEED: Column<'_> = Column::number("seed", 0, "the seed of the run");

/// The columns of a run's figures.
pub const FIGURES: [Column<'_>; 20] = [
    Column::words("population", "the population of nodes, if traffic has several"),
    Column::words("saturated", "whether the mean latency was above the limit"),
    Column::words("growing", "whether it was still growing as the measurement ended"),
    Column::number("packets", 0, "packets that the latencies are of"),
    Column::number("latency", 2, "mean cycles from the generation of a packet to its delivery"),
    Column::number("p50", 0, "the median of it"),
    Column::number("p99", 0, "its 99th percentile"),
    Column::number("p99.9", 0, "its 99.9th percentile"),
    Column::number("max", 0, "the largest"),
    Column::number("network-latency", 2, "mean cycles from the node's sending to delivery")
        .under("network"),
    Column::number("accepted", 4, "flits delivered per sending node and cycle"),
    Column::number("hops", 3, "mean links between switches of a packet"),
    Column::number("vlb-share", 3, "share of the packets by VLB").under("VLB"),
    Column::number("least", 3, "flits per cycle of the node that was served worst"),
    Column::number("most", 3, "flits per cycle of the node that was served best"),
    Column::number("jain", 4, "Jain's index of fairness").under("Jain"),
    Column::number("local-mean", 3, "flits per cycle on a link within groups").under("local"),
    Column::number("local-most", 3, "on the busiest of them").under("local max"),
    Column::number("global-mean", 3, "flits per cycle on a link between groups").under("global"),
    Column::number("global-most", 3, "on the busiest of them").under("global max"),
];

/// The index of the latency among them.
pub const LATENCY: usize = 4;

/// Their values: once for all nodes, and once for each population if there are several.
pub fn figures(outcome: &Outcome) -> Vec<Vec<Cell>> {
    let Outcome { saturated, growing, fairness, local_links, global_links, .. } = outcome;
    let of = |of: &Figures| {
        population_figures((*saturated, *growing), of, fairness, [local_links, global_links])
    };
    std::iter::once(&outcome.all).chain(&outcome.populations).map(of).collect()
}

/// Their values for a population of nodes, whether the run is saturated and grows, and the loads of local and global
/// links.
pub fn population_figures(
    (saturated, growing): (bool, bool),
    figures: &Figures,
    fairness: &Fairness,
    [local_links, global_links]: [&LinkLoad; 2],
) -> Vec<Cell> {
    let Fairness { least: worst, most: best, jain } = *fairness;
    let Figures { latency, p50, p99, p999, most, .. } = *figures;
    let Figures { packets, network_latency, accepted, hops, vlb_share, .. } = *figures;
    row![
        figures.population,
        saturated,
        growing,
        packets,
        latency,
        p50,
        p99,
        p999,
        most,
        network_latency,
        accepted,
        hops,
        vlb_share,
        worst,
        best,
        jain,
        local_links.mean,
        local_links.most,
        global_links.mean,
        global_links.most,
    ]
}

/// Combines rows of several seeds: the mean of numbers, the largest of the column `max`; all else as in the first.
pub fn over_seeds(columns: &[Column<'_>], rows: &[Vec<Cell>]) -> Vec<Cell> {
    let of = |(place, column): (usize, &Column<'_>)| {
        let numbers: Vec<f64> = rows.iter().filter_map(|row| row[place].number()).collect();
        if numbers.is_empty() {
            rows.first().map_or(Cell::Nothing, |row| row[place].clone())
        } else if column.name == "max" {
            numbers.into_iter().fold(0.0, f64::max).into()
        } else {
            Estimate::of(&numbers).mean.into()
        }
    };
    columns.iter().enumerate().map(of).collect()
}

pub const WINDOWS: Column<'_> =
    Column::number("windows", 0, "measured windows, if they are measured until they agree");

/// The columns of a curve for people: those of figures from the latency on, followed by its error.
pub fn curve_columns() -> Vec<Column<'static>> {
    let error =
        Column::number("latency-error", 2, "its standard error over the seeds").under("\u{b1}");
    let mut columns = vec![LOAD, FIGURES[0]];
    columns.extend(&FIGURES[LATENCY..]);
    columns.insert(3, error);
    columns.push(WINDOWS);
    columns
}

/// The words of a policy for either of PAR's decisions, each with its column at the second look.
pub fn words() -> impl Iterator<Item = (&'static Parameter<OpenWeighing>, &'static str)> {
    OpenWeighing::ALL.iter().filter_map(|word| Some((word, word.at_second?)))
}

/// The columns of how decisions weigh, each at the source and at PAR's second look.
pub fn weighing_columns() -> impl Iterator<Item = Column<'static>> {
    words().flat_map(|(word, second)| [word.column(), Column::words(second, word.meaning)])
}

/// Their values for two decisions; empty for one that a scheme does not make.
pub fn weighings(both: [Option<Weighing>; 2]) -> Vec<Cell> {
    let open = |weighing| OpenWeighing::closed(weighing, MinCandidate::Kept);
    let both = both.map(|weighing| weighing.map(open).unwrap_or_default());
    words().flat_map(|(word, _)| both.each_ref().map(|open| word.get(open))).collect()
}

/// The last columns: how decisions weigh, what is dead, the properties of switches and links, and how a run is
/// measured.
pub fn settings_columns() -> Vec<Column<'static>> {
    let dead = Column::words("faults", "");
    weighing_columns().chain([dead]).chain(parameter::columns::<Settings>()).collect()
}

/// Their values for the decisions at the source and at PAR's second look, the dead parts in words, and the settings.
/// The number of virtual channels is empty if it is as many as packets need.
pub fn settings(both: [Option<Weighing>; 2], faults: &str, settings: &Settings) -> Vec<Cell> {
    let mut row = weighings(both);
    row.push(faults.into());
    row.extend(parameter::cells(settings));
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheme;
    use tvlb_base::table::csv;
    use tvlb_firmware_model::VlbPaths;
    use tvlb_schema::{Candidates, Gate, Queue, VcScheme};

    #[test]
    fn a_decision_that_is_not_made_leaves_its_columns_empty() {
        let candidates = Candidates::new(1, 4).expect("in range");
        let gate = Gate::of_sixteenths(20);
        let queue = Queue::Channel;
        let weighing = Weighing { threshold: -2, candidates, gate, queue, ..Weighing::default() };
        assert_eq!(csv(&weighings([Some(weighing), None])), "-2,,1x4,,1.25,,channel,,drawn,");
        assert_eq!(
            csv(&weighings([Some(weighing), Some(0.into())])),
            "-2,0,1x4,1x1,1.25,0,channel,port,drawn,drawn"
        );
        assert_eq!(weighings([None, None]).len(), weighing_columns().count());
    }

    #[test]
    fn there_is_a_column_for_each_setting() {
        let vc_scheme = Some(VcScheme::Ordered);
        let plain = Settings { vc_scheme, ..Settings::new(Scheme::Par, VlbPaths::Custom) };
        let row = settings([None, None], "none", &plain);
        let expected =
            ",,,,,,,,,,none,ordered,,zero,sending,,,16,32,2,10,15,1,2,1,1,1,10000,3,one-window,500";
        assert_eq!(csv(&row), expected);
        assert_eq!(row.len(), settings_columns().len());
    }

    #[test]
    fn several_seeds_are_one_row() {
        let columns = [Column::number("latency", 2, ""), FIGURES[8], FIGURES[0]];
        let rows = [row![40.0, 7_u32, "all"], row![41.0, 9_u32, "all"]];
        assert_eq!(over_seeds(&columns, &rows), row![40.5, 9.0, "all"]);
    }
}
