//! Why a format cannot express a wiring.

use tvlb_schema::NodeId;
use tvlb_table_set::names::HostError;

/// Why a format cannot express a wiring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The other program has a rule that the wiring breaks.
    #[error("{program} {rule}, but {found}; accepted: {accepted}")]
    Refused {
        program: &'static str,
        /// The program's limit: "keeps one channel between two routers".
        rule: String,
        /// The first part of the wiring that breaks the rule.
        found: String,
        accepted: String,
    },
    #[error("no switch lives that has nodes; accepted: a wiring with at least one host")]
    NoHosts,
    #[error("node {node}{}: {error}", tvlb_table_set::names::after(node, .name.as_deref()))]
    NodeName { node: NodeId, name: Option<String>, error: HostError },
}

impl ExportError {
    /// An error with a program's rule, what breaks it, and what the program would accept.
    pub(super) fn refused(
        program: &'static str,
        rule: impl Into<String>,
        found: impl Into<String>,
        accepted: impl Into<String>,
    ) -> Self {
        let (rule, found, accepted) = (rule.into(), found.into(), accepted.into());
        Self::Refused { program, rule, found, accepted }
    }
}
