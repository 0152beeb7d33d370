use super::super::{KeptResults, find};
use super::*;

fn quick(name: &str) -> PerHop {
    let options = Options { quick: true, ..Options::default() };
    let findings = find(name).unwrap().run(&options, &KeptResults::default(), &()).unwrap();
    assert_eq!(findings.csv.lines().count(), texts_of(&findings).runs.len() + 1);
    texts_of(&findings).clone()
}

fn texts_of(findings: &Findings) -> &PerHop {
    let Figures::PerHop(found) = &findings.results.figures else { panic!("{findings:?}") };
    found
}

/// At full load every line accepts something, none more than two global hops of each packet allow, and OFAR more
/// than what can be carried without misroutes within groups.
#[test]
fn every_line_carries_what_the_wiring_allows() {
    let found = quick("ofar-next-2");
    assert_eq!((found.dragonfly, found.runs.len()), ([2, 4, 2, 9], 8));
    for run in &found.runs {
        assert!(run.accepted > 0.1 && run.accepted < 0.6, "{run:?}");
        assert_eq!(run.group_0.len(), 4);
        // Eight canonical hops, and those of the escape network.
        assert!(run.most_hops[2] <= 8 || run.most_entries > 0, "{run:?}");
        assert!(run.line.starts_with("OFAR") || run.escape_hops == 0.0, "{run:?}");
    }
}

/// Two experiments have the same run in common, each under a name of its own.
#[test]
fn a_kept_run_has_the_name_of_the_experiment_that_asks_for_it() {
    let state = tempfile::tempdir().unwrap();
    let options =
        Options { quick: true, state: Some(state.path().to_owned()), ..Options::default() };
    let first_line = |name: &str| {
        let findings = find(name).unwrap().run(&options, &KeptResults::default(), &()).unwrap();
        texts_of(&findings).runs[0].clone()
    };
    let [one, other] = ["ofar-readings", "ofar-memory-33"].map(first_line);
    assert_eq!((&*one.line, &*other.line), ("OFAR, as elsewhere", "OFAR 3/2(+1)"));
    assert_eq!(PerHopRun { line: one.line.clone(), ..other }, one);
}

/// A node sends and takes one phit per cycle.
#[test]
fn finite_traffic_takes_as_long_as_its_nodes_need() {
    let bursts = quick("ofar-bursts");
    assert_eq!(bursts.runs.len(), 7 * 3);
    assert!(bursts.runs.iter().all(|run| run.cycles >= 20 * 8 && run.load.is_none()));
    let exchange = quick("ofar-all-to-all");
    assert_eq!(exchange.runs.len(), 7);
    assert!(exchange.runs.iter().all(|run| run.cycles >= 71 * 8 && run.traffic == "all-to-all"));
    let table = texts::markdown(&[&exchange]).concat();
    assert!(table.contains("| all-to-all: cycles; hops |"), "{table}");
}

/// All lines of a fabric have the same phits of buffers on a link, the escape network's included.
#[test]
fn equal_memory_is_equal() {
    let options = Options::default();
    let plan = cases::plan(PerHopStudy::EqualMemory([4, 8, 4, 9]), &options);
    assert_eq!(plan.cases.len(), 13 * 3 * 2);
    for case in &plan.cases {
        let CutThrough { local, global, routing, .. } = &case.settings;
        let channels = match routing {
            Routing::Ofar(rules) => [rules.local_channels, rules.global_channels].map(|of| of + 1),
            _ => [local, global].map(|buffer| buffer.virtual_channels.unwrap()),
        };
        let phits = [local.phits, global.phits];
        let of_links = [0, 1].map(|kind| u32::from(channels[kind]) * u32::from(phits[kind]));
        assert!(of_links[0].abs_diff(128) <= 8, "{}: {of_links:?}", case.line);
        assert_eq!(of_links[1], 768, "{}", case.line);
    }
}
