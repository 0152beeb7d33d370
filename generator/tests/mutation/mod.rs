//! Mutants of table sets: damage of every kind, some of it mended so that it is not found by a
//! checksum. None may pass `verify` unless it means the same.
//!
//! Half of the mutants are left as they are. Of the others the manifest vouches for what is there,
//! or checksums are right as well, or even the identity of the fabric in every image: then only what
//! the bytes mean can give them away. Of every second mutant only a sample of the paths is walked. `cargo test --release -p tvlb-generator --test all mutation --
//! --ignored --nocapture` tries ten thousand and prints the figures.

mod damage;
mod meaning;
mod mend;
mod updates;

use damage::{KINDS, LEVEL, LEVELS, PRESENCE};
use meaning::meaning;
use mend::{Mended, mend};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::{Levels, Policy};
use tvlb_generator::tables::tables_of;
use tvlb_schema::Level;
use tvlb_table_set::ReadError;
use tvlb_verify::{VerifyError, VerifySettings, verify_tables};

type Rng = Xoshiro256PlusPlus;
/// Files by their paths in the directory.
type Files = BTreeMap<String, Vec<u8>>;

const MANIFEST: &str = "manifest.json";
const FABRIC: &str = "fabric.tvlb";

/// A table set to be damaged, and others to take parts from.
struct Base {
    files: Files,
    /// Its sets are drawn by shape, all or some.
    by_shape: bool,
    /// Its sets are of intermediate switches or conventional, which no switch can thin.
    has_no_levels: bool,
    another_set: Files,
    another_fabric: Files,
}

/// Levels for every switch, by a seeded hand: about a third of the ports are thinned.
fn any_levels(df: &tvlb_schema::Dragonfly) -> Levels {
    let mut rng = Rng::seed_from_u64(3);
    let mut level = || {
        let number = if rng.random_bool(0.35) { rng.random_range(3..=15) } else { 15 };
        Level::new(number).unwrap()
    };
    let mut of_switch = |_| (0..df.ports_per_group()).map(|_| level()).collect();
    df.switches().map(&mut of_switch).collect()
}

fn table_set(text: &str, thinned: bool) -> Files {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("fabric.toml");
    fs::write(&path, text).unwrap();
    let fabric = Fabric::load(&path).unwrap();
    let levels = if thinned { any_levels(fabric.topology.dragonfly()) } else { Levels::default() };
    let policies = fabric.file.policies.given().unwrap();
    let policies = policies.map(|policy| Policy { levels: levels.clone(), ..policy.clone() });
    let generated = tables_of(&fabric, &policies, &()).unwrap();
    let files = generated.files();
    files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.into_owned())).collect()
}

fn bases() -> Vec<Base> {
    let fabric = |[p, a, h, g]: [u32; 4], routing: &str, thinned| {
        let text = format!(
            "name = \"base\"\n[dragonfly]\np = {p}\na = {a}\nh = {h}\ng = {g}\n[routing]\n{routing}"
        );
        table_set(&text, thinned)
    };
    let set = |set: &str| format!("set = \"{set}\"\n");
    [
        ([1, 2, 1, 3], set("shapes:011"), set("shapes:110"), false),
        ([2, 3, 2, 4], set("strategic-2-3 by shape"), set("3*4-hop, only:111 by shape"), false),
        (
            [1, 4, 1, 5],
            format!("{}virtual-channels = \"per-hop\"\n", set("30% shapes:121")),
            format!("{}virtual-channels = \"per-hop\"\n", set("31% shapes:121")),
            false,
        ),
        (
            [1, 3, 2, 5],
            "virtual-channels = \"positional\"\n[routing.set]\nugal-l = \"shapes:011\"\n\
             par-source = \"40% shapes:121 by shape\"\npar-second = \"min\"\n"
                .to_owned(),
            format!("virtual-channels = \"positional\"\n{}", set("shapes:011")),
            false,
        ),
        (
            [1, 3, 2, 5],
            format!("second-min = \"shortest\"\n{}", set("switches:2-3 with returns")),
            format!("second-min = \"any\"\n{}", set("switches:2-3")),
            false,
        ),
        ([1, 3, 2, 5], set("conventional"), set("shapes:121"), false),
        ([1, 3, 2, 6], set("shapes:121"), set("shapes:120"), true),
        // An odd number of ports: one of the fabric has no cable.
        ([1, 3, 1, 3], set("shapes:121 by shape"), set("shapes:120 by shape"), true),
        ([1, 4, 2, 5], set("60% shapes:121 by shape"), set("60% shapes:120 by shape"), true),
    ]
    .into_iter()
    .map(|(sizes, own, other, thinned)| {
        let [p, a, h, g] = sizes;
        Base {
            files: fabric(sizes, &own, thinned),
            by_shape: own.contains("by shape"),
            has_no_levels: own.contains("switches:") || own.contains("conventional"),
            another_set: fabric(sizes, &other, thinned),
            another_fabric: fabric([p + 1, a, h, g], &own, thinned),
        }
    })
    .collect()
}

fn caught_by(error: &VerifyError) -> &'static str {
    match error {
        VerifyError::Read(ReadError::Length { .. } | ReadError::Hash { .. }) => "length or hash",
        VerifyError::Read(ReadError::Io { .. }) | VerifyError::Stranger { .. } => {
            "missing, too many"
        }
        VerifyError::Read(_) => "manifest",
        VerifyError::Image { .. } => "image format",
        VerifyError::Claim { .. } => "claims",
        VerifyError::Place { .. } | VerifyError::Wiring { .. } => "wiring, sets",
        VerifyError::Unreachable { .. } | VerifyError::Path { .. } | VerifyError::Asked { .. } => {
            "paths"
        }
        VerifyError::Cycle { .. } => "cycle",
        other => panic!("{other}"),
    }
}

const CAUGHT_BY: [&str; 8] = [
    "missing, too many",
    "length or hash",
    "manifest",
    "image format",
    "claims",
    "wiring, sets",
    "paths",
    "cycle",
];

/// Makes the files in a directory what they are to be, given what they are.
fn put(directory: &Path, now: &Files, then: &Files) {
    for name in now.keys().filter(|name| !then.contains_key(*name)) {
        fs::remove_file(directory.join(name)).unwrap();
    }
    for (name, bytes) in then.iter().filter(|(name, bytes)| now.get(*name) != Some(bytes)) {
        fs::write(directory.join(name), bytes).unwrap();
    }
}

/// Tries so many mutants; a table of what became of them.
fn try_mutants(count: u32) -> String {
    let bases = bases();
    let home = tempfile::tempdir().unwrap();
    let mut rng = Rng::seed_from_u64(20);
    // By kind: tried, mended, the same meaning; and by what caught.
    let mut tried = BTreeMap::<&str, [u32; 3]>::new();
    let mut caught = BTreeMap::<(&str, &str), u32>::new();
    let mut directories: Vec<Files> = Vec::new();
    for (number, base) in bases.iter().enumerate() {
        fs::create_dir_all(home.path().join(format!("{number}/switches"))).unwrap();
        put(&home.path().join(number.to_string()), &Files::new(), &base.files);
        directories.push(base.files.clone());
    }
    for number in 0..count {
        let (kind, mutator) = KINDS[number as usize % KINDS.len()];
        let mut which = rng.random_range(0..bases.len());
        while kind == PRESENCE && !bases[which].by_shape
            || [LEVEL, LEVELS].contains(&kind) && bases[which].has_no_levels
        {
            which = rng.random_range(0..bases.len());
        }
        let base = &bases[which];
        // Every second time one pair of each source switch is looked at instead of all.
        let sampled = rng.random_bool(0.5);
        let settings = VerifySettings { most_walks: if sampled { 20 } else { u64::MAX }, seed: 1 };
        let mut files = base.files.clone();
        while files == base.files {
            mutator(&mut files, base, &mut rng);
        }
        let mended = if [LEVEL, LEVELS, PRESENCE].contains(&kind) {
            // What nothing but a digest or a search can tell.
            Mended::Identity
        } else if rng.random_bool(0.5) {
            Mended::Not
        } else {
            *[Mended::Hashes, Mended::Checksums, Mended::Identity].choose(&mut rng).unwrap()
        };
        mend(&mut files, mended);
        let directory = home.path().join(which.to_string());
        put(&directory, &directories[which], &files);
        directories[which].clone_from(&files);
        let [all, with_mending, same] = tried.entry(kind).or_default();
        *all += 1;
        *with_mending += u32::from(mended != Mended::Not);
        match verify_tables(&directory, settings, &()) {
            Ok(_) => {
                *same += 1;
                let (found, expected) = (meaning(&files, sampled), meaning(&base.files, sampled));
                assert_eq!(found, expected, "mutant {number} ({kind}, {sampled}) passes");
            }
            Err(error) => {
                assert!(error.is_finding(), "mutant {number} ({kind}): {error}");
                *caught.entry((kind, caught_by(&error))).or_default() += 1;
            }
        }
    }
    table(&tried, &caught)
}

fn table(tried: &BTreeMap<&str, [u32; 3]>, caught: &BTreeMap<(&str, &str), u32>) -> String {
    let mut lines =
        vec![format!("| damage | tried | mended | {} | the same |", CAUGHT_BY.join(" | "))];
    lines.push("|---|".to_owned() + &"---|".repeat(CAUGHT_BY.len() + 3));
    let mut sums = [0; 3 + CAUGHT_BY.len()];
    for (kind, _) in KINDS {
        let [all, mended, same] = tried[kind];
        let by = CAUGHT_BY.map(|by| caught.get(&(kind, by)).copied().unwrap_or(0));
        let row: Vec<u32> = [all, mended].into_iter().chain(by).chain([same]).collect();
        for (sum, number) in sums.iter_mut().zip(&row) {
            *sum += number;
        }
        let row: Vec<String> = row.iter().map(ToString::to_string).collect();
        lines.push(format!("| {kind} | {} |", row.join(" | ")));
    }
    let row: Vec<String> = sums.iter().map(ToString::to_string).collect();
    lines.push(format!("| all | {} |", row.join(" | ")));
    lines.join("\n")
}

#[test]
fn no_mutant_passes_that_means_something_else() {
    println!("{}", try_mutants(900));
}

#[test]
#[ignore = "takes a minute: for the figures in docs/measurements/verify.md"]
fn of_ten_thousand_mutants_none_passes_that_means_something_else() {
    println!("{}", try_mutants(10_000));
}
