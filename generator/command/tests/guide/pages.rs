//! The programs that pages other than the guide show, and those of the templates, on tables that `generate` has chosen.

use super::{has, repository};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The names that the programs in Rust take for granted, before them. Their links have PAR's channels.
const BEFORE: &str = "\
use tvlb_firmware_model::{rand_core::SeedableRng as _, schema::FabricImage as _Fabric};
#[allow(unused)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let images = [std::fs::read(&files[0])?, std::fs::read(&files[1])?];
    let [fabric_image, switch_image] = [&images[0][..], &images[1][..]];
    let channels = tvlb_firmware_model::Channels { local: 5, global: 4 };
    let counters = &[0_u32; 7 * 5][..];
    let credits = &tvlb_firmware_model::ByChannel { counters, channels: 5 };
    let mut rng = tvlb_firmware_model::DefaultRng::seed_from_u64(1);
    // To node 40 on switch 20, on the way to the port by which it leaves its group.
    let bits = 20_u64 << 48 | 6 << 28 | 1 << 5;
    let (node, header) = (tvlb_firmware_model::schema::NodeId(40), tvlb_firmware_model::Header::from_bits(bits));
";

/// The first block of a language in a page.
fn block(page: &str, language: &str) -> String {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let (blocks, _) = super::cut(&text);
    blocks.into_iter().find(|(_, block)| block.language == language).unwrap().1.text
}

/// What the rustdoc of the crate shows first, with the lines that are hidden there. Its images are those of `BEFORE`.
fn of_rustdoc() -> String {
    let text = fs::read_to_string(repository().join("firmware-model/src/lib.rs")).unwrap();
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//!")).collect();
    // The first fence of these ends the block in TOML.
    let program = lines.split(|line| *line == " ```").nth(2).unwrap();
    let mut shown = String::new();
    for line in program {
        let _ = writeln!(shown, "{}", line.trim_start().trim_start_matches("# "));
    }
    let (program, _) = shown.split_once("let golden").unwrap();
    let call = "run(fabric_image, switch_image, counters, &mut rng, header)?;\nOk(())\n}\n";
    format!("{BEFORE}{program}{call}")
}

/// Runs a command to its end, which is to be a good one, and gives what it prints.
fn done(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {told}");
    String::from_utf8(done.stdout).unwrap()
}

/// A copy of a project of the template, with the tables that lie in `home`, that knows where tvlb is.
fn copy_of(project: &str, home: &Path) -> PathBuf {
    let (from, to) =
        (repository().join("firmware-model/template").join(project), home.join(project));
    done(Command::new("cp").arg("-R").arg(&from).arg(&to));
    for (name, table) in [
        ("fabric.tvlb", "fabric.tvlb"),
        ("00003.tvlb", "switches/00003.tvlb"),
        ("00004.tvlb", "switches/00004.tvlb"),
    ] {
        fs::copy(home.join("out").join(table), to.join("images").join(name)).unwrap();
    }
    to
}

/// One line for each packet that sets out, and some of the second switch.
fn assert_routed(told: &str) {
    let count = |start: &str| told.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("switch 3: ") - count("switch 3: updated "), 11, "{told}");
    assert!(told.contains("send by port "), "{told}");
}

/// Runs all of them on the tables in `out`, of dfly(2, 4, 2, 9).
pub(super) fn run(home: &Path) {
    if cfg!(unix) {
        in_rust(home);
    }
    if has("cc") && has("make") && cfg!(target_os = "linux") {
        in_c(home);
    }
}

fn in_rust(home: &Path) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let project = copy_of("rust-switch", home);
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let crate_root = repository().join("firmware-model");
    fs::write(&manifest, text.replace("../..", crate_root.to_str().unwrap())).unwrap();
    let wrapped = |page| format!("{BEFORE}{}Ok(())\n}}\n", block(page, "rust"));
    fs::create_dir(project.join("src/bin")).unwrap();
    let run = |program: &str| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&project).args(["run", "--quiet", "--offline", "--locked", "--bin"]);
        cargo.arg(program).arg("--target-dir").arg(target.join("pages"));
        cargo
    };
    for (name, program) in [
        ("readme", wrapped("README.md")),
        (
            "firmware",
            format!(
                "use tvlb_firmware_model::{{Scheme, Channels, Switch, VlbPaths, schema::FabricImage}};\n{}",
                wrapped("firmware-model/README.md")
            ),
        ),
        ("rustdoc", of_rustdoc()),
    ] {
        fs::write(project.join(format!("src/bin/{name}.rs")), program).unwrap();
        let mut cargo = run(name);
        cargo.arg("--");
        done(cargo.arg(home.join("out/fabric.tvlb")).arg(home.join("out/switches/00003.tvlb")));
    }
    assert_routed(&done(&mut run("rust-switch")));
}

/// The guide has built the library.
fn in_c(home: &Path) {
    let (repository, project) = (repository(), copy_of("c-switch", home));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut make = Command::new("make");
    make.current_dir(&project).args(["--silent", "run"]).env("CARGO_TARGET_DIR", target);
    assert_routed(&done(make.arg(format!("TVLB={}", repository.display()))));

    let (include, library) =
        (repository.join("firmware-model/c/include"), target.join("firmware/libtvlb_firmware_c.a"));
    let source = home.join("readme.c");
    fs::write(&source, block("firmware-model/c/README.md", "c")).unwrap();
    let compile = |program: &str| {
        let mut cc = Command::new("cc");
        cc.current_dir(home).arg("-I").arg(&include).args(["-Wl,--gc-sections", "-o", program]);
        cc
    };
    done(compile("readme").arg(&source).arg(&library));
    let images = ["out/fabric.tvlb", "out/switches/00003.tvlb"];
    let told = done(Command::new(home.join("readme")).current_dir(home).args(images));
    assert!(told.starts_with("from a node: send by port "), "{told}");

    if cfg!(target_arch = "x86_64") {
        // The images are found by their names there, ours before those of the repository.
        for number in [3, 4] {
            let to = home.join(format!("switch-0000{number}.tvlb"));
            fs::copy(home.join(format!("out/switches/0000{number}.tvlb")), to).unwrap();
        }
        let example = repository.join("firmware-model/c/example");
        let images = repository.join("firmware-model/bare-metal/images");
        let flags = ["-ffreestanding", "-nostdlib", "-static", "-Os", "-fno-stack-protector"];
        let mut cc = compile("route");
        cc.args(flags).arg("-fno-tree-loop-distribute-patterns");
        cc.arg(format!("-Wa,-I{}", home.join("out").display()));
        cc.arg(format!("-Wa,-I{}", home.display())).arg(format!("-Wa,-I{}", images.display()));
        done(cc.arg(example.join("route.c")).arg(example.join("start.c")).arg(&library));
        assert_routed(&done(&mut Command::new(home.join("route"))));
    }
}
