//! SPAKE2 over Ed25519 (the `spake2` crate), hardened where the crate leaves it to the caller.

use std::convert::Infallible;

use curve25519_dalek::edwards::CompressedEdwardsY;
use rand_core::{TryCryptoRng, TryRng};
use spake2::{Ed25519Group, Identity, Password, Spake2};

use crate::error::Reject;
use crate::secret::{Secret, SecretText};

/// Length of a message: a side byte and a compressed point.
pub const MESSAGE_BYTES: usize = 33;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Role {
    /// Made the invite.
    Initiator,
    /// Typed the code.
    Joiner,
}

impl Role {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Initiator => "initiator",
            Self::Joiner => "joiner",
        }
    }
}

/// One side of a key agreement. The same seed gives the same message again: that is how it survives a restart.
pub struct Spake {
    state: Spake2<Ed25519Group>,
    message: [u8; MESSAGE_BYTES],
}

impl Spake {
    /// Starts, or starts again after a restart, from a stored seed.
    ///
    /// # Errors
    /// [`Reject::PakeFailed`] only if the crate changes the length of its messages.
    pub fn start(role: Role, password: &SecretText, session_id: &str, seed: &Secret<32>) -> Result<Self, Reject> {
        use sha2::Digest as _;
        let scalar: [u8; 64] = sha2::Sha512::new()
            .chain_update(b"agentpair-spake-seed-v1\0")
            .chain_update(seed.expose())
            .finalize()
            .into();
        Self::start_with_scalar(role, password, session_id, &scalar)
    }

    /// Starts with the wide scalar itself: for vectors.
    ///
    /// # Errors
    /// As [`Spake::start`].
    #[cfg(feature = "hazmat")]
    pub fn start_hazmat(
        role: Role,
        password: &SecretText,
        session_id: &str,
        scalar: &[u8; 64],
    ) -> Result<Self, Reject> {
        Self::start_with_scalar(role, password, session_id, scalar)
    }

    fn start_with_scalar(
        role: Role,
        password: &SecretText,
        session_id: &str,
        scalar: &[u8; 64],
    ) -> Result<Self, Reject> {
        let password = Password::new(password.expose().as_bytes());
        let id = |role: Role| Identity::new(format!("agentpair:{session_id}:{}", role.name()).as_bytes());
        let (a, b) = (id(Role::Initiator), id(Role::Joiner));
        let replay = Replay { bytes: scalar, used: 0 };
        let (state, message) = match role {
            Role::Initiator => Spake2::<Ed25519Group>::start_a_with_rng(&password, &a, &b, replay),
            Role::Joiner => Spake2::<Ed25519Group>::start_b_with_rng(&password, &a, &b, replay),
        };
        let message = message.try_into().map_err(|_| Reject::PakeFailed)?;
        Ok(Self { state, message })
    }

    /// The message for the peer.
    #[must_use]
    pub fn message(&self) -> &[u8; MESSAGE_BYTES] {
        &self.message
    }

    /// Derives the shared key. It is equal on both sides only if the codes are; nothing here tells.
    ///
    /// # Errors
    /// [`Reject::PakeFailed`] for a wrong length or side, and for a point that is not canonical or of small order.
    pub fn finish(self, peer: &[u8]) -> Result<Secret<32>, Reject> {
        let peer: &[u8; MESSAGE_BYTES] = peer.try_into().map_err(|_| Reject::PakeFailed)?;
        let point = CompressedEdwardsY::from_slice(peer.split_at(1).1).map_err(|_| Reject::PakeFailed)?;
        let decoded = point.decompress().ok_or(Reject::PakeFailed)?;
        if decoded.is_small_order() || decoded.compress() != point {
            return Err(Reject::PakeFailed);
        }
        let key = self.state.finish(peer).map_err(|_| Reject::PakeFailed)?;
        key.try_into().map(Secret::new).map_err(|_| Reject::PakeFailed)
    }
}

/// Hands out given bytes as if they were random: the crate takes its scalar from a generator only.
struct Replay<'a> {
    bytes: &'a [u8; 64],
    used: usize,
}

impl TryRng for Replay<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for byte in out {
            *byte = self.bytes.get(self.used).copied().unwrap_or_default();
            self.used += 1;
        }
        Ok(())
    }
}

impl TryCryptoRng for Replay<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> SecretText {
        SecretText::new(text.to_owned())
    }

    fn start(role: Role, text: &str, seed: u8) -> Spake {
        Spake::start(role, &code(text), "s", &Secret::new([seed; 32])).unwrap()
    }

    #[test]
    fn equal_codes_agree_and_a_seed_replays() {
        let (a, b) = (start(Role::Initiator, "c", 1), start(Role::Joiner, "c", 2));
        let (from_a, from_b) = (*a.message(), *b.message());
        assert_eq!(start(Role::Initiator, "c", 1).message(), &from_a);
        assert_eq!(a.finish(&from_b), b.finish(&from_a));
        let key = start(Role::Initiator, "c", 1).finish(&from_b);
        assert_ne!(start(Role::Initiator, "d", 1).finish(&from_b), key);
    }

    #[test]
    fn degenerate_messages_are_refused() {
        let good = *start(Role::Joiner, "c", 2).message();
        let finish = |message: &[u8]| start(Role::Initiator, "c", 1).finish(message).err();
        assert_eq!(finish(&good), None);
        let mut own_side = good;
        own_side[0] = 0x41;
        let with_point = |point: [u8; 32]| [&[0x42][..], &point].concat();
        let mut identity = [0; 32];
        identity[0] = 1;
        let mut order_two = [0xff; 32];
        (order_two[0], order_two[31]) = (0xec, 0x7f);
        let mut non_canonical = [0xff; 32];
        (non_canonical[0], non_canonical[31]) = (0xf0, 0x7f);
        for message in [
            &good[..32],
            &own_side,
            &with_point([0; 32]),
            &with_point(identity),
            &with_point(order_two),
            &with_point(non_canonical),
        ] {
            assert_eq!(finish(message), Some(Reject::PakeFailed), "{message:02x?}");
        }
    }
}
