//! A difference in words.

use super::{
    Change, Difference, EndNames, Install, LoadChange, ModeChange, Needs, PartChanges, PartCounts,
    SwitchChange,
};
use crate::counted::counted;
use std::fmt::{self, Display, Formatter};
use std::iter;
use tvlb_base::row;
use tvlb_base::table::{self, Column, Table};
use tvlb_schema::GroupId;
use tvlb_table_set::names::{NamedSwitch, after};

/// The most switches and cables shown; the values have them all.
const MOST_SHOWN: usize = 12;

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Change { old, new } = &self.names;
        if self.same {
            return writeln!(f, "{old} and {new} are the same");
        }
        writeln!(f, "old        {old}")?;
        writeln!(f, "new        {new}")?;
        self.manifest(f)?;
        self.parts(f)?;
        self.wiring(f)?;
        self.images(f)?;
        if !self.modes.is_empty() {
            self.packets(f)?;
        }
        self.per_switch(f)?;
        write_install(f, &self.install)
    }
}

/// How switches take the new set, a line for each condition and step.
fn write_install(f: &mut Formatter<'_>, install: &Install) -> fmt::Result {
    let lines = match install {
        Install::Nothing => Vec::new(),
        Install::Boot { switches, because } => {
            vec![format!("all {switches} switches boot with no packet under way: {because}")]
        }
        Install::WhilePacketsFly { switches, needs } => {
            let mut lines = conditions(needs);
            let take = match switches {
                1 => "1 switch takes its new image".to_owned(),
                _ => format!("{switches} switches take their new images"),
            };
            lines.push(format!("{take} while packets fly, in any order"));
            lines.push(
                "dead parts stay dead; an update of the new tables gets an epoch above the one in use (--epoch)"
                    .to_owned(),
            );
            lines
        }
        Install::InSteps { switches, gone, wait_cycles, new, needs } => {
            let mut lines = conditions(needs);
            lines.push("while packets fly, each step on all switches before the next:".to_owned());
            let steps = (1..).zip(steps(*switches, (*gone, *wait_cycles), *new));
            lines.extend(steps.map(|(number, step)| format!("{number}. {step}")));
            lines.push(
                "while something is dead, the new images come with an update, and every update lists the dead parts \
                 (--faults): parts that an update does not list are live"
                    .to_owned(),
            );
            lines.push(
                "the epochs of updates begin again with the new images: their first may be 1"
                    .to_owned(),
            );
            lines
        }
    };
    let headings = iter::once("install").chain(iter::repeat(""));
    headings.zip(lines).try_for_each(|(heading, line)| writeln!(f, "{heading:<10} {line}"))
}

/// The steps from one fabric to another while packets fly.
fn steps(switches: usize, (gone, wait_cycles): (PartCounts, u64), new: PartCounts) -> Vec<String> {
    let switches = counted(switches as u64, "switch");
    let mut steps = Vec::new();
    if !gone.is_empty() {
        steps.push(format!("an update of the old tables that drains old parts: {}", parts(gone)));
        steps.push(format!(
            "wait until all packets have arrived that nodes sent before step 1 was complete: at most {wait_cycles} \
             cycles if nodes send nothing meanwhile; then these parts can be taken out"
        ));
    }
    if new.is_empty() {
        steps.push(format!("{switches}: the new images"));
    } else {
        let of_new = parts(new);
        steps.push(format!(
            "{switches}: the new images, with an update that drains new parts: {of_new}"
        ));
        steps.push("an update of the new tables that lists nothing".to_owned());
    }
    steps
}

/// The requirements of the new tables that the old ones do not have.
fn conditions(needs: &Needs) -> Vec<String> {
    let mut lines = Vec::new();
    for (scheme, channels) in
        [("UGAL-L", needs.channels_for_ugal_l), ("PAR", needs.channels_for_par)]
    {
        let Some(Change { old, new }) = channels else { continue };
        lines.push(format!(
            "only where links have {} local and {} global virtual channels for {scheme}: switches with the {} and {} \
             that the old tables need refuse the new ones, also at boot",
            new[0], new[1], old[0], old[1]
        ));
    }
    if needs.credits_by_channel {
        lines.push(
            "only where switches know the credits of single virtual channels: those with sums over a port, which \
             the old tables need, refuse the new ones, also at boot"
                .to_owned(),
        );
    }
    lines
}

/// The contents of an update.
fn parts(PartCounts { switches, cables, local_links }: PartCounts) -> String {
    let counts = [
        (switches, "switch", "switches"),
        (cables, "cable", "cables"),
        (local_links, "local link", "local links"),
    ];
    let some = counts.into_iter().filter(|&(count, ..)| count > 0);
    let words =
        some.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    words.collect::<Vec<_>>().join(", ")
}

impl Difference {
    fn manifest(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.manifest.iter().map(|field| field.field.len()).max().unwrap_or(0);
        let mut heading = "manifest";
        for field in &self.manifest {
            let Change { old, new } = &field.values;
            writeln!(f, "{heading:<10} {:<width$}  {old} -> {new}", field.field)?;
            heading = "";
        }
        if self.choice_differs {
            writeln!(f, "{heading:<10} the records of how sets were chosen differ")?;
            heading = "";
        }
        if heading == "manifest" {
            writeln!(f, "{heading:<10} says the same")?;
        }
        Ok(())
    }

    /// The groups and switches that only one set has, or that have moved; nothing if all are the same.
    fn parts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let PartChanges { groups_gone, groups_new, switches_gone, switches_new, .. } = &self.parts;
        let (moved, renamed) = (&self.parts.switches_moved, &self.parts.switches_renamed);
        if self.dragonfly.is_change() {
            writeln!(f, "sizes      {} -> {}", self.dragonfly.old, self.dragonfly.new)?;
        }
        let changed = [moved, renamed].map(Vec::len);
        if switches_gone.len() + switches_new.len() + changed[0] + changed[1] == 0 {
            return Ok(());
        }
        let list = |mut all: Vec<String>| {
            let more = if all.len() > MOST_SHOWN { ", …" } else { "" };
            all.truncate(MOST_SHOWN);
            format!("{}{more}", all.join(", "))
        };
        let mut line = |label: &str, in_both: usize, lists: &[(&str, usize, String)]| {
            write!(f, "{label:<10} {in_both} in both")?;
            for (what, count, names) in lists.iter().filter(|(_, count, _)| *count > 0) {
                write!(f, "; {count} {what}: {names}")?;
            }
            writeln!(f)
        };
        let groups = |all: &[GroupId]| list(all.iter().map(ToString::to_string).collect());
        let switches = |all: &[NamedSwitch]| list(all.iter().map(ToString::to_string).collect());
        let of_both = |all: &[Change<NamedSwitch>]| {
            list(all.iter().map(|Change { old, new }| format!("{old} is {new}")).collect())
        };
        line(
            "groups",
            self.parts.groups_in_both,
            &[
                ("gone", groups_gone.len(), groups(groups_gone)),
                ("new", groups_new.len(), groups(groups_new)),
            ],
        )?;
        line(
            "switches",
            self.parts.switches_in_both,
            &[
                ("gone", switches_gone.len(), switches(switches_gone)),
                ("new", switches_new.len(), switches(switches_new)),
                ("with other names", renamed.len(), of_both(renamed)),
                ("with other numbers", moved.len(), of_both(moved)),
            ],
        )
    }

    fn wiring(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (gone, new) = (&self.cables_gone, &self.cables_new);
        if gone.is_empty() && new.is_empty() {
            return writeln!(f, "wiring     the same");
        }
        writeln!(f, "wiring     cables: {} gone, {} new", gone.len(), new.len())?;
        let (names_of_gone, names_of_new) = (&self.names_of_cables_gone, &self.names_of_cables_new);
        for (sign, cables, names) in [('-', gone, names_of_gone), ('+', new, names_of_new)] {
            for (number, [from, to]) in cables.iter().take(MOST_SHOWN).enumerate() {
                let end = |side: usize, [group, switch, port]: [u32; 3]| {
                    let EndNames { switch: switch_name, port: port_name } =
                        names.get(number).map(|ends| ends[side].clone()).unwrap_or_default();
                    let (switch_name, port_name) =
                        (after(switch, switch_name.as_deref()), after(port, port_name.as_deref()));
                    format!("({group},{switch}){switch_name} global port {port}{port_name}")
                };
                writeln!(f, "           {sign} {} = {}", end(0, *from), end(1, *to))?;
            }
            more(f, cables.len())?;
        }
        Ok(())
    }

    fn images(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sizes = |bytes: Change<usize>, differing: usize| match (bytes.is_change(), differing) {
            (false, 0) => "the same".to_owned(),
            (false, _) => format!("{differing} of {} bytes differ", bytes.new),
            (true, _) => format!("{} -> {} bytes", bytes.old, bytes.new),
        };
        let changed: Vec<&SwitchChange> =
            self.switches.iter().filter(|switch| switch.bytes_differing > 0).collect();
        writeln!(f, "fabric     {}", sizes(self.fabric_bytes, self.fabric_bytes_differing))?;
        let differing = changed.iter().map(|switch| switch.bytes_differing).sum();
        write!(
            f,
            "images     {} of {} switch images differ: {}",
            changed.len(),
            self.parts.switches_in_both,
            sizes(self.switch_bytes, differing)
        )?;
        match changed.iter().filter(|switch| switch.identity_alone).count() {
            0 => writeln!(f),
            count => writeln!(f, "; {count} in nothing but the identity of the fabric"),
        }
    }

    fn packets(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [looked_at, pairs] = self.pairs_looked_at;
        let is_sample = looked_at < pairs;
        if is_sample {
            writeln!(
                f,
                "pairs      {looked_at} of {pairs}, a sample: affected pairs and destinations are \
                 counted among these alone"
            )?;
        } else {
            let of_both =
                if self.parts.switches_in_both == self.switch_count.new { "" } else { " of both" };
            writeln!(f, "pairs      all {pairs} of switches{of_both} in different groups")?;
        }
        let mut table = Table::new(MODES.to_vec());
        for ModeChange { mode, pairs_affected, mean_hops, local, global, .. } in &self.modes {
            let affected = if is_sample {
                format!("{pairs_affected}/{looked_at}")
            } else {
                pairs_affected.to_string()
            };
            table.push(row![
                *mode,
                affected,
                arrow(&mean_hops.map(|hops| in_words(*hops, 3))),
                arrow(&local.most.map(|load| format!("{load:.4}"))),
                arrow(&global.most.map(|load| format!("{load:.4}"))),
            ]);
        }
        write!(f, "\n{table}")?;
        writeln!(
            f,
            "(loads are in flits per cycle where each node sends one flit per cycle to other groups \
             evenly; a link cannot carry more than 1, so larger figures serve to compare)"
        )?;
        for mode in &self.modes {
            for (kind, LoadChange { largest_rise, .. }) in
                [("local", &mode.local), ("global", &mode.global)]
            {
                if let Some(rise) = largest_rise {
                    let name = mode.mode;
                    let switch = format!(
                        "{}{}",
                        rise.switch,
                        after(rise.switch, rise.switch_name.as_deref())
                    );
                    let port =
                        format!("{}{}", rise.port, after(rise.port, rise.port_name.as_deref()));
                    let load = arrow(&rise.load.map(|load| format!("{load:.4}")));
                    writeln!(
                        f,
                        "{name}: of {kind} links that of switch {switch}, port {port}, rises most, \
                         {load}"
                    )?;
                }
            }
            if mode.pairs_without.is_change() {
                let without = arrow(&mode.pairs_without.map(ToString::to_string));
                writeln!(f, "{}: pairs without a path {without}", mode.mode)?;
            }
        }
        Ok(())
    }

    fn per_switch(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.switches.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(SWITCHES.to_vec());
        for change in self.switches.iter().take(MOST_SHOWN) {
            let bytes = arrow(&change.bytes.map(ToString::to_string));
            let [min, ugal_l, par_source, par_second] = change.destinations;
            let ports: Vec<String> = change.ports.iter().map(ToString::to_string).collect();
            table.push(row![
                format!("{}{}", change.switch, after(change.switch, change.name.as_deref())),
                format!("{bytes} ({})", change.bytes_differing),
                format!("{min} MIN, {ugal_l}, {par_source}, {par_second}"),
                arrow(&change.mean_hops[1].map(|hops| in_words(*hops, 3))),
                ports.join(" "),
            ]);
        }
        write!(f, "\n{table}")?;
        more(f, self.switches.len())
    }
}

const MODES: [Column<'_>; 5] = [
    Column::words("paths", "MIN, or the sets of a decision"),
    Column::number(
        "affected",
        0,
        "ordered pairs of switches whose packets take other paths; N/M of a sample",
    ),
    Column::number("mean hops", 3, "mean links between switches of a path as packets draw it"),
    Column::number(
        "local link: most",
        4,
        "flits per cycle on the busiest link, if each node sends one per cycle",
    ),
    Column::number("global link: most", 4, ""),
];

const SWITCHES: [Column<'_>; 5] = [
    Column::words("switch", ""),
    Column::number("bytes (differ)", 0, "bytes of a switch's image, and how many of them differ"),
    Column::words(
        "destinations affected",
        "switches to which packets take other paths, by MIN and by each decision's set",
    ),
    Column::words("mean hops of ugal-l's set", ""),
    Column::words("global ports rewired", "global ports of a switch with another cable"),
];

/// The meaning of the columns.
pub fn help() -> String {
    table::help(&MODES) + &table::help(&SWITCHES)
}

/// Both values, or the single one if they are equal.
fn arrow(change: &Change<String>) -> String {
    if change.is_change() {
        format!("{} -> {}", change.old, change.new)
    } else {
        change.new.clone()
    }
}

/// A mean of hops, or a word if there is none.
fn in_words(hops: Option<f64>, decimals: usize) -> String {
    hops.map_or_else(|| "none".to_owned(), |hops| format!("{hops:.decimals$}"))
}

fn more(f: &mut Formatter<'_>, count: usize) -> fmt::Result {
    match count.checked_sub(MOST_SHOWN) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(f, "           and {rest} more, which --json lists"),
    }
}
