//! From a set's rule to the text that a person would most likely write for it.

use super::{NAMES, at_most, named};
use tvlb_schema::{Keep, SetRule, Shape, ShapeSet};

/// The terms of the rule, and `by shape` if they do not imply it.
pub(super) fn terms(rule: &SetRule) -> String {
    let groups = groups(rule);
    let terms: Vec<(u16, String)> = match one_body(rule, &groups) {
        Some(term) => vec![term],
        None => groups
            .iter()
            .map(|group| {
                let body = format!("{}only:{}", percent(group.keep), list(group.shapes));
                (group.weight, body)
            })
            .collect(),
    };
    // An unwritten weight is 1, and any written one already says "by shape".
    let weighted = terms.iter().any(|&(weight, _)| weight > 1);
    let mut text = terms
        .into_iter()
        .map(|(weight, body)| match weight {
            0 | 1 => body,
            _ => format!("{weight}*{body}"),
        })
        .collect::<Vec<_>>()
        .join(", ");
    if !weighted && rule.is_by_shape() {
        text.push_str(" by shape");
    }
    text
}

/// Shapes with the same fraction and the same weight.
struct GroupId {
    keep: Keep,
    weight: u16,
    shapes: ShapeSet,
}

/// The rule's shapes, grouped, in the order of each group's first shape.
fn groups(rule: &SetRule) -> Vec<GroupId> {
    let mut groups: Vec<GroupId> = Vec::new();
    for shape in rule.shapes().iter() {
        let (keep, weight) = (rule.keep_of(shape), rule.weight_of(shape));
        let only = ShapeSet::only(shape);
        match groups.iter_mut().find(|group| (group.keep, group.weight) == (keep, weight)) {
            Some(group) => group.shapes = group.shapes.or(only),
            None => groups.push(GroupId { keep, weight, shapes: only }),
        }
    }
    groups
}

/// The single body that expresses the rule, and its weight, if there is one.
fn one_body(rule: &SetRule, groups: &[GroupId]) -> Option<(u16, String)> {
    let Some(first) = groups.first() else {
        return Some((0, "min".to_owned()));
    };
    if groups.iter().any(|group| group.weight != first.weight) {
        return None;
    }
    let body = if let [GroupId { keep, shapes, .. }] = *groups {
        whole_name(keep, shapes).or_else(|| part_of_hops(rule)).or_else(|| {
            let tops = shapes.is_down_closed().then(|| format!("shapes:{}", list(tops(shapes))))?;
            Some(format!("{}{tops}", percent(keep)))
        })
    } else {
        part_of_hops(rule)
    };
    Some((first.weight, body?))
}

fn whole_name(keep: Keep, shapes: ShapeSet) -> Option<String> {
    NAMES
        .into_iter()
        .find(|name| keep == Keep::ALL && named(name) == Some(shapes))
        .map(str::to_owned)
}

/// `P% N-hop`: everything of fewer hops and the same fraction of all shapes of N.
fn part_of_hops(rule: &SetRule) -> Option<String> {
    let hops = rule.shapes().iter().map(Shape::hops).max()?;
    let longest = at_most(hops).without(at_most(hops - 1));
    let part = rule.keep_of(longest.iter().next()?);
    let fits = Shape::all().all(|shape| {
        let expected = match shape.hops() {
            n if n < hops => Keep::ALL,
            n if n == hops => part,
            _ => Keep::NONE,
        };
        rule.keep_of(shape) == expected
    });
    (fits && part > Keep::NONE).then(|| format!("{}{hops}-hop", percent(part)))
}

/// The shapes that are below no other of the set: the fewest that generate a down-closed set.
fn tops(shapes: ShapeSet) -> ShapeSet {
    shapes
        .iter()
        .filter(|&s| !shapes.iter().any(|other| other != s && s.is_within(other)))
        .collect()
}

fn list(shapes: ShapeSet) -> String {
    shapes.iter().map(|s| s.to_string()).collect::<Vec<_>>().join("+")
}

/// `60% `, in as few digits as possible; empty for the whole.
fn percent(keep: Keep) -> String {
    let (whole, decimals) = (keep.parts() / 100, keep.parts() % 100);
    match decimals {
        _ if keep == Keep::ALL => String::new(),
        0 => format!("{whole}% "),
        d if d % 10 == 0 => format!("{whole}.{}% ", d / 10),
        d => format!("{whole}.{d:02}% "),
    }
}
