import { userCache } from '../accounts/identity.ts';
import type { Caches } from '../delivery/caches.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { channelRoom } from '../delivery/entry.ts';
import { AppError } from '../errors.ts';
import type { Cache } from '../infrastructure/cache.ts';
import type { MessageList, MessageRows } from './message.list.ts';
import { messageRecord, shownNonce } from './message.view.ts';

/** What of the newest messages of a channel is read: the first page, `limit` long. */
export interface LatestQuery {
  limit: number;
  include?: 'threads' | undefined;
}

interface Piece {
  authorId: string;
  /** As its author is shown it. */
  nonce: string | undefined;
  /** The record as JSON, without the nonce. */
  json: string;
}

interface LatestPage {
  /** What is here was read when the channel's log had this position, or later. */
  seq: number;
  pieces: Piece[];
  hasMore: boolean;
  /** The page as everyone sees it who has no nonces in it. */
  json: string;
}

const maxPages = 5000;
/** Of all pages together, in characters. */
const maxSize = 32 * 1024 * 1024;

/**
 * The newest page of each channel as JSON text: most reads are of this one, and most find what the one before found.
 *
 * It is exact over all nodes without hearing from them. Whatever changes a page tells so in the channel's log, in the
 * transaction of the change: while the head of the log has not moved, the page has not. The head is read for each
 * request, together with that of everyone who asks in the same moment. Only names and pictures of authors change
 * without it; those are access facts like any other, dropped on all nodes before the answer of the change.
 */
export class LatestPages {
  private readonly delivery: Delivery;
  private readonly list: MessageList;
  private readonly pages: Cache<LatestPage>;

  constructor(parts: { delivery: Delivery; caches: Caches; list: MessageList }) {
    this.delivery = parts.delivery;
    this.list = parts.list;
    const size = { max: maxSize, of: (page: LatestPage) => 2 * page.json.length };
    this.pages = parts.caches.create('latest-pages', maxPages, { size, clearedWith: userCache });
  }

  /** A MessagePage as JSON, as `viewerId` sees it. @throws AppError CHANNEL_NOT_FOUND */
  async read(channelId: string, query: LatestQuery, viewerId: string): Promise<string> {
    const head = await this.delivery.head(channelRoom(channelId));
    if (head === undefined) throw new AppError('CHANNEL_NOT_FOUND');
    const key = `${channelId} ${query.limit} ${query.include}`;
    for (;;) {
      const known = this.pages.peek(key);
      if (known && known.seq < head) this.pages.drop(key);
      const page = await this.pages.get(key, () => this.load(channelId, query, head));
      // It may come of a read that someone else began before the head had moved.
      if (page && page.seq >= head) return seenBy(viewerId, page);
    }
  }

  private async load(channelId: string, query: LatestQuery, head: number): Promise<LatestPage> {
    const { rows, hasMore } = await this.list.ofChannel(channelId, query);
    const pieces = rows.map((row) => ({
      authorId: row.author_id,
      nonce: shownNonce(row.nonce).nonce,
      json: JSON.stringify(messageRecord(row, null)),
    }));
    return { seq: head, pieces, hasMore, json: pageOf(pieces, hasMore, ({ json }) => json) };
  }
}

function seenBy(viewerId: string, { pieces, hasMore, json }: LatestPage): string {
  const isOwn = ({ authorId, nonce }: Piece) => authorId === viewerId && nonce !== undefined;
  if (!pieces.some(isOwn)) return json;
  return pageOf(pieces, hasMore, (piece) =>
    isOwn(piece) ? `${piece.json.slice(0, -1)},"nonce":${JSON.stringify(piece.nonce)}}` : piece.json,
  );
}

function pageOf(pieces: Piece[], hasMore: MessageRows['hasMore'], jsonOf: (piece: Piece) => string): string {
  return `{"messages":[${pieces.map(jsonOf).join(',')}],"hasMore":${hasMore}}`;
}
