//! `tvlb import`.

mod old;
pub(crate) mod options;

use crate::failure::{Failure, Outcome, tell};
use crate::files::{opener, outside_table_sets};
use crate::output::{Bars, catch_interrupt, print, print_json};
use old::{Old, existing};
pub(crate) use options::ImportOptions;
use options::{ImportAgain, ImportIbnetdiscover, ImportSlingshot, ImportSource};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;
use tvlb_base::parameter::{Parameters, Stated};
use tvlb_base::progress::Progress;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Latencies};
use tvlb_import::{Grouping, Import, ImportWriteError, Roots, Summary, check_directory};
use tvlb_simulator::Settings;
use tvlb_table_set::WriteError;

/// The most warnings that are printed; assumptions.txt has all.
const MOST_WARNINGS: usize = 10;

/// Printed if there was an earlier import.
const CARRIED: &str = "The name, the seed, [links] and [routing] are those of the fabric file that the import goes \
    on from, and so are the names that people gave the kinds of groups.";

pub(crate) fn run(arguments: &ImportOptions) -> Outcome {
    let progress = Bars::new(true);
    match &arguments.source {
        ImportSource::Slingshot(arguments) => slingshot(arguments, &progress),
        ImportSource::Ibnetdiscover(arguments) => ibnetdiscover(arguments, &progress),
    }
}

fn slingshot(arguments: &ImportSlingshot, progress: &dyn Progress) -> Outcome {
    let ImportSlingshot { files, output, live, jacks, cables, again, json } = arguments;
    check_output(output, again)?;
    let open = |path: &Path| opener(path)?().map_err(Failure::of);
    let plans = files.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let live = live.as_deref().map(open).transpose()?;
    let jacks = jacks.as_deref().map(open).transpose()?;
    let old = Old::of(output, again)?;
    let earlier = Old::earlier(old.as_ref(), again);
    let import = tvlb_import::slingshot(plans, live, jacks, cables.two_jacks, &earlier);
    let import = import.map_err(Failure::of)?;
    write(import, old.as_ref(), (output, again, *json), progress)
}

fn ibnetdiscover(arguments: &ImportIbnetdiscover, progress: &dyn Progress) -> Outcome {
    let ImportIbnetdiscover { file, output, groups, threshold, roots, again, json } = arguments;
    check_output(output, again)?;
    let roots = roots.as_deref().map(Roots::given).transpose().map_err(Failure::of)?;
    let grouping = Grouping { pattern: groups.clone(), threshold: *threshold, roots };
    let source = opener(file)?().map_err(Failure::of)?;
    let old = Old::of(output, again)?;
    let earlier = Old::earlier(old.as_ref(), again);
    let import = tvlb_import::ibnetdiscover(source, &grouping, &earlier).map_err(Failure::of)?;
    write(import, old.as_ref(), (output, again, *json), progress)
}

/// Refuses, before the work, a directory that must not be written to.
fn check_output(output: &Path, again: &ImportAgain) -> Outcome {
    outside_table_sets([("--output", Some(output))])?;
    check_directory(output, existing(output, again)).map_err(Failure::of)
}

fn write(
    mut import: Import,
    old: Option<&Old>,
    (output, again, json): (&Path, &ImportAgain, bool),
    progress: &dyn Progress,
) -> Outcome {
    let new = made(&import, output, again)?;
    if let Some(old) = old {
        let text = import.text("fabric.toml").map_err(Failure::of)?;
        import.set_fabric(old.carried(&new, &String::from_utf8_lossy(&text)));
        import.assume(CARRIED.to_owned());
    }
    if !old.is_some_and(Old::says_links) {
        import.assume(assumed_links(&new.file));
    }
    // Until here there is nothing to clean up.
    catch_interrupt()?;
    let files =
        import.write(output, existing(output, again), progress).map_err(|error| match error {
            ImportWriteError::Write(WriteError::Cancelled(_)) => {
                Failure::Stopped("nothing was written".to_owned())
            }
            error => Failure::of(error),
        })?;
    let summary = import.summary();
    let (first, more) = summary.warnings.split_at(summary.warnings.len().min(MOST_WARNINGS));
    for warning in first {
        tell(&format!("warning: {warning}"));
    }
    if !more.is_empty() {
        tell(&format!("warning: {} more are in assumptions.txt", more.len()));
    }
    let written = Written { summary, directory: output, files };
    if json { print_json(&written) } else { print(&written) }
}

/// What an import has written.
#[derive(Serialize)]
struct Written<'w> {
    #[serde(flatten)]
    summary: Summary,
    directory: &'w Path,
    files: Vec<&'static str>,
}

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { summary, directory, files } = self;
        writeln!(f, "{summary}written   {}: {}", directory.display(), files.join(", "))
    }
}

/// The assumptions about links that no file describes.
fn assumed_links(file: &FabricFile) -> String {
    let Latencies { local, global } = file.latencies;
    let buffer = Settings::usual().on(file.links(), &Stated::default()).buffers.local;
    format!(
        "No file says how long a flit takes over a link, how fast links are, or how many flits a buffer holds. \
         To choose sets and to simulate the network, tvlb assumes {local} cycles for a link within a group, {global} \
         cycles for a link between groups, equally fast links, and {buffer} flits for each virtual channel; it leaves \
         open how long a cycle lasts. Which sets are best depends on these numbers. A table [links] in fabric.toml \
         states others, for instance cycle = \"40.96 ns\" and global-latency = \"30 m + 250 ns\"; \
         docs/reference/fabric-file.md has its keys."
    )
}

/// Loads the fabric as commands will, before anything is written.
fn made(import: &Import, output: &Path, again: &ImportAgain) -> Result<Fabric, Failure> {
    let read = |path: &Path, most: u64| {
        let text = match import.files().find(|name| path.file_name() == Some(name.as_ref())) {
            Some(name) => import.text(name)?,
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        if text.len() as u64 <= most {
            return Ok(text);
        }
        Err(io::Error::other(format!(
            "it would have {} bytes, accepted at most {most}",
            text.len()
        )))
    };
    Fabric::load_through(&output.join("fabric.toml"), &read).map_err(|error| {
        let asked = match again.global_ports {
            0 => String::new(),
            ports => format!(" (with --global-ports {ports})"),
        };
        Failure::Message(format!(
            "{error}; no command would take this fabric{asked}, so nothing was written"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    const YEARS: [&str; 2] = [
        include_str!("../../../tables/machines/year-1.csv"),
        include_str!("../../../tables/machines/year-2.csv"),
    ];

    /// Stops the work after some steps, as a kill would.
    struct StopsAfter(AtomicUsize);

    impl Progress for StopsAfter {
        fn step(&self) {
            let left = self.0.fetch_sub(1, Ordering::Relaxed);
            assert!(left > 1, "the end of this run");
        }
    }

    /// The files of a directory below a name, hidden ones included.
    fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let content =
            |path: &Path| if path.is_dir() { b"-".to_vec() } else { fs::read(path).unwrap() };
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries.map(|path| (name(&path), content(&path))).collect()
    }

    fn import(
        home: &Path,
        year: usize,
        output: &str,
        force: bool,
        steps: Option<usize>,
    ) -> Outcome {
        let plan = home.join(format!("year-{year}.csv"));
        fs::write(&plan, YEARS[year - 1]).unwrap();
        let arguments = ImportSlingshot {
            files: vec![plan],
            output: home.join(output),
            live: None,
            jacks: None,
            cables: options::CablesOfTwoJacks { two_jacks: None },
            again: ImportAgain { keep: None, force, global_ports: 0 },
            json: false,
        };
        slingshot(&arguments, &StopsAfter(AtomicUsize::new(steps.unwrap_or(usize::MAX))))
    }

    #[test]
    fn an_import_that_is_killed_and_repeated_is_as_one_that_is_not() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        for second in [None, Some(3)] {
            let begin = |output: &str| {
                import(home, 1, output, false, None).unwrap();
                fs::write(home.join(output).join("notes"), "mine").unwrap();
            };
            begin("whole");
            import(home, 2, "whole", true, None).unwrap();
            let whole = files(&home.join("whole"));
            fs::remove_dir_all(home.join("whole")).unwrap();
            let mut killed = 0;
            for steps in 1.. {
                let output = format!("killed-{steps}-{}", second.is_some());
                begin(&output);
                let run = |steps| {
                    let run = || import(home, 2, &output, true, Some(steps));
                    catch_unwind(AssertUnwindSafe(run)).is_ok()
                };
                if run(steps) {
                    break;
                }
                let is_whole = home.join(&output).join("fabric.toml").exists();
                // The second run may be killed as well.
                if let Some(second) = second {
                    assert!(!run(second));
                }
                import(home, 2, &output, true, None).unwrap();
                let mut again = files(&home.join(&output));
                if is_whole {
                    // What is new depends on the earlier import.
                    again.insert("assumptions.txt".to_owned(), whole["assumptions.txt"].clone());
                }
                assert_eq!(again, whole, "killed after {steps} steps");
                killed += 1;
            }
            // Before any change, after the removal of each of five files, and after each of four files is in place.
            assert_eq!(killed, 10);
        }
    }

    #[test]
    fn a_first_import_that_is_killed_can_be_repeated() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        import(home, 1, "whole", false, None).unwrap();
        let whole = files(&home.join("whole"));
        for steps in 1..10 {
            let output = format!("killed-{steps}");
            let run = || import(home, 1, &output, false, Some(steps));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            import(home, 1, &output, false, None).unwrap();
            assert_eq!(files(&home.join(&output)), whole, "killed after {steps} steps");
        }
    }
}
