import type { Components } from '../../contract/component.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import type { NewPoll } from '../../contract/poll.ts';
import type { Flagged } from '../../jobs/flag.jobs.ts';
import type { NewForward } from './forward.table.ts';
import type { Hearing } from './hearing.ts';

/** A new message as it is written. */
export interface NewMessage {
  id: string;
  channelId: string;
  authorId: string;
  content: string;
  threadId: string | null;
  replyToId: string | null;
  /** The version of the replied-to message that the new one quotes. */
  replyUpdatedAt: string | null;
  attachmentIds: string[];
  /** Those of them whose thumbnails the message tells of. */
  thumbnailIds: string[];
  /** What it forwards. */
  forward: NewForward | null;
  mentions: MentionRecord[] | null;
  /** Given only where a slash command names bots; else it follows from the mentions. */
  mentionedBots: Record<string, number> | null;
  metadata: Record<string, unknown> | null;
  poll: NewPoll | null;
  components: Components | null;
  nonce: string | null;
  /** The once-key of its request, beside the nonce. */
  sentKey: string | null;
  createdAt: string;
  /** Whether it is in a DM. */
  isDirect: boolean;
  /** Whether anyone is notified of all messages beside it. */
  isWatched: boolean;
  /** For bots: the last message of any bot when the loop guard let this one pass; a newer one means judging it again. */
  lastBotSeq: number | null;
  /** How long its author waits between two messages in the channel; null: slow mode does not hold them. */
  slowModeSeconds: number | null;
  /** Whether it has links that may get previews. */
  hasLinks: boolean;
  /** The number after which nobody may have written in its conversation; null: it does not matter. */
  ifHead: number | null;
  /** Up to where the bot had read that wrote it, if it says so. */
  answersTo: number | null;
  /** What of that it had been given. */
  answersWithin: Hearing | null;
  /** It answers a person's use of a component or a command: bots are in no loop there (see LoopGuard). */
  answersUse: boolean;
  /** What moderators are to be told of it. */
  flag: Pick<Flagged, 'serverId' | 'channelId' | 'pattern'> | null;
}
