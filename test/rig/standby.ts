import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { embeddedUrl } from '../../src/database/embedded/roles.ts';
import { type FaultyPostgres, serve } from './private-postgres.ts';

/** A streaming replica of a PostgreSQL, to be broken like any other. */
export interface Standby extends FaultyPostgres {
  /** Runs one statement as its superuser. */
  ask<R extends pg.QueryResultRow>(text: string): Promise<R[]>;
}

const run = promisify(execFile);

/** Makes a standby of a PostgreSQL from a copy of its files, as a backup does, and starts it. */
export async function startStandby(primary: FaultyPostgres): Promise<Standby> {
  const parent = await mkdtemp(path.join(tmpdir(), 'parley-standby-'));
  const dataDir = path.join(parent, 'data');
  const folder = path.join(dataDir, 'postgres');
  const { hostname, port, username, password } = new URL(primary.superuserUrl);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
  await copied(primary, dataDir, folder);
  const { uid, gid } = await stat(folder);
  const write = async (name: string, text: string) => {
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
    await chown(path.join(folder, name), uid, gid);
  };
  await write('standby.signal', '');
  const settings = { primary_conninfo: conninfo, hot_standby_feedback: 'on', max_standby_streaming_delay: '50ms' };
  const server = await serve(parent, settings, (at, { application }) => embeddedUrl(at, application));
  return { ...server, ask: (text) => execute(server.superuserUrl, text) };

  async function copied(from: FaultyPostgres, to: string, copy: string): Promise<void> {
    const client = new pg.Client(from.superuserUrl);
    await client.connect();
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      await run('cp', ['-a', from.dataDir, to]);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      const { uid, gid } = await stat(copy);
      const label = path.join(copy, 'backup_label');
      await writeFile(label, rows[0]?.labelfile ?? '', { mode: 0o600 });
      await chown(label, uid, gid);
      for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(path.join(copy, name), { force: true });
    } finally {
      await client.end();
    }
  }
}

async function execute<R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}
