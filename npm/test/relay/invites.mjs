// Owners of invites, and who claims them.

import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { Agent, base64url } from "./kit.mjs";

export const claimId = () => base64url(randomBytes(16));
export const freshName = () => `l${base64url(randomBytes(16))}`;

/** An owner with an invite. */
export class Inviter {
  constructor(members = {}) {
    this.agent = new Agent();
    this.members = {
      v: 1,
      name: freshName(),
      agent_id: this.agent.id,
      session_id: randomUUID(),
      proposal: { scope: ["message"], mode: "bonded_contact", initiatorAgentId: this.agent.id },
      pake: '{"phase":"pake","payload":"QQ","role":"initiator","profiles":["core/1"]}',
      expires_at: Date.now() + 600_000,
      ...members,
    };
    this.path = `/invite/${this.members.name}`;
    this.session = `/pair/${this.members.session_id}`;
  }

  body(members = {}) {
    return this.agent.signedBlob(JSON.stringify({ ...this.members, ...members }), "agentpair-invite-v1");
  }

  async publish(client) {
    const answer = await client.put(this.path, this.body());
    assert.deepEqual([answer.status, answer.text], [201, ""]);
    return this;
  }

  withdrawal(agent = this.agent) {
    const { name, session_id: session } = this.members;
    return `${this.path}?sig=${agent.sign(`agentpair-invite-delete-v1\0${name}\0${session}`)}`;
  }

  async status(client) {
    const answer = await client.get(await client.signed(this.agent, "GET", this.path));
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }
}

export const claim = (client, path, id) => client.post(`${path}/claim`, JSON.stringify({ claim_id: id }));
