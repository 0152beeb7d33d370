//! Strict reading of TOML tables: every value is read by its key, and unknown keys are errors.
//!
//! This walks over the parsed document instead of deriving a deserialiser, because each error names the full key, the
//! value as written, and what would be accepted. It does not know the meaning of the keys.

use super::{FabricFault, FabricFileError};
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tvlb_base::text::cut;

type Fallible<T> = Result<T, FabricFileError>;

/// The text and its name, with which every error starts.
pub(super) struct Document<'t> {
    pub(super) text: &'t str,
    pub(super) origin: &'t str,
}

/// One table, all of whose keys are known.
pub(super) struct Section<'d, 't> {
    document: &'d Document<'t>,
    /// Its keys from the root, joined by dots; empty for the root.
    path: String,
    /// Where it begins in the text.
    at: usize,
    table: &'d DeTable<'t>,
}

/// One key and its value.
pub(super) struct Entry<'d, 't> {
    document: &'d Document<'t>,
    /// With its table, as in `dragonfly.h`.
    key: String,
    key_at: usize,
    value: &'d Spanned<DeValue<'t>>,
}

impl<'t> Document<'t> {
    /// The whole document as a tree of tables and values.
    pub(super) fn tree(&self) -> Fallible<Spanned<DeTable<'t>>> {
        DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            // The parser's errors differ only in their messages; if this one is ever reworded, it is still an error
            // with its place.
            let fault = match error.message() {
                "duplicate key" => FabricFault::DuplicateKey(self.quote(span.clone())),
                problem => FabricFault::Syntax {
                    problem: problem.to_owned(),
                    found: self.found(span.clone()),
                },
            };
            self.error(span.start, fault)
        })
    }

    /// The root table, which takes these keys.
    pub(super) fn root<'d>(
        &'d self,
        tree: &'d Spanned<DeTable<'t>>,
        keys: &[&str],
    ) -> Fallible<Section<'d, 't>> {
        Section { document: self, path: String::new(), at: 0, table: tree.get_ref() }
            .with_keys(keys)
    }

    /// This part of the text for a message: at most its first line and 64 characters, with an ellipsis if something was
    /// left out.
    fn quote(&self, span: Range<usize>) -> String {
        let part = self.text.get(span).unwrap_or("");
        let line = part.split(['\n', '\r']).next().unwrap_or("");
        let more = if line.len() < part.len() && cut(line) == line { "…" } else { "" };
        cut(line) + more
    }

    /// The text at a place that the parser rejected.
    fn found(&self, span: Range<usize>) -> String {
        // The parser's span may be a mere point before the rejected text.
        let end = if span.is_empty() { self.text.len() } else { span.end };
        match self.quote(span.start..end).trim_end_matches('…') {
            "" => "the end of the line".to_owned(),
            text => format!("`{text}`"),
        }
    }

    /// An error at a byte of the text.
    fn error(&self, at: usize, fault: FabricFault) -> FabricFileError {
        // Spans are whole characters; if one ever is not, the start is still a place.
        let before = self.text.get(..at).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        FabricFileError {
            origin: self.origin.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            fault: Box::new(fault),
        }
    }
}

impl<'d, 't> Section<'d, 't> {
    /// Itself, if it has no other keys.
    fn with_keys(self, keys: &[&str]) -> Fallible<Self> {
        let unknown = self
            .table
            .keys()
            .filter(|key| !keys.contains(&key.get_ref().as_ref()))
            // The table is sorted by key; a reader expects the first in the file.
            .min_by_key(|key| key.span().start);
        match unknown {
            None => Ok(self),
            Some(key) => Err(self.document.error(
                key.span().start,
                FabricFault::UnknownKey {
                    // As written, with quotes and escapes if any.
                    key: self.path_of(&self.document.quote(key.span())),
                    accepted: keys.join(", "),
                },
            )),
        }
    }

    /// The key with its table, as in `dragonfly.h`.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The entry with this key, if there is one.
    pub(super) fn optional(&self, key: &str) -> Option<Entry<'d, 't>> {
        let (spanned, value) = self.table.get_key_value(key)?;
        Some(Entry {
            document: self.document,
            key: self.path_of(key),
            key_at: spanned.span().start,
            value,
        })
    }

    /// The entry with this key; `accepted` describes valid values.
    pub(super) fn required(&self, key: &str, accepted: &str) -> Fallible<Entry<'d, 't>> {
        self.optional(key).ok_or_else(|| {
            self.document.error(
                self.at,
                FabricFault::MissingKey { key: self.path_of(key), accepted: accepted.to_owned() },
            )
        })
    }

    /// A fault of the value with this key, or of the table if it has no such key.
    pub(super) fn fault_of(&self, key: &str, fault: FabricFault) -> FabricFileError {
        match self.optional(key) {
            Some(entry) => entry.fault(fault),
            None => self.document.error(self.at, fault),
        }
    }

    /// A whole number that must be there and in this range.
    pub(super) fn integer<T: TryFrom<i64>>(
        &self,
        key: &str,
        range: RangeInclusive<i64>,
    ) -> Fallible<T> {
        self.required(key, &whole_number(&range))?.integer(range)
    }

    /// A whole number in this range, or the default.
    pub(super) fn integer_or<T: TryFrom<i64>>(
        &self,
        key: &str,
        range: RangeInclusive<i64>,
        default: T,
    ) -> Fallible<T> {
        self.optional(key).map_or(Ok(default), |entry| entry.integer(range))
    }
}

impl<'d, 't> Entry<'d, 't> {
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Where its key is in the text.
    pub(super) fn key_at(&self) -> usize {
        self.key_at
    }

    /// The value as a whole number in this range.
    pub(super) fn integer<T: TryFrom<i64>>(&self, range: RangeInclusive<i64>) -> Fallible<T> {
        let DeValue::Integer(integer) = self.value.get_ref() else {
            return Err(self.refused(&whole_number(&range)));
        };
        // A number too large for TOML fails here, and is out of range as well.
        i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|number| range.contains(number))
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| self.refused(&limits(&range)))
    }

    pub(super) fn string(&self, accepted: &str) -> Fallible<&'d str> {
        match self.value.get_ref() {
            DeValue::String(string) => Ok(string),
            _ => Err(self.refused(accepted)),
        }
    }

    /// The value as the text of a decimal number, without its underscores.
    pub(super) fn decimal(&self, accepted: &str) -> Fallible<&'d str> {
        match self.value.get_ref() {
            DeValue::Float(float) => Ok(float.as_str()),
            DeValue::Integer(integer) if integer.radix() == 10 => Ok(integer.as_str()),
            _ => Err(self.refused(accepted)),
        }
    }

    /// The value as a person writes it: a word without its quotes, or a decimal number; empty for other types.
    pub(super) fn scalar(&self) -> &'d str {
        match self.value.get_ref() {
            DeValue::String(text) if text.parse::<f64>().is_err() => text,
            _ => self.decimal("").unwrap_or_default(),
        }
    }

    /// Whether the value is a table.
    pub(super) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    /// The value as a table that takes these keys.
    pub(super) fn section(self, keys: &[&str]) -> Fallible<Section<'d, 't>> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return Err(self.refused(&format!("a table of {}", keys.join(", "))));
        };
        Section { document: self.document, path: self.key, at: self.key_at, table }.with_keys(keys)
    }

    /// The value as an array of tables that take these keys, each with its number from 1.
    pub(super) fn sections(&self, keys: &[&str], accepted: &str) -> Fallible<Vec<Section<'d, 't>>> {
        let DeValue::Array(array) = self.value.get_ref() else {
            return Err(self.refused(accepted));
        };
        let section = |(number, value): (usize, &'d Spanned<DeValue<'t>>)| {
            let DeValue::Table(table) = value.get_ref() else {
                return Err(self.refused(accepted));
            };
            let path = format!("{}[{number}]", self.key);
            let at = value.span().start;
            Section { document: self.document, path, at, table }.with_keys(keys)
        };
        (1..).zip(array.iter()).map(section).collect()
    }

    /// The error that the value is not acceptable.
    pub(super) fn refused(&self, accepted: &str) -> FabricFileError {
        let found = match self.value.get_ref() {
            // The text of these may span many lines.
            DeValue::Table(_) => "is a table".to_owned(),
            DeValue::Array(_) => "is an array".to_owned(),
            _ => format!("= {}", self.document.quote(self.value.span())),
        };
        self.fault(FabricFault::Value {
            key: self.key.clone(),
            found,
            accepted: accepted.to_owned(),
        })
    }

    fn fault(&self, fault: FabricFault) -> FabricFileError {
        self.document.error(self.value.span().start, fault)
    }

    pub(super) fn fault_of_key(&self, fault: FabricFault) -> FabricFileError {
        self.document.error(self.key_at, fault)
    }

    /// A fault of one byte of the string that is the value.
    pub(super) fn fault_within(&self, byte: usize, fault: FabricFault) -> FabricFileError {
        // If the string has escapes, its bytes differ from those of the text: point at its start.
        let offset = match self.value.get_ref() {
            DeValue::String(string) if !string.is_empty() => self
                .document
                .text
                .get(self.value.span())
                .unwrap_or("")
                .find(string.as_ref())
                .map_or(0, |quotes| quotes + byte),
            _ => 0,
        };
        self.document.error(self.value.span().start + offset, fault)
    }
}

pub(super) fn whole_number(range: &RangeInclusive<i64>) -> String {
    format!("a whole number, {}", limits(range))
}

fn limits(range: &RangeInclusive<i64>) -> String {
    format!("{} to {}", range.start(), range.end())
}
