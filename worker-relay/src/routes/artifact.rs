//! `/artifact/{hash}`: ciphertext under its own hash. The bytes pass through; R2 checks the hash.

use std::collections::HashMap;

use worker::{Data, Error, Headers, ResponseBuilder};

use crate::answer::Answer;
use crate::clock::Now;
use crate::edge::{Ask, Class, Failure, Reply};
use crate::hash::parse_sha256;
use crate::inbox::call::Call;
use crate::problem::Problem;
use crate::verify::signed_by;

/// The bucket.
pub(crate) const BUCKET: &str = "ARTIFACTS";
/// When the artifact may go, with the object in the bucket: owners of the same bytes do not know of each other.
pub(crate) const EXPIRES_AT: &str = "expires_at";

/// How R2 says that the bytes have another hash.
const CHECKSUM_TEXT: &str = "SHA-256 checksum you specified did not match";

/// Stores an artifact.
pub(crate) async fn put(ask: &Ask, hash: &str) -> Result<Reply, Failure> {
    let size = ask.content_length();
    if size.is_some_and(|size| size > ask.config.limits.artifact_bytes) {
        return Err(Problem::PAYLOAD_TOO_LARGE.into());
    }
    let (Some(owner), Some(sig)) = (ask.header("x-agent-id"), ask.header("x-artifact-sig")) else {
        return Err(Problem::AUTH_REQUIRED.into());
    };
    // Before anything is looked up, so that nobody learns which ids exist.
    signed_by(&owner, hash.as_bytes(), &sig).ok_or(Problem::INVALID_SIGNATURE)?;
    let size = size.ok_or(Problem::LENGTH_REQUIRED)?;

    let upload = upload_name()?;
    let reserve = Call::Reserve { upload: upload.clone(), hash: hash.to_owned(), size };
    let reserved = Class::Inbox.ask(&ask.env, &owner, &reserve, &[]).await?;
    if reserved.status_code() != 204 {
        return Ok(reserved.into());
    }
    let stored = store(ask, hash).await;
    let end = match &stored {
        Ok(()) => Call::Commit { upload, hash: hash.to_owned(), size },
        Err(_) => Call::Release { upload },
    };
    let ended = Class::Inbox.ask(&ask.env, &owner, &end, &[]).await?;
    stored?;
    Ok(ended.into())
}

async fn store(ask: &Ask, hash: &str) -> Result<(), Failure> {
    let digest = parse_sha256(hash).ok_or(Problem::HASH_MISMATCH)?;
    let body = match ask.raw_body() {
        Some(stream) => Data::ReadableStream(stream),
        None => Data::Bytes(Vec::new()),
    };
    let expires_at = ask.now.after(ask.config.limits.artifact_retention_ms);
    let metadata = HashMap::from([(EXPIRES_AT.to_owned(), expires_at.to_string())]);
    let bucket = ask.env.bucket(BUCKET).map_err(|_| Problem::MISCONFIGURED)?;
    match bucket.put(hash, body).sha256(digest.to_vec()).custom_metadata(metadata).execute().await {
        Ok(_) => Ok(()),
        Err(error) if is_mismatch(&error) => Err(Problem::HASH_MISMATCH.into()),
        Err(error) => {
            worker::console_error!("artifact not stored: {error}");
            Err(Problem::UNAVAILABLE.into())
        }
    }
}

fn is_mismatch(error: &Error) -> bool {
    error.to_string().contains(CHECKSUM_TEXT)
}

/// Hands out an artifact to whoever knows its hash.
pub(crate) async fn get(ask: &Ask, hash: &str) -> Result<Reply, Failure> {
    let not_found = || Ok(Answer::from(Problem::ARTIFACT_NOT_FOUND).into());
    if parse_sha256(hash).is_none() {
        return not_found();
    }
    let bucket = ask.env.bucket(BUCKET).map_err(|_| Problem::MISCONFIGURED)?;
    let Some(object) = bucket.get(hash).execute().await? else { return not_found() };
    if expired(&object, ask.now)? {
        return not_found();
    }
    let Some(body) = object.body() else { return not_found() };
    let headers = Headers::new();
    // Without a type the platform may compress, and then drops the length.
    headers.set("content-type", "application/octet-stream")?;
    headers.set("content-length", &object.size().to_string())?;
    Ok(ResponseBuilder::new().with_headers(headers).body(body.response_body()?).into())
}

/// When an object in the bucket may go, unix milliseconds. `None` for one that this relay did not put there.
pub(crate) fn expires_at(object: &worker::Object) -> worker::Result<Option<u64>> {
    Ok(object.custom_metadata()?.get(EXPIRES_AT).and_then(|text| text.parse().ok()))
}

/// Whether an object in the bucket is past its time.
pub(crate) fn expired(object: &worker::Object, now: Now) -> worker::Result<bool> {
    Ok(expires_at(object)?.is_none_or(|expires_at| now.reached(expires_at)))
}

fn upload_name() -> Result<String, Failure> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    Ok(hex::encode(random))
}
