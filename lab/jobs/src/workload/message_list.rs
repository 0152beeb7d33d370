//! A list of messages: CSV with the header `from,to,bytes` or `from,to,bytes,phase`.
//!
//! A line is one message from one rank to another.
//! Phases follow each other by rising number, whatever the order of lines. Without the fourth column all
//! messages are of one phase. The order of the lines of a phase is the order in which a rank opens its
//! receives and sends its messages.

use crate::workload::error::WorkloadError;
use crate::workload::rank::Rank;
use tvlb_base::text::{Records, Refused, quoted};

/// The columns, the last of which may be missing.
const COLUMNS: [&str; 4] = ["from", "to", "bytes", "phase"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The line on which it stands, counted from 1; 0 if no file lists it.
    pub line: u32,
    pub from: Rank,
    /// The receiver, another rank.
    pub to: Rank,
    /// Its length in bytes.
    pub bytes: u64,
    /// The phase in which it is sent; 0 where the list has no phases.
    pub phase: u32,
}

/// Messages by phase, and of a phase in the order of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageList {
    messages: Vec<Message>,
    has_phases: bool,
}

impl MessageList {
    /// Reads a list.
    ///
    /// # Errors
    /// The first line that is not a message, or that there is none.
    pub fn parse(text: &str) -> Result<Self, WorkloadError> {
        let mut records = Records::of_text(text);
        let has_phases = records.expect_header(&[&COLUMNS[..3], &COLUMNS])? == 1;
        let mut messages = Vec::new();
        while records.read()? {
            let wrong = |accepted: &'static str| {
                let found = format!("found {}", quoted(records.line()));
                WorkloadError::from(Refused::new(found, accepted).at(records.place()))
            };
            let fields = records.fields();
            let numbers: Option<Vec<u64>> = fields.iter().map(|field| field.parse().ok()).collect();
            let numbers = numbers.ok_or_else(|| wrong("a whole number in each field"))?;
            let (bytes, phase) = (numbers[2], numbers.get(3).copied().unwrap_or(0));
            let [Ok(from), Ok(to)] = [numbers[0], numbers[1]].map(u32::try_from) else {
                return Err(wrong("ranks below 2^32"));
            };
            let phase = u32::try_from(phase).map_err(|_| wrong("a phase below 2^32"))?;
            if from == to {
                return Err(wrong("a message between two ranks that differ"));
            }
            messages.push(Message {
                line: records.line_number(),
                from: Rank(from),
                to: Rank(to),
                bytes,
                phase,
            });
        }
        messages.sort_by_key(|message| message.phase); // stable: the order of lines stays
        Ok(Self::new(messages, has_phases))
    }

    /// Messages that are sorted by phase.
    pub(super) const fn new(messages: Vec<Message>, has_phases: bool) -> Self {
        Self { messages, has_phases }
    }

    /// The messages by phase, and of a phase in the order of the list.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Whether the list says of which phase a message is.
    pub const fn has_phases(&self) -> bool {
        self.has_phases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sorted_by_phase_alone() {
        let list = MessageList::parse(
            "# a test\nfrom,to,bytes,phase\n2,0,5,7\n0,1,8,3\n\n1,0,9,7\n0,2,1,3\n",
        )
        .unwrap();
        let of = |m: &Message| (m.from.0, m.to.0, m.bytes, m.phase);
        let all: Vec<_> = list.messages().iter().map(of).collect();
        assert_eq!(all, [(0, 1, 8, 3), (0, 2, 1, 3), (2, 0, 5, 7), (1, 0, 9, 7)]);
        assert!(list.has_phases());
        assert!(!MessageList::parse("from,to,bytes\n0,1,8").unwrap().has_phases());
    }

    #[test]
    fn a_list_may_come_from_a_spreadsheet() {
        let plain = MessageList::parse("from,to,bytes\n0,1,1000\n").unwrap();
        for text in [
            "\u{feff}from,to,bytes\r\n0,1,1000\r\n",
            "\"from\",\"to\",\"bytes\"\n\"0\", 1, 1000\n",
            "from,to,bytes,,\n0,1,1000,,\n,,,,\n",
        ] {
            assert_eq!(MessageList::parse(text), Ok(plain.clone()), "{text:?}");
        }
    }

    #[test]
    fn a_line_that_is_no_message_is_named() {
        let error = |text: &str| MessageList::parse(text).unwrap_err().to_string();
        let header = "the header is from,to,bytes or from,to,bytes,phase";
        assert_eq!(
            error("\n0,1,8"),
            format!("line 2: column 1 of the header is \"0\", accepted \"from\"; {header}")
        );
        assert_eq!(
            error("from,to,bytes\n0,1,8\n0,1,8,3"),
            "line 3: found 4 fields, accepted 3: from,to,bytes"
        );
        assert_eq!(
            error("from,to,bytes,phase\n0,1,-8,3"),
            "line 2: found \"0,1,-8,3\", accepted a whole number in each field"
        );
        let same = error("from,to,bytes\n4,4,8");
        assert!(same.ends_with("accepted a message between two ranks that differ"), "{same}");
        let large = error("from,to,bytes\n4294967296,4,8");
        assert!(large.ends_with("accepted ranks below 2^32"), "{large}");
    }
}
