//! The names of HPE's parts: `x1000c0r3j9p1` is port 1 of jack 9 of the switch in slot 3 of chassis 0
//! of cabinet 1000. A dot may stand between two components.

use std::fmt::{self, Display, Formatter};

/// A switch, `xXcCrR`. The order is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SwitchName {
    cabinet: u16,
    chassis: u16,
    slot: u16,
}

impl Display for SwitchName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { cabinet, chassis, slot } = self;
        write!(f, "x{cabinet}c{chassis}r{slot}")
    }
}

/// A network interface of a node, `xXcCsSbBnNhH`; some have no `bB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NicName {
    cabinet: u16,
    chassis: u16,
    slot: u16,
    board: Option<u16>,
    node: u16,
    interface: u16,
}

impl Display for NicName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { cabinet, chassis, slot, board, node, interface } = self;
        write!(f, "x{cabinet}c{chassis}s{slot}")?;
        if let Some(board) = board {
            write!(f, "b{board}")?;
        }
        write!(f, "n{node}h{interface}")
    }
}

const MOST_CABINET: u16 = 9999;
const MOST_CHASSIS: u16 = 7;
const MOST_OTHER: u16 = 999;

/// The components of a name that are still to be read.
struct NameRest<'t>(&'t [u8]);

impl NameRest<'_> {
    /// Takes a letter and its number, if they come next.
    fn take(&mut self, letter: u8, most: u16) -> Option<u16> {
        let rest = self.0.strip_prefix(b".").unwrap_or(self.0);
        let rest = rest.strip_prefix(&[letter])?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=4).contains(&digits) {
            return None;
        }
        let number = rest[..digits].iter().fold(0, |n, digit| 10 * n + u16::from(digit - b'0'));
        self.0 = &rest[digits..];
        (number <= most).then_some(number)
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    fn switch(&mut self) -> Option<SwitchName> {
        Some(SwitchName {
            cabinet: self.take(b'x', MOST_CABINET)?,
            chassis: self.take(b'c', MOST_CHASSIS)?,
            slot: self.take(b'r', MOST_OTHER)?,
        })
    }
}

/// The components of a text; `None` if it begins with a dot.
fn begin(text: &str) -> Option<NameRest<'_>> {
    text.starts_with('x').then_some(NameRest(text.as_bytes()))
}

pub(crate) fn jack(text: &str) -> Option<(SwitchName, u16)> {
    let mut rest = begin(text)?;
    let jack = (rest.switch()?, rest.take(b'j', MOST_OTHER)?);
    rest.end()?;
    Some(jack)
}

/// A port of a jack of a switch: the switch and the port's number, 2·jack + 0 or 1.
pub(crate) fn port(text: &str) -> Option<(SwitchName, u32)> {
    let mut rest = begin(text)?;
    let (switch, jack, port) = (rest.switch()?, rest.take(b'j', MOST_OTHER)?, rest.take(b'p', 1)?);
    rest.end()?;
    Some((switch, 2 * u32::from(jack) + u32::from(port)))
}

/// A network interface.
pub(crate) fn nic(text: &str) -> Option<NicName> {
    let mut rest = begin(text)?;
    let nic = NicName {
        cabinet: rest.take(b'x', MOST_CABINET)?,
        chassis: rest.take(b'c', MOST_CHASSIS)?,
        slot: rest.take(b's', MOST_OTHER)?,
        board: rest.take(b'b', MOST_OTHER),
        node: rest.take(b'n', MOST_OTHER)?,
        interface: rest.take(b'h', MOST_OTHER)?,
    };
    rest.end()?;
    Some(nic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_and_without_dots() {
        for text in ["x1200c4r7j9", "x1200.c4.r7.j9", "x1200c4.r7j9"] {
            let (switch, jack) = jack(text).unwrap();
            assert_eq!((switch.to_string().as_str(), jack), ("x1200c4r7", 9), "{text}");
        }
        for text in ["x1000c0s1b0n0h0", "x7000c0s0n0h11"] {
            assert_eq!(nic(text).unwrap().to_string(), text);
        }
        assert_eq!(nic("x1000.c0.s1.b0.n0.h0"), nic("x1000c0s1b0n0h0"));
        assert_eq!(port("x1c0r1j5p1").unwrap().1, 11);
    }

    #[test]
    fn other_names_are_not() {
        for text in [
            "",
            "none",
            "x",
            "x1c0",
            "x1c0r1",
            "x1c0r1j",
            "x1c0r1j5p0",
            "x10000c0r1j5",
            "x1c8r1j5",
            "x1c0r1j5 ",
            "X1c0r1j5",
            ".x1c0r1j5",
            "x1..c0r1j5",
            "x1c0s1j5",
            "x1c0r1j99999",
            "é",
        ] {
            assert_eq!(jack(text), None, "{text}");
        }
        for text in ["x1c0r1j5", "x1c0s1b0n0", "x1c0s1b0n0h0x", "x1c0s1bn0h0"] {
            assert_eq!(nic(text), None, "{text}");
        }
        for text in ["x1c0r1j5", "x1c0r1j5p2", "x1c0r1j5p0p0"] {
            assert_eq!(port(text), None, "{text}");
        }
    }

    #[test]
    fn switches_are_ordered_by_numbers() {
        let name = |text| jack(text).unwrap().0;
        assert!(name("x900c0r1j1") < name("x1000c0r1j1"));
        assert!(name("x1c1r9j1") < name("x1c1r10j1"));
    }
}
