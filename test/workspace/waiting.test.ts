import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Answer, Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

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

describe('an edit of a workspace that is about to be told', () => {
  /** Does something while Alice makes a file and the logs of those who are told are not to be had. */
  async function meanwhile(here: World, act: () => Promise<Answer>): Promise<Answer> {
    const { alice, server, cluster } = here;
    const base = `/api/servers/${server.id}/workspace`;
    await alice.get(base);
    return withRows(cluster.databaseUrl, async (rows) => {
      const held = await rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await rows('BEGIN');
      await rows('SELECT id FROM streams WHERE id = $1 FOR UPDATE', [alice.id]);
      const making = alice.post(`${base}/files`, { name: 'new.txt', content: 'new' });
      const isBehind = `SELECT 1 FROM pg_stat_activity WHERE ${held[0]?.pid} = ANY(pg_blocking_pids(pid))`;
      await withRows(cluster.databaseUrl, (look) => until(async () => (await look(isBehind)).length > 0));
      let isOver = false;
      const acting = act().finally(() => {
        isOver = true;
      });
      const isDecided = async (look: typeof rows) => isOver || (await look(waiting)).length > 1;
      await withRows(cluster.databaseUrl, (look) => until(() => isDecided(look)));
      await rows('COMMIT');
      expect((await making).status).to.equal(201);
      return acting;
    });
  }

  it('is told to who joins meanwhile, or found by them', async () => {
    const here = await world();
    const { carol, server } = here;
    const found = await meanwhile(here, async () => {
      expect((await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode })).status).to.equal(200);
      return carol.get(`/api/servers/${server.id}/workspace/tree`);
    });
    const log: Loose = (await carol.get('/api/events?after=0')).body;
    const isTold = log.events.some((entry: Loose) => entry.event === 'workspace:changed');
    expect(isTold || found.body.length === 1, 'neither told nor found').to.equal(true);
    here.close();
  });

  it('is not told to who left meanwhile, after the word that they did', async () => {
    const here = await world();
    const { bob, server } = here;
    await meanwhile(here, () => bob.post(`/api/servers/${server.id}/leave`));
    const log: Loose = (await bob.get('/api/events?after=0')).body;
    const names: string[] = log.events.map((entry: Loose) => entry.event);
    expect(names).to.include('server:left');
    expect(names.slice(names.indexOf('server:left'))).to.not.include('workspace:changed');
    here.close();
  });
});
