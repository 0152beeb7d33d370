//! A reader's remarks on what it read, besides the machine.

use tvlb_base::text::listed;

/// Sentences for people.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// What was read, in a few words.
    pub(crate) read: String,
    /// What was assumed, left out or added.
    pub(crate) assumed: Vec<String>,
    /// What a person should check.
    pub(crate) warnings: Vec<String>,
}

/// Names that a sentence lists, each of them up to a limit.
#[derive(Debug, Default)]
pub(crate) struct NameSample {
    count: usize,
    names: Vec<String>,
}

/// A sentence with more items helps no reader.
pub(crate) const MOST_LISTED: usize = 100;
const MOST_IN_SHORT: usize = 10;

impl NameSample {
    /// Lists these.
    pub(crate) fn of<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let mut listed = Self::default();
        names.into_iter().for_each(|name| listed.push(|| name.into()));
        listed
    }

    /// The same for this many items, shown or not.
    pub(crate) fn of_all(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// Adds a name, which is made only if it is to be shown.
    pub(crate) fn push(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < MOST_LISTED {
            self.names.push(name());
        }
    }

    /// How many there are, shown or not.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The names with commas between them.
    pub(crate) fn in_words(&self) -> String {
        self.first(MOST_LISTED)
    }

    /// The first names, for a warning, which a terminal shows.
    pub(crate) fn in_short(&self) -> String {
        self.first(MOST_IN_SHORT)
    }

    fn first(&self, most: usize) -> String {
        listed(&self.names, self.count, most)
    }
}

/// A number and a noun, in the plural if it must be.
pub(crate) fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(NameSample::of(["a", "b"]).in_words(), "a, b");
        let many = NameSample::of((0..105).map(|n| n.to_string()));
        assert!(many.in_words().ends_with(", 98, 99 and 5 more"), "{}", many.in_words());
        assert_eq!(many.in_short(), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 95 more");
    }
}
