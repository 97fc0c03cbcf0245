import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('the search for messages', () => {
  let here: World;
  let word: string;
  beforeEach(async () => {
    here = await world();
    word = `w${randomBytes(5).toString('hex')}`;
  });
  afterEach(() => here.close());

  const search = async (who: Person, query: string) => {
    const answer = await who.get(`/api/search/messages?${query}`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return { texts: answer.body.map((message: Loose) => message.content), ...answer };
  };

  it('finds words, phrases and their absence, newest first', async () => {
    const { alice, bob, channel } = here;
    for (const text of [`${word} red apple`, `${word} green apple`, `a green ${word} pear`])
      await alice.say(channel.id, text);
    expect((await search(bob, `query=${word}`)).texts).to.deep.equal([
      `a green ${word} pear`,
      `${word} green apple`,
      `${word} red apple`,
    ]);
    expect((await search(bob, `query=${word.toUpperCase()}+GREEN`)).texts).to.have.length(2);
    expect((await search(bob, `query=${word}+"green+apple"`)).texts).to.deep.equal([`${word} green apple`]);
    expect((await search(bob, `query=${word}+-apple`)).texts).to.deep.equal([`a green ${word} pear`]);
    expect((await search(bob, `query=${word}+nothing`)).texts).to.deep.equal([]);
  });

  it('gives complete records, and follows edits and deletions', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, word);
    await bob.post(`/api/messages/${sent.id}/reactions`, { emoji: '👍' });
    const [{ excerpt, serverId, channelName, ...found }] = (await search(bob, `query=${word}`)).body;
    expect([serverId, channelName]).to.deep.equal([here.server.id, 'general']);
    expect(found).to.deep.equal((await bob.get(`/api/messages/${sent.id}`)).body);
    const marks = [{ start: 0, end: word.length }];
    expect(excerpt).to.deep.equal({ text: word, marks, attachmentId: null, of: 'message' });
    await alice.patch(`/api/messages/${sent.id}`, { content: 'something else' });
    expect((await search(bob, `query=${word}`)).body).to.deep.equal([]);
    await alice.patch(`/api/messages/${sent.id}`, { content: `again ${word}` });
    expect((await search(bob, `query=${word}`)).body).to.have.length(1);
    await alice.delete(`/api/messages/${sent.id}`);
    expect((await search(bob, `query=${word}`)).body).to.deep.equal([]);
  });

  it('looks only where the caller may read: servers, private channels, threads, direct messages', async () => {
    const { alice, bob, carol, server, channel } = here;
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
    const dm = (await alice.post('/api/dm/channels', { userId: carol.id })).body;
    const open = await alice.say(channel.id, `${word} open`);
    const thread = (await alice.post(`/api/messages/${open.id}/thread`)).body;
    await alice.post(`/api/threads/${thread.id}/messages`, { content: `${word} thread` });
    await alice.say(hidden.id, `${word} hidden`);
    await alice.post(`/api/dm/channels/${dm.id}/messages`, { content: `${word} direct` });
    const own = ['direct', 'hidden', 'thread', 'open'].map((text) => `${word} ${text}`);
    expect((await search(alice, `query=${word}`)).texts).to.deep.equal(own);
    expect((await search(bob, `query=${word}`)).texts).to.deep.equal([`${word} thread`, `${word} open`]);
    expect((await search(carol, `query=${word}`)).texts).to.deep.equal([`${word} direct`]);
    expect((await search(alice, `query=${word}&serverId=${server.slug}`)).texts).to.deep.equal(own.slice(1));
    expect((await search(alice, `query=${word}&channelId=${dm.id}`)).texts).to.deep.equal(own.slice(0, 1));
    const both = (id: string) => search(alice, `query=${word}&serverId=${server.id}&channelId=${id}`);
    expect((await both(dm.id)).texts).to.deep.equal([]);
    expect((await both(hidden.id)).texts).to.deep.equal(own.slice(1, 2));
    expect((await search(alice, `query=${word}&authorId=${bob.id}`)).texts).to.deep.equal([]);
    for (const [query, status] of [
      [`serverId=${server.id}`, 404],
      [`channelId=${channel.id}`, 404],
      ['channelId=x', 400],
    ] as const) {
      expect((await carol.get(`/api/search/messages?query=${word}&${query}`)).status, query).to.equal(status);
    }
  });

  it('finds any piece of what is written without spaces between words', async () => {
    const { alice, bob, carol, channel } = here;
    const texts = [
      `明日は東京駅で会いましょう ${word}`,
      `京東 ${word}`,
      `오늘은 서울에서 ${word}`,
      `𠮷野家 iPhone用ケース ${word}`,
      `a cat ${word}`,
    ];
    for (const text of texts) await alice.say(channel.id, text);
    for (const [query, hits] of [
      ['東京', [0]],
      [`東京 ${word}`, [0]],
      ['京', [1, 0]],
      ['会いましょう', [0]],
      ['서울', [2]],
      ['𠮷野', [3]],
      ['iphone用', [3]],
      ['"用ケース"', [3]],
      [`"ケース ${word}"`, [3]],
      [`京 -東京 ${word}`, [1]],
      ['東京 or 서울', [2, 0]],
      ['東京 or cat', [4, 0]],
      [`${word} -東京`, [4, 3, 2, 1]],
      [`${word} -京`, [4, 3, 2]],
      ['駅東京', []],
      ['大阪', []],
    ] as const) {
      const found = await search(bob, `channelId=${channel.id}&query=${encodeURIComponent(query)}`);
      expect(found.texts, query).to.deep.equal(hits.map((hit) => texts[hit]));
    }
    expect((await search(carol, `query=${encodeURIComponent('東京')}`)).texts).to.not.include(texts[0]);
  });

  it('finds words in tags, and what looks like tags', async () => {
    const { alice, bob, channel } = here;
    const sent = [
      `${word} <script src="https://example.com/x.js">hello</script>`,
      `${word} returns Promise<void>, not Map<string, int>`,
      `${word} a tag <b>東京</b>`,
      `${word} script without any`,
    ];
    for (const text of sent) await alice.say(channel.id, text);
    const finds: [string, number[]][] = [
      ['script', [3, 0]],
      ['<script>', [3, 0]],
      ['</script>', [3, 0]],
      ['src hello', [0]],
      ['"promise void"', [1]],
      ['Promise<void>', [1]],
      ['Map<string, int> -hello', [1]],
      ['-script', [2, 1]],
      ['-<script>', [2, 1]],
      ['b 東京', [2]],
      ['hello or void', [1, 0]],
      ['tag', [2]],
      ['<>', []],
    ];
    for (const [query, indexes] of finds) {
      const { texts } = await search(bob, `query=${encodeURIComponent(query === '<>' ? query : `${word} ${query}`)}`);
      expect(texts, query).to.deep.equal(indexes.map((index) => sent[index]));
    }
  });

  it('does not take the ids of channels for words', async () => {
    const { alice, bob, channel } = here;
    await alice.say(channel.id, 'anything');
    for (const query of [channel.id, `"${channel.id}"`, `'${channel.id}'`, channel.id.slice(0, 8)]) {
      expect((await search(bob, `query=${encodeURIComponent(query)}`)).body, query).to.deep.equal([]);
    }
  });

  it('finds nothing where no word is asked for', async () => {
    const { alice, bob, channel } = here;
    await alice.say(channel.id, `${word} 👍`);
    for (const query of ['👍', '!', '""', '- -']) {
      expect((await search(bob, `query=${encodeURIComponent(query)}`)).body, query).to.deep.equal([]);
    }
    expect((await search(bob, `query=${encodeURIComponent(`${word} 👍`)}`)).body).to.have.length(1);
  });

  it('pages, and says whether there is more', async () => {
    const { alice, bob, channel } = here;
    for (let i = 0; i < 5; i++) await alice.say(channel.id, `${word} ${i}`);
    const first = await search(bob, `query=${word}&limit=3`);
    expect(first.headers.get('x-has-more')).to.equal('true');
    const rest = await search(bob, `query=${word}&limit=3&cursor=${first.body[2].id}`);
    expect(rest.headers.get('x-has-more')).to.equal('false');
    for (const cursor of ['x', '']) {
      const refused = await bob.get(`/api/search/messages?query=${word}&cursor=${cursor}`);
      expect(refused.body.code).to.equal('INVALID_CURSOR');
    }
    expect([...first.texts, ...rest.texts]).to.deep.equal([4, 3, 2, 1, 0].map((i) => `${word} ${i}`));
  });

  it('takes several minus signs for a line, and not for exclusions', async () => {
    const { alice, bob, channel } = here;
    await alice.say(channel.id, `${word} --help`);
    for (const query of ['--help', '---help', '-- help', '- -help']) {
      expect((await search(bob, `query=${word}+${encodeURIComponent(query)}`)).texts).to.have.length(1);
    }
    expect((await search(bob, `query=${word}+-help`)).texts).to.deep.equal([]);
  });

  it('takes whatever people type', async () => {
    const { bob } = here;
    for (const query of ["'", '"', '\\', '|', '&', ':*', '!!', '()', '-', '- -', '%', '""', '🎉', 'שלום', "a' | 'b"]) {
      expect((await bob.get(`/api/search/messages?query=${encodeURIComponent(query)}`)).status, query).to.equal(200);
    }
    for (const piece of ['-', '- ', '-!', '-<', '-|(', '-:', '-字 ']) {
      const query = `${piece.repeat(80)}a`;
      expect((await bob.get(`/api/search/messages?query=${encodeURIComponent(query)}`)).status, query).to.equal(200);
    }
    for (const query of ['', '+', 'x'.repeat(257), '%00']) {
      expect((await bob.get(`/api/search/messages?query=${query}`)).status, query).to.equal(400);
    }
  });
});
