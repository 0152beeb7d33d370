//! From a fabric to a verified table set in a directory, in one call.
//!
//! [`make`] chooses the sets if the fabric file leaves them open, thins them if requested, refuses sets that cost a
//! switch too much, and makes the images. [`write()`] writes them beside the target, verifies the files on disk, adds
//! the report, and gives the directory its name. [`run`] does both. Promises: the target holds either a complete,
//! verified table set or what it held before; the same fabric and settings make the same bytes.

use crate::balance::Balancer;
use crate::checked_fabric::{CheckedFabric, Unreachable, fabric_image};
use crate::choose::{ChoiceOptions, ChooseError, RunsMade, choose};
use crate::fabric::Fabric;
use crate::fabric_file::FabricFile;
use crate::image::ImageStageError;
use crate::plain::{self, NotPlain};
use crate::policy::{Policies, Policy};
use crate::report::{self, Subject};
use crate::routes::draw_work::{DrawWork, TooMuchWork};
use crate::tables::{self, Generated};
use std::path::Path;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_base::stage_errors;
use tvlb_schema::{Decision, PerDecision};
use tvlb_table_set::{Existing, REPORT_FILE, WriteError};
use tvlb_throughput::report::Report;
use tvlb_verify::{Certificate, VerifyError, verify_tables};

/// VLB walks that are verified before a table set takes its name: all up to some 80 switches, beyond that a sample that
/// takes seconds.
const MOST_WALKS: u64 = 20_000_000;

/// How to make a table set, besides the fabric file.
#[derive(Clone, Debug, Default)]
pub struct GenerateSettings {
    /// How to choose sets that the fabric file leaves open.
    pub choice: ChoiceOptions,
    /// Whether switches thin sets that are given, or chosen by the model alone, until links are used evenly. A choice
    /// by simulation judges unthinned sets.
    pub balance: bool,
    /// Policies that replace those of the fabric file.
    pub policies: Option<Policies>,
}

impl GenerateSettings {
    /// The policies of a fabric.
    pub fn policies_of(&self, file: &FabricFile) -> Policies {
        let of_file = || file.policies.given().map_or(Policies::Chosen, Policies::Given);
        self.policies.clone().unwrap_or_else(of_file)
    }
}

/// A table set in memory, and the results of its making.
#[derive(Debug)]
pub struct TablesInMemory {
    /// The manifest and the images.
    pub tables: Generated,
    /// The policy of each decision in the images.
    policies: PerDecision<Policy>,
    /// The cost of a draw for a switch, by decision.
    pub draw_work: PerDecision<DrawWork>,
    /// Step 1's report; `None` if the sets were given or the fabric is too large for the model.
    modelled: Option<Report>,
    /// Who made the runs by which the sets were chosen; all 0 if the sets were given.
    pub runs: RunsMade,
}

/// Why no table set was made. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    #[error("--plain: {0}")]
    NotPlain(#[from] NotPlain),
    #[error(transparent)]
    Choose(#[from] ChooseError),
    #[error(transparent)]
    DrawWork(#[from] TooMuchWork),
    #[error(transparent)]
    Images(ImageStageError),
    #[error(transparent)]
    Write(WriteError),
    #[error(
        "the tables do not pass verification, which is a bug in tvlb; nothing was written: {0}"
    )]
    Verify(VerifyError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

stage_errors!(PipelineError: Images(ImageStageError), Write(WriteError), Verify(VerifyError));

/// Makes and writes the table set of a fabric: see [`make`] and [`write()`].
///
/// # Errors
/// The first failure, or the work was cancelled. The target is unchanged.
///
/// # Example
/// ```
/// use tvlb_generator::fabric::Fabric;
/// use tvlb_generator::pipeline::{self, GenerateSettings};
/// use tvlb_table_set::Existing;
///
/// # let home = tempfile::tempdir()?;
/// # let lab = home.path().join("lab.toml");
/// # std::fs::write(&lab, "name = \"lab\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\n[routing]\nset = \"all\"")?;
/// let fabric = Fabric::load(&lab)?;
/// let tables = home.path().join("tables");
/// let (made, certificate) =
///     pipeline::run(&fabric, &GenerateSettings::default(), &tables, Existing::Refuse, &())?;
/// assert_eq!((made.tables.images.switches.len(), certificate.pairs), (20, 380));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    fabric: &Fabric,
    settings: &GenerateSettings,
    target: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<(TablesInMemory, Certificate), PipelineError> {
    let image = fabric_image(&fabric.topology);
    let fabric = &CheckedFabric::new(fabric, &image)?;
    let made = make(fabric, settings, progress)?;
    let certificate = write(fabric, settings, &made, (target, existing), progress)?;
    Ok((made, certificate))
}

/// Makes the table set of a fabric in memory.
///
/// # Errors
/// The first failure, or the work was cancelled.
pub fn make(
    fabric: &CheckedFabric<'_>,
    settings: &GenerateSettings,
    progress: &dyn Progress,
) -> Result<TablesInMemory, PipelineError> {
    let mut runs = RunsMade::default();
    let policies = settings.policies_of(&fabric.file);
    if settings.choice.plain {
        plain::check(fabric, policies.given(), &settings.choice.candidates)?;
    }
    let (mut decided, entry, modelled) = match policies {
        Policies::Given(policies) | Policies::OfSetFile(policies) => (policies, None, None),
        Policies::Chosen => {
            let choice = choose(fabric, &settings.choice, progress)?;
            runs = choice.runs;
            (choice.policies, Some(choice.entry), choice.modelled)
        }
    };
    if settings.balance {
        decided = balanced(fabric, &decided, progress)?;
    }
    let work = |policy: &Policy| -> Result<DrawWork, PipelineError> {
        let work = fabric.draw_work(policy, progress)?;
        work.check(&policy.rule).map_err(|error| error.with_names(&fabric.names))?;
        Ok(work)
    };
    let draw_work = PerDecision {
        ugal_l: work(&decided.ugal_l)?,
        par_source: work(&decided.par_source)?,
        par_second: work(&decided.par_second)?,
    };
    let tables = tables::encode(fabric, (&decided, entry), progress)?;
    Ok(TablesInMemory { tables, policies: decided, draw_work, modelled, runs })
}

/// Writes a table set that [`make`] made for this fabric with these settings, verifies it on disk (completely, or on
/// large fabrics a sample), and adds its report.
///
/// # Errors
/// The first failure, or the work was cancelled. The target is unchanged.
pub fn write(
    fabric: &CheckedFabric<'_>,
    settings: &GenerateSettings,
    made: &TablesInMemory,
    (target, existing): (&Path, Existing),
    progress: &dyn Progress,
) -> Result<Certificate, PipelineError> {
    let files = made.tables.files();
    progress.stage("files", Some(files.len()));
    let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
    let mut verified = None;
    let seal = |written: &Path| {
        let (certificate, report) = verified_report(fabric, settings, made, written, progress)?;
        verified = Some(certificate);
        Ok::<_, PipelineError>((REPORT_FILE, report))
    };
    tvlb_table_set::write(target, contents, existing, progress, seal)?;
    Ok(verified.expect("a table set is sealed before it is renamed"))
}

/// Verifies a table set that [`make`] made in the directory that it was written to, and returns the report for that
/// directory.
///
/// # Errors
/// A finding of the verification, or the work was cancelled.
pub fn verified_report(
    fabric: &CheckedFabric<'_>,
    settings: &GenerateSettings,
    made: &TablesInMemory,
    written: &Path,
    progress: &dyn Progress,
) -> Result<(Certificate, Vec<u8>), PipelineError> {
    let settings_of_verify = tvlb_verify::VerifySettings { most_walks: MOST_WALKS, seed: 1 };
    let certificate = verify_tables(written, settings_of_verify, progress)?;
    let manifest = &made.tables.manifest;
    let subject = Subject {
        fabric,
        options: &settings.choice,
        asked: settings.policies.as_ref(),
        modelled: made.modelled.as_ref(),
        policies: &made.policies,
        manifest,
        images: &made.tables.images,
        certificate: &certificate,
    };
    let report = tvlb_table_set::sealed_report(&report::html(&subject), &manifest.to_json());
    Ok((certificate, report))
}

/// The policies with each set balanced.
fn balanced(
    fabric: &CheckedFabric<'_>,
    policies: &PerDecision<Policy>,
    progress: &dyn Progress,
) -> Result<PerDecision<Policy>, Cancelled> {
    progress.stage("balance", Some(Decision::ALL.len()));
    let balancer = Balancer::new(fabric.counter());
    let balanced = |policy| {
        let balanced = balancer.balanced(policy, progress)?;
        progress.step();
        Ok(balanced)
    };
    Ok(PerDecision {
        ugal_l: balanced(&policies.ugal_l)?,
        par_source: balanced(&policies.par_source)?,
        par_second: balanced(&policies.par_second)?,
    })
}
