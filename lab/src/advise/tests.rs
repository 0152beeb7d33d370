//! Advice on the machine of 72 nodes.

use super::*;
use std::num::NonZeroU32;
use tvlb_jobs::workload::Motif;
use tvlb_schema::Dragonfly;
use tvlb_simulator::Buffers;
use tvlb_traffic::PlacementRule;

fn fabric() -> Fabric {
    let df = Dragonfly::new(2, 4, 2, 9).unwrap();
    Fabric::new("small", df, Arrangement::AbsoluteClassic, 1).unwrap()
}

fn programs(motif: &str, ranks: u32, bytes: u64) -> Vec<Programs> {
    let motif: Motif = motif.parse().unwrap();
    vec![motif.programs(ranks, bytes, NonZeroU32::MIN).unwrap()]
}

fn routing(text: &str) -> JobRouting {
    let (scheme, set) = text.split_once(':').map_or((text, None), |(s, set)| (s, Some(set)));
    let scheme = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par]
        .into_iter()
        .find(|known| known.name() == scheme);
    let set = set.map(|set| PolicyPair::parse(set, 1).unwrap());
    JobRouting { scheme: scheme.unwrap(), set }
}

fn question<'q>(fabric: &'q Fabric, jobs: &'q [Job], programs: &'q [Programs]) -> Question<'q> {
    Question {
        fabric,
        jobs,
        programs,
        arrangements: vec![None, Some(Arrangement::Circulant)],
        placements: vec![PlacementRule::Identity],
        maps: vec![RankMap::Linear, RankMap::Random],
        orders: vec![SendOrder::Given, SendOrder::Coloured],
        routings: vec![routing("min"), routing("par:strategic-2-3 by shape")],
        settings: Settings {
            buffers: Buffers::all(14),
            local_latency_cycles: 1,
            global_latency_cycles: 1,
            ..Settings::new(Scheme::Min, VlbPaths::Conventional)
        },
        messages: MessageSettings::default(),
        seeds: vec![1],
        simulated: 2,
    }
}

#[test]
fn ways_come_in_the_order_of_the_lists() {
    let ways: Vec<Way> = combinations([1, 2, 1, 1, 2]).collect();
    assert_eq!(ways, [[0; 5], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 1, 0, 0, 1]]);
    assert_eq!([NOW, [0, 0, 2, 0, 0], [1, 0, 0, 1, 0]].map(changed), [None, Some(2), None]);
}

#[test]
fn an_order_of_sends_shortens_a_bisection() {
    let (fabric, jobs) = (fabric(), ["72x2".parse().unwrap()]);
    let programs = programs("bisection", 72, 20_000);
    let question = question(&fabric, &jobs, &programs);
    let answer = advise(&question, &Results::in_memory(), &()).unwrap();
    assert_eq!(answer.ways.len(), 16);
    let now = answer.of(NOW).median().unwrap();
    let ordered = answer.of([0, 0, 0, 1, 0]).median().unwrap();
    assert!(ordered < 0.8 * now, "{ordered} {now}");
    for judged in answer.simulated() {
        // What is proven holds, and what ran is one of the ways that were wanted.
        let bound = judged.estimate.least_time.cycles();
        assert!(u64::from(judged.cycles[0]) >= bound, "{:?}", judged.way);
    }
    let one_change: Vec<_> =
        answer.one_change().map(|(choice, judged)| (choice, judged.way)).collect();
    assert_eq!(
        one_change,
        [(4, [0, 0, 0, 0, 1]), (3, [0, 0, 0, 1, 0]), (2, [0, 0, 1, 0, 0]), (0, [1, 0, 0, 0, 0])]
    );
    assert!(answer.one_change().all(|(_, judged)| judged.cycles.len() == 1));
    // All that helps by itself was tried together, and no single change of the fastest way is faster.
    assert!(!answer.of(together(&answer)).cycles.is_empty());
    let fastest = answer.simulated()[0];
    for judged in answer.ways.iter().filter(|judged| differences(judged.way, fastest.way) == 1) {
        assert!(judged.median() >= fastest.median(), "{:?}", judged.way);
    }
}

#[test]
fn a_busy_link_is_found_without_a_run() {
    // All nodes of group 0 send to those of group 1, which one link joins.
    let fabric = fabric();
    let pairs = |k: u32| format!("{k},{},1024\n{},{k},1024\n", k + 8, k + 8);
    let list: String = (0..8).map(pairs).collect();
    let list = tvlb_jobs::workload::MessageList::parse(&format!("from,to,bytes\n{list}")).unwrap();
    let programs = vec![Motif::Messages(list).programs(16, 0, NonZeroU32::MIN).unwrap()];
    let jobs = ["16".parse().unwrap()];
    let mut question = question(&fabric, &jobs, &programs);
    question.maps.truncate(1);
    question.routings.push(routing("vlb"));
    let answer = advise(&question, &Results::in_memory(), &()).unwrap();
    let busiest = &answer.of(NOW).estimate;
    assert_eq!(busiest.link, BusyLink { cycles: 8.0, link: "(0,0):0 to (1,0):0".to_owned() });
    assert_eq!(busiest.most(), (8.0, Bottleneck::Link));
    let vlb = answer.of([0, 0, 0, 0, 2]).estimate.link.cycles;
    let par = answer.of([0, 0, 0, 0, 1]).estimate.link.cycles;
    assert!(vlb < 4.0 && par <= 4.0, "{vlb} {par}");
}

/// What collectives load the links of nodes and the busiest link with, a local one, as counted by hand: packets
/// of 1024 bytes on 9 groups of 4 switches with 2 nodes and 2 global links each.
#[test]
fn collectives_are_estimated_as_they_are_counted() {
    let (fabric, jobs) = (fabric(), ["72".parse().unwrap()]);
    // Packets from each of two switches' nodes to each of the other's, from the nodes of the first to the 16 of
    // the two groups that the second leads to, and from the 16 that the first leads to.
    let all_pairs = 2 * 2 + 2 * 16 + 16 * 2;
    for (name, bytes, host, link) in [
        // A rank sends 720/8 packets in 2·7 steps in its group and 720/72 in 2·8 steps to the next. The first go
        // from one switch to the next, where the others of 2 nodes leave, and those of 2 nodes come.
        (
            "allreduce:hierarchical:8",
            720 * 1024,
            2 * 7 * 90 + 2 * 8 * 10,
            2 * 7 * 90 + (2 + 2) * 2 * 8 * 10_u32,
        ),
        // Each token has all 72 experts: a rank sends 3 tokens to each of 71 ranks, and as many back.
        ("moe-alltoall:3:72:72", 1024, 71 * 2 * 3, all_pairs * 2 * 3),
        // ceil(0.5·3) = 2 of the 3.
        ("moe-alltoall:3:72:72:0.5", 1024, 71 * 2 * 2, all_pairs * 2 * 2),
    ] {
        let programs = programs(name, 72, bytes);
        let mut question = question(&fabric, &jobs, &programs);
        (question.arrangements, question.routings) = (vec![None], vec![routing("min")]);
        (question.maps, question.orders) = (vec![RankMap::Linear], vec![SendOrder::Given]);
        let answer = advise(&question, &Results::in_memory(), &()).unwrap();
        let WayEstimate { least_time, link: busiest } = &answer.of(NOW).estimate;
        assert_eq!((least_time.host.packets, busiest.cycles), (host, f64::from(link)), "{name}");
        let ran = answer.of(NOW).cycles[0];
        assert!(u64::from(ran) >= least_time.cycles() && ran >= link, "{name} {ran}");
    }
}

#[test]
fn without_a_third_group_adaptive_routing_takes_min() {
    let df = Dragonfly::new(2, 4, 2, 2).unwrap();
    let fabric = Fabric::new("two", df, Arrangement::Absolute, 1).unwrap();
    let (jobs, programs) = (["16".parse().unwrap()], programs("bisection", 16, 20_000));
    let mut question = question(&fabric, &jobs, &programs);
    question.arrangements.truncate(1);
    question.routings = vec![routing("min"), routing("par"), routing("ugal-l:shapes:011")];
    let answer = advise(&question, &Results::in_memory(), &()).unwrap();
    let link = |routing| answer.of([0, 0, 0, 0, routing]).estimate.link.clone();
    assert_eq!((link(1), link(2)), (link(0), link(0)));
    question.routings = vec![routing("vlb")];
    let error = advise(&question, &Results::in_memory(), &()).unwrap_err().to_string();
    assert!(error.starts_with("vlb: the fabric has 2 groups"), "{error}");
}

#[test]
fn the_answer_is_the_same_with_any_number_of_threads() {
    let (fabric, jobs) = (fabric(), ["72x2".parse().unwrap()]);
    let programs = programs("halo3d:6x4x3", 72, 5_000);
    let question = question(&fabric, &jobs, &programs);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        format!("{:?}", pool.install(|| advise(&question, &Results::in_memory(), &())).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn what_does_not_fit_is_said() {
    let (fabric, jobs) = (fabric(), ["300x2".parse().unwrap()]);
    let programs = programs("alltoall", 300, 1000);
    let error = advise(&question(&fabric, &jobs, &programs), &Results::in_memory(), &())
        .unwrap_err()
        .to_string();
    assert_eq!(error, "job 0 takes 150 nodes, but 72 are free, accepted jobs that fit together");
}

/// If no control latency is asked for, every routing has the largest that one of them needs.
#[test]
fn routings_are_compared_with_one_control_latency() {
    let (fabric, jobs) = (fabric(), ["72".parse().unwrap()]);
    let programs = programs("bisection", 72, 20_000);
    let mut question = question(&fabric, &jobs, &programs);
    (question.settings.local_latency_cycles, question.settings.global_latency_cycles) = (10, 100);
    question.settings = question.settings.with_buffer(None);
    let control = |question: &Question<'_>| question.messages().control_latency_cycles;
    assert_eq!(control(&question), Some(101));
    question.routings = vec![routing("min"), routing("ugal-l")];
    assert_eq!(control(&question), Some(11));
    let alone = advise(&question, &Results::in_memory(), &()).unwrap();
    question.messages.control_latency_cycles = Some(200);
    assert_eq!(control(&question), Some(200));
    let slower = advise(&question, &Results::in_memory(), &()).unwrap();
    assert!(slower.of(NOW).median() > alone.of(NOW).median());
}

#[test]
fn the_seed_of_the_median_is_the_first_with_its_cycles() {
    let (fabric, jobs) = (fabric(), ["8".parse().unwrap()]);
    let programs = programs("alltoall", 8, 2_000);
    let mut judged = advise(&question(&fabric, &jobs, &programs), &Results::in_memory(), &())
        .unwrap()
        .ways
        .swap_remove(0);
    for (cycles, seed) in [(vec![], 5), (vec![9, 4, 7], 7), (vec![9, 4, 7, 6], 8), (vec![4, 4], 5)]
    {
        judged.cycles = cycles;
        assert_eq!(judged.seed_of_median(&[5, 6, 7, 8]), seed, "{:?}", judged.cycles);
    }
}
