//! Wrong command lines, and right ones that ask for what is not there: exit code 2.

use crate::scratch::Scratch;
use insta::assert_snapshot;

/// What `tvlb` says of arguments that it cannot take.
fn misuse(arguments: &str) -> String {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let run = scratch.tvlb(arguments);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert_eq!(scratch.names(), ["fabric.toml"]);
    run.stderr
}

fn error_of_set(option: &str, set: &str) -> String {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    scratch.refuses_with(["generate", "fabric.toml", "-o", "out", option, set])
}

#[test]
fn options_that_need_each_other() {
    assert_snapshot!(misuse("inspect out --from 3"), @"
    error: the following required arguments were not provided:
      --to <D>

    Usage: tvlb inspect --from <S> --to <D> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --to 3"), @"
    error: the following required arguments were not provided:
      --from <S>

    Usage: tvlb inspect --to <D> --from <S> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --list"), @"
    error: the following required arguments were not provided:
      --to <D>
      --from <S>

    Usage: tvlb inspect --to <D> --from <S> --list <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --switch 1 --from 1 --to 2"), @"
    error: the argument '--switch <N>' cannot be used with:
      --from <S>
      --to <D>

    Usage: tvlb inspect --switch <N> <DIRECTORY>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("generate fabric.toml"), @"
    error: the following required arguments were not provided:
      --output <DIR>

    Usage: tvlb generate --output <DIR> <FABRIC>

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("paths fabric.toml --from 1"), @"
    error: the following required arguments were not provided:
      --to <D>

    Usage: tvlb paths --from <S> --to <D> <FABRIC>

    For more information, try '--help'.
    ");
}

#[test]
fn values_that_no_option_takes() {
    assert_snapshot!(misuse("topology fabric.toml --format png"), @"
    error: invalid value 'png' for '--format <FORMAT>'
      [possible values: summary, csv, dot, dot-switches]

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --switch -1"), @"
    error: invalid value '-1' for '--switch <N>': -1 is not in 0..=4294967295

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("inspect out --switch one"), @"
    error: invalid value 'one' for '--switch <N>': invalid digit found in string

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("generate fabric.toml -o out --threads 0"), @"
    error: invalid value '0' for '--threads <N>': 0 is not in 1..=1024

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("generate fabric.toml -o out --threads 100000000"), @"
    error: invalid value '100000000' for '--threads <N>': 100000000 is not in 1..=1024

    For more information, try '--help'.
    ");
    assert_snapshot!(misuse("polish out"), @"
    error: unrecognized subcommand 'polish'

    Usage: tvlb <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn sets_are_marked_where_they_are_wrong() {
    assert_snapshot!(error_of_set("--set", "60% 5-hops"), @"
    tvlb: --set: column 5: found `5-hops`, accepted `2-hop` to `6-hop`, `shapes:` or `only:` after a percentage
    60% 5-hops
        ^^^^^^
    ");
    assert_snapshot!(error_of_set("--set-ugal-l", "min, all"), @"
    tvlb: --set-ugal-l: column 1: found `min` with a weight or another term, but `min` (no VLB route) stands alone
    min, all
    ^^^
    ");
    assert_snapshot!(error_of_set("--set-par-source", "0.5% all"), @"
    tvlb: --set-par-source: column 1: percentage `0.5%`, but a percentage is 1 to 100 and has at most two decimals
    0.5% all
    ^^^
    ");
    assert_snapshot!(error_of_set("--set-par-second", ""), @"
    tvlb: --set-par-second: column 1: found the end, accepted `min`, `all`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`

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
    assert_snapshot!(scratch.refuses("inspect out --switch 36"), @"tvlb: --switch 36: there is no such switch; switches are 0 to 35");
    assert_snapshot!(scratch.refuses("inspect out --from 36 --to 0"), @"tvlb: --from 36: there is no such switch; switches are 0 to 35");
    assert_snapshot!(scratch.refuses("inspect out --from 0 --to 65536"), @"tvlb: --to 65536: there is no such switch; switches are 0 to 35");
    assert_snapshot!(scratch.refuses("paths fabric.toml --from 0 --to 36"), @"tvlb: --to 36: there is no such switch; switches are 0 to 35");
}
