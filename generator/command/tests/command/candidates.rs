//! Numbers of candidates and gates, from the fabric file or the command line to the images, and from
//! the images to what every command says of them.

use crate::damage::{FABRIC, edit_manifest};
use crate::scratch::Scratch;
use insta::assert_snapshot;
use tvlb_schema::Gate;

/// The fabric of a table set with this in its `[routing]`, in other.toml.
fn with_routing(routing: &str) -> Scratch {
    let scratch = Scratch::with_table_set();
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write("other.toml", fabric.replace("[routing]\n", &format!("[routing]\n{routing}")));
    scratch
}

#[test]
fn the_fabric_file_the_command_line_and_simulate_say_the_same() {
    let scratch = with_routing("candidates = \"1x4\"\ngate = 1.25\n");
    scratch.succeeds("generate other.toml -o other");
    let policy = "strategic-2-3 by shape 1x4 gate=1.25";
    let third = ["generate", "fabric.toml", "-o", "third", "--set", policy];
    assert_eq!(scratch.tvlb_with(third).code, 0);
    let images = |directory: &str| {
        let files = scratch.files().into_iter();
        let of = files.filter_map(|(path, bytes)| {
            let name = path.strip_prefix(directory)?;
            (name == FABRIC || name.starts_with("switches/")).then(|| (name.to_owned(), bytes))
        });
        of.collect::<Vec<_>>()
    };
    assert_eq!(images("other/"), images("third/"));
    assert_ne!(images("other/"), images("out/"));
    let options = "--window 500 --warm-up 1 --traffic shift(1,0) --load 0.2 --json";
    for scheme in ["ugal-l", "par", "ugal-g"] {
        let run = |directory: &str, more: &str| {
            scratch.succeeds(&format!("simulate {directory} --scheme {scheme} {options} {more}"))
        };
        let revised = run("out", "--candidates 1x4 --gate 1.25");
        assert_eq!(revised, run("other", ""));
        assert_ne!(revised, run("other", "--gate 0"));
        assert_ne!(revised, run("other", "--candidates 1x1"));
        assert_eq!(run("other", "--candidates 1x1 --gate 0"), run("out", ""));
        assert_ne!(run("out", "--onward cheapest"), run("out", ""));
        let json: serde_json::Value = serde_json::from_str(&revised).unwrap();
        assert_eq!(json["candidates"]["par-second"], "1x4");
        assert_eq!(json["gates"]["ugal-l"], "1.25");
        assert_eq!(json["onward"]["ugal-l"], "drawn");
        // Conventional UGAL weighs one path of each kind, unless it is asked to weigh more.
        assert_eq!(run("other", "--conventional"), run("out", "--conventional"));
        assert_ne!(run("out", "--conventional"), run("out", "--conventional --candidates 1x4"));
    }
    // MIN and VLB decide nothing.
    for scheme in ["min", "vlb"] {
        let run = |directory: &str| {
            let text =
                scratch.succeeds(&format!("simulate {directory} --scheme {scheme} {options}"));
            let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
            for key in ["candidates", "gates"] {
                json.as_object_mut().unwrap().remove(key);
            }
            json
        };
        assert_eq!(run("out"), run("other"));
    }
}

#[test]
fn every_command_says_what_a_decision_weighs() {
    let scratch = with_routing(
        "threshold = -2\ncandidates = { ugal-l = \"1x4\", par-source = \"1x1\", par-second = \"2x8\" }\n\
         gate = { ugal-l = 1.25, par-source = 0, par-second = 0.0625 }\n\
         queue = { ugal-l = \"port\", par-source = \"channel\", par-second = \"channel\" }\n\
         onward = { ugal-l = \"drawn\", par-source = \"cheapest\", par-second = \"drawn\" }\nsecond-min = \"any\"\n",
    );
    scratch.succeeds("generate other.toml -o other");
    let manifest: serde_json::Value =
        serde_json::from_slice(&scratch.read("other/manifest.json")).unwrap();
    // One of each, no gate and the queue of a port are not written.
    let sets = &manifest["sets"];
    assert_eq!(sets["ugal-l"]["weighing"], "T=-2 1x4 gate=1.25");
    assert_eq!(sets["par-source"]["weighing"], "T=-2 queue=channel onward=cheapest");
    let inspected = scratch.succeeds("inspect other");
    let lines = |text: &str, with: &str| {
        text.lines().filter(|line| line.contains(with)).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(lines(&inspected, "T = -2"), @"
    ugal-l      strategic-2-3 by shape; seed 1, T = -2, candidates 1x4, gate 1.25
    par-source  strategic-2-3 by shape; seed 1, T = -2, queue channel, onward cheapest
    par-second  strategic-2-3 by shape; seed 1, T = -2, candidates 2x8, gate 0.0625, queue channel, MIN = any
    ");
    let pair = scratch.succeeds("inspect other --from 0 --to 8");
    assert_snapshot!(lines(&pair, "T = -2"), @"set 0 for ugal-l (T = -2, candidates 1x4, gate 1.25), par-source (T = -2, queue channel, onward cheapest), par-second (T = -2, candidates 2x8, gate 0.0625, queue channel, MIN = any): strategic-2-3 by shape; seed 1");
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds("inspect other --switch 5 --json")).unwrap();
    assert_snapshot!(json["sets"], @r#"[{"candidates":["1x4","1x1","2x8"],"decisions":[["ugal-l",-2],["par-source",-2],["par-second",-2]],"gates":["1.25","0","0.0625"],"onward":["drawn","cheapest","drawn"],"queues":["port","channel","channel"],"seed":1,"set":"strategic-2-3 by shape","thinned":false}]"#);
    let differs = scratch.differs("diff out other");
    assert_snapshot!(lines(&differs, "sets."), @r#"
    manifest   sets.par-second.weighing  null -> "T=-2 2x8 gate=0.0625 queue=channel MIN=any"
               sets.par-source.weighing  null -> "T=-2 queue=channel onward=cheapest"
               sets.ugal-l.weighing      null -> "T=-2 1x4 gate=1.25"
    "#);
    let report = String::from_utf8(scratch.read("other/report.html")).unwrap();
    assert!(report.contains("-2, candidates 2x8, gate 0.0625, queue channel"));
    let short = "simulate other --window 500 --warm-up 1 --load 0.1";
    let title = |scheme: &str| {
        let said = scratch.succeeds(&format!("{short} --scheme {scheme}"));
        said.lines().next().unwrap().to_owned()
    };
    assert_snapshot!(["ugal-l", "par", "min"].map(title).join("\n"), @"
    ugal-l, custom VLB paths, T = -2, candidates 1x4, gate 1.25, uniform, 1 seed
    par, custom VLB paths, T = -2, queue channel, onward cheapest at the source and T = -2, candidates 2x8, gate 0.0625, queue channel at the second look, uniform, 1 seed
    min, uniform, 1 seed
    ");
    let csv = scratch.succeeds(&format!("{short} --scheme par --format csv"));
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .contains(",-2,-2,1x1,2x8,0,0.0625,channel,channel,cheapest,drawn,"),
        "{csv}"
    );
    scratch.succeeds("verify other --fabric other.toml");
    // The manifest cannot claim another gate.
    edit_manifest(scratch_of(&scratch), |manifest| {
        manifest.sets.ugal_l.weighing.gate = Some(Gate::of_sixteenths(21));
    });
    assert_snapshot!(scratch.finds("verify out"), @r#"tvlb: out/switches/00000.tvlb: its set for decision UgalL is "strategic-2-3 by shape", seed 1, T = -2, candidates 1x4, gate 1.25, but the manifest says "strategic-2-3 by shape", seed 1, T = -2, candidates 1x4, gate 1.3125"#);
}

/// Puts the other table set into the place of the first, where helpers look for one.
fn scratch_of(scratch: &Scratch) -> &Scratch {
    std::fs::remove_dir_all(scratch.path("out")).unwrap();
    std::fs::rename(scratch.path("other"), scratch.path("out")).unwrap();
    scratch
}

#[test]
fn values_out_of_range_are_refused() {
    let scratch = Scratch::with_table_set();
    let said = [
        "generate fabric.toml -o new --set all_1x9",
        "generate fabric.toml -o new --set all_0x4",
        "generate fabric.toml -o new --set all_gate=1.3",
        "generate fabric.toml -o new --set all_gate=16",
        "simulate out --candidates 0x1",
        "simulate out --gate a",
        "generate fabric.toml -o new --set auto --try-policy all_gate=1.3",
    ]
    .map(|arguments| {
        let words = arguments.split(' ').map(|word| word.replace('_', " "));
        let words: Vec<String> = words.collect();
        let refused = scratch.refuses_with(words.iter().map(String::as_str));
        refused.lines().next().unwrap().to_owned()
    });
    assert_snapshot!(said.join("\n"), @"
    tvlb: --set: 1x9, accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4
    tvlb: --set: 0x4, accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4
    tvlb: --set: gate=1.3, accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    tvlb: --set: gate=16, accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    tvlb: invalid value '0x1' for '--candidates <MxK>': accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4
    tvlb: invalid value 'a' for '--gate <C>': accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    tvlb: --try-policy: gate=1.3, accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    ");
}

/// The sets of a sweep are policies, which say what is weighed.
#[test]
fn a_sweep_weighs_as_its_sets_say() {
    let scratch = with_routing("gate = 1\nqueue = \"channel\"\n");
    let sets = "[\"conventional\", \"conventional 1x4 gate=1.25\", \"2-hop\", \"2-hop T=-2 1x4 gate=1.25 then 2-hop 2x2 queue=port MIN=any\"]";
    let sweep = |fabric: &str| {
        let text = format!(
            "fabrics = [\"{fabric}\"]\nschemes = [\"ugal-l\", \"par\"]\nsets = {sets}\n\
             traffic = [\"shift(1,0)\"]\nloads = [0.2]\nseeds = [1]\n[settings]\nwindow = 500\nwarm-up = 1\n"
        );
        scratch.write("study.toml", text);
        scratch.succeeds("sweep study.toml -o study");
        let collected = scratch.tvlb("sweep study.toml -o study --collect");
        assert_eq!(collected.code, 0, "{collected}");
        let csv = String::from_utf8(scratch.read("study/runs.csv")).unwrap();
        // Counted from the end, since only the columns before have commas within.
        let header = csv.lines().next().unwrap();
        let after = header.rsplit(',').position(|column| column == "second-queue").unwrap();
        let columns = csv.lines().map(|line| {
            let columns: Vec<&str> = line.rsplit(',').skip(after).take(8).collect();
            columns.into_iter().rev().collect::<Vec<_>>().join(",")
        });
        columns.collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(sweep("fabric.toml"), @"
    threshold,second-threshold,candidates,second-candidates,gate,second-gate,queue,second-queue
    0,,1x1,,0,,port,
    0,,1x4,,1.25,,port,
    0,,1x1,,0,,port,
    -2,,1x4,,1.25,,port,
    0,0,1x1,1x1,0,0,port,port
    0,0,1x4,1x4,1.25,1.25,port,port
    0,0,1x1,1x1,0,0,port,port
    -2,0,1x4,2x2,1.25,0,port,port
    ");
    // What the fabric file says is said of all sets but conventional paths.
    assert_snapshot!(sweep("other.toml"), @"
    threshold,second-threshold,candidates,second-candidates,gate,second-gate,queue,second-queue
    0,,1x1,,0,,port,
    0,,1x4,,1.25,,port,
    0,,1x1,,1,,channel,
    -2,,1x4,,1,,channel,
    0,0,1x1,1x1,0,0,port,port
    0,0,1x4,1x4,1.25,1.25,port,port
    0,0,1x1,1x1,1,1,channel,channel
    -2,0,1x4,2x2,1,1,channel,channel
    ");
}
