import path from 'node:path';
import pg from 'pg';
import { Agent, request } from 'undici';
import { createDatabase, type TestDatabase } from '../../test/rig/postgres.ts';
import { BenchServer } from '../server.ts';
import type { Target } from './attacker.ts';
import { bomb, form, manyEntries } from './nasty.ts';

/** A node as an operator has it, with its limits on, who uses it, and what the attackers brought. */
export interface Site {
  node: BenchServer;
  /** Tokens of the honest people. */
  honest: string[];
  target: Target;
  /** What is stored of files. */
  storedBytes(): Promise<number>;
  stop(): Promise<void>;
}

const people = 50;
const channels = 20;
const attackers = 5;
const meter = path.resolve(import.meta.dirname, '../../test/rig/turn-meter.ts');

const fill = `WITH folders AS (
    INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, created_at, updated_at)
    SELECT gen_random_uuid(), $1, $2, 'dir', 'd' || i, now(), now() FROM generate_series(1, $3::int) i RETURNING id
  )
  INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, created_at, updated_at)
  SELECT gen_random_uuid(), $1, folders.id, 'file', 'f' || i, now(), now() FROM folders, generate_series(1, 99) i`;

/** @param silentPort of a server that never answers, which an app leads to */
export async function openSite(silentPort: number): Promise<Site> {
  const database = await createDatabase();
  const node = await BenchServer.start('src/main.ts', {
    DATABASE_URL: database.url,
    JWT_SECRET: 'only for measuring, and long enough',
    NEW_ACCOUNT_TIER: 'member',
    APP_PROXY_ALLOW: `127.0.0.1:${silentPort}`,
    NODE_OPTIONS: `--import=${meter}`,
  });
  try {
    return await furnished(node, database, silentPort);
  } catch (error) {
    await node.stop();
    throw error;
  }
}

async function furnished(node: BenchServer, database: TestDatabase, silentPort: number): Promise<Site> {
  const client = new pg.Client(database.url);
  // It is cut when something failed before it was closed, which then is what is told.
  client.on('error', () => {});
  await client.connect();
  const honest = await registered(node, 'honest', people);
  const tokens = await registered(node, 'attacker', attackers);
  const [owner, attacker] = [honest[0], tokens[0]];

  const make = async (name: string, token = '', members: string[] = []) => {
    const { id } = await node.request<{ id: string }>('POST', '/api/servers', { name, isPublic: true }, token);
    for (const member of members) await node.request('POST', `/api/servers/${id}/join`, {}, member);
    return id;
  };
  const home = await make('Home', owner, [...honest.slice(1), ...tokens]);
  const rooms: string[] = [];
  for (let i = 0; i < channels; i++) {
    const room = await node.request<{ id: string }>('POST', `/api/servers/${home}/channels`, { name: `c${i}` }, owner);
    rooms.push(room.id);
  }
  const server = await make('Attackers', attacker);
  const largeServer = await make('Large', attacker, tokens.slice(1));
  for (const token of tokens.slice(1)) await node.request('POST', `/api/servers/${server}/join`, {}, token);

  const folder = async (of: string, hundreds: number) => {
    const base = `/api/servers/${of}/workspace/folders`;
    const top = await node.request<Folder>('POST', base, { name: `${hundreds}` }, attacker);
    await client.query(fill, [top.workspaceId, top.id, hundreds]);
    return top.id;
  };
  const folders = { 3000: await folder(server, 30), 15000: await folder(server, 150) };
  await folder(largeServer, 480);
  await client.query('VACUUM ANALYZE');

  const archives: string[] = [];
  for (const bytes of [await bomb(), await manyEntries()]) {
    const { type, body } = form(`${archives.length}.zip`, bytes);
    const answer = await request(`http://127.0.0.1:${node.port}/api/servers/${server}/workspace/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${attacker}`, 'content-type': type },
      body,
    });
    const file: { id: string } = JSON.parse(await answer.body.text());
    archives.push(file.id);
  }
  const app = { name: 'silent', type: 'url', url: `http://127.0.0.1:${silentPort}/` };
  const { id } = await node.request<{ id: string }>('POST', `/api/servers/${server}/apps`, app, attacker);

  return {
    node,
    honest,
    target: { port: node.port, tokens, server, folders, largeServer, channels: rooms, archives, app: id },
    async storedBytes() {
      const { rows } = await client.query('SELECT coalesce(sum(length(data)), 0)::float8 AS bytes FROM blob_chunks');
      return rows[0]?.bytes ?? 0;
    },
    async stop() {
      await client.end();
      await node.stop();
      await database.drop();
    },
  };
}

interface Folder {
  id: string;
  workspaceId: string;
}

/** Accounts, each registered from an address of its own: one address may not make so many. */
async function registered(node: BenchServer, name: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const agent = new Agent({ localAddress: `127.0.1.${i + 1}` });
    const answer = await request(`http://127.0.0.1:${node.port}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${name}${i}@example.com`, password: 'correct horse' }),
      dispatcher: agent,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`An account was refused: ${text}`);
    const { accessToken }: { accessToken: string } = JSON.parse(text);
    tokens.push(accessToken);
    await agent.close();
  }
  return tokens;
}
