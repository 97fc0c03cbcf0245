import { expect } from 'chai';
import { deleteUnsent } from '../../src/features/messages/attachment.table.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];

describe('drafts', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const path = (channelId = here.channel.id) => `/api/channels/${channelId}/draft`;
  const put = (who: Person, content: string, revision: number | null, more: object = {}) =>
    who.put(path(), { content, revision, ...more });
  const elsewhere = (who: Person) => who.on(here.cluster.nodes.at(-1) ?? who.node);

  it('are on all devices of their user, without their text in events, and nowhere else', async () => {
    const { alice, bob, channel } = here;
    const [device, other] = [await alice.connect(), await bob.connect()];
    const { draft } = (await put(alice, 'Dear secret', null)).body;
    expect(draft).to.include({ channelId: channel.id, threadId: null, content: 'Dear secret' });
    const told = await device.next('draft:updated');
    expect(told).to.include({ channelId: channel.id, threadId: null, revision: draft.revision });
    expect(JSON.stringify(told)).not.to.include('secret');
    expect((await elsewhere(alice).get(path())).body).to.deep.equal({ draft });
    expect((await alice.get('/api/drafts')).body).to.deep.equal([draft]);
    expect((await bob.get(path())).body).to.deep.equal({ draft: null });
    await alice.say(channel.id, 'fence');
    expect(other.all('draft:updated')).to.deep.equal([]);
  });

  it('are replaced only by what was made from them, whichever device comes first', async () => {
    const { alice } = here;
    const first = (await put(alice, 'one', null)).body.draft;
    const newer = (await put(elsewhere(alice), 'two', first.revision)).body.draft;
    expect(newer.revision).to.be.greaterThan(first.revision);
    for (const revision of [first.revision, null, newer.revision + 1]) {
      const refused = await put(alice, 'offline', revision);
      expect(codeOf(refused)).to.deep.equal([409, 'DRAFT_CHANGED']);
      expect(refused.body.draft).to.deep.equal(newer);
    }
    const race = await Promise.all(
      [alice, elsewhere(alice), alice].map((who, i) => put(who, `race ${i}`, newer.revision)),
    );
    expect(race.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
    const [won] = race.filter(({ status }) => status === 200);
    for (const lost of race.filter(({ status }) => status === 409)) {
      expect(lost.body.draft).to.deep.equal(won?.body.draft);
    }
  });

  it('keep their files until they are sent, however long that takes, and what they answer', async () => {
    const { alice, bob, channel, cluster } = here;
    const files = await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((name) => alice.upload(name, Buffer.from(name))));
    const [a, b, c] = files.map(({ id }) => ({ id }));
    const foreign = await bob.upload('bob.txt', Buffer.from('bob'));
    const root = await bob.say(channel.id, 'root');
    const names = ({ attachments }: Loose) => attachments.map(({ filename }: Loose) => filename);
    const more = { attachments: [b, a, { id: foreign.id }], replyToId: root.id };
    const first = (await put(alice, '', null, more)).body.draft;
    expect(first).to.include({ content: '', replyToId: root.id });
    expect(names(first)).to.deep.equal(['b.txt', 'a.txt']);
    await query(
      cluster.databaseUrl,
      "UPDATE attachments SET created_at = now() - interval '2 days' WHERE id = ANY($1)",
      [files.map(({ id }) => id)],
    );
    await withRows(cluster.databaseUrl, deleteUnsent);
    const statuses = await Promise.all(files.map(async ({ id }) => (await alice.get(`/api/media/${id}`)).status));
    expect(statuses).to.deep.equal([200, 200, 404]);
    // Without the field they stay; what is gone, or sent meanwhile, is left out.
    const second = (await put(alice, 'with text', first.revision)).body.draft;
    expect(names(second)).to.deep.equal(['b.txt', 'a.txt']);
    await alice.say(channel.id, 'sent', { attachments: [b] });
    expect(names((await elsewhere(alice).get(path())).body.draft)).to.deep.equal(['a.txt']);
    const third = (await put(alice, 'with text', second.revision, { attachments: [c, b, a] })).body.draft;
    expect(names(third)).to.deep.equal(['a.txt']);
    expect((await alice.get('/api/drafts')).body).to.deep.equal([third]);
    expect((await put(alice, '', third.revision, { attachments: [b] })).body).to.deep.equal({ draft: null });
    expect((await put(alice, '', null, { attachments: [c] })).body).to.deep.equal({ draft: null });
    const many = Array.from({ length: 11 }, () => a);
    expect(codeOf(await put(alice, 'x', null, { attachments: many }))).to.deep.equal([400, 'VALIDATION_FAILED']);
    await withRows(cluster.databaseUrl, deleteUnsent);
    expect((await alice.get(`/api/media/${a?.id}`)).status).to.equal(404);
  });

  it('do not come back from a device that was offline when they ended', async () => {
    const { alice } = here;
    const old = (await put(alice, 'old', null)).body.draft;
    const device = await alice.connect();
    expect(codeOf(await alice.delete(`${path()}?revision=${old.revision - 1}`))).to.deep.equal([409, 'DRAFT_CHANGED']);
    expect((await alice.delete(`${path()}?revision=${old.revision}`)).body).to.deep.equal({ draft: null });
    expect((await device.next('draft:updated')).revision).to.equal(null);
    const late = await put(alice, 'late', old.revision);
    expect([...codeOf(late), late.body.draft]).to.deep.equal([409, 'DRAFT_CHANGED', null]);
    const next = (await put(alice, 'next', null)).body.draft;
    expect(next.revision).to.be.greaterThan(old.revision);
    expect(codeOf(await put(alice, 'late', old.revision))).to.deep.equal([409, 'DRAFT_CHANGED']);
    expect((await put(alice, ' ', next.revision)).body).to.deep.equal({ draft: null });
    expect((await alice.delete(`${path()}?revision=1`)).body).to.deep.equal({ draft: null });
    expect((await alice.get('/api/drafts')).body).to.deep.equal([]);
  });

  it('are one in each channel, thread and DM that their user may read', async () => {
    const { alice, bob, carol, channel, server, newChannel } = here;
    const root = await alice.say(channel.id, 'root');
    const thread = (await bob.post(`/api/messages/${root.id}/thread`)).body;
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    await put(bob, 'channel', null);
    await put(bob, 'thread', null, { threadId: thread.id, replyToId: null });
    await bob.put(path(dm.id), { content: 'dm', revision: null });
    const texts = async () => (await bob.get('/api/drafts')).body.map(({ content }: Loose) => content).sort();
    expect(await texts()).to.deep.equal(['channel', 'dm', 'thread']);
    expect((await bob.get(`${path()}?threadId=${thread.id}`)).body.draft.content).to.equal('thread');
    const other = await newChannel('other');
    const misplaced = await bob.put(path(other), { content: 'x', revision: null, threadId: thread.id });
    expect(codeOf(misplaced)).to.deep.equal([404, 'THREAD_NOT_FOUND']);
    expect(codeOf(await put(carol, 'x', null))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    expect(codeOf(await put(bob, 'x'.repeat(16_001), null))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const bot = await botIn(server, alice);
    expect(codeOf(await put(bot, 'x', null))).to.deep.equal([403, 'FORBIDDEN']);
    bot.hangUp();

    await alice.delete(`/api/threads/${thread.id}`);
    expect(await texts()).to.deep.equal(['channel', 'dm']);
    await bob.post(`/api/servers/${server.id}/leave`);
    expect(await texts()).to.deep.equal(['dm']);
    expect(codeOf(await bob.get(path()))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
  });
});
