import type { Actor, SmallUser } from '../../../contract/actor.ts';
import { channelRoom, threadRoom } from '../../../contract/rooms.ts';
import { type EndReason, messageStream } from '../../../contract/stream.ts';
import type { Ephemeral } from '../../../delivery/ephemeral.ts';
import type { Shown } from './stream.guard.ts';
import type { KeptStream, StreamPlace } from './stream.table.ts';

type Told = Pick<KeptStream, 'place' | 'replyToId'>;

/** How a reply ended: with a message, or without. */
interface End {
  author?: SmallUser;
  messageId?: string;
  reason?: EndReason;
  stoppedBy?: string;
}

/** What others are shown of replies in progress (contract §9). */
export class StreamEvents {
  private readonly ephemeral: Ephemeral;

  constructor(ephemeral: Ephemeral) {
    this.ephemeral = ephemeral;
  }

  /** @param exceptSocket the sender's, which does not get it; null: it has none */
  piece(actor: Actor, { place, replyToId }: Told, shown: Shown, exceptSocket: string | null = null): void {
    const data = { ...place, author: actor.user, replyToId, ...shown, done: false };
    this.ephemeral.emit(roomsOf(place), messageStream, data, exceptSocket ?? undefined);
  }

  end({ place, replyToId }: Told, end: End): void {
    this.ephemeral.emit(roomsOf(place), messageStream, { ...place, replyToId, ...end, done: true });
  }

  /** Nothing comes of it. */
  aborted(place: StreamPlace, reason: EndReason, stoppedBy?: string): void {
    const data = { ...place, done: true, aborted: true, reason, ...(stoppedBy === undefined ? {} : { stoppedBy }) };
    this.ephemeral.emit(roomsOf(place), messageStream, data);
  }
}

function roomsOf({ channelId, threadId }: StreamPlace): string[] {
  return threadId === null ? [channelRoom(channelId)] : [channelRoom(channelId), threadRoom(threadId)];
}
