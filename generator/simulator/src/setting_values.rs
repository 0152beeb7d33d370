//! The values of some settings of a run, and how they are written.

use std::fmt;
use std::str::FromStr;
use tvlb_schema::LinkKind;

/// The largest latency in cycles, here and in a fabric file.
pub const MOST_LATENCY: u16 = 10_000;
/// The most flits of a buffer, here and in a fabric file: as many as are under way, there and back, on a link of the
/// largest latency with the largest credit delay.
pub const MOST_BUFFER: u16 = 3 * MOST_LATENCY;

/// How many flits the buffer of one virtual channel holds, by the kind of link. As text it is one number for all links,
/// or two: `32/256` for links to nodes and within groups, and for links between groups.
///
/// # Example
/// ```
/// use tvlb_simulator::Buffers;
///
/// assert_eq!("32".parse(), Ok(Buffers::all(32)));
/// assert_eq!("32/256".parse(), Ok(Buffers { local: 32, global: 256 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Those of links within groups, and between nodes and switches, 1 to [`MOST_BUFFER`].
    pub local: u16,
    /// Those of links between groups, 1 to [`MOST_BUFFER`].
    pub global: u16,
}

impl Buffers {
    /// The same for all links.
    pub const fn all(flits: u16) -> Self {
        Self { local: flits, global: flits }
    }

    /// Those of one kind of link.
    pub const fn of(self, kind: LinkKind) -> u16 {
        match kind {
            LinkKind::Node | LinkKind::Local => self.local,
            LinkKind::Global => self.global,
        }
    }

    pub(crate) const fn most(self) -> u16 {
        if self.local > self.global { self.local } else { self.global }
    }
}

impl fmt::Display for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { local, global } if local == global => write!(f, "{local}"),
            Self { local, global } => write!(f, "{local}/{global}"),
        }
    }
}

impl FromStr for Buffers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (local, global) = text.split_once('/').unwrap_or((text, text));
        let within = |flits: &u16| (1..=MOST_BUFFER).contains(flits);
        let number = |text: &str| text.parse().ok().filter(within);
        let read = number(local).zip(number(global)).map(|(local, global)| Self { local, global });
        read.ok_or_else(|| {
            format!(
                "accepted a number from 1 to {MOST_BUFFER}, or two as in 32/256: of links within groups and between them"
            )
        })
    }
}

/// When the path of a packet is decided. In a switch this depends on when [`admit`](tvlb_firmware_model::Switch::admit)
/// is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Deciding {
    /// When its node sends it, from the credits of that moment: as many packets as the buffer holds may leave the
    /// switch before it.
    #[default]
    Sending,
    /// When it becomes the head of its buffer at the switch.
    Head,
}

impl Deciding {
    /// All, each with its meaning.
    pub const ALL: [(Self, &'static str); 2] = [
        (Self::Sending, "As its node sends it, as in the papers' simulators"),
        (Self::Head, "As it becomes the head of its buffer at the switch"),
    ];

    /// The name, wherever people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sending => "sending",
            Self::Head => "head",
        }
    }
}

/// How many windows a run measures after its warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measuring {
    #[default]
    OneWindow,
    /// As many windows as it takes until each of three in a row changes the mean latency of all measured ones by at
    /// most 5%, but at most ten with those of the warm-up, and none after one at whose end the mean latency is certain
    /// to pass the limit.
    UntilWindowsAgree,
}

impl Measuring {
    /// All, each with its meaning.
    pub const ALL: [(Self, &'static str); 2] = [
        (Self::OneWindow, "One window"),
        (
            Self::UntilWindowsAgree,
            "Window after window until three in a row each change the mean latency by at most 5%; with the warm-up, ten windows at most",
        ),
    ];

    /// The default. A search for saturation tries loads at which a single window ends before queues have their full
    /// length.
    pub const fn usual(is_search: bool) -> Self {
        if is_search { Self::UntilWindowsAgree } else { Self::OneWindow }
    }

    /// The name, wherever people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneWindow => "one-window",
            Self::UntilWindowsAgree => "until-windows-agree",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_one_number_or_two() {
        for text in ["32", "32/256"] {
            assert_eq!(text.parse::<Buffers>().unwrap().to_string(), text);
        }
        for text in ["", "32/", "/32", "1/2/3", "-1", "0", "32/0", "30001"] {
            assert!(text.parse::<Buffers>().is_err(), "{text}");
        }
    }
}
