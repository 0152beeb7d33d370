//! `tvlb simulate`: its figures word for word, and one clear error for each kind of bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

const SHORT: &str = "simulate out --window 1000 --warm-up 1";

#[test]
fn figures_as_table_csv_and_json() {
    let scratch = Scratch::with_table_set();
    let curve = format!("{SHORT} --traffic shift(1,0) --load 0.05,0.2 --seeds 1,2");
    assert_snapshot!("simulate_table", scratch.succeeds(&curve));
    assert_snapshot!("simulate_csv", scratch.succeeds(&format!("{curve} --format csv")));
    let json = scratch.succeeds(&format!("{curve} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["settings"]["scheme"], "ugal-l");
    assert_eq!(json["curve"][1]["runs"].as_array().unwrap().len(), 2);
    assert!(json["curve"][1]["latency"]["error"].as_f64().unwrap() > 0.0);
    assert_eq!(
        (&json["sizes"], &json["set"]),
        (&"dfly(2, 4, 2, 9)".into(), &"strategic-2-3 by shape".into())
    );
    let alone = scratch.succeeds(&format!("{SHORT} --load 0.1 --conventional --json"));
    let alone: serde_json::Value = serde_json::from_str(&alone).unwrap();
    assert!(alone["curve"][0]["latency"]["error"].is_null());
    assert_eq!((&alone["set"], alone.get("second-set")), (&"conventional".into(), None));
    let hot = scratch.succeeds(&format!("{SHORT} --scheme par --traffic hot-switch"));
    assert_snapshot!("simulate_hot_switch", hot);
}

/// Every column of the table is in `--help`, and every one of CSV on the page.
#[test]
fn columns_are_explained() {
    let scratch = Scratch::with_table_set();
    let help = scratch.succeeds("simulate --help");
    let (_, columns) = help.split_once("Columns (").unwrap();
    let agreeing = format!("{SHORT} --measure until-windows-agree");
    let table = scratch.succeeds(&agreeing);
    let heads = table.lines().filter(|line| line.trim_start().starts_with("load  "));
    let names: BTreeSet<&str> = heads.flat_map(|head| head.split("  ").map(str::trim)).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    assert!(names.len() == 18 && names.contains(&"Jain"), "{names:?}");
    for name in names {
        assert!(columns.contains(&format!("\n  {name} ")), "{name}");
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/simulate.md");
    let page = fs::read_to_string(page).unwrap();
    for options in ["", " --saturation --resolution 0.2"] {
        let csv = scratch.succeeds(&format!("{agreeing} --format csv{options}"));
        for name in csv.lines().next().unwrap().split(',') {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}

#[test]
fn saturation_is_the_same_with_any_number_of_threads() {
    let scratch = Scratch::with_table_set();
    let search = format!("{SHORT} --traffic shift(1,0) --saturation --resolution 0.1");
    let found = scratch.succeeds(&format!("{search} --threads 1"));
    assert_snapshot!("simulate_saturation", found);
    assert_eq!(scratch.succeeds(&format!("{search} --threads 3")), found);
}

/// The other way of measuring says how many windows it took; JSON and CSV have no word of it where
/// it is not asked for.
#[test]
fn windows_are_measured_until_they_agree() {
    let scratch = Scratch::with_table_set();
    let curve = format!("{SHORT} --traffic shift(1,0) --load 0.05,0.32,0.5 --latency-limit 200");
    let agreeing = format!("{curve} --measure until-windows-agree");
    assert_snapshot!("simulate_windows_table", scratch.succeeds(&agreeing));
    assert_snapshot!("simulate_windows_csv", scratch.succeeds(&format!("{agreeing} --format csv")));
    let json = scratch.succeeds(&format!("{agreeing} --json"));
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["settings"]["measure"], "until-windows-agree");
    let windows = |load: usize| &document["curve"][load]["runs"][0]["measured-windows"];
    assert_eq!((windows(0), windows(2)), (&3.into(), &1.into()));
    assert!((4..=9).contains(&windows(1).as_u64().unwrap()), "{}", windows(1));

    let one = scratch.succeeds(&format!("{curve} --json"));
    assert_eq!(scratch.succeeds(&format!("{curve} --measure One-Window --json")), one);
    assert!(!one.contains("\"measured-windows") && one.contains("\"warm-up\": 1"), "{one}");

    // A search measures so without being asked.
    let search = "--saturation --resolution 0.05 --latency-limit 200";
    let found = scratch.succeeds(&format!("{SHORT} --traffic shift(1,0) {search}"));
    assert_snapshot!("simulate_windows_saturation", found);
}

#[test]
fn a_plot_and_the_links_are_written() {
    let scratch = Scratch::with_table_set();
    scratch.succeeds(&format!("{SHORT} --load 0.1,0.3 --plot curve.svg --links links.csv"));
    assert_snapshot!("simulate_plot", String::from_utf8(scratch.read("curve.svg")).unwrap());
    let links = String::from_utf8(scratch.read("links.csv")).unwrap();
    // Two runs of 36 switches with 3 local and 2 global links.
    assert_eq!(links.lines().count(), 1 + 2 * 36 * 5);
    assert!(links.contains("\"global link from group 0, switch 0, port 0 to group 1, switch "));
}

/// T and the virtual channels' rule on the command line are as good as in the fabric file.
#[test]
fn images_are_revised_before_they_boot() {
    let scratch = Scratch::with_table_set();
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let routing = "[routing]\nthreshold = -9\nvirtual-channels = \"per-hop\"\n";
    scratch.write("other.toml", fabric.replace("[routing]\n", routing));
    scratch.succeeds("generate other.toml -o other");
    for scheme in ["ugal-l", "par"] {
        let run = |directory: &str, more: &str| {
            let rest = "--window 500 --warm-up 1 --traffic shift(1,0) --load 0.2 --json";
            scratch.succeeds(&format!("simulate {directory} --scheme {scheme} {rest} {more}"))
        };
        let revised = run("out", "--threshold -9 --vc-scheme per-hop");
        assert_eq!(revised, run("other", ""));
        assert_ne!(revised, run("out", "--vc-scheme per-hop"));
        let json: serde_json::Value = serde_json::from_str(&revised).unwrap();
        assert_eq!(
            (&json["settings"]["vc-scheme"], &json["thresholds"]["par-second"]),
            (&"per-hop".into(), &(-9).into())
        );
    }
}

/// Conventional UGAL has no T, so that of the images plays no part unless it is asked for.
#[test]
fn conventional_paths_are_decided_on_without_t() {
    let scratch = Scratch::with_table_set();
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let routing = "[routing]\nthreshold = { ugal-l = -9, par-source = -9, par-second = 4 }\n";
    scratch.write("other.toml", fabric.replace("[routing]\n", routing));
    scratch.succeeds("generate other.toml -o other");
    let run = |directory: &str, more: &str| {
        let rest = "--window 500 --warm-up 1 --traffic shift(1,0) --load 0.2";
        scratch.succeeds(&format!("simulate {directory} {rest} {more}"))
    };
    let title = |printed: String| printed.lines().next().unwrap().to_owned();
    for scheme in ["ugal-l", "par", "ugal-g"] {
        let with =
            |directory: &str, more: &str| run(directory, &format!("--scheme {scheme} {more}"));
        let conventional = with("other", "--conventional --json");
        assert_eq!(conventional, with("out", "--conventional --json"));
        assert_eq!(conventional, with("other", "--conventional --threshold 0 --json"));
        assert_ne!(conventional, with("other", "--conventional --threshold -9 --json"));
        let expected = format!("{scheme}, conventional VLB paths, T = 0, shift(1,0), 1 seed");
        assert_eq!(title(with("other", "--conventional")), expected);
    }
    let custom = "custom VLB paths";
    for (scheme, expected) in [
        ("min", "min, shift(1,0), 1 seed".to_owned()),
        ("ugal-l", format!("ugal-l, {custom}, T = -9, shift(1,0), 1 seed")),
        ("ugal-g", format!("ugal-g, {custom}, T = -9, shift(1,0), 1 seed")),
        (
            "par",
            format!(
                "par, {custom}, T = -9 at the source and 4 at the second look, shift(1,0), 1 seed"
            ),
        ),
    ] {
        assert_eq!(title(run("other", &format!("--scheme {scheme}"))), expected);
    }
    let csv = run("other", "--scheme par --format csv");
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .contains(",threshold,second-threshold,candidates,second-candidates,gate,second-gate,"),
        "{csv}"
    );
    assert!(csv.lines().nth(1).unwrap().contains(",-9,4,1x1,1x1,0,0,"), "{csv}");
}

#[test]
fn a_range_of_loads_is_the_loads_that_it_stands_for() {
    let scratch = Scratch::with_table_set();
    let listed = scratch.succeeds(&format!("{SHORT} --load 0.05,0.15,0.25,0.6 --json"));
    assert_eq!(scratch.succeeds(&format!("{SHORT} --load 0.05:0.25:0.1,0.6 --json")), listed);
}

const PAIRS: &str = "source-node,destination-node\n";

#[test]
fn flows_are_read_from_a_file() {
    let scratch = Scratch::with_table_set();
    let write = |lines: &str| scratch.write("flows.csv", format!("{PAIRS}{lines}"));
    let run = format!("{SHORT} --traffic flows:flows.csv --load 0.5");
    write("# two flows\n0,71\n5,1\n");
    let found = scratch.succeeds(&run);
    assert_snapshot!("simulate_flows", found);
    scratch.write("flows.csv", "\u{feff}source-node,destination-node,,\n\"0\", 71,\r\n5,1\n,,\n");
    assert_eq!(scratch.succeeds(&run), found);
    // What all lines demand, is in any unit.
    scratch.write(
        "flows.csv",
        "source-node,destination-node,demand\n0,71,1e-3\n5,1,.0005\n5,1,5e-4\n",
    );
    assert_eq!(scratch.succeeds(&run), found);
    // A node of many destinations, and one that sends a third as much.
    scratch.write("flows.csv", "source-node,destination-node,demand\n0,71,3\n0,40,3\n5,1,2\n");
    assert_snapshot!("simulate_demands", scratch.succeeds(&run));
    write("0,72\n");
    assert_snapshot!(scratch.refuses(&run), @"tvlb: flows.csv: line 2: there is no node 72; the last node is 71");
    scratch.write("flows.csv", "0,71\n");
    assert_snapshot!(scratch.refuses(&run));
}

#[test]
fn bad_input_ends_in_one_error() {
    let scratch = Scratch::with_table_set();
    let mut errors = String::new();
    for arguments in [
        "--load 0",
        "--load 1.5",
        "--traffic shift(9,0)",
        "--traffic sideways",
        "--traffic flows:none.csv",
        "--scheme par --conventional --virtual-channels 4",
        "--scheme par --virtual-channels 3",
        "--scheme par --virtual-channels 5 --vc-scheme per-hop",
        "--buffer 0",
        "--saturation --resolution 0",
        "--resolution 0.1",
        "--bench 0",
        "--measure two-windows",
        "--measure until-windows-agree --warm-up 8",
        "--load 0.05,0.05",
        "--load 0.05:0.2:0.05,0.1",
        "--load 30%",
        "--load 0.1..0.3",
        "--load 0.3:0.1:0.1",
        "--seeds 1,2,1",
        "--plot curve.pdf",
        "--saturation --plot curve.svg",
        "--plot none/curve.svg --window 100 --warm-up 0",
        "--traffic Uniform",
        "--traffic shift(-1,0)",
    ] {
        let run = scratch.tvlb(&format!("simulate out {arguments}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments}");
        write!(errors, "{arguments}\n    {}", run.stderr).unwrap();
    }
    fs::remove_file(scratch.path("out/switches/00007.tvlb")).unwrap();
    let run = scratch.tvlb("simulate out");
    write!(errors, "a missing image\n    {}", run.stderr).unwrap();
    assert_snapshot!("simulate_errors", errors);
}

/// Parts die and are mended while the network runs: what was lost, window by window, in each format.
#[test]
fn parts_die_and_are_mended() {
    let scratch = Scratch::with_table_set();
    scratch.write("dead.txt", "cable (0,1):1\nswitch (2,0)\n");
    scratch.write("none.txt", "# all is mended\n");
    let plain = format!("{SHORT} --load 0.2 --seeds 1,2");
    let curve =
        format!("{plain} --faults-at 1500:none.txt --faults-at 600:dead.txt --fault-delay 0-300");
    let series = format!("{curve} --series 250");
    assert_snapshot!("simulate_faults_table", scratch.succeeds(&series));
    assert_snapshot!("simulate_faults_series", scratch.succeeds(&format!("{series} --format csv")));
    assert_snapshot!("simulate_faults_csv", scratch.succeeds(&format!("{curve} --format csv")));
    let json = scratch.succeeds(&format!("{series} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["faults-at"][0]["cycle"], 600);
    assert_eq!(json["faults-at"][0]["dead"], "switch (2,0)\ncable (0,1):1\n");
    assert_eq!(json["fault-delay"], serde_json::json!([0, 300]));
    let series = &json["curve"][0]["runs"][1]["series"];
    assert_eq!(
        (series["window"].as_u64(), series["windows"].as_array().unwrap().len()),
        (Some(250), 8)
    );
    let faults = &json["curve"][0]["runs"][1]["faults"];
    assert!(faults["losses"]["on-dead-links"].as_u64().unwrap() > 0, "{faults}");

    // Nothing of it where nothing dies; and what dies never changes nothing else.
    let without = scratch.succeeds(&format!("{plain} --json"));
    assert!(!without.contains("fault-delay") && !without.contains("faults-at"), "{without}");
    let nothing = scratch.succeeds(&format!("{plain} --faults-at 600:none.txt --json"));
    let [without, mut nothing] =
        [without, nothing].map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap());
    for seed in 0..2 {
        let run = nothing["curve"][0]["runs"][seed].as_object_mut().unwrap();
        assert_eq!(run.remove("faults").unwrap()["losses"]["on-dead-links"], 0);
    }
    assert_eq!(without["curve"], nothing["curve"]);

    let mut said = String::new();
    for options in [
        "--faults-at 5",
        "--faults-at 5:missing.txt",
        "--faults-at 2000:dead.txt",
        "--faults-at 5:dead.txt --faults-at 5:none.txt",
        "--faults-at 5:dead.txt --fault-delay 9-3",
        "--faults-at 5:dead.txt --saturation",
    ] {
        let run = scratch.tvlb(&format!("{SHORT} {options}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{options}");
        write!(said, "{options}\n    {}", run.stderr).unwrap();
    }
    assert_snapshot!("simulate_faults_refused", said);
}

/// A network that starts with an update installed: the fault image, and the switch images of the update.
#[test]
fn an_update_is_installed_from_the_beginning() {
    let scratch = Scratch::with_table_set();
    scratch.write("dead.txt", "cable (0,1):1\nswitch (2,0)\n");
    scratch.write("none.txt", "# nothing is dead\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q --epoch 3");
    scratch.succeeds("faults out --faults none.txt -o nothing -q");
    let curve = |options: &str| {
        let json = scratch.succeeds(&format!("{SHORT} --load 0.2 --json {options}"));
        serde_json::from_str::<serde_json::Value>(&json).unwrap()
    };
    let updated = curve("--update update");
    assert_eq!(updated["update"], 3);
    assert_eq!(updated["faults-at"][0]["dead"], "switch (2,0)\ncable (0,1):1\n");
    let losses = &updated["curve"][0]["runs"][0]["faults"]["losses"];
    // Who is to send knows of everything that is dead: nothing is lost on the way.
    assert_eq!(losses["on-dead-links"], 0);
    assert!(losses["refused-at-source"].as_u64().unwrap() > 0, "{losses}");
    // With the fault image alone, switches still draw shapes that they have lost.
    let alone = curve("--faults-at 0:dead.txt");
    assert_ne!(alone["curve"], updated["curve"]);
    let saturation = scratch.succeeds(&format!("{SHORT} --saturation --update update"));
    assert_ne!(saturation, scratch.succeeds(&format!("{SHORT} --saturation")));

    // An update that says that nothing is dead changes nothing.
    let mut nothing = curve("--update nothing");
    nothing["curve"][0]["runs"][0].as_object_mut().unwrap().remove("faults").unwrap();
    assert_eq!(nothing["curve"], curve("")["curve"]);

    let mut said = String::new();
    let image = fs::read_dir(scratch.path("update/switches")).unwrap().next().unwrap().unwrap();
    fs::write(image.path(), "no image").unwrap();
    for options in [
        "--update missing",
        "--update out",
        "--update nothing --faults-at 5:dead.txt",
        "--update nothing --bench 100",
    ] {
        let run = scratch.tvlb(&format!("{SHORT} {options}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{options}");
        write!(said, "{options}\n    {}", run.stderr).unwrap();
    }
    assert_snapshot!("simulate_update_refused", said);
    let refused = scratch.refuses(&format!("{SHORT} --update update"));
    let name = image.file_name().into_string().unwrap();
    assert!(refused.starts_with(&format!("tvlb: update/switches/{name}: ")), "{refused}");
}

/// Switches take an update while packets fly: the fault image, and with it the switch image.
#[test]
fn an_update_is_installed_in_the_course_of_a_run() {
    let scratch = Scratch::with_table_set();
    scratch.write("dead.txt", "cable (0,1):1\nswitch (2,0)\n");
    scratch.write("none.txt", "# all is mended\n");
    scratch.succeeds("faults out --faults dead.txt -o update -q --epoch 3");
    let run = |options: &str| {
        let json = scratch.succeeds(&format!("{SHORT} --load 0.2 --json {options}"));
        serde_json::from_str::<serde_json::Value>(&json).unwrap()
    };
    // At cycle 0, it is as if it had been installed from the beginning, with other thresholds too.
    for options in ["", "--threshold 3 --scheme par"] {
        let now = run(&format!("{options} --update-at 0:update"));
        assert_eq!(now["curve"], run(&format!("{options} --update update"))["curve"], "{options}");
    }
    let mended = "--faults-at 1500:none.txt --fault-delay 0-300";
    let updated = run(&format!("--update-at 600:update {mended}"));
    assert_eq!(updated["faults-at"][0]["cycle"], 600);
    assert_eq!(updated["faults-at"][0]["dead"], "switch (2,0)\ncable (0,1):1\n");
    assert_eq!(updated["faults-at"][0]["update"], 3);
    assert!(updated["faults-at"][1].get("update").is_none());
    // With the fault image alone, switches still look for shapes that they have lost.
    let alone = run(&format!("--faults-at 600:dead.txt {mended}"));
    assert_eq!(alone["faults-at"][0]["dead"], updated["faults-at"][0]["dead"]);
    assert_ne!(alone["curve"], updated["curve"]);

    let mut said = String::new();
    for options in [
        "--update-at update",
        "--update-at 5:missing",
        "--update-at 5:out",
        "--update-at 2000:update",
        "--update-at 5:update --faults-at 5:none.txt",
        "--update-at 5:update --update update",
        "--update-at 5:update --saturation",
    ] {
        let run = scratch.tvlb(&format!("{SHORT} {options}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{options}");
        write!(said, "{options}\n    {}", run.stderr).unwrap();
    }
    assert_snapshot!("simulate_update_at_refused", said);
}

/// Where the processes of the traffic run; without a word of it, figures and words are as ever.
#[test]
fn processes_are_placed() {
    let scratch = Scratch::with_table_set();
    let run = format!("{SHORT} --traffic complement --load 0.2 --seeds 1,2");
    let plain = scratch.succeeds(&format!("{run} --json"));
    assert_eq!(scratch.succeeds(&format!("{run} --place identity --json")), plain);
    assert!(!plain.contains("\"placement\""), "{plain}");
    let shuffled = scratch.succeeds(&format!("{run} --place groups --json"));
    let json: serde_json::Value = serde_json::from_str(&shuffled).unwrap();
    assert_eq!(json["placement"], "groups");
    assert_ne!(json["curve"], serde_json::from_str::<serde_json::Value>(&plain).unwrap()["curve"]);
    let table = scratch.succeeds(&format!("{run} --place groups"));
    assert!(table.contains("complement placed by groups, 2 seeds"), "{table}");

    let list =
        |nodes: &[u32]| nodes.iter().fold(String::new(), |text, node| format!("{text}{node}\n"));
    let in_order: Vec<u32> = (0..72).collect();
    scratch.write("nodes.txt", list(&in_order));
    let listed = scratch.succeeds(&format!("{run} --place listed:nodes.txt --json"));
    let curve =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["curve"].clone();
    assert_eq!(curve(&listed), curve(&plain));

    let mut double = in_order.clone();
    double[10] = 5;
    let many: Vec<u32> = (0..72).chain([3]).collect();
    for (nodes, said) in [
        (&double, "line 11: node 5 already stands in line 6, accepted each node once"),
        (&many, "line 73: the list has named each of the fabric's 72 nodes, accepted its end"),
        (
            &(0..71).collect(),
            "the list ends after 71 nodes, and the first that it lacks is node 71",
        ),
        (&(1..73).collect(), "line 72: there is no node 72; the last node is 71"),
    ] {
        scratch.write("nodes.txt", list(nodes));
        for more in ["", " --bench 10"] {
            let error = scratch.refuses(&format!("{run} --place listed:nodes.txt{more}"));
            assert!(error.contains(&format!("nodes.txt: {said}")), "{error}");
        }
    }
    scratch.write("nodes.txt", "0\nseven\n");
    let error = scratch.refuses(&format!("{run} --place listed:nodes.txt"));
    assert!(
        error.contains(
            "nodes.txt: line 2: \"seven\" is not a node; accepted a number; the fabric has no"
        ),
        "{error}"
    );
    let error = scratch.refuses(&format!("{run} --place listed:nowhere.txt"));
    assert!(error.contains("nowhere.txt: cannot read it"), "{error}");
    let error = scratch.refuses(&format!("{run} --place group"));
    assert!(
        error.contains(
            "--place: \"group\" is not a placement, accepted identity, spread, random, groups and listed:FILE"
        ),
        "{error}"
    );
}

/// A buffer is as large as the longest link needs, and a user who asks for a smaller one is told what it carries.
#[test]
fn links_that_are_long_get_the_buffers_that_they_need() {
    let scratch = Scratch::with_table_set();
    let run = "simulate out --scheme min --traffic shift(1,0) --load 0.02 --window 4000 --global-latency 100";
    let said = scratch.succeeds(run);
    assert!(!said.contains('*'), "{said}");
    let small = scratch.tvlb(&format!("{run} --buffer 32"));
    let warning = "tvlb: warning: a virtual channel of a global link of 100 cycles with a buffer of 32 flits carries \
                   at most 0.157 flits per cycle\n";
    assert_eq!((small.code, small.stderr.as_str()), (0, warning));
    assert!(small.stdout.contains("0.02+"), "{}", small.stdout);
    assert_eq!(scratch.tvlb(&format!("{run} --buffer 32 -q")).stderr, "");
    let buffer = |more: &str| {
        let json = scratch.succeeds(&format!("{run} --json {more}"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["settings"]["buffer"].as_u64().unwrap()
    };
    assert_eq!((buffer(""), buffer("--buffer 250")), (202, 250));
}

/// The fabric file can say how many flits a buffer holds, and every command that simulates goes by it.
#[test]
fn the_fabric_file_says_how_large_buffers_are() {
    let scratch = Scratch::with_table_set();
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write("small.toml", format!("{fabric}\n[links]\nglobal-latency = 100\nbuffer = 16\n"));
    let warning = "a virtual channel of a global link of 100 cycles with a buffer of 16 flits carries at most 0.078";
    let warns = |arguments: &str| {
        let run = scratch.tvlb(arguments);
        assert!(run.code == 0 && run.stderr.contains(warning), "tvlb {arguments}: {run}");
        run.stdout
    };
    scratch.succeeds("generate small.toml -o small");
    let json = warns("simulate small --load 0.02 --window 500 --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["settings"]["buffer"], 16);
    scratch.succeeds("simulate small --load 0.02 --window 500 --buffer 300");
    let jobs = "--jobs 8 --workload alltoall --bytes 2KB";
    warns(&format!("run small {jobs}"));
    warns(&format!(
        "advise small.toml {jobs} --with identity --map linear --order given --simulate 1"
    ));
    let error = scratch.finds("verify small --fabric fabric.toml");
    assert!(error.contains("latency of global links"), "{error}");
    scratch.write("same.toml", format!("{fabric}\n[links]\nglobal-latency = 100\n"));
    let error = scratch.finds("verify small --fabric same.toml");
    assert!(error.contains("the buffer is"), "{error}");
}

/// What a fabric file may say of latencies can be simulated, with the buffers that follow.
#[test]
fn the_largest_latency_of_a_fabric_file_is_simulated() {
    let scratch = Scratch::with_table_set();
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write("long.toml", format!("{fabric}\n[links]\nglobal-latency = 10000\n"));
    scratch.succeeds("generate long.toml -o long");
    let json = scratch.succeeds("simulate long --scheme min --load 0.01 --window 100 --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["settings"]["buffer"], 20_002);
    let refused = scratch.refuses("simulate long --global-latency 10001");
    assert!(refused.contains("'--global-latency <CYCLES>': accepted 1 to 10000\n"), "{refused}");
}

/// If bursts are longer than what is measured, the figures are of the nodes that happened to send.
#[test]
fn bursts_longer_than_the_window_are_marked() {
    let scratch = Scratch::with_table_set();
    let run = |bursts: &str, more: &str| {
        let words = format!("{SHORT} --load 0.2 -q {more}");
        let words: Vec<&str> = words.split_whitespace().collect();
        let traffic = format!("uniform in bursts({bursts})");
        let run = scratch.tvlb_with(words.into_iter().chain(["--traffic", &traffic]));
        assert_eq!(run.code, 0, "{run}");
        run.stdout
    };
    let warning =
        "a burst and the silence after it last 400000 cycles on average, and 1000 are measured";
    assert!(run("200000,200000", "").contains(&format!("\nwarning: {warning}")));
    let json: serde_json::Value = serde_json::from_str(&run("200000,200000", "--json")).unwrap();
    assert!(json["warning"].as_str().unwrap().starts_with(warning));
    assert!(!run("500,500", "").contains("warning"));
    assert!(!run("500,500", "--json").contains("\"warning\""));
}

/// A latency that depends on how long one waits is marked.
#[test]
fn a_latency_that_was_still_growing_is_marked() {
    let scratch = Scratch::with_table_set();
    let run = "simulate out --traffic shift(1,0) --load 0.2,0.36 --window 2000 --warm-up 2";
    let table = scratch.succeeds(run);
    assert!(table.contains("\n 0.2  ") && table.contains("\n0.36+ "), "{table}");
    assert!(
        table.contains("+ still growing: a longer measurement finds a higher latency"),
        "{table}"
    );
    let csv = scratch.succeeds(&format!("{run} --format csv"));
    let place = csv.lines().next().unwrap().split(',').position(|name| name == "growing").unwrap();
    // The traffic has a comma of its own.
    let growing: Vec<&str> =
        csv.lines().skip(1).map(|line| line.split(',').nth(place + 1).unwrap()).collect();
    assert_eq!(growing, ["false", "true"]);
}

/// Lines of several files say all that their figures depend on.
#[test]
fn a_line_says_which_file_and_which_settings_it_is_of() {
    let scratch = Scratch::with_table_set();
    scratch.write("k.csv", format!("{PAIRS}0,40\n3,5\n"));
    scratch.write("other.csv", format!("{PAIRS}0,41\n3,5\n"));
    let identity = |more: &str| -> Vec<String> {
        let run = format!("{SHORT} --scheme min --load 0.05 --format csv {more}");
        let run = scratch.tvlb(&run);
        let mut lines = run.stdout.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let (heads, values) = (lines.next().unwrap(), lines.next().unwrap());
        let figures = heads.iter().position(|head| *head == "packets").unwrap();
        let settings = heads.iter().position(|head| *head == "threshold").unwrap();
        values[..figures].iter().chain(&values[settings..]).map(ToString::to_string).collect()
    };
    let all = [
        "--traffic flows:k.csv",
        "--traffic flows:other.csv",
        "--traffic flows:k.csv --buffer 16",
        "--traffic flows:k.csv --local-latency 9",
        "--traffic flows:k.csv --speedup 1",
        "--traffic flows:k.csv --vc-scheme per-hop",
        "--traffic flows:k.csv --global-latency 14",
    ];
    let lines: std::collections::BTreeSet<Vec<String>> = all.map(identity).into();
    assert_eq!(lines.len(), all.len(), "{lines:#?}");
    let title =
        scratch.succeeds(&format!("{SHORT} --scheme min --load 0.05 --traffic flows:k.csv"));
    assert!(title.starts_with("min, flows:k.csv, 1 seed\n"), "{title}");
    let json = scratch.succeeds(&format!("{SHORT} --load 0.05 --traffic flows:k.csv --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["traffic"], "flows:k.csv");
    assert_eq!(json["traffic-content"].as_str().unwrap().len(), 64);
}

/// Traffic that changes is named in full, and watched by windows.
#[test]
fn traffic_may_change_during_a_run() {
    let scratch = Scratch::with_table_set();
    let words = format!("{SHORT} --load 0.2 --series 500 --traffic");
    let run = |traffic: &str| scratch.tvlb_with(words.split(' ').chain([traffic]));
    let found =
        run("uniform then shift(1,0) from 1000 then uniform in bursts(50,50) at 0.3 from 1500");
    assert_eq!((found.code, found.stderr.as_str()), (0, ""));
    assert_snapshot!("simulate_changing_traffic", found.stdout);
    for (traffic, accepted) in [
        ("uniform then shift(1,0)", "PATTERN [at LOAD] from CYCLE after each then"),
        ("uniform in bursts(10)", "PATTERN in bursts(CYCLES,CYCLES)"),
        (
            "uniform in bursts(10,90)",
            "load is 0.2 in bursts of 10 cycles with silences of 90, accepted at most 0.1",
        ),
    ] {
        let refused = run(traffic);
        assert!(refused.code == 2 && refused.stderr.contains(accepted), "{refused}");
    }
}

/// How throughput, latency and the share of VLB change over time needs nothing that dies.
#[test]
fn a_series_needs_no_faults() {
    let scratch = Scratch::with_table_set();
    let run = format!("{SHORT} --traffic shift(1,0) --load 0.2");
    let table = scratch.succeeds(&format!("{run} --series 500"));
    assert!(table.starts_with(&scratch.succeeds(&run)), "the figures are the same: {table}");
    assert!(table.contains("\nload 0.2, seed 1\nfrom  accepted  latency    VLB\n"), "{table}");
    let csv = scratch.succeeds(&format!("{run} --series 500 --format csv"));
    assert_eq!(csv.lines().count(), 1 + 4, "{csv}");
    assert!(
        csv.starts_with("fabric,") && csv.contains(",from,accepted,latency,vlb-share,"),
        "{csv}"
    );
    let error = scratch.refuses(&format!("{SHORT} --series 500 --saturation"));
    assert!(error.contains("cannot be used with"), "{error}");
}
