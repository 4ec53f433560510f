//! Errors by blame. One code each, the same in Rust, JavaScript, relay answers and tools.

/// Declares an error enum with stable wire codes.
macro_rules! coded {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable code of this error.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())
            }
        }

        impl std::error::Error for $name {}
    };
}

coded! {
    /// The peer, or whoever speaks in its name, is to blame: the input is dropped and counted, nothing else changes.
    pub enum Reject {
        /// More than 65,536 bytes.
        EnvelopeTooLarge = "envelope_too_large",
        /// The outer `v` is a number other than 1.
        UnsupportedVersion = "unsupported_version",
        /// Not strict JSON, or not the shape of an envelope.
        InvalidJson = "invalid_json",
        /// The inner `v` differs from the outer.
        VersionMismatch = "version_mismatch",
        /// The sender is not bonded with the recipient.
        RecipientNotAllowed = "recipient_not_allowed",
        /// The signature does not verify strictly under the sender's key.
        InvalidSignature = "invalid_signature",
        /// Outer and inner addresses differ, or the envelope is for somebody else.
        RoutingMismatch = "routing_mismatch",
        /// `seq` is not above the last one accepted on this thread.
        StaleSeq = "stale_seq",
        /// `ttl` has passed.
        EnvelopeExpired = "envelope_expired",
        /// The AEAD nonce was used before on this bond.
        ReplayedNonce = "replayed_nonce",
        /// `ts` is not newer than what the nonce cache has forgotten.
        StaleTimestamp = "stale_timestamp",
        /// Does not decrypt, or does not have the shape of its type.
        InvalidPayload = "invalid_payload",
        /// The type is unknown.
        UnsupportedEnvelopeType = "unsupported_envelope_type",
        /// The type's profile is not in the bond's contract.
        ProfileNotSupported = "profile_not_supported",
        /// The sender does not take part in this thread.
        NotAParticipant = "not_a_participant",
        /// The bond has too many threads.
        ThreadLimit = "thread_limit",
        /// The bond is held until its safety number was verified.
        BondHeld = "bond_held",
        /// The bond's scope does not allow this.
        ScopeNotGranted = "scope_not_granted",
        /// No session of that thread.
        SessionNotFound = "session_not_found",
        /// Only the other role may send this.
        WrongRole = "wrong_role",
        /// The thread has ended.
        ThreadClosed = "thread_closed",
        /// The session is not live.
        SessionNotLive = "session_not_live",
        /// The session is not signed by both.
        SessionNotSigned = "session_not_signed",
        /// All turns are used.
        BudgetExhausted = "budget_exhausted",
        /// The thread was opened by the other side.
        InitiatorMismatch = "initiator_mismatch",
        /// The two sides named different agreements for one hash.
        AgreementMismatch = "agreement_mismatch",
        /// The hash is frozen: both sides signed it.
        HashFrozen = "hash_frozen",
        /// The peer has an approver, and it did not sign this ratification.
        NotApproved = "not_approved",
        /// The ratification came after the other side's offer had expired.
        RatifyExpired = "ratify_expired",
        /// Too many envelopes wait on this thread for bytes that one of them refers to.
        ThreadStalled = "thread_stalled",
        /// The relay does not have the artifact that an envelope refers to.
        ArtifactNotFound = "artifact_not_found",
        /// An artifact is larger than allowed.
        ArtifactTooLarge = "artifact_too_large",
        /// An artifact cannot be opened with the key of its reference.
        ArtifactDecryptFailed = "artifact_decrypt_failed",
        /// The key agreement of the pairing failed.
        PakeFailed = "pake_failed",
        /// The tag that closes the pairing is wrong.
        BondTagMismatch = "bond_tag_mismatch",
    }
}

coded! {
    /// Policy says no: the caller asked for something that the state of things does not allow.
    pub enum Refusal {
        /// No bond of that id or petname.
        BondNotFound = "bond_not_found",
        /// The bond is not active.
        BondNotActive = "bond_not_active",
        /// The bond is held until its safety number was verified.
        BondHeld = "bond_held",
        /// The bond's scope does not allow this.
        ScopeNotGranted = "scope_not_granted",
        /// The peer does not speak the profile.
        ProfileNotSupported = "profile_not_supported",
        /// No such pairing.
        PairNotFound = "pair_not_found",
        /// A word of the code is not in the list.
        CodeWordUnknown = "code_word_unknown",
        /// The code has none of the known shapes.
        CodeMalformed = "code_malformed",
        /// This code was already used.
        CodeSpent = "code_spent",
        /// No pending approval of that id.
        PendingNotFound = "pending_not_found",
        /// The approval code is wrong.
        InvalidApprovalCode = "invalid_approval_code",
        /// Too many wrong approval codes.
        AttemptsExhausted = "attempts_exhausted",
        /// The owner has set a PIN: nothing is decided without it.
        PinRequired = "pin_required",
        /// The PIN is wrong.
        InvalidPin = "invalid_pin",
        /// The agent was stopped until the human lets it go on.
        LoopBrake = "loop_brake",
        /// Something else has to be over first, or there is no memory for it.
        NotNow = "not_now",
        /// No session of that thread.
        SessionNotFound = "session_not_found",
        /// The session is not live.
        SessionNotLive = "session_not_live",
        /// The session is not signed by both.
        SessionNotSigned = "session_not_signed",
        /// The thread has ended.
        ThreadClosed = "thread_closed",
        /// All turns are used.
        BudgetExhausted = "budget_exhausted",
        /// The deadline has passed.
        DeadlineExpired = "deadline_expired",
        /// This host does not hold the bytes behind that hash.
        ArtifactNotFound = "artifact_not_found",
        /// What is to be accepted is not the peer's last deliverable any more.
        ArtifactSuperseded = "artifact_superseded",
        /// The two sides named different agreements for one hash.
        AgreementMismatch = "agreement_mismatch",
        /// The payload does not fit an artifact.
        PayloadTooLarge = "payload_too_large",
        /// The hash is frozen: both sides signed it.
        HashFrozen = "hash_frozen",
        /// The peer has not answered the signature before this one.
        SignaturePending = "signature_pending",
        /// Too many threads.
        ThreadLimit = "thread_limit",
    }
}

coded! {
    /// The caller is to blame: the input can never be right.
    pub enum Misuse {
        /// A value is out of its bounds or shape.
        InvalidArgument = "invalid_argument",
        /// A deliverable is not in the form that both sides can hash.
        DeliverableNotCanonical = "deliverable_not_canonical",
        /// The number of turns is not 1 to 1000.
        InvalidBudget = "invalid_budget",
        /// An answer or frame for a call that is not out.
        UnknownCall = "unknown_call",
    }
}

coded! {
    /// This code is to blame, or the store was altered: stop and say so.
    pub enum Bug {
        /// A stored record does not parse.
        CorruptRecord = "corrupt_record",
        /// Serialisation of our own type failed.
        Serialise = "serialise_failed",
        /// An invariant does not hold.
        Invariant = "invariant_broken",
    }
}

/// Why a command or another input of the host was not carried out. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Policy: see [`Refusal`].
    Refused(Refusal, String),
    /// The caller: see [`Misuse`].
    Misused(Misuse, String),
    /// The protocol code or the store: see [`Bug`].
    Broken(Bug, String),
}

impl Failure {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(e, _) => e.code(),
            Self::Misused(e, _) => e.code(),
            Self::Broken(e, _) => e.code(),
        }
    }

    /// Who is to blame: `policy`, `caller` or `bug`.
    #[must_use]
    pub fn blame(&self) -> &'static str {
        match self {
            Self::Refused(..) => "policy",
            Self::Misused(..) => "caller",
            Self::Broken(..) => "bug",
        }
    }

    /// One sentence for a human: what, and what to do. Empty where the code says it all.
    #[must_use]
    pub fn detail(&self) -> &str {
        match self {
            Self::Refused(_, d) | Self::Misused(_, d) | Self::Broken(_, d) => d,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.detail() {
            "" => f.write_str(self.code()),
            detail => write!(f, "{}: {detail}", self.code()),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal, String::new())
    }
}

impl From<Misuse> for Failure {
    fn from(misuse: Misuse) -> Self {
        Self::Misused(misuse, String::new())
    }
}

impl From<Bug> for Failure {
    fn from(bug: Bug) -> Self {
        Self::Broken(bug, String::new())
    }
}
