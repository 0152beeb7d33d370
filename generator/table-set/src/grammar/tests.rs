use super::*;
use proptest::prelude::*;
use tvlb_schema::{DrawRule, Keep, LegHops, SetRule};

fn rule(text: &str) -> SetRule {
    parse_set(text, 7).unwrap_or_else(|error| panic!("{}\n{error}", error.marked(text)))
}

/// What the rule keeps: `011`, then `/parts` of 10 000 unless whole, then `*weight` if it has one.
fn kept(text: &str) -> String {
    let rule = rule(text);
    let mut words = Vec::new();
    for shape in rule.shapes().iter() {
        let part = match rule.keep_of(shape) {
            Keep::ALL => String::new(),
            part => format!("/{}", part.parts()),
        };
        let weight = rule.is_by_shape().then(|| format!("*{}", rule.weight_of(shape)));
        let weight = weight.unwrap_or_default();
        words.push(format!("{shape}{part}{weight}"));
    }
    words.join(" ")
}

#[test]
fn named_sets_hold_the_shapes_that_they_are_defined_by() {
    assert_eq!(kept("min"), "");
    assert_eq!(kept("all"), "000 001 010 011 020 021 100 101 110 111 120 121");
    assert_eq!(kept("6-hop"), kept("all"));
    assert_eq!(kept("2-hop"), "000");
    assert_eq!(kept("3-hop"), "000 001 010 100");
    assert_eq!(kept("4-hop"), "000 001 010 011 020 100 101 110");
    assert_eq!(kept("5-hop"), "000 001 010 011 020 021 100 101 110 111 120");
    assert_eq!(kept("strategic-2-3"), "000 001 010 011 020 021 100 101 110 111");
    assert_eq!(kept("strategic-3-2"), "000 001 010 011 020 100 101 110 111 120");
    assert_eq!(kept("shapes:011"), "000 001 010 011");
    assert_eq!(kept("shapes:011+110"), "000 001 010 011 100 110");
    assert_eq!(kept("only:011+110"), "011 110");
}

/// Names of the literature are read; what is printed is the set.
#[test]
fn valg_and_valn_are_names_of_other_sets() {
    assert_eq!(rule("valg"), rule("shapes:111"));
    assert_eq!(rule(" valg by shape"), rule("shapes:111 by shape"));
    assert_eq!(rule("2*valg, only:020"), rule("2*shapes:111, only:020"));
    assert_eq!(rule("valn"), rule("switches:3-3 with returns"));
    assert_eq!(canonical(&rule("valg")), "shapes:111");
    assert_eq!(canonical(&rule("valn")), "switches:3-3 with returns");
    for text in ["valn by route", "valn, all", "valn with returns", "2*valn", "50% valg", "VALg"] {
        assert!(parse_set(text, 7).is_err(), "{text}");
    }
}

#[test]
fn a_percentage_of_n_hop_thins_only_the_longest() {
    assert_eq!(kept("60% 5-hop"), "000 001 010 011 020 021/6000 100 101 110 111/6000 120/6000");
    assert_eq!(kept("1.01% 2-hop"), "000/101");
    assert_eq!(kept("100% 4-hop"), kept("4-hop"));
    assert_eq!(kept("100.00% 4-hop"), kept("4-hop"));
}

#[test]
fn a_percentage_of_shapes_thins_them_all() {
    assert_eq!(kept("12.5% shapes:010"), "000/1250 010/1250");
    assert_eq!(kept("7.25% only:010"), "010/725");
}

#[test]
fn a_union_sums_weights_and_keeps_the_largest_fraction() {
    assert_eq!(kept("50% only:000+001, 2-hop by shape"), "000*2 001/5000*1");
    assert_eq!(kept("3*only:000, only:000+010, 2 * 5% only:010"), "000*4 010*3");
    assert_eq!(kept("5% only:000, 10% only:000, 7% only:000"), "000/1000");
}

#[test]
fn the_draw_rule_is_by_route_unless_by_shape_or_a_weight_is_written() {
    assert_eq!(rule("all").draw, DrawRule::ByRoute);
    assert_eq!(rule("all by route"), rule("all"));
    let equal = DrawRule::ByShape { weights: [1; 12] };
    assert_eq!(rule("all by shape").draw, equal);
    assert_eq!(rule("1*all").draw, equal);
    assert_eq!(rule("1*all by shape").draw, equal);
}

#[test]
fn the_seed_comes_from_outside() {
    assert_eq!(parse_set("60% 5-hop", 99).unwrap().seed, 99);
}

#[test]
fn white_space_is_free_and_case_is_not() {
    assert_eq!(
        rule("\n 3 *60 % 5-hop ,only : 000\t+ 121  by  shape "),
        rule("3*60% 5-hop,only:000+121 by shape")
    );
    assert_eq!(rule("60%5-hop"), rule("60% 5-hop"));
    assert!(parse_set("ALL", 0).is_err());
}

/// Each text with its error, as a user sees them.
fn errors(texts: &[&str]) -> String {
    let errors: Vec<String> = texts
        .iter()
        .map(|text| {
            let error = parse_set(text, 0).unwrap_err();
            format!("{}\n{error}\n", error.marked(text))
        })
        .collect();
    errors.join("\n")
}

#[test]
fn a_misplaced_word_or_mark_is_named_with_what_could_stand_there() {
    let nothing = parse_set("", 0).unwrap_err();
    assert_eq!(parse_set(" \n", 0), Err(nothing.clone()));
    assert!(nothing.to_string().starts_with("column 1: found the end,"));
    insta::assert_snapshot!(errors(&[
        "al", "7-hop", "04-hop", "4-hop,", "3*4*all", "60% all", "60%", "+5% 4-hop", "é all",
        "4-hop 5-hop", "4-hop+5-hop", "all \u{0} by route", "shapes", "shapes:", "shapes:031",
        "shapes:11", "only:011 + all", "shapes:011 110", "all by", "all by hop",
        "all by shape, min",
    ]), @r"
    al
    ^^
    column 1: found `al`, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    7-hop
    ^^^^^
    column 1: found `7-hop`, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    04-hop
    ^^^^^^
    column 1: found `04-hop`, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    4-hop,
          ^
    column 7: found the end, accepted `all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`

    3*4*all
      ^
    column 3: found `4`, accepted `all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:` or a percentage as in `60%` after a weight

    60% all
        ^^^
    column 5: found `all`, accepted `2-hop` to `6-hop`, `shapes:` or `only:` after a percentage

    60%
       ^
    column 4: found the end, accepted `2-hop` to `6-hop`, `shapes:` or `only:` after a percentage

    +5% 4-hop
    ^
    column 1: found `+`, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    é all
    ^
    column 1: found `é`, accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`

    4-hop 5-hop
          ^^^^^
    column 7: found `5-hop`, accepted `,` and another term, `by route`, `by shape` or the end

    4-hop+5-hop
         ^
    column 6: found `+`, accepted `,` and another term, `by route`, `by shape` or the end

    all   by route
        ^
    column 5: found `\0`, accepted `,` and another term, `by route`, `by shape` or the end

    shapes
          ^
    column 7: found the end, accepted `:` and shapes, as in `shapes:011+110`

    shapes:
           ^
    column 8: found the end, accepted a shape: three digits, the first and last 0 or 1, the middle one 0 to 2

    shapes:031
           ^^^
    column 8: found `031`, accepted a shape: three digits, the first and last 0 or 1, the middle one 0 to 2

    shapes:11
           ^^
    column 8: found `11`, accepted a shape: three digits, the first and last 0 or 1, the middle one 0 to 2

    only:011 + all
               ^^^
    column 12: found `all`, accepted a shape: three digits, the first and last 0 or 1, the middle one 0 to 2

    shapes:011 110
               ^^^
    column 12: found `110`, accepted `+` and another shape, `,` and another term, `by route`, `by shape` or the end

    all by
          ^
    column 7: found the end, accepted `route` or `shape` after `by`

    all by hop
           ^^^
    column 8: found `hop`, accepted `route` or `shape` after `by`

    all by shape, min
                ^
    column 13: found `,`, accepted the end
    ");
}

#[test]
fn a_number_out_of_range_is_named_with_its_range() {
    insta::assert_snapshot!(errors(&[
        "0% 4-hop", "100.01% 4-hop", "1.234% 4-hop", ".5% 4-hop", "0.99% 4-hop", "-5% 4-hop",
        "99999999999999999999% 4-hop", "0*all", "65536*all", "1.5*all", "65535*all, only:011",
    ]), @r"
    0% 4-hop
    ^
    column 1: percentage `0%`, but a percentage is 1 to 100 and has at most two decimals

    100.01% 4-hop
    ^^^^^^
    column 1: percentage `100.01%`, but a percentage is 1 to 100 and has at most two decimals

    1.234% 4-hop
    ^^^^^
    column 1: percentage `1.234%`, but a percentage is 1 to 100 and has at most two decimals

    .5% 4-hop
    ^^
    column 1: percentage `.5%`, but a percentage is 1 to 100 and has at most two decimals

    0.99% 4-hop
    ^^^^
    column 1: percentage `0.99%`, but a percentage is 1 to 100 and has at most two decimals

    -5% 4-hop
    ^^
    column 1: percentage `-5%`, but a percentage is 1 to 100 and has at most two decimals

    99999999999999999999% 4-hop
    ^^^^^^^^^^^^^^^^^^^^
    column 1: percentage `99999999999999999999%`, but a percentage is 1 to 100 and has at most two decimals

    0*all
    ^
    column 1: weight `0`, but a weight is a whole number, 1 to 65535

    65536*all
    ^^^^^
    column 1: weight `65536`, but a weight is a whole number, 1 to 65535

    1.5*all
    ^^^
    column 1: weight `1.5`, but a weight is a whole number, 1 to 65535

    65535*all, only:011
               ^^^^^^^^
    column 12: with this term shape 011 has weight 65536, but the weights of one shape may add up to 65535 at most
    ");
}

#[test]
fn what_cannot_go_together_is_named() {
    insta::assert_snapshot!(errors(&[
        "min, all", "all, min", "3*min", "60% min", "2*all by route",
    ]), @r"
    min, all
    ^^^
    column 1: found `min` with a weight or another term, but `min` (no VLB route) stands alone

    all, min
         ^^^
    column 6: found `min` with a weight or another term, but `min` (no VLB route) stands alone

    3*min
    ^^^^^
    column 1: found `min` with a weight or another term, but `min` (no VLB route) stands alone

    60% min
        ^^^
    column 5: found `min`, accepted `2-hop` to `6-hop`, `shapes:` or `only:` after a percentage

    2*all by route
          ^^^^^^^^
    column 7: found `by route` in a set with weights, but weights mean `by shape`
    ");
}

#[test]
fn canonical_texts_are_the_usual_names() {
    for text in [
        "min",
        "min by shape",
        "all",
        "2-hop",
        "3-hop",
        "4-hop",
        "5-hop",
        "strategic-2-3",
        "strategic-3-2 by shape",
        "60% 5-hop",
        "60% 5-hop by shape",
        "3*12.5% 6-hop",
        "1% 2-hop",
        "shapes:011+110",
        "5*shapes:011+110",
        "7.25% shapes:021",
        "only:011+110",
        "only:121 by shape",
        "only:000+001, 50% only:011",
        "only:000+001, 3*only:011, 2*33.03% only:021",
    ] {
        assert_eq!(canonical(&rule(text)), text);
    }
    for (long, short) in [
        ("6-hop", "all"),
        ("shapes:000", "2-hop"),
        ("shapes:000+011+001", "shapes:011"),
        ("100.0% 4-hop by route", "4-hop"),
        ("only:000+001+010+011", "shapes:011"),
        ("1*all", "all by shape"),
        ("all, all by shape", "2*all"),
        ("4-hop, only:111+021", "strategic-2-3"),
    ] {
        assert_eq!(canonical(&rule(long)), short);
    }
}

#[test]
fn every_set_of_switches_comes_back() {
    for bits in 0..=u16::MAX {
        let Some(legs) = LegHops::from_bits(bits) else { continue };
        for returns in [false, true] {
            let rule = SetRule::by_switch(legs, returns);
            assert_eq!(rule.check(), Ok(()));
            assert_eq!(parse_set(&canonical(&rule), 0), Ok(rule));
        }
    }
    assert_eq!(
        canonical(&rule("switches : 2-3+1-3 + 3-1 with returns")),
        "switches:2-3+3-1 with returns"
    );
}

#[test]
fn what_is_wrong_with_a_set_of_switches_is_marked() {
    let said = |text: &str| {
        let error = parse_set(text, 1).unwrap_err();
        format!("{error}\n{}", error.marked(text))
    };
    insta::assert_snapshot!(
        [
            "switches",
            "switches:",
            "switches:2",
            "switches:0-3",
            "switches:2-4",
            "switches:2-3+",
            "switches:2-3 with",
            "switches:2-3 with return",
            "switches:2-3 by shape",
            "switches:2-3 with returns, all",
            "3*switches:2-3",
            "all, switches:2-3",
            "60% switches:2-3",
        ]
        .map(said)
        .join("\n")
    );
}

#[test]
fn every_set_of_shapes_comes_back() {
    for bits in 0..=ShapeSet::ALL.bits() {
        let mut rule = SetRule::whole(ShapeSet::from_bits(bits).unwrap());
        assert_eq!(parse_set(&canonical(&rule), 0), Ok(rule));
        for weight in [1, 2] {
            let weights = rule.keep.map(|keep| u16::from(keep == Keep::ALL) * weight);
            rule.draw = DrawRule::ByShape { weights };
            assert_eq!(parse_set(&canonical(&rule), 0), Ok(rule));
        }
    }
}

/// Rules with repeated values, so that groups and nice names occur, and with any values.
fn any_rule() -> impl Strategy<Value = SetRule> {
    let keep = prop_oneof![Just(0), Just(10_000), Just(6000), 100..=10_000_u16];
    let weight = prop_oneof![Just(1), Just(3), Just(u16::MAX), 1..=u16::MAX];
    let shapes = proptest::array::uniform12((keep, weight));
    (shapes, any::<bool>(), any::<u64>()).prop_map(|(shapes, by_shape, seed)| {
        let keep = shapes.map(|(keep, _)| Keep::new(keep).unwrap());
        let weights = shapes.map(|(keep, weight)| if keep > 0 { weight } else { 0 });
        let draw = if by_shape { DrawRule::ByShape { weights } } else { DrawRule::ByRoute };
        SetRule { keep, draw, seed }
    })
}

proptest! {
    #[test]
    fn every_rule_comes_back_from_its_text(rule in any_rule()) {
        prop_assert_eq!(rule.check(), Ok(()));
        prop_assert_eq!(parse_set(&canonical(&rule), rule.seed), Ok(rule));
    }

    #[test]
    fn what_is_read_is_valid_and_what_is_not_is_marked(
        text in prop_oneof![
            any::<String>(),
            // Near the grammar, so that much of it is read.
            proptest::collection::vec(
                proptest::sample::select(vec![
                    "all", "min", "5-hop", "strategic-2-3", "shapes", "only", ":", "+", ",", "*",
                    "%", "switches", "2-3", "3-1", " with returns", "011", "110", "3", "60", "12.5", " by shape", " by route", " ", "é", "\n",
                ]),
                0..12,
            ).prop_map(|words| words.concat()),
        ],
    ) {
        match parse_set(&text, 1) {
            Ok(rule) => {
                prop_assert_eq!(rule.check(), Ok(()));
                prop_assert_eq!(parse_set(&canonical(&rule), 1), Ok(rule));
            }
            Err(error) => {
                prop_assert!(text.get(error.at()).is_some());
                prop_assert!(error.marked(&text).ends_with('^'));
            }
        }
    }
}

const DOCUMENT: &str = include_str!("../../../../docs/reference/sets.md");

/// The row of the document's table of examples that is true of this text.
fn row(text: &str) -> String {
    let rule = rule(text);
    let each = |cell: &dyn Fn(Shape) -> String, between: &str| -> String {
        let cells = rule.shapes().iter().map(cell);
        let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
        cells.join(between)
    };
    let shapes = each(&|s| s.to_string(), " ");
    let part = |s| match rule.keep_of(s) {
        Keep::ALL => String::new(),
        part => format!("{}% of {s}", f64::from(part.parts()) / 100.0),
    };
    let (shapes, kept) = match (shapes, each(&part, ", ")) {
        (shapes, _) if shapes.is_empty() => ("none".to_owned(), "none".to_owned()),
        (shapes, parts) if parts.is_empty() => (shapes, "whole".to_owned()),
        shapes_and_parts => shapes_and_parts,
    };
    let drawn = match rule.draw {
        DrawRule::ByRoute => "by route".to_owned(),
        DrawRule::ByTriple => "by triple".to_owned(),
        DrawRule::BySwitch { legs, returns } => {
            format!("by switch {legs}{}", if returns { " with returns" } else { "" })
        }
        DrawRule::ByShape { .. } => {
            let weights = each(&|s| rule.weight_of(s).to_string(), " ");
            format!("by shape {weights}")
        }
    };
    format!("| `{text}` | {shapes} | {kept} | {drawn} |")
}

#[test]
fn the_document_shows_the_grammar() {
    assert!(DOCUMENT.contains(&format!("```text\n{GRAMMAR}```")));
}

#[test]
fn every_example_of_the_document_is_true() {
    let mut examples = 0;
    let table = DOCUMENT.split("## Examples").nth(1).unwrap();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let text = line.split('`').nth(1).unwrap();
        assert_eq!(line, row(text));
        examples += 1;
    }
    assert!(examples >= 12);
}
