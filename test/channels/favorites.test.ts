// nodes: one and two

import { expect } from 'chai';
import { maxFavorites } from '../../src/contract/favorite.ts';
import type { Answer, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];

describe('favourites', () => {
  let here: World;
  const list = async (who: Person): Promise<string[]> => (await who.get('/api/favorites')).body.channelIds;
  const add = (id: string, who = here.bob) => who.put(`/api/channels/${id}/favorite`);
  const remove = (id: string, who = here.bob) => who.delete(`/api/channels/${id}/favorite`);

  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  it('are channels and direct messages, in an order of one’s own, the same on all devices', async () => {
    const { alice, bob, channel } = here;
    const plans = await here.newChannel('plans');
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    const ear = await bob.connect();
    expect(await list(bob)).to.deep.equal([]);
    for (const id of [channel.id, plans]) expect((await add(id)).status).to.equal(200);
    expect((await add(dm.id)).body).to.deep.equal({ channelIds: [channel.id, plans, dm.id] });
    await ear.next('favorites:updated', (event) => event.channelIds.length === 3);
    const order = (channelIds: string[]) => bob.patch('/api/favorites/positions', { channelIds });
    expect((await order([dm.id])).body.channelIds).to.deep.equal([dm.id, channel.id, plans]);
    await ear.next('favorites:updated', (event) => event.channelIds[0] === dm.id);
    expect((await order([here.server.id, plans])).body.channelIds).to.deep.equal([plans, dm.id, channel.id]);
    expect((await remove(dm.id)).body.channelIds).to.deep.equal([plans, channel.id]);
    expect(await list(bob)).to.deep.equal([plans, channel.id]);
    expect(await list(alice)).to.deep.equal([]);
  });

  it('tell nobody of what changes nothing', async () => {
    const { bob, channel } = here;
    await add(channel.id);
    const before = await position(bob);
    await add(channel.id);
    await remove(await here.newChannel());
    await bob.patch('/api/favorites/positions', { channelIds: [channel.id] });
    expect(await position(bob)).to.equal(before);
  });

  const position = async ({ id }: Person): Promise<number> => {
    const rows = await query<{ count: number }>(
      here.cluster.databaseUrl,
      `SELECT count(*)::int AS count FROM log_entries WHERE stream_id = $1 AND event = 'favorites:updated'`,
      [id],
    );
    return rows[0]?.count ?? 0;
  };

  it('are of what one may read, and are there again once one may', async () => {
    const { alice, bob, carol, channel } = here;
    const hidden = (await alice.post(`/api/servers/${here.server.id}/channels`, { name: 'hidden', isPrivate: true }))
      .body;
    expect(codeOf(await add(hidden.id))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    expect(codeOf(await add(channel.id, carol))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    await add(hidden.id);
    await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
    expect(await list(bob)).to.deep.equal([]);
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    expect(await list(bob)).to.deep.equal([hidden.id]);
    await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
    expect((await remove(hidden.id)).status).to.equal(200);
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    expect(await list(bob)).to.deep.equal([]);
  });

  it('are as many as someone may have', async () => {
    const { bob, channel } = here;
    await query(
      here.cluster.databaseUrl,
      `WITH made AS (INSERT INTO channels (id, kind, name, type, created_at, updated_at)
         SELECT gen_random_uuid(), 'server', 'c', 'text', now(), now() FROM generate_series(1, $2::int) RETURNING id)
       INSERT INTO channel_favorites (channel_id, user_id, position) SELECT id, $1::uuid, 0 FROM made`,
      [bob.id, maxFavorites],
    );
    expect(codeOf(await add(channel.id))).to.deep.equal([400, 'FAVORITE_LIMIT']);
  });

  it('leave with their channel', async () => {
    const { alice, bob } = here;
    const plans = await here.newChannel('plans');
    await add(plans);
    await alice.delete(`/api/channels/${plans}`);
    expect(await list(bob)).to.deep.equal([]);
  });
});
