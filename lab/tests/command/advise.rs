//! `tvlb-lab advise`: the fast ways of running jobs, and one clear error for each kind of bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const FABRIC: &str = "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
    arrangement = \"absolute-classic\"\n[links]\nlocal-latency = 1\nglobal-latency = 1\n";

/// Runs that are kept are read, by a question that has others besides too.
#[test]
fn runs_that_are_kept_are_not_made_again() {
    let scratch = Scratch::with_text(FABRIC);
    let ask = |maps: &str| {
        format!(
            "advise fabric.toml --jobs 72 --workload bisection --bytes 4KB --with identity --order given --map {maps} \
             --routing min --simulate 1 --state kept"
        )
    };
    let kept = || {
        let folders = std::fs::read_dir(scratch.path("kept/runs")).unwrap();
        let folders = folders.map(|folder| folder.unwrap().path()).filter(|path| path.is_dir());
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
        let files = files.map(|file| file.unwrap().path());
        let mut runs: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|end| end == "run")).collect();
        runs.sort();
        runs
    };
    let answer = scratch.succeeds(&ask("linear"));
    let first = kept();
    assert_eq!((first.len(), scratch.succeeds(&ask("linear"))), (1, answer));
    scratch.succeeds(&ask("linear,random"));
    assert!(kept().len() == 2 && kept().contains(&first[0]));
    let mut bytes = std::fs::read(&first[0]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&first[0], bytes).unwrap();
    let refused = scratch.refuses(&ask("linear"));
    assert!(refused.contains(".run: "), "{refused}");
}

#[test]
fn advice_as_table_csv_and_json() {
    let scratch = Scratch::with_text(FABRIC);
    let asked = "advise fabric.toml --jobs 40x2,32 --workload bisection --workload halo3d:4x4x2 \
                 --bytes 20KB --arrangements own,circulant --map linear,bisect --routing min \
                 --routing par:shapes:011 --simulate 3 --seeds 1,2";
    let table = scratch.succeeds(asked);
    assert_snapshot!("advise_table", table);
    assert_eq!(scratch.succeeds(&format!("{asked} --threads 1")), table);
    let csv = scratch.succeeds(&format!("{asked} --format csv"));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 3 * 2 * 2 * 2);
    assert_snapshot!(lines[..2].join("\n"), @r#"
    wiring,placement,map,order,routing,host,group,chain,link,busiest,median,cycles
    own,identity,linear,given,min,799,799,975,3840,"(0,0):0 to (1,0):0",5145,5145 5145
    "#);
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds(&format!("{asked} --json"))).unwrap();
    let ways = json["ways"].as_array().unwrap();
    assert_eq!((ways.len(), &ways[0]["wiring"]), (48, &"own".into()));
    assert!(ways[0]["least-time"]["host"]["cycles"].as_u64().unwrap() > 0, "{}", ways[0]);
    // The command that the table names works, and asks a scheduler for the same.
    let (_, end) = table.rsplit_once("fastest way run: tvlb-lab ").unwrap();
    let (place, requests) = end.split_once('\n').unwrap();
    assert!(scratch.succeeds(place).ends_with(requests), "{requests}");
    assert!(scratch.path("ranks.csv").exists());
    assert_eq!(json["requests"][0][0]["gives"], "these hosts");
    // Orders of sends are known to `run`, too.
    scratch.succeeds("generate fabric.toml -o out --set min");
    let run = "run out --jobs 72 --workload bisection --bytes 20KB --scheme min";
    let given = scratch.succeeds(run);
    assert_eq!(scratch.succeeds(&format!("{run} --order given")), given);
    let coloured = scratch.succeeds(&format!("{run} --order coloured"));
    assert!(coloured.contains("ranks mapped linear, sends coloured\n") && coloured != given);
}

#[test]
fn what_cannot_be_advised_on_is_refused() {
    let scratch = Scratch::with_text(FABRIC);
    scratch.write("nodes.txt", "0\n1\n72\n");
    let said: Vec<String> = [
        "--jobs 16 --workload nonsense",
        "--jobs 73 --workload alltoall",
        "--jobs 17 --workload bisection",
        "--jobs 16 --workload alltoall --arrangements own,square",
        "--jobs 16 --workload alltoall --with identity,identity",
        "--jobs 16 --workload alltoall --with listed:missing",
        "--jobs 16 --workload alltoall --with identity,listed:nodes.txt",
        "--jobs 16 --workload alltoall --map straight",
        "--jobs 16 --workload alltoall --order rotated",
        "--jobs 16 --workload alltoall --routing ugal-g",
        "--jobs 16 --workload alltoall --routing min:all",
        "--jobs 16 --workload alltoall --routing par:nothing",
        "--jobs 16 --workload alltoall --seeds 1,1",
        "--jobs 16 --workload alltoall --bytes 0.5",
        "--jobs 16 --workload moe-alltoall:1000:4:2 --bytes 100GB",
        "--jobs 16 --workload allreduce:hierarchical:5",
    ]
    .into_iter()
    .map(|more| scratch.refuses(&format!("advise fabric.toml {more}")))
    .collect();
    assert_snapshot!("advise_refused", said.join("\n"));
}
