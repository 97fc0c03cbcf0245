import { expect } from 'chai';
import { sharedCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** The sweep asks about these only when they are noted, so that silent people cost nothing. */
describe('the logs that the database notes when they get events', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  async function isNoted(id: string): Promise<boolean> {
    const { databaseUrl } = await sharedCluster();
    return (await query(databaseUrl, 'SELECT FROM moved_logs WHERE stream_id = $1', [id])).length > 0;
  }

  it('are those of people and of direct messages, whoever writes', async () => {
    const { alice, bob, carol } = here;
    const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
    expect(await isNoted(bob.id)).to.equal(true);
    expect(await isNoted(dm.id)).to.equal(false);
    await alice.say(dm.id, 'Just you and me');
    expect(await isNoted(dm.id)).to.equal(true);
    const { databaseUrl } = await sharedCluster();
    expect(await isNoted(carol.id)).to.equal(false);
    await query(databaseUrl, 'UPDATE streams SET last_seq = last_seq + 1, floor_seq = last_seq + 1 WHERE id = $1', [
      carol.id,
    ]);
    expect(await isNoted(carol.id)).to.equal(true);
  });

  it('are not those of other channels: each send would pay for it', async () => {
    const { alice, channel } = here;
    await alice.say(channel.id, 'Hello, all');
    expect(await isNoted(channel.id)).to.equal(false);
  });
});
