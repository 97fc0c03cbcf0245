import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('what a search finds beside messages', () => {
  let here: World;
  let word: string;
  beforeEach(async () => {
    here = await world();
    word = `w${randomBytes(5).toString('hex')}`;
  });
  afterEach(() => here.close());

  const get = async (who: Person, path: string, query: Record<string, string>) => {
    const answer = await who.get(`${path}?${new URLSearchParams(query)}`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };
  const send = async (who: Person, name: string, text: string, about: Record<string, string> = {}) => {
    const file = await who.upload(name, new TextEncoder().encode(text), about);
    return who.say(here.channel.id, '', { attachments: [{ id: file.id }] });
  };

  it('is the first of each kind in one answer, and all of it in pages', async () => {
    const { alice, bob, server } = here;
    const joined = async (index: number) => {
      const person = await register(alice.node, { username: `${word}${index}` });
      await person.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      return person.id;
    };
    const wanted = {
      people: [await joined(0), await joined(1), await joined(2)],
      channels: [] as string[],
      files: [] as string[],
    };
    for (const index of [0, 1, 2]) {
      const id = await here.newChannel(`${word}-${index}`);
      await bob.post(`/api/channels/${id}/join`);
      wanted.channels.push(id);
      const sent = await send(alice, `${word} ${index}.bin`, 'nothing');
      wanted.files.unshift(sent.attachments[0].id);
    }
    const { body: overview } = await get(bob, '/api/search', { query: word, limit: '2' });
    for (const kind of ['people', 'channels', 'files'] as const) {
      const ids = (list: Loose[]) => list.map(({ id }) => id);
      const [first, second] = wanted[kind];
      expect(ids(overview[kind]), kind).to.deep.equal([first, second]);
      const path = `/api/search/${kind}`;
      const page = await get(bob, path, { query: word, limit: '2' });
      expect(ids(page.body), kind).to.deep.equal([first, second]);
      expect(page.headers.get('x-has-more'), kind).to.equal('true');
      const cursor = kind === 'files' ? page.body[1].messageId : '2';
      const rest = await get(bob, path, { query: word, limit: '2', cursor });
      expect(ids(rest.body), kind).to.deep.equal(wanted[kind].slice(2));
      expect(rest.headers.get('x-has-more'), kind).to.equal('false');
      expect((await get(bob, path, { query: '👍' })).body, kind).to.deep.equal([]);
      expect((await get(here.carol, path, { query: word })).body, kind).to.deep.equal([]);
      expect((await bob.get(`${path}?query=${word}&cursor=x`)).body.code, kind).to.equal('INVALID_CURSOR');
      expect((await here.carol.get(`${path}?query=${word}&serverId=${server.id}`)).status, kind).to.equal(404);
    }
  });

  it('shows of the text of a file where it has what was asked for', async () => {
    const { alice, bob, server } = here;
    const sent = await send(alice, 'minutes.txt', `${'before that\n'.repeat(100)}the ${word} lies here`);
    const [attachment] = sent.attachments;
    const place = { serverId: server.id, channelName: 'general' };
    const expectMarked = ({ excerpt, ...found }: Loose) => {
      expect(found).to.include(place);
      expect(excerpt).to.include({ attachmentId: attachment.id, of: 'file' });
      expect(excerpt.text)
        .to.match(/^….*lies here$/s)
        .and.to.have.length.below(300);
      const marked = excerpt.marks.map(({ start, end }: Loose) => excerpt.text.slice(start, end));
      expect(marked).to.deep.equal([word]);
    };
    const [message] = (await get(bob, '/api/search/messages', { query: word })).body;
    expect(message.id).to.equal(sent.id);
    expectMarked(message);
    const [file] = (await get(bob, '/api/search/files', { query: word })).body;
    expect(file.id).to.equal(attachment.id);
    expectMarked(file);
    expect((await get(bob, '/api/search', { query: word })).body.files).to.deep.equal([file]);
    const [named] = (await get(bob, '/api/search/files', { query: `minutes ${word}` })).body;
    expect(named.excerpt).to.deep.include({ text: 'minutes.txt', of: 'filename', marks: [{ start: 0, end: 7 }] });
  });

  it('is a file for its own sake, and shows nothing of one that is a spoiler', async () => {
    const { alice, bob } = here;
    const other = await alice.upload('other.txt', new TextEncoder().encode('nothing'));
    await alice.say(here.channel.id, `${word} is said beside it`, { attachments: [{ id: other.id }] });
    expect((await get(bob, '/api/search/files', { query: word })).body).to.deep.equal([]);
    await send(alice, 'end.txt', `${word} wins`, { isSpoiler: 'true' });
    const [{ excerpt, isSpoiler }] = (await get(bob, '/api/search/files', { query: word })).body;
    expect(isSpoiler).to.equal(true);
    expect(excerpt).to.deep.include({ text: '', marks: [] });
    const [newest] = (await get(bob, '/api/search/messages', { query: word })).body;
    expect(JSON.stringify(newest.excerpt)).to.not.contain(word);
  });

  it('is of one message all files with such a name, and of its first four plain texts those that have it', async () => {
    const { alice, bob } = here;
    const names = ['0.txt', `${word}.txt`, '2.txt', '3.txt', '4.txt', '5.txt', `${word}.bin`];
    const files: Loose[] = [];
    for (const name of names) files.push(await alice.upload(name, new TextEncoder().encode(`the ${word} of ${name}`)));
    await alice.say(here.channel.id, '', { attachments: files.map(({ id }) => ({ id })) });
    const found = (await get(bob, '/api/search/files', { query: word })).body;
    expect(
      found.map(({ id, excerpt }: Loose) => [files.findIndex((file) => file.id === id), excerpt.of]),
    ).to.deep.equal([
      [0, 'file'],
      [1, 'filename'],
      [2, 'file'],
      [3, 'file'],
      [6, 'filename'],
    ]);
  });
});
