//! The columns of CSV tables that say which run a line is of: all that its figures depend on, so that lines of
//! several files can stand in one.

use crate::outcome::{Fairness, Figures, Outcome};
use crate::settings::Settings;
use tvlb_schema::{LinkKind, VcScheme, Weighing};

/// The first columns: what was run, but for load and seed. A file that lists traffic or a placement is named as the
/// user named it, and the column after that has the SHA-256 of its lines; empty without a file.
pub const IDENTITY_COLUMNS: &str =
    "fabric,scheme,set,second-set,traffic,traffic-content,placement,placement-content";

/// What stands in them.
pub fn identity_columns(values: [&str; 8]) -> String {
    values.map(csv_field).join(",")
}

/// The last columns: how decisions weigh, what is dead, and all settings.
pub fn setting_columns_heads() -> String {
    format!("{WEIGHING_COLUMNS},faults,{SETTINGS_COLUMNS}")
}

/// What stands in them for the decisions at the source and at PAR's second look, the dead parts in words, the
/// settings and the rule of virtual channels.
pub fn setting_columns(
    [source, second]: [Option<Weighing>; 2],
    faults: &str,
    settings: &Settings,
    vc_scheme: VcScheme,
) -> String {
    let (weighing, faults) = (weighing_columns(source, second), csv_field(faults));
    format!("{weighing},{faults},{}", settings_columns(settings, vc_scheme))
}

/// The columns of a run's figures.
pub const FIGURE_COLUMNS: &str = "population,saturated,growing,packets,latency,p50,p99,p99.9,max,network-latency,\
     accepted,hops,vlb-share,least,most,jain,local-mean,local-most,global-mean,global-most";

/// What stands in them: once for all nodes, and once for each population where there are several.
pub fn figure_columns(outcome: &Outcome) -> Vec<String> {
    let Outcome { saturated, growing, fairness, local_links, global_links, .. } = outcome;
    let Fairness { least: worst, most: best, jain } = fairness;
    let of_links = format!(
        "{},{},{},{}",
        local_links.mean, local_links.most, global_links.mean, global_links.most
    );
    let of = |figures: &Figures| {
        let Figures { population, packets, latency, p50, p99, p999, most, .. } = figures;
        let Figures { network_latency, accepted, hops, vlb_share, .. } = figures;
        format!(
            "{population},{saturated},{growing},{packets},{latency},{p50},{p99},{p999},{most},{network_latency},\
             {accepted},{hops},{vlb_share},{worst},{best},{jain},{of_links}"
        )
    };
    std::iter::once(&outcome.all).chain(&outcome.populations).map(of).collect()
}

/// A field of CSV, in quotes where it needs them.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The columns that say what switches and links are, and how a run is measured.
const SETTINGS_COLUMNS: &str = "vc-scheme,virtual-channels,injection,buffer,speedup,local-latency,\
     global-latency,node-latency,credit-delay,node-bandwidth,local-bandwidth,global-bandwidth,window,\
     warm-up,measure,latency-limit";

/// What stands in them for a run. The number of virtual channels is empty where it is as many as packets
/// need.
fn settings_columns(settings: &Settings, vc_scheme: VcScheme) -> String {
    let channels = settings.virtual_channels.map_or(String::new(), |number| number.to_string());
    let [node, local, global] = LinkKind::ALL.map(|kind| settings.bandwidths.of(kind));
    format!(
        "{},{channels},{},{},{},{},{},{},{},{node},{local},{global},{},{},{},{}",
        vc_scheme.name(),
        settings.injection.name(),
        settings.buffer_flits,
        settings.speedup,
        settings.local_latency_cycles,
        settings.global_latency_cycles,
        settings.node_latency_cycles,
        settings.credit_delay_cycles,
        settings.window_cycles,
        settings.warm_up_windows,
        settings.measuring.name(),
        settings.latency_limit_cycles,
    )
}

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
    use crate::Scheme;
    use tvlb_firmware_model::VlbPaths;
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

    #[test]
    fn there_is_a_column_for_each_setting() {
        let settings = Settings::new(Scheme::Par, VlbPaths::Custom);
        let columns = setting_columns([None, None], "none", &settings, VcScheme::Ordered);
        let expected = ",,,,,,none,ordered,,zero,32,2,10,15,1,2,1,1,1,10000,3,one-window,500";
        assert_eq!(columns, expected);
        assert_eq!(columns.matches(',').count(), setting_columns_heads().matches(',').count());
    }

    #[test]
    fn a_field_with_a_comma_or_a_quote_is_quoted() {
        let fields = ["uniform", "shift(2,0)", "pairs:a \"b\".csv"].map(csv_field);
        assert_eq!(fields, ["uniform", "\"shift(2,0)\"", "\"pairs:a \"\"b\"\".csv\""]);
        let columns = identity_columns([""; 8]);
        assert_eq!(columns.matches(',').count(), IDENTITY_COLUMNS.matches(',').count());
    }
}
