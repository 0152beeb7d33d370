//! The manifest: what a table set contains, and what it was made from.
//!
//! It contains no time, no machine and no path: the same input gives the same bytes.

mod choice;

pub use choice::{
    AgainContender, AgainEntry, AgainGuard, Carried, ChoiceEntry, ContenderEntry, ContestEntry,
    FloorEntry, FrontierEntry, Lead, ModelEntry, ModelledEntry, Origin, PanelEntry, Regrets, STEPS,
    TailEntry, Worst, load_of, step_of,
};

use crate::names::Names;
use crate::open_weighing::OpenWeighing;
use crate::switch_file;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tvlb_schema::{
    Bandwidths, GroupKind, MinCandidate, PerDecision, SwitchId, Weighing, WindowLimits,
};

/// The `format` of every manifest.
pub const MANIFEST_FORMAT: &str = "tvlb table set 1";

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// [`MANIFEST_FORMAT`].
    pub format: String,
    /// The version of tvlb that made it.
    pub tool_version: String,
    /// The fabric for which it was made.
    pub fabric: FabricEntry,
    /// The identity that all images carry, 16 hexadecimal digits.
    pub fabric_identity: String,
    pub virtual_channels: String,
    /// The T-VLB set of each decision.
    pub sets: PerDecision<SetEntry>,
    /// How they were chosen; absent if they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<ChoiceEntry>,
    /// Bytes of the images.
    pub sizes: Sizes,
    /// The names of groups, switches and ports; absent if the fabric file names no such list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<FileEntry>,
    /// Every other image, in the order fabric image, switch images by number.
    pub files: Vec<FileEntry>,
}

/// The content of the fabric file, as it was understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FabricEntry {
    pub name: String,
    /// Nodes per switch.
    pub p: u32,
    /// Switches per group.
    pub a: u32,
    /// Global ports per switch.
    pub h: u32,
    /// Groups.
    pub g: u32,
    /// The kinds of groups, in the order of the groups, if there is more than one; p, a and h are then the most of any
    /// kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GroupKind>,
    /// The arrangement's name, or "cables" for a list.
    pub wiring: String,
    /// Cables between groups.
    pub cables: u32,
    /// The seed of everything random.
    pub seed: u64,
    /// Cycles from switch to switch within a group.
    pub local_latency: u32,
    /// Cycles from group to group.
    pub global_latency: u32,
    /// How fast the kinds of links are, relative to each other; absent if all are 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidths: Bandwidths,
    /// Flits that the buffer of one virtual channel holds in simulations; absent if the fabric file does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<u16>,
    /// When the windows of sources close, if packets are acknowledged; absent in table sets that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_window: Option<WindowLimits>,
    /// Which virtual channel nodes send to; absent if it is always 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub injection: Injection,
    /// The period, in cycles, with which the switches of a group tell each other how full their global ports are;
    /// absent if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telling: Option<u16>,
}

/// Which virtual channel of the terminal's input a node sends to.
///
/// No other flit waits for these buffers, so neither choice can close a cycle of channels that wait for each other.
/// They differ in how far a blocked packet delays the packets after it that go elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injection {
    /// Always virtual channel 0.
    #[default]
    Zero,
    /// One of the first two virtual channels, drawn for each packet.
    Two,
    /// A virtual channel drawn for each packet.
    Random,
}

impl Injection {
    /// All, each with its meaning.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Zero, "Always VC 0"),
        (Self::Two, "VC 0 or 1, drawn for each packet"),
        (Self::Random, "One drawn for each packet"),
    ];

    /// The name, wherever people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Two => "two",
            Self::Random => "random",
        }
    }
}

impl FabricEntry {
    /// Everything in it except the sizes and the cables, which images have too: each value as text, after the words
    /// that introduce it in a sentence.
    pub fn facts(&self) -> [(&'static str, String); 10] {
        let said = |value: Option<String>| value.unwrap_or_else(|| "not stated".to_owned());
        let bandwidths =
            if self.bandwidths.are_equal() { Bandwidths::ALIKE } else { self.bandwidths };
        let window = self.destination_window.map(|limits| limits.to_string());
        [
            ("the name is", self.name.clone()),
            ("the wiring is", self.wiring.clone()),
            ("the seed is", self.seed.to_string()),
            ("the latency of local links is", self.local_latency.to_string()),
            ("the latency of global links is", self.global_latency.to_string()),
            ("the buffer is", said(self.buffer.map(|flits| flits.to_string()))),
            ("the bandwidths are", bandwidths.to_string()),
            ("the window to a destination is", said(window)),
            ("the channel at injection is", self.injection.name().to_owned()),
            ("the cycles of telling are", said(self.telling.map(|cycles| cycles.to_string()))),
        ]
    }

    /// The sizes as [`tvlb_schema::Dragonfly`] prints them.
    pub fn sizes_in_words(&self) -> String {
        let Self { p, a, h, g, kinds, .. } = self;
        GroupKind::in_words([*p, *a, *h, *g], kinds).to_string()
    }

    /// How many switches there are. A manifest may contain anything, so the sum is capped.
    pub fn switches(&self) -> u64 {
        if self.kinds.is_empty() {
            return u64::from(self.a) * u64::from(self.g);
        }
        let kinds = self.kinds.iter().map(|kind| u64::from(kind.a) * u64::from(kind.g));
        kinds.fold(0, u64::saturating_add)
    }
}

/// The T-VLB set of one decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SetEntry {
    /// In the grammar of sets.
    pub set: String,
    /// The seed of the routes in a fraction.
    pub seed: u64,
    /// How the decision weighs MIN against VLB, in the words that follow the set in a policy; absent if it has all
    /// defaults.
    #[serde(default, skip_serializing_if = "is_default")]
    pub weighing: OpenWeighing,
    /// Mean hops of a drawn VLB route, over all pairs of switches in different groups that have one; null if none has.
    pub mean_hops: Option<f64>,
    /// Whether that is for this very set; otherwise it is the expectation over all seeds of its fractions. For a
    /// thinned set, everything here is counted over exactly the routes that switches keep.
    pub mean_hops_are_exact: bool,
    /// Routes per pair of switches in different groups, on average; the expectation over all seeds of fractions, unless
    /// switches thin the set.
    pub mean_routes: f64,
    /// Ordered pairs of switches in different groups.
    pub pairs: u64,
    /// Those without any route in the set: their packets take MIN, or a conventional VLB path if no cable joins the two
    /// groups. For unthinned fractions drawn by route, where a seed can leave further pairs without one, those that
    /// have none with any seed.
    pub pairs_without_route: u64,
    /// The digest of the shapes that have routes for each pair, if only a search over routes finds them: for sets drawn
    /// by shape that are thinned or made of fractions. If absent, the cables determine them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_sha256: Option<String>,
    /// How evenly links are used; absent if the fabric is too large to count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<BalanceEntry>,
}

impl SetEntry {
    /// How the decision weighs MIN against VLB, and the MIN path that PAR's second look weighs.
    pub fn weighs(&self) -> (Weighing, MinCandidate) {
        self.weighing.over(Weighing::default(), MinCandidate::Kept)
    }
}

/// How evenly a set uses links, if every switch sends equally to every switch of other groups by VLB alone: over
/// exactly the routes that are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BalanceEntry {
    pub conventional: ImbalanceEntry,
    /// The set without thinning.
    pub before: ImbalanceEntry,
    /// The set as switches have it: the same if none thins it.
    pub after: ImbalanceEntry,
    pub thinned_switches: u64,
    /// The digest of the levels by which they thin it; absent if no switch does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels_sha256: Option<String>,
}

/// The use of the most used link over the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImbalanceEntry {
    /// Of links within groups.
    pub local: f64,
    /// Of links between groups.
    pub global: f64,
}

/// Rounded to six decimals, so that no platform's last bit shows.
pub fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The same with every fraction in it rounded to six decimals.
pub fn all_rounded<T: Serialize + DeserializeOwned + Clone>(entry: &T) -> T {
    fn round(value: &mut Value) {
        match value {
            Value::Number(number) if number.is_f64() => {
                *value = number.as_f64().map(rounded).into();
            }
            Value::Array(values) => values.iter_mut().for_each(round),
            Value::Object(fields) => fields.values_mut().for_each(round),
            _ => {}
        }
    }
    let json = serde_json::to_value(entry).map(|mut json| {
        round(&mut json);
        json
    });
    json.and_then(serde_json::from_value).unwrap_or_else(|_| entry.clone())
}

/// Bytes of the images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sizes {
    pub fabric: u64,
    /// The smallest switch image.
    pub switch_least: u64,
    pub switch_median: u64,
    pub switch_most: u64,
    /// All files but the manifest.
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileEntry {
    /// Relative to the directory, with forward slashes.
    pub path: String,
    pub bytes: u64,
    /// Its SHA-256, 64 hexadecimal digits.
    pub sha256: String,
    /// The machine's name of the image's switch, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch: Option<String>,
}

impl FileEntry {
    /// The entry for a file with these bytes.
    pub fn of(path: String, bytes: &[u8]) -> Self {
        Self { path, bytes: bytes.len() as u64, sha256: sha256(bytes), switch: None }
    }

    /// The entry for the image of a switch.
    pub fn of_switch(names: &Names, switch: SwitchId, bytes: &[u8]) -> Self {
        let name = names.switch(switch).map(str::to_owned);
        Self { switch: name, ..Self::of(switch_file(switch), bytes) }
    }
}

impl Manifest {
    /// The bytes of `manifest.json`.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("a manifest has only string keys");
        json.push(b'\n');
        json
    }
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
