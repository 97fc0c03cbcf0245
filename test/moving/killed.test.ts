// nodes: own

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { zip } from '../apps/zip.ts';
import { atEnd } from '../rig/ending.ts';
import { inherited } from '../rig/processes.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import type { Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { largeSlack } from './exports.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-killed-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const cli = path.join(import.meta.dirname, '../../src/cli.ts');
const [channels, each, people] = [3, 2500, 40];

describe('an import that is killed', function () {
  // It starts the command many times.
  this.timeout(600_000);
  let cluster: Cluster;
  let here: World;
  const file = path.join(folder, 'large.zip');

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    writeFileSync(file, zip(largeSlack(channels, each, people)));
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const sql = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    withRows(cluster.databaseUrl, (rows) => rows<R>(text, values));
  const env = () => ({ DATABASE_URL: cluster.databaseUrl, DATA_DIR: folder });
  const order = () => ['import-from', 'slack', file, '--new', 'Large', '--owner', here.alice.username];

  const start = (): ChildProcess =>
    spawn(process.execPath, [cli, ...order()], {
      env: { ...inherited(), NODE_ENV: 'test', ...env() },
      stdio: 'ignore',
    });

  /** How far it is, in one number that only grows. */
  async function progress(): Promise<number> {
    const [row] = await sql<{ far: number }>(
      `SELECT (SELECT count(*) FROM imports) + (SELECT count(*) FROM import_people)
         + (SELECT coalesce(sum(last_seq), 0) FROM import_channels)
         + (SELECT count(*) FROM import_channels WHERE state <> 'writing') AS far`,
    );
    return Number(row?.far ?? 0);
  }

  it('goes on where it was, however often, and nothing is there twice or missing', async () => {
    const steps = [0.002, 0.01, 0.2, 0.36, 0.6];
    for (const share of steps) {
      const wanted = share * channels * each;
      const child = start();
      const ended = once(child, 'exit');
      await until(async () => (await progress()) >= wanted, { timeout: 120_000 });
      child.kill('SIGKILL');
      await ended;
      // Nobody sees a channel that is not complete.
      const [server] = await sql<{ id: string }>("SELECT id FROM servers WHERE name = 'Large'");
      const seen: Loose[] = server ? (await here.alice.get(`/api/servers/${server.id}/channels`)).body : [];
      for (const { lastSeq } of seen) expect(lastSeq).to.equal(each);
    }
    // On a slow machine the last of them may have come to its end.
    const isEnded = (await sql('SELECT id FROM imports WHERE finished_at IS NOT NULL')).length > 0;
    if (!isEnded) {
      const last = await parley(env(), order());
      expect([last.code, last.complaint]).to.deep.equal([0, '']);
      expect(last.out).to.match(/^This import was begun before: it goes on where it was/);
    }
    const servers = await sql<{ id: string }>("SELECT id FROM servers WHERE name = 'Large'");
    expect(servers).to.have.lengthOf(1);
    const found = await sql<Loose>(
      `SELECT c.name, count(m.id)::int AS count, count(DISTINCT m.id)::int AS ids, max(m.seq)::int AS last,
         bool_and(m.content = right(c.name, 1) || ': ' || (m.seq - 1)) AS ordered, s.last_seq::int AS head
       FROM channels c JOIN messages m ON m.channel_id = c.id JOIN streams s ON s.id = c.id
       WHERE c.server_id = $1 GROUP BY c.name, s.last_seq ORDER BY c.name`,
      [servers[0]?.id],
    );
    const whole = { count: each, ids: each, last: each, ordered: true, head: each };
    expect(found).to.deep.equal(Array.from({ length: channels }, (_, at) => ({ name: `place-${at}`, ...whole })));
    const accounts = await sql<Loose>('SELECT user_id FROM import_people');
    expect(new Set(accounts.map(({ user_id }) => user_id)).size).to.equal(people);
    expect(await sql("SELECT id FROM users WHERE email LIKE '%@many.example'")).to.have.lengthOf(people);
  });

  it('that nobody wants to finish is forgotten, with all that it has read', async () => {
    const other = path.join(folder, 'other.zip');
    writeFileSync(other, zip(largeSlack(2, 2500, 5).map((entry) => ({ ...entry, name: `other/${entry.name}` }))));
    const args = ['import-from', 'slack', other, '--new', 'Unwanted', '--owner', here.alice.username];
    const child = spawn(process.execPath, [cli, ...args], {
      env: { ...inherited(), NODE_ENV: 'test', ...env() },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const unfinished =
      'SELECT i.id FROM imports i JOIN import_channels c ON c.import_id = i.id WHERE i.finished_at IS NULL AND c.last_seq > 0';
    const [row] = await until(
      async () => ((rows) => (rows.length > 0 ? rows : null))(await sql<{ id: string }>(unfinished)),
      { timeout: 120_000 },
    );
    child.kill('SIGKILL');
    await ended;
    const elsewhere = await parley(env(), ['import-from', 'slack', other, '--server', here.server.id]);
    expect(elsewhere.complaint).to.match(/^This export is being imported elsewhere/);
    const forgotten = await parley(env(), ['forget-import', row?.id ?? '']);
    expect([forgotten.code, forgotten.complaint]).to.deep.equal([0, '']);
    expect(await sql('SELECT key FROM import_records')).to.deep.equal([]);
    const orphans = await sql(
      'SELECT m.id FROM messages m WHERE NOT EXISTS (SELECT FROM channels c WHERE c.id = m.channel_id)',
    );
    expect(orphans).to.deep.equal([]);
  });
});
