//! `kill -9` at any moment: there is the whole old table set or the whole new one, and what was left
//! behind is gone after the next run.

use crate::scratch::{Scratch, TVLB};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Instant;

const SETS: [&str; 2] = ["shapes:011", "strategic-2-3 by shape"];

fn begin(scratch: &Scratch, set: &str) -> Child {
    let arguments = ["generate", "fabric.toml", "-o", "out", "--replace", "--quiet", "--set", set];
    scratch.command(TVLB).args(arguments).stderr(Stdio::null()).spawn().unwrap()
}

fn generate(scratch: &Scratch, set: &str) {
    assert!(begin(scratch, set).wait().unwrap().success());
}

/// The files of `out`, and how many directories there are besides it.
fn files(scratch: &Scratch) -> (BTreeMap<String, Vec<u8>>, usize) {
    let (set, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
        scratch.files().into_iter().partition(|(name, _)| name.starts_with("out/"));
    let others = rest.keys().filter(|name| name.matches('/').count() == 1 && name.ends_with('/'));
    (set, others.count())
}

#[test]
fn a_killed_run_leaves_a_whole_table_set() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let whole = SETS.map(|set| {
        generate(&scratch, set);
        files(&scratch).0
    });
    assert_ne!(whole[0], whole[1]);
    let begin_of_run = Instant::now();
    generate(&scratch, SETS[0]);
    let run = begin_of_run.elapsed();

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let (mut old, mut new, mut left) = (0, 0, 0);
    let mut there = 0;
    for number in 0..100 {
        let wanted = 1 - there;
        let mut child = begin(&scratch, SETS[wanted]);
        sleep(run.mul_f64(rng.random_range(0.0..1.2)));
        child.kill().unwrap();
        child.wait().unwrap();
        let (found, others) = files(&scratch);
        if found == whole[wanted] {
            new += 1;
            there = wanted;
        } else {
            assert!(found == whole[there], "after {number} kills the table set is in pieces");
            old += 1;
        }
        assert!(
            others <= 1,
            "one run left {others} directories, or did not remove an earlier one's"
        );
        left += others;
        // That what is there is whole is what the comparison says; now and then ask the judge too.
        if number % 10 == 0 {
            scratch.succeeds("verify out");
        }
    }
    // The moments have met both the work and what comes after it.
    assert!(old > 0 && new > 0 && left > 0, "{old} old, {new} new, {left} left something");
    generate(&scratch, SETS[1]);
    assert_eq!(scratch.names(), ["fabric.toml", "out"]);
    assert_eq!(files(&scratch), (whole[1].clone(), 0));
    println!("{old} kills left the old set, {new} the new one; {left} left a partial directory");
}
