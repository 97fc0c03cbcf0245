import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('the search finds what people type', () => {
  let here: World;
  let word: string;
  before(async () => {
    here = await world();
  });
  beforeEach(() => {
    word = `w${randomBytes(5).toString('hex')}`;
  });
  after(() => here.close());

  const found = async (who: Person, query: Record<string, string>): Promise<Loose[]> => {
    const { status, body } = await who.get(`/api/search/messages?${new URLSearchParams(query)}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const texts = async (who: Person, query: Record<string, string>) =>
    (await found(who, query)).map(({ content }) => content);
  const file = (who: Person, name: string, text: string | Uint8Array<ArrayBuffer>) =>
    who.upload(name, typeof text === 'string' ? new TextEncoder().encode(text) : text);

  it('in any piece of a text, whatever its form', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    await bob.post(`/api/channels/${channelId}/join`);
    for (const [text, ...queries] of [
      ['client/server talk', 'server', 'client', 'client/server'],
      ['say yes/no', 'yes', 'no'],
      ['TCP/IP', 'tcp', 'ip'],
      ['node.js README.md', 'node', 'readme', 'node.js'],
      ['foo.png foo@example.com', 'foo', 'example.com'],
      ['see report_final', 'report', 'final', 'report_final', 'report_fi'],
      ['https://x.org/login?repo=1', 'login', 'repo', 'x.org'],
      ['PLT-3699', '3699', 'plt-3699'],
      ['ฉันไปโรงเรียนทุกวัน', 'โรงเรียน'],
      ['ຂ້ອຍໄປໂຮງຮຽນ', 'ໂຮງຮຽນ'],
      ['ខ្ញុំទៅសាលារៀន', 'សាលារៀន'],
      ['ကျွန်တော်ကျောင်းသွားသည်', 'ကျောင်း'],
      ['un café noir'.normalize('NFD'), 'café', 'CAFE'],
      ['오늘은 서울'.normalize('NFD'), '서울'],
      ['مُحَمَّد', 'محمد'],
      ['שָׁלוֹם', 'שלום'],
      ['ﾊﾟﾝﾀﾞ', 'パンダ', 'パン'],
      ['ｆｕｌｌ', 'full'],
      ['Straße', 'strasse', 'STRASSE'],
      ['ὁδός', 'ΟΔΟΣ', 'οδοσ'],
      ['interoperability', 'inter', 'interop*'],
      ['각 나라'.normalize('NFD'), '각', '나라'],
      ['ﾃﾞｰﾀﾍﾞｰｽ', 'データベース', 'ベース'],
      ['see "the red door" now', '"red door"', 'door -window', 'red -"door red"'],
    ] as const) {
      await alice.say(channelId, text);
      for (const query of queries) {
        for (const form of ['NFC', 'NFD'] as const) {
          expect(await texts(bob, { channelId, query: query.normalize(form) }), `${query} in ${text}`).to.include(text);
        }
      }
    }
    expect(await texts(bob, { channelId, query: 'in' })).to.include('interoperability');
    expect(await texts(bob, { channelId, query: '"server client"' })).to.deep.equal([]);
    expect(await texts(bob, { channelId, query: '"inter"' })).to.deep.equal([]);
  });

  it('marks what was asked for in an excerpt', async () => {
    const { alice, bob, channel } = here;
    await alice.say(channel.id, `${'before that '.repeat(40)}Café ${word} and ${'more after '.repeat(40)}`);
    const [{ excerpt }] = await found(bob, { query: `cafe ${word.slice(0, 6)}` });
    const marked = excerpt.marks.map(({ start, end }: Loose) => excerpt.text.slice(start, end));
    expect(marked).to.deep.equal(['Café', word]);
    expect(excerpt.text)
      .to.match(/^….*…$/s)
      .and.to.have.length.below(300);
    const [phrase] = await found(bob, { query: `"${word} and"` });
    expect(phrase.excerpt.marks).to.have.length(2);
  });

  it('by operators, in the text and as parameters', async () => {
    const { alice, bob, channel } = here;
    const other = await here.newChannel(`place-${word}`);
    await bob.post(`/api/channels/${other}/join`);
    const plain = await alice.say(channel.id, `${word} plain`);
    const link = await bob.say(channel.id, `${word} https://example.com`);
    const mention = await bob.say(other, `${word} @${alice.username}`);
    const reacted = await alice.say(other, `${word} reacted`);
    await bob.post(`/api/messages/${reacted.id}/reactions`, { emoji: '👍' });
    await alice.post(`/api/messages/${plain.id}/pin`);
    const thread = (await alice.post(`/api/messages/${link.id}/thread`)).body;
    const inside = (await alice.post(`/api/threads/${thread.id}/messages`, { content: `${word} inside` })).body;
    const picture = await file(alice, 'p.png', Buffer.from(onePixel, 'base64'));
    const withImage = (
      await alice.post(`/api/channels/${channel.id}/messages`, { content: word, attachments: [{ id: picture.id }] })
    ).body;
    const day = new Date().toISOString().slice(0, 10);
    for (const [name, value, ...messages] of [
      ['from', bob.username, mention, link],
      ['from', 'me', withImage, inside, reacted, plain],
      ['in', `place-${word}`, reacted, mention],
      ['in', other, reacted, mention],
      ['in', 'nowhere'],
      ['mentions', 'me', mention],
      ['mentions', alice.username, mention],
      ['from', 'nobody-of-this-name'],
      ['has', 'link', link],
      ['has', 'reaction', reacted],
      ['has', 'pin', plain],
      ['is', 'pinned', plain],
      ['has', 'file', withImage],
      ['has', 'image', withImage],
      ['is', 'thread', inside, link],
      ['is', 'bot'],
      ['on', day, withImage, inside, reacted, mention, link, plain],
      ['before', day],
      ['after', day],
      ['before', '2100', withImage, inside, reacted, mention, link, plain],
      ['after', '2020', withImage, inside, reacted, mention, link, plain],
    ] as const) {
      const ids = messages.map(({ id }) => id);
      const idsOf = async (query: Record<string, string>) => (await found(alice, query)).map(({ id }) => id);
      expect(await idsOf({ query: `${word} ${name}:${value}` }), `${name}:${value}`).to.deep.equal(ids);
      expect(await idsOf({ query: word, [name]: value }), `${name}=${value}`).to.deep.equal(ids);
    }
    expect(await texts(alice, { query: `${word} -in:place-${word} -has:file -is:thread` })).to.deep.equal([
      `${word} plain`,
    ]);
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    await alice.post(`/api/dm/channels/${dm.id}/messages`, { content: `${word} direct` });
    expect(await texts(alice, { query: `${word} in:@${bob.username}` })).to.deep.equal([`${word} direct`]);
    expect(await texts(alice, { query: `${word} in:@${bob.username} in:place-${word}` })).to.deep.equal([
      `${word} direct`,
      `${word} reacted`,
      `${word} @${alice.username}`,
    ]);
    expect(await texts(alice, { query: `${word} -in:@${bob.username} has:reaction` })).to.deep.equal([
      `${word} reacted`,
    ]);
    expect(await texts(alice, { query: `${word} -in:@${bob.username}` })).to.have.length(6);
    expect(await texts(alice, { query: `${word} -from:me -has:link` })).to.deep.equal([`${word} @${alice.username}`]);
    expect(await texts(alice, { from: bob.username, has: 'link', channelId: channel.id })).to.include(
      `${word} https://example.com`,
    );
    await bob.delete(`/api/messages/${reacted.id}/reactions/${encodeURIComponent('👍')}`);
    await alice.delete(`/api/messages/${plain.id}/pin`);
    await until(async () => (await found(alice, { query: word, has: 'reaction' })).length === 0);
    await until(async () => (await found(alice, { query: word, is: 'pinned' })).length === 0);
    for (const query of ['has=wings', 'is=odd', 'before=soon', 'sort=x', 'sort=fit&query=x&cursor=x']) {
      expect((await alice.get(`/api/search/messages?${query}`)).status, query).to.equal(400);
    }
    expect((await found(alice, { in: channel.id })).length).to.be.greaterThan(0);
  });

  it('sorts by time or by fit', async () => {
    const { alice, bob, channel } = here;
    for (const text of [`${word} ${word} ${word}`, `${word} among many other words`, `${word} ${word}`])
      await alice.say(channel.id, text);
    expect((await texts(bob, { query: word }))[0]).to.equal(`${word} ${word}`);
    const all = await texts(bob, { query: word, sort: 'fit' });
    expect(all).to.have.length(3);
    expect(all[2]).to.equal(`${word} among many other words`);
    expect(await texts(bob, { query: word, sort: 'fit', limit: '2', cursor: '1' })).to.deep.equal(all.slice(1));
  });

  it('in the names of files, and in the text of plain ones', async () => {
    const { alice, bob, carol, channel } = here;
    const notes = await file(alice, `notes-${word}.txt`, `the treasure of ${word}body lies here`);
    const sent = (
      await alice.post(`/api/channels/${channel.id}/messages`, { content: 'look', attachments: [{ id: notes.id }] })
    ).body;
    const [byName] = await found(bob, { query: `notes ${word}` });
    expect(byName.id).to.equal(sent.id);
    expect(byName.excerpt).to.include({ text: `notes-${word}.txt`, attachmentId: notes.id });
    expect((await found(bob, { query: `treasure ${word}body` })).map(({ id }) => id)).to.deep.equal([sent.id]);
    const overview = async (who: Person, query: string) =>
      (await who.get(`/api/search?${new URLSearchParams({ query })}`)).body;
    expect((await overview(bob, word)).files.map(({ id }: Loose) => id)).to.deep.equal([notes.id]);
    expect((await overview(bob, `${word}body`)).files.map(({ id }: Loose) => id)).to.deep.equal([notes.id]);
    expect((await overview(carol, word)).files).to.deep.equal([]);
    await alice.delete(`/api/messages/${sent.id}`);
    expect(await found(bob, { query: `${word}body` })).to.deep.equal([]);
    expect((await overview(bob, word)).files).to.deep.equal([]);
  });

  it('people and channels, those that one may know of', async () => {
    const { alice, bob, carol, server } = here;
    const id = await here.newChannel(`café-${word}`);
    const hidden = { name: `hidden-${word}`, isPrivate: true };
    const secret = (await alice.post(`/api/servers/${server.id}/channels`, hidden)).body;
    await alice.patch('/api/auth/me', { displayName: `Ann Li 田中 ${word}` });
    const overview = async (who: Person, query: string) =>
      (await who.get(`/api/search?${new URLSearchParams({ query })}`)).body;
    const ids = (list: Loose[]) => list.map((one) => one.id);
    expect(ids((await overview(bob, word)).channels)).to.deep.equal([id]);
    expect(ids((await overview(bob, `cafe ${word.slice(0, 7)}`)).channels)).to.deep.equal([id]);
    expect(ids((await overview(alice, word)).channels)).to.have.members([id, secret.id]);
    expect((await overview(carol, word)).channels).to.deep.equal([]);
    const shortOnes = [`li ${word}`, `田 ${word}`];
    for (const query of [
      alice.username.slice(0, 8),
      `@${alice.username}`,
      word,
      `ann ${word.slice(0, 7)}`,
      ...shortOnes,
    ]) {
      expect(ids((await overview(bob, query)).people), query).to.deep.equal([alice.id]);
      expect((await overview(carol, query)).people, query).to.deep.equal([]);
    }
    // Beginnings of one or two letters are those of too many words.
    for (const query of [`an ${word}`, `l ${word}`])
      expect((await overview(bob, query)).people, query).to.deep.equal([]);
    for (const query of ['%', '_', '👍', "' | 'a"]) {
      expect((await bob.get(`/api/search?${new URLSearchParams({ query })}`)).status, query).to.equal(200);
    }
  });

  it('nothing of a text that was edited or deleted, from the moment on', async () => {
    const { alice, bob, channel } = here;
    for (let i = 0; i < 5; i++) {
      const sent = await alice.say(channel.id, `${word} secret${i}`);
      expect(await found(bob, { query: `${word} secret${i}` })).to.have.length(1);
      await alice.patch(`/api/messages/${sent.id}`, { content: `${word} harmless${i}` });
      expect(await found(bob, { query: `${word} secret${i}` })).to.deep.equal([]);
      await until(async () => (await found(bob, { query: `${word} harmless${i}` })).length === 1);
      await alice.delete(`/api/messages/${sent.id}`);
      expect(await found(bob, { query: `${word} harmless${i}` })).to.deep.equal([]);
    }
  });
});

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
