//! The signature domains of section 3 that no other file has: proof of possession, root voucher, withdrawal of an invite.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use agentpair_protocol::base64url;
use agentpair_protocol::identity::{Domain, Keypair, Transcript};
use agentpair_protocol::pairing::confirm::{proof, proof_holds};
use agentpair_protocol::pairing::spake::Role;
use serde_json::{Value, json};

use super::support::array;
use super::{cases, keys, own, text};

fn root(root: &Keypair, bond: &Keypair) -> String {
    base64url::encode(&root.sign_in(Domain::Root, &Transcript::new().raw(bond.agent_id().public_key())))
}

fn withdrawal(key: &Keypair, name: &str, session: &str) -> String {
    base64url::encode(&key.sign_in(Domain::InviteDelete, &Transcript::new().raw(name).raw([0]).raw(session)))
}

fn file() -> Value {
    let [alice, bob, _] = keys();
    let fingerprint = [5; 32];
    let proofs: Vec<Value> = [("initiator", Role::Initiator), ("joiner", Role::Joiner)]
        .into_iter()
        .map(|(name, role)| {
            let (signer, sig) = (alice.agent_id().as_str(), proof(role, &alice, &fingerprint));
            json!({ "name": name, "signer": signer, "fingerprint": hex::encode(fingerprint), "sig": sig })
        })
        .collect();
    let (name, session) = ("w77", "00000000-0000-4000-8000-000000000000");
    json!({
        "pairProofs": proofs,
        "rootVouchers": [{
            "name": "alice_for_bob",
            "root": alice.agent_id().as_str(),
            "bond": bob.agent_id().as_str(),
            "sig": root(&alice, &bob),
        }],
        "withdrawals": [{
            "name": name,
            "session": session,
            "signer": alice.agent_id().as_str(),
            "sig": withdrawal(&alice, name, session),
        }],
    })
}

#[test]
fn a_signature_is_good_in_its_domain_and_role_only() {
    let [alice, bob, mallory] = keys();
    let file = own!("signatures", file());
    for (name, case) in cases(&file, "pairProofs") {
        let (fingerprint, sig) = (array(text(case, "fingerprint")), text(case, "sig"));
        for (word, role) in [("initiator", Role::Initiator), ("joiner", Role::Joiner)] {
            assert_eq!(proof_holds(role, alice.agent_id(), &fingerprint, sig), word == name, "{name} as {word}");
            assert!(!proof_holds(role, mallory.agent_id(), &fingerprint, sig));
        }
    }
    let voucher = base64url::decode(text(&file["rootVouchers"][0], "sig")).unwrap();
    let key = Transcript::new().raw(bob.agent_id().public_key());
    assert!(alice.agent_id().verify_in(Domain::Root, &key, &voucher).is_ok());
    assert!(alice.agent_id().verify_in(Domain::PairProof, &key, &voucher).is_err());
    for (name, case) in cases(&file, "withdrawals") {
        let sig = base64url::decode(text(case, "sig")).unwrap();
        let said = |name: &str| Transcript::new().raw(name).raw([0]).raw(text(case, "session"));
        assert!(alice.agent_id().verify_in(Domain::InviteDelete, &said(name), &sig).is_ok());
        assert!(alice.agent_id().verify_in(Domain::InviteDelete, &said("w78"), &sig).is_err());
        assert!(alice.agent_id().verify_in(Domain::Invite, &said(name), &sig).is_err());
    }
}
