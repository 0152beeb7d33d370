//! The escape network, drawn between groups, and the rules by which switches decide at every hop.

use super::fabric_picture::{discs, on_ring, open};
use super::subject::Subject;
use crate::escape::find;
use std::fmt::Write;
use tvlb_chart::page::{figure, paragraph, table};
use tvlb_schema::{End, EscapeNetwork, GroupId, LocalPercent, OfarRules, Port, SwitchId};
use tvlb_table_set::EscapeEntry;
use tvlb_topology::Topology;

/// Above so many groups the network is not drawn.
const MOST_GROUPS: u32 = 128;

/// The section, where the table set has an escape network.
pub(super) fn body(subject: &Subject<'_>) -> Option<String> {
    let EscapeEntry { network, found_by, rules, file } = subject.manifest.escape.as_ref()?;
    let settings = subject.fabric.file.escape.as_ref()?;
    let topology = &subject.fabric.topology;
    // The stage that wrote the image has found it, in the same way.
    let found = find(topology, settings.kind, settings.root).ok()?;
    let mut html = paragraph(&format!(
        "By this {network} over all switches a packet goes on that decides at every hop and finds room nowhere \
         else, so that packets never wait for each other for ever. How it was found: {found_by}. Its image, the \
         same for every switch, has {} bytes.",
        file.bytes
    ));
    let hops = between_groups(topology, &found.network);
    if topology.dragonfly().g() <= MOST_GROUPS {
        let caption = format!(
            "All groups, and the {} links of the escape network that join two of them. Within a group it goes \
             from switch to switch.",
            hops.len()
        );
        html.push_str(&figure(&picture(topology, &hops), &caption));
    }
    html.push_str(&table(&["rule", "value"], rules_in_words(rules)));
    Some(html)
}

/// The groups that a hop of the network joins, hop by hop in its order.
fn between_groups(topology: &Topology, network: &EscapeNetwork) -> Vec<[GroupId; 2]> {
    let far_group = |switch: SwitchId, port: Port| {
        let df = topology.dragonfly();
        let (group, index) = df.place(switch);
        let slot = port.0.checked_sub(df.slot_port(0).0)?;
        let port = df.global_port(index, slot);
        let far = topology.peer(End { group, port })?;
        Some([group, far.group])
    };
    match network {
        EscapeNetwork::Ring(hops) => {
            hops.iter().filter_map(|&(switch, port)| far_group(switch, port)).collect()
        }
        EscapeNetwork::Tree(hangs) => {
            hangs.iter().filter_map(|&(switch, port, _)| far_group(switch, port?)).collect()
        }
    }
}

fn picture(topology: &Topology, hops: &[[GroupId; 2]]) -> String {
    let g = topology.dragonfly().g();
    let mut svg = open("the groups and the escape network between them");
    for hop in hops {
        let [(x, y), (to_x, to_y)] = hop.map(|group| on_ring(group.0.into(), g, 190.0));
        let _ = writeln!(
            svg,
            "<path class=\"odd\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"><title>from group {} to group \
             {}</title></path>",
            hop[0], hop[1]
        );
    }
    let radius = (560.0 / f64::from(g)).clamp(3.0, 15.0);
    let groups = topology.dragonfly().groups().map(|group| group.0.into());
    discs(&mut svg, (groups, g), 190.0, radius, ("group", &|_| String::new()));
    svg.push_str("</svg>\n");
    svg
}

fn rules_in_words(rules: &OfarRules) -> Vec<Vec<String>> {
    let &OfarRules { local_channels, global_channels, global_percent, strict, .. } = rules;
    let &OfarRules { by_set, by_length, bubble, throttle_percent, most_entries, .. } = rules;
    let least_percent = rules.least_percent;
    let LocalPercent { source, middle, destination } = rules.local_percent;
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let control = |is_there: bool, text: String| if is_there { text } else { "none".to_owned() };
    [
        (
            "canonical virtual channels on local and global links",
            format!("{local_channels} and {global_channels}"),
        ),
        (
            "misroute to another group, where it is used at most this much of the minimal output",
            format!("{global_percent}%"),
        ),
        (
            "misroute within the source's group, groups between, the destination's",
            format!("{source}%, {middle}%, {destination}%"),
        ),
        (
            "only where the minimal output is used at least so much",
            control(least_percent > 0, format!("{least_percent}%")),
        ),
        ("only where the minimal output was given away in the same cycle", yes(strict)),
        ("to another group only where a path of the T-VLB set begins", yes(by_set)),
        ("weighed by length", yes(by_length)),
        ("bubble at injection", control(bubble > 0, format!("{bubble} packets"))),
        (
            "throttle of the nodes of a switch",
            control(throttle_percent < 100, format!("above {throttle_percent}%")),
        ),
        (
            "entries after which a packet stays on the escape network",
            control(most_entries > 0, most_entries.to_string()),
        ),
    ]
    .map(|(what, value)| vec![what.to_owned(), value])
    .into()
}
