//! `tvlb import`.

use crate::args::{
    Import as Arguments, ImportAgain, ImportIbnetdiscover, ImportSlingshot, ImportSource,
};
use crate::failure::{Failure, Outcome, tell};
use crate::files::outside_table_sets;
use crate::output::{Bars, catch_interrupt, print};
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_import::{Earlier, Grouping, Import, ImportWriteError, check_directory};
use tvlb_table_set::WriteError;

/// Warnings that are printed; assumptions.txt has all.
const MOST_WARNINGS: usize = 10;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.source {
        ImportSource::Slingshot(arguments) => slingshot(arguments),
        ImportSource::Ibnetdiscover(arguments) => ibnetdiscover(arguments),
    }
}

fn slingshot(arguments: &ImportSlingshot) -> Outcome {
    let ImportSlingshot { files, output, live, jacks, again } = arguments;
    check_output(output, again)?;
    let open = |path: &Path| tvlb_import::open(path).map_err(Failure::of);
    let plans = files.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let live = live.as_deref().map(open).transpose()?;
    let jacks = jacks.as_deref().map(open).transpose()?;
    let earlier = earlier(output, again)?;
    let import = tvlb_import::slingshot(plans, live, jacks, &earlier).map_err(Failure::of)?;
    write(&import, output, again)
}

fn ibnetdiscover(arguments: &ImportIbnetdiscover) -> Outcome {
    let ImportIbnetdiscover { file, output, groups, threshold, again } = arguments;
    check_output(output, again)?;
    let grouping = Grouping { pattern: groups.clone(), threshold: *threshold };
    let source = tvlb_import::open(file).map_err(Failure::of)?;
    let earlier = earlier(output, again)?;
    let import = tvlb_import::ibnetdiscover(source, &grouping, &earlier).map_err(Failure::of)?;
    write(&import, output, again)
}

/// Refuses, before the work, a directory that must not be written to.
fn check_output(output: &Path, again: &ImportAgain) -> Outcome {
    outside_table_sets([("--output", Some(output))])?;
    check_directory(output, again.force).map_err(Failure::of)
}

/// The import whose numbers are to be kept, with room for the global ports that are asked for.
fn earlier(output: &Path, again: &ImportAgain) -> Result<Earlier, Failure> {
    let of_directory = |path: &Path| {
        if path.is_dir() { path.join("fabric.toml") } else { path.to_owned() }
    };
    let replaced = || Some(output.join("fabric.toml")).filter(|path| again.force && path.exists());
    let earlier = match again.keep.as_deref().map(of_directory).or_else(replaced) {
        None => Earlier::default(),
        Some(path) => {
            let (file, names) = Fabric::load_names(&path).map_err(Failure::of)?;
            Earlier::of(&file.dragonfly, &names)
        }
    };
    Ok(earlier.with_global_ports(again.global_ports))
}

fn write(import: &Import, output: &Path, again: &ImportAgain) -> Outcome {
    // Until here there is nothing to clean up.
    catch_interrupt()?;
    let files =
        import.write(output, again.force, &Bars::new(true)).map_err(|error| match error {
            ImportWriteError::Write(WriteError::Cancelled(_)) => {
                Failure::Stopped("nothing was written".to_owned())
            }
            error => Failure::of(error),
        })?;
    let mut warnings = import.warnings();
    for warning in warnings.by_ref().take(MOST_WARNINGS) {
        tell(&format!("warning: {warning}"));
    }
    let more = warnings.count();
    if more > 0 {
        tell(&format!("warning: {more} more are in assumptions.txt"));
    }
    print(&format_args!(
        "{}written   {}: {}\n",
        import.summary(),
        output.display(),
        files.join(", ")
    ))
}
