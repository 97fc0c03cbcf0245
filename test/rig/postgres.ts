import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { atEnd } from './ending.ts';
import { testSettings } from './private-postgres.ts';

export { type FaultyPostgres, furnishDataDir, startPostgres } from './private-postgres.ts';

/**
 * SQLSTATE of what passes by itself: PostgreSQL's own cleaning is at work in the database, which only a superuser could
 * end, or a connection that was ended is still on its way out.
 */
const passing = ['42501', '55006'];

const silent = { info() {}, warn() {} };

type Prepare = (url: string) => Promise<void>;

export interface TestDatabase {
  url: string;
  /** Removes it, cutting whoever is still connected. */
  drop(): Promise<void>;
}

let shared: Promise<string> | undefined;
const templates = new Map<Prepare, Promise<string>>();

/** The URL of the PostgreSQL that the whole run shares; started by the first who asks, with the settings that it wants. */
export function sharedPostgres(settings: Record<string, string> = testSettings): Promise<string> {
  const known = process.env.PARLEY_TEST_POSTGRES;
  shared ??= known ? Promise.resolve(known) : startShared(settings);
  return shared;
}

async function startShared(settings: Record<string, string>): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-postgres-'));
  atEnd(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir, log: silent, settings });
  atEnd(() => server.stop());
  return server.url;
}

/**
 * A fresh database of its own.
 * @param prepare fills a database once (migrations, say); every database made with the same function is a copy of it
 */
export async function createDatabase(prepare?: Prepare): Promise<TestDatabase> {
  const template = prepare ? await templateOf(prepare) : undefined;
  return create(template);
}

function templateOf(prepare: Prepare): Promise<string> {
  const known = templates.get(prepare);
  if (known) return known;
  const made = makeTemplate(prepare);
  templates.set(prepare, made);
  return made;
}

async function makeTemplate(prepare: Prepare): Promise<string> {
  const { url, drop } = await create();
  atEnd(drop);
  await prepare(url);
  return databaseOf(url);
}

async function create(template?: string): Promise<TestDatabase> {
  const server = await sharedPostgres();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await executeSoon(server, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template}` : ''}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => executeSoon(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Executes a statement as soon as nothing passing stands in its way. */
async function executeSoon(url: string, statement: string): Promise<void> {
  let reason = '';
  const isDone = () =>
    execute(url, statement).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof pg.DatabaseError) || !passing.includes(error.code ?? '')) throw error;
        reason = error.message;
        return false;
      },
    );
  for (const end = Date.now() + 30_000; !(await isDone()); await delay(50)) {
    if (Date.now() > end) throw new Error(`${statement} did not come to pass: ${reason}`);
  }
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** One statement on a connection of its own. */
async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
