//! The page of one switch, in the look of the report: its ports and what is beyond each, its sets with
//! their paths drawn, how it decides, and sizes. One HTML file without scripts that asks for nothing from
//! anywhere.

use super::installed::is_dead;
use super::words::{Count, second_min, sets_of};
use std::fmt::Write;
use tvlb_chart::bars::{Bar, BarGroup, Bars};
use tvlb_chart::page::{figure, page, paragraph, section, table};
use tvlb_chart::tiles::{Tile, tiles};
use tvlb_chart::{Ink, escaped};
use tvlb_firmware_model::{Scheme, Switch, VlbPaths};
use tvlb_generator::counted::counted;
use tvlb_generator::report::Draws;
use tvlb_generator::set_grammar::canonical;
use tvlb_generator::topology::names::Names;
use tvlb_schema::{Decision, DrawRule, End, Level, MinCandidate, Port, SwitchImage};

/// With more ports than this, their shares stand in the table alone.
const MOST_BARS: usize = 40;

/// What a page is of.
pub(super) struct Subject<'a> {
    pub(super) switch: &'a Switch<'a>,
    /// Bytes of its image and of the fabric's.
    pub(super) bytes: [usize; 2],
    pub(super) names: &'a Names,
    pub(super) fabric: &'a str,
    /// Whether an update is installed.
    pub(super) is_updated: bool,
}

/// A set with the decisions that draw from it.
struct Set {
    /// "set A".
    name: String,
    decisions: Vec<Decision>,
    draws: Draws,
}

/// One port of the switch.
struct Beyond {
    port: Port,
    kind: &'static str,
    /// In words.
    leads_to: String,
    /// Shorter, for a picture.
    short: String,
    name: String,
    physical: String,
    is_dead: bool,
}

/// The page, as the text of an HTML file.
pub(super) fn html(subject: &Subject<'_>) -> String {
    let image = subject.switch.image();
    let (number, own) = (image.switch(), subject.names.after(image.switch()));
    let title = format!("Switch {number}{own} of {}", subject.fabric);
    let sets: Vec<Set> = sets_of(image)
        .into_iter()
        .zip(["set A", "set B", "set C"])
        .map(|((_, decisions), name)| Set {
            name: name.to_owned(),
            draws: Draws::of(subject.switch, decisions[0]),
            decisions,
        })
        .collect();
    let ports = ports(subject);
    let mut body = format!("<h1>{}</h1>\n", escaped(&title));
    let _ = writeln!(body, "<p class=\"lead\">{}</p>", escaped(&what_it_is(subject, &ports)));
    body.push_str(&tiles(&figures(subject, &ports, &sets)));
    body.push_str(&section("ports", "Its ports", &ports_in_words(subject, &ports, &sets)));
    body.push_str(&section("sets", "The paths that it draws from", &sets_in_words(subject, &sets)));
    body.push_str(&section("sizes", "Sizes and virtual channels", &sizes(subject)));
    page(&title, &body)
}

fn what_it_is(subject: &Subject<'_>, ports: &[Beyond]) -> String {
    let image = subject.switch.image();
    let count = |kind: &str, noun: &str| {
        let of_kind = ports.iter().filter(|beyond| beyond.kind == kind);
        counted(of_kind.filter(|beyond| !beyond.leads_to.is_empty()).count() as u64, noun)
    };
    let update = if subject.is_updated { " An update is installed on it." } else { "" };
    format!(
        "It is switch {} of group {}{}, and has {}, {} within the group and {} to other \
         groups.{update}",
        image.index(),
        image.group(),
        subject.names.after_group(image.group()),
        count("node", "node"),
        count("local", "link"),
        count("global", "cable"),
    )
}

fn ports(subject: &Subject<'_>) -> Vec<Beyond> {
    let (switch, names) = (subject.switch, subject.names);
    let image = switch.image();
    let df = image.fabric().dragonfly();
    let first_global = df.slot_port(0).0;
    let numbers = (0..df.radix()).filter_map(|number| u16::try_from(number).ok());
    let beyond = |number: u16| {
        let port = Port(number);
        let slot = number.checked_sub(first_global);
        let (leads_to, short) = if let Some(node) = names.node_at(df, image.switch(), port) {
            (format!("node {node}"), String::new())
        } else if let Some((group, index)) = switch.neighbour(port) {
            let there = format!("switch {index}{}", names.after(df.switch(group, index)));
            match slot.and_then(|slot| image.peer(slot)) {
                Some(end) => (
                    format!(
                        "group {group}{}, {there}, global port {}",
                        names.after_group(group),
                        df.split_port(end.port).1
                    ),
                    format!("{number}: group {group}"),
                ),
                None => (there, format!("{number}: switch {index}")),
            }
        } else {
            (String::new(), String::new())
        };
        let named = names.port_number(df, image.switch(), port);
        Beyond {
            port,
            kind: match (u32::from(number) < df.p(), slot) {
                (true, _) => "node",
                (false, None) => "local",
                (false, Some(_)) => "global",
            },
            leads_to,
            short,
            name: named.map_or_else(String::new, |named| named.name.clone()),
            physical: image.physical_number(port).map_or_else(String::new, |n| n.to_string()),
            is_dead: is_dead(switch, port),
        }
    };
    numbers.map(beyond).collect()
}

/// The figures that count.
fn figures(subject: &Subject<'_>, ports: &[Beyond], sets: &[Set]) -> Vec<Tile> {
    let used = ports.iter().filter(|beyond| !beyond.leads_to.is_empty() && !beyond.is_dead);
    let dead = ports.iter().filter(|beyond| beyond.is_dead).count();
    let channels = subject.switch.channels_needed_for(Scheme::Par, VlbPaths::Custom);
    let mut all = vec![
        Tile {
            name: "Ports in use".to_owned(),
            figure: format!("{} of {}", used.count(), ports.len()),
            words: match dead {
                0 => "to nodes, within the group and to other groups".to_owned(),
                dead => format!("{dead} more lead to what is dead"),
            },
        },
        Tile {
            name: "Image".to_owned(),
            figure: format!("{} bytes", subject.bytes[0]),
            words: format!(
                "and {} bytes of the fabric's, the same for every switch",
                subject.bytes[1]
            ),
        },
        Tile {
            name: "Virtual channels".to_owned(),
            figure: format!("{} and {}", channels.local, channels.global),
            words: "on links within groups and between them, for PAR by the sets below".to_owned(),
        },
    ];
    let busiest = sets.first().and_then(|set| {
        let share = |beyond: &Beyond| set.draws.beginning_by(subject.switch, beyond.port);
        let shares = ports.iter().filter_map(|beyond| Some((share(beyond)?, beyond)));
        shares.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|found| (set, found))
    });
    if let Some((set, (share, beyond))) = busiest {
        all.push(Tile {
            name: "Most used by detours".to_owned(),
            figure: format!("port {}", beyond.port.0),
            words: format!(
                "{:.1}% of the draws of {} begin there: {}",
                100.0 * share,
                set.name,
                beyond.leads_to
            ),
        });
    }
    all
}

fn ports_in_words(subject: &Subject<'_>, ports: &[Beyond], sets: &[Set]) -> String {
    let has_names = ports.iter().any(|beyond| !beyond.name.is_empty());
    let has_numbers = ports.iter().any(|beyond| !beyond.physical.is_empty());
    let has_dead = ports.iter().any(|beyond| beyond.is_dead);
    let mut head = vec!["port".to_owned(), "link".to_owned(), "leads to".to_owned()];
    head.extend(has_names.then(|| "name".to_owned()));
    head.extend(has_numbers.then(|| "physical port".to_owned()));
    head.extend(has_dead.then(|| "state".to_owned()));
    head.extend(sets.iter().map(|set| format!("draws of {}", set.name)));
    let row = |beyond: &Beyond| {
        let leads_to = if beyond.leads_to.is_empty() { "nothing" } else { &beyond.leads_to };
        let mut row = vec![beyond.port.0.to_string(), beyond.kind.to_owned(), leads_to.to_owned()];
        row.extend(has_names.then(|| beyond.name.clone()));
        row.extend(has_numbers.then(|| beyond.physical.clone()));
        row.extend(has_dead.then(|| if beyond.is_dead { "dead" } else { "" }.to_owned()));
        row.extend(sets.iter().map(|set| {
            let share = set.draws.beginning_by(subject.switch, beyond.port);
            share.map_or_else(String::new, |share| format!("{:.2}%", 100.0 * share))
        }));
        row
    };
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut html = table(&head, ports.iter().map(row));
    html.push_str(&paragraph(&format!(
        "The last columns say how often a VLB path that this switch draws begins with the link{}. Several \
         links to the same switch of the group count together.",
        sample(sets)
    )));
    let groups: Vec<BarGroup> = sets
        .iter()
        .map(|set| {
            let bar = |beyond: &Beyond| {
                let share = 100.0 * set.draws.beginning_by(subject.switch, beyond.port)?;
                let words = format!("{share:.1}%");
                Some(Bar {
                    name: beyond.short.clone(),
                    ink: Ink::Ours,
                    value: share,
                    error: 0.0,
                    words,
                })
            };
            BarGroup { name: set.name.clone(), bars: ports.iter().filter_map(bar).collect() }
        })
        .collect();
    let bars = groups.iter().map(|group| group.bars.len()).sum::<usize>();
    if (1..=MOST_BARS).contains(&bars) {
        let title = "share of draws by the port where they begin".to_owned();
        let picture = Bars { title, axis: "share of draws (percent)".to_owned(), groups };
        let what = "The port where a VLB path begins, with what is beyond it: the share of draws.";
        html.push_str(&figure(&picture.svg(), what));
    }
    html
}

/// What is to be said of a sample.
fn sample(sets: &[Set]) -> String {
    match sets.first().map(|set| set.draws.looked_at()) {
        Some([looked_at, all]) if looked_at < all => {
            format!(", the mean over {looked_at} of {all} switches in other groups")
        }
        Some([_, all]) => format!(", the mean over all {all} switches in other groups"),
        None => String::new(),
    }
}

fn sets_in_words(subject: &Subject<'_>, sets: &[Set]) -> String {
    let image = subject.switch.image();
    let mut html = String::from("<div class=\"cards\">\n");
    for Set { name, decisions, draws } in sets {
        let view = image.set(decisions[0]);
        let rule = view.rule();
        let _ = writeln!(
            html,
            "<div class=\"card\"><h3>S{}</h3>\n<p><code>{}</code>; seed {}</p>\n<p>{}</p>",
            &name[1..],
            escaped(&canonical(rule)),
            rule.seed,
            escaped(&decisions.iter().map(|&d| decides(image, d)).collect::<Vec<_>>().join("; "))
        );
        if rule.shapes().is_empty() {
            html.push_str(
                "<p>No VLB route: packets take MIN where a cable joins the groups.</p>\n",
            );
        } else {
            html.push_str(&draws.picture(name));
        }
        html.push_str("</div>\n");
    }
    html.push_str("</div>\n");
    html.push_str(&paragraph(&format!(
        "The pictures are the shapes of paths from this group through a third group to the destination: dots \
         are switches, upright lines hops within a group. Below each is the share of draws that have it{}.",
        sample(sets)
    )));
    for set in sets {
        html.push_str(&kept(subject, set));
    }
    html
}

/// How a decision weighs: "ugal-l decides with T = 0, candidates 1x4, gate 1.25".
fn decides(image: &SwitchImage<'_>, decision: Decision) -> String {
    let min = if decision == Decision::ParSecond { image.second_min() } else { MinCandidate::Kept };
    format!("{} decides with {}{}", decision.name(), image.weighing(decision), second_min(min))
}

/// What the image keeps of a set, shape by shape and, where it is thinned, link by link.
fn kept(subject: &Subject<'_>, set: &Set) -> String {
    let image = subject.switch.image();
    let df = image.fabric().dragonfly();
    let view = image.set(set.decisions[0]);
    let rule = view.rule();
    if rule.shapes().is_empty() {
        return String::new();
    }
    let by_shape = matches!(rule.draw, DrawRule::ByShape { .. });
    let rows = rule.shapes().iter().map(|shape| {
        let mut row = vec![
            shape.to_string(),
            shape.hops().to_string(),
            format!("{}%", f64::from(rule.keep_of(shape).parts()) / 100.0),
        ];
        if by_shape {
            let others = df.switches().filter(|&to| df.place(to).0 != image.group());
            let have_it = others.filter(|&to| view.shapes_to(to).contains(shape)).count();
            row.extend([rule.weight_of(shape).to_string(), have_it.to_string()]);
        }
        row
    });
    let head = ["shape", "hops", "routes kept", "weight", "destinations that have it"];
    let head = if by_shape { &head[..] } else { &head[..3] };
    let mut html = format!("<h3>S{}, shape by shape</h3>\n{}", &set.name[1..], table(head, rows));
    if view.is_thinned() {
        let thinned = df.global_ports().filter(|&x| view.level(x) != Level::ALL);
        let row = |x| {
            let end = End { group: image.group(), port: x };
            let to = image.fabric().peer(end).map(|peer| {
                format!("group {}{}", peer.group, subject.names.after_group(peer.group))
            });
            vec![
                subject.names.end_in_words(df, end),
                to.unwrap_or_else(|| "nothing".to_owned()),
                format!("{:.2}%", f64::from(view.level(x).number() + 1) / 0.16),
            ]
        };
        html.push_str(&paragraph(
            "The set is thinned: of the routes that begin with these links to other groups only a part is kept.",
        ));
        html.push_str(&table(
            &["first link to another group", "leads to", "routes kept"],
            thinned.map(row),
        ));
    }
    html
}

fn sizes(subject: &Subject<'_>) -> String {
    let Subject { switch, bytes: [own, fabric], .. } = subject;
    let of = |scheme, paths| Count(switch.channels_needed_for(scheme, paths)).to_string();
    let mut html = table(
        &["", "bytes"],
        [
            vec!["the image of the switch".to_owned(), own.to_string()],
            vec!["the fabric image, the same for every switch".to_owned(), fabric.to_string()],
        ],
    );
    let name = switch.image().virtual_channels().name();
    html.push_str(&paragraph(&format!("Virtual channels are assigned by the rule {name}.")));
    let row = |name: &str, scheme| {
        vec![name.to_owned(), of(scheme, VlbPaths::Custom), of(scheme, VlbPaths::Conventional)]
    };
    html.push_str(&table(
        &["", "channels that the sets need", "where packets draw conventionally"],
        [row("MIN, VLB and UGAL", Scheme::UgalL), row("PAR", Scheme::Par)],
    ));
    html
}
