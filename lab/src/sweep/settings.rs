//! The `[settings]` of a sweep file: each is one value, or a list of values to try, and every combination
//! of them is a variant.

use super::lists::{OneOrSeveral, distinct};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt::{self, Formatter};
use std::marker::PhantomData;
use tvlb_base::parameter::{Parameter, Parameters, Stated};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_simulator::{Measuring, Scheme, Settings};

/// The settings as written: for each, the values to try. Others have the defaults of `tvlb simulate`, or of the fabric
/// file.
#[derive(Clone)]
pub(super) struct SettingLists<S: Parameters = Settings>(Vec<(&'static Parameter<S>, Vec<String>)>);

/// One combination of settings.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Variant {
    /// The name that the file gives it, if it does.
    pub(super) name: String,
    stated: Stated<Settings>,
}

impl<S: Parameters> Default for SettingLists<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Parameters> SettingLists<S> {
    /// The values of a parameter, if there are any.
    fn of(&self, parameter: &Parameter<S>) -> Option<&Vec<String>> {
        self.0.iter().find(|(own, _)| own.name == parameter.name).map(|(_, values)| values)
    }

    /// The stated settings, if nothing varies.
    ///
    /// # Errors
    /// A list of several values.
    pub(super) fn stated(&self) -> Result<Stated<S>, String> {
        let mut stated = Stated::default();
        for (parameter, values) in &self.0 {
            let [value] = &values[..] else {
                return Err(format!(
                    "{}: found {} values, accepted one",
                    parameter.name,
                    values.len()
                ));
            };
            stated.state(parameter, value)?;
        }
        Ok(stated)
    }
}

impl SettingLists {
    /// These, with the others' values for settings left out.
    fn over(mut self, others: &Self) -> Self {
        let others = others.0.iter().filter(|(other, _)| self.of(other).is_none());
        let others: Vec<_> = others.cloned().collect();
        self.0.extend(others);
        self
    }

    /// Every combination, of which the last setting changes fastest.
    ///
    /// # Errors
    /// A list without an entry, or with one twice.
    fn variants(&self) -> Result<Vec<Variant>, String> {
        let mut all = vec![Variant::default()];
        for parameter in Settings::ALL {
            let Some(values) = self.of(parameter) else { continue };
            distinct(&format!("settings.{}", parameter.name), values)?;
            let with = |variant: &Variant, value: &String| {
                let mut variant = variant.clone();
                variant.stated.state(parameter, value).expect("it was accepted as it was read");
                variant
            };
            let each = |variant| values.iter().map(move |value| with(variant, value));
            all = all.iter().flat_map(each).collect();
        }
        Ok(all)
    }
}

impl<'de, S: Parameters> Deserialize<'de> for SettingLists<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SettingEntries(PhantomData))
    }
}

/// Reads the keys and values of settings.
struct SettingEntries<S>(PhantomData<S>);

impl<'de, S: Parameters> Visitor<'de> for SettingEntries<S> {
    type Value = SettingLists<S>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("settings by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut lists = SettingLists::default();
        while let Some(name) = map.next_key::<String>()? {
            let parameter = Parameter::<S>::named(&name)
                .map_err(|refused| M::Error::custom(format!("found {refused}")))?;
            let OneOrSeveral(values) = map.next_value::<OneOrSeveral<Scalar>>()?;
            let accept = |Scalar(text): Scalar| {
                let refused = |words| format!("{name}: found {text}, {words}");
                parameter.accept(&text).map_err(refused).map_err(M::Error::custom)?;
                Ok(text)
            };
            lists.0.push((parameter, values.into_iter().map(accept).collect::<Result<_, _>>()?));
        }
        Ok(lists)
    }
}

/// A number or a text, as a person writes it.
struct Scalar(String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number or a text")]
        enum KeyValue {
            Whole(i64),
            Number(f64),
            Text(String),
        }

        Ok(Self(match KeyValue::deserialize(deserializer)? {
            KeyValue::Whole(number) => number.to_string(),
            KeyValue::Number(number) => number.to_string(),
            KeyValue::Text(text) => text,
        }))
    }
}

/// An entry of `variants`: settings under a name.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct NamedSettings {
    name: String,
    #[serde(default)]
    settings: SettingLists,
}

/// The variants of a study: every combination of its settings, or, if it names variants, those of each over the common
/// ones.
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

impl Variant {
    /// The part of it that a scheme uses.
    pub(super) fn obeyed(&self, scheme: Scheme) -> Self {
        let over = Settings::new(scheme, VlbPaths::Custom);
        Self { name: self.name.clone(), stated: self.stated.obeyed(over) }
    }

    /// The settings of a run, or of those of a search for the load of saturation.
    pub(super) fn settings(
        &self,
        fabric: &Fabric,
        (scheme, paths): (Scheme, VlbPaths),
        is_search: bool,
    ) -> Settings {
        let usual = Settings {
            vc_scheme: Some(fabric.virtual_channels()),
            measuring: Measuring::usual(is_search),
            ..Settings::new(scheme, paths)
        };
        usual.on(fabric.file.links(), &self.stated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::VcScheme;

    fn variants(text: &str) -> Result<Vec<Variant>, String> {
        toml::from_str::<SettingLists>(text).map_err(|error| error.to_string())?.variants()
    }

    #[test]
    fn a_value_stands_for_a_list_of_one() {
        assert_eq!(variants("").unwrap().len(), 1);
        let seen = |text: &str| -> Vec<Settings> {
            let all = variants(text).unwrap();
            all.iter().map(|variant| variant.stated.over(Settings::usual())).collect()
        };
        let all = seen(
            "buffer = [16, \"32/256\"]\nspeedup = 1\nvc-scheme = [\"ordered\", \"per-hop\"]\n",
        );
        let all: Vec<_> = all.iter().map(|s| (s.vc_scheme, s.buffers, s.speedup)).collect();
        let of = |flits: &str, rule| (Some(rule), flits.parse().unwrap(), 1);
        let (ordered, per_hop) = (VcScheme::Ordered, VcScheme::PerHop);
        let expected = [("16", ordered), ("32/256", ordered), ("16", per_hop), ("32/256", per_hop)];
        assert_eq!(all, expected.map(|(flits, rule)| of(flits, rule)));
        let all = seen("global-bandwidth = [2, 0.5]\nlocal-bandwidth = 0.25\n");
        let all: Vec<_> = all.iter().map(|settings| settings.bandwidths.to_string()).collect();
        assert_eq!(all, ["node 1, local 0.25, global 2", "node 1, local 0.25, global 0.5"]);
    }

    #[test]
    fn what_is_wrong_with_a_list_is_named() {
        for (text, expected) in [
            ("buffer = []", "settings.buffer: found none, accepted at least one"),
            ("buffer = [16, 16]", "settings.buffer: found 16 twice, accepted each entry once"),
            ("vc-scheme = [\"ordered\", \"ordered\"]", "settings.vc-scheme: found ordered twice"),
            (
                "buffer = [16, \"much\"]",
                "buffer: found much, accepted a number from 1 to 30000, or two",
            ),
            ("buffer = -1", "buffer: found -1, accepted a number from 1 to 30000"),
            ("speedup = 9", "speedup: found 9, accepted 1 to 4"),
            ("speedup = true", "expected a number or a text"),
            ("global-bandwidth = 0", "global-bandwidth: found 0, accepted a number above 0"),
            ("injection = \"sometimes\"", "found sometimes, accepted one of zero, two, random"),
            ("bufer = 1", "found \"bufer\" (did you mean buffer?), accepted vc-scheme, "),
        ] {
            let error = variants(text).err().unwrap();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
