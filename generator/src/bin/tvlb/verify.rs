//! `tvlb verify`.

use crate::args::Verify;
use crate::failure::{Failure, Outcome};
use crate::output::{catch_interrupt, interrupted, print, print_json, progress, use_threads};
use tvlb_generator::table_set::TableSet;
use tvlb_generator::verify::{Settings, VerifyError, verify};

pub(crate) fn run(arguments: &Verify) -> Outcome {
    use_threads(arguments.threads)?;
    catch_interrupt()?;
    let settings = Settings { most_walks: arguments.most_walks, seed: arguments.seed };
    let switches = TableSet::open(&arguments.directory).map_or(0, |set| set.manifest().files.len());
    let bar = progress(arguments.quiet, "switches", switches.saturating_sub(1));
    let found = verify(&arguments.directory, settings, &|| bar.inc(1), &interrupted);
    bar.finish_and_clear();
    match found {
        Ok(certificate) if arguments.json => print_json(&certificate),
        Ok(certificate) => print(&certificate),
        Err(VerifyError::Interrupted) => Err(Failure::Interrupted),
        Err(error) => Err(Failure::of(error)),
    }
}
