//! `tvlb-lab cut-through`: its figures, the same at any number of threads, and one clear error for each kind of bad
//! input.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const FABRIC: &str = "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
    arrangement = \"palmtree\"\n[links]\nlocal-latency = 10\nglobal-latency = 100\n";

fn tables() -> Scratch {
    let scratch = Scratch::with_fabric(FABRIC);
    scratch.succeeds("generate fabric.toml -o out --set valg -q");
    scratch
}

#[test]
fn routings_are_compared_at_any_number_of_threads() {
    let scratch = tables();
    let run = "cut-through out --routing min,vlb,ugal-l,par,pb --traffic next-group(2) --load 0.1,0.3 \
        --seeds 1,2 --warm-up 2000 --cycles 2000";
    let table = scratch.succeeds(run);
    assert_snapshot!("cut_through", table);
    for threads in [1, 3] {
        assert_eq!(scratch.succeeds(&format!("{run} --threads {threads}")), table);
    }
    assert_snapshot!("cut_through_csv", scratch.succeeds(&format!("{run} --format csv")));
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds(&format!("{run} --json"))).unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 20);
    let of_hops = json["runs"][0]["hops"]["packets"].as_array().unwrap();
    assert_eq!(
        of_hops.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(),
        json["runs"][0]["packets"].as_u64().unwrap()
    );
    assert_eq!(json["runs"][0]["injected"].as_array().unwrap().len(), 36);
    assert_eq!(json["settings"].as_array().unwrap().len(), 5);
}

#[test]
fn the_load_that_is_accepted_is_searched_for() {
    let scratch = tables();
    let run = "cut-through out --routing min,pb --traffic next-group(2) --saturation --resolution 0.05 --seeds 1,2 \
        --warm-up 2000 --cycles 2000";
    let table = scratch.succeeds(run);
    assert_snapshot!("cut_through_saturation", table);
    assert_eq!(scratch.succeeds(&format!("{run} --threads 1")), table);
    let csv = scratch.succeeds(&format!("{run} --format csv"));
    let of = |line: &str, name: &str| {
        let place = csv.lines().next().unwrap().split(',').position(|column| column == name);
        line.split(',').nth(place.unwrap()).unwrap().to_owned()
    };
    // The load that was found is accepted, and the next one is not.
    let first = csv.lines().nth(1).unwrap();
    let (found, beyond) = (of(first, "by-acceptance"), of(first, "accepted-beyond"));
    let load: f64 = found.parse().unwrap();
    let once = |load: f64| {
        let run = format!(
            "cut-through out --traffic next-group(2) --load {load:.2} --warm-up 2000 --cycles 2000 --format csv"
        );
        let csv = scratch.succeeds(&run);
        let place = csv.lines().next().unwrap().split(',').position(|column| column == "accepted");
        csv.lines().nth(1).unwrap().split(',').nth(place.unwrap()).unwrap().to_owned()
    };
    assert!(once(load).parse::<f64>().unwrap() >= 0.95 * load);
    assert!(beyond.parse::<f64>().unwrap() < load + 0.05 && once(load + 0.05) == beyond);
    let error = scratch.refuses("cut-through out --saturation --resolution 0");
    assert!(error.contains("resolution is 0, accepted 0.0001 to 0.5"), "{error}");
}

#[test]
fn traffic_may_change_and_is_watched_by_windows() {
    let scratch = tables();
    let words = "cut-through out --routing pb --load 0.2 --warm-up 1000 --cycles 2000 --series 1000 --traffic";
    let words = words.split(' ').chain(["uniform-others then next-group from 1000"]);
    let run = scratch.tvlb_with(words);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_snapshot!("cut_through_series", run.stdout);
}

#[test]
fn bursts_longer_than_what_is_measured_are_marked() {
    let scratch = tables();
    let said = |more: &str| {
        let words = format!(
            "cut-through out --routing min --load 0.2 --warm-up 100 --cycles 500 -q {more}--traffic"
        );
        let run = scratch.tvlb_with(words.split(' ').chain(["uniform-others in bursts(300,300)"]));
        assert_eq!(run.code, 0, "{run}");
        run.stdout
    };
    let warning =
        "a burst and the silence after it last 600 cycles on average, and 500 are measured";
    assert!(said("").contains(&format!("\nwarning: {warning}")), "{}", said(""));
    assert!(said("--json ").contains(&format!("\"warning\": \"{warning}")));
}

#[test]
fn routing_is_decided_at_every_hop() {
    let scratch = tables();
    let run = "cut-through out --routing ofar,t-ofar,pb --traffic next-group(2) --load 0.3 --warm-up 2000 \
        --cycles 2000 --local-channels 3 --global-channels 2";
    let table = scratch.succeeds(run);
    assert_snapshot!("cut_through_ofar", table);
    assert_eq!(scratch.succeeds(&format!("{run} --threads 3")), table);
    let tree = scratch.succeeds(&format!(
        "{run} --escape tree --escape-root 13 --bubble 0 --throttle 20 --format csv"
    ));
    assert_snapshot!("cut_through_ofar_tree", tree);
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds(&format!("{run} --json"))).unwrap();
    assert_eq!(json["escape-network"], "escape ring, the groups in order");
    assert_eq!(json["settings"][1]["routing"]["ofar"]["by-set"], true);
    let entered = json["runs"][0]["escape"]["packets"].as_array().unwrap();
    let packets = entered.iter().map(|count| count.as_u64().unwrap()).sum::<u64>();
    assert_eq!(packets, json["runs"][0]["packets"].as_u64().unwrap());
    assert!(json["runs"][2].get("escape").is_none());
}

/// Nothing but the packets that enter often tells a run without a limit from one with the usual one; a threshold that
/// the minimal output has to be above makes detours fewer.
#[test]
fn entries_and_misroutes_can_be_limited_or_not() {
    let scratch = tables();
    let run = |rules: &str| {
        let run = "cut-through out --routing ofar --bubble 0 --escape tree --local-channels 1 --local-buffer 16 \
            --global-buffer 16 -q --warm-up 2000 --cycles 2000 --json";
        let json = scratch.succeeds(&format!("{run} {rules}"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let (entries, vlb) = (&json["runs"][0]["escape"]["packets"], &json["runs"][0]["vlb-share"]);
        (entries.as_array().unwrap().len(), vlb.as_f64().unwrap())
    };
    let full = |rules: &str| run(&format!("--traffic next-group(2) --load 1 {rules}"));
    let (usual, limited) = (full(""), full("--most-entries 1"));
    assert!(limited.0 == 2 && usual.0 > 2, "{usual:?} {limited:?}");
    assert!(full("--most-entries 0").0 >= usual.0);
    assert_eq!(full("--least-percent 0"), usual);
    let half = |rules: &str| run(&format!("--traffic uniform-others --load 0.4 {rules}")).1;
    assert!(half("--least-percent 100") < half(""));
}

/// An output buffer and a crossbar that is faster than the links, and UGAL by the queues along whole paths.
#[test]
fn switches_may_have_output_buffers() {
    let scratch = tables();
    let run = "cut-through out --routing min,ugal-l,ugal-g --load 0.8 --warm-up 2000 --cycles 2000 \
        --output-buffer 64 --speedup 2";
    let table = scratch.succeeds(run);
    assert_snapshot!("cut_through_output_buffers", table);
    assert_eq!(scratch.succeeds(&format!("{run} --threads 3")), table);
}

/// Conventional UGAL decides with T = 0 whatever the images say, as in `simulate`, unless it is told otherwise.
#[test]
fn conventional_routing_does_not_weigh_as_the_images_do() {
    let scratch = tables();
    let weighing = "--threshold 40 --candidates 1x4 --gate 1.5";
    let routing = "[routing]\nthreshold = 40\ncandidates = \"1x4\"\ngate = 1.5\n";
    scratch.write("weighed.toml", format!("{FABRIC}{routing}"));
    scratch.succeeds("generate weighed.toml -o weighed --set valg -q");
    let run = |arguments: &str| {
        let fixed =
            "--routing ugal-l,par --traffic next-group(2) --load 0.2 --warm-up 1000 --cycles 1000";
        scratch.succeeds(&format!("cut-through {arguments} {fixed} --format csv"))
    };
    let conventional = run("weighed --conventional");
    assert_eq!(conventional, run("out --conventional"));
    let explicit = "--threshold 0 --candidates 1x1 --gate 0";
    assert_eq!(conventional, run(&format!("weighed --conventional {explicit}")));
    assert_ne!(conventional, run("weighed --conventional --threshold 40"));
    // The images' own weighing, said and not said.
    assert_eq!(run("weighed"), run(&format!("out {weighing}")));
    assert_ne!(run("weighed"), run("out"));
    let line = conventional.lines().nth(1).unwrap();
    assert!(
        line.contains(",ugal-l,conventional,")
            && line.contains(",0,,1x1,,0,,port,,drawn,,ordered,"),
        "{line}"
    );
}

#[test]
fn what_is_finite_runs_until_it_is_delivered() {
    let scratch = tables();
    assert_snapshot!(
        "cut_through_burst",
        scratch.succeeds("cut-through out --routing min,pb --burst 50")
    );
    assert_snapshot!(
        "cut_through_all",
        scratch.succeeds("cut-through out --routing pb --all-to-all")
    );
}

#[test]
fn bad_input_is_refused_by_name() {
    let scratch = tables();
    let refused = [
        "--load 0.1,0.1",
        "--load 1.5",
        "--seeds 1,1",
        "--routing min,pb,min",
        "--routing ofa",
        "--traffic next-group(9)",
        "--local-channels 1",
        "--packet 0",
        "--local-buffer 4",
        "--rounds 9",
        "--injection-queue 8",
        "--burst 10 --cycles 50",
        "--burst 10 --load 0.1",
        "--faults dead.txt",
        "--speedup 2",
        "--output-buffer 4",
        "--routing ofar --output-buffer 64",
        "--routing ofar --least-percent 101",
        "--routing ofar --escape-root 3",
        "--routing ofar --escape tree --escape-root 36",
        "--routing ofar --escape-image out/fabric.tvlb",
        "--routing ofar --local-buffer 8",
        "--routing ofar --bubble 4",
        "--routing ofar --local-channels 8",
        "--routing ofar --throttle 101",
        "--routing ofar --most-entries 16",
    ]
    .map(|options| {
        let run = scratch.tvlb(&format!("cut-through out -q {options}"));
        assert_ne!(run.code, 0, "{options}");
        format!("{options}\n{}", run.stderr)
    });
    assert_snapshot!("cut_through_refused", refused.join("\n"));
}

/// Where some nodes are silent, what is accepted is what it is in the other simulator: per node that sends.
#[test]
fn accepted_is_per_sending_node_in_both_simulators() {
    let scratch = tables();
    scratch.write("pair.csv", "source-node,destination-node\n0,40\n");
    let accepted = |command: &str| {
        let run = format!("{command} --traffic flows:pair.csv --load 0.2 --json");
        serde_json::from_str::<serde_json::Value>(&scratch.succeeds(&run)).unwrap()
    };
    let cut_through = accepted("cut-through out --routing min --cycles 5000");
    let flits = accepted("simulate out --scheme min --window 5000 --warm-up 1");
    let both =
        [&cut_through["runs"][0]["accepted"], &flits["curve"][0]["runs"][0]["all"]["accepted"]];
    let [one, other] = both.map(|value| value.as_f64().unwrap());
    assert!((one - 0.2).abs() < 0.02 && (other - 0.2).abs() < 0.02, "{one} {other}");
    let starved = "cut-through out --routing min --cycles 1000 --load 0.05 --global-buffer 32";
    let warned = scratch.tvlb(starved);
    assert!(warned.stderr.contains("with a buffer of 32 phits carries at most 0.160"), "{warned}");
}
