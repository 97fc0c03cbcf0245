import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('pages of messages', () => {
  let here: World;
  let path: string;
  /** Oldest first. */
  let sent: Loose[];
  const total = 23;

  before(async () => {
    here = await world();
    path = `/api/channels/${here.channel.id}/messages`;
    sent = [];
    for (let i = 0; i < total; i++) {
      const author = i % 2 === 0 ? here.alice : here.bob;
      sent.push(await author.say(here.channel.id, `message ${i}`));
    }
  });
  after(() => here.close());

  const page = async (query: string) => {
    const { status, body } = await here.bob.get(`${path}?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const ids = (list: Loose[]): string[] => list.map((message) => message.id);
  const newestFirst = () => ids(sent).reverse();
  const at = (i: number): Loose => sent[i < 0 ? sent.length + i : i];

  it('come newest first, fifty at a time unless told', async () => {
    const { messages, hasMore } = await page('');
    expect(ids(messages)).to.deep.equal(newestFirst());
    expect(hasMore).to.equal(false);
  });

  it('follow each other by the id of the last message, without a repeat or a hole', async () => {
    for (const limit of [1, 5, 22, 23, 24, 100]) {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { messages, hasMore } = await page(`limit=${limit}${cursor}`);
        expect(messages.length).to.equal(Math.min(limit, total - seen.length));
        seen.push(...ids(messages));
        expect(hasMore, `limit ${limit} after ${seen.length}`).to.equal(seen.length < total);
        if (!hasMore) break;
        cursor = `&cursor=${seen.at(-1)}`;
      }
      expect(seen).to.deep.equal(newestFirst());
    }
  });

  it('do not shift while others write', async () => {
    const { alice, channel } = here;
    const first = await page('limit=5');
    const late = await alice.say(channel.id, 'meanwhile');
    const second = await page(`limit=5&cursor=${first.messages.at(-1).id}`);
    expect(ids([...first.messages, ...second.messages])).to.deep.equal(newestFirst().slice(0, 10));
    await alice.delete(`/api/messages/${late.id}`);
  });

  it('end before the first message', async () => {
    expect(await page(`cursor=${at(0).id}`)).to.deep.equal({ messages: [], hasMore: false });
  });

  it('take a time as cursor: strictly older', async () => {
    const { createdAt } = at(10);
    const { messages } = await page(`cursor=${encodeURIComponent(createdAt)}`);
    for (const message of messages) expect(message.createdAt < createdAt).to.equal(true);
    const older = sent.filter((message) => message.createdAt < createdAt);
    expect(ids(messages)).to.deep.equal(ids(older).reverse());
    expect((await page('cursor=2001-01-01T00:00:00.000Z')).messages).to.deep.equal([]);
    expect((await page('cursor=2999-01-01T00:00:00.000Z&limit=1')).messages[0].id).to.equal(at(-1).id);
    // Other spellings of the same moment.
    const zoned = new Date(Date.parse(createdAt) + 7_200_000).toISOString().replace('Z', '+02:00');
    expect(ids((await page(`cursor=${encodeURIComponent(zoned)}`)).messages)).to.deep.equal(ids(messages));
  });

  it('after an id or a number come oldest first', async () => {
    for (const after of [at(9).id, String(at(9).seq)]) {
      const { messages, hasMore } = await page(`after=${after}&limit=5`);
      expect(ids(messages)).to.deep.equal(ids(sent.slice(10, 15)));
      expect(hasMore).to.equal(true);
    }
    const rest = await page(`after=${at(9).id}&limit=13`);
    expect(ids(rest.messages)).to.deep.equal(ids(sent.slice(10)));
    expect(rest.hasMore).to.equal(false);
    expect((await page('after=0')).messages[0].id).to.equal(at(0).id);
    expect(await page(`after=${at(-1).id}`)).to.deep.equal({ messages: [], hasMore: false });
    expect((await page('after=999999999999999')).messages).to.deep.equal([]);
  });

  it('around a message have it in them, newest first, and say what remains on both sides', async () => {
    const middle = await page(`around=${at(11).id}&limit=5`);
    expect(middle.messages).to.have.lengthOf(5);
    expect(ids(middle.messages)).to.include(at(11).id);
    const seqs = middle.messages.map((message: Loose) => message.seq);
    expect(seqs).to.deep.equal([...seqs].sort((a, b) => b - a));
    expect([middle.hasMore, middle.hasNewer]).to.deep.equal([true, true]);
    const oldest = await page(`around=${at(0).id}&limit=5`);
    expect([oldest.messages.at(-1).id, oldest.hasMore, oldest.hasNewer]).to.deep.equal([at(0).id, false, true]);
    const newest = await page(`around=${at(-1).id}&limit=5`);
    expect([newest.messages[0].id, newest.hasMore, newest.hasNewer]).to.deep.equal([at(-1).id, true, false]);
    expect(ids((await page(`around=${at(4).id}&limit=1`)).messages)).to.deep.equal([at(4).id]);
  });

  it('around a message are as many as were asked for, where there are as many', async () => {
    for (const i of [0, 1, 11, total - 2, total - 1]) {
      for (const limit of [2, 3, 10]) {
        const { messages } = await page(`around=${at(i).id}&limit=${limit}`);
        expect(ids(messages), `${limit} around ${i}`).to.include(at(i).id);
        expect(messages.length).to.be.most(limit);
        expect(messages.length, `${limit} around ${i}`).to.be.least(Math.ceil(limit / 2));
      }
    }
  });

  it('go on from messages that were deleted', async () => {
    const { alice, bob, channel } = here;
    const [gone, next] = [await alice.say(channel.id, 'gone'), await bob.say(channel.id, 'next')];
    await alice.delete(`/api/messages/${gone.id}`);
    expect((await page(`cursor=${gone.id}&limit=1`)).messages[0].id).to.equal(at(-1).id);
    expect(ids((await page(`after=${gone.id}`)).messages)).to.deep.equal([next.id]);
    expect(ids((await page(`around=${gone.id}&limit=2`)).messages))
      .to.include(next.id)
      .and.not.include(gone.id);
    await bob.delete(`/api/messages/${next.id}`);
    expect(ids((await page('')).messages)).to.deep.equal(newestFirst());
  });

  it('know only cursors that they gave out', async () => {
    const { alice, server } = here;
    const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'other' })).body;
    const elsewhere = await alice.say(other.id, 'elsewhere');
    const foreign = [
      elsewhere.id,
      crypto.randomUUID(),
      'x',
      '-1',
      '12',
      'yesterday',
      '2026-99-99T00:00:00Z',
      '2026-01-01',
    ];
    for (const cursor of foreign) expectError(await here.bob.get(`${path}?cursor=${cursor}`), 'INVALID_CURSOR');
    for (const after of [elsewhere.id, crypto.randomUUID(), 'x', '-1', '1.5', '9'.repeat(40)]) {
      expectError(await here.bob.get(`${path}?after=${after}`), 'INVALID_CURSOR');
    }
    expectError(await here.bob.get(`${path}?around=${elsewhere.id}`), 'MESSAGE_NOT_FOUND');
    expectError(await here.bob.get(`${path}?around=${crypto.randomUUID()}`), 'MESSAGE_NOT_FOUND');
  });

  it('have from 1 to 100 messages', async () => {
    for (const limit of ['0', '101', '-5', '1.5', 'x', '', '1e2x', '999999999999']) {
      expectError(await here.bob.get(`${path}?limit=${limit}`), 'VALIDATION_FAILED');
    }
    expect((await page('limit=100')).messages).to.have.lengthOf(total);
  });

  it('hold together while many write and delete on all nodes', async () => {
    const busy = await world(here.cluster);
    const { alice, bob, channel } = busy;
    const list = `/api/channels/${channel.id}/messages`;
    const kept: string[] = [];
    for (let i = 0; i < 30; i++) kept.push((await alice.say(channel.id, `kept ${i}`)).id);
    let writing = true;
    const noise = async () => {
      while (writing) {
        const { id } = await bob.say(channel.id, 'noise');
        await bob.delete(`/api/messages/${id}`);
      }
    };
    const noises = [noise(), noise()];
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await alice.get(`${list}?limit=4${cursor}`);
      seen.push(...ids(body.messages.filter((message: Loose) => message.content !== 'noise')));
      if (!body.hasMore) break;
      cursor = `&cursor=${body.messages.at(-1).id}`;
    }
    writing = false;
    await Promise.all(noises);
    expect(seen).to.deep.equal(kept.reverse());
    busy.close();
  });
});
