// nodes: one and two

import { expect } from 'chai';
import { maxSubscriptions, mcpPath } from '../../src/contract/mcp.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { Assistant, EventReader } from './assistant.ts';

const channelUri = (id: string) => `parley://channels/${id}`;
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: Loose) => error.code,
  );
const textOf = ({ contents }: Loose) => contents[0].text;

describe('the resources of the Model Context Protocol', () => {
  let here: World;
  const open: Assistant[] = [];
  const readers: EventReader[] = [];

  const assistant = async (person: Pick<Person, 'token'>): Promise<Assistant> => {
    const made = await Assistant.connect({ token: person.token, nodes: here.cluster.nodes });
    open.push(made);
    return made;
  };
  /** The stream of an assistant's session, from a node. */
  const stream = ({ transport }: Assistant, { token }: Pick<Person, 'token'>, i = 0): EventReader => {
    const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': transport.sessionId ?? '' };
    const reader = new EventReader(`${here.cluster.nodes[i % here.cluster.nodes.length]?.url}${mcpPath}`, headers);
    readers.push(reader);
    return reader;
  };
  const subscribed = (person: { id: string }) =>
    query<{ seq: string }>(here.cluster.databaseUrl, 'SELECT * FROM mcp_subscriptions WHERE user_id = $1', [person.id]);

  beforeEach(async () => {
    here = await world();
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close();
    await Promise.all(open.splice(0).map((each) => each.close()));
    here.close();
  });

  it('are the channels that the user is in, of some servers at a time', async () => {
    const { alice, bob, channel } = here;
    const hidden = (await alice.post(`/api/servers/${here.server.id}/channels`, { name: 'hidden', isPrivate: true }))
      .body;
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    const { client } = await assistant(bob);
    const { resources, nextCursor } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris)
      .to.include.members([channelUri(channel.id), channelUri(dm.id)])
      .and.not.include(channelUri(hidden.id));
    expect(nextCursor).to.equal(undefined);
    for (let i = 0; i < 11; i++) await bob.post('/api/servers', { name: `Server ${i}` });
    const all: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 5; pages++) {
      const page: Loose = await client.listResources(cursor === undefined ? {} : { cursor });
      all.push(...page.resources.map(({ uri }: Loose) => uri));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(all).to.have.lengthOf(13);
    expect(new Set(all).size).to.equal(13);
    expect(await codeOf(client.listResources({ cursor: 'x' }))).to.equal(-32_602);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.include('parley://channels/{channelId}');
  });

  it('hold what REST answers', async () => {
    const { alice, bob, server, channel } = here;
    const { client } = await assistant(bob);
    const message = await alice.say(channel.id, 'to be read');
    const read = await client.readResource({ uri: channelUri(channel.id) });
    expect(JSON.parse(textOf(read))).to.deep.equal((await bob.get(`/api/channels/${channel.id}/messages`)).body);
    const one = await client.readResource({ uri: `parley://messages/${message.id}` });
    expect(JSON.parse(textOf(one)).content).to.equal('to be read');
    const thread = (await alice.post(`/api/messages/${message.id}/thread`, {})).body;
    const reply = (await alice.post(`/api/threads/${thread.id}/messages`, { content: 'inside' })).body;
    expect(JSON.parse(textOf(await client.readResource({ uri: `parley://threads/${thread.id}` })))[0].id).to.equal(
      reply.id,
    );
    const file = (await alice.post(`/api/servers/${server.id}/workspace/files`, { name: 'a.txt', content: 'plain' }))
      .body;
    expect(textOf(await client.readResource({ uri: `parley://servers/${server.id}/files/${file.id}` }))).to.equal(
      'plain',
    );
  });

  it('that are not the user’s, or none at all, do not exist', async () => {
    const { carol, alice } = here;
    const hidden = (await alice.post(`/api/servers/${here.server.id}/channels`, { name: 'hidden', isPrivate: true }))
      .body;
    const { client } = await assistant(carol);
    for (const uri of [
      channelUri(hidden.id),
      channelUri(crypto.randomUUID()),
      'parley://nothing/1',
      'file:///etc/passwd',
    ]) {
      expect(await codeOf(client.readResource({ uri })), uri).to.equal(-32_002);
    }
    expect(await codeOf(client.subscribeResource({ uri: channelUri(hidden.id) }))).to.equal(-32_002);
    expect(await codeOf(client.subscribeResource({ uri: 'parley://messages/x' }))).to.equal(-32_602);
  });

  it('that are subscribed to are told of when they change, whichever node the message came by', async () => {
    const { alice, bob, channel } = here;
    const quiet = await here.newChannel();
    const assisting = await assistant(bob);
    await assisting.client.subscribeResource({ uri: channelUri(channel.id) });
    await alice.say(channel.id, 'news');
    await until(() => assisting.updated.length > 0);
    await alice.say(quiet, 'not for them');
    const before = assisting.updated.length;
    await alice.say(channel.id, 'more news');
    await until(() => assisting.updated.length > before);
    expect(new Set(assisting.updated)).to.deep.equal(new Set([channelUri(channel.id)]));
    await assisting.client.unsubscribeResource({ uri: channelUri(channel.id) });
    expect(await subscribed(bob)).to.deep.equal([]);
  });

  it('tell a stream that is opened later, on any node, what has happened meanwhile', async () => {
    const { alice, bob, channel } = here;
    const assisting = await assistant(bob);
    await assisting.client.subscribeResource({ uri: channelUri(channel.id) });
    await assisting.close();
    await alice.say(channel.id, 'while nobody listened');
    // And once more: the first of them may have been written to when nobody was there to read.
    for (const node of [1, 0]) {
      const reader = stream(assisting, bob, node);
      await until(() => reader.text.includes(channelUri(channel.id)));
      expect(reader.text).to.match(/^retry: \d+\n\n/);
      reader.close();
    }
  });

  it('end the older stream of a session when a newer one is opened', async () => {
    const { bob } = here;
    const assisting = await assistant(bob);
    await assisting.close();
    const first = stream(assisting, bob);
    await until(() => first.text !== '');
    const second = stream(assisting, bob);
    await first.ended;
    await until(() => second.text !== '');
  });

  it('tell those who lose a channel nothing more', async () => {
    const { alice, bob, server, channel } = here;
    const assisting = await assistant(bob);
    await assisting.client.subscribeResource({ uri: channelUri(channel.id) });
    const reader = stream(assisting, bob);
    await until(() => reader.text !== '');
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    await until(async () => (await subscribed(bob)).length === 0);
    // Without the beats of the stream, which say nothing.
    const news = () => reader.text.split('\n').filter((line) => line.startsWith('data: '));
    const told = news();
    await alice.say(channel.id, 'among us');
    const { client } = await assistant(bob);
    expect(await codeOf(client.subscribeResource({ uri: channelUri(channel.id) }))).to.equal(-32_002);
    expect(news()).to.deep.equal(told);
  });

  it('end a stream with its token', async () => {
    const { bob, channel } = here;
    const made = (await bob.post('/api/tokens', { name: 'assistant', scope: 'messages:read' })).body;
    const assisting = await assistant(made);
    await assisting.client.subscribeResource({ uri: channelUri(channel.id) });
    await assisting.close();
    const reader = stream(assisting, made);
    await until(() => reader.text !== '');
    await bob.delete(`/api/tokens/${made.id}`);
    await reader.ended;
  });

  it('are subscribed to by bots where they may hear', async () => {
    const { alice, server, channel } = here;
    const bot = await botIn(server, alice);
    const assisting = await assistant(bot);
    await assisting.client.subscribeResource({ uri: channelUri(channel.id) });
    await alice.say(channel.id, `@${bot.username} hello`);
    await until(() => assisting.updated.includes(channelUri(channel.id)));
  });

  it('leave alone where a bot is that polls as well, and what it is to read again', async () => {
    const { alice, server, channel } = here;
    const bot = await botIn(server, alice);
    const poll = async (after: number) => (await bot.get(`/api/channels/${channel.id}/events?after=${after}`)).body;
    const room = `channel:${channel.id}`;
    const first = await alice.say(channel.id, 'first');
    const last = await alice.say(channel.id, 'last');
    await poll(last.seq);
    await alice.post(`/api/agents/${bot.agentId}/feed/replay`, { room, after: first.seq });
    const assisting = await assistant(bot);
    await assisting.client.subscribeResource({ uri: channelUri(channel.id) });
    await alice.say(channel.id, 'news');
    await until(() => assisting.updated.includes(channelUri(channel.id)));
    const { rooms } = (await alice.get(`/api/agents/${bot.agentId}/feed`)).body;
    const { replayAfter, poll: reached } = rooms.find((one: Loose) => one.room === room);
    expect([replayAfter, reached.seq]).to.deep.equal([first.seq, last.seq]);
    expect(await poll(last.seq)).to.include({ seq: first.seq, hasMore: true });
  });

  it('are subscribed to no more often than can be followed', async () => {
    const person = await register(here.alice.node);
    await person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const { client } = await assistant(person);
    const fill = `INSERT INTO mcp_subscriptions (session_id, channel_id, user_id, seq, seen_at)
      SELECT gen_random_uuid(), $1, $2, 0, now() FROM generate_series(1, ${maxSubscriptions})`;
    await query(here.cluster.databaseUrl, fill, [here.channel.id, person.id]);
    const refused = await client.subscribeResource({ uri: channelUri(here.channel.id) }).catch((error: Loose) => error);
    expect([refused.code, refused.data?.code]).to.deep.equal([-32_602, 'SUBSCRIPTION_LIMIT']);
  });

  it('end as a node stops, so that clients go to another one', async () => {
    const cluster = await startCluster({ nodes: 1 });
    const there = await world(cluster);
    const assisting = await Assistant.connect({ token: there.bob.token, nodes: cluster.nodes });
    await assisting.client.subscribeResource({ uri: channelUri(there.channel.id) });
    const headers = {
      authorization: `Bearer ${there.bob.token}`,
      'mcp-session-id': assisting.transport.sessionId ?? '',
    };
    await assisting.close();
    const reader = new EventReader(`${there.bob.node.url}${mcpPath}`, headers);
    await until(() => reader.text !== '');
    there.close();
    await cluster.stop();
    await reader.ended;
  });
});
