//! `tvlb cables`: how long the cables of a machine are.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use serde_json::Value;

/// Three groups of two switches in a row, one metre and a half from each other.
fn in_a_row() -> Scratch {
    let scratch = Scratch::with_sizes(1, 2, 1, 3);
    scratch.write("places.csv", "place,x,y\ngroup 2,3,0\ngroup 1,1.5,0\ngroup 0,0,0\n");
    scratch
}

#[test]
fn a_bill_has_lengths_and_a_list_by_places() {
    let scratch = in_a_row();
    let run = "cables fabric.toml --places places.csv";
    assert_snapshot!(scratch.succeeds(&format!("{run} --slack 0.5 --stock 1,2,2.5,10 --list")), @r"
    fabric  sizes: dfly(1, 2, 1, 3)
    cables  6 cables of 17 m, with 0.5 m of slack each

    length, m  local  global  cables  in all, m
            1      3       0       3          3
            2      0       2       2          4
           10      0       1       1         10

    from-place  from-switch  from-jack  to-place  to-switch  to-jack    kind    links  needed, m  length, m
    group 2     4            local 1 0  group 2   5          local 0 0  local       1        0.5          1
    group 2     5            global 0   group 1   3          global 0   global      1          2          2
    group 2     4            global 0   group 0   1          global 0   global      1        3.5         10
    group 1     2            local 1 0  group 1   3          local 0 0  local       1        0.5          1
    group 1     2            global 0   group 0   0          global 0   global      1          2          2
    group 0     0            local 1 0  group 0   1          local 0 0  local       1        0.5          1
    ");
    // The same lines as a file, and nothing else changes.
    let text = scratch.succeeds(run);
    assert_eq!(scratch.succeeds(&format!("{run} --csv cables.csv")), text);
    assert_snapshot!(String::from_utf8(scratch.read("cables.csv")).unwrap(), @r"
        from-place,from-switch,from-jack,to-place,to-switch,to-jack,kind,links,needed,length
        group 2,4,local 1 0,group 2,5,local 0 0,local,1,2,2
        group 2,5,global 0,group 1,3,global 0,global,1,3.5,4
        group 2,4,global 0,group 0,1,global 0,global,1,5,5
        group 1,2,local 1 0,group 1,3,local 0 0,local,1,2,2
        group 1,2,global 0,group 0,0,global 0,global,1,3.5,4
        group 0,0,local 1 0,group 0,1,local 0 0,local,1,2,2
        ");
    let json: Value = serde_json::from_str(&scratch.succeeds(&format!("{run} --json"))).unwrap();
    assert_snapshot!(json["lengths"], @r#"[{"global":0,"length":2.0,"local":3},{"global":2,"length":4.0,"local":0},{"global":1,"length":5.0,"local":0}]"#);
    assert_snapshot!(json["cables"][0], @r#"{"ends":[{"jacks":["local 1 0"],"place":"group 2","switch":4},{"jacks":["local 0 0"],"place":"group 2","switch":5}],"kind":"local","length":2.0,"links":1,"needed":2.0}"#);
}

#[test]
fn what_gives_no_bill_is_refused() {
    let scratch = in_a_row();
    let refused = |options: &str| scratch.refuses(&format!("cables fabric.toml {options}"));
    assert_snapshot!(refused("--places places.csv --stock 1,3"), @"tvlb: --stock: the cable from switch 5 to switch 3 must be 3.5 m long, and all lengths to buy are shorter; accepted: a length of 3.5 m or more");
    assert_snapshot!(refused("--places places.csv --slack -1").lines().next().unwrap(), @"tvlb: invalid value '-1' for '--slack <METRES>': accepted metres, 0 to 10000");
    assert_snapshot!(refused("--places places.csv --stock 1,x").lines().next().unwrap(), @"tvlb: invalid value 'x' for '--stock <LENGTHS>': accepted metres, 0 to 10000");
    assert_snapshot!(refused("--places none.csv"), @"tvlb: none.csv: cannot read it: No such file or directory (os error 2)");
    scratch.write("places.csv", "place,x,y\ngroup 0,0,0\ngroup 1,1,1,1\n");
    assert_snapshot!(refused("--places places.csv"), @"tvlb: places.csv: line 3: found 4 fields, accepted 3: place,x,y");
    scratch.write("places.csv", "place,x,y\ngroup 0,0,0\n");
    assert_snapshot!(refused("--places places.csv"), @"tvlb: places.csv: no line says where switch 2 is; accepted is one place for each switch");
    scratch.write("places.csv", "group,x,y\n");
    assert_snapshot!(refused("--places places.csv"), @r#"tvlb: places.csv: line 1: column 1 of the header is "group", accepted "place"; the header is place,x,y"#);
}
