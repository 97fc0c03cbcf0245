import type { z } from 'zod';
import type { ChannelWithRights } from '../../access/channel.access.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMessagesSchema, messagePageSchema } from '../../contract/message.ts';
import { isUuid } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Context } from '../context.ts';
import type { Authors } from './authors.ts';
import { type MessageRow, messageRecord, plainMessage } from './message.view.ts';
import { completeRows, type FoundRow, type List, lastUpTo, readPage, seqOf } from './page.table.ts';

export interface MessageRows {
  rows: MessageRow[];
  hasMore: boolean;
  hasNewer?: boolean;
}

type Channel = Pick<ChannelWithRights, 'id' | 'kind'>;

type Query = z.output<typeof listMessagesSchema>;

const endOfTime = Number.MAX_SAFE_INTEGER;

interface Deps extends Pick<Context, 'database'> {
  authors: Authors;
}

/**
 * Pages of a channel's messages, by their numbers: numbers are never reused and never change, so pages neither repeat nor
 * skip a message, whatever is sent or deleted meanwhile.
 */
export class MessageList {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @param bot who gets only what concerns it; null: everything is shown
   * @throws AppError INVALID_CURSOR, MESSAGE_NOT_FOUND for an unknown `around`
   */
  async ofChannel(channel: Channel, query: Query, bot: string | null = null): Promise<MessageRows> {
    const list: List = { of: query.include === 'threads' ? 'all' : 'roots', id: channel.id, bot };
    const { around, limit } = query;
    return this.deps.database.readCurrent(({ rows }) =>
      around === undefined ? this.page(rows, list, channel, query) : this.around(rows, list, channel, around, limit),
    );
  }

  /** @throws AppError INVALID_CURSOR */
  ofThread(
    channel: Channel,
    threadId: string,
    query: Omit<Query, 'around' | 'include'>,
    bot: string | null,
  ): Promise<MessageRows> {
    const list: List = { of: 'thread', id: threadId, bot };
    return this.deps.database.readCurrent(({ rows }) => this.page(rows, list, channel, query));
  }

  private async page(rows: Rows, list: List, channel: Channel, query: Query): Promise<MessageRows> {
    const { limit, after, cursor } = query;
    const found =
      after === undefined
        ? await readPage(rows, list, 'older', await seqBefore(rows, channel.id, cursor), limit + 1)
        : await readPage(rows, list, 'newer', await seqAfter(rows, channel.id, after), limit + 1);
    return { rows: await this.complete(rows, found.slice(0, limit), channel), hasMore: found.length > limit };
  }

  private async around(rows: Rows, list: List, channel: Channel, id: string, limit: number): Promise<MessageRows> {
    const seq = await seqOf(rows, channel.id, id);
    if (seq === undefined) throw new AppError('MESSAGE_NOT_FOUND');
    const olderCount = Math.floor(limit / 2);
    const newerCount = limit - olderCount;
    const [before, after] = await Promise.all([
      readPage(rows, list, 'older', seq, olderCount + 1),
      readPage(rows, list, 'newer', seq - 1, newerCount + 1),
    ]);
    const found = [...after.slice(0, newerCount).reverse(), ...before.slice(0, olderCount)];
    const complete = await this.complete(rows, found, channel);
    return { rows: complete, hasMore: before.length > olderCount, hasNewer: after.length > newerCount };
  }

  /** The messages with their optional parts; without those that were deleted meanwhile. */
  private async complete(rows: Rows, found: FoundRow[], channel: Channel): Promise<MessageRow[]> {
    const [some, plain] = [found.filter((row) => row.has_more), found.filter((row) => !row.has_more)];
    const ids = some.map((row) => row.id);
    const [special, authors] = await Promise.all([
      ids.length > 0 ? completeRows(rows, channel.id, ids) : [],
      this.deps.authors.of(plain.map((row) => row.author_id)),
    ]);
    const complete = new Map(special.map((row) => [row.id, row]));
    return found.flatMap((row) => {
      if (row.has_more) return complete.get(row.id) ?? [];
      const author = authors.get(row.author_id);
      return author ? plainMessage(row, author, channel) : [];
    });
  }
}

async function seqBefore(rows: Rows, channelId: string, cursor: string | undefined): Promise<number> {
  if (cursor === undefined) return endOfTime;
  if (isUuid(cursor)) {
    const seq = await seqOf(rows, channelId, cursor);
    if (seq !== undefined) return seq;
  } else if (isTime(cursor)) {
    return seqAt(rows, channelId, new Date(cursor));
  }
  throw new AppError('INVALID_CURSOR');
}

/** The number below which all messages were sent before `time`: numbers grow with time, so a binary search finds it. */
async function seqAt(rows: Rows, channelId: string, time: Date): Promise<number> {
  const find = (seq: number) => lastUpTo(rows, channelId, seq, time);
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

async function seqAfter(rows: Rows, channelId: string, after: string): Promise<number> {
  if (/^\d{1,15}$/.test(after)) return Number(after);
  const seq = isUuid(after) ? await seqOf(rows, channelId, after) : undefined;
  if (seq === undefined) throw new AppError('INVALID_CURSOR');
  return seq;
}

/** A page as `viewerId` sees it. */
export function messagePage({ rows, ...more }: MessageRows, viewerId: string): z.output<typeof messagePageSchema> {
  return { messages: rows.map((row) => messageRecord(row, viewerId)), ...more };
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
}
