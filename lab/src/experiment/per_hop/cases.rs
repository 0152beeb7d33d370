//! What each experiment runs: the fabric, and one case for each line, traffic and load.
//!
//! The settings are those of the paper where it states them: packets of 8 phits, buffers of 32 phits on links
//! within groups and 256 between them, latencies of 10 and 100 cycles, a bubble of two packets. The paper
//! names no threshold for its second control; 20% is the least that acts at all on a buffer of four packets.
//! OFAR has the strict trigger unless a line says otherwise, because published figures fit no other.

use super::super::catalogue::PerHopStudy;
use super::super::options::Options;
use crate::cut_through::{CutThrough, LinkBuffer, Piggybacking, Routing, Sending};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_schema::{EscapeKind, LocalPercent, OfarRules};
use tvlb_topology::arrangement::Arrangement;

/// The packets that each node sends in a burst; the paper has 2,000.
const BURST: u32 = 500;
const MOST_CYCLES: u32 = 2_000_000;
const QUICK: [u32; 4] = [2, 4, 2, 9];
const QUICK_BURST: u32 = 20;
const THROTTLE_PERCENT: u8 = 20;

/// What one experiment runs.
pub(super) struct Plan {
    pub(super) dragonfly: [u32; 4],
    pub(super) arrangement: Arrangement,
    /// Cycles before the measured ones, and measured.
    pub(super) cycles: [u32; 2],
    pub(super) cases: Vec<Case>,
}

pub(super) struct Case {
    /// What is run, in a few words.
    pub(super) line: String,
    /// The traffic, which decides nothing where all send to all.
    pub(super) traffic: &'static str,
    pub(super) sending: Sending,
    pub(super) settings: CutThrough,
    pub(super) escape: EscapeKind,
    /// The policies of the images, as text.
    pub(super) policies: String,
    /// The option by which a user names these policies.
    pub(super) option: &'static str,
}

impl Case {
    /// The traffic's name, or that all send to all.
    pub(super) fn traffic_name(&self) -> &'static str {
        if self.sending == Sending::AllToAll { "all-to-all" } else { self.traffic }
    }
}

/// How packets are routed, without a traffic.
#[derive(Clone)]
struct Line {
    name: String,
    settings: CutThrough,
    escape: EscapeKind,
    policies: String,
    option: &'static str,
}

impl Line {
    fn new(name: impl Into<String>, routing: Routing) -> Self {
        Self {
            name: name.into(),
            settings: CutThrough::new(routing, VlbPaths::Custom),
            escape: EscapeKind::Ring,
            policies: "valg".to_owned(),
            option: "--ours-ugal",
        }
    }

    /// OFAR by these rules, with so many canonical channels.
    fn ofar(name: impl Into<String>, escape: EscapeKind, rules: OfarRules) -> Self {
        Self { escape, ..Self::new(name, Routing::Ofar(rules)) }
    }

    fn piggybacking(name: impl Into<String>) -> Self {
        let routing = Piggybacking { percent: 200, packets: 5, like_fogsim: false };
        Self::new(name, Routing::Piggybacking(routing))
    }

    fn with(self, change: impl FnOnce(&mut CutThrough)) -> Self {
        let mut line = self;
        change(&mut line.settings);
        line
    }

    fn drawing_from(self, policies: &str, option: &'static str) -> Self {
        Self { policies: policies.to_owned(), option, ..self }
    }

    fn case(&self, traffic: &'static str, sending: Sending) -> Case {
        Case {
            line: self.name.clone(),
            traffic,
            sending,
            settings: self.settings.clone(),
            escape: self.escape,
            policies: self.policies.clone(),
            option: self.option,
        }
    }
}

/// A ring with a bubble, so many canonical channels.
fn rules(local_channels: u8, global_channels: u8) -> OfarRules {
    OfarRules { local_channels, global_channels, strict: true, ..OfarRules::default() }
}

const fn without_control(rules: OfarRules) -> OfarRules {
    OfarRules { bubble: 0, ..rules }
}

const fn throttled(rules: OfarRules) -> OfarRules {
    OfarRules { bubble: 0, throttle_percent: THROTTLE_PERCENT, ..rules }
}

/// OFAR with each escape network and control, on two and one canonical channels.
fn controls() -> Vec<Line> {
    let few = rules(2, 1);
    let (ring, tree) = (EscapeKind::Ring, EscapeKind::Tree);
    vec![
        Line::ofar("OFAR ring, bubble, 2/1(+1)", ring, few),
        Line::ofar("OFAR ring, throttle, 2/1(+1)", ring, throttled(few)),
        Line::ofar("OFAR ring, no control, 2/1(+1)", ring, without_control(few)),
        Line::ofar("OFAR tree, bubble, 2/1(+1)", tree, few),
        Line::ofar("OFAR tree, throttle, 2/1(+1)", tree, throttled(few)),
        Line::ofar("OFAR tree, no control, 2/1(+1)", tree, without_control(few)),
    ]
}

/// OFAR on a ring with a bubble, by its channels.
fn channel_counts() -> impl Iterator<Item = Line> {
    [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 4)].into_iter().map(|(local, global)| {
        let name = format!("OFAR ring, bubble, {local}/{global}(+1)");
        Line::ofar(name, EscapeKind::Ring, rules(local, global))
    })
}

/// Lines that differ from the first, or from piggybacking, in one reading of what the paper does not state.
fn readings() -> Vec<Line> {
    let plain = rules(3, 2);
    let of =
        |what: &str, rules: OfarRules| Line::ofar(format!("OFAR, {what}"), EscapeKind::Ring, rules);
    let mut lines = vec![
        of("as elsewhere", plain),
        of("loose trigger", OfarRules { strict: false, ..plain }),
        of("1 round", plain).with(|settings| settings.rounds = 1),
        of("2 rounds", plain).with(|settings| settings.rounds = 2),
        of("1 injection queue", plain).with(|settings| settings.injection_queues = 1),
        of("bubble of 1", OfarRules { bubble: 1, ..plain }),
        of("bubble of 3", OfarRules { bubble: 3, ..plain }),
        of("no control", without_control(plain)),
        of("throttle at 0%", OfarRules { throttle_percent: 0, ..without_control(plain) }),
        of("throttle at 20%", throttled(plain)),
        of("throttle at 50%", OfarRules { throttle_percent: 50, ..without_control(plain) }),
    ];
    for percent in [50, 70, 100] {
        let local_percent = LocalPercent::all(percent);
        let rules = OfarRules { local_percent, global_percent: percent, ..plain };
        lines.push(of(&format!("misroutes at {percent}%"), rules));
    }
    lines.push(of("1 entry", OfarRules { most_entries: 1, ..plain }));
    let pb = |what: &str| Line::piggybacking(format!("piggybacking, {what}"));
    let weighing = |percent, packets| {
        Routing::Piggybacking(Piggybacking { percent, packets, like_fogsim: false })
    };
    lines.extend([
        pb("as elsewhere"),
        pb("1 round").with(|settings| settings.rounds = 1),
        pb("125%").with(|settings| settings.routing = weighing(125, 5)),
        pb("2 packets").with(|settings| settings.routing = weighing(200, 2)),
    ]);
    lines
}

/// All routings with the same phits of buffers on a link: 128 within groups, 768 between them.
fn equal_memory(options: &Options) -> Vec<Line> {
    let many = rules(3, 2);
    let loose = OfarRules { strict: false, ..many };
    let (short, all) = ("shapes:001+010 by shape", "all by shape");
    let by_length = |rules| OfarRules { by_length: true, ..rules };
    let by_class = |rules| OfarRules { global_percent: 255, ..rules };
    let ring = EscapeKind::Ring;
    let t_ofar = |name: &str, set: &str, rules: OfarRules| {
        Line::ofar(name, ring, OfarRules { by_set: true, ..rules }).drawing_from(set, "--ours-ugal")
    };
    let with_buffers = |line: Line, local: (u8, u16), global: (u8, u16)| {
        let of = |(channels, phits)| LinkBuffer { virtual_channels: Some(channels), phits };
        line.with(|settings| (settings.local, settings.global) = (of(local), of(global)))
    };
    let scheme = |name: &str, scheme, paths| {
        Line::new(name, Routing::Scheme(scheme)).with(|settings| settings.paths = paths)
    };
    let ours = |given: &Option<String>| given.clone().unwrap_or_else(|| OURS.to_owned());
    let ugal = |line: Line| with_buffers(line, (4, 32), (3, 256));
    let par = |line: Line| with_buffers(line, (5, 24), (4, 192));
    let few = |line: Line| {
        line.with(|settings| (settings.local.phits, settings.global.phits) = (40, 384))
    };
    vec![
        Line::ofar("OFAR 3/2(+1)", ring, many),
        few(Line::ofar("OFAR 2/1(+1)", ring, rules(2, 1))),
        Line::ofar("OFAR 3/2(+1), loose trigger", ring, loose),
        Line::ofar("OFAR 3/2(+1), 255% to other groups", ring, by_class(many)),
        t_ofar("T-OFAR, short paths", short, many),
        t_ofar("T-OFAR, all paths, by length", all, by_length(many)),
        t_ofar("T-OFAR, short paths, by length, 255%", short, by_length(by_class(many))),
        t_ofar("T-OFAR, all paths, by length, 255%", all, by_length(by_class(many))),
        with_buffers(Line::piggybacking("piggybacking 3/2"), (3, 40), (2, 384)),
        ugal(scheme("UGAL-L, conventional", Scheme::UgalL, VlbPaths::Conventional)),
        ugal(scheme("UGAL-L, our set", Scheme::UgalL, VlbPaths::Custom))
            .drawing_from(&ours(&options.ours_ugal), "--ours-ugal"),
        par(scheme("PAR, conventional", Scheme::Par, VlbPaths::Conventional)),
        par(scheme("PAR, our sets", Scheme::Par, VlbPaths::Custom))
            .drawing_from(&ours(&options.ours_par), "--ours-par"),
    ]
}

/// The policy of our sets unless the user names others: what `generate` chooses for UGAL-L on dfly(4,8,4,33).
const OURS: &str = "all by shape 1x4 gate=1.25";

const UNIFORM: &str = "uniform-others";
const LARGE: [u32; 4] = [6, 12, 6, 73];
const MIDDLE: [u32; 4] = [4, 8, 4, 33];
const SMALL: [u32; 4] = [4, 8, 4, 9];
const UNIFORM_LOADS: [f64; 7] = [0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 1.0];
const ADVERSARIAL_LOADS: [f64; 7] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 1.0];

/// Traffics of the group, over all lines, in the order of lines, traffics and loads.
fn cross(lines: &[Line], traffics: &[(&'static str, &[f64])]) -> Vec<Case> {
    let mut cases = Vec::new();
    for line in lines {
        for &(traffic, loads) in traffics {
            cases.extend(loads.iter().map(|&load| line.case(traffic, Sending::Load(load))));
        }
    }
    cases
}

fn finite(lines: &[Line], traffics: &[&'static str], sending: Sending) -> Vec<Case> {
    let of_line = |line: &Line| {
        let line = line.clone().with(|settings| settings.measured_cycles = MOST_CYCLES);
        traffics.iter().map(move |traffic| line.case(traffic, sending)).collect::<Vec<_>>()
    };
    lines.iter().flat_map(of_line).collect()
}

pub(super) fn plan(study: PerHopStudy, options: &Options) -> Plan {
    let (mut dragonfly, mut arrangement) = (LARGE, Arrangement::Palmtree);
    let mut cycles = [2000, 2000];
    let adversarial = ["next-group(2)", "next-group(6)"];
    let with_piggybacking = |lines: Vec<Line>| {
        let mut all = vec![Line::piggybacking("piggybacking 3/2")];
        all.extend(lines);
        all
    };
    let mut cases = match study {
        PerHopStudy::Curves(traffic) => {
            let mut lines = with_piggybacking(controls());
            lines.extend(channel_counts().filter(|line| line.name.contains("3/2")));
            let loads = if traffic == UNIFORM { &UNIFORM_LOADS } else { &ADVERSARIAL_LOADS };
            cross(&lines, &[(traffic, loads)])
        }
        PerHopStudy::Channels => {
            let lines = with_piggybacking(channel_counts().collect());
            let traffics = [UNIFORM, adversarial[0], adversarial[1]];
            cross(&lines, &traffics.map(|traffic| (traffic, &[0.2, 1.0][..])))
        }
        PerHopStudy::Bursts => {
            let packets = if options.quick { QUICK_BURST } else { BURST };
            let traffics = [UNIFORM, adversarial[0], adversarial[1]];
            finite(&with_piggybacking(controls()), &traffics, Sending::Burst(packets))
        }
        PerHopStudy::AllToAll => {
            finite(&with_piggybacking(controls()), &[UNIFORM], Sending::AllToAll)
        }
        PerHopStudy::Readings => {
            (dragonfly, cycles) = (MIDDLE, [5000, 5000]);
            let loads = &[0.2, 1.0][..];
            cross(&readings(), &[(UNIFORM, loads), ("next-group(4)", loads)])
        }
        PerHopStudy::EqualMemory(of) => {
            (dragonfly, cycles) = (of, [5000, 5000]);
            if of == SMALL {
                arrangement = Arrangement::Absolute;
            }
            let last = if of == LARGE { "next-group(6)" } else { "next-group(4)" };
            let traffics = [UNIFORM, "next-group(1)", last];
            cross(&equal_memory(options), &traffics.map(|traffic| (traffic, &[0.2, 1.0][..])))
        }
    };
    if options.quick {
        (dragonfly, cycles) = (QUICK, [300, 300]);
        // The groups of this fabric have one link to each of eight others.
        cases.retain(|case| !matches!(case.sending, Sending::Load(load) if load < 1.0));
    }
    for case in &mut cases {
        if matches!(case.sending, Sending::Load(_)) {
            [case.settings.warm_up_cycles, case.settings.measured_cycles] = cycles;
        }
    }
    Plan { dragonfly, arrangement, cycles, cases }
}
