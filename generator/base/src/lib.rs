//! What every crate of the host stands on, and no stage: progress and cancelling, tables, how these
//! are drawn, parameters, texts that people write, and numbers as they are written.

pub mod drawing;
pub mod number;
pub mod parameter;
pub mod progress;
pub mod table;
pub mod text;
