//! Jobs, their placement and their patterns of communication as options name them.

use crate::failure::Failure;
use crate::output::read_input;
use std::fmt::Display;
use tvlb_workload::{JobPlacement, MessageList, Motif, matrix_market};

/// What `--with`, `--map` and patterns of communication accept.
pub(crate) const HELP: &str =
    "Placements (--with): the order in which jobs, one after the other, take nodes
  cluster             by rising number
  spread              those of every group's first switch, then of its second, and so on
  random              in random order
  groups              by rising number, but the groups in random order
  listed:FILE         in the order of a list, a node in each line, and no others

Maps (--map): on which of its job's nodes a rank runs
  linear              ranks fill one node after the other
  random              each rank on a node drawn from those with room
  bisect              ranks that exchange many bytes near to each other, by recursive bisection

Patterns of communication (--graph, --workload):
  alltoall            every rank with every other
  bisection [rotated] every rank with every rank of the other half, by rising number of the partner
                      or, rotated, so that in each step every rank has another one
  halo3d[:XxYxZ]      neighbours on a grid, along all three axes; x is the fastest
  neighbour[:XxYxZ][:AXIS]
                      neighbours on a grid along one axis, z by default
  graph:FILE          the pattern of a matrix in the Matrix Market format
  messages:FILE       CSV: from,to,bytes or from,to,bytes,phase
";

/// What is wrong, after the option or file that it is about.
pub(crate) fn refused(place: &str, error: impl Display) -> Failure {
    Failure::Message(format!("{place}: {error}"))
}

/// The file of a placement that is listed.
pub(crate) fn file_of(text: &str) -> Option<&str> {
    text.strip_prefix("listed:")
}

/// A placement by name, or with its file, as an option names it.
pub(crate) fn placement(option: &str, text: &str) -> Result<JobPlacement, Failure> {
    match file_of(text) {
        Some(path) => {
            JobPlacement::from_list(&content(path)?).map_err(|error| refused(path, error))
        }
        None => text.parse().map_err(|error| refused(option, error)),
    }
}

/// A pattern of communication by name, or with its file, as an option names it.
pub(crate) fn motif(option: &str, text: &str) -> Result<Motif, Failure> {
    if let Some(path) = text.strip_prefix("graph:") {
        let graph = matrix_market::parse(&content(path)?);
        return graph.map(Motif::Graph).map_err(|error| refused(path, error));
    }
    if let Some(path) = text.strip_prefix("messages:") {
        let list = MessageList::parse(&content(path)?);
        return list.map(Motif::Messages).map_err(|error| refused(path, error));
    }
    text.parse().map_err(|error| refused(option, error))
}

/// The text of a file.
fn content(path: &str) -> Result<String, Failure> {
    read_input(path).map_err(|error| refused(path, format_args!("cannot read it: {error}")))
}
