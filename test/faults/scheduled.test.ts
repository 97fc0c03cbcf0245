// nodes: own

import { expect } from 'chai';
import { startRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import type { NodeProcess } from '../world/node-process.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';

const perLane = 60;
const textsOf = (name: string) => Array.from({ length: perLane }, (_, i) => `${name} ${i}`);

describe('scheduled messages and reminders when nodes die', () => {
  let site: Installation;
  before(async () => {
    site = await install({ nodes: 2, redisUrl: (await startRedis()).url, env: { NODE_ENV: 'test' } });
  });
  after(() => site.stop());

  const node = (i: number): NodeProcess => {
    const found = site.nodes[i];
    if (!found) throw new Error('no node');
    return found;
  };
  const left = async (): Promise<number> =>
    (await query<Loose>(site.databaseUrl, 'SELECT count(*)::int AS count FROM scheduled_messages'))[0]?.count;
  /**
   * The time of all that is planned comes, in the database: on a busy machine a time that is set to be soon would come
   * before all is planned.
   */
  async function come(): Promise<void> {
    await query(site.databaseUrl, 'UPDATE scheduled_messages SET send_at = now()');
    const jobs = "UPDATE jobs SET due_at = now() WHERE kind IN ('scheduled-messages', 'reminder')";
    await query(site.databaseUrl, jobs);
  }
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const schedule = async (who: Person<NodeProcess>, channelId: string, content: string, sendAt: string) => {
    const answer = await who.post(`/api/channels/${channelId}/scheduled-messages`, { content, sendAt });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  };

  /** What someone has said in a channel, oldest first. */
  async function said(who: Person<NodeProcess>, channelId: string, authorId: string): Promise<string[]> {
    const all: Loose[] = [];
    for (let after = '0'; ; ) {
      const { body } = await who.get(`/api/channels/${channelId}/messages?limit=100&after=${after}`);
      all.push(...body.messages);
      if (!body.hasMore) break;
      after = body.messages.at(-1).id;
    }
    return all.filter((message) => message.authorId === authorId).map(({ content }) => content);
  }

  it('go out once each and in their order, though a node is killed in the midst of them, and again', async () => {
    const { alice, bob, channel } = site.here;
    const other = (await alice.post(`/api/servers/${site.here.server.id}/channels`, { name: 'other' })).body.id;
    const lanes: [Person<NodeProcess>, string, string][] = [
      [alice, channel.id, 'a'],
      [bob, channel.id, 'b'],
      [alice, other, 'c'],
      [bob, other, 'd'],
    ];
    const sendAt = inAnHour();
    await Promise.all(
      lanes.map(async ([who, channelId, name]) => {
        for (const [i, text] of textsOf(name).entries()) await schedule(who.on(node(i % 2)), channelId, text, sendAt);
      }),
    );
    expect(await left()).to.equal(lanes.length * perLane);
    await come();
    await until(async () => (await left()) < lanes.length * perLane * 0.9, {
      timeout: 60_000,
      message: 'none is sent',
    });
    await node(1).kill();
    await until(async () => (await left()) < lanes.length * perLane * 0.6, {
      timeout: 60_000,
      message: 'no more are sent',
    });
    await node(0).kill();
    expect(await left(), 'all were sent before a node died').to.be.greaterThan(0);
    await node(1).start();
    await until(async () => (await left()) === 0, { timeout: 60_000, message: 'some are left' });
    for (const [who, channelId, name] of lanes) {
      expect(await said(bob.on(node(1)), channelId, who.id), name).to.deep.equal(textsOf(name));
    }
    await node(0).start();
  }).timeout(240_000);

  it('are sent, and reminded of, after nobody was there at their time', async () => {
    const { alice, bob, channel } = site.here;
    const at = inAnHour();
    await schedule(alice, channel.id, 'late, not lost', at);
    const reminder = (await bob.post('/api/later', { note: 'late too', remindAt: at })).body;
    await Promise.all(site.nodes.map((one) => one.kill()));
    await come();
    await Promise.all(site.nodes.map((one) => one.start()));
    await until(async () => (await said(bob, channel.id, alice.id)).at(-1) === 'late, not lost', { timeout: 40_000 });
    const reminded = async (): Promise<Loose[]> =>
      (await bob.get('/api/notifications')).body.filter(({ kind }: Loose) => kind === 'later.reminder');
    await until(async () => (await reminded()).length > 0, { timeout: 40_000 });
    expect((await reminded()).map(({ referenceId, body }) => [referenceId, body])).to.deep.equal([
      [reminder.id, 'late too'],
    ]);
  }).timeout(120_000);
});
