//! The files that `tvlb-lab plot` can draw, told apart by their columns, and what the columns are called in a
//! picture.

use tvlb_base::parameter::{Parameter, Parameters};
use tvlb_lab::cut_through::CutThrough;
use tvlb_simulator::Settings;

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// In words.
    pub(super) name: &'static str,
    /// The columns that make it one of this kind.
    columns: &'static [&'static str],
    /// What is to the right unless something else is asked for; nothing where each line is one place.
    pub(super) x: Option<&'static str>,
    /// What is upwards unless something else is asked for.
    pub(super) y: &'static str,
    /// What its figures count. Files that count different things do not go into one picture.
    pub(super) unit: Unit,
}

/// What figures count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Flits,
    Phits,
    /// Flits again, over time.
    Windows,
    /// Phits, over time.
    PhitWindows,
    /// Loads of saturation.
    Saturations,
    /// Something of a study's own.
    Own,
}

/// All kinds; a file is of the first whose columns it has.
const KINDS: [Kind; 16] = [
    Kind {
        name: "runs of `tvlb-lab cut-through`",
        columns: &["load", "latency", "generated", "accepted"],
        x: Some("load"),
        y: "latency",
        unit: Unit::Phits,
    },
    Kind {
        name: "runs of cut-through switches of a study",
        columns: &["line", "load", "latency", "accepted", "escape-hops"],
        x: Some("load"),
        y: "latency",
        unit: Unit::Phits,
    },
    Kind {
        name: "means over seeds of `tvlb-lab sweep`",
        columns: &["scheme", "load", "seeds", "latency", "latency-error"],
        x: Some("load"),
        y: "latency",
        unit: Unit::Flits,
    },
    Kind {
        name: "a series over time of `tvlb-lab cut-through --series`",
        columns: &["scheme", "load", "from", "accepted", "latency", "packet"],
        x: Some("from"),
        y: "accepted",
        unit: Unit::PhitWindows,
    },
    Kind {
        name: "a series over time of cut-through switches of a study",
        columns: &["line", "load", "from", "accepted", "latency"],
        x: Some("from"),
        y: "accepted",
        unit: Unit::PhitWindows,
    },
    Kind {
        name: "a series over time of `tvlb simulate --series` or of a study",
        columns: &["scheme", "load", "from", "accepted", "latency"],
        x: Some("from"),
        y: "accepted",
        unit: Unit::Windows,
    },
    Kind {
        name: "saturations of `tvlb-lab sweep`",
        columns: &["scheme", "criterion", "saturation"],
        x: None,
        y: "saturation",
        unit: Unit::Saturations,
    },
    Kind {
        name: "saturations of cut-through switches of a study",
        columns: &["line", "criterion", "saturation"],
        x: None,
        y: "saturation",
        unit: Unit::Saturations,
    },
    Kind {
        name: "saturations of `tvlb-lab cut-through --saturation`",
        columns: &["scheme", "by-acceptance", "packet"],
        x: None,
        y: "by-acceptance",
        unit: Unit::Saturations,
    },
    Kind {
        name: "saturations of `tvlb simulate --saturation`",
        columns: &["scheme", "by-latency", "by-acceptance"],
        x: None,
        y: "by-latency",
        unit: Unit::Saturations,
    },
    Kind {
        name: "runs of `tvlb simulate` or `tvlb-lab sweep`",
        columns: &["scheme", "load", "latency", "accepted"],
        x: Some("load"),
        y: "latency",
        unit: Unit::Flits,
    },
    Kind {
        name: "loads of links of a study",
        columns: &["paths", "traffic", "static-saturation"],
        x: Some("p"),
        y: "static-saturation",
        unit: Unit::Own,
    },
    Kind {
        name: "times of jobs of a study",
        columns: &["ratio", "place", "map", "median"],
        x: Some("ratio"),
        y: "median",
        unit: Unit::Own,
    },
    Kind {
        name: "sets of `tvlb model --csv`",
        columns: &["set", "throughput", "mean-hops", "on-front"],
        x: Some("mean-hops"),
        y: "throughput",
        unit: Unit::Own,
    },
    Kind {
        name: "sets of a model of a study",
        columns: &["set", "throughput", "standard-error", "mean-hops"],
        x: Some("mean-hops"),
        y: "throughput",
        unit: Unit::Own,
    },
    Kind {
        name: "paths of a study",
        columns: &["set", "routes-per-pair", "mean-hops"],
        x: None,
        y: "mean-hops",
        unit: Unit::Own,
    },
];

impl Kind {
    /// Whether each line is a point of its own which no line leads to: a set, that is.
    pub(super) fn is_scattered(&self) -> bool {
        self.columns.contains(&"on-front") || self.columns.contains(&"standard-error")
    }

    /// The kind of a file with these columns.
    pub(super) fn of(columns: &[String]) -> Option<&'static Self> {
        let has = |name: &&str| columns.iter().any(|column| column == name);
        KINDS.iter().find(|kind| kind.columns.iter().all(has))
    }
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Self::Phits | Self::PhitWindows => "phits",
            _ => "flits",
        }
    }

    /// What is counted, for errors.
    pub(super) const fn counted(self) -> &'static str {
        match self {
            Self::Flits => "flits and cycles of whole runs",
            Self::Phits => "phits and cycles of whole runs",
            Self::Windows => "flits and cycles of windows of time",
            Self::PhitWindows => "phits and cycles of windows of time",
            Self::Saturations => "loads of saturation",
            Self::Own => "something of their own",
        }
    }
}

/// Whether a figure is a latency: where a run is saturated it only says how long the run was.
pub(super) fn is_latency(column: &str) -> bool {
    matches!(column, "latency" | "p50" | "p99" | "p99.9" | "max" | "network-latency")
}

/// What a column is called on an axis, with its unit.
pub(super) fn words(column: &str, unit: Unit) -> String {
    let unit = unit.name();
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

/// Columns that say what was run, in the order in which a legend names them, with what stands before the
/// value. All other columns that have numbers are figures.
pub(super) const IDENTITY: [(&str, &str); 33] = [
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
    ("threshold", "T = "),
    ("second-threshold", "T = "),
    ("candidates", ""),
    ("second-candidates", ""),
    ("gate", "gate "),
    ("second-gate", "gate "),
    ("queue", "queue of "),
    ("second-queue", "queue of "),
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

/// What else is set of runs, with what stands before the value.
const SET: [(&str, &str); 3] = [
    ("resolution", "resolution "),
    ("traffic-content", "traffic "),
    ("placement-content", "placement "),
];

/// Settings of runs. They tell series apart where they differ, and are not said of a picture in which they do not.
pub(super) fn settings() -> impl Iterator<Item = &'static str> {
    let of_engines = names::<Settings>().chain(names::<CutThrough>());
    of_engines.chain(SET.into_iter().map(|(name, _)| name))
}

fn names<S: Parameters>() -> impl Iterator<Item = &'static str> {
    S::ALL.iter().map(|parameter| parameter.name)
}

/// The columns of [`IDENTITY`] and [`settings`].
pub(super) fn what_was_run() -> impl Iterator<Item = &'static str> {
    IDENTITY.into_iter().map(|(name, _)| name).chain(settings())
}

/// What a legend says of a value in a column.
pub(super) fn in_legend(column: &str, value: &str) -> String {
    fn of<S: Parameters>(column: &str, value: &str) -> Option<String> {
        Some(Parameter::<S>::named(column).ok()?.in_legend(value))
    }
    let known = IDENTITY.into_iter().chain(SET).find(|(name, _)| *name == column);
    let known = known.map(|(_, before)| format!("{before}{value}"));
    let set = || of::<Settings>(column, value).or_else(|| of::<CutThrough>(column, value));
    known.or_else(set).unwrap_or_else(|| value.to_owned())
}

/// Columns of text and counts that neither say what was run nor are figures.
pub(super) const NEITHER: [&str; 8] =
    ["seed", "seeds", "saturated", "growing", "same-as", "worst", "link", "settled"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_columns() {
        let of = |columns: &str| {
            let columns: Vec<String> = columns.split(',').map(str::to_owned).collect();
            Kind::of(&columns).map(|kind| (kind.x, kind.y, kind.unit))
        };
        let runs = "fabric,scheme,set,traffic,load,seed,population,saturated,latency,accepted";
        assert_eq!(of(runs), Some((Some("load"), "latency", Unit::Flits)));
        let series = "fabric,scheme,load,seed,from,accepted,latency";
        assert_eq!(of(series), Some((Some("from"), "accepted", Unit::Windows)));
        let found = "fabric,scheme,seed,by-latency,by-acceptance,accepted-beyond";
        assert_eq!(of(found), Some((None, "by-latency", Unit::Saturations)));
        let found = "fabric,scheme,set,traffic,placement,seed,criterion,saturation,accepted-beyond";
        assert_eq!(of(found), Some((None, "saturation", Unit::Saturations)));
        assert_eq!(of("load,latency"), None);
        assert_eq!(of("from_group,from_switch"), None);
    }
}
