//! Mutants of the switch images of updates. The record vouches for each of them, checksums are right, and
//! every second record counts what the images then say is lost.

use crate::mutation::damage::{KINDS, LEVEL, LEVELS, Mutator, PRESENCE, contents};
use crate::mutation::meaning::{Meaning, meaning};
use crate::mutation::mend::{Mended, mend};
use crate::mutation::{Base, FABRIC, Files, MANIFEST, Rng, bases, put};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use std::fs;
use tempfile::TempDir;
use tvlb_generator::faults::{UpdatedTables, update, write_update};
use tvlb_schema::{
    Decision, DrawRule, FabricImage, FaultSet, LocalLink, Nodes, PerDecision, ShapeSet, SwitchId,
    SwitchImage, encode_switch_image,
};
use tvlb_table_set::names::Names;
use tvlb_table_set::{FileEntry, TableSet, UPDATE_FILE, Update, UpdateRecord, switch_file};
use tvlb_verify::{VerifyError, VerifySettings, With, verify, verify_changes};

/// A table set in `tables`, and an update of it in `update`.
struct Case<'b> {
    base: &'b Base,
    home: TempDir,
    faults: FaultSet,
    /// The images that switches have with the update, and the table set's other files.
    files: Files,
    record: UpdateRecord,
    meaning: Meaning,
}

/// What is dead in the cases of each table set: nothing, a cable, or a switch, a link and a cable.
fn faults_of(fabric: &FabricImage<'_>, number: usize) -> FaultSet {
    let df = fabric.dragonfly();
    let mut cables = fabric.cables().map(|(low, _)| low);
    let low = df.switches().nth(1).unwrap();
    let high = df.indices(df.place(low).0).last().filter(|&high| high > df.place(low).1);
    let link = high.map(|high| LocalLink { low, high, number: 0 });
    match number {
        0 => FaultSet::default(),
        1 => FaultSet { cables: cables.nth(1).into_iter().collect(), ..FaultSet::default() },
        _ => FaultSet {
            switches: df.switches().last().into_iter().collect(),
            cables: cables.next().into_iter().collect(),
            local_links: link.into_iter().collect(),
            ..FaultSet::default()
        },
    }
}

impl<'b> Case<'b> {
    fn new(base: &'b Base, number: usize) -> Self {
        let home = tempfile::tempdir().unwrap();
        let [tables, output] = ["tables", "update"].map(|name| home.path().join(name));
        fs::create_dir_all(tables.join("switches")).unwrap();
        put(&tables, &Files::new(), &base.files);
        let set = TableSet::open(&tables).unwrap();
        let plan = FabricImage::decode(&base.files[FABRIC]).unwrap();
        let faults = faults_of(&plan, number);
        let planned = images(&base.files, &plan).unwrap();
        let made =
            update((&plan, &Nodes::from(plan.dragonfly())), &planned, (1, &faults), &()).unwrap();
        let named =
            UpdatedTables { set: &set, plan: &plan, names: &Names::default(), restored: &[] };
        let record = write_update(&output, &named, (1, &faults), &made, &()).unwrap().update;
        fs::create_dir_all(output.join("switches")).unwrap();
        let mut files = base.files.clone();
        files.extend(made.switches.into_iter().map(|(switch, bytes)| (switch_file(switch), bytes)));
        let meaning = meaning(&files, false);
        Self { base, home, faults, files, record, meaning }
    }

    /// How many pairs that live have lost their last route of a set by these images, if it is drawn by shape.
    fn lost(&self, files: &Files) -> Option<PerDecision<u64>> {
        let plan = FabricImage::decode(&self.base.files[FABRIC]).unwrap();
        let (old, new) = (images(&self.base.files, &plan)?, images(files, &plan)?);
        let df = plan.dragonfly();
        let lives = |switch: &SwitchId| !self.faults.switches.contains(switch);
        Some(PerDecision::from_fn(|decision| {
            let pairs = old.iter().zip(&new).filter(|(old, _)| lives(&old.switch()));
            let lost = pairs.map(|(old, new)| {
                let (old_set, set) = (old.set(decision), new.set(decision));
                let others = df.switches().filter(|&to| df.place(to).0 != old.group());
                let is_lost = |to: &SwitchId| {
                    !old_set.shapes_to(*to).is_empty() && set.shapes_to(*to).is_empty()
                };
                others.filter(lives).filter(is_lost).count() as u64
            });
            match old[0].set(decision).rule().draw {
                DrawRule::ByShape { .. } => lost.sum(),
                _ => *self.record.lost.sets.get(decision),
            }
        }))
    }

    /// Puts images into the update that switches would then have, verifies in every way, and puts back what
    /// was there. Returns whether any passes, where they must mean the same.
    fn look(&self, what: &str, mut files: Files, recount: bool) -> bool {
        mend(&mut files, Mended::Identity);
        files.insert(MANIFEST.to_owned(), self.base.files[MANIFEST].clone());
        let changed: Files = files
            .iter()
            .filter(|(name, bytes)| self.files[*name] != **bytes)
            .map(|(name, bytes)| (name.clone(), bytes.clone()))
            .collect();
        assert!(!changed.contains_key(FABRIC), "{what}");
        let mut record = self.record.clone();
        for (name, bytes) in &changed {
            record.files.retain(|entry| entry.path != *name);
            record.files.push(FileEntry::of(name.clone(), bytes));
        }
        if let (true, Some(lost)) = (recount, self.lost(&files)) {
            record.lost.sets = lost;
        }
        let [tables, update] = ["tables", "update"].map(|name| self.home.path().join(name));
        put(&update, &Files::new(), &changed);
        fs::write(update.join(UPDATE_FILE), record.to_json()).unwrap();
        let whole = |most_walks| {
            let settings = VerifySettings { most_walks, seed: 1 };
            let with = With { update: Some(&update), ..With::default() };
            verify(&tables, with, settings, &()).map(|_| ())
        };
        let changes = || {
            let set = TableSet::open(&tables)?;
            verify_changes(&set, &Update::open(&update, &set)?, &()).map(|_| ())
        };
        let found: [(&str, Result<(), VerifyError>); 3] =
            [("whole", whole(u64::MAX)), ("sampled", whole(20)), ("changes only", changes())];
        let mut passes = false;
        for (way, found) in found {
            match found {
                Ok(()) => {
                    assert_eq!(meaning(&files, false), self.meaning, "{what} passes, {way}");
                    passes = true;
                }
                Err(error) => assert!(error.is_finding(), "{what}, {way}: {error}"),
            }
        }
        for name in changed.keys() {
            if self.record.files.iter().any(|entry| entry.path == *name) {
                fs::write(update.join(name), &self.files[name]).unwrap();
            } else {
                fs::remove_file(update.join(name)).unwrap();
            }
        }
        fs::write(update.join(UPDATE_FILE), self.record.to_json()).unwrap();
        passes
    }

    /// The images in which one switch has routes of these shapes to another one.
    fn with_shapes(&self, from: SwitchId, to: SwitchId, shapes: ShapeSet) -> Files {
        let plan = FabricImage::decode(&self.base.files[FABRIC]).unwrap();
        let name = switch_file(from);
        let mut contents = contents(&SwitchImage::decode(&self.files[&name], &plan).unwrap());
        for set in &mut contents.sets {
            set.shapes_to[to.as_usize()] = shapes;
        }
        let mut files = self.files.clone();
        files.insert(name, encode_switch_image(&plan, &contents));
        files
    }
}

/// The switch images, if all can be decoded.
fn images<'f>(files: &'f Files, plan: &FabricImage<'f>) -> Option<Vec<SwitchImage<'f>>> {
    let of = |switch| SwitchImage::decode(&files[&switch_file(switch)], plan).ok();
    plan.dragonfly().switches().map(of).collect()
}

fn cases(bases: &[Base]) -> Vec<Case<'_>> {
    bases.iter().flat_map(|base| (0..3).map(move |number| Case::new(base, number))).collect()
}

/// The kinds of damage that change switch images and leave each in its place.
fn kinds() -> Vec<(&'static str, Mutator)> {
    let of_switches =
        |(name, _): &(&str, Mutator)| !name.contains("manifest") && !name.contains("missing");
    KINDS.into_iter().filter(of_switches).collect()
}

fn try_mutants(count: usize) {
    let bases = bases();
    let (cases, kinds) = (cases(&bases), kinds());
    let mut rng = Rng::seed_from_u64(21);
    let (mut passed, mut of_presence) = (0, 0);
    for number in 0..count {
        // Presence is what the images of an update may change: every second mutant is of it.
        let presence = kinds.iter().find(|(kind, _)| *kind == PRESENCE).unwrap();
        let &(kind, mutator) =
            if number % 2 == 0 { presence } else { kinds.choose(&mut rng).unwrap() };
        let fits = |case: &&Case<'_>| {
            (kind != PRESENCE || case.base.by_shape)
                && (![LEVEL, LEVELS].contains(&kind) || !case.base.has_no_levels)
        };
        let fitting: Vec<&Case<'_>> = cases.iter().filter(fits).collect();
        let case = *fitting.choose(&mut rng).unwrap();
        let mut files = case.files.clone();
        while files == case.files {
            mutator(&mut files, case.base, &mut rng);
            files.insert(FABRIC.to_owned(), case.base.files[FABRIC].clone());
        }
        let passes = case.look(&format!("mutant {number} ({kind})"), files, rng.random_bool(0.5));
        passed += usize::from(passes);
        of_presence += usize::from(kind == PRESENCE);
    }
    println!("{count} mutants, {of_presence} of presence; {passed} pass, which mean the same");
}

#[test]
fn no_mutant_of_an_update_passes_that_means_something_else() {
    try_mutants(200);
}

#[test]
#[ignore = "takes minutes: for the figure in docs/measurements/verify.md"]
fn of_ten_thousand_mutants_of_updates_none_passes_that_means_something_else() {
    try_mutants(10_000);
}

/// An image that denies the routes to one switch, where nothing is dead, where what is dead is elsewhere, and
/// where its own switch or the other one is dead.
#[test]
fn an_image_that_denies_what_no_fault_concerns_is_found() {
    let bases = bases();
    let base = &bases[1];
    for number in 0..3 {
        let case = Case::new(base, number);
        let plan = FabricImage::decode(&base.files[FABRIC]).unwrap();
        let planned = images(&base.files, &plan).unwrap();
        let df = plan.dragonfly();
        let last = df.switches().last().unwrap();
        let (mut tried, others) = (0, [SwitchId(0), SwitchId(1), SwitchId(5), last]);
        for from in &planned {
            for to in others.into_iter().filter(|&to| df.place(to).0 != from.group()) {
                let said = from.set(Decision::UgalL).shapes_to(to);
                let fewer: ShapeSet = said.iter().skip(1).collect();
                for shapes in [ShapeSet::EMPTY, fewer] {
                    let files = case.with_shapes(from.switch(), to, shapes);
                    if files == case.files {
                        continue;
                    }
                    let what = format!("case {number}, from {} to {to}", from.switch());
                    assert!(!case.look(&what, files, true), "{what}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 40, "{tried}");
    }
}
