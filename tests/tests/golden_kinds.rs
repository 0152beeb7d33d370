//! The images of a small fabric with groups of two kinds are what `schema/golden/v3-kinds` has, byte for
//! byte. `UPDATE_GOLDEN=1 cargo test -p tvlb-tests --test all golden_kinds` writes them, after a change of the
//! format that is meant.

use std::fs;
use std::path::Path;
use tvlb_tests::{images, of_kinds, with_set};

#[test]
fn images_of_two_kinds_of_groups_are_those_that_are_kept() {
    // Two groups of three switches, one of two with fewer nodes, and two of three again.
    let kinds = [(2, 3, 2, 2), (1, 2, 2, 1), (2, 3, 2, 2)];
    let made = images(&with_set(of_kinds(&kinds), "strategic-2-3 by shape")).images;
    // Switch 4 is in a large group; switch 7, the eighth, is the last of the small one, and a gap
    // follows it.
    let kept = [
        ("fabric.tvlb", &made.fabric),
        ("switch-00004.tvlb", &made.switches[4]),
        ("switch-00007.tvlb", &made.switches[7]),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema/golden/v3-kinds");
    for (name, bytes) in kept {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, bytes).unwrap();
        }
        assert!(
            fs::read(&path).is_ok_and(|there| there == *bytes),
            "{} is not what is written now; if that is meant, run again with UPDATE_GOLDEN=1",
            path.display()
        );
    }
}
