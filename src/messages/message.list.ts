import type { z } from 'zod';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../schema.ts';
import type { listMessagesSchema } from './message.contract.ts';
import { selectMessages } from './message.table.ts';
import type { MessageRow } from './message.view.ts';

export interface MessageRows {
  rows: MessageRow[];
  hasMore: boolean;
  hasNewer?: boolean;
}

type Query = z.output<typeof listMessagesSchema>;

const where = (threads: boolean) => (threads ? '' : ' AND m.thread_id IS NULL');
const older = (threads: boolean) =>
  `${selectMessages} WHERE m.channel_id = $1 AND m.deleted_at IS NULL${where(threads)} AND m.seq < $2
   ORDER BY m.seq DESC LIMIT $3`;
const newer = (threads: boolean) =>
  `${selectMessages} WHERE m.channel_id = $1 AND m.deleted_at IS NULL${where(threads)} AND m.seq > $2
   ORDER BY m.seq LIMIT $3`;

// Constants, so that each is prepared once: four statements serve all pages.
const olderRoots = older(false);
const olderAll = older(true);
const newerRoots = newer(false);
const newerAll = newer(true);

const endOfTime = Number.MAX_SAFE_INTEGER;

/**
 * Pages of a channel's messages, by their numbers: numbers are never given twice and never change, so a page neither
 * repeats nor skips a message, whatever is sent or deleted meanwhile.
 */
export class MessageList {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** @throws AppError INVALID_CURSOR */
  async page(channelId: string, query: Query): Promise<MessageRows> {
    const threads = query.include === 'threads';
    if (query.around !== undefined) return this.around(channelId, query.around, query.limit, threads);
    if (query.after !== undefined) {
      const seq = await this.seqAfter(channelId, query.after);
      const rows = await this.read(threads ? newerAll : newerRoots, channelId, seq, query.limit + 1);
      return cut(rows, query.limit);
    }
    const before = query.cursor === undefined ? endOfTime : await this.seqBefore(channelId, query.cursor);
    const rows = await this.read(threads ? olderAll : olderRoots, channelId, before, query.limit + 1);
    return cut(rows, query.limit);
  }

  private async around(channelId: string, id: string, limit: number, threads: boolean): Promise<MessageRows> {
    const seq = await this.seqOf(channelId, id);
    if (seq === undefined) throw new AppError('MESSAGE_NOT_FOUND');
    const olderCount = Math.floor(limit / 2);
    const newerCount = limit - olderCount;
    const [before, after] = await Promise.all([
      this.read(threads ? olderAll : olderRoots, channelId, seq, olderCount + 1),
      this.read(threads ? newerAll : newerRoots, channelId, seq - 1, newerCount + 1),
    ]);
    const rows = [...after.slice(0, newerCount).reverse(), ...before.slice(0, olderCount)];
    return { rows, hasMore: before.length > olderCount, hasNewer: after.length > newerCount };
  }

  private read(text: string, channelId: string, seq: number, limit: number): Promise<MessageRow[]> {
    return this.database.rows<MessageRow>(text, [channelId, seq, limit]);
  }

  /** The number of a message of the channel, also of a deleted one: its place stays (contract §6). */
  private async seqOf(channelId: string, id: string): Promise<number | undefined> {
    const [row] = await this.database.rows<{ seq: number }>(
      'SELECT seq FROM messages WHERE id = $1 AND channel_id = $2',
      [id, channelId],
    );
    return row?.seq;
  }

  private async seqBefore(channelId: string, cursor: string): Promise<number> {
    if (isUuid(cursor)) {
      const seq = await this.seqOf(channelId, cursor);
      if (seq !== undefined) return seq;
    } else if (isTime(cursor)) {
      const [row] = await this.database.rows<{ seq: number }>(
        `SELECT seq FROM messages WHERE channel_id = $1 AND created_at < $2 ORDER BY seq DESC LIMIT 1`,
        [channelId, new Date(cursor)],
      );
      return row ? row.seq + 1 : 0;
    }
    throw new AppError('INVALID_CURSOR');
  }

  private async seqAfter(channelId: string, after: string): Promise<number> {
    if (/^\d{1,15}$/.test(after)) return Number(after);
    const seq = isUuid(after) ? await this.seqOf(channelId, after) : undefined;
    if (seq === undefined) throw new AppError('INVALID_CURSOR');
    return seq;
  }
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
}

function cut(rows: MessageRow[], limit: number): MessageRows {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
