//! The width of a text, from the widths of letters in the widest of the usual sans-serif fonts (`DejaVu Sans`).

/// About how wide a text is with letters of this size, rather too much than too little.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// The width of a character over the size of the font.
fn em(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '*' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.98,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '±' => 0.78,
        // The letters of Chinese, Japanese and Korean are square.
        '\u{2e80}'.. => 1.0,
        _ => 0.64,
    }
}

/// A text in lines that fit this room; a word that does not fit is broken.
pub(crate) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + 0.3 * size <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(broken(word, size, room)),
        }
    }
    lines
}

/// A word in parts that fit this room.
fn broken(word: &str, size: f64, room: f64) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut used = 0.0;
    for character in word.chars() {
        let more = em(character) * size;
        if used + more > room && used > 0.0 {
            parts.push(String::new());
            used = 0.0;
        }
        used += more;
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_hold_every_word() {
        let text = "only:000+010+020+100+101, 2*only:001, 4*only:011 T=-2 and some more words";
        for room in [60.0, 150.0, 400.0] {
            let lines = wrapped(text, 12.0, room);
            assert!(lines.iter().all(|line| width(line, 12.0) <= room), "{lines:?}");
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text));
        }
        assert_eq!(wrapped("two words", 12.0, 400.0), ["two words"]);
        assert!(wrapped("", 12.0, 100.0).is_empty());
    }
}
