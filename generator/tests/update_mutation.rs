//! Mutants of updates: every field of a fault image and of an update's record by itself, changed in every way
//! that is little. `verify` finds each of them, whether it looks at all or at changes alone.
//!
//! The record vouches for a fault image that was changed, and the checksum of the image is right, so that
//! only what it says can give it away. Bits are flipped besides, with and without that.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::faults::{UpdatedTables, update, write_update};
use tvlb_generator::tables::tables_of;
use tvlb_schema::{
    Dragonfly, End, FabricImage, FaultSet, LocalLink, Nodes, SwitchId, SwitchImage,
    encode_fault_image,
};
use tvlb_table_set::names::Names;
use tvlb_table_set::{
    Existing, FAULTS_FILE, FileEntry, REPORT_FILE, TableSet, UPDATE_FILE, Update, WriteError, write,
};
use tvlb_verify::{VerifyError, VerifySettings, With, verify, verify_changes};

/// A table set, an update of it, and what the update says is dead.
struct Case {
    home: TempDir,
    fabric_image: Vec<u8>,
    dragonfly: Dragonfly,
    cables: Vec<End>,
    faults: FaultSet,
    /// The bytes of the fault image and of the record as they were written.
    written: [Vec<u8>; 2],
}

const EPOCH: u32 = 7;

impl Case {
    /// Of a fabric of this size and set, the number of cables and switches that are dead, and whether a
    /// link within a group is.
    fn new(sizes: [u32; 4], set: &str, (cables, switches, link): (usize, u16, bool)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let [p, a, h, g] = sizes;
        let text = format!(
            "name = \"base\"\n[dragonfly]\np = {p}\na = {a}\nh = {h}\ng = {g}\n[routing]\nset = \"{set}\"\n"
        );
        let path = home.path().join("fabric.toml");
        fs::write(&path, text).unwrap();
        let fabric = Fabric::load(&path).unwrap();
        let policies = fabric.file.policies.given().unwrap();
        let generated = tables_of(&fabric, &policies, &()).unwrap();
        let files = generated.files();
        let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
        let seal = |_: &Path| Ok::<_, WriteError>((REPORT_FILE, Vec::new()));
        write(&home.path().join("tables"), contents, Existing::Refuse, &(), seal).unwrap();

        let df = *fabric.topology.dragonfly();
        let all: Vec<End> = fabric.topology.cables().iter().map(|cable| cable.low).collect();
        let low = df.switches().nth(1).unwrap();
        let high = df.indices(df.place(low).0).last().unwrap();
        let faults = FaultSet {
            // From the end of the list, so that they are not those of the switches.
            switches: df.switches().take(switches.into()).collect(),
            cables: all.iter().rev().step_by(3).take(cables).copied().collect(),
            local_links: link.then_some(LocalLink { low, high, number: 0 }).into_iter().collect(),
            ..FaultSet::default()
        };
        let set = TableSet::open(&home.path().join("tables")).unwrap();
        let fabric_image = set.fabric_image().unwrap();
        let plan = FabricImage::decode(&fabric_image).unwrap();
        let images = set.switch_images(df.switches()).unwrap();
        let decoded: Vec<_> =
            images.iter().map(|bytes| SwitchImage::decode(bytes, &plan).unwrap()).collect();
        let made = update((&plan, &Nodes::from(plan.dragonfly())), &decoded, (EPOCH, &faults), &())
            .unwrap();
        let tables =
            UpdatedTables { set: &set, plan: &plan, names: &Names::default(), restored: &[] };
        let output = home.path().join("update");
        write_update(&output, &tables, (EPOCH, &faults), &made, &()).unwrap();
        let written = [FAULTS_FILE, UPDATE_FILE].map(|name| fs::read(output.join(name)).unwrap());
        Self { home, fabric_image, dragonfly: df, cables: all, faults, written }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join("update").join(name)
    }

    /// What both ways of looking find.
    fn verify(&self) -> [Result<(), VerifyError>; 2] {
        let (tables, update) = (self.home.path().join("tables"), self.home.path().join("update"));
        let settings = VerifySettings { most_walks: u64::MAX, seed: 1 };
        let with = With { update: Some(&update), ..With::default() };
        let whole = verify(&tables, with, settings, &()).map(|_| ());
        let set = TableSet::open(&tables).unwrap();
        let changes = Update::open(&update, &set).map_err(VerifyError::from);
        let changes = changes.and_then(|update| verify_changes(&set, &update, &()).map(|_| ()));
        [whole, changes]
    }

    /// Puts this fault image and record into the update, looks, and puts back what was there.
    fn finds(&self, what: &str, image: &[u8], record: &[u8]) {
        assert!(image != self.written[0] || record != self.written[1], "{what}: nothing changed");
        fs::write(self.path(FAULTS_FILE), image).unwrap();
        fs::write(self.path(UPDATE_FILE), record).unwrap();
        for (found, mode) in self.verify().into_iter().zip(["whole", "changes only"]) {
            match found {
                Ok(()) => panic!("{what} passes, {mode}"),
                Err(error) => assert!(error.is_finding(), "{what}, {mode}: {error}"),
            }
        }
        fs::write(self.path(FAULTS_FILE), &self.written[0]).unwrap();
        fs::write(self.path(UPDATE_FILE), &self.written[1]).unwrap();
    }

    /// The record, where it vouches for this fault image.
    fn vouching(&self, image: &[u8]) -> Vec<u8> {
        let mut record: Value = serde_json::from_slice(&self.written[1]).unwrap();
        assert_eq!(record["files"][0]["path"], FAULTS_FILE);
        let entry = FileEntry::of(FAULTS_FILE.to_owned(), image);
        record["files"][0] = serde_json::to_value(entry).unwrap();
        serde_json::to_vec(&record).unwrap()
    }

    /// Looks at fault images that say that other parts are dead.
    fn try_meanings(&self) -> usize {
        let plan = FabricImage::decode(&self.fabric_image).unwrap();
        let mut mutants = vec![];
        for epoch in [0, EPOCH - 1, EPOCH + 1, u32::MAX] {
            mutants.push((format!("epoch {epoch}"), epoch, self.faults.clone()));
        }
        let mut toggle = |what: String, change: &dyn Fn(&mut FaultSet)| {
            let mut faults = self.faults.clone();
            change(&mut faults);
            mutants.push((what, EPOCH, faults));
        };
        for switch in self.dragonfly.switches() {
            toggle(format!("switch {switch}"), &|faults| {
                if !faults.switches.remove(&switch) {
                    faults.switches.insert(switch);
                }
            });
        }
        for &end in &self.cables {
            toggle(format!("cable {end:?}"), &|faults| {
                if !faults.cables.remove(&end) {
                    faults.cables.insert(end);
                }
            });
        }
        for link in self.links() {
            toggle(format!("link {link:?}"), &|faults| {
                if !faults.local_links.remove(&link) {
                    faults.local_links.insert(link);
                }
            });
        }
        // One part in the place of another of its kind, so that no count changes.
        for (&dead, &other) in
            self.faults.cables.iter().flat_map(|d| self.cables.iter().map(move |o| (d, o)))
        {
            toggle(format!("cable {other:?} for {dead:?}"), &|faults| {
                faults.cables.remove(&dead);
                faults.cables.insert(other);
            });
        }
        let mut tried = 0;
        for (what, epoch, faults) in mutants {
            let image = encode_fault_image(&plan, epoch, &faults);
            // What is dead with its switch is not in the image.
            if image != self.written[0] {
                self.finds(&what, &image, &self.vouching(&image));
                tried += 1;
            }
        }
        tried
    }

    fn links(&self) -> Vec<LocalLink> {
        let df = &self.dragonfly;
        let of = |low: SwitchId| {
            let (group, index) = df.place(low);
            let higher = df.indices(group).filter(move |&high| index < high);
            higher.map(move |high| LocalLink { low, high, number: 0 })
        };
        df.switches().flat_map(of).collect()
    }

    /// Looks at fault images of which one bit is another, as they are, where the record vouches for them,
    /// and where their checksum is right besides.
    fn try_bits(&self) -> usize {
        const CRC_32: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
        let whole = &self.written[0];
        for bit in 0..8 * whole.len() {
            let mut image = whole.clone();
            image[bit / 8] ^= 1 << (bit % 8);
            self.finds(&format!("bit {bit}"), &image, &self.written[1]);
            self.finds(&format!("bit {bit}, vouched for"), &image, &self.vouching(&image));
            let end = image.len() - 4;
            if bit / 8 < end {
                let checksum = CRC_32.checksum(&image[..end]);
                image[end..].copy_from_slice(&checksum.to_le_bytes());
                self.finds(&format!("bit {bit}, summed"), &image, &self.vouching(&image));
            }
        }
        8 * whole.len()
    }

    /// Looks at records of which one value is another, or is missing.
    fn try_record(&self, is_said_by_images: &dyn Fn(&str) -> bool) -> usize {
        let record: Value = serde_json::from_slice(&self.written[1]).unwrap();
        let mut places = Vec::new();
        leaves(&record, String::new(), &mut places);
        let mut tried = 0;
        for place in places.iter().filter(|place| is_said_by_images(place)) {
            for other in others(record.pointer(place).unwrap()) {
                let mut record = record.clone();
                *record.pointer_mut(place).unwrap() = other.clone();
                let what = format!("{place} {other}");
                self.finds(&what, &self.written[0], &serde_json::to_vec(&record).unwrap());
                tried += 1;
            }
        }
        // A file that is not listed, or is listed twice.
        for number in 0..record["files"].as_array().unwrap().len() {
            let changed = |change: &dyn Fn(&mut Vec<Value>)| {
                let mut record = record.clone();
                change(record["files"].as_array_mut().unwrap());
                serde_json::to_vec(&record).unwrap()
            };
            let without = changed(&|files| drop(files.remove(number)));
            self.finds(&format!("without file {number}"), &self.written[0], &without);
            let twice = changed(&|files| files.push(files[number].clone()));
            self.finds(&format!("file {number} twice"), &self.written[0], &twice);
            tried += 2;
        }
        tried
    }
}

/// The places of all numbers and texts in a value.
fn leaves(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(values) => {
            values.iter().for_each(|(key, value)| leaves(value, format!("{place}/{key}"), places));
        }
        Value::Array(values) => {
            let numbered = values.iter().enumerate();
            numbered.for_each(|(n, value)| leaves(value, format!("{place}/{n}"), places));
        }
        _ => places.push(place),
    }
}

/// Values that are not far from one.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap();
            let near = [0, 1, number.wrapping_sub(1), number + 1, number * 2 + 5, u64::MAX];
            near.into_iter().filter(|&other| other != number).map(Value::from).collect()
        }
        Value::String(text) => {
            let end = if text.ends_with('0') { '1' } else { '0' };
            let other = format!("{}{end}", &text[..text.len() - 1]);
            vec![json!(other), json!(""), json!(format!("{text}0"))]
        }
        other => panic!("{other}"),
    }
}

fn cases() -> [Case; 5] {
    [
        Case::new([1, 3, 2, 5], "shapes:121 by shape", (2, 1, true)),
        Case::new([1, 3, 2, 4], "strategic-2-3 by shape", (1, 0, false)),
        Case::new([1, 4, 1, 5], "30% shapes:121 by shape", (1, 0, true)),
        Case::new([1, 2, 2, 5], "all", (1, 0, false)),
        Case::new([1, 3, 2, 5], "switches:2-3 with returns", (0, 1, true)),
    ]
}

/// Every unchanged case passes.
fn check(case: &Case) {
    for found in case.verify() {
        found.unwrap();
    }
}

#[test]
fn a_fault_image_that_says_something_else_is_found() {
    let mut tried = 0;
    for case in cases() {
        check(&case);
        tried += case.try_meanings();
        check(&case);
    }
    println!("{tried} mutants");
    assert!(tried > 150, "{tried}");
}

/// An image that the record vouches for, of a switch that there is not.
#[test]
fn an_image_of_no_switch_is_found() {
    let [case, ..] = cases();
    let mut record: Value = serde_json::from_slice(&case.written[1]).unwrap();
    let name = "switches/00099.tvlb";
    fs::write(case.path(name), b"an image").unwrap();
    let entry = serde_json::to_value(FileEntry::of(name.to_owned(), b"an image")).unwrap();
    record["files"].as_array_mut().unwrap().push(entry);
    case.finds(name, &case.written[0], &serde_json::to_vec(&record).unwrap());
    fs::write(case.path(UPDATE_FILE), serde_json::to_vec(&record).unwrap()).unwrap();
    let [Err(error), _] = case.verify() else { panic!("it passes") };
    let said = error.to_string();
    assert!(
        said.ends_with("it is the image of switch 99, which the fabric does not have"),
        "{said}"
    );
}

#[test]
fn a_fault_image_with_another_bit_is_found() {
    // All kinds of parts, and a set of which images do not say what routes there are.
    let [case, .., other] = cases();
    for case in [case, other] {
        assert!(case.try_bits() > 200);
        check(&case);
    }
}

#[test]
fn a_record_that_says_something_else_is_found() {
    for (number, case) in cases().iter().enumerate() {
        // Who made an update, no file can bear out.
        let is_maker = |place: &str| place == "/tool-version";
        // Of sets that are not drawn by shape, images do not say of which pairs there is a route.
        let is_of_images = |place: &str| number < 3 || !place.starts_with("/lost/sets/");
        let tried = case.try_record(&|place| !is_maker(place) && is_of_images(place));
        println!("{tried} mutants");
        assert!(tried > 50, "{tried}");
        check(case);
    }
}
