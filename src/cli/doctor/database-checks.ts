import pg from 'pg';
import { runningDatabaseUrl } from '../../database/embedded/running.ts';
import { mismatch, readStanding, selectPrimary, selectReplica } from '../../database/standing.ts';
import { migrationsOf } from '../../database/up-to-date.ts';
import { clock } from '../../infrastructure/clock.ts';
import { within } from '../../infrastructure/within.ts';
import type { Settings } from '../../settings/settings.ts';
import { blobChecks } from './blob-checks.ts';
import { type Check, ok, problem, reasonOf, warning } from './check.ts';
import { type DatabaseFacts, readFacts } from './database.table.ts';
import { isHere } from './hosts.ts';

const connectMs = 5000;
/** Whoever hears nothing is not waited for. */
const endMs = 500;
const leastVersion = 150_000;
/** Connections of a node beside its pools: for quick transactions, migrations and long reads. */
const besidePools = 8;
/** Nodes set their clocks by PostgreSQL's; people and logs do not. */
const farMs = 2000;

/** Whether PostgreSQL lets this installation do what it needs; and its replicas, if it names any. */
export async function databaseChecks(settings: Settings): Promise<Check[]> {
  const url = settings.databaseUrl ?? runningDatabaseUrl(settings.dataDir);
  if (url === null)
    return [ok('database', 'the embedded PostgreSQL is used, which runs with the server: start it to check it')];
  const client = open(url);
  if (client instanceof Error) return [unusable(client)];
  try {
    const now = clock.now();
    await client.connect();
    const facts = await readFacts(client);
    const asked = { from: now, until: clock.now() };
    // A role without rights may not read which there are.
    const migrations = await migrationsOf(client).catch(() => null);
    const checks = [
      serverCheck(facts),
      rightsCheck(facts),
      migrationCheck(migrations),
      connectionCheck(facts, settings),
      encodingCheck(facts),
      clockCheck(facts, asked),
      durabilityCheck(facts),
      ...encryptionChecks(facts, url),
      ...(await replicaChecks(client, settings.databaseReplicaUrls)),
    ];
    const isReady = migrations?.missing.length === 0 && !facts.readOnly;
    return isReady ? [...checks, ...(await blobChecks(url, settings))] : checks;
  } catch (error) {
    return [unusable(error)];
  } finally {
    await within(client.end(), endMs);
  }
}

/** A client that is not connected yet; the error, where the URL names certificates that cannot be read. */
function open(url: string): pg.Client | Error {
  try {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
    });
    client.on('error', () => {});
    return client;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unusable(error: unknown): Check {
  const advice = 'Check DATABASE_URL: host, port, name, password, and whether PostgreSQL lets this machine in.';
  return problem('database', `it cannot be used (${reasonOf(error)})`, advice);
}

function serverCheck({ version, versionText, readOnly }: DatabaseFacts): Check {
  if (version < leastVersion)
    return problem('database', `it is PostgreSQL ${versionText}`, 'Parley needs 15 or newer.');
  if (readOnly)
    return problem(
      'database',
      'it takes no writes: it is a replica, or was told so',
      'Name the primary in DATABASE_URL.',
    );
  return ok('database', `PostgreSQL ${versionText} answers`);
}

function rightsCheck({ role, isSuperuser, mayCreate, mayUseTemporary, foreign }: DatabaseFacts): Check {
  const owner = `ALTER DATABASE … OWNER TO ${role}`;
  if (!mayCreate)
    return problem('database.rights', `${role} may create no tables`, `Make it the owner of the database: ${owner}.`);
  if (foreign > 0)
    return problem(
      'database.rights',
      `${foreign} tables belong to others than ${role}, so that they cannot be migrated`,
      `Make it their owner: REASSIGN OWNED BY … TO ${role}.`,
    );
  if (!mayUseTemporary)
    return warning(
      'database.rights',
      `${role} may make no temporary tables, which an import needs`,
      `Run: GRANT TEMPORARY ON DATABASE … TO ${role}.`,
    );
  if (isSuperuser)
    return warning(
      'database.rights',
      `${role} is a superuser`,
      'Give Parley a role of its own, which owns its database and nothing else.',
    );
  return ok('database.rights', `${role} may create and change tables`);
}

function migrationCheck(found: Awaited<ReturnType<typeof migrationsOf>> | null): Check {
  if (found === null)
    return problem(
      'database.migrations',
      'it cannot be read which were run',
      'Give the role its rights, as said beside database.rights.',
    );
  const { missing, newer } = found;
  if (newer.length > 0)
    return warning(
      'database.migrations',
      `a newer version of Parley migrated it (${newer.at(-1)})`,
      'Run that version on all nodes.',
    );
  if (missing.length > 0)
    return warning(
      'database.migrations',
      `${missing.length} migrations are still to be run`,
      'The next start runs them; or run `npm run migrate` ahead of time.',
    );
  return ok('database.migrations', 'all migrations were run');
}

function connectionCheck(facts: DatabaseFacts, { database, workers }: Settings): Check {
  const ofNode = database.poolSize + besidePools;
  const limits = [facts.maxConnections - facts.reserved, facts.roleLimit, facts.databaseLimit];
  const most = Math.min(...limits.filter((limit) => limit >= 0));
  const needed = ofNode * workers;
  const text = `${most} are allowed, ${facts.connections} are open, a node takes up to ${ofNode}`;
  if (needed > most)
    return problem(
      'database.connections',
      text,
      `Raise max_connections (or the limit of the role or database) to ${needed} or more, or lower database.poolSize.`,
    );
  if (2 * needed > most)
    return warning(
      'database.connections',
      text,
      'It does not suffice for a second machine, or for the nodes of two versions during an upgrade: raise max_connections.',
    );
  return ok('database.connections', text);
}

function encodingCheck({ encoding, timeZone }: DatabaseFacts): Check {
  if (encoding === 'UTF8') return ok('database.encoding', `UTF8, time zone ${timeZone}`);
  const advice = "Create a database with ENCODING 'UTF8' TEMPLATE template0.";
  const fail = encoding === 'SQL_ASCII' ? warning : problem;
  return fail('database.encoding', `its encoding is ${encoding}`, advice);
}

function clockCheck({ time }: DatabaseFacts, asked: { from: number; until: number }): Check {
  const off = time < asked.from ? time - asked.from : Math.max(0, time - asked.until);
  if (Math.abs(off) <= farMs) return ok('clock', 'that of this machine agrees with that of PostgreSQL');
  const shown = `${Math.abs(Math.round(off / 1000))} s ${off > 0 ? 'behind' : 'ahead of'}`;
  return warning('clock', `this machine is ${shown} PostgreSQL`, 'Set the clocks of all machines by NTP.');
}

function durabilityCheck({ fsync, fullPageWrites, synchronousCommit }: DatabaseFacts): Check {
  if (fsync === 'off' || fullPageWrites === 'off')
    return warning(
      'database.durability',
      `fsync is ${fsync}, full_page_writes ${fullPageWrites}: a crash of the machine may destroy it`,
      'Turn both on, unless this is for trying things out.',
    );
  if (synchronousCommit === 'off')
    return warning(
      'database.durability',
      'synchronous_commit is off: a crash loses messages that were acknowledged',
      'Turn it on.',
    );
  return ok('database.durability', 'what was acknowledged survives a crash');
}

function encryptionChecks({ isEncrypted }: DatabaseFacts, url: string): Check[] {
  const { hostname } = new URL(url);
  if (isEncrypted || hostname === '' || isHere(hostname)) return [];
  const advice = 'Add ?sslmode=verify-full to DATABASE_URL, unless the network between is your own.';
  return [warning('database.encryption', `the connection to ${hostname} is not encrypted`, advice)];
}

async function replicaChecks(client: pg.Client, urls: string[]): Promise<Check[]> {
  if (urls.length === 0) return [];
  const primary = await readStanding(client, selectPrimary);
  return Promise.all(urls.map((url, at) => replicaCheck(primary, url, `database.replica${at + 1}`)));
}

async function replicaCheck(
  primary: Awaited<ReturnType<typeof readStanding>>,
  url: string,
  name: string,
): Promise<Check> {
  const advice = 'Check DATABASE_REPLICA_URLS; reads go to the primary meanwhile.';
  const client = open(url);
  if (client instanceof Error) return warning(name, `it cannot be used (${reasonOf(client)})`, advice);
  try {
    await client.connect();
    const wrong = primary && mismatch(await readStanding(client, selectReplica), primary);
    return wrong ? warning(name, wrong, advice) : ok(name, 'it follows the primary');
  } catch (error) {
    return warning(name, `it cannot be used (${reasonOf(error)})`, advice);
  } finally {
    await within(client.end(), endMs);
  }
}
