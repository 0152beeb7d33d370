//! Some 125 command lines that people type by mistake or out of curiosity, each with its exit code and the first line
//! that it answers: no panic, no silence, nothing left behind.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::fmt::Write;

/// Each is run where `out` is a table set, `fabric.toml` its fabric file and `empty` an empty file.
const LINES: &str = "
tvlb
tvlb generat
tvlb generate
tvlb generate fabric.toml
tvlb generate nothing.toml -o new
tvlb generate out -o new
tvlb generate empty -o new
tvlb generate /dev/null -o new
tvlb generate . -o new
tvlb generate fabric.toml -o out
tvlb generate fabric.toml -o empty
tvlb generate fabric.toml -o fabric.toml
tvlb generate fabric.toml -o .
tvlb generate fabric.toml -o new --set
tvlb generate fabric.toml -o new --set nonsense
tvlb generate fabric.toml -o new --set shapes:9
tvlb generate fabric.toml -o new --set shape:011
tvlb generate fabric.toml -o new --set 0%6-hop
tvlb generate fabric.toml -o new --set 7-hop
tvlb generate fabric.toml -o new --panel large
tvlb generate fabric.toml -o new --prefer speed
tvlb generate fabric.toml -o new --max-regret -3
tvlb generate fabric.toml -o new --threads 0
tvlb generate fabric.toml -o new --threads many
tvlb generate fabric.toml --check nothing
tvlb generate fabric.toml --check empty
tvlb generate fabric.toml --check out -o new
tvlb inspect
tvlb inspect nothing
tvlb inspect fabric.toml
tvlb inspect out --from 0 --to 36
tvlb inspect out --from 0 --to -1
tvlb inspect out --from zero --to 1
tvlb inspect out --switch 36
tvlb inspect out --switch 99999999999
tvlb topology out
tvlb topology fabric.toml --format pdf
tvlb topology fabric.toml -o missing/x.csv
tvlb paths out
tvlb paths fabric.toml --from 0
tvlb paths fabric.toml --from 0 --to 0
tvlb paths fabric.toml --from 0 --to 36
tvlb verify nothing
tvlb verify fabric.toml
tvlb verify empty
tvlb verify out --fabric nothing.toml
tvlb verify out --most-walks none
tvlb diff out
tvlb diff out nothing
tvlb diff out fabric.toml
tvlb simulate nothing
tvlb simulate fabric.toml
tvlb simulate out --scheme ugal
tvlb simulate out --scheme pb
tvlb simulate out --traffic tornado
tvlb simulate out --traffic Unifrom
tvlb simulate out --traffic shift
tvlb simulate out --traffic shift(9,0)
tvlb simulate out --traffic shift(0,0
tvlb simulate out --traffic mixed(60,60)
tvlb simulate out --traffic flows:
tvlb simulate out --traffic flows:nothing
tvlb simulate out --traffic flows:empty
tvlb simulate out --place groups:2
tvlb simulate out --place listed:nothing
tvlb simulate out --load 0
tvlb simulate out --load 1.5
tvlb simulate out --load -0.1
tvlb simulate out --load nan
tvlb simulate out --load 30%
tvlb simulate out --load 0.1..0.5
tvlb simulate out --load 0.5:0.1:0.1
tvlb simulate out --load 0.1:0.5:0
tvlb simulate out --load 0.05,0.05
tvlb simulate out --load
tvlb simulate out --seeds 1,1
tvlb simulate out --seeds one
tvlb simulate out --saturation --load 0.1
tvlb simulate out --resolution 0.01
tvlb simulate out --saturation --resolution 0
tvlb simulate out --buffer 0
tvlb simulate out --speedup 0
tvlb simulate out --virtual-channels 0
tvlb simulate out --window 0
tvlb simulate out --latency-limit 0
tvlb simulate out --local-latency 0
tvlb simulate out --gate 1.25 --candidates 1
tvlb simulate out --format xml
tvlb simulate out --format csv --json
tvlb simulate out --plot out/a.svg
tvlb simulate out --plot missing/a.svg
tvlb simulate out --plot a.gif
tvlb simulate out --bench 0
tvlb-lab sweep fabric.toml --axis routing=ofar,ofar
tvlb-lab sweep fabric.toml --axis routing=magic
tvlb-lab sweep fabric.toml --axis routing=min --axis burst=0
tvlb-lab sweep fabric.toml --axis routing=ofar --axis rules.local-percent=300
tvlb-lab sweep fabric.toml --axis routing=ofar --axis rules.local-percent=[90,80]
tvlb-lab sweep fabric.toml --axis routing=min --axis escape-root=3
tvlb-lab sweep fabric.toml --axis routing=min --axis packet=0
tvlb-lab sweep fabric.toml --axis load
tvlb-lab sweep fabric.toml --axis colour=red
tvlb-lab sweep fabric.toml --axis scheme=par --only fig6
tvlb model out
tvlb model fabric.toml --set nonsense
tvlb model fabric.toml --patterns 0
tvlb-lab search
tvlb-lab search fabric.toml --runs none
tvlb-lab sweep nothing.toml -o new
tvlb-lab sweep empty -o new
tvlb-lab sweep fabric.toml -o new
tvlb-lab sweep fabric.toml -o new --only fig99
tvlb-lab sweep empty -o new --quick --collect
tvlb-lab place fabric.toml --jobs 0x1 -o new.csv
tvlb-lab place fabric.toml --jobs 9999x1 -o new.csv
tvlb-lab run out --jobs 36x2 --workload chess
tvlb-lab bisection fabric.toml --ratio 0
tvlb load fabric.toml --traffic nonsense
tvlb faults out --faults nothing -o new
tvlb faults out --faults empty
tvlb import slingshot nothing -o new
tvlb import aries nothing -o new
tvlb cables fabric.toml --places nothing
tvlb man nothing
tvlb completions cobol
tvlb --verbose
tvlb help nothing
";

#[test]
fn each_is_answered_in_a_line() {
    let scratch = Scratch::with_table_set();
    scratch.write("empty", "");
    let before = scratch.names();
    let mut answers = String::new();
    let lines: Vec<&str> = LINES.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() >= 125, "{}", lines.len());
    for line in lines {
        let run = scratch.tvlb_with(line.split_whitespace().skip(1));
        assert!([0, 1, 2].contains(&run.code) && !run.stderr.contains("panicked"), "{line}: {run}");
        let answer = run.stderr.lines().find(|line| !line.is_empty()).unwrap_or_default();
        assert!(run.code == 0 || !answer.is_empty(), "{line}: {run}");
        // The most threads are the machine's, and so is where the directory lies.
        let answer = answer.split(": accepted 1 to").next().unwrap_or_default();
        let here = scratch.path("").canonicalize().unwrap().display().to_string();
        let answer = answer.replace(here.trim_end_matches('/'), "[HERE]");
        let _ = writeln!(answers, "{line}\n  {} {}", run.code, answer.trim_end());
        assert_eq!(scratch.names(), before, "{line}");
    }
    assert_snapshot!("odd_command_lines", answers);
}
