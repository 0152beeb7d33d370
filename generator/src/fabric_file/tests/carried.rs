//! A file that continues an earlier one.

use super::{LEAST, parse};
use crate::fabric_file::FabricFile;

const NEW: &str = "# Made by `tvlb import slingshot`; what was assumed stands in assumptions.txt.
name = \"new\"

[dragonfly]
cables = \"cables.csv\"

[[dragonfly.kinds]]
p = 2
a = 8
h = 1
g = 3

[[dragonfly.kinds]]
p = 1
a = 4
h = 2
g = 1
";

const CHOSEN: &str = "
# Far away.
[links]
global-latency = 30 # cycles

[routing]
set = \"all\" # in the middle
";

/// The text of [`NEW`] continuing this one, and what it says.
fn carried(earlier: &str) -> (String, FabricFile) {
    let text = parse(NEW).carried_text(NEW, (&parse(earlier), earlier));
    let file = parse(&text);
    (text, file)
}

#[test]
fn the_network_is_new_and_all_else_stays_however_it_is_written() {
    let plain = format!("seed = 3\n{LEAST}{CHOSEN}");
    let (text, file) = carried(&plain);
    let network = NEW.split_once("[dragonfly]").unwrap().1;
    assert_eq!(text, format!("seed = 3\nname = \"x\"\n[dragonfly]{network}{CHOSEN}"));
    assert_eq!((&*file.name, file.seed, file.latencies.global), ("x", 3, 30));
    assert_eq!(file.dragonfly, parse(NEW).dragonfly);
    let (name, sizes) = LEAST.split_at(LEAST.find('[').unwrap());
    for earlier in [
        // In another order, with other ends of lines, in one line, and with keys that name their tables.
        format!("seed = 3\n{name}{CHOSEN}\n{sizes}"),
        plain.replace('\n', "\r\n"),
        format!("seed = 3\n{name}dragonfly = {{ p = 4, a = 8, h = 4, g = 9 }}\n{CHOSEN}"),
        format!(
            "seed = 3\n{name}dragonfly.p = 4\ndragonfly.a = 8\ndragonfly.h = 4\ndragonfly.g = 9\n{CHOSEN}"
        ),
        plain.replace("[routing]", "[ 'routing' ]").replace("[dragonfly]", "[ \"dragonfly\" ]"),
    ] {
        assert_eq!(carried(&earlier).1, file, "{earlier}");
    }
}
