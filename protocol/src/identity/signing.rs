//! Signatures that cannot be mistaken for one another: each use has a domain.

/// Length of an Ed25519 signature.
pub const SIGNATURE_BYTES: usize = 64;

/// The signature does not verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadSignature;

/// What a signature is for. The bytes signed begin with its name and one zero byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// An invite blob, by the initiator.
    Invite,
    /// Withdrawal of an invite.
    InviteDelete,
    /// Possession of the claimed key during pairing.
    PairProof,
    /// The owner's root key vouches for a bond's key.
    Root,
    /// Ratification of an agreement.
    Ratify,
    /// The head of an exported audit log.
    AuditHead,
    /// A decision, by the key that the owner's PIN unlocks.
    Approve,
    /// An approver gives way to another one.
    Approver,
}

impl Domain {
    /// The name, as signed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invite => "agentpair-invite-v1",
            Self::InviteDelete => "agentpair-invite-delete-v1",
            Self::PairProof => "agentpair-pair-proof-v1",
            Self::Root => "agentpair-root-v1",
            Self::Ratify => "agentpair-ratify-v1",
            Self::AuditHead => "agentpair-audit-head-v1",
            Self::Approve => "agentpair-approve-v1",
            Self::Approver => "agentpair-approver-v1",
        }
    }
}

/// Bytes to be hashed or signed, built from unambiguous parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript(Vec<u8>);

impl Transcript {
    /// An empty transcript.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `lp(x)`: the length as u16 big endian, then the bytes.
    /// A longer part cannot occur: each caller bounds its parts far below 65,536 bytes.
    #[must_use]
    pub fn lp(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        debug_assert!(u16::try_from(part.len()).is_ok());
        self.0.extend_from_slice(&u16::try_from(part.len()).unwrap_or(u16::MAX).to_be_bytes());
        self.0.extend_from_slice(part);
        self
    }

    /// Bytes of fixed length.
    #[must_use]
    pub fn raw(mut self, part: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(part.as_ref());
        self
    }

    /// An integer as eight bytes, big endian.
    #[must_use]
    pub fn u64(self, n: u64) -> Self {
        self.raw(n.to_be_bytes())
    }

    /// An integer as two bytes, big endian.
    #[must_use]
    pub fn u16(self, n: u16) -> Self {
        self.raw(n.to_be_bytes())
    }

    /// The bytes so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// SHA-256 of `name`, a zero byte and the transcript.
    #[must_use]
    pub fn digest(&self, name: &str) -> [u8; 32] {
        use sha2::Digest as _;
        sha2::Sha256::new().chain_update(name).chain_update([0]).chain_update(&self.0).finalize().into()
    }

    pub(super) fn in_domain(&self, domain: Domain) -> Vec<u8> {
        let name = domain.name();
        let mut bytes = Vec::with_capacity(name.len() + 1 + self.0.len());
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&self.0);
        bytes
    }
}
