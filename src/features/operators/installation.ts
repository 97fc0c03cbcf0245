import type { z } from 'zod';
import { type operatorWatchCalls, storageKinds, storageParts } from '../../contract/operator-watch.ts';
import { version } from '../../infrastructure/version.ts';
import type { Context } from '../context.ts';
import { clusterNodes } from './cluster-nodes.table.ts';
import { installationTable, roughly } from './installation.table.ts';

type Overview = z.input<typeof operatorWatchCalls.getInstallation.answer>;
type Storage = z.input<typeof operatorWatchCalls.getStorageInUse.answer>;
type Part = (typeof storageParts)[number];

/** Which part of the database a table is; those that are not named here are of the rest. */
const partOf: Record<string, Part> = {
  messages: 'messages',
  search_words: 'search',
  search_progress: 'search',
  search_stale: 'search',
  log_entries: 'events',
  streams: 'events',
  blobs: 'files',
  blob_chunks: 'files',
};

/** The installation in numbers, at a cost that does not grow with it. */
export class Installation {
  private readonly deps: Pick<Context, 'database' | 'settings'>;

  constructor(deps: Installation['deps']) {
    this.deps = deps;
  }

  async overview(): Promise<Overview> {
    const { rows } = this.deps.database;
    const [counted, tables, databaseBytes, nodes] = await Promise.all([
      installationTable.counts(rows),
      installationTable.tables(rows),
      installationTable.databaseBytes(rows),
      clusterNodes.alive(rows),
    ]);
    const estimated = (table: string) => tables.get(table)?.rows;
    return {
      version,
      people: roughly(counted.people, estimated('users')),
      servers: roughly(counted.servers, estimated('servers')),
      messages: roughly(counted.messages, estimated('messages')),
      openReports: roughly(counted.openReports),
      deadJobs: roughly(counted.deadJobs),
      nodes,
      databaseBytes,
      tiers: this.deps.settings.accounts.tiers.map(({ id, label }) => ({ id, label })),
    };
  }

  async storage(): Promise<Storage> {
    const { rows } = this.deps.database;
    const [tables, databaseBytes] = await Promise.all([
      installationTable.tables(rows),
      installationTable.databaseBytes(rows),
    ]);
    const files: Storage['files'] = [];
    for (const kind of storageKinds) files.push({ kind, ...(await installationTable.stored(rows, kind, tables)) });
    const sums = new Map<Part, number>(storageParts.map((part) => [part, 0]));
    for (const { name, bytes } of tables.values()) {
      const part = partOf[name];
      if (part) sums.set(part, (sums.get(part) ?? 0) + bytes);
    }
    // PostgreSQL's own tables are not among those that are listed.
    const named = [...sums.values()].reduce((all, bytes) => all + bytes, 0);
    sums.set('other', Math.max(0, databaseBytes - named));
    return { databaseBytes, parts: [...sums].map(([part, bytes]) => ({ part, bytes })), files };
  }
}
