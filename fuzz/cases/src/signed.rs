//! Texts that are signed as they are: allowlists, invites, challenges.

use std::sync::LazyLock;

use agentpair_protocol::bond::allowlist::Allowlist;
use agentpair_protocol::challenge::{Purpose, check, issue, may_sign};
use agentpair_protocol::identity::Keypair;
use agentpair_protocol::limits::{ALLOWLIST_ENTRIES, INVITE_BYTES};
use agentpair_protocol::pairing::invite::{Invite, is_name, is_session_id};
use agentpair_protocol::signed_blob::SignedBlob;

use crate::choose;

static ALICE: LazyLock<Keypair> = LazyLock::new(|| Keypair::from_seed([1; 32]));
const KEY: [u8; 32] = [9; 32];
const HOST: &str = "relay.example:8443";
const NOW_S: u64 = 1_800_000_000;
const PURPOSES: [Purpose; 5] = [Purpose::Pull, Purpose::Purge, Purpose::Live, Purpose::Trim, Purpose::Invite];

fn allowlist(body: &[u8]) {
    let Ok(list) = Allowlist::open(ALICE.agent_id().as_str(), body) else { return };
    assert!(list.allowed.len() <= ALLOWLIST_ENTRIES && list.allowed.iter().all(|id| id.starts_with("ed25519:")));
    assert_eq!(list.agent_id, *ALICE.agent_id());
}

fn invite(body: &[u8]) {
    let Ok(invite) = Invite::open(body) else { return };
    assert!(body.len() <= INVITE_BYTES && is_name(&invite.name) && is_session_id(&invite.session_id));
    assert_eq!(invite.proposal.initiator_agent_id, invite.agent_id.as_str());
    // It could have been signed by Alice only: the key is hers.
    let again = invite.sign(&ALICE).unwrap();
    assert_eq!(Invite::verify(&again).as_ref(), Ok(&invite));
    let mut forged = again;
    forged.blob.truncate(forged.blob.len() - 4);
    assert!(Invite::verify(&forged).is_err());
}

fn challenge(text: &str) {
    for purpose in PURPOSES {
        // Nobody but the relay makes one that it believes.
        if check(&KEY, "ed25519:a", purpose, text, NOW_S).is_ok() {
            assert_eq!(may_sign(text, HOST, purpose), Ok(()), "a host signs what its own relay believes");
            assert_eq!(text.len(), 43);
        }
        if may_sign(text, HOST, purpose).is_ok() {
            assert_eq!(text.len(), 43);
        }
    }
}

fn issued(data: &[u8]) {
    let (which, rest) = choose(data);
    let purpose = PURPOSES[usize::from(which) % PURPOSES.len()];
    let (host, subject) = (HOST, String::from_utf8_lossy(rest));
    let text = issue(&KEY, &subject, purpose, host, u32::try_from(NOW_S + 60).unwrap(), [which; 5]).unwrap();
    assert_eq!(check(&KEY, &subject, purpose, &text, NOW_S), Ok(NOW_S + 60));
    assert!(check(&KEY, &subject, purpose, &text, NOW_S + 60).is_err());
    assert!(check(&KEY, &format!("{subject}x"), purpose, &text, NOW_S).is_err());
    for other in PURPOSES {
        assert_eq!(may_sign(&text, host, other).is_ok(), other == purpose);
        assert_eq!(check(&KEY, &subject, other, &text, NOW_S).is_ok(), other == purpose);
    }
    challenge(&text);
}

/// A request body, or a text that Alice signs in the domain of one.
pub fn signed(data: &[u8]) {
    let (which, rest) = choose(data);
    let text = String::from_utf8_lossy(rest);
    match which % 6 {
        0 => allowlist(rest),
        1 => allowlist(SignedBlob::sign(&text, None, &ALICE).to_json().as_bytes()),
        2 => {
            if let Ok(invite) = Invite::open(rest) {
                assert!(is_name(&invite.name));
            }
        }
        3 => invite(SignedBlob::sign(&text, Some("agentpair-invite-v1"), &ALICE).to_json().as_bytes()),
        4 => challenge(&text),
        _ => issued(rest),
    }
}
