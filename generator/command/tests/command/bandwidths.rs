//! Links of different bandwidths, from the fabric file to the simulator.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const SLOW_GLOBALS: &str = "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
    arrangement = \"relative\"\n[links]\nnode-bandwidth = 200\nlocal-bandwidth = 200\n\
    global-bandwidth = 100\n[routing]\nset = \"strategic-2-3\"\n";

#[test]
fn bandwidths_go_from_the_fabric_file_to_the_simulator() {
    let scratch = Scratch::with_fabric(SLOW_GLOBALS);
    let table = scratch.succeeds("load fabric.toml --traffic shift(1,0) --set min");
    assert_snapshot!(table, @r"
    fabric   small: dfly(2, 4, 2, 9)
    traffic  shift(1,0); 72 nodes send; seed 1
    links    bandwidths node 200, local 200, global 100; a cycle is a flit on the fastest kind

    set      min
             saturates at 0.0625 flits per node and cycle: the busiest link carries 16.0000 times what it takes if a node sends one flit per cycle
    local    4.0000  group 0, switch 3 to switch 0, and 8 other links as much
    global   8.0000  group 0, switch 0, global port 0 to group 1, switch 3, global port 1, and 8 other links as much
    node     1.0000  switch 0 to node 0, and 71 other links as much
    ");

    scratch.succeeds("generate fabric.toml -o out");
    let manifest = scratch.read("out/manifest.json");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let bandwidths = &manifest["fabric"]["bandwidths"];
    assert_eq!([&bandwidths["node"], &bandwidths["global"]], ["200", "100"]);
    scratch.succeeds("verify out --fabric fabric.toml");

    let run = "simulate out --scheme min --traffic shift(1,0) --load 0.2 --window 1000 --warm-up 1";
    assert_snapshot!(scratch.succeeds(&format!("{run} --links links.csv")), @"
    min, shift(1,0), 1 seed, bandwidths node 200, local 200, global 100
    load  latency   p50   p99  p99.9   max  network  accepted   hops    VLB  least   most    Jain  local
    0.2*  1508.29  1625  2271   2335  2380   752.80    0.0625  2.400  0.000  0.050  0.100  0.8929  0.058

    load  local max  global  global max
    0.2*      0.300   0.062       0.500
    * saturated: the mean latency is above 500 cycles
    flits per cycle that a link takes: node 1.000, local 1.000, global 0.500
    ");
    let links = String::from_utf8(scratch.read("links.csv")).unwrap();
    // The last field is the link's name, in quotes.
    let share = |line: &str| {
        let (before, _) = line.rsplit_once(",\"").unwrap();
        before.rsplit(',').next().unwrap().parse::<f64>().unwrap()
    };
    let most = links.lines().skip(1).map(share).fold(0.0, f64::max);
    assert!((0.98..=1.01).contains(&most), "{most}");
    let json = scratch.succeeds(&format!("{run} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["settings"]["global-bandwidth"], "100");
    assert_eq!(json["curve"][0]["runs"][0]["global-links"]["capacity"], 0.5);

    // The images are those of a fabric whose links are alike, and an option says otherwise for a run.
    let alike = SLOW_GLOBALS.replace("global-bandwidth = 100", "global-bandwidth = 200");
    scratch.write("alike.toml", &alike);
    scratch.succeeds("generate alike.toml -o alike");
    for file in ["fabric.tvlb", "switches/00000.tvlb"] {
        assert_eq!(scratch.read(&format!("out/{file}")), scratch.read(&format!("alike/{file}")));
    }
    let slowed = run.replace("simulate out", "simulate alike --global-bandwidth 100");
    assert_eq!(scratch.succeeds(&slowed), scratch.succeeds(run));
    let faulted = scratch.finds("verify out --fabric alike.toml");
    assert!(faulted.contains("the bandwidths are"), "{faulted}");
}

#[test]
fn bandwidths_that_differ_too_much_or_are_none_are_refused() {
    let scratch = Scratch::with_fabric(&SLOW_GLOBALS.replace("= 100", "= 2"));
    assert_snapshot!(scratch.refuses("topology fabric.toml"), @"tvlb: fabric.toml:9:18: links.node-bandwidth does not go with the bandwidths of the other kinds of links: the bandwidths are node 200, local 200, global 2, accepted bandwidths of which the largest is at most 64 times the smallest");
    let scratch = Scratch::with_fabric(&SLOW_GLOBALS.replace("= 100", "= 0.0001"));
    assert_snapshot!(scratch.refuses("topology fabric.toml"), @"tvlb: fabric.toml:11:20: links.global-bandwidth = 0.0001, but global-bandwidth must be a number above 0 and at most 100000 with at most three decimals, as in 0.5");
    let scratch = Scratch::with_fabric(SLOW_GLOBALS);
    scratch.succeeds("generate fabric.toml -o out");
    assert_snapshot!(scratch.refuses("simulate out --local-bandwidth 1"), @"tvlb: the bandwidths are node 200, local 1, global 100, accepted bandwidths of which the largest is at most 64 times the smallest");
    assert_snapshot!(scratch.refuses("simulate out --local-bandwidth fast"), @r"
    tvlb: invalid value 'fast' for '--local-bandwidth <B>': accepted a number above 0 and at most 100000 with at most three decimals, as in 0.5

    For more information, try '--help'.
    ");
}
