//! Statements about throughput under traffic that loads links unevenly.

use super::super::results::Carried;
use super::super::stated::Claim;
use tvlb_generator::counted::with_sign;

/// Whether a comparison holds, with the figures that decide it; no answer where no system that was run
/// does. `None` for claims about something else.
pub(super) fn decide(claim: &Claim, found: &[Carried<'_>]) -> Option<(Option<bool>, String)> {
    let by = |routing: &str| -> Option<Vec<(&Carried<'_>, f64)>> {
        found.iter().map(|system| Some((system, system.by(routing)?))).collect()
    };
    let listed = |values: &[(&Carried<'_>, f64)]| {
        let texts = values.iter().map(|(system, value)| format!("{} {value:.4}", system.name));
        texts.collect::<Vec<_>>().join(", ")
    };
    let rises = |values: &[(&Carried<'_>, f64)]| {
        (values.len() > 1).then(|| values.windows(2).all(|pair| pair[0].1 < pair[1].1))
    };
    Some(match claim {
        Claim::ThroughputWithin { routing, least, most } => {
            let values = by(routing)?;
            let holds = values.iter().all(|(_, value)| (*least..=*most).contains(value));
            (Some(holds), listed(&values))
        }
        Claim::FallsWithSize { routing } => {
            let values = by(routing)?;
            let negative: Vec<_> = values.iter().map(|&(system, value)| (system, -value)).collect();
            (rises(&negative), listed(&values))
        }
        Claim::BelowBeyond { routing, load, switches } => {
            let mut values = by(routing)?;
            values.retain(|(system, _)| system.switches > *switches);
            if values.is_empty() {
                return Some((None, format!("no system of more than {switches} switches was run")));
            }
            (Some(values.iter().all(|(_, value)| value < load)), listed(&values))
        }
        Claim::ThroughputAbove { more, less } => {
            let (more, less) = (by(more)?, by(less)?);
            let holds = more.iter().zip(&less).all(|(more, less)| more.1 > less.1);
            let texts = more.iter().zip(&less).map(|((system, more), (_, less))| {
                format!("{} {more:.4} and {less:.4}", system.name)
            });
            (Some(holds), texts.collect::<Vec<_>>().join(", "))
        }
        Claim::LeadRises { more, less } => {
            let (more, less) = (by(more)?, by(less)?);
            let leads = more.iter().zip(&less).map(|(more, less)| (more.0, more.1 / less.1 - 1.0));
            let leads: Vec<_> = leads.collect();
            let texts = leads
                .iter()
                .map(|(system, lead)| format!("{} {}%", system.name, with_sign(100.0 * lead, 1)));
            (rises(&leads), texts.collect::<Vec<_>>().join(", "))
        }
        Claim::ThroughputBelow { load } => {
            let all = found.iter().flat_map(|system| {
                let of = move |&(routing, carried)| (&system.name, routing, carried);
                system.routed.iter().map(of)
            });
            let (system, routing, most) = all.max_by(|one, other| one.2.total_cmp(&other.2))?;
            (Some(most < *load), format!("the most is {most:.4}, of {routing} on {system}"))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems of 72, 342 and 1056 nodes, on which `VALg` carries this much and `VALn` 0.4.
    fn found(valg: &[f64]) -> Vec<Carried<'static>> {
        let system = |(p, &throughput): (u32, &f64)| Carried {
            name: format!("dfly({p},{},{p},{})", 2 * p, 2 * p * p + 1),
            switches: 2 * p * (2 * p * p + 1),
            routed: vec![("VALg", throughput), ("VALn", 0.4)],
        };
        (2..).zip(valg).map(system).collect()
    }

    fn decided(claim: &Claim, valg: &[f64]) -> Option<bool> {
        decide(claim, &found(valg)).unwrap().0
    }

    #[test]
    fn figures_decide() {
        let valg = || "VALg".to_owned();
        let valn = || "VALn".to_owned();
        let falls = Claim::FallsWithSize { routing: valg() };
        assert_eq!(decided(&falls, &[0.3, 0.25, 0.2]), Some(true));
        assert_eq!(decided(&falls, &[0.3, 0.2, 0.2]), Some(false));
        assert_eq!(decided(&falls, &[0.3]), None);
        let within = Claim::ThroughputWithin { routing: valg(), least: 0.2, most: 0.3 };
        assert_eq!(decided(&within, &[0.3, 0.25, 0.2]), Some(true));
        assert_eq!(decided(&within, &[0.3, 0.25, 0.19]), Some(false));
        // The system of p = 4 has 264 switches.
        let beyond = |switches| Claim::BelowBeyond { routing: valg(), load: 0.15, switches };
        assert_eq!(decided(&beyond(512), &[0.3, 0.25, 0.2]), None);
        assert_eq!(decided(&beyond(200), &[0.3, 0.25, 0.2]), Some(false));
        assert_eq!(decided(&beyond(200), &[0.3, 0.25, 0.1]), Some(true));
        let above = Claim::ThroughputAbove { more: valn(), less: valg() };
        assert_eq!(decided(&above, &[0.3, 0.25, 0.2]), Some(true));
        assert_eq!(decided(&above, &[0.3, 0.45, 0.2]), Some(false));
        let rises = Claim::LeadRises { more: valn(), less: valg() };
        assert_eq!(decided(&rises, &[0.3, 0.25, 0.2]), Some(true));
        assert_eq!(decided(&rises, &[0.3, 0.25, 0.26]), Some(false));
        let (holds, ours) = decide(&Claim::ThroughputBelow { load: 0.5 }, &found(&[0.3])).unwrap();
        assert_eq!(ours, "the most is 0.4000, of VALn on dfly(2,4,2,9)");
        assert_eq!(holds, Some(true));
        // A routing that was not run decides nothing.
        let falls = Claim::FallsWithSize { routing: "MIN".to_owned() };
        assert!(decide(&falls, &found(&[0.3])).is_none());
        assert!(decide(&Claim::LatencyBelow, &found(&[0.3])).is_none());
    }
}
