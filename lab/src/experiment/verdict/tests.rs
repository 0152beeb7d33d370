//! What the paper states, held against made-up figures.

use super::super::results::{FabricRow, Figures};
use super::super::samples;
use super::*;

fn known(results: impl IntoIterator<Item = Results>) -> KeptResults {
    let mut known = KeptResults::default();
    results.into_iter().for_each(|one| known.insert(one));
    known
}

/// What comes of a statement about UGAL-L in an experiment, of which this is the claim.
fn verdict(claim: Claim, experiment: &str, known: &KeptResults) -> (Verdict, String) {
    let stated = Stated {
        experiment: experiment.to_owned(),
        section: "4.3".to_owned(),
        place: "here".to_owned(),
        scheme: Some("ugal-l".to_owned()),
        t_ugal: true,
        variant: None,
        claim,
        note: None,
    };
    let judged = judge(&stated, known);
    (judged.verdict, judged.ours)
}

/// Figure 6 with these saturations of UGAL-L and T-UGAL-L.
fn figure_6(conventional: f64, t_ugal: f64) -> KeptResults {
    known([samples::curves("fig6", &[("ugal-l", conventional, t_ugal)])])
}

#[test]
fn a_number_is_within_five_percent_or_not() {
    let saturation = |ours| {
        let (verdict, text) =
            verdict(Claim::Saturation { load: 0.20 }, "fig6", &figure_6(0.1, ours));
        assert_eq!(text, format!("{ours:.2}"));
        verdict
    };
    for (ours, expected) in [
        (0.19, Verdict::Within),
        (0.20, Verdict::Within),
        (0.21, Verdict::Within),
        (0.18, Verdict::Outside),
        (0.22, Verdict::Outside),
    ] {
        assert_eq!(saturation(ours), expected, "{ours}");
    }
}

#[test]
fn a_gain_is_a_ratio_that_may_differ_by_five_percent() {
    let gain = |percent| verdict(Claim::SaturationGain { percent }, "fig6", &figure_6(0.20, 0.26));
    assert_eq!(gain(30.0), (Verdict::Within, "30.0%".to_owned()));
    assert_eq!(gain(36.0).0, Verdict::Within);
    assert_eq!(gain(38.0).0, Verdict::Outside);
    assert_eq!(gain(23.0).0, Verdict::Outside);
}

#[test]
fn a_latency_above_saturation_is_not_a_number() {
    let latency = |load| {
        let claim = Claim::Latency { load, cycles: 57.0 };
        verdict(claim, "fig6", &figure_6(0.2, 0.2))
    };
    assert_eq!(latency(0.1), (Verdict::Within, "57.0".to_owned()));
    assert_eq!(latency(0.3), (Verdict::Outside, "saturated".to_owned()));
}

#[test]
fn comparisons_are_confirmed_or_refuted() {
    let above = |c, t| verdict(Claim::SaturationAbove, "fig6", &figure_6(c, t));
    assert_eq!(above(0.2, 0.3), (Verdict::Confirmed, "0.20 to 0.30".to_owned()));
    // Equal at our resolution is not above.
    assert_eq!(above(0.2, 0.2).0, Verdict::Refuted);
    let not_above = |c, t| verdict(Claim::NoSaturationAbove, "fig6", &figure_6(c, t)).0;
    assert_eq!(not_above(0.2, 0.2), Verdict::Confirmed);
    assert_eq!(not_above(0.2, 0.3), Verdict::Refuted);
    let (below, text) = verdict(Claim::LatencyBelow, "fig6", &figure_6(0.2, 0.3));
    assert_eq!((below, &*text), (Verdict::Confirmed, "lower by 5.0 to 5.0 from 0.1 to 0.2"));
    let similar = verdict(Claim::LatencySimilar, "fig6", &figure_6(0.2, 0.3));
    assert_eq!(similar, (Verdict::Refuted, "62.0 to 57.0 at 0.1".to_owned()));
}

#[test]
fn a_latency_that_is_not_lower_at_one_load_refutes() {
    let mut results = samples::curves("fig6", &[("ugal-l", 0.3, 0.3)]);
    let Figures::Curves(curves) = &mut results.figures else { panic!("they are curves") };
    let custom = curves.lines.iter_mut().find(|line| line.rules == Rules::Published);
    custom.expect("there is such a line").points[1].latency = 64.0;
    let found = verdict(Claim::LatencyBelow, "fig6", &known([results]));
    assert_eq!(found, (Verdict::Refuted, "64.0 to 64.0 at 0.2".to_owned()));
}

#[test]
fn lines_without_a_load_in_common_decide_nothing() {
    let found = verdict(Claim::LatencyBelow, "fig6", &figure_6(0.05, 0.3));
    let text = "at no load that was run are both below saturation";
    assert_eq!(found, (Verdict::NotRun, text.to_owned()));
}

#[test]
fn a_comparison_must_hold_in_every_variant() {
    let line =
        |variant, rules, saturation| samples::line("ugal-l", variant, rules, (60.0, saturation));
    let mut results = samples::curves("fig16", &[]);
    let Figures::Curves(curves) = &mut results.figures else { panic!("they are curves") };
    curves.lines = vec![
        line("8", Rules::Conventional, 0.1),
        line("8", Rules::Published, 0.1),
        line("16", Rules::Conventional, 0.2),
        line("16", Rules::Published, 0.3),
    ];
    let known = known([results]);
    let found = verdict(Claim::SaturationAbove, "fig16", &known);
    assert_eq!(found, (Verdict::Refuted, "8: 0.10 to 0.10; 16: 0.20 to 0.30".to_owned()));
    let below = |less: &str, more: &str| {
        let [less, more] = [less, more].map(str::to_owned);
        verdict(Claim::VariantBelow { less, more }, "fig16", &known).0
    };
    assert_eq!(below("8", "16"), Verdict::Confirmed);
    assert_eq!(below("16", "8"), Verdict::Refuted);
    assert_eq!(verdict(Claim::VariantsMatter, "fig16", &known).0, Verdict::Confirmed);
}

#[test]
fn another_experiment_decides_only_if_it_was_run() {
    let other = || Other { experiment: Some("fig8".to_owned()), scheme: None };
    let one = samples::curves("fig6", &[("ugal-l", 0.2, 0.3)]);
    let alone = known([one.clone()]);
    let found = verdict(Claim::GainAboveThatOf(other()), "fig6", &alone);
    assert_eq!(found, (Verdict::NotRun, "fig8 has not been run".to_owned()));
    let both = known([one, samples::curves("fig8", &[("ugal-l", 0.6, 0.7)])]);
    let of = |claim| verdict(claim, "fig6", &both);
    let text = "+50.0%; UGAL-L in fig8 +16.7%".to_owned();
    assert_eq!(of(Claim::GainAboveThatOf(other())), (Verdict::Confirmed, text.clone()));
    assert_eq!(of(Claim::GainBelowThatOf(other())), (Verdict::Refuted, text));
    assert_eq!(of(Claim::SaturationBelowThatOf(other())).0, Verdict::Confirmed);
    // The made-up shares are equal.
    assert_eq!(of(Claim::VlbShareBelowThatOf(other())).0, Verdict::Refuted);
}

#[test]
fn modelled_throughputs() {
    let known = known([samples::model()]);
    let of = |claim| verdict(claim, "fig4", &known);
    let set = |name: &str| name.to_owned();
    let largest = of(Claim::Largest { set: set("60% 5-hop") });
    let text = "60% 5-hop 0.5500; the largest is 0.5625, of all";
    assert_eq!(largest, (Verdict::Refuted, text.to_owned()));
    assert_eq!(of(Claim::Largest { set: set("all") }).0, Verdict::Confirmed);
    let similar = |sets: &[&str]| {
        let sets = sets.iter().map(|name| set(name)).collect();
        of(Claim::Similar { set: set("60% 5-hop"), sets }).0
    };
    assert_eq!(similar(&["40% 5-hop", "50% 5-hop"]), Verdict::Confirmed);
    assert_eq!(similar(&["40% 5-hop", "70% 5-hop"]), Verdict::Refuted);
    let judged = judge_all("fig4", &known);
    let stated = judged.iter().find(|judged| judged.stated.as_deref() == Some("0.58"));
    let note = stated.and_then(|judged| judged.note.as_deref());
    assert!(note.is_some_and(|note| note.contains("above 0.5625")), "{note:?}");
}

#[test]
fn the_fabrics_are_counted() {
    let row = FabricRow {
        dragonfly: [4, 8, 4, 17],
        nodes: 544,
        switches: 136,
        links_per_pair: [2, 2],
        paths: Vec::new(),
    };
    let mut results = samples::model();
    results.experiment = "table2".to_owned();
    results.figures = Figures::Fabrics { rows: vec![row] };
    let judged = judge_all("table2", &known([results]));
    let of_17 = judged.iter().filter(|judged| judged.what.ends_with("g = 17"));
    let found: Vec<_> =
        of_17.map(|judged| (judged.stated.as_deref().unwrap_or_default(), &*judged.ours)).collect();
    assert_eq!(found, [("544", "544"), ("135", "136"), ("17", "17"), ("2", "2"), ("15", "15")]);
}

#[test]
fn what_was_not_run_or_cannot_be_is_called_that() {
    let nothing = KeptResults::default();
    let found = verdict(Claim::Saturation { load: 0.2 }, "fig6", &nothing);
    assert_eq!(found, (Verdict::NotRun, "fig6 has not been run".to_owned()));
    let claim = Claim::NotChecked { what: "what".to_owned(), why: "why".to_owned() };
    assert_eq!(verdict(claim, "fig6", &nothing), (Verdict::NotChecked, "why".to_owned()));
}
