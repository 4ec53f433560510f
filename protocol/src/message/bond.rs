//! `bond/1`: the first and the last word of a bond.

use serde::{Deserialize, Serialize};

use crate::envelope::Profiles;

/// `bond.hello`: the first word of a new bond, from each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// How the sender wants to be called. Not proved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
    /// Name and version of the sender's software.
    pub software: String,
    /// What the sender offers.
    pub profiles: Profiles,
    /// Whether a process or a page holds the keys.
    pub host: HostKind,
    /// Digest of both keys, lowercase hex: shows a mix-up of bonds at once.
    pub keys: String,
    /// Scope as the sender understood it.
    pub scope: Vec<String>,
    /// Mode as the sender understood it.
    pub mode: String,
    /// The owner's root key vouches for the bond's key.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub root: Option<RootVoucher>,
    /// Who approves for the sender.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approver: Option<ApproverWord>,
    /// The sender restored a backup at this time, unix seconds: what it got since is unknown to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restored_at: Option<u64>,
}

/// Whose signature the sender's ratifications carry besides its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApproverWord {
    /// The approver's key, written as an agent id; none if there is none any more.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent_id: Option<String>,
    /// Counts the changes: a lower one than the last says nothing.
    pub version: u64,
    /// base64url of the signature of the approver before, if there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sig: Option<String>,
}

/// Where the keys are held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum HostKind {
    /// A process.
    #[default]
    Process,
    /// A page in a browser.
    Page,
}

/// The root identity's word for a bond's key: lets a peer be recognised again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootVoucher {
    /// The root identity.
    pub agent_id: String,
    /// base64url of its signature over the bond's public key.
    pub sig: String,
}

/// `bond.revoked`: the sender ended the bond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revoked {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}
