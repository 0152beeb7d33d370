//! What the columns of tables mean, for the long help of the commands that print them. The pages in
//! docs/reference say more.

/// The table of `tvlb model`.
pub const MODEL: &str = "Columns (docs/reference/model.md says more, of CSV too):
  set         the set; * where no set has more throughput without more hops
  throughput  flits per node and cycle that the network could carry at best, a mean over patterns
  ± SE        standard error of this mean over the patterns, in the same unit
  worst       the throughput of the pattern with the least, in the same unit
  hops        mean links between switches of a VLB path
";

/// The tables of `tvlb generate` where it chooses the sets.
pub const CHOICE: &str = "Columns of the choice (docs/reference/choosing-sets.md says more):
  VLB paths            the set and how it is weighed: conventional, the paper's choice, and ours
  modelled             throughput by the model of Step 1, in flits per node and cycle
  saturation           flits per node and cycle at which the mean latency passes the limit that is
                       said below the rows; a mean over the adversarial patterns
  hops                 mean links between switches of a VLB path
  latency at 0.1       mean latency in cycles at the load that the heading says
  worst served         what is delivered of the node that is served worst, over the mean of all
  ahead ... by, ±      difference of mean saturations, and its standard error over the patterns
  E, carried by        the largest saturation of MIN, conventional VLB and conventional UGAL, in
                       flits per node and cycle, and whose it is
  regret               1 - S/E, in percent, where S is the saturation of the set
";

/// The tables of `tvlb diff`.
pub const DIFF: &str = "Columns (docs/reference/diff.md says more):
  affected               ordered pairs of switches whose packets take other paths; N/M of a sample
  mean hops              mean links between switches of a path as packets draw it
  link: most             flits per cycle on the busiest link, if each node sends one per cycle
  bytes (differ)         bytes of a switch's image, and how many of them differ
  destinations affected  switches to which packets take other paths, by MIN and by each decision's
                         set
  global ports rewired   global ports of a switch with another cable
";

/// What `tvlb faults` says.
pub const FAULTS: &str = "Output (docs/reference/faults.md says more):
  dead     links between groups, links within groups, and switches that are dead
  install  what switches have to take: the fault image and its bytes, and the switches with a new
           image
  lost     ordered pairs of switches that live and have lost their minimal paths, all routes of a
           decision's set, or every path
  channels pairs that need more virtual channels than the sets need by the plan, if there are any
";

/// The tables of `tvlb-lab sweep`.
pub const SWEEP: &str = "Columns of runs.csv (docs/reference/simulate.md explains all of them):
  fabric ... placement     what was run
  load, seed, population   flits that each node offers per cycle; the seed; all nodes, or a part
  saturated                whether the mean latency was above the limit of the study, 500 cycles if
                           it names none
  latency ... max          mean, percentiles and largest latency, in cycles
  network-latency          mean cycles from the node's sending to delivery
  accepted                 flits delivered per sending node and cycle
  hops, vlb-share          mean links between switches of a packet; share of packets by VLB
  least, most, jain        flits per cycle of the nodes that were served worst and best; Jain's
                           index of fairness
  local-..., global-...    flits per cycle on links within and between groups: mean and busiest
  growing                  whether the mean latency was still growing as the measurement ended
  threshold ... gate       how decisions weighed
  faults                   the list of what is dead
  vc-scheme ... latency-limit
                           the settings
Columns paths and variant, where the file names them: what it calls a set, and settings.
figures.csv, of studies of other things: docs/reference/sweep.md says what is measured.
Columns of summary.csv: seeds, and how many of them were saturated or growing; means over seeds,
with their standard errors as latency-error, p99-error and accepted-error.
`tvlb-lab plot DIR/runs.csv -o PICTURE.svg` draws them.
";
