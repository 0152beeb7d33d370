//! The first line of a CSV file that counts: its columns.

use super::error::SlingshotError;
use crate::lines::{Fields, Place, shown};

/// Refuses a header that is not this one.
pub(super) fn check_header(
    place: &Place,
    header: &Fields,
    columns: &[&str],
) -> Result<(), SlingshotError> {
    for column in 0..columns.len().max(header.len()) {
        let found = (column < header.len()).then(|| header.get(column));
        if found != columns.get(column).copied() {
            let absent = || "the end of the line".to_owned();
            return Err(SlingshotError::Header {
                place: place.clone(),
                column: column + 1,
                found: found.map_or_else(absent, shown),
                accepted: columns.get(column).map_or_else(absent, |name| shown(name)),
            });
        }
    }
    Ok(())
}
