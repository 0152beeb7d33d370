//! What crosses crates: the images, the datapath and the generator compared.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod boot_refuses;
mod candidates;
mod channels_form_no_circle;
mod channels_of_sets;
mod draws_follow_the_rule;
mod explanations;
mod faults;
mod foreign;
mod golden;
mod golden_kinds;
mod hostile_bytes;
mod images_mean_the_set;
mod link_masks;
mod links;
mod ofar;
mod onward;
mod packets_arrive;
mod public_items;
mod thinning;
mod told;
mod uneven_wirings;
mod words;
