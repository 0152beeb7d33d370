//! The files of a machine, which may be large, and what they have in common.

use std::io::{BufReader, Read};
use std::path::Path;
use tvlb_base::text::{NamedText, Refused};
use tvlb_table_set::input_file::{self, Symlinks};

/// A dump of all links may be one line.
pub(crate) const MOST_DUMP_LINE_BYTES: usize = 1 << 30;
/// The largest file that is read, in bytes. It has fewer than 2³² lines.
const MOST_FILE_BYTES: u64 = 4 << 30;
/// The most rows or records that are read, of all files together. With it, every number of switches,
/// nodes and links fits 32 bits.
pub(crate) const MOST_RECORDS: usize = 100_000_000;

/// A regular file of at most 4 GiB.
///
/// # Errors
/// The file cannot be opened, is not a regular file, or is too large.
pub fn open(path: &Path) -> Result<NamedText<'static>, Refused> {
    let file = path.display().to_string();
    let (opened, found) = match input_file::open(path, Symlinks::Follow) {
        Ok(opened) => opened,
        Err(error) => return Err(Refused::unreadable(&file, &error)),
    };
    if found > MOST_FILE_BYTES {
        let accepted = format!("at most {MOST_FILE_BYTES}");
        return Err(Refused::new(format!("found {found} bytes"), accepted).in_file(&file));
    }
    // A file that grows meanwhile is not read any further than that.
    let text = BufReader::with_capacity(1 << 18, opened.take(MOST_FILE_BYTES));
    Ok(NamedText::of_reader(file, text))
}

/// That more was found in all files together.
pub(crate) fn too_many_records() -> Refused {
    let found = format!("found more than {MOST_RECORDS} rows or records in all files together");
    Refused::new(found, "at most that many")
}

/// That a file has a header and nothing else.
pub(crate) fn no_rows(file: &str) -> Refused {
    Refused::new("found no row below the header", "at least one").in_file(file)
}

/// That a file is an interconnect dump of a Cray XC.
pub(crate) fn aries(accepted: &'static str) -> Refused {
    let found = "found a line of a Cray XC (Aries) interconnect dump; its groups have two dimensions, which \
                 tvlb does not support";
    Refused::new(found, accepted)
}

/// Whether a line is one of an interconnect dump of a Cray XC, as in
/// `c4-1c2s9a0l13(8:2:9) blue -> c0-0c1s9a0l02(0:1:9)`.
pub(crate) fn is_aries(line: &str) -> bool {
    let mut rest = line.as_bytes();
    for part in ["c", "-", "c", "s", "a", "l"] {
        let Some(after) = rest.strip_prefix(part.as_bytes()) else { return false };
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &after[digits..];
    }
    rest.starts_with(b"(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_file_is_refused_before_it_is_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("huge.csv");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(MOST_FILE_BYTES).unwrap();
        assert!(open(&path).is_ok());
        file.set_len(MOST_FILE_BYTES + 1).unwrap();
        let error = open(&path).err().unwrap().to_string();
        let expected = "huge.csv: found 4294967297 bytes, accepted at most 4294967296";
        assert!(error.ends_with(expected), "{error}");
    }

    #[test]
    fn lines_of_an_interconnect_dump_are_known() {
        assert!(is_aries("c14-1c2s9a0l13(8:2:9) blue -> unused"));
        for other in ["", "cable_id,src", "c1-1c2s9a0l13", "c-1c2s9a0l13(8:2:9)", "x1c0r1"] {
            assert!(!is_aries(other), "{other}");
        }
    }
}
