import type { Rows } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import { TransferError } from './failure.ts';

/** The condition that channel `c` came with the file: of the server, or a conversation. */
export const isImported = "c.id IN (SELECT id FROM imported WHERE kind = 'channels')";

/**
 * The ids imported so far. A record may refer only to these: a file must not be able to add messages to an existing
 * channel here, or to take a file by knowing its hash. They are stored in the database, since there may be millions,
 * and are dropped with the transaction.
 */
export class ImportedIds {
  private readonly rows: Rows;

  private constructor(rows: Rows) {
    this.rows = rows;
  }

  static async open(rows: Rows): Promise<ImportedIds> {
    await rows('CREATE TEMP TABLE imported (kind text, id uuid, PRIMARY KEY (kind, id)) ON COMMIT DROP');
    await rows('CREATE TEMP TABLE imported_contents (sha256 text PRIMARY KEY, id uuid NOT NULL) ON COMMIT DROP');
    return new ImportedIds(rows);
  }

  /** @throws TransferError when one exists already */
  async add(table: string, ids: unknown[], place: string): Promise<void> {
    try {
      await this.rows('INSERT INTO imported SELECT $1, unnest($2::uuid[])', [table, ids]);
    } catch (error) {
      if (isUniqueViolation(error)) throw new TransferError(`${place}: an id is there twice.`);
      throw error;
    }
  }

  async addContent(sha256: string, id: string): Promise<void> {
    try {
      await this.rows('INSERT INTO imported_contents VALUES ($1, $2)', [sha256, id]);
    } catch (error) {
      if (isUniqueViolation(error)) throw new TransferError(`blobs/${sha256}: it is there twice.`);
      throw error;
    }
  }

  /** The given ids without an imported row. */
  async missing(table: string, ids: unknown[]): Promise<Set<string>> {
    const found = await this.rows<{ id: string }>(
      `SELECT asked.id FROM unnest($2::uuid[]) AS asked (id)
       WHERE NOT EXISTS (SELECT FROM imported WHERE kind = $1 AND imported.id = asked.id)`,
      [table, ids],
    );
    return new Set(found.map((row) => row.id));
  }

  /** Whether a server was imported, and no other. */
  async isOnlyServer(id: string): Promise<boolean> {
    const others = await this.rows<{ id: string }>("SELECT id FROM imported WHERE kind = 'servers' AND id <> $1", [id]);
    return others.length === 0 && (await this.missing('servers', [id])).size === 0;
  }

  /** The store's ids of imported contents, by SHA-256. */
  async contents(sums: unknown[]): Promise<Map<string, string>> {
    const found = await this.rows<{ sha256: string; id: string }>(
      'SELECT sha256, id FROM imported_contents WHERE sha256 = ANY($1::text[])',
      [sums],
    );
    return new Map(found.map((row) => [row.sha256, row.id]));
  }
}
