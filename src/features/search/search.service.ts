import { MAX } from 'uuid';
import type { z } from 'zod';
import { selectIsInChannel } from '../../access/channel.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import type { searchMessagesSchema } from '../../contract/search.ts';
import { hasUnspaced, plainQuery, unspacedQuery, unspacedWords } from '../../database/unspaced.ts';
import type { Context } from '../context.ts';
import { concernsBot } from '../messages/mentioned-bots.ts';
import { concealed } from '../messages/message.reader.ts';
import { selectMessages } from '../messages/message.table.ts';
import { type MessageRecord, type MessageRow, messageRecord } from '../messages/message.view.ts';

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

/** Every channel that a user may read. $1 user, $2 whether it is a bot, $3 one server or null */
const readableChannels = `
  SELECT c.id FROM server_members sm JOIN channels c ON c.server_id = sm.server_id AND c.deleted_at IS NULL
    LEFT JOIN channel_members cm ON cm.channel_id = c.id AND cm.user_id = sm.user_id
  WHERE sm.user_id = $1 AND ($3::uuid IS NULL OR sm.server_id = $3)
    AND ${selectIsInChannel('c.is_private OR $2', 'cm.excluded')}
  UNION ALL
  SELECT c.id FROM channel_members cm JOIN channels c ON c.id = cm.channel_id AND c.kind = 'dm' AND c.deleted_at IS NULL
  WHERE cm.user_id = $1 AND NOT cm.excluded AND $3::uuid IS NULL
  LIMIT 5000`;

/** How many of the newest messages are searched first: common words are found among them. */
const latest = 2000;
/** Up to this many channels are searched one by one; users with more of them read most messages anyway. */
const fewChannels = 200;

const words = "websearch_to_tsquery('simple', $1)";
const isUnspaced = hasUnspaced('m.content');

/**
 * SQL: whether a message matches the query. Scripts without spaces have an index of their own. For exclusions
 * (`isApart`) each message is checked by its own index only: the other does not know it.
 * @param wanted SQL of the query
 */
function holds(wanted: string, isApart: boolean): string {
  const amongUnspaced = `${isUnspaced} AND ${unspacedWords('m.content', 'm.channel_id')} @@ ${wanted}`;
  const amongOthers = `m.search @@ ${wanted}`;
  return isApart
    ? `(${amongUnspaced} OR NOT ${isUnspaced} AND ${amongOthers})`
    : `(${amongOthers} OR ${amongUnspaced})`;
}

/**
 * The newest messages with the words. They are found before anything is sorted: on its own PostgreSQL walks all messages
 * from the newest on, as if even unused words were not rare. Punctuation and emoji are no words: without counting the words
 * of the query, an empty one would find everything. $1 words, $2 channels, $3 author or null, $4 before which message, $5
 * how many
 * @param hits SQL of the messages that may match, by their words
 */
const newestOf = (
  hits: string,
  isLimited: boolean,
): string => `WITH hits AS MATERIALIZED (${hits}), page AS MATERIALIZED (
    SELECT hits.id FROM hits LEFT JOIN threads t ON t.id = hits.thread_id
    WHERE hits.channel_id = ANY($2::uuid[]) AND ($3::uuid IS NULL OR hits.author_id = $3) AND hits.id < $4
      AND hits.deleted_at IS NULL AND t.deleted_at IS NULL AND numnode(${words}) > 0
    ${isLimited ? `AND ${mayReadHit}` : ''}
    ORDER BY hits.id DESC LIMIT $5
  )
  ${selectMessages} WHERE m.id = ANY(ARRAY(SELECT id FROM page)) ORDER BY m.id DESC`;
/** In channels $6 bot $7 finds only what concerns it. */
const mayReadHit = `(hits.channel_id <> ALL($6::uuid[])
    OR EXISTS (SELECT FROM messages found WHERE found.id = hits.id AND ${concernsBot('found', '$7::uuid')}))`;
const columns = 'm.id, m.channel_id, m.author_id, m.thread_id, m.deleted_at';

/** Each with its text, for exclusions (see `holds`). */
const texts = (hits: (isApart: boolean) => string) => ({
  together: newestOf(hits(false), false),
  apart: newestOf(hits(true), false),
  togetherLimited: newestOf(hits(false), true),
  apartLimited: newestOf(hits(true), true),
});
const amongLatest = texts(
  (isApart) => `SELECT ${columns} FROM (SELECT * FROM messages WHERE id < $4 ORDER BY id DESC LIMIT ${latest}) AS m
    WHERE ${holds(words, isApart)}`,
);
/** Channel ids are indexed as words of their messages (see Message.search): other channels cost nothing. */
const amongFew = texts(
  (isApart) => `SELECT m.* FROM unnest($2::uuid[]) AS place (id) CROSS JOIN LATERAL (
      SELECT ${columns} FROM messages m
      WHERE ${holds(`(${words} && quote_literal(place.id)::tsquery)`, isApart)} OFFSET 0
    ) AS m WHERE m.channel_id = place.id`,
);
const amongMany = texts(
  (isApart) => `SELECT ${columns} FROM messages m
    WHERE ${holds(words, isApart)} AND ($3::uuid IS NULL OR m.author_id = $3)`,
);

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
    const spread = unspaced !== null || asked.includes('-') ? 'apart' : 'together';
    const way = limited.length > 0 ? (`${spread}Limited` as const) : spread;
    const most = query.limit + 1;
    const limits = limited.length > 0 ? [limited, actor.userId] : [];
    const values = [unspaced ?? asked, channelIds, query.authorId ?? null, before, most, ...limits];
    let rows = await this.deps.database.rows<MessageRow>(amongLatest[way], values);
    // Words that are rare in the newest messages are searched in full.
    if (rows.length < most) {
      const text = channelIds.length > fewChannels ? amongMany : amongFew;
      rows = await this.deps.database.plannedRows<MessageRow>(text[way], values);
    }
    const seen = await concealed(this.deps.database.rows, rows, limited.length > 0 ? actor.userId : null);
    return listPage(seen, query.limit, (row) => messageRecord(row, actor.userId));
  }

  private async where(actor: Actor, query: z.output<typeof searchMessagesSchema>): Promise<string[]> {
    const server =
      query.serverId === undefined ? null : (await this.deps.serverAccess.joined(actor, query.serverId)).id;
    if (query.channelId !== undefined) {
      const { id, serverId } = await this.deps.channelAccess.readable(actor, query.channelId);
      return server === null || server === serverId ? [id] : [];
    }
    const values = [actor.userId, actor.user.isBot, server];
    const channels = await this.deps.database.rows<{ id: string }>(readableChannels, values);
    return this.deps.channelAccess.readableAmong(
      actor,
      channels.map((channel) => channel.id),
    );
  }
}
