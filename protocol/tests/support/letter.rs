//! An envelope taken apart, so that a test can break one part and sign the rest again.

use agentpair_protocol::base64url;
use agentpair_protocol::identity::Keypair;
use serde_json::Value;

use super::ladder::Harness;
use super::{fixture, key, parse};

const OUTER: [&str; 3] = ["v", "from", "to"];
const BODY: [&str; 9] = ["v", "id", "from", "to", "type", "thread", "seq", "ttl", "payload"];

/// The members of an object in wire order, each value as raw JSON: what no parser would produce can be written too.
#[derive(Debug, Clone)]
pub struct Members(Vec<(&'static str, String)>);

impl Members {
    fn of(text: &str, names: &[&'static str]) -> Self {
        let value: Value = parse(text);
        Self(names.iter().map(|name| (*name, value[name].to_string())).collect())
    }

    pub fn get(&self, name: &str) -> &str {
        &self.0.iter().find(|(key, _)| *key == name).unwrap().1
    }

    pub fn set(&mut self, name: &str, raw: &str) {
        self.0.iter_mut().find(|(key, _)| *key == name).unwrap().1 = raw.to_owned();
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| *key != name);
    }

    pub fn push(&mut self, name: &'static str, raw: &str) {
        self.0.push((name, raw.to_owned()));
    }

    /// Appends a member that is already there.
    pub fn repeat(&mut self, name: &'static str) {
        let raw = self.get(name).to_owned();
        self.0.push((name, raw));
    }

    pub fn to_json(&self) -> String {
        let members: Vec<String> = self.0.iter().map(|(name, raw)| format!("\"{name}\":{raw}")).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// An envelope in parts, and the surroundings in which it arrives.
#[derive(Clone)]
pub struct Letter {
    pub body: Members,
    /// The outer object without `blob` and `sig`, which follow from the body.
    pub outer: Members,
    pub signer: Keypair,
    /// Stands in place of the honest `sig`, as raw JSON.
    pub sig: Option<String>,
    /// Last change to the text of the blob, after signing.
    pub edit_blob: fn(String) -> String,
    /// Last change to the whole text.
    pub edit_text: fn(String) -> String,
    /// Pads the whole text to that many bytes.
    pub size: Option<usize>,
    pub harness: Harness,
}

impl Letter {
    /// Takes apart a wire whose JSON is sound; [`Letter::wire`] gives it back byte for byte.
    pub fn of(wire: &str, harness: Harness) -> Self {
        let value: Value = parse(wire);
        let text = |name: &str| value[name].as_str().unwrap().to_owned();
        let body = String::from_utf8(base64url::decode(&text("blob")).unwrap()).unwrap();
        let mut letter = Self {
            body: Members::of(&body, &BODY),
            outer: Members::of(wire, &OUTER),
            signer: key("alice"),
            sig: None,
            edit_blob: |blob| blob,
            edit_text: |text| text,
            size: None,
            harness,
        };
        if letter.honest_sig() != text("sig") {
            letter.sig = Some(value["sig"].to_string());
        }
        letter
    }

    /// The valid envelope of `envelope-core-msg.json`.
    pub fn golden() -> Self {
        let fixture: Value = parse(fixture!("agentpair-1.0-draft/envelope-core-msg.json"));
        let harness = serde_json::from_value(fixture["harness"].clone()).unwrap();
        Self::of(fixture["expected"]["wire"].as_str().unwrap(), harness)
    }

    /// The signature that `signer` makes over the body as it is now.
    pub fn honest_sig(&self) -> String {
        base64url::encode(&self.signer.sign(self.body.to_json().as_bytes()))
    }

    pub fn wire(&self) -> String {
        let mut outer = self.outer.clone();
        let blob = (self.edit_blob)(base64url::encode(self.body.to_json().as_bytes()));
        outer.push("blob", &format!("\"{blob}\""));
        outer.push("sig", &self.sig.clone().unwrap_or_else(|| format!("\"{}\"", self.honest_sig())));
        let text = (self.edit_text)(outer.to_json());
        match self.size {
            // Blanks in front change nothing but the size, whatever the text is.
            Some(size) => format!("{}{text}", " ".repeat(size - text.len())),
            None => text,
        }
    }

    /// The payload's bytes.
    pub fn payload(&self) -> Vec<u8> {
        base64url::decode(self.body.get("payload").trim_matches('"')).unwrap()
    }
}
