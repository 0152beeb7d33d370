//! `tvlb-lab bisection`: least cuts by ratio of bandwidths, and one clear error for each kind of bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;

const CIRCULANT: &str =
    "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\narrangement = \"circulant\"\n";

#[test]
fn least_cuts_as_table_json_and_csv() {
    let scratch = Scratch::with_fabric(CIRCULANT);
    let bisection = "bisection fabric.toml --ratio 0.5,1,1.25,4 --cut cut.csv";
    let table = scratch.succeeds(bisection);
    assert_snapshot!("bisection", table);
    for threads in [1, 3] {
        assert_eq!(scratch.succeeds(&format!("{bisection} --threads {threads}")), table);
    }
    let rows = String::from_utf8(scratch.read("cut.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 4 * 36);
    for ratio in ["0.5", "1", "1.25", "4"] {
        let of_first = rows
            .lines()
            .filter(|line| line.starts_with(&format!("{ratio},")) && line.ends_with(",1"));
        assert_eq!(of_first.count(), 18);
    }
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds(&format!("{bisection} --json"))).unwrap();
    assert_eq!(json["cuts"][3]["cut"], 36.0);
    assert_eq!(json["cuts"][3]["is-least"], true);
    assert_eq!(json["cuts"][3]["first-half"].as_array().unwrap().len(), 18);
    // Cut short, it is an interval.
    let short = scratch.succeeds("bisection fabric.toml --ratio 4 --steps 10");
    assert_snapshot!("bisection_interval", short);
    // A dead cable is not cut.
    scratch.write("dead.txt", "cable (0,0):0\n");
    let live = scratch.succeeds("bisection fabric.toml --ratio 0.5 --faults dead.txt");
    assert!(live.contains("11.5"), "{live}");
}

#[test]
fn what_is_no_ratio_is_refused() {
    let scratch = Scratch::with_fabric(CIRCULANT);
    for (arguments, said) in [
        (
            "--ratio 0",
            "\"0\" is not a ratio; accepted a number above 0 and at most 1000 with at most 3",
        ),
        ("--ratio 1,two", "\"two\" is not a ratio"),
        ("--ratio 1,2,1.0", "--ratio: 1 is given twice"),
        ("--cut", "a value is required"),
    ] {
        let error = scratch.refuses(&format!("bisection fabric.toml {arguments}"));
        assert!(error.contains(said), "{error}");
    }
}
