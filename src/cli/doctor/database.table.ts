import type pg from 'pg';

/** What a server of PostgreSQL says about itself, and what this role may do in this database. */
export interface DatabaseFacts {
  version: number;
  versionText: string;
  role: string;
  isSuperuser: boolean;
  readOnly: boolean;
  encoding: string;
  timeZone: string;
  mayCreate: boolean;
  mayUseTemporary: boolean;
  /** Tables of the schema that the role does not own, and so cannot migrate. */
  foreign: number;
  maxConnections: number;
  reserved: number;
  /** Connections to the whole server now. */
  connections: number;
  /** -1: as many as the server takes. */
  roleLimit: number;
  databaseLimit: number;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  isEncrypted: boolean;
  /** In ms since 1970. */
  time: number;
}

const facts = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "versionText",
  current_user AS role, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
  current_setting('transaction_read_only') = 'on' AS "readOnly", current_setting('server_encoding') AS encoding,
  current_setting('TimeZone') AS "timeZone",
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
  has_database_privilege(current_database(), 'TEMPORARY') AS "mayUseTemporary",
  (SELECT count(*)::int FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
    AND NOT pg_has_role(relowner, 'USAGE')) AS foreign,
  current_setting('max_connections')::int AS "maxConnections",
  current_setting('superuser_reserved_connections')::int AS reserved,
  (SELECT sum(numbackends)::int FROM pg_stat_database) AS connections,
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS "roleLimit",
  (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS "databaseLimit",
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
  extract(epoch FROM clock_timestamp())::float8 * 1000 AS time`;

/** @throws Error of PostgreSQL */
export async function readFacts(client: pg.Client): Promise<DatabaseFacts> {
  const { rows } = await client.query<DatabaseFacts>(facts);
  const [found] = rows;
  if (!found) throw new Error('it says nothing about itself');
  return found;
}
