//! Whole groups of 3 bytes and 4 characters, by table. In wasm the `base64` crate is without its vector engine, and
//! base64 was a sixth of the time of a large envelope, which it goes over twice.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The two characters of each value of 12 bits.
static PAIRS: [[u8; 2]; 4096] = pairs();

/// What each character gives to the three bytes of its group, little endian, at each of the four places.
static VALUES: [[u32; 256]; 4] = values();

/// Marks the characters outside of the alphabet: a bit above the three bytes.
const FOREIGN: u32 = 1 << 31;

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses what is out of bounds")]
const fn pairs() -> [[u8; 2]; 4096] {
    let mut pairs = [[0; 2]; 4096];
    let mut n = 0;
    while n < pairs.len() {
        pairs[n] = [ALPHABET[n >> 6], ALPHABET[n & 63]];
        n += 1;
    }
    pairs
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses what is out of bounds")]
const fn values() -> [[u32; 256]; 4] {
    let mut values = [[FOREIGN; 256]; 4];
    let mut n = 0;
    while n < 64 {
        let c = ALPHABET[n as usize] as usize;
        // Of the bytes AAAAAABB BBBBCCCC CCDDDDDD, the first is the lowest.
        values[0][c] = n << 2;
        values[1][c] = n >> 4 | (n & 15) << 12;
        values[2][c] = (n >> 2) << 8 | (n & 3) << 22;
        values[3][c] = n << 16;
        n += 1;
    }
    values
}

/// Appends the characters of all whole groups, and returns the bytes that are left: fewer than 3.
pub(super) fn encode<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let (groups, rest) = bytes.as_chunks::<3>();
    let start = out.len();
    out.resize(start + groups.len() * 4, 0);
    let (_, chars) = out.split_at_mut(start);
    for ([a, b, c], four) in groups.iter().zip(chars.as_chunks_mut().0) {
        let n = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let ([p, q], [r, s]) = (pair(n >> 12), pair(n));
        *four = [p, q, r, s];
    }
    rest
}

/// The characters of the lowest 12 bits.
fn pair(n: usize) -> [u8; 2] {
    PAIRS.get(n & 4095).copied().unwrap_or_default()
}

/// Appends the bytes of all whole blocks of four groups, and returns the characters that are left: fewer than 16.
/// `None` if a character of a block is foreign.
pub(super) fn decode<'a>(chars: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (blocks, rest) = chars.as_chunks::<16>();
    let start = out.len();
    out.resize(start + blocks.len() * 12, 0);
    let (_, bytes) = out.split_at_mut(start);
    let mut seen = 0;
    for (block, twelve) in blocks.iter().zip(bytes.as_chunks_mut::<12>().0) {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *block;
        let [q, r, s, t] = [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]].map(group);
        seen |= q | r | s | t;
        twelve[..4].copy_from_slice(&(q | r << 24).to_le_bytes());
        twelve[4..8].copy_from_slice(&(r >> 8 | s << 16).to_le_bytes());
        twelve[8..].copy_from_slice(&(s >> 16 | t << 8).to_le_bytes());
    }
    (seen & FOREIGN == 0).then_some(rest)
}

/// The three bytes of a group, little endian, or more than [`FOREIGN`].
fn group([a, b, c, d]: [u8; 4]) -> u32 {
    let [first, second, third, fourth] = &VALUES;
    let value = |table: &[u32; 256], c: u8| table.get(usize::from(c)).copied().unwrap_or(FOREIGN);
    value(first, a) | value(second, b) | value(third, c) | value(fourth, d)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use crate::base64url::{append, decode};

    /// Each length around the groups and blocks, each byte at each place: the library agrees.
    #[test]
    fn the_library_says_the_same() {
        for length in 1..=50_usize {
            for fill in 0..=255_u8 {
                let bytes: Vec<u8> = (0..length).map(|n| fill.wrapping_mul(29).wrapping_add((n * n) as u8)).collect();
                let text = URL_SAFE_NO_PAD.encode(&bytes);
                let mut out = b"before".to_vec();
                append(&bytes, &mut out);
                assert_eq!(out, format!("before{text}").into_bytes());
                assert_eq!(decode(&text), Ok(bytes));
            }
        }
    }
}
