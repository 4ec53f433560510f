//! Calls between the Worker and its objects: one line of JSON, then bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The call cannot be written or read: a fault of this program, since only it makes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadCall;

/// Joins a call and the bytes it is about.
///
/// # Errors
/// [`BadCall`] if the call cannot be serialised.
pub fn join(call: &impl Serialize, bytes: &[u8]) -> Result<Vec<u8>, BadCall> {
    // JSON text never holds a raw line feed.
    let mut joined = serde_json::to_vec(call).map_err(|_| BadCall)?;
    joined.push(b'\n');
    joined.extend_from_slice(bytes);
    Ok(joined)
}

/// Splits what [`join`] made.
///
/// # Errors
/// [`BadCall`] for anything else.
pub fn split<T: DeserializeOwned>(joined: &[u8]) -> Result<(T, &[u8]), BadCall> {
    let end = joined.iter().position(|b| *b == b'\n').ok_or(BadCall)?;
    let (head, rest) = joined.split_at(end);
    let call = serde_json::from_slice(head).map_err(|_| BadCall)?;
    Ok((call, rest.strip_prefix(b"\n").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were() {
        for bytes in [&b""[..], b"\n", b"a\nb\n", &[0, 255, 10, 10]] {
            let joined = join(&"he\nad", bytes).unwrap();
            assert_eq!(split::<String>(&joined), Ok(("he\nad".to_owned(), bytes)));
        }
        assert_eq!(split::<String>(b"\"no line feed\""), Err(BadCall));
        assert_eq!(split::<String>(b"5\n"), Err(BadCall));
    }
}
