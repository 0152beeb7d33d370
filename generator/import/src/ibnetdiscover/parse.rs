//! One line of `ibnetdiscover`.

use tvlb_table_set::{escaped_controls, is_shown};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Switch,
    Adapter,
    Router,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum DumpLine<'t> {
    /// Nothing that we use.
    Nothing,
    /// The first line of a record.
    Record { kind: Role, id: &'t str, description: String },
    /// A port and its destination.
    Port {
        port: u32,
        far: &'t str,
        far_port: u32,
        /// The description of the device that it leads to, as the comment has it.
        about: &'t str,
        /// The width and speed of the link, as in 4xHDR; empty if the line does not state it.
        rate: &'t str,
    },
}

const ANY: &str = "a record's first line, as in Switch 41 \"S-b8cef60300000100\" # \"name\", a port's \
                   line, as in [1] \"H-b8cef60300000a10\"[1], a comment that begins with #, or a line \
                   such as vendid=0x2c9";
const RECORD: &str = "a number of ports and a name in quotes, as in Switch 41 \"S-b8cef60300000100\" \
                      # \"name\"";
const PORT: &str =
    "a port, 0 to 254, a name in quotes and its port, as in [1] \"H-b8cef60300000a10\"[1]";

/// Reads a line. The error says what would be accepted.
pub(super) fn line(text: &str) -> Result<DumpLine<'_>, &'static str> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') || text == "Non-Chassis Nodes" || is_progress(text)
    {
        return Ok(DumpLine::Nothing);
    }
    if text.starts_with('[') {
        return port(text).ok_or(PORT);
    }
    let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let kind = match word {
        "Switch" => Role::Switch,
        "Ca" | "Hca" => Role::Adapter,
        "Rt" => Role::Router,
        // The name of a host follows, which may be any text.
        "Chassis" | "Hostname:" => return Ok(DumpLine::Nothing),
        _ => {
            let key = word.split_once('=').map_or("", |(key, _)| key);
            let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
            return if is_key { Ok(DumpLine::Nothing) } else { Err(ANY) };
        }
    };
    record(kind, rest).ok_or(RECORD)
}

/// Whether a line reports the program's progress, as with -s: a path, ` -> `, the device at its end and its id in
/// braces.
fn is_progress(text: &str) -> bool {
    let braced = |end: &str| {
        let (id, _) = end.split_once('{')?.1.split_once('}')?;
        Some(!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    (text.starts_with("DR path ") || text.starts_with("Lid "))
        && text.split_once(" -> ").and_then(|(_, end)| braced(end)) == Some(true)
}

fn record(kind: Role, rest: &str) -> Option<DumpLine<'_>> {
    let rest = rest.trim_start();
    let (_, rest) = number(rest)?;
    let (id, rest) = quoted(rest.trim_start())?;
    let rest = rest.trim_start();
    let comment = match rest.strip_prefix('#') {
        Some(comment) => comment,
        None => rest.is_empty().then_some("")?,
    };
    let description = match comment.trim_start().strip_prefix('"') {
        Some(text) => description(kind, text)?,
        None => "",
    };
    Some(DumpLine::Record { kind, id, description: escaped_controls(description.trim()) })
}

/// A description up to the quote that ends it. It may contain quotes, which the program does not escape, so the text
/// after it is found from the end of the line.
fn description(kind: Role, text: &str) -> Option<&str> {
    let (description, after) = text.rsplit_once('"')?;
    let is_end = match kind {
        Role::Switch => ["base port ", "enhanced port "].iter().any(|word| after.contains(word)),
        Role::Adapter | Role::Router => after.trim().is_empty() || after.trim() == "(scp)",
    };
    Some(description).filter(|_| is_end || !description.contains('"'))
}

fn port(text: &str) -> Option<DumpLine<'_>> {
    let (port, rest) = bracketed(text)?;
    let (far, rest) = quoted(extras(rest)?)?;
    let (far_port, rest) = bracketed(rest)?;
    let mut rest = extras(rest)?;
    // Words such as `w=12`, which network files for ibsim have, and a comment.
    while !(rest.is_empty() || rest.starts_with('#')) {
        let (word, after) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        word.split_once('=')?;
        rest = after.trim_start();
    }
    let (about, words) = match rest.rsplit_once('"') {
        Some((text, words)) => (text.split_once('"').map_or("", |(_, about)| about), words),
        None => ("", rest),
    };
    // Words such as `s=4` and `slot 3` may follow the rate.
    let rate = words.split([' ', '\t']).find(|word| is_rate(word)).unwrap_or_default();
    Some(DumpLine::Port { port, far, far_port, about, rate })
}

/// Whether a word is a width and a speed, as in 4xHDR.
fn is_rate(word: &str) -> bool {
    word.split_once('x').is_some_and(|(width, speed)| {
        let is_number = !width.is_empty() && width.bytes().all(|byte| byte.is_ascii_digit());
        is_number && !speed.is_empty() && speed.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The text after `[ext N]` and a port's identifier in parentheses, if there are any.
fn extras(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let end = match rest {
            rest if rest.starts_with("[ext") => ']',
            rest if rest.starts_with('(') => ')',
            rest => return Some(rest),
        };
        rest = rest.split_once(end)?.1.trim_start();
    }
}

/// A name in quotes that is not empty.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('"')?.split_once('"')?;
    let is_plain = !name.is_empty() && name.chars().all(is_shown);
    is_plain.then_some((name, rest))
}

/// The highest number of a port: InfiniBand has eight bits for it, and 255 is no port.
const MOST_PORT: u32 = 254;

fn bracketed(text: &str) -> Option<(u32, &str)> {
    let (port, rest) = number(text.strip_prefix('[')?)?;
    Some((port, rest.strip_prefix(']')?)).filter(|_| port <= MOST_PORT)
}

/// A number of at most four digits.
fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = (1..=4).contains(&digits).then(|| text[..digits].parse().ok())??;
    Some((number, &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let text =
            "Switch\t41 \"S-b8cef60300000100\"\t\t# \"g0 leaf00\" enhanced port 0 lid 17 lmc 0";
        let (kind, id) = (Role::Switch, "S-b8cef60300000100");
        let description = "g0 leaf00".to_owned();
        assert_eq!(line(text), Ok(DumpLine::Record { kind, id, description }));
        for (text, kind, described) in [
            (
                "Switch 4 \"any\" # \"g0 \"old\" s1\" base port 0 lid 1 lmc 0",
                Role::Switch,
                "g0 \"old\" s1",
            ),
            ("Switch 4 \"any\" # \"\"g0\"\" enhanced port 0 lid 1 lmc 0", Role::Switch, "\"g0\""),
            ("Ca 1 \"any\" # \"n1 \"HCA-1\"\"", Role::Adapter, "n1 \"HCA-1\""),
            ("Ca 1 \"any\" # \"n1 HCA-1\" (scp)", Role::Adapter, "n1 HCA-1"),
        ] {
            let description = described.to_owned();
            assert_eq!(line(text), Ok(DumpLine::Record { kind, id: "any", description }), "{text}");
        }
        let record = |kind| Ok(DumpLine::Record { kind, id: "any", description: String::new() });
        assert_eq!(line("Hca 1 \"any\""), record(Role::Adapter));
        assert_eq!(line("Ca 1 \"any\" # lid 3"), record(Role::Adapter));
        assert_eq!(line("Rt\t2 \"any\" # \"\""), record(Role::Router));
    }

    #[test]
    fn ports_are_read() {
        for (text, about, rate) in [
            ("[25]\t\"S-2\"[3]\t\t# \"g0-spine00\" lid 18 4xHDR", "g0-spine00", "4xHDR"),
            ("[25]\t\"S-2\"[3]\t\t# \"a \"b\" 2xQDR\" lid 18 12xQDR", "a \"b\" 2xQDR", "12xQDR"),
            ("[25](b8cef60300000a10) \t\"S-2\"[3]", "", ""),
            ("[25][ext 13]\t\"S-2\"[3][ext 2](abc) \t\t# \"a # b\" lid 1 4x???", "a # b", ""),
            ("[25](a1) \t\"S-2\"[3]\t\t# lid 2 lmc 0 \"g0\" lid 1 4xNDR", "g0", "4xNDR"),
            ("[25]\t\"S-2\"[3]\t\t# \"n\" lid 1 4xHDR s=4 w=2 v=8", "n", "4xHDR"),
            ("[25]\t\"S-2\"[3]\t\t# \"n\" lid 1 4xHDR s=4 w=2 v=8 e=4 slot 12", "n", "4xHDR"),
            ("[25]\t\"S-2\"[3](2) \t\t# \"n\" lid 1 1xSDR (scp)", "n", "1xSDR"),
            // For ibsim.
            ("[25]\t\"S-2\"[3]\tw=12 s=4", "", ""),
        ] {
            let port = DumpLine::Port { port: 25, far: "S-2", far_port: 3, about, rate };
            assert_eq!(line(text), Ok(port), "{text}");
        }
    }

    #[test]
    fn lines_without_a_use_are_known() {
        for text in ["", "  ", "# Topology file", "vendid=0x2c9", "switchguid=0x1(1)"] {
            assert_eq!(line(text), Ok(DumpLine::Nothing), "{text}");
        }
        for heading in [
            "Chassis 1",
            "Chassis 1 (guid 0x1)",
            "Non-Chassis Nodes",
            "# Spine Nodes",
            "Hostname: \"my [1] host\" # x",
            "Hostname: ",
        ] {
            assert_eq!(line(heading), Ok(DumpLine::Nothing), "{heading}");
        }
        for progress in [
            "DR path slid 0; dlid 0; 0 -> new ca {0000000000000200} portnum 1 lid 2-2 \"n00\"",
            "DR path slid 65535; dlid 65535; 0,1,9 -> known switch {00000000000002aF} portnum 0 lid 2-2 \"\"",
            "Lid 3 -> processing switch {0000000000000200} portnum 0 lid 2-2\"n00\"",
            "Lid 3 DR path slid 3; dlid 65535; 0,4 -> new switch {0000000000000200}",
        ] {
            assert_eq!(line(progress), Ok(DumpLine::Nothing), "{progress}");
        }
    }

    #[test]
    fn other_lines_are_not() {
        for text in [
            "cable_id,src",
            "Switch",
            "Switch 41",
            "Switch 41 \"",
            "Switch 41 \"\"",
            "=",
            "é",
            "Switch 41 \"S\" x",
            "Switch 41 \"S\" # \"open",
            "[1]",
            "[1] \"S\"",
            "[1] \"S\"[1",
            "[999999] \"S\"[1]",
            "[1] \"S\"[1] x",
            "[1](open \"S\"[1]",
            "[] \"S\"[1]",
            "Hostname",
            "DR path slid 0; dlid 0; 0 new ca {0000000000000200}",
            "DR path slid 0; dlid 0; 0 -> new ca {00000000",
            "Lid 3 -> processing switch {}",
            "Lid 3 -> processing switch {lost}",
            "ibwarn: [7] mad_rpc: Lid 3 -> new ca {0000000000000200}",
        ] {
            assert!(line(text).is_err(), "{text}");
        }
    }
}
