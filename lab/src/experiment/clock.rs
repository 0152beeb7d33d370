//! Processor time, where the system tells it, else the time that passes.

use std::fs::read_to_string;
use std::time::Instant;

pub(super) struct Clock {
    read: fn() -> Option<f64>,
    begin: Option<f64>,
    wall: Instant,
}

impl Clock {
    /// Counts the processor time of this thread.
    pub(super) fn of_thread() -> Self {
        Self::start(of_thread)
    }

    /// Counts the processor time of all threads of this process.
    pub(super) fn of_process() -> Self {
        Self::start(of_process)
    }

    fn start(read: fn() -> Option<f64>) -> Self {
        Self { read, begin: read(), wall: Instant::now() }
    }

    /// Seconds since the start, in milliseconds' precision.
    pub(super) fn seconds(&self) -> f64 {
        let spent = match (self.begin, (self.read)()) {
            (Some(begin), Some(now)) => now - begin,
            _ => self.wall.elapsed().as_secs_f64(),
        };
        (spent.max(0.0) * 1000.0).round() / 1000.0
    }
}

/// On Linux the first number of schedstat is the time spent on a processor, in nanoseconds.
fn of_thread() -> Option<f64> {
    let text = read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// On Linux the fields 14 and 15 of stat are the times in user and system mode, in hundredths of a
/// second. The second field is the program's name in parentheses, which may hold spaces.
fn of_process() -> Option<f64> {
    let text = read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<f64>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some((user + system) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_go_forward() {
        for clock in [Clock::of_thread(), Clock::of_process()] {
            let mut sum = 0_u64;
            while clock.wall.elapsed().as_millis() < 60 {
                sum = std::hint::black_box(sum + 1);
            }
            assert!(clock.seconds() > 0.0 && clock.seconds() < 60.0);
        }
    }
}
