//! Which of several names a misspelt word may have meant.
//!
//! All code that refuses a word by listing the accepted ones adds the suggestion of this module, so that they agree on
//! how near is near enough.

/// The most letters in which a word may differ from the name that it is taken for.
const MOST_LETTERS: usize = 2;

/// The name that a word may have meant: the nearest one, in which fewer than half of the word's letters
/// differ, and at most two. Capitals, hyphens, underscores and spaces do not count. Of several names that
/// are equally near it is the first.
///
/// # Example
/// ```
/// use tvlb_base::text::nearest;
///
/// assert_eq!(nearest("unifrom", ["shift", "uniform"]), Some("uniform"));
/// assert_eq!(nearest("UGAL_L", ["ugal-l", "ugal-g"]), Some("ugal-l"));
/// assert_eq!(nearest("sideways", ["shift", "uniform"]), None);
/// ```
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
    let word = letters(word);
    let distance = |name: &str| strsim::osa_distance(&word, &letters(name));
    let with_distances = names.into_iter().map(|name| (distance(name), name));
    let (distance, name) = with_distances.min_by_key(|&(distance, _)| distance)?;
    let is_near = distance <= MOST_LETTERS && 2 * distance < word.chars().count();
    (distance == 0 || is_near).then_some(name)
}

/// " (did you mean NAME?)", or empty if no name is near the word.
///
/// # Example
/// ```
/// assert_eq!(tvlb_base::text::hint("pra", ["par", "ugal-l"]), " (did you mean par?)");
/// ```
pub fn hint<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_taken_for_the_nearest_name_alone() {
        let names = ["ordered", "per-hop", "positional"];
        for (word, name) in [("orderd", "ordered"), ("PerHop", "per-hop"), ("per_hpo", "per-hop")] {
            assert_eq!(nearest(word, names), Some(name), "{word}");
        }
        for word in ["", "x", "none", "hop", "order of hops"] {
            assert_eq!(nearest(word, names), None, "{word}");
        }
        assert_eq!(nearest("", [""]), Some(""));
        assert_eq!(hint("sideways", names), "");
        // Both are one letter away.
        assert_eq!(nearest("shapes", ["shaper", "shaped"]), Some("shaper"));
    }
}
