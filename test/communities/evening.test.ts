import { expect } from 'chai';
import { loadSettings } from '../../src/settings/settings.ts';
import { isLong } from '../rig/long.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { crowd } from '../world/crowd.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Answer, Listener, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const secret = 'a secret of this test only';
const [limit, raiders] = isLong ? [40, 200] : [20, 70];

/** One evening of a moderator, in a server whose members are on all nodes. Each step goes on from the one before. */
describe('an evening of a moderator', () => {
  let site: Cluster;
  let here: World;
  let base: string;
  let mod: Person;
  let link: Loose;
  let raid: Person[];
  const others: Person[] = [];

  const nodeAt = (i: number) => {
    const { nodes } = here.cluster;
    return nodes[i % nodes.length] ?? here.alice.node;
  };
  const at = (more = '') => `${base}${more}`;
  const members = async (): Promise<string[]> => {
    const found = await query<{ id: string }>(
      here.cluster.databaseUrl,
      'SELECT user_id AS id FROM server_members WHERE server_id = $1',
      [here.server.id],
    );
    return found.map(({ id }) => id);
  };
  const enter = async (who: Person): Promise<Answer> =>
    who.post('/api/servers/_/join', { inviteCode: (await here.alice.get(base)).body.inviteCode });

  async function newcomer(i: number): Promise<Person> {
    const made = await register(nodeAt(i));
    others.push(made);
    expect((await enter(made)).status).to.equal(200);
    return made;
  }

  /** Repeats what is done a piece at a time until nothing is left. @returns what it did in all */
  async function all(what: 'decided' | 'removed', path: string, body: object): Promise<string[]> {
    const ids: string[] = [];
    for (let round = 0; round < 40; round++) {
      const answer = await mod.post(path, body);
      expect([answer.status, answer.body.failed], JSON.stringify(answer.body)).to.deep.equal([200, []]);
      ids.push(...answer.body[what]);
      if (!answer.body.hasMore) return ids;
    }
    throw new Error('it does not end');
  }

  before(async () => {
    // The crowd's tokens are signed with a secret that the test knows.
    const { jwtSecrets } = loadSettings({ NODE_ENV: 'test', JWT_SECRET: secret });
    site = await startCluster({ settings: { jwtSecrets } });
    here = await world(site);
    base = `/api/servers/${here.server.id}`;
    mod = await newcomer(1);
    await here.alice.patch(at(`/members/${mod.id}`), { role: 'moderator' });
    // People with an account who are in a server of someone else.
    const lobby = (await here.alice.post('/api/servers', { name: 'Lobby' })).body;
    const { databaseUrl } = site;
    raid = await crowd(raiders, { databaseUrl, secret, serverId: lobby.id, at: nodeAt });
    others.push(...raid);
    const old = `UPDATE server_members SET joined_at = joined_at - interval '1 day' WHERE server_id = $1`;
    await query(here.cluster.databaseUrl, old, [here.server.id]);
  });
  after(async () => {
    for (const one of others) one.hangUp();
    here.close();
    await site.stop();
  });

  it('lets in of a raid as many as the limit says, holds all others once, and loses none', async () => {
    const { alice } = here;
    expect((await alice.patch(base, { raid: { mode: 'auto', joins: limit, seconds: 3600 } })).status).to.equal(200);
    link = (await alice.post(at('/invites'), { maxUses: raiders + 50 })).body;
    const ear = await mod.connect();
    const before = await members();
    // A node that is asked for more than it does at once says so, and clients ask again.
    const join = (who: Person): Promise<Answer> =>
      until(
        async () => {
          const answer = await who.post('/api/servers/_/join', { inviteCode: link.inviteCode });
          return answer.body.code === 'SERVER_BUSY' ? undefined : answer;
        },
        { timeout: 90_000, message: 'the server stays busy' },
      );
    // Some ask twice at once, as impatient clients do.
    const answers = await Promise.all(raid.flatMap((who, i) => (i % 10 === 0 ? [join(who), join(who)] : [join(who)])));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(200)).to.equal(limit);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`))).to.deep.equal(
      new Set(['200 ', '202 JOIN_HELD', '409 ALREADY_MEMBER']),
    );
    const inside = (await members()).filter((id) => !before.includes(id));
    expect(inside).to.have.length(limit);
    const held = await query<{ id: string }>(
      here.cluster.databaseUrl,
      `SELECT user_id AS id FROM join_requests WHERE server_id = $1 AND status = 'pending' AND held`,
      [here.server.id],
    );
    expect([...inside, ...held.map(({ id }) => id)].sort()).to.deep.equal(raid.map(({ id }) => id).sort());
    const [used] = (await alice.get(at('/invites'))).body;
    expect(used).to.include({ id: link.id, uses: raiders, isOpen: true });
    await ear.next('server:raid', (event) => event.raid.isOn);
    expect(ear.all('server:raid')).to.have.length(1);
    expect((await mod.get(at('/raid'))).body.members).to.have.length(limit);
    const { total } = (await alice.get(at('/members/count'))).body;
    expect(total).to.equal(before.length + limit);
  }).timeout(120_000);

  it('approves all who wait, and removes everyone whom the raid let in and nobody else', async () => {
    const letIn = (await mod.get(at('/raid'))).body.members.map(({ userId }: Loose) => userId);
    const approved = await all('decided', at('/join-requests/decide'), { status: 'approved', all: true });
    expect(new Set(approved).size).to.equal(raiders - limit);
    const everyone = await members();
    for (const { id } of raid) expect(everyone.includes(id)).to.equal(true);
    const removed = await all('removed', at('/raid/remove'), { all: true });
    expect(removed.sort()).to.deep.equal([...letIn].sort());
    const left = await members();
    expect(left.sort()).to.deep.equal(everyone.filter((id) => !letIn.includes(id)).sort());
    const { total } = (await here.alice.get(at('/members/count'))).body;
    expect(total).to.equal(left.length);
    for (const one of raid.filter(({ id }) => letIn.includes(id)).slice(0, 4)) {
      expect((await one.get(base)).status).to.equal(404);
    }
    const off = await mod.post(at('/raid'), { on: false });
    expect(off.body.isOn).to.equal(false);
  }).timeout(120_000);

  it('holds floods of people and bots on all nodes by slow mode, filter and timeout at once', async () => {
    const { alice, channel, cluster } = here;
    await alice.patch(base, { raid: { mode: 'off' } });
    const people = await Promise.all(Array.from({ length: 4 }, (_, i) => newcomer(i)));
    const bots: Bot[] = await Promise.all(people.slice(0, 2).map((owner) => botIn(here.server, owner)));
    others.push(...bots);
    const authors = [...people, ...bots];
    await alice.post(at('/filters'), { kind: 'word', action: 'refuse', patterns: ['casino*'] });
    await alice.patch(`/api/channels/${channel.id}`, { slowModeSeconds: 3600 });
    const path = `/api/channels/${channel.id}/messages`;
    const mouths: [Person, Listener][] = await Promise.all(
      authors.flatMap((who) =>
        cluster.nodes.map(async (node) => [who, await who.on(node).connect()] as [Person, Listener]),
      ),
    );
    const flood = (content: string): Promise<Loose>[] => [
      ...mouths.flatMap(([, mouth]) =>
        Array.from({ length: 3 }, () => mouth.emit('message:send', { channelId: channel.id, content })),
      ),
      ...authors.flatMap((who) => cluster.nodes.map(async (node) => (await who.on(node).post(path, { content })).body)),
    ];
    const codes = (answers: Loose[]) => new Set(answers.map(({ code }) => code).filter(Boolean));
    const spam = await Promise.all(flood('casino royale'));
    expect([...codes(spam)]).to.deep.equal(['MESSAGE_REFUSED']);
    // What is refused uses no turn.
    const talk = await Promise.all(flood('hello'));
    expect([...codes(talk)]).to.deep.equal(['SLOW_MODE']);
    const written = await query<{ author: string; count: number }>(
      cluster.databaseUrl,
      'SELECT author_id AS author, count(*)::int FROM messages WHERE channel_id = $1 AND author_id = ANY($2) GROUP BY 1',
      [channel.id, authors.map(({ id }) => id)],
    );
    expect(written.map(({ count }) => count)).to.deep.equal(authors.map(() => 1));
    for (const { id } of people) {
      expect((await mod.put(at(`/members/${id}/timeout`), { seconds: 3600 })).status).to.equal(200);
    }
    expect([...codes(await Promise.all(flood('hello again')))]).to.deep.equal(['TIMED_OUT']);
    await alice.patch(`/api/channels/${channel.id}`, { slowModeSeconds: 0 });
    expect([...codes(await Promise.all(flood('still here')))]).to.deep.equal(['TIMED_OUT']);
    for (const [, mouth] of mouths) mouth.close();
  }).timeout(120_000);

  it('has no message with a number above that of the answer to a timeout', async () => {
    const { channel, cluster } = here;
    for (let round = 0; round < 4; round++) {
      const who = await newcomer(round);
      const mouths = await Promise.all(cluster.nodes.map((node) => who.on(node).listen(channel.id)));
      const acks: Loose[] = [];
      let isOver = false;
      const lanes = mouths.flatMap((mouth) =>
        Array.from({ length: 4 }, async () => {
          while (!isOver) acks.push(await mouth.emit('message:send', { channelId: channel.id, content: 'again' }));
        }),
      );
      await until(() => acks.length > 20, { message: 'nothing is sent' });
      expect((await mod.put(at(`/members/${who.id}/timeout`), { seconds: 3600 })).status).to.equal(200);
      const [head] = await query<{ seq: number }>(
        cluster.databaseUrl,
        'SELECT last_seq::int AS seq FROM streams WHERE id = $1',
        [channel.id],
      );
      isOver = true;
      await Promise.all(lanes);
      const seqs = acks.flatMap(({ ok, message }) => (ok ? [message.seq] : []));
      expect(Math.max(...seqs)).to.be.at.most(head?.seq ?? 0);
      const stored = await query<{ seq: number }>(
        cluster.databaseUrl,
        'SELECT seq::int FROM messages WHERE channel_id = $1 AND author_id = $2',
        [channel.id, who.id],
      );
      expect(stored.map(({ seq }) => seq).sort()).to.deep.equal(seqs.sort());
      for (const mouth of mouths) mouth.close();
    }
  }).timeout(120_000);

  it('bans with all that was written and the links, and lets the banned come back when they may', async () => {
    const { alice, channel, cluster } = here;
    const [bad, good] = [await newcomer(0), await newcomer(1)];
    const own = (await bad.post(at('/invites'), { maxUses: 5 })).body;
    const others = (await good.post(at('/invites'), { maxUses: 5 })).body;
    const side = await here.newChannel('side');
    for (let i = 0; i < 45; i++) await bad.say(i % 2 ? channel.id : side, `spam ${i}`);
    const kept = await good.say(channel.id, 'not spam');
    const answer = await mod.post(at('/bans'), { userId: bad.id, deleteMessageHours: 1, reason: 'spam' });
    expect(answer.status).to.equal(201);
    const written = () =>
      query<{ id: string }>(
        cluster.databaseUrl,
        'SELECT id FROM messages WHERE author_id = $1 AND deleted_at IS NULL AND channel_id = ANY($2)',
        [bad.id, [channel.id, side]],
      );
    for (const node of cluster.nodes) {
      const there = bad.on(node);
      expect((await enter(there)).body).to.include({ code: 'BANNED', reason: 'spam' });
      expect((await there.get(`/api/channels/${side}/messages`)).status).to.equal(404);
      expect((await carolBy(own.inviteCode, node)).status).to.equal(404);
    }
    await until(async () => (await written()).length === 0, { message: 'messages are left', timeout: 30_000 });
    expect((await alice.get(`/api/messages/${kept.id}`)).status).to.equal(200);
    expect((await mod.delete(at(`/bans/${bad.id}`))).status).to.equal(200);
    expect((await carolBy(own.inviteCode, alice.node)).status).to.equal(404);
    expect((await enter(bad)).status).to.equal(200);
    await bad.say(channel.id, 'sorry');
    expect((await carolBy(others.inviteCode, alice.node)).status).to.equal(200);
  }).timeout(120_000);

  /** Someone who is no member tries a code. */
  const carolBy = (inviteCode: string, node: (typeof here.cluster.nodes)[number]) =>
    here.carol.on(node).post('/api/servers/_/join', { inviteCode });
});
