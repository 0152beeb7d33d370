//! Traffic and placements named by options.

use crate::failure::Failure;
use crate::output::read_input;
use std::path::Path;
use tvlb_table_set::names::Parts;
use tvlb_traffic::named::{FLOWS, LISTED, Named};
use tvlb_traffic::{Pattern, PlacementRule};

/// A pattern by name, or "flows:FILE", which must fit the nodes of a fabric.
pub fn pattern(text: &str, parts: &Parts<'_>) -> Result<Named<Pattern>, Failure> {
    Named::pattern(text, Path::new(""), &[("", parts)])
        .map_err(|error| refused("--traffic", text, FLOWS, &error))
}

/// A placement by name, or "listed:FILE", that fits a fabric.
pub fn placement(text: &str, parts: &Parts<'_>) -> Result<Named<PlacementRule>, Failure> {
    let named = Named::placement(text, Path::new(""), &[("", parts)])
        .map_err(|error| refused("--place", text, LISTED, &error))?;
    // Whether it fits does not depend on the seed.
    named.rule.on(parts.existing_nodes(), 0).map_err(|error| {
        let place = text.strip_prefix(LISTED).unwrap_or("--place");
        Failure::Message(format!("{place}: {error}"))
    })?;
    Ok(named)
}

/// The error: an error in a file begins with the file's name, any other with the option.
fn refused(option: &str, text: &str, before_file: &str, error: &str) -> Failure {
    let is_of_file = text.starts_with(before_file);
    Failure::Message(if is_of_file { error.to_owned() } else { format!("{option}: {error}") })
}

/// The content of a file that an option names.
pub fn content(path: &str) -> Result<String, Failure> {
    read_input(path).map_err(|error| Failure::Message(format!("{path}: cannot read it: {error}")))
}
