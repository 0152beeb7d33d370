//! The lines of decision vectors: the inputs of a switch, and its answers.

use rand::{Rng, TryRng};
use std::convert::Infallible;
use std::fmt::{self, Display, Formatter, Write};
use tvlb_firmware_model::{Admission, Channels, Error, Header, Scheme, Step, VlbPaths};
use tvlb_schema::NodeId;

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Lines(pub(super) String);

impl Lines {
    /// A text without calls.
    pub(super) fn beginning() -> Self {
        let mut lines = Self::default();
        lines.line("# What a switch decides: docs/reference/embedding.md describes the lines.");
        lines
    }

    fn line(&mut self, words: impl Display) {
        let _ = writeln!(self.0, "{words}");
    }

    pub(super) fn images(&mut self, fabric: &str, switch: &str) {
        self.line(format_args!("images {fabric} {switch}"));
    }

    pub(super) fn faults(&mut self, name: &str) {
        self.line(format_args!("faults {name}"));
    }

    pub(super) fn boot(&mut self, scheme: Scheme, paths: VlbPaths, links: Channels) {
        let Channels { local, global } = links;
        self.line(format_args!("boot {} {} {local} {global}", scheme.code(), paths.code()));
    }

    pub(super) fn channels(&mut self, channels: u8) {
        self.line(format_args!("channels {channels}"));
    }

    /// Credits in use, by port and within it by channel.
    pub(super) fn credits(&mut self, counters: &[u32]) {
        let words: Vec<String> = counters.iter().map(u32::to_string).collect();
        self.line(format_args!("credits {}", words.join(" ")));
    }

    /// An admission, which draws its random words from `rng`.
    pub(super) fn admit<R: Rng>(
        &mut self,
        (node, scheme, paths): (NodeId, Scheme, VlbPaths),
        rng: &mut R,
        admit: impl FnOnce(&mut Recorded<'_, R>) -> Result<Admission, Error>,
    ) -> Result<Admission, Error> {
        let mut words = Recorded { rng, taken: Vec::new() };
        let admitted = admit(&mut words);
        let (scheme, paths, taken) = (scheme.code(), paths.code(), Words(words.taken));
        let step = Told(admitted.as_ref().map(|admission| admission.step));
        self.line(format_args!("admit {} {scheme} {paths} {taken} {step}", node.0));
        if let Ok(admission) = &admitted {
            self.line(format_args!("choice {}", admission.choice.code()));
        }
        admitted
    }

    /// A second look, which draws its random words from `rng`.
    pub(super) fn reconsider<R: Rng>(
        &mut self,
        (header, paths): (Header, VlbPaths),
        rng: &mut R,
        reconsider: impl FnOnce(&mut Recorded<'_, R>) -> Result<Header, Error>,
    ) -> Result<Header, Error> {
        let mut words = Recorded { rng, taken: Vec::new() };
        let looked = reconsider(&mut words);
        let (bits, taken) = (header.bits(), Words(words.taken));
        let told = Told(looked.as_ref().copied());
        self.line(format_args!("reconsider {bits:016x} {} {taken} {told}", paths.code()));
        looked
    }

    /// A header after the look in the intermediate group.
    pub(super) fn onward(&mut self, header: Header, looked: &Result<Header, Error>) {
        let told = Told(looked.as_ref().copied());
        self.line(format_args!("onward {:016x} // {told}", header.bits()));
    }

    /// The step of a packet with this header.
    pub(super) fn forward(&mut self, header: Header, step: &Result<Step, Error>) {
        let told = Told(step.as_ref().copied());
        self.line(format_args!("forward {:016x} // {told}", header.bits()));
    }
}

/// Random words; those that are drawn are recorded.
pub(super) struct Recorded<'r, R> {
    rng: &'r mut R,
    taken: Vec<u32>,
}

impl<R: Rng> TryRng for Recorded<'_, R> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let word = self.rng.next_u32();
        self.taken.push(word);
        Ok(word)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.try_next_u32()?);
        Ok(low | u64::from(self.try_next_u32()?) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes {
            *byte = self.try_next_u32()?.to_le_bytes()[0];
        }
        Ok(())
    }
}

/// The words of a call, between its inputs and its result.
struct Words(Vec<u32>);

impl Display for Words {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "//");
        }
        write!(f, "/ ")?;
        self.0.iter().try_for_each(|word| write!(f, "{word:08x} "))?;
        write!(f, "/")
    }
}

/// A result: of a step, of a header, or the number of an error.
struct Told<'e, T>(Result<T, &'e Error>);

impl Display for Told<'_, Step> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(Step::Deliver { port }) => write!(f, "deliver {port}"),
            Ok(Step::Send { port, virtual_channel, header }) => {
                write!(f, "send {port} {virtual_channel} {:016x}", header.bits())
            }
            Err(error) => write!(f, "error {}", error.code()),
        }
    }
}

impl Display for Told<'_, Header> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(header) => write!(f, "{:016x}", header.bits()),
            Err(error) => write!(f, "error {}", error.code()),
        }
    }
}
