//! Table sets that are not as `generate` wrote them. Each damage is found, and the message says
//! where: in the manifest, by the hash in the manifest, or in an image that the manifest vouches for.

use crate::scratch::Scratch;
use insta::{assert_snapshot, with_settings};
use tvlb_table_set::{FileEntry, Manifest, Sizes, sealed_report};

pub(crate) const FABRIC: &str = "fabric.tvlb";
pub(crate) const SWITCH: &str = "switches/00005.tvlb";

/// Hides what differs from image to image in errors about their bytes.
macro_rules! assert_error {
    ($error:expr, @$expected:literal) => {
        with_settings!({ filters => vec![(r"\b[0-9a-f]{64}\b", "[SHA-256]")] }, {
            assert_snapshot!($error, @$expected)
        });
    };
}

/// What the three reports say, which must be the same.
fn error_of(scratch: &Scratch) -> String {
    let error = scratch.refuses("inspect out");
    assert_eq!(scratch.refuses("inspect out --switch 5"), error);
    assert_eq!(scratch.refuses("inspect out --from 5 --to 9"), error);
    error
}

/// A table set of which one file was changed.
pub(crate) fn with_changed(file: &str, change: impl FnOnce(&mut Vec<u8>)) -> Scratch {
    let scratch = Scratch::with_table_set();
    let path = format!("out/{file}");
    let mut bytes = scratch.read(&path);
    change(&mut bytes);
    scratch.write(&path, bytes);
    scratch
}

/// The same, and the manifest says that it is right so.
pub(crate) fn with_vouched(file: &str, change: impl FnOnce(&mut Vec<u8>)) -> Scratch {
    let scratch = with_changed(file, change);
    vouch_for(&scratch, file);
    scratch
}

/// Puts a file as it is now into the manifest.
pub(crate) fn vouch_for(scratch: &Scratch, file: &str) {
    let mut manifest: Manifest =
        serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    let entry = manifest.files.iter_mut().find(|entry| entry.path == file).unwrap();
    *entry = FileEntry::of(file.to_owned(), &scratch.read(&format!("out/{file}")));
    let (fabric, switches) = manifest.files.split_first().unwrap();
    let mut switches: Vec<u64> = switches.iter().map(|entry| entry.bytes).collect();
    switches.sort_unstable();
    manifest.sizes = Sizes {
        fabric: fabric.bytes,
        switch_least: switches[0],
        switch_median: switches[switches.len() / 2],
        switch_most: switches[switches.len() - 1],
        total: fabric.bytes + switches.iter().sum::<u64>(),
    };
    scratch.write("out/manifest.json", manifest.to_json());
    reseal(scratch);
}

/// Makes the report one of the manifest as it is now.
pub(crate) fn reseal(scratch: &Scratch) {
    let manifest = scratch.read("out/manifest.json");
    scratch.write("out/report.html", sealed_report("<!DOCTYPE html>\n", &manifest));
}

/// Changes the manifest's values, and makes the report one of it.
pub(crate) fn edit_manifest(scratch: &Scratch, edit: impl FnOnce(&mut Manifest)) {
    let mut manifest = serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    edit(&mut manifest);
    scratch.write("out/manifest.json", manifest.to_json());
    reseal(scratch);
}

/// A table set whose manifest's text was changed.
pub(crate) fn with_manifest(change: impl FnOnce(&str) -> String) -> Scratch {
    let scratch = with_changed("manifest.json", |bytes| {
        *bytes = change(str::from_utf8(bytes).unwrap()).into_bytes();
    });
    reseal(&scratch);
    scratch
}

#[test]
fn another_version_is_called_that_before_it_is_called_damaged() {
    let newer = |bytes: &mut Vec<u8>| bytes[6] = 4;
    assert_error!(error_of(&with_changed(FABRIC, newer)), @"tvlb: out/fabric.tvlb: format version at byte 6: found 4, accepted 3; `tvlb generate` of this version makes the images again");
    assert_error!(error_of(&with_changed(SWITCH, newer)), @"tvlb: out/switches/00005.tvlb: format version at byte 6: found 4, accepted 3; `tvlb generate` of this version makes the images again");
    assert_eq!(error_of(&with_changed(FABRIC, newer)), error_of(&with_vouched(FABRIC, newer)));
    let newer_and_longer = |bytes: &mut Vec<u8>| {
        newer(bytes);
        bytes.extend([0; 100]);
    };
    assert_eq!(
        error_of(&with_changed(FABRIC, newer)),
        error_of(&with_changed(FABRIC, newer_and_longer))
    );
}

#[test]
fn a_fabric_image_of_another_fabric() {
    let other = Scratch::with_sizes(2, 4, 2, 8);
    other.succeeds("generate fabric.toml -o out");
    let put = |bytes: &mut Vec<u8>| *bytes = other.read("out/fabric.tvlb");
    assert_error!(error_of(&with_changed(FABRIC, put)), @"tvlb: out/fabric.tvlb: found 120 bytes, but the manifest says 102; it is damaged or of another table set");
    assert_error!(error_of(&with_vouched(FABRIC, put)), @"tvlb: out/fabric.tvlb: its fabric identity is 6ad8d995063e9fdd, but the manifest says a9626c6ce7fd10f3; they are of different fabrics");
}

#[test]
fn a_switch_image_of_another_fabric() {
    let other = Scratch::with_sizes(2, 4, 2, 8);
    other.succeeds("generate fabric.toml -o out");
    let put = |bytes: &mut Vec<u8>| *bytes = other.read("out/switches/00005.tvlb");
    assert_error!(error_of(&with_vouched(SWITCH, put)), @"tvlb: out/switches/00005.tvlb: fabric identity at byte 8: found 6ad8d995063e9fdd, but this fabric's is a9626c6ce7fd10f3; the images are of different fabrics");
}

#[test]
fn images_that_are_truncated_or_too_long() {
    assert_error!(error_of(&with_changed(FABRIC, |bytes| bytes.truncate(99))), @"tvlb: out/fabric.tvlb: found 99 bytes, but the manifest says 102; it is damaged or of another table set");
    assert_error!(error_of(&with_vouched(FABRIC, |bytes| bytes.truncate(99))), @"tvlb: out/fabric.tvlb: length at byte 16: the image says 102 bytes, but there are 99; it is truncated or has something appended");
    assert_error!(error_of(&with_vouched(FABRIC, |bytes| bytes.truncate(19))), @"tvlb: out/fabric.tvlb: header at byte 0: found 19 bytes, but it needs 20; the image is truncated");
    assert_error!(error_of(&with_vouched(FABRIC, Vec::clear)), @"tvlb: out/fabric.tvlb: label at byte 0: found 0 bytes, but it needs 4; the image is truncated");
    assert_error!(error_of(&with_changed(SWITCH, |bytes| bytes.truncate(50))), @"tvlb: out/switches/00005.tvlb: found 50 bytes, but the manifest says 157; it is damaged or of another table set");
    assert_error!(error_of(&with_vouched(SWITCH, |bytes| bytes.truncate(50))), @"tvlb: out/switches/00005.tvlb: length at byte 16: the image says 157 bytes, but there are 50; it is truncated or has something appended");
    assert_error!(error_of(&with_changed(SWITCH, |bytes| bytes.push(0))), @"tvlb: out/switches/00005.tvlb: found 158 bytes, but the manifest says 157; it is damaged or of another table set");
    assert_error!(error_of(&with_vouched(SWITCH, |bytes| bytes.push(0))), @"tvlb: out/switches/00005.tvlb: length at byte 16: the image says 157 bytes, but there are 158; it is truncated or has something appended");
}

#[test]
fn images_with_a_flipped_bit() {
    assert_error!(error_of(&with_changed(FABRIC, |bytes| bytes[40] ^= 4)), @"tvlb: out/fabric.tvlb: its SHA-256 is [SHA-256], but the manifest says [SHA-256]; it is damaged or of another table set");
    assert_error!(error_of(&with_vouched(FABRIC, |bytes| bytes[40] ^= 4)), @"tvlb: out/fabric.tvlb: checksum at byte 98: found 8efd8e69, but the bytes before it give 7e90b664; the image is damaged");
    assert_error!(error_of(&with_changed(SWITCH, |bytes| bytes[40] ^= 4)), @"tvlb: out/switches/00005.tvlb: its SHA-256 is [SHA-256], but the manifest says [SHA-256]; it is damaged or of another table set");
    assert_error!(error_of(&with_vouched(SWITCH, |bytes| bytes[40] ^= 4)), @"tvlb: out/switches/00005.tvlb: checksum at byte 153: found fbbf305b, but the bytes before it give 4f736eac; the image is damaged");
}

#[test]
fn every_flipped_bit_of_an_image_is_found() {
    let scratch = Scratch::with_table_set();
    let whole = scratch.read("out/fabric.tvlb");
    for bit in (0..8 * whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        scratch.write("out/fabric.tvlb", bytes);
        let error = scratch.refuses("inspect out");
        assert!(error.starts_with("tvlb: out/fabric.tvlb: "), "bit {bit}: {error}");
    }
}

#[test]
fn images_of_the_other_kind_or_of_none() {
    let scratch = Scratch::with_table_set();
    scratch.write("out/switches/00005.tvlb", scratch.read("out/fabric.tvlb"));
    vouch_for(&scratch, SWITCH);
    assert_error!(error_of(&scratch), @"tvlb: out/switches/00005.tvlb: kind at byte 4: found 0x46, but a switch image ('S') is needed here");
    assert_error!(error_of(&with_vouched(FABRIC, |bytes| *bytes = b"{\"fabric\": 1}".into())), @r#"tvlb: out/fabric.tvlb: label at byte 0: found [7b, 22, 66, 61], accepted [54, 56, 4c, 42] ("TVLB"); this is not a tvlb image"#);
}

#[test]
fn the_images_of_two_switches_in_each_others_place() {
    let scratch = Scratch::with_table_set();
    let other = "switches/00006.tvlb";
    let (five, six) =
        (scratch.read("out/switches/00005.tvlb"), scratch.read(&format!("out/{other}")));
    scratch.write("out/switches/00005.tvlb", six);
    scratch.write(&format!("out/{other}"), five);
    assert_error!(error_of(&scratch), @"tvlb: out/switches/00005.tvlb: its SHA-256 is [SHA-256], but the manifest says [SHA-256]; it is damaged or of another table set");
    vouch_for(&scratch, SWITCH);
    vouch_for(&scratch, other);
    assert_error!(error_of(&scratch), @"tvlb: out/switches/00005.tvlb: the image is of switch 6, but its name says switch 5");
    assert_error!(scratch.refuses("inspect out --switch 6"), @"tvlb: out/switches/00006.tvlb: the image is of switch 5, but its name says switch 6");
}

#[test]
fn images_that_are_missing() {
    let scratch = Scratch::with_table_set();
    std::fs::remove_file(scratch.path("out/switches/00005.tvlb")).unwrap();
    assert_error!(error_of(&scratch), @"tvlb: out/switches/00005.tvlb: cannot read it: No such file or directory (os error 2)");
    std::fs::remove_file(scratch.path("out/fabric.tvlb")).unwrap();
    assert_error!(error_of(&scratch), @"tvlb: out/fabric.tvlb: cannot read it: No such file or directory (os error 2)");
    std::fs::create_dir(scratch.path("out/fabric.tvlb")).unwrap();
    assert_error!(error_of(&scratch), @"tvlb: out/fabric.tvlb: cannot read it: Is a directory (os error 21)");
}

#[test]
fn images_that_the_manifest_does_not_list() {
    let scratch = Scratch::with_table_set();
    let mut manifest: Manifest =
        serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    manifest.files.retain(|entry| entry.path != SWITCH);
    scratch.write("out/manifest.json", manifest.to_json());
    assert_error!(error_of(&scratch), @"tvlb: out/switches/00005.tvlb: the manifest lists 36 files, but not this one; regenerate the table set");
    manifest.files.clear();
    scratch.write("out/manifest.json", manifest.to_json());
    assert_error!(error_of(&scratch), @"tvlb: out/fabric.tvlb: the manifest lists 0 files, but not this one; regenerate the table set");
}

#[test]
fn manifests_that_are_none() {
    let scratch = Scratch::with_table_set();
    std::fs::remove_file(scratch.path("out/manifest.json")).unwrap();
    assert_error!(error_of(&scratch), @"tvlb: out/manifest.json: cannot read it: No such file or directory (os error 2)");
    assert_error!(error_of(&with_manifest(|_| String::new())), @"tvlb: out/manifest.json:1:0: not a manifest of a table set: EOF while parsing a value");
    assert_error!(error_of(&with_manifest(|text| text[..500].to_owned())), @"tvlb: out/manifest.json:25:12: not a manifest of a table set: EOF while parsing an object");
    assert_error!(error_of(&with_manifest(|text| format!("{text}}}"))), @"tvlb: out/manifest.json:291:1: not a manifest of a table set: trailing characters");
    assert_error!(error_of(&with_changed("manifest.json", |bytes| bytes[20] = 0xff)), @"tvlb: out/manifest.json:2:19: not a manifest of a table set: invalid unicode code point");
}

#[test]
fn manifests_of_another_format() {
    let newer = |text: &str| text.replace("tvlb table set 1", "tvlb table set 2");
    assert_error!(error_of(&with_manifest(newer)), @r#"tvlb: out/manifest.json: format is "tvlb table set 2", accepted "tvlb table set 1"; regenerate the table set with this version of tvlb"#);
    // Whatever else has changed with the format.
    let other_fields = |text: &str| newer(text).replace("\"channels\"", "\"lanes\"");
    assert_eq!(error_of(&with_manifest(newer)), error_of(&with_manifest(other_fields)));
}

#[test]
fn manifests_with_wrong_fields() {
    let renamed = |text: &str| text.replace("\"tool-version\"", "\"tool\"");
    assert_error!(error_of(&with_manifest(renamed)), @"tvlb: out/manifest.json:3:8: not a manifest of a table set: unknown field `tool`, expected one of `format`, `tool-version`, `fabric`, `fabric-identity`, `virtual-channels`, `sets`, `choice`, `sizes`, `names`, `files`");
    let retyped = |text: &str| text.replace("\"cables\": 36", "\"cables\": \"36\"");
    assert_error!(error_of(&with_manifest(retyped)), @r#"tvlb: out/manifest.json:11:18: not a manifest of a table set: invalid type: string "36", expected u32"#);
    let huge = |text: &str| text.replace("\"bytes\": 102", "\"bytes\": 99999999999999999999");
    assert_error!(error_of(&with_manifest(huge)), @"tvlb: out/manifest.json:106:35: not a manifest of a table set: invalid type: floating point `1e+20`, expected u64");
    let long = |text: &str| text.replace("\"bytes\": 102", "\"bytes\": 9999999999999");
    assert_error!(error_of(&with_manifest(long)), @"tvlb: out/manifest.json: files[0].bytes is 9999999999999, accepted at most 134217728");
}

#[test]
fn directories_that_are_no_table_set() {
    let scratch = Scratch::new();
    assert_error!(scratch.refuses("inspect ."), @"tvlb: ./manifest.json: cannot read it: No such file or directory (os error 2)");
    assert_error!(scratch.refuses("inspect nowhere"), @"tvlb: nowhere/manifest.json: cannot read it: No such file or directory (os error 2)");
    scratch.write("file", "");
    assert_error!(scratch.refuses("inspect file"), @"tvlb: file: it is a file, accepted the directory of a table set; if it is a fabric file, `tvlb generate file -o DIR` makes a table set from it");
}
