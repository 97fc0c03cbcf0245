import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register } from '../world/world.ts';

describe('membership', () => {
  let cluster: Cluster;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  before(async () => {
    cluster = await startCluster({ settings: { newAccountTier: 'visitor', bootstrapInviteCode: 'OPENDOOR' } });
  });
  after(() => cluster.stop());

  /** Codes that can be used once. */
  const codes = async (count: number): Promise<string[]> => {
    const member = await register(at(0), { inviteCode: 'opendoor' });
    const { status, body } = await member.post('/api/invite-codes', { count });
    expect(status).to.equal(201);
    return body.map((entry: { code: string }) => entry.code);
  };

  it('of a new account is that of a visitor, in the shape of the interface', async () => {
    const person = await register(at(0));
    const visitor = { id: 'visitor', level: 0, label: 'Visitor', capabilities: [] };
    const expected = { status: 'visitor', tier: visitor, level: 0, isMember: false, capabilities: [] };
    expect((await person.get('/api/membership/me')).body).to.deep.equal(expected);
    const refused = await person.post('/api/servers', { name: 'Mine' });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'INVITE_REQUIRED']);
    expect(refused.body).to.deep.include({ capability: 'server:create', membership: expected });
  });

  it('is lifted by a code, at once and on all nodes, and the user’s sockets are told', async () => {
    const [code] = await codes(1);
    const person = await register(at(0));
    const socket = await person.on(at(1)).connect();
    expect((await person.on(at(1)).post('/api/servers', { name: 'Mine' })).status).to.equal(403);
    const redeemed = await person.post('/api/membership/redeem-invite', { inviteCode: `  ${code?.toLowerCase()} ` });
    expect([redeemed.status, redeemed.body.status, redeemed.body.isMember]).to.deep.equal([200, 'member', true]);
    expect(await socket.next('membership:updated')).to.include({ status: 'member', level: 10 });
    expect((await person.on(at(1)).post('/api/servers', { name: 'Mine' })).status).to.equal(201);
    socket.close();
  });

  it('takes a code for one of two who race for it', async () => {
    const [code] = await codes(1);
    const people = await Promise.all([0, 1, 2, 3].map((i) => register(at(i))));
    const answers = await Promise.all(people.map((person) => person.post('/api/membership/redeem-invite', { code })));
    expect(answers.map((answer) => answer.status).sort()).to.deep.equal([200, 400, 400, 400]);
    for (const { status, body } of answers) if (status === 400) expect(body.code).to.equal('INVALID_INVITE_CODE');
    const members = await Promise.all(
      people.map(async (person) => (await person.get('/api/membership/me')).body.isMember),
    );
    expect(members.filter(Boolean)).to.have.lengthOf(1);
  });

  it('of a member stays, and the code stays unused, also for one user with two codes at once', async () => {
    const [first, second] = await codes(2);
    const person = await register(at(0));
    const answers = await Promise.all(
      [first, second].map((code, i) => person.on(at(i)).post('/api/membership/redeem-invite', { code })),
    );
    expect(answers.map((answer) => answer.body.status)).to.deep.equal(['member', 'member']);
    const others = await Promise.all([register(at(0)), register(at(1))]);
    const tries = await Promise.all(
      [first, second].map((code, i) => others[i]?.post('/api/membership/redeem-invite', { code })),
    );
    expect(tries.map((answer) => answer?.status).sort()).to.deep.equal([200, 400]);
  });

  it('does not wait for what is being written about the user, which may wait for it', async () => {
    const person = await register(at(0));
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      // As a row does that refers to the user.
      await rows('SELECT FROM users WHERE id = $1 FOR KEY SHARE', [person.id]);
      const { status } = await person.post('/api/membership/redeem-invite', { code: 'OPENDOOR' });
      await rows('COMMIT');
      expect(status).to.equal(200);
    });
  });

  it('comes with registration, and a bad code leaves no account behind', async () => {
    const account = { email: `${Date.now()}@example.com`, password: 'correct horse' };
    const refused = await request(at(0), 'POST', '/api/auth/register', { ...account, inviteCode: 'NOSUCH22' });
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'INVALID_INVITE_CODE']);
    const made = await request(at(1), 'POST', '/api/auth/register', { ...account, inviteCode: 'OPENDOOR' });
    expect([made.status, made.body.user.membership.status]).to.deep.equal([201, 'member']);
  });

  it('needs a code', async () => {
    const person = await register(at(0));
    for (const given of [{}, { code: '' }, { code: 7 }]) {
      const { body } = await person.post('/api/membership/redeem-invite', given);
      expect([body.code, body.issues[0].path]).to.deep.equal(['VALIDATION_FAILED', 'code']);
    }
    const repeated = { 'idempotency-key': 'k' };
    const first = await person.post('/api/membership/redeem-invite', { code: 'OPENDOOR' }, repeated);
    const again = await person.post('/api/membership/redeem-invite', { code: 'OPENDOOR' }, repeated);
    expect(again.body).to.deep.equal(first.body);
  });
});
