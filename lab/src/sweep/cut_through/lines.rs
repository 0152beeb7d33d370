//! A line of a study of cut-through switches: how packets find their ways, and the settings of its runs.

use crate::cut_through::{CutThrough, Piggybacking, Routing};
use crate::escape::find;
use crate::sweep::asked::{EscapeChoice, RoutingKind, RoutingLine};
use crate::sweep::error::SweepError;
use crate::sweep::fabrics::{NamedFabric, is_sizes};
use crate::sweep::select::CellValue;
use crate::sweep::sets::{CONVENTIONAL, StudyPaths};
use std::path::Path;
use toml::{Table, Value};
use tvlb_base::parameter::Stated;
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_ofar::{EscapeImage, EscapeKind, OfarRules, encode_escape_image};
use tvlb_table_set::input_file::{self, Symlinks};

/// The most bytes of an escape image.
const MOST_BYTES: u64 = 1 << 20;

type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The default paths of routings that do not decide by a scheme.
const USUAL: &str = "valg";

impl RoutingLine {
    const fn is_per_hop(&self) -> bool {
        matches!(self.routing, RoutingKind::Ofar | RoutingKind::TOfar)
    }

    /// The first key for packets that decide at every hop.
    fn first_of_per_hop(&self) -> Option<&'static str> {
        let keys = [
            ("rules", !self.rules.is_empty()),
            ("escape", self.escape.is_some()),
            ("escape-root", self.escape_root.is_some()),
            ("escape-image", self.escape_image.is_some()),
        ];
        keys.into_iter().find(|(_, is_said)| *is_said).map(|(key, _)| key)
    }

    /// The escape network that is found if the line names no image.
    fn escape_kind(&self) -> EscapeKind {
        match self.escape {
            None | Some(EscapeChoice::Ring) => EscapeKind::Ring,
            Some(EscapeChoice::Tree) => EscapeKind::Tree,
        }
    }

    /// The switch above all others, as the line names it.
    fn root(&self) -> Option<&str> {
        self.escape_root.as_ref().map(|CellValue(root)| root.as_str())
    }

    /// The source of VLB paths. By default a scheme draws from all of them.
    pub(super) fn paths(&self, beside: &Path) -> Result<StudyPaths, String> {
        let is_scheme = !self.is_per_hop() && self.routing != RoutingKind::Piggybacking;
        let usual = if is_scheme { CONVENTIONAL } else { USUAL };
        let set = self.policies.clone().unwrap_or_else(|| usual.to_owned());
        StudyPaths::of_text(set, beside)
    }

    /// The settings of runs on a fabric, with the fabric file's latencies. `image` is that of the escape network, if
    /// the line names a file, and `most` the longest measurement of a run that ends by itself.
    pub(super) fn settings(
        &self,
        named: &NamedFabric,
        paths: VlbPaths,
        (image, most): (Option<&[u8]>, Option<u32>),
    ) -> Result<CutThrough, String> {
        let stated = self.settings.stated()?;
        let mut usual = CutThrough::new(Routing::Scheme(Scheme::Min), paths);
        usual.measured_cycles = most.unwrap_or(usual.measured_cycles);
        let mut settings = if is_sizes(&named.path) {
            stated.over(usual)
        } else {
            usual.on(named.fabric.file.links(), &stated)
        };
        settings.routing = match self.routing {
            RoutingKind::Ofar | RoutingKind::TOfar => {
                Routing::Ofar(self.ofar_rules(named, image, &stated)?)
            }
            RoutingKind::Piggybacking => {
                let [percent, packets] = self.congestion.unwrap_or([200, 5]);
                let like_fogsim = self.like_fogsim;
                Routing::Piggybacking(Piggybacking { percent, packets, like_fogsim })
            }
            RoutingKind::Min => Routing::Scheme(Scheme::Min),
            RoutingKind::Vlb => Routing::Scheme(Scheme::Vlb),
            RoutingKind::UgalL => Routing::Scheme(Scheme::UgalL),
            RoutingKind::UgalG => Routing::UgalG,
            RoutingKind::Par => Routing::Scheme(Scheme::Par),
        };
        if self.escape_image.is_some() && (self.escape.is_some() || self.escape_root.is_some()) {
            return Err(
                "found escape-image and escape or escape-root, accepted one of them".to_owned()
            );
        }
        if self.escape_root.is_some() && self.escape_kind() == EscapeKind::Ring {
            return Err("escape-root: accepted with escape = \"tree\", which has a root".to_owned());
        }
        if self.is_per_hop() {
            // OFAR's channels are among its rules.
            (settings.local.virtual_channels, settings.global.virtual_channels) = (None, None);
        } else if let Some(found) = self.first_of_per_hop() {
            return Err(format!("found {found}, accepted with the routings ofar and t-ofar"));
        }
        Ok(settings)
    }

    /// The rules of the escape image or the default ones, with those that the line names.
    fn ofar_rules(
        &self,
        named: &NamedFabric,
        image: Option<&[u8]>,
        stated: &Stated<CutThrough>,
    ) -> Result<OfarRules, String> {
        let mut usual = OfarRules::default();
        if let Some(image) = image {
            let plan = named.plan();
            let image = EscapeImage::decode(image, &plan);
            usual = *image.map_err(|error| format!("escape-image: {error}"))?.rules();
        }
        let over = stated.over(CutThrough::new(Routing::Ofar(usual), VlbPaths::Custom));
        let channels = [over.local.virtual_channels, over.global.virtual_channels];
        usual.local_channels = channels[0].unwrap_or(usual.local_channels);
        usual.global_channels = channels[1].unwrap_or(usual.global_channels);
        usual.by_set |= self.routing == RoutingKind::TOfar;
        let rules = Value::try_from(usual).expect("rules are plain values");
        let mut table = rules.as_table().expect("rules have names").clone();
        table.extend(self.rules.clone());
        // One number holds in all places.
        if let Some(percent) =
            table.get("local-percent").filter(|value| value.is_integer()).cloned()
        {
            let places = ["source", "middle", "destination"];
            let places: Table =
                places.into_iter().map(|place| (place.to_owned(), percent.clone())).collect();
            table.insert("local-percent".to_owned(), places.into());
        }
        let read: Result<OfarRules, toml::de::Error> = Value::Table(table).try_into();
        read.map_err(|error| format!("rules: {}", error.message()))
    }

    /// The input of the escape network, if packets need one.
    pub(super) fn escape(&self) -> Option<String> {
        if let Some(file) = self.escape_image.as_ref().filter(|_| self.is_per_hop()) {
            return Some(format!("of {file}"));
        }
        let root = self.root().map_or_else(String::new, |root| format!(" below {root}"));
        let kind = self.escape_kind().name();
        self.is_per_hop().then(|| format!("{kind}{root}"))
    }

    /// The escape image that the line names, if it names one.
    pub(super) fn escape_image(&self, beside: &Path) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = &self.escape_image else { return Ok(None) };
        let path = beside.join(file);
        let read = input_file::read(&path, MOST_BYTES, Symlinks::Follow);
        read.map(Some).map_err(|error| format!("escape-image: {}: {error}", path.display()))
    }

    /// The image of the escape network that is found on a fabric.
    pub(super) fn found_escape(&self, named: &NamedFabric) -> Result<Vec<u8>, SweepError> {
        let failed = |error: Fault| SweepError::Run { run: named.path.clone(), error };
        let topology = &named.fabric.topology;
        let root = self.root().map(|root| named.parts().1.switch(root));
        let root = root.transpose().map_err(|error| failed(error.into()))?;
        let found = find(topology, self.escape_kind(), root).map_err(|e| failed(e.into()))?;
        encode_escape_image(&named.plan(), &found.network, &OfarRules::default())
            .map_err(|error| failed(error.into()))
    }
}
