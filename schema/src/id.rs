//! Identifiers: one type for each thing that has a number, so that they cannot be mixed up.
//!
//! All are plain numbers in the orders that [`crate::Dragonfly`] defines; its methods tell whether a number exists in a
//! given Dragonfly.

use crate::Dragonfly;
use core::fmt;

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident($number:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "alloc", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub struct $name(pub $number);

        impl $name {
            /// Its number as an index into a slice.
            #[inline]
            pub const fn as_usize(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

identifier! {
    /// A group, 0 to g − 1.
    GroupId(u16)
}
identifier! {
    /// The index of a switch in its group, 0 to a − 1.
    SwitchIndex(u8)
}
identifier! {
    /// A switch of the whole fabric: group·a + index, 0 to a·g − 1.
    SwitchId(u16)
}
identifier! {
    /// A node (a terminal): switch·p + k, 0 to p·a·g − 1.
    NodeId(u32)
}
identifier! {
    /// A global port of a *group*: index·h + slot, 0 to a·h − 1. With the group it names one end
    /// of a cable; a packet's header holds its first and second global link in this form.
    GlobalPort(u16)
}
identifier! {
    /// A physical port of one *switch*: first the p terminals, then the a − 1 local ports in the
    /// order of their peers' indices, then the h global ports.
    Port(u16)
}

/// One end of a cable: a global port of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct End {
    /// The group.
    pub group: GroupId,
    /// The port of that group.
    pub port: GlobalPort,
}

impl End {
    /// The end with this group, switch of the group and slot of the switch.
    pub const fn new(df: &Dragonfly, group: GroupId, index: SwitchIndex, slot: u16) -> Self {
        Self { group, port: df.global_port(index, slot) }
    }

    /// "group 3, switch 1, global port 0", as an engineer would label the port.
    pub fn in_words(self, df: &Dragonfly) -> impl fmt::Display + use<> {
        let (index, slot) = df.split_port(self.port);
        let group = self.group;
        fmt::from_fn(move |f| write!(f, "group {group}, switch {index}, global port {slot}"))
    }
}
