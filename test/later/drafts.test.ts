import { expect } from 'chai';
import { botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
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
