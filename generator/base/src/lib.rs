//! What every crate of the host stands on, and no stage: progress and cancelling, and texts that people write.

pub mod progress;
pub mod text;
