//! `tvlb-lab sweep` along axes of cut-through switches: its figures, the same at any number of threads, and one clear
//! error for each kind of bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::Value;

const FABRIC: &str = "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
    arrangement = \"palmtree\"\n[links]\nlocal-latency = 10\nglobal-latency = 100\n";

fn fabric() -> Scratch {
    Scratch::with_fabric(FABRIC)
}

/// The command along these axes, which are separated by blanks, and with these options.
fn sweep(fabric: &str, axes: &str, options: &str) -> String {
    let axes: Vec<String> = axes.split(' ').map(|axis| format!("--axis {axis}")).collect();
    format!("sweep {fabric} {} {options}", axes.join(" ")).trim().to_owned()
}

fn rows(scratch: &Scratch, command: &str) -> Vec<Value> {
    let printed: Value =
        serde_json::from_str(&scratch.succeeds(&format!("{command} --json"))).unwrap();
    printed["rows"].as_array().unwrap().clone()
}

#[test]
fn routings_are_compared_at_any_number_of_threads() {
    let scratch = fabric();
    let axes = "routing=min,vlb,ugal-l,par,pb traffic=next-group(2) load=0.1,0.3 seed=1,2 warm-up=2000 cycles=2000 \
        policies=valg";
    let run = sweep("fabric.toml", axes, "");
    let table = scratch.succeeds(&run);
    assert_snapshot!("cut_through", table);
    for threads in [1, 3] {
        assert_eq!(scratch.succeeds(&format!("{run} --threads {threads}")), table);
    }
    assert_snapshot!("cut_through_csv", scratch.succeeds(&format!("{run} --format csv")));
    let all = rows(&scratch, &run);
    assert_eq!(all.len(), 20);
    assert_eq!((&all[0]["scheme"], &all[0]["set"]), (&"min".into(), &Value::Null));
    assert_eq!((&all[19]["scheme"], &all[19]["second-set"]), (&"pb".into(), &Value::Null));
    // What is kept is not run again, and the terminal has the same table.
    let kept = sweep("fabric.toml", axes, "-o runs");
    assert!(scratch.succeeds(&kept).ends_with(&table));
    assert!(scratch.succeeds(&kept).starts_with("runs: 20 runs, 0 made now\n"));
}

#[test]
fn the_load_that_is_accepted_is_searched_for() {
    let scratch = fabric();
    let fixed = "traffic=next-group(2) warm-up=2000 cycles=2000";
    let search =
        format!("routing=min,pb saturation.resolution=0.05 seed=1,2 policies=valg {fixed}");
    let run = sweep("fabric.toml", &search, "");
    let table = scratch.succeeds(&run);
    assert_snapshot!("cut_through_saturation", table);
    assert_eq!(scratch.succeeds(&format!("{run} --threads 1")), table);
    // The load that was found is accepted, and the next one is not.
    let first = &rows(&scratch, &run)[0];
    let [load, beyond] =
        ["saturation", "accepted-beyond"].map(|column| first[column].as_f64().unwrap());
    let once = |load: f64| {
        let run = sweep("fabric.toml", &format!("routing=min load={load:.2} {fixed}"), "");
        rows(&scratch, &run)[0]["accepted"].as_f64().unwrap()
    };
    assert!(once(load) >= 0.95 * load && beyond < load + 0.05);
    assert!((once(load + 0.05) - beyond).abs() < 1e-12);
    let error = scratch.refuses(&sweep("fabric.toml", "routing=min saturation.resolution=0", "-q"));
    assert!(error.contains("resolution: found 0, accepted 0.0001 to 0.5"), "{error}");
}

#[test]
fn traffic_may_change_and_is_watched_by_windows() {
    let scratch = fabric();
    let words = "sweep fabric.toml --axis routing=pb --axis load=0.2 --axis course.window=1000 \
        --axis course.first=1000 --axis course.end=4000 --axis";
    let words =
        words.split_whitespace().chain(["traffic=uniform-others then next-group from 2000"]);
    let run = scratch.tvlb_with(words);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_snapshot!("cut_through_series", run.stdout);
}

#[test]
fn bursts_longer_than_what_is_measured_are_told() {
    let scratch = fabric();
    let words = "sweep fabric.toml --axis routing=min --axis load=0.2 --axis warm-up=100 --axis cycles=500 --axis";
    let run =
        scratch.tvlb_with(words.split(' ').chain(["traffic=uniform-others in bursts(300,300)"]));
    let warning =
        "a burst and the silence after it last 600 cycles on average, and 500 are measured";
    assert!(run.code == 0 && run.stderr.contains(&format!("warning: {warning}")), "{run}");
}

#[test]
fn routing_is_decided_at_every_hop() {
    let scratch = fabric();
    let axes = "routing=ofar,t-ofar,pb traffic=next-group(2) load=0.3 warm-up=2000 cycles=2000 local-channels=3 \
        global-channels=2";
    let run = sweep("fabric.toml", axes, "");
    let table = scratch.succeeds(&run);
    assert_snapshot!("cut_through_ofar", table);
    assert_eq!(scratch.succeeds(&format!("{run} --threads 3")), table);
    let per_hop = axes.replace(",pb", "");
    let tree = "escape=tree escape-root=13 rules.bubble=0 rules.throttle-percent=20";
    let tree = sweep("fabric.toml", &format!("{per_hop} {tree}"), "");
    assert_snapshot!("cut_through_ofar_tree", scratch.succeeds(&tree));
    let all = rows(&scratch, &run);
    assert_eq!((&all[0]["set"], &all[1]["set"]), (&Value::Null, &"valg".into()));
}

/// Nothing but the packets that enter often tells a run without a limit from one with the usual one; a threshold that
/// the minimal output has to be above makes detours fewer.
#[test]
fn entries_and_misroutes_can_be_limited_or_not() {
    let scratch = fabric();
    let run = |axes: &str| {
        let fixed = "routing=ofar rules.bubble=0 escape=tree local-channels=1 local-buffer=16 global-buffer=16 \
            warm-up=2000 cycles=2000";
        let row = &rows(&scratch, &sweep("fabric.toml", &format!("{fixed} {axes}"), "-q"))[0];
        (row["most-entries"].as_u64().unwrap(), row["vlb-share"].as_f64().unwrap())
    };
    let full = |rules: &str| run(&format!("traffic=next-group(2) load=1 {rules}"));
    let (usual, limited) = (full("rounds=3"), full("rules.most-entries=1"));
    assert!(limited.0 == 1 && usual.0 > 1, "{usual:?} {limited:?}");
    assert!(full("rules.most-entries=0").0 >= usual.0);
    assert_eq!(full("rules.least-percent=0"), usual);
    let half = |rules: &str| run(&format!("traffic=uniform-others load=0.4 {rules}")).1;
    assert!(half("rules.least-percent=100") < half("rounds=3"));
}

/// An output buffer and a crossbar that is faster than the links, and UGAL by the queues along whole paths.
#[test]
fn switches_may_have_output_buffers() {
    let scratch = fabric();
    let axes = "routing=min,ugal-l,ugal-g load=0.8 warm-up=2000 cycles=2000 output-buffer=64 speedup=2 policies=valg";
    let run = sweep("fabric.toml", axes, "");
    let table = scratch.succeeds(&run);
    assert_snapshot!("cut_through_output_buffers", table);
    assert_eq!(scratch.succeeds(&format!("{run} --threads 3")), table);
}

/// Conventional UGAL decides with T = 0 whatever the fabric file says, as in `simulate`, unless it is told otherwise.
#[test]
fn conventional_routing_does_not_weigh_as_the_file_does() {
    let scratch = fabric();
    let routing = "[routing]\nthreshold = 40\ncandidates = \"1x4\"\ngate = 1.5\n";
    scratch.write("weighed.toml", format!("{FABRIC}{routing}"));
    let run = |fabric: &str, policies: &str| {
        let words = "--axis routing=ugal-l,par --axis traffic=next-group(2) --axis load=0.2 --axis warm-up=1000 \
            --axis cycles=1000 --format csv --axis";
        let words = ["sweep", fabric].into_iter().chain(words.split_whitespace());
        let policies = format!("policies={policies}");
        let run = scratch.tvlb_with(words.chain([policies.as_str()]));
        assert_eq!(run.code, 0, "{run}");
        // The column of the set has the text of the policy.
        let without_set = |line: &str| {
            let cells = line.split(',').enumerate();
            let cells = cells.filter(|(place, _)| !(3..=4).contains(place));
            cells.map(|(_, cell)| cell.to_owned()).collect::<Vec<_>>()
        };
        run.stdout.lines().map(without_set).collect::<Vec<_>>()
    };
    let conventional = run("weighed.toml", "conventional");
    assert_eq!(conventional, run("fabric.toml", "conventional"));
    let explicit = "conventional T=0 1x1 gate=0";
    assert_eq!(conventional, run("weighed.toml", explicit));
    assert_ne!(conventional, run("weighed.toml", "conventional T=40"));
    assert_eq!(run("weighed.toml", "valg"), run("fabric.toml", "valg T=40 1x4 gate=1.5"));
    assert_ne!(run("weighed.toml", "valg"), run("fabric.toml", "valg"));
}

#[test]
fn what_is_finite_runs_until_it_is_delivered() {
    let scratch = fabric();
    let burst = sweep("fabric.toml", "routing=min,pb burst=50", "");
    assert_snapshot!("cut_through_burst", scratch.succeeds(&burst));
    let all = sweep("fabric.toml", "routing=pb all-to-all=true", "");
    assert_snapshot!("cut_through_all", scratch.succeeds(&all));
}

#[test]
fn placements_and_table_sets_are_taken() {
    let scratch = fabric();
    scratch.succeeds("generate fabric.toml -o out --set valg -q");
    let run = |more: &str| {
        let axes =
            format!("routing=pb traffic=next-group(2) load=0.2 warm-up=500 cycles=500 {more}");
        rows(&scratch, &sweep("fabric.toml", &axes, ""))[0].clone()
    };
    let in_order = run("policies=valg");
    let [text, tables] =
        ["valg", "tables:out"].map(|paths| run(&format!("placement=random policies={paths}")));
    assert_ne!(text["latency"], in_order["latency"]);
    assert_eq!((&text["latency"], &text["placement"]), (&tables["latency"], &"random".into()));
    assert_eq!((&text["set"], &tables["set"]), (&"valg".into(), &"tables:out".into()));
}

#[test]
fn bad_input_is_refused_by_name() {
    let scratch = fabric();
    scratch.succeeds("generate fabric.toml -o out --set valg -q");
    let refused = [
        "load=0.1,0.1",
        "load=1.5",
        "seed=1,1",
        "routing=min,pb,min",
        "routing=ofa",
        "traffic=next-group(9)",
        "local-channels=1",
        "packet=0",
        "local-buffer=4",
        "rounds=9",
        "injection-queue=8",
        "burst=10 cycles=50",
        "burst=10 load=0.1",
        "speedup=2",
        "output-buffer=4",
        "colour=red",
        "escape=tree",
        "routing=ofar output-buffer=64",
        "routing=ofar rules.least-percent=101",
        "routing=ofar escape-root=3",
        "routing=ofar escape=tree escape-root=36",
        "routing=ofar escape-image=out/fabric.tvlb",
        "routing=ofar escape-image=out/fabric.tvlb escape=ring",
        "routing=ofar local-buffer=8",
        "routing=ofar rules.bubble=4",
        "routing=ofar local-channels=8",
        "routing=ofar rules.throttle-percent=101",
        "routing=ofar rules.most-entries=16",
        "routing=ofar rules.colour=1",
    ]
    .map(|axes| {
        let usual = if axes.contains("routing") { "" } else { "routing=min " };
        let run = scratch.tvlb(&sweep("fabric.toml", &format!("{usual}{axes}"), "-q"));
        assert_ne!(run.code, 0, "{axes}");
        format!("{axes}\n{}", run.stderr)
    });
    assert_snapshot!("cut_through_refused", refused.join("\n"));
}

/// If some nodes are silent, what is accepted is what it is in the other simulator: per node that sends.
#[test]
fn accepted_is_per_sending_node_in_both_simulators() {
    let scratch = fabric();
    scratch.write("pair.csv", "source-node,destination-node\n0,40\n");
    let accepted = |axes: &str| {
        let axes = format!("{axes} traffic=flows:pair.csv load=0.2");
        rows(&scratch, &sweep("fabric.toml", &axes, ""))[0]["accepted"].as_f64().unwrap()
    };
    let cut_through = accepted("routing=min cycles=5000");
    let flits = accepted("scheme=min window=5000 warm-up=1");
    assert!((cut_through - 0.2).abs() < 0.02 && (flits - 0.2).abs() < 0.02);
    let starved = "routing=min cycles=1000 load=0.05 global-buffer=32";
    let warned = scratch.tvlb(&sweep("fabric.toml", starved, ""));
    assert!(warned.stderr.contains("with a buffer of 32 phits carries at most 0.160"), "{warned}");
}
