import pg from 'pg';
import { validated } from '../../contract/schema/validation.ts';
import type { Rows } from '../../database/database.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import { fitting, parsed } from './export-file.ts';
import { TransferError } from './failure.ts';
import type { ImportedIds } from './imported-ids.table.ts';
import type { Line } from './lines.ts';
import { insertRecords } from './part.table.ts';
import { columnOf, type Part, type Place } from './part.ts';
import { parts } from './parts.ts';

/** The batch of one statement. */
const batchLines = 500;
const batchCharacters = 1024 * 1024;

/** A record with the line it was read from. */
interface Item {
  place: string;
  record: Record<string, unknown>;
}

/** Kinds of rows that other parts refer to, or that the checks at the end look for. */
const referredTo = new Set([...parts.flatMap((part) => Object.values(part.refers)), 'hooks']);

/** Writes the lines of one part into its table, in batches. */
export class PartWriter {
  private readonly rows: Rows;
  private readonly imported: ImportedIds;
  private readonly part: Part;
  private readonly place: Place;

  constructor(rows: Rows, imported: ImportedIds, part: Part, place: Place) {
    this.rows = rows;
    this.imported = imported;
    this.part = part;
    this.place = place;
  }

  /** @returns how many there were. @throws TransferError naming the line, or the range of lines */
  async write(lines: AsyncIterable<Line>): Promise<number> {
    let count = 0;
    let batch: Item[] = [];
    let characters = 0;
    for await (const { place, text } of lines) {
      const said = parsed(text, place);
      batch.push({ place, record: fitting(() => validated(this.part.shape, said), place) });
      characters += text.length;
      count++;
      if (batch.length < batchLines && characters < batchCharacters) continue;
      await this.writeBatch(batch);
      batch = [];
      characters = 0;
    }
    if (batch.length > 0) await this.writeBatch(batch);
    return count;
  }

  private async writeBatch(batch: Item[]): Promise<void> {
    await this.requireReferences(batch);
    const span = spanOf(batch);
    const ids = batch.map(({ record }) => record.id);
    for (const kind of this.part.kinds) if (referredTo.has(kind)) await this.imported.add(kind, ids, span);
    const records = await this.asRows(batch);
    try {
      await insertRecords(this.rows, this.part, records);
    } catch (error) {
      throw asTransferError(error, span);
    }
  }

  /** Every id that a record names must belong to something imported before it. */
  private async requireReferences(batch: Item[]): Promise<void> {
    for (const [field, kind] of Object.entries(this.part.refers)) {
      const earlier = new Set<unknown>();
      const outside: Item[] = [];
      for (const item of batch) {
        const named = item.record[field];
        if (named !== null && !(this.part.kinds.includes(kind) && earlier.has(named))) outside.push(item);
        earlier.add(item.record.id);
      }
      const ids = [...new Set(outside.map(({ record }) => record[field]))];
      const missing = ids.length > 0 ? await this.imported.missing(kind, ids) : new Set();
      const bad = missing.size > 0 && outside.find(({ record }) => missing.has(record[field]));
      if (bad)
        throw new TransferError(
          `${bad.place}: ${field}: the file brings no ${kind.replaceAll('_', ' ')} with this id before it.`,
        );
    }
  }

  /** The records by column name. */
  private async asRows(batch: Item[]): Promise<Record<string, unknown>[]> {
    const sums = batch.map(({ record }) => record.sha256).filter((sum) => typeof sum === 'string');
    const contents = sums.length > 0 ? await this.imported.contents(sums) : new Map<string, string>();
    return batch.map(({ place, record }) => {
      const { sha256, ...rest } = record;
      const row = Object.fromEntries(Object.entries(rest).map(([field, value]) => [columnOf(field), value]));
      Object.assign(row, this.part.derive(record, this.place));
      if (typeof sha256 !== 'string') return row;
      const content = contents.get(sha256);
      if (!content) throw new TransferError(`${place}: there is no blobs/${sha256} in the file.`);
      return { ...row, blob_id: content };
    });
  }
}

function spanOf(batch: Item[]): string {
  const [first, last] = [batch[0], batch.at(-1)];
  if (!first || !last || first === last) return first?.place ?? '';
  return `${first.place} to ${last.place.slice(last.place.lastIndexOf(' ') + 1)}`;
}

/** Records that PostgreSQL rejects; any other error is not the file's fault. */
function asTransferError(error: unknown, span: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (isUniqueViolation(error)) {
    const [, columns, values] = /\((.+)\)=\((.+)\)/.exec(error.detail ?? '') ?? [];
    const what = columns ? `the ${columns} "${values}"` : 'one of these';
    return new TransferError(`${span}: this installation already has ${what}, or the file has it twice.`);
  }
  const isRefused = /^(22|23)/.test(error.code ?? '');
  return isRefused ? new TransferError(`${span}: the database refuses it (${error.message}).`) : error;
}
