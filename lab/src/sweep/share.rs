//! Shares of a sweep, so that many processes can make one sweep together.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// One of several shares of nearly equal size. The default is all that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    number: usize,
    count: usize,
}

impl Default for Share {
    fn default() -> Self {
        Self { number: 1, count: 1 }
    }
}

impl Share {
    /// Whether there is no other share.
    pub const fn is_whole(self) -> bool {
        self.count == 1
    }

    /// The entries of a list that belong to the share: one in every so many, so that runs that take
    /// long, which stand side by side, are spread over the shares.
    pub(super) fn of<T>(self, list: &[T]) -> impl Iterator<Item = &T> {
        list.iter().skip(self.number - 1).step_by(self.count)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Self { number, count }),
            _ => Err("write it as I/N, with I from 1 to N".to_owned()),
        }
    }
}

impl Display for Share {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_every_entry_once() {
        let list = [0, 1, 2, 3, 4, 5, 6];
        let mut all: Vec<i32> = ["1/3", "2/3", "3/3"]
            .iter()
            .flat_map(|share| share.parse::<Share>().unwrap().of(&list).copied())
            .collect();
        all.sort_unstable();
        assert_eq!(all, list);
        assert_eq!(Share::default().of(&list).count(), list.len());
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["0/2", "3/2", "1", "x/y", "1/0", ""] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
        assert_eq!("2/3".parse::<Share>().unwrap().to_string(), "2/3");
    }
}
