//! What researchers do with the generator and the simulator, and operators do not: the published
//! figures of the T-UGAL paper, and studies of many simulated runs.
//!
//! - [`advise`] compares ways to wire, place, map, order and route jobs.
//! - [`cut_through`] simulates packets of several phits, and OFAR.
//! - [`experiment`] repeats a figure or table of the paper.
//! - [`sweep`] runs every combination that a sweep file lists, on as many machines as there are.
//!
//! Both are built upon the generator and the simulator, which know nothing of them. Long work reports
//! to a [`tvlb_base::progress::Progress`] and is cancelled by it.

pub mod advise;
pub mod cut_through;
pub mod experiment;
pub mod sweep;

#[cfg(test)]
#[path = "../../generator/simulator/src/test_images.rs"]
mod test_images;
