//! The table at the end of `tvlb generate`: conventional UGAL, the paper's choice, both with queues by channel and
//! weighed as ours, and ours.

use super::baseline::{NEAR_SATURATION_LOAD, NEAR_SATURATION_WINDOWS};
use super::floor::LEAST_SHARE;
use super::objective::Prefer;
use super::runner::load_of;
use super::step_one::MOST_SWITCHES;
use crate::counted::{counted, with_sign};
use std::fmt::{self, Display};
use tvlb_base::row;
use tvlb_base::table::{self, Cell, Column, Table};
use tvlb_schema::WindowLimits;
use tvlb_simulator::Scheme;
use tvlb_table_set::{
    AgainContender, AgainEntry, Carried, ChoiceEntry, ContenderEntry, ContestEntry, FloorEntry,
    Lead, Origin, PanelEntry, Regrets,
};

/// With fewer patterns than this, the spread of a difference does not estimate its standard error: two equal
/// differences would be mistaken for certainty.
const LEAST_PATTERNS: usize = 3;

/// A note on the references of a contest of UGAL by the group.
const TOLD_NOTHING: &str = "conventional and the paper's, also by channel, are UGAL-L: they do not use what switches tell each other";

pub struct InWords<'c>(pub &'c ChoiceEntry);

impl Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChoiceEntry { model, floor, panel, contests, prefer, .. } = self.0;
        match model {
            Some(model) => writeln!(
                f,
                "model    {} sets, {}; within {}% of the best: {}",
                model.sets,
                counted(model.patterns.len() as u64, "pattern"),
                100.0 * model.epsilon,
                model.candidates.join("; ")
            )?,
            None => {
                writeln!(
                    f,
                    "model    not used: the fabric has more than {MOST_SWITCHES} switches"
                )?;
            }
        }
        let Some(panel) = panel else {
            let Some(model) = model else {
                return writeln!(
                    f,
                    "         conventional routing is kept, because nothing was compared with it"
                );
            };
            for figures in &model.figures {
                let about = if figures.certified { "" } else { "about " };
                writeln!(
                    f,
                    "         {}: {about}{:.4}, {} hops",
                    figures.set,
                    figures.throughput,
                    figures.mean_hops.map_or("no".to_owned(), |hops| format!("{hops:.2}"))
                )?;
            }
            show_floor(f, floor)?;
            return writeln!(
                f,
                "         chosen by the model and short runs; without --fast, the same command simulates candidates, \
                 for some minutes, and chooses by that"
            );
        };
        writeln!(
            f,
            "panel    {}, {}; {} + {} windows of {} cycles; a run is saturated if its mean latency is \
             above {} cycles",
            counted(panel.score.len() as u64, "adversarial pattern"),
            counted(panel.guards.len() as u64, "guard"),
            panel.warm_up,
            1,
            panel.window,
            panel.latency_limit
        )?;
        writeln!(f, "sources  {}", windows_in_words(panel))?;
        writeln!(
            f,
            "regret   1 - S/E, where S is a saturation and E the largest of those of min, vlb and \
             conventional; on guards it may be {}% at most",
            panel.most_regret
        )?;
        if let Some(prefer) = prefer.as_deref().and_then(Prefer::of_name) {
            writeln!(f, "chosen   by {}: {}", prefer.name(), prefer.rule())?;
        }
        for contest in contests {
            writeln!(f)?;
            show(f, contest, panel)?;
        }
        writeln!(f)
    }
}

/// What sources hold in the runs of a panel, after "sources".
pub(crate) fn windows_in_words(panel: &PanelEntry) -> String {
    match panel.destination_window {
        Some(WindowLimits { delay_cycles, packets }) => format!(
            "hold a packet while {packets} from their switch are under way to its destination switch and the mean delay \
             of such packets is above {delay_cycles} cycles"
        ),
        None => "hold no packet, because packets are not acknowledged".to_owned(),
    }
}

/// What the candidates of a fast choice carry relative to conventional routing.
fn show_floor(f: &mut fmt::Formatter<'_>, floor: &[FloorEntry]) -> fmt::Result {
    let least = LEAST_SHARE * 100.0;
    for of_scheme in floor.chunk_by(|one, next| one.scheme == next.scheme) {
        let first = &of_scheme[0];
        let Some(scheme) = &first.scheme else {
            for FloorEntry { set, share, traffic, carried, conventional, .. } in of_scheme {
                writeln!(
                    f,
                    "floor    {set}: with all packets on its paths, links carry {carried:.4} of {traffic}, where \
                     conventional routing carries {conventional:.4}: {}",
                    percent(*share)
                )?;
            }
            if of_scheme.iter().all(|entry| entry.share < LEAST_SHARE) {
                writeln!(f, "         none carries {least}%, so conventional routing is kept")?;
            }
            continue;
        };
        let above = || of_scheme.iter().filter_map(|entry| Some((entry, entry.adversarial?)));
        let best = above().reduce(|best, next| if next.1 > best.1 { next } else { best });
        if let Some((best, carried)) = best {
            writeln!(
                f,
                "floor    {scheme}: {} of {} candidates carry {least}% of what conventional routing carries of all traffic \
                 that was tried; of adversarial traffic {} carries most, {carried:.3} beside {:.3}",
                above().count(),
                of_scheme.len(),
                best.set,
                first.adversarial.unwrap_or_default()
            )?;
        }
    }
    Ok(())
}

/// A mean over this many patterns with its standard error, which two differences cannot estimate.
pub(crate) fn lead_in_words(lead: Lead, patterns: usize) -> String {
    if patterns < LEAST_PATTERNS {
        format!("{} (error not estimated)", with_sign(lead.mean, 4))
    } else {
        format!("{} ± {:.4}", with_sign(lead.mean, 4), lead.standard_error)
    }
}

fn show(f: &mut fmt::Formatter<'_>, contest: &ContestEntry, panel: &PanelEntry) -> fmt::Result {
    let patterns = panel.score.len();
    let latency = format!("cycles at {}", contest.low_load);
    let served = format!("at {}", contest.served_load);
    let columns = CONTENDERS.map(|column| match column.name {
        "cycles at 0.1" => column.under(&latency),
        "at 0.2" => column.under(&served),
        _ => column,
    });
    let mut table = Table::new(columns.to_vec());
    for (name, entry) in compared(contest, "ours") {
        let mut row = row![name];
        row.extend(figures(entry, "-").map(Cell::from));
        table.push(row);
    }
    indented(f, &contest.scheme, &table)?;
    writeln!(f, "         ours: {}", contest.chosen)?;
    writeln!(f, "         (saturation: the mean latency passes {} cycles)", panel.latency_limit)?;
    if contest.scheme == Scheme::UgalGroup.name() {
        writeln!(f, "         ({TOLD_NOTHING})")?;
    }
    if let Some(text) = passing_limit_later(contest, panel, "ours") {
        writeln!(f, "         {text}")?;
    }
    writeln!(
        f,
        "         ahead of conventional by {}, of the paper's by {}",
        lead_in_words(contest.lead_over_conventional, patterns),
        lead_in_words(contest.lead_over_paper, patterns)
    )?;
    if let (Some(name), Some(lead)) = (&contest.runner_up, contest.lead_over_runner_up) {
        writeln!(f, "         of the next best by {}: {name}", lead_in_words(lead, patterns))?;
    }
    if !contest.holds_guards {
        writeln!(f, "         {}", without_holder(contest, panel))?;
        if !contest.frontier.is_empty() {
            writeln!(
                f,
                "         saturation and worst regret on a guard can be had in these pairs:"
            )?;
        }
        for entry in &contest.frontier {
            writeln!(
                f,
                "           {:.4} at a worst regret of {} under {}: {}",
                entry.mean_saturation,
                percent(entry.worst_guard.regret),
                entry.worst_guard.traffic,
                entry.set
            )?;
        }
    }
    show_regrets(f, contest, panel)?;
    match &contest.again {
        Some(again) => show_again(f, contest, again, panel),
        None => Ok(()),
    }
}

/// The value of the choice on seeds that took no part in it: the table, then typical and worst traffic, before and
/// after, and the guards.
fn show_again(
    f: &mut fmt::Formatter<'_>,
    contest: &ContestEntry,
    again: &AgainEntry,
    panel: &PanelEntry,
) -> fmt::Result {
    let seeds: Vec<String> = again.seeds.iter().map(ToString::to_string).collect();
    writeln!(f, "         measured again with seeds that took no part, {}:", seeds.join(", "))?;
    let mut table = Table::new(AGAIN.to_vec());
    for (name, entry) in compared(contest, "ours") {
        if let Some(of) = again.contenders.iter().find(|of| of.set == entry.set) {
            let usual = of.usual.map_or_else(|| Cell::from("-"), Cell::from);
            table.push(vec![name.into(), of.saturation.into(), usual]);
        }
    }
    indented(f, "", &table)?;
    for line in before_and_after(contest, again) {
        writeln!(f, "         {line}")?;
    }
    writeln!(f, "         {}", guards_again(again, panel))
}

/// What the chosen set carries on seeds that took no part in the choice, and the name and throughput of the
/// conventional routing that carries most, of those measured and not weighed as ours.
pub(crate) fn beside_strongest<'c>(
    contest: &'c ContestEntry,
    again: &AgainEntry,
    of: impl Fn(&AgainContender) -> Option<f64>,
) -> Option<(f64, &'c str, f64)> {
    let found = |set: &str| again.contenders.iter().find(|contender| contender.set == set);
    let is_conventional = |entry: &ContenderEntry| {
        matches!(entry.origin, Origin::Conventional | Origin::ConventionalByChannel)
    };
    let conventional = contest.references().filter(|(_, entry)| is_conventional(entry));
    let carried = conventional.filter_map(|(name, entry)| Some((name, of(found(&entry.set)?)?)));
    let (name, most) = carried.reduce(|one, next| if next.1 > one.1 { next } else { one })?;
    Some((of(found(&contest.chosen)?)?, name, most))
}

/// Typical and worst traffic in brief: what the strongest conventional routing carries of it, and what the chosen set
/// carries, on seeds that took no part in the choice.
pub(crate) fn before_and_after(contest: &ContestEntry, again: &AgainEntry) -> Vec<String> {
    let line = |words: &str, of: fn(&AgainContender) -> Option<f64>| {
        let (ours, name, before) = beside_strongest(contest, again, of)?;
        let gain = 100.0 * (ours / before.max(f64::MIN_POSITIVE) - 1.0);
        Some(format!(
            "{words}: {ours:.3} with the chosen set; {before:.3} with {name}, {gain:+.0}%"
        ))
    };
    let both = [
        line("typical traffic, uniform and permutations", |of| of.usual),
        line("worst traffic, adversarial patterns", |of| Some(of.saturation)),
    ];
    both.into_iter().flatten().collect()
}

/// Whether the chosen set holds the guards on seeds that took no part in the choice, and where it loses most.
pub(crate) fn guards_again(again: &AgainEntry, panel: &PanelEntry) -> String {
    let Some(worst) = again.worst_guard() else { return "no guards".to_owned() };
    let holds = worst.worst <= f64::from(panel.most_regret) / 100.0 + 1e-9;
    let words = if holds { "all guards hold there" } else { "not all guards hold there" };
    format!(
        "{words}: the worst regret is {}, under {} with seed {}; the mean of that guard is {}",
        percent(worst.worst),
        worst.traffic,
        worst.seed,
        percent(worst.mean)
    )
}

/// What a user compares: the references and the chosen set, which is called `ours`.
pub(crate) fn compared<'c>(
    contest: &'c ContestEntry,
    ours: &str,
) -> Vec<(String, &'c ContenderEntry)> {
    let chosen = contest.chosen_entry();
    let is_chosen = |entry| chosen.is_some_and(|chosen| std::ptr::eq(chosen, entry));
    let mut all: Vec<(String, &ContenderEntry)> = Vec::new();
    for (name, entry) in contest.references() {
        let both = if is_chosen(entry) { format!("{name} and {ours}") } else { name.to_owned() };
        all.push((both, entry));
    }
    let own = chosen.filter(|chosen| chosen.origin.reference().is_none());
    all.extend(own.map(|own| (ours.to_owned(), own)));
    all
}

/// The figures by which contenders are compared, or `none`: modelled throughput, saturation, mean hops, latency at low
/// load, and the throughput of the worst served node near saturation and at a common load.
pub(crate) fn figures(entry: &ContenderEntry, none: &str) -> [String; 6] {
    let figure = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| none.to_owned(), |value| format!("{value:.decimals$}"))
    };
    [
        figure(entry.modelled, 4),
        figure(entry.mean_saturation, 4),
        figure(entry.mean_hops, 2),
        figure(entry.low_load_latency, 2),
        figure(entry.worst_served, 2),
        figure(entry.worst_served_at_one_load, 2),
    ]
}

/// Which of the references and the chosen set exceed the latency limit below their saturation in runs that are longer
/// than those that found it; `None` if none does.
pub(crate) fn passing_limit_later(
    contest: &ContestEntry,
    panel: &PanelEntry,
    ours: &str,
) -> Option<String> {
    let compared = compared(contest, ours);
    let latencies = compared
        .iter()
        .filter_map(|(name, entry)| Some((name.as_str(), entry.latency_near_saturation?)));
    let cycles = u64::from(NEAR_SATURATION_WINDOWS) * u64::from(panel.window);
    above_limit(latencies, f64::from(panel.latency_limit), cycles)
}

/// The sentence for that, from pairs of a name and a mean latency.
fn above_limit<'n>(
    latencies: impl Iterator<Item = (&'n str, f64)>,
    limit: f64,
    measured_cycles: u64,
) -> Option<String> {
    let above: Vec<String> = latencies
        .filter(|&(_, latency)| latency > limit)
        .map(|(name, latency)| format!("{name} ({latency:.0} cycles)"))
        .collect();
    (!above.is_empty()).then(|| {
        format!(
            "a longer measurement, of {}, finds the mean latency at {NEAR_SATURATION_LOAD}% of the saturation \
             above the limit for {}: that load is not sustained",
            counted(measured_cycles, "cycle"),
            above.join(", ")
        )
    })
}

/// Says that every candidate that holds all guards loses more elsewhere, and what the chosen one loses.
pub(crate) fn without_holder(contest: &ContestEntry, panel: &PanelEntry) -> String {
    let margin = panel.most_regret;
    let Some(regrets) = contest.chosen_entry().and_then(|entry| entry.regrets.as_ref()) else {
        return format!("no candidate holds all guards at {margin}% without losing more elsewhere");
    };
    let worst = &regrets.worst_guard;
    format!(
        "no candidate holds all guards at {margin}% without losing more elsewhere; of those that are fast, conventional routing among them, the one \
         with the least worst regret over all traffic is chosen; its worst on a guard is {}, under {}",
        percent(worst.regret),
        worst.traffic
    )
}

/// A regret in percent.
pub(crate) fn percent(regret: f64) -> String {
    // -0.0 becomes 0.0.
    format!("{:.1}%", 100.0 * regret + 0.0)
}

/// Those that a user compares and whose regrets were computed.
pub(crate) fn with_regrets(contest: &ContestEntry) -> Vec<(String, &ContenderEntry)> {
    let compared = compared(contest, "ours").into_iter();
    compared.filter(|(_, entry)| entry.regrets.is_some()).collect()
}

/// For each score pattern and guard its name, E, whose saturation that is, and the regrets of [`with_regrets`].
pub(crate) fn regret_rows(
    contest: &ContestEntry,
    panel: &PanelEntry,
    none: &str,
) -> Vec<Vec<String>> {
    let compared = with_regrets(contest);
    let rows = |traffic: &[String], carried: &[Carried], of: fn(&Regrets) -> &[f64]| {
        let each = traffic.iter().zip(carried).enumerate();
        let rows = each.map(|(number, (traffic, carried))| {
            let regrets = compared.iter().map(|(_, entry)| {
                let regret = entry.regrets.as_ref().and_then(|regrets| of(regrets).get(number));
                regret.map_or_else(|| none.to_owned(), |&regret| percent(regret))
            });
            let most = format!("{:.2}", load_of(carried.most()));
            let traffic = [traffic.to_owned(), most, carried.best.clone()];
            traffic.into_iter().chain(regrets).collect()
        });
        rows.collect::<Vec<_>>()
    };
    let mut all = rows(&panel.score, &contest.score_baselines, |regrets| &regrets.score);
    all.extend(rows(&panel.guards, &contest.guard_baselines, |regrets| &regrets.guards));
    all
}

fn show_regrets(
    f: &mut fmt::Formatter<'_>,
    contest: &ContestEntry,
    panel: &PanelEntry,
) -> fmt::Result {
    let compared = with_regrets(contest);
    let mut columns = REGRETS[..3].to_vec();
    columns.extend(compared.iter().map(|(name, _)| REGRETS[3].under(name)));
    let mut table = Table::new(columns);
    for cells in regret_rows(contest, panel, "-") {
        table.push(cells.into_iter().map(Cell::from).collect());
    }
    writeln!(f, "         regret by traffic, in percent:")?;
    indented(f, "", &table)
}

/// A table beside a word.
fn indented(f: &mut fmt::Formatter<'_>, word: &str, table: &Table<'_>) -> fmt::Result {
    for (number, line) in table.to_string().lines().enumerate() {
        let line = format!("{:8} {line}", if number == 0 { word } else { "" });
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

const CONTENDERS: [Column<'_>; 7] = [
    Column::words(
        "VLB paths",
        "the set and how it is weighed: conventional, the paper's choice, both with queues by channel and weighed as \
         sets of Step 1's front are, and ours",
    ),
    Column::number("model", 4, "throughput by the model of Step 1, in flits per node and cycle"),
    Column::number(
        "saturation",
        4,
        "flits per node and cycle at which the mean latency passes the limit that is said below the rows; a mean \
         over the adversarial patterns",
    ),
    Column::number("hops", 2, "mean links between switches of a VLB path"),
    Column::number("cycles at 0.1", 2, "mean latency in cycles at the load that the heading says"),
    Column::number(
        "worst served",
        2,
        "throughput of the worst served node, over the mean of all, at 90% of the saturation",
    ),
    Column::number("at 0.2", 2, "the same at the load that the heading says"),
];

const AGAIN: [Column<'_>; 3] = [
    Column::words("VLB paths", "as above"),
    Column::number(
        "adversarial",
        4,
        "mean saturation over adversarial patterns of seeds that took no part in the choice",
    ),
    Column::number(
        "typical",
        4,
        "the same over uniform traffic and permutations, of conventional UGAL and ours",
    ),
];

const REGRETS: [Column<'_>; 4] = [
    Column::words("traffic", "an adversarial pattern or a guard"),
    Column::number(
        "E",
        2,
        "the largest saturation of MIN, conventional VLB and conventional UGAL, in flits per node and cycle",
    ),
    Column::words("carried by", "whose E is"),
    Column::number(
        "conventional ... ours",
        1,
        "the regret of each, 1 - S/E in percent, where S is its saturation",
    ),
];

/// The meaning of the columns.
pub fn help() -> String {
    table::help(&CONTENDERS)
        + "  ahead ... by, \u{b1}      difference of mean saturations, and its standard error over the patterns\n"
        + &table::help(&REGRETS)
        + &table::help(&AGAIN[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_last_is_named() {
        let latencies = [("conventional", 87.0), ("the paper's", 989.4), ("ours", 500.0)];
        assert_eq!(
            above_limit(latencies.into_iter(), 500.0, 5220).unwrap(),
            "a longer measurement, of 5220 cycles, finds the mean latency at 90% of the saturation above the \
             limit for the paper's (989 cycles): that load is not sustained"
        );
        assert_eq!(above_limit(latencies.into_iter(), 990.0, 5220), None);
    }
}
