//! A list of messages: CSV with the header `from,to,bytes` or `from,to,bytes,phase`.
//!
//! Lines that are empty or begin with `#` do not count. A line is one message from one rank to another.
//! Phases follow each other by rising number, whatever the order of lines. Without the fourth column all
//! messages are of one phase. The order of the lines of a phase is the order in which a rank opens its
//! receives and sends its messages.

use crate::error::WorkloadError;
use crate::rank::Rank;

/// The columns, the last of which may be missing.
const COLUMNS: &str = "from,to,bytes,phase";

/// One message of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sender.
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
        let lines = (1..).zip(text.lines().map(str::trim));
        let mut lines = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
        let wrong = |line, found: &str, accepted| {
            Err(WorkloadError::Line { line, found: found.to_owned(), accepted })
        };
        let has_phases = match lines.next() {
            Some((_, "from,to,bytes")) => false,
            Some((_, COLUMNS)) => true,
            Some((line, text)) => {
                return wrong(line, text, "the header from,to,bytes or from,to,bytes,phase");
            }
            None => {
                return wrong(1, "no line", "the header from,to,bytes or from,to,bytes,phase");
            }
        };
        let mut messages = Vec::new();
        for (line, text) in lines {
            let fields: Option<Vec<u64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
            let (ends, bytes, phase) = match (fields.as_deref(), has_phases) {
                (Some(&[from, to, bytes]), false) => ([from, to], bytes, Ok(0)),
                (Some(&[from, to, bytes, phase]), true) => {
                    ([from, to], bytes, u32::try_from(phase))
                }
                (_, false) => return wrong(line, text, "three whole numbers: from,to,bytes"),
                (_, true) => return wrong(line, text, "four whole numbers: from,to,bytes,phase"),
            };
            let [Ok(from), Ok(to)] = ends.map(u32::try_from) else {
                return wrong(line, text, "ranks below 2^32");
            };
            let Ok(phase) = phase else { return wrong(line, text, "a phase below 2^32") };
            if from == to {
                return wrong(line, text, "a message between two ranks that differ");
            }
            messages.push(Message { from: Rank(from), to: Rank(to), bytes, phase });
        }
        messages.sort_by_key(|message| message.phase); // stable: the order of lines stays
        Ok(Self { messages, has_phases })
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
    fn a_line_that_is_no_message_is_named() {
        let error = |text: &str| MessageList::parse(text).unwrap_err().to_string();
        let header = "accepted the header from,to,bytes or from,to,bytes,phase";
        assert_eq!(error(""), format!("line 1: found \"no line\", {header}"));
        assert_eq!(error("\n0,1,8"), format!("line 2: found \"0,1,8\", {header}"));
        assert_eq!(
            error("from,to,bytes\n0,1,8\n0,1,8,3"),
            "line 3: found \"0,1,8,3\", accepted three whole numbers: from,to,bytes"
        );
        assert_eq!(
            error("from,to,bytes,phase\n0,1,-8,3"),
            "line 2: found \"0,1,-8,3\", accepted four whole numbers: from,to,bytes,phase"
        );
        let same = error("from,to,bytes\n4,4,8");
        assert!(same.ends_with("accepted a message between two ranks that differ"), "{same}");
        let large = error("from,to,bytes\n4294967296,4,8");
        assert!(large.ends_with("accepted ranks below 2^32"), "{large}");
    }
}
