//! The fabric file: a user's description of one fabric and how to route on it.
//!
//! Text goes in, one validated [`FabricFile`] comes out, and no later stage sees the text's strings. Promises: no text
//! causes a panic; nothing in it is ignored, so an unknown key, a wrong type or a value out of range is an error with
//! its line and column; no file is opened here. [`FabricFile`] implements `Display`: that text parses to the same
//! value. `docs/reference/fabric-file.md` describes every key.

mod carried;
mod error;
mod reader;
mod sections;
#[cfg(test)]
mod tests;
mod text;
mod units;

pub use error::{FabricFault, FabricFileError};

use crate::policy::OpenPolicies;
use std::iter;
use std::path::PathBuf;
use tvlb_base::text::quoted;
use tvlb_schema::{Bandwidths, Dragonfly, VcScheme, WindowLimits};
use tvlb_simulator::{LinkSpec, Scheme};
use tvlb_table_set::Injection;
use tvlb_topology::arrangement::Arrangement;

/// A fabric and how to route on it, every value within its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricFile {
    /// The fabric's name in images and reports: 1 to 64 of `A-Z a-z 0-9 . _ -`.
    pub name: String,
    /// The seed of everything random; at most `i64::MAX`, the largest number that TOML has.
    pub seed: u64,
    pub dragonfly: Dragonfly,
    /// The names of the kinds of groups, in the order of the groups; empty if the sizes are the same for all groups.
    pub kind_names: Vec<String>,
    /// How many groups each of these kinds has. Adjacent kinds that differ only in their names are one in
    /// [`Self::dragonfly`], and two here.
    pub kind_groups: Vec<u16>,
    /// Where the cables come from.
    pub wiring: Wiring,
    /// The path of the list of names, if there is one; a relative path starts at the fabric file's directory.
    pub names: Option<PathBuf>,
    /// How long a flit takes over a link.
    pub latencies: Latencies,
    /// How fast the kinds of links are, relative to each other.
    pub bandwidths: Bandwidths,
    /// Flits that the buffer of one virtual channel holds in simulations, if the file says so.
    pub buffer_flits: Option<u16>,
    /// When the windows of sources close.
    pub destination_window: DestinationWindow,
    /// Which virtual channel nodes send to.
    pub injection: Injection,
    /// The period, in cycles, with which the switches of a group tell each other how full their global ports are;
    /// `None` if they do not.
    pub telling_cycles: Option<u16>,
    /// How virtual channels are assigned, if the file says so: see [`Fabric::virtual_channels`].
    ///
    /// [`Fabric::virtual_channels`]: crate::fabric::Fabric::virtual_channels
    pub virtual_channels: Option<VcScheme>,
    /// The T-VLB set of each decision, and how it weighs MIN against VLB, if the file says so.
    pub policies: OpenPolicies,
}

/// Where a fabric's cables come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// A named arrangement of global links.
    Arrangement(Arrangement),
    /// A list of cables in a file; a relative path starts at the fabric file's directory.
    Cables(PathBuf),
}

/// Cycles that a flit takes over a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// Between two switches of a group.
    pub local: u16,
    /// Between two groups.
    pub global: u16,
}

/// When the windows of sources close, in a fabric file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DestinationWindow {
    /// At the delays of a saturated network, which follow from the links.
    #[default]
    Usual,
    /// Packets are not acknowledged, so there are no windows.
    None,
    Limits(WindowLimits),
}

/// A value that no fabric file can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FabricValueError {
    #[error("the fabric's name is {}, accepted {}", quoted(.found), sections::NAME)]
    Name { found: String },
    #[error("the fabric's seed is {found}, accepted 0 to {}", i64::MAX)]
    Seed { found: u64 },
}

impl FabricFile {
    /// A file with only this name, seed, sizes and arrangement: latencies, thresholds and virtual channels have their
    /// defaults, and the sets are to be chosen.
    ///
    /// # Errors
    /// A name or seed that no file can have.
    pub fn new(
        name: &str,
        dragonfly: Dragonfly,
        arrangement: Arrangement,
        seed: u64,
    ) -> Result<Self, FabricValueError> {
        if !sections::is_name(name) {
            return Err(FabricValueError::Name { found: name.to_owned() });
        }
        if i64::try_from(seed).is_err() {
            return Err(FabricValueError::Seed { found: seed });
        }
        Ok(Self {
            name: name.to_owned(),
            seed,
            dragonfly,
            kind_names: Vec::new(),
            kind_groups: Vec::new(),
            wiring: Wiring::Arrangement(arrangement),
            names: None,
            latencies: sections::DEFAULT_LATENCIES,
            bandwidths: Bandwidths::ALIKE,
            buffer_flits: None,
            destination_window: DestinationWindow::Usual,
            injection: Injection::Zero,
            telling_cycles: None,
            virtual_channels: None,
            policies: OpenPolicies::default(),
        })
    }

    /// The links, for a simulation and for the manifest.
    pub fn links(&self) -> LinkSpec {
        let Latencies { local, global } = self.latencies;
        let links = LinkSpec {
            local_latency_cycles: local,
            global_latency_cycles: global,
            bandwidths: self.bandwidths,
            buffer_flits: self.buffer_flits,
            destination_window: None,
            injection: self.injection,
            telling_cycles: self.telling_cycles,
        };
        let destination_window = match self.destination_window {
            DestinationWindow::Usual => Some(links.window_limits(self.dragonfly.a())),
            DestinationWindow::None => None,
            DestinationWindow::Limits(limits) => Some(limits),
        };
        LinkSpec { destination_window, ..links }
    }

    /// The schemes for which sets are chosen: how UGAL's one decision is made, and PAR.
    pub const fn schemes(&self) -> [Scheme; 2] {
        let ugal = if self.telling_cycles.is_some() { Scheme::UgalGroup } else { Scheme::UgalL };
        [ugal, Scheme::Par]
    }

    /// For each group, the index of its kind in [`Self::kind_names`]; empty without kinds.
    pub fn kinds_of_groups(&self) -> Vec<usize> {
        let groups = |(kind, &count): (usize, &u16)| iter::repeat_n(kind, count.into());
        self.kind_groups.iter().enumerate().flat_map(groups).collect()
    }

    /// Reads the text of a fabric file; `origin` is the file's name for error messages.
    ///
    /// # Errors
    /// The first violation of `docs/reference/fabric-file.md` in the text.
    ///
    /// # Example
    /// ```
    /// use tvlb_generator::fabric_file::FabricFile;
    ///
    /// let text = "name = \"lab\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n";
    /// let file = FabricFile::parse(text, "lab.toml")?;
    /// assert_eq!((file.dragonfly.node_count(), file.seed), (72, 1));
    ///
    /// let error = FabricFile::parse(&text.replace("g = 9", "g = 10"), "lab.toml").unwrap_err();
    /// assert!(error.to_string().starts_with("lab.toml"));
    /// # Ok::<(), tvlb_generator::fabric_file::FabricFileError>(())
    /// ```
    pub fn parse(text: &str, origin: &str) -> Result<Self, FabricFileError> {
        sections::file(&reader::Document { text, origin })
    }
}
