import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { startCluster, testSettings } from '../world/nodes.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const soon = (ms = 1500) => new Date(Date.now() + ms).toISOString();
const inDays = (days: number) => soon(days * 86_400_000);

/** On several nodes alice and bob are on different ones. */
describe('what people save for later', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const list = async (who: Person, more = '') => (await who.get(`/api/later?${more}`)).body;
  const save = (who: Person, body: object) => who.post('/api/later', body);
  const reminded = async (who: Person): Promise<Loose[]> =>
    (await who.get('/api/notifications')).body.filter(({ kind }: Loose) => kind === 'later.reminder');

  it('is one list of messages and reminders, newest first, and told to their own devices alone', async () => {
    const { alice, bob, channel } = here;
    const message = await alice.say(channel.id, 'read me');
    const [device, other] = [await bob.connect(), await alice.connect()];
    const saved = await save(bob, { messageId: message.id });
    expect(saved.status).to.equal(201);
    expect(saved.body).to.deep.include({ messageId: message.id, channelId: channel.id, isGone: false, isDone: false });
    expect(saved.body.message).to.include({ id: message.id, content: 'read me' });
    const { item } = await device.next('later:updated');
    expect(item).to.include({ id: saved.body.id }).and.not.have.property('message');
    const reminder = (await save(bob, { note: 'Water the plants', remindAt: inDays(1) })).body;
    expect((await list(bob)).map(({ id }: Loose) => id)).to.deep.equal([reminder.id, saved.body.id]);
    expect((await list(bob, 'limit=1')).map(({ id }: Loose) => id)).to.deep.equal([reminder.id]);
    expect((await list(bob, `cursor=${reminder.id}`)).map(({ id }: Loose) => id)).to.deep.equal([saved.body.id]);
    expect((await bob.get(`/api/later/${reminder.id}`)).body).to.deep.equal(reminder);

    expect(await list(alice)).to.deep.equal([]);
    for (const answer of [
      await alice.get(`/api/later/${reminder.id}`),
      await alice.patch(`/api/later/${reminder.id}`, { isDone: true }),
      await alice.delete(`/api/later/${reminder.id}`),
    ]) {
      expect(codeOf(answer)).to.deep.equal([404, 'LATER_NOT_FOUND']);
    }
    await bob.delete(`/api/later/${reminder.id}`);
    expect(await device.next('later:removed')).to.include({ id: reminder.id, messageId: null });
    expect(other.received.filter(({ event }) => event.startsWith('later:'))).to.deep.equal([]);
  });

  it('is known for each channel and its threads, as far as it is not done, to those who may read there', async () => {
    const { alice, bob, carol, channel, newChannel } = here;
    const path = `/api/channels/${channel.id}/saved`;
    const root = await alice.say(channel.id, 'root');
    const thread = (await alice.post(`/api/messages/${root.id}/thread`)).body;
    const inside = (await alice.post(`/api/threads/${thread.id}/messages`, { content: 'inside' })).body;
    const other = await newChannel('other');
    await bob.post(`/api/channels/${other}/join`);
    const elsewhere = await alice.say(other, 'elsewhere');
    const done = await alice.say(channel.id, 'done');
    const saved = [];
    for (const { id } of [root, inside, elsewhere, done]) saved.push((await save(bob, { messageId: id })).body);
    await bob.patch(`/api/later/${saved[3].id}`, { isDone: true });
    const marked = (await bob.get(path)).body;
    expect(marked.map(({ messageId }: Loose) => messageId)).to.deep.equal([inside.id, root.id]);
    expect(marked[0])
      .to.include({ id: saved[1].id, channelId: channel.id, isDone: false })
      .and.not.have.property('message');
    expect((await alice.get(path)).body).to.deep.equal([]);
    expect(codeOf(await carol.get(path))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
  });

  it('has a message once; what is done is apart, has no reminder, and comes back when it is saved again', async () => {
    const { alice, bob, channel } = here;
    const { id: messageId } = await alice.say(channel.id, 'once');
    const first = (await save(bob, { messageId, note: ' why ' })).body;
    const again = await save(bob, { messageId, remindAt: inDays(2) });
    expect([again.status, again.body.id, again.body.note]).to.deep.equal([200, first.id, 'why']);
    const together = await Promise.all([1, 2, 3].map(() => save(alice, { messageId })));
    expect(together.map(({ status }) => status).sort()).to.deep.equal([200, 200, 201]);
    expect(await list(alice)).to.have.lengthOf(1);

    const done = (await bob.patch(`/api/later/${first.id}`, { isDone: true })).body;
    expect(done).to.include({ isDone: true, remindAt: null, note: 'why' });
    expect([await list(bob), await list(bob, 'status=done')]).to.deep.equal([[], [done]]);
    expect((await save(bob, { messageId })).body).to.include({ id: first.id, isDone: false });
    expect((await bob.patch(`/api/later/${first.id}`, { note: null })).body.note).to.equal(null);
  });

  it('shows what its user may no longer read, or what was deleted, as gone, and saves nothing of that', async () => {
    const { alice, bob, carol, channel, server, newChannel } = here;
    const [kept, deleted] = [await alice.say(channel.id, 'secret-one'), await alice.say(channel.id, 'secret-two')];
    const doomed = await newChannel('doomed');
    const lost = await alice.say(doomed, 'secret-three');
    for (const { id: messageId } of [kept, deleted, lost])
      expect((await save(bob, { messageId })).status).to.equal(201);
    expect(codeOf(await save(carol, { messageId: kept.id }))).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
    await alice.delete(`/api/messages/${deleted.id}`);
    await alice.delete(`/api/channels/${doomed}`);
    const shown = async () => (await list(bob)).map((entry: Loose) => [entry.isGone, entry.message?.content ?? null]);
    expect(await shown()).to.deep.equal([
      [true, null],
      [true, null],
      [false, 'secret-one'],
    ]);
    await bob.post(`/api/servers/${server.id}/leave`);
    expect(JSON.stringify(await list(bob))).not.to.include('secret');
    expect((await list(bob)).every(({ isGone }: Loose) => isGone)).to.equal(true);
    const events = (await bob.get('/api/events?after=0&limit=500')).body.events;
    const told = events.filter(({ event }: Loose) => event.startsWith('later:'));
    expect(told).to.have.lengthOf(3);
    expect(JSON.stringify(told)).not.to.include('secret');
    for (const { id } of await list(bob)) expect((await bob.delete(`/api/later/${id}`)).status).to.equal(200);
    expect(await list(bob)).to.deep.equal([]);
  });

  it('reminds once at its time, of each by itself, and not of what was changed, done or removed', async () => {
    const { alice, bob, channel } = here;
    const { id: messageId } = await alice.say(channel.id, 'remember');
    const device = await bob.connect();
    // Not soon: on a busy machine its time would come before all of this is done.
    const planned = inDays(1);
    const ids = await Promise.all(
      ['done', 'removed', 'changed', 'dropped'].map(
        async (note) => (await save(bob, { note, remindAt: planned })).body.id,
      ),
    );
    const [done, removed, changed, dropped] = ids;
    await bob.patch(`/api/later/${done}`, { isDone: true });
    await bob.delete(`/api/later/${removed}`);
    await bob.patch(`/api/later/${changed}`, { remindAt: inDays(3) });
    await bob.patch(`/api/later/${dropped}`, { remindAt: null });
    // What was planned for that time comes now, if anything is left of it.
    await query(
      here.cluster.databaseUrl,
      "UPDATE jobs SET due_at = now() WHERE kind = 'reminder' AND key = ANY($1) AND data ->> 'at' = $2",
      [ids, planned],
    );
    const at = soon();
    const due = (await save(bob, { messageId, note: 'now', remindAt: at })).body;
    const plain = (await save(bob, { note: 'plain', remindAt: at })).body;
    await until(async () => (await reminded(bob)).length === 2, { message: 'not reminded' });
    const told = new Map((await reminded(bob)).map((one) => [one.referenceId, one]));
    expect(told.get(due.id)).to.include({ body: 'now', referenceType: 'later', channelId: null, aggregatedCount: 1 });
    expect(told.get(due.id)?.title).to.match(/^Reminder: a message from /);
    expect(told.get(plain.id)).to.include({ title: 'Reminder', body: 'plain' });
    const { item } = await device.next('later:updated', ({ item }) => item.id === due.id && item.remindedAt);
    expect(item.remindAt).to.equal(null);
    expect(Date.parse(item.remindedAt)).to.be.at.least(Date.parse(at));
    const jobs = await query(
      here.cluster.databaseUrl,
      "SELECT key FROM jobs WHERE kind = 'reminder' AND key = ANY($1)",
      [[...ids, due.id, plain.id]],
    );
    expect(jobs).to.deep.equal([{ key: changed }]);
  });

  it('always has a message or a note', async () => {
    const { alice, bob, channel } = here;
    const { id: messageId } = await alice.say(channel.id, 'of a message');
    const remindAt = inDays(1);
    const [ofMessage, ofNote] = [
      (await save(bob, { messageId, note: 'why', remindAt })).body,
      (await save(bob, { note: 'what', remindAt })).body,
    ];
    expect(codeOf(await save(bob, { remindAt }))).to.deep.equal([400, 'VALIDATION_FAILED']);
    for (const note of [null, ' ']) {
      expect((await bob.patch(`/api/later/${ofMessage.id}`, { note })).body.note).to.equal(null);
      const refused = await bob.patch(`/api/later/${ofNote.id}`, { note, remindAt: null });
      expect(codeOf(refused)).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(refused.body.issues[0].path).to.equal('note');
    }
    expect((await bob.get(`/api/later/${ofNote.id}`)).body).to.deep.equal(ofNote);
    expect((await bob.patch(`/api/later/${ofNote.id}`, { isDone: true })).body.note).to.equal('what');
  });

  it('reminds of what was deleted, or is where one is no longer, without its author and text', async () => {
    const { alice, bob, channel, server, newChannel } = here;
    const other = await newChannel('other');
    const [deleted, closed, left] = [
      await alice.say(channel.id, 'deleted secret'),
      await alice.say(other, 'closed secret'),
      await alice.say(channel.id, 'left secret'),
    ];
    // Not soon: on a busy machine its time would come before all of this is gone.
    const remindAt = inDays(1);
    const ids = [];
    for (const { id: messageId } of [deleted, closed, left])
      ids.push((await save(bob, { messageId, remindAt })).body.id);
    await alice.delete(`/api/messages/${deleted.id}`);
    await alice.delete(`/api/channels/${other}`);
    await bob.post(`/api/servers/${server.id}/leave`);
    const come = "UPDATE jobs SET due_at = now() WHERE kind = 'reminder' AND key = ANY($1)";
    await query(here.cluster.databaseUrl, come, [ids]);
    await until(async () => (await reminded(bob)).length === 3, { message: 'not reminded' });
    const told = await reminded(bob);
    expect(told.map(({ referenceId }) => referenceId)).to.have.members(ids);
    for (const one of told) {
      expect(one).to.include({
        title: 'Reminder: a message that is gone',
        senderId: null,
        serverId: null,
        channelId: null,
      });
    }
    expect(JSON.stringify(told)).not.to.include('secret');
    expect(new Set((await list(bob, 'status=due')).map(({ id }: Loose) => id))).to.deep.equal(new Set(ids));
  });

  it('has what is due apart, however much was saved since, until it is dealt with', async () => {
    const { bob, cluster } = here;
    const remindAt = inDays(1);
    const [first, second] = [
      (await save(bob, { note: 'first', remindAt })).body,
      (await save(bob, { note: 'second', remindAt })).body,
    ];
    for (let i = 0; i < 3; i++) await save(bob, { note: `later ${i}`, remindAt });
    expect(await list(bob, 'status=due')).to.deep.equal([]);
    const due = 'UPDATE saved_items SET remind_at = NULL, reminded_at = now() WHERE id = ANY($1)';
    await query(cluster.databaseUrl, due, [[first.id, second.id]]);
    const notes = async (more: string) => (await list(bob, more)).map(({ note }: Loose) => note);
    expect(await notes('status=due')).to.deep.equal(['second', 'first']);
    expect(await notes(`status=due&limit=1&cursor=${second.id}`)).to.deep.equal(['first']);
    expect(await notes('status=open')).to.have.lengthOf(5);
    await bob.patch(`/api/later/${first.id}`, { isDone: true });
    await bob.patch(`/api/later/${second.id}`, { remindAt });
    expect(await notes('status=due')).to.deep.equal([]);
    expect((await bob.get('/api/later?status=other')).status).to.equal(400);
  });

  it('takes times in the future of at most a year, and something to be reminded of', async () => {
    const { alice, bob, server, channel } = here;
    const { id: messageId } = await alice.say(channel.id, 'x');
    for (const body of [
      { note: 'past', remindAt: soon(-1000) },
      { note: 'far', remindAt: inDays(367) },
      { note: 'no time' },
      { remindAt: soon() },
      { note: '  ', remindAt: soon() },
      { messageId, remindAt: 'tomorrow' },
      { messageId, note: 'x'.repeat(1001) },
    ]) {
      expect(codeOf(await save(bob, body)), JSON.stringify(body)).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    const bot = await botIn(server, alice);
    expect(codeOf(await save(bot, { messageId }))).to.deep.equal([403, 'FORBIDDEN']);
    bot.hangUp();
  });
});

describe('how much one person saves, schedules and drafts', () => {
  it('is bounded by the settings, also when it comes all at once', async () => {
    const { limits } = testSettings('', null);
    const own = { ...limits, savedItems: 2, scheduledMessages: 2, drafts: 2 };
    const cluster = await startCluster({ settings: { limits: own } });
    try {
      const here = await world(cluster);
      const { alice, channel, newChannel } = here;
      const remindAt = inDays(1);
      const all = await Promise.all([1, 2, 3, 4].map((n) => alice.post('/api/later', { note: `${n}`, remindAt })));
      expect(all.map(codeOf).sort()).to.deep.equal([
        [201, undefined],
        [201, undefined],
        [400, 'LATER_LIMIT'],
        [400, 'LATER_LIMIT'],
      ]);
      const path = `/api/channels/${channel.id}/scheduled-messages`;
      const many = await Promise.all([1, 2, 3].map((n) => alice.post(path, { content: `${n}`, sendAt: remindAt })));
      expect(many.map(codeOf).sort()).to.deep.equal([
        [201, undefined],
        [201, undefined],
        [400, 'SCHEDULED_LIMIT'],
      ]);
      const channels = [channel.id, await newChannel('b'), await newChannel('c')];
      const drafts = await Promise.all(
        channels.map((id) => alice.put(`/api/channels/${id}/draft`, { content: 'x', revision: null })),
      );
      expect(drafts.map(codeOf).sort()).to.deep.equal([
        [200, undefined],
        [200, undefined],
        [400, 'DRAFT_LIMIT'],
      ]);
      // What is hidden since its place is no longer open keeps nobody from writing elsewhere.
      const dm = (await here.bob.post('/api/dm/channels', { userId: alice.id })).body;
      for (const id of channels.slice(0, 2))
        await here.bob.put(`/api/channels/${id}/draft`, { content: 'x', revision: null });
      const another = () => here.bob.put(`/api/channels/${dm.id}/draft`, { content: 'x', revision: null });
      expect(codeOf(await another())).to.deep.equal([400, 'DRAFT_LIMIT']);
      await here.bob.post(`/api/servers/${here.server.id}/leave`);
      expect((await another()).status).to.equal(200);
      here.close();
    } finally {
      await cluster.stop();
    }
  });
});
