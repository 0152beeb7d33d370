//! The last lines of a report: which manifest it belongs to, and the hash of the report itself.
//!
//! A report is written after everything else was verified, so no manifest can contain its hash. Instead the report
//! contains the hash of the manifest, and last its own. This detects damage and reports of other tables; like all
//! hashes of a table set it does not prove who wrote them.

use super::sha256;

const OF_MANIFEST: &str = "<!-- SHA-256 of manifest.json: ";
const OF_REPORT: &str = "<!-- SHA-256 of everything above this line: ";
const END: &str = " -->\n";

/// A report with its last lines. `manifest` is the content of the `manifest.json` beside it.
///
/// # Example
/// ```
/// let report = tvlb_table_set::sealed_report("<!DOCTYPE html>…\n", b"{}");
/// assert!(report.ends_with(b" -->\n"));
/// ```
pub fn sealed_report(html: &str, manifest: &[u8]) -> Vec<u8> {
    let report = format!("{html}{OF_MANIFEST}{}{END}", sha256(manifest));
    let own = sha256(report.as_bytes());
    format!("{report}{OF_REPORT}{own}{END}").into_bytes()
}

/// Why a report does not belong to its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealFault {
    #[error("it does not end as the report of a table set does")]
    None,
    #[error("its SHA-256 is another than its last line says; it is damaged")]
    Damaged,
    #[error("it is the report of another manifest.json")]
    OfAnother,
}

/// Checks the last lines of a report against the report and the hash of its manifest.
///
/// # Errors
/// The fault of the report.
pub fn check_seal(report: &[u8], manifest: &str) -> Result<(), SealFault> {
    let (rest, own) = last_line(report, OF_REPORT).ok_or(SealFault::None)?;
    let (_, of) = last_line(rest, OF_MANIFEST).ok_or(SealFault::None)?;
    if sha256(rest).as_bytes() != own {
        return Err(SealFault::Damaged);
    }
    if manifest.as_bytes() != of {
        return Err(SealFault::OfAnother);
    }
    Ok(())
}

/// The hash in the last line, which begins like this, and the text before that line.
fn last_line<'r>(text: &'r [u8], begin: &str) -> Option<(&'r [u8], &'r [u8])> {
    let at = text.len().checked_sub(begin.len() + 64 + END.len())?;
    let (rest, line) = text.split_at(at);
    let hash = line.strip_prefix(begin.as_bytes())?.strip_suffix(END.as_bytes())?;
    Some((rest, hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_holds_for_its_report_and_its_manifest_alone() {
        let report = sealed_report("<p>all is well</p>\n", b"manifest");
        let check = |report: &[u8], manifest: &[u8]| check_seal(report, &sha256(manifest));
        assert_eq!(check(&report, b"manifest"), Ok(()));
        assert_eq!(check(&report, b"another"), Err(SealFault::OfAnother));
        for place in 0..report.len() {
            let mut damaged = report.clone();
            damaged[place] ^= 1;
            assert!(check(&damaged, b"manifest").is_err(), "byte {place}");
            assert!(check(&report[..place], b"manifest").is_err(), "cut at {place}");
        }
        assert_eq!(check(b"<script>alert(1)</script>", b"manifest"), Err(SealFault::None));
    }
}
