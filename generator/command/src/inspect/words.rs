//! What the text of a switch and its page say in the same words.

use std::fmt::{self, Display, Formatter};
use tvlb_firmware_model::Channels;
use tvlb_schema::MinCandidate;

/// What there is to say of the MIN path that a second look weighs.
pub(super) fn second_min(min: MinCandidate) -> String {
    match min {
        MinCandidate::Kept => String::new(),
        min => format!(", MIN = {}", min.name()),
    }
}

/// Numbers of virtual channels in words.
pub(super) struct Count(pub(super) Channels);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} on local and {} on global links", self.0.local, self.0.global)
    }
}
