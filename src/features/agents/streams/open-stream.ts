import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import { invalid } from '../../../contract/schema/validation.ts';
import type { streamSchema } from '../../../contract/stream.ts';
import { isBlank } from '../../../contract/unicode/visible.ts';
import type { Watched } from '../../filters/filters.ts';
import { StreamGuard } from './stream.guard.ts';
import { nameOf, type StreamKey } from './stream.store.ts';
import type { KeptStream } from './stream.table.ts';

export type Piece = z.output<typeof streamSchema>;

/** A reply in progress whose pieces this node takes. */
export interface OpenStream {
  kept: KeptStream;
  /** Of the text in Redis, as this node knows it; 0: it is not there. */
  version: number;
  /** The sender's socket; null: it came over HTTP. */
  socketId: string | null;
  /** When its lease was renewed last, in ms. */
  leasedAt: number;
  timer: NodeJS.Timeout | undefined;
  watched: Watched | null;
  /** Null: nothing is kept from others. */
  guard: StreamGuard | null;
  /** The end of the queue of its pieces. */
  turn: Promise<unknown>;
  isOver: boolean;
}

/** Inserts a piece at its position. @returns its offset; undefined if earlier pieces are missing */
export function take(kept: KeptStream, piece: Piece): number | undefined {
  const at = piece.offset ?? kept.content.length;
  kept.isBroken = piece.offset !== 0 && (kept.isBroken || at > kept.content.length);
  // Where pieces are missing, others see one after the other, whatever they replace: so it is judged, too.
  const before = kept.isBroken ? kept.content : kept.content.slice(0, at);
  kept.content = piece.content ?? before + piece.delta;
  return kept.isBroken ? undefined : at;
}

/** What was kept from others when another node had it is still to be shown. */
export function guardOf(watched: Watched | null, { content, shown }: KeptStream): StreamGuard | null {
  return watched && new StreamGuard(watched, { delta: content.slice(shown), offset: shown });
}

/** What becomes the message. @throws AppError VALIDATION_FAILED where there is no text */
export function wholeOf(piece: Piece, { place, content, replyToId }: KeptStream) {
  if (isBlank(content)) {
    throw invalid([{ path: 'delta', message: 'must not leave the whole empty', code: 'too_small' }]);
  }
  return { content, threadId: place.threadId, replyToId: piece.replyToId ?? replyToId };
}

/** Makes the message of a reply idempotent. */
export const onceKey = (streamId: string) => `stream ${streamId}`;

export const keyOf = (actor: Actor, { channelId, streamId }: Pick<StreamKey, 'channelId' | 'streamId'>) =>
  nameOf({ userId: actor.userId, channelId, streamId });
