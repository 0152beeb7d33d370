//! The proof holds of what switches answer, and fails by name where they answer otherwise.

use super::*;

const FABRIC: &[u8] = include_bytes!("../../../../schema/golden/v3/fabric.tvlb");
const RING: &[u8] = include_bytes!("../../../../schema/golden/v3/escape-ring.tvlb");
const TREE: &[u8] = include_bytes!("../../../../schema/golden/v3/escape-tree.tvlb");

/// What is changed in an answer: at a switch, of a packet with a header.
type Change<'c> = dyn Fn(SwitchId, Header, Ask) -> Ask + Sync + 'c;

fn proved(escape: &[u8], change: &Change<'_>) -> Result<EscapeCertificate, Unproved> {
    let tables = tempfile::tempdir().unwrap();
    let df = *FabricImage::decode(FABRIC).unwrap().dragonfly();
    let file = format!(
        "name = \"small\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = {}\n[routing]\nset = \"all\"",
        df.g()
    );
    let path = tables.path().join("small.toml");
    std::fs::write(&path, file).unwrap();
    let fabric = tvlb_generator::fabric::Fabric::load(&path).unwrap();
    let policies = tvlb_schema::PerDecision::same(tvlb_generator::policy::Policy::from(
        tvlb_table_set::grammar::parse_set("all", 1).unwrap(),
    ));
    let made = tvlb_generator::tables::tables_of(&fabric, &policies, &()).unwrap();
    let fabric = FabricImage::decode(&made.images.fabric).unwrap();
    let image = EscapeImage::decode(escape, &fabric).unwrap();
    let switches: Vec<Switch<'_>> =
        made.images.switches.iter().map(|bytes| Switch::boot_in(&fabric, bytes).unwrap()).collect();
    let asked: Vec<Ofar<'_, '_>> =
        switches.iter().map(|switch| Ofar::new(switch, &image).unwrap()).collect();
    let answer = |at: SwitchId, header: Header, outputs: &dyn Outputs| {
        let mut rng = DefaultRng::seed_from_u64(1);
        let asked = asked[at.as_usize()].ask(header, outputs, &mut rng)?;
        Ok(change(at, header, asked))
    };
    prove_answers(&fabric, &image, &answer, &())
}

#[test]
fn it_holds_of_a_ring_and_of_a_tree() {
    for (escape, network) in [(RING, "ring"), (TREE, "tree")] {
        let proved = proved(escape, &|_, _, asked| asked).unwrap();
        assert_eq!(
            (proved.network.as_str(), proved.switches, proved.destinations),
            (network, 36, 36)
        );
        assert_eq!(proved.longest, [8, 2]);
        assert!(proved.asked > 36 * 36 * 60, "{}", proved.asked);
    }
}

/// If nothing limits entries no state has to stay on the escape network, and none deadlocks either.
#[test]
fn it_holds_without_a_limit_of_entries_and_with_a_least_share() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    for image in [RING, TREE] {
        let image = EscapeImage::decode(image, &fabric).unwrap();
        let rules = tvlb_ofar::OfarRules { most_entries: 0, least_percent: 100, ..*image.rules() };
        let network = tvlb_ofar::EscapeNetwork::of(&image);
        let bytes = tvlb_ofar::encode_escape_image(&fabric, &network, &rules).unwrap();
        let found = proved(&bytes, &|_, _, asked| asked).unwrap();
        assert_eq!((found.most_entries, found.longest), (0, [8, 2]));
        let stays = |_, header: Header, asked| match asked {
            Ask::Send { header: after, .. } if header.bits() >> 36 & 15 == 15 => {
                let escape = Header::from_bits(after.bits() | 1 << 34);
                Ask::Send { port: Port(2), virtual_channel: 7, header: escape, room: 1 }
            }
            other => other,
        };
        assert!(proved(&bytes, &stays).is_err());
    }
}

#[test]
fn what_breaks_a_rule_is_refused_by_name() {
    let is_from_node = |header: Header| header.bits() & 0xe0 == 0;
    let is_escape = |header: Header| header.bits() >> 34 & 1 == 1;
    let of_room = |asked: Ask, enters: bool, to: u16| match asked {
        Ask::Send { port, virtual_channel, header, .. } if enters => {
            Ask::Send { port, virtual_channel, header, room: to }
        }
        other => other,
    };
    let enters = |before: Header, asked: Ask| match asked {
        Ask::Send { header, .. } => is_escape(header) && !is_escape(before),
        _ => false,
    };
    let cases: [(&[u8], &Change<'_>, &str); 8] = [
        // A ring is entered with room for one packet.
        (RING, &|_, h, a| of_room(a, enters(h, a), 1), "nothing but the escape network has room"),
        // One that is on the ring asks for room for two.
        (RING, &|_, h, a| of_room(a, is_escape(h), 2), "nothing but the escape network has room"),
        // A canonical packet waits although all is full.
        (
            TREE,
            &|_, h, a| if enters(h, a) { Ask::Wait } else { a },
            "nothing but the escape network has room",
        ),
        // One switch sends the wrong way.
        (
            RING,
            &|at, _, a| match a {
                Ask::Send { virtual_channel, header, room, .. }
                    if at.0 == 7 && is_escape(header) =>
                {
                    Ask::Send { port: Port(2), virtual_channel, header, room }
                }
                other => other,
            },
            "nothing but the escape network has room",
        ),
        // The escape network's channel is a canonical one.
        (
            RING,
            &|_, _, a| match a {
                Ask::Send { port, header, room, .. } if is_escape(header) => {
                    Ask::Send { port, virtual_channel: 0, header, room }
                }
                other => other,
            },
            "nothing but the escape network has room",
        ),
        // An injection queue sends into the escape network.
        (
            TREE,
            &|_, h, a| match a {
                Ask::Wait if is_from_node(h) => {
                    Ask::Send { port: Port(2), virtual_channel: 2, header: h, room: 1 }
                }
                other => other,
            },
            "nothing is injected into the escape network",
        ),
        // The bubble is forgotten.
        (RING, &|_, h, a| of_room(a, is_from_node(h), 1), "canonical channels have room"),
        // A misroute is not noted, so that it may be repeated for ever.
        (
            RING,
            &|_, _, a| match a {
                Ask::Send { port, virtual_channel, header, room } => {
                    let forgotten = header.bits() & !(1 << 32 | 1 << 33);
                    let header = Header::from_bits(forgotten);
                    Ask::Send { port, virtual_channel, header, room }
                }
                other => other,
            },
            "",
        ),
    ];
    for (number, (escape, change, expected)) in cases.into_iter().enumerate() {
        let error = proved(escape, change).expect_err(&number.to_string()).to_string();
        assert!(error.contains(expected), "{number}: {error}");
    }
}

#[test]
fn canonical_paths_that_come_back_are_found() {
    // Within a group a packet is misrouted again and again, because nobody notes it.
    let change = |_: SwitchId, before: Header, asked: Ask| match asked {
        Ask::Send { port, virtual_channel, header, room }
            if before.bits() >> 30 & 1 == 1 && header.bits() >> 34 & 1 == 0 =>
        {
            let header = Header::from_bits(header.bits() & !(1 << 32));
            Ask::Send { port, virtual_channel, header, room }
        }
        other => other,
    };
    let error = proved(RING, &change).unwrap_err().to_string();
    assert!(error.contains("canonical paths come back to switch"), "{error}");
}
