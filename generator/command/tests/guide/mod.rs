//! The pages with blocks of the language `console`: every command of these blocks is run, in its order, and prints
//! what stands there. The programs that other pages show run on the tables that the guide makes (`pages.rs`).
//!
//! `UPDATE_GUIDE=1` writes what is printed into the documents instead.

mod pages;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A fenced block: its language and its lines.
struct Block {
    language: String,
    text: String,
}

/// A document, cut at its fenced blocks: text before each, the block, and the text after the last.
fn cut(document: &str) -> (Vec<(String, Block)>, String) {
    let (mut blocks, mut before) = (Vec::new(), String::new());
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            before.push_str(line);
            before.push('\n');
            continue;
        };
        let within: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = within.join("\n") + if within.is_empty() { "" } else { "\n" };
        let block = Block { language: language.to_owned(), text };
        blocks.push((std::mem::take(&mut before), block));
    }
    (blocks, before)
}

/// Times differ from run to run: "in 1.23 s" becomes "in … s".
fn without_times(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let timed = line.rsplit_once(" in ").filter(|(_, rest)| {
            rest.strip_suffix(" s").is_some_and(|number| number.parse::<f64>().is_ok())
        });
        let line = timed.map_or(line.to_owned(), |(before, _)| format!("{before} in … s"));
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs one command as a shell would, in `home`; those of cargo in the repository, where a reader
/// stands too. Gives what it prints, and a last line if it fails.
fn run(command: &str, home: &Path) -> String {
    let tvlb = Path::new(env!("CARGO_BIN_EXE_tvlb")).parent().unwrap().to_owned();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned();
    let path = env::join_paths(
        std::iter::once(tvlb).chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let mut command = command.replace("$PWD", home.to_str().unwrap());
    // With the tests of all crates cargo has built the example already, and would build it and all below it
    // once more for one crate alone, whose dependencies have other features.
    let example = target.join("debug/examples/one_switch");
    if let Some((_, arguments)) = command.split_once("--example one_switch -- ")
        && example.is_file()
    {
        command = format!("{} {arguments}", example.display());
    }
    let is_cargo = command.starts_with("cargo ");
    let done = Command::new("sh")
        .args(["-c", &command])
        .current_dir(if is_cargo { repository() } else { home.to_owned() })
        .env("PATH", path.unwrap())
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    let mut text = String::from_utf8(done.stdout).unwrap();
    // If a command succeeds it says there how far it was, if it took long.
    if !done.status.success() {
        text.push_str(&String::from_utf8(done.stderr).unwrap());
        let _ = writeln!(text, "(exit code {})", done.status.code().unwrap_or(-1));
    }
    without_times(&text)
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// What stands in the place of a block: what its commands print, or itself.
fn found(language: &str, text: &str, home: &Path) -> String {
    if language == "toml" {
        // A fabric file is named as the fabric.
        let name = text.strip_prefix("name = \"").and_then(|rest| rest.split('"').next());
        if let Some(name) = name {
            fs::write(home.join(format!("{name}.toml")), text).unwrap();
        }
    }
    if language != "console" {
        return text.to_owned();
    }
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(!commands.is_empty(), "a block without a command: {text}");
    if commands.iter().any(|command| command.starts_with("cc ")) && !has("cc") {
        // Past the capture of the test, so that a log of all tests says it.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: the program in C of the guide needs a C compiler\n",
        );
        return text.to_owned();
    }
    let run = |command: &&str| format!("$ {command}\n{}", run(command, home));
    commands.iter().map(run).collect::<Vec<_>>().concat()
}

/// Runs a document, and gives the directory in which it ran.
fn check(document: &str) -> tempfile::TempDir {
    let path = repository().join(document);
    let written = fs::read_to_string(&path).unwrap();
    let home = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    for (name, to) in [
        ("firmware-model", repository().join("firmware-model")),
        ("tables", repository().join("tables")),
        ("target", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()),
    ] {
        std::os::unix::fs::symlink(to, home.path().join(name)).unwrap();
    }
    let (blocks, rest) = cut(&written);
    let mut again = String::new();
    for (before, Block { language, text }) in &blocks {
        again.push_str(before);
        let found = found(language, text, home.path());
        let _ = writeln!(again, "```{language}\n{found}```");
    }
    again.push_str(&rest);
    if env::var_os("UPDATE_GUIDE").is_some() {
        fs::write(path, again).unwrap();
    } else {
        assert_eq!(again, written, "UPDATE_GUIDE=1 writes what is printed into {document}");
    }
    home
}

#[test]
fn every_command_of_the_guide_prints_what_stands_there() {
    let home = check("docs/guide.md");
    // As `generate` chooses them by default, but for the size of the panel.
    pages::run(home.path());
}

#[test]
fn every_command_of_the_page_on_growth_prints_what_stands_there() {
    check("docs/machine-grows.md");
}

#[test]
fn every_command_of_the_page_on_installing_prints_what_stands_there() {
    if has("python3") {
        check("docs/installing.md");
    }
}

#[test]
fn every_command_of_the_page_on_next_hops_prints_what_stands_there() {
    check("docs/reference/next-hops.md");
}

#[test]
fn every_command_of_the_page_on_cables_prints_what_stands_there() {
    check("docs/reference/cables.md");
}

#[test]
fn every_command_of_the_page_on_co_simulation_prints_what_stands_there() {
    check("docs/reference/co-simulation.md");
}

#[test]
fn every_command_of_the_page_on_studies_prints_what_stands_there() {
    check("docs/reference/sweep.md");
}

#[test]
fn every_command_of_the_page_on_booksim_prints_what_stands_there() {
    check("docs/measurements/booksim.md");
}

/// The first picture of a report as a file of its own: with the styles of the page.
fn first_picture(report: &str) -> String {
    let between = |start: &str, end: &str| {
        let (_, rest) = report.split_once(start).unwrap();
        format!("{start}{}{end}", rest.split_once(end).unwrap().0)
    };
    let picture = between("<svg", "</svg>");
    let (opening, rest) = picture.split_once('>').unwrap();
    format!("{opening}>\n{}{rest}\n", between("<style>", "</style>"))
}

#[test]
fn every_command_and_the_picture_of_the_readme_are_what_is_made() {
    let home = check("README.md");
    let report = fs::read_to_string(home.path().join("out/report.html")).unwrap();
    let (path, picture) = (repository().join("docs/pictures/shapes.svg"), first_picture(&report));
    if env::var_os("UPDATE_GUIDE").is_some() {
        fs::write(path, picture).unwrap();
    } else {
        let written = fs::read_to_string(path).unwrap();
        assert!(written == picture, "UPDATE_GUIDE=1 writes docs/pictures/shapes.svg");
    }
}
