//! What a sweep has done so far, so that an interrupted one can go on.
//!
//! The only module that knows bincode. That crate is no longer maintained (RUSTSEC-2025-0141), so
//! it serves only this: a file of our own making, on the host, whose loss costs nothing but time.
//! Nothing that a user keeps is in its format. Versions from 3 on are not to be used; this is the
//! last of the second.
//!
//! A state belongs to one sweep, told by a hash over everything that its cells depend on: wiring,
//! way of counting, patterns and sets. A state of another sweep, or a damaged one, is refused, never
//! used in part.

use super::sweep::{Cell, Sweep, UnitCells};
use crate::input_file::{self, Links};
use crate::whole_file;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Raised when the meaning of a cell changes, so that older states are refused.
const VERSION: &str = "tvlb sweep state 1";
/// No state is larger: some hundred bytes for each pattern and set.
const MOST_BYTES: u64 = 256 << 20;

/// The units that are done, by number.
pub type Done = BTreeMap<usize, UnitCells>;

#[derive(bincode::Encode, bincode::Decode)]
struct StateFile {
    version: String,
    key: [u8; 32],
    units: Vec<StoredUnit>,
}

#[derive(bincode::Encode, bincode::Decode)]
struct StoredUnit {
    number: u64,
    /// By pattern of the unit and set: lower, upper, mean hops, tolerance.
    cells: Vec<Vec<[f64; 4]>>,
}

/// Why a state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The operating system refused.
    #[error("{path}: cannot read or write it: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// Not a state, or a damaged one.
    #[error("{path}: it is no state of an interrupted model run; remove it to begin anew")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A state of something else.
    #[error(
        "{path}: it belongs to a run with another fabric, seed, patterns or sets; remove it to \
         begin anew, or name another file"
    )]
    Other {
        /// The file.
        path: PathBuf,
    },
}

/// A hash over everything that the cells of a sweep depend on.
pub fn key(sweep: &Sweep<'_>) -> [u8; 32] {
    let mut text = String::new();
    let df = sweep.topology().dragonfly();
    let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
    let _ = writeln!(text, "{VERSION} {} dfly {p} {a} {h} {g}", sweep.counting());
    for cable in sweep.topology().cables() {
        let (low, high) = (cable.low, cable.high);
        let _ = writeln!(text, "{} {} {} {}", low.group, low.port, high.group, high.port);
    }
    for pattern in sweep.patterns() {
        let _ = writeln!(text, "{:?}", pattern.kind);
        for flow in &pattern.flows {
            let demand = flow.demand.to_bits();
            let _ = writeln!(text, "{} {} {demand:x}", flow.source, flow.destination);
        }
    }
    for set in sweep.sets() {
        let _ = writeln!(text, "{:?}", set.key(sweep.counting()));
    }
    Sha256::digest(text.as_bytes()).into()
}

/// Reads the state of this sweep; nothing done if there is no file.
///
/// # Errors
/// A file that cannot be read or is not a state of this sweep.
pub fn read(path: &Path, sweep: &Sweep<'_>) -> Result<Done, StateError> {
    let bytes = match input_file::read(path, MOST_BYTES, Links::Follow) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Done::new()),
        Err(source) => return Err(StateError::Io { path: path.to_owned(), source }),
    };
    let damaged = || StateError::Damaged { path: path.to_owned() };
    // A limit, so that a damaged length cannot ask for all memory.
    let config = bincode::config::standard().with_limit::<{ 1 << 30 }>();
    let (file, read): (StateFile, usize) =
        bincode::decode_from_slice(&bytes, config).map_err(|_| damaged())?;
    if read != bytes.len() || file.version != VERSION {
        return Err(damaged());
    }
    if file.key != key(sweep) {
        return Err(StateError::Other { path: path.to_owned() });
    }
    let mut done = Done::new();
    for unit in file.units {
        let number = usize::try_from(unit.number).map_err(|_| damaged())?;
        let whole = unit.cells.iter().all(|cells| cells.len() == sweep.sets().len());
        if sweep.patterns_of(number) != Some(unit.cells.len()) || !whole {
            return Err(damaged());
        }
        let cell = |[lower, upper, mean_hops, tolerance]: [f64; 4]| Cell {
            lower,
            upper,
            mean_hops,
            tolerance,
        };
        let cells = unit.cells.into_iter().map(|row| row.into_iter().map(cell).collect());
        done.insert(number, cells.collect());
    }
    Ok(done)
}

/// Writes the state, in one step.
///
/// # Errors
/// The directory cannot be written to.
pub fn write(path: &Path, sweep: &Sweep<'_>, done: &Done) -> Result<(), StateError> {
    let stored = |cell: &Cell| [cell.lower, cell.upper, cell.mean_hops, cell.tolerance];
    let file = StateFile {
        version: VERSION.to_owned(),
        key: key(sweep),
        units: done
            .iter()
            .map(|(&number, cells)| StoredUnit {
                number: number as u64,
                cells: cells.iter().map(|row| row.iter().map(stored).collect()).collect(),
            })
            .collect(),
    };
    let io = |source| StateError::Io { path: path.to_owned(), source };
    let bytes = bincode::encode_to_vec(&file, bincode::config::standard())
        .map_err(|error| io(io::Error::other(error)))?;
    whole_file::write(path, bytes).map_err(io)
}
