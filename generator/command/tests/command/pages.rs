//! The pages of `diff --report` and `inspect --report`: what stands in them, and that they ask for nothing.

use crate::scratch::Scratch;
use std::fs;

/// A page that is whole and needs neither a network nor a script.
fn page(scratch: &Scratch, name: &str) -> String {
    let html = String::from_utf8(scratch.read(name)).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"), "{html}");
    let without = html.replace("http://www.w3.org/2000/svg", "");
    for asks in ["<script", "http:", "https:", "@import", "src=", "NaN", "inf%"] {
        assert!(!without.contains(asks), "{asks}: {html}");
    }
    for element in ["section", "table", "figure", "svg", "details", "div", "p"] {
        let (opened, closed) = (format!("<{element}>"), format!("</{element}>"));
        let begins = html.matches(&opened).count() + html.matches(&format!("<{element} ")).count();
        assert_eq!(begins, html.matches(&closed).count(), "{element}: {html}");
    }
    html
}

/// What stands in the cells of a row that begins so.
fn row<'h>(html: &'h str, first: &str) -> Vec<&'h str> {
    let begin = format!("<tr><th scope=\"row\">{first}</th>");
    let (_, rest) = html.split_once(&begin).unwrap_or_else(|| panic!("no row {first}: {html}"));
    let (row, _) = rest.split_once("</tr>").unwrap();
    let cell = |cell: &'h str| cell.split_once('>').unwrap().1.split_once("</td>").unwrap().0;
    row.split("<td").skip(1).map(cell).collect()
}

/// Two table sets: other cables and other sets, or the same.
fn two_sets() -> Scratch {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let generate = |fabric: &str, name: &str, set: &str| {
        let run = scratch.tvlb_with(["generate", fabric, "-q", "-o", name, "--set", set]);
        assert_eq!(run.code, 0, "{run}");
    };
    generate("fabric.toml", "old", "shapes:011");
    let cables = scratch.succeeds("topology fabric.toml --format csv");
    let fewer: Vec<&str> = cables.lines().filter(|line| *line != "0,0,0,1,0,0").collect();
    assert_eq!(fewer.len() + 1, cables.lines().count());
    scratch.write("cables.csv", fewer.join("\n"));
    let text = "name = \"dfly-2-4-2-9\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n\
                cables = \"cables.csv\"\n";
    scratch.write("fewer.toml", text);
    generate("fewer.toml", "new", "shapes:111");
    scratch
}

#[test]
fn a_difference_as_a_page() {
    let scratch = two_sets();
    let words = scratch.differs("diff old new --report page.html");
    assert_eq!(scratch.differs("diff old new"), words);
    let html = page(&scratch, "page.html");
    for section in ["packets", "wiring", "switches", "manifests"] {
        assert!(html.contains(&format!("<section id=\"{section}\">")), "{section}");
    }
    assert!(html.contains("<h1>What changed from old to new</h1>"), "{html}");
    assert!(html.contains("<b>−1 +0</b>") && html.contains("<b>36 of 36</b>"), "{html}");
    let cable = row(&html, "group 0, switch 0, global port 0");
    assert_eq!(cable, ["group 1, switch 0, global port 0"]);
    // The figures are those of JSON.
    let json: serde_json::Value =
        serde_json::from_str(&scratch.differs("diff old new --json")).unwrap();
    let mode = &json["modes"][1];
    let cells = row(&html, "ugal-l");
    assert_eq!(cells[0], format!("{} of 1152", mode["pairs-affected"]));
    let hops = |side: &str| mode["mean-hops"][side].as_f64().unwrap();
    assert_eq!(cells[2], format!("{:.3}\u{a0}→\u{a0}{:.3}", hops("old"), hops("new")));
    assert_eq!(row(&html, "sets.ugal-l.set"), ["shapes:011", "shapes:111"]);
    // At any number of threads, and with nothing printed.
    assert_eq!(scratch.differs("diff old new --quiet --threads 1 --report one.html"), "");
    assert_eq!(page(&scratch, "one.html"), html);
    scratch.succeeds("diff old old --report same.html");
    assert!(page(&scratch, "same.html").contains("Nothing did: every image is the same"));
    let run = scratch.tvlb("diff old new --report new/page.html");
    assert!(run.code == 2 && run.stderr.contains("it is within the table set"), "{run}");
}

#[test]
fn sizes_that_differ_are_said_on_the_page() {
    let scratch = two_sets();
    let other = "name = \"other\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 7\n";
    scratch.write("other.toml", other);
    let generate = ["generate", "other.toml", "-q", "-o", "other", "--set", "shapes:011"];
    assert_eq!(scratch.tvlb_with(generate).code, 0);
    scratch.differs("diff old other --report page.html");
    let html = page(&scratch, "page.html");
    assert!(html.contains("wiring, switches and pairs are not compared"), "{html}");
    assert!(!html.contains("<section id=\"packets\">"), "{html}");
}

#[test]
fn a_switch_as_a_page() {
    let scratch = two_sets();
    let words = scratch.succeeds("inspect new --switch 0 --report page.html");
    assert_eq!(scratch.succeeds("inspect new --switch 0"), words);
    let html = page(&scratch, "page.html");
    for section in ["ports", "sets", "sizes"] {
        assert!(html.contains(&format!("<section id=\"{section}\">")), "{section}");
    }
    assert!(html.contains("<h1>Switch 0 of dfly-2-4-2-9</h1>"), "{html}");
    assert!(html.contains("shapes:111") && html.contains("<b>6 of 7</b>"), "{html}");
    assert!(
        html.contains("has 2 nodes, 3 links within the group and 1 cable to other groups"),
        "{html}"
    );
    assert_eq!(row(&html, "0"), ["node", "node 0", ""]);
    assert_eq!(row(&html, "5"), ["global", "nothing", ""]);
    let shares: f64 = (0..7)
        .filter_map(|port| row(&html, &port.to_string())[2].strip_suffix('%')?.parse::<f64>().ok())
        .sum();
    assert!((shares - 100.0).abs() < 0.05, "{shares}");
    // What the text says of every port, the page says.
    let (_, ports) = words.split_once("port  leads to\n").unwrap();
    let ports: Vec<&str> = ports.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(ports.len(), 7);
    for line in ports {
        let (number, leads_to) = line.trim().split_once("  ").unwrap();
        let cells = row(&html, number);
        let leads_to =
            leads_to.replace("group 0, ", if cells[0] == "local" { "" } else { "group 0, " });
        assert_eq!(cells[1], leads_to, "{line}");
    }
    assert_eq!(scratch.succeeds("inspect new --switch 0 --report again.html"), words);
    assert_eq!(page(&scratch, "again.html"), html);
    for (arguments, said) in [
        ("inspect new --report page.html", "--switch"),
        ("inspect new --switch 0 --report new/page.html", "it is within the table set"),
        ("inspect new --switch 36 --report none.html", "36"),
    ] {
        let run = scratch.tvlb(arguments);
        assert!(run.code == 2 && run.stderr.contains(said), "{arguments}: {run}");
    }
    assert!(fs::metadata(scratch.path("none.html")).is_err());
}

/// The page is of the switch as it is once an update is installed, and marks what is dead.
#[test]
fn the_page_of_a_switch_marks_what_is_dead() {
    let scratch = Scratch::with_table_set();
    scratch.write("dead.txt", "cable (0,0):0\n");
    scratch.succeeds("faults out --faults dead.txt -o update");
    scratch.succeeds("inspect out --switch 0 --update update --report page.html");
    let html = page(&scratch, "page.html");
    assert!(
        html.contains("An update is installed on it.") && html.contains(">state</th>"),
        "{html}"
    );
    assert_eq!(row(&html, "5")[2], "dead");
    assert_eq!(row(&html, "6")[2], "");
}
