//! `tvlb-lab run`: when jobs end, and one clear error for each kind of bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const FABRIC: &str = "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
    [links]\nlocal-latency = 1\nglobal-latency = 1\n[routing]\nset = \"strategic-2-3\"\n";

fn with_tables() -> Scratch {
    let scratch = Scratch::with_fabric(FABRIC);
    scratch.succeeds("generate fabric.toml -o out");
    scratch
}

#[test]
fn jobs_as_table_csv_and_json() {
    let scratch = with_tables();
    let two = "run out --jobs 20x2,12 --workload alltoall --workload halo3d:3x2x2 --bytes 20KB \
               --with spread --map random --seeds 1,2,3 --scheme ugal-l";
    let table = scratch.succeeds(two);
    assert_snapshot!("run_table", table);
    assert_eq!(scratch.succeeds(&format!("{two} --threads 1")), table);
    let one = "run out --jobs 16 --workload bisection --bytes 5KB --iterations 2";
    assert_snapshot!("run_one", scratch.succeeds(one));
    assert_snapshot!("run_csv", scratch.succeeds(&format!("{one} --format csv")));
    let sums = "run out --jobs 36,36 --workload moe-alltoall:40:36:4:1.25 --workload \
                allreduce:hierarchical:6 --bytes 4KB --seeds 1,2";
    assert_snapshot!("run_sums", scratch.succeeds(sums));
    let json = scratch.succeeds(&format!("{two} --json --iterations 2"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["jobs"][0]["job"], "20x2");
    let (summary, runs) = (&json["jobs"][1]["running-time"], &json["runs"]);
    let times = (0..3).map(|run| runs[run]["jobs"][1]["iterations"][1].as_u64().unwrap());
    assert_eq!(summary["largest"].as_u64(), times.max());
    // The axes of a stencil are phases.
    assert_eq!(runs[0]["jobs"][1]["phases"][0].as_array().unwrap().len(), 3);
}

#[test]
fn slower_links_and_another_order_of_partners_change_times() {
    let scratch = with_tables();
    let cycles = |more: &str| {
        let run = format!("run out --jobs 72 --workload {more} --scheme min --bytes 20KB --json");
        let json: serde_json::Value = serde_json::from_str(&scratch.succeeds(&run)).unwrap();
        json["runs"][0]["cycles"].as_u64().unwrap()
    };
    let (usual, slow) = (cycles("bisection"), cycles("bisection --global-bandwidth 0.5"));
    let rotated = {
        let arguments =
            ["run", "out", "--jobs", "72", "--workload", "bisection rotated", "--scheme"];
        let run =
            scratch.tvlb_with(arguments.into_iter().chain(["min", "--bytes", "20KB", "--json"]));
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        json["runs"][0]["cycles"].as_u64().unwrap()
    };
    assert!(slow > usual && rotated < usual, "{usual} {slow} {rotated}");
}

/// A job of the Standard Workload Format that asks for so many processors.
fn arrival(number: u32, submitted: u32, processors: u32) -> String {
    format!("{number} {submitted} -1 60 -1 -1 -1 {processors} 100 -1 1 1 1 -1 1 -1 -1 -1\n")
}

#[test]
fn jobs_that_arrive_are_served_in_their_order() {
    let scratch = with_tables();
    let list = [(1, 0, 40), (2, 10, 40), (3, 20, 8), (4, 90_000, 72)];
    let list: String = list.map(|(number, at, nodes)| arrival(number, at, nodes)).concat();
    scratch.write("trace.swf", format!("; four jobs\n{list}").as_str());
    let run = "run out --jobs swf:trace.swf --workload alltoall --bytes 20KB --iterations 2";
    // By job: its wait, its run, and its run alone.
    let read = |more: &str| -> Vec<[u64; 3]> {
        let said = scratch.succeeds(&format!("{run} {more} --format csv"));
        let (head, rows) = said.split_once('\n').unwrap();
        assert_eq!(head, "seed,job,nodes,submitted,wait,run,alone,slow-down");
        let fields = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
        fields.map(|fields| [4, 5, 6].map(|field| fields[field].parse().unwrap())).collect()
    };
    let jobs = read("");
    assert_eq!(jobs.len(), 4);
    // The second waits for the nodes of the first, and the third, which would fit, for the second.
    let [wait, first, alone] = jobs[0];
    assert_eq!((wait, first), (0, alone));
    assert_eq!((jobs[1][0], jobs[2][0]), (first - 10, first - 20));
    // The last one runs alone, but draws other paths than at the beginning of a run.
    let [wait, last, alone_at_last] = jobs[3];
    assert!(wait == 0 && last.abs_diff(alone_at_last) * 20 < last, "{jobs:?}");
    // Alone, a job of the list takes as long as the same job without a list.
    let one = run.replace("swf:trace.swf", "40");
    let one: serde_json::Value =
        serde_json::from_str(&scratch.succeeds(&format!("{one} --json"))).unwrap();
    assert_eq!(one["runs"][0]["cycles"].as_u64(), Some(alone));
    // Other nodes, other times; other threads, the same.
    assert_ne!(read("--with random")[1], jobs[1]);
    assert_eq!(read("--threads 1"), jobs);
    // Each job is divided by what its own ranks send.
    assert_eq!(read("--map bisect").len(), 4);
    let said = scratch.refuses(&format!("{run} --report page.html"));
    assert!(said.contains("--report, --json: found a list"), "{said}");
    scratch.write("large.swf", arrival(1, 0, 73).as_str());
    let said = scratch.refuses("run out --jobs swf:large.swf --workload alltoall");
    assert!(said.contains("takes 73 nodes, but 72 are free"), "{said}");
}

#[test]
fn computing_comes_before_each_iteration() {
    let scratch = with_tables();
    let ends = |more: &str| {
        let run = format!(
            "run out --jobs 16 --workload alltoall --bytes 20KB --iterations 2 --json{more}"
        );
        let json: serde_json::Value = serde_json::from_str(&scratch.succeeds(&run)).unwrap();
        [0, 1].map(|number| json["runs"][0]["jobs"][0]["iterations"][number].as_u64().unwrap())
    };
    let (plain, computing) = (ends(""), ends(" --compute 5000"));
    assert_eq!(computing[0], plain[0] + 5000);
    assert!(computing[1] >= computing[0] + 5000, "{computing:?}");
    let said = scratch.succeeds("run out --jobs 16 --workload alltoall --bytes 20KB --compute 70");
    assert!(said.contains("mapped linear, 70 cycles of computing before each iteration"), "{said}");
}

#[test]
fn the_report_shows_places_times_and_links_and_asks_for_nothing() {
    let scratch = with_tables();
    let run = "run out --jobs 20x2,12 --workload alltoall --workload halo3d:3x2x2 --bytes 20KB \
               --with spread --seeds 1,2 --report";
    let table = scratch.succeeds(&format!("{run} one.html --threads 1"));
    scratch.succeeds(&format!("{run} two.html --threads 2 --json"));
    let read = |name: &str| String::from_utf8(scratch.read(name)).unwrap();
    let page = read("one.html");
    assert_eq!(page, read("two.html"));
    for section in ["jobs", "places", "times", "links", "causes", "figures"] {
        assert!(page.contains(&format!("<section id=\"{section}\">")), "{section}");
    }
    // Places with a job and without, of which there are as many as nodes; a bar cut into three phases, and what no run
    // can take less than; and all figures as they are printed.
    for words in [
        ">group 0, node 0: job 0, ranks 0, 1<",
        ">group 5, node 0: job 1, rank 0<",
        ">group 8, node 7: no job<",
        ">seed 2, job 1, iteration 0, phase 1: cycles ",
        ">group 8 to group 0: ",
        " of this kind carry more<",
        ">least: ",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!(page.matches(", node ").count(), 72);
    assert!(page.contains(&format!("<pre>{table}</pre>")));
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for asks in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!without_names.contains(asks), "{asks}");
    }
    let inside = scratch.refuses(&format!("{run} out/page.html"));
    assert!(inside.contains("--report"), "{inside}");
}

#[test]
fn what_cannot_run_is_refused() {
    let scratch = with_tables();
    scratch.write("far.csv", "from,to,bytes\n0,20,8\n");
    let said: Vec<String> = [
        "--jobs 72x2,72x2,2 --workload alltoall",
        "--jobs 8 --workload alltol",
        "--jobs 8 --workload halo3d:3x3x3",
        "--jobs 8,8,8 --workload alltoall --workload halo3d",
        "--jobs 8 --workload moe-alltoall:64:4:5",
        "--jobs 8 --workload moe-alltoall:100000000:4:1",
        "--jobs 8 --workload allreduce:tree",
        "--jobs 10 --workload allreduce:hierarchical:4",
        "--jobs 8 --workload messages:far.csv",
        "--jobs 8 --workload messages:nowhere.csv",
        "--jobs 8 --workload alltoall --control-latency 1",
        "--jobs 8 --workload alltoall --seeds 1,2,1",
        "--jobs 8 --workload alltoall --map near",
        "--jobs 10 --workload alltoall:hierarchical:4",
        "--jobs 8 --workload alltoall:ring",
        "--jobs swf:far.csv --workload alltoall",
        "--jobs 8x0 --workload alltoall",
    ]
    .into_iter()
    .map(|arguments| scratch.refuses(&format!("run out {arguments}")))
    .collect();
    assert_snapshot!("run_refused", said.join("\n"));
    assert_snapshot!(
        "run_bytes",
        scratch.refuses("run out --jobs 8 --workload alltoall --bytes 3KiB")
    );
}

/// A list of messages has lengths of its own, and that is what is said of it.
#[test]
fn messages_of_a_list_have_the_lengths_of_the_list() {
    let scratch = with_tables();
    scratch.write("msg.csv", "from,to,bytes\n0,1,50000\n1,2,8000\n");
    let jobs = "--jobs 24x2 --workload messages:msg.csv";
    let said = scratch.succeeds(&format!("run out {jobs}"));
    assert!(said.contains("job 0    24x2 messages:msg.csv, messages as listed, once\n"), "{said}");
    let json = scratch.succeeds(&format!("run out {jobs} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["jobs"][0].get("bytes").is_none(), "{}", json["jobs"][0]);
    assert_eq!(json["messages"]["control-latency-cycles"], 2);
    let csv = scratch.succeeds(&format!("run out {jobs} --format csv"));
    assert!(csv.contains(",messages:msg.csv,,0,"), "{csv}");
    scratch.succeeds(&format!("run out {jobs} --report page.html"));
    assert!(String::from_utf8(scratch.read("page.html")).unwrap().contains("as listed"));
    let advise = format!("advise fabric.toml {jobs} --with identity --map linear --order given");
    let said = scratch.succeeds(&advise);
    assert!(said.contains("24x2 messages:msg.csv, messages as listed, once\n"), "{said}");
    assert!(said.contains("control  2 cycles, with every routing"), "{said}");
    for command in ["run out", "advise fabric.toml"] {
        let error = scratch.refuses(&format!("{command} {jobs} --bytes 1MB"));
        assert!(error.contains("--bytes: the messages of a list have the lengths"), "{error}");
    }
}
