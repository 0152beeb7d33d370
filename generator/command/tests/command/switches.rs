//! Sets of intermediate switches, and a second look that draws its MIN path, through the commands.

use crate::scratch::Scratch;

const SET: &str = "switches:2-3 with returns";

fn generated(set: &str, more: &[&str]) -> Scratch {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let options = ["generate", "fabric.toml", "-o", "out", "-q", "--set", set];
    let run = scratch.tvlb_with(options.iter().chain(more).copied());
    assert_eq!(run.code, 0, "{run}");
    scratch
}

#[test]
fn a_set_of_switches_is_made_verified_and_shown() {
    let scratch = generated(&format!("{SET} MIN=shortest"), &[]);
    scratch.succeeds("verify out");
    scratch.succeeds("verify out --most-walks 1000");
    let shown = scratch.succeeds("inspect out --from 0 --to 20");
    insta::assert_snapshot!("switches_inspect_pair", shown);
    let shown = scratch.succeeds("inspect out --switch 5");
    insta::assert_snapshot!("switches_inspect_switch", shown);
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    assert_eq!(manifest.matches("MIN=shortest").count(), 1, "of the second look alone");
}

#[test]
fn every_assignment_of_channels_carries_a_second_local_hop_of_min() {
    for channels in ["ordered", "per-hop", "positional"] {
        for min in ["shortest", "any"] {
            let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
            let text = String::from_utf8(scratch.read("fabric.toml")).unwrap();
            let routing = format!("virtual-channels = \"{channels}\"\nsecond-min = \"{min}\"\n");
            let text = text.replace("[routing]\n", &format!("[routing]\n{routing}"));
            let text = if text.contains("second-min") {
                text
            } else {
                format!("{text}\n[routing]\n{routing}")
            };
            scratch.write("fabric.toml", text);
            let run = scratch.tvlb_with([
                "generate",
                "fabric.toml",
                "-o",
                "out",
                "-q",
                "--set",
                "switches:2-3",
            ]);
            assert_eq!(run.code, 0, "{channels}, {min}: {run}");
            scratch.succeeds("verify out");
        }
    }
}

#[test]
fn what_a_set_of_switches_cannot_do_is_refused() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let refused = |more: &[&str]| {
        let options = ["generate", "fabric.toml", "-o", "out", "-q"];
        let run = scratch.tvlb_with(options.iter().chain(more).copied());
        assert_eq!(run.code, 2, "{run}");
        run.stderr
    };
    let said = [
        refused(&["--set", "switches:2-3", "--balance"]),
        refused(&["--set", "conventional", "--balance"]),
        refused(&["--set", "switches:2-3, all"]),
        refused(&["--set", "all MIN=new"]),
    ];
    insta::assert_snapshot!("switches_refused", said.join("\n"));
}
