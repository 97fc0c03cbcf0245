import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { userCache } from '../accounts/identity.ts';
import type { OpenChannel } from '../channels/channel.access.ts';
import type { Caches } from '../delivery/caches.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { channelRoom } from '../delivery/entry.ts';
import type { Head } from '../delivery/log.ts';
import { AppError } from '../errors.ts';
import { atMost, type Cache } from '../infrastructure/cache.ts';
import { isUuid } from '../schema.ts';
import type { listMessagesSchema } from './message.contract.ts';
import { type MessageList, type MessageRows, messagePage } from './message.list.ts';
import { messageRecord, shownNonce } from './message.view.ts';

type Channel = Pick<OpenChannel, 'id' | 'kind'>;
type Query = z.output<typeof listMessagesSchema>;

interface Piece {
  authorId: string;
  /** As its author is shown it. */
  nonce: string | undefined;
  /** The record as JSON, without the nonce. */
  json: string;
}

interface KeptPage {
  /** What is here was read when the channel's log had this position, or later. */
  seq: number;
  /** New messages cannot come into it. */
  isFull: boolean;
  pieces: Piece[];
  /** What stands behind the messages, up to the end of the page. */
  rest: string;
  /** The page as everyone sees it who has no nonces in it. */
  json: string;
}

const maxPages = 5000;
/** Of all pages together, in bytes. */
const maxSize = 64 * 1024 * 1024;

/**
 * Pages of channels as JSON text: most reads are of the newest one, or of one that others read at the same time. A page
 * is kept when it is asked for again; keeping what nobody wants costs more than making it.
 *
 * They are exact over all nodes without hearing from them. Whatever changes a page tells so in the channel's log, in the
 * transaction of the change: while the head of the log has not moved, the page has not, and a page into which no new
 * message can come stays what it is while there were none but new messages. The head is read for each request, together
 * with those of everyone who asks in the same moment. Only names and pictures of authors change without it; those are
 * access facts like any other, dropped on all nodes before the answer of the change.
 */
export class KeptPages {
  private readonly delivery: Delivery;
  private readonly list: MessageList;
  private readonly pages: Cache<KeptPage>;
  /** What was asked for once, lately. */
  private readonly asked = new LRUCache<string, true>(atMost(maxPages));

  constructor(parts: { delivery: Delivery; caches: Caches; list: MessageList }) {
    this.delivery = parts.delivery;
    this.list = parts.list;
    const size = { max: maxSize, of: (page: KeptPage) => 2 * page.json.length };
    this.pages = parts.caches.create('message-pages', maxPages, { size, clearedWith: userCache });
  }

  /** A MessagePage as JSON, as `viewerId` sees it. @throws AppError CHANNEL_NOT_FOUND, INVALID_CURSOR, MESSAGE_NOT_FOUND */
  async read(channel: Channel, query: Query, viewerId: string): Promise<string> {
    const { limit, include, cursor, after, around } = query;
    const key = JSON.stringify([channel.id, limit, include, cursor, after, around]);
    if (!this.asked.get(key)) {
      this.asked.set(key, true);
      return JSON.stringify(messagePage(await this.list.ofChannel(channel, query), viewerId));
    }
    const head = await this.headOf(channel.id);
    for (;;) {
      const page = await this.pages.get(key, () => this.load(channel, query, head.seq));
      if (page && isTrue(page, head)) return seenBy(viewerId, page);
      // It was there already, or comes of a read that somebody else began earlier.
      if (page === this.pages.peek(key)) this.pages.drop(key);
    }
  }

  private async headOf(channelId: string): Promise<Head> {
    const head = await this.delivery.head(channelRoom(channelId));
    if (head === undefined) throw new AppError('CHANNEL_NOT_FOUND');
    return head;
  }

  /** @param seq where the log is by now; what comes meanwhile may be in the page, and makes it untrue at the next look */
  private async load(channel: Channel, query: Query, seq: number): Promise<KeptPage> {
    const { rows, ...more } = await this.list.ofChannel(channel, query);
    const pieces = rows.map((row) => ({
      authorId: row.author_id,
      nonce: shownNonce(row.nonce).nonce,
      json: JSON.stringify(messageRecord(row, null)),
    }));
    const rest = `],${JSON.stringify(more).slice(1)}`;
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
  // A time as cursor may be one to come.
  return cursor !== undefined && isUuid(cursor);
}

function seenBy(viewerId: string, { pieces, rest, json }: KeptPage): string {
  const isOwn = ({ authorId, nonce }: Piece) => authorId === viewerId && nonce !== undefined;
  if (!pieces.some(isOwn)) return json;
  return pageOf(pieces, rest, (piece) =>
    isOwn(piece) ? `${piece.json.slice(0, -1)},"nonce":${JSON.stringify(piece.nonce)}}` : piece.json,
  );
}

function pageOf(pieces: Piece[], rest: string, jsonOf: (piece: Piece) => string): string {
  return `{"messages":[${pieces.map(jsonOf).join(',')}${rest}`;
}
