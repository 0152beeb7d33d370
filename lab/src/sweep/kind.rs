//! The parts of a study: [`Units`] of work, which are the combinations of its lists, and a [`Kind`], which defines the
//! subject under which a unit is kept, how it is made, and the rows of its table. Keeping, claiming, continuing and
//! merging are the same for all and are done here and by [`super::run`].

use super::error::SweepError;
use super::means::Means;
use super::store::ResultStore;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tvlb_base::progress::Progress;
use tvlb_base::table::Cell;

/// The rows of a unit's table.
pub(super) type UnitRows = Vec<Vec<Cell>>;

/// All combinations of a study's lists, and the shared data of their runs.
pub(super) trait Units: Sync {
    fn count(&self) -> usize;

    /// Makes what a unit shares with others, before units are made side by side.
    fn prepare(&mut self, _unit: usize, _progress: &dyn Progress) -> Result<(), SweepError> {
        Ok(())
    }

    /// Warnings about how to read the figures of its runs.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// One of the units, with the place of results and its observer.
pub(super) struct Unit<'u, U> {
    pub(super) units: &'u U,
    pub(super) place: usize,
    pub(super) results: &'u ResultStore<'u>,
    pub(super) progress: &'u dyn Progress,
}

impl<U> Clone for Unit<'_, U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Unit<'_, U> {}

/// The measurement of each unit.
pub(super) trait Kind<U>: Sync {
    /// Everything that the result of a unit depends on.
    type Subject<'u>: Serialize
    where
        U: 'u,
        Self: 'u;
    /// The kept result of a unit.
    type Found: Serialize + DeserializeOwned;

    fn subject<'u>(&'u self, unit: Unit<'u, U>) -> Self::Subject<'u>;

    fn make(&self, unit: Unit<'_, U>) -> Result<Self::Found, SweepError>;

    /// The result of a unit, kept or made now; nothing if it is not there and is not to be made, or if another process
    /// makes it.
    fn found(&self, unit: Unit<'_, U>) -> Result<Option<Self::Found>, SweepError> {
        unit.results.run(&self.subject(unit), || self.make(unit))
    }

    /// Whether all that a unit needs is kept. Its results are not to be made.
    fn is_kept(&self, unit: Unit<'_, U>) -> Result<bool, SweepError> {
        Ok(unit.results.contains(&self.subject(unit)))
    }

    /// Whether results are kept, and not counted again whenever tables are written.
    fn keeps(&self) -> bool {
        true
    }

    /// How many units, which differ in the seed alone and follow each other, have their rows together.
    fn seeds_together(&self, _units: &U) -> usize {
        1
    }

    /// The rows of the units that have them together, of which this one is the last.
    fn rows(&self, unit: Unit<'_, U>, found: Vec<Self::Found>) -> Result<UnitRows, SweepError>;

    fn table(&self, units: &U) -> StudyTable;
}

/// The columns of a study's table.
pub(super) struct StudyTable {
    pub(super) columns: Vec<&'static str>,
    /// Those of them that were measured; the others describe the run.
    pub(super) figures: Vec<&'static str>,
    /// Those of the figures that the terminal shows; all if there are none.
    pub(super) shown: &'static [&'static str],
    /// How it is drawn: [`tvlb_base::drawing::Drawing::parse`] reads it.
    pub(super) drawn: &'static str,
    /// The names of the files of the table and of its means over seeds.
    pub(super) names: [&'static str; 2],
    /// Means over the seeds, if each seed has rows of its own.
    pub(super) means: Option<Means<'static>>,
    /// How many panels a picture of all has, and how many lines each; no number of lines if they are marks beside each
    /// other. `None` if no picture of all is drawn.
    pub(super) pictured: Option<(usize, Option<usize>)>,
}

impl StudyTable {
    /// A table without means: the columns that describe a run, then those of figures, both separated by commas.
    pub(super) fn of(subject: &'static str, figures: &'static str, drawn: &'static str) -> Self {
        let figures: Vec<&str> = figures.split(',').collect();
        Self::figures(subject.split(',').chain(figures.iter().copied()).collect(), figures, drawn)
    }

    pub(super) const fn figures(
        columns: Vec<&'static str>,
        figures: Vec<&'static str>,
        drawn: &'static str,
    ) -> Self {
        let names = ["figures.csv", ""];
        Self { columns, figures, shown: &[], drawn, names, means: None, pictured: None }
    }
}

/// The units of a study and their measurement, for any kind of result.
pub(super) trait Measure: Sync {
    fn count(&self) -> usize;
    fn prepare(&mut self, units: &[usize], progress: &dyn Progress) -> Result<(), SweepError>;
    fn is_kept(&self, place: usize, results: &ResultStore<'_>) -> Result<bool, SweepError>;
    fn keeps(&self) -> bool;

    /// Makes the result of a unit. False if another process makes it.
    fn make(
        &self,
        place: usize,
        results: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<bool, SweepError>;

    /// The rows of a unit, from its kept result; `None` if that is missing.
    fn rows(&self, place: usize, results: &ResultStore<'_>)
    -> Result<Option<UnitRows>, SweepError>;
    fn table(&self) -> StudyTable;
    fn warnings(&self) -> Vec<String>;
}

impl<U: Units, K: Kind<U>> Measure for (U, K) {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn prepare(&mut self, units: &[usize], progress: &dyn Progress) -> Result<(), SweepError> {
        units.iter().try_for_each(|&unit| self.0.prepare(unit, progress))
    }

    fn is_kept(&self, place: usize, results: &ResultStore<'_>) -> Result<bool, SweepError> {
        self.1.is_kept(Unit { units: &self.0, place, results, progress: &() })
    }

    fn keeps(&self) -> bool {
        self.1.keeps()
    }

    fn make(
        &self,
        place: usize,
        results: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<bool, SweepError> {
        Ok(self.1.found(Unit { units: &self.0, place, results, progress })?.is_some())
    }

    fn rows(
        &self,
        place: usize,
        results: &ResultStore<'_>,
    ) -> Result<Option<UnitRows>, SweepError> {
        let (units, kind) = self;
        let unit = |place| Unit { units, place, results, progress: &() };
        let Some(own) = kind.found(unit(place))? else { return Ok(None) };
        let together = kind.seeds_together(units);
        if !(place + 1).is_multiple_of(together) {
            return Ok(Some(Vec::new()));
        }
        let others = (place + 1 - together..place).map(|other| kind.found(unit(other)));
        let others: Option<Vec<K::Found>> = others.collect::<Result<_, _>>()?;
        let Some(mut found) = others else { return Ok(Some(Vec::new())) };
        found.push(own);
        kind.rows(unit(place), found).map(Some)
    }

    fn table(&self) -> StudyTable {
        self.1.table(&self.0)
    }

    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }
}
