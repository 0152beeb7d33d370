//! From a Dragonfly's fabric file to install-time routing images, as a library of stages.
//!
//! Data flows one way: fabric file, topology, routes and sets, images, written directory. Each
//! stage takes plain values and returns plain values; reading and writing stay at the edges.

pub mod balance;
pub mod choose;
pub mod diff;
pub mod fabric;
pub mod fabric_file;
pub mod generate;
pub mod image;
pub mod input_file;
pub mod report;
pub mod routes;
pub mod set_grammar;
pub mod table_set;
pub mod throughput;
pub mod topology;
pub mod verify;
pub mod whole_file;
