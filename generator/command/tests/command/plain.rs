//! `generate --plain`: tables that a build of the datapath without the feature `any-fabric` boots, and what is refused.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::path::Path;
use std::process::Command;

/// What such a build says of the tables in `out`: that it boots them, or what it refuses.
fn booted(scratch: &Scratch) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    cargo.args(["run", "--quiet", "--offline", "--locked", "--target-dir"]).arg(target);
    cargo.args(["--package", "tvlb-firmware-model", "--no-default-features", "--example", "boot"]);
    cargo.arg("--").arg(scratch.path("out/fabric.tvlb"));
    cargo.args((0..36).map(|switch| scratch.path(&format!("out/switches/{switch:05}.tvlb"))));
    let done = cargo.output().unwrap();
    let told = if done.status.success() { done.stdout } else { done.stderr };
    String::from_utf8(told).unwrap().trim_end().to_owned()
}

#[test]
fn tables_for_a_plain_build_boot_there() {
    let scratch = Scratch::with_sizes(2, 4, 2, 9);
    scratch.succeeds("generate fabric.toml -o out -q --set auto --fast --plain");
    assert_eq!(booted(&scratch), "36 switches boot");
    assert!(!scratch.succeeds("inspect out").contains("switches:"));

    // That the build is plain is seen by what it refuses.
    scratch.succeeds("generate fabric.toml -o out -q --replace --set switches:2-3");
    let refused = booted(&scratch);
    assert!(refused.contains("built without the feature `any-fabric`"), "{refused}");
}

#[test]
fn what_a_plain_build_does_not_boot_is_refused_before_the_work() {
    let scratch = Scratch::with_sizes(2, 4, 2, 9);
    let plain = |arguments: &[&str]| {
        let generate = ["generate", "fabric.toml", "-o", "out", "--plain"];
        let run = scratch.tvlb_with(generate.into_iter().chain(arguments.iter().copied()));
        assert_eq!(run.code, 2, "{run}");
        assert!(!scratch.path("out").exists());
        run.stderr
    };
    assert_snapshot!(plain(&["--set", "all", "--set", "par all then switches:2-3"]), @"tvlb: fabric.toml: --plain: the set of par-second, switches:2-3, is a set of intermediate switches, which a build without the feature `any-fabric` does not boot; accepted are sets that are drawn by route or by shape");
    assert_snapshot!(plain(&["--set", "auto", "--try-policy", "switches:2-3"]), @"tvlb: fabric.toml: --plain: a set to try, switches:2-3, is a set of intermediate switches, which a build without the feature `any-fabric` does not boot; accepted are sets that are drawn by route or by shape");
    let file = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    scratch.write("names.csv", "group,switch,port,name,physical\n0,1,node 1,a,5\n");
    scratch.write("fabric.toml", file.replace("[dragonfly]", "[dragonfly]\nnames = \"names.csv\""));
    assert_snapshot!(plain(&["--set", "all"]), @"tvlb: fabric.toml: --plain: the names give physical numbers of ports, and a build without the feature `any-fabric` boots no image with a port map; accepted are names whose column `physical` is empty");
    scratch.write("fabric.toml", file.replace("[dragonfly]", "[dragonfly]\nlocal-links = 2"));
    assert_snapshot!(plain(&[]), @"tvlb: fabric.toml: --plain: the fabric has switches of a group that several links join, or none, which a build without the feature `any-fabric` does not boot");
}
