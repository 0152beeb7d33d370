use super::super::count::RouteCounter;
use super::super::is_walk::is_walk;
use super::super::{expected, wirings};
use super::*;
use proptest::prelude::*;
use tvlb_schema::{DrawRule, LegHops, ShapeSet};

/// Rules of all three ways to draw, none with fractions.
fn rules() -> Vec<SetRule> {
    let all = SetRule::whole(ShapeSet::ALL);
    let mut weights = [0; Shape::COUNT];
    for (number, weight) in (1..).zip(&mut weights) {
        *weight = number;
    }
    let legs = LegHops::within(2, 3).unwrap();
    let by_shape = SetRule { draw: DrawRule::ByShape { weights }, ..all };
    vec![
        all,
        by_shape,
        SetRule::whole(ShapeSet::generated_by(&[Shape::new(0, 1, 1).unwrap()])),
        SetRule::by_switch(LegHops::ALL, true),
        SetRule::by_switch(legs, true),
        SetRule::by_switch(legs, false),
    ]
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// Probabilities add up to 1, and the mean hops are those that are computed without listing.
fn check(topology: &Topology, rule: &SetRule, s: SwitchId, d: SwitchId) {
    let counter = RouteCounter::new(topology);
    let drawn = DrawnPaths::new(topology, rule, s, d);
    let sum: f64 = drawn.min.iter().map(|path| path.probability).sum();
    assert!(drawn.min.is_empty() || is_near(sum, 1.0), "{sum}");
    let sum: f64 = drawn.vlb.iter().map(|path| path.probability).sum();
    assert!(drawn.vlb.is_empty() || is_near(sum, 1.0), "{sum}");
    for path in &drawn.vlb {
        assert!(path.probability > 0.0 && is_walk(topology, s, d, &path.switches));
        if let Some(shape) = path.shape {
            assert_eq!(path.switches.hops(), usize::from(shape.hops()));
        }
    }
    let df = topology.dragonfly();
    if df.place(s).0 == df.place(d).0 {
        let thirds = topology.relays(df.place(s).0, df.place(s).1, df.place(d).1).count();
        assert_eq!(drawn.vlb.len(), if s == d { 0 } else { thirds });
        return;
    }
    let mean = expected::pair_mean(&counter, rule, s, d);
    let count = f64::from(u32::try_from(drawn.vlb.len()).unwrap());
    assert!(is_near(count, mean.routes), "{count} {}", mean.routes);
    let hops = |path: &DrawnVlb| {
        path.probability * f64::from(u32::try_from(path.switches.hops()).unwrap())
    };
    let hops: f64 = drawn.vlb.iter().map(hops).sum();
    assert!(is_near(hops, mean.hops.unwrap_or(0.0)), "{hops} {:?}", mean.hops);
}

#[test]
fn probabilities_agree_with_counts() {
    let topology = wirings::absolute(2, 4, 2, 9);
    for rule in rules() {
        for s in topology.dragonfly().switches() {
            for d in topology.dragonfly().switches() {
                check(&topology, &rule, s, d);
            }
        }
    }
    let topology = wirings::absolute(4, 8, 4, 9);
    for rule in rules() {
        for (s, d) in [(0, 8), (1, 17), (71, 0), (40, 39)] {
            check(&topology, &rule, SwitchId(s), SwitchId(d));
        }
    }
}

proptest! {
    #[test]
    fn probabilities_agree_with_counts_on_any_wiring(topology in wirings::any()) {
        for rule in rules() {
            for (s, d) in wirings::inter_group_pairs(&topology).into_iter().take(40) {
                check(&topology, &rule, s, d);
            }
        }
    }
}

#[test]
fn shapes_share_by_their_weights() {
    let topology = wirings::absolute(2, 4, 2, 9);
    let shape = |head, mid, tail| Shape::new(head, mid, tail).unwrap();
    let mut weights = [0; Shape::COUNT];
    weights[shape(1, 0, 1).number()] = 3;
    weights[shape(1, 2, 0).number()] = 1;
    let shapes = [shape(1, 0, 1), shape(1, 2, 0)].into_iter().collect();
    let rule = SetRule { draw: DrawRule::ByShape { weights }, ..SetRule::whole(shapes) };
    // The pair has 3 routes of the one shape and 2 of the other.
    let drawn = DrawnPaths::new(&topology, &rule, SwitchId(1), SwitchId(17));
    let of = |one| drawn.vlb.iter().filter(move |path| path.shape == Some(one));
    assert_eq!(of(shape(1, 0, 1)).count(), 3);
    assert!(of(shape(1, 0, 1)).all(|path| is_near(path.probability, 0.25)));
    assert_eq!(of(shape(1, 2, 0)).count(), 2);
    assert!(of(shape(1, 2, 0)).all(|path| is_near(path.probability, 0.125)));
}
