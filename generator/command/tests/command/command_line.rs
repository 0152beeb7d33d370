//! Wrong command lines, and right ones that ask for what is not there: exit code 2.

use crate::scratch::Scratch;
use insta::assert_snapshot;

/// What `tvlb` says of arguments that it cannot take.
fn misuse(arguments: &str) -> String {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let run = scratch.tvlb(arguments);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert_eq!(scratch.names(), ["fabric.toml"]);
    let cores = std::thread::available_parallelism().unwrap().get();
    let limit = format!("accepted 1 to {}, on this machine of {cores} cores", (4 * cores).max(256));
    run.stderr.replace(&limit, "accepted 1 to [MOST], on this machine of [CORES] cores")
}

fn error_of_set(option: &str, set: &str) -> String {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    scratch.refuses_with(["generate", "fabric.toml", "-o", "out", option, set])
}

#[test]
fn options_that_need_each_other() {
    assert_snapshot!(misuse("inspect out --from 3"), @"
    tvlb: the following required arguments were not provided:
      --to <SWITCH>

    Usage: tvlb inspect --from <SWITCH> --to <SWITCH> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --to 3"), @"
    tvlb: the following required arguments were not provided:
      --from <SWITCH>

    Usage: tvlb inspect --to <SWITCH> --from <SWITCH> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --list"), @"
    tvlb: the following required arguments were not provided:
      --to <SWITCH>
      --from <SWITCH>

    Usage: tvlb inspect --to <SWITCH> --from <SWITCH> --list <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --switch 1 --from 1 --to 2"), @"
    tvlb: the argument '--switch <SWITCH>' cannot be used with:
      --from <SWITCH>
      --to <SWITCH>

    Usage: tvlb inspect --switch <SWITCH> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("generate fabric.toml"), @"
    tvlb: the following required arguments were not provided:
      --output <DIR>

    Usage: tvlb generate --output <DIR> <FABRIC>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("paths fabric.toml --from 1"), @"
    tvlb: the following required arguments were not provided:
      --to <SWITCH>

    Usage: tvlb paths --from <SWITCH> --to <SWITCH> <FABRIC>

    For more information, try '--help'.
    ");
}

/// A count decides how much memory and time a command takes, so that each has a limit, which its refusal names.
#[test]
fn every_count_has_a_limit() {
    let scratch = Scratch::with_table_set();
    scratch.write("names.csv", "");
    let before = scratch.names();
    for (arguments, most) in [
        ("model fabric.toml --patterns type1-set:", 10_000),
        ("model fabric.toml --patterns type2-set:", 10_000),
        ("model fabric.toml --patterns permutation-set:", 10_000),
        ("search fabric.toml --runs ", 10_000_000),
        ("verify out --most-walks ", 1_000_000_000_000_000),
        ("diff out out --most-routes ", 1_000_000_000_000_000),
        ("load fabric.toml --busiest ", 1_000_000),
        ("advise fabric.toml --jobs 4 --workload alltoall --simulate ", 1_000_000),
        ("run out --jobs 2 --workload alltoall --iterations ", 1_000_000),
        ("run out --jobs 2 --workload alltoall --packet-bytes ", 1_000_000_000),
        ("run out --jobs 2 --workload alltoall --bytes ", 1_000_000_000_000_000),
        ("simulate out --bench ", 1_000_000_000),
        ("simulate out --faults-at 9:names.csv --series ", 1_000_000_000),
    ] {
        for beyond in [&*(most + 1_u64).to_string(), "99999999999999999999999"] {
            let said = scratch.refuses(&format!("{arguments}{beyond}"));
            assert!(said.contains(&format!(" to {most}")), "{arguments}{beyond}: {said}");
        }
    }
    // Those that settings check.
    for (arguments, said) in [
        (
            "run out --jobs 2 --workload alltoall --bytes 2000000000000",
            "at most 1099511627776 bytes",
        ),
        ("simulate out --window 1000000001", "accepted 1 to 1000000000"),
        ("simulate out --warm-up 4294967295", "accepted"),
        ("sweep fabric.toml --axis routing=min --axis burst=1000001", "accepted 1 to 1000000"),
        ("place fabric.toml --jobs 16777217", "1 to 16777216 ranks"),
    ] {
        let refused = scratch.refuses(arguments);
        assert!(refused.contains(said), "{arguments}: {refused}");
    }
    assert_eq!(scratch.names(), before);
}

#[test]
fn a_long_text_is_cut_in_every_message() {
    let scratch = Scratch::with_table_set();
    let long = "x".repeat(100_000);
    scratch.write("long.txt", format!("{long}\n"));
    scratch.write("wide.txt", format!("{}\n", &long[..60_000]));
    for arguments in [
        &["simulate", "out", "--traffic", &long][..],
        &["simulate", "out", "--traffic", "flows:wide.txt"],
        &["simulate", "out", "--traffic", "flows:long.txt"],
        &["simulate", "out", "--place", &long],
        &["simulate", "out", "--scheme", &long],
        &["simulate", "out", "--load", &long],
        &["model", "fabric.toml", "--patterns", &long],
        &["model", "fabric.toml", "--set", &long],
        &["generate", "fabric.toml", "-o", "new", "--set", &long],
        &["place", "fabric.toml", "--jobs", &long],
        &["place", "fabric.toml", "--jobs", "4", "--map", &long],
        &["place", "fabric.toml", "--jobs", "4", "--graph", &long],
        &["place", "fabric.toml", "--jobs", "4", "--graph", "graph:wide.txt"],
        &["bisection", "fabric.toml", "--ratio", &long],
        &["topology", &long],
        &["plot", "wide.txt"],
        &["faults", "out", "--faults", "wide.txt", "-o", "new"],
        &[&long],
    ] {
        let run = scratch.tvlb_with(arguments.iter().copied());
        let shown: Vec<&str> = arguments.iter().map(|text| &text[..text.len().min(30)]).collect();
        assert_eq!(run.code, 2, "{shown:?}");
        assert!(run.stderr.len() < 10_000, "{shown:?}: {}", run.stderr.len());
    }
}

#[test]
fn values_that_no_option_takes() {
    assert_snapshot!(misuse("topology fabric.toml --format png"), @"
    tvlb: invalid value 'png' for '--format <FORMAT>'
      [possible values: summary, csv, dot, dot-switches, codes, merlin, anytopo, htsim, anynet, slurm, slurm-yaml]

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("generate fabric.toml -o out --threads 0"), @"
    tvlb: invalid value '0' for '--threads <N>': accepted 1 to [MOST], on this machine of [CORES] cores

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("generate fabric.toml -o out --threads 100000000"), @"
    tvlb: invalid value '100000000' for '--threads <N>': accepted 1 to [MOST], on this machine of [CORES] cores

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("polish out"), @"
    tvlb: unrecognized subcommand 'polish'

    Usage: tvlb <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn sets_are_marked_where_they_are_wrong() {
    assert_snapshot!(error_of_set("--set", "60% 5-hops"), @"
    tvlb: --set: column 5: found `5-hops` (did you mean 5-hop?), accepted `2-hop` to `6-hop`, `shapes:` or `only:` after a percentage
    60% 5-hops
        ^^^^^^
    ");
    assert_snapshot!(error_of_set("--set", "ugal-l min, all"), @"
    tvlb: --set: column 1: found `min` with a weight or another term, but `min` (no VLB route) stands alone
    min, all
    ^^^
    ");
    assert_snapshot!(error_of_set("--set", "par 0.5% all"), @"
    tvlb: --set: column 1: percentage `0.5%`, but a percentage is 1 to 100 and has at most two decimals
    0.5% all
    ^^^
    ");
    assert_snapshot!(error_of_set("--set", ""), @"
    tvlb: --set: column 1: found the end, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    ^
    ");
    assert_snapshot!(error_of_set("--set", "2*all by route"), @"
    tvlb: --set: column 7: found `by route` in a set with weights, but weights mean `by shape`
    2*all by route
          ^^^^^^^^
    ");
}

#[test]
fn switches_that_do_not_exist() {
    let scratch = Scratch::with_table_set();
    assert_snapshot!(scratch.refuses("inspect out --switch 36"), @"tvlb: --switch: there is no switch 36; switches are 0 to 35");
    assert_snapshot!(scratch.refuses("inspect out --from 36 --to 0"), @"tvlb: --from: there is no switch 36; switches are 0 to 35");
    assert_snapshot!(scratch.refuses("inspect out --from 0 --to 65536"), @"tvlb: --to: there is no switch 65536; switches are 0 to 35");
    assert_snapshot!(scratch.refuses("paths fabric.toml --from 0 --to 36"), @"tvlb: --to: there is no switch 36; switches are 0 to 35");
}

/// More threads than cores gain nothing, and thousands take minutes to start.
#[test]
fn every_command_limits_threads() {
    let scratch = Scratch::with_table_set();
    scratch.write("sweep.toml", "");
    for command in [
        "generate fabric.toml -o other",
        "search fabric.toml",
        "model fabric.toml",
        "simulate out",
        "verify out",
        "diff out out",
        "sweep sweep.toml -o runs",
    ] {
        for number in ["0", "100000", "-1"] {
            let error = scratch.refuses(&format!("{command} --threads {number}"));
            assert!(error.starts_with("tvlb: invalid value '"), "{command}: {error}");
            assert!(error.contains(": accepted 1 to "), "{command}: {error}");
        }
    }
    scratch.succeeds("verify out --threads 256");
}

#[test]
fn one_thing_in_the_place_of_another() {
    let scratch = Scratch::with_table_set();
    assert_snapshot!(scratch.refuses("simulate fabric.toml"), @"tvlb: fabric.toml: it is a file, accepted the directory of a table set; if it is a fabric file, `tvlb generate fabric.toml -o DIR` makes a table set from it");
    for command in [
        "verify fabric.toml",
        "inspect fabric.toml",
        "diff fabric.toml out",
        "diff out fabric.toml",
        "generate fabric.toml --check fabric.toml",
    ] {
        assert_eq!(scratch.refuses(command), scratch.refuses("simulate fabric.toml"), "{command}");
    }
    assert_snapshot!(scratch.refuses("topology out"), @"tvlb: out: it is a directory, accepted a fabric file; if it is a table set, give the fabric file that it was made from");
    for command in ["paths out --from 0 --to 1", "generate out -o other", "model out", "search out"]
    {
        assert_eq!(scratch.refuses(command), scratch.refuses("topology out"), "{command}");
    }
    assert_snapshot!(scratch.refuses("topology out/switches"), @"tvlb: out/switches: it is a directory, accepted a fabric file");
}

#[test]
fn names_are_taken_in_capitals_too() {
    let scratch = Scratch::with_table_set();
    let short = "--window 200 --warm-up 0 --format";
    assert_eq!(
        scratch.succeeds(&format!("simulate out {short} CSV --scheme UGAL-L")),
        scratch.succeeds(&format!("simulate out {short} csv --scheme ugal-l"))
    );
    assert_eq!(
        scratch.succeeds("topology fabric.toml --format Dot"),
        scratch.succeeds("topology fabric.toml --format dot")
    );
}

/// What is at a path is recognised by one rule, whatever was expected there.
#[test]
fn a_directory_of_another_kind_is_called_what_it_is() {
    let scratch = Scratch::with_table_set();
    std::fs::create_dir(scratch.path("plan")).unwrap();
    scratch.write("plan/fabric.toml", scratch.read("fabric.toml"));
    scratch.write("dead.txt", "cable (0,0):0\n");
    let run = scratch.tvlb("faults out --faults dead.txt -o update -q");
    assert_eq!(run.code, 0, "{run}");
    let mut said = String::new();
    for arguments in [
        "verify plan",
        "inspect update",
        "diff out plan",
        "simulate update --load 0.1",
        "sets export plan",
        "topology plan",
        "topology out",
        "topology update",
        "inspect fabric.toml",
    ] {
        said += &scratch.refuses(arguments);
    }
    assert_snapshot!("directories_of_another_kind", said);
}
