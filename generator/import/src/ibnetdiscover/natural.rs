//! The order of names.

/// A key that orders names by their texts and numbers, so that `leaf9` comes before `leaf10`.
pub(crate) fn natural(name: &str) -> Vec<(String, u64, String)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let after = &rest[text..];
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        // A run of digits too long for a number comes last, in the order of its text.
        let number = if digits == 0 { 0 } else { after[..digits].parse().unwrap_or(u64::MAX) };
        key.push((rest[..text].to_owned(), number, after[..digits].to_owned()));
        rest = &after[digits..];
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["leaf10", "leaf9", "leaf", "a2b10", "a2b9", "leaf09", "7", "é1"];
        names.sort_by_cached_key(|name| natural(name));
        assert_eq!(names, ["7", "a2b9", "a2b10", "leaf", "leaf09", "leaf9", "leaf10", "é1"]);
    }
}
