//! The lists of a sweep file: each entry once, and a single value may replace a list.

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::marker::PhantomData;

/// The values of a list, or the one value that replaces a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OneOrSeveral<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrSeveral<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values(PhantomData))
    }
}

struct Values<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
    type Value = OneOrSeveral<T>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or a list of values")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        one(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        one(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        one(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        one(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        one(value)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| OneOrSeveral(vec![value]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<Self::Value, S::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrSeveral)
    }
}

fn one<'de, T, V, E>(value: V) -> Result<OneOrSeveral<T>, E>
where
    T: Deserialize<'de>,
    V: IntoDeserializer<'de, E>,
    E: Error,
{
    T::deserialize(value.into_deserializer()).map(|value| OneOrSeveral(vec![value]))
}

/// Every combination of lists of these lengths, as places in them, of which the last changes fastest.
pub(crate) fn combinations<const N: usize>(
    lengths: [usize; N],
) -> impl Iterator<Item = [usize; N]> {
    (0..lengths.iter().product()).map(move |mut number: usize| {
        let mut places = [0; N];
        for (place, length) in places.iter_mut().zip(lengths).rev() {
            (*place, number) = (number % length, number / length);
        }
        places
    })
}

/// Accepts a list with at least one entry and none twice.
pub(super) fn distinct<T: Display>(
    name: &str,
    list: impl IntoIterator<Item = T>,
) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for entry in list {
        let entry = entry.to_string();
        if !known.insert(entry.clone()) {
            return Err(format!("{name}: found {entry} twice, accepted each entry once"));
        }
    }
    if known.is_empty() {
        Err(format!("{name}: found none, accepted at least one"))
    } else {
        Ok(())
    }
}
