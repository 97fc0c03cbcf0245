// nodes: own

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('a send of which only the entry in the log fails', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const execute = (statement: string) => withRows(cluster.databaseUrl, (rows) => rows(statement));

  /** Sends into a thread while every entry fails. @param state the SQLSTATE it fails with */
  async function sendAgainst(state: string) {
    const { alice, channel } = here;
    const parentMessageId = (await alice.say(channel.id, 'root')).id;
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, { name: 'thread', parentMessageId })).body;
    const send = () => alice.post(`/api/threads/${thread.id}/messages`, { content: 'reply', nonce: state });
    await execute(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'as ordered' USING ERRCODE = '${state}'; END $$`);
    await execute('CREATE TRIGGER fail AFTER INSERT ON log_entries EXECUTE FUNCTION fail()');
    const failed = await send();
    await execute('DROP FUNCTION fail CASCADE');
    return { failed, again: await send() };
  }

  it('is answered by the reason, and not by what failed because of it', async () => {
    for (const state of ['53100', '57014']) {
      const { failed, again } = await sendAgainst(state);
      expect(failed.status).to.equal(503);
      expect(failed.body.code).to.equal('DATABASE_UNAVAILABLE');
      expect(again.status).to.equal(201);
    }
  });
});
