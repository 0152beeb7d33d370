//! The names of columns in a picture, and which of them describe a run.

use tvlb_base::parameter::{Parameter, Parameters};
use tvlb_base::table::DRAWN;
use tvlb_lab::cut_through::CutThrough;
use tvlb_schema::{MinCandidate, Weighing};
use tvlb_simulator::{Settings, columns};
use tvlb_table_set::OpenWeighing;

/// Whether a figure is a latency: that of a saturated run shows only how long the run was.
pub(super) fn is_latency(column: &str) -> bool {
    matches!(column, "latency" | "p50" | "p99" | "p99.9" | "max" | "network-latency")
}

/// The name of a column on an axis, with its unit.
pub(super) fn words(column: &str, unit: &str) -> String {
    match column {
        "load" => format!("offered load ({unit} per node and cycle)"),
        "latency" => "mean latency (cycles)".to_owned(),
        "p50" => "median latency (cycles)".to_owned(),
        "p99" => "99th percentile of the latency (cycles)".to_owned(),
        "p99.9" => "99.9th percentile of the latency (cycles)".to_owned(),
        "max" => "largest latency (cycles)".to_owned(),
        "network-latency" => "mean latency in the network (cycles)".to_owned(),
        "accepted" => format!("accepted load ({unit} per node and cycle)"),
        "generated" => format!("generated load ({unit} per node and cycle)"),
        "hops" => "mean hops of a packet".to_owned(),
        "local-hops" => "mean hops within groups".to_owned(),
        "global-hops" => "mean hops between groups".to_owned(),
        "vlb-share" => "share of packets by VLB".to_owned(),
        "least" => format!("the node that is served worst ({unit} per cycle)"),
        "most" => format!("the node that is served best ({unit} per cycle)"),
        "jain" => "Jain's index of fairness".to_owned(),
        "local-mean" => format!("mean load of local links ({unit} per cycle)"),
        "local-most" => format!("load of the busiest local link ({unit} per cycle)"),
        "global-mean" => format!("mean load of global links ({unit} per cycle)"),
        "global-most" => format!("load of the busiest global link ({unit} per cycle)"),
        "from" => "cycle".to_owned(),
        "by-latency" => format!("saturation by latency ({unit} per node and cycle)"),
        "by-acceptance" => format!("saturation by acceptance ({unit} per node and cycle)"),
        "accepted-beyond" => format!("accepted beyond saturation ({unit} per node and cycle)"),
        "saturation" => format!("saturation ({unit} per node and cycle)"),
        "ratio" => "bandwidth of a global link over that of a local link".to_owned(),
        "median" => "median time (messages on a local link)".to_owned(),
        "mean-hops" => "mean hops of the VLB paths".to_owned(),
        "threshold" => "T at the source".to_owned(),
        "p" => "p: nodes per switch".to_owned(),
        other => other.to_owned(),
    }
}

/// Columns by the names that tables give them.
pub(super) fn canonical(name: &str) -> &str {
    match name {
        "vlb" | "VLB" => "vlb-share",
        "network" => "network-latency",
        "Jain" => "jain",
        "T" => "threshold",
        "median-latency" => "p50",
        other => other,
    }
}

/// Columns that describe the network of a run, in the order of a legend, with the text before the value. The weighing
/// of decisions follows them.
const NETWORK: [(&str, &str); 11] = [
    ("fabric", ""),
    ("p", "p = "),
    ("a", "a = "),
    ("h", "h = "),
    ("g", "g = "),
    ("scheme", ""),
    ("line", ""),
    ("variant", ""),
    ("paths", ""),
    ("set", ""),
    ("second-set", ""),
];

/// The same for the traffic.
const TRAFFIC: [(&str, &str); 14] = [
    ("traffic", ""),
    ("burst", "burst of "),
    ("placement", "placed by "),
    ("arrangement", ""),
    ("map", "map "),
    ("load", "load "),
    ("ratio", "ratio "),
    ("place", "placed by "),
    ("phase", ""),
    ("workload", ""),
    ("population", "nodes: "),
    ("on-front", "on the front: "),
    ("faults", "dead: "),
    ("criterion", "by "),
];

/// Other settings of runs, with the text before the value.
const SET: [(&str, &str); 3] = [
    ("resolution", "resolution "),
    ("traffic-content", "traffic "),
    ("placement-content", "placement "),
];

/// Settings of runs. A picture mentions them only if they differ.
pub(super) fn settings() -> impl Iterator<Item = &'static str> {
    let of_engines = names::<Settings>().chain(names::<CutThrough>());
    of_engines.chain(SET.into_iter().map(|(name, _)| name))
}

fn names<S: Parameters>() -> impl Iterator<Item = &'static str> {
    S::ALL.iter().map(|parameter| parameter.name)
}

/// The columns that describe a run. All others that have numbers are figures.
pub(super) fn what_was_run() -> impl Iterator<Item = &'static str> {
    let name = |(name, _)| name;
    let words = columns::words().flat_map(|(word, second)| [word.name, second]);
    NETWORK
        .into_iter()
        .map(name)
        .chain(words)
        .chain(TRAFFIC.into_iter().map(name))
        .chain(settings())
}

/// Whether a column describes what the name of a line of a study already says.
pub(super) fn is_of_line(column: &str) -> bool {
    let mut words = columns::words().flat_map(|(word, second)| [word.name, second]);
    ["scheme", "set", "second-set"].contains(&column)
        || words.any(|word| word == column)
        || settings().any(|setting| setting == column)
}

/// The text of a legend for a value in a column.
pub(super) fn in_legend(column: &str, value: &str) -> String {
    fn of<S: Parameters>(column: &str, value: &str) -> Option<String> {
        Some(Parameter::<S>::named(column).ok()?.in_legend(value))
    }
    let known = NETWORK.into_iter().chain(TRAFFIC).chain(SET).find(|(name, _)| *name == column);
    let known = known.map(|(_, before)| format!("{before}{value}"));
    let word = || of::<OpenWeighing>(column, value);
    let set = || of::<Settings>(column, value).or_else(|| of::<CutThrough>(column, value));
    known.or_else(word).or_else(set).unwrap_or_else(|| value.to_owned())
}

/// Whether these words of a legend are those of a policy's default.
pub(super) fn is_usual(column: &str, words: &str) -> bool {
    let usual = OpenWeighing::closed(Weighing::default(), MinCandidate::Kept);
    let word = Parameter::<OpenWeighing>::named(column);
    word.is_ok_and(|word| word.in_legend(&word.get(&usual).to_string()) == words)
}

/// Columns of text and counts that neither describe a run nor are figures.
pub(super) const NEITHER: [&str; 9] =
    ["seed", "seeds", "saturated", "growing", "same-as", "worst", "link", "settled", DRAWN];
