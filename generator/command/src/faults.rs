//! `tvlb faults`.

use crate::columns;
use crate::failure::{Failure, Outcome, tell};
use crate::files::{
    error_in, expect_table_set, opener, outside_table_sets, read_faults, read_live, read_names,
};
use crate::import::options::CablesOfTwoJacks;
use crate::output::{Bars, WorkOptions, catch_interrupt, print, print_json};
use clap::Args;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use tvlb_base::text::listed;
use tvlb_generator::counted::counted;
use tvlb_generator::faults::{
    FaultUpdate as Made, PairList, RouteLoss, UpdateError, UpdatedTables, update, write_update,
};
use tvlb_import::planned_links;
use tvlb_schema::{Decision, Dragonfly, End, FabricImage, FaultSet, SwitchId, SwitchImage};
use tvlb_table_set::dead_parts::{LinkPlan, dead_but, not_in};
use tvlb_table_set::names::{NamedSwitch, Names};
use tvlb_table_set::{
    Existing, FAULTS_FILE, TableSet, Update, UpdateRecord, WriteError, check_target,
};
use tvlb_verify::{Changes, SetsChannels};

/// Mark parts as dead: make the fault image and the switch images that change with it
///
/// Reads a list of dead parts and writes an update of the table set into a directory of its own: the fault image, which
/// every switch takes, the images of those switches that would otherwise look for routes that are gone, and a record.
/// The images depend on the table set and the list alone, so any order of failing and mending ends in the same bytes.
/// Lists the pairs of switches that have lost their minimal paths or the routes of a set, and those that are cut off.
/// Exits with 1 if some pair of switches is cut off; the update is written nevertheless.
///
/// LIST names one part per line, by number or by name: `cable (3,1):2` is the link at global port 2 of switch 1 in
/// group 3, `cable x1000c0r3j17` all links of the cable in this jack, `local (3,1)-(3,4)` all links between two
/// switches of a group, `local (3,1)-(3,4):1` one of them, `switch (7,3)` a switch, `group (7)` all switches of a
/// group, `cabinet x1003` and `chassis x1003c5` those with such names, `switch x1003c*` those that match a pattern. `#`
/// begins a comment. An empty list says that everything is mended. After a line `draining`, the listed parts work but
/// get no new packets: list them so before you take them out, and again when they come back, and no packet is lost.
#[derive(Args)]
#[command(mut_arg("threads", |threads| threads.help("Use this many threads instead of one per core; the outcome is the same for any number")))]
#[command(mut_arg("quiet", |quiet| quiet.help("Show no progress: print nothing but the result, which is the update and the exit code here, and errors")))]
#[command(after_long_help = columns::FAULTS)]
pub(crate) struct FaultsOptions {
    /// The directory of the installed table set
    directory: PathBuf,
    /// The list of all dead parts
    #[arg(long, value_name = "LIST", required_unless_present_any = ["live", "not_in"])]
    faults: Option<PathBuf>,
    /// Another table set, of the fabric before or after it grew: drain every part that differs in it, besides what is
    /// dead, so that no path over such a part is drawn while some switches have the other tables. `tvlb diff` says when
    /// to install such an update
    #[arg(long, value_name = "TABLES")]
    not_in: Option<PathBuf>,
    /// The live links as the machine reports them: all other links are dead, and so is a switch without a live link.
    /// Accepts the output of `fmctl get links`, any text that names Slingshot links, or the output of `ibnetdiscover`.
    /// Links are found by the names of their ports in the table set's list
    #[arg(long, value_name = "LINKS", conflicts_with = "faults")]
    live: Option<PathBuf>,
    /// The cable plan of the live links, to make sure that the table set is for that plan: one or several
    /// point-to-point files, or an output of `ibnetdiscover`
    #[arg(long, value_name = "PLAN", num_args = 1.., requires = "live")]
    planned: Vec<PathBuf>,
    #[command(flatten)]
    cables: CablesOfTwoJacks,
    /// The directory to write the update to; it appears whole or not at all
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The epoch of the update, at least 1: a switch accepts an update only if its epoch is higher than that of the
    /// update in use. Without --epoch and --after it is 1
    #[arg(long, value_name = "N", conflicts_with = "after",
        value_parser = clap::value_parser!(u32).range(1..))]
    epoch: Option<u32>,
    /// The update in use: the new one gets the next epoch, so that switches accept it, and switches that go back to
    /// their image in the table set are named
    #[arg(long, value_name = "DIR")]
    after: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    #[command(flatten)]
    work: WorkOptions,
}

pub(crate) fn run(arguments: &FaultsOptions) -> Outcome {
    arguments.work.use_threads()?;
    catch_interrupt()?;
    expect_table_set(&arguments.directory)?;
    outside_table_sets([("-o", Some(arguments.output.as_path()))])?;
    check_target(&arguments.output, Existing::Refuse).map_err(of_writing)?;
    let set = TableSet::open(&arguments.directory).map_err(Failure::of)?;
    let fabric_bytes = set.fabric_image().map_err(Failure::of)?;
    let fabric =
        FabricImage::decode(&fabric_bytes).map_err(|error| error_in(&set.fabric_path(), &error))?;
    let names = read_names(&set, fabric.dragonfly())?;
    let mut faults = match (&arguments.faults, &arguments.live) {
        (Some(list), _) => read_faults(list, &fabric, &names)?,
        (None, Some(live)) => {
            not_live(live, (&arguments.planned, arguments.cables), &fabric, &names)?
        }
        (None, None) => FaultSet::default(),
    };
    if let Some(other) = &arguments.not_in {
        faults.add(not_in_other(other, &fabric)?);
    }
    let before = match &arguments.after {
        Some(path) => Some(Update::open(path, &set).map_err(Failure::of)?),
        None => None,
    };
    let epoch = match &before {
        Some(before) => before.record().epoch.checked_add(1).ok_or_else(|| {
            Failure::Message("no epoch is left after that of the update in use".to_owned())
        })?,
        None => arguments.epoch.unwrap_or(1),
    };
    if let Some(live) = &arguments.live {
        warn_if_most_is_dead(live, &fabric, &faults);
    }
    let switches = || fabric.dragonfly().switches();
    let bytes = set.switch_images(switches()).map_err(Failure::of)?;
    let mut images = Vec::new();
    for (switch, bytes) in switches().zip(&bytes) {
        let image = SwitchImage::decode(bytes, &fabric);
        images.push(image.map_err(|error| error_in(&set.switch_path(switch), &error))?);
    }
    let bars =
        Bars::beginning(arguments.work.quiet, &"making the update and verifying what it changes");
    let made =
        update((&fabric, &names.nodes(fabric.dragonfly())), &images, (epoch, &faults), &bars);
    let made = made.map_err(|_| Failure::Interrupted)?;
    let restored = before.as_ref().map_or_else(Vec::new, |before| restored(before, &made));
    let tables = UpdatedTables { set: &set, plan: &fabric, names: &names, restored: &restored };
    let written = write_update(&arguments.output, &tables, (epoch, &faults), &made, &bars);
    let written = written.map_err(of_update);
    bars.finish();
    let report = FaultsReport {
        verified: &written?,
        loss: &made.loss,
        changed: made.switches.iter().map(|(switch, _)| names.named(*switch)).collect(),
        restored: restored.iter().map(|&switch| names.named(switch)).collect(),
        df: fabric.dragonfly(),
        names: &names,
        is_taken_for_first: arguments.after.is_none() && arguments.epoch.is_none(),
        output: &arguments.output,
    };
    let printed = match (arguments.work.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => print_json(&report.json()),
        (false, false) => print(&report),
    };
    match printed {
        Ok(()) | Err(Failure::BrokenPipe) if made.loss.cut.count > 0 => Err(Failure::Found),
        printed => printed,
    }
}

/// What is dead if a text names the live links, of this plan if one is given.
fn not_live(
    live: &Path,
    (planned, cables): (&[PathBuf], CablesOfTwoJacks),
    plan: &dyn LinkPlan,
    names: &Names,
) -> Result<FaultSet, Failure> {
    if let Some(first) = planned.first() {
        let plans = planned.iter().map(|path| opener(path)).collect::<Result<Vec<_>, _>>()?;
        let open = |number: usize| plans[number]();
        let links = planned_links(planned.len(), cables.two_jacks, open).map_err(Failure::of)?;
        let missing = dead_but(&links, plan, names).map_err(|error| error_in(first, &error))?;
        let list = tvlb_table_set::dead_parts::write(plan.dragonfly(), &missing);
        if let Some(part) = list.lines().next() {
            let more = list.lines().count() - 1;
            return Err(error_in(
                first,
                &format_args!(
                    "the table set is of another plan: it has {part}, and {more} more, which this one \
                     does not name; accepted is the plan that the fabric file was made of"
                ),
            ));
        }
    }
    read_live(live, plan, names)
}

/// The parts that differ in another table set.
fn not_in_other(other: &Path, fabric: &FabricImage<'_>) -> Result<FaultSet, Failure> {
    expect_table_set(other)?;
    let set = TableSet::open(other).map_err(Failure::of)?;
    let bytes = set.fabric_image().map_err(Failure::of)?;
    let image =
        FabricImage::decode(&bytes).map_err(|error| error_in(&set.fabric_path(), &error))?;
    not_in(fabric, &image).map_err(|error| error_in(other, &error))
}

/// Why no update was made. Nothing that exists is replaced.
fn of_update(error: UpdateError) -> Failure {
    match error {
        UpdateError::Cancelled(_) => Failure::Interrupted,
        UpdateError::Write(error) => of_writing(error),
        UpdateError::Verify(_) => Failure::of(error),
    }
}

/// Why the update was not written.
fn of_writing(error: WriteError) -> Failure {
    match error {
        WriteError::Exists { path }
        | WriteError::NotOurs { path, .. }
        | WriteError::NoManifest { path, .. } => Failure::Message(format!(
            "{}: exists and is not empty; give a directory that does not exist yet, or an empty one",
            path.display()
        )),
        error => Failure::of(error),
    }
}

/// The switches with an image of an earlier update that go back to that of the table set.
fn restored(before: &Update, made: &Made) -> Vec<SwitchId> {
    let is_kept = |switch: &SwitchId| made.switches.iter().any(|(changed, _)| changed == switch);
    before.switches().filter(|switch| !is_kept(switch)).collect()
}

/// Warns if more switches, or more links between groups, are dead than live: the list of live links may have been cut
/// off.
fn warn_if_most_is_dead(live: &Path, plan: &FabricImage<'_>, faults: &FaultSet) {
    let df = plan.dragonfly();
    let is_dead = |end: End| {
        let switch = df.switch(end.group, df.split_port(end.port).0);
        faults.switches.contains(&switch)
    };
    let dead = plan
        .cables()
        .filter(|&(end, peer)| faults.cables.contains(&end) || is_dead(end) || is_dead(peer));
    for (what, dead, all) in [
        ("switches", faults.switches.len(), df.switch_count() as usize),
        ("links between groups", dead.count(), plan.cable_count() as usize),
    ] {
        if 2 * dead > all {
            tell(&format!(
                "warning: {}: {dead} of {all} {what} are dead by the links that it names; make sure that it \
                 names every link that is live before switches take this update",
                live.display()
            ));
            return;
        }
    }
}

/// The printed report.
struct FaultsReport<'r> {
    verified: &'r Changes,
    loss: &'r RouteLoss,
    changed: Vec<NamedSwitch>,
    restored: Vec<NamedSwitch>,
    df: &'r Dragonfly,
    names: &'r Names,
    /// The command line did not name the update in use.
    is_taken_for_first: bool,
    output: &'r Path,
}

/// The output of `--json`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Json<'r> {
    #[serde(flatten)]
    record: &'r UpdateRecord,
    /// The first pairs of each kind, source and destination.
    first_without_min: &'r [(SwitchId, SwitchId)],
    first_cut: &'r [(SwitchId, SwitchId)],
    /// Switches from which no other group can be reached.
    isolated: Vec<NamedSwitch>,
    /// The part whose mending would reconnect the most pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<JsonMend>,
    /// Switches with an image of the update.
    changed: &'r [NamedSwitch],
    /// Switches that go back to their image in the table set.
    restored: &'r [NamedSwitch],
    #[serde(flatten)]
    channels: SetsChannels,
}

#[derive(Serialize)]
struct JsonMend {
    part: String,
    joins: u64,
}

impl FaultsReport<'_> {
    fn json(&self) -> Json<'_> {
        let mend = self.loss.mend.as_ref();
        Json {
            record: &self.verified.update,
            first_without_min: &self.loss.min.first,
            first_cut: &self.loss.cut.first,
            isolated: self.isolated(),
            mend: mend.map(|mend| JsonMend { part: self.in_list(&mend.part), joins: mend.joins }),
            changed: &self.changed,
            restored: &self.restored,
            channels: self.verified.channels,
        }
    }

    fn isolated(&self) -> Vec<NamedSwitch> {
        self.loss.isolated.iter().map(|&switch| self.names.named(switch)).collect()
    }

    /// A part as a list names it.
    fn in_list(&self, part: &FaultSet) -> String {
        tvlb_table_set::dead_parts::write(self.df, part).trim_end().to_owned()
    }

    fn pairs(&self, f: &mut fmt::Formatter<'_>, what: &str, pairs: &PairList) -> fmt::Result {
        write!(f, "  {what:<28}{:>10}", counted(pairs.count, "pair"))?;
        if let Some(&(from, to)) = pairs.first.first() {
            let [from, to] = [from, to].map(|switch| self.names.named(switch));
            write!(f, ", first from switch {from} to {to}")?;
        }
        writeln!(f)
    }
}

impl fmt::Display for FaultsReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UpdateRecord { dead, epoch, files, .. } = &self.verified.update;
        writeln!(
            f,
            "{:<9} {}, {}, {}",
            if dead.draining { "drained" } else { "dead" },
            counted(dead.cables, "global link"),
            counted(dead.local_links, "local link"),
            counted(dead.switches, "switch")
        )?;
        let of_first = if self.is_taken_for_first {
            ": right only for switches without an update of these tables; --after names the one in use"
        } else {
            ""
        };
        writeln!(f, "update    {}, epoch {epoch}{of_first}", self.output.display())?;
        writeln!(
            f,
            "install   {FAULTS_FILE} on every switch, {}",
            counted(files[0].bytes, "byte")
        )?;
        if !self.changed.is_empty() {
            let count = counted(self.changed.len() as u64, "switch image");
            writeln!(f, "          {count}: {}", first_ten(&self.changed))?;
        }
        if !self.restored.is_empty() {
            let count = counted(self.restored.len() as u64, "switch image");
            writeln!(f, "          {count} of the table set again: {}", first_ten(&self.restored))?;
        }
        writeln!(f, "lost      of ordered pairs of switches that live")?;
        self.pairs(f, "their minimal paths", &self.loss.min)?;
        for decision in Decision::ALL {
            let what = format!("the set of {}", decision.name());
            self.pairs(f, &what, self.loss.sets.get(decision))?;
        }
        self.pairs(f, "every path", &self.loss.cut)?;
        if !self.loss.isolated.is_empty() {
            let switches = counted(self.loss.isolated.len() as u64, "switch");
            let named = first_ten(&self.isolated());
            writeln!(f, "cut off   {switches} from all other groups: {named}")?;
        }
        if let Some([ugal, par]) = self.verified.channels.pairs_that_need_more
            && (ugal, par) != (0, 0)
        {
            let pairs = |count| counted(count, "pair");
            writeln!(
                f,
                "channels  {} by UGAL-L and {} by PAR have no path with the channels alone that the sets \
                 need by the plan, but have one with all",
                pairs(ugal),
                pairs(par)
            )?;
        }
        if let Some(mend) = &self.loss.mend {
            let count = counted(mend.joins, "pair");
            writeln!(f, "mend      `{}` first: it reconnects {count}", self.in_list(&mend.part))?;
        }
        Ok(())
    }
}

/// At most ten switches, with their names, and how many more there are.
fn first_ten(switches: &[NamedSwitch]) -> String {
    let rest = if switches.len() > 10 { ", all of which --json names" } else { "" };
    listed(switches, switches.len(), 10) + rest
}
