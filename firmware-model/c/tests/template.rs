//! The projects of `template` and the program of this crate's README build and run as they say, with what is on this
//! machine already.
#![cfg(not(miri))]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn template() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../template")
}

/// The workspace's target directory, so that what is built already is not built again.
fn target() -> PathBuf {
    let tests = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tests.parent().expect("it is within the target directory").to_owned()
}

/// What a command prints, line by line.
fn lines_of(command: &mut Command) -> Vec<String> {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).expect("it prints text");
    text.lines().filter(|line| line.starts_with("switch ")).map(str::to_owned).collect()
}

/// One line of switch 3 for every seventh of 288 nodes, and more of switch 4.
fn assert_routed(lines: &[String]) {
    let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    let routed = count("switch 3: ") - count("switch 3: updated ");
    assert_eq!(routed, 42, "{lines:#?}");
    assert!(count("switch 4: ") > 0, "{lines:#?}");
    for what in ["deliver at port 2", "send by port 4 on channel 0"] {
        assert!(lines.iter().any(|line| line.contains(what)), "{what}: {lines:#?}");
    }
}

#[test]
fn the_images_are_those_of_the_format() {
    let of_bare_metal = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bare-metal/images");
    for project in ["rust-switch", "c-switch"] {
        for (name, original) in [
            ("fabric.tvlb", "fabric.tvlb"),
            ("00003.tvlb", "switch-00003.tvlb"),
            ("00004.tvlb", "switch-00004.tvlb"),
        ] {
            let read = |file: PathBuf| fs::read(&file).unwrap_or_else(|_| panic!("{file:?}"));
            let image = read(template().join(project).join("images").join(name));
            assert!(image == read(of_bare_metal.join(original)), "{project}: {name}");
        }
    }
}

#[test]
fn the_project_in_rust_runs() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(template().join("rust-switch"));
    cargo.args(["run", "--quiet", "--offline", "--locked", "--target-dir"]).arg(target());
    let lines = lines_of(&mut cargo);
    assert_routed(&lines);
    assert_eq!(lines.last().map(String::as_str), Some("switch 3: updated 6 times"));
}

#[test]
fn the_project_in_c_runs() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("make") || !has("cc") || !cfg!(target_os = "linux") {
        // Past the capture of the test, so that a log of all tests says it.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: the template in C needs make, a C compiler and Linux\n",
        );
        return;
    }
    let mut make = Command::new("make");
    make.current_dir(template().join("c-switch")).arg("run");
    make.arg(format!(
        "BUILD={}",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-switch").display()
    ));
    make.arg(format!("CARGO_TARGET_DIR={}", target().display()));
    assert_routed(&lines_of(&mut make));
}

#[test]
fn the_program_of_the_readme_runs() {
    if Command::new("cc").arg("--version").output().is_err() {
        // Past the capture of the test, so that a log of all tests says it.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: a test of the C interface needs a C compiler\n",
        );
        return;
    }
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(crate_root.join("README.md")).expect("it is there");
    let (_, program) = readme.split_once("```c\n").expect("it has a program");
    let (program, _) = program.split_once("```").expect("which ends");
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (home.join("readme.c"), home.join("readme"));
    fs::write(&source, program).expect("the directory is writable");
    let done = Command::new(env!("CARGO"))
        .current_dir(crate_root)
        .args([
            "rustc",
            "--quiet",
            "--locked",
            "--features",
            "panic-guard",
            "--profile",
            "firmware",
        ])
        .args(["--crate-type", "staticlib", "--target-dir"])
        .arg(target())
        .status();
    assert!(done.is_ok_and(|status| status.success()));
    let done = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(crate_root.join("include"))
        .arg(&source)
        .arg(target().join("firmware/libtvlb_firmware_c.a"))
        .args(["-Wl,--gc-sections", "-o"])
        .arg(&binary)
        .status();
    assert!(done.is_ok_and(|status| status.success()));
    let images = template().join("c-switch/images");
    let run = |switch: &str| {
        let files = [images.join("fabric.tvlb"), images.join(switch)];
        let done = Command::new(&binary).args(files).output().expect("it was just built");
        String::from_utf8(done.stdout).expect("it prints text")
    };
    let routed = run("00003.tvlb");
    let (first, second) = routed.split_once('\n').expect("it prints two lines");
    assert!(first.starts_with("from a node: send by port "), "{routed}");
    assert!(first.ends_with(" on channel 0"), "{routed}");
    assert_eq!(second, "from a link: dropped: unknown kind of header\n");
    assert_eq!(run("missing.tvlb"), "bad switch image\n");
}
