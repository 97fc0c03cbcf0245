// nodes: one and two

import { expect } from 'chai';
import { maxCategories } from '../../src/contract/category.ts';
import { botIn } from '../world/bot.ts';
import { ownRole } from '../world/own-roles.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const names = (list: Loose[]) => list.map(({ name }) => name);

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe('categories of channels', () => {
  let here: World;
  const at = (rest = '') => `/api/servers/${here.server.id}/categories${rest}`;
  const list = async (who: Person): Promise<Loose[]> => (await who.get(at())).body;
  const make = async (name: string, who = here.alice): Promise<Loose> => (await who.post(at(), { name })).body;
  const channels = async (who: Person): Promise<Loose[]> =>
    (await who.get(`/api/servers/${here.server.id}/channels`)).body;
  const create = async (body: object): Promise<Loose> =>
    (await here.alice.post(`/api/servers/${here.server.id}/channels`, body)).body;
  const place = (positions: object[], who = here.alice) =>
    who.patch(`/api/servers/${here.server.id}/channels/positions`, { positions });

  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  it('are made, renamed, put in order and deleted by those who order channels, and everyone is told', async () => {
    const { alice, bob, carol, server } = here;
    const ear = await bob.connect();
    expect(codeOf(await bob.post(at(), { name: 'Work' }))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect((await carol.get(at())).status).to.equal(404);
    await ownRole(here, [bob], { permissions: ['channel:order'] });
    const work = await make('Work', bob);
    expect(work).to.include({ serverId: server.id, name: 'Work', position: 0 });
    await ear.next('server:updated', (event) => event.server.categoriesVersion === 1);
    const play = await make('Play');
    expect(names((await alice.patch(at('/positions'), { categoryIds: [play.id] })).body)).to.deep.equal([
      'Play',
      'Work',
    ]);
    expect((await list(alice)).map(({ position }) => position)).to.deep.equal([0, 1]);
    expect((await alice.patch(at(`/${work.id}`), { name: 'Labour' })).body.name).to.equal('Labour');
    expect(names(await list(bob))).to.deep.equal(['Play', 'Labour']);
    await ear.next('server:updated', (event) => event.server.categoriesVersion === 4);
    expect((await alice.delete(at(`/${play.id}`))).status).to.equal(200);
    expect(names(await list(alice))).to.deep.equal(['Labour']);
    expect(codeOf(await alice.delete(at(`/${play.id}`)))).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
    expect(codeOf(await alice.patch(at(`/${play.id}`), { name: 'x' }))).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
    const order = await alice.patch(at('/positions'), { categoryIds: [play.id] });
    expect(codeOf(order)).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
    expect(codeOf(await alice.post(at(), { name: '' }))).to.deep.equal([400, 'VALIDATION_FAILED']);
  });

  it('tell nobody of what changes nothing', async () => {
    const { alice, server } = here;
    const [work, play] = [await make('Work'), await make('Play')];
    await alice.patch(at(`/${work.id}`), { name: 'Work' });
    await alice.patch(at('/positions'), { categoryIds: [work.id, play.id] });
    expect((await alice.get(`/api/servers/${server.id}`)).body.categoriesVersion).to.equal(2);
  });

  it('have channels, which are made there, moved with their order, and stay when it is deleted', async () => {
    const { alice, bob, channel } = here;
    const [work, play] = [await make('Work'), await make('Play')];
    const plans = await create({ name: 'plans', categoryId: work.id });
    expect(plans.categoryId).to.equal(work.id);
    expect((await bob.get(`/api/channels/${plans.id}`)).body.categoryId).to.equal(work.id);
    const ear = await bob.listen(channel.id, plans.id);
    const moved = await place([
      { id: plans.id, position: 0, categoryId: play.id },
      { id: channel.id, position: 1 },
    ]);
    expect(moved.body.map((one: Loose) => [one.name, one.categoryId])).to.deep.equal([
      ['plans', play.id],
      ['general', null],
    ]);
    const told = await ear.next('channel:updated', (event) => event.channel.id === plans.id);
    expect(told.channel).to.include({ categoryId: play.id, position: 0 });
    // What a move does not say of it stays.
    await place([{ id: plans.id, position: 1 }]);
    expect((await channels(bob)).map(({ categoryId }) => categoryId)).to.include(play.id);
    await place([{ id: plans.id, position: 1, categoryId: work.id }]);
    await alice.delete(at(`/${work.id}`));
    await ear.next('channel:updated', (event) => event.channel.id === plans.id && event.channel.categoryId === null);
    expect((await channels(bob)).map(({ categoryId }) => categoryId)).to.deep.equal([null, null]);
  });

  it('are of one server: no other has channels in them', async () => {
    const { alice } = here;
    const other = (await alice.post('/api/servers', { name: 'Other' })).body;
    const foreign = (await alice.post(`/api/servers/${other.id}/categories`, { name: 'Foreign' })).body;
    const body = { name: 'plans', categoryId: foreign.id };
    const refused = await alice.post(`/api/servers/${here.server.id}/channels`, body);
    expect(codeOf(refused)).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
    const wish = [{ id: here.channel.id, position: 0, categoryId: foreign.id }];
    expect(codeOf(await place(wish))).to.deep.equal([404, 'CATEGORY_NOT_FOUND']);
    expect(codeOf(await alice.patch(at(`/${foreign.id}`), { name: 'Mine' }))).to.deep.equal([
      404,
      'CATEGORY_NOT_FOUND',
    ]);
  });

  it('are known by name to those alone who see a channel in them, and to who orders them', async () => {
    const { alice, bob, server } = here;
    const [secret, open] = [await make('Secret'), await make('Open')];
    await make('Empty');
    const hidden = await create({ name: 'hidden', isPrivate: true, categoryId: secret.id });
    const plans = await create({ name: 'plans', categoryId: open.id });
    const robot = await botIn(server, bob);
    expect(names(await list(alice))).to.deep.equal(['Secret', 'Open', 'Empty']);
    expect(names(await list(bob))).to.deep.equal(['Open']);
    expect(names((await robot.get(at())).body)).to.deep.equal([]);
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    expect(names(await list(bob))).to.deep.equal(['Secret', 'Open']);
    await alice.post(`/api/channels/${plans.id}/archive`);
    expect(names(await list(bob))).to.deep.equal(['Secret']);
  });

  it('are as many as a server may have', async () => {
    await query(
      here.cluster.databaseUrl,
      `INSERT INTO channel_categories (id, server_id, name, position, created_at, updated_at)
       SELECT gen_random_uuid(), $1::uuid, 'c', n, now(), now() FROM generate_series(1, $2::int) n`,
      [here.server.id, maxCategories],
    );
    expect(codeOf(await here.alice.post(at(), { name: 'one more' }))).to.deep.equal([400, 'CATEGORY_LIMIT']);
  });

  it('keep an order that someone meant when several put them in order at once', async () => {
    const { alice, cluster } = here;
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await make(name)).id);
    const wishes = [ids, ids.toReversed()];
    await Promise.all(
      wishes.map((categoryIds, i) =>
        alice.on(cluster.nodes[i % cluster.nodes.length] ?? alice.node).patch(at('/positions'), { categoryIds }),
      ),
    );
    expect(wishes).to.deep.include((await list(alice)).map(({ id }) => id));
  });
});
