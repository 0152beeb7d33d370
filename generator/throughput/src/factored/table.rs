//! Squares of sums by where walks leave the source group and arrive in the destination group.

/// Three numbers, one for each number of local hops in the middle, and a fourth that fills up a
/// vector register.
pub(super) type ByMid = [f64; 4];
/// A square of numbers with the sums of its rows and columns.
#[derive(Clone, Debug)]
pub(super) struct SumTable {
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

/// How many rows are added up side by side.
const ROWS: usize = 4;

/// Adds rows to their sums and, in the order of the rows, to those of the columns.
#[inline(always)]
fn add_rows<const N: usize>(rows: &[&[ByMid]; N], sums: &mut [ByMid; N], columns: &mut [ByMid]) {
    let mut of_rows = *sums;
    for (place, column) in columns.iter_mut().enumerate() {
        for (row, sum) in rows.iter().zip(&mut of_rows) {
            *sum = plus(*sum, row[place]);
            *column = plus(*column, row[place]);
        }
    }
    *sums = of_rows;
}

impl SumTable {
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
        // Several rows side by side, so that the additions of one do not wait for each other; each sum is still
        // computed in the order of its cells.
        let blocks = self.cells.chunks(ROWS * self.side).zip(self.rows.chunks_mut(ROWS));
        for (cells, sums) in blocks {
            if let Ok(sums) = <&mut [ByMid; ROWS]>::try_from(&mut *sums) {
                let rows =
                    std::array::from_fn::<_, ROWS, _>(|r| &cells[r * self.side..][..self.side]);
                add_rows(&rows, sums, &mut self.columns);
            } else {
                for (row, sum) in cells.chunks_exact(self.side).zip(&mut *sums) {
                    add_rows(&[row], std::array::from_mut(sum), &mut self.columns);
                }
            }
            for sum in sums {
                self.total = plus(self.total, *sum);
            }
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
