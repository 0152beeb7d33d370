//! What `tvlb generate` has made, in words.

use std::fmt::{self, Display};
use std::path::Path;
use std::time::Duration;
use tvlb_generator::choose::table::InWords;
use tvlb_generator::counted::counted;
use tvlb_generator::routes::draw_work::DrawWork;
use tvlb_schema::{Decision, PerDecision};
use tvlb_table_set::names::Names;
use tvlb_table_set::{BalanceEntry, Manifest, SetEntry};
use tvlb_verify::{Certificate, Extent};

/// Which paths were walked before the table set took its name.
fn what_was_verified(certificate: &Certificate) -> String {
    match certificate.extent {
        Extent::Exhaustive => "every MIN path, every VLB path".to_owned(),
        Extent::Sampled { pairs, .. } => format!(
            "every MIN path, every VLB path; the routes of sets of a sample of {pairs} of {} pairs \
             (`tvlb verify` takes a larger one)",
            certificate.pairs
        ),
    }
}

/// What was made, and where it is.
pub(super) struct Summary<'m> {
    pub(super) manifest: &'m Manifest,
    pub(super) draw_work: &'m PerDecision<DrawWork>,
    pub(super) names: &'m Names,
    pub(super) nodes: u32,
    pub(super) certificate: &'m Certificate,
    pub(super) directory: &'m Path,
    pub(super) took: Duration,
}

impl Summary<'_> {
    /// The size of a set, the cost of a draw from it, and how evenly it uses links.
    fn set(&self, f: &mut fmt::Formatter<'_>, decision: Decision, entry: &SetEntry) -> fmt::Result {
        let about = if entry.mean_hops_are_exact { "" } else { "about " };
        let hops = entry.mean_hops.map_or("no".to_owned(), |hops| format!("{about}{hops:.3}"));
        write!(f, "         {:.1} VLB routes per pair, {hops} mean hops", entry.mean_routes)?;
        if entry.pairs_without_route > 0 {
            let (none, pairs) = (entry.pairs_without_route, entry.pairs);
            write!(f, "; {none} of {pairs} pairs have none in the set")?;
        }
        writeln!(f)?;
        let DrawWork { mean, most, pair: (from, to) } = self.draw_work.get(decision);
        let [from, to] = [from, to].map(|switch| self.names.named(*switch));
        if *most > 0.0 {
            writeln!(
                f,
                "         a draw takes {mean:.1} looks at cells; at most {most:.1}, from switch {from} to switch {to}"
            )?;
        }
        if let Some(balance) = &entry.balance {
            let BalanceEntry { before, after, conventional, thinned_switches, .. } = balance;
            write!(
                f,
                "         most used link over the mean: local {:.3}, global {:.3}",
                after.local, after.global
            )?;
            if *thinned_switches > 0 {
                write!(
                    f,
                    " (before balance {:.3}, {:.3}; {} {} it)",
                    before.local,
                    before.global,
                    counted(*thinned_switches, "switch"),
                    if *thinned_switches == 1 { "thins" } else { "thin" }
                )?;
            }
            writeln!(f, "; conventional {:.3}, {:.3}", conventional.local, conventional.global)?;
        }
        Ok(())
    }
}

impl Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Manifest { fabric, sets, sizes, files, .. } = self.manifest;
        let (switches, nodes) = (fabric.switches(), self.nodes);
        writeln!(
            f,
            "fabric   {}: {}, {switches} switches, {}, {}, {}",
            fabric.name,
            fabric.sizes_in_words(),
            counted(nodes.into(), "node"),
            fabric.wiring,
            counted(fabric.cables.into(), "cable")
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
            self.set(f, decision, entry)?;
        }
        if let Some(choice) = &self.manifest.choice {
            write!(f, "{}", InWords(choice))?;
        }
        writeln!(
            f,
            "images   {switches} switch images of {} bytes (median; {} to {}), fabric image {} bytes",
            sizes.switch_median, sizes.switch_least, sizes.switch_most, sizes.fabric
        )?;
        writeln!(f, "verified {}", what_was_verified(self.certificate))?;
        writeln!(
            f,
            "written  {}: {} files, {} bytes of images, in {:.2} s",
            self.directory.display(),
            files.len() + 2,
            sizes.total,
            self.took.as_secs_f64()
        )
    }
}
