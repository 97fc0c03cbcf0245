import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Answer, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('what one may have only so many of', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    const servers = { maxPerOwner: 3, maxChannels: 4 };
    const settings = { servers, apps: { maxPerServer: 2 }, modelProxy: { tokensPerUser: 2 } };
    cluster = await startCluster({ settings });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const many = [1, 2, 3, 4, 5, 6];
  /** Asks for the same on all nodes at once. @returns what each was answered: its status, or the code of its refusal */
  async function atOnce(person: Person, ask: (person: Person, at: number) => Promise<Answer>): Promise<unknown[]> {
    const { nodes } = cluster;
    const answers = await Promise.all(many.map((at) => ask(person.on(nodes[at % nodes.length] ?? person.node), at)));
    return answers.map(({ status, body }) => body.code ?? status).sort();
  }

  it('are servers that one owns, made or handed over', async () => {
    const { alice, bob } = here;
    const told = await atOnce(alice, (person, at) => person.post('/api/servers', { name: `of alice ${at}` }));
    expect(told).to.deep.equal([201, 201, ...many.slice(2).map(() => 'SERVER_LIMIT')]);
    const gift = (await bob.post('/api/servers', { name: 'gift', isPublic: true })).body;
    await alice.post(`/api/servers/${gift.id}/join`);
    const give = () => bob.patch(`/api/servers/${gift.id}/members/${alice.id}`, { role: 'owner' });
    expect((await give()).body.code).to.equal('SERVER_LIMIT');
    const own = (await alice.get('/api/servers')).body.find(({ name }: { name: string }) =>
      name.startsWith('of alice'),
    );
    await alice.delete(`/api/servers/${own.id}`);
    expect((await give()).body.role).to.equal('owner');
    expect((await alice.post('/api/servers', { name: 'one too many' })).body.code).to.equal('SERVER_LIMIT');
  });

  it('are channels of a server', async () => {
    const path = `/api/servers/${here.server.id}/channels`;
    const told = await atOnce(here.alice, (person, at) => person.post(path, { name: `c${at}` }));
    expect(told).to.deep.equal([201, 201, 201, ...many.slice(3).map(() => 'CHANNEL_LIMIT')]);
    const channels = (await here.alice.get(path)).body;
    expect(channels).to.have.lengthOf(4);
    await here.alice.delete(`/api/channels/${channels[1].id}`);
    expect((await here.alice.post(path, { name: 'in its place' })).status).to.equal(201);
  });

  it('are apps of a server, of which new versions can be published all the same', async () => {
    const { alice, server } = here;
    const path = `/api/servers/${server.id}/apps`;
    const page = { type: 'html', htmlContent: '<p>hello' };
    const told = await atOnce(alice, (person, at) => person.post(path, { ...page, name: `app ${at}` }));
    expect(told).to.deep.equal([201, 201, ...many.slice(2).map(() => 'APP_LIMIT')]);
    const file = { name: 'index.html', content: '<p>hello again', parentId: null };
    const { id: fileId } = (await alice.post(`/api/servers/${server.id}/workspace/files`, file)).body;
    const [{ slug }] = (await alice.get(path)).body.items;
    expect((await alice.post(`${path}/publish`, { fileId, slug, name: 'next' })).body.version).to.equal(2);
    const another = { fileId, slug: 'another', name: 'another' };
    expect((await alice.post(`${path}/publish`, another)).body.code).to.equal('APP_LIMIT');
  });

  it('are tokens of runtimes', async () => {
    const someone = await register(here.alice.node);
    const mint = (person: Person, at: number) => person.post('/api/ai/tokens', { runtimeId: `r${at}` });
    const told = await atOnce(someone, mint);
    expect(told).to.deep.equal([201, 201, ...many.slice(2).map(() => 'TOKEN_LIMIT')]);
  });
});
