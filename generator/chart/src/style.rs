//! The style sheet that all pictures share.

/// The style sheet of pictures: colours for light, dark and paper, and the look of lines and texts.
///
/// The colours of lines are those of Okabe and Ito, which the colour-blind can tell apart.
pub const STYLE: &str = include_str!("style.css");

/// What opens the block of colours for light, and for dark.
#[cfg(feature = "png")]
const COLOURS: [&str; 2] = [":root,svg{", "@media (prefers-color-scheme:dark){:root,svg{"];

/// The style sheet for light or for dark alone, without variables and without conditions: for programs that
/// know neither.
#[cfg(feature = "png")]
pub(crate) fn flat(is_dark: bool) -> String {
    let block = |opening: &str| {
        let (_, rest) = STYLE.split_once(opening).unwrap_or_default();
        rest.split_once('}').unwrap_or_default().0
    };
    let light = block(COLOURS[0]);
    let colours = if is_dark { block(COLOURS[1]) } else { light };
    let values: Vec<(&str, &str)> = colours
        .split(';')
        .filter_map(|declaration| declaration.trim().strip_prefix("--")?.split_once(':'))
        .collect();
    // A line of the style sheet is either rules or one condition; the first lines are the colours.
    let rules = STYLE.split_once("@media").unwrap_or_default().1;
    let rules = rules.lines().skip_while(|line| !line.starts_with("svg "));
    let rules: Vec<&str> = rules.filter(|line| !line.starts_with('@')).collect();
    let mut flat = rules.join("\n");
    for (name, value) in values {
        flat = flat.replace(&format!("var(--{name})"), value);
    }
    flat
}

#[cfg(all(test, feature = "png"))]
mod tests {
    use super::*;

    #[test]
    fn a_flat_style_has_neither_variables_nor_conditions() {
        let [light, dark] = [false, true].map(flat);
        for style in [&light, &dark] {
            assert!(!style.contains("var(") && !style.contains('@'), "{style}");
            assert!(style.contains(".k8.line,.k8.open,.k8.bar{stroke:#"), "{style}");
        }
        assert!(light.contains(".paper{fill:#ffffff}") && dark.contains(".paper{fill:#14181d}"));
    }
}
