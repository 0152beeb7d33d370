//! What each name stands for: fabric, traffic, settings, and the figures that the paper's text
//! states.
//!
//! Which traffic and setting belongs to which of the figures 6 to 18 is our reading of what section
//! 4 covers, save that figures 13 and 14 are of dfly(13,26,13,27); the settings are those of the
//! paper's Table 3. Where the text's figure is not known to us, none is given.

use tvlb_firmware_model::Scheme;

/// One figure or table of the paper.
pub struct Experiment {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// The fabric, the traffic and the schemes, in a few words.
    pub about: &'static str,
    pub(super) kind: Kind,
}

/// What is done for an experiment.
pub(super) enum Kind {
    /// Step 1's throughputs.
    Model { p: u32, a: u32, h: u32, g: u32 },
    /// Latency over load.
    Curves(Study),
    /// The fabrics and their paths.
    Topologies,
}

/// Simulations of one fabric under one traffic.
pub(super) struct Study {
    /// p, a, h, g.
    pub(super) dragonfly: [u32; 4],
    pub(super) traffic: &'static str,
    pub(super) schemes: &'static [Scheme],
    /// Each of these is simulated in turn. A study of Table 3's settings has one, without a name.
    pub(super) variants: &'static [Variant],
    pub(super) stated: &'static [Stated],
}

/// Settings that differ from Table 3's.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    /// The variant's name in names of files and in figures.
    pub(super) name: &'static str,
    pub(super) change: Change,
}

#[derive(Clone, Copy)]
pub(super) enum Change {
    Nothing,
    /// Cycles of local and of global links.
    Latencies(u16, u16),
    /// Flits of one virtual channel's buffer.
    Buffer(u16),
    /// Internal speed-up.
    Speedup(u8),
    /// Another assignment of virtual channels.
    PerHop,
}

/// What the paper's text states of one scheme.
pub(super) struct Stated {
    pub(super) scheme: Scheme,
    /// Whether it is stated of T-UGAL; otherwise it is stated of conventional UGAL.
    pub(super) custom: bool,
    /// A load, and the mean latency in cycles at that load.
    pub(super) latency: Option<(f64, f64)>,
    pub(super) saturation: Option<f64>,
}

const fn stated(scheme: Scheme, custom: bool, latency: (f64, f64), saturation: f64) -> Stated {
    Stated { scheme, custom, latency: Some(latency), saturation: Some(saturation) }
}

const DEFAULT: [Variant; 1] = [Variant { name: "", change: Change::Nothing }];
const LOCAL: [Scheme; 2] = [Scheme::UgalL, Scheme::Par];
const ALL: [Scheme; 3] = [Scheme::UgalL, Scheme::Par, Scheme::UgalG];
const SMALL: [u32; 4] = [4, 8, 4, 9];
const LARGE: [u32; 4] = [13, 26, 13, 27];

const fn study(dragonfly: [u32; 4], traffic: &'static str, schemes: &'static [Scheme]) -> Study {
    Study { dragonfly, traffic, schemes, variants: &DEFAULT, stated: &[] }
}

const fn sensitivity(variants: &'static [Variant]) -> Kind {
    Kind::Curves(Study { variants, ..study(SMALL, "shift(2,0)", &[Scheme::UgalL]) })
}

const fn figure(name: &'static str, about: &'static str, kind: Kind) -> Experiment {
    Experiment { name, about, kind }
}

/// All experiments, in the order of the paper.
pub static EXPERIMENTS: [Experiment; 16] = [
    figure(
        "fig4",
        "modelled throughput of Step 1's sets on dfly(4,8,4,9)",
        Kind::Model { p: 4, a: 8, h: 4, g: 9 },
    ),
    figure(
        "fig5",
        "modelled throughput of Step 1's sets on dfly(4,8,4,33)",
        Kind::Model { p: 4, a: 8, h: 4, g: 33 },
    ),
    figure(
        "fig6",
        "dfly(4,8,4,9), shift(2,0): UGAL-L, PAR and UGAL-G",
        Kind::Curves(Study {
            stated: &[
                stated(Scheme::UgalL, false, (0.1, 56.9), 0.23),
                stated(Scheme::UgalL, true, (0.1, 52.1), 0.29),
                stated(Scheme::Par, false, (0.2, 67.6), 0.29),
                stated(Scheme::Par, true, (0.2, 59.9), 0.38),
                stated(Scheme::UgalG, false, (0.1, 61.2), 0.23),
                stated(Scheme::UgalG, true, (0.1, 54.2), 0.30),
            ],
            ..study(SMALL, "shift(2,0)", &ALL)
        }),
    ),
    figure(
        "fig7",
        "dfly(4,8,4,9), random permutation: UGAL-L, PAR and UGAL-G",
        Kind::Curves(Study {
            stated: &[stated(Scheme::UgalL, false, (0.3, 44.6), 0.63)],
            ..study(SMALL, "permutation", &ALL)
        }),
    ),
    figure(
        "fig8",
        "dfly(4,8,4,9), uniform: UGAL-L and PAR",
        Kind::Curves(study(SMALL, "uniform", &LOCAL)),
    ),
    figure(
        "fig9",
        "dfly(4,8,4,9), MIXED(50,50): UGAL-L and PAR",
        Kind::Curves(study(SMALL, "mixed(50,50)", &LOCAL)),
    ),
    figure(
        "fig10",
        "dfly(4,8,4,9), TMIXED(50,50): UGAL-L and PAR",
        Kind::Curves(study(SMALL, "tmixed(50,50)", &LOCAL)),
    ),
    figure(
        "fig11",
        "dfly(4,8,4,17), shift(2,0): UGAL-L and PAR",
        Kind::Curves(study([4, 8, 4, 17], "shift(2,0)", &LOCAL)),
    ),
    figure(
        "fig12",
        "dfly(4,8,4,17), random permutation: UGAL-L and PAR",
        Kind::Curves(study([4, 8, 4, 17], "permutation", &LOCAL)),
    ),
    figure(
        "fig13",
        "dfly(13,26,13,27), shift(2,0): UGAL-L and PAR",
        Kind::Curves(study(LARGE, "shift(2,0)", &LOCAL)),
    ),
    figure(
        "fig14",
        "dfly(13,26,13,27), random permutation: UGAL-L and PAR",
        Kind::Curves(study(LARGE, "permutation", &LOCAL)),
    ),
    figure(
        "fig15",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: link latencies",
        sensitivity(&[
            Variant { name: "10-15", change: Change::Nothing },
            Variant { name: "20-30", change: Change::Latencies(20, 30) },
            Variant { name: "40-60", change: Change::Latencies(40, 60) },
        ]),
    ),
    figure(
        "fig16",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: flits of a buffer",
        sensitivity(&[
            Variant { name: "16", change: Change::Buffer(16) },
            Variant { name: "32", change: Change::Nothing },
            Variant { name: "64", change: Change::Buffer(64) },
        ]),
    ),
    figure(
        "fig17",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: internal speed-up",
        sensitivity(&[
            Variant { name: "1", change: Change::Speedup(1) },
            Variant { name: "2", change: Change::Nothing },
        ]),
    ),
    figure(
        "fig18",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: assignment of virtual channels",
        sensitivity(&[
            Variant { name: "ordered", change: Change::Nothing },
            Variant { name: "per-hop", change: Change::PerHop },
        ]),
    ),
    figure("table2", "the fabrics and the paths of their sets", Kind::Topologies),
];
