//! `tvlb generate`.

use crate::args::Generate;
use crate::failure::{Failure, Outcome};
use crate::output::{catch_interrupt, interrupted, print, progress};
use std::fmt::{self, Display};
use std::path::Path;
use std::time::{Duration, Instant};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::DecisionSet;
use tvlb_generator::generate::generate;
use tvlb_generator::image::ImageStageError;
use tvlb_generator::set_grammar::parse_set;
use tvlb_generator::table_set::{self, Existing, Manifest, SetEntry, WriteError};
use tvlb_schema::Decision;

pub(crate) fn run(arguments: &Generate) -> Outcome {
    let begin = Instant::now();
    catch_interrupt()?;
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|error| Failure::Message(format!("--threads {threads}: {error}")))?;
    }
    let mut fabric = Fabric::load(&arguments.fabric).map_err(Failure::of)?;
    override_sets(&mut fabric, arguments)?;
    let existing = if arguments.replace { Existing::Replace } else { Existing::Refuse };
    // Before the work, so that a target that cannot be written is known at once.
    table_set::check_target(&arguments.output, existing).map_err(Failure::of)?;

    let switches = fabric.topology.dragonfly().switch_count() as usize;
    let bar = progress(arguments.quiet, "images", switches);
    let generated =
        generate(&fabric, &|| bar.inc(1), &interrupted).map_err(|error| match error {
            ImageStageError::Interrupted => Failure::Interrupted,
            error @ ImageStageError::Unreachable { .. } => {
                let path = fabric.wiring_path(&arguments.fabric);
                Failure::Message(format!("{}: {error}", path.display()))
            }
        })?;
    bar.finish_and_clear();

    let files = generated.files();
    let bar = progress(arguments.quiet, "files", files.len());
    let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
    table_set::write(&arguments.output, contents, existing, interrupted, || bar.inc(1)).map_err(
        |error| match error {
            WriteError::Interrupted => Failure::Interrupted,
            error => Failure::of(error),
        },
    )?;
    bar.finish_and_clear();
    if arguments.quiet {
        return Ok(());
    }
    print(&Summary {
        manifest: &generated.manifest,
        directory: &arguments.output,
        took: begin.elapsed(),
    })
}

/// Puts the sets of the command line in the place of the fabric file's.
fn override_sets(fabric: &mut Fabric, arguments: &Generate) -> Outcome {
    let seed = fabric.file.seed;
    let parse = |option: &str, text: &String| {
        let rule = parse_set(text, seed).map_err(|error| {
            Failure::Message(format!("{option}: {error}\n{}", error.marked(text)))
        })?;
        Ok::<_, Failure>(DecisionSet { text: text.clone(), rule })
    };
    let sets = &mut fabric.file.sets;
    if let Some(text) = &arguments.set {
        let set = parse("--set", text)?;
        sets.ugal_l = set.clone();
        sets.par_source = set.clone();
        sets.par_second = set;
    }
    for (option, text, set) in [
        ("--set-ugal-l", &arguments.set_ugal_l, &mut sets.ugal_l),
        ("--set-par-source", &arguments.set_par_source, &mut sets.par_source),
        ("--set-par-second", &arguments.set_par_second, &mut sets.par_second),
    ] {
        if let Some(text) = text {
            *set = parse(option, text)?;
        }
    }
    Ok(())
}

/// What was done and where it lies.
struct Summary<'m> {
    manifest: &'m Manifest,
    directory: &'m Path,
    took: Duration,
}

impl Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Manifest { fabric, sets, sizes, files, .. } = self.manifest;
        let switches = fabric.a * fabric.g;
        writeln!(
            f,
            "fabric   {}: dfly({}, {}, {}, {}), {switches} switches, {} nodes, {}, {} cables",
            fabric.name,
            fabric.p,
            fabric.a,
            fabric.h,
            fabric.g,
            switches * fabric.p,
            fabric.wiring,
            fabric.cables
        )?;
        let mut shown: Vec<&SetEntry> = Vec::new();
        for decision in Decision::ALL {
            let entry = sets.get(decision);
            if shown.iter().any(|shown| shown == &entry) {
                continue;
            }
            shown.push(entry);
            let same: Vec<&str> = Decision::ALL
                .into_iter()
                .filter(|&other| sets.get(other) == entry)
                .map(Decision::name)
                .collect();
            writeln!(f, "set      {} (for {})", entry.set, same.join(", "))?;
            let about = if entry.mean_hops_are_exact { "" } else { "about " };
            let hops = entry.mean_hops.map_or("no".to_owned(), |hops| format!("{about}{hops:.3}"));
            write!(f, "         {:.1} VLB routes per pair, {hops} mean hops", entry.mean_routes)?;
            if entry.pairs_without_route > 0 {
                let (none, pairs) = (entry.pairs_without_route, entry.pairs);
                write!(f, "; {none} of {pairs} pairs have none in the set")?;
            }
            writeln!(f)?;
        }
        writeln!(
            f,
            "images   {switches} switch images of {} bytes (median; {} to {}), fabric image {} bytes",
            sizes.switch_median, sizes.switch_least, sizes.switch_most, sizes.fabric
        )?;
        writeln!(
            f,
            "written  {}: {} files, {} bytes of images, in {:.2} s",
            self.directory.display(),
            files.len() + 1,
            sizes.total,
            self.took.as_secs_f64()
        )
    }
}
