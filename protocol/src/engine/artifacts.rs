//! Payloads that exceed an envelope: uploaded before the envelope that names them, fetched before it has its effect.
//!
//! A fetch never happens inside a step. The envelope is parked, the inbox goes on, and what follows on its thread
//! waits behind it.

use super::Engine;
use super::calls::{Answer, Outcome, Request};
use super::network::Task;
use super::receive::Verdict;
use super::sessions::session_key;
use super::state::{Parked, Upload};
use super::step::Step;
use crate::artifact::{self, SpillRef};
use crate::base64url;
use crate::error::{Bug, Failure, Reject};
use crate::limits::ARTIFACT_OVERHEAD;

/// Envelopes that may wait on one thread.
const PARKED_PER_THREAD: usize = 64;
/// Envelopes that may wait on one bond.
const PARKED_PER_BOND: usize = 256;
/// Time for a transfer of up to 10 MiB.
const TRANSFER_MS: u32 = 120_000;

impl Engine {
    pub(super) fn upload_request(&mut self, bond_id: &str, hash: &str) -> Option<Request> {
        let keys = self.bond_keys(bond_id)?;
        let bond = self.state.bonds.get(bond_id)?;
        let upload = self.state.uploads.get(&format!("{bond_id}/{hash}"))?;
        let sig = base64url::encode(&keys.own.sign(hash.as_bytes()));
        let request = Request::new(&bond.relay, "PUT", format!("/artifact/{hash}"))
            .header("content-type", "application/octet-stream".to_owned())
            .header("x-agent-id", bond.own.as_str().to_owned())
            .header("x-artifact-sig", sig)
            .within(TRANSFER_MS);
        Some(request.with_bytes(base64url::decode(&upload.sealed).ok()?))
    }

    pub(super) fn on_uploaded(
        &mut self,
        step: &mut Step,
        bond_id: &str,
        hash: &str,
        answer: &Answer,
    ) -> Result<Outcome, Failure> {
        let Some(upload) = self.state.uploads.get_mut(&format!("{bond_id}/{hash}")) else {
            return Ok(Outcome::Done);
        };
        let code = answer.code();
        match (answer.status, code.as_str()) {
            (204, _) => {
                upload.is_uploaded = true;
                upload.sealed = String::new();
                Ok(Outcome::Done)
            }
            (403, "agent_not_registered") => {
                self.renew_registration(bond_id, step.now);
                Ok(Outcome::Failed(code))
            }
            // No room for it; any other refusal is of bytes that were altered on the way, or of a broken relay.
            (413, "payload_too_large" | "quota_exceeded") => {
                let keys = self.state.outbox.keys_under(&format!("{bond_id}/"));
                let names_it =
                    |key: &&String| self.state.outbox.get(key).is_some_and(|row| row.artifact.as_deref() == Some(hash));
                if let Some(key) = keys.iter().find(names_it).cloned() {
                    self.give_up(step, &key, "refused", Some(&code))?;
                }
                Ok(Outcome::Done)
            }
            _ => Ok(Outcome::Failed(code)),
        }
    }

    /// Keeps the sealed bytes until the relay has them.
    pub(super) fn keep_upload(&mut self, bond: &str, hash: &str, sealed: &[u8]) {
        let upload = Upload { sealed: base64url::encode(sealed), is_uploaded: false };
        self.state.uploads.put(format!("{bond}/{hash}"), upload);
    }

    /// Whether something on this thread waits for bytes.
    pub(super) fn is_stalled(&self, bond: &str, thread: &str) -> bool {
        self.state.parked.under(&thread_prefix(bond, thread)).next().is_some()
    }

    /// Parks an envelope: the first of its thread with the reference that it waits for, the others behind it.
    pub(super) fn park(&mut self, bond: &str, thread: &str, parked: Parked) -> Result<(), Reject> {
        let prefix = thread_prefix(bond, thread);
        let (count, last) = {
            let rows = self.state.parked.under(&prefix);
            rows.fold((0, 0), |(count, _), (_, row)| (count + 1, row.n))
        };
        let of_bond = self.state.parked.under(&format!("{bond}/")).count();
        if count >= PARKED_PER_THREAD || of_bond >= PARKED_PER_BOND {
            return Err(Reject::ThreadStalled);
        }
        let n = last + 1;
        self.state.parked.put(format!("{prefix}{n:06}"), Parked { n, ..parked });
        Ok(())
    }

    /// One fetch for each bond at a time: at most 10 MiB are in flight.
    pub(super) fn wanted_fetches(&self) -> Vec<Task> {
        let is_busy = |bond: &str| {
            self.network.flights.values().any(|flight| matches!(&flight.task, Task::Fetch(other, _) if other == bond))
        };
        let mut wanted: Vec<Task> = Vec::new();
        for (key, parked) in self.state.parked.iter() {
            let bond = key.split('/').next().unwrap_or_default();
            let is_first = !wanted.iter().any(|task| matches!(task, Task::Fetch(other, _) if other == bond));
            if parked.reference.is_some() && is_first && !is_busy(bond) {
                wanted.push(Task::Fetch(bond.to_owned(), key.clone()));
            }
        }
        wanted
    }

    pub(super) fn fetch_request(&self, bond_id: &str, key: &str) -> Option<Request> {
        let bond = self.state.bonds.get(bond_id)?;
        let reference = self.state.parked.get(key)?.reference.as_ref()?;
        let limit = u32::try_from(reference.size).ok()?.checked_add(u32::try_from(ARTIFACT_OVERHEAD).ok()?)?;
        let request = Request::new(&bond.relay, "GET", format!("/artifact/{}", reference.artifact_hash));
        Some(request.within(TRANSFER_MS).for_bytes(limit))
    }

    pub(super) fn on_fetched(
        &mut self,
        step: &mut Step,
        bond: &str,
        key: &str,
        answer: &Answer,
    ) -> Result<Outcome, Failure> {
        let Some(parked) = self.state.parked.get(key).cloned() else {
            return Ok(Outcome::Done);
        };
        let Some(reference) = &parked.reference else {
            return Ok(Outcome::Done);
        };
        let opened = match (answer.status, &answer.bytes) {
            (200, Some(bytes)) => artifact::open(reference, bytes.clone()),
            (404, _) => Err(Reject::ArtifactNotFound),
            _ => return Ok(Outcome::Failed(answer.code())),
        };
        self.state.parked.remove(key);
        match opened {
            // With its bytes it cannot wait again.
            Ok(plaintext) => {
                self.receive_parked(step, bond, &parked.wire, Some(plaintext))?;
            }
            Err(reject) => self.refuse_parked(step, bond, &parked, reject)?,
        }
        self.resume(step, bond, &parked.thread)?;
        Ok(Outcome::Done)
    }

    fn refuse_parked(&mut self, step: &mut Step, bond: &str, parked: &Parked, reject: Reject) -> Result<(), Failure> {
        self.refuse(step, bond, (&parked.id, &parked.kind, &parked.thread), reject)
    }

    /// Lets what waited behind a fetched envelope have its effect, up to the next one that waits for bytes.
    fn resume(&mut self, step: &mut Step, bond: &str, thread: &str) -> Result<(), Failure> {
        let prefix = thread_prefix(bond, thread);
        for key in self.state.parked.keys_under(&prefix) {
            let Some(parked) = self.state.parked.get(&key).cloned() else {
                continue;
            };
            if parked.reference.is_some() {
                return Ok(());
            }
            if let Verdict::Waits(reference) = self.receive_parked(step, bond, &parked.wire, None)? {
                let row = self.state.parked.get_mut(&key).ok_or(Bug::Invariant)?;
                row.reference = Some(*reference);
                return Ok(());
            }
            self.state.parked.remove(&key);
        }
        Ok(())
    }

    /// Gives up what waited for bytes beyond its own expiry.
    pub(super) fn tend_parked(&mut self, step: &mut Step) -> Result<(), Failure> {
        let late: Vec<(String, Parked)> = self
            .state
            .parked
            .iter()
            .filter(|(_, parked)| parked.expires_at <= step.now)
            .map(|(key, parked)| (key.clone(), parked.clone()))
            .collect();
        for (key, parked) in late {
            let bond = key.split('/').next().unwrap_or_default().to_owned();
            self.state.parked.remove(&key);
            self.refuse_parked(step, &bond, &parked, Reject::EnvelopeExpired)?;
            self.resume(step, &bond, &parked.thread)?;
        }
        Ok(())
    }
}

/// Parked envelopes of a thread.
fn thread_prefix(bond: &str, thread: &str) -> String {
    format!("{}/", session_key(bond, thread))
}

/// Keeps a reference on the heap: it is much larger than the other verdicts.
pub(super) type Reference = Box<SpillRef>;
