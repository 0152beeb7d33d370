//! The `[settings]` of a sweep file: each is one value, or a list of values to try, and every combination
//! of them is a variant.

use super::lists::{OneOrSeveral, distinct};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fmt::Display;
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{Bandwidth, BandwidthError, Bandwidths, VcScheme};
use tvlb_simulator::{Buffers, Deciding, Injection, Measuring, Scheme, Settings};

/// The settings of a file with lists, one combination of them, and how the former become the latter.
macro_rules! settings {
    ($($field:ident: $type:ty, $name:literal, $shown:expr;)*) => {
        /// The settings as they are written. What is left out is as in `tvlb simulate`, or as the fabric file
        /// says.
        #[derive(Clone, Default, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(super) struct SettingLists {
            $($field: Option<OneOrSeveral<$type>>,)*
        }

        /// One combination of settings.
        #[derive(Clone, Default)]
        pub(super) struct Variant {
            /// The name that the file gives it, if it does.
            pub(super) name: String,
            $($field: Option<$type>,)*
        }

        impl SettingLists {
            /// These, and what they do not say as others say it.
            fn over(self, others: &Self) -> Self {
                Self { $($field: self.$field.or_else(|| others.$field.clone()),)* }
            }

            /// Every combination, of which the last setting changes fastest.
            ///
            /// # Errors
            /// A list without an entry, or with one twice.
            pub(super) fn variants(&self) -> Result<Vec<Variant>, String> {
                let mut all = Variants(vec![Variant::default()]);
                $(all.vary($name, self.$field.as_ref(), |v| &mut v.$field, $shown)?;)*
                Ok(all.0)
            }
        }
    };
}

settings! {
    window: u32, "window", |v| *v;
    warm_up: u32, "warm-up", |v| *v;
    measure: Measuring, "measure", |v| v.name();
    latency_limit: u32, "latency-limit", |v| *v;
    buffer: StatedBuffers, "buffer", |v| v.0;
    speedup: u8, "speedup", |v| *v;
    vc_scheme: VcScheme, "vc-scheme", |v| v.name();
    virtual_channels: u8, "virtual-channels", |v| *v;
    injection: Injection, "injection", |v| v.name();
    decide: Deciding, "decide", |v| v.name();
    local_latency: u16, "local-latency", |v| *v;
    global_latency: u16, "global-latency", |v| *v;
    node_latency: u16, "node-latency", |v| *v;
    credit_delay: u16, "credit-delay", |v| *v;
    bandwidths: StatedBandwidths, "bandwidths", |v| v.0;
}

/// An entry of `variants`: settings under a name.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct NamedSettings {
    name: String,
    #[serde(default)]
    settings: SettingLists,
}

/// The variants of a study: every combination of its settings, or, where it names variants, those of each over
/// what all have.
pub(super) fn variants(
    settings: &SettingLists,
    named: &[NamedSettings],
) -> Result<Vec<Variant>, String> {
    if named.is_empty() {
        return settings.variants();
    }
    distinct("variants", named.iter().map(|one| &one.name))?;
    let mut all = Vec::new();
    for NamedSettings { name, settings: own } in named {
        let of_name = own.clone().over(settings).variants()?;
        all.extend(of_name.into_iter().map(|one| Variant { name: name.clone(), ..one }));
    }
    Ok(all)
}

/// Bandwidths as a table of numbers; a kind of link that it does not name has 1.
#[derive(Clone, Copy)]
struct StatedBandwidths(Bandwidths);

impl<'de> Deserialize<'de> for StatedBandwidths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct Numbers {
            node: Number,
            local: Number,
            global: Number,
        }

        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Number(f64);

        impl Default for Number {
            fn default() -> Self {
                Self(1.0)
            }
        }

        let Numbers { node, local, global } = Numbers::deserialize(deserializer)?;
        // As a person writes it, which is what a bandwidth is read from.
        let read = |Number(number): Number| {
            let text = number.to_string();
            let read: Result<Bandwidth, BandwidthError> = text.parse();
            read.map_err(|error| D::Error::custom(format!("found {text}, {error}")))
        };
        let bandwidths = Bandwidths::new(read(node)?, read(local)?, read(global)?);
        bandwidths.map(Self).map_err(D::Error::custom)
    }
}

/// Buffers as a number, or as the text of two.
#[derive(Clone, Copy, PartialEq, Debug)]
struct StatedBuffers(Buffers);

impl<'de> Deserialize<'de> for StatedBuffers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number of flits, or two as in \"32/256\"")]
        enum Stated {
            One(u16),
            Text(String),
        }

        match Stated::deserialize(deserializer)? {
            Stated::One(flits) => Ok(Self(Buffers::all(flits))),
            Stated::Text(text) => text
                .parse()
                .map(Self)
                .map_err(|error| D::Error::custom(format!("found \"{text}\", {error}"))),
        }
    }
}

/// Combinations of the settings that have been looked at.
struct Variants(Vec<Variant>);

impl Variants {
    /// Combines what there is with each value of a further setting.
    fn vary<T: Copy, N: Display>(
        &mut self,
        name: &str,
        list: Option<&OneOrSeveral<T>>,
        place: impl Fn(&mut Variant) -> &mut Option<T>,
        shown: impl Fn(&T) -> N,
    ) -> Result<(), String> {
        let Some(OneOrSeveral(values)) = list else { return Ok(()) };
        distinct(&format!("settings.{name}"), values.iter().map(shown))?;
        let each = self.0.iter().flat_map(|variant| {
            values.iter().map(|&value| {
                let mut variant = variant.clone();
                *place(&mut variant) = Some(value);
                variant
            })
        });
        self.0 = each.collect();
        Ok(())
    }
}

impl Variant {
    /// How virtual channels are assigned on a fabric.
    pub(super) fn vc_scheme(&self, fabric: &Fabric) -> VcScheme {
        self.vc_scheme.unwrap_or(fabric.file.virtual_channels)
    }

    /// The settings of a run, or of those of a search for the load of saturation.
    pub(super) fn settings(
        &self,
        fabric: &Fabric,
        (scheme, paths): (Scheme, VlbPaths),
        is_search: bool,
    ) -> Settings {
        let (defaults, file) = (Settings::new(scheme, paths), &fabric.file);
        let settings = Settings {
            virtual_channels: self.virtual_channels.or(defaults.virtual_channels),
            injection: self.injection.unwrap_or(defaults.injection),
            decide: self.decide.unwrap_or(defaults.decide),
            local_latency_cycles: self.local_latency.unwrap_or(file.latencies.local),
            global_latency_cycles: self.global_latency.unwrap_or(file.latencies.global),
            node_latency_cycles: self.node_latency.unwrap_or(defaults.node_latency_cycles),
            bandwidths: self.bandwidths.map_or(file.bandwidths, |StatedBandwidths(stated)| stated),
            credit_delay_cycles: self.credit_delay.unwrap_or(defaults.credit_delay_cycles),
            speedup: self.speedup.unwrap_or(defaults.speedup),
            window_cycles: self.window.unwrap_or(defaults.window_cycles),
            warm_up_windows: self.warm_up.unwrap_or(defaults.warm_up_windows),
            measuring: self.measure.unwrap_or(Measuring::usual(is_search)),
            latency_limit_cycles: self.latency_limit.unwrap_or(defaults.latency_limit_cycles),
            ..defaults
        };
        let own = self.buffer.map(|StatedBuffers(stated)| stated);
        settings.with_buffer(own.or(file.buffer_flits.map(Buffers::all)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(text: &str) -> Result<Vec<Variant>, String> {
        toml::from_str::<SettingLists>(text).map_err(|error| error.to_string())?.variants()
    }

    #[test]
    fn a_value_stands_for_a_list_of_one() {
        assert_eq!(variants("").unwrap().len(), 1);
        let all =
            variants("buffer = [16, 32]\nspeedup = 1\nvc-scheme = [\"ordered\", \"per-hop\"]\n");
        let all = all.unwrap();
        let seen: Vec<_> = all.iter().map(|v| (v.buffer, v.speedup, v.vc_scheme)).collect();
        let of = |flits, scheme| (Some(StatedBuffers(Buffers::all(flits))), Some(1), Some(scheme));
        let (ordered, per_hop) = (VcScheme::Ordered, VcScheme::PerHop);
        assert_eq!(seen, [of(16, ordered), of(16, per_hop), of(32, ordered), of(32, per_hop)]);
        let seen: Vec<_> = variants("buffer = [\"32/256\", 8]").unwrap();
        let seen: Vec<_> = seen.iter().map(|v| v.buffer.unwrap().0.to_string()).collect();
        assert_eq!(seen, ["32/256", "8"]);
        let written = |buffers: Buffers| serde_json::to_value(buffers).unwrap();
        assert_eq!(written(Buffers::all(8)), 8);
        assert_eq!(written(Buffers { local: 32, global: 256 }), "32/256");
        let bandwidths = "bandwidths = [{ global = 2 }, { node = 1, local = 0.5 }]";
        let seen: Vec<_> = variants(bandwidths).unwrap().iter().map(|v| v.bandwidths).collect();
        assert_eq!(seen[0].unwrap().0.to_string(), "node 1, local 1, global 2");
        assert_eq!(seen[1].unwrap().0.to_string(), "node 1, local 0.5, global 1");
    }

    #[test]
    fn what_is_wrong_with_a_list_is_named() {
        for (text, expected) in [
            ("buffer = []", "settings.buffer: found none, accepted at least one"),
            ("buffer = [16, 16]", "settings.buffer: found 16 twice, accepted each entry once"),
            ("vc-scheme = [\"ordered\", \"ordered\"]", "settings.vc-scheme: found ordered twice"),
            (
                "buffer = [16, \"much\"]",
                "found \"much\", accepted a number from 1 to 30000, or two",
            ),
            ("buffer = -1", "expected a number of flits, or two as in \"32/256\""),
            ("bandwidths = { global = 0 }", "found 0, accepted a number above 0"),
            ("injection = \"sometimes\"", "expected `zero` or `random`"),
        ] {
            let error = variants(text).err().unwrap();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
