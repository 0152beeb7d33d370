//! What ranks do, and where, is apart from how their packets go: no source of `workload` names the simulator or
//! what runs ranks on it.

use std::fs;
use std::path::Path;

#[test]
fn a_workload_knows_nothing_of_routing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/workload");
    let mut sources = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        sources += 1;
        let source = fs::read_to_string(&path).unwrap();
        for line in source.lines() {
            let is_apart =
                !line.contains("tvlb_simulator") && !line.contains("tvlb_firmware_model");
            let of_crate = line.split_once("crate::").map_or("workload", |(_, path)| path);
            let is_below = of_crate.starts_with("workload") || of_crate.starts_with("partition");
            assert!(is_apart && is_below, "{}: {line}", path.display());
        }
    }
    assert!(sources > 10, "{sources}");
}
