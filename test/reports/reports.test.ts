// nodes: own

import { expect } from 'chai';
import { forgetSnapshots } from '../../src/features/reports/snapshot.table.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, world } from '../world/world.ts';

const unknown = '01900000-0000-7000-8000-000000000000';

describe('reports in a server', () => {
  let cluster: Cluster;
  let here: Awaited<ReturnType<typeof world>>;
  /** A moderator, on the other node than alice. */
  let moderator: Person;
  let member: Person;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const join = async (i: number, role?: string) => {
    const person = await register(at(i));
    // A removal has made a new code.
    const { inviteCode } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    await person.post(`/api/servers/${here.server.id}/join`, { inviteCode });
    if (role) await here.alice.patch(`/api/servers/${here.server.id}/members/${person.id}`, { role });
    return person;
  };
  const queue = async (person: Person, more = ''): Promise<Loose[]> =>
    (await person.get(`/api/servers/${here.server.id}/reports?limit=100${more}`)).body;
  const report = (person: Person, messageId: string, more: object = {}) =>
    person.post('/api/reports', { kind: 'message', messageId, category: 'spam', ...more });
  const decide = (person: Person, id: string, body: object) => person.post(`/api/reports/${id}/decide`, body);
  const caseOf = async (person: Person, objectId: string): Promise<Loose> =>
    (await queue(person)).find((one) => one.objectId === objectId) ?? {};

  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    here = await world(cluster);
    [moderator, member] = await Promise.all([join(1, 'moderator'), join(0)]);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('keep what was said, and what was beside it, from being hidden by deleting it', async () => {
    const { alice, bob, channel } = here;
    for (let i = 0; i < 7; i++) await alice.say(channel.id, `before ${i}`);
    const bad = await bob.say(channel.id, 'buy now');
    for (let i = 0; i < 7; i++) await alice.say(channel.id, `after ${i}`);
    const made = await report(member, bad.id, { text: 'spam again' });
    expect(made.status).to.equal(201);
    await bob.delete(`/api/messages/${bad.id}`);
    const found = await caseOf(moderator, bad.id);
    expect(found).to.deep.include({
      kind: 'message',
      status: 'open',
      title: 'buy now',
      reportCount: 1,
      toOperators: false,
    });
    const { body } = await moderator.get(`/api/reports/${found.id}`);
    expect(body.current).to.equal(null);
    const beside = ['before 2', 'before 3', 'before 4', 'before 5', 'before 6', 'buy now'];
    const said = [...beside, 'after 0', 'after 1', 'after 2', 'after 3', 'after 4'];
    expect(body.snapshot.messages.map(({ content }: Loose) => content)).to.deep.equal(said);
    expect(body.reports.map(({ reporter, text }: Loose) => [reporter.id, text])).to.deep.equal([
      [member.id, 'spam again'],
    ]);
  });

  it('are one case for an object, with one report of everyone while it is open', async () => {
    const { alice, bob, channel } = here;
    const bad = await bob.say(channel.id, 'again');
    const first = await report(member, bad.id);
    const repeat = await report(member.on(at(1)), bad.id, { category: 'hate' });
    expect([repeat.status, repeat.body.id, repeat.body.category]).to.deep.equal([200, first.body.id, 'spam']);
    await report(alice, bad.id, { category: 'hate' });
    const found = await caseOf(moderator, bad.id);
    expect(found).to.deep.include({ reportCount: 2, categories: ['spam', 'hate'] });
    await decide(moderator, found.id, { action: 'dismiss' });
    expect((await report(member, bad.id)).status).to.equal(201);
  });

  it('are shown at once to those who decide, on every node, and to nobody else', async () => {
    const { alice, bob, channel } = here;
    const sockets = {
      moderator: await moderator.connect(),
      member: await member.connect(),
      alice: await alice.connect(),
    };
    const told: string[] = [];
    for (const [name, socket] of Object.entries(sockets)) {
      socket.socket.onAny((event: string) => void (event.startsWith('report:') && told.push(`${name} ${event}`)));
    }
    const bad = await bob.say(channel.id, 'live');
    await report(member, bad.id);
    await until(() => told.length >= 2);
    await decide(moderator, (await caseOf(moderator, bad.id)).id, { action: 'dismiss' });
    await until(() => told.length >= 4);
    expect(told.sort()).to.deep.equal([
      ...['alice report:created', 'alice report:updated', 'moderator report:created', 'moderator report:updated'],
    ]);
    for (const { socket } of Object.values(sockets)) socket.disconnect();
  });

  it('are decided once: of two moderators the second is told', async () => {
    const { alice, bob, channel } = here;
    const bad = await bob.say(channel.id, 'twice');
    await report(member, bad.id);
    const { id } = await caseOf(alice, bad.id);
    const both = await Promise.all([
      decide(alice, id, { action: 'delete' }),
      decide(moderator, id, { action: 'dismiss', reason: 'A joke' }),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body.code).to.equal('REPORT_DECIDED');
    const { action, decidedBy } = both.find(({ status }) => status === 200)?.body ?? {};
    expect((await caseOf(alice, bad.id)).action).to.equal(action);
    expect(decidedBy.id).to.equal(action === 'delete' ? alice.id : moderator.id);
    const isThere = (await alice.get(`/api/messages/${bad.id}`)).status === 200;
    const list: Loose[] = (await alice.get(`/api/channels/${channel.id}/messages?limit=50`)).body.messages;
    expect(isThere || list.some((one) => one.id === bad.id)).to.equal(action === 'dismiss');
    await until(async () => {
      const notices: Loose[] = (await member.get('/api/notifications')).body;
      return notices.some(({ kind, referenceId }) => kind === 'report.decided' && referenceId === id);
    });
  });

  it('lead to a ban or a removal in the same change', async () => {
    const { alice, channel } = here;
    const [spammer, other] = await Promise.all([join(0), join(1)]);
    const bad = await spammer.say(channel.id, 'ban me');
    await report(member, bad.id);
    const { status } = await decide(moderator, (await caseOf(moderator, bad.id)).id, { action: 'ban', reason: 'Spam' });
    expect(status).to.equal(200);
    const { inviteCode } = (await alice.get(`/api/servers/${here.server.id}`)).body;
    const again = await spammer.post(`/api/servers/${here.server.id}/join`, { inviteCode });
    expect([again.body.code, again.body.reason]).to.deep.equal(['BANNED', 'Spam']);
    await member.post('/api/reports', {
      kind: 'user',
      userId: other.id,
      serverId: here.server.id,
      category: 'harassment',
    });
    const found = await caseOf(moderator, other.id);
    expect((await decide(moderator, found.id, { action: 'delete' })).body.code).to.equal('VALIDATION_FAILED');
    expect((await decide(moderator, found.id, { action: 'kick' })).status).to.equal(200);
    const members: Loose[] = (await alice.get(`/api/servers/${here.server.id}/members?limit=200`)).body;
    expect(members.some(({ userId }) => userId === other.id)).to.equal(false);
    expect((await caseOf(moderator, other.id)).status).to.equal('decided');
  });

  it('of an app are decided by those who manage apps, with its removal or without', async () => {
    const admin = await join(1, 'admin');
    const path = `/api/servers/${here.server.id}/apps`;
    const made = (await admin.post(path, { name: 'Trap', slug: 'trap', type: 'html', htmlContent: '<p>x</p>' })).body;
    const about = { kind: 'app', serverId: here.server.id, appId: made.id, category: 'other' };
    expect((await member.post('/api/reports', about)).status).to.equal(201);
    const { id, ...found } = await caseOf(here.alice, made.id);
    expect(found).to.deep.include({ kind: 'app', title: 'Trap', toOperators: false });
    expect((await decide(moderator, id, { action: 'delete' })).body.code).to.equal('ROLE_REQUIRED');
    for (const action of ['ban', 'kick', 'timeout'])
      expect((await decide(here.alice, id, { action })).body.code, action).to.equal('VALIDATION_FAILED');
    expect((await decide(here.alice, id, { action: 'delete' })).body).to.include({ action: 'delete' });
    expect((await member.get(`${path}/${made.id}`)).status).to.equal(404);
  });

  it('about someone are hidden from them, and decided only by those above; about the owner by the operators', async () => {
    const { alice, channel } = here;
    const peer = await join(0, 'moderator');
    const bad = await peer.say(channel.id, 'of a moderator');
    await report(member, bad.id);
    const found = await caseOf(moderator, bad.id);
    expect((await caseOf(peer, bad.id)).id).to.equal(undefined);
    expect((await peer.get(`/api/reports/${found.id}`)).body.code).to.equal('REPORT_NOT_FOUND');
    for (const action of ['dismiss', 'delete', 'ban'])
      expect((await decide(moderator, found.id, { action })).body.code, action).to.equal('ROLE_REQUIRED');
    expect((await decide(alice, found.id, { action: 'delete' })).status).to.equal(200);
    const owners = await alice.say(channel.id, 'of the owner');
    await report(member, owners.id);
    const theirs = await caseOf(moderator, owners.id);
    expect(theirs.toOperators).to.equal(true);
    expect((await decide(moderator, theirs.id, { action: 'dismiss' })).body.code).to.equal('FORBIDDEN');
  });

  it('are made of what one can see, and read only by moderators', async () => {
    const { alice, bob, carol, channel } = here;
    const hidden = (await alice.post(`/api/servers/${here.server.id}/channels`, { name: 'hidden', isPrivate: true }))
      .body;
    const secret = await alice.say(hidden.id, 'secret');
    const open = await alice.say(channel.id, 'open');
    for (const [person, messageId] of [
      [member, secret.id],
      [carol, open.id],
      [member, unknown],
    ] as const)
      expect((await report(person, messageId)).body.code).to.equal('MESSAGE_NOT_FOUND');
    expect((await report(alice, open.id)).body.code).to.equal('OWN_USER');
    const wrong = await member.post('/api/reports', { kind: 'message', userId: bob.id, category: 'spam' });
    expect(wrong.body.code).to.equal('VALIDATION_FAILED');
    const stranger = { kind: 'user', userId: carol.id, serverId: here.server.id, category: 'spam' };
    expect((await member.post('/api/reports', stranger)).body.code).to.equal('MEMBER_NOT_FOUND');
    const { id } = await caseOf(moderator, (await queue(moderator))[0]?.objectId);
    expect((await member.get(`/api/servers/${here.server.id}/reports`)).body.code).to.equal('ROLE_REQUIRED');
    expect((await member.get(`/api/reports/${id}`)).body.code).to.equal('ROLE_REQUIRED');
    expect((await carol.get(`/api/reports/${id}`)).body.code).to.equal('REPORT_NOT_FOUND');
    expect((await decide(member, id, { action: 'dismiss' })).body.code).to.equal('ROLE_REQUIRED');
  });

  it('show a moderator who may not read the channel only the reported message', async () => {
    const { alice } = here;
    const hidden = (await alice.post(`/api/servers/${here.server.id}/channels`, { name: 'few', isPrivate: true })).body;
    const [one, two] = await Promise.all([join(0), join(1)]);
    for (const { id: userId } of [one, two]) await alice.post(`/api/channels/${hidden.id}/members`, { userId });
    await one.say(hidden.id, 'private matter');
    const bad = await two.say(hidden.id, 'bad');
    await report(one, bad.id);
    const { id } = await caseOf(moderator, bad.id);
    const shown = async (person: Person) =>
      (await person.get(`/api/reports/${id}`)).body.snapshot.messages.map(({ content }: Loose) => content);
    expect(await shown(moderator)).to.deep.equal(['bad']);
    expect(await shown(alice)).to.deep.equal(['private matter', 'bad']);
  });

  it('page by cursor, filtered', async () => {
    const open = await queue(moderator, '&status=open');
    expect(open.every(({ status }) => status === 'open')).to.equal(true);
    const all = await queue(moderator);
    const first = await moderator.get(`/api/servers/${here.server.id}/reports?limit=2`);
    expect(first.headers.get('x-has-more')).to.equal('true');
    const rest = await moderator.get(`/api/servers/${here.server.id}/reports?limit=2&cursor=${first.body[1].id}`);
    expect([...first.body, ...rest.body].map(({ id }: Loose) => id)).to.deep.equal(all.slice(0, 4).map(({ id }) => id));
    const people = await queue(moderator, '&kind=user');
    expect(people.length > 0 && people.every(({ kind }) => kind === 'user')).to.equal(true);
  });

  it('lose what they kept some time after the decision', async () => {
    const decided = (await queue(moderator, '&status=decided'))[0];
    expect((await moderator.get(`/api/reports/${decided?.id}`)).body.snapshot).to.be.an('object');
    await query(cluster.databaseUrl, `UPDATE report_cases SET decided_at = now() - interval '91 days' WHERE id = $1`, [
      decided?.id,
    ]);
    // A node may have done it by itself meanwhile.
    await withRows(cluster.databaseUrl, (rows) => forgetSnapshots(90).step(rows));
    expect((await moderator.get(`/api/reports/${decided?.id}`)).body.snapshot).to.equal(null);
  });
});

describe('reports of one person', () => {
  it('are limited by the hour, on all nodes together', async () => {
    const rates = { reports: { points: 3, seconds: 3600 } };
    const limited = await startCluster({ nodes: 2, settings: { rateLimits: true, rates } });
    try {
      const [one, two] = limited.nodes;
      if (!one || !two) throw new Error('no nodes');
      const eager = await register(one);
      const about = { kind: 'user', userId: unknown, category: 'spam' };
      const answers: number[] = [];
      for (const node of [one, two, one, two]) answers.push((await eager.on(node).post('/api/reports', about)).status);
      expect(answers).to.deep.equal([404, 404, 404, 429]);
    } finally {
      await limited.stop();
    }
  });
});
