import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Bot, bot, botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes the bots talk to another node than their owner. */
describe('policies of agents', () => {
  let here: World;
  let bots: Bot[];

  before(async () => {
    here = await world();
    bots = [];
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
  const set = (made: Bot, policy: object) =>
    here.alice.put(`/api/channels/${here.channel.id}/agents/${made.agentId}/policy`, policy);
  const heard = (ear: Listener) => ear.all('message:new').map((message: Loose) => message.content);

  it('are replyAll where nothing was set', async () => {
    const made = await robot();
    const path = `/api/channels/${here.channel.id}/agents/${made.agentId}/policy`;
    const open = { mode: 'replyAll', reply: true, mentionOnly: false, listen: true, config: {} };
    const expected = {
      channelId: here.channel.id,
      agentId: made.agentId,
      buddyUserId: made.id,
      ...open,
      owner: null,
      server: null,
    };
    expect((await here.bob.get(path)).body).to.deep.equal(expected);
    const config = (await made.get(`/api/agents/${made.agentId}/config`)).body;
    expect(config).to.include({ agentId: made.agentId, userId: made.id, ownerId: here.alice.id });
    const server = config.servers.find((found: Loose) => found.id === here.server.id);
    expect(server).to.include({ name: 'Home', slug: here.server.slug });
    expect(server.defaultPolicy).to.deep.equal(open);
    expect(server.channels[0]).to.deep.include({ id: here.channel.id, kind: 'server', type: 'text', policy: open });
    expect((await here.alice.get(`/api/agents/${made.agentId}/policies`)).body).to.deep.equal([]);
  });

  it('have modes that say their flags, and flags that say their mode', async () => {
    const made = await robot();
    const cases: [object, object][] = [
      [{ mode: 'mentionOnly' }, { mode: 'mentionOnly', reply: true, mentionOnly: true, listen: true }],
      [{ mode: 'disabled' }, { mode: 'disabled', reply: false, mentionOnly: false, listen: true }],
      [
        { reply: true, mentionOnly: true },
        { mode: 'mentionOnly', reply: true, mentionOnly: true },
      ],
      [{ reply: false }, { mode: 'disabled', reply: false }],
      [
        { mode: 'custom', reply: true, mentionOnly: false, listen: false },
        { mode: 'custom', listen: false },
      ],
      [{ mode: 'replyAll' }, { mode: 'replyAll', reply: true, mentionOnly: false, listen: true }],
    ];
    for (const [given, expected] of cases) {
      const answer = await set(made, { buddyUserId: made.id, ...given });
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include(expected);
    }
    expect((await set(made, { mode: 'loud' })).status).to.equal(400);
    expect((await set(made, { config: { big: 'x'.repeat(9000) } })).status).to.equal(400);
  });

  it('are kept flat or in a list, per channel or for a server, and found by server', async () => {
    const made = await robot();
    const path = `/api/agents/${made.agentId}/policies`;
    const config = { tone: { of: ['voice', 1.5, null] } };
    const one = await here.alice.put(path, { channelId: here.channel.id, mentionOnly: true, reply: true, config });
    expect(one.body).to.include({ agentId: made.agentId, serverId: here.server.id, channelId: here.channel.id });
    expect(one.body.config).to.deep.equal(config);
    const two = await here.alice.put(path, { policies: [{ serverId: here.server.id, reply: false }] });
    expect(two.body[0]).to.include({ serverId: here.server.id, channelId: null, mode: 'disabled' });
    const again = await here.alice.put(path, { channelId: here.channel.id, reply: true });
    expect(again.body).to.include({ id: one.body.id, mentionOnly: true });
    const listed = (await made.get(`${path}?serverId=${here.server.id}`)).body;
    expect(listed.map((policy: Loose) => policy.id)).to.have.members([one.body.id, two.body[0].id]);
    expect((await here.alice.get(`${path}?serverId=${one.body.id}`)).body).to.deep.equal([]);
    expect((await made.get(`${path}?serverId=${here.server.slug}`)).body).to.deep.equal(listed);
    expect((await made.get(`${path}?serverId=no-such-slug`)).body.code).to.equal('SERVER_NOT_FOUND');
    const bySlug = await here.alice.put(path, { serverId: here.server.slug, listen: true });
    expect(bySlug.body).to.include({ id: two.body[0].id, mode: 'disabled' });
    expect((await here.alice.put(path, { reply: true })).status).to.equal(400);
    expect((await here.alice.put(path, { channelId: one.body.id })).status).to.equal(404);
    const own = (await here.alice.post('/api/servers', { name: 'Another' })).body;
    const astray = await here.alice.put(path, { serverId: own.id, channelId: here.channel.id, reply: true });
    expect(astray.body.code).to.equal('CHANNEL_NOT_FOUND');
    const bobs = await botIn(here.server, here.bob);
    bots.push(bobs);
    const foreign = await here.bob.delete(`/api/agents/${bobs.agentId}/policies/${one.body.id}`);
    expect(foreign.body.code).to.equal('POLICY_NOT_FOUND');
    expect((await made.put(path, { serverId: here.server.id, reply: true })).status).to.equal(403);
    expect((await here.alice.delete(`${path}/${one.body.id}`)).status).to.equal(200);
    expect((await here.alice.delete(`${path}/${one.body.id}`)).body.code).to.equal('POLICY_NOT_FOUND');
  });

  it('are set by the owner and admins, read by members, unknown to others', async () => {
    const { alice, bob, carol, channel, server } = here;
    const bobs = await botIn(server, bob);
    bots.push(bobs);
    const path = `/api/channels/${channel.id}/agents/${bobs.agentId}/policy`;
    expect((await bob.put(path, { mode: 'mentionOnly' })).status).to.equal(200);
    expect((await alice.put(path, { mode: 'replyAll' })).status).to.equal(200);
    const alices = await robot();
    const foreign = `/api/channels/${channel.id}/agents/${alices.agentId}/policy`;
    expect((await bob.get(foreign)).status).to.equal(200);
    expect((await bob.put(foreign, { mode: 'disabled' })).body.code).to.equal('ROLE_REQUIRED');
    expect((await carol.get(foreign)).body.code).to.equal('CHANNEL_NOT_FOUND');
    const elsewhere = await bot(carol);
    bots.push(elsewhere);
    const unknown = `/api/channels/${channel.id}/agents/${elsewhere.agentId}/policy`;
    expect((await alice.put(unknown, { mode: 'disabled' })).body.code).to.equal('AGENT_NOT_FOUND');
    expect((await carol.put(unknown, { mode: 'disabled' })).body.code).to.equal('CHANNEL_NOT_FOUND');
    const none = `/api/channels/${channel.id}/agents/${randomUUID()}/policy`;
    expect((await alice.get(none)).body.code).to.equal('AGENT_NOT_FOUND');
    for (const answer of [await carol.get(none), await carol.put(none, { mode: 'disabled' })]) {
      expect(answer.body.code).to.equal('CHANNEL_NOT_FOUND');
    }
  });

  it('reach a connected bot', async () => {
    const made = await robot();
    const ear = await made.connect();
    await set(made, { mode: 'mentionOnly' });
    const told = await ear.next('agent:policy-changed');
    expect(told).to.include({ agentId: made.agentId, serverId: here.server.id, channelId: here.channel.id });
    expect(told.policy).to.include({ mode: 'mentionOnly', mentionOnly: true });
  });

  it('keep a disabled bot from writing, at once and on every node', async () => {
    const made = await robot();
    const mouth = await made.listen(here.channel.id);
    const said = await made.say(here.channel.id, 'still allowed');
    await set(made, { mode: 'disabled' });
    for (const node of here.cluster.nodes) {
      const refused = await made.on(node).post(`/api/channels/${here.channel.id}/messages`, { content: 'no' });
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'FORBIDDEN']);
    }
    const ack = await mouth.emit('message:send', { channelId: here.channel.id, content: 'no' });
    expect(ack).to.include({ ok: false, code: 'FORBIDDEN' });
    expect((await made.patch(`/api/messages/${said.id}`, { content: 'no' })).status).to.equal(403);
    expect((await made.post(`/api/messages/${said.id}/reactions`, { emoji: '👍' })).status).to.equal(403);
    const thread = { name: 'no', parentMessageId: said.id };
    expect((await made.post(`/api/channels/${here.channel.id}/threads`, thread)).status).to.equal(403);
    await here.alice.put(`/api/agents/${made.agentId}/policies`, { channelId: here.channel.id, mode: 'replyAll' });
    await made.say(here.channel.id, 'allowed again');
  });

  it('let the default of a server hold where a channel has none of its own', async () => {
    const made = await robot();
    const path = `/api/agents/${made.agentId}/policies`;
    const { body } = await here.alice.put(path, { serverId: here.server.id, reply: false });
    const say = () => made.post(`/api/channels/${here.channel.id}/messages`, { content: 'may I?' });
    expect((await say()).status).to.equal(403);
    await set(made, { mode: 'replyAll' });
    expect((await say()).status).to.equal(201);
    const [own] = (await here.alice.get(path)).body.filter((policy: Loose) => policy.channelId);
    await here.alice.delete(`${path}/${own.id}`);
    expect((await say()).status).to.equal(403);
    await here.alice.delete(`${path}/${body.id}`);
    expect((await say()).status).to.equal(201);
  });

  it('hold where they were set and nowhere else', async () => {
    const made = await robot();
    const { alice, carol, channel, server } = here;
    const quiet = await here.newChannel('quiet');
    await alice.post(`/api/channels/${quiet}/members`, { userId: made.id });
    const away = (await alice.post('/api/servers', { name: 'Away' })).body;
    await alice.post(`/api/servers/${away.id}/agents`, { agentIds: [made.agentId] });
    const [general] = (await alice.get(`/api/servers/${away.id}/channels`)).body;
    const places = [channel.id, quiet, general.id];
    const word = `marble${randomUUID().slice(0, 8)}`;
    for (const id of places) await alice.say(id, word);
    const policies = [
      { channelId: quiet, listen: false },
      { serverId: away.id, reply: false },
    ];
    expect((await alice.put(`/api/agents/${made.agentId}/policies`, { policies })).status).to.equal(200);

    const read = places.map((id) => made.get(`/api/channels/${id}/messages`));
    expect((await Promise.all(read)).map(({ status }) => status)).to.deep.equal([200, 403, 200]);
    const write = places.map((id) => made.post(`/api/channels/${id}/messages`, { content: 'hello' }));
    expect((await Promise.all(write)).map(({ status }) => status)).to.deep.equal([201, 201, 403]);
    const found = (await made.get(`/api/search/messages?query=${word}`)).body;
    expect(found.map(({ channelId }: Loose) => channelId)).to.have.members([channel.id, general.id]);
    const { servers } = (await made.get(`/api/agents/${made.agentId}/config`)).body;
    const said = servers.flatMap(({ id, defaultPolicy, channels }: Loose) => [
      [id, defaultPolicy.mode, defaultPolicy.listen],
      ...channels.map(({ id, policy }: Loose) => [id, policy.mode, policy.listen]),
    ]);
    expect(said).to.have.deep.members([
      [server.id, 'replyAll', true],
      [channel.id, 'replyAll', true],
      [quiet, 'replyAll', false],
      [away.id, 'disabled', true],
      [general.id, 'disabled', true],
    ]);

    const stranger = await bot(carol);
    bots.push(stranger);
    const astray = await carol.put(`/api/agents/${stranger.agentId}/policies`, { serverId: server.id, reply: false });
    expect(astray.body.code).to.equal('SERVER_NOT_FOUND');
  });

  it('do not let a bot that is not to listen read what it replies to', async () => {
    const { bob, channel } = here;
    const made = await robot();
    await set(made, { mode: 'custom', listen: false });
    const ear = await bob.listen(channel.id);
    const { id: replyToId } = await bob.say(channel.id, 'not for bots');
    const sayOf = (content: string) => ({ channelId: channel.id, content, replyToId });
    const key = { 'idempotency-key': crypto.randomUUID() };
    const send = (body: unknown) => made.post(`/api/channels/${channel.id}/messages`, body, key);
    const mouth = await made.connect();
    const stream = { channelId: channel.id, streamId: 's', replyToId, delta: 'streamed', done: true };
    const answers = [
      (await send(sayOf('over REST'))).body,
      (await send(sayOf('over REST'))).body,
      (await send('{')).body,
      (await mouth.emit('message:send', sayOf('by a socket'))).message,
      (await mouth.emit('message:stream', stream)).message,
      (await mouth.emit('message:stream', stream)).message,
    ];
    for (const { replyTo } of answers) {
      expect(replyTo).to.deep.equal({ id: replyToId, authorId: bob.id, content: '', deleted: false });
    }
    // The others see it all.
    await ear.next('message:new', (message) => message.content === 'streamed');
    const heard = ear.all('message:new').filter((message) => message.replyToId === replyToId);
    expect(heard.map(({ replyTo }) => replyTo.content)).to.deep.equal(heard.map(() => 'not for bots'));
    expect(heard).to.have.lengthOf(3);
  });

  it('let a bot that is not to listen change what it wrote itself, and see nothing of the others by that', async () => {
    const { bob, channel } = here;
    const made = await robot();
    await set(made, { mode: 'custom', listen: false });
    const { id: replyToId } = await bob.say(channel.id, 'not for bots');
    const [one, two] = [await made.say(channel.id, 'one', { replyToId }), await made.say(channel.id, 'two')];
    await bob.post(`/api/messages/${one.id}/reactions`, { emoji: '👍' });
    await bob.post(`/api/messages/${one.id}/thread`, { name: 'not for bots either' });
    const { status, body } = await made.patch(`/api/messages/${one.id}`, { content: 'changed' });
    expect([status, body.content, body.reactions, body.thread]).to.deep.equal([200, 'changed', [], null]);
    expect(body.replyTo.content).to.equal('');
    const mouth = await made.connect();
    const edited = await mouth.emit('message:edit', { messageId: two.id, content: 'changed too' });
    expect(edited.message).to.include({ content: 'changed too' });
    expect((await bob.get(`/api/messages/${one.id}`)).body.replyTo.content).to.equal('not for bots');
    expect((await made.delete(`/api/messages/${one.id}`)).status).to.equal(200);
    expect(await mouth.emit('message:delete', { messageId: two.id })).to.include({ ok: true });
    expect((await made.patch(`/api/messages/${replyToId}`, { content: 'mine' })).status).to.equal(403);
    expect((await made.delete(`/api/messages/${replyToId}`)).status).to.equal(403);
  });

  it('bar a bot that is not to listen from everything in the channel', async () => {
    const made = await robot();
    const { channel, alice, bob } = here;
    const ear = await made.listen(channel.id);
    const first = await bob.say(channel.id, 'heard');
    await ear.next('message:new');
    await set(made, { mode: 'custom', listen: false });
    const secret = await bob.say(channel.id, 'not heard');
    await bob.patch(`/api/messages/${first.id}`, { content: 'changed' });
    for (const path of [
      `/api/channels/${channel.id}/messages`,
      `/api/channels/${channel.id}/events?after=0`,
      `/api/channels/${channel.id}/pins`,
      `/api/channels/${channel.id}/threads`,
      `/api/messages/${secret.id}`,
      `/api/messages/${secret.id}/reactions`,
    ]) {
      const refused = await made.get(path);
      expect([path, refused.status, refused.body.code]).to.deep.equal([path, 403, 'FORBIDDEN']);
    }
    const { body: dm } = await bob.post('/api/dm/channels', { userId: made.id });
    await alice.put(`/api/agents/${made.agentId}/policies`, { channelId: dm.id, listen: false, mode: 'custom' });
    expect((await made.get(`/api/dm/channels/${dm.id}/messages`)).body.code).to.equal('FORBIDDEN');
    await set(made, { mode: 'replyAll' });
    await bob.say(channel.id, 'heard again');
    await ear.next('message:new', (message) => message.content === 'heard again');
    expect(heard(ear)).to.deep.equal(['heard', 'heard again']);
    expect(ear.all('message:updated')).to.deep.equal([]);
  });

  it('leave nothing of a barred channel in lists and searches', async () => {
    const made = await robot();
    const word = `word${made.agentId.slice(0, 8)}`;
    await here.bob.say(here.channel.id, `${word} in secret`);
    await set(made, { mode: 'custom', listen: false });
    expect((await made.get(`/api/search/messages?query=${word}`)).body).to.deep.equal([]);
    const channels = (await made.get(`/api/servers/${here.server.id}/channels`)).body;
    expect(JSON.stringify(channels)).to.not.contain(word);
    await set(made, { mode: 'replyAll' });
    expect((await made.get(`/api/search/messages?query=${word}`)).body).to.have.length(1);
  });

  it('let a mention-only bot hear its mentions, the answers to it and its threads, and nothing else', async () => {
    const made = await robot();
    const { channel, bob, alice } = here;
    await set(made, { mode: 'mentionOnly' });
    const ear = await made.listen(channel.id);
    const other = await bob.say(channel.id, 'nothing for bots');
    const called = await bob.say(channel.id, `you, @${made.username}!`);
    const own = await made.say(channel.id, 'here I am');
    await bob.say(channel.id, 'thanks', { replyToId: own.id });
    await bob.say(channel.id, 'hello @here and @everyone');
    const thread = (await bob.post(`/api/channels/${channel.id}/threads`, { name: 'Ours', parentMessageId: own.id }))
      .body;
    const foreign = (
      await bob.post(`/api/channels/${channel.id}/threads`, { name: 'Theirs', parentMessageId: other.id })
    ).body;
    await bob.post(`/api/threads/${foreign.id}/messages`, { content: 'among people' });
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'in our thread' });
    await made.post(`/api/threads/${foreign.id}/messages`, { content: 'joining in' });
    await bob.post(`/api/threads/${foreign.id}/messages`, { content: 'with the bot now' });
    await ear.next('message:new', (message) => message.content === 'with the bot now');
    expect(heard(ear)).to.deep.equal([
      `you, @${made.username}!`,
      'thanks',
      'in our thread',
      'joining in',
      'with the bot now',
    ]);
    // What becomes of those it heard belongs to them; what becomes of the others does not.
    await alice.post(`/api/messages/${other.id}/reactions`, { emoji: '👍' });
    await bob.patch(`/api/messages/${other.id}`, { content: 'still nothing' });
    await alice.put(`/api/channels/${channel.id}/pins/${other.id}`);
    await bob.delete(`/api/messages/${other.id}`);
    await alice.post(`/api/messages/${called.id}/reactions`, { emoji: '👍' });
    await alice.post(`/api/messages/${own.id}/reactions`, { emoji: '👋' });
    await bob.patch(`/api/messages/${called.id}`, { content: 'never mind' });
    // What is told after a deletion has no text any more.
    await ear.next('message:updated', ({ content }) => content === 'never mind');
    await bob.delete(`/api/messages/${called.id}`);
    await ear.next('message:deleted', (gone) => gone.id === called.id);
    const told = ear.received.filter(({ event, data }) => event.startsWith('message:') && data.id === other.id);
    expect(told).to.deep.equal([]);
    expect(ear.all('reaction:updated').map((reaction) => reaction.messageId)).to.deep.equal([called.id, own.id]);
    expect(ear.all('message:updated').map((message) => message.content)).to.deep.equal(['never mind']);
  });

  it('let a mention-only bot hear what became of a message that an edit made one of its own for a while', async () => {
    const made = await robot();
    const { channel, bob } = here;
    await set(made, { mode: 'mentionOnly' });
    const ear = await made.listen(channel.id);
    const { id } = await bob.say(channel.id, 'nothing for bots');
    const edits = ['wait, @', 'no: never mind @', 'forget it'].map((text) => text.replace('@', `@${made.username}`));
    for (const content of edits) await bob.patch(`/api/messages/${id}`, { content });
    // What is told after a deletion has no text any more.
    await ear.next('message:updated', ({ content }) => content === 'forget it');
    await bob.delete(`/api/messages/${id}`);
    await ear.next('message:deleted', (gone) => gone.id === id);
    expect(ear.all('message:updated').map((message) => message.content)).to.deep.equal(edits);
  });

  it('let a mention-only bot hear on any node that a message does not mention it any more', async () => {
    const made = await robot();
    const { channel, bob, cluster } = here;
    await set(made, { mode: 'mentionOnly' });
    const mentioned = await bob.say(channel.id, `@${made.username}, are you there?`);
    const late = await bob.say(channel.id, 'are you there?');
    await bob.patch(`/api/messages/${late.id}`, { content: `@${made.username}, are you?` });
    const after = (await bob.get(`/api/channels/${channel.id}/events`)).body.seq;
    for (const { id } of [mentioned, late]) await bob.patch(`/api/messages/${id}`, { content: 'never mind' });
    for (const { id } of [mentioned, late]) await bob.delete(`/api/messages/${id}`);
    for (const node of cluster.nodes) {
      const { body } = await made.on(node).get(`/api/channels/${channel.id}/events?after=${after}`);
      const told = body.events.map((event: Loose) => event.data.id);
      expect(told).to.deep.equal([mentioned.id, late.id, mentioned.id, late.id]);
    }
  });

  it('let a mention-only bot hear the same of a channel later as it did at once', async () => {
    const made = await robot();
    const { channel, bob, cluster } = here;
    await set(made, { mode: 'mentionOnly' });
    const ear = await made.listen(channel.id);
    const after = (await bob.get(`/api/channels/${channel.id}/events`)).body.seq;
    const { id } = await bob.say(channel.id, 'nothing for bots');
    const thread = (await bob.post(`/api/messages/${id}/thread`, {})).body;
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'nor is this' });
    await bob.post(`/api/messages/${id}/reactions`, { emoji: '👍' });
    // From here on both are its own.
    await bob.patch(`/api/messages/${id}`, { content: `wait, @${made.username}` });
    await made.post(`/api/threads/${thread.id}/messages`, { content: 'here I am' });
    const last = (await bob.post(`/api/threads/${thread.id}/messages`, { content: 'welcome' })).body;
    await ear.next('message:new', (message) => message.id === last.id);
    const heard = ear.received.flatMap(({ data }) => (data?.channelId === channel.id && data.eventSeq) || []);
    expect(heard).to.have.length(3);
    for (const node of cluster.nodes) {
      const { body } = await made.on(node).get(`/api/channels/${channel.id}/events?after=${after}`);
      expect(body.events.map((event: Loose) => event.seq)).to.deep.equal(heard);
    }
  });

  it('hold on every way back: long poll, a join from a position, auth.resume and recovery', async () => {
    const made = await robot();
    const { channel, bob } = here;
    await set(made, { mode: 'mentionOnly' });
    const { seq } = await bob.say(channel.id, 'before');
    const lost = await made.connect();
    const joined = await lost.emit('channel:join', { channelId: channel.id });
    expect(joined.ok).to.equal(true);
    const mine = await bob.say(channel.id, `@${made.username} first`);
    await lost.next('message:new');
    // The connection breaks under the client, which comes back by Socket.IO's own means.
    lost.socket.io.engine.close();
    await bob.say(channel.id, 'among people');
    const second = await bob.say(channel.id, `@${made.username} second`);
    await lost.next('message:new', (message) => message.id === second.id);
    expect(lost.socket.recovered).to.equal(true);
    expect(lost.all('message:new').map((message) => message.id)).to.deep.equal([mine.id, second.id]);

    const page = (await made.get(`/api/channels/${channel.id}/events?after=${seq}`)).body;
    expect(page.events.map((event: Loose) => event.data.id)).to.deep.equal([mine.id, second.id]);
    expect(page).to.include({ seq: second.seq, recovered: true, hasMore: false });

    const joiner = await made.connect();
    const ack = await joiner.emit('channel:join', { channelId: channel.id, after: seq });
    expect(ack.events.map((event: Loose) => event.data.id)).to.deep.equal([mine.id, second.id]);
    expect(ack).to.include({ seq: second.seq, recovered: true });

    const resumer = made.dial({ auth: { resume: { [channel.id]: seq } } });
    const resumed = await resumer.next('resumed');
    expect(resumed.channels[channel.id]).to.include({ seq: second.seq, recovered: true });
    expect(resumer.all('message:new').map((message) => message.id)).to.deep.equal([mine.id, second.id]);

    const waiting = made.get(`/api/channels/${channel.id}/events?after=${second.seq}&wait=10`);
    await bob.say(channel.id, 'still among people');
    const third = await bob.say(channel.id, `and @${made.username} third`);
    const waited = (await waiting).body;
    expect(waited.events.map((event: Loose) => event.data.id)).to.deep.equal([third.id]);
    for (const ear of [lost, joiner, resumer]) await ear.next('message:new', (message) => message.id === third.id);
    for (const ear of [lost, joiner, resumer]) expect(JSON.stringify(ear.received)).to.not.contain('among people');
  });

  it('keep what is in no log from those who may not hear all', async () => {
    const made = await robot();
    const ear = await made.listen(here.channel.id);
    const mouth = await here.bob.listen(here.channel.id);
    await mouth.emit('message:typing', { channelId: here.channel.id, typing: true });
    await ear.next('message:typing');
    await set(made, { mode: 'mentionOnly' });
    const before = ear.all('message:typing').length;
    await mouth.emit('message:typing', { channelId: here.channel.id, typing: true });
    const called = await here.bob.say(here.channel.id, `@${made.username}`);
    await ear.next('message:new', (message) => message.id === called.id);
    expect(ear.all('message:typing')).to.have.length(before);
  });

  it('deliver a burst in order, once, while the policy changes under way', async () => {
    const made = await robot();
    const ear = await made.listen(here.channel.id);
    const sent: string[] = [];
    for (let i = 0; i < 60; i++) {
      const mention = i % 3 === 0 ? ` @${made.username}` : '';
      sent.push((await here.bob.say(here.channel.id, `${i}${mention}`)).content);
      if (i === 20) await set(made, { mode: 'mentionOnly' });
      if (i === 40) await set(made, { mode: 'replyAll' });
    }
    await ear.next('message:new', (message) => message.content === sent.at(-1));
    const expected = sent.filter((content, i) => i <= 20 || i > 40 || content.includes('@'));
    // Before a change of policy the answer may be quicker than the delivery, and then the stricter one holds.
    const got = heard(ear);
    expect(expected).to.include.members(got);
    expect(got.filter((content) => Number.parseInt(content, 10) > 40)).to.deep.equal(expected.slice(-19));
    expect(got).to.deep.equal(sent.filter((content) => got.includes(content)));
  });

  it('let a bot that is only in threads hear that their channel is gone, once', async () => {
    const { alice, server } = here;
    const made = await robot();
    const { body: channel } = await alice.post(`/api/servers/${server.id}/channels`, { name: 'to be deleted' });
    await alice.post(`/api/channels/${channel.id}/members`, { userId: made.id });
    const threads: string[] = [];
    for (const content of ['one', 'two']) {
      const { id: parentMessageId } = await alice.say(channel.id, content);
      const thread = await alice.post(`/api/channels/${channel.id}/threads`, { name: content, parentMessageId });
      threads.push(thread.body.id);
    }
    const [inThreads, inBoth] = [await made.connect(), await made.listen(channel.id)];
    for (const ear of [inThreads, inBoth]) {
      for (const threadId of threads) expect(await ear.emit('thread:join', { threadId })).to.include({ ok: true });
    }
    if (process.env.PROBE) await new Promise((resolve) => setTimeout(resolve, Number(process.env.PROBE)));
    expect((await alice.delete(`/api/channels/${channel.id}`)).status).to.equal(200);
    const ends = (ear: Listener) => ear.all('channel:deleted').filter(({ id }) => id === channel.id);
    for (const ear of [inThreads, inBoth]) await ear.next('channel:deleted', ({ id }) => id === channel.id);
    await alice.say(here.channel.id, 'later');
    expect([inThreads, inBoth].map((ear) => ends(ear).length)).to.deep.equal([1, 1]);
  });

  it('let bots hear that their channel is gone, also where their policies have to be looked up for that', async () => {
    const { alice, server } = here;
    const make = async () => {
      const made = await robot();
      const { body: channel } = await alice.post(`/api/servers/${server.id}/channels`, { name: 'to be deleted' });
      await alice.post(`/api/channels/${channel.id}/members`, { userId: made.id });
      return { channel, ear: await made.listen(channel.id) };
    };
    const places = await Promise.all(Array.from({ length: 6 }, make));
    // Nodes trust what they know of policies for 5 s at most.
    await new Promise((resolve) => setTimeout(resolve, 5100));
    for (const { channel, ear } of places) {
      expect((await alice.delete(`/api/channels/${channel.id}`)).status).to.equal(200);
      await ear.next('channel:deleted', ({ id }) => id === channel.id);
    }
  });

  it('take a bot out of the flow when it is taken out of the channel', async () => {
    const made = await robot();
    const ear = await made.listen(here.channel.id);
    const gone = await here.alice.delete(`/api/channels/${here.channel.id}/members/${made.id}`);
    expect(gone.status).to.equal(200);
    await here.bob.say(here.channel.id, 'without the bot');
    await ear.next('channel:member-removed');
    const own = await made.get('/api/events?after=0');
    expect(own.status).to.equal(200);
    expect((await made.get(`/api/channels/${here.channel.id}/messages`)).status).to.equal(404);
    expect(JSON.stringify(ear.received)).to.not.contain('without the bot');
  });
});
