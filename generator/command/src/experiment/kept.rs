//! The runs of an experiment, one file for each, so that one that was interrupted goes on.
//!
//! A file has the name of the hash of all that the run depends on, the images included, so a
//! directory can serve any number of experiments, and a run that is in it is the run that would be
//! made.

use super::curves::Point;
use super::to_json;
use crate::failure::Failure;
use crate::output::write_file;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use tvlb_generator::input_file::{self, Links};
use tvlb_generator::table_set::sha256;
use tvlb_simulator::Settings;

/// No file is larger.
const MOST_BYTES: u64 = 64 << 10;

/// All that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Subject<'s> {
    pub(super) tool_version: &'static str,
    /// The hash of all images.
    pub(super) images: &'s str,
    pub(super) settings: &'s Settings,
    pub(super) traffic: String,
    pub(super) load: f64,
    pub(super) seed: u64,
}

#[derive(Serialize)]
struct Written<'w> {
    subject: &'w Subject<'w>,
    point: &'w Point,
}

#[derive(Deserialize)]
struct Read {
    point: Point,
}

/// Where runs are kept, if they are.
pub(super) struct Kept<'k>(pub(super) Option<&'k Path>);

impl Kept<'_> {
    /// The run from its file, or made and kept.
    pub(super) fn recall_or(
        &self,
        subject: &Subject<'_>,
        make: impl FnOnce() -> Result<Point, Failure>,
    ) -> Result<Point, Failure> {
        let Some(directory) = self.0 else { return make() };
        let json = serde_json::to_vec(subject).map_err(Failure::of)?;
        let path = directory.join(format!("{}.json", sha256(&json)));
        if let Some(point) = read(&path)? {
            return Ok(point);
        }
        let point = make()?;
        let written = Written { subject, point: &point };
        fs::create_dir_all(directory)
            .map_err(|error| said(&path, &format!("cannot write it: {error}")))?;
        write_file(&path, &to_json(&written)?)?;
        Ok(point)
    }
}

fn read(path: &Path) -> Result<Option<Point>, Failure> {
    let bytes = match input_file::read(path, MOST_BYTES, Links::Follow) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(said(path, &format!("cannot read it: {error}"))),
    };
    match serde_json::from_slice(&bytes) {
        Ok(Read { point }) => Ok(Some(point)),
        Err(error) => Err(said(path, &format!("it holds no run ({error}); remove it"))),
    }
}

fn said(path: &Path, what: &str) -> Failure {
    Failure::Message(format!("{}: {what}", path.display()))
}
