//! Tests of results that are kept, and of claims on them.

use super::super::claims::{claim_text, locked, renew};
use super::*;
use proptest::prelude::*;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

type Value = (bool, Vec<f64>);

fn one(home: &tempfile::TempDir) -> Runs {
    Runs::open(home.path().join("runs"), "one").unwrap()
}

/// Another process with the same directory, which takes claims over after so long.
fn with_patience(home: &tempfile::TempDir, stale: Duration) -> Runs {
    let mut runs = one(home);
    runs.claims.stale = stale;
    runs
}

fn claimed(runs: &Runs, key: &str) -> Claim {
    match runs.claim::<Value>(key).unwrap() {
        Turn::Ours(claim) => claim,
        other => panic!("{other:?}"),
    }
}

/// How many files are in the folders of the directory.
fn files(runs: &Runs) -> usize {
    let folders = fs::read_dir(&runs.directory).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir());
    folders.map(|folder| fs::read_dir(folder).unwrap().count()).sum()
}

#[test]
fn what_is_kept_comes_back_bit_for_bit_and_to_its_subject_alone() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    assert!(!runs.contains("first") && runs.get::<Value>("first").unwrap().is_none());
    assert!(!runs.directory.exists(), "looking makes no directory");
    let value = (true, vec![0.1 + 0.2, 1.0 / 3.0]);
    runs.put("first", &value).unwrap();
    let again = one(&home);
    assert!(again.contains("first") && !again.contains("second"));
    assert_eq!(again.get::<Value>("first").unwrap(), Some(value));
    assert_eq!(count(&runs.directory), 1);
    let path = &runs.directory;
    let other = Runs::open(path, "two");
    assert!(matches!(other, Err(StoreError::Other { .. })), "{other:?}");
    fs::write(path.join(SUBJECT_FILE), "").unwrap();
    let damaged = Runs::open(path, "one");
    assert!(matches!(damaged, Err(StoreError::Other { .. })), "{damaged:?}");
    let no_directory = Runs::open(path.join(SUBJECT_FILE), "one");
    assert!(matches!(no_directory, Err(StoreError::Io { .. })), "{no_directory:?}");
}

/// Both see a directory that is nobody's; one of them gets it.
#[test]
fn of_two_subjects_at_once_one_is_served() {
    for round in 0..50 {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("runs");
        let subjects = ["one", "two"].map(|subject| Runs::open(&path, subject).unwrap());
        let both = Barrier::new(2);
        let begin = |runs: &Runs| {
            both.wait();
            // Before anything is made, or with the first result.
            if round % 2 == 0 { runs.own() } else { runs.claim::<Value>("run").map(drop) }
        };
        let [one, two] = thread::scope(|scope| {
            let both = subjects.each_ref().map(|runs| scope.spawn(|| begin(runs)));
            both.map(|one| one.join().unwrap())
        });
        assert_ne!(one.is_ok(), two.is_ok(), "{one:?} {two:?}");
        let refused = one.and(two).unwrap_err();
        assert!(matches!(refused, StoreError::Other { .. }), "{refused}");
    }
}

#[test]
fn results_without_a_subject_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let (runs, early) = (one(&home), one(&home));
    runs.put("run", &1).unwrap();
    fs::remove_file(runs.directory.join(SUBJECT_FILE)).unwrap();
    for refused in [Runs::open(&runs.directory, "one").map(drop), early.put("run", &1)] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, StoreError::NoSubject { .. }), "{refused}");
        let says = "runs: it has results, but no file `subject` that says which work they belong to, so none is used; ";
        assert!(refused.to_string().contains(says), "{refused}");
    }
    assert!(!runs.directory.join(SUBJECT_FILE).exists());
}

#[test]
fn a_result_of_another_subject_is_never_taken() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    let other = Runs::open(home.path().join("other"), "two").unwrap();
    other.put("run", &2).unwrap();
    let ([from, to], own) = ([&other, &runs].map(|runs| runs.place("run").path), runs.own());
    own.unwrap();
    // As it was called there, and as it would be called here.
    let same_name = runs.directory.join(from.strip_prefix(&other.directory).unwrap());
    for to in [&same_name, &to] {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&from, to).unwrap();
        let found = runs.get::<u32>("run");
        assert!(matches!(found, Ok(None) | Err(StoreError::Other { .. })), "{found:?}");
    }
}

#[test]
fn a_result_under_the_name_of_another_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    runs.put(&0.1, &1).unwrap();
    runs.put(&0.2, &2).unwrap();
    fs::copy(runs.place(&0.1).path, runs.place(&0.2).path).unwrap();
    let found = runs.get::<u32>(&0.2);
    assert!(matches!(found, Err(StoreError::Other { .. })), "{found:?}");
}

#[test]
fn a_damaged_result_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    runs.put("run", &1).unwrap();
    let path = runs.place("run").path;
    let whole = fs::read(&path).unwrap();
    let refused = || runs.get::<u32>("run").unwrap_err();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(refused(), StoreError::Damaged { .. }), "{length}");
    }
    runs.put("run", &"one").unwrap();
    assert!(refused().to_string().contains("invalid type: string \"one\""), "{}", refused());
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let error = refused().to_string();
    assert!(error.contains("found 1099511627776 bytes, accepted at most 1048576"), "{error}");
}

proptest! {
    /// A changed byte is never taken for a result.
    #[test]
    fn a_changed_byte_is_refused(position: prop::sample::Index, change in 1..=u8::MAX) {
        let home = tempfile::tempdir().unwrap();
        let runs = one(&home);
        runs.put("run", &(true, vec![1.0 / 3.0])).unwrap();
        let path = runs.place("run").path;
        let mut bytes = fs::read(&path).unwrap();
        let position = position.index(bytes.len());
        bytes[position] ^= change;
        fs::write(&path, &bytes).unwrap();
        let error = runs.get::<Value>("run").unwrap_err();
        prop_assert!(matches!(error, StoreError::Damaged { .. }), "{}", error);
    }

    /// Content with a right hash that was never written by us ends in an error or in a result, and never
    /// takes more memory than the limit.
    #[test]
    fn no_content_makes_the_decoder_fail_badly(
        content in prop::collection::vec(any::<u8>(), 0..200)
    ) {
        let bytes = [LABEL, &content].concat();
        let _ = decode(&[&bytes[..], &Sha256::digest(&bytes)].concat());
    }
}

#[test]
fn each_result_is_made_by_one_and_known_to_all() {
    let home = tempfile::tempdir().unwrap();
    let all = [0, 1, 2].map(|_| one(&home));
    let claims = [claimed(&all[0], "first"), claimed(&all[1], "second")];
    for (number, key) in [(1, "first"), (2, "first"), (0, "second"), (1, "second")] {
        let turn = all[number].claim::<Value>(key).unwrap();
        assert!(matches!(turn, Turn::Theirs), "{number}, {key}");
    }
    let value = (true, vec![0.1 + 0.2, 1.0 / 3.0]);
    for ((runs, key), claim) in all.iter().zip(["first", "second"]).zip(claims) {
        runs.put(key, &value).unwrap();
        drop(claim);
    }
    for runs in &all {
        for key in ["first", "second"] {
            match runs.claim::<Value>(key).unwrap() {
                Turn::Kept(found) => assert_eq!(found, value),
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(count(&all[0].directory), 2);
    // The two results, and no claim.
    assert_eq!(files(&all[0]), 2);
}

#[test]
fn a_claim_that_is_given_up_is_free() {
    let home = tempfile::tempdir().unwrap();
    let [one, other] = [0, 1].map(|_| one(&home));
    drop(claimed(&one, "run"));
    drop(claimed(&other, "run"));
    assert_eq!(files(&one), 0);
}

/// Another process has made the result, and given its claim up, since this one looked for it.
#[test]
fn a_result_that_was_made_before_the_claim_is_not_made_again() {
    let home = tempfile::tempdir().unwrap();
    let [one, other] = [0, 1].map(|_| one(&home));
    let claim = claimed(&other, "run");
    other.put("run", &(true, vec![0.5])).unwrap();
    drop(claim);
    let turn = one.claim_unseen::<Value>(&one.place("run")).unwrap();
    assert!(matches!(turn, Turn::Kept((true, _))), "{turn:?}");
    assert_eq!(files(&one), 1, "the claim is given up");
}

/// A claim is renewed from when it is made until it is given up, so that one that others then have is left to them.
#[test]
fn the_claims_that_are_held_are_those_that_are_renewed() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    let [first, second] = ["first", "second"].map(|key| claimed(&runs, key));
    let held = Arc::clone(&first.held);
    let renewed = || locked(&held.paths).clone();
    assert_eq!(renewed(), [&first, &second].map(|claim| claim.path.clone()).into());
    drop(first);
    assert_eq!(renewed(), [second.path.clone()].into());
    drop(second);
    assert!(renewed().is_empty());
}

#[test]
fn the_claim_of_a_process_that_died_is_taken_over() {
    let home = tempfile::tempdir().unwrap();
    let [dead, alive] = [0, 1].map(|_| with_patience(&home, Duration::from_millis(50)));
    // Neither renewed nor given up, as where a process is killed.
    let claim = claimed(&dead, "run");
    drop(locked(&dead.claims.renewal).take());
    assert!(matches!(alive.claim::<Value>("run").unwrap(), Turn::Theirs));
    thread::sleep(Duration::from_millis(60));
    // It is removed, and then free.
    assert!(matches!(alive.claim::<Value>("run").unwrap(), Turn::Theirs));
    let taken = claimed(&alive, "run");
    // The first process was not dead, but slow: both write the same.
    for (runs, claim) in [(&dead, claim), (&alive, taken)] {
        runs.put("run", &(true, Vec::<f64>::new())).unwrap();
        drop(claim);
    }
    assert_eq!(count(&alive.directory), 1);
}

#[test]
fn a_claim_that_is_renewed_is_not_taken_over() {
    let home = tempfile::tempdir().unwrap();
    let [slow, other] = [0, 1].map(|_| with_patience(&home, Duration::from_millis(50)));
    let claim = claimed(&slow, "run");
    let Claim { path, held } = &claim;
    for count in 1..6 {
        assert!(matches!(other.claim::<Value>("run").unwrap(), Turn::Theirs));
        renew(path, held.owner, count);
        thread::sleep(Duration::from_millis(30));
    }
    assert!(path.exists());
    // The claim of another is not renewed.
    fs::write(path, claim_text(!held.owner, 0)).unwrap();
    renew(path, held.owner, 9);
    assert_eq!(fs::read_to_string(path).unwrap(), claim_text(!held.owner, 0));
}

/// The hash is right, and there is more than a name and a value.
#[test]
fn a_result_that_goes_on_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    runs.put("run", &1).unwrap();
    let path = runs.place("run").path;
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - DIGEST);
    bytes.push(0);
    fs::write(&path, [&bytes[..], &Sha256::digest(&bytes)].concat()).unwrap();
    let error = runs.get::<u32>("run").unwrap_err().to_string();
    assert!(error.contains("bytes follow its content"), "{error}");
}

#[test]
fn a_claim_that_was_renewed_before_its_process_died_is_taken_over() {
    let home = tempfile::tempdir().unwrap();
    let [dead, alive] = [0, 1].map(|_| with_patience(&home, Duration::from_millis(50)));
    let claim = claimed(&dead, "run");
    drop(locked(&dead.claims.renewal).take());
    assert!(matches!(alive.claim::<Value>("run").unwrap(), Turn::Theirs));
    renew(&claim.path, claim.held.owner, 1);
    // It is seen with what stands in it now, is removed, and is then free.
    for _ in 0..2 {
        assert!(matches!(alive.claim::<Value>("run").unwrap(), Turn::Theirs));
        thread::sleep(Duration::from_millis(60));
    }
    drop(claimed(&alive, "run"));
}

#[test]
fn who_claims_a_result_goes_on_saying_so() {
    let home = tempfile::tempdir().unwrap();
    let runs = one(&home);
    assert!(locked(&runs.claims.renewal).is_none());
    let claim = claimed(&runs, "run");
    assert!(locked(&runs.claims.renewal).is_some());
    drop(claim);
}
