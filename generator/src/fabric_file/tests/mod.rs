//! Reading: defaults, every kind of error as its user sees it, and texts of any kind.

mod carried;
mod shipped;

use super::*;
use proptest::prelude::*;
use tvlb_schema::{DrawRule, Gate, GroupKind, PerDecision};
use tvlb_table_set::grammar::canonical;

const LEAST: &str = "\
name = \"x\"
[dragonfly]
p = 4
a = 8
h = 4
g = 9
";

fn parse(text: &str) -> FabricFile {
    FabricFile::parse(text, "x.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// The error for each text, one after the other.
fn errors(texts: &[&str]) -> String {
    let errors: Vec<String> = texts
        .iter()
        .map(|text| FabricFile::parse(text, "x.toml").unwrap_err().to_string())
        .collect();
    errors.join("\n")
}

/// The error for each replacement of one line of the minimal file.
fn errors_with(line: &str, others: &[&str]) -> String {
    assert!(LEAST.contains(line));
    let texts: Vec<String> = others.iter().map(|other| LEAST.replace(line, other)).collect();
    errors(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The error for each addition to the minimal file, which begins on line 7.
fn errors_after(additions: &[&str]) -> String {
    let texts: Vec<String> =
        additions.iter().map(|addition| format!("{LEAST}{addition}")).collect();
    errors(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn what_is_not_written_has_its_default() {
    let file = parse(LEAST);
    assert_eq!(
        file,
        FabricFile {
            name: "x".to_owned(),
            seed: 1,
            dragonfly: Dragonfly::new(4, 8, 4, 9).unwrap(),
            kind_names: Vec::new(),
            kind_groups: Vec::new(),
            names: None,
            wiring: Wiring::Arrangement(Arrangement::Absolute),
            latencies: Latencies { local: 10, global: 15 },
            bandwidths: Bandwidths::ALIKE,
            buffer_flits: None,
            destination_window: DestinationWindow::Usual,
            injection: Injection::Zero,
            telling_cycles: None,
            virtual_channels: None,
            policies: OpenPolicies::default(),
        }
    );
    // Empty tables say no more.
    assert_eq!(parse(&format!("{LEAST}[links]\n[routing]\n")), file);
}

#[test]
fn what_is_written_is_what_is_read() {
    let file = parse(
        r#"
        seed = 0x7fff_ffff_ffff_ffff
        name = 'A.b_c-9'
        routing.threshold = -32768
        routing.virtual-channels = "ordered"
        routing.set = { ugal-l = "all", par-source = "60% 5-hop", par-second = "min" }
        dragonfly = { p = 1, a = 256, h = 16, g = 256, cables = "wiring/cables.csv" }
        [links]
        local-latency = 1
        global-latency = 10_000
        node-bandwidth = 100
        local-bandwidth = 1_00.0
        global-bandwidth = 12.5
        buffer = 4096
        destination-window = "300/16"
        injection = "two"
        telling = 24
        "#,
    );
    assert_eq!(file.name, "A.b_c-9");
    assert_eq!(file.seed, u64::MAX >> 1);
    assert_eq!(file.dragonfly, Dragonfly::new(1, 256, 16, 256).unwrap());
    assert_eq!(file.wiring, Wiring::Cables("wiring/cables.csv".into()));
    assert_eq!(file.latencies, Latencies { local: 1, global: 10_000 });
    assert_eq!(file.buffer_flits, Some(4096));
    let limits = WindowLimits { delay_cycles: 300, packets: 16 };
    assert_eq!(file.destination_window, DestinationWindow::Limits(limits));
    assert_eq!((file.injection, file.telling_cycles), (Injection::Two, Some(24)));
    assert_eq!(file.schemes(), [Scheme::UgalGroup, Scheme::Par]);
    assert_eq!(parse(LEAST).schemes(), [Scheme::UgalL, Scheme::Par]);
    assert_eq!(file.bandwidths.to_string(), "node 100, local 100, global 12.5");
    assert_eq!(
        file.policies.weighing.map(|open| open.threshold),
        PerDecision::same(Some(i16::MIN))
    );
    let each = "[routing]\nthreshold = { ugal-l = 1, par-source = -2, par-second = 3 }";
    let each =
        parse(&format!("{LEAST}{each}\n")).policies.weighing.map(|open| open.threshold.unwrap());
    assert_eq!(each, PerDecision { ugal_l: 1, par_source: -2, par_second: 3 });
    let weighing = |text: &str| parse(&format!("{LEAST}[routing]\n{text}\n")).policies.weighing;
    for (text, sixteenths) in [("1.25", 20), ("2", 32), ("0", 0)] {
        let gates = weighing(&format!("gate = {text}")).map(|open| open.gate);
        assert_eq!(gates, PerDecision::same(Some(Gate::of_sixteenths(sixteenths))));
    }
    let given =
        weighing("candidates = { ugal-l = \"1x4\", par-source = \"8x8\", par-second = \"1x1\" }");
    let candidates = given.map(|open| open.candidates.unwrap().to_string());
    assert_eq!(
        [candidates.ugal_l, candidates.par_source, candidates.par_second],
        ["1x4", "8x8", "1x1"]
    );
    let open = weighing("threshold = 1").ugal_l;
    assert_eq!((given.ugal_l.gate, open.candidates), (None, None));
    let sets = file.policies.sets.expect("they are given");
    assert_eq!(canonical(&sets.ugal_l), "all");
    assert_eq!(sets.ugal_l.draw, DrawRule::ByRoute);
    assert_eq!(sets.par_source.seed, file.seed);
    assert!(sets.par_second.shapes().is_empty());
}

/// Simulations and the manifest go by what [`FabricFile::links`] says.
#[test]
fn windows_close_at_the_delays_of_a_saturated_network_unless_the_file_says_otherwise() {
    let windows = |links: &str| {
        let file = parse(&format!("{LEAST}[links]\n{links}"));
        // The printed file parses to the same value.
        assert_eq!(parse(&file.to_string()), file);
        file.links().destination_window.map(|limits| limits.to_string())
    };
    assert_eq!(windows("").as_deref(), Some("152/32"));
    assert_eq!(windows("global-latency = 150").as_deref(), Some("1321/32"));
    assert_eq!(windows("destination-window = '40/7'").as_deref(), Some("40/7"));
    assert_eq!(windows("destination-window = 'none'"), None);
}

#[test]
fn latencies_are_cycles_times_or_lengths() {
    let latencies = |links: &str| parse(&format!("{LEAST}[links]\n{links}")).latencies;
    let flits_of_1_kib_at_200_gbit =
        "cycle = '40.96 ns'\nlocal-latency = '3 m + 250 ns'\nglobal-latency = '30 m + 250 ns'";
    assert_eq!(latencies(flits_of_1_kib_at_200_gbit), Latencies { local: 7, global: 10 });
    let exact = "cycle = '2.5 GHz'\nglobal-latency = '60 ns'";
    assert_eq!(latencies(exact), Latencies { local: 10, global: 150 });
    let short = "cycle = '40 ns'\nlocal-latency = '0 m'\nglobal-latency = 9";
    assert_eq!(latencies(short), Latencies { local: 1, global: 9 });
}

#[test]
fn times_that_say_no_number_of_cycles() {
    insta::assert_snapshot!(errors_after(&[
        "[links]\nglobal-latency = \"60 ns\"",
        "[links]\ncycle = \"1 ns\"\nglobal-latency = \"60ns\"",
        "[links]\ncycle = \"1 ns\"\nglobal-latency = \"10001 ns\"",
        "[links]\ncycle = \"1 ns\"\nglobal-latency = 60",
        "[links]\ncycle = 1\nglobal-latency = \"60 ns\"",
        "[links]\ncycle = \"0 ns\"\nglobal-latency = \"60 ns\"",
    ]), @r#"
    x.toml:8:18: links.global-latency = "60 ns", but global-latency must be a whole number of cycles unless links.cycle says how long a cycle lasts
    x.toml:9:18: links.global-latency = "60ns", but global-latency must be a number of cycles, or a string of times and lengths, as in "200 ns" or "30 m + 200 ns"
    x.toml:9:18: links.global-latency = "10001 ns", but global-latency must be at most 10000 cycles, and this is 10001
    x.toml:8:9: links.cycle = "1 ns", but cycle must be left out unless a latency is a time or a length, because it only converts these
    x.toml:8:9: links.cycle = 1, but cycle must be the length of a cycle as a string, as in "40.96 ns", or its frequency, as in "1.25 GHz"
    x.toml:8:9: links.cycle = "0 ns", but cycle must be the length of a cycle as a string, as in "40.96 ns", or its frequency, as in "1.25 GHz"
    "#);
}

#[test]
fn one_set_serves_every_decision() {
    let file = parse(&format!("{LEAST}[routing]\nset = \"60% 5-hop\""));
    let sets = file.policies.sets.expect("it is given");
    assert_eq!(sets.ugal_l, sets.par_source);
    assert_eq!(sets.ugal_l, sets.par_second);
}

#[test]
fn auto_leaves_the_sets_to_be_chosen() {
    let file = parse(&format!("{LEAST}[routing]\nset = \"auto\""));
    assert_eq!(file, parse(LEAST));
    assert_eq!(file.policies.sets, None);
}

#[test]
fn every_arrangement_has_its_name() {
    for name in ["absolute", "absolute-classic", "relative", "circulant", "palmtree", "random"] {
        assert_eq!(
            parse(&format!("{LEAST}arrangement = \"{name}\"")).wiring,
            Wiring::Arrangement(name.parse().unwrap())
        );
    }
}

/// A Dragonfly+ of 3 leaves and 2 spines.
const PLUS: &str = "name = \"x\"\n[dragonfly]\narrangement = \"dragonfly-plus\"\np = 4\nleaves = 3\nspines = 2\n\
    h = 4\ng = 9\n";

#[test]
fn leaves_and_spines_are_the_switches_of_a_group() {
    let file = parse(PLUS);
    let kind = GroupKind::new(4, 5, 4, 9);
    assert_eq!(file.dragonfly.kinds().collect::<Vec<_>>(), [kind]);
    assert_eq!(file.wiring, Wiring::Arrangement(Arrangement::DragonflyPlus { leaves: 3 }));
    let twice = parse(&format!("{PLUS}local-links = 2"));
    assert_eq!(twice.dragonfly.kinds().collect::<Vec<_>>(), [kind.with_local_links(2)]);
    for file in [file, twice] {
        assert_eq!(parse(&file.to_string()), file);
    }
}

#[test]
fn sizes_of_another_arrangement() {
    let with = |from: &str, to: &str| PLUS.replace(from, to);
    insta::assert_snapshot!(errors(&[
        &format!("{PLUS}a = 5"),
        &with("leaves = 3\n", ""),
        &with("spines = 2", "spines = 254"),
        &with("leaves = 3", "leaves = 256"),
        &with("g = 9", "g = 10"),
        &with("arrangement = \"dragonfly-plus\"", "a = 5"),
        &with("arrangement = \"dragonfly-plus\"", "a = 5\ncables = \"c.csv\""),
        &with("p = 4\nleaves = 3\nspines = 2\nh = 4\ng = 9", "[[dragonfly.kinds]]\np = 1\na = 4\nh = 2\ng = 4"),
    ]), @r"
    x.toml:9:1: dragonfly.a is given although the arrangement is dragonfly-plus; accepted are leaves and spines, which together are the switches of a group
    x.toml:2:2: dragonfly.leaves is missing; it must be a whole number, 1 to 255
    x.toml:6:10: dragonfly.spines = 254, but spines must be 1 to 253
    x.toml:5:10: dragonfly.leaves = 256, but leaves must be 1 to 255
    x.toml:8:5: dragonfly.g = 10, but g must be 2 to 9 (spines·h + 1, because only spines have global ports)
    x.toml:5:1: dragonfly.leaves is given although the arrangement is not dragonfly-plus; accepted is a, the number of switches of a group
    x.toml:6:1: dragonfly.leaves is given although the arrangement is not dragonfly-plus; accepted is a, the number of switches of a group
    x.toml:3:1: dragonfly.arrangement is given although groups are of several kinds; accepted is cables, the path of a cable list
    ");
}

#[test]
fn text_that_is_not_toml() {
    insta::assert_snapshot!(errors_with("p = 4", &["p 4", "p = ", "p = 4 a", "p = 4,", "[", "p = \"4", "p = 04"]), @r#"
    x.toml:3:3: not TOML: key with no value, expected `=`; found `4`
    x.toml:3:5: not TOML: string values must be quoted, expected literal string; found the end of the line
    x.toml:3:5: not TOML: string values must be quoted, expected literal string; found `4 a`
    x.toml:3:6: not TOML: unexpected key or value, expected newline, `#`; found `,`
    x.toml:3:2: not TOML: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`; found the end of the line
    x.toml:3:7: not TOML: invalid basic string, expected `"`; found the end of the line
    x.toml:3:5: not TOML: unexpected leading zero, expected nothing; found `0`
    "#);
}

#[test]
fn what_is_given_twice() {
    insta::assert_snapshot!(errors_after(&[
        "p = 4",
        "p.x = 4",
        "[dragonfly.p]",
        "[dragonfly]",
        "[links]\n[links]",
        "arrangement = \"absolute\"\ncables = \"x.csv\"",
        "cables = \"x.csv\"\narrangement = \"absolute\"",
    ]), @r"
    x.toml:7:1: p is given a second time; every key and table is accepted once
    x.toml:7:1: not TOML: cannot extend value of type integer with a dotted key; found `p`
    x.toml:7:12: p is given a second time; every key and table is accepted once
    x.toml:7:2: dragonfly is given a second time; every key and table is accepted once
    x.toml:8:2: links is given a second time; every key and table is accepted once
    x.toml:8:1: dragonfly.cables is given beside dragonfly.arrangement; accepted is one of the two, because both say where the cables come from
    x.toml:8:1: dragonfly.arrangement is given beside dragonfly.cables; accepted is one of the two, because both say where the cables come from
    ");
}

#[test]
fn unknown_keys() {
    insta::assert_snapshot!(errors_after(&[
        "q = 4",
        "zzz = 1\nPorts = 2",
        "[link]",
        "[links]\nlatency = 1",
        "[routing]\nscheme = 1",
        "[routing]\nescape = \"ring\"",
        "[routing.set]\nugal-g = \"all\"",
        "\"two\\u0007words\" = 1",
    ]), @r#"
    x.toml:7:1: dragonfly.q is not a key of the fabric file; accepted here: p, a, h, g, leaves, spines, local-links, kinds, arrangement, cables, names
    x.toml:7:1: dragonfly.zzz is not a key of the fabric file; accepted here: p, a, h, g, leaves, spines, local-links, kinds, arrangement, cables, names
    x.toml:7:2: link is not a key of the fabric file; accepted here: name, seed, dragonfly, links, routing
    x.toml:8:1: links.latency is not a key of the fabric file; accepted here: local-latency, global-latency, cycle, node-bandwidth, local-bandwidth, global-bandwidth, buffer, destination-window, injection, telling
    x.toml:8:1: routing.scheme is not a key of the fabric file; accepted here: threshold, candidates, gate, queue, onward, second-min, virtual-channels, set
    x.toml:8:1: routing.escape is not a key of the fabric file; accepted here: threshold, candidates, gate, queue, onward, second-min, virtual-channels, set; `tvlb-lab escape` makes escape networks
    x.toml:8:1: routing.set.ugal-g is not a key of the fabric file; accepted here: ugal-l, par-source, par-second
    x.toml:7:1: dragonfly."two\u0007words" is not a key of the fabric file; accepted here: p, a, h, g, leaves, spines, local-links, kinds, arrangement, cables, names
    "#);
}

#[test]
fn missing_keys() {
    insta::assert_snapshot!(errors(&[
        "",
        "name = \"x\"",
        "name = \"x\"\n[dragonfly]",
        "name = \"x\"\n[dragonfly]\np = 1\na = 1\nh = 1\n[links]",
    ]), @r"
    x.toml:1:1: name is missing; it must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    x.toml:1:1: dragonfly is missing; it must be a table of p, a, h, g and the wiring
    x.toml:2:2: dragonfly.p is missing; it must be a whole number, 1 to 256
    x.toml:2:2: dragonfly.g is missing; it must be a whole number, 2 to 4097
    ");
    insta::assert_snapshot!(errors_after(&["[routing]\n[routing.set]\nugal-l = \"all\""]), @r#"x.toml:8:10: routing.set.par-source is missing; it must be a string in the grammar of sets, as in "strategic-2-3 by shape""#);
}

#[test]
fn sizes_out_of_range() {
    insta::assert_snapshot!(errors_with("h = 4", &[
        "h = 0",
        "h = -1",
        "h = 4097",
        "h = 99999999999999999999999999",
        "h = 0xffff_ffff_ffff_ffff",
        "h = 4.0",
        "h = \"4\"",
        "h = true",
        "h = [4]",
        "h = {}",
        "h.x = 4",
        "h = 1979-05-27",
    ]), @r#"
    x.toml:5:5: dragonfly.h = 0, but h must be 1 to 4096
    x.toml:5:5: dragonfly.h = -1, but h must be 1 to 4096
    x.toml:5:5: dragonfly.h = 4097, but h must be 1 to 4096
    x.toml:5:5: dragonfly.h = 99999999999999999999999999, but h must be 1 to 4096
    x.toml:5:5: dragonfly.h = 0xffff_ffff_ffff_ffff, but h must be 1 to 4096
    x.toml:5:5: dragonfly.h = 4.0, but h must be a whole number, 1 to 4096
    x.toml:5:5: dragonfly.h = "4", but h must be a whole number, 1 to 4096
    x.toml:5:5: dragonfly.h = true, but h must be a whole number, 1 to 4096
    x.toml:5:5: dragonfly.h is an array, but h must be a whole number, 1 to 4096
    x.toml:5:5: dragonfly.h is a table, but h must be a whole number, 1 to 4096
    x.toml:5:1: dragonfly.h is a table, but h must be a whole number, 1 to 4096
    x.toml:5:5: dragonfly.h = 1979-05-27, but h must be a whole number, 1 to 4096
    "#);
    insta::assert_snapshot!(errors_with("p = 4", &["p = 257"]), @"x.toml:3:5: dragonfly.p = 257, but p must be 1 to 256");
    insta::assert_snapshot!(errors_with("a = 8", &["a = 257"]), @"x.toml:4:5: dragonfly.a = 257, but a must be 1 to 256");
    insta::assert_snapshot!(errors_with("g = 9", &["g = 1", "g = 4098"]), @r"
    x.toml:6:5: dragonfly.g = 1, but g must be 2 to 4097
    x.toml:6:5: dragonfly.g = 4098, but g must be 2 to 4097
    ");
}

#[test]
fn sizes_that_do_not_fit_together() {
    insta::assert_snapshot!(errors_with("g = 9", &["   g =   34"]), @"x.toml:6:10: dragonfly.g is too large for the other sizes: g = 34, but each group has only a·h = 32 global ports, so g must be at most 33");
    insta::assert_snapshot!(errors_with("h = 4", &["h = 513"]), @"x.toml:5:5: dragonfly.h is too large for the other sizes: a·h = 4104, but a·h must be 1 to 4096");
    insta::assert_snapshot!(errors_with("a = 8\nh = 4\ng = 9", &[
        "a = 64\nh = 32\ng = 2049",
        "g = 4097\na = 1\nh = 4096",
    ]), @r"
    x.toml:6:5: dragonfly.g is too large for the other sizes: a·g = 131136, but a·g must be 1 to 65536
    x.toml:4:5: dragonfly.g is too large for the other sizes: a·h·g = 16781312, but a·h·g must be 1 to 16777216
    ");
}

/// The ranges here and the schema's own must be the same.
#[test]
fn sizes_have_the_ranges_of_the_schema() {
    for key in ["p", "a", "h", "g"] {
        for size in [0, 1, 2, 256, 257, 4096, 4097, 4098, u32::MAX] {
            let of = |name, other| if name == key { size } else { other };
            let (p, a, h, g) = (of("p", 1), of("a", 1), of("h", 1), of("g", 2));
            let text = format!("name = 'x'\ndragonfly = {{ p = {p}, a = {a}, h = {h}, g = {g} }}");
            match (Dragonfly::new(p, a, h, g), FabricFile::parse(&text, "x.toml")) {
                (Ok(expected), Ok(file)) => assert_eq!(file.dragonfly, expected),
                (Err(expected), Err(found)) => {
                    assert!(found.to_string().ends_with(&expected.to_string()), "{found}");
                }
                (expected, found) => panic!("{key} = {size}: {expected:?}, {found:?}"),
            }
        }
    }
}

#[test]
fn names_out_of_range() {
    let long = format!("name = \"{}\"", "a".repeat(65));
    insta::assert_snapshot!(errors_with("name = \"x\"", &[
        "name = \"\"",
        "name = \"a b\"",
        "name = \"é\"",
        "name = 4",
        "name = \"\"\"\na\n\"\"\"",
        &long,
    ]), @r#"
    x.toml:1:8: name = "", but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    x.toml:1:8: name = "a b", but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    x.toml:1:8: name = "é", but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    x.toml:1:8: name = 4, but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    x.toml:1:8: name = """…, but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    x.toml:1:8: name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…, but name must be a string of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`
    "#);
}

#[test]
fn other_values_out_of_range() {
    insta::assert_snapshot!(errors_with("name = \"x\"", &[
        "seed = -1\nname = \"x\"",
        "seed = 9223372036854775808\nname = \"x\"",
        "seed = 1.5\nname = \"x\"",
    ]), @r"
    x.toml:1:8: seed = -1, but seed must be 0 to 9223372036854775807
    x.toml:1:8: seed = 9223372036854775808, but seed must be 0 to 9223372036854775807
    x.toml:1:8: seed = 1.5, but seed must be a whole number, 0 to 9223372036854775807
    ");
    insta::assert_snapshot!(errors_after(&[
        "arrangement = \"Absolute\"",
        "arrangement = 1",
        "cables = \"\"",
        "cables = false",
        "[links]\nlocal-latency = 0",
        "[links]\nglobal-latency = 10001",
        "[links]\nbuffer = 0",
        "[links]\ndestination-window = \"150/0\"",
        "[links]\ndestination-window = 150",
        "[links]\ninjection = \"all\"",
        "[links]\ntelling = 0",
        "[links]\nlocal-bandwidth = 0",
        "[links]\nnode-bandwidth = 0.0001",
        "[links]\nnode-bandwidth = \"1\"",
        "[links]\nlocal-latency = 1\nglobal-bandwidth = 65",
        "[[links]]",
        "[routing]\nthreshold = 32768",
        "[routing]\nthreshold = -32769",
        "[routing]\nvirtual-channels = \"by-phase\"",
        "[routing]\nvirtual-channels = 4",
        "[routing]\nsecond-min = \"new\"",
        "[routing]\ncandidates = \"1x9\"",
        "[routing]\ncandidates = 4",
        "[routing]\ncandidates = { ugal-l = \"1x4\" }",
        "[routing]\ngate = 1.3",
        "[routing]\ngate = 0x10",
        "[routing]\ngate = -1",
        "[routing]\ngate = \"1.25\"",
        "[routing]\nqueue = \"vc\"",
        "[routing.threshold]\nugal-l = 4",
        "[routing.threshold]\nugal-l = 4\npar-source = 40000\npar-second = 0",
        "[routing]\nset = 4",
        "[routing.set]\nugal-l = 4",
    ]), @r#"
    x.toml:7:15: dragonfly.arrangement = "Absolute", but arrangement must be one of "absolute", "absolute-classic", "relative", "circulant", "palmtree", "random", "dragonfly-plus"
    x.toml:7:15: dragonfly.arrangement = 1, but arrangement must be one of "absolute", "absolute-classic", "relative", "circulant", "palmtree", "random", "dragonfly-plus"
    x.toml:7:10: dragonfly.cables = "", but cables must be the path of a cable list, a string that is not empty
    x.toml:7:10: dragonfly.cables = false, but cables must be the path of a cable list, a string that is not empty
    x.toml:8:17: links.local-latency = 0, but local-latency must be 1 to 10000
    x.toml:8:18: links.global-latency = 10001, but global-latency must be 1 to 10000
    x.toml:8:10: links.buffer = 0, but buffer must be 1 to 30000
    x.toml:8:22: links.destination-window = "150/0", but destination-window must be "none" where packets are not acknowledged, or a delay in cycles, 0 to 8191, and packets, 1 to 65535, as in "150/32"
    x.toml:8:22: links.destination-window = 150, but destination-window must be "none" where packets are not acknowledged, or a delay in cycles, 0 to 8191, and packets, 1 to 65535, as in "150/32"
    x.toml:8:13: links.injection = "all", but injection must be "zero" or "two" or "random"
    x.toml:8:11: links.telling = 0, but telling must be 1 to 10000
    x.toml:8:19: links.local-bandwidth = 0, but local-bandwidth must be a number above 0 and at most 100000 with at most three decimals, as in 0.5
    x.toml:8:18: links.node-bandwidth = 0.0001, but node-bandwidth must be a number above 0 and at most 100000 with at most three decimals, as in 0.5
    x.toml:8:18: links.node-bandwidth = "1", but node-bandwidth must be a number above 0 and at most 100000 with at most three decimals, as in 0.5
    x.toml:9:20: links.global-bandwidth does not go with the bandwidths of the other kinds of links: the bandwidths are node 1, local 1, global 65, accepted bandwidths of which the largest is at most 64 times the smallest
    x.toml:7:1: links is an array, but links must be a table of local-latency, global-latency, cycle, node-bandwidth, local-bandwidth, global-bandwidth, buffer, destination-window, injection, telling
    x.toml:8:13: routing.threshold = 32768, but threshold must be a whole number from -32768 to 32767
    x.toml:8:13: routing.threshold = -32769, but threshold must be a whole number from -32768 to 32767
    x.toml:8:20: routing.virtual-channels = "by-phase", but virtual-channels must be one of "ordered", "per-hop", "positional", "up-down"
    x.toml:8:20: routing.virtual-channels = 4, but virtual-channels must be one of "ordered", "per-hop", "positional", "up-down"
    x.toml:8:14: routing.second-min = "new", but second-min must be one of kept, shortest, any
    x.toml:8:14: routing.candidates = "1x9", but candidates must be the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4
    x.toml:8:14: routing.candidates = 4, but candidates must be the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4
    x.toml:8:1: routing.candidates.par-source is missing; it must be the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4
    x.toml:8:8: routing.gate = 1.3, but gate must be a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    x.toml:8:8: routing.gate = 0x10, but gate must be a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    x.toml:8:8: routing.gate = -1, but gate must be a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    x.toml:8:8: routing.gate = "1.25", but gate must be a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25
    x.toml:8:9: routing.queue = "vc", but queue must be one of port, channel
    x.toml:7:10: routing.threshold.par-source is missing; it must be a whole number from -32768 to 32767
    x.toml:9:14: routing.threshold.par-source = 40000, but par-source must be a whole number from -32768 to 32767
    x.toml:8:7: routing.set = 4, but set must be "auto", a string in the grammar of sets, as in "strategic-2-3 by shape", or a table of ugal-l, par-source, par-second
    x.toml:8:10: routing.set.ugal-l = 4, but ugal-l must be a string in the grammar of sets, as in "strategic-2-3 by shape"
    "#);
    insta::assert_snapshot!(errors(&["name = \"x\"\ndragonfly = 4"]), @"x.toml:2:13: dragonfly = 4, but dragonfly must be a table of p, a, h, g, leaves, spines, local-links, kinds, arrangement, cables, names");
}

#[test]
fn sets_that_are_none_are_marked_in_the_file_and_below() {
    insta::assert_snapshot!(errors_after(&[
        "[routing]\nset = \"4-hop, 7-hop\"",
        "[routing]\nset = \"\"",
        "[routing]\n  set = '''\n4-hop,\n  7-hop'''",
        // With an escape the column is that of the string.
        "[routing]\nset = \"4-hop\\u002c 7-hop\"",
        "[routing.set]\nugal-l = \"all\"\npar-source = \"2*all by route\"\npar-second = \"all\"",
    ]), @r"
    x.toml:8:15: routing.set is not a set of routes: column 8: found `7-hop`, accepted `all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`
    4-hop, 7-hop
           ^^^^^
    x.toml:8:7: routing.set is not a set of routes: column 1: found the end, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    ^
    x.toml:10:3: routing.set is not a set of routes: column 10: found `7-hop`, accepted `all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`
    4-hop,   7-hop
             ^^^^^
    x.toml:8:7: routing.set is not a set of routes: column 8: found `7-hop`, accepted `all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`
    4-hop, 7-hop
           ^^^^^
    x.toml:9:21: routing.set.par-source is not a set of routes: column 7: found `by route` in a set with weights, but weights mean `by shape`
    2*all by route
          ^^^^^^^^
    ");
}

#[test]
fn lines_and_columns_count_characters() {
    let text = "# ünïcode\r\nname = \"x\"\r\ndragonfly = { \"é\" = 1 }";
    let error = FabricFile::parse(text, "x.toml").unwrap_err();
    assert_eq!((error.line, error.column), (3, 15));
    let error = FabricFile::parse("\"é\".x = 1", "x.toml").unwrap_err();
    assert_eq!((error.line, error.column), (1, 1));
}

/// A line for one of these values, or no line.
fn line(values: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::option::of(proptest::sample::select(values))
        .prop_map(|value| value.map_or_else(String::new, |value| format!("{value}\n")))
}

/// Sizes and wiring in all forms that a file can have.
fn dragonflies() -> impl Strategy<Value = String> {
    let kind = (0..2_u16, 1..3_u16, 1..4_u16, line(&["local-links = 3"]));
    let kinds = proptest::collection::vec(kind, 1..5).prop_map(|kinds| {
        let mut text = String::new();
        for (number, (p, a, g, links)) in kinds.into_iter().enumerate() {
            let p = if number == 0 { 1 } else { p };
            let a = if links.is_empty() { a } else { 2 };
            let name =
                if number % 2 == 0 { format!("name = \"k.{number}\"\n") } else { String::new() };
            let table =
                format!("[[dragonfly.kinds]]\n{name}p = {p}\na = {a}\nh = 16\ng = {g}\n{links}");
            text.push_str(&table);
        }
        text
    });
    let names = || line(&["names = \"the \\\"names\\\".csv\"", "names = 'C:\\names.csv'"]);
    let wiring = line(&["arrangement = \"palmtree\"", "cables = '/a/b c'"]);
    prop_oneof![
        (wiring, line(&["local-links = 2"]), names()).prop_map(|(wiring, links, names)| {
            format!("p = 4\na = 8\nh = 4\ng = 9\n{wiring}{links}{names}")
        }),
        (names(), kinds).prop_map(|(names, kinds)| format!("cables = 'c'\n{names}{kinds}")),
    ]
}

/// Keys of links, of weighing and of sets.
fn links_and_routing() -> impl Strategy<Value = String> {
    let links = (
        line(&["local-latency = 1", "local-latency = 10000"]),
        line(&["global-latency = 100"]),
        line(&["node-bandwidth = 0.125", "node-bandwidth = 4"]),
        line(&["global-bandwidth = 2.5"]),
        line(&["destination-window = 'none'", "destination-window = '150/32'"]),
        line(&["injection = 'two'", "injection = 'random'"]),
        line(&["telling = 8", "telling = 16"]),
    );
    let weighing = (
        line(&["threshold = -3", "threshold = { ugal-l = 1, par-source = -2, par-second = 3 }"]),
        line(&[
            "candidates = \"1x4\"",
            "candidates = { ugal-l = \"1x1\", par-source = \"8x8\", par-second = \"2x1\" }",
        ]),
        line(&["gate = 1.25", "gate = { ugal-l = 0, par-source = 15.9375, par-second = 2 }"]),
        line(&[
            "queue = \"channel\"",
            "queue = { ugal-l = \"port\", par-source = \"channel\", par-second = \"port\" }",
        ]),
        line(&[
            "onward = \"cheapest\"",
            "onward = { ugal-l = \"cheapest\", par-source = \"drawn\", par-second = \"drawn\" }",
        ]),
        line(&["second-min = \"any\"", "second-min = \"kept\""]),
        line(&["virtual-channels = \"positional\""]),
        line(&[
            "set = \"auto\"",
            "set = \"60%  5-hop\"",
            "set = '''\n4-hop,\n  only:001'''",
            "set = { ugal-l = \"all\", par-source = \"min\", par-second = \"4*2-hop, only:001\" }",
        ]),
    );
    (links, weighing).prop_map(|((a, b, c, d, w, i, e), (t, n, g, q, o, m, v, s))| {
        format!("[links]\n{a}{b}{c}{d}{w}{i}{e}[routing]\n{t}{n}{g}{q}{o}{m}{v}{s}")
    })
}

proptest! {
    #[test]
    fn the_text_of_a_file_says_the_same(
        seed in line(&["seed = 7"]),
        dragonfly in dragonflies(),
        rest in links_and_routing(),
    ) {
        let text = format!("name = \"x\"\n{seed}[dragonfly]\n{dragonfly}{rest}");
        match FabricFile::parse(&text, "x.toml") {
            Ok(file) => {
                let written = file.to_string();
                prop_assert_eq!(FabricFile::parse(&written, "written"), Ok(file), "{}", written);
            }
            // One group is not a Dragonfly.
            Err(error) => prop_assert!(error.to_string().contains("kinds"), "{error}: {text}"),
        }
    }

    #[test]
    fn no_text_is_answered_with_a_panic(
        text in prop_oneof![
            any::<String>(),
            proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(vec![
                        "name = \"x\"", "seed = 1", "[dragonfly]", "p = 4", "a = 8", "h = 4",
                        "g = 9", "arrangement = \"random\"", "cables = \"c\"", "[links]",
                        "local-latency = 3", "[routing]", "threshold = 1", "[routing.set]",
                        "candidates = \"1x4\"", "gate = 1.25", "queue = \"channel\"",
                        "set = \"all\"", "set = \"é", "ugal-l = \"min\"", "h = {}", "h = [",
                    ]).prop_map(str::to_owned),
                    ".{0,8}",
                ],
                0..12,
            ).prop_map(|lines| lines.join("\n")),
        ],
    ) {
        if let Err(error) = FabricFile::parse(&text, "x.toml") {
            prop_assert!(error.line <= text.split('\n').count());
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_damaged_file_is_answered_with_a_panic_never(
        at in 0..LEAST.len(),
        damage in any::<char>(),
    ) {
        let text: String = LEAST
            .char_indices()
            .map(|(i, c)| if i == at { damage } else { c })
            .collect();
        let _ = FabricFile::parse(&text, "x.toml");
    }

    #[test]
    fn any_numbers_are_read_or_refused(p: i64, a in -1..300_i64, h in -1..300_i64, g in -1..5000_i64) {
        let text = format!("name = 'x'\ndragonfly = {{ p = {p}, a = {a}, h = {h}, g = {g} }}");
        let sizes = [p, a, h, g].map(u32::try_from);
        let expected = match sizes {
            [Ok(p), Ok(a), Ok(h), Ok(g)] => Dragonfly::new(p, a, h, g).ok(),
            _ => None,
        };
        let found = FabricFile::parse(&text, "x.toml").ok().map(|file| file.dragonfly);
        prop_assert_eq!(found, expected);
    }
}
