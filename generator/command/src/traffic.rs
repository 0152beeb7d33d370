//! Traffic and placements as options name them.

use crate::failure::Failure;
use crate::output::read_input;
use std::fmt::Display;
use tvlb_schema::Dragonfly;
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

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

/// A pattern by name, or "pairs:FILE", which must fit a fabric.
pub(crate) fn pattern(text: &str, df: &Dragonfly) -> Result<Pattern, Failure> {
    let Some(path) = text.strip_prefix("pairs:") else {
        return text
            .parse()
            .map_err(|error| Failure::Message(format!("--traffic: {error}, pairs:FILE")));
    };
    let in_file = |error: &dyn Display| Failure::Message(format!("{path}: {error}"));
    let pattern = Pattern::from_pairs(&content(path)?).map_err(|error| in_file(&error))?;
    // Whether pairs fit does not depend on the seed.
    Traffic::new(&pattern, df, 0).map_err(|error| in_file(&error))?;
    Ok(pattern)
}

/// A placement by name, or "listed:FILE", that fits a fabric.
pub(crate) fn placement(text: &str, df: &Dragonfly) -> Result<PlacementRule, Failure> {
    let file = text.strip_prefix("listed:");
    let rule = match file {
        None => text.parse(),
        Some(path) => PlacementRule::from_list(&content(path)?),
    };
    // Whether it fits does not depend on the seed.
    rule.and_then(|rule| rule.on(df, 0).map(|_| rule))
        .map_err(|error| Failure::Message(format!("{}: {error}", file.unwrap_or("--place"))))
}

pub(crate) fn content(path: &str) -> Result<String, Failure> {
    read_input(path).map_err(|error| Failure::Message(format!("{path}: cannot read it: {error}")))
}
