//! The links that are live, from any text that names them by their ports.

use super::error::SlingshotError;
use super::xname;
use crate::lines::{Lines, Source};
use crate::machine::{End, Machine, count};
use regex::Regex;
use std::collections::HashMap;

/// A link by its two ports. The words on both sides of the match are not part of a longer name.
const LINK: &str = r"\b(x\d+\.?c\d+\.?r\d+\.?j\d+\.?p\d+)-(x\d+\.?c\d+\.?r\d+\.?j\d+\.?p\d+)\b";
/// A dump of all links may be one line.
const MOST_LINE_BYTES: usize = 1 << 30;

/// The links of the machine that the text does not name, by rising number.
pub(super) fn missing(source: Source<'_>, machine: &Machine) -> Result<Vec<u32>, SlingshotError> {
    let file = source.name().to_owned();
    let pattern = Regex::new(LINK).expect("the pattern is well-formed");
    let names = machine.switches.iter().map(|switch| &*switch.name);
    let by_name: HashMap<&str, u32> = names.zip(0..).collect();
    let ends = (0..).zip(&machine.links).flat_map(|(number, link)| {
        let [one, other] = link.ends;
        [(one, (other, number)), (other, (one, number))]
    });
    let planned: HashMap<End, (End, usize)> = ends.collect();
    let mut is_live = vec![false; machine.links.len()];
    let mut lines = Lines::with_limit(source, MOST_LINE_BYTES);
    while let Some(line) = lines.next()? {
        let mut wrong = None;
        for found in pattern.captures_iter(line) {
            let [one, other] = [1, 2].map(|side| {
                let (switch, port) = xname::port(&found[side])?;
                Some(End { switch: *by_name.get(&*switch.to_string())?, port })
            });
            let link = one.and_then(|one| planned.get(&one));
            match link {
                Some((far, number)) if Some(*far) == other => is_live[*number] = true,
                _ => {
                    let planned = match (one, link) {
                        (None, _) => format!("the plan has no switch and port {}", &found[1]),
                        (Some(_), None) => {
                            format!("the plan has no link between switches at {}", &found[1])
                        }
                        (Some(_), Some((far, _))) => {
                            format!("{} leads to {}", &found[1], machine.port_name(*far))
                        }
                    };
                    wrong = Some((found[0].to_owned(), planned));
                    break;
                }
            }
        }
        if let Some((link, planned)) = wrong {
            return Err(SlingshotError::NotPlanned { place: lines.place(), link, planned });
        }
    }
    if !is_live.contains(&true) {
        return Err(SlingshotError::NoLiveLinks { file });
    }
    let down = is_live.iter().enumerate().filter(|(_, live)| !**live);
    Ok(down.map(|(number, _)| count(number)).collect())
}
