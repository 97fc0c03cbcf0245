import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { type Receiver, receiver } from './receiver.ts';

describe('the feed of a bot', () => {
  let cluster: Cluster;
  let here: World;
  const hooks: Receiver[] = [];
  before(async () => {
    cluster = await startCluster({
      settings: { appProxyAllow: ['127.0.0.1'], webhooks: { retryMs: 40, pollMs: 100 } },
    });
    here = await world(cluster);
  });
  after(async () => {
    await Promise.all(hooks.map((hook) => hook.close()));
    here.close();
    await cluster.stop();
  });

  const feedOf = async (robot: Bot) => (await here.alice.get(`/api/agents/${robot.agentId}/feed`)).body;
  const room = () => `channel:${here.channel.id}`;
  const channelIn = (feed: Loose) => feed.rooms.find((one: Loose) => one.room === room());
  const poll = async (robot: Bot, after: number) =>
    (await robot.get(`/api/channels/${here.channel.id}/events?after=${after}`)).body;
  const replay = (robot: Bot, body: object) => here.alice.post(`/api/agents/${robot.agentId}/feed/replay`, body);
  const textsOf = ({ events }: Loose): string[] =>
    events.filter(({ event }: Loose) => event === 'message:new').map(({ data }: Loose) => data.content);

  it('tells how far polls are behind, by what they say they have dealt with', async () => {
    const robot = await botIn(here.server, here.alice);
    const first = await here.bob.say(here.channel.id, 'one');
    expect(channelIn(await feedOf(robot)).poll).to.equal(null);
    await poll(robot, first.seq);
    const second = await here.bob.say(here.channel.id, 'two');
    const feed = await feedOf(robot);
    expect(channelIn(feed)).to.deep.include({ head: second.seq, webhook: null, replayAfter: null });
    expect(channelIn(feed).poll).to.include({ seq: first.seq, lag: second.seq - first.seq });
    expect(Date.parse(channelIn(feed).waitingSince)).to.be.at.most(Date.parse(second.createdAt) + 60_000);
    expect(feed.poll).to.deep.equal({ lag: second.seq - first.seq, rooms: 1 });
    expect(feed.webhook).to.equal(null);
    await poll(robot, second.seq);
    expect((await feedOf(robot)).poll).to.deep.equal({ lag: 0, rooms: 0 });
    expect((await robot.get(`/api/agents/${robot.agentId}/feed`)).status).to.equal(200);
    expect((await here.bob.get(`/api/agents/${robot.agentId}/feed`)).status).to.equal(404);
  });

  it('begins again from a number for polls, also if the first answer is lost', async () => {
    const robot = await botIn(here.server, here.alice);
    const ear = await robot.connect();
    const before = await here.bob.say(here.channel.id, 'before');
    await here.bob.say(here.channel.id, 'again');
    const last = await here.bob.say(here.channel.id, 'and again');
    await poll(robot, last.seq);
    const asked = await replay(robot, { room: room(), after: before.seq });
    expect([asked.status, asked.body.rooms]).to.deep.equal([200, 1]);
    const told = await ear.next('agent:replay');
    expect(told).to.include({ agentId: robot.agentId, room: room(), after: before.seq, at: null });
    expect(channelIn(await feedOf(robot)).replayAfter).to.equal(before.seq);
    for (const _ of [1, 2]) {
      const page = await poll(robot, last.seq);
      expect(page).to.deep.equal({ events: [], seq: before.seq, recovered: true, hasMore: true });
    }
    const page = await poll(robot, before.seq);
    expect(textsOf(page)).to.deep.equal(['again', 'and again']);
    expect(textsOf(await poll(robot, page.seq))).to.deep.equal([]);
    expect(channelIn(await feedOf(robot)).replayAfter).to.equal(null);
    robot.hangUp();
  });

  it('leaves alone a bot that does not follow', async () => {
    const robot = await botIn(here.server, here.alice);
    const first = await here.bob.say(here.channel.id, 'first');
    const { seq } = await here.bob.say(here.channel.id, 'last');
    await poll(robot, seq);
    await replay(robot, { room: room(), after: first.seq });
    const pages: Loose[] = [];
    for (let time = 0; time < 6; time++) pages.push(await poll(robot, seq));
    expect(pages.map(({ hasMore }) => hasMore)).to.deep.equal([true, true, true, true, true, false]);
  });

  it('begins again for webhooks, from a time on, and no further back than the bot is there', async () => {
    await here.bob.say(here.channel.id, 'before its time');
    const robot = await botIn(here.server, here.alice);
    const hook = await receiver();
    hooks.push(hook);
    const { body } = await here.alice.put(`/api/agents/${robot.agentId}/webhook`, { url: hook.url });
    hook.secret = body.secret;
    const mark = await here.bob.say(here.channel.id, 'a mark');
    await hook.next(({ event }) => event.data?.id === mark.id);
    await until(async () => (await feedOf(robot)).webhook?.lag === 0, { message: 'the webhook is behind' });
    const known = hook.arrived.length;
    const { status } = await replay(robot, { at: '2026-01-31T12:00:00.000Z' });
    expect(status).to.equal(200);
    const again = await until(() => hook.arrived.slice(known).find(({ event }) => event.data?.id === mark.id), {
      message: 'not delivered again',
    });
    expect(again.id).to.equal(hook.arrived.find(({ event }) => event.data?.id === mark.id)?.id);
    await until(async () => (await feedOf(robot)).webhook?.lag === 0, { message: 'the webhook stays behind' });
    expect(hook.arrived.some(({ event }) => event.data?.content === 'before its time')).to.equal(false);
  });

  it('is sent back by its owner alone, to one place, in rooms that the bot is in', async () => {
    const robot = await botIn(here.server, here.alice);
    const body = { room: room(), after: 0 };
    const path = `/api/agents/${robot.agentId}/feed/replay`;
    expect((await here.bob.post(path, body)).body.code).to.equal('AGENT_NOT_FOUND');
    expect((await robot.post(path, body)).body.code).to.equal('FORBIDDEN');
    const elsewhere = `channel:${await here.newChannel('elsewhere')}`;
    expect((await replay(robot, { room: elsewhere, after: 0 })).body.code).to.equal('CHANNEL_NOT_FOUND');
    for (const wrong of [
      {},
      { after: 1 },
      { room: 'nowhere', after: 1 },
      { ...body, at: '2026-01-31T12:00:00.000Z' },
    ]) {
      expect((await replay(robot, wrong)).status, JSON.stringify(wrong)).to.equal(400);
    }
  });

  it('shows in the metrics how far bots are behind', async () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const { body } = await request(node, 'GET', '/metrics');
    for (const way of ['webhook', 'poll']) {
      expect(body).to.match(new RegExp(`parley_bot_lag_events\\{way="${way}"\\} \\d`));
      expect(body).to.match(new RegExp(`parley_bot_lag_seconds\\{way="${way}"\\} \\d`));
    }
  });
});
