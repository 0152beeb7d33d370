//! Traffic and placements as options name them.

use crate::failure::Failure;
use crate::output::read_input;
use tvlb_schema::Nodes;
use tvlb_traffic::{Pattern, PlacementRule};

/// The traffic that --traffic accepts.
pub(crate) const PATTERNS: &str = "Traffic (--traffic):
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
  pairs:FILE          source,destination in each line; other nodes are silent

Placements (--place) say on which node each process of the traffic runs:
  identity            process k on node k
  groups              the processes of each group on a group drawn by the seed, in their order
  listed:FILE         a node in each line, of process 0, 1, ...; every node once
";

/// A pattern by name, or "pairs:FILE".
pub(crate) fn pattern(text: &str) -> Result<Pattern, Failure> {
    let Some(path) = text.strip_prefix("pairs:") else {
        return text
            .parse()
            .map_err(|error| Failure::Message(format!("--traffic: {error}, pairs:FILE")));
    };
    Pattern::from_pairs(&content(path)?)
        .map_err(|error| Failure::Message(format!("{path}: {error}")))
}

/// A placement by name, or "listed:FILE", that fits the nodes of a fabric.
pub(crate) fn placement(text: &str, nodes: &Nodes) -> Result<PlacementRule, Failure> {
    let file = text.strip_prefix("listed:");
    let rule = match file {
        None => text.parse(),
        Some(path) => PlacementRule::from_list(&content(path)?),
    };
    // Whether it fits does not depend on the seed.
    rule.and_then(|rule| rule.on(nodes, 0).map(|_| rule))
        .map_err(|error| Failure::Message(format!("{}: {error}", file.unwrap_or("--place"))))
}

fn content(path: &str) -> Result<String, Failure> {
    read_input(path).map_err(|error| Failure::Message(format!("{path}: cannot read it: {error}")))
}
