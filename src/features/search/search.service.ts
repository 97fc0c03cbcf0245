import { MAX } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import type { searchMessagesSchema } from '../../contract/search.ts';
import { plainQuery, unspacedQuery } from '../../database/unspaced.ts';
import type { Context } from '../context.ts';
import { concealed } from '../messages/message.reader.ts';
import { type MessageRecord, messageRecord } from '../messages/message.view.ts';
import { readableChannels, searchLatest, searchMessages } from './search.table.ts';

/** Searches of a node under way: each may keep a core of PostgreSQL busy, which everyone needs. */
const atOnce = 4;
/** Searches of one person that wait for each other, as when someone types. */
const inLine = 10;

/** Lets few searches run at once, and of one person one after the other. */
export class SearchTurns {
  private readonly lines = new Map<string, { length: number; last: Promise<unknown> }>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  /** @throws AppError RATE_LIMITED when too many of the same person wait already, and what `search` throws */
  async run<T>(userId: string, search: () => Promise<T>): Promise<T> {
    const line = this.lines.get(userId) ?? { length: 0, last: Promise.resolve() };
    if (line.length >= inLine) {
      throw new AppError('RATE_LIMITED', {
        message: 'You are searching already; wait for the answers.',
        retryAfter: 1,
      });
    }
    line.length++;
    this.lines.set(userId, line);
    const result = line.last.then(() => this.inTurn(search));
    line.last = result.catch(() => {});
    try {
      return await result;
    } finally {
      if (--line.length === 0) this.lines.delete(userId);
    }
  }

  private async inTurn<T>(search: () => Promise<T>): Promise<T> {
    if (this.running >= atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await search();
    } finally {
      // The place goes to the search that has waited longest.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

type Deps = Pick<Context, 'database' | 'serverAccess' | 'channelAccess'>;

/** Full-text search in the messages that the actor may read (contract §6). */
export class SearchService {
  private readonly deps: Deps;
  private readonly turns = new SearchTurns();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Newest first.
   * @throws AppError SERVER_NOT_FOUND, CHANNEL_NOT_FOUND, NOT_A_MEMBER, INVALID_CURSOR; RATE_LIMITED while one's searches wait
   */
  messages(actor: Actor, query: z.output<typeof searchMessagesSchema>): Promise<ListPage<MessageRecord>> {
    return this.turns.run(actor.userId, () => this.find(actor, query));
  }

  private async find(actor: Actor, query: z.output<typeof searchMessagesSchema>): Promise<ListPage<MessageRecord>> {
    const channelIds = await this.where(actor, query);
    const before = idCursor(query.cursor) ?? MAX;
    if (channelIds.length === 0) return { records: [], hasMore: false };
    const asked = plainQuery(query.query);
    const unspaced = unspacedQuery(asked);
    const limited = await this.deps.channelAccess.limitedAmong(actor, channelIds);
    const limit = query.limit + 1;
    const wanted = {
      words: unspaced ?? asked,
      isApart: unspaced !== null || asked.includes('-'),
      channelIds,
      authorId: query.authorId ?? null,
      before,
      limit,
      limited: limited.length > 0 ? { channelIds: limited, bot: actor.userId } : null,
    };
    const seen = await this.deps.database.readCurrent(async ({ rows, plannedRows }) => {
      const latest = await searchLatest(rows, wanted);
      // Words that are rare in the newest messages are searched in full.
      const found = latest.length < limit ? await searchMessages(plannedRows, wanted) : latest;
      return concealed(rows, found, limited.length > 0 ? actor.userId : null);
    });
    return listPage(seen, query.limit, (row) => messageRecord(row, actor.userId));
  }

  private async where(actor: Actor, query: z.output<typeof searchMessagesSchema>): Promise<string[]> {
    const server =
      query.serverId === undefined ? null : (await this.deps.serverAccess.joined(actor, query.serverId)).id;
    if (query.channelId !== undefined) {
      const { id, serverId } = await this.deps.channelAccess.readable(actor, query.channelId);
      return server === null || server === serverId ? [id] : [];
    }
    return this.deps.channelAccess.readableAmong(actor, await readableChannels(this.deps.database.rows, actor, server));
  }
}
