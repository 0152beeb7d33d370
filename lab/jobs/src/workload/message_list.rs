//! A list of messages: CSV with the columns `from`, `to` and `bytes`, and after them optionally `phase`, `at` and
//! `compute`, in any order.
//!
//! A line is one message from one rank to another. Phases follow each other by rising number, whatever the order of
//! lines. Without phases all messages are in one. The order of the lines of a phase is the order in which a rank opens
//! its receives and sends its messages. Before a message is sent, the sender waits for its cycle, and then computes, as
//! the line says.

use crate::workload::error::WorkloadError;
use crate::workload::rank::Rank;
use tvlb_base::text::{Records, Refused, quoted};

/// The columns that every list has.
const COLUMNS: [&str; 3] = ["from", "to", "bytes"];
/// The columns that it may have after them.
const MORE_COLUMNS: [&str; 3] = ["phase", "at", "compute"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its line, counted from 1; 0 if no file lists it.
    pub line: u32,
    pub from: Rank,
    /// The receiver, another rank.
    pub to: Rank,
    /// Its length in bytes.
    pub bytes: u64,
    /// The phase in which it is sent; 0 if the list has no phases.
    pub phase: u32,
    /// The cycle before which it is not sent, counted from the one in which the sender begins the iteration.
    pub at: u64,
    /// For how many cycles the sender computes before it sends this message, after its previous ones.
    pub compute: u64,
}

impl Message {
    /// One that no file lists, and that is sent as soon as its turn comes.
    pub(super) const fn untimed(from: Rank, to: Rank, bytes: u64, phase: u32) -> Self {
        Self { line: 0, from, to, bytes, phase, at: 0, compute: 0 }
    }
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
    /// The first line that is not a message; or an empty list.
    pub fn parse(text: &str) -> Result<Self, WorkloadError> {
        let mut records = Records::of_text(text);
        let more = header(&mut records)?;
        let mut messages = Vec::new();
        while records.read()? {
            let wrong = |accepted: &'static str| {
                let found = format!("found {}", quoted(records.line()));
                WorkloadError::from(Refused::new(found, accepted).at(records.place()))
            };
            let fields = records.fields();
            let numbers: Option<Vec<u64>> = fields.iter().map(|field| field.parse().ok()).collect();
            let numbers = numbers.ok_or_else(|| wrong("a whole number in each field"))?;
            let of = |name| more.iter().position(|column| *column == name);
            let of = |name| of(name).map_or(0, |place| numbers[COLUMNS.len() + place]);
            let [Ok(from), Ok(to)] = [numbers[0], numbers[1]].map(u32::try_from) else {
                return Err(wrong("ranks below 2^32"));
            };
            let phase = u32::try_from(of("phase")).map_err(|_| wrong("a phase below 2^32"))?;
            if from == to {
                return Err(wrong("a message between two ranks that differ"));
            }
            messages.push(Message {
                line: records.line_number(),
                from: Rank(from),
                to: Rank(to),
                bytes: numbers[2],
                phase,
                at: of("at"),
                compute: of("compute"),
            });
        }
        messages.sort_by_key(|message| message.phase); // stable: the order of lines stays
        Ok(Self::new(messages, more.contains(&"phase")))
    }

    /// Messages that are sorted by phase.
    pub(super) const fn new(messages: Vec<Message>, has_phases: bool) -> Self {
        Self { messages, has_phases }
    }

    /// The messages by phase, and of a phase in the order of the list.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Whether the list has phases.
    pub const fn has_phases(&self) -> bool {
        self.has_phases
    }
}

/// Reads the header; returns the columns after those of every list, in its order.
fn header(records: &mut Records<'_>) -> Result<Vec<&'static str>, Refused> {
    const ACCEPTED: &str = "from,to,bytes, and after them phase, at and compute, each once at most";
    if !records.read_header()? {
        return Err(Refused::new("found the end of the file", ACCEPTED).on_line(1));
    }
    let (fields, mut more) = (records.fields(), Vec::new());
    for place in 0..fields.len().max(COLUMNS.len()) {
        let found = fields.iter().nth(place);
        let expected = COLUMNS.get(place).copied();
        let of_more = MORE_COLUMNS.into_iter().find(|name| found == Some(*name));
        match of_more.filter(|name| expected.is_none() && !more.contains(name)) {
            Some(name) => more.push(name),
            None if expected.is_some() && found == expected => {}
            None => {
                let found = found.map_or_else(|| "missing".to_owned(), quoted);
                let found = format!("column {} of the header is {found}", place + 1);
                return Err(Refused::new(found, ACCEPTED).at(records.place()));
            }
        }
    }
    Ok(more)
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
    fn a_message_may_have_a_time_and_computing_before_it() {
        let text = "from,to,bytes,compute,at\n0,1,8,70,500\n1,0,9,0,0\n";
        let list = MessageList::parse(text).unwrap();
        let of = |m: &Message| (m.at, m.compute, m.phase);
        assert_eq!(list.messages().iter().map(of).collect::<Vec<_>>(), [(500, 70, 0), (0, 0, 0)]);
        assert!(!list.has_phases());
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
        let accepted =
            "accepted from,to,bytes, and after them phase, at and compute, each once at most";
        for (text, found) in [
            ("\n0,1,8", "line 2: column 1 of the header is \"0\""),
            ("from,to", "line 1: column 3 of the header is missing"),
            ("from,to,bytes,at,at", "line 1: column 5 of the header is \"at\""),
            ("from,to,bytes,phase,when", "line 1: column 5 of the header is \"when\""),
            ("", "line 1: found the end of the file"),
        ] {
            assert_eq!(error(text), format!("{found}, {accepted}"));
        }
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
