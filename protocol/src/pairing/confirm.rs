//! What both sides compare and prove once they share a key.

use subtle::ConstantTimeEq as _;

use super::spake::Role;
use crate::base64url;
use crate::envelope::Profiles;
use crate::identity::{AgentId, Domain, Keypair, Transcript};
use crate::secret::Secret;

/// What the fingerprint covers.
#[derive(Debug, Clone, Copy)]
pub struct Parties<'a> {
    /// The initiator's id, as sent.
    pub initiator: &'a str,
    /// The joiner's id, as sent.
    pub joiner: &'a str,
    /// The initiator's profiles in wire order.
    pub initiator_profiles: &'a Profiles,
    /// The joiner's profiles in wire order.
    pub joiner_profiles: &'a Profiles,
}

/// Fingerprint v2: SHA-256 over the shared key, both ids and both profile lists.
/// Its domain has no zero byte after it: it is the draft's.
#[must_use]
pub fn fingerprint(key: &Secret<32>, parties: Parties<'_>) -> [u8; 32] {
    let mut transcript =
        Transcript::new().raw("agentpair-pair-confirm-v2").lp(key.expose()).lp(parties.initiator).lp(parties.joiner);
    for profiles in [parties.initiator_profiles, parties.joiner_profiles] {
        transcript = transcript.u16(u16::try_from(profiles.ids().len()).unwrap_or(u16::MAX));
        for id in profiles.ids() {
            transcript = transcript.lp(id);
        }
    }
    sha256(&transcript)
}

/// The older fingerprint without profiles: only its vector still exists.
#[cfg(feature = "hazmat")]
#[must_use]
pub fn fingerprint_v1(key: &Secret<32>, initiator: &str, joiner: &str) -> [u8; 32] {
    sha256(&Transcript::new().raw("agentpair-pair-confirm-v1").lp(key.expose()).lp(initiator).lp(joiner))
}

/// The tag of a `bond_ok`, over its sender's id.
#[must_use]
pub fn bond_tag(key: &Secret<32>, sender: &str) -> [u8; 32] {
    sha256(&Transcript::new().raw("agentpair-pair-bondok-v1").lp(key.expose()).lp(sender))
}

/// Proof of possession of the claimed key: without it a holder of the code could claim another's id (weakness 5).
#[must_use]
pub fn proof(role: Role, key: &Keypair, fingerprint: &[u8; 32]) -> String {
    base64url::encode(&key.sign_in(Domain::PairProof, &proof_transcript(role, fingerprint)))
}

/// Checks the peer's proof.
#[must_use]
pub fn proof_holds(role: Role, peer: &AgentId, fingerprint: &[u8; 32], proof: &str) -> bool {
    base64url::decode(proof).is_ok_and(|signature| {
        peer.verify_in(Domain::PairProof, &proof_transcript(role, fingerprint), &signature).is_ok()
    })
}

fn proof_transcript(role: Role, fingerprint: &[u8; 32]) -> Transcript {
    let role = match role {
        Role::Initiator => 0x41,
        Role::Joiner => 0x42,
    };
    Transcript::new().raw([role, 0]).raw(fingerprint)
}

/// Compares a lowercase hex text with 32 bytes, in constant time.
#[must_use]
pub fn hex_equals(text: &str, bytes: &[u8; 32]) -> bool {
    text.as_bytes().ct_eq(hex::encode(bytes).as_bytes()).into()
}

fn sha256(transcript: &Transcript) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(transcript.as_bytes()).into()
}
