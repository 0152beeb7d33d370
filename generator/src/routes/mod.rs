//! The cost of drawing a route, and the probability of each route that a switch draws. The topology counts routes.

pub mod draw_work;
pub mod drawn_routes;
