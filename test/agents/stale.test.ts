import { expect } from 'chai';
import { maxLookedThrough } from '../../src/contract/agent-feed.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const fill = `WITH head AS (UPDATE streams SET last_seq = last_seq + $3 WHERE id = $1 RETURNING last_seq)
  INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
  SELECT gen_random_uuid(), $1, last_seq - $3 + i, $2, 'one of many ' || i, now(), now()
  FROM head, generate_series(1, $3::int) AS i`;

/** On several nodes the bots talk to another node than their owner. */
describe('an answer that must not be stale', () => {
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
  const refusal = ({ status, body }: Answer) => [status, body.code, body.head];
  const send = (who: Bot, body: object) => who.post(`/api/channels/${here.channel.id}/messages`, body);

  it('is refused with the new head once anyone has written since, over REST and sockets', async () => {
    const { alice, bob, channel } = here;
    const made = await robot();
    const { seq } = await bob.say(channel.id, 'a question');
    const newer = await alice.say(channel.id, 'never mind');
    const late = await send(made, { content: 'late', ifHead: seq });
    expect(refusal(late)).to.deep.equal([409, 'HEAD_MOVED', newer.seq]);
    const ear = await made.listen(channel.id);
    const ack = await ear.emit('message:send', { channelId: channel.id, content: 'late', ifHead: seq });
    expect([ack.ok, ack.code, ack.head]).to.deep.equal([false, 'HEAD_MOVED', newer.seq]);
    const good = await send(made, { content: 'in time', ifHead: late.body.head });
    expect(good.status).to.equal(201);
    // Its own message counts as well.
    expect((await send(made, { content: 'twice', ifHead: late.body.head })).body.code).to.equal('HEAD_MOVED');
    const { messages } = (await alice.get(`/api/channels/${channel.id}/messages?limit=1`)).body;
    expect(messages[0].content).to.equal('in time');
  });

  it('is not refused for what is no message of its conversation', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel('quiet');
    const made = await robot();
    await alice.post(`/api/channels/${channelId}/members`, { userId: made.id });
    await alice.post(`/api/channels/${channelId}/members`, { userId: bob.id });
    const asked = await alice.say(channelId, 'a question');
    await alice.post(`/api/messages/${asked.id}/reactions`, { emoji: '👍' });
    await alice.patch(`/api/messages/${asked.id}`, { content: 'the question' });
    const thread = (await alice.post(`/api/messages/${asked.id}/thread`, { name: 'aside' })).body;
    await alice.say(channelId, 'aside', { threadId: thread.id });
    const gone = await alice.say(channelId, 'a slip');
    await alice.delete(`/api/messages/${gone.id}`);
    const answer = await made.say(channelId, 'an answer', { ifHead: asked.seq });
    expect(answer.seq).to.be.greaterThan(gone.seq);
  });

  it('is refused in a thread when somebody wrote in that', async () => {
    const { alice, bob, channel } = here;
    const made = await robot();
    const asked = await bob.say(channel.id, 'it starts here');
    const thread = (await bob.post(`/api/messages/${asked.id}/thread`, { name: 'here' })).body;
    const path = `/api/threads/${thread.id}/messages`;
    const first = (await bob.post(path, { content: 'one' })).body;
    await alice.say(channel.id, 'elsewhere');
    expect((await made.post(path, { content: 'answered', ifHead: first.seq })).status).to.equal(201);
    const late = await made.post(path, { content: 'late', ifHead: first.seq });
    expect(late.body.code).to.equal('HEAD_MOVED');
    const inChannel = { content: 'late', threadId: thread.id, ifHead: first.seq };
    expect((await send(made, inChannel)).body.code).to.equal('HEAD_MOVED');
    expect((await made.post(path, { content: 'now', ifHead: late.body.head })).status).to.equal(201);
  });

  it('is accepted once of many that come at the same moment', async () => {
    const { bob, channel } = here;
    const { seq } = await bob.say(channel.id, 'who answers?');
    const many = await Promise.all([robot(), robot(), robot(), robot()]);
    const answers = await Promise.all(
      many.flatMap((made) => [1, 2].map((time) => send(made, { content: `me ${time}`, ifHead: seq }))),
    );
    const codes = answers.map(({ status, body }) => (status === 201 ? 'sent' : body.code)).sort();
    expect(codes).to.deep.equal([...Array(answers.length - 1).fill('HEAD_MOVED'), 'sent']);
  });

  it('is refused without waiting for those who write there', async () => {
    const { alice, bob, channel, cluster } = here;
    const made = await robot();
    const asked = await bob.say(channel.id, 'a question');
    const thread = (await bob.post(`/api/messages/${asked.id}/thread`, { name: 'aside' })).body;
    const inThread = await bob.say(channel.id, 'another one', { threadId: thread.id });
    await alice.say(channel.id, 'never mind', { threadId: thread.id });
    const { seq } = await alice.say(channel.id, 'never mind');
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channel.id]);
      const late = await send(made, { content: 'late', ifHead: asked.seq });
      const lateThere = await send(made, { content: 'late', threadId: thread.id, ifHead: inThread.seq });
      expect([late, lateThere].map(refusal)).to.deep.equal(Array(2).fill([409, 'HEAD_MOVED', seq]));
      const ahead = await send(made, { content: 'too early', answersTo: seq + 1 });
      expect([ahead.status, ahead.body.issues?.[0]?.path]).to.deep.equal([400, 'answersTo']);
      await rows('COMMIT');
    });
  });

  it('is answered by the first one when it is repeated', async () => {
    const { bob, channel } = here;
    const made = await robot();
    const { seq } = await bob.say(channel.id, 'a question');
    const body = { content: 'once', ifHead: seq, nonce: `n${seq}` };
    const first = await send(made, body);
    await bob.say(channel.id, 'thanks');
    const again = await send(made, body);
    expect([first.status, again.status, again.body.id]).to.deep.equal([201, 200, first.body.id]);
  });

  it('says what it was made from, if it is of a bot and that was there', async () => {
    const { bob, channel } = here;
    const made = await robot();
    const { seq } = await bob.say(channel.id, 'a question');
    const answer = await made.say(channel.id, 'an answer', { answersTo: seq });
    expect(answer.answersTo).to.equal(seq);
    expect((await bob.get(`/api/messages/${answer.id}`)).body.answersTo).to.equal(seq);
    const { messages } = (await bob.get(`/api/channels/${channel.id}/messages?limit=2`)).body;
    expect(messages.map((message: Loose) => message.answersTo)).to.deep.equal([seq, undefined]);
    const ahead = await send(made, { content: 'too early', answersTo: answer.seq + 1000 });
    expect([ahead.status, ahead.body.issues?.[0]?.path]).to.deep.equal([400, 'answersTo']);
    const person = await bob.post(`/api/channels/${channel.id}/messages`, { content: 'I too', answersTo: seq });
    expect([person.status, person.body.code]).to.deep.equal([403, 'FORBIDDEN']);
  });
});

describe('what an answer was made from', () => {
  let here: World;
  const bots: Bot[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const robot of bots) robot.hangUp();
    here.close();
  });

  async function robot(policy: object): Promise<Bot> {
    const made = (await botIn(here.server, here.alice)).on(here.bob.node);
    bots.push(made);
    await setPolicy(made, policy);
    return made;
  }
  const setPolicy = (made: Bot, policy: object) =>
    here.alice.put(`/api/channels/${here.channel.id}/agents/${made.agentId}/policy`, policy);
  const contextOf = async (made: Bot, messageId: string, query = '') =>
    (await here.alice.get(`/api/agents/${made.agentId}/answers/${messageId}/context${query}`)).body;
  const texts = ({ messages }: Loose): string[] => messages.map(({ content }: Loose) => content);

  it('is what its policy let the bot read, up to the number that it answers', async () => {
    const { bob, channel } = here;
    const made = await robot({ mode: 'mentionOnly' });
    await bob.say(channel.id, 'none of its business');
    const asked = await bob.say(channel.id, `@${made.username} a question`);
    await bob.say(channel.id, `@${made.username} a later one`);
    const answer = await made.say(channel.id, 'an answer', { answersTo: asked.seq });
    const had = await contextOf(made, answer.id, '?limit=1');
    expect(texts(had)).to.deep.equal([`@${made.username} a question`]);
    expect(had).to.include({ answersTo: asked.seq, hearing: 'own', hasMore: false, channelId: channel.id });
    // What it may read by now was not there then.
    await setPolicy(made, { mode: 'replyAll' });
    expect(texts(await contextOf(made, answer.id))).to.deep.equal([`@${made.username} a question`]);
    const later = await made.say(channel.id, 'all of it', { answersTo: answer.seq });
    const all = await contextOf(made, later.id);
    expect(texts(all).slice(0, 4)).to.deep.equal([
      'an answer',
      `@${made.username} a later one`,
      `@${made.username} a question`,
      'none of its business',
    ]);
    const page = await contextOf(made, later.id, `?limit=2&before=${answer.seq}`);
    expect([...texts(page), page.hasMore]).to.deep.equal([...texts(all).slice(1, 3), true]);
  });

  it('is looked through in parts where the bot heard little', async () => {
    const { alice } = here;
    const made = await robot({ mode: 'mentionOnly' });
    const channelId = await here.newChannel('crowded');
    await alice.post(`/api/channels/${channelId}/members`, { userId: made.id });
    await alice.put(`/api/channels/${channelId}/agents/${made.agentId}/policy`, { mode: 'mentionOnly' });
    await alice.say(channelId, `@${made.username} a question`);
    await query(here.cluster.databaseUrl, fill, [channelId, alice.id, maxLookedThrough]);
    const { seq } = await alice.say(channelId, `@${made.username} again`);
    const answer = await made.say(channelId, 'an answer', { answersTo: seq });
    const had = await contextOf(made, answer.id);
    expect([...texts(had), had.hasMore]).to.deep.equal([`@${made.username} again`, true]);
    const rest = await contextOf(made, answer.id, `?before=${had.before}`);
    expect([...texts(rest), rest.hasMore, rest.before]).to.deep.equal([`@${made.username} a question`, false, null]);
  });

  it('marks what was changed since, and shows no text that the bot may no longer read', async () => {
    const { bob, channel } = here;
    const made = await robot({ mode: 'replyAll' });
    const edited = await bob.say(channel.id, 'as it was');
    const deleted = await bob.say(channel.id, 'not for long');
    const asked = await bob.say(channel.id, 'the question');
    const answer = await made.say(channel.id, 'an answer', { answersTo: asked.seq });
    await bob.patch(`/api/messages/${edited.id}`, { content: 'as it is' });
    await bob.delete(`/api/messages/${deleted.id}`);
    const seen = (had: Loose) =>
      had.messages.slice(0, 3).map(({ content, changedSince }: Loose) => [content, changedSince ?? false]);
    const had = await contextOf(made, answer.id);
    expect(seen(had)).to.deep.equal([
      ['the question', false],
      ['', true],
      ['as it is', true],
    ]);
    await setPolicy(made, { mode: 'mentionOnly' });
    expect(seen(await contextOf(made, answer.id))).to.deep.equal([
      ['the question', false],
      ['', true],
      ['', true],
    ]);
  });

  it('is for the owner alone, of messages of the bot that say so, while the bot is there', async () => {
    const { alice, bob, channel } = here;
    const made = await robot({ mode: 'replyAll' });
    const asked = await bob.say(channel.id, 'a question');
    const answer = await made.say(channel.id, 'an answer', { answersTo: asked.seq });
    const silent = await made.say(channel.id, 'hello');
    const path = (messageId: string) => `/api/agents/${made.agentId}/answers/${messageId}/context`;
    expect((await bob.get(path(answer.id))).body.code).to.equal('AGENT_NOT_FOUND');
    expect((await made.get(path(answer.id))).body.code).to.equal('FORBIDDEN');
    for (const { id } of [asked, silent]) {
      expect((await alice.get(path(id))).body.code).to.equal('MESSAGE_NOT_FOUND');
    }
    expect((await alice.get(path(answer.id))).status).to.equal(200);
    await alice.delete(`/api/channels/${channel.id}/members/${made.id}`);
    expect((await alice.get(path(answer.id))).body.code).to.equal('MESSAGE_NOT_FOUND');
  });
});
