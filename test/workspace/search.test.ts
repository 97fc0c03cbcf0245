import { expect } from 'chai';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('the search in a workspace', () => {
  let here: World;
  let base: string;
  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}/workspace`;
  });
  afterEach(() => here.close());

  const file = async (name: string, content: string, parentId: string | null = null): Promise<Loose> =>
    (await here.alice.post(`${base}/files`, { name, content, parentId })).body;
  const search = async (text: string, more = ''): Promise<Loose> =>
    here.bob.get(`${base}/search?query=${encodeURIComponent(text)}${more}`);
  const names = async (text: string, more?: string): Promise<string[]> =>
    (await search(text, more)).body.map(({ name }: Loose) => name);

  it('finds by a part of a name, and by the words of a text, at once', async () => {
    const folder = (await here.alice.post(`${base}/folders`, { name: 'Quarterly budget' })).body;
    await file('notes.md', 'The budget of the spring, and nothing else', folder.id);
    await file('other.txt', 'Something else');
    expect(await names('budget')).to.deep.equal(['Quarterly budget', 'notes.md']);
    expect(await names('arterly')).to.deep.equal(['Quarterly budget']);
    expect(await names('else')).to.have.members(['notes.md', 'other.txt']);
    expect(await names('notes spring')).to.deep.equal(['notes.md']);
    expect(await names('"nothing else"')).to.deep.equal(['notes.md']);
    expect(await names('else -spring')).to.deep.equal(['other.txt']);
    expect(await names('nowhere')).to.deep.equal([]);
  });

  it('says why something is found, and where it is', async () => {
    const folder = (await here.alice.post(`${base}/folders`, { name: 'docs' })).body;
    await file('notes.md', `${'before '.repeat(60)}the spring ${'after '.repeat(60)}`, folder.id);
    const [found] = (await search('spring')).body;
    const { text, marks, of } = found.excerpt;
    expect([found.path, of]).to.deep.equal(['/docs/notes.md', 'content']);
    expect(text.length).to.be.lessThan(260);
    expect(marks.map(({ start, end }: Loose) => text.slice(start, end))).to.deep.equal(['spring']);
    const [named] = (await search('OTES')).body;
    expect(named.excerpt).to.deep.equal({ text: 'notes.md', marks: [{ start: 1, end: 5 }], of: 'name' });
  });

  it('follows changes, also those of a node that knows nothing of it', async () => {
    const made = await file('a.txt', 'first words');
    expect(await names('first')).to.deep.equal(['a.txt']);
    await here.bob.patch(`${base}/files/${made.id}`, { content: 'second words' });
    expect(await names('first')).to.deep.equal([]);
    expect(await names('second')).to.deep.equal(['a.txt']);
    await here.bob.patch(`${base}/files/${made.id}`, { name: 'renamed.txt' });
    expect(await names('renamed')).to.deep.equal(['renamed.txt']);
    const copy = (await here.bob.post(`${base}/files/${made.id}/clone`)).body;
    expect(await names('second')).to.have.members(['renamed.txt', copy.name]);
    await query(here.cluster.databaseUrl, `UPDATE workspace_nodes SET name = 'past the interface' WHERE id = $1`, [
      copy.id,
    ]);
    expect(await names('interface second')).to.deep.equal(['past the interface']);
    await here.bob.delete(`${base}/files/${made.id}`);
    expect(await names('second')).to.deep.equal(['past the interface']);
  });

  it('is of one server, and for its members', async () => {
    await file('a.txt', 'a secret');
    const other = (await here.bob.post('/api/servers', { name: 'Other', slug: `o-${Date.now()}` })).body;
    const there = await here.bob.get(`/api/servers/${other.id}/workspace/search?query=secret`);
    expect(there.body).to.deep.equal([]);
    expect((await here.carol.get(`${base}/search?query=secret`)).status).to.equal(404);
  });

  it('comes in pages, names first, then the latest', async () => {
    for (const name of ['one.txt', 'two.txt', 'spring.txt', 'three.txt']) await file(name, 'spring');
    const all = ['spring.txt', 'three.txt', 'two.txt', 'one.txt'];
    expect(await names('spring')).to.deep.equal(all);
    const first = await search('spring', '&limit=3');
    expect([first.body.length, first.headers.get('x-has-more')]).to.deep.equal([3, 'true']);
    const rest = await search('spring', '&limit=3&cursor=3');
    expect(rest.body.map(({ name }: Loose) => name)).to.deep.equal(['one.txt']);
    expect(rest.headers.get('x-has-more')).to.equal('false');
    expect((await search('spring', '&cursor=x')).body.code).to.equal('INVALID_CURSOR');
  });

  it('takes any text for a part of a name, with and without words', async () => {
    await file('50 %_.txt', 'x');
    for (const text of ['%_', '"', '-', "'", '50 %', '&|!():*']) {
      expect((await search(text)).status, text).to.equal(200);
    }
    expect(await names('%_')).to.deep.equal(['50 %_.txt']);
  });
});
