//! Where the lines of these experiments draw VLB paths from.

use super::super::error::ExperimentError;
use super::super::options::Options;
use super::super::rules::Rules;
use super::whole::FABRIC_SEED;
use serde::{Deserialize, Serialize};
use tvlb_base::progress::Progress;
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::balance::Balancer;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::{Policy, PolicyPair};
use tvlb_schema::PerDecision;
use tvlb_simulator::Scheme;
use tvlb_topology::routes::count::RouteCounter;

/// What `tvlb generate tables/dfly-4-8-4-9.toml` chooses for UGAL-L, with its load balanced.
pub(super) const CHOSEN_UGAL: &str = "shapes:011 by shape 1x4 gate=1.25";
pub(super) const CHOSEN_PAR: &str = "shapes:110 by shape 1x4 gate=2 \
     then switches:2-3 with returns 1x4 gate=1.25 MIN=shortest";

/// Where the packets of a line draw their VLB paths from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// All of them: conventional UGAL or PAR.
    Conventional,
    /// The choice of the T-UGAL paper, by the rules of its authors' simulator.
    Paper,
    /// What `generate` chooses for the whole fabric, or what the user names.
    Chosen,
    /// What `generate` chooses for the fabric without its dead cables.
    ChosenAgain,
}

impl Paths {
    /// The heading of a column, and the name of a line.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::Paper => "the paper's set",
            Self::Chosen => "our sets, chosen for the whole fabric",
            Self::ChosenAgain => "our sets, chosen again",
        }
    }

    /// The name in files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::Paper => "paper",
            Self::Chosen => "chosen",
            Self::ChosenAgain => "chosen-again",
        }
    }

    /// Where the datapath draws VLB candidates from.
    pub(super) const fn source(self) -> VlbPaths {
        match self {
            Self::Conventional => VlbPaths::Conventional,
            Self::Paper | Self::Chosen | Self::ChosenAgain => VlbPaths::Custom,
        }
    }

    /// The policies of the whole fabric. Those that are chosen again are another fabric's.
    pub(super) fn policies(
        self,
        fabric: &Fabric,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<PerDecision<Policy>, ExperimentError> {
        match self {
            Self::Conventional => Rules::Conventional.policies(options, FABRIC_SEED),
            Self::Paper => Rules::Published.policies(options, FABRIC_SEED),
            Self::Chosen | Self::ChosenAgain => chosen(fabric, options, progress),
        }
    }
}

fn chosen(
    fabric: &Fabric,
    options: &Options,
    progress: &dyn Progress,
) -> Result<PerDecision<Policy>, ExperimentError> {
    let read = |text: &str, option: &'static str| {
        PolicyPair::parse(text, FABRIC_SEED)
            .map_err(|error| ExperimentError::Policy { option, error })
    };
    let ugal_l = if let Some(text) = &options.ours_ugal {
        read(text, "--ours-ugal")?.source
    } else {
        let unbalanced = read(CHOSEN_UGAL, "--ours-ugal")?.source;
        Balancer::new(&RouteCounter::new(&fabric.topology)).balanced(&unbalanced, progress)?
    };
    let par = options.ours_par.as_deref().unwrap_or(CHOSEN_PAR);
    let PolicyPair { source, second } = read(par, "--ours-par")?;
    Ok(PerDecision { ugal_l, par_source: source, par_second: second })
}

/// The policies of a scheme as text.
pub(super) fn text(scheme: Scheme, paths: Paths, policies: &PerDecision<Policy>) -> String {
    let thinned = |policy: &Policy| if policy.levels.is_empty() { "" } else { ", balanced" };
    match (paths, scheme) {
        (Paths::Conventional, _) => "conventional".to_owned(),
        (_, Scheme::Par) => {
            let PerDecision { par_source, par_second, .. } = policies.clone();
            let balanced = [thinned(&par_source), thinned(&par_second)];
            let which = if balanced[0].is_empty() { balanced[1] } else { balanced[0] };
            format!("{}{which}", PolicyPair { source: par_source, second: par_second })
        }
        _ => format!("{}{}", policies.ugal_l, thinned(&policies.ugal_l)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_chosen_sets_are_those_that_the_measurements_tell_of() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/measurements/step-2.md");
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains(&format!(
            "| policy | | `switches:2-3 with returns` | `{CHOSEN_UGAL}`, balanced |"
        )));
        assert!(
            page.contains(&format!("`switches:2-3 with returns MIN=shortest` | `{CHOSEN_PAR}` |"))
        );
    }

    #[test]
    fn the_user_can_name_others() {
        let fabric = super::super::whole::whole_fabric().unwrap();
        let policies = Paths::Chosen.policies(&fabric, &Options::default(), &()).unwrap();
        let said = |scheme| text(scheme, Paths::Chosen, &policies);
        assert_eq!(said(Scheme::UgalL), format!("{CHOSEN_UGAL}, balanced"));
        assert_eq!(said(Scheme::Par), CHOSEN_PAR);
        let options = Options { ours_ugal: Some("shapes:011".to_owned()), ..Options::default() };
        let policies = Paths::Chosen.policies(&fabric, &options, &()).unwrap();
        assert_eq!(text(Scheme::UgalL, Paths::Chosen, &policies), "shapes:011");
        assert_eq!(text(Scheme::UgalL, Paths::Conventional, &policies), "conventional");
    }
}
