//! Where a table set is written: what may be there, what is refused, and that nothing is left
//! behind when writing fails.

use crate::scratch::{Run, Scratch, TVLB};
use insta::assert_snapshot;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const GENERATE: &str = "generate fabric.toml -o out";

fn fabric() -> Scratch {
    Scratch::with_shipped("dfly-2-4-2-9.toml")
}

#[test]
fn a_directory_that_is_not_a_table_set_is_never_touched() {
    let scratch = fabric();
    fs::create_dir(scratch.path("out")).unwrap();
    scratch.write("out/thesis.tex", "precious");
    assert_snapshot!(scratch.refuses(GENERATE), @"tvlb: out: exists and is not a table set (it is not empty and has no manifest.json); give a directory that does not exist yet, an empty one, or a table set with --replace");
    assert_eq!(scratch.refuses("generate fabric.toml -o out --replace"), scratch.refuses(GENERATE));
}

#[test]
fn an_empty_directory_will_do() {
    let scratch = fabric();
    fs::create_dir(scratch.path("out")).unwrap();
    scratch.succeeds(GENERATE);
    assert_eq!(scratch.names(), ["fabric.toml", "out"]);
}

#[test]
fn a_file_or_a_link_is_no_place_for_a_table_set() {
    let scratch = Scratch::with_table_set();
    scratch.write("file", "");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o file --replace"), @"tvlb: file: exists and is not a table set (it is not a directory); give a directory that does not exist yet, an empty one, or a table set with --replace");
    std::os::unix::fs::symlink("out", scratch.path("link")).unwrap();
    assert_snapshot!(scratch.refuses("generate fabric.toml -o link --replace"), @"tvlb: link: exists and is not a table set (it is a symbolic link); give a directory that does not exist yet, an empty one, or a table set with --replace");
}

#[test]
fn a_table_set_is_replaced_only_when_asked() {
    let scratch = Scratch::with_table_set();
    let before = scratch.files();
    assert_snapshot!(scratch.refuses(GENERATE), @"tvlb: out: exists and is a table set; give --replace to replace it, or another directory");
    scratch.write("out/fabric.tvlb", "damaged");
    scratch.write("out/report.html", "damaged");
    fs::remove_file(scratch.path("out/switches/00003.tvlb")).unwrap();
    scratch.succeeds("generate fabric.toml -o out --replace");
    assert_eq!(scratch.files(), before);
}

#[test]
fn a_table_set_with_other_files_in_it_is_not_replaced() {
    let scratch = Scratch::with_table_set();
    fs::create_dir(scratch.path("out/thesis")).unwrap();
    scratch.write("out/thesis/precious.tex", "precious");
    scratch.write("out/zeal.txt", "precious");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o out --replace"), @"tvlb: out/thesis: is not part of the table set out, and would be lost with it; --replace accepts a table set that holds nothing but its manifest.json, the files that the manifest lists, and report.html: move out/thesis elsewhere, or give another directory");
    // It is known before the work, and without --replace too.
    assert_eq!(scratch.refuses(GENERATE), scratch.refuses("generate fabric.toml -o out --replace"));
    fs::remove_dir_all(scratch.path("out/thesis")).unwrap();
    fs::remove_file(scratch.path("out/zeal.txt")).unwrap();
    // Images that the manifest does not list, and what is in the place of a file but is not one.
    scratch.write("out/switches/00036.tvlb", "precious");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o out --replace"), @"tvlb: out/switches/00036.tvlb: is not part of the table set out, and would be lost with it; --replace accepts a table set that holds nothing but its manifest.json, the files that the manifest lists, and report.html: move out/switches/00036.tvlb elsewhere, or give another directory");
    fs::remove_file(scratch.path("out/switches/00036.tvlb")).unwrap();
    fs::remove_file(scratch.path("out/report.html")).unwrap();
    fs::create_dir(scratch.path("out/report.html")).unwrap();
    scratch.write("out/report.html/precious", "precious");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o out --replace"), @"tvlb: out/report.html: is not part of the table set out, and would be lost with it; --replace accepts a table set that holds nothing but its manifest.json, the files that the manifest lists, and report.html: move out/report.html elsewhere, or give another directory");
}

#[test]
fn a_manifest_that_only_names_the_format_is_not_a_table_set() {
    let scratch = fabric();
    fs::create_dir_all(scratch.path("home/precious")).unwrap();
    scratch.write("home/manifest.json", "my notes about \"tvlb table set 1\"");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o home --replace"), @"tvlb: home: exists and is not a table set (home/manifest.json:1:1: not a manifest of a table set: expected value); give a directory that does not exist yet, an empty one, or a table set with --replace");
    scratch.write("home/manifest.json", "{\"format\": \"tvlb table set 1\"}");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o home --replace"), @"tvlb: home: exists and is not a table set (home/manifest.json:1:30: not a manifest of a table set: missing field `tool-version`); give a directory that does not exist yet, an empty one, or a table set with --replace");
}

/// What belongs beside a table set does not belong into it: `verify` would refuse it afterwards.
#[test]
fn nothing_else_is_written_into_a_table_set() {
    let scratch = Scratch::with_table_set();
    for arguments in [
        "simulate out --plot out/curve.svg",
        "simulate out --links out/links.csv",
        "simulate out --links out/switches/links.csv",
        "simulate out --links ./out/../out/links.csv",
        "model fabric.toml --csv out/model.csv",
        "model fabric.toml --svg out/model.svg",
        "model fabric.toml --state out/model.state",
        "search fabric.toml --state out",
        "search fabric.toml --state out/state",
        "sweep sweep.toml -o out",
        "sweep sweep.toml -o runs --document out/page.md",
        "generate fabric.toml -o other --set auto --state out/state",
        "generate fabric.toml -o out/inner",
        "generate fabric.toml -o out/switches/inner --replace",
    ] {
        let error = scratch.refuses(arguments);
        assert!(error.contains("it is within the table set "), "{arguments}: {error}");
    }
    let output = scratch
        .command(TVLB)
        .current_dir(scratch.path("out/switches"))
        .args(["simulate", "..", "--plot", "curve.svg"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert!(run.code == 2 && run.stderr.contains("it is within the table set "), "{run}");
    scratch.succeeds("verify out");
}

#[test]
fn replacing_nothing_is_writing() {
    let scratch = fabric();
    scratch.succeeds("generate fabric.toml -o out --replace");
    assert_eq!(scratch.names(), ["fabric.toml", "out"]);
}

#[test]
fn a_failed_replacement_leaves_the_old_table_set() {
    let scratch = Scratch::with_table_set();
    let before = scratch.files();
    let run = with_file_limit(&scratch, "generate fabric.toml -o out --replace --set all");
    assert_eq!(run.code, 2, "{run}");
    assert_eq!(scratch.files(), before);
}

#[test]
fn directories_above_are_created() {
    let scratch = fabric();
    scratch.succeeds("generate fabric.toml -o deep/er/out");
    assert_eq!(scratch.names(), ["deep", "fabric.toml"]);
    scratch.succeeds("inspect deep/er/out");
}

#[test]
fn a_path_through_a_file() {
    let scratch = fabric();
    assert_snapshot!(scratch.refuses("generate fabric.toml -o fabric.toml/out"), @"tvlb: fabric.toml: cannot create a directory in it: Not a directory (os error 20)");
    assert_snapshot!(scratch.refuses("generate fabric.toml -o fabric.toml/deep/out"), @"tvlb: fabric.toml: cannot create a directory in it: Not a directory (os error 20)");
}

#[test]
fn a_path_without_a_name() {
    let scratch = fabric();
    fs::create_dir(scratch.path("empty")).unwrap();
    let run = Run::of(
        &scratch
            .command(TVLB)
            .current_dir(scratch.path("empty"))
            .args(["generate", "../fabric.toml", "-o", "."])
            .output()
            .unwrap(),
    );
    assert_snapshot!(run, @"
    tvlb: .: exists and is not a table set (the path does not end in a name); give a directory that does not exist yet, an empty one, or a table set with --replace
    exit code 2
    ");
}

#[test]
fn a_parent_that_may_not_be_written_is_known_before_the_work() {
    // Two groups without a cable: the work itself would fail, if it began.
    let scratch = Scratch::with_fabric(
        "name = \"apart\"\n[dragonfly]\np = 1\na = 1\nh = 1\ng = 2\ncables = \"cables.csv\"\n",
    );
    scratch.write("cables.csv", "from_group,from_switch,from_port,to_group,to_switch,to_port\n");
    fs::create_dir(scratch.path("kept")).unwrap();
    set_mode(&scratch, ".", 0o755);
    set_mode(&scratch, "kept", 0o555);
    let Some(generate) = unprivileged(&scratch) else {
        return;
    };
    let before = scratch.files();
    let refuse = |output: &str| {
        let run =
            Run::of(&generate().args(["generate", "fabric.toml", "-o", output]).output().unwrap());
        assert_eq!(scratch.files(), before);
        run.to_string()
    };
    assert_snapshot!(refuse("kept/out"), @"
    tvlb: kept: cannot create a directory in it: Permission denied (os error 13)
    exit code 2
    ");
    assert_eq!(refuse("kept/deep/out"), refuse("kept/out"));
}

fn set_mode(scratch: &Scratch, name: &str, mode: u32) {
    fs::set_permissions(scratch.path(name), fs::Permissions::from_mode(mode)).unwrap();
}

/// Makes `tvlb` commands that permissions apply to, also where the tests run as root; nothing
/// where that cannot be done.
fn unprivileged(scratch: &Scratch) -> Option<impl Fn() -> Command> {
    let as_nobody = fs::create_dir(scratch.path("kept/probe")).is_ok();
    if as_nobody {
        fs::remove_dir(scratch.path("kept/probe")).unwrap();
    }
    let command = move || {
        if !as_nobody {
            return scratch.command(TVLB);
        }
        let mut command = scratch.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", TVLB]);
        command
    };
    let works = command().arg("--version").output().is_ok_and(|output| output.status.success());
    works.then_some(command)
}

#[test]
fn a_disk_that_is_full() {
    let scratch = fabric();
    let before = scratch.files();
    let run = with_file_limit(&scratch, GENERATE);
    assert_snapshot!(run, @"
    tvlb: out/manifest.json: cannot write the file: File too large (os error 27)
    exit code 2
    ");
    assert_eq!(scratch.files(), before);
    let run = with_file_limit(&scratch, "generate fabric.toml -o deep/er/out");
    assert_eq!(run.code, 2, "{run}");
    assert_eq!(scratch.files(), before, "directories above the target were left behind");
}

/// Runs `tvlb` where no file may be longer than a kilobyte or less: the manifest is.
fn with_file_limit(scratch: &Scratch, arguments: &str) -> Run {
    let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {arguments}");
    Run::of(&scratch.command("sh").args(["-c", &script, TVLB]).output().unwrap())
}

#[test]
fn a_standard_output_that_is_full() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        return;
    };
    let scratch = fabric();
    let mut command = scratch.command(TVLB);
    let output = command.args(["topology", "fabric.toml"]).stdout(full).output().unwrap();
    assert_snapshot!(Run::of(&output), @"
    tvlb: standard output: cannot write: No space left on device (os error 28)
    exit code 2
    ");
}

/// Help is output like any other.
#[test]
fn help_that_cannot_be_printed() {
    for arguments in [&["--help"][..], &["simulate", "--help"], &["--version"]] {
        let Ok(full) = File::options().write(true).open("/dev/full") else {
            return;
        };
        let scratch = Scratch::new();
        let output = scratch.command(TVLB).args(arguments).stdout(full).output().unwrap();
        let run = Run::of(&output);
        let said = "tvlb: standard output: cannot write: No space left on device (os error 28)\n";
        assert_eq!((run.code, run.stderr.as_str()), (2, said), "{arguments:?}");
    }
}

#[test]
fn an_error_that_nobody_can_be_told() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        return;
    };
    let scratch = fabric();
    let mut command = scratch.command(TVLB);
    let output = command.args(["topology", "none.toml"]).stderr(full).output().unwrap();
    assert_eq!(Run::of(&output).code, 2);
}

#[test]
fn a_reader_who_has_read_enough() {
    let scratch = Scratch::with_shipped("dfly-13-26-13-27.toml");
    for arguments in ["--format csv", "--json", "--format dot-switches"] {
        let arguments = format!("topology fabric.toml {arguments}");
        let mut child = scratch
            .command(TVLB)
            .args(arguments.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let run = Run::of(&child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "tvlb {arguments}");
    }
}
