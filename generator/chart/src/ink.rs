//! The look of a series.

/// The role of a series, which decides its look, the same in all plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Conventional,
    /// The paper's choice.
    Paper,
    Ours,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
    /// Everything else.
    Plain,
}

impl Ink {
    /// In the order of a legend.
    pub const ALL: [Self; 9] = [
        Self::Conventional,
        Self::Paper,
        Self::Ours,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::Eighth,
        Self::Plain,
    ];

    /// The ink of the n-th of several.
    pub fn nth(n: usize) -> Self {
        Self::ALL[n % 8]
    }

    /// The class of the style sheet that fills a shape so.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Conventional => "k0",
            Self::Paper => "k1",
            Self::Ours => "k2",
            Self::Fourth => "k3",
            Self::Fifth => "k4",
            Self::Sixth => "k5",
            Self::Plain => "k6",
            Self::Seventh => "k7",
            Self::Eighth => "k8",
        }
    }

    /// The outline of its mark around a point.
    pub(crate) fn mark(self, x: f64, y: f64) -> String {
        match self {
            Self::Conventional => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            Self::Paper => format!("M{x:.1} {:.1}l4.2 7.4h-8.4z", y - 4.6),
            Self::Ours => format!("M{x:.1} {:.1}l4.8 4.8l-4.8 4.8l-4.8-4.8z", y - 4.8),
            Self::Fourth => format!("M{x:.1} {:.1}l4.2-7.4h-8.4z", y + 4.6),
            Self::Fifth => format!("M{:.1} {:.1}h3v-3h3v3h3v3h-3v3h-3v-3h-3z", x - 4.5, y - 1.5),
            Self::Sixth => format!("M{:.1} {:.1}h5v10h-5z", x - 2.5, y - 5.0),
            Self::Seventh => format!("M{:.1} {:.1}h10v5h-10z", x - 5.0, y - 2.5),
            Self::Eighth => format!("M{:.1} {:.1}h6l-2.2 8h-1.6z", x - 3.0, y - 4.0),
            Self::Plain => format!("M{:.1} {:.1}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z", x - 2.5, y),
        }
    }
}
