import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { ChannelAccess } from '../channels/channel.access.ts';
import { selectIsInChannel } from '../channels/channel.membership.ts';
import type { Database } from '../database/database.ts';
import { hasUnspaced, unspacedQuery, unspacedWords, untaggedQuery } from '../database/unspaced.ts';
import { selectMessages } from '../messages/message.table.ts';
import { type MessageRecord, type MessageRow, messageRecord } from '../messages/message.view.ts';
import { type ListPage, listPage } from '../schema/list-page.ts';
import { idCursor } from '../schema/validation.ts';
import type { ServerAccess } from '../servers/server.access.ts';
import type { searchMessagesSchema } from './search.contract.ts';

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

/**
 * The ids of channels are words of their messages (see Message.search), so the index finds what is in both lists: what
 * is said elsewhere costs nothing. Every channel is checked again by its id. Signs and emoji alone are no words: without
 * the count of what is asked for, nothing asked would find everything.
 * @param holds SQL: whether what is asked for (`wanted`) is in a message
 */
const finding = (holds: string): string => `${selectMessages}
  WHERE (${holds}) AND numnode(websearch_to_tsquery('simple', $1)) > 0
    AND m.channel_id = ANY($3::uuid[]) AND m.deleted_at IS NULL AND t.deleted_at IS NULL
    AND ($4::uuid IS NULL OR m.author_id = $4) AND ($5::uuid IS NULL OR m.id < $5)
  ORDER BY m.id DESC LIMIT $6`;
const wanted = "(websearch_to_tsquery('simple', $1) && array_to_string($2::text[], ' | ')::tsquery)";
const isUnspaced = hasUnspaced('m.content');
const amongUnspaced = `${isUnspaced} AND ${unspacedWords('m.content', 'm.channel_id')} @@ ${wanted}`;
/** Each has an index of its own. */
const found = finding(`m.search @@ ${wanted} OR ${amongUnspaced}`);
/** Where something must not be there each message counts by its own index only: the other does not know of it. */
const foundApart = finding(`${amongUnspaced} OR NOT ${isUnspaced} AND m.search @@ ${wanted}`);

/** Finds messages by their words, among those that the actor may read (contract §6). */
export class SearchService {
  private readonly database: Database;
  private readonly servers: ServerAccess;
  private readonly channels: ChannelAccess;

  constructor(parts: { database: Database; serverAccess: ServerAccess; channelAccess: ChannelAccess }) {
    this.database = parts.database;
    this.servers = parts.serverAccess;
    this.channels = parts.channelAccess;
  }

  /** Newest first. @throws AppError SERVER_NOT_FOUND, CHANNEL_NOT_FOUND, NOT_A_MEMBER, INVALID_CURSOR */
  async messages(actor: Actor, query: z.output<typeof searchMessagesSchema>): Promise<ListPage<MessageRecord>> {
    const channelIds = await this.where(actor, query);
    const after = idCursor(query.cursor);
    if (channelIds.length === 0) return { records: [], hasMore: false };
    const words = untaggedQuery(query.query);
    const unspaced = unspacedQuery(words);
    const isApart = unspaced !== null || words.includes('-');
    // A common word and a rare one are not found by the same plan.
    const rows = await this.database.plannedRows<MessageRow>(isApart ? foundApart : found, [
      unspaced ?? words,
      channelIds.map((id) => `'${id}'`),
      channelIds,
      query.authorId ?? null,
      after,
      query.limit + 1,
    ]);
    return listPage(rows, query.limit, (row) => messageRecord(row, actor.userId));
  }

  private async where(actor: Actor, query: z.output<typeof searchMessagesSchema>): Promise<string[]> {
    const server = query.serverId === undefined ? null : (await this.servers.joined(actor, query.serverId)).id;
    if (query.channelId !== undefined) {
      const { id, serverId } = await this.channels.readable(actor, query.channelId);
      return server === null || server === serverId ? [id] : [];
    }
    const values = [actor.userId, actor.user.isBot, server];
    const channels = await this.database.rows<{ id: string }>(readableChannels, values);
    return this.channels.readableAmong(
      actor,
      channels.map((channel) => channel.id),
    );
  }
}
