// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { overtaken, query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const question = 'Where to?';
const options = ['Lake', 'Hills', 'Home'];

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe('polls', () => {
  let here: World;
  let others: Person[] = [];
  const ask = (who: Person, poll: object = {}, more: object = {}) =>
    who.say(here.channel.id, '', { poll: { question, options, ...poll }, ...more });
  const path = ({ id }: Loose) => `/api/messages/${id}/poll`;
  const vote = (who: Person, message: Loose, ...optionIds: number[]) => who.put(`${path(message)}/vote`, { optionIds });
  const countsOf = ({ options }: Loose) => options.map(({ count }: Loose) => count);

  async function members(count: number): Promise<Person[]> {
    const made = await Promise.all(Array.from({ length: count }, () => register(here.bob.node)));
    for (const one of made) await one.post(`/api/servers/_/join`, { inviteCode: here.server.inviteCode });
    others.push(...made);
    return made;
  }

  beforeEach(async () => {
    here = await world();
    others = [];
  });
  afterEach(() => {
    for (const other of others) other.hangUp();
    here.close();
  });

  it('are sent with a message, with text or without, in channels, threads and DMs', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const sent = await ask(alice, { multiple: true });
    const poll = {
      question,
      options: options.map((text, at) => ({ id: at + 1, text, count: 0 })),
      ...{ multiple: true, anonymous: false, voterCount: 0, closesAt: null, closedAt: null },
    };
    expect(sent.poll).to.deep.equal(poll);
    expect((await ear.next('message:new', ({ id }) => id === sent.id)).poll).to.deep.equal(poll);
    const { body: thread } = await bob.post(`/api/messages/${sent.id}/thread`);
    const inThread = await ask(bob, {}, { threadId: thread.id, content: 'also' });
    expect([inThread.content, inThread.poll.multiple]).to.deep.equal(['also', false]);
    const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
    const direct = await alice.post(`/api/dm/channels/${dm.id}/messages`, { poll: { question, options } });
    expect((await vote(bob, direct.body, 2)).body.poll.voterCount).to.equal(1);
    expect((await vote(alice, inThread, 1)).body.optionIds).to.deep.equal([1]);
    const [page] = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(page.poll).to.deep.equal(poll);
    const again = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(again[0].poll).to.deep.equal(poll);
  });

  it('have 2 to 10 different options, and close in the future if at all', async () => {
    const { alice, channel } = here;
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const bad = [
      { options: ['one'] },
      { options: Array.from({ length: 11 }, (_, i) => `o${i}`) },
      { options: ['same', 'same '] },
      { options: ['x'.repeat(101), 'y'] },
      { question: ' ' },
      { question: 'x'.repeat(301) },
      { closesAt: at(-1) },
      { closesAt: at(400) },
    ];
    for (const poll of bad) {
      const body = { content: 'see', poll: { question, options, ...poll } };
      const { status } = await alice.post(`/api/channels/${channel.id}/messages`, body);
      expect(status, JSON.stringify(poll)).to.equal(400);
    }
    expect((await ask(alice, { closesAt: at(1) })).poll.closesAt).to.be.a('string');
  });

  it('count each vote once, however often and on whichever nodes it is changed at once', async () => {
    const { alice, bob, channel } = here;
    const sent = await ask(alice, { multiple: true });
    const people = [alice, bob, ...(await members(6))];
    const tries = people.flatMap((who, at) => [
      vote(who, sent, 1 + (at % 3)),
      vote(who, sent, 1, 2),
      vote(who, sent),
      vote(who, sent, 3),
      vote(who, sent, 2),
    ]);
    for (const { status } of await Promise.all(tries)) expect(status).to.equal(200);
    const last = await Promise.all(people.map((who, at) => (at === 0 ? vote(who, sent) : vote(who, sent, 2, 1))));
    for (const { status } of last) expect(status).to.equal(200);
    const { poll } = (await bob.get(path(sent))).body;
    expect([countsOf(poll), poll.voterCount]).to.deep.equal([[7, 7, 0], 7]);
    const [shown] = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(countsOf(shown.poll)).to.deep.equal([7, 7, 0]);
    const listed = (await alice.get(`${path(sent)}/options/2/voters?limit=100`)).body.map(({ id }: Loose) => id);
    expect(listed).to.have.members(people.slice(1).map(({ id }) => id));
    const { body: own } = await bob.get(`/api/channels/${channel.id}/poll-votes?messageIds=${sent.id}`);
    expect(own).to.deep.equal([{ messageId: sent.id, optionIds: [1, 2] }]);
    expect((await alice.get(`/api/channels/${channel.id}/poll-votes?messageIds=${sent.id}`)).body).to.deep.equal([]);
  });

  it('tell of votes in the channel, many as one, ending with the right count; and oneself on each device', async () => {
    const { alice, bob, channel, cluster } = here;
    const sent = await ask(alice);
    const people = [bob, ...(await members(8))];
    const [ear, device] = [await alice.listen(channel.id), await bob.connect()];
    for (let round = 0; round < 3; round++) {
      await Promise.all(people.map((who, at) => vote(who, sent, 1 + ((at + round) % 3))));
    }
    // The last of them are told a moment later, and some before may come to the same count.
    const untold = `SELECT FROM jobs WHERE kind = 'poll-counts' AND data ->> 'messageId' = $1`;
    await until(async () => (await query(cluster.databaseUrl, untold, [sent.id])).length === 0);
    const mark = await alice.say(channel.id, 'all told');
    await ear.next('message:new', ({ id }) => id === mark.id);
    const told = await ear.next('poll:updated', ({ options }) => countsOf({ options }).join() === '3,3,3');
    expect(told).to.include({
      messageId: sent.id,
      channelId: channel.id,
      seq: sent.seq,
      voterCount: 9,
      closedAt: null,
    });
    expect(JSON.stringify(ear.all('poll:updated'))).to.not.contain(bob.id);
    expect(ear.all('poll:updated').length).to.be.below(27);
    expect((await device.next('poll:voted', ({ optionIds }) => optionIds[0] === 3)).messageId).to.equal(sent.id);
    expect(ear.all('poll:voted')).to.deep.equal([]);
    const before = ear.all('poll:updated').length;
    expect((await vote(bob, sent, 3)).body.poll.voterCount).to.equal(9);
    const mouth = await bob.connect();
    const ack = await mouth.emit('poll:vote', { messageId: sent.id, optionIds: [1] });
    expect([ack.ok, ack.optionIds]).to.deep.equal([true, [1]]);
    await ear.next('poll:updated', ({ options }) => countsOf({ options }).join() === '4,3,2');
    expect(ear.all('poll:updated').length).to.equal(before + 1);
  });

  it('take one option unless they are for several, and only those they have', async () => {
    const { alice, bob } = here;
    const sent = await ask(alice);
    expect(codeOf(await vote(bob, sent, 1, 2))).to.deep.equal([400, 'VALIDATION_FAILED']);
    for (const id of [0, 4, 11]) expect((await vote(bob, sent, id)).status).to.equal(400);
    expect((await bob.put(`${path(sent)}/vote`, { optionIds: [1, 1] })).status).to.equal(400);
    const plain = await alice.say(here.channel.id, 'no poll');
    expect(codeOf(await vote(bob, plain, 1))).to.deep.equal([404, 'POLL_NOT_FOUND']);
    expect(codeOf(await alice.get(`${path(sent)}/options/4/voters`))).to.deep.equal([404, 'POLL_NOT_FOUND']);
    expect(codeOf(await here.carol.get(path(sent)))[0]).to.equal(404);
    expect((await vote(here.carol, sent, 1)).status).to.equal(404);
  });

  it('that are anonymous show nobody who voted', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const sent = await ask(bob, { anonymous: true });
    await vote(bob, sent, 2);
    await ear.next('poll:updated');
    expect(codeOf(await alice.get(`${path(sent)}/options/2/voters`))).to.deep.equal([403, 'POLL_ANONYMOUS']);
    await alice.post('/api/reports', { kind: 'message', messageId: sent.id, category: 'spam' });
    const seen = [
      (await alice.get(path(sent))).body,
      (await alice.get(`/api/servers/${here.server.id}/audit`)).body,
      (await alice.get(`/api/channels/${channel.id}/poll-votes?messageIds=${sent.id}`)).body,
      ear.all('poll:updated'),
      (await alice.get(`/api/channels/${channel.id}/events?after=${sent.seq}`)).body,
    ];
    expect(JSON.stringify(seen.map((one) => JSON.stringify(one)))).to.not.contain(bob.id);
    const [report] = (await alice.get(`/api/servers/${here.server.id}/reports`)).body;
    const { body: full } = await alice.get(`/api/reports/${report.id}`);
    expect(full.snapshot.messages[0].content).to.equal([question, ...options.map((text) => `- ${text}`)].join('\n'));
  });

  it('are closed by author and moderators, for good, and audited where it is someone else’s', async () => {
    const { alice, bob, channel, server } = here;
    const ear = await bob.listen(channel.id);
    const [own, theirs] = [await ask(alice), await ask(bob)];
    await vote(bob, own, 1);
    expect(codeOf(await bob.post(`${path(own)}/close`))).to.deep.equal([403, 'FORBIDDEN']);
    const closed = await alice.post(`${path(own)}/close`);
    expect(closed.body.poll.closedAt).to.be.a('string');
    const told = await ear.next('poll:updated', ({ messageId, closedAt }) => messageId === own.id && closedAt !== null);
    expect(countsOf(told)).to.deep.equal([1, 0, 0]);
    expect(codeOf(await vote(bob, own, 2))).to.deep.equal([409, 'POLL_CLOSED']);
    expect(codeOf(await bob.delete(`${path(own)}/vote`))).to.deep.equal([409, 'POLL_CLOSED']);
    expect((await vote(bob, own, 1)).status).to.equal(200);
    expect((await alice.post(`${path(own)}/close`)).body).to.deep.equal({ ...closed.body, optionIds: [] });
    expect((await alice.post(`${path(theirs)}/close`)).status).to.equal(200);
    const { body: entries } = await alice.get(`/api/servers/${server.id}/audit?action=poll.close`);
    expect(entries.map(({ target }: Loose) => target.id)).to.deep.equal([theirs.id]);
  });

  it('close by themselves at their time', async () => {
    const { alice, bob, channel, cluster } = here;
    const ear = await bob.listen(channel.id);
    const sent = await ask(alice, { closesAt: new Date(Date.now() + 60_000).toISOString() });
    await vote(bob, sent, 1);
    // Its time comes.
    await query(cluster.databaseUrl, `UPDATE polls SET closes_at = now() WHERE message_id = $1`, [sent.id]);
    expect(codeOf(await vote(bob, sent, 2))).to.deep.equal([409, 'POLL_CLOSED']);
    await query(cluster.databaseUrl, `UPDATE jobs SET due_at = now() WHERE kind = 'poll-closing' AND key = $1`, [
      sent.id,
    ]);
    const told = await ear.next('poll:updated', ({ closedAt }) => closedAt !== null);
    expect(countsOf(told)).to.deep.equal([1, 0, 0]);
  });

  it('follow the rules of their place: archived, timed out, denied, slowed, and bots by their policy', async () => {
    const { alice, bob, channel, server } = here;
    const robot = await botIn(server, alice);
    const sent = await ask(robot);
    expect((await vote(robot, sent, 1)).status).to.equal(200);
    const policy = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    await alice.put(policy, { mode: 'disabled', buddyUserId: robot.id });
    expect((await vote(robot, sent, 2)).status).to.equal(403);
    await alice.put(`/api/channels/${channel.id}/overrides/roles/member`, { allow: [], deny: ['react'] });
    expect(codeOf(await vote(bob, sent, 1))).to.deep.equal([403, 'ROLE_REQUIRED']);
    await alice.delete(`/api/channels/${channel.id}/overrides/roles/member`);
    expect((await vote(bob, sent, 1)).status).to.equal(200);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await alice.put(`/api/servers/${server.id}/members/${bob.id}/timeout`, { until });
    expect(codeOf(await vote(bob, sent, 2))).to.deep.equal([403, 'TIMED_OUT']);
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}/timeout`);
    await alice.patch(`/api/channels/${channel.id}`, { slowModeSeconds: 600 });
    await ask(bob);
    const body = { poll: { question, options } };
    expect(codeOf(await bob.post(`/api/channels/${channel.id}/messages`, body))).to.deep.equal([429, 'SLOW_MODE']);
    expect((await vote(bob, sent, 2)).status).to.equal(200);
    await alice.post(`/api/channels/${channel.id}/archive`);
    expect(codeOf(await vote(bob, sent, 3))[1]).to.equal('CHANNEL_ARCHIVED');
  });

  it('are held with their message by filters, which read their texts, and published with it', async () => {
    const { alice, bob, channel, server } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['casino'] });
    for (const poll of [{ question: 'A casino?' }, { options: ['home', 'casino'] }]) {
      const body = { poll: { question, options, ...poll } };
      const { status, body: held } = await bob.post(`/api/channels/${channel.id}/messages`, body);
      expect([status, held.held.poll.question]).to.deep.equal([202, { question, ...poll }.question]);
      const { message } = (await alice.post(`/api/held/${held.heldId}/approve`)).body;
      expect(message.poll).to.include({ question: { question, ...poll }.question, voterCount: 0 });
    }
  });

  it('go with their message: nothing of them is left, not in the log either', async () => {
    const { alice, bob, channel, cluster } = here;
    const sent = await ask(alice, { question: 'Unforgettable?' });
    await vote(bob, sent, 1);
    await until(
      async () => (await alice.get(`/api/channels/${channel.id}/events?after=${sent.seq}`)).body.events.length > 0,
    );
    await alice.delete(`/api/messages/${sent.id}`);
    expect((await alice.get(path(sent))).status).to.equal(404);
    const [left] = await query<{ polls: number; votes: number; told: number }>(
      cluster.databaseUrl,
      `SELECT (SELECT count(*)::int FROM polls WHERE message_id = $1) AS polls,
        (SELECT count(*)::int FROM poll_votes WHERE message_id = $1) AS votes,
        (SELECT count(*)::int FROM log_entries WHERE data::text LIKE '%Unforgettable%') AS told`,
      [sent.id],
    );
    expect(left).to.deep.equal({ polls: 0, votes: 0, told: 0 });
  });

  it('are found by their texts, quoted by their question, and stay as they are when the message is edited', async () => {
    const { alice, bob, channel, server } = here;
    const sent = await ask(alice, { question: 'Which zebra?' });
    const reply = await bob.say(channel.id, 'none', { replyToId: sent.id });
    expect(reply.replyTo.content).to.equal('Which zebra?');
    const found = async () => (await bob.get(`/api/search/messages?query=zebra&serverId=${server.id}`)).body;
    expect((await found()).map(({ id }: Loose) => id)).to.deep.equal([sent.id]);
    await vote(bob, sent, 2);
    const edited = (await alice.patch(`/api/messages/${sent.id}`, { content: 'more' })).body;
    expect([edited.poll.question, countsOf(edited.poll)]).to.deep.equal(['Which zebra?', [0, 1, 0]]);
    expect((await alice.patch(`/api/messages/${sent.id}`, { content: '' })).status).to.equal(200);
  });

  it('count no vote that was still waiting for others when they closed', async () => {
    const { alice, bob, cluster } = here;
    const sent = await ask(alice, { closesAt: new Date(Date.now() + 3_600_000).toISOString() });
    const race = {
      id: sent.id,
      lock: 'SELECT FROM polls WHERE message_id = $1 FOR UPDATE',
      change: 'UPDATE polls SET closes_at = clock_timestamp() WHERE message_id = $1',
    };
    const late = await overtaken(cluster.databaseUrl, race, () => vote(bob, sent, 1));
    expect(codeOf(late)).to.deep.equal([409, 'POLL_CLOSED']);
    expect((await bob.get(path(sent))).body.poll.voterCount).to.equal(0);
  });
});
