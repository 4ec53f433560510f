//! Strict JSON: one pass that refuses what parsers disagree about.
//!
//! Duplicate keys at any depth, lone surrogate escapes, invalid UTF-8, a byte order mark and
//! nesting beyond [`DEPTH`] are faults, for host and relay alike.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// Largest integer that a JSON number of the wire may hold, 2^53 - 1.
pub const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;
/// Deepest nesting of arrays and objects in any JSON text.
pub const DEPTH: usize = 64;

/// The bytes are not one strict JSON text of the wanted shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonFault;

/// A member of a flat object. Arrays and objects are checked, then forgotten.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A number written as an integer that fits 64 bits.
    Integer(i128),
    /// Any other number.
    Fraction(f64),
    /// `null`, a truth value, an array or an object.
    Other,
}

/// An object whose members of interest are scalars, in wire order, each key once.
#[derive(Debug)]
pub struct FlatObject<'a>(Vec<(Cow<'a, str>, Scalar<'a>)>);

impl<'a> FlatObject<'a> {
    /// Parses and checks a whole text in one pass.
    ///
    /// # Errors
    /// [`JsonFault`] if the text is not a strict JSON object.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, JsonFault> {
        let text = std::str::from_utf8(bytes).map_err(|_| JsonFault)?;
        let mut source = serde_json::Deserializer::from_str(text);
        let object = source.deserialize_map(FlatVisitor).map_err(|_| JsonFault)?;
        source.end().map_err(|_| JsonFault)?;
        Ok(object)
    }

    /// The member of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Scalar<'a>> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, v)| v)
    }

    /// The member of that name, if it is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Scalar::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Removes the member of that name, if it is a string: no copy where the text has no escapes.
    pub fn take_text(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        match self.0.swap_remove(at).1 {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The member of that name, if it is an integer of at most 2^53 - 1 in magnitude.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Scalar::Integer(n)) => i64::try_from(*n).ok().filter(|n| n.abs() <= MAX_SAFE_INTEGER),
            _ => None,
        }
    }

    /// The member of that name, if it is a number; integers may lose precision.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            #[expect(clippy::cast_precision_loss, reason = "only compared with small constants")]
            Some(Scalar::Integer(n)) => Some(*n as f64),
            Some(Scalar::Fraction(x)) => Some(*x),
            _ => None,
        }
    }
}

/// Checks that the bytes are one strict JSON object, whatever its members.
///
/// # Errors
/// [`JsonFault`] if they are not.
pub fn check_object(bytes: &[u8]) -> Result<(), JsonFault> {
    FlatObject::parse(bytes).map(|_| ())
}

/// Checks that the bytes are one strict JSON text of any kind.
///
/// # Errors
/// [`JsonFault`] if they are not.
pub fn check(bytes: &[u8]) -> Result<(), JsonFault> {
    let text = std::str::from_utf8(bytes).map_err(|_| JsonFault)?;
    let mut source = serde_json::Deserializer::from_str(text);
    Checked { depth: 0 }.deserialize(&mut source).map_err(|_| JsonFault)?;
    source.end().map_err(|_| JsonFault)
}

/// Parses a strict JSON object into a type.
///
/// # Errors
/// [`JsonFault`] if the text is not strict, or does not have the shape.
pub fn from_object<T: de::DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonFault> {
    check_object(bytes)?;
    serde_json::from_slice(bytes).map_err(|_| JsonFault)
}

struct FlatVisitor;

impl<'de> Visitor<'de> for FlatVisitor {
    type Value = FlatObject<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object without duplicate keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut seen = Keys::default();
        let mut members = Vec::with_capacity(12);
        while let Some(key) = map.next_key_seed(Text)? {
            seen.insert(&key)?;
            members.push((key, map.next_value_seed(Checked { depth: 1 })?));
        }
        Ok(FlatObject(members))
    }
}

/// A string, borrowed where the text has no escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(v.to_owned()))
    }
}

/// Any value: checked to the last leaf, kept only if it is a scalar.
struct Checked {
    depth: usize,
}

impl Checked {
    fn deeper<E: de::Error>(&self) -> Result<Self, E> {
        if self.depth >= DEPTH {
            return Err(E::custom("nested too deeply"));
        }
        Ok(Self { depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = Scalar<'de>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without duplicate keys")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_u64<E>(self, v: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Integer(v.into()))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Integer(v.into()))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Fraction(v))
    }

    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(v)))
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(v.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element_seed(self.deeper()?)?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut seen = Keys::default();
        while let Some(key) = map.next_key_seed(Text)? {
            seen.insert(&key)?;
            map.next_value_seed(self.deeper()?)?;
        }
        Ok(Scalar::Other)
    }
}

/// The keys of one object: a list while it is short, so that a small object allocates little.
#[derive(Default)]
struct Keys {
    few: Vec<Box<str>>,
    many: BTreeSet<Box<str>>,
}

impl Keys {
    fn insert<E: de::Error>(&mut self, key: &str) -> Result<(), E> {
        const FEW: usize = 16;
        let fresh = if self.few.len() < FEW {
            let fresh = !self.few.iter().any(|k| **k == *key);
            self.few.push(key.into());
            fresh
        } else {
            !self.few.iter().any(|k| **k == *key) && self.many.insert(key.into())
        };
        if fresh { Ok(()) } else { Err(E::custom("duplicate key")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_keys_are_refused_at_every_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"a":{"b":1,"b":2}}"#, r#"{"a":[{"b":1,"\u0062":2}]}"#] {
            assert_eq!(check_object(text.as_bytes()), Err(JsonFault), "{text}");
        }
        let mut many = String::from("{");
        for n in 0..40 {
            many.push_str(&format!("\"k{n}\":0,"));
        }
        assert!(check_object(format!("{many}\"k40\":0}}").as_bytes()).is_ok());
        assert!(check_object(format!("{many}\"k39\":0}}").as_bytes()).is_err());
        assert!(check_object(format!("{many}\"k3\":0}}").as_bytes()).is_err());
    }

    #[test]
    fn texts_that_parsers_disagree_about_are_refused() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(65), "]".repeat(65));
        for text in [
            r#"{"a":"\ud800"}"#.as_bytes(),
            b"\xef\xbb\xbf{}",
            b"{\"a\":\"\xff\"}",
            b"{} {}",
            b"[]",
            b"null",
            b"",
            b"{\"a\":1e999}",
            deep.as_bytes(),
        ] {
            assert!(check_object(text).is_err(), "{}", String::from_utf8_lossy(text));
        }
        assert!(check_object(b" {\"a\" : [1, {\"b\": null}]}\n").is_ok());
    }

    #[test]
    fn integers_stop_at_two_to_the_53rd() {
        let object = FlatObject::parse(br#"{"a":9007199254740991,"b":9007199254740992,"c":1.5,"d":-3}"#).unwrap();
        assert_eq!(object.integer("a"), Some(MAX_SAFE_INTEGER));
        assert_eq!(object.integer("b"), None);
        assert_eq!(object.integer("c"), None);
        assert_eq!(object.integer("d"), Some(-3));
        assert_eq!(object.number("c"), Some(1.5));
    }
}
