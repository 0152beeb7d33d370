//! The style sheet that all pictures share.

/// The style sheet of pictures: colours for light, dark and paper, and the look of lines and texts.
///
/// The colours of lines are those of Okabe and Ito, which the colour-blind can tell apart.
pub const STYLE: &str = include_str!("style.css");
