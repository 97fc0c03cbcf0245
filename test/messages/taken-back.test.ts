import { expect } from 'chai';
import { type Receiver, receiver } from '../agents/receiver.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Listener, Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const secret = 'never-to-be-read-again';

/** What someone had said before it was changed or deleted, and where it was quoted. */
interface Said {
  id: string;
  threadId: string;
  attachmentId: string;
  link: string;
  replyId: string;
}

/** A way to take something back, and what is left to be seen. */
interface Way {
  name: string;
  takeBack(said: Said): Promise<unknown>;
  event: string;
  isGone: boolean;
}

describe('what was taken back', () => {
  let cluster: Cluster;
  let here: World;
  let robot: Bot;
  let hook: Receiver;
  let said: Said;
  /** A stock client that loses its connection, and comes back by itself afterwards. */
  let stock: Listener;
  let start: { channel: number; user: number };

  before(async () => {
    // A webhook that has refused for long is tried again soon, too: the waits are doubled each time.
    const webhooks = { retryMs: 40, retryMaxMs: 500, pollMs: 100, timeoutMs: 5000 };
    cluster = await startCluster({ settings: { appProxyAllow: ['127.0.0.1'], webhooks } });
  });
  after(() => cluster.stop());

  beforeEach(async () => {
    here = await world(cluster);
    robot = await botIn(here.server, here.alice);
    hook = await receiver();
    // It takes nothing yet, so that everything is still to be delivered.
    hook.behave(() => 503);
    const { body } = await here.alice.put(`/api/agents/${robot.agentId}/webhook`, { url: hook.url });
    hook.secret = body.secret;
    stock = await here.bob.listen(here.channel.id);
    start = {
      channel: (await here.bob.get(`/api/channels/${here.channel.id}/events`)).body.seq,
      user: (await here.bob.get('/api/events')).body.seq,
    };
  });
  afterEach(async () => {
    here.close();
    await hook.close();
  });

  /** alice says it in all ways that are repeated somewhere, and bob is notified of it. */
  async function say(): Promise<Said> {
    const { alice, bob, channel } = here;
    const file = await alice.upload(`${secret}.txt`, Buffer.from(secret));
    const content = `${secret} @${bob.username}`;
    const sent = await alice.say(channel.id, content, { attachments: [{ id: file.id }], metadata: { secret } });
    await until(async () => (await bob.get('/api/notifications')).body.length === 1, { message: 'not notified' });
    const thread = (await alice.post(`/api/messages/${sent.id}/thread`)).body;
    expect(thread.name).to.include(secret);
    await alice.put(`/api/channels/${channel.id}/pins/${sent.id}`);
    await alice.patch(`/api/messages/${sent.id}`, { content: `${content}!` });
    const reply = await bob.say(channel.id, 'an answer', { replyToId: sent.id });
    const { url } = (await bob.get(`/api/attachments/${file.id}/media-url`)).body;
    return { id: sent.id, threadId: thread.id, attachmentId: file.id, link: url, replyId: reply.id };
  }

  const logOf = (path: string) => async () => JSON.stringify((await here.bob.get(path)).body);
  const joined = async (payload: object) => {
    const ear = await here.bob.connect();
    return JSON.stringify(await ear.emit('channel:join', { channelId: here.channel.id, ...payload }));
  };

  /** Everything that bob, or a bot, can look through. */
  const doors: Record<string, () => Promise<string>> = {
    'the log': () => logOf(`/api/channels/${here.channel.id}/events?after=${start.channel}&limit=500`)(),
    'the log from the beginning': () => logOf(`/api/channels/${here.channel.id}/events?after=0&limit=500`)(),
    'a long poll': () => logOf(`/api/channels/${here.channel.id}/events?after=${start.channel}&wait=1`)(),
    "one's own log": () => logOf(`/api/events?after=${start.user}&limit=500`)(),
    'joining with a position': () => joined({ after: start.channel }),
    async resuming() {
      const resume = { [here.channel.id]: start.channel, user: start.user };
      const ear = await here.bob.connect({ auth: { resume } });
      await ear.next('resumed');
      return JSON.stringify(ear.received);
    },
    'the channel': () => logOf(`/api/channels/${here.channel.id}/messages?include=threads`)(),
    'the channel around it': () => logOf(`/api/channels/${here.channel.id}/messages/around/${said.replyId}`)(),
    'the message': () => logOf(`/api/messages/${said.id}`)(),
    'the answer to it': () => logOf(`/api/messages/${said.replyId}`)(),
    'the pins': () => logOf(`/api/channels/${here.channel.id}/pins`)(),
    'the thread': () => logOf(`/api/threads/${said.threadId}`)(),
    'the threads': () => logOf(`/api/channels/${here.channel.id}/threads`)(),
    'a search': () => logOf('/api/search/messages?query=never-to-be-read-again')(),
    'the list of channels': () => logOf(`/api/servers/${here.server.id}/channels`)(),
    notifications: () => logOf('/api/notifications')(),
    'a bot': async () =>
      JSON.stringify((await robot.get(`/api/channels/${here.channel.id}/events?after=${start.channel}`)).body),
    async 'a webhook'() {
      hook.arrived.length = 0;
      hook.behave(() => 200);
      // An event after all others says that those were delivered.
      const last = await here.alice.say(here.channel.id, 'the last one');
      await hook.next(({ event }) => event.data?.id === last.id);
      return JSON.stringify(hook.arrived.map(({ event }) => event));
    },
  };

  const ways: Way[] = [
    {
      name: 'edited',
      takeBack: ({ id }) => here.alice.patch(`/api/messages/${id}`, { content: 'nothing of note' }),
      event: 'message:updated',
      isGone: false,
    },
    {
      name: 'edited over a socket',
      takeBack: async ({ id }) =>
        (await here.alice.connect()).emit('message:edit', { messageId: id, content: 'nothing of note' }),
      event: 'message:updated',
      isGone: false,
    },
    {
      name: 'deleted',
      takeBack: ({ id }) => here.alice.delete(`/api/messages/${id}`),
      event: 'message:deleted',
      isGone: true,
    },
    {
      name: 'deleted over a socket',
      takeBack: async ({ id }) => (await here.alice.connect()).emit('message:delete', { messageId: id }),
      event: 'message:deleted',
      isGone: true,
    },
  ];

  for (const way of ways) {
    it(`is behind no door any more once it is ${way.name}`, async () => {
      const { alice, bob, channel } = here;
      said = await say();
      const numbers = async () => {
        const { events } = (await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body;
        return events.map(({ seq, event }: Loose) => `${seq} ${event}`);
      };
      const known = await numbers();
      expect(await doors['the log']?.()).to.include(secret);
      await stock.next('message:new', ({ id }) => id === said.replyId);
      // The notification follows the first edit a moment later: with its former text, which is not to come after this.
      await stock.next('notification:updated', ({ body }) => body.endsWith('!'));
      const heard = stock.received.length;
      stock.socket.io.engine.close();
      await way.takeBack(said);
      // The file of an edited message stays, with its name.
      if (!way.isGone) await until(async () => !(await doors.notifications?.())?.includes(secret));
      else await until(async () => (await bob.get('/api/notifications')).body.length === 0);
      await until(async () => !(await doors["one's own log"]?.())?.includes(`${secret} @`));
      expect((await numbers()).slice(0, known.length)).to.deep.equal(known);
      const trace = way.isGone ? secret : `${secret} @`;
      const found: string[] = [];
      for (const [door, look] of Object.entries(doors)) if ((await look()).includes(trace)) found.push(door);
      expect(found).to.deep.equal([]);
      const told = hook.arrived.find(({ event }) => event.type === 'message:new' && event.data.id === said.id);
      expect(told?.event.data.content).to.equal(way.isGone ? '' : 'nothing of note');
      await stock.next(way.event, ({ id }) => id === said.id);
      expect(JSON.stringify(stock.received.slice(heard))).to.not.include(trace);
      const file = await fetch(`${bob.node.url}${said.link}`);
      expect(file.status).to.equal(way.isGone ? 404 : 200);
      const page = (await alice.get(`/api/channels/${channel.id}/events?after=${start.channel}`)).body;
      const first = page.events.find(({ event, data }: Loose) => event === 'message:new' && data.id === said.id);
      if (way.isGone) expect(first.data).to.include({ content: '', isDeleted: true });
      else expect(first.data).to.include({ content: 'nothing of note', isEdited: true });
      const answer = page.events.find(({ event, data }: Loose) => event === 'message:new' && data.id === said.replyId);
      expect(answer.data).to.include({ content: 'an answer' });
      expect(answer.data.replyTo).to.include({
        content: way.isGone ? '' : 'nothing of note',
        deleted: way.isGone,
      });
      await alice.hangUp();
    });
  }

  it('costs each entry of the log one rewrite, however often a message is edited', async () => {
    const { alice, channel } = here;
    const sent = await alice.say(channel.id, 'version 0');
    for (let i = 1; i <= 30; i++) await alice.patch(`/api/messages/${sent.id}`, { content: `version ${i}` });
    const { events } = (await alice.get(`/api/channels/${channel.id}/events?after=${sent.seq - 1}`)).body;
    expect(events.map(({ seq }: Loose) => seq)).to.deep.equal(Array.from({ length: 31 }, (_, at) => sent.seq + at));
    const texts = new Set(events.map(({ data }: Loose) => data.content));
    expect([...texts]).to.deep.equal(['version 30']);
  });

  it('before the log could tell is told of as it is now', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, 'what it says');
    const reply = await bob.say(channel.id, 'an answer', { replyToId: sent.id });
    // What an earlier version left, as the migration marks it.
    await withRows(cluster.databaseUrl, (rows) =>
      rows(
        `UPDATE log_entries SET is_outdated = true, data = replace(data::text, 'what it says', $2)::json
         WHERE stream_id = $1 AND event = 'message:new'`,
        [channel.id, secret],
      ),
    );
    const log = (await alice.get(`/api/channels/${channel.id}/events?after=${sent.seq - 1}`)).body.events;
    const said = (await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body.events;
    for (const events of [log, said]) {
      const [first, second] = events.filter(({ seq }: Loose) => seq >= sent.seq);
      expect([first.data.content, first.seq]).to.deep.equal(['what it says', sent.seq]);
      expect([second.data.content, second.seq]).to.deep.equal(['an answer', reply.seq]);
      expect(second.data.replyTo.content).to.equal('what it says');
    }
  });

  it('of a thread is its former name', async () => {
    const { alice, bob, channel } = here;
    const parent = await alice.say(channel.id, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`, { name: secret })).body;
    await alice.put(`/api/channels/${channel.id}/pins/${parent.id}`);
    await alice.patch(`/api/threads/${thread.id}`, { name: 'another' });
    for (const node of cluster.nodes) {
      const log = (await bob.on(node).get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body;
      expect(JSON.stringify(log)).to.not.include(secret);
      const made = log.events.find(({ event }: Loose) => event === 'thread:created');
      expect(made.data.name).to.equal('another');
    }
  });
});
