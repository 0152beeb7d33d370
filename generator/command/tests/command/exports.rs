//! Wirings in the formats of other programs, and how often a set draws each path.

use crate::between::cables_between;
use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Two groups of one switch without nodes, and three groups of two switches: numbers with gaps.
const KINDS: &str = "name = \"kinds\"\n[dragonfly]\ncables = \"cables.csv\"\n\
    [[dragonfly.kinds]]\np = 0\na = 1\nh = 3\ng = 2\n\
    [[dragonfly.kinds]]\np = 1\na = 2\nh = 2\ng = 3\n";

fn with_kinds() -> Scratch {
    let scratch = Scratch::with_fabric(KINDS);
    let between = "kind-1,kind-1=0 kind-1,kind-2=1 kind-2,kind-2=1";
    scratch.write("cables.csv", cables_between(&scratch, between));
    scratch
}

fn classic() -> Scratch {
    Scratch::with_fabric(
        "name = \"classic\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\narrangement = \"absolute-classic\"\n\
         [links]\nlocal-latency = 3\nglobal-latency = 70\n",
    )
}

/// What `tvlb` prints with these arguments and a last one that is not a word.
fn succeeds(scratch: &Scratch, arguments: &str, last: &str) -> String {
    let run = scratch.tvlb_with(arguments.split(' ').chain([last]));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "tvlb {arguments} {last}");
    run.stdout
}

#[test]
fn topology_for_other_programs() {
    let scratch = classic();
    let show = |format: &str| scratch.succeeds(&format!("topology fabric.toml --format {format}"));
    assert_snapshot!("export_merlin", show("merlin"));
    let anynet = show("anynet");
    // The latencies are the fabric file's.
    assert!(
        anynet.starts_with("router 0 node 0 node 1 router 1 3 router 2 3 router 3 3 router 4 70 ")
    );
    assert_eq!(anynet.lines().count(), 36);
    assert_eq!(show("slurm").matches("Nodes=").count(), 36);
    for format in ["summary", "csv", "dot", "merlin", "anytopo", "anynet", "slurm"] {
        let text = show(format);
        let to_file = format!("topology fabric.toml --format {format} -o file");
        assert_eq!(scratch.succeeds(&to_file), "");
        assert_eq!(scratch.read("file"), text.as_bytes(), "{format}");
    }
    assert_eq!(scratch.succeeds("topology fabric.toml --json -o file"), "");
    assert_eq!(scratch.read("file"), scratch.succeeds("topology fabric.toml --json").as_bytes());
}

#[test]
fn topology_for_codes_is_three_files() {
    let scratch = classic();
    assert_snapshot!(
        scratch.refuses("topology fabric.toml --format codes"),
        @"tvlb: --format codes: it is several files; name a directory for them with -o DIR"
    );
    // A directory above must be there, as for the files of the other formats.
    for format in ["codes", "csv"] {
        let refused =
            scratch.refuses(&format!("topology fabric.toml --format {format} -o new/codes"));
        assert!(refused.contains("No such file or directory"), "{refused}");
    }
    std::fs::create_dir(scratch.path("new")).unwrap();
    for _ in 0..2 {
        assert_eq!(scratch.succeeds("topology fabric.toml --format codes -o new/codes"), "");
    }
    let files = scratch.files();
    let sizes: Vec<(&str, usize)> = files
        .iter()
        .filter_map(|(name, bytes)| Some((name.strip_prefix("new/codes/")?, bytes.len())))
        .filter(|(name, _)| !name.is_empty())
        .collect();
    // 4 · 3 records of three integers, and 2 · 36 of two.
    assert_eq!(sizes[1..], [("inter-group-connections", 576), ("intra-group-connections", 144)]);
    assert_eq!(sizes[0].0, "dragonfly.conf");
    let error = scratch.refuses("topology fabric.toml --format codes -o fabric.toml");
    assert_snapshot!(error, @"tvlb: fabric.toml: cannot create the directory: File exists (os error 17)");
}

#[test]
fn htsim_has_a_table_for_each_switch_with_a_set_alone() {
    let scratch = Scratch::with_fabric(
        "name = \"relative\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\narrangement = \"relative\"\n",
    );
    let run = "topology fabric.toml --format htsim";
    assert!(scratch.refuses(run).contains("name a directory for them with -o DIR"));
    scratch.succeeds(&format!("{run} -o plain"));
    scratch.succeeds(&format!("{run} -o set --set only:011"));
    let lists = |text: &str| {
        scratch.files().keys().filter(|name| name.starts_with(text) && !name.ends_with('/')).count()
    };
    assert_eq!((lists("plain/dragonfly.topo"), lists("plain/host_table")), (1, 0));
    assert_eq!(lists("set/host_table/"), 36);
    let table = String::from_utf8(scratch.read("set/host_table/0.lt")).unwrap();
    assert_snapshot!(table.lines().take(12).collect::<Vec<_>>().join("\n"));
    // Nothing is written of a set that it cannot say.
    let refused = scratch.refuses(&format!("{run} -o none --set only:021"));
    assert!(refused.starts_with("tvlb: fabric.toml: HTSIM goes by MIN"), "{refused}");
    assert!(!scratch.path("none").exists());
    assert_snapshot!(
        scratch.refuses("topology fabric.toml --set all"),
        @"tvlb: --set: accepted with --format htsim, which has the paths of a set"
    );
}

#[test]
fn bandwidths_are_said_where_the_format_has_none() {
    let text = "name = \"t\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\narrangement = \"palmtree\"\n\
                [links]\nglobal-bandwidth = 0.5\n";
    let scratch = Scratch::with_text(text);
    for format in ["anynet", "anytopo", "merlin", "codes -o out"] {
        let run = scratch.tvlb(&format!("topology fabric.toml --format {format}"));
        let program = format.split(' ').next().unwrap().replace("codes", "CODES");
        let warning = format!(
            "tvlb: warning: what is written for {program} says no bandwidths; set them there: flits per \
             cycle are 1 on links of nodes, 1 on local links and 0.5 on global links\n"
        );
        assert_eq!((run.code, &run.stderr), (0, &warning));
    }
}

#[test]
fn a_fabric_of_several_kinds_for_other_programs() {
    let scratch = with_kinds();
    let show = |format: &str| scratch.tvlb(&format!("topology fabric.toml --format {format}"));
    let anynet = show("anynet");
    assert_eq!(anynet.code, 0, "{anynet}");
    assert_snapshot!("export_kinds_anynet", anynet);
    assert_snapshot!("export_kinds_slurm", scratch.succeeds("topology fabric.toml --format slurm"));
    assert_snapshot!(scratch.refuses("topology fabric.toml --format codes -o codes"));
    assert_snapshot!(scratch.refuses("topology fabric.toml --format merlin"));
}

/// Stands for networkx, of which the text asks nothing more.
const NETWORKX: &str = "class Graph:\n    def add_nodes_from(self, rows): self.rows = rows\n    \
    def add_edges_from(self, rows): self.edges = rows\n    \
    def nodes(self, data=False): return self.rows if data else [node for node, _ in self.rows]\n";

/// The paths of a pair: weights, and the switches after the source.
type WeightedPaths = Vec<(f64, Vec<u16>)>;

/// What the text for anytopo makes of the lines of `paths`, path by path. Skipped exactly where there is no
/// `python3`.
#[test]
fn anytopo_has_the_paths_of_a_set_with_their_weights() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    scratch.write("networkx.py", NETWORKX);
    scratch.write("dead", "switch 0\n");
    let faults = "fabric.toml --faults dead";
    scratch.succeeds(&format!("topology {faults} --format anytopo -o wiring.py"));
    let set = "4-hop";
    let lines = succeeds(&scratch, &format!("paths {faults} --all --json --set"), set);
    scratch.write("paths", &lines);
    let program = "import json, wiring\n\
        table = wiring.routing_table(open('paths'), vlb=0.25)\n\
        switches = [row['switch'] for _, row in wiring.graph.nodes(data=True)]\n\
        edges = {frozenset(edge) for edge in wiring.graph.edges}\n\
        hops = lambda s, path: zip([s] + path, path)\n\
        paths = [(s, path) for s, to in table.items() for paths in to.values() for _, path in paths]\n\
        assert all(frozenset(hop) in edges for s, path in paths for hop in hops(s, path))\n\
        print(json.dumps([switches, [[[[weight, [switches[r] for r in path]] for weight, path in paths] \
            for paths in to.values()] for to in table.values()]]))\n";
    let mut python = std::process::Command::new("python3");
    let run = match python.args(["-B", "-c", program]).current_dir(scratch.path("")).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // Past the capture of the test, so that a log of all tests says it.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"skipped: reading the file for anytopo needs python3\n",
            );
            return;
        }
        run => run.unwrap(),
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let (switches, table): (Vec<u16>, Vec<Vec<WeightedPaths>>) =
        serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(switches, (1..36).collect::<Vec<u16>>());
    let mut lines = lines.lines();
    for paths in table.iter().flatten() {
        let pair: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        let of = |kind: &str| pair[kind].as_array().unwrap().clone();
        let is_both = !of("min").is_empty() && !of("vlb").is_empty();
        let weighted = |kind: &str, part: f64| {
            let part = if is_both { part } else { 1.0 };
            let path = move |path: Value| {
                let switches: Vec<u16> = serde_json::from_value(path["switches"].clone()).unwrap();
                (part * path["probability"].as_f64().unwrap(), switches[1..].to_vec())
            };
            of(kind).into_iter().map(path)
        };
        let expected: Vec<_> = weighted("min", 0.75).chain(weighted("vlb", 0.25)).collect();
        assert_eq!(paths, &expected);
        let sum: f64 = paths.iter().map(|(weight, _)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{pair}");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn a_wiring_that_merlin_cannot_say_is_refused() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let error = scratch.refuses("topology fabric.toml --format merlin");
    assert!(error.starts_with("tvlb: fabric.toml: merlin wires all groups by one global_link_map"));
}

#[test]
fn an_export_is_not_written_into_a_table_set() {
    let scratch = Scratch::with_table_set();
    for format in ["slurm", "codes", "htsim"] {
        let run = format!("topology fabric.toml --format {format} -o out/{format}");
        assert!(scratch.refuses(&run).contains("it is within the table set"), "{format}");
    }
}

#[test]
fn paths_of_a_set() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let show = |from: u16, to: u16, set: &str| {
        succeeds(&scratch, &format!("paths fabric.toml --from {from} --to {to} --json --set"), set)
    };
    assert_snapshot!("paths_of_a_set", show(33, 2, "2*only:001, only:110+120"));
    assert_snapshot!("paths_of_a_set_within_a_group", show(4, 6, "all"));
    assert_snapshot!("paths_of_a_set_by_switch", show(33, 2, "switches:1-2+2-1 with returns"));
}

#[test]
fn paths_of_all_pairs_are_those_of_each_pair() {
    let scratch = with_kinds();
    let text = scratch.succeeds("paths fabric.toml --all --json --set 4-hop");
    // Switches 0 and 2 have no nodes.
    let switches = [4, 5, 6, 7, 8, 9];
    let mut lines = text.lines();
    for source in switches {
        for destination in switches.into_iter().filter(|&other| other != source) {
            let line: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            let one =
                format!("paths fabric.toml --from {source} --to {destination} --json --set 4-hop");
            let pair: Value = serde_json::from_str(&scratch.succeeds(&one)).unwrap();
            assert_eq!(line, pair);
            assert_eq!(
                (&line["source"], &line["destination"]),
                (&source.into(), &destination.into())
            );
        }
    }
    assert_eq!(lines.next(), None);
}

/// What `paths` says of a set, as `inspect` writes it of the images: shapes with their hops, routes and
/// share of draws, and the mean hops.
fn as_inspected(paths: &Value) -> String {
    let mut shapes: BTreeMap<&str, (usize, usize, f64)> = BTreeMap::new();
    let mut mean = 0.0;
    for path in paths["vlb"].as_array().unwrap() {
        let hops = path["switches"].as_array().unwrap().len() - 1;
        let probability = path["probability"].as_f64().unwrap();
        let shape = shapes.entry(path["shape"].as_str().unwrap()).or_insert((hops, 0, 0.0));
        assert_eq!(shape.0, hops);
        shape.1 += 1;
        shape.2 += probability;
        mean += probability * f64::from(u32::try_from(hops).unwrap());
    }
    let mut text = String::new();
    for (shape, (hops, routes, share)) in shapes {
        writeln!(text, "{shape} {hops} {routes} {:.2}%", 100.0 * share).unwrap();
    }
    let routes = paths["vlb"].as_array().unwrap().len();
    let plural = if routes == 1 { "" } else { "s" };
    writeln!(text, "{routes} route{plural}, {mean:.3} mean hops of a draw").unwrap();
    text
}

#[test]
fn probabilities_are_those_of_the_images() {
    for set in ["60% 5-hop", "4*2-hop, only:011+121", "switches:2-3", "switches:2-3 with returns"] {
        let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
        succeeds(&scratch, "generate fabric.toml -o out --set", set);
        for (from, to) in [(0, 5), (1, 17), (33, 2)] {
            let pair = format!("--from {from} --to {to}");
            let inspected = scratch.succeeds(&format!("inspect out {pair}"));
            let (_, table) = inspected.split_once("share of draws\n").unwrap();
            let words = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let table: String = words.map(|words| words.join(" ") + "\n").collect();
            let paths = succeeds(&scratch, &format!("paths fabric.toml {pair} --json --set"), set);
            let paths = serde_json::from_str(&paths).unwrap();
            assert_eq!(as_inspected(&paths), table, "{set}: {from} to {to}");
        }
    }
}

/// Each weight is the part of the draws that `paths --set` gives the paths with that first hop.
#[test]
fn next_hops_are_the_first_hops_of_the_paths() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let set = "2*only:001, only:110+120";
    let next_hops = |grain: &str| -> Value {
        let run = format!("paths fabric.toml --from 33 --next-hops {grain} --json --set");
        serde_json::from_str(&succeeds(&scratch, &run, set)).unwrap()
    };
    let (by_switch, by_group) = (next_hops("switch"), next_hops("group"));
    let mut mean: BTreeMap<(u64, &str, u64), f64> = BTreeMap::new();
    for to in by_switch["destinations"].as_array().unwrap() {
        let pair = format!("paths fabric.toml --from 33 --to {} --json --set", to["switch"]);
        let paths: Value = serde_json::from_str(&succeeds(&scratch, &pair, set)).unwrap();
        for kind in ["min", "vlb"] {
            let mut drawn: BTreeMap<u64, f64> = BTreeMap::new();
            for path in paths[kind].as_array().unwrap() {
                let next = path["switches"][1].as_u64().unwrap();
                *drawn.entry(next).or_default() += path["probability"].as_f64().unwrap();
            }
            for hop in to[kind].as_array().unwrap() {
                let (next, weight) = (hop["switch"].as_u64().unwrap(), &hop["weight"]);
                let part = weight.as_f64().unwrap() / 10_000.0;
                assert!((drawn.remove(&next).unwrap() - part).abs() < 1e-4, "{hop}");
                *mean.entry((to["group"].as_u64().unwrap(), kind, next)).or_default() += part;
            }
            assert!(drawn.is_empty(), "{drawn:?}");
        }
    }
    let groups: Vec<&Value> = by_group["destinations"].as_array().unwrap().iter().collect();
    assert_eq!(groups.len(), 8 + 3);
    for to in groups.into_iter().filter(|to| to["switch"].is_null()) {
        let group = to["group"].as_u64().unwrap();
        for kind in ["min", "vlb"] {
            // Of the switches to which there is such a path.
            let of_group = mean.iter().filter(|((of, what, _), _)| (*of, *what) == (group, kind));
            let sum: f64 = of_group.map(|(_, sum)| sum).sum();
            for hop in to[kind].as_array().unwrap() {
                let next = hop["switch"].as_u64().unwrap();
                let part = hop["weight"].as_f64().unwrap() / 10_000.0;
                assert!((mean[&(group, kind, next)] / sum - part).abs() < 2e-4, "{hop}");
            }
        }
    }
}

#[test]
fn next_hops_have_the_names_of_ports_and_know_which_links_live() {
    let text = "name = \"t\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\nlocal-links = 2\n\
        names = \"names.csv\"\n";
    let scratch = Scratch::with_text(text);
    scratch.write(
        "names.csv",
        "group,switch,port,name,physical\n0,0,,s0,\n0,0,local 1 1,Ethernet8,9\n0,0,global 0,Ethernet4,5\n",
    );
    let run = "paths fabric.toml --from s0 --next-hops group --json --set all";
    assert_snapshot!("next_hops", scratch.succeeds(run));
    scratch.write("dead.txt", "local (0,0)-(0,1):1\n");
    assert_snapshot!(scratch.refuses(&run.replace("--from", "--faults dead.txt --from")));
}

/// As a switch with 8 members a group whose weights are all 1, and with 2 next hops a group.
#[test]
fn next_hops_fit_the_members_that_hardware_has() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let lost = |options: &str, group: u64| -> Value {
        let run =
            format!("paths fabric.toml --from 5 --next-hops group --json {options} --set all");
        let hops: Value = serde_json::from_str(&scratch.succeeds(&run)).unwrap();
        let destinations = hops["destinations"].as_array().unwrap();
        let to = destinations.iter().find(|to| to["group"] == group && to["switch"].is_null());
        let weights = |kind| -> Vec<u64> {
            let hops = to.unwrap()[kind].as_array().unwrap().iter();
            hops.map(|hop| hop["weight"].as_u64().unwrap()).collect()
        };
        json!({ "lost": hops["lost"], "min": weights("min"), "vlb": weights("vlb") })
    };
    assert_snapshot!(lost("", 3));
    assert_snapshot!(lost("--weight-sum 8", 3));
    assert_snapshot!(lost("--weight-sum 8", 4));
    assert_snapshot!(lost("--members 2 --weight-sum 64", 3));
}

#[test]
fn options_of_paths_that_do_not_go_together_are_refused() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    for (options, word) in [
        ("", "--from"),
        ("--from 1", "--to"),
        ("--all", "--set"),
        ("--all --set all", "--json"),
        ("--all --set all --json --from 1", "cannot be used"),
        ("--from 1 --to 2 --set all", "--json"),
        ("--from 1 --to 2 --set all --json --list", "cannot be used"),
        ("--from 1 --to 2 --set all --json --next-hops group", "cannot be used"),
        ("--from 1 --next-hops group", "--set"),
        ("--from 1 --to 2 --set all --json --members 4", "cannot be used"),
        ("--from 1 --members 4", "--next-hops"),
        ("--from 1 --next-hops group --set all --json --weight-sum 0", "1 to 1000000"),
    ] {
        let error = scratch.refuses(&format!("paths fabric.toml {options}"));
        assert!(error.contains(word), "{options}: {error}");
    }
    assert_snapshot!(scratch.refuses("paths fabric.toml --all --json --set 7-hop"));
}
