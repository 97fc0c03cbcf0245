import { expect } from 'chai';
import { catalogue } from '../../src/contract/catalogue.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { receiver } from './receiver.ts';

const modes = [
  'replyAll',
  'mentionOnly',
  'disabled',
  { mode: 'custom', listen: false },
  { mode: 'custom', mentionOnly: true },
];

/** Where each durable event is told. */
const roomOf = new Map<string, string | null>(
  catalogue.map(({ name, durable, room }) => [name, durable ? room : null]),
);

describe('what a webhook gets', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster({
      settings: { appProxyAllow: ['127.0.0.1'], webhooks: { retryMs: 20, pollMs: 100 } },
    });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const seed = seedOfRun();

  it(`is what a socket of the bot gets, event by event, whatever people do (PARLEY_SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const { alice, bob, channel, server } = here;
    const robot = (await botIn(server, alice)).on(bob.node);
    const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'other' })).body;
    await alice.post(`/api/channels/${other.id}/members`, { userId: robot.id });
    const hook = await receiver();
    // Now and then it fails, which must not show.
    let count = 0;
    hook.behave(() => (++count % 7 === 0 ? 500 : 200));
    hook.secret = (await alice.put(`/api/agents/${robot.agentId}/webhook`, { url: hook.url })).body.secret;
    const socket = await robot.listen(channel.id, other.id);
    let before = 0;
    const bySocket = () =>
      socket.received.flatMap(({ event, data }) => {
        const kind = roomOf.get(event);
        if (!kind || typeof data?.eventSeq !== 'number') return [];
        const room = kind === 'user' ? `user:${robot.id}` : `channel:${data.channelId}`;
        return { room, type: event, seq: data.eventSeq, data };
      });
    const byHook = () => {
      const taken = new Map(hook.arrived.slice(before).map((arrived) => [arrived.id, arrived.event]));
      return [...taken.values()].map(({ room, type, seq, data }) => ({ room, type, seq, data }));
    };
    const path = `/api/agents/${robot.agentId}/webhook`;
    const settled = async () => {
      await until(async () => (await alice.get(path)).body.pending === 0, {
        timeout: 30_000,
        message: 'something is pending',
      });
      await until(() => bySocket().length >= byHook().length, { message: 'the socket got less' });
    };
    // Rooms are begun a moment later; until then nothing is pending either.
    const begun = 'SELECT seq FROM webhook_cursors WHERE agent_id = $1';
    await until(async () => (await query(cluster.databaseUrl, begun, [robot.agentId])).length === 3, {
      message: 'its own room and both channels are not followed',
    });
    await until(async () => (await alice.get(path)).body.pending === 0);
    before = hook.arrived.length;
    socket.received.length = 0;

    const messages: Loose[] = [];
    for (let i = 0; i < 120; i++) {
      const person = random(2) ? alice : bob;
      const room = random(2) ? channel : other;
      const message = messages[random(messages.length)];
      const mention = random(10) < 3 ? ` @${robot.username}` : '';
      const step = random(9);
      if (step <= 3 || !message) messages.push(await person.say(room.id, `${i}${mention}`));
      else if (step === 4) {
        // Whoever is told of a message later is told its present text: both have heard the former one.
        await settled();
        await person.patch(`/api/messages/${message.id}`, { content: `changed ${i}${mention}` });
      } else if (step === 5)
        await person.post(`/api/messages/${message.id}/reactions`, { emoji: random(2) ? '👍' : '🎉' });
      else if (step === 6) await alice.post(`/api/messages/${message.id}/thread`, {});
      else if (step === 7) {
        const thread = (await alice.get(`/api/messages/${message.id}`)).body.thread;
        if (thread) await person.post(`/api/threads/${thread.id}/messages`, { content: `in a thread ${i}${mention}` });
        else await alice.put(`/api/channels/${message.channelId}/pins/${message.id}`);
      } else {
        // What was said under the policy before is through on both ways, so that the change means the same for both.
        await settled();
        const mode = modes[random(modes.length)];
        const policy = typeof mode === 'string' ? { mode } : mode;
        await alice.put(`/api/channels/${room.id}/agents/${robot.agentId}/policy`, policy);
      }
    }
    await settled();
    const last = await bob.post('/api/dm/channels', { userId: robot.id });
    await socket.next('dm:created', (event) => event.id === last.body.id);
    await settled();
    const [heard, delivered] = [bySocket(), byHook()];
    const rooms = new Set(heard.map(({ room }) => room));
    expect(rooms.size).to.be.at.least(3);
    const inRoom = (events: typeof heard, room: string) => events.filter((event) => event.room === room);
    for (const room of rooms) expect(inRoom(delivered, room), room).to.deep.equal(inRoom(heard, room));
    expect(delivered.length).to.equal(heard.length);
    expect(hook.arrived.every(({ verified }) => verified)).to.equal(true);
    await hook.close();
    robot.hangUp();
  });

  it('quotes nothing that its bot may not read', async () => {
    const { alice, bob, channel, server } = here;
    const robot = await botIn(server, alice);
    const hook = await receiver();
    hook.secret = (await alice.put(`/api/agents/${robot.agentId}/webhook`, { url: hook.url })).body.secret;
    await alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'mentionOnly' });
    const hidden = await bob.say(channel.id, 'not for bots');
    const own = await robot.say(channel.id, `an answer to @${robot.username}`, { replyToId: hidden.id });
    const { event } = await hook.next(({ event }) => event.data.id === own.id);
    expect(event.data.replyTo).to.deep.equal({ id: hidden.id, authorId: bob.id, content: '', deleted: false });
    await hook.close();
  });

  it('is the commands that name it, where it may not listen otherwise', async () => {
    const { alice, bob, channel, server } = here;
    const robot = await botIn(server, alice);
    const hook = await receiver();
    hook.secret = (await alice.put(`/api/agents/${robot.agentId}/webhook`, { url: hook.url })).body.secret;
    await alice.put(`/api/agents/${robot.agentId}/slash-commands`, { commands: [{ name: 'deploy' }] });
    await alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'custom', listen: false });
    await bob.say(channel.id, `not for @${robot.username}`);
    await bob.say(channel.id, '/deploy now');
    await hook.next(({ event }) => event.data.content === '/deploy now');
    const said = hook.arrived.filter(({ event }) => event.type === 'message:new');
    expect(said.map(({ event }) => event.data.content)).to.deep.equal(['/deploy now']);
    await hook.close();
  });
});
