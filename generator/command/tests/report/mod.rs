//! `report.html`: the same bytes again, one file that asks for nothing, small, and without a
//! complaint from a browser.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory for one test, and `tvlb` in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new(fabric: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.0.path().join("fabric.toml"), fabric).unwrap();
        place
    }

    /// The report of a table set made with these options.
    fn report(&self, directory: &str, options: &[&str]) -> String {
        let run = Command::new(env!("CARGO_BIN_EXE_tvlb"))
            .current_dir(self.0.path())
            .args(["generate", "fabric.toml", "--quiet", "-o", directory])
            .args(options)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        fs::read_to_string(self.path(directory)).unwrap()
    }

    /// Runs a command of `tvlb` as a shell would.
    fn run(&self, command: &str) {
        let command = command.replacen("tvlb", env!("CARGO_BIN_EXE_tvlb"), 1);
        let run = Command::new("sh").args(["-c", &command]).current_dir(self.0.path()).output();
        let run = run.unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    }

    fn path(&self, directory: &str) -> PathBuf {
        self.0.path().join(directory).join("report.html")
    }
}

fn fabric(p: u32, a: u32, h: u32, g: u32, routing: &str) -> String {
    format!("name = \"shown\"\n[dragonfly]\np = {p}\na = {a}\nh = {h}\ng = {g}\n{routing}")
}

const GIVEN: &str = "[routing]\nset = \"strategic-2-3 by shape\"\n";

#[test]
fn nothing_but_the_input_shows_in_it() {
    let chosen = fabric(1, 2, 2, 5, "");
    let (here, there) = (Place::new(&chosen), Place::new(&chosen));
    let options = |threads| ["--panel", "quick", "--threads", threads];
    let report = here.report("out", &options("1"));
    assert_eq!(there.report("other/out", &options("2")), report);
    // Going on from what an earlier choice by other means has left changes nothing either.
    here.report("latency", &["--panel", "quick", "--prefer", "latency", "--state", "state"]);
    let again = here.report("again", &[&options("2")[..], &["--state", "state"]].concat());
    assert_eq!(again, report);
    assert!(!report.contains(here.0.path().to_str().unwrap()));
    for section in ["fabric", "step-1", "step-2", "loads", "sizes", "verified", "repeat"] {
        assert!(report.contains(&format!("<section id=\"{section}\">")), "{section}");
    }
    assert!(report.contains("ours, set A") && report.contains("--panel quick"));
}

/// What stands before the first section.
fn first_screen(report: &str) -> &str {
    report.split_once("<section").unwrap().0
}

/// The figures and words of the tiles.
fn tiles(report: &str) -> Vec<[String; 3]> {
    let tiles = first_screen(report).split("<div class=\"tile\">").skip(1).map(|tile| {
        let text = tile.split_once("</div>").unwrap().0;
        let (name, rest) = text.split_once("</span><b>").unwrap();
        let (figure, words) = rest.split_once("</b><span>").unwrap();
        [name, figure, words].map(|text| text.replace("<span>", "").replace("</span>", ""))
    });
    tiles.collect()
}

#[test]
fn the_first_screen_has_the_figures_that_count() {
    let place = Place::new(&fabric(1, 2, 2, 5, ""));
    let report = place.report("out", &["--panel", "quick"]);
    let manifest: serde_json::Value = serde_json::from_slice(
        &fs::read(place.path("out").with_file_name("manifest.json")).unwrap(),
    )
    .unwrap();
    let found = tiles(&report);
    let names: Vec<&str> = found.iter().map(|tile| tile[0].as_str()).collect();
    let wanted = [
        "UGAL-L over conventional",
        "PAR over conventional",
        "Worst regret on a guard",
        "Verified",
    ];
    assert_eq!(names, wanted);
    // The tiles say what the manifest says.
    for (tile, contest) in found.iter().zip(manifest["choice"]["contests"].as_array().unwrap()) {
        let asked = contest["again"]["contenders"].as_array().unwrap();
        let of = |set: &serde_json::Value| asked.iter().find(|entry| entry["set"] == *set).unwrap();
        let chosen = of(&contest["chosen"]);
        for figure in ["saturation", "usual"] {
            let strongest = asked
                .iter()
                .filter(|entry| {
                    let set = entry["set"].as_str().unwrap();
                    // Not what is weighed as ours.
                    set.starts_with("conventional") && !set.contains("onward")
                })
                .filter_map(|entry| entry[figure].as_f64())
                .fold(0.0, f64::max);
            for carried in [chosen[figure].as_f64().unwrap(), strongest] {
                assert!(tile[2].contains(&format!("{carried:.3}")), "{tile:?}");
            }
        }
    }
    let bytes = manifest["sizes"]["total"].as_u64().unwrap();
    assert_eq!(found[3][1], "11 images");
    assert!(found[3][2].starts_with(&format!("{bytes} bytes; every path")), "{found:?}");
    // Bars for both schemes, and each set once, with its text in full and its shapes drawn.
    let head = first_screen(&report);
    for shown in [">UGAL-L</text>", ">PAR</text>", ">conventional</text>", "<h3>Set A: "] {
        assert!(head.contains(shown), "{shown}");
    }
    let cards = head.matches("<div class=\"card\">").count();
    assert!((1..=3).contains(&cards));
    assert_eq!(head.matches("class=\"stop\"").count(), cards * 60);
}

#[test]
fn where_nothing_is_simulated_the_first_screen_says_so() {
    let fast = Place::new(&fabric(1, 4, 2, 5, "")).report("out", &["--fast"]);
    let names =
        |report: &str| tiles(report).into_iter().map(|tile| tile[0].clone()).collect::<Vec<_>>();
    let of_paths = ["Hops of a detour", "Busiest global link over the mean", "Verified"];
    assert_eq!(names(&fast), [&["Modelled throughput"][..], &of_paths].concat());
    assert!(first_screen(&fast).contains("tvlb generate without --fast"));
    let given = Place::new(&fabric(1, 4, 2, 5, GIVEN)).report("out", &[]);
    assert_eq!(names(&given), of_paths);
    // The shares of a set drawn by shape are those of its draws.
    let words = "the shapes of the paths of set A with their shares of draws: ";
    let (_, shares) = given.split_once(words).unwrap();
    let shares = shares.split_once('"').unwrap().0.split(", ");
    let sum: f64 =
        shares.map(|share| share.split([' ', '%']).nth(1).unwrap().parse::<f64>().unwrap()).sum();
    assert!((sum - 100.0).abs() < 0.5, "{sum}");
}

#[test]
fn what_was_not_done_is_said() {
    let given = Place::new(&fabric(1, 4, 2, 5, GIVEN)).report("out", &[]);
    assert!(given.contains("The sets were given, so none was simulated"));
    let fast = Place::new(&fabric(1, 4, 2, 5, "")).report("out", &["--fast"]);
    assert!(fast.contains("Nothing was simulated") && fast.contains("modelled throughput"));
    let two_groups = Place::new(&fabric(1, 2, 1, 2, GIVEN)).report("out", &[]);
    assert!(two_groups.contains("no VLB paths between them"));
}

#[test]
fn a_balanced_set_is_shown_before_and_after() {
    let place = Place::new(&fabric(2, 4, 2, 9, GIVEN));
    let plain = place.report("plain", &[]);
    assert!(plain.contains("No switch thins a set to balance") && !plain.contains("after balance"));
    let balanced = place.report("balanced", &["--balance"]);
    for when in ["before", "after"] {
        for what in
            ["Mean load of the links between two groups", "Busiest local link of each switch"]
        {
            let map = format!("{what}: set A (UGAL-L and PAR) {when} balance");
            assert!(balanced.contains(&map), "{map}");
        }
    }
    let map = |name: &str| {
        balanced.find(&format!("<figcaption>Mean load of the links between two groups: {name}"))
    };
    let named = |when: &str| format!("set A (UGAL-L and PAR) {when} balance");
    let order = [map(&named("before")), map(&named("after")), map("conventional")];
    assert!(order.is_sorted() && order[0].is_some(), "{order:?}");
    assert!(balanced.contains(" of 36 switches thin set A (UGAL-L and PAR)"));
    // The two rows of global links say what the manifest says.
    let manifest: serde_json::Value = serde_json::from_slice(
        &fs::read(place.path("balanced").with_file_name("manifest.json")).unwrap(),
    )
    .unwrap();
    let balance = &manifest["sets"]["ugal-l"]["balance"];
    for when in ["before", "after"] {
        let uneven = balance[when]["global"].as_f64().unwrap();
        let row = format!("{when} balance</th><td>global</td>");
        let (_, cells) = balanced.split_once(&row).unwrap();
        let (cells, _) = cells.split_once("</tr>").unwrap();
        assert!(cells.contains(&format!(">{uneven:.3}<")), "{when}: {uneven}, {cells}");
    }
    assert!(balance["before"] != balance["after"]);
    // What is said to make them again does.
    assert!(balanced.contains("<pre>tvlb generate fabric.toml -o tables --balance</pre>"));
    assert!(plain.contains("<pre>tvlb generate fabric.toml -o tables</pre>"));
}

/// The text of a report's first preformatted block after these words.
fn shown_after(report: &str, words: &str) -> String {
    let (_, rest) = report.split_once(words).unwrap_or_else(|| panic!("{words} in {report}"));
    let (_, rest) = rest.split_once("<pre>").unwrap();
    let (text, _) = rest.split_once("</pre>").unwrap();
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Every file of a table set.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for within in [directory.to_owned(), directory.join("switches")] {
        for entry in fs::read_dir(within).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let bytes = fs::read(&path).unwrap();
                files.insert(path.strip_prefix(directory).unwrap().to_owned(), bytes);
            }
        }
    }
    files
}

/// Takes the fabric file, the lists and the command out of a report, and follows them.
fn follow(place: &Place, report: &str) {
    let tables = place.0.path().join("out");
    let (_, section) = report.split_once("<section id=\"repeat\">").unwrap();
    let recipe = Place::new(&shown_after(section, "tvlb generate fabric.toml -o tables"));
    let write = |name: &str, text: &[u8]| fs::write(recipe.0.path().join(name), text).unwrap();
    if section.contains("<summary>cables.csv") {
        write("cables.csv", shown_after(section, "<summary>cables.csv").as_bytes());
    }
    if section.contains("<p>names.csv is in the directory") {
        write("names.csv", &fs::read(tables.join("names.csv")).unwrap());
    }
    if section.contains("tvlb sets export DIR -o sets.json") {
        recipe.run(&format!("tvlb sets export {} -o sets.json", tables.display()));
    }
    let command = shown_after(section, "manifest.json has the hash");
    recipe.run(&command);
    let (made, again) = (files(&tables), files(&recipe.0.path().join("tables")));
    for (name, bytes) in &made {
        assert!(again.get(name) == Some(bytes), "{} by {command}: {section}", name.display());
    }
    assert_eq!(again.len(), made.len());
}

#[test]
fn what_it_says_to_reproduce_the_tables_does() {
    let links = "local-links = 2\n[links]\nglobal-latency = 100\nglobal-bandwidth = 0.5\n";
    let random = "arrangement = \"random\"\n";
    let cases: [(String, &[&str]); 5] = [
        (fabric(2, 4, 2, 9, &format!("{links}{GIVEN}")), &[]),
        (fabric(2, 4, 2, 9, random), &["--set", "60% 5-hop", "--balance"]),
        (fabric(1, 4, 2, 5, ""), &["--set", "4-hop gate=1.25 then 2*all, only:011 gate=1.25"]),
        (fabric(1, 4, 2, 5, "[routing]\ncandidates = \"1x4\"\n"), &["--fast", "--balance"]),
        (
            fabric(1, 2, 1, 3, ""),
            &["--panel", "quick", "--prefer", "latency", "--try-policy", "4-hop T=-2"],
        ),
    ];
    for (text, options) in cases {
        let place = Place::new(&text);
        let report = place.report("out", options);
        follow(&place, &report);
    }
}

#[test]
fn what_it_says_to_reproduce_names_lists_and_set_files_does() {
    let kinds = two_kinds((2, 16));
    let report = kinds.report("out", &[]);
    follow(&kinds, &report);
    let with_sets = Place::new(&fabric(1, 4, 2, 5, GIVEN));
    with_sets.report("first", &["--set", "4-hop by shape MIN=any", "--balance"]);
    with_sets.run("tvlb sets export first -o kept.json");
    let report = with_sets.report("out", &["--set-file", "kept.json"]);
    follow(&with_sets, &report);
    // Of one group the list names the links, of the others it names none.
    let listed = Place::new(&format!(
        "name = \"listed\"\n[dragonfly]\np = 2\na = 3\nh = 2\ng = 3\ncables = \"wired.csv\"\n{GIVEN}"
    ));
    let cables = "from_group,from_switch,from_port,to_group,to_switch,to_port\n\
                  0,0,0,1,0,0\n0,1,0,2,0,0\n1,1,0,2,1,0\n\
                  0,0,local,0,1,local\n0,0,local,0,1,local\n0,1,local,0,2,local\n";
    fs::write(listed.0.path().join("wired.csv"), cables).unwrap();
    let report = listed.report("out", &[]);
    follow(&listed, &report);
    // What is lacking in that group is named.
    assert!(report.contains("One pair of switches of one group shares no local link."));
    for row in [["0", "3", "1", "1"].as_slice(), &["0", "0", "2", "0"]] {
        let cells = row[1..].iter().map(|cell| format!("<td class=\"n\">{cell}</td>"));
        let row = format!("<th scope=\"row\">{}</th>{}", row[0], cells.collect::<String>());
        assert!(report.contains(&row), "{row}");
    }
}

#[test]
fn it_asks_for_nothing() {
    let report = Place::new(&fabric(2, 4, 2, 9, GIVEN)).report("out", &[]);
    let without_names = report.replace("http://www.w3.org/2000/svg", "");
    for asks in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!without_names.contains(asks), "{asks}");
    }
}

#[test]
fn that_of_702_switches_is_below_2_mib() {
    let place = Place::new(&fabric(13, 26, 13, 27, ""));
    let three = [
        "--set",
        "ugal-l shapes:011",
        "--set",
        "par shapes:011+110 by shape then shapes:020+110 by shape",
    ];
    let bytes = place.report("out", &three).len();
    assert!(bytes < 2 << 20, "{bytes} bytes");
}

/// The picture of the links of all pairs of groups, if the report has it.
fn link_map(report: &str) -> Option<&str> {
    let label = "aria-label=\"the number of links of every pair of groups\">";
    let (_, map) = report.split_once(label)?;
    Some(map.split_once("</svg>").unwrap().0)
}

#[test]
fn many_groups_are_a_map_and_few_are_a_ring() {
    let ring = "aria-label=\"the groups and the links between them\"";
    let few = Place::new(&fabric(1, 4, 4, 16, GIVEN)).report("out", &[]);
    assert!(few.contains(ring) && link_map(&few).is_none());
    let many = Place::new(&fabric(1, 8, 4, 33, GIVEN)).report("out", &[]);
    assert!(!many.contains(ring));
    let map = link_map(&many).unwrap();
    // A cell for each two groups in both orders, of one colour, and none for a group and itself.
    assert_eq!(map.matches("<title>groups ").count(), 33 * 32);
    assert!(map.contains("<title>groups 32 and 0: 1 link</title>"), "{map}");
    assert_eq!(map.matches("class=\"h0\"").count(), 33 * 32 + 1);
    assert_eq!(map.matches("class=\"hn\"").count(), 33);
    assert!(map.contains(">1 link: 528 pairs of groups</text>"));
    // It scales with the page, and the numbers are there without it.
    assert!(many.contains("viewBox") && !map.contains("width=\"100%\""));
    assert!(many.contains("<th scope=\"row\">1</th><td class=\"n\">528</td>"));
    assert!(many.contains("<th scope=\"row\">32</th><td class=\"n\">1</td>"));
}

/// Fifteen groups of four switches and three of three, with two links for each pair of the first and one
/// for all others, and names; `lost` is not laid.
fn two_kinds(lost: (u16, u16)) -> Place {
    use std::fmt::Write;
    let place = Place::new(&format!(
        "name = \"kinds\"\n[dragonfly]\ncables = \"cables.csv\"\nnames = \"names.csv\"\n\
         [[dragonfly.kinds]]\nname = \"compute\"\np = 1\na = 4\nh = 8\ng = 15\n\
         [[dragonfly.kinds]]\nname = \"storage\"\np = 1\na = 3\nh = 8\ng = 3\n{GIVEN}"
    ));
    let mut cables = "from_group,from_switch,from_port,to_group,to_switch,to_port\n".to_owned();
    let mut next = [0; 18];
    for (i, j) in (0..18_u16).flat_map(|i| (i + 1..18).map(move |j| (i, j))) {
        for _ in 0..if j < 15 { 2 } else { 1 } {
            let [low, high] = [i, j].map(|group| {
                let port = &mut next[usize::from(group)];
                *port += 1;
                format!("{group},{},{}", (*port - 1) / 8, (*port - 1) % 8)
            });
            if (i, j) != lost {
                writeln!(cables, "{low},{high}").unwrap();
            }
        }
    }
    fs::write(place.0.path().join("cables.csv"), cables).unwrap();
    let mut names = "group,switch,port,name,physical\n".to_owned();
    (0..18).for_each(|group| writeln!(names, "{group},,,x{group}<1>,").unwrap());
    fs::write(place.0.path().join("names.csv"), names).unwrap();
    place
}

#[test]
fn a_map_marks_the_kinds_and_where_links_are_fewer() {
    let report = two_kinds((2, 16)).report("out", &[]);
    let map = link_map(&report).unwrap();
    assert_eq!(map.matches("<title>groups ").count(), 18 * 17);
    for shown in [
        "<title>groups 2 x2&lt;1&gt; and 16 x16&lt;1&gt;: 0 links</title>",
        "<title>groups 16 x16&lt;1&gt; and 2 x2&lt;1&gt;: 0 links</title>",
        "<title>groups 0 x0&lt;1&gt; and 14 x14&lt;1&gt;: 2 links</title>",
        // The legend, and a bar along each axis for each kind.
        ">0 links: 1 pair of groups</text>",
        ">1 link: 47 pairs of groups</text>",
        ">2 links: 105 pairs of groups</text>",
        ">compute: groups 0 to 14</text>",
        ">storage: groups 15 to 17</text>",
    ] {
        assert!(map.contains(shown), "{shown}: {map}");
    }
    for (kind, bars) in [("compute: groups 0 to 14", 2), ("storage: groups 15 to 17", 2)] {
        assert_eq!(map.matches(&format!("height=\"3\"><title>{kind}</title>")).count(), bars / 2);
        assert_eq!(map.matches(&format!("<title>{kind}</title>")).count(), bars);
    }
    // Two cells and their swatch are of the first colour.
    assert_eq!(map.matches("class=\"h0\"").count(), 2 + 1);
    let pair = "<th scope=\"row\">2 x2&lt;1&gt; and 16 x16&lt;1&gt;</th><td class=\"n\">0</td>\
                <td class=\"n\">1</td>";
    assert!(report.contains(pair), "the pair that has fewer links than is usual");
    assert!(
        report.contains("an unused port of group 2</td>") || report.contains("(2,3) global port")
    );
}

/// What a browser has to say of a page on its console; none where there is no browser.
fn console(page: &Path, screenshot: &Path, options: &[&str]) -> Option<Vec<String>> {
    let home = tempfile::tempdir().unwrap();
    let run = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .args(["--hide-scrollbars", "--no-first-run"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(format!("--screenshot={}", screenshot.display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .output();
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            // Past the capture of the test, so that a log of all tests says it.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("skipped: the report in a browser needs chromium ({error})\n").as_bytes(),
            );
            return None;
        }
    };
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() && screenshot.exists(), "{said}");
    Some(said.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect())
}

#[test]
fn a_browser_has_nothing_to_complain_about() {
    let place = Place::new(&fabric(1, 4, 2, 5, "cables = \"cables.csv\"\n"));
    fs::write(place.0.path().join("plain.toml"), fabric(1, 4, 2, 5, "")).unwrap();
    place.run("tvlb topology plain.toml --format csv > cables.csv");
    place.report("out", &["--panel", "quick"]);
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let page = place.path("out");
    for (name, options) in [
        ("report.png", &["--window-size=1100,5000"][..]),
        ("report-phone.png", &["--window-size=500,7000"]),
        (
            "report-dark.png",
            &["--window-size=1100,5000", "--blink-settings=preferredColorScheme=0"],
        ),
    ] {
        let Some(said) = console(&page, &shots.join(name), options) else { return };
        assert!(said.is_empty(), "{said:?}");
    }
    print_it(&page, &shots.join("report.pdf"));
    // A page that does have an error is told from one that does not.
    let wrong = place.0.path().join("wrong.html");
    fs::write(&wrong, "<script>console.error('no')</script><img src='missing.png'>").unwrap();
    let said = console(&wrong, &shots.join("wrong.png"), &[]).unwrap_or_default();
    assert!(!said.is_empty());
}

/// On paper nothing can be opened, so all of it must be there.
fn print_it(page: &Path, pdf: &Path) {
    let home = tempfile::tempdir().unwrap();
    let run = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    match Command::new("pdftotext").arg(pdf).arg("-").output() {
        Ok(text) => {
            let text = String::from_utf8_lossy(&text.stdout).into_owned();
            for closed in ["Where the ports of group 4 lead", "Busiest local link of each switch"] {
                assert!(text.contains(closed), "{closed}: {text}");
            }
            // A list of cables would fill it.
            assert!(text.contains("it is left out on paper") && !text.contains("from_group"));
        }
        Err(error) => eprintln!("not read: pdftotext is not installed ({error})"),
    }
}
