//! Traffic and placements as options name them.

use crate::failure::Failure;
use crate::output::read_input;
use std::path::Path;
use tvlb_table_set::names::Parts;
use tvlb_traffic::named::{LISTED, Named, PAIRS};
use tvlb_traffic::{Pattern, PlacementRule};

/// The traffic that --traffic accepts.
pub const PATTERNS: &str = "Traffic (--traffic):
  uniform             each packet to a node drawn from all
  uniform-others      each packet to a node drawn from all but the sender
  shift(Δg,Δs)        from switch (i, j) to switch (i+Δg, j+Δs), same terminal (TYPE_1)
  type2, type2#K      a permutation of groups without fixed ones, and of each group's switches;
                      the first of the seed, or the one of number K, counted from 0
  permutation[#K]     a random permutation of the nodes
  complement          node n to node N−1−n
  mixed(u,v[,Δg,Δs])  u percent of the nodes uniform, v percent shift(Δg,Δs), by default (1,0)
  tmixed(u,v[,Δg,Δs]) the same per packet
  hot-switch          the first switch of each group to that of the next group, the rest uniform
  next-group[(Δg)]    each packet to a node drawn from the group Δg further, by default the next
  adv-consecutive     each packet to a node drawn from the next h groups
                      Where groups differ, all of these but uniform traffic, permutations and
                      complement send to groups of as many switches with as many nodes each.
                      The only group of its kind sends nothing. No node is sent to by two nodes of
                      a shift or type2: the second is silent.
  pairs:FILE          source,destination in each line, by number or name; other nodes are silent
  PATTERN in bursts(A,B)
                      each node sends for A cycles and is silent for B, both on average, at its load on average
  PATTERN then PATTERN [at LOAD] from CYCLE [then ...]
                      other traffic from a cycle on, counted from the beginning of the warm-up

Placements (--place) say on which node each process of the traffic runs:
  identity            process k on node k
  spread              on the nodes of every group's first switch, then of its second, and so on
  random              on nodes in random order
  groups              the processes of each group on a group drawn by the seed, in their order
  listed:FILE         a node in each line, by number or name, of process 0, 1, ...; every node once
";

/// A pattern by name, or "pairs:FILE", which must fit the nodes of a fabric.
pub fn pattern(text: &str, parts: &Parts<'_>) -> Result<Named<Pattern>, Failure> {
    Named::pattern(text, Path::new(""), &[("", parts)])
        .map_err(|error| refused("--traffic", text, PAIRS, &error))
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

/// What is wrong with a file begins with its name, all else with the option.
fn refused(option: &str, text: &str, before_file: &str, error: &str) -> Failure {
    let is_of_file = text.starts_with(before_file);
    Failure::Message(if is_of_file { error.to_owned() } else { format!("{option}: {error}") })
}

/// The content of a file that an option names.
pub fn content(path: &str) -> Result<String, Failure> {
    read_input(path).map_err(|error| Failure::Message(format!("{path}: cannot read it: {error}")))
}
