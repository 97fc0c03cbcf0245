import { expect } from 'chai';
import { deleteUnsent } from '../../src/features/messages/attachment.table.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { startCluster, testSettings } from '../world/nodes.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const soon = (ms = 1500) => new Date(Date.now() + ms).toISOString();
const inDays = (days: number) => soon(days * 86_400_000);

/** On several nodes alice and bob are on different ones. */
describe('scheduled messages', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const schedule = (who: Person, content: string, sendAt: string, more: object = {}, channelId = here.channel.id) =>
    who.post(`/api/channels/${channelId}/scheduled-messages`, { content, sendAt, ...more });
  const list = async (who: Person, more = ''): Promise<Loose[]> =>
    (await who.get(`/api/scheduled-messages?${more}`)).body;
  const contents = async (who: Person, channelId = here.channel.id): Promise<string[]> =>
    (await who.get(`/api/channels/${channelId}/messages?include=threads&limit=100`)).body.messages
      .map(({ content }: Loose) => content)
      .reverse();
  /**
   * The time of some comes, in the database: on a busy machine a time that is set to be soon would come before all is
   * ready. @returns it
   */
  async function come(...ids: string[]): Promise<string> {
    const { databaseUrl } = here.cluster;
    const at = new Date().toISOString();
    await query(databaseUrl, 'UPDATE scheduled_messages SET send_at = $2 WHERE id = ANY($1)', [ids, at]);
    await query(databaseUrl, "UPDATE jobs SET due_at = now() WHERE kind = 'scheduled-messages'");
    return at;
  }
  const refusals = async (who: Person): Promise<Loose[]> =>
    (await who.get('/api/notifications')).body.filter(({ kind }: Loose) => kind === 'message.not_sent');
  const sent = (who: Person, content: string, channelId?: string) =>
    until(async () => (await contents(who, channelId)).includes(content), { message: `not sent: ${content}` });
  const failed = (who: Person, id: string): Promise<Loose> =>
    until(
      async () =>
        ((one: Loose) => one.status === 'failed' && one)((await who.get(`/api/scheduled-messages/${id}`)).body),
      { message: 'not refused' },
    );

  it('are sent once at their time, as any message, and then gone from the list', async () => {
    const { alice, bob, channel } = here;
    const [ear, device, stranger] = [await bob.listen(channel.id), await alice.connect(), await bob.connect()];
    const sendAt = inDays(1);
    const made = await schedule(alice, `for @${bob.username}`, sendAt, { metadata: { a: 1 } });
    expect(made.status).to.equal(201);
    expect(made.body).to.deep.include({ status: 'waiting', failure: null, sendAt, channelId: channel.id });
    expect(await device.next('scheduled:updated')).to.include({ id: made.body.id, status: 'waiting', sendAt });
    expect(await list(alice)).to.deep.equal([made.body]);
    expect(codeOf(await bob.get(`/api/scheduled-messages/${made.body.id}`))).to.deep.equal([
      404,
      'SCHEDULED_NOT_FOUND',
    ]);
    expect(await contents(bob)).to.deep.equal([]);
    // Not before: on a busy machine its time would come while this is looked at.
    const at = soon();
    await alice.patch(`/api/scheduled-messages/${made.body.id}`, { sendAt: at });
    const message = await ear.next('message:new');
    expect(message).to.deep.include({ content: `for @${bob.username}`, authorId: alice.id, metadata: { a: 1 } });
    expect(Date.parse(message.createdAt)).to.be.at.least(Date.parse(at));
    const gone = await device.next('scheduled:removed');
    expect(gone).to.include({ id: made.body.id, channelId: channel.id, reason: 'sent', messageId: message.id });
    expect(await list(alice)).to.deep.equal([]);
    await until(async () =>
      (await bob.get('/api/notifications')).body.some(({ kind }: Loose) => kind === 'message.mention'),
    );
    expect(stranger.received.filter(({ event }) => event.startsWith('scheduled:'))).to.deep.equal([]);
    expect(await contents(bob)).to.have.lengthOf(1);
  });

  it('of one author with one time go out in the order in which they were made, on whichever node', async () => {
    const { alice, bob, cluster } = here;
    const sendAt = inDays(1);
    const ids: string[] = [];
    const texts = Array.from({ length: 12 }, (_, i) => `number ${i}`);
    for (const [i, text] of texts.entries()) {
      const node = cluster.nodes[i % cluster.nodes.length] ?? alice.node;
      const { status, body } = await schedule(alice.on(node), text, sendAt);
      expect(status).to.equal(201);
      ids.push(body.id);
    }
    expect((await list(alice)).map(({ content }) => content)).to.deep.equal(texts);
    expect((await list(alice, 'limit=3&offset=2')).map(({ content }) => content)).to.deep.equal(texts.slice(2, 5));
    await come(...ids);
    await sent(bob, 'number 11');
    expect(await contents(bob)).to.deep.equal(texts);
  });

  it('can be changed, sent at once or cancelled until then, by their author alone', async () => {
    const { alice, bob } = here;
    const [first, second, third] = await Promise.all(
      ['first', 'second', 'third'].map(async (text) => (await schedule(alice, text, inDays(1))).body),
    );
    for (const answer of [
      await bob.patch(`/api/scheduled-messages/${first.id}`, { content: 'mine' }),
      await bob.delete(`/api/scheduled-messages/${first.id}`),
      await bob.post(`/api/scheduled-messages/${first.id}/send`),
    ]) {
      expect(codeOf(answer)).to.deep.equal([404, 'SCHEDULED_NOT_FOUND']);
    }
    const device = await alice.connect();
    expect((await alice.patch(`/api/scheduled-messages/${first.id}`, { content: 'edited' })).body).to.include({
      content: 'edited',
      sendAt: first.sendAt,
    });
    await alice.patch(`/api/scheduled-messages/${first.id}`, { sendAt: soon() });
    await alice.delete(`/api/scheduled-messages/${second.id}`);
    // The first one may have been sent by then.
    const cancelled = await device.next('scheduled:removed', ({ id }) => id === second.id);
    expect(cancelled).to.include({ reason: 'cancelled', messageId: null });
    await sent(bob, 'edited');
    await alice.post(`/api/scheduled-messages/${third.id}/send`);
    await sent(bob, 'third');
    expect(await contents(bob)).to.deep.equal(['edited', 'third']);
    for (const body of [{ content: '' }, { sendAt: soon(-1000) }, { sendAt: inDays(367) }]) {
      const one = (await schedule(alice, 'kept', inDays(1))).body;
      expect(codeOf(await alice.patch(`/api/scheduled-messages/${one.id}`, body))[0]).to.equal(400);
    }
  });

  it('cannot be changed or cancelled while they are sent, so that both never happen', async () => {
    const { alice, cluster } = here;
    const { id } = (await schedule(alice, 'on its way', inDays(1))).body;
    const mark = (status: string) =>
      query(cluster.databaseUrl, 'UPDATE scheduled_messages SET status = $2 WHERE id = $1', [id, status]);
    await mark('sending');
    for (const answer of [
      await alice.patch(`/api/scheduled-messages/${id}`, { content: 'other' }),
      await alice.delete(`/api/scheduled-messages/${id}`),
      await alice.post(`/api/scheduled-messages/${id}/send`),
    ]) {
      expect(codeOf(answer)).to.deep.equal([409, 'SCHEDULED_SENDING']);
    }
    // A node that takes over sends it; had the dead one sent it, however long ago, it would be found by its key.
    const sentBefore = await alice.say(here.channel.id, 'on its way');
    await query(
      cluster.databaseUrl,
      `UPDATE messages SET sent_key = 'scheduled ' || $2, created_at = now() - interval '3 days' WHERE id = $1`,
      [sentBefore.id, id],
    );
    const device = await alice.connect();
    await schedule(alice, 'behind it', soon());
    expect(await device.next('scheduled:removed')).to.include({ id, reason: 'sent', messageId: sentBefore.id });
    await sent(alice, 'behind it');
    expect(await contents(alice)).to.deep.equal(['on its way', 'behind it']);
  });

  it('are sent as they were then, or changed, or cancelled, whichever comes first', async () => {
    const { alice, bob, cluster } = here;
    const many = Array.from({ length: 24 }, (_, i) => i);
    const made: Loose[] = [];
    for (const i of many) made.push((await schedule(alice, `as planned ${i}`, inDays(1))).body);
    const ids = made.map(({ id }) => id);
    await query(cluster.databaseUrl, 'UPDATE scheduled_messages SET send_at = now() WHERE id = ANY($1)', [ids]);
    const from = (i: number) => alice.on(cluster.nodes[i % cluster.nodes.length] ?? alice.node);
    const wake = "UPDATE jobs SET due_at = now() WHERE kind = 'scheduled-messages'";
    const [answers] = await Promise.all([
      Promise.all(
        made.map(({ id }, i) =>
          i % 2 === 0
            ? from(i).delete(`/api/scheduled-messages/${id}`)
            : from(i).patch(`/api/scheduled-messages/${id}`, { content: `changed ${i}` }),
        ),
      ),
      query(cluster.databaseUrl, wake),
    ]);
    await until(async () => (await list(alice)).length === 0, { timeout: 30_000, message: 'some are left' });
    const said = await contents(bob);
    const expected = made.flatMap(({ content }, i) => {
      const { status } = answers[i] ?? {};
      // Refused: it was being sent, or is gone since it was.
      expect([200, 404, 409], JSON.stringify(answers[i]?.body)).to.include(status);
      if (status !== 200) return [content];
      return i % 2 === 0 ? [] : [`changed ${i}`];
    });
    expect(said).to.deep.equal(expected);
  });

  it('keep their files until they are sent or cancelled', async () => {
    const { alice, bob, channel, cluster } = here;
    const files = await Promise.all(['a', 'b', 'c'].map((name) => alice.upload(`${name}.txt`, Buffer.from(name))));
    const [a, b, c] = files.map(({ id }) => ({ id }));
    const one = (await schedule(alice, 'files', inDays(1), { attachments: [a, b] })).body;
    expect(one.attachments.map(({ filename }: Loose) => filename)).to.deep.equal(['a.txt', 'b.txt']);
    const stolen = await alice.post(`/api/channels/${channel.id}/messages`, { content: 'x', attachments: [a] });
    expect(codeOf(stolen)).to.deep.equal([400, 'ATTACHMENT_INVALID']);
    expect(codeOf(await schedule(alice, 'y', inDays(1), { attachments: [b] }))).to.deep.equal([
      400,
      'ATTACHMENT_INVALID',
    ]);
    const changed = (await alice.patch(`/api/scheduled-messages/${one.id}`, { attachments: [c, b] })).body;
    expect(changed.attachments.map(({ filename }: Loose) => filename)).to.deep.equal(['c.txt', 'b.txt']);
    await query(
      cluster.databaseUrl,
      "UPDATE attachments SET created_at = now() - interval '2 days' WHERE id = ANY($1)",
      [files.map(({ id }) => id)],
    );
    await withRows(cluster.databaseUrl, deleteUnsent);
    const statuses = await Promise.all(files.map(async ({ id }) => (await alice.get(`/api/media/${id}`)).status));
    expect(statuses).to.deep.equal([404, 200, 200]);
    await alice.patch(`/api/scheduled-messages/${one.id}`, { content: '', sendAt: soon() });
    const message: Loose = await until(
      async () => (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages[0],
    );
    expect(message.attachments.map(({ filename }: Loose) => filename)).to.deep.equal(['c.txt', 'b.txt']);
    const other = await alice.upload('d.txt', Buffer.from('d'));
    const cancelled = (await schedule(alice, 'z', inDays(1), { attachments: [{ id: other.id }] })).body;
    await alice.delete(`/api/scheduled-messages/${cancelled.id}`);
    await alice.say(channel.id, 'free again', { attachments: [{ id: other.id }] });
  });

  it('are refused at once where they could not be sent now', async () => {
    const { alice, bob, carol, channel, server, newChannel } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'refuse', patterns: ['rude'] });
    expect(codeOf(await schedule(bob, 'rude', inDays(1)))).to.deep.equal([400, 'MESSAGE_REFUSED']);
    expect(codeOf(await schedule(carol, 'x', inDays(1)))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    expect(codeOf(await schedule(bob, 'x', soon(-1000)))).to.deep.equal([400, 'VALIDATION_FAILED']);
    expect(codeOf(await schedule(bob, 'x', inDays(367)))).to.deep.equal([400, 'VALIDATION_FAILED']);
    expect(codeOf(await schedule(bob, ' ', inDays(1)))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const root = await alice.say(await newChannel('far'), 'elsewhere');
    expect(codeOf(await schedule(bob, 'x', inDays(1), { replyToId: root.id }))).to.deep.equal([
      404,
      'MESSAGE_NOT_FOUND',
    ]);
    const file = await alice.upload('a.txt', Buffer.from('a'));
    const foreign = await schedule(bob, 'x', inDays(1), { attachments: [{ id: file.id }] });
    expect(codeOf(foreign)).to.deep.equal([404, 'ATTACHMENT_NOT_FOUND']);
    expect(await list(bob)).to.deep.equal([]);
    expect(await contents(alice, channel.id)).to.deep.equal([]);
  });

  it('are refused when the right is gone by then: the reason is told, and the text stays', async () => {
    const { alice, bob, channel, server, newChannel } = here;
    const other = await register(alice.node);
    const dm = (await bob.post('/api/dm/channels', { userId: other.id })).body;
    const [archived, deleted] = [await newChannel('archived'), await newChannel('deleted')];
    const plans: [string, string][] = [
      [channel.id, 'TIMED_OUT'],
      [archived, 'TIMED_OUT'],
      [deleted, 'CHANNEL_NOT_FOUND'],
      [dm.id, 'BLOCKED'],
    ];
    const made = await Promise.all(
      plans.map(async ([id, code]) => [(await schedule(bob, code, inDays(1), {}, id)).body.id, code]),
    );
    await alice.put(`/api/servers/${server.id}/members/${bob.id}/timeout`, { seconds: 3600 });
    await alice.delete(`/api/channels/${deleted}`);
    await other.put(`/api/friends/blocks/${bob.id}`);
    const sendAt = await come(...made.map(([id]) => id ?? ''));
    for (const [id, code] of made) {
      const row = await failed(bob, id ?? '');
      expect(row).to.include({ content: code, sendAt });
      expect(row.failure.code).to.equal(code);
      expect(row.failure.message).to.be.a('string');
    }
    const told = await refusals(bob);
    expect(told.map(({ referenceId }) => referenceId).sort()).to.deep.equal(made.map(([id]) => id).sort());
    for (const one of told) expect(one).to.include({ referenceType: 'scheduled', type: 'system', aggregatedCount: 1 });
    // By its code the reason is said in other languages.
    for (const { code, body, referenceId } of told) {
      const { failure } = (await bob.get(`/api/scheduled-messages/${referenceId}`)).body;
      expect(failure).to.deep.equal({ code, message: body });
    }
    for (const id of [channel.id, archived]) expect(await contents(alice, id)).to.deep.equal([]);
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}/timeout`);
    expect((await bob.post(`/api/scheduled-messages/${made[0]?.[0]}/send`)).body).to.include({ failure: null });
    await sent(alice, 'TIMED_OUT');
    await bob.delete(`/api/scheduled-messages/${made[1]?.[0]}`);
    expect((await list(bob)).map(({ content }) => content).sort()).to.deep.equal(['BLOCKED', 'CHANNEL_NOT_FOUND']);
  });

  it('of an account that is suspended or leaves, or of someone who has left, are refused too', async () => {
    const { alice, bob, server, cluster } = here;
    const sql = (text: string, id: string) => query<Loose>(cluster.databaseUrl, text, [id]);
    const at = inDays(1);
    const mine = (await schedule(bob, 'left', at)).body;
    const others = await Promise.all([1, 2].map(() => register(alice.node)));
    const made: string[] = [];
    for (const other of others) {
      await other.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      made.push((await schedule(other, 'theirs', at)).body.id);
    }
    const [suspended, leaving] = others.map(({ id }) => id);
    await sql("UPDATE users SET suspended_at = now(), suspension_reason = 'x' WHERE id = $1", suspended ?? '');
    await sql("UPDATE users SET deletes_at = now() + interval '1 day' WHERE id = $1", leaving ?? '');
    await bob.post(`/api/servers/${server.id}/leave`);
    await come(mine.id, ...made);
    expect((await failed(bob, mine.id)).failure.code).to.equal('CHANNEL_NOT_FOUND');
    const failure = async (id: string) =>
      (await sql('SELECT failure FROM scheduled_messages WHERE id = $1', id))[0]?.failure;
    for (const id of made) await until(() => failure(id), { message: 'not refused' });
    expect(await Promise.all(made.map(failure))).to.deep.equal(['ACCOUNT_SUSPENDED', 'FORBIDDEN']);
    expect(await contents(alice)).to.deep.equal([]);
  });

  it('are held for a moderator as others are', async () => {
    const { alice, bob, channel, server } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['hold*'] });
    const file = await bob.upload('a.txt', Buffer.from('a'));
    const device = await bob.connect();
    const { body } = await schedule(bob, 'on hold', soon(), { attachments: [{ id: file.id }] });
    expect(await device.next('scheduled:removed')).to.include({ id: body.id, reason: 'held', messageId: null });
    const [held] = (await alice.get(`/api/servers/${server.id}/held`)).body;
    expect(held).to.include({ content: 'on hold', authorId: bob.id });
    expect((await alice.post(`/api/held/${held.heldId}/approve`)).status).to.equal(200);
    const [message] = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(message.attachments).to.have.lengthOf(1);
  });

  it('wait for their turn in slow mode, in their order', async () => {
    const { alice, bob, channel } = here;
    await alice.patch(`/api/channels/${channel.id}`, { slowModeSeconds: 5 });
    const ids: string[] = [];
    for (const text of ['one', 'two']) ids.push((await schedule(bob, text, inDays(1))).body.id);
    await come(...ids);
    await sent(alice, 'two');
    const messages = (await alice.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(messages.map(({ content }: Loose) => content)).to.deep.equal(['two', 'one']);
    const [second, first] = messages.map(({ createdAt }: Loose) => Date.parse(createdAt));
    expect(second - first).to.be.greaterThan(4000);
    expect(await refusals(bob)).to.deep.equal([]);
  }).timeout(40_000);

  it('go to threads and DMs, and from bots', async () => {
    const { alice, bob, channel, server } = here;
    const root = await alice.say(channel.id, 'root');
    const thread = (await bob.post(`/api/messages/${root.id}/thread`)).body;
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    const bot = await botIn(server, alice);
    const at = inDays(1);
    const planned = [
      await schedule(bob, 'in thread', at, { threadId: thread.id }),
      await schedule(bob, 'in dm', at, {}, dm.id),
      await schedule(bot, 'by bot', at),
    ];
    await come(...planned.map(({ body }) => body.id));
    await sent(alice, 'in thread');
    await sent(alice, 'in dm', dm.id);
    await sent(alice, 'by bot');
    const { body } = await alice.get(`/api/channels/${channel.id}/messages?include=threads`);
    const shown = body.messages.map(({ content, threadId }: Loose) => [content, threadId]);
    expect(shown).to.deep.include(['in thread', thread.id]);
    bot.hangUp();
  });
});

describe('scheduled messages under the limit of messages', () => {
  it('wait for it, in their order, and are not refused', async () => {
    const rates = { ...testSettings('', null).rates, messages: { points: 2, seconds: 3 } };
    const cluster = await startCluster({ settings: { rateLimits: true, rates } });
    try {
      const here = await world(cluster);
      const { alice, bob, channel } = here;
      const sendAt = inDays(1);
      const texts = ['one', 'two', 'three', 'four', 'five'];
      for (const content of texts) {
        const answer = await alice.post(`/api/channels/${channel.id}/scheduled-messages`, { content, sendAt });
        expect(answer.status).to.equal(201);
      }
      await query(cluster.databaseUrl, 'UPDATE scheduled_messages SET send_at = now()');
      await query(cluster.databaseUrl, "UPDATE jobs SET due_at = now() WHERE kind = 'scheduled-messages'");
      const shown = async (): Promise<Loose[]> =>
        (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages.reverse();
      await until(async () => (await shown()).length === texts.length, {
        timeout: 40_000,
        message: 'not all are sent',
      });
      const messages = await shown();
      expect(messages.map(({ content }) => content)).to.deep.equal(texts);
      const [first = 0, ...later] = messages.map(({ createdAt }) => Date.parse(createdAt));
      expect((later.at(-1) ?? 0) - first).to.be.greaterThan(3000);
      here.close();
    } finally {
      await cluster.stop();
    }
  }).timeout(60_000);
});
