// nodes: own

import { expect } from 'chai';
import { type MailServer, startMailServer, tokenIn } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

describe('what operators do about accounts', () => {
  let server: MailServer;
  let cluster: Cluster;
  let operator: Person;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const lastEntry = async (): Promise<Loose> => (await operator.get('/api/operator/audit?limit=1')).body[0];

  before(async () => {
    server = await startMailServer();
    cluster = await startCluster({ nodes: 2, settings: { smtpUrl: server.url } });
    operator = await register(at(0));
    await query(cluster.databaseUrl, 'UPDATE users SET is_operator = true WHERE id = $1', [operator.id]);
  });
  after(async () => {
    await cluster.stop();
    await server.stop();
  });

  it('finds them by name, display name or address, a page at a time, each once', async () => {
    const all = [await register(at(0)), await register(at(1)), await register(at(0))];
    const word = `w${Math.random().toString(36).slice(2)}`;
    for (const person of all) await person.patch('/api/auth/me', { displayName: `Someone ${word}` });
    const found: string[] = [];
    let cursor = '';
    for (let more = true; more; ) {
      const page = await operator.get(`/api/operator/users?search=${word.toUpperCase()}&limit=2${cursor}`);
      found.push(...page.body.map(({ id }: Loose) => id));
      more = page.headers.get('x-has-more') === 'true';
      cursor = `&cursor=${found.at(-1)}`;
    }
    expect(found).to.deep.equal(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const [one] = all;
    const email = (await one?.get('/api/auth/me'))?.body.email;
    const byAddress = await operator.get(`/api/operator/users?search=${encodeURIComponent(email)}`);
    expect(byAddress.body.map(({ id }: Loose) => id)).to.deep.equal([one?.id]);
    expect((await operator.get('/api/operator/users?cursor=nonsense')).body.code).to.equal('INVALID_CURSOR');
  });

  it('signs someone out on all nodes before the answer, and ends tokens only where that is asked for', async () => {
    const person = await register(at(0));
    const { token } = (await person.post('/api/tokens', { name: 'x' })).body;
    const program = (node: number) =>
      request(at(node), 'GET', '/api/servers', undefined, { authorization: `Bearer ${token}` });
    const { socket } = await person.on(at(1)).connect();
    const path = `/api/operator/users/${person.id}/sign-out`;
    expect((await operator.post(path, {})).body).to.deep.equal({ ended: 1 });
    for (const node of cluster.nodes) expect((await person.on(node).get('/api/auth/me')).status).to.equal(401);
    await until(() => socket.disconnected);
    expect((await program(1)).status).to.equal(200);
    expect(await lastEntry()).to.deep.include({ action: 'account.revoke', after: { ended: 1 } });
    expect((await operator.post(path, { tokens: true })).body).to.deep.equal({ ended: 1 });
    for (const node of [0, 1]) expect((await program(node)).status).to.equal(401);
  });

  it('mails someone a link for a new password, which ends nothing until it is used', async () => {
    const person = await register(at(0));
    const { email } = (await person.get('/api/auth/me')).body;
    await query(cluster.databaseUrl, 'UPDATE users SET email_verified_at = now() WHERE id = $1', [person.id]);
    expect((await operator.post(`/api/operator/users/${person.id}/password-reset`)).status).to.equal(200);
    const entry = await lastEntry();
    expect([entry.action, entry.actor.id, entry.target.id]).to.deep.equal(['account.reset', operator.id, person.id]);
    const token = await until(() =>
      server.mails
        .filter(({ to }) => to?.[0]?.address === email)
        .map(tokenIn)
        .find(Boolean),
    );
    expect((await person.get('/api/auth/me')).status).to.equal(200);
    const used = await request(at(1), 'POST', '/api/auth/password-reset/complete', {
      token,
      newPassword: 'another battery',
    });
    expect(used.status).to.equal(200);
    expect((await person.get('/api/auth/me')).status).to.equal(401);
    const silent = await register(at(0));
    await query(cluster.databaseUrl, 'UPDATE users SET email = NULL WHERE id = $1', [silent.id]);
    const refused = await operator.post(`/api/operator/users/${silent.id}/password-reset`);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'NO_EMAIL']);
  });

  it('puts someone on another tier of the settings, at once on all nodes', async () => {
    const person = await register(at(0));
    const path = `/api/operator/users/${person.id}/tier`;
    const { tiers } = (await operator.get('/api/operator/overview')).body;
    expect(tiers.map(({ id }: Loose) => id)).to.include.members(['visitor', 'member']);
    expect((await operator.put(path, { tier: 'visitor' })).status).to.equal(200);
    for (const node of cluster.nodes)
      expect((await person.on(node).get('/api/membership/me')).body.tier.id).to.equal('visitor');
    const { action, before, after } = await lastEntry();
    expect({ action, before, after }).to.deep.equal({
      action: 'account.tier',
      before: { tier: 'member' },
      after: { tier: 'visitor' },
    });
    expect((await operator.put(path, { tier: 'emperor' })).body.code).to.equal('VALIDATION_FAILED');
  });

  it('does none of it to bots, nor to those who are not there', async () => {
    const robot = await bot(await register(at(0)));
    for (const [id, code] of [
      [robot.id, 'FORBIDDEN'],
      ['019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d', 'USER_NOT_FOUND'],
    ]) {
      const path = `/api/operator/users/${id}`;
      const answers = [
        await operator.post(`${path}/sign-out`, {}),
        await operator.post(`${path}/password-reset`),
        await operator.put(`${path}/tier`, { tier: 'member' }),
      ];
      expect(answers.map(({ body }) => body.code)).to.deep.equal([code, code, code]);
    }
  });
});
