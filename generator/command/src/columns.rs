//! What the columns of tables mean, for the long help of the commands that print them. The pages in
//! docs/reference say more.

use tvlb_base::table;

/// The table of `tvlb model`.
pub(crate) fn model() -> String {
    let columns = table::help(&tvlb_throughput::report::COLUMNS);
    format!("Columns (docs/reference/model.md says more, of CSV too):\n{columns}")
}

/// The tables that `tvlb generate` prints when it chooses sets.
pub(crate) fn choice() -> String {
    let columns = tvlb_generator::choose::table::help();
    format!("Columns of the choice (docs/reference/choosing-sets.md says more):\n{columns}")
}

/// The tables of `tvlb diff`.
pub(crate) fn diff() -> String {
    format!("Columns (docs/reference/diff.md says more):\n{}", tvlb_generator::diff::help())
}

/// The output of `tvlb faults`.
pub(crate) const FAULTS: &str = "Output (docs/reference/faults.md says more):
  dead     links between groups, links within groups, and switches that are dead
  install  what switches have to take: the fault image and its bytes, and the switches with a new
           image
  lost     ordered pairs of switches that live and have lost their minimal paths, all routes of a
           decision's set, or every path
  channels pairs that need more virtual channels than the sets need by the plan, if there are any
";
