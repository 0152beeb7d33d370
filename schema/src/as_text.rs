//! The text forms that hosts write to and read from their files. A switch reads only images.

use crate::{Bandwidth, Bandwidths, Candidates, Gate};
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Reads a value from its text.
struct FromText<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> de::Visitor<'_> for FromText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|error| E::custom(format_args!("found {text:?}, {error}")))
    }
}

macro_rules! as_text {
    ($($name:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(FromText(PhantomData))
            }
        }
    )*};
}

as_text! { Candidates Gate Bandwidth }

/// A kind that is not named has bandwidth 1.
impl<'de> Deserialize<'de> for Bandwidths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[derive(Default)]
        struct BandwidthKeys {
            node: Bandwidth,
            local: Bandwidth,
            global: Bandwidth,
        }
        let BandwidthKeys { node, local, global } = BandwidthKeys::deserialize(deserializer)?;
        Self::new(node, local, global).map_err(de::Error::custom)
    }
}
