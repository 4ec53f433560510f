//! Views: the state as it may be shown.

use super::Engine;
use super::pairing::{Pairing, Stage};
use super::sessions::session_key;
use super::state::HOST;
use super::view::{BondView, HostView, OutboxView, PairingView, PendingView, SessionView, TurnView};
use crate::audit::SignedHead;
use crate::bond::Bond;
use crate::error::Bug;
use crate::gate::Subject;
use crate::identity::AgentId;
use crate::negotiation::{Deliverable, Phase, Session, Side};
use crate::pairing::code::{Code, Form};
use crate::pairing::spake::Role;
use crate::safety::keys_digest;

impl Engine {
    /// This host.
    ///
    /// # Errors
    /// [`Bug::Invariant`] before the first step.
    pub fn host(&self) -> Result<HostView, Bug> {
        let host = self.state.host.get(HOST).ok_or(Bug::Invariant)?;
        Ok(HostView {
            agent_id: self.root()?.agent_id().as_str().to_owned(),
            label: host.label.clone(),
            feed: host.feed,
            audit: host.audit.n,
            read: host.read,
            approver: host.approver.as_ref().map(|approver| approver.id.as_str().to_owned()),
        })
    }

    /// The head of the audit log, signed by the root identity.
    ///
    /// # Errors
    /// [`Bug::Invariant`] before the first step.
    pub fn audit_head(&self, now: u64) -> Result<SignedHead, Bug> {
        let host = self.state.host.get(HOST).ok_or(Bug::Invariant)?;
        Ok(SignedHead::sign(&host.audit, now, &self.root()?))
    }

    /// Pairings under way, and those that ended within the last hour.
    #[must_use]
    pub fn pairings(&self) -> Vec<PairingView> {
        self.state.pairings.values().map(|pairing| self.pairing_view(pairing)).collect()
    }

    fn pairing_view(&self, pairing: &Pairing) -> PairingView {
        let is_shown = pairing.role == Role::Initiator && pairing.stage == Stage::Published;
        let code = self.state.pairing_secrets.get(&pairing.id).filter(|_| is_shown).map(|secret| {
            let code = Code::stored(pairing.form, &pairing.name, secret.password.clone());
            let code = if pairing.form == Form::Link { code.on_relay(&pairing.relay) } else { code };
            code.to_hand_over(None).expose().to_owned()
        });
        PairingView {
            id: pairing.id.clone(),
            role: pairing.role,
            form: pairing.form,
            relay: pairing.relay.clone(),
            step: pairing.stage.name().to_owned(),
            code,
            trouble: self.network.troubles.get(&pairing.relay).cloned(),
            outcome: pairing.outcome.clone(),
            bond: pairing.bond.clone(),
            pending: self.pending_of(|subject| matches!(subject, Subject::Join { pairing: id } if *id == pairing.id)),
            expires_at: pairing.expires_at,
        }
    }

    fn pending_of(&self, is_it: impl Fn(&Subject) -> bool) -> Option<String> {
        self.state.pendings.values().find(|item| is_it(&item.subject)).map(|item| item.id.clone())
    }

    /// Bonds, those that are over too.
    #[must_use]
    pub fn bonds(&self) -> Vec<BondView> {
        self.state.bonds.values().map(|bond| self.bond_view(bond)).collect()
    }

    fn bond_view(&self, bond: &Bond) -> BondView {
        let undelivered = self.state.outbox.under(&format!("{}/", bond.id)).count();
        BondView {
            id: bond.id.clone(),
            peer: bond.peer.as_str().to_owned(),
            own: bond.own.as_str().to_owned(),
            petname: bond.petname.clone(),
            peer_label: bond.peer_label.clone(),
            peer_root: bond.peer_root.clone(),
            status: bond.status,
            scope: bond.scope.clone(),
            mode: bond.mode.name().to_owned(),
            profiles: bond.profiles.ids().to_vec(),
            must_verify: bond.must_verify,
            verification: bond.verification.clone(),
            keys_digest: hex::encode(keys_digest(&bond.own, &bond.peer)),
            relay: bond.relay.clone(),
            created_at: bond.created_at,
            peer_seen_at: bond.peer_seen_at,
            undelivered: u32::try_from(undelivered).unwrap_or(u32::MAX),
            unattended: bond.unattended,
            is_braked: bond.is_braked,
            peer_looked_at: bond.peer_looked_at,
            peer_approver: bond.peer_approver.as_ref().map(|id| id.as_str().to_owned()),
            is_erased: bond.farewell.as_ref().is_some_and(|farewell| farewell.is_erased),
        }
    }

    /// Both ids of a bond, for the safety number.
    #[must_use]
    pub fn safety_ids(&self, bond: &str) -> Option<(AgentId, AgentId)> {
        self.find_bond(bond).ok().map(|bond| (bond.own.clone(), bond.peer.clone()))
    }

    /// All sessions.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionView> {
        self.state.sessions.values().map(|session| self.session_view(session)).collect()
    }

    /// One session. `bond` is an id or a petname.
    #[must_use]
    pub fn session(&self, bond: &str, thread: &str) -> Option<SessionView> {
        let bond = self.find_bond(bond).ok()?;
        self.state.sessions.get(&session_key(&bond.id, thread)).map(|session| self.session_view(session))
    }

    fn session_view(&self, session: &Session) -> SessionView {
        let (bond, thread) = (&session.bond, &session.thread);
        let last = self.state.turns.under(&format!("{}/", session_key(bond, thread))).last().map(|(_, turn)| turn.by);
        let pending = self.pending_of(|subject| match subject {
            Subject::Open { bond: b, thread: t }
            | Subject::Ratify { bond: b, thread: t }
            | Subject::Extend { bond: b, thread: t, .. } => b == bond && t == thread,
            Subject::Join { .. } | Subject::Verify { .. } | Subject::Continue { .. } => false,
        });
        let mut view = SessionView {
            bond: bond.clone(),
            thread: thread.clone(),
            opened_by: session.opened_by,
            terms: session.terms.clone(),
            status: session.status().to_owned(),
            turns: session.turns,
            max_turns: session.max_turns,
            turns_remaining: session.max_turns.saturating_sub(session.turns),
            your_turn: matches!(session.phase, Phase::Live(_))
                && last != Some(Side::Me)
                && (last.is_some() || session.opened_by == Side::Me),
            deliverable: None,
            agreement: None,
            signed_by_me: None,
            signed_by_peer: None,
            ratified_by_me: None,
            ratified_by_peer: None,
            reason: None,
            ended_by: None,
            words: None,
            pending,
            has_receipt: self.state.receipts.contains(&session_key(bond, thread)),
            created_at: session.created_at,
            expires_at: session.expiry().map(|(at, _)| at),
            suggested_next: String::new(),
        };
        match &session.phase {
            Phase::Pending(_) => {}
            Phase::Live(live) => {
                view.signed_by_me = live.mine.as_ref().map(|signed| signed.sha256.clone());
                view.signed_by_peer = live.theirs.as_ref().map(|signed| signed.sha256.clone());
            }
            Phase::Signed(signed) => {
                view.signed_by_me = Some(signed.deliverable.sha256.clone());
                view.signed_by_peer = view.signed_by_me.clone();
                view.deliverable = Some(signed.deliverable.clone());
                view.agreement = Some(signed.agreement.clone());
                view.ratified_by_me.clone_from(&signed.mine);
                view.ratified_by_peer.clone_from(&signed.theirs);
            }
            Phase::Agreed(agreed) => {
                view.deliverable = Some(agreed.deliverable.clone());
                view.agreement = Some(agreed.agreement.clone());
                if let Some(receipt) = self.state.receipts.get(&session_key(bond, thread)) {
                    let (mine, theirs) = match session.opened_by {
                        Side::Me => (&receipt.initiator_ratified, &receipt.recipient_ratified),
                        Side::Peer => (&receipt.recipient_ratified, &receipt.initiator_ratified),
                    };
                    view.ratified_by_me = Some(mine.clone());
                    view.ratified_by_peer = Some(theirs.clone());
                }
            }
            Phase::Ended(ended) => {
                view.reason = Some(ended.reason.clone());
                view.ended_by = Some(ended.by);
                view.words.clone_from(&ended.words);
            }
        }
        view.suggested_next = suggest(session, &view).to_owned();
        view
    }

    /// The turns of a session.
    #[must_use]
    pub fn turns(&self, bond: &str, thread: &str) -> Vec<TurnView> {
        let Ok(bond) = self.find_bond(bond) else {
            return Vec::new();
        };
        let prefix = format!("{}/", session_key(&bond.id, thread));
        let turns = self.state.turns.under(&prefix).map(|(_, turn)| TurnView {
            n: turn.n,
            by: turn.by,
            msg_type: turn.msg_type.clone(),
            body: turn.body.clone(),
            deliverable: turn.deliverable.clone(),
            at: turn.at,
        });
        turns.collect()
    }

    /// A deliverable of a session, by its hash.
    #[must_use]
    pub fn deliverable(&self, bond: &str, thread: &str, sha256: &str) -> Option<Deliverable> {
        let bond = self.find_bond(bond).ok()?;
        self.state.deliverables.get(&format!("{}/{sha256}", session_key(&bond.id, thread))).cloned()
    }

    /// The receipt of an agreement, as the text of its file.
    #[must_use]
    pub fn receipt(&self, bond: &str, thread: &str) -> Option<String> {
        let bond = self.find_bond(bond).ok()?;
        let receipt = self.state.receipts.get(&session_key(&bond.id, thread))?;
        serde_json::to_string_pretty(receipt).ok()
    }

    /// What waits for the human.
    #[must_use]
    pub fn pendings(&self) -> Vec<PendingView> {
        self.state.pendings.values().map(PendingView::from).collect()
    }

    /// Own messages that are not delivered yet.
    #[must_use]
    pub fn outbox(&self) -> Vec<OutboxView> {
        let rows = self.state.outbox.values().filter_map(|row| {
            Some(OutboxView {
                bond: row.bond.clone(),
                mid: row.mid.clone()?,
                kind: row.kind.clone(),
                thread: row.thread.clone(),
                state: if row.relayed_at.is_some() { "relayed" } else { "queued" }.to_owned(),
                created_at: row.created_at,
                expires_at: row.expires_at,
            })
        });
        rows.collect()
    }
}

/// What to do next, for an agent.
fn suggest(session: &Session, view: &SessionView) -> &'static str {
    match &session.phase {
        Phase::Pending(_) if session.opened_by == Side::Me => "wait: the peer's human decides whether to negotiate",
        Phase::Pending(_) => "wait: your human decides whether to negotiate",
        Phase::Live(_) if view.turns_remaining == 0 => {
            "no turns left: sign what is on the table, or ask for more turns"
        }
        Phase::Live(live) => match (&live.mine, &live.theirs) {
            (Some(_), _) => "wait: the peer signs the same hash, or takes a turn",
            (None, Some(_)) => "read the deliverable that the peer signed, and sign it or counter",
            (None, None) if view.turns_remaining <= 2 && view.your_turn => {
                "two turns left at most: accept and sign, or ask for more turns"
            }
            (None, None) if view.your_turn => "your turn: propose, counter or accept; then sign",
            (None, None) => "wait: it is the peer's turn",
        },
        Phase::Signed(signed) => match (&signed.mine, &signed.theirs) {
            (None, _) => "wait: your human decides whether to ratify",
            (Some(_), _) => "wait: the peer's human decides whether to ratify",
        },
        Phase::Agreed(_) => "agreed: fetch the receipt",
        Phase::Ended(_) => "over: open another session if it is still wanted",
    }
}
