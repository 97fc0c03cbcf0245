import { expect } from 'chai';
import { until } from '../bench/until.ts';
import { withRows } from '../world/log.ts';
import { world } from '../world/world.ts';

const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

describe('an edit of a workspace that waits for its turn', () => {
  it('is not made by who was put out of the server meanwhile', async () => {
    const { alice, bob, server, cluster, close } = await world();
    const base = `/api/servers/${server.id}/workspace`;
    await bob.get(base);
    const late = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT id FROM workspaces WHERE server_id = $1 FOR UPDATE', [server.id]);
      const writing = bob.post(`${base}/files`, { name: 'late.txt', content: 'late' });
      await withRows(cluster.databaseUrl, (look) => until(async () => (await look(waiting)).length > 0));
      expect((await alice.delete(`/api/servers/${server.id}/members/${bob.id}`)).status).to.equal(200);
      await rows('COMMIT');
      return writing;
    });
    expect([late.status, late.body.code]).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    expect((await alice.get(`${base}/stats`)).body.fileCount).to.equal(0);
    close();
  });
});
