//! What a line of a study of cut-through switches says: how packets find their ways, and the settings of its runs.

use crate::cut_through::{CutThrough, Piggybacking, Routing};
use crate::sweep::asked::{EscapeChoice, RoutingKind, RoutingLine};
use toml::Value;
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_ofar::{EscapeKind, OfarRules};

impl RoutingLine {
    pub(super) fn settings(&self) -> Result<CutThrough, String> {
        let routing = match self.routing {
            RoutingKind::Ofar => Routing::Ofar(self.ofar_rules()?),
            RoutingKind::Piggybacking => {
                let [percent, packets] = self.congestion.unwrap_or([200, 5]);
                Routing::Piggybacking(Piggybacking { percent, packets, like_fogsim: false })
            }
            RoutingKind::UgalL => Routing::Scheme(Scheme::UgalL),
            RoutingKind::UgalG => Routing::UgalG,
            RoutingKind::Par => Routing::Scheme(Scheme::Par),
        };
        let is_scheme = matches!(routing, Routing::Scheme(_) | Routing::UgalG);
        let paths = if is_scheme && self.policies.is_none() {
            VlbPaths::Conventional
        } else {
            VlbPaths::Custom
        };
        let stated = self.settings.stated().map_err(|error| format!("{}: {error}", self.name))?;
        Ok(stated.over(CutThrough::new(routing, paths)))
    }

    /// The default rules with those that the line names.
    fn ofar_rules(&self) -> Result<OfarRules, String> {
        let defaults = Value::try_from(OfarRules::default()).expect("rules are plain values");
        let mut table = defaults.as_table().expect("rules have names").clone();
        table.extend(self.rules.clone());
        let read: Result<OfarRules, toml::de::Error> = Value::Table(table).try_into();
        read.map_err(|error| format!("{}: rules: {}", self.name, error.message()))
    }

    /// The policies of the images that it boots from.
    pub(super) fn policies(&self) -> &str {
        self.policies.as_deref().unwrap_or("valg")
    }

    pub(super) const fn escape(&self) -> Option<EscapeKind> {
        match (self.routing, self.escape) {
            (RoutingKind::Ofar, EscapeChoice::Ring) => Some(EscapeKind::Ring),
            (RoutingKind::Ofar, EscapeChoice::Tree) => Some(EscapeKind::Tree),
            _ => None,
        }
    }
}
