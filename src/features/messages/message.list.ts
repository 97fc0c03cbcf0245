import type { z } from 'zod';
import type { ChannelWithRole } from '../../access/channel.access.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMessagesSchema, messagePageSchema } from '../../contract/message.ts';
import { isUuid } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { concernsBot } from './mentioned-bots.ts';
import { selectPage, selectSome } from './message.table.ts';
import { type MessageRow, messageRecord, type PlainRow, plainMessage } from './message.view.ts';

export interface MessageRows {
  rows: MessageRow[];
  hasMore: boolean;
  hasNewer?: boolean;
}

/** A message of a page as it is found. */
interface FoundRow extends PlainRow {
  /** It may reply to another, have files, reactions, or a thread. */
  has_more: boolean;
}

type Channel = Pick<ChannelWithRole, 'id' | 'kind'>;

type Query = z.output<typeof listMessagesSchema>;

/** The statements of a list: messages older than a number, newest first, and newer ones, oldest first. */
interface Texts {
  older(limit: number): string;
  newer(limit: number): string;
}

/** The same for one reader: a bot that gets only what concerns it, or anyone else. */
interface List extends Texts {
  bot: string | null;
}

/** Limits that are inlined: as parameters they would be unknown to the generic plan, which would then expect many rows. */
const sizes = [21, 51, 101];

const sized = (from: string, order: string) => {
  const text = (size: number) => `${selectPage(`SELECT m.* FROM ${from} LIMIT ${size}`)} ${order}`;
  const texts = sizes.map(text);
  return (limit: number) => texts[sizes.findIndex((size) => size >= limit)] ?? text(limit);
};

const some = (from: string): Texts => ({
  older: sized(`${from} AND m.deleted_at IS NULL AND m.seq < $2 ORDER BY m.seq DESC`, 'ORDER BY m.seq DESC'),
  newer: sized(`${from} AND m.deleted_at IS NULL AND m.seq > $2 ORDER BY m.seq`, 'ORDER BY m.seq'),
});
/** Each for everyone, and with what concerns bot $3 alone. */
const texts = (from: string) => ({ whole: some(from), limited: some(`${from} AND ${concernsBot('m', '$3::uuid')}`) });

// Constants, so that each is prepared once. Messages of deleted threads are hidden, though their rows may still exist.
const roots = texts('messages m WHERE m.channel_id = $1 AND m.thread_id IS NULL');
const all = texts(
  'messages m LEFT JOIN threads t ON t.id = m.thread_id WHERE m.channel_id = $1 AND t.deleted_at IS NULL',
);
const inThread = texts('messages m WHERE m.thread_id = $1');

const listFor = (list: ReturnType<typeof texts>, bot: string | null): List => ({
  ...(bot === null ? list.whole : list.limited),
  bot,
});

const endOfTime = Number.MAX_SAFE_INTEGER;

/**
 * Pages of a channel's messages, by their numbers: numbers are never reused and never change, so pages neither repeat nor
 * skip a message, whatever is sent or deleted meanwhile.
 */
export class MessageList {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /**
   * @param bot who gets only what concerns it; null: everything is shown
   * @throws AppError INVALID_CURSOR, MESSAGE_NOT_FOUND for an unknown `around`
   */
  async ofChannel(channel: Channel, query: Query, bot: string | null = null): Promise<MessageRows> {
    const list = listFor(query.include === 'threads' ? all : roots, bot);
    if (query.around !== undefined) return this.around(list, channel, query.around, query.limit);
    return this.page(list, channel.id, channel, query);
  }

  /** @throws AppError INVALID_CURSOR */
  ofThread(
    channel: Channel,
    threadId: string,
    query: Omit<Query, 'around' | 'include'>,
    bot: string | null,
  ): Promise<MessageRows> {
    return this.page(listFor(inThread, bot), threadId, channel, query);
  }

  private async page(list: List, id: string, channel: Channel, query: Query): Promise<MessageRows> {
    const { limit, after, cursor } = query;
    const found =
      after === undefined
        ? await this.read(list, list.older(limit + 1), id, await this.seqBefore(channel.id, cursor))
        : await this.read(list, list.newer(limit + 1), id, await this.seqAfter(channel.id, after));
    return { rows: await this.complete(found.slice(0, limit), channel), hasMore: found.length > limit };
  }

  private async around(list: List, channel: Channel, id: string, limit: number): Promise<MessageRows> {
    const seq = await this.seqOf(channel.id, id);
    if (seq === undefined) throw new AppError('MESSAGE_NOT_FOUND');
    const olderCount = Math.floor(limit / 2);
    const newerCount = limit - olderCount;
    const [before, after] = await Promise.all([
      this.read(list, list.older(olderCount + 1), channel.id, seq),
      this.read(list, list.newer(newerCount + 1), channel.id, seq - 1),
    ]);
    const found = [...after.slice(0, newerCount).reverse(), ...before.slice(0, olderCount)];
    const rows = await this.complete(found, channel);
    return { rows, hasMore: before.length > olderCount, hasNewer: after.length > newerCount };
  }

  private read({ bot }: List, text: string, id: string, seq: number): Promise<FoundRow[]> {
    return this.database.rows<FoundRow>(text, bot === null ? [id, seq] : [id, seq, bot]);
  }

  /** The messages with their optional parts; without those that were deleted meanwhile. */
  private async complete(found: FoundRow[], channel: Channel): Promise<MessageRow[]> {
    const ids = found.filter((row) => row.has_more).map((row) => row.id);
    const rows = ids.length > 0 ? await this.database.rows<MessageRow>(selectSome, [ids]) : [];
    const complete = new Map(rows.map((row) => [row.id, row]));
    return found.flatMap((row) => (row.has_more ? (complete.get(row.id) ?? []) : plainMessage(row, channel)));
  }

  /** The number of a message of the channel, even of a deleted one: it keeps its place (contract §6). */
  private async seqOf(channelId: string, id: string): Promise<number | undefined> {
    const [row] = await this.database.rows<{ seq: number }>(
      'SELECT seq FROM messages WHERE id = $1 AND channel_id = $2',
      [id, channelId],
    );
    return row?.seq;
  }

  private async seqBefore(channelId: string, cursor: string | undefined): Promise<number> {
    if (cursor === undefined) return endOfTime;
    if (isUuid(cursor)) {
      const seq = await this.seqOf(channelId, cursor);
      if (seq !== undefined) return seq;
    } else if (isTime(cursor)) {
      return this.seqAt(channelId, new Date(cursor));
    }
    throw new AppError('INVALID_CURSOR');
  }

  /** The number below which all messages were sent before `time`: numbers grow with time, so a binary search finds it. */
  private async seqAt(channelId: string, time: Date): Promise<number> {
    const atOrBelow = `SELECT seq, created_at >= $3 AS late FROM messages WHERE channel_id = $1 AND seq <= $2
      ORDER BY seq DESC LIMIT 1`;
    const find = (seq: number) =>
      this.database.rows<{ seq: number; late: boolean }>(atOrBelow, [channelId, seq, time]).then(([row]) => row);
    let early = 0;
    let late = ((await find(endOfTime))?.seq ?? 0) + 1;
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      const row = await find(middle);
      if (row?.late) late = row.seq;
      else early = middle;
    }
    return late;
  }

  private async seqAfter(channelId: string, after: string): Promise<number> {
    if (/^\d{1,15}$/.test(after)) return Number(after);
    const seq = isUuid(after) ? await this.seqOf(channelId, after) : undefined;
    if (seq === undefined) throw new AppError('INVALID_CURSOR');
    return seq;
  }
}

/** A page as `viewerId` sees it. */
export function messagePage({ rows, ...more }: MessageRows, viewerId: string): z.output<typeof messagePageSchema> {
  return { messages: rows.map((row) => messageRecord(row, viewerId)), ...more };
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
}
