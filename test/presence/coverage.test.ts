// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { Database } from '../../src/database/database.ts';
import { ChannelPresence } from '../../src/features/presence/channel-presence.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { crowd } from '../world/crowd.ts';
import { testSettings } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

/** More than are all looked up. */
const size = 2200;

describe('the snapshot of a channel of very many', () => {
  let here: World;
  let database: Database;
  let ids: string[];

  before(async () => {
    here = await world();
    const { databaseUrl } = here.cluster;
    const site = { databaseUrl, secret: 'unused-'.repeat(10), serverId: here.server.id, at: () => here.alice.node };
    ids = (await crowd(size, site)).map(({ id }) => id);
    database = await Database.connect(databaseUrl, testSettings(databaseUrl, null), pino({ level: 'silent' }));
  });
  after(async () => {
    await database.close();
    here.close();
  });

  function start(online: string[]) {
    const directory = new PresenceDirectory(60_000);
    const set = (who: string[], status: 'online' | 'offline') =>
      directory.apply(who.map((userId) => ({ userId, status })));
    set(online, 'online');
    return { set, presence: new ChannelPresence(database, directory) };
  }

  it('covers the channel as long as all who are online are listed', async () => {
    const { set, presence } = start(ids.slice(0, 499));
    const shown = async () => {
      const { members, covers } = await presence.of(here.channel.id);
      return [members.filter(({ status }) => status === 'online').length, members.length, covers];
    };
    expect(await shown()).to.deep.equal([499, 500, 'channel']);
    set(ids.slice(499, 500), 'online');
    expect(await shown()).to.deep.equal([500, 500, 'channel']);
    set(ids.slice(500, 501), 'online');
    expect(await shown()).to.deep.equal([500, 500, 'listed']);
    set(ids.slice(0, 100), 'offline');
    expect(await shown()).to.deep.equal([401, 500, 'channel']);
  });

  it('has those who have come since the others were looked up, wherever they are among them', async () => {
    const { set, presence } = start([]);
    await presence.of(here.channel.id);
    set(ids, 'online');
    set(ids, 'offline');
    // The last of whom the database has: no look-up of some has them.
    for (const id of ids.slice(-50)) {
      set([id], 'online');
      const { members } = await presence.of(here.channel.id);
      expect(members.some(({ userId, status }) => userId === id && status === 'online')).to.equal(true);
    }
  });
});
