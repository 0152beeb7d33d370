//! An update as a directory: its record, and the directory that appears complete and verified, or not at all.

use super::update::FaultUpdate as Made;
use std::collections::BTreeSet;
use std::path::Path;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_base::stage_errors;
use tvlb_schema::{FabricImage, FaultSet, SwitchId};
use tvlb_table_set::names::Names;
use tvlb_table_set::{
    DeadEntry, Existing, FAULT_LIST_FILE, FAULTS_FILE, FileEntry, LostEntry, TableSet, UPDATE_FILE,
    UPDATE_FORMAT, Update, UpdateRecord, WriteError, switch_file, write,
};
use tvlb_verify::{Changes, VerifyError, verify_changes};

/// Why no update was made.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    #[error(transparent)]
    Write(WriteError),
    #[error(
        "the update does not pass verification, which is a bug in tvlb; nothing was written: {0}"
    )]
    Verify(VerifyError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

stage_errors!(UpdateError: Write(WriteError), Verify(VerifyError));

/// The table set of an update.
#[derive(Clone, Copy, Debug)]
pub struct UpdatedTables<'t> {
    pub set: &'t TableSet,
    pub plan: &'t FabricImage<'t>,
    /// The machine's names of its parts.
    pub names: &'t Names,
    /// The switches that go back to their image of the set.
    pub restored: &'t [SwitchId],
}

/// Writes an update of this number (`epoch`, at least 1) into a directory, which must be absent or empty. The changes
/// are verified before the directory gets its name, and returned with the record. Each file is a step of the stage
/// "files".
///
/// # Errors
/// The directory cannot be written or is in use, the update does not pass verification, or the caller cancelled the
/// work. Then there is no directory.
pub fn write_update(
    output: &Path,
    &UpdatedTables { set, plan, names, restored }: &UpdatedTables<'_>,
    (epoch, faults): (u32, &FaultSet),
    made: &Made,
    progress: &dyn Progress,
) -> Result<Changes, UpdateError> {
    let manifest = set.manifest();
    let list = tvlb_table_set::dead_parts::write_with_names(plan, names, faults);
    let mut files = vec![
        (FAULTS_FILE.to_owned(), made.faults.as_slice()),
        (FAULT_LIST_FILE.to_owned(), list.as_bytes()),
    ];
    files.extend(
        made.switches.iter().map(|(switch, bytes)| (switch_file(*switch), bytes.as_slice())),
    );
    let of_switches = made.switches.iter();
    let of_switches =
        of_switches.map(|(switch, bytes)| FileEntry::of_switch(names, *switch, bytes));
    let restored: BTreeSet<String> = restored.iter().map(|&switch| switch_file(switch)).collect();
    let of_set = manifest.files.iter().filter(|file| restored.contains(&file.path));
    let record = UpdateRecord {
        format: UPDATE_FORMAT.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        fabric_identity: manifest.fabric_identity.clone(),
        manifest_sha256: set.manifest_sha256().to_owned(),
        epoch,
        dead: DeadEntry {
            switches: faults.switches.len() as u64,
            cables: faults.cables.len() as u64,
            local_links: faults.local_links.len() as u64,
            draining: faults.is_draining,
        },
        lost: LostEntry {
            min: made.loss.min.count,
            sets: made.loss.sets.map(|pairs| pairs.count),
            cut: made.loss.cut.count,
        },
        files: files[..2]
            .iter()
            .map(|(path, bytes)| FileEntry::of(path.clone(), bytes))
            .chain(of_switches)
            .collect(),
        restored_files: of_set.cloned().collect(),
    };
    progress.stage("files", Some(files.len() + 1));
    let mut verified = None;
    let contents = files.iter().map(|(path, bytes)| (path.as_str(), *bytes));
    let seal = |written: &Path| -> Result<_, UpdateError> {
        let update = Update::with_record(written, record.clone(), set);
        let update = update.map_err(VerifyError::from)?;
        verified = Some(verify_changes(set, &update, progress)?);
        Ok((UPDATE_FILE, record.to_json()))
    };
    write(output, contents, Existing::Refuse, progress, seal)?;
    Ok(verified.expect("what has its name was verified"))
}
