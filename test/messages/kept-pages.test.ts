import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('a page of a channel', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const page = async (who: Person, channelId: string, query = ''): Promise<Loose> =>
    (await who.get(`/api/channels/${channelId}/messages?${query}`)).body;
  const latest = (who: Person, channelId: string) => page(who, channelId, 'limit=100');
  let asked = 0;
  /** The same messages by a cursor that nobody has used before. */
  const anew = (who: Person, channelId: string, query = ''): Promise<Loose> => {
    const cursor = new Date(Date.UTC(2999, 0, 1) + asked++).toISOString();
    return page(who, channelId, `limit=100&cursor=${cursor}${query}`);
  };

  it('is what it is right after every change, on every node, for everyone', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const everywhere = [alice, bob, alice.on(bob.node), bob.on(alice.node)];
    const middle: Loose[] = [];
    /** Each kind of page, as it follows from all that there is. */
    const pages = (all: Loose[]): [string, Loose][] => [
      ['limit=100', { messages: all, hasMore: false }],
      ['limit=2', { messages: all.slice(0, 2), hasMore: all.length > 2 }],
      ...middle.flatMap(({ id, seq }): [string, Loose][] => {
        const older = all.filter((one) => one.seq < seq);
        const newer = all.filter((one) => one.seq > seq).reverse();
        return [
          [`limit=1&cursor=${id}`, { messages: older.slice(0, 1), hasMore: older.length > 1 }],
          [`limit=1&after=${id}`, { messages: newer.slice(0, 1), hasMore: newer.length > 1 }],
          [`limit=100&after=${seq}`, { messages: newer, hasMore: false }],
        ];
      }),
    ];
    const check = async (change: string) => {
      for (const query of ['', '&include=threads']) {
        const compared = everywhere.map(async (who) => {
          const { messages } = await anew(who, channelId, query);
          for (const [which, expected] of pages(messages)) {
            expect(await page(who, channelId, which + query), `${change} ${which}${query}`).to.deep.equal(expected);
          }
        });
        await Promise.all(compared);
      }
    };
    await check('a new channel');
    const first = await alice.say(channelId, 'first', { nonce: 'n1' });
    await check('a message with a nonce');
    const file = await alice.upload('a.txt', new TextEncoder().encode('text'));
    const second = await alice.say(channelId, 'with "quotes" and 🐦', {
      attachments: [{ id: file.id }],
      metadata: { a: [1] },
    });
    await bob.say(channelId, `an answer to @${alice.username}`, { replyToId: first.id, nonce: 'n1' });
    middle.push(first, second);
    await check('an answer');
    await bob.say(channelId, 'nothing special');
    await check('a plain message');
    const thread = (await bob.post(`/api/messages/${first.id}/thread`, { name: 'aside' })).body;
    const inside = (await bob.post(`/api/threads/${thread.id}/messages`, { content: 'inside' })).body;
    await check('a message in a thread');
    const changes: (() => Promise<{ status: number; body: Loose }>)[] = [
      () => bob.post(`/api/messages/${second.id}/reactions`, { emoji: '👍' }),
      () => alice.post(`/api/messages/${second.id}/reactions`, { emoji: '👍' }),
      () => alice.post(`/api/messages/${second.id}/reactions`, { emoji: '🎉' }),
      () => bob.delete(`/api/messages/${second.id}/reactions/${encodeURIComponent('👍')}`),
      () => alice.patch(`/api/messages/${first.id}`, { content: 'first, edited' }),
      () => alice.post(`/api/messages/${first.id}/pin`),
      () => alice.delete(`/api/messages/${first.id}/pin`),
      () => bob.patch(`/api/threads/${thread.id}`, { name: 'another name' }),
      () => bob.delete(`/api/messages/${inside.id}`),
      () => alice.patch('/api/auth/me', { displayName: 'Alice the Second' }),
      () => bob.delete(`/api/threads/${thread.id}`),
      () => alice.delete(`/api/messages/${first.id}`),
      () => bob.patch('/api/auth/me', { avatarUrl: 'https://example.com/bob.png' }),
    ];
    for (const change of changes) {
      const { status, body } = await change();
      expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
      await check(change.toString());
    }
    const names = (await latest(bob, channelId)).messages.map(({ author }: Loose) => author.displayName);
    expect(names).to.include('Alice the Second');
  });

  it('shows each what it did just before, whatever else happens on any node', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const ids = async (who: Person) => (await latest(who, channelId)).messages.map(({ id }: Loose) => id);
    const talk = async (who: Person, other: Person) => {
      for (let i = 0; i < 25; i++) {
        const { id } = await who.say(channelId, `${i}`, { nonce: randomUUID() });
        for (const seen of await Promise.all([ids(who), ids(other)])) expect(seen).to.include(id);
        if (i % 2 === 0) continue;
        await who.delete(`/api/messages/${id}`);
        for (const seen of await Promise.all([ids(who), ids(other)])) expect(seen).not.to.include(id);
      }
    };
    await Promise.all([talk(alice, bob.on(bob.node)), talk(bob, alice), talk(alice.on(bob.node), alice)]);
    expect(await latest(alice, channelId)).to.deep.equal(await anew(alice, channelId));
  });

  it('is for those who may read the channel', async () => {
    const { alice, bob, carol, server } = here;
    const { body: channel } = await alice.post(`/api/servers/${server.id}/channels`, { name: 'own', isPrivate: true });
    await alice.say(channel.id, 'a secret');
    expect((await latest(alice, channel.id)).messages).to.have.length(1);
    for (const who of [bob, carol]) expect((await latest(who, channel.id)).code).to.equal('CHANNEL_NOT_FOUND');
    expect((await page(alice, channel.id, 'cursor=nothing')).code).to.equal('INVALID_CURSOR');
    expect((await alice.delete(`/api/channels/${channel.id}`)).status).to.equal(200);
    expect((await latest(alice, channel.id)).code).to.equal('CHANNEL_NOT_FOUND');
  });
});
