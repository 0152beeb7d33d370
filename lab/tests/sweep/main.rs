//! `tvlb-lab sweep`: many processes, going on, collecting, and what it refuses.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

#[path = "../../../generator/command/tests/programs/mod.rs"]
mod programs;
#[path = "../../../generator/command/tests/signals/mod.rs"]
mod signals;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SWEEP: &str = "fabrics = [\"small.toml\"]\n\
    schemes = [\"ugal-l\", \"par\"]\n\
    sets = [\"conventional\", \"strategic-2-3\", \"4-hop then shapes:011\"]\n\
    traffic = [\"uniform\", \"shift(2,0)\"]\n\
    loads = [0.1, 0.2]\n\
    seeds = [1]\n\
    [settings]\n\
    window = 200\n\
    warm-up = 1\n";

fn home(sweep: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let fabric = "name = \"small\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n";
    fs::write(home.path().join("small.toml"), fabric).unwrap();
    fs::write(home.path().join("sweep.toml"), sweep).unwrap();
    home
}

/// Exit code, standard output and standard error.
fn tvlb(home: &Path, arguments: &str) -> (i32, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_tvlb-lab"))
        .current_dir(home)
        .args(["sweep", "sweep.toml", "--quiet"])
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (run.status.code().unwrap(), text(run.stdout), text(run.stderr))
}

/// What another command prints, which succeeds.
fn succeeds(home: &Path, arguments: &[&str]) -> String {
    let run = Command::new(programs::program(arguments[0]))
        .current_dir(home)
        .args(arguments)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// The fields of lines of CSV, of which some are quoted.
fn fields(csv: &str) -> Vec<Vec<String>> {
    let fields_of = |line: &str| {
        let mut fields = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => fields.push(String::new()),
                letter => fields.last_mut().unwrap().push(letter),
            }
        }
        fields
    };
    csv.lines().map(fields_of).collect()
}

/// What a column has in each line but the first.
fn column(csv: &str, name: &str) -> Vec<String> {
    let lines = fields(csv);
    let position = lines[0].iter().position(|one| one == name);
    let position = position.unwrap_or_else(|| panic!("no column {name}: {:?}", lines[0]));
    lines[1..].iter().map(|line| line[position].clone()).collect()
}

/// What is said of runs that were collected.
fn collected(directory: &str, runs: &str) -> String {
    format!(
        "{directory}/runs.csv: {runs} runs; {directory}/summary.csv has their means over seeds\n"
    )
}

/// What is said of runs that were made and collected.
fn made(directory: &str, runs: usize, now: usize) -> String {
    let collected = collected(directory, &runs.to_string());
    format!("{directory}: {runs} runs, {now} made now\n{collected}")
}

/// The files of the runs in a directory.
fn run_files(directory: &Path) -> Vec<PathBuf> {
    let files = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let folders = files(&directory.join("runs"));
    let mut runs: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    runs.retain(|run| run.extension().is_some_and(|end| end == "run"));
    runs
}

/// Removes so many of the runs in a directory.
fn lose(directory: &Path, count: usize) {
    run_files(directory).iter().take(count).for_each(|run| fs::remove_file(run).unwrap());
}

/// A setting that a scheme does not look at, and sets where none is drawn, make no more runs of it.
#[test]
fn a_scheme_is_run_by_what_it_looks_at() {
    let text = "fabrics = [\"small.toml\"]\nschemes = [\"min\", \"ugal-l\", \"ugal-group\"]\n\
        sets = [\"conventional\", \"strategic-2-3\"]\ntraffic = [\"uniform\"]\nloads = [0.1]\nseeds = [1]\n\
        [settings]\nwindow = 200\nwarm-up = 1\ntelling = [8, 32]\n";
    let home = home(text);
    assert_eq!(tvlb(home.path(), "-o out").1, made("out", 7, 7));
    let csv = fs::read_to_string(home.path().join("out/runs.csv")).unwrap();
    let lines: Vec<String> = ["scheme", "telling"]
        .map(|name| column(&csv, name))
        .into_iter()
        .reduce(|schemes, telling| {
            schemes.iter().zip(telling).map(|(one, other)| format!("{one} {other}")).collect()
        })
        .unwrap();
    let group = ["ugal-group 8", "ugal-group 32"];
    assert_eq!(lines, [&["min 16", "ugal-l 16", "ugal-l 16"], &group[..], &group].concat());
    // What is counted is not kept, and is not said to be there already.
    let counted = "fabrics = [\"small.toml\"]\nlinks = true\nschemes = [\"vlb\"]\nsets = [\"valg\"]\n\
        traffic = [\"complement\", \"uniform\"]\nloads = [1]\nseeds = [1]\n";
    fs::write(home.path().join("sweep.toml"), counted).unwrap();
    let (_, said, error) = tvlb(home.path(), "-o counted");
    assert!(
        said.starts_with("counted: 2 lines, counted each time and not kept\n"),
        "{said}{error}"
    );
    // In another order of the list only the runs change places.
    fs::write(home.path().join("sweep.toml"), text.replace("[8, 32]", "[32, 8]")).unwrap();
    assert_eq!(tvlb(home.path(), "-o out").1, made("out", 7, 0));
}

/// What is there is collected, with means over the seeds that are there.
#[test]
fn means_over_seeds_are_of_the_runs_that_are_there() {
    let home = home(&SWEEP.replace("[1]", "[1, 2]").replace("\"uniform\", ", "\"mixed(50,50)\", "));
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    lose(&home.path().join("out"), 32);
    let (code, said, missing) = tvlb(home.path(), "-o out --collect");
    assert_eq!((code, said), (1, collected("out", "16 of 48")));
    assert!(missing.contains("out: 32 of 48 runs are not there yet"), "{missing}");
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
    let read = |name: &str| {
        let text = fs::read_to_string(home.path().join("out").join(name)).unwrap();
        // No set of this sweep has a comma; of the traffic, what is within parentheses.
        let text = text.replace("shift(2,0)", "shift").replace("mixed(50,50,1,0)", "mixed");
        let lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        lines.collect::<Vec<Vec<String>>>()
    };
    let (runs, summary) = (read("runs.csv"), read("summary.csv"));
    // Under mixed traffic there are lines of two populations, too.
    assert_eq!((runs.len(), summary.len()), (1 + 24 + 3 * 24, 1 + 12 + 3 * 12));
    let column =
        |table: &[Vec<String>], name: &str| table[0].iter().position(|one| one == name).unwrap();
    let number = |text: &String| text.parse::<f64>().unwrap();
    for line in &summary[1..] {
        let same =
            ["fabric", "scheme", "set", "second-set", "traffic", "placement", "load", "population"];
        let is_of = |run: &&Vec<String>| {
            same.iter().all(|name| run[column(&runs, name)] == line[column(&summary, name)])
        };
        let latencies: Vec<f64> = runs[1..]
            .iter()
            .filter(is_of)
            .map(|run| number(&run[column(&runs, "latency")]))
            .collect();
        let of = |name: &str| number(&line[column(&summary, name)]);
        assert_eq!((latencies.len(), of("seeds")), (2, 2.0));
        assert!((latencies[0].midpoint(latencies[1]) - of("latency")).abs() < 1e-9);
        let error = (latencies[0] - latencies[1]).abs() / 2.0;
        assert!((error - of("latency-error")).abs() < 1e-9, "{line:?}");
    }
}

#[test]
fn processes_make_what_one_process_makes() {
    let home = home(SWEEP);
    let (code, said, _) = tvlb(home.path(), "-o whole --threads 1");
    assert_eq!((code, said), (0, made("whole", 24, 24)));
    let (code, _, said) = tvlb(home.path(), "-o shared --collect");
    let missing = "tvlb: shared: 24 of 24 runs are not there yet; the same command without --collect \
                   makes them\n";
    assert_eq!((code, said.as_str()), (2, missing));
    // Each run is made by one of them.
    let all: [(i32, String, String); 3] = std::thread::scope(|scope| {
        [0; 3]
            .map(|_| scope.spawn(|| tvlb(home.path(), "-o shared --threads 1")))
            .map(|process| process.join().unwrap())
    });
    let made = all.map(|(code, said, _)| {
        let made = said.strip_prefix("shared: 24 runs, ").filter(|_| code == 0);
        made.and_then(|made| made.split(' ').next()?.parse::<usize>().ok()).expect(&said)
    });
    assert_eq!(made.iter().sum::<usize>(), 24, "{made:?}");
    for directory in ["whole", "shared"] {
        let (code, said, _) = tvlb(home.path(), &format!("-o {directory} --collect"));
        assert_eq!((code, said), (0, collected(directory, "24")));
    }
    let read = |directory| fs::read(home.path().join(directory).join("runs.csv")).unwrap();
    assert_eq!(read("shared"), read("whole"));
    let csv = String::from_utf8(read("whole")).unwrap();
    assert_eq!(csv.lines().count(), 25);
    assert!(
        csv.contains("small,par,4-hop,shapes:011,\"shift(2,0)\",,identity,,0.2,1,all,false,"),
        "{csv}"
    );
}

/// Placements are one more list; a sweep that names `identity` alone has the runs of one without the list.
#[test]
fn placements_are_one_more_list() {
    let home = home(SWEEP);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let with = |placements: &str| {
        let text = SWEEP.replace("seeds = ", &format!("placements = {placements}\nseeds = "));
        fs::write(home.path().join("sweep.toml"), text).unwrap();
        tvlb(home.path(), "-o out")
    };
    assert_eq!(with("[\"identity\"]").1, made("out", 24, 0));
    let both = with("[\"identity\", \"groups\"]").1;
    assert_eq!(both, made("out", 48, 24));
    assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
    let csv = fs::read_to_string(home.path().join("out/runs.csv")).unwrap();
    let figures_of = |placement: &str| {
        let of_placement = csv.lines().filter(|line| line.contains(&format!(",{placement},")));
        of_placement.map(|line| line.replace(placement, "")).collect::<Vec<_>>()
    };
    assert_eq!([figures_of("identity").len(), figures_of("groups").len()], [24, 24]);
    assert_ne!(figures_of("identity"), figures_of("groups"));
    let (code, _, said) = with("[\"sideways\"]");
    assert!(code == 2 && said.contains("placements: ") && said.contains("groups"), "{said}");
    assert!(with("[]").2.contains("placements: found none, accepted at least one"));
}

#[test]
fn gnu_parallel_makes_what_one_process_makes() {
    let home = home(SWEEP);
    let parallel = Command::new("parallel")
        .current_dir(home.path())
        .env("HOME", home.path())
        .args(["--jobs", "2", env!("CARGO_BIN_EXE_tvlb-lab")])
        .args("sweep sweep.toml -o shared -q --threads 1 ::: 1 2 3 4 5".split(' '))
        .output();
    let run = match parallel {
        // Other programs have this name too.
        Ok(run) if !String::from_utf8_lossy(&run.stderr).contains("invalid option") => run,
        _ => {
            // Past the capture of the test, so that a log of all tests says it.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"skipped: runs beside each other need GNU parallel\n",
            );
            return;
        }
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(tvlb(home.path(), "-o whole").0, 0);
    for directory in ["whole", "shared"] {
        let (code, said, _) = tvlb(home.path(), &format!("-o {directory} --collect"));
        assert_eq!((code, said), (0, collected(directory, "24")));
    }
    let read = |directory| fs::read(home.path().join(directory).join("runs.csv")).unwrap();
    assert_eq!(read("shared"), read("whole"));
}

#[test]
fn a_longer_sweep_uses_what_a_shorter_one_has_left() {
    let home = home(SWEEP);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    fs::write(home.path().join("sweep.toml"), SWEEP.replace("[1]", "[1, 2]")).unwrap();
    let (_, said, _) = tvlb(home.path(), "-o out");
    assert_eq!(said, made("out", 48, 24));
    let other = SWEEP.replace("window = 200", "window = 201");
    fs::write(home.path().join("sweep.toml"), other).unwrap();
    let (_, said, _) = tvlb(home.path(), "-o out");
    assert_eq!(said, made("out", 24, 24));
}

/// A setting may be a list; each combination is a run of its own, and says in the table what it was.
#[test]
fn settings_can_be_varied() {
    let home = home(&SWEEP.replace("0.1, 0.2", "0.1").replace("\"uniform\", ", ""));
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let with = |settings: &str| {
        let text = fs::read_to_string(home.path().join("sweep.toml")).unwrap();
        fs::write(home.path().join("sweep.toml"), text + settings).unwrap();
        let said = tvlb(home.path(), "-o out");
        // Buffers of 8 flits are smaller than links need, which is said.
        assert!(said.2.lines().all(|line| line.starts_with("tvlb: warning: ")), "{}", said.2);
        assert_eq!(said.0, 0);
        said.1
    };
    // With the default among the values, its runs are there already.
    assert_eq!(with("buffer = [32, 8]\n"), made("out", 12, 6));
    let said = with("vc-scheme = [\"ordered\", \"per-hop\"]\nglobal-latency = [15, 60]\n");
    assert_eq!(said, made("out", 48, 36));
    let said = with("global-bandwidth = 0.5\ninjection = \"random\"\n");
    assert_eq!(said, made("out", 48, 48));
    assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
    let read = |name| fs::read_to_string(home.path().join("out").join(name)).unwrap();
    let (runs, summary) = (read("runs.csv"), read("summary.csv"));
    for csv in [&runs, &summary] {
        assert_eq!(csv.lines().count(), 49);
        let of = |name| column(csv, name);
        assert_eq!(of("buffer")[..5], ["32", "32", "8", "8", "32"]);
        assert_eq!(of("vc-scheme")[3..5], ["ordered", "per-hop"]);
        assert_eq!(of("global-latency")[..3], ["15", "60", "15"]);
        assert_eq!((&*of("global-bandwidth")[0], &*of("injection")[0]), ("0.5", "random"));
        assert_eq!(of("faults"), ["none"; 48]);
    }
    let latencies = column(&runs, "latency");
    let mut distinct = latencies.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() > 24, "{latencies:?}");
}

/// The load of saturation is that of `tvlb simulate --saturation`, by both criteria.
#[test]
fn saturation_is_searched_for_in_the_place_of_loads() {
    let sweep = SWEEP
        .replace("loads = [0.1, 0.2]\n", "saturation = { resolution = 0.05 }\n")
        .replace("\"uniform\", ", "")
        .replace("seeds = [1]", "seeds = [1, 2]");
    let home = home(&sweep);
    let expected =
        "out/saturation.csv: 12 runs; out/saturation-summary.csv has their means over seeds\n";
    let (code, said, _) = tvlb(home.path(), "-o out");
    assert_eq!((code, said), (0, format!("out: 12 runs, 12 made now\n{expected}")));
    lose(&home.path().join("out"), 6);
    assert_eq!(tvlb(home.path(), "-o out --collect").0, 1);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let (code, said, _) = tvlb(home.path(), "-o out --collect");
    assert_eq!((code, said.as_str()), (0, expected));
    let read = |name: &str| fs::read_to_string(home.path().join("out").join(name)).unwrap();
    let (runs, summary) = (read("saturation.csv"), read("saturation-summary.csv"));
    assert_eq!((runs.lines().count(), summary.lines().count()), (1 + 24, 1 + 12));
    assert_eq!(column(&runs, "criterion")[..3], ["latency", "acceptance", "latency"]);
    assert_eq!(column(&summary, "seeds"), ["2"; 12]);
    let numbers = |csv: &str, name: &str| -> Vec<f64> {
        column(csv, name).iter().map(|text| text.parse().unwrap()).collect()
    };
    let (each, means) = (numbers(&runs, "saturation"), numbers(&summary, "saturation"));
    assert!((each[0].midpoint(each[2]) - means[0]).abs() < 1e-9);
    assert!(each.iter().all(|&load| load > 0.0 && load <= 1.0));

    let command =
        |arguments: &str| succeeds(home.path(), &arguments.split_whitespace().collect::<Vec<_>>());
    command("generate small.toml -o tables --set strategic-2-3 --quiet");
    let csv = command(
        "simulate tables --saturation --resolution 0.05 --traffic shift(2,0) --seeds 1,2 --window 200 \
         --warm-up 1 --format csv --quiet",
    );
    let is_there = |line: usize| column(&runs, "set")[line] == "strategic-2-3";
    let ours: Vec<String> = (0..24)
        .filter(|&line| is_there(line))
        .map(|line| column(&runs, "saturation")[line].clone())
        .take(4)
        .collect();
    let theirs: Vec<String> = column(&csv, "by-latency")
        .into_iter()
        .zip(column(&csv, "by-acceptance"))
        .flat_map(|(one, other)| [one, other])
        .collect();
    assert_eq!(ours, theirs, "{csv}");
}

/// The picture of a sweep is that of its tables: a panel for each kind of traffic, a line for each scheme and
/// set.
#[test]
fn a_sweep_is_drawn() {
    let home = home(SWEEP);
    let (code, said, error) = tvlb(home.path(), "-o out --plot made.svg");
    assert_eq!((code, said, error.as_str()), (0, made("out", 24, 24), ""));
    assert_eq!(tvlb(home.path(), "-o out --collect --plot collected.svg").0, 0);
    let read = |name: &str| fs::read(home.path().join(name)).unwrap();
    assert_eq!(read("made.svg"), read("collected.svg"));
    let svg = String::from_utf8(read("made.svg")).unwrap();
    for traffic in ["uniform", "shift(2,0)"] {
        let title = format!("class=\"panel\">traffic {traffic}: mean latency (cycles)</text>");
        assert_eq!(svg.matches(&title).count(), 1, "{traffic}: {svg}");
    }
    succeeds(
        home.path(),
        &["plot", "out/runs.csv", "--panel", "traffic", "-o", "plotted.svg", "-q"],
    );
    assert_eq!(read("plotted.svg"), read("made.svg"));
    // What is refused is refused before anything runs.
    let (code, _, said) = tvlb(home.path(), "-o new --plot all.pdf");
    let words = "--plot all.pdf: accepted a name that ends in .svg";
    assert!(code == 2 && said.contains(words), "{said}");
    let buffers = format!("{SWEEP}buffer = [16, 32]\n");
    fs::write(home.path().join("sweep.toml"), buffers).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o new --plot all.svg");
    assert!(code == 2 && said.contains("the sweep has 12 lines, accepted at most 8"), "{said}");
    assert!(!home.path().join("new").exists() && !home.path().join("all.svg").exists());
    // Of searches, the loads of saturation, of which there may be any number.
    let search = buffer_search();
    fs::write(home.path().join("sweep.toml"), search).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o found --plot found.svg");
    assert_eq!(code, 0, "{said}");
    let svg = String::from_utf8(read("found.svg")).unwrap();
    assert!(
        svg.contains("saturation (flits per node and cycle)") && svg.contains("by acceptance"),
        "{svg}"
    );
}

/// A search for saturation with more combinations than a picture can have lines.
fn buffer_search() -> String {
    let search = SWEEP.replace("loads = [0.1, 0.2]\n", "").replace("\"uniform\", ", "");
    format!("{search}buffer = [16, 32]\n[saturation]\nresolution = 0.25\n")
}

/// Flows and placements from files make the runs that `simulate` makes, and a file that has changed makes
/// other runs.
#[test]
fn traffic_and_placements_can_be_listed_in_files() {
    let sweep = "fabrics = [\"small.toml\"]\nschemes = [\"ugal-l\"]\nsets = [\"strategic-2-3\"]\n\
        traffic = [\"flows:lists/flows, all.csv\", \"uniform\"]\n\
        placements = [\"identity\", \"listed:lists/nodes.txt\"]\n\
        loads = [0.3]\nseeds = [1]\n[settings]\nwindow = 200\nwarm-up = 1\n";
    let home = home(sweep);
    let write =
        |name: &str, text: &str| fs::write(home.path().join("lists").join(name), text).unwrap();
    fs::create_dir(home.path().join("lists")).unwrap();
    let lines = |line: fn(u32) -> String| (0..20).map(line).collect::<Vec<_>>().join("\n");
    let header = "source-node,destination-node\n";
    let flows = header.to_owned() + &lines(|node| format!("{node},{}", (node + 4) % 20));
    let nodes = lines(|process| ((7 * process) % 20).to_string());
    write("flows, all.csv", &flows);
    write("nodes.txt", &nodes);
    let made = |all: usize, now: usize| self::made("out", all, now);
    let (code, said, error) = tvlb(home.path(), "-o out");
    assert_eq!((code, said), (0, made(4, 4)), "{error}");
    let csv = || {
        assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
        fs::read_to_string(home.path().join("out/runs.csv")).unwrap()
    };
    let before = csv();
    assert_eq!(column(&before, "traffic")[0], "flows:lists/flows, all.csv");
    assert_eq!(column(&before, "placement")[..2], ["identity", "listed:lists/nodes.txt"]);
    // The same lines with other comments are the same runs; other lines are not.
    write("flows, all.csv", &format!("# who sends to whom\n\n{flows}"));
    assert_eq!(tvlb(home.path(), "-o out").1, made(4, 0));
    write("flows, all.csv", &flows.replacen("0,4", "0,9", 1));
    let (code, _, said) = tvlb(home.path(), "-o out --collect");
    assert!(code == 1 && said.contains("2 of 4 runs are not there yet"), "{said}");
    assert_eq!(tvlb(home.path(), "-o out").1, made(4, 2));
    assert_ne!(column(&csv(), "latency"), column(&before, "latency"));
    write("nodes.txt", &nodes.replacen("0\n7\n", "7\n0\n", 1));
    assert_eq!(tvlb(home.path(), "-o out").1, made(4, 2));
    write("nodes.txt", &nodes);
    write("flows, all.csv", &flows);
    assert_eq!(tvlb(home.path(), "-o out").1, made(4, 0));
    // They are the runs of `simulate`.
    succeeds(
        home.path(),
        &["generate", "small.toml", "-o", "tables", "--set", "strategic-2-3", "--quiet"],
    );
    let one = "simulate tables --load 0.3 --window 200 --warm-up 1 --format csv --quiet --place \
        listed:lists/nodes.txt --traffic";
    let mut one: Vec<&str> = one.split_whitespace().collect();
    one.push("flows:lists/flows, all.csv");
    let theirs: f64 = column(&succeeds(home.path(), &one), "latency")[0].parse().unwrap();
    let ours: f64 = column(&before, "latency")[1].parse().unwrap();
    assert!((theirs - ours).abs() < 1e-3, "{theirs} {ours}");
    for (name, text, words) in [
        ("flows, all.csv", "source-node,destination-node\n0,20\n", "(of small)"),
        ("flows, all.csv", "0;4\n", "flows, all.csv: line 1: column 1 of the header is \"0;4\""),
        ("nodes.txt", "0\n1\n", "nodes.txt: the list ends after 2 nodes"),
    ] {
        let kept = fs::read_to_string(home.path().join("lists").join(name)).unwrap();
        write(name, text);
        let (code, _, said) = tvlb(home.path(), "-o out");
        assert!(code == 2 && said.contains(words), "{text}: {said}");
        write(name, &kept);
    }
    fs::remove_file(home.path().join("lists/nodes.txt")).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out");
    assert!(code == 2 && said.contains("lists/nodes.txt: cannot read it: "), "{said}");
}

/// What is dead is one more list.
#[test]
fn parts_can_be_dead() {
    // A set whose images say how many routes of each shape are left.
    let study = SWEEP.replace("0.1, 0.2", "0.1").replace("\"uniform\", ", "");
    let study = study.replace("\"strategic-2-3\"", "\"strategic-2-3 by shape\"");
    let home = home(&study);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    fs::write(home.path().join("dead.txt"), "switch (1,2)\ncable (0,0):0\n").unwrap();
    let with = |faults: &str| {
        fs::write(
            home.path().join("sweep.toml"),
            study.replace("seeds = ", &format!("faults = {faults}\nseeds = ")),
        )
        .unwrap();
        tvlb(home.path(), "-o out")
    };
    let (code, said, error) = with("[\"none\", \"dead.txt\"]");
    assert_eq!((code, said), (0, made("out", 12, 6)), "{error}");
    assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
    let csv = fs::read_to_string(home.path().join("out/runs.csv")).unwrap();
    let (faults, accepted) = (column(&csv, "faults"), column(&csv, "accepted"));
    assert_eq!(faults[..2], ["none", "dead.txt"]);
    // What is sent to the dead switch is lost.
    let number = |text: &String| text.parse::<f64>().unwrap();
    assert!(number(&accepted[1]) < number(&accepted[0]), "{accepted:?}");
    // The switches have the images that `tvlb faults` makes.
    succeeds(
        home.path(),
        &["generate", "small.toml", "-o", "tables", "--set", "strategic-2-3 by shape", "-q"],
    );
    let update = ["faults", "tables", "--faults", "dead.txt", "-o", "update", "-q"];
    Command::new(programs::program("faults"))
        .current_dir(home.path())
        .args(update)
        .output()
        .unwrap();
    let run = "simulate tables --update update --scheme ugal-l --traffic shift(2,0) --load 0.1 --window 200 \
        --warm-up 1 --format csv -q";
    let alone = succeeds(home.path(), &run.split_whitespace().collect::<Vec<_>>());
    let is_of = |place: &usize| {
        faults[*place] == "dead.txt"
            && column(&csv, "scheme")[*place] == "ugal-l"
            && column(&csv, "set")[*place] == "strategic-2-3 by shape"
    };
    let place = (0..faults.len()).find(is_of).unwrap();
    for figure in ["latency", "accepted", "hops", "vlb-share"] {
        assert_eq!(column(&csv, figure)[place], column(&alone, figure)[0], "{figure}");
    }
    let (code, _, said) = with("[\"none\", \"none\"]");
    assert!(code == 2 && said.contains("faults: found none twice"), "{said}");
    fs::write(home.path().join("dead.txt"), "switch (9,9)\n").unwrap();
    let (code, _, said) = with("[\"dead.txt\"]");
    assert!(
        code == 2 && said.contains("dead.txt: line 1: there is no switch 9 in group 9"),
        "{said}"
    );
}

/// A table set gives its sets with their weighing, whatever the fabric file says.
#[test]
fn the_sets_of_a_table_set_are_one_entry() {
    let home = home(SWEEP);
    let generate = |fabric: &str, arguments: &str| {
        let run = Command::new(programs::program("generate"))
            .current_dir(home.path())
            .args(["generate", fabric, "--quiet"])
            .args(arguments.split(';'))
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    };
    let for_par = "par 60% 5-hop by shape 1x4 gate=1.25 then switches:2-3 1x4 gate=1.25 MIN=any";
    let sets = format!("--set;ugal-l 2-hop 1x4 gate=1.25;--set;{for_par}");
    generate("small.toml", &format!("-o;tables;{sets}"));
    let sweep = "fabrics = [\"small.toml\"]\nschemes = [\"ugal-l\", \"par\"]\n\
        sets = [\"tables:tables\", \"2-hop 1x4 gate=1.25\", \
        \"60% 5-hop by shape 1x4 gate=1.25 then switches:2-3 1x4 gate=1.25 MIN=any\"]\n\
        traffic = [\"shift(2,0)\"]\nloads = [0.3]\nseeds = [1]\n[settings]\nwindow = 200\n";
    fs::write(home.path().join("sweep.toml"), sweep).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out");
    assert_eq!(code, 0, "{said}");
    assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
    let csv = fs::read_to_string(home.path().join("out/runs.csv")).unwrap();
    let latencies = column(&csv, "latency");
    // UGAL-L as the second entry, PAR as the third.
    assert_eq!((&latencies[0], &latencies[3]), (&latencies[1], &latencies[5]), "{csv}");
    assert_eq!(column(&csv, "second-gate")[3], "1.25");
    // Images that are thinned are read back whole.
    generate("small.toml", "-o;balanced;--set;4-hop by shape;--balance");
    fs::write(home.path().join("sweep.toml"), sweep.replace("tables:tables", "tables:balanced"))
        .unwrap();
    assert_eq!(tvlb(home.path(), "-o out").1, made("out", 6, 2));
    // Another fabric is refused.
    let other =
        "name = \"other\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\narrangement = \"relative\"\n";
    fs::write(home.path().join("other.toml"), other).unwrap();
    fs::write(home.path().join("sweep.toml"), sweep.replace("small.toml", "other.toml")).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out");
    assert!(code == 2 && said.contains("accepted is a table set of the same cables"), "{said}");
}

#[test]
fn runs_of_another_way_of_measuring_are_other_runs() {
    let home = home(SWEEP);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let sweep = |measure: &str| {
        let text = format!("{SWEEP}measure = \"{measure}\"\n");
        fs::write(home.path().join("sweep.toml"), text).unwrap();
        tvlb(home.path(), "-o out")
    };
    let (_, said, _) = sweep("one-window");
    assert_eq!(said, made("out", 24, 0));
    let (_, said, _) = sweep("until-windows-agree");
    assert_eq!(said, made("out", 24, 24));
    let (code, _, said) = sweep("two-windows");
    assert_eq!(code, 2);
    assert!(
        said.contains("found two-windows, accepted one of one-window, until-windows-agree"),
        "{said}"
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (from, to, expected) in [
        ("0.1, 0.2", "0.1, 1.5", "loads: found 1.5, accepted above 0 and at most 1"),
        ("0.1, 0.2", "", "loads: found none, accepted at least one"),
        ("0.1, 0.2", "0.1, 0.1", "loads: found 0.1 twice, accepted each entry once"),
        (
            "\"par\"",
            "\"pra\"",
            "schemes: found \"pra\" (did you mean par?), accepted min, vlb, ugal-l, par, ugal-g",
        ),
        ("0.1, 0.2", "\"0.1:0.3:0.1\", 0.2", "loads: found 0.2 twice, accepted each entry once"),
        (
            "0.1, 0.2",
            "\"0.1-0.3\"",
            "found \"0.1-0.3\", accepted a number such as 0.1, or FROM:TO:STEP",
        ),
        (
            "loads = [0.1, 0.2]\n",
            "",
            "found neither `loads` nor `[saturation]` nor `[curve]`, accepted one of them",
        ),
        (
            "[settings]",
            "[saturation]\n[settings]",
            "found `loads` and `[saturation]`, accepted one of them",
        ),
        (
            "loads = [0.1, 0.2]\n",
            "saturation = { resolution = 0.6 }\n",
            "saturation.resolution: found 0.6, accepted 0.0001 to 0.5",
        ),
        (
            "seeds = [1]",
            "seeds = [1]\nfaults = [\"dead.txt\"]",
            "faults: dead.txt: cannot read it: ",
        ),
        (
            "conventional",
            "convential",
            "or \"conventional\" (did you mean conventional?), or \"tables:DIR\"",
        ),
        ("4-hop then", "tables:none then", "none then shapes:011/manifest.json: cannot read it"),
        ("window = 200", "window = 200\nbuffer = [16, 16]", "settings.buffer: found 16 twice"),
        (
            "window = 200",
            "window = 200\nvc-scheme = \"perhop\"",
            "vc-scheme: found perhop, accepted one of ordered, per-hop, positional, up-down (did you mean per-hop?)",
        ),
        (
            "\"uniform\"",
            "\"unifrom\"",
            "traffic: \"unifrom\" is not a traffic pattern (did you mean uniform?)",
        ),
        ("window", "windows", "found \"windows\" (did you mean window?), accepted vc-scheme, "),
        ("loads", "load", "unknown field `load` (did you mean loads?), expected one of"),
        ("small.toml", "large.toml", "large.toml: cannot read it"),
        (
            "4-hop then",
            "4-hpo then",
            "sets: column 1: found `4-hpo` (did you mean 4-hop?), accepted",
        ),
    ] {
        let home = home(&SWEEP.replace(from, to));
        let (code, _, said) = tvlb(home.path(), "-o out");
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(!home.path().join("out").exists());
    }
    let home = home(SWEEP);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let run = run_files(&home.path().join("out")).remove(0);
    fs::write(&run, "{").unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out --collect");
    let expected = "it does not hold finished work in the format of this version (it does not end with its SHA-256";
    assert!(code == 2 && said.contains(expected) && said.contains("remove it"), "{said}");
}

#[test]
fn a_sweep_file_that_never_ends_is_refused() {
    let home = home(SWEEP);
    let file = fs::File::create(home.path().join("sweep.toml")).unwrap();
    file.set_len(1 << 40).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out");
    let expected =
        "tvlb: sweep.toml: cannot read it: found 1099511627776 bytes, accepted at most 16777216\n";
    assert_eq!((code, said.as_str()), (2, expected));
    fs::remove_file(home.path().join("sweep.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.path().join("sweep.toml")).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out");
    let expected = "tvlb: sweep.toml: cannot read it: found a device, accepted a regular file\n";
    assert_eq!((code, said.as_str()), (2, expected));
}

/// As after a change of the code, while the version stays. Nothing that is written says which build it was.
#[test]
#[cfg(target_os = "linux")]
fn another_build_makes_all_runs_again() {
    let model = "fabrics = [\"small.toml\"]\nseeds = [1]\n[model]\nshifts = 1\ntype-2 = 1\n";
    for (sweep, runs, table) in [(SWEEP, 24, "runs.csv"), (model, 1, "figures.csv")] {
        let home = home(sweep);
        let rebuilt = home.path().join("rebuilt");
        fs::copy(env!("CARGO_BIN_EXE_tvlb-lab"), &rebuilt).unwrap();
        let sweep = |out: &str, now: usize| {
            let mut command = Command::new(&rebuilt);
            command.current_dir(home.path()).args(["sweep", "sweep.toml", "-q", "-o", out]);
            let run = command.output().unwrap();
            let said = String::from_utf8(run.stdout).unwrap();
            let stderr = String::from_utf8(run.stderr).unwrap();
            assert!(said.contains(&format!("{runs} runs, {now} made now")), "{said}{stderr}");
            fs::read(home.path().join(out).join(table)).unwrap()
        };
        let first = sweep("out", runs);
        assert_eq!(sweep("out", 0), first);
        let changed = [&fs::read(&rebuilt).unwrap()[..], b"changed"].concat();
        fs::write(&rebuilt, changed).unwrap();
        assert_eq!(sweep("out", runs), first);
        assert_eq!(sweep("out", 0), first);
    }
}

#[test]
fn a_run_under_the_name_of_another_is_refused() {
    let home = home(&SWEEP.replace("0.1, 0.2", "0.1").replace("\"uniform\", ", ""));
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let runs = run_files(&home.path().join("out"));
    fs::copy(&runs[0], &runs[1]).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out --collect");
    assert!(code == 2 && said.contains("it belongs to a run with another fabric"), "{said}");
}

#[test]
fn a_run_that_is_no_file_of_ours_is_not_read_to_its_end() {
    let home = home(&SWEEP.replace("0.1, 0.2", "0.1").replace("\"uniform\", ", ""));
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let run = run_files(&home.path().join("out")).remove(0);
    fs::File::create(&run).unwrap().set_len(1 << 40).unwrap();
    let (code, _, said) = tvlb(home.path(), "-o out --collect");
    assert!(code == 2 && said.contains("bytes, accepted at most 1048576"), "{said}");
}

/// Conventional UGAL has no T, whatever the fabric file says of other sets.
#[test]
fn conventional_runs_do_not_depend_on_the_threshold() {
    let home = home(&SWEEP.replace("0.1, 0.2", "0.2").replace("\"uniform\", ", ""));
    let collected = || {
        assert_eq!(tvlb(home.path(), "-o out").0, 0);
        assert_eq!(tvlb(home.path(), "-o out --collect").0, 0);
        fs::read_to_string(home.path().join("out/runs.csv")).unwrap()
    };
    let without = collected();
    let fabric = fs::read_to_string(home.path().join("small.toml")).unwrap();
    fs::write(home.path().join("small.toml"), fabric + "[routing]\nthreshold = -9\n").unwrap();
    let (_, said, _) = tvlb(home.path(), "-o out");
    // Of three sets for each of two schemes, the conventional ones are there.
    assert_eq!(said, made("out", 6, 4));
    let with = collected();
    let thresholds = |csv: &str| -> Vec<String> {
        let [source, second] = ["threshold", "second-threshold"].map(|name| column(csv, name));
        source.iter().zip(&second).map(|(one, other)| format!("{one},{other}")).collect()
    };
    assert_eq!(thresholds(&without), ["0,", "0,", "0,", "0,0", "0,0", "0,0"]);
    assert_eq!(thresholds(&with), ["0,", "-9,", "-9,", "0,0", "-9,-9", "-9,-9"]);
    let conventional = |csv: &str| -> Vec<String> {
        csv.lines().filter(|line| line.contains("conventional")).map(str::to_owned).collect()
    };
    assert_eq!(conventional(&with), conventional(&without));
}

#[test]
fn nothing_is_kept_in_a_table_set() {
    let home = home(SWEEP);
    fs::create_dir(home.path().join("tables")).unwrap();
    let manifest = "{\"format\": \"tvlb table set 1\"}";
    fs::write(home.path().join("tables/manifest.json"), manifest).unwrap();
    for directory in ["tables", "tables/study", "tables/deep/study"] {
        for more in ["", "--collect"] {
            let (code, _, said) = tvlb(home.path(), &format!("-o {directory} {more}"));
            assert!(code == 2 && said.contains("it is within the table set "), "{said}");
        }
    }
    assert_eq!(fs::read_dir(home.path().join("tables")).unwrap().count(), 1);
}

#[test]
fn an_interrupted_sweep_says_what_it_keeps() {
    let long = SWEEP.replace("window = 200", "window = 2000000");
    let home = home(&long.replace("warm-up = 1", "warm-up = 0"));
    let child = Command::new(env!("CARGO_BIN_EXE_tvlb-lab"))
        .current_dir(home.path())
        .args(["sweep", "sweep.toml", "--quiet", "-o", "out"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = signals::interrupt_after(child, std::time::Duration::from_secs(1));
    let said = String::from_utf8(output.stderr).unwrap();
    // A saturated run ends early, so that a fast machine may have kept some.
    let kept = run_files(&home.path().join("out")).len();
    let expected = format!(
        "tvlb: interrupted; out keeps {kept} of 24 runs, and the same command makes the others\n"
    );
    assert_eq!((output.status.code(), said), (Some(130), expected));
    assert!(kept < 24);
}

/// A figure of a paper, quickly, from the file that is shipped.
fn shipped(home: &Path, arguments: &str) -> (i32, String, String) {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables/studies");
    let run = Command::new(env!("CARGO_BIN_EXE_tvlb-lab"))
        .current_dir(home)
        .arg("sweep")
        .args(arguments.split_whitespace().map(|word| match word.split_once('@') {
            Some(("", name)) => studies.join(name),
            _ => word.into(),
        }))
        .args(["--quick", "--quiet"])
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (run.status.code().unwrap(), text(run.stdout), text(run.stderr))
}

#[test]
fn a_figure_is_the_same_at_any_number_of_threads_and_goes_on_with_what_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let (code, said, error) =
            shipped(home.path(), &format!("@t-ugal.toml --only channels-9 {arguments}"));
        assert_eq!(code, 0, "{error}");
        said
    };
    let one = run("-o one --threads 1");
    assert_eq!(run("-o two --threads 2").replace("two", "one"), one);
    let read = |directory: &str| {
        fs::read(home.path().join(directory).join("channels-9/runs.csv")).unwrap()
    };
    assert_eq!(read("two"), read("one"));
    assert!(one.contains("per-hop  0."), "{one}");
    // Lines of rising loads, each run kept by itself: one is lost, and made again; nothing else is.
    let kept = run_files(&home.path().join("one"));
    assert!(kept.len() > 20, "a file for each run");
    lose(&home.path().join("one"), 1);
    assert!(run("-o one").starts_with("one: 8 runs, 1 made now\n"));
    assert_eq!((run_files(&home.path().join("one")).len(), read("one")), (kept.len(), read("two")));
}

#[test]
fn tables_and_verdicts_go_into_a_document() {
    let home = tempfile::tempdir().unwrap();
    let document = home.path().join("page.md");
    let page = "# Figures\n\n<!-- figures: fig4 -->\nof old\n<!-- end -->\n\n<!-- figures: fig7 table2 -->\n<!-- end -->\n";
    fs::write(&document, page).unwrap();
    let run = |only: &str| {
        shipped(home.path(), &format!("@t-ugal.toml --only {only} -o out --document page.md"))
    };
    let (code, words, error) = run("fig4,table2");
    assert_eq!(code, 0, "{error}");
    assert!(words.contains("the stated number is above 0.5625, which is proven"), "{words}");
    assert!(words.contains("statements of the paper: "), "{words}");
    let made = fs::read_to_string(&document).unwrap();
    assert!(made.contains("| fig4 | quick: 60% 5-hop: modelled throughput | 0.58 |"), "{made}");
    assert!(made.contains("*Not run: fig7.*") && !made.contains("of old"), "{made}");
    // What was made stays as it is where another study comes beside it, and comes again without a run.
    let (code, words, _) = run("fig7");
    assert_eq!(code, 0);
    assert!(words.contains("not run: fig6 has not been run"), "{words}");
    let judged =
        |line: &&str| [" within ", "confirmed", "refuted"].iter().any(|one| line.contains(one));
    for line in words.lines().filter(judged) {
        assert!(line.trim_start().starts_with("quick: "), "{line}");
    }
    let both = fs::read_to_string(&document).unwrap();
    assert!(both.contains("| fig4 | quick: 60% 5-hop: modelled throughput | 0.58 |"), "{both}");
    assert!(both.contains("- fig7: quick: UGAL-G: latency at 0.1 61.2 ("), "{both}");
    assert_eq!(run("fig4,table2,fig7").0, 0);
    assert_eq!(fs::read_to_string(&document).unwrap(), both);
    insta::assert_snapshot!("document", both);
    fs::write(&document, "<!-- figures: fig3 -->\n<!-- end -->\n").unwrap();
    let (code, _, said) = run("fig4");
    assert!(code == 2 && said.contains("page.md: line 1: found tables of `fig3`"), "{said}");
    let (code, _, said) = run("fig3");
    assert!(code == 2 && said.contains("--only: found \"fig3\" (did you mean "), "{said}");
}

/// Jobs, cut-through switches, the loads of links and parts that die are studied by the same command.
#[test]
fn all_that_can_be_measured_is_in_a_shipped_study() {
    let home = tempfile::tempdir().unwrap();
    for (file, only, words) in [
        ("load-imbalance", "load-imbalance-shift-far,load-imbalance-neighbour", "VALn, identity"),
        ("load-imbalance", "load-imbalance-links", "shift(2h+h/2,0)"),
        ("arrangements", "arrangements-bisection,arrangements-halo3d", "circulant"),
        ("ofar", "ofar-next-2,ofar-bursts,ofar-all-to-all", "most entries"),
        ("faults", "failure", "packets lost"),
        ("changes", "change,change-saturation,change-cut-through", "cycles until steady"),
    ] {
        let run = || shipped(home.path(), &format!("@{file}.toml --only {only} -o {file}"));
        let (code, said, error) = run();
        assert!(code == 0 && said.contains(words), "{only}: {said} {error}");
        let again = run().1;
        let last = |said: &str| said.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(last(&again).last(), last(&said).last(), "{only}");
    }
    // A run is a file, so that these go on as all others do.
    lose(&home.path().join("ofar"), 1);
    let (_, said, _) =
        shipped(home.path(), "@ofar.toml --only ofar-next-2,ofar-bursts,ofar-all-to-all -o ofar");
    assert!(said.contains(" 1 made now"), "{said}");
    let read = |path: &str| fs::read_to_string(home.path().join(path)).unwrap();
    let bursts = read("ofar/ofar-bursts/figures.csv");
    // A node sends and takes one phit per cycle.
    let cycles = column(&bursts, "cycles");
    assert!(
        cycles.len() == 39 && cycles.iter().all(|cycles| cycles.parse::<u32>().unwrap() >= 160)
    );
    let arranged = read("arrangements/arrangements-bisection/figures.csv");
    let median: Vec<f64> = column(&arranged, "median").iter().map(|m| m.parse().unwrap()).collect();
    assert!(median[..3].iter().zip(&median[3..]).all(|(slow, fast)| slow > fast), "{median:?}");
}

/// What is counted and modelled stands under its own column.
#[test]
fn paths_and_throughputs_are_counted_on_the_command_line() {
    let home = home(SWEEP);
    let csv = |axes: &[&str]| {
        let mut words = vec!["sweep", "small.toml", "-q", "--format", "csv"];
        words.extend(axes.iter().flat_map(|axis| ["--axis", axis]));
        succeeds(home.path(), &words)
    };
    let numbers = |csv: &str, name: &str| -> Vec<f64> {
        column(csv, name).iter().map(|cell| cell.parse().unwrap()).collect()
    };
    let paths = csv(&["paths=true", "set=all,shapes:000"]);
    let (routes, hops) = (numbers(&paths, "routes-per-pair"), numbers(&paths, "mean-hops"));
    assert!(routes[0] > 10.0 && routes[1] < routes[0] && hops[0] < 6.0, "{paths}");
    let model = csv(&["model.shifts=1", "model.type-2=2"]);
    let [lower, middle, upper] = ["lower", "throughput", "upper"].map(|name| numbers(&model, name));
    let is_within = |place: usize| lower[place] <= middle[place] && middle[place] <= upper[place];
    assert!((0..middle.len()).all(is_within) && lower != upper, "{model}");
}

/// Windows and jobs are means and medians over seeds, whose rows stand together.
#[test]
fn seeds_have_one_row_together() {
    let jobs = "fabrics = [\"small.toml\"]\nschemes = [\"min\", \"par\"]\nsets = [\"conventional\"]\nseeds = [1, 2, 3]\n\
        jobs = { workload = \"bisection\", packets = 4, iterations = 1, maps = [\"random\"] }\n";
    let home = home(jobs);
    assert_eq!(tvlb(home.path(), "-o out").0, 0);
    let csv = fs::read_to_string(home.path().join("out/figures.csv")).unwrap();
    assert_eq!(column(&csv, "scheme"), ["min", "par"]);
    assert_eq!(column(&csv, "seeds"), ["3", "3"]);
    let course = "fabrics = [\"small.toml\"]\nschemes = [\"min\"]\nsets = [\"conventional\"]\nseeds = [1, 2]\n\
        traffic = [\"uniform\"]\nloads = [0.1]\n\
        course = { window = 100, first = 200, end = 800, delay = [100, 150], events = [\
        { phase = \"dead\", at = 400, dead = \"cable (0,0):0\" }] }\n";
    fs::write(home.path().join("sweep.toml"), course).unwrap();
    assert_eq!(tvlb(home.path(), "-o course").0, 0);
    let csv = fs::read_to_string(home.path().join("course/figures.csv")).unwrap();
    let from = column(&csv, "from");
    assert_eq!(from, ["200", "300", "400", "500", "600", "700"]);
    // A switch takes the fault image within 150 cycles.
    assert_eq!(column(&csv, "settled"), ["true", "true", "false", "false", "true", "true"]);
}

/// A study that another program writes: its files are beside the working directory.
#[test]
fn a_study_may_come_from_a_pipe() {
    let small =
        SWEEP.replace("0.1, 0.2", "0.1").replace("[\"uniform\", \"shift(2,0)\"]", "[\"uniform\"]");
    let home = home(&small);
    let (code, _, error) = tvlb(home.path(), "-o named");
    assert_eq!(code, 0, "{error}");
    let program = env!("CARGO_BIN_EXE_tvlb-lab");
    let script = format!("{program} sweep - -q -o piped < sweep.toml");
    let run = Command::new("sh").current_dir(home.path()).args(["-c", &script]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |path: &str| fs::read(home.path().join(path)).unwrap();
    assert!(read("named/runs.csv") == read("piped/runs.csv"));
}
