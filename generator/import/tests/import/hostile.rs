//! Spoilt texts: whatever they hold, an import ends with files or with an error, and never panics.

use super::make::{cable, dragonfly, dragonfly_plus, plan_of, rows};
use super::{fabric, files};
use proptest::prelude::*;
use tvlb_base::text::NamedText;
use tvlb_import::{Earlier, Grouping, Import, ImportError, TwoJacks};

/// Something to be done to a text.
#[derive(Clone, Debug)]
enum Spoil {
    Cut(usize),
    /// Replace the bytes at this place.
    Write(usize, Vec<u8>),
    /// Take a line away.
    Remove(usize),
    /// Say a line twice.
    Repeat(usize),
    /// Put one line in the place of another.
    Copy(usize, usize),
}

fn spoil() -> impl Strategy<Value = Spoil> {
    let words = prop::sample::select(vec![
        "none",
        "n/a",
        ",",
        "\"",
        "\n",
        "#",
        "x1000c0r1j1",
        "local",
        "global",
        "edge",
        "0",
        "[",
        "]",
        "Switch",
        "Ca",
        "S-",
        "\u{feff}",
        "\r",
        "=",
        "(",
    ]);
    let bytes = prop_oneof![
        words.prop_map(|word| word.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop_oneof![
        any::<usize>().prop_map(Spoil::Cut),
        (any::<usize>(), bytes).prop_map(|(at, bytes)| Spoil::Write(at, bytes)),
        any::<usize>().prop_map(Spoil::Remove),
        any::<usize>().prop_map(Spoil::Repeat),
        (any::<usize>(), any::<usize>()).prop_map(|(from, to)| Spoil::Copy(from, to)),
    ]
}

fn spoilt(text: &str, spoils: &[Spoil]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for spoil in spoils {
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let (length, count) = (bytes.len(), lines.len());
        if count == 0 {
            return bytes;
        }
        match spoil {
            Spoil::Cut(at) => bytes.truncate(at % length),
            Spoil::Write(at, new) => {
                let at = at % length;
                bytes.splice(at..(at + new.len()).min(length), new.iter().copied());
            }
            Spoil::Remove(line) => {
                lines.remove(line % count);
                bytes = lines.concat();
            }
            Spoil::Repeat(line) => {
                lines.insert(line % count, lines[line % count].clone());
                bytes = lines.concat();
            }
            Spoil::Copy(from, to) => {
                let line = lines[from % count].clone();
                lines[to % count] = line;
                bytes = lines.concat();
            }
        }
    }
    bytes
}

fn plan(bytes: &[u8]) -> Result<Import, ImportError> {
    tvlb_import::slingshot(
        vec![NamedText::of_text("plan.csv", bytes)],
        None,
        None,
        Some(TwoJacks::Crossed),
        &Earlier::default(),
    )
}

/// What was read can be written, and what was refused is said of a file or an option.
fn check(import: Result<Import, ImportError>) {
    match import {
        Ok(import) => {
            assert!(!files(&import).is_empty());
            assert!(import.summary().switches > 0);
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains("accepted"), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..Default::default() })]

    #[test]
    fn spoilt_plans(spoils in prop::collection::vec(spoil(), 1..4)) {
        let two = cable("x1000c0r0j40,x1000c1r1j40", "x1000c0r2j40,x1001c0r0j40", [0, 0]);
        let text = plan_of(&[rows(&[(0, 3, 1), (4, 3, 1), (9, 2, 2)], 2), vec![two]].concat());
        check(plan(&spoilt(&text, &spoils)));
    }

    #[test]
    fn spoilt_live_links_and_maps(spoils in prop::collection::vec(spoil(), 1..4)) {
        let text = plan_of(&rows(&[(0, 2, 1), (1, 2, 0)], 1));
        let live = spoilt("x1000c0r0j1p0-x1000c1r1j1p0\nx1000c1r1j2p1-x1001c0r0j2p1\n", &spoils);
        let map = spoilt("model,jack,port,asic_port\n*,1,0,3\nblade,1,1,4\n*,100,0,63\n", &spoils);
        check(tvlb_import::slingshot(
            vec![NamedText::of_text("plan.csv", text.as_bytes())],
            Some(NamedText::of_text("live.txt", &live)),
            Some(NamedText::of_text("jacks.csv", &map)),
            None,
            &Earlier::default(),
        ));
    }

    #[test]
    fn spoilt_networks(
        spoils in prop::collection::vec(spoil(), 1..4),
        is_plus in any::<bool>(),
        threshold in prop::option::of(0_u32..5),
        pattern in prop::option::of("[(]?[a-z(.*)0-9]{0,6}[)]?"),
    ) {
        let network =
            if is_plus { dragonfly_plus(3, [3, 2, 2], None) } else { dragonfly(&[4, 3, 4], 1, 2) };
        let bytes = spoilt(&network.text(), &spoils);
        let grouping = Grouping { pattern, threshold, roots: None };
        check(tvlb_import::ibnetdiscover(
            NamedText::of_text("fabric.txt", &bytes),
            &grouping,
            &Earlier::default(),
        ));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(plan(&bytes));
        check(tvlb_import::ibnetdiscover(
            NamedText::of_text("fabric.txt", &bytes),
            &Grouping::default(),
            &Earlier::default(),
        ));
    }
}

#[test]
fn texts_of_other_kinds_are_refused_with_their_place() {
    let utf_16: Vec<u8> = "cable_id,src".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(plan(&utf_16));
    let error = plan(b"# a\ncable_id,\xff\n").unwrap_err().to_string();
    assert_eq!(
        error,
        "plan.csv: line 2: byte 13 of the file is not UTF-8, accepted a text in UTF-8"
    );
    let long = format!("# {}\n", "a".repeat(1 << 16));
    let error = fabric(&long, None, None).unwrap_err().to_string();
    assert!(
        error.starts_with("fabric.txt: line 1: found a line of more than 65536 bytes"),
        "{error}"
    );
}
