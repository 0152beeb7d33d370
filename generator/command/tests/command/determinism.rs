//! The same input gives the same bytes, whatever the threads and however often.

use crate::scratch::Scratch;

const SETS: [&str; 6] = [
    "strategic-2-3 by shape",
    "60% 5-hop",
    "12.5% 6-hop by shape",
    "4*2-hop, only:001+010, 30% only:111",
    "all",
    "min",
];

#[test]
fn the_number_of_threads_does_not_show() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    for set in SETS {
        let table_set = |threads: &str| {
            let directory = format!("with-{threads}");
            let arguments = [
                "generate",
                "fabric.toml",
                "-o",
                &directory,
                "--replace",
                "--quiet",
                "--threads",
                threads,
                "--set",
                set,
            ];
            let run = scratch.tvlb_with(arguments);
            assert_eq!(run.code, 0, "{run}");
            let prefix = format!("{directory}/");
            let files = scratch.files().into_iter();
            files
                .filter_map(|(name, bytes)| Some((name.strip_prefix(&prefix)?.to_owned(), bytes)))
                .collect::<Vec<_>>()
        };
        let once = table_set("1");
        // 36 switch images, their directory, the fabric image, the manifest, the report, and the root.
        assert_eq!(once.len(), 41);
        for threads in ["1", "2", "7"] {
            assert_eq!(table_set(threads), once, "{set:?} with {threads} threads");
        }
    }
}

#[test]
fn the_directory_and_the_place_do_not_show() {
    let shipped = || Scratch::with_shipped("dfly-4-8-4-9.toml");
    let (here, there) = (shipped(), shipped());
    here.succeeds("generate fabric.toml -o out");
    there.succeeds("generate fabric.toml -o out");
    assert_eq!(here.files(), there.files());
}

#[test]
fn the_seed_decides_what_is_random() {
    let wiring = |seed: u64| {
        let scratch = Scratch::with_fabric(&format!(
            "name = \"x\"\nseed = {seed}\n[dragonfly]\np = 1\na = 4\nh = 2\ng = 5\narrangement = \"random\"\n"
        ));
        scratch.succeeds("topology fabric.toml --format csv")
    };
    assert_eq!(wiring(7), wiring(7));
    assert_ne!(wiring(7), wiring(8));
}
