//! `tvlb verify`: its certificate word for word, and each kind of damage with a finding of its own.

use crate::damage::{FABRIC, SWITCH, vouch_for, with_changed, with_manifest, with_vouched};
use crate::scratch::Scratch;
use insta::{assert_snapshot, with_settings};
use std::fmt::Write;
use std::fs;
use tvlb_schema::{
    Decision, FabricImage, PerDecision, SetContents, Shape, SwitchContents, SwitchId, SwitchImage,
    VcScheme, Weighing, encode_switch_image,
};

#[test]
fn a_certificate_in_words_and_as_json() {
    let scratch = Scratch::with_table_set();
    let words = scratch.succeeds("verify out");
    assert_snapshot!("verify_certificate", words);
    assert_eq!(scratch.succeeds("verify out --threads 1"), words);
    assert_eq!(scratch.succeeds("verify out --threads 7"), words);
    assert_snapshot!("verify_json", scratch.succeeds("verify out --json"));
    assert_snapshot!("verify_sample", scratch.succeeds("verify out --most-walks 2000 --seed 5"));
    let other = scratch.succeeds("verify out --most-walks 2000 --seed 6");
    assert_ne!(other, scratch.succeeds("verify out --most-walks 2000 --seed 5"));
}

#[test]
fn every_kind_of_set_and_channel_is_verified() {
    for (set, channels, more) in [
        ("strategic-2-3 by shape", "ordered", None),
        ("30% shapes:121 by shape", "per-hop", None),
        ("2% 3-hop, 50% only:021", "positional", None),
        ("min", "ordered", None),
        ("2-hop by shape", "positional", None),
        ("4-hop by shape", "ordered", Some("--balance")),
        ("60% 5-hop", "ordered", Some("--balance")),
    ] {
        let text = format!(
            "name = \"any\"\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 7\n\
             arrangement = \"random\"\n[routing]\nvirtual-channels = \"{channels}\"\n"
        );
        let scratch = Scratch::with_fabric(&text);
        let generate = ["generate", "fabric.toml", "-o", "out", "--set", set];
        let run = scratch.tvlb_with(generate.into_iter().chain(more));
        assert_eq!(run.code, 0, "{run}");
        let found = scratch.succeeds("verify out");
        assert!(
            found.contains(&format!("channels      {channels}: 5 of 5 ")) || channels == "per-hop"
        );
        assert!(found.ends_with("without a cycle, so no deadlock can form\n"), "{found}");
    }
}

/// A whole and consistent image of switch 5, vouched for, that means something else.
fn with_meaning(change: impl FnOnce(&mut SwitchContents)) -> Scratch {
    let scratch = Scratch::with_table_set();
    let (fabric, image) = (scratch.read("out/fabric.tvlb"), scratch.read(&format!("out/{SWITCH}")));
    let fabric = FabricImage::decode(&fabric).unwrap();
    let image = SwitchImage::decode(&image, &fabric).unwrap();
    let set = image.set(Decision::UgalL);
    let shapes_to = fabric.dragonfly().switches().map(|to| set.shapes_to(to)).collect();
    let mut contents = SwitchContents {
        switch: SwitchId(5),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same((0, Weighing::default())),
        second_min: tvlb_schema::MinCandidate::Kept,
        sets: vec![SetContents { rule: *set.rule(), levels: Vec::new(), shapes_to }],
        physical_numbers: Vec::new(),
    };
    change(&mut contents);
    scratch.write(&format!("out/{SWITCH}"), encode_switch_image(&fabric, &contents));
    vouch_for(&scratch, SWITCH);
    scratch
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a list")]
fn each_kind_of_damage_has_its_own_finding() {
    let other = Scratch::with_sizes(2, 4, 2, 8);
    other.succeeds("generate fabric.toml -o out");
    let removed = |file: &str| {
        let scratch = Scratch::with_table_set();
        fs::remove_file(scratch.path(file)).unwrap();
        scratch
    };
    let swapped = {
        let scratch = Scratch::with_table_set();
        let six = scratch.read("out/switches/00006.tvlb");
        scratch.write(&format!("out/{SWITCH}"), six);
        vouch_for(&scratch, SWITCH);
        scratch
    };
    let stranger = |file: &str| {
        let scratch = Scratch::with_table_set();
        scratch.write(file, "anything");
        scratch
    };
    let said = |from: &str, to: &str| {
        with_manifest(|text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        })
    };
    let flipped = |file, byte: usize| with_changed(file, move |bytes| bytes[byte] ^= 1);
    let flipped_and_vouched = |file, byte: usize| with_vouched(file, move |bytes| bytes[byte] ^= 1);
    let after = "\"after\": {\n          \"local\": 1.101876";
    let mut findings = String::new();
    for (kind, scratch) in [
        ("half a manifest", with_manifest(|text| text[..600].to_owned())),
        ("a manifest of another format", said("tvlb table set 1", "tvlb table set 9")),
        ("no fabric image", removed("out/fabric.tvlb")),
        ("a switch image missing", removed("out/switches/00035.tvlb")),
        ("a file too many", stranger("out/notes.txt")),
        ("a switch image too many", stranger("out/switches/00036.tvlb")),
        ("a bit of the fabric image flipped", flipped(FABRIC, 50)),
        ("a bit of a switch image flipped", flipped(SWITCH, 50)),
        ("a fabric image cut short", with_changed(FABRIC, |bytes| bytes.truncate(60))),
        ("a switch image with an appendix", with_changed(SWITCH, |bytes| bytes.push(0))),
        ("the label changed, vouched for", flipped_and_vouched(FABRIC, 0)),
        ("the kind changed, vouched for", flipped_and_vouched(SWITCH, 4)),
        ("the version changed, vouched for", flipped_and_vouched(SWITCH, 6)),
        ("the identity changed, vouched for", flipped_and_vouched(SWITCH, 8)),
        ("the length changed, vouched for", flipped_and_vouched(SWITCH, 16)),
        ("the wiring changed, vouched for", flipped_and_vouched(FABRIC, 60)),
        ("a set changed, vouched for", flipped_and_vouched(SWITCH, 30)),
        (
            "the checksum changed, vouched for",
            with_vouched(SWITCH, |bytes| {
                let last = bytes.len() - 1;
                bytes[last] ^= 1;
            }),
        ),
        ("another switch's image, vouched for", swapped),
        (
            "a stale fabric image, vouched for",
            with_vouched(FABRIC, |bytes| {
                *bytes = other.read("out/fabric.tvlb");
            }),
        ),
        (
            "a stale switch image, vouched for",
            with_vouched(SWITCH, |bytes| {
                *bytes = other.read("out/switches/00005.tvlb");
            }),
        ),
        (
            "other virtual channels than the rest",
            with_meaning(|contents| {
                contents.virtual_channels = VcScheme::PerHop;
            }),
        ),
        (
            "another threshold than the rest",
            with_meaning(|contents| {
                contents.decisions.par_second.1.threshold = -4;
            }),
        ),
        ("another seed than the rest", with_meaning(|contents| contents.sets[0].rule.seed = 2)),
        (
            "a table of shapes that lies",
            with_meaning(|contents| {
                let shapes = &mut contents.sets[0].shapes_to[20];
                *shapes = shapes.without(tvlb_schema::ShapeSet::only(Shape::new(0, 2, 0).unwrap()));
            }),
        ),
        ("another identity claimed", said("\"fabric-identity\": \"a", "\"fabric-identity\": \"b")),
        ("other sizes claimed", said("\"p\": 2", "\"p\": 3")),
        ("other cables claimed", said("\"cables\": 36", "\"cables\": 35")),
        ("other channels claimed", said("\"ordered\"", "\"per-hop\"")),
        ("another set claimed", said("strategic-2-3 by shape", "strategic-3-2 by shape")),
        (
            "another threshold claimed",
            said(
                "\"seed\": 1,\n      \"mean",
                "\"seed\": 1,\n      \"weighing\": \"T=3\",\n      \"mean",
            ),
        ),
        ("other routes claimed", said("\"pairs-without-route\": 0", "\"pairs-without-route\": 1")),
        ("another balance claimed", said(after, &after.replace("1.101", "1.001"))),
        ("thinning claimed", said("\"thinned-switches\": 0", "\"thinned-switches\": 36")),
        ("an image not listed", said("switches/00005.tvlb", "switches/00099.tvlb")),
    ] {
        let finding = scratch.finds("verify out");
        writeln!(findings, "{kind}\n  {}", finding.trim_end().replace('\n', "\n  ")).unwrap();
    }
    with_settings!({ filters => vec![(r"\b[0-9a-f]{64}\b", "[SHA-256]")] }, {
        assert_snapshot!("verify_findings", findings);
    });
}

#[test]
fn a_finding_as_json_and_no_table_set_at_all() {
    let scratch = with_manifest(|text| text.replace("\"p\": 2", "\"p\": 3"));
    let run = scratch.tvlb("verify out --json");
    let values: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &values["verified"]), (1, &serde_json::Value::Bool(false)));
    assert_eq!(run.stderr, format!("tvlb: {}\n", values["finding"].as_str().unwrap()));
    // Nothing is known of what is not there: an error, and no finding.
    for (directory, said) in
        [("nowhere", "manifest.json: cannot read it: "), (".", "it has no manifest of a table set")]
    {
        let error = scratch.refuses(&format!("verify {directory} --json"));
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn no_shape_can_be_denied_or_made_up_unseen_whatever_the_sample() {
    // The tables of links tell, for every pair.
    type Lie = fn(&mut SwitchContents);
    let lies: [Lie; 3] = [
        |contents| contents.sets[0].shapes_to.fill(tvlb_schema::ShapeSet::EMPTY),
        |contents| {
            let shapes = contents.sets[0].rule.shapes();
            contents.sets[0].shapes_to.fill(shapes);
        },
        |contents| contents.sets[0].shapes_to[33] = tvlb_schema::ShapeSet::EMPTY,
    ];
    for lie in lies {
        let scratch = with_meaning(lie);
        for most in [1000, 20_000, 100_000, 100_000_000] {
            let finding = scratch.finds(&format!("verify out --most-walks {most}"));
            assert!(finding.contains("the image of switch 5 says that there is "), "{finding}");
        }
    }
}

/// The data of a test, as the file of this name.
fn data(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    fs::read_to_string(path).unwrap()
}

#[test]
fn an_uneven_fabric_is_reachable_by_the_datapath_too() {
    // Eight cables between two groups, one between others, and three pairs of groups that only one
    // group joins: hardly any port of 512 leads there.
    let scratch = Scratch::with_fabric(&data("uneven/f8.toml"));
    scratch.write("c8.csv", data("uneven/c8.csv"));
    for set in ["all", "all by shape"] {
        let options = ["generate", "fabric.toml", "-o", "out", "--replace", "--set", set];
        let run = scratch.tvlb_with(options);
        assert_eq!(run.code, 0, "{run}");
        assert!(run.stderr.contains("switch (0,1) has no global cable"), "{run}");
        let certificate = scratch.succeeds("verify out");
        let asked = "asked         the datapath for a MIN path and for VLB paths of every pair\n";
        assert!(certificate.contains(asked), "{certificate}");
        assert!(!certificate.contains("found no path"), "{certificate}");
    }
}

#[test]
fn a_table_set_is_held_against_the_planned_fabric() {
    let fabric = |wiring: &str| {
        Scratch::with_fabric(&format!(
            "name = \"plan\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\narrangement = \"{wiring}\"\n"
        ))
    };
    let scratch = fabric("palmtree");
    scratch.succeeds("generate fabric.toml -o out");
    let certificate = scratch.succeeds("verify out --fabric fabric.toml");
    assert!(certificate.contains(
        "planned       the fabric file's sizes, cables and names, and all that it says of links\n"
    ));
    assert!(
        scratch.succeeds("verify out --fabric fabric.toml --json").contains("\"planned\": true")
    );

    // The same cables by another name.
    let plan = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write("fabric.toml", plan.replace("\"plan\"", "\"other\""));
    assert_snapshot!(scratch.finds("verify out --fabric fabric.toml"), @"tvlb: fabric.toml: by the fabric file the name is other, but by the table set plan");

    // Other cables by another name: it is the cables that are said.
    let other = String::from_utf8(fabric("absolute").read("fabric.toml")).unwrap();
    scratch.write("fabric.toml", other.replace("\"plan\"", "\"other\""));
    let error = scratch.finds("verify out --fabric fabric.toml");
    assert!(error.contains("by this plan 36 things are wrong with the cables"), "{error}");

    // Tables laid by one arrangement and called another: nothing in the images tells.
    scratch.write("fabric.toml", other);
    let text = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    scratch.write("out/manifest.json", text.replace("\"palmtree\"", "\"absolute\""));
    crate::damage::reseal(&scratch);
    scratch.succeeds("verify out");
    let error = scratch.finds("verify out --fabric fabric.toml");
    assert_eq!(error.lines().count(), 37);
    assert_snapshot!(error.lines().take(2).collect::<Vec<_>>().join("\n"), @r"
    tvlb: fabric.toml: by this plan 36 things are wrong with the cables of the table set:
      a cable joins group 0, switch 0, global port 0 and group 8, switch 3, global port 1; by the plan the first leads to group 1, switch 0, global port 0, the second to group 7, switch 3, global port 1
    ");

    // A list of cables of which two are swapped.
    let list = scratch.succeeds("topology fabric.toml --format csv");
    let mut lines: Vec<&str> = list.lines().collect();
    let swapped = [lines[1], lines[2]].map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields[..3].join(","), fields[3..].join(","))
    });
    let [(one, to_one), (other, to_other)] = &swapped;
    let crossed = [format!("{one},{to_other}"), format!("{other},{to_one}")];
    (lines[1], lines[2]) = (&crossed[0], &crossed[1]);
    scratch.write("cables.csv", lines.join("\n"));
    let plan = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write(
        "fabric.toml",
        plan.replace("arrangement = \"absolute\"", "cables = \"cables.csv\""),
    );
    scratch.succeeds("generate fabric.toml -o out --replace");
    scratch.succeeds("verify out --fabric fabric.toml");
    scratch.write("cables.csv", &list);
    assert_snapshot!(scratch.finds("verify out --fabric fabric.toml"), @r"
    tvlb: fabric.toml: by this plan 1 thing is wrong with the cables of the table set:
      the plugs at group 0, switch 0, global port 0 and group 0, switch 0, global port 1 are swapped, or else those at group 1, switch 0, global port 0 and group 2, switch 0, global port 0: by the plan a cable joins the first of each two, and another the second
    ");

    // Another size, name, seed or latency, with the cables of the tables; and a plan that cannot be read is an error.
    scratch.write("cables.csv", lines.join("\n"));
    for (from, to) in [
        ("p = 2", "p = 3"),
        ("\"plan\"", "\"another\""),
        ("[dragonfly]", "seed = 7\n[dragonfly]"),
        ("[routing]", "[links]\nglobal-latency = 99\n[routing]"),
        ("[routing]", "[links]\nbuffer = 64\n[routing]"),
        ("[routing]", "[links]\ndestination-window = \"none\"\n[routing]"),
        ("[routing]", "[links]\ninjection = \"two\"\n[routing]"),
        ("[routing]", "[links]\ntelling = 16\n[routing]"),
    ] {
        let plan = String::from_utf8(scratch.read("fabric.toml")).unwrap();
        assert!(plan.contains(from), "{plan}");
        scratch.write("other.toml", plan.replacen(from, to, 1));
        let finding = scratch.finds("verify out --fabric other.toml");
        assert!(finding.contains("other.toml: by the fabric file the "), "{finding}");
    }
    assert!(
        scratch.refuses("verify out --fabric nowhere.toml").contains("nowhere.toml: cannot read")
    );
}
