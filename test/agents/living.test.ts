// nodes: one and two

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { sideBySide } from '../rig/side-by-side.ts';
import { until } from '../rig/until.ts';
import { type Bot, bot, botIn } from '../world/bot.ts';
import { Follower, range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** What the author of a bot lives by. On several nodes the bots are on another one than their owner. */
describe('a bot among others', () => {
  let here: World;
  const bots: Bot[] = [];

  before(async () => {
    here = await world();
  });
  after(() => {
    for (const robot of bots) robot.hangUp();
    here.close();
  });

  async function robot(): Promise<Bot> {
    const made = (await botIn(here.server, here.alice)).on(here.bob.node);
    bots.push(made);
    return made;
  }

  it('is told of its channels when it connects, and of those that come', async () => {
    const made = await robot();
    const { alice, server, channel } = here;
    const ear = await made.connect();
    const [general] = await until(() =>
      ear.all('channel:member-added').length > 0 ? ear.all('channel:member-added') : null,
    );
    expect(general).to.deep.include({ channelId: channel.id, serverId: server.id, existing: true });
    expect(general.channel).to.include({ id: channel.id, name: 'general', kind: 'server' });
    const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'later' })).body;
    await alice.post(`/api/channels/${other.id}/members`, { userId: made.id });
    const added = await ear.next('channel:member-added', (event) => event.channelId === other.id);
    expect(added.existing).to.equal(undefined);
    expect((await made.get('/api/auth/me')).body).to.include({ agentId: made.agentId, isBot: true });
  });

  it('misses nothing when it was away for a while', async () => {
    const made = await robot();
    const { bob, channel } = here;
    const first = new Follower({ url: made.node.url, token: made.token });
    await first.connected(1);
    const { seq } = await first.join(channel.id);
    first.close();
    let last = seq;
    for (let i = 0; i < 250; i++) last = (await bob.say(channel.id, `while it was away ${i}`)).seq;
    const second = new Follower({ url: here.alice.node.url, token: made.token });
    await second.connected(1);
    let ack = await second.join(channel.id, seq);
    while (ack.hasMore) ack = await second.join(channel.id, ack.seq);
    const { seq: live } = await bob.say(channel.id, 'and now');
    await second.reach(channel.id, live);
    expect(second.seen(channel.id)).to.deep.equal(range(seq + 1, live));
    expect(live).to.be.greaterThan(last);
    second.close();
  });

  it('has commands that those in its channels see, and hear of', async () => {
    const made = await robot();
    const { alice, bob, carol, channel } = here;
    const ear = await bob.listen(channel.id);
    const commands = [{ name: 'weather', description: 'Tells the weather', aliases: ['w', 'wetter'], options: [] }];
    const path = `/api/agents/${made.agentId}/slash-commands`;
    expect((await made.put(path, { commands })).body).to.deep.equal({ ok: true, commands });
    await ear.next('channel:slash-commands-updated', (event) => event.agentId === made.agentId);
    const shown = (await bob.get(`/api/channels/${channel.id}/slash-commands`)).body.commands;
    const own = shown.filter((command: Loose) => command.agentId === made.agentId);
    expect(own[0]).to.deep.include({ ...commands[0], agentId: made.agentId });
    expect(own[0].botUser).to.include({ id: made.id, isBot: true });
    expect((await alice.get(path)).body.commands).to.deep.equal(commands);
    expect((await carol.get(path)).status).to.equal(404);
    expect((await bob.put(path, { commands: [] })).status).to.equal(404);
    const twice = [{ name: 'a' }, { name: 'b', aliases: ['a'] }];
    expect((await made.put(path, { commands: twice })).status).to.equal(400);
    expect((await made.put(path, { commands: [{ name: 'no spaces' }] })).status).to.equal(400);
    await alice.post(`/api/agents/${made.agentId}/stop`);
    const after = (await bob.get(`/api/channels/${channel.id}/slash-commands`)).body.commands;
    expect(after.filter((command: Loose) => command.agentId === made.agentId)).to.deep.equal([]);
  });

  it('shows its owner what it used', async () => {
    const made = await robot();
    const path = `/api/agents/${made.agentId}/usage-snapshot`;
    expect((await here.alice.get(path)).body).to.deep.equal({ ok: true, snapshot: null });
    const snapshot = { tokens: 12, models: { small: 3 } };
    expect((await made.post(path, snapshot)).body).to.deep.equal({ ok: true, snapshot });
    expect((await here.alice.get(path)).body).to.deep.equal({ ok: true, snapshot });
    expect((await here.alice.post(path, {})).status).to.equal(403);
    expect((await made.post(path, { big: 'x'.repeat(9000) })).status).to.equal(400);
  });

  it('is pushed to without a socket, in its own room too', async () => {
    const made = await robot();
    const { body } = await made.get('/api/events?after=0');
    const waiting = made.get(`/api/events?after=${body.seq}&wait=10`);
    const other = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'pushed' })).body;
    await here.alice.post(`/api/channels/${other.id}/members`, { userId: made.id });
    const [event] = (await waiting).body.events;
    expect(event).to.deep.include({ event: 'channel:member-added' });
    expect(event.data.channelId).to.equal(other.id);
    const channelEvents = `/api/channels/${other.id}/events`;
    const { seq } = (await made.get(`${channelEvents}?after=${event.data.channel.lastSeq}`)).body;
    const next = made.get(`${channelEvents}?after=${seq}&wait=10`);
    const said = await here.bob.say(other.id, 'push');
    expect((await next).body.events.map((found: Loose) => found.data.id)).to.deep.equal([said.id]);
  });
});

describe('what others see of a bot', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster({
      settings: { agents: { heartbeatSeconds: 5, tokenOverlapSeconds: 7 }, accounts: { expiryWarningSeconds: 5 } },
    });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  sideBySide({
    'is the same on every node: heartbeat, status, uptime and presence': async () => {
      const made = await botIn(here.server, here.alice);
      const path = `/api/agents/${made.agentId}`;
      const everywhere = async () => {
        const seen = cluster.nodes.map(async (node) => {
          const agent = (await here.alice.on(node).get(path)).body;
          const profile = (await here.bob.on(node).get(`/api/auth/users/${made.id}`)).body;
          const members = (await here.bob.on(node).get(`/api/servers/${here.server.id}/members`)).body;
          const member = members.find((found: Loose) => found.userId === made.id);
          return { agent, profile: profile.agent, presence: member.user.status, inList: member.agent };
        });
        return Promise.all(seen);
      };
      await made.post(`${path}/heartbeat`, { status: 'error' });
      const seen = await until(async () => {
        const all = await everywhere();
        return all.every(({ presence }) => presence === 'online') ? all : null;
      });
      for (const one of seen) expect(one).to.deep.equal(seen[0]);
      expect(seen[0]?.agent.status).to.equal('error');
      expect(seen[0]?.profile).to.include({ id: made.agentId, ownerId: here.alice.id, status: 'error' });
      expect(seen[0]?.profile.lastHeartbeat).to.equal(seen[0]?.agent.lastHeartbeat);
      const isOver = async () => {
        // So many requests, again and again for seconds, would keep a core busy.
        await delay(100);
        return (await everywhere()).every(({ presence }) => presence === 'offline');
      };
      await until(isOver, { timeout: 30_000, message: 'still online without a heartbeat' });
    },

    'goes on over a new token: it is warned, renews, and stays': async () => {
      const made = (await bot(here.alice)).on(here.bob.node);
      const ear = await made.connect();
      const { body } = await here.alice.post(`/api/agents/${made.agentId}/token`);
      const { expiresAt } = await ear.next('auth:expiring');
      expect(Date.parse(expiresAt) - Date.now()).to.be.within(0, 7000);
      const renewed = await ear.emit('auth:renew', { token: body.token });
      expect(renewed.ok).to.equal(true);
      await until(async () => (await made.get('/api/auth/me')).status === 401, { timeout: 30_000 });
      // The old token has ended, and with it the sockets that still had it.
      expect(await ear.emit('agent:heartbeat')).to.include({ ok: true, status: 'running' });
      expect(ear.socket.connected).to.equal(true);
      made.hangUp();
    },
  });
});

describe('the limits of bots', () => {
  it('are their own: messages by bot, pieces of streams and deliveries for themselves', async () => {
    const minute = (points: number) => ({ points, seconds: 60 });
    const own = { messages: minute(2), botMessages: minute(4), deltas: minute(3), webhooks: minute(1) };
    // All test clusters count this machine's address together.
    const rates = { ...own, auth: minute(1000) };
    const cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, rates } });
    const here = await world(cluster);
    const robots = [await botIn(here.server, here.alice), await botIn(here.server, here.alice)];
    try {
      const { alice, channel } = here;
      const path = `/api/channels/${channel.id}/messages`;
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) statuses.push((await alice.post(path, { content: 'by a person' })).status);
      expect(statuses).to.deep.equal([201, 201, 429]);
      for (const robot of robots) {
        const mouth = await robot.listen(channel.id);
        const say = (content: string) => mouth.emit('message:send', { channelId: channel.id, content });
        expect([(await say('one')).ok, (await say('two')).ok]).to.deep.equal([true, true]);
        for (const content of ['three', 'four']) expect((await robot.post(path, { content })).status).to.equal(201);
        const refused = await robot.post(path, { content: 'five' });
        expect([refused.status, refused.body.code]).to.deep.equal([429, 'RATE_LIMITED']);
        expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
        const ack = await say('six');
        expect(ack).to.include({ ok: false, code: 'RATE_LIMITED' });
        expect(ack.retryAfter).to.be.a('number');
        const piece = () => mouth.emit('message:stream', { channelId: channel.id, streamId: 's', delta: 'x' });
        const pieces = [await piece(), await piece(), await piece(), await piece()];
        expect(pieces.map(({ ok }) => ok)).to.deep.equal([true, true, true, false]);
      }
      // A text that is streamed counts as the pieces that it is shown in.
      const reader = await botIn(here.server, alice);
      const text = await fetch(`${reader.node.url}/api/channels/${channel.id}/streams?streamId=text`, {
        method: 'POST',
        headers: { authorization: `Bearer ${reader.token}`, 'content-type': 'text/plain' },
        body: 'x'.repeat(5000),
      });
      expect(text.status).to.equal(429);
      const [robot] = robots;
      const hook = `/api/agents/${robot?.agentId}/webhook`;
      expect((await alice.put(hook, { url: 'https://10.0.0.1/' })).status).to.equal(422);
      expect((await alice.put(hook, { url: 'https://10.0.0.1/' })).status).to.equal(429);
    } finally {
      for (const robot of robots) robot.hangUp();
      here.close();
      await cluster.stop();
    }
  });
});
