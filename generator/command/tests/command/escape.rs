//! Escape networks from the fabric file to the switches: `generate`, `inspect`, `verify`, `diff` and `cut-through`.

use crate::scratch::Scratch;
use insta::assert_snapshot;

fn fabric(routing: &str) -> String {
    format!(
        "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
         [links]\nlocal-latency = 10\nglobal-latency = 100\n[routing]\nset = \"valg\"\n{routing}"
    )
}

#[test]
fn a_table_set_has_an_escape_network() {
    let ring = Scratch::with_fabric(&fabric(
        "escape = \"ring\"\n[routing.ofar]\nbubble = 1\nstrict = true\n",
    ));
    let made = ring.tvlb("generate fabric.toml -o out");
    assert!(
        made.stderr.contains("switches that take an update of `tvlb faults` decide by UGAL-L"),
        "{made}"
    );
    let made = made.stdout;
    assert!(made.contains("escape   ring, "), "{made}");
    assert!(made.contains("answers at every hop"), "{made}");
    ring.write("dead.txt", "cable (0,0):0\n");
    let dead = ring.succeeds("faults out --faults dead.txt -o update");
    assert!(dead.contains("do not decide at every hop any longer"), "{dead}");
    assert_snapshot!("escape_inspect", ring.succeeds("inspect out"));
    assert_snapshot!("escape_verify", ring.succeeds("verify out --fabric fabric.toml"));
    assert_eq!(
        ring.succeeds_with_warnings("generate fabric.toml --check out"),
        "out is what generating it again gives\n"
    );
    // Switches boot from that image, with its rules.
    let run = ring
        .succeeds("cut-through out --routing ofar --load 0.2 --warm-up 500 --cycles 500 --json");
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    assert_eq!(run["escape-network"], "the table set's escape ring");
    let rules = &run["settings"][0]["routing"]["ofar"];
    assert_eq!((&rules["bubble"], &rules["strict"]), (&1.into(), &true.into()));

    std::fs::write(ring.path("tree.toml"), fabric("escape = \"tree\"\nescape-root = 13\n"))
        .unwrap();
    ring.succeeds("generate tree.toml -o tree -q");
    assert_snapshot!("escape_diff", ring.tvlb("diff out tree").stdout);
    let verified = ring.succeeds("verify tree");
    assert!(verified.contains("escape tree of 36 switches"), "{verified}");
}

#[test]
fn damage_to_it_is_found() {
    let scratch = Scratch::with_fabric(&fabric("escape = \"ring\"\n"));
    scratch.succeeds("generate fabric.toml -o out -q");
    let image = scratch.path("out/escape.tvlb");
    let bytes = std::fs::read(&image).unwrap();
    let found = |what: &str| {
        let run = scratch.tvlb("verify out -q");
        assert_eq!(run.code, 1, "{what}: {}", run.stderr);
        format!("{what}: {}", run.stderr)
    };
    let mut texts = Vec::new();
    let mut bad = bytes.clone();
    bad[30] ^= 1;
    std::fs::write(&image, bad).unwrap();
    texts.push(found("a bit is flipped"));
    std::fs::remove_file(&image).unwrap();
    texts.push(found("the file is missing"));
    std::fs::write(&image, &bytes).unwrap();
    let manifest = scratch.path("out/manifest.json");
    let said = std::fs::read_to_string(&manifest).unwrap();
    let claims = [
        ("\"network\": \"ring\"", "\"network\": \"tree\""),
        ("\"bubble\": 2", "\"bubble\": 3"),
        ("\"path\": \"escape.tvlb\"", "\"path\": \"fabric.tvlb\""),
    ];
    for (old, new) in claims {
        assert!(said.contains(old));
        std::fs::write(&manifest, said.replace(old, new)).unwrap();
        texts.push(found(new));
    }
    // The report is of another manifest, which is found first; without that check each claim is found.
    assert_snapshot!("escape_damage", texts.join(""));
}

#[test]
fn what_cannot_be_is_refused() {
    let scratch = Scratch::with_fabric("");
    let refused = |text: &str| {
        std::fs::write(scratch.path("fabric.toml"), text).unwrap();
        let run = scratch.tvlb("generate fabric.toml -o out -q");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{text}");
        assert!(!scratch.path("out").exists());
        run.stderr
    };
    let alone = "name = \"lone\"\n[dragonfly]\np = 1\na = 2\nh = 2\ng = 3\ncables = \"cables.csv\"\n\
        [routing]\nset = \"min\"\nescape = \"ring\"\n";
    let cables = "from_group,from_switch,from_port,to_group,to_switch,to_port\n0,0,0,1,0,0\n0,0,1,2,0,0\n\
        1,1,0,2,1,0\n";
    std::fs::write(scratch.path("cables.csv"), cables).unwrap();
    let texts = [
        refused(&fabric("escape = \"star\"\n")),
        refused(&fabric("escape = 1\n")),
        refused(&fabric("escape = \"ring\"\nescape-root = 3\n")),
        refused(&fabric("escape = \"tree\"\nescape-root = 36\n")),
        refused(&fabric("[routing.ofar]\nbubble = 2\n")),
        refused(&fabric("escape = \"ring\"\n[routing.ofar]\nlocal-channels = 8\n")),
        refused(&fabric("escape = \"ring\"\n[routing.ofar]\nstrict = 1\n")),
        refused(&fabric("escape = \"ring\"\n[routing.ofar]\nbubbles = 1\n")),
        refused(alone),
    ];
    assert_snapshot!("escape_refused", texts.join(""));
}
