//! What a switch has to do to draw a route, beside the routes themselves, which the topology counts.

pub mod draw_work;

pub use tvlb_topology::routes::*;
