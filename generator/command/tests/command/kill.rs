//! `kill -9` at any moment: there is the whole old table set or the whole new one, and what was left
//! behind is gone after the next run.

use crate::scratch::{Scratch, TVLB};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

const SETS: [&str; 2] = ["shapes:011", "strategic-2-3 by shape"];

/// The files of a table set and their bytes.
type TableSet = BTreeMap<String, Vec<u8>>;

/// What a run is seen to have done.
#[derive(Clone, Copy)]
enum Step {
    Started,
    /// At least so many images are in its own partial directory.
    Wrote(usize),
    /// The new table set is in its place.
    Replaced,
}

/// Of the 36 images of dfly(2,4,2,9).
const STEPS: [Step; 5] =
    [Step::Started, Step::Wrote(1), Step::Wrote(15), Step::Wrote(36), Step::Replaced];

/// The longest wait after a step, in microseconds.
const LITTLE_ON: u64 = 3000;

impl Step {
    /// Whether a run has come so far, which began beside these directories and this table set.
    fn is_reached(self, scratch: &Scratch, beside: &[String], old: &TableSet) -> bool {
        let manifest = "out/manifest.json";
        match self {
            Self::Started => true,
            Self::Wrote(least) => {
                let mut partial = scratch.names();
                partial.retain(|name| name.starts_with(".out.") && !beside.contains(name));
                let images = |name: &String| scratch.path(name).join("switches").read_dir();
                partial.iter().any(|name| images(name).is_ok_and(|files| files.count() >= least))
            }
            Self::Replaced => {
                fs::read(scratch.path(manifest)).is_ok_and(|new| new != old[manifest])
            }
        }
    }
}

fn begin(scratch: &Scratch, set: &str) -> Child {
    let arguments = ["generate", "fabric.toml", "-o", "out", "--replace", "--quiet", "--set", set];
    scratch.command(TVLB).args(arguments).stderr(Stdio::null()).spawn().unwrap()
}

fn generate(scratch: &Scratch, set: &str) {
    assert!(begin(scratch, set).wait().unwrap().success());
}

/// The files of `out`, and how many directories there are besides it.
fn files(scratch: &Scratch) -> (TableSet, usize) {
    let (set, rest): (TableSet, TableSet) =
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

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let (mut old, mut new, mut left) = (0, 0, 0);
    let mut there = 0;
    for number in 0..100 {
        let wanted = 1 - there;
        let mut child = begin(&scratch, SETS[wanted]);
        // How long a run takes depends on what else the machine does, so the moments are taken
        // from what is seen of it: up to a random step of the work, and a little on.
        let beside = scratch.names();
        let step = STEPS[number % STEPS.len()];
        while !step.is_reached(&scratch, &beside, &whole[there])
            && child.try_wait().unwrap().is_none()
        {
            sleep(Duration::from_micros(200));
        }
        sleep(Duration::from_micros(rng.random_range(0..LITTLE_ON)));
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
