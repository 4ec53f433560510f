//! Boxes under a key that the owner keeps: of a passphrase, a PIN, or a keychain.

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use rand_core::CryptoRng;

use agentpair_codec::aead::{NONCE_BYTES, open_under, seal_under};

use crate::secret::Secret;

/// Length of the salt of [`stretch`].
pub const SALT_BYTES: usize = 16;
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;

/// There are not 64 MiB of memory to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

/// Argon2id over 64 MiB in three passes: a third of a second for the owner, and for each guess of anybody else.
///
/// # Errors
/// [`NoMemory`].
pub fn stretch<const N: usize>(password: &[u8], salt: &[u8]) -> Result<Secret<N>, NoMemory> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, Some(N)).map_err(|_| NoMemory)?;
    let mut blocks = Vec::new();
    blocks.try_reserve_exact(params.block_count()).map_err(|_| NoMemory)?;
    blocks.resize(params.block_count(), argon2::Block::default());
    let mut bytes = [0_u8; N];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password, salt, &mut bytes, &mut blocks)
        .map_err(|_| NoMemory)?;
    let secret = Secret::new(bytes);
    zeroize::Zeroize::zeroize(&mut bytes);
    Ok(secret)
}

/// nonce || ciphertext || tag. `context` says what is inside: under another one it does not open.
#[must_use]
pub fn seal(key: &Secret<32>, context: &str, plaintext: &[u8], rng: &mut impl CryptoRng) -> Option<Vec<u8>> {
    let mut nonce = [0; NONCE_BYTES];
    rng.fill_bytes(&mut nonce);
    seal_under(&XChaCha20Poly1305::new(key.expose().into()), &nonce, context.as_bytes(), plaintext)
}

/// Opens what [`seal`] made. `None` if it was made under another key or context, or altered.
#[must_use]
pub fn open(key: &Secret<32>, context: &str, sealed: Vec<u8>) -> Option<Vec<u8>> {
    open_under(&XChaCha20Poly1305::new(key.expose().into()), context.as_bytes(), sealed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    #[test]
    fn a_box_opens_under_its_key_and_context_only() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let key = stretch::<32>(b"correct horse", &[2; SALT_BYTES]).unwrap();
        assert_eq!(stretch::<32>(b"correct horse", &[2; SALT_BYTES]).unwrap(), key);
        let other = stretch::<32>(b"correct horse", &[3; SALT_BYTES]).unwrap();
        let sealed = seal(&key, "a", b"seed", &mut rng).unwrap();
        assert_eq!(open(&key, "a", sealed.clone()).unwrap(), b"seed");
        assert_eq!(open(&key, "b", sealed.clone()), None);
        assert_eq!(open(&other, "a", sealed.clone()), None);
        assert_ne!(seal(&key, "a", b"seed", &mut rng).unwrap(), sealed);
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert_eq!(open(&key, "a", altered), None);
        }
    }
}
