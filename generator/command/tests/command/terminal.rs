//! What depends on who reads: colours for a terminal alone and not against its user's wish, and a
//! reader who has read enough is no error. Manual pages and completions say what `--help` says.

use crate::programs::program;
use crate::scratch::{Run, Scratch, TVLB};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a terminal gets from `tvlb` as standard output and standard error.
fn on_a_terminal(scratch: &Scratch, arguments: &str, adapt: impl FnOnce(&mut Command)) -> String {
    let (mut master, mut child) = start_on_a_terminal(scratch, arguments, adapt);
    let mut shown = Vec::new();
    // The end of a terminal is an error, after all that was written to it.
    let _ = master.read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}

/// A run of `tvlb` on a terminal, whose other end is the file.
fn start_on_a_terminal(
    scratch: &Scratch,
    arguments: &str,
    adapt: impl FnOnce(&mut Command),
) -> (File, Child) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || {
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        File::options().read(true).write(true).open(path).unwrap()
    };
    let mut command = scratch.command(program(arguments.split(' ').next().unwrap()));
    command.args(arguments.split_whitespace()).stdout(open()).stderr(open());
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("CI");
    adapt(&mut command);
    let child = command.spawn().unwrap();
    // Its own ends of the terminal would keep it open.
    drop(command);
    (File::from(master), child)
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

/// What a terminal has shown of a run when its first words are there, how long that took, and the run
/// with the rest once Ctrl-C has ended it.
fn begun_on_a_terminal(scratch: &Scratch, arguments: &str) -> (String, Duration, String) {
    let (mut master, mut child) = start_on_a_terminal(scratch, arguments, |_| ());
    let begin = Instant::now();
    let (mut buffer, mut first) = ([0; 4096], Vec::new());
    // A line may come in pieces.
    while !first.contains(&b'\n') {
        let count = master.read(&mut buffer).unwrap();
        assert!(count > 0, "{arguments}: it ended without a line");
        first.extend_from_slice(&buffer[..count]);
    }
    let took = begin.elapsed();
    let first = String::from_utf8_lossy(&first).into_owned();
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).output();
    assert!(interrupt.unwrap().status.success());
    let mut rest = Vec::new();
    let _ = master.read_to_end(&mut rest);
    child.wait().unwrap();
    (first, took, String::from_utf8_lossy(&rest).into_owned())
}

#[test]
fn long_work_says_at_once_what_it_is() {
    let auto = "name = \"large\"\n[dragonfly]\np = 8\na = 16\nh = 8\ng = 24\n";
    let scratch = Scratch::with_table_set();
    scratch.write("large.toml", auto);
    let choice = "generate large.toml -o large";
    for (arguments, what, kept) in [
        (
            choice.to_owned(),
            "choosing the sets of large by a model of sets of paths and by simulation",
            "--state DIR",
        ),
        (format!("{choice} --state kept"), "choosing the sets of large", "kept keeps"),
        (
            "simulate out --load 0.1:0.9:0.1 --window 200000".to_owned(),
            "simulating 9 runs of 800000 cycles on ",
            "tvlb-lab sweep",
        ),
    ] {
        let (first, took, rest) = begun_on_a_terminal(&scratch, &arguments);
        assert!(first.contains(what), "{arguments}: {first:?}");
        // A second, and some for a machine that has more to do.
        assert!(took < Duration::from_secs(5), "{arguments}: {took:?}");
        assert!(rest.contains("interrupted; ") && rest.contains(kept), "{arguments}: {rest:?}");
    }
}

#[test]
fn a_bar_is_not_full_while_work_goes_on() {
    let scratch = Scratch::with_text("name = \"tiny\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n");
    let shown = on_a_terminal(&scratch, "generate fabric.toml -o out --panel quick", |_| ());
    let parts: Vec<&str> = shown.split(" of about ").collect();
    for pair in parts.windows(2) {
        let done = pair[0].rsplit(' ').next().unwrap().parse::<u32>().unwrap();
        let all = pair[1].split(' ').next().unwrap().parse::<u32>().unwrap();
        assert!(done < all, "{shown:?}");
    }
    assert!(parts.len() > 1, "{shown:?}");
}

/// A search for saturation says the most runs that it may take, and takes no more.
#[test]
fn a_search_for_saturation_has_a_total() {
    let scratch = Scratch::with_table_set();
    let search = "simulate out --saturation --resolution 0.01 --window 100 --warm-up 1 --seeds 1,2";
    let shown = on_a_terminal(&scratch, search, |_| ());
    let parts: Vec<&str> = shown.split(" of at most ").collect();
    assert!(parts.len() > 1, "{shown:?}");
    let mut before = 34;
    for pair in parts.windows(2) {
        let done = pair[0].rsplit(' ').next().unwrap().parse::<u32>().unwrap();
        let most = pair[1].split(' ').next().unwrap().parse::<u32>().unwrap();
        assert!(done <= most && most <= before, "{shown:?}");
        before = most;
    }
    assert!(parts[1].starts_with("34 runs") && before < 34, "{shown:?}");
}

#[test]
fn placing_and_counting_say_at_once_what_they_do() {
    let scratch = Scratch::with_table_set();
    for (arguments, what) in [
        ("place fabric.toml --jobs 4,2", "placing 2 jobs on fabric.toml\r\n"),
        (
            "load fabric.toml --set min --set valg",
            "counting what every link of fabric.toml carries by min, valg\r\n",
        ),
    ] {
        let shown = on_a_terminal(&scratch, arguments, |_| ());
        assert!(shown.starts_with(what), "{arguments}: {shown:?}");
        let quiet = on_a_terminal(&scratch, &format!("{arguments} --quiet"), |_| ());
        assert_eq!(quiet.replace('\r', ""), scratch.succeeds(arguments));
    }
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
    let places = (0..9).map(|group| format!("group {group},{group},0\n"));
    let places = places.collect::<Vec<_>>().concat();
    scratch.write("places.csv", "place,x,y\n".to_owned() + &places);
    for arguments in [
        "--help",
        "generate --help",
        "man generate",
        "completions zsh",
        "cables fabric.toml --places places.csv --list",
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
