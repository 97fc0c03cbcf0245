import { expect } from 'chai';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('pages of messages', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const page = async (channelId: string, query: string): Promise<Loose> => {
    const answer = await here.bob.get(`/api/channels/${channelId}/messages?${query}`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const texts = (messages: Loose) => messages.map((message: Loose) => message.content);

  it('neither repeat nor skip a message while four people send, edit and delete', async () => {
    const { alice, bob, carol, cluster } = here;
    const channelId = await here.newChannel();
    await carol.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    const dave = await register(cluster.nodes.at(-1) ?? alice.node);
    await dave.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    const senders: Person[] = [alice, bob, carol, dave];
    const before = [];
    for (let i = 0; i < 40; i++) before.push((await alice.say(channelId, `before ${i}`)).id);
    let sending = true;
    const talk = senders.map(async (sender, s) => {
      for (let i = 0; i < 75; i++) {
        const { id } = await sender.say(channelId, `${s}-${i}`);
        if (i % 10 === 3) await sender.delete(`/api/messages/${id}`);
        if (i % 10 === 7) await sender.patch(`/api/messages/${id}`, { content: `${s}-${i} edited` });
      }
    });
    const reading = (async () => {
      while (sending) {
        const ids: string[] = [];
        const seqs: number[] = [];
        for (let cursor = ''; ; ) {
          const { messages, hasMore } = await page(channelId, `limit=7${cursor}`);
          ids.push(...messages.map((message: Loose) => message.id));
          seqs.push(...messages.map((message: Loose) => message.seq));
          if (!hasMore) break;
          cursor = `&cursor=${messages.at(-1).id}`;
        }
        expect(new Set(ids).size, 'no message twice').to.equal(ids.length);
        expect(seqs).to.deep.equal([...seqs].sort((a, b) => b - a));
        expect(ids, 'none of the old ones is missing').to.include.members(before);
      }
    })();
    await Promise.all(talk);
    sending = false;
    await reading;
    const { messages } = await page(channelId, 'limit=100');
    expect(messages).to.have.length(100);
    const all: string[] = [];
    for (let after = '0', more = true; more; ) {
      const { messages: some, hasMore } = await page(channelId, `limit=7&after=${after}`);
      all.push(...texts(some));
      after = some.at(-1).id;
      more = hasMore;
    }
    expect(all).to.have.length(40 + 300 - 4 * 8);
    for (const s of [0, 1, 2, 3]) {
      const own = all.filter((text) => text.startsWith(`${s}-`)).map((text) => Number.parseInt(text.slice(2), 10));
      expect(own).to.deep.equal([...own].sort((a, b) => a - b));
    }
  });

  it('go on from deleted messages and from times', async () => {
    const { alice } = here;
    const channelId = await here.newChannel();
    const sent: Loose[] = [];
    for (let i = 0; i < 6; i++) {
      sent.push(await alice.say(channelId, `${i}`));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await alice.delete(`/api/messages/${sent[3].id}`);
    expect(texts((await page(channelId, `cursor=${sent[3].id}`)).messages)).to.deep.equal(['2', '1', '0']);
    expect(texts((await page(channelId, `after=${sent[3].id}`)).messages)).to.deep.equal(['4', '5']);
    expect(texts((await page(channelId, `after=${sent[1].seq}`)).messages)).to.deep.equal(['2', '4', '5']);
    for (const i of [0, 1, 2, 4, 5]) {
      const older = sent.slice(0, i).filter((message) => message !== sent[3]);
      const { messages } = await page(channelId, `cursor=${encodeURIComponent(sent[i].createdAt)}`);
      expect(texts(messages), `before ${i}`).to.deep.equal(texts(older).reverse());
    }
    expect(texts((await page(channelId, 'cursor=2000-01-01T00:00:00.000Z')).messages)).to.deep.equal([]);
    expect(texts((await page(channelId, 'cursor=2100-01-01T00:00:00.000Z')).messages)).to.have.length(5);
  });

  it('show a message with its neighbours', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const sent: Loose[] = [];
    for (let i = 0; i < 9; i++) sent.push(await alice.say(channelId, `${i}`));
    const middle = await page(channelId, `around=${sent[4].id}&limit=4`);
    expect(texts(middle.messages)).to.deep.equal(['5', '4', '3', '2']);
    expect(middle).to.include({ hasMore: true, hasNewer: true });
    const route = await bob.get(`/api/channels/${channelId}/messages/around/${sent[4].id}?limit=4`);
    expect(route.body).to.deep.equal(middle);
    const last = await page(channelId, `around=${sent[8].id}&limit=4`);
    expect(last).to.include({ hasNewer: false, hasMore: true });
    expect(texts(last.messages)[0]).to.equal('8');
  });

  it('show all that hangs on a message, whichever way it came there', async () => {
    const { alice, bob, cluster } = here;
    const channelId = await here.newChannel();
    const [plain, reacted, started, byHand] = await Promise.all(
      ['plain', 'reacted', 'started', 'by hand'].map((text) => alice.say(channelId, text)),
    );
    await alice.say(channelId, 'a reply', { replyToId: plain.id });
    await alice.post(`/api/messages/${reacted.id}/reactions`, { emoji: '👍' });
    await alice.post(`/api/messages/${started.id}/thread`);
    // As an older node does it, or an operator.
    const reaction = 'INSERT INTO reactions (message_id, emoji, user_id, place) VALUES ($1, $2, $3, 1)';
    await query(cluster.databaseUrl, reaction, [byHand.id, '🎉', bob.id]);
    const { messages } = await page(channelId, '');
    expect(messages).to.have.length(5);
    for (const message of messages) {
      expect(message).to.deep.equal((await bob.get(`/api/messages/${message.id}`)).body);
    }
    const of = ({ id }: Loose) => messages.find((message: Loose) => message.id === id);
    expect(of(reacted).reactions).to.have.length(1);
    expect(of(started).thread).not.to.equal(null);
    expect(of(byHand).reactions.map(({ emoji }: Loose) => emoji)).to.deep.equal(['🎉']);
    expect(messages.filter(({ replyTo }: Loose) => replyTo?.id === plain.id)).to.have.length(1);
  });

  it('leave threads out unless they are asked for', async () => {
    const { alice } = here;
    const channelId = await here.newChannel();
    const parent = await alice.say(channelId, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'inside' });
    await alice.say(channelId, 'outside');
    expect(texts((await page(channelId, '')).messages)).to.deep.equal(['outside', 'parent']);
    expect(texts((await page(channelId, 'include=threads')).messages)).to.deep.equal(['outside', 'inside', 'parent']);
  });

  it('refuse cursors and limits that are none', async () => {
    const { alice, bob, channel } = here;
    const channelId = await here.newChannel();
    const elsewhere = await alice.say(channel.id, 'elsewhere');
    const bad = [
      'cursor=x',
      `cursor=${elsewhere.id}`,
      `after=${elsewhere.id}`,
      'after=-1',
      'cursor=2020-13-45T00:00:00Z',
    ];
    for (const query of bad) {
      const { status, body } = await bob.get(`/api/channels/${channelId}/messages?${query}`);
      expect([status, body.code], query).to.deep.equal([400, 'INVALID_CURSOR']);
    }
    for (const query of ['limit=0', 'limit=101', 'limit=ten', 'around=x', 'include=all']) {
      expect((await bob.get(`/api/channels/${channelId}/messages?${query}`)).status, query).to.equal(400);
    }
    const around = await bob.get(`/api/channels/${channelId}/messages?around=${elsewhere.id}`);
    expect(around.status).to.equal(404);
  });
});
