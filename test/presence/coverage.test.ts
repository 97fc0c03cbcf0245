// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { Database } from '../../src/database/database.ts';
import { ChannelPresence } from '../../src/features/presence/channel-presence.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { OnlineCounts } from '../../src/features/presence/online-counts.ts';
import { crowd } from '../world/crowd.ts';
import { testSettings } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** With alice and bob as many as a small server has. */
const small = 498;

describe('who is in a place', () => {
  let here: World;
  let database: Database;
  let ids: string[];
  const add = async (count: number) => {
    const { databaseUrl } = here.cluster;
    const site = { databaseUrl, secret: 'unused-'.repeat(10), serverId: here.server.id, at: () => here.alice.node };
    ids.push(...(await crowd(count, site)).map(({ id }) => id));
  };

  beforeEach(async () => {
    here = await world();
    ids = [];
    await add(small);
    const { databaseUrl } = here.cluster;
    database = await Database.connect(databaseUrl, testSettings(databaseUrl, null), pino({ level: 'silent' }));
  });
  afterEach(async () => {
    await database.close();
    here.close();
  });

  function start(online: string[]) {
    const directory = new PresenceDirectory(60_000);
    const set = (who: string[], status: 'online' | 'offline') =>
      directory.apply(who.map((userId) => ({ userId, status })));
    set(online, 'online');
    // What sockets were told of it.
    directory.takePending(10_000);
    return { directory, set, presence: new ChannelPresence(database, directory) };
  }

  it('is listed in full as long as it is small, those online first', async () => {
    const { set, presence } = start(ids.slice(0, 100));
    const shown = async () => {
      const { members, covers } = await presence.of(here.channel.id);
      const online = members.filter(({ status }) => status === 'online').length;
      expect(members.slice(0, online).every(({ status }) => status === 'online')).to.equal(true);
      return [online, members.length, covers];
    };
    expect(await shown()).to.deep.equal([100, 500, 'channel']);
    set(ids, 'online');
    expect(await shown()).to.deep.equal([498, 500, 'channel']);
    set(ids, 'offline');
    expect(await shown()).to.deep.equal([0, 500, 'channel']);
    expect((await presence.peopleIn(here.channel.id))?.length).to.equal(500);
  });

  it('is not said to be listed in full when it has just become large', async () => {
    await add(1);
    const { presence } = start(ids.slice(-10));
    const { members, covers } = await presence.of(here.channel.id);
    expect([members.length, covers]).to.deep.equal([500, 'listed']);
    expect(await presence.peopleIn(here.channel.id)).to.equal(null);
  });

  it('is the same object as long as nobody of them has changed', async () => {
    const { set, presence } = start(ids.slice(0, 100));
    const before = await presence.of(here.channel.id);
    set(['a stranger'], 'online');
    expect(await presence.of(here.channel.id)).to.equal(before);
    set(ids.slice(100, 101), 'online');
    expect(await presence.of(here.channel.id)).not.to.equal(before);
  });

  it('is counted once, and from then on with those who come and go', async () => {
    await add(2000);
    const { directory, set } = start([...ids.slice(0, 50), ...Array.from({ length: 2500 }, () => crypto.randomUUID())]);
    for (const present of [directory, start(ids.slice(0, 50)).directory]) {
      const counts = new OnlineCounts(database, present);
      const { id } = here.server;
      const taken = counts.of(id);
      // While it is being taken.
      counts.note(ids[60] ?? '', [id, 'another'], true);
      expect(await taken).to.equal(51);
      counts.note(ids[60] ?? '', [id], true);
      counts.left(id, ids[0] ?? '');
      expect(await counts.of(id)).to.equal(50);
    }
    // Those of whom nobody was told yet are counted once, too, also if they go before anyone is.
    set(ids.slice(50, 52), 'online');
    const counts = new OnlineCounts(database, directory);
    expect(await counts.of(here.server.id)).to.equal(52);
    directory.apply([{ userId: ids[50] ?? '', status: 'offline' }]);
    for (const { userId, status } of directory.takePending(10)) {
      counts.note(userId, [here.server.id], status !== 'offline');
    }
    expect(await counts.of(here.server.id)).to.equal(51);
  });

  it('is counted for who asks over REST, in a small server as in a large one', async () => {
    const { alice, bob, carol, server } = here;
    const ear = await alice.listen(here.channel.id);
    await query(here.cluster.databaseUrl, 'UPDATE servers SET member_count = 500 WHERE id = $1', [server.id]);
    const path = `/api/servers/${server.id}/members/count`;
    await ear.next('presence:snapshot', ({ members }) => members.length === 500);
    await ear.next('presence:change', ({ changes }) =>
      changes.some(({ userId }: { userId: string }) => userId === alice.id),
    );
    expect((await bob.get(path)).body).to.deep.equal({ total: 500, online: 1 });
    expect((await carol.get(path)).body.code).to.equal('SERVER_NOT_FOUND');
  });
});
