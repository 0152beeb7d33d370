//! What a switch has to do to draw a route, and how often it draws each, beside the routes themselves, which the topology counts.

pub mod draw_work;
pub mod drawn_routes;
