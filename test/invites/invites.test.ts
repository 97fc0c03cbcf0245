// nodes: one and two

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { type Cluster, sharedCluster, startCluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('invite codes', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('are made one to five at a time, with a note', async () => {
    const { alice } = here;
    const made = await alice.post('/api/invite-codes', { count: 5, note: ' for the choir ' });
    expect(made.status).to.equal(201);
    expect(made.body).to.have.length(5);
    for (const code of made.body) {
      expect(code.code).to.match(/^[A-HJ-NP-Z2-9]{8}$/);
      expect(code).to.include({
        isActive: true,
        note: ' for the choir ',
        createdBy: alice.id,
        usedBy: null,
        usedAt: null,
      });
      expect(code.usedByUser).to.equal(null);
    }
    expect(new Set(made.body.map(({ code }: { code: string }) => code)).size).to.equal(5);
    const plain = await alice.post('/api/invites', {});
    expect(plain.body[0]).to.include({ note: '' });
    const listed = (await alice.get('/api/invite-codes')).body;
    expect(listed[0].id).to.equal(plain.body[0].id);
    expect(listed).to.deep.equal((await alice.get('/api/invites')).body);
    expect((await here.bob.get('/api/invite-codes')).body).to.deep.equal([]);
  });

  it('refuses other counts and texts', async () => {
    for (const count of [0, 6, -1, 1.5, '2', null]) {
      const { status, body } = await here.alice.post('/api/invite-codes', { count });
      expect(status, String(count)).to.equal(400);
      expect(body).to.include({ ok: false, code: 'VALIDATION_FAILED' });
      expect(body.issues[0].path).to.equal('count');
    }
    expect((await here.alice.post('/api/invite-codes', { note: 'x'.repeat(201) })).status).to.equal(400);
  });

  it('show who used them, and cannot be used twice', async () => {
    const { alice } = here;
    const node = alice.node;
    const [invite] = (await alice.post('/api/invite-codes', { count: 1 })).body;
    const attempts = await Promise.all(
      [0, 1, 2, 3].map((n) => {
        const at = here.cluster.nodes[n % here.cluster.nodes.length] ?? node;
        const name = `u${randomUUID().slice(0, 8)}`;
        const account = { email: `${name}@example.com`, password: 'correct horse', username: name };
        return request(at, 'POST', '/api/auth/register', { ...account, inviteCode: invite.code.toLowerCase() });
      }),
    );
    const won = attempts.filter(({ status }) => status === 201);
    expect(won).to.have.length(1);
    const user = won[0]?.body.user;
    const [used] = (await alice.get('/api/invite-codes')).body;
    expect(used).to.include({ id: invite.id, usedBy: user.id });
    expect(used.usedByUser).to.include({ id: user.id, username: user.username, isBot: false });
    expect(used.usedAt).to.match(/Z$/);
  });

  it('are deactivated and deleted by their owner alone', async () => {
    const { alice, bob } = here;
    const [first, second] = (await alice.post('/api/invite-codes', { count: 2 })).body;
    expect((await bob.patch(`/api/invite-codes/${first.id}/deactivate`)).body.code).to.equal('INVITE_CODE_NOT_FOUND');
    expect((await bob.delete(`/api/invite-codes/${first.id}`)).status).to.equal(404);
    expect((await alice.delete('/api/invite-codes/nonsense')).status).to.equal(404);
    const off = await alice.patch(`/api/invite-codes/${first.id}/deactivate`);
    expect(off.body).to.include({ id: first.id, isActive: false });
    const refused = await register(bob.node, { inviteCode: first.code }).catch((error: Error) => error.message);
    expect(refused).to.include('INVALID_INVITE_CODE');
    expect((await alice.delete(`/api/invites/${second.id}`)).body).to.deep.equal({ ok: true, success: true });
    expect((await alice.delete(`/api/invites/${second.id}`)).status).to.equal(404);
  });

  it('are a thousand of one user at most, also where several are made at once; deleted ones make room', async () => {
    const holder = await register(here.bob.node);
    await query(
      here.cluster.databaseUrl,
      `INSERT INTO invite_codes (id, code, note, created_by, created_at)
       SELECT gen_random_uuid(), left($1::uuid::text, 8) || i, '', $1, now() FROM generate_series(1, 997) AS i`,
      [holder.id],
    );
    const make = (count: number) => holder.post('/api/invite-codes', { count });
    expectError(await make(4), 'INVITE_LIMIT');
    const answers = await Promise.all([make(2), make(2), make(2)]);
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect((await make(1)).status).to.equal(201);
    expectError(await make(1), 'INVITE_LIMIT');
    const [last] = (await holder.get('/api/invite-codes')).body;
    expect((await holder.delete(`/api/invite-codes/${last.id}`)).status).to.equal(200);
    expect((await make(1)).status).to.equal(201);
  });

  describe('for those without the capability', () => {
    let gated: Cluster;
    let visitor: Person;
    before(async () => {
      gated = await startCluster({ nodes: 1, settings: { newAccountTier: 'visitor' } });
      const [node] = gated.nodes;
      if (!node) throw new Error('no node');
      visitor = await register(node);
    });
    after(() => gated.stop());

    it('cannot be made', async () => {
      const { status, body } = await visitor.post('/api/invite-codes', { count: 1 });
      expect(status).to.equal(403);
      expect(body).to.include({ code: 'INVITE_REQUIRED', capability: 'invite:create' });
      expect(body.membership).to.include({ status: 'visitor', isMember: false });
      expect((await visitor.get('/api/invite-codes')).body).to.deep.equal([]);
    });

    it('need a signed-in user at all', async () => {
      const [node] = (await sharedCluster()).nodes;
      expect(node && (await request(node, 'GET', '/api/invite-codes')).status).to.equal(401);
    });
  });
});
