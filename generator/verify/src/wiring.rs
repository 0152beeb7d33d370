//! Files, wiring and port maps: checks of the files and the images without sending a packet.

use super::VerifyError;
use super::claims::claim;
use std::collections::BTreeSet;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Switch;
use tvlb_schema::{End, FabricImage, Port, SwitchId, SwitchImage};
use tvlb_table_set::names::Names;
use tvlb_table_set::{
    FABRIC_FILE, MANIFEST_FILE, NAMES_FILE, REPORT_FILE, SWITCHES, TableSet, check_seal,
    switch_file,
};

/// Checks that each cable is the same seen from either end, joins two groups, and is listed as the link that its ends
/// say.
pub(super) fn check_fabric(
    fabric: &FabricImage<'_>,
    names: &Names,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(), VerifyError> {
    let df = fabric.dragonfly();
    let wrong = |text: String| VerifyError::Wiring { path: path.to_owned(), text };
    let mut ends = 0_u32;
    for group in df.groups() {
        progress.check()?;
        for port in df.global_ports() {
            let end = End { group, port };
            let Some((other, k)) = fabric.port_link(end) else { continue };
            ends += 1;
            // Both directions of a cable have the same number among the links of the two groups.
            let listed = fabric.link(group, other, k);
            let Some((_, peer)) = listed.filter(|&(from, _)| from == port) else {
                let end = names.end_in_words(df, end);
                return Err(wrong(format!(
                    "{end} leads to group {other}, but the wiring has no such link"
                )));
            };
            let far = End { group: other, port: peer };
            if other == group || fabric.port_link(far) != Some((group, k)) {
                let [end, far] = [end, far].map(|end| names.end_in_words(df, end));
                return Err(wrong(format!("{end} leads to {far}, which does not lead back")));
            }
        }
    }
    if ends != 2 * fabric.cable_count() {
        let cables = fabric.cable_count();
        return Err(wrong(format!("{ends} ports have a cable, but there are {cables} cables")));
    }
    Ok(())
}

/// Checks that the directory holds the files of the table set and nothing else.
pub(super) fn check_files(set: &TableSet, fabric: &FabricImage<'_>) -> Result<(), VerifyError> {
    let mut known: BTreeSet<String> = fabric.dragonfly().switches().map(switch_file).collect();
    known.extend([FABRIC_FILE, MANIFEST_FILE, REPORT_FILE].map(str::to_owned));
    if set.names_list()?.is_some() {
        known.insert(NAMES_FILE.to_owned());
    }
    let names = set.names().map_err(|(path, source)| VerifyError::List { path, source })?;
    for name in names {
        if name != SWITCHES && !known.contains(&name) {
            return Err(VerifyError::Stranger { path: set.path().join(name) });
        }
    }
    let listed = set.manifest().files.len();
    let needed = fabric.dragonfly().switch_count() as usize + 1;
    if listed != needed {
        return Err(claim(set.path(), "the number of images is", &listed, &needed));
    }
    Ok(())
}

/// Checks that an image is in its own file, that its ports lead where the fabric image says, and that they have the
/// physical numbers of the list of names.
pub(super) fn check_switch(
    switch: &Switch<'_>,
    named: SwitchId,
    names: &Names,
    path: &Path,
) -> Result<(), VerifyError> {
    let image = switch.image();
    if image.switch() != named {
        let [found, named] = [image.switch(), named].map(Into::into);
        return Err(VerifyError::Place { path: path.to_owned(), found, named });
    }
    let df = image.fabric().dragonfly();
    for slot in 0..df.h() {
        let slot = u16::try_from(slot).expect("slots fit 16 bits");
        let port = df.global_port(image.index(), slot);
        let end = End { group: image.group(), port };
        let (found, wired) = (image.peer(slot), image.fabric().peer(end));
        if found != wired {
            let words = |end: Option<End>| match end {
                Some(end) => names.end_in_words(df, end),
                None => "no cable".to_owned(),
            };
            let text = format!(
                "{} leads to {}, but by the fabric image to {}",
                names.end_in_words(df, end),
                words(found),
                words(wired)
            );
            return Err(VerifyError::Wiring { path: path.to_owned(), text });
        }
    }
    check_port_map(image, names, path)
}

/// Checks that the image and the list of names give each port the same physical number.
fn check_port_map(image: &SwitchImage<'_>, names: &Names, path: &Path) -> Result<(), VerifyError> {
    let listed = names.physical_numbers(image.fabric().dragonfly(), image.switch());
    let ports = 0..image.fabric().dragonfly().radix();
    let said = |number: Option<u8>| number.map_or_else(|| "none".to_owned(), |n| n.to_string());
    for number in ports {
        let port = Port(u16::try_from(number).expect("ports fit 16 bits"));
        let (found, listed) =
            (image.physical_number(port), listed.get(usize::from(port.0)).copied().flatten());
        if found != listed {
            let text = format!(
                "the physical number of port {port} is {}, but by {NAMES_FILE} it is {}",
                said(found),
                said(listed)
            );
            return Err(VerifyError::Wiring { path: path.to_owned(), text });
        }
    }
    Ok(())
}

/// Checks that the report is a regular file, complete, and for this manifest.
pub(super) fn check_report(set: &TableSet) -> Result<(), VerifyError> {
    let report = set.report()?;
    check_seal(&report, set.manifest_sha256())
        .map_err(|fault| VerifyError::Report { path: set.report_path(), text: fault.to_string() })
}
