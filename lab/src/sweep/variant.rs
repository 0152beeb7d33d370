//! The `[settings]` of a sweep file: each is one value, or a list of values to try, and every combination
//! of them is a variant.

use super::lists::{OneOrSeveral, distinct};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fmt::Display;
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{Bandwidth, BandwidthError, Bandwidths, VcScheme};
use tvlb_simulator::{Injection, Measuring, Scheme, Settings};

/// The settings as they are written. What is left out is as in `tvlb simulate`, or as the fabric file says.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SettingLists {
    window: Option<OneOrSeveral<u32>>,
    warm_up: Option<OneOrSeveral<u32>>,
    measure: Option<OneOrSeveral<Measuring>>,
    latency_limit: Option<OneOrSeveral<u32>>,
    buffer: Option<OneOrSeveral<u16>>,
    speedup: Option<OneOrSeveral<u8>>,
    vc_scheme: Option<OneOrSeveral<VcScheme>>,
    virtual_channels: Option<OneOrSeveral<u8>>,
    injection: Option<OneOrSeveral<Injection>>,
    local_latency: Option<OneOrSeveral<u16>>,
    global_latency: Option<OneOrSeveral<u16>>,
    node_latency: Option<OneOrSeveral<u16>>,
    credit_delay: Option<OneOrSeveral<u16>>,
    bandwidths: Option<OneOrSeveral<StatedBandwidths>>,
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

/// One combination of settings.
#[derive(Clone, Default)]
pub(super) struct Variant {
    window: Option<u32>,
    warm_up: Option<u32>,
    measure: Option<Measuring>,
    latency_limit: Option<u32>,
    buffer: Option<u16>,
    speedup: Option<u8>,
    vc_scheme: Option<VcScheme>,
    virtual_channels: Option<u8>,
    injection: Option<Injection>,
    local_latency: Option<u16>,
    global_latency: Option<u16>,
    node_latency: Option<u16>,
    credit_delay: Option<u16>,
    bandwidths: Option<StatedBandwidths>,
}

impl SettingLists {
    /// Every combination, of which the last setting changes fastest.
    ///
    /// # Errors
    /// A list without an entry, or with one twice.
    pub(super) fn variants(&self) -> Result<Vec<Variant>, String> {
        let mut all = Variants(vec![Variant::default()]);
        all.vary("window", self.window.as_ref(), |v| &mut v.window, |v| *v)?;
        all.vary("warm-up", self.warm_up.as_ref(), |v| &mut v.warm_up, |v| *v)?;
        all.vary("measure", self.measure.as_ref(), |v| &mut v.measure, |v| v.name())?;
        all.vary("latency-limit", self.latency_limit.as_ref(), |v| &mut v.latency_limit, |v| *v)?;
        all.vary("buffer", self.buffer.as_ref(), |v| &mut v.buffer, |v| *v)?;
        all.vary("speedup", self.speedup.as_ref(), |v| &mut v.speedup, |v| *v)?;
        all.vary("vc-scheme", self.vc_scheme.as_ref(), |v| &mut v.vc_scheme, |v| v.name())?;
        let channels = self.virtual_channels.as_ref();
        all.vary("virtual-channels", channels, |v| &mut v.virtual_channels, |v| *v)?;
        all.vary("injection", self.injection.as_ref(), |v| &mut v.injection, |v| v.name())?;
        all.vary("local-latency", self.local_latency.as_ref(), |v| &mut v.local_latency, |v| *v)?;
        all.vary(
            "global-latency",
            self.global_latency.as_ref(),
            |v| &mut v.global_latency,
            |v| *v,
        )?;
        all.vary("node-latency", self.node_latency.as_ref(), |v| &mut v.node_latency, |v| *v)?;
        all.vary("credit-delay", self.credit_delay.as_ref(), |v| &mut v.credit_delay, |v| *v)?;
        all.vary("bandwidths", self.bandwidths.as_ref(), |v| &mut v.bandwidths, |v| v.0)?;
        Ok(all.0)
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
        settings.with_buffer(self.buffer.or(file.buffer_flits))
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
        let of = |buffer, scheme| (Some(buffer), Some(1), Some(scheme));
        let (ordered, per_hop) = (VcScheme::Ordered, VcScheme::PerHop);
        assert_eq!(seen, [of(16, ordered), of(16, per_hop), of(32, ordered), of(32, per_hop)]);
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
            ("buffer = [16, \"much\"]", "invalid type: string \"much\", expected u16"),
            ("buffer = -1", "expected u16"),
            ("bandwidths = { global = 0 }", "found 0, accepted a number above 0"),
            ("injection = \"sometimes\"", "expected `zero` or `random`"),
        ] {
            let error = variants(text).err().unwrap();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
