import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { type ChannelWithRights, channelCache } from '../../access/channel.access.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMessagesSchema } from '../../contract/message.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { isUuid } from '../../contract/schema.ts';
import type { Head } from '../../delivery/log.ts';
import { atMost, type Cache } from '../../infrastructure/cache.ts';
import { userCache } from '../accounts/identity.ts';
import type { Context } from '../context.ts';
import type { MessageList, MessageRows } from './message.list.ts';
import { messageText } from './message.text.ts';
import { shownNonce } from './message.view.ts';

type Channel = Pick<ChannelWithRights, 'id' | 'kind'>;
type Query = z.output<typeof listMessagesSchema>;

interface Piece {
  authorId: string;
  /** Shown only to its author. */
  nonce: string | undefined;
  /** The record as JSON, without the nonce. */
  json: string;
}

interface KeptPage {
  /** The page was read when the channel's log was at this position, or later. */
  seq: number;
  /** New messages cannot be part of it. */
  isFull: boolean;
  pieces: Piece[];
  /** The JSON after the messages, up to the end of the page. */
  rest: string;
  /** The page for everyone whose nonces are not in it. */
  json: string;
}

const maxPages = 5000;
/** All pages together, in bytes. */
const maxSize = 64 * 1024 * 1024;

interface Deps extends Pick<Context, 'delivery' | 'caches'> {
  list: MessageList;
}

/**
 * Pages of channels cached as JSON text: most reads are of the newest page, or of one that others read at the same time. A
 * page is cached on its second request; caching what nobody else wants costs more than building it.
 *
 * Pages are exact across all nodes without any messages between them. Whatever changes a page also appends to the channel's
 * log, in the same transaction: while the head of the log has not moved, the page is unchanged, and a full page is
 * unchanged by new messages. The head is read for each request, batched with concurrent ones. Only names and pictures of
 * authors, and names of mentioned users and channels, change without moving it; those are access facts like any other,
 * dropped on all nodes before the change is answered.
 */
export class PageCache {
  private readonly deps: Deps;
  private readonly pages: Cache<KeptPage>;
  /** Pages that were requested once recently. */
  private readonly asked = new LRUCache<string, true>(atMost(maxPages));

  constructor(deps: Deps) {
    this.deps = deps;
    const size = { max: maxSize, of: (page: KeptPage) => 2 * page.json.length };
    this.pages = deps.caches.create('message-pages', maxPages, { size, clearedWith: [userCache, channelCache] });
  }

  /** A MessagePage as JSON, as `viewerId` sees it. @throws AppError CHANNEL_NOT_FOUND, INVALID_CURSOR, MESSAGE_NOT_FOUND */
  async read(channel: Channel, query: Query, viewerId: string): Promise<string> {
    const { limit, include, cursor, after, around } = query;
    const key = JSON.stringify([channel.id, limit, include, cursor, after, around]);
    if (!this.asked.get(key)) {
      this.asked.set(key, true);
      const { rows, ...more } = await this.deps.list.ofChannel(channel, query);
      return pageOf(rows, restOf(more), (row) => messageText(row, viewerId));
    }
    const head = await this.headOf(channel.id);
    for (;;) {
      const page = await this.pages.get(key, () => this.load(channel, query, head.seq));
      if (page && isTrue(page, head)) return seenBy(viewerId, page);
      // It was cached, or another reader's earlier read returned it.
      if (page === this.pages.peek(key)) this.pages.drop(key);
    }
  }

  private async headOf(channelId: string): Promise<Head> {
    const head = await this.deps.delivery.head(channelRoom(channelId));
    if (head === undefined) throw new AppError('CHANNEL_NOT_FOUND');
    return head;
  }

  /** @param seq the log's position now; later events may be in the page too, and invalidate it at the next request */
  private async load(channel: Channel, query: Query, seq: number): Promise<KeptPage> {
    const { rows, ...more } = await this.deps.list.ofChannel(channel, query);
    const pieces = rows.map((row) => ({
      authorId: row.author_id,
      nonce: shownNonce(row.nonce).nonce,
      json: messageText(row, null),
    }));
    const rest = restOf(more);
    const json = pageOf(pieces, rest, (piece) => piece.json);
    return { seq, isFull: isFull(query, more), pieces, rest, json };
  }
}

function isTrue({ seq, isFull }: KeptPage, head: Head): boolean {
  return seq >= (isFull ? head.changedSeq : head.seq);
}

function isFull({ cursor, after, around }: Query, { hasMore, hasNewer }: Omit<MessageRows, 'rows'>): boolean {
  if (around !== undefined) return hasNewer === true;
  if (after !== undefined) return hasMore;
  // A time given as cursor may be in the future.
  return cursor !== undefined && isUuid(cursor);
}

function seenBy(viewerId: string, { pieces, rest, json }: KeptPage): string {
  const isOwn = ({ authorId, nonce }: Piece) => authorId === viewerId && nonce !== undefined;
  if (!pieces.some(isOwn)) return json;
  return pageOf(pieces, rest, (piece) =>
    isOwn(piece) ? `${piece.json.slice(0, -1)},"nonce":${JSON.stringify(piece.nonce)}}` : piece.json,
  );
}

const restOf = (more: Omit<MessageRows, 'rows'>): string => `],${JSON.stringify(more).slice(1)}`;

function pageOf<T>(messages: T[], rest: string, jsonOf: (message: T) => string): string {
  return `{"messages":[${messages.map(jsonOf).join(',')}${rest}`;
}
