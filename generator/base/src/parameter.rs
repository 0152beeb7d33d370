//! A parameter: a setting with its name, its meaning, its range, and how it is read and shown. Options of a command
//! line, keys of a file, columns, JSON, legends and refusals are made from it, so that a setting is one entry of one
//! table, and a value reads the same everywhere.

use crate::table::{Cell, Column};
use crate::text::{Refused, hint, quoted};
use serde::ser::SerializeMap;
use std::fmt::{self, Debug, Formatter};

/// One setting of `S`.
pub struct Parameter<S: 'static> {
    /// As an option, a key and a column: words joined by hyphens.
    pub name: &'static str,
    /// The placeholder of its value in help, as in `CYCLES`.
    pub placeholder: &'static str,
    /// Its meaning, with the unit: a sentence without a full stop.
    pub meaning: &'static str,
    /// Its section in help.
    pub part: ParameterSubject,
    /// The default in words, if it is not that of [`Parameters::usual`].
    pub otherwise: Option<&'static str>,
    /// The text before its value in a legend, if not its name.
    before: Option<&'static str>,
    /// The column of its value at PAR's second look, if that has one of its own.
    pub at_second: Option<&'static str>,
    /// The settings with which a run uses it; all by default.
    only_with: Option<fn(&S) -> bool>,
    pub value: Value<S>,
}

/// The subject of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSubject {
    /// The properties of switches and links.
    Switches,
    /// How a run is measured.
    Measurement,
}

/// A word for a setting, and its meaning.
pub type Word = (&'static str, &'static str);

/// The type of a parameter's value.
pub enum Value<S> {
    /// A whole number within limits, or `None` if something else decides it.
    Whole { limits: [u32; 2], get: fn(&S) -> Option<u32>, set: fn(&mut S, u32) },
    /// One of several words, or nothing; set by its place among them.
    Words { all: fn() -> Vec<Word>, get: fn(&S) -> Option<&'static str>, set: fn(&mut S, usize) },
    /// A value with its own text. An error is what would be accepted.
    Text { get: fn(&S) -> Cell, set: fn(&mut S, &str) -> Result<(), String> },
}

/// Settings that a table of parameters describes.
pub trait Parameters: Sized + 'static {
    /// In the order in which they are shown.
    const ALL: &'static [Parameter<Self>];

    /// The defaults.
    fn usual() -> Self;
}

impl<S: Parameters> Parameter<S> {
    /// The parameter of this name.
    ///
    /// # Errors
    /// The accepted names, with the nearest one.
    pub fn named(name: &str) -> Result<&'static Self, Refused> {
        let names = || S::ALL.iter().map(|parameter| parameter.name);
        S::ALL.iter().find(|parameter| parameter.name == name).ok_or_else(|| {
            let accepted = names().collect::<Vec<_>>().join(", ");
            Refused::new(format!("{}{}", quoted(name), hint(name, names())), accepted)
        })
    }

    /// The default as text; `None` if it is given in words.
    pub fn usually(&self) -> Option<String> {
        self.otherwise.is_none().then(|| self.get(&S::usual()).to_string())
    }

    /// Accepts a text as its value.
    ///
    /// # Errors
    /// What would be accepted.
    pub fn accept(&self, text: &str) -> Result<(), String> {
        self.set(&mut S::usual(), text)
    }
}

impl<S> Parameter<S> {
    /// A property of switches and links.
    pub const fn switches(
        name: &'static str,
        placeholder: &'static str,
        meaning: &'static str,
        value: Value<S>,
    ) -> Self {
        Self {
            name,
            placeholder,
            meaning,
            part: ParameterSubject::Switches,
            otherwise: None,
            before: None,
            at_second: None,
            only_with: None,
            value,
        }
    }

    /// One of how a run is measured.
    pub const fn measurement(
        name: &'static str,
        placeholder: &'static str,
        meaning: &'static str,
        value: Value<S>,
    ) -> Self {
        Self {
            part: ParameterSubject::Measurement,
            ..Self::switches(name, placeholder, meaning, value)
        }
    }

    /// With the default in words.
    #[must_use]
    pub const fn otherwise(self, words: &'static str) -> Self {
        Self { otherwise: Some(words), ..self }
    }

    /// With the text before its value in a legend.
    #[must_use]
    pub const fn after(self, words: &'static str) -> Self {
        Self { before: Some(words), ..self }
    }

    /// With a value of its own at PAR's second look, in this column.
    #[must_use]
    pub const fn and_second(self, column: &'static str) -> Self {
        Self { at_second: Some(column), ..self }
    }

    /// Used by runs with some settings only: all others ignore it.
    #[must_use]
    pub const fn only_with(self, settings: fn(&S) -> bool) -> Self {
        Self { only_with: Some(settings), ..self }
    }

    /// A value of it in a legend.
    pub fn in_legend(&self, value: &str) -> String {
        match self.before {
            Some(before) => format!("{before}{value}"),
            None => format!("{} {value}", self.name.replace('-', " ")),
        }
    }

    /// Its value.
    pub fn get(&self, settings: &S) -> Cell {
        match self.value {
            Value::Whole { get, .. } => get(settings).into(),
            Value::Words { get, .. } => get(settings).into(),
            Value::Text { get, .. } => get(settings),
        }
    }

    /// Sets it from a text.
    ///
    /// # Errors
    /// What would be accepted.
    pub fn set(&self, settings: &mut S, text: &str) -> Result<(), String> {
        match self.value {
            Value::Whole { limits: [least, most], set, .. } => {
                let found = text.parse().ok().filter(|found| (least..=most).contains(found));
                let found = found.ok_or_else(|| format!("accepted {least} to {most}"))?;
                set(settings, found);
            }
            Value::Words { all, set, .. } => {
                let words = all();
                let found = words.iter().position(|(word, _)| word.eq_ignore_ascii_case(text));
                let found = found.ok_or_else(|| {
                    let names = || words.iter().map(|(word, _)| *word);
                    let accepted = names().collect::<Vec<_>>().join(", ");
                    format!("accepted one of {accepted}{}", hint(text, names()))
                })?;
                set(settings, found);
            }
            Value::Text { set, .. } => set(settings, text)?,
        }
        Ok(())
    }

    /// Accepts the value in some settings, however they were made.
    ///
    /// # Errors
    /// A number outside of its limits.
    pub fn check(&self, settings: &S) -> Result<(), Refused> {
        match self.value {
            Value::Whole { limits: [least, most], get, .. } => get(settings)
                .map_or(Ok(()), |found| Refused::unless_within(self.name, found, least, most)),
            Value::Words { .. } | Value::Text { .. } => Ok(()),
        }
    }

    /// Its column in tables of runs.
    pub const fn column(&self) -> Column<'static> {
        Column::words(self.name, self.meaning)
    }

    /// Its words; empty unless it is one of several.
    pub fn words(&self) -> Vec<Word> {
        if let Value::Words { all, .. } = self.value { all() } else { Vec::new() }
    }
}

impl<S> Debug for Parameter<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The columns of all parameters.
pub fn columns<S: Parameters>() -> impl Iterator<Item = Column<'static>> {
    S::ALL.iter().map(Parameter::column)
}

/// Their values.
pub fn cells<S: Parameters>(settings: &S) -> impl Iterator<Item = Cell> {
    S::ALL.iter().map(|parameter| parameter.get(settings))
}

/// Accepts every value of settings.
///
/// # Errors
/// The first that is outside of its limits.
pub fn check<S: Parameters>(settings: &S) -> Result<(), Refused> {
    S::ALL.iter().try_for_each(|parameter| parameter.check(settings))
}

/// Writes every parameter as an entry of a map.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Parameters, M: SerializeMap>(
    settings: &S,
    map: &mut M,
) -> Result<(), M::Error> {
    S::ALL
        .iter()
        .try_for_each(|parameter| map.serialize_entry(parameter.name, &parameter.get(settings)))
}

/// Stated values, by parameter; all others keep their defaults.
#[derive(Debug)]
pub struct Stated<S: Parameters>(Vec<(&'static Parameter<S>, String)>);

impl<S: Parameters> Stated<S> {
    /// Gives a parameter a value, which replaces an earlier one.
    ///
    /// # Errors
    /// What would be accepted.
    pub fn state(&mut self, parameter: &'static Parameter<S>, text: &str) -> Result<(), String> {
        parameter.accept(text)?;
        self.0.retain(|(other, _)| other.name != parameter.name);
        self.0.push((parameter, text.to_owned()));
        Ok(())
    }

    /// Whether a parameter has been given a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(parameter, _)| parameter.name == name)
    }

    /// The stated values that a run uses, over these settings.
    #[must_use]
    pub fn obeyed(&self, over: S) -> Self {
        let all = self.over(over);
        let is_obeyed = |parameter: &Parameter<S>| parameter.only_with.is_none_or(|is| is(&all));
        Self(self.0.iter().filter(|(parameter, _)| is_obeyed(parameter)).cloned().collect())
    }

    /// Settings with the stated values.
    #[must_use]
    pub fn over(&self, mut settings: S) -> S {
        for (parameter, text) in &self.0 {
            parameter.set(&mut settings, text).expect("it was accepted as it was given");
        }
        settings
    }

    /// These, with the values that others state as well.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

impl<S: Parameters> Default for Stated<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Parameters> PartialEq for Stated<S> {
    fn eq(&self, other: &Self) -> bool {
        let texts = |stated: &Self| -> Vec<(&str, String)> {
            stated.0.iter().map(|(parameter, text)| (parameter.name, text.clone())).collect()
        };
        texts(self) == texts(other)
    }
}

impl<S: Parameters> Clone for Stated<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// A setting with one value of a list of names, each with its meaning.
#[macro_export]
macro_rules! words {
    ($field:ident: $list:expr, $type:ty) => {
        $crate::words!(|s| Some(s.$field), |s, word| s.$field = word, $list, $type)
    };
    (|$of:ident| $get:expr, |$to:ident, $word:ident| $set:expr, $list:expr, $type:ty) => {
        $crate::parameter::Value::Words {
            all: || $list.iter().map(|(word, help)| (word.name(), *help)).collect(),
            get: |$of| {
                let found: Option<$type> = $get;
                found.map(<$type>::name)
            },
            set: |$to, place| {
                let ($word, _) = $list[place];
                $set;
            },
        }
    };
}

/// A setting that is a whole number within limits; with `if` one that may be nothing.
#[macro_export]
macro_rules! whole {
    ($($field:ident).+, $least:expr, $most:expr) => {
        $crate::parameter::Value::Whole {
            limits: [$least, $most as u32],
            get: |s| Some(s.$($field).+.into()),
            set: |s, found| s.$($field).+ = found.try_into().expect("it is within the limits"),
        }
    };
    (if $($field:ident).+, $least:expr, $most:expr) => {
        $crate::parameter::Value::Whole {
            limits: [$least, $most as u32],
            get: |s| s.$($field).+.map(u32::from),
            set: |s, found| s.$($field).+ = found.try_into().ok(),
        }
    };
}

/// An optional setting that is read from a text and shown as one; an error of its type says what would be accepted.
#[macro_export]
macro_rules! text {
    (if $field:ident: $type:ty) => {
        $crate::parameter::Value::Text {
            get: |s| s.$field.map(|value: $type| value.to_string()).into(),
            set: |s, text| {
                s.$field = Some(text.parse::<$type>().map_err(|error| error.to_string())?);
                Ok(())
            },
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Kettle {
        litres: u8,
        whistle: Whistle,
        colour: String,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Whistle {
        Low,
        High,
    }

    impl Whistle {
        const ALL: [(Self, &'static str); 2] = [(Self::Low, "A hum"), (Self::High, "A shriek")];

        const fn name(self) -> &'static str {
            match self {
                Self::Low => "low",
                Self::High => "high",
            }
        }
    }

    const fn of(name: &'static str, value: Value<Kettle>) -> Parameter<Kettle> {
        Parameter::switches(name, "X", "", value)
    }

    impl Parameters for Kettle {
        const ALL: &'static [Parameter<Self>] = &[
            of("litres", whole!(litres, 1, 9)),
            of("whistle", words!(whistle: Whistle::ALL, Whistle)),
            of(
                "colour",
                Value::Text {
                    get: |kettle| kettle.colour.as_str().into(),
                    set: |kettle, text| {
                        text.clone_into(&mut kettle.colour);
                        if text.is_empty() { Err("accepted a colour".to_owned()) } else { Ok(()) }
                    },
                },
            ),
        ];

        fn usual() -> Self {
            Self { litres: 2, whistle: Whistle::Low, colour: "red".to_owned() }
        }
    }

    fn named(name: &str) -> &'static Parameter<Kettle> {
        Parameter::named(name).unwrap()
    }

    #[test]
    fn what_is_read_is_what_is_shown() {
        let mut stated = Stated::default();
        for (name, text) in
            [("litres", "5"), ("whistle", "High"), ("colour", "blue"), ("litres", "7")]
        {
            stated.state(named(name), text).unwrap();
        }
        let kettle = stated.over(Kettle::usual());
        let cells: Vec<String> = cells(&kettle).map(|cell| cell.to_string()).collect();
        assert_eq!(cells, ["7", "high", "blue"]);
        assert!(stated.has("litres") && !Stated::<Kettle>::default().has("litres"));
        assert_eq!(named("litres").usually().as_deref(), Some("2"));
    }

    #[test]
    fn what_is_not_accepted_is_refused_with_what_is() {
        for (name, text, words) in [
            ("litres", "0", "accepted 1 to 9"),
            ("litres", "10", "accepted 1 to 9"),
            ("litres", "-1", "accepted 1 to 9"),
            ("litres", "many", "accepted 1 to 9"),
            ("whistle", "hihg", "accepted one of low, high (did you mean high?)"),
            ("colour", "", "accepted a colour"),
        ] {
            assert_eq!(named(name).accept(text), Err(words.to_owned()), "{text}");
        }
        let said = Parameter::<Kettle>::named("liters").unwrap_err().to_string();
        assert_eq!(said, "\"liters\" (did you mean litres?), accepted litres, whistle, colour");
        let huge = Kettle { litres: 200, ..Kettle::usual() };
        assert_eq!(check(&huge).unwrap_err().to_string(), "litres is 200, accepted 1 to 9");
    }
}
