//! The strict JSON parser, against a plain one that keeps every member.

use agentpair_protocol::json::{DEPTH, FlatObject, Scalar, check, check_object, from_object};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value with all its members, in order and as often as they came.
enum Tree {
    Leaf,
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    fn depth(&self) -> usize {
        match self {
            Self::Leaf => 0,
            Self::Array(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(members) => 1 + members.iter().map(|(_, item)| item.depth()).max().unwrap_or(0),
        }
    }

    fn repeats_a_key(&self) -> bool {
        match self {
            Self::Leaf => false,
            Self::Array(items) => items.iter().any(Self::repeats_a_key),
            Self::Object(members) => {
                let keys: std::collections::HashSet<&String> = members.iter().map(|(key, _)| key).collect();
                keys.len() < members.len() || members.iter().any(|(_, item)| item.repeats_a_key())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Tree;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("any JSON")
            }
            fn visit_unit<E>(self) -> Result<Tree, E> {
                Ok(Tree::Leaf)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
                Ok(Tree::Leaf)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
                Ok(Tree::Leaf)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
                Ok(Tree::Leaf)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
                Ok(Tree::Leaf)
            }
            fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
                Ok(Tree::Leaf)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Tree::Array(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Tree::Object(members))
            }
        }
        d.deserialize_any(Any)
    }
}

/// Strict JSON: exactly what a plain parser takes, less repeated keys and deep nesting; and the members are the same.
pub fn json(data: &[u8]) {
    // One that goes deeper than the plain parser is refused by both, so that the depth is the strict parser's own.
    let tree = serde_json::from_slice::<Tree>(data).ok().filter(|_| std::str::from_utf8(data).is_ok());
    let is_strict = tree.as_ref().is_some_and(|tree| tree.depth() <= DEPTH && !tree.repeats_a_key());
    let is_object = matches!(tree, Some(Tree::Object(_)));
    assert_eq!(check(data).is_ok(), is_strict);
    assert_eq!(check_object(data).is_ok(), is_strict && is_object);
    let plain = serde_json::from_slice::<serde_json::Value>(data);
    assert_eq!(
        from_object::<serde_json::Value>(data).ok(),
        plain.as_ref().ok().filter(|_| is_strict && is_object).cloned()
    );
    let Ok(mut object) = FlatObject::parse(data) else { return };
    let plain = plain.expect("a plain parser takes what the strict one takes");
    for (key, value) in plain.as_object().expect("an object") {
        assert_eq!(object.text(key), value.as_str());
        assert_eq!(object.number(key), value.as_f64());
        let safe = value.as_i64().filter(|n| n.unsigned_abs() < 1 << 53);
        assert_eq!(object.integer(key), safe);
        assert_eq!(matches!(object.get(key), Some(Scalar::Other)), !value.is_string() && !value.is_number());
        assert_eq!(object.take_text(key).as_deref(), value.as_str());
    }
    let again = serde_json::to_vec(&plain).unwrap();
    assert!(check_object(&again).is_ok());
}
