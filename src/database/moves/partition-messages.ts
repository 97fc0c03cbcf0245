import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { advisoryLocks } from '../advisory-locks.ts';
import { isConflict } from '../failures.ts';
import { prepareLong } from '../pools.ts';
import type { Rows } from '../transaction.ts';
import {
  abandoning,
  beginning,
  compareSome,
  copySome,
  exchange,
  type Index,
  isOlderSnapshot,
  kindOf,
  mergeCopied,
  moveCursor,
  readCursor,
  selectColumns,
  selectForm,
  selectIndexes,
  selectState,
  startComparing,
} from './partitioned-messages.sql.ts';

/** Messages of one step: it takes a few dozen milliseconds, in which their deletion would wait. */
const step = 500;
/** Steps between two merges of search words. */
const mergeEvery = 20;
const retryMs = 500;
/**
 * A statement that waits for a lock keeps all later ones waiting, so it soon gives up. That is also sooner than PostgreSQL
 * looks for deadlocks (1 s): no user's change is ever the one that is ended.
 */
const lockMs = 300;

/** What is under way, and of how many messages it is done. */
export interface Progress {
  phase: 'copying' | 'comparing' | 'waiting';
  moved: number;
}

interface Cursor {
  phase: 'copying' | 'comparing';
  channelId: string;
  seq: number;
  moved: number;
}

type Outcome = 'done' | 'was done' | 'elsewhere';
type Abandonment = 'given up' | Exclude<Outcome, 'done'>;

/**
 * Partitions `messages` while it is in use: a second table is filled in small steps, and follows the first by a trigger;
 * it is compared and takes the first one's place in a short transaction. A run that is cut off is continued by the next.
 * @param onProgress is called after each step
 * @returns `elsewhere`: another run is at it
 * @throws Error where the tables differ after all; the old one stays in use
 */
export function partitionMessages(url: string, onProgress: (progress: Progress) => void): Promise<Outcome> {
  return connected(url, (client) => new MessageMove(client, onProgress).run());
}

/** Undoes what runs that were cut off have begun, while the table is in use. Nothing of it is left where none has. */
export function giveUpPartitioning(url: string): Promise<Abandonment> {
  return connected(url, (client) => new MessageMove(client, () => {}).giveUp());
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  client.on('error', () => {});
  await client.connect();
  try {
    await prepareLong(client);
    // Each step reads a range of an index, however much that may seem to PostgreSQL.
    await client.query('SET enable_seqscan = off');
    return await work(client);
  } finally {
    // This ends its lock, too.
    await client.end().catch(() => {});
  }
}

class MessageMove {
  private readonly client: pg.Client;
  private readonly onProgress: (progress: Progress) => void;

  constructor(client: pg.Client, onProgress: (progress: Progress) => void) {
    this.client = client;
    this.onProgress = onProgress;
  }

  async run(): Promise<Outcome> {
    if (!(await this.lock())) return 'elsewhere';
    const { done, begun } = await this.state();
    if (done) return 'was done';
    // A version that was installed meanwhile may have added a column or an index.
    if (begun && !(await this.isSame())) await this.change(abandoning);
    if (!(await this.state()).begun) await this.begin();
    await this.eachStep('copying', copySome(await this.columns('messages')));
    await this.eachStep('comparing', compareSome(await this.columns('messages')));
    await this.waitForSnapshots();
    await this.exchange();
    return 'done';
  }

  async giveUp(): Promise<Abandonment> {
    if (!(await this.lock())) return 'elsewhere';
    const { done, begun } = await this.state();
    if (done) return 'was done';
    if (begun) await this.change(abandoning);
    return 'given up';
  }

  private async lock(): Promise<boolean> {
    const text = 'SELECT pg_try_advisory_lock($1) AS mine';
    const [lock] = await this.rows<{ mine: boolean }>(text, [advisoryLocks.moving]);
    return lock?.mine ?? false;
  }

  private readonly rows: Rows = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await this.client.query<R>(text, values)).rows;

  private async state(): Promise<{ done: boolean; begun: boolean }> {
    const [state] = await this.rows<{ done: boolean; begun: boolean }>(selectState);
    return state ?? { done: false, begun: false };
  }

  private async columns(table: string): Promise<string[]> {
    return (await this.rows<{ name: string }>(selectColumns, [table])).map(({ name }) => name);
  }

  private indexes(table: string): Promise<Index[]> {
    return this.rows<Index>(selectIndexes, [table]);
  }

  private async isSame(): Promise<boolean> {
    const were = [...(await this.form('messages')), ...(await this.indexes('messages')).map(kindOf)];
    const are = [...(await this.form('messages_new')), ...(await this.indexes('messages_new')).map(kindOf)];
    return were.join() === are.join();
  }

  /** All columns, with their types and defaults. */
  private async form(table: string): Promise<string[]> {
    return (await this.rows<{ column: string }>(selectForm, [table])).map(({ column }) => column);
  }

  private async begin(): Promise<void> {
    const [columns, indexes] = [await this.columns('messages'), await this.indexes('messages')];
    await this.change(beginning(columns, indexes));
  }

  /** Runs a phase to its end, if it is not over yet. */
  private async eachStep(phase: Cursor['phase'], text: string): Promise<void> {
    for (let steps = 1; ; steps++) {
      const began = performance.now();
      const cursor = await this.inTransaction(() => this.oneStep(phase, text));
      if (!cursor) break;
      this.onProgress({ phase, moved: cursor.moved });
      if (phase === 'copying' && steps % mergeEvery === 0) await this.rows(mergeCopied);
      // Half of the time is for those who send.
      await delay(performance.now() - began);
    }
    if (phase === 'copying') await this.rows(mergeCopied);
  }

  /** @returns undefined: the phase is over */
  private async oneStep(phase: Cursor['phase'], text: string): Promise<Cursor | undefined> {
    const [cursor] = await this.rows<Cursor>(readCursor);
    if (cursor?.phase !== phase) return undefined;
    const [last] = await this.rows<{ channelId: string | null; seq: number; differing?: number }>(text, [
      cursor.channelId,
      cursor.seq,
      step,
    ]);
    if (last?.differing) throw new Error(`${last.differing} messages were not copied as they are.`);
    if (!last?.channelId) {
      if (phase === 'copying') await this.rows(startComparing);
      return undefined;
    }
    await this.rows(moveCursor, [last.channelId, last.seq, step]);
    return { ...cursor, moved: Number(cursor.moved) + step };
  }

  /** An export that began before the end of the copying would read the new table as it was then. */
  private async waitForSnapshots(): Promise<void> {
    const [now] = await this.rows<{ id: string }>('SELECT pg_current_xact_id()::xid::text AS id');
    for (;;) {
      const [older] = await this.rows<{ found: boolean }>(isOlderSnapshot, [now?.id]);
      if (!older?.found) return;
      this.onProgress({ phase: 'waiting', moved: 0 });
      await delay(retryMs);
    }
  }

  private async exchange(): Promise<void> {
    const indexes = await this.indexes('messages');
    await this.change(
      ['LOCK TABLE messages, reactions, attachments IN ACCESS EXCLUSIVE MODE', ...exchange(indexes)],
      () => this.isSame(),
    );
  }

  /** Runs statements in one short transaction. @param isRight checked after the first of them, which locks */
  private change([first = '', ...others]: string[], isRight = async () => true): Promise<void> {
    return this.inTransaction(async () => {
      await this.rows(first);
      if (!(await isRight())) throw new Error('A migration has changed the table of messages; run this once more.');
      for (const text of others) await this.rows(text);
    });
  }

  /** Runs `work` in a transaction, until no lock is in its way. */
  private async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        await this.rows('BEGIN');
        await this.rows(`SET LOCAL lock_timeout = ${lockMs}`);
        const result = await work();
        await this.rows('COMMIT');
        return result;
      } catch (error) {
        await this.rows('ROLLBACK').catch(() => {});
        if (!isConflict(error)) throw error;
        this.onProgress({ phase: 'waiting', moved: 0 });
        await delay(retryMs);
      }
    }
  }
}
