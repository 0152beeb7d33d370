//! A machine over its years: imported, grown, repaired and shrunk, with the numbers that it had.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A Slingshot machine: groups by their numbers, and the slots of the switches of each.
#[derive(Clone)]
struct Machine(Vec<(u32, Vec<u32>)>);

impl Machine {
    /// Groups of these numbers, of three switches each. Slot 101 is slot 1 of group 10, whose switch is in another group.
    fn of(groups: &[u32]) -> Self {
        Self(groups.iter().map(|&group| (group, vec![1, 3, 5])).collect())
    }

    fn switch(group: u32, slot: u32) -> String {
        format!("x{}c0r{}", 1000 + if slot < 100 { group } else { slot / 10 }, slot % 10)
    }

    /// Its cable plan: two nodes on each switch, a cable between each two switches of a group, and one between each
    /// two groups, in jacks that no other group needs.
    fn plan(&self) -> String {
        let mut plan = String::from(
            "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage,src_egress_a,src_egress_b,\
             dst_egress_a,dst_egress_b,link_type,src_group,dst_group,part_number,part_length,\
             calculated_distance,route\n",
        );
        let mut cable = |kind: &str, from: (u32, String), to: (u32, String)| {
            let (own, near) = from;
            let (other, far) = to;
            let _ = writeln!(plan, "1,{near},none,{far},none,1,,,,,{kind},{own},{other},1,1,1,[]");
        };
        for (at, (group, slots)) in self.0.iter().enumerate() {
            let group = *group;
            for (low, &slot) in slots.iter().enumerate() {
                let own = Self::switch(group, slot);
                for (high, &other) in slots.iter().enumerate().skip(low + 1) {
                    let far = Self::switch(group, other);
                    cable(
                        "local",
                        (group, format!("{own}j{high}")),
                        (group, format!("{far}j{low}")),
                    );
                }
            }
            for (other, others) in &self.0[at + 1..] {
                let of = |own: u32, slots: &[u32], other: u32| {
                    let switch = Self::switch(own, slots[other as usize / 10 % slots.len()]);
                    (own, format!("{switch}j{}", 10 + other))
                };
                cable("global", of(group, slots, *other), of(*other, others, group));
            }
        }
        for (group, slots) in &self.0 {
            for (index, slot) in slots.iter().enumerate() {
                let jack = format!("{}j9", Self::switch(*group, *slot));
                let node = |number| format!("x{}c0s{index}b0n{number}h0", 1000 + group);
                let [one, other] = [node(0), node(1)];
                let _ =
                    writeln!(plan, "l0,{jack},none,{one},{other},1,,,,,edge,{group},none,1,1,1,");
            }
        }
        plan
    }
}

/// The rows that name something, and that do not name this.
fn named(scratch: &Scratch, path: &str, but: &str) -> BTreeSet<String> {
    let text = String::from_utf8(scratch.read(path)).unwrap();
    let names = |line: &&str| !line.ends_with(",,") && (but.is_empty() || !line.contains(but));
    text.lines().filter(names).map(str::to_owned).collect()
}

/// Makes tables of the import in `fabric` and verifies them.
fn tables(scratch: &Scratch, fabric: &str) {
    let out = format!("{fabric}-tables");
    scratch.succeeds(&format!("generate {fabric}/fabric.toml -o {out} --set strategic-2-3"));
    scratch.succeeds(&format!("verify {out} --fabric {fabric}/fabric.toml"));
}

#[test]
fn numbers_stay_from_year_to_year() {
    let scratch = Scratch::new();
    let import = |machine: &Machine, arguments: &str| {
        scratch.write("plan.csv", machine.plan());
        scratch.succeeds(&format!("import slingshot plan.csv {arguments}"))
    };
    let mut machine = Machine::of(&[10, 20, 30, 40, 50, 60, 70]);
    // With room for cables to come.
    import(&machine, "-o first --global-ports 8");
    tables(&scratch, "first");

    // The same again is the same, but for what it says of itself.
    import(&machine, "-o again --keep first");
    for file in ["names.csv", "cables.csv", "fabric.toml"] {
        let [first, again] = ["first", "again"].map(|of| scratch.read(&format!("{of}/{file}")));
        assert_eq!(first, again, "{file}");
    }

    // Two groups more, one of which would come between the others by its name.
    machine.0.insert(3, (35, vec![1, 3, 5]));
    machine.0.push((80, vec![1, 3, 5]));
    assert_snapshot!(import(&machine, "-o grown --keep first/fabric.toml"));
    let old = named(&scratch, "first/names.csv", "");
    assert!(old.is_subset(&named(&scratch, "grown/names.csv", "")));
    let names = String::from_utf8(scratch.read("grown/names.csv")).unwrap();
    assert!(names.contains("7,,,35,\n") && names.contains("8,,,80,\n"), "{names}");
    tables(&scratch, "grown");
    assert_snapshot!(scratch.differs("diff first-tables grown-tables"));
    // While packets fly, of which none is lost.
    scratch.succeeds("faults grown-tables --not-in first-tables -o new-parts");
    scratch.write("nothing.txt", "");
    scratch.succeeds("faults grown-tables --faults nothing.txt --after new-parts -o all-live");
    for with in ["", " --update new-parts"] {
        scratch.succeeds(&format!("verify grown-tables --beside first-tables{with}"));
    }
    let run = "simulate grown-tables --grown-from first-tables --update-at 1000:new-parts \
               --update-at 3000:all-live --fault-delay 0-1500 --scheme par --load 0.4 --window 2500 --warm-up 1";
    let said = scratch.succeeds(run);
    assert!(said.contains("\nload 0.4, seed 1: 0 of "), "{said}");

    // A switch is replaced by one in another slot, which comes into its place, as its nodes do.
    machine.0[1].1[0] = 7;
    let said = import(&machine, "-o replaced --keep grown");
    assert!(said.contains("\nadded     1 switch, 6 global ports\ngone      1 switch, 6"), "{said}");
    assert!(
        String::from_utf8(scratch.read("replaced/names.csv")).unwrap().contains("1,0,,x1020c0r7,")
    );

    // With --force, the directory itself says which numbers to keep.
    let before = scratch.read("replaced/names.csv");
    import(&machine, "-o replaced --force");
    assert_eq!(before, scratch.read("replaced/names.csv"));

    // A group goes, and the others keep their numbers.
    tables(&scratch, "replaced");
    assert_snapshot!(scratch.differs("diff grown-tables replaced-tables"));
    machine.0.remove(4);
    assert_snapshot!(import(&machine, "-o shrunk --keep replaced"));
    assert_snapshot!(scratch.succeeds("topology shrunk/fabric.toml"));
    tables(&scratch, "shrunk");
    let said = scratch.differs("diff replaced-tables shrunk-tables");
    assert!(said.contains("\ngroups     8 in both; 1 gone: 3\n"), "{said}");
    assert!(
        said.contains(" 1. an update of the old tables that drains old parts: 3 switches\n"),
        "{said}"
    );
    let of_gone = "faults replaced-tables --not-in shrunk-tables -o gone";
    assert!(
        scratch
            .succeeds(of_gone)
            .starts_with("drained   0 global links, 0 local links, 3 switches\n")
    );
    let gone = "there is no switch 9; group 3, to which the number falls, has no switches";
    let refused = scratch.refuses("inspect shrunk-tables --switch 9");
    assert!(refused.contains(gone), "{refused}");
    let assumptions = String::from_utf8(scratch.read("shrunk/assumptions.txt")).unwrap();
    let since = assumptions.split("\nSince the earlier import\n").nth(1).unwrap();
    assert_snapshot!(since.split("\nCounts\n").next().unwrap());

    // When it comes back it has its number again, although nothing has had it meanwhile.
    let of_others = |of: &str| named(&scratch, &format!("{of}/names.csv"), "x1040");
    machine.0.insert(4, (40, vec![1, 3, 5]));
    import(&machine, "-o back --keep shrunk");
    assert!(of_others("back").contains("3,,,40,"));
    assert!(of_others("back") == of_others("replaced"));
}

/// A day on which several plugs are not where they belong.
#[test]
fn all_plugs_in_wrong_jacks_are_said_at_once() {
    let scratch = Scratch::new();
    let plan = Machine::of(&[10, 20, 30, 40, 50, 60, 70]).plan();
    scratch.write("plan.csv", &plan);
    scratch.succeeds("import slingshot plan.csv -o old");
    scratch.succeeds("generate old/fabric.toml -o tables --set all");
    let rows = plan.lines().filter(|row| row.contains(",local,") || row.contains(",global,"));
    let ends = rows.map(|row| row.split(',').collect::<Vec<_>>()).map(|row| [row[1], row[3]]);
    let dump = |but: &dyn Fn([&str; 2]) -> Option<[String; 2]>| {
        let links = ends
            .clone()
            .filter_map(but)
            .flat_map(|[one, other]| [0, 1].map(|port| format!("{one}p{port}-{other}p{port}\n")));
        links.collect::<String>()
    };
    let same = |ends: [&str; 2]| Some(ends.map(str::to_owned));
    // One cable is out, and nothing is wrong with that.
    scratch.write("live.txt", dump(&|ends| same(ends).filter(|ends| ends[0] != "x1010c0r1j40")));
    let shown = scratch.succeeds("topology old/fabric.toml --live live.txt");
    assert!(
        shown.contains("links per pair of groups   0 to 2 (0 for 1 pair, 2 for 20)"),
        "{shown}"
    );
    // Two plugs of one switch are swapped, one is in a jack that should be free, and a cable is where none is.
    let wrong = dump(&|ends| match ends {
        ["x1010c0r5j30", far] => same(["x1010c0r5j60", far]),
        ["x1010c0r5j60", far] => same(["x1010c0r5j30", far]),
        [near, "x1050c0r5j30"] => same([near, "x1050c0r5j63"]),
        _ => same(ends),
    });
    let stray = "x1020c0r1j61p0-x1040c0r1j61p0\nx1020c0r1j61p1-x1040c0r1j61p1\n";
    scratch.write("live.txt", wrong + stray);
    let refused = scratch.refuses("topology old/fabric.toml --live live.txt");
    assert_snapshot!(refused);
    assert_eq!(scratch.refuses("faults tables --live live.txt -o update"), refused);
    // The same by two fabric files: ports have names of their own there.
    let cables = String::from_utf8(scratch.read("old/cables.csv")).unwrap();
    let swapped = cables.lines().map(|row| match row.split_at_checked(6) {
        Some(("0,2,0,", far)) => format!("0,2,2,{far}\n"),
        Some(("0,2,2,", far)) => format!("0,2,0,{far}\n"),
        _ => format!("{row}\n"),
    });
    let swapped: String = swapped.collect();
    scratch.write("old/cables.csv", swapped);
    assert_snapshot!(scratch.tvlb("verify tables --fabric old/fabric.toml").stderr);
    // Plugs of two switches in one chassis: the other ends are in two cabinets.
    let neighbours = dump(&|ends| match ends {
        ["x1010c0r3j50", far] => same(["x1010c0r5j30", far]),
        ["x1010c0r5j30", far] => same(["x1010c0r3j50", far]),
        _ => same(ends),
    });
    scratch.write("live.txt", neighbours);
    assert_snapshot!(scratch.refuses("faults tables --live live.txt -o update"), @r"
    tvlb: live.txt: 1 thing is not as planned; nothing was made of it:
      the plugs at x1010c0r3j50 and x1010c0r5j30 are swapped, or else those at x1040c0r3j20 and x1020c0r3j20: by the plan a cable joins the first of each two, and another the second
    ");
    let swapped = cables.lines().map(|row| match row.split_at_checked(6) {
        Some(("0,1,0,", far)) => format!("0,2,0,{far}\n"),
        Some(("0,2,0,", far)) => format!("0,1,0,{far}\n"),
        _ => format!("{row}\n"),
    });
    let swapped: String = swapped.collect();
    scratch.write("old/cables.csv", swapped);
    assert_snapshot!(scratch.tvlb("verify tables --fabric old/fabric.toml").stderr, @r"
    tvlb: old/fabric.toml: by this plan 1 thing is wrong with the cables of the table set:
      the plugs at group 0, switch 1 x1010c0r3, global port 0 x1010c0r3j50p0 and group 0, switch 2 x1010c0r5, global port 0 x1010c0r5j30p0 are swapped, or else those at group 1, switch 1 x1020c0r3, global port 0 x1020c0r3j20p0 and group 3, switch 1 x1040c0r3, global port 0 x1040c0r3j20p0: by the plan a cable joins the first of each two, and another the second
    ");
}

#[test]
fn numbers_that_cannot_stay_are_said() {
    let scratch = Scratch::new();
    let import = |machine: &Machine, arguments: &str| {
        scratch.write("plan.csv", machine.plan());
        scratch.tvlb(&format!("import slingshot plan.csv {arguments}"))
    };
    // The first switch of a group goes: the last comes into its place, for a group has no gaps.
    let mut machine = Machine::of(&[10, 20, 30]);
    import(&machine, "-o old");
    machine.0[0].1.remove(0);
    assert_snapshot!(import(&machine, "-o new --keep old").stdout);
    let assumptions = String::from_utf8(scratch.read("new/assumptions.txt")).unwrap();
    let moved = "1 switch has another number: x1010c0r5, which was (0,2) and is (0,0).";
    assert!(assumptions.contains(moved), "{assumptions}");
    // A larger group changes the numbers over the whole fabric.
    machine.0.push((40, vec![1, 3, 5, 7]));
    let warned = import(&machine, "-o larger --keep new").stderr;
    assert_snapshot!(warned);
    // Every other group is absent.
    let machine = Machine::of(&(1..=25).map(|group| group * 10).collect::<Vec<_>>());
    import(&machine, "-o many");
    let machine = Machine::of(&(0..=12).map(|group| group * 20 + 10).collect::<Vec<_>>());
    assert_snapshot!(import(&machine, "-o few --keep many").stderr);
    assert_snapshot!(import(&machine, "-o few --keep plan.csv").stderr);
    assert_snapshot!(import(&machine, "-o few --keep none").stderr);
}

/// Groups that leave a machine here and there cost no kind: its numbers stay year after year.
#[test]
fn groups_that_left_are_no_kinds() {
    let scratch = Scratch::new();
    let import = |machine: &Machine, arguments: &str| {
        scratch.write("plan.csv", machine.plan());
        scratch.succeeds(&format!("import slingshot plan.csv {arguments}"))
    };
    let all: Vec<u32> = (1..=11).map(|group| group * 10).collect();
    import(&Machine::of(&all), "-o old");
    let left: Vec<u32> = all.iter().copied().filter(|group| group % 20 == 10).collect();
    import(&Machine::of(&left), "-o new --keep old");
    let file = String::from_utf8(scratch.read("new/fabric.toml")).unwrap();
    assert_eq!(file.matches("a = 0\n").count(), 5, "{file}");
    scratch.succeeds("generate new/fabric.toml -o tables --set all --quiet");
    let verified = scratch.succeeds("verify tables --fabric new/fabric.toml");
    assert!(verified.contains("every path of every pair"), "{verified}");
    let switches = scratch.succeeds("topology new/fabric.toml");
    assert!(switches.contains("absent, 1"), "{switches}");
}

/// What people put into the fabric file of a machine.
fn chosen(imported: &str) -> String {
    let network = imported.split_once("[dragonfly]").unwrap().1;
    let network = network.replacen("groups-of-3", "compute", 1);
    format!(
        "# Ours since 2024.\nname = \"ours\"\nseed = 7\n\n# What is there.\n[dragonfly]{network}\n\
         # Two racks are far away.\n[links]\ncycle = \"40.96 ns\"\nglobal-latency = \"30 m + 250 ns\" # 10 cycles\n\n\
         [routing]\nset = \"all\" # Until the spring.\n"
    )
}

#[test]
fn what_people_chose_is_carried_over() {
    let scratch = Scratch::new();
    let text = |path: &str| String::from_utf8(scratch.read(path)).unwrap();
    let import = |machine: &Machine, arguments: &str| {
        scratch.write("plan.csv", machine.plan());
        let run = scratch.tvlb(&format!("import slingshot plan.csv {arguments}"));
        assert_eq!(run.code, 0, "{run}");
    };
    let mut machine = Machine::of(&[10, 20, 30]);
    import(&machine, "-o old");
    let plain = text("old/fabric.toml");
    let links = "No file says how long a flit takes over a link";
    assert_snapshot!(
        text("old/assumptions.txt").lines().find(|line| line.contains(links)).unwrap()
    );
    scratch.write("old/fabric.toml", chosen(&plain));
    // The machine grows: the text stays unchanged.
    machine.0.push((40, vec![1, 3, 5]));
    import(&machine, "-o grown --keep old");
    assert_snapshot!(text("grown/fabric.toml"));
    assert!(!text("grown/assumptions.txt").contains(links));
    import(&machine, "-o old --force");
    assert_eq!(text("old/fabric.toml"), text("grown/fabric.toml"));
    // The first switch of a group goes.
    machine.0[0].1.remove(0);
    import(&machine, "-o shrunk --keep grown");
    assert_snapshot!(text("shrunk/fabric.toml"));
    scratch.succeeds("topology shrunk/fabric.toml");
    // What is below [dragonfly] is the import's own.
    for (from, to) in
        [("cables = \"cables.csv\"", "cables = \"../cables.csv\""), ("names = \"names.csv\"", "")]
    {
        scratch.write("old/fabric.toml", text("grown/fabric.toml").replace(from, to));
        assert_snapshot!(scratch.refuses("import slingshot plan.csv -o old --force"));
    }
}

/// A switch that comes from another group takes a number that is free there, and not one that a switch has.
#[test]
fn a_switch_that_changes_its_group_moves_no_other() {
    let scratch = Scratch::new();
    let import = |machine: &Machine, arguments: &str| {
        scratch.write("plan.csv", machine.plan());
        let run = scratch.tvlb(&format!("import slingshot plan.csv {arguments}"));
        assert_eq!(run.code, 0, "{run}");
        String::from_utf8(scratch.read("new/names.csv")).unwrap_or_default()
    };
    let mut machine = Machine::of(&[10, 20, 30]);
    import(&machine, "-o new");
    machine.0[0].1.remove(0);
    machine.0[1].1.insert(0, 101);
    let names = import(&machine, "-o new --force");
    for row in ["1,0,,x1020c0r1,\n", "1,1,,x1020c0r3,\n", "1,2,,x1020c0r5,\n", "1,3,,x1010c0r1,\n"]
    {
        assert!(names.contains(row), "{row}{names}");
    }
}

#[test]
fn what_people_chose_stays_in_whatever_way_they_wrote_it() {
    let scratch = Scratch::new();
    let text = |path: &str| String::from_utf8(scratch.read(path)).unwrap();
    let import = |machine: &Machine, arguments: &str| {
        scratch.write("plan.csv", machine.plan());
        let run = scratch.tvlb(&format!("import slingshot plan.csv {arguments}"));
        assert_eq!(run.code, 0, "{run}");
    };
    // Two kinds, of which people named one.
    let mut machine = Machine::of(&[10, 20, 30]);
    machine.0[0].1.pop();
    import(&machine, "-o old");
    let plain = text("old/fabric.toml");
    let of_3 = chosen(&plain);
    scratch.write("old/fabric.toml", of_3.replace("[links]", "  [links]"));
    // The kind that has no name of its own becomes the other one.
    machine.0[0].1.push(5);
    import(&machine, "-o grown --keep old");
    let grown = text("grown/fabric.toml");
    assert!(grown.contains("compute") && grown.contains("# 10 cycles"), "{grown}");
    // The directory that is gone on from may be the one that is written.
    import(&machine, "-o old --keep old/fabric.toml --force");
    assert_eq!(text("old/fabric.toml"), grown);

    // What only a comment speaks of is not said.
    let machine = Machine::of(&[10, 20, 30]);
    import(&machine, "-o other");
    scratch.write("other/fabric.toml", format!("# No [links] yet.\n{}", text("other/fabric.toml")));
    import(&machine, "-o other --force");
    assert!(text("other/assumptions.txt").contains("No file says how long a flit takes"));
}
