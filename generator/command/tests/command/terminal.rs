//! What depends on who reads: colours for a terminal alone and not against its user's wish, and a
//! reader who has read enough is no error. Manual pages and completions say what `--help` says.

use crate::scratch::{Run, Scratch, TVLB};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

/// What a terminal gets from `tvlb` as standard output and standard error.
fn on_a_terminal(scratch: &Scratch, arguments: &str, adapt: impl FnOnce(&mut Command)) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || {
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        File::options().read(true).write(true).open(path).unwrap()
    };
    let mut command = scratch.command(TVLB);
    command.args(arguments.split_whitespace()).stdout(open()).stderr(open());
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("CI");
    adapt(&mut command);
    let mut child = command.spawn().unwrap();
    // Its own ends of the terminal would keep it open.
    drop(command);
    let mut shown = Vec::new();
    // The end of a terminal is an error, after all that was written to it.
    let _ = File::from(master).read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}

/// Whether a text switches a colour or another rendition on: `ESC [ … m`.
fn is_coloured(text: &str) -> bool {
    text.split("\u{1b}[").skip(1).any(|rest| {
        rest.find(|letter: char| letter.is_ascii_alphabetic())
            .is_some_and(|end| rest[end..].starts_with('m'))
    })
}

#[test]
fn colours_are_for_a_terminal_that_wants_them() {
    let scratch = Scratch::with_table_set();
    for arguments in ["--help", "polish", "verify out", "generate fabric.toml -o out --replace"] {
        let plain = scratch.tvlb(arguments);
        assert!(!is_coloured(&plain.stdout) && !is_coloured(&plain.stderr), "{arguments}");
        for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let shown = on_a_terminal(&scratch, arguments, |command| {
                command.env(name, value);
            });
            assert!(!is_coloured(&shown), "{name} tvlb {arguments}: {shown:?}");
            assert!(!shown.is_empty());
        }
    }
    assert!(is_coloured(&on_a_terminal(&scratch, "--help", |_| ())), "this test sees no colours");
    assert!(is_coloured(&on_a_terminal(&scratch, "polish", |_| ())));
}

#[test]
fn quiet_is_quiet_on_a_terminal_too() {
    let scratch = Scratch::with_table_set();
    for arguments in ["verify out --quiet", "diff out out --quiet"] {
        assert_eq!(on_a_terminal(&scratch, arguments, |_| ()), "");
        assert_eq!(scratch.succeeds(arguments), "");
    }
}

#[test]
fn a_reader_who_has_read_enough_is_no_error() {
    let scratch = Scratch::with_table_set();
    for arguments in [
        "--help",
        "generate --help",
        "man generate",
        "completions zsh",
        "cables -a 4 -H 3 -g 6 --links 2",
        "topology fabric.toml",
        "paths fabric.toml --from 0 --to 5 --list",
        "inspect out --from 0 --to 5 --list",
        "verify out",
        "verify out --json",
        "diff out out",
        "generate fabric.toml -o other --json",
        "generate fabric.toml --check out",
        "simulate out --load 0.1 --warm-up 1 --window 100 --quiet",
    ] {
        let mut command = scratch.command(TVLB);
        command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let run = Run::of(&child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "tvlb {arguments}");
    }
}

#[test]
fn manual_pages_name_every_option() {
    let scratch = Scratch::new();
    let whole = scratch.succeeds("man");
    assert!(whole.contains(".TH tvlb 1"), "{}", &whole[..200]);
    for command in ["generate", "inspect", "topology", "cables", "paths", "model", "simulate"]
        .into_iter()
        .chain(["verify", "diff", "man", "completions"])
    {
        assert!(whole.contains(&format!("tvlb\\-{command}(1)")), "{command}");
        let page = scratch.succeeds(&format!("man {command}"));
        assert!(page.contains(&format!(".TH tvlb-{command} 1")), "{}", &page[..200]);
        for word in scratch.succeeds(&format!("{command} --help")).split_whitespace() {
            let name = word.trim_matches(|letter: char| !letter.is_ascii_lowercase());
            if word.starts_with("--") && !name.is_empty() {
                let name = name.replace('-', "\\-");
                assert!(page.contains(&name), "man {command} does not have {word}");
            }
        }
    }
    let run = scratch.tvlb("man polish");
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("tvlb: polish: no such command; there are generate, "), "{run}");
}

#[test]
fn completions_for_every_shell() {
    let scratch = Scratch::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = scratch.succeeds(&format!("completions {shell}"));
        for word in ["verify", "diff", "most-walks"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    scratch.write("tvlb.bash", scratch.succeeds("completions bash"));
    let read = scratch.command("bash").args(["-n", "tvlb.bash"]).output();
    if let Ok(read) = read {
        assert!(read.status.success(), "{}", Run::of(&read));
    }
}
