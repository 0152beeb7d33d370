//! Table 2: the fabrics, how their groups are joined, and how many VLB paths their sets keep.

use super::catalogue::Experiment;
use super::clock::Clock;
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::{FabricRow, Figures, SetPaths};
use std::fmt::Write;
use tvlb_base::progress::Progress;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_schema::Dragonfly;
use tvlb_table_set::grammar::parse_set;
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::expected::fabric_mean;

/// The sizes p, a, h and g of each fabric.
const FABRICS: [[u32; 4]; 4] = [[4, 8, 4, 9], [4, 8, 4, 17], [4, 8, 4, 33], [13, 26, 13, 27]];
const SETS: [&str; 3] = ["all", "strategic-2-3", "shapes:011"];

pub(super) fn run(
    experiment: &Experiment,
    context: (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let (options, _) = context;
    let clock = Clock::of_thread();
    progress.stage("fabrics", Some(FABRICS.len()));
    let mut rows = Vec::new();
    for [p, a, h, g] in FABRICS {
        progress.check()?;
        let df = Dragonfly::new(p, a, h, g)?;
        let topology = arrange(df, Arrangement::default(), options.seed)?;
        let counter = RouteCounter::new(&topology);
        let (least, most) = topology.links_per_pair();
        let paths = SETS.map(|set| {
            let rule = parse_set(set, options.seed).expect("the sets are in the grammar");
            let mean = fabric_mean(&counter, &rule);
            SetPaths {
                set: set.to_owned(),
                routes_per_pair: mean.routes,
                mean_hops: mean.hops.unwrap_or(0.0),
            }
        });
        rows.push(FabricRow {
            dragonfly: [p, a, h, g],
            nodes: df.node_count(),
            switches: df.switch_count(),
            links_per_pair: [least, most],
            paths: paths.into(),
        });
        progress.step();
    }
    let mut csv =
        "p,a,h,g,nodes,switches,least-links,most-links,set,routes-per-pair,mean-hops\n".to_owned();
    let mut words = String::new();
    for row in &rows {
        let ([p, a, h, g], [least, most]) = (row.dragonfly, row.links_per_pair);
        let (nodes, switches) = (row.nodes, row.switches);
        let _ = write!(
            words,
            "  dfly({p},{a},{h},{g}): {nodes} nodes, {switches} switches, {most} links per pair of groups"
        );
        for SetPaths { set, routes_per_pair, mean_hops } in &row.paths {
            let _ = writeln!(
                csv,
                "{p},{a},{h},{g},{nodes},{switches},{least},{most},{set},{routes_per_pair:.4},{mean_hops:.4}"
            );
            let _ = write!(words, "; {set} {routes_per_pair:.1} routes, {mean_hops:.2} hops");
        }
        words.push('\n');
    }
    let pictures = vec![("hops".to_owned(), picture(&rows))];
    let texts = Texts::<()> { csv, pictures, words, model: None };
    Ok(Findings::new(experiment, (Figures::Fabrics { rows }, clock.seconds()), texts, context))
}

fn picture(rows: &[FabricRow]) -> String {
    let series = SETS.iter().enumerate().map(|(number, set)| {
        let marks = (1_u32..).zip(rows).map(|(place, row)| {
            let hops = row.paths.get(number).map(|paths| paths.mean_hops);
            Mark::new(f64::from(place), hops, format!("dfly{:?}, {set}", row.dragonfly))
        });
        Series {
            name: (*set).to_owned(),
            ink: Ink::nth(number),
            joined: false,
            marks: marks.collect(),
        }
    });
    Plot {
        title: "mean hops of the sets on each fabric".to_owned(),
        x: Axis::new("fabric, in the order of the table", 0.0, 5.0),
        y: Axis::new("mean hops", 0.0, 6.0),
        level: None,
        series: series.collect(),
    }
    .file()
}
