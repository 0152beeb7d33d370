//! The results of one subject, made by any number of processes that share nothing but a directory.
//!
//! Each result is a file of its own, and whoever is about to make one claims it by a file beside. A claim
//! is a means to save work and decides nothing: results follow from what they are of, so two processes
//! that make one write the same bytes. The owner of a claim changes what stands in it every few seconds;
//! a claim in which nothing has changed for [`STALE`] was left behind by a process that died, and is taken
//! over. Nobody compares clocks of different machines: each watches by its own.
//!
//! ```text
//! subject           the SHA-256 of the subject, and a line feed
//! xx/HASH.json      a result, as in a [`RunDirectory`]
//! xx/HASH.claim     whose turn it is
//! ```

use crate::input_file::{self, Symlinks};
use crate::runs::{RunDirectory, StoreError};
use crate::{sha256, whole_file};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the owner of a claim says that it is still there.
const BEAT: Duration = Duration::from_secs(4);
/// A claim in which nothing has changed for so long was left behind.
const STALE: Duration = Duration::from_secs(20);
/// A claim has a number and a count.
const MOST_CLAIM_BYTES: u64 = 1 << 10;
/// The file that says whose results a directory has.
const SUBJECT_FILE: &str = "subject";

/// The results of one subject by name, in a directory, or in memory alone. All methods can be called from
/// any thread.
///
/// # Example
/// ```
/// use tvlb_table_set::runs::{SharedRuns, Turn};
///
/// # let home = tempfile::tempdir()?;
/// let path = home.path().join("runs");
/// let ours = SharedRuns::<u32>::open(Some(&path), "squares, version 1")?;
/// // Another process, perhaps.
/// let theirs = SharedRuns::<u32>::open(Some(&path), "squares, version 1")?;
///
/// let Turn::Ours(claim) = ours.take("3")? else { panic!("nobody has claimed it") };
/// assert!(matches!(theirs.take("3")?, Turn::Theirs));
/// ours.keep(claim, 9)?;
/// assert!(matches!(theirs.take("3")?, Turn::Kept(9)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedRuns<V> {
    place: Option<Place>,
    known: Mutex<BTreeMap<String, V>>,
    /// Names of results that this process has made.
    made: Mutex<BTreeSet<String>>,
}

/// Whose turn it is to make a result.
#[derive(Debug)]
pub enum Turn<V> {
    Kept(V),
    /// This process is to make it, and to hand it to [`SharedRuns::keep`] with the claim. A claim that is
    /// dropped is given up.
    Ours(Claim),
    /// Another process, or another thread of this one, is at it.
    Theirs,
}

/// The right to make one result.
#[derive(Debug)]
pub struct Claim {
    name: String,
    file: Option<(PathBuf, Arc<Held>)>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((path, held)) = &self.file {
            locked(&held.paths).remove(path);
            // If it is gone, another process has taken it over.
            let _ = fs::remove_file(path);
        }
    }
}

/// The claims that this process has now.
#[derive(Debug)]
struct Held {
    /// Tells the processes' claims apart.
    owner: u64,
    paths: Mutex<BTreeSet<PathBuf>>,
}

/// A directory of results.
#[derive(Debug)]
struct Place {
    runs: RunDirectory,
    subject: String,
    stale: Duration,
    held: Arc<Held>,
    /// What stood in the claims of others, and since when.
    seen: Mutex<HashMap<PathBuf, (Vec<u8>, Instant)>>,
    /// Ends the thread that renews claims, once there is one.
    renewal: Mutex<Option<Sender<()>>>,
}

/// What the file of a result is named by.
#[derive(Serialize)]
struct Subject<'s> {
    subject: &'s str,
    run: &'s str,
}

impl<V: Clone + Serialize + DeserializeOwned> SharedRuns<V> {
    /// Opens the results of `subject` in a directory, which is made if there is none. Without a path they
    /// live in memory alone.
    ///
    /// # Errors
    /// The directory cannot be made or read, or it belongs to another subject.
    pub fn open(path: Option<impl Into<PathBuf>>, subject: &str) -> Result<Self, StoreError> {
        let place = path.map(|path| Place::open(path.into(), subject, STALE)).transpose()?;
        Ok(Self { place, known: Mutex::default(), made: Mutex::default() })
    }

    /// Adds results that are known from elsewhere. They are not written.
    pub fn add_known(&self, results: impl IntoIterator<Item = (String, V)>) {
        locked(&self.known).extend(results);
    }

    /// The result of this name, or whose turn it is to make it.
    ///
    /// # Errors
    /// A file of the directory cannot be read or written, or is damaged.
    pub fn take(&self, name: &str) -> Result<Turn<V>, StoreError> {
        if let Some(value) = locked(&self.known).get(name) {
            return Ok(Turn::Kept(value.clone()));
        }
        let Some(place) = &self.place else {
            return Ok(Turn::Ours(Claim { name: name.to_owned(), file: None }));
        };
        let subject = place.subject_of(name);
        let recalled = || -> Result<Option<V>, StoreError> {
            let value: Option<V> = place.runs.recall(&subject)?;
            if let Some(value) = &value {
                locked(&self.known).insert(name.to_owned(), value.clone());
            }
            Ok(value)
        };
        if let Some(value) = recalled()? {
            return Ok(Turn::Kept(value));
        }
        let path = place.runs.path_of(&subject).with_extension("claim");
        if !place.claim(&path)? {
            return Ok(Turn::Theirs);
        }
        let claim = Claim { name: name.to_owned(), file: Some((path, Arc::clone(&place.held))) };
        // It may have been made between the two looks.
        Ok(recalled()?.map_or(Turn::Ours(claim), Turn::Kept))
    }

    /// Keeps a result that was claimed.
    ///
    /// # Errors
    /// Its file cannot be written.
    pub fn keep(&self, claim: Claim, value: V) -> Result<(), StoreError> {
        if let Some(place) = &self.place {
            place.runs.keep(&place.subject_of(&claim.name), &value)?;
        }
        locked(&self.made).insert(claim.name.clone());
        locked(&self.known).insert(claim.name.clone(), value);
        // Not before: until then nobody else may make it.
        drop(claim);
        Ok(())
    }

    /// How many results this process has made.
    pub fn made(&self) -> usize {
        locked(&self.made).len()
    }

    /// How many results this process was given, or found in the directory.
    pub fn found(&self) -> usize {
        locked(&self.known).len() - self.made()
    }
}

/// How many results a directory of [`SharedRuns`] has, whoever made them; 0 if it cannot be read.
pub fn count_runs(path: &Path) -> usize {
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    let folders = entries(path).map(|entry| entry.path());
    let files = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    files.filter(|file| file.path().extension().is_some_and(|end| end == "json")).count()
}

impl Place {
    fn open(path: PathBuf, subject: &str, stale: Duration) -> Result<Self, StoreError> {
        let subject = sha256(subject.as_bytes());
        let file = path.join(SUBJECT_FILE);
        fs::create_dir_all(&path).map_err(StoreError::io(&path))?;
        let line = format!("{subject}\n");
        match input_file::read(&file, MOST_CLAIM_BYTES, Symlinks::Follow) {
            Ok(found) if found == line.as_bytes() => {}
            Ok(_) => return Err(StoreError::Other { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                whole_file::write(&file, line).map_err(StoreError::io(&file))?;
            }
            Err(error) => return Err(StoreError::io(&file)(error)),
        }
        let held = Held { owner: RandomState::new().hash_one(0_u8), paths: Mutex::default() };
        Ok(Self {
            runs: RunDirectory::new(path),
            subject,
            stale,
            held: Arc::new(held),
            seen: Mutex::default(),
            renewal: Mutex::default(),
        })
    }

    fn subject_of<'s>(&'s self, run: &'s str) -> Subject<'s> {
        Subject { subject: &self.subject, run }
    }

    /// Claims a result, unless another process or thread has claimed it and is alive.
    fn claim(&self, path: &Path) -> Result<bool, StoreError> {
        let error = StoreError::io(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(&error)?;
        }
        let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => file,
            Err(found) if found.kind() == io::ErrorKind::AlreadyExists => {
                self.look_at(path).map_err(&error)?;
                return Ok(false);
            }
            Err(found) => return Err(error(found)),
        };
        locked(&self.held.paths).insert(path.to_owned());
        file.write_all(claim_text(self.held.owner, 0).as_bytes()).map_err(&error)?;
        self.begin_renewal();
        Ok(true)
    }

    /// Notes what stands in the claim of another, and removes one in which nothing changes any more.
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

    /// Starts the thread that renews the claims of this process, if it does not run.
    fn begin_renewal(&self) {
        let mut renewal = locked(&self.renewal);
        if renewal.is_some() {
            return;
        }
        let (end, ended) = mpsc::channel();
        let held = Arc::clone(&self.held);
        // Without the thread claims are taken over too early, which costs time and nothing else.
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

fn claim_text(owner: u64, count: u64) -> String {
    format!("{owner:016x} {count}\n")
}

/// Changes what stands in a claim, if it is still there and ours.
fn renew(path: &Path, owner: u64, count: u64) {
    let is_ours =
        fs::read_to_string(path).is_ok_and(|text| text.starts_with(&format!("{owner:016x}")));
    if !is_ours {
        return;
    }
    if let Ok(mut file) = OpenOptions::new().write(true).open(path) {
        let _ = file.write_all(claim_text(owner, count).as_bytes());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Runs = SharedRuns<(bool, Vec<f64>)>;

    fn with_patience(path: &Path, stale: Duration) -> Runs {
        let place = Some(Place::open(path.to_owned(), "one", stale).unwrap());
        Runs { place, known: Mutex::default(), made: Mutex::default() }
    }

    fn claimed(runs: &Runs, name: &str) -> Claim {
        match runs.take(name).unwrap() {
            Turn::Ours(claim) => claim,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_result_is_made_by_one_and_known_to_all() {
        let home = tempfile::tempdir().unwrap();
        let all = [0, 1, 2].map(|_| with_patience(home.path(), STALE));
        let claims = [claimed(&all[0], "first"), claimed(&all[1], "second")];
        for (number, name) in [(1, "first"), (2, "first"), (0, "second"), (1, "second")] {
            assert!(matches!(all[number].take(name).unwrap(), Turn::Theirs), "{number}, {name}");
        }
        let value = (true, vec![0.1 + 0.2, 1.0 / 3.0]);
        for (runs, claim) in all.iter().zip(claims) {
            runs.keep(claim, value.clone()).unwrap();
        }
        for runs in &all {
            for name in ["first", "second"] {
                match runs.take(name).unwrap() {
                    Turn::Kept(found) => assert_eq!(found, value),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!((all.map(|runs| runs.made()), count_runs(home.path())), ([1, 1, 0], 2));
        // The two results, and no claim.
        assert_eq!(walk(home.path()), 2);
    }

    /// How many files are in the folders of a directory.
    fn walk(path: &Path) -> usize {
        let folders = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let folders = folders.filter(|path| path.is_dir());
        folders.map(|folder| fs::read_dir(folder).unwrap().count()).sum()
    }

    #[test]
    fn a_claim_that_is_given_up_is_free() {
        let home = tempfile::tempdir().unwrap();
        let [one, other] = [0, 1].map(|_| with_patience(home.path(), STALE));
        drop(claimed(&one, "run"));
        drop(claimed(&other, "run"));
        assert_eq!(walk(home.path()), 0);
    }

    #[test]
    fn the_claim_of_a_process_that_died_is_taken_over() {
        let home = tempfile::tempdir().unwrap();
        let [dead, alive] = [0, 1].map(|_| with_patience(home.path(), Duration::from_millis(50)));
        // Neither renewed nor given up, as where a process is killed.
        let claim = claimed(&dead, "run");
        drop(locked(&dead.place.as_ref().unwrap().renewal).take());
        assert!(matches!(alive.take("run").unwrap(), Turn::Theirs));
        thread::sleep(Duration::from_millis(60));
        // It is removed, and then free.
        assert!(matches!(alive.take("run").unwrap(), Turn::Theirs));
        let taken = claimed(&alive, "run");
        // The first process was not dead, but slow: both write the same.
        dead.keep(claim, (true, Vec::new())).unwrap();
        alive.keep(taken, (true, Vec::new())).unwrap();
        assert_eq!(count_runs(home.path()), 1);
    }

    #[test]
    fn a_claim_that_is_renewed_is_not_taken_over() {
        let home = tempfile::tempdir().unwrap();
        let [slow, other] = [0, 1].map(|_| with_patience(home.path(), Duration::from_millis(50)));
        let claim = claimed(&slow, "run");
        let (path, held) = claim.file.as_ref().unwrap();
        for count in 1..6 {
            assert!(matches!(other.take("run").unwrap(), Turn::Theirs));
            renew(path, held.owner, count);
            thread::sleep(Duration::from_millis(30));
        }
        assert!(path.exists());
        // The claim of another is not renewed.
        fs::write(path, claim_text(!held.owner, 0)).unwrap();
        renew(path, held.owner, 9);
        assert_eq!(fs::read_to_string(path).unwrap(), claim_text(!held.owner, 0));
    }

    #[test]
    fn results_belong_to_one_subject() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("runs");
        let runs = Runs::open(Some(&path), "one").unwrap();
        runs.keep(claimed(&runs, "run"), (true, Vec::new())).unwrap();
        let other = Runs::open(Some(&path), "two");
        assert!(matches!(other, Err(StoreError::Other { .. })), "{other:?}");
        fs::write(path.join(SUBJECT_FILE), "").unwrap();
        let damaged = Runs::open(Some(&path), "one");
        assert!(matches!(damaged, Err(StoreError::Other { .. })), "{damaged:?}");
        let no_directory = Runs::open(Some(path.join(SUBJECT_FILE)), "one");
        assert!(matches!(no_directory, Err(StoreError::Io { .. })), "{no_directory:?}");
    }

    #[test]
    fn without_a_directory_results_live_in_memory() {
        let runs = Runs::open(None::<PathBuf>, "one").unwrap();
        runs.keep(claimed(&runs, "run"), (true, Vec::new())).unwrap();
        assert!(matches!(runs.take("run").unwrap(), Turn::Kept((true, _))));
        runs.add_known([("other".to_owned(), (false, Vec::new()))]);
        assert!(matches!(runs.take("other").unwrap(), Turn::Kept((false, _))));
        assert_eq!(runs.made(), 1);
    }
}
