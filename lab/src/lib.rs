//! What researchers, but not operators, do with the generator and the simulator: other switches, advice on jobs, and
//! studies of many runs, including those of published figures.
//!
//! - [`advise`] compares ways to wire, place, map, order and route jobs.
//! - [`bisection`] finds the least bandwidth between two halves of the switches.
//! - [`cut_through`] simulates packets of several phits, and OFAR.
//! - [`escape`] finds OFAR's escape networks.
//! - [`scheduler`] says what to request from Slurm or PBS.
//! - [`search`] searches mixtures of shapes, weights and thresholds that suit fabrics.
//! - [`sweep`] makes studies: everything that a file lists, on any number of machines, compared with the statements of
//!   a paper.
//!
//! All use the generator and the simulator, which do not depend on them. Long work reports to a
//! [`tvlb_base::progress::Progress`], which can cancel it.

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
