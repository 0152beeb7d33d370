//! Squares of sums by where walks leave the source group and arrive in the destination group.

/// Three numbers, one for each number of local hops in the middle, and a fourth that fills up a
/// vector register.
pub(super) type ByMid = [f64; 4];
/// A square of numbers with the sums of its rows and columns.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) side: usize,
    pub(super) cells: Vec<ByMid>,
    pub(super) rows: Vec<ByMid>,
    pub(super) columns: Vec<ByMid>,
    pub(super) total: ByMid,
}

#[inline(always)]
pub(super) fn plus(a: ByMid, b: ByMid) -> ByMid {
    std::array::from_fn(|mid| a[mid] + b[mid])
}

#[inline(always)]
pub(super) fn minus(a: ByMid, b: ByMid) -> ByMid {
    std::array::from_fn(|mid| a[mid] - b[mid])
}

#[inline(always)]
pub(super) fn times(a: ByMid, factor: f64) -> ByMid {
    a.map(|a| a * factor)
}

impl Table {
    pub(super) fn new(side: usize) -> Self {
        Self {
            side,
            cells: vec![[0.0; 4]; side * side],
            rows: vec![[0.0; 4]; side],
            columns: vec![[0.0; 4]; side],
            total: [0.0; 4],
        }
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.cells.fill([0.0; 4]);
        self.rows.fill([0.0; 4]);
        self.columns.fill([0.0; 4]);
        self.total = [0.0; 4];
    }

    /// Adds up rows and columns, which are clear.
    #[inline(always)]
    pub(super) fn sum_up(&mut self) {
        for (row, sum) in self.cells.chunks_exact(self.side).zip(&mut self.rows) {
            for (column, &cell) in self.columns.iter_mut().zip(row) {
                *sum = plus(*sum, cell);
                *column = plus(*column, cell);
            }
            self.total = plus(self.total, *sum);
        }
    }

    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> &[ByMid] {
        &self.cells[i * self.side..][..self.side]
    }

    /// The sums over all (u, z) with u = i or not, and z = j or not, in the order of [`ENDS`].
    #[inline(always)]
    pub(super) fn parts(&self, i: usize, j: usize) -> [ByMid; 4] {
        let here = self.cells[i * self.side + j];
        let (row, column) = (self.rows[i], self.columns[j]);
        let elsewhere = minus(plus(self.total, here), plus(row, column));
        [here, minus(row, here), minus(column, here), elsewhere]
    }
}
