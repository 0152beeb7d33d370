//! The guide's program, compiled with the sanitisers of addresses and of undefined behaviour: it
//! stays within its memory on switches of any fabric, and says what it cannot do.
#![cfg(not(miri))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};
use tvlb_schema::{
    Dragonfly, End, FabricImage, GlobalPort, GroupId, PerDecision, SetContents, SetRule, ShapeSet,
    SwitchContents, SwitchId, VcScheme, Weighing, encode_fabric_image, encode_switch_image,
};

/// A directory of this test's own.
fn home() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example");
    fs::create_dir_all(&home).expect("cargo gives tests a directory to write in");
    home
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The compiled example; `None` where the compiler lacks the sanitisers.
fn compiled(home: &Path) -> Option<PathBuf> {
    let cc = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let sanitise = "-fsanitize=address,undefined";
    let empty = home.join("empty.c");
    fs::write(&empty, "int main(void) { return 0; }\n").expect("the directory is writable");
    let trial = Command::new(&cc)
        .args([sanitise, "-o"])
        .args([home.join("empty"), empty])
        .output()
        .is_ok_and(|done| done.status.success());
    let starts = trial && Command::new(home.join("empty")).status().is_ok_and(|s| s.success());
    if !starts {
        // Past the capture of the test, so that a log of all tests says it.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: the C compiler {cc} has no {sanitise}\n").as_bytes(),
        );
        return None;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is within target");
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = run(Command::new(env!("CARGO"))
        .current_dir(crate_root)
        .args(["rustc", "--quiet", "--locked", "--features", "panic-guard"])
        .args(["--profile", "firmware", "--crate-type", "staticlib", "--target-dir"])
        .arg(target));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let program = home.join("one_switch");
    let done = run(Command::new(&cc)
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", sanitise])
        .arg("-fno-sanitize-recover=all")
        .arg("-I")
        .arg(crate_root.join("include"))
        .arg(crate_root.join("example/one_switch.c"))
        .arg(target.join("firmware/libtvlb_firmware_c.a"))
        .arg("-o")
        .arg(&program));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(program)
}

/// Writes the two images of a switch of dfly(p, a, h, g) in which each two groups share as many
/// cables as there are ports for; returns their files and how many ports the switch has.
fn images(
    home: &Path,
    [p, a, h, g]: [u32; 4],
    number: u16,
    virtual_channels: VcScheme,
) -> (PathBuf, PathBuf, u32) {
    let df = Dragonfly::new(p, a, h, g).expect("the sizes are in range");
    let mut next = vec![0_u16; g as usize];
    let mut end = |group: usize| {
        let port = GlobalPort(next[group]);
        next[group] += 1;
        End { group: GroupId(u16::try_from(group).expect("groups are few")), port }
    };
    let mut cables = Vec::new();
    for _ in 0..a * h / (g - 1) {
        for low in 0..g as usize {
            for high in low + 1..g as usize {
                cables.push((end(low), end(high)));
            }
        }
    }
    let fabric_bytes = encode_fabric_image(&df, &cables);
    let fabric = FabricImage::decode(&fabric_bytes).expect("it was just written");
    let rule = SetRule::whole(ShapeSet::ALL);
    let contents = SwitchContents {
        switch: SwitchId(number),
        virtual_channels,
        decisions: PerDecision::same((0, Weighing::default())),
        second_min: tvlb_schema::MinCandidate::Kept,
        sets: vec![SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() }],
        physical_numbers: Vec::new(),
    };
    let name = format!("{p}-{a}-{h}-{g}");
    let files = (home.join(format!("{name}.fabric")), home.join(format!("{name}.switch")));
    fs::write(&files.0, &fabric_bytes).expect("the directory is writable");
    fs::write(&files.1, encode_switch_image(&fabric, &contents)).expect("as above");
    (files.0, files.1, df.radix())
}

#[test]
fn the_guides_program_keeps_within_its_memory() {
    let home = home();
    let Some(program) = compiled(&home) else { return };
    let run = |fabric: &Path, switch: &Path| {
        let done = run(Command::new(&program).args([fabric, switch]));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
        (done.status.code(), text(done.stdout), text(done.stderr))
    };

    // Fabrics with fewer ports than the guide's 7, with more, and with as many as there can be.
    for (sizes, number, virtual_channels) in [
        ([1, 2, 1, 3], 1, VcScheme::Ordered),
        ([4, 8, 4, 9], 3, VcScheme::PerHop),
        ([2, 32, 31, 32], 40, VcScheme::Positional),
    ] {
        let (fabric, switch, ports) = images(&home, sizes, number, virtual_channels);
        let (code, told, error) = run(&fabric, &switch);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{sizes:?}");
        assert_eq!(told.lines().count(), 6, "{sizes:?}: {told}");
        for line in told.lines() {
            let port = line.split(' ').nth(4).and_then(|word| word.parse::<u32>().ok());
            assert!(port.is_some_and(|port| port < ports), "{sizes:?}: {line}");
        }
    }
    // The switch of the last node itself.
    let (fabric, switch, _) = images(&home, [2, 4, 2, 9], 35, VcScheme::Ordered);
    assert_eq!(run(&fabric, &switch).1, "deliver at port 1\n".repeat(6));

    let (fabric, switch, ports) = images(&home, [3, 32, 31, 32], 40, VcScheme::Ordered);
    assert_eq!(ports, 65);
    let words = "the switch has 65 ports, and this program has counters for 64\n";
    assert_eq!(run(&fabric, &switch), (Some(1), String::new(), words.to_owned()));

    let missing = Path::new("missing.tvlb");
    let words = "missing.tvlb: No such file or directory\n";
    assert_eq!(run(missing, &switch), (Some(2), String::new(), words.to_owned()));
    assert_eq!(run(&fabric, missing), (Some(2), String::new(), words.to_owned()));
    let words = "tvlb_channels_needed: bad fabric image\n";
    assert_eq!(run(&switch, &switch), (Some(1), String::new(), words.to_owned()));

    for length in [0, (1 << 20) + 1] {
        let other = home.join("other.tvlb");
        fs::write(&other, vec![0; length]).expect("the directory is writable");
        let words =
            format!("{}: found no bytes, or more than the 1048576 that fit\n", other.display());
        assert_eq!(run(&other, &switch), (Some(2), String::new(), words));
    }
}
