//! The live links, from any text that names them by their ports.

use super::xname;
use crate::files::MOST_DUMP_LINE_BYTES;
use crate::machine::{LinkEnd, Machine, PortNames, count};
use regex_lite::Regex;
use std::collections::HashMap;
use tvlb_base::text::{Lines, NamedText, Refused};

/// A link by its two ports. The words on both sides of the match are not part of a longer name.
const LINK: &str = r"\b(x\d+\.?c\d+\.?r\d+\.?j\d+\.?p\d+)-(x\d+\.?c\d+\.?r\d+\.?j\d+\.?p\d+)\b";

/// The links of the machine that the text does not name, by rising number.
pub(super) fn missing(source: NamedText<'_>, machine: &Machine) -> Result<Vec<u32>, Refused> {
    let names = machine.switches.iter().map(|switch| &*switch.name);
    let by_name: HashMap<&str, u32> = names.zip(0..).collect();
    let ends = (0..).zip(&machine.links).flat_map(|(number, link)| {
        let [one, other] = link.ends;
        [(one, (other, number)), (other, (one, number))]
    });
    let planned: HashMap<LinkEnd, (LinkEnd, usize)> = ends.collect();
    let mut is_live = vec![false; machine.links.len()];
    for_each(source, |named| {
        let [one, other] = named.map(|name| {
            let (switch, port) = xname::port(name)?;
            Some(LinkEnd { switch: *by_name.get(&*switch.to_string())?, port })
        });
        match one.and_then(|one| Some((one, planned.get(&one)?))) {
            Some((_, (far, number))) if Some(*far) == other => {
                is_live[*number] = true;
                Ok(())
            }
            Some((_, (far, _))) => {
                Err(format!("{} leads to {}", named[0], machine.port_name(*far)))
            }
            None if one.is_none() => Err(format!("the plan has no switch and port {}", named[0])),
            None => Err(format!("the plan has no link between switches at {}", named[0])),
        }
    })?;
    let down = is_live.iter().enumerate().filter(|(_, live)| !**live);
    Ok(down.map(|(number, _)| count(number)).collect())
}

/// The names of the two ports of every live link, without the dots that a name may have.
pub(crate) fn names(source: NamedText<'_>) -> Result<Vec<[String; 2]>, Refused> {
    let mut links = Vec::new();
    for_each(source, |named| {
        let plain = |name: &str| match xname::port(name) {
            Some((switch, port)) => PortNames::Jacks.of(&switch.to_string(), port),
            None => name.to_owned(),
        };
        links.push(named.map(plain));
        Ok(())
    })?;
    Ok(links)
}

/// Calls `each` for the two ports of every link that the text names, until it returns what the plan has instead.
fn for_each(
    source: NamedText<'_>,
    mut each: impl FnMut([&str; 2]) -> Result<(), String>,
) -> Result<(), Refused> {
    let file = source.name().to_owned();
    let pattern = Regex::new(LINK).expect("the pattern is well-formed");
    let mut lines = Lines::with_limit(source, MOST_DUMP_LINE_BYTES);
    let mut some = false;
    while let Some(line) = lines.next_line()? {
        let mut found = pattern.captures_iter(line);
        let wrong = found.find_map(|found| {
            some = true;
            let (link, named) = found.extract::<2>();
            each(named).err().map(|planned| (link.to_owned(), planned))
        });
        if let Some((link, planned)) = wrong {
            let found = format!("the live link {link} is not planned: {planned}");
            return Err(Refused::new(found, "links of the plan").at(lines.place()));
        }
    }
    if some {
        return Ok(());
    }
    let accepted = "a text that names every live link as in x1000c0r1j5p0-x1000c0r3j6p0";
    Err(Refused::new("found no link", accepted).in_file(&file))
}
