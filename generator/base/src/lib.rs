//! Helpers that every host crate uses; no pipeline stage is here: progress and cancelling, tables, how these are drawn,
//! parameters, texts that people write, and numbers as they are written.

pub mod drawing;
pub mod number;
pub mod parameter;
pub mod progress;
pub mod table;
pub mod text;
