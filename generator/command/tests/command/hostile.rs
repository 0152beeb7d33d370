//! Files made to do harm: links that lead elsewhere, pipes and devices, lists of files outside the
//! directory, sizes that ask for all memory, and permissions that are not ours.

use crate::damage::{FABRIC, SWITCH, reseal, with_manifest, with_vouched};
use crate::scratch::{Run, Scratch, TVLB};
use insta::assert_snapshot;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

fn replaced(file: &str, make: impl FnOnce(&std::path::Path)) -> Scratch {
    let scratch = Scratch::with_table_set();
    let path = scratch.path(&format!("out/{file}"));
    fs::rename(&path, scratch.path("elsewhere")).unwrap();
    make(&path);
    scratch
}

fn pipe(path: &std::path::Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What `verify` and, as an error, `inspect` and `diff` say, which must be the same. Files are not
/// compared: reading a pipe would wait.
fn finding(scratch: &Scratch) -> String {
    let run = scratch.tvlb("verify out");
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run}");
    for other in ["inspect out --switch 5", "diff out out"] {
        let other = scratch.tvlb(other);
        assert_eq!((other.code, &other.stderr), (2, &run.stderr), "{other}");
    }
    run.stderr
}

#[test]
fn links_do_not_lead_out_of_a_table_set() {
    let link = |path: &std::path::Path| symlink("../elsewhere", path).unwrap();
    assert_snapshot!(finding(&replaced("manifest.json", link)), @"tvlb: out/manifest.json: cannot read it: found a symbolic link, accepted a regular file");
    assert_snapshot!(finding(&replaced(FABRIC, link)), @"tvlb: out/fabric.tvlb: cannot read it: found a symbolic link, accepted a regular file");
    let link = |path: &std::path::Path| symlink("../../elsewhere", path).unwrap();
    assert_snapshot!(finding(&replaced(SWITCH, link)), @"tvlb: out/switches/00005.tvlb: cannot read it: found a symbolic link, accepted a regular file");
    let link = |path: &std::path::Path| symlink("../elsewhere", path).unwrap();
    assert_snapshot!(finding(&replaced("switches", link)), @"tvlb: out/switches: cannot read it: found a symbolic link, accepted a directory");
}

#[test]
fn a_link_to_a_table_set_is_one() {
    let scratch = Scratch::with_table_set();
    symlink("out", scratch.path("current")).unwrap();
    assert_eq!(scratch.succeeds("verify current"), scratch.succeeds("verify out"));
    assert_snapshot!(scratch.refuses("generate fabric.toml -o current --replace"), @"tvlb: current: exists and is not a table set (it is a symbolic link); give a directory that does not exist yet, an empty one, or a table set with --replace");
}

#[test]
fn pipes_and_devices_are_no_images() {
    assert_snapshot!(finding(&replaced("manifest.json", pipe)), @"tvlb: out/manifest.json: cannot read it: found a named pipe, accepted a regular file");
    assert_snapshot!(finding(&replaced(SWITCH, pipe)), @"tvlb: out/switches/00005.tvlb: cannot read it: found a named pipe, accepted a regular file");
    let zero = |path: &std::path::Path| symlink("/dev/zero", path).unwrap();
    assert_snapshot!(finding(&replaced(FABRIC, zero)), @"tvlb: out/fabric.tvlb: cannot read it: found a symbolic link, accepted a regular file");
}

#[test]
fn devices_are_no_input_and_pipes_only_where_a_command_line_names_them() {
    let scratch = Scratch::with_table_set();
    pipe(&scratch.path("pipe"));
    let refuses = |arguments: &str| {
        let run = scratch.tvlb(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
        run.stderr
    };
    assert_snapshot!(refuses("topology /dev/zero"), @"tvlb: /dev/zero: cannot read it: found a device, accepted a regular file");
    scratch.write(
        "fabric.toml",
        "name = \"x\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 2\ncables = \"pipe\"\n",
    );
    assert_snapshot!(refuses("topology fabric.toml"), @"tvlb: pipe: cannot read it: found a named pipe, accepted a regular file");
    assert_snapshot!(refuses("simulate out --traffic flows:/dev/zero"), @"tvlb: /dev/zero: cannot read it: found a device, accepted a regular file");
    scratch.write("fabric.toml", Scratch::with_shipped("dfly-2-4-2-9.toml").read("fabric.toml"));
    assert_snapshot!(refuses("model fabric.toml --patterns flows:/dev/zero"), @"tvlb: /dev/zero: cannot read it: found a device, accepted a regular file");
    assert_snapshot!(refuses("model fabric.toml --patterns type1-set:1 --set all --state pipe"), @"tvlb: pipe/subject: cannot read or write it: Not a directory (os error 20)");
    // Also if a table set is to be replaced.
    fs::remove_file(scratch.path("out/manifest.json")).unwrap();
    pipe(&scratch.path("out/manifest.json"));
    assert_snapshot!(refuses("generate fabric.toml -o out --replace"), @"tvlb: out: exists and is not a table set (out/manifest.json: cannot read it: found a named pipe, accepted a regular file); give a directory that does not exist yet, an empty one, or a table set with --replace");
}

/// Whatever a command line names may come from another program.
#[test]
fn input_comes_from_pipes() {
    let scratch = Scratch::with_table_set();
    let fabric = String::from_utf8(scratch.read("fabric.toml")).unwrap();
    let plan = include_str!("../../../../tables/machines/year-1.csv");
    let flows = "source-node,destination-node,demand\n0,9,1\n0,20,2\n";
    let piped = |sent: &str, path: &str, command: &str| {
        scratch.write("sent", sent);
        let command = command.replace("FILE", path);
        let script = format!("rm -rf machine; cat sent | \"$0\" {command}");
        Run::of(&scratch.command("bash").args(["-c", &script, TVLB]).output().unwrap())
    };
    for (sent, command) in [
        (fabric.as_str(), "topology FILE"),
        (&fabric, "load FILE"),
        (&fabric, "verify out --fabric FILE"),
        (flows, "load fabric.toml --traffic flows:FILE"),
        (flows, "model fabric.toml -q --set all --patterns flows:FILE"),
        (flows, "simulate out -q --load 0.1 --window 50 --warm-up 1 --traffic flows:FILE"),
        (plan, "import slingshot FILE -o machine"),
    ] {
        let whole = piped(sent, "sent", command);
        assert_eq!(whole.code, 0, "{command}: {whole}");
        for path in ["-", "/dev/stdin", "<(cat sent)"] {
            let path = if command.contains(":FILE") && path == "<(cat sent)" { "-" } else { path };
            let run = piped(sent, path, command);
            assert_eq!(run.code, 0, "{command}: {run}");
            if !command.contains(":FILE") {
                let of_file = run.stdout.replace("/dev/stdin", "sent").replace("-:", "sent:");
                assert_eq!(of_file, whole.stdout, "{command} {path}");
            }
        }
    }
    let twice = piped(&fabric, "-", "load FILE --faults FILE");
    let said = "tvlb: -: cannot read it: the standard input was read already, accepted for one file of a command line\n";
    assert_eq!((twice.code, twice.stderr.as_str()), (2, said));
}

/// What is dead and what is live may come from another program.
#[test]
fn lists_come_from_pipes() {
    let scratch = Scratch::with_table_set();
    let piped = |sent: &str, command: &str| {
        scratch.write("sent", sent);
        let script = format!("cat sent | \"$0\" {command}");
        Run::of(&scratch.command("bash").args(["-c", &script, TVLB]).output().unwrap())
    };
    let update = |name: &str| scratch.read(&format!("{name}/faults.txt"));
    scratch.write("dead.txt", "switch (0,0)\n");
    scratch.tvlb("faults out --faults dead.txt -o from-file -q");
    let list = "switch (0,0)\n";
    for (number, path) in ["-", "/dev/stdin", "<(cat sent)"].iter().enumerate() {
        let run = piped(list, &format!("faults out --faults {path} -o update-{number} -q"));
        assert_eq!(run.stderr, "", "{path}");
        assert_eq!(update(&format!("update-{number}")), update("from-file"), "{path}");
    }
    let refused = piped("no part\n", "faults out --faults - -o other -q");
    assert!(refused.stderr.starts_with("tvlb: -: line 1: "), "{refused}");
    let refused = piped("no link\n", "faults out --live - -o other -q");
    assert!(refused.code == 2 && refused.stderr.starts_with("tvlb: -: "), "{refused}");
    let too_long = "head -c 3000000000 /dev/zero | \"$0\" faults out --faults - -o other -q";
    let run = scratch.command("bash").args(["-c", too_long, TVLB]).output().unwrap();
    let refused = Run::of(&run);
    assert!(refused.stderr.contains(" bytes, accepted at most "), "{refused}");
}

#[test]
fn a_manifest_lists_files_of_a_table_set_only() {
    let listed = |name: &str| {
        let scratch = with_manifest(|text| text.replace("switches/00005.tvlb", name));
        finding(&scratch)
    };
    assert_snapshot!(listed("../../etc/passwd"), @r#"tvlb: out/manifest.json: files[6].path is "../../etc/passwd", accepted "fabric.tvlb" or "switches/00000.tvlb" and the like"#);
    assert_snapshot!(listed("/etc/passwd"), @r#"tvlb: out/manifest.json: files[6].path is "/etc/passwd", accepted "fabric.tvlb" or "switches/00000.tvlb" and the like"#);
    assert_snapshot!(listed("switches/../fabric.tvlb"), @r#"tvlb: out/manifest.json: files[6].path is "switches/../fabric.tvlb", accepted "fabric.tvlb" or "switches/00000.tvlb" and the like"#);
    assert_snapshot!(listed("switches/5.tvlb"), @r#"tvlb: out/manifest.json: files[6].path is "switches/5.tvlb", accepted "fabric.tvlb" or "switches/00000.tvlb" and the like"#);
    assert_snapshot!(listed("switches/65536.tvlb"), @r#"tvlb: out/manifest.json: files[6].path is "switches/65536.tvlb", accepted "fabric.tvlb" or "switches/00000.tvlb" and the like"#);
}

/// Makes a file this long without a byte on the disk.
fn lengthen(scratch: &Scratch, file: &str, length: u64) {
    File::options().write(true).open(scratch.path(file)).unwrap().set_len(length).unwrap();
}

/// Runs `tvlb` where it may take up half a gigabyte of addresses, which the program itself and its
/// threads need a good part of.
fn with_little_memory(scratch: &Scratch, arguments: &str) -> Run {
    let script = format!("ulimit -v 500000; exec \"$0\" {arguments}");
    Run::of(&scratch.command("sh").args(["-c", &script, TVLB]).output().unwrap())
}

#[test]
fn huge_files_take_up_no_memory() {
    let scratch = Scratch::with_table_set();
    let says = |arguments: &str| with_little_memory(&scratch, arguments).to_string();
    assert!(says("verify out --threads 2").ends_with("exit code 0"));
    lengthen(&scratch, "out/manifest.json", 1 << 40);
    assert_snapshot!(says("verify out --threads 2"), @"
    tvlb: out/manifest.json: cannot read it: found 1099511627776 bytes, accepted at most 33554432
    exit code 1
    ");
    let scratch = Scratch::with_table_set();
    let says = |arguments: &str| with_little_memory(&scratch, arguments).to_string();
    lengthen(&scratch, "out/fabric.tvlb", 1 << 40);
    assert_snapshot!(says("inspect out"), @"
    tvlb: out/fabric.tvlb: found 1099511627776 bytes, but the manifest says 102; it is damaged or of another table set
    exit code 2
    ");
    lengthen(&scratch, "fabric.toml", 1 << 40);
    assert_snapshot!(says("topology fabric.toml"), @"
    tvlb: fabric.toml: cannot read it: found 1099511627776 bytes, accepted at most 1048576
    exit code 2
    ");
}

#[test]
fn a_manifest_cannot_ask_for_all_memory() {
    let bytes = |from: &str, to: &str| {
        with_manifest(|text| {
            text.replace(&format!("\"bytes\": {from}"), &format!("\"bytes\": {to}"))
        })
    };
    let scratch = bytes("101", "99999999999");
    lengthen(&scratch, "out/fabric.tvlb", 99_999_999_999);
    assert_snapshot!(with_little_memory(&scratch, "verify out"), @"
    tvlb: out/fabric.tvlb: found 99999999999 bytes, but the manifest says 102; it is damaged or of another table set
    exit code 1
    ");
    assert_snapshot!(finding(&bytes("157", "1048577")), @"tvlb: out/manifest.json: files[2].bytes is 1048577, accepted at most 1048576");
    // Each below its limit, and too many of them: many entries, as no directory needs.
    let scratch = with_manifest(|text| {
        let (head, _) = text.split_once("\"files\": [").unwrap();
        let entry = |number: u32| {
            let name = format!("switches/{:05}.tvlb", number % 60_000);
            format!("{{\"path\": \"{name}\", \"bytes\": 1048576, \"sha256\": \"\"}}")
        };
        let entries: Vec<String> = (0..100_000).map(entry).collect();
        format!("{head}\"files\": [{}]\n}}\n", entries.join(","))
    });
    assert_snapshot!(with_little_memory(&scratch, "verify out"), @"
    tvlb: out/manifest.json: the sum of files[0].bytes to files[1280].bytes is 1343225856, accepted at most 1342177280
    exit code 1
    ");
}

#[test]
fn a_fabric_image_cannot_ask_for_all_memory() {
    // 65 536 switches, none of which has a cable: the image itself is a megabyte and a half.
    let df = tvlb_schema::Dragonfly::new(1, 256, 16, 256).unwrap();
    let image = tvlb_schema::encode_fabric_image(&df, &[]);
    let scratch = with_vouched(FABRIC, |bytes| *bytes = image);
    assert_snapshot!(with_little_memory(&scratch, "verify out"), @"
    tvlb: out/switches/00036.tvlb: the manifest lists 37 files, but not this one; regenerate the table set
    exit code 1
    ");
}

/// Makes `tvlb` commands that permissions apply to, also where the tests run as root; nothing where
/// that cannot be done.
fn without_privileges(scratch: &Scratch, arguments: &str) -> Option<Run> {
    let is_root = File::open(scratch.path("out/secret")).is_ok();
    let mut command = if is_root {
        let mut command = scratch.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", TVLB]);
        command
    } else {
        scratch.command(TVLB)
    };
    let output = command.args(arguments.split_whitespace()).output().ok()?;
    Some(Run::of(&output))
}

#[test]
fn what_may_not_be_read_is_an_error_and_no_finding() {
    for (file, mode) in [("out/fabric.tvlb", 0o000), ("out/manifest.json", 0o200)] {
        let scratch = Scratch::with_table_set();
        let set = |name: &str, mode| {
            fs::set_permissions(scratch.path(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        scratch.write("out/secret", "");
        set("out/secret", 0o000);
        set(".", 0o755);
        set(file, mode);
        let Some(run) = without_privileges(&scratch, "verify out") else { return };
        let expected = format!("tvlb: {file}: cannot read it: Permission denied (os error 13)\n");
        assert_eq!((run.code, run.stderr), (2, expected));
    }
}

#[test]
fn the_report_is_a_file_of_these_tables() {
    let finding = |make: &dyn Fn(&Scratch, &std::path::Path)| {
        let scratch = Scratch::with_table_set();
        let path = scratch.path("out/report.html");
        fs::rename(&path, scratch.path("elsewhere")).unwrap();
        make(&scratch, &path);
        let run = scratch.tvlb("verify out");
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run}");
        run.stderr
    };
    assert_snapshot!(finding(&|_, _| ()), @"tvlb: out/report.html: cannot read it: No such file or directory (os error 2)");
    assert_snapshot!(finding(&|_, path| symlink("../elsewhere", path).unwrap()), @"tvlb: out/report.html: cannot read it: found a symbolic link, accepted a regular file");
    assert_snapshot!(finding(&|_, path| pipe(path)), @"tvlb: out/report.html: cannot read it: found a named pipe, accepted a regular file");
    assert_snapshot!(finding(&|_, path| {
        fs::create_dir(path).unwrap();
        fs::write(path.join("file"), "").unwrap();
    }), @"tvlb: out/report.html: cannot read it: Is a directory (os error 21)");
    assert_snapshot!(finding(&|_, path| fs::write(path, "<script>alert(1)</script>").unwrap()), @"tvlb: out/report.html: it does not end as the report of a table set does; generate the table set again");
    // Whole, and with a script put in; and of another manifest.
    assert_snapshot!(finding(&|scratch, path| {
        let report = String::from_utf8(scratch.read("elsewhere")).unwrap();
        fs::write(path, report.replace("<h1>", "<script>alert(1)</script><h1>")).unwrap();
    }), @"tvlb: out/report.html: its SHA-256 is another than its last line says; it is damaged; generate the table set again");
    assert_snapshot!(finding(&|scratch, path| {
        fs::rename(scratch.path("elsewhere"), path).unwrap();
        let manifest = [&scratch.read("out/manifest.json")[..], b"\n"].concat();
        scratch.write("out/manifest.json", manifest);
    }), @"tvlb: out/report.html: it is the report of another manifest.json; generate the table set again");
    let scratch = Scratch::with_table_set();
    lengthen(&scratch, "out/report.html", 1 << 40);
    assert_snapshot!(with_little_memory(&scratch, "verify out --threads 2"), @r#"
    tvlb: out/report.html: cannot read it: found 1099511627776 bytes, accepted at most 67108864
    exit code 1
    "#);
}

#[test]
fn no_text_of_a_manifest_tells_the_terminal_what_to_do() {
    let says = |from: &str, to: &str| {
        let scratch = with_manifest(|text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let mut said = String::new();
        for command in ["verify out", "inspect out", "diff out out"] {
            let run = scratch.tvlb(command);
            assert_ne!(run.code, 0, "{run}");
            assert_eq!(run.stdout, "");
            let is_plain = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
            assert!(run.stderr.chars().all(is_plain), "{:?}", run.stderr);
            said = run.stderr;
        }
        said
    };
    let name = "x\\u001b]0;PWNED\\u0007\\u001b[2J\\n verified";
    assert_snapshot!(says("\"dfly-2-4-2-9\"", &format!("\"{name}\"")), @r#"tvlb: out/manifest.json: fabric.name is "x\u{1b}]0;PWNED\u{7}\u{1b}[2J\n verified", accepted 1 to 64 of A-Z a-z 0-9 . _ -"#);
    assert_snapshot!(says("\"dfly-2-4-2-9\"", "\"x\u{9b}2J\u{202e}\""), @r#"tvlb: out/manifest.json: fabric.name is "x\u{9b}2J\u{202e}", accepted 1 to 64 of A-Z a-z 0-9 . _ -"#);
    assert_snapshot!(says("\"absolute\"", "\"\\u001babsolute\""), @r#"tvlb: out/manifest.json: fabric.wiring is "\u{1b}absolute", accepted 1 to 64 of A-Z a-z 0-9 -"#);
    assert_snapshot!(says("\"tool-version\": \"", "\"tool-version\": \"\\u0007"), @r#"tvlb: out/manifest.json: tool-version is "\u{7}0.2.0", accepted 1 to 64 of A-Z a-z 0-9 . + -"#);
    assert_snapshot!(says("\"ordered\"", "\"\\u001b[2J\""), @r#"tvlb: out/manifest.json: virtual-channels is "\u{1b}[2J", accepted 1 to 64 of A-Z a-z 0-9 -"#);
    assert_snapshot!(says("strategic-2-3 by shape", "\\u001b[2J"), @r#"tvlb: out/manifest.json: sets.ugal-l.set is "\u{1b}[2J", accepted printable ASCII characters"#);
    assert_snapshot!(says("\"sha256\": \"", "\"sha256\": \"\\u001b"), @r#"tvlb: out/manifest.json: files[0].sha256 is "\u{1b}53417cb55ec7dbb799b1959a26e877eec14e708891f3b54e61cc21fab2c3610…", accepted 64 hexadecimal digits in lower case"#);
    assert_snapshot!(says("\"name\"", "\"na\\u001b\\u0007me\""), @r"tvlb: out/manifest.json:5:22: not a manifest of a table set: unknown field `na\u{1b}\u{7}me`, expected one of `name`, `p`, `a`, `h`, `g`, `kinds`, `wiring`, `cables`, `seed`, `local-latency`, `global-latency`, `bandwidths`, `buffer`, `destination-window`, `injection`, `telling`");
}

#[test]
fn a_directory_that_is_swapped_for_a_link_is_read_no_further_than_it_was() {
    let scratch = Scratch::with_table_set();
    let set = tvlb_table_set::TableSet::open(&scratch.path("out")).unwrap();
    let image = set.switch_image(tvlb_schema::SwitchId(5)).unwrap();
    fs::rename(scratch.path("out/switches"), scratch.path("moved")).unwrap();
    fs::create_dir(scratch.path("elsewhere")).unwrap();
    symlink("../elsewhere", scratch.path("out/switches")).unwrap();
    assert_eq!(set.switch_image(tvlb_schema::SwitchId(5)).unwrap(), image);
    // The whole directory, too.
    fs::rename(scratch.path("out"), scratch.path("old")).unwrap();
    symlink("elsewhere", scratch.path("out")).unwrap();
    assert!(set.fabric_image().is_ok());
}

/// The table set of dfly(1, 32, 32, 1025) with 47 cables, all from group 0 to others: most groups
/// have no cable, and VLB walks are a few more than are walked by default.
fn sparse(scratch: &Scratch) {
    use tvlb_schema::{
        Dragonfly, End, FabricImage, GlobalPort, GroupId, PerDecision, SetContents, SetRule,
        ShapeSet, SwitchContents, SwitchId, VcScheme, encode_fabric_image, encode_switch_image,
    };
    let df = Dragonfly::new(1, 32, 32, 1025).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let cables: Vec<_> = (1..48).map(|group| (end(0, group), end(group, 0))).collect();
    let fabric = encode_fabric_image(&df, &cables);
    let image = FabricImage::decode(&fabric).unwrap();
    let rule = SetRule::whole(ShapeSet::ALL);
    let mut manifest: tvlb_table_set::Manifest =
        serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    let entry = |path: &str, bytes: &[u8]| tvlb_table_set::FileEntry::of(path.to_owned(), bytes);
    fs::remove_dir_all(scratch.path("out/switches")).unwrap();
    fs::create_dir(scratch.path("out/switches")).unwrap();
    scratch.write("out/fabric.tvlb", &fabric);
    manifest.files = vec![entry(FABRIC, &fabric)];
    for switch in df.switches() {
        let contents = SwitchContents {
            switch,
            virtual_channels: VcScheme::Ordered,
            decisions: PerDecision::same((0, tvlb_schema::Weighing::default())),
            second_min: tvlb_schema::MinCandidate::Kept,
            sets: vec![SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() }],
            physical_numbers: Vec::new(),
        };
        let bytes = encode_switch_image(&image, &contents);
        let path = tvlb_table_set::switch_file(SwitchId(switch.0));
        scratch.write(&format!("out/{path}"), &bytes);
        manifest.files.push(entry(&path, &bytes));
    }
    let said = &mut manifest.fabric;
    (said.p, said.a, said.h, said.g, said.cables) = (1, 32, 32, 1025, 47);
    manifest.fabric_identity = format!("{:016x}", image.identity());
    for entry in
        [&mut manifest.sets.ugal_l, &mut manifest.sets.par_source, &mut manifest.sets.par_second]
    {
        "all".clone_into(&mut entry.set);
        entry.seed = rule.seed;
        entry.pairs = 32_800 * 32_768;
    }
    scratch.write("out/manifest.json", manifest.to_json());
    reseal(scratch);
}

#[test]
fn a_sparse_fabric_of_32_800_switches_takes_little_memory() {
    let scratch = Scratch::with_table_set();
    sparse(&scratch);
    assert_snapshot!(with_little_memory(&scratch, "verify out --threads 2"), @"
    tvlb: no path leads from switch 0 to switch 1536
    exit code 1
    ");
}
