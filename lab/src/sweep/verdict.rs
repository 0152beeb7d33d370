//! The result of comparing a statement with our figures.

/// The verdict on one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Our figure is within 5% of the stated one.
    Within,
    /// It does not.
    Outside,
    /// Our figures show what the comparison states.
    Confirmed,
    /// Our figures show something else.
    Refuted,
    /// A study that decides it has not been run.
    NotRun,
    /// No study decides it.
    NotChecked,
}

impl Verdict {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 6] = [
        Self::Within,
        Self::Outside,
        Self::Confirmed,
        Self::Refuted,
        Self::NotRun,
        Self::NotChecked,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Within => "within 5%",
            Self::Outside => "not within 5%",
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::NotRun => "not run",
            Self::NotChecked => "not checked",
        }
    }
}

/// One statement beside our figures.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedStatement {
    /// Its place in the paper.
    pub place: String,
    /// The statement, in words.
    pub what: String,
    /// The stated number; `None` for a comparison.
    pub stated: Option<String>,
    /// Our figure, or the figures that decide a comparison.
    pub ours: String,
    /// The distance of our figure from the stated one: a share of it, or percentage points of a gain.
    pub difference: Option<String>,
    pub verdict: Verdict,
    /// A remark about it.
    pub note: Option<String>,
}
