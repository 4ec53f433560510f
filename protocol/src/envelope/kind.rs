//! Envelope types, and the profiles they belong to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::{PROFILE_BYTES, PROFILES};

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal in $profile:ident,)+) => {
        /// A known envelope type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $variant,)+ }

        impl Kind {
            /// Every type.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The profile that a bond must have for this type.
            #[must_use]
            pub fn profile(self) -> Profile {
                match self { $(Self::$variant => Profile::$profile,)+ }
            }
        }
    };
}

kinds! {
    /// A message.
    CoreMsg = "core.msg" in Core,
    /// Ends a thread.
    CoreClose = "core.close" in Core,
    /// Acknowledges envelopes.
    CoreAck = "core.ack" in Core,
    /// Opens a negotiation.
    NegoOpen = "nego.open" in Nego,
    /// The recipient's human agreed to negotiate.
    NegoOpenApproved = "nego.open_approved" in Nego,
    /// The recipient's human refused.
    NegoOpenReject = "nego.open_reject" in Nego,
    /// Nobody answered in time.
    NegoOpenExpired = "nego.open_expired" in Nego,
    /// A turn: propose, counter, accept.
    NegoTurn = "nego.turn" in Nego,
    /// One side signed a hash.
    NegoSigned = "nego.signed" in Nego,
    /// One side's human ratified.
    NegoRatified = "nego.ratified" in Nego,
    /// More turns are asked for.
    NegoBudgetPropose = "nego.budget_propose" in Nego,
    /// More turns are granted.
    NegoBudgetApproved = "nego.budget_approved" in Nego,
    /// More turns are refused.
    NegoBudgetReject = "nego.budget_reject" in Nego,
    /// A challenge of the acceptance tests.
    AtestChallenge = "atest.challenge" in Atest,
    /// A report of an acceptance test.
    AtestReport = "atest.report" in Atest,
    /// First word of a new bond.
    BondHello = "bond.hello" in Bond,
    /// The bond is revoked by its sender.
    BondRevoked = "bond.revoked" in Bond,
}

impl Kind {
    /// The type of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether it belongs to a negotiation.
    #[must_use]
    pub fn is_negotiation(self) -> bool {
        self.profile() == Profile::Nego
    }
}

/// A profile known to this implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Profile {
    /// `core/1`: messages.
    Core,
    /// `nego/1`: negotiation.
    Nego,
    /// `atest/1`: acceptance tests; known by name, not offered.
    Atest,
    /// `bond/1`: life of a bond, acknowledgements, receipts.
    Bond,
}

impl Profile {
    /// The id on the wire.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Core => "core/1",
            Self::Nego => "nego/1",
            Self::Atest => "atest/1",
            Self::Bond => "bond/1",
        }
    }
}

/// A list of profiles is malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfilesFault;

/// A list of profile ids in wire order: at most 32 distinct ids of at most 64 characters `[a-z_]+/[0-9]+`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Profiles(Vec<String>);

impl Profiles {
    /// What this implementation offers.
    #[must_use]
    pub fn offered() -> Self {
        Self([Profile::Bond, Profile::Core, Profile::Nego].map(|p| p.id().to_owned()).to_vec())
    }

    /// Checks the grammar of a list.
    ///
    /// # Errors
    /// [`ProfilesFault`].
    pub fn new(ids: Vec<String>) -> Result<Self, ProfilesFault> {
        let good = |id: &String| {
            id.len() <= PROFILE_BYTES
                && id.split_once('/').is_some_and(|(name, version)| {
                    !name.is_empty()
                        && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                        && !version.is_empty()
                        && version.bytes().all(|b| b.is_ascii_digit())
                })
        };
        let distinct = ids.iter().enumerate().all(|(n, id)| !ids.iter().take(n).any(|earlier| earlier == id));
        if ids.len() > PROFILES || !ids.iter().all(good) || !distinct {
            return Err(ProfilesFault);
        }
        Ok(Self(ids))
    }

    /// The contract of a bond: what both lists hold, sorted.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let mut common: Vec<String> = self.0.iter().filter(|id| other.0.contains(id)).cloned().collect();
        common.sort();
        Self(common)
    }

    /// Whether the list holds a profile.
    #[must_use]
    pub fn has(&self, profile: Profile) -> bool {
        self.0.iter().any(|id| id == profile.id())
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ids, in order.
    #[must_use]
    pub fn ids(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Profiles {
    type Error = ProfilesFault;

    fn try_from(ids: Vec<String>) -> Result<Self, ProfilesFault> {
        Self::new(ids)
    }
}

impl From<Profiles> for Vec<String> {
    fn from(profiles: Profiles) -> Self {
        profiles.0
    }
}

impl fmt::Display for ProfilesFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("malformed list of profiles")
    }
}

impl std::error::Error for ProfilesFault {}
