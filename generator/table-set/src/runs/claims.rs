//! Claims on results that are to be made.
//!
//! A claim is a file. It only saves work: results follow from their subject and key, so two processes that make the
//! same one write the same bytes. The owner of a claim changes its content every few seconds; a claim whose content has
//! not changed for [`STALE`] belongs to a process that died, and is taken over. Clocks of different machines are never
//! compared: each process measures by its own.

use crate::input_file::{self, Symlinks};
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the owner of a claim changes it.
const BEAT: Duration = Duration::from_secs(4);
/// The time without a change after which a claim is abandoned.
pub(super) const STALE: Duration = Duration::from_secs(20);
/// A claim contains a number and a count.
const MOST_CLAIM_BYTES: u64 = 1 << 10;

/// The right to make one result.
#[derive(Debug)]
pub struct Claim {
    pub(super) path: PathBuf,
    pub(super) held: Arc<Held>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        locked(&self.held.paths).remove(&self.path);
        // If it is gone, another process has taken it over.
        let _ = fs::remove_file(&self.path);
    }
}

/// The claims that this process holds.
#[derive(Debug)]
pub(super) struct Held {
    /// Distinguishes the claims of processes.
    pub(super) owner: u64,
    pub(super) paths: Mutex<BTreeSet<PathBuf>>,
}

/// The claims on the results of a directory.
#[derive(Debug)]
pub(super) struct Claims {
    pub(super) stale: Duration,
    held: Arc<Held>,
    /// The content of the claims of others, and since when.
    seen: Mutex<HashMap<PathBuf, (Vec<u8>, Instant)>>,
    /// Ends the thread that renews claims, if it was started.
    pub(super) renewal: Mutex<Option<Sender<()>>>,
}

impl Default for Claims {
    fn default() -> Self {
        let held = Held { owner: RandomState::new().hash_one(0_u8), paths: Mutex::default() };
        let (seen, renewal) = (Mutex::default(), Mutex::default());
        Self { stale: STALE, held: Arc::new(held), seen, renewal }
    }
}

impl Claims {
    /// Claims a result by a file, unless another process or thread has claimed it and is alive.
    pub(super) fn claim(&self, path: &Path) -> io::Result<Option<Claim>> {
        let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => file,
            Err(found) if found.kind() == io::ErrorKind::AlreadyExists => {
                self.look_at(path)?;
                return Ok(None);
            }
            Err(found) => return Err(found),
        };
        locked(&self.held.paths).insert(path.to_owned());
        let claim = Claim { path: path.to_owned(), held: Arc::clone(&self.held) };
        file.write_all(claim_text(self.held.owner, 0).as_bytes())?;
        self.begin_renewal();
        Ok(Some(claim))
    }

    /// Notes the content of another's claim, and removes one that no longer changes.
    fn look_at(&self, path: &Path) -> io::Result<()> {
        let found = match input_file::read(path, MOST_CLAIM_BYTES, Symlinks::Refuse) {
            Ok(found) => found,
            // It was given up, or its result is there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut seen = locked(&self.seen);
        match seen.get(path) {
            Some((before, since)) if *before == found => {
                if since.elapsed() >= self.stale {
                    seen.remove(path);
                    match fs::remove_file(path) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                        _ => {}
                    }
                }
            }
            _ => {
                seen.insert(path.to_owned(), (found, Instant::now()));
            }
        }
        Ok(())
    }

    /// Starts the thread that renews this process's claims, unless it is running.
    fn begin_renewal(&self) {
        let mut renewal = locked(&self.renewal);
        if renewal.is_some() {
            return;
        }
        let (end, ended) = mpsc::channel();
        let held = Arc::clone(&self.held);
        // Without the thread, claims are taken over too early, which only costs time.
        let _ = thread::Builder::new().name("claims".to_owned()).spawn(move || {
            let mut count = 1_u64;
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                for path in &*locked(&held.paths) {
                    renew(path, held.owner, count);
                }
                count += 1;
            }
        });
        *renewal = Some(end);
    }
}

pub(super) fn claim_text(owner: u64, count: u64) -> String {
    format!("{owner:016x} {count}\n")
}

/// Changes the content of a claim, if it is still there and ours.
pub(super) fn renew(path: &Path, owner: u64, count: u64) {
    let is_ours =
        fs::read_to_string(path).is_ok_and(|text| text.starts_with(&format!("{owner:016x}")));
    if !is_ours {
        return;
    }
    if let Ok(mut file) = OpenOptions::new().write(true).open(path) {
        let _ = file.write_all(claim_text(owner, count).as_bytes());
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
