//! What researchers do with the generator and the simulator, and operators do not: other switches, advice on jobs,
//! and studies of many runs, those of published figures among them.
//!
//! - [`advise`] compares ways to wire, place, map, order and route jobs.
//! - [`bisection`] finds the least bandwidth between two halves of the switches.
//! - [`cut_through`] simulates packets of several phits, and OFAR.
//! - [`escape`] finds OFAR's escape networks.
//! - [`scheduler`] says what to ask Slurm or PBS for.
//! - [`search`] looks for mixtures of shapes, weights and thresholds that suit fabrics.
//! - [`sweep`] makes studies: all that a file lists, on as many machines as there are, held against what a paper
//!   states.
//!
//! All are built upon the generator and the simulator, which know nothing of them. Long work reports
//! to a [`tvlb_base::progress::Progress`] and is cancelled by it.

pub mod advise;
pub mod bisection;
pub mod cut_through;
pub mod escape;
pub mod scheduler;
pub mod search;
pub mod sweep;

#[cfg(test)]
#[path = "../../generator/simulator/src/test_images.rs"]
mod test_images;
