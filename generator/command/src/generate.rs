//! `tvlb generate`.

mod check;
mod share;
mod summary;

use crate::args::GenerateOptions;
use crate::failure::{Failure, Outcome, tell};
use crate::files::{expect_table_set, load_fabric, outside_table_sets};
use crate::output::{Bars, catch_interrupt, print, print_format, tell_of_starved};
use check::{MadeAgain, Written};
use std::fmt::Display;
use std::path::Path;
use std::time::Instant;
use summary::Summary;
use tvlb_generator::checked_fabric::{CheckedFabric, fabric_image};
use tvlb_generator::choose::panel::Panel;
use tvlb_generator::choose::{ChoiceOptions, ChooseError, runs_kept};
use tvlb_generator::counted::counted;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::pipeline::{self, GenerateSettings, PipelineError};
use tvlb_generator::policy::{Policies, Policy, PolicyPair};
use tvlb_generator::set_file::SetFile;
use tvlb_schema::{Decision, FabricImage, PerDecision};
use tvlb_table_set::Existing;
use tvlb_table_set::grammar::canonical;
use tvlb_topology::summary::TopologySummary;

pub fn run(arguments: &GenerateOptions) -> Outcome {
    let what_became = || match (&arguments.output, &arguments.check) {
        (_, Some(_)) => "nothing was compared".to_owned(),
        _ => "nothing was written".to_owned(),
    };
    make(arguments).map_err(|failure| failure.stopped(what_became))
}

/// Warns of oddities in the wiring, and of links that the runs of a choice would starve.
fn tell_of_wiring(fabric: &Fabric, settings: &GenerateSettings, quiet: bool) {
    if quiet {
        return;
    }
    for warning in TopologySummary::named(&fabric.topology, &fabric.names).warnings() {
        tell(&format!("warning: {warning}"));
    }
    if settings.policies_of(&fabric.file).given().is_none() && !settings.choice.fast {
        let seed = fabric.file.seed;
        let panel = Panel::new(fabric.nodes(), fabric.file.links(), seed, settings.choice.panel);
        tell_of_starved(quiet, panel.starved_links());
    }
}

fn make(arguments: &GenerateOptions) -> Outcome {
    let begin = Instant::now();
    catch_interrupt()?;
    arguments.work.use_threads()?;
    outside_table_sets([("--state", arguments.state.as_deref())])?;
    let fabric = load_fabric(&arguments.fabric)?;
    let image = fabric_image(&fabric.topology);
    let settings = GenerateSettings {
        choice: options(&fabric, arguments)?,
        balance: arguments.balance,
        policies: policies(&fabric, &image, arguments)?,
    };
    let policies = settings.policies_of(&fabric.file);
    check_unused(policies.given(), arguments)?;
    let existing = if arguments.replace { Existing::Replace } else { Existing::Refuse };
    // Before the work, so that a target that cannot be written or read is known at once.
    let target = target(arguments, existing)?;

    let fabric = &CheckedFabric::new(&fabric, &image)
        .map_err(|error| in_wiring(&fabric, &arguments.fabric, &error))?;
    tell_of_wiring(fabric, &settings, arguments.work.quiet);
    let bars = Bars::beginning(
        arguments.work.quiet,
        &beginning(&fabric.file.name, &policies, &settings.choice),
    );
    let failed = |error| failure(error, fabric, &settings, &arguments.fabric);
    let made = pipeline::make(fabric, &settings, &bars).map_err(failed)?;
    let again = MadeAgain { fabric, settings: &settings, made: &made, bars: &bars };
    let (output, certificate) = match target {
        Target::Check(written) => return check::run(arguments, &again, &written),
        Target::Compare(output) => (output, None),
        Target::Write(output) => {
            match pipeline::write(fabric, &settings, &made, (output, existing), &bars) {
                // Another process was faster.
                Err(PipelineError::Write(_)) if arguments.share && share::is_written(output) => {
                    (output, None)
                }
                written => (output, Some(written.map_err(failed)?)),
            }
        }
    };
    if arguments.share && !arguments.work.quiet {
        bars.finish();
        share::tell_runs(made.runs);
    }
    if certificate.is_none() {
        share::compare(output, &again)?;
    }
    bars.finish();
    match certificate {
        _ if arguments.work.quiet => Ok(()),
        None => print(&format_args!(
            "{}: written by another process, and the same as what was made here\n",
            output.display()
        )),
        Some(_) if arguments.json => print_format(&made.tables.manifest),
        Some(certificate) => print(&Summary {
            manifest: &made.tables.manifest,
            draw_work: &made.draw_work,
            names: &fabric.names,
            nodes: fabric.nodes().count(),
            certificate: &certificate,
            directory: output,
            took: begin.elapsed(),
        }),
    }
}

/// The line that announces the work.
fn beginning(name: &str, policies: &Policies, choice: &ChoiceOptions) -> String {
    if policies.given().is_some() {
        return format!("making the images of {name} and verifying them");
    }
    if choice.fast {
        return format!(
            "choosing the sets of {name} by a model of what sets of paths carry; without --fast the \
             choice is by simulation"
        );
    }
    let keep = match &choice.state {
        Some(state) => format!("{} keeps the runs", state.display()),
        None => "--state DIR would keep the runs".to_owned(),
    };
    format!("choosing the sets of {name} by a model of sets of paths and by simulation; {keep}")
}

/// What to do with the tables.
enum Target<'a> {
    Write(&'a Path),
    /// Another process has written it.
    Compare(&'a Path),
    Check(Written),
}

/// What to do with the table set, if the directory of the command line allows it.
fn target(arguments: &GenerateOptions, existing: Existing) -> Result<Target<'_>, Failure> {
    match (&arguments.output, &arguments.check) {
        // Another process has ended before this one began.
        (Some(output), _) if arguments.share && share::is_written(output) => {
            Ok(Target::Compare(output))
        }
        (Some(output), _) => {
            tvlb_table_set::check_target(output, existing).map_err(Failure::of)?;
            Ok(Target::Write(output))
        }
        (None, Some(directory)) => {
            expect_table_set(directory)?;
            Ok(Target::Check(Written::list(directory).map_err(Failure::of)?))
        }
        (None, None) => Err(Failure::Message("neither --output nor --check".to_owned())),
    }
}

/// The message when no table set was made.
fn failure(
    error: PipelineError,
    fabric: &Fabric,
    settings: &GenerateSettings,
    file: &Path,
) -> Failure {
    match error {
        PipelineError::Choose(ChooseError::Cancelled(_)) => {
            Failure::Stopped(match &settings.choice.state {
                Some(directory) => format!(
                    "no table set was written; {} keeps {}, and the same command goes on from there",
                    directory.display(),
                    counted(runs_kept(&settings.choice) as u64, "run")
                ),
                None => {
                    "nothing was written, and the finished work is lost; --state DIR would have kept it"
                        .to_owned()
                }
            })
        }
        PipelineError::Cancelled(_) => Failure::Interrupted,
        PipelineError::Images(error) => in_wiring(fabric, file, &error),
        PipelineError::NotPlain(_) => Failure::Message(format!("{}: {error}", file.display())),
        error => Failure::of(error),
    }
}

/// An error in the file that says where the cables are.
fn in_wiring(fabric: &Fabric, file: &Path, error: &dyn Display) -> Failure {
    Failure::Message(format!("{}: {error}", fabric.wiring_path(file).display()))
}

/// The policies of the command line over those of the fabric file: a set file gives all of them, and each `--set`
/// overrides those before it.
fn policies(
    fabric: &Fabric,
    image: &[u8],
    arguments: &GenerateOptions,
) -> Result<Option<Policies>, Failure> {
    if let Some(path) = &arguments.set_file {
        let image = FabricImage::decode(image).expect("the encoder decodes what it wrote");
        let policies = SetFile::read(path, fabric.topology.dragonfly(), image.identity());
        return policies.map(|policies| Some(Policies::OfSetFile(policies))).map_err(Failure::of);
    }
    if arguments.set.is_empty() {
        return Ok(None);
    }
    let policies = fabric.file.policies.laid_over(&arguments.set, fabric.file.seed);
    policies.map(Some).map_err(|error| Failure::Message(format!("--set: {error}")))
}

/// Refuses options of a choice when nothing is chosen.
fn check_unused(given: Option<&PerDecision<Policy>>, arguments: &GenerateOptions) -> Outcome {
    let Some(given) = given else {
        return if arguments.balance && !arguments.fast {
            Err(Failure::Message(
                "--balance: the sets are chosen by simulation, which judges them as they are; it is \
                 for sets that are given and for --fast"
                    .to_owned(),
            ))
        } else {
            Ok(())
        };
    };
    if arguments.balance
        && let Some(decision) =
            Decision::ALL.into_iter().find(|&d| !given.get(d).rule.is_of_routes())
    {
        return Err(Failure::Message(format!(
            "--balance: the set of {}, {}, is drawn by intermediate switches and cannot be thinned; \
             accepted are sets that are drawn by route or by shape",
            decision.name(),
            canonical(&given.get(decision).rule)
        )));
    }
    let unused = [
        ("--fast", arguments.fast),
        ("--try-policy", !arguments.try_policy.is_empty()),
        ("--state", arguments.state.is_some()),
        ("--prefer", arguments.prefer.is_some()),
        ("--max-regret", arguments.max_regret.is_some()),
        ("--panel", arguments.panel.is_some()),
    ];
    match unused.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Message(format!(
            "{option}: it says how sets are chosen, but the fabric file or --set gives them; \
             --set auto chooses"
        ))),
    }
}

/// The policies that `--try-policy` names.
pub fn policies_to_try(texts: &[String], seed: u64) -> Result<Vec<PolicyPair>, Failure> {
    let failure = |error| Failure::Message(format!("--try-policy: {error}"));
    texts.iter().map(|text| PolicyPair::parse(text, seed).map_err(failure)).collect()
}

fn options(fabric: &Fabric, arguments: &GenerateOptions) -> Result<ChoiceOptions, Failure> {
    Ok(ChoiceOptions {
        prefer: arguments.prefer.unwrap_or_default(),
        most_regret: arguments.max_regret.unwrap_or_default(),
        panel: arguments.panel.unwrap_or_default(),
        fast: arguments.fast,
        candidates: policies_to_try(&arguments.try_policy, fabric.file.seed)?,
        plain: arguments.plain,
        state: arguments.state.clone(),
    })
}
